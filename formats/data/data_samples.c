/**
 * Decodes samples, each with everything that belongs to it: allocations, values, flows, GPU times.
 *
 * Durations are floats, so children may end slightly after their parent: they are cut to its end. If samples do not add up, or are far outside their parent
 * or their frame, it is unknown which one is wrong, and none is kept.
 */
#include "data/tree.h"

#include "model/zones.h"

/* A sample. */
struct one {
	uint32_t i, children;
	int64_t ts, end;
	uint64_t key;
	uint32_t id;                  /* id of its marker, or a hash of its name */
	unsigned flags;               /* flags of its marker, if they are in the sample */
	bool root, alloc, collect, label, counter;
	const uint8_t *values;        /* count of values, then the values */
};

/* Read a sample. Up to 2020.1 its times are in microseconds. */
static bool
take_sample(const struct data_tree *t, uint32_t i, struct one *o)
{
	const struct data_layout *l = t->l;
	const uint8_t *p = t->th.sample + (size_t)i * data_sample_size(l);
	const int64_t zero = t->r->h->zero;
	uint32_t bits;
	float dur;

	*o = (struct one){ .i = i, .id = UNITY_NO_MARKER };
	if (l->rank < 6) {
		o->ts = t->piece->start + (int64_t)(int32_t)(unity_u32(p + 4) - (uint32_t)((t->piece->start + zero) / 1000)) * 1000;
		o->end = o->ts + (int64_t)unity_u32(p) * 1000;
		o->children = unity_u32(p + 8);
		return true;
	}
	if (l->rank >= 11) {
		o->id = unity_u32(p);
		p += 4;
	}
	bits = unity_u32(p);
	memcpy(&dur, &bits, 4);
	o->ts = (int64_t)(unity_u64(p + 4) * (l->rank >= 8 ? 1u : 1000u) - (uint64_t)zero);
	o->children = unity_u32(p + 12);
	/* A duration must be less than a year; the comparison also rejects NaN. Half a nanosecond can be added exactly in double. */
	if (!(dur >= 0 && dur < (l->rank >= 8 ? 3.2e16f : 3.2e13f)) || o->ts > INT64_MAX / 4 || o->ts < -INT64_MAX / 4)
		return false;
	o->end = o->ts + (int64_t)((double)dur * (l->rank >= 8 ? 1 : 1000) + 0.5);
	return true;
}

static bool
is(const struct data_marker *m, const char *name)
{
	return strlen(name) == m->nname && memcmp(m->name, name, m->nname) == 0;
}

static bool
is_label(const struct data_marker *m)
{
	return is(m, "Profiler.Default") || is(m, "Profiler.DefaultMarker");
}

/* Find the sample's marker: its key, its flags, and whether it is an allocation, a collection, a label or a counter. */
static int
take_marker(struct data_tree *t, struct one *o)
{
	struct data_run *r = t->r;
	const struct unity_markers *known = &r->h->marker;
	struct data_marker m;

	if (t->l->rank >= 11) {
		o->root = o->id == DATA_NO_MARKER;
		o->key = unity_key(&r->u, o->id);
		/* A root has the number that also stands for markers missing from the capture. */
		if (o->root)
			return TT_OK;
		t->undefined = t->undefined || (r->h->flags & DATA_H_WHOLE && data_is_undefined(r->h->roles, o->id));
		o->alloc = o->id == known->alloc;
		o->collect = o->id == known->collect;
		o->label = unity_is_label(known, o->id);
		return TT_OK;
	}
	o->root = !data_take_named(t->l, &t->marker, &m);
	if (o->root)
		return TT_OK;
	o->alloc = is(&m, UNITY_NAME_ALLOC);
	o->collect = is(&m, UNITY_NAME_COLLECT);
	o->label = is_label(&m);
	o->counter = m.flags & UNITY_MARKER_COUNTER;
	return data_define_named(r, &m, &o->key, &o->id);
}

/* Take the value at ${p}; return the place of the next one. */
static const uint8_t *
take_value(const uint8_t *p, struct unity_value *v)
{
	const uint32_t n = unity_u32(p + 4);

	*v = (struct unity_value){ .type = unity_u32(p), .p = p + 8, .n = n };
	const unsigned size = unity_value_size(v->type);
	if (!data_value_fits(v->type, n))
		v->type = UNITY_V_BLOB;
	else if (size == 4 || size == 8)
		v->bits = size == 4 ? unity_u32(p + 8) : unity_u64(p + 8);
	return p + 8 + (((size_t)n + 3) & ~(size_t)3);
}

static bool
first_value(const struct one *o, struct unity_value *v)
{
	if (!o->values || unity_u32(o->values) == 0)
		return false;
	take_value(o->values + 4, v);
	return true;
}

/* --- events ---------------------------------------------------------------------------------------------------- */

/* Put the sample's instance id and values as arguments of its event at ${at}; for a label, only the instance id. */
static int
put_args(struct data_tree *t, const struct one *o, size_t at)
{
	struct data_run *r = t->r;
	struct unity_value v = { .type = UNITY_V_INSTANCE };
	const uint8_t *p;
	int rc = TT_OK;

	if (!(r->u.b->needs & TT_NEEDS_ARGS))
		return TT_OK;
	while (rc == TT_OK && (p = data_list_next(r->u.b, &t->instance, o->i))) {
		v.type = t->l->rank >= 12 ? UNITY_V_I64 : UNITY_V_INSTANCE;
		v.bits = t->l->rank >= 12 ? unity_u64(p + 4) : unity_u32(p + 4);
		rc = v.bits && !(r->u.b->ev[at].flags & TT_F_MORE) ? unity_put_id(&r->u, at, &v) : TT_OK;
	}
	p = o->values ? o->values + 4 : NULL;
	for (uint32_t n = p ? unity_u32(o->values) : 0; n > 0 && rc == TT_OK; n--) {
		p = take_value(p, &v);
		if (o->label) {
			rc = v.bits ? unity_put_arg(&r->u, at, &v) : TT_OK;
			break;
		}
		rc = unity_put_arg(&r->u, at, &v);
	}
	return rc;
}

static int
put_flows(struct data_tree *t, struct data_list *l, const struct one *o, bool next)
{
	const uint8_t *p;

	while ((p = data_list_next(t->r->u.b, l, o->i))) {
		const uint32_t kind = unity_u32(p + 8);
		const bool binds_next = kind == TT_FLOW_PARALLEL || kind == TT_FLOW_SEQUENTIAL;
		if (kind > TT_FLOW_SEQUENTIAL || binds_next != next)
			continue;
		struct tt_event *e = tt_batch_rare(t->r->u.b, TT_FLOW, o->ts, unity_u32(p + 4), t->r->u.err);
		if (!e)
			return t->r->u.err->code;
		e->depth = (uint16_t)kind;
		e->flags = next && !o->root && !o->alloc && !o->counter ? TT_F_NEXT : 0;
	}
	return TT_OK;
}

static int
put_alloc(struct data_tree *t, const struct one *o, uint64_t key, uint64_t bytes)
{
	struct data_run *r = t->r;
	uint8_t address[8 * DATA_STACK];
	const unsigned size = t->l->rank >= 8 ? 8 : 4;
	const uint8_t *p;
	unsigned n = 0;
	size_t at;
	int rc = unity_alloc(&r->u, o->ts, key, bytes, t->zones, &at);

	if (rc != TT_OK || !(p = data_list_next(r->u.b, &t->stack, o->i)))
		return rc;
	t->stacks++;
	for (p += 4; n < DATA_STACK; n++, p += size) {
		const uint64_t a = size == 8 ? unity_u64(p) : unity_u32(p);
		if (a == 0)
			break;
		memcpy(address + 8 * n, &(uint64_t){ a }, 8);
	}
	return unity_alloc_stack(&r->u, at, address, n);
}

/* Count an allocation whose bytes are missing or negative. */
static void
lose_alloc(const struct data_tree *t)
{
	tt_loss_add(&t->r->u.b->loss, TT_LOST_ALLOC_BYTES, 1, 0, t->piece->at);
}

/* Add the allocations that the sample made; the sample itself is not an allocation. */
static int
put_allocs(struct data_tree *t, const struct one *o)
{
	struct data_run *r = t->r;
	const uint64_t key = unity_key(&r->u, UNITY_NO_MARKER);
	const uint8_t *p;
	bool any = false;
	int rc = TT_OK;

	while (rc == TT_OK && (p = data_list_next(r->u.b, &t->gc, o->i))) {
		t->apart++;
		/* An allocation cannot have 0 bytes. */
		if (unity_u32(p + 4) > INT32_MAX || unity_u32(p + 4) == 0) {
			lose_alloc(t);
			continue;
		}
		rc = put_alloc(t, o, key, unity_u32(p + 4));
		any = true;
	}
	return rc == TT_OK && any ? unity_define_alloc(&r->u, key) : rc;
}

/* Take GC.Alloc with its bytes as an allocation, not as a zone. *${done} is false if it has no bytes. */
static int
take_alloc(struct data_tree *t, const struct one *o, bool *done)
{
	const uint8_t *p = data_list_next(t->r->u.b, &t->gc, o->i);
	struct unity_value v;
	uint64_t bytes = p ? unity_u32(p + 4) : 0, said;

	t->nalloc++;
	t->differs = t->differs || (p && bytes <= INT32_MAX && first_value(o, &v) && unity_alloc_bytes(&v, &said) && said != bytes);
	*done = p ? bytes <= INT32_MAX : first_value(o, &v) && unity_alloc_bytes(&v, &bytes);
	if (!*done)
		lose_alloc(t);
	return *done ? put_alloc(t, o, o->key, bytes) : TT_OK;
}

static int
take_counter(struct data_tree *t, struct one *o)
{
	struct data_run *r = t->r;
	struct unity_value v;
	enum tt_type type;
	uint32_t counter = o->id;
	uint64_t bits;

	o->counter = first_value(o, &v);
	if (o->counter && t->l->rank >= 11) {
		unity_lock(&r->u);
		o->counter = unity_is_counter(r->u.known, 0, o->id, r->u.seq, &counter);
	}
	if (!o->counter)
		return TT_OK;
	if (!unity_number(&v, &type, &bits)) {
		/* Other types were counted together with the list of values. */
		tt_loss_add(&r->u.b->loss, TT_LOST_VALUE_TYPES, data_value_fits(unity_u32(o->values + 4), v.n), 0, t->piece->at);
		o->counter = false;
		return TT_OK;
	}
	tt_loss_add(&r->u.b->loss, TT_LOST_COUNTER_VALUES, unity_u32(o->values) - 1, 0, r->u.b->at);
	return unity_counter_event(&r->u, o->ts, counter, type, bits);
}

static int
take_label(struct data_tree *t, struct one *o)
{
	struct unity_value v[3];
	uint32_t n = o->values ? unity_u32(o->values) : 0;
	const uint8_t *p = o->values + 4;

	n = n < 3 ? n : 3;
	for (uint32_t i = 0; i < n; i++)
		p = take_value(p, &v[i]);
	return unity_label(&t->r->u, o->id, v, n, &o->key, &o->label);
}

static int
put_gc(struct data_run *r, int64_t ts, enum tt_gc_phase phase)
{
	return tt_batch_rare(r->u.b, TT_GC, ts, phase, r->u.err) ? TT_OK : r->u.err->code;
}

static uint16_t
depth_of(const struct data_tree *t)
{
	return t->zones < UINT16_MAX ? (uint16_t)t->zones : UINT16_MAX;
}

/* Put the zone's begin and, if it is too long for one event, its end. */
static int
put_zone(struct data_tree *t, const struct one *o, struct data_level *level)
{
	struct tt_batch *b = t->r->u.b;
	const uint64_t dur = (uint64_t)(o->end - o->ts);
	int rc = tt_batch_room(b, 4, t->r->u.err);
	const size_t at = b->n;

	if (rc != TT_OK)
		return rc;
	level->zone = true;
	b->ev[b->n++] = (struct tt_event){ .ts = o->ts, .val = o->key, .depth = depth_of(t), .kind = dur > UINT32_MAX ? TT_ZONE_BEGIN : TT_ZONE,
		.dur = dur > UINT32_MAX ? 0 : (uint32_t)dur };
	level->event = dur > UINT32_MAX ? (uint32_t)at + 1 : 0;
	b->nzone++;
	t->r->calls += 2;
	if (t->zones == 0 && o->ts < t->r->from)
		t->r->from = o->ts;
	return o->values || t->instance.left ? put_args(t, o, at) : TT_OK;
}

/* End the innermost open sample. */
static int
pop(struct data_tree *t)
{
	struct tt_batch *b = t->r->u.b;
	const struct data_level *x = &t->r->level[--t->depth];
	int rc = TT_OK;

	if (!x->zone)
		return TT_OK;
	t->zones--;
	if (x->event) {
		if ((rc = tt_batch_room(b, 4, t->r->u.err)) != TT_OK)
			return rc;
		b->ev[b->n++] = (struct tt_event){ .ts = x->end, .val = b->ev[x->event - 1].val, .depth = depth_of(t), .kind = TT_ZONE_END };
	}
	return x->collect ? put_gc(t->r, x->end, TT_GC_END) : TT_OK;
}

/*
 * Keep the sample inside its parent and after the previous sample. False: it is so far outside that a time is damaged. Samples without length are never
 * damaged, and a sample that overlaps the previous record is moved after it.
 */
static bool
fit(struct data_tree *t, struct one *o)
{
	struct data_run *r = t->r;
	const struct data_level *up = &r->level[t->depth - 1];
	int64_t slack = (t->l->rank >= 8 ? 2 : 2000) + ((o->end - o->ts) >> 22);
	const int64_t old = t->r->h->flags & DATA_H_MAIN ? DATA_FARTHEST : DATA_OLD;
	bool sane = true;

	if (t->depth == 1 && o->ts < r->from)
		r->from = o->ts;
	if (t->depth > 1)
		slack += (up->end - up->at) >> 22;
	if (o->ts < up->at - slack || o->end > up->end + slack) {
		const bool apart = o->ts < up->at - slack - DATA_APART || o->end > up->end + slack + DATA_APART;
		tt_loss_add(&r->u.b->loss, TT_LOST_CLOCK, 1, 0, t->piece->at);
		sane = !apart || o->end == o->ts || (t->late && o->end <= t->piece->most);
	}
	if (t->depth == 1 && o->end < t->piece->start - old)
		sane = false;
	o->ts = o->ts > up->at ? o->ts : up->at;
	o->ts = o->ts < up->end ? o->ts : up->end;
	o->end = o->end > o->ts ? o->end : o->ts;
	o->end = o->end < up->end ? o->end : up->end;
	return sane;
}

/* Put the sample as an allocation, a counter or a zone. A sample without a marker is left out, but its children are not. */
static int
put_sample(struct data_tree *t, struct one *o, struct data_level *level)
{
	struct data_run *r = t->r;
	bool done = false;
	int rc = TT_OK;

	o->values = t->value.left ? data_list_next(r->u.b, &t->value, o->i) : NULL;
	o->values = o->values ? o->values + 4 : NULL;
	if (o->alloc)
		rc = take_alloc(t, o, &done);
	o->alloc = done;
	if (rc == TT_OK && o->counter)
		rc = take_counter(t, o);
	if (rc == TT_OK && o->label)
		rc = take_label(t, o);
	if (rc == TT_OK && t->flow[0].left)
		rc = put_flows(t, &t->flow[0], o, true);
	if (rc != TT_OK || o->root || o->alloc || o->counter)
		return rc;
	if (o->collect)
		rc = put_gc(r, o->ts, TT_GC_START);
	level->collect = o->collect;
	return rc == TT_OK ? put_zone(t, o, level) : rc;
}

/* Add the GPU's time for the sample from the entry at ${p}. A time that is too long is left out. */
static int
put_gpu(struct data_tree *t, const struct one *o, const uint8_t *p)
{
	struct data_run *r = t->r;
	const bool zone = r->level[t->depth - 1].zone;
	const uint64_t ns = unity_u32(p) < INT32_MAX ? unity_u32(p) * UINT64_C(1000) : 0;
	const uint32_t part = unity_u32(p + 8);
	int rc = TT_OK;

	if (ns > (uint64_t)t->piece->max_gpu_ns || part >= UNITY_MAX_GPU_PARTS) {
		tt_loss_add(&r->u.b->loss, TT_LOST_DAMAGED, 1, 0, t->piece->at);
		return TT_OK;
	}
	if (zone)
		rc = unity_gpu_anchor(&r->u, o->ts, o->key, 0, true);
	return rc == TT_OK ? unity_gpu(&r->u, o->ts, zone ? 0 : DATA_NO_ANCHOR, part, ns) : rc;
}

/* Add everything else that belongs to the sample, after its begin. */
static int
put_rest(struct data_tree *t, const struct one *o)
{
	const uint8_t *p;
	int rc = t->flow[1].left ? put_flows(t, &t->flow[1], o, false) : TT_OK;

	if (rc == TT_OK && t->gc.left)
		rc = put_allocs(t, o);
	while (rc == TT_OK && t->gpu.left && (p = data_list_next(t->r->u.b, &t->gpu, o->i)))
		rc = put_gpu(t, o, p);
	return rc;
}

/* Read sample ${i} and its position. *${sane} is false if it makes no sense. */
static int
look_at(struct data_tree *t, uint32_t i, struct one *o, bool *sane)
{
	const struct data_run *r = t->r;
	int rc;

	*sane = take_sample(t, i, o) && o->children < t->th.nsample - i;
	if (!*sane || (rc = take_marker(t, o)) != TT_OK)
		return *sane ? rc : TT_OK;
	*sane = !t->marker.bad && (i == 0 || t->depth > 0);
	/* The root of a thread has no time of its own. */
	o->root = o->root || i == 0;
	o->counter = o->counter || (t->l->rank >= 11 && r->h->marker.counters);
	*sane = *sane && (i == 0 || fit(t, o));
	return TT_OK;
}

/* Decode sample ${i}. *${sane} is false if it makes no sense. */
static int
sample(struct data_tree *t, uint32_t i, bool *sane)
{
	struct data_run *r = t->r;
	struct one o;
	int rc = tt_mem_grow(r->u.b->mem, &r->level, &r->caplevel, t->depth + 1, sizeof *r->level, r->u.err);

	if (rc != TT_OK || (rc = look_at(t, i, &o, sane)) != TT_OK || !*sane)
		return rc;
	const int64_t most = t->piece->most > r->last ? t->piece->most : r->last;
	struct data_level level = { .at = i ? o.ts : r->last, .end = i ? o.end : most, .left = o.children }, *up = i ? &r->level[t->depth - 1] : NULL;
	if ((rc = put_sample(t, &o, &level)) != TT_OK)
		return rc;
	if (up) {
		up->at = o.end;
		up->left--;
	}
	const bool plain = level.zone && !level.event && !level.collect;
	level.back = (uint32_t)(!plain ? t->depth : up->left ? t->depth - 1 : up->back);
	r->level[t->depth++] = level;
	if (level.zone)
		t->zones++;
	if (i > 0 || (o.ts >= t->piece->start - DATA_APART && o.ts <= t->piece->start + DATA_APART))
		tt_batch_time(r->u.b, o.ts);
	if (i > 0)
		tt_batch_time(r->u.b, o.end);
	return put_rest(t, &o);
}

int
data_close_levels(struct data_tree *t)
{
	struct data_run *r = t->r;
	int rc = TT_OK;

	if (t->depth == 0)
		return TT_OK;
	while (t->depth > 0 && rc == TT_OK && r->level[t->depth - 1].left == 0)
		rc = pop(t);
	if (t->depth == 0)
		r->last = r->level[0].at;
	return rc;
}

static int
open_lists(struct data_tree *t)
{
	const struct data_thread *th = &t->th;
	struct data_list *all[] = { &t->gpu, &t->instance, &t->gc, &t->value, &t->stack, &t->flow[0] };
	uint64_t strays = 0, repeats;
	int rc = TT_OK;

	t->gpu = (struct data_list){ .p = th->gpu, .left = th->ngpu, .size = DATA_GPU_SIZE, .key = 4 };
	t->instance = (struct data_list){ .p = th->instance, .left = t->r->u.b->needs & TT_NEEDS_ARGS ? th->ninstance : 0, .size = data_instance_size(t->l) };
	t->gc = (struct data_list){ .p = th->gc, .left = th->ngc, .size = DATA_GC_SIZE };
	t->value = (struct data_list){ .p = th->value, .left = th->nvalue };
	t->stack = (struct data_list){ .p = th->stack, .left = th->nstack, .size = data_stack_size(t->l) };
	t->flow[0] = (struct data_list){ .p = th->flow, .left = th->nflow, .size = DATA_FLOW_SIZE };
	for (size_t i = 0; i < sizeof all / sizeof *all && rc == TT_OK; i++) {
		all[i]->samples = th->nsample;
		if (all[i]->left)
			rc = data_list_open(t->r->u.b, all[i], t->r->u.err);
		strays += all[i]->strays;
	}
	t->flow[1] = t->flow[0];
	/* Instance ids are read only for some tables, but whether a capture is damaged must not depend on the tables. */
	struct data_list ids = { .p = th->instance, .left = th->ninstance, .size = data_instance_size(t->l), .samples = th->nsample };
	if (t->instance.left == 0) {
		data_list_count(&ids);
		strays += ids.strays;
		repeats = ids.repeats;
	} else {
		repeats = t->instance.repeats;
	}
	if (strays)
		tt_loss_add(&t->r->u.b->loss, TT_LOST_DAMAGED, 1, 0, t->piece->at);
	tt_loss_add(&t->r->u.b->loss, TT_LOST_METADATA, repeats + t->value.repeats, 0, t->piece->at);
	tt_loss_add(&t->r->u.b->loss, TT_LOST_VALUE_TYPES, t->value.odd, 0, t->piece->at);
	return rc;
}

/*
 * Check the records of allocations. Since 2018.3 an allocation is a sample of its own, GC.Alloc, with a record of its bytes. If a record belongs to another
 * sample, the record's number or the sample's name is damaged. Up to 2022.1 only a sample that is GC.Alloc shows that the thread has such samples. If the
 * sample has a value, that also contains the bytes.
 */
static void
check_allocs(const struct data_tree *t)
{
	const unsigned rank = t->l->rank;

	if (t->r->h->flags & DATA_H_LATE)
		return;               /* the definition of GC.Alloc may be missing */
	if (rank >= 4 && (t->differs || (t->apart > 0 && (rank >= 11 || t->nalloc > 0))))
		tt_loss_add(&t->r->u.b->loss, TT_LOST_DAMAGED, 1, 0, t->piece->at);
}

/* True if sample ${i} always has a value, as it is of a counter, or has its own text. ${marker} is at its marker, and afterwards at the next one. */
static bool
needs_value(const struct data_tree *t, uint32_t i, struct data_take *marker)
{
	struct data_run *r = t->r;
	struct data_marker m;

	if (t->l->rank < 11)
		return data_take_named(t->l, marker, &m) && (m.flags & UNITY_MARKER_COUNTER || is_label(&m));
	const uint32_t id = unity_u32(t->th.sample + (size_t)i * data_sample_size(t->l));
	if (id == DATA_NO_MARKER || unity_is_label(&r->h->marker, id))
		return id != DATA_NO_MARKER;
	unity_lock(&r->u);
	return unity_is_counter(r->u.known, 0, id, r->u.seq, &(uint32_t){ 0 });
}

/* True if the first of the values in ${l}, which are sorted, belong to the root. */
static bool
is_of_root(const struct data_list *l)
{
	const uint8_t *p = l->p;

	for (uint32_t left = l->left; left > 0 && unity_u32(p) == 0; left--, p = data_list_after(l, p))
		if (unity_u32(p + 4) > 0)
			return true;
	return false;
}

/*
 * Check that values belong to their samples. A value whose sample number is damaged belongs to another sample: then the list is unsorted, or a sample has
 * values twice, or the root has some. Each of these also occurs in an intact list, but then no sample lacks the value that it always has.
 */
static int
check_values(struct data_tree *t)
{
	struct data_list all = { .p = t->th.value, .left = t->th.nvalue, .samples = t->th.nsample };
	struct data_take marker = { .p = t->th.marker, .end = t->th.end };
	bool is_missing = false;

	/* Strays are counted when they are read. */
	if (t->th.nvalue == 0 || t->value.strays || !(t->value.unsorted || t->value.repeats || is_of_root(&all)))
		return TT_OK;
	const int rc = data_list_open(t->r->u.b, &all, t->r->u.err);
	for (uint32_t i = 0; i < t->th.nsample && rc == TT_OK && !is_missing; i++)
		is_missing = needs_value(t, i, &marker) && !data_list_next(t->r->u.b, &all, i);
	if (is_missing)
		tt_loss_add(&t->r->u.b->loss, TT_LOST_DAMAGED, 1, 0, t->piece->at);
	return rc;
}

int
data_samples(struct data_tree *t, bool *sane)
{
	const struct data_piece *piece = t->piece;
	/* The markers have ids, times are in ns, and the first sample does not begin long before the frame. */
	const bool plain = t->l->rank >= 11 && piece->first >= piece->start - DATA_FARTHEST;
	int rc = open_lists(t);

	for (uint32_t i = 0; i < t->th.nsample && rc == TT_OK; i++) {
		if (i > 0 && plain && ((rc = data_plain_samples(t, &i)) != TT_OK || i == t->th.nsample))
			break;
		rc = sample(t, i, sane);
		if (!*sane)
			return rc;
		TT_THEN(rc, data_close_levels(t));
	}
	*sane = t->depth == 0;
	if (!*sane || rc != TT_OK)
		return rc;
	/* A sample has a damaged marker number. */
	if (t->undefined)
		tt_loss_add(&t->r->u.b->loss, TT_LOST_DAMAGED, 1, 0, piece->at);
	check_allocs(t);
	return check_values(t);
}

int
data_sample_labels(struct data_run *r, const struct data_thread *th)
{
	struct data_tree t = { .r = r, .l = &r->h->layout, .th = *th };
	struct data_list values = { .p = th->value, .left = th->nvalue };
	int rc = TT_OK;

	for (; values.left > 0 && rc == TT_OK; values.p = data_list_after(&values, values.p), values.left--) {
		struct one o = { .i = unity_u32(values.p), .values = values.p + 4 };
		if (o.i >= th->nsample)
			continue;
		o.id = unity_u32(th->sample + (size_t)o.i * data_sample_size(t.l));
		if (unity_is_label(&r->h->marker, o.id))
			rc = take_label(&t, &o);
	}
	return rc;
}

/**
 * Decodes one chunk: a thread in some records, or definitions. Pure: it reads the chunk and the opened capture, and changes neither.
 *
 * Samples are in the order of their begins, each with the number of its children. Durations are floats, so children may end a little after their parent: they
 * are cut to its end. If samples do not add up, or are far outside of their parent or their frame, it is unknown which one is wrong: the thread is left out of
 * that record, and counted in the batch's ledger. The only error is lack of memory.
 */
#include "data/list.h"

#include "model/zones.h"

/* An open sample. */
struct data_level {
	int64_t at, end;              /* the end of its last child, or its begin; its own end. The root has no end */
	uint32_t left;                /* children that follow */
	uint32_t event;               /* index + 1 of its begin, if its end is an event of its own */
	bool zone;                    /* it is a zone, and so a level in the model */
	bool collect;                 /* it is a collection */
	bool plain;                   /* a zone whose end only ends it: no event, no collection */
};

/* --- a thread in a record ----------------------------------------------------------------------------------- */

struct tree {
	struct data_run *r;
	const struct data_layout *l;
	const struct data_piece *piece;
	struct data_thread th;
	struct data_take marker;      /* of samples, before 2022.2 */
	struct data_list gpu, instance, gc, value, stack, flow[2];
	uint32_t stacks;              /* number of stacks of allocations */
	size_t depth;                 /* open samples; the root is level 0 */
	size_t zones;                 /* number of these that are zones */
	bool late;                    /* its first sample begins before the last one of the record before has ended */
};

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
take_sample(const struct tree *t, uint32_t i, struct one *o)
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
	/* A duration is less than a year; the comparison also rejects NaN. */
	if (!(dur >= 0 && dur < 3.2e16f) || o->ts > INT64_MAX / 4 || o->ts < -INT64_MAX / 4)
		return false;
	o->end = o->ts + (l->rank >= 8 ? (int64_t)(dur + 0.5f) : (int64_t)((double)dur * 1000 + 0.5));
	return true;
}

static bool
is(const struct data_marker *m, const char *name)
{
	return strlen(name) == m->nname && memcmp(m->name, name, m->nname) == 0;
}

/* Find the sample's marker: its key, its flags, and whether it is an allocation, a collection, a label or a counter. */
static int
take_marker(struct tree *t, struct one *o)
{
	struct data_run *r = t->r;
	const struct unity_markers *known = &r->h->marker;
	struct data_marker m;

	if (t->l->rank >= 11) {
		o->root = o->id == DATA_NO_MARKER;
		o->key = unity_key(&r->u, o->id);
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
	o->label = is(&m, "Profiler.Default") || is(&m, "Profiler.DefaultMarker");
	o->counter = m.flags & UNITY_MARKER_COUNTER;
	return data_define_named(r, &m, &o->key, &o->id);
}

/* Take the value at ${p}; returns the place of the next one. */
static const uint8_t *
take_value(const uint8_t *p, struct unity_value *v)
{
	const uint32_t n = unity_u32(p + 4);

	*v = (struct unity_value){ .type = unity_u32(p) & 0xff, .p = p + 8, .n = n };
	const unsigned size = unity_value_size(v->type);
	if (size && size != n)
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
put_args(struct tree *t, const struct one *o, size_t at)
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
put_flows(struct tree *t, struct data_list *l, const struct one *o, bool next)
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
put_alloc(struct tree *t, const struct one *o, uint64_t key, uint64_t bytes)
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

/* Put the allocations that the sample made; it is not one itself. */
static int
put_allocs(struct tree *t, const struct one *o)
{
	struct data_run *r = t->r;
	const uint64_t key = unity_key(&r->u, UNITY_NO_MARKER);
	const uint8_t *p;
	int rc = TT_OK;

	while (rc == TT_OK && (p = data_list_next(r->u.b, &t->gc, o->i))) {
		rc = put_alloc(t, o, key, unity_u32(p + 4));
		if (rc == TT_OK)
			rc = unity_define_alloc(&r->u, key);
	}
	return rc;
}

/* Take GC.Alloc with its bytes as an allocation, not as a zone. *${done} is false if it has no bytes. */
static int
take_alloc(struct tree *t, const struct one *o, bool *done)
{
	const uint8_t *p = data_list_next(t->r->u.b, &t->gc, o->i);
	struct unity_value v;
	uint64_t bytes = p ? unity_u32(p + 4) : 0;

	*done = p || (first_value(o, &v) && unity_alloc_bytes(&v, &bytes));
	return *done ? put_alloc(t, o, o->key, bytes) : TT_OK;
}

static int
take_counter(struct tree *t, struct one *o)
{
	struct data_run *r = t->r;
	struct unity_value v;
	enum tt_type type;
	uint64_t bits;

	if (!first_value(o, &v) || !unity_number(&v, &type, &bits)) {
		o->counter = false;
		return TT_OK;
	}
	if (t->l->rank >= 11) {
		unity_lock(&r->u);
		o->counter = unity_is_counter(r->u.known, 0, o->id, r->u.seq);
	}
	return o->counter ? unity_counter_event(&r->u, o->ts, UNITY_COUNTER(0, o->id), type, bits) : TT_OK;
}

static int
take_label(struct tree *t, struct one *o)
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
depth_of(const struct tree *t)
{
	return t->zones < UINT16_MAX ? (uint16_t)t->zones : UINT16_MAX;
}

/* Put the zone's begin and, if it is too long for one event, its end. */
static int
put_zone(struct tree *t, const struct one *o, struct data_level *level)
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
pop(struct tree *t)
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
 * Keep the sample inside its parent and after the sample before it. False if it is so far outside that a time is damaged. Samples without length are never
 * damaged, and a sample that overlaps the record before is moved after it.
 */
static bool
fit(struct tree *t, struct one *o)
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
put_sample(struct tree *t, struct one *o, struct data_level *level)
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

/* Put what else belongs to the sample, after its begin. */
static int
put_rest(struct tree *t, const struct one *o)
{
	struct data_run *r = t->r;
	const uint8_t *p;
	int rc = t->flow[1].left ? put_flows(t, &t->flow[1], o, false) : TT_OK;

	if (rc == TT_OK && t->gc.left)
		rc = put_allocs(t, o);
	while (rc == TT_OK && t->gpu.left && (p = data_list_next(r->u.b, &t->gpu, o->i))) {
		const bool zone = r->level[t->depth - 1].zone;
		if (zone && (rc = unity_gpu_anchor(&r->u, o->ts, o->key, 0)) != TT_OK)
			return rc;
		rc = unity_gpu(&r->u, o->ts, zone ? 0 : DATA_NO_ANCHOR, unity_u32(p + 8), unity_u32(p) < INT32_MAX ? unity_u32(p) * UINT64_C(1000) : 0);
	}
	return rc;
}

/* Read sample ${i} and its position. *${sane} is false if it makes no sense. */
static int
look_at(struct tree *t, uint32_t i, struct one *o, bool *sane)
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
sample(struct tree *t, uint32_t i, bool *sane)
{
	struct data_run *r = t->r;
	struct one o;
	int rc = tt_mem_grow(r->u.b->mem, &r->level, &r->caplevel, t->depth + 1, sizeof *r->level, r->u.err);

	if (rc != TT_OK || (rc = look_at(t, i, &o, sane)) != TT_OK || !*sane)
		return rc;
	const int64_t most = t->piece->most > r->last ? t->piece->most : r->last;
	struct data_level level = { .at = i ? o.ts : r->last, .end = i ? o.end : most, .left = o.children };
	if ((rc = put_sample(t, &o, &level)) != TT_OK)
		return rc;
	level.plain = level.zone && !level.event && !level.collect;
	r->level[t->depth++] = level;
	if (level.zone)
		t->zones++;
	if (i > 0 || (o.ts >= t->piece->start - DATA_APART && o.ts <= t->piece->start + DATA_APART))
		tt_batch_time(r->u.b, o.ts);
	if (i > 0)
		tt_batch_time(r->u.b, o.end);
	return put_rest(t, &o);
}

/* Close the levels without further children. */
static int
close_levels(struct tree *t)
{
	struct data_run *r = t->r;
	int rc = TT_OK;

	while (t->depth > 0 && rc == TT_OK && r->level[t->depth - 1].left == 0) {
		const struct data_level *x = &r->level[t->depth - 1];
		const int64_t end = t->depth > 1 ? x->end : x->at;
		rc = pop(t);
		if (t->depth == 0) {
			r->last = end;
			break;
		}
		r->level[t->depth - 1].at = end;
		r->level[t->depth - 1].left--;
	}
	return rc;
}

/* The next sample to which something other than a flow belongs. */
static uint32_t
next_listed(struct tree *t, uint32_t i)
{
	struct data_list *const all[] = { &t->gpu, &t->instance, &t->gc, &t->value };
	uint32_t next = UINT32_MAX;

	for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
		const uint32_t head = all[k]->left ? data_list_head(t->r->u.b, all[k], i) : UINT32_MAX;
		next = head < next ? head : next;
	}
	return next;
}

/* Put the flow that binds to sample ${i}, at ${ts}. *${done} is false if there are several, or its kind is another one. */
static int
plain_flow(struct tree *t, uint32_t i, int64_t ts, bool *done)
{
	struct data_list *l = &t->flow[0];
	const uint32_t kind = l->p ? unity_u32(l->p + 8) : 0;

	*done = (kind == TT_FLOW_PARALLEL || kind == TT_FLOW_SEQUENTIAL) && (l->left == 1 || unity_u32(l->p + DATA_FLOW_SIZE) != i);
	if (!*done)
		return TT_OK;
	struct tt_event *e = tt_batch_rare(t->r->u.b, TT_FLOW, ts, unity_u32(l->p + 4), t->r->u.err);
	if (!e)
		return t->r->u.err->code;
	e->depth = (uint16_t)kind;
	e->flags = TT_F_NEXT;
	l->p += DATA_FLOW_SIZE;
	l->left--;
	return TT_OK;
}

/* True if the marker is more than a zone, or is none. */
static bool
is_special(const struct unity_markers *m, uint32_t id)
{
	return id == DATA_NO_MARKER || id == m->alloc || id == m->collect || unity_is_label(m, id);
}

/* Fill data_run.special. */
static void
note_special(struct data_run *r)
{
	const struct unity_markers *m = &r->h->marker;
	const uint32_t special[] = { DATA_NO_MARKER, m->alloc, m->collect, m->label[0], m->label[1] };

	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		r->special[special[i] % DATA_SPECIAL] = true;
}

/* A zone with an ordinary name and no metadata, which is decoded on the fast path. */
struct plain {
	int64_t ts, end;
	uint32_t id, children;
};

/* True if the sample at ${p}, followed by ${left} samples of its thread, is such a zone, inside ${up}. */
static inline __attribute__((always_inline)) bool
is_plain(const struct data_run *r, const struct data_level *up, const uint8_t *p, uint32_t left, uint64_t zero, struct plain *z)
{
	const uint32_t bits = unity_u32(p + 4);
	float dur;

	memcpy(&dur, &bits, 4);
	*z = (struct plain){ .id = unity_u32(p), .children = unity_u32(p + 16), .ts = (int64_t)(unity_u64(p + 8) - zero) };
	if (!(dur >= 0 && dur < 4e9f) || z->children >= left || z->ts < up->at || z->ts >= up->end)
		return false;
	z->end = z->ts + (int64_t)(dur + 0.5f);
	return z->end <= up->end && !(r->special[z->id % DATA_SPECIAL] && is_special(&r->h->marker, z->id));
}

/* The sample before which a row from ${i} on must end: ${stop}, and if flows are unsorted, the sample of the next one. */
static uint32_t
row_stop(struct tree *t, uint32_t i, uint32_t stop)
{
	for (unsigned k = 0; k < 2; k++) {
		const uint32_t flow = t->flow[k].p ? UINT32_MAX : data_list_head(t->r->u.b, &t->flow[k], i);
		stop = flow < stop ? flow : stop;
	}
	return stop;
}

/*
 * Decode consecutive plain zones, with at most one flow each: from sample *${from} on, before ${stop}, as many as there is room for. *${from}: the next sample.
 * True if that one is not plain, or is ${stop}.
 *
 * Whether a sample has children is unpredictable, and a wrong guess costs the processor more than all else. So each sample is written as the next level, which
 * is kept only if it has children. Unless the run ${keeps} its zones, they are only checked.
 */
static inline __attribute__((always_inline)) bool
plain_run(struct tree *t, uint32_t *from, uint32_t stop, const bool keeps, int *rc)
{
	struct data_run *r = t->r;
	struct tt_batch *b = r->u.b;
	const uint64_t keys = unity_key(&r->u, 0), zero = (uint64_t)r->h->zero;
	const size_t others = t->depth - t->zones;    /* the outermost levels, no zones; all others are */
	struct data_level *const level = r->level, *const ground = level + others, *up = level + t->depth - 1;
	const struct data_level *const deepest = r->caplevel < others + UINT16_MAX ? level + r->caplevel - 1 : ground + UINT16_MAX - 1;
	const uint32_t n = t->th.nsample;
	uint32_t i = *from, flow = data_list_head(b, &t->flow[0], i);
	const uint8_t *p = t->th.sample + (size_t)i * 20;
	struct tt_event *e = b->ev + b->n, *full = b->ev + b->cap - 4;
	bool done;

	for (stop = row_stop(t, i, stop); i < stop && e <= full; i++, p += 20) {
		struct plain z;

		if (up >= deepest || !is_plain(r, up, p, n - i, zero, &z))
			break;
		if (keeps && i == flow) {
			b->n = (size_t)(e - b->ev);
			if ((*rc = plain_flow(t, i, z.ts, &done)) != TT_OK || !done)
				break;
			flow = data_list_head(b, &t->flow[0], i + 1);
			e = b->ev + b->n;
			full = b->ev + b->cap - 4;
		}
		if (keeps) {
			e->ts = z.ts;
			e->val = keys | z.id;
			e->dur = (uint32_t)(z.end - z.ts);
			e->depth = (uint16_t)(up + 1 - ground);
			e->kind = TT_ZONE;
			e->flags = 0;
			e++;
		}
		if (up == level) {
			r->from = z.ts < r->from ? z.ts : r->from;
			tt_batch_time(b, z.ts);
			tt_batch_time(b, z.end);
		}
		const bool has = z.children > 0;
		up[1] = (struct data_level){ .at = z.ts, .end = z.end, .left = z.children, .zone = true, .plain = true };
		up->at = has ? up->at : z.end;
		up->left -= !has;
		up += has;
		for (; up->left == 0 && up->plain; up--) {
			up[-1].at = up->end;
			up[-1].left--;
		}
		if (up->left == 0) {
			i++;
			break;
		}
	}
	b->n = (size_t)(e - b->ev);
	t->depth = (size_t)(up - level) + 1;
	t->zones = t->depth - others;
	if (up->left == 0)
		*rc = close_levels(t);
	b->nzone += i - *from;
	r->calls += 2 * (uint64_t)(i - *from);
	done = *rc != TT_OK || b->cap - b->n >= 4;
	*from = i;
	return done;
}

/* Decode consecutive plain samples from *${i} on; *${i}: the first other one. */
static int
plain_samples(struct tree *t, uint32_t *i)
{
	const uint32_t n = t->th.nsample, listed = next_listed(t, *i), stop = listed < n ? listed : n;
	int rc = TT_OK;

	while (*i < stop && t->depth > 0 && rc == TT_OK) {
		const uint32_t before = *i;
		if ((rc = tt_batch_room(t->r->u.b, 64, t->r->u.err)) != TT_OK)
			break;
		const bool over = t->r->checks ? plain_run(t, i, stop, false, &rc) : plain_run(t, i, stop, true, &rc);
		if (over && *i == before)
			break;
	}
	return rc;
}

static int
open_lists(struct tree *t)
{
	const struct data_thread *th = &t->th;
	struct data_list *all[] = { &t->gpu, &t->instance, &t->gc, &t->value, &t->stack, &t->flow[0] };
	int rc = TT_OK;

	t->gpu = (struct data_list){ .p = th->gpu, .left = th->ngpu, .size = DATA_GPU_SIZE, .key = 4 };
	t->instance = (struct data_list){ .p = th->instance, .left = t->r->u.b->needs & TT_NEEDS_ARGS ? th->ninstance : 0, .size = data_instance_size(t->l) };
	t->gc = (struct data_list){ .p = th->gc, .left = th->ngc, .size = DATA_GC_SIZE };
	t->value = (struct data_list){ .p = th->value, .left = th->nvalue };
	t->stack = (struct data_list){ .p = th->stack, .left = th->nstack, .size = data_stack_size(t->l) };
	t->flow[0] = (struct data_list){ .p = th->flow, .left = t->r->checks ? 0 : th->nflow, .size = DATA_FLOW_SIZE };
	for (size_t i = 0; i < sizeof all / sizeof *all && rc == TT_OK; i++)
		rc = all[i]->left ? data_list_open(t->r->u.b, all[i], t->r->u.err) : TT_OK;
	t->flow[1] = t->flow[0];
	return rc;
}

static void
tally_thread(struct data_run *r, const struct data_thread *th)
{
	data_tally(r, DATA_T_THREAD, 1);
	data_tally(r, DATA_T_SAMPLE, th->nsample);
	data_tally(r, DATA_T_GC, th->ngc);
	data_tally(r, DATA_T_GPU, th->ngpu);
	data_tally(r, DATA_T_INSTANCE, th->ninstance);
	data_tally(r, DATA_T_VALUE, th->nvalue);
	data_tally(r, DATA_T_STACK, th->nstack);
	data_tally(r, DATA_T_FLOW, th->nflow);
}

/* Decode samples one after the other; *${sane} is false if they do not add up. */
static int
samples(struct tree *t, bool *sane)
{
	const struct data_piece *piece = t->piece;
	/* Markers have ids, times are in ns, and the first sample does not begin long before the frame. */
	const bool plain = t->l->rank >= 11 && piece->first >= piece->start - DATA_FARTHEST;
	int rc = TT_OK;

	for (uint32_t i = 0; i < t->th.nsample && rc == TT_OK; i++) {
		if (i > 0 && plain && ((rc = plain_samples(t, &i)) != TT_OK || i == t->th.nsample))
			break;
		rc = sample(t, i, sane);
		if (!*sane)
			return rc;
		if (rc == TT_OK)
			rc = close_levels(t);
	}
	*sane = t->depth == 0;
	return rc;
}

/* The state of a batch and a run, to go back to. */
struct place { size_t n, nrare; uint64_t nzone, nalloc, alloc_b, calls; int64_t min_ts, max_ts, last, from; };

static struct place
here(const struct data_run *r)
{
	const struct tt_batch *b = r->u.b;

	return (struct place){ b->n, b->nrare, b->nzone, b->nalloc, b->alloc_b, r->calls, b->min_ts, b->max_ts, r->last, r->from };
}

/* Drop everything put since ${was}. */
static void
back_to(struct data_run *r, const struct place *was)
{
	struct tt_batch *b = r->u.b;

	b->n = was->n;
	b->nrare = was->nrare;
	b->nzone = was->nzone;
	b->nalloc = was->nalloc;
	b->alloc_b = was->alloc_b;
	b->min_ts = was->min_ts;
	b->max_ts = was->max_ts;
	r->calls = was->calls;
	r->last = was->last;
	r->from = was->from;
}

static int
put_gap(struct data_run *r, int64_t ts)
{
	struct tt_event *e = tt_batch_rare(r->u.b, TT_GAP, ts, 0, r->u.err);

	if (!e)
		return r->u.err->code;
	e->flags = TT_F_CONT;
	return TT_OK;
}

/* Decode a thread in a record. If its samples do not add up, in number or in time, none is kept; on the main thread, the frame is then not whole. */
static int
thread(struct data_run *r, const struct data_piece *piece, const uint8_t *p, size_t n, bool *sane)
{
	struct tree t = { .r = r, .l = &r->h->layout, .piece = piece };
	struct data_take take = { .p = p, .end = p + n, .from = p };
	struct tt_batch *b = r->u.b;
	const struct place was = here(r);

	*sane = true;
	data_walk_thread(t.l, &take, &t.th);
	t.marker = (struct data_take){ .p = t.th.marker, .end = t.th.end };
	t.late = piece->first < r->last;
	tally_thread(r, &t.th);
	int rc = open_lists(&t);
	/* The main thread's samples must not continue after its next frame began. */
	if (r->h->flags & DATA_H_MAIN && t.late && piece->first >= piece->start - DATA_APART && piece->first < r->last - DATA_APART)
		*sane = false;
	if (rc == TT_OK && *sane)
		rc = samples(&t, sane);
	if (rc == TT_OK && *sane && t.th.nstack > t.stacks)
		tt_loss_add(&b->loss, TT_LOST_ZONE_STACKS, t.th.nstack - t.stacks, (uint64_t)(t.th.nstack - t.stacks) * data_stack_size(t.l), piece->at);
	if (rc != TT_OK || *sane)
		return rc;
	back_to(r, &was);
	tt_loss_add(&b->loss, TT_LOST_DAMAGED, 1, (uint64_t)t.th.nsample * data_sample_size(t.l), piece->at);
	return r->h->flags & DATA_H_MAIN ? put_gap(r, piece->start) : TT_OK;
}

/* Take only the names that values of samples define. */
static int
labels(struct data_run *r, const uint8_t *p, size_t n)
{
	struct tree t = { .r = r, .l = &r->h->layout };
	struct data_take take = { .p = p, .end = p + n, .from = p };
	struct data_list values;
	int rc = TT_OK;

	data_walk_thread(t.l, &take, &t.th);
	values = (struct data_list){ .p = t.th.value, .left = t.th.nvalue };
	for (; values.left > 0 && rc == TT_OK; values.p = data_list_after(&values, values.p), values.left--) {
		struct one o = { .i = unity_u32(values.p), .values = values.p + 4 };
		if (o.i >= t.th.nsample)
			continue;
		o.id = unity_u32(t.th.sample + (size_t)o.i * data_sample_size(t.l));
		if (unity_is_label(&r->h->marker, o.id))
			rc = take_label(&t, &o);
	}
	return rc;
}

/* Take only the names that the thread defines and, on the main thread, whether its samples make sense: that decides which frames are whole. */
static int
pass_over(struct data_run *r, const struct data_piece *piece, const uint8_t *p, size_t n)
{
	const struct place was = here(r);
	bool sane = false;

	r->checks = true;
	int rc = r->h->flags & DATA_H_MAIN ? thread(r, piece, p, n, &sane) : TT_OK;

	if (sane)
		back_to(r, &was);
	return rc == TT_OK && !sane ? labels(r, p, n) : rc;
}

/* --- the chunk --------------------------------------------------------------------------------------------- */

/* Begin a frame on this thread. */
static int
frame(struct data_run *r, const struct data_piece *piece)
{
	struct tt_batch *b = r->u.b;
	struct tt_event *e;
	int rc = TT_OK;

	if (piece->flags & DATA_P_GAP)
		rc = put_gap(r, piece->gap);
	if (rc == TT_OK && !tt_batch_rare(b, TT_FRAME, piece->start, piece->id, r->u.err))
		rc = r->u.err->code;
	if (rc == TT_OK && piece->gpu_us && piece->gpu_us < INT32_MAX) {
		if (!(e = tt_batch_rare(b, TT_TIMING, piece->start, piece->gpu_us * UINT64_C(1000), r->u.err)))
			return r->u.err->code;
		e->depth = TT_TIMING_GPU;
	}
	if (rc == TT_OK && piece->flags & DATA_P_EMPTY)
		rc = put_gap(r, piece->start);
	tt_batch_time(b, piece->start);
	data_tally(r, DATA_T_FRAME, 1);
	return rc;
}

/* Put the thread, with its name. */
static int
begin_thread(struct data_run *r, const struct data_piece *piece, const uint8_t *p)
{
	struct data_take take = { .p = p + piece->nstats, .end = p + piece->len, .from = p };
	struct tt_batch *b = r->u.b;
	struct data_thread th;

	data_walk_thread(&r->h->layout, &take, &th);
	struct tt_def d = { .kind = TT_DEF_THREAD, .ts = piece->start, .key = b->tid, .text = th.name, .len = th.nname, .text2 = th.group,
		.len2 = th.ngroup };
	tt_batch_time(b, piece->start);
	int rc = tt_batch_def(b, &d, r->u.err);
	return rc != TT_OK ? rc : tt_batch_rare(b, TT_THREAD, piece->start, b->tid, r->u.err) ? TT_OK : r->u.err->code;
}

static int
end_thread(struct data_run *r)
{
	struct tt_event *e = tt_batch_rare(r->u.b, TT_THREAD, r->h->ends, r->u.b->tid, r->u.err);

	if (!e)
		return r->u.err->code;
	e->flags = TT_F_END;
	return TT_OK;
}

static int
statistics(struct data_run *r, const struct data_piece *piece, const uint8_t *p)
{
	return piece->nstats ? unity_stats(&r->u, piece->start, r->h->layout.rank, r->h->marker.counters, p, piece->nstats / 4) : TT_OK;
}

int
data_decode(const void *ctx, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err)
{
	const struct data *m = ctx;
	const struct data_head *h = (const struct data_head *)(const void *)c->bytes;
	const struct data_piece *piece = (const struct data_piece *)(const void *)(h + 1);
	const uint8_t *p = c->bytes + h->front;
	struct data_run r = { .h = h, .last = b->base ? b->base->last_ts : INT64_MIN / 4, .from = INT64_MAX,
		.u = { .known = &m->known, .b = b, .err = err, .seq = c->seq, .categories = h->categories } };
	const bool defines = h->flags & DATA_H_DEFINES, skim = b->needs & TT_SKIM && data_skims(m->cap, &h->layout);
	int rc = TT_OK;

	b->tid = c->tid;
	b->at = c->at;
	b->bytes = c->len;
	note_special(&r);
	if (h->flags & DATA_H_FIRST)
		rc = begin_thread(&r, piece, p);
	if (h->flags & DATA_H_ENDS)
		rc = end_thread(&r);
	for (uint32_t i = 0; i < h->npiece && rc == TT_OK; p += piece[i++].len) {
		const uint32_t stats = piece[i].nstats;
		if (defines) {
			rc = data_define(&r, &piece[i], p);
			continue;
		}
		if (h->flags & DATA_H_MAIN)
			rc = frame(&r, &piece[i]);
		if (rc == TT_OK && !skim)
			rc = statistics(&r, &piece[i], p);
		if (rc == TT_OK)
			rc = (skim ? pass_over(&r, &piece[i], p + stats, piece[i].len - stats) :
			    thread(&r, &piece[i], p + stats, piece[i].len - stats, &(bool){ true }));
	}
	unity_run_end(&r.u);
	tt_mem_free(b->mem, r.level, r.caplevel * sizeof *r.level);
	b->late = !defines && b->ndef > 0;
	if (r.calls) {
		b->stack_from = r.from;
		b->stack_ts = r.last;
		b->nstack += r.calls;
	}
	return rc;
}

const char *
data_tag_name(unsigned tag)
{
	static const char *const name[DATA_TAGS] = { [DATA_T_FRAME] = "frame", [DATA_T_THREAD] = "thread in a frame", [DATA_T_SAMPLE] = "sample",
		[DATA_T_GC] = "allocation", [DATA_T_GPU] = "GPU sample", [DATA_T_INSTANCE] = "instance id", [DATA_T_VALUE] = "metadata",
		[DATA_T_STACK] = "call stack", [DATA_T_FLOW] = "flow", [DATA_T_MARKER] = "marker", [DATA_T_CODE] = "compiled method",
		[DATA_T_CATEGORY] = "category" };

	return tag < DATA_TAGS ? name[tag] : NULL;
}

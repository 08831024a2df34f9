/**
 * Decodes one chunk: samples, frames, allocations, flows, counters. Pure: it reads the chunk and the opened capture, and changes neither.
 *
 * The bytes may be wrong: nonsense is counted in the batch's ledger, with the rest of its block; the only error is lack of memory.
 */
#include "raw/raw.h"

#include "model/zones.h"

#define unlikely(x) __builtin_expect(!!(x), 0)

enum { EVENTS_RESERVED = 64 };                           /* events for which there is room before messages are read */

/* Return the time of a message without a time: that of the previous message. */
static int64_t
now(const struct raw_run *r)
{
	return r->last != INT64_MIN ? r->last : r->h->before != INT64_MIN ? r->h->before : 0;
}

static struct tt_event *
rare(struct raw_run *r, enum tt_kind kind, uint64_t val)
{
	return tt_batch_rare(r->u.b, kind, now(r), val, r->u.err);
}

/* --- values --------------------------------------------------------------------------------------------------- */

/* Add the sample's instance id or values as arguments of the event at ${of}. */
static int
put_args(struct raw_run *r, size_t of, unsigned type, struct raw_take t)
{
	struct unity_value v = { .type = UNITY_V_INSTANCE };
	int rc = TT_OK;

	if (!(r->u.b->needs & TT_NEEDS_ARGS) || type < RAW_BEGIN_ID)
		return TT_OK;
	if (type < RAW_BEGIN_ARGS) {
		v.bits = r->s->layout.wide ? raw_take64(&t) : raw_take32(&t);
		v.type = r->s->layout.wide ? UNITY_V_I64 : UNITY_V_INSTANCE;
		return v.bits ? unity_put_id(&r->u, of, &v) : TT_OK;
	}
	for (unsigned n = raw_take_byte(&t); n > 0 && rc == TT_OK && t.state == RAW_WHOLE; n--) {
		raw_take_value(&t, &v);
		if (t.state == RAW_WHOLE)
			rc = unity_put_arg(&r->u, of, &v);
	}
	return rc;
}

/* Read the first value. False: there are no values. */
static bool
first_value(unsigned type, struct raw_take t, struct unity_value *v)
{
	if (type < RAW_BEGIN_ARGS || raw_take_byte(&t) == 0)
		return false;
	raw_take_value(&t, v);
	return t.state == RAW_WHOLE;
}

/* --- samples --------------------------------------------------------------------------------------------------- */

static void
count_call(struct raw_run *r, int64_t ts)
{
	r->call_ts = ts;
	r->calls++;
}

static int
begin(struct raw_run *r, int64_t ts, uint64_t key, unsigned type, const struct raw_take *t)
{
	int rc = tt_batch_room(r->u.b, 4, r->u.err);
	size_t at = r->u.b->n;

	if (rc != TT_OK)
		return rc;
	tt_zone_begin(r->u.b, ts, key, 0);
	count_call(r, ts);
	return put_args(r, at, type, *t);
}

static int
end(struct raw_run *r, int64_t ts, uint64_t key)
{
	struct tt_batch *b = r->u.b;
	int rc;

	if (b->depth > 0 || !r->emptied)
		count_call(r, ts);
	if (r->emptied && !tt_zone_is_open(b, key))
		return raw_end_alone(r, ts, key);
	rc = tt_batch_room(b, 4, r->u.err);
	return rc == TT_OK ? tt_zone_end(b, ts, key, 0, r->u.err) : rc;
}

/*
 * Close all open zones, because a root sample begins or ends on this thread. The root is not a zone: it covers the thread's frame, and its time is nobody's
 * work.
 */
static int
close_all(struct raw_run *r, int64_t ts)
{
	struct tt_batch *b = r->u.b;
	struct tt_event *e;
	int rc;

	/* Usually there are no open zones. */
	if (b->depth > 0 && ((rc = tt_zone_note_popped(b, ts, 0, r->at, r->u.err)) != TT_OK || (rc = tt_zone_cut(b, ts, r->u.err)) != TT_OK))
		return rc;
	if (r->emptied)
		return TT_OK;
	if (!(e = rare(r, TT_GAP, 0)))
		return r->u.err->code;
	e->flags = TT_F_POPPED;
	r->emptied = true;
	if (b->base)
		b->base->n = 0;
	return TT_OK;
}

static int
root(struct raw_run *r, int64_t ts)
{
	count_call(r, ts);
	return close_all(r, ts);
}

static int
alloc(struct raw_run *r, uint64_t key, uint64_t bytes)
{
	size_t at;
	int rc = unity_alloc(&r->u, now(r), key, bytes, r->u.b->depth, &at);

	r->alloc = rc == TT_OK ? at + 1 : 0;
	return rc;
}

/* The number of values of the sample of ${type}. */
static unsigned
count_values(unsigned type, struct raw_take t)
{
	return type < RAW_BEGIN_ARGS ? 0 : raw_take_byte(&t);
}

/* GC.Alloc with a size is an allocation, not a zone, and its end is ignored. Without a size it is an ordinary zone. */
static bool
alloc_bytes(unsigned type, const struct raw_take *t, uint64_t *bytes)
{
	struct unity_value v;

	return first_value(type, *t, &v) && unity_alloc_bytes(&v, bytes);
}

/* Find the key of a zone that one of its values, ${v}, names; *${named} is false if no value names it. */
static int
label(struct raw_run *r, uint32_t id, struct raw_take t, struct unity_value v[3], uint64_t *key, bool *named)
{
	unsigned n = raw_take_byte(&t);

	n = n < 3 ? n : 3;
	for (unsigned i = 0; i < n; i++)
		raw_take_value(&t, &v[i]);
	return unity_label(&r->u, id, v, t.state == RAW_WHOLE ? n : 0, key, named);
}

/* True if an end of marker ${id} ends a zone of ${key}: a zone of the marker with its own name, or a plain zone of the marker. */
static bool
is_ended_by(const struct raw_run *r, uint64_t key, uint32_t id)
{
	return key >> 44 == (UNITY_KEY_LABEL >> 44 | (id & 0xffff)) || key == unity_key(&r->u, id);
}

/*
 * Return the key of the innermost open zone that an end of marker ${id} ends; 0: no such zone. It may have begun before the chunk, if those zones are known
 * here.
 */
static uint64_t
label_open(const struct raw_run *r, uint32_t id)
{
	const struct tt_batch *b = r->u.b;
	enum { MAX_LEVELS_SEARCHED = 256 };          /* levels */

	for (size_t i = b->depth; i > 0 && b->depth - i < MAX_LEVELS_SEARCHED; i--)
		if (is_ended_by(r, b->ev[b->open[i - 1]].val, id))
			return b->ev[b->open[i - 1]].val;
	for (size_t n = b->base && !r->emptied ? b->base->n : 0, i = n; i > 0 && n - i < MAX_LEVELS_SEARCHED; i--)
		if (is_ended_by(r, b->base->z[i - 1].key, id))
			return b->base->z[i - 1].key;
	return 0;
}

static int
begin_special(struct raw_run *r, int64_t ts, uint32_t id, unsigned type, const struct raw_take *t)
{
	const struct raw_session *s = r->s;
	uint64_t key = unity_key(&r->u, id), bytes;
	struct unity_value v[3];
	bool named;
	int rc = TT_OK;

	if (id == s->marker.alloc && alloc_bytes(type, t, &bytes))
		return alloc(r, key, bytes);
	if (id == s->marker.alloc)
		tt_loss_add(&r->u.b->loss, TT_LOST_ALLOC_BYTES, 1, 0, r->at);
	if (id == r->h->root) {
		rc = root(r, ts);
		r->rooted = r->u.b->n;
		r->rooted_stray = r->u.b->nstray;
		r->in_root = true;
		return rc;
	}
	if (id == s->marker.collect && !tt_batch_rare(r->u.b, TT_GC, ts, TT_GC_START, r->u.err))
		rc = r->u.err->code;
	if (rc != TT_OK)
		return rc;
	if (!unity_is_label(&s->marker, id) || type != RAW_BEGIN_ARGS)
		return begin(r, ts, key, type, t);
	if ((rc = label(r, id, *t, v, &key, &named)) != TT_OK)
		return rc;
	if (!named)
		return begin(r, ts, key, type, t);
	size_t at = r->u.b->n;
	rc = begin(r, ts, key, RAW_BEGIN, t);
	return rc == TT_OK && v[0].bits && (r->u.b->needs & TT_NEEDS_ARGS) ? unity_put_arg(&r->u, at, &v[0]) : rc;
}

static int
end_special(struct raw_run *r, int64_t ts, uint32_t id)
{
	uint64_t key = unity_key(&r->u, id), open;
	int rc;

	if (id == r->h->root) {
		r->in_root = false;
		return root(r, ts);
	}
	if (id == r->s->marker.alloc && (r->u.b->depth == 0 || r->u.b->ev[r->u.b->open[r->u.b->depth - 1]].val != key))
		return TT_OK;
	if (unity_is_label(&r->s->marker, id)) {
		if ((open = label_open(r, id)))
			key = open;
		else if (!r->u.b->base && !r->emptied)
			r->from = INT64_MIN / 2;      /* request the chunk again, with the zones that are open before it */
	}
	rc = end(r, ts, key);
	if (rc == TT_OK && id == r->s->marker.collect && !tt_batch_rare(r->u.b, TT_GC, ts, TT_GC_END, r->u.err))
		rc = r->u.err->code;
	return rc;
}

static int
single(struct raw_run *r, uint32_t id, unsigned type, const struct raw_take *t)
{
	struct unity_value v;
	enum tt_type as;
	uint64_t bits, bytes;
	struct tt_event *e;

	if (id == r->s->marker.alloc && alloc_bytes(type, t, &bytes))
		return alloc(r, unity_key(&r->u, id), bytes);
	if (id == r->s->marker.alloc)
		tt_loss_add(&r->u.b->loss, TT_LOST_ALLOC_BYTES, 1, 0, r->at);
	if (r->s->marker.counters && first_value(type, *t, &v) && unity_number(&v, &as, &bits)) {
		uint32_t counter;
		unity_lock(&r->u);
		if (unity_is_counter(&r->m->known, r->s->number, id, r->u.seq, &counter)) {
			tt_loss_add(&r->u.b->loss, TT_LOST_COUNTER_VALUES, count_values(type, *t) - 1, 0, r->at);
			return unity_counter_event(&r->u, now(r), counter, as, bits);
		}
	}
	if (!(e = rare(r, TT_INSTANT, unity_key(&r->u, id))))
		return r->u.err->code;
	return put_args(r, (size_t)(e - r->u.b->ev), type, *t);
}

/* Read a sample without wanting its zone: advance the clock, and define names that values give to zones. */
static int
skim_sample(struct raw_run *r, int64_t ts, uint32_t id, unsigned type, const struct raw_take *t)
{
	struct unity_value v[3];
	uint64_t key;
	bool named;

	if ((type - RAW_BEGIN) % 3 < 2)
		count_call(r, ts);
	return type == RAW_BEGIN_ARGS && unity_is_label(&r->s->marker, id) ? label(r, id, *t, v, &key, &named) : TT_OK;
}

/* Decode a sample of any form. False if it makes no sense. */
static bool
sample(struct raw_run *r, unsigned type, struct raw_take *t, int *rc)
{
	int64_t ts;

	raw_take_byte(t);
	uint32_t id = raw_take32(t);
	uint64_t ticks = raw_take64(t);
	id = unlikely(r->ends != UNITY_NO_MARKER) ? r->ends : id;
	if (id >= r->s->marker.ids || !raw_stamp(r, ticks, &ts))
		return false;
	const bool special = r->special[id % RAW_SPECIAL];
	if (r->skims) {
		*rc = skim_sample(r, ts, id, type, t);
		return true;
	}
	switch ((type - RAW_BEGIN) % 3) {
	case 0:
		*rc = special ? begin_special(r, ts, id, type, t) : begin(r, ts, unity_key(&r->u, id), type, t);
		break;
	case 1:
		*rc = special ? end_special(r, ts, id) : end(r, ts, unity_key(&r->u, id));
		break;
	default:
		*rc = single(r, id, type, t);
		break;
	}
	return true;
}

/* --- other messages ---------------------------------------------------------------------------------------------- */

/* Decode a stack: that of the preceding allocation, or of a zone. */
static int
stack(struct raw_run *r, struct raw_take *t)
{
	unsigned n;

	raw_take32(t);
	const uint8_t *p = raw_take_stack(t, &n);
	if (r->alloc)
		return unity_alloc_stack(&r->u, r->alloc - 1, p, n);
	unity_stack_lost(&r->u, n);
	return TT_OK;
}

static int
flow(struct raw_run *r, struct raw_take *t)
{
	unsigned kind = raw_take_byte(t);
	struct tt_event *e = rare(r, TT_FLOW, raw_take32(t));

	if (!e)
		return r->u.err->code;
	e->depth = (uint16_t)kind;
	e->flags = kind == TT_FLOW_PARALLEL || kind == TT_FLOW_SEQUENTIAL ? TT_F_NEXT : 0;
	return TT_OK;
}

/* Return the event of the zone or allocation that began last in the chunk, since the last root, or NULL. Repeated calls examine only new events. */
static const struct tt_event *
last_begun(struct raw_run *r)
{
	const struct tt_batch *b = r->u.b;
	size_t i = b->n;

	for (; i > r->rooted && i > r->nlooked; i--) {
		const unsigned kind = b->ev[i - 1].kind;
		if (kind == TT_ZONE || kind == TT_ZONE_BEGIN || kind == TT_ALLOC) {
			r->begun = i;
			break;
		}
	}
	r->nlooked = b->n;
	return r->begun > r->rooted ? &b->ev[r->begun - 1] : NULL;
}

/* Assign work on the GPU to the zone that began last. If it began before the chunk, request the chunk again, with the zones open before it. */
static int
anchor(struct raw_run *r, struct raw_take *t)
{
	const struct tt_batch *b = r->u.b;
	const uint32_t id = raw_take32(t);
	const struct tt_event *e = last_begun(r);

	if (e)
		return e->kind == TT_ALLOC ? TT_OK : unity_gpu_anchor(&r->u, e->ts, e->val, id, false);
	if (r->emptied)
		return TT_OK;
	if (!b->base)
		r->from = INT64_MIN / 2;
	else if (b->base->n > 0)
		return unity_gpu_anchor(&r->u, b->base->z[b->base->n - 1].ts - r->m->cap->offset_ns, b->base->z[b->base->n - 1].key, id, false);
	return TT_OK;
}

/* Decode the duration of such GPU work, which arrives frames later. */
static int
gpu(struct raw_run *r, struct raw_take *t, bool *sane)
{
	const uint32_t id = raw_take32(t);
	const uint64_t ns = (uint64_t)raw_take32(t) * 1000;
	const unsigned part = raw_take_byte(t);

	*sane = part < UNITY_MAX_GPU_PARTS;
	if (!*sane)
		return TT_OK;
	if ((int64_t)ns > now(r) - r->s->began + RAW_MAX_GPU_EARLIER_NS) {
		tt_loss_add(&r->u.b->loss, TT_LOST_GPU_TIMES, 1, 0, r->at);
		return TT_OK;
	}
	return unity_gpu(&r->u, now(r), id, part, ns);
}

/* Before 2018.3: decode the bytes that the open sample allocated. */
static int
old_alloc(struct raw_run *r, struct raw_take *t)
{
	const uint64_t key = unity_key(&r->u, UNITY_NO_MARKER);
	int rc = alloc(r, key, raw_take32(t));
	return rc == TT_OK ? unity_define_alloc(&r->u, key) : rc;
}

/* Mark the present frame as not whole. */
static int
leave_out_frame(struct raw_run *r)
{
	struct tt_event *const e = rare(r, TT_GAP, 0);

	if (!e)
		return r->u.err->code;
	e->flags = TT_F_CONT;
	return TT_OK;
}

static int
frame(struct raw_run *r, struct raw_take *t, bool *sane)
{
	uint32_t index = raw_take32(t);
	int64_t ts;

	if (r->last < r->s->began && !r->searched && raw_is_early_mark(r->h, t->from)) {
		r->odd_time = true;
		*sane = false;
		return TT_OK;
	}
	if (!(*sane = raw_stamp(r, raw_take64(t), &ts)) || r->h->stream != r->s->main)
		return TT_OK;
	if (!rare(r, TT_FRAME, index))
		return r->u.err->code;
	/* With a corrected time, the begin of the frame is unknown. */
	return r->mending ? leave_out_frame(r) : TT_OK;
}

static int
thread_ends(struct raw_run *r)
{
	struct tt_event *e;

	if (!(e = rare(r, TT_THREAD, r->u.b->tid)))
		return r->u.err->code;
	e->flags = TT_F_END;
	return TT_OK;
}

static int
statistics(struct raw_run *r, struct raw_take *t)
{
	if (r->s->layout.rank >= 4)
		raw_take32(t);
	uint32_t n = raw_take32(t);
	const uint8_t *p = raw_bytes(t, 4 * (size_t)n);
	return p ? unity_stats(&r->u, now(r), r->s->marker.counters, p, n) : TT_OK;
}

/* Decode a whole message; *${sane} is false if its values make no sense. */
static int
message(struct raw_run *r, const struct raw_walk *w, bool *sane)
{
	struct raw_take t = { .p = w->p, .end = w->p + w->size, .from = w->p, .l = &r->s->layout };
	unsigned type = raw_take16(&t);
	int rc = TT_OK;

	*sane = true;
	raw_pad(&t);
	if (raw_is_sample(type)) {
		*sane = sample(r, type, &t, &rc);
		return rc;
	}
	if (r->skims && type != RAW_FRAME && type != RAW_CLEANUP)
		return TT_OK;
	switch (type) {
	case RAW_CALLSTACK:
		return stack(r, &t);
	case RAW_FRAME:
		return frame(r, &t, sane);
	case RAW_FLOW:
		return flow(r, &t);
	case RAW_ANCHOR:
		return anchor(r, &t);
	case RAW_GPU:
		return gpu(r, &t, sane);
	case RAW_STATS:
		return statistics(r, &t);
	case RAW_OLD_ALLOC:
		return old_alloc(r, &t);
	case RAW_CLEANUP:
		*sane = raw_stamp(r, raw_take64(&t), &(int64_t){ 0 });
		return *sane ? thread_ends(r) : TT_OK;
	default:
		return raw_define(r, type, &t);
	}
}

/* --- the chunk ----------------------------------------------------------------------------------------------------- */

/*
 * Close all open zones at the thread's last time and count them as cut, because blocks, messages or frames are missing here, and it is unknown which zones
 * ended in them. Definitions belong to no thread and are not affected.
 */
static int
cut(struct raw_run *r, enum tt_gap why)
{
	struct tt_batch *b = r->u.b;
	struct tt_event *e;
	int rc;

	r->in_root = false;
	b->cut += b->depth;
	if ((rc = tt_zone_cut(b, now(r), r->u.err)) != TT_OK)
		return rc;
	if (!(e = rare(r, TT_GAP, 0)))
		return r->u.err->code;
	if (r->h->stream == RAW_SESSION) {
		e->flags = TT_F_CONT;
		return TT_OK;
	}
	e->flags = r->last == INT64_MIN ? TT_F_BASE : 0;
	e->depth = (uint16_t)why;
	r->emptied = true;
	if (b->base)
		b->base->n = 0;
	return TT_OK;
}

/* Count the block at r->at, once, as damaged, and ${bytes} of its bytes. */
static void
count_damaged(struct raw_run *r, size_t bytes)
{
	const enum tt_loss_kind kind = r->h->stream == RAW_SESSION ? TT_LOST_DEFINITIONS : TT_LOST_DAMAGED;
	struct tt_loss *const loss = &r->u.b->loss;

	if (r->damaged_any && r->damaged_at == r->at)
		loss->e[kind].bytes += bytes;
	else
		tt_loss_add(loss, kind, 1, bytes, r->at);
	r->damaged_any = true;
	r->damaged_at = r->at;
}

/* True if recording went on after a pause, or began, between the last time so far and ${t}. */
static bool
is_resumed(const struct raw_run *r, int64_t t)
{
	const int64_t before = r->last != INT64_MIN ? r->last : r->h->before;

	for (uint32_t i = 0; i < r->h->nresumed && before != INT64_MIN; i++)
		if (before < r->h->resumed[i] && t >= r->h->resumed[i])
			return true;
	return false;
}

/* End open zones where recording paused, or had not begun, before the message of ${type} at ${p}. */
static int
resume(struct raw_run *r, unsigned type, const uint8_t *p)
{
	return raw_has_time(type) && is_resumed(r, r->mending ? r->mended_ts : raw_time_of(r->s, p)) ? cut(r, TT_GAP_UNRECORDED) : TT_OK;
}

/* Report whether anything is missing before a piece. */
static int
arrive(struct raw_run *r, uint32_t flags)
{
	/* Only the main thread must have every frame. */
	const bool lost = flags & RAW_P_GAP || ((flags & (RAW_P_LOST | RAW_P_PAUSED)) == RAW_P_LOST && r->h->stream == r->s->main);

	return flags & (RAW_P_GAP | RAW_P_LOST | RAW_P_PAUSED) ? cut(r, lost ? TT_GAP_LOST : TT_GAP_UNRECORDED) : TT_OK;
}

/* Do the same for a piece whose messages are read: a pause before it is found by their times, unless there are more pauses than the head has. */
static int
arrive_at_messages(struct raw_run *r, uint32_t flags)
{
	const bool by_time = flags & RAW_P_PAUSED && r->h->nresumed < RAW_RESUMES;

	return arrive(r, by_time ? flags & ~(uint32_t)(RAW_P_LOST | RAW_P_PAUSED) : flags);
}

/* Begin the thread, or another thread that reuses its id. */
static int
thread_begins(struct raw_run *r, const struct raw_walk *w)
{
	struct tt_event *e;
	int64_t ts;

	if (!(r->h->flags & (RAW_H_FIRST | RAW_H_NEW_THREAD)) || !raw_first_right_time(r, *w, &ts))
		return TT_OK;
	tt_batch_time(r->u.b, ts);
	if (r->h->flags & RAW_H_NEW_THREAD && raw_define_reused(r, ts) != TT_OK)
		return r->u.err->code;
	if (r->s->number > 0 && (r->h->flags & RAW_H_FIRST)) {
		if (!(e = tt_batch_rare(r->u.b, TT_GAP, ts, 0, r->u.err)))
			return r->u.err->code;
		e->flags = TT_F_BASE | (r->h->flags & RAW_H_AFTER_CUT ? 0 : TT_F_END);
		r->emptied = true;
	}
	/* The main thread of an appended log continues even if the previous log reports its end. */
	if (r->s->main_again && r->h->stream == r->s->main && r->h->flags & RAW_H_FIRST)
		return TT_OK;
	if (!(e = tt_batch_rare(r->u.b, TT_THREAD, ts, r->u.b->tid, r->u.err)))
		return r->u.err->code;
	e->dur = r->s->number;
	e->flags = r->h->flags & RAW_H_GOES_ON ? TT_F_CONT : 0;
	return TT_OK;
}

/* Process only gaps, which the flags of pieces tell. */
static int
skim(struct raw_run *r, const struct raw_piece *piece)
{
	int rc = TT_OK;

	for (uint32_t i = 0; i < r->h->npiece && rc == TT_OK; i++)
		rc = arrive(r, piece[i].flags);
	return rc;
}

/* If the message at ${p} was corrected, report that; if its time was, mark the frame around it as not whole on the main thread. */
static int
mend(struct raw_run *r, const uint8_t *p, size_t size)
{
	int rc = TT_OK;

	r->mending = false;
	r->ends = UNITY_NO_MARKER;
	for (unsigned i = 0; i < r->nodd && rc == TT_OK; i++) {
		if (r->odd[i].p != p)
			continue;
		if (r->odd[i].ends != UNITY_NO_MARKER) {
			r->ends = r->odd[i].ends;
			tt_loss_add(&r->u.b->loss, TT_LOST_ENDS, 1, 0, r->at);
			continue;
		}
		r->mending = true;
		r->mended_ts = r->odd[i].ts;
		count_damaged(r, size);
		rc = leave_out_frame(r);
	}
	return rc;
}

/* Decode a whole message. *${sane} is false if it makes no sense. */
static int
one_message(struct raw_run *r, struct raw_walk *w, bool *sane)
{
	struct tt_batch *b = r->u.b;
	int rc = unlikely(r->nodd) ? mend(r, w->p, w->size) : TT_OK;

	if (rc == TT_OK && unlikely(r->h->nresumed))
		rc = resume(r, unity_u16(w->p), w->p);
	if (rc == TT_OK && raw_is_retyped(r, w))
		*sane = false;
	else if (rc == TT_OK)
		rc = message(r, w, sane);
	if (rc != TT_OK || !*sane)
		return rc;
	if (b->tally)
		b->tally[unity_u16(w->p) & 255]++;
	b->nevent++;
	w->p += w->size;
	return TT_OK;
}

/* Count ${size} lost bytes of the block at r->at: the message at ${p} makes no sense, or its type is unknown. */
static void
count_misfit(struct raw_run *r, const uint8_t *p, size_t size)
{
	struct tt_batch *b = r->u.b;
	const unsigned type = size >= 2 ? unity_u16(p) : 0;

	if (b->fit.misfits++ == 0)
		b->fit.misfit_at = r->at;
	b->fit.misfit_bytes += size;
	if (type < RAW_UNKNOWN_TYPES && !raw_fields(type, r->s->layout.rank)) {
		struct tt_unknown *u = tt_fit_unknown(&b->fit, type, 1);
		if (u)
			raw_look_behind(r, p, size, &u->lengths);
		tt_loss_add(&b->loss, TT_LOST_UNKNOWN, 1, size, r->at);
	} else {
		count_damaged(r, size);
	}
}

static int
messages(struct raw_run *r, struct raw_walk *w)
{
	struct tt_batch *b = r->u.b;
	uint32_t piece = UINT32_MAX;
	int rc = TT_OK;
	bool sane;

	for (;;) {
		if ((rc = tt_batch_room(b, EVENTS_RESERVED, r->u.err)) != TT_OK)
			return rc;
		(r->skims ? raw_skim_row : raw_row)(r, w);
		const uint8_t *const p = w->p;
		enum raw_step step = raw_walk_next(w);
		for (; rc == TT_OK && piece != w->i; rc = arrive_at_messages(r, w->piece[piece].flags))
			piece++;
		if (rc != TT_OK || step == RAW_OVER)
			return rc;
		r->at = b->at = w->piece[w->i].at;
		if (step == RAW_MESSAGE) {
			if ((rc = one_message(r, w, &sane)) != TT_OK || (!sane && r->odd_time && !r->searched))
				return rc;
			if (sane)
				continue;
			raw_walk_drop(w);
			step = RAW_DROPPED;
		}
		if (step == RAW_REST && w->piece[w->i].flags & RAW_P_CUT) {
			b->fit.rest_bytes += (size_t)(w->all - w->p);
			return TT_OK;
		}
		if (step == RAW_REST)
			w->size = (size_t)(w->all - w->p);
		count_misfit(r, p, w->size);
		if ((rc = cut(r, TT_GAP_LOST)) != TT_OK || step == RAW_REST)
			return rc;
	}
}

/* Return the place where decoding starts. */
static struct raw_walk
start(const struct raw_head *h)
{
	const struct raw_piece *piece = (const struct raw_piece *)(const void *)(h + 1);
	struct raw_walk w;

	raw_walk(&w, &h->s, h->stream, piece, 0, h->npiece, (const uint8_t *)h + h->front);
	return w;
}

static int
decode(struct raw_run *r)
{
	const struct raw_head *h = r->h;
	struct raw_walk w = start(h);
	struct tt_batch *b = r->u.b;
	int rc;

	b->keeps_strays = true;
	b->fit.earlier = raw_count_earlier(r, w);
	r->w = &w;
	r->at = w.n ? w.piece->at : b->at;
	if (r->before_odd) {
		count_damaged(r, 0);
		if ((rc = cut(r, TT_GAP_LOST)) != TT_OK)
			return rc;
		r->last = INT64_MIN;
	}
	rc = thread_begins(r, &w);
	TT_THEN(rc, r->skims && h->stream != h->s.main ? skim(r, w.piece) : messages(r, &w));
	if (rc == TT_OK && h->flags & RAW_H_ENDS)
		rc = thread_ends(r);
	/* The first thread with an id that is reused later had its name before all others. */
	if (rc == TT_OK && !(h->flags & RAW_H_NEW_THREAD))
		rc = raw_define_reused(r, UNITY_EVER + 1);
	return rc;
}

/*
 * Decode the chunk again from its beginning: with its wrong times corrected if ${times}, and with the ${nother} ends at ${other} as ends of the zones that
 * these name.
 */
static int
decode_mended(struct raw_run *r, struct raw_run fresh, bool times, const struct raw_other *other, unsigned nother, size_t open)
{
	struct tt_batch *b = r->u.b;
	struct tt_stack *base = b->base;

	unity_run_end(&r->u);
	*r = fresh;
	if (times)
		raw_find_odd(r, start(r->h));
	for (unsigned i = 0; i < nother && r->nodd < RAW_ODD; i++)
		r->odd[r->nodd++] = (struct raw_odd){ .p = other[i].p, .ends = (uint32_t)other[i].key };
	const uint64_t tid = b->tid, at = b->at, bytes = b->bytes;
	tt_batch_reset(b);
	b->tid = tid;
	b->at = at;
	b->bytes = bytes;
	b->base = base;
	if (base)
		base->n = open;
	return decode(r);
}

int
raw_decode(const void *ctx, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err)
{
	const struct raw *m = ctx;
	const struct raw_head *h = (const struct raw_head *)(const void *)c->bytes;
	const struct unity_markers *is = &h->s.marker;
	const uint32_t special[] = { is->alloc, is->collect, is->label[0], is->label[1], h->root };
	struct raw_run r = { .m = m, .h = h, .s = &h->s, .from = INT64_MAX,
		.u = { .known = &m->known, .b = b, .err = err, .seq = c->seq, .session = h->s.number, .categories = h->s.categories },
		.last = b->base ? b->base->last_ts : h->after, .caught = INT64_MIN, .ends = UNITY_NO_MARKER };
	struct raw_other other[RAW_ALONE];
	unsigned nother;
	const size_t open = b->base ? b->base->n : 0;

	/* The chunk may begin exactly at a frame's begin, or after its mark. */
	if (r.last != INT64_MIN && (h->root != UNITY_NO_MARKER || h->stream == h->s.main)) {
		r.caught = r.last;
		r.behind = r.last - RAW_BEHIND;
	}
	b->tid = c->tid;
	b->at = c->at;
	b->bytes = c->len;
	b->log = h->s.number;
	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		if (special[i] != UNITY_NO_MARKER)
			r.special[special[i] % RAW_SPECIAL] = true;
	/* Search the main thread for damage even here, as it decides which frames are whole. */
	r.skims = b->needs & TT_SKIM && m->cap->skim && h->stream != RAW_SESSION;
	r.in_line = r.skims ? raw_ticks_in_line(&h->s) : 0;
	const struct raw_run fresh = r;
	int rc = decode(&r);
	if (rc == TT_OK && r.odd_time && !r.searched)
		rc = decode_mended(&r, fresh, true, NULL, 0, open);
	if (rc == TT_OK && r.nother > 0 && raw_find_others(&r, other, &nother))
		rc = decode_mended(&r, fresh, r.searched, other, nother, open);
	raw_settle_alone(&r);
	unity_run_end(&r.u);
	b->at = c->at;
	b->late = h->stream != RAW_SESSION && b->ndef > 0;
	if (r.calls) {
		b->stack_from = r.from;
		b->stack_ts = r.call_ts;
		b->nstack += r.calls;
	}
	return rc;
}

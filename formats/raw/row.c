/**
 * Decodes consecutive plain messages: begins and ends of samples without metadata, or with an instance id that is not wanted, and flows. Most messages of a
 * thread are plain; decode.c decodes all others, and unusual ones of these types.
 */
#include "raw/raw.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Keeps a branch a branch if the next message depends on it: the processor then continues speculatively instead of waiting for the type. */
#define as_branch() __asm__ volatile ("")

enum { PLAIN_MAX_BYTES = 28 };                     /* bytes of the longest message that plain() reads */

/* The values that change while a row is decoded. */
struct row {
	const uint8_t *p;
	size_t n, depth, nrare;       /* events; open zones; rare events */
	int64_t last;                 /* see struct raw_run */
	uint64_t ends;                /* number of ends of allocations */
	uint64_t ids;                 /* number of begins with an instance id */
	int64_t call_ts;              /* time before the last begin or end */
	const uint8_t *after;         /* end of that message and of the flows after it */
};

/* Return the number of events for which the batch has room without a zone deeper than an event can express. */
static size_t
row_room(const struct tt_batch *b)
{
	size_t n = b->cap - b->n, open = b->capopen - b->depth, deep = b->depth < UINT16_MAX ? UINT16_MAX - b->depth : 0;

	n = n < open ? n : open;
	return n < deep ? n : deep;
}

/* Decode a flow of ${size} bytes, if there is room for it. */
static bool
row_flow(struct tt_batch *b, struct row *x, unsigned kind, uint32_t id, size_t size)
{
	if (kind > 3 || x->nrare == b->caprare)
		return false;
	b->rare[x->nrare++] = (uint32_t)x->n;
	b->ev[x->n++] = (struct tt_event){ .ts = x->last, .val = id, .kind = TT_FLOW, .depth = (uint16_t)kind,
		.flags = kind == TT_FLOW_PARALLEL || kind == TT_FLOW_SEQUENTIAL ? TT_F_NEXT : 0 };
	if (x->p == x->after)
		x->after += size;
	x->p += size;
	return true;
}

/* Store the results of a row in the batch. */
static void
row_over(struct raw_run *r, struct raw_walk *w, const struct row *x)
{
	struct tt_batch *b = r->u.b;
	const uint64_t flows = x->nrare - b->nrare, begins = x->n - b->n - flows, calls = 2 * begins - x->depth + b->depth;

	if (x->p == w->p)
		return;
	if (r->calls == 0 && r->last < r->from)
		r->from = r->last;
	if (b->tally) {
		b->tally[RAW_BEGIN] += (uint32_t)(begins - x->ids);
		b->tally[RAW_BEGIN_ID] += (uint32_t)x->ids;
		b->tally[RAW_END] += (uint32_t)(calls - begins + x->ends);
		b->tally[RAW_FLOW] += (uint32_t)flows;
	}
	w->p = x->p;
	if (calls)
		r->call_ts = x->p == x->after ? x->call_ts : x->last;
	r->last = x->last;
	r->calls += calls;
	b->nzone += begins;
	b->nevent += calls + flows + x->ends;
	b->n = x->n;
	b->nrare = x->nrare;
	b->rare_kinds |= flows ? TT_KIND(TT_FLOW) : 0;
	b->depth = x->depth;
	tt_batch_time(b, x->last);
}

/* Return where skipping messages without checking their times must stop: at the next corrected time, or before the last messages. */
static inline const uint8_t *
plain_stop(const struct raw_run *r, const struct raw_walk *w)
{
	const uint8_t *stop = w->all - PLAIN_MAX_BYTES + 1;

	for (unsigned i = 0; unlikely(i < r->nodd); i++)
		if (r->odd[i].p >= w->p && r->odd[i].p < stop)
			stop = r->odd[i].p;
	return stop;
}

/* The state that the messages of a row share. */
struct plain {
	bool whole;                   /* true: a tick is an integer number of ns, ${mult} */
	size_t size, value_at, id_at, time_at;
	size_t with_id;               /* bytes of a begin with an instance id that is not wanted; 0: ids are wanted */
	size_t flow;
	uint64_t keys, mult;
	unsigned shift;
	uint32_t ids;
	int64_t zero;
	int64_t until;                /* time at which the row ends, because recording goes on there after a pause; INT64_MAX: none */
};

/* Return the first time after the last one at which recording goes on after a pause, or begins; INT64_MAX: none. */
static int64_t
next_resume(const struct raw_run *r)
{
	int64_t next = INT64_MAX;

	for (uint32_t i = 0; i < r->h->nresumed; i++)
		if (r->h->resumed[i] > r->last && r->h->resumed[i] < next)
			next = r->h->resumed[i];
	return next;
}

static inline __attribute__((always_inline)) struct plain
plain_of(const struct raw_run *r, const bool aligned, const bool whole)
{
	const struct raw_session *s = r->s;

	return (struct plain){ .whole = whole, .size = aligned ? 20 : 15, .value_at = aligned ? 4 : 2, .id_at = aligned ? 8 : 3,
		.time_at = aligned ? 12 : 7, .with_id = r->u.b->needs & TT_NEEDS_ARGS ? 0 : s->size[RAW_BEGIN_ID], .flow = aligned ? 12 : 7,
		.keys = (uint64_t)s->number << 32, .mult = whole ? s->mult >> s->shift : s->mult, .shift = s->shift, .ids = s->marker.ids,
		.zero = s->zero, .until = next_resume(r) };
}

static inline __attribute__((always_inline)) int64_t
plain_time(const struct plain *k, const uint8_t *p)
{
	const uint64_t ticks = unity_u64(p + k->time_at);

	return k->whole ? (int64_t)(ticks * k->mult - (uint64_t)k->zero) : raw_ns_by(k->mult, k->shift, k->zero, ticks);
}

/* True if a message of time ${ts} may follow one of ${last} without a further check. */
static inline bool
follows(int64_t ts, int64_t last)
{
	return likely((uint64_t)ts - (uint64_t)last <= (uint64_t)RAW_MAX_STEP_NS);
}

/* True if the marker is more than a zone. */
static bool
is_special(const struct raw_run *r, uint32_t id)
{
	const struct unity_markers *is = &r->s->marker;

	return id == is->alloc || id == is->collect || unity_is_label(is, id) || id == r->h->root;
}

/*
 * Decode a message of the row other than a plain begin or end: a flow, a begin with an instance id, the end of an allocation (only its time). False: it is of
 * another kind, or unusual.
 */
static __attribute__((noinline)) bool
row_other(const struct raw_run *r, const struct plain *k, struct row *x)
{
	struct tt_batch *b = r->u.b;
	const unsigned type = unity_u16(x->p);
	const uint32_t id = unity_u32(x->p + k->id_at);
	const uint64_t key = k->keys | id;

	if (type == RAW_FLOW)
		return row_flow(b, x, x->p[k->value_at], id, k->flow);
	const int64_t ts = plain_time(k, x->p);
	if (id >= k->ids || !follows(ts, x->last) || ts >= k->until)
		return false;
	if ((type == RAW_BEGIN || (type == RAW_BEGIN_ID && k->with_id)) && !is_special(r, id)) {
		b->ev[x->n] = (struct tt_event){ .ts = ts, .val = key, .kind = TT_ZONE_BEGIN, .depth = (uint16_t)x->depth };
		b->open[x->depth++] = (uint32_t)x->n++;
		x->ids += type == RAW_BEGIN_ID;
		x->p += type == RAW_BEGIN ? k->size : k->with_id;
	} else if (type == RAW_END && id == r->s->marker.alloc && (x->depth == 0 || b->ev[b->open[x->depth - 1]].val != key)) {
		if (x->p != x->after)
			x->call_ts = x->last;
		x->p += k->size;
		x->after = x->p;
		x->ends++;
	} else {
		return false;
	}
	x->last = ts;
	return true;
}

/* Return the place up to which messages may begin without producing more than ${room} events. */
static inline const uint8_t *
within(const uint8_t *p, const uint8_t *stop, size_t room, size_t size)
{
	return stop > p && (size_t)(stop - p) / size >= room ? p + room * size : stop;
}

/*
 * Decode consecutive plain messages, with all changing values in registers.
 *
 * Whether a zone begins or ends is unpredictable, and a wrong guess costs more than a whole message. So both take the same steps: an event is written as the
 * next one, and its index is pushed on the stack; at an end neither is kept. Then the zone on top of the stack, which after a begin is the new event, gets its
 * duration and kind.
 */
static inline __attribute__((always_inline)) void
plain(struct raw_run *r, struct raw_walk *w, const bool aligned, const bool whole, const bool pauses)
{
	struct tt_batch *b = r->u.b;
	const struct plain k = plain_of(r, aligned, whole);
	const bool *const special = r->special;
	struct tt_event *const ev = b->ev;
	uint32_t *const open = b->open;
	struct row x = { .p = w->p, .n = b->n, .depth = b->depth, .nrare = b->nrare, .last = r->last, .call_ts = r->call_ts };
	const size_t full = b->n + row_room(b);
	const uint8_t *const last_stop = plain_stop(r, w), *p = w->p, *stop = within(p, last_stop, full - x.n, k.size);
	size_t n = x.n, depth = x.depth;
	int64_t last = x.last;

	_Static_assert(TT_ZONE == TT_ZONE_BEGIN - 1, "an end makes one of the other");
	while (p < stop) {
		const unsigned type = unity_u16(p) - RAW_BEGIN;
		const uint32_t id = unity_u32(p + k.id_at);
		if (unlikely(type > 1 || depth == 0) || (unlikely(special[id % RAW_SPECIAL]) && is_special(r, id))) {
			x.p = p;
			x.n = n;
			x.depth = depth;
			x.last = last;
			if (!row_other(r, &k, &x))
				break;
			p = x.p;
			n = x.n;
			depth = x.depth;
			last = x.last;
			stop = within(p, last_stop, full - n, k.size);
			continue;
		}
		const int64_t ts = plain_time(&k, p);
		const uint64_t key = k.keys | id;
		ev[n] = (struct tt_event){ .ts = ts, .val = key, .kind = TT_ZONE_BEGIN, .depth = (uint16_t)depth };
		open[depth] = (uint32_t)n;
		struct tt_event *const of = &ev[open[depth - type]];
		const uint64_t dur = (uint64_t)ts - (uint64_t)of->ts;
		if (unlikely(id >= k.ids || of->val != key || dur > UINT32_MAX) || !follows(ts, last) || (pauses && ts >= k.until))
			break;
		of->dur = (uint32_t)dur;
		of->kind = (uint8_t)(TT_ZONE_BEGIN - type);
		n += 1 - type;
		depth += 1 - 2 * (size_t)type;
		last = ts;
		p += k.size;
	}
	x.p = p;
	x.n = n;
	x.depth = depth;
	x.last = last;
	row_over(r, w, &x);
}

void
raw_row(struct raw_run *r, struct raw_walk *w)
{
	const struct raw_session *s = r->s;
	const bool whole = (s->mult >> s->shift) << s->shift == s->mult;

	if ((size_t)(w->all - w->p) < PLAIN_MAX_BYTES || r->last == INT64_MIN || r->u.b->depth > UINT16_MAX)
		return;
	/* Times need a comparison more where recording may have paused. */
	if (unlikely(r->h->nresumed))
		plain(r, w, s->layout.aligned, whole, true);
	else if (s->layout.aligned)
		(whole ? plain(r, w, true, true, false) : plain(r, w, true, false, false));
	else
		(whole ? plain(r, w, false, true, false) : plain(r, w, false, false, false));
}

uint64_t
raw_ticks_in_line(const struct raw_session *s)
{
	__extension__ typedef unsigned __int128 wide;
	const wide most = ((wide)(RAW_MAX_STEP_NS - 1) << (s->shift & 63)) / (s->mult ? s->mult : 1);

	return most < INT64_MAX ? (uint64_t)most : INT64_MAX;
}

void
raw_skim_row(struct raw_run *r, struct raw_walk *w)
{
	const struct raw_session *const s = r->s;
	const size_t size = s->size[RAW_BEGIN], with_id = s->size[RAW_BEGIN_ID], flow = raw_flow_size(&s->layout);
	const size_t id_at = s->layout.aligned ? 8 : 3, time_at = id_at + 4, kind_at = s->layout.aligned ? 4 : 2;
	const uint8_t *p = w->p, *const stop = plain_stop(r, w);
	const uint64_t limit = r->in_line;
	const uint32_t ids = s->marker.ids;
	uint64_t calls = 0, last = 0;
	size_t full = 0;              /* size of a begin that has more fields than a plain one */

	if (r->last == INT64_MIN || w->all - p < PLAIN_MAX_BYTES)
		return;
	while (p < stop) {
		const unsigned type = unity_u16(p) - RAW_BEGIN;
		if (unlikely(type > 1)) {
			if (type == RAW_FLOW - RAW_BEGIN && p[kind_at] <= 3) {
				p += flow;
				continue;
			}
			if (type == RAW_BEGIN_ARGS - RAW_BEGIN)
				full = raw_one_value_size(s, p, (size_t)(w->all - p));
			else
				full = type == RAW_BEGIN_ID - RAW_BEGIN ? with_id : 0;
			if (full == 0)
				break;
		}
		const uint64_t ticks = unity_u64(p + time_at);
		if (unlikely(unity_u32(p + id_at) >= ids))
			break;
		if (unlikely(calls == 0 ? !follows(raw_ns(s, ticks), r->last) : ticks - last > limit))
			break;
		last = ticks;
		calls++;
		p += size;
		if (unlikely(type > 1)) {
			as_branch();
			p += full - size;
		}
	}
	w->p = p;
	if (calls == 0)
		return;
	if (r->calls == 0 && r->last < r->from)
		r->from = r->last;
	r->calls += calls;
	r->last = r->call_ts = raw_ns(s, last);
	tt_batch_time(r->u.b, r->last);
}

/**
 * The loop over the events of an .mlpd buffer. It reads calls, the most frequent events, itself; events.c reads all others. Pure: it reads the chunk and the
 * opened capture, and changes neither.
 */
#include "mlpd/chunk_take.h"

#include "base/gather.h"
#include "model/zones.h"

/* Close all open zones at the last event and report a loss: after damage they are not known. */
static int
gap(struct mlpd_run *r, enum tt_loss_kind kind, const uint8_t *from)
{
	struct tt_batch *b = r->b;
	struct tt_event *e;

	int64_t last = r->last > now(r) ? r->last : now(r);
	if (b->nstack && b->stack_ts > last)
		last = b->stack_ts;
	tt_loss_add(&b->loss, kind, 1, (uint64_t)(r->end - from), r->at + (uint64_t)(from - r->start));
	b->cut += b->depth;
	while (b->depth > 0) {
		int rc = tt_zone_end_slow(b, last, b->ev[b->open[b->depth - 1]].val, 0, r->err);
		if (rc != TT_OK)
			return rc;
	}
	e = tt_batch_rare(b, TT_GAP, last, 0, r->err);
	return e ? TT_OK : r->err->code;
}

/* Enter and leave keep their time in a register; store it as the time of stack events. */
static void
settle(struct tt_batch *b, uint64_t *calls, int64_t call_ts)
{
	if (*calls && (b->nstack == 0 || call_ts > b->stack_ts))
		b->stack_ts = call_ts;
	b->nstack += *calls;
	*calls = 0;
}

/* Add the number at *${p} to the time and move past it. False, with nothing done, if it has more than three bytes. */
static inline __attribute__((always_inline)) bool
near_time(const uint8_t **p, uint64_t *time, const bool quick)
{
	const uint32_t w = mlpd_u32(*p);

	if (likely((w & 0x8080) == 0x0080)) {
		*time += quick ? tt_gather(w, 0x7f7f) : (w & 0x7f) | (w >> 1 & 0x3f80);
		*p += 2;
	} else if ((w & 0x80) == 0) {
		*time += w & 0x7f;
		*p += 1;
	} else if ((w & 0x800000) == 0) {
		*time += (w & 0x7f) | (w >> 1 & 0x3f80) | (w >> 2 & 0x1fc000);
		*p += 3;
	} else {
		return false;
	}
	return true;
}

/*
 * Take the signed number at *${p} and move past it; false if it has more than eight bytes. Methods have one to seven bytes in an unpredictable order, so this
 * does not branch on the length.
 */
static inline __attribute__((always_inline)) bool
near_signed(const uint8_t **p, uint64_t *v, const bool quick)
{
	const uint64_t w = mlpd_u64(*p), ends = ~w & 0x8080808080808080u;

	if (unlikely(ends == 0))
		return false;
	const unsigned more = (unsigned)__builtin_ctzll(ends) >> 3, up = 57 - 7 * more;      /* brings the last group's sign to bit 63 */
	*v = (uint64_t)((int64_t)(tt_gather_sevens(w, quick) << up) >> up);
	*p += more + 1;
	return true;
}

/* The number of events at which the batch must grow, if each event were a zone that begins and stays open. */
static inline size_t
full_at(const struct tt_batch *b)
{
	size_t events = b->cap - b->n, open = b->capopen - b->depth;
	size_t least = events < open ? events : open, levels = b->depth < UINT16_MAX - 1 ? UINT16_MAX - 1 - b->depth : 0;

	return b->n + (least < levels ? least : levels);
}

/* Take the leave of a leaf at *${p}: it follows its enter, with a time of one or two bytes and a method delta of 0. False if something else follows. */
static inline __attribute__((always_inline)) bool
leaf(const uint8_t **p, uint32_t *took, const bool quick)
{
	const uint32_t w = mlpd_u32(*p);

	if ((w & 0xff8080ff) == (0x8000 | MLPD_LEAVE)) {
		*took = quick ? (uint32_t)tt_gather(w, 0x7f7f00) : (w >> 8 & 0x7f) | (w >> 9 & 0x3f80);
		*p += 4;
		return true;
	}
	if ((w & 0xff80ff) != MLPD_LEAVE)
		return false;
	*took = w >> 8 & 0x7f;
	*p += 3;
	return true;
}

/* Take an allocation without a stack, whose class is at *${p}; false if its form is unusual. */
static inline __attribute__((always_inline)) bool
near_alloc(const struct mlpd_run *r, const uint8_t **p, struct tt_event *e, int64_t ts, size_t depth, const bool quick)
{
	uint64_t type, object, size = 0;

	if (!near_signed(p, &type, quick) || !near_signed(p, &object, quick) || !near_time(p, &size, quick) || size == 0)
		return false;
	*e = (struct tt_event){ .ts = ts, .val = (r->ptr + type) & r->mask, .kind = TT_ALLOC, .dur = (uint32_t)size, .depth = (uint16_t)depth };
	return true;
}

/* The longest event that hot() takes, plus the longest that it looks at after it. */
enum { HOT_BYTES = 32 };

/*
 * Take enters and leaves, nine events of ten where calls are recorded, and allocations among them. Times nearly always have one or two bytes, so these lengths
 * are branches. All changing values are in registers. Stops before the first event of another kind or form, and near the end of the chunk.
 */
static inline __attribute__((always_inline)) uint64_t
hot(struct mlpd_run *r, uint64_t *events, int64_t *call_ts, int *rc, const bool quick)
{
	struct tt_batch *b = r->b;
	const uint8_t *p = r->p, *last = r->end - HOT_BYTES;
	const uint64_t mask = r->mask, zero = (uint64_t)r->zero;
	const size_t n0 = b->n, depth0 = b->depth;
	uint64_t time = r->time - zero, called = time, method = r->method, allocs = 0, bytes = 0;
	size_t n = b->n, depth = b->depth, full = full_at(b);
	struct tt_event *ev = b->ev;
	uint32_t *open = b->open;

	while (p <= last) {
		const unsigned tag = p[0];
		const uint8_t *q = p + 1;
		uint64_t t = time, v;
		uint32_t took;

		if (unlikely(n >= full)) {
			b->n = n;
			b->depth = depth;
			if ((*rc = tt_batch_room(b, 4096, r->err)) != TT_OK || (full = full_at(b)) <= n)
				break;
			ev = b->ev;
			open = b->open;
		}
		if (!near_time(&q, &t, quick))
			break;
		if (tag == MLPD_ALLOC_PLAIN && !r->objects) {
			if (!near_alloc(r, &q, &ev[n], (int64_t)t, depth, quick))
				break;
			bytes += ev[n++].dur;
			allocs++;
			time = t;
			p = q;
			continue;
		}
		if ((tag != MLPD_ENTER && tag != MLPD_LEAVE) || !near_signed(&q, &v, quick))
			break;
		v = (method + v) & mask;
		if (tag == MLPD_ENTER) {
			if (leaf(&q, &took, quick)) {
				ev[n++] = (struct tt_event){ .ts = (int64_t)t, .val = v, .dur = took, .depth = (uint16_t)depth, .kind = TT_ZONE };
				t += took;
			} else {
				ev[n] = (struct tt_event){ .ts = (int64_t)t, .val = v, .depth = (uint16_t)depth, .kind = TT_ZONE_BEGIN };
				open[depth++] = (uint32_t)n++;
			}
		} else {
			if (unlikely(depth == 0))
				break;
			struct tt_event *e = &ev[open[depth - 1]];
			uint64_t dur = t - (uint64_t)e->ts;
			if (unlikely(e->val != v || dur > UINT32_MAX))
				break;
			e->dur = (uint32_t)dur;
			e->kind = TT_ZONE;
			depth--;
		}
		time = called = t;
		method = v;
		p = q;
	}
	const uint64_t enters = n - n0 - allocs, leaves = enters + depth0 - depth;
	r->p = p;
	r->time = time + zero;
	r->method = method;
	b->n = n;
	b->depth = depth;
	if (enters + leaves == 0)
		return 0;
	r->floor = *call_ts = (int64_t)called;
	*events += enters + leaves + allocs;
	b->nzone += enters;
	b->nalloc += allocs;
	b->alloc_b += bytes;
	if (b->tally) {
		b->tally[MLPD_ENTER] += (uint32_t)enters;
		b->tally[MLPD_LEAVE] += (uint32_t)leaves;
		b->tally[MLPD_ALLOC_PLAIN] += (uint32_t)allocs;
	}
	return enters + leaves;
}

static uint64_t
hot_plain(struct mlpd_run *r, uint64_t *events, int64_t *call_ts, int *rc)
{
	return hot(r, events, call_ts, rc, false);
}

static TT_GATHERS uint64_t
hot_quick(struct mlpd_run *r, uint64_t *events, int64_t *call_ts, int *rc)
{
	return hot(r, events, call_ts, rc, true);
}

/* Decode one event of any kind. TT_END, with the state as before: the event is cut, or (*${unknown}) its length is not known. */
static int
any_event(struct mlpd_run *r, bool *unknown)
{
	const uint64_t time = r->time, method = r->method;
	const unsigned tag = *r->p++;
	int rc = tt_batch_room(r->b, 8, r->err);

	if (rc == TT_OK)
		rc = mlpd_event(r, tag, unknown);
	if (rc != TT_OK)
		return rc;
	if (unlikely(over(r) || *unknown)) {
		r->time = time;
		r->method = method;
		return TT_END;
	}
	if (r->b->tally)
		r->b->tally[tag]++;
	return TT_OK;
}

/* Handle an event at *${ev} that is cut or makes no sense. If ${more} follows, the next window begins with it and decides; otherwise the rest is damaged. */
static int
cut_event(struct mlpd_run *r, bool more, bool unknown, const uint8_t **ev)
{
	if (more && !unknown && (!r->bad || *ev > r->start))
		return TT_OK;
	int rc = gap(r, unknown ? TT_LOST_UNKNOWN : TT_LOST_DAMAGED, *ev);
	*ev = r->end;
	return rc;
}

int
mlpd_decode(const struct mlpd *m, const uint8_t *bytes, size_t n, uint64_t at, uint64_t tid, uint64_t state[4],
    bool more, struct tt_batch *b, size_t *used, struct tt_err *err)
{
	struct mlpd_seen seen[MLPD_SEEN];
	struct mlpd_run r = { .m = m, .b = b, .seen = seen, .p = bytes, .end = bytes + n, .start = bytes, .at = at,
		.time = state[MLPD_S_TIME], .ptr = state[MLPD_S_PTR], .obj = state[MLPD_S_OBJ],
		.method = state[MLPD_S_METHOD], .mask = m->mask, .zero = m->zero, .err = err,
		.heap = (b->needs & TT_NEEDS_HEAP) != 0, .graph = (b->needs & TT_NEEDS_GRAPH) != 0,
		.moves = (b->needs & (TT_NEEDS_HEAP | TT_NEEDS_MOVES)) != 0,
		.objects = (b->needs & TT_NEEDS_OBJECTS) != 0,
		.floor = b->base ? b->base->last_ts : INT64_MIN, .last = INT64_MIN };
	uint64_t events = 0, calls = 0, before = r.time;
	const uint8_t *ev = r.p;
	int64_t call_ts = 0;
	bool unknown = false;
	int rc = TT_OK;

	b->tid = tid;
	b->at = at;
	b->bytes = n;
	if (n > 0)
		tt_batch_time(b, now(&r));
	while (rc == TT_OK && r.p < r.end) {
		if (calls == 0 && b->nstack == 0)
			b->stack_from = now(&r);
		if ((*r.p == MLPD_ENTER || *r.p == MLPD_LEAVE) && likely(now(&r) >= r.floor))
			calls += m->quick ? hot_quick(&r, &events, &call_ts, &rc) : hot_plain(&r, &events, &call_ts, &rc);
		ev = r.p;
		if (rc != TT_OK || r.p >= r.end || (rc = any_event(&r, &unknown)) != TT_OK)
			break;
		events++;
		ev = r.p;
	}
	settle(b, &calls, call_ts);
	if (rc == TT_END)
		rc = cut_event(&r, more, unknown, &ev);
	if (rc == TT_OK)
		rc = tt_heap_flush(b, now(&r), err);
	b->nevent += events;
	if (n > 0 && r.time != before && r.time != 0)
		tt_batch_time(b, now(&r));
	state[MLPD_S_TIME] = r.time;
	state[MLPD_S_METHOD] = r.method;
	*used = (size_t)(ev - bytes);
	return rc;
}

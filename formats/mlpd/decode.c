/**
 * The loop over the events of an .mlpd buffer: calls, which are most of them, are read here, all others in events.c. Pure: it
 * knows the chunk and the opened capture, and changes neither.
 */
#include "mlpd/chunk_take.h"

#include "model/zones.h"

/* What stood open cannot be trusted any more: close it, at the last event, and say so. */
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

/* Enter and leave keep their time in a register; here it joins the other stack events'. */
static void
settle(struct tt_batch *b, uint64_t *calls, int64_t call_ts)
{
	if (*calls && (b->nstack == 0 || call_ts > b->stack_ts))
		b->stack_ts = call_ts;
	b->nstack += *calls;
	*calls = 0;
}

/* Join the seven low bits of each byte. */
static inline uint64_t
join_groups(uint64_t w)
{
	w = (w & 0x007f007f007f007fu) | (w & 0x7f007f007f007f00u) >> 1;
	w = (w & 0x00003fff00003fffu) | (w & 0x3fff00003fff0000u) >> 2;
	return (w & 0x000000000fffffffu) | (w & 0x0fffffff00000000u) >> 4;
}

/* Add the number at ${p} to the time, where it has one to three bytes; what follows it, else NULL. */
static inline const uint8_t *
near_time(const uint8_t *p, uint64_t *time)
{
	if (p[0] < 0x80) {
		*time += p[0];
		return p + 1;
	}
	if (p[1] < 0x80) {
		*time += (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
		return p + 2;
	}
	if (p[2] < 0x80) {
		*time += (uint64_t)(p[0] & 0x7f) | (uint64_t)(p[1] & 0x7f) << 7 | (uint64_t)p[2] << 14;
		return p + 3;
	}
	return NULL;
}

/* How many zones may begin before there must be more room. */
static inline size_t
room_for_zones(const struct tt_batch *b)
{
	size_t events = b->cap - b->n, open = b->capopen - b->depth;
	size_t least = events < open ? events : open, levels = b->depth < UINT16_MAX - 1 ? UINT16_MAX - 1 - b->depth : 0;

	return least < levels ? least : levels;
}

/*
 * Enter and leave, nine events of ten where calls are recorded. Times are one or two bytes nearly always, so
 * they branch; methods are one to seven bytes in no order a processor can guess, so they do not: one load, the first
 * byte without a high bit, and its groups joined (PEXT gained 1 % more and is not worth a second loop).
 * Everything that changes lives in registers. Stops before the first event of another kind or shape, and near
 * the end of the chunk.
 */
static uint64_t
hot(struct mlpd_run *r, uint64_t *events, int64_t *call_ts, int *rc)
{
	struct tt_batch *b = r->b;
	const uint8_t *p = r->p, *last = r->end - 16;
	const uint64_t mask = r->mask, zero = (uint64_t)r->zero;
	uint64_t time = r->time, method = r->method, calls = 0, enters = 0;
	size_t n = b->n, depth = b->depth, room = room_for_zones(b);
	struct tt_event *ev = b->ev;
	uint32_t *open = b->open;

	while (p <= last) {
		const unsigned tag = p[0];
		const uint8_t *q;
		uint64_t t, w;

		if (tag != MLPD_ENTER && tag != MLPD_LEAVE)
			break;
		t = time;
		if (!(q = near_time(p + 1, &t)))
			break;
		memcpy(&w, q, 8);
		uint64_t stops = ~w & 0x8080808080808080u;
		if (unlikely(stops == 0))
			break;
		unsigned top = (unsigned)__builtin_ctzll(stops) + 1;          /* 8 times the number of groups */
		unsigned up = 64 - (top - (top >> 3));                        /* brings the last group's sign to bit 63 */
		uint64_t delta = join_groups(w & (stops ^ (stops - 1)) & 0x7f7f7f7f7f7f7f7fu);
		uint64_t meth = (method + (uint64_t)((int64_t)(delta << up) >> up)) & mask;
		int64_t ts = (int64_t)(t - zero);
		if (tag == MLPD_ENTER) {
			if (unlikely(room < 8)) {
				b->n = n;
				b->depth = depth;
				if ((*rc = tt_batch_room(b, 4096, r->err)) != TT_OK || (room = room_for_zones(b)) == 0)
					break;
				ev = b->ev;
				open = b->open;
			}
			/* A leaf ends at once: its leave follows, with a time of one or two bytes and a method delta of 0. */
			const uint8_t *next = q + (top >> 3);
			uint32_t took = next[1] < 0x80 ? next[1] : (uint32_t)(next[1] & 0x7f) | (uint32_t)next[2] << 7;
			const uint8_t *zero_at = next + 2 + (next[1] >> 7);
			room--;
			enters++;
			if (next[0] == MLPD_LEAVE && *zero_at == 0 && took < 1u << 14) {
				ev[n++] = (struct tt_event){ .ts = ts, .val = meth, .dur = took, .depth = (uint16_t)depth,
					.kind = TT_ZONE };
				time = t + took;
				method = meth;
				p = zero_at + 1;
				calls += 2;
				continue;
			}
			ev[n] = (struct tt_event){ .ts = ts, .val = meth, .depth = (uint16_t)depth, .kind = TT_ZONE_BEGIN };
			open[depth++] = (uint32_t)n++;
		} else {
			if (unlikely(depth == 0 || depth >= UINT16_MAX))
				break;
			struct tt_event *e = &ev[open[depth - 1]];
			uint64_t dur = (uint64_t)ts - (uint64_t)e->ts;
			if (unlikely(e->val != meth || dur > UINT32_MAX))
				break;
			e->dur = (uint32_t)dur;
			e->kind = TT_ZONE;
			depth--;
		}
		time = t;
		method = meth;
		p = q + (top >> 3);
		calls++;
	}
	r->p = p;
	r->time = time;
	r->method = method;
	b->n = n;
	b->depth = depth;
	if (calls == 0)
		return 0;
	r->floor = *call_ts = now(r);
	*events += calls;
	b->nzone += enters;
	if (b->tally) {
		b->tally[MLPD_ENTER] += (uint32_t)enters;
		b->tally[MLPD_LEAVE] += (uint32_t)(calls - enters);
	}
	return calls;
}

/* Decode one event of any kind. TT_END, and the state is as before: it is not whole, or (*${unknown}) its length is not known. */
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

/*
 * The event at *${ev} is not whole, or makes no sense, which may be because it is not whole. Where ${more} comes, the next window begins with
 * it, and judges; else the rest makes no sense.
 */
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
			calls += hot(&r, &events, &call_ts, &rc);
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

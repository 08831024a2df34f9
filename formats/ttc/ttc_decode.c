/**
 * Decodes one chunk of .ttc: its state, the loop over its records, and its place in the thread. Pure: it reads the chunk and the opened capture, and changes
 * neither.
 */
#include "ttc/ttc_decode.h"

/* --- the state at the chunk's beginning -------------------------------------------------------- */

/* Read the state; with ${resume}, its zones begin again here as continued zones. */
static int
state(struct ttc_run *r, const uint8_t *end, bool resume)
{
	struct tt_batch *b = r->b;
	uint64_t depth, given, z, last = 0;
	int rc;

	if (!(r->p = ttc_get(r->p, end, &r->key)) || !(r->p = ttc_get(r->p, end, &r->alloc_key)) ||
	    !(r->p = ttc_get(r->p, end, &depth)) || !(r->p = ttc_get(r->p, end, &given)) || given > depth ||
	    given > TTC_STACK)
		return TT_E_DAMAGED;
	if ((rc = tt_batch_words(b, (size_t)given, &r->base_at, r->err)) != TT_OK ||
	    (rc = tt_batch_room(b, (size_t)given + 4, r->err)) != TT_OK)
		return rc;
	for (uint64_t i = 0; i < given; i++) {
		if (!(r->p = ttc_get(r->p, end, &z)))
			return TT_E_DAMAGED;
		last += ttc_zag(z);
		b->word[r->base_at + i] = last;
	}
	r->nbase = (size_t)given;
	if (!resume)
		return TT_OK;
	if (depth > given)
		tt_loss_add(&b->loss, TT_LOST_STACKS, 1, 0, b->at);
	for (uint64_t i = 0; i < given; i++)
		tt_zone_begin(b, ttc_ns(r->m, r->ticks), b->word[r->base_at + i], TT_F_CONT);
	if (given) {
		r->calls++;
		r->call_ts = ttc_ns(r->m, r->ticks);
	}
	r->nbase = 0;
	return TT_OK;
}

/* Relate the chunk to its thread: handle the thread's begin, or a gap. */
static int
arrive(struct ttc_run *r, unsigned flags)
{
	struct tt_event *e;

	if (flags & TTC_U_FIRST) {
		if (!(e = ttc_rare(r, TT_THREAD, r->b->tid)))
			return r->err->code;
	} else if (flags & TTC_U_GAP) {
		if (!(e = ttc_rare(r, TT_GAP, 0)))
			return r->err->code;
		e->flags = TT_F_BASE;
	}
	return TT_OK;
}

/* --- the loop ------------------------------------------------------------------------------------- */

/* Decode a record that is no begin, end or single; ${p} points to its kind byte. */
static int
other(struct ttc_run *r, const uint8_t *p)
{
	const uint8_t *payload;
	uint64_t size = 0;
	unsigned kind;

	if (unlikely(p >= r->end))
		return ttc_damaged(r, TT_LOST_DAMAGED);
	kind = *p++;
	payload = ttc_get(p, r->end, &size);
	if (unlikely(!payload || size > (uint64_t)(r->end - payload)))
		return ttc_damaged(r, TT_LOST_DAMAGED);
	r->p = payload + size;
	if (r->b->tally)
		r->b->tally[4 + (kind < 250 ? kind : 250)]++;
	return ttc_other(r, kind, payload, r->p);
}

static int
records(struct ttc_run *r)
{
	struct tt_batch *b = r->b;
	uint32_t *tally = b->tally;
	uint64_t t, v, n = 0;
	int rc = TT_OK;

	while (r->p < r->end && rc == TT_OK) {
		n += ttc_hot(r, &rc);
		if (unlikely(rc != TT_OK || r->p == r->end))
			break;
		const uint8_t *p = ttc_get_fast(r->p, r->end, &t);
		if (unlikely((rc = tt_batch_room(b, 8, r->err)) != TT_OK))
			break;
		if (unlikely(!p)) {
			rc = ttc_damaged(r, TT_LOST_DAMAGED);
			break;
		}
		r->ticks += t >> 2;
		switch (t & 3) {
		case TTC_BEGIN:
			p = ttc_get_fast(p, r->end, &v);
			if (unlikely(!p || p > r->end)) {
				rc = ttc_damaged(r, TT_LOST_DAMAGED);
				continue;
			}
			r->key += ttc_zag(v);
			ttc_begin(r, r->key, 0);
			n++;
			break;
		case TTC_END: {
			size_t d = b->depth;
			n++;
			if (likely(d > 0)) {
				r->call_ts = ttc_ns(r->m, r->ticks);
				r->calls++;
				rc = tt_zone_end(b, r->call_ts, b->ev[b->open[d - 1]].val, 0, r->err);
			} else {
				rc = ttc_end_zone(r, 0, 0);
			}
			break;
		}
		case TTC_ALLOC: {
			uint64_t bytes;
			p = ttc_get_fast(p, r->end, &v);
			if (unlikely(!p) || unlikely(!(p = ttc_get_fast(p, r->end, &bytes))) ||
			    unlikely(p > r->end)) {
				rc = ttc_damaged(r, TT_LOST_DAMAGED);
				continue;
			}
			r->alloc_key += ttc_zag(v);
			rc = ttc_alloc(r, bytes);
			n++;
			break;
		}
		default:
			rc = other(r, p);
			continue;
		}
		if (tally)
			tally[t & 3]++;
		r->p = p;
	}
	b->nevent += n;
	return rc;
}

/* Add a collection for each zone of Unity's GC.Collect, as other runtimes report collections. */
static int
collections(struct ttc_run *r)
{
	struct tt_batch *b = r->b;

	for (size_t i = 0, n = b->n; i < n; i++) {
		if (likely(b->ev[i].val != r->collect))
			continue;
		const struct tt_event e = b->ev[i];
		bool begins = e.kind == TT_ZONE || e.kind == TT_ZONE_BEGIN, ends = e.kind == TT_ZONE || e.kind == TT_ZONE_END;
		if ((!begins && !ends) || (e.flags & TT_F_CONT))
			continue;
		if (begins && !tt_batch_rare(b, TT_GC, e.ts, TT_GC_START, r->err))
			return r->err->code;
		if (ends && !tt_batch_rare(b, TT_GC, e.ts + e.dur, TT_GC_END, r->err))
			return r->err->code;
	}
	return TT_OK;
}

/* Mark zones of collections, locks and exceptions, which are not calls of the program; see tt_zone_begin_own(). */
static void
mark_own(struct tt_batch *b)
{
	for (struct tt_event *e = b->ev, *end = e + b->n; e < end; e++) {
		if ((e->kind != TT_ZONE && e->kind != TT_ZONE_BEGIN) || e->val < TT_KEY_SPECIAL || (e->flags & TT_F_CONT))
			continue;
		b->nzone--;
		e->flags |= e->val == TT_KEY_EXCEPTION ? TT_F_PIECES : 0;
	}
}

int
ttc_decode(const struct ttc *m, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err)
{
	const uint8_t *h = c->bytes;
	struct ttc_run r = { .m = m, .b = b, .err = err,
		.collect = atomic_load_explicit(&m->collect, memory_order_relaxed) };
	uint32_t nstate;
	int rc;

	b->tid = c->tid;
	b->at = c->at;
	b->bytes = c->len;
	b->keeps_strays = !m->mono;
	nstate = ttc_u32(h + 56);     /* at most the available bytes, see ttc_load */
	r.ticks = ttc_u64(h + 24);
	r.p = h + TTC_CHUNK_HEAD;
	r.end = h + c->len;
	if (ttc_u32(h + 4) == 0) {
		r.p += nstate;
		return ttc_define(&r);
	}
	rc = arrive(&r, (unsigned)c->state[0]);
	if (rc == TT_OK && (b->needs & TT_SKIM)) {
		r.p += nstate;
		tt_batch_time(b, ttc_ns(m, r.ticks));
		rc = ttc_skim(&r);
		tt_batch_time(b, ttc_ns(m, r.ticks));
		return rc;
	}
	TT_THEN(rc, state(&r, r.p + nstate, c->state[0] & (TTC_U_FIRST | TTC_U_GAP)));
	if (rc == TT_E_DAMAGED) {
		r.p = h + TTC_CHUNK_HEAD;
		return ttc_damaged(&r, TT_LOST_DAMAGED);
	}
	if (rc != TT_OK)
		return rc;
	r.p = h + TTC_CHUNK_HEAD + nstate;
	if (r.p < r.end || b->nrare) {
		tt_batch_time(b, ttc_ns(m, r.ticks));
		rc = records(&r);
		if (r.own)
			mark_own(b);
		if (rc == TT_OK && r.collect)
			rc = collections(&r);
		TT_THEN(rc, tt_heap_flush(b, ttc_ns(m, r.ticks), err));
		tt_batch_time(b, ttc_ns(m, r.ticks));
	}
	if (r.calls) {
		b->stack_from = ttc_ns(m, ttc_u64(h + 24));       /* time never runs backwards in a chunk */
		b->stack_ts = r.call_ts;
		b->nstack += r.calls;
	}
	return rc;
}

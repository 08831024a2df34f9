/**
 * Shared by the files that decode a chunk: ttc_decode.c (its state and the loop over its records), hot_records.c (begins and ends, and skimming),
 * rare_records.c (records of other kinds) and ttc_define.c (thread 0).
 *
 * A chunk reaches them only if its checksum is right, with TT_CHUNK_PAD readable bytes after it. Its contents may be wrong nevertheless: nonsense is counted
 * in the batch's ledger, and the only error is lack of memory.
 */
#ifndef TT_TTC_TTC_DECODE_H
#define TT_TTC_TTC_DECODE_H

#include "ttc/ttc.h"

#include "model/zones.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* The state of decoding a chunk: the position, and the values that records are relative to. */
struct ttc_run {
	const struct ttc *m;
	struct tt_batch *b;
	const uint8_t *p, *end;
	uint64_t ticks, key, alloc_key;
	uint64_t collect;             /* key of GC.Collect, or 0 */
	uint64_t base_at;             /* index in the batch's words of the keys of zones open before the chunk, outermost first */
	size_t nbase;                 /* number of these zones that are still open */
	uint64_t calls;               /* number of begins and ends */
	bool own;                     /* true: some zones may not be the program's: keys from TT_KEY_SPECIAL up */
	int64_t call_ts;
	struct tt_err *err;
};

static inline int64_t
ttc_ns(const struct ttc *m, uint64_t ticks)
{
	__extension__ typedef __int128 wide;

	return (int64_t)((wide)(int64_t)(ticks - m->head.ticks) * (int64_t)m->mult >> (m->shift & 63));
}

/* Count the rest of the chunk as damaged: it makes no sense although its checksum is right. */
static inline int
ttc_damaged(struct ttc_run *r, enum tt_loss_kind kind)
{
	struct tt_batch *b = r->b;

	tt_loss_add(&b->loss, kind, 1, (uint64_t)(r->end - r->p), b->at);
	r->p = r->end;
	return TT_OK;
}

/* --- records that come often: inline where they are read ----------------------------------- */

static inline void
ttc_begin(struct ttc_run *r, uint64_t key, unsigned flags)
{
	r->call_ts = ttc_ns(r->m, r->ticks);
	tt_zone_begin(r->b, r->call_ts, key, flags);
	r->own |= key >= TT_KEY_SPECIAL;
	r->calls++;
}

/* End the zone below ${above} others, as determined by the recorder. Its key is looked up in this chunk or among the zones open before it. */
static inline int
ttc_end_zone(struct ttc_run *r, uint64_t above, unsigned flags)
{
	struct tt_batch *b = r->b;
	uint64_t key;

	if (above < b->depth) {
		key = b->ev[b->open[b->depth - 1 - above]].val;
	} else if (above - b->depth < r->nbase) {
		for (size_t i = b->depth; i < above; i++)
			if (b->word[r->base_at + --r->nbase] == r->collect && r->collect &&
			    !tt_batch_rare(b, TT_GC, ttc_ns(r->m, r->ticks), TT_GC_END, r->err))
				return r->err->code;
		key = b->word[r->base_at + --r->nbase];
	} else {
		tt_loss_add(&b->loss, TT_LOST_UNMATCHED, 1, 0, b->at);
		return TT_OK;
	}
	r->call_ts = ttc_ns(r->m, r->ticks);
	r->calls++;
	return tt_zone_end(b, r->call_ts, key, flags & 1 ? TT_F_UNWIND : 0, r->err);
}

static inline int
ttc_end_key(struct ttc_run *r, uint64_t key, unsigned flags)
{
	r->call_ts = ttc_ns(r->m, r->ticks);
	r->calls++;
	return tt_zone_end(r->b, r->call_ts, key, flags & 1 ? TT_F_UNWIND : 0, r->err);
}

static inline int
ttc_alloc(struct ttc_run *r, uint64_t bytes)
{
	struct tt_batch *b = r->b;
	struct tt_event *e = &b->ev[b->n++];

	*e = (struct tt_event){ .ts = ttc_ns(r->m, r->ticks), .val = r->alloc_key, .dur = (uint32_t)bytes,
		.depth = b->depth < UINT16_MAX ? (uint16_t)b->depth : UINT16_MAX, .kind = TT_ALLOC };
	if (unlikely(bytes > UINT32_MAX)) {
		e->dur = UINT32_MAX;
		e->flags = TT_F_WIDE | TT_F_MORE;
		b->ev[b->n++] = (struct tt_event){ .kind = TT_EXT, .ts = (int64_t)bytes };
	}
	b->nalloc++;
	b->alloc_b += bytes;
	return TT_OK;
}

static inline struct tt_event *
ttc_rare(struct ttc_run *r, enum tt_kind kind, uint64_t val)
{
	return tt_batch_rare(r->b, kind, ttc_ns(r->m, r->ticks), val, r->err);
}

/* Read a number quickly if it has one to three bytes, as nearly all have. The caller checks that 16 bytes are readable. */
static inline const uint8_t *
ttc_get_fast(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t x = p[0];

	if (likely(x < 0x80)) {
		*v = x;
		return p + 1;
	}
	x = (x & 0x7f) | (uint64_t)p[1] << 7;
	if (likely(p[1] < 0x80)) {
		*v = x;
		return p + 2;
	}
	if (likely(p[2] < 0x80)) {
		*v = (x & 0x3fff) | (uint64_t)p[2] << 14;
		return p + 3;
	}
	return ttc_get(p, end, v);
}

/*
 * hot_records.c: read consecutive begins and ends; return their number. Stops before the first record of another kind or of more than six bytes, before an
 * end that needs the rules of model/zones.h, and near the end of the chunk.
 */
uint64_t ttc_hot(struct ttc_run *r, int *rc);
/* hot_records.c: read only the chunk's frames, its thread's end, its last time, and the numbers of zones and allocations. */
int ttc_skim(struct ttc_run *r);
/* rare_records.c: decode a record with a kind byte and a payload. */
int ttc_other(struct ttc_run *r, unsigned kind, const uint8_t *p, const uint8_t *end);
/* ttc_define.c: the records of thread 0. */
int ttc_define(struct ttc_run *r);

#endif

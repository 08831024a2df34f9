/**
 * The loops over begins and ends of zones, which take nearly all of the decoding time. They use the x86 instruction that gathers bits (PEXT) where the
 * processor has it.
 */
#include "base/extract_bits.h"
#include "ttc/ttc_decode.h"

/* Gather the bits of ${x} under ${mask}: the low seven bits of consecutive bytes, but the upper five of the first. */
static inline __attribute__((always_inline)) uint64_t
gather(uint64_t x, uint64_t mask, bool quick)
{
	if (quick)
		return tt_extract_bits(x, mask);
	return mask ? tt_extract_sevens((x & mask) >> (__builtin_ctzll(mask) & ~7), false) >> (__builtin_ctzll(mask) & 7) : 0;
}

/*
 * Return the form of the record whose first eight bytes are ${w}: its type, and in which of six bytes its numbers end. A table describes the begins and ends
 * of each form, so there is no branch on type or lengths: these are unpredictable, and a misprediction costs as much as several records.
 */
static inline __attribute__((always_inline)) unsigned
form_of(uint64_t w, bool quick)
{
	if (quick)
		return (unsigned)tt_extract_bits(w, 0x808080808083);
	return (unsigned)(((w & 0x808080808080) >> 7) * 0x0102040810204080 >> 56 << 2 | (w & 3));
}

void
ttc_fill_forms(struct ttc *m)
{
	for (unsigned f = 0; f < TTC_FORMS; f++) {
		unsigned more = f >> 2, time = 0, key = 0;    /* bytes of the two numbers */
		while (more >> time & 1)
			time++;
		time++;
		while ((f & 3) == TTC_BEGIN && more >> (time + key) & 1)
			key++;
		key += (f & 3) == TTC_BEGIN;
		if ((f & 3) > TTC_END || time + key > 6)
			continue;
		const uint64_t low = 0x7f7f7f7f7f7f7f7f;
		m->length[f] = (uint8_t)(time + key);
		m->form[f].time = low >> (64 - 8 * time) & ~(uint64_t)3;
		m->form[f].key = (low >> (64 - 8 * (time + key))) ^ (low >> (64 - 8 * time));
	}
}
_Static_assert(TTC_BEGIN == 0 && TTC_END == 1, "see form_of");

/* Read a begin with arguments as a plain begin, as the arguments are not wanted. NULL: it is another record. */
static const uint8_t *
begin_bare(const uint8_t *p, const uint8_t *end, uint64_t *t, uint64_t *v)
{
	uint64_t n;

	*t = *v = 0;
	if (!(p = ttc_get_fast(p, end, t)) || (*t & 3) != TTC_OTHER || *p != TTC_BEGIN_ARGS ||
	    !(p = ttc_get_fast(p + 1, end, &n)) || n > (uint64_t)(end - p) || !ttc_get(p, p + n, v))
		return NULL;
	return p + n;
}

/*
 * Read begins and ends. All changing values are in registers, and begins and ends take the same steps, because their order is unpredictable.
 *
 * Time is ticks * mult >> shift: ticks and factor are shifted beforehand so that the time is the upper half of the product.
 */
static inline __attribute__((always_inline)) uint64_t
hot_loop(struct ttc_run *r, int *rc, bool quick)
{
	enum { BLOCK = 4096 };        /* maximum bytes, and so maximum records */
	__extension__ typedef unsigned __int128 wide;
	struct tt_batch *b = r->b;
	const struct ttc *m = r->m;
	const uint8_t *p = r->p;
	const uint64_t zero = m->head.ticks, n0 = b->n, depth0 = b->depth, mult = m->mult << 2;
	const unsigned up = (62 - m->shift) & 63;
	const bool bare = !(b->needs & TT_NEEDS_ARGS) && !b->tally;
	uint64_t ticks = (r->ticks - zero) << up, key = r->key, n = n0, depth = depth0;
	bool more = up <= 8, own = key >= TT_KEY_SPECIAL;

	while (more && r->end - p >= 32 && depth < UINT16_MAX - BLOCK && ticks >> 61 == 0 && (r->ticks - zero) >> 52 == 0) {
		b->n = (size_t)n;
		b->depth = (size_t)depth;
		if ((*rc = tt_batch_room(b, BLOCK + 1, r->err)) != TT_OK)
			break;
		const uint8_t *stop = r->end - p < BLOCK ? r->end - 31 : p + BLOCK - 31;
		struct tt_event *ev = b->ev;
		uint32_t *open = b->open;

		for (more = false; p < stop; more = p >= stop) {
			const uint64_t w = ttc_u64(p);
			const unsigned form = form_of(w, quick);
			uint64_t is = ~form & 1, t = gather(w, m->form[form].time, quick), v = gather(w, m->form[form].key, quick);
			const uint8_t *q = p + m->length[form];
			if (unlikely(q == p)) {
				uint64_t time, of;
				if (!bare || !(q = begin_bare(p, r->end, &time, &of)))
					break;
				t = time >> 2;
				v = of;
				is = 1;
				own |= key + ttc_zag(v) >= TT_KEY_SPECIAL;
			}
			uint64_t top = depth + is - 1;        /* index of the zone that begins or ends */
			if (unlikely((int64_t)top < 0))
				break;
			int64_t at = (int64_t)((wide)(ticks + (t << up)) * mult >> 64);
			/* Write the zone as if it began. After an end, the next event overwrites it; after a begin, it becomes the top of the stack. */
			ev[n].ts = at;
			ev[n].val = key + ttc_zag(v);
			ev[n].depth = (uint16_t)depth;
			ev[n].flags = 0;
			open[depth] = (uint32_t)n;
			struct tt_event *e = &ev[open[top]];
			uint64_t dur = (uint64_t)at - (uint64_t)e->ts;
			if (unlikely(dur > UINT32_MAX))
				break;
			e->dur = (uint32_t)dur;
			e->kind = (uint8_t)(TT_ZONE + is);
			n += is;
			depth = top + is;
			key += ttc_zag(v);
			ticks += t << up;
			p = q;
		}
	}
	if (p == r->p)
		return 0;
	const uint64_t begun = n - n0, records = 2 * begun - (depth - depth0);
	r->p = p;
	r->ticks = (ticks >> up) + zero;
	r->key = key;
	r->call_ts = ttc_ns(m, r->ticks);
	r->calls += records;
	r->own |= own;
	b->nzone += begun;
	b->n = (size_t)n;
	b->depth = (size_t)depth;
	if (b->tally) {
		b->tally[TTC_BEGIN] += (uint32_t)begun;
		b->tally[TTC_END] += (uint32_t)(records - begun);
	}
	return records;
}
_Static_assert(TT_ZONE_BEGIN == TT_ZONE + 1, "see hot_loop");

static uint64_t
hot_plain(struct ttc_run *r, int *rc)
{
	return hot_loop(r, rc, false);
}

static TT_EXTRACTS_BITS uint64_t
hot_quick(struct ttc_run *r, int *rc)
{
	return hot_loop(r, rc, true);
}

uint64_t
ttc_hot(struct ttc_run *r, int *rc)
{
	return r->m->extracts_bits ? hot_quick(r, rc) : hot_plain(r, rc);
}

/* Count the begin, end or allocation that begins with the number ${t}; ${p} is after that number. Return the place after the record, or NULL. */
static inline const uint8_t *
skim_short(struct tt_batch *b, const uint8_t *p, const uint8_t *end, uint64_t t)
{
	const unsigned type = t & 3;
	uint64_t v;

	if (type != TTC_END && !(p = ttc_get(p, end, &v)))
		return NULL;
	if (type == TTC_ALLOC && !(p = ttc_get(p, end, &v)))
		return NULL;
	b->nzone += type == TTC_BEGIN;
	b->nalloc += type == TTC_ALLOC;
	return p;
}

static inline __attribute__((always_inline)) int
skim_loop(struct ttc_run *r, bool quick)
{
	struct tt_batch *b = r->b;
	const struct ttc *m = r->m;
	const uint8_t *p = r->p, *end = r->end, *q;
	uint64_t t, v;
	unsigned kind;
	int rc = TT_OK;

	while (p < end && rc == TT_OK) {
		uint64_t ticks = 0, begun = 0;
		while (end - p >= 32) {
			const uint64_t w = ttc_u64(p);
			const unsigned form = form_of(w, quick);
			if (unlikely(m->length[form] == 0)) {
				if (!(q = begin_bare(p, end, &t, &v)))
					break;
				ticks += t >> 2;
				begun++;
				p = q;
				continue;
			}
			ticks += gather(w, m->form[form].time, quick);
			begun += ~form & 1;
			p += m->length[form];
		}
		r->ticks += ticks;
		b->nzone += begun;
		if (p == end || !(p = ttc_get(p, end, &t)))
			break;
		r->ticks += t >> 2;
		if ((t & 3) != TTC_OTHER) {
			if (!(p = skim_short(b, p, end, t)))
				break;
			continue;
		}
		if (p == end)
			break;
		kind = *p++;
		if (!(p = ttc_get(p, end, &v)) || v > (uint64_t)(end - p))
			break;
		p += v;
		if (kind == TTC_FRAME || kind == TTC_THREAD_END || kind == TTC_RESET || (kind >= 16 && kind != TTC_TIMING))
			rc = ttc_other(r, kind, p - v, p);
		b->nzone += kind == TTC_BEGIN_ARGS;
		b->nalloc += kind == TTC_ALLOC_ARGS;
	}
	return rc;
}

static int
skim_plain(struct ttc_run *r)
{
	return skim_loop(r, false);
}

static TT_EXTRACTS_BITS int
skim_quick(struct ttc_run *r)
{
	return skim_loop(r, true);
}

int
ttc_skim(struct ttc_run *r)
{
	return r->m->extracts_bits ? skim_quick(r) : skim_plain(r);
}

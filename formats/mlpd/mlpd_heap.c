/**
 * Decodes the heap shots of .mlpd: objects, references, roots.
 *
 * Nine bytes in ten of a capture with shots are references. If no table needs them, they are skipped eight bytes at a time.
 */
#include "mlpd/chunk_take.h"

/* Skip ${k} numbers by counting their last bytes. A number of more than ten bytes is damage, as everywhere. */
static void
skip_numbers(struct mlpd_run *r, uint64_t k)
{
	const uint8_t *p = r->p;
	unsigned run = 0;             /* bytes before p that belong to an incomplete number */

	while (k > 0 && p <= r->end) {
		uint64_t w;

		memcpy(&w, p, sizeof w);
		uint64_t stops = ~w & 0x8080808080808080u;
		unsigned lead = stops ? (unsigned)__builtin_ctzll(stops) >> 3 : 8;
		if (unlikely(run + lead >= 10)) {
			r->bad = true;
			return;
		}
		if (stops == 0) {
			run += 8;
			p += 8;
			continue;
		}
		uint64_t n = (stops >> 7) * 0x0101010101010101u >> 56;
		if (n < k) {
			k -= n;
			run = (unsigned)__builtin_clzll(stops) >> 3;
			p += 8;
			continue;
		}
		while (--k > 0)
			stops &= stops - 1;
		p += ((unsigned)__builtin_ctzll(stops) >> 3) + 1;
	}
	r->p = p;
}

/* Store the references of an object as words: ${n} pairs, or with ${flat} ${n} objects. *${first}: the first word. */
static int
take_refs(struct mlpd_run *r, uint64_t n, bool flat, uint64_t *first)
{
	uint64_t off = 0, *to;
	int rc = tt_batch_words(r->b, (size_t)(flat ? n : 2 * n), first, r->err);

	if (rc != TT_OK)
		return rc;
	to = r->b->word + *first;
	for (uint64_t i = 0; i < n && r->p <= r->end; i++) {
		if (r->m->version >= 2)
			off += take_u(r);
		if (!flat)
			*to++ = off;
		*to++ = take_obj(r);
	}
	return TT_OK;
}

/* Put the object and its references as events, for outputs that write each object. */
static int
put_object(struct mlpd_run *r, uint64_t o, uint64_t cls, uint64_t size, unsigned gen, uint64_t n)
{
	uint64_t at, refs;
	int rc = tt_batch_words(r->b, 1, &at, r->err);

	if (rc != TT_OK)
		return rc;
	r->b->word[at] = cls;
	rc = take_refs(r, n, false, &refs);
	if (rc != TT_OK || over(r))
		return rc;
	struct tt_event *e = tt_batch_rare(r->b, TT_HEAP_OBJECT, now(r), o, r->err);
	if (!e)
		return r->err->code;
	e->depth = (uint16_t)gen;
	e->dur = (uint32_t)n;
	tt_batch_ext(r->b, e, (int64_t)size, at, 0);
	return TT_OK;
}

/* Add the object and its references after the words of earlier objects. Its class comes last in the file. */
static int
put_graph(struct mlpd_run *r, uint64_t o, bool more, uint64_t n, uint64_t *head)
{
	struct tt_heap_sum *s = &r->b->heap;
	uint64_t refs;
	int rc = TT_OK;

	/* If other words follow the pending ones, write the pending ones first. */
	if (s->ngraph && s->graph + s->ngraph != r->b->nword)
		rc = tt_heap_flush(r->b, now(r), r->err);
	TT_THEN(rc, tt_batch_words(r->b, 2, head, r->err));
	if (rc != TT_OK)
		return rc;
	r->b->word[*head] = o | more;
	rc = take_refs(r, n, true, &refs);
	if (rc != TT_OK || over(r)) {
		r->b->nword = (size_t)*head;
		return rc;
	}
	if (s->ngraph == 0)
		s->graph = *head;
	s->ngraph += 2 + n;
	return TT_OK;
}

static int
sum_up(struct mlpd_run *r, uint64_t o, uint64_t cls, uint64_t size, uint64_t n, uint64_t head)
{
	struct tt_heap_sum *s = &r->b->heap;
	struct tt_heap_class *c = tt_heap_sum_at(s, r->b->mem, cls, r->err);

	if (!c)
		return r->err->code;
	c->n += size != 0;
	c->more += size == 0;
	c->bytes += size;
	c->refs += (uint32_t)n;
	if (r->graph)
		r->b->word[head + 1] = n << 32 | s->last;
	if (size > 0 && (s->nbig < TT_HEAP_BIGGEST || size >= s->big[TT_HEAP_BIGGEST - 1].size))
		tt_heap_add_big(s->big, &s->nbig, &(struct tt_heap_big){ o, cls, size });
	return TT_OK;
}

int
mlpd_shot_object(struct mlpd_run *r)
{
	unsigned v = r->m->version;
	uint64_t o = take_obj(r), cls = take_ptr(r), size = from_int(take_u(r));
	unsigned gen = v >= 16 ? take_u8(r) : 0;
	uint64_t n = from_int(take_u(r)), head = 0;
	int rc = TT_OK;

	if (n > left(r)) {
		r->bad = true;
		return TT_OK;
	}
	/* Different outputs may want each object, or the graph. */
	const uint8_t *refs = r->p;
	if (r->heap)
		rc = put_object(r, o, cls, size, gen, n);
	if (r->graph && rc == TT_OK && !over(r)) {
		r->p = refs;
		rc = put_graph(r, o, size == 0, n, &head);
	}
	if (!r->heap && !r->graph)
		skip_numbers(r, v >= 2 ? 2 * n : n);
	if (rc != TT_OK || over(r))
		return rc;
	return sum_up(r, o, cls, size, n, head);
}

int
mlpd_shot_roots(struct mlpd_run *r)
{
	unsigned v = r->m->version;
	uint64_t n = take_u(r), first = 0, before = r->b->nword, done = 0;
	int rc = TT_OK;

	if (v < 15)
		take_u(r);
	if (n > left(r)) {
		r->bad = true;
		return TT_OK;
	}
	if (r->graph)
		rc = tt_batch_words(r->b, 2 * (size_t)n, &first, r->err);
	for (; done < n && rc == TT_OK && !over(r); done++) {
		uint64_t slot = 0, kind = 0, extra = 0, o;
		if (v >= 15) {
			slot = take_ptr(r);
			o = take_obj(r);
		} else {
			o = take_obj(r);
			kind = v == 13 ? take_u8(r) : take_u(r);
			extra = take_u(r);
		}
		if (over(r))
			break;
		if (r->graph) {
			r->b->word[first + 2 * done] = v >= 15 ? slot : kind;
			r->b->word[first + 2 * done + 1] = o;
		}
		if (!r->heap)
			continue;
		struct tt_event *e = tt_batch_rare(r->b, TT_HEAP_ROOT, now(r), o, r->err);
		if (!e)
			return r->err->code;
		e->depth = (uint16_t)kind;
		e->dur = (uint32_t)extra;
		tt_batch_ext(r->b, e, (int64_t)slot, 0, 0);
	}
	if (rc != TT_OK || over(r)) {
		r->b->nword = (size_t)before;
		return rc;
	}
	struct tt_event *e = tt_batch_rare(r->b, TT_HEAP_ROOTS, now(r), n, r->err);
	if (!e)
		return r->err->code;
	if (r->graph)
		tt_batch_ext(r->b, e, 0, first, 2 * n);
	return TT_OK;
}

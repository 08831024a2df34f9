/**
 * Decodes heap shots of .ttc: objects, references, roots. They are summed up as in model/heap.h, or kept one by one if wanted.
 */
#include "ttc/ttc.h"

int
ttc_heap_shot(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err)
{
	bool end = ttc_byte(t) != 0;
	uint64_t which = ttc_number(t);
	int rc = tt_heap_flush(b, ts, err);

	for (unsigned i = 0; i < 2 && end; i++)
		ttc_number(t);        /* its objects were counted */
	if (rc != TT_OK || t->bad)
		return rc;
	struct tt_event *e = tt_batch_rare(b, TT_HEAP_SHOT, ts, which, err);
	if (!e)
		return err->code;
	e->flags = end ? TT_F_END : 0;
	return TT_OK;
}

/* --- objects ------------------------------------------------------------------- */

struct object {
	uint64_t at, class, size;     /* at: address of the object >> 3, as in the record */
	unsigned gen;
	size_t n;                     /* number of references */
};

/* Add the references of ${o} to the words: with ${pairs} as pairs of offset and object, else objects only. */
static int
take_refs(struct tt_batch *b, struct ttc_take *t, const struct object *o, bool pairs, uint64_t *first, struct tt_err *err)
{
	uint64_t ref = o->at;
	int rc = tt_batch_words(b, (pairs ? 2 : 1) * o->n, first, err);

	if (rc != TT_OK)
		return rc;
	uint64_t *to = b->word + *first;
	for (size_t i = 0; i < o->n; i++) {
		uint64_t offset = ttc_number(t);
		ref += ttc_zag(ttc_number(t));
		if (pairs)
			*to++ = offset;
		*to++ = ref << 3;
	}
	return TT_OK;
}

static int
put_object(struct tt_batch *b, int64_t ts, struct ttc_take *t, const struct object *o, struct tt_err *err)
{
	uint64_t first, refs;
	int rc = tt_batch_words(b, 1, &first, err);

	if (rc != TT_OK)
		return rc;
	b->word[first] = o->class;
	if ((rc = take_refs(b, t, o, true, &refs, err)) != TT_OK || t->bad)
		return rc;
	if ((rc = tt_batch_room(b, 8, err)) != TT_OK)
		return rc;
	struct tt_event *e = tt_batch_rare(b, TT_HEAP_OBJECT, ts, o->at << 3, err);
	if (!e)
		return err->code;
	e->depth = (uint16_t)o->gen;
	e->dur = (uint32_t)o->n;
	tt_batch_ext(b, e, (int64_t)o->size, first, 0);
	return TT_OK;
}

/* Add the object and its references after the words of earlier objects; *${head}: its first word. */
static int
put_graph(struct tt_batch *b, int64_t ts, struct ttc_take *t, const struct object *o, uint64_t *head, struct tt_err *err)
{
	struct tt_heap_sum *s = &b->heap;
	uint64_t refs;
	int rc = TT_OK;

	/* If other words follow the pending ones, write the pending ones first. */
	if (s->ngraph && s->graph + s->ngraph != b->nword)
		rc = tt_heap_flush(b, ts, err);
	TT_THEN(rc, tt_batch_words(b, 2, head, err));
	if (rc != TT_OK)
		return rc;
	b->word[*head] = o->at << 3 | (o->size == 0);
	rc = take_refs(b, t, o, false, &refs, err);
	if (rc != TT_OK || t->bad) {
		b->nword = (size_t)*head;
		return rc;
	}
	if (s->ngraph == 0)
		s->graph = *head;
	s->ngraph += 2 + o->n;
	return TT_OK;
}

static int
sum_up(struct tt_batch *b, const struct object *o, uint64_t head, struct tt_err *err)
{
	struct tt_heap_sum *s = &b->heap;
	struct tt_heap_class *c = tt_heap_sum_at(s, b->mem, o->class, err);

	if (!c)
		return err->code;
	c->n += o->size != 0;
	c->more += o->size == 0;
	c->bytes += o->size;
	c->refs += (uint32_t)o->n;
	if (b->needs & TT_NEEDS_GRAPH)
		b->word[head + 1] = (uint64_t)o->n << 32 | s->last;
	if (o->size > 0 && (s->nbig < TT_HEAP_BIGGEST || o->size >= s->big[TT_HEAP_BIGGEST - 1].size))
		tt_heap_add_big(s->big, &s->nbig, &(struct tt_heap_big){ o->at << 3, o->class, o->size });
	return TT_OK;
}

static void
skip_refs(struct ttc_take *t, size_t n)
{
	for (size_t i = 0; i < 2 * n && !t->bad; i++)
		ttc_number(t);
}

int
ttc_heap_objects(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err)
{
	struct object o = { 0 };
	int rc = TT_OK;

	while (rc == TT_OK && !t->bad && t->p < t->end) {
		uint64_t head = 0;
		o.at += ttc_zag(ttc_number(t));
		o.class += ttc_zag(ttc_number(t));
		o.size = ttc_number(t);
		o.gen = (unsigned)ttc_number(t);
		o.n = ttc_count(t);
		if (t->bad)
			break;
		/* Different outputs may want each object, or the graph. */
		const struct ttc_take refs = *t;
		if (b->needs & TT_NEEDS_HEAP)
			rc = put_object(b, ts, t, &o, err);
		if (b->needs & TT_NEEDS_GRAPH && rc == TT_OK && !t->bad) {
			*t = refs;
			rc = put_graph(b, ts, t, &o, &head, err);
		}
		if (!(b->needs & (TT_NEEDS_HEAP | TT_NEEDS_GRAPH)))
			skip_refs(t, o.n);
		if (rc == TT_OK && !t->bad)
			rc = sum_up(b, &o, head, err);
	}
	return rc;
}

/* --- roots ----------------------------------------------------------------------- */

int
ttc_heap_roots(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err)
{
	uint64_t first, before = b->nword, slot = 0, object = 0;
	size_t n = 2 * ttc_count(t);
	int rc = tt_batch_words(b, n, &first, err);

	for (size_t i = 0; rc == TT_OK && i < n; i += 2) {
		b->word[first + i] = slot += ttc_zag(ttc_number(t));
		b->word[first + i + 1] = (object += ttc_zag(ttc_number(t))) << 3;
	}
	if (rc == TT_OK && !t->bad)
		rc = tt_batch_room(b, 8, err);
	if (rc != TT_OK || t->bad)
		return rc;
	for (size_t i = 0; rc == TT_OK && i < n && b->needs & TT_NEEDS_HEAP; i += 2) {
		struct tt_event *e = tt_batch_rare(b, TT_HEAP_ROOT, ts, b->word[first + i + 1], err);
		if (!e)
			return err->code;
		tt_batch_ext(b, e, (int64_t)b->word[first + i], 0, 0);
		rc = tt_batch_room(b, 8, err);
	}
	struct tt_event *e = rc == TT_OK ? tt_batch_rare(b, TT_HEAP_ROOTS, ts, n / 2, err) : NULL;
	if (!e)
		return err->code;
	if (b->needs & TT_NEEDS_GRAPH)
		tt_batch_ext(b, e, 0, first, n);
	else
		b->nword = (size_t)before;
	return TT_OK;
}

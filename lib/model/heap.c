/**
 * Sums up heap objects by class, a batch at a time.
 */
#include "model/heap.h"

#include <string.h>

#include "base/hash_seed.h"
#include "model/event.h"

void
tt_heap_sum_free(struct tt_heap_sum *s, struct tt_mem *mem)
{
	tt_mem_free(mem, s->c, s->cap * sizeof *s->c);
	tt_map_free(&s->at, mem);
	memset(s, 0, sizeof *s);
}

void
tt_heap_sum_reset(struct tt_heap_sum *s)
{
	tt_map_clear(&s->at);
	s->n = s->nbig = 0;
	s->last = 0;
	s->ngraph = 0;
}

struct tt_heap_class *
tt_heap_sum_at(struct tt_heap_sum *s, struct tt_mem *mem, uint64_t key, struct tt_err *err)
{
	if (s->last < s->n && s->c[s->last].key == key)
		return &s->c[s->last];
	uint64_t hash = tt_seeded_mix(0, key);
	uint32_t at = tt_map_find(&s->at, hash, i, s->c[i].key == key);
	if (!at) {
		if (tt_map_push(&s->at, mem, hash, &s->c, &s->cap, s->n, err) != TT_OK)
			return NULL;
		s->c[s->n] = (struct tt_heap_class){ .key = key };
		at = (uint32_t)++s->n;
	}
	s->last = at - 1;
	return &s->c[s->last];
}

/* Largest first; of one size the lower address. */
static bool
before(const struct tt_heap_big *a, const struct tt_heap_big *b)
{
	return a->size != b->size ? a->size > b->size : a->object < b->object;
}

void
tt_heap_add_big(struct tt_heap_big *big, size_t *n, const struct tt_heap_big *o)
{
	size_t i = *n;

	if (i == TT_HEAP_BIGGEST && !before(o, &big[i - 1]))
		return;
	if (i == TT_HEAP_BIGGEST)
		i--;
	else
		++*n;
	for (; i > 0 && before(o, &big[i - 1]); i--)
		big[i] = big[i - 1];
	big[i] = *o;
}

/* Append an event with a second slot. */
static int
put(struct tt_batch *b, enum tt_kind kind, int64_t ts, uint64_t val, uint32_t dur, struct tt_event ext,
    struct tt_err *err)
{
	struct tt_event *e = tt_batch_rare(b, kind, ts, val, err);

	if (!e)
		return err->code;
	e->dur = dur;
	e->flags = TT_F_MORE;
	ext.kind = TT_EXT;
	b->ev[b->n++] = ext;
	return TT_OK;
}

int
tt_heap_flush(struct tt_batch *b, int64_t ts, struct tt_err *err)
{
	struct tt_heap_sum *s = &b->heap;
	int rc = TT_OK;

	if (s->n == 0)
		return TT_OK;
	for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
		const struct tt_heap_class *c = &s->c[i];
		rc = put(b, TT_HEAP_CLASS, ts, c->key, c->more,
		    (struct tt_event){ .ts = (int64_t)c->bytes, .val = c->n, .dur = c->refs }, err);
	}
	for (size_t i = 0; i < s->nbig && rc == TT_OK; i++) {
		const struct tt_heap_big *o = &s->big[i];
		rc = put(b, TT_HEAP_BIG, ts, o->object, 0, (struct tt_event){ .ts = (int64_t)o->size, .val = o->key }, err);
	}
	if (rc == TT_OK && s->ngraph)
		rc = put(b, TT_HEAP_GRAPH, ts, s->graph, 0, (struct tt_event){ .val = s->ngraph }, err);
	tt_heap_sum_reset(s);
	return rc;
}

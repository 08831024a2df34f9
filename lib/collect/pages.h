/**
 * A long array of numbers in pages that never move, except the first one, which begins small: growing copies nothing else, so the peak of memory is its size,
 * and a short array costs little.
 */
#ifndef TT_COLLECT_PAGES_H
#define TT_COLLECT_PAGES_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

enum { TT_PAGE_BITS = 16, TT_PAGE = 1 << TT_PAGE_BITS, TT_FIRST_PAGE = 1 << 6 };

struct tt_pages {
	struct tt_mem *mem;
	uint32_t **page;
	size_t npage, cappage;
	size_t first;                 /* capacity of page 0: a power of two, TT_PAGE if there are more pages */
	size_t n;
};

static inline size_t
tt_pages_cap(const struct tt_pages *p)
{
	return p->npage > 1 ? p->npage << TT_PAGE_BITS : p->first;
}

static inline uint32_t *
tt_pages_at(const struct tt_pages *p, size_t i)
{
	return &p->page[i >> TT_PAGE_BITS][i & (TT_PAGE - 1)];
}

/* Make room for ${n} numbers; new ones are zero. */
static inline int
tt_pages_room(struct tt_pages *p, size_t n, struct tt_err *err)
{
	size_t first = p->first ? p->first : TT_FIRST_PAGE;

	if (n <= tt_pages_cap(p))
		return TT_OK;
	while (first < n && first < TT_PAGE)
		first *= 2;
	while (p->npage == 0 || p->npage << TT_PAGE_BITS < n) {
		int rc = tt_mem_grow(p->mem, &p->page, &p->cappage, p->npage + 1, sizeof *p->page, err);
		if (rc != TT_OK)
			return rc;
		p->page[p->npage] = NULL;
		if (p->npage > 0 && !(p->page[p->npage] = tt_mem_alloc(p->mem, TT_PAGE * sizeof(uint32_t), err)))
			return err->code;
		p->npage++;
	}
	return first > p->first ? tt_mem_grow(p->mem, &p->page[0], &p->first, first, sizeof(uint32_t), err) : TT_OK;
}

static inline int
tt_pages_push(struct tt_pages *p, uint32_t v, struct tt_err *err)
{
	int rc = p->n < tt_pages_cap(p) ? TT_OK : tt_pages_room(p, p->n + 1, err);

	if (rc == TT_OK)
		*tt_pages_at(p, p->n++) = v;
	return rc;
}

/* Free the page that ends before number ${n}, in a queue that is consumed from the front. */
static inline void
tt_pages_drop(struct tt_pages *p, size_t n)
{
	size_t i = (n >> TT_PAGE_BITS) - 1;

	tt_mem_free(p->mem, p->page[i], TT_PAGE * sizeof(uint32_t));
	p->page[i] = NULL;
}

static inline void
tt_pages_free(struct tt_pages *p)
{
	for (size_t i = 0; i < p->npage; i++)
		tt_mem_free(p->mem, p->page[i], p->page[i] ? (i > 0 ? TT_PAGE : p->first) * sizeof(uint32_t) : 0);
	tt_mem_free(p->mem, p->page, p->cappage * sizeof *p->page);
	*p = (struct tt_pages){ .mem = p->mem };
}

#endif

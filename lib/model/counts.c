/*
 * Counts, times and histograms of the call tree's nodes, one set for each worker.
 */
#include "model/tree.h"

#include <string.h>

int
tt_counts_new(struct tt_mem *mem, struct tt_counts **c, struct tt_err *err)
{
	*c = tt_mem_alloc(mem, sizeof **c, err);
	if (!*c)
		return err->code;
	(*c)->mem = mem;
	return tt_counts_new_page(*c, 0, err) ? TT_OK : err->code;
}

enum { SLAB_BYTES = (1u << TT_SLAB_BITS) * TT_HIST_PAGE * sizeof(uint16_t) };

void
tt_counts_free(struct tt_counts *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nnode; i++)
		tt_mem_free_lines(c->mem, c->node[i], sizeof *c->node[i]);
	for (size_t i = 0; i < c->ndist; i++)
		tt_mem_free_lines(c->mem, c->dist[i], TT_TREE_PAGE * sizeof *c->dist[i]);
	for (size_t i = 0; i < c->nslab; i++)
		tt_mem_free_lines(c->mem, c->slab[i], SLAB_BYTES);
	tt_mem_free(c->mem, c->slab, c->capslab * sizeof *c->slab);
	tt_mem_free(c->mem, c->carry, c->capcarry * sizeof *c->carry);
	tt_mem_free(c->mem, c, sizeof *c);
}

struct tt_count *
tt_counts_new_page(struct tt_counts *c, uint32_t node, struct tt_err *err)
{
	const size_t at = node >> TT_TREE_PAGE_BITS;
	struct tt_count_page *page = tt_mem_alloc_lines(c->mem, sizeof *page, err);

	if (!page)
		return NULL;
	c->node[at] = page;
	c->nnode = at < c->nnode ? c->nnode : at + 1;
	return &page->c[node & (TT_TREE_PAGE - 1)];
}

static int
new_slab(struct tt_counts *c, struct tt_err *err)
{
	int rc = tt_mem_grow(c->mem, &c->slab, &c->capslab, c->nslab + 1, sizeof *c->slab, err);

	if (rc != TT_OK)
		return rc;
	if (!(c->slab[c->nslab] = tt_mem_alloc_lines(c->mem, SLAB_BYTES, err)))
		return err->code;
	/* Page 0 stands for "no page". It counts as full, so that a search for room needs no test for it. */
	if (c->nslab++ == 0)
		memset(c->slab[0], 0xff, TT_HIST_PAGE * sizeof **c->slab);
	return TT_OK;
}

static int
new_page(struct tt_counts *c, uint32_t *page, struct tt_err *err)
{
	const size_t id = c->npage + 1;

	if (id >> TT_SLAB_BITS == c->nslab && new_slab(c, err) != TT_OK)
		return err->code;
	*page = (uint32_t)id;
	c->npage = id;
	return TT_OK;
}

struct tt_dist *
tt_counts_dist(struct tt_counts *c, uint32_t marker, struct tt_err *err)
{
	const size_t page = marker >> TT_TREE_PAGE_BITS;
	struct tt_dist **d = &c->dist[page];

	if (c->nslab == 0 && new_slab(c, err) != TT_OK)
		return NULL;
	if (!*d && !(*d = tt_mem_alloc_lines(c->mem, TT_TREE_PAGE * sizeof **d, err)))
		return NULL;
	c->ndist = page < c->ndist ? c->ndist : page + 1;
	struct tt_dist *at = *d + (marker & (TT_TREE_PAGE - 1));
	at->marker = marker;
	return at;
}

static int
carry(struct tt_counts *c, uint32_t marker, uint32_t bucket, uint64_t n, struct tt_err *err)
{
	size_t i = 0;

	while (i < c->ncarry && (c->carry[i].marker != marker || c->carry[i].bucket != bucket))
		i++;
	if (i == c->ncarry) {
		int rc = tt_mem_grow(c->mem, &c->carry, &c->capcarry, i + 1, sizeof *c->carry, err);
		if (rc != TT_OK)
			return rc;
		c->carry[c->ncarry++] = (struct tt_carry){ .marker = marker, .bucket = bucket };
	}
	c->carry[i].n += n;
	return TT_OK;
}

/* The buckets of the page ${p} of ${d}; NULL: ${err}. */
static uint16_t *
page_of(struct tt_counts *c, struct tt_dist *d, unsigned p, struct tt_err *err)
{
	if (!d->page[p] && new_page(c, &d->page[p], err) != TT_OK)
		return NULL;
	return tt_counts_page(c, d->page[p]);
}

/* Add one to a bucket. */
static int
add_one(struct tt_counts *c, struct tt_dist *d, unsigned bucket, struct tt_err *err)
{
	uint16_t *page = page_of(c, d, bucket / TT_HIST_PAGE, err);

	if (!page)
		return err->code;
	return ++page[bucket % TT_HIST_PAGE] == 0 ? carry(c, d->marker, bucket, UINT16_MAX + 1, err) : TT_OK;
}

/* Add ${n} to the buckets of the page ${p}. */
static int
add_page(struct tt_counts *c, struct tt_dist *d, unsigned p, const uint16_t n[TT_HIST_PAGE], struct tt_err *err)
{
	uint16_t *page = page_of(c, d, p, err), over = 0;
	int rc = TT_OK;

	if (!page)
		return err->code;
	for (unsigned i = 0; i < TT_HIST_PAGE; i++) {
		page[i] += n[i];
		over |= page[i] < n[i];
	}
	for (unsigned i = 0; over && i < TT_HIST_PAGE && rc == TT_OK; i++)
		if (page[i] < n[i])
			rc = carry(c, d->marker, p * TT_HIST_PAGE + i, UINT16_MAX + 1, err);
	return rc;
}

static uint64_t
max_of(const struct tt_dist *d)
{
	return ~d->not_min + d->span;
}

/* Widen the range of ${d} to the durations from ~${not_min} to ${max}. */
static void
widen(struct tt_dist *d, uint64_t not_min, uint64_t max)
{
	if (d->not_min && max < max_of(d))
		max = max_of(d);
	if (not_min > d->not_min)
		d->not_min = not_min;
	d->span = max - ~d->not_min;
}

int
tt_counts_dur_slow(struct tt_counts *c, struct tt_dist *d, uint64_t dur, struct tt_err *err)
{
	widen(d, ~dur, dur);
	return add_one(c, d, tt_hist_bucket(dur), err);
}

static int
join_dist(struct tt_counts *into, const struct tt_counts *of, const struct tt_dist *from, uint32_t marker, struct tt_err *err)
{
	bool any = from->not_min || from->ncut || from->cut;
	struct tt_dist *d = any ? tt_counts_dist(into, marker, err) : NULL;
	int rc = TT_OK;

	if (!d)
		return any ? err->code : TT_OK;
	for (unsigned p = 0; p < TT_HIST_PAGES && rc == TT_OK; p++)
		if (from->page[p])
			rc = add_page(into, d, p, tt_counts_page(of, from->page[p]), err);
	if (from->not_min)
		widen(d, from->not_min, max_of(from));
	d->ncut += from->ncut;
	d->cut += from->cut;
	return rc;
}

/* Add page ${p} of the nodes of ${from} to ${into}, or move it there. */
static void
join_nodes(struct tt_counts *into, struct tt_counts *from, uint32_t p)
{
	struct tt_count_page *of = from->node[p], *to = into->node[p];

	from->node[p] = NULL;
	if (!to) {
		for (uint32_t i = 0; i < TT_TREE_PAGE; i++)
			of->c[i].dist = NULL;
		into->node[p] = of;
		into->nnode = p < into->nnode ? into->nnode : p + 1;
		return;
	}
	for (uint32_t i = 0; i < TT_TREE_PAGE; i++) {
		to->c[i].n += of->c[i].n;
		to->c[i].total += of->c[i].total;
		to->c[i].self += of->c[i].self;
	}
	tt_mem_free_lines(from->mem, of, sizeof *of);
}

/* Add page ${p} of the distributions of ${from} to ${into}, and free it. */
static int
join_dists(struct tt_counts *into, struct tt_counts *from, uint32_t p, struct tt_err *err)
{
	int rc = TT_OK;

	for (uint32_t i = 0; i < TT_TREE_PAGE && rc == TT_OK; i++)
		rc = join_dist(into, from, &from->dist[p][i], (p << TT_TREE_PAGE_BITS) + i, err);
	tt_mem_free_lines(from->mem, from->dist[p], TT_TREE_PAGE * sizeof *from->dist[p]);
	from->dist[p] = NULL;
	return rc;
}

int
tt_counts_join(struct tt_counts *into, struct tt_counts *from, struct tt_err *err)
{
	int rc = TT_OK;

	for (uint32_t p = 0; p < from->nnode; p++)
		if (from->node[p])
			join_nodes(into, from, p);
	for (uint32_t p = 0; p < from->ndist && rc == TT_OK; p++)
		if (from->dist[p])
			rc = join_dists(into, from, p, err);
	for (size_t i = 0; i < from->ncarry && rc == TT_OK; i++)
		rc = carry(into, from->carry[i].marker, from->carry[i].bucket, from->carry[i].n, err);
	return rc;
}

int
tt_counts_settle(struct tt_counts *c, const struct tt_tree *tree, struct tt_err *err)
{
	for (uint32_t i = TT_NODE_MORE + 1; i < tt_tree_count(tree); i++) {
		const struct tt_node *n = tt_tree_node(tree, i);
		int64_t total = n->kind == TT_NODE_ZONE ? tt_counts_get(c, i).total : 0;
		if (total == 0)
			continue;
		struct tt_count *own = tt_counts_at(c, i, err), *up = tt_counts_at(c, n->parent, err);
		if (!own || !up)
			return err->code;
		own->self += total;
		up->self -= total;
	}
	return TT_OK;
}

void
tt_counts_cut(const struct tt_counts *c, uint32_t marker, uint64_t *n, int64_t *cut)
{
	const struct tt_dist *d = c->dist[marker >> TT_TREE_PAGE_BITS];

	if (!d)
		return;
	d += marker & (TT_TREE_PAGE - 1);
	*n += d->ncut;
	*cut += d->cut;
}

void
tt_counts_hist(const struct tt_counts *c, uint32_t marker, struct tt_hist *into)
{
	const struct tt_dist *d = c->dist[marker >> TT_TREE_PAGE_BITS];

	uint64_t n = 0;

	if (!d)
		return;
	d += marker & (TT_TREE_PAGE - 1);
	for (unsigned p = tt_hist_bucket(~d->not_min) / TT_HIST_PAGE; p <= tt_hist_bucket(max_of(d)) / TT_HIST_PAGE; p++)
		for (unsigned i = 0; d->page[p] && i < TT_HIST_PAGE; i++) {
			uint16_t v = tt_counts_page(c, d->page[p])[i];
			into->b[p * TT_HIST_PAGE + i] += v;
			n += v;
		}
	for (size_t i = 0; i < c->ncarry; i++)
		if (c->carry[i].marker == marker) {
			into->b[c->carry[i].bucket] += c->carry[i].n;
			n += c->carry[i].n;
		}
	into->n += n;
	if (n && ~d->not_min < into->min)
		into->min = ~d->not_min;
	if (n && max_of(d) > into->max)
		into->max = max_of(d);
}

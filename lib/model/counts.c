#include "model/tree.h"

int
tt_counts_new(struct tt_mem *mem, struct tt_counts **c, struct tt_err *err)
{
	*c = tt_mem_alloc(mem, sizeof **c, err);
	if (!*c)
		return err->code;
	(*c)->mem = mem;
	return TT_OK;
}

static void
free_dists(struct tt_counts *c, struct tt_dist *d)
{
	for (size_t i = 0; i < TT_TREE_PAGE; i++)
		for (size_t p = 0; p < TT_HIST_PAGES; p++)
			if (d[i].page[p])
				tt_mem_free(c->mem, d[i].page[p], TT_HIST_PAGE * sizeof(uint64_t));
	tt_mem_free(c->mem, d, TT_TREE_PAGE * sizeof *d);
}

void
tt_counts_free(struct tt_counts *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < TT_TREE_DIR; i++) {
		if (c->node[i])
			tt_mem_free(c->mem, c->node[i], TT_TREE_PAGE * sizeof *c->node[i]);
		if (c->dist[i])
			free_dists(c, c->dist[i]);
	}
	tt_mem_free(c->mem, c, sizeof *c);
}

struct tt_count *
tt_counts_new_page(struct tt_counts *c, uint32_t node, struct tt_err *err)
{
	struct tt_count **page = &c->node[node >> TT_TREE_PAGE_BITS];

	*page = tt_mem_alloc(c->mem, TT_TREE_PAGE * sizeof **page, err);
	return *page ? *page + (node & (TT_TREE_PAGE - 1)) : NULL;
}

/* The distribution of ${marker} with a page for ${bucket}. */
static struct tt_dist *
dist_at(struct tt_counts *c, uint32_t marker, unsigned bucket, struct tt_err *err)
{
	struct tt_dist **d = &c->dist[marker >> TT_TREE_PAGE_BITS];

	if (!*d && !(*d = tt_mem_alloc(c->mem, TT_TREE_PAGE * sizeof **d, err)))
		return NULL;
	struct tt_dist *at = *d + (marker & (TT_TREE_PAGE - 1));
	uint64_t **page = &at->page[bucket / TT_HIST_PAGE];
	if (!*page && !(*page = tt_mem_alloc(c->mem, TT_HIST_PAGE * sizeof **page, err)))
		return NULL;
	return at;
}

static void
widen(struct tt_dist *d, uint64_t not_min, uint64_t max)
{
	if (not_min > d->not_min)
		d->not_min = not_min;
	if (max > d->max)
		d->max = max;
}

int
tt_counts_dur_slow(struct tt_counts *c, uint32_t marker, uint64_t dur, struct tt_err *err)
{
	unsigned bucket = tt_hist_bucket(dur);
	struct tt_dist *d = dist_at(c, marker, bucket, err);

	if (!d)
		return err->code;
	widen(d, ~dur, dur);
	d->page[bucket / TT_HIST_PAGE][bucket % TT_HIST_PAGE]++;
	return TT_OK;
}

static int
join_dist(struct tt_counts *into, uint32_t marker, const struct tt_dist *from, struct tt_err *err)
{
	struct tt_dist *d = NULL;

	for (unsigned p = 0; p < TT_HIST_PAGES; p++) {
		if (!from->page[p])
			continue;
		d = dist_at(into, marker, p * TT_HIST_PAGE, err);
		if (!d)
			return err->code;
		for (unsigned i = 0; i < TT_HIST_PAGE; i++)
			d->page[p][i] += from->page[p][i];
	}
	if (d)
		widen(d, from->not_min, from->max);
	return TT_OK;
}

int
tt_counts_join(struct tt_counts *into, const struct tt_counts *from, struct tt_err *err)
{
	int rc = TT_OK;

	for (uint32_t p = 0; p < TT_TREE_DIR && rc == TT_OK; p++) {
		struct tt_count *c = from->node[p] ? tt_counts_at(into, p << TT_TREE_PAGE_BITS, err) : NULL;
		if (from->node[p] && !c)
			return err->code;
		for (uint32_t i = 0; c && i < TT_TREE_PAGE; i++) {
			c[i].n += from->node[p][i].n;
			c[i].total += from->node[p][i].total;
			c[i].self += from->node[p][i].self;
		}
		for (uint32_t i = 0; from->dist[p] && i < TT_TREE_PAGE && rc == TT_OK; i++)
			rc = join_dist(into, (p << TT_TREE_PAGE_BITS) + i, &from->dist[p][i], err);
	}
	return rc;
}

struct tt_count
tt_counts_get(const struct tt_counts *c, uint32_t node)
{
	const struct tt_count *page = c->node[node >> TT_TREE_PAGE_BITS];

	return page ? page[node & (TT_TREE_PAGE - 1)] : (struct tt_count){ 0 };
}

void
tt_counts_hist(const struct tt_counts *c, uint32_t marker, struct tt_hist *into)
{
	const struct tt_dist *d = c->dist[marker >> TT_TREE_PAGE_BITS];

	uint64_t n = 0;

	if (!d)
		return;
	d += marker & (TT_TREE_PAGE - 1);
	for (unsigned p = 0; p < TT_HIST_PAGES; p++)
		for (unsigned i = 0; d->page[p] && i < TT_HIST_PAGE; i++) {
			into->b[p * TT_HIST_PAGE + i] += d->page[p][i];
			n += d->page[p][i];
		}
	into->n += n;
	if (n && ~d->not_min < into->min)
		into->min = ~d->not_min;
	if (n && d->max > into->max)
		into->max = d->max;
}

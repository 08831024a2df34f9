/**
 * Makes cells and rows that several passes share; it calls no pass.
 */
#include "base/order.h"
#include "pass/passes.h"
#include "stat/num.h"
#include "view/figures.h"

const char *
tt_pass_why_empty(const struct tt_model *m, struct tt_report *r, enum tt_records what, const char *none)
{
	const char *why = tt_model_records(m, what) ? none : tt_model_unrecorded(m, what, &r->arena, &r->err);

	return why && why != none ? tt_text(r, "%s, or the filters leave none", why) : why;
}

void *
tt_pass_alloc(struct tt_making *k, size_t n)
{
	return k->r->err.code == TT_OK ? tt_arena_alloc(&k->arena, n, &k->r->err) : NULL;
}

struct tt_cell *
tt_begin_path_row(struct tt_table *t, const struct tt_paths *p, uint32_t node, const char *text)
{
	const struct tt_thread *th = tt_paths_thread(p, node);
	struct tt_buf b = { 0 };
	struct tt_cell *c;

	if (!text)
		tt_paths_text(p, node, &b);
	if (!text && tt_buf_error(&b, &t->r->err) == TT_OK)
		text = tt_text_of(t->r, b.p, b.n);
	tt_buf_free(&b);
	c = tt_row(t);
	tt_cell_text(&c[0], text);
	if (th && (!p->group || p->group == TT_GROUP_THREAD))
		tt_cell_text(&c[1], th->name);
	return c;
}

void
tt_for_each_group(void *v, size_t n, size_t size, tt_compare_fn *compare, tt_group_fn *fill, struct tt_making *k, struct tt_table *t)
{
	const char *at = v, *end = at + n * size;

	tt_sort_bytes(v, n, size, compare);
	for (const char *next = at; at < end; at = next) {
		while (next < end && compare(at, next) == 0)
			next += size;
		fill(k, t, at, (size_t)(next - at) / size);
	}
}

void
tt_cell_times(struct tt_cell *c, uint64_t n, const struct tt_spread *s)
{
	tt_cell_u64(&c[0], n);
	if (s->t.n == 0)
		return;
	tt_cell_int(&c[1], s->t.total);
	tt_cell_int(&c[2], s->t.min);
	tt_cell_int(&c[3], tt_times_mean(&s->t));
	tt_cell_u64(&c[4], tt_spread_p95(s));
	tt_cell_int(&c[5], s->t.max);
}

void
tt_put_share(struct tt_cell *c, int64_t part, int64_t all)
{
	if (all > 0 && part >= 0)
		tt_cell_int(c, tt_ratio((uint64_t)part, 10000, (uint64_t)all));
}

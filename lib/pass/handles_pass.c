/**
 * The pass "handles".
 *
 * Definitions: tracetool-metrics(7), Handles and finalizers.
 */
#include "base/order.h"
#include "pass/passes.h"
#include "collect/handles.h"
#include "stat/num.h"
#include "view/view.h"

static const char *const kinds[TT_HANDLE_KINDS] = { "weak", "weak tracking", "normal", "pinned", "(other)" };

static const struct tt_col kind_col[] = {
	{ "kind", "kind", TT_UNIT_TEXT, "weak, weak tracking (through finalization), normal or pinned." },
	{ "created", "created", TT_UNIT_COUNT, "Number of handles created." },
	{ "destroyed", "destroyed", TT_UNIT_COUNT, "Number of handles destroyed." },
	{ "live", "live", TT_UNIT_COUNT, "Number of handles created but not destroyed in the capture." },
	{ "most", "most", TT_UNIT_COUNT, "Largest number of handles live at once." },
	{ "unknown", "from before", TT_UNIT_COUNT, "Number of handles destroyed, but not created in the capture or within the filters." },
};
static const struct tt_col site_col[] = {
	{ "marker", "site", TT_UNIT_TEXT,
	    "Site of the creation: innermost zone or stack frame that is not the runtime's own." },
	{ "kind", "kind", TT_UNIT_TEXT, "Kind of handle." },
	{ "created", "created", TT_UNIT_COUNT, "Number of handles created here." },
	{ "destroyed", "destroyed", TT_UNIT_COUNT, "Number of these handles that were destroyed, anywhere." },
	{ "live", "live", TT_UNIT_COUNT, "Number of these handles that were not destroyed." },
	{ "mean_ns", "mean life", TT_UNIT_NS, "Mean time from creation to destruction." },
	{ "max_ns", "longest life", TT_UNIT_NS, "Longest time from creation to destruction." },
};

static void
by_kind(struct tt_making *k, struct tt_table *t)
{
	for (size_t i = 0; i < TT_HANDLE_KINDS; i++) {
		const struct tt_handle_kind *of = &tt_handles(k->m)->kind[i];
		struct tt_cell *c;

		if (of->ncreated + of->ndestroyed == 0)
			continue;
		c = tt_row(t);
		tt_cell_text(&c[0], kinds[i]);
		tt_cell_u64(&c[1], of->ncreated);
		tt_cell_u64(&c[2], of->ndestroyed);
		tt_cell_u64(&c[3], of->nlive);
		tt_cell_u64(&c[4], of->max_live);
		tt_cell_u64(&c[5], of->nunknown);
	}
}

struct place { uint32_t row, kind; const struct tt_handle_site *site; };

static int
by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return TT_CMP(x->kind, y->kind);
}

static void
put_site(struct tt_making *k, struct tt_table *t, const void *group, size_t n)
{
	const struct tt_paths *p = tt_view_paths(k->view, k->o->group, TT_PATHS_ROWS, &k->r->err);
	const struct place *v = group;
	uint64_t created = 0, destroyed = 0;
	struct tt_times life = { 0 };
	struct tt_cell *c;

	if (!p || !tt_paths_site_wanted(p, v->row))
		return;
	for (size_t i = 0; i < n; i++) {
		created += v[i].site->ncreated;
		destroyed += v[i].site->ndestroyed;
		tt_times_join(&life, &v[i].site->lifetime);
	}
	c = tt_row(t);
	tt_cell_text(&c[0], tt_site_name(p, v->row));
	tt_cell_text(&c[1], kinds[v->kind]);
	tt_cell_u64(&c[2], created);
	tt_cell_u64(&c[3], destroyed);
	tt_cell_u64(&c[4], created - destroyed);
	if (life.n == 0)
		return;
	tt_cell_int(&c[5], tt_times_mean(&life));
	tt_cell_int(&c[6], life.max);
}

static void
by_site(struct tt_making *k, struct tt_table *t)
{
	const struct tt_handles *h = tt_handles(k->m);
	const struct tt_paths *p = tt_view_paths(k->view, k->o->group, TT_PATHS_SITES, &k->r->err);
	struct place *v = tt_pass_alloc(k, h->n * sizeof *v);

	for (size_t i = 0; v && i < h->n; i++)
		v[i] = (struct place){ p->site[h->site[i].node], h->site[i].kind, &h->site[i] };
	tt_for_each_group(v, v ? h->n : 0, sizeof *v, by_place, put_site, k, t);
}

static bool
any(const struct tt_model *m)
{
	struct tt_handle_kind all = tt_handles_sum(m);

	return all.ncreated + all.ndestroyed > 0;
}

#define NONE .why_empty = "no handle in this capture, or the filters leave none", .records = TT_REC_HANDLES
static const struct tt_pass_table tables[] = {
	{ "handles", "GC handles", kind_col, TT_NCOL(kind_col), false, TT_ON_TIME | TT_ON_THREAD, .make_rows = by_kind, NONE },
	{ "handle_sites", "GC handles by site", site_col, TT_NCOL(site_col), false, TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME,
	    .make_rows = by_site, .sort = "created", NONE },
};

const struct tt_pass tt_pass_handles = {
	.name = "handles",
	.summary = "GC handles: created, destroyed, live, by kind and site",
	.needs = TT_NEEDS_CALLS | TT_NEEDS_SITES | TT_NEEDS_HANDLES,
	.is_standard = true,
	.has_tables = any,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

/**
 * The pass "handles".
 *
 * Definitions: tracetool-metrics(7), Handles and finalizers.
 */
#include <stdlib.h>

#include "pass/passes.h"
#include "pass/paths.h"
#include "stat/num.h"

static const char *const kinds[TT_HANDLE_KINDS] = { "weak", "weak tracking", "normal", "pinned", "(other)" };

static const struct tt_col kind_col[] = {
	{ "kind", "kind", TT_UNIT_TEXT, "weak, weak tracking (through finalization), normal or pinned." },
	{ "created", "created", TT_UNIT_COUNT, "Handles made." },
	{ "destroyed", "destroyed", TT_UNIT_COUNT, "Handles given back." },
	{ "live", "live", TT_UNIT_COUNT, "Made but not given back in the capture." },
	{ "most", "most", TT_UNIT_COUNT, "Most that were live at once." },
	{ "unknown", "from before", TT_UNIT_COUNT, "Given back, but not made in the capture or where the filters look." },
};
static const struct tt_col site_col[] = {
	{ "marker", "site", TT_UNIT_TEXT,
	    "Where it was made: innermost zone, or frame of the recorded stack, that is not the runtime's own." },
	{ "kind", "kind", TT_UNIT_TEXT, "Kind of handle." },
	{ "created", "created", TT_UNIT_COUNT, "Handles made here." },
	{ "destroyed", "destroyed", TT_UNIT_COUNT, "Those of them that were given back, wherever." },
	{ "live", "live", TT_UNIT_COUNT, "Those that were not." },
	{ "mean_ns", "mean life", TT_UNIT_NS, "Mean time from making to giving back." },
	{ "max_ns", "longest life", TT_UNIT_NS, "Longest such time." },
};
static const struct tt_pass_table handle_tables[] = {
	{ "handles", "GC handles", kind_col, TT_NCOL(kind_col), false, TT_ON_TIME | TT_ON_THREAD, 0, 0 },
	{ "handle_sites", "GC handles by site", site_col, TT_NCOL(site_col), false,
	    TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME, 0 },
};

static int
put_kinds(const struct tt_handles *h, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < TT_HANDLE_KINDS && rc == TT_OK; i++) {
		const struct tt_handle_kind *k = &h->kind[i];
		struct tt_cell *c;

		if (k->created + k->destroyed == 0)
			continue;
		rc = tt_table_row(r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_text(&c[0], kinds[i]);
		tt_cell_int(&c[1], (int64_t)k->created);
		tt_cell_int(&c[2], (int64_t)k->destroyed);
		tt_cell_int(&c[3], (int64_t)k->live);
		tt_cell_int(&c[4], (int64_t)k->most);
		tt_cell_int(&c[5], (int64_t)k->unknown);
	}
	return rc;
}

struct place { uint32_t row, kind, site; };

static int
by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static int
put_site(const struct tt_paths *p, const struct tt_handles *h, const struct place *v, size_t n, struct tt_report *r,
    struct tt_table *t, struct tt_err *err)
{
	uint64_t created = 0, destroyed = 0;
	struct tt_times life = { 0 };
	const char *name;
	struct tt_cell *c;
	int rc;

	for (size_t i = 0; i < n; i++) {
		const struct tt_handle_site *s = &h->site[v[i].site];
		created += s->created;
		destroyed += s->destroyed;
		tt_times_join(&life, &s->life);
	}
	name = v->row == TT_NO_ROW ? TT_OUTSIDE : tt_report_text(r, err, "%s", p->row[v->row].label);
	rc = name ? tt_table_row(r, t, &c, err) : err->code;
	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], name);
	tt_cell_text(&c[1], kinds[v->kind]);
	tt_cell_int(&c[2], (int64_t)created);
	tt_cell_int(&c[3], (int64_t)destroyed);
	tt_cell_int(&c[4], (int64_t)(created - destroyed));
	if (life.n == 0)
		return TT_OK;
	tt_cell_int(&c[5], tt_ratio((uint64_t)life.total, 1, life.n));
	tt_cell_int(&c[6], life.max);
	return TT_OK;
}

static int
put_sites(const struct tt_model *m, const struct tt_handles *h, enum tt_group group, struct tt_report *r, struct tt_table *t,
    struct tt_err *err)
{
	struct place *v = tt_mem_alloc(&m->env->mem, h->n * sizeof *v, err);
	struct tt_paths p = { 0 };
	int rc = v ? tt_paths_init_by(&p, m, group, err) : err->code;

	if (rc == TT_OK)
		rc = tt_paths_sites(&p, err);
	for (size_t i = 0; i < h->n && rc == TT_OK; i++)
		v[i] = (struct place){ p.site[h->site[i].node], h->site[i].kind, (uint32_t)i };
	if (rc == TT_OK && h->n)
		qsort(v, h->n, sizeof *v, by_place);
	for (size_t i = 0, j; i < h->n && rc == TT_OK; i = j) {
		for (j = i; j < h->n && by_place(&v[i], &v[j]) == 0; j++)
			;
		if (tt_paths_site_wanted(&p, v[i].row))
			rc = put_site(&p, h, v + i, j - i, r, t, err);
	}
	tt_paths_free(&p);
	tt_mem_free(&m->env->mem, v, h->n * sizeof *v);
	return rc == TT_OK ? tt_table_sort(t, "created", err) : rc;
}

static bool
any_handle(const struct tt_handles *h)
{
	for (size_t i = 0; h && i < TT_HANDLE_KINDS; i++) {
		if (h->kind[i].created + h->kind[i].destroyed)
			return true;
	}
	return false;
}

static int
report_handles(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	const struct tt_handles *h = any_handle(m->handles_of) ? m->handles_of : NULL;
	int rc = TT_OK;

	if (!h && !o->table)
		return TT_OK;
	for (size_t i = 0; i < TT_NCOL(handle_tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_handles, i, o, r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		t->empty_reason = tt_pass_none(m, r, TT_REC_HANDLES, "no handle in this capture, or none that the filters leave", err);
		if (!t->empty_reason)
			return err->code;
		if (h)
			rc = i == 0 ? put_kinds(h, r, t, err) : put_sites(m, h, o->group, r, t, err);
	}
	return rc;
}

const struct tt_pass tt_pass_handles = {
	.name = "handles",
	.summary = "GC handles: created, destroyed, live, by kind and site",
	.needs = TT_NEEDS_CALLS | TT_NEEDS_SITES | TT_NEEDS_HANDLES,
	.standard = true,
	.report = report_handles,
	.tables = handle_tables,
	.ntables = TT_NCOL(handle_tables),
};

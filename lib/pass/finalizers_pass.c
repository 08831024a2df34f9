/**
 * The pass "finalizers": their number, times and classes.
 *
 * Definitions: tracetool-metrics(7), Handles and finalizers.
 */
#include <string.h>

#include "base/order.h"
#include "pass/passes.h"
#include "collect/finalizers.h"
#include "stat/num.h"
#include "view/figures.h"

#define TIMES_COLS \
	{ "count", "count", TT_UNIT_COUNT, "Number that began, or ended without a recorded begin." }, \
	{ "total_ns", "total", TT_UNIT_NS, "Total time of those with begin and end in the capture." }, \
	{ "min_ns", "min", TT_UNIT_NS, "Shortest time." }, \
	{ "mean_ns", "mean", TT_UNIT_NS, "Mean time." }, \
	{ "p95_ns", "p95", TT_UNIT_NS, "95th percentile of the times (nearest rank, within 1.6 %)." }, \
	{ "max_ns", "max", TT_UNIT_NS, "Longest time." }

static const struct tt_col summary_col[] = {
	{ "what", "what", TT_UNIT_TEXT, "object: the finalizer of one object; run: a run of the finalizer thread over its queue." },
	TIMES_COLS,
};
static const struct tt_col class_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Class of the objects; (unknown) if neither their allocation nor a heap shot contains it." },
	TIMES_COLS,
};

/* The sums of one row: parts with the same ${label} and ${id}. */
struct part { const char *label; uint32_t id; const char *what; size_t at; };

struct fold {
	struct tt_classes classes;
	struct part *v;
	struct tt_spread times;       /* run times of the present row */
};

static struct fold *
fold_of(const struct tt_making *k)
{
	return k->state;
}

static int
by_label(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int c = strcmp(x->label, y->label);

	return c ? c : TT_CMP(x->id, y->id);
}

/* Add a row that sums up ${n} parts, after the names ${label} and ${what}, each of which may be NULL. */
static void
put_row(struct tt_making *k, struct tt_table *t, const struct part *v, size_t n, const char *label, const char *what)
{
	const struct tt_finalizers *all = tt_finalizers(k->m);
	struct tt_spread *times = &fold_of(k)->times;
	uint64_t count = 0;
	struct tt_cell *c = tt_row(t);

	tt_spread_clear(times);
	for (size_t i = 0; i < n; i++) {
		const struct tt_final *of = &all->f[v[i].at];
		count += of->n;
		tt_spread_add(times, &all->hist, v[i].at, &of->times);
	}
	if (label)
		tt_cell_text(c++, label);
	if (what)
		tt_cell_text(c++, what);
	tt_cell_times(c, count, times);
}

static void
put_group(struct tt_making *k, struct tt_table *t, const void *group, size_t n)
{
	const struct part *v = group;

	put_row(k, t, v, n, v->label, v->what);
}

/* Put a row for objects, then one for runs; for each thread if rows are grouped by thread. */
static void
summary(struct tt_making *k, struct tt_table *t)
{
	const struct tt_finalizers *all = tt_finalizers(k->m);
	bool by_thread = k->o->group == TT_GROUP_THREAD;
	struct part *v = fold_of(k)->v;

	if (all->nuntimed)
		t->note = tt_text(k->r, "%llu of them have an end and no begin: they are counted, without times (Mono 4.6 records ends alone)",
		    (unsigned long long)all->nuntimed);
	if (by_thread && (k->m->filter.marker || k->m->filter.category))
		return;
	for (int object = 1; object >= 0; object--) {
		const char *what = object ? "object" : "run";
		size_t n = 0;

		for (size_t i = 0; i < all->n; i++) {
			uint32_t thread = all->f[i].thread;
			if (all->f[i].is_of_objects == object)
				v[n++] = (struct part){ k->m->threads.t[thread]->name, thread, what, i };
		}
		if (by_thread)
			tt_for_each_group(v, n, sizeof *v, by_label, put_group, k, t);
		else
			put_row(k, t, v, n, NULL, what);
	}
}

/* Say why classes may be unknown, or return NULL. */
static const char *
class_note(struct tt_making *k)
{
	const struct tt_finalizers *all = tt_finalizers(k->m);

	if (all->nforgets)
		return tt_text(k->r, "more objects than can be remembered: all addresses were forgotten "
		    "%llu times, so classes may be (unknown)", (unsigned long long)all->nforgets);
	return all->has_moves ? NULL : "moves are not recorded: where the collector moved an object, its class is not known";
}

static void
classes(struct tt_making *k, struct tt_table *t)
{
	const struct tt_finalizers *all = tt_finalizers(k->m);
	struct fold *f = fold_of(k);
	size_t n = 0;

	t->note = class_note(k);
	for (size_t i = 0; i < all->n; i++) {
		const struct tt_final *of = &all->f[i];
		const struct tt_class *c = of->is_of_objects && of->key ? tt_class_of(&f->classes, of->process, of->key, &k->r->err) : NULL;

		if (!of->is_of_objects || !(c ? c->wanted : tt_class_wanted(k->m, "", "(unknown)")))
			continue;
		f->v[n++] = k->o->group == TT_GROUP_THREAD ? (struct part){ k->m->threads.t[of->thread]->name, of->thread, NULL, i } :
		    (struct part){ c ? c->label : "(unknown)", 0, NULL, i };
	}
	tt_for_each_group(f->v, n, sizeof *f->v, by_label, put_group, k, t);
}

static void
open(struct tt_making *k)
{
	struct fold *f = fold_of(k);

	tt_classes_init(&f->classes, k->m, k->o->group, &k->r->arena);
	f->v = tt_pass_alloc(k, tt_finalizers(k->m)->n * sizeof *f->v);
}

static void
drop(struct tt_making *k)
{
	tt_classes_free(&fold_of(k)->classes);
}

static bool
any(const struct tt_model *m)
{
	return tt_finalizers(m)->n;
}

#define TYPED (TT_NEEDS_OBJECTS | TT_NEEDS_MOVES | TT_NEEDS_HEAP | TT_NEEDS_TEXT)
#define NONE .why_empty = "no finalizer in this capture, or the filters leave none", .records = TT_REC_FINALIZERS
static const struct tt_pass_table tables[] = {
	{ "finalizers", "Finalizers", summary_col, TT_NCOL(summary_col), false, TT_ON_TIME | TT_ON_THREAD, TT_BY_THREAD, TT_GROUP_FRONT,
	    .make_rows = summary, NONE },
	{ "finalizer_classes", "Finalizers by class", class_col, TT_NCOL(class_col), true, TT_ON_TIME | TT_ON_THREAD | TT_ON_NAMES,
	    TT_BY_THREAD | TT_BY_NAME | TT_BY_DOMAIN, .needs = TYPED, .make_rows = classes, .sort = "count", NONE },
};

const struct tt_pass tt_pass_finalizers = {
	.name = "finalizers",
	.summary = "finalizers: objects and runs, their times, by class",
	.needs = TT_NEEDS_FINALS,
	.is_standard = true,
	.has_tables = any,
	.state_bytes = sizeof(struct fold),
	.open = open,
	.close = drop,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

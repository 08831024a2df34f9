/**
 * The pass "finalizers": how many, how long, of which classes.
 *
 * Definitions: tracetool-metrics(7), Handles and finalizers.
 */
#include <stdlib.h>
#include <string.h>

#include "pass/passes.h"
#include "stat/num.h"

enum { F_SUMMARY, F_CLASSES };

#define TIMES_COLS \
	{ "count", "count", TT_UNIT_COUNT, "How many ran: began, or ended without a recorded begin." }, \
	{ "total_ns", "total", TT_UNIT_NS, "Time of those whose begin and end are in the capture." }, \
	{ "min_ns", "min", TT_UNIT_NS, "Shortest." }, \
	{ "mean_ns", "mean", TT_UNIT_NS, "Mean." }, \
	{ "p95_ns", "p95", TT_UNIT_NS, "95th percentile (nearest rank, within 1.6 %)." }, \
	{ "max_ns", "max", TT_UNIT_NS, "Longest." }

static const struct tt_col summary_col[] = {
	{ "what", "what", TT_UNIT_TEXT, "object: the finalizer of one object; run: a run of the finalizer thread over its queue." },
	TIMES_COLS,
};
static const struct tt_col class_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Class of the objects; (unknown) where neither their allocation nor a heap shot tells." },
	TIMES_COLS,
};
static const struct tt_pass_table tables[] = {
	[F_SUMMARY] = { "finalizers", "Finalizers", summary_col, TT_NCOL(summary_col), false, TT_ON_TIME | TT_ON_THREAD,
	    TT_BY_THREAD, TT_GROUP_FRONT },
	[F_CLASSES] = { "finalizer_classes", "Finalizers by class", class_col, TT_NCOL(class_col), true,
	    TT_ON_TIME | TT_ON_THREAD | TT_ON_NAMES, TT_BY_THREAD | TT_BY_NAME | TT_BY_DOMAIN, 0 },
};

#define TYPED (TT_NEEDS_OBJECTS | TT_NEEDS_MOVES | TT_NEEDS_HEAP | TT_NEEDS_TEXT)
static const unsigned table_needs[] = { [F_SUMMARY] = 0, [F_CLASSES] = TYPED };

/* What a row is made of: rows alike in ${label} and ${id}. */
struct part { const char *label; uint32_t id; size_t at; };

struct fold {
	const struct tt_model *m;
	const struct tt_finals *f;
	const struct tt_pass_opts *o;
	struct tt_report *r;
	struct tt_classes classes;
	struct part *v;
	size_t n;
	struct tt_hist *h;            /* for one row */
};

static int
by_label(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int c = strcmp(x->label, y->label);

	return c ? c : (x->id > y->id) - (x->id < y->id);
}

static int
put_row(struct fold *f, struct tt_table *t, const struct part *v, size_t n, const char *what, struct tt_err *err)
{
	struct tt_times times = { 0 };
	uint64_t count = 0;
	struct tt_cell *c;
	int rc = tt_table_row(f->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_hist_init(f->h);
	for (size_t i = 0; i < n; i++) {
		const struct tt_final *of = &f->f->f[v[i].at];
		count += of->n;
		if (of->times.n)
			tt_tally_hist(&f->f->hist, v[i].at, &of->times, f->h);
		tt_times_join(&times, &of->times);
	}
	if (n && v->label)
		tt_cell_text(c++, v->label);
	if (what)
		tt_cell_text(c++, what);
	tt_cell_int(&c[0], (int64_t)count);
	if (times.n == 0)
		return TT_OK;
	tt_cell_int(&c[1], times.total);
	tt_cell_int(&c[2], times.min);
	tt_cell_int(&c[3], tt_ratio((uint64_t)times.total, 1, times.n));
	tt_cell_int(&c[4], (int64_t)tt_hist_quantile(f->h, 95, 100));
	tt_cell_int(&c[5], times.max);
	return TT_OK;
}

/* Objects, then runs; by thread where rows are so. */
static int
summary(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	bool by_thread = f->o->group == TT_GROUP_THREAD;
	int rc = TT_OK;

	if (f->f->untimed && !(t->note = tt_report_text(f->r, err, "%llu of them have an end and no begin: they are counted, without times "
	    "(Mono 4.6 records ends alone)", (unsigned long long)f->f->untimed)))
		return err->code;
	if (by_thread && (f->m->filter.marker || f->m->filter.category))
		return TT_OK;
	for (int object = 1; object >= 0; object--) {
		f->n = 0;
		for (size_t i = 0; i < f->f->n; i++) {
			uint32_t thread = f->f->f[i].thread;
			if (f->f->f[i].object == object)
				f->v[f->n++] = (struct part){ by_thread ? f->m->threads.t[thread]->name : NULL, by_thread ? thread : 0, i };
		}
		if (by_thread && f->n)
			qsort(f->v, f->n, sizeof *f->v, by_label);
		if (!by_thread && rc == TT_OK)
			rc = put_row(f, t, f->v, f->n, object ? "object" : "run", err);
		for (size_t i = 0, j; by_thread && i < f->n && rc == TT_OK; i = j) {
			for (j = i; j < f->n && by_label(&f->v[i], &f->v[j]) == 0; j++)
				;
			rc = put_row(f, t, f->v + i, j - i, object ? "object" : "run", err);
		}
	}
	return rc;
}

/* How far classes are known. */
static int
note_classes(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	if (f->f->forgotten)
		t->note = tt_report_text(f->r, err, "there are more objects than are remembered: what was at all addresses was forgotten "
		    "%llu times, and is (unknown) then", (unsigned long long)f->f->forgotten);
	else if (!f->f->moves)
		t->note = "moves are not recorded: where the collector moved an object, its class is not known";
	else
		return TT_OK;
	return t->note ? TT_OK : err->code;
}

static int
class_part(struct fold *f, const struct tt_final *of, struct part *p, bool *wanted, struct tt_err *err)
{
	const struct tt_class *c;

	p->label = "(unknown)";
	*wanted = tt_class_wanted(f->m, "", "(unknown)");
	if (of->key) {
		if (!(c = tt_class_of(&f->classes, of->process, of->key, err)))
			return err->code;
		p->label = c->label;
		*wanted = c->wanted;
	}
	if (f->o->group == TT_GROUP_THREAD) {
		p->label = f->m->threads.t[of->thread]->name;
		p->id = of->thread;
	}
	return TT_OK;
}

static int
classes(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int rc = note_classes(f, t, err);

	f->n = 0;
	for (size_t i = 0; i < f->f->n && rc == TT_OK; i++) {
		struct part *p = &f->v[f->n];
		bool wanted = false;

		*p = (struct part){ .at = i };
		if (!f->f->f[i].object)
			continue;
		rc = class_part(f, &f->f->f[i], p, &wanted, err);
		f->n += wanted;
	}
	if (f->n)
		qsort(f->v, f->n, sizeof *f->v, by_label);
	for (size_t i = 0, j; i < f->n && rc == TT_OK; i = j) {
		for (j = i; j < f->n && by_label(&f->v[i], &f->v[j]) == 0; j++)
			;
		rc = put_row(f, t, f->v + i, j - i, NULL, err);
	}
	return rc == TT_OK ? tt_table_sort(t, "count", err) : rc;
}

static int
tables_of(struct fold *f, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_finalizers, i, f->o, f->r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		t->empty_reason = tt_pass_none(f->m, f->r, TT_REC_FINALIZERS, "no finalizer in this capture, or none that the filters leave", err);
		if (!t->empty_reason)
			return err->code;
		if (f->f)
			rc = i == F_SUMMARY ? summary(f, t, err) : classes(f, t, err);
	}
	return rc;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	struct fold f = { .m = m, .f = m->finals && m->finals->n ? m->finals : NULL, .o = o, .r = r };
	struct tt_mem *mem = &m->env->mem;
	size_t room = f.f ? f.f->n * sizeof *f.v : 0;
	int rc = TT_OK;

	if (!f.f && !o->table)
		return TT_OK;
	tt_classes_init(&f.classes, m, o->group, &r->arena);
	f.h = tt_mem_alloc(mem, sizeof *f.h, err);
	f.v = f.h && f.f ? tt_mem_alloc(mem, room, err) : NULL;
	rc = f.h && (f.v || !f.f) ? tables_of(&f, err) : err->code;
	tt_mem_free(mem, f.v, f.v ? room : 0);
	tt_mem_free(mem, f.h, f.h ? sizeof *f.h : 0);
	tt_classes_free(&f.classes);
	return rc;
}

const struct tt_pass tt_pass_finalizers = {
	.name = "finalizers",
	.summary = "finalizers: objects and runs, their times, by class",
	.needs = TT_NEEDS_FINALS,
	.standard = true,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
	.table_needs = table_needs,
};

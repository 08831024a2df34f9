/**
 * The pass "samples": where the program was when the sampler looked.
 *
 * A sample belongs to the managed method at its leaf: to where the program was, whatever native code that had called.
 * Definitions: tracetool-metrics(7), Samples.
 */
#include <stdlib.h>
#include <string.h>

#include "model/names.h"
#include "model/waits.h"
#include "pass/code.h"
#include "pass/passes.h"
#include "pass/paths.h"

enum { S_MARKERS, S_THREADS, S_CATEGORIES, S_NATIVE, S_PATHS };

#define SELF_COL { "self", "samples", TT_UNIT_COUNT, "Samples whose innermost managed frame it is." }
#define SELF_SHARE_COL { "self_share", "samples", TT_UNIT_PERCENT, "Their share of all samples." }
#define TOTAL_COL { "total", "with callees", TT_UNIT_COUNT, "Samples in which it is anywhere on the stack." }
#define TOTAL_SHARE_COL { "total_share", "with callees", TT_UNIT_PERCENT, "Their share of all samples." }

static const struct tt_col marker_col[] = {
	{ "marker", "method", TT_UNIT_TEXT, "Managed method; (native) where no managed frame is on the stack." },
	{ "category", "category", TT_UNIT_TEXT, "Category of the method." },
	SELF_COL, SELF_SHARE_COL, TOTAL_COL, TOTAL_SHARE_COL,
};
static const struct tt_col thread_col[] = {
	{ "thread", "thread", TT_UNIT_TEXT, "Thread that was sampled." },
	{ "number", "no.", TT_UNIT_COUNT, "Number of the thread." },
	{ "samples", "samples", TT_UNIT_COUNT, "Its samples." },
	{ "share", "samples", TT_UNIT_PERCENT, "Their share of all samples." },
	{ "managed", "managed", TT_UNIT_COUNT, "Those with a managed frame on the stack." },
	{ "waiting", "waiting", TT_UNIT_COUNT, "Those with a wait marker on the stack: the thread did not run." },
};
static const struct tt_col category_col[] = {
	{ "category", "category", TT_UNIT_TEXT, "Category; (native) where no managed frame is on the stack." },
	SELF_COL, SELF_SHARE_COL, TOTAL_COL, TOTAL_SHARE_COL,
};
static const struct tt_col native_col[] = {
	{ "code", "code", TT_UNIT_TEXT, "Method or helper whose code the address is in, else the nearest symbol below it." },
	{ "kind", "kind", TT_UNIT_TEXT, "method, helper, symbol (the nearest exported one: often not the function that ran) or unknown." },
	{ "samples", "samples", TT_UNIT_COUNT, "Samples whose native address is in it." },
	{ "share", "samples", TT_UNIT_PERCENT, "Their share of all samples." },
	{ "native", "without managed", TT_UNIT_COUNT, "Those without a managed frame on the stack." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col path_col[] = {
	{ "path", "path", TT_UNIT_TEXT, "Managed frames, outermost first; of deeper stacks the innermost 64." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread." },
	{ "samples", "samples", TT_UNIT_COUNT, "Samples with this stack." },
	{ "share", "samples", TT_UNIT_PERCENT, "Their share of all samples." },
};

static const struct tt_pass_table tables[] = {
	[S_MARKERS] = { "samples", "Samples by method", marker_col, TT_NCOL(marker_col), false,
	    TT_ON_CALLS, TT_BY_THREAD | TT_BY_NAME, 0 },
	[S_THREADS] = { "sample_threads", "Samples by thread", thread_col, TT_NCOL(thread_col), false,
	    TT_ON_TIME | TT_ON_THREAD, 0, 0 },
	[S_CATEGORIES] = { "sample_categories", "Samples by category", category_col, TT_NCOL(category_col), false,
	    TT_ON_TIME | TT_ON_THREAD | TT_ON_CATEGORY, 0, 0 },
	[S_NATIVE] = { "sample_native", "Samples by native code", native_col, TT_NCOL(native_col), false,
	    TT_ON_TIME | TT_ON_THREAD | TT_ON_MARKER, 0, 0 },
	[S_PATHS] = { "sample_paths", "Samples by stack", path_col, TT_NCOL(path_col), true,
	    TT_ON_CALLS, TT_BY_THREAD | TT_BY_NAME, 0 },
};

static const unsigned table_needs[] = { [S_NATIVE] = TT_NEEDS_CODE, [S_PATHS] = 0 };

#define NATIVE "(native)"

/* Samples of one thing. seen: the last node counted in total, so that recursion counts once. */
struct sum { uint64_t self, total; uint32_t seen; };

struct fold {
	const struct tt_model *m;
	const struct tt_pass_opts *o;
	struct tt_report *r;
	struct tt_paths p;
	bool *waits;                  /* by row: a wait marker */
	struct sum *row;              /* by row, then (native) */
	struct sum *category;         /* by category, then (native) */
	struct of_thread { uint64_t n, managed, waiting; } *thread;
	uint64_t n;
};

static bool
is_sampled(const struct fold *f, uint32_t node)
{
	const struct tt_node *n = tt_paths_node(&f->p, node);

	return n->kind == TT_NODE_SAMPLES ||
	    (n->kind == TT_NODE_ZONE && node != TT_NODE_MORE && tt_paths_node(&f->p, f->p.root[node])->kind == TT_NODE_SAMPLES);
}

static void
add_total(struct sum *s, uint32_t node, uint64_t n)
{
	if (s->seen == node + 1)
		return;
	s->seen = node + 1;
	s->total += n;
}

static uint32_t
category_of(const struct fold *f, uint32_t node)
{
	if (tt_paths_row(&f->p, node) == TT_NO_ROW)
		return (uint32_t)f->m->ncategory;
	return f->m->name[tt_paths_node(&f->p, node)->marker].category;
}

/* Count the samples that end in ${node}, at it and at all frames above. */
static void
add_node(struct fold *f, uint32_t node, uint64_t n)
{
	const struct tt_thread *t = tt_paths_thread(&f->p, node);
	uint32_t leaf = tt_paths_row(&f->p, f->p.owner[node]), place = tt_paths_row_at(&f->p, f->p.owner[node]);
	struct sum *row = &f->row[place != TT_NO_ROW ? place : f->p.nrow];
	struct sum *category = &f->category[category_of(f, f->p.owner[node])];
	bool waiting = false;

	f->n += n;
	row->self += n;
	category->self += n;
	add_total(row, node, n);
	add_total(category, node, n);
	for (uint32_t up = f->p.owner[node]; tt_paths_row(&f->p, up) != TT_NO_ROW;
	    up = f->p.owner[tt_paths_node(&f->p, up)->parent]) {
		uint32_t at = tt_paths_row(&f->p, up);
		add_total(&f->row[at], node, n);
		add_total(&f->category[category_of(f, up)], node, n);
		waiting = waiting || f->waits[at];
	}
	if (!t)
		return;
	f->thread[t->index].n += n;
	f->thread[t->index].managed += leaf != TT_NO_ROW ? n : 0;
	f->thread[t->index].waiting += waiting ? n : 0;
}

static int
fold(struct fold *f, struct tt_err *err)
{
	struct tt_mem *mem = &f->m->env->mem;

	f->row = tt_mem_alloc(mem, (f->p.nrow + 1) * sizeof *f->row, err);
	f->waits = f->row ? tt_mem_alloc(mem, f->p.nrow * sizeof *f->waits, err) : NULL;
	f->category = f->waits ? tt_mem_alloc(mem, (f->m->ncategory + 1) * sizeof *f->category, err) : NULL;
	f->thread = f->category ? tt_mem_alloc(mem, f->m->threads.n * sizeof *f->thread, err) : NULL;
	if (!f->thread)
		return err->code;
	for (uint32_t i = 0; i < f->p.nrow && !f->p.group; i++)
		f->waits[i] = tt_waits_is(f->m, f->p.row[i].name->full);
	for (uint32_t i = 0; i < f->p.n; i++) {
		uint64_t n = is_sampled(f, i) ? tt_paths_count(&f->p, i).n : 0;
		if (n)
			add_node(f, i, n);
	}
	return TT_OK;
}

static void
put_sum(const struct fold *f, struct tt_cell *c, const struct sum *s)
{
	tt_cell_int(&c[0], (int64_t)s->self);
	tt_cell_share(&c[1], (int64_t)s->self, (int64_t)f->n);
	tt_cell_int(&c[2], (int64_t)s->total);
	tt_cell_share(&c[3], (int64_t)s->total, (int64_t)f->n);
}

static int
markers(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (uint32_t i = 0; i <= f->p.nrow && rc == TT_OK; i++) {
		bool native = i == f->p.nrow;
		struct tt_cell *c;

		if (f->row[i].total == 0 || !tt_paths_site_wanted(&f->p, native ? TT_NO_ROW : i))
			continue;
		const char *name = native ? NATIVE : tt_report_text(f->r, err, "%s", f->p.row[i].label);
		rc = name ? tt_table_row(f->r, t, &c, err) : err->code;
		if (rc != TT_OK)
			return rc;
		tt_cell_text(&c[0], name);
		if (!native && !f->p.group)
			tt_cell_text(&c[1], f->m->category[f->p.row[i].name->category].name);
		put_sum(f, c + 2, &f->row[i]);
	}
	return rc == TT_OK ? tt_table_sort(t, "self", err) : rc;
}

static int
threads(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < f->m->threads.n && rc == TT_OK; i++) {
		const struct of_thread *of = &f->thread[i];
		struct tt_cell *c;

		if (of->n == 0)
			continue;
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_text(&c[0], f->m->threads.t[i]->name);
		tt_cell_int(&c[1], (int64_t)i + 1);
		tt_cell_int(&c[2], (int64_t)of->n);
		tt_cell_share(&c[3], (int64_t)of->n, (int64_t)f->n);
		tt_cell_int(&c[4], (int64_t)of->managed);
		tt_cell_int(&c[5], (int64_t)of->waiting);
	}
	return rc == TT_OK ? tt_table_sort(t, "samples", err) : rc;
}

static int
categories(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i <= f->m->ncategory && rc == TT_OK; i++) {
		const char *name = i < f->m->ncategory ? f->m->category[i].name : NATIVE;
		struct tt_cell *c;

		if (f->category[i].total == 0 || !tt_glob_any(f->m->filter.category, name))
			continue;
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_text(&c[0], name);
		put_sum(f, c + 1, &f->category[i]);
	}
	return rc == TT_OK ? tt_table_sort(t, "self", err) : rc;
}

/* --- native code ------------------------------------------------------------------------ */

struct native { const char *name; enum tt_code_kind kind; uint64_t n, native; };

static int
by_code(const void *a, const void *b)
{
	const struct native *x = a, *y = b;

	return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) : strcmp(x->name, y->name);
}

static size_t
list_ips(const struct tt_codemap *map, const struct tt_tally *t, bool native, struct native *v)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nslot; i++) {
		if (!t->slot[i].used)
			continue;
		v[n] = (struct native){ .n = t->slot[i].n, .native = native ? t->slot[i].n : 0 };
		v[n].kind = tt_codemap_name(map, t->slot[i].key, &v[n].name);
		n++;
	}
	return n;
}

static int
put_native(struct fold *f, struct tt_table *t, uint32_t process, const struct native *v, size_t n, struct tt_err *err)
{
	static const char *const kinds[] = { "method", "helper", "symbol", "unknown" };
	int rc = TT_OK;

	for (size_t i = 0, j; i < n && rc == TT_OK; i = j) {
		uint64_t all = 0, native = 0;
		struct tt_cell *c;

		for (j = i; j < n && by_code(&v[i], &v[j]) == 0; j++) {
			all += v[j].n;
			native += v[j].native;
		}
		if (!tt_glob_any(f->m->filter.marker, v[i].name))
			continue;
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_text(&c[0], v[i].name);
		tt_cell_text(&c[1], kinds[v[i].kind]);
		tt_cell_int(&c[2], (int64_t)all);
		tt_cell_share(&c[3], (int64_t)all, (int64_t)f->n);
		tt_cell_int(&c[4], (int64_t)native);
		tt_cell_int(&c[5], (int64_t)process + 1);
	}
	return rc;
}

static int
natives(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	struct tt_mem *mem = &f->m->env->mem;
	uint64_t dropped = 0;
	int rc = TT_OK;

	for (uint32_t p = 0; f->m->code && p < f->m->code->nips && rc == TT_OK; p++) {
		const struct tt_code_ips *ips = &f->m->code->ips[p];
		size_t room = ips->managed.n + ips->native.n, n = 0;
		struct native *v = tt_mem_alloc(mem, room * sizeof *v, err);
		struct tt_codemap map = { 0 };

		dropped += ips->dropped;
		rc = v ? tt_codemap_init(&map, f->m, p, err) : err->code;
		if (rc == TT_OK) {
			n = list_ips(&map, &ips->managed, false, v);
			n += list_ips(&map, &ips->native, true, v + n);
			if (n)
				qsort(v, n, sizeof *v, by_code);
			rc = put_native(f, t, p, v, n, err);
		}
		tt_codemap_free(&map);
		tt_mem_free(mem, v, room * sizeof *v);
	}
	if (rc == TT_OK && dropped) {
		t->note = tt_report_text(f->r, err, "%llu samples are left out: too many different addresses",
		    (unsigned long long)dropped);
		rc = t->note ? TT_OK : err->code;
	}
	return rc == TT_OK ? tt_table_sort(t, "samples", err) : rc;
}

/* --- stacks ------------------------------------------------------------------------------- */

struct stack { uint32_t node; uint64_t n; };

static int
by_samples(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

static int
by_node(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	return (x->node > y->node) - (x->node < y->node);
}

static size_t
join_stacks(struct stack *v, size_t n)
{
	size_t to = 0;

	if (n)
		qsort(v, n, sizeof *v, by_node);
	for (size_t i = 0; i < n; i++) {
		if (to && v[to - 1].node == v[i].node)
			v[to - 1].n += v[i].n;
		else
			v[to++] = v[i];
	}
	return to;
}

static size_t
list_stacks(struct fold *f, struct stack *v)
{
	size_t n = 0;

	for (uint32_t i = 0; i < f->p.n; i++) {
		uint64_t k = is_sampled(f, i) ? tt_paths_count(&f->p, i).n : 0;

		if (k && tt_paths_site_wanted(&f->p, tt_paths_row_at(&f->p, f->p.owner[i])))
			v[n++] = (struct stack){ f->p.group ? f->p.path[i] : i, k };
	}
	if (f->p.group)
		n = join_stacks(v, n);
	if (n)
		qsort(v, n, sizeof *v, by_samples);
	return n;
}

static int
put_stack(struct fold *f, struct tt_table *t, const struct stack *s, struct tt_buf *b, struct tt_err *err)
{
	const struct tt_thread *th = tt_paths_thread(&f->p, s->node);
	bool native = tt_paths_row_at(&f->p, f->p.owner[s->node]) == TT_NO_ROW;
	int rc = tt_paths_text(&f->p, s->node, b, err);
	const char *text;
	struct tt_cell *c;

	if (rc != TT_OK)
		return rc;
	text = native ? NATIVE : tt_arena_text(&f->r->arena, b->p, b->n, err);
	rc = text ? tt_table_row(f->r, t, &c, err) : err->code;
	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], text);
	if (th && (!f->p.group || f->p.group == TT_GROUP_THREAD))
		tt_cell_text(&c[1], th->name);
	tt_cell_int(&c[2], (int64_t)s->n);
	tt_cell_share(&c[3], (int64_t)s->n, (int64_t)f->n);
	return TT_OK;
}

/* Text is made for the rows that will be shown only. */
static int
paths(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	size_t room = f->p.n * sizeof(struct stack), n, rows;
	struct stack *v = tt_mem_alloc(&f->m->env->mem, room, err);
	struct tt_buf b = { 0 };
	int rc = TT_OK;

	if (!v)
		return err->code;
	if (f->p.group && (rc = tt_paths_join(&f->p, err)) != TT_OK) {
		tt_mem_free(&f->m->env->mem, v, room);
		return rc;
	}
	n = list_stacks(f, v);
	rows = f->o->rows && f->o->rows < n ? f->o->rows : n;
	for (size_t i = 0; i < rows && rc == TT_OK; i++)
		rc = put_stack(f, t, &v[i], &b, err);
	t->hidden = n - rows;
	tt_buf_free(&b);
	tt_mem_free(&f->m->env->mem, v, room);
	return rc;
}

/* --- the pass ------------------------------------------------------------------------------ */

static int
tables_of(struct fold *f, struct tt_err *err)
{
	static int (*const make[])(struct fold *, struct tt_table *, struct tt_err *) = {
		[S_MARKERS] = markers, [S_THREADS] = threads, [S_CATEGORIES] = categories, [S_NATIVE] = natives,
		[S_PATHS] = paths,
	};
	int rc = TT_OK;

	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_samples, i, f->o, f->r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		t->empty_reason = "no sample in this capture, or none that the filters leave";
		if (f->n)
			rc = make[i](f, t, err);
	}
	return rc;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	struct fold f = { .m = m, .o = o, .r = r };
	struct tt_mem *mem = &m->env->mem;
	int rc;

	if (m->samples == 0 && !o->table)
		return TT_OK;
	rc = tt_paths_init_by(&f.p, m, o->group, err);
	if (rc == TT_OK)
		rc = fold(&f, err);
	if (rc == TT_OK && (f.n || o->table))
		rc = tables_of(&f, err);
	tt_mem_free(mem, f.thread, f.thread ? m->threads.n * sizeof *f.thread : 0);
	tt_mem_free(mem, f.category, f.category ? (m->ncategory + 1) * sizeof *f.category : 0);
	tt_mem_free(mem, f.waits, f.waits ? f.p.nrow * sizeof *f.waits : 0);
	tt_mem_free(mem, f.row, f.row ? (f.p.nrow + 1) * sizeof *f.row : 0);
	tt_paths_free(&f.p);
	return rc;
}

const struct tt_pass tt_pass_samples = {
	.name = "samples",
	.summary = "samples: by method, thread, category, native code and stack",
	.needs = TT_NEEDS_CALLS,
	.standard = true,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
	.table_needs = table_needs,
};

/**
 * The pass "samples": where the program was when the sampler looked.
 *
 * A sample belongs to the managed method at its leaf, even if that method had called native code.
 * Definitions: tracetool-metrics(7), Samples.
 */
#include <string.h>

#include "base/order.h"
#include "collect/code.h"
#include "collect/event_counts.h"
#include "model/waits.h"
#include "pass/code_lookup.h"
#include "pass/passes.h"
#include "view/view.h"

#define SELF_COL { "self", "samples", TT_UNIT_COUNT, "Number of samples with this as the innermost managed frame." }
#define SELF_SHARE_COL { "self_share", "samples", TT_UNIT_PERCENT, "Share of all samples." }
#define TOTAL_COL { "total", "with callees", TT_UNIT_COUNT, "Number of samples with this anywhere on the stack." }
#define TOTAL_SHARE_COL { "total_share", "with callees", TT_UNIT_PERCENT, "Share of all samples." }

static const struct tt_col marker_col[] = {
	{ "marker", "method", TT_UNIT_TEXT, "Managed method; (native) if no managed frame is on the stack." },
	{ "category", "category", TT_UNIT_TEXT, "Category of the method." },
	SELF_COL, SELF_SHARE_COL, TOTAL_COL, TOTAL_SHARE_COL,
};
static const struct tt_col thread_col[] = {
	{ "thread", "thread", TT_UNIT_TEXT, "Sampled thread." },
	{ "number", "no.", TT_UNIT_COUNT, "Number of the thread." },
	{ "samples", "samples", TT_UNIT_COUNT, "Number of samples of the thread." },
	{ "share", "samples", TT_UNIT_PERCENT, "Share of all samples." },
	{ "managed", "managed", TT_UNIT_COUNT, "Number of samples with a managed frame on the stack." },
	{ "waiting", "waiting", TT_UNIT_COUNT, "Number of samples with a wait marker on the stack: the thread did not run." },
};
static const struct tt_col category_col[] = {
	{ "category", "category", TT_UNIT_TEXT, "Category; (native) if no managed frame is on the stack." },
	SELF_COL, SELF_SHARE_COL, TOTAL_COL, TOTAL_SHARE_COL,
};
static const struct tt_col native_col[] = {
	{ "code", "code", TT_UNIT_TEXT, "Method or helper whose code contains the address, otherwise the nearest symbol below it." },
	{ "kind", "kind", TT_UNIT_TEXT, "method, helper, symbol (the nearest exported symbol, often not the function that ran) or unknown." },
	{ "samples", "samples", TT_UNIT_COUNT, "Number of samples whose native address is in this code." },
	{ "share", "samples", TT_UNIT_PERCENT, "Share of all samples." },
	{ "native", "without managed", TT_UNIT_COUNT, "Number of samples without a managed frame on the stack." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col path_col[] = {
	{ "path", "path", TT_UNIT_TEXT, "Managed frames, outermost first; of a deeper stack, the innermost 64." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread." },
	{ "samples", "samples", TT_UNIT_COUNT, "Number of samples with this stack." },
	{ "share", "samples", TT_UNIT_PERCENT, "Share of all samples." },
};

/* Samples of one row. seen: the last node counted in total, so that recursion counts once. */
struct sum { uint64_t self, total; uint32_t seen; };

struct fold {
	const struct tt_paths *p;
	bool *waits;                  /* by row: true if it is a wait marker */
	struct sum *row;              /* by row; the last one: (native) */
	struct sum *category;         /* by category; the last one: (native) */
	struct of_thread { uint64_t n, managed, waiting; } *thread;
	uint64_t n;
};

static struct fold *
fold_of(const struct tt_making *k)
{
	return k->state;
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
category_of(const struct tt_paths *p, uint32_t node)
{
	if (tt_paths_row(p, node) == TT_NO_ROW)
		return (uint32_t)p->m->ncategory;
	return p->m->name[tt_paths_node(p, node)->marker].category;
}

/* Count the samples that end in ${node}, at it and at all frames above. */
static void
add_node(struct fold *f, uint32_t node, uint64_t n)
{
	const struct tt_paths *p = f->p;
	const struct tt_thread *t = tt_paths_thread(p, node);
	uint32_t leaf = tt_paths_row(p, p->owner[node]), place = tt_paths_row_at(p, p->owner[node]);
	struct sum *row = &f->row[place != TT_NO_ROW ? place : p->nrow];
	struct sum *category = &f->category[category_of(p, p->owner[node])];
	bool waiting = false;

	f->n += n;
	row->self += n;
	category->self += n;
	add_total(row, node, n);
	add_total(category, node, n);
	for (uint32_t up = p->owner[node]; tt_paths_row(p, up) != TT_NO_ROW; up = p->owner[tt_paths_node(p, up)->parent]) {
		uint32_t at = tt_paths_row(p, up);
		add_total(&f->row[at], node, n);
		add_total(&f->category[category_of(p, up)], node, n);
		waiting = waiting || f->waits[at];
	}
	if (!t)
		return;
	f->thread[t->index].n += n;
	f->thread[t->index].managed += leaf != TT_NO_ROW ? n : 0;
	f->thread[t->index].waiting += waiting ? n : 0;
}

static void
open(struct tt_making *k)
{
	struct fold *f = fold_of(k);

	f->p = tt_view_paths(k->view, k->o->group, TT_PATHS_ROWS, &k->r->err);
	f->row = tt_pass_alloc(k, f->p ? (f->p->nrow + 1) * sizeof *f->row : 0);
	f->waits = tt_pass_alloc(k, f->p ? f->p->nrow * sizeof *f->waits : 0);
	f->category = tt_pass_alloc(k, (k->m->ncategory + 1) * sizeof *f->category);
	f->thread = tt_pass_alloc(k, k->m->threads.n * sizeof *f->thread);
	if (!f->thread)
		return;
	for (uint32_t i = 0; i < f->p->nrow && !f->p->group; i++)
		f->waits[i] = tt_waits_has(k->m, f->p->row[i].name);
	for (uint32_t i = 0; i < f->p->n; i++) {
		uint64_t n = tt_paths_sampled(f->p, i) ? tt_paths_count(f->p, i).n : 0;
		if (n)
			add_node(f, i, n);
	}
}

static void
put_sum(const struct fold *f, struct tt_cell *c, const struct sum *s)
{
	tt_cell_u64(&c[0], s->self);
	tt_put_share(&c[1], (int64_t)s->self, (int64_t)f->n);
	tt_cell_u64(&c[2], s->total);
	tt_put_share(&c[3], (int64_t)s->total, (int64_t)f->n);
}

static void
markers(struct tt_making *k, struct tt_table *t)
{
	const struct fold *f = fold_of(k);

	for (uint32_t i = 0; i <= f->p->nrow; i++) {
		bool native = i == f->p->nrow;
		struct tt_cell *c;

		if (f->row[i].total == 0 || !tt_paths_site_wanted(f->p, native ? TT_NO_ROW : i))
			continue;
		c = tt_row(t);
		tt_cell_text(&c[0], native ? TT_NATIVE : f->p->row[i].label);
		if (!native && !f->p->group)
			tt_cell_text(&c[1], k->m->category[f->p->row[i].name->category].name);
		put_sum(f, c + 2, &f->row[i]);
	}
}

static void
threads(struct tt_making *k, struct tt_table *t)
{
	const struct fold *f = fold_of(k);

	for (size_t i = 0; i < k->m->threads.n; i++) {
		const struct of_thread *of = &f->thread[i];
		struct tt_cell *c;

		if (of->n == 0)
			continue;
		c = tt_row(t);
		tt_cell_text(&c[0], k->m->threads.t[i]->name);
		tt_cell_u64(&c[1], i + 1);
		tt_cell_u64(&c[2], of->n);
		tt_put_share(&c[3], (int64_t)of->n, (int64_t)f->n);
		tt_cell_u64(&c[4], of->managed);
		tt_cell_u64(&c[5], of->waiting);
	}
}

static void
categories(struct tt_making *k, struct tt_table *t)
{
	const struct fold *f = fold_of(k);

	for (size_t i = 0; i <= k->m->ncategory; i++) {
		const char *name = i < k->m->ncategory ? k->m->category[i].name : TT_NATIVE;
		struct tt_cell *c;

		if (f->category[i].total == 0 || !tt_glob_any(k->m->filter.category, name))
			continue;
		c = tt_row(t);
		tt_cell_text(&c[0], name);
		put_sum(f, c + 1, &f->category[i]);
	}
}

/* --- native code ------------------------------------------------------------------------ */

struct native { const char *name; enum tt_code_kind kind; uint32_t process; uint64_t n, native; };

static int
by_code(const void *a, const void *b)
{
	const struct native *x = a, *y = b;

	return x->kind != y->kind ? TT_CMP(x->kind, y->kind) : strcmp(x->name, y->name);
}

static size_t
list_ips(const struct tt_codemap *map, const struct tt_tally *t, bool native, struct native *v)
{
	for (size_t i = 0; i < t->n; i++) {
		v[i] = (struct native){ .n = t->v[i].n, .native = native ? t->v[i].n : 0, .process = map->process };
		v[i].kind = tt_codemap_name(map, t->v[i].key, &v[i].name);
	}
	return t->n;
}

static void
put_native(struct tt_making *k, struct tt_table *t, const void *group, size_t n)
{
	static const char *const kinds[] = { "method", "helper", "symbol", "unknown" };
	const struct native *v = group;
	uint64_t all = 0, native = 0;
	struct tt_cell *c;

	if (!tt_glob_any(k->m->filter.marker, v->name))
		return;
	for (size_t i = 0; i < n; i++) {
		all += v[i].n;
		native += v[i].native;
	}
	c = tt_row(t);
	tt_cell_text(&c[0], v->name);
	tt_cell_text(&c[1], kinds[v->kind]);
	tt_cell_u64(&c[2], all);
	tt_put_share(&c[3], (int64_t)all, (int64_t)fold_of(k)->n);
	tt_cell_u64(&c[4], native);
	tt_cell_int(&c[5], (int64_t)v->process + 1);
}

static void
natives(struct tt_making *k, struct tt_table *t)
{
	const struct tt_code *code = tt_code(k->m);
	uint64_t dropped = 0;

	for (uint32_t p = 0; p < code->nips; p++) {
		const struct tt_code_ips *ips = &code->ips[p];
		size_t room = ips->managed.n + ips->native.n, n;
		struct native *v = tt_pass_alloc(k, room * sizeof *v);
		struct tt_codemap map = { 0 };

		dropped += ips->dropped;
		if (v && tt_codemap_init(&map, k->m, p, &k->r->err) == TT_OK) {
			n = list_ips(&map, &ips->managed, false, v);
			n += list_ips(&map, &ips->native, true, v + n);
			tt_for_each_group(v, n, sizeof *v, by_code, put_native, k, t);
		}
		tt_codemap_free(&map);
	}
	if (dropped)
		t->note = tt_text(k->r, "%llu samples are left out: too many different addresses", (unsigned long long)dropped);
}

/* --- stacks ------------------------------------------------------------------------------- */

struct stack { uint32_t node; uint64_t n; };

static int
by_samples(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return TT_CMP(x->node, y->node);
}

static int
by_node(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	return TT_CMP(x->node, y->node);
}

static size_t
join_stacks(struct stack *v, size_t n)
{
	size_t to = 0;

	tt_sort(v, n, by_node);
	for (size_t i = 0; i < n; i++) {
		if (to && v[to - 1].node == v[i].node)
			v[to - 1].n += v[i].n;
		else
			v[to++] = v[i];
	}
	return to;
}

static size_t
list_stacks(const struct tt_paths *p, struct stack *v)
{
	size_t n = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		uint64_t k = tt_paths_sampled(p, i) ? tt_paths_count(p, i).n : 0;

		if (k && tt_paths_site_wanted(p, tt_paths_row_at(p, p->owner[i])))
			v[n++] = (struct stack){ p->group ? p->path[i] : i, k };
	}
	if (p->group)
		n = join_stacks(v, n);
	tt_sort(v, n, by_samples);
	return n;
}

/* Text is made only for the rows that will be shown. */
static void
paths(struct tt_making *k, struct tt_table *t)
{
	const struct fold *f = fold_of(k);
	const struct tt_paths *p = tt_view_paths(k->view, k->o->group, k->o->group ? TT_PATHS_JOIN : 0, &k->r->err);
	struct stack *v = tt_pass_alloc(k, f->p->n * sizeof *v);
	size_t n = v ? list_stacks(p, v) : 0;

	for (size_t i = 0; i < n; i++) {
		struct tt_cell *c;

		if (k->o->max_rows && i >= k->o->max_rows) {
			t->hidden++;
			continue;
		}
		c = tt_begin_path_row(t, p, v[i].node, tt_paths_row_at(p, p->owner[v[i].node]) == TT_NO_ROW ? TT_NATIVE : NULL);
		tt_cell_u64(&c[2], v[i].n);
		tt_put_share(&c[3], (int64_t)v[i].n, (int64_t)f->n);
	}
}

/* --- the pass ------------------------------------------------------------------------------ */

static bool
any(const struct tt_model *m)
{
	return tt_event_counts(m)->samples > 0;
}

static bool
has(const struct tt_making *k)
{
	return fold_of(k)->n > 0;
}

#define NONE .has_rows = has, .why_empty = "no sample in this capture, or the filters leave none"
static const struct tt_pass_table tables[] = {
	{ "samples", "Samples by method", marker_col, TT_NCOL(marker_col), false, TT_ON_CALLS, TT_BY_THREAD | TT_BY_NAME,
	    .make_rows = markers, .sort = "self", NONE },
	{ "sample_threads", "Samples by thread", thread_col, TT_NCOL(thread_col), false, TT_ON_TIME | TT_ON_THREAD,
	    .make_rows = threads, .sort = "samples", NONE },
	{ "sample_categories", "Samples by category", category_col, TT_NCOL(category_col), false,
	    TT_ON_TIME | TT_ON_THREAD | TT_ON_CATEGORY, .make_rows = categories, .sort = "self", NONE },
	{ "sample_native", "Samples by native code", native_col, TT_NCOL(native_col), false,
	    TT_ON_TIME | TT_ON_THREAD | TT_ON_MARKER, .needs = TT_NEEDS_CODE, .make_rows = natives, .sort = "samples", NONE },
	{ "sample_paths", "Samples by stack", path_col, TT_NCOL(path_col), true, TT_ON_CALLS, TT_BY_THREAD | TT_BY_NAME,
	    .make_rows = paths, NONE },
};

const struct tt_pass tt_pass_samples = {
	.name = "samples",
	.summary = "samples: by method, thread, category, native code and stack",
	.needs = TT_NEEDS_CALLS,
	.is_standard = true,
	.has_tables = any,
	.state_bytes = sizeof(struct fold),
	.open = open,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

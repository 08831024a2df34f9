/**
 * The pass "jit": what the runtime compiled.
 *
 * Definitions: tracetool-metrics(7), JIT.
 */
#include <string.h>

#include "base/order.h"
#include "pass/code_lookup.h"
#include "collect/code.h"
#include "collect/counters.h"
#include "pass/passes.h"
#include "stat/num.h"
#include "view/counter.h"

enum { U_METHODS, U_CODE, U_BYTES, U_MEAN, U_MAX, U_HELPERS, U_HELPER_BYTES, U_TIME, U_COMPILED, U_AOT, U_PROCESS, U_N };

static const struct tt_col summary_col[U_N] = {
	[U_METHODS] = { "methods", "methods", TT_UNIT_COUNT, "Number of methods that the capture names." },
	[U_CODE] = { "with_code", "with code", TT_UNIT_COUNT,
	    "Number of methods whose code is in the capture; the others were first met on a stack." },
	[U_BYTES] = { "code_bytes", "code", TT_UNIT_BYTES, "Bytes of code of these methods." },
	[U_MEAN] = { "mean_bytes", "mean size", TT_UNIT_BYTES, "Bytes per method with code." },
	[U_MAX] = { "max_bytes", "largest", TT_UNIT_BYTES, "Bytes of the method with the most code." },
	[U_HELPERS] = { "helpers", "helpers", TT_UNIT_COUNT, "Number of pieces of helper code, without code that belongs to a method." },
	[U_HELPER_BYTES] = { "helper_bytes", "helper code", TT_UNIT_BYTES, "Bytes of this code." },
	[U_TIME] = { "jit_ns", "time", TT_UNIT_NS, "Time spent compiling, by the runtime's own counter; empty if the counter was not recorded." },
	[U_COMPILED] = { "compiled", "compiled", TT_UNIT_COUNT, "Number of methods compiled at run time, by the runtime's own counter." },
	[U_AOT] = { "aot", "ahead of time", TT_UNIT_COUNT, "Number of used methods that were compiled ahead of time, by the runtime's own counter." },
	[U_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col helper_col[] = {
	{ "kind", "kind", TT_UNIT_TEXT, "Purpose of the code, as Mono names it." },
	{ "count", "count", TT_UNIT_COUNT, "Number of pieces of code." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Bytes of this code." },
};
static const struct tt_col method_col[] = {
	{ "marker", "method", TT_UNIT_TEXT, "Name of the method." },
	{ "category", "category", TT_UNIT_TEXT, "Category of the method." },
	{ "bytes", "code", TT_UNIT_BYTES, "Bytes of the method's code." },
	{ "address", "address", TT_UNIT_HEX, "Start address of the code." },
	{ "time_ns", "time", TT_UNIT_NS, "Time at which the recorder first met the code; empty if the capture does not tell it." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

#define METHOD_CODE 0         /* kind of helper code that repeats a method's code */

/* Put the last value of the counter ${name}, times in ns; leave the cell empty without a value. */
static void
put_counter(const struct tt_model *m, uint32_t process, const char *name, struct tt_cell *c)
{
	const struct tt_counters *cs = tt_counters(m);

	for (size_t i = 0; i < cs->n; i++) {
		const struct tt_counter_stat *s = &cs->counter[i];
		int64_t v, factor = tt_counter_base(s->def).num;

		if (s->process == process && s->def && s->n && strcmp(s->def->text, name) == 0 &&
		    (s->type == TT_T_I64 || s->type == TT_T_U64) && !__builtin_mul_overflow(s->last.i, factor, &v))
			tt_cell_int(c, v);
	}
}

static void
summary(struct tt_making *k, struct tt_table *t)
{
	const struct tt_model *m = k->m;
	const struct tt_code *code = tt_code(m);

	for (uint32_t p = 0; p < m->ncap; p++) {
		uint64_t helpers = 0, helper_b = 0;
		struct tt_code_sum sum;
		struct tt_cell *c;

		if (!tt_code_sum(m->cap[p], &m->filter, &sum))
			continue;
		for (size_t i = 0; i < code->n; i++) {
			const struct tt_code_helper *h = &code->helper[i];
			helpers += h->process == p && h->kind != METHOD_CODE;
			helper_b += h->process == p && h->kind != METHOD_CODE ? h->size : 0;
		}
		c = tt_row(t);
		tt_cell_u64(&c[U_METHODS], sum.methods);
		tt_cell_u64(&c[U_CODE], sum.coded);
		tt_cell_u64(&c[U_BYTES], sum.bytes);
		if (sum.coded) {
			tt_cell_int(&c[U_MEAN], tt_ratio(sum.bytes, 1, sum.coded));
			tt_cell_u64(&c[U_MAX], sum.largest);
		}
		tt_cell_u64(&c[U_HELPERS], helpers);
		tt_cell_u64(&c[U_HELPER_BYTES], helper_b);
		put_counter(m, p, "Total time spent JITting", &c[U_TIME]);
		put_counter(m, p, "Compiled methods", &c[U_COMPILED]);
		put_counter(m, p, "Methods from AOT", &c[U_AOT]);
		tt_cell_int(&c[U_PROCESS], (int64_t)p + 1);
	}
}

static void
helpers(struct tt_making *k, struct tt_table *t)
{
	const struct tt_code *code = tt_code(k->m);

	for (unsigned i = 0; code && i < TT_NCOL(code->helper_n); i++) {
		struct tt_cell *c;

		if (code->helper_n[i] == 0)
			continue;
		c = tt_row(t);
		tt_cell_text(&c[0], tt_code_helper_kind(i));
		tt_cell_u64(&c[1], code->helper_n[i]);
		tt_cell_u64(&c[2], code->helper_b[i]);
	}
}

/* The compiled code of a method, with the label of its group. */
struct code { const struct tt_def *d; const struct tt_name *name; const char *label; int64_t ts; uint32_t process; };

static bool
is_timed(const struct code *v)
{
	return v->d->ts != TT_EVER;
}

/* Store in ${to} the code that ${d} of ${process} describes. True if the filters want it, and it was compiled in the filter's time or has no time. */
static bool
is_wanted(const struct tt_model *m, uint32_t process, const struct tt_def *d, struct code *to)
{
	*to = (struct code){ .d = d, .name = tt_model_key(m, process, d->key), .ts = d->ts + m->cap[process]->offset_ns, .process = process };
	return d->b > 0 && to->name->wanted && tt_filter_has_def(&m->filter, d, m->cap[process]);
}

static int
by_label(const void *a, const void *b)
{
	const struct code *x = a, *y = b;
	int c = strcmp(x->label, y->label);

	return c ? c : TT_CMP(x->process, y->process);
}

static void
put_group(struct tt_making *k, struct tt_table *t, const void *group, size_t n)
{
	const struct code *v = group;
	int64_t bytes = 0, first = INT64_MAX;
	struct tt_cell *c = tt_row(t);

	(void)k;
	for (size_t i = 0; i < n; i++) {
		bytes += (int64_t)v[i].d->b;
		first = is_timed(&v[i]) && v[i].ts < first ? v[i].ts : first;
	}
	tt_cell_text(&c[0], v->label);
	tt_cell_int(&c[2], bytes);
	if (first != INT64_MAX)
		tt_cell_int(&c[4], first);
	tt_cell_int(&c[5], (int64_t)v->process + 1);
}

static void
groups(struct tt_making *k, struct tt_table *t)
{
	struct tt_mem *mem = &k->m->env->mem;
	struct code *v = NULL;
	size_t n = 0, cap = 0;
	const struct tt_def *d;

	for (uint32_t p = 0; p < k->m->ncap; p++) {
		for (size_t i = 0; k->r->err.code == TT_OK && (d = tt_code_at(k->m->cap[p], i)); i++) {
			struct code of;

			if (!is_wanted(k->m, p, d, &of) || tt_mem_grow(mem, &v, &cap, n + 1, sizeof *v, &k->r->err) != TT_OK)
				continue;
			of.label = tt_group_marker(k->m, k->o->group, of.name, &k->r->arena, &k->r->err);
			v[n] = of;
			n += of.label != NULL;
		}
	}
	tt_for_each_group(v, n, sizeof *v, by_label, put_group, k, t);
	tt_mem_free(mem, v, cap * sizeof *v);
}

static void
methods(struct tt_making *k, struct tt_table *t)
{
	const struct tt_def *d;

	for (uint32_t p = 0; p < k->m->ncap; p++) {
		for (size_t i = 0; (d = tt_code_at(k->m->cap[p], i)); i++) {
			struct code of;
			struct tt_cell *c;

			if (!is_wanted(k->m, p, d, &of))
				continue;
			c = tt_row(t);
			tt_cell_text(&c[0], of.name->shown);
			if (of.name->category < k->m->ncategory)
				tt_cell_text(&c[1], k->m->category[of.name->category].name);
			tt_cell_u64(&c[2], d->b);
			tt_cell_u64(&c[3], d->a);
			if (is_timed(&of))
				tt_cell_int(&c[4], of.ts);
			tt_cell_int(&c[5], (int64_t)p + 1);
		}
	}
}

static const struct tt_pass_table tables[] = {
	{ "jit", "Compiled code", summary_col, U_N, false, TT_ON_TIME, .shape = TT_FACTS, .make_rows = summary,
	    .why_empty = "no compiled code in this capture" },
	{ "jit_helpers", "Helper code", helper_col, TT_NCOL(helper_col), false, TT_ON_TIME, .make_rows = helpers, .sort = "bytes",
	    .why_empty = "no helper code in this capture", .records = TT_REC_CODE },
	{ "jit_methods", "Code by method", method_col, TT_NCOL(method_col), true, TT_ON_TIME | TT_ON_NAMES, TT_BY_NAME,
	    .make_rows = methods, .make_groups = groups, .sort = "bytes", .why_empty = "no compiled code in this capture" },
};

const struct tt_pass tt_pass_jit = {
	.name = "jit",
	.summary = "compiled code: methods, sizes, helper code",
	.needs = TT_NEEDS_CODE,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

/**
 * The pass "jit": what the runtime compiled.
 *
 * Definitions: tracetool-metrics(7), JIT.
 */
#include <stdlib.h>
#include <string.h>

#include "pass/code.h"
#include "pass/passes.h"
#include "stat/num.h"

enum { J_SUMMARY, J_HELPERS, J_METHODS };

enum { U_METHODS, U_CODE, U_BYTES, U_MEAN, U_MAX, U_HELPERS, U_HELPER_BYTES, U_TIME, U_COMPILED, U_AOT, U_PROCESS, U_N };

static const struct tt_col summary_col[U_N] = {
	[U_METHODS] = { "methods", "methods", TT_UNIT_COUNT, "Methods that the capture names." },
	[U_CODE] = { "with_code", "with code", TT_UNIT_COUNT,
	    "Those whose code the capture knows; the others were first met on a stack." },
	[U_BYTES] = { "code_bytes", "code", TT_UNIT_BYTES, "Bytes of their code." },
	[U_MEAN] = { "mean_bytes", "mean size", TT_UNIT_BYTES, "Bytes per method with code." },
	[U_MAX] = { "max_bytes", "largest", TT_UNIT_BYTES, "Largest code of one method." },
	[U_HELPERS] = { "helpers", "helpers", TT_UNIT_COUNT, "Pieces of helper code; code that belongs to a method is not one." },
	[U_HELPER_BYTES] = { "helper_bytes", "helper code", TT_UNIT_BYTES, "Their bytes." },
	[U_TIME] = { "jit_ns", "time", TT_UNIT_NS, "Time spent compiling, by the runtime's own counter; empty where it is not recorded." },
	[U_COMPILED] = { "compiled", "compiled", TT_UNIT_COUNT, "Methods compiled at run time, by the runtime's own counter." },
	[U_AOT] = { "aot", "ahead of time", TT_UNIT_COUNT, "Methods compiled ahead of time that were used, by its counter." },
	[U_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col helper_col[] = {
	{ "kind", "kind", TT_UNIT_TEXT, "What the code is for, as Mono names it." },
	{ "count", "count", TT_UNIT_COUNT, "Pieces of it." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Their bytes." },
};
static const struct tt_col method_col[] = {
	{ "marker", "method", TT_UNIT_TEXT, "Name of the method." },
	{ "category", "category", TT_UNIT_TEXT, "Its category." },
	{ "bytes", "code", TT_UNIT_BYTES, "Bytes of its code." },
	{ "address", "address", TT_UNIT_HEX, "Where the code begins." },
	{ "time_ns", "time", TT_UNIT_NS, "When the recorder first met it." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

static const struct tt_pass_table tables[] = {
	[J_SUMMARY] = { "jit", "Compiled code", summary_col, U_N, false, TT_ON_TIME, 0, 0 },
	[J_HELPERS] = { "jit_helpers", "Helper code", helper_col, TT_NCOL(helper_col), false, TT_ON_TIME, 0, 0 },
	[J_METHODS] = { "jit_methods", "Code by method", method_col, TT_NCOL(method_col), true,
	    TT_ON_TIME | TT_ON_NAMES, TT_BY_NAME, 0 },
};

#define METHOD_CODE 0         /* kind of helper code that repeats a method's */

/* The last value of the counter ${name}, times in ns; the cell stays empty without it. */
static void
put_counter(const struct tt_model *m, uint32_t process, const char *name, struct tt_cell *c)
{
	for (size_t i = 0; i < m->ncounter; i++) {
		const struct tt_counter_stat *s = &m->counter[i];
		int64_t v, factor = s->def && (s->def->b >> 24 & 0xff) == TT_CU_100NS ? 100 : 1;

		if (s->process == process && s->def && s->n && strcmp(s->def->text, name) == 0 &&
		    (s->type == TT_T_I64 || s->type == TT_T_U64) && !__builtin_mul_overflow(s->last.i, factor, &v))
			tt_cell_int(c, v);
	}
}

static bool
in_time(const struct tt_model *m, int64_t ts)
{
	return ts >= m->filter.from && ts < m->filter.to;
}

static int
summary(const struct tt_model *m, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	t->facts = true;
	for (uint32_t p = 0; p < m->ncap && rc == TT_OK; p++) {
		const struct tt_capture *cap = m->cap[p];
		uint64_t helpers = 0, helper_b = 0;
		struct tt_code_sum sum;
		struct tt_cell *c;

		if (!tt_code_sum(cap, m->filter.from, m->filter.to, &sum))
			continue;
		for (size_t i = 0; m->code && i < m->code->n; i++) {
			const struct tt_code_helper *h = &m->code->helper[i];
			helpers += h->process == p && h->kind != METHOD_CODE;
			helper_b += h->process == p && h->kind != METHOD_CODE ? h->size : 0;
		}
		rc = tt_table_row(r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_int(&c[U_METHODS], (int64_t)sum.methods);
		tt_cell_int(&c[U_CODE], (int64_t)sum.coded);
		tt_cell_int(&c[U_BYTES], (int64_t)sum.bytes);
		if (sum.coded) {
			tt_cell_int(&c[U_MEAN], tt_ratio(sum.bytes, 1, sum.coded));
			tt_cell_int(&c[U_MAX], (int64_t)sum.largest);
		}
		tt_cell_int(&c[U_HELPERS], (int64_t)helpers);
		tt_cell_int(&c[U_HELPER_BYTES], (int64_t)helper_b);
		put_counter(m, p, "Total time spent JITting", &c[U_TIME]);
		put_counter(m, p, "Compiled methods", &c[U_COMPILED]);
		put_counter(m, p, "Methods from AOT", &c[U_AOT]);
		tt_cell_int(&c[U_PROCESS], (int64_t)p + 1);
	}
	return rc;
}

static int
helpers(const struct tt_model *m, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (unsigned k = 0; m->code && k < TT_NCOL(m->code->helper_n) && rc == TT_OK; k++) {
		struct tt_cell *c;

		if (m->code->helper_n[k] == 0)
			continue;
		rc = tt_table_row(r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_text(&c[0], tt_code_helper_kind(k));
		tt_cell_int(&c[1], (int64_t)m->code->helper_n[k]);
		tt_cell_int(&c[2], (int64_t)m->code->helper_b[k]);
	}
	return rc == TT_OK ? tt_table_sort(t, "bytes", err) : rc;
}

/* Has it code, compiled in the time looked at, and do the filters want it? */
static bool
is_wanted(const struct tt_model *m, const struct tt_def *d, const struct tt_name *name, int64_t ts)
{
	return d->b > 0 && name->wanted && in_time(m, ts);
}

/* The code of a method on its way into its group. */
struct group { const char *label; int64_t bytes, first_ns; uint32_t process; };

static int
by_label(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int c = strcmp(x->label, y->label);

	return c ? c : (x->process > y->process) - (x->process < y->process);
}

static int
put_groups(struct group *v, size_t n, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	if (n)
		qsort(v, n, sizeof *v, by_label);
	for (size_t i = 0, j; i < n && rc == TT_OK; i = j) {
		struct group sum = v[i];
		struct tt_cell *c;

		for (j = i + 1; j < n && by_label(&v[i], &v[j]) == 0; j++) {
			sum.bytes += v[j].bytes;
			if (v[j].first_ns < sum.first_ns)
				sum.first_ns = v[j].first_ns;
		}
		rc = tt_table_row(r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_text(&c[0], sum.label);
		tt_cell_int(&c[2], sum.bytes);
		tt_cell_int(&c[4], sum.first_ns);
		tt_cell_int(&c[5], (int64_t)sum.process + 1);
	}
	return rc;
}

static int
groups(const struct tt_model *m, enum tt_group group, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	struct group *v = NULL;
	size_t n = 0, cap = 0;
	const struct tt_def *d;
	int rc = TT_OK;

	for (uint32_t p = 0; p < m->ncap; p++) {
		for (size_t i = 0; rc == TT_OK && (d = tt_code_at(m->cap[p], i)); i++) {
			const struct tt_name *name = tt_model_key(m, p, d->key);
			int64_t ts = d->ts + m->cap[p]->offset_ns;

			if (!is_wanted(m, d, name, ts))
				continue;
			rc = tt_mem_grow(&m->env->mem, &v, &cap, n + 1, sizeof *v, err);
			if (rc != TT_OK)
				break;
			v[n] = (struct group){ tt_group_marker(m, group, name, &r->arena, err), (int64_t)d->b, ts, p };
			rc = v[n++].label ? TT_OK : err->code;
		}
	}
	if (rc == TT_OK)
		rc = put_groups(v, n, r, t, err);
	tt_mem_free(&m->env->mem, v, cap * sizeof *v);
	return rc == TT_OK ? tt_table_sort(t, "bytes", err) : rc;
}

static int
methods(const struct tt_model *m, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (uint32_t p = 0; p < m->ncap; p++) {
		const struct tt_capture *cap = m->cap[p];
		const struct tt_def *d;

		for (size_t i = 0; rc == TT_OK && (d = tt_code_at(cap, i)); i++) {
			const struct tt_name *name = tt_model_key(m, p, d->key);
			struct tt_cell *c;

			if (!is_wanted(m, d, name, d->ts + cap->offset_ns))
				continue;
			rc = tt_table_row(r, t, &c, err);
			if (rc != TT_OK)
				return rc;
			tt_cell_text(&c[0], name->shown);
			if (name->category < m->ncategory)
				tt_cell_text(&c[1], m->category[name->category].name);
			tt_cell_int(&c[2], (int64_t)d->b);
			tt_cell_int(&c[3], (int64_t)d->a);
			tt_cell_int(&c[4], d->ts + cap->offset_ns);
			tt_cell_int(&c[5], (int64_t)p + 1);
		}
	}
	return rc == TT_OK ? tt_table_sort(t, "bytes", err) : rc;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	static int (*const make[])(const struct tt_model *, struct tt_report *, struct tt_table *, struct tt_err *) = {
		[J_SUMMARY] = summary, [J_HELPERS] = helpers, [J_METHODS] = methods,
	};
	int rc = TT_OK;

	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_jit, i, o, r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		t->empty_reason = i == J_HELPERS ? tt_pass_none(m, r, TT_REC_CODE, "no helper code in this capture", err) :
		    "no compiled code in this capture";
		if (!t->empty_reason)
			return err->code;
		rc = i == J_METHODS && o->group ? groups(m, o->group, r, t, err) : make[i](m, r, t, err);
	}
	return rc;
}

const struct tt_pass tt_pass_jit = {
	.name = "jit",
	.summary = "compiled code: methods, sizes, helper code",
	.needs = TT_NEEDS_CODE,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

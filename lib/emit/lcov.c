/**
 * lcov: a tracefile of coverage, for genhtml and what else reads it.
 *
 * Per source file: FN and FNDA of each method (its first line, how often its first statement ran), DA of each line.
 * Names are those of mono_method_full_name without what a comma would end: genhtml reads to the first one.
 *
 * Source: geninfo(1), FILES.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "collect/cover.h"
#include "emit/common.h"

struct lcov {
	struct tt_env *env;
	struct tt_out out;
	uint32_t *order;              /* methods by file, line, number */
	size_t norder;
};

/* Text of a name: what would end the field or the line is replaced. */
static int
put_text(struct tt_buf *b, const char *s, char comma, struct tt_err *err)
{
	size_t n = strlen(s);
	int rc = tt_buf_room(b, 3 * n, err);

	if (rc != TT_OK)
		return rc;
	char *p = b->p + b->n, *end = tt_utf8_clean(p, s, n);
	for (; p < end; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
		else if (*p == ',' && comma)
			*p = comma;
	b->n = (size_t)(end - b->p);
	return TT_OK;
}

static int
put_name(struct tt_buf *b, const struct tt_cover_method *m, struct tt_err *err)
{
	int rc = put_text(b, m->class, ';', err);

	if (rc == TT_OK)
		rc = tt_buf_text(b, ":", err);
	if (rc == TT_OK)
		rc = put_text(b, m->name, ';', err);
	if (rc == TT_OK)
		rc = tt_buf_text(b, " (", err);
	if (rc == TT_OK)
		rc = put_text(b, m->signature, ';', err);
	return rc == TT_OK ? tt_buf_text(b, ")\n", err) : rc;
}

static int
put_methods(struct lcov *w, const struct tt_cover_sum *s, size_t from, size_t to, struct tt_err *err)
{
	struct tt_buf *b = &w->out.buf;
	size_t hit = 0;
	int rc = TT_OK;

	for (size_t i = from; i < to && rc == TT_OK; i++) {
		const struct tt_cover_method *m = &s->method[w->order[i]];
		hit += m->entries > 0;
		if ((rc = tt_buf_printf(b, err, "FN:%" PRIu32 ",", m->line)) == TT_OK)
			rc = put_name(b, m, err);
	}
	for (size_t i = from; i < to && rc == TT_OK; i++) {
		const struct tt_cover_method *m = &s->method[w->order[i]];
		if ((rc = tt_buf_printf(b, err, "FNDA:%" PRIu64 ",", m->entries)) == TT_OK)
			rc = put_name(b, m, err);
		if (rc == TT_OK)
			rc = tt_out_spill(&w->out, err);
	}
	return rc == TT_OK ? tt_buf_printf(b, err, "FNF:%zu\nFNH:%zu\n", to - from, hit) : rc;
}

static int
put_lines(struct lcov *w, const struct tt_cover_sum *s, size_t from, size_t to, struct tt_err *err)
{
	struct tt_buf *b = &w->out.buf;
	size_t hit = 0;
	int rc = TT_OK;

	for (size_t i = from; i < to && rc == TT_OK; i++) {
		hit += s->line[i].hits > 0;
		rc = tt_buf_printf(b, err, "DA:%" PRIu32 ",%" PRIu64 "\n", s->line[i].line, s->line[i].hits);
		if (rc == TT_OK)
			rc = tt_out_spill(&w->out, err);
	}
	return rc == TT_OK ? tt_buf_printf(b, err, "LF:%zu\nLH:%zu\nend_of_record\n", to - from, hit) : rc;
}

/* --- files --------------------------------------------------------------------- */

static int
by_file(const void *a, const void *b, void *arg)
{
	const struct tt_cover_sum *s = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct tt_cover_method *x = &s->method[i], *y = &s->method[j];
	int cmp = strcmp(x->file, y->file);

	if (cmp)
		return cmp;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return TT_CMP(i, j);
}

/* The methods that have a place, in order. */
static int
order_methods(struct lcov *w, const struct tt_cover_sum *s, struct tt_err *err)
{
	w->order = tt_mem_alloc(&w->env->mem, s->nmethod * sizeof *w->order, err);
	if (!w->order)
		return err->code;
	for (uint32_t i = 0; i < s->nmethod; i++)
		if (s->method[i].line)
			w->order[w->norder++] = i;
	if (w->norder)
		qsort_r(w->order, w->norder, sizeof *w->order, by_file, (void *)(uintptr_t)s);
	return TT_OK;
}

static int
put_files(struct lcov *w, const struct tt_cover_sum *s, struct tt_err *err)
{
	struct tt_buf *b = &w->out.buf;
	size_t m = 0, l = 0;
	int rc = tt_buf_text(b, "TN:\n", err);

	while (l < s->nline && rc == TT_OK) {
		uint32_t file = s->line[l].file;
		size_t to = l, mto = m;

		if (tt_stopped(w->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		while (to < s->nline && s->line[to].file == file)
			to++;
		while (mto < w->norder && strcmp(s->method[w->order[mto]].file, s->file[file]) == 0)
			mto++;
		if ((rc = tt_buf_text(b, "SF:", err)) == TT_OK && (rc = put_text(b, s->file[file], 0, err)) == TT_OK &&
		    (rc = tt_buf_text(b, "\n", err)) == TT_OK && (rc = put_methods(w, s, m, mto, err)) == TT_OK)
			rc = put_lines(w, s, l, to, err);
		m = mto;
		l = to;
	}
	return rc == TT_OK ? tt_out_flush(&w->out, err) : rc;
}

/* --- life ------------------------------------------------------------------------ */

static void
let_go(struct lcov *w, size_t nmethod)
{
	tt_mem_free(&w->env->mem, w->order, nmethod * sizeof *w->order);
	w->order = NULL;
	w->norder = 0;
	tt_buf_free(&w->out.buf);
}

static int
lcov_finish(void *state, const struct tt_model *m, struct tt_err *err)
{
	const struct tt_cover_sum *s = tt_cover_sum(m);
	struct lcov *w = state;
	int rc;

	/* genhtml refuses a tracefile without lines. */
	if (s->nmethod == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "lcov: the capture has no coverage; record it with coverage");
	if (s->nline == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "lcov: the coverage has no line numbers; record it with debug information");
	rc = order_methods(w, s, err);
	if (rc == TT_OK)
		rc = put_files(w, s, err);
	let_go(w, s->nmethod);
	return rc;
}

static void
lcov_end(void *state)
{
	struct lcov *w = state;

	if (!w)
		return;
	let_go(w, 0);
	tt_sink_abort(w->out.sink);
	tt_mem_free(&w->env->mem, w, sizeof *w);
}

static int
lcov_begin(const struct tt_emit_opts *o, const struct tt_model *m, void **state, struct tt_err *err)
{
	struct lcov *w = tt_mem_alloc(&o->env->mem, sizeof *w, err);
	int rc;

	(void)m;
	*state = NULL;
	if (!w)
		return err->code;
	w->env = o->env;
	rc = tt_emit_open(o, o->path, &w->out.sink, err);
	if (rc != TT_OK) {
		lcov_end(w);
		return rc;
	}
	*state = w;
	return TT_OK;
}

static int
lcov_commit(void *state, struct tt_err *err)
{
	struct lcov *w = state;
	struct tt_sink *sink = w->out.sink;

	w->out.sink = NULL;
	return tt_sink_commit(sink, err);
}

static const char *const suffixes[] = { ".info", ".lcov", NULL };

const struct tt_emit tt_emit_lcov = {
	.name = "lcov",
	.summary = "coverage by line and method (genhtml, lcov)",
	.suffix = suffixes,
	.needs = TT_NEEDS_COVERAGE,
	.begin = lcov_begin,
	.finish = lcov_finish,
	.commit = lcov_commit,
	.end = lcov_end,
};

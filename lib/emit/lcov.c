/**
 * lcov: a tracefile of coverage, for genhtml and similar programs.
 *
 * Per source file: FN and FNDA of each method (its first line, how often its first statement ran), DA of each line.
 * Names are those of mono_method_full_name, but a comma is replaced, as genhtml reads only to the first comma.
 *
 * Source: geninfo(1), FILES.
 */
#include <inttypes.h>
#include <string.h>

#include "base/order.h"
#include "collect/cover.h"
#include "emit/common.h"

struct lcov {
	struct tt_out *out;
	const struct tt_cover_sum *s;
	uint32_t *order;              /* methods sorted by file, line, number */
	size_t norder;
};

/* Append a name; characters that would end the field or the line are replaced. */
static void
put_text(struct tt_buf *b, const char *s, char comma)
{
	size_t n = strlen(s);

	if (tt_buf_room(b, 3 * n, NULL) != TT_OK)
		return;
	char *p = b->p + b->n, *end = tt_utf8_clean(p, s, n);
	for (; p < end; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
		else if (*p == ',' && comma)
			*p = comma;
	b->n = (size_t)(end - b->p);
}

static void
put_name(struct tt_buf *b, const struct tt_cover_method *m)
{
	put_text(b, m->class, ';');
	tt_buf_text(b, ":");
	put_text(b, m->name, ';');
	tt_buf_text(b, " (");
	put_text(b, m->signature, ';');
	tt_buf_text(b, ")\n");
}

static void
put_methods(struct lcov *w, size_t from, size_t to)
{
	struct tt_buf *b = &w->out->buf;
	size_t hit = 0;

	for (size_t i = from; i < to; i++) {
		const struct tt_cover_method *m = &w->s->method[w->order[i]];
		hit += m->entries > 0;
		tt_buf_printf(b, "FN:%" PRIu32 ",", m->line);
		put_name(b, m);
	}
	for (size_t i = from; i < to; i++) {
		const struct tt_cover_method *m = &w->s->method[w->order[i]];
		tt_buf_printf(b, "FNDA:%" PRIu64 ",", m->entries);
		put_name(b, m);
		tt_out_spill(w->out);
	}
	tt_buf_printf(b, "FNF:%zu\nFNH:%zu\n", to - from, hit);
}

static void
put_lines(struct lcov *w, size_t from, size_t to)
{
	struct tt_buf *b = &w->out->buf;
	size_t hit = 0;

	for (size_t i = from; i < to; i++) {
		hit += w->s->line[i].hits > 0;
		tt_buf_printf(b, "DA:%" PRIu32 ",%" PRIu64 "\n", w->s->line[i].line, w->s->line[i].hits);
		tt_out_spill(w->out);
	}
	tt_buf_printf(b, "LF:%zu\nLH:%zu\nend_of_record\n", to - from, hit);
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

/* Sort the methods that have a place in a file. */
static int
order_methods(struct lcov *w, struct tt_err *err)
{
	w->order = tt_mem_alloc(&w->out->e.env->mem, w->s->nmethod * sizeof *w->order, err);
	if (!w->order)
		return err->code;
	for (uint32_t i = 0; i < w->s->nmethod; i++)
		if (w->s->method[i].line)
			w->order[w->norder++] = i;
	tt_sort_by(w->order, w->norder, by_file, w->s);
	return TT_OK;
}

static int
put_files(struct lcov *w, struct tt_err *err)
{
	const struct tt_cover_sum *s = w->s;
	struct tt_buf *b = &w->out->buf;
	size_t m = 0, l = 0;

	tt_buf_text(b, "TN:\n");
	while (l < s->nline) {
		uint32_t file = s->line[l].file;
		size_t to = l, mto = m;

		if (tt_stopped(w->out->e.env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		while (to < s->nline && s->line[to].file == file)
			to++;
		while (mto < w->norder && strcmp(s->method[w->order[mto]].file, s->file[file]) == 0)
			mto++;
		tt_buf_text(b, "SF:");
		put_text(b, s->file[file], 0);
		tt_buf_text(b, "\n");
		put_methods(w, m, mto);
		put_lines(w, l, to);
		m = mto;
		l = to;
	}
	return tt_out_error(w->out, err);
}

/* Report methods and lines that have no place in the file. */
static int
tell_missing(const struct lcov *w, struct tt_err *err)
{
	const struct tt_model *m = w->out->e.m;
	struct tt_mem *mem = &m->env->mem;
	struct tt_err failed = { 0 };
	bool *missing = tt_mem_alloc(mem, m->ncap * sizeof *missing, &failed);
	struct tt_arena text;

	tt_arena_init(&text, mem);
	for (size_t i = 0; i < m->ncap && missing; i++)
		missing[i] = !w->s->has_lines[i];
	const char *list = missing ? tt_capture_list(m->cap, m->ncap, missing, &text, &failed) : NULL;
	if (list)
		tt_log(m->env, TT_LOG_NORMAL, "lcov: no coverage with line numbers in %s: left out", list);
	if (w->norder < w->s->nmethod)
		tt_log(m->env, TT_LOG_NORMAL, "lcov: %zu of %zu methods have no line number and are left out", w->s->nmethod - w->norder, w->s->nmethod);
	tt_arena_free(&text);
	tt_mem_free(mem, missing, m->ncap * sizeof *missing);
	if (failed.code)
		*err = failed;
	return failed.code;
}

static int
lcov_finish(void *state, struct tt_err *err)
{
	const struct tt_model *m = ((struct tt_out *)state)->e.m;
	struct lcov w = { .out = state, .s = tt_cover_sum(m) };
	int rc;

	/* genhtml refuses a tracefile without lines. */
	if (w.s->nmethod == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "lcov: the capture has no coverage; record it with coverage");
	if (w.s->nline == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "lcov: the coverage has no line numbers; record it with debug information");
	rc = order_methods(&w, err);
	TT_THEN(rc, tell_missing(&w, err));
	TT_THEN(rc, put_files(&w, err));
	tt_mem_free(&m->env->mem, w.order, w.s->nmethod * sizeof *w.order);
	return rc;
}

static const char *const suffixes[] = { ".info", ".lcov", NULL };

const struct tt_emit tt_emit_lcov = {
	.name = "lcov",
	.summary = "coverage by line and method (genhtml, lcov)",
	.suffix = suffixes,
	.needs = TT_NEEDS_COVERAGE,
	.state = sizeof(struct tt_out),
	.begin = tt_out_begin,
	.finish = lcov_finish,
	.end = tt_out_end,
};

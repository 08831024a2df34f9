/**
 * A verdict as Markdown, for comments on pull requests and GitHub's step summary.
 *
 * A headline, a table of the rows that are not ok, what each of them found, and all rows and remarks folded away. Names are code, in as many backquotes
 * as they need (CommonMark 0.31, 6.1), so they make no mention, link or emoji; in sentences every character with a meaning is escaped.
 */
#include <stdlib.h>
#include <string.h>

#include "verdict/verdict_as.h"
#include "verdict/verdict_table.h"

#include "base/utf8.h"
#include "gate/verdict.h"

#define CUT "\n*The rest did not fit: see the log.*\n"

/*
 * Escape a character of a sentence. @ and # would mention people and issues, even after a backslash, so a space without width follows them. A colon would begin
 * a link.
 */
static const char *
sentence(uint32_t c, char tmp[32])
{
	if (c == '@')
		return "@\xe2\x80\x8b";
	if (c == '#')
		return "#\xe2\x80\x8b";
	if (c == '\n')
		return "<br>";
	if (tt_utf8_control(c))
		return " ";
	if (c == 0 || c >= 0x80 || !strchr("\\`*_{}[]<>|~&$!:", (int)c))
		return NULL;
	tmp[0] = '\\';
	tmp[1] = (char)c;
	tmp[2] = '\0';
	return tmp;
}

/* Escape a character of a code span: only those that would end a line or a table cell, which a backslash cannot quote. */
static const char *
code_text(uint32_t c, char tmp[32])
{
	(void)tmp;
	return tt_utf8_control(c) ? " " : NULL;
}

static const char *
code_cell(uint32_t c, char tmp[32])
{
	return c == '|' ? "\xc2\xa6" : code_text(c, tmp);
}

static void
put_code(struct tt_buf *out, const char *s, tt_verdict_escape *escape)
{
	size_t fence = 1, run = 0, n = strlen(s);
	bool pad = n == 0 || s[0] == '`' || s[n - 1] == '`' || s[0] == ' ';

	for (const char *p = s; *p; p++) {
		run = *p == '`' ? run + 1 : 0;
		if (run >= fence)
			fence = run + 1;
	}
	for (size_t i = 0; i < fence; i++)
		tt_buf_text(out, "`");
	if (pad)
		tt_buf_text(out, " ");
	tt_verdict_put(out, s, escape);
	if (pad)
		tt_buf_text(out, " ");
	for (size_t i = 0; i < fence; i++)
		tt_buf_text(out, "`");
}

static const char *const mark[TT_OUTCOMES] = {
	[TT_PASS] = "✅",
	[TT_NOT_WORSE] = "✅",
	[TT_UNDECIDED] = "❔",
	[TT_CANNOT_JUDGE] = "❔",
	[TT_WAIVED] = "⏸️",
	[TT_ACCEPTED] = "☑️",
	[TT_SKIPPED] = "⏭️",
	[TT_GONE] = "❌",
	[TT_BREACH] = "❌",
	[TT_WORSE] = "❌",
};

static void
put_row(const struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_buf *out)
{
	const char *icon =
	    tt_verdict_kind(v, r) == TT_VERDICT_WARNING && r->outcome != TT_CANNOT_JUDGE ? "⚠️" : mark[r->outcome];
	struct tt_verdict_cells c;
	const char *const cell[] = { c.base, c.value, c.change, c.p };

	tt_verdict_cells(r, &c);
	tt_buf_printf(out, "| %s %s | ", icon, tt_outcome_name[r->outcome]);
	put_code(out, r->name, code_cell);
	for (size_t i = 0; i < sizeof cell / sizeof *cell; i++) {
		tt_buf_text(out, " | ");
		tt_verdict_put(out, cell[i], sentence);
	}
	tt_buf_text(out, " |\n");
}

#define TABLE "\n| | row | old | new | change or limit | p |\n| :-- | :-- | --: | --: | :-- | --: |\n"

/* Append the finding of a row, below the table: sentence, hint and movers. */
static void
put_detail(const struct tt_verdict_row *r, struct tt_verdict_movers *m, struct tt_buf *out)
{
	const struct tt_verdict_row *before = r->nmover ? tt_verdict_movers_shown(m, r) : NULL;

	tt_buf_text(out, "\n");
	put_code(out, r->name, code_text);
	tt_buf_text(out, ": ");
	tt_verdict_put(out, r->title, sentence);
	tt_buf_text(out, ": ");
	tt_verdict_put(out, r->text, sentence);
	if (r->hint)
		tt_buf_text(out, "; ");
	if (r->hint)
		tt_verdict_put(out, r->hint, sentence);
	tt_buf_text(out, "\n");
	if (before) {
		tt_buf_text(out, "\nWhat changed most beneath it: as under ");
		put_code(out, before->name, code_text);
		tt_buf_text(out, "\n");
		return;
	}
	if (r->nmover)
		tt_buf_printf(out, "\nWhat changed most beneath it, %s:\n\n", r->mover[0].per_frame ? "means over all frames" : "over the whole capture");
	for (size_t i = 0; i < r->nmover; i++) {
		tt_buf_text(out, "- ");
		put_code(out, r->mover[i].name, code_text);
		tt_buf_text(out, " ");
		tt_verdict_mover_change(out, &r->mover[i]);
		tt_buf_text(out, "\n");
	}
}

/* --- within a limit ----------------------------------------------------------------- */

struct page {
	const struct tt_verdict *v;
	struct tt_buf *out;
	size_t start, max;
	size_t closing;               /* bytes reserved for the closing text */
	bool full;
};

/* If the text since ${before} exceeds the limit, remove it and drop everything that follows. */
static void
keep(struct page *p, size_t before)
{
	if (p->full || (p->max && p->out->n - p->start + p->closing + sizeof CUT > p->max)) {
		p->out->n = before;
		p->full = true;
	}
}

static void
put_loud(struct page *p, const size_t *order)
{
	const struct tt_verdict *v = p->v;
	struct tt_verdict_movers movers = { 0 };
	size_t n = 0;

	while (n < v->nrow && tt_verdict_kind(v, &v->row[order[n]]) != TT_VERDICT_FINE)
		n++;
	for (size_t i = 0; i < n; i++) {
		size_t before = p->out->n;

		if (i == 0)
			tt_buf_text(p->out, TABLE);
		put_row(v, &v->row[order[i]], p->out);
		keep(p, before);
	}
	for (size_t i = 0; i < n; i++) {
		const struct tt_verdict_row *r = &v->row[order[i]];
		size_t before = p->out->n;

		put_detail(r, &movers, p->out);
		keep(p, before);
	}
}

#define FOLD_END "\n</details>\n"

static void
put_all_rows(struct page *p)
{
	const struct tt_verdict *v = p->v;
	size_t before = p->out->n;

	tt_buf_printf(p->out, "\n<details><summary>All %zu rows</summary>\n" TABLE, v->nrow);
	p->closing = sizeof FOLD_END;
	keep(p, before);
	if (p->full)
		return;
	for (size_t i = 0; i < v->nrow; i++) {
		before = p->out->n;
		put_row(v, &v->row[i], p->out);
		keep(p, before);
	}
	p->closing = 0;
	tt_buf_text(p->out, FOLD_END);
}

static void
put_remarks(struct page *p)
{
	for (size_t i = 0; i < p->v->nremark; i++) {
		size_t before = p->out->n;

		tt_buf_text(p->out, i ? "- " : "\n- ");
		tt_verdict_put(p->out, p->v->remark[i], sentence);
		tt_buf_text(p->out, "\n");
		keep(p, before);
	}
}

static void
put_accept(struct page *p)
{
	size_t before = p->out->n;

	if (!p->v->accept)
		return;
	tt_buf_text(p->out, "\nIf this is meant to stay, accept it with a reason: ");
	put_code(p->out, p->v->accept, code_text);
	tt_buf_text(p->out, "\n");
	keep(p, before);
}

void
tt_verdict_as_markdown(const struct tt_verdict *v, size_t max, struct tt_buf *out)
{
	struct page p = { .v = v, .out = out, .start = out->n, .max = max };
	const char *icon = v->status == 0 && !v->undecided ? "✅" : v->status == 0 || v->status == 5 ? "❔" : "❌";
	size_t *order = tt_verdict_order(v, out);

	tt_buf_printf(out, "### %s tracetool: ", icon);
	tt_verdict_put(out, v->summary, sentence);
	tt_buf_text(out, "\n");
	keep(&p, p.start);
	if (order)
		put_loud(&p, order);
	if (!p.full)
		put_accept(&p);
	if (!p.full)
		put_remarks(&p);
	if (!p.full)
		put_all_rows(&p);
	if (p.full && (!max || out->n - p.start + sizeof CUT <= max))
		tt_buf_text(out, CUT);
	free(order);
}

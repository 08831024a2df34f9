/**
 * A verdict as Markdown: for a comment on a pull request, and GitHub's step summary.
 *
 * A headline, a table of the rows that are not fine, what moved beneath them, and folded away all rows and remarks.
 * Names are code, in as many backquotes as they need (CommonMark 0.31, 6.1), which no mention, link or emoji is made of;
 * sentences have every character quoted that means something.
 */
#include <stdlib.h>
#include <string.h>

#include "verdict_out.h"

#include "base/utf8.h"

#define CUT "\n*The rest did not fit: see the log.*\n"

/* In sentences: @ and # would call people and name issues, also after a backslash; a blank without width stops them.
 * A colon would begin a link. */
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

/* In code: only what would end a line, or a cell, which cannot be quoted after a backslash. */
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

static int
put_code(struct tt_buf *out, const char *s, verdict_escape *escape, struct tt_err *err)
{
	size_t fence = 1, run = 0, n = strlen(s);
	bool pad = n == 0 || s[0] == '`' || s[n - 1] == '`' || s[0] == ' ';
	int rc = TT_OK;

	for (const char *p = s; *p; p++) {
		run = *p == '`' ? run + 1 : 0;
		if (run >= fence)
			fence = run + 1;
	}
	for (size_t i = 0; i < fence && rc == TT_OK; i++)
		rc = tt_buf_text(out, "`", err);
	if (rc == TT_OK && pad)
		rc = tt_buf_text(out, " ", err);
	if (rc == TT_OK)
		rc = verdict_put(out, s, escape, err);
	if (rc == TT_OK && pad)
		rc = tt_buf_text(out, " ", err);
	for (size_t i = 0; i < fence && rc == TT_OK; i++)
		rc = tt_buf_text(out, "`", err);
	return rc;
}

static const char *const mark[TT_OUTCOMES] = {
	[TT_PASS] = "✅",
	[TT_NOT_WORSE] = "✅",
	[TT_UNDECIDED] = "❔",
	[TT_CANNOT_JUDGE] = "❔",
	[TT_WAIVED] = "⏸️",
	[TT_SKIPPED] = "⏭️",
	[TT_BREACH] = "❌",
	[TT_WORSE] = "❌",
};

static int
put_row(const struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_buf *out, struct tt_err *err)
{
	const char *icon =
	    verdict_kind(v, r) == VERDICT_WARNING && r->outcome != TT_CANNOT_JUDGE ? "⚠️" : mark[r->outcome];
	int rc = tt_buf_printf(out, err, "| %s %s | ", icon, tt_outcome_name[r->outcome]);

	if (rc == TT_OK)
		rc = put_code(out, r->name, code_cell, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, " | ", err);
	if (rc == TT_OK)
		rc = verdict_put(out, r->title, sentence, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, " | ", err);
	if (rc == TT_OK)
		rc = verdict_put(out, r->text, sentence, err);
	return rc == TT_OK ? tt_buf_text(out, " |\n", err) : rc;
}

#define TABLE "\n| | row | figure | finding |\n| :-- | :-- | :-- | :-- |\n"

/* What is beneath a row: hint and movers. */
static int
put_detail(const struct tt_verdict_row *r, struct tt_buf *out, struct tt_err *err)
{
	int rc = tt_buf_text(out, "\n", err);

	if (rc == TT_OK)
		rc = put_code(out, r->name, code_text, err);
	if (rc == TT_OK && r->hint)
		rc = tt_buf_text(out, ": ", err);
	if (rc == TT_OK && r->hint)
		rc = verdict_put(out, r->hint, sentence, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, r->nmover ? "\n\n" : "\n", err);
	for (size_t i = 0; i < r->nmover && rc == TT_OK; i++) {
		rc = tt_buf_text(out, "- ", err);
		if (rc == TT_OK)
			rc = put_code(out, r->mover[i].name, code_text, err);
		if (rc == TT_OK)
			rc = tt_buf_text(out, " ", err);
		if (rc == TT_OK)
			rc = verdict_mover_change(out, &r->mover[i], err);
		if (rc == TT_OK)
			rc = tt_buf_text(out, "\n", err);
	}
	return rc;
}

/* --- within a limit ----------------------------------------------------------------- */

struct page {
	const struct tt_verdict *v;
	struct tt_buf *out;
	size_t start, max;
	size_t closing;               /* bytes of what must still come */
	bool full;
};

/* Is the text since ${before} too much? Then remove it, and drop all that would follow. */
static void
keep(struct page *p, size_t before)
{
	if (p->full || (p->max && p->out->n - p->start + p->closing + sizeof CUT > p->max)) {
		p->out->n = before;
		p->full = true;
	}
}

static int
put_loud(struct page *p, const size_t *order, struct tt_err *err)
{
	const struct tt_verdict *v = p->v;
	size_t n = 0;
	int rc = TT_OK;

	while (n < v->nrow && verdict_kind(v, &v->row[order[n]]) != VERDICT_FINE)
		n++;
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		size_t before = p->out->n;

		if (i == 0)
			rc = tt_buf_text(p->out, TABLE, err);
		if (rc == TT_OK)
			rc = put_row(v, &v->row[order[i]], p->out, err);
		keep(p, before);
	}
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		const struct tt_verdict_row *r = &v->row[order[i]];
		size_t before = p->out->n;

		if (r->hint || r->nmover)
			rc = put_detail(r, p->out, err);
		keep(p, before);
	}
	return rc;
}

#define FOLD_END "\n</details>\n"

static int
put_all_rows(struct page *p, struct tt_err *err)
{
	const struct tt_verdict *v = p->v;
	size_t before = p->out->n;
	int rc = tt_buf_printf(p->out, err, "\n<details><summary>All %zu rows</summary>\n" TABLE, v->nrow);

	p->closing = sizeof FOLD_END;
	keep(p, before);
	if (p->full)
		return rc;
	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++) {
		before = p->out->n;
		rc = put_row(v, &v->row[i], p->out, err);
		keep(p, before);
	}
	p->closing = 0;
	return rc == TT_OK ? tt_buf_text(p->out, FOLD_END, err) : rc;
}

static int
put_remarks(struct page *p, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < p->v->nremark && rc == TT_OK; i++) {
		size_t before = p->out->n;

		rc = tt_buf_text(p->out, i ? "- " : "\n- ", err);
		if (rc == TT_OK)
			rc = verdict_put(p->out, p->v->remark[i], sentence, err);
		if (rc == TT_OK)
			rc = tt_buf_text(p->out, "\n", err);
		keep(p, before);
	}
	return rc;
}

int
verdict_markdown(const struct tt_verdict *v, size_t max, struct tt_buf *out, struct tt_err *err)
{
	struct page p = { .v = v, .out = out, .start = out->n, .max = max };
	const char *icon = v->exit_code == 0 ? "✅" : v->exit_code == 5 ? "❔" : "❌";
	size_t *order = verdict_order(v, err);
	int rc = order ? tt_buf_printf(out, err, "### %s tracetool: ", icon) : err->code;

	if (rc == TT_OK)
		rc = verdict_put(out, v->summary, sentence, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, "\n", err);
	keep(&p, p.start);
	if (rc == TT_OK)
		rc = put_loud(&p, order, err);
	if (rc == TT_OK && !p.full)
		rc = put_remarks(&p, err);
	if (rc == TT_OK && !p.full)
		rc = put_all_rows(&p, err);
	if (rc == TT_OK && p.full && (!max || out->n - p.start + sizeof CUT <= max))
		rc = tt_buf_text(out, CUT, err);
	free(order);
	return rc;
}

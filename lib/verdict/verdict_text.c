/**
 * Prints a verdict as text for readers: the table of all rows, a paragraph about each row that is not ok, what the verdict lacks, and the summary.
 */
#include "gate/baseline.h"
#include "verdict/verdict_as.h"
#include "verdict/verdict_table.h"

#include <string.h>

/* Append a mover: "Game:Spin  +2.004 ms per frame, 0.100 ms to 2.104 ms; calls per frame 1, were 1". */
static void
put_mover(struct tt_buf *out, const struct tt_verdict *v, const struct tt_mover *m)
{
	enum tt_dim dim = m->about == TT_ABOUT_TIME ? TT_DIM_TIME : TT_DIM_BYTES;
	const char *per = m->per_frame ? " per frame" : "", *what = m->about == TT_ABOUT_TIME ? "calls" : "allocations";
	char change[64], base[64], now[64], count[64], was[64];

	*tt_put_change(change, m->change, dim) = '\0';
	*tt_put_amount(base, m->base, dim) = '\0';
	*tt_put_amount(now, m->now, dim) = '\0';
	*tt_put_amount(count, m->now_count, TT_DIM_NUMBER) = '\0';
	*tt_put_amount(was, m->base_count, TT_DIM_NUMBER) = '\0';
	tt_buf_printf(out, "  %s  %s%s", m->name, change, per);
	if (m->fresh) {
		tt_buf_printf(out, ", not in the %s (%s%s: %s)\n", v->ab ? "old build" : "baseline", what, per, count);
		return;
	}
	tt_buf_printf(out, " (%s to %s; %s%s: %s, were %s)\n", base, now, what, per, count, was);
}

/* Append the movers of a row that fails; ${m}: movers that are printed already. */
static void
put_movers(struct tt_buf *out, const struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_verdict_movers *m)
{
	const struct tt_verdict_row *before;

	if (r->nmover == 0 || (r->would != TT_WORSE && r->would != TT_BREACH))
		return;
	before = tt_verdict_movers_shown(m, r);
	if (before) {
		tt_buf_printf(out, "  what changed most beneath it: as under %s\n", before->name);
		return;
	}
	tt_buf_printf(out, "  what changed most beneath it, %s:\n", r->mover[0].per_frame ? "means over all frames" : "over the whole capture");
	for (size_t i = 0; i < r->nmover; i++)
		put_mover(out, v, &r->mover[i]);
}

static bool
is_ok(const struct tt_verdict_row *r)
{
	return r->outcome == TT_PASS || r->outcome == TT_NOT_WORSE;
}

/* True if the paragraphs about ${a} and ${b} are equal except for the row's name. */
static bool
is_same_finding(const struct tt_verdict_row *a, const struct tt_verdict_row *b)
{
	const char *hint = a->hint ? a->hint : "", *other = b->hint ? b->hint : "";

	return !is_ok(a) && a->outcome == b->outcome && a->fails == b->fails && !a->nmover && !b->nmover && strcmp(a->text, b->text) == 0 &&
	    strcmp(hint, other) == 0;
}

/* Append the paragraph about ${v->row[first]}, and about all later rows with the same paragraph. */
static void
put_finding(struct tt_buf *out, const struct tt_verdict *v, size_t first, bool color, struct tt_verdict_movers *m)
{
	const struct tt_verdict_row *r = &v->row[first];
	const struct tt_verdict_word w = tt_verdict_word(r);
	size_t nrows = 1;

	tt_buf_printf(out, "\n%s%s%s %s", color ? w.color : "", w.text, color && *w.color ? "\033[0m" : "", r->name);
	for (size_t i = first + 1; i < v->nrow; i++) {
		if (!is_same_finding(r, &v->row[i]))
			continue;
		tt_buf_printf(out, ", %s", v->row[i].name);
		nrows++;
	}
	if (nrows == 1)
		tt_buf_printf(out, ": %s: %s\n", r->title, r->text);
	else
		tt_buf_printf(out, ": %s\n", r->text);
	put_movers(out, v, r, m);
	if (r->hint && r->outcome != TT_SKIPPED)
		tt_buf_printf(out, "  %s\n", r->hint);
}

/* Append a paragraph about each row that is not ok, or with ${how->details} about every row: failing rows first; equal paragraphs once. */
static void
put_findings(struct tt_buf *out, const struct tt_verdict *v, const struct tt_verdict_text *how)
{
	struct tt_verdict_movers movers = { 0 };

	for (int failing = 1; failing >= 0; failing--)
		for (size_t i = 0; i < v->nrow; i++) {
			bool said = v->row[i].fails != failing || (is_ok(&v->row[i]) && !how->details);

			for (size_t k = 0; k < i && !said; k++)
				said = is_same_finding(&v->row[k], &v->row[i]);
			if (!said)
				put_finding(out, v, i, how->color, &movers);
		}
}

static void
put_head(struct tt_buf *out, const struct tt_verdict *v)
{
	if (v->ab) {
		tt_buf_printf(out, "%s: %zu pair%s of at most %zu, seed %llu, on %s\nold: %s\nnew: %s\n\n", v->budget->path, v->ab->done,
		    v->ab->done == 1 ? "" : "s", v->ab->planned, (unsigned long long)v->ab->seed, v->today, v->ab->build[TT_OLD], v->ab->build[TT_NEW]);
		return;
	}
	const size_t n = tt_verdict_captures(v);

	tt_buf_printf(out, "%s: %zu capture%s", v->budget->path, n, n == 1 ? "" : "s");
	if (v->base)
		tt_buf_printf(out, " against %s (%zu capture%s in %zu session%s)", v->base->path, v->base->nsample,
		    v->base->nsample == 1 ? "" : "s", v->base->nsession, v->base->nsession == 1 ? "" : "s");
	tt_buf_printf(out, ", on %s\n\n", v->today);
}

int
tt_verdict_as_text(const struct tt_verdict *v, const struct tt_verdict_text *how, struct tt_buf *out, struct tt_err *err)
{
	const bool color = how->color;

	put_head(out, v);
	tt_verdict_table(v, how->color, how->width, out);
	put_findings(out, v, how);
	if (v->nremark)
		tt_buf_text(out, "\n");
	for (size_t i = 0; i < v->nremark; i++)
		tt_buf_printf(out, "note: %s\n", v->remark[i]);
	if (v->accept)
		tt_buf_printf(out, "\nif this is meant to stay, accept it with a reason:\n  %s\n", v->accept);
	tt_buf_printf(out, "\n%s%s%s\n", color ? v->status == 0 ? "\033[32m" : "\033[31m" : "",
	    v->summary, color ? "\033[0m" : "");
	return tt_buf_error(out, err);
}

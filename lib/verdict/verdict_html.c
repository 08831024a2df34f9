/**
 * A verdict as an HTML page, for artifacts of CI systems and for email: the summary first, then a table of all rows, then details of those that fail.
 *
 * Rows that fail come first. Each row that is not ok has its captures as dots beside the limit, the markers that grew, and the command that explains it.
 * Numbers are those of the verdict as JSON: data-v of each is the amount in JSON. Names come from captures and budgets, and are only written by tt_html_text().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/verdict_outputs.h"
#include "sys/sys.h"
#include "verdict/verdict_as.h"

#include "base/setting.h"
#include "base/shell.h"
#include "gate/baseline.h"
#include "gate/verdict.h"
#include "out/html.h"
#include "page/dots.h"
#include "verdict/history_picture.h"

/* Maximum numbers of items on a page: there may be a thousand groups of captures. */
enum { ROWS = 2000, DETAILS = 200, DAMAGED = 100 };
enum { SESSIONS = 3 };                /* minimum number of sessions for a picture */

struct page {
	const struct tt_verdict *v;
	const struct tt_verdict_links *links;
	struct tt_buf *out;
	struct tt_verdict_movers *movers;        /* movers that were already printed */
};

static void
put(const struct page *p, const char *html)
{
	tt_buf_text(p->out, html);
}

static const struct { const char *mark, *word; } fine[TT_OUTCOMES] = {
	[TT_PASS] = { "\xe2\x9c\x93", "pass" },
	[TT_NOT_WORSE] = { "\xe2\x9c\x93", "not worse" },
	[TT_UNDECIDED] = { "?", "undecided" },
	[TT_CANNOT_JUDGE] = { "?", "cannot be judged" },
	[TT_WAIVED] = { "\xe2\x80\x96", "waived" },
	[TT_ACCEPTED] = { "\xe2\x80\x96", "accepted" },
	[TT_SKIPPED] = { "\xe2\x80\x93", "skipped" },
	[TT_GONE] = { "!", "gone" },
	[TT_BREACH] = { "\xe2\x9c\x97", "over the limit" },
	[TT_WORSE] = { "\xe2\x9c\x97", "worse" },
};

/* The outcome in words and symbols, because colour alone is not enough: "✗ worse", "! worse, a warning". */
static void
put_outcome(const struct page *p, const struct tt_verdict_row *r)
{
	bool bad = r->outcome == TT_BREACH || r->outcome == TT_WORSE, loud = tt_verdict_kind(p->v, r) == TT_VERDICT_ERROR;

	tt_buf_printf(p->out, "%s%s %s%s%s", loud ? "<strong>" : "", bad && !r->fails ? "!" : fine[r->outcome].mark,
	    r->outcome == TT_BREACH && r->limit_is_min ? "under the limit" : fine[r->outcome].word, bad && !r->fails ? ", a warning" : "",
	    loud ? "</strong>" : "");
}

/* --- amounts --------------------------------------------------------------------------------- */

/* Write a table cell with an amount; ${change}: with its sign. */
static void
put_cell(const struct page *p, bool has, int64_t v, enum tt_dim dim, bool change, const char *before)
{
	char base[32], text[64];

	if (!has) {
		put(p, "<td class=\"n\">-</td>");
		return;
	}
	*tt_put_base(base, v, dim) = '\0';
	*(change ? tt_put_change(text, v, dim) : tt_put_amount(text, v, dim)) = '\0';
	tt_buf_printf(p->out, "<td class=\"n\" data-v=\"%s\">%s%s</td>", base, before, text);
}

static const char *
limit_words(const struct tt_verdict_row *r)
{
	if (r->row->relative)
		return r->limit_is_min ? "change at least " : "change at most ";
	return r->limit_is_min ? "at least " : "at most ";
}

static void
put_limit(const struct page *p, const struct tt_verdict_row *r)
{
	char asked[64], words[120];

	if (r->asked) {
		*tt_put_change(asked, r->asked, r->dim) = '\0';
		snprintf(words, sizeof words, "asked %s, pairs can show %s", asked, limit_words(r));
		put_cell(p, true, r->limit, r->dim, true, words);
	} else if (r->row->exact)
		put(p, "<td class=\"n\">as the baseline</td>");
	else
		put_cell(p, r->has_limit, r->limit, r->dim, r->row->relative, limit_words(r));
}

/* Write the shift and its confidence interval. */
static void
put_shift(const struct page *p, const struct tt_verdict_row *r)
{
	char base[32], shift[64], low[64], high[64];

	if (!r->tested) {
		put(p, "<td class=\"n\">-</td><td>-</td>");
		return;
	}
	*tt_put_base(base, r->shift, r->dim) = '\0';
	*tt_put_change(shift, r->shift, r->dim) = '\0';
	*tt_put_change(low, r->low, r->dim) = '\0';
	*tt_put_change(high, r->high, r->dim) = '\0';
	tt_buf_printf(p->out, "<td class=\"n\" data-v=\"%s\">%s</td><td>%s%s to %s%s</td>", base, shift, r->has_low ? "" : "unknown", r->has_low ? low : "",
	    r->has_high ? "" : "unknown", r->has_high ? high : "");
}

/* --- verdict ------------------------------------------------------------------------------------ */

static void
put_counts(const struct page *p)
{
	static const enum tt_outcome order[] = { TT_WORSE, TT_BREACH, TT_GONE, TT_CANNOT_JUDGE, TT_UNDECIDED, TT_WAIVED, TT_ACCEPTED, TT_NOT_WORSE, TT_PASS,
		TT_SKIPPED };
	const char *between = "<p>Rows: ";

	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		if (!p->v->count[order[i]])
			continue;
		tt_buf_printf(p->out, "%s%zu %s", between, p->v->count[order[i]], order[i] == TT_BREACH ? "beyond the limit" : fine[order[i]].word);
		between = ", ";
	}
	if (*between == ',')
		put(p, ".</p>\n");
	if (p->v->count[TT_UNDECIDED])
		tt_buf_printf(p->out, "<p>Undecided rows neither pass nor fail: the %s vary too much for their number to tell a change from noise. Each row "
		    "says what would decide it.</p>\n", p->v->ab ? "pairs" : "captures");
}

static void
put_against(const struct page *p)
{
	const struct tt_verdict *v = p->v;

	put(p, "<p>");
	tt_html_count(p->out, tt_verdict_captures(v));
	put(p, tt_verdict_captures(v) == 1 ? " capture against the budget " : " captures against the budget ");
	tt_html_text(p->out, v->budget->path);
	if (v->base) {
		put(p, " and the baseline ");
		tt_html_text(p->out, v->base->path);
		tt_buf_printf(p->out, " (%zu capture%s in %zu session%s)", v->base->nsample, v->base->nsample == 1 ? "" : "s", v->base->nsession,
		    v->base->nsession == 1 ? "" : "s");
	}
}

/* Write the builds of an A/B run. */
static void
put_builds(const struct page *p)
{
	const struct tt_ab *ab = p->v->ab;

	put(p, "<p>Old build: <code>");
	tt_html_text(p->out, ab->build[TT_OLD]);
	put(p, "</code></p>\n<p>New build: <code>");
	tt_html_text(p->out, ab->build[TT_NEW]);
	tt_buf_printf(p->out, "</code></p>\n<p>%zu pair%s of at most %zu, in an order by seed %llu, against the budget ", ab->done, ab->done == 1 ? "" : "s",
	    ab->planned, (unsigned long long)ab->seed);
	tt_html_text(p->out, p->v->budget->path);
}

static void
verdict(const struct page *p)
{
	const struct tt_verdict *v = p->v;
	const char *colon = strchr(v->summary, ':');
	const char *how = v->status == 0 && !v->undecided ? "good" : v->status == 1 ? "bad" : "fair";
	size_t n = colon ? (size_t)(colon - v->summary) : strlen(v->summary);

	tt_html_section(p->out, "verdict", "Verdict");
	/* The first word of the summary is a constant, so it needs no escaping. */
	tt_buf_printf(p->out, "<p class=\"v %s\"><strong>%.*s</strong>", how, (int)n, v->summary);
	tt_html_text(p->out, v->summary + n);
	put(p, "</p>\n");
	if (v->ab)
		put_builds(p);
	else
		put_against(p);
	tt_buf_printf(p->out, ", on %s. Exit status %d.</p>\n", v->today, v->status);
	put_counts(p);
	put(p, "</section>\n");
}

/* Write how to accept the changes, below their causes. */
static void
accept(const struct page *p)
{
	if (!p->v->accept)
		return;
	put(p, "<p id=\"accept\">If this is meant to stay, accept it with a reason: <code>");
	tt_html_text(p->out, p->v->accept);
	put(p, "</code></p>\n");
}

static void
losses(const struct page *p)
{
	const struct tt_verdict *v = p->v;
	size_t damaged = 0;

	for (size_t i = 0; i < v->nsample; i++)
		damaged += v->sample[i].damaged || v->sample[i].without;
	if (!v->nremark && !damaged)
		return;
	tt_html_section(p->out, "loss", "Losses and caveats");
	put(p, "<ul>\n");
	for (size_t i = 0, shown = 0; i < v->nsample && shown < DAMAGED; i++) {
		const struct tt_sample *s = &v->sample[i];

		if (!s->damaged && !s->without)
			continue;
		shown++;
		put(p, s->without ? "<li><strong>not read</strong>: " : "<li><strong>damaged</strong>: ");
		tt_html_text(p->out, s->name);
		if (s->damage) {
			put(p, ": ");
			tt_html_text(p->out, s->damage);
		}
		put(p, "</li>\n");
	}
	if (damaged > DAMAGED)
		tt_buf_printf(p->out, "<li>%zu more captures are damaged or were not read.</li>\n", damaged - DAMAGED);
	for (size_t i = 0; i < v->nremark; i++) {
		put(p, "<li>");
		tt_html_text(p->out, v->remark[i]);
		put(p, "</li>\n");
	}
	put(p, "</ul>\n</section>\n");
}

/* True if the row is about the duration of frames, so that the longest frame is an example. */
static bool
is_of_frames(const struct tt_verdict_row *r)
{
	static const char *const of[] = { "frame.time", "frame.over", "frame.fps", "frame.cpu", "frame.uncapped" };

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (strncmp(r->row->measure.key, of[i], strlen(of[i])) == 0)
			return true;
	return false;
}

/* --- all rows ------------------------------------------------------------------------------------- */

/* True if the row has details besides its figures. */
static bool
has_details(const struct page *p, const struct tt_verdict_row *r)
{
	return tt_verdict_kind(p->v, r) != TT_VERDICT_FINE;
}

/* The anchor on a capture's page for the subject of the row. */
static const char *
section_of(const struct tt_verdict_row *r)
{
	static const char *const section[] = { [TT_ABOUT_NOTHING] = "t-frames", [TT_ABOUT_TIME] = "t-markers", [TT_ABOUT_ALLOC] = "t-alloc_sites" };

	return is_of_frames(r) ? "t-hitches" : section[r->row->measure.metric->about];
}

/* Write the worst capture, as a link if its page is known. */
static void
put_capture(const struct page *p, const struct tt_verdict_row *r)
{
	const struct tt_sample *s = r->worst;
	const char *folder = s->page && p->links->folder ? p->links->folder(p->links->folder_arg, s->page) : NULL;

	if (folder) {
		put(p, "<a href=\"");
		tt_html_address(p->out, folder);
		tt_html_address(p->out, s->page);
		tt_buf_printf(p->out, "#%s\">", section_of(r));
	}
	tt_html_text(p->out, s->name);
	put(p, folder ? "</a>" : "");
}

static void
put_row(const struct page *p, const struct tt_verdict_row *r, size_t number)
{
	put(p, "<tr><th scope=\"row\">");
	put_outcome(p, r);
	put(p, "</th><td>");
	if (has_details(p, r) && number <= DETAILS)
		tt_buf_printf(p->out, "<a href=\"#row-%zu\">", number);
	tt_html_text(p->out, r->name);
	put(p, has_details(p, r) && number <= DETAILS ? "</a></td><td>" : "</td><td>");
	tt_html_text(p->out, r->title);
	put(p, "</td>");
	put_cell(p, r->has_value, r->value, r->dim, false, "");
	put_limit(p, r);
	put_cell(p, r->has_base, r->base, r->dim, false, "");
	put_shift(p, r);
	put(p, "<td>");
	if (r->worst)
		put_capture(p, r);
	else
		put(p, "-");
	put(p, "</td></tr>\n");
}

static void
rows(const struct page *p, const size_t *order)
{
	static const char *const col[][2] = { { "outcome", "verdict" }, { "name", "row" }, { "title", "figure" }, { "value", "value" }, { "limit", "limit" },
		{ "baseline", "baseline" }, { "shift", "change" }, { "interval", "interval" }, { "worst_capture", "worst capture" } };
	const struct tt_verdict *v = p->v;

	tt_html_section(p->out, "rows", "Rows of the budget");
	put(p, "<div class=\"t\" role=\"group\" tabindex=\"0\" aria-label=\"Rows of the budget\"><table data-t=\"rows\" data-from=\"0\">\n"
	    "<caption>What fails comes first</caption>\n<thead><tr>");
	for (size_t i = 0; i < sizeof col / sizeof *col; i++)
		tt_buf_printf(p->out, "<th scope=\"col\" data-c=\"%s\"%s>%s</th>", col[i][0], i > 2 && i < 7 ? " class=\"n\"" : "",
		    v->ab && i == 5 ? "old build" : col[i][1]);
	put(p, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < v->nrow && i < ROWS; i++)
		put_row(p, &v->row[order[i]], i + 1);
	put(p, "</tbody>\n</table></div>\n");
	if (v->nrow > ROWS) {
		put(p, "<p>");
		tt_html_count(p->out, v->nrow - ROWS);
		put(p, " more rows, none worse than these, are left out of this page. The verdict as JSON has all.</p>\n");
	}
	put(p, "</section>\n");
}

/* --- what a row is about --------------------------------------------------------------------------- */

static char *
put_amount_of(char *to, int64_t v, const void *arg)
{
	return tt_put_amount(to, v, *(const enum tt_dim *)arg);
}

static size_t
dots_of(const struct tt_point *point, size_t n, struct tt_dot *dot)
{
	size_t k = 0;

	for (size_t i = 0; i < n && k < TT_DOTS_MAX; i++)
		if (point[i].known)
			dot[k++] = (struct tt_dot){ point[i].sample->name, point[i].v };
	return k;
}

static void
put_dots(const struct page *p, const struct tt_verdict_row *r)
{
	struct tt_dot dot[2][TT_DOTS_MAX];
	struct tt_dots d = { .about = "The figure of each capture", .label = { "before", "now" }, .dot = { dot[0], dot[1] }, .put = put_amount_of,
		.arg = &r->dim };

	d.n[0] = r->has_base ? dots_of(r->base_point, r->nbase_point, dot[0]) : 0;
	d.n[1] = dots_of(r->point, r->npoint, dot[1]);
	if (d.n[1] == 0 || !r->has_value)
		return;
	if (r->has_limit && !r->row->exact && (!r->row->relative || r->has_base)) {
		d.line_name = "limit";
		d.line = r->row->relative ? r->limit_is_min ? r->base - r->limit : r->base + r->limit : r->limit;
	}
	tt_dots_put(&d, p->out);
	tt_buf_printf(p->out, "<figcaption>The figure of each capture%s.%s</figcaption>\n</figure>\n",
	    d.n[0] == 0 ? "" : p->v->ab ? ", below those of the old build" : ", below those of the baseline",
	    r->npoint > TT_DOTS_MAX || r->nbase_point > TT_DOTS_MAX ? " The first 500 are drawn." : "");
}

static void
put_quoted(const struct page *p, const char *s)
{
	struct tt_buf quoted = { 0 };

	tt_shell_quote(&quoted, s);
	tt_html_text(p->out, quoted.failed ? "" : tt_buf_string(&quoted));
	if (quoted.failed)
		tt_buf_fail(p->out);
	tt_buf_free(&quoted);
}

/* Draw the sessions of the baseline in order: the picture shows whether the change was sudden or gradual. */
static void
put_history(const struct page *p, const struct tt_verdict_row *r)
{
	const struct tt_verdict *v = p->v;
	struct tt_history_figure f = { .name = r->name, .title = r->title };
	struct tt_mem mem = { 0 };
	struct tt_arena a;
	struct tt_err err;

	if (!v->base || !r->by_session || r->group)
		return;
	tt_arena_init(&a, &mem);
	if (tt_history_of(v->base, r->row, &v->budget->measure[r->row->which], r->row->which, &f.h, &a, &mem, &err) != TT_OK)
		tt_buf_fail(p->out);
	else if (f.h.nsession >= SESSIONS) {
		tt_history_chart(&f, "<figcaption>The baseline's sessions and their levels.</figcaption>\n", p->out);
		put(p, "<p>Sessions, and what a change is made of: <code>tracetool baseline ");
		put_quoted(p, v->base->path);
		tt_buf_printf(p->out, " %s ", tt_setting_name[TT_SETTING_GATE]);
		put_quoted(p, v->budget->path);
		tt_buf_printf(p->out, " %s ", tt_setting_name[TT_SETTING_ROW]);
		put_quoted(p, r->row->id);
		put(p, " -o history.html</code></p>\n");
	}
	tt_arena_free(&a);
}

static void
put_movers(const struct page *p, const struct tt_verdict_row *r)
{
	const struct tt_verdict_row *before;
	static const char *const col[][2] = { { "name", "name" }, { "change", "change" }, { "value", "now" }, { "baseline", "before" },
		{ "count", "count now" }, { "baseline_count", "count before" } };

	if (!r->nmover)
		return;
	before = tt_verdict_movers_shown(p->movers, r);
	if (before) {
		put(p, "<p>What grew: as under ");
		tt_html_text(p->out, before->name);
		put(p, ".</p>\n");
		return;
	}
	tt_buf_printf(p->out, "<div class=\"t\" role=\"group\" tabindex=\"0\" aria-label=\"What grew\"><table data-t=\"movers\" data-from=\"0\">\n"
	    "<caption>What grew%s</caption>\n<thead><tr>", r->mover[0].per_frame ? ", means over all frames" : "");
	for (size_t i = 0; i < sizeof col / sizeof *col; i++)
		tt_buf_printf(p->out, "<th scope=\"col\" data-c=\"%s\"%s>%s</th>", col[i][0], i ? " class=\"n\"" : " class=\"nm\"", col[i][1]);
	put(p, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < r->nmover; i++) {
		const struct tt_mover *m = &r->mover[i];
		enum tt_dim dim = m->about == TT_ABOUT_ALLOC ? TT_DIM_BYTES : TT_DIM_TIME;

		put(p, "<tr><th scope=\"row\" class=\"nm\">");
		tt_html_text(p->out, m->name);
		put(p, m->fresh ? " (new)</th>" : m->gone ? " (gone)</th>" : "</th>");
		put_cell(p, true, m->change, dim, true, "");
		put_cell(p, true, m->now, dim, false, "");
		put_cell(p, true, m->base, dim, false, "");
		put_cell(p, true, m->now_count, TT_DIM_NUMBER, false, "");
		put_cell(p, true, m->base_count, TT_DIM_NUMBER, false, "");
		put(p, "</tr>\n");
	}
	put(p, "</tbody>\n</table></div>\n");
}

static void
put_waiver(const struct page *p, const struct tt_verdict_row *r)
{
	const struct tt_waive *w = &r->row->waive;

	if (!w->until)
		return;
	put(p, r->outcome == TT_WAIVED ? "<p>Waived until " : "<p>It was waived until ");
	tt_html_text(p->out, w->until);
	if (w->who) {
		put(p, " by ");
		tt_html_text(p->out, w->who);
	}
	if (w->why) {
		put(p, ": ");
		tt_html_text(p->out, w->why);
	}
	put(p, ".</p>\n");
}

/* For captures of a batch, which may be in an archive or on another machine: write the command that reads the worst of them again. */
static void
put_explain_one(const struct page *p, const struct tt_verdict_row *r)
{
	const char *name = r->worst->name, *bang = strrchr(name, '!');

	put(p, "<p>Worst frames, markers and sites of ");
	tt_html_text(p->out, name);
	put(p, r->worst->files == 1 ? ": <code>" : ", with its file at hand: <code>");
	tt_buf_printf(p->out, "%s ", tt_setting_name[TT_SETTING_EXPLAIN]);
	put_quoted(p, r->row->id);
	put(p, " ");
	tt_html_text(p->out, p->links->explain_one);
	put_quoted(p, r->worst->files == 1 ? r->worst->file[0] : bang ? bang + 1 : name);
	put(p, "</code></p>\n");
}

/* Write commands about the worst capture: its longest frame, if the row is about frames, and its page. */
static void
put_worst(const struct page *p, const struct tt_verdict_row *r)
{
	const struct tt_sample *s = r->worst;
	const struct tt_worst *w = is_of_frames(r) ? tt_sample_frame(s, &r->row->measure) : NULL;
	const char *looks = p->links->looks ? p->links->looks : "", *what;
	char time[32];

	if (w) {
		*tt_put_time_short(time, tt_worst_time(w, &r->row->measure, &what)) = '\0';
		tt_buf_printf(p->out, "<p>The worst frame of the worst capture is %llu, with %s%s: <code>tracetool stats ", (unsigned long long)w->number, time,
		    what);
		tt_html_text(p->out, looks);
		tt_buf_printf(p->out, "%s %llu ", tt_setting_name[TT_SETTING_FRAMES], (unsigned long long)w->number);
		put_quoted(p, s->file[0]);
		put(p, "</code></p>\n");
	}
	put(p, "<p>The worst capture as a page: <code>tracetool report ");
	tt_html_text(p->out, looks);
	put_quoted(p, s->file[0]);
	put(p, " -o worst.html</code>");
	if (w)
		tt_buf_printf(p->out, ". In it that frame is at <code>worst.html#frame=%llu</code>", (unsigned long long)w->number);
	put(p, "</p>\n");
}

/* Write the next commands: about the row, and about its worst capture. */
static void
put_commands(const struct page *p, const struct tt_verdict_row *r)
{
	if (p->links->explain) {
		put(p, "<p>Captures, worst frames, markers and sites: <code>");
		tt_html_text(p->out, p->links->explain);
		put_quoted(p, r->row->id);
		put(p, "</code></p>\n");
	} else if (p->links->explain_one && r->worst) {
		put_explain_one(p, r);
	}
	if (r->worst && r->worst->files == 1)
		put_worst(p, r);
}

static void
put_detail(const struct page *p, const struct tt_verdict_row *r, size_t number)
{
	tt_buf_printf(p->out, "<details id=\"row-%zu\"%s><summary>", number, tt_verdict_kind(p->v, r) >= TT_VERDICT_WARNING ? " open" : "");
	put_outcome(p, r);
	put(p, ": ");
	tt_html_text(p->out, r->name);
	put(p, "</summary>\n<p>");
	tt_html_text(p->out, r->title);
	put(p, ": ");
	tt_html_text(p->out, r->text);
	put(p, ".</p>\n");
	put_waiver(p, r);
	put_dots(p, r);
	put_history(p, r);
	put_movers(p, r);
	if (r->hint) {
		put(p, "<p>");
		tt_html_text(p->out, r->hint);
		put(p, "</p>\n");
	}
	if (r->need)
		tt_buf_printf(p->out, "<p>%zu %s would do.</p>\n", r->need, p->v->ab ? "pairs" : "captures on each side");
	put_commands(p, r);
	put(p, "</details>\n");
}

static void
details(const struct page *p, const size_t *order)
{
	size_t n = 0;

	while (n < p->v->nrow && has_details(p, &p->v->row[order[n]]))
		n++;
	if (n == 0)
		return;
	tt_html_section(p->out, "details", n > 0 && p->v->row[order[0]].fails ? "Failing rows" : "Rows that are not ok");
	for (size_t i = 0; i < n && i < DETAILS; i++)
		put_detail(p, &p->v->row[order[i]], i + 1);
	if (n > DETAILS) {
		put(p, "<p>");
		tt_html_count(p->out, n - DETAILS);
		put(p, " more are in the table above alone.</p>\n");
	}
	put(p, "</section>\n");
}

void
tt_verdict_as_html(const struct tt_verdict *v, const struct tt_verdict_links *links, const char *generator, struct tt_buf *out)
{
	struct tt_verdict_movers movers = { 0 };
	const struct page p = { v, links, out, &movers };
	size_t *order = tt_verdict_order(v, out);

	if (!order)
		return;
	tt_html_open(out, v->summary, TT_HTML_ALONE);
	put(&p, v->ab ? "<header>\n<h1>A/B run" : "<header>\n<h1>Budget ");
	if (!v->ab)
		tt_html_text(out, tt_sys_base_name(v->budget->path));
	put(&p, "</h1>\n</header>\n<nav aria-label=\"Sections\"><a href=\"#verdict\">Verdict</a> <a href=\"#rows\">Rows</a></nav>\n<main>\n");
	verdict(&p);
	losses(&p);
	rows(&p, order);
	details(&p, order);
	accept(&p);
	tt_buf_printf(out, "<p>Made by %s. How rows are judged is in ", generator);
	put(&p, v->ab ? "tracetool-ab(1).</p>\n</main>\n" : "tracetool-budget(5).</p>\n</main>\n");
	tt_html_close(out, TT_HTML_ALONE);
	free(order);
}

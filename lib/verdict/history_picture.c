/**
 * Draws the pictures of a baseline and of a verdict's rows: SVG without scripts, for wikis and pages. A dot for each session, a line for each level, and a mark
 * at each accepted session. All positions are integers, so that the same sessions give the same bytes everywhere. Names are written only by tt_html_text().
 */
#include "verdict/history_picture.h"

#include <string.h>

#include "base/shell.h"
#include "gate/quantity.h"
#include "out/html.h"

enum { WIDTH = 900, HEIGHT = 170, LEFT = 116, RIGHT = 20, TOP = 34, LOW = 136 };

struct scale { int64_t low, high; size_t n; };

static int64_t
at_x(const struct scale *s, size_t i)
{
	return s->n > 1 ? LEFT + tt_scale((int64_t)i, WIDTH - LEFT - RIGHT, (int64_t)s->n - 1) : (LEFT + WIDTH - RIGHT) / 2;
}

static int64_t
at_y(const struct scale *s, int64_t v)
{
	return s->high > s->low ? LOW - tt_scale(v - s->low, LOW - TOP - 10, s->high - s->low) : (TOP + LOW) / 2;
}

static void
put_text(struct tt_buf *out, int64_t x, int64_t y, const char *anchor, const char *text)
{
	tt_buf_printf(out, "<text x=\"%lld\" y=\"%lld\" text-anchor=\"%s\" font-size=\"12\" fill=\"#777\">", (long long)x, (long long)y, anchor);
	tt_html_text(out, text);
	tt_buf_text(out, "</text>\n");
}

static void
put_axis(const struct tt_history_figure *f, const struct scale *s, struct tt_buf *out)
{
	char amount[64];

	tt_buf_printf(out, "<text x=\"4\" y=\"16\" font-size=\"14\" fill=\"#777\">");
	if (f->base) {
		tt_html_text(out, f->base);
		tt_buf_text(out, ": ");
	}
	tt_html_text(out, f->title);
	tt_buf_text(out, " (");
	tt_html_text(out, f->name);
	tt_buf_text(out, ")</text>\n");
	*tt_put_amount(amount, s->high, f->h.dim) = '\0';
	put_text(out, LEFT - 8, at_y(s, s->high) + 4, "end", amount);
	*tt_put_amount(amount, s->low, f->h.dim) = '\0';
	if (s->high > s->low)
		put_text(out, LEFT - 8, at_y(s, s->low) + 4, "end", amount);
	put_text(out, at_x(s, 0), LOW + 24, s->n > 1 ? "start" : "middle", f->h.session[0].session->name);
	if (s->n > 1)
		put_text(out, at_x(s, s->n - 1), LOW + 24, "end", f->h.session[s->n - 1].session->name);
}

/* Draw the lines of the levels, and write how much each changed. */
static void
put_levels(const struct tt_history_figure *f, const struct scale *s, struct tt_buf *out)
{
	const struct tt_history *h = &f->h;

	for (size_t i = 0; i < h->nlevel; i++) {
		const struct tt_history_level *l = &h->level[i];
		long long y = at_y(s, l->v);
		char change[32] = "";

		tt_buf_printf(out, "<line x1=\"%lld\" x2=\"%lld\" y1=\"%lld\" y2=\"%lld\" stroke=\"#b06f00\" stroke-width=\"2\"/>\n",
		    (long long)at_x(s, l->from) - 6, (long long)at_x(s, l->from + l->n - 1) + 6, y, y);
		if (i > 0 && h->level[i - 1].v != 0) {
			int64_t was = h->level[i - 1].v;

			*tt_put_ppm(change, tt_scale(l->v - was, 1000000, was < 0 ? -was : was)) = '\0';
			put_text(out, at_x(s, l->from), y - 8 < TOP ? y + 18 : y - 8, at_x(s, l->from) > WIDTH - 90 ? "end" : "start", change);
		}
	}
}

static void
put_sessions(const struct tt_history_figure *f, const struct scale *s, struct tt_buf *out)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct tt_history_session *of = &f->h.session[i];
		long long x = at_x(s, i);
		char amount[64];

		if (of->session->accepted)
			tt_buf_printf(out, "<line x1=\"%lld\" x2=\"%lld\" y1=\"%d\" y2=\"%d\" stroke=\"#777\" stroke-dasharray=\"4 3\"/>\n", x, x,
			    TOP - 10, LOW + 8);
		tt_buf_printf(out, "<circle cx=\"%lld\" cy=\"%lld\" r=\"4\" fill=\"#4a7ebb\"><title>", x, (long long)at_y(s, of->v));
		tt_html_text(out, of->session->name);
		*tt_put_amount(amount, of->v, f->h.dim) = '\0';
		tt_buf_printf(out, ": %s", amount);
		if (of->session->accepted) {
			tt_buf_text(out, ", accepted: ");
			tt_html_text(out, of->session->accepted);
		}
		tt_buf_text(out, "</title></circle>\n");
	}
}

static void
put_chart(const struct tt_history_figure *f, struct tt_buf *out)
{
	struct scale s = { INT64_MAX, INT64_MIN, f->h.nsession };

	for (size_t i = 0; i < s.n; i++) {
		int64_t v = f->h.session[i].v;

		s.low = v < s.low ? v : s.low;
		s.high = v > s.high ? v : s.high;
	}
	put_axis(f, &s, out);
	put_levels(f, &s, out);
	put_sessions(f, &s, out);
}

void
tt_history_svg(const struct tt_history_figure *f, size_t n, const char *title, struct tt_buf *out)
{
	tt_buf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" viewBox=\"0 0 %d %zu\" "
	    "font-family=\"system-ui, sans-serif\">\n<title>", WIDTH, n * HEIGHT, WIDTH, n * HEIGHT);
	tt_html_text(out, title);
	tt_buf_text(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	for (size_t i = 0; i < n; i++) {
		tt_buf_printf(out, "<g transform=\"translate(0 %zu)\">\n", i * HEIGHT);
		put_chart(&f[i], out);
		tt_buf_text(out, "</g>\n");
	}
	tt_buf_text(out, "</svg>\n");
}

void
tt_history_chart(const struct tt_history_figure *f, const char *caption, struct tt_buf *out)
{
	tt_buf_text(out, "<figure class=\"wide\" tabindex=\"0\" aria-label=\"");
	tt_html_text(out, f->name);
	tt_buf_printf(out, "\"><svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT, WIDTH);
	tt_html_text(out, f->name);
	tt_buf_text(out, " over the sessions\">\n");
	put_chart(f, out);
	tt_buf_printf(out, "</svg>\n%s</figure>\n", caption);
}

struct figures { const struct tt_history_figure *f; size_t n; };

/* Write the name of a capture, quoted for a shell. */
static void
put_capture(struct tt_buf *out, const char *name)
{
	struct tt_buf quoted = { 0 };

	tt_shell_quote(&quoted, name);
	tt_html_text(out, quoted.failed ? "" : tt_buf_string(&quoted));
	if (quoted.failed)
		tt_buf_fail(out);
	tt_buf_free(&quoted);
}

/* Write commands that explain a change: each compares a capture of the last session before it with one of the session where the new level begins. */
static void
put_changes(const struct tt_history_figure *f, struct tt_buf *out)
{
	const struct tt_history *h = &f->h;

	for (size_t i = h->nlevel; i-- > 1;) {
		const struct tt_history_session *was = &h->session[h->level[i].from - 1], *is = was + 1;
		const bool same = strcmp(was->first->name, is->first->name) == 0;

		tt_buf_text(out, "<p>What changed with session ");
		tt_html_text(out, is->session->name);
		tt_buf_text(out, same ? ", with captures of it (NEW) and of session " : ", with captures of it and of session ");
		tt_html_text(out, was->session->name);
		tt_buf_text(out, same ? " (OLD) at hand: <code>tracetool diff " : " at hand: <code>tracetool diff ");
		put_capture(out, same ? "OLD" : was->first->name);
		tt_buf_text(out, " -- ");
		put_capture(out, same ? "NEW" : is->first->name);
		tt_buf_text(out, " -o change.html</code></p>\n");
	}
}

/* Write the figure of a row as a link to its chart. */
static void
put_title(struct tt_buf *out, const struct tt_table *t, size_t row, const void *arg)
{
	const struct figures *all = arg;
	const struct tt_cell *name = tt_html_cell(t, row, "figure"), *base = tt_html_cell(t, row, "baseline");
	size_t i = 0;

	while (name && i < all->n && (strcmp(all->f[i].name, name->s) != 0 || (base && strcmp(all->f[i].base, base->s) != 0)))
		i++;
	if (!name || i == all->n) {
		tt_buf_text(out, "<td>-</td>");
		return;
	}
	tt_buf_printf(out, "<td><a href=\"#chart-%zu\">", i + 1);
	tt_html_text(out, all->f[i].title);
	tt_buf_text(out, "</a></td>");
}

static void
put_table(const struct tt_report *r, const char *id, const char *title, const char *const *col, const struct figures *all, struct tt_buf *out)
{
	const struct tt_table *t = tt_html_find(r, id);

	if (!t)
		return;
	tt_html_section(out, id, title);
	tt_html_table(out, t, &(struct tt_html_view){ .col = col, .more = "title", .more_title = "in words", .put_more = put_title, .arg = all });
	tt_buf_text(out, "</section>\n");
}

void
tt_history_html(const struct tt_history_figure *f, size_t n, const char *title, const struct tt_report *r, const char *generator, struct tt_buf *out)
{
	/* The columns of changes come first, because a narrow window cuts the last ones. The charts are drawn below. */
	static const char *const figures[] = { "figure", "baseline", "change", "last", "first", "levels", "sessions", NULL };
	static const char *const changes[] = { "figure", "baseline", "since", "change", "level", "sessions", "accepted", "build", NULL };
	static const char *const sessions[] = { "figure", "baseline", "session", "value", "change", "changed", "compared", "accepted", "date", "build",
		"captures", NULL };
	const struct figures all = { f, n };

	tt_html_open(out, title, TT_HTML_ALONE);
	tt_buf_text(out, "<header>\n<h1>History of ");
	tt_html_text(out, title);
	tt_buf_text(out, "</h1>\n</header>\n<nav aria-label=\"Sections\"><a href=\"#history\">Figures</a> <a href=\"#history_levels\">Changes</a> "
	    "<a href=\"#charts\">Charts</a> <a href=\"#history_sessions\">Sessions</a></nav>\n<main>\n");
	put_table(r, "history", "Figures over time", figures, &all, out);
	put_table(r, "history_levels", "Changes", changes, &all, out);
	tt_html_section(out, "charts", "Charts");
	for (size_t i = 0; i < n; i++) {
		tt_buf_printf(out, "<div id=\"chart-%zu\">\n", i + 1);
		tt_history_chart(&f[i], "", out);
		put_changes(&f[i], out);
		tt_buf_text(out, "</div>\n");
	}
	tt_buf_text(out, "</section>\n");
	put_table(r, "history_sessions", "Sessions", sessions, &all, out);
	tt_buf_printf(out, "<p>Made by %s. What levels are is in tracetool-baseline(1).</p>\n</main>\n", generator);
	tt_html_close(out, TT_HTML_ALONE);
}

/**
 * The chart of frame times: a column for each frame. If there are more frames than columns, a column shows the shortest and the longest of its
 * frames. So a chart of a million frames is as small as one of a thousand, and shows every hitch; a mean would hide them.
 *
 * All lengths are whole numbers, so that the same frames make the same bytes everywhere. Shapes have colours of their own for
 * viewers that block style; page.css has others.
 */
#include "model/frames.h"
#include "out/html.h"
#include "page/page_hitches.h"
#include "page/report_page.h"
#include "stat/num.h"
#include "view/figures.h"

enum { TOP = 18, BOTTOM = 18, HIGH = TT_STRIP_HIGH - TOP - BOTTOM, PARTS = 3, TIMES = 5, NUMBERS = 8 };

static const struct { int64_t ns; const char *name; } budget[] = { { 16670000, "60 fps" }, { 33330000, "30 fps" } };
static const struct { const char *css, *color, *text; } kind[PARTS] = {
	{ "k0", "#4a7ebb", "within 16.67 ms" }, { "k1", "#b06f00", "over 16.67 ms" }, { "k2", "#c02626", "over 33.33 ms" },
};

struct strip {
	const struct tt_frames *f;
	size_t from, n, columns;
	int64_t top;                  /* the time that the upper edge of the chart stands for */
	size_t above;                 /* number of frames longer than that */
	struct { int64_t low, high; unsigned kind; } column[TT_PAGE_COLUMNS]; /* a column's shortest and longest frame; its worst kind_of() */
	struct tt_page_hitches hitches;
	struct tt_buf *out;
	bool picture;                 /* true: the chart is a file of its own, without links */
};

/* The first frame of column ${c}. */
static size_t
first_of(const struct strip *s, size_t c)
{
	return s->from + (size_t)((tt_u128)s->n * c / s->columns);
}

/* The height of ${ns} in the chart, in its units. */
static unsigned
height(const struct strip *s, int64_t ns)
{
	return ns >= s->top ? HIGH : (unsigned)((tt_u128)ns * HIGH / (tt_u128)s->top);
}

/* How many budgets (60 fps, 30 fps) the frame misses, by the time for which it was shown, as in the page's verdict. */
static unsigned
kind_of(const struct tt_frames *f, size_t i)
{
	const int64_t ns = tt_frames_shown(f, i);

	return ns > tt_frame_limit(budget[1].ns) ? 2 : ns > tt_frame_limit(budget[0].ns);
}

static void
set_columns(struct strip *s)
{
	s->columns = s->n < TT_PAGE_COLUMNS ? s->n : TT_PAGE_COLUMNS;
	for (size_t c = 0; c < s->columns; c++) {
		int64_t low = INT64_MAX, high = 0;
		unsigned worst = 0;

		for (size_t i = first_of(s, c), end = first_of(s, c + 1); i < end; i++) {
			int64_t ns = tt_frames_wall(s->f, i);
			unsigned of = kind_of(s->f, i);

			low = ns < low ? ns : low;
			high = ns > high ? ns : high;
			worst = of > worst ? of : worst;
		}
		s->column[c].kind = worst;
		s->column[c].low = low;
		s->column[c].high = high;
	}
}

/* Make the chart as high as the longest frame, but at most three times what 30 fps allow or twice what 99 of 100 frames take, so that one long
   load does not flatten the others; and at least as high as 60 fps allow, unless that would flatten all frames. All is taken of ${all}, the frames of
   every process, so that charts of several can be compared by eye. */
static void
set_top(struct strip *s, const struct tt_values *all)
{
	int64_t least = tt_frame_limit(budget[0].ns) * 11 / 10, most = 3 * tt_frame_limit(budget[1].ns);
	int64_t p99 = tt_values_quantile(all, 99, 100), longest = tt_values_quantile(all, 1, 1);

	most = p99 > most / 2 && p99 < INT64_MAX / 2 ? 2 * p99 : most;
	s->top = longest < most ? longest + longest / 20 : most;
	s->top = s->top < least && longest > least / 2 ? least : s->top < 1 ? 1 : s->top;
	for (size_t c = 0; c < s->columns; c++)
		for (size_t i = first_of(s, c), end = first_of(s, c + 1); i < end && s->column[c].high > s->top; i++)
			s->above += tt_frames_wall(s->f, i) > s->top;
}

/* Draw the columns whose worst frame has the kind ${part}. */
static void
put_columns(const struct strip *s, unsigned part)
{
	bool begun = false;

	for (size_t c = 0; c < s->columns; c++) {
		int64_t high = s->column[c].high;

		if (s->column[c].kind != part)
			continue;
		if (!begun)
			tt_buf_printf(s->out, "<path class=\"%s\" fill=\"%s\" d=\"", kind[part].css, kind[part].color);
		begun = true;
		tt_buf_printf(s->out, "M%zu %dV%uh1V%dz", c, HIGH, HIGH - (height(s, high) ? height(s, high) : 1), HIGH);
	}
	if (begun)
		tt_buf_text(s->out, "\"/>");
}

/* Darken each column up to its shortest frame, if columns have several. */
static void
put_shortest(const struct strip *s)
{
	if (s->columns == s->n)
		return;
	tt_buf_text(s->out, "<path class=\"lo\" fill=\"#000\" fill-opacity=\".35\" d=\"");
	for (size_t c = 0; c < s->columns; c++)
		tt_buf_printf(s->out, "M%zu %dV%uh1V%dz", c, HIGH, HIGH - height(s, s->column[c].low), HIGH);
	tt_buf_text(s->out, "\"/>");
}

uint64_t
tt_page_axis_step(uint64_t all, unsigned most)
{
	static const unsigned of[] = { 1, 2, 5 };

	for (uint64_t power = 1;; power *= 10)
		for (size_t i = 0; i < sizeof of / sizeof *of; i++)
			if (all / (of[i] * power) <= most)
				return of[i] * power;
}

void
tt_page_round_time(struct tt_buf *out, uint64_t ns)
{
	static const struct { uint64_t ns; const char *name; } unit[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "\xc2\xb5s" }, { 1, "ns" } };
	size_t i = 0;

	while (ns % unit[i].ns)
		i++;
	tt_buf_printf(out, "%llu %s", (unsigned long long)(ns / unit[i].ns), unit[i].name);
}

/* Draw lines at round times, labelled at the right beside the bars, except where a budget's line is. */
static void
put_lines(const struct strip *s)
{
	for (uint64_t step = tt_page_axis_step((uint64_t)s->top, TIMES), at = step; at < (uint64_t)s->top; at += step) {
		unsigned y = TOP + HIGH - height(s, (int64_t)at);

		tt_buf_printf(s->out, "<line class=\"a\" x1=\"0\" x2=\"100%%\" y1=\"%u\" y2=\"%u\" stroke=\"#777\" stroke-opacity=\".3\"/>", y, y);
	}
}

/* True if a budget's line is so close to the height ${y} that a label does not fit. */
static bool
is_by_budget(const struct strip *s, unsigned y)
{
	enum { WORDS = 13 };

	for (size_t i = 0; i < sizeof budget / sizeof *budget; i++) {
		const unsigned at = height(s, tt_frame_limit(budget[i].ns));

		if (budget[i].ns < s->top && at < y + WORDS && y < at + WORDS)
			return true;
	}
	return false;
}

static void
put_times(const struct strip *s)
{
	for (uint64_t step = tt_page_axis_step((uint64_t)s->top, TIMES), at = step; at < (uint64_t)s->top; at += step) {
		if (is_by_budget(s, height(s, (int64_t)at)))
			continue;
		tt_buf_printf(s->out, "<text class=\"b\" x=\"100%%\" y=\"%u\" font-size=\"12\" text-anchor=\"end\" fill=\"#555\">",
		    TOP + HIGH - height(s, (int64_t)at) + 4);
		tt_page_round_time(s->out, at);
		tt_buf_text(s->out, "</text>");
	}
}

void
tt_page_frame_numbers(const struct tt_frames *f, size_t from, size_t n, unsigned y, struct tt_buf *out)
{
	const uint64_t first = tt_frames_number(f, from), last = tt_frames_number(f, from + n - 1), step = tt_page_axis_step(n, NUMBERS);
	char at[40];

	if (last - first + 1 != n)
		return;
	for (uint64_t i = (first + step - 1) / step * step; i <= last; i += step) {
		uint64_t part = ((i - first) * 2 + 1) * 5000 / n;

		/* Skip labels that would not fit. */
		if (part < 300 || part > 9700)
			continue;
		*tt_put_fixed(at, (int64_t)part, 2) = '\0';
		tt_buf_printf(out, "<text class=\"b\" x=\"%s%%\" y=\"%u\" font-size=\"12\" text-anchor=\"middle\" fill=\"#555\">%llu</text>", at, y,
		    (unsigned long long)i);
	}
}

static void
put_budgets(const struct strip *s)
{
	for (size_t i = 0; i < sizeof budget / sizeof *budget; i++) {
		unsigned y = TOP + HIGH - height(s, tt_frame_limit(budget[i].ns));
		char time[40];

		if (budget[i].ns >= s->top)
			continue;
		*tt_put_time_short(time, tt_frame_limit(budget[i].ns)) = '\0';
		tt_buf_printf(s->out, "<line class=\"b\" x1=\"0\" x2=\"100%%\" y1=\"%u\" y2=\"%u\" stroke=\"#777\" stroke-dasharray=\"6 3\"/>"
		    "<text class=\"b\" x=\"100%%\" y=\"%u\" font-size=\"12\" text-anchor=\"end\" fill=\"#555\">%s<title>%s</title></text>\n", y, y, y + 4,
		    budget[i].name, time);
	}
}

/* Draw marks over hitches, which link to what they did. If marks would overlap, only that of the longest frame is drawn. */
static void
put_hitches(const struct strip *s)
{
	enum { SLOTS = 200 };

	for (size_t i = 0, next; i < s->hitches.n; i = next) {
		const size_t slot = (s->hitches.of[i].frame - s->from) * SLOTS / s->n;
		const struct tt_page_hitch *h = &s->hitches.of[i];
		char time[40], at[40];
		unsigned of;

		for (next = i + 1; next < s->hitches.n && (s->hitches.of[next].frame - s->from) * SLOTS / s->n == slot; next++)
			h = tt_frames_wall(s->f, s->hitches.of[next].frame) > tt_frames_wall(s->f, h->frame) ? &s->hitches.of[next] : h;
		of = kind_of(s->f, h->frame);
		*tt_put_time_short(time, tt_frames_wall(s->f, h->frame)) = '\0';
		*tt_put_fixed(at, (int64_t)(((tt_u128)(h->frame - s->from) * 2 + 1) * 5000 / s->n), 2) = '\0';
		if (!s->picture)
			tt_page_hitch_link(h, s->out);
		tt_buf_printf(s->out, "<text class=\"h %s\" x=\"%s%%\" y=\"%d\" text-anchor=\"middle\" font-size=\"12\" "
		    "fill=\"%s\">\xe2\x96\xbc<title>frame %llu: %s%s", kind[of].css, at, TOP - 4, kind[of].color,
		    (unsigned long long)h->number, time, tt_frames_wall(s->f, h->frame) > s->top ? ", higher than the chart" : "");
		if (next - i > 1)
			tt_buf_printf(s->out, ", the longest of %zu here", next - i);
		tt_buf_printf(s->out, "</title></text>%s\n", s->picture ? "" : "</a>");
	}
}

/* Write the numbers of the hitches, for page scripts. */
static void
put_hitch_numbers(const struct strip *s)
{
	for (size_t i = 0; i < s->hitches.n; i++)
		tt_buf_printf(s->out, "%s%llu", i ? " " : " data-hitches=\"", (unsigned long long)s->hitches.of[i].number);
	tt_buf_text(s->out, s->hitches.n ? "\"" : "");
}

static void
put_legend(const struct strip *s)
{
	char number[40];

	tt_buf_printf(s->out, "<figcaption>Times of the frames in order of their numbers. Colours%s: ",
	    tt_frames_have_limit(s->f) ? ", by whole refreshes" : "");
	for (unsigned part = 0; part < PARTS; part++)
		tt_buf_printf(s->out, "%s<svg class=\"key\" width=\"10\" height=\"10\" aria-hidden=\"true\"><rect class=\"%s\" fill=\"%s\" width=\"10\" "
		    "height=\"10\"/></svg>\xc2\xa0%s", part ? ", " : "", kind[part].css, kind[part].color, kind[part].text);
	if (s->hitches.n)
		tt_buf_printf(s->out, ". \xe2\x96\xbc marks %s, and leads to what they did.", s->hitches.worst ? "the worst frames" :
		    "the frames that have a cause above");
	else
		tt_buf_text(s->out, ".");
	if (s->columns < s->n) {
		*tt_put_count(number, (int64_t)((s->n + s->columns - 1) / s->columns)) = '\0';
		tt_buf_printf(s->out, " A column has up to %s frames: it is as high as the longest, and dark up to the shortest.", number);
	}
	if (tt_frame_limit(budget[0].ns) >= s->top) {
		*tt_put_time_short(number, s->top) = '\0';
		tt_buf_printf(s->out, " The top of the chart is %s, below the 16.67 ms of 60 fps.", number);
	}
	if (s->above) {
		*tt_put_count(number, (int64_t)s->above) = '\0';
		tt_buf_printf(s->out, " Longer than the chart is high: %s.", number);
	}
	tt_buf_text(s->out, "</figcaption>\n");
}

static void
put_chart(struct strip *s, const struct tt_values *all, const struct tt_report *r)
{
	tt_page_hitches(&s->hitches, r, s->f, s->from, s->from + s->n);
	set_columns(s);
	set_top(s, all);
	put_lines(s);
	tt_buf_printf(s->out, "<svg y=\"%d\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\" "
	    "shape-rendering=\"crispEdges\"", TOP, HIGH, s->columns, HIGH);
	if (!s->picture) {
		tt_buf_printf(s->out, " data-top=\"%lld\"", (long long)s->top);
		put_hitch_numbers(s);
	}
	tt_buf_text(s->out, ">");
	for (unsigned part = 0; part < PARTS; part++)
		put_columns(s, part);
	put_shortest(s);
	tt_buf_text(s->out, "</svg>\n");
	put_times(s);
	put_budgets(s);
	tt_page_frame_numbers(s->f, s->from, s->n, TOP + HIGH + BOTTOM - 4, s->out);
	put_hitches(s);
}

void
tt_page_put_frame_chart(const struct tt_frames *f, size_t from, size_t end, const struct tt_values *all, const struct tt_report *r,
    struct tt_buf *out)
{
	struct strip s = { .f = f, .from = from, .n = end - from, .out = out };

	if (end <= from)
		return;
	tt_buf_printf(out, "<figure><svg width=\"100%%\" height=\"%d\" role=\"group\" aria-label=\"Frame times of %zu frames in order\">"
	    "<title>Frame times</title>\n", TOP + HIGH + BOTTOM, s.n);
	put_chart(&s, all, r);
	tt_buf_text(out, "</svg>\n");
	put_legend(&s);
}

void
tt_page_strip_picture(const struct tt_frames *f, size_t from, size_t end, const struct tt_values *all, const struct tt_report *r,
    unsigned y, struct tt_buf *out)
{
	struct strip s = { .f = f, .from = from, .n = end - from, .out = out, .picture = true };

	tt_buf_printf(out, "<svg y=\"%u\" width=\"100%%\" height=\"%d\">\n", y, TT_STRIP_HIGH);
	put_chart(&s, all, r);
	tt_buf_text(out, "</svg>\n");
}

/* Write ${v} as digits of five bits, the lowest first; the sixth bit says that more follow. */
static void
put_digits(struct tt_buf *out, uint64_t v)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[16];
	size_t n = 0;

	do {
		text[n++] = digit[(v & 31) | (v > 31 ? 32 : 0)];
		v >>= 5;
	} while (v);
	tt_buf_add(out, text, n);
}

/* Write the start of the first frame, if the others follow without gaps and each is as long as the chart shows it. */
static void
put_start(const struct tt_frames *f, size_t from, size_t end, struct tt_buf *out)
{
	for (size_t i = from; i < end; i++)
		if (tt_frames_wall(f, i) != tt_frames_dur(f, i) || (i > from && tt_frames_start(f, i) != tt_frames_end(f, i - 1)))
			return;
	tt_buf_printf(out, " data-start=\"%lld\"", (long long)tt_frames_start(f, from));
}

/*
 * Write the engine's frame numbers: that of the first frame, and of each frame that does not continue the numbering; 0: not known. Nothing if there are too
 * many of these.
 */
static void
put_given(const struct tt_frames *f, size_t from, size_t end, struct tt_buf *out)
{
	enum { RUNS = 64 };
	size_t runs = 0, begin = out->n;

	for (size_t i = from; i < end && f->has_engine_number; i++) {
		if (i > from && (tt_frames_engine_number(f, i - 1) ? tt_frames_engine_number(f, i) == tt_frames_engine_number(f, i - 1) + 1 :
		    !tt_frames_engine_number(f, i)))
			continue;
		tt_buf_printf(out, "%s%llu:%u", runs ? " " : " data-given=\"", (unsigned long long)tt_frames_number(f, i), tt_frames_engine_number(f, i));
		if (++runs == RUNS) {
			out->n = begin;
			return;
		}
	}
	tt_buf_text(out, runs ? "\"" : "");
}

/* Write the times ${time_of} of frames, each as the difference from the one before; stop at ${most} bytes (0: unlimited). */
static void
put_series(const struct tt_frames *f, size_t from, size_t end, int64_t (*time_of)(const struct tt_frames *, size_t), uint64_t most, struct tt_buf *out)
{
	const size_t begin = out->n;
	int64_t last = 0;

	for (size_t i = from; i < end && (most == 0 || out->n - begin < most); i++) {
		int64_t d = time_of(f, i) - last;

		put_digits(out, d < 0 ? ((uint64_t)-(d + 1) << 1) + 1 : (uint64_t)d << 1);
		last = time_of(f, i);
	}
}

bool
tt_page_put_times(const struct tt_frames *f, size_t from, size_t end, bool capped, const char *command, uint64_t most, struct tt_buf *out)
{
	size_t begin = out->n;

	/* Each frame takes at least a byte. */
	if (most > 0 && end - from >= most)
		return false;
	tt_buf_printf(out, "<script type=\"application/x-tracetool\" data-first=\"%llu\" data-over60=\"%lld\" data-over30=\"%lld\" data-command=\"",
	    (unsigned long long)tt_frames_number(f, from), (long long)tt_frame_limit(budget[0].ns), (long long)tt_frame_limit(budget[1].ns));
	tt_html_text(out, command);
	tt_buf_text(out, "\"");
	put_start(f, from, end, out);
	put_given(f, from, end, out);
	if (tt_frames_have_limit(f)) {
		tt_buf_text(out, " data-shown=\"");
		put_series(f, from, end, tt_frames_shown, most, out);
		tt_buf_text(out, "\"");
	}
	if (capped) {
		tt_buf_text(out, " data-uncapped=\"");
		put_series(f, from, end, tt_frames_uncapped, most, out);
		tt_buf_text(out, "\"");
	}
	tt_buf_text(out, ">");
	put_series(f, from, end, tt_frames_wall, most, out);
	tt_buf_text(out, "</script>\n");
	if (most == 0 || out->n - begin < most || out->failed)
		return true;
	out->n = begin;
	return false;
}

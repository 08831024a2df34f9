/**
 * Draws charts of counters, collections and the heap over the frames.
 */
#include "page/line_charts.h"

#include <math.h>

#include "base/json.h"
#include "collect/by_frame.h"
#include "collect/collections.h"
#include "collect/counters.h"
#include "collect/heap_shots.h"
#include "model/frames.h"
#include "model/model.h"
#include "out/html.h"
#include "page/details.h"
#include "page/report_page.h"
#include "pass/passes.h"
#include "view/counter.h"
#include "view/view.h"

enum { HIGH = 56, TICK = 8, BELOW = 18, SIZES = 3, TIMES = 8 };

/* The columns of a chart: of frames, or of equal times. */
struct axis {
	const struct tt_frames *f;    /* NULL: columns of times */
	int64_t from, to;
	size_t columns;
};

struct value { double at; union tt_counter_value v; };

struct column {
	bool has;
	struct value low, high, last;
};

struct line {
	struct tt_report *r;
	const struct tt_counter_stat *of;     /* the counter; NULL: the size of the heap in bytes */
	const struct axis *axis;
	struct column column[TT_LINE_COLUMNS];
	struct value low, high;       /* lowest and highest value of all columns */
	size_t known;                 /* number of columns that have a value */
	struct tt_buf marks;          /* SVG to draw over the line */
};

static size_t
column_of_frame(const struct axis *a, size_t frame)
{
	return (size_t)((((tt_u128)frame + 1) * a->columns + a->f->n - 1) / a->f->n) - 1;
}

/* The column of the time ${ts}; SIZE_MAX: ${ts} is in no column. */
static size_t
column_of_time(const struct axis *a, int64_t ts)
{
	if (a->f) {
		size_t frame = tt_frames_find(a->f, 0, a->f->n, ts);

		return frame == SIZE_MAX ? SIZE_MAX : column_of_frame(a, frame);
	}
	return ts < a->from || ts > a->to ? SIZE_MAX : (size_t)((tt_u128)(ts - a->from) * (a->columns - 1) / (tt_u128)(a->to - a->from));
}

static void
add_value(struct line *l, size_t c, struct value low, struct value high, struct value last)
{
	struct column *to = &l->column[c];

	/* Skip columns that are not finite. If only the last value is not, the line continues from the highest one. */
	if (!isfinite(low.at) || !isfinite(high.at))
		return;
	if (!isfinite(last.at))
		last = high;
	if (!to->has || low.at < to->low.at)
		to->low = low;
	if (!to->has || high.at > to->high.at)
		to->high = high;
	to->last = last;
	if (!l->known || low.at < l->low.at)
		l->low = low;
	if (!l->known || high.at > l->high.at)
		l->high = high;
	l->known += !to->has;
	to->has = true;
}

/* A value formatted as in tables; valid until the next call. */
static const char *
text_of(const struct line *l, struct value v, struct tt_buf *text)
{
	struct tt_cell cell = { .v = (int64_t)v.v.u, .empty = l->of != NULL };

	text->n = 0;
	if (l->of)
		tt_cell_counter(l->r, &cell, l->of, v.v);
	tt_html_number(text, l->of ? TT_UNIT_VALUE : TT_UNIT_BYTES, &cell);
	return tt_buf_string(text);
}

/* --- drawing --------------------------------------------------------------------------- */

/* The value at the bottom of the chart: 0 if values vary by more than a quarter of the highest one, else the lowest. */
static double
bottom_of(const struct line *l)
{
	return l->low.at >= 0 && l->high.at - l->low.at > l->high.at / 4 ? 0 : l->low.at;
}

static unsigned
place(const struct line *l, double v)
{
	double bottom = bottom_of(l), range = l->high.at - bottom;

	return (unsigned)lround((double)HIGH - (range > 0 ? (v - bottom) / range * (HIGH - 2) : HIGH / 2.) - 1);
}

static void
put_path(const struct line *l, struct tt_buf *out)
{
	bool begun = false;

	tt_buf_text(out, "<path class=\"e\" fill=\"none\" stroke=\"#4a7ebb\" stroke-width=\"1.5\" vector-effect=\"non-scaling-stroke\" d=\"");
	for (size_t c = 0; c < l->axis->columns; c++) {
		const struct column *v = &l->column[c];
		unsigned low = place(l, v->low.at), high = place(l, v->high.at), last = place(l, v->last.at);

		if (!v->has)
			continue;
		tt_buf_printf(out, begun ? "H%zuV%u" : "M%zu %u", c, begun ? low : last);
		if (low != high)
			tt_buf_printf(out, "V%uV%u", high, last);
		begun = true;
	}
	tt_buf_printf(out, "H%zu\"/>", l->axis->columns);
}

/* Write "200 KB": round sizes without unnecessary digits. */
static void
put_size(struct tt_buf *out, uint64_t bytes)
{
	static const char *const unit[] = { "B", "KB", "MB", "GB", "TB", "PB" };
	size_t i = 0;

	for (; bytes && bytes % 1024 == 0 && i + 1 < sizeof unit / sizeof *unit; i++)
		bytes /= 1024;
	tt_buf_printf(out, "%llu %s", (unsigned long long)bytes, unit[i]);
}

/* Draw lines at round sizes, labelled at the right as in the chart of frame times. */
static void
put_sizes(const struct line *l, struct tt_buf *out)
{
	const uint64_t bottom = (uint64_t)bottom_of(l), high = (uint64_t)l->high.at;
	uint64_t unit = 1;

	while ((high - bottom) / unit >= 4096)
		unit *= 1024;
	const uint64_t step = tt_page_axis_step((high - bottom) / unit, SIZES) * unit;
	for (uint64_t at = (bottom / step + 1) * step; at <= high; at += step) {
		const unsigned y = place(l, (double)at);

		tt_buf_printf(out, "<line class=\"a\" x1=\"0\" x2=\"100%%\" y1=\"%u\" y2=\"%u\" stroke=\"#777\" stroke-opacity=\".3\"/>"
		    "<text class=\"b\" x=\"100%%\" y=\"%u\" font-size=\"12\" text-anchor=\"end\" fill=\"#555\">", y, y, y < 8 ? 12 : y + 4);
		put_size(out, at);
		tt_buf_text(out, "</text>");
	}
}

/* Write round times below the chart. */
static void
put_times(const struct axis *a, struct tt_buf *out)
{
	const uint64_t all = (uint64_t)(a->to - a->from), step = tt_page_axis_step(all, TIMES);
	char place[40];

	for (int64_t at = a->from > 0 ? (a->from + (int64_t)step - 1) / (int64_t)step * (int64_t)step : 0; at <= a->to; at += (int64_t)step) {
		const int64_t part = (int64_t)((tt_u128)(at - a->from) * 10000 / all);

		/* Skip labels that would not fit. */
		if (part < 300 || part > 9700)
			continue;
		*tt_put_fixed(place, part, 2) = '\0';
		tt_buf_printf(out, "<text class=\"b\" x=\"%s%%\" y=\"%d\" font-size=\"12\" text-anchor=\"middle\" fill=\"#555\">", place, HIGH + BELOW - 4);
		tt_page_round_time(out, (uint64_t)at);
		tt_buf_text(out, "</text>");
	}
}

/* Write a chart named ${name}, with a caption from ${caption}; both are plain text. */
static void
put_chart(const struct line *l, const char *name, const char *section, const char *caption, struct tt_buf *out)
{
	struct tt_buf text = { 0 };

	tt_buf_text(out, "<figure class=\"ln\"><figcaption><strong>");
	tt_html_text(out, name);
	tt_buf_text(out, "</strong>");
	if (*section) {
		tt_buf_text(out, ", ");
		tt_html_text(out, section);
	}
	tt_buf_text(out, l->axis->f ? ", by frame: from " : ", by time: from ");
	tt_html_text(out, text_of(l, l->low, &text));
	tt_buf_text(out, " to ");
	tt_html_text(out, text_of(l, l->high, &text));
	tt_html_text(out, caption);
	if (text.failed || l->marks.failed)
		tt_buf_fail(out);
	tt_buf_free(&text);
	tt_buf_printf(out, "</figcaption>\n<svg width=\"100%%\" height=\"%d\" role=\"img\" aria-label=\"", HIGH + BELOW);
	tt_html_text(out, name);
	tt_buf_printf(out, " over the %s\">", l->axis->f ? "frames" : "capture");
	if (!l->of)
		put_sizes(l, out);
	tt_buf_printf(out, "<svg width=\"100%%\" height=\"%d\" viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\">", HIGH, l->axis->columns, HIGH);
	tt_buf_add(out, l->marks.p, l->marks.n);
	put_path(l, out);
	tt_buf_text(out, "</svg>");
	if (l->axis->f)
		tt_page_frame_numbers(l->axis->f, 0, l->axis->f->n, HIGH + BELOW - 4, out);
	else
		put_times(l->axis, out);
	tt_buf_text(out, "</svg></figure>\n");
}

/* Write the texts of columns: [columns since the last one, lowest, highest, ...]. */
static void
put_words(const struct line *l, struct tt_json *j)
{
	struct tt_buf text = { 0 };
	size_t last = 0;

	tt_json_open(j, NULL, "[");
	for (size_t c = 0; c < l->axis->columns; c++) {
		const struct column *v = &l->column[c];

		if (!v->has)
			continue;
		tt_json_u64(j, NULL, c - last);
		tt_json_text(j, NULL, text_of(l, v->low, &text));
		tt_json_text(j, NULL, text_of(l, v->high, &text));
		last = c;
	}
	tt_json_close(j, "]");
	if (text.failed)
		tt_buf_fail(j->out);
	tt_buf_free(&text);
}

/* Write the texts of all charts before this one as a data element. */
static int
put_data(const struct axis *a, const char *what, struct tt_buf *words, struct tt_buf *out, struct tt_err *err)
{
	int rc = tt_buf_error(words, err);

	tt_buf_printf(out, "<script type=\"application/x-tracetool\" data-lines=\"%s\" data-columns=\"%zu\" data-time=\"%lld\" data-step=\"%lld\">", what,
	    a->columns, a->f ? 0LL : (long long)a->from, a->f ? 0LL : (long long)((a->to - a->from) / (int64_t)(a->columns - 1)));
	TT_THEN(rc, tt_page_pack(words, out, err));
	tt_buf_text(out, "</script>\n");
	return rc;
}

/* Set the columns to frames, if all frames are of one process. Return false otherwise. */
static bool
axis_of_frames(const struct tt_model *m, struct axis *a)
{
	*a = (struct axis){ .f = m->frames && m->frames->n && m->frames->nrange == 1 ? m->frames : NULL };
	a->columns = !a->f ? 0 : a->f->n < TT_LINE_COLUMNS ? a->f->n : TT_LINE_COLUMNS;
	return a->f != NULL;
}

/* --- counters ---------------------------------------------------------------------------- */

static double
number(uint8_t type, union tt_counter_value v)
{
	return type == TT_T_F64 ? v.d : type == TT_T_I64 ? (double)v.i : (double)v.u;
}

/* Choose at most ${most} counters whose values change, in the order of the table of counters, into ${at}; *${n}: number of all that change. */
static size_t
choose(const struct tt_counters *all, const struct tt_model *m, uint32_t process, size_t most, uint32_t *at, size_t *n)
{
	size_t k = 0;

	*n = 0;
	for (size_t turn = 0; turn < 2; turn++) {
		for (size_t i = 0; all && i < all->n; i++) {
			const struct tt_counter_stat *c = &all->counter[i];

			/* The program's own counters come first. */
			if (c->custom != (turn == 0) || c->process != process || c->n < 2 || c->type == TT_T_TEXT ||
			    !tt_counter_is_number(c->type, c->min) || !tt_counter_less(c->type, c->min, c->max) ||
			    !tt_counter_wanted(m, c))
				continue;
			++*n;
			if (k < most)
				at[k++] = (uint32_t)i;
		}
	}
	return k;
}

/* Read the values of all frames into the lines of the chosen counters; ${slot}: by counter, index in ${line} + 1, 0: not chosen. */
static int
read_values(const struct tt_model *m, const struct axis *a, const uint8_t *slot, struct line *line, struct tt_err *err)
{
	struct tt_sorted *values;
	const void *rec = NULL;
	int rc = tt_by_frame_open(m, TT_BY_FRAME_VALUES, &values, err);

	while (rc == TT_OK && (rc = tt_by_frame_next(values, &rec, err)) == TT_OK && rec) {
		const struct tt_frame_values v = tt_frame_values_of(tt_counters(m), rec);
		struct line *l = slot[v.counter] ? &line[slot[v.counter] - 1] : NULL;

		if (l)
			add_value(l, column_of_frame(a, v.frame), (struct value){ number(v.type, v.min), v.min },
			    (struct value){ number(v.type, v.max), v.max }, (struct value){ number(v.type, v.last), v.last });
	}
	tt_by_frame_close(values);
	return rc;
}

int
tt_lines_counters(struct tt_views *view, struct tt_report *r, size_t most, size_t *left, struct tt_buf *out, struct tt_err *err)
{
	enum { MAX_COUNTERS = 64 };
	const struct tt_model *m = view->m;
	struct tt_mem *mem = &m->env->mem;
	const struct tt_counters *all = tt_counters(m);
	struct axis a;
	uint32_t at[MAX_COUNTERS];
	size_t n = 0, changing = 0;
	struct tt_buf words = { 0 };
	struct tt_json j = { .out = &words };

	*left = 0;
	if (axis_of_frames(m, &a))
		n = choose(all, m, m->frames->range[0].process, most < MAX_COUNTERS ? most : MAX_COUNTERS, at, &changing);
	if (n == 0)
		return TT_OK;
	struct line *line = tt_mem_alloc(mem, n * sizeof *line, err);
	uint8_t *slot = line ? tt_mem_alloc(mem, all->n * sizeof *slot, err) : NULL;
	for (size_t i = 0; i < n && slot; i++) {
		line[i].r = r;
		line[i].axis = &a;
		line[i].of = &all->counter[at[i]];
		slot[at[i]] = (uint8_t)(i + 1);
	}
	int rc = slot ? read_values(m, &a, slot, line, err) : err->code;
	tt_json_open(&j, NULL, "[");
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		const struct tt_counter_stat *of = &all->counter[at[i]];

		if (line[i].known < 2)
			continue;
		put_chart(&line[i], tt_counter_name(r, of), tt_counter_section(of->def), "", out);
		put_words(&line[i], &j);
	}
	tt_json_close(&j, "]");
	*left = changing - n;
	if (rc == TT_OK && (words.failed || words.n > 2))
		rc = put_data(&a, "counters", &words, out, err);
	tt_buf_free(&words);
	tt_mem_free(mem, slot, all->n * sizeof *slot);
	tt_mem_free(mem, line, n * sizeof *line);
	return rc;
}

/* --- the heap ------------------------------------------------------------------------------ */

/* Draw a tick in each column in which a collection begins. Return the number of these columns. */
static size_t
put_collections(const struct tt_model *m, const struct axis *a, struct line *l)
{
	const struct tt_by_frame *by = a->f ? tt_by_frame(m) : NULL;
	const struct tt_gc *gc = tt_gc(m);
	bool in[TT_LINE_COLUMNS] = { false };
	size_t n = 0;

	for (size_t i = 0; by && i < by->n && i < a->f->n; i++)
		in[column_of_frame(a, i)] |= by->gc[i].n > 0;
	for (size_t i = 0; !a->f && i < gc->npause; i++) {
		size_t c = column_of_time(a, gc->pause[i].start);

		if (c != SIZE_MAX && gc->pause[i].has_begin)
			in[c] = true;
	}
	for (size_t c = 0; c < a->columns; c++) {
		if (!in[c])
			continue;
		tt_buf_printf(&l->marks, n++ ? "M%zu %dV%d" : "<path class=\"k\" fill=\"none\" stroke=\"#b06f00\" stroke-width=\"2\" "
		    "vector-effect=\"non-scaling-stroke\" d=\"M%zu %dV%d", c, HIGH, HIGH - TICK);
	}
	tt_buf_text(&l->marks, n ? "\"/>" : "");
	return n;
}

/* Draw a vertical line for each heap shot. Return their number. */
static size_t
put_shots(const struct tt_model *m, const struct axis *a, struct line *l)
{
	const struct tt_heap_shots *s = tt_heap_shots(m);
	size_t n = 0;

	for (size_t i = 0; s && i < s->n; i++) {
		size_t c = column_of_time(a, s->shot[i].ts);

		if (c != SIZE_MAX)
			tt_buf_printf(&l->marks, n++ ? "M%zu 0V%d" : "<path class=\"q\" fill=\"none\" stroke=\"#777\" stroke-width=\"1\" "
			    "stroke-dasharray=\"3 3\" vector-effect=\"non-scaling-stroke\" d=\"M%zu 0V%d", c, HIGH);
	}
	tt_buf_text(&l->marks, n ? "\"/>" : "");
	return n;
}

int
tt_lines_heap(struct tt_views *view, struct tt_report *r, struct tt_buf *out, struct tt_err *err)
{
	const struct tt_model *m = view->m;
	const struct tt_gc *gc = tt_gc(m);
	struct axis a;
	struct tt_buf words = { 0 };
	struct tt_json j = { .out = &words };
	int rc = TT_OK;

	if (m->ncap != 1 || gc->nheap < 2)
		return TT_OK;
	if (!axis_of_frames(m, &a)) {
		a = (struct axis){ .from = gc->heap[0].ts, .to = gc->heap[gc->nheap - 1].ts, .columns = TT_LINE_COLUMNS };
		if (a.to <= a.from)
			return TT_OK;
	}
	struct line *l = tt_mem_alloc(&m->env->mem, sizeof *l, err);
	if (!l)
		return err->code;
	l->r = r;
	l->axis = &a;
	for (size_t i = 0; i < gc->nheap; i++) {
		size_t c = column_of_time(&a, gc->heap[i].ts);
		struct value v;

		if (c == SIZE_MAX)
			continue;
		v = (struct value){ (double)gc->heap[i].bytes, { .u = gc->heap[i].bytes } };
		add_value(l, c, v, v, v);
	}
	if (l->known >= 2) {
		size_t collections = put_collections(m, &a, l), shots = put_shots(m, &a, l);

		put_chart(l, "Heap", "", collections && shots ? "; ticks below: collections begin; dashed: heap shots" :
		    collections ? "; ticks below: collections begin" : shots ? "; dashed: heap shots" : "", out);
		tt_json_open(&j, NULL, "[");
		put_words(l, &j);
		tt_json_close(&j, "]");
		rc = put_data(&a, "heap", &words, out, err);
	}
	tt_buf_free(&words);
	tt_buf_free(&l->marks);
	tt_mem_free(&m->env->mem, l, sizeof *l);
	return rc;
}

/**
 * Single pictures for READMEs, wikis and chats: SVG that contains its text and needs no scripts, which such places do not run.
 */
#include <string.h>

#include "model/model.h"
#include "out/html.h"
#include "out/render.h"
#include "page/flame.h"
#include "page/report_page.h"
#include "sys/sys.h"
#include "view/view.h"

enum { WIDTH = 1200, ROW = 17, BOXES = 5000, DEEP = 100, NARROW = 2 * WIDTH,
	NAME = 18,                    /* height for the name of a chart */
	LETTER = 65 };                /* width of a letter, in 1/10 units */

const char *
tt_picture_name(size_t i)
{
	static const char *const name[] = { "frames", "flame" };

	return i < sizeof name / sizeof *name ? name[i] : NULL;
}

static void
open_picture(struct tt_buf *out, unsigned height, const char *name)
{
	tt_buf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" "
	    "font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<title>", WIDTH, height, WIDTH, height);
	tt_html_text(out, name);
	tt_buf_text(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"4\" y=\"16\" font-size=\"14\" fill=\"#1b1f24\">");
	tt_html_text(out, name);
}

/* --- frames ---------------------------------------------------------------------------- */

/* Write the name of the input that a chart shows, if there are several. */
static void
put_name(const struct tt_model *m, uint32_t process, unsigned y, struct tt_buf *out)
{
	tt_buf_printf(out, "<text x=\"4\" y=\"%u\" font-size=\"12\" fill=\"#1b1f24\">Input %u: ", y, process + 1);
	tt_html_text(out, tt_sys_base_name(m->cap[process]->path));
	tt_buf_text(out, "</text>\n");
}

static int
frames(const struct tt_report *r, struct tt_views *view, const char *name, struct tt_buf *out, struct tt_err *err)
{
	const struct tt_frames *f = view->m->frames;
	const struct tt_values *all = f && f->n ? tt_view_frames(view, TT_FRAME_WALL, err) : NULL;
	const struct tt_table *t = tt_html_find(r, "frames");
	static const char *const figure[][2] = { { ": ", "count" }, { " frames, median ", "median_ns" }, { ", p99 ", "p99_ns" }, { ", longest ", "max_ns" } };
	const unsigned gap = f && f->nrange > 1 ? 8 + NAME : 8;
	unsigned y = 24;

	if (!f || !f->n)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "there are no frames to draw: %s", t && t->empty_reason ? t->empty_reason : "none was looked for");
	if (!all)
		return err->code;
	open_picture(out, y + (unsigned)f->nrange * (TT_STRIP_HIGH + gap), name);
	for (size_t i = 0; i < sizeof figure / sizeof *figure; i++) {
		const struct tt_cell *c = tt_html_cell(t, 0, figure[i][1]);
		char text[TT_CELL_MAX];

		if (!c)
			continue;
		*tt_cell_fact(text, t->col[tt_html_column(t, figure[i][1])].unit, c) = '\0';
		tt_buf_printf(out, "%s%s", figure[i][0], text);
	}
	tt_buf_text(out, "</text>\n");
	for (size_t i = 0; i < f->nrange; i++, y += TT_STRIP_HIGH + gap) {
		if (f->nrange > 1)
			put_name(view->m, f->range[i].process, y + 12, out);
		tt_page_strip_picture(f, f->range[i].first, f->range[i].end, all, r, f->nrange > 1 ? y + NAME : y, out);
	}
	return TT_OK;
}

/* --- the call tree ---------------------------------------------------------------------- */

/* The colour of a name; equal names have equal colours. */
static const char *
color(const char *name)
{
	static const char *const of[] = { "#9ec5f4", "#f3c98b", "#a8dba0", "#d6b8f0", "#f2b0b0", "#8fd6d2", "#d9d38a", "#c9ced6" };
	uint32_t h = 7;

	for (; *name; name++)
		h = h * 31 + (uint8_t)*name;
	return of[h >> 3 & 7];
}

/* Write as much of ${name} as fits into ${width} hundredths of a unit; nothing if hardly any of it fits. */
static void
put_part(struct tt_buf *out, const char *name, uint64_t width)
{
	size_t letters = (size_t)(width / (LETTER * 10)), n = 0, at = 0, rest = strlen(name);
	char part[4 * WIDTH];

	/* The ellipsis takes the width of two letters. */
	letters -= rest > letters && letters > 1 ? 2 : 0;
	for (; name[at] && n < letters && at < sizeof part - 8; n++)
		for (at++; ((uint8_t)name[at] & 0xc0) == 0x80 && at < sizeof part - 8;)
			at++;
	if (n < 3 && name[at])
		return;
	memcpy(part, name, at);
	part[at] = '\0';
	tt_html_text(out, part);
	if (name[at])
		tt_buf_text(out, "\xe2\x80\xa6");
}

static void
put_box(const struct tt_flame *f, const struct tt_flame_box *b, unsigned y, struct tt_buf *out)
{
	uint64_t x = (uint64_t)((tt_u128)b->from * WIDTH * 100 / (tt_u128)f->total);
	uint64_t end = (uint64_t)((tt_u128)(b->from + b->total) * WIDTH * 100 / (tt_u128)f->total);
	char from[40], width[40], time[40], share[40], at[40];

	*tt_put_fixed(from, (int64_t)x, 2) = '\0';
	*tt_put_fixed(width, (int64_t)(end - x), 2) = '\0';
	*tt_put_fixed(at, (int64_t)x + 300, 2) = '\0';
	*tt_put_fixed(share, (int64_t)((tt_u128)b->total * 10000 / (tt_u128)f->total), 2) = '\0';
	*tt_put_time_short(time, b->total) = '\0';
	tt_buf_text(out, "<g><title>");
	tt_html_text(out, b->name);
	tt_buf_printf(out, ": %s, %s %%</title><rect x=\"%s\" y=\"%u\" width=\"%s\" height=\"%d\" fill=\"%s\" stroke=\"#fff\" stroke-width=\".5\"/>",
	    time, share, from, y, width, ROW - 1, color(b->name));
	tt_buf_printf(out, "<text x=\"%s\" y=\"%u\" font-size=\"11\" fill=\"#1b1f24\">", at, y + 12);
	put_part(out, b->name, end - x > 300 ? end - x - 300 : 0);
	tt_buf_text(out, "</text></g>\n");
}

static int
flame(struct tt_views *view, const char *name, struct tt_buf *out, struct tt_err *err)
{
	struct tt_flame f;
	int rc = tt_flame_init(&f, view, BOXES, err);
	char time[40];

	if (rc == TT_OK && f.total == 0)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "there are no calls to draw: no zones with time");
	if (rc == TT_OK) {
		open_picture(out, 24 + ((f.deepest < DEEP ? f.deepest : DEEP) + 1) * ROW + 4, name);
		*tt_put_time_short(time, f.total) = '\0';
		tt_buf_printf(out, ": %s in zones of all threads</text>\n", time);
		for (size_t i = 0; i < f.n; i++)
			if (f.box[i].depth <= DEEP && f.box[i].total >= f.total / NARROW)
				put_box(&f, &f.box[i], 24 + f.box[i].depth * ROW, out);
	}
	tt_flame_free(&f);
	return rc;
}

int
tt_page_picture(enum tt_picture what, const struct tt_report *r, struct tt_views *view, const char *name, struct tt_buf *out, struct tt_err *err)
{
	int rc = tt_report_error(r, err);

	TT_THEN(rc, what == TT_PICTURE_FRAMES ? frames(r, view, name, out, err) : flame(view, name, out, err));
	tt_buf_text(out, "</svg>\n");
	return rc == TT_OK ? tt_buf_error(out, err) : rc;
}

/**
 * Reports for people at a terminal: aligned columns, one unit per column.
 *
 *	Threads
 *	  thread      calls     busy ms
 *	  Main      123,456   1,234.567
 *	  … 12 more (--limit 0 shows all)
 *
 * Columns without a single value are left out. Where a width is given, long text is cut with an ellipsis, and
 * if that is not enough, columns are left out from the right and named under the table. Without a width
 * (a pipe, a file) nothing is cut.
 */
#include <string.h>

#include "base/utf8.h"
#include "out/render.h"

#define INDENT 2
#define GAP 2
#define TEXT_MIN 24           /* text columns are not cut below this */
#define PAD_MAX 120           /* a name longer than this breaks the alignment of its own row only */
#define TREE_STEP 2

/* --- how wide text is --------------------------------------------------- */

/* Columns of a character: 0 for marks that join the one before, 2 for East Asian wide ones and emoji. */
static unsigned
char_width(uint32_t c)
{
	static const struct { uint32_t first, last; unsigned width; } range[] = {
		{ 0x0300, 0x036f, 0 }, { 0x0483, 0x0489, 0 }, { 0x0591, 0x05bd, 0 }, { 0x064b, 0x065f, 0 },
		{ 0x0e34, 0x0e3a, 0 }, { 0x1100, 0x115f, 2 }, { 0x1ab0, 0x1aff, 0 }, { 0x1dc0, 0x1dff, 0 },
		{ 0x200b, 0x200f, 0 }, { 0x202a, 0x202e, 0 }, { 0x2060, 0x2064, 0 }, { 0x20d0, 0x20ff, 0 },
		{ 0x2e80, 0x303e, 2 }, { 0x3041, 0x33ff, 2 }, { 0x3400, 0x4dbf, 2 }, { 0x4e00, 0x9fff, 2 },
		{ 0xa000, 0xa4cf, 2 }, { 0xac00, 0xd7a3, 2 }, { 0xf900, 0xfaff, 2 }, { 0xfe00, 0xfe0f, 0 },
		{ 0xfe20, 0xfe2f, 0 }, { 0xfe30, 0xfe6f, 2 }, { 0xfeff, 0xfeff, 0 }, { 0xff00, 0xff60, 2 },
		{ 0xffe0, 0xffe6, 2 }, { 0x1f300, 0x1f64f, 2 }, { 0x1f900, 0x1f9ff, 2 }, { 0x20000, 0x3fffd, 2 },
	};

	if (c < 0x300)
		return 1;
	for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
		if (c <= range[i].last)
			return c < range[i].first ? 1 : range[i].width;
	}
	return 1;
}

/*
 * One character of text from outside: its bytes, length and width. What a terminal would obey (controls,
 * direction overrides) and what is not UTF-8 is shown as '?'.
 */
struct glyph { const char *s; size_t len, take; unsigned width; };

static struct glyph
glyph_at(const char *s, size_t n)
{
	size_t len = tt_utf8_len(s, n);
	uint32_t c = len ? tt_utf8_code(s, len) : 0;

	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
		return (struct glyph){ "?", 1, len ? len : 1, 1 };
	return (struct glyph){ s, len, len, char_width(c) };
}

static size_t
text_width(const char *s)
{
	size_t width = 0, n = strlen(s);

	while (n > 0) {
		struct glyph g = glyph_at(s, n);

		width += g.width;
		s += g.take;
		n -= g.take;
	}
	return width;
}

/* --- writing ------------------------------------------------------------ */

struct writer {
	const struct tt_render_opts *o;
	struct tt_buf *out;
	struct tt_err *err;
	int rc;               /* the first failure; writing goes on as a no-op */
};

static void
put_n(struct writer *w, const char *s, size_t n)
{
	if (w->rc == TT_OK)
		w->rc = tt_buf_add(w->out, s, n, w->err);
}

static void
put(struct writer *w, const char *s)
{
	put_n(w, s, strlen(s));
}

static void
spaces(struct writer *w, size_t n)
{
	static const char blank[] = "                                ";

	for (; n > sizeof blank - 1; n -= sizeof blank - 1)
		put_n(w, blank, sizeof blank - 1);
	put_n(w, blank, n);
}

/* Write ${s} in at most ${max} columns (0: all of it), the last one an ellipsis if it is cut; returns the columns used. */
static size_t
put_clean(struct writer *w, const char *s, size_t max)
{
	size_t used = 0, n = strlen(s);
	bool cut = max && text_width(s) > max;

	while (n > 0) {
		struct glyph g = glyph_at(s, n);

		if (cut && used + g.width > max - 1)
			break;
		put_n(w, g.s, g.len);
		used += g.width;
		s += g.take;
		n -= g.take;
	}
	if (!cut)
		return used;
	put(w, "…");
	return used + 1;
}

static void
style(struct writer *w, const char *code)
{
	if (w->o->color)
		put(w, code);
}

static const char bold[] = "\033[1m", dim[] = "\033[2m", red[] = "\033[31m", plain[] = "\033[0m";

/* A line of its own in ${code}. */
static void
line(struct writer *w, const char *code, size_t indent, const char *s)
{
	spaces(w, indent);
	style(w, code);
	put_clean(w, s, 0);
	style(w, plain);
	put(w, "\n");
}

static void
count_line(struct writer *w, const char *before, size_t n, const char *behind)
{
	char text[96], *p = text;

	memcpy(p, before, strlen(before));
	p = tt_put_count(p + strlen(before), (int64_t)n);
	memcpy(p, behind, strlen(behind) + 1);
	line(w, dim, INDENT, text);
}

/* --- tables ------------------------------------------------------------- */

/* How one column is set. */
struct column {
	size_t width;         /* of heading and cells */
	bool micro;
	bool hidden;          /* not shown: no values, or the depth of a tree */
	bool cut;             /* not shown: no room */
};

struct grid {
	const struct tt_table *t;
	struct column *col;   /* in the caller's memory, ncol of them */
};

static size_t
tree_indent(const struct tt_table *t, size_t row, size_t col)
{
	return t->tree && col == 0 ? (size_t)tt_table_cell(t, row, 1)->v * TREE_STEP : 0;
}

static size_t
cell_width(const struct grid *g, size_t row, size_t col)
{
	const struct tt_cell *c = tt_table_cell(g->t, row, col);
	enum tt_unit unit = g->t->col[col].unit;
	char number[TT_CELL_MAX];

	if (unit == TT_UNIT_TEXT && !c->empty)
		return tree_indent(g->t, row, col) + text_width(c->s);
	*tt_cell_human(number, unit, g->col[col].micro, c) = '\0';
	return text_width(number);
}

static void
measure(struct grid *g, size_t col)
{
	const struct tt_col *c = &g->t->col[col];
	struct column *set = &g->col[col];

	set->micro = tt_column_micro(g->t, col);
	set->width = text_width(c->title) + text_width(tt_column_suffix(c->unit, set->micro));
	for (size_t row = 0; row < g->t->nrow; row++) {
		size_t width = cell_width(g, row, col);

		if (c->unit == TT_UNIT_TEXT && width > PAD_MAX)
			width = PAD_MAX;
		if (width > set->width)
			set->width = width;
	}
}

static bool
is_shown(const struct grid *g, size_t col)
{
	return !g->col[col].hidden && !g->col[col].cut;
}

static size_t
grid_width(const struct grid *g)
{
	size_t width = INDENT, shown = 0;

	for (size_t col = 0; col < g->t->ncol; col++) {
		if (!is_shown(g, col))
			continue;
		width += g->col[col].width;
		shown++;
	}
	return width + (shown ? shown - 1 : 0) * GAP;
}

/* The widest text column that may be cut further, or ncol. */
static size_t
widest_text(const struct grid *g)
{
	size_t best = g->t->ncol;

	for (size_t col = 0; col < g->t->ncol; col++) {
		if (g->t->col[col].unit != TT_UNIT_TEXT || !is_shown(g, col) || g->col[col].width <= TEXT_MIN)
			continue;
		if (best == g->t->ncol || g->col[col].width > g->col[best].width)
			best = col;
	}
	return best;
}

/* Make the grid fit into ${max} columns: cut text, then leave out columns from the right, but never the first two. */
static void
fit(struct grid *g, size_t max)
{
	size_t last = g->t->ncol;

	while (grid_width(g) > max) {
		size_t col = widest_text(g), over = grid_width(g) - max;

		if (col < g->t->ncol) {
			size_t spare = g->col[col].width - TEXT_MIN;

			/* One column at a time, so that two long ones share what has to go. */
			g->col[col].width -= spare < over ? (spare + 7) / 8 : (over + 7) / 8;
			continue;
		}
		if (last <= 2)
			return;
		g->col[--last].cut = true;
	}
}

static void
put_cell(struct writer *w, const struct grid *g, size_t row, size_t col, bool last)
{
	const struct tt_cell *c = tt_table_cell(g->t, row, col);
	enum tt_unit unit = g->t->col[col].unit;
	size_t width = g->col[col].width, used;
	char number[TT_CELL_MAX], *end;

	if (unit == TT_UNIT_TEXT && !c->empty) {
		size_t indent = tree_indent(g->t, row, col);

		if (w->o->width && indent > width / 2)
			indent = width / 2;
		spaces(w, indent);
		used = indent + put_clean(w, c->s, w->o->width ? width - indent : 0);
		if (!last && used < width)
			spaces(w, width - used);
		return;
	}
	end = tt_cell_human(number, unit, g->col[col].micro, c);
	*end = '\0';
	used = text_width(number);
	if (tt_unit_right(unit))
		spaces(w, width - used);
	put_n(w, number, (size_t)(end - number));
	if (!tt_unit_right(unit) && !last)
		spaces(w, width - used);
}

static void
put_heading(struct writer *w, const struct grid *g, size_t col, bool last)
{
	const struct tt_col *c = &g->t->col[col];
	const char *suffix = tt_column_suffix(c->unit, g->col[col].micro);
	size_t used = text_width(c->title) + text_width(suffix), pad = g->col[col].width - used;

	if (g->col[col].width < used)
		pad = 0;
	if (tt_unit_right(c->unit))
		spaces(w, pad);
	put(w, c->title);
	put(w, suffix);
	if (!tt_unit_right(c->unit) && !last)
		spaces(w, pad);
}

static size_t
last_shown(const struct grid *g)
{
	size_t last = g->t->ncol - 1;

	while (last > 0 && !is_shown(g, last))
		last--;
	return last;
}

static void
put_grid(struct writer *w, const struct grid *g)
{
	size_t last = last_shown(g);

	spaces(w, INDENT);
	style(w, bold);
	for (size_t col = 0; col <= last; col++) {
		if (!is_shown(g, col))
			continue;
		put_heading(w, g, col, col == last);
		spaces(w, col < last ? GAP : 0);
	}
	style(w, plain);
	put(w, "\n");
	for (size_t row = 0; row < g->t->nrow && w->rc == TT_OK; row++) {
		spaces(w, INDENT);
		for (size_t col = 0; col <= last; col++) {
			if (!is_shown(g, col))
				continue;
			put_cell(w, g, row, col, col == last);
			spaces(w, col < last ? GAP : 0);
		}
		put(w, "\n");
	}
}

/* Name the columns that did not fit. */
static void
put_cut_columns(struct writer *w, const struct grid *g)
{
	bool any = false;

	for (size_t col = 0; col < g->t->ncol; col++) {
		if (!g->col[col].cut || g->col[col].hidden)
			continue;
		if (!any) {
			spaces(w, INDENT);
			style(w, dim);
		}
		put(w, any ? ", " : "not shown, the terminal is too narrow: ");
		put(w, g->t->col[col].title);
		any = true;
	}
	if (any) {
		style(w, plain);
		put(w, "\n");
	}
}

static int
put_table(struct writer *w, const struct tt_table *t, struct tt_mem *mem)
{
	struct grid g = { .t = t };

	g.col = tt_mem_alloc(mem, t->ncol * sizeof *g.col, w->err);
	if (!g.col)
		return w->err ? w->err->code : TT_E_NOMEM;
	for (size_t col = 0; col < t->ncol; col++) {
		measure(&g, col);
		g.col[col].hidden = (t->tree && col == 1) || tt_column_empty(t, col);
	}
	if (w->o->width)
		fit(&g, w->o->width);
	put_grid(w, &g);
	put_cut_columns(w, &g);
	tt_mem_free(mem, g.col, t->ncol * sizeof *g.col);
	return w->rc;
}

/* --- facts -------------------------------------------------------------- */

static void
fact_text(struct writer *w, const struct tt_table *t, size_t row, size_t col, size_t width)
{
	const struct tt_cell *c = tt_table_cell(t, row, col);
	enum tt_unit unit = t->col[col].unit;
	char number[TT_CELL_MAX];
	size_t used;

	if (unit == TT_UNIT_TEXT && !c->empty) {
		used = put_clean(w, c->s, 0);
		if (width && used < width)
			spaces(w, width - used);
		return;
	}
	*tt_cell_fact(number, unit, c) = '\0';
	used = text_width(number);
	if (width > used)
		spaces(w, width - used);
	put(w, number);
}

/* The width of the values of ${row}. */
static size_t
fact_width(const struct tt_table *t, size_t row)
{
	size_t most = 0;

	for (size_t col = 0; col < t->ncol; col++) {
		const struct tt_cell *c = tt_table_cell(t, row, col);
		char number[TT_CELL_MAX];
		size_t width;

		*tt_cell_fact(number, t->col[col].unit, c) = '\0';
		width = t->col[col].unit == TT_UNIT_TEXT && !c->empty ? text_width(c->s) : text_width(number);
		if (width > most)
			most = width < PAD_MAX / 2 ? width : PAD_MAX / 2;
	}
	return most;
}

/* One line per column: its title, then the value of each row; what no row has is left out. */
static int
put_facts(struct writer *w, const struct tt_table *t)
{
	size_t titles = 0;

	for (size_t col = 0; col < t->ncol; col++) {
		if (!tt_column_empty(t, col) && text_width(t->col[col].title) > titles)
			titles = text_width(t->col[col].title);
	}
	for (size_t col = 0; col < t->ncol && w->rc == TT_OK; col++) {
		if (tt_column_empty(t, col))
			continue;
		spaces(w, INDENT);
		style(w, bold);
		put(w, t->col[col].title);
		style(w, plain);
		spaces(w, titles - text_width(t->col[col].title));
		for (size_t row = 0; row < t->nrow; row++) {
			spaces(w, GAP);
			fact_text(w, t, row, col, t->nrow > 1 ? fact_width(t, row) : 0);
		}
		put(w, "\n");
	}
	return w->rc;
}

/* --- the report --------------------------------------------------------- */

static int
put_report_table(struct writer *w, const struct tt_table *t, struct tt_mem *mem)
{
	int rc = TT_OK;

	line(w, bold, 0, t->title);
	if (t->note)
		line(w, dim, INDENT, t->note);
	if (t->nrow == 0)
		line(w, dim, INDENT, t->empty_reason ? t->empty_reason : "(nothing)");
	else
		rc = t->facts ? put_facts(w, t) : put_table(w, t, mem);
	if (t->hidden)
		count_line(w, "… ", t->hidden, " more (--limit 0 shows all)");
	return rc;
}

static void
put_note(struct writer *w, const struct tt_note *n)
{
	bool bad = strcmp(n->severity, "loss") == 0 || strcmp(n->severity, "error") == 0;

	style(w, bad ? red : dim);
	put(w, n->severity);
	put(w, ": ");
	put_clean(w, n->text, 0);
	style(w, plain);
	put(w, "\n");
}

int
tt_render_text(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out, struct tt_err *err)
{
	struct writer w = { .o = o, .out = out, .err = err };

	for (const struct tt_table *t = r->first; t && w.rc == TT_OK; t = t->next) {
		int rc;

		if (t != r->first)
			put(&w, "\n");
		rc = put_report_table(&w, t, r->mem);
		if (rc != TT_OK)
			return rc;
	}
	if (r->note && r->first)
		put(&w, "\n");
	for (const struct tt_note *n = r->note; n; n = n->next)
		put_note(&w, n);
	return w.rc;
}

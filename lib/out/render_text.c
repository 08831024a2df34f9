/**
 * Reports for people at a terminal: aligned columns, a unit with each time and size.
 *
 *	Threads
 *	  thread      calls     busy
 *	  Main      123,456  1.235 s
 *	  Job 1          12  3.120 ms
 *	  … 12 more (--limit 0 shows all)
 *
 * Columns without a single value are left out. If a width is given, long names, lists and sentences go on in the next line, and if that is not enough,
 * columns are left out from the right and named under the table; names of a tree, whose lines are its shape, lose their middle, and so do paths of more than
 * NAME_LINES lines. Without a width (a pipe, a file) nothing is cut.
 */
#include <stdio.h>
#include <string.h>

#include "base/setting.h"
#include "out/glyph.h"
#include "out/render.h"

#define INDENT 2
#define GAP 2
#define TEXT_MIN 24           /* names are not cut below this, nor below a quarter of the line */
#define NAME_MIN 10           /* names are cut down to this only if nothing else can be left out */
#define NAME_LINES 12         /* a longer name, which is a path, loses its middle */
#define SHORT_LINES 3         /* a longer name is a path and gets half of the line */
#define PROSE_MIN 16          /* wrapped text is not made narrower than this */
#define PAD_MAX 120           /* a name longer than this breaks the alignment of its own row only */
#define TREE_STEP 2
#define INDENT_MIN 8          /* columns for the indent of a tree, however narrow the terminal */

/* --- writing ------------------------------------------------------------ */

struct writer {
	const struct tt_render_opts *o;
	struct tt_buf *out;
};

static void
put_n(struct writer *w, const char *s, size_t n)
{
	tt_buf_add(w->out, s, n);
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

/* Write the ${n} bytes of text at ${s}; returns the columns used. */
static size_t
put_text(struct writer *w, const char *s, size_t n)
{
	size_t used = 0;

	while (n > 0) {
		struct tt_glyph g = tt_glyph_at(s, n);

		put_n(w, g.s, g.len);
		used += g.width;
		s += g.take;
		n -= g.take;
	}
	return used;
}

/*
 * Write the ${n} bytes at ${s} in at most ${max} columns (0: any number). A text that is too long loses its middle, as names of a namespace begin alike, and
 * overloads end alike.
 */
static size_t
put_cut(struct writer *w, const char *s, size_t n, size_t max)
{
	size_t width = tt_text_width_n(s, n), head, head_width, skip, skip_width;

	if (!max || width <= max)
		return put_text(w, s, n);
	head = tt_text_head(s, n, (max - 1) / 3, &head_width);
	skip = tt_text_head(s + head, n - head, width - max, &skip_width);
	/* The ellipsis takes one column, and a wide character is cut whole. */
	while (skip_width < width - max + 1) {
		struct tt_glyph g = tt_glyph_at(s + head + skip, n - head - skip);

		skip += g.take;
		skip_width += g.width;
	}
	put_text(w, s, head);
	put(w, "…");
	return head_width + 1 + put_text(w, s + head + skip, n - head - skip);
}

/* Write ${s} in lines of the report's width, each after the first indented by ${indent}; ${at} columns of the first line are used already. */
static void
put_wrapped(struct writer *w, size_t indent, size_t at, const char *s)
{
	size_t max = w->o->width;

	if (!max) {
		put_text(w, s, strlen(s));
		return;
	}
	/* On a narrower terminal, lines are too long rather than a word each. */
	max = max < indent + PROSE_MIN ? PROSE_MIN : max - indent;
	at = at > indent ? at - indent : 0;
	while (s) {
		const char *rest;
		size_t n = tt_text_line(s, max > at ? max - at : 1, &rest);

		put_text(w, s, n);
		if (rest) {
			put(w, "\n");
			spaces(w, indent);
		}
		at = 0;
		s = rest;
	}
}

static void
style(struct writer *w, const char *code)
{
	if (w->o->color)
		put(w, code);
}

static const char bold[] = "\033[1m", dim[] = "\033[2m", red[] = "\033[31m", plain[] = "\033[0m";

/* Write a paragraph in the style ${code}. */
static void
line(struct writer *w, const char *code, size_t indent, const char *s)
{
	spaces(w, indent);
	style(w, code);
	put_wrapped(w, indent, indent, s);
	style(w, plain);
	put(w, "\n");
}

static void
hidden_line(struct writer *w, size_t n)
{
	char text[96], count[32];

	*tt_put_count(count, (int64_t)n) = '\0';
	snprintf(text, sizeof text, "… %s more (%s shows all)", count, w->o->all ? w->o->all : tt_setting_name[TT_SETTING_ALL_ROWS]);
	line(w, dim, INDENT, text);
}

/* --- tables ------------------------------------------------------------- */

/* The layout of a column. */
struct column {
	size_t width;         /* width of heading and cells */
	size_t least;         /* minimum width of text */
	bool hidden;          /* true: not shown, as it has no values or is the depth of a tree */
	bool cut;             /* true: not shown for lack of room */
	const char *rest;     /* the part of a wrapped cell that is still to be printed */
	const char *tail;     /* the part of an overlong path after its omitted middle; NULL: nothing is omitted */
	bool after_gap;       /* true: the next line is the first of the tail */
};

struct grid {
	const struct tt_table *t;
	struct column *col;   /* by column */
	size_t step;          /* columns of indent per level of a tree */
	size_t stays;         /* column that is kept longest beside the first: the one with the longest sentences, or the second */
	size_t deepest;       /* maximum indent of a row of a tree; deeper rows begin with their depth as a number */
};

/* Return the indent of row ${row} of a tree. */
static size_t
tree_indent(const struct grid *g, size_t row)
{
	size_t indent = g->t->tree ? (size_t)tt_table_cell(g->t, row, 1)->v * g->step : 0;

	return indent < g->deepest ? indent : g->deepest;
}

/* Write "57: " to ${text} for the row of a tree that is too deep to be indented, else "". Return its length. */
static size_t
tree_depth(const struct grid *g, size_t row, char *text)
{
	int64_t depth = g->t->tree ? tt_table_cell(g->t, row, 1)->v : 0;
	char *p = text;

	if ((size_t)depth * g->step > g->deepest) {
		p = tt_put_count(p, depth);
		memcpy(p, ": ", 2);
		p += 2;
	}
	return (size_t)(p - text);
}

static size_t
cell_width(const struct grid *g, size_t row, size_t col)
{
	const struct tt_cell *c = tt_table_cell(g->t, row, col);
	enum tt_unit unit = g->t->col[col].unit;
	char number[TT_CELL_MAX];

	if (tt_unit_is_text(unit) && !c->empty) {
		size_t width = tt_text_width(c->s);

		width = width < PAD_MAX ? width : PAD_MAX;
		return col > 0 ? width : tree_indent(g, row) + tree_depth(g, row, number) + width;
	}
	*tt_cell_human(number, unit, c) = '\0';
	return tt_text_width(number);
}

static size_t
heading_width(const struct tt_col *c)
{
	return tt_text_width(c->title) + tt_text_width(tt_column_suffix(c->unit));
}

/* Make the column wide enough for its cells. */
static void
widen(struct grid *g, size_t col)
{
	struct column *set = &g->col[col];

	for (size_t row = 0; row < g->t->nrow; row++) {
		size_t width = cell_width(g, row, col);

		if (width > set->width)
			set->width = width;
	}
}

/* Set the width that the heading and all cells of the column fit in. */
static void
measure_width(struct grid *g, size_t col)
{
	g->col[col].width = heading_width(&g->t->col[col]);
	widen(g, col);
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

/* Return the widest text column that can be cut further, or ncol. */
static size_t
widest_text(const struct grid *g)
{
	size_t best = g->t->ncol;

	for (size_t col = 0; col < g->t->ncol; col++) {
		if (!tt_unit_is_text(g->t->col[col].unit) || !is_shown(g, col) || g->col[col].width <= g->col[col].least)
			continue;
		if (best == g->t->ncol || g->col[col].width > g->col[best].width)
			best = col;
	}
	return best;
}

/*
 * Leave room for the names of a tree beside their indent in ${max} columns: limit the indent to half of the width, then narrow its step, and if that is not
 * enough, show the depth as a number.
 */
static void
fit_tree(struct grid *g, size_t max)
{
	size_t deep = 0, room = max / 2;

	for (size_t row = 0; row < g->t->nrow; row++) {
		size_t depth = (size_t)tt_table_cell(g->t, row, 1)->v;

		if (depth > deep)
			deep = depth;
	}
	room = room > TEXT_MIN + INDENT_MIN ? room : TEXT_MIN + INDENT_MIN;
	if (deep * g->step + TEXT_MIN > room)
		g->step = 1;
	if (deep * g->step + TEXT_MIN > room)
		g->deepest = room - TEXT_MIN;
	g->col[0].least = (deep * g->step < g->deepest ? deep * g->step : g->deepest) + TEXT_MIN;
	measure_width(g, 0);
}

/* Lower the minimum width of names when two columns are left. False: it was lowered already. */
static bool
cut_more(struct grid *g)
{
	bool less = false;

	for (size_t col = 0; col < g->t->ncol; col++) {
		size_t heading = heading_width(&g->t->col[col]), least = heading > NAME_MIN ? heading : NAME_MIN;

		if ((col == 0 && g->t->tree) || g->t->col[col].unit == TT_UNIT_COMMAND)
			continue;             /* the names of a tree include their indent */
		less |= is_shown(g, col) && g->col[col].least > least;
		g->col[col].least = g->col[col].least > least ? least : g->col[col].least;
	}
	return less;
}

/*
 * Return the column to leave out next, or ncol: the last one that is shown and not prose or, with ${prose}, the last one of sentences. The first column, the
 * answer and g->stays are never left out.
 */
static size_t
least_needed(const struct grid *g, bool prose)
{
	for (size_t col = g->t->ncol; col-- > 1;)
		if (is_shown(g, col) && col != g->t->answer && col != g->stays && (g->t->col[col].unit == TT_UNIT_PROSE) == prose)
			return col;
	return g->t->ncol;
}

/* Allow sentences to become narrower than half of the line. False: this was allowed already. */
static bool
narrow_prose(struct grid *g)
{
	bool less = false;

	for (size_t col = 0; col < g->t->ncol; col++) {
		size_t heading = heading_width(&g->t->col[col]), least = heading > PROSE_MIN ? heading : PROSE_MIN;

		if (g->t->col[col].unit != TT_UNIT_PROSE)
			continue;
		less |= is_shown(g, col) && g->col[col].least > least;
		g->col[col].least = g->col[col].least > least ? least : g->col[col].least;
	}
	return less;
}

/*
 * Return the minimum width of the sentences of column ${which} in ${max} columns: half of the line for the longest sentences, if there is no command, which
 * is never cut; other sentences are not cut if they are no wider than a name.
 */
static size_t
prose_least(const struct grid *g, size_t which, size_t max)
{
	const size_t width = g->col[which].width, name = max / 4 > TEXT_MIN ? max / 4 : TEXT_MIN;

	for (size_t col = 0; col < g->t->ncol; col++) {
		const enum tt_unit unit = g->t->col[col].unit;

		if (is_shown(g, col) && unit == TT_UNIT_COMMAND)
			return PROSE_MIN;
		if (is_shown(g, col) && unit == TT_UNIT_PROSE && g->col[col].width > width)
			return width <= name ? width : PROSE_MIN;
	}
	return max / 2 > PROSE_MIN ? max / 2 : PROSE_MIN;
}

/*
 * Make the grid fit into ${max} columns: cut text; leave out columns from the right, and those of sentences, which explain the others, last; then cut the
 * first two further.
 */
static void
fit(struct grid *g, size_t max)
{
	for (size_t col = 0; col < g->t->ncol; col++) {
		bool prose = g->t->col[col].unit == TT_UNIT_PROSE;
		size_t heading = heading_width(&g->t->col[col]), name = max / 4 > TEXT_MIN ? max / 4 : TEXT_MIN;
		size_t least = prose ? prose_least(g, col, max) : name;

		/* Paths have half of the line. */
		if (col == 0 && !prose && !g->t->tree && g->col[col].width > SHORT_LINES * name)
			least = max / 2 > name ? max / 2 : name;
		g->col[col].least = heading > least ? heading : least;
		if (g->t->col[col].unit == TT_UNIT_COMMAND)
			g->col[col].least = g->col[col].width;
	}
	if (g->t->tree)
		fit_tree(g, max);
	while (grid_width(g) > max) {
		size_t col = widest_text(g), over = grid_width(g) - max;

		if (col < g->t->ncol) {
			size_t spare = g->col[col].width - g->col[col].least;

			/* Narrow one column at a time, so that two long columns share the loss. */
			g->col[col].width -= spare < over ? (spare + 7) / 8 : (over + 7) / 8;
			continue;
		}
		if ((col = least_needed(g, false)) < g->t->ncol)
			g->col[col].cut = true;
		else if (narrow_prose(g))
			continue;
		else if ((col = least_needed(g, true)) < g->t->ncol)
			g->col[col].cut = true;
		else if (!cut_more(g))
			return;
	}
}

/* True if ${s}[-1] ends a part of a name or path. */
static bool
ends_part(const char *s)
{
	return strchr(".:!/\\", s[-1]) && !strchr(".:!/\\", *s);
}

/* True if a word of "CamelCase" or "snake_case" begins at ${s}. */
static bool
begins_word(const char *s)
{
	return (*s >= 'A' && *s <= 'Z' && s[-1] >= 'a' && s[-1] <= 'z') || (s[-1] == '_' && *s != '_');
}

/*
 * Return how many of the first ${n} bytes of a longer word fit a line without breaking a part of a name or path; if a part is too long, without breaking a
 * word in it.
 */
static size_t
break_of_word(const char *s, size_t n)
{
	for (size_t i = n; i > n / 4; i--)
		if (ends_part(s + i))
			return i;
	for (size_t i = n; i > n / 2; i--)
		if (begins_word(s + i))
			return i;
	return n;
}

/* Return the number of bytes of ${s} that go into a line of ${max} columns; *${rest}: the rest, or NULL. A longer word is broken, so that nothing is lost. */
static size_t
line_of_cell(const char *s, size_t max, const char **rest)
{
	const size_t fits = tt_text_fit(s, max);

	if (fits == 0 || !s[fits] || memchr(s, ' ', fits + 1))
		return tt_text_line(s, max, rest);
	const size_t n = break_of_word(s, fits);
	*rest = s + n;
	return n;
}

/* True if long texts of the column continue on the next line. */
static bool
can_wrap(const struct writer *w, const struct grid *g, size_t col)
{
	return w->o->width && g->t->col[col].unit != TT_UNIT_COMMAND && !(col == 0 && g->t->tree);
}

static const char gap[] = "… ";
#define GAP_WIDTH 2

/* Return the number of lines of ${max} columns that a cell takes if its first line begins at column ${used}. */
static size_t
count_lines(const char *s, size_t max, size_t used)
{
	size_t n = 0;

	for (; s; n++, used = 0) {
		const char *rest;

		line_of_cell(s, max - used, &rest);
		s = rest;
	}
	return n;
}

/*
 * Return the first place from ${p} on whose rest fits the last lines of a cell of NAME_LINES lines; with ${parts}, only places where a part begins; the end
 * if there is no such place.
 */
static const char *
find_tail(const char *p, size_t max, bool parts)
{
	while (*p && ((((unsigned char)*p & 0xc0) == 0x80) || (parts && p[-1] != ' ' && !ends_part(p)) || count_lines(p, max, GAP_WIDTH) >= NAME_LINES))
		p++;
	return p;
}

/*
 * Return the tail of a name or path ${s} that would take more than NAME_LINES lines of ${max} columns, after its first line and the omitted middle; NULL: it
 * does not take more.
 */
static const char *
tail_of(const char *s, size_t max)
{
	const char *from, *tail;

	if (max <= NAME_MIN || count_lines(s, max, 0) <= NAME_LINES)
		return NULL;
	line_of_cell(s, max, &from);
	/* Skip what the last lines cannot hold. */
	const size_t n = strlen(from), width = tt_text_width_n(from, n), most = (NAME_LINES - 1) * max;
	size_t skipped;

	if (width > most)
		from += tt_text_head(from, n, width - most, &skipped);
	tail = find_tail(from, max, true);
	return *tail ? tail : find_tail(from, max, false);
}

/* Write the text of a cell, or its next line; return the columns used. */
static size_t
put_text_cell(struct writer *w, const struct grid *g, size_t row, size_t col)
{
	struct column *set = &g->col[col];
	const char *s = set->rest, *rest = NULL;
	size_t used = 0;

	if (col == 0) {
		char depth[TT_CELL_MAX];
		size_t digits = tree_depth(g, row, depth);

		used = tree_indent(g, row);
		spaces(w, used);
		put_n(w, depth, digits);
		used += digits;
	}
	if (set->after_gap)
		used += put_text(w, gap, sizeof gap - 1);
	const size_t n = can_wrap(w, g, col) ? line_of_cell(s, set->width - used, &rest) : strlen(s);
	used += put_cut(w, s, n, w->o->width && g->t->col[col].unit != TT_UNIT_COMMAND ? set->width - used : 0);
	set->after_gap = set->tail != NULL;
	set->rest = set->tail ? set->tail : rest;
	set->tail = NULL;
	return used;
}

/* Write a cell, numbers aligned to the right; return the columns used. */
static size_t
put_cell(struct writer *w, const struct grid *g, size_t row, size_t col)
{
	enum tt_unit unit = g->t->col[col].unit;
	size_t used, left = 0;
	char number[TT_CELL_MAX];

	if (g->col[col].rest)
		return put_text_cell(w, g, row, col);
	*tt_cell_human(number, unit, tt_table_cell(g->t, row, col)) = '\0';
	used = tt_text_width(number);
	if (tt_unit_right(unit))
		left = g->col[col].width - used;
	spaces(w, left);
	put(w, number);
	return left + used;
}

static void
put_heading(struct writer *w, const struct grid *g, size_t col, bool last)
{
	const struct tt_col *c = &g->t->col[col];
	size_t pad = g->col[col].width - heading_width(c);

	if (tt_unit_right(c->unit))
		spaces(w, pad);
	put_text(w, c->title, strlen(c->title));
	put(w, tt_column_suffix(c->unit));
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

/* Prepare the text of a cell for printing. */
static void
begin_cell(const struct writer *w, const struct grid *g, size_t row, size_t col)
{
	const struct tt_cell *c = tt_table_cell(g->t, row, col);
	const enum tt_unit unit = g->t->col[col].unit;
	struct column *set = &g->col[col];

	set->rest = tt_unit_is_text(unit) && !c->empty ? c->s : NULL;
	set->tail = set->rest && is_shown(g, col) && unit != TT_UNIT_PROSE && can_wrap(w, g, col) ? tail_of(set->rest, set->width) : NULL;
	set->after_gap = false;
}

/* Write a row: as many lines as its tallest wrapped cell needs. */
static void
put_row(struct writer *w, const struct grid *g, size_t row, size_t last)
{
	bool more = true;

	for (size_t col = 0; col <= last; col++)
		begin_cell(w, g, row, col);
	for (bool first = true; more; first = false) {
		size_t blank = INDENT;

		more = false;
		for (size_t col = 0; col <= last; col++) {
			if (!is_shown(g, col))
				continue;
			if (first || g->col[col].rest) {
				size_t used;

				spaces(w, blank);
				used = put_cell(w, g, row, col);
				/* A name in a file may be wider than its column. */
				blank = used < g->col[col].width ? g->col[col].width - used : 0;
			} else {
				blank += g->col[col].width;
			}
			more |= g->col[col].rest != NULL;
			blank += GAP;
		}
		put(w, "\n");
	}
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
	tt_rows_first(g->t);
	do {
		for (size_t row = 0; row < g->t->nrow; row++) {
			put_row(w, g, row, last);
			tt_render_write_out(g->t, w->o, w->out);
		}
	} while (tt_rows_next(g->t));
}

/* Name the columns that did not fit, and say if levels are not indented. */
static void
put_left_out(struct writer *w, const struct grid *g)
{
	size_t at = INDENT;
	bool any = false;

	for (size_t col = 0; col < g->t->ncol; col++) {
		const char *before = any ? ", " : "no room for ", *title = g->t->col[col].title, *suffix = tt_column_suffix(g->t->col[col].unit);

		if (!g->col[col].cut || g->col[col].hidden)
			continue;
		if (!any) {
			spaces(w, INDENT);
			style(w, dim);
		} else if (at + heading_width(&g->t->col[col]) + 3 > w->o->width) {
			before = ",\n  ";
			at = 0;
		}
		put(w, before);
		put_text(w, title, strlen(title));
		put(w, suffix);
		at += tt_text_width(before) + heading_width(&g->t->col[col]);
		any = true;
	}
	if (any) {
		char all[64];

		snprintf(all, sizeof all, "(%s shows all)", w->o->all ? w->o->all : tt_setting_name[TT_SETTING_ALL_COLUMNS]);
		put(w, at + strlen(all) + 2 > w->o->width ? "\n  " : " ");
		put(w, all);
		style(w, plain);
		put(w, "\n");
	}
	if (g->deepest < SIZE_MAX)
		line(w, dim, INDENT, "a number before a name is its depth, where there is no room to indent it");
}

/* Return the column after the first with the longest sentences; without sentences the second column. */
static size_t
column_that_stays(const struct grid *g)
{
	size_t best = 1, width = 0;

	for (size_t col = 1; col < g->t->ncol; col++)
		if (g->t->col[col].unit == TT_UNIT_PROSE && is_shown(g, col) && g->col[col].width > width) {
			best = col;
			width = g->col[col].width;
		}
	return best;
}

/* True if any column is shown. */
static bool
has_values(const struct grid *g)
{
	for (size_t col = 0; col < g->t->ncol; col++)
		if (is_shown(g, col))
			return true;
	return false;
}

static void
put_table(struct writer *w, const struct tt_table *t)
{
	struct column column[TT_COLUMNS_MAX] = { { 0 } };
	struct grid g = { .t = t, .col = column, .step = TREE_STEP, .deepest = SIZE_MAX };

	for (size_t col = 0; col < t->ncol; col++) {
		measure_width(&g, col);
		g.col[col].hidden = (t->tree && col == 1) || tt_column_empty(t, col);
	}
	while (tt_rows_next(t))
		for (size_t col = 0; col < t->ncol; col++)
			widen(&g, col);
	if (!has_values(&g) && t->note)
		return;
	if (!has_values(&g)) {
		line(w, dim, INDENT, "(no value in any row)");
		return;
	}
	g.stays = column_that_stays(&g);
	if (w->o->width)
		fit(&g, w->o->width);
	put_grid(w, &g);
	put_left_out(w, &g);
}

/* --- facts -------------------------------------------------------------- */

/* Write a value ${at} columns from the left, padded to ${width}; 0: the value is the only one of its line and may wrap. */
static void
fact_text(struct writer *w, const struct tt_table *t, size_t row, size_t col, size_t at, size_t width)
{
	const struct tt_cell *c = tt_table_cell(t, row, col);
	enum tt_unit unit = t->col[col].unit;
	char number[TT_CELL_MAX];
	size_t used;

	if (tt_unit_is_text(unit) && !c->empty) {
		if (!width) {
			put_wrapped(w, at, at, c->s);
			return;
		}
		used = put_text(w, c->s, strlen(c->s));
		if (used < width && row + 1 < t->nrow)
			spaces(w, width - used);
		return;
	}
	*tt_cell_fact(number, unit, c) = '\0';
	used = tt_text_width(number);
	if (width > used)
		spaces(w, width - used);
	put(w, number);
}

/* Return the width of the values of ${row}. */
static size_t
fact_width(const struct tt_table *t, size_t row)
{
	size_t most = 0;

	for (size_t col = 0; col < t->ncol; col++) {
		const struct tt_cell *c = tt_table_cell(t, row, col);
		char number[TT_CELL_MAX];
		size_t width;

		*tt_cell_fact(number, t->col[col].unit, c) = '\0';
		width = tt_unit_is_text(t->col[col].unit) && !c->empty ? tt_text_width(c->s) : tt_text_width(number);
		if (width > most)
			most = width < PAD_MAX / 2 ? width : PAD_MAX / 2;
	}
	return most;
}

/* Write one line per column: its title, then the value of each row. Columns without values are left out. */
static void
put_facts(struct writer *w, const struct tt_table *t)
{
	size_t titles = 0;

	for (size_t col = 0; col < t->ncol; col++) {
		if (!tt_column_empty(t, col) && tt_text_width(t->col[col].title) > titles)
			titles = tt_text_width(t->col[col].title);
	}
	for (size_t col = 0; col < t->ncol; col++) {
		if (tt_column_empty(t, col))
			continue;
		spaces(w, INDENT);
		style(w, bold);
		put(w, t->col[col].title);
		style(w, plain);
		spaces(w, titles - tt_text_width(t->col[col].title));
		for (size_t row = 0; row < t->nrow; row++) {
			spaces(w, GAP);
			fact_text(w, t, row, col, INDENT + titles + GAP, t->nrow > 1 ? fact_width(t, row) : 0);
		}
		put(w, "\n");
	}
}

/* --- the report --------------------------------------------------------- */

static void
put_report_table(struct writer *w, const struct tt_table *t)
{
	line(w, bold, 0, t->title);
	if (t->note)
		line(w, dim, INDENT, t->note);
	if (t->nrow == 0)
		line(w, dim, INDENT, t->empty_reason ? t->empty_reason : "(nothing)");
	else if (t->facts)
		put_facts(w, t);
	else
		put_table(w, t);
	if (t->hidden)
		hidden_line(w, t->hidden);
}

static void
put_note(struct writer *w, const struct tt_note *n)
{
	bool bad = strcmp(n->severity, "loss") == 0 || strcmp(n->severity, "error") == 0;

	style(w, bad ? red : dim);
	put(w, n->severity);
	put(w, ": ");
	put_wrapped(w, INDENT, strlen(n->severity) + 2, n->text);
	style(w, plain);
	put(w, "\n");
}

void
tt_render_text(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out)
{
	struct writer w = { .o = o, .out = out };

	for (const struct tt_table *t = r->first; t; t = t->next) {
		if (t != r->first)
			put(&w, "\n");
		put_report_table(&w, t);
	}
	if (r->note && r->first)
		put(&w, "\n");
	for (const struct tt_note *n = r->note; n; n = n->next)
		put_note(&w, n);
}

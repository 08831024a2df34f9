/**
 * Writes pages of HTML with their style and scripts.
 */
#include "out/html.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "out/built.h"
#include "out/render.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* Return the entity for the ASCII character ${c}, or NULL if the character stands for itself. */
static const char *
entity(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	default: return NULL;
	}
}

void
tt_html_text(struct tt_buf *out, const char *s)
{
	for (size_t n = strlen(s), len; n > 0; s += len, n -= len) {
		const char *as = NULL;

		len = tt_utf8_len(s, n);
		if (len == 0) {
			as = REPLACEMENT;
			len = 1;
		} else if (tt_utf8_control(tt_utf8_code(s, len))) {
			as = REPLACEMENT;
		} else if (len == 1) {
			as = entity(*s);
		}
		if (as)
			tt_buf_text(out, as);
		else
			tt_buf_add(out, s, len);
	}
}

void
tt_html_address(struct tt_buf *out, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";

	for (; *s; s++) {
		if (strchr(plain, *s))
			tt_buf_add(out, s, 1);
		else
			tt_buf_printf(out, "%%%02X", (unsigned char)*s);
	}
}

void
tt_html_sentence(struct tt_buf *out, const char *s)
{
	size_t word = strspn(s, "abcdefghijklmnopqrstuvwxyz"), n = strlen(s);

	if (word > 0 && (s[word] == ' ' || s[word] == ',' || s[word] == ':')) {
		tt_buf_printf(out, "%c", s[0] - 'a' + 'A');
		s++;
	}
	tt_html_text(out, s);
	tt_buf_text(out, n > 0 && s[strlen(s) - 1] == '.' ? "" : ".");
}

/* Maximum number of scripts that follow page.js, in this order. */
enum { AFTER = 3 };
static const struct script { const char *text, *sha256; } script_of[][AFTER] = {
	[TT_HTML_ALONE] = { { NULL, NULL } },
	[TT_HTML_VIEW] = { { tt_built_view_js, tt_built_view_js_sha256 }, { tt_built_lines_js, tt_built_lines_js_sha256 },
	    { tt_built_ranges_js, tt_built_ranges_js_sha256 } },
	[TT_HTML_COMPARE] = { { tt_built_compare_js, tt_built_compare_js_sha256 } },
};

void
tt_html_open(struct tt_buf *out, const char *title, enum tt_html_script script)
{
	tt_buf_printf(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-%s'", tt_built_page_js_sha256);
	for (size_t i = 0; i < AFTER && script_of[script][i].text; i++)
		tt_buf_printf(out, " 'sha256-%s'", script_of[script][i].sha256);
	tt_buf_printf(out, "; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n<title>", tt_built_page_css_sha256);
	tt_html_text(out, title);
	tt_buf_text(out, "</title>\n<style>");
	tt_buf_text(out, tt_built_page_css);
	tt_buf_text(out, "</style>\n</head>\n<body>\n");
}

void
tt_html_close(struct tt_buf *out, enum tt_html_script script)
{
	tt_buf_text(out, "<script>");
	tt_buf_text(out, tt_built_page_js);
	for (size_t i = 0; i < AFTER && script_of[script][i].text; i++) {
		tt_buf_text(out, "</script>\n<script>");
		tt_buf_text(out, script_of[script][i].text);
	}
	tt_buf_text(out, "</script>\n</body>\n</html>\n");
}

void
tt_html_section(struct tt_buf *out, const char *id, const char *title)
{
	tt_buf_printf(out, "<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n", id, id, id, title);
}

/* --- tables -------------------------------------------------------------------------- */

const struct tt_table *
tt_html_find(const struct tt_report *r, const char *id)
{
	const struct tt_table *t = r->first;

	while (t && strcmp(t->id, id) != 0)
		t = t->next;
	return t;
}

size_t
tt_html_column(const struct tt_table *t, const char *id)
{
	for (size_t c = 0; c < t->ncol; c++)
		if (strcmp(t->col[c].id, id) == 0)
			return c;
	return SIZE_MAX;
}

const struct tt_cell *
tt_html_cell(const struct tt_table *t, size_t row, const char *id)
{
	size_t c = t ? tt_html_column(t, id) : SIZE_MAX;

	if (c == SIZE_MAX || row >= t->nrow || tt_table_cell(t, row, c)->empty)
		return NULL;
	return tt_table_cell(t, row, c);
}

int64_t
tt_html_value(const struct tt_table *t, size_t row, const char *id)
{
	const struct tt_cell *c = tt_html_cell(t, row, id);

	return c ? c->v : 0;
}

/* Append the attribute ${name} with the number in ${c} in its machine form. */
static void
put_machine(struct tt_buf *out, const char *name, enum tt_unit unit, const struct tt_cell *c)
{
	char number[TT_CELL_MAX];

	*tt_cell_machine(number, unit, c) = '\0';
	tt_buf_text(out, " ");
	tt_buf_text(out, name);
	tt_buf_text(out, "=\"");
	tt_buf_text(out, number);
	tt_buf_text(out, "\"");
}

/* True if the numbers of ${col} are numbers of frames, which options and the sentences of causes write without commas. */
static bool
names_frames(const struct tt_col *col)
{
	return col->unit == TT_UNIT_COUNT && (strcmp(col->id, "frame") == 0 || strcmp(col->id, "worst") == 0);
}

void
tt_html_prose(struct tt_buf *out, const char *s)
{
	static const char *const units[] = { "ns", "\xc2\xb5s", "ms", "s", "%", "B", "KB", "MB", "GB" };
	struct tt_buf text = { 0 };

	for (const char *p = s; *p; p++) {
		size_t n = 0;

		for (size_t i = 0; i < sizeof units / sizeof *units && p > s && *p == ' ' && p[-1] >= '0' && p[-1] <= '9' && !n; i++) {
			n = strlen(units[i]);
			n = strncmp(p + 1, units[i], n) == 0 && (p[1 + n] == '\0' || strchr(" ,;:.)", p[1 + n])) ? n : 0;
		}
		if (n)
			tt_buf_text(&text, "\xc2\xa0");
		else
			tt_buf_add(&text, p, 1);
	}
	tt_html_text(out, tt_buf_string(&text));
	if (text.failed)
		tt_buf_fail(out);
	tt_buf_free(&text);
}

/* Append a cell in its form for people. ${fact}: there is no heading with the unit, so the unit is added; times always have a unit and four digits. */
static void
put_human(struct tt_buf *out, enum tt_unit unit, const struct tt_cell *c, bool fact)
{
	char number[TT_CELL_MAX];

	if (tt_unit_is_text(unit) && !c->empty) {
		(unit == TT_UNIT_PROSE ? tt_html_prose : tt_html_text)(out, c->s);
		return;
	}
	*(fact && unit != TT_UNIT_NS ? tt_cell_fact(number, unit, c) : tt_cell_human(number, unit, c)) = '\0';
	tt_buf_text(out, number);
}

void
tt_html_figure(struct tt_buf *out, const struct tt_table *t, size_t row, const char *id)
{
	const struct tt_cell *c = tt_html_cell(t, row, id);
	enum tt_unit unit;

	if (!c)
		return;
	unit = t->col[tt_html_column(t, id)].unit;
	tt_buf_printf(out, "<data data-of=\"%s/%zu/%s\"", t->id, row, id);
	if (tt_unit_is_text(unit)) {
		tt_buf_text(out, " value=\"");
		tt_html_text(out, c->s);
		tt_buf_text(out, "\"");
	} else {
		put_machine(out, "value", unit, c);
	}
	tt_buf_text(out, ">");
	if (names_frames(&t->col[tt_html_column(t, id)]))
		tt_buf_printf(out, "%lld", (long long)c->v);
	else
		put_human(out, unit, c, unit != TT_UNIT_NS && unit != TT_UNIT_TEXT);
	tt_buf_text(out, "</data>");
}

void
tt_html_say(struct tt_buf *out, const struct tt_table *t, size_t row, const char *html)
{
	for (const char *open; (open = strchr(html, '{')) != NULL; html = strchr(open, '}') + 1) {
		char id[32];

		tt_buf_add(out, html, (size_t)(open - html));
		snprintf(id, sizeof id, "%.*s", (int)strcspn(open + 1, "}"), open + 1);
		tt_html_figure(out, t, row, id);
	}
	tt_buf_text(out, html);
}

void
tt_html_number(struct tt_buf *out, enum tt_unit unit, const struct tt_cell *c)
{
	put_human(out, unit, c, false);
}

void
tt_html_count(struct tt_buf *out, uint64_t n)
{
	char number[TT_CELL_MAX];

	*tt_put_count(number, (int64_t)n) = '\0';
	tt_buf_text(out, number);
}

/* List the columns of ${t} that are shown, in order. Return their number. */
static size_t
shown(const struct tt_table *t, const struct tt_html_view *v, size_t *to)
{
	size_t n = 0;

	for (const char *const *id = v->col; id && *id; id++) {
		size_t c = tt_html_column(t, *id);

		if (c != SIZE_MAX && !tt_column_empty(t, c))
			to[n++] = c;
	}
	for (size_t c = 0; !v->col && c < t->ncol; c++)
		if (!(t->tree && c == 1) && !tt_column_empty(t, c))
			to[n++] = c;
	return n;
}

/* True if, in a narrow window, a row gives the column ${c} a line of its own: prose, and names of which a shown one is longer than a column. */
static bool
is_wide(const struct tt_table *t, const struct tt_html_view *v, size_t c)
{
	enum { COLUMN = 14 };
	const enum tt_unit unit = t->col[c].unit;
	const size_t to = v->to && v->to < t->nrow ? v->to : t->nrow;

	if (unit == TT_UNIT_PROSE || unit == TT_UNIT_COMMAND)
		return true;
	if (t->facts || tt_unit_right(unit) || !tt_unit_is_text(unit))
		return false;
	for (size_t row = v->from; row < to; row++) {
		const struct tt_cell *cell = tt_table_cell(t, row, c);

		if (!cell->empty && strlen(cell->s) > COLUMN)
			return true;
	}
	return false;
}

static void
put_heading(struct tt_buf *out, const struct tt_col *col, const char *scope, bool wide)
{
	tt_buf_printf(out, "<th scope=\"%s\" data-c=\"%s\"%s", scope, col->id, tt_unit_right(col->unit) && *scope == 'c' ? " class=\"n\"" :
	    wide ? " class=\"nm\"" : "");
	if (col->help) {
		tt_buf_text(out, " title=\"");
		tt_html_text(out, col->help);
		tt_buf_text(out, "\"");
	}
	tt_buf_text(out, ">");
	tt_html_text(out, col->title);
}

static const char *
class_of(const struct tt_table *t, enum tt_unit unit, bool wide)
{
	if (tt_unit_right(unit) || (t->facts && t->nrow > 1))
		return " class=\"n\"";
	if (unit == TT_UNIT_PROSE || unit == TT_UNIT_COMMAND)
		return " class=\"p\"";
	return wide ? " class=\"nm\"" : "";
}

/* Append a cell as <${tag}>, a heading for ${scope}, with the additions of ${v}; ${v} NULL: no additions. */
static void
put_cell(struct tt_buf *out, const struct tt_table *t, size_t row, size_t col, const char *tag, const char *scope, const struct tt_html_view *v, bool wide)
{
	const char *link = v && tag[1] == 'h' ? v->link : NULL;
	const struct tt_cell *c = tt_table_cell(t, row, col);
	enum tt_unit unit = t->col[col].unit;

	tt_buf_text(out, "<");
	tt_buf_text(out, tag);
	if (tag[1] == 'h') {
		tt_buf_text(out, " scope=\"");
		tt_buf_text(out, scope);
		tt_buf_text(out, "\"");
	}
	tt_buf_text(out, class_of(t, unit, wide));
	if (!c->empty && !tt_unit_is_text(unit))
		put_machine(out, "data-v", unit, c);
	if (v && v->labelled && !c->empty && tt_unit_right(unit)) {
		tt_buf_text(out, " data-l=\"");
		tt_html_text(out, t->col[col].title);
		tt_buf_text(out, "\"");
	}
	tt_buf_text(out, ">");
	for (int64_t d = t->tree && col == 0 ? tt_table_cell(t, row, 1)->v : 0; d > 0; d--)
		tt_buf_text(out, "\xe2\x80\x83");
	if (link)
		tt_buf_printf(out, "<a href=\"#%s-%zu\">", link, row + 1);
	if (names_frames(&t->col[col]) && !c->empty)
		tt_buf_printf(out, "%lld", (long long)c->v);
	else
		put_human(out, unit, c, t->facts);
	tt_buf_text(out, link ? "</a>" : "");
	if (v && v->below && strcmp(t->col[col].id, v->below) == 0)
		v->put_below(out, t, row, v->arg);
	tt_buf_text(out, "</");
	tt_buf_text(out, tag);
	tt_buf_text(out, ">");
}

/* Append a row per fact: its name, and a value for each shown row of the table. If there are several rows, the first fact names them. */
static void
put_facts(struct tt_buf *out, const struct tt_table *t, const struct tt_html_view *v, const size_t *col, size_t ncol)
{
	const size_t to = v->to && v->to < t->nrow ? v->to : t->nrow;

	for (size_t i = 0; i < ncol; i++) {
		bool head = i == 0 && t->nrow > 1;

		tt_buf_text(out, head ? "<thead><tr>" : i == 0 ? "<tbody><tr>" : "<tr>");
		put_heading(out, &t->col[col[i]], "row", false);
		tt_buf_text(out, "</th>");
		for (size_t row = v->from; row < to; row++)
			put_cell(out, t, row, col[i], head ? "th" : "td", "col", NULL, false);
		tt_buf_text(out, head ? "</tr></thead>\n<tbody>" : "</tr>\n");
	}
	tt_buf_text(out, "</tbody>\n");
}

static void
put_rows(struct tt_buf *out, const struct tt_table *t, const struct tt_html_view *v, const size_t *col, size_t ncol)
{
	size_t to = v->to && v->to < t->nrow ? v->to : t->nrow;
	bool wide[TT_COLUMNS_MAX];

	tt_buf_text(out, "<thead><tr>");
	for (size_t i = 0; i < ncol; i++) {
		wide[i] = is_wide(t, v, col[i]);
		put_heading(out, &t->col[col[i]], "col", wide[i]);
		tt_buf_printf(out, "%s</th>", tt_column_suffix(t->col[col[i]].unit));
		if (i == 0 && v->more)
			tt_buf_printf(out, "<th scope=\"col\" data-c=\"%s\">%s</th>", v->more, v->more_title);
	}
	tt_buf_text(out, "</tr></thead>\n<tbody>\n");
	for (size_t row = v->from; row < to; row++) {
		tt_buf_text(out, "<tr>");
		for (size_t i = 0; i < ncol; i++) {
			put_cell(out, t, row, col[i], i == 0 ? "th" : "td", "row", v, wide[i]);
			if (i == 0 && v->more)
				v->put_more(out, t, row, v->arg);
		}
		tt_buf_text(out, "</tr>\n");
	}
	tt_buf_text(out, "</tbody>\n");
}

/* Append the note on the table's figures. */
static void
put_note(struct tt_buf *out, const struct tt_table *t)
{
	if (!t->note)
		return;
	tt_buf_text(out, "<p class=\"o\">");
	tt_html_sentence(out, t->note);
	tt_buf_text(out, "</p>\n");
}

void
tt_html_table(struct tt_buf *out, const struct tt_table *t, const struct tt_html_view *view)
{
	size_t col[TT_COLUMNS_MAX], ncol = shown(t, view, col);

	if (t->nrow == 0 || ncol == 0) {
		tt_buf_text(out, "<p>");
		if (t->empty_reason)
			tt_html_sentence(out, t->empty_reason);
		else
			tt_buf_text(out, "(nothing)");
		tt_buf_text(out, "</p>\n");
		put_note(out, t);
		return;
	}
	/* A table wider than the window scrolls; tabindex makes it reachable by keyboard. */
	tt_buf_text(out, "<div class=\"t\" role=\"group\" tabindex=\"0\" aria-label=\"");
	tt_html_text(out, t->title);
	tt_buf_printf(out, "\"><table%s data-t=\"%s\" data-from=\"%zu\"", t->tree ? " class=\"tree\"" : t->facts ? " class=\"facts\"" : "", t->id,
	    view->from);
	if (view->to && view->to < view->of)
		tt_buf_printf(out, " data-all=\"%zu\"", view->of);
	tt_buf_text(out, ">\n<caption>");
	tt_html_text(out, t->title);
	tt_buf_text(out, "</caption>\n");
	if (t->facts)
		put_facts(out, t, view, col, ncol);
	else
		put_rows(out, t, view, col, ncol);
	tt_buf_text(out, "</table></div>\n");
	put_note(out, t);
}

/* --- a report ------------------------------------------------------------------------ */

void
tt_html_notes(struct tt_buf *out, const struct tt_report *r)
{
	tt_buf_text(out, r->note ? "<ul>\n" : "");
	for (const struct tt_note *n = r->note; n; n = n->next) {
		tt_buf_text(out, "<li><strong>");
		tt_html_text(out, n->severity);
		tt_buf_text(out, "</strong>: ");
		tt_html_text(out, n->text);
		tt_buf_text(out, "</li>\n");
	}
	tt_buf_text(out, r->note ? "</ul>\n" : "");
}

/* Append the notes, then all tables. */
void
tt_render_html(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out)
{
	const char *generator = o->generator ? o->generator : "tracetool";

	tt_html_open(out, generator, TT_HTML_ALONE);
	tt_buf_text(out, "<main id=\"tables\">\n<h1>Tables by ");
	tt_html_text(out, generator);
	tt_buf_text(out, "</h1>\n");
	tt_html_notes(out, r);
	for (const struct tt_table *t = r->first; t; t = t->next) {
		tt_buf_printf(out, "<section id=\"t-%s\">\n<h2>", t->id);
		tt_html_text(out, t->title);
		tt_buf_text(out, "</h2>\n");
		tt_html_table(out, t, &(struct tt_html_view){ 0 });
		if (t->hidden)
			tt_buf_printf(out, "<p>%zu more</p>\n", t->hidden);
		tt_buf_text(out, "</section>\n");
	}
	tt_buf_text(out, "</main>\n");
	tt_html_close(out, TT_HTML_ALONE);
}

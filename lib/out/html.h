/**
 * Pages of HTML: one file each, which any browser opens, without script, from a disk as from a server.
 *
 * What a page says comes from tables of a report (table.h), as its other forms have them. Each number is written here, for people, with the
 * value that JSON has of it in an attribute: data-v of a cell, value of a figure in a sentence. So a page cannot say another number.
 *
 * Text from captures is hostile: it reaches a page by tt_html_text() alone, and the page's policy lets nothing load, nothing run but page.js
 * and either view.js with lines.js and ranges.js or compare.js, and no style apply but page.css, which the Makefile builds in with their digests
 * (built.h). A page is complete without any of them.
 */
#ifndef TT_OUT_HTML_H
#define TT_OUT_HTML_H

#include "out/table.h"

/* ${s} as text, also in an attribute. Bytes that are not UTF-8, controls, and what would turn the direction of text, become U+FFFD. */
void tt_html_text(struct tt_buf *out, const char *s);

/* The same of prose: a number and its unit stay on one line. */
void tt_html_prose(struct tt_buf *out, const char *s);

/* ${s}, a name or several with slashes between, as part of an address. */
void tt_html_address(struct tt_buf *out, const char *s);

/* The note ${s} as a sentence: with a capital letter, unless it begins with a name, and a full stop. */
void tt_html_sentence(struct tt_buf *out, const char *s);

/* The scripts that are in a page beside page.js: view.js, lines.js and ranges.js for the report of a capture, compare.js for that of two sides. */
enum tt_html_script { TT_HTML_ALONE, TT_HTML_VIEW, TT_HTML_COMPARE };

/* All up to the start of the body; its end. ${title} is text. */
void tt_html_open(struct tt_buf *out, const char *title, enum tt_html_script script);
void tt_html_close(struct tt_buf *out, enum tt_html_script script);

/* Begin a section, which "</section>" ends; ${title} is HTML. */
void tt_html_section(struct tt_buf *out, const char *id, const char *title);

/* How a table is shown. */
struct tt_html_view {
	const char *const *col;       /* ids of the columns, ended by NULL, where there are such; NULL: all that hold something */
	size_t from, to;              /* these rows; to 0: all from there */
	size_t of;                    /* the number of rows of which these are the first, in the order of the table; 0: it does not matter */
	const char *link;             /* the first column links to this, "-" and the number of the row, from 1; NULL: it does not */
	/* One column more after the first, which no table has, like a picture; its id and title. NULL: there is none. */
	const char *more, *more_title;
	void (*put_more)(struct tt_buf *out, const struct tt_table *t, size_t row, const void *arg); /* "<td ...>...</td>" */
	/* The text under the text of a cell in this column. NULL: nothing. */
	const char *below;
	void (*put_below)(struct tt_buf *out, const struct tt_table *t, size_t row, const void *arg);
	const void *arg;              /* of both */
	bool labelled;                /* each figure has its column's title with it, for windows so narrow that rows have lines of their own */
};

/* The notes of a report as a list; nothing where there are none. */
void tt_html_notes(struct tt_buf *out, const struct tt_report *r);

/* The table as an HTML table, or the reason why it has no rows. */
void tt_html_table(struct tt_buf *out, const struct tt_table *t, const struct tt_html_view *view);

/* The table of ${r} called ${id}, and the number of its column ${id}; NULL and SIZE_MAX: there is none. */
const struct tt_table *tt_html_find(const struct tt_report *r, const char *id);
size_t tt_html_column(const struct tt_table *t, const char *id);

/* The cell in ${row} and the column ${id} of ${t}, or NULL: it is empty, or there is none. ${t} NULL: there is none. */
const struct tt_cell *tt_html_cell(const struct tt_table *t, size_t row, const char *id);

/* Its value; 0: it is empty, or there is none. */
int64_t tt_html_value(const struct tt_table *t, size_t row, const char *id);

/* That cell as part of a sentence; nothing where it is empty. */
void tt_html_figure(struct tt_buf *out, const struct tt_table *t, size_t row, const char *id);

/* The sentence ${html}, where "{id}" stands for the figure in that column of ${row}. */
void tt_html_say(struct tt_buf *out, const struct tt_table *t, size_t row, const char *html);

/* A cell with a number, as people read it in a column; text, for attributes and data as well. */
void tt_html_number(struct tt_buf *out, enum tt_unit unit, const struct tt_cell *c);

/* A number of bytes or of things that no table has, like the size of the page. */
void tt_html_count(struct tt_buf *out, uint64_t n);

#endif

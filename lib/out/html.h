/**
 * Pages of HTML: one file each, which any browser opens, without script, from a disk or from a server.
 *
 * Everything that a page says comes from tables of a report (table.h), as in the report's other forms. Each number is written here, for people, with the
 * value that JSON has for it in an attribute: data-v of a cell, value of a figure in a sentence. So a page cannot show a different number.
 *
 * Text from captures is hostile: it reaches a page only through tt_html_text(), and the page's policy lets nothing load, nothing run but page.js and either
 * view.js with lines.js and ranges.js or compare.js, and no style apply but page.css; the Makefile builds these in with their digests (built.h). A page is
 * complete without any of them.
 */
#ifndef TT_OUT_HTML_H
#define TT_OUT_HTML_H

#include "out/table.h"

/* Append ${s} as text, also for an attribute. Bytes that are not UTF-8, controls, and characters that change the direction of text become U+FFFD. */
void tt_html_text(struct tt_buf *out, const char *s);

/* Append prose like tt_html_text(), but keep a number and its unit on one line. */
void tt_html_prose(struct tt_buf *out, const char *s);

/* Append ${s}, a name or several with slashes between, as part of an address. */
void tt_html_address(struct tt_buf *out, const char *s);

/* Append the note ${s} as a sentence: with a capital letter, unless it begins with a name, and a full stop. */
void tt_html_sentence(struct tt_buf *out, const char *s);

/* The scripts in a page beside page.js: view.js, lines.js and ranges.js for the report of a capture, compare.js for that of two sides. */
enum tt_html_script { TT_HTML_ALONE, TT_HTML_VIEW, TT_HTML_COMPARE };

/* Append everything before the body's content; everything after it. ${title} is text. */
void tt_html_open(struct tt_buf *out, const char *title, enum tt_html_script script);
void tt_html_close(struct tt_buf *out, enum tt_html_script script);

/* Begin a section, which "</section>" ends; ${title} is HTML. */
void tt_html_section(struct tt_buf *out, const char *id, const char *title);

/* Options of how a table is shown. */
struct tt_html_view {
	const char *const *col;       /* ids of columns, NULL-terminated; ids that the table lacks are ignored. NULL: all columns with values */
	size_t from, to;              /* range of rows; to 0: all rows from ${from} */
	size_t of;                    /* total number of rows, of which these are the first in the table's order; 0: it is not said */
	const char *link;             /* the first column links to this, followed by "-" and the row's number, from 1; NULL: no links */
	/* An additional column after the first, such as a picture, with its id and title. NULL: no such column. */
	const char *more, *more_title;
	void (*put_more)(struct tt_buf *out, const struct tt_table *t, size_t row, const void *arg); /* "<td ...>...</td>" */
	/* Id of a column whose cells have a second text below the first. NULL: no such column. */
	const char *below;
	void (*put_below)(struct tt_buf *out, const struct tt_table *t, size_t row, const void *arg);
	const void *arg;              /* argument of put_more and put_below */
	bool labelled;                /* true: each figure carries its column's title, for narrow windows in which each cell has a line of its own */
};

/* Append the notes of a report as a list; nothing if there are no notes. */
void tt_html_notes(struct tt_buf *out, const struct tt_report *r);

/* Append the table as an HTML table, or the reason why it has no rows. */
void tt_html_table(struct tt_buf *out, const struct tt_table *t, const struct tt_html_view *view);

/* Return the table ${id} of ${r}, or NULL; the index of the column ${id} of ${t}, or SIZE_MAX. */
const struct tt_table *tt_html_find(const struct tt_report *r, const char *id);
size_t tt_html_column(const struct tt_table *t, const char *id);

/* Return the cell in ${row} and the column ${id} of ${t}; NULL: it is empty or does not exist, or ${t} is NULL. */
const struct tt_cell *tt_html_cell(const struct tt_table *t, size_t row, const char *id);

/* Return the value of that cell; 0: it is empty or does not exist. */
int64_t tt_html_value(const struct tt_table *t, size_t row, const char *id);

/* Append that cell as part of a sentence; nothing if it is empty. */
void tt_html_figure(struct tt_buf *out, const struct tt_table *t, size_t row, const char *id);

/* Append the sentence ${html}, in which "{id}" stands for the figure in that column of ${row}. */
void tt_html_say(struct tt_buf *out, const struct tt_table *t, size_t row, const char *html);

/* Append a cell's number as people read it in a column; in plain text, fit for attributes and data, too. */
void tt_html_number(struct tt_buf *out, enum tt_unit unit, const struct tt_cell *c);

/* Append a number of bytes or of things that is in no table, such as the size of the page. */
void tt_html_count(struct tt_buf *out, uint64_t n);

#endif

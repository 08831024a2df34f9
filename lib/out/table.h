/**
 * Reports: tables of typed cells, rendered as text, JSON, CSV, Markdown or HTML.
 *
 * Passes fill tables with plain integers in base units (ns, bytes); only the renderers turn them into words. A column's id is its name for machines (CSV
 * header, JSON key, --sort), its title the name for people.
 *
 * Machine forms (documented in tracetool-json(7)): JSON is one object, see render_json.c. CSV of one table is plain RFC 4180; several tables follow each
 * other with an empty line between, each under a line "# id". NS and BYTES are integers, PERCENT is a number with 2 decimals, MILLI with 3, HEX a string; an
 * empty cell is null or nothing.
 *
 * Errors are kept: a report keeps the first one, and from then on nothing is added to it. Functions that add to a report never fail for their caller: they
 * always return a table, a row or a text that can be written to. tt_render() returns the error, as tt_report_error() does.
 *
 * Rows that are too many for memory come from a stream (struct tt_stream): the table holds some of them, and tt_rows_next() loads the next ones. A table that
 * is sorted or limited holds its rows; if it is limited, only the rows that are left.
 *
 * Owns: rows and text are copied into the report's arena (tt_cell_text borrows: pass text that lives as long as the report).
 */
#ifndef TT_OUT_TABLE_H
#define TT_OUT_TABLE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/mem.h"

enum tt_unit {
	TT_UNIT_TEXT,         /* a name; if it does not fit, its middle is left out */
	TT_UNIT_COUNT,        /* plain integer */
	TT_UNIT_NS,           /* text: four digits and a unit, "38.06 µs", "1.380 ms"; machines: integer ns */
	TT_UNIT_BYTES,        /* text: 1,234 B / 12.3 KB / ... (powers of 1024); machines: integer bytes */
	TT_UNIT_PERCENT,      /* in 1/100 percent: 1234 = 12.34 % */
	TT_UNIT_MILLI,        /* in 1/1000: FPS, ratios, means of counts */
	TT_UNIT_HEX,          /* address or id */
	TT_UNIT_BOOL,
	TT_UNIT_VALUE,        /* each cell has its own unit (tt_cell.unit), which another column names for machines */
	TT_UNIT_PROSE,        /* a list or a sentence, which continues on the next line */
	TT_UNIT_COMMAND,      /* text to paste: never cut, even if the line gets too long */
};

struct tt_col {
	const char *id;       /* "self_ns": for machines; unit in the name */
	const char *title;    /* "self" */
	enum tt_unit unit;
	const char *help;     /* one sentence, for `tracetool list metrics`; defined in tracetool-metrics(7) */
};

/* True if a column of ${unit} holds text. */
static inline bool
tt_unit_is_text(enum tt_unit unit)
{
	return unit == TT_UNIT_TEXT || unit == TT_UNIT_PROSE || unit == TT_UNIT_COMMAND;
}

/* The number of columns in an array of them. */
#define TT_NCOL(c) (sizeof (c) / sizeof (c)[0])

struct tt_cell {
	bool empty;           /* no value: "-" for people, nothing for machines */
	uint8_t unit;         /* enum tt_unit, in a TT_UNIT_VALUE column only; always of numbers, not text */
	bool rounded;         /* true: machines get s, people get v, which is rounded */
	int64_t v;
	const char *s;        /* text of any unit; in a TT_UNIT_VALUE column a number that v cannot hold, see tt_cell_beyond() and tt_cell_exact() */
};

struct tt_table;

/*
 * Rows that are made in parts while they are written. A maker embeds it in a struct of its own, in the report's arena. Rows that ${more} adds with tt_row()
 * and texts that it makes with tt_text() are valid until the next call. Errors stay in the report.
 */
struct tt_stream {
	bool (*more)(struct tt_stream *s, struct tt_table *t);        /* add the next rows, at least one; false: no more rows */
	void (*rewind)(struct tt_stream *s, struct tt_table *t);      /* go back to the first rows; also called before the first call of more */
	void (*end)(struct tt_stream *s);     /* free what the stream owns; NULL: nothing to free */
	/* Private to the table. */
	struct tt_arena text;         /* texts of the present rows */
	const char *by;               /* see tt_table_sort() */
	size_t part;                  /* number of the part in the table, from 1; 0: no part yet */
	bool *filled;                 /* by column: true if some row has a value; NULL: not determined yet */
	bool keeps;                   /* true: texts stay in the report */
};

struct tt_table {
	const char *id, *title;
	const struct tt_col *col;
	size_t ncol;
	struct tt_cell *cell;         /* nrow * ncol */
	size_t nrow, caprow;
	size_t hidden;                /* number of rows that the limit cut */
	struct { size_t n, by; bool reverse; } keep;  /* tt_table_keep(): number of rows, and their order; n 0: all */
	const char *note;             /* printed under the title; NULL: no note */
	const char *empty_reason;     /* why there are no rows */
	const bool *filled;           /* by column: true if some row, even one that the limit cut, has a value; NULL: the rows in the table tell */
	size_t answer;                /* index of the column that text leaves out last, such as the column by which rows are sorted; 0: no such column */
	bool tree;                    /* column 1 is the depth of the row, shown as indentation of column 0: never sorted */
	bool facts;                   /* true: few wide rows; people see one line per column, with a value per row */
	bool whole;                   /* small by nature (a histogram): never sorted or cut */
	bool extra;                   /* shown only when asked for by name: tt_report_select() */
	bool complete;                /* true: rows are exhaustive: a thing without a row does not exist, even if there are no rows at all */
	struct tt_stream *stream;     /* NULL: the table holds all its rows */
	struct tt_report *r;          /* the report that it belongs to */
	struct tt_table *next;
};

/* Maximum number of columns of a table. */
#define TT_COLUMNS_MAX 1024

struct tt_report {
	struct tt_mem *mem;
	struct tt_arena arena;        /* memory of tables, rows and notes */
	struct tt_table *first, *last;
	struct tt_note { const char *severity, *id, *text; struct tt_note *next; } *note, *last_note;
	struct tt_err err;            /* the first error, or TT_OK. Makers of tables leave their errors here */
	struct tt_table spare_table;  /* after an error, the table that callers get to write to */
	struct tt_cell spare_row[TT_COLUMNS_MAX];
};

/* Make an empty report; tt_report_free() leaves one, too. */
void tt_report_init(struct tt_report *r, struct tt_mem *mem);
void tt_report_free(struct tt_report *r);

/* Return the report's first error and copy it to ${err}; TT_OK: no error. */
int tt_report_error(const struct tt_report *r, struct tt_err *err);

/* Add a table to the end of the report, with at most TT_COLUMNS_MAX columns. ${id}, ${title}, ${col} are borrowed (constant). */
struct tt_table *tt_report_table(struct tt_report *r, const char *id, const char *title, const struct tt_col *col, size_t ncol);

/* Add a row of empty cells. Return its first cell, valid until the next row. */
struct tt_cell *tt_row(struct tt_table *t);

static inline void tt_cell_int(struct tt_cell *c, int64_t v) { c->empty = false; c->v = v; }
/* Set a count; one beyond int64_t is shown as its bits reinterpreted. */
static inline void tt_cell_u64(struct tt_cell *c, uint64_t v) { tt_cell_int(c, (int64_t)v); }
static inline void
tt_cell_value(struct tt_cell *c, enum tt_unit unit, int64_t v)
{
	c->empty = false;
	c->unit = (uint8_t)unit;
	c->v = v;
}
/*
 * Set, in a TT_UNIT_VALUE column, a number that int64_t cannot hold (2^63 and more, NaN, infinities): ${s} has it in base units, and ${near} is the nearest
 * int64_t, for the order of rows. Borrows ${s}.
 */
static inline void
tt_cell_beyond(struct tt_cell *c, enum tt_unit unit, const char *s, int64_t near)
{
	tt_cell_value(c, unit, near);
	c->s = s;
}
/* Set a number that ${v} holds rounded: machines read ${s}, people ${v}. */
static inline void
tt_cell_exact(struct tt_cell *c, enum tt_unit unit, const char *s, int64_t v)
{
	tt_cell_beyond(c, unit, s, v);
	c->rounded = true;
}
static inline void tt_cell_text(struct tt_cell *c, const char *s) { c->empty = false; c->s = s; }
/* Set a text unless it is NULL or ""; then the cell stays empty. */
static inline void
tt_cell_name(struct tt_cell *c, const char *s)
{
	if (s && *s)
		tt_cell_text(c, s);
}

/* Return the index of the column with the id ${word}, or else with the title ${word}, in any case of letters; ${n}: no such column. */
size_t tt_column_called(const struct tt_col *col, size_t n, const char *word);

/* Free the rows of a table that is not in the list of a report. */
void tt_table_free(struct tt_table *t);

/* Let the rows of ${t}, which has no rows yet, come from ${s}; load the first of them. */
void tt_table_stream(struct tt_table *t, struct tt_stream *s);

/*
 * Read all rows of a table, part by part: the first are there after tt_rows_first(), the next after each tt_rows_next() that returns true. A table without a
 * stream has one part, which may be empty.
 */
void tt_rows_first(const struct tt_table *t);
bool tt_rows_next(const struct tt_table *t);

/* Add a note on the whole report (ledger entries, caveats). The text is copied. */
void tt_report_note(struct tt_report *r, const char *severity, const char *id, const char *text);

/**
 * tt_report_select(r, ids):
 * Keep only the tables named in the NULL-terminated ${ids} (a name also chooses an extra
 * table); NULL keeps all but the extra ones. Names that no table has are ignored: check them
 * against the passes' lists first. Repeatable.
 */
void tt_report_select(struct tt_report *r, const char *const *ids);

/* Return a printf-style text, or the ${n} bytes at ${s}, in the report's arena; "" after an error. */
const char *tt_text(struct tt_report *r, const char *fmt, ...) TT_PRINTF(2, 3);
const char *tt_text_of(struct tt_report *r, const char *s, size_t n);

/* Return "12.35 ms", "1.2 MB", "12,345" in the report's arena, as tt_put_time_short() and similar functions print them; "" after an error. */
const char *tt_text_time(struct tt_report *r, int64_t ns);
const char *tt_text_bytes(struct tt_report *r, uint64_t bytes);
const char *tt_text_count(struct tt_report *r, uint64_t n);

/* Set the text of a group's name; groups with equal names, such as threads, differ by ${id}. */
void tt_cell_group(struct tt_cell *c, const char *label, uint32_t id);

/**
 * tt_table_group(t, key, sum):
 * Merge rows of ${t} with equal cells in the columns of ${key}, a bit each. The columns of ${sum} are added up; the last column, unless it is in either
 * set, becomes the number of merged rows; all other columns become empty.
 */
void tt_table_group(struct tt_table *t, uint64_t key, uint64_t sum);

/*
 * Sort by column id: numbers largest first, text ascending ("-id": reversed), ties by all other columns from the left, empty cells always last. An unknown
 * id is TT_E_USAGE, which names the possible ones. Facts, trees and whole tables keep their order.
 * Then keep the first ${limit} rows (0: all; facts and whole tables are never cut). Rows of a stream are sorted when they are limited.
 */
int tt_table_sort(struct tt_table *t, const char *by, struct tt_err *err);
void tt_table_limit(struct tt_table *t, size_t limit);

/*
 * Keep, of the rows that are added from now on, those that would be the first ${n} after tt_table_sort() by ${by}, and a few more; 0: all. The others count as
 * cut. Until they are sorted and limited the rows are in no order, and only the last one may be changed.
 */
void tt_table_keep(struct tt_table *t, const char *by, size_t n);

/* True if the last row will be cut, whatever its cells other than that of the order and the first ${ncol} are: they need no values then. */
bool tt_row_is_cut(const struct tt_table *t, size_t ncol);

enum tt_render { TT_RENDER_TEXT, TT_RENDER_JSON, TT_RENDER_CSV, TT_RENDER_MARKDOWN, TT_RENDER_HTML };

struct tt_render_opts {
	enum tt_render form;
	bool color;
	unsigned width;               /* terminal columns; 0: unlimited */
	char csv_sep;                 /* ',' */
	bool csv_bom, csv_safe;
	unsigned csv_time_digits;     /* decimal digits of times in CSV: 3 are us, 6 ms, 9 s; 0: whole ns */
	const char *generator;        /* "tracetool VERSION" */
	/* Called with the text in ${out}, which is then emptied, when it has become long. NULL: everything stays in memory. */
	int (*write)(void *arg, const char *p, size_t n, struct tt_err *err);
	void *arg;
	const char *all;              /* option of the command that shows all rows and columns; NULL: as in base/setting.h */
};

/* List the units that times in CSV can have, from "ns" on: each has three decimal digits more than the previous one. NULL after the last. */
const char *tt_csv_time_unit(size_t i);

/* Append the whole rendered report to ${out}, or return its error. The same report gives the same bytes everywhere. */
int tt_render(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out, struct tt_err *err);

/* Print a number for people: "12.345 ms", "12.35 ms" (four digits), "1.2 MB", "12,345". At most 32 bytes; return the end. */
char *tt_put_time(char *p, int64_t ns);
char *tt_put_time_short(char *p, int64_t ns);
char *tt_put_bytes(char *p, int64_t b);
char *tt_put_count(char *p, int64_t n);

/**
 * tt_csv_field(out, s, n, o):
 * Append the ${n} bytes of text at ${s} as one CSV field: quoted if RFC 4180 (or o->csv_sep) requires it; invalid UTF-8 and control characters other than
 * tab, CR and LF become U+FFFD; with o->csv_safe, `'` precedes text that a spreadsheet would run as a formula. The caller writes separators, numbers and the
 * LF at the end of a record.
 */
void tt_csv_field(struct tt_buf *out, const char *s, size_t n, const struct tt_render_opts *o);

#endif

/**
 * Reports: tables of typed cells, rendered as text, JSON, CSV or Markdown.
 *
 * Passes fill tables with plain integers in base units (ns, bytes); only the
 * renderers turn them into words. A column's id is its name for machines (CSV
 * header, JSON key, --sort), its title the one for people.
 *
 * Machine forms (documented in tracetool-json(7)): JSON is one object, see render_json.c. CSV of one table
 * is plain RFC 4180; several tables follow each other with an empty line between, each under a line
 * "# id". NS and BYTES are integers, PERCENT a number with 2 decimals, MILLI with 3, HEX a string,
 * an empty cell is null or nothing.
 *
 * Errors stick: a report keeps the first one, and nothing is added to it from then on. Functions that add to it never fail to their caller: a table, a row or
 * a text is always there to be written to. tt_render() gives the error back, as tt_report_error() does.
 *
 * Rows that are too many to be held come from a stream (struct tt_stream): the table holds some of them, and whoever wants the next calls
 * tt_rows_next(). A table that is sorted or limited holds its rows, of a limited one no more than those that are left.
 *
 * Owns: rows and text are copied into the report's arena (tt_cell_text borrows: pass text that lives as long as the report).
 */
#ifndef TT_OUT_TABLE_H
#define TT_OUT_TABLE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/mem.h"

enum tt_unit {
	TT_UNIT_TEXT,         /* a name: where it does not fit, its middle is left out */
	TT_UNIT_COUNT,        /* plain integer */
	TT_UNIT_NS,           /* text: four digits and a unit, "38.06 µs", "1.380 ms"; machines: integer ns */
	TT_UNIT_BYTES,        /* text: 1,234 B / 12.3 KB / ... (powers of 1024); machines: integer bytes */
	TT_UNIT_PERCENT,      /* in 1/100 percent: 1234 = 12.34 % */
	TT_UNIT_MILLI,        /* in 1/1000: FPS, ratios, means of counts */
	TT_UNIT_HEX,          /* address or id */
	TT_UNIT_BOOL,
	TT_UNIT_VALUE,        /* each cell has a unit of its own (tt_cell.unit), which another column names for machines */
	TT_UNIT_PROSE,        /* text that is a list or a sentence: what does not fit goes on in the next line */
	TT_UNIT_COMMAND,      /* text to paste: never cut, though the line grows too long */
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
	uint8_t unit;         /* enum tt_unit, in a TT_UNIT_VALUE column only: a number, not text */
	bool rounded;         /* s is for machines alone: people see v, which is rounded */
	int64_t v;
	const char *s;        /* text of any unit; in a TT_UNIT_VALUE column a number that v cannot hold: see tt_cell_beyond(), tt_cell_exact() */
};

struct tt_table;

/*
 * Rows that are made as they are written, in parts. Part of a struct of whoever makes them, in the report's arena. Rows that ${more} adds with tt_row(), and
 * texts it makes with tt_text(), are good until the next call. Errors stay in the report.
 */
struct tt_stream {
	bool (*more)(struct tt_stream *s, struct tt_table *t);        /* add the next rows, one at least; false: there are no more */
	void (*rewind)(struct tt_stream *s, struct tt_table *t);      /* the first are the next; before the first call of more, too */
	void (*end)(struct tt_stream *s);     /* give back what it holds; NULL: nothing */
	/* The table's own. */
	struct tt_arena text;         /* of the present rows */
	const char *by;               /* tt_table_sort() */
	size_t part;                  /* which of the parts is in the table, from 1; 0: none */
	bool *filled;                 /* by column: some row has a value; NULL: not looked for yet */
	bool keeps;                   /* texts stay in the report */
};

struct tt_table {
	const char *id, *title;
	const struct tt_col *col;
	size_t ncol;
	struct tt_cell *cell;         /* nrow * ncol */
	size_t nrow, caprow;
	size_t hidden;                /* rows cut by the limit */
	const char *note;             /* printed under the title; NULL none */
	const char *empty_reason;     /* why there are no rows */
	const bool *filled;           /* by column: some row has a value, perhaps one that the limit cuts; NULL: those of the table tell */
	size_t answer;                /* column that text leaves out last, such as the one that rows are sorted by; 0: none */
	bool tree;                    /* column 1 is the depth of the row, shown as indentation of column 0: never sorted */
	bool facts;                   /* few wide rows: people see one line per column, one value per row beside it */
	bool whole;                   /* small by nature (a histogram): never sorted or cut */
	bool extra;                   /* shown only when asked for by name: tt_report_select() */
	bool complete;                /* all was looked at: of what has no row there is none, even where there are no rows */
	struct tt_stream *stream;     /* NULL: all its rows are here */
	struct tt_report *r;          /* it is in */
	struct tt_table *next;
};

/* The most columns a table has. */
#define TT_COLUMNS_MAX 1024

struct tt_report {
	struct tt_mem *mem;
	struct tt_arena arena;        /* what tables, rows and notes borrow */
	struct tt_table *first, *last;
	struct tt_note { const char *severity, *id, *text; struct tt_note *next; } *note, *last_note;
	struct tt_err err;            /* the first error; code TT_OK: none. Whoever fills tables leaves what failed here */
	struct tt_table spare_table;  /* after an error: what callers write to */
	struct tt_cell spare_row[TT_COLUMNS_MAX];
};

/* An empty report; tt_report_free() leaves one, too. */
void tt_report_init(struct tt_report *r, struct tt_mem *mem);
void tt_report_free(struct tt_report *r);

/* The report's first error, copied to ${err}: its code, or TT_OK. */
int tt_report_error(const struct tt_report *r, struct tt_err *err);

/* A new table at the end of the report, of at most TT_COLUMNS_MAX columns. ${id}, ${title}, ${col} are borrowed (constant). */
struct tt_table *tt_report_table(struct tt_report *r, const char *id, const char *title, const struct tt_col *col, size_t ncol);

/* The first cell of a new row of empty cells, valid until the next row. */
struct tt_cell *tt_row(struct tt_table *t);

static inline void tt_cell_int(struct tt_cell *c, int64_t v) { c->empty = false; c->v = v; }
/* A count of things; one that int64_t does not hold is shown as it lies there. */
static inline void tt_cell_u64(struct tt_cell *c, uint64_t v) { tt_cell_int(c, (int64_t)v); }
static inline void
tt_cell_value(struct tt_cell *c, enum tt_unit unit, int64_t v)
{
	c->empty = false;
	c->unit = (uint8_t)unit;
	c->v = v;
}
/*
 * In a TT_UNIT_VALUE column: a number that int64_t does not hold (2^63 and more, NaN, infinities), as ${s} has it in base units.
 * ${near} is as near to it as v comes, for the order of rows. Borrows ${s}.
 */
static inline void
tt_cell_beyond(struct tt_cell *c, enum tt_unit unit, const char *s, int64_t near)
{
	tt_cell_value(c, unit, near);
	c->s = s;
}
/* The same of a number that ${v} holds rounded: machines read ${s}, people ${v}. */
static inline void
tt_cell_exact(struct tt_cell *c, enum tt_unit unit, const char *s, int64_t v)
{
	tt_cell_beyond(c, unit, s, v);
	c->rounded = true;
}
static inline void tt_cell_text(struct tt_cell *c, const char *s) { c->empty = false; c->s = s; }
/* The same where there may be none: NULL and "" leave the cell empty. */
static inline void
tt_cell_name(struct tt_cell *c, const char *s)
{
	if (s && *s)
		tt_cell_text(c, s);
}

/* The place of the column that ${word} names: by its id, otherwise by its title as people see it, in any case of letters; ${n}: none. */
size_t tt_column_called(const struct tt_col *col, size_t n, const char *word);

/* Give back the rows of a table that is in no report's list. */
void tt_table_free(struct tt_table *t);

/* The rows of ${t}, which has none, come from ${s}; the first of them are there when it returns. */
void tt_table_stream(struct tt_table *t, struct tt_stream *s);

/*
 * To see all rows of a table, part by part: the first are there after tt_rows_first(), the next after each tt_rows_next() that is true. A table that holds
 * its rows has one part, which may be empty.
 */
void tt_rows_first(const struct tt_table *t);
bool tt_rows_next(const struct tt_table *t);

/* A line for the whole report (ledger entries, caveats). Copied. */
void tt_report_note(struct tt_report *r, const char *severity, const char *id, const char *text);

/**
 * tt_report_select(r, ids):
 * Keep only the tables named in the NULL-terminated ${ids} (a name also chooses an extra
 * table); NULL keeps all but the extra ones. Names that no table has are ignored: check them
 * against the passes' lists first. Repeatable.
 */
void tt_report_select(struct tt_report *r, const char *const *ids);

/* A printf-style text, and the ${n} bytes at ${s}, in the report's arena; "" after an error. */
const char *tt_text(struct tt_report *r, const char *fmt, ...) TT_PRINTF(2, 3);
const char *tt_text_of(struct tt_report *r, const char *s, size_t n);

/* "12.35 ms", "1.2 MB", "12,345" in the report's arena, as tt_put_time_short() and the like write them; "" after an error. */
const char *tt_text_time(struct tt_report *r, int64_t ns);
const char *tt_text_bytes(struct tt_report *r, uint64_t bytes);
const char *tt_text_count(struct tt_report *r, uint64_t n);

/* A cell of text that is a group: groups with equal names, such as threads, differ by ${id}. */
void tt_cell_group(struct tt_cell *c, const char *label, uint32_t id);

/**
 * tt_table_group(t, key, sum):
 * Rows of ${t} that are alike in the columns of ${key}, a bit each, become one. The columns of ${sum} are added up, the
 * last is how many rows there were where it is in neither; all else is empty.
 */
void tt_table_group(struct tt_table *t, uint64_t key, uint64_t sum);

/* Sort by column id, largest first for numbers, text ascending ("-id" the other way round), ties by all other columns from the left;
   empty cells always last; unknown id: TT_E_USAGE naming those there are. Facts, trees and whole tables stay as they are.
   Then keep the first ${limit} rows (0: all; facts and whole tables are never cut). Rows of a stream are sorted when they are limited. */
int tt_table_sort(struct tt_table *t, const char *by, struct tt_err *err);
void tt_table_limit(struct tt_table *t, size_t limit);

enum tt_render { TT_RENDER_TEXT, TT_RENDER_JSON, TT_RENDER_CSV, TT_RENDER_MARKDOWN, TT_RENDER_HTML };

struct tt_render_opts {
	enum tt_render form;
	bool color;
	unsigned width;               /* terminal columns; 0 unlimited */
	char csv_sep;                 /* ',' */
	bool csv_bom, csv_safe;
	unsigned csv_time_digits;     /* of times in CSV behind the point: 3 are us, 6 ms, 9 s; 0: whole ns */
	const char *generator;        /* "tracetool VERSION" */
	/* NULL: all stays in memory. Else ${out} is handed over, and emptied, where it has become long. */
	int (*write)(void *arg, const char *p, size_t n, struct tt_err *err);
	void *arg;
	const char *all;              /* option of the command that shows all rows and columns; NULL: as base/setting.h has them */
};

/* The units in which CSV can have times, from "ns" on: each has three digits behind the point more than the one before. NULL after the last. */
const char *tt_csv_time_unit(size_t i);

/* Render the whole report at the end of ${out}, or fail as it did. The same report gives the same bytes everywhere. */
int tt_render(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out, struct tt_err *err);

/* Human forms, also used elsewhere: "12.345 ms", "12.35 ms" (four digits), "1.2 MB", "12,345". At most 32 bytes; return the end. */
char *tt_put_time(char *p, int64_t ns);
char *tt_put_time_short(char *p, int64_t ns);
char *tt_put_bytes(char *p, int64_t b);
char *tt_put_count(char *p, int64_t n);

/**
 * tt_csv_field(out, s, n, o):
 * Append the ${n} bytes of text at ${s} as one CSV field: quoted where RFC 4180 (or o->csv_sep) wants
 * it, invalid UTF-8 and control characters but tab, CR and LF as U+FFFD, and with o->csv_safe a `'` in front of what a spreadsheet
 * would run as a formula. Separators, numbers and the LF at the end of a record are the caller's.
 */
void tt_csv_field(struct tt_buf *out, const char *s, size_t n, const struct tt_render_opts *o);

#endif

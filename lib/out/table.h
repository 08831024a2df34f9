/**
 * Reports: tables of typed cells, rendered as text, JSON, CSV or Markdown.
 *
 * Passes fill tables with plain integers in base units (ns, bytes); only the
 * renderers turn them into words. A column's id is its name for machines (CSV
 * header, JSON key, --sort), its title the one for people.
 *
 * Errors: TT_E_NOMEM. Owns: rows and text are copied into the report's arena
 * (tt_cell_text borrows: pass text that lives as long as the report).
 */
#ifndef TT_OUT_TABLE_H
#define TT_OUT_TABLE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/mem.h"

enum tt_unit {
	TT_UNIT_TEXT,
	TT_UNIT_COUNT,        /* plain integer */
	TT_UNIT_NS,           /* text: ms with three decimals (µs below 1 ms with --verbose no); machines: integer ns */
	TT_UNIT_BYTES,        /* text: 1,234 B / 12.3 KB / ...; machines: integer bytes */
	TT_UNIT_PERCENT,      /* in 1/100 percent: 1234 = 12.34 % */
	TT_UNIT_MILLI,        /* in 1/1000: FPS, ratios, means of counts */
	TT_UNIT_HEX,          /* address or id */
	TT_UNIT_BOOL,
};

struct tt_col {
	const char *id;       /* "self_ns": for machines; unit in the name */
	const char *title;    /* "self" */
	enum tt_unit unit;
	const char *help;     /* one sentence, for `tracetool list metrics`; defined in tracetool-metrics(7) */
};

struct tt_cell {
	bool empty;           /* no value: "-" for people, nothing for machines */
	int64_t v;
	const char *s;        /* TT_UNIT_TEXT */
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
	bool tree;                    /* first column is indented text: never sorted */
	bool facts;                   /* two columns, key and value: rendered as a list; cells of column 1 may be text */
	const enum tt_unit *row_unit; /* facts: unit of each row's value; NULL: by column */
	struct tt_table *next;
};

struct tt_report {
	struct tt_mem *mem;
	struct tt_arena arena;
	struct tt_table *first, *last;
	struct tt_note { const char *severity, *id, *text; struct tt_note *next; } *note, *last_note;
};

void tt_report_init(struct tt_report *r, struct tt_mem *mem);
void tt_report_free(struct tt_report *r);

/* A new table at the end of the report. ${id}, ${title}, ${col} are borrowed (constant). */
int tt_report_table(struct tt_report *r, const char *id, const char *title, const struct tt_col *col, size_t ncol,
    struct tt_table **t, struct tt_err *err);

/* A new row of empty cells; *${cell} is its first, valid until the next row. */
int tt_table_row(struct tt_report *r, struct tt_table *t, struct tt_cell **cell, struct tt_err *err);

static inline void tt_cell_int(struct tt_cell *c, int64_t v) { c->empty = false; c->v = v; }
static inline void tt_cell_text(struct tt_cell *c, const char *s) { c->empty = false; c->s = s; }

/* A line for the whole report (ledger entries, caveats). Copied. */
int tt_report_note(struct tt_report *r, const char *severity, const char *id, const char *text, struct tt_err *err);

/* A printf-style text in the report's arena; NULL with ${err} filled. */
char *tt_report_text(struct tt_report *r, struct tt_err *err, const char *fmt, ...) TT_PRINTF(3, 4);

/* Sort by column id, largest first for numbers, text ascending ("-id" the other way round), ties by all other columns from the left;
   unknown id: TT_E_USAGE naming those there are. Then keep the first ${limit} rows (0: all). */
int tt_table_sort(struct tt_table *t, const char *by, struct tt_err *err);
void tt_table_limit(struct tt_table *t, size_t limit);

enum tt_render { TT_RENDER_TEXT, TT_RENDER_JSON, TT_RENDER_CSV, TT_RENDER_MARKDOWN };

struct tt_render_opts {
	enum tt_render form;
	bool color;
	unsigned width;               /* terminal columns; 0 unlimited */
	char csv_sep;                 /* ',' */
	bool csv_bom, csv_safe;
	const char *generator;        /* "tracetool 0.1.0" */
};

/* Render the whole report at the end of ${out}. The same report gives the same bytes everywhere. */
int tt_render(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out, struct tt_err *err);

/* Human forms, also used elsewhere: "12.345 ms", "1.2 MB", "12,345". At most 32 bytes; return the end. */
char *tt_put_time(char *p, int64_t ns);
char *tt_put_bytes(char *p, int64_t b);
char *tt_put_count(char *p, int64_t n);

/* Append one CSV field / record end by the rules of RFC 4180 (LF unless crlf). */
int tt_csv_field(struct tt_buf *out, const char *s, size_t n, const struct tt_render_opts *o, struct tt_err *err);

#endif

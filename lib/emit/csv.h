/**
 * The parts of the CSV emitter. Internal to lib/emit/csv*.c.
 *
 * csv.c        life, zones and allocations, tables
 * csv_rare.c   rare events
 */
#ifndef TT_EMIT_CSV_H
#define TT_EMIT_CSV_H

#include "emit/emit.h"
#include "out/table.h"

struct tt_args;
struct tt_pass;
struct tt_pieces;
struct tt_sink;

/* Maximum bytes of a record's numbers with their separators. */
#define CSV_NUMBERS 160

struct tt_csv_opts {
	const char *table;            /* id of a table, or "events" (default) */
	int group;                    /* enum tt_group, of a table's rows */
	char sep;                     /* 0: ',' */
	int time_unit;                /* unit of times: tt_csv_time_unit() + 1; 0: ns */
	bool bom, safe, blobs;        /* blobs: true: write the bytes of blobs in hex, not only their number */
};

struct csv {
	struct tt_emitting e;
	const struct tt_csv_opts *own;
	struct tt_sink *sink;
	const struct tt_pass *pass;   /* pass of the table; NULL: events */
	const char *table[2];
	struct tt_render_opts form;
	struct tt_pieces *process;    /* zones: `,name,category,,,` and LF; allocations: `,class,GC,` */
	size_t nprocess;
	uint64_t *tid;                /* native ids of the threads known before the events; samples may name other threads */
	size_t ntid;
	struct tt_buf scratch;
	uint64_t unwritten;
};

/* Print the time ${ns} in the unit of the options. */
char *tt_csv_put_time(char *p, const struct csv *c, int64_t ns);

/* A separator; a separator and a field of text, and of a name of the capture in brief, NULL being none; the two fields of a marker's name. */
void tt_csv_put_sep(struct tt_buf *b, const struct csv *c);
void tt_csv_put_field(struct tt_buf *b, const struct csv *c, const char *s, size_t n);
void tt_csv_put_brief(struct tt_buf *b, const struct csv *c, const char *s);
void tt_csv_put_name(struct tt_buf *b, const struct csv *c, const struct tt_name *name);

/* Print `,process,thread,tid,`; ${thread} is an index. */
char *tt_csv_put_ids(char *p, const struct csv *c, uint32_t process, uint32_t thread, bool has_tid, uint64_t tid);

/* Append a separator, and the text of ${args}, if any. Overwrites ${scratch}. */
void tt_csv_put_args(struct tt_buf *b, const struct csv *c, const struct tt_args *args, const char *const *name,
    struct tt_buf *scratch);

int tt_csv_rare(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);

#endif

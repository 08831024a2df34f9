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

/* The most the numbers of a record and their separators take. */
#define CSV_NUMBERS 160

struct tt_csv_opts {
	const char *table;            /* id of a table, or "events" (default) */
	int group;                    /* enum tt_group, of a table's rows */
	char sep;                     /* 0: ',' */
	int time_unit;                /* of times: as tt_csv_time_unit(), from 1 on; 0: ns */
	bool bom, safe, blobs;        /* blobs: their bytes in hex, not only their number */
};

struct csv {
	struct tt_emitting e;
	const struct tt_csv_opts *own;
	struct tt_sink *sink;
	const struct tt_pass *pass;   /* of the table; NULL: events */
	const char *table[2];
	struct tt_render_opts form;
	struct tt_pieces *process;    /* zones: `,name,category,,,` and LF; allocations: `,class,GC,` */
	size_t nprocess;
	uint64_t *tid;                /* native ids of the threads known before the events: samples name others */
	size_t ntid;
	struct tt_buf scratch;
	uint64_t unwritten;
};

/* Copy the time ${ns}, in the unit of the options. */
char *tt_csv_put_time(char *p, const struct csv *c, int64_t ns);

/* A separator; a separator and a field of text; the two fields of a name. */
void tt_csv_put_sep(struct tt_buf *b, const struct csv *c);
void tt_csv_put_field(struct tt_buf *b, const struct csv *c, const char *s, size_t n);
void tt_csv_put_name(struct tt_buf *b, const struct csv *c, const struct tt_name *name);

/* Print `,process,thread,tid,`; ${thread} is an index. */
char *tt_csv_put_ids(char *p, const struct csv *c, uint32_t process, uint32_t thread, bool has_tid, uint64_t tid);

/* A separator, and the text of ${args}, if any. ${scratch} is overwritten. */
void tt_csv_put_args(struct tt_buf *b, const struct csv *c, const struct tt_args *args, const char *const *name,
    struct tt_buf *scratch);

int tt_csv_rare(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);

#endif

/**
 * The tables and views that `convert -o FILE.sqlite` makes beside those of `stats`, as data: DDL, tracetool-sqlite(7) and `tracetool list
 * schema` come from here.
 */
#ifndef TT_EMIT_SQLITE_SCHEMA_H
#define TT_EMIT_SQLITE_SCHEMA_H

#include "sql/db.h"

/* PRAGMA user_version: raised when a table or column is removed or changes its meaning. */
#define TT_SQLITE_VERSION 1

enum tt_sqlite_level { TT_SQLITE_FRAMES = 1, TT_SQLITE_MARKERS, TT_SQLITE_SLICES };
const char *tt_sqlite_level_name(size_t i);   /* from 0; NULL after the last */

enum tt_sqlite_table {
	TT_SQL_ABOUT, TT_SQL_INFO, TT_SQL_PROCESS, TT_SQL_THREAD, TT_SQL_FRAME, TT_SQL_FACT, TT_SQL_CATEGORY, TT_SQL_MARKER, TT_SQL_CLASS,
	TT_SQL_SLICE, TT_SQL_ARG, TT_SQL_STACK, TT_SQL_ALLOCATION, TT_SQL_SAMPLE, TT_SQL_COUNTER, TT_SQL_POINT, TT_SQL_FLOW,
	TT_SQL_HEAP_OBJECT, TT_SQL_HEAP_ROOT, TT_SQL_EVENT,
	TT_SQL_TABLES
};

extern const struct tt_db_table tt_sqlite_table[TT_SQL_TABLES];

/* Views, created after the rows; the last has no name. */
struct tt_sqlite_view { const char *name, *sql, *help; const struct tt_db_col *col; size_t ncol; };
extern const struct tt_sqlite_view tt_sqlite_view[];

#endif

/**
 * Databases of SQLite, as outputs and as inputs.
 *
 * An output is made in a spool (io/spool.h), in one transaction without a journal, and copied to a sink when it is complete: so it can go
 * wherever other outputs go (a file that is replaced at once, standard output, a compressed file), and nothing of it is left after
 * an error. It cannot go to the sink directly, because SQLite seeks and reads back bytes that it wrote.
 *
 * An input is a file that does not change while it is open: it is opened once, read-only, and not locked.
 *
 * SQLite accesses files only through the functions of vfs.h, never by name, so it works in a sealed process (io/sandbox.h). Its memory is not
 * counted in env->mem: TT_DB_CACHE bytes of pages, and as many again when it sorts.
 *
 * Errors of outputs stick: the first is kept, nothing is added after it, and tt_db_error() returns it. Functions that add to an output return no error.
 *
 * If tracetool is built without libsqlite3 (the Makefile looks for it), these functions exist, but fail with the text of tt_db_missing().
 *
 * Threads: one at a time.
 */
#ifndef TT_SQL_DB_H
#define TT_SQL_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"

struct tt_db;
struct tt_db_insert;
struct tt_sink;

/* Bytes of the pages that SQLite caches. */
#define TT_DB_CACHE ((size_t)16 << 20)

/* Stands for NULL in rows of tt_db_rows(). */
#define TT_DB_NULL INT64_MIN

/* Return a sentence that says why this build has no databases, and what to do about it; NULL: it has databases. */
const char *tt_db_missing(void);

/* --- the schema, as data ------------------------------------------------------------ */

struct tt_db_col {
	const char *name, *type;      /* type: as in CREATE TABLE, "INTEGER PRIMARY KEY" */
	const char *help;             /* one sentence, for tracetool-sqlite(7) */
};

struct tt_db_table {
	const char *name;
	const struct tt_db_col *col;
	size_t ncol;
	const char *help;             /* a sentence that says what a row is */
	const char *after_columns;    /* text after the columns in CREATE TABLE, such as ", PRIMARY KEY (a, b)"; NULL: no text */
};

/* --- outputs --------------------------------------------------------------------------- */

/**
 * tt_db_make(env, rows, db, err):
 * Make an empty database for about ${rows} rows. For few rows it has small pages, so that a small database with many tables stays small.
 * Errors: TT_E_USAGE if tt_db_missing(), TT_E_NOMEM, TT_E_IO naming the directory of temporary files.
 */
int tt_db_make(struct tt_env *env, uint64_t rows, struct tt_db **db, struct tt_err *err);

/* Close the database and free its memory; an output that was not saved is lost. NULL is fine. */
void tt_db_free(struct tt_db *db);

/* Return the code of the first error, and copy it to ${err}; TT_OK: no error. */
int tt_db_error(const struct tt_db *db, struct tt_err *err);

/* Record an error of the caller, as if the database had met it. */
void tt_db_fail(struct tt_db *db, const struct tt_err *err);

/* Run statements that give no rows. */
void tt_db_run(struct tt_db *db, const char *sql);

/* As tt_db_run() for statements in a buffer, which is freed. */
struct tt_buf;
void tt_db_run_buf(struct tt_db *db, struct tt_buf *sql);

/* Make a table of the schema. */
void tt_db_create(struct tt_db *db, const struct tt_db_table *t);

/* Append ${name} to ${sql} as an identifier, quoted so that any characters are allowed. */
void tt_db_name(struct tt_buf *sql, const char *name);

/**
 * tt_db_insert(db, table, ncol):
 * Prepare to add rows to ${table}, which has ${ncol} columns: for each row set columns, then call tt_db_row(). A column that is not set is NULL. The result
 * belongs to ${db}. It is NULL after an error; functions that take it accept NULL and do nothing.
 */
struct tt_db_insert *tt_db_insert(struct tt_db *db, const char *table, size_t ncol);

void tt_db_int(struct tt_db_insert *i, size_t col, int64_t v);
void tt_db_real(struct tt_db_insert *i, size_t col, double v);

/* Set a column to a text, with U+FFFD for NUL and bytes that are not UTF-8. tt_db_text_or_null(): if ${s} is NULL or "", the column stays NULL. */
void tt_db_text(struct tt_db_insert *i, size_t col, const char *s, size_t n);
void tt_db_text_or_null(struct tt_db_insert *i, size_t col, const char *s);

/* Add the row, and return its rowid: its number from 1, unless the table sets one. */
int64_t tt_db_row(struct tt_db_insert *i);

/**
 * tt_db_bulk(db, table, values):
 * Prepare to add rows of whole numbers, many at a time. ${values} gives the columns of a row, as in "NULL, ?1, c0, c1": c0 to c7 are the
 * numbers of the row, ?1 is the same number for all rows of a call. Three times as fast as tt_db_row().
 */
struct tt_db_insert *tt_db_bulk(struct tt_db *db, const char *table, const char *values);

/* Add ${n} rows from ${v}, which holds ${ncol} numbers for each, with ${all} as ?1. */
void tt_db_rows(struct tt_db_insert *i, int64_t all, const int64_t *v, size_t n, size_t ncol);

/**
 * tt_db_save(db, sink, err):
 * Finish the database and write its bytes to ${sink}, which is neither committed nor closed. After it, ${db} can only be freed.
 */
int tt_db_save(struct tt_db *db, struct tt_sink *sink, struct tt_err *err);

/* --- inputs ---------------------------------------------------------------------------- */

enum tt_db_type { TT_DB_NONE, TT_DB_INT, TT_DB_REAL, TT_DB_TEXT, TT_DB_BLOB };

struct tt_db_query;

/**
 * tt_db_open(env, path, db, err):
 * Open the database ${path} for reading. Errors: TT_E_USAGE if tt_db_missing(); TT_E_IO; TT_E_UNKNOWN: it is no database, or another program
 * has it open or has died, so that changes are in a file beside it.
 */
int tt_db_open(struct tt_env *env, const char *path, struct tt_db **db, struct tt_err *err);

/**
 * tt_db_query(db, sql, q, err):
 * Prepare one statement, which may only read this database. Errors: TT_E_USAGE with SQLite's message; TT_E_DAMAGED, TT_E_UNKNOWN.
 */
int tt_db_query(struct tt_db *db, const char *sql, struct tt_db_query **q, struct tt_err *err);
void tt_db_query_free(struct tt_db_query *q);

/* Go on to the next row: TT_OK, TT_END, or an error (TT_E_USAGE, TT_E_DAMAGED, TT_E_STOPPED, TT_E_NOMEM, TT_E_IO). */
int tt_db_next(struct tt_db_query *q, struct tt_err *err);

size_t tt_db_columns(const struct tt_db_query *q);
const char *tt_db_column(const struct tt_db_query *q, size_t col);

/* Return the type or the value of a column of the present row; texts and blobs are valid until the next row. */
enum tt_db_type tt_db_type(const struct tt_db_query *q, size_t col);
int64_t tt_db_int_at(const struct tt_db_query *q, size_t col);
double tt_db_real_at(const struct tt_db_query *q, size_t col);
const char *tt_db_text_at(const struct tt_db_query *q, size_t col, size_t *n);

#endif

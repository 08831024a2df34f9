/**
 * Databases of SQLite, as outputs and as inputs.
 *
 * An output is made in a spool (io/spool.h), in one transaction without a journal, and copied to a sink when it is complete: so it goes
 * wherever other outputs go (a file that takes its place at once, standard output, a compressed file), and nothing of it is left after
 * an error. SQLite seeks and reads back what it wrote, which a sink cannot.
 *
 * An input is a file that does not change while it is open: it is opened once, read-only, and not locked.
 *
 * SQLite reaches files by functions of vfs.h alone, never by names, so it works in a sealed process (io/sandbox.h). Its memory is not counted
 * in env->mem: TT_DB_CACHE bytes of pages, and as many again where it sorts.
 *
 * Errors of outputs stick: the first is kept, nothing is added from then on, and tt_db_error() tells it. Functions that add to it return nothing.
 *
 * Without libsqlite3 (the Makefile looks for it) all of this is there, and fails with what tt_db_missing() says.
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

/* Bytes of pages that SQLite keeps. */
#define TT_DB_CACHE ((size_t)16 << 20)

/* In rows of tt_db_rows(): no value. */
#define TT_DB_NULL INT64_MIN

/* Why there are no databases here, with what to do about it, as a sentence; NULL: there are. */
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
	const char *help;             /* what a row is, as a sentence */
	const char *more;             /* what follows the columns in CREATE TABLE, ", PRIMARY KEY (a, b)"; or NULL */
};

/* --- outputs --------------------------------------------------------------------------- */

/**
 * tt_db_make(env, rows, db, err):
 * Make an empty database, for about ${rows} rows: few make small pages, so that a small one with many tables stays small.
 * Errors: TT_E_USAGE where tt_db_missing(), TT_E_NOMEM, TT_E_IO naming the directory of temporary files.
 */
int tt_db_make(struct tt_env *env, uint64_t rows, struct tt_db **db, struct tt_err *err);

/* Close it and give back what it holds; an output that was not saved is gone. NULL is fine. */
void tt_db_free(struct tt_db *db);

/* The first error, copied to ${err}: its code, or TT_OK. */
int tt_db_error(const struct tt_db *db, struct tt_err *err);

/* Keep an error of the caller's. */
void tt_db_fail(struct tt_db *db, const struct tt_err *err);

/* Run statements that give no rows. */
void tt_db_run(struct tt_db *db, const char *sql);

/* The same of statements that were put together, which are freed. */
struct tt_buf;
void tt_db_run_buf(struct tt_db *db, struct tt_buf *sql);

/* Make a table of the schema. */
void tt_db_create(struct tt_db *db, const struct tt_db_table *t);

/* Append ${name} to ${sql} as an identifier: quoted, whatever is in it. */
void tt_db_name(struct tt_buf *sql, const char *name);

/**
 * tt_db_insert(db, table, ncol):
 * Rows into ${table}, which has ${ncol} columns: set columns, then tt_db_row(). A column that is not set is NULL. Belongs to ${db}. NULL after an error; all
 * that takes one takes NULL and does nothing.
 */
struct tt_db_insert *tt_db_insert(struct tt_db *db, const char *table, size_t ncol);

void tt_db_int(struct tt_db_insert *i, size_t col, int64_t v);
void tt_db_real(struct tt_db_insert *i, size_t col, double v);

/* Text: what is not UTF-8, and NUL, becomes U+FFFD. tt_db_known(): NULL and "" stay NULL. */
void tt_db_text(struct tt_db_insert *i, size_t col, const char *s, size_t n);
void tt_db_known(struct tt_db_insert *i, size_t col, const char *s);

/* Add the row; its number, from 1 where the table has none of its own. */
int64_t tt_db_row(struct tt_db_insert *i);

/**
 * tt_db_bulk(db, table, values):
 * Rows of whole numbers, many at a time: ${values} is what each row is made of, "NULL, ?1, c0, c1". c0 to c7 are the numbers of a
 * row, ?1 one for all rows of a call. Three times as fast as tt_db_row().
 */
struct tt_db_insert *tt_db_bulk(struct tt_db *db, const char *table, const char *values);

/* Add ${n} rows of ${ncol} numbers each at ${v}, and ${all} as ?1. */
void tt_db_rows(struct tt_db_insert *i, int64_t all, const int64_t *v, size_t n, size_t ncol);

/**
 * tt_db_save(db, sink, err):
 * End the database and write its bytes to ${sink}, which is neither committed nor closed. ${db} is only to be freed then.
 */
int tt_db_save(struct tt_db *db, struct tt_sink *sink, struct tt_err *err);

/* --- inputs ---------------------------------------------------------------------------- */

enum tt_db_type { TT_DB_NONE, TT_DB_INT, TT_DB_REAL, TT_DB_TEXT, TT_DB_BLOB };

struct tt_db_query;

/**
 * tt_db_open(env, path, db, err):
 * Open the database ${path} for reading. Errors: TT_E_USAGE where tt_db_missing(); TT_E_IO; TT_E_UNKNOWN: it is no database, or one that
 * another program has not ended: changes to it are in a file beside it.
 */
int tt_db_open(struct tt_env *env, const char *path, struct tt_db **db, struct tt_err *err);

/**
 * tt_db_query(db, sql, q, err):
 * Prepare one statement, which may only read this database. Errors: TT_E_USAGE with SQLite's message; TT_E_DAMAGED, TT_E_UNKNOWN.
 */
int tt_db_query(struct tt_db *db, const char *sql, struct tt_db_query **q, struct tt_err *err);
void tt_db_query_free(struct tt_db_query *q);

/* The next row: TT_OK, TT_END, or an error (TT_E_USAGE, TT_E_DAMAGED, TT_E_STOPPED, TT_E_NOMEM, TT_E_IO). */
int tt_db_next(struct tt_db_query *q, struct tt_err *err);

size_t tt_db_columns(const struct tt_db_query *q);
const char *tt_db_column(const struct tt_db_query *q, size_t col);

/* The value of a column of the present row; text and blobs last until the next. */
enum tt_db_type tt_db_type(const struct tt_db_query *q, size_t col);
int64_t tt_db_int_at(const struct tt_db_query *q, size_t col);
double tt_db_real_at(const struct tt_db_query *q, size_t col);
const char *tt_db_text_at(const struct tt_db_query *q, size_t col, size_t *n);

#endif

/**
 * Results of a batch (result.h) as a database: a row for each capture with every figure and fact, its markers and allocation sites.
 *
 * The rows depend on the results alone and come in their order: of shards that are merged they are those of one run. Described in
 * tracetool-sqlite(7).
 *
 * Results hold markers and sites where tt_one_opts.tables asked for them.
 */
#ifndef TT_BATCH_DATABASE_H
#define TT_BATCH_DATABASE_H

#include "sql/db.h"

struct tt_json;
struct tt_result;
struct tt_sink;
struct tt_views;

/* PRAGMA user_version: raised where a table or column is taken away or means something else. */
#define TT_BATCH_DB_VERSION 1

enum tt_batch_table {
	TT_BDB_INFO, TT_BDB_CAPTURE, TT_BDB_FACT, TT_BDB_HISTOGRAM, TT_BDB_MARKER, TT_BDB_CAPTURE_MARKER, TT_BDB_SITE, TT_BDB_LOSS, TT_BDB_ARCHIVE,
	TT_BDB_TABLES
};

/* The tables with their own columns; in capture, capture_marker and allocation_site, columns of tables of passes follow these. */
extern const struct tt_db_table tt_batch_table[TT_BDB_TABLES];

/* Its views, by name and a sentence. NULL-named after the last. */
extern const struct tt_batch_view { const char *name, *help; } tt_batch_view[];

struct tt_batch_db;

/* ${generator}: "tracetool VERSION". ${missing}: the shards that the database lacks, as text; NULL: none. Errors: those of tt_db_make(). */
int tt_batch_db_new(struct tt_env *env, const char *generator, const char *missing, struct tt_batch_db **d, struct tt_err *err);
void tt_batch_db_free(struct tt_batch_db *d);

/* Add a result. */
int tt_batch_db_add(struct tt_batch_db *d, const struct tt_result *r, struct tt_err *err);

/* Data that the database lacks. bare: captures whose results hold no markers, as nobody asked for them; keys: keys of facts without a column in captures. */
struct tt_batch_db_left { uint64_t bare, keys; };

/* Write the database, after all results were added. */
int tt_batch_db_save(struct tt_batch_db *d, struct tt_sink *sink, struct tt_batch_db_left *left, struct tt_err *err);

/**
 * tt_batch_tables(view, j, most, err):
 * Append `"tables":{...}`, the markers and allocation sites of a capture, in at most about ${most} bytes: those with most self time or most
 * bytes come first, with the number of those left out.
 */
int tt_batch_tables(struct tt_views *view, struct tt_json *j, size_t most, struct tt_err *err);

/* The needs of the run for tt_batch_tables(). */
unsigned tt_batch_tables_needs(void);

#endif

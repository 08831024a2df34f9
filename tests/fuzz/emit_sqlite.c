/**
 * Fuzz target: any names and events as a database: one that SQLite itself finds whole, in which every number of a row leads to a row, and
 * every text is UTF-8 without NUL. Without SQLite there is nothing to try.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "emit_kit.h"
#include "io/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

#ifdef TT_SQLITE
#include <sqlite3.h>

static void
need(bool holds, const char *what, const char *why)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s\n", what, why);
	abort();
}

/* Each gives no row, in a database that makes sense. (No value at all is not in an empty table, either.) */
#define IS_NO(column, table) column " NOT NULL AND " column " NOT IN (SELECT id FROM " table ")"
static const char *const never[] = {
	"SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
	"SELECT 1 FROM thread WHERE process IS NULL OR " IS_NO("process", "process"),
	"SELECT 1 FROM marker WHERE name IS NULL OR full_name IS NULL OR " IS_NO("category", "category"),
	"SELECT 1 FROM slice WHERE thread IS NULL OR marker IS NULL OR start_ns IS NULL OR dur_ns IS NULL OR depth IS NULL",
	"SELECT 1 FROM slice WHERE " IS_NO("thread", "thread") " OR " IS_NO("marker", "marker"),
	"SELECT 1 FROM slice_arg WHERE args IS NULL OR " IS_NO("slice", "slice"),
	"SELECT 1 FROM stack WHERE parent >= id OR marker IS NULL OR " IS_NO("parent", "stack") " OR " IS_NO("marker", "marker"),
	"SELECT 1 FROM allocation WHERE thread IS NULL OR bytes IS NULL OR count IS NULL OR " IS_NO("thread", "thread"),
	"SELECT 1 FROM allocation WHERE " IS_NO("class", "class") " OR " IS_NO("stack", "stack"),
	"SELECT 1 FROM sample WHERE thread IS NULL OR " IS_NO("thread", "thread") " OR " IS_NO("stack", "stack"),
	"SELECT 1 FROM counter_value WHERE counter IS NULL OR " IS_NO("counter", "counter"),
	"SELECT 1 FROM flow WHERE thread IS NULL OR " IS_NO("thread", "thread"),
	"SELECT 1 FROM event WHERE kind IS NULL OR " IS_NO("thread", "thread"),
	"SELECT 1 WHERE (SELECT count(*) FROM slice) <> (SELECT count(*) FROM slices)",
	"SELECT 1 WHERE (SELECT count(*) FROM allocation) <> (SELECT count(*) FROM allocations)",
};

static sqlite3_stmt *
query(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s = NULL;

	need(sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, sql, sqlite3_errmsg(db));
	return s;
}

static void
check_texts(sqlite3 *db, const char *table)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", table);
	sqlite3_stmt *s = query(db, sql);
	int rc;

	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		for (int col = 0; col < sqlite3_column_count(s); col++) {
			if (sqlite3_column_type(s, col) != SQLITE_TEXT)
				continue;
			const char *p = (const char *)sqlite3_column_text(s, col);
			size_t left = (size_t)sqlite3_column_bytes(s, col);

			need(!memchr(p, '\0', left), table, "a NUL in a text");
			for (size_t n = 0; left > 0; p += n, left -= n) {
				n = tt_utf8_len(p, left);
				need(n > 0, table, "a text is not UTF-8");
			}
		}
	}
	need(rc == SQLITE_DONE, table, sqlite3_errmsg(db));
	sqlite3_finalize(s);
	sqlite3_free(sql);
}

static void
check(const char *p, size_t n)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *s;
	unsigned char *bytes = sqlite3_malloc64(n);

	need(bytes && sqlite3_open(":memory:", &db) == SQLITE_OK, "SQLite", "it does not start");
	memcpy(bytes, p, n);
	need(sqlite3_deserialize(db, "main", bytes, (sqlite3_int64)n, (sqlite3_int64)n, SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY)
	    == SQLITE_OK, "SQLite", "it does not take the bytes");
	for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
		s = query(db, never[i]);
		need(sqlite3_step(s) == SQLITE_DONE, never[i], "there is a row, or an error");
		sqlite3_finalize(s);
	}
	s = query(db, "SELECT name FROM sqlite_schema WHERE type = 'table'");
	while (sqlite3_step(s) == SQLITE_ROW)
		check_texts(db, (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	sqlite3_close(db);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct kit k;
	const char *bytes;
	size_t len;

	/* The time of one input is bounded by its length alone. */
	if (n > 1 << 16)
		return 0;
	kit_fuzz(&k, "sqlite", p, n);
	bytes = tt_sink_mem_data(k.sink[0], &len);
	/* kit_fuzz() put a NUL behind it. */
	check(bytes, len - 1);
	kit_free(&k);
	return 0;
}
#else
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	(void)p;
	(void)n;
	return 0;
}
#endif

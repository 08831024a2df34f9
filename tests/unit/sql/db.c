/*
 * Tests of sql/db.h: what is put into a database comes out of it, any number and any text; errors stick; and an input is only read. Without SQLite
 * everything says so.
 */
#include "check.h"

#include "base/buf.h"
#include "base/err.h"
#include "io/sink.h"
#include "sql/db.h"

static struct tt_env env = { .spool_max = 64 << 20 };
static struct tt_err err;

static const struct tt_db_col col[] = { { "id", "INTEGER PRIMARY KEY", "Number." }, { "n", "INTEGER", "A whole number." }, { "r", "REAL", "A number." },
	{ "t", "TEXT", "A text." } };
static const struct tt_db_table table = { "thing", col, 4, "A thing.", NULL };

/* True if there are databases here; else what takes one says so, and the test is left out. */
static bool
is_there(void)
{
	struct tt_db *db = NULL;

	err = (struct tt_err){ .at = TT_NOWHERE };
	if (!tt_db_missing())
		return true;
	CHECK_EQ_INT(tt_db_make(&env, 10, &db, &err), TT_E_USAGE);
	CHECK_EQ_INT(tt_db_open(&env, "x", &db, &err), TT_E_USAGE);
	LEFT_OUT("there is no SQLite");
	return false;
}

static struct tt_db *
make(void)
{
	struct tt_db *db = NULL;

	CHECK_EQ_INT(tt_db_make(&env, 10, &db, &err), TT_OK);
	tt_db_create(db, &table);
	return db;
}

/* Save ${db} as the file ${path}, free it, and open that. */
static struct tt_db *
reopen(struct tt_db *db, const char *path)
{
	struct tt_sink *sink = NULL;

	CHECK_EQ_INT(tt_sink_open(&env, path, &sink, &err), TT_OK);
	CHECK_EQ_INT(tt_db_save(db, sink, &err), TT_OK);
	CHECK_EQ_INT(tt_sink_commit(sink, &err), TT_OK);
	tt_db_free(db);
	db = NULL;
	CHECK_EQ_INT(tt_db_open(&env, path, &db, &err), TT_OK);
	return db;
}

/* The first row of a query, if there is one. */
static struct tt_db_query *
first(struct tt_db *db, const char *sql)
{
	struct tt_db_query *q = NULL;

	CHECK_EQ_INT(tt_db_query(db, sql, &q, &err), TT_OK);
	CHECK_EQ_INT(tt_db_next(q, &err), TT_OK);
	return q;
}

static int64_t
number(struct tt_db *db, const char *sql)
{
	struct tt_db_query *q = first(db, sql);
	const int64_t v = tt_db_int_at(q, 0);

	tt_db_query_free(q);
	return v;
}

TEST(numbers_at_both_ends_and_what_is_not_set_come_back)
{
	static const int64_t v[] = { 0, 1, -1, INT64_MAX, INT64_MIN, 1 << 20, (int64_t)1 << 53 };
	static const double r[] = { 0, -1.5, 1e300, -1e-300, 0.1, 3, 2.5 };
	enum { N = sizeof v / sizeof *v };
	size_t n = 0;

	if (!is_there())
		return;
	struct tt_db *db = make();
	struct tt_db_insert *i = tt_db_insert(db, "thing", 4);
	for (size_t k = 0; k < N; k++) {
		tt_db_int(i, 1, v[k]);
		tt_db_real(i, 2, r[k]);
		CHECK_EQ_INT(tt_db_row(i), k + 1);
	}
	CHECK_EQ_INT(tt_db_row(i), N + 1);
	CHECK_EQ_INT(tt_db_error(db, &err), TT_OK);
	db = reopen(db, check_path("numbers.sqlite"));
	struct tt_db_query *q = NULL;
	CHECK_EQ_INT(tt_db_query(db, "SELECT n, r, t FROM thing ORDER BY id", &q, &err), TT_OK);
	CHECK_EQ_INT(tt_db_columns(q), 3);
	CHECK_STR(tt_db_column(q, 1), "r");
	for (; tt_db_next(q, &err) == TT_OK; n++) {
		CHECK_EQ_INT(tt_db_type(q, 0), n < N ? TT_DB_INT : TT_DB_NONE);
		CHECK_EQ_INT(tt_db_type(q, 1), n < N ? TT_DB_REAL : TT_DB_NONE);
		CHECK_EQ_INT(tt_db_type(q, 2), TT_DB_NONE);
		CHECK(n >= N || (tt_db_int_at(q, 0) == v[n] && memcmp(&(double){ tt_db_real_at(q, 1) }, &r[n], sizeof *r) == 0));
	}
	CHECK_EQ_INT(n, N + 1);
	tt_db_query_free(q);
	tt_db_free(db);
	CHECK_EQ_INT(env.mem.used, 0);
}

TEST(any_bytes_become_text_and_names_are_names)
{
	static const struct { const char *put; size_t n; const char *have; } text[] = { { "plain", 5, "plain" }, { "it's \"x\"; DROP TABLE thing", 26, NULL },
		{ "a\0b", 3, "a\xef\xbf\xbd" "b" }, { "\xff\xc3(", 3, "\xef\xbf\xbd\xef\xbf\xbd(" }, { "\xe2\x82\xac", 3, "\xe2\x82\xac" }, { "", 0, "" } };
	enum { N = sizeof text / sizeof *text };
	struct tt_buf sql = { 0 };

	if (!is_there())
		return;
	struct tt_db *db = make();
	struct tt_db_insert *i = tt_db_insert(db, "thing", 4);
	for (size_t k = 0; k < N; k++) {
		tt_db_text(i, 3, text[k].put, text[k].n);
		tt_db_row(i);
	}
	/* NULL and "" stay NULL. */
	tt_db_text_or_null(i, 3, NULL);
	tt_db_row(i);
	tt_db_text_or_null(i, 3, "");
	tt_db_row(i);
	tt_buf_text(&sql, "CREATE TABLE ");
	tt_db_name(&sql, "a \"b\"; DROP TABLE thing");
	tt_buf_text(&sql, " (x); INSERT INTO ");
	tt_db_name(&sql, "a \"b\"; DROP TABLE thing");
	tt_buf_text(&sql, " VALUES (5)");
	tt_db_run_buf(db, &sql);
	CHECK_EQ_INT(tt_db_error(db, &err), TT_OK);
	db = reopen(db, check_path("text.sqlite"));
	struct tt_db_query *q = NULL;
	CHECK_EQ_INT(tt_db_query(db, "SELECT t FROM thing ORDER BY id", &q, &err), TT_OK);
	for (size_t k = 0; k < N; k++) {
		size_t n = 0;

		CHECK_EQ_INT(tt_db_next(q, &err), TT_OK);
		CHECK_EQ_INT(tt_db_type(q, 0), TT_DB_TEXT);
		CHECK_STR(tt_db_text_at(q, 0, &n), text[k].have ? text[k].have : text[k].put);
	}
	for (unsigned k = 0; k < 2; k++) {
		CHECK_EQ_INT(tt_db_next(q, &err), TT_OK);
		CHECK_EQ_INT(tt_db_type(q, 0), TT_DB_NONE);
	}
	CHECK_EQ_INT(tt_db_next(q, &err), TT_END);
	tt_db_query_free(q);
	CHECK_EQ_INT(number(db, "SELECT x FROM \"a \"\"b\"\"; DROP TABLE thing\""), 5);
	tt_db_free(db);
	CHECK_EQ_INT(env.mem.used, 0);
}

TEST(rows_by_the_many_are_rows_one_by_one)
{
	enum { N = 1000 };
	int64_t v[2 * N];

	if (!is_there())
		return;
	struct tt_db *db = make();
	struct tt_db_insert *i = tt_db_bulk(db, "thing", "NULL, c0, ?1, c1");
	for (int64_t k = 0; k < N; k++) {
		v[2 * k] = k % 7 ? k : TT_DB_NULL;
		v[2 * k + 1] = -k;
	}
	/* In calls of any size. */
	for (size_t at = 0, n = 1; at < N; at += n, n = n * 3 > N - at ? N - at : n * 3)
		tt_db_rows(i, 42, v + 2 * at, n, 2);
	CHECK_EQ_INT(tt_db_error(db, &err), TT_OK);
	db = reopen(db, check_path("bulk.sqlite"));
	CHECK_EQ_INT(number(db, "SELECT count(*) FROM thing"), N);
	CHECK_EQ_INT(number(db, "SELECT count(*) FROM thing WHERE n IS NULL"), (N + 6) / 7);
	CHECK_EQ_INT(number(db, "SELECT count(*) FROM thing WHERE r = 42"), N);
	CHECK_EQ_INT(number(db, "SELECT count(*) FROM thing WHERE n = id - 1 AND CAST(t AS INTEGER) = 1 - id"), N - (N + 6) / 7);
	tt_db_free(db);
	CHECK_EQ_INT(env.mem.used, 0);
}

TEST(the_first_error_sticks_and_nothing_is_saved)
{
	struct tt_sink *sink = NULL;

	if (!is_there())
		return;
	struct tt_db *db = make();
	const struct tt_err own = { .code = TT_E_DAMAGED, .at = 7, .msg = "the caller's" };
	tt_db_fail(db, &own);
	tt_db_run(db, "this is no statement");
	struct tt_db_insert *i = tt_db_insert(db, "thing", 4);
	CHECK(i == NULL);
	tt_db_int(i, 1, 5);
	tt_db_text(i, 3, "x", 1);
	tt_db_row(i);
	CHECK_EQ_INT(tt_db_error(db, &err), TT_E_DAMAGED);
	CHECK_STR(err.msg, "the caller's");
	CHECK_EQ_INT(tt_sink_open_mem(&env, &sink, &err), TT_OK);
	CHECK_EQ_INT(tt_db_save(db, sink, &err), TT_E_DAMAGED);
	tt_sink_abort(sink);
	tt_db_free(db);
	tt_db_free(NULL);
	CHECK_EQ_INT(env.mem.used, 0);
}

TEST(an_input_is_only_read)
{
	static const char *const writes[] = { "DELETE FROM thing", "DROP TABLE thing", "INSERT INTO thing VALUES (9, 9, 9, 9)", "CREATE TABLE more (x)",
		"ATTACH 'other.sqlite' AS other", "PRAGMA journal_mode = WAL", "SELECT 1; DELETE FROM thing", "VACUUM", "nonsense", "" };

	if (!is_there())
		return;
	struct tt_db *db = make();
	struct tt_db_insert *i = tt_db_insert(db, "thing", 4);
	tt_db_row(i);
	db = reopen(db, check_path("read.sqlite"));
	for (size_t k = 0; k < sizeof writes / sizeof *writes; k++) {
		struct tt_db_query *q = NULL;

		err = (struct tt_err){ .at = TT_NOWHERE };
		int rc = tt_db_query(db, writes[k], &q, &err);
		rc = rc == TT_OK ? tt_db_next(q, &err) : rc;
		if (!CHECK(rc == TT_E_USAGE && err.msg[0]))
			printf("\t%s: %d\n", writes[k], rc);
		tt_db_query_free(q);
	}
	CHECK_EQ_INT(number(db, "SELECT count(*) FROM thing"), 1);
	tt_db_free(db);
	CHECK_EQ_INT(env.mem.used, 0);
}

TEST(what_is_no_database_is_told)
{
	struct tt_db *db = NULL;

	if (!is_there())
		return;
	FILE *f = fopen(check_path("no.sqlite"), "w");
	fputs("a text that is no database, but as long as the head of one, which has one hundred bytes: so it goes on for a while yet", f);
	fclose(f);
	CHECK_EQ_INT(tt_db_open(&env, check_path("no.sqlite"), &db, &err), TT_E_UNKNOWN);
	tt_db_free(db);
	db = NULL;
	CHECK_EQ_INT(tt_db_open(&env, check_path("not there.sqlite"), &db, &err), TT_E_IO);
	tt_db_free(db);
	CHECK_EQ_INT(env.mem.used, 0);
}

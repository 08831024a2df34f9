/**
 * Opens and queries databases through SQLite, loaded if it is there.
 */
#include "sql/db.h"

#ifdef TT_SQLITE
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "io/sink.h"
#include "io/spool.h"
#include "sql/vfs.h"
#include "sys/sys.h"

/* "tt" and a number: SQLite's application id, which file(1) shows. */
#define APPLICATION 0x74740001

enum { PAGE = 4 << 10, LARGE_PAGE = 16 << 10, LARGE_ROWS = 1 << 20, COPY = 1 << 20, BULK_COLUMNS = 8, PROGRESS = 100000 };

/* One prepared INSERT. */
struct tt_db_insert {
	struct tt_db *db;
	sqlite3_stmt *stmt;
	struct tt_db_insert *next;
};

struct tt_db {
	struct tt_env *env;
	struct tt_db_files files;
	sqlite3 *sql;
	struct tt_db_insert *insert;
	struct tt_err failed;         /* the first error, which later calls return; code TT_OK: no error */
	struct { const int64_t *v; size_t n, ncol; } rows;    /* the rows of the virtual table tt_rows */
	struct tt_buf clean;
};

const char *
tt_db_missing(void)
{
	return NULL;
}

/* --- errors ------------------------------------------------------------------------- */

/* Fill ${err} for SQLite's ${code}, and return its status. */
static int
tell(struct tt_db *db, int code, struct tt_err *err)
{
	const char *msg = db->sql ? sqlite3_errmsg(db->sql) : sqlite3_errstr(code);

	if (db->files.err.code != TT_OK) {
		*err = db->files.err;
		return err->code;
	}
	switch (code & 0xff) {
	case SQLITE_NOMEM:
		return tt_fail_nomem(err);
	case SQLITE_INTERRUPT:
		return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
	case SQLITE_CORRUPT:
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "the database is damaged: %s", msg);
	case SQLITE_NOTADB:
		return tt_fail(err, TT_E_UNKNOWN, TT_NOWHERE, "this is not an SQLite database");
	case SQLITE_TOOBIG:
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "a text or a statement is longer than SQLite allows");
	case SQLITE_FULL:
		return tt_fail_sys(err, ENOSPC, "cannot write the database");
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return tt_fail(err, TT_E_IO, TT_NOWHERE, "%s", msg);
	default:
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s", msg);
	}
}

/* Keep the error ${code} if it is the first. True if there was any error so far. */
static bool
failed(struct tt_db *db, int code)
{
	if (db->failed.code == TT_OK && code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
		tell(db, code, &db->failed);
	return db->failed.code != TT_OK;
}

int
tt_db_error(const struct tt_db *db, struct tt_err *err)
{
	if (db->failed.code != TT_OK && err)
		*err = db->failed;
	return db->failed.code;
}

void
tt_db_fail(struct tt_db *db, const struct tt_err *err)
{
	if (db->failed.code == TT_OK)
		db->failed = *err;
}

/* --- opening and closing ----------------------------------------------------------------- */

/* SQLite calls this from time to time; a result other than 0 stops the query. */
static int
on_progress(void *arg)
{
	const struct tt_db *db = arg;

	return tt_stopped(db->env);
}

static int
open_sql(struct tt_db *db, int flags, struct tt_err *err)
{
	int code = tt_vfs_begin(&db->files, db->env);

	if (code == SQLITE_OK)
		code = sqlite3_open_v2("db", &db->sql, flags | SQLITE_OPEN_NOMUTEX, db->files.name);
	if (code != SQLITE_OK)
		return tell(db, code, err);
	sqlite3_progress_handler(db->sql, PROGRESS, on_progress, db);
	return TT_OK;
}

void
tt_db_free(struct tt_db *db)
{
	struct tt_mem *mem;

	if (!db)
		return;
	mem = &db->env->mem;
	while (db->insert) {
		struct tt_db_insert *i = db->insert;

		db->insert = i->next;
		sqlite3_finalize(i->stmt);
		tt_mem_free(mem, i, sizeof *i);
	}
	if (db->sql)
		sqlite3_close_v2(db->sql);
	tt_vfs_end(&db->files);
	tt_buf_free(&db->clean);
	tt_mem_free(mem, db, sizeof *db);
}

static struct tt_db *
new_db(struct tt_env *env, bool reads, struct tt_err *err)
{
	struct tt_db *db = tt_mem_alloc(&env->mem, sizeof *db, err);

	if (!db)
		return NULL;
	db->env = env;
	db->files.fd = -1;
	db->files.reads = reads;
	return db;
}

/* --- rows in bulk: a table that is an array of the caller's -------------------------------- */

struct rows_table { sqlite3_vtab base; struct tt_db *db; };
struct rows_cursor { sqlite3_vtab_cursor base; const int64_t *at, *end; size_t step; };

static int
rows_connect(sqlite3 *sql, void *arg, int n, const char *const *v, sqlite3_vtab **out, char **text)
{
	struct rows_table *t = sqlite3_malloc(sizeof *t);

	(void)n;
	(void)v;
	(void)text;
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct rows_table){ .db = arg };
	*out = &t->base;
	return sqlite3_declare_vtab(sql, "CREATE TABLE x (c0, c1, c2, c3, c4, c5, c6, c7)");
}

static int
rows_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

static int
rows_plan(sqlite3_vtab *t, sqlite3_index_info *info)
{
	(void)t;
	info->estimatedCost = 1;
	return SQLITE_OK;
}

static int
rows_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct rows_cursor *c = sqlite3_malloc(sizeof *c);

	if (!c)
		return SQLITE_NOMEM;
	*c = (struct rows_cursor){ .base.pVtab = t };
	*out = &c->base;
	return SQLITE_OK;
}

static int
rows_close(sqlite3_vtab_cursor *c)
{
	sqlite3_free(c);
	return SQLITE_OK;
}

static struct rows_cursor *
cursor_of(sqlite3_vtab_cursor *c)
{
	return (struct rows_cursor *)(void *)c;
}

static int
rows_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int n, sqlite3_value **v)
{
	struct rows_cursor *c = cursor_of(cursor);
	const struct tt_db *db = ((const struct rows_table *)(const void *)cursor->pVtab)->db;

	(void)number;
	(void)text;
	(void)n;
	(void)v;
	c->at = db->rows.v;
	c->step = db->rows.ncol;
	c->end = db->rows.v + db->rows.n * db->rows.ncol;
	return SQLITE_OK;
}

static int
rows_next(sqlite3_vtab_cursor *cursor)
{
	struct rows_cursor *c = cursor_of(cursor);

	c->at += c->step;
	return SQLITE_OK;
}

static int
rows_eof(sqlite3_vtab_cursor *cursor)
{
	const struct rows_cursor *c = cursor_of(cursor);

	return c->at >= c->end;
}

static int
rows_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int col)
{
	const struct rows_cursor *c = cursor_of(cursor);

	if ((size_t)col < c->step && c->at[col] != TT_DB_NULL)
		sqlite3_result_int64(to, c->at[col]);
	return SQLITE_OK;
}

static int
rows_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
	*number = (sqlite3_int64)(uintptr_t)cursor_of(cursor)->at;
	return SQLITE_OK;
}

static const sqlite3_module rows_module = {
	.xConnect = rows_connect, .xBestIndex = rows_plan, .xDisconnect = rows_disconnect, .xOpen = rows_open, .xClose = rows_close,
	.xFilter = rows_filter, .xNext = rows_next, .xEof = rows_eof, .xColumn = rows_column, .xRowid = rows_number,
};

/* --- outputs ---------------------------------------------------------------------------------- */

static int
set_up(struct tt_db *db, uint64_t rows, struct tt_err *err)
{
	char sql[400];

	snprintf(sql, sizeof sql, "PRAGMA page_size=%d; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
	    "PRAGMA cache_size=-%zu; PRAGMA encoding='UTF-8'; PRAGMA application_id=%d; BEGIN",
	    rows < LARGE_ROWS ? PAGE : LARGE_PAGE, TT_DB_CACHE >> 10, APPLICATION);
	if (sqlite3_create_module(db->sql, "tt_rows", &rows_module, db) != SQLITE_OK)
		return tell(db, SQLITE_NOMEM, err);
	tt_db_run(db, sql);
	return tt_db_error(db, err);
}

int
tt_db_make(struct tt_env *env, uint64_t rows, struct tt_db **out, struct tt_err *err)
{
	struct tt_env plain = { .stop = env->stop, .tmpdir = env->tmpdir };
	struct tt_db *db = new_db(env, false, err);
	int rc;

	*out = NULL;
	if (!db)
		return err->code;
	rc = tt_spool_open(&plain, &db->files.fd, err);
	TT_THEN(rc, open_sql(db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err));
	TT_THEN(rc, set_up(db, rows, err));
	if (rc == TT_OK)
		*out = db;
	else
		tt_db_free(db);
	return rc;
}

void
tt_db_run(struct tt_db *db, const char *sql)
{
	if (db->failed.code == TT_OK)
		failed(db, sqlite3_exec(db->sql, sql, NULL, NULL, NULL));
}

void
tt_db_name(struct tt_buf *sql, const char *name)
{
	tt_buf_text(sql, "\"");
	for (; *name; name++)
		tt_buf_add(sql, "\"\"", *name == '"' ? 2 : 0), tt_buf_add(sql, name, *name != '"');
	tt_buf_text(sql, "\"");
}

void
tt_db_run_buf(struct tt_db *db, struct tt_buf *sql)
{
	const char *text = tt_buf_string(sql);
	struct tt_err err;

	if (tt_buf_error(sql, &err) != TT_OK)
		tt_db_fail(db, &err);
	else
		tt_db_run(db, text);
	tt_buf_free(sql);
}

void
tt_db_create(struct tt_db *db, const struct tt_db_table *t)
{
	struct tt_buf sql = { 0 };

	tt_buf_text(&sql, "CREATE TABLE ");
	tt_db_name(&sql, t->name);
	for (size_t i = 0; i < t->ncol; i++) {
		tt_buf_text(&sql, i ? ", " : " (");
		tt_db_name(&sql, t->col[i].name);
		tt_buf_printf(&sql, " %s", t->col[i].type);
	}
	tt_buf_printf(&sql, "%s)", t->after_columns ? t->after_columns : "");
	tt_db_run_buf(db, &sql);
}

/* Prepare the statement ${sql}, and free the buffer. */
static struct tt_db_insert *
prepare(struct tt_db *db, struct tt_buf *sql)
{
	const char *text = tt_buf_string(sql);
	struct tt_db_insert *i = NULL;
	struct tt_err err = { 0 };

	if (tt_buf_error(sql, &err) == TT_OK)
		i = tt_mem_alloc(&db->env->mem, sizeof *i, &err);
	if (!i)
		tt_db_fail(db, &err);
	if (i) {
		i->db = db;
		i->next = db->insert;
		db->insert = i;
	}
	if (i && failed(db, sqlite3_prepare_v3(db->sql, text, -1, SQLITE_PREPARE_PERSISTENT, &i->stmt, NULL)))
		i = NULL;             /* it stays in the list, which frees it */
	tt_buf_free(sql);
	return i;
}

struct tt_db_insert *
tt_db_insert(struct tt_db *db, const char *table, size_t ncol)
{
	struct tt_buf sql = { 0 };

	if (db->failed.code != TT_OK)
		return NULL;
	tt_buf_text(&sql, "INSERT INTO ");
	tt_db_name(&sql, table);
	for (size_t i = 0; i < ncol; i++)
		tt_buf_text(&sql, i ? ",?" : " VALUES (?");
	tt_buf_text(&sql, ")");
	return prepare(db, &sql);
}

struct tt_db_insert *
tt_db_bulk(struct tt_db *db, const char *table, const char *values)
{
	struct tt_buf sql = { 0 };

	if (db->failed.code != TT_OK)
		return NULL;
	tt_buf_text(&sql, "INSERT INTO ");
	tt_db_name(&sql, table);
	tt_buf_printf(&sql, " SELECT %s FROM tt_rows", values);
	return prepare(db, &sql);
}

static bool
ready(const struct tt_db_insert *i)
{
	return i && i->db->failed.code == TT_OK;
}

void
tt_db_int(struct tt_db_insert *i, size_t col, int64_t v)
{
	if (ready(i))
		failed(i->db, sqlite3_bind_int64(i->stmt, (int)col + 1, v));
}

void
tt_db_real(struct tt_db_insert *i, size_t col, double v)
{
	if (ready(i))
		failed(i->db, sqlite3_bind_double(i->stmt, (int)col + 1, v));
}

/* Copy ${s} to db->clean, with bytes that are not text replaced. */
static int
clean(struct tt_db *db, const char *s, size_t n, struct tt_err *err)
{
	struct tt_buf *b = &db->clean;
	int rc;

	b->n = 0;
	if ((rc = tt_buf_room(b, 3 * n + 3, err)) != TT_OK)
		return rc;
	for (size_t from = 0; from <= n;) {
		const char *nul = memchr(s + from, '\0', n - from);
		size_t k = nul ? (size_t)(nul - s) - from : n - from;

		b->n = (size_t)(tt_utf8_clean(b->p + b->n, s + from, k) - b->p);
		from += k + 1;
		if (nul) {
			if ((rc = tt_buf_room(b, 3 * (n - from) + 6, err)) != TT_OK)
				return rc;
			tt_buf_text(b, "\xef\xbf\xbd");
		}
	}
	return tt_buf_error(b, err);
}

void
tt_db_text(struct tt_db_insert *i, size_t col, const char *s, size_t n)
{
	struct tt_err err;

	if (!ready(i))
		return;
	if (clean(i->db, s, n, &err) != TT_OK)
		tt_db_fail(i->db, &err);
	else
		failed(i->db, sqlite3_bind_text64(i->stmt, (int)col + 1, i->db->clean.p, i->db->clean.n, SQLITE_TRANSIENT, SQLITE_UTF8));
}

void
tt_db_text_or_null(struct tt_db_insert *i, size_t col, const char *s)
{
	if (s && *s)
		tt_db_text(i, col, s, strlen(s));
}

/* Run the statement, and reset it for the next row. */
static void
step(struct tt_db_insert *i)
{
	int code = sqlite3_step(i->stmt);

	failed(i->db, code);
	sqlite3_reset(i->stmt);
	sqlite3_clear_bindings(i->stmt);
	if (tt_stopped(i->db->env))
		failed(i->db, SQLITE_INTERRUPT);
}

int64_t
tt_db_row(struct tt_db_insert *i)
{
	if (!ready(i))
		return 0;
	step(i);
	return sqlite3_last_insert_rowid(i->db->sql);
}

void
tt_db_rows(struct tt_db_insert *i, int64_t all, const int64_t *v, size_t n, size_t ncol)
{
	if (!ready(i) || n == 0)
		return;
	i->db->rows.v = v;
	i->db->rows.n = n;
	i->db->rows.ncol = ncol < BULK_COLUMNS ? ncol : BULK_COLUMNS;
	if (sqlite3_bind_parameter_count(i->stmt) > 0)
		failed(i->db, sqlite3_bind_int64(i->stmt, 1, all));
	step(i);
	i->db->rows.n = 0;
}

/* Write the bytes of the spool to ${sink}. */
static int
copy(const struct tt_db *db, struct tt_sink *sink, struct tt_err *err)
{
	char *buf = tt_mem_alloc(&db->env->mem, COPY, err);
	uint64_t at = 0;
	int rc = buf ? TT_OK : err->code;

	while (rc == TT_OK) {
		const int64_t got = tt_sys_pread(db->files.fd, buf, COPY, at);

		if (got == 0)
			break;
		if (got < 0 && errno == EINTR && !tt_stopped(db->env))
			continue;
		if (got < 0)
			rc = tt_fail_sys(err, errno, "cannot read the database back from a temporary file");
		else
			rc = tt_sink_write(sink, buf, (size_t)got, err);
		at += got > 0 ? (uint64_t)got : 0;
	}
	tt_mem_free(&db->env->mem, buf, COPY);
	return rc;
}

int
tt_db_save(struct tt_db *db, struct tt_sink *sink, struct tt_err *err)
{
	int rc;

	tt_sink_set_database(sink);
	tt_db_run(db, "COMMIT");
	rc = tt_db_error(db, err);
	return rc == TT_OK ? copy(db, sink, err) : rc;
}

/* --- inputs ------------------------------------------------------------------------------------- */

/* Size and offsets of the header of a database: https://sqlite.org/fileformat.html */
enum { HEAD = 100, WRITE_VERSION = 18, READ_VERSION = 19, WAL = 2 };
static const char magic[16] = "SQLite format 3";

/* Check the header, and set *${wal} if the database is in WAL mode, where changes go to a second file first. */
static int
check_head(const struct tt_db *db, const char *path, bool *wal, struct tt_err *err)
{
	char head[HEAD];
	size_t n = 0;
	int64_t got;

	do {
		got = tt_sys_pread(db->files.fd, head + n, sizeof head - n, n);
		n += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && n < sizeof head) || (got < 0 && errno == EINTR && !tt_stopped(db->env)));
	if (got < 0 && errno == ESPIPE)
		return tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: a database is read by parts, which a pipe does not allow: save it as a file first", path);
	if (got < 0)
		return tt_fail_sys(err, errno, "%s", path);
	if (n < sizeof head || memcmp(head, magic, sizeof magic) != 0)
		return tt_fail(err, TT_E_UNKNOWN, TT_NOWHERE, "%s: not an SQLite database, or a compressed one; make one with \"tracetool convert -o "
		    "FILE.sqlite\"", path);
	*wal = head[WRITE_VERSION] == WAL || head[READ_VERSION] == WAL;
	return TT_OK;
}

/* Make the name of SQLite's file beside ${path}: links are followed first, as SQLite does. False if the name is too long. */
static bool
name_beside(const char *path, const char *suffix, char name[TT_PATH_BYTES])
{
	char *real = tt_sys_real_path(path);
	const int n = snprintf(name, TT_PATH_BYTES, "%s%s", real ? real : path, suffix);

	free(real);
	return n > 0 && n < TT_PATH_BYTES;
}

/*
 * Fail if the write-ahead log beside the database holds changes that were not moved to the database yet. The last program that closes the database
 * moves them and removes the log, so a database without a log, or with an empty log, is complete. (https://sqlite.org/walformat.html: the log exists
 * while a connection is open, or if the last one was not closed.)
 */
static int
check_wal(const char *path, struct tt_err *err)
{
	char name[TT_PATH_BYTES];
	struct tt_sys_stat st;

	if (name_beside(path, "-wal", name) && (tt_sys_stat(name, &st) != 0 ? errno == ENOENT : st.size == 0))
		return TT_OK;
	return tt_fail(err, TT_E_UNKNOWN, TT_NOWHERE, "%s: changes are in a second file (-wal); join them: sqlite3 FILE "
	    "'PRAGMA journal_mode=DELETE'", path);
}

/*
 * Fail if the journal beside the database holds older pages: a change is being made, or its program died, and until the journal is rolled back the
 * database mixes old and new pages. (https://sqlite.org/fileformat.html, The Rollback Journal: an unused journal is empty or begins with zeros.)
 */
static int
check_journal(const char *path, struct tt_err *err)
{
	static const unsigned char begins[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
	char name[TT_PATH_BYTES], head[sizeof begins];
	int fd = name_beside(path, "-journal", name) ? tt_sys_open(name, TT_OPEN_READ | TT_OPEN_NO_WAIT) : -1;
	bool unfinished = fd >= 0 && tt_sys_pread(fd, head, sizeof head, 0) == sizeof head && memcmp(head, begins, sizeof head) == 0;

	if (fd >= 0)
		tt_sys_close(fd);
	if (unfinished)
		return tt_fail(err, TT_E_UNKNOWN, TT_NOWHERE, "%s: a change is not finished (-journal); undo it: sqlite3 FILE 'PRAGMA integrity_check'", path);
	return TT_OK;
}

/* Allow a statement only to read, and to call functions. */
static int
allow(void *arg, int what, const char *a, const char *b, const char *c, const char *d)
{
	(void)arg;
	(void)c;
	(void)d;
	switch (what) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return b && strcmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA:
		return !b || strcmp(a, "table_info") == 0 || strcmp(a, "table_xinfo") == 0 || strcmp(a, "index_list") == 0 ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

int
tt_db_open(struct tt_env *env, const char *path, struct tt_db **out, struct tt_err *err)
{
	struct tt_db *db = new_db(env, true, err);
	bool wal = false;
	int rc = TT_OK;

	*out = NULL;
	if (!db)
		return err->code;
	db->files.fd = tt_sys_open(path, TT_OPEN_READ);
	if (db->files.fd < 0)
		rc = tt_fail_sys(err, errno, "%s", path);
	TT_THEN(rc, check_head(db, path, &wal, err));
	if (rc == TT_OK && wal)
		rc = check_wal(path, err);
	TT_THEN(rc, check_journal(path, err));
	TT_THEN(rc, open_sql(db, SQLITE_OPEN_READONLY, err));
	if (rc == TT_OK) {
		sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		sqlite3_db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		sqlite3_set_authorizer(db->sql, allow, NULL);
		*out = db;
		return TT_OK;
	}
	tt_db_free(db);
	return rc;
}

struct tt_db_query {
	struct tt_db *db;
	sqlite3_stmt *stmt;
};

/* True if ${s} holds only blanks, semicolons and comments. */
static bool
is_blank(struct tt_db *db, const char *s)
{
	sqlite3_stmt *stmt = NULL;
	bool blank = true;

	for (const char *rest = s; *rest && blank; s = rest)
		blank = sqlite3_prepare_v2(db->sql, s, -1, &stmt, &rest) == SQLITE_OK && !stmt && rest != s;
	sqlite3_finalize(stmt);
	return blank;
}

int
tt_db_query(struct tt_db *db, const char *sql, struct tt_db_query **out, struct tt_err *err)
{
	struct tt_db_query *q = tt_mem_alloc(&db->env->mem, sizeof *q, err);
	const char *rest = "";
	int code;

	*out = NULL;
	if (!q)
		return err->code;
	q->db = db;
	code = sqlite3_prepare_v2(db->sql, sql, -1, &q->stmt, &rest);
	/* Some forbidden statements give SQLITE_ERROR, not SQLITE_AUTH. */
	if ((code & 0xff) == SQLITE_AUTH || (code != SQLITE_OK && strncmp(sqlite3_errmsg(db->sql), "not authorized", 14) == 0))
		tt_fail(err, TT_E_USAGE, TT_NOWHERE, "a query reads one database and changes nothing: %s", sqlite3_errmsg(db->sql));
	else if (code != SQLITE_OK)
		tell(db, code, err);
	else if (!q->stmt)
		tt_fail(err, TT_E_USAGE, TT_NOWHERE, "the query is empty");
	else if (!is_blank(db, rest))
		tt_fail(err, TT_E_USAGE, TT_NOWHERE, "there is more than one statement: run them one by one");
	else if (!sqlite3_stmt_readonly(q->stmt) || sqlite3_column_count(q->stmt) == 0)
		tt_fail(err, TT_E_USAGE, TT_NOWHERE, "a query begins with SELECT, WITH or VALUES, and gives rows");
	else {
		*out = q;
		return TT_OK;
	}
	tt_db_query_free(q);
	return err->code;
}

void
tt_db_query_free(struct tt_db_query *q)
{
	if (!q)
		return;
	sqlite3_finalize(q->stmt);
	tt_mem_free(&q->db->env->mem, q, sizeof *q);
}

int
tt_db_next(struct tt_db_query *q, struct tt_err *err)
{
	int code = sqlite3_step(q->stmt);

	return code == SQLITE_ROW ? TT_OK : code == SQLITE_DONE ? TT_END : tell(q->db, code, err);
}

size_t
tt_db_columns(const struct tt_db_query *q)
{
	return (size_t)sqlite3_column_count(q->stmt);
}

const char *
tt_db_column(const struct tt_db_query *q, size_t col)
{
	const char *name = sqlite3_column_name(q->stmt, (int)col);

	return name ? name : "";
}

enum tt_db_type
tt_db_type(const struct tt_db_query *q, size_t col)
{
	switch (sqlite3_column_type(q->stmt, (int)col)) {
	case SQLITE_INTEGER: return TT_DB_INT;
	case SQLITE_FLOAT: return TT_DB_REAL;
	case SQLITE_TEXT: return TT_DB_TEXT;
	case SQLITE_BLOB: return TT_DB_BLOB;
	default: return TT_DB_NONE;
	}
}

int64_t
tt_db_int_at(const struct tt_db_query *q, size_t col)
{
	return sqlite3_column_int64(q->stmt, (int)col);
}

double
tt_db_real_at(const struct tt_db_query *q, size_t col)
{
	return sqlite3_column_double(q->stmt, (int)col);
}

const char *
tt_db_text_at(const struct tt_db_query *q, size_t col, size_t *n)
{
	const char *s = sqlite3_column_type(q->stmt, (int)col) == SQLITE_BLOB ? sqlite3_column_blob(q->stmt, (int)col) :
	    (const char *)sqlite3_column_text(q->stmt, (int)col);

	*n = (size_t)sqlite3_column_bytes(q->stmt, (int)col);
	return s ? s : "";
}
#else
#include "base/buf.h"

const char *
tt_db_missing(void)
{
	return "this tracetool was built without SQLite: install libsqlite3-dev and build it again";
}

int
tt_db_make(struct tt_env *env, uint64_t rows, struct tt_db **db, struct tt_err *err)
{
	(void)env;
	(void)rows;
	*db = NULL;
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s", tt_db_missing());
}

int
tt_db_open(struct tt_env *env, const char *path, struct tt_db **db, struct tt_err *err)
{
	*db = NULL;
	(void)env;
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: %s", path, tt_db_missing());
}

/* The functions below are never called, because no database can be opened. */
void tt_db_free(struct tt_db *db) { (void)db; }
int tt_db_error(const struct tt_db *db, struct tt_err *err) { (void)db; (void)err; return TT_OK; }
void tt_db_fail(struct tt_db *db, const struct tt_err *err) { (void)db; (void)err; }
void tt_db_run(struct tt_db *db, const char *sql) { (void)db; (void)sql; }
void tt_db_run_buf(struct tt_db *db, struct tt_buf *sql) { (void)db; (void)sql; }
void tt_db_create(struct tt_db *db, const struct tt_db_table *t) { (void)db; (void)t; }
void tt_db_name(struct tt_buf *sql, const char *name) { (void)sql; (void)name; }
struct tt_db_insert *tt_db_insert(struct tt_db *db, const char *table, size_t n) { (void)db; (void)table; (void)n; return NULL; }
struct tt_db_insert *tt_db_bulk(struct tt_db *db, const char *table, const char *v) { (void)db; (void)table; (void)v; return NULL; }
void tt_db_int(struct tt_db_insert *i, size_t col, int64_t v) { (void)i; (void)col; (void)v; }
void tt_db_real(struct tt_db_insert *i, size_t col, double v) { (void)i; (void)col; (void)v; }
void tt_db_text(struct tt_db_insert *i, size_t col, const char *s, size_t n) { (void)i; (void)col; (void)s; (void)n; }
void tt_db_text_or_null(struct tt_db_insert *i, size_t col, const char *s) { (void)i; (void)col; (void)s; }
int64_t tt_db_row(struct tt_db_insert *i) { (void)i; return 0; }
void tt_db_rows(struct tt_db_insert *i, int64_t all, const int64_t *v, size_t n, size_t c) { (void)i; (void)all; (void)v; (void)n; (void)c; }
int tt_db_save(struct tt_db *db, struct tt_sink *s, struct tt_err *err) { (void)db; (void)s; (void)err; return TT_OK; }
int tt_db_query(struct tt_db *db, const char *s, struct tt_db_query **q, struct tt_err *err) { (void)db; (void)s; (void)q; (void)err; return TT_OK; }
void tt_db_query_free(struct tt_db_query *q) { (void)q; }
int tt_db_next(struct tt_db_query *q, struct tt_err *err) { (void)q; (void)err; return TT_END; }
size_t tt_db_columns(const struct tt_db_query *q) { (void)q; return 0; }
const char *tt_db_column(const struct tt_db_query *q, size_t col) { (void)q; (void)col; return ""; }
enum tt_db_type tt_db_type(const struct tt_db_query *q, size_t col) { (void)q; (void)col; return TT_DB_NONE; }
int64_t tt_db_int_at(const struct tt_db_query *q, size_t col) { (void)q; (void)col; return 0; }
double tt_db_real_at(const struct tt_db_query *q, size_t col) { (void)q; (void)col; return 0; }
const char *tt_db_text_at(const struct tt_db_query *q, size_t col, size_t *n) { (void)q; (void)col; *n = 0; return ""; }
#endif

/**
 * Writes the results of a batch into a SQLite database.
 */
#include "batch/database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash_seed.h"
#include "base/json.h"
#include "base/map.h"
#include "base/order.h"
#include "batch/result.h"
#include "out/render.h"
#include "pass/pass.h"
#include "stat/hist.h"
#include "view/view.h"

/* The tables whose rows results hold; the tables whose first row has figures of a capture. */
static const char *const row_table[] = { "markers", "alloc_sites" };
static const char *const figure_table[] = { "frames", "gcalloc" };
enum { ROW_TABLES = sizeof row_table / sizeof *row_table, FIGURE_TABLES = sizeof figure_table / sizeof *figure_table };
/* Columns of the table markers that are in table marker (name, category); the others are in capture_marker. */
enum { MARKER_NAMES = 2, MAX_COLUMNS = 64 };

#define COLUMNS(c) (c), sizeof (c) / sizeof *(c)
#define CAPTURE { "capture", "INTEGER", "Row of capture." }

static const struct tt_db_col info[] = {
	{ "key", "TEXT PRIMARY KEY", "generator: program and version; kind: batch; schema: number of the schema; missing: what the figures are without; "
	    "keys_without_column: how many keys of facts the view captures has no column for." },
	{ "value", "", "Its value." },
};

enum { C_ID, C_KEY, C_OUTCOME, C_WHY, C_DETAIL, C_COPY, C_FORMAT, C_PRODUCER, C_OS, C_ARCH, C_DATE, C_RECORDING, C_FILE, C_SIZE, C_HASH,
	C_FILE_TIME, C_DECODED, C_EVENTS, C_THREADS, C_DURATION, C_MARKERS_LEFT, C_SITES_LEFT,
	C_CAP, C_UNCAPPED_TOTAL, C_UNCAPPED_MEDIAN, C_UNCAPPED_P95, C_UNCAPPED_MAX, C_TOTAL, C_N };
static const struct tt_db_col capture[] = {
	[C_ID] = { "id", "INTEGER PRIMARY KEY", "Number, in order of keys." },
	[C_KEY] = { "key", "TEXT", "Name of the capture: its path, and behind each ! its name in an archive." },
	[C_OUTCOME] = { "outcome", "TEXT", "ok, damaged or failed; of a file that is no capture, skipped." },
	[C_WHY] = { "why", "TEXT", "Why it is not ok, as a word of tracetool-batch(1), RESULTS." },
	[C_DETAIL] = { "detail", "TEXT", "The same in a line." },
	[C_COPY] = { "copy", "INTEGER",
	    "1: another is of the same recording and has as many events, or holds the whole recording; figures of batch count them once." },
	[C_FORMAT] = { "format", "TEXT", "Format." },
	[C_PRODUCER] = { "producer", "TEXT", "Program that recorded it." },
	[C_OS] = { "os", "TEXT", "Operating system of the recorded process." },
	[C_ARCH] = { "arch", "TEXT", "Architecture of the recorded process." },
	[C_DATE] = { "date", "TEXT", "Day it was recorded, UTC, as 2026-11-23; a fact date is in the table fact." },
	[C_RECORDING] = { "recording", "TEXT", "Id of a recording that can have several files." },
	[C_FILE] = { "file", "INTEGER", "Which of its files it is, from 0." },
	[C_SIZE] = { "size", "INTEGER", "Bytes, as it lies in its archive." },
	[C_HASH] = { "hash", "TEXT", "Hash of these bytes." },
	[C_FILE_TIME] = { "file_mtime", "TEXT", "When its file, or the archive, was changed, in s since 1970." },
	[C_DECODED] = { "decoded", "INTEGER", "Bytes after decompression." },
	[C_EVENTS] = { "events", "INTEGER", "Events." },
	[C_THREADS] = { "threads", "INTEGER", "Threads." },
	[C_DURATION] = { "duration_ns", "INTEGER", "From the first event to the last." },
	[C_MARKERS_LEFT] = { "markers_left_out", "INTEGER", "Markers beyond those in capture_marker: a result is at most 256 KiB." },
	[C_SITES_LEFT] = { "sites_left_out", "INTEGER", "The same of allocation_site." },
	[C_CAP] = { "frames_cap_ns", "INTEGER", "Time that the frame limit makes each frame last; NULL if frames are not capped." },
	[C_UNCAPPED_TOTAL] = { "frames_uncapped_total_ns", "INTEGER", "Uncapped time of all whole frames, which are capped; else NULL." },
	[C_UNCAPPED_MEDIAN] = { "frames_uncapped_median_ns", "INTEGER", "Median of it; NULL likewise." },
	[C_UNCAPPED_P95] = { "frames_uncapped_p95_ns", "INTEGER", "95th percentile of it." },
	[C_UNCAPPED_MAX] = { "frames_uncapped_max_ns", "INTEGER", "The most of a frame." },
	[C_TOTAL] = { "frames_total_ns", "INTEGER", "Time of all whole frames. Then the whole figures of the first rows of the tables frames and gcalloc, like "
	    "frames_p95_ns and gcalloc_collections." },
};

static const struct tt_db_col fact[] = {
	CAPTURE,
	{ "key", "TEXT", "Key: device, build, scene and whatever else the capture says." },
	{ "value", "TEXT", "Its value." },
};

static const struct tt_db_col histogram[] = {
	CAPTURE,
	{ "figure", "TEXT", "frame_ns, frame_uncapped_ns (of capped frames), frame_alloc_bytes or pause_ns." },
	{ "value", "INTEGER", "Middle of the bucket: exact below 32, else within 1.6 %." },
	{ "count", "INTEGER", "How many lie in it." },
};

static const struct tt_db_col marker[] = {
	{ "id", "INTEGER PRIMARY KEY", "Number." },
	{ "name", "TEXT", "Name of a marker, as the table markers has it." },
	{ "category", "TEXT", "Name of its category." },
};

static const struct tt_db_col capture_marker[] = {
	CAPTURE,
	{ "marker", "INTEGER", "Row of marker. Then the figures of the table markers." },
};

static const struct tt_db_col site[] = {
	{ "capture", "INTEGER", "Row of capture. Then the columns of the table alloc_sites." },
};

static const struct tt_db_col loss[] = {
	CAPTURE,
	{ "kind", "TEXT", "Kind of loss, as in the table loss." },
	{ "count", "INTEGER", "How often." },
	{ "bytes", "INTEGER", "Bytes lost." },
};

static const struct tt_db_col archive[] = {
	{ "key", "TEXT", "Name of an archive, or of a file that could not be read." },
	{ "type", "TEXT", "archive or file." },
	{ "outcome", "TEXT", "ok, damaged, failed or skipped." },
	{ "why", "TEXT", "Why it is not ok." },
	{ "detail", "TEXT", "The same in a line." },
	{ "members", "INTEGER", "Members of the archive." },
	{ "captures", "INTEGER", "Captures among them." },
};

const struct tt_db_table tt_batch_table[TT_BDB_TABLES] = {
	[TT_BDB_INFO] = { "info", COLUMNS(info), "What made the database.", NULL },
	[TT_BDB_CAPTURE] = { "capture", COLUMNS(capture), "A capture.", NULL },
	[TT_BDB_FACT] = { "fact", COLUMNS(fact), "A fact that a capture says of itself, or that was added to it.", NULL },
	[TT_BDB_HISTOGRAM] = { "histogram", COLUMNS(histogram), "How many frames or pauses of a capture are about so long or large.", NULL },
	[TT_BDB_MARKER] = { "marker", COLUMNS(marker), "A marker.", NULL },
	[TT_BDB_CAPTURE_MARKER] = { "capture_marker", COLUMNS(capture_marker), "A marker in a capture.", NULL },
	[TT_BDB_SITE] = { "allocation_site", COLUMNS(site), "A place that allocates, in a capture.", NULL },
	[TT_BDB_LOSS] = { "loss", COLUMNS(loss), "What a capture lost.", NULL },
	[TT_BDB_ARCHIVE] = { "archive", COLUMNS(archive), "An archive, or a file that is no capture.", NULL },
};

const struct tt_batch_view tt_batch_view[] = {
	{ "captures", "The rows of capture with a column for each fact, called like its key; \"fact KEY\" where capture has a column of that name; of keys "
	    "that differ in capitals only, \"KEY (2)\" for all but the one in small letters. Always with build and device. Beyond 500 keys, "
	    "those that most captures have; the table fact has all." },
	{ "capture_markers", "The rows of capture_marker with the key of the capture and the marker_name and category of the marker." },
	{ 0 },
};

struct tt_batch_db {
	struct tt_env *env;
	struct tt_db *db;
	struct tt_db_insert *into[TT_BDB_TABLES];
	size_t ncol[TT_BDB_TABLES];
	struct tt_db_col figure[MAX_COLUMNS];        /* figure columns of capture, after its own; names are in ${text} */
	size_t nfigure;
	struct tt_arena text;
	const char **marker;          /* by number less 1: name, NUL, category */
	size_t nmarker, capmarker;
	struct tt_map markers;
	struct key { const char *key, *column; uint64_t captures; } *key;     /* keys of facts; captures: how many have the key */
	size_t nkey, capkey;
	struct tt_map keys;
	int64_t ncapture;
	uint64_t bare;
};

/* --- the columns of passes --------------------------------------------------------- */

static const struct tt_pass_table *
table_of(const char *id)
{
	return tt_pass_table_named(id, NULL);
}

/* True if results hold this column of a table's first row. */
static bool
is_figure(const struct tt_col *c)
{
	return !tt_unit_is_text(c->unit) && c->unit != TT_UNIT_BOOL && c->unit != TT_UNIT_HEX && c->unit != TT_UNIT_PERCENT && c->unit != TT_UNIT_MILLI;
}

static const char *
type_of(enum tt_unit unit)
{
	return tt_unit_is_text(unit) ? "TEXT" : unit == TT_UNIT_PERCENT || unit == TT_UNIT_MILLI ? "REAL" : "INTEGER";
}

/* Make the figure columns of table capture. */
static int
name_figures(struct tt_batch_db *d, struct tt_err *err)
{
	for (size_t i = 0; i < FIGURE_TABLES; i++) {
		const struct tt_pass_table *t = table_of(figure_table[i]);

		for (size_t k = 0; k < t->ncol; k++) {
			char name[128];
			int n = snprintf(name, sizeof name, "%s_%s", t->id, t->col[k].id);

			if (!is_figure(&t->col[k]) || d->nfigure == MAX_COLUMNS)
				continue;
			if (!(d->figure[d->nfigure++] = (struct tt_db_col){ .name = tt_arena_text(&d->text, name, (size_t)n, err), .type = "INTEGER" }).name)
				return err->code;
		}
	}
	return TT_OK;
}

/* Make table ${t}: its own columns, and ${n} more. */
static void
create(struct tt_batch_db *d, enum tt_batch_table t, const struct tt_db_col *more, size_t n)
{
	struct tt_db_table table = tt_batch_table[t];
	struct tt_db_col col[C_N + MAX_COLUMNS];

	memcpy(col, table.col, table.ncol * sizeof *col);
	memcpy(col + table.ncol, more, n * sizeof *col);
	table.col = col;
	table.ncol += n;
	tt_db_create(d->db, &table);
	d->ncol[t] = table.ncol;
	d->into[t] = tt_db_insert(d->db, table.name, table.ncol);
}

static void
fail(struct tt_batch_db *d, const struct tt_err *err)
{
	tt_db_fail(d->db, err);
}

/* Note a key of facts of ${captures}, for the view that has a column for each. */
static void
note_key(struct tt_batch_db *d, const char *key, uint64_t captures)
{
	const uint64_t hash = tt_seeded_text(0, key, strlen(key));
	struct tt_err err = { 0 };
	const char *own;

	uint32_t i = tt_map_find(&d->keys, hash, k, strcmp(d->key[k].key, key) == 0);
	if (i) {
		d->key[i - 1].captures += captures;
		return;
	}
	if (!(own = tt_arena_text(&d->text, key, strlen(key), &err)) ||
	    tt_map_push(&d->keys, &d->env->mem, hash, &d->key, &d->capkey, d->nkey, &err) != TT_OK)
		fail(d, &err);
	else
		d->key[d->nkey++] = (struct key){ .key = own, .captures = captures };
}

static int
begin(struct tt_batch_db *d, const char *generator, const char *missing, struct tt_err *err)
{
	struct tt_db_col more[MAX_COLUMNS];
	char version[64];
	int rc = name_figures(d, err);

	note_key(d, "build", UINT32_MAX);     /* queries use these columns, even if no capture has the facts */
	note_key(d, "device", UINT32_MAX);
	for (unsigned t = 0; t < TT_BDB_TABLES && rc == TT_OK; t++) {
		const struct tt_pass_table *pt = t == TT_BDB_CAPTURE_MARKER ? table_of("markers") : t == TT_BDB_SITE ? table_of("alloc_sites") : NULL;
		size_t from = t == TT_BDB_CAPTURE_MARKER ? MARKER_NAMES : 0, n = 0;

		for (size_t k = from; pt && k < pt->ncol && n < MAX_COLUMNS; k++)
			more[n++] = (struct tt_db_col){ .name = pt->col[k].id, .type = type_of(pt->col[k].unit) };
		create(d, t, t == TT_BDB_CAPTURE ? d->figure : more, t == TT_BDB_CAPTURE ? d->nfigure : n);
	}
	snprintf(version, sizeof version, "PRAGMA user_version=%d", TT_BATCH_DB_VERSION);
	tt_db_run(d->db, version);
	tt_db_text_or_null(d->into[TT_BDB_INFO], 0, "generator");
	tt_db_text_or_null(d->into[TT_BDB_INFO], 1, generator);
	tt_db_row(d->into[TT_BDB_INFO]);
	tt_db_text_or_null(d->into[TT_BDB_INFO], 0, "kind");
	tt_db_text_or_null(d->into[TT_BDB_INFO], 1, "batch");
	tt_db_row(d->into[TT_BDB_INFO]);
	tt_db_text_or_null(d->into[TT_BDB_INFO], 0, "schema");
	tt_db_int(d->into[TT_BDB_INFO], 1, TT_BATCH_DB_VERSION);
	tt_db_row(d->into[TT_BDB_INFO]);
	if (missing) {
		tt_db_text_or_null(d->into[TT_BDB_INFO], 0, "missing");
		tt_db_text_or_null(d->into[TT_BDB_INFO], 1, missing);
		tt_db_row(d->into[TT_BDB_INFO]);
	}
	return rc == TT_OK ? tt_db_error(d->db, err) : rc;
}

int
tt_batch_db_new(struct tt_env *env, const char *generator, const char *missing, struct tt_batch_db **out, struct tt_err *err)
{
	struct tt_batch_db *d = tt_mem_alloc(&env->mem, sizeof *d, err);
	const uint64_t spool_max = env->spool_max;
	int rc;

	*out = NULL;
	if (!d)
		return err->code;
	d->env = env;
	tt_arena_init(&d->text, &env->mem);
	env->spool_max = UINT64_MAX;  /* the limit is meant for captures */
	rc = tt_db_make(env, 0, &d->db, err);
	env->spool_max = spool_max;
	TT_THEN(rc, begin(d, generator, missing, err));
	if (rc == TT_OK)
		*out = d;
	else
		tt_batch_db_free(d);
	return rc;
}

void
tt_batch_db_free(struct tt_batch_db *d)
{
	struct tt_mem *mem;

	if (!d)
		return;
	mem = &d->env->mem;
	tt_db_free(d->db);
	tt_mem_free(mem, d->marker, d->capmarker * sizeof *d->marker);
	tt_mem_free(mem, d->key, d->capkey * sizeof *d->key);
	tt_map_free(&d->markers, mem);
	tt_map_free(&d->keys, mem);
	tt_arena_free(&d->text);
	tt_mem_free(mem, d, sizeof *d);
}

/* --- a result --------------------------------------------------------------------------- */

/* Put a number or text; null, arrays and objects become NULL. */
static void
put_value(struct tt_db_insert *to, size_t col, const json_t *v)
{
	if (json_is_string(v))
		tt_db_text(to, col, json_string_value(v), json_string_length(v));
	else if (json_is_integer(v))
		tt_db_int(to, col, json_integer_value(v));
	else if (json_is_real(v))
		tt_db_real(to, col, json_real_value(v));
}

static void
put_figures(struct tt_batch_db *d, const json_t *metrics, struct tt_db_insert *to)
{
	static const struct { unsigned col; const char *name; } own[] = { { C_TOTAL, "frames.total_ns" }, { C_CAP, "frames.cap_ns" },
		{ C_UNCAPPED_TOTAL, "frames.uncapped_total_ns" }, { C_UNCAPPED_MEDIAN, "frames.uncapped_median_ns" },
		{ C_UNCAPPED_P95, "frames.uncapped_p95_ns" }, { C_UNCAPPED_MAX, "frames.uncapped_max_ns" } };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		put_value(to, own[i].col, json_object_get(metrics, own[i].name));
	for (size_t i = 0; i < d->nfigure; i++) {
		char name[128];
		char *dot;

		snprintf(name, sizeof name, "%s", d->figure[i].name);
		dot = strchr(name, '_');
		*dot = '.';
		put_value(to, C_N + i, json_object_get(metrics, name));
	}
}

static void
put_capture(struct tt_batch_db *d, const struct tt_result *r)
{
	static const struct { unsigned col; const char *name; } is[] = { { C_FORMAT, "format" }, { C_PRODUCER, "producer" }, { C_OS, "os" },
		{ C_ARCH, "arch" }, { C_DATE, "date" }, { C_RECORDING, "recording" }, { C_FILE, "file" }, { C_SIZE, "size" }, { C_HASH, "hash" },
		{ C_FILE_TIME, "file_mtime" }, { C_DECODED, "decoded" }, { C_EVENTS, "events" }, { C_THREADS, "threads" }, { C_DURATION, "duration_ns" } };
	struct tt_db_insert *to = d->into[TT_BDB_CAPTURE];
	const json_t *tables = json_object_get(r->doc, "tables");

	tt_db_int(to, C_ID, ++d->ncapture);
	tt_db_text(to, C_KEY, r->key, strlen(r->key));
	tt_db_text_or_null(to, C_OUTCOME, r->outcome);
	tt_db_text_or_null(to, C_WHY, r->why);
	tt_db_text_or_null(to, C_DETAIL, r->detail);
	tt_db_int(to, C_COPY, r->copy || r->held);
	for (size_t i = 0; i < sizeof is / sizeof *is; i++)
		put_value(to, is[i].col, json_object_get(r->doc, is[i].name));
	put_value(to, C_MARKERS_LEFT, json_object_get(json_object_get(tables, "markers"), "left_out"));
	put_value(to, C_SITES_LEFT, json_object_get(json_object_get(tables, "alloc_sites"), "left_out"));
	put_figures(d, json_object_get(r->doc, "metrics"), to);
	tt_db_row(to);
	d->bare += !tables && json_object_get(r->doc, "events") != NULL;
}

static void
put_facts(struct tt_batch_db *d, json_t *meta)
{
	struct tt_db_insert *to = d->into[TT_BDB_FACT];
	const char *key;
	json_t *v;

	json_object_foreach(meta, key, v) {
		tt_db_int(to, 0, d->ncapture);
		tt_db_text(to, 1, key, strlen(key));
		put_value(to, 2, v);
		tt_db_row(to);
		note_key(d, key, 1);
	}
}

/* [smallest, largest, bucket, count, bucket, count, ...] */
static void
put_histogram(struct tt_batch_db *d, const char *figure, const json_t *h)
{
	struct tt_db_insert *to = d->into[TT_BDB_HISTOGRAM];

	for (size_t i = 2; i + 1 < json_array_size(h); i += 2) {
		json_int_t bucket = json_integer_value(json_array_get(h, i));

		if (bucket < 0 || bucket >= TT_HIST_BUCKETS)
			continue;
		tt_db_int(to, 0, d->ncapture);
		tt_db_text_or_null(to, 1, figure);
		tt_db_int(to, 2, (int64_t)tt_hist_value((unsigned)bucket));
		put_value(to, 3, json_array_get(h, i + 1));
		tt_db_row(to);
	}
}

static uint32_t
marker_number(struct tt_batch_db *d, const char *name, const char *category)
{
	const uint64_t hash = tt_seeded_text(tt_seeded_text(0, name, strlen(name)), category, strlen(category));
	uint32_t i = tt_map_find(&d->markers, hash, k, strcmp(d->marker[k], name) == 0 &&
	    strcmp(d->marker[k] + strlen(name) + 1, category) == 0);
	size_t n = strlen(name) + 1, all = n + strlen(category) + 1;
	struct tt_db_insert *to = d->into[TT_BDB_MARKER];
	struct tt_err err = { 0 };
	char *own;

	if (i)
		return i;
	if (!(own = tt_arena_alloc(&d->text, all, &err)) ||
	    tt_map_push(&d->markers, &d->env->mem, hash, &d->marker, &d->capmarker, d->nmarker, &err) != TT_OK) {
		fail(d, &err);
		return 0;
	}
	memcpy(own, name, n);
	memcpy(own + n, category, all - n);
	d->marker[d->nmarker++] = own;
	tt_db_int(to, 0, (int64_t)d->nmarker);
	tt_db_text(to, 1, name, n - 1);
	tt_db_text_or_null(to, 2, category);
	tt_db_row(to);
	return (uint32_t)d->nmarker;
}

/* The place of column ${name} of a result's table, among those from ${from} on; SIZE_MAX: a column of another version, which is left out. */
static size_t
place_of(const struct tt_pass_table *pt, size_t from, const char *name)
{
	for (size_t i = from; i < pt->ncol; i++)
		if (name && strcmp(pt->col[i].id, name) == 0)
			return i - from;
	return SIZE_MAX;
}

static void
put_rows(struct tt_batch_db *d, enum tt_batch_table t, const char *id, const json_t *table)
{
	const json_t *columns = json_object_get(table, "columns"), *rows = json_object_get(table, "rows"), *row;
	const struct tt_pass_table *pt = table_of(id);
	const bool markers = t == TT_BDB_CAPTURE_MARKER;
	struct tt_db_insert *to = d->into[t];
	size_t i;

	json_array_foreach(rows, i, row) {
		const char *name = json_string_value(json_array_get(row, 0)), *category = json_string_value(json_array_get(row, 1));

		if (markers && !name)
			continue;
		tt_db_int(to, 0, d->ncapture);
		if (markers)
			tt_db_int(to, 1, marker_number(d, name, category ? category : ""));
		for (size_t k = markers ? MARKER_NAMES : 0; k < json_array_size(row); k++) {
			size_t at = place_of(pt, markers ? MARKER_NAMES : 0, json_string_value(json_array_get(columns, k)));

			if (at != SIZE_MAX)
				put_value(to, tt_batch_table[t].ncol + at, json_array_get(row, k));
		}
		tt_db_row(to);
	}
}

static void
put_losses(struct tt_batch_db *d, json_t *all)
{
	struct tt_db_insert *to = d->into[TT_BDB_LOSS];
	const char *kind;
	json_t *v;

	json_object_foreach(all, kind, v) {
		tt_db_int(to, 0, d->ncapture);
		tt_db_text_or_null(to, 1, kind);
		put_value(to, 2, json_array_get(v, 0));
		put_value(to, 3, json_array_get(v, 1));
		tt_db_row(to);
	}
}

static void
put_archive(struct tt_batch_db *d, const struct tt_result *r)
{
	struct tt_db_insert *to = d->into[TT_BDB_ARCHIVE];

	tt_db_text(to, 0, r->key, strlen(r->key));
	tt_db_text_or_null(to, 1, r->type);
	tt_db_text_or_null(to, 2, r->outcome);
	tt_db_text_or_null(to, 3, r->why);
	tt_db_text_or_null(to, 4, r->detail);
	put_value(to, 5, json_object_get(r->doc, "members"));
	put_value(to, 6, json_object_get(r->doc, "captures"));
	tt_db_row(to);
}

int
tt_batch_db_add(struct tt_batch_db *d, const struct tt_result *r, struct tt_err *err)
{
	static const char *const figure[] = { "frame_ns", "frame_uncapped_ns", "frame_alloc_bytes", "pause_ns" };
	const json_t *hist = json_object_get(r->doc, "hist"), *tables = json_object_get(r->doc, "tables");

	if (strcmp(r->type, "capture") != 0) {
		if (strcmp(r->type, "archive") == 0 || strcmp(r->type, "file") == 0)
			put_archive(d, r);
		return tt_db_error(d->db, err);
	}
	put_capture(d, r);
	put_facts(d, json_object_get(r->doc, "meta"));
	for (size_t i = 0; i < sizeof figure / sizeof *figure; i++)
		put_histogram(d, figure[i], json_object_get(hist, figure[i]));
	put_rows(d, TT_BDB_CAPTURE_MARKER, "markers", json_object_get(tables, "markers"));
	put_rows(d, TT_BDB_SITE, "alloc_sites", json_object_get(tables, "alloc_sites"));
	put_losses(d, json_object_get(r->doc, "loss"));
	return tt_db_error(d->db, err);
}

/* --- the end ------------------------------------------------------------------------------- */

/* Sort keys by the number of captures that have them, most first. */
static int
by_captures(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return x->captures != y->captures ? TT_CMP(y->captures, x->captures) : strcmp(x->key, y->key);
}

static int
by_key(const void *a, const void *b)
{
	return strcmp(((const struct key *)a)->key, ((const struct key *)b)->key);
}

/* True if a column of the view is called ${name}, in capital letters or small ones: for SQL they are the same. */
static bool
is_taken(const struct tt_batch_db *d, size_t n, const char *name)
{
	for (size_t i = 0; i < C_N; i++)
		if (strcasecmp(capture[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < d->nfigure; i++)
		if (strcasecmp(d->figure[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < n; i++)
		if (d->key[i].column && strcasecmp(d->key[i].column, name) == 0)
			return true;
	return false;
}

/*
 * Name the column of each of the first ${n} keys. Small letters sort after capitals: named from the end on, of keys that differ only
 * in capitals the one in small letters keeps its name.
 */
static void
name_columns(struct tt_batch_db *d, size_t n)
{
	struct tt_buf name = { 0 };
	struct tt_err err = { 0 };

	for (size_t i = n; i-- > 0;) {
		const char *key = d->key[i].key;
		bool own = is_taken(d, 0, key);

		name.n = 0;
		tt_buf_printf(&name, "%s%s", own ? "fact " : "", key);
		for (unsigned k = 2; !name.failed && is_taken(d, n, tt_buf_string(&name)); k++) {
			name.n = 0;
			tt_buf_printf(&name, "%s%s (%u)", own ? "fact " : "", key, k);
		}
		if (tt_buf_error(&name, &err) != TT_OK || !(d->key[i].column = tt_arena_text(&d->text, name.p, name.n, &err)))
			break;
	}
	if (err.code != TT_OK)
		fail(d, &err);
	tt_buf_free(&name);
}

/* Make the view with a column for each key of facts, or for the MAX_FACTS that most captures have. Returns how many keys have no column. */
static uint64_t
put_view(struct tt_batch_db *d)
{
	enum { MAX_FACTS = 500 };
	const size_t n = d->nkey < MAX_FACTS ? d->nkey : MAX_FACTS;
	struct tt_buf sql = { 0 };

	tt_sort(d->key, d->nkey, by_captures);
	tt_sort(d->key, n, by_key);
	name_columns(d, n);
	tt_buf_text(&sql, "CREATE VIEW captures AS SELECT c.*");
	for (size_t i = 0; i < n && d->key[i].column; i++) {
		tt_buf_text(&sql, ", (SELECT value FROM fact WHERE capture = c.id AND key = '");
		for (const char *p = d->key[i].key; *p; p++)
			tt_buf_add(&sql, "''", *p == '\'' ? 2 : 0), tt_buf_add(&sql, p, *p != '\'');
		tt_buf_text(&sql, "') AS ");
		tt_db_name(&sql, d->key[i].column);
	}
	tt_buf_text(&sql, " FROM capture c");
	tt_db_run_buf(d->db, &sql);
	tt_db_run(d->db, "CREATE INDEX fact_of ON fact (capture, key); CREATE INDEX histogram_of ON histogram (capture);"
	    "CREATE INDEX capture_marker_of ON capture_marker (capture); CREATE INDEX capture_marker_in ON capture_marker (marker);"
	    "CREATE INDEX allocation_site_of ON allocation_site (capture)");
	tt_db_run(d->db, "CREATE VIEW capture_markers AS SELECT c.key, m.name AS marker_name, m.category, t.* FROM capture_marker t "
	    "JOIN capture c ON c.id = t.capture JOIN marker m ON m.id = t.marker");
	return d->nkey - n;
}

int
tt_batch_db_save(struct tt_batch_db *d, struct tt_sink *sink, struct tt_batch_db_left *left, struct tt_err *err)
{
	left->bare = d->bare;
	left->keys = put_view(d);
	if (left->keys) {
		tt_db_text_or_null(d->into[TT_BDB_INFO], 0, "keys_without_column");
		tt_db_int(d->into[TT_BDB_INFO], 1, (int64_t)left->keys);
		tt_db_row(d->into[TT_BDB_INFO]);
	}
	return tt_db_save(d->db, sink, err);
}

/* --- what results hold ------------------------------------------------------------------------ */

unsigned
tt_batch_tables_needs(void)
{
	struct tt_pass_opts po = tt_pass_defaults;
	const char *const table[] = { row_table[0], row_table[1], NULL };
	unsigned needs = 0;

	po.table = table;
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		needs |= tt_pass_needs(*p, &po);
	return needs;
}

/* Put a row as an array of its cells' JSON values. */
static void
put_row(struct tt_json *j, const struct tt_table *t, size_t row)
{
	char text[TT_CELL_MAX];

	tt_json_open(j, NULL, "[");
	for (size_t col = 0; col < t->ncol; col++) {
		const struct tt_cell *c = tt_table_cell(t, row, col);

		if (c->empty) {
			tt_json_raw(j, NULL, "null");
		} else if (tt_unit_is_text(t->col[col].unit)) {
			tt_json_text(j, NULL, c->s);
		} else {
			*tt_cell_machine(text, t->col[col].unit, c) = '\0';
			tt_json_raw(j, NULL, text);
		}
	}
	tt_json_close(j, "]");
}

/* Put the rows of ${t} that fit into ${end} bytes of j->out. */
static void
put_table(struct tt_json *j, const struct tt_table *t, size_t end)
{
	uint64_t left = 0;
	bool full = false;

	tt_json_open(j, t->id, "{");
	tt_json_open(j, "columns", "[");
	for (size_t col = 0; col < t->ncol; col++)
		tt_json_text(j, NULL, t->col[col].id);
	tt_json_close(j, "]");
	tt_json_open(j, "rows", "[");
	tt_rows_first(t);
	do {
		for (size_t row = 0; row < t->nrow; row++) {
			struct tt_json was = *j;
			size_t n = j->out->n;

			if (!full)
				put_row(j, t, row);
			if (!full && j->out->n > end) {
				*j = was;
				j->out->n = n;
				full = true;
			}
			left += full;
		}
	} while (tt_rows_next(t));
	tt_json_close(j, "]");
	tt_json_u64(j, "left_out", left);
	tt_json_close(j, "}");
}

int
tt_batch_tables(struct tt_views *view, struct tt_json *j, size_t most, struct tt_err *err)
{
	const size_t begin = j->out->n, end[ROW_TABLES] = { begin + most / 4 * 3, begin + most };
	const char *const table[] = { row_table[0], row_table[1], NULL };
	struct tt_pass_opts po = tt_pass_defaults;
	struct tt_report r;
	int rc;

	po.table = table;
	tt_report_init(&r, &view->m->env->mem);
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		tt_pass_report(*p, view, &po, &r);
	tt_json_open(j, "tables", "{");
	for (size_t i = 0; i < ROW_TABLES; i++)
		for (const struct tt_table *t = r.first; t; t = t->next)
			if (strcmp(t->id, row_table[i]) == 0)
				put_table(j, t, end[i]);
	tt_json_close(j, "}");
	rc = tt_report_error(&r, err);
	tt_report_free(&r);
	return rc == TT_OK ? tt_buf_error(j->out, err) : rc;
}

/**
 * Keeps the results of a batch and finds them again.
 */
#include "batch/store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena_text.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/hash_seed.h"
#include "base/setting.h"
#include "batch/aggregate.h"
#include "batch/database.h"
#include "batch/result.h"
#include "batch/results.h"
#include "batch/shards.h"
#include "io/ring_open.h"
#include "io/sink.h"

#define NOWHERE UINT64_MAX
#define CONFLICTS_SHOWN 10            /* messages about different results for one key; beyond that, only their number */

/* --- results of earlier runs --------------------------------------------------------- */

/* The place of a line: its offset in one of the two files that an earlier run left, and which. */
static uint64_t place_of(uint64_t at, unsigned which) { return at * 2 + which; }
static uint64_t offset_at(uint64_t place) { return place / 2; }
static unsigned file_at(uint64_t place) { return place & 1; }

/* Hash of a result's key and of what shows that the result still holds: the file's size and time, or its content. */
static uint64_t
hash_of(const char *key, size_t n, uint64_t a, int64_t b)
{
	struct tt_hash h;

	tt_hash_init(&h);
	tt_hash_add(&h, key, n);
	tt_hash_add(&h, &a, sizeof a);
	tt_hash_add(&h, &b, sizeof b);
	return tt_hash_value(&h);
}

/* Map ${h} to ${at}, replacing an earlier entry. */
static int
note_place(struct tt_mem *mem, struct tt_batch_places *t, uint64_t h, uint64_t at, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_mix(0, h);
	uint32_t i = tt_map_find(&t->map, hash, k, t->v[k].h == h);

	if (!i) {
		if (tt_map_push(&t->map, mem, hash, &t->v, &t->cap, t->n, err) != TT_OK)
			return err->code;
		i = (uint32_t)++t->n;
	}
	t->v[i - 1] = (struct place){ h, at };
	return TT_OK;
}

/* The place of ${h}, or NOWHERE. */
static uint64_t
find_place(const struct tt_batch_places *t, uint64_t h)
{
	uint32_t i = tt_map_find(&t->map, tt_seeded_mix(0, h), k, t->v[k].h == h);

	return i ? t->v[i - 1].at : NOWHERE;
}

static void
free_places(struct tt_batch_places *t, struct tt_mem *mem)
{
	tt_mem_free(mem, t->v, t->cap * sizeof *t->v);
	tt_map_free(&t->map, mem);
}

static int64_t
mtime_of(const struct tt_result *r)
{
	long long s = 0, ns = 0;

	return sscanf(r->mtime, "%lld.%9lld", &s, &ns) == 2 ? s * 1000000000 + ns : -1;
}

/* The file that ${key} names, or that is the archive it lies in; NULL if there is none. */
static const struct tt_scheduler_file *
file_named(const struct tt_batch_files *files, const char *key)
{
	const char *bang = strchr(key, '!');

	return tt_batch_files_get(files, key, bang ? (size_t)(bang - key) : strlen(key));
}

/* The file that the result was made from, or NULL if it has changed since. */
static const struct tt_scheduler_file *
unchanged_file(const struct tt_batch_files *files, const struct tt_result *r)
{
	const struct tt_scheduler_file *f = file_named(files, r->key);

	return f && r->file_size == f->size && mtime_of(r) == f->mtime_ns ? f : NULL;
}

/* True if this shard makes the result. For an archive that shards share, each shard writes a record of its own part. */
static bool
is_mine(const struct tt_shard *shard, const struct tt_scheduler_file *f, const struct tt_result *r)
{
	if (f->shard != TT_SHARD_ALL)
		return f->shard == shard->index && r->parts == 0;
	return strcmp(r->type, "archive") != 0 || (r->parts == shard->count && r->part == shard->index);
}

struct reading { struct tt_batch_store *o; unsigned which; };

static bool
is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* True if the files made of the capture are still there, have their length, and were not written after its result. */
static bool
has_files(const struct tt_batch_store *o, const struct tt_result *r, unsigned which)
{
	const json_t *files = json_object_get(r->doc, "files"), *bytes = json_object_get(r->doc, "files_bytes"), *name;
	struct stat st;
	size_t i;

	json_array_foreach(files, i, name) {
		const json_t *n = json_array_get(bytes, i);

		if (!json_is_string(name) || fstatat(o->dir, json_string_value(name), &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode) || (n && json_integer_value(n) != (json_int_t)st.st_size))
			return false;
		if (is_later(&st.st_mtim, &o->old_time[which]))
			return false;
	}
	return true;
}

/* True if the capture's ring exists and may have grown, or was read and may be gone now. */
static bool
has_other_ring(const struct tt_result *r)
{
	const char *ring = json_string_value(json_object_get(r->doc, "ring"));
	struct stat st;

	return ring && tt_is_ring_name(ring) && (json_is_true(json_object_get(r->doc, "joined")) || lstat(ring, &st) == 0);
}

/* True if the capture must be analysed again although file ${which} of the two has its result. */
static bool
again(const struct tt_batch_store *o, const struct tt_result *r, unsigned which)
{
	return tt_result_again(r) || strcmp(r->why, "limit") == 0 || has_other_ring(r) || (o->dir >= 0 && !has_files(o, r, which));
}

/* Note that the earlier result of a capture is left out, and count the files made of it. Results that other shards make now are not left out. */
static int
note_gone(struct tt_batch_store *o, const struct tt_result *r, struct tt_err *err)
{
	const struct tt_scheduler_file *f = file_named(o->files, r->key);
	uint64_t h = hash_of(r->key, strlen(r->key), 0, 0);

	if (strcmp(r->type, "capture") != 0 || find_place(&o->gone, h) != NOWHERE)
		return TT_OK;
	if (f && f->shard != TT_SHARD_ALL && f->shard != o->shard.index)
		return TT_OK;
	o->gone_files += json_array_size(json_object_get(r->doc, "files"));
	return note_place(&o->env->mem, &o->gone, h, 0, err);
}

/* Print how many results were left out since number ${from}, and how many files made of captures stay since ${files}. */
static void
say_gone(struct tt_batch_store *o, size_t from, uint64_t files, const char *why)
{
	const size_t n = o->gone.n - from;
	char made[80] = "";

	files = o->gone_files - files;
	if (files)
		snprintf(made, sizeof made, "; %llu file%s made of %s stay%s", (unsigned long long)files, files == 1 ? "" : "s",
		    n == 1 ? "it" : "them", files == 1 ? "s" : "");
	if (n)
		tt_log(o->env, TT_LOG_QUIET, "resume: earlier results of %zu capture%s %s are left out%s", n, n == 1 ? "" : "s", why, made);
}

/* Note a result of an unchanged file, or that it must be made again. */
static int
note_old(struct tt_batch_store *o, const struct tt_scheduler_file *f, const struct tt_result *r, uint64_t at, struct tt_err *err)
{
	uint64_t h = hash_of(r->key, strlen(r->key), r->file_size, mtime_of(r));
	struct archive_lines *a = &o->archive[f - o->files->file];
	bool had = find_place(&o->done, h) != NOWHERE, redo = again(o, r, file_at(at));
	int rc = note_place(&o->env->mem, &o->done, h, redo ? NOWHERE : at, err);

	if (rc != TT_OK)
		return rc;
	if (strcmp(r->type, "archive") == 0) {
		json_int_t n = json_integer_value(json_object_get(r->doc, "captures"));

		a->captures = n > 0 ? (uint64_t)n : 0;
	} else if (strchr(r->key, '!')) {
		a->lines += (uint64_t)!redo - had;
	}
	return TT_OK;
}

/* Take a line of an earlier run if its outputs are still there, and the same version with the same options made it. Later lines override earlier ones. */
static int
on_old(void *arg, uint64_t at, const char *line, size_t n, struct tt_err *err)
{
	struct reading *rd = arg;
	struct tt_batch_store *o = rd->o;
	const struct tt_scheduler_file *f;
	struct tt_result r;
	struct tt_err why;
	int rc = TT_OK;

	if (tt_result_load(line, n, &r, &why) != TT_OK)
		return TT_OK;
	at = place_of(at, rd->which);
	f = file_named(o->files, r.key);
	if (!f)
		rc = note_gone(o, &r, err);
	else if (r.by == o->by && is_mine(&o->shard, f, &r)) {
		if (!o->verify) {
			f = unchanged_file(o->files, &r);
			rc = f ? note_old(o, f, &r, at, err) : TT_OK;
		} else if (r.hash[0] && !again(o, &r, rd->which)) {
			rc = note_place(&o->env->mem, &o->done,
			    hash_of(r.key, strlen(r.key), strtoull(r.hash, NULL, 16), 0), at, err);
		}
	}
	tt_result_free(&r);
	return rc;
}

static int
read_old(struct tt_batch_store *o, struct tt_err *err)
{
	const char *const path[2] = { o->final, o->part };
	int rc = TT_OK;

	o->archive = tt_mem_alloc(&o->env->mem, (o->files->n + 1) * sizeof *o->archive, err);
	if (!o->archive)
		return err->code;
	o->narchive = o->files->n + 1;
	for (unsigned i = 0; i < 2 && rc == TT_OK; i++) {
		struct reading rd = { .o = o, .which = i };
		struct stat st;

		if (stat(path[i], &st) != 0)
			continue;
		o->old[i] = open(path[i], O_RDONLY | O_CLOEXEC);
		if (o->old[i] < 0)
			return tt_fail_sys(err, errno, "%s", path[i]);
		o->old_time[i] = st.st_mtim;
		rc = tt_results_lines(o->env, path[i], false, on_old, &rd, err);
	}
	if (rc == TT_OK)
		say_gone(o, 0, 0, "that the operands do not lead to");
	return rc;
}

bool
tt_batch_store_done(const struct tt_batch_store *o, const struct tt_scheduler_file *f, const char *key, size_t n, const uint64_t *hash)
{
	const struct archive_lines *a;

	if (o->done.n == 0)
		return false;
	if (hash)
		return find_place(&o->done, hash_of(key, n, *hash, 0)) != NOWHERE;
	if (o->verify)
		return false;
	/*
	 * Open an archive again if one of its captures has no result, or must be analysed again. Lines are not synced one by one, so a power cut may keep the
	 * archive's own line and lose those before it.
	 */
	a = &o->archive[f - o->files->file];
	if (n == strlen(f->key) && a->lines < a->captures)
		return false;
	return find_place(&o->done, hash_of(key, n, f->size, f->mtime_ns)) != NOWHERE;
}

/* --- the part file --------------------------------------------------------------------- */

static char *
path_in(struct tt_arena *a, const char *dir, const struct tt_shard *s, const char *suffix, struct tt_err *err)
{
	char name[64];
	size_t n = strlen(dir);

	if (s->count > 1)
		snprintf(name, sizeof name, "results.%u-of-%u.%s", s->index, s->count, suffix);
	else
		snprintf(name, sizeof name, "results.%s", suffix);
	return tt_arena_printf(a, err, "%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name);
}

/* End a torn last line, so that new results begin on a line of their own. */
static int
mend(struct tt_batch_store *o, struct tt_err *err)
{
	off_t end = lseek(o->fd, 0, SEEK_END);
	char last = '\n';

	if (end > 0 && pread(o->fd, &last, 1, end - 1) != 1)
		return tt_fail_sys(err, errno, "%s", o->part);
	if (last != '\n' && write(o->fd, "\n", 1) != 1)
		return tt_fail_sys(err, errno, "%s", o->part);
	return TT_OK;
}

int
tt_batch_store_name(struct tt_batch_store *o, const char *dir, struct tt_arena *a, struct tt_err *err)
{
	o->part = path_in(a, dir, &o->shard, "part", err);
	o->final = o->part ? path_in(a, dir, &o->shard, "jsonl", err) : NULL;
	return o->final ? TT_OK : err->code;
}

/* The record that says which shard this run is, for merge. */
static int
put_shard(const struct tt_batch_store *o, struct tt_buf *line, struct tt_err *err)
{
	struct tt_batch_list l = { o->shard, o->split.list, o->split.files, o->split.bytes, 0, o->by };

	for (size_t i = 0; i < o->files->n; i++)
		l.mine += o->files->file[i].shard == TT_SHARD_ALL || o->files->file[i].shard == o->shard.index;
	return tt_batch_list_put(&l, line, err);
}

/* A worker that a killed batch has just started also holds the batch's lock until it dies. Milliseconds to wait for that, and between two tries. */
#define LOCK_WAIT_MS 5000
#define LOCK_RETRY_MS 20

/* Open and lock the part file. TT_END: another batch held it, and removed it when it ended. */
static int
open_part(struct tt_batch_store *o, struct tt_err *err)
{
	struct stat mine, there;

	o->fd = open(o->part, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (o->fd < 0)
		return tt_fail_sys(err, errno, "%s", o->part);
	for (int ms = 0; flock(o->fd, LOCK_EX | LOCK_NB) != 0; ms += LOCK_RETRY_MS) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return tt_fail_sys(err, errno, "%s: cannot be locked", o->part);
		if (ms >= LOCK_WAIT_MS)
			return tt_fail(err, TT_E_IO, TT_NOWHERE,
			    "%s: another batch writes here; give each its own -o, or its %s", o->part,
			    tt_setting_name[TT_SETTING_SHARD]);
		if (tt_stopped(o->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		poll(NULL, 0, LOCK_RETRY_MS);
	}
	if (fstat(o->fd, &mine) == 0 && stat(o->part, &there) == 0 && mine.st_dev == there.st_dev && mine.st_ino == there.st_ino)
		return TT_OK;
	close(o->fd);
	return TT_END;
}

int
tt_batch_store_open(struct tt_batch_store *o, bool resume, struct tt_err *err)
{
	int rc;

	o->fd = o->old[0] = o->old[1] = -1;
	if (!o->final)
		return tt_results_new(o->env, &o->rs, err);
	while ((rc = open_part(o, err)) == TT_END)
		;
	if (rc != TT_OK)
		return rc;
	if (resume)
		rc = read_old(o, err);
	else if (ftruncate(o->fd, 0) != 0)
		rc = tt_fail_sys(err, errno, "%s", o->part);
	TT_THEN(rc, mend(o, err));
	o->begin = (uint64_t)lseek(o->fd, 0, SEEK_END);
	TT_THEN(rc, put_shard(o, &o->line, err));
	return rc == TT_OK ? tt_batch_store_line(o, o->line.p, o->line.n, err) : rc;
}

int
tt_batch_store_line(struct tt_batch_store *o, const char *line, size_t n, struct tt_err *err)
{
	if (o->rs)
		return tt_results_add(o->rs, line, n - 1, err);
	while (n > 0) {
		ssize_t put = write(o->fd, line, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			int sys = put ? errno : ENOSPC;

			return tt_fail_sys(err, sys, "%s: cannot keep a result; %s continues from here", o->part, tt_setting_name[TT_SETTING_RESUME]);
		}
		line += put;
		n -= (size_t)put;
	}
	return TT_OK;
}

/* The capture's content is unchanged: write its old result under the file's present size and time. */
int
tt_batch_store_same(struct tt_batch_store *o, const struct tt_result_id *id, struct tt_err *err)
{
	uint64_t at = find_place(&o->done, hash_of(id->key, id->nkey, id->hash, 0));
	char *text = tt_mem_alloc(&o->env->mem, TT_RESULT_LINE_MAX, err), *lf;
	struct tt_result r = { 0 };
	ssize_t n;
	int rc = TT_OK;

	if (!text)
		return err->code;
	n = at != NOWHERE ? pread(o->old[file_at(at)], text, TT_RESULT_LINE_MAX, (off_t)offset_at(at)) : -1;
	lf = n > 0 ? memchr(text, '\n', (size_t)n) : NULL;
	if (!lf || tt_result_load(text, (size_t)(lf - text), &r, err) != TT_OK) {
		rc = tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: changed while it was used", o->final);
	} else {
		o->line.n = 0;
		rc = tt_result_compose(&o->line, id, r.body, r.nbody, err);
		TT_THEN(rc, tt_batch_store_line(o, o->line.p, o->line.n, err));
	}
	tt_result_free(&r);
	tt_mem_free(&o->env->mem, text, TT_RESULT_LINE_MAX);
	return rc;
}

/* --- the end ------------------------------------------------------------------------------ */

/* An archive: the captures that its record counts, and those that have lines. */
struct tally { size_t nkey; uint64_t captures, lines; };

struct putting {
	struct tt_env *env;
	struct tally *tally;          /* archives that contain the current key, outermost first */
	size_t ntally, captally;
	struct tt_buf key;            /* key of the innermost archive */
	uint64_t lost;                /* captures without a line */
	struct tt_sink *sink;
	const struct tt_batch_files *files;
	struct tt_shard shard;
	uint64_t by;
	struct tt_aggregate *a;
	const struct tt_batch_take *take;
	struct tt_batch_db *db;
	unsigned conflicts;
};

/* True if the line describes the file as it is now and was made with this batch's options. */
static bool
on_keep(void *arg, const struct tt_result *r)
{
	const struct putting *p = arg;
	const struct tt_scheduler_file *f = p->files && r->by == p->by ? unchanged_file(p->files, r) : NULL;

	return !p->files || (f && is_mine(&p->shard, f, r));
}

/* Lines come in order of keys: close the archives that do not contain ${key}. NULL: close all. */
static void
end_tallies(struct putting *p, const char *key)
{
	while (p->ntally > 0) {
		const struct tally *t = &p->tally[p->ntally - 1];

		if (key && strncmp(key, p->key.p, t->nkey) == 0)
			return;
		if (t->lines < t->captures) {
			p->lost += t->captures - t->lines;
			tt_log(p->env, TT_LOG_QUIET, "%.*s: results of %llu of its %llu captures are lost", (int)t->nkey, p->key.p,
			    (unsigned long long)(t->captures - t->lines), (unsigned long long)t->captures);
		}
		p->ntally--;
	}
}

/* Count the captures that an archive's record counts, and the captures with lines. */
static int
tally(struct putting *p, const struct tt_result *r, struct tt_err *err)
{
	const char *bang = strchr(r->key, '!');
	size_t n = bang ? (size_t)(bang - r->key) : strlen(r->key), i;
	json_int_t captures = json_integer_value(json_object_get(r->doc, "captures"));

	end_tallies(p, r->key);
	for (i = p->ntally; i > 0 && p->tally[i - 1].nkey != n; i--)
		;
	if (i > 0 && bang)
		p->tally[i - 1].lines++;
	if (bang || captures <= 0 || strcmp(r->type, "archive") != 0)
		return TT_OK;
	if (i == 0) {
		if (tt_mem_grow(&p->env->mem, &p->tally, &p->captally, p->ntally + 1, sizeof *p->tally, err) != TT_OK)
			return err->code;
		p->key.n = 0;
		tt_buf_add(&p->key, r->key, n);
		if (tt_buf_error(&p->key, err) != TT_OK)
			return err->code;
		i = ++p->ntally;
		p->tally[i - 1] = (struct tally){ .nkey = n };
	}
	p->tally[i - 1].captures += (uint64_t)captures;       /* shards that share an archive have a record each */
	return TT_OK;
}

static int
on_line(void *arg, const char *line, size_t n, const struct tt_result *r, struct tt_err *err)
{
	struct putting *p = arg;
	int rc = tally(p, r, err);

	TT_THEN(rc, tt_aggregate_add(p->a, r, err));
	TT_THEN(rc, p->take->result(p->take->arg, r, err));
	if (rc == TT_OK && p->db)
		rc = tt_batch_db_add(p->db, r, err);
	if (rc != TT_OK || !p->sink)
		return rc;
	rc = tt_sink_write(p->sink, line, n, err);
	return rc == TT_OK ? tt_sink_write(p->sink, "\n", 1, err) : rc;
}

static void
on_conflict(void *arg, const struct tt_result *kept)
{
	struct putting *p = arg;
	time_t when = (time_t)strtoll(kept->mtime, NULL, 10);
	char text[40] = "";
	struct tm tm;

	if (p->conflicts++ >= CONFLICTS_SHOWN)
		return;
	if (gmtime_r(&when, &tm))
		strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm);
	tt_log(p->env, TT_LOG_QUIET, "%s: results of different content, version or options; kept is that of the file of %s", kept->key, text);
}

int
tt_batch_put_results(struct tt_env *env, struct tt_results *rs, const struct tt_batch_put *o, struct tt_aggregate *a,
    const struct tt_batch_take *take, struct tt_results_sum *sum, uint64_t *lost, struct tt_err *err)
{
	struct putting p = { .env = env, .files = o->files, .shard = o->shard, .by = o->by, .a = a, .take = take, .db = o->db };
	const struct tt_results_out out = { .some = o->shard.count > 1, .keep = on_keep, .line = on_line, .conflict = on_conflict, .arg = &p };
	int rc = o->path ? tt_sink_open(env, o->path, &p.sink, err) : TT_OK;

	if (rc != TT_OK)
		return rc;
	if (p.sink && o->head && o->head->n)
		rc = tt_sink_write(p.sink, o->head->p, o->head->n, err);
	TT_THEN(rc, tt_results_finish(rs, &out, sum, err));
	if (rc == TT_OK && sum->other[0] && !o->mixed)
		rc = tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: made with other options or another version than the results before it; "
		    "%s adds them up", sum->other, tt_setting_name[TT_SETTING_PARTIAL]);
	if (rc == TT_OK && sum->mixed[0] && !o->mixed)
		rc = tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: its members are not the same for all shards: it was replaced while they ran, or copies of it "
		    "differ; run all shards again, or %s adds them up", sum->mixed, tt_setting_name[TT_SETTING_PARTIAL]);
	if (rc == TT_OK)
		end_tallies(&p, NULL);
	*lost = p.lost;
	tt_mem_free(&env->mem, p.tally, p.captally * sizeof *p.tally);
	tt_buf_free(&p.key);
	if (p.conflicts > CONFLICTS_SHOWN)
		tt_log(env, TT_LOG_QUIET, "%u more keys with different results", p.conflicts - CONFLICTS_SHOWN);
	if (rc != TT_OK) {
		tt_sink_abort(p.sink);
		return rc;
	}
	if (o->keep) {
		*o->keep = p.sink;
		return TT_OK;
	}
	return p.sink ? tt_sink_commit(p.sink, err) : TT_OK;
}

/* Finds the last line of each key in the results and .part files. */
struct newest {
	struct tt_batch_store *o;
	struct tt_batch_places last;
	struct tt_batch_places file;           /* files made of captures, by name; at: the last line that names it */
	struct tt_batch_places said;           /* lines in ${file} that are kept, or that say_gone() counts */
	unsigned which;
	bool adds;                    /* true: second pass, in which lines are added */
};

static int
note_files(struct newest *w, const struct tt_result *r, uint64_t at, struct tt_err *err)
{
	const json_t *name;
	size_t i;
	int rc = TT_OK;

	json_array_foreach(json_object_get(r->doc, "files"), i, name)
		if (json_is_string(name) && rc == TT_OK)
			rc = note_place(&w->o->env->mem, &w->file, hash_of(json_string_value(name), json_string_length(name), 0, 0), at, err);
	return rc;
}

/* Report files made of captures that no result names any more: the capture fails now, or is converted to something else. */
static void
say_left(const struct newest *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->file.n; i++)
		n += find_place(&w->said, hash_of("", 0, w->file.v[i].at, 0)) == NOWHERE;
	if (n)
		tt_log(w->o->env, TT_LOG_QUIET, "resume: %zu file%s made of captures by earlier runs stay%s, and no result names %s any more", n,
		    n == 1 ? "" : "s", n == 1 ? "s" : "", n == 1 ? "it" : "them");
}

static int
on_newest(void *arg, uint64_t at, const char *line, size_t n, struct tt_err *err)
{
	struct newest *w = arg;
	struct tt_batch_store *o = w->o;
	struct tt_result r;
	struct tt_err why;
	size_t nkey;
	const char *key = tt_result_scan(line, n, &nkey);
	uint64_t h;
	bool holds;
	int rc;

	if (!key)
		return w->adds ? tt_results_add(o->rs, line, n, err) : TT_OK;         /* counts torn lines */
	if (nkey == 0)                /* the record of a shard */
		return TT_OK;
	h = hash_of(key, nkey, 0, 0);
	at = place_of(at, w->which);
	if (w->adds) {
		bool gone = find_place(&w->last, h) == NOWHERE;

		if (w->file.n > 0 && (gone || find_place(&w->last, h) == at) &&
		    note_place(&o->env->mem, &w->said, hash_of("", 0, at, 0), 0, err) != TT_OK)
			return err->code;
		if (!gone)
			return find_place(&w->last, h) == at ? tt_results_add(o->rs, line, n, err) : TT_OK;
	}
	if (tt_result_load(line, n, &r, &why) != TT_OK)
		return TT_OK;
	if (w->adds) {
		rc = note_gone(o, &r, err);
		tt_result_free(&r);
		return rc;
	}
	/* With --verify, this run writes a line for every file, also for results that still hold. */
	holds = o->verify ? w->which == 1 && offset_at(at) >= o->begin : r.by == o->by && unchanged_file(o->files, &r);
	rc = note_files(w, &r, at, err);
	tt_result_free(&r);
	return rc == TT_OK && holds ? note_place(&o->env->mem, &w->last, h, at, err) : rc;
}

/* Keep the last valid line of each key: later results override earlier ones. */
static int
add_newest(struct tt_batch_store *o, struct tt_err *err)
{
	struct newest w = { .o = o };
	const size_t gone = o->gone.n;
	const uint64_t files = o->gone_files;
	int rc = TT_OK;

	for (int pass = 0; pass < 2; pass++) {
		w.adds = pass == 1;
		for (w.which = o->old[0] < 0; w.which < 2 && rc == TT_OK; w.which++)
			rc = tt_results_lines(o->env, w.which ? o->part : o->final, false, on_newest, &w, err);
	}
	if (rc == TT_OK) {
		say_gone(o, gone, files, "that are not there any more");
		say_left(&w);
	}
	free_places(&w.last, &o->env->mem);
	free_places(&w.file, &o->env->mem);
	free_places(&w.said, &o->env->mem);
	return rc;
}

static int
on_mine(void *arg, uint64_t at, const char *line, size_t n, struct tt_err *err)
{
	struct tt_batch_store *o = arg;

	return at >= o->begin ? tt_results_add(o->rs, line, n, err) : TT_OK;
}

static int
add_all(struct tt_batch_store *o, struct tt_err *err)
{
	if (o->old[0] < 0 && o->begin == 0)
		return tt_results_lines(o->env, o->part, false, on_mine, o, err);
	return add_newest(o, err);
}

int
tt_batch_store_finish(struct tt_batch_store *o, struct tt_aggregate *a, const struct tt_batch_take *take, struct tt_results_sum *sum,
    uint64_t *lost, struct tt_err *err)
{
	int rc = TT_OK;

	*lost = 0;
	if (!o->rs) {
		rc = tt_results_new(o->env, &o->rs, err);
		TT_THEN(rc, add_all(o, err));
	}
	o->line.n = 0;
	TT_THEN(rc, put_shard(o, &o->line, err));
	TT_THEN(rc, tt_batch_put_results(o->env, o->rs, &(struct tt_batch_put){ .path = o->final, .files = o->files, .shard = o->shard, .by = o->by,
	    .head = &o->line, .db = o->db }, a, take, sum, lost, err));
	if (rc == TT_OK && o->part)
		unlink(o->part);
	return rc;
}

void
tt_batch_store_close(struct tt_batch_store *o)
{
	struct tt_mem *mem = &o->env->mem;

	tt_results_free(o->rs);
	for (unsigned i = 0; i < 2; i++) {
		if (o->old[i] >= 0)
			close(o->old[i]);
	}
	if (o->fd >= 0)
		close(o->fd);
	free_places(&o->done, mem);
	free_places(&o->gone, mem);
	tt_mem_free(mem, o->archive, o->narchive * sizeof *o->archive);
	tt_buf_free(&o->line);
}

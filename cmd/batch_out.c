/**
 * The results of a batch, kept and found again; the contract is in batch.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "batch.h"
#include "io/sink.h"

/* --- what there is already --------------------------------------------------------- */

/* Results are found by their key and what says that they still hold: the file's size and time, or its content. */
static uint64_t
hash_of(const char *key, size_t n, uint64_t a, int64_t b)
{
	struct tt_hash h;

	tt_hash_init(&h);
	tt_hash_add(&h, key, n);
	tt_hash_add(&h, &a, sizeof a);
	tt_hash_add(&h, &b, sizeof b);
	return tt_hash_value(&h) | 1;
}

static int
note_done(struct batch_out *o, uint64_t h, uint64_t at, struct tt_err *err)
{
	size_t i;

	if (2 * (o->ndone + 1) > o->capdone) {
		struct done *old = o->done;
		size_t n = o->capdone;

		o->capdone = n ? 2 * n : 1024;
		o->done = tt_mem_alloc(&o->app->env.mem, o->capdone * sizeof *o->done, err);
		if (!o->done) {
			o->done = old;
			o->capdone = n;
			return err->code;
		}
		o->ndone = 0;
		for (i = 0; i < n; i++) {
			if (old[i].h)
				note_done(o, old[i].h, old[i].at, err);
		}
		tt_mem_free(&o->app->env.mem, old, n * sizeof *old);
	}
	for (i = h & (o->capdone - 1); o->done[i].h && o->done[i].h != h; i = (i + 1) & (o->capdone - 1))
		;
	o->ndone += !o->done[i].h;
	o->done[i] = (struct done){ h, at };
	return TT_OK;
}

static const struct done *
find_done(const struct batch_out *o, uint64_t h)
{
	for (size_t i = h & (o->capdone - 1); o->capdone && o->done[i].h; i = (i + 1) & (o->capdone - 1)) {
		if (o->done[i].h == h)
			return &o->done[i];
	}
	return NULL;
}

static int64_t
mtime_of(const struct tt_result *r)
{
	long long s = 0, ns = 0;

	return sscanf(r->mtime, "%lld.%9lld", &s, &ns) == 2 ? s * 1000000000 + ns : -1;
}

struct reading { struct batch_out *o; unsigned which; bool torn; };

/*
 * A line of an earlier run: is what it says still to be had, made by the same version with the same options?
 *
 * Lines are not brought to the disk one by one, so after a power cut any of the last may be zeros. Those are no lines; but
 * an archive's, which stands behind its captures', may be there without them. Behind lines that cannot be read none is believed.
 */
static int
on_old(void *arg, uint64_t at, const char *line, size_t n, struct tt_err *err)
{
	struct reading *rd = arg;
	struct batch_out *o = rd->o;
	struct tt_result r;
	struct tt_err why;
	int rc = TT_OK;

	if (tt_result_load(line, n, &r, &why) != TT_OK) {
		rd->torn = true;
		return TT_OK;
	}
	if (r.by == o->by && (tt_result_again(&r) || (rd->torn && strcmp(r.type, "archive") == 0))) {
		const char *bang = strchr(r.key, '!');

		rc = tt_mem_grow(&o->app->env.mem, &o->redo, &o->capredo, o->nredo + 1, sizeof *o->redo, err);
		if (rc == TT_OK)
			o->redo[o->nredo++] = tt_hash_bytes(r.key, bang ? (size_t)(bang - r.key) : strlen(r.key));
	} else if (r.by == o->by && (r.parts == 0 || (r.parts == o->shard.count && r.part == o->shard.index))) {
		uint64_t h = o->verify ? hash_of(r.key, strlen(r.key), strtoull(r.hash, NULL, 16), 0)
				       : hash_of(r.key, strlen(r.key), r.file_size, mtime_of(&r));

		if (!o->verify || r.hash[0])
			rc = note_done(o, h, at * 2 + rd->which, err);
	}
	tt_result_free(&r);
	return rc;
}

static int
by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int
read_old(struct batch_out *o, struct tt_err *err)
{
	const char *const path[2] = { o->final, o->part };
	int rc = TT_OK;

	for (unsigned i = 0; i < 2 && rc == TT_OK; i++) {
		struct reading rd = { .o = o, .which = i };
		struct stat st;

		if (stat(path[i], &st) != 0)
			continue;
		o->old[i] = open(path[i], O_RDONLY | O_CLOEXEC);
		if (o->old[i] < 0)
			return tt_fail_sys(err, errno, "%s", path[i]);
		rc = tt_results_lines(&o->app->env, path[i], on_old, &rd, err);
	}
	if (o->nredo)
		qsort(o->redo, o->nredo, sizeof *o->redo, by_value);
	return rc;
}

bool
batch_out_done(const struct batch_out *o, const struct tt_many_file *f, const char *key, size_t n, const uint64_t *hash)
{
	uint64_t whole;

	if (o->ndone == 0)
		return false;
	if (hash)
		return find_done(o, hash_of(key, n, *hash, 0)) != NULL;
	if (o->verify)
		return false;
	/* An archive with a capture that is to be tried again must be opened again. */
	whole = tt_hash_bytes(key, n);
	if (o->nredo && bsearch(&whole, o->redo, o->nredo, sizeof whole, by_value))
		return false;
	return find_done(o, hash_of(key, n, f->size, f->mtime_ns)) != NULL;
}

/* --- the part file --------------------------------------------------------------------- */

static char *
path_in(struct app *app, const char *dir, const struct tt_shard *s, const char *suffix, struct tt_err *err)
{
	char name[64];
	size_t n = strlen(dir);
	struct tt_buf b = { 0 };
	char *p = NULL;

	if (s->count > 1)
		snprintf(name, sizeof name, "results.%u-of-%u.%s", s->index, s->count, suffix);
	else
		snprintf(name, sizeof name, "results.%s", suffix);
	if (tt_buf_printf(&b, err, "%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name) == TT_OK)
		p = tt_arena_text(&app->arena, b.p, b.n, err);
	tt_buf_free(&b);
	return p;
}

/* A line that was torn ends here, so that the next one begins a line. */
static int
mend(struct batch_out *o, struct tt_err *err)
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
batch_out_open(struct batch_out *o, const char *dir, bool resume, struct tt_err *err)
{
	int rc = TT_OK;

	o->fd = o->old[0] = o->old[1] = -1;
	if (!dir)
		return tt_results_new(&o->app->env, &o->rs, err);
	o->part = path_in(o->app, dir, &o->shard, "part", err);
	o->final = o->part ? path_in(o->app, dir, &o->shard, "jsonl", err) : NULL;
	if (!o->final)
		return err->code;
	o->fd = open(o->part, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (o->fd < 0)
		return tt_fail_sys(err, errno, "%s", o->part);
	if (flock(o->fd, LOCK_EX | LOCK_NB) != 0)
		return tt_fail(err, TT_E_IO, TT_NOWHERE,
		    "%s: another batch writes here; give each its own -o, or its --shard", o->part);
	if (resume)
		rc = read_old(o, err);
	else if (ftruncate(o->fd, 0) != 0)
		rc = tt_fail_sys(err, errno, "%s", o->part);
	return rc == TT_OK ? mend(o, err) : rc;
}

int
batch_out_line(struct batch_out *o, const char *line, size_t n, struct tt_err *err)
{
	if (o->rs)
		return tt_results_add(o->rs, line, n - 1, err);
	while (n > 0) {
		ssize_t put = write(o->fd, line, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			int sys = put ? errno : ENOSPC;

			return tt_fail_sys(err, sys, "%s: cannot keep a result; --resume goes on from here", o->part);
		}
		line += put;
		n -= (size_t)put;
	}
	return TT_OK;
}

/* The capture's content is as it was: its old body under what the file is now. */
int
batch_out_same(struct batch_out *o, const struct tt_result_id *id, struct tt_err *err)
{
	const struct done *d = find_done(o, hash_of(id->key, id->nkey, id->hash, 0));
	char *text = tt_mem_alloc(&o->app->env.mem, TT_RESULT_LINE_MAX, err), *lf;
	struct tt_result r = { 0 };
	ssize_t n;
	int rc = TT_OK;

	if (!text)
		return err->code;
	n = d ? pread(o->old[d->at & 1], text, TT_RESULT_LINE_MAX, (off_t)(d->at / 2)) : -1;
	lf = n > 0 ? memchr(text, '\n', (size_t)n) : NULL;
	if (!lf || tt_result_load(text, (size_t)(lf - text), &r, err) != TT_OK) {
		rc = tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: changed while it was used", o->final);
	} else {
		o->line.n = 0;
		rc = tt_result_compose(&o->line, id, r.body, r.nbody, err);
		if (rc == TT_OK)
			rc = batch_out_line(o, o->line.p, o->line.n, err);
		o->carried++;
	}
	tt_result_free(&r);
	tt_mem_free(&o->app->env.mem, text, TT_RESULT_LINE_MAX);
	return rc;
}

/* --- the end ------------------------------------------------------------------------------ */

struct putting {
	struct app *app;
	struct tt_sink *sink;
	const struct batch_files *files;
	uint64_t by;
	struct tt_aggregate *a;
	struct batch_gate *g;
	unsigned conflicts;
};

/* Does the line speak of a file as it is now, and was it made as this batch would make it? */
static bool
on_keep(void *arg, const struct tt_result *r)
{
	const struct putting *p = arg;
	const char *bang = strchr(r->key, '!');
	const struct tt_many_file *f;

	if (!p->files)
		return true;
	f = batch_files_get(p->files, r->key, bang ? (size_t)(bang - r->key) : strlen(r->key));
	return f && r->by == p->by && r->file_size == f->size && mtime_of(r) == f->mtime_ns;
}

static int
on_line(void *arg, const char *line, size_t n, const struct tt_result *r, struct tt_err *err)
{
	struct putting *p = arg;
	int rc = tt_aggregate_add(p->a, r, err);

	if (rc == TT_OK)
		rc = batch_gate_add(p->g, r, err);

	if (rc != TT_OK || !p->sink)
		return rc;
	rc = tt_sink_write(p->sink, line, n, err);
	return rc == TT_OK ? tt_sink_write(p->sink, "\n", 1, err) : rc;
}

static void
on_conflict(void *arg, const char *key)
{
	struct putting *p = arg;

	if (p->conflicts++ < 10)
		ui_say(&p->app->ui, "%s: results of different content, version or options; one is kept", key);
}

int
batch_put_results(struct app *app, struct tt_results *rs, const char *path, const struct batch_files *files, uint64_t by,
    struct tt_aggregate *a, struct batch_gate *g, struct tt_results_sum *sum, struct tt_err *err)
{
	struct putting p = { .app = app, .files = files, .by = by, .a = a, .g = g };
	const struct tt_results_out out = { .keep = on_keep, .line = on_line, .conflict = on_conflict, .arg = &p };
	int rc = path ? tt_sink_open(&app->env, path, &p.sink, err) : TT_OK;

	if (rc != TT_OK)
		return rc;
	rc = tt_results_finish(rs, &out, sum, err);
	if (p.conflicts > 10)
		ui_say(&app->ui, "%u more keys with different results", p.conflicts - 10);
	if (rc != TT_OK) {
		tt_sink_abort(p.sink);
		return rc;
	}
	return p.sink ? tt_sink_commit(p.sink, err) : TT_OK;
}

int
batch_out_finish(struct batch_out *o, struct tt_aggregate *a, struct batch_gate *g, struct tt_results_sum *sum,
    struct tt_err *err)
{
	int rc = TT_OK;

	if (!o->rs) {
		rc = tt_results_new(&o->app->env, &o->rs, err);
		if (rc == TT_OK && o->old[0] >= 0)
			rc = tt_results_add_file(o->rs, o->final, err);
		if (rc == TT_OK)
			rc = tt_results_add_file(o->rs, o->part, err);
	}
	if (rc == TT_OK)
		rc = batch_put_results(o->app, o->rs, o->final, o->files, o->by, a, g, sum, err);
	if (rc == TT_OK && o->part)
		unlink(o->part);
	return rc;
}

void
batch_out_close(struct batch_out *o)
{
	struct tt_mem *mem = &o->app->env.mem;

	tt_results_free(o->rs);
	for (unsigned i = 0; i < 2; i++) {
		if (o->old[i] >= 0)
			close(o->old[i]);
	}
	if (o->fd >= 0)
		close(o->fd);
	tt_mem_free(mem, o->done, o->capdone * sizeof *o->done);
	tt_mem_free(mem, o->redo, o->capredo * sizeof *o->redo);
	tt_buf_free(&o->line);
}

/**
 * Runs the program over captures in memory.
 */
#include "memrun.h"

#include "collect/cover.h"
#include "emit/chrome.h"
#include "io/sink.h"
#include "io/src.h"
#include "model/format.h"
#include "view/view.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void
die(const char *what)
{
	perror(what);
	exit(1);
}

static void
write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t w = write(fd, p, n);

		if (w <= 0)
			die("write");
		p += w;
		n -= (size_t)w;
	}
}

/* The path of a memory file with these bytes; one file for the whole program. */
static const char *
memory_file(const void *p, size_t n)
{
	static int fd = -1;
	static char path[40];

	if (fd < 0) {
		fd = memfd_create("capture", MFD_CLOEXEC);
		if (fd < 0)
			die("memfd_create");
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		/* The same few tables come and go with every run: do not give them back each time. */
		mallopt(M_MMAP_THRESHOLD, 1 << 28);
		mallopt(M_TRIM_THRESHOLD, 1 << 28);
	}
	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		die("memory file");
	write_all(fd, p, n);
	return path;
}

/* The path of a pipe with these bytes, closed behind them. */
static const char *
pipe_with(const void *p, size_t n, int *fd)
{
	static char path[40];
	int end[2];

	if (n > 65536 || pipe2(end, O_CLOEXEC) < 0)
		die("pipe");
	write_all(end[1], p, n);
	close(end[1]);
	*fd = end[0];
	snprintf(path, sizeof path, "/proc/self/fd/%d", end[0]);
	return path;
}

/* --- the run -------------------------------------------------------------------- */

static int
open_sink(void *arg, const char *path, struct tt_sink **sink, struct tt_err *err)
{
	(void)path;
	return tt_sink_open_mem(arg, sink, err);
}

static void
add_emitter(struct memrun *r, struct tt_run_opts *o, const struct tt_emit **emit, struct tt_emit_opts *eo,
    const struct tt_emit *e, bool begin_end)
{
	static const struct tt_chrome_opts pairs = { .begin_end = true };

	emit[o->nemit] = e;
	eo[o->nemit++] = (struct tt_emit_opts){ .env = &r->env, .path = "-", .generator = "test", .own = begin_end ? &pairs : NULL,
		.open = open_sink, .open_arg = &r->env };
}

/* As the emitter's own, but what it refuses, coverage without lines, does not end the run. */
static int
finish_lcov(void *state, struct tt_err *err)
{
	bool lines = tt_cover_sum(((struct tt_emitting *)state)->m)->nline > 0;
	int rc = tt_emit_named("lcov")->finish(state, err);

	if (lines || rc != TT_E_USAGE)
		return lines || rc != TT_OK ? rc : tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "lcov without lines is not refused");
	err->code = TT_OK;
	return TT_OK;
}

/* The same for captures without a whole frame. */
static int
finish_framed(const char *name, void *state, struct tt_err *err)
{
	const struct tt_model *m = ((struct tt_emitting *)state)->m;
	const bool frames = m->frames && m->frames->n > 0;
	int rc = tt_emit_named(name)->finish(state, err);

	if (frames || rc != TT_E_USAGE)
		return frames || rc != TT_OK ? rc : tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "%s without frames is not refused", name);
	err->code = TT_OK;
	return TT_OK;
}

static int
finish_pdata(void *state, struct tt_err *err)
{
	return finish_framed("pdata", state, err);
}

static int
finish_perf_test(void *state, struct tt_err *err)
{
	return finish_framed("perf-test", state, err);
}

static void
report(struct memrun *r, bool not_zones)
{
	const char *name[200];
	struct tt_pass_opts po = tt_pass_defaults;
	struct tt_views view;
	struct tt_report rep;
	size_t n = 0;

	for (size_t i = 0; tt_passes[i]; i++)
		for (size_t k = 0; k < tt_passes[i]->ntables; k++)
			if (n + 1 < sizeof name / sizeof *name && (!not_zones || strcmp(tt_passes[i]->tables[k].id, "frame_markers") != 0))
				name[n++] = tt_passes[i]->tables[k].id;
	name[n] = NULL;
	po.table = name;
	tt_report_init(&rep, &r->env.mem);
	tt_view_init(&view, r->m);
	tt_loss_notes(&r->loss, &rep);
	for (size_t i = 0; tt_passes[i]; i++)
		tt_pass_report(tt_passes[i], &view, &po, &rep);
	r->rc = tt_report_error(&rep, &r->err);
	for (int form = TT_RENDER_TEXT; form <= TT_RENDER_MARKDOWN && r->rc == TT_OK; form++) {
		const struct tt_render_opts ro = { .form = (enum tt_render)form, .width = 100, .csv_sep = ',', .generator = "test" };
		struct tt_buf text = { 0 };

		r->rc = tt_render(&rep, &ro, &text, &r->err);
		tt_buf_free(&text);
	}
	tt_report_free(&rep);
	tt_view_free(&view);
}

/* What all passes need, with all of their tables. */
static unsigned
needs_of_passes(void)
{
	unsigned needs = TT_NEEDS_TALLY;

	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		needs |= (*p)->needs;
		for (size_t i = 0; i < (*p)->ntables; i++)
			needs |= (*p)->tables[i].needs;
	}
	return needs;
}

/* Everything of ${r} as a run of ${jobs} workers begins with it. */
static void
init(struct memrun *r, unsigned jobs)
{
	memset(r, 0, sizeof *r);
	r->env.jobs = jobs;
	r->env.loss = &r->loss;
	r->env.log_level = TT_LOG_QUIET;
	r->env.spool_max = 64 << 20;
	r->err.at = TT_NOWHERE;
	tt_loss_reset(&r->loss);
}

void
memrun_opts(struct memrun *r, const void *p, size_t n, const struct tt_run_opts *opts)
{
	const char *path[] = { memory_file(p, n) };
	struct tt_run_opts o = *opts;

	init(r, MEMRUN_WORKERS);
	o.formats = tt_formats;
	o.path = path;
	o.npath = 1;
	r->rc = tt_run(&r->env, &o, &r->m, &r->err);
}

static void
run(struct memrun *r, const void *p, size_t n, unsigned what, unsigned jobs, const struct tt_filter *f)
{
	const struct tt_emit *emit[16];
	struct tt_emit_opts eo[16];
	static const struct { const char *name; int (*finish)(void *, struct tt_err *); } refuse[] = {
		{ "lcov", finish_lcov }, { "pdata", finish_pdata }, { "perf-test", finish_perf_test } };
	struct tt_emit own[16];
	const char *path[1];
	struct tt_run_opts o = { .formats = tt_formats, .path = path, .npath = 1, .emit = emit, .emit_opts = eo,
		.needs = (what & MEMRUN_CALLS ? TT_NEEDS_CALLS | TT_NEEDS_HIST | TT_NEEDS_TALLY : 0) |
		    (what & MEMRUN_REPORT ? needs_of_passes() : 0) };
	int fd = -1;

	init(r, jobs);
	tt_filter_init(&o.filter);
	if (f)
		o.filter = *f;
	path[0] = what & MEMRUN_PIPE ? pipe_with(p, n, &fd) : memory_file(p, n);
	if (what & MEMRUN_FRAMES)
		o.frame_marker = "*Frame*";
	for (size_t i = 0; (what & MEMRUN_EMIT) && tt_emits[i]; i++) {
		own[i] = *tt_emits[i];
		for (size_t k = 0; k < sizeof refuse / sizeof *refuse; k++)
			if (strcmp(own[i].name, refuse[k].name) == 0)
				own[i].finish = refuse[k].finish;
		add_emitter(r, &o, emit, eo, &own[i], false);
	}
	if (what & MEMRUN_BEGIN_END)
		add_emitter(r, &o, emit, eo, tt_emit_named("chrome"), true);
	r->rc = tt_run(&r->env, &o, &r->m, &r->err);
	if (r->rc == TT_OK && (what & MEMRUN_REPORT))
		report(r, what & MEMRUN_NOT_ZONES);
	if (fd >= 0)
		close(fd);
}

void
memrun_jobs(struct memrun *r, const void *p, size_t n, unsigned what, unsigned jobs)
{
	run(r, p, n, what, jobs, NULL);
}

void
memrun(struct memrun *r, const void *p, size_t n, unsigned what)
{
	run(r, p, n, what, MEMRUN_WORKERS, NULL);
}

void
memrun_filtered(struct memrun *r, const void *p, size_t n, unsigned what, const struct tt_filter *f)
{
	run(r, p, n, what, MEMRUN_WORKERS, f);
}

size_t
memrun_free(struct memrun *r)
{
	tt_model_free(r->m);
	r->m = NULL;
	return r->env.mem.used;
}

bool
memrun_damaged(const struct memrun *r)
{
	return r->rc == TT_E_DAMAGED || r->rc == TT_E_UNKNOWN || tt_loss_damaged(&r->loss);
}

uint64_t
memrun_events(const struct memrun *r)
{
	uint64_t n = 0;

	for (size_t i = 0; r->m && i < r->m->ncap; i++)
		n += r->m->cap[i]->nevent;
	return n;
}

/* --- chunks alone ------------------------------------------------------------------ */

static uint64_t
mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9E3779B97F4A7C15u;
	return h ^ h >> 29;
}

static uint64_t
mix_text(uint64_t h, const char *s, size_t n)
{
	h = mix(h, n);
	for (size_t i = 0; i < n; i++)
		h = mix(h, (uint8_t)s[i]);
	return h;
}

/* Counters of old versions count from the start of the recording, and what has no time takes the chunk's. */
static uint64_t
time_of(const struct tt_event *e, uint64_t zero)
{
	return e->kind == TT_COUNTER ? 0 : (uint64_t)e->ts + zero;
}

static uint64_t
sum_batch(const struct tt_batch *b, uint64_t zero)
{
	uint64_t h = mix(b->nevent, b->n);

	for (size_t i = 0; i < b->n; i++) {
		const struct tt_event *e = &b->ev[i];

		h = mix(h, (uint64_t)e->kind << 32 | (uint64_t)e->flags << 16 | e->depth);
		h = mix(h, e->dur);
		if (e->kind == TT_ARG && e->depth == TT_T_TEXT) {
			h = mix_text(h, b->text.p + e->val, e->dur);
			continue;
		}
		h = mix(h, e->val);
		h = mix(h, e->kind == TT_EXT || e->kind == TT_ARG ? (uint64_t)e->ts : time_of(e, zero));
	}
	for (size_t i = 0; i < b->nword; i++)
		h = mix(h, b->word[i]);
	for (size_t i = 0; i < b->ndef; i++) {
		const struct tt_def *d = &b->def[i];

		h = mix(mix(mix(mix(mix(h, d->kind), d->key), d->a), d->b), (uint64_t)d->ts + zero);
		h = mix_text(mix_text(h, d->text, d->len), d->text2, d->len2);
	}
	return h;
}

static int
load(struct tt_mem *mem, const struct tt_src *src, struct tt_chunk *c, struct tt_err *err)
{
	size_t got = 0;
	int rc = tt_mem_grow(mem, &c->bytes, &c->cap, (size_t)c->len + TT_CHUNK_PAD, 1, err);

	if (rc == TT_OK)
		rc = tt_src_pread(src, c->at, c->bytes, (size_t)c->len, &got, err);
	if (rc == TT_OK)
		memset(c->bytes + got, 0, TT_CHUNK_PAD);
	return rc;
}

struct memchunk *
memchunks(const void *p, size_t len, size_t *n)
{
	const struct tt_format *f = NULL;
	struct tt_loss loss = { 0 };
	struct tt_env env = { .jobs = 1, .loss = &loss };
	struct tt_capture cap = { 0 };
	struct tt_chunk c = { 0 };
	struct tt_batch b;
	struct tt_src *src = NULL;
	struct tt_err err = { .at = TT_NOWHERE };
	struct memchunk *list = NULL;
	void *ctx = NULL;
	size_t room = 0;

	*n = 0;
	for (size_t i = 0; tt_formats[i]; i++)
		if (strcmp(tt_formats[i]->name, "mlpd") == 0)
			f = tt_formats[i];
	tt_arena_init(&cap.arena, &env.mem);
	tt_batch_init(&b, &env.mem, TT_NEEDS_ARGS | TT_NEEDS_HEAP);
	int rc = tt_src_open_mem(&env, p, len, "memory", &src, &err);
	if (!f)
		abort();
	if (rc == TT_OK)
		rc = f->open(&env, src, &cap, &ctx, &err);
	while (rc == TT_OK && (rc = f->next(ctx, &c, &err)) == TT_OK) {
		rc = c.loaded ? TT_OK : load(&env.mem, src, &c, &err);
		tt_batch_reset(&b);
		if (rc == TT_OK)
			rc = f->decode(ctx, &c, &b, &err);
		if (rc != TT_OK)
			break;
		if (*n == room) {
			room = room ? room * 2 : 64;
			list = realloc(list, room * sizeof *list);
			if (!list)
				die("realloc");
		}
		list[(*n)++] = (struct memchunk){ .at = c.at, .len = c.len, .sum = sum_batch(&b, (uint64_t)cap.zero_ns),
			.nevent = b.nevent, .lost = b.loss.any || c.loss.any };
	}
	f->close(ctx);
	tt_src_close(src);
	tt_batch_free(&b);
	tt_mem_free(&env.mem, c.bytes, c.cap);
	tt_arena_free(&cap.arena);
	return list;
}

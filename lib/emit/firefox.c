/**
 * firefox: the profile, thread by thread. tracetool-formats(7) describes the format.
 */
#include "emit/firefox.h"

#include <string.h>

#include "emit/common.h"
#include "io/sink.h"
#include "sys/sys.h"

/* Length of a slice of time: 1 ms, or more if the capture would have more slices than MAX_SLICES. */
enum { SLICE_NS = 1000000, MAX_SLICES = 16384 };

/* --- threads ------------------------------------------------------------------------------------------------------- */

/* Begin a thread of ${process}, up to its samples. ${name} NULL: the thread stands for a capture without threads and has the capture's name. */
static void
begin_thread(struct firefox *d, uint32_t process, const char *name, uint64_t tid, bool is_main, int64_t from)
{
	struct tt_json *j = &d->j;
	size_t n;
	const char *title = tt_capture_title(d->e.m->cap[process], &n);

	j->gap = "\n";
	tt_json_open(j, NULL, "{");
	tt_json_text(j, "processType", "default");
	tt_json_text_n(j, "processName", title, n);
	tt_json_text(j, "name", name);
	tt_firefox_put_pid(d, process);
	tt_json_u64(j, "tid", tid);
	tt_json_bool(j, "isMainThread", is_main);
	tt_json_bool(j, "showMarkersInTimeline", is_main);
	tt_json_u64(j, "processStartupTime", 0);
	tt_json_raw(j, "processShutdownTime", "null");
	tt_json_key(j, "registerTime");
	j->comma = false;
	tt_firefox_put_time(d, from);
	tt_json_raw(j, "unregisterTime", "null");
	tt_json_open(j, "pausedRanges", "[");
	tt_json_close(j, "]");
}

/* Choose the threads to write and, for each process, its main thread: the thread of its frames, or the first. */
static void
choose_threads(struct firefox *d)
{
	const struct tt_model *m = d->e.m;
	const struct tt_frames *f = m->frames;
	uint32_t n = 0;

	for (size_t i = 0; f && i < f->nrange; i++) {
		const uint32_t thread = f->range[i].end > f->range[i].first ? tt_frames_thread(f, f->range[i].first) : UINT32_MAX;

		if (thread < m->threads.n && (!m->keep_thread || m->keep_thread[thread])) {
			d->frames_of[thread] = (uint32_t)i + 1;
			d->main_of[m->threads.t[thread]->process] = thread + 1;
		}
	}
	for (size_t i = 0; i < m->threads.n; i++) {
		const uint32_t process = m->threads.t[i]->process;
		const bool has_zones = i < d->slices.nthread && d->slices.thread[i].thread;

		if ((m->keep_thread && !m->keep_thread[i]) || (!has_zones && !d->first_of[i] && !d->frames_of[i]))
			continue;
		d->row_of[i] = ++n;
		if (!d->main_of[process])
			d->main_of[process] = (uint32_t)i + 1;
	}
}

static int
put_thread(struct firefox *d, const struct tt_thread *t, struct tt_err *err)
{
	const bool is_known = t->first_ts <= t->last_ts;
	char name[32] = "Thread ";
	int rc;

	*tt_put_u64(name + 7, (uint64_t)t->index + 1) = '\0';
	d->thread = t;
	begin_thread(d, t->process, t->name && *t->name ? t->name : name, (uint64_t)t->index + 1, d->main_of[t->process] == t->index + 1,
	    is_known ? t->first_ts : d->origin);
	rc = tt_firefox_put_samples(d, err);
	TT_THEN(rc, tt_firefox_put_allocations(d, err));
	TT_THEN(rc, tt_firefox_put_markers(d, err));
	tt_json_close(&d->j, "}");
	return rc;
}

/* Write an empty thread for a capture in which no thread has anything: the Firefox Profiler opens no profile without threads. */
static void
put_empty_thread(struct firefox *d, uint32_t process)
{
	struct tt_json *j = &d->j;

	begin_thread(d, process, "(no events)", (uint64_t)d->e.m->threads.n + process + 1, true, d->origin);
	tt_json_open(j, "samples", "{");
	for (unsigned i = 0; i < 3; i++) {
		tt_json_open(j, (const char *const[]){ "stack", "time", "weight" }[i], "[");
		tt_json_close(j, "]");
	}
	tt_json_text(j, "weightType", "tracing-ms");
	tt_json_u64(j, "length", 0);
	tt_json_close(j, "}");
	tt_json_open(j, "markers", "{");
	for (unsigned i = 0; i < COLUMNS; i++) {
		tt_json_open(j, tt_firefox_columns[i], "[");
		tt_json_close(j, "]");
	}
	tt_json_u64(j, "length", 0);
	tt_json_close(j, "}}");
}

int
tt_firefox_put_threads(struct firefox *d, struct tt_err *err)
{
	const struct tt_model *m = d->e.m;
	int rc = TT_OK;

	tt_json_open(&d->j, "threads", "[");
	for (size_t i = 0; i < m->threads.n && rc == TT_OK; i++)
		if (d->row_of[i])
			rc = put_thread(d, m->threads.t[i], err);
	for (uint32_t i = 0; i < m->ncap && rc == TT_OK; i++)
		if (!d->main_of[i])
			put_empty_thread(d, i);
	tt_json_close(&d->j, "]");
	return rc;
}

/* --- all ----------------------------------------------------------------------------------------------------------- */

/* Choose the length of slices of time: 1, 2 or 5 times a power of ten, in ms. */
static void
choose_slice(struct firefox *d)
{
	static const int64_t next[] = { 2, 5, 10 };
	const uint64_t span = (uint64_t)d->max_ts - (uint64_t)d->origin;
	int64_t power = SLICE_NS;

	d->slice_ns = SLICE_NS;
	for (size_t i = 0; span / (uint64_t)d->slice_ns >= MAX_SLICES; i = (i + 1) % 3) {
		d->slice_ns = power * next[i];
		power = i == 2 ? d->slice_ns : power;
	}
}

static int
put_profile(struct firefox *d, struct tt_err *err)
{
	struct tt_json *j = &d->j;
	int rc;

	*j = (struct tt_json){ .out = &d->buf };
	choose_threads(d);
	tt_json_open(j, NULL, "{");
	/* Write these before the facts, which say what was lost while writing. */
	if ((rc = tt_firefox_put_threads(d, err)) != TT_OK || (rc = tt_firefox_put_counters(d, err)) != TT_OK || (rc = tt_firefox_put_shared(d, err)) != TT_OK)
		return rc;
	if (d->unwritten)
		tt_loss_add(d->e.m->loss, TT_LOST_VALUES, d->unwritten, 0, TT_NOWHERE);
	tt_firefox_put_meta(d);
	tt_json_close(j, "}");
	tt_buf_text(j->out, "\n");
	tt_sink_write(d->sink, d->buf.p, d->buf.n, NULL);
	rc = tt_buf_error(&d->buf, err);
	return rc == TT_OK ? tt_sink_write(d->sink, "", 0, err) : rc;
}

static int
firefox_finish(void *state, struct tt_err *err)
{
	struct firefox *d = state;
	int rc = tt_firefox_begin_paths(d, err);

	d->origin = tt_emit_origin(d->e.m);
	tt_firefox_extend_span(d, d->origin, d->origin < d->e.m->max_ts ? d->e.m->max_ts : d->origin);
	d->origin = d->min_ts;
	choose_slice(d);
	return rc == TT_OK ? put_profile(d, err) : rc;
}

static int
firefox_begin(void *state, struct tt_err *err)
{
	struct firefox *d = state;

	d->min_ts = INT64_MAX;
	d->max_ts = INT64_MIN;
	d->sample_fd = -1;
	tt_slices_init(&d->slices, d->e.env, &d->put_aside);
	tt_text_spool_init(&d->payload, d->e.env, &d->put_aside);
	tt_arena_init(&d->text, &d->e.env->mem);
	return tt_emit_open(&d->e, 0, &d->sink, err);
}

static void
firefox_end(void *state)
{
	struct firefox *d = state;
	struct tt_mem *mem = &d->e.env->mem;

	tt_firefox_end_paths(d);
	tt_mem_free(mem, d->heap, d->capheap * sizeof *d->heap);
	tt_mem_free(mem, d->open, d->capopen * sizeof *d->open);
	tt_mem_free(mem, d->touched, d->captouched * sizeof *d->touched);
	tt_text_spool_free(&d->payload);
	tt_slices_free(&d->slices);
	if (d->sample_fd >= 0)
		tt_sys_close(d->sample_fd);
	tt_buf_free(&d->buf);
}

static const char *const suffixes[] = { ".firefox.json", NULL };

const struct tt_emit tt_emit_firefox = {
	.name = "firefox",
	.summary = "profile for the Firefox Profiler: zones, self time, allocations, counters (profiler.firefox.com)",
	.suffix = suffixes,
	.ledger = true,
	.viewed = true,
	.needs = TT_NEEDS_SLICES | TT_NEEDS_TEXT | TT_NEEDS_ARGS | TT_NEEDS_FRAMES | TT_NEEDS_CALLS | TT_NEEDS_POINTS,
	.state = sizeof(struct firefox),
	.begin = firefox_begin,
	.chunk = tt_firefox_chunk,
	.rare = tt_firefox_rare,
	.write = tt_firefox_write,
	.finish = firefox_finish,
	.end = firefox_end,
};

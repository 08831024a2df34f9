/**
 * perf-test: frames, allocations and chosen markers as sample groups, in the layout of the results of Unity's Performance Testing package.
 *
 * Each capture is the result of a test. A group has a sample for each whole frame; the sample of a marker is its time on the frame thread,
 * in which zones of the marker inside each other count once. The chosen zones are put aside in order of begin, because inner ones may come first.
 *
 * Memory: the values of frames, 8 bytes for each frame and marker. Disk: 32 bytes for each zone of a chosen marker.
 */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/order.h"
#include "base/setting.h"
#include "collect/collections.h"
#include "emit/common.h"
#include "emit/slice_sort.h"
#include "view/figures.h"

enum { MAX_MARKERS = 256 };                  /* maximum number of chosen markers */

/* The numbers of units in the file. */
enum unit { UNIT_MS = 2, UNIT_BYTE = 4, UNIT_NONE = 8 };

/* Groups of frame times. */
static const struct { const char *name; unsigned what; } times[] = { { "FrameTime", TT_FRAME_WALL }, { "FrameTime.CPU", TT_FRAME_CPU },
	{ "FrameTime.MainThread", TT_FRAME_TIMING + TT_TIMING_MAIN }, { "FrameTime.RenderThread", TT_FRAME_TIMING + TT_TIMING_RENDER },
	{ "FrameTime.GPU", TT_FRAME_TIMING + TT_TIMING_GPU } };

struct marker { const char *name; uint64_t key; int64_t *ns, until; };

struct perf {
	struct tt_out out;
	struct tt_slices slices;
	uint64_t put_aside;

	/* the capture being written */
	struct tt_json j;
	const struct tt_frame_range *of;
	uint32_t process;
	struct marker marker[MAX_MARKERS];
	size_t nmarker;
	double *v;                    /* samples of the present group */
	size_t n, cap;
};

/* --- on the way -------------------------------------------------------------------------------------------- */

/* Return the frames of the capture that thread ${t} begins, or NULL. */
static const struct tt_frame_range *
frames_on(const struct tt_model *m, const struct tt_thread *t)
{
	const struct tt_frames *f = m->frames;

	for (size_t i = 0; f && i < f->nrange; i++)
		if (f->range[i].process == t->process && f->range[i].end > f->range[i].first && tt_frames_thread(f, f->range[i].first) == t->index)
			return &f->range[i];
	return NULL;
}

static int
perf_chunk(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	const bool any = (v->m->filter.marker || v->m->filter.category) && frames_on(v->m, v->thread);

	(void)state;
	for (size_t i = 0; any && i < v->nslice; i++) {
		const struct tt_name *name = tt_model_key(v->m, v->cap->process, v->slice[i].key);
		if (name->wanted && !name->is_left_out)
			tt_buf_add(out, &v->slice[i], sizeof v->slice[i]);
	}
	return tt_buf_error(out, err);
}

static int
perf_write(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err)
{
	struct perf *d = state;

	return tt_slices_add(&d->slices, v->thread, p, n / sizeof(struct tt_slice), NULL, err);
}

/* --- markers per frame ---------------------------------------------------------------------------------------- */

static int
find_marker(struct perf *d, uint64_t key, struct marker **at, struct tt_err *err)
{
	struct tt_nameless own;
	const char *name;

	for (size_t i = 0; i < d->nmarker; i++)
		if (d->marker[i].key == key) {
			*at = &d->marker[i];
			return TT_OK;
		}
	name = tt_emit_marker(tt_emit_name(d->out.e.m, d->process, key, &own));
	for (size_t i = 0; i < d->nmarker; i++)
		if (strcmp(d->marker[i].name, name) == 0) {
			*at = &d->marker[i];
			return TT_OK;
		}
	if (d->nmarker == MAX_MARKERS)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "perf-test: %s and %s choose more than %d markers: choose fewer",
		    tt_setting_name[TT_SETTING_MARKER], tt_setting_name[TT_SETTING_CATEGORY], MAX_MARKERS);
	*at = &d->marker[d->nmarker];
	**at = (struct marker){ .key = key, .until = INT64_MIN };
	(*at)->ns = tt_mem_alloc(&d->out.e.env->mem, (d->of->end - d->of->first) * sizeof *(*at)->ns, err);
	if (!(*at)->ns)
		return err->code;
	d->nmarker++;
	(*at)->name = tt_arena_text((struct tt_arena *)(uintptr_t)&d->out.e.m->arena, name, strlen(name), err);
	return (*at)->name ? TT_OK : err->code;
}

static int
add_zone(void *arg, const struct tt_slice *s, struct tt_err *err)
{
	struct perf *d = arg;
	const struct tt_frames *f = d->out.e.m->frames;
	struct marker *k = NULL;
	int rc = find_marker(d, s->key, &k, err);
	int64_t from, to = s->dur > 0 && s->ts <= INT64_MAX - s->dur ? s->ts + s->dur : s->ts;

	if (rc != TT_OK)
		return rc;
	from = s->ts > k->until ? s->ts : k->until;
	if (to <= from)
		return TT_OK;
	k->until = to;
	for (size_t i = tt_lower_bound(n, d->of->first, d->of->end, tt_frames_end(f, n) <= from); i < d->of->end && tt_frames_start(f, i) < to; i++) {
		const int64_t a = tt_frames_start(f, i) > from ? tt_frames_start(f, i) : from, b = tt_frames_end(f, i) < to ? tt_frames_end(f, i) : to;
		k->ns[i - d->of->first] += b - a;
	}
	return TT_OK;
}

static void
forget_markers(struct perf *d)
{
	for (size_t i = 0; i < d->nmarker; i++)
		tt_mem_free(&d->out.e.env->mem, d->marker[i].ns, (d->of->end - d->of->first) * sizeof *d->marker[i].ns);
	d->nmarker = 0;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct marker *)a)->name, ((const struct marker *)b)->name);
}

/* --- groups ---------------------------------------------------------------------------------------------------- */

static int
by_value(const void *a, const void *b)
{
	return TT_CMP(*(const double *)a, *(const double *)b);
}

static void
put_number(struct tt_json *j, const char *key, double v)
{
	char text[40];

	*tt_put_double(text, v) = '\0';
	tt_json_raw(j, key, text);
}

/* Write the samples in d->v as a group, with the statistics that the package computes. Sorts the samples. */
static int
put_group(struct perf *d, const char *name, enum unit unit, struct tt_err *err)
{
	struct tt_json *j = &d->j;
	double sum = 0, square = 0, mean;

	if (d->n == 0)
		return TT_OK;
	tt_json_open(j, NULL, "{");
	tt_json_text(j, "Name", name);
	tt_json_u64(j, "Unit", unit);
	tt_json_bool(j, "IncreaseIsBetter", false);
	tt_json_open(j, "Samples", "[");
	for (size_t i = 0; i < d->n; i++) {
		put_number(j, NULL, d->v[i]);
		sum += d->v[i];
		tt_out_spill(&d->out);
	}
	tt_json_close(j, "]");
	mean = sum / (double)d->n;
	for (size_t i = 0; i < d->n; i++)
		square += (d->v[i] - mean) * (d->v[i] - mean);
	tt_sort(d->v, d->n, by_value);
	put_number(j, "Min", d->v[0]);
	put_number(j, "Max", d->v[d->n - 1]);
	put_number(j, "Median", (d->v[(d->n - 1) / 2] + d->v[d->n / 2]) / 2);
	put_number(j, "Average", mean);
	put_number(j, "StandardDeviation", sqrt(square / (double)d->n));
	put_number(j, "Sum", sum);
	tt_json_close(j, "}");
	d->n = 0;
	tt_out_spill(&d->out);
	return tt_stopped(d->out.e.env) ? tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped") : TT_OK;
}

static int
add(struct perf *d, double v, struct tt_err *err)
{
	int rc = tt_mem_grow(&d->out.e.env->mem, &d->v, &d->cap, d->n + 1, sizeof *d->v, err);

	if (rc == TT_OK)
		d->v[d->n++] = v;
	return rc;
}

/* True if the engine measured ${what} for a frame of this capture, or if ${what} is not measured by the engine at all. Other captures do not count. */
static bool
is_measured(const struct perf *d, unsigned what)
{
	size_t i = d->of->first;
	int64_t v;

	while (what >= TT_FRAME_TIMING && i < d->of->end && (!tt_frame_value(d->out.e.m->frames, what, i, &v) || v == 0))
		i++;
	return i < d->of->end;
}

/* True if the capture's allocations are known. */
static bool
knows_allocs(const struct perf *d)
{
	return tt_model_knows_allocs(d->out.e.m) && tt_capture_knows_allocs(d->out.e.m->cap[d->process]);
}

/* Write a group of a value of the frames, without the frames that lack it. */
static int
put_frames(struct perf *d, const char *name, unsigned what, enum unit unit, struct tt_err *err)
{
	int64_t v;
	int rc = TT_OK;

	if (!is_measured(d, what))
		return TT_OK;

	for (size_t i = d->of->first; i < d->of->end && rc == TT_OK; i++)
		if (tt_frame_value(d->out.e.m->frames, what, i, &v))
			rc = add(d, unit == UNIT_MS ? (double)v / 1e6 : (double)v, err);
	return rc == TT_OK ? put_group(d, name, unit, err) : rc;
}

static int
put_pauses(struct perf *d, struct tt_err *err)
{
	const struct tt_gc *gc = tt_gc(d->out.e.m);
	int rc = TT_OK;

	for (size_t i = 0; gc && i < gc->npause && rc == TT_OK; i++)
		if (gc->pause[i].process == d->process && gc->pause[i].has_begin)
			rc = add(d, (double)(gc->pause[i].end - gc->pause[i].start) / 1e6, err);
	return rc == TT_OK ? put_group(d, "GC.Pause", UNIT_MS, err) : rc;
}

/* True if the file has a built-in group of this name. */
static bool
is_own_group(const char *name)
{
	static const char *const others[] = { "GC.Alloc", "GC.Alloc.Count", "GC.Pause" };
	bool own = false;

	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		own = own || strcmp(name, times[i].name) == 0;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		own = own || strcmp(name, others[i]) == 0;
	return own;
}

/* Append ${name}. If it equals a built-in group's name, perhaps with " (marker)" behind it, append " (marker)" once more to keep both apart. */
static int
put_name(struct tt_buf *b, const char *name, struct tt_err *err)
{
	static const char more[] = " (marker)";
	const size_t n = strlen(name), nmore = sizeof more - 1;
	size_t base = n;

	while (base >= nmore && memcmp(name + base - nmore, more, nmore) == 0)
		base -= nmore;
	tt_buf_add(b, name, base);
	tt_buf_add(b, "", 1);
	if (tt_buf_error(b, err) != TT_OK)
		return err->code;
	const bool own = is_own_group(b->p);
	b->n = 0;
	tt_buf_printf(b, "%s%s", name, own ? more : "");
	return tt_buf_error(b, err);
}

static int
put_marker(struct perf *d, const struct marker *k, struct tt_err *err)
{
	struct tt_buf name = { 0 };
	int rc = TT_OK;

	rc = put_name(&name, k->name, err);
	for (size_t i = 0; i < d->of->end - d->of->first && rc == TT_OK; i++)
		rc = add(d, (double)k->ns[i] / 1e6, err);
	TT_THEN(rc, put_group(d, name.p, UNIT_MS, err));
	tt_buf_free(&name);
	return rc;
}

static int
put_markers(struct perf *d, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < d->slices.nthread && rc == TT_OK; i++)
		if (d->slices.thread[i].thread && frames_on(d->out.e.m, d->slices.thread[i].thread) == d->of)
			rc = tt_slices_each(&d->slices, i, add_zone, d, err);
	if (rc == TT_OK)
		tt_sort(d->marker, d->nmarker, by_name);
	for (size_t i = 0; i < d->nmarker && rc == TT_OK; i++)
		rc = put_marker(d, &d->marker[i], err);
	forget_markers(d);
	return rc;
}

/* Return the name of the capture's result: the capture's title, or its path if another capture with frames has the same title. */
static const char *
result_name(const struct perf *d, size_t *n)
{
	const struct tt_model *m = d->out.e.m;
	const char *name = tt_capture_title(m->cap[d->process], n);

	for (size_t i = 0; i < m->frames->nrange; i++) {
		const struct tt_capture *other = m->cap[m->frames->range[i].process];
		size_t len;
		const char *title = tt_capture_title(other, &len);

		if (other == m->cap[d->process] || len != *n || memcmp(title, name, len) != 0)
			continue;
		*n = strlen(m->cap[d->process]->path);
		return m->cap[d->process]->path;
	}
	return name;
}

static int
put_result(struct perf *d, struct tt_err *err)
{
	struct tt_json *j = &d->j;
	size_t n;
	const char *title = result_name(d, &n);
	int rc = TT_OK;

	tt_json_open(j, NULL, "{");
	tt_json_text_n(j, "Name", title, n);
	tt_json_text(j, "ClassName", "tracetool");
	tt_json_text_n(j, "MethodName", title, n);
	tt_json_text(j, "Version", "1");
	tt_json_open(j, "Categories", "[");
	tt_json_close(j, "]");
	tt_json_open(j, "SampleGroups", "[");
	for (size_t i = 0; i < sizeof times / sizeof *times && rc == TT_OK; i++)
		rc = put_frames(d, times[i].name, times[i].what, UNIT_MS, err);
	if (rc == TT_OK && knows_allocs(d))
		rc = put_frames(d, "GC.Alloc", TT_FRAME_ALLOC_B, UNIT_BYTE, err);
	if (rc == TT_OK && knows_allocs(d))
		rc = put_frames(d, "GC.Alloc.Count", TT_FRAME_ALLOC_N, UNIT_NONE, err);
	TT_THEN(rc, put_pauses(d, err));
	TT_THEN(rc, put_markers(d, err));
	tt_json_close(j, "]}");
	return rc;
}

/* --- the file --------------------------------------------------------------------------------------------------- */

/* Report which captures have no result. */
static int
tell_missing(const struct perf *d, struct tt_err *err)
{
	struct tt_env *env = d->out.e.env;
	struct tt_err failed = { 0 };
	struct tt_arena text;

	tt_arena_init(&text, &env->mem);
	const char *missing = tt_frames_missing(d->out.e.m, &text, &failed);
	if (missing)
		tt_log(env, TT_LOG_NORMAL, "perf-test: no whole frame in %s: left out; name a frame marker with %s", missing,
		    tt_setting_name[TT_SETTING_FRAME_MARKER]);
	tt_arena_free(&text);
	if (failed.code)
		*err = failed;
	return failed.code;
}

static int
perf_finish(void *state, struct tt_err *err)
{
	struct perf *d = state;
	const struct tt_model *m = d->out.e.m;
	struct tt_json *j = &d->j;
	uint64_t events = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < m->ncap; i++)
		events += m->cap[i]->nevent;
	if ((!m->frames || m->frames->n == 0) && events == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "perf-test: the capture has no whole frame, because it has no events");
	if (!m->frames || m->frames->n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "perf-test: the capture has no whole frame: name a frame marker with %s",
		    tt_setting_name[TT_SETTING_FRAME_MARKER]);
	if ((rc = tell_missing(d, err)) != TT_OK)
		return rc;
	*j = (struct tt_json){ .out = &d->out.buf };
	tt_json_open(j, NULL, "{");
	tt_json_text(j, "TestSuite", "tracetool");
	/* Unity's own captures do not say when they were recorded. */
	if (m->cap[0]->wall_ns)
		tt_json_i64(j, "Date", m->cap[0]->wall_ns / 1000000);
	for (size_t i = 0; i < 3; i++) {
		tt_json_open(j, (const char *const[]){ "Player", "Hardware", "Editor" }[i], "{");
		tt_json_close(j, "}");
	}
	tt_json_open(j, "Dependencies", "[");
	tt_json_close(j, "]");
	tt_json_open(j, "Results", "[");
	for (size_t i = 0; i < m->frames->nrange && rc == TT_OK; i++) {
		d->of = &m->frames->range[i];
		d->process = d->of->process;
		if (d->of->end > d->of->first)
			rc = put_result(d, err);
	}
	tt_json_close(j, "]}");
	tt_buf_text(&d->out.buf, "\n");
	return rc == TT_OK ? tt_out_error(&d->out, err) : rc;
}

static void
perf_end(void *state)
{
	struct perf *d = state;

	forget_markers(d);
	tt_mem_free(&d->out.e.env->mem, d->v, d->cap * sizeof *d->v);
	tt_slices_free(&d->slices);
	tt_out_end(&d->out);
}

static int
perf_begin(void *state, struct tt_err *err)
{
	struct perf *d = state;

	tt_slices_init(&d->slices, d->out.e.env, &d->put_aside);
	return tt_out_begin(&d->out, err);
}

static const char *const suffixes[] = { NULL };

const struct tt_emit tt_emit_perf_test = {
	.name = "perf-test",
	.summary = "frames, allocations and chosen markers as sample groups of Unity's Performance Testing package",
	.suffix = suffixes,
	.needs = TT_NEEDS_SLICES | TT_NEEDS_TEXT | TT_NEEDS_FRAMES | TT_NEEDS_APART,
	.state = sizeof(struct perf),
	.begin = perf_begin,
	.chunk = perf_chunk,
	.write = perf_write,
	.finish = perf_finish,
	.end = perf_end,
};

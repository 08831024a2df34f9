/**
 * C functions for the C# companion: facts, labels, marks, frame timings. Facts are kept for all later captures, too.
 */
#include "recorder/unity/plugin.h"

#include <stdio.h>
#include <string.h>

/* Facts set by tracetool_meta(), for every capture, as texts: key, value, key, value ... */
enum { STORE = 64 << 10 };
static struct plat_lock lock;
static char store[STORE];
static size_t used;

/* Remove the fact ${key}. */
static void
forget(const char *key)
{
	for (size_t at = 0, next; at < used; at = next) {
		size_t value = at + strlen(store + at) + 1;
		next = value + strlen(store + value) + 1;
		if (strcmp(store + at, key) != 0)
			continue;
		memmove(store + at, store + next, used - next);
		used -= next - at;
		return;
	}
}

static void
keep(const char *key, const char *value)
{
	size_t n = strlen(key) + 1, m = strlen(value) + 1;

	forget(key);
	if (m == 1 || n > STORE || m > STORE || n + m > STORE - used)
		return;
	memcpy(store + used, key, n);
	memcpy(store + used + n, value, m);
	used += n + m;
}

void
tracetool_meta(const char *key, const char *value)
{
	if (!key || !*key)
		return;
	if (!value)
		value = "";
	plat_lock(&lock);
	keep(key, value);
	rec_meta(key, value);
	plat_unlock(&lock);
}

void
tracetool_label(const char *text)
{
	rec_meta("label", text ? text : "");
}

static void
put_number(const char *key, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof text, "%llu", (unsigned long long)n);
	rec_meta(key, text);
}

void
facts_open(void)
{
	static const char *const name[] = { "none", "IUnityProfilerCallbacks", "IUnityProfilerCallbacksV2" };
	char key[OPTVAL_PATH];

	rec_meta("recorder.interface", name[plugin.version]);
	plat_lock(&lock);
	for (size_t at = 0; at < used;) {
		const char *k = store + at, *v = k + strlen(k) + 1;
		rec_meta(k, v);
		at = (size_t)(v + strlen(v) + 1 - store);
	}
	plat_unlock(&lock);
	for (const char *m = NULL; (m = opttable_next(&plugin.config.values, LIST_META, m)) != NULL;) {
		size_t n = strcspn(m, "=");
		snprintf(key, sizeof key, "%.*s", (int)(n < sizeof key ? n : sizeof key - 1), m);
		rec_meta(key, m + n + 1);
	}
}

void
facts_close(void)
{
	static const char *const name[N_COUNTS] = {
		[N_MARKERS] = "recorder.markers", [N_FILTERED] = "recorder.markers_filtered",
		[N_REUSED] = "recorder.ids_reused", [N_NAMELESS] = "recorder.markers_nameless",
		[N_CATEGORIES_UNKNOWN] = "recorder.categories_unknown",
		[N_REFUSED] = "recorder.registrations_refused", [N_ODD] = "recorder.values_odd",
		[N_COMPUTED] = "recorder.completions_computed",
		[N_SIZELESS] = "recorder.allocations_sizeless", [N_RESERVED] = "recorder.markers_reserved",
	};

	put_number("recorder.frames", atomic_load(&plugin.frames));
	for (unsigned i = 0; i < N_COUNTS; i++) {
		uint64_t n = atomic_load(&plugin.count[i]);
		if (n || i == N_MARKERS)
			put_number(name[i], n);
	}
}

void
tracetool_mark(const char *text)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	if (!text)
		text = "";
	if (t && atomic_load_explicit(&plugin.state, memory_order_relaxed) == S_CAPTURING)
		rec_single(t, now, plugin.mark_key,
		    &(struct rec_value){ .type = TTC_TEXT8, .size = (uint32_t)strlen(text), .p = text }, 1);
}

static uint64_t
ns_of(double ms)
{
	return ms > 0 && ms < 1e9 ? (uint64_t)(ms * 1e6 + 0.5) : 0;
}

/* Record the parts of a frame timing that reports need, in addition to the complete record. */
static void
put_timing(struct rec_thread *t, uint64_t now, const struct tracetool_frame_timing *f)
{
	uint8_t b[80], *p = b;

	p = ttc_put(p, f->age);
	p = ttc_put(p, f->flags);
	p = ttc_put(p, ns_of(f->cpu_total_ms));
	p = ttc_put(p, ns_of(f->cpu_main_ms));
	p = ttc_put(p, ns_of(f->cpu_render_ms));
	p = ttc_put(p, ns_of(f->cpu_present_wait_ms));
	p = ttc_put(p, ns_of(f->gpu_ms));
	rec_other(t, now, TTC_TIMING, b, (size_t)(p - b));
}

static void
put_record(struct rec_thread *t, const struct tracetool_frame_timing *f, const struct tracetool_frame_settings *s,
    uint64_t ticks_per_second)
{
	/* In the order stated at UNITY_FRAME_TIMING_NAME. */
	const struct rec_value v[] = {
		{ .type = TTC_F64, .size = 8, .p = &f->cpu_total_ms },
		{ .type = TTC_F64, .size = 8, .p = &f->cpu_main_ms },
		{ .type = TTC_F64, .size = 8, .p = &f->cpu_present_wait_ms },
		{ .type = TTC_F64, .size = 8, .p = &f->cpu_render_ms },
		{ .type = TTC_F64, .size = 8, .p = &f->gpu_ms },
		{ .type = TTC_U64, .size = 8, .p = &f->frame_start },
		{ .type = TTC_U64, .size = 8, .p = &f->first_submit },
		{ .type = TTC_U64, .size = 8, .p = &f->present_called },
		{ .type = TTC_U64, .size = 8, .p = &f->frame_complete },
		{ .type = TTC_U64, .size = 8, .p = &ticks_per_second },
		{ .type = TTC_U32, .size = 4, .p = &f->flags },
		{ .type = TTC_U32, .size = 4, .p = &f->age },
		{ .type = TTC_F32, .size = 4, .p = s ? &s->height_scale : NULL },
		{ .type = TTC_F32, .size = 4, .p = s ? &s->width_scale : NULL },
		{ .type = TTC_U32, .size = 4, .p = s ? &s->sync_interval : NULL },
	};
	uint64_t now = rec_now();

	rec_single(t, now, plugin.timing_key, v, sizeof v / sizeof *v - (s ? 0 : 3));
	put_timing(t, now, f);
	if (f->flags & TRACETOOL_COMPLETE_COMPUTED)
		plugin_add(N_COMPUTED);
}

void
tracetool_frame_timings2(const struct tracetool_frame_timing *f, const struct tracetool_frame_settings *s, int32_t n,
    uint64_t ticks_per_second)
{
	struct rec_thread *t = rec_thread();

	if (!t || !f || atomic_load_explicit(&plugin.state, memory_order_relaxed) != S_CAPTURING)
		return;
	for (int32_t i = 0; i < n; i++)
		put_record(t, &f[i], s ? &s[i] : NULL, ticks_per_second);
}

void
tracetool_frame_timings(const struct tracetool_frame_timing *f, int32_t n, uint64_t ticks_per_second)
{
	tracetool_frame_timings2(f, NULL, n, ticks_per_second);
}

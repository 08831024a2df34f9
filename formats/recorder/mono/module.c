/**
 * Loads the module: opens the capture, registers for events of the runtime, and completes the capture at the end. The other files record each kind of event.
 */
#include "recorder/mono/module.h"

#include <stdio.h>
#include <stdlib.h>

#include "recorder/core/program.h"

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

EXPORT void mono_profiler_init_tracetool(const char *desc);

static struct _MonoProfiler self;
static uint64_t load_pid;

static uint64_t
ms(uint64_t ns)
{
	return ns / 1000000 + (ns % 1000000 != 0);
}

/* Complete the capture when the runtime ends or, if it never does, when the process ends. */
static void
finish(void)
{
	static atomic_flag done = ATOMIC_FLAG_INIT;
	char why[256];
	struct rec_stats s;

	/* In a forked child the capture belongs to the parent, and our threads do not exist. */
	if (load_pid != plat_pid() || atomic_flag_test_and_set(&done))
		return;
	control_end();
	tools_end();
	alloc_end();
	filter_end();
	int rc = rec_close(why);
	rec_stats(&s);
	if (rc != 0)
		module_say("capture %s: %s", rec_path(), why);
	else if (s.dropped > s.no_place)
		module_say("capture %s: %llu events dropped, the ring was full (ring= makes it larger)", rec_path(),
		    (unsigned long long)(s.dropped - s.no_place));
	if (rc == 0 && s.finish == TTC_F_MAX_SIZE)
		module_say("capture %s: max-size= ended it after %llu bytes; what the program did later is missing", rec_path(),
		    (unsigned long long)s.written_b);
	if (s.held_less)
		module_say("capture %s: the ring had room for %llu ms of the %llu ms that keep= asks for; about ring=%lluM has it for all", rec_path(),
		    (unsigned long long)s.held_ms, (unsigned long long)ms(module.o.keep_ns), (unsigned long long)(s.room_b >> 20) + 1);
	if (s.no_place)
		module_say("capture %s: %llu events dropped, there was no place for their threads (threads= makes more)", rec_path(),
		    (unsigned long long)s.no_place);
}

static void
on_initialized(MonoProfiler *p)
{
	(void)p;
	plat_watch_abort();
	atomic_store_explicit(&module.initialized, true, memory_order_release);
}

static void
on_shutdown(MonoProfiler *p)
{
	(void)p;
	finish();
}

/* Write the user's facts: "key:value". */
static void
put_facts(void)
{
	char key[256];

	for (const char *m = NULL; (m = opttable_next(&module.o.values, LIST_META, m)) != NULL;) {
		size_t n = strcspn(m, ":");
		snprintf(key, sizeof key, "%.*s", (int)(n < sizeof key ? n : sizeof key - 1), m);
		rec_meta(key, m + n + 1);
	}
}

/*
 * True if only infrequent events are recorded: samples, collections, throws and similar events come some thousands a second, calls and allocations by the
 * million.
 */
static bool
calm(const struct options *o)
{
	enum { CALM_CHUNK_BYTES = 16 << 10 };

	return !o->calls && !o->values.n[LIST_ARGS] && !o->moves && !o->heap && !o->keep_ns &&
	    (o->alloc_sample_b ? o->alloc_sample_b >= CALM_CHUNK_BYTES : !o->alloc);
}

/* List the recorded kinds as words of options, so that readers can distinguish 0 from unknown. */
static void
put_kinds(const struct options *o, char *to, size_t size)
{
	const struct { const char *name; bool on; } kind[] = {
		{ "calls", o->calls }, { "args", o->values.n[LIST_ARGS] != 0 }, { "frame", o->values.n[LIST_FRAME] != 0 },
		{ "alloc", o->alloc || o->alloc_sample_b }, { "gc", o->gc || o->moves || o->roots }, { "exceptions", o->exceptions }, { "monitor", o->monitor },
		{ "sample", o->sample_hz != 0 }, { "handles", o->handles }, { "finalizers", o->finalizers }, { "jit", o->jit },
		{ "heapshot", o->heap }, { "coverage", o->coverage }, { "counters", o->counters_ns != 0 },
	};

	for (size_t i = 0, n = 0; i < sizeof kind / sizeof *kind; i++)
		if (kind[i].on)
			n += (size_t)snprintf(to + n, size - n, "%s%s", n ? "," : "", kind[i].name);
}

static int
open_capture(void)
{
	char why[256] = "", build[200], version[8], kinds[200] = "none";
	char *runtime = api.mono_get_runtime_build_info ? api.mono_get_runtime_build_info() : NULL;
	int rc = -1;

	snprintf(build, sizeof build, "%s", runtime ? runtime : "");
	snprintf(version, sizeof version, "%u", api_version());
	put_kinds(&module.o, kinds, sizeof kinds);
	if (runtime)
		api.mono_free(runtime);
	const struct rec_meta meta[] = { { "mono.runtime", build }, { "mono.profiler_api", version }, { MONO_RECORDS, kinds },
		{ NULL, NULL } };
	char path[OPTVAL_PATH];
	const char *record = getenv("TRACETOOL_RECORD");
	struct rec_options o = { .path = path, .overwrite = module.o.overwrite, .record = record ? strtoull(record, NULL, 16) : 0,
		.producer = MONO_PRODUCER, .ring = module.o.ring_b,
		.threads = (uint32_t)module.o.threads, .max_size = module.o.max_b, .keep_ms = ms(module.o.keep_ns),
		.rotate_size = module.o.rotate_b, .rotate_ms = ms(module.o.rotate_ns),
		.rotate_keep = (uint32_t)module.o.rotate_keep, .meta = meta, .distorts = module.o.calls && !module.o.values.n[LIST_INCLUDE], .late = true,
		.ends_stuck_crash = true, .no_frames = !module.o.values.n[LIST_FRAME], .calm = calm(&module.o) };
	if (optval_path(path, module.o.out, (long)plat_pid(), program_unix_s()) == 0)
		rc = rec_open(&o, why);
	else
		snprintf(why, sizeof why, "the file name is too long");
	if (rc != 0)
		module_say("not profiled: %s", why);
	else if (why[0])
		module_say("%s", why);
	return rc;
}

/* Entry point, which the runtime calls with "tracetool" or "tracetool:OPTIONS". After an error the program runs unprofiled, and one line says so. */
void
mono_profiler_init_tracetool(const char *desc)
{
	const char *colon = desc ? strchr(desc, ':') : NULL;
	const char *missing = api_find(__builtin_return_address(0));
	char why[OPTIONS_WHY];

	if (module.handle)
		return;
	if (missing) {
		module_say("not profiled: this runtime has no %s", missing);
		return;
	}
	if (options_read(&module.o, colon ? colon + 1 : "", why) != 0) {
		module_say("not profiled: %s", why);
		return;
	}
	load_pid = plat_pid();
	if (open_capture() != 0)
		return;
	if (options_idle(&module.o, why))
		module_say("%s", why);
	module.handle = self.handle = api.mono_profiler_create(&self);
	api.mono_profiler_set_runtime_initialized_callback(module.handle, on_initialized);
	api.mono_profiler_set_runtime_shutdown_end_callback(module.handle, on_shutdown);
	put_facts();
	defs_load();
	calls_load();
	alloc_load();
	gc_load();
	thrown_load();
	tools_load();
	control_load();
	atexit(finish);
}

/**
 * Starts and stops recording by options, a signal, the control file, and C functions that the program calls. Everything goes into one capture, in the order of
 * requests. A helper thread handles requests from outside the program.
 */
#include "recorder/mono/module.h"

#include <errno.h>
#include <stdlib.h>
#if !defined(_WIN32)
#include <signal.h>
#endif

#include "recorder/mono/tracetool_mono.h"
#include "recorder/core/control_file.h"

static struct plat_lock guard;
static bool paused, ended;            /* guarded by the lock guard */
static uint64_t mark;                 /* key of the marker for marks */
static _Atomic uint32_t signals;      /* number of signals received */
static _Atomic bool quit;
static struct plat_thread helper;
static bool has_helper;

/* Turn the events of all kinds on or off. */
static void
listen(bool on)
{
	calls_listen(on);
	alloc_listen(on);
	gc_listen(on);
	thrown_listen(on);
	jit_listen(on);
	sample_listen(on);
	heap_listen(on);
	coverage_listen(on);
}

/* Record a mark: a text at this moment, on the calling thread. */
static void
put_mark(const char *text)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	if (t && mark)
		rec_single(t, now, mark, &(struct rec_value){ .type = TTC_TEXT8, .size = (uint32_t)strlen(text), .p = text }, 1);
}

/* --- C functions --------------------------------------------------------------------- */

int32_t
tracetool_mono_api(void)
{
	return 2;
}

int32_t
tracetool_mono_start(void)
{
	int32_t rc = TRACETOOL_MONO_E_STATE;

	plat_lock(&guard);
	if (!ended && paused && rec_on()) {
		rec_resume();
		listen(true);
		paused = false;
		put_mark("recording starts");
		rc = TRACETOOL_MONO_OK;
	}
	plat_unlock(&guard);
	return rc;
}

int32_t
tracetool_mono_stop(void)
{
	int32_t rc = TRACETOOL_MONO_E_STATE;

	coverage_settle();
	plat_lock(&guard);
	if (!ended && !paused && rec_on()) {
		put_mark("recording stops");
		listen(false);
		rec_pause();
		atomic_fetch_add(&module.pauses, 1);
		paused = true;
		rc = TRACETOOL_MONO_OK;
	}
	plat_unlock(&guard);
	return rc;
}

int32_t
tracetool_mono_dump(void)
{
	if (!rec_on() || !module.o.keep_ns)
		return TRACETOOL_MONO_E_STATE;
	rec_dump();
	return TRACETOOL_MONO_OK;
}

int32_t
tracetool_mono_heapshot(void)
{
	if (!rec_on() || !heap_wanted())
		return TRACETOOL_MONO_E_STATE;
	heap_request();
	return TRACETOOL_MONO_OK;
}

int32_t
tracetool_mono_flush(int32_t ms)
{
	coverage_settle();
	return rec_on() && rec_flush(ms > 0 ? (unsigned)ms : 0) == 0 ? TRACETOOL_MONO_OK : TRACETOOL_MONO_E_STATE;
}

int32_t
tracetool_mono_state(void)
{
	plat_lock(&guard);
	bool is = !paused;
	plat_unlock(&guard);
	return !rec_on() ? TRACETOOL_MONO_OFF : is ? TRACETOOL_MONO_RECORDING : TRACETOOL_MONO_PAUSED;
}

void
tracetool_mono_label(const char *text)
{
	rec_meta("label", text ? text : "");
}

void
tracetool_mono_mark(const char *text)
{
	put_mark(text ? text : "");
}

void
tracetool_mono_meta(const char *key, const char *value)
{
	if (key && *key)
		rec_meta(key, value);
}

/* --- commands from other processes ----------------------------------------------------------- */

static const char *
run_start(const char *arg, const char *rest)
{
	(void)arg;
	(void)rest;
	return tracetool_mono_start() == TRACETOOL_MONO_OK ? NULL : "recording is on, or has ended";
}

static const char *
run_stop(const char *arg, const char *rest)
{
	(void)arg;
	(void)rest;
	return tracetool_mono_stop() == TRACETOOL_MONO_OK ? NULL : "nothing is being recorded";
}

static const char *
run_dump(const char *arg, const char *rest)
{
	(void)arg;
	(void)rest;
	return tracetool_mono_dump() == TRACETOOL_MONO_OK ? NULL : "nothing is held back: the option keep was not given, or recording has ended";
}

static const char *
run_heapshot(const char *arg, const char *rest)
{
	(void)arg;
	(void)rest;
	return tracetool_mono_heapshot() == TRACETOOL_MONO_OK ? NULL : "the option heapshot was not given, or recording has ended";
}

static const char *
run_label(const char *text, const char *rest)
{
	(void)rest;
	if (!text || !*text)
		return "it needs a text";
	tracetool_mono_label(text);
	return rec_on() ? NULL : "recording has ended";
}

static const struct control_command commands[] = {
	{ "start", run_start }, { "stop", run_stop }, { "dump", run_dump }, { "heapshot", run_heapshot }, { "label", run_label }, { NULL, NULL },
};
static struct control_file control_file = { .path = module.o.control, .command = commands, .say = module_say };

static void
toggle(void)
{
	if (tracetool_mono_stop() != TRACETOOL_MONO_OK)
		tracetool_mono_start();
}

static void
help(void)
{
	struct plat_instant i;
	plat_instant(&i);
	uint64_t begin = i.mono_ns, sampled = 0;
	uint32_t seen = 0;
	bool waits = module.o.delay_ns > 0;

	rec_def_thread(plat_thread_self(), "", "Tracetool");
	while (!atomic_load_explicit(&quit, memory_order_acquire)) {
		plat_instant(&i);
		if (waits && i.mono_ns - begin >= module.o.delay_ns) {
			waits = false;
			tracetool_mono_start();
		}
		for (; seen != atomic_load_explicit(&signals, memory_order_relaxed); seen++)
			toggle();
		control_file_look(&control_file);
		if (module.o.counters_ns && i.mono_ns - sampled >= module.o.counters_ns) {
			sampled = i.mono_ns;
			counters_sample();
		}
		if (coverage_repeats())
			coverage_tick();
		plat_sleep_us(10000);
	}
	/* Read the counters once more at the end: a short program may have no reading since the last time, and counters appear when they are first used. */
	if (module.o.counters_ns)
		counters_sample();
}

#if !defined(_WIN32)
static void
on_signal(int number)
{
	(void)number;
	atomic_fetch_add_explicit(&signals, 1, memory_order_relaxed);
}

static void
listen_to_signal(void)
{
	struct sigaction a = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigemptyset(&a.sa_mask);
	if (sigaction((int)module.o.signal, &a, NULL) != 0)
		module_say("signal: %s", strerror(errno));
}
#else
static void
listen_to_signal(void)
{
	module_say("signal: this system has none");
}
#endif

/* Write the coverage of a domain when it is unloaded, even in a pause, as coverage counts the whole run. */
static void
on_domain_unloading(MonoProfiler *p, MonoDomain *d)
{
	(void)p;
	plat_lock(&guard);
	if (paused)
		rec_resume();
	coverage_unload(d);
	if (paused)
		rec_pause();
	plat_unlock(&guard);
}

void
control_load(void)
{
	static struct _MonoProfiler self;
	const struct options *o = &module.o;

	mark = rec_def_marker(rec_def_category(0, 0x808080ff, "Tracetool"), 0, 0, "Tracetool.Mark");
	paused = o->paused || o->delay_ns;
	if (paused)
		rec_pause();
	if (o->signal)
		listen_to_signal();
	control_file_open(&control_file);
	if (coverage_wanted() && api.mono_profiler_set_domain_unloading_callback && api.mono_profiler_set_domain_unloaded_callback) {
		self.handle = api.mono_profiler_create(&self);
		api.mono_profiler_set_domain_unloading_callback(self.handle, on_domain_unloading);
	}
	if (o->delay_ns || o->signal || o->control[0] || o->counters_ns || coverage_repeats()) {
		has_helper = plat_thread_start(&helper, help) == 0;
		if (!has_helper)
			module_say("no thread could be had: nothing will start or stop recording from outside");
	}
	listen(!paused);
}

void
control_end(void)
{
	atomic_store_explicit(&quit, true, memory_order_release);
	if (has_helper)
		plat_thread_join(&helper);
	has_helper = false;
	plat_lock(&guard);
	ended = true;
	plat_unlock(&guard);
}

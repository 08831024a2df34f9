/**
 * The plug-in's life: loading, starting and stopping, the helper thread, the control file. plugin_events.c and plugin_defs.c record.
 */
#include "recorder/unity/plugin.h"

#include <stdio.h>
#include <string.h>

#include "recorder/core/control_file.h"
#include "recorder/core/program.h"

struct plugin plugin;

/* --- capturing ---------------------------------------------------------------------- */

/* Guards the options, the helper's life, and the change from S_IDLE to another state. */
static struct plat_lock control;
static struct config base;    /* options of the environment and the command line */
static _Atomic bool stop_wanted;
static bool has_frames;       /* true: the frame callback is installed */
static uint64_t load_pid;     /* process id at load; it differs in a forked child */
static uint64_t over_ticks, last_ticks;
static _Atomic uint64_t first_frame;  /* first frame of the capture that is ready; plugin.config may already be another capture's */
static struct rec_stats last_stats;

static int
state_now(void)
{
	return atomic_load_explicit(&plugin.state, memory_order_acquire);
}

static bool
go(enum state from, enum state to)
{
	int s = (int)from;

	return atomic_compare_exchange_strong(&plugin.state, &s, (int)to);
}

/* Make ring and file, in S_PREPARING. Takes some tens of milliseconds; runs on the helper, or at load. */
static int
prepare(void)
{
	const struct config *c = &plugin.config;
	char why[256] = "";
	uint64_t num = 1, den = 1;
	uint64_t keep = c->keep_ns ? c->keep_ns : c->over_ns ? 10000000000u : 0;
	char path[OPTVAL_PATH];
	struct rec_options o = {
		.path = path, .overwrite = c->overwrite, .producer = "tracetool Unity plug-in", .ring = c->ring_b, .max_size = c->max_b,
		.keep_ms = keep / 1000000 + (keep % 1000000 != 0), .rotate_size = c->rotate_b,
		.rotate_ms = c->rotate_ns / 1000000 + (c->rotate_ns % 1000000 != 0),
		.rotate_keep = (uint32_t)c->rotate_keep, .write = self_write, .no_sync = !c->sync,
	};
	int rc = -1;

	if (optval_path(path, c->capture, (long)plat_pid(), program_unix_s()) == 0)
		rc = rec_open(&o, why);
	else
		snprintf(why, sizeof why, "the file name is too long");
	if (rc != 0) {
		plugin_say("no capture: %s", why);
		atomic_store(&plugin.state, S_IDLE);
		return rc;
	}
	if (why[0])
		plugin_say("%s", why);
	plat_ratio(&num, &den);
	over_ticks = (uint64_t)((double)c->over_ns * (double)den / (double)num);
	for (unsigned i = 0; i < N_COUNTS; i++)
		atomic_store(&plugin.count[i], i == N_REFUSED ? plugin.refused_at_load : 0);
	atomic_store(&plugin.frames, 0);
	defs_open();
	facts_open();
	self_open();
	atomic_store(&first_frame, c->frames[0]);
	atomic_store(&plugin.state, S_READY);
	return 0;
}

static void
say_end(const struct rec_stats *s)
{
	char files[40] = "";

	if (s->files > 1)
		snprintf(files, sizeof files, " in %llu files", (unsigned long long)s->files);
	if (s->held_less)
		plugin_say("capture %s: the ring had room for %llu ms of what keep= asks for; about ring=%lluM has it for all", rec_path(),
		    (unsigned long long)s->held_ms, (unsigned long long)(s->room_b >> 20) + 1);
	plugin_say("capture %s: %llu bytes%s, %llu events dropped%s", rec_path(), (unsigned long long)s->written_b, files,
	    (unsigned long long)s->dropped, s->finish == TTC_F_MAX_SIZE ? "; max-size ended it" : "");
}

/* Write the rest and end the file, in S_STOPPING. */
static void
finish(void)
{
	char why[256] = "";

	facts_close();
	rec_stats(&last_stats);
	int rc = rec_close(why);
	self_close();
	struct rec_stats s;
	rec_stats(&s);
	if (s.written_b > last_stats.written_b)
		last_stats = s;
	if (rc != 0)
		plugin_say("capture %s: %s", rec_path(), why);
	else
		say_end(&last_stats);
	atomic_store(&plugin.state, S_IDLE);
}

/* Install the callbacks, on the main thread in the frame callback, or at load: only there is it safe. */
static void
begin(void)
{
	if (go(S_READY, S_CAPTURING))
		defs_start();
}

static void
end(void)
{
	if (go(S_CAPTURING, S_STOPPING))
		defs_stop();
}

static void
frame_captured(uint64_t n)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	if (t)
		rec_frame(t, now, n);
	uint64_t done = atomic_load_explicit(&plugin.frames, memory_order_relaxed);
	atomic_store_explicit(&plugin.frames, done + 1, memory_order_relaxed);
	if (over_ticks && done > 0 && now - last_ticks > over_ticks)
		rec_dump();
	last_ticks = now;
	if (atomic_load_explicit(&stop_wanted, memory_order_relaxed) ||
	    (plugin.config.frames[1] && n > plugin.config.frames[1]) || !rec_on())
		end();
}

/* Handle the begin of a frame. While nothing is captured, this is the only callback, and so the whole cost. */
static void UNITY_CALL
on_frame(void *user)
{
	uint64_t n = atomic_load_explicit(&plugin.frame, memory_order_relaxed) + 1;
	int s = state_now();

	(void)user;
	atomic_store_explicit(&plugin.frame, n, memory_order_relaxed);
	if (s == S_IDLE)
		return;
	if (s == S_READY && n >= atomic_load(&first_frame) && !atomic_load(&stop_wanted))
		begin();
	if (state_now() == S_CAPTURING)
		frame_captured(n);
}

/* --- the helper: work that game threads must not do -------------------------------- */

static enum { H_NONE, H_RUNS, H_ENDED } helper;       /* guarded by control */
static struct plat_thread helper_thread;
static _Atomic bool quit;

/* Return the message of the control file for the result ${rc}; other failures were reported already. */
static const char *
why_nothing(int32_t rc)
{
	return rc != TRACETOOL_E_STATE ? NULL : state_now() == S_IDLE ? "nothing is being captured" : "a capture is running";
}

static const char *
run_start(const char *file, const char *options)
{
	return why_nothing(tracetool_start(file, options));
}

static const char *
run_stop(const char *arg, const char *rest)
{
	(void)arg;
	(void)rest;
	return why_nothing(tracetool_stop());
}

static const char *
run_dump(const char *arg, const char *rest)
{
	(void)arg;
	(void)rest;
	if (tracetool_state() == TRACETOOL_CAPTURING && !plugin.config.keep_ns && !plugin.config.over_ns)
		return "nothing is held back: neither the option keep nor over was given";
	return why_nothing(tracetool_dump());
}

static const char *
run_label(const char *text, const char *rest)
{
	(void)rest;
	if (!text || !*text)
		return "it needs a text";
	tracetool_label(text);
	return rec_on() ? NULL : "nothing is being captured";
}

static const struct control_command commands[] = {
	{ "start", run_start }, { "stop", run_stop }, { "dump", run_dump }, { "label", run_label }, { NULL, NULL },
};
static struct control_file control_file = { .path = base.control, .command = commands, .say = plugin_say };

static void
helper_run(void)
{
	for (unsigned round = 0;; round++) {
		int s = state_now();
		if (s == S_PREPARING && prepare() == 0)
			rec_def_thread(plat_thread_self(), "Tracetool", "Control");   /* defining markers gave the helper a writing end, so name it */
		if (s == S_STOPPING || (s == S_READY && atomic_load(&stop_wanted) && go(S_READY, S_STOPPING)))
			finish();
		if (round % 4 == 0)
			control_file_look(&control_file);
		plugin_print();
		plat_lock(&control);
		if (atomic_load(&quit) || (state_now() == S_IDLE && !base.control[0])) {
			helper = H_ENDED;
			plat_unlock(&control);
			return;
		}
		plat_unlock(&control);
		plat_sleep_us(10000);
	}
}

/* Start the helper if it does not run. Call with control held. Returns 0 or -errno. */
static int
need_helper(void)
{
	if (helper == H_RUNS)
		return 0;
	if (helper == H_ENDED)
		plat_thread_join(&helper_thread);
	atomic_store(&quit, false);
	helper = H_RUNS;
	int rc = plat_thread_start(&helper_thread, helper_run);
	if (rc != 0)
		helper = H_NONE;
	return rc;
}

static void
end_helper(void)
{
	atomic_store(&quit, true);
	plat_lock(&control);
	bool is = helper != H_NONE;
	plat_unlock(&control);
	if (is)
		plat_thread_join(&helper_thread);
	helper = H_NONE;
}

/* --- C functions ------------------------------------------------------------------------- */

int32_t
tracetool_api(void)
{
	return 2;
}

int32_t
tracetool_interface(void)
{
	return plugin.version;
}

static bool
bad_filter(const struct config *c)
{
	const char *name = config_bad_filter(c);

	if (name)
		plugin_say("no capture: without the filter \"%s\", which could not be read, too much would be recorded", name);
	return name;
}

static int
start_options(struct config *c, const char *file, const char *options)
{
	char why[OPTTABLE_WHY];

	*c = base;
	if (options && config_set(c, options, strlen(options), why) != 0) {
		plugin_say("%s", why);
		return TRACETOOL_E_OPTION;
	}
	if (bad_filter(c))
		return TRACETOOL_E_OPTION;
	if (file && *file) {
		if (strlen(file) >= sizeof c->capture) {
			plugin_say("no capture: the file name is too long");
			return TRACETOOL_E_OPTION;
		}
		strcpy(c->capture, file);
	}
	if (!c->capture[0]) {
		plugin_say("no capture: it needs a file name");
		return TRACETOOL_E_OPTION;
	}
	return TRACETOOL_OK;
}

/* Start a capture. Call with control held. */
static int
start(const char *file, const char *options)
{
	static struct config c;

	if (state_now() != S_IDLE)
		return TRACETOOL_E_STATE;
	int rc = start_options(&c, file, options);
	if (rc != TRACETOOL_OK)
		return rc;
	plugin.config = c;
	atomic_store(&stop_wanted, false);
	atomic_store(&plugin.state, S_PREPARING);
	if (need_helper() != 0) {
		plugin_say("no capture: no thread could be had");
		atomic_store(&plugin.state, S_IDLE);
		return TRACETOOL_E_SYSTEM;
	}
	return TRACETOOL_OK;
}

int32_t
tracetool_start(const char *file, const char *options)
{
	if (!plugin.unity || !has_frames) {
		plugin_say("no capture: Unity gives no profiler interface here");
		return TRACETOOL_E_UNITY;
	}
	if (load_pid != plat_pid()) {
		plugin_say("no capture: this is a forked child");
		return TRACETOOL_E_SYSTEM;
	}
	plat_lock(&control);
	int rc = start(file, options);
	plat_unlock(&control);
	return rc;
}

int32_t
tracetool_stop(void)
{
	int s = state_now();

	if (s == S_IDLE || s == S_STOPPING)
		return TRACETOOL_E_STATE;
	atomic_store(&stop_wanted, true);
	return TRACETOOL_OK;
}

int32_t
tracetool_dump(void)
{
	if (state_now() != S_CAPTURING)
		return TRACETOOL_E_STATE;
	rec_dump();
	return TRACETOOL_OK;
}

int32_t
tracetool_state(void)
{
	switch (state_now()) {
	case S_PREPARING: case S_READY:
		return TRACETOOL_STARTING;
	case S_CAPTURING:
		return TRACETOOL_CAPTURING;
	case S_STOPPING:
		return TRACETOOL_STOPPING;
	default:
		return TRACETOOL_IDLE;
	}
}

void
tracetool_counts(struct tracetool_counts *c, int32_t size)
{
	struct rec_stats s = last_stats;

	if (rec_on())
		rec_stats(&s);
	struct tracetool_counts all = {
		.events = s.events, .dropped = s.dropped, .bytes = s.written_b, .frames = atomic_load(&plugin.frames),
		.markers = atomic_load(&plugin.count[N_MARKERS]), .filtered = atomic_load(&plugin.count[N_FILTERED]),
	};
	if (c && size > 0)
		memcpy(c, &all, (size_t)size < sizeof all ? (size_t)size : sizeof all);
}

/* --- entry points ---------------------------------------------------------------------------- */

UNITY_EXPORT unity_load_fn UnityPluginLoad;
UNITY_EXPORT unity_unload_fn UnityPluginUnload;

static void
take_options(const char *from, const char *s, size_t n)
{
	char why[OPTTABLE_WHY];

	if (config_set(&base, s, n, why) != 0)
		plugin_say("%s: %s", from, why);
}

static void
take_path(const char *s, size_t n)
{
	if (n >= sizeof base.capture) {
		plugin_say("no capture: the file name is too long");
		n = 0;
	}
	memcpy(base.capture, s, n);
	base.capture[n] = '\0';
}

/* Take the arguments -tracetool FILE and -tracetool-options OPTIONS. */
static void
take_arg(void *arg, const char *s, const char *next)
{
	(void)arg;
	if (next && strcmp(s, "-tracetool") == 0)
		take_path(next, strlen(next));
	else if (next && strcmp(s, "-tracetool-options") == 0)
		take_options("-tracetool-options", next, strlen(next));
}

static void
read_options(void)
{
	static char text[128 << 10];  /* no system allows longer arguments */
	size_t n;

	config_init(&base);
	if ((n = program_env("TRACETOOL_OPTIONS", text, sizeof text)) > 0)
		take_options("TRACETOOL_OPTIONS", text, n);
	if ((n = program_env("TRACETOOL_CAPTURE", text, sizeof text)) > 0)
		take_path(text, n);
	program_args(take_arg, NULL);
	control_file_open(&control_file);
}

static void
load(struct unity_interfaces *unity)
{
	plugin.version = 2;
	if (!(plugin.unity = unity->get(UNITY_CALLBACKS_V2))) {
		plugin.version = 1;
		plugin.unity = unity->get(UNITY_CALLBACKS_V1);
	}
	if (!plugin.unity) {
		plugin.version = 0;
		if (base.capture[0])
			plugin_say("no capture: Unity gives no profiler interface here");
		return;
	}
	has_frames = plugin.unity->add_frame(on_frame, NULL) == 0;
	if (!has_frames)
		plugin_say("Unity lets no further plug-in see frames: no capture can start or stop while it runs");
	defs_load();
	plugin.refused_at_load = atomic_load(&plugin.count[N_REFUSED]) + !has_frames;
	self_load(unity);
	plat_lock(&control);
	if (base.capture[0] && !bad_filter(&base)) {
		plugin.config = base;
		atomic_store(&stop_wanted, false);
		atomic_store(&plugin.state, S_PREPARING);
		if (prepare() == 0 && plugin.config.frames[0] <= 1)
			begin();
	}
	if ((base.control[0] || state_now() != S_IDLE) && need_helper() != 0)
		plugin_say("no thread could be created: the capture is written when the game ends");
	plat_unlock(&control);
}

void UNITY_CALL
UnityPluginLoad(struct unity_interfaces *unity)
{
	if (!unity || plugin.unity)
		return;
	plat_init();
	plat_pin();
	load_pid = plat_pid();
	rec_on_thread_exit(defs_thread_gone);
	read_options();
	load(unity);
	plugin_print();
}

/*
 * Unload in any state: afterwards there are no callbacks of ours and no recording. In a forked child the capture is the parent's, there is no helper, and
 * locks may be held for ever by threads that do not exist.
 */
void UNITY_CALL
UnityPluginUnload(void)
{
	bool child = load_pid != plat_pid();

	if (!plugin.unity)
		return;
	if (has_frames)
		plugin.unity->del_frame(on_frame, NULL);
	has_frames = false;
	if (!child) {
		end_helper();
		end();
		if (go(S_READY, S_STOPPING) || state_now() == S_STOPPING)
			finish();
	}
	atomic_store(&plugin.state, S_IDLE);
	if (!child) {
		defs_unload();
		plugin_print();
	}
	plugin.unity = NULL;
	plugin.version = 0;
}

#if defined __GNUC__ && !defined _WIN32
/* Complete the file if a game ends without unloading its plug-ins. The engine may be gone, so it is not called. */
__attribute__((destructor)) static void
at_exit(void)
{
	int s = state_now();

	if (!plugin.unity || load_pid != plat_pid() || s == S_IDLE)
		return;
	end_helper();
	atomic_store(&plugin.state, S_STOPPING);
	if (s != S_PREPARING)
		finish();
	plugin_print();
}
#endif

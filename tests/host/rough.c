/**
 * Rough handling: the recorder lives through whatever an engine, a game or a user does to it, and what it writes stays readable.
 *
 * These run in processes of their own, so that a crash is one failure. TT_CYCLES sets the number of start/stop
 * cycles.
 */
#include <errno.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"
#include "play.h"
#include "truth.h"

static int32_t (*p_start)(const char *, const char *), (*p_stop)(void), (*p_state)(void);
static const char *capture;

static void
sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* Run ${fn} in a child; its exit status, or 128 + signal. It has 60 seconds. */
static int
in_child(void (*fn)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		alarm(play_long() ? 600 : 60);
		if (!play_sanitized() && !freopen("/dev/null", "w", stderr))
			_exit(120);
		fn();
		exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Is the file a whole capture? What `info` says of it does not matter here. */
static void
check_readable(const char *path)
{
	char command[2048];

	snprintf(command, sizeof command, "'%s' info -q '%s' > /dev/null", play_tracetool(), path);
	CHECK_EQ_INT(system(command), 0);
}

/* The lines of the capture as CSV in which ${pattern}, an extended regular expression, is; -1: it does not convert. */
static int
csv_lines(const char *pattern)
{
	char command[2048], *line = NULL;
	size_t cap = 0;
	regex_t re;
	FILE *f;
	int n = 0;

	snprintf(command, sizeof command, "'%s' convert -q -f csv -o - '%s'", play_tracetool(), capture);
	f = popen(command, "r");
	if (!f || regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		abort();
	while (getline(&line, &cap, f) > 0)
		n += regexec(&re, line, 0, NULL, 0) == 0;
	free(line);
	regfree(&re);
	return pclose(f) == 0 ? n : -1;
}

static bool no_thread;                /* of the engine */

static void
load(unsigned callbacks, unsigned profiler)
{
	struct engine_opts o = { .callbacks = callbacks, .profiler = profiler, .no_thread = no_thread };

	unsetenv("TRACETOOL_CAPTURE");
	unsetenv("TRACETOOL_OPTIONS");
	engine_start(&o);
	if (engine_load(play_plugin()) != 0)
		_exit(121);
	p_start = PLAY_CALL(tracetool_start);
	p_stop = PLAY_CALL(tracetool_stop);
	p_state = PLAY_CALL(tracetool_state);
}

/* Frames until the plug-in is in ${state}. */
static void
until(enum tracetool_state state)
{
	if (play_until(state) != 0)
		_exit(122);
}

static void
begin_capture(void)
{
	if (p_start(capture, "ring=2MiB;overwrite=yes") != TRACETOOL_OK)
		_exit(123);
	until(TRACETOOL_CAPTURING);
}

static void
end_capture(void)
{
	if (p_stop() != TRACETOOL_OK)
		_exit(124);
	until(TRACETOOL_IDLE);
}

/* --- emitters: threads that go on whatever happens ------------------------------------- */

enum { EMITTERS = 3, MARKERS = 64 };
static _Atomic bool over;
static const struct unity_marker *marker[MARKERS];
static pthread_t emitter[EMITTERS];

static void *
emit(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;

	engine_thread("Emitters", "Emitter");
	while (!over) {
		for (unsigned k = 0; k < 100; k++)
			engine_emit(marker[(i + k) % MARKERS], UNITY_BEGIN, 0, NULL);
		engine_flow(UNITY_FLOW_BEGIN, i);
		for (unsigned k = 100; k-- > 0;)
			engine_emit(marker[(i + k) % MARKERS], UNITY_END, 0, NULL);
		i++;
	}
	return NULL;
}

static void
make_markers(void)
{
	static char name[MARKERS][16];

	for (unsigned i = 0; i < MARKERS; i++) {
		snprintf(name[i], sizeof name[i], "Rough %u", i);
		marker[i] = engine_marker(name[i], (uint16_t)(i % 40), 0);
	}
}

static void
start_emitters(void)
{
	make_markers();
	over = false;
	for (unsigned i = 0; i < EMITTERS; i++) {
		if (pthread_create(&emitter[i], NULL, emit, (void *)(uintptr_t)i) != 0)
			abort();
	}
}

static void
stop_emitters(void)
{
	over = true;
	for (unsigned i = 0; i < EMITTERS; i++)
		pthread_join(emitter[i], NULL);
}

/* --- cycles --------------------------------------------------------------------------------- */

static unsigned
cycles(void)
{
	const char *n = getenv("TT_CYCLES");

	return n ? (unsigned)atoi(n) : play_long() ? 1000 : play_sanitized() ? 10 : 25;
}

static unsigned
open_files(void)
{
	unsigned n = 0;
	DIR *d = opendir("/proc/self/fd");

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static long
resident_kb(void)
{
	long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f) {
		if (fscanf(f, "%ld %ld", &pages, &resident) != 2)
			resident = 0;
		fclose(f);
	}
	return resident * 4;
}

static unsigned
threads_now(void)
{
	unsigned n = 0;
	DIR *d = opendir("/proc/self/task");

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static void
cycle(void)
{
	unsigned files = 0, threads = 0;
	long before = 0, after;

	load(2, 0);
	start_emitters();
	for (unsigned i = 0; i < cycles(); i++) {
		begin_capture();
		for (int k = 0; k < 3; k++)
			engine_frame();
		end_capture();
		if (i == 4) {
			sleep_ms(50);
			files = open_files();
			threads = threads_now();
			before = resident_kb() - (long)engine_bytes() / 1024;
		}
	}
	sleep_ms(50);
	after = resident_kb();
	if (open_files() > files || threads_now() > threads) {
		fprintf(stdout, "%u files and %u threads grew to %u and %u\n", files, threads, open_files(), threads_now());
		fflush(stdout);
		_exit(10);
	}
	after -= (long)engine_bytes() / 1024;
	if (!play_sanitized() && after > before + 1024) {
		fprintf(stdout, "%ld KiB grew to %ld in %u cycles\n", before, after, cycles());
		fflush(stdout);
		_exit(11);
	}
	stop_emitters();
	engine_unload(true);
}

TEST(start_and_stop_again_and_again_leaks_nothing)
{
	capture = check_path("cycle.ttc");
	CHECK_EQ_INT(in_child(cycle), 0);
	check_readable(capture);
}

/* Start and stop as fast as the functions can be called, in any order, from several threads. */
static void *
press_buttons(void *arg)
{
	(void)arg;
	for (int i = 0; i < 200 && !over; i++) {
		p_start(capture, "ring=2MiB;overwrite=yes");
		sleep_ms(i % 5);
		p_stop();
	}
	return NULL;
}

static void
buttons(void)
{
	pthread_t t[2];

	load(2, 0);
	start_emitters();
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, press_buttons, NULL);
	for (int i = 0; i < 400; i++) {
		engine_frame();
		sleep_ms(2);
	}
	over = true;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	stop_emitters();
	engine_unload(true);
}

TEST(start_and_stop_at_once_from_several_threads)
{
	capture = check_path("buttons.ttc");
	CHECK_EQ_INT(in_child(buttons), 0);
	check_readable(capture);
}

static void
every_frame(void)
{
	load(2, 0);
	start_emitters();
	for (int i = 0; i < 300; i++) {
		if (p_state() == TRACETOOL_CAPTURING)
			p_stop();
		else if (p_state() == TRACETOOL_IDLE)
			p_start(capture, "ring=2MiB;overwrite=yes");
		engine_frame();
		sleep_ms(1);
	}
	stop_emitters();
	engine_unload(true);
}

TEST(registered_and_unregistered_every_frame)
{
	capture = check_path("toggle.ttc");
	CHECK_EQ_INT(in_child(every_frame), 0);
	check_readable(capture);
}

/* --- unloading ----------------------------------------------------------------------------------- */

static void
unload_while_emitting(void)
{
	load(2, 0);
	start_emitters();
	begin_capture();
	for (int i = 0; i < 10; i++)
		engine_frame();
	engine_unload(true);
	sleep_ms(20);
	stop_emitters();
}

TEST(unloaded_while_others_emit)
{
	for (int i = 0; i < (play_long() ? 50 : 5); i++) {
		capture = check_path("unload.ttc");
		CHECK_EQ_INT(in_child(unload_while_emitting), 0);
		check_readable(capture);
	}
}

/* Whoever took the list before the capture ended calls after it, even after unloading: the library must still be there. */
static void
call_late(void)
{
	const struct engine_list *held;

	load(2, 0);
	make_markers();
	begin_capture();
	held = engine_listeners(marker[0]);
	if (!held)
		_exit(10);
	engine_call(held, marker[0], UNITY_BEGIN, 0, NULL);
	end_capture();
	engine_call(held, marker[0], UNITY_END, 0, NULL);
	begin_capture();
	engine_call(held, marker[0], UNITY_BEGIN, 0, NULL);
	engine_call(held, marker[0], UNITY_END, 0, NULL);
	end_capture();
	engine_unload(true);
	for (int i = 0; i < 1000; i++) {
		engine_call(held, marker[0], UNITY_BEGIN, 0, NULL);
		engine_call(held, marker[0], UNITY_END, 0, NULL);
	}
}

TEST(events_in_flight_after_unregistering_and_unloading)
{
	capture = check_path("late.ttc");
	CHECK_EQ_INT(in_child(call_late), 0);
	check_readable(capture);
}

static void
load_twice(void)
{
	for (int i = 0; i < 3; i++) {
		load(2, 2);
		make_markers();
		begin_capture();
		engine_emit(marker[1], UNITY_BEGIN, 0, NULL);
		engine_emit(marker[1], UNITY_END, 0, NULL);
		engine_unload(true);
	}
}

TEST(loaded_and_unloaded_again)
{
	capture = check_path("again.ttc");
	CHECK_EQ_INT(in_child(load_twice), 0);
	check_readable(capture);
}

/* --- what engines may send ------------------------------------------------------------------------ */

static void
odd_events(void)
{
	static const char text[8192] = "text";
	static const uint32_t sizes[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 64, 127, 128, 255, 4000, 4001, 8192 };
	const struct unity_marker *names[] = { engine_marker("GC.Alloc", 23, 0), engine_marker("Profiler.Default", 24, 2),
		engine_marker("Profiler.DefaultMarker", 24, 2), engine_marker("A Counter", 1, UNITY_M_COUNTER),
		engine_marker("plain", 1, 0), engine_marker("GC.Collect", 17, 8), engine_marker("Draw Calls Count", 0, 0) };
	struct unity_value v[70];

	for (unsigned m = 0; m < sizeof names / sizeof *names; m++) {
		for (unsigned type = 0; type < 256; type += type < 20 ? 1 : 47) {
			for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
				for (unsigned n = 0; n <= 70; n = n < 4 ? n + 1 : n + 22) {
					for (unsigned i = 0; i < n; i++)
						v[i] = (struct unity_value){ (uint8_t)type, 0xff, 0xffff, sizes[(s + i) % 18], text };
					for (uint16_t e = 0; e < 4; e++)
						engine_emit(names[m], e, (uint16_t)n, v);
				}
			}
			engine_emit(names[m], 77, 0, NULL);
			engine_emit(names[m], 0, 3, NULL);
			v[0] = v[1] = (struct unity_value){ (uint8_t)type, 0, 0, 4, NULL };
			engine_emit(names[m], 0, 2, v);
			engine_emit(names[m], 1, 0, NULL);
			/* A label without an object, of a category beyond all there are. */
			v[1] = (struct unity_value){ UNITY_T_TEXT16, 0, 0, 4, text };
			v[2] = (struct unity_value){ UNITY_T_U32, 0, 0, 4, "\xff\xff\xff" };
			engine_emit(names[m], 0, 3, v);
			engine_emit(names[m], 1, 0, NULL);
			engine_emit(names[m], 2, 1, v);
			v[0].size = UINT32_MAX;
			engine_emit(names[m], 2, 1, v);
		}
	}
}

static void
odd_descriptors(void)
{
	static char huge[100000];
	const struct unity_marker *m[12];
	unsigned n = 0;

	memset(huge, 'x', sizeof huge - 1);
	m[n++] = engine_marker(NULL, 0, 0);
	m[n++] = engine_marker("", 65535, 65535);
	m[n++] = engine_marker("\xff\xfe broken \xc3", 9999, 0x8000);
	m[n++] = engine_marker(huge, 1, 0);
	m[n++] = engine_marker("line\nfeed,\"quote\"\t\x01", 1, 0x1c00);
	/* Ids that are used twice, and the largest ones. */
	m[n++] = engine_marker_as(7, "first 7", 1, 0);
	m[n++] = engine_marker_as(7, "second 7", 2, 0);
	m[n++] = engine_marker_as(UINT32_MAX, "last", 1, 0);
	m[n++] = engine_marker_as(0, "zero", 1, 0);
	m[n++] = engine_marker("Tracetool.Writer", 1, 0);
	engine_category("", 0);
	engine_category(huge, UINT32_MAX);
	engine_thread_as(0, NULL, NULL);
	engine_thread_as(UINT64_MAX, huge, huge);
	engine_thread_as(engine_self(), "\xff", "name\n1");
	engine_thread_as(engine_self(), "", "name 2");
	for (unsigned i = 0; i < n; i++) {
		engine_emit(m[i], UNITY_BEGIN, 0, NULL);
		engine_emit(m[i], UNITY_END, 0, NULL);
		engine_emit(m[i], UNITY_END, 0, NULL);
		engine_emit(m[i], UNITY_SINGLE, 0, NULL);
	}
	/* Ends in the wrong order, very deep zones, begins without end. */
	engine_emit(m[1], UNITY_BEGIN, 0, NULL);
	engine_emit(m[2], UNITY_BEGIN, 0, NULL);
	engine_emit(m[1], UNITY_END, 0, NULL);
	engine_emit(m[2], UNITY_END, 0, NULL);
	for (unsigned i = 0; i < 50000; i++)
		engine_emit(m[i % n], UNITY_BEGIN, 0, NULL);
	for (unsigned i = 0; i < 40000; i++)
		engine_emit(m[(49999 - i) % n], UNITY_END, 0, NULL);
	for (unsigned i = 0; i < 300; i++)
		engine_flow((uint8_t)i, i * 0x1000000u);
}

static void
odd(void)
{
	load(2, 0);
	begin_capture();
	odd_descriptors();
	odd_events();
	engine_frame();
	odd_descriptors();
	engine_unload(true);
}

TEST(values_of_every_type_and_hostile_sizes)
{
	capture = check_path("odd.ttc");
	CHECK_EQ_INT(in_child(odd), 0);
	check_readable(capture);
}

static void *
short_life(void *arg)
{
	char name[32];

	snprintf(name, sizeof name, "Short %u", (unsigned)(uintptr_t)arg);
	engine_thread("Short", name);
	engine_marker(engine_text(name), 1, 0);
	for (unsigned i = 0; i < 20; i++) {
		engine_emit(marker[i], UNITY_BEGIN, 0, NULL);
		engine_emit(marker[i], UNITY_END, 0, NULL);
	}
	return NULL;
}

static void
churn(void)
{
	pthread_t t[8];

	load(2, 0);
	start_emitters();
	begin_capture();
	for (unsigned i = 0; i < (play_long() ? 2000 : 200); i++) {
		for (unsigned k = 0; k < 8; k++)
			pthread_create(&t[k], NULL, short_life, (void *)(uintptr_t)(i * 8 + k));
		engine_frame();
		for (unsigned k = 0; k < 8; k++)
			pthread_join(t[k], NULL);
		if (i % 50 == 49) {
			end_capture();
			begin_capture();
		}
	}
	stop_emitters();
	engine_unload(true);
}

TEST(threads_and_markers_come_and_go)
{
	capture = check_path("churn.ttc");
	CHECK_EQ_INT(in_child(churn), 0);
	check_readable(capture);
}

/* --- what may be missing --------------------------------------------------------------------------- */

static unsigned failing;

static void
registrations_fail(void)
{
	struct engine_opts o = { .callbacks = 2, .profiler = 2, .fail = failing };

	setenv("TRACETOOL_CAPTURE", capture, 1);
	engine_start(&o);
	make_markers();
	if (engine_load(play_plugin()) != 0)
		_exit(121);
	for (int i = 0; i < 200; i++) {
		engine_frame();
		for (unsigned k = 0; k < MARKERS; k++)
			engine_emit(marker[k], UNITY_SINGLE, 0, NULL);
		sleep_ms(1);
	}
	engine_unload(true);
}

TEST(each_registration_may_fail)
{
	for (unsigned k = 0; k <= ENGINE_EVENT; k++) {
		capture = check_path("fail.ttc");
		failing = ENGINE_FAIL(k);
		if (!CHECK_EQ_INT(in_child(registrations_fail), 0))
			printf("  kind %u\n", k);
		if (k != ENGINE_FRAME && access(capture, F_OK) == 0)
			check_readable(capture);
		unlink(capture);
	}
}

static void
no_folder(void)
{
	load(2, 0);
	make_markers();
	if (p_start("/nonexistent/folder/x.ttc", "") != TRACETOOL_OK)
		_exit(0);
	for (int i = 0; i < 200 && p_state() != TRACETOOL_IDLE; i++) {
		engine_frame();
		sleep_ms(2);
	}
	if (p_state() != TRACETOOL_IDLE)
		_exit(10);
	/* And the next try works. */
	begin_capture();
	engine_unload(true);
}

TEST(a_folder_that_is_not_there)
{
	capture = check_path("second.ttc");
	CHECK_EQ_INT(in_child(no_folder), 0);
	check_readable(capture);
}

static bool fork_exits;               /* the child ends at once, by exit() */

static void
forked(void)
{
	pid_t pid;
	int status;

	load(2, 0);
	make_markers();
	begin_capture();
	engine_emit(marker[0], UNITY_BEGIN, 0, NULL);
	pid = fork();
	if (pid == 0) {
		alarm(30);
		if (!freopen(check_path("child.said"), "w", stderr))
			_exit(11);
		if (fork_exits)
			exit(0);
		for (int i = 0; i < 1000; i++) {
			engine_emit(marker[1], UNITY_BEGIN, 0, NULL);
			engine_emit(marker[1], UNITY_END, 0, NULL);
			engine_frame();
		}
		p_stop();
		engine_frame();
		engine_unload(true);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status != 0)
		_exit(10);
	engine_emit(marker[0], UNITY_END, 0, NULL);
	engine_unload(true);
}

TEST(a_forked_child_records_nothing)
{
	for (int i = 0; i < 2; i++) {
		struct stat said;
		capture = check_path(i ? "fork2.ttc" : "fork.ttc");
		fork_exits = i;
		CHECK_EQ_INT(in_child(forked), 0);
		check_readable(capture);
		CHECK(stat(check_path("child.said"), &said) == 0 && said.st_size == 0);
		CHECK_EQ_INT(csv_lines(",\"?Rough 1"), 0);
		CHECK_EQ_INT(csv_lines(",\"?Rough 0"), 1);
	}
}

static void
ends_with_values(void)
{
	int64_t n = 4711;
	struct unity_value v = { .type = UNITY_T_I64, .size = 8, .data = &n };

	load(2, 0);
	make_markers();
	begin_capture();
	engine_emit(marker[1], UNITY_BEGIN, 0, NULL);
	engine_emit(marker[1], UNITY_END, 1, &v);
	engine_frame();
	engine_unload(true);
}

TEST(values_of_an_end_are_not_lost)
{
	capture = check_path("ends.ttc");
	CHECK_EQ_INT(in_child(ends_with_values), 0);
	check_readable(capture);
	CHECK_EQ_INT(csv_lines("^instant,.*Rough 1.*4711"), 1);
	CHECK_EQ_INT(csv_lines("^zone,.*Rough 1"), 1);
}

/* The game ends without a word: the capture is joined with its ring. */
static void
sudden_exit(void)
{
	load(2, 0);
	start_emitters();
	begin_capture();
	engine_frame();
	_exit(0);
}

TEST(a_game_that_ends_without_unloading)
{
	char command[2048];

	capture = check_path("sudden.ttc");
	CHECK_EQ_INT(in_child(sudden_exit), 0);
	snprintf(command, sizeof command, "'%s' stats -q '%s' > /dev/null 2>&1", play_tracetool(), capture);
	CHECK_EQ_INT(system(command) & 0xff7f & ~0x300, 0);   /* 0, or 3: it was cut */
	play_remove(capture);
}

/* exit() with the plug-in loaded and threads emitting: destructors run beside them. */
static void
exit_while_emitting(void)
{
	load(2, 2);
	start_emitters();
	begin_capture();
	engine_frame();
	exit(0);
}

TEST(a_game_that_exits_while_threads_emit)
{
	for (int i = 0; i < 5; i++) {
		capture = check_path("exit.ttc");
		CHECK_EQ_INT(in_child(exit_while_emitting), 0);
		play_remove(capture);
	}
}

/* --- shown in the Unity profiler --------------------------------------------------------------------- */

static unsigned profiler_version;

static void
self_shown(void)
{
	load(2, profiler_version);
	make_markers();
	begin_capture();
	for (int i = 0; i < 200; i++) {
		for (unsigned k = 0; k < 2000; k++) {
			engine_emit(marker[k % MARKERS], UNITY_BEGIN, 0, NULL);
			engine_emit(marker[k % MARKERS], UNITY_END, 0, NULL);
		}
		engine_frame();
		sleep_ms(1);
	}
	end_capture();
	if (engine_seen()->emitted == 0)
		_exit(10);
	if (profiler_version == 2 && engine_seen()->counters == 0)
		_exit(11);
	/* The writer once; where the engine refuses it, not again at each write. */
	if (engine_seen()->threads != 1)
		_exit(12);
	if (engine_seen()->twice || engine_seen()->flow_on_v1)
		_exit(13);
	engine_unload(true);
}

TEST(its_own_work_is_shown_in_the_profiler)
{
	for (unsigned i = 0; i < 4; i++) {
		profiler_version = 1 + i % 2;
		no_thread = i >= 2;
		capture = check_path("self.ttc");
		CHECK_EQ_INT(in_child(self_shown), 0);
		check_readable(capture);
		/* ... and is not in the capture. */
		CHECK_EQ_INT(csv_lines("^zone.*,Tracetool[.]"), 0);
	}
	no_thread = false;
}

static void
idle(void)
{
	load(2, 2);
	make_markers();
	for (int i = 0; i < 100; i++)
		engine_frame();
	/* Nothing is registered that costs something per event. */
	for (unsigned i = 0; i < MARKERS; i++) {
		if (engine_listeners(marker[i]))
			_exit(10);
	}
	if (engine_flow(UNITY_FLOW_BEGIN, 1))
		_exit(11);
	begin_capture();
	if (!engine_listeners(marker[0]))
		_exit(12);
	end_capture();
	if (engine_listeners(marker[0]) || engine_flow(UNITY_FLOW_BEGIN, 1))
		_exit(13);
	engine_unload(true);
	for (int k = 0; k < ENGINE_KINDS; k++) {
		if (engine_seen()->registered[k] != engine_seen()->unregistered[k])
			_exit(20 + k);
	}
	if (engine_seen()->twice || engine_seen()->refused)
		_exit(30);
}

TEST(idle_is_one_frame_callback_and_unloading_takes_all_back)
{
	capture = check_path("idle.ttc");
	CHECK_EQ_INT(in_child(idle), 0);
}

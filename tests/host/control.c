/**
 * How captures of the real plug-in start and stop: environment, command line, functions, control file, frame range,
 * slow frames; and what is left behind when they do not.
 *
 * Each test plays in a process of its own, because a process loads the plug-in once.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"
#include "play.h"

static const char *file;
static struct engine_opts engine;
static char **args;

static void
pause_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* Run ${child} in another process, in an environment with no capture; its checks are this test's. */
static void
in_player(void (*child)(void))
{
	int status = 0;

	file = check_path("control.ttc");
	unlink(file);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		unsetenv("TRACETOOL_CAPTURE");
		unsetenv("TRACETOOL_OPTIONS");
		check_bad = 0;
		child();
		fflush(NULL);
		exit(check_bad > 0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	CHECK_EQ_INT(status, 0);
	unlink(file);
	engine = (struct engine_opts){ .callbacks = 2 };
}

static void
load(void)
{
	if (engine.callbacks == 0)
		engine.callbacks = 2;
	engine_start(&engine);
	engine_thread("", "Main Thread");
	CHECK_EQ_INT(engine_load(play_plugin()), 0);
}

#define START PLAY_CALL(tracetool_start)
#define STOP PLAY_CALL(tracetool_stop)
#define STATE PLAY_CALL(tracetool_state)

static const char *
message(void)
{
	static char text[512];

	PLAY_CALL(tracetool_message)(text, sizeof text);
	return text;
}

static struct tracetool_counts
counts(void)
{
	struct tracetool_counts c = { 0 };

	PLAY_CALL(tracetool_counts)(&c, sizeof c);
	return c;
}

/* ${frames} frames of some zones each. */
static void
play(unsigned frames)
{
	static const struct unity_marker *m;

	if (!m)
		m = engine_marker("Work", 1, 0);
	for (unsigned i = 0; i < frames; i++) {
		engine_frame();
		for (unsigned k = 0; k < 100; k++) {
			engine_emit(m, UNITY_BEGIN, 0, NULL);
			engine_emit(m, UNITY_END, 0, NULL);
		}
	}
}

static long
size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (long)st.st_size : -1;
}

/* Registered and not taken back. */
static int
held(unsigned kind)
{
	return (int)engine_seen()->registered[kind] - (int)engine_seen()->unregistered[kind];
}

static void
check_clean(void)
{
	CHECK_EQ_INT(engine_seen()->twice, 0);
	CHECK_EQ_INT(engine_seen()->unknown, 0);
	CHECK_EQ_INT(engine_seen()->flow_on_v1, 0);
}

/* What tracetool prints. */
static const char *
tracetool(const char *arguments)
{
	static char text[65536], command[1024];

	snprintf(command, sizeof command, "%s %s 2>&1", play_tracetool(), arguments);
	FILE *f = popen(command, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	text[n] = '\0';
	if (f)
		pclose(f);
	return text;
}

/* --- starting and stopping --------------------------------------------------------- */

static void
idle(void)
{
	load();
	play(10);
	CHECK_EQ_INT(STATE(), TRACETOOL_IDLE);
	CHECK_EQ_INT(held(ENGINE_FRAME), 1);
	CHECK_EQ_INT(held(ENGINE_MARKER) + held(ENGINE_FLOW), 0);
	CHECK_EQ_INT(engine_seen()->registered[ENGINE_EVENT], 0);
	engine_unload(true);
	for (unsigned k = 0; k < ENGINE_KINDS; k++)
		CHECK_EQ_INT(held(k), 0);
	CHECK_EQ_INT(size_of(file), -1);
	check_clean();
}

TEST(an_idle_plugin_sees_frames_and_no_events)
{
	in_player(idle);
}

static void
by_function(void)
{
	load();
	CHECK_EQ_INT(PLAY_CALL(tracetool_interface)(), 2);
	CHECK_EQ_INT(STOP(), TRACETOOL_E_STATE);
	CHECK_EQ_INT(PLAY_CALL(tracetool_dump)(), TRACETOOL_E_STATE);
	CHECK_EQ_INT(START(file, NULL), TRACETOOL_OK);
	CHECK_EQ_INT(START(file, NULL), TRACETOOL_E_STATE);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	play(20);
	CHECK(counts().frames >= 20);
	CHECK_EQ_INT(held(ENGINE_MARKER), 1);
	CHECK_EQ_INT(held(ENGINE_FLOW), 1);
	CHECK_EQ_INT(STOP(), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	CHECK_EQ_INT(held(ENGINE_MARKER) + held(ENGINE_FLOW), 0);
	CHECK(size_of(file) > 20 * 100);
	CHECK_EQ_INT((long)counts().bytes, size_of(file));
	CHECK_EQ_INT(counts().events, counts().frames + 20 * 200);
	CHECK_EQ_INT(counts().dropped, 0);
	CHECK_HAS(message(), "0 events dropped");
	long before = size_of(file);
	play(20);
	CHECK_EQ_INT(size_of(file), before);
	engine_unload(true);
	check_clean();
}

TEST(functions_start_and_stop_a_capture)
{
	in_player(by_function);
}

static void
again_and_again(void)
{
	load();
	for (int i = 0; i < (play_long() ? 1000 : 40); i++) {
		CHECK_EQ_INT(START(file, i % 2 ? "ring=4M;overwrite=yes" : "ring=4M;names=Work;overwrite=yes"), TRACETOOL_OK);
		CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
		play(2);
		CHECK_EQ_INT(STOP(), TRACETOOL_OK);
		CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
		CHECK(size_of(file) > 200);
		CHECK_EQ_INT(counts().dropped, 0);
	}
	engine_unload(true);
	check_clean();
}

TEST(captures_follow_each_other)
{
	in_player(again_and_again);
}

/* --- names ---------------------------------------------------------------------------- */

static const char *
beside(const char *copy)
{
	static char path[600];

	snprintf(path, sizeof path, "%.*s%s.ttc", (int)strlen(file) - 4, file, copy);
	return path;
}

static void
same_name_again(void)
{
	load();
	for (int i = 0; i < 3; i++) {
		CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
		CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
		if (i == 1)
			CHECK_HAS(message(), "control.ttc is kept; this capture goes to control.2.ttc");
		play(5 * (unsigned)(i + 1));
		CHECK_EQ_INT(STOP(), TRACETOOL_OK);
		CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
		CHECK_HAS(message(), i == 0 ? "control.ttc:" : i == 1 ? "control.2.ttc:" : "control.3.ttc:");
	}
	engine_unload(true);
	CHECK(size_of(file) > 500);
	CHECK(size_of(beside(".2")) > size_of(file));
	CHECK(size_of(beside(".3")) > size_of(beside(".2")));
	unlink(beside(".2"));
	unlink(beside(".3"));
	check_clean();
}

TEST(a_second_capture_of_a_name_keeps_the_first)
{
	in_player(same_name_again);
}

/* A copy of the game that starts, says so on ${up}, and ends when ${go} ends. */
static void
other_copy(int up, int go)
{
	char byte = 'x';

	load();
	play(5);
	if (STATE() != TRACETOOL_CAPTURING || write(up, &byte, 1) != 1)
		_exit(1);
	while (read(go, &byte, 1) > 0)
		;
	play(5);
	engine_unload(true);
	fflush(NULL);
	_exit(check_bad > 0);
}

static void
two_copies(void)
{
	int up[2], go[2], status = 1;
	char byte, command[700];

	setenv("TRACETOOL_CAPTURE", file, 1);
	setenv("TRACETOOL_OPTIONS", "ring=4M;overwrite=yes", 1);
	CHECK_EQ_INT(pipe(up) + pipe(go), 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(go[1]);
		other_copy(up[1], go[0]);
	}
	close(up[1]);
	CHECK_EQ_INT(read(up[0], &byte, 1), 1);
	load();
	play(7);
	CHECK_HAS(message(), "control.ttc is being written by another recorder; this capture goes to control.2.ttc");
	engine_unload(true);
	close(go[1]);
	waitpid(pid, &status, 0);
	CHECK_EQ_INT(status, 0);
	for (int i = 0; i < 2; i++) {
		snprintf(command, sizeof command, "info %s --format csv", i ? beside(".2") : file);
		const char *text = tracetool(command);
		CHECK_HAS(text, i ? "recorder.frames,7," : "recorder.frames,10,");
	}
	unlink(beside(".2"));
}

TEST(two_copies_of_a_game_keep_apart)
{
	in_player(two_copies);
}

static void
by_environment(void)
{
	setenv("TRACETOOL_CAPTURE", file, 1);
	setenv("TRACETOOL_OPTIONS", "ring=4M", 1);
	load();
	CHECK_EQ_INT(STATE(), TRACETOOL_CAPTURING);
	play(5);
	engine_unload(true);
	CHECK(size_of(file) > 500);
	check_clean();
}

TEST(the_environment_captures_before_the_first_frame)
{
	in_player(by_environment);
}

/* The command line is that of the process: the test runs itself anew, and CONTROL_PLAYER says what it is. */
__attribute__((constructor)) static void
second_self(int argc, char **argv)
{
	const char *want = getenv("CONTROL_PLAYER");

	(void)argc;
	args = argv;
	if (!want)
		return;
	load();
	if (strcmp(want, "capture") == 0)
		CHECK_EQ_INT(STATE(), TRACETOOL_CAPTURING);
	else
		CHECK_EQ_INT(STATE(), TRACETOOL_IDLE);
	play(5);
	engine_unload(true);
	fflush(NULL);
	_exit(check_bad > 0);
}

static void
by_command_line(void)
{
	setenv("CONTROL_PLAYER", "capture", 1);
	setenv("TRACETOOL_CAPTURE", "/nonexistent/never.ttc", 1);
	execl("/proc/self/exe", args[0], "-batchmode", "-tracetool", file, "-tracetool-options", "ring=4M;names=W*",
	    "-nographics", (char *)NULL);
	CHECK(false);
}

TEST(the_command_line_goes_before_the_environment)
{
	struct stat st;

	file = check_path("control.ttc");
	unlink(file);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		by_command_line();
		_exit(1);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	CHECK_EQ_INT(status, 0);
	CHECK(stat(file, &st) == 0 && st.st_size > 500);
	CHECK_EQ_INT(st.st_mode & 0777, 0600);
	unlink(file);
}

static void
write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!CHECK(f != NULL))
		return;
	fputs(text, f);
	fclose(f);
}

static void
by_control_file(void)
{
	char options[600], text[600];
	const char *control = check_path("control");

	snprintf(options, sizeof options, "control=%s;ring=4M", control);
	setenv("TRACETOOL_OPTIONS", options, 1);
	load();
	play(3);
	CHECK_EQ_INT(STATE(), TRACETOOL_IDLE);
	snprintf(text, sizeof text, "start %s\nnames=Work\nmeta=why=test\n", file);
	write_file(control, text);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	play(5);
	write_file(control, "stop now\n");
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	CHECK(size_of(file) > 500);
	unlink(file);
	write_file(control, "sing\n");
	for (int i = 0; i < 1200 && !strstr(message(), "sing"); i++)
		pause_ms(50);
	CHECK_HAS(message(), "no command is called \"sing\"");
	engine_unload(true);
	unlink(control);
	check_clean();
}

TEST(the_control_file_is_obeyed_when_it_changes)
{
	in_player(by_control_file);
}

/* Have the control file hold ${text}, and wait until the plug-in has read it. */
static void
command(const char *control, const char *text)
{
	char new[600];
	union { struct inotify_event e; char room[4096]; } got;
	int fd = inotify_init1(IN_CLOEXEC);

	snprintf(new, sizeof new, "%s.new", control);
	write_file(new, text);
	CHECK(inotify_add_watch(fd, new, IN_CLOSE_NOWRITE) >= 0);     /* it stays with the file */
	CHECK_EQ_INT(rename(new, control), 0);
	CHECK(read(fd, &got, sizeof got) > 0 && got.e.mask & IN_CLOSE_NOWRITE);
	close(fd);
}

/* Wait until the plug-in has said ${part}. */
static void
wait_for(const char *part)
{
	for (int i = 0; i < 12000 && !strstr(message(), part); i++)
		pause_ms(5);
	CHECK_HAS(message(), part);
}

/* What stood in the control file before, and one that anybody could have written. */
static void
not_obeyed(void)
{
	char text[600], options[600];
	const char *control = check_path("control");

	snprintf(options, sizeof options, "control=%s;ring=4M", control);
	setenv("TRACETOOL_OPTIONS", options, 1);
	snprintf(text, sizeof text, "start %s\n", file);
	write_file(control, text);
	load();
	command(control, "sing\n");          /* it has looked by now, and obeyed this one only */
	wait_for("\"sing\"");
	CHECK_EQ_INT(STATE(), TRACETOOL_IDLE);
	CHECK_EQ_INT(size_of(file), -1);
	command(control, "stop\n");
	wait_for("\"stop\" does nothing: nothing is being captured");
	CHECK_EQ_INT(unlink(control) + mkfifo(control, 0600), 0);
	wait_for("not obeyed: it is no regular file");
	unlink(control);
	int fd = open(control, O_WRONLY | O_CREAT, 0666);
	fchmod(fd, 0666);
	CHECK(write(fd, text, strlen(text)) > 0);
	close(fd);
	wait_for("not obeyed: everybody may write to it (chmod o-w)");
	CHECK_EQ_INT(STATE(), TRACETOOL_IDLE);
	chmod(control, 0600);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	snprintf(text, sizeof text, "start %s\nmeta=second=time", file);
	command(control, text);
	wait_for("\"start\" does nothing: a capture is running");
	engine_unload(true);
	unlink(control);
	check_clean();
}

TEST(a_control_file_that_is_not_obeyed_is_told)
{
	in_player(not_obeyed);
}

static void
more_commands(void)
{
	char text[600], options[600];
	const char *control = check_path("control");

	snprintf(options, sizeof options, "control=%s;ring=4M", control);
	setenv("TRACETOOL_OPTIONS", options, 1);
	load();
	snprintf(text, sizeof text, "start %s\nkeep=60s", file);
	command(control, text);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	play(50);
	long held = size_of(file);
	command(control, "dump\r\n");
	for (int i = 0; i < 6000 && size_of(file) < held + 50 * 100; i++)
		pause_ms(10);
	CHECK(size_of(file) >= held + 50 * 100);
	command(control, "label by night");
	command(control, "\n");
	CHECK_EQ_INT(strncmp(message(), "control file", 12) == 0, 0);
	command(control, "stop");
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	engine_unload(true);
	snprintf(text, sizeof text, "info %s --format csv", file);
	CHECK_HAS(tracetool(text), "label,by night,");
	unlink(control);
	check_clean();
}

TEST(the_control_file_dumps_and_labels)
{
	in_player(more_commands);
}

static void
wrong_options(void)
{
	setenv("TRACETOOL_CAPTURE", file, 1);
	setenv("TRACETOOL_OPTIONS", "rong=1;over=;ring=4M;meta=after=wrong", 1);
	load();
	CHECK_EQ_INT(STATE(), TRACETOOL_CAPTURING);
	CHECK_HAS(message(), "TRACETOOL_OPTIONS: no option is called \"rong\"; option \"over=\": want a time such as 33.4ms");
	play(5);
	engine_unload(true);
	char command[600];
	snprintf(command, sizeof command, "info %s --format csv", file);
	CHECK_HAS(tracetool(command), "after,wrong,");
	check_clean();
}

static void
wrong_filter(void)
{
	setenv("TRACETOOL_CAPTURE", file, 1);
	setenv("TRACETOOL_OPTIONS", "verbosity=loud;ring=4M", 1);
	load();
	CHECK_EQ_INT(STATE(), TRACETOOL_IDLE);
	CHECK_HAS(message(), "no capture: without the filter \"verbosity\"");
	play(2);
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_E_OPTION);
	CHECK_EQ_INT(START(file, "frames=5-5x;verbosity=user"), TRACETOOL_E_OPTION);
	CHECK_HAS(message(), "frames=5-5x");
	CHECK_EQ_INT(size_of(file), -1);
	CHECK_EQ_INT(START(file, "verbosity=user"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	engine_unload(true);
	check_clean();
}

TEST(a_wrong_option_is_told_and_a_wrong_filter_stops_the_capture)
{
	in_player(wrong_options);
	in_player(wrong_filter);
}

static void
by_frames(void)
{
	setenv("TRACETOOL_CAPTURE", file, 1);
	setenv("TRACETOOL_OPTIONS", "ring=4M;frames=10-14", 1);
	load();
	play(9);
	CHECK_EQ_INT(STATE(), TRACETOOL_STARTING);
	CHECK_EQ_INT(held(ENGINE_MARKER), 0);
	play(1);
	CHECK_EQ_INT(STATE(), TRACETOOL_CAPTURING);
	play(4);
	CHECK_EQ_INT(STATE(), TRACETOOL_CAPTURING);
	play(1);
	CHECK(STATE() == TRACETOOL_STOPPING || STATE() == TRACETOOL_IDLE);
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	CHECK_EQ_INT(counts().frames, 6);     /* the last is the end of the one before */
	engine_unload(true);
	check_clean();
}

TEST(a_frame_range_starts_and_stops_by_itself)
{
	in_player(by_frames);
}

static uint64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Frames below the limit of ${over_ms}, then one above it. Were the first in time? On a busy machine one may have taken longer. */
static bool
slow_frame(unsigned over_ms)
{
	char options[60];
	uint64_t began = now_ms();

	snprintf(options, sizeof options, "ring=4M;keep=60s;over=%ums", over_ms);
	CHECK_EQ_INT(START(file, options), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	play(50);
	pause_ms(30);
	play(1);
	pause_ms(100);
	long before = size_of(file);
	bool in_time = now_ms() < began + over_ms;
	CHECK(!in_time || before < 50 * 200);     /* nothing but the head yet */
	pause_ms(over_ms + 200);
	play(1);
	for (int i = 0; i < 1200 && size_of(file) <= 50 * 200; i++)
		pause_ms(50);
	CHECK(size_of(file) > 50 * 200);
	STOP();
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	return in_time;
}

static void
slow_frames(void)
{
	load();
	CHECK(slow_frame(500) || slow_frame(2000) || slow_frame(8000));
	engine_unload(true);
	check_clean();
}

TEST(a_slow_frame_writes_what_was_held)
{
	in_player(slow_frames);
}

/* --- what can go wrong ---------------------------------------------------------------- */

static void
refusals(void)
{
	load();
	CHECK_EQ_INT(START(NULL, NULL), TRACETOOL_E_OPTION);
	CHECK_HAS(message(), "needs a file name");
	CHECK_EQ_INT(START(file, "rong=4M"), TRACETOOL_E_OPTION);
	CHECK_HAS(message(), "no option is called \"rong\"");
	CHECK_EQ_INT(STATE(), TRACETOOL_IDLE);
	static char longest[5000];
	memset(longest, 'x', sizeof longest - 1);
	CHECK_EQ_INT(START(longest, NULL), TRACETOOL_E_OPTION);
	CHECK_HAS(message(), "file name is too long");
	CHECK_EQ_INT(START("", "ring=4M"), TRACETOOL_E_OPTION);
	/* It becomes too long by what stands for the time. */
	memset(longest, 'x', 1020);
	strcpy(longest + 1020, "%t");
	CHECK_EQ_INT(START(longest, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	CHECK_HAS(message(), "no capture: the file name is too long");
	CHECK_EQ_INT(START("/nonexistent/x.ttc", "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	CHECK_HAS(message(), "no capture: ");
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	engine_unload(true);
	CHECK(size_of(file) > 200);
	check_clean();
}

TEST(what_cannot_be_done_is_told_and_changes_nothing)
{
	in_player(refusals);
}

static void
wrong_environment(void)
{
	setenv("TRACETOOL_OPTIONS", "rong=1", 1);
	load();
	CHECK_HAS(message(), "no option is called \"rong\"");
	CHECK_HAS(message(), "TRACETOOL_OPTIONS");
	CHECK_EQ_INT(STATE(), TRACETOOL_IDLE);
	/* It is no reason to capture nothing. */
	CHECK_EQ_INT(START(file, "ring=4M;over=1min"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	play(3);
	engine_unload(true);
	CHECK(size_of(file) > 500);
	check_clean();
}

TEST(wrong_options_of_the_environment_are_told)
{
	in_player(wrong_environment);
}

static void
no_interface(void)
{
	setenv("TRACETOOL_CAPTURE", file, 1);
	engine_start(&(struct engine_opts){ .callbacks = 0 });
	CHECK_EQ_INT(engine_load(play_plugin()), 0);
	CHECK_EQ_INT(PLAY_CALL(tracetool_interface)(), 0);
	CHECK_EQ_INT(START(file, NULL), TRACETOOL_E_UNITY);
	CHECK_HAS(message(), "no profiler interface");
	PLAY_CALL(tracetool_mark)("x");
	PLAY_CALL(tracetool_label)(NULL);
	PLAY_CALL(tracetool_meta)("k", "v");
	PLAY_CALL(tracetool_frame_timings)(NULL, 3, 0);
	CHECK_EQ_INT(PLAY_CALL(tracetool_api)(), 2);
	CHECK_EQ_INT(counts().frames, 0);
	engine_unload(true);
	CHECK_EQ_INT(size_of(file), -1);
}

TEST(without_an_interface_every_function_does_nothing)
{
	in_player(no_interface);
}

static void
nothing_registered(void)
{
	setenv("TRACETOOL_CAPTURE", file, 1);
	setenv("TRACETOOL_OPTIONS", "ring=4M", 1);
	load();
	play(3);
	engine_unload(true);
	CHECK_EQ_INT(engine_seen()->unknown, 0);
}

TEST(refused_registrations_are_survived)
{
	for (unsigned kind = 0; kind < ENGINE_KINDS; kind++) {
		engine.fail = ENGINE_FAIL(kind);
		in_player(nothing_registered);
	}
	engine.fail = ~0u;
	in_player(nothing_registered);
	engine.taken = ENGINE_SLOTS;
	in_player(nothing_registered);
}

static void
forked(void)
{
	int status = -1;

	load();
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	play(3);
	pid_t pid = fork();
	if (pid == 0) {
		play(50);
		PLAY_CALL(tracetool_mark)("child");
		_exit(START(file, NULL) == TRACETOOL_OK);
	}
	waitpid(pid, &status, 0);
	CHECK_EQ_INT(status, 0);
	play(3);
	STOP();
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	CHECK(size_of(file) > 600 && size_of(file) < 20000);
	engine_unload(true);
}

TEST(a_forked_child_records_nothing)
{
	in_player(forked);
}

static void
no_unload(void)
{
	load();
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	play(30);
}

TEST(a_game_that_just_exits_leaves_a_complete_file)
{
	static const char finish[] = { 70 };

	(void)finish;
	in_player(no_unload);
}

static void
stop_before_start(void)
{
	load();
	CHECK_EQ_INT(START(file, "ring=4M;frames=1000000-"), TRACETOOL_OK);
	pause_ms(300);
	play(3);
	CHECK_EQ_INT(STATE(), TRACETOOL_STARTING);
	CHECK_EQ_INT(STOP(), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	CHECK_EQ_INT(engine_seen()->registered[ENGINE_MARKER], 0);
	engine_unload(true);
	check_clean();
}

TEST(a_capture_can_be_stopped_before_its_first_frame)
{
	in_player(stop_before_start);
}

static void
own_work(void)
{
	setenv("TRACETOOL_CAPTURE", file, 1);
	setenv("TRACETOOL_OPTIONS", "ring=4M", 1);
	engine.profiler = 2;
	load();
	for (int i = 0; i < 30; i++) {
		play(50);
		pause_ms(50);
	}
	engine_unload(true);
	CHECK(engine_seen()->counters == 2);
	CHECK_EQ_INT(engine_seen()->threads, 1);
	check_clean();
}

TEST(our_own_work_is_shown_in_the_profiler)
{
	in_player(own_work);
}

/* --- what goes in by functions ------------------------------------------------------- */

enum { FRAMES = 30, LATE = 4 };

/*
 * The frame after the kth took k ms on the main thread and 2k on the GPU (but the fifth: no GPU time), told by records
 * four frames later, and half of k on the render thread, told by the engine's counter.
 */
static void
timed(void)
{
	load();
	const struct unity_marker *render = engine_marker("CPU Render Thread Frame Time", 0, 0);
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	for (unsigned i = 1; i <= FRAMES; i++) {
		play(1);
		unsigned k = i - LATE;
		struct tracetool_frame_timing f = { .cpu_total_ms = 100, .cpu_main_ms = k, .gpu_ms = k == 5 ? 0 : 2 * k,
			.cpu_present_wait_ms = 1, .age = LATE,
			.flags = i % 2 ? TRACETOOL_COMPLETE_COMPUTED : 0 };
		if (i <= LATE) {
			/* No time that a frame could have taken, about frames before the capture. */
			int64_t below = -1;
			double odd[LATE] = { -1, 0, 1e300, 0 };
			engine_emit(render, UNITY_SINGLE, 1, &(struct unity_value){ .type = UNITY_T_I64, .size = 8, .data = &below });
			engine_emit(render, UNITY_SINGLE, 1, &(struct unity_value){ .type = UNITY_T_F64, .size = 8, .data = &odd[i - 1] });
			engine_emit(render, UNITY_SINGLE, 1, &(struct unity_value){ .type = UNITY_T_TEXT, .size = 3, .data = "odd" });
			continue;
		}
		if (i % 2)
			PLAY_CALL(tracetool_frame_timings)(&f, 1, 10000000);
		else
			PLAY_CALL(tracetool_frame_timings2)(&f, &(struct tracetool_frame_settings){ 0.5f, 0.8125f, 7 }, 1, 10000000);
		/* As whichever number the engine has it. */
		int64_t ns = k * 500000;
		double real = (double)ns;
		engine_emit(render, UNITY_SINGLE, 1, &(struct unity_value){ .type = k % 3 == 0 ? UNITY_T_I64 : k % 3 == 1 ? UNITY_T_U64 : UNITY_T_F64,
			.size = 8, .data = k % 3 == 2 ? (void *)&real : (void *)&ns });
	}
	STOP();
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	engine_unload(true);

	char arguments[700], row[80];
	snprintf(arguments, sizeof arguments, "stats %s --table hitches,frame_timings,frame_limits --hitches 100 --format csv", file);
	const char *text = tracetool(arguments);
	for (int k = 1; k <= FRAMES - LATE; k++) {
		snprintf(row, sizeof row, ",,%d,%d,%.0d,1000000,%s,", k * 1000000, k * 500000, k == 5 ? 0 : 2000000 * k, k == 5 ? "unknown" : "present");
		const char *at = strstr(text, row);
		snprintf(row, sizeof row, "\n%d,", k + 1);
		const char *line = strstr(text, "# hitches") ? strstr(strstr(text, "# hitches"), row) : NULL;
		CHECK(at && line && line < at && !memchr(line + 1, '\n', (size_t)(at - line - 1)));
	}
	CHECK_HAS(text, "\nmain,26,");
	CHECK_HAS(text, "\nrender,26,");
	CHECK_HAS(text, "\ngpu,25,");
	CHECK_HAS(text, "\npresent,25,100.00,");
	CHECK_HAS(text, "\nunknown,6,,");    /* the fifth, and those whose record never came */
	snprintf(arguments, sizeof arguments, "info %s --format csv", file);
	CHECK_HAS(tracetool(arguments), "\nrecorder.completions_computed,13,");
	snprintf(arguments, sizeof arguments, "convert -q -f chrome -o - %s | grep Tracetool.FrameTiming | grep -c 0.8125", file);
	CHECK_STR(tracetool(arguments), "13\n");

	/* A gate over GPU times explains them by the frames that kept the GPU longest. */
	FILE *budget = fopen(check_path("budget.json"), "w");
	if (!CHECK(budget != NULL))
		return;
	fprintf(budget, "{ \"tracetool_budget\": 1, \"rows\": [ { \"id\": \"gpu\", \"metric\": \"frame.gpu\", \"stat\": \"max\", "
	    "\"max\": \"50ms\" } ] }");
	fclose(budget);
	snprintf(arguments, sizeof arguments, "stats --gate %s --explain gpu %s", check_path("budget.json"), file);
	text = tracetool(arguments);
	CHECK_HAS(text, "gpu: breach: 52.000 ms");
	for (int k = FRAMES - LATE; k > FRAMES - LATE - 5; k--) {
		snprintf(row, sizeof row, "\n  frame %d: ", k + 1);
		const char *at = strstr(text, row);
		if (CHECK(at != NULL))
			text = at;
	}
}

TEST(frame_timings_go_to_the_frames_they_are_about)
{
	in_player(timed);
}

/* --- facts ------------------------------------------------------------------------------ */

static void
facts(void)
{
	static char big[70000];
	char text[600];
	unity_load_fn *entry;

	load();
	/* It is loaded already; there are engines that ask twice. */
	entry = (unity_load_fn *)engine_symbol("UnityPluginLoad");
	entry(NULL);
	entry((struct unity_interfaces *)text);
	void (*meta)(const char *, const char *) = PLAY_CALL(tracetool_meta);
	meta("level", "one");
	meta("gone", "here");
	meta("", "no key");
	meta(NULL, "no key");
	meta("gone", NULL);
	meta("level", "two");
	meta("last", "three");
	memset(big, 'x', sizeof big - 1);
	meta("big", big);
	meta(big, "big");
	big[40000] = '\0';
	meta("first big", big);
	meta("second big", big);
	CHECK_EQ_INT(START(file, "ring=4M;meta=of=option"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	play(1);
	PLAY_CALL(tracetool_mark)(NULL);
	PLAY_CALL(tracetool_label)(NULL);
	CHECK_EQ_INT(STOP(), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	/* Behind the end nothing is recorded. */
	PLAY_CALL(tracetool_mark)("behind");
	PLAY_CALL(tracetool_frame_timings)(&(struct tracetool_frame_timing){ .age = 1 }, 1, 1);
	/* The message as far as there is room, and its length. */
	char few[5] = "....";
	int32_t n = PLAY_CALL(tracetool_message)(few, sizeof few);
	CHECK_EQ_INT(strncmp(few, message(), 4) == 0 && few[4] == '\0', 1);
	CHECK_EQ_INT(n, (long)strlen(message()));
	CHECK_EQ_INT(PLAY_CALL(tracetool_message)(NULL, 0), n);
	memset(few, '.', 4);
	CHECK_EQ_INT(PLAY_CALL(tracetool_message)(few, 0), n);
	CHECK_EQ_INT(few[0], '.');
	/* Counts as far as the caller knows them. */
	struct tracetool_counts c = { .dropped = 77 };
	PLAY_CALL(tracetool_counts)(&c, sizeof c.events);
	CHECK_EQ_INT(c.events, counts().events);
	CHECK_EQ_INT(c.dropped, 77);
	PLAY_CALL(tracetool_counts)(&c, 0);
	PLAY_CALL(tracetool_counts)(NULL, sizeof c);
	engine_unload(true);
	snprintf(text, sizeof text, "info %s --format csv", file);
	const char *info = tracetool(text);
	CHECK_HAS(info, "\nlevel,two,");
	CHECK_HAS(info, "\nlast,three,");
	CHECK_HAS(info, "\nof,option,");
	CHECK_HAS(info, "\nfirst big,xxx");
	CHECK(!strstr(info, "gone") && !strstr(info, "second big") && !strstr(info, "no key") && !strstr(info, "\nbig,"));
	CHECK_HAS(info, "\nsingle,1,");      /* the mark */
}

/* Each label and fact that is told while a capture runs is there with its time, not the last ones alone. */
static void
facts_in_turn(void)
{
	char text[700];

	load();
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	for (int i = 0; i < 4; i++) {
		PLAY_CALL(tracetool_label)(i % 2 ? "fight" : "menu");
		PLAY_CALL(tracetool_meta)("wave", i < 2 ? "one" : "two");
		play(3);
	}
	engine_unload(true);
	snprintf(text, sizeof text, "stats -q %s --table facts --limit 0 --format csv | grep -o 'label,[a-z]*\\|wave,[a-z]*' | tr '\\n' ' '", file);
	CHECK_STR(tracetool(text), "label,menu wave,one label,fight wave,one label,menu wave,two label,fight wave,two ");
	snprintf(text, sizeof text, "convert -q -f csv -o - %s --from-label fight --to-label menu | grep -c '^zone.*,Work,'", file);
	CHECK_STR(tracetool(text), "300\n");
}

TEST(facts_are_those_last_told)
{
	in_player(facts);
}

static void
many_markers(void)
{
	enum { MANY = 6000 };
	static char name[MANY][16];

	load();
	CHECK_EQ_INT(START(file, "ring=16M;no-names=M1*"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	uint64_t before = counts().markers, filtered = counts().filtered;
	for (int i = 0; i < MANY; i++) {
		snprintf(name[i], sizeof name[i], "M%d", i);
		engine_emit(engine_marker(name[i], 1, 0), UNITY_SINGLE, 0, NULL);
	}
	/* 1, 10 to 19, 100 to 199, 1000 to 1999 */
	CHECK_EQ_INT(counts().filtered, filtered + 1111);
	CHECK_EQ_INT(counts().markers, before + MANY - 1111);
	/* Another of a number that there is: both count. */
	engine_marker_as(engine_marker_at(300)->id, "Twin", 1, 0);
	CHECK_EQ_INT(counts().markers, before + MANY - 1111 + 1);
	STOP();
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	CHECK_EQ_INT(counts().dropped, 0);
	engine_unload(true);
	char text[600];
	snprintf(text, sizeof text, "info %s --format csv", file);
	CHECK_HAS(tracetool(text), "\nrecorder.ids_reused,1,");
}

/* Labels are zones of their own name as far as there is room for any, and have their text with each zone beyond it. */
static void
many_labels(void)
{
	enum { MANY = 70000 };

	load();
	const struct unity_marker *label = engine_marker("Profiler.Default", 24, UNITY_M_SCRIPT);
	CHECK_EQ_INT(START(file, "ring=16M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	for (int32_t i = 0; i < 2 * MANY; i++) {
		char text[16];
		uint16_t wide[16];
		int32_t object = i % 3 ? 0 : i, category = 0;
		uint32_t n = (uint32_t)snprintf(text, sizeof text, "label %d", (int)(i % MANY));

		for (uint32_t k = 0; k < n; k++)
			wide[k] = (uint8_t)text[k];
		engine_emit(label, UNITY_BEGIN, 3, (struct unity_value[3]){ { .type = UNITY_T_I32, .size = 4, .data = &object },
			{ .type = UNITY_T_TEXT16, .size = 2 * n, .data = wide }, { .type = UNITY_T_I32, .size = 4, .data = &category } });
		engine_emit(label, UNITY_END, 0, NULL);
		if (i % 1000 == 0)
			play(1);
	}
	STOP();
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	uint64_t dropped = counts().dropped;
	engine_unload(true);
	char text[700];
	snprintf(text, sizeof text, "stats -q %s --table markers --limit 0 --format csv | awk -F, "
	    "'/^label /{n++} /^(label |Profiler.Default,)/{c+=$6} END{print n, c}'", file);
	unsigned named = 0, calls = 0;
	CHECK_EQ_INT(sscanf(tracetool(text), "%u %u", &named, &calls), 2);
	CHECK_EQ_INT(dropped, 0);
	CHECK_EQ_INT(named, 65536);
	CHECK_EQ_INT(calls, 2 * MANY);
	snprintf(text, sizeof text, "info %s", file);
	CHECK_HAS(tracetool(text), "8928 zones have their label as an argument only: there are more than 65536");
	/* The last one has its text all the same. */
	snprintf(text, sizeof text, "convert -q -f chrome -o - %s | grep -c '\"text\":\"label 69999\"'", file);
	CHECK_STR(tracetool(text), "2\n");
}

/* What has no place of its own is counted, or kept among the arguments. */
static void
counted(void)
{
	static char long_text[5001];
	int32_t object = 0, category = 27, more = 471108;
	struct unity_value label[] = { { .type = UNITY_T_I32, .size = 4, .data = &object },
		{ .type = UNITY_T_TEXT, .size = 6, .data = "labels" }, { .type = UNITY_T_I32, .size = 4, .data = &category },
		{ .type = UNITY_T_I32, .size = 4, .data = &more } };

	memset(long_text, 'a', sizeof long_text - 1);
	load();
	const struct unity_marker *alloc = engine_marker("GC.Alloc", 23, 0), *own = engine_marker("Tracetool.Game", 1, 0),
	    *reserved = engine_marker("Tracetool.Mark", 1, 0), *begin = engine_marker("Profiler.Default", 24, UNITY_M_SCRIPT);
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	for (int i = 0; i < 3; i++)
		engine_emit(alloc, UNITY_BEGIN, 0, NULL);
	engine_emit(reserved, UNITY_SINGLE, 0, NULL);
	for (int i = 0; i < 2; i++)
		engine_emit(own, UNITY_SINGLE, 1,
		    &(struct unity_value){ .type = UNITY_T_TEXT, .size = sizeof long_text - 1, .data = long_text });
	/* Definitions are cut as values are. */
	PLAY_CALL(tracetool_label)(long_text);
	PLAY_CALL(tracetool_meta)("long", long_text);
	engine_emit(engine_marker(long_text, 1, 0), UNITY_SINGLE, 0, NULL);
	engine_emit(begin, UNITY_BEGIN, 4, label);
	engine_emit(begin, UNITY_END, 0, NULL);
	engine_unload(true);
	char text[600];
	snprintf(text, sizeof text, "info %s --format csv", file);
	const char *info = tracetool(text);
	CHECK_HAS(info, "\nrecorder.allocations_sizeless,3,");
	CHECK_HAS(info, "\nrecorder.markers_reserved,1,");
	CHECK_HAS(info, "5 texts and blobs were longer than a capture holds (4000 bytes) and are cut");
	snprintf(text, sizeof text, "stats -q --table loss --format csv %s", file);
	CHECK_HAS(tracetool(text), "\nnoted,info,");
	CHECK_HAS(tracetool(text), ",5,");
	snprintf(text, sizeof text, "convert -q -f csv -o - %s", file);
	const char *events = tracetool(text);
	CHECK(strstr(events, "Tracetool.Game"));
	CHECK(strstr(events, "UI Render"));   /* nobody described it */
	CHECK(!strstr(events, "Tracetool.Mark"));
	snprintf(text, sizeof text, "convert -q -f chrome -o - %s", file);
	CHECK(strstr(tracetool(text), "471108"));
}

TEST(what_has_no_place_is_counted)
{
	in_player(counted);
}

static uint64_t ids[2];

static void *
named_thread(void *arg)
{
	bool describes = arg != NULL;

	ids[!describes] = engine_self();
	if (describes)
		engine_thread("", "Loader");
	engine_emit(engine_marker(describes ? "Load" : "Other", 1, 0), UNITY_SINGLE, 0, NULL);
	return NULL;
}

/* A thread that ended has given its id to one that nobody describes. */
static void
ids_of_the_dead(void)
{
	pthread_t id;

	load();
	for (int i = 0; i < 2; i++) {
		CHECK_EQ_INT(START(file, "ring=4M;overwrite=yes"), TRACETOOL_OK);
		CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
		pthread_create(&id, NULL, named_thread, i == 0 ? "it" : NULL);
		pthread_join(id, NULL);
		STOP();
		CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
		char text[600];
		snprintf(text, sizeof text, "info %s --format csv", file);
		CHECK_EQ_INT(strstr(tracetool(text), "\nLoader,") != NULL, i == 0);
	}
	if (ids[0] != ids[1])
		printf("the system gave no id twice\n");
	engine_unload(true);
}

TEST(a_thread_has_not_the_name_of_a_dead_one)
{
	in_player(ids_of_the_dead);
}

/* A built-in category that was described before the library was loaded has a name all the same. */
static void
undescribed_category(void)
{
	load();
	const struct unity_marker *draw = engine_marker("Draw", 0, 0), *step = engine_marker("Step", 5, 0);
	CHECK_EQ_INT(START(file, "ring=4M;categories=Render"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	engine_emit(draw, UNITY_SINGLE, 0, NULL);
	engine_emit(step, UNITY_SINGLE, 0, NULL);
	engine_unload(true);
	char text[600];
	snprintf(text, sizeof text, "convert -q -f csv -o - %s", file);
	const char *events = tracetool(text);
	CHECK_HAS(events, "Draw");
	CHECK(!strstr(events, "Step"));
}

TEST(filters_know_built_in_categories)
{
	in_player(undescribed_category);
}

TEST(more_labels_than_have_keys)
{
	in_player(many_labels);
}

static void
long_names(void)
{
	static char name[5000];
	char text[600];

	load();
	/* "é" has two bytes: a name is cut before one that does not fit, and that is told. */
	for (int i = 0; i < 2499; i++)
		memcpy(name + 1 + 2 * i, "é", 2);
	name[0] = 'N';
	engine_thread("Players", name);
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	play(1);
	engine_thread_as(4712, NULL, NULL);
	engine_emit(engine_marker(NULL, 1, 0), UNITY_SINGLE, 0, NULL);
	STOP();
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	engine_unload(true);
	snprintf(text, sizeof text, "info %s --format csv", file);
	const char *info = tracetool(text), *at = strstr(info, "Né");
	CHECK(at != NULL);
	size_t n = at ? strcspn(at, ",") : 0;
	CHECK_EQ_INT(n, 3999);
	CHECK_HAS(info, "1 texts and blobs were longer than a capture holds (4000 bytes) and are cut");
	CHECK_EQ_INT(at && strncmp(at, name, n) == 0, 1);
	CHECK_HAS(info, "\nrecorder.markers_nameless,1,");
}

TEST(facts_have_their_times)
{
	in_player(facts_in_turn);
}

TEST(names_are_cut_between_characters)
{
	in_player(long_names);
}

TEST(more_markers_than_the_table_had_room_for)
{
	in_player(many_markers);
}

/* --- many threads ----------------------------------------------------------------------- */

static _Atomic bool over;

static void *
emit(void *arg)
{
	const struct unity_marker *m = arg;

	engine_thread("Job", "Worker");
	while (!over) {
		engine_emit(m, UNITY_BEGIN, 0, NULL);
		engine_emit(m, UNITY_SINGLE, 0, NULL);
		engine_emit(m, UNITY_END, 0, NULL);
		engine_flow(0, 7);
	}
	return NULL;
}

static void *
make_markers(void *arg)
{
	static char name[8000][16];

	(void)arg;
	for (int i = 0; i < 8000 && !over; i++) {
		snprintf(name[i], sizeof name[i], "M%d", i);
		const struct unity_marker *m = engine_marker(name[i], (uint16_t)(i % 60), 0);
		engine_emit(m, UNITY_SINGLE, 0, NULL);
		pause_ms(1);
	}
	return NULL;
}

static void
storm(void)
{
	pthread_t t[4];

	load();
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, emit, (void *)(uintptr_t)engine_marker("Storm", 1, 0));
	pthread_create(&t[3], NULL, make_markers, NULL);
	for (int i = 0; i < (play_long() ? 100 : 10); i++) {
		CHECK_EQ_INT(START(file, "ring=4M;overwrite=yes"), TRACETOOL_OK);
		CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
		play(3);
		STOP();
		CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	}
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	play(3);
	engine_unload(true);
	for (int i = 0; i < 3; i++)
		pause_ms(10);
	over = true;
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	check_clean();
}

TEST(captures_start_stop_and_unload_while_threads_emit)
{
	in_player(storm);
}

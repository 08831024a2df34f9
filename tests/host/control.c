/* What starts and stops captures of the real plug-in: environment, command line, control file, frame range, slow frames. */
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "player.h"

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

static char **args;

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
	wait_for("not obeyed: it is not a regular file");
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

/* Have the control file hold the ${n} bytes at ${text}, and wait until the plug-in has said ${part}. */
static void
command_bytes(const char *control, const char *text, size_t n, const char *part)
{
	char new[600];
	FILE *f;

	snprintf(new, sizeof new, "%s.new", control);
	f = fopen(new, "w");
	if (!CHECK(f != NULL))
		return;
	CHECK_EQ_INT(fwrite(text, 1, n, f), n);
	fclose(f);
	CHECK_EQ_INT(rename(new, control), 0);
	wait_for(part);
}

/* As "echo sing > FILE" writes it in PowerShell 5 and 7 and in Notepad: each time the whole word, of any alphabet, is told. */
static void
encodings(void)
{
#define COMMAND(text, part) command_bytes(control, text, sizeof text - 1, part)
	char options[600];
	const char *control = check_path("control");

	snprintf(options, sizeof options, "control=%s;ring=4M", control);
	setenv("TRACETOOL_OPTIONS", options, 1);
	load();
	COMMAND("\xFF\xFE" "s\0i\0n\0g\0\r\0\n\0", "no command is called \"sing\"");
	COMMAND("\xFE\xFF" "\0h\0u\0m\0\r\0\n", "no command is called \"hum\"");
	COMMAND("\xEF\xBB\xBFplay\r\n", "no command is called \"play\"");
	COMMAND("\xFF\xFE" "\xE9\0\x34\x12\x3D\xD8\x00\xDE\n\0", "no command is called \"\xC3\xA9\xE1\x88\xB4\xF0\x9F\x98\x80\"");
	COMMAND("\xFF\xFE" "x\0\x3D\xD8\n\0y\0", "no command is called \"x\xEF\xBF\xBD\"");
	COMMAND("\xFF\xFE" "o\0d\0d\0\n", "no command is called \"odd\"");
	COMMAND("\xFF\xFE" "s\0t\0o\0p\0\n\0", "\"stop\" does nothing: nothing is being captured");
	engine_unload(true);
	unlink(control);
	check_clean();
#undef COMMAND
}

TEST(the_control_file_is_read_in_the_encodings_of_windows)
{
	in_player(encodings);
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

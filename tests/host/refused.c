/* What goes wrong around captures of the real plug-in: refusals, wrong options, no interface, forks, games that just exit. */
#include <sys/wait.h>

#include "player.h"

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

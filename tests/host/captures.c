/* Several captures of the real plug-in, one after the other: functions start and stop them, each has its own names, threads emit meanwhile. */
#include <pthread.h>
#include <sys/wait.h>

#include "player.h"

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

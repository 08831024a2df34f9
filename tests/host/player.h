/**
 * Tests of one process each around the real plug-in, because a process loads the plug-in once: in_player() runs one, load() loads
 * the plug-in there, and the rest asks it and the program for what came of it. Include after check.h.
 */
#ifndef HOST_PLAYER_H
#define HOST_PLAYER_H

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"
#include "play.h"

static const char *file;
static struct engine_opts engine;

static inline void
pause_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* Run ${child} in another process, in an environment with no capture; its checks are this test's. */
static inline void
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

static inline void
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

static inline const char *
message(void)
{
	static char text[512];

	PLAY_CALL(tracetool_message)(text, sizeof text);
	return text;
}

static inline struct tracetool_counts
counts(void)
{
	struct tracetool_counts c = { 0 };

	PLAY_CALL(tracetool_counts)(&c, sizeof c);
	return c;
}

/* ${frames} frames of some zones each. */
static inline void
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

static inline long
size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (long)st.st_size : -1;
}

/* Registered and not taken back. */
static inline int
held(unsigned kind)
{
	return (int)engine_seen()->registered[kind] - (int)engine_seen()->unregistered[kind];
}

static inline void
check_clean(void)
{
	CHECK_EQ_INT(engine_seen()->twice, 0);
	CHECK_EQ_INT(engine_seen()->unknown, 0);
	CHECK_EQ_INT(engine_seen()->flow_on_v1, 0);
}

/* What tracetool prints. */
static inline const char *
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

#endif

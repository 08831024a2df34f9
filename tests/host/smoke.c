/**
 * smoke PLUGIN CAPTURE: a small game for systems where the tests cannot run: no fork, no POSIX. Two threads send a known
 * number of events through three captures; tests/host/cross.sh looks at the last one.
 */
#ifdef _WIN32
#include <windows.h>
#endif
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "engine.h"
#include "recorder/unity/tracetool_unity.h"

#define CALL(fn) ((__typeof__(&fn))engine_symbol(#fn))
enum { FRAMES = 50, PAIRS = 100, WORKER = 1000, ALLOCS = 10 };

static const struct unity_marker *work, *alloc;
static int bad;

static void
expect(int good, const char *what)
{
	if (!good)
		printf("smoke: not so: %s\n", what);
	bad += !good;
}

static void
pause_ms(int ms)
{
	nanosleep(&(struct timespec){ 0, ms * 1000000L }, NULL);
}

static void *
worker(void *arg)
{
	uint32_t bytes = 64;
	struct unity_value v = { .type = UNITY_T_U32, .size = 4, .data = &bytes };

	engine_thread("Job", "Worker");
	for (int i = 0; i < WORKER; i++) {
		engine_emit(work, UNITY_BEGIN, 0, NULL);
#ifdef _WIN32
		SetLastError(77);     /* callbacks leave it alone */
#endif
		engine_emit(work, UNITY_END, 0, NULL);
#ifdef _WIN32
		if (GetLastError() != 77)
			bad++;
#endif
	}
	for (int i = 0; i < ALLOCS; i++)
		engine_emit(alloc, UNITY_SINGLE, 1, &v);
	return arg;
}

static int
until(int state)
{
	for (int i = 0; i < 2000 && CALL(tracetool_state)() != state; i++) {
		engine_frame();
		pause_ms(5);
	}
	return CALL(tracetool_state)() == state;
}

static void
capture(const char *path)
{
	pthread_t t;
	struct tracetool_counts c = { 0 };

	expect(CALL(tracetool_start)(path, "ring=4M") == TRACETOOL_OK, "it starts");
	expect(until(TRACETOOL_CAPTURING), "it captures");
	pthread_create(&t, NULL, worker, NULL);
	for (int f = 0; f < FRAMES; f++) {
		engine_frame();
		for (int i = 0; i < PAIRS; i++) {
			engine_emit(work, UNITY_BEGIN, 0, NULL);
			engine_emit(work, UNITY_END, 0, NULL);
		}
	}
	pthread_join(t, NULL);
	CALL(tracetool_mark)("a mark");
	CALL(tracetool_label)("a label");
	expect(CALL(tracetool_stop)() == TRACETOOL_OK, "it stops");
	expect(until(TRACETOOL_IDLE), "it is idle again");
	CALL(tracetool_counts)(&c, sizeof c);
	expect(c.dropped == 0 && c.frames >= FRAMES, "nothing is dropped");
}

int
main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	engine_start(&(struct engine_opts){ .callbacks = 2, .profiler = 2 });
	engine_thread("", "Main Thread");
	work = engine_marker("Work", 1, 0);
	alloc = engine_marker("GC.Alloc", 23, 0);
	if (engine_load(argv[1]) != 0)
		return 1;
	expect(CALL(tracetool_interface)() == 2, "it has the interface");
	for (int i = 0; i < 3; i++)
		capture(argv[2]);
	engine_unload(true);
	return bad > 0;
}

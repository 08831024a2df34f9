/**
 * script SCRIPT CAPTURE: plays a game that is written down, event by event, to the plug-in, by a clock of its own.
 *
 * The script is text, a line each, times in ns from the capture's begin:
 *	category NAME
 *	marker ID CATEGORY FLAGS NAME
 *	thread GROUP<TAB>NAME                 the first one is the main thread
 *	TIME THREAD frame
 *	TIME THREAD begin|end|single MARKER [TYPE HEX]...     values: the type's number, its bytes
 *	TIME THREAD flow KIND ID
 * THREAD counts from 0. Lines are in the order of time. Each thread is one of the system's, and does its
 * lines alone while all others rest. The clock stands still but for the lines' times: it is the system's clock of this process
 * (TRACETOOL_CLOCK=system), so a recorder that takes the time once an event has the script's times exactly.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "play.h"

enum { THREADS = 64, MARKERS = 4096, VALUES = 16, BYTES = 4096 };

/* --- the clock ------------------------------------------------------------------------ */

static _Atomic uint64_t clock_now;    /* ns; 0: as the system has it */

int
clock_gettime(clockid_t id, struct timespec *ts)
{
	const uint64_t now = clock_now;

	if (now == 0 || (id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_RAW))
		return (int)syscall(SYS_clock_gettime, id, ts);
	*ts = (struct timespec){ (time_t)(now / 1000000000), (long)(now % 1000000000) };
	return 0;
}

/* --- the script ------------------------------------------------------------------------- */

static const struct unity_marker *marker[MARKERS];
static struct worker {
	char *group, *name;
	pthread_t id;
	sem_t go, done;
	char *line;                   /* to do; NULL: the game is over */
} worker[THREADS];
static unsigned nworker;

static _Noreturn void
bad(const char *line)
{
	fprintf(stderr, "script: not understood: %s\n", line);
	exit(2);
}

static const struct unity_marker *
marker_of(const char *number, const char *line)
{
	const unsigned long id = number ? strtoul(number, NULL, 10) : MARKERS;

	if (id >= MARKERS || !marker[id])
		bad(line);
	return marker[id];
}

/* The values that follow in a line. */
static uint16_t
take_values(char **rest, struct unity_value v[VALUES], uint8_t bytes[BYTES], const char *line)
{
	uint16_t n = 0;
	size_t used = 0;

	for (char *type, *hex; (type = strtok_r(NULL, " ", rest)); n++) {
		if (n == VALUES || !(hex = strtok_r(NULL, " ", rest)) || used + strlen(hex) / 2 + 8 > BYTES)
			bad(line);
		v[n] = (struct unity_value){ .type = (uint8_t)atoi(type), .size = (uint32_t)strlen(hex) / 2, .data = bytes + used };
		for (; hex[0] && hex[1]; hex += 2)
			bytes[used++] = (uint8_t)strtoul((char[]){ hex[0], hex[1], '\0' }, NULL, 16);
		used = (used + 7) & ~(size_t)7;
	}
	return n;
}

/* What stands in a line after its time and thread. */
static void
act(char *line)
{
	struct unity_value v[VALUES];
	_Alignas(8) uint8_t bytes[BYTES];
	char *rest, *what = strtok_r(line, " ", &rest);

	if (!what)
		bad("an empty event");
	if (strcmp(what, "frame") == 0) {
		engine_frame();
		return;
	}
	const bool flow = strcmp(what, "flow") == 0;
	char *number = strtok_r(NULL, " ", &rest);
	if (flow) {
		const char *id = strtok_r(NULL, " ", &rest);
		if (!number || !id)
			bad(what);
		engine_flow((uint8_t)atoi(number), (uint32_t)strtoul(id, NULL, 10));
		return;
	}
	const uint16_t event = strcmp(what, "begin") == 0 ? UNITY_BEGIN : strcmp(what, "end") == 0 ? UNITY_END : UNITY_SINGLE;
	const struct unity_marker *m = marker_of(number, what);
	const uint16_t n = take_values(&rest, v, bytes, what);
	engine_emit(m, event, n, n ? v : NULL);
}

static void *
work(void *arg)
{
	struct worker *w = arg;

	engine_thread(w->group, w->name);
	for (sem_post(&w->done); sem_wait(&w->go) == 0 && w->line; sem_post(&w->done))
		act(w->line);
	return NULL;
}

static void
add_thread(char *text)
{
	struct worker *w = &worker[nworker];
	char *tab = strchr(text, '\t');

	if (!tab || nworker == THREADS)
		bad(text);
	*tab = '\0';
	w->group = strdup(text);
	w->name = strdup(tab + 1);
	sem_init(&w->go, 0, 0);
	sem_init(&w->done, 0, 0);
	if (nworker++ == 0) {
		engine_thread(w->group, w->name);
		return;
	}
	if (pthread_create(&w->id, NULL, work, w) != 0)
		abort();
	sem_wait(&w->done);
}

static void
define(char *line)
{
	unsigned id, category, flags;
	int at = 0;

	if (strncmp(line, "category ", 9) == 0)
		engine_category(engine_text(line + 9), 0x808080ffu);
	else if (strncmp(line, "thread ", 7) == 0)
		add_thread(line + 7);
	else if (sscanf(line, "marker %u %u %u %n", &id, &category, &flags, &at) == 3 && at && id < MARKERS)
		marker[id] = engine_marker_as(id, engine_text(line + at), (uint16_t)category, (uint16_t)flags);
	else
		bad(line);
}

static void
event(char *line, uint64_t began)
{
	char *rest;
	const uint64_t at = strtoull(line, &rest, 10);
	const unsigned long thread = strtoul(rest, &rest, 10);

	if (thread >= nworker)
		bad(line);
	clock_now = began + at;
	if (thread == 0) {
		act(rest);
		return;
	}
	worker[thread].line = rest;
	sem_post(&worker[thread].go);
	sem_wait(&worker[thread].done);
}

/* Stop the clock and load the plug-in, which captures from then on. The clock's reading. */
static uint64_t
start(const char *capture)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	clock_now = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	setenv("TRACETOOL_CLOCK", "system", 1);
	setenv("TRACETOOL_OPTIONS", "overwrite=yes", 1);
	setenv("TRACETOOL_CAPTURE", capture, 1);
	if (engine_load(play_plugin()) != 0 || PLAY_CALL(tracetool_state)() != TRACETOOL_CAPTURING)
		exit(1);
	return clock_now;
}

int
main(int argc, char **argv)
{
	FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
	char *line = NULL;
	size_t cap = 0;
	uint64_t began = 0;
	ssize_t n;

	if (!f) {
		fputs("usage: script SCRIPT CAPTURE\n", stderr);
		return 2;
	}
	engine_start(&(struct engine_opts){ .callbacks = 2 });
	while ((n = getline(&line, &cap, f)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (line[0] < '0' || line[0] > '9') {
			define(line);
			continue;
		}
		if (began == 0)
			began = start(argv[2]);
		event(line, began);
	}
	for (unsigned i = 1; i < nworker; i++) {
		worker[i].line = NULL;
		sem_post(&worker[i].go);
		pthread_join(worker[i].id, NULL);
	}
	engine_unload(true);
	for (unsigned i = 0; i < nworker; i++) {
		free(worker[i].group);
		free(worker[i].name);
	}
	free(line);
	fclose(f);
	return 0;
}

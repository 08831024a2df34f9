/*
 * calls_gen OUT [NUMBER [VERSION]] < SCRIPT: write a capture of Mono's log profiler whose every call and time the script says.
 *
 * One event a line, the words separated by TABs:
 *	image	IMAGE	FILE
 *	class	CLASS	IMAGE	NAME
 *	method	METHOD	NAME
 *	thread	THREAD	NAME
 *	enter	TIME	THREAD	METHOD
 *	leave	TIME	THREAD	METHOD
 *	calls	TIME	THREAD	METHOD	NUMBER	EVERY: so many, one each EVERY ns, of half that time each
 *	alloc	TIME	THREAD	CLASS	BYTES
 *	alloc	TIME	THREAD	CLASS	BYTES	METHOD,...: with a recorded stack of so many methods, at most 16
 *	end	TIME	THREAD
 * NUMBER sets the hour it was made: captures of one process and time would be taken for one.
 * VERSION is the data version, 14 by default.
 * Ids are small numbers, times ns from the beginning; those of a thread do not run backwards.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlpd_encode.h"

enum { THREADS = 16, START = 1000000 };

static struct mlpd_writer w;
static struct mlpd_buffer buffer[THREADS];
static bool open_[THREADS];

static uint64_t
address(const char *id)
{
	return 0x7f0000000000 + strtoull(id, NULL, 10) * 0x100;
}

/* The buffer of thread ${id}; a long one begins anew. */
static struct mlpd_buffer *
of_thread(const char *id, uint64_t time)
{
	unsigned i = (unsigned)strtoul(id, NULL, 10) % THREADS;
	struct mlpd_buffer *b = &buffer[i];

	if (open_[i] && b->events.len > 4000) {
		mlpd_flush(b);
		open_[i] = false;
	}
	if (!open_[i])
		mlpd_open(b, &w, 0x1000 + i, time, 0x7f0000000000, 0x7f0000000000, 0x7f0000000000);
	open_[i] = true;
	return b;
}

static uint64_t
tid(const char *id)
{
	return 0x1000 + strtoull(id, NULL, 10) % THREADS;
}

static void
new_thread(const char *id, const char *name)
{
	mlpd_thread(of_thread(id, START), START, MLPD_LOAD, tid(id), NULL);
	mlpd_thread(of_thread(id, START), START, MLPD_NAME, tid(id), name);
}

static void
calls(char **f, uint64_t time)
{
	const uint64_t n = strtoull(f[4], NULL, 10), every = strtoull(f[5], NULL, 10);

	for (uint64_t k = 0; k < n; k++, time += every) {
		mlpd_enter(of_thread(f[2], time), time, address(f[3]));
		mlpd_leave(of_thread(f[2], time), time + every / 2, address(f[3]));
	}
}

static void
alloc(char **f, uint64_t time, char *methods)
{
	uint64_t frame[16];
	struct mlpd_stack stack = { .frames = frame };

	for (char *p = methods; p && stack.n < sizeof frame / sizeof *frame;)
		frame[stack.n++] = address(strsep(&p, ","));
	mlpd_alloc(of_thread(f[2], time), time, address(f[3]), 0x7f0000000000 + time * 8, strtoull(f[4], NULL, 10), methods ? &stack : NULL);
}

/* A line of ${n} words that names something; false: it is no such line. */
static bool
name(char **f, int n)
{
	const char *what = f[0];

	if (n == 3 && strcmp(what, "image") == 0)
		mlpd_image(of_thread("0", START), START, MLPD_LOAD, address(f[1]), f[2], "");
	else if (n == 4 && strcmp(what, "class") == 0)
		mlpd_class(of_thread("0", START), START, MLPD_LOAD, address(f[1]), address(f[2]), f[3]);
	else if (n == 3 && strcmp(what, "method") == 0)
		mlpd_method(of_thread("0", START), START, address(f[1]), address(f[1]), 0x80, f[2]);
	else if (n == 3 && strcmp(what, "thread") == 0)
		new_thread(f[1], f[2]);
	else
		return false;
	return true;
}

/* A line of ${n} words of what happens at a time; false: it is no such line. */
static bool
happen(char **f, int n)
{
	const char *what = f[0];
	const uint64_t time = START + (n > 2 ? strtoull(f[1], NULL, 10) : 0);

	if (n == 4 && strcmp(what, "enter") == 0)
		mlpd_enter(of_thread(f[2], time), time, address(f[3]));
	else if (n == 4 && strcmp(what, "leave") == 0)
		mlpd_leave(of_thread(f[2], time), time, address(f[3]));
	else if (n == 6 && strcmp(what, "calls") == 0)
		calls(f, time);
	else if ((n == 5 || n == 6) && strcmp(what, "alloc") == 0)
		alloc(f, time, n == 6 ? f[5] : NULL);
	else if (n == 3 && strcmp(what, "end") == 0)
		mlpd_thread(of_thread(f[2], time), time, MLPD_UNLOAD, tid(f[2]), NULL);
	else
		return false;
	return true;
}

static int
write_file(const char *path)
{
	FILE *f = fopen(path, "wb");

	if (!f || w.failed || w.out.failed || fwrite(w.out.data, 1, w.out.len, f) != w.out.len) {
		fprintf(stderr, "calls_gen: %s: %s\n", path, strerror(errno));
		return 4;
	}
	return fclose(f) == 0 ? 0 : 4;
}

int
main(int argc, char **argv)
{
	char text[4096], *f[6];

	if (argc < 2 || argc > 4) {
		fprintf(stderr, "usage: calls_gen OUT [NUMBER [VERSION]] < SCRIPT\n");
		return 2;
	}
	mlpd_init(&w, argc > 3 ? atoi(argv[3]) : 14, 8);
	mlpd_header(&w, 1600000000000 + (argc > 2 ? strtoull(argv[2], NULL, 10) * 3600000 : 0), START);
	while (fgets(text, sizeof text, stdin)) {
		int n = 0;

		text[strcspn(text, "\n")] = '\0';
		for (char *p = text; p && n < 6; n++)
			f[n] = strsep(&p, "\t");
		if (n > 0 && f[0][0] && !name(f, n) && !happen(f, n)) {
			fprintf(stderr, "calls_gen: what is \"%s\" with %d words?\n", f[0], n);
			return 2;
		}
	}
	for (int i = 0; i < THREADS; i++) {
		if (open_[i])
			mlpd_flush(&buffer[i]);
	}
	return write_file(argv[1]);
}

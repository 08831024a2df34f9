/*
 * frames_gen < LINES: captures of Mono's log profiler, of frames drawn at random, for tests/stat/simulate.py. A line for each:
 *	FILE NUMBER SEED FRAMES KIND FACTOR MARKER ALLOC HITCHES
 * NUMBER: as of calls_gen, for captures of one process and time would be taken for one. KIND of frames of about 10 ms: ar (normal,
 * autocorrelation 0.8, 5 %), gamma (shape 8, independent), modes (of 9.5 and 13 ms, changing one frame of ten). FACTOR: how many times
 * as long all is; MARKER: the same of one marker's part alone; ALLOC: of bytes. HITCHES: of a thousand frames, 2.5 to 4 times as long.
 * A frame is a call of Game:Frame with calls of Game:M0 to Game:M5 in it, a tenth of its time each, and one array of bytes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlpd_encode.h"

enum { MARKERS = 6, START = 1000000 };
static const uint64_t METHOD = 0x7f0000000000, CLASS = 0x7f0000010000, IMAGE = 0x7f0000010100;

static uint64_t state;

static double
uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double
normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* The times of frames one after the other, ns. */
struct frames { char kind; double ar; int mode; };

static double
next_frame(struct frames *f, double hitches)
{
	double t = 0;

	if (f->kind == 'g') {
		for (int i = 0; i < 8; i++)
			t -= 1.25e6 * log(uniform());
	} else if (f->kind == 'm') {
		f->mode ^= uniform() < 0.1;
		t = (f->mode ? 13e6 : 9.5e6) * (1 + 0.02 * normal());
	} else {
		f->ar = 0.8 * f->ar + 0.6 * normal();
		t = 10e6 * (1 + 0.05 * f->ar);
	}
	return uniform() * 1000 < hitches ? t * (2.5 + 1.5 * uniform()) : t;
}

static int
write_capture(const char *path, unsigned number, unsigned long frames, char kind, double factor, double marker, double alloc, double hitches)
{
	static const char *const name[] = { "Game:M0", "Game:M1", "Game:M2", "Game:M3", "Game:M4", "Game:M5" };
	struct frames f = { kind, normal(), uniform() < 0.5 };
	struct mlpd_writer w;
	struct mlpd_buffer b;
	double now = START;
	FILE *file;
	int ok;

	mlpd_init(&w, 14, 8);
	mlpd_header(&w, 1600000000000 + number * UINT64_C(3600000), START);
	mlpd_open(&b, &w, 0x1001, START, METHOD, METHOD, METHOD);
	mlpd_thread(&b, START, MLPD_LOAD, 0x1001, NULL);
	mlpd_thread(&b, START, MLPD_NAME, 0x1001, "Main");
	mlpd_image(&b, START, MLPD_LOAD, IMAGE, "game", "");
	mlpd_class(&b, START, MLPD_LOAD, CLASS, IMAGE, "System.Byte[]");
	mlpd_method(&b, START, METHOD, METHOD, 0x80, "Game:Frame");
	for (unsigned i = 0; i < MARKERS; i++)
		mlpd_method(&b, START, METHOD + 0x100 * (i + 1), METHOD, 0x80, name[i]);
	for (unsigned long i = 0; i < frames; i++) {
		double t = factor * next_frame(&f, hitches), at = now;

		if (b.events.len > 60000) {
			mlpd_flush(&b);
			mlpd_open(&b, &w, 0x1001, (uint64_t)now, METHOD, METHOD, METHOD);
		}
		mlpd_enter(&b, (uint64_t)now, METHOD);
		for (unsigned m = 0; m < MARKERS; m++) {
			double part = t / 10 * (1 + 0.1 * normal());

			part = m == 0 ? part * marker : part;
			mlpd_enter(&b, (uint64_t)at, METHOD + 0x100 * (m + 1));
			at += part > 0 ? part : 0;
			mlpd_leave(&b, (uint64_t)at, METHOD + 0x100 * (m + 1));
		}
		mlpd_alloc(&b, (uint64_t)at, CLASS, METHOD + 0x1000000 + i * 0x1000, (uint64_t)(alloc * (400 + 200 * uniform())), NULL);
		now += t > at - now ? t : at - now;
		mlpd_leave(&b, (uint64_t)now, METHOD);
		now += 1000;
	}
	mlpd_thread(&b, (uint64_t)now, MLPD_UNLOAD, 0x1001, NULL);
	mlpd_flush(&b);
	file = fopen(path, "wb");
	ok = file && !w.failed && fwrite(w.out.data, 1, w.out.len, file) == w.out.len;
	ok = file && fclose(file) == 0 && ok;
	mlpd_free(&w);
	return ok ? 0 : 4;
}

int
main(void)
{
	char path[1024], kind[16];
	unsigned number;
	unsigned long long seed;
	unsigned long frames;
	double factor, marker, alloc, hitches;
	int rc = 0;

	while (rc == 0 && scanf("%1023s %u %llu %lu %15s %lf %lf %lf %lf", path, &number, &seed, &frames, kind, &factor, &marker, &alloc, &hitches) == 9) {
		state = seed * 0x9E3779B97F4A7C15u + 88172645463325252u;
		for (int i = 0; i < 8; i++)
			uniform();
		rc = write_capture(path, number, frames, kind[0], factor, marker, alloc, hitches);
	}
	return rc;
}

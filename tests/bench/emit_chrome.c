/**
 * Measures how long a zone takes to become a line of Chrome JSON, compared with a loop that does nothing else.
 *
 *	emit_chrome [METHODS] [CHUNKS]
 *
 * The loop prints lines of the same form, with plain three-decimal times and ready-made names, from
 * memory to memory. The emitter gets the same zones as the pipeline would hand them over.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emit/emit.h"
#include "io/sink.h"
#include "model/defs.h"

enum { PER_CHUNK = 4096, ROUNDS = 9 };

extern const struct tt_emit tt_emit_chrome;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t seed = 88172645463325252u;

static uint64_t
rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int
open_null(void *arg, const char *path, struct tt_sink **sink, struct tt_err *err)
{
	(void)path;
	return tt_sink_open_mem(arg, sink, err);
}

/* Zones nested as calls are: short ones inside longer ones, each with a length of its own. */
static size_t
make_chunk(struct tt_slice *s, size_t n, int64_t *clock, const uint64_t *keys, size_t nkey)
{
	size_t at = 0;

	while (at + 4 <= n) {
		uint32_t inner = (uint32_t)(rnd() % 3) + 1;
		int64_t start = *clock, t = start + 40 + (int64_t)(rnd() % 200);
		size_t outer = at++;

		for (uint32_t i = 0; i < inner; i++, at++) {
			int64_t dur = 30 + (int64_t)(rnd() % (rnd() % 16 ? 900 : 90000));

			s[at] = (struct tt_slice){ .ts = t, .dur = dur, .key = keys[rnd() % nkey], .depth = 1 };
			t += dur + (int64_t)(rnd() % 100);
		}
		s[outer] = (struct tt_slice){ .ts = start, .dur = t - start, .key = keys[rnd() % nkey] };
		*clock = t + (int64_t)(rnd() % 300);
	}
	return at;
}

/* --- the bare loop -------------------------------------------------------- */

struct line { char text[128]; size_t n; };

static char *
put_number(char *p, uint64_t v)
{
	return tt_put_u64(p, v);
}

static char *
put_plain(char *p, uint64_t ns)
{
	uint32_t frac = (uint32_t)(ns % 1000);

	p = put_number(p, ns / 1000);
	p[0] = '.';
	p[1] = (char)('0' + frac / 100);
	memcpy(p + 2, tt_digits2 + 2 * (frac % 100), 2);
	return p + 4;
}

static size_t
bare(char *out, const struct tt_slice *s, size_t n, const struct line *lines, const uint32_t *which)
{
	char *p = out;

	for (size_t i = 0; i < n; i++) {
		const struct line *l = &lines[which[i]];

		memcpy(p, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":", 33);
		p = put_plain(p + 33, (uint64_t)s[i].ts + 1000);
		memcpy(p, ",\"dur\":", 7);
		p = put_plain(p + 7, (uint64_t)s[i].dur);
		memcpy(p, l->text, 128);
		p += l->n;
	}
	return (size_t)(p - out);
}

static int
by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
die(const struct tt_err *err)
{
	fprintf(stderr, "%s\n", err->msg);
	exit(1);
}

int
main(int argc, char **argv)
{
	size_t nkey = argc > 1 ? strtoul(argv[1], NULL, 10) : 204, nchunk = argc > 2 ? strtoul(argv[2], NULL, 10) : 256;
	struct tt_loss loss = { 0 };
	struct tt_env env = { .loss = &loss, .jobs = 1 };
	struct tt_err err = { 0 };
	struct tt_capture cap = { .path = "bench.mlpd", .format = "mono" }, *caps[] = { &cap };
	struct tt_model m = { .env = &env, .cap = caps, .ncap = 1, .loss = &loss };
	struct tt_thread thread = { .name = "Main", .tid = 0x7f00 };
	struct tt_emit_opts o = { .env = &env, .path = "bench.json", .open = open_null, .open_arg = &env };
	uint64_t *keys = malloc(nkey * sizeof *keys);
	struct line *lines = calloc(nkey, sizeof *lines);
	struct tt_slice *slice = malloc(nchunk * PER_CHUNK * sizeof *slice);
	uint32_t *which = malloc(nchunk * PER_CHUNK * sizeof *which);
	struct tt_batch b = { .min_ts = 0, .max_ts = 1 };
	struct tt_buf out = { 0 };
	double emitter[ROUNDS], loop[ROUNDS];
	size_t total = 0, bytes = 0, bare_bytes = 0;
	int64_t clock = 1000000000;
	void *state;

	tt_filter_init(&m.filter);
	tt_arena_init(&m.arena, &env.mem);
	tt_threads_init(&m.threads, &env.mem);
	if (tt_defs_new(&env.mem, &cap.defs, &err) != TT_OK)
		die(&err);
	for (size_t i = 0; i < nkey; i++) {
		char name[96];
		struct tt_def d = { .kind = TT_DEF_MARKER, .text = name };

		keys[i] = d.key = 0x41a00000 + i * 0x170 + rnd() % 16 * 16;
		d.len = (uint32_t)snprintf(name, sizeof name, "Game.World.Section%zu:UpdateEntities (int)", i);
		if (tt_defs_add(cap.defs, &d, &err) != TT_OK)
			die(&err);
	}
	if (tt_model_resolve(&m, TT_NAMES_SHORT, &err) != TT_OK)
		die(&err);
	for (size_t i = 0; i < nkey; i++)
		lines[i].n = (size_t)snprintf(lines[i].text, 128, ",\"name\":\"%s\",\"cat\":\"(none)\"}",
		    tt_model_key(&m, 0, keys[i])->shown);
	for (size_t i = 0; i < nchunk; i++) {
		size_t n = make_chunk(slice + i * PER_CHUNK, PER_CHUNK, &clock, keys, nkey);

		while (n < PER_CHUNK) {
			slice[i * PER_CHUNK + n] = (struct tt_slice){ .ts = clock, .dur = 55, .key = keys[0] };
			clock += 60;
			n++;
		}
	}
	total = nchunk * PER_CHUNK;
	for (size_t i = 0; i < total; i++)
		for (which[i] = 0; keys[which[i]] != slice[i].key; which[i]++)
			;
	m.min_ts = slice[0].ts;
	m.max_ts = clock;
	if (tt_emit_begin(&tt_emit_chrome, &o, &m, &state, &err) != TT_OK)
		die(&err);
	if (tt_buf_room(&out, PER_CHUNK * 256, &err) != TT_OK)
		die(&err);
	for (unsigned r = 0; r < ROUNDS; r++) {
		double t = now();

		bytes = 0;
		for (size_t i = 0; i < nchunk; i++) {
			struct tt_view v = { .m = &m, .cap = &cap, .thread = &thread, .b = &b, .slice = slice + i * PER_CHUNK,
				.nslice = PER_CHUNK };

			out.n = 0;
			if (tt_emit_chrome.chunk(state, &v, &out, &err) != TT_OK)
				die(&err);
			bytes += out.n;
		}
		emitter[r] = now() - t;
		t = now();
		bare_bytes = 0;
		for (size_t i = 0; i < nchunk; i++)
			bare_bytes += bare(out.p, slice + i * PER_CHUNK, PER_CHUNK, lines, which + i * PER_CHUNK);
		loop[r] = now() - t;
	}
	qsort(emitter, ROUNDS, sizeof *emitter, by_number);
	qsort(loop, ROUNDS, sizeof *loop, by_number);
	printf("%zu zones of %zu methods, %" PRId64 " ms\n", total, nkey, (clock - slice[0].ts) / 1000000);
	printf("emitter %6.1f ns/zone  %5.1f bytes\n", emitter[ROUNDS / 2] * 1e9 / (double)total,
	    (double)bytes / (double)total);
	printf("loop    %6.1f ns/zone  %5.1f bytes\n", loop[ROUNDS / 2] * 1e9 / (double)total,
	    (double)bare_bytes / (double)total);
	printf("ratio   %6.2f of the loop's speed\n", loop[ROUNDS / 2] / emitter[ROUNDS / 2]);
	tt_emit_chrome.end(state);
	return 0;
}

/*
 * Buffers longer than what is decoded at once, and files so long that a second thread looks for buffers ahead: they decode
 * as short ones do, and damage costs only what it hits.
 */
#include "check.h"

#include "memrun.h"
#include "mlpd_encode.h"

#define T0 1000000000u
#define CODE 0x10000u

enum { PAIRS = 500000, FEW = 100 };

static void
open_buffer(struct mlpd_buffer *b, struct mlpd_writer *w, uint64_t tid)
{
	mlpd_open(b, w, tid, T0, 0, 0, CODE);
}

static void
pairs(struct mlpd_buffer *b, uint64_t from, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		mlpd_enter(b, T0 + from + 200 * (uint64_t)i, CODE + 16);
		mlpd_leave(b, T0 + from + 200 * (uint64_t)i + 100, CODE + 16);
	}
}

/* A long buffer, in whose middle the clock goes ${back}, and a short one of another thread. Where the long one's events begin. */
static size_t
long_and_short(struct mlpd_writer *w, const char *name, bool back)
{
	struct mlpd_buffer b;
	size_t at;

	mlpd_init(w, 17, 8);
	mlpd_header(w, 1600000000000, T0);
	at = w->out.len + 48;
	open_buffer(&b, w, 1);
	pairs(&b, 0, PAIRS / 2);
	if (name)
		mlpd_symbol(&b, T0 + 200 * (uint64_t)PAIRS / 2, CODE, 16, name);
	pairs(&b, back ? 0 : 200 * (uint64_t)PAIRS / 2, PAIRS / 2);
	mlpd_flush(&b);
	open_buffer(&b, w, 2);
	pairs(&b, 0, FEW);
	mlpd_flush(&b);
	CHECK(!w->failed);
	return at;
}

struct seen { int rc; uint64_t events, damaged, cut; };

static struct seen
run(const void *p, size_t n, unsigned jobs)
{
	struct memrun r;
	struct seen s;

	memrun_jobs(&r, p, n, MEMRUN_CALLS, jobs);
	s = (struct seen){ r.rc, memrun_events(&r), tt_loss_damaged(&r.loss), r.loss.e[TT_LOST_CUT].n };
	CHECK_EQ_INT(memrun_free(&r), 0);
	return s;
}

TEST(a_long_buffer_is_read_whole)
{
	for (unsigned back = 0; back < 2; back++) {
		struct mlpd_writer w;
		long_and_short(&w, NULL, back);
		CHECK(w.out.len > 2u << 20);
		for (unsigned jobs = 1; jobs <= 2; jobs++) {
			struct seen s = run(w.out.data, w.out.len, jobs);
			CHECK_EQ_INT(s.rc, TT_OK);
			CHECK_EQ_INT(s.events, 2 * (PAIRS + FEW));
			CHECK_EQ_INT(s.damaged, 0);
		}
		mlpd_free(&w);
	}
}

TEST(damage_in_a_long_buffer_costs_no_more_than_its_rest)
{
	struct mlpd_writer w;
	size_t at = long_and_short(&w, NULL, false), half = at + (w.out.len - at) / 2;

	memset(w.out.data + half, 0xff, 32);
	for (unsigned jobs = 1; jobs <= 2; jobs++) {
		struct seen s = run(w.out.data, w.out.len, jobs);
		CHECK_EQ_INT(s.rc, TT_OK);
		CHECK(s.damaged > 0);
		CHECK(s.events > PAIRS / 2 + 2 * FEW && s.events < 2 * PAIRS);
	}
	mlpd_free(&w);
}

TEST(an_event_longer_than_a_window_is_told)
{
	enum { LONG = 3 << 20 };
	char *name = malloc(LONG + 1);
	struct mlpd_writer w;

	memset(name, 'n', LONG);
	name[LONG] = '\0';
	long_and_short(&w, name, false);
	for (unsigned jobs = 1; jobs <= 2; jobs++) {
		struct seen s = run(w.out.data, w.out.len, jobs);
		CHECK_EQ_INT(s.rc, TT_OK);
		CHECK(s.damaged > 0);
		CHECK(s.events >= PAIRS + 2 * FEW && s.events < 2 * PAIRS);
	}
	mlpd_free(&w);
	free(name);
}

TEST(a_long_buffer_that_is_cut_has_all_before)
{
	struct mlpd_writer w;
	size_t at = long_and_short(&w, NULL, false), n = w.out.len - at;
	uint64_t before = 0;

	for (unsigned part = 0; part < 8; part++) {
		struct seen s = run(w.out.data, at + n * part / 8, 1);
		CHECK_EQ_INT(s.rc, TT_OK);
		CHECK_EQ_INT(s.cut, 1);
		CHECK(part == 0 || s.events > before);
		before = s.events;
	}
	mlpd_free(&w);
}

/* From 64 MiB on. Most of each buffer is a name. */
TEST(a_long_file_is_the_same_to_one_that_looks_ahead)
{
	enum { NAME = 120000, WHOLE = 68 << 20 };
	static char name[NAME];
	struct mlpd_buffer b;
	struct mlpd_writer w;
	uint8_t *p;
	size_t head, one, n, buffers = 0;

	memset(name, 'n', NAME - 1);
	mlpd_init(&w, 17, 8);
	mlpd_header(&w, 1600000000000, T0);
	head = w.out.len;
	open_buffer(&b, &w, 1);
	pairs(&b, 0, FEW);
	mlpd_symbol(&b, T0 + 300 * FEW, CODE, 16, name);
	mlpd_flush(&b);
	one = w.out.len - head;
	p = malloc(WHOLE + one);
	CHECK(p && !w.failed && one < 128 << 10);
	memcpy(p, w.out.data, head);
	for (n = head; n < WHOLE; n += one, buffers++)
		memcpy(p + n, w.out.data + head, one);
	/* Whole; without a buffer for a while in the middle; with one there whose head is none; with one too long; cut. */
	static const struct { size_t from, len; unsigned byte; } as[] = {
		{ 0, 0, 0 }, { 0, 1 << 20, 0 }, { 0, 300, 0x55 }, { 8 << 20, 4, 0xff }, { 16 << 20, 0, 0 },
	};
	for (unsigned i = 0; i < sizeof as / sizeof as[0]; i++) {
		size_t middle = n / 2 + as[i].from, at = middle - (middle - head) % one + one, size = i == 4 ? at + 1000 : n;
		uint8_t *was = malloc(1 << 20);
		memcpy(was, p + at, as[i].len);
		/* Of the one too long its length alone. */
		memset(p + at + (i == 3 ? 4 : 0), (int)as[i].byte, as[i].len);
		struct seen s[2];
		for (unsigned k = 0; k < 2; k++)
			s[k] = run(p, size, 1 + k);
		memcpy(p + at, was, as[i].len);
		if (i == 3)
			memcpy(p + at, p + head, one);
		free(was);
		CHECK_EQ_INT(s[0].rc, TT_OK);
		CHECK_EQ_INT(s[1].rc, s[0].rc);
		CHECK_EQ_INT(s[1].events, s[0].events);
		CHECK_EQ_INT(s[1].damaged, s[0].damaged);
		CHECK_EQ_INT(s[1].cut, s[0].cut);
		CHECK((i == 0) == (s[0].damaged == 0));
		CHECK(s[0].events > buffers / 3 * 2 * FEW && (i != 0 || s[0].events >= buffers * 2 * FEW));
	}
	free(p);
	mlpd_free(&w);
}

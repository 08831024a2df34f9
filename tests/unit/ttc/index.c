/*
 * Tests of formats/ttc/index.c with numbers that are chosen to be many and in the way of each other. What takes time in proportion
 * to their square runs into the time that a suite has.
 */
#include "check.h"

#include "ttc_make.h"

enum { MANY = 1000000, EACH = 5000 };

static uint8_t *file;
static uint32_t before;

static void
begin_file(size_t n)
{
	file = malloc(n);
	k = (struct making){ 0 };
	before = 0;
	file_head(file, "");
}

/* Chunk ${seq} of the recorder's stream: records ${i} to ${end} of ${put}. */
static void
stream(uint64_t seq, unsigned i, unsigned end, void (*put)(unsigned))
{
	chunk(0, seq, before, 0, false);
	uint8_t *p = k.p;
	for (; i < end; i++)
		put(i);
	before = (uint32_t)(k.p - p);
	sealed();
}

static void
read_file(struct ttc_result *r, bool pipe)
{
	size_t n = (size_t)(k.p - file);

	ttc_how = (struct ttc_how){ .needs = TT_NEEDS_ARGS };
	if (pipe)
		ttc_read_pipe(file, n, r);
	else
		ttc_read(NULL, file, n, 0, r);
	CHECK_EQ_INT(r->rc, TT_OK);
}

/* Numbers that a factor which is known sends to one place. */
static void
put_thread(unsigned i)
{
	DEFINE(TTC_THREAD, number((uint32_t)((i + 1) * 244002641u)); number(i); number(0); number(0); number(0); number(0));
}

TEST(threads_may_have_any_numbers)
{
	struct ttc_result r;

	CHECK_EQ_INT((uint32_t)(244002641u * 2654435761u), 1);
	begin_file(MANY * 32);
	for (unsigned i = 0; i < MANY / EACH; i++)
		stream(i, i * EACH, (i + 1) * EACH, put_thread);
	CHECK(plain_chunk(244002641u * 77, 0, 0) > 0);
	read_file(&r, false);
	CHECK_EQ_INT((intmax_t)r.loss.e[TT_LOST_MISSING].n, 0);
	CHECK_EQ_INT((intmax_t)r.all.events, EVENTS);
	free(file);
}

/* Chunk 2 i may begin where it does, in any order of these. */
static void
put_start(unsigned i)
{
	DEFINE(TTC_THREAD, number(5); number(1001); number(0); number(0); number((uint64_t)i * 7919 % MANY * 2); number(0));
}

/* Every 16th of these chunks begins where none may. */
static void
put_chunk(unsigned i)
{
	chunk(5, (uint64_t)i * 2 + (i % 16 == 15), 0, 0, false);
	sealed();
}

TEST(a_thread_may_begin_anew_as_often_as_it_likes)
{
	struct ttc_result r;

	begin_file(MANY * 64);
	for (unsigned i = 0; i < MANY / EACH; i++)
		stream(i, i * EACH, (i + 1) * EACH, put_start);
	for (unsigned i = 0; i < MANY / 4; i++)
		put_chunk(i);
	read_file(&r, false);
	CHECK_EQ_INT((intmax_t)r.loss.e[TT_LOST_MISSING].n, MANY / 4 / 16);
	free(file);
}

/* The same where starts and chunks take turns, and are read as they come. */
static void
put_next_start(unsigned i)
{
	DEFINE(TTC_THREAD, number(5); number(1001); number(0); number(0); number((uint64_t)i * 2); number(0));
}

TEST(starts_are_known_as_they_come)
{
	enum { TURNS = 4000 };
	struct ttc_result r;

	begin_file(1 << 20);
	for (unsigned i = 0; i < TURNS; i++) {
		stream(i, i, i + 1, put_next_start);
		put_chunk(i);
	}
	read_file(&r, true);
	CHECK_EQ_INT((intmax_t)r.loss.e[TT_LOST_MISSING].n, TURNS / 16);
	free(file);
}

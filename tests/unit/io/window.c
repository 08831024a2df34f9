/* Tests of io/window.h: what is fetched on another thread is what would have been read. */
#include "check.h"

#include <pthread.h>

#include "io/window.h"

enum { SIZE = 3000000, PART = 1 << 16 };
static uint8_t content[SIZE];

static struct tt_src *
open_content(struct tt_env *env)
{
	struct tt_src *src = NULL;
	struct tt_err err;

	for (size_t i = 0; i < SIZE; i++)
		content[i] = (uint8_t)(i * 2654435761u >> 13);
	CHECK_EQ_INT(tt_src_open_mem(env, content, SIZE, "content", &src, &err), TT_OK);
	CHECK(tt_src_info(src)->seekable);
	return src;
}

/* The window shows ${n} bytes from ${at} on if it is asked for ${want}. */
static void
shows(struct tt_window *w, uint64_t at, size_t want, size_t n)
{
	const uint8_t *p;
	struct tt_err err;
	size_t got;

	CHECK_EQ_INT(tt_window_show(w, at, want, &p, &got, &err), TT_OK);
	CHECK_EQ_INT(got, n);
	CHECK(memcmp(p, content + at, n) == 0);
}

static void
end(struct tt_window *w, struct tt_src *src, struct tt_env *env)
{
	tt_window_free(w);
	tt_src_close(src);
	CHECK_EQ_INT(env->mem.used, 0);
}

TEST(what_was_fetched_is_shown_as_if_it_were_read)
{
	struct tt_env env = { .jobs = 1 };
	struct tt_src *src = open_content(&env);
	struct tt_window w;

	tt_window_init(&w, &env, src);
	shows(&w, 0, PART, PART);
	CHECK(tt_window_plan(&w, 60000, PART));
	tt_window_fetch(&w);
	shows(&w, 60000, PART, PART);
	/* Planned and not fetched; fetched and not planned. */
	CHECK(tt_window_plan(&w, 200000, PART));
	shows(&w, 200000, PART, PART);
	tt_window_fetch(&w);
	shows(&w, 300000, PART, PART);
	end(&w, src, &env);
}

TEST(another_part_than_the_planned_one_is_read)
{
	struct tt_env env = { .jobs = 1 };
	struct tt_src *src = open_content(&env);
	struct tt_window w;

	tt_window_init(&w, &env, src);
	const struct { uint64_t at; size_t want; } other[] = { { 100001, PART }, { 99999, PART }, { 100000, 10 }, { 100000, PART + 1 }, { 100010, 10 } };
	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		shows(&w, 1000000, PART, PART);
		CHECK(tt_window_plan(&w, 100000, PART));
		tt_window_fetch(&w);
		shows(&w, other[i].at, other[i].want, other[i].want);
	}
	end(&w, src, &env);
}

TEST(the_end_of_the_input_is_shown_as_it_is)
{
	struct tt_env env = { .jobs = 1 };
	struct tt_src *src = open_content(&env);
	struct tt_window w;

	tt_window_init(&w, &env, src);
	CHECK(tt_window_plan(&w, SIZE - 100, PART));
	tt_window_fetch(&w);
	shows(&w, SIZE - 100, PART, 100);
	CHECK(!tt_window_plan(&w, SIZE, PART));
	CHECK(!tt_window_plan(&w, SIZE + 1, PART));
	shows(&w, SIZE, PART, 0);
	end(&w, src, &env);
}

TEST(two_pieces_are_planned_each_once)
{
	struct tt_env env = { .jobs = 1 };
	struct tt_src *src = open_content(&env);
	struct tt_window w;

	tt_window_init(&w, &env, src);
	shows(&w, 0, PART, PART);
	CHECK(tt_window_plan(&w, PART - 17, PART));
	CHECK(!tt_window_plan(&w, PART - 17, PART));
	tt_window_fetch(&w);
	/* The window goes on within what is fetched, from its rest on. */
	shows(&w, PART - 17, PART, PART);
	CHECK(tt_window_plan(&w, 2 * PART - 100, PART));
	CHECK(!tt_window_plan(&w, 2 * PART - 100, PART));
	shows(&w, 2 * PART - 100, PART, PART);
	shows(&w, 3 * PART - 200, PART, PART);
	end(&w, src, &env);
}

TEST(a_long_rest_of_the_window_is_read_again)
{
	enum { LONG = 1 << 20 };
	struct tt_env env = { .jobs = 1 };
	struct tt_src *src = open_content(&env);
	struct tt_window w;

	tt_window_init(&w, &env, src);
	shows(&w, 0, LONG, LONG);
	CHECK(tt_window_plan(&w, 100, LONG));
	tt_window_fetch(&w);
	shows(&w, 100, LONG, LONG);
	shows(&w, 1000, 10, LONG - 900);
	end(&w, src, &env);
}

/* Fetches as long as there are rounds. */
struct fetcher { struct tt_window *w; _Atomic bool over; };

static void *
fetch(void *arg)
{
	struct fetcher *f = arg;

	while (!f->over)
		tt_window_fetch(f->w);
	return NULL;
}

TEST(another_thread_may_fetch_at_any_time)
{
	struct tt_env env = { .jobs = 2 };
	struct tt_src *src = open_content(&env);
	struct tt_window w;
	struct fetcher f = { .w = &w };
	pthread_t thread;

	tt_window_init(&w, &env, src);
	CHECK_EQ_INT(pthread_create(&thread, NULL, fetch, &f), 0);
	for (unsigned round = 0; round < 5; round++) {
		tt_window_rewind(&w);
		for (uint64_t at = 0; at < SIZE; at += PART - 17) {
			shows(&w, at, PART, at + PART < SIZE ? PART : (size_t)(SIZE - at));
			tt_window_plan(&w, at + PART - 17, PART);
		}
	}
	f.over = true;
	pthread_join(thread, NULL);
	end(&w, src, &env);
}

/* Keep the bytes at ${at}, of ${n}, that are shown now. */
struct kept { struct tt_window_block *block; const uint8_t *p; uint64_t at; size_t n; };

static struct kept
keep(struct tt_window *w, uint64_t at, size_t want)
{
	struct kept k = { .at = at };
	struct tt_err err;

	CHECK_EQ_INT(tt_window_show(w, at, want, &k.p, &k.n, &err), TT_OK);
	k.block = tt_window_keep(w);
	return k;
}

TEST(what_is_kept_stays_as_it_is)
{
	enum { KEPT = 8 };
	struct tt_env env = { .jobs = 1 };
	struct tt_src *src = open_content(&env);
	struct tt_window w;
	struct kept k[KEPT];

	tt_window_init(&w, &env, src);
	for (unsigned round = 0; round < 3; round++) {
		/* Every second part was fetched; the last but one is kept twice. */
		for (size_t i = 0; i < KEPT; i++) {
			k[i] = keep(&w, (round + i) * PART, PART + i);
			if (i % 2)
				tt_window_plan(&w, (round + i + 1) * PART, PART + i + 1);
			tt_window_fetch(&w);
		}
		struct tt_window_block *const twice = keep(&w, k[KEPT - 1].at, 10).block;
		for (size_t i = 0; i < KEPT; i++) {
			CHECK(memcmp(k[i].p, content + k[i].at, k[i].n) == 0);
			tt_window_release(k[i].block);
			shows(&w, 1000000 + i, PART, PART);
		}
		CHECK(memcmp(k[KEPT - 1].p, content + k[KEPT - 1].at, PART) == 0);
		tt_window_release(twice);
	}
	tt_window_release(NULL);
	end(&w, src, &env);
}

/* Tests of a capture's threads and facts (model/capture.h): ids are used again, names are not. */
#include <stdio.h>

#include "check.h"

#include "model/capture.h"
#include "model/defs.h"

static struct tt_mem mem;
static struct tt_err err;

static struct {
	struct tt_capture cap, *caps[1];
	struct tt_threads threads;
	struct tt_arena arena;
} w;

static void
setup(void)
{
	memset(&w, 0, sizeof w);
	w.caps[0] = &w.cap;
	tt_threads_init(&w.threads, &mem);
	tt_arena_init(&w.arena, &mem);
	CHECK_EQ_INT(tt_defs_new(&mem, &w.cap.defs, &err), TT_OK);
}

static void
teardown(void)
{
	tt_threads_free(&w.threads);
	tt_arena_free(&w.arena);
	tt_defs_free(w.cap.defs);
}

/* A thread of this id lives from one time to another. */
static struct tt_thread *
lives(uint64_t tid, int64_t from, int64_t to)
{
	struct tt_thread *t = NULL;

	CHECK_EQ_INT(tt_threads_get(&w.threads, 0, tid, true, &t, &err), TT_OK);
	t->first_ts = from + w.cap.offset_ns;
	t->last_ts = to + w.cap.offset_ns;
	t->ended = true;
	return t;
}

static void
is_named(uint64_t tid, int64_t ts, const char *name)
{
	struct tt_def d = { .kind = TT_DEF_THREAD, .key = tid, .ts = ts, .text = name, .len = (uint32_t)strlen(name) };

	CHECK_EQ_INT(tt_defs_add(w.cap.defs, &d, &err), TT_OK);
}

static void
resolve(void)
{
	CHECK_EQ_INT(tt_threads_name(&w.threads, w.caps, 1, &w.arena, &err), TT_OK);
}

TEST(no_thread_inherits_the_name_of_the_one_before)
{
	setup();
	struct tt_thread *a = lives(7, 10, 20), *b = lives(7, 30, 40), *c = lives(7, 50, 60), *d = lives(8, 5, 70);
	is_named(7, 12, "first");
	resolve();
	CHECK_STR(a->name, "first");
	CHECK_STR(b->name, "Thread 2");
	CHECK_STR(c->name, "Thread 3");
	CHECK_STR(d->name, "Thread 4");
	teardown();
}

TEST(no_thread_takes_the_name_of_a_later_one)
{
	setup();
	struct tt_thread *a = lives(7, 10, 20), *b = lives(7, 30, 40);
	is_named(7, 31, "second");
	resolve();
	CHECK_STR(a->name, "Thread 1");
	CHECK_STR(b->name, "second");
	teardown();
}

/* Workers of a pool follow each other under one id, and all are called the same. */
TEST(threads_of_one_name_keep_it)
{
	setup();
	struct tt_thread *a = lives(7, 10, 20), *b = lives(7, 30, 40), *c = lives(7, 50, 60);
	is_named(7, 11, "worker");
	is_named(7, 51, "worker");
	resolve();
	CHECK_STR(a->name, "worker");
	CHECK_STR(b->name, "Thread 2");
	CHECK_STR(c->name, "worker");
	teardown();
}

/* Engines number the threads of each group anew. */
TEST(a_name_in_two_groups_has_its_group)
{
	static const struct { uint64_t tid; const char *group, *name, *shown; } of[] = {
		{ 1, "Job", "Worker 0", "Job.Worker 0" }, { 2, "Job", "Worker 1", "Worker 1" }, { 3, "", "Main", "Main" },
		{ 4, "Background Job", "Worker 0", "Background Job.Worker 0" }, { 5, "Job", "Worker 0", "Job.Worker 0" },
		{ 6, "", "Worker 0", "Worker 0" }, { 7, "Loading", "Pool", "Pool" }, { 8, "Loading", "Pool", "Pool" },
	};
	enum { N = sizeof of / sizeof *of };
	struct tt_thread *t[N];

	setup();
	for (size_t i = 0; i < N; i++) {
		struct tt_def d = { .kind = TT_DEF_THREAD, .key = of[i].tid, .ts = 5, .text = of[i].name, .len = (uint32_t)strlen(of[i].name),
			.text2 = of[i].group, .len2 = (uint32_t)strlen(of[i].group) };
		t[i] = lives(of[i].tid, 10, 20);
		CHECK_EQ_INT(tt_defs_add(w.cap.defs, &d, &err), TT_OK);
	}
	/* Names are set more than once. */
	for (unsigned k = 0; k < 2; k++)
		resolve();
	for (size_t i = 0; i < N; i++) {
		CHECK_STR(t[i]->name, of[i].shown);
		CHECK_STR(t[i]->own_name, of[i].name);
		CHECK(tt_thread_named(&w.threads, t[i], (const char *const[]){ "Job.Worker 0", NULL }) == (i == 0 || i == 3 || i == 4));
	}
	teardown();
}

/* Names have digits; numbers are from 1 on. */
TEST(a_number_chooses_one_thread)
{
	static const struct { const char *pattern; unsigned met; } of[] = {
		{ "1", 1 << 0 }, { "\\1", 1 << 0 }, { "[1]", 1 << 0 }, { "re:^1$", 1 << 0 }, { "2", 1 << 1 }, { "3", 1 << 2 }, { "[12]", 3 }, { "?", 7 },
		{ "re:^[23]$", 6 }, { "4", 1 << 0 }, { "2004", 1 << 0 }, { "01", 1 << 1 }, { "0", 3 }, { "Pool 01", 1 << 1 }, { "9", 0 },
	};

	setup();
	struct tt_thread *t[] = { lives(7, 10, 20), lives(8, 10, 20), lives(9, 10, 20) };
	is_named(7, 5, "Job 2004");
	is_named(8, 5, "Pool 01");
	is_named(9, 5, "Main");
	resolve();
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		for (size_t k = 0; k < 3; k++)
			CHECK(tt_thread_named(&w.threads, t[k], (const char *const[]){ of[i].pattern, NULL }) == (of[i].met >> k & 1));
	teardown();
}

/* The name often comes before the first event, and the last one counts. */
TEST(a_name_counts_from_the_end_of_the_thread_before)
{
	setup();
	w.cap.offset_ns = 1000;
	struct tt_thread *a = lives(7, 10, 20), *b = lives(7, 30, 40);
	is_named(7, 25, "early");
	is_named(7, 2, "old");
	is_named(7, 38, "late");
	resolve();
	CHECK_STR(a->name, "old");
	CHECK_STR(b->name, "late");
	teardown();
}

/* The next one of the id was named, and did nothing that was recorded. */
TEST(no_thread_takes_the_name_of_a_later_one_without_events)
{
	setup();
	w.cap.offset_ns = 1000;
	struct tt_thread *a = lives(7, 10, 20), *b = lives(8, 10, 20);
	is_named(7, 12, "first");
	is_named(7, 29, "");
	is_named(7, 30, "second");
	is_named(8, 30, "second");
	resolve();
	CHECK_STR(a->name, "first");
	CHECK_STR(b->name, "Thread 2");
	teardown();
}

/* The capture is cut before the end of the thread: only the empty name says that another one began. */
TEST(an_empty_name_after_its_last_event_ends_a_thread)
{
	setup();
	struct tt_thread *a = lives(7, 10, 20), *b = lives(8, 10, 20), *c = lives(9, 28, 40);
	a->ended = b->ended = c->ended = false;
	is_named(7, 22, "first");
	is_named(7, 29, "");
	is_named(7, 30, "second");
	is_named(7, 31, "");
	is_named(8, 29, "");
	is_named(8, 30, "second");
	is_named(9, 5, "before");
	is_named(9, 29, "");
	is_named(9, 30, "mine");
	resolve();
	CHECK_STR(a->name, "first");
	CHECK_STR(b->name, "Thread 2");
	CHECK_STR(c->name, "mine");
	teardown();
}

/* One ends and the next begins with its name in the same tick of the clock. */
TEST(a_name_at_the_end_of_a_named_thread_is_the_next_ones)
{
	setup();
	struct tt_thread *a = lives(7, 10, 20), *b = lives(7, 20, 40), *c = lives(8, 10, 20), *d = lives(8, 20, 40);
	is_named(7, 10, "first");
	is_named(7, 20, "second");
	is_named(8, 20, "late");
	resolve();
	CHECK_STR(a->name, "first");
	CHECK_STR(b->name, "second");
	CHECK_STR(c->name, "late");
	CHECK_STR(d->name, "Thread 4");
	teardown();
}

/* A thread without a name that follows one without events: only the recorder knows that it began. */
TEST(an_empty_name_takes_the_name_away)
{
	setup();
	struct tt_thread *a = lives(7, 30, 40);
	is_named(7, 12, "gone");
	is_named(7, 29, "");
	resolve();
	CHECK_STR(a->name, "Thread 1");
	teardown();
}

TEST(what_is_said_twice_is_known_once)
{
	setup();
	is_named(7, 12, "once");
	is_named(7, 12, "once");
	CHECK_EQ_INT(tt_defs_count(w.cap.defs, TT_DEF_THREAD), 1);
	is_named(7, 13, "once");
	CHECK_EQ_INT(tt_defs_count(w.cap.defs, TT_DEF_THREAD), 2);
	teardown();
}

TEST(facts_keep_the_order_of_their_keys_and_the_last_value)
{
	enum { N = 3000 };
	char key[32], value[32];
	int n = 0;

	setup();
	tt_arena_init(&w.cap.arena, &mem);
	for (int i = 0; i < 2 * N; i++) {
		snprintf(key, sizeof key, "k%d", i % N);
		snprintf(value, sizeof value, "v%d", i);
		CHECK_EQ_INT(tt_capture_meta(&w.cap, key, value, &err), TT_OK);
	}
	for (const struct tt_meta *m = w.cap.meta; m; m = m->next, n++) {
		snprintf(key, sizeof key, "k%d", n);
		snprintf(value, sizeof value, "v%d", n + N);
		CHECK_STR(m->key, key);
		CHECK_STR(m->value, value);
		CHECK_STR(tt_capture_meta_get(&w.cap, key), value);
	}
	CHECK_EQ_INT(n, N);
	CHECK(!tt_capture_meta_get(&w.cap, "k"));
	tt_arena_free(&w.cap.arena);
	teardown();
}

TEST(what_the_user_says_stands_before_and_after_the_capture_says_it)
{
	setup();
	tt_arena_init(&w.cap.arena, &mem);
	CHECK(!tt_capture_meta_get(&w.cap, "a"));
	CHECK_EQ_INT(tt_capture_meta(&w.cap, "a", "capture", &err), TT_OK);
	CHECK_EQ_INT(tt_capture_meta_from_user(&w.cap, "a", "user", &err), TT_OK);
	CHECK_EQ_INT(tt_capture_meta(&w.cap, "a", "capture", &err), TT_OK);
	CHECK_STR(tt_capture_meta_get(&w.cap, "a"), "user");
	CHECK_EQ_INT(tt_capture_meta_from_user(&w.cap, "a", "user again", &err), TT_OK);
	CHECK_STR(tt_capture_meta_get(&w.cap, "a"), "user again");
	tt_arena_free(&w.cap.arena);
	teardown();
}

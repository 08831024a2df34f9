/* Tests of model/defs.h: what a key means at a time, against a plain list of all that was said. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "model/defs.h"

static struct tt_mem mem;

static struct tt_defs *
make(void)
{
	struct tt_defs *d = NULL;
	struct tt_err err;

	CHECK_EQ_INT(tt_defs_new(&mem, &d, &err), TT_OK);
	return d;
}

static void
add(struct tt_defs *d, uint64_t key, int64_t ts, uint64_t a)
{
	const struct tt_def def = { .kind = TT_DEF_CLASS, .key = key, .ts = ts, .a = a, .text = "", .text2 = "" };
	struct tt_err err;

	CHECK_EQ_INT(tt_defs_add(d, &def, &err), TT_OK);
}

static uint64_t
next(uint64_t *s)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return *s >> 33;
}

/* The plain list: the latest of a key up to a time, of equal times the last that was added; else the first. */
struct said { uint64_t key, a; int64_t ts; };

static const struct said *
meant(const struct said *s, size_t n, uint64_t key, int64_t ts)
{
	const struct said *best = NULL, *first = NULL;

	for (size_t i = 0; i < n; i++) {
		if (s[i].key != key)
			continue;
		if (s[i].ts <= ts && (!best || s[i].ts >= best->ts))
			best = &s[i];
		if (!first || s[i].ts < first->ts)
			first = &s[i];
	}
	return best ? best : first;
}

/* What is behind ${i} in time; of equal times the one that was added later is behind. */
static const struct said *
behind(const struct said *s, size_t n, size_t i)
{
	const struct said *best = NULL;

	for (size_t k = 0; k < n; k++) {
		if (s[k].key != s[i].key || s[k].ts < s[i].ts || (s[k].ts == s[i].ts && k <= i))
			continue;
		if (!best || s[k].ts < best->ts)
			best = &s[k];
	}
	return best;
}

TEST(a_key_means_what_was_last_said_up_to_a_time)
{
	static struct said said[400];

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct tt_defs *d = make();
		uint64_t s = seed;
		size_t n = 0;

		for (size_t i = 0; i < 400; i++) {
			uint64_t key = next(&s) % 5, a = next(&s) % 50;
			int64_t ts = (int64_t)(seed % 3 == 0 ? 400 - i : seed % 3 == 1 ? i : next(&s) % 300);
			const struct said *was = meant(said, n, key, ts);

			/* What is said again is no change, but may have been true from earlier on. */
			if (was && was->a == a)
				said[was - said].ts = ts < was->ts ? ts : was->ts;
			else
				said[n++] = (struct said){ key, a, ts };
			add(d, key, ts, a);
			CHECK_EQ_INT(tt_defs_count(d, TT_DEF_CLASS), n);
			for (int k = 0; k < 3; k++) {
				uint64_t of = next(&s) % 6;
				int64_t at = (int64_t)(next(&s) % 420) - 5;
				const struct tt_def *have = tt_defs_find(d, TT_DEF_CLASS, of, at);
				const struct said *want = meant(said, n, of, at);

				if (!CHECK(!have == !want) || !have || !CHECK(have->a == want->a && have->ts == want->ts))
					break;
			}
		}
		for (size_t i = 0; i < n; i++) {
			const struct tt_def *have = tt_defs_next(d, tt_defs_at(d, TT_DEF_CLASS, i));
			const struct said *want = behind(said, n, i);

			CHECK(want ? have == tt_defs_at(d, TT_DEF_CLASS, (size_t)(want - said)) : !have);
		}
		tt_defs_free(d);
	}
	CHECK_EQ_INT(mem.used, 0);
}

/* What was added is found while more is: each key by itself, and one that has several meanings by its times. */
enum { ADDED = 2000 };
struct looking { struct tt_defs *d; atomic_uint_fast64_t added, wrong; };

static void *
look(void *arg)
{
	struct looking *l = arg;
	uint64_t random = 1, n;

	while ((n = atomic_load(&l->added)) < ADDED) {
		const uint64_t i = n ? next(&random) % n : 0;
		const struct tt_def *own = n ? tt_defs_find(l->d, TT_DEF_CLASS, 1000 + i, INT64_MAX) : NULL;
		const struct tt_def *at = n ? tt_defs_at(l->d, TT_DEF_CLASS, (size_t)(2 * i)) : NULL;
		const struct tt_def *time = n ? tt_defs_class(l->d, 7, (int64_t)i) : NULL;
		if (n && (!own || own->a != i || at != own || !time || time->a != i))
			atomic_fetch_add(&l->wrong, 1);
	}
	return NULL;
}

TEST(what_was_added_is_found_while_more_is)
{
	for (unsigned round = 0; round < 1000; round++) {
		struct looking l = { .d = make() };
		pthread_t thread;

		CHECK_EQ_INT(pthread_create(&thread, NULL, look, &l), 0);
		for (uint64_t i = 0; i < ADDED; i++) {
			add(l.d, 1000 + i, 0, i);
			add(l.d, 7, (int64_t)i, i);
			atomic_store(&l.added, i + 1);
		}
		CHECK_EQ_INT(pthread_join(thread, NULL), 0);
		CHECK_EQ_INT(atomic_load(&l.wrong), 0);
		tt_defs_free(l.d);
	}
	CHECK_EQ_INT(mem.used, 0);
}

static double
cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Half a million in each of the worst orders: with lists this takes minutes. */
TEST(a_key_that_means_much_costs_little_in_any_order)
{
	const int64_t n = 500000;

	for (int order = 0; order < 3; order++) {
		struct tt_defs *d = make();
		double start = cpu_s();

		for (int64_t i = 0; i < n; i++)
			add(d, 7, order == 0 ? n - i : order == 1 ? i : i % 2 ? i : 2 * n - i, (uint64_t)i);
		for (int64_t i = 0; i < n; i++)
			CHECK(tt_defs_find(d, TT_DEF_CLASS, 7, i));
		CHECK_EQ_INT(tt_defs_count(d, TT_DEF_CLASS), n);
		printf("order %d: %.2f s\n", order, cpu_s() - start);
		tt_defs_free(d);
	}
	CHECK_EQ_INT(mem.used, 0);
}

/*
 * Captures of 64 KiB made to cost as much as they can: deep stacks and ends that match nothing, thousands of
 * counters, threads, pauses, reloaded classes, paths, buffers. Each is read, reported and converted within a second
 * and 256 MiB.
 */
#include "check.h"

#include <time.h>

#include "memrun.h"
#include "mlpd_encode.h"

#define T0 1000000000u
#define SIZE 65536u

struct maker {
	struct mlpd_writer w;
	struct mlpd_buffer b;
};

static bool
full(const struct maker *k, size_t part)
{
	return k->w.out.len + k->b.events.len + 128 >= SIZE / part;
}

static void
open_at(struct maker *k, uint64_t tid, uint64_t time)
{
	mlpd_open(&k->b, &k->w, tid, T0 + time, 0, 0, 0);
}

static uint64_t
cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void
check_run(const struct maker *k, unsigned what)
{
	uint64_t start = cpu_ns();
	struct memrun r;

	memrun(&r, k->w.out.data, k->w.out.len, what);
	CHECK_EQ_INT(r.rc, TT_OK);
	CHECK(r.env.mem.peak <= 256u << 20);
	CHECK_EQ_INT(memrun_free(&r), 0);
	if (!getenv("TT_SANITIZED"))
		CHECK(cpu_ns() - start < 1000000000);
}

static void
check_shape(void (*make)(struct maker *k))
{
	struct maker k;

	memset(&k, 0, sizeof k);
	mlpd_init(&k.w, 17, 8);
	mlpd_header(&k.w, 1600000000000, T0);
	open_at(&k, 1, 0);
	make(&k);
	mlpd_flush(&k.b);
	CHECK(k.w.out.len <= SIZE);
	check_run(&k, MEMRUN_REPORT);
	check_run(&k, MEMRUN_EMIT | MEMRUN_BEGIN_END);
	mlpd_free(&k.w);
}

static uint64_t
enters(struct maker *k, size_t part, uint64_t method, uint64_t step)
{
	uint64_t t = 0;

	for (; !full(k, part); t++, method += step)
		mlpd_enter(&k->b, T0 + t, method);
	return t;
}

static void
deep_stack_and_ends_of_nothing(struct maker *k)
{
	uint64_t t = enters(k, 2, 8, 0);

	while (!full(k, 1))
		mlpd_leave(&k->b, T0 + t++, 9);
}

static void
ends_of_nothing_over_another_chunk(struct maker *k)
{
	uint64_t t = enters(k, 2, 8, 0);

	mlpd_flush(&k->b);
	open_at(k, 1, t);
	mlpd_enter(&k->b, T0 + t, 7);
	while (!full(k, 1)) {
		mlpd_leave(&k->b, T0 + t, 9 + t % 50);
		t++;
	}
}

static void
ends_of_nothing_in_a_chunk_of_their_own(struct maker *k)
{
	uint64_t t = enters(k, 2, 8, 0);

	mlpd_flush(&k->b);
	open_at(k, 1, t);
	while (!full(k, 1))
		mlpd_leave(&k->b, T0 + t++, 9);
}

static void
deep_stack_over_many_chunks(struct maker *k)
{
	uint64_t t = enters(k, 2, 8, 0);

	while (!full(k, 1)) {
		mlpd_flush(&k->b);
		open_at(k, 1, t);
		mlpd_enter(&k->b, T0 + t, 9);
		mlpd_leave(&k->b, T0 + t++, 9);
	}
}

static void
every_path_new(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 1); i++) {
		mlpd_enter(&k->b, T0 + i, i);
		if (i % 3)
			mlpd_leave(&k->b, T0 + i, i);
	}
}

static void
throws_through_unknown_frames(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 1); i++) {
		mlpd_throw(&k->b, T0 + i, 8, NULL);
		mlpd_exc_leave(&k->b, T0 + i, i);
	}
}

static void
counters_without_end(struct maker *k)
{
	for (uint64_t i = 1; !full(k, 1); i++) {
		const struct mlpd_count c = { .index = i, .type = 3, .value = 1 };

		mlpd_counters(&k->b, T0 + i, &c, 1);
	}
}

static void
threads_and_pauses(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 2); i++) {
		mlpd_gc_event(&k->b, T0 + 2 * i, 6, 0);
		mlpd_gc_event(&k->b, T0 + 2 * i + 1, 9, 0);
	}
	for (uint64_t tid = 2; !full(k, 1); tid++) {
		mlpd_flush(&k->b);
		open_at(k, tid, 0);
		mlpd_sync(&k->b, T0 + 1, 0);
	}
}

static void
threads_that_pause(struct maker *k)
{
	for (uint64_t tid = 2; !full(k, 1); tid++) {
		mlpd_gc_event(&k->b, T0 + tid, 6, 0);
		mlpd_flush(&k->b);
		open_at(k, tid, tid);
	}
}

static void
one_thread_again_and_again(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 1); i++) {
		mlpd_thread(&k->b, T0 + i, MLPD_LOAD, 7 + i % 2, NULL);
		mlpd_thread(&k->b, T0 + i, MLPD_UNLOAD, 7 + i % 2, NULL);
	}
}

static void
one_class_reloaded_backwards(struct maker *k)
{
	char name[24];

	for (uint64_t i = 0; !full(k, 1); i++) {
		snprintf(name, sizeof name, "c%u", (unsigned)i);
		mlpd_class(&k->b, T0 + SIZE - i, MLPD_LOAD, 8, 1, name);
		mlpd_alloc(&k->b, T0 + SIZE - i, 8, 8, 8, NULL);
	}
}

static void
names_of_every_length(struct maker *k)
{
	static char name[2048];

	memset(name, '<', sizeof name - 1);
	for (uint64_t i = 0; !full(k, 1) && i < sizeof name; i += 61) {
		mlpd_method(&k->b, T0 + i, i, 0, 0, name + sizeof name - 1 - (i < sizeof name ? i : 0));
		mlpd_enter(&k->b, T0 + i, i);
	}
}

static void
buffers_of_one_event(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 1); i++) {
		mlpd_flush(&k->b);
		open_at(k, i % 3, i);
		mlpd_gc_resize(&k->b, T0 + i, i);
	}
}

#define SHAPE(shape) TEST(shape##_is_read_in_time) { check_shape(shape); }
SHAPE(deep_stack_and_ends_of_nothing)
SHAPE(ends_of_nothing_over_another_chunk)
SHAPE(ends_of_nothing_in_a_chunk_of_their_own)
SHAPE(deep_stack_over_many_chunks)
SHAPE(every_path_new)
SHAPE(throws_through_unknown_frames)
SHAPE(counters_without_end)
SHAPE(threads_and_pauses)
SHAPE(threads_that_pause)
SHAPE(one_thread_again_and_again)
SHAPE(one_class_reloaded_backwards)
SHAPE(names_of_every_length)
SHAPE(buffers_of_one_event)

/* What is no capture behind its header: magics without end, and buffers that each claim the rest of the file. */
TEST(magics_and_lengths_without_end_are_read_in_time)
{
	for (int full_head = 0; full_head < 2; full_head++) {
		struct maker k;

		memset(&k, 0, sizeof k);
		mlpd_init(&k.w, 17, 8);
		mlpd_header(&k.w, 1600000000000, T0);
		while (k.w.out.len + 64 < SIZE) {
			mlpd_fixed(&k.w.out, 0x4D504C01, 4);
			if (full_head)
				mlpd_fixed(&k.w.out, 0x7fffffff, 4);
			for (int i = 0; full_head && i < 5; i++)
				mlpd_fixed(&k.w.out, 3, 8);
		}
		check_run(&k, MEMRUN_REPORT);
		check_run(&k, MEMRUN_CALLS | MEMRUN_PIPE);
		mlpd_free(&k.w);
	}
}

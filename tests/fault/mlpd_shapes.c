/*
 * Captures of 64 KiB made to cost as much as they can: deep stacks and ends that match nothing, thousands of
 * counters, threads, pauses, reloaded classes, paths, buffers, keys that belong in one slot. Each is read, reported
 * and converted within 256 MiB. At full length they are of 512 KiB, where what grows with the square of the length takes 64 times as long. How
 * much work that is, fault/shapes counts.
 */
#include "check.h"

#include "memrun.h"
#include "mlpd_encode.h"

#define T0 1000000000u

static size_t
size(void)
{
	return check_long() ? 524288 : 65536;
}

struct maker {
	struct mlpd_writer w;
	struct mlpd_buffer b;
};

static bool
full(const struct maker *k, size_t part)
{
	return k->w.out.len + k->b.events.len + 128 >= size() / part;
}

static void
open_at(struct maker *k, uint64_t tid, uint64_t time)
{
	mlpd_open(&k->b, &k->w, tid, T0 + time, 0, 0, 0);
}

static void
check_run(const struct maker *k, const char *shape, unsigned what)
{
	struct memrun r;

	memrun(&r, k->w.out.data, k->w.out.len, what);
	if (!CHECK_EQ_INT(r.rc, TT_OK))
		printf("%s: %s\n", shape, r.err.msg);
	CHECK(r.env.mem.peak <= 256u << 20);
	CHECK(memrun_events(&r) > 0 || strcmp(shape, "magics") == 0);
	printf("%s, way %u: %zu events, %zu KiB\n", shape, what, (size_t)memrun_events(&r), (size_t)r.env.mem.peak >> 10);
	CHECK_EQ_INT(memrun_free(&r), 0);
}

static void
check_shape(const char *shape, int version, void (*make)(struct maker *k), unsigned more)
{
	struct maker k;

	memset(&k, 0, sizeof k);
	mlpd_init(&k.w, version, 8);
	mlpd_header(&k.w, 1600000000000, T0);
	open_at(&k, 1, 0);
	make(&k);
	mlpd_flush(&k.b);
	CHECK(k.w.out.len <= size());
	check_run(&k, shape, MEMRUN_REPORT | more);
	check_run(&k, shape, MEMRUN_EMIT | MEMRUN_BEGIN_END);
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

/* ${n} threads with deep stacks, and then chunks of each in turn. */
static void
deep_threads_in_turn(struct maker *k, uint64_t n)
{
	uint64_t t = 0;

	for (uint64_t tid = 1; tid <= n; tid++) {
		if (tid > 1) {
			mlpd_flush(&k->b);
			open_at(k, tid, 0);
		}
		for (; k->w.out.len + k->b.events.len < size() / 2 / n * tid; t++)
			mlpd_enter(&k->b, T0 + t, 8);
	}
	for (uint64_t i = 0; !full(k, 1); i++) {
		mlpd_flush(&k->b);
		open_at(k, 1 + i * 7 / 5 % n, t);
		mlpd_enter(&k->b, T0 + t, 9);
		mlpd_leave(&k->b, T0 + t++, 9);
	}
}

static void
two_deep_threads_in_turn(struct maker *k)
{
	deep_threads_in_turn(k, 2);
}

static void
ten_deep_threads_in_turn(struct maker *k)
{
	deep_threads_in_turn(k, 10);
}

/* Each chunk begins before the one before it ended, so it is decoded again, knowing the stack. */
static void
deep_stack_and_a_clock_that_runs_back(struct maker *k)
{
	uint64_t t = enters(k, 2, 8, 0) + size();

	while (!full(k, 1)) {
		mlpd_flush(&k->b);
		open_at(k, 1, t);
		mlpd_enter(&k->b, T0 + t, 7);
		mlpd_leave(&k->b, T0 + t, 9);
		mlpd_leave(&k->b, T0 + t, 7);
		t--;
	}
}

/* Each chunk ends the top of the stack below its own, and puts it there again. */
static void
deep_stack_with_another_top_in_every_chunk(struct maker *k)
{
	uint64_t t = enters(k, 2, 8, 0);

	mlpd_enter(&k->b, T0 + t, 9);
	while (!full(k, 1)) {
		mlpd_flush(&k->b);
		open_at(k, 1, t);
		mlpd_enter(&k->b, T0 + t, 7);
		mlpd_leave(&k->b, T0 + t++, 9);
		mlpd_enter(&k->b, T0 + t++, 9);
	}
}

static void
name_frames(struct maker *k)
{
	mlpd_method(&k->b, T0, 9, 0, 0, "A:Frame (int)");
	mlpd_method(&k->b, T0, 8, 0, 0, "(wrapper alloc) object:Alloc (intptr)");
}

static void
frames_above_a_deep_stack(struct maker *k)
{
	uint64_t t;

	name_frames(k);
	t = enters(k, 2, 10, 1);
	while (!full(k, 1)) {
		mlpd_enter(&k->b, T0 + t++, 9);
		mlpd_leave(&k->b, T0 + t++, 9);
	}
}

static void
frames_above_deep_wrappers(struct maker *k)
{
	uint64_t t;

	name_frames(k);
	t = enters(k, 2, 8, 0);
	while (!full(k, 1)) {
		mlpd_enter(&k->b, T0 + t++, 9);
		mlpd_enter(&k->b, T0 + t++, 7);
		mlpd_leave(&k->b, T0 + t++, 7);
		mlpd_leave(&k->b, T0 + t++, 9);
	}
}

static void
wrappers_within_frames(struct maker *k)
{
	uint64_t t = 1;

	name_frames(k);
	mlpd_enter(&k->b, T0 + t++, 9);
	while (!full(k, 3))
		mlpd_enter(&k->b, T0 + t++, 8);
	while (!full(k, 1)) {
		mlpd_enter(&k->b, T0 + t++, 7);
		mlpd_leave(&k->b, T0 + t++, 7);
	}
	mlpd_leave(&k->b, T0 + t++, 9);
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
		mlpd_class(&k->b, T0 + size() - i, MLPD_LOAD, 8, 1, name);
		mlpd_alloc(&k->b, T0 + size() - i, 8, 8, 8, NULL);
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
frames_of_one_method_each(struct maker *k)
{
	name_frames(k);
	for (uint64_t t = 1; !full(k, 1);) {
		mlpd_enter(&k->b, T0 + t++, 9);
		mlpd_enter(&k->b, T0 + t, t + 100);
		mlpd_leave(&k->b, T0 + t, t + 100);
		mlpd_leave(&k->b, T0 + ++t, 9);
	}
}

static void
locks_without_end(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 2); i++)
		mlpd_monitor(&k->b, T0 + i, 1, 8 * i, NULL);
	for (uint64_t i = 0; !full(k, 1); i++) {
		mlpd_gc_moves(&k->b, T0 + size(), (const uint64_t[]){ 8 * i, 8 * i + 4096 }, 2);
		mlpd_monitor(&k->b, T0 + size() + i, 1 + (unsigned)(i % 3), 8 * (i * i % 9973), NULL);
	}
}

static void
one_lock_of_many_threads(struct maker *k)
{
	for (uint64_t tid = 2; !full(k, 1); tid++) {
		mlpd_monitor(&k->b, T0 + tid, 1, 8, NULL);
		mlpd_flush(&k->b);
		open_at(k, tid, tid);
		mlpd_monitor(&k->b, T0 + tid, 2 + (unsigned)(tid % 2), 8, NULL);
	}
}

static void
handles_without_end(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 2); i++)
		mlpd_handle_created(&k->b, T0 + i, (unsigned)(i % 4), i, 8 * i, NULL);
	for (uint64_t i = 0; !full(k, 1); i++)
		mlpd_handle_destroyed(&k->b, T0 + size() + i, (unsigned)(i % 4), i * 3, NULL);
}

static void
one_handle_again_and_again(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 1); i++)
		mlpd_handle_created(&k->b, T0 + i, 0, 1, 8, NULL);
}

static void
moves_to_and_fro(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 4); i++)
		mlpd_alloc(&k->b, T0 + i, 8, 8 * i, 8, NULL);
	for (uint64_t i = 0; !full(k, 1); i++)
		mlpd_gc_moves(&k->b, T0 + size() + i, (const uint64_t[]){ 8 * (i % 9), 8 * ((i + 1) % 9) }, 2);
}

static void
counters_of_one_name(struct maker *k)
{
	for (uint64_t i = 1; !full(k, 2); i++) {
		const struct mlpd_counter c = { .section = 0x8000, .section_name = "s", .name = "n", .type = 3, .index = i };

		mlpd_counter_desc(&k->b, T0, &c, 1);
	}
	for (uint64_t i = 1; !full(k, 1); i++) {
		const struct mlpd_count c = { .index = i % 30000, .type = 3, .value = 1 };

		mlpd_counters(&k->b, T0 + i, &c, 1);
	}
}

static void
one_counter_described_again_and_again(struct maker *k)
{
	char name[24];

	for (uint64_t i = 1; !full(k, 1); i++) {
		const struct mlpd_counter c = { .section = 0x8000, .section_name = "s", .name = name, .type = 3, .index = 1 };

		snprintf(name, sizeof name, "n%u", (unsigned)i);
		mlpd_counter_desc(&k->b, T0 + size() - i, &c, 1);
	}
}

static const struct mlpd_stack none;

static void
methods_over_one_another(struct maker *k)
{
	const uint64_t ip = 600000;

	for (uint64_t i = 0; !full(k, 2); i++)
		mlpd_method(&k->b, T0 + i, 8 * i, 16 * i, 1000000000, "m");
	for (uint64_t i = 0; !full(k, 1); i++)
		mlpd_hit(&k->b, T0 + size() + i, i % 7, (const uint64_t[]){ ip + 64 * i }, 1, &none);
}

static void
binaries_over_one_another(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 3); i++)
		mlpd_binary(&k->b, T0 + i, 4096 * i, 0, 1u << 30, "b");
	for (uint64_t i = 0; !full(k, 2); i++)
		mlpd_symbol(&k->b, T0 + i, 64 * i, 1u << 30, "s");
	for (uint64_t i = 0; !full(k, 1); i++)
		mlpd_hit(&k->b, T0 + size() + i, i, (const uint64_t[]){ 64 * i + 5, 4096 * i }, 2, &none);
}

static void
samples_of_deep_stacks(struct maker *k)
{
	static uint64_t ip[32];

	for (uint64_t i = 0; !full(k, 1); i++) {
		for (uint64_t j = 0; j < 32; j++)
			ip[j] = 8 * (i % 7 * j);
		mlpd_hit(&k->b, T0 + i, i, ip, 32, &none);
	}
}

static void
a_graph_of_one_chain(struct maker *k)
{
	uint64_t i = 1;

	mlpd_heap_begin(&k->b, T0);
	for (; !full(k, 1); i++)
		mlpd_heap_object(&k->b, T0, 8 * i, 8, 24, 0, &(struct mlpd_ref){ 8, 8 * i + 8 }, 1);
	mlpd_roots(&k->b, T0, &(struct mlpd_root){ .slot = 4, .obj = 8 }, 1);
	mlpd_heap_end(&k->b, T0 + 1);
}

static void
a_graph_of_one_object(struct maker *k)
{
	mlpd_heap_begin(&k->b, T0);
	mlpd_heap_object(&k->b, T0, 8, 8, 24, 0, &(struct mlpd_ref){ 8, 8 }, 1);
	for (uint64_t i = 1; !full(k, 1); i++)
		mlpd_heap_object(&k->b, T0, 8, 8, 0, 0, &(struct mlpd_ref){ 8, 8 * i }, 1);
	mlpd_roots(&k->b, T0, &(struct mlpd_root){ .slot = 4, .obj = 8 }, 1);
	mlpd_heap_end(&k->b, T0 + 1);
}

static void
shots_without_end(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 1); i++) {
		mlpd_heap_begin(&k->b, T0 + i);
		mlpd_heap_object(&k->b, T0 + i, 8, 8 * i, 24, 0, NULL, 0);
		mlpd_heap_end(&k->b, T0 + i);
	}
}

static void
roots_over_one_another(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 3); i++)
		mlpd_root_register(&k->b, T0 + i, 4096 + 8 * i, 1u << 30, 0, i, "r");
	mlpd_heap_begin(&k->b, T0 + size());
	for (uint64_t i = 1; !full(k, 2); i++)
		mlpd_heap_object(&k->b, T0 + size(), 8 * i, 8, 24, 0, NULL, 0);
	for (uint64_t i = 1; !full(k, 1); i++)
		mlpd_roots(&k->b, T0 + size(), &(struct mlpd_root){ .slot = 4096 + 16 * i, .obj = 8 * i }, 1);
	mlpd_heap_end(&k->b, T0 + size() + 1);
}

static void
coverage_of_methods_without_end(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 1); i++) {
		mlpd_cov_method(&k->b, T0, (const char *const[]){ "a", "c", "m", "s", "f" }, (const uint64_t[]){ 1, i, 1 });
		mlpd_cov_statement(&k->b, T0, (const uint64_t[]){ i, 1, 1, 1, 1 });
	}
}

static void
images_and_domains_without_end(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 1); i++) {
		mlpd_domain(&k->b, T0 + i, MLPD_LOAD, i, NULL);
		mlpd_context(&k->b, T0 + i, MLPD_LOAD, i, i);
		mlpd_image(&k->b, T0 + i, MLPD_LOAD, i, "i", NULL);
		mlpd_assembly(&k->b, T0 + i, MLPD_LOAD, i, i, "a");
		mlpd_domain(&k->b, T0 + i, MLPD_UNLOAD, i / 2, NULL);
	}
}

static void
finalizers_nested(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 2); i++)
		mlpd_finalize_object(&k->b, T0 + i, true, 8 * i);
	for (uint64_t i = 0; !full(k, 1); i++)
		mlpd_finalize_object(&k->b, T0 + size() + i, false, 8 * i);
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

/*
 * Keys for tables by hash. A factor that is known can be undone: keys whose products are small numbers lie side by side in a
 * table by the upper bits, and share all bits from the 20th on. Other keys: unit/base/hash_seed.
 */
static uint64_t
undone(uint64_t i)
{
	const uint64_t factor = 0x9E3779B97F4A7C15u;
	uint64_t inverse = factor;

	for (int bits = 3; bits < 64; bits *= 2)
		inverse *= 2 - factor * inverse;
	return inverse * 8 * (i + 1);
}

static void
calls_that_share_a_slot(struct maker *k)
{
	name_frames(k);
	mlpd_enter(&k->b, T0, 9);
	for (uint64_t i = 0; !full(k, 1); i++) {
		mlpd_enter(&k->b, T0 + i, undone(i));
		mlpd_leave(&k->b, T0 + i, undone(i));
	}
	mlpd_leave(&k->b, T0 + size(), 9);
}

static void
methods_that_share_a_slot(struct maker *k)
{
	char name[24];

	for (uint64_t i = 0; !full(k, 1); i++) {
		snprintf(name, sizeof name, "m%u", (unsigned)i);
		mlpd_method(&k->b, T0 + i, undone(i), 16 * i, 16, name);
		mlpd_enter(&k->b, T0 + i, undone(i));
	}
}

static void
allocations_that_share_a_slot(struct maker *k)
{
	for (uint64_t i = 0; !full(k, 1); i++)
		mlpd_alloc(&k->b, T0 + i, undone(i), 8 * i, 8, NULL);
}

#define SHAPE(shape) TEST(shape##_is_read_in_time) { check_shape(#shape, 17, shape, 0); }
#define OLD(shape) TEST(shape##_is_read_in_time) { check_shape(#shape, 15, shape, 0); }
#define FRAMES(shape) TEST(shape##_is_read_in_time) { check_shape(#shape, 17, shape, MEMRUN_FRAMES | MEMRUN_NOT_ZONES); }
SHAPE(deep_stack_and_ends_of_nothing)
SHAPE(ends_of_nothing_over_another_chunk)
SHAPE(ends_of_nothing_in_a_chunk_of_their_own)
SHAPE(deep_stack_over_many_chunks)
SHAPE(two_deep_threads_in_turn)
SHAPE(ten_deep_threads_in_turn)
SHAPE(deep_stack_and_a_clock_that_runs_back)
SHAPE(deep_stack_with_another_top_in_every_chunk)
FRAMES(frames_above_a_deep_stack)
FRAMES(frames_above_deep_wrappers)
FRAMES(wrappers_within_frames)
SHAPE(every_path_new)
SHAPE(throws_through_unknown_frames)
SHAPE(counters_without_end)
SHAPE(threads_and_pauses)
SHAPE(threads_that_pause)
SHAPE(one_thread_again_and_again)
SHAPE(one_class_reloaded_backwards)
SHAPE(names_of_every_length)
FRAMES(frames_of_one_method_each)
SHAPE(locks_without_end)
SHAPE(one_lock_of_many_threads)
SHAPE(handles_without_end)
SHAPE(one_handle_again_and_again)
SHAPE(moves_to_and_fro)
SHAPE(counters_of_one_name)
SHAPE(one_counter_described_again_and_again)
SHAPE(methods_over_one_another)
OLD(binaries_over_one_another)
SHAPE(samples_of_deep_stacks)
SHAPE(a_graph_of_one_chain)
SHAPE(a_graph_of_one_object)
SHAPE(shots_without_end)
SHAPE(roots_over_one_another)
OLD(coverage_of_methods_without_end)
SHAPE(images_and_domains_without_end)
SHAPE(finalizers_nested)
SHAPE(buffers_of_one_event)
FRAMES(calls_that_share_a_slot)
SHAPE(methods_that_share_a_slot)
SHAPE(allocations_that_share_a_slot)

/* What is no capture behind its header: magics without end, and buffers that each claim the rest of the file. */
TEST(magics_and_lengths_without_end_are_read_in_time)
{
	for (int full_head = 0; full_head < 2; full_head++) {
		struct maker k;

		memset(&k, 0, sizeof k);
		mlpd_init(&k.w, 17, 8);
		mlpd_header(&k.w, 1600000000000, T0);
		while (k.w.out.len + 64 < size()) {
			mlpd_fixed(&k.w.out, 0x4D504C01, 4);
			if (full_head)
				mlpd_fixed(&k.w.out, 0x7fffffff, 4);
			for (int i = 0; full_head && i < 5; i++)
				mlpd_fixed(&k.w.out, 3, 8);
		}
		check_run(&k, "magics", MEMRUN_REPORT);
		check_run(&k, "magics", MEMRUN_CALLS | (check_long() ? 0 : MEMRUN_PIPE));
		mlpd_free(&k.w);
	}
}

/*
 * What the reader and the run make of chunks that cannot be understood alone: ends of zones from an earlier chunk
 * below zones of their own, clocks that go back, samples of other threads beside them. Found by comparing with
 * tests/oracle/mlpd.py; here in the smallest form.
 */
#include "check.h"

#include "collect/heap_graph.h"
#include "collect/heap_shots.h"
#include "memrun.h"
#include "mlpd_encode.h"

#define T0 1000000000u
#define CODE 0x10000u
#define TID 0x1234u
#define OTHER 0x5678u

/* A capture of buffers of one thread, each begun by next(). */
struct shot {
	struct mlpd_writer w;
	struct mlpd_buffer b;
	bool open;
	uint64_t now;
	struct memrun r;
};

static void
shot_begin(struct shot *s, int version)
{
	memset(s, 0, sizeof *s);
	mlpd_init(&s->w, version, 8);
	mlpd_header(&s->w, 1600000000000, T0);
}

static void
next(struct shot *s, uint64_t tid, uint64_t time)
{
	if (s->open)
		mlpd_flush(&s->b);
	mlpd_open(&s->b, &s->w, tid, T0 + time, 0, 0, CODE);
	s->open = true;
}

static void
shot_run(struct shot *s, unsigned what)
{
	mlpd_flush(&s->b);
	memrun(&s->r, s->w.out.data, s->w.out.len, what);
	CHECK_EQ_INT(s->r.rc, TT_OK);
}

static void
shot_end(struct shot *s)
{
	CHECK_EQ_INT(memrun_free(&s->r), 0);
	mlpd_free(&s->w);
}

/* What the tree holds for a method, or all zones of one of our own kinds. */
static struct tt_count
count_of(const struct shot *s, uint64_t key)
{
	const struct tt_model *m = s->r.m;
	struct tt_count sum = { 0 };

	for (uint32_t i = 0; m && i < tt_tree_count(m->tree); i++) {
		const struct tt_node *n = tt_tree_node(m->tree, i);
		struct tt_count c = tt_counts_get(m->counts, i);

		if (n->kind != TT_NODE_ZONE || n->key != key)
			continue;
		sum.n += c.n;
		sum.total += c.total;
		sum.self += c.self;
	}
	return sum;
}

static uint32_t
depth_of(const struct shot *s, uint64_t key)
{
	const struct tt_model *m = s->r.m;

	for (uint32_t i = 0; m && i < tt_tree_count(m->tree); i++) {
		const struct tt_node *n = tt_tree_node(m->tree, i);

		if (n->kind == TT_NODE_ZONE && n->key == key)
			return n->depth;
	}
	return 0;
}

static uint64_t
lost(const struct shot *s, enum tt_loss_kind k)
{
	return s->r.loss.e[k].n;
}

TEST(an_end_below_the_chunks_own_zones_closes_them)
{
	struct shot s;

	shot_begin(&s, 17);
	next(&s, TID, 0);
	mlpd_enter(&s.b, T0 + 10, CODE);
	next(&s, TID, 100);
	mlpd_enter(&s.b, T0 + 110, CODE + 8);
	mlpd_leave(&s.b, T0 + 150, CODE);
	shot_run(&s, MEMRUN_CALLS);
	CHECK_EQ_INT(count_of(&s, CODE).total, 140);
	CHECK_EQ_INT(count_of(&s, CODE + 8).total, 40);
	CHECK_EQ_INT(lost(&s, TT_LOST_POPPED), 1);
	CHECK_EQ_INT(lost(&s, TT_LOST_UNMATCHED), 0);
	shot_end(&s);
}

TEST(an_exception_zone_under_the_chunks_own_zones_is_not_interrupted)
{
	struct shot s;

	shot_begin(&s, 17);
	next(&s, TID, 0);
	mlpd_enter(&s.b, T0 + 10, CODE);
	mlpd_enter(&s.b, T0 + 20, CODE + 8);
	mlpd_throw(&s.b, T0 + 30, 0x80, NULL);
	next(&s, TID, 100);
	mlpd_enter(&s.b, T0 + 110, CODE + 16);
	mlpd_exc_leave(&s.b, T0 + 120, CODE + 8);
	/* Were there an Exception zone left, this would stand in it. */
	mlpd_enter(&s.b, T0 + 130, CODE + 24);
	mlpd_leave(&s.b, T0 + 140, CODE + 24);
	mlpd_leave(&s.b, T0 + 150, CODE);
	shot_run(&s, MEMRUN_CALLS);
	CHECK_EQ_INT(count_of(&s, TT_KEY_EXCEPTION).n, 1);
	CHECK_EQ_INT(count_of(&s, TT_KEY_EXCEPTION).total, 90);
	CHECK_EQ_INT(depth_of(&s, CODE + 24), 2);
	CHECK_EQ_INT(count_of(&s, CODE).self, 140 - 100 - 10);
	shot_end(&s);
}

TEST(a_catch_without_a_throw_is_never_told)
{
	struct shot s;

	shot_begin(&s, 17);
	next(&s, TID, 0);
	mlpd_enter(&s.b, T0 + 10, CODE);
	next(&s, TID, 100);
	mlpd_enter(&s.b, T0 + 110, CODE + 8);
	mlpd_clause(&s.b, T0 + 115, 0, 0, CODE + 8, 0x80);
	mlpd_leave(&s.b, T0 + 120, CODE);     /* the chunk is decoded twice */
	shot_run(&s, MEMRUN_CALLS);
	CHECK_EQ_INT(lost(&s, TT_LOST_UNMATCHED), 0);
	shot_end(&s);
}

TEST(a_clock_that_goes_back_in_a_chunk_stands_still)
{
	struct shot s;

	shot_begin(&s, 17);
	next(&s, TID, 0);
	mlpd_enter(&s.b, T0 + 100, CODE);
	mlpd_enter(&s.b, T0 + 50, CODE + 8);
	mlpd_leave(&s.b, T0 + 90, CODE + 8);
	mlpd_enter(&s.b, T0 + 95, CODE + 8);
	mlpd_leave(&s.b, T0 + 130, CODE + 8);
	mlpd_leave(&s.b, T0 + 150, CODE);
	for (int i = 0; i < 20; i++) {        /* enough for the fast loop */
		mlpd_enter(&s.b, T0 + 200 + (uint64_t)i, CODE + 16);
		mlpd_leave(&s.b, T0 + 200 + (uint64_t)i, CODE + 16);
	}
	shot_run(&s, MEMRUN_REPORT);
	CHECK_EQ_INT(count_of(&s, CODE).total, 50);
	CHECK_EQ_INT(count_of(&s, CODE).self, 20);
	CHECK_EQ_INT(count_of(&s, CODE + 8).total, 30);
	CHECK_EQ_INT(count_of(&s, CODE + 16).n, 20);
	CHECK_EQ_INT(lost(&s, TT_LOST_CLOCK), 3);
	shot_end(&s);
}

TEST(a_chunk_that_begins_before_its_threads_last_one_stands_still)
{
	struct shot s;

	shot_begin(&s, 17);
	next(&s, TID, 0);
	mlpd_enter(&s.b, T0 + 100, CODE);
	mlpd_enter(&s.b, T0 + 200, CODE + 8);
	next(&s, TID, 20);
	mlpd_leave(&s.b, T0 + 50, CODE + 8);
	mlpd_leave(&s.b, T0 + 300, CODE);
	shot_run(&s, MEMRUN_REPORT);
	CHECK_EQ_INT(count_of(&s, CODE + 8).total, 0);
	CHECK_EQ_INT(count_of(&s, CODE).total, 200);
	CHECK_EQ_INT(count_of(&s, CODE).self, 200);
	CHECK(lost(&s, TT_LOST_CLOCK) > 0);
	shot_end(&s);
}

TEST(samples_keep_their_threads_when_a_chunk_is_decoded_again)
{
	const uint64_t ip = CODE, frame = CODE + 64;
	const struct mlpd_stack stack = { &frame, 1 };
	struct shot s;

	shot_begin(&s, 17);
	next(&s, OTHER, 0);
	mlpd_enter(&s.b, T0 + 5, CODE + 32);
	next(&s, TID, 0);
	mlpd_enter(&s.b, T0 + 10, CODE);
	next(&s, TID, 100);
	mlpd_hit(&s.b, T0 + 105, OTHER, &ip, 1, &stack);
	mlpd_enter(&s.b, T0 + 110, CODE + 8);
	mlpd_leave(&s.b, T0 + 150, CODE);
	shot_run(&s, MEMRUN_REPORT | MEMRUN_EMIT);
	uint64_t found = 0;
	for (uint32_t i = 0; s.r.m && i < tt_tree_count(s.r.m->tree); i++) {
		const struct tt_node *n = tt_tree_node(s.r.m->tree, i);

		if (n->kind != TT_NODE_SAMPLES)
			continue;
		found++;
		if (CHECK(n->key < s.r.m->threads.n))
			CHECK_EQ_INT(s.r.m->threads.t[n->key]->tid, OTHER);
	}
	CHECK_EQ_INT(found, 1);
	shot_end(&s);
}

TEST(native_binaries_have_a_time_in_old_versions_too)
{
	struct shot s;

	shot_begin(&s, 8);
	next(&s, TID, 0);
	mlpd_enter(&s.b, T0 + 10, CODE);
	mlpd_binary(&s.b, T0 + 1000, CODE, 0, 128, "/bin/true");
	mlpd_leave(&s.b, T0 + 1010, CODE);
	shot_run(&s, MEMRUN_CALLS);
	CHECK_EQ_INT(count_of(&s, CODE).total, 1000);
	CHECK(!memrun_damaged(&s.r));
	shot_end(&s);
}

/* The event of another version, which has the tag for nothing. */
static void
check_unknown(int version, void (*put)(struct mlpd_buffer *))
{
	struct shot s;

	shot_begin(&s, version);
	next(&s, TID, 0);
	mlpd_enter(&s.b, T0 + 10, CODE);
	put(&s.b);
	next(&s, TID, 100);
	mlpd_enter(&s.b, T0 + 110, CODE);
	shot_run(&s, MEMRUN_CALLS);
	CHECK_EQ_INT(lost(&s, TT_LOST_UNKNOWN), 1);
	CHECK_EQ_INT(memrun_events(&s.r), 2);
	shot_end(&s);
}

static void put_sync(struct mlpd_buffer *b) { mlpd_sync(b, T0 + 20, 0); }
static void put_aot(struct mlpd_buffer *b) { mlpd_aot_id(b, T0 + 20, "id"); }
static void put_binary(struct mlpd_buffer *b) { mlpd_binary(b, T0 + 20, CODE, 0, 1, "x"); }

static void
put_coverage(struct mlpd_buffer *b)
{
	const uint64_t figures[3] = { 1, 1, 0 };

	mlpd_cov_class(b, T0 + 20, "a", "c", figures);
}

TEST(events_that_the_version_does_not_have_are_unknown)
{
	check_unknown(12, put_sync);
	check_unknown(15, put_aot);
	check_unknown(16, put_binary);
	check_unknown(9, put_coverage);
	check_unknown(16, put_coverage);
}

TEST(a_class_loaded_again_at_its_old_address_keeps_its_own_allocations)
{
	const uint64_t vt = 0x2000, cls = 0x1000;
	struct shot s;
	uint64_t bytes[2] = { 0 };

	shot_begin(&s, 17);
	next(&s, TID, 0);
	mlpd_class(&s.b, T0 + 10, MLPD_LOAD, cls, 0x500, "One");
	mlpd_vtable(&s.b, T0 + 11, MLPD_LOAD, vt, 0, cls);
	mlpd_alloc(&s.b, T0 + 12, vt, 0x8000, 16, NULL);
	mlpd_class(&s.b, T0 + 20, MLPD_LOAD, cls, 0x500, "Two");
	mlpd_vtable(&s.b, T0 + 21, MLPD_LOAD, vt, 0, cls);
	mlpd_alloc(&s.b, T0 + 22, vt, 0x8010, 32, NULL);
	shot_run(&s, MEMRUN_CALLS);
	for (uint32_t i = 0; s.r.m && i < tt_tree_count(s.r.m->tree); i++) {
		const struct tt_node *n = tt_tree_node(s.r.m->tree, i);

		if (n->kind != TT_NODE_ALLOC)
			continue;
		const char *name = tt_model_class(s.r.m, 0, n->key);
		bytes[strcmp(name, "Two") == 0] += (uint64_t)tt_counts_get(s.r.m->counts, i).total;
	}
	CHECK_EQ_INT(bytes[0], 16);
	CHECK_EQ_INT(bytes[1], 32);
	shot_end(&s);
}

/* A life of one thread; ${name} NULL: it has none. */
static void
live(struct shot *s, uint64_t time, const char *name)
{
	next(s, TID, time);
	mlpd_thread(&s->b, T0 + time, MLPD_LOAD, TID, NULL);
	if (name)
		mlpd_thread(&s->b, T0 + time + 1, MLPD_NAME, TID, name);
	mlpd_enter(&s->b, T0 + time + 2, CODE + 1);
	mlpd_leave(&s->b, T0 + time + 3, CODE + 1);
	mlpd_thread(&s->b, T0 + time + 4, MLPD_UNLOAD, TID, NULL);
}

/* The system gives a thread's id to the next one; its name it does not. */
TEST(threads_of_one_id_have_names_of_their_own)
{
	static const char *const names[] = { NULL, "named", NULL, NULL, "later", "later", NULL };
	static const char *const shown[] = { "Thread 1", "named", "Thread 3", "Thread 4", "later", "later", "Thread 7" };
	enum { N = sizeof names / sizeof *names };

	for (int version = 4; version <= 17; version++) {
		struct shot s;

		shot_begin(&s, version);
		for (uint64_t i = 0; i < N; i++)
			live(&s, 100 * i, names[i]);
		shot_run(&s, MEMRUN_CALLS);
		CHECK_EQ_INT(s.r.m ? s.r.m->threads.n : 0, N);
		for (size_t i = 0; s.r.m && i < s.r.m->threads.n && i < N; i++)
			CHECK_STR(s.r.m->threads.t[i]->name, shown[i]);
		shot_end(&s);
	}
}

/* Bytes of a class allocated by the method at the end of a recorded stack of ${depth} frames. */
static int64_t
allocated_at(const struct shot *s, uint64_t class, uint64_t leaf, uint32_t depth)
{
	const struct tt_model *m = s->r.m;
	int64_t sum = 0;

	for (uint32_t i = 0; m && i < tt_tree_count(m->tree); i++) {
		const struct tt_node *n = tt_tree_node(m->tree, i), *up = tt_tree_node(m->tree, n->parent);

		if (n->kind == TT_NODE_ALLOC && n->key == class && up->key == leaf && up->depth == depth)
			sum += tt_counts_get(m->counts, i).total;
	}
	return sum;
}

/* In the file a frame is its distance from the one before: bytes that are the same may be another stack. */
TEST(stacks_of_the_same_distances_are_told_apart)
{
	enum { STACKS = 1000, CHUNK = 100 };
	struct shot s;

	shot_begin(&s, 17);
	for (uint64_t i = 0; i < 2 * STACKS; i++) {
		const uint64_t which = i < STACKS ? i : 2 * STACKS - 1 - i;
		const uint64_t from = CODE + which % 10 * 4096, step = 64 + which / 10 * 8;
		const uint64_t frame[] = { from, from + step, from + 2 * step };

		if (i % CHUNK == 0)
			next(&s, TID, 2 * i);
		for (size_t n = 0; n <= 3; n++)
			mlpd_alloc(&s.b, T0 + 2 * i, 0x2000, 0x8000 + 64 * i, (i + 1) << 4 * n, &(struct mlpd_stack){ frame, n });
		mlpd_alloc(&s.b, T0 + 2 * i, 0x3000 + 8 * which, 0x8000 + 64 * i, 1, &(struct mlpd_stack){ frame, 3 });
	}
	shot_run(&s, MEMRUN_CALLS);
	for (uint64_t i = 0; i < STACKS; i++) {
		const uint64_t from = CODE + i % 10 * 4096, step = 64 + i / 10 * 8;

		CHECK_EQ_INT(allocated_at(&s, 0x2000, from + step, 2), (2 * STACKS + 1) << 8);
		CHECK_EQ_INT(allocated_at(&s, 0x2000, from + 2 * step, 3), (2 * STACKS + 1) << 12);
		CHECK_EQ_INT(allocated_at(&s, 0x3000 + 8 * i, from + 2 * step, 3), 2);
	}
	CHECK(!memrun_damaged(&s.r));
	shot_end(&s);
}

/* --- heap roots ------------------------------------------------------------------------------------ */

enum { VT = 0x2000, HELD = 0x8000, LOOSE = 0x8100 };

static uint64_t
shot_now(void *arg)
{
	struct shot *s = arg;

	return ++s->now;
}

static void
two_objects(void *arg)
{
	struct shot *s = arg;

	mlpd_heap_object(&s->b, s->now, HELD, VT, 64, 1, NULL, 0);
	mlpd_heap_object(&s->b, s->now, LOOSE, VT, 32, 1, NULL, 0);
}

static void
collect(struct shot *s, uint64_t tid, const uint64_t *held, size_t n, bool heap_shot)
{
	struct mlpd_root root[4];

	s->now += 100;
	next(s, tid, s->now - T0);
	for (size_t i = 0; i < n; i++)
		root[i] = (struct mlpd_root){ .slot = 1, .obj = held[i], .kind = 1 };
	mlpd_collect(&s->b, &(struct mlpd_collection){ .generation = 1, .roots = root, .nroots = n, .heap_bytes = 4096,
		.objects = heap_shot ? two_objects : NULL, .now = shot_now, .arg = s });
}

/* What the shot numbered ${i} has of roots, and what they reach. */
static void
check_roots(const struct shot *s, size_t i, uint64_t roots, uint64_t reached)
{
	const struct tt_model *m = s->r.m;

	if (!CHECK(m && i < tt_heap_shots(m)->n))
		return;
	CHECK_EQ_INT(tt_heap_shots(m)->shot[i].roots, roots);
	const struct tt_graph *g = tt_graph(m);
	uint64_t n = 0;
	for (size_t k = 1; k < g->npath; k++)
		n += g->path[k].n;
	if (g->shot == i + 1)
		CHECK_EQ_INT(n, reached);
}

/* Roots of a collection belong to its shot wherever the version records them: before its begin, or inside. */
TEST(a_shot_has_the_roots_of_its_collection_in_every_version)
{
	static const uint64_t one[] = { HELD }, both[] = { HELD, LOOSE, LOOSE };

	for (int version = 4; version <= 17; version++) {
		struct shot s;

		shot_begin(&s, version);
		s.now = T0;
		collect(&s, TID, both, 3, true);
		collect(&s, TID, both, 3, false);
		collect(&s, TID, one, 1, true);
		shot_run(&s, MEMRUN_REPORT);
		check_roots(&s, 0, 3, 2);
		check_roots(&s, 1, 1, 1);
		CHECK(!memrun_damaged(&s.r));
		shot_end(&s);
	}
}

/* Buffers of two threads come in any order: between roots and their shot may be a collection of another thread. */
TEST(roots_ahead_of_a_shot_are_those_of_its_own_thread)
{
	static const uint64_t other[] = { HELD, LOOSE, LOOSE };
	struct shot s;

	shot_begin(&s, 11);
	s.now = T0 + 10;
	next(&s, TID, 10);
	mlpd_gc_event(&s.b, shot_now(&s), 6, 1);
	mlpd_gc_event(&s.b, shot_now(&s), 0, 1);
	mlpd_roots(&s.b, s.now, &(struct mlpd_root){ .obj = HELD, .kind = 1 }, 1);
	collect(&s, OTHER, other, 3, false);
	next(&s, TID, 20);
	s.now = T0 + 20;
	mlpd_heap_begin(&s.b, shot_now(&s));
	two_objects(&s);
	mlpd_heap_end(&s.b, shot_now(&s));
	shot_run(&s, MEMRUN_REPORT);
	check_roots(&s, 0, 1, 1);
	shot_end(&s);
}

/* --- damage that decodes ------------------------------------------------------------------------------- */

/* Five zero bytes have the shape of an allocation of 0 bytes, and a lost page is a run of them. */
TEST(an_allocation_of_no_bytes_is_damage)
{
	for (int version = 4; version <= 17; version++) {
		struct shot s;

		shot_begin(&s, version);
		next(&s, TID, 0);
		mlpd_alloc(&s.b, T0 + 10, VT, HELD, 8, NULL);
		for (int i = 0; i < 20; i++)
			mlpd_u8(&s.b.events, 0);
		next(&s, TID, 100);
		mlpd_alloc(&s.b, T0 + 110, VT, LOOSE, 16, NULL);
		shot_run(&s, MEMRUN_CALLS);
		CHECK_EQ_INT(lost(&s, TT_LOST_DAMAGED), 1);
		CHECK_EQ_INT(memrun_events(&s.r), 2);
		shot_end(&s);
	}
}

/* --- what stands open -------------------------------------------------------------------------------------- */

/* The time of the allocation that is the thread's last event, and not that of its last call. */
TEST(open_zones_end_at_the_last_event_of_their_thread)
{
	for (int chunks = 1; chunks <= 2; chunks++) {
		struct shot s;

		shot_begin(&s, 17);
		next(&s, OTHER, 0);
		mlpd_enter(&s.b, T0 + 5, CODE + 64);
		mlpd_alloc(&s.b, T0 + 5000, VT, HELD, 8, NULL);
		next(&s, TID, 10);
		mlpd_enter(&s.b, T0 + 10, CODE);
		mlpd_enter(&s.b, T0 + 20, CODE + 8);
		if (chunks == 2)
			next(&s, TID, 100);
		mlpd_alloc(&s.b, T0 + 110, VT, HELD, 8, NULL);
		mlpd_alloc(&s.b, T0 + 1010, VT, LOOSE, 16, NULL);
		shot_run(&s, MEMRUN_CALLS);
		CHECK_EQ_INT(count_of(&s, CODE).total, 1000);
		CHECK_EQ_INT(count_of(&s, CODE + 8).total, 990);
		CHECK_EQ_INT(count_of(&s, CODE + 64).total, 4995);
		CHECK_EQ_INT(lost(&s, TT_LOST_OPEN), 3);
		shot_end(&s);
	}
}

/* The same where damage cuts a thread's calls: what it allocated before that lies in them. */
TEST(zones_that_damage_cuts_end_at_the_last_event_before_it)
{
	for (int chunks = 1; chunks <= 2; chunks++) {
		struct shot s;

		shot_begin(&s, 17);
		next(&s, TID, 0);
		mlpd_enter(&s.b, T0 + 10, CODE);
		if (chunks == 2)
			next(&s, TID, 100);
		mlpd_alloc(&s.b, T0 + 510, VT, HELD, 8, NULL);
		mlpd_u8(&s.b.events, 0xff);
		next(&s, TID, 2000);
		mlpd_enter(&s.b, T0 + 2010, CODE + 8);
		mlpd_leave(&s.b, T0 + 2020, CODE + 8);
		shot_run(&s, MEMRUN_CALLS);
		CHECK_EQ_INT(count_of(&s, CODE).total, 500);
		CHECK_EQ_INT(depth_of(&s, CODE + 8), 1);
		CHECK_EQ_INT(lost(&s, TT_LOST_UNKNOWN), 1);
		shot_end(&s);
	}
}

/*
 * Tests of collect/heap_graph.h and of the walk below it (heap_retainers.c): random graphs against a walk over their lists, one path by hand, and what
 * joins a path.
 */
#include "check.h"

#include "collect/heap_graph.h"
#include "collect/heap_shots.h"
#include "game.h"
#include "model/model.h"

enum { CLASSES = 6, MOST = 600, REFS = 5, ROOTS = 7, SLOT = 0x70000000 };
enum { NEEDS = TT_NEEDS_SHOTS | TT_NEEDS_GRAPH | TT_NEEDS_HEAP | TT_NEEDS_CALLS };
enum { STATIC = 3 };                    /* the source of roots that are static fields, as Mono numbers them */

/* A heap: objects with their classes and references, and what roots refer to. A number past all objects is none in the shot. */
static struct heap {
	unsigned n, class[MOST], nref[MOST], ref[MOST][2 * REFS], nroot, root[ROOTS], key[ROOTS];
	bool split;                   /* references beyond REFS come in a record of their own, at the end */
	uint64_t apart;               /* the first object lies that many bytes above the others */
} heap;
static struct game g;
static const struct tt_graph *graph;
static const struct tt_heap_shots *shots;

static uint64_t
now(void *arg)
{
	(void)arg;
	game_spend(&g, 1);
	return game_now(&g);
}

static uint64_t
address(unsigned i)
{
	return GAME_OBJECT(i) + (i == 0 ? heap.apart : 0);
}

static void
put_object(unsigned i, unsigned from, unsigned end, uint64_t size)
{
	struct mlpd_ref ref[2 * REFS];

	for (unsigned k = from; k < end; k++)
		ref[k - from] = (struct mlpd_ref){ 8 * k, address(heap.ref[i][k]) };
	mlpd_heap_object(game_buffer(&g), now(NULL), address(i), GAME_VTABLE(heap.class[i]), size, 0, ref, end - from);
}

static void
put_objects(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < heap.n; i++)
		put_object(i, 0, heap.split && heap.nref[i] > REFS ? REFS : heap.nref[i], 32);
	for (unsigned i = heap.n; heap.split && i-- > 0;)
		if (heap.nref[i] > REFS)
			put_object(i, REFS, heap.nref[i], 0);
}

static void
run(void)
{
	struct mlpd_root root[ROOTS];
	struct mlpd_collection c = { .generation = 1, .roots = root, .nroots = heap.nroot, .heap_bytes = 1 << 20, .objects = put_objects, .now = now };
	static const char *const name[CLASSES] = { "Game.A", "Game.B", "Game.C", "Game.D", "Game.E", "Game.F" };

	game_begin(&g);
	for (unsigned i = 0; i < CLASSES; i++)
		game_class(&g, i, name[i]);
	for (unsigned i = 0; i < heap.nroot; i++) {
		mlpd_root_register(game_buffer(&g), now(NULL), SLOT + 0x100 * heap.key[i], 0x80, STATIC, 0x1000 + heap.key[i], "static fields");
		root[i] = (struct mlpd_root){ .slot = SLOT + 0x100 * heap.key[i] + 8 * (i % 4), .obj = address(heap.root[i]) };
	}
	mlpd_collect(game_buffer(&g), &c);
	game_run(&g, NEEDS);
	graph = tt_graph(g.r.m);
	shots = tt_heap_shots(g.r.m);
	CHECK_EQ_INT(graph->shot, 1);
	CHECK(!graph->is_out_of_memory && !graph->is_too_spread);
	CHECK_EQ_INT(graph->nobjects, heap.n);
}

static void
end(void)
{
	CHECK_EQ_INT(game_end(&g), 0);
}

/* The class of the test that the index of a class in the shot is. */
static unsigned
class_of(uint32_t index)
{
	return (unsigned)((shots->key[index] - GAME_VTABLE(0)) / 64);
}

/* A heap of ${n} objects, by ${seed}: some are reached, some are not, some references lead nowhere. */
static void
draw_heap(unsigned n, uint64_t seed, bool split)
{
	memset(&heap, 0, sizeof heap);
	heap.n = n;
	heap.split = split;
	heap.nroot = ROOTS;
	for (unsigned i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		heap.class[i] = (unsigned)(seed >> 33) % CLASSES;
		heap.nref[i] = (unsigned)(seed >> 40) % (split ? 2 * REFS : 3);
		for (unsigned k = 0; k < heap.nref[i]; k++)
			heap.ref[i][k] = (unsigned)((seed >> 44) + 7919 * k) % (n + 2);
	}
	for (unsigned i = 0; i < ROOTS; i++) {
		heap.root[i] = (unsigned)(seed >> (30 + i)) % (n + 1);
		heap.key[i] = i / 2;
	}
}

/* Against the lists. */
static void
check_graph(void)
{
	uint64_t by_class[CLASSES][CLASSES] = { { 0 } }, unreached[CLASSES] = { 0 }, reached[CLASSES] = { 0 }, roots = 0, sum = 0;
	unsigned queue[MOST], nqueue = 0;
	bool met[MOST] = { false };

	for (unsigned i = 0; i < heap.n; i++)
		for (unsigned k = 0; k < heap.nref[i]; k++)
			if (heap.ref[i][k] < heap.n)
				by_class[heap.class[i]][heap.class[heap.ref[i][k]]]++;
	for (unsigned i = 0; i < heap.nroot; i++) {
		const unsigned to = heap.root[i];

		roots += to < heap.n;
		if (to < heap.n && !met[to])
			queue[nqueue++] = to;
		if (to < heap.n)
			met[to] = true;
	}
	for (unsigned at = 0; at < nqueue; at++)
		for (unsigned k = 0; k < heap.nref[queue[at]]; k++) {
			const unsigned to = heap.ref[queue[at]][k];

			if (to < heap.n && !met[to]) {
				met[to] = true;
				queue[nqueue++] = to;
			}
		}
	for (unsigned i = 0; i < heap.n; i++)
		(met[i] ? reached : unreached)[heap.class[i]]++;
	for (uint32_t a = 0; a < shots->nkey; a++) {
		CHECK_EQ_INT(graph->unreached[a], unreached[class_of(a)]);
		for (uint32_t b = 0; b < shots->nkey; b++)
			CHECK_EQ_INT(tt_tally_get(&graph->by_class, (uint64_t)a << 32 | b), by_class[class_of(a)][class_of(b)]);
	}
	for (size_t i = 0; i < graph->nroot; i++)
		roots -= graph->root[i].n;
	CHECK_EQ_INT(roots, 0);
	/* Each object that is reached is on one path, whose last step is its class. */
	uint64_t on_path[CLASSES] = { 0 };
	for (size_t i = 1; i < graph->npath; i++) {
		const struct tt_graph_path *p = &graph->path[i];

		CHECK(p->parent < i);
		if (p->parent == 0) {
			CHECK_EQ_INT(p->n, 0);
			continue;
		}
		on_path[class_of(p->class_or_root)] += p->n;
		sum += p->n;
		/* A path names a class once. */
		for (uint32_t up = p->parent; graph->path[up].parent != 0; up = graph->path[up].parent)
			CHECK(graph->path[up].class_or_root != p->class_or_root);
	}
	for (unsigned k = 0; k < CLASSES; k++)
		CHECK_EQ_INT(on_path[k], reached[k]);
	CHECK_EQ_INT(sum, nqueue);
	CHECK_EQ_INT(graph->nbeyond_paths, 0);
}

TEST(references_paths_and_what_is_not_reached_are_those_of_the_objects)
{
	static const unsigned n[] = { 1, 2, 17, 31, 32, 33, 64, 200, MOST };

	for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
		for (unsigned split = 0; split < 2; split++) {
			draw_heap(n[i], 3 + i, split);
			run();
			check_graph();
			end();
		}
	}
}

/* Addresses are kept as 31 bits of 8 bytes around the first one: 8 GiB below it are the lowest that there is room for. */
TEST(objects_may_lie_eight_gigabytes_below_the_first)
{
	draw_heap(40, 5, false);
	heap.apart = (UINT64_C(8) << 30) - 512;
	run();
	check_graph();
	end();
}

TEST(a_list_of_one_class_is_one_step)
{
	memset(&heap, 0, sizeof heap);
	heap.n = MOST;
	heap.nroot = 1;
	for (unsigned i = 0; i + 1 < MOST; i++) {
		heap.nref[i] = 1;
		heap.ref[i][0] = i + 1;
	}
	run();
	check_graph();
	/* Not reached, the root, and the class. */
	CHECK_EQ_INT(graph->npath, 3);
	CHECK_EQ_INT(graph->path[2].n, MOST);
	end();
}

TEST(an_object_is_on_the_shortest_of_its_paths)
{
	/* A 0 -> B 1 -> C 2 -> D 3, and A 0 -> E 4 -> D 3. */
	memset(&heap, 0, sizeof heap);
	heap.n = 5;
	heap.nroot = 1;
	for (unsigned i = 0; i < 5; i++)
		heap.class[i] = i;
	heap.nref[0] = 2;
	heap.ref[0][0] = 1;
	heap.ref[0][1] = 4;
	heap.nref[1] = heap.nref[2] = heap.nref[4] = 1;
	heap.ref[1][0] = 2;
	heap.ref[2][0] = 3;
	heap.ref[4][0] = 3;
	run();
	check_graph();
	for (size_t i = 1; i < graph->npath; i++)
		if (graph->path[i].parent && graph->path[i].n && class_of(graph->path[i].class_or_root) == 3)
			CHECK_EQ_INT(class_of(graph->path[graph->path[i].parent].class_or_root), 4);
	CHECK_EQ_INT(graph->root[0].key, 0x1000);
	CHECK_EQ_INT(graph->root[0].source, STATIC);
	CHECK_STR(graph->root[0].text, "static fields");
	end();
}

TEST(roots_alike_are_one_and_unknown_slots_are_told_apart)
{
	memset(&heap, 0, sizeof heap);
	heap.n = 2;
	heap.nroot = 4;
	heap.class[1] = 1;
	heap.root[2] = heap.root[3] = 1;
	heap.key[2] = 1;
	heap.key[3] = 1;
	run();
	check_graph();
	CHECK_EQ_INT(graph->nroot, 2);
	CHECK_EQ_INT(graph->root[0].n + graph->root[1].n, 4);
	end();
}

TEST(a_heap_without_roots_is_not_reached)
{
	draw_heap(50, 8, false);
	heap.nroot = 0;
	run();
	check_graph();
	uint64_t n = 0;
	for (uint32_t i = 0; i < graph->nunreached; i++)
		n += graph->unreached[i];
	CHECK_EQ_INT(n, 50);
	end();
}

TEST(it_says_how_much_memory_it_takes)
{
	draw_heap(MOST, 4, false);
	run();
	/* 8 bytes and a word for the path of an object, 4 of a reference: see the header. */
	CHECK(graph->needed_bytes >= graph->nobjects * 12 + graph->nrefs * 4);
	CHECK(graph->needed_bytes <= graph->nobjects * 24 + graph->nrefs * 8 + (4 << 20));
	CHECK_EQ_INT(shots->shot[0].n, MOST);
	end();
}

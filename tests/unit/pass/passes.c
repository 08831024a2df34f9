/* Tests of lib/pass: each figure against a small tree whose figures are known by hand. */
#include "check.h"

#include "collect/collections.h"
#include "model/defs.h"
#include "view/view.h"
#include "pass/passes.h"

static struct tt_env env;
static struct tt_err err;
static struct tt_loss loss;

struct world {
	struct tt_model m;
	struct tt_capture cap;
	struct tt_capture *caps[1];
	struct tt_frames frames;
	struct tt_report r;
	struct tt_views view;
};

/* --- building ---------------------------------------------------------------------- */

static int
category(const struct tt_capture *c, const struct tt_def *d, const char **name, struct tt_err *e)
{
	(void)c;
	(void)e;
	*name = strncmp(d->text, "Game.", 5) == 0 ? "Game" : "mscorlib";
	if (strncmp(d->text, "(wrapper", 8) == 0)
		*name = "(wrapper)";
	return TT_OK;
}

static void
define(struct world *w, enum tt_def_kind kind, uint64_t key, const char *text)
{
	struct tt_def d = { .kind = (uint8_t)kind, .key = key, .text = text, .len = (uint32_t)strlen(text) };

	CHECK_EQ_INT(tt_defs_add(w->cap.defs, &d, &err), TT_OK);
}

static struct tt_thread *
thread(struct world *w, uint64_t tid, const char *name)
{
	struct tt_thread *t = NULL;

	define(w, TT_DEF_THREAD, tid, name);
	CHECK_EQ_INT(tt_threads_get(&w->m.threads, 0, tid, false, &t, &err), TT_OK);
	t->first_ts = 0;
	t->last_ts = 2000;
	return t;
}

static uint32_t
node(struct world *w, uint32_t parent, enum tt_node_kind kind, uint64_t key, uint64_t n, int64_t total, int64_t self)
{
	uint32_t id = 0;
	struct tt_count *c;

	CHECK_EQ_INT(tt_tree_add(w->m.tree, parent, kind, key, 0, &id, &err), TT_OK);
	c = tt_counts_at(w->m.counts, id, &err);
	c->n += n;
	c->total += total;
	c->self += self;
	return id;
}

/* The distribution of the marker of a node. */
static void
durations(struct world *w, uint32_t id, uint64_t dur, unsigned n)
{
	struct tt_dist *d = tt_counts_dist(w->m.counts, tt_tree_node(w->m.tree, id)->marker, &err);

	for (unsigned i = 0; i < n; i++)
		CHECK_EQ_INT(tt_counts_dur(w->m.counts, d, dur, &err), TT_OK);
}

enum { FRAME = 0x10, DRAW = 0x20, CONCAT = 0x30, CONCAT3 = 0x31, WRAPPER = 0x40, TWIN = 0x21 };

static void
open_world(struct world *w)
{
	memset(w, 0, sizeof *w);
	w->cap.category = category;
	w->cap.records = TT_REC_ALLOCS | TT_REC_COLLECTIONS;
	w->caps[0] = &w->cap;
	w->m = (struct tt_model){ .env = &env, .cap = w->caps, .ncap = 1, .loss = &loss };
	tt_loss_reset(&loss);
	CHECK_EQ_INT(tt_defs_new(&env.mem, &w->cap.defs, &err), TT_OK);
	CHECK_EQ_INT(tt_tree_new(&env.mem, 1000, &w->m.tree, &err), TT_OK);
	CHECK_EQ_INT(tt_counts_new(&env.mem, &w->m.counts, &err), TT_OK);
	tt_arena_init(&w->m.arena, &env.mem);
	tt_threads_init(&w->m.threads, &env.mem);
	tt_filter_init(&w->m.filter);
	tt_report_init(&w->r, &env.mem);
	define(w, TT_DEF_MARKER, FRAME, "Game.World:Frame ()");
	define(w, TT_DEF_MARKER, DRAW, "Game.World:Draw (int)");
	define(w, TT_DEF_MARKER, TWIN, "Game.World:Draw (int)");
	define(w, TT_DEF_MARKER, CONCAT, "System.String:Concat (string,string)");
	define(w, TT_DEF_MARKER, CONCAT3, "System.String:Concat (string,string,string)");
	define(w, TT_DEF_MARKER, WRAPPER, "(wrapper alloc) object:AllocSmall (intptr,intptr)");
	define(w, TT_DEF_CLASS, 0x77, "System.Byte[]");
	define(w, TT_DEF_CLASS, 0x78, "System.Byte[]");
	define(w, TT_DEF_CLASS, 0x79, "System.String");
}

static void
close_world(struct world *w)
{
	tt_report_free(&w->r);
	tt_view_free(&w->view);
	tt_frames_empty(&w->frames);
	tt_counts_free(w->m.counts);
	tt_tree_free(w->m.tree);
	tt_defs_free(w->cap.defs);
	tt_threads_free(&w->m.threads);
	tt_arena_free(&w->m.arena);
	CHECK_EQ_INT(env.mem.used, 0);
}

/*
 * Main:   Frame(2, 1000, 400) > Draw(3, 500, 300) > Draw(1, 200, 200)
 *                             > wrapper(5, 100, 60) > GC.Pause(1, 40, 40); 5 x 64 bytes of class 0x77
 *         Concat(1, 10, 10)
 * Worker: Draw(1, 100, 90) > Concat3(1, 10, 10); 1 x 32 bytes of class 0x78 outside any zone
 */
static void
build(struct world *w)
{
	uint32_t main_root, worker, frame, draw, wrap, concat;

	open_world(w);
	thread(w, 0x1000, "Main");
	thread(w, 0x2000, "Worker");
	main_root = node(w, 0, TT_NODE_THREAD, 0, 0, 0, -1010);
	frame = node(w, main_root, TT_NODE_ZONE, FRAME, 2, 1000, 400);
	draw = node(w, frame, TT_NODE_ZONE, DRAW, 3, 500, 300);
	node(w, draw, TT_NODE_ZONE, DRAW, 1, 200, 200);
	wrap = node(w, frame, TT_NODE_ZONE, WRAPPER, 5, 100, 60);
	node(w, wrap, TT_NODE_ZONE, TT_KEY_GC_PAUSE, 1, 40, 40);
	node(w, wrap, TT_NODE_ALLOC, 0x77, 5, 320, 0);
	node(w, frame, TT_NODE_ALLOC, 0x78, 2, 128, 0);
	concat = node(w, main_root, TT_NODE_ZONE, CONCAT, 1, 10, 10);
	node(w, concat, TT_NODE_ALLOC, 0x79, 1, 48, 0);
	worker = node(w, 0, TT_NODE_THREAD, 1, 0, 0, -100);
	draw = node(w, worker, TT_NODE_ZONE, DRAW, 1, 100, 90);
	node(w, draw, TT_NODE_ZONE, CONCAT3, 1, 10, 10);
	node(w, worker, TT_NODE_ALLOC, 0x78, 1, 32, 0);
	durations(w, frame, 500, 2);
	durations(w, draw, 100, 4);
	durations(w, draw, 200, 1);
	CHECK_EQ_INT(tt_model_resolve(&w->m, TT_NAMES_SHORT, &err), TT_OK);
}

/* --- reading ---------------------------------------------------------------------- */

/* A report of the model as it is now: it may have grown since the last one. */
static void
report(struct world *w, const struct tt_pass *p, const struct tt_pass_opts *o)
{
	tt_report_free(&w->r);
	tt_view_free(&w->view);
	tt_view_init(&w->view, &w->m);
	tt_pass_report(p, &w->view, o, &w->r);
	CHECK_EQ_INT(tt_report_error(&w->r, &err), TT_OK);
}

static const struct tt_table *
run(struct world *w, const struct tt_pass *p, const struct tt_pass_opts *o, const char *id)
{
	static const struct tt_pass_opts none;
	const char *const table[] = { id, NULL };
	struct tt_pass_opts opts = o ? *o : none;

	opts.table = table;
	report(w, p, &opts);
	CHECK(w->r.first && w->r.first == w->r.last);
	CHECK_STR(w->r.first->id, id);
	return w->r.first;
}

static const struct tt_cell *
cell(const struct tt_table *t, size_t row, const char *col)
{
	static const struct tt_cell none = { .empty = true };

	for (size_t c = 0; c < t->ncol && row < t->nrow; c++) {
		if (strcmp(t->col[c].id, col) == 0)
			return &t->cell[row * t->ncol + c];
	}
	CHECK_STR("no such cell", col);
	return &none;
}

static int64_t
value(const struct tt_table *t, size_t row, const char *col)
{
	const struct tt_cell *c = cell(t, row, col);

	return c->empty ? -1 : c->v;
}

/* The row whose first column is ${name}, or nrow. */
static size_t
row_of(const struct tt_table *t, const char *name)
{
	size_t row = 0;

	while (row < t->nrow && strcmp(t->cell[row * t->ncol].s, name) != 0)
		row++;
	return row;
}

/* --- markers ------------------------------------------------------------------------ */

TEST(markers_count_total_once_and_self_always)
{
	struct world w;
	const struct tt_table *t;

	build(&w);
	t = run(&w, &tt_pass_markers, NULL, "markers");
	CHECK_EQ_INT(t->nrow, 5);
	CHECK_STR(t->cell[0].s, "World:Draw");
	CHECK_EQ_INT(value(t, 0, "count"), 5);
	CHECK_EQ_INT(value(t, 0, "total_ns"), 600);
	CHECK_EQ_INT(value(t, 0, "self_ns"), 590);
	CHECK_EQ_INT(value(t, 0, "mean_ns"), 160);
	CHECK_EQ_INT(value(t, 0, "median_ns"), 101);
	CHECK_EQ_INT(value(t, 0, "min_ns"), 100);
	CHECK_EQ_INT(value(t, 0, "max_ns"), 200);
	CHECK_EQ_INT(value(t, 0, "p99_ns"), 200);
	CHECK_EQ_INT(value(t, 0, "depth_min"), 1);
	CHECK_EQ_INT(value(t, 0, "depth_max"), 3);
	CHECK_EQ_INT(value(t, 0, "threads"), 2);
	CHECK_EQ_INT(value(t, 0, "frames"), -1);
	CHECK_STR(cell(t, 0, "category")->s, "Game");
	CHECK_EQ_INT(value(t, 0, "self_share"), 5315);
	close_world(&w);
}

TEST(a_hidden_wrapper_gives_its_self_time_to_the_zone_around_it)
{
	struct world w;
	const struct tt_table *t;
	size_t frame;

	build(&w);
	t = run(&w, &tt_pass_markers, NULL, "markers");
	frame = row_of(t, "World:Frame");
	CHECK_EQ_INT(value(t, frame, "self_ns"), 460);
	CHECK_EQ_INT(value(t, frame, "total_ns"), 1000);
	CHECK_EQ_INT(row_of(t, "(wrapper alloc) object:AllocSmall"), t->nrow);
	w.m.filter.wrappers = true;
	t = run(&w, &tt_pass_markers, NULL, "markers");
	CHECK_EQ_INT(value(t, row_of(t, "World:Frame"), "self_ns"), 400);
	CHECK_EQ_INT(value(t, row_of(t, "(wrapper alloc) object:AllocSmall"), "self_ns"), 60);
	close_world(&w);
}

TEST(rows_of_one_short_name_get_their_argument_lists)
{
	struct world w;
	const struct tt_table *t;

	build(&w);
	t = run(&w, &tt_pass_markers, NULL, "markers");
	CHECK(row_of(t, "String:Concat (string,string)") < t->nrow);
	CHECK(row_of(t, "String:Concat (string,string,string)") < t->nrow);
	CHECK_EQ_INT(row_of(t, "String:Concat"), t->nrow);
	close_world(&w);
}

TEST(keys_of_one_name_are_one_row_whose_nested_time_counts_once)
{
	struct world w;
	const struct tt_table *t;
	uint32_t root, a, b;

	open_world(&w);
	thread(&w, 1, "Main");
	root = node(&w, 0, TT_NODE_THREAD, 0, 0, 0, -100);
	a = node(&w, root, TT_NODE_ZONE, DRAW, 1, 100, 40);
	b = node(&w, a, TT_NODE_ZONE, TWIN, 1, 60, 60);
	durations(&w, a, 100, 1);
	durations(&w, b, 60, 1);
	CHECK_EQ_INT(tt_model_resolve(&w.m, TT_NAMES_SHORT, &err), TT_OK);
	t = run(&w, &tt_pass_markers, NULL, "markers");
	CHECK_EQ_INT(t->nrow, 1);
	CHECK_EQ_INT(value(t, 0, "count"), 2);
	CHECK_EQ_INT(value(t, 0, "total_ns"), 100);
	CHECK_EQ_INT(value(t, 0, "self_ns"), 100);
	CHECK_EQ_INT(value(t, 0, "min_ns"), 60);
	CHECK_EQ_INT(value(t, 0, "max_ns"), 100);
	close_world(&w);
}

TEST(filters_choose_marker_rows_and_change_no_figure)
{
	static const char *const glob[] = { "*:Frame", NULL };
	struct world w;
	const struct tt_table *t;

	build(&w);
	w.m.filter.marker = glob;
	CHECK_EQ_INT(tt_model_resolve(&w.m, TT_NAMES_SHORT, &err), TT_OK);
	t = run(&w, &tt_pass_markers, NULL, "markers");
	CHECK_EQ_INT(t->nrow, 1);
	CHECK_EQ_INT(value(t, 0, "self_share"), 4144);
	close_world(&w);
}

TEST(samples_and_recorded_stacks_are_no_time)
{
	struct world w;
	const struct tt_table *t;
	uint32_t n;

	open_world(&w);
	thread(&w, 1, "Main");
	n = node(&w, node(&w, 0, TT_NODE_SAMPLES, 0, 0, 0, 0), TT_NODE_ZONE, FRAME, 7, 0, 0);
	n = node(&w, node(&w, 0, TT_NODE_STACKS, 0, 0, 0, 0), TT_NODE_ZONE, DRAW, 0, 0, 0);
	node(&w, n, TT_NODE_ALLOC, 0x79, 1, 10, 0);
	CHECK_EQ_INT(tt_model_resolve(&w.m, TT_NAMES_SHORT, &err), TT_OK);
	t = run(&w, &tt_pass_markers, NULL, "markers");
	CHECK_EQ_INT(t->nrow, 0);
	CHECK(t->empty_reason);
	CHECK_EQ_INT(run(&w, &tt_pass_calltree, NULL, "calltree")->nrow, 0);
	t = run(&w, &tt_pass_gcalloc, NULL, "alloc_sites");
	CHECK_STR(t->cell[0].s, "World:Draw");
	t = run(&w, &tt_pass_gcalloc, NULL, "alloc_threads");
	CHECK_STR(t->cell[0].s, "Main");
	close_world(&w);
}

/* --- categories ---------------------------------------------------------------------- */

TEST(categories_add_up_and_nested_ones_count_total_once)
{
	struct world w;
	const struct tt_table *t;
	size_t game, lib;

	build(&w);
	t = run(&w, &tt_pass_categories, NULL, "categories");
	CHECK_EQ_INT(t->nrow, 3);
	game = row_of(t, "Game");
	lib = row_of(t, "mscorlib");
	CHECK_EQ_INT(value(t, game, "self_ns"), 460 + 300 + 200 + 90);
	CHECK_EQ_INT(value(t, game, "total_ns"), 1100);
	CHECK_EQ_INT(value(t, game, "count"), 7);
	CHECK_EQ_INT(value(t, lib, "total_ns"), 20);
	CHECK_EQ_INT(value(t, row_of(t, "GC"), "self_ns"), 40);
	t = run(&w, &tt_pass_categories, NULL, "category_threads");
	CHECK_EQ_INT(t->nrow, 5);
	CHECK_STR(cell(t, 0, "thread")->s, "Main");
	CHECK_EQ_INT(value(t, 0, "self_ns"), 960);
	CHECK_EQ_INT(value(t, 0, "total_ns"), 1000);
	CHECK_EQ_INT(value(t, 0, "self_share"), 9505);
	close_world(&w);
}

/* --- allocations ---------------------------------------------------------------------- */

TEST(allocations_by_class_thread_category_and_site)
{
	struct world w;
	const struct tt_table *t;

	build(&w);
	t = run(&w, &tt_pass_gcalloc, NULL, "gcalloc");
	CHECK_EQ_INT(value(t, 0, "bytes"), 528);
	CHECK_EQ_INT(value(t, 0, "count"), 9);
	CHECK_EQ_INT(value(t, 0, "mean_bytes"), 59);
	CHECK_EQ_INT(value(t, 0, "classes"), 2);
	CHECK_EQ_INT(value(t, 0, "frame_median_bytes"), -1);
	t = run(&w, &tt_pass_gcalloc, NULL, "alloc_classes");
	CHECK_EQ_INT(t->nrow, 2);
	CHECK_STR(t->cell[0].s, "System.Byte[]");
	CHECK_EQ_INT(value(t, 0, "bytes"), 480);
	CHECK_EQ_INT(value(t, 0, "count"), 8);
	t = run(&w, &tt_pass_gcalloc, NULL, "alloc_threads");
	CHECK_EQ_INT(value(t, row_of(t, "Main"), "bytes"), 496);
	CHECK_EQ_INT(value(t, row_of(t, "Worker"), "bytes"), 32);
	t = run(&w, &tt_pass_gcalloc, NULL, "alloc_categories");
	CHECK_EQ_INT(value(t, row_of(t, "Game"), "bytes"), 448);
	CHECK_EQ_INT(value(t, row_of(t, "(outside any zone)"), "bytes"), 32);
	t = run(&w, &tt_pass_gcalloc, NULL, "alloc_sites");
	CHECK_EQ_INT(t->nrow, 3);
	CHECK_STR(t->cell[0].s, "World:Frame");
	CHECK_STR(cell(t, 0, "class")->s, "System.Byte[]");
	CHECK_EQ_INT(value(t, 0, "bytes"), 448);
	CHECK_EQ_INT(value(t, 0, "count"), 7);
	CHECK_EQ_INT(value(t, 0, "share"), 8485);
	t = run(&w, &tt_pass_gcalloc, NULL, "alloc_paths");
	CHECK_EQ_INT(t->nrow, 3);
	CHECK_STR(t->cell[0].s, "World:Frame");
	CHECK_STR(cell(t, 1, "path")->s, "String:Concat (string,string)");
	CHECK_STR(cell(t, 2, "path")->s, "(outside any zone)");
	close_world(&w);
}

TEST(path_rows_are_made_only_as_far_as_wanted)
{
	const struct tt_pass_opts o = { .max_rows = 2 };
	struct world w;
	const struct tt_table *t;

	build(&w);
	t = run(&w, &tt_pass_gcalloc, &o, "alloc_paths");
	CHECK_EQ_INT(t->nrow, 2);
	CHECK_EQ_INT(t->hidden, 1);
	close_world(&w);
}

TEST(collections_come_per_generation)
{
	struct tt_gc gc = { .gen = { { 3, 300, 150 }, { 1, 500, 500 } }, .npauses_all = 4, .has_pause = true, .pause_total = 900 };
	struct world w;
	const struct tt_table *t;

	build(&w);
	w.m.collected[TT_COLLECTS_GC] = &gc;
	t = run(&w, &tt_pass_gcalloc, NULL, "gc_generations");
	CHECK_EQ_INT(t->nrow, 2);
	CHECK_EQ_INT(value(t, 0, "mean_ns"), 100);
	CHECK_EQ_INT(value(t, 1, "max_ns"), 500);
	t = run(&w, &tt_pass_gcalloc, NULL, "gcalloc");
	CHECK_EQ_INT(value(t, 0, "collections"), 4);
	CHECK_EQ_INT(value(t, 0, "collection_ns"), 800);
	CHECK_EQ_INT(value(t, 0, "pause_ns"), 900);
	CHECK_EQ_INT(value(t, 0, "heap_max_bytes"), -1);
	close_world(&w);
}

TEST(pauses_are_empty_where_only_collections_are_recorded)
{
	struct tt_gc gc = { .gen = { { 3, 300, 150 } } };
	static const char *const of_pauses[] = { "pauses", "pause_ns", "pause_max_ns", "stopped_ns", "stopped_max_ns" };
	struct world w;
	const struct tt_table *t;

	build(&w);
	t = run(&w, &tt_pass_gcalloc, NULL, "gcalloc");
	for (size_t i = 0; i < 5; i++)
		CHECK_EQ_INT(value(t, 0, of_pauses[i]), 0);
	w.m.collected[TT_COLLECTS_GC] = &gc;
	t = run(&w, &tt_pass_gcalloc, NULL, "gcalloc");
	CHECK_EQ_INT(value(t, 0, "collections"), 3);
	for (size_t i = 0; i < 5; i++)
		CHECK_EQ_INT(value(t, 0, of_pauses[i]), -1);
	close_world(&w);
}

/* --- call tree ------------------------------------------------------------------------- */

TEST(the_call_tree_takes_wrappers_out_and_has_the_largest_first)
{
	static const char *const want[] = { "Main", "World:Frame", "World:Draw", "World:Draw", "GC.Pause",
		"String:Concat (string,string)", "Worker", "World:Draw", "String:Concat (string,string,string)" };
	static const int64_t depth[] = { 0, 1, 2, 3, 2, 1, 0, 1, 2 };
	struct world w;
	const struct tt_table *t;

	build(&w);
	t = run(&w, &tt_pass_calltree, NULL, "calltree");
	CHECK(t->tree);
	CHECK_EQ_INT(t->nrow, 9);
	for (size_t i = 0; i < 9 && i < t->nrow; i++) {
		CHECK_STR(t->cell[i * t->ncol].s, want[i]);
		CHECK_EQ_INT(value(t, i, "depth"), depth[i]);
	}
	CHECK_EQ_INT(value(t, 0, "total_ns"), 1010);
	CHECK_EQ_INT(value(t, 0, "alloc_bytes"), 496);
	CHECK_EQ_INT(value(t, 1, "self_ns"), 460);
	CHECK_EQ_INT(value(t, 1, "alloc_bytes"), 448);
	CHECK_EQ_INT(value(t, 1, "total_share"), 9009);
	CHECK_EQ_INT(value(t, 2, "count"), 3);
	close_world(&w);
}

TEST(the_inverted_tree_parts_self_time_by_callers)
{
	static const char *const want[] = { "World:Draw", "World:Frame", "World:Draw", "World:Frame", "World:Frame", "GC.Pause",
		"World:Frame", "String:Concat (string,string)", "String:Concat (string,string,string)", "World:Draw" };
	static const int64_t depth[] = { 0, 1, 1, 2, 0, 0, 1, 0, 0, 1 };
	static const int64_t self[] = { 590, 300, 200, 200, 460, 40, 40, 10, 10, 10 };
	struct world w;
	const struct tt_table *t;

	build(&w);
	t = run(&w, &tt_pass_calltree, NULL, "calltree_bottom_up");
	CHECK_EQ_INT(t->nrow, 10);
	for (size_t i = 0; i < 10 && i < t->nrow; i++) {
		CHECK_STR(t->cell[i * t->ncol].s, want[i]);
		CHECK_EQ_INT(value(t, i, "depth"), depth[i]);
		CHECK_EQ_INT(value(t, i, "self_ns"), self[i]);
	}
	close_world(&w);
}

TEST(thresholds_and_depths_cut_branches)
{
	const struct tt_pass_opts share = { .threshold_e4 = 1900 }, flat = { .max_depth = 1 };
	struct world w;
	const struct tt_table *t;

	build(&w);
	t = run(&w, &tt_pass_calltree, &share, "calltree");
	CHECK_EQ_INT(t->nrow, 3);
	CHECK_HAS(t->note, "19.00 %");
	t = run(&w, &tt_pass_calltree, &flat, "calltree");
	CHECK_EQ_INT(t->nrow, 5);
	t = run(&w, &tt_pass_calltree, &share, "calltree_bottom_up");
	CHECK_EQ_INT(t->nrow, 3);
	close_world(&w);
}

TEST(a_very_deep_tree_needs_no_c_stack)
{
	struct world w;
	const struct tt_table *t;
	uint32_t n;

	open_world(&w);
	tt_tree_free(w.m.tree);
	CHECK_EQ_INT(tt_tree_new(&env.mem, 100000, &w.m.tree, &err), TT_OK);
	thread(&w, 1, "Main");
	n = node(&w, 0, TT_NODE_THREAD, 0, 0, 0, 0);
	for (int i = 0; i < 5000; i++)
		n = node(&w, n, TT_NODE_ZONE, i % 3 ? FRAME : DRAW, 1, 5000 - i, 1);
	node(&w, n, TT_NODE_ALLOC, 0x79, 1, 10, 0);
	CHECK_EQ_INT(tt_model_resolve(&w.m, TT_NAMES_SHORT, &err), TT_OK);
	CHECK_EQ_INT(run(&w, &tt_pass_calltree, NULL, "calltree")->nrow, 257);
	CHECK(run(&w, &tt_pass_calltree, NULL, "calltree_bottom_up")->nrow > 256);
	t = run(&w, &tt_pass_markers, NULL, "markers");
	CHECK_EQ_INT(value(t, 0, "total_ns") + value(t, 1, "total_ns"), 5000 + 4999);
	t = run(&w, &tt_pass_gcalloc, NULL, "alloc_paths");
	CHECK_EQ_INT(strncmp(t->cell[0].s, "… > ", 6), 0);
	close_world(&w);
}

/* --- threads, loss ------------------------------------------------------------------------ */

TEST(threads_are_busy_in_their_outermost_zones)
{
	int64_t stopped[] = { 0, 77 };
	struct tt_gc gc = { .has_pause = true, .stopped_ns = stopped, .nstopped_ns = 2 };
	struct world w;
	const struct tt_table *t;

	build(&w);
	w.m.collected[TT_COLLECTS_GC] = &gc;
	t = run(&w, &tt_pass_threads, NULL, "threads");
	CHECK_EQ_INT(t->nrow, 2);
	CHECK_EQ_INT(value(t, 0, "busy_ns"), 1010);
	CHECK_EQ_INT(value(t, 0, "busy_share"), 5050);
	CHECK_EQ_INT(value(t, 0, "number"), 1);
	CHECK_EQ_INT(value(t, 1, "busy_ns"), 100);
	CHECK_EQ_INT(value(t, 1, "stopped_ns"), 77);
	CHECK_EQ_INT(value(t, 0, "waiting_ns"), 0);
	close_world(&w);
}

TEST(threads_are_not_busy_in_their_outermost_wait_markers)
{
	const char *wait[] = { "Draw", NULL };
	struct world w;
	const struct tt_table *t;

	build(&w);
	w.m.filter.wait = wait;
	t = run(&w, &tt_pass_threads, NULL, "threads");
	CHECK_EQ_INT(value(t, 0, "waiting_ns"), 500);
	CHECK_EQ_INT(value(t, 0, "busy_ns"), 510);
	CHECK_EQ_INT(value(t, 1, "waiting_ns"), 100);
	CHECK_EQ_INT(value(t, 1, "busy_ns"), 0);
	close_world(&w);
}

TEST(the_ledger_is_told_worst_first_and_as_notes)
{
	struct world w;
	const struct tt_table *t;

	build(&w);
	t = run(&w, &tt_pass_loss, NULL, "loss");
	CHECK_EQ_INT(t->nrow, 0);
	CHECK_STR(t->empty_reason, "nothing was lost");
	tt_loss_add(&loss, TT_LOST_POPPED, 3, 0, TT_NOWHERE);
	tt_loss_add(&loss, TT_LOST_SYNC, 1, 512, 4096);
	t = run(&w, &tt_pass_loss, NULL, "loss");
	CHECK_EQ_INT(t->nrow, 2);
	CHECK_STR(t->cell[0].s, "sync");
	CHECK_EQ_INT(value(t, 0, "bytes"), 512);
	CHECK_EQ_INT(value(t, 0, "first_at"), 4096);
	CHECK_EQ_INT(value(t, 1, "first_at"), -1);
	tt_loss_notes(&loss, &w.r);
	CHECK(w.r.note && !w.r.note->next);
	CHECK_STR(w.r.note->severity, "error");
	CHECK_HAS(w.r.note->text, ": 1, 512 B, first at byte 4096. ");
	close_world(&w);
}

/* --- frames --------------------------------------------------------------------------------- */

#define NFRAME 200

static struct tt_frame_range frame_range = { .end = NFRAME };
static struct tt_frame_marker frame_marker[8];
static struct tt_hitch hitch[2];

static void
set(struct tt_column *c, size_t i, int64_t v)
{
	CHECK_EQ_INT(tt_column_set(c, &env.mem, i, v, &err), TT_OK);
}

/* Frame i (from 0) lasts NFRAME - i times 100 us; the longest stands first. Waits are half of each. */
static void
build_frames(struct world *w)
{
	struct tt_frame frame = { .start = 1000 };

	build(w);
	w->frames = (struct tt_frames){ .mem = &env.mem, .range = &frame_range, .nrange = 1, .npartial = 2,
		.marker_stat = frame_marker, .nmarker_stat = 8, .longest = { .h = hitch, .n = 2 } };
	for (unsigned i = 0; i < NFRAME; i++) {
		frame.dur = (NFRAME - i) * 100000;
		frame.number = i + 1;
		CHECK_EQ_INT(tt_frames_add(&w->frames, &frame, &err), TT_OK);
		set(&w->frames.wait_ns, i, frame.dur / 2);
		set(&w->frames.alloc_b, i, i < 50 ? 0 : i);
		set(&w->frames.alloc_n, i, i < 50 ? 0 : 1);
		frame.start += frame.dur;
	}
	memset(hitch, 0, sizeof hitch);
	hitch[1].frame = 1;
	hitch[0].ntop = 2;
	hitch[0].top[0].key = FRAME;
	hitch[0].top[0].self = 5000000;
	hitch[0].top[1].key = CONCAT;
	hitch[0].top[1].self = 1000000;
	hitch[0].top[1].calls = 4;
	w->m.frames = &w->frames;
}

TEST(frame_figures_are_exact)
{
	struct world w;
	const struct tt_table *t;

	build_frames(&w);
	t = run(&w, &tt_pass_frames, NULL, "frames");
	CHECK(t->facts);
	CHECK_HAS(t->note, "no CPU-active time");
	CHECK_EQ_INT(t->nrow, 2);
	CHECK_EQ_INT(value(t, 0, "count"), 200);
	CHECK_EQ_INT(value(t, 0, "mean_ns"), 10050000);
	CHECK_EQ_INT(value(t, 0, "median_ns"), 10000000);
	CHECK_EQ_INT(value(t, 0, "stddev_ns"), 5773431);
	CHECK_EQ_INT(value(t, 0, "p90_ns"), 18000000);
	CHECK_EQ_INT(value(t, 0, "p95_ns"), 19000000);
	CHECK_EQ_INT(value(t, 0, "p99_ns"), 19800000);
	CHECK_EQ_INT(value(t, 0, "p999_ns"), 20000000);
	CHECK_EQ_INT(value(t, 0, "max_ns"), 20000000);
	CHECK_EQ_INT(value(t, 0, "fps"), 99502);
	CHECK_EQ_INT(value(t, 0, "low_1_fps"), 50125);
	CHECK_EQ_INT(value(t, 0, "low_01_fps"), 50000);
	CHECK_EQ_INT(value(t, 0, "over_16_67"), 34);
	CHECK_EQ_INT(value(t, 0, "over_33_33"), 0);
	CHECK_EQ_INT(value(t, 0, "partial"), 2);
	CHECK_EQ_INT(value(t, 1, "mean_ns"), -1);
	w.frames.has_wait = true;
	t = run(&w, &tt_pass_frames, NULL, "frames");
	CHECK_EQ_INT(value(t, 1, "mean_ns"), 5025000);
	CHECK_EQ_INT(value(t, 1, "max_ns"), 10000000);
	close_world(&w);
}

TEST(a_frame_of_a_sixtieth_is_within_budget_by_a_clock_of_1_us)
{
	struct world w;
	const struct tt_table *t;

	build_frames(&w);
	w.frames.n = 3;
	set(&w.frames.start, 0, 0);
	set(&w.frames.start, 1, 16667667);
	set(&w.frames.start, 2, 16667667 + 16667668);
	w.frames.end = 16667667 + 16667668 + 33334334;
	t = run(&w, &tt_pass_frames, NULL, "frames");
	CHECK_EQ_INT(value(t, 0, "over_16_67"), 2);
	CHECK_EQ_INT(value(t, 0, "over_33_33"), 0);
	close_world(&w);
}

TEST(extra_budgets_are_counted)
{
	static const char *const text[] = { "8.33", NULL };
	const struct tt_pass_opts o = { .budget = text, .budget_ns = { 8330000 }, .nbudget = 1 };
	struct world w;
	const struct tt_table *t;

	build_frames(&w);
	t = run(&w, &tt_pass_frames, &o, "frame_budgets");
	CHECK_EQ_INT(t->nrow, 4);
	CHECK_STR(cell(t, 3, "budget")->s, "8.33");
	CHECK_EQ_INT(value(t, 3, "over"), 117);
	CHECK_EQ_INT(value(t, 3, "over_share"), 5850);
	close_world(&w);
}

TEST(the_histogram_holds_every_frame_once)
{
	struct world w;
	const struct tt_table *t;
	int64_t sum = 0;

	build_frames(&w);
	t = run(&w, &tt_pass_frames, NULL, "frame_histogram");
	for (size_t i = 0; i < t->nrow; i++)
		sum += value(t, i, "count");
	CHECK_EQ_INT(sum, 200);
	CHECK_EQ_INT(value(t, 0, "from_ns"), 0);
	CHECK_EQ_INT(value(t, 0, "count"), 1);
	CHECK_EQ_INT(value(t, t->nrow - 1, "to_ns"), 20000000);
	CHECK_EQ_INT(value(t, t->nrow - 1, "cumulative"), 10000);
	close_world(&w);
}

TEST(hitches_name_their_markers_allocations_and_pauses)
{
	struct tt_pause pause[] = { { 0, 500, 1500, 0, 0, true, false }, { 2000, 2100, 3000, 0, 0, true, false }, { 4000, 4100, 5000, 0, 1, true, false } };
	struct tt_gc gc = { .pause = pause, .npause = 3 };
	struct world w;
	const struct tt_table *t;

	build_frames(&w);
	set(&w.frames.alloc_b, 0, 4096);
	w.m.collected[TT_COLLECTS_GC] = &gc;
	t = run(&w, &tt_pass_frames, NULL, "hitches");
	CHECK_EQ_INT(t->nrow, 2);
	CHECK_EQ_INT(value(t, 0, "frame"), 1);
	CHECK_EQ_INT(value(t, 0, "dur_ns"), 20000000);
	CHECK_EQ_INT(value(t, 0, "alloc_bytes"), 4096);
	CHECK_EQ_INT(value(t, 0, "gc_pause_ns"), 1500);
	CHECK_STR(cell(t, 0, "top")->s, "World:Frame 5.000 ms, String:Concat (string,string) 1.000 ms");
	t = run(&w, &tt_pass_frames, NULL, "hitch_markers");
	CHECK_EQ_INT(t->nrow, 2);
	CHECK_EQ_INT(value(t, 1, "rank"), 2);
	CHECK_EQ_INT(value(t, 1, "share"), 500);
	CHECK_EQ_INT(value(t, 1, "count"), 4);
	close_world(&w);
}

TEST(allocations_per_frame_and_markers_per_frame)
{
	struct world w;
	const struct tt_table *t;

	build_frames(&w);
	memset(frame_marker, 0, sizeof frame_marker);
	for (uint32_t i = 0; i < w.m.nname; i++) {
		if (strcmp(w.m.name[i].shown, "World:Frame") == 0)
			frame_marker[i] = (struct tt_frame_marker){ .nframes = 150, .total = 2000, .total_max = 90 };
	}
	t = run(&w, &tt_pass_gcalloc, NULL, "gcalloc");
	CHECK_EQ_INT(value(t, 0, "frame_median_bytes"), 99);
	CHECK_EQ_INT(value(t, 0, "frame_max_bytes"), 199);
	CHECK_EQ_INT(value(t, 0, "zero_frames_share"), 2500);
	t = run(&w, &tt_pass_markers, NULL, "markers");
	CHECK_EQ_INT(value(t, row_of(t, "World:Frame"), "frame_mean_ns"), 10);
	CHECK_EQ_INT(value(t, row_of(t, "World:Frame"), "frame_max_ns"), 90);
	CHECK_EQ_INT(value(t, row_of(t, "World:Frame"), "frames"), 150);
	close_world(&w);
}

TEST(without_frames_the_way_to_have_them_is_told)
{
	struct world w;

	build(&w);
	CHECK_HAS(run(&w, &tt_pass_frames, NULL, "frames")->empty_reason, "tt_run_opts.frame_marker NAME");
	close_world(&w);
}

/* --- all passes -------------------------------------------------------------------------------- */

TEST(every_table_has_ids_titles_and_help_of_its_own)
{
	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		for (size_t i = 0; i < (*p)->ntables; i++) {
			const struct tt_pass_table *t = &(*p)->tables[i];

			CHECK(t->id && t->title && t->ncol > 0);
			for (size_t c = 0; c < t->ncol; c++) {
				CHECK(t->col[c].id && t->col[c].title && t->col[c].help);
				CHECK(t->col[c].help[strlen(t->col[c].help) - 1] == '.');
				for (size_t d = 0; d < c; d++)
					CHECK(strcmp(t->col[c].id, t->col[d].id) != 0);
			}
		}
	}
}

TEST(an_empty_capture_gives_every_table_and_a_reason)
{
	static const struct tt_pass_opts none;
	struct world w;

	open_world(&w);
	CHECK_EQ_INT(tt_model_resolve(&w.m, TT_NAMES_SHORT, &err), TT_OK);
	tt_view_init(&w.view, &w.m);
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		tt_pass_report(*p, &w.view, &none, &w.r);
	CHECK_EQ_INT(tt_report_error(&w.r, &err), TT_OK);
	for (const struct tt_table *t = w.r.first; t; t = t->next)
		CHECK(t->nrow > 0 || t->empty_reason);
	close_world(&w);
}

TEST(out_of_memory_anywhere_is_reported_and_leaks_nothing)
{
	static const char *const all[] = { "frames", "frame_budgets", "frame_histogram", "hitches", "hitch_markers", "gcalloc",
		"gc_generations", "gc_heap", "alloc_threads", "alloc_categories", "alloc_classes", "alloc_sites", "alloc_paths",
		"categories", "category_threads", "markers", "calltree", "calltree_bottom_up", "threads", "loss", NULL };
	const struct tt_pass_opts o = { .table = all };
	struct world w;
	size_t base;
	unsigned failed = 0;

	build_frames(&w);
	tt_loss_add(&loss, TT_LOST_SYNC, 1, 512, 4096);
	base = env.mem.used;
	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		int rc = TT_E_LIMIT;

		for (size_t room = 0; rc == TT_E_LIMIT; room += 40) {
			env.mem.cap = base + room;
			tt_view_init(&w.view, &w.m);
			tt_pass_report(*p, &w.view, &o, &w.r);
			rc = tt_report_error(&w.r, &err);
			failed += rc == TT_E_LIMIT;
			tt_report_free(&w.r);
			tt_view_free(&w.view);
			CHECK_EQ_INT(env.mem.used, base);
		}
		CHECK_EQ_INT(rc, TT_OK);
	}
	env.mem.cap = 0;
	CHECK(failed > 500);
	close_world(&w);
}

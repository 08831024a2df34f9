/* Tests of the pprof emitter and of emit/stacks.h below it. tests/validators/pprof.sh asks the real pprof. */
#include "check.h"

#include "emit_kit.h"
#include "emit/stacks.h"
#include "io/sink.h"

static struct kit_profile
finish(struct kit *k)
{
	struct kit_profile p;
	size_t n;
	const char *text = kit_finish(k, &n), *wrong = kit_check_profile(text, n, &p);

	if (!CHECK(wrong == NULL))
		printf("%s\n", wrong);
	return p;
}

static void
begin(struct kit *k)
{
	kit_init(k);
	k->o.path = "out.pb";
	kit_marker(k, 1, "P:Main ()");
	kit_marker(k, 2, "W:Frame (int)");
	kit_marker(k, 3, "W:Frame (string)");
	kit_marker(k, 4, "(wrapper alloc) object:AllocSmall (intptr,intptr)");
	kit_marker(k, 5, "W:Frame (int)");    /* compiled again: another key, the same method */
	kit_class(k, 90, "System.String");
	kit_class(k, 91, "System.String");
	kit_thread(k, 0, 0x10, "Main");
	kit_thread(k, 0, 0x11, "Worker");
	k->m.min_ts = 0;
	k->m.max_ts = 1000000;
	k->cap[0].wall_ns = 1700000000000000000;
}

TEST(one_sample_for_each_stack_with_its_own_values)
{
	struct kit k;
	uint32_t root, main_, frame;
	struct kit_profile p;

	begin(&k);
	root = kit_node(&k, 0, TT_NODE_THREAD, 0, 0, 0, -1000);
	main_ = kit_node(&k, root, TT_NODE_ZONE, 1, 1, 1000, 400);
	frame = kit_node(&k, main_, TT_NODE_ZONE, 2, 10, 500, 500);
	kit_node(&k, main_, TT_NODE_ZONE, 3, 5, 100, 100);
	kit_node(&k, frame, TT_NODE_ALLOC, 90, 3, 96, 0);
	kit_node(&k, root, TT_NODE_ALLOC, 90, 1, 4, 0);
	kit_begin(&k, "pprof");
	p = finish(&k);
	CHECK_STR(p.types, "wall/nanoseconds calls/count alloc_space/bytes alloc_objects/count");
	CHECK_STR(p.shown, "wall");
	CHECK_EQ_INT(p.nsample, 5);
	CHECK_EQ_INT(p.sum[0], 1000);
	CHECK_EQ_INT(p.sum[1], 16);
	CHECK_EQ_INT(p.sum[2], 100);
	CHECK_EQ_INT(p.sum[3], 4);
	CHECK_EQ_INT(p.nfunction, 4); /* "(outside all calls)" is one */
	CHECK_EQ_INT(p.deepest, 2);
	kit_free(&k);
}

TEST(stacks_that_read_the_same_are_one)
{
	struct kit k;
	uint32_t root, main_, wrapper, again;
	struct kit_profile p;

	begin(&k);
	root = kit_node(&k, 0, TT_NODE_THREAD, 0, 0, 0, 0);
	main_ = kit_node(&k, root, TT_NODE_ZONE, 1, 1, 1000, 10);
	kit_node(&k, main_, TT_NODE_ZONE, 2, 10, 500, 500);
	again = kit_node(&k, main_, TT_NODE_ZONE, 5, 20, 600, 600);
	kit_node(&k, again, TT_NODE_ALLOC, 90, 1, 8, 0);
	kit_node(&k, main_, TT_NODE_ALLOC, 91, 1, 16, 0);
	/* The wrapper's time and allocations are its caller's, its calls nobody's. */
	wrapper = kit_node(&k, main_, TT_NODE_ZONE, 4, 7, 70, 70);
	kit_node(&k, wrapper, TT_NODE_ALLOC, 90, 2, 32, 0);
	kit_begin(&k, "pprof");
	p = finish(&k);
	CHECK_EQ_INT(p.nsample, 4);   /* Main; Main Frame; Frame's String; Main's String */
	CHECK_EQ_INT(p.sum[0], 1180);
	CHECK_EQ_INT(p.sum[1], 31);
	CHECK_EQ_INT(p.sum[2], 56);
	CHECK_EQ_INT(p.sum[3], 4);
	CHECK_EQ_INT(p.nfunction, 2);
	kit_free(&k);
}

TEST(wrappers_stay_where_the_user_wants_them)
{
	struct kit k;
	uint32_t root, main_;
	struct kit_profile p;

	begin(&k);
	k.m.filter.wrappers = true;
	root = kit_node(&k, 0, TT_NODE_THREAD, 0, 0, 0, 0);
	main_ = kit_node(&k, root, TT_NODE_ZONE, 1, 1, 1000, 10);
	kit_node(&k, main_, TT_NODE_ZONE, 4, 7, 70, 70);
	kit_begin(&k, "pprof");
	p = finish(&k);
	CHECK_EQ_INT(p.nsample, 2);
	CHECK_EQ_INT(p.sum[1], 8);
	kit_free(&k);
}

TEST(samples_and_recorded_stacks_have_values_of_their_own)
{
	struct kit k;
	uint32_t root, stacks, leaf;
	struct kit_profile p;

	begin(&k);
	root = kit_node(&k, 0, TT_NODE_SAMPLES, 1, 0, 0, 0);
	leaf = kit_node(&k, root, TT_NODE_ZONE, 1, 0, 0, 0);
	kit_node(&k, leaf, TT_NODE_ZONE, 2, 42, 0, 0);
	kit_begin(&k, "pprof");
	p = finish(&k);
	CHECK_STR(p.types, "samples/count");
	CHECK_STR(p.shown, "samples");
	CHECK_EQ_INT(p.sum[0], 42);
	CHECK_EQ_INT(p.nsample, 1);
	kit_free(&k);
	begin(&k);
	stacks = kit_node(&k, 0, TT_NODE_STACKS, 0, 0, 0, 0);
	leaf = kit_node(&k, stacks, TT_NODE_ZONE, 1, 0, 0, 0);
	kit_node(&k, leaf, TT_NODE_ALLOC, 90, 2, 64, 0);
	kit_begin(&k, "pprof");
	p = finish(&k);
	CHECK_STR(p.types, "alloc_space/bytes alloc_objects/count");
	CHECK_STR(p.shown, "alloc_space");
	CHECK_EQ_INT(p.sum[0], 64);
	kit_free(&k);
}

TEST(collections_are_shown_first_only_where_there_is_nothing_else)
{
	static const char *const shown[] = { "wall", "samples", "alloc_space" };

	for (int other = 0; other < 3; other++) {
		struct kit k;
		uint32_t root;

		begin(&k);
		root = kit_node(&k, 0, TT_NODE_THREAD, 0, 0, 0, 0);
		kit_node(&k, root, TT_NODE_ZONE, TT_KEY_GC_PAUSE, 1, 900, 900);
		if (other == 1)
			kit_node(&k, kit_node(&k, 0, TT_NODE_SAMPLES, 0, 0, 0, 0), TT_NODE_ZONE, 1, 2, 0, 0);
		if (other == 2)
			kit_node(&k, root, TT_NODE_ALLOC, 90, 2, 64, 0);
		kit_begin(&k, "pprof");
		CHECK_STR(finish(&k).shown, shown[other]);
		kit_free(&k);
	}
}

TEST(an_empty_capture_is_a_good_profile)
{
	struct kit k;
	struct kit_profile p;

	begin(&k);
	k.m.min_ts = INT64_MIN;
	k.m.max_ts = INT64_MAX;
	k.cap[0].wall_ns = INT64_MAX;
	kit_begin(&k, "pprof");
	p = finish(&k);
	CHECK_EQ_INT(p.nsample, 0);
	CHECK_STR(p.types, "wall/nanoseconds calls/count");
	kit_free(&k);
}

TEST(any_bytes_are_good_for_a_name)
{
	struct kit k;
	uint32_t root;
	struct kit_profile p;

	begin(&k);
	k.m.ncap = 2;
	kit_marker(&k, 20, "\xff\xfe");
	kit_marker(&k, 21, "");
	kit_thread(&k, 0, 0x12, "\x80");
	kit_class(&k, 92, "\xc0\xaf");
	k.cap[0].args = "\xff";
	CHECK_EQ_INT(tt_capture_meta(&k.cap[0], "\xfe", "\xfd", NULL), TT_OK);
	root = kit_node(&k, 0, TT_NODE_THREAD, 2, 0, 0, 0);
	kit_node(&k, root, TT_NODE_ZONE, 20, 1, 1, 1);
	kit_node(&k, root, TT_NODE_ZONE, 21, 1, 1, 1);
	kit_node(&k, root, TT_NODE_ZONE, 22, 1, 1, 1);
	kit_node(&k, root, TT_NODE_ALLOC, 92, 1, 1, 0);
	kit_node(&k, 0, TT_NODE_THREAD, 77, 0, 0, 0);
	kit_begin(&k, "pprof");
	p = finish(&k);
	CHECK_EQ_INT(p.nsample, 4);
	kit_free(&k);
}

TEST(deep_recursion_loses_its_outermost_frames_only)
{
	struct kit k;
	uint32_t node;
	struct kit_profile p;
	enum { DEPTH = 5000 };

	begin(&k);
	node = kit_node(&k, 0, TT_NODE_THREAD, 0, 0, 0, 0);
	for (int i = 0; i < DEPTH; i++)
		node = kit_node(&k, node, TT_NODE_ZONE, i == 0 ? 1 : 2, 1, 10, 1);
	kit_begin(&k, "pprof");
	p = finish(&k);
	CHECK_EQ_INT(p.nsample, DEPTH);
	CHECK_EQ_INT(p.sum[0], DEPTH);
	CHECK_EQ_INT(p.deepest, 2049);        /* the last one says that there were more */
	kit_free(&k);
}

TEST(only_chosen_markers_have_samples_but_stacks_are_whole)
{
	static const char *const globs[] = { "W:*", NULL };
	struct kit k;
	uint32_t root, main_, frame;
	struct kit_profile p;

	begin(&k);
	k.m.filter.marker = globs;
	root = kit_node(&k, 0, TT_NODE_THREAD, 0, 0, 0, 0);
	main_ = kit_node(&k, root, TT_NODE_ZONE, 1, 1, 1000, 400);
	frame = kit_node(&k, main_, TT_NODE_ZONE, 2, 10, 600, 600);
	kit_node(&k, main_, TT_NODE_ALLOC, 90, 1, 8, 0);
	kit_node(&k, frame, TT_NODE_ALLOC, 90, 1, 16, 0);
	kit_node(&k, root, TT_NODE_ALLOC, 90, 1, 32, 0);
	kit_begin(&k, "pprof");
	p = finish(&k);
	CHECK_EQ_INT(p.nsample, 2);
	CHECK_EQ_INT(p.sum[0], 600);
	CHECK_EQ_INT(p.sum[2], 16);
	CHECK_EQ_INT(p.deepest, 2);
	kit_free(&k);
}

TEST(suffixes_choose_the_emitter)
{
	CHECK(tt_emit_for_path("a.pb.gz") == tt_emit_named("pprof"));
	CHECK(tt_emit_for_path("a.pprof") == tt_emit_named("pprof"));
	CHECK(tt_emit_for_path("a.json.zst") == tt_emit_named("chrome"));
	CHECK(tt_emit_for_path("x/a.csv") == tt_emit_named("csv"));
	CHECK(tt_emit_for_path("a.folded") == tt_emit_named("folded"));
	CHECK(tt_emit_for_path("a.txt") == NULL);
	CHECK(tt_emit_for_path("json") == NULL);
	CHECK(tt_emit_named("nonsense") == NULL);
}

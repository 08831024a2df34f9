/* Tests of the folded emitter: emit/folded.c. */
#include "check.h"

#include "emit_kit.h"
#include "io/sink.h"

static const char *
finish(struct kit *k)
{
	size_t n;
	const char *text = kit_finish(k, &n), *wrong = kit_check_folded(text, n);

	if (!CHECK(wrong == NULL))
		printf("%s\n", wrong);
	return text;
}

static void
begin(struct kit *k)
{
	kit_init(k);
	k->o.path = "out.folded";
	kit_marker(k, 1, "P:Main ()");
	kit_marker(k, 2, "W:Frame (int)");
	kit_marker(k, 3, "W:Step ()");
	kit_marker(k, 4, "(wrapper alloc) object:AllocSmall (intptr,intptr)");
	kit_class(k, 90, "System.String");
	kit_thread(k, 0, 0x10, "Main");
	kit_thread(k, 0, 0x11, "Audio");
	kit_thread(k, 0, 0x12, "Audio");
}

TEST(lines_are_self_time_in_order_of_name)
{
	struct kit k;
	uint32_t main_, audio, other, zone;

	begin(&k);
	main_ = kit_node(&k, 0, TT_NODE_THREAD, 0, 0, 0, -1);
	audio = kit_node(&k, 0, TT_NODE_THREAD, 1, 0, 0, 0);
	other = kit_node(&k, 0, TT_NODE_THREAD, 2, 0, 0, 0);
	zone = kit_node(&k, main_, TT_NODE_ZONE, 1, 1, 100, 30);
	kit_node(&k, zone, TT_NODE_ZONE, 3, 1, 50, 50);
	kit_node(&k, zone, TT_NODE_ZONE, 2, 1, 20, 20);
	kit_node(&k, zone, TT_NODE_ALLOC, 90, 1, 20, 0);
	kit_node(&k, audio, TT_NODE_ZONE, 3, 1, 7, 7);
	kit_node(&k, other, TT_NODE_ZONE, 3, 1, 3, 3);
	kit_node(&k, kit_node(&k, other, TT_NODE_ZONE, 1, 1, 3, 0), TT_NODE_ZONE, 2, 1, 3, 3);
	kit_begin(&k, "folded");
	/* Two threads of one name are one; a stack without time of its own has no line. */
	CHECK_STR(finish(&k),
	    "Audio;P:Main ();W:Frame (int) 3\n"
	    "Audio;W:Step () 10\n"
	    "Main;P:Main () 30\n"
	    "Main;P:Main ();W:Frame (int) 20\n"
	    "Main;P:Main ();W:Step () 50\n");
	kit_free(&k);
}

TEST(hidden_wrappers_give_their_time_to_the_caller)
{
	struct kit k;
	uint32_t root, zone, wrapper;

	begin(&k);
	root = kit_node(&k, 0, TT_NODE_THREAD, 0, 0, 0, 0);
	zone = kit_node(&k, root, TT_NODE_ZONE, 1, 1, 100, 30);
	wrapper = kit_node(&k, zone, TT_NODE_ZONE, 4, 1, 70, 20);
	kit_node(&k, wrapper, TT_NODE_ZONE, 3, 1, 50, 50);
	kit_begin(&k, "folded");
	CHECK_STR(finish(&k), "Main;P:Main () 50\nMain;P:Main ();W:Step () 50\n");
	kit_free(&k);
}

TEST(names_cannot_break_lines_or_stacks)
{
	struct kit k;
	uint32_t root, second;

	begin(&k);
	k.m.ncap = 2;
	k.cap[0].path = "a;b.mlpd";
	kit_marker(&k, 20, "A;B\r\n\t(x 1)");
	kit_marker(&k, 21, "\xff");
	kit_marker(&k, 22, "");
	kit_def(&k, 0, &(struct tt_def){ .kind = TT_DEF_MARKER, .key = 23, .text = "a\0b", .len = 3 });
	kit_thread(&k, 0, 0x13, ";");
	root = kit_node(&k, 0, TT_NODE_THREAD, 3, 0, 0, 0);
	second = kit_node(&k, root, TT_NODE_ZONE, 20, 1, 1, 1);
	kit_node(&k, second, TT_NODE_ZONE, 21, 1, 1, 2);
	kit_node(&k, second, TT_NODE_ZONE, 22, 1, 1, 3);
	kit_node(&k, second, TT_NODE_ZONE, 23, 1, 1, 4);
	kit_begin(&k, "folded");
	CHECK_HAS(finish(&k), "1 a:b.mlpd;:;A:B   (x 1);\xef\xbf\xbd 2\n");
	kit_free(&k);
}

TEST(samples_or_bytes_are_counted_where_there_are_no_calls)
{
	struct kit k;
	uint32_t root, leaf;

	begin(&k);
	root = kit_node(&k, 0, TT_NODE_SAMPLES, 0, 0, 0, 0);
	leaf = kit_node(&k, kit_node(&k, root, TT_NODE_ZONE, 1, 2, 0, 0), TT_NODE_ZONE, 2, 40, 0, 0);
	kit_node(&k, leaf, TT_NODE_ZONE, 4, 5, 0, 0);         /* a sample in a wrapper is one of its caller */
	kit_begin(&k, "folded");
	CHECK_STR(finish(&k), "Main;P:Main () 2\nMain;P:Main ();W:Frame (int) 45\n");
	kit_free(&k);
	begin(&k);
	root = kit_node(&k, 0, TT_NODE_STACKS, 0, 0, 0, 0);
	leaf = kit_node(&k, root, TT_NODE_ZONE, 1, 0, 0, 0);
	kit_node(&k, leaf, TT_NODE_ALLOC, 90, 2, 64, 0);
	kit_node(&k, root, TT_NODE_ALLOC, 90, 2, 8, 0);
	kit_begin(&k, "folded");
	CHECK_STR(finish(&k), "Main;P:Main ();System.String 64\nMain;System.String 8\n");
	kit_free(&k);
}

TEST(collections_and_waits_are_no_calls)
{
	static const char *const counted[] = { "Main;GC.Pause 900\n", "Main;P:Main () 2\n", "Main;System.String 64\n" };

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
		kit_begin(&k, "folded");
		CHECK_STR(finish(&k), counted[other]);
		kit_free(&k);
	}
}

TEST(what_lies_very_deep_is_added_up)
{
	struct kit k;
	uint32_t node;
	const char *text;
	uint64_t sum = 0, lines = 0;
	enum { DEPTH = 3000 };

	begin(&k);
	node = kit_node(&k, 0, TT_NODE_THREAD, 0, 0, 0, 0);
	for (int i = 0; i < DEPTH; i++)
		node = kit_node(&k, node, TT_NODE_ZONE, 2, 1, 10, 2);
	kit_begin(&k, "folded");
	text = finish(&k);
	CHECK_HAS(text, ";(deeper) 3954\n");
	for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
		const char *end = strchr(p, '\n');

		sum += strtoull((const char *)memrchr(p, ' ', (size_t)(end - p)) + 1, NULL, 10);
		lines++;
	}
	CHECK_EQ_INT(sum, 2 * DEPTH);
	CHECK_EQ_INT(lines, 1024);
	kit_free(&k);
}

TEST(an_empty_capture_is_an_empty_file)
{
	struct kit k;
	size_t n;

	begin(&k);
	kit_begin(&k, "folded");
	kit_finish(&k, &n);
	CHECK_EQ_INT(n, 0);
	kit_free(&k);
}

/*
 * Options of the Unity recorder, and what Unity's names mean. The recorder is no part of the library: its file is
 * taken in whole.
 */
#include "recorder/unity/config.c"

#include "check.h"
#include "producers/unity.h"

static struct config c;
static char why[OPTTABLE_WHY];

static int
set(const char *text)
{
	why[0] = '\0';
	return config_set(&c, text, strlen(text), why);
}

TEST(options_stand_between_semicolons_and_line_ends)
{
	config_init(&c);
	CHECK_EQ_INT(set(" ring=64M; over = "), -1);
	CHECK_EQ_INT(set(" ring=64M;;over=33.4ms\r\nkeep=10s ; capture=/tmp/a b.ttc\n"), 0);
	CHECK_EQ_INT(c.ring_b, 64 << 20);
	CHECK_EQ_INT(c.over_ns, 33400000);
	CHECK_EQ_INT(c.keep_ns, 10000000000);
	CHECK_STR(c.capture, "/tmp/a b.ttc");
}

TEST(amounts_are_read_without_rounding)
{
	config_init(&c);
	CHECK_EQ_INT(set("max-size=1.5G;rotate-size=65537;rotate-time=2min"), 0);
	CHECK_EQ_INT(c.max_b, 3ll << 29);
	CHECK_EQ_INT(c.rotate_b, 65537);
	CHECK_EQ_INT(c.rotate_ns, 120000000000);
	CHECK_EQ_INT(set("max-size=64.50000000000001K;keep=307445734.5min"), 0);
	CHECK_EQ_INT(c.max_b, 66048);
	CHECK(c.keep_ns == UINT64_C(18446744070000000000));
	static const char *const same[] = { "ring=64m", "ring=64M", "ring=64MiB", "ring=64mib", "ring=65536k", "ring=0.0625g" };
	for (size_t i = 0; i < COUNT(same); i++) {
		c.ring_b = 0;
		if (!CHECK_EQ_INT(set(same[i]), 0) || !CHECK_EQ_INT(c.ring_b, 64 << 20))
			printf("  %s\n", same[i]);
	}
	static const char *const bad[] = { "keep=307445734.99min", "ring=", "ring=M", "ring=1.M2", "ring=1.2.3M", "ring=-1", "ring=1ms", "ring=1KI", "ring=1[",
	    "keep=1S", "keep=5MIN", "over=5",
		"over=", "ring=99999999999999999999", "ring=17179869184G", "ring=0x10", "ring",
		"ring=1535K", "ring=1025G", "max-size=63K", "rotate-size=63K",
		"rotate-time=0s", "keep=0s", "over=0ms", "ring=18446744073709551616", "ring=18446744073709551619" };
	for (size_t i = 0; i < COUNT(bad); i++)
		if (!CHECK_EQ_INT(set(bad[i]), -1))
			printf("  %s\n", bad[i]);
	CHECK_HAS(why, "want a size from 1536K to 1024G, such as 32M");
}

TEST(frame_ranges_have_either_end_open)
{
	static const struct { const char *text; int rc; uint64_t first, last; } rows[] = {
		{ "frames=7", 0, 7, 7 }, { "frames=7-", 0, 7, 0 }, { "frames=-9", 0, 1, 9 }, { "frames=7-9", 0, 7, 9 },
		{ "frames=9-7", -1, 0, 0 }, { "frames=0", -1, 0, 0 }, { "frames=", -1, 0, 0 }, { "frames=-", -1, 0, 0 },
		{ "frames=7-9x", -1, 0, 0 }, { "frames=0-3", -1, 0, 0 }, { "frames=x", -1, 0, 0 }, { "frames=7x9", -1, 0, 0 },
		{ "frames=7-x", -1, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		config_init(&c);
		CHECK_EQ_INT(set(rows[i].text), rows[i].rc);
		if (rows[i].rc == 0) {
			CHECK_EQ_INT(c.frames[0], rows[i].first);
			CHECK_EQ_INT(c.frames[1], rows[i].last);
		}
	}
}

TEST(what_is_wrong_is_named)
{
	config_init(&c);
	CHECK_EQ_INT(set("rong=1"), -1);
	CHECK_HAS(why, "no option is called \"rong\"");
	CHECK_EQ_INT(set("verbosity=loud"), -1);
	CHECK_HAS(why, "advanced");
	CHECK_EQ_INT(set("flags=script,evil"), -1);
	CHECK_EQ_INT(set("meta=keyonly"), -1);
	CHECK_EQ_INT(set("meta==v"), -1);
	CHECK_EQ_INT(set("self=maybe"), -1);
	CHECK_EQ_INT(set("sync=2s"), -1);
	CHECK(c.self && c.sync);
	CHECK_EQ_INT(set("sync=no"), 0);
	CHECK(c.self && !c.sync);
	CHECK_EQ_INT(set("sync=yes;\tself=no\t"), 0);
	CHECK(!c.self && c.sync);
}

TEST(a_wrong_option_changes_nothing_and_the_others_hold)
{
	config_init(&c);
	CHECK_EQ_INT(set("frames=5-9;verbosity=user;ring=8M;flags=script"), 0);
	CHECK_EQ_INT(set("rong=1;frames=5-5x;max-size=3M;flags=script,evil;verbosity=loud;keep=1.5x;names=Draw"), -1);
	CHECK(c.frames[0] == 5 && c.frames[1] == 9 && c.verbosity == UNITY_V_USER && c.flags == UNITY_M_SCRIPT && c.keep_ns == 0);
	CHECK(c.max_b == 3 << 20 && c.ring_b == 8 << 20 && c.values.n[LIST_NAMES] == 1);
	CHECK_HAS(why, "no option is called \"rong\"; option \"frames=5-5x\"");
	CHECK_HAS(why, "option \"keep=1.5x\": want a time");
}

TEST(a_filter_that_cannot_be_read_is_remembered)
{
	static const char *const filter[] = { "frames=5-5x", "flags=evil", "no-flags=", "verbosity=loud", "categories=",
		"no-categories=,", "names", "no-names=" };
	static const char *const other[] = { "ring=x", "keep=5", "self=2", "meta=x", "cat=Render", "sync=" };

	for (size_t i = 0; i < COUNT(filter); i++) {
		config_init(&c);
		CHECK_EQ_INT(set(filter[i]), -1);
		size_t n = strcspn(filter[i], "=");
		CHECK(config_bad_filter(&c) && strncmp(config_bad_filter(&c), filter[i], n) == 0);
	}
	for (size_t i = 0; i < COUNT(other); i++) {
		config_init(&c);
		CHECK_EQ_INT(set(other[i]), -1);
		CHECK(!config_bad_filter(&c));
	}
	/* What is said later takes its place, but for lists, which grow. */
	config_init(&c);
	CHECK(set("verbosity=loud") == -1 && set("verbosity=user") == 0 && !config_bad_filter(&c));
	CHECK(set("names=") == -1 && set("names=Draw") == 0 && config_bad_filter(&c));
}

TEST(values_that_cannot_be_are_refused)
{
	static char text[2 * OPTVAL_PATH];

	config_init(&c);
	CHECK_EQ_INT(set("rotate-keep=3"), 0);
	CHECK_EQ_INT(c.rotate_keep, 3);
	CHECK_EQ_INT(set("rotate-keep=some"), -1);
	CHECK_HAS(why, "want a number of files");
	CHECK_EQ_INT(set("rotate-keep=4294967296"), -1);
	CHECK_EQ_INT(set("capture="), -1);
	memset(text, 'x', sizeof text - 1);
	memcpy(text, "capture=", 8);
	CHECK_EQ_INT(set(text), -1);
	CHECK_HAS(why, "want a file name");
	text[8 + OPTVAL_PATH - 1] = '\0';
	CHECK_EQ_INT(set(text), 0);
	CHECK_EQ_INT(strlen(c.capture), OPTVAL_PATH - 1);
	/* The message has room for the beginning of a name. */
	memset(text, 'x', sizeof text - 1);
	CHECK_EQ_INT(set(text), -1);
	CHECK_HAS(why, "xxx\"; there are capture, control, ");
}

static bool
takes(const char *name, unsigned flags, const char *category)
{
	struct unity_marker m = { .flags = (uint16_t)flags, .name = name };

	return config_takes(&c, &m, category);
}

TEST(filters_decide_by_category_flags_verbosity_and_name)
{
	config_init(&c);
	CHECK(takes("A", 0x1c00, "") && takes(NULL, UNITY_M_DEEP, "Render"));
	CHECK_EQ_INT(set("categories=Render,Phys*;no-names=*.Wait*,Idle;no-flags=deep;verbosity=internal"), 0);
	CHECK(takes("Draw", 0, "Render") && takes("Step", 0, "Physics") && takes("Step", 0x0800, "Physics2D"));
	CHECK(!takes("Draw", 0, "render"));
	CHECK_EQ_INT(set("no-categories=Physics2D"), 0);
	CHECK(takes("Step", 0, "Physics") && !takes("Step", 0, "Physics2D"));
	CHECK(!takes("Draw", 0, ""));
	CHECK(!takes("Gfx.WaitForCommands", 0, "Render"));
	CHECK(!takes("Idle", 0, "Render") && takes("Idle2", 0, "Render"));
	CHECK(!takes("Draw", UNITY_M_DEEP, "Render"));
	CHECK(!takes("Draw", 0x0c00, "Render") && !takes("Draw", 0x1000, "Render"));
	config_init(&c);
	CHECK_EQ_INT(set("flags=script,counter"), 0);
	CHECK(!takes("A", 0, "x") && takes("A", UNITY_M_COUNTER, "x") && takes("A", UNITY_M_SCRIPT | UNITY_M_DEEP, "x"));
	config_init(&c);
	CHECK_EQ_INT(set("names=,Draw,,Idle,"), 0);
	CHECK_EQ_INT(c.values.n[LIST_NAMES], 2);
	CHECK(takes("Draw", 0, "x") && takes("Idle", 0, "x") && !takes("", 0, "x") && !takes("A", 0, "x"));
}

TEST(globs_back_up_as_far_as_needed)
{
	CHECK(optval_glob("*", "") && optval_glob("", "") && !optval_glob("", "a") && !optval_glob("?", ""));
	CHECK(optval_glob("a*b*c", "aXbYbZc") && !optval_glob("a*b*c", "aXbYbZ"));
	CHECK(optval_glob("*ab", "aab") && optval_glob("a**", "a") && optval_glob("?\?x", "ábx") == 0);
}

TEST(lists_that_do_not_fit_are_refused)
{
	static char big[OPTTABLE_TEXT + 64];

	config_init(&c);
	memset(big, 'x', sizeof big - 1);
	memcpy(big, "names=", 6);
	CHECK_EQ_INT(set(big), -1);
	for (int i = 0; i < OPTTABLE_TEXT; i++)
		(void)set("names=a,b");
	CHECK(c.values.used <= sizeof c.values.text);
	CHECK(takes("b", 0, ""));
	CHECK(!takes("x", 0, ""));
	memset(big, 'x', sizeof big - 1);
	memcpy(big, "meta=key=", 9);
	CHECK_EQ_INT(set(big), -1);
}

TEST(facts_come_back_in_order)
{
	const char *m;

	config_init(&c);
	CHECK_EQ_INT(set("meta=build=1234, debug;names=x;meta=tag=a=b"), 0);
	m = opttable_next(&c.values, LIST_META, NULL);
	CHECK_STR(m, "build=1234, debug");
	m = opttable_next(&c.values, LIST_META, m);
	CHECK_STR(m, "tag=a=b");
	CHECK(!opttable_next(&c.values, LIST_META, m));
}

TEST(file_names_take_process_and_time)
{
	char to[OPTVAL_PATH];

	CHECK_EQ_INT(optval_path(to, "a-%p-%t-%%-%x.ttc", 42, 0), 0);
	CHECK_STR(to, "a-42-19700101-000000-%-%x.ttc");
	CHECK_EQ_INT(optval_path(to, "%t", 1, 951782399), 0);
	CHECK_STR(to, "20000228-235959");
	CHECK_EQ_INT(optval_path(to, "%t", 1, 951782400), 0);
	CHECK_STR(to, "20000229-000000");
	CHECK_EQ_INT(optval_path(to, "%t", 1, 1763629200), 0);
	CHECK_STR(to, "20251120-090000");
	char longest[OPTVAL_PATH + 1];
	memset(longest, 'p', OPTVAL_PATH);
	longest[OPTVAL_PATH] = '\0';
	CHECK_EQ_INT(optval_path(to, longest, 1, 0), -1);
	memcpy(longest + OPTVAL_PATH - 3, "%t", 3);
	CHECK_EQ_INT(optval_path(to, longest, 1, 0), -1);
}

TEST(categories_have_their_ids_of_each_version)
{
	CHECK_STR(unity_category(0, NULL), "Render");
	CHECK_STR(unity_category(17, "2019.4.40f1"), "GC");
	CHECK_STR(unity_category(15, "2018.4.36f1"), "GC");
	CHECK_STR(unity_category(8, "2018.4.36f1"), "Audio");
	CHECK_STR(unity_category(9, "2018.4.36f1"), "Video");
	CHECK_STR(unity_category(28, "2018.4.36f1"), "Input");
	CHECK(!unity_category(29, "2018.4.36f1"));
	CHECK_STR(unity_category(26, "2018.2.1f1"), "Build Interface");
	CHECK_STR(unity_category(25, "2018.1.1f1"), "UI Render");
	CHECK(!unity_category(26, "2018.1.1f1") && !unity_category(27, "2018.2.1f1"));
	CHECK_STR(unity_category(12, "2017.4.40f1"), "Other");
	CHECK(!unity_category(24, "2017.4.40f1"));
	CHECK_STR(unity_category(15, "5.5.2p4"), "PlayerLoop");
	CHECK(!unity_category(4, "5.5.2p4"));
	CHECK_STR(unity_category(40, ""), "UIToolkit");
	CHECK(!unity_category(41, "") && !unity_category(0xffff, ""));
}

TEST(names_of_the_tables_are_found)
{
	CHECK_EQ_INT(unity_role("GC.Alloc"), UNITY_ALLOC);
	CHECK_EQ_INT(unity_role("GC.Collect"), UNITY_COLLECT);
	CHECK_EQ_INT(unity_role("Profiler.DefaultMarker"), UNITY_LABEL);
	CHECK_EQ_INT(unity_role("Profiler.Default"), UNITY_LABEL);
	CHECK_EQ_INT(unity_role("gc.alloc"), UNITY_PLAIN);
	struct unity_counter k = unity_counter("GPU Frame Time");
	CHECK(k.builtin && !k.guess && k.unit == UNITY_UNIT_NS && k.timing == UNITY_TIMING_GPU);
	k = unity_counter("Audio Reads");
	CHECK(k.builtin && k.unit == UNITY_UNIT_BYTES);
	k = unity_counter("Enemies Count");
	CHECK(!k.builtin && k.guess && k.unit == UNITY_UNIT_COUNT);
	k = unity_counter("Texture Memory");
	CHECK(k.unit == UNITY_UNIT_BYTES);
	k = unity_counter("Enemies Memory");
	CHECK(!k.builtin && k.guess && k.unit == UNITY_UNIT_BYTES);
	k = unity_counter("Sent Bytes");
	CHECK(!k.builtin && k.guess && k.unit == UNITY_UNIT_BYTES);
	k = unity_counter("Score");
	CHECK(!k.builtin && !k.guess && k.unit == UNITY_UNIT_UNKNOWN);
}

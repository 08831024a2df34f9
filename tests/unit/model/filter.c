/* Tests of model/filter.h. */
#include "check.h"

#include <time.h>

#include "model/filter.h"

TEST(a_plain_pattern_matches_anywhere)
{
	CHECK(tt_glob("Frame", "Game.World:Frame"));
	CHECK(tt_glob("", "anything"));
	CHECK(!tt_glob("frame", "Game.World:Frame"));
}

TEST(a_glob_matches_the_whole_text)
{
	CHECK(tt_glob("Game.*", "Game.World:Frame"));
	CHECK(!tt_glob("*.World", "Game.World:Frame"));
	CHECK(tt_glob("*", ""));
	CHECK(tt_glob("***", "x"));
	CHECK(tt_glob("a*b*c", "a-b-b-c"));
	CHECK(!tt_glob("a*b*c", "a-b-b-"));
	CHECK(tt_glob("*ab", "aab"));
	CHECK(!tt_glob("?", ""));
	CHECK(tt_glob("a?c", "abc"));
}

TEST(a_question_mark_is_one_character_not_one_byte)
{
	CHECK(tt_glob("M?rz", "März"));
	CHECK(tt_glob("?", "データ") == false);
	CHECK(tt_glob("???", "データ"));
	CHECK(tt_glob("?", "\xff"));
}

TEST(sets_and_quotes)
{
	CHECK(tt_glob("[a-c]x", "bx"));
	CHECK(!tt_glob("[a-c]x", "dx"));
	CHECK(tt_glob("[!a-c]x", "dx"));
	CHECK(tt_glob("[^a-c]x", "dx"));
	CHECK(tt_glob("[]]", "]"));
	CHECK(tt_glob("[a\\]]", "]"));
	CHECK(tt_glob("[a-]", "-"));
	CHECK(tt_glob("[ä-ü]", "ö"));
	CHECK(tt_glob("[ab", "[ab"));
	CHECK(!tt_glob("[ab", "a"));
	CHECK(tt_glob("[ab*", "[abc"));
	CHECK(!tt_glob("[ab*", "abc"));
	CHECK(tt_glob("*[", "a["));
	CHECK(tt_glob("\\*", "*"));
	CHECK(!tt_glob("\\*", "x"));
	CHECK(tt_glob("a\\", "a\\"));
	CHECK(tt_glob("[I]dle", "Idle"));
	CHECK(!tt_glob("[I]dle", "Idler"));
}

TEST(hostile_patterns_stay_quick)
{
	static char text[20001], pattern[201];
	clock_t start = clock();

	memset(text, 'a', 20000);
	for (int i = 0; i < 200; i += 2)
		memcpy(pattern + i, "*a", 2);
	memcpy(pattern + 198, "*b", 2);
	CHECK(!tt_glob(pattern, text));
	CHECK(clock() - start < 2 * CLOCKS_PER_SEC);
}

TEST(a_list_matches_if_any_does)
{
	static const char *const list[] = { "x", "*:Frame", NULL };

	CHECK(tt_glob_any(NULL, "y"));
	CHECK(tt_glob_any(list, "World:Frame"));
	CHECK(!tt_glob_any(list, "World:Draw"));
}

/* Patterns that begin alike are skipped together; a regular expression that begins like them is not. */
TEST(a_list_of_patterns_that_begin_alike_matches_as_each_does)
{
	static const char *const list[] = { "System.Net.", "System.IO.", "System.Console:", "Sy[s]tem", "re", "read", "re:^Game", "Sys?em", "System.GC",
		"[S]", NULL };
	static const char *const text[] = { "System.GC:Collect ()", "Game.World:Draw ()", "Read", "tread", "System", "Sy", "S", "", "SyIO.stem",
		"System.IO.File:Open ()" };

	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		for (size_t from = 0; list[from]; from++) {
			bool any = false;

			for (size_t k = from; list[k]; k++)
				any = any || tt_glob(list[k], text[i]);
			CHECK_EQ_INT(tt_glob_any(list + from, text[i]), any);
		}
	}
}

TEST(only_frames_and_threads_need_the_prepass)
{
	static const char *const list[] = { "x", NULL };
	struct tt_filter f;

	tt_filter_init(&f);
	CHECK(f.from == INT64_MIN && f.to == INT64_MAX);
	f.marker = list;
	CHECK(!tt_filter_needs_text(&f));
	f.thread = list;
	CHECK(tt_filter_needs_text(&f));
}

TEST(a_pattern_may_be_a_regular_expression)
{
	struct tt_err err;

	CHECK(tt_glob("re:^Wor+ld:(S|D)", "World:Simulate"));
	CHECK(tt_glob("re:Sim", "World:Simulate"));
	CHECK(!tt_glob("re:^Sim", "World:Simulate"));
	CHECK(!tt_glob("re:^$", "x"));
	CHECK(tt_glob("re:^$", ""));
	CHECK(!tt_glob("re:a(", "a("));
	CHECK_EQ_INT(tt_pattern_check("re:a(b|c)+$", &err), TT_OK);
	CHECK_EQ_INT(tt_pattern_check("a(", &err), TT_OK);
	CHECK_EQ_INT(tt_pattern_check("re:a(", &err), TT_E_USAGE);
	/* What is repeated is written out as it is compiled: within 500 signs, nested counts multiplied. */
	CHECK_EQ_INT(tt_pattern_check("re:a{500}", &err), TT_OK);
	CHECK_EQ_INT(tt_pattern_check("re:a{501}", &err), TT_E_USAGE);
	CHECK_EQ_INT(tt_pattern_check("re:(a{20}b{5}){20}", &err), TT_OK);
	CHECK_EQ_INT(tt_pattern_check("re:(a{20}b{6}){20}", &err), TT_E_USAGE);
	CHECK_EQ_INT(tt_pattern_check("re:((a{1,100}){1,100}){1,100}c", &err), TT_E_USAGE);
	CHECK_EQ_INT(tt_pattern_check("re:a\\{501}", &err), TT_OK);
	CHECK_EQ_INT(tt_pattern_check("re:(.*)(.*)\\1\\2b", &err), TT_E_USAGE);
	CHECK_EQ_INT(tt_pattern_check("re:a\\\\1", &err), TT_OK);
}

TEST(a_stretch_of_time_is_inside_outside_or_neither)
{
	struct tt_span hole[] = { { 20, 30 }, { 50, 60 } };
	struct tt_filter f;

	tt_filter_init(&f);
	CHECK(tt_filter_covers(&f, INT64_MIN, INT64_MAX - 1) && !tt_filter_misses(&f, INT64_MIN, INT64_MAX));
	f.from = 10;
	f.to = 100;
	f.hole = hole;
	f.nhole = 2;
	CHECK(tt_filter_covers(&f, 10, 19) && tt_filter_covers(&f, 30, 49) && tt_filter_covers(&f, 60, 99));
	CHECK(!tt_filter_covers(&f, 9, 19) && !tt_filter_covers(&f, 10, 20) && !tt_filter_covers(&f, 30, 60) && !tt_filter_covers(&f, 60, 100));
	CHECK(tt_filter_misses(&f, 0, 9) && tt_filter_misses(&f, 20, 29) && tt_filter_misses(&f, 100, 200));
	CHECK(!tt_filter_misses(&f, 0, 10) && !tt_filter_misses(&f, 19, 29) && !tt_filter_misses(&f, 20, 30) && !tt_filter_misses(&f, 99, 200));
}

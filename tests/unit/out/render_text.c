/* Tests of out/render_text.c: tables for people, of any width. */
#include "table_kit.h"

TEST(each_time_has_its_unit_and_numbers_are_to_the_right)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	struct tt_table *t = table(&r, "markers");
	row(t, "World:Frame", 1234567, 1234567890, 1234);
	row(t, "Über", 1, 999, -1);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT },
	    "Markers\n"
	    "  marker           count     self  share %\n"
	    "  World:Frame  1,234,567  1.235 s    12.34\n"
	    "  Über                 1   999 ns        -\n");
}

TEST(times_of_all_sizes_in_one_column_keep_four_digits)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	struct tt_table *t = table(&r, "markers");
	row(t, "a", 1, 99999, 0);
	row(t, "b", 1, 1, 0);
	row(t, "c", 1, 12345678, 0);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT },
	    "Markers\n"
	    "  marker  count      self  share %\n"
	    "  a           1  100.0 µs     0.00\n"
	    "  b           1      1 ns     0.00\n"
	    "  c           1  12.35 ms     0.00\n");
}

TEST(hidden_rows_and_notes_are_told)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	struct tt_table *t = table(&r, "markers");
	for (int i = 0; i < 1003; i++)
		row(t, "x", i, 0, 0);
	tt_table_limit(t, 1);
	t->note = "a note";
	CHECK_EQ_INT(t->hidden, 1002);
	tt_report_note(&r, "loss", "dropped", "two events\nlost");
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT },
	    "Markers\n"
	    "  a note\n"
	    "  marker  count  self  share %\n"
	    "  x           0  0 ns     0.00\n"
	    "  … 1,002 more (a limit of 0 shows all)\n"
	    "\n"
	    "loss: two events?lost\n");
}

TEST(an_empty_table_says_why)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	table(&r, "markers")->empty_reason = "no calls in this capture";
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT }, "Markers\n  no calls in this capture\n");
}

TEST(a_narrow_terminal_breaks_names_then_leaves_out_columns)
{
	static const char want[] =
	    "Markers\n"
	    "  marker                    count  self\n"
	    "  Ünïcödé.Namespace.World:      1  2 ns\n"
	    "  Frame\n"
	    "  no room for share %\n  (a width of 0 shows all)\n";
	struct tt_report r;

	tt_report_init(&r, &mem);
	row(table(&r, "markers"), "Ünïcödé.Namespace.World:Frame", 1, 2, 3);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT, .width = 44 }, want);
}

TEST(wide_characters_count_two_columns_and_controls_never_reach_the_terminal)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	struct tt_table *t = table(&r, "markers");
	row(t, "データ", 1, 0, 0);
	row(t, "\033[31m\xff", 1, 0, 0);
	row(t, "\U000e0041\U0010ffff", 1, 0, 0);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT },
	    "Markers\n"
	    "  marker  count  self  share %\n"
	    "  データ      1  0 ns     0.00\n"
	    "  ?[31m?      1  0 ns     0.00\n"
	    "  \U000e0041\U0010ffff          1  0 ns     0.00\n");
}

TEST(colour_is_only_in_text_with_colour)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	table(&r, "markers")->empty_reason = "none";
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT, .color = true },
	    "\033[1mMarkers\033[0m\n  \033[2mnone\033[0m\n");
}

static const struct tt_col tree_cols[] = {
	{ "marker", "marker", TT_UNIT_TEXT, "" },
	{ "depth", "depth", TT_UNIT_COUNT, "" },
	{ "count", "count", TT_UNIT_COUNT, "" },
};

static void
tree(struct tt_report *r)
{
	static const char *const name[] = { "Main", "Frame", "Draw" };
	struct tt_table *t;
	struct tt_cell *c;

	t = tt_report_table(r, "calltree", "Tree", tree_cols, 3);
	t->tree = true;
	for (int i = 0; i < 3; i++) {
		c = tt_row(t);
		tt_cell_text(&c[0], name[i]);
		tt_cell_int(&c[1], i);
		tt_cell_int(&c[2], i * 10);
	}
	CHECK_EQ_INT(tt_table_sort(t, "count", &err), TT_OK);
}

TEST(a_tree_is_indented_for_people_and_has_depths_for_machines)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	tree(&r);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT },
	    "Tree\n  marker    count\n  Main          0\n    Frame      10\n      Draw     20\n");
	tt_report_init(&r, &mem);
	tree(&r);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_CSV },
	    "marker,depth,count\nMain,0,0\nFrame,1,10\nDraw,2,20\n");
}

TEST(facts_stand_upright)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	struct tt_table *t = table(&r, "facts");
	t->facts = true;
	row(t, "wall", 12, 16666667, -1);
	row(t, "CPU", 12, 123456789012, -1);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT },
	    "Markers\n"
	    "  marker  wall       CPU\n"
	    "  count          12         12\n"
	    "  self    16.667 ms  123.457 s\n");
}

TEST(direction_overrides_never_reach_the_terminal)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	row(table(&r, "markers"), "a\u202eb\u202ac\u2066d\u2069e\u2029\u2065f\u206a", 1, 0, 0);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT },
	    "Markers\n"
	    "  marker         count  self  share %\n"
	    "  a?b?c?d?e\u2029\u2065f\u206a      1  0 ns     0.00\n");
}

TEST(a_terminal_too_narrow_for_anything_still_gets_the_first_columns)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	row(table(&r, "markers"), "World:Frame", 1, 2, 3);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT, .width = 5 },
	    "Markers\n"
	    "  marker      count\n"
	    "  World:          1\n"
	    "  Frame\n"
	    "  no room for self,\n"
	    "  share %\n"
	    "  (a width of 0 shows all)\n");
	tt_report_init(&r, &mem);
	tree(&r);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT, .width = 5 },
	    "Tree\n"
	    "  marker\n"
	    "  Main\n"
	    "    Frame\n"
	    "      Draw\n"
	    "  no room for count\n"
	    "  (a width of 0 shows all)\n");
}

TEST(a_number_stays_with_its_unit)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	tt_report_note(&r, "notice", "n", "waits of 12.3 ms, 98 % of it, or 17 times");
	tt_report_note(&r, "notice", "n", "Draw 1.234 µs and 5 more KB");
	for (unsigned width = 17; width < 50; width++) {
		struct tt_buf b = { 0 };

		CHECK_EQ_INT(tt_render(&r, &(struct tt_render_opts){ .form = TT_RENDER_TEXT, .width = width }, &b, &err), TT_OK);
		tt_buf_add(&b, "", 1);
		CHECK(strstr((char *)b.p, "12.3 ms,") != NULL);
		CHECK(strstr((char *)b.p, "98 %") != NULL);
		CHECK(strstr((char *)b.p, "1.234 µs") != NULL);
		tt_buf_free(&b);
	}
	tt_report_free(&r);
}

TEST(prose_goes_on_in_the_next_line_and_nothing_of_it_is_lost)
{
	static const struct tt_col col[] = {
		{ "name", "name", TT_UNIT_TEXT, NULL }, { "n", "n", TT_UNIT_COUNT, NULL }, { "why", "why", TT_UNIT_PROSE, NULL },
	};
	struct tt_report r;
	struct tt_table *t = NULL;
	struct tt_cell *c;

	tt_report_init(&r, &mem);
	t = tt_report_table(&r, "t", "T", col, TT_NCOL(col));
	c = tt_row(t);
	tt_cell_text(&c[0], "first");
	tt_cell_int(&c[1], 1);
	tt_cell_text(&c[2], "one two three four five six");
	c = tt_row(t);
	tt_cell_text(&c[0], "second");
	tt_cell_int(&c[1], 22);
	tt_cell_text(&c[2], "short");
	tt_report_note(&r, "notice", "n", "a sentence that is longer than a line");
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT, .width = 32 },
	    "T\n"
	    "  name     n  why\n"
	    "  first    1  one two three four\n"
	    "              five six\n"
	    "  second  22  short\n"
	    "\n"
	    "notice: a sentence that is\n"
	    "  longer than a line\n");
}

TEST(the_longest_sentence_and_the_answer_stay_where_there_is_no_room)
{
	static const struct tt_col col[] = {
		{ "frames", "frames", TT_UNIT_PROSE, NULL }, { "n", "count", TT_UNIT_COUNT, NULL }, { "time", "time", TT_UNIT_COUNT, NULL },
		{ "why", "why", TT_UNIT_PROSE, NULL },
	};
	struct tt_report r;
	struct tt_table *t = NULL;
	struct tt_cell *c;

	for (int answer = 0; answer < 2; answer++) {
		tt_report_init(&r, &mem);
		t = tt_report_table(&r, "t", "T", col, TT_NCOL(col));
		t->answer = answer ? 2 : 0;
		c = tt_row(t);
		tt_cell_text(&c[0], "frames 1 and 2");
		tt_cell_int(&c[1], 123456789);
		tt_cell_int(&c[2], 987654321);
		tt_cell_text(&c[3], "one two three four five six seven aLongWordThatHasNoBlankInIt end");
		if (answer)
			expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT, .width = 66 },
			    "T\n"
			    "  frames                 time  why\n"
			    "  frames 1 and 2  987,654,321  one two three four five six seven\n"
			    "                               aLongWordThatHasNoBlankInIt end\n"
			    "  no room for count (a width of 0 shows all)\n");
		else
			expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT, .width = 40 },
			    "T\n"
			    "  frames          why\n"
			    "  frames 1 and 2  one two three four\n"
			    "                  five six seven\n"
			    "                  aLongWordThatHasNo\n"
			    "                  BlankInIt end\n"
			    "  no room for count, time\n"
			    "  (a width of 0 shows all)\n");
	}
}

/* A tree ${levels} deep at ${width} columns; the text is at *${b}. */
static void
deep_tree(struct tt_buf *b, int levels, unsigned width)
{
	static const struct tt_col col[] = {
		{ "name", "name", TT_UNIT_TEXT, NULL }, { "depth", "depth", TT_UNIT_COUNT, NULL }, { "self", "self", TT_UNIT_NS, NULL },
	};
	const struct tt_render_opts o = { .form = TT_RENDER_TEXT, .width = width };
	struct tt_report r;
	struct tt_table *t = NULL;
	struct tt_cell *c;

	tt_report_init(&r, &mem);
	t = tt_report_table(&r, "t", "T", col, TT_NCOL(col));
	t->tree = true;
	for (int i = 0; i < levels; i++) {
		c = tt_row(t);
		tt_cell_text(&c[0], tt_text(&r, "Some.Namespace.Of.A.Game:Level%03d", i));
		tt_cell_int(&c[1], i);
		tt_cell_int(&c[2], 123456);
	}
	CHECK_EQ_INT(tt_render(&r, &o, b, &err), TT_OK);
	tt_buf_add(b, "", 1);
	tt_report_free(&r);
}

TEST(no_level_of_a_tree_looks_like_another)
{
	for (unsigned width = 40; width <= 240; width += 20) {
		struct tt_buf b = { 0 };
		char want[64];

		deep_tree(&b, 120, width);
		for (const char *p = b.p; *p; p += strcspn(p, "\n") + 1)
			CHECK(tt_text_width_n(p, strcspn(p, "\n")) <= width);
		for (int i = 0; i < 120; i++) {
			const char *p = strstr(b.p, (snprintf(want, sizeof want, ":Level%03d", i), want)), *q;
			size_t indent = 0;

			CHECK(p != NULL);
			for (q = p; q && q > b.p && q[-1] != '\n';)
				q--;
			indent = q ? strspn(q, " ") : 0;
			snprintf(want, sizeof want, "%d: ", i);
			/* Indented by its level, or numbered. */
			CHECK(indent == 2 + (size_t)i * 2 || indent == 2 + (size_t)i || (q && strncmp(q + indent, want, strlen(want)) == 0));
		}
		tt_buf_free(&b);
	}
	CHECK_EQ_INT(mem.used, 0);
}

/* No letter of a name is lost: the parts of its lines are its own. */
TEST(names_go_on_in_the_next_line_at_their_parts)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	row(table(&r, "markers"), "Some.Namespace.Of.A.Game:RenderEverythingThatIsThere(int)", 1, 2, 3);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT, .width = 44 },
	    "Markers\n"
	    "  marker                    count  self\n"
	    "  Some.Namespace.Of.A.          1  2 ns\n"
	    "  Game:RenderEverything\n"
	    "  ThatIsThere(int)\n"
	    "  no room for share %\n  (a width of 0 shows all)\n");
}

/* Twelve lines at the most: its first and its end, which say by whom what is called. */
TEST(a_path_of_many_lines_loses_its_middle)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	row(table(&r, "markers"), "Game:Main > Game:Update > World:Step > Physics:Simulate > Physics:Solve > Solver:Iterate > Contact:Apply > "
	    "Body:Move > Island:Split > Island:Merge > Joint:Project > Joint:Correct > Shape:Rotate > Shape:Bounds > Tree:Insert > Tree:Balance > "
	    "Node:Refit > Node:Rotate", 1, 2, 3);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT, .width = 44 },
	    "Markers\n"
	    "  marker                    count  self\n"
	    "  Game:Main > Game:Update       1  2 ns\n"
	    "  … Solve > Solver:Iterate\n"
	    "  > Contact:Apply >\n"
	    "  Body:Move > Island:Split\n"
	    "  > Island:Merge >\n"
	    "  Joint:Project >\n"
	    "  Joint:Correct >\n"
	    "  Shape:Rotate >\n"
	    "  Shape:Bounds >\n"
	    "  Tree:Insert >\n"
	    "  Tree:Balance >\n"
	    "  Node:Refit > Node:Rotate\n"
	    "  no room for share %\n  (a width of 0 shows all)\n");
}

TEST(the_column_that_rows_are_sorted_by_stays)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	row(table(&r, "markers"), "World:Frame", 1, 2, 3);
	CHECK_EQ_INT(tt_table_sort(r.first, "share", &err), TT_OK);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT, .width = 34 },
	    "Markers\n"
	    "  marker       count  share %\n"
	    "  World:Frame      1     0.03\n"
	    "  no room for self\n  (a width of 0 shows all)\n");
}

TEST(names_of_a_tree_that_begin_alike_and_end_alike_differ_when_cut)
{
	static const char *const name[] = {
		"Some.Very.Long.Namespace.Of.A.Game:Update(int)", "Some.Very.Long.Namespace.Of.A.Game:Update(float)",
		"Some.Very.Long.Namespace.Of.A.Game:Render(int)", "Other.Very.Long.Namespace.Of.A.Game:Render(int)",
	};
	struct tt_report r;
	struct tt_buf b = { 0 };
	const struct tt_render_opts o = { .form = TT_RENDER_TEXT, .width = 44 };
	const char *line[4] = { NULL };

	tt_report_init(&r, &mem);

	struct tt_table *t = tt_report_table(&r, "calltree", "Tree", tree_cols, 3);

	t->tree = true;
	for (size_t i = 0; i < 4; i++) {
		struct tt_cell *c = tt_row(t);

		tt_cell_text(&c[0], name[i]);
		tt_cell_int(&c[1], 0);
		tt_cell_int(&c[2], 1000000000000000);
	}
	CHECK_EQ_INT(tt_render(&r, &o, &b, &err), TT_OK);
	tt_buf_add(&b, "", 1);
	line[0] = strstr(b.p, "Some");
	for (size_t i = 1; i < 4 && line[i - 1]; i++)
		line[i] = strchr(line[i - 1], '\n') + 3;
	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < i; k++)
			CHECK(strncmp(line[i], line[k], strcspn(line[i], "\n")) != 0);
	}
	tt_buf_free(&b);
	tt_report_free(&r);
}

static const char *
human(char *(*put)(char *, int64_t), int64_t v)
{
	static char text[64];

	*put(text, v) = '\0';
	return text;
}

TEST(human_forms)
{
	CHECK_STR(human(tt_put_count, 0), "0");
	CHECK_STR(human(tt_put_count, -1234), "-1,234");
	CHECK_STR(human(tt_put_count, 100000), "100,000");
	CHECK_STR(human(tt_put_count, INT64_MIN), "-9,223,372,036,854,775,808");
	CHECK_STR(human(tt_put_time, 0), "0 ns");
	CHECK_STR(human(tt_put_time, -999), "-999 ns");
	CHECK_STR(human(tt_put_time, 1500), "1.500 µs");
	CHECK_STR(human(tt_put_time, 12345499), "12.345 ms");
	CHECK_STR(human(tt_put_time, -12345500), "-12.346 ms");
	CHECK_STR(human(tt_put_time, 9999999000), "9,999.999 ms");
	CHECK_STR(human(tt_put_time, 10000000000), "10.000 s");
	CHECK_STR(human(tt_put_time, INT64_MIN), "-9,223,372,036.855 s");
	CHECK_STR(human(tt_put_time_short, 0), "0 ns");
	CHECK_STR(human(tt_put_time_short, 999), "999 ns");
	CHECK_STR(human(tt_put_time_short, 1000), "1.000 µs");
	CHECK_STR(human(tt_put_time_short, 50688), "50.69 µs");
	CHECK_STR(human(tt_put_time_short, 999949), "999.9 µs");
	CHECK_STR(human(tt_put_time_short, 999950), "1.000 ms");
	CHECK_STR(human(tt_put_time_short, -999949999), "-999.9 ms");
	CHECK_STR(human(tt_put_time_short, -999950000), "-1.000 s");
	CHECK_STR(human(tt_put_time_short, 2953600000), "2.954 s");
	CHECK_STR(human(tt_put_time_short, 9999600000000), "10,000 s");
	CHECK_STR(human(tt_put_time_short, INT64_MIN), "-9,223,372,037 s");
	CHECK_STR(human(tt_put_bytes, 9999), "9,999 B");
	CHECK_STR(human(tt_put_bytes, 10000), "9.8 KB");
	CHECK_STR(human(tt_put_bytes, 1048576), "1.0 MB");
	CHECK_STR(human(tt_put_bytes, -1536 * 1024), "-1.5 MB");
	CHECK_STR(human(tt_put_bytes, INT64_MAX), "8,192.0 PB");
}

/* Tests of out/table.h: sorting, limits and the four renderers. */
#include "check.h"

#include "out/glyph.h"
#include "out/table.h"

static struct tt_mem mem;
static struct tt_err err;

static const struct tt_col cols[] = {
	{ "marker", "marker", TT_UNIT_TEXT, "name" },
	{ "count", "count", TT_UNIT_COUNT, "calls" },
	{ "self_ns", "self", TT_UNIT_NS, "self time" },
	{ "share", "share", TT_UNIT_PERCENT, "of all" },
};
#define NCOL (sizeof cols / sizeof *cols)

static struct tt_table *
table(struct tt_report *r, const char *id)
{
	return tt_report_table(r, id, "Markers", cols, NCOL);
}

static void
row(struct tt_table *t, const char *name, int64_t n, int64_t ns, int64_t share)
{
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[0], name);
	tt_cell_int(&c[1], n);
	tt_cell_int(&c[2], ns);
	if (share >= 0)
		tt_cell_int(&c[3], share);
}

/* Render and compare; frees the report. */
static void
expect(struct tt_report *r, struct tt_render_opts o, const char *want)
{
	struct tt_buf b = { 0 };

	CHECK_EQ_INT(tt_render(r, &o, &b, &err), TT_OK);
	tt_buf_add(&b, "", 1);
	CHECK_STR(b.p, want);
	tt_buf_free(&b);
	tt_report_free(r);
	CHECK_EQ_INT(mem.used, 0);
}

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
	    "  no room for share\n  (a width of 0 shows all)\n";
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

TEST(json_is_exact_and_escaped)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	struct tt_table *t = table(&r, "markers");
	row(t, "a\"b\\\n", INT64_MAX, INT64_MIN, 1234);
	row(t, "c", 0, 0, -1);
	t->hidden = 3;
	table(&r, "none")->empty_reason = "why";
	tt_report_note(&r, "info", "x", "y");
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_JSON, .generator = "tracetool 1" },
	    "{\"tracetool_report\":1,\n"
	    "\"generator\":\"tracetool 1\",\n"
	    "\"notes\":[\n"
	    " {\"severity\":\"info\",\"id\":\"x\",\"text\":\"y\"}],\n"
	    "\"tables\":{\n"
	    " \"markers\":{\"title\":\"Markers\",\n"
	    "  \"columns\":[{\"id\":\"marker\",\"title\":\"marker\",\"unit\":\"text\"},"
	    "{\"id\":\"count\",\"title\":\"count\",\"unit\":\"count\"},"
	    "{\"id\":\"self_ns\",\"title\":\"self\",\"unit\":\"ns\"},"
	    "{\"id\":\"share\",\"title\":\"share\",\"unit\":\"percent\"}],\n"
	    "  \"hidden\":3,\n"
	    "  \"rows\":[\n"
	    "   {\"marker\":\"a\\\"b\\\\\\n\",\"count\":9223372036854775807,\"self_ns\":-9223372036854775808,"
	    "\"share\":12.34},\n"
	    "   {\"marker\":\"c\",\"count\":0,\"self_ns\":0,\"share\":null}]},\n"
	    " \"none\":{\"title\":\"Markers\",\n"
	    "  \"columns\":[{\"id\":\"marker\",\"title\":\"marker\",\"unit\":\"text\"},"
	    "{\"id\":\"count\",\"title\":\"count\",\"unit\":\"count\"},"
	    "{\"id\":\"self_ns\",\"title\":\"self\",\"unit\":\"ns\"},"
	    "{\"id\":\"share\",\"title\":\"share\",\"unit\":\"percent\"}],\n"
	    "  \"empty\":\"why\",\n"
	    "  \"rows\":[]}}}\n");
}

TEST(csv_of_one_table_is_plain_rfc_4180)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	struct tt_table *t = table(&r, "markers");
	row(t, "a,\"b\"", 1, -2, 5);
	row(t, "two\nlines", 1234, 2, -1);
	row(t, "bad \xff byte;", 0, 2, -1);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_CSV },
	    "marker,count,self_ns,share\n"
	    "\"a,\"\"b\"\"\",1,-2,0.05\n"
	    "\"two\nlines\",1234,2,\n"
	    "bad \xef\xbf\xbd byte;,0,2,\n");
}

/* Readers pass over empty lines, and one ends a table among others. */
TEST(csv_of_one_column_has_no_empty_line)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	struct tt_table *t = tt_report_table(&r, "query", "Query", cols, 1);
	tt_cell_text(&tt_row(t)[0], "a");
	tt_row(t);
	tt_cell_text(&tt_row(t)[0], "");
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_CSV }, "marker\na\n\"\"\n\"\"\n");
}

TEST(csv_separator_mark_and_safe_mode)
{
	static const char *const risky[] = { "=1+1", "+a", "-a", "@a", "\ta", "＝a", "a=b", "" };
	struct tt_render_opts o = { .form = TT_RENDER_CSV, .csv_sep = ';', .csv_bom = true, .csv_safe = true };
	struct tt_report r;

	tt_report_init(&r, &mem);
	struct tt_table *t = table(&r, "markers");
	for (size_t i = 0; i < sizeof risky / sizeof *risky; i++)
		row(t, risky[i], -1, -1, 0);
	expect(&r, o,
	    "\xef\xbb\xbfmarker;count;self_ns;share\n"
	    "'=1+1;-1;-1;0.00\n"
	    "'+a;-1;-1;0.00\n"
	    "'-a;-1;-1;0.00\n"
	    "'@a;-1;-1;0.00\n"
	    "'\ta;-1;-1;0.00\n"
	    "'＝a;-1;-1;0.00\n"
	    "a=b;-1;-1;0.00\n"
	    ";-1;-1;0.00\n");
}

TEST(csv_of_several_tables_names_each)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	row(table(&r, "one"), "a", 1, 2, 3);
	table(&r, "two");
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_CSV },
	    "# one\nmarker,count,self_ns,share\na,1,2,0.03\n\n# two\nmarker,count,self_ns,share\n");
}

TEST(markdown_escapes_what_would_mean_something)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	row(table(&r, "markers"), "List`1<a|b>:*_x\n", 1000, 2000000, 50);
	tt_report_note(&r, "notice", "x", "a <b>");
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_MARKDOWN },
	    "### Markers\n\n"
	    "| marker | count | self | share % |\n"
	    "| :-- | --: | --: | --: |\n"
	    "| List\\`1\\<a\\|b\\>:\\*\\_x  | 1,000 | 2.000 ms | 0.50 |\n"
	    "\n- **notice**: a \\<b\\>\n");
}

TEST(sorting_is_total_and_empty_cells_come_last)
{
	struct tt_report r;
	struct tt_table *t;

	tt_report_init(&r, &mem);
	t = table(&r, "markers");
	row(t, "b", 1, 5, -1);
	row(t, "a", 1, 5, 7);
	row(t, "c", 2, 9, 7);
	CHECK_EQ_INT(tt_table_sort(t, "share", &err), TT_OK);
	CHECK_STR(t->cell[0].s, "a");
	CHECK_STR(t->cell[NCOL].s, "c");
	CHECK_STR(t->cell[2 * NCOL].s, "b");
	CHECK_EQ_INT(tt_table_sort(t, "-share", &err), TT_OK);
	CHECK_STR(t->cell[2 * NCOL].s, "b");
	CHECK_EQ_INT(tt_table_sort(t, "self_ns", &err), TT_OK);
	CHECK_STR(t->cell[0].s, "c");
	CHECK_STR(t->cell[NCOL].s, "a");
	CHECK_EQ_INT(tt_table_sort(t, "-marker", &err), TT_OK);
	CHECK_STR(t->cell[0].s, "c");
	CHECK_EQ_INT(tt_table_sort(t, "nonsense", &err), TT_E_USAGE);
	CHECK_HAS(err.msg, "marker, count, self_ns, share");
	tt_report_free(&r);
}

/* Rows of few groups in any order: against sums made by hand. Bits of the columns: marker 1, count 2, self_ns 4, share 8. */
TEST(rows_that_are_alike_become_one_with_their_sums)
{
	enum { GROUPS = 7, ROWS = 200 };
	static const char *const names[GROUPS] = { "e", "b", "a", "g", "c", "f", "d" };
	int64_t n[GROUPS] = { 0 }, ns[GROUPS] = { 0 }, rows[GROUPS] = { 0 };
	uint64_t seed = 3;

	for (int counted = 0; counted < 2; counted++) {
		struct tt_report r;
		struct tt_table *t;

		memset(n, 0, sizeof n);
		memset(ns, 0, sizeof ns);
		memset(rows, 0, sizeof rows);
		tt_report_init(&r, &mem);
		t = table(&r, "markers");
		for (int i = 0; i < ROWS; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			const size_t k = (seed >> 33) % GROUPS;
			const bool empty = (seed >> 40) % 5 == 0;

			row(t, names[k], 1 + i % 3, 10 * i, 99);
			if (empty)
				t->cell[(t->nrow - 1) * NCOL + 2].empty = true;
			n[k] += 1 + i % 3;
			ns[k] += empty ? 0 : 10 * i;
			rows[k]++;
		}
		/* With the last column in the sum it is added up; else it has how many rows there were. */
		tt_table_group(t, 1, counted ? 4 : 2 | 8);
		CHECK_EQ_INT(t->nrow, GROUPS);
		for (size_t i = 0; i < t->nrow; i++) {
			const struct tt_cell *c = t->cell + i * NCOL;
			size_t k = 0;

			while (k < GROUPS - 1 && strcmp(names[k], c[0].s) != 0)
				k++;
			CHECK_STR(c[0].s, names[k]);
			CHECK(i == 0 || strcmp(c[0].s, c[-(int)NCOL].s) > 0);
			if (counted) {
				CHECK(c[1].empty);
				CHECK(c[2].empty ? ns[k] == 0 : c[2].v == ns[k]);
				CHECK_EQ_INT(c[3].v, rows[k]);
			} else {
				CHECK_EQ_INT(c[1].v, n[k]);
				CHECK(c[2].empty);
				CHECK_EQ_INT(c[3].v, 99 * rows[k]);
			}
		}
		tt_report_free(&r);
	}
}

TEST(groups_of_one_name_differ_by_their_number)
{
	struct tt_report r;
	struct tt_table *t;

	tt_report_init(&r, &mem);
	t = table(&r, "markers");
	for (uint32_t i = 0; i < 6; i++) {
		struct tt_cell *c = tt_row(t);

		/* Two workers of one name, and rows that are in no group. */
		if (i < 4)
			tt_cell_group(&c[0], "Worker", 7 + i % 2);
		tt_cell_int(&c[1], 1 << i);
	}
	tt_table_group(t, 1, 2);
	CHECK_EQ_INT(t->nrow, 3);
	CHECK(!t->cell[0].empty && !t->cell[NCOL].empty && t->cell[2 * NCOL].empty);
	CHECK_EQ_INT(t->cell[1].v, 1 + 4);
	CHECK_EQ_INT(t->cell[NCOL + 1].v, 2 + 8);
	CHECK_EQ_INT(t->cell[2 * NCOL + 1].v, 16 + 32);
	CHECK_EQ_INT(t->cell[3].v, 2);
	CHECK_EQ_INT(t->cell[2 * NCOL + 3].v, 2);
	tt_report_free(&r);
}

TEST(select_keeps_what_is_named_and_drops_extras_by_default)
{
	static const char *const ids[] = { "two", "three", NULL };
	struct tt_report r;

	tt_report_init(&r, &mem);
	row(table(&r, "one"), "a", 1, 2, 3);
	table(&r, "two")->extra = true;
	table(&r, "three");
	tt_report_select(&r, ids);
	CHECK_STR(r.first->id, "two");
	CHECK_STR(r.first->next->id, "three");
	CHECK(r.last == r.first->next && !r.last->next);
	tt_report_select(&r, NULL);
	CHECK(r.first == r.last);
	CHECK_STR(r.first->id, "three");
	table(&r, "four");
	CHECK_STR(r.first->next->id, "four");
	tt_report_free(&r);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(a_failed_allocation_is_reported_and_leaks_nothing)
{
	struct tt_report r;
	struct tt_cell *c;
	struct tt_table *t;

	tt_report_init(&r, &mem);
	t = table(&r, "markers");
	CHECK_EQ_INT(tt_report_error(&r, &err), TT_OK);
	mem.cap = mem.used;
	c = tt_row(t);
	CHECK(c[0].empty && c[NCOL - 1].empty);
	CHECK_EQ_INT(t->nrow, 0);
	CHECK_EQ_INT(tt_report_error(&r, &err), TT_E_LIMIT);
	mem.cap = 0;
	tt_report_free(&r);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(after_an_error_everything_can_be_written_and_nothing_is_kept)
{
	const struct tt_render_opts o = { .form = TT_RENDER_JSON };
	struct tt_report r;
	struct tt_buf b = { 0 };
	struct tt_cell *c;
	struct tt_table *t;

	tt_report_init(&r, &mem);
	t = table(&r, "whole");
	mem.cap = mem.used;
	tt_row(t);
	mem.cap = 0;
	t = tt_report_table(&r, "late", "Late", cols, NCOL);
	c = tt_row(t);
	tt_cell_text(&c[0], tt_text(&r, "%d of %s", 3, "them"));
	CHECK_STR(c[0].s, "");
	CHECK_STR(tt_text_of(&r, "abc", 3), "");
	tt_cell_int(&tt_row(t)[NCOL - 1], 7);
	CHECK_EQ_INT(t->nrow, 0);
	tt_report_note(&r, "info", "x", "y");
	CHECK(r.first == r.last && !r.note);
	err.code = TT_OK;
	CHECK_EQ_INT(tt_render(&r, &o, &b, &err), TT_E_LIMIT);
	CHECK_EQ_INT(err.code, TT_E_LIMIT);
	CHECK_EQ_INT(b.n, 0);
	tt_buf_free(&b);
	tt_report_free(&r);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(values_of_several_units_are_sorted_as_numbers)
{
	static const struct tt_col two[] = { { "name", "name", TT_UNIT_TEXT, "" }, { "last", "last", TT_UNIT_VALUE, "" } };
	static const struct { const char *name; enum tt_unit unit; int64_t v; } in[] = {
		{ "two", TT_UNIT_MILLI, 2000 }, { "half", TT_UNIT_PERCENT, 50 }, { "three", TT_UNIT_COUNT, 3 }, { "2.5", TT_UNIT_PERCENT, 250 },
		{ "one", TT_UNIT_MILLI, 1000 },
	};
	static const char *const want[] = { "three", "2.5", "two", "one", "half" };
	struct tt_report r;
	struct tt_table *t = NULL;
	struct tt_cell *c;

	tt_report_init(&r, &mem);
	t = tt_report_table(&r, "counters", "Counters", two, 2);
	for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
		c = tt_row(t);
		tt_cell_text(&c[0], in[i].name);
		tt_cell_value(&c[1], in[i].unit, in[i].v);
	}
	CHECK_EQ_INT(tt_table_sort(t, "last", &err), TT_OK);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		CHECK_STR(t->cell[2 * i].s, want[i]);
	tt_report_free(&r);
}

TEST(a_column_that_is_missing_is_told_however_many_there_are)
{
	static struct tt_col many[60];
	static char id[60][16];
	struct tt_report r;
	struct tt_table *t = NULL;

	for (int i = 0; i < 60; i++) {
		snprintf(id[i], sizeof id[i], "column_%d", i);
		many[i] = (struct tt_col){ id[i], id[i], TT_UNIT_COUNT, "" };
	}
	tt_report_init(&r, &mem);
	t = tt_report_table(&r, "wide", "Wide", many, 60);
	CHECK_EQ_INT(tt_table_sort(t, "colum", &err), TT_E_USAGE);
	CHECK_HAS(err.msg, "table wide has no column \"colum\"; it has column_0, column_1");
	tt_report_free(&r);
}

TEST(facts_are_neither_sorted_nor_cut)
{
	struct tt_report r;
	struct tt_table *t;

	tt_report_init(&r, &mem);
	t = table(&r, "facts");
	t->facts = true;
	row(t, "wall", 1, 2, -1);
	row(t, "CPU", 5, 6, -1);
	CHECK_EQ_INT(tt_table_sort(t, "no such column", &err), TT_OK);
	CHECK_EQ_INT(tt_table_sort(t, "count", &err), TT_OK);
	tt_table_limit(t, 1);
	CHECK_STR(t->cell[0].s, "wall");
	CHECK_EQ_INT((intmax_t)t->nrow, 2);
	CHECK_EQ_INT((intmax_t)t->hidden, 0);
	t->facts = false;
	CHECK_EQ_INT(tt_table_sort(t, NULL, &err), TT_OK);
	tt_table_limit(t, 0);
	CHECK_STR(t->cell[0].s, "wall");
	CHECK_EQ_INT((intmax_t)t->nrow, 2);
	tt_report_free(&r);
}

TEST(a_report_without_a_table_is_none)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT }, "");
	tt_report_init(&r, &mem);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_CSV }, "");
	tt_report_init(&r, &mem);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_JSON },
	    "{\"tracetool_report\":1,\n\"generator\":\"tracetool\",\n\"notes\":[],\n\"tables\":{}}\n");
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
	    "  share\n"
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

TEST(a_column_is_called_by_its_id_or_its_heading)
{
	static const struct tt_col col[] = {
		{ "total_ns", "self", TT_UNIT_NS, NULL }, { "self", "own", TT_UNIT_NS, NULL }, { "share", "part", TT_UNIT_PERCENT, NULL },
	};

	CHECK_EQ_INT(tt_column_called(col, 3, "self"), 1);
	CHECK_EQ_INT(tt_column_called(col, 3, "Own"), 1);
	CHECK_EQ_INT(tt_column_called(col, 3, "part"), 2);
	CHECK_EQ_INT(tt_column_called(col, 3, "Part %"), 2);
	CHECK_EQ_INT(tt_column_called(col, 3, "own %"), 3);
	CHECK_EQ_INT(tt_column_called(col, 3, "par"), 3);
	CHECK_EQ_INT(tt_column_called(col, 3, ""), 3);
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
	    "  no room for share\n  (a width of 0 shows all)\n");
}

/* Its first line and its end: what is called, and by whom. */
TEST(a_path_of_many_lines_loses_its_middle)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	row(table(&r, "markers"), "Game:Main > Game:Update > World:Step > Physics:Simulate > Physics:Solve > Solver:Iterate > Contact:Apply > "
	    "Body:Move", 1, 2, 3);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT, .width = 44 },
	    "Markers\n"
	    "  marker                    count  self\n"
	    "  Game:Main > Game:Update       1  2 ns\n"
	    "  … > Contact:Apply >\n"
	    "  Body:Move\n"
	    "  no room for share\n  (a width of 0 shows all)\n");
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

/* --- rows of a stream -------------------------------------------------------- */

/* Rows in parts of three, with a text that is made for the part. */
struct numbers {
	struct tt_stream stream;
	unsigned at, n;
	int ended;
};

static bool
more_numbers(struct tt_stream *s, struct tt_table *t)
{
	struct numbers *x = (struct numbers *)s;

	for (unsigned i = 0; i < 3 && x->at < x->n; i++, x->at++) {
		struct tt_cell *c = tt_row(t);
		tt_cell_text(&c[0], tt_text(t->r, "row %u", x->at));
		tt_cell_int(&c[1], x->at * 7 % 10);
	}
	return t->nrow > 0;
}

static void
rewind_numbers(struct tt_stream *s, struct tt_table *t)
{
	(void)t;
	((struct numbers *)s)->at = 0;
}

static void
end_numbers(struct tt_stream *s)
{
	((struct numbers *)s)->ended++;
}

static struct tt_table *
stream(struct tt_report *r, struct numbers *x, unsigned n)
{
	struct tt_table *t = table(r, "markers");

	*x = (struct numbers){ .stream = { .more = more_numbers, .rewind = rewind_numbers, .end = end_numbers }, .n = n };
	t->empty_reason = "no rows";
	tt_table_stream(t, &x->stream);
	return t;
}

/* The same rows, held. */
static void
held(struct tt_report *r, unsigned n)
{
	struct tt_table *t = table(r, "markers");

	t->empty_reason = "no rows";
	for (unsigned i = 0; i < n; i++) {
		struct tt_cell *c = tt_row(t);
		tt_cell_text(&c[0], tt_text(r, "row %u", i));
		tt_cell_int(&c[1], i * 7 % 10);
	}
}

static int
append(void *arg, const char *p, size_t n, struct tt_err *e)
{
	(void)e;
	tt_buf_add(arg, p, n);
	return TT_OK;
}

TEST(rows_of_a_stream_look_like_rows_that_are_held)
{
	for (unsigned n = 0; n < 9; n++) {
		for (int form = TT_RENDER_TEXT; form <= TT_RENDER_MARKDOWN; form++) {
			const struct tt_render_opts o = { .form = (enum tt_render)form, .csv_sep = ',', .width = n % 2 ? 40 : 0 };
			struct tt_report a, b;
			struct tt_buf want = { 0 }, got = { 0 };
			struct numbers x;

			tt_report_init(&a, &mem);
			tt_report_init(&b, &mem);
			held(&a, n);
			stream(&b, &x, n);
			CHECK_EQ_INT(tt_render(&a, &o, &want, &err), TT_OK);
			CHECK_EQ_INT(tt_render(&b, &o, &got, &err), TT_OK);
			CHECK_STR(tt_buf_string(&got), tt_buf_string(&want));
			got.n = 0;            /* once more */
			CHECK_EQ_INT(tt_render(&b, &o, &got, &err), TT_OK);
			CHECK_STR(tt_buf_string(&got), tt_buf_string(&want));
			tt_buf_free(&want);
			tt_buf_free(&got);
			tt_report_free(&a);
			tt_report_free(&b);
			CHECK_EQ_INT(x.ended, 1);
			CHECK_EQ_INT(mem.used, 0);
		}
	}
}

TEST(a_stream_that_is_sorted_or_limited_is_as_held_rows_are)
{
	static const char *const by[] = { NULL, "count", "-count", "marker" };

	for (unsigned i = 0; i < 4; i++) {
		for (size_t limit = 0; limit < 12; limit++) {
			struct tt_report a, b;
			struct tt_buf want = { 0 }, got = { 0 };
			struct numbers x;

			tt_report_init(&a, &mem);
			tt_report_init(&b, &mem);
			held(&a, 40);
			struct tt_table *t = stream(&b, &x, 40);
			CHECK_EQ_INT(tt_table_sort(a.first, by[i], &err), TT_OK);
			CHECK_EQ_INT(tt_table_sort(t, by[i], &err), TT_OK);
			tt_table_limit(a.first, limit);
			tt_table_limit(t, limit);
			CHECK_EQ_INT(t->hidden, a.first->hidden);
			CHECK_EQ_INT(tt_render(&a, &(struct tt_render_opts){ .form = TT_RENDER_TEXT }, &want, &err), TT_OK);
			CHECK_EQ_INT(tt_render(&b, &(struct tt_render_opts){ .form = TT_RENDER_TEXT }, &got, &err), TT_OK);
			CHECK_STR(tt_buf_string(&got), tt_buf_string(&want));
			tt_buf_free(&want);
			tt_buf_free(&got);
			tt_report_free(&a);
			tt_report_free(&b);
			CHECK_EQ_INT(x.ended, 1);
			CHECK_EQ_INT(mem.used, 0);
		}
	}
}

TEST(a_stream_is_written_while_it_is_rendered)
{
	for (int form = TT_RENDER_TEXT; form <= TT_RENDER_MARKDOWN; form++) {
		struct tt_buf all = { 0 }, rest = { 0 }, whole = { 0 };
		struct tt_render_opts o = { .form = (enum tt_render)form, .csv_sep = ',' };
		struct tt_report r;
		struct numbers x;

		tt_report_init(&r, &mem);
		stream(&r, &x, 200000);
		CHECK_EQ_INT(tt_render(&r, &o, &whole, &err), TT_OK);
		const size_t before = mem.used;
		mem.peak = before;
		o.write = append;
		o.arg = &all;
		CHECK_EQ_INT(tt_render(&r, &o, &rest, &err), TT_OK);
		CHECK(rest.n < 1 << 17);
		CHECK(mem.peak < before + (64 << 10));
		tt_buf_add(&all, rest.p, rest.n);
		CHECK(all.n == whole.n && memcmp(all.p, whole.p, all.n) == 0);
		tt_buf_free(&all);
		tt_buf_free(&rest);
		tt_buf_free(&whole);
		tt_report_free(&r);
		CHECK_EQ_INT(mem.used, 0);
	}
}

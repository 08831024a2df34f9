/* Tests of out/render_json.c, render_csv.c and render_markdown.c: numbers and texts as they are. */
#include "table_kit.h"

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

/* Tests of diff/rename.h: the grammar of the map file, its errors, and which names a line is for. */
#include "check.h"

#include "base/err.h"
#include "diff/rename.h"

static struct tt_env env;
static struct tt_err err;
static struct tt_rename r;

static int
parse(const char *text)
{
	tt_rename_free(&r);
	err = (struct tt_err){ .at = TT_NOWHERE };
	return tt_rename_parse(&r, &env, text, strlen(text), &err);
}

static const char *
marker(const char *name)
{
	return tt_rename(&r, TT_RENAME_MARKER, name, &err);
}

static void
end(void)
{
	tt_rename_free(&r);
	CHECK_EQ_INT(env.mem.used, 0);
}

TEST(a_line_renames_what_it_names_and_nothing_else)
{
	CHECK_EQ_INT(parse("World:Draw\tWorld:Paint\n# a comment\n\nthread\tMain\tGame\ncategory\tA\tB\n"), TT_OK);
	CHECK_EQ_INT(r.n, 3);
	CHECK_STR(marker("World:Draw"), "World:Paint");
	CHECK_STR(marker("World:Drawn"), "World:Drawn");
	CHECK_STR(marker("World:Dra"), "World:Dra");
	CHECK_STR(marker("Main"), "Main");
	CHECK_STR(marker("A"), "A");
	CHECK_STR(tt_rename(&r, TT_RENAME_THREAD, "Main", &err), "Game");
	CHECK_STR(tt_rename(&r, TT_RENAME_THREAD, "World:Draw", &err), "World:Draw");
	CHECK_STR(tt_rename(&r, TT_RENAME_CATEGORY, "A", &err), "B");
	end();
}

TEST(a_name_without_arguments_keeps_those_of_the_marker)
{
	CHECK_EQ_INT(parse("Game.World:Draw\tGame.World:Paint\nGame.World:Draw (int)\tGame.World:DrawOne (int,bool)\n"), TT_OK);
	CHECK_STR(marker("Game.World:Draw (string)"), "Game.World:Paint (string)");
	CHECK_STR(marker("Game.World:Draw ()"), "Game.World:Paint ()");
	CHECK_STR(marker("Game.World:Draw"), "Game.World:Paint");
	/* The whole name goes before the bare one. */
	CHECK_STR(marker("Game.World:Draw (int)"), "Game.World:DrawOne (int,bool)");
	/* A thread has no arguments. */
	CHECK_STR(tt_rename(&r, TT_RENAME_THREAD, "Game.World:Draw (int)", &err), "Game.World:Draw (int)");
	end();
}

TEST(names_are_not_renamed_twice)
{
	CHECK_EQ_INT(parse("A\tB\nB\tC\nC\tA\n"), TT_OK);
	CHECK_STR(marker("A"), "B");
	CHECK_STR(marker("B"), "C");
	CHECK_STR(marker("C"), "A");
	end();
}

TEST(lines_that_nothing_had_the_name_of_are_known)
{
	unsigned used = 0;

	CHECK_EQ_INT(parse("A\tB\nC\tD\nE\tF\n"), TT_OK);
	for (size_t i = 0; i < r.n; i++)
		CHECK(!r.v[i].used);
	marker("C");
	marker("Cx");
	marker("e");
	for (size_t i = 0; i < r.n; i++) {
		used += r.v[i].used;
		CHECK_EQ_INT(r.v[i].used, strcmp(r.v[i].from, "C") == 0);
		CHECK_EQ_INT(r.v[i].line, (r.v[i].from[0] - 'A') / 2 + 1);
	}
	CHECK_EQ_INT(used, 1);
	end();
}

TEST(files_of_windows_and_files_without_a_last_line_end_are_read)
{
	CHECK_EQ_INT(parse("A\tB\r\n\r\n#x\r\nC\tD"), TT_OK);
	CHECK_EQ_INT(r.n, 2);
	CHECK_STR(marker("A"), "B");
	CHECK_STR(marker("C"), "D");
	CHECK_EQ_INT(parse(""), TT_OK);
	CHECK_EQ_INT(r.n, 0);
	CHECK_STR(marker("A"), "A");
	end();
}

TEST(a_wrong_line_is_an_error_that_names_it)
{
	static const struct { const char *text, *line; } wrong[] = {
		{ "A\tB\nA B\n", "line 2" },
		{ "\tB\n", "line 1" },
		{ "A\tB\n\nA\t\n", "line 3" },
		{ "A\t\r\n", "line 1" },
		{ "method\tA\tB\n", "method" },
		{ "thread\t\tB\n", "line 1" },
		{ "A\tB\nC\tD\nA\tE\n", "line 3" },
		{ "thread\tA\tB\nthread\tA\tB\n", "line 2" },
		{ "marker\tA\tB\tC\n", "line 1" },
		{ "#\nA\tB\tC\tD\n", "line 2" },
	};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		CHECK_EQ_INT(parse(wrong[i].text), TT_E_USAGE);
		CHECK_HAS(err.msg, wrong[i].line);
	}
	CHECK_EQ_INT(parse("marker\tA\tB\nthread\tA\tB\ncategory\tA\tB\n"), TT_OK);
	end();
}

TEST(bytes_that_are_no_text_are_refused)
{
	tt_rename_free(&r);
	CHECK_EQ_INT(tt_rename_parse(&r, &env, "A\tB\0\n", 5, &err), TT_E_USAGE);
	tt_rename_free(&r);
	CHECK_EQ_INT(tt_rename_parse(&r, &env, NULL, 0, &err), TT_OK);
	end();
}

TEST(a_file_that_is_not_there_is_named)
{
	CHECK_EQ_INT(tt_rename_read(&r, &env, check_path("none.map"), &err), TT_E_IO);
	CHECK_HAS(err.msg, "none.map");
	end();
}

TEST(errors_of_a_file_name_it_and_its_line)
{
	FILE *f = fopen(check_path("bad.map"), "w");

	CHECK(f != NULL);
	fputs("A\tB\nnothing\n", f);
	fclose(f);
	CHECK_EQ_INT(tt_rename_read(&r, &env, check_path("bad.map"), &err), TT_E_USAGE);
	CHECK_HAS(err.msg, "bad.map");
	CHECK_HAS(err.msg, "line 2");
	end();
}

TEST(any_order_of_many_lines_finds_the_same)
{
	char text[64 * 1024];
	size_t n = 0;

	/* 7919 is a prime: each number once, in no order. */
	for (unsigned i = 0; i < 1000; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "N%u\tM%u\n", i * 7919 % 1000, i * 7919 % 1000);
	CHECK_EQ_INT(parse(text), TT_OK);
	for (unsigned i = 0; i < 1000; i++) {
		char from[16], to[16];

		snprintf(from, sizeof from, "N%u", i);
		snprintf(to, sizeof to, "M%u", i);
		CHECK_STR(marker(from), to);
	}
	CHECK_STR(marker("N1000"), "N1000");
	end();
}

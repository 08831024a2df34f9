/* Tests of option/opts.h: how arguments are read by tables. */
#include "check.h"

#include "base/spelling.h"
#include "emit/emit.h"
#include "option/opts.h"
#include "pass/pass.h"

static struct tt_err err;

/* --- parsing ---------------------------------------------------------------- */

struct inner {
	uint64_t n;
	int pick;
};
struct outer {
	bool flag, other;
	const char *text;
	struct tt_opt_given given;
	struct tt_list list, commas, operands;
	struct more { bool on; int choice; char sep; uint64_t size; } more;
	struct inner in;
};

static const char *
pick_value(size_t i)
{
	static const char *const v[] = { "auto", "always", "never", NULL };

	return v[i];
}

/* As an emitter declares its options. */
static const struct tt_option declared[] = {
	{ .name = "on", .at = offsetof(struct more, on), .help = "a flag" },
	{ .name = "choice", .arg = "WHAT", .kind = TT_OPTION_CHOICE, .at = offsetof(struct more, choice), .value = pick_value, .help = "a choice" },
	{ .name = "sep", .arg = "CHAR", .kind = TT_OPTION_CHAR, .at = offsetof(struct more, sep), .chars = ";\t", .help = "a character, with {on}" },
	{ .name = "bytes", .arg = "SIZE", .kind = TT_OPTION_SIZE, .at = offsetof(struct more, size), .help = "a size" },
	{ .name = NULL },
};

static bool
more_rows(size_t i, struct tt_opt_row *row)
{
	if (!declared[i].name)
		return false;
	tt_opts_row(&declared[i], "who: ", row);
	return true;
}

static int
set_more(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *e)
{
	for (const struct tt_option *t = declared; t->name; t++)
		if (strcmp(t->name, o->name) == 0)
			return tt_opts_read(t, (char *)field + t->at, value, a, e);
	return TT_E_USAGE;
}

static const struct tt_opt outer_opt[] = {
	{ 'f', "flag", NULL, "a flag", tt_opt_flag, offsetof(struct outer, flag), 0, 0, NULL, NULL, false },
	{ 'g', "other-flag", NULL, "another", tt_opt_flag, offsetof(struct outer, other), 0, 0, NULL, NULL, false },
	{ 't', "text", "TEXT", "a text", tt_opt_text, offsetof(struct outer, text), 0, 0, NULL, NULL, false },
	{ 0, "list", "ONE", "repeatable", tt_opt_add, offsetof(struct outer, list), 0, 0, NULL, NULL, false },
	{ 0, "commas", "A,B", "cut at commas", tt_opt_commas, offsetof(struct outer, commas), 0, 0, NULL, NULL, false },
	{ .list_row = more_rows, .set = set_more, .at = offsetof(struct outer, more) },
	{ .name = NULL },
};
static const struct tt_opt inner_opt[] = {
	{ 'n', "number", "N",
	    "a number of something that takes so many words to tell that the line must be cut", tt_opt_count,
	    offsetof(struct inner, n), 1, 9, NULL, NULL, false },
	{ 0, "pick", "WHEN", "one of three", tt_opt_choice, offsetof(struct inner, pick), 0, 0, pick_value, NULL, false },
	{ .name = NULL },
};
static const struct tt_opt_group groups[] = {
	{ "Outer", outer_opt, 0 },
	{ "Inner", inner_opt, offsetof(struct outer, in) },
	{ NULL, NULL, 0 },
};
static const struct tt_verb verb = {
	.name = "try", .summary = "try it", .operands = "FILE...", .about = "Tries.", .group = groups,
	.operand_at = offsetof(struct outer, operands), .given_at = offsetof(struct outer, given),
};

static struct tt_mem mem;
static struct tt_arena arena;
static struct outer got;

/* Parse the words of ${line}, cut at blanks. */
static int
parse(const char *line)
{
	static char copy[4][200];
	static unsigned k;
	char *argv[20], *save, *p = copy[k++ % 4];
	int argc = 0;

	tt_arena_free(&arena);
	tt_arena_init(&arena, &mem);
	memset(&got, 0, sizeof got);
	snprintf(p, sizeof copy[0], "%s", line);
	for (char *w = strtok_r(p, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	return tt_opts_parse(&verb, &got, argc, argv, &arena, &err);
}

TEST(what_was_given_is_given_again)
{
	struct tt_buf b = { 0 };

	CHECK_EQ_INT(parse("--on --choice always --sep=; -- -a it's"), TT_OK);
	tt_opts_quote_given(&b, &got.given, &got.operands, "on");
	tt_buf_add(&b, "", 1);
	CHECK_STR(b.p, "--choice always --sep ';' ./-a 'it'\\''s'");
	tt_buf_free(&b);
}

TEST(declared_options_are_options_like_others)
{
	CHECK_EQ_INT(parse("--on --choice always --sep tab --bytes=2k --on"), TT_OK);
	CHECK(got.more.on);
	CHECK_EQ_INT(got.more.choice, 2);
	CHECK_EQ_INT(got.more.sep, '\t');
	CHECK_EQ_INT(got.more.size, 2048);
	CHECK_EQ_INT(tt_opts_given(&got.given, "on"), 2);
	CHECK_EQ_INT(tt_opts_given(&got.given, "flag"), 0);
	CHECK_EQ_INT(parse("--sep ;"), TT_OK);
	CHECK_EQ_INT(got.more.sep, ';');
	CHECK_EQ_INT(parse("--sep x"), TT_E_USAGE);
	CHECK_STR(err.msg, "option --sep: \"x\" is not one of ; tab");
	CHECK_EQ_INT(parse("--choice alway"), TT_E_USAGE);
	CHECK_HAS(err.msg, "did you mean \"always\"");
	CHECK_EQ_INT(parse("--byte 1"), TT_E_USAGE);
	CHECK_HAS(err.msg, "did you mean --bytes");
}

/* What the command line cannot know of the fields of a registry's options. */
TEST(declared_options_lie_in_their_struct_and_mean_one_thing)
{
	static const size_t size[] = { [TT_OPTION_FLAG] = sizeof(bool), [TT_OPTION_COUNT] = 8, [TT_OPTION_SIZE] = 8,
		[TT_OPTION_PERCENT] = 8, [TT_OPTION_CHOICE] = sizeof(int), [TT_OPTION_CHAR] = 1, [TT_OPTION_TABLE] = sizeof(char *) };

	for (const struct tt_emit *const *e = tt_emits; *e; e++)
		for (const struct tt_option *t = (*e)->option; t && t->name; t++) {
			CHECK(t->kind != TT_OPTION_OTHER && t->at + size[t->kind] <= (*e)->own);
			CHECK(tt_emit_option(*e, t->name) == t);
			CHECK(!t->needs_option || tt_emit_option(*e, t->needs_option));
			for (const struct tt_emit *const *other = tt_emits; *other; other++) {
				const struct tt_option *same = tt_emit_option(*other, t->name);

				CHECK(!same || (same->kind == t->kind && strcmp(same->help, t->help) == 0));
			}
		}
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		for (const struct tt_option *t = (*p)->option; t && t->name; t++) {
			CHECK(t->kind == TT_OPTION_OTHER || t->at + size[t->kind] <= sizeof(struct tt_pass_opts));
			CHECK(!t->table || tt_pass_table_named(t->table, NULL) || strcmp(t->table, (*p)->name) == 0);
			CHECK(!t->replaces || tt_pass_table_named(t->replaces, NULL));
		}
}

TEST(options_have_long_short_and_bundled_forms)
{
	CHECK_EQ_INT(parse("a --flag -n 3 b --text=x=y --pick never -"), TT_OK);
	CHECK(got.flag && !got.other);
	CHECK_EQ_INT(got.in.n, 3);
	CHECK_STR(got.text, "x=y");
	CHECK_EQ_INT(got.in.pick, 2);
	CHECK_EQ_INT(got.operands.n, 3);
	CHECK_STR(got.operands.v[2], "-");
	CHECK(got.operands.v[3] == NULL);
	CHECK_EQ_INT(parse("-fgn4 -tfile"), TT_OK);
	CHECK(got.flag && got.other && got.in.n == 4);
	CHECK_STR(got.text, "file");
	CHECK_EQ_INT(parse("--text -f --text= -- -f --flag"), TT_OK);
	CHECK(!got.flag);
	CHECK_STR(got.text, "");
	CHECK_EQ_INT(got.operands.n, 2);
}

TEST(lists_grow_and_end_with_null)
{
	char line[200] = "";

	for (int i = 0; i < 15; i++)
		strcat(line, " --list=x");
	CHECK_EQ_INT(parse(line), TT_OK);
	CHECK_EQ_INT(got.list.n, 15);
	CHECK(got.list.v[15] == NULL);
	CHECK_EQ_INT(parse("--commas a,b --commas c"), TT_OK);
	CHECK_EQ_INT(got.commas.n, 3);
	CHECK_STR(got.commas.v[1], "b");
	CHECK_STR(got.commas.v[2], "c");
}

TEST(wrong_options_say_what_is_wrong)
{
	static const struct { const char *line, *say; } bad[] = {
		{ "--flga", "unknown option --flga; did you mean --flag?" },
		{ "--num 3", "unknown option --num; did you mean --number?" },
		{ "--zzzzzz", "unknown option --zzzzzz" },
		{ "-z", "unknown option -z" },
		{ "-fz", "unknown option -z" },
		{ "--flag=yes", "option --flag takes no value" },
		{ "--text", "option --text needs a value (TEXT)" },
		{ "-n", "option -n needs a value (N)" },
		{ "-n 0", "option -n: \"0\" is not a whole number from 1 to 9" },
		{ "--number=10", "option --number: \"10\" is not" },
		{ "--pick alway", "option --pick: unknown value \"alway\"; did you mean \"always\"?" },
		{ "--pick=xyzzy", "unknown value \"xyzzy\" (one of: auto, always, never)" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		CHECK_EQ_INT(parse(bad[i].line), TT_E_USAGE);
		CHECK_HAS(err.msg, bad[i].say);
	}
}

TEST(suggestions_are_near_or_none)
{
	CHECK_STR(tt_nearest_word("nevr", pick_value), "never");
	CHECK_STR(tt_nearest_word("alwyas", pick_value), "always");
	CHECK_STR(tt_nearest_word("al", pick_value), "always");
	CHECK(tt_nearest_word("sometimes", pick_value) == NULL);
	CHECK(tt_nearest_word("", pick_value) == NULL);
	CHECK(tt_nearest_word("x", pick_value) == NULL);
	CHECK(tt_nearest_word("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  pick_value) == NULL);
}

TEST(help_stays_within_its_width)
{
	struct tt_buf b = { 0 };

	tt_opts_help(&verb, 60, &b);
	tt_buf_add(&b, "", 1);
	CHECK_HAS(b.p, "  -n, --number N");
	CHECK_HAS(b.p, "who: a character, with --on\n");
	CHECK_HAS(b.p, "\nInner:\n");
	for (char *p = b.p; *p; p += strcspn(p, "\n") + 1)
		CHECK(strcspn(p, "\n") <= 60);
	tt_buf_free(&b);
}

TEST(the_machine_list_has_every_option)
{
	struct tt_buf b = { 0 };

	tt_opts_list_for_tests(&verb, &b);
	tt_buf_add(&b, "", 1);
	CHECK_STR(b.p, "-f --flag\n-g --other-flag\n-t --text TEXT\n--list ONE\n--commas A,B\n"
		       "--on\n--choice WHAT\n--sep CHAR\n--bytes SIZE\n-n --number "
		       "N\n--pick WHEN\n");
	tt_buf_free(&b);
	tt_arena_free(&arena);
}

/* Coverage: collect/cover.h, the pass and the lcov emitter, over captures made by hand. */
#include "check.h"

#include "collect/cover.h"
#include "io/sink.h"
#include "memrun.h"
#include "mlpd_encode.h"

#define T0 1000000000u

struct shot {
	struct mlpd_writer w;
	struct mlpd_buffer b;
	struct memrun r;
	struct tt_sink *sink;
};

static void
begin(struct shot *s)
{
	memset(s, 0, sizeof *s);
	mlpd_init(&s->w, 15, 8);
	mlpd_header(&s->w, 1600000000000, T0);
	mlpd_open(&s->b, &s->w, 1, T0, 0, 0, 0);
}

static void
method(struct shot *s, const char *class, const char *name, const char *args, const char *file, uint64_t token, uint64_t id)
{
	const char *const texts[5] = { "game", class, name, args, file };
	const uint64_t figures[3] = { token, id, 0 };

	mlpd_cov_method(&s->b, T0, texts, figures);
}

/* Offsets are counted from the statement before. */
static void
statement(struct shot *s, uint64_t id, uint64_t offset, uint64_t hits, uint64_t line)
{
	const uint64_t figures[5] = { id, offset, hits, line, 1 };

	mlpd_cov_statement(&s->b, T0, figures);
}

static const struct tt_cover_sum *
run(struct shot *s)
{
	mlpd_flush(&s->b);
	memrun(&s->r, s->w.out.data, s->w.out.len, MEMRUN_REPORT);
	CHECK_EQ_INT(s->r.rc, TT_OK);
	return tt_cover_sum(s->r.m);
}

static int
to_memory(void *arg, const char *path, struct tt_sink **sink, struct tt_err *err)
{
	struct shot *s = arg;
	int rc = tt_sink_open_mem(&s->r.env, sink, err);

	(void)path;
	s->sink = *sink;
	return rc;
}

/* What the emitter writes; the caller frees it. NULL: it ended with ${want}. */
static char *
lcov_ends(struct shot *s, int want)
{
	struct tt_emit_opts o = { .env = &s->r.env, .path = "x.info", .open = to_memory, .open_arg = s };
	const struct tt_emit *e = tt_emit_named("lcov");
	struct tt_err err;
	void *state;
	size_t n;

	CHECK(e == tt_emit_for_path("a.info") && e == tt_emit_for_path("a.lcov.gz"));
	CHECK_EQ_INT(tt_emit_begin(e, &o, s->r.m, &state, &err), TT_OK);
	CHECK_EQ_INT(e->finish(state, &err), want);
	const char *text = tt_sink_mem_data(s->sink, &n);
	char *copy = want == TT_OK ? strndup(text, n) : NULL;
	CHECK(copy || n == 0);
	tt_emit_end(state);
	return copy;
}

static char *
lcov(struct shot *s)
{
	return lcov_ends(s, TT_OK);
}

static void
end(struct shot *s)
{
	CHECK_EQ_INT(memrun_free(&s->r), 0);
	mlpd_free(&s->w);
}

static void
put_game(struct shot *s)
{
	method(s, "Game.World", "Step", "int,string", "/src/World.cs", 0x06000002, 7);
	statement(s, 7, 0, 3, 10);
	statement(s, 7, 1, 12, 11);           /* two statements on a line */
	statement(s, 7, 4, 9, 11);
	statement(s, 7, 2, 0, 12);
	statement(s, 7, 1, 3, 0xfeefee);      /* hidden */
	method(s, "Game.World", "Never", "", "/src/World.cs", 0x06000003, 8);
	statement(s, 8, 0, 0, 20);
	method(s, "Game.Audio", "Mix", "", "/src/Audio.cs", 0x06000001, 9);
	statement(s, 9, 0, 5, 3);
}

TEST(a_line_ran_as_often_as_the_most_frequent_of_its_statements)
{
	struct shot s;

	begin(&s);
	put_game(&s);
	const struct tt_cover_sum *c = run(&s);
	CHECK_EQ_INT(c->nfile, 2);
	CHECK_EQ_INT(c->nmethod, 3);
	if (CHECK_EQ_INT(c->nline, 5)) {
		CHECK_STR(c->file[c->line[0].file], "/src/Audio.cs");
		CHECK_EQ_INT(c->line[2].line, 11);
		CHECK_EQ_INT(c->line[2].hits, 12);
		CHECK_EQ_INT(c->line[3].hits, 0);
	}
	CHECK_STR(c->method[2].name, "Step");
	CHECK_EQ_INT(c->method[2].statements, 5);
	CHECK_EQ_INT(c->method[2].statements_hit, 4);
	CHECK_EQ_INT(c->method[2].entries, 3);
	end(&s);
}

TEST(instances_of_a_generic_method_are_one_method)
{
	struct shot s;

	begin(&s);
	method(&s, "Game.Pool`1", "Get", "T", "/src/Pool.cs", 0x06000009, 1);
	statement(&s, 1, 0, 2, 5);
	statement(&s, 1, 1, 0, 6);
	method(&s, "Game.Pool<int>", "Get", "int", "/src/Pool.cs", 0x06000009, 2);
	statement(&s, 2, 0, 3, 5);
	statement(&s, 2, 1, 1, 6);
	method(&s, "Game.Pool<int>", "Put", "int", "/src/Pool.cs", 0x0600000a, 3);
	statement(&s, 3, 0, 1, 6);            /* on a line of the other one */
	const struct tt_cover_sum *c = run(&s);
	CHECK_EQ_INT(c->nmethod, 2);
	CHECK_STR(c->method[1].class, "Game.Pool`1");
	CHECK_EQ_INT(c->method[1].entries, 5);
	CHECK_EQ_INT(c->method[1].statements, 2);
	CHECK_EQ_INT(c->method[1].statements_hit, 2);
	if (CHECK_EQ_INT(c->nline, 2)) {
		CHECK_EQ_INT(c->line[0].hits, 5);
		CHECK_EQ_INT(c->line[1].hits, 2);
	}
	end(&s);
}

TEST(lcov_has_each_file_with_its_methods_and_lines)
{
	struct shot s;

	begin(&s);
	put_game(&s);
	run(&s);
	char *text = lcov(&s);
	CHECK_STR(text,
	    "TN:\n"
	    "SF:/src/Audio.cs\n"
	    "FN:3,Game.Audio:Mix ()\nFNDA:5,Game.Audio:Mix ()\nFNF:1\nFNH:1\n"
	    "DA:3,5\nLF:1\nLH:1\nend_of_record\n"
	    "SF:/src/World.cs\n"
	    "FN:10,Game.World:Step (int;string)\nFN:20,Game.World:Never ()\n"
	    "FNDA:3,Game.World:Step (int;string)\nFNDA:0,Game.World:Never ()\nFNF:2\nFNH:1\n"
	    "DA:10,3\nDA:11,12\nDA:12,0\nDA:20,0\nLF:4\nLH:2\nend_of_record\n");
	free(text);
	end(&s);
}

TEST(names_cannot_end_a_field_or_a_line)
{
	struct shot s;

	begin(&s);
	method(&s, "A\nDA:1,1", "B\x01", "\xff,", "/a\nb.cs", 0, 1);
	statement(&s, 1, 0, 1, 4);
	run(&s);
	char *text = lcov(&s);
	CHECK_STR(text,
	    "TN:\nSF:/a?b.cs\nFN:4,A?DA:1;1:B? (\xef\xbf\xbd;)\nFNDA:1,A?DA:1;1:B? (\xef\xbf\xbd;)\nFNF:1\nFNH:1\n"
	    "DA:4,1\nLF:1\nLH:1\nend_of_record\n");
	free(text);
	end(&s);
}

TEST(without_debug_information_methods_and_statements_are_counted)
{
	struct shot s;

	begin(&s);
	method(&s, "A", "B", "", "", 0x06000001, 1);
	statement(&s, 1, 0, 1, 1);
	statement(&s, 1, 1, 0, 1);
	statement(&s, 99, 0, 1, 1);           /* of a method that did not come */
	const struct tt_cover_sum *c = run(&s);
	CHECK_EQ_INT(c->nline, 0);
	CHECK_EQ_INT(c->nmethod, 1);
	CHECK_EQ_INT(c->method[0].statements, 2);
	CHECK_EQ_INT(c->method[0].statements_hit, 1);
	lcov_ends(&s, TT_E_USAGE);
	end(&s);
}

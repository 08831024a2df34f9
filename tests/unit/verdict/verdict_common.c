/* Tests of what renderers of verdicts share (verdict/verdict_as.h): safe text for terminals and CI systems, and lines of a width. */
#include "check.h"

#include "verdict/verdict_as.h"

static struct tt_buf
text_of(const char *s)
{
	struct tt_buf b = { 0 };

	tt_buf_text(&b, s);
	return b;
}

TEST(messages_of_ci_systems_are_broken)
{
	struct tt_buf b = text_of("ok\n  ::error::from a name\na::b ##vso[x]\n");
	struct tt_err err;

	CHECK_EQ_INT(tt_verdict_defuse(true, false, &b, &err), TT_OK);
	tt_buf_add(&b, "", 1);
	CHECK(strstr(b.p, "\n  ::") == NULL);
	CHECK(strstr(b.p, "##") == NULL);
	CHECK_HAS(b.p, "a::b ");
	tt_buf_free(&b);
}

TEST(without_a_ci_system_only_controls_change)
{
	struct tt_buf b = text_of("::error::x\x1b[1m\r##[y]\n");
	struct tt_err err;

	CHECK_EQ_INT(tt_verdict_defuse(false, false, &b, &err), TT_OK);
	tt_buf_add(&b, "", 1);
	CHECK_STR(b.p, "::error::x?[1m?##[y]\n");
	tt_buf_free(&b);
}

TEST(lines_are_broken_at_blanks_and_commands_are_not)
{
	struct tt_buf b = text_of("one two three four five six seven\n  tracetool stats --explain row a.ttc b.ttc c.ttc\n");
	struct tt_err err;

	CHECK_EQ_INT(tt_verdict_wrap(20, &b, &err), TT_OK);
	tt_buf_add(&b, "", 1);
	CHECK_HAS(b.p, "tracetool stats --explain row a.ttc b.ttc c.ttc\n");
	CHECK(strcspn(b.p, "\n") <= 20);
	for (const char *p = b.p; p < strstr(b.p, "  tracetool"); p += strcspn(p, "\n") + 1)
		CHECK(strcspn(p, "\n") <= 20);
	tt_buf_free(&b);
}

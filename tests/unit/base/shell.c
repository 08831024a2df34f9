/* Tests of base/shell.h. */
#include "check.h"

#include "base/buf.h"
#include "base/shell.h"

TEST(what_cannot_be_printed_is_quoted_by_number)
{
	struct tt_buf b = { 0 };

	tt_shell_quote(&b, "caf\xe9 it's\t1.ttc");
	tt_buf_text(&b, " ");
	tt_shell_quote(&b, "caf\xc3\xa9");
	tt_buf_text(&b, " ");
	tt_shell_quote(&b, "a\\b\x1b[1m\n");
	tt_buf_text(&b, " ");
	tt_shell_quote(&b, "\xe2\x80\xae" "7");
	tt_buf_add(&b, "", 1);
	CHECK_STR(b.p, "$'caf\\351 it\\'s\\t1.ttc' 'caf\xc3\xa9' $'a\\\\b\\033[1m\\n' $'\\342\\200\\2567'");
	tt_buf_free(&b);
}

TEST(plain_words_stay_as_they_are)
{
	struct tt_buf b = { 0 };

	tt_shell_quote(&b, "runs/a-1.ttc");
	tt_buf_text(&b, " ");
	tt_shell_quote(&b, "");
	tt_buf_add(&b, "", 1);
	CHECK_STR(b.p, "runs/a-1.ttc ''");
	tt_buf_free(&b);
}

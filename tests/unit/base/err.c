/* Tests of base/err.h and of the log line in base/env.h. */
#include "check.h"

#include <errno.h>

#include "base/env.h"
#include "base/err.h"

TEST(fail_fills_the_record_and_returns_the_code)
{
	struct tt_err err;

	CHECK_EQ_INT(tt_fail(&err, TT_E_DAMAGED, 42, "length %d", 7), TT_E_DAMAGED);
	CHECK_EQ_INT(err.code, TT_E_DAMAGED);
	CHECK_EQ_INT(err.sys, 0);
	CHECK_EQ_INT(err.at, 42);
	CHECK_STR(err.msg, "length 7");
}

TEST(fail_without_a_record_only_returns)
{
	CHECK_EQ_INT(tt_fail(NULL, TT_E_LIMIT, 0, "x"), TT_E_LIMIT);
	CHECK_EQ_INT(tt_fail_sys(NULL, EIO, "x"), TT_E_IO);
	CHECK_EQ_INT(tt_fail_nomem(NULL), TT_E_NOMEM);
}

TEST(control_characters_and_broken_utf8_become_question_marks)
{
	struct tt_err err;

	tt_fail(&err, TT_E_UNKNOWN, 0, "%s", "a\nb\x1b[31m\x7f" "c\xff\xc3");
	CHECK_STR(err.msg, "a?b?[31m?c??");
	tt_fail(&err, TT_E_UNKNOWN, 0, "%s", "\xc2\x9b" "1m \xc3\xa4 \xe2\x82\xac");
	CHECK_STR(err.msg, "?1m \xc3\xa4 \xe2\x82\xac");
}

TEST(system_errors_carry_errno_and_its_text)
{
	struct tt_err err;

	CHECK_EQ_INT(tt_fail_sys(&err, ENOSPC, "cannot write %s", "f"), TT_E_IO);
	CHECK_EQ_INT(err.sys, ENOSPC);
	CHECK_STR(err.msg, "cannot write f: No space left on device");
	CHECK(err.at == TT_NOWHERE);
	CHECK_EQ_INT(tt_fail_sys(&err, ENOMEM, "x"), TT_E_NOMEM);
	CHECK_EQ_INT(err.sys, 0);
}

TEST(each_caller_prepends_what_it_did)
{
	struct tt_err err;

	tt_fail(&err, TT_E_DAMAGED, 9, "bad");
	CHECK_EQ_INT(tt_err_in(&err, "buffer %d", 3), TT_E_DAMAGED);
	tt_err_in(&err, "%s", "f.mlpd");
	CHECK_STR(err.msg, "f.mlpd: buffer 3: bad");
	CHECK_EQ_INT(err.at, 9);
}

TEST(too_long_messages_are_cut_at_their_end_between_characters)
{
	struct tt_err err;
	char text[800];

	for (size_t i = 0; i + 2 < sizeof text; i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	text[sizeof text - 2] = '\0';
	tt_fail(&err, TT_E_DAMAGED, 0, "%s", text);
	CHECK_EQ_INT(strlen(err.msg), 478);
	tt_err_in(&err, "begin");
	CHECK_EQ_INT(strncmp(err.msg, "begin: \xc3\xa4", 9), 0);
	CHECK_EQ_INT(strlen(err.msg), 479);
	CHECK_EQ_INT((unsigned char)err.msg[478], 0xa4);
}

TEST(a_message_may_quote_itself)
{
	struct tt_err err;

	tt_fail(&err, TT_E_DAMAGED, 0, "inner");
	tt_fail(&err, TT_E_LIMIT, 0, "outer of %s", err.msg);
	CHECK_STR(err.msg, "outer of inner");
}

TEST(exit_codes_are_those_of_the_manual)
{
	CHECK_EQ_INT(tt_exit_code(TT_OK), 0);
	CHECK_EQ_INT(tt_exit_code(TT_END), 0);
	CHECK_EQ_INT(tt_exit_code(TT_E_USAGE), 2);
	CHECK_EQ_INT(tt_exit_code(TT_E_DAMAGED), 3);
	CHECK_EQ_INT(tt_exit_code(TT_E_UNKNOWN), 3);
	CHECK_EQ_INT(tt_exit_code(TT_E_LIMIT), 4);
	CHECK_EQ_INT(tt_exit_code(TT_E_NOMEM), 4);
	CHECK_EQ_INT(tt_exit_code(TT_E_IO), 4);
}

static void
keep_line(void *arg, enum tt_log_level level, const char *line)
{
	(void)level;
	snprintf(arg, 100, "%s", line);
}

TEST(log_lines_are_filtered_by_level_and_cleaned)
{
	char line[100] = "";
	struct tt_env env = { .log_level = TT_LOG_NORMAL, .log = keep_line, .log_arg = line };

	tt_log(&env, TT_LOG_VERBOSE, "no");
	CHECK_STR(line, "");
	tt_log(&env, TT_LOG_NORMAL, "yes\a%d", 1);
	CHECK_STR(line, "yes?1");
	env.log = NULL;
	tt_log(&env, TT_LOG_NORMAL, "nowhere");
}

/**
 * Formats errors and adds where they happened.
 */
#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "sys/sys.h"

/* Room for any message and a prefix; text that is too long is cut when it is copied to the record, not here. */
#define LINE_MAX_B 1024

/* Copy ${line} to the record's message, made printable and cut where a character ends. */
static void
set_msg(struct tt_err *err, const char *line)
{
	tt_utf8_line(err->msg, sizeof err->msg, line);
}

static int
vfail(struct tt_err *err, int code, int sys, uint64_t at, const char *fmt, va_list ap)
{
	char line[LINE_MAX_B];

	if (!err)
		return code;
	/* Format into a local buffer first, because an argument may be err->msg itself. */
	if (vsnprintf(line, sizeof line, fmt, ap) < 0)
		line[0] = '\0';
	err->code = code;
	err->sys = sys;
	err->at = at;
	set_msg(err, line);
	return code;
}

int
tt_fail(struct tt_err *err, int code, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfail(err, code, 0, at, fmt, ap);
	va_end(ap);
	return code;
}

/* Write the text of the errno ${sys} to ${to}; if descriptors ran out, with the limit to raise. */
static void
describe_sys(int sys, char *to, size_t size)
{
	const uint64_t max = sys == EMFILE ? tt_sys_max_files() : 0;

	if (max)
		snprintf(to, size, "%s; the limit is %" PRIu64 " (ulimit -n)", tt_sys_error(sys), max);
	else
		snprintf(to, size, "%s", tt_sys_error(sys));
}

int
tt_fail_sys(struct tt_err *err, int sys, const char *fmt, ...)
{
	int code = sys == ENOMEM ? TT_E_NOMEM : TT_E_IO;
	char line[LINE_MAX_B], text[180];
	va_list ap;
	size_t n;

	if (!err)
		return code;
	va_start(ap, fmt);
	if (vsnprintf(line, sizeof line, fmt, ap) < 0)
		line[0] = '\0';
	va_end(ap);
	n = strlen(line);
	describe_sys(sys, text, sizeof text);
	snprintf(line + n, sizeof line - n, ": %s", text);
	err->code = code;
	err->sys = code == TT_E_IO ? sys : 0;
	err->at = TT_NOWHERE;
	set_msg(err, line);
	return code;
}

int
tt_fail_nomem(struct tt_err *err)
{
	return tt_fail(err, TT_E_NOMEM, TT_NOWHERE, "out of memory");
}

int
tt_err_in(struct tt_err *err, const char *fmt, ...)
{
	char line[LINE_MAX_B];
	va_list ap;
	size_t n;

	assert(err);
	va_start(ap, fmt);
	if (vsnprintf(line, sizeof line, fmt, ap) < 0)
		line[0] = '\0';
	va_end(ap);
	n = strlen(line);
	snprintf(line + n, sizeof line - n, ": %s", err->msg);
	set_msg(err, line);
	return err->code;
}

bool
tt_err_short_of_files(const struct tt_err *err)
{
	return err->code == TT_E_IO && (err->sys == EMFILE || err->sys == ENFILE);
}

int
tt_exit_code(int status)
{
	switch (status) {
	case TT_OK:
	case TT_END:
		return 0;
	case TT_E_USAGE:
		return 2;
	case TT_E_DAMAGED:
	case TT_E_UNKNOWN:
		return 3;
	default:
		return 4;
	}
}

int
tt_verdict_exit(enum tt_verdict_found found)
{
	switch (found) {
	case TT_FOUND_NOTHING:
		return 0;
	case TT_FOUND_OPEN:
		return 5;
	case TT_FOUND_WORSE:
		return 1;
	default:
		return tt_exit_code(TT_E_DAMAGED);
	}
}

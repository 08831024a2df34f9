/**
 * Quotes arguments of commands so that they can be printed, copied and run.
 */
#include "base/shell.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

/* True if printing changes a character of ${s}: bytes that are not UTF-8, and control characters. */
static bool
is_changed_when_printed(const char *s)
{
	for (size_t len, n = strlen(s); n > 0; s += len, n -= len) {
		len = tt_utf8_len(s, n);
		if (len == 0 || tt_utf8_control(tt_utf8_code(s, len)))
			return true;
	}
	return false;
}

/* Quote as $'...', which bash, zsh and POSIX of 2024 know: bytes are written as numbers, so that the command can be printed and copied. */
static void
quote_bytes(struct tt_buf *to, const char *s)
{
	tt_buf_text(to, "$'");
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '\'' || c == '\\')
			tt_buf_printf(to, "\\%c", c);
		else if (c == '\t' || c == '\n')
			tt_buf_text(to, c == '\t' ? "\\t" : "\\n");
		else if (c < ' ' || c > '~')
			tt_buf_printf(to, "\\%03o", c);
		else
			tt_buf_add(to, s, 1);
	}
	tt_buf_text(to, "'");
}

void
tt_shell_quote(struct tt_buf *to, const char *s)
{
	if (is_changed_when_printed(s)) {
		quote_bytes(to, s);
		return;
	}
	if (*s && s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:")] == '\0') {
		tt_buf_text(to, s);
		return;
	}
	tt_buf_text(to, "'");
	for (; *s; s++) {
		if (*s == '\'')
			tt_buf_text(to, "'\\''");
		else
			tt_buf_add(to, s, 1);
	}
	tt_buf_text(to, "'");
}

/**
 * Formats a message and hands it to the log of the program.
 */
#include "base/env.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

void
tt_log(const struct tt_env *env, enum tt_log_level level, const char *fmt, ...)
{
	char raw[1024], line[1024];
	va_list ap;

	if (!env->log || level > env->log_level)
		return;
	va_start(ap, fmt);
	if (vsnprintf(raw, sizeof raw, fmt, ap) < 0)
		raw[0] = '\0';
	va_end(ap);
	/* Lines quote text of captures: control characters in it must not reach a terminal. */
	tt_utf8_line(line, sizeof line, raw);
	env->log(env->log_arg, level, line);
}

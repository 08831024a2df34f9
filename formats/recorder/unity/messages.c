/**
 * Keeps the plug-in's messages: they may be made on a game thread, so the helper thread prints them later.
 */
#include "recorder/unity/plugin.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "recorder/core/program.h"

enum { MESSAGE = OPTTABLE_WHY + 100, UNSAID = 8 };

/* The last message, and those not printed yet. If too many come at once, the oldest unprinted ones are dropped. */
static struct {
	struct plat_lock lock;
	char text[UNSAID][MESSAGE];
	unsigned said, n;             /* numbers of messages printed, and made */
} message;

void
plugin_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	plat_lock(&message.lock);
	vsnprintf(message.text[message.n++ % UNSAID], MESSAGE, fmt, ap);
	plat_unlock(&message.lock);
	va_end(ap);
}

static bool
take_message(char line[MESSAGE + 16])
{
	plat_lock(&message.lock);
	bool fresh = message.said != message.n;
	if (message.n - message.said > UNSAID)
		message.said = message.n - UNSAID;
	if (fresh)
		snprintf(line, MESSAGE + 16, "tracetool: %s\n", message.text[message.said++ % UNSAID]);
	plat_unlock(&message.lock);
	return fresh;
}

void
plugin_print(void)
{
	char line[MESSAGE + 16];

	while (take_message(line))
		program_say(line);
}

int32_t
tracetool_message(char *to, int32_t size)
{
	plat_lock(&message.lock);
	const char *last = message.text[(message.n + UNSAID - 1) % UNSAID];
	size_t n = strlen(last);
	if (to && size > 0) {
		size_t fits = n < (size_t)size ? n : (size_t)size - 1;
		memcpy(to, last, fits);
		to[fits] = '\0';
	}
	plat_unlock(&message.lock);
	return (int32_t)n;
}

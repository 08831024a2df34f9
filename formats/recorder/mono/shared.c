/**
 * The module's state, its messages, and waiting for room in the ring, for every file of the module. Calls no other file of the module.
 */
#include "recorder/mono/module.h"

#include <stdarg.h>
#include <stdio.h>

#include "recorder/core/program.h"

struct module module;

void
module_say(const char *fmt, ...)
{
	char line[OPTIONS_WHY + 100] = "tracetool: ";
	size_t n = strlen(line);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + n, sizeof line - n - 1, fmt, ap);
	va_end(ap);
	strcat(line, "\n");
	program_say(line);
}

/* Wait for room. A ring that does not become emptier belongs to a flight recorder or to a full disk. */
void
module_room(bool more)
{
	static bool hopeless;
	uint32_t total, last = 0, room = rec_room(&total);

	hopeless = hopeless && more;
	for (unsigned still = 0; room < total / 4 && !hopeless; still++) {
		plat_sleep_us(500);
		room = rec_room(&total);
		if (room > last)
			still = 0;
		last = room;
		hopeless = still == 400;
	}
}

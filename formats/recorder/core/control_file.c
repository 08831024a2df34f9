/**
 * Reads the control file. It is untrusted: a file that others may write to is ignored.
 */
#include "recorder/core/control_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "recorder/core/program.h"

/* True if the file has changed. A file that must not be obeyed counts as absent, and the reason is logged. */
static bool
has_changed(struct control_file *f)
{
	const char *why = NULL;
	uint64_t stamp = f->path[0] ? program_stamp(f->path, &why) : 0;

	if (stamp == f->stamp)
		return false;
	f->stamp = stamp;
	if (stamp && why)
		f->say("control file %s is not obeyed: %s", f->path, why);
	return stamp && !why;
}

static void
say_unknown(const struct control_file *f, const char *word)
{
	char all[200];
	size_t n = 0;

	for (const struct control_command *c = f->command; c->word && n < sizeof all; c++)
		n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", n > 0 ? ", " : "", c->word);
	f->say("control file %s: no command is called \"%.40s\"; there are %s", f->path, word, all);
}

/* Write the character ${c} as UTF-8 at ${to}; return the end. */
static char *
put_utf8(char *to, uint32_t c)
{
	const unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const uint8_t first[] = { 0, 0xC0, 0xE0, 0xF0 };

	*to++ = (char)(first[more] | c >> 6 * more);
	for (unsigned i = more; i-- > 0;)
		*to++ = (char)(0x80 | (c >> 6 * i & 0x3F));
	return to;
}

/*
 * Convert ${n} bytes of UTF-16, with the low byte of each pair at offset ${low}, into UTF-8 at ${to}, which has room for 1.5 * ${n} bytes. Return the length.
 */
static size_t
from_utf16(const uint8_t *p, size_t n, unsigned low, char *to)
{
	char *const begin = to;

	for (size_t i = 0; i + 1 < n; i += 2) {
		uint32_t c = p[i + low] | (uint32_t)p[i + 1 - low] << 8;

		if (c >= 0xD800 && c < 0xDC00 && i + 3 < n && (p[i + 3 - low] & 0xFC) == 0xDC) {
			i += 2;
			c = 0x10000 + ((c & 0x3FF) << 10) + ((p[i + 1 - low] & 3u) << 8 | p[i + low]);
		}
		to = put_utf8(to, c >= 0xD800 && c < 0xE000 ? 0xFFFD : c);
	}
	return (size_t)(to - begin);
}

/* Carry out the command in the ${n} bytes of ${text}, which has room for one more byte. */
static void
obey(const struct control_file *f, char *text, size_t n)
{
	char *line = memchr(text, '\n', n);
	const char *rest = line ? line + 1 : text + n;
	const struct control_command *c = f->command;

	text[n] = '\0';
	if (line)
		*line = '\0';
	text[strcspn(text, "\r")] = '\0';
	char *arg = strchr(text, ' ');
	if (arg)
		*arg++ = '\0';
	if (!*text)
		return;
	while (c->word && strcmp(c->word, text) != 0)
		c++;
	const char *why = c->word ? c->run(arg, rest) : NULL;
	if (!c->word)
		say_unknown(f, text);
	else if (why)
		f->say("control file %s: \"%s\" does nothing: %s", f->path, text, why);
}

void
control_file_open(struct control_file *f)
{
	has_changed(f);
}

void
control_file_look(struct control_file *f)
{
	static uint8_t raw[16384];
	static char text[sizeof raw / 2 * 3 + 1];

	if (!has_changed(f))
		return;
	size_t n = program_read(f->path, (char *)raw, sizeof raw);
	/* A file written by Windows begins with a byte order mark. */
	const size_t mark = n >= 3 && memcmp(raw, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
	if (n >= 2 && (memcmp(raw, "\xFF\xFE", 2) == 0 || memcmp(raw, "\xFE\xFF", 2) == 0)) {
		n = from_utf16(raw + 2, n - 2, raw[0] == 0xFE, text);
	} else {
		n -= mark;
		memcpy(text, raw + mark, n);
	}
	obey(f, text, n);
}

/**
 * Reads the control file. It is untrusted: a file that others may write to is ignored.
 */
#include "recorder/core/control_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "recorder/core/program.h"

/* True if the file has changed. A file that must not be obeyed counts as absent, and the log says why. */
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

/* Carry out the command in ${text}, of ${n} bytes, which has room for one more. */
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
	static char text[16384];

	if (has_changed(f))
		obey(f, text, program_read(f->path, text, sizeof text - 1));
}

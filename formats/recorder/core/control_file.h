/**
 * The control file: its first line is a command for the recorder, which is carried out when the file has changed. What the
 * commands do is the recorder's business; here is when the file is read, which file may be obeyed, and what is said.
 */
#ifndef TT_CONTROL_FILE_H
#define TT_CONTROL_FILE_H

#include <stdint.h>

struct control_command {
	const char *word;
	/* ${arg}: the rest of the line, or NULL; ${rest}: the lines after it. Returns why nothing was done, or NULL. */
	const char *(*run)(const char *arg, const char *rest);
};

struct control_file {
	const char *path;             /* "": there is none */
	const struct control_command *command;        /* ended by a NULL word */
	void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	uint64_t stamp;               /* of the content that was read last */
};

/* Its present content is old. */
void control_file_open(struct control_file *f);

/* Carry out its command if it has changed. On one thread only. */
void control_file_look(struct control_file *f);

#endif

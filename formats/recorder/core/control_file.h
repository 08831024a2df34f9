/**
 * The control file: its first line is a command for the recorder, carried out when the file changes. The recorder defines the commands; this file decides when
 * to read, which file to obey, and what to report.
 */
#ifndef TT_CONTROL_FILE_H
#define TT_CONTROL_FILE_H

#include <stdint.h>

struct control_command {
	const char *word;
	/* Carry out the command. ${arg}: the rest of the line, or NULL; ${rest}: the following lines. Returns why nothing was done, or NULL. */
	const char *(*run)(const char *arg, const char *rest);
};

struct control_file {
	const char *path;             /* "": no control file */
	const struct control_command *command;        /* ended by a NULL word */
	void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
	uint64_t stamp;               /* stamp of the content that was read last */
};

/* Treat the present content as old, so that it is not carried out. */
void control_file_open(struct control_file *f);

/* Carry out the command if the file has changed. On a single thread only. */
void control_file_look(struct control_file *f);

#endif

/**
 * A recorder's interface to the program it is loaded into: environment, command line, log, control file. platform.h has the interface to the operating system.
 */
#ifndef TT_REC_PROGRAM_H
#define TT_REC_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* Copy the environment variable ${name} as UTF-8 into ${size} bytes, cut if it is longer. Returns its length there; 0 if it is not set. */
size_t program_env(const char *name, char *to, size_t size);

/* Call ${take} with each argument of the command line and the one after it (NULL at the end). */
void program_args(void (*take)(void *arg, const char *s, const char *next), void *arg);

int64_t program_unix_s(void);

/* Write a line to the player's log. */
void program_say(const char *line);

/* Return a number that changes when the file does; 0: no file. *${why}: why the file must not be obeyed, or NULL. */
uint64_t program_stamp(const char *path, const char **why);

/* Read up to ${size} bytes of a file; returns their number. */
size_t program_read(const char *path, char *to, size_t size);

#endif

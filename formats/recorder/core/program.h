/**
 * What a recorder needs of the program it is loaded into: environment, command line, log, control file. What recording needs of the
 * operating system is in platform.h.
 */
#ifndef TT_REC_PROGRAM_H
#define TT_REC_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* The environment variable ${name} as UTF-8 into ${size} bytes, cut where it is longer: its length there; 0 where unset. */
size_t program_env(const char *name, char *to, size_t size);

/* Call ${take} with each argument of the process's command line and the next one (NULL at the end). */
void program_args(void (*take)(void *arg, const char *s, const char *next), void *arg);

int64_t program_unix_s(void);

/* One line to where the player's log takes it up. */
void program_say(const char *line);

/* A number that changes when a file does; 0 where there is none. ${why} says why it must not be obeyed, or is NULL. */
uint64_t program_stamp(const char *path, const char **why);

/* Up to ${size} bytes of a file: how many. */
size_t program_read(const char *path, char *to, size_t size);

#endif

/**
 * Starts Mono programs with our module: finds the module, sets the environment by which runtimes load it, chooses the path of the capture, and finds the
 * captures after the program has ended.
 *
 * Memory: texts lie in the arena. Errors: TT_E_USAGE, TT_E_IO, TT_E_NOMEM.
 */
#ifndef TT_LAUNCH_LAUNCH_H
#define TT_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/mem.h"
#include "ttc/layout.h"

#define LAUNCH_MODULE "libmono-profiler-tracetool.so"

/* --- before the program runs ------------------------------------------------------ */

/* The folder into which "make install" puts the module, relative to the program's folder. */
extern const char launch_modules[];

/* Find the absolute path of the module's folder: that of the file ${named}, or, if it is NULL, of an installed module. */
int launch_find_module(struct tt_arena *a, const char *named, char **folder, struct tt_err *err);

/*
 * Put "tracetool:out=FILE,OPTIONS" into the variables that runtimes read: mono reads MONO_ENV_OPTIONS (a backslash escapes blanks and backslashes); later
 * runtimes, including embedded ones, read MONO_PROFILE; the module takes the first. Runtimes find the module by LD_LIBRARY_PATH. ${options}: each option
 * follows a comma.
 */
int launch_set_environment(struct tt_arena *a, const char *folder, const char *out, const char *options, struct tt_err *err);

/*
 * Return the absolute path of the capture ${out}, for the module, because the program may change its folder before the capture is made. ${out} NULL: name the
 * capture after ${program} (NULL-terminated).
 */
const char *launch_capture_path(struct tt_arena *a, const char *const *program, const char *out, struct tt_err *err);

/* Return the capture's path without its escapes; NULL: ${err} says why, or the path is known only when the program runs (%p, %t). */
char *launch_plain_path(struct tt_arena *a, const char *out, struct tt_err *err);

/* Fail, before the program runs, if the capture could not be made. */
int launch_check_path(struct tt_arena *a, const char *path, struct tt_err *err);

/* The start time of this run, and its number. */
struct launch_start { struct timespec at; uint64_t number; };

/* Set an environment variable to a random number, with which the module marks captures of this run, and take the start time. */
int launch_begin(struct launch_start *start, struct tt_err *err);

/* --- after it has ended ----------------------------------------------------------- */

/* A capture of this run, with its head. */
struct launch_capture { const char *path; struct ttc_head head; };
struct launch_captures { struct launch_capture *v; size_t n, cap; };

/* Find the captures of this run in their order; store in ${beside} the files of other recordings whose names look like this rotation, if it is one. */
int launch_find_captures(struct tt_arena *a, const char *out, const struct launch_start *start, struct launch_captures *found,
    struct launch_captures *beside, struct tt_err *err);

#endif

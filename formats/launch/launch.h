/**
 * Starts Mono programs with our module: where the module is, the environment by which runtimes load it, where the capture goes, and which captures there are
 * when the program has ended.
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

/* The folder where "make install" puts the module, relative to that of the program. */
extern const char launch_modules[];

/* The absolute path of the module's folder: that of the file ${named}, else (NULL) that of an installed module. */
int launch_find_module(struct tt_arena *a, const char *named, char **folder, struct tt_err *err);

/*
 * Put "tracetool:out=FILE,OPTIONS" into the variables that runtimes read: mono reads MONO_ENV_OPTIONS (a backslash escapes
 * blanks and backslashes), later runtimes, also embedded ones, MONO_PROFILE; the module takes the first. They find the module
 * by LD_LIBRARY_PATH. ${options}: each after a comma.
 */
int launch_set_environment(struct tt_arena *a, const char *folder, const char *out, const char *options, struct tt_err *err);

/*
 * The absolute path of the capture ${out}, for the module: the program may change its folder before the capture is made. NULL: named after ${program}
 * (NULL-terminated).
 */
const char *launch_capture_path(struct tt_arena *a, const char *const *program, const char *out, struct tt_err *err);

/* The capture's path without its escapes; NULL, where ${err} says why or the path is known only when the program runs (%p, %t). */
char *launch_plain_path(struct tt_arena *a, const char *out, struct tt_err *err);

/* Refuse a capture that could not be made, before the program runs. */
int launch_check_path(struct tt_arena *a, const char *path, struct tt_err *err);

/* The start and the number of this run. */
struct launch_start { struct timespec at; uint64_t number; };

/* Set an environment variable to a random number, by which the module marks captures of this run, and take the time. */
int launch_begin(struct launch_start *start, struct tt_err *err);

/* --- after it has ended ----------------------------------------------------------- */

/* A capture of this run, and what its head says. */
struct launch_capture { const char *path; struct ttc_head head; };
struct launch_captures { struct launch_capture *v; size_t n, cap; };

/* Find the captures of this run in their order, and in ${beside} the files of other recordings that have names of this rotation, if it is one. */
int launch_find_captures(struct tt_arena *a, const char *out, const struct launch_start *start, struct launch_captures *found,
    struct launch_captures *beside, struct tt_err *err);

#endif

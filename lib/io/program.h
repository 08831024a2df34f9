/**
 * Another program, run and waited for, with signals passed on.
 */
#ifndef TT_IO_PROGRAM_H
#define TT_IO_PROGRAM_H

#include <stdbool.h>

#include "base/err.h"

/**
 * tt_program_run(argv, status, err):
 * Run argv[0] (looked for in PATH) with the present environment and wait for it; *${status} says how it ended.
 * Meanwhile what asks a process to end, stop or do something (INT, QUIT, TERM, HUP, USR1, USR2) is passed on: a
 * signal the terminal sends has reached the program already, it is in the same group.
 * Errors: TT_E_IO, where it could not be started.
 * Threads: none but the caller's; signal handlers are as before when it returns.
 */
int tt_program_run(const char *const *argv, int *status, struct tt_err *err);

/* True if the program ended by itself, and with 0. */
bool tt_program_succeeded(int status);

/* End as the program did: return its exit code, or die by its signal. Without a core file: the program wrote its own. */
int tt_program_end(int status);

#endif

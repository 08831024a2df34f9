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
 * Meanwhile signals (INT, QUIT, TERM, HUP, USR1, USR2) are passed on to it, but not those from the terminal, which
 * reach the program by themselves because it is in the same process group.
 * Errors: TT_E_IO if the program could not be started.
 * Threads: none but the caller's; signal handlers are as before when it returns.
 */
int tt_program_run(const char *const *argv, int *status, struct tt_err *err);

/* True if the program exited with 0, not by a signal. */
bool tt_program_succeeded(int status);

/* End as the program did: return its exit code, or die by its signal. Without a core file: the program wrote its own. */
int tt_program_end(int status);

#endif

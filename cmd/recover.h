/**
 * Joins a capture with the ring that a killed program left, and lists the rings that there are.
 */
#ifndef TT_CMD_RECOVER_H
#define TT_CMD_RECOVER_H

#include <stdbool.h>

struct app;
struct tt_err;

/* The result of a recovery. */
struct recovered {
	bool ring;                    /* there was one */
	bool running;                 /* its program still runs: nothing was done */
};

/**
 * recover_mend(app, path, what, err):
 * If the capture ${path} has a ring whose program has ended, replace the capture by the joined one and remove the ring.
 * Errors: those of reading and writing; the capture and the ring are then unchanged.
 */
int recover_mend(struct app *app, const char *path, struct recovered *what, struct tt_err *err);

/**
 * recover_list(app, folder, err):
 * Print the rings in the folders where recorders put them, and in those at ${folder} (NULL-terminated; NULL: none), with what to do about each. Enters the
 * sandbox. Errors: a given folder that cannot be read; those of the output.
 */
int recover_list(struct app *app, const char *const *folder, struct tt_err *err);

#endif

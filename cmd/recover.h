/**
 * Joins a capture with the ring that a killed program left.
 */
#ifndef TT_CMD_RECOVER_H
#define TT_CMD_RECOVER_H

#include <stdbool.h>

struct app;
struct tt_err;

/* What was found and done. */
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

#endif

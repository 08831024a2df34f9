/**
 * A capture and the ring that a killed program left, made one.
 */
#ifndef TT_CMD_RECOVER_H
#define TT_CMD_RECOVER_H

#include <stdbool.h>

struct app;
struct tt_err;

/* What became of it. */
struct recovered {
	bool ring;                    /* there was one */
	bool running;                 /* its program still runs: nothing was done */
};

/**
 * recover_mend(app, path, what, err):
 * Where the capture ${path} has a ring whose program is gone, replace it by the whole one and remove the ring.
 * Errors: those of reading and writing; the capture and the ring are then as before.
 */
int recover_mend(struct app *app, const char *path, struct recovered *what, struct tt_err *err);

#endif

/**
 * Temporary names that a signal handler can clean up. Internal to lib/io.
 *
 * The names are in a fixed table, because the handler may neither allocate nor lock.
 * A forked child does not own the names of its parent.
 */
#ifndef TT_IO_TEMP_H
#define TT_IO_TEMP_H

#include "base/err.h"

struct tt_temp;

/**
 * tt_temp_open(path, temp, fd, err):
 * Create and open an empty file beside ${path}, under a name made from it. It is locked (flock) until its last descriptor is closed.
 * Errors: TT_E_IO, TT_E_LIMIT (too many at once); the message lacks the path.
 */
int tt_temp_open(const char *path, struct tt_temp **temp, int *fd, struct tt_err *err);

const char *tt_temp_path(const struct tt_temp *temp);

/* Return the process id in ${name}, a file name without its folder; 0: it is no name that tt_temp_open() makes. */
long tt_temp_process_id(const char *name);

/* Forget the name: the file has been renamed or unlinked. */
void tt_temp_release(struct tt_temp *temp);

#endif

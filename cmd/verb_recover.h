/**
 * Lists the rings in memory.
 */
#ifndef TT_CMD_VERB_RECOVER_H
#define TT_CMD_VERB_RECOVER_H

struct app;
struct tt_err;

/**
 * recover_list(app, folder, err):
 * Print the rings in the folders where recorders put them, and in the folders ${folder} (NULL-terminated; NULL: no further ones), with advice on each. Enters
 * the sandbox. Errors: a given folder that cannot be read; those of the output.
 */
int recover_list(struct app *app, const char *const *folder, struct tt_err *err);

#endif

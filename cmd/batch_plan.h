/**
 * tracetool batch --plan.
 */
#ifndef TT_CMD_BATCH_PLAN_H
#define TT_CMD_BATCH_PLAN_H

#include "batch/scheduler.h"

struct app;
struct batch_files;
struct batch_opts;

/**
 * batch_plan(app, o, files, many, err):
 * Print what ${files} will cost. ${many}: how the batch would run; some of the files are run so, and nothing is kept of them. The split
 * of the files is lost. Errors: those of tt_many(), TT_E_UNKNOWN where there is no file.
 */
int batch_plan(struct app *app, const struct batch_opts *o, struct batch_files *files, const struct tt_many_opts *many, struct tt_err *err);

#endif

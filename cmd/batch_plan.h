/**
 * tracetool batch --plan: estimates the cost of a batch before it runs.
 */
#ifndef TT_CMD_BATCH_PLAN_H
#define TT_CMD_BATCH_PLAN_H

#include "batch/scheduler.h"

struct app;
struct tt_batch_files;
struct batch_opts;

/**
 * batch_plan(app, o, files, many, err):
 * Print what analysing ${files} will cost. ${many}: how the batch would run; some of the files are analysed that way, and no result is kept. Destroys the split
 * of the files into shards.
 * Errors: those of tt_scheduler_run(), TT_E_UNKNOWN where there is no file.
 */
int batch_plan(struct app *app, const struct batch_opts *o, struct tt_batch_files *files, const struct tt_scheduler_opts *many, struct tt_err *err);

#endif

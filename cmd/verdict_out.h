/**
 * The options that name the outputs of a verdict.
 */
#ifndef TT_CMD_VERDICT_OUT_H
#define TT_CMD_VERDICT_OUT_H

#include "option/opts.h"
#include "verdict/verdict_outputs.h"

struct app;

extern const struct tt_opt verdict_opt[];        /* into struct tt_verdict_outputs */
#define VERDICT_GROUP(type, member) { "Verdict", verdict_opt, offsetof(type, member) }

/**
 * verdict_open(app, o, instead, paths, w, err):
 * Call tt_verdict_out_open(), and add the files that will be written to ${paths}. If ${instead} is not NULL, standard output is used for other text, and the
 * error says ${instead}.
 */
int verdict_open(struct app *app, const struct tt_verdict_outputs *o, const char *instead, struct tt_list *paths, struct tt_verdict_out *w,
    struct tt_err *err);

#endif

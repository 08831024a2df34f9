/**
 * The files that a run writes: each is one of its own, and none is an input.
 */
#ifndef TT_CMD_OUTPUTS_H
#define TT_CMD_OUTPUTS_H

#include "opts.h"

/* True if ${a} is the file ${b}: the same name in the same folder, or another name of one regular file. */
bool output_same(const char *a, const char *b);

/**
 * outputs_check(out, in, err):
 * Before anything is read: no two of the outputs ${out} are one file, and none is one of ${in} (NULL: not compared).
 * "-" among ${in} is standard input, among ${out} standard output.
 * Errors: TT_E_USAGE.
 */
int outputs_check(const struct opt_list *out, const struct opt_list *in, struct tt_err *err);

#endif

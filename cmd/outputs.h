/**
 * Checks that each file that a run writes is a file of its own, can be made, and is no input; and whether a file may be what an earlier run wrote.
 */
#ifndef TT_CMD_OUTPUTS_H
#define TT_CMD_OUTPUTS_H

#include "opts.h"

/* True if ${a} is the file ${b}: the same name in the same folder, or another name of one regular file. */
bool output_same(const char *a, const char *b);

/**
 * outputs_check(out, in, err):
 * Call before anything is read. Fails if two of the outputs ${out} are one file, or one of them is in ${in} (NULL: not compared). "-" in ${in} is standard
 * input, in ${out} standard output.
 * Errors: TT_E_USAGE.
 */
int outputs_check(const struct opt_list *out, const struct opt_list *in, struct tt_err *err);

/**
 * outputs_folders(out, err):
 * Call before anything is read. Fails if the folder of one of the outputs ${out}, which NULL ends, is not there, or no file can be made in it: this would be
 * found when the work is done. ${out} NULL: no outputs.
 * Errors: TT_E_IO, as when the output is opened.
 */
int outputs_folders(const char *const *out, struct tt_err *err);

/* True if the file ${name} in the folder ${dir} is text, empty or a database of SQLite, which no capture or archive is: an earlier run may have written it. */
bool output_is_report(int dir, const char *name);

#endif

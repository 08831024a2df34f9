/**
 * The files that a run writes: checks before it begins, and writing several of them together.
 *
 * A list of files is NULL-terminated; NULL is an empty one. "-" is standard output among outputs, standard input among inputs.
 */
#ifndef TT_IO_OUTPUTS_H
#define TT_IO_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct tt_env;

/* True if ${a} is the file ${b}: the same name in the same folder, or another name of one regular file. */
bool tt_output_same(const char *a, const char *b);

/**
 * tt_outputs_check(out, in, err):
 * Call before anything is read. Fails if two of the outputs ${out} are one file, or one of them is in ${in}.
 * Errors: TT_E_USAGE.
 */
int tt_outputs_check(const char *const *out, const char *const *in, struct tt_err *err);

/**
 * tt_outputs_folders(out, beside, err):
 * Call before anything is read. Fails if the folder of one of the outputs ${out} is not there, or no file can be made in it: this would be found when the
 * work is done. The output ${beside} (NULL: none) is not checked.
 * Errors: TT_E_IO, as when the output is opened.
 */
int tt_outputs_folders(const char *const *out, const char *beside, struct tt_err *err);

/*
 * True if the file open as ${fd}, which is closed, is text, empty or a database of SQLite, which no capture or archive is: an earlier run may have written it.
 * -1 is none.
 */
bool tt_output_is_report(int fd);

/* An output, and what it becomes. */
struct tt_output { const char *path; struct tt_buf text; };
#define TT_OUTPUTS_MAX 8

/**
 * tt_outputs_write(env, o, n, err), tt_output_write(env, path, text, err):
 * Write ${n} outputs, or one, completely. All are written before the first replaces an older file, so a failure leaves none.
 * Errors: that kept in a text; TT_E_IO.
 */
int tt_outputs_write(struct tt_env *env, const struct tt_output *o, size_t n, struct tt_err *err);
int tt_output_write(struct tt_env *env, const char *path, const struct tt_buf *text, struct tt_err *err);

#endif

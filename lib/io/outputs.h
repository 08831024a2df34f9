/**
 * The files that a run writes: checks before it begins, and writing several of them together.
 *
 * A list of files is NULL-terminated; NULL is an empty list. "-" is standard output among outputs, standard input among inputs.
 */
#ifndef TT_IO_OUTPUTS_H
#define TT_IO_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct tt_env;

/* True if ${a} and ${b} are one file: the same name in the same folder, or two names of one regular file. */
bool tt_output_is_same(const char *a, const char *b);

/**
 * tt_outputs_check(out, in, err):
 * Fail if two of the outputs ${out} are one file, or an output is also an input in ${in}. Call before anything is read.
 * Errors: TT_E_USAGE.
 */
int tt_outputs_check(const char *const *out, const char *const *in, struct tt_err *err);

/**
 * tt_outputs_check_folders(out, beside, err):
 * Fail if the folder of one of the outputs ${out} does not exist, or no file can be made in it. Call before anything is read: else this shows only when the
 * work is done. The output ${beside} (NULL: none) is not checked.
 * Errors: TT_E_IO, as when the output is opened.
 */
int tt_outputs_check_folders(const char *const *out, const char *beside, struct tt_err *err);

/*
 * True if the file open as ${fd} is text, empty or a database of SQLite: then it is no capture or archive, and an earlier run may have written it. Closes
 * ${fd}; false if that is -1.
 */
bool tt_output_is_report(int fd);

/* An output, and the text to write to it. */
struct tt_output { const char *path; struct tt_buf text; };
#define TT_OUTPUTS_MAX 8

/**
 * tt_outputs_write(env, o, n, err), tt_output_write(env, path, text, err):
 * Write ${n} outputs, or one, completely. All are written before the first replaces an older file, so after a failure no file is replaced.
 * Errors: the error that a text holds; TT_E_IO.
 */
int tt_outputs_write(struct tt_env *env, const struct tt_output *o, size_t n, struct tt_err *err);
int tt_output_write(struct tt_env *env, const char *path, const struct tt_buf *text, struct tt_err *err);

#endif

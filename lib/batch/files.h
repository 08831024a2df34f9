/**
 * The files of a batch, in order of work. Lists of names end with NULL.
 */
#ifndef TT_BATCH_FILES_H
#define TT_BATCH_FILES_H

#include "batch/scheduler.h"

struct tt_arena;

struct tt_batch_files {
	struct tt_scheduler_file *file;    /* in order of work */
	size_t n, cap;
	size_t *by_key;               /* places in file, in order of key */
	uint64_t links, others;       /* skipped: symbolic links, and entries that are not regular files */
};

/**
 * tt_batch_files_find(env, a, operands, root, out, f, err):
 * Find all files that the operands name, in ${a}: files, files below directories, globs, and for "-" the names on standard input, one a line or each ended by
 * NUL. Names of a list or a glob without a file, and folders that cannot be listed, are included: opening them fails, which gives each a line of results.
 * ${root}: keys are paths below it; NULL: below the directory operand that holds the file, else as named. Skipped are the contents of ${out} (NULL: none),
 * the batch's own directory, and the batch's output files ${writes}, where they are found below a directory and are text, as an earlier run left them.
 * Errors: TT_E_IO, TT_E_USAGE (two files with the same key).
 */
int tt_batch_files_find(struct tt_env *env, struct tt_arena *a, const char *const *operands, const char *root, const char *out,
    const char *const *writes, struct tt_batch_files *f, struct tt_err *err);

/* The kind of file ${path} by its name, "plain" if the name does not say; *${weight}: the work for a byte, relative to a byte of a plain file. */
const char *tt_batch_kind(const char *path, unsigned *weight);

/* TT_E_USAGE where one of ${out} is a file of the batch. */
int tt_batch_files_check(const struct tt_batch_files *f, const char *const *out, struct tt_err *err);

/* The file whose key is the ${n} bytes at ${key}, or NULL. */
const struct tt_scheduler_file *tt_batch_files_get(const struct tt_batch_files *f, const char *key, size_t n);

#endif

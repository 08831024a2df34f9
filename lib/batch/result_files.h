/**
 * The files that hold results of batches, and their folders.
 */
#ifndef TT_BATCH_RESULT_FILES_H
#define TT_BATCH_RESULT_FILES_H

#include <stdint.h>

#include "base/env.h"
#include "base/list.h"

/*
 * Add the files with results in the folder ${path} to ${l}: those of a run in ${shards} shards; 0: of any run. If there are files of shards, results.jsonl is
 * left out with a message: an earlier merge made it, and it may be outdated.
 */
int tt_result_files_in(struct tt_env *env, struct tt_arena *a, const char *path, uint64_t shards, struct tt_list *l, struct tt_err *err);

/* Add the folders of ${files}, each once: they may hold pages of captures. */
int tt_result_folders(struct tt_arena *a, const struct tt_list *files, struct tt_list *dir, struct tt_err *err);

/* The file to write for the file or folder ${output}; *${path} is NULL if there is none. */
int tt_result_target(struct tt_arena *a, const char *output, const char **path, struct tt_err *err);

#endif

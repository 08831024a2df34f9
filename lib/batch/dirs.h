/**
 * The folders of a batch: the folder of its results, and in it the folder of files made of captures.
 */
#ifndef TT_BATCH_DIRS_H
#define TT_BATCH_DIRS_H

#include <stdbool.h>

#include "base/list.h"

struct tt_shard;

#define TT_BATCH_FILES_DIR "captures"

/* Make the folder ${path} unless it is there. */
int tt_batch_dir_make(const char *path, struct tt_err *err);

/* Open the folder for results as fd[0], and with ${files} the folder for files made of captures as fd[1], made if needed. */
int tt_batch_dirs_open(const char *dir, bool files, int fd[2], struct tt_err *err);

/* Remove temporaries that a killed batch left; not those of other shards, which may be running on other machines. */
void tt_batch_dirs_sweep(const int fd[2], const struct tt_shard *shard);

/* The folders of results, and for each the path of its pages of captures relative to a page that links to them. */
struct tt_batch_pages { const struct tt_list *dir; const char **from; };

/* Fill ${p} with the folders ${dir}, relative to the page ${output}. */
int tt_batch_pages_from(struct tt_arena *a, const struct tt_list *dir, const char *output, struct tt_batch_pages *p, struct tt_err *err);

/*
 * The first folder that has the page ${file} of a capture, NULL if none has. ${file} is taken as a plain file name, whatever results say. ${arg}: struct
 * tt_batch_pages.
 */
const char *tt_batch_pages_folder(const void *arg, const char *file);

#endif

/**
 * Budgets and baselines read from their files.
 */
#ifndef TT_GATE_DOCUMENT_H
#define TT_GATE_DOCUMENT_H

#include "gate/baseline.h"

struct tt_env;

/**
 * tt_document_read(env, path, text, err):
 * Append all of the text file ${path} (tt_src_open_text()) to ${text}.
 * Errors: those of reading; TT_E_LIMIT for one longer than 64 MiB.
 */
int tt_document_read(struct tt_env *env, const char *path, struct tt_buf *text, struct tt_err *err);

/* Read the budget ${path}: tt_budget_parse(). */
int tt_budget_read(struct tt_env *env, const char *path, struct tt_budget *b, struct tt_arena *a, struct tt_err *err);

/* Read the baseline ${path} block by block: tt_baseline_begin(). */
int tt_baseline_read(struct tt_env *env, const char *path, const struct tt_budget *budget, enum tt_sample_detail detail, struct tt_baseline *b,
    struct tt_arena *a, struct tt_err *err);

#endif

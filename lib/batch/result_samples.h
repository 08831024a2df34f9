/**
 * The results of a batch as samples of a gate, with the groups that they are judged in.
 */
#ifndef TT_BATCH_RESULT_SAMPLES_H
#define TT_BATCH_RESULT_SAMPLES_H

#include "base/buf.h"
#include "base/mem.h"
#include "base/texts.h"
#include "batch/files.h"
#include "gate/sample.h"

struct tt_budget;
struct tt_env;
struct tt_result;

struct tt_batch_samples {
	struct tt_env *env;           /* NULL: not begun */
	const struct tt_budget *budget;
	const char *settings;         /* the budget's frames and filters, in one line */
	const char *const *group;     /* the facts by which samples are judged separately */
	size_t ngroup;
	const char *by;               /* the fact that combines these */
	const struct tt_batch_files *files;   /* files in which captures may be found; NULL: not known */
	struct tt_arena a;
	struct tt_texts texts;        /* texts that samples share, in ${a} */
	struct tt_sample *sample;
	size_t n, cap;
	struct tt_batch_part { const char *recording, *key; } *part;  /* the samples that are files of a recording */
	size_t npart, cappart;
	struct tt_buf copy;           /* the first captures left out as copies, as text */
	size_t copies;                /* how many captures are left out as copies */
	size_t failed;                /* samples without figures */
	size_t ungated;               /* samples in ${failed} from batches without a gate; the analysis of the others failed */
};

/* Begin; the members up to ${files} are set by the caller, before the first result. */
void tt_batch_samples_init(struct tt_batch_samples *b, struct tt_env *env);
void tt_batch_samples_free(struct tt_batch_samples *b);

/**
 * tt_batch_samples_add(b, r, err):
 * Add the sample of a result; a capture without figures counts, too, and a copy does not.
 * Errors: TT_E_USAGE for figures of another budget.
 */
int tt_batch_samples_add(struct tt_batch_samples *b, const struct tt_result *r, struct tt_err *err);

/**
 * tt_batch_samples_end(b, captures, note, err):
 * Put samples without a group into one of their own; if there are no ${captures}, add a sample that says so. *${note}: a remark on what was left out, or NULL.
 * Errors: TT_E_USAGE for several files of one recording.
 */
int tt_batch_samples_end(struct tt_batch_samples *b, bool captures, const char **note, struct tt_err *err);

#endif

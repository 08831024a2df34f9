/**
 * Sets of samples, and the settings that decide their figures.
 */
#ifndef TT_GATE_SAMPLES_H
#define TT_GATE_SAMPLES_H

#include "gate/baseline.h"

struct tt_run_opts;

/*
 * The settings of a budget that decide figures, in one line: what is skipped, and the frame marker. Figures made with different settings are not comparable.
 * NULL: ${err}.
 */
const char *tt_budget_settings(const struct tt_budget *b, struct tt_arena *a, struct tt_err *err);

/* The settings of a run that decide figures, in one line: filters, frame marker, waits. NULL: ${err}. */
const char *tt_run_settings(const struct tt_run_opts *run, struct tt_arena *a, struct tt_err *err);

/* The samples, *${n} of them, that have events and are not in ${old} (NULL: no baseline). NULL: ${err}. */
struct tt_sample *tt_samples_new(const struct tt_sample *sample, size_t nsample, const struct tt_baseline *old, size_t *n, struct tt_arena *a,
    struct tt_err *err);

/* The first ${n} samples, followed by those that only the baseline has (NULL: no baseline); *${all}: their number. NULL: ${err}. */
struct tt_sample *tt_samples_with(const struct tt_sample *sample, size_t n, const struct tt_baseline *base, size_t *all, struct tt_arena *a,
    struct tt_err *err);

/* Fail with TT_E_USAGE if two samples are of the same capture. */
int tt_samples_check(const struct tt_sample *sample, size_t nsample, struct tt_arena *a, struct tt_err *err);

#endif

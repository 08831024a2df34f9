/**
 * The passes by name, for the registry and for tests; private to lib/pass.
 */
#ifndef TT_PASS_PASSES_H
#define TT_PASS_PASSES_H

#include "pass/pass.h"

extern const struct tt_pass tt_pass_frames, tt_pass_gcalloc, tt_pass_categories, tt_pass_markers, tt_pass_calltree,
    tt_pass_threads, tt_pass_coverage, tt_pass_counters, tt_pass_loss,
    tt_pass_contention, tt_pass_exceptions, tt_pass_samples, tt_pass_jit, tt_pass_heapshot, tt_pass_heapgraph, tt_pass_handles,
    tt_pass_objects, tt_pass_timeline, tt_pass_finalizers, tt_pass_metadata;

/* ${part} of ${all} in 1/100 percent; empty where ${all} is 0. */
void tt_cell_share(struct tt_cell *c, int64_t part, int64_t all);

#endif

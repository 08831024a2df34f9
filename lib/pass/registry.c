/**
 * The list of passes.
 */
#include "pass/passes.h"

/* The passes, in the order of reports. */
const struct tt_pass *const tt_passes[] = {
	&tt_pass_frames,
	&tt_pass_causes,
	&tt_pass_by_frame,
	&tt_pass_compare_frames,
	&tt_pass_gcalloc,
	&tt_pass_categories,
	&tt_pass_markers,
	&tt_pass_calltree,
	&tt_pass_threads,
	&tt_pass_heapshot,
	&tt_pass_heapgraph,
	&tt_pass_samples,
	&tt_pass_exceptions,
	&tt_pass_contention,
	&tt_pass_handles,
	&tt_pass_finalizers,
	&tt_pass_counters,
	&tt_pass_jit,
	&tt_pass_timeline,
	&tt_pass_metadata,
	&tt_pass_objects,
	&tt_pass_coverage,
	&tt_pass_loss,
	&tt_pass_info,
	NULL,
};

/**
 * Adds a run's part to the evidence of a capture's layout (model/fit.h), and the verdict as the fact "layout".
 */
#ifndef TT_RUN_LAYOUT_EVIDENCE_H
#define TT_RUN_LAYOUT_EVIDENCE_H

#include "run/state.h"

/* Before an input's events are read: reset the counts of an earlier reading, and copy the ledger to ${before}. */
void tt_fit_begin(struct tt_run *r, struct tt_capture *c, struct tt_loss *before);
/* After the events were read: add the ledger's losses since ${before} to the capture's evidence. */
void tt_fit_lost(const struct tt_run *r, struct tt_capture *c, const struct tt_loss *before);
/* Add the counts of batch ${b} to the log that it belongs to. */
int tt_fit_join_log(struct tt_run *r, struct tt_capture *c, const struct tt_batch *b, struct tt_err *err);
/* With all names known: count markers and threads, and set the fact. */
int tt_fit_settle(struct tt_run *r, struct tt_err *err);

#endif

/**
 * Markers that may begin frames, for captures without frame marks: what info and a wrong --frame-marker suggest. Private to lib/run.
 *
 * How often each marker begins on each thread, how regularly, and what share of the thread's time it takes. Except at the beginning of the capture, only
 * calls that are as long as frames are looked at, so that it costs little. Fed in the commit stage, chunk after chunk.
 */
#ifndef TT_RUN_CANDIDATES_H
#define TT_RUN_CANDIDATES_H

struct tt_batch;
struct tt_err;
struct tt_run;
struct tt_thread;

/* Take in the zones of a batch of ${t}. Errors: TT_E_NOMEM. */
int tt_candidates_batch(struct tt_run *r, const struct tt_batch *b, const struct tt_thread *t, struct tt_err *err);

/* Fill the model's candidates, the likeliest first. Names must have been resolved. */
void tt_candidates_choose(struct tt_run *r);

/* Fail with TT_E_USAGE: no marker matches --frame-marker; the message names the likely ones. */
int tt_candidates_fail(struct tt_run *r, struct tt_err *err);

void tt_candidates_free(struct tt_run *r);

#endif

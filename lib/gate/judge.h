/**
 * What the parts of tt_judge() share: judge.c (rows), movers.c (what changed beneath them), words.c (sentences).
 */
#ifndef TT_GATE_JUDGE_H
#define TT_GATE_JUDGE_H

#include "gate/verdict.h"

#define TT_ALPHA 0.05

/* Find the row's movers. */
int tt_movers(struct tt_verdict *v, struct tt_verdict_row *r, struct tt_err *err);

/* Fill text and hint of a row whose outcome stands; ${why}: of CANNOT_JUDGE and SKIPPED. */
int tt_row_words(struct tt_verdict *v, struct tt_verdict_row *r, const char *why, struct tt_err *err);

/* Fill summary and remarks. */
int tt_verdict_words(struct tt_verdict *v, struct tt_err *err);

/* printf into the verdict's arena; NULL with ${err} filled. */
const char *tt_verdict_text(struct tt_verdict *v, struct tt_err *err, const char *fmt, ...) TT_PRINTF(3, 4);

#endif

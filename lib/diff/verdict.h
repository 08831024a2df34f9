/**
 * Decides whether side B is worse. The captures' means are the sample, never their frames; and sessions are, unless all captures are of one
 * (stat/session.h).
 */
#ifndef TT_DIFF_VERDICT_H
#define TT_DIFF_VERDICT_H

#include "stat/compare.h"

struct tt_diff;
struct tt_report;

enum tt_diff_outcome { TT_DIFF_NOT_WORSE, TT_DIFF_WORSE, TT_DIFF_UNDECIDED, TT_DIFF_CANNOT_JUDGE };

/* How much more is allowed. */
struct tt_diff_margin {
	int64_t e4;                   /* in 1/10000 of A's median, and if that is negative */
	int64_t ns;                   /* this instead */
};

struct tt_diff_verdict {
	enum tt_diff_outcome outcome;
	bool frames;                  /* of frames; else the time in markers */
	int64_t a, b;                 /* medians of the means of the captures of either side, ns */
	int64_t allowed;              /* ns */
	bool by_session;              /* captures are from more than one session; if they name none, each side counts as one session */
	bool assumed;                 /* so few sessions do not show how much they differ, which is taken to be TT_SESSION_SPREAD_PPM */
	bool scattered;               /* UNDECIDED, and so they would be as captures of one session, too */
	size_t need;                  /* UNDECIDED as captures of one session: about as many on each side would do; 0: no usual number */
	double p;                     /* that the change is at most what is allowed; not set if a side is empty */
	struct tt_shift shift;        /* bounds of 95 % each */
};

/* Judge a finished comparison that has captures on both sides. Errors: TT_E_NOMEM. */
int tt_diff_judge(const struct tt_diff *d, const struct tt_diff_margin *margin, struct tt_diff_verdict *v, struct tt_err *err);

extern const struct tt_pass_table tt_diff_verdict_table;

/* Put it in front of the other tables of ${r}: the table "verdict". */
void tt_diff_verdict_report(const struct tt_diff_verdict *v, struct tt_report *r);

/* The exit code: 0 not worse, 1 worse, 5 else. */
int tt_diff_exit(const struct tt_diff_verdict *v);

#endif

/**
 * Decides whether side B is worse. The sample consists of the captures' means, never of their frames; unless all captures are of one session, of sessions
 * (stat/session.h).
 */
#ifndef TT_DIFF_VERDICT_H
#define TT_DIFF_VERDICT_H

#include "stat/compare.h"

struct tt_diff;
struct tt_report;

enum tt_diff_outcome { TT_DIFF_NOT_WORSE, TT_DIFF_WORSE, TT_DIFF_UNDECIDED, TT_DIFF_CANNOT_JUDGE };

/* How much B may exceed A. */
struct tt_diff_margin {
	int64_t e4;                   /* 1/10000 of A's median; if negative, ns applies instead */
	int64_t ns;                   /* ns, if e4 is negative */
};

struct tt_diff_verdict {
	enum tt_diff_outcome outcome;
	bool is_of_frames;            /* true: about frame times; false: about time in markers */
	int64_t a, b;                 /* medians over the captures' means on each side, ns */
	int64_t allowed;              /* change allowed, ns */
	bool by_session;              /* true: captures are from several sessions; if they name none, each side counts as one session */
	bool is_spread_assumed;       /* true: too few sessions to show their spread, which is assumed to be TT_SESSION_SPREAD_PPM */
	bool is_scattered;            /* true (UNDECIDED): they would be undecided even as captures of one session */
	size_t nneeded;               /* UNDECIDED as captures of one session: about how many on each side would suffice; 0: no practical number */
	double p;                     /* p for the change being at most what is allowed; not set if a side is empty */
	struct tt_shift shift;        /* the change, with bounds of 95 % confidence each */
};

/* Judge a finished comparison that has captures on both sides. Errors: TT_E_NOMEM. */
int tt_diff_judge(const struct tt_diff *d, const struct tt_diff_margin *margin, struct tt_diff_verdict *v, struct tt_err *err);

extern const struct tt_pass_table tt_diff_verdict_table;

/* Insert the table "verdict" before the other tables of ${r}. */
void tt_diff_verdict_report(const struct tt_diff_verdict *v, struct tt_report *r);

/* The exit code: 0 not worse, 1 worse, 5 otherwise. */
int tt_diff_exit(const struct tt_diff_verdict *v);

#endif

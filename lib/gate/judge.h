/**
 * Shared by the parts of tt_judge(): judge.c (rows and groups), judge_absolute.c (figures of a row, rows without a baseline), judge_baseline.c (rows against
 * it), judge_pairs.c (rows of an A/B run), movers.c (what changed beneath them), verdict_sentences.c (their sentences), verdict_remarks.c (what is said of
 * all).
 */
#ifndef TT_GATE_JUDGE_H
#define TT_GATE_JUDGE_H

#include "gate/verdict.h"
#include "stat/compare.h"
#include "stat/session.h"

struct tt_limit;

#define TT_ALPHA 0.05
#define TT_POWER 0.97                 /* of the change that a row says it sees in 95 %: how much captures differ is an estimate */

/* The figures that a relative row is judged by; larger is worse. */
struct tt_evidence {
	struct tt_change change;      /* of captures as the unit for its power alone */
	int64_t *x, *y;               /* the baseline's captures, and those at hand */
	size_t m, n;
};

/* A row at work. */
struct tt_judging {
	struct tt_verdict *v;
	const struct tt_judge_opts *o;
	struct tt_mem *mem;
	struct tt_verdict_row *r;
	const char **why;             /* by row of the verdict: of CANNOT_JUDGE and SKIPPED */
	struct tt_evidence *evidence; /* by row */
	double *p, *not;              /* of the tested rows of one family: probabilities of both tests */
	double *level, *not_level;    /* and what Holm's method holds them against */
	struct tt_row_pairs *pairs;   /* by row, of an A/B run */
	size_t np;
	size_t weights;               /* of these rows: tt_row_weight() */
};

/* The captures of ${s} that the row means, of the row's group: *${to}, *${nto} of them. */
int tt_row_points(struct tt_judging *w, const struct tt_sample *s, size_t n, struct tt_point **to, size_t *nto,
    struct tt_err *err);

/* The known values of ${p}, each times ${sign}; NULL out of memory. */
int64_t *tt_row_known(struct tt_judging *w, const struct tt_point *p, size_t n, int sign, size_t *count,
    struct tt_err *err);

/* The lower middle of sorted values. */
int64_t tt_row_median(const int64_t *v, size_t n);

/* If no capture knows the name that the row gives, the reason; else NULL. */
const char *tt_row_absent(const struct tt_verdict_row *r);

/*
 * True if no capture at hand has the row's name. The row is then finished: it cannot be judged, unless the baseline has
 * the name, so that it is gone; such a row goes on where it has a figure, which is 0.
 */
bool tt_row_unknown(struct tt_judging *w);

/* Why the first capture of ${p} without a value has none. */
const char *tt_row_why(const struct tt_verdict_row *r, const struct tt_point *p, size_t n);

/* Outcomes with their reason, which may be NULL where r->need says it. */
void tt_row_cannot(struct tt_judging *w, const char *why);
void tt_row_skip(struct tt_judging *w, const char *why);

/* TT_E_USAGE where the limit is no amount of the figure's dimension, which of counters is known only now. */
int tt_row_check_dim(const struct tt_judging *w, const struct tt_limit *l, struct tt_err *err);

/* Fill r->worst. */
void tt_row_find_worst(struct tt_verdict_row *r, bool less_is_worse);

/* True if there is anything to judge. Sets n, dim and, if not, the outcome. */
bool tt_row_has_figures(struct tt_judging *w);

/* A row that would pass although more captures than it allows have no figure cannot be judged. */
int tt_row_missing(struct tt_judging *w, struct tt_err *err);

/*
 * Judge the row by its kind; a relative one is only measured, its sessions for a trend as well, until tt_row_decide(), as tested row ${k}
 * of its family.
 */
int tt_row_absolute(struct tt_judging *w, struct tt_err *err);
int tt_row_exact(struct tt_judging *w, struct tt_err *err);
int tt_row_relative(struct tt_judging *w, struct tt_err *err);
int tt_row_decide(struct tt_judging *w, size_t k, struct tt_err *err);

/* Say that the row is worse by its trend, once r->trend_p_adjusted is known. */
void tt_row_creep(struct tt_verdict_row *r);

/* Differences within pairs; larger is worse. In parts of 10^9 of the natural logarithm of the ratio, or else in amounts. */
struct tt_row_pairs {
	struct tt_pair *pair;         /* in which both have a figure */
	size_t n;
	struct tt_pair *all;          /* of which both runs left a capture; the difference is ${worse} where a figure is missing */
	int64_t limit;                /* at most so much: not worse */
	int64_t worse;                /* more than this: worse. The limit, but of counts of a row that the program made */
	double frame;                 /* of counts: one frame of a capture; else 0 */
	int64_t *even;                /* differences of ${pair}, in which runs far from the others count less */
	bool ratio;
};

/* The same of an A/B run: a relative row is measured; the tested rows of one family, those that can fail or the others, are decided. */
int tt_row_paired(struct tt_judging *w, struct tt_err *err);
int tt_pairs_decide(struct tt_judging *w, bool (*in)(const struct tt_judging *w, const struct tt_budget_row *row), bool fails,
    struct tt_err *err);

/* True for the row that counts captures that break off. In an A/B run it counts crashes, too: */
bool tt_row_is_crashes(const struct tt_judging *w);
int tt_row_crashes(struct tt_judging *w, struct tt_err *err);

/* Find what the captures of rows differ in: v->mixed. */
int tt_mixed(struct tt_verdict *v, struct tt_err *err);

/* Find the row's movers. */
int tt_movers(struct tt_verdict *v, struct tt_verdict_row *r, struct tt_err *err);

/* True for the default row, and others of its kind, which ask whether a capture breaks off. */
bool tt_row_is_ended(const struct tt_verdict_row *r);

static inline const char *
tt_plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* Fill text and hint of a row whose outcome is set; ${why}: of CANNOT_JUDGE and SKIPPED, ${accept}: of ACCEPTED. */
int tt_row_words(struct tt_verdict *v, struct tt_verdict_row *r, const char *why, const char *accept, struct tt_err *err);

/* Fill summary and remarks. */
int tt_verdict_words(struct tt_verdict *v, const struct tt_judge_opts *o, struct tt_err *err);

/* printf into the verdict's arena; NULL with ${err} filled. */
const char *tt_verdict_text(struct tt_verdict *v, struct tt_err *err, const char *fmt, ...) TT_PRINTF(3, 4);

#endif

/**
 * Shared by the parts of tt_judge(): judge.c (rows and groups), judge_absolute.c (figures of a row, rows without a baseline), judge_baseline.c (rows compared
 * with it), judge_pairs.c (rows of an A/B run), movers.c (what changed beneath them), verdict_sentences.c (sentences of rows), verdict_remarks.c (remarks on
 * the whole).
 */
#ifndef TT_GATE_JUDGE_H
#define TT_GATE_JUDGE_H

#include "gate/verdict.h"
#include "stat/compare.h"
#include "stat/session.h"

struct tt_limit;

#define TT_ALPHA 0.05
#define TT_POWER 0.97                 /* power used for the change said to be found in 95 % of cases; higher, because the scatter is only an estimate */

/* The evidence for a relative row; larger is worse. */
struct tt_evidence {
	struct tt_change change;      /* change and its uncertainty; with captures as the unit it is used for the power alone */
	int64_t *x, *y;               /* figures of the baseline's captures, and of those at hand */
	size_t m, n;
};

/* The row being judged, and the state shared by all rows. */
struct tt_judging {
	struct tt_verdict *v;
	const struct tt_judge_opts *o;
	struct tt_mem *mem;
	struct tt_verdict_row *r;
	const char **why;             /* by row of the verdict: the reason for CANNOT_JUDGE or SKIPPED */
	struct tt_evidence *evidence; /* evidence, by row of the verdict */
	double *p, *not;              /* p values of both tests, for the tested rows of one family */
	double *level, *not_level;    /* the levels to which Holm's method compares them */
	struct tt_row_pairs *pairs;   /* by row of the verdict, for an A/B run: differences within pairs */
	size_t np;
	size_t weights;               /* sum of tt_row_weight() of the family's rows */
};

/* Collect the captures of ${s} that the row applies to, in its group: *${nto} points at *${to}. */
int tt_row_points(struct tt_judging *w, const struct tt_sample *s, size_t n, struct tt_point **to, size_t *nto,
    struct tt_err *err);

/* The known values of ${p}, each multiplied by ${sign}; *${count}: their number. NULL: out of memory. */
int64_t *tt_row_known(struct tt_judging *w, const struct tt_point *p, size_t n, int sign, size_t *count,
    struct tt_err *err);

/* The lower median of sorted values. */
int64_t tt_row_median(const int64_t *v, size_t n);

/* If the name that the row selects is in no capture, the reason; else NULL. */
const char *tt_row_absent(const struct tt_verdict_row *r);

/*
 * If the name that the row selects is in no capture at hand: return true and finish the row, which cannot be judged; but if the baseline has the name, mark the
 * row as gone, and return false if some capture has a value, which is 0.
 */
bool tt_row_unknown(struct tt_judging *w);

/* The reason why the first capture of ${p} without a value has none. */
const char *tt_row_why(const struct tt_verdict_row *r, const struct tt_point *p, size_t n);

/* Set the outcome CANNOT_JUDGE or SKIPPED with its reason; ${why} may be NULL if r->need is set. */
void tt_row_cannot(struct tt_judging *w, const char *why);
void tt_row_skip(struct tt_judging *w, const char *why);

/* Check that the limit has the figure's dimension, which for counters is known only now; else TT_E_USAGE. */
int tt_row_check_dim(const struct tt_judging *w, const struct tt_limit *l, struct tt_err *err);

/* Set r->worst, the capture with the worst figure. */
void tt_row_find_worst(struct tt_verdict_row *r, bool less_is_worse);

/* True if enough captures have a figure. Sets n and dim; if false, also the outcome. */
bool tt_row_has_figures(struct tt_judging *w);

/* Set CANNOT_JUDGE for a row that would pass although more captures lack the figure than it allows. */
int tt_row_missing(struct tt_judging *w, struct tt_err *err);

/*
 * Judge the row by its kind. A relative row is only measured, including the trend of its sessions; tt_row_decide() decides it, as tested row ${k} of its
 * family.
 */
int tt_row_absolute(struct tt_judging *w, struct tt_err *err);
int tt_row_exact(struct tt_judging *w, struct tt_err *err);
int tt_row_relative(struct tt_judging *w, struct tt_err *err);
int tt_row_decide(struct tt_judging *w, size_t k, struct tt_err *err);

/* Mark the row as worse by its trend, once r->trend_p_adjusted is known. */
void tt_row_creep(struct tt_verdict_row *r);

/* Differences within pairs; larger is worse. Unit: 1e-9 of the natural logarithm of the ratio, or amounts. */
struct tt_row_pairs {
	struct tt_pair *pair;         /* pairs in which both runs have a figure */
	size_t n;
	struct tt_pair *all;          /* pairs in which both runs left a capture; if a figure is missing, the difference is ${worse} */
	int64_t limit;                /* differences up to this limit are not worse */
	int64_t worse;                /* differences above it are worse; equals limit except for counts of a row that the program made */
	double frame;                 /* for counts: the amount of one frame of a capture; else 0 */
	int64_t *even;                /* differences of ${pair}, with runs far from the others moved closer */
	bool ratio;
};

/*
 * Judge rows of an A/B run: tt_row_paired() measures a relative row; tt_pairs_decide() decides the tested rows of one family, those that can fail or the
 * others.
 */
int tt_row_paired(struct tt_judging *w, struct tt_err *err);
int tt_pairs_decide(struct tt_judging *w, bool (*in)(const struct tt_judging *w, const struct tt_budget_row *row), bool fails,
    struct tt_err *err);

/* True for the row that counts captures which break off; in an A/B run it also counts crashes. */
bool tt_row_is_crashes(const struct tt_judging *w);
int tt_row_crashes(struct tt_judging *w, struct tt_err *err);

/* Set v->mixed: facts in which the captures of a row differ. */
int tt_mixed(struct tt_verdict *v, struct tt_err *err);

/* Find the row's movers. */
int tt_movers(struct tt_verdict *v, struct tt_verdict_row *r, struct tt_err *err);

/* True for rows that ask whether captures break off, as one of the default rows does. */
bool tt_row_is_ended(const struct tt_verdict_row *r);

static inline const char *
tt_plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* Set text and hint of a row whose outcome is known. ${why}: reason for CANNOT_JUDGE and SKIPPED; ${accept}: reason for ACCEPTED. */
int tt_row_words(struct tt_verdict *v, struct tt_verdict_row *r, const char *why, const char *accept, struct tt_err *err);

/* Write the summary and the remarks. */
int tt_verdict_words(struct tt_verdict *v, const struct tt_judge_opts *o, struct tt_err *err);

/* Format a text in the verdict's arena; NULL: out of memory, ${err} is set. */
const char *tt_verdict_text(struct tt_verdict *v, struct tt_err *err, const char *fmt, ...) TT_PRINTF(3, 4);

#endif

/**
 * Verdicts: what a gate says of captures, row by row. Made by tt_judge(), read by the renderers
 * (cmd/verdict_*.c); plain data, nothing to look up, the same input always gives the same verdict.
 *
 * How a row is judged (tracetool-budget(5), How rows are judged):
 * - absolute: the figure over all captures (row->over) against max and min: PASS or BREACH.
 * - relative: two one-sided tests against the limit, one that the change is more (WORSE), one that it is less (NOT_WORSE), each with
 *   Holm's correction over the rows; else UNDECIDED or CANNOT_JUDGE. The session is the unit (stat/session.h); where the baseline has
 *   the captures' own session, captures are, by Mann and Whitney's test.
 *   With tt_judge_opts.anchor a row is WORSE, too, where the sessions since the oldest rise (stat/trend.h) by more than the limit.
 * - of an A/B run, relative rows by exact signed-rank tests of the differences within pairs, on a relative scale, together for all rows;
 *   and crashes by their number on both sides. Rows that the program made are NOT_WORSE, too, where all pairs show a wider limit,
 *   which is what pairs that differ as these do can show of equal builds.
 * - exact: all figures equal the baseline's one figure: PASS or BREACH.
 */
#ifndef TT_GATE_VERDICT_H
#define TT_GATE_VERDICT_H

#include "base/mem.h"
#include "gate/measure.h"

struct tt_baseline;
struct tt_budget;
struct tt_budget_row;
struct tt_sample;

enum tt_outcome {
	TT_PASS,              /* absolute or exact row: within the limit */
	TT_NOT_WORSE,         /* relative: shown to be within the limit */
	TT_UNDECIDED,         /* relative: neither shown. Passes unless --inconclusive=fail */
	TT_CANNOT_JUDGE,      /* too few captures, no frames, no such marker ...: nothing could fail here. Exit 5 */
	TT_WAIVED,            /* breach or worse, and a waiver in force */
	TT_ACCEPTED,          /* relative or exact: worse or breach, which is accepted: tt_judge_opts.accept */
	TT_SKIPPED,           /* level off, or no capture is meant by its where */
	TT_GONE,              /* it would pass, but what it is about is in the baseline and in none of the captures; fails if the row says so */
	TT_BREACH,            /* absolute or exact row: over the limit */
	TT_WORSE,             /* relative: shown to be worse by more than allowed */
	TT_OUTCOMES
};
extern const char *const tt_outcome_name[TT_OUTCOMES];        /* "pass", "not worse", "undecided", "cannot judge", ... */
extern const char *const tt_outcome_id[TT_OUTCOMES];          /* "pass", "not_worse", ...: for machines */

/* The figure of one capture. */
struct tt_point {
	const struct tt_sample *sample;
	bool known;
	int64_t v;                    /* amount */
};

/* The changes beneath a row: markers by self time, or allocation sites by bytes; largest change for the worse first. */
struct tt_mover {
	enum tt_about about;
	const char *name;
	bool per_frame;
	bool fresh, gone;             /* not in the baseline; not any more */
	int64_t base, now, change;    /* amounts, medians over captures */
	int64_t base_count, now_count;        /* calls or allocations, the same way */
	int64_t weight;               /* what the row is about: change, or that of the counts */
};

/* One row of one group. */
struct tt_verdict_row {
	const struct tt_budget_row *row;     /* id, level, limits as written, waiver, line */
	const char *group;            /* with group_by: the value of the fact; else NULL */
	const char *name;             /* row->id, with group "id [group]": unique in the verdict */
	const char *title;            /* "frame time, p95" */
	enum tt_outcome outcome;
	enum tt_outcome would;        /* WAIVED, ACCEPTED: the outcome without that; else as outcome */
	bool fails;                   /* makes the exit code 1 (BREACH, WORSE at level error) */
	enum tt_dim dim;

	/* figures, where has_value; amounts of dim */
	bool has_value;
	int64_t value;                /* over all captures: by row->over; of relative rows their median */
	bool has_limit;
	int64_t limit;                /* what value is held against; of relative rows the largest change allowed */
	bool gone;                    /* what it is about is in the baseline, and in none of the captures */
	bool fresh;                   /* SKIPPED: it is newer than all sessions of the baseline, which so have no figure */
	bool too_few;                 /* BREACH: fewer captures have a figure than the row's min_captures */
	bool limit_is_min;            /* value must not be below; else not above */
	size_t n;                     /* captures judged */
	size_t missing;               /* captures meant that have no figure */
	const struct tt_sample *worst;        /* the capture with the worst figure, or NULL */
	struct tt_point *point;       /* all captures meant, in the order given */
	size_t npoint;

	/* relative and exact rows, where has_base */
	bool has_base;
	int64_t base;                 /* the baseline's median */
	size_t m, sessions;           /* captures and sessions of the baseline */
	struct tt_point *base_point;
	size_t nbase_point;

	/* relative rows, where tested; signed as the metric is, so + is more. ppm: of base, where that is not 0 */
	bool tested;
	bool by_session;              /* the session is the unit; else captures are, all of one session */
	double p, p_adjusted;         /* that the change is at most the limit; after Holm over ntested rows */
	double p_not, p_not_adjusted; /* that it is at least the limit; after Holm over as many */
	size_t ntested;
	int64_t shift, shift_ppm;     /* between sessions' trimmed means, or by Hodges and Lehmann */
	bool has_low, has_high;       /* false: the captures are too few for a bound on that side */
	int64_t low, high;            /* one-sided bounds each, of the confidence that Holm's correction asks of the row's tests */
	int64_t low_ppm, high_ppm;
	int64_t spread, spread_ppm;   /* by_session: the standard deviation of sessions beside what their captures explain */
	bool spread_assumed;          /* it is the budget's; else what the sessions show */
	size_t before;                /* those before the accepted one, which show it where those compared are too few; else 0 */
	int64_t seen, seen_ppm;       /* a change of this size is found to be worse in 95 of 100 cases; of an A/B run 0: not told */
	bool doubtful;                /* the change is worse than the limit, and captures differ so much that it is uncertain by more than half the limit */
	bool in_captures;             /* UNDECIDED: for what captures differ in, so more of them would tell; else for sessions do */
	bool trend_tested;            /* the sessions are tested for a trend: tt_judge_opts.anchor */
	double trend_p, trend_p_adjusted;     /* p of a trend by chance; after Holm over the rows that are tested so */
	int64_t trend, trend_ppm;     /* from the oldest sessions to the newest; signed as the metric is */
	size_t trend_sessions;        /* with those at hand */
	const char *trend_since;      /* the oldest */
	bool crept, crept_alone;      /* WORSE by the trend; and by nothing else */
	double ks, ks_p;              /* Kolmogorov-Smirnov distance and p: shown, never decides */
	size_t need;                  /* CANNOT_JUDGE for too few: captures on each side that would do; 0 otherwise */

	size_t need_here;             /* as many at hand would do against this baseline; UNDECIDED: about as many on each side, or pairs; 0: none would */
	size_t pairs;                 /* of an A/B run: pairs tested; shift, bounds and limit are of differences within them */
	size_t evened, evened_worse;  /* pairs of which a run far from the others counts less; those where it made the new build the worse one */
	int64_t asked;                /* where these can only show a wider limit, that of the budget; else 0 */
	bool has_ratio;               /* of an A/B run: these are changes in percent of something */

	const char *text;             /* the finding in one sentence for people, without id and outcome, no full stop */
	const char *hint;             /* what to do about it, one sentence; NULL */
	struct tt_mover *mover;       /* at most 5; relative rows that are WORSE or UNDECIDED; of BREACH where known */
	size_t nmover;
};

/* An A/B run: two builds, run in turn, one run of each a pair. Samples of the new build are judged, those of the old one are the baseline's. */
enum tt_side { TT_OLD, TT_NEW, TT_SIDES };
struct tt_ab {
	const char *build[TT_SIDES];  /* the commands */
	uint64_t seed;                /* of the order in the pairs */
	size_t planned, done;         /* pairs */
	bool looks;                   /* it may stop after each of them */
	bool last;                    /* there will be no more */
	bool tells;                   /* rows tell what they see with all pairs, and undecided ones how many it takes */
	const size_t *pair[TT_SIDES]; /* of each sample its pair */
	size_t runs[TT_SIDES], crashes[TT_SIDES];
	size_t unended[TT_SIDES];     /* runs that did not crash, but whose capture breaks off */
	const char *crash[TT_SIDES];  /* how the first crash came, "signal 11"; NULL */
	uint64_t more_crashes;        /* that the new build may have */
};

/* In an A/B run, how often a row may err beside others: 2 if it is of frame times, which builds are compared for first, else 1. */
unsigned tt_row_weight(const struct tt_budget_row *row);

/* The number of pairs with which a row of ${weight} could fail, of rows that come to ${weights} together. */
size_t tt_pairs_needed(size_t weights, size_t weight);

/* A fact of the fingerprint in which captures differ that one row looks at together; of several such rows the first. */
struct tt_mix {
	const struct tt_verdict_row *row;
	const char *key, *value, *other;
	bool more;                    /* there are further values */
};

struct tt_verdict {
	struct tt_arena arena;
	struct tt_verdict_row *row;   /* in the order of the budget, groups within a row by name; integrity rows last */
	size_t nrow;
	size_t count[TT_OUTCOMES];
	size_t warned;                /* rows at level warn that breach or are worse */
	const struct tt_sample *sample;
	size_t nsample;
	const char *group_by;         /* the fact that groups are made by; NULL */
	const struct tt_sample *alone;        /* the first of ${nalone} captures that do not tell it */
	size_t nalone;
	const struct tt_budget *budget;
	const struct tt_baseline *base;       /* NULL: none */
	const struct tt_ab *ab;       /* NULL: none */
	const char *today;            /* YYYY-MM-DD that waivers were held against */
	int exit_code;                /* by rows: 0; 3: a capture is damaged (and integrity is an error); 1; 5: inconclusive */
	int status;                   /* what the command ends with: exit_code, unless tt_judge_opts.status decides */
	const char *summary;          /* "FAILED: 1 of 12 rows is worse (frame-p95)": one line */
	const struct tt_verdict_row *unfit;   /* the first row for which the captures make no baseline: it is worse, or lacks figures */
	const struct tt_sample *known;        /* the first of ${nknown} captures that are in the baseline themselves */
	size_t nknown;
	const struct tt_sample *empty;        /* the first of ${nempty} captures that hold no event */
	size_t nempty;
	struct tt_mix *mixed;
	size_t nmixed;
	const char **remark;          /* "the baseline is of one session ...": sentences for every report */
	size_t nremark;
	size_t nalert;                /* the number of first remarks that say what the verdict lacks: messages for CI systems have these, too */
	bool undecided;               /* nothing fails or is inconclusive, but a row of level error is undecided: no pass */
	bool strict;                  /* undecided rows, too, make it inconclusive */
	bool accepts;                 /* tt_judge_opts.accept is given, and something is accepted, or a baseline begun: else captures are as others */
	const char *accept;           /* the command that accepts what fails; NULL: nothing fails, or not all that does can be accepted */
};

struct tt_judge_opts {
	const char *today;            /* YYYY-MM-DD */
	/* Rows that end the gate with 5, if none fails: those that cannot be judged; none; those and the undecided ones. */
	enum { TT_INCONCLUSIVE_AUTO, TT_INCONCLUSIVE_PASS, TT_INCONCLUSIVE_FAIL } inconclusive;
	const char *group_by;         /* a fact's key; NULL */
	const char *append;           /* the baseline that the captures are for, if they are fit; NULL */
	const char *accept;           /* why they are accepted there although rows with a change, or exact ones, fail; NULL: they are not */
	const char *accept_by;        /* the command that would accept them; NULL: there is none */
	bool anchor;                  /* rows with a change are also judged by the trend since the baseline's oldest session */
	const char *note;             /* a remark about the samples, of who chose them; NULL: none */
	const char *const *alert;     /* ${nalert} sentences, of who chose them, on what the samples lack */
	size_t nalert;
	int status;                   /* the exit status of the command where something beside rows decides it; 0: nothing does */
	const char *why;              /* what decides it, if status is set: "1 of 3 captures failed" */
	bool first;                   /* a baseline is saved: without one yet, rows that need it are skipped */
	const struct tt_ab *ab;       /* rows with a change as limit are judged by pairs; NULL: against the baseline */
};

/**
 * tt_judge(budget, base, s, n, o, v, mem, err):
 * Judge the ${n} samples ${s}, whose values are by budget->measure. All arguments are borrowed for as long as the
 * verdict lives. Free with tt_verdict_free(), also after an error.
 * Errors: TT_E_USAGE (a limit of the wrong dimension for a counter, a budget that needs a baseline where ${base} is
 * NULL), TT_E_NOMEM.
 */
int tt_judge(const struct tt_budget *budget, const struct tt_baseline *base, const struct tt_sample *s, size_t n,
    const struct tt_judge_opts *o, struct tt_verdict *v, struct tt_mem *mem, struct tt_err *err);
void tt_verdict_free(struct tt_verdict *v);

/* How many captures are judged. */
size_t tt_verdict_captures(const struct tt_verdict *v);

#endif

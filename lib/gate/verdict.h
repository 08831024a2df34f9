/**
 * Verdicts: the judgement of a gate on captures, row by row. Made by tt_judge(), printed by the renderers in lib/verdict. Plain data; the same input always
 * gives the same verdict.
 *
 * How a row is judged (tracetool-budget(5), How rows are judged):
 * - absolute: the figure over all captures (row->over) is compared with max and min: PASS or BREACH.
 * - relative: two one-sided tests against the limit, one for a larger change (WORSE), one for a smaller change (NOT_WORSE), each with Holm's correction over
 *   the rows; otherwise UNDECIDED or CANNOT_JUDGE. Sessions are the unit (stat/session.h); if the captures' own session is in the baseline, captures are, with
 *   Mann and Whitney's test. With tt_judge_opts.anchor a row is also WORSE if sessions since the oldest rise by more than the limit (stat/trend.h).
 * - in an A/B run: relative rows by exact signed-rank tests of the differences within pairs, on a relative scale, for all rows together; and crashes by their
 *   number on both sides. Rows that the program made are also NOT_WORSE if all pairs show a wider limit, as far as such pairs can show of equal builds.
 * - exact: all figures equal the single figure of the baseline: PASS or BREACH.
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
	TT_PASS,              /* absolute or exact: within the limit */
	TT_NOT_WORSE,         /* relative: shown to be within the limit */
	TT_UNDECIDED,         /* relative: shown to be neither worse nor within the limit; passes unless --inconclusive=fail */
	TT_CANNOT_JUDGE,      /* too few captures, no frames, no such marker ...: nothing could fail. Exit status 5 */
	TT_WAIVED,            /* breach or worse, but a waiver applies */
	TT_ACCEPTED,          /* relative or exact: breach or worse, but accepted (tt_judge_opts.accept) */
	TT_SKIPPED,           /* level is off, or its "where" applies to no capture */
	TT_GONE,              /* would pass, but its subject is in the baseline and in none of the captures; fails if the row says so */
	TT_BREACH,            /* absolute or exact: over the limit */
	TT_WORSE,             /* relative: shown to be worse by more than allowed */
	TT_OUTCOMES
};
extern const char *const tt_outcome_name[TT_OUTCOMES];        /* names for readers: "pass", "not worse", "undecided", "cannot judge", ... */
extern const char *const tt_outcome_id[TT_OUTCOMES];          /* names for machines: "pass", "not_worse", ... */

/* A row's figure in one capture. */
struct tt_point {
	const struct tt_sample *sample;
	bool known;
	int64_t v;                    /* the figure, an amount */
};

/* A change beneath a row: of a marker's self time, or of a site's bytes. The largest change for the worse comes first. */
struct tt_mover {
	enum tt_about about;
	const char *name;
	bool per_frame;
	bool fresh, gone;             /* fresh: not in the baseline; gone: only in the baseline */
	int64_t base, now, change;    /* amounts, medians over the captures */
	int64_t base_count, now_count;        /* number of calls or allocations, medians */
	int64_t weight;               /* change by which movers are ranked: that of the amounts, or of the counts if the row is about counts */
};

/* The verdict on one row for one group. */
struct tt_verdict_row {
	const struct tt_budget_row *row;     /* id, level, limits as written, waiver, line */
	const char *group;            /* value of the fact group_by; NULL without groups */
	const char *name;             /* unique name: row->id, with a group "id [group]" */
	const char *title;            /* title: "frame time, p95" */
	enum tt_outcome outcome;
	enum tt_outcome would;        /* outcome before waivers and acceptance */
	bool fails;                   /* true: makes the exit code 1 (BREACH or WORSE at level error) */
	enum tt_dim dim;

	/* If has_value: figures, as amounts of dim. */
	bool has_value;
	int64_t value;                /* value over all captures: by row->over; for relative rows their median */
	bool has_limit;
	int64_t limit;                /* limit of the value; for relative rows the largest change allowed */
	bool gone;                    /* true: the row's subject is in the baseline, and in none of the captures */
	bool fresh;                   /* true (SKIPPED): the row is newer than all sessions of the baseline, which lack the figure */
	bool too_few;                 /* true (BREACH): fewer captures have a figure than min_captures */
	bool limit_is_min;            /* true: the limit is a minimum; false: a maximum */
	size_t n;                     /* number of captures judged */
	size_t missing;               /* number of captures without a figure */
	const struct tt_sample *worst;        /* the capture with the worst figure, or NULL */
	struct tt_point *point;       /* all captures that the row applies to, in the order given */
	size_t npoint;

	/* If has_base: relative and exact rows. */
	bool has_base;
	int64_t base;                 /* the baseline's median */
	size_t m, sessions;           /* number of captures and of sessions in the baseline */
	struct tt_point *base_point;
	size_t nbase_point;

	/* If tested: relative rows. Signs are those of the metric, + is more. *_ppm: relative to base, if that is not 0. */
	bool tested;
	bool by_session;              /* true: sessions are the unit of the test; false: captures, all of one session */
	double p, p_adjusted;         /* p for the change being at most the limit; after Holm's correction over ntested rows */
	double p_not, p_not_adjusted; /* p for the change being at least the limit; corrected alike */
	size_t ntested;
	int64_t shift, shift_ppm;     /* the change: between sessions' trimmed means, or by Hodges and Lehmann */
	bool has_low, has_high;       /* false: too few captures for a bound on that side */
	int64_t low, high;            /* one-sided bounds, each at the confidence required by Holm's correction */
	int64_t low_ppm, high_ppm;
	int64_t spread, spread_ppm;   /* if by_session: standard deviation between sessions beyond what their captures explain */
	bool spread_assumed;          /* true: the spread is assumed by the budget; false: shown by the sessions */
	size_t before;                /* number of sessions before the accepted one that were used to show the spread; 0: not needed */
	int64_t seen, seen_ppm;       /* a change of this size is found to be worse in 95 of 100 cases; in an A/B run 0: not reported */
	bool doubtful;                /* true: the change is above the limit, but its uncertainty because of differing captures is more than half the limit */
	bool in_captures;             /* true (UNDECIDED): because captures differ, so that more of them would help; false: because sessions differ */
	bool trend_tested;            /* true: sessions were tested for a trend (tt_judge_opts.anchor) */
	double trend_p, trend_p_adjusted;     /* p that the trend is chance; after Holm's correction over rows tested for trends */
	int64_t trend, trend_ppm;     /* rise from the oldest sessions to the newest; signed as the metric */
	size_t trend_sessions;        /* number of sessions, including those at hand */
	const char *trend_since;      /* name of the oldest session */
	bool crept, crept_alone;      /* crept: WORSE by the trend; crept_alone: and by nothing else */
	double ks, ks_p;              /* Kolmogorov-Smirnov distance and p, for information only */
	size_t need;                  /* CANNOT_JUDGE: number of captures on each side that would suffice; else 0 */

	size_t need_here;             /* like need, but only captures at hand; UNDECIDED: about how many on each side, or pairs; 0: no number suffices */
	size_t pairs;                 /* in an A/B run: number of pairs tested; shift, bounds and limit apply to differences within pairs */
	size_t evened, evened_worse;  /* number of pairs with a run far from the others, which counts less; and of those where it is bad for the new build */
	int64_t asked;                /* if the pairs can only show a wider limit: the limit of the budget; else 0 */
	bool has_ratio;               /* in an A/B run: true: changes are ratios, in percent */

	const char *text;             /* the finding in one sentence for readers, without id, outcome and full stop */
	const char *hint;             /* what to do about it, one sentence; NULL: nothing */
	struct tt_mover *mover;       /* at most 5; for relative rows that are WORSE or UNDECIDED, and for BREACH if known */
	size_t nmover;
};

/*
 * An A/B run: two builds that run in turn; a pair is one run of each. The samples of the new build are judged against those of the old one, which form the
 * baseline.
 */
enum tt_side { TT_OLD, TT_NEW, TT_SIDES };
struct tt_ab {
	const char *build[TT_SIDES];  /* the commands */
	uint64_t seed;                /* seed for the order within pairs */
	size_t planned, done;         /* number of pairs planned, and done */
	bool looks;                   /* true: the run may stop after each pair */
	bool last;                    /* true: no more pairs will be run */
	bool tells;                   /* true: rows report the change that they would detect with all pairs, and how many pairs undecided ones would need */
	const size_t *pair[TT_SIDES]; /* by sample: its pair */
	size_t runs[TT_SIDES], crashes[TT_SIDES];
	size_t unended[TT_SIDES];     /* number of runs that did not crash, but whose capture breaks off */
	const char *crash[TT_SIDES];  /* reason of the first crash, "signal 11"; NULL: no crash */
	uint64_t more_crashes;        /* number of additional crashes that the new build may have */
};

/* The weight of a row in an A/B run, by which its permitted error is multiplied: 2 for frame times, the main reason to compare builds, else 1. */
unsigned tt_row_weight(const struct tt_budget_row *row);

/* The number of pairs from which on a row of weight ${weight} can fail, if the weights of all rows sum to ${weights}. */
size_t tt_pairs_needed(size_t weights, size_t weight);

/* A fact of the fingerprint in which captures differ that one row combines; if there are several such rows, the first. */
struct tt_mix {
	const struct tt_verdict_row *row;
	const char *key, *value, *other;
	bool more;                    /* true: there are further values */
};

struct tt_verdict {
	struct tt_arena arena;
	struct tt_verdict_row *row;   /* rows in the order of the budget; groups within a row by name; integrity rows last */
	size_t nrow;
	size_t count[TT_OUTCOMES];
	size_t warned;                /* number of rows at level warn that are over their limit or worse */
	const struct tt_sample *sample;
	size_t nsample;
	const char *group_by;         /* the fact by which captures are grouped; NULL: no groups */
	const struct tt_sample *alone;        /* the first of ${nalone} captures without that fact */
	size_t nalone;
	const struct tt_budget *budget;
	const struct tt_baseline *base;       /* the baseline compared to; NULL: none */
	const struct tt_ab *ab;       /* the A/B run; NULL: none */
	const char *today;            /* date YYYY-MM-DD to which waivers are compared */
	int exit_code;                /* exit code by rows: 0; 3: a damaged capture, if integrity is an error; 1; 5: inconclusive */
	int status;                   /* exit status of the command: exit_code, unless tt_judge_opts.status decides */
	const char *summary;          /* one line: "FAILED: 1 of 12 rows is worse (frame-p95)" */
	const struct tt_verdict_row *unfit;   /* the first row that keeps the captures out of the baseline: it is worse, or lacks figures; NULL: none */
	const struct tt_sample *known;        /* the first of ${nknown} captures that are also in the baseline */
	size_t nknown;
	const struct tt_sample *empty;        /* the first of ${nempty} captures without any event */
	size_t nempty;
	struct tt_mix *mixed;
	size_t nmixed;
	const char **remark;          /* sentences for every report: "the baseline is of one session ..." */
	size_t nremark;
	size_t nalert;                /* number of leading remarks on what the verdict lacks; messages for CI systems include these */
	bool undecided;               /* true: nothing fails or is inconclusive, but a row of level error is undecided, so this is no pass */
	bool strict;                  /* true: undecided rows also make the verdict inconclusive */
	bool accepts;                 /* true: tt_judge_opts.accept was given, and something is accepted or a baseline begun; false: ordinary captures */
	const char *accept;           /* the command that accepts what fails; NULL: nothing fails, or not everything can be accepted */
};

struct tt_judge_opts {
	const char *today;            /* YYYY-MM-DD */
	/* The rows that end the gate with 5 if none fails: those that cannot be judged; none; those and the undecided ones. */
	enum { TT_INCONCLUSIVE_AUTO, TT_INCONCLUSIVE_PASS, TT_INCONCLUSIVE_FAIL } inconclusive;
	const char *group_by;         /* key of the fact to group by; NULL: none */
	const char *append;           /* the baseline to append the captures to, if they are fit; NULL: none */
	const char *accept;           /* why they are accepted there although relative or exact rows fail; NULL: they are not */
	const char *accept_by;        /* the command that would accept them; NULL: none */
	bool anchor;                  /* true: relative rows are also judged by the trend since the baseline's oldest session */
	const char *note;             /* a remark by the caller about the choice of samples; NULL: none */
	const char *const *alert;     /* ${nalert} sentences by the caller on what the samples lack */
	size_t nalert;
	int status;                   /* exit status of the command if something other than rows decides it; 0: rows decide */
	const char *why;              /* if status is set: the reason, "1 of 3 captures failed" */
	bool first;                   /* true: a baseline is being saved; if there is none yet, rows that need it are skipped */
	const struct tt_ab *ab;       /* the A/B run, whose pairs judge relative rows; NULL: the baseline does */
};

/**
 * tt_judge(budget, base, s, n, o, v, mem, err):
 * Judge the ${n} samples ${s}, whose values are ordered as budget->measure. All arguments are borrowed while the verdict lives. Free with tt_verdict_free(),
 * also after an error.
 * Errors: TT_E_USAGE (a limit of the wrong dimension for a counter, or ${base} is NULL though the budget needs a baseline), TT_E_NOMEM.
 */
int tt_judge(const struct tt_budget *budget, const struct tt_baseline *base, const struct tt_sample *s, size_t n,
    const struct tt_judge_opts *o, struct tt_verdict *v, struct tt_mem *mem, struct tt_err *err);
void tt_verdict_free(struct tt_verdict *v);

/* The number of captures judged. */
size_t tt_verdict_captures(const struct tt_verdict *v);

#endif

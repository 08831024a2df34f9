/**
 * Budgets: what a team promises about its captures, read from a JSON file. The file is described in
 * tracetool-budget(5) and budget.schema.json.
 */
#ifndef TT_GATE_BUDGET_H
#define TT_GATE_BUDGET_H

#include "gate/measure.h"

enum tt_level { TT_LEVEL_OFF, TT_LEVEL_WARN, TT_LEVEL_ERROR };
extern const char *const tt_level_name[4];   /* names of enum tt_level, ended by NULL; tt_over_name alike */

/* How the figures of many captures are combined, for rows without a baseline. */
enum tt_over { TT_OVER_MEDIAN, TT_OVER_WORST, TT_OVER_BEST, TT_OVER_MEAN, TT_OVER_POOLED };
extern const char *const tt_over_name[6];

enum tt_limit_kind {
	TT_LIMIT_NONE,
	TT_LIMIT_AMOUNT,      /* "33.3ms": v is the limit as an amount */
	TT_LIMIT_CHANGE,      /* "+0.3ms": v is the allowed change against the baseline, an amount */
	TT_LIMIT_PPM,         /* "+5%": v is the allowed change in parts per million of the baseline's median */
};
struct tt_limit {
	enum tt_limit_kind kind;
	enum tt_dim dim;
	int64_t v;
	const char *text;             /* the limit as written in the file */
};

struct tt_budget_row {
	const char *id;
	struct tt_measure measure;
	size_t which;                 /* index of the measure in tt_budget.measure */
	enum tt_level level;
	enum tt_over over;
	struct tt_limit max, min;     /* limits; a relative row has one of them, an exact row none */
	bool relative;                /* true: compared with the baseline by a statistical test */
	bool exact;                   /* true: must equal the baseline */
	int64_t effect;               /* smallest change that matters, an amount; 0: any */
	bool captures;                /* true: the figure is the number of captures that have the measure */
	unsigned min_captures;        /* minimum number of captures with a figure; 0 means 1 */
	unsigned max_missing;         /* maximum number of captures without a figure for the row to pass */
	enum tt_level gone;           /* severity if the row's marker, category or thread is in the baseline but in no capture */
	struct tt_where { const char *key, *glob; } *where;
	size_t nwhere;
	struct tt_waive { const char *until, *why, *who; } waive;     /* until: last day YYYY-MM-DD; NULL: no waiver */
	unsigned line, column;        /* place of the row in the file; 0: a default row */
};

struct tt_budget {
	const char *path;
	bool made;                    /* true: made by the program, not read from a file */
	struct tt_budget_row *row;
	size_t nrow;
	struct tt_measure *measure;   /* measures of the rows, each once, then those that every sample has */
	size_t nmeasure;
	size_t njudged;               /* number of measures of the rows, the only ones needed of baselines */
	struct {                      /* what to skip at the beginning of a capture; one of these */
		uint64_t frames;
		int64_t time_ns;
		const char *until_marker;     /* skip everything before the first begin of such a marker, a glob; NULL: nothing */
	} skip;
	const char *frame_marker, *frame_thread;      /* globs to use if the command line gives none; NULL */
	bool own_fingerprint;         /* true: the file lists the fingerprint; false: the default one */
	const char **fingerprint;     /* facts that must agree with the baseline's, ended by NULL */
	int64_t session_ppm;          /* assumed spread between sessions while too few show it, ppm; 2.5 % by default */
	bool own_session_spread;      /* true: the file sets session_ppm */
	bool baseline;                /* true: some row needs a baseline */
	enum tt_level integrity;      /* level of the default rows; at level error damaged captures give exit code 3 */
	unsigned needs;               /* enum tt_needs */
};

/**
 * tt_budget_parse(text, n, path, b, a, err):
 * Read the budget in the ${n} bytes at ${text} into ${a}; ${path} is copied. Errors: TT_E_USAGE with line and column: "budget.json:7:13: unknown key "maxx";
 * did you mean "max"?"; TT_E_NOMEM.
 */
int tt_budget_parse(const char *text, size_t n, const char *path, struct tt_budget *b, struct tt_arena *a,
    struct tt_err *err);

/* An empty budget: no rows, only the measures that every sample has, for callers that only want samples. It has room for TT_BUDGET_MORE further measures. */
enum { TT_BUDGET_MORE = 34 };
int tt_budget_none(struct tt_budget *b, struct tt_arena *a, struct tt_err *err);

/* Like tt_budget_none(), plus the number of frames per thousand over each of tt_hitch_limit, by wall time and by uncapped time: to suggest rows from. */
int tt_budget_to_suggest(struct tt_budget *b, struct tt_arena *a, struct tt_err *err);

/* True if ${s} is a calendar date YYYY-MM-DD. */
bool tt_is_date(const char *s);

/* The row named ${id}; if there is none, NULL, and TT_E_USAGE in ${err} names the nearest. */
const struct tt_budget_row *tt_budget_row(const struct tt_budget *b, const char *id, struct tt_err *err);

#endif

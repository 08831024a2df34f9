/**
 * Budgets: what a team promises about its captures, read from a JSON file. The file is described in
 * tracetool-budget(5) and budget.schema.json.
 */
#ifndef TT_GATE_BUDGET_H
#define TT_GATE_BUDGET_H

#include "gate/measure.h"

enum tt_level { TT_LEVEL_OFF, TT_LEVEL_WARN, TT_LEVEL_ERROR };
extern const char *const tt_level_name[4];   /* ends with NULL, as the next */

/* How a figure of many captures becomes one, for rows without a baseline. */
enum tt_over { TT_OVER_MEDIAN, TT_OVER_WORST, TT_OVER_BEST, TT_OVER_MEAN, TT_OVER_POOLED };
extern const char *const tt_over_name[6];

enum tt_limit_kind {
	TT_LIMIT_NONE,
	TT_LIMIT_AMOUNT,      /* "33.3ms": v is the limit */
	TT_LIMIT_CHANGE,      /* "+0.3ms": v is the change against the baseline that is allowed */
	TT_LIMIT_PPM,         /* "+5%": the same in parts of a million of the baseline's median */
};
struct tt_limit {
	enum tt_limit_kind kind;
	enum tt_dim dim;
	int64_t v;
	const char *text;             /* as the file has it */
};

struct tt_budget_row {
	const char *id;
	struct tt_measure measure;
	size_t which;                 /* place of the measure in tt_budget.measure */
	enum tt_level level;
	enum tt_over over;
	struct tt_limit max, min;     /* of a relative row one, of an exact row none */
	bool relative;                /* judged against the baseline, by a test */
	bool exact;                   /* judged against the baseline, by equality */
	int64_t effect;               /* smallest change that matters, amount; 0 none */
	bool captures;                /* its figure is how many captures have one of the measure */
	unsigned min_captures;        /* 0: 1 */
	unsigned max_missing;         /* captures without the figure that a row may have and pass */
	enum tt_level gone;           /* what it is if the marker, category or thread that it names is in the baseline and in no capture */
	struct tt_where { const char *key, *glob; } *where;
	size_t nwhere;
	struct tt_waive { const char *until, *why, *who; } waive;     /* until NULL: none; else YYYY-MM-DD, the last day */
	unsigned line, column;        /* of the row in the file; 0: it is there by default */
};

struct tt_budget {
	const char *path;
	bool made;                    /* by the program itself: there is no such file */
	struct tt_budget_row *row;
	size_t nrow;
	struct tt_measure *measure;   /* those of the rows, each once, then those every sample has */
	size_t nmeasure;
	size_t njudged;               /* those of the rows: all that baselines are asked for */
	struct {                      /* left out at the beginning: one of these */
		uint64_t frames;
		int64_t time_ns;
		const char *until_marker;     /* all before the first begin of such a marker; glob, NULL */
	} skip;
	const char *frame_marker, *frame_thread;      /* globs, where the command line gives none; NULL */
	bool own_fingerprint;         /* the file has it; else it is the usual one */
	const char **fingerprint;     /* facts that must agree with the baseline's; NULL-terminated */
	int64_t session_ppm;          /* by how much sessions are taken to differ while too few show it; 2.5 % */
	bool own_session_spread;      /* the file says so */
	bool baseline;                /* a row needs one */
	enum tt_level integrity;      /* of the default rows; error: damaged captures give exit code 3 */
	unsigned needs;               /* enum tt_needs */
};

/**
 * tt_budget_parse(text, n, path, b, a, err):
 * Read the budget in the ${n} bytes at ${text}. Everything in ${a}; ${path} is copied.
 * Errors: TT_E_USAGE with line and column: "budget.json:7:13: unknown key "maxx"; did you mean "max"?"; TT_E_NOMEM.
 */
int tt_budget_parse(const char *text, size_t n, const char *path, struct tt_budget *b, struct tt_arena *a,
    struct tt_err *err);

/* The budget of no row: what every sample has, for whoever is only after samples. It has room for TT_BUDGET_MORE measures. */
enum { TT_BUDGET_MORE = 34 };
int tt_budget_none(struct tt_budget *b, struct tt_arena *a, struct tt_err *err);

/* As tt_budget_none(), and how many of a thousand frames are over each of tt_hitch_limit, by wall time and by uncapped time: to suggest rows from. */
int tt_budget_to_suggest(struct tt_budget *b, struct tt_arena *a, struct tt_err *err);

/* True for a day of the calendar, as YYYY-MM-DD. */
bool tt_is_date(const char *s);

/* The row named ${id}, or NULL with TT_E_USAGE in ${err} that names the nearest. */
const struct tt_budget_row *tt_budget_row(const struct tt_budget *b, const char *id, struct tt_err *err);

#endif

/**
 * Analysis passes: folds of the model into tables.
 *
 * The run keeps one call tree, counters, frames and totals (model/model.h); a pass says
 * what it needs of them and turns them into tables at report time. Its tables are data: each names its columns,
 * what makes its rows, in what order they are, and why there may be none. New pass: one file, one line in registry.c.
 */
#ifndef TT_PASS_H
#define TT_PASS_H

#include "model/capture.h"
#include "out/table.h"
#include "view/group.h"

struct tt_causes;
struct tt_model;
struct tt_frames;
struct tt_option;
struct tt_views;

/* Values of metrics in parts of the time, for the table timeline_metrics. */
struct tt_series {
	struct tt_series_value {
		const char *metric, *unit_name;
		int64_t from, to;
		bool known;
		enum tt_unit unit;
		int64_t v;
	} *v;
	size_t n;
};

#define TT_COMPARE_MEDIAN 0

struct tt_pass_opts {
	const char *const *budget;    /* extra frame budgets */
	int64_t budget_ns[16];
	unsigned nbudget;
	uint64_t max_hitches;         /* number of worst frames to list; the run uses it, too */
	int percentiles;              /* enum tt_percentiles, for frame times; 0: TT_PERCENTILES_NEAREST */
	uint64_t nbuckets;            /* number of parts of the timeline, for the run; 0: TT_TIMELINE_BUCKETS */
	int64_t threshold_e4;         /* calltree: hide below this share, in 1/10000; default 100 = 1 % */
	uint64_t max_depth;           /* calltree: maximum depth; 0: unlimited */
	const char *const *table;     /* tables or passes to make, by name, NULL-terminated; NULL: all but the extra tables */
	enum tt_group group;          /* group rows by this; tables without such groups are not made */
	enum tt_group only_ungrouped_by; /* make only the tables that cannot be grouped by this */
	bool compares_two; /* compare_frames: true: compare the two frames below, each a number or TT_COMPARE_MEDIAN; false: the median and the longest frame */
	uint64_t compare[2];
	const char *wide_figure;      /* frame_markers and others: figure of the wide form, which has a row per frame and a column per marker */
	uint64_t max_columns;         /* maximum number of such columns; 0: the table's limit */
	const struct tt_series *series;       /* NULL: no metrics by time */
	const struct tt_causes *causes;       /* causes found earlier (why/causes.h); NULL: the pass finds them */
	size_t max_rows;              /* maximum number of rows that are shown, in the pass's own order, for tables that may have very many; 0: all */
	bool folds_zeros;             /* counters: list counters that are always 0 in a note, not in rows */
	bool skips_empty;             /* leave out tables that have nothing to show, even those of .table */
};

/* 10 worst frames, branches of 1 %, 50 columns, all tables but the extra ones. */
extern const struct tt_pass_opts tt_pass_defaults;

/* Filters, as bits. */
enum tt_pass_filter {
	TT_ON_TIME = 1,               /* --time, --frames */
	TT_ON_THREAD = 2,
	TT_ON_MARKER = 4,
	TT_ON_CATEGORY = 8,
	TT_ON_ZONES = 16,             /* --min-duration, --depth */
	TT_ON_NAMES = TT_ON_MARKER | TT_ON_CATEGORY,
	TT_ON_CALLS = TT_ON_TIME | TT_ON_THREAD | TT_ON_NAMES,
	TT_ON_ALL = TT_ON_CALLS | TT_ON_ZONES,
};

/* Columns that only grouped tables have. */
enum tt_grouped {
	TT_GROUP_FRONT = 1 << 16,     /* the group is a new first column: no column of the table can hold it */
	TT_GROUP_COUNT = 1 << 17,     /* a new last column: the number of things, like objects, in the group */
};

/* How a table is shown: see tt_table. Grouped rows are never facts or whole. */
enum tt_shape { TT_ROWS, TT_FACTS, TT_WHOLE, TT_TREE };

/* A pass that makes its tables. Errors stay in r->err; functions that the pass calls get &r->err. */
struct tt_making {
	const struct tt_model *m;
	const struct tt_pass_opts *o;
	struct tt_report *r;
	struct tt_views *view;         /* views of the model m */
	void *state;                  /* the pass's state: tt_pass.state_bytes bytes, zeroed */
	struct tt_arena arena;        /* memory for tt_pass_alloc() */
};

typedef void tt_make_fn(struct tt_making *k, struct tt_table *t);

struct tt_pass {
	const char *name, *summary;
	unsigned needs;               /* enum tt_needs */
	const struct tt_option *option;       /* its options: fields of tt_pass_opts; ends with a row without a name; NULL: none */
	bool is_standard;             /* true: part of `tracetool stats` without --table; tables that a capture cannot have are left out */
	/* True if there is something to show. If not, the tables are made only if asked for by name. NULL: always. */
	bool (*has_tables)(const struct tt_model *m);
	/* The state that the tables of the pass share: open() is called before the first table; close() after the last, even if open() failed. */
	size_t state_bytes;
	void (*open)(struct tt_making *k);
	void (*close)(struct tt_making *k);
	/* Tables of the pass, in the order of reports, for `tracetool list metrics` and --table. */
	const struct tt_pass_table {
		const char *id, *title;
		const struct tt_col *col;
		size_t ncol;
		bool is_extra;        /* made only when asked for by name (tt_pass_opts.table) */
		unsigned applied_filters; /* enum tt_pass_filter: filters that apply to it */
		unsigned possible_groups; /* 1 << enum tt_group: possible groups of its rows */
		unsigned group_col;   /* the column that holds the group when rows are grouped; | enum tt_grouped */
		unsigned needs;       /* enum tt_needs, in addition to those of the pass */
		unsigned named_needs; /* further needs if tables are asked for by name: too expensive for a report of all tables */
		bool is_by_time;      /* true: a row is a part of the time (tt_pass_opts.nbuckets) */
		const char *wide_column; /* with tt_pass_opts.wide_figure, each value of this column becomes a column */
		const char *whole_columns; /* names of columns that cover the whole capture even if filters limit the time: "events open_at_end" */
		bool always_whole;    /* true: the table describes the whole capture, and filters do not change it */
		enum tt_shape shape;
		tt_make_fn *make_rows; /* makes the rows */
		tt_make_fn *make_groups;      /* makes grouped rows; NULL: make does both */
		bool keeps;           /* true: make only adds rows, so that those beyond tt_pass_opts.max_rows in the order of ${sort} need not be kept */
		const char *sort, *group_sort;        /* tt_table_sort(). sort NULL: rows come in order; group_sort NULL: as sort */
		/* True if there is something to show. If not, the table has no rows, and is left out unless tables are asked for by name. NULL: always. */
		bool (*has_rows)(const struct tt_making *k);
		const char *why_empty; /* why there are no rows */
		enum tt_records records;      /* kind of events behind the rows: the text none applies only if these were recorded; 0: no kind */
		const char *(*find_why_empty)(struct tt_making *k); /* used instead of none if the reason depends on the capture */
		const char *why_no_budget; /* why budgets cannot use its figures, as the end of a sentence; NULL: they can */
	} *tables;
	size_t ntables;
};

extern const struct tt_pass *const tt_passes[];      /* NULL-terminated */

/**
 * tt_pass_report(p, view, o, r):
 * Make the tables of ${p} that ${o} wants, of the model that ${view} belongs to, at the end of ${r}; tt_report_error(r) returns the result.
 * A table is wanted if its id is named, or if it is not extra and either its pass is named or nothing is; see also tt_pass_opts.group.
 * Rows borrow names from the view, so free the view after the report has been written.
 */
void tt_pass_report(const struct tt_pass *p, struct tt_views *view, const struct tt_pass_opts *o, struct tt_report *r);

/* The pass called ${name}, or NULL. */
const struct tt_pass *tt_pass_named(const char *name);

/* The table called ${id}, and in *${p} its pass; NULL: there is none. */
const struct tt_pass_table *tt_pass_table_named(const char *id, const struct tt_pass **p);

/* The id of the ${i}th table over all passes; NULL after the last. */
const char *tt_pass_table_id(size_t i);

/* Return the option of a pass that ${table} needs to have rows, or NULL. */
const char *tt_pass_needed_option(const char *table);

/* The needs (enum tt_needs) of the tables of ${p} that ${o} wants. */
unsigned tt_pass_needs(const struct tt_pass *p, const struct tt_pass_opts *o);

/* True if ${o} wants the table ${t} of ${p}. */
bool tt_pass_wants(const struct tt_pass *p, const struct tt_pass_table *t, const struct tt_pass_opts *o);

/* Say how the worst frames are chosen if frames are capped. */
const char *tt_pass_worst_by(const struct tt_model *m, struct tt_report *r);

/* Say what limits most of the frames whose limit is known: "limited by the GPU in 296 of 300 frames, mean 22.0 ms". NULL: no limit, or none is known. */
const char *tt_pass_limit_text(const struct tt_frames *f, struct tt_report *r);

/* TT_SETTING_FRAME_MARKER and the name ${full} of a marker without its arguments, quoted for a shell. */
const char *tt_pass_frame_option(struct tt_report *r, const char *full);

/* Say why a table of events has no rows: ${none} if the recorder was asked for the events, else that it was not. */
const char *tt_pass_why_empty(const struct tt_model *m, struct tt_report *r, enum tt_records what, const char *none);

/* Say why tables of frames have no rows. NULL: there are frames. Texts are kept in ${r}. */
const char *tt_pass_why_no_frames(const struct tt_model *m, struct tt_report *r);

/* "file 2 of a rotation; more follow" (tt_capture_files()), or NULL: the capture is whole. */
const char *tt_pass_rotation_text(const struct tt_capture *k, struct tt_report *r);

/* True if no event lies in the filter's time; then ${text}, of TT_OUTSIDE_TEXT bytes, says so. */
#define TT_OUTSIDE_TEXT 160
bool tt_filter_is_outside(const struct tt_model *m, char *text);

/*
 * True if the ${i}th pattern of a filter by name matches no name; then ${text}, of TT_UNMATCHED_TEXT bytes, says so and suggests a similar name. *${more}:
 * true if the filter has an ${i}th pattern.
 */
enum tt_filter_by { TT_MATCH_THREAD, TT_MATCH_MARKER, TT_MATCH_WAIT, TT_MATCH_CATEGORY };
#define TT_UNMATCHED_TEXT 320
bool tt_filter_is_unmatched(const struct tt_model *m, enum tt_filter_by by, size_t i, char *text, bool *more);

/* Add a note for each such pattern that matches nothing in the tables of ${r} either. */
void tt_unmatched_notes(const struct tt_model *m, struct tt_report *r);

/**
 * tt_filter_notes(m, group, r, err):
 * Add a note for each filter in use that does not apply to some of the tables in ${r}, and name these tables. If rows are grouped by ${group},
 * filters by name choose the members of groups, whatever the rows are.
 */
void tt_filter_notes(const struct tt_model *m, enum tt_group group, struct tt_report *r);

/* Add a note that names the tables in ${r} that cannot be grouped by ${group}, if there are any. */
void tt_group_note(enum tt_group group, struct tt_report *r);

/* Add a note to the report for each entry of ${loss} of severity notice or higher. */
void tt_loss_notes(const struct tt_loss *loss, struct tt_report *r);

#endif

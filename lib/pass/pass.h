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

/* Figures of metrics in parts of the time: what the table timeline_metrics shows. */
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
	uint64_t hitches;             /* worst frames to list; for the run as well */
	int percentiles;              /* enum tt_percentiles, of frames; 0: TT_PERCENTILES_NEAREST */
	uint64_t buckets;             /* parts of the timeline, for the run; 0: TT_TIMELINE_BUCKETS */
	int64_t threshold_e4;         /* calltree: hide below this share, in 1/10000; default 100 = 1 % */
	uint64_t max_depth;           /* calltree; 0 none */
	const char *const *table;     /* tables or passes to make, by name, NULL-terminated; NULL: all but the extra tables */
	enum tt_group group;          /* rows by this: only tables that have such groups are made */
	enum tt_group apart;          /* only tables that have no groups by this are made */
	bool compares;                /* compare_frames: these, a number or TT_COMPARE_MEDIAN; else the median frame and the longest */
	uint64_t compare[2];
	const char *wide;             /* frame_markers and others: a row a frame, a column a marker, with this column's figure */
	uint64_t columns;             /* most columns of that kind; 0: as many as a table can have */
	const struct tt_series *series;       /* NULL: none was asked for */
	const struct tt_causes *causes;       /* found before (why/causes.h); NULL: the pass looks for them */
	size_t rows;                  /* tables of paths: make no more rows than this, in the pass's own order; 0 all */
	bool folds_zeros;             /* counters: those that are 0 all along are a note, not rows */
	bool filled;                  /* leave out tables that have nothing to show, even those of .table */
};

/* 10 worst frames, branches of 1 %, 50 columns, all tables but the extra ones. */
extern const struct tt_pass_opts tt_pass_defaults;

/* Filters by what they choose. */
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

/* Columns that a table has only when its rows are groups. */
enum tt_grouped {
	TT_GROUP_FRONT = 1 << 16,     /* the group, in front of all others: the table has no column that could hold it */
	TT_GROUP_COUNT = 1 << 17,     /* last: how many things of the table, like objects, are in the group */
};

/* How a table is shown: see tt_table. Rows that are groups are never facts, nor whole. */
enum tt_shape { TT_ROWS, TT_FACTS, TT_WHOLE, TT_TREE };

/* A pass at work on a report. Errors stay in r->err, where &r->err is also what it hands to others. */
struct tt_making {
	const struct tt_model *m;
	const struct tt_pass_opts *o;
	struct tt_report *r;
	struct tt_views *view;         /* of m */
	void *own;                    /* tt_pass.own zeroed bytes */
	struct tt_arena room;         /* for tt_room() */
};

typedef void tt_make_fn(struct tt_making *k, struct tt_table *t);

struct tt_pass {
	const char *name, *summary;
	unsigned needs;               /* enum tt_needs */
	const struct tt_option *option;       /* its options: fields of tt_pass_opts; ends with a row without a name; NULL: none */
	bool standard;                /* part of `tracetool stats` without --table; what a capture cannot have is left out */
	/* True if there is something to show. If not, its tables are made only where tables are asked for by name. NULL: always. */
	bool (*has)(const struct tt_model *m);
	/* The state that its tables share, made before the first; close() is called after the last, and after a failed open() too. */
	size_t own;
	void (*open)(struct tt_making *k);
	void (*close)(struct tt_making *k);
	/* Tables it can make, in the order of reports, for `tracetool list metrics` and --table. */
	const struct tt_pass_table {
		const char *id, *title;
		const struct tt_col *col;
		size_t ncol;
		bool extra;           /* made only when asked for by name (tt_pass_opts.table) */
		unsigned filters;     /* enum tt_pass_filter that mean something for it */
		unsigned groups;      /* 1 << enum tt_group: those its rows can be */
		unsigned group_col;   /* the column that then holds the group, with enum tt_grouped */
		unsigned needs;       /* enum tt_needs, beside those of the pass */
		unsigned named_needs; /* and beside these where tables are asked for by name: what a report of all tables is too dear for */
		bool parts;           /* a row is a part of the time: tt_pass_opts.buckets */
		const char *wide;     /* with tt_pass_opts.wide it has a column for each value of this column */
		const char *whole;    /* columns that cover the whole capture, while others cover the time that filters leave: "events open_at_end" */
		bool always_whole;    /* it describes the whole capture: filters do not change it */
		enum tt_shape shape;
		tt_make_fn *make;     /* its rows */
		tt_make_fn *make_groups;      /* the same where they are groups; NULL: make does both */
		const char *sort, *group_sort;        /* tt_table_sort(); group_sort NULL: sort. sort NULL: rows come in order */
		/* True if there is something to show. If not, it has no rows, and is left out where no table is asked for by name. NULL: always. */
		bool (*has)(const struct tt_making *k);
		const char *none;     /* why there are no rows */
		enum tt_records records;      /* where they are of such events: none holds where these were recorded; else 0 */
		const char *(*why)(struct tt_making *k);      /* instead of none, where the reason depends */
		const char *unheld;   /* why no budget can hold its figures, as the end of a sentence; NULL: one can */
	} *tables;
	size_t ntables;
};

extern const struct tt_pass *const tt_passes[];      /* NULL-terminated */

/**
 * tt_pass_report(p, view, o, r):
 * Make the tables of ${p} that ${o} wants, of the model that ${view} is of, at the end of ${r}; tt_report_error(r) says how it
 * went. A table is wanted when it is asked for by its id, or is not extra and its pass is asked for, or nothing is; see
 * tt_pass_opts.group as well. Rows borrow names from the view: it is freed after the report has been written.
 */
void tt_pass_report(const struct tt_pass *p, struct tt_views *view, const struct tt_pass_opts *o, struct tt_report *r);

/* The pass called ${name}, or NULL. */
const struct tt_pass *tt_pass_named(const char *name);

/* The table called ${id}, and in *${p} its pass; NULL: there is none. */
const struct tt_pass_table *tt_pass_table_named(const char *id, const struct tt_pass **p);

/* The id of the ${i}th table over all passes; NULL after the last. */
const char *tt_pass_table_id(size_t i);

/* The option of a pass without which ${table} has no rows, or NULL. */
const char *tt_pass_asks(const char *table);

/* The needs (enum tt_needs) of the tables of ${p} that ${o} wants. */
unsigned tt_pass_needs(const struct tt_pass *p, const struct tt_pass_opts *o);

/* True if ${o} wants the table ${t} of ${p}. */
bool tt_pass_wants(const struct tt_pass *p, const struct tt_pass_table *t, const struct tt_pass_opts *o);

/* How the worst frames are chosen of frames that are capped, in words. */
const char *tt_pass_worst_by(const struct tt_model *m, struct tt_report *r);

/* The limit of most of the frames whose limit is known: "limited by the GPU in 296 of 300 frames, mean 22.0 ms"; NULL: nothing does, or it is not known. */
const char *tt_pass_limited(const struct tt_frames *f, struct tt_report *r);

/* TT_SETTING_FRAME_MARKER and the name ${full} of a marker without its arguments, quoted for a shell. */
const char *tt_pass_frame_option(struct tt_report *r, const char *full);

/* Why a table of events has no rows: ${none} if the recorder was asked for them, otherwise that it was not. */
const char *tt_pass_none(const struct tt_model *m, struct tt_report *r, enum tt_records what, const char *none);

/* Why there are no rows of frames, where there are no frames; NULL: there are some. Texts are kept in ${r}. */
const char *tt_pass_no_frames(const struct tt_model *m, struct tt_report *r);

/* "file 2 of a rotation; more follow" (tt_capture_files()), or NULL: the capture is whole. */
const char *tt_pass_part(const struct tt_capture *k, struct tt_report *r);

/* True if no event lies in the time asked for: then ${text}, of TT_OUTSIDE_TEXT bytes, says so. */
#define TT_OUTSIDE_TEXT 160
bool tt_filter_outside(const struct tt_model *m, char *text);

/*
 * True if the ${i}th pattern of a filter by name matches no name. Then a sentence that says so, with a name that is near, is
 * in ${text}, of TT_UNMATCHED_TEXT bytes. *${more}: there is such a pattern.
 */
enum tt_filter_by { TT_MATCH_THREAD, TT_MATCH_MARKER, TT_MATCH_WAIT, TT_MATCH_CATEGORY };
#define TT_UNMATCHED_TEXT 320
bool tt_filter_unmatched(const struct tt_model *m, enum tt_filter_by by, size_t i, char *text, bool *more);

/* A note for each of these that matches nothing in the tables of ${r} either. */
void tt_unmatched_notes(const struct tt_model *m, struct tt_report *r);

/**
 * tt_filter_notes(m, group, r, err):
 * A note for each filter in use that means nothing for some of the tables in ${r}, which it names. A table whose rows are
 * groups by ${group} has its members chosen by name, no matter what its rows are.
 */
void tt_filter_notes(const struct tt_model *m, enum tt_group group, struct tt_report *r);

/* A note that names the tables in ${r} that have no groups by ${group}, if there are any. */
void tt_group_note(enum tt_group group, struct tt_report *r);

/* One report note for each entry of ${loss} of severity notice and up. */
void tt_loss_notes(const struct tt_loss *loss, struct tt_report *r);

#endif

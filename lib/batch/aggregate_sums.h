/**
 * The sums of a batch: of all its captures, and of each group, day and kind of loss. aggregate.c adds up, aggregate_report.c makes the tables;
 * internal to both.
 */
#ifndef TT_BATCH_AGGREGATE_SUMS_H
#define TT_BATCH_AGGREGATE_SUMS_H

#include "base/buf.h"
#include "base/mem.h"
#include "batch/aggregate_captures.h"
#include "batch/result.h"
#include "model/capture.h"
#include "model/loss.h"
#include "pass/shown.h"

struct tt_env;

#define TT_AGGREGATE_KINDS 64
#define TT_AGGREGATE_COPIES 5         /* captures that a note names */
#define TT_AGGREGATE_FAILURES 100

/* A histogram: only the buckets from the lowest to the highest that is not empty. */
struct range {
	uint64_t *b;
	size_t lo, n, cap;
	uint64_t total, min, max;
};

struct sums {
	const char *name;
	uint64_t captures, ok, damaged, failed;
	uint64_t over, late, took[TT_TOOK], collections, pauses, events, allocs, spooled;
	uint64_t alloc_b, duration_ns, frame_ns, frames;
	struct range frame, uncapped, frame_alloc, pause;     /* uncapped: of capped frames */
	int64_t pause_max, stopped_max;
	bool lacks_over;              /* true: some capture has too few frames to tell how many are over 33.33 ms */
	bool knows_over, knows_late, knows_allocs, knows_collections, knows_pauses, knows_stops;   /* true: some capture knows the figure */
};

struct list {
	struct sums **v;              /* in order of name */
	size_t n, cap, max;
	struct sums *more;            /* sums of all beyond the cap */
};

struct count { const char *a, *b, *c; uint64_t n; };

/* How many captures there are of a kind, and the first of them, for people. */
struct named { uint64_t n; struct tt_buf keys; };

/* A kind of loss: how many captures have it, how often and in how many bytes; the first of them in order. */
struct lost {
	uint64_t captures, n, bytes, whole, of_whole;         /* whole: undamaged captures; of_whole: n in these */
	const char *first;
	const struct tt_loss_words *said;     /* the format's words for it; NULL: the usual ones, or several formats have it */
};

struct failure { const char *key, *outcome, *why, *detail; };

struct tt_aggregate {
	struct tt_env *env;
	const char *const *group;
	uint64_t grouped;             /* captures that have a fact of the group; if there are none: */
	const char *ungrouped[2];     /* keys of two captures without such a fact */
	const char *pattern;          /* what paths tell facts by; NULL: nothing */
	bool fits;                    /* true: a capture's path fits the pattern; if none does: */
	const char *unfit[2];         /* keys of two captures */
	struct tt_arena arena;
	struct sums total;
	struct list groups, days;
	struct count outcome[TT_AGGREGATE_KINDS], kind[TT_AGGREGATE_KINDS];
	size_t noutcome, nkind;
	struct failure failure[TT_AGGREGATE_FAILURES];
	size_t nfailure;
	uint64_t archives;
	uint64_t failures;            /* captures and archives that failed or are damaged, and lost members */
	uint64_t lost;                /* members of archives that could not be read */
	uint64_t unended;             /* archives given up before their end: what else is lost is unknown */
	struct lost loss[TT_LOST_KINDS];
	uint64_t lossy;               /* captures that lost something though their files are whole */
	bool capped;                  /* true: a sum is saturated, and so larger than shown */
	uint64_t limited;             /* captures whose frames are capped */
	int64_t cap_least, cap_most;  /* the times they are capped at */
	uint64_t further;             /* captures that are further files of a recording */
	uint64_t outside;             /* captures that have nothing in --time */
	uint64_t row[TT_FRAME_ROWS];  /* frames by how long they were shown */
	uint64_t untold[TT_FRAME_ROWS];       /* frames of captures that have too few to tell a limit, by how long they lasted */
	struct { uint64_t n; const char *first; } layout[TT_LAYOUTS];   /* captures by how well their layout fits; their first key in order */
	struct named copies, held;    /* captures that are copies, or parts, of others and count with these */
	struct named begins;          /* captures with the first file here of their recording, which is not its first */
	struct named gaps, overlaps;  /* captures with missing files before them; captures that share files with others */
	uint64_t missing;             /* files of recordings missing between others */
	struct tt_captures *captures; /* single captures */
	const char *missing_text;     /* what the figures lack, as text; NULL: nothing */
};

#endif

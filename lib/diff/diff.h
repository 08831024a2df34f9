/**
 * Two groups of captures compared: side A is before, side B is after.
 *
 * Each capture is read by a run of its own and folded into one tree of both sides, aligned by thread (numbers at
 * the end of its name left out), path of marker names, and category name. Memory: that tree and one capture's model,
 * whatever the number of captures.
 *
 * What is compared is the "whole": with frames, the mean time of a whole frame, where they are capped its uncapped time; without (and then
 * on neither side), the mean time per capture in markers of all threads. Parts are self times of paths: with frames those on the frame thread,
 * cut at the frames, and what no marker accounts for. Both sides' parts are integers of ns that add up to the whole of
 * the side, so differences add up to the difference. Definitions: tracetool-diff(1).
 *
 * Errors: TT_E_NOMEM, TT_E_LIMIT; TT_E_USAGE where said. Threads: one.
 */
#ifndef TT_DIFF_DIFF_H
#define TT_DIFF_DIFF_H

#include "base/map.h"
#include "diff/rename.h"
#include "model/model.h"
#include "model/waits.h"

enum { TT_DIFF_A, TT_DIFF_B, TT_DIFF_SIDES };

/* One thing on one side. */
struct tt_diff_sum {
	uint64_t n;                   /* activations */
	int64_t self;                 /* ns, in all captures of the side */
	int64_t part;                 /* ns per frame or capture: set by tt_diff_finish() */
};

enum tt_diff_kind {
	TT_DIFF_ROOT,
	TT_DIFF_FRAME_THREAD,
	TT_DIFF_THREAD,
	TT_DIFF_ZONE,
	TT_DIFF_REST,                 /* on the frame thread and in no marker */
};

struct tt_diff_node {
	uint32_t parent;              /* smaller than its own number; the root is 0 */
	uint32_t name;                /* zones: of marker[]; threads: of thread[] */
	enum tt_diff_kind kind;
	bool framed;                  /* in frames, on the frame thread */
	/* Set by tt_diff_finish() where uncapped time is compared: no part of that; a wait to present, of which only what is late is. */
	bool held, presents;
	struct tt_diff_sum side[TT_DIFF_SIDES];
	int64_t mid;                  /* what B's calls would take at A's time per call: set by tt_diff_finish() */
};

enum tt_diff_class { TT_DIFF_WORK, TT_DIFF_GC, TT_DIFF_WAIT, TT_DIFF_UNACCOUNTED, TT_DIFF_CLASSES };

/* A marker of either side. */
struct tt_diff_marker {
	const char *full;             /* what it is aligned by: the name, after --rename */
	const char *label;            /* what to show; no two alike after tt_diff_finish() */
	const char *category[TT_DIFF_SIDES];  /* NULL: not on this side */
	enum tt_diff_class class;
	bool editor;                  /* it is the Editor's */
	enum tt_wait_kind wait;       /* what it waits for */
};

/* Allocations of one class at one site. */
struct tt_diff_site {
	uint32_t marker;              /* TT_DIFF_NONE: outside any marker */
	uint32_t class;               /* of class_name[] */
	struct { uint64_t n; int64_t bytes, part; } side[TT_DIFF_SIDES];      /* part: bytes per frame or capture */
};
#define TT_DIFF_NONE UINT32_MAX

/* Times of frames. */
enum tt_diff_time { TT_DIFF_WALL, TT_DIFF_UNCAPPED, TT_DIFF_TIMES };

struct tt_diff_capture {
	const char *path;
	const char *session;          /* its fact of that name; "": it tells none */
	uint64_t frames;
	struct { int64_t total, mean, median; } time[TT_DIFF_TIMES];  /* without frames: wall is the time in markers */
	int64_t cap_ns;               /* the time that frames are capped at; 0: they are not */
	int64_t editor;               /* tt_frames_editor() */
	const char *layout;           /* tt_layout_note(): what to know where no layout fits; NULL: one does */
	bool wall_is_limit;           /* wall time is what the Editor leaves of the frame limit */
};

struct tt_diff_side {
	struct tt_diff_capture *capture;
	size_t n, cap;
	uint64_t units;               /* frames, or captures */
	int64_t total;                /* ns: of frames, or in markers */
	int64_t mean;                 /* ns per unit, to the nearest */
	int64_t wall;                 /* the same of wall time, where uncapped time is compared */
	size_t capped;                /* captures whose frames are */
	int64_t alloc_b;              /* bytes per unit, to the nearest */
};

struct tt_diff {
	struct tt_env *env;
	struct tt_rename *rename;     /* borrowed; NULL */
	enum tt_names_form names;
	bool frames;                  /* both sides have frames; known after the first capture */
	enum tt_diff_time by;         /* the time of frames that is compared: set by tt_diff_finish() */
	struct tt_diff_side side[TT_DIFF_SIDES];
	struct tt_diff_node *node;
	size_t nnode, capnode;
	uint32_t frame_thread;        /* node; 0: none */
	struct tt_diff_frames *frame[TT_DIFF_SIDES][TT_DIFF_TIMES];  /* single frames: diff_frames.h; NULL: none */
	struct tt_diff_marker *marker;
	size_t nmarker, capmarker;
	const char **thread;
	size_t nthread, capthread;
	const char **class_name;
	size_t nclass, capclass;
	struct tt_diff_site *site;
	size_t nsite, capsite;
	const char *first_sampled;    /* the first of these captures, as it was given */
	size_t nsampled;              /* captures with samples and without calls: time in markers tells nothing of what they ran */
	struct tt_map node_at, marker_at, thread_at, class_at, site_at;      /* in these, by hash */
	struct tt_arena arena;
};

/* An empty comparison. Everything given is borrowed. */
int tt_diff_init(struct tt_diff *d, struct tt_env *env, enum tt_names_form names, struct tt_rename *rename, struct tt_err *err);
void tt_diff_free(struct tt_diff *d);

/**
 * tt_diff_add(d, side, m, err):
 * Fold one capture in. ${m} is the model of a run over it alone, with whole_frames, TT_NEEDS_CALLS and TT_NEEDS_FRAMES.
 * Errors: TT_E_USAGE where one capture has frames and another has none; TT_E_DAMAGED where there are frame marks
 * and no whole frame.
 */
int tt_diff_add(struct tt_diff *d, unsigned side, const struct tt_model *m, struct tt_err *err);

/* After the last capture: work out parts, labels and means. */
int tt_diff_finish(struct tt_diff *d, struct tt_err *err);

/* True for a node with time, but that on the frame thread which is not part of uncapped time where that is compared. */
static inline bool
tt_diff_is_timed(const struct tt_diff_node *n)
{
	return (n->kind == TT_DIFF_ZONE || n->kind == TT_DIFF_REST) && !n->held;
}

/* True for a part of the whole: with frames everything on the frame thread, else everything. */
static inline bool
tt_diff_is_part(const struct tt_diff *d, const struct tt_diff_node *n)
{
	return tt_diff_is_timed(n) && (!d->frames || n->framed);
}

/* If most captures of ${side} have capped frames, the period of the first of these; else 0. */
int64_t tt_diff_cap(const struct tt_diff *d, unsigned side);

enum tt_diff_class tt_diff_class(const struct tt_diff *d, const struct tt_diff_node *n);

/* The category of a node on a side, or on the other where it has none there. */
const char *tt_diff_category(const struct tt_diff *d, const struct tt_diff_node *n, unsigned side);

/**
 * tt_diff_share(piece, n, unit, whole):
 * Set each part to the integer next below or above v / ${unit}, so that they add up to ${whole}, which must be within one
 * of the sum: each is the floor, and those with the largest remainder get one more, the first ones where equal.
 * Leaves ${piece} in another order; i tells them apart.
 */
struct tt_diff_piece { int64_t v, part; uint64_t rest; size_t i; };
void tt_diff_share(struct tt_diff_piece *piece, size_t n, uint64_t unit, int64_t whole);

/* ${v} / ${unit} to the nearest, halves up; 0 where unit is 0. */
int64_t tt_diff_per(int64_t v, uint64_t unit);

#endif

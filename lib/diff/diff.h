/**
 * Two groups of captures compared: side A is before, side B is after.
 *
 * Each capture is read by a run of its own and merged into one tree of both sides, aligned by thread (without numbers at the end of its name), path of marker
 * names, and category name. Memory: that tree and one capture's model, whatever the number of captures.
 *
 * The "whole" is what is compared. With frames it is the mean time of a whole frame, or its uncapped time if frames are capped. Without frames, on both sides,
 * it is the mean time per capture in markers of all threads. Parts are self times of paths: with frames those on the frame thread, cut at frame borders, and
 * the time that no marker accounts for. The parts of a side are integers in ns that add up to its whole, so that differences add up to the difference of the
 * wholes. Definitions: tracetool-diff(1).
 *
 * Errors: TT_E_NOMEM, TT_E_LIMIT; TT_E_USAGE where stated. One thread at a time.
 */
#ifndef TT_DIFF_DIFF_H
#define TT_DIFF_DIFF_H

#include "base/map.h"
#include "diff/rename.h"
#include "model/model.h"
#include "model/waits.h"

enum { TT_DIFF_A, TT_DIFF_B, TT_DIFF_SIDES };

/* The figures of one node on one side. */
struct tt_diff_sum {
	uint64_t n;                   /* number of activations */
	int64_t self;                 /* self time in all captures of the side, ns */
	int64_t part;                 /* ns per frame or capture: set by tt_diff_finish() */
};

enum tt_diff_kind {
	TT_DIFF_ROOT,
	TT_DIFF_FRAME_THREAD,
	TT_DIFF_THREAD,
	TT_DIFF_ZONE,
	TT_DIFF_REST,                 /* time on the frame thread outside any marker */
};

struct tt_diff_node {
	uint32_t parent;              /* index of the parent, smaller than the node's own; the root is 0 */
	uint32_t name;                /* index in marker[] for zones, in thread[] for threads */
	enum tt_diff_kind kind;
	bool is_in_frames;            /* true: inside frames, on the frame thread */
	/*
	 * Set by tt_diff_finish() if uncapped time is compared. is_limit_wait: not part of uncapped time; is_present_wait: a wait until a frame is presented,
	 * of which only the late part counts.
	 */
	bool is_limit_wait, is_present_wait;
	struct tt_diff_sum side[TT_DIFF_SIDES];
	int64_t b_calls_at_a_ns;      /* time of B's calls at A's time per call; set by tt_diff_finish() */
};

enum tt_diff_class { TT_DIFF_WORK, TT_DIFF_GC, TT_DIFF_WAIT, TT_DIFF_UNACCOUNTED, TT_DIFF_CLASSES };

/* A marker that occurs on either side. */
struct tt_diff_marker {
	const char *aligned_name;     /* the name by which the markers of both sides are aligned, after --rename */
	const char *label;            /* the text to show; unique after tt_diff_finish() */
	const char *category[TT_DIFF_SIDES];  /* category on each side; NULL: the marker is not on this side */
	enum tt_diff_class class;
	bool is_editor;               /* true: it belongs to the Editor */
	enum tt_wait_kind wait;       /* kind of wait; TT_WAIT_NOT: the marker is no wait */
};

/* Allocations of one class at one site. */
struct tt_diff_site {
	uint32_t marker;              /* index of the marker; TT_DIFF_NONE: outside any marker */
	uint32_t class;               /* index in class_name[] */
	struct { uint64_t n; int64_t bytes, part; } side[TT_DIFF_SIDES];      /* part: bytes per frame or capture */
};
#define TT_DIFF_NONE UINT32_MAX

/* The kinds of frame times. */
enum tt_diff_time { TT_DIFF_WALL, TT_DIFF_UNCAPPED, TT_DIFF_TIMES };

struct tt_diff_capture {
	const char *path;
	const char *session;          /* its fact "session"; "": none */
	uint64_t nframes;
	struct { int64_t total, mean, median; } time[TT_DIFF_TIMES];  /* of frames; without frames wall is the time in markers */
	int64_t cap_ns;               /* period at which frames are capped, ns; 0: no cap */
	int64_t editor_percent;       /* tt_frames_editor_percent() */
	const char *layout_note;      /* tt_layout_note(): a caveat if no layout fits; NULL: one does */
	bool wall_is_limit;           /* true: wall time is merely the frame limit less the Editor's time */
};

struct tt_diff_side {
	struct tt_diff_capture *capture;
	size_t n, cap;
	uint64_t nunits;              /* number of frames; without frames, of captures */
	int64_t total_ns;             /* total time of the frames, or in markers, ns */
	int64_t mean_ns;              /* mean time per unit, ns, rounded to the nearest */
	int64_t wall_ns;              /* mean wall time per unit, if uncapped time is compared */
	size_t ncapped;               /* number of captures with capped frames */
	int64_t alloc_b;              /* bytes allocated per unit, rounded to the nearest */
};

struct tt_diff {
	struct tt_env *env;
	struct tt_rename *rename;     /* borrowed; NULL: no renames */
	enum tt_names_form names;
	bool has_frames;              /* true: both sides have frames; known after the first capture */
	enum tt_diff_time compared_time; /* the kind of time that is compared; set by tt_diff_finish() */
	struct tt_diff_side side[TT_DIFF_SIDES];
	struct tt_diff_node *node;
	size_t nnode, capnode;
	uint32_t frame_thread;        /* index of the frame thread's node; 0: none */
	struct tt_diff_frames *frame[TT_DIFF_SIDES][TT_DIFF_TIMES];  /* figures of single frames: diff_frames.h; NULL: none */
	struct tt_diff_marker *marker;
	size_t nmarker, capmarker;
	const char **thread;
	size_t nthread, capthread;
	const char **class_name;
	size_t nclass, capclass;
	struct tt_diff_site *site;
	size_t nsite, capsite;
	const char *first_sampled;    /* path of the first of these captures, as given */
	size_t nsampled;              /* number of captures with samples but no calls, whose time in markers says nothing about what they ran */
	struct tt_map node_at, marker_at, thread_at, class_at, site_at;      /* find indices in the lists above by hash */
	struct tt_arena arena;
};

/* Begin an empty comparison. All arguments are borrowed. */
int tt_diff_init(struct tt_diff *d, struct tt_env *env, enum tt_names_form names, struct tt_rename *rename, struct tt_err *err);
void tt_diff_free(struct tt_diff *d);

/**
 * tt_diff_add(d, side, m, err):
 * Merge a capture into the comparison. ${m} is the model of a run over that capture alone, with whole_frames, TT_NEEDS_CALLS and TT_NEEDS_FRAMES.
 * TT_E_USAGE if only some of the captures have frames; TT_E_DAMAGED if there are frame marks but no whole frame.
 */
int tt_diff_add(struct tt_diff *d, unsigned side, const struct tt_model *m, struct tt_err *err);

/* Compute parts, labels and means, after the last capture. */
int tt_diff_finish(struct tt_diff *d, struct tt_err *err);

/* True for a node with time of its own, unless it is no part of uncapped time. */
static inline bool
tt_diff_is_timed(const struct tt_diff_node *n)
{
	return (n->kind == TT_DIFF_ZONE || n->kind == TT_DIFF_REST) && !n->is_limit_wait;
}

/* True for a part of the whole: with frames only what is on the frame thread inside frames, else everything. */
static inline bool
tt_diff_is_part(const struct tt_diff *d, const struct tt_diff_node *n)
{
	return tt_diff_is_timed(n) && (!d->has_frames || n->is_in_frames);
}

/* If most captures of ${side} have capped frames, the period of the first of these; else 0. */
int64_t tt_diff_cap_period(const struct tt_diff *d, unsigned side);

enum tt_diff_class tt_diff_class(const struct tt_diff *d, const struct tt_diff_node *n);

/* The category of a node on ${side}; if it does not occur there, on the other side. */
const char *tt_diff_category(const struct tt_diff *d, const struct tt_diff_node *n, unsigned side);

/**
 * tt_diff_share(piece, n, unit, whole):
 * Round each v / ${unit} up or down to an integer part, so that the parts add up to ${whole}. Each is rounded down; then the parts with the largest remainders,
 * and among equal ones the first, get one more until the sum is reached. Reorders ${piece}; i identifies the pieces.
 */
struct tt_diff_piece { int64_t v, part; uint64_t remainder; size_t id; };
void tt_diff_share(struct tt_diff_piece *piece, size_t n, uint64_t unit, int64_t whole);

/* ${v} / ${unit}, rounded to the nearest integer (halves up); 0 if ${unit} is 0. */
int64_t tt_diff_per_unit(int64_t v, uint64_t unit);

#endif

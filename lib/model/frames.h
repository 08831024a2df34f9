/**
 * Frames: the table of frame boundaries, made by a prepass, and what falls into each.
 *
 * A frame runs from one begin of the frame marker (or frame mark) to the next on the frame thread. The
 * time before the first begin and the frame still open at the end are partial: left out and counted.
 */
#ifndef TT_MODEL_FRAMES_H
#define TT_MODEL_FRAMES_H

#include <stdbool.h>

#include "model/event.h"
#include "stat/tally.h"

enum { TT_HITCH_TOP = 8 };            /* markers of a worst frame */

/* Per frame, arrays of n. */
struct tt_frames {
	struct tt_mem *mem;
	struct tt_frame_name { const char *full; uint64_t key, begins; uint32_t process; } *name;     /* markers that begin them */
	size_t nname;                 /* 0: marks of the capture */
	struct tt_frame_range { uint32_t process; size_t first, end; } *of;   /* the frames of each process that has some */
	size_t nof;
	size_t n, cap;
	int64_t *start;               /* ts of the begin */
	int64_t *dur;
	uint64_t *number;             /* place in its process, from 1 */
	uint32_t *given;              /* the engine's own number of it, where has_given */
	uint32_t *thread;             /* thread index */
	uint64_t *alloc_b;            /* of all threads of the process that the filter wants, by time */
	uint64_t *alloc_n;
	int64_t *wait_ns;             /* waits on the frame thread; meaningful where has_wait */
	int64_t *outside_ns;          /* time of the frame thread with no call open, in which its work is unknown */
	int64_t *editor_ns;           /* of the frame thread in the Editor's zones */
	int64_t *editor_wait_ns;      /* the part of it that is in wait_ns, too */
	int64_t *limit_ns;            /* the part of wait_ns in which it waited for the frame limit */
	int64_t *other_wait_ns;       /* the part of it in which it waited for anything else, outside the Editor's zones */
	bool has_given;
	bool has_wait;                /* a wait marker or contention record was seen */
	bool has_editor;              /* a zone of the Editor's was seen */
	bool limit_set;               /* most of limit_ns is in a marker that waits for a limit and nothing else */
	bool player_only;             /* the Editor's time is not part of any frame */
	int64_t *timing[TT_TIMINGS];  /* what the engine measured of the frame, ns; 0: no value */
	bool has_timing;
	int64_t *render_ns;           /* how long the render thread worked, by its zones; NULL: not requested */
	bool has_render;              /* that, or the engine's measure of it, is known of one frame at least */
	uint32_t *looked;             /* of each frame: how many before it are looked at closely, with TT_NEEDS_CAUSES; one more than frames. NULL: all */
	bool *recorded;               /* by a record of the engine's, which has all parts; else by counters, which lack some */
	uint64_t partial;             /* frames left out because they are not whole */

	/* per marker (dense number), over frames of its frame thread */
	struct tt_frame_marker {
		uint64_t present;     /* frames in which it runs */
		int64_t total, total_max;     /* ns per frame, outermost activations, clipped */
		int64_t self, self_max;
		int64_t idle;         /* the part of self that is not CPU-active time: in a wait, or the Editor's */
		uint64_t calls, calls_max;    /* begins; the most in a frame */
	} *marker_stat;
	size_t nmarker_stat;

	/* self time per category and frame, filled with the marker rows */
	struct tt_frame_category {
		int64_t self;         /* of all frames */
		struct tt_times in;   /* of the frames in which it has some */
		uint32_t hist;        /* its number in category_hist */
	} *category_stat;             /* index: category number of model.h */
	size_t ncategory_stat;
	struct tt_tally category_hist;        /* of ${in} */

	/* the worst frames, largest first; rows of their top markers by self time */
	struct tt_hitches {
		struct tt_hitch {
			size_t frame;
			int64_t by;   /* the time they are worst by */
			struct tt_hitch_top { uint64_t key; int64_t self; uint64_t calls; } top[16];       /* self: the part in ${by} */
			unsigned ntop;        /* at most TT_HITCH_TOP; more while they are collected, as some may be one marker or equal */
		} *h;
		size_t n, cap;
		size_t least;         /* while they are collected: the place of the least bad one */
	} longest, busiest, latest;   /* by wall time; by CPU-active time, and by uncapped or the render thread's, meaningful where has_wait */
};

/* The wall time of frame ${i}. */
static inline int64_t
tt_frames_wall(const struct tt_frames *f, size_t i)
{
	int64_t wall = f->dur[i] - (f->player_only ? f->editor_ns[i] : 0);

	return wall > 0 ? wall : 0;
}

/* True if a frame in [${from}, ${end}) is looked at closely. */
static inline bool
tt_frames_looked(const struct tt_frames *f, size_t from, size_t end)
{
	return !f->looked || f->looked[end] != f->looked[from];
}

/* Index of the ${i}th of at most TT_FRAMES_SAMPLED frames, evenly spaced over the capture. */
enum { TT_FRAMES_SAMPLED = 128 };
static inline size_t
tt_frames_sample(const struct tt_frames *f, size_t i)
{
	return f->n < TT_FRAMES_SAMPLED ? i : i * f->n / TT_FRAMES_SAMPLED;
}

/* The CPU-active time of frame ${i}, without the Editor's; meaningful where has_wait. */
static inline int64_t
tt_frames_cpu(const struct tt_frames *f, size_t i)
{
	int64_t idle = f->wait_ns[i] + f->outside_ns[i] + f->editor_ns[i] - f->editor_wait_ns[i];

	return idle < f->dur[i] ? f->dur[i] - idle : 0;
}

/* The uncapped time of frame ${i}: without its wait for the frame limit and the Editor's time; meaningful where has_wait. */
static inline int64_t
tt_frames_uncapped(const struct tt_frames *f, size_t i)
{
	return tt_frames_cpu(f, i) + f->outside_ns[i] + f->other_wait_ns[i];
}

/* How long the render thread worked in frame ${i}, as the engine measured it, else by its zones; 0: that is not known. */
static inline int64_t
tt_frames_render(const struct tt_frames *f, size_t i)
{
	const int64_t measured = f->has_timing ? f->timing[TT_TIMING_RENDER][i] : 0;

	return measured ? measured : f->render_ns ? f->render_ns[i] : 0;
}

/* Make ${h} the histogram of the self time per frame of ${category}; frames without it count as 0. */
void tt_frames_category_hist(const struct tt_frames *f, size_t category, struct tt_hist *h);

/*
 * The frames of ${process}: [*${first}, *${end}); false: it has none. And the one of them that holds ${ts}, or SIZE_MAX; *${last} is the
 * one found before, where it is looked for first (SIZE_MAX: none).
 */
bool tt_frames_of(const struct tt_frames *f, uint32_t process, size_t *first, size_t *end);
size_t tt_frames_at(const struct tt_frames *f, uint32_t process, int64_t ts, size_t *last);

/* No whole frame is chosen by ${first} to ${last}; there are ${low} to ${high}, and ${of} is the one that the engine calls ${first}, 0: none. */
int tt_frames_none(uint64_t first, uint64_t last, uint64_t low, uint64_t high, uint64_t of, struct tt_err *err);

/* The frame that holds ${ts} among frames ${from} to ${to} - 1 (of one process), or SIZE_MAX. */
size_t tt_frames_find(const struct tt_frames *f, size_t from, size_t to, int64_t ts);

#endif

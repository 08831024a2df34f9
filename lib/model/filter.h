/**
 * The part of a capture that the user asked to look at. Meaning (tracetool-metrics(7), Filters):
 *
 * - time: zones are clipped to [from, to); an activation, allocation or instant
 *   counts where it begins. --frames A-B is the same with the frames' times.
 * - thread: only threads whose name or number matches.
 * - min_dur, depth, wrappers: a zone left out counts nothing; its time stays self time of
 *   the zone around it, its allocations go to that zone.
 * - no_wait: zones that wait, and everything inside them, count nothing, and zones around them exclude their time;
 *   allocations stay. Durations of single calls keep the waiting inside them.
 * - player_only: leave out the zones of the Editor that the program runs in, with their allocations; these zones are in no frame.
 * - marker, category: choose rows of tables and zones of outputs; they do not
 *   change anything's figures.
 */
#ifndef TT_MODEL_FILTER_H
#define TT_MODEL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/setting.h"

struct tt_err;

struct tt_span { int64_t from, to; };         /* [from, to) */

struct tt_filter {
	int64_t from, to;                     /* INT64_MIN, INT64_MAX: no limit */
	struct tt_span *hole;                 /* spans left out between from and to, in order: some threads were not kept there, or frames are partial */
	size_t nhole;
	bool of_flight;                       /* true: from and to are where a flight recording has all threads, not the user's times */
	bool by_begin;                        /* true, for a part of the time of another filter: zones, events and frames count whole in the part
	                                         in which they begin: tt_filter_begin() */
	bool has_frames;
	uint64_t frame_first, frame_last;     /* inclusive; becomes from and to once the frame table is known */
	bool frames_to_end;                   /* true: the time after the last chosen frame is included */
	bool frames_of_each;                  /* true: choose frames in each capture, the time is from first to last; false: only one capture may have frames */
	const char *from_label, *to_label;    /* facts (tt_facts_find) that begin and end the time; NULL: none. Become from and to */
	const char *const *thread;            /* globs, NULL-terminated, or NULL */
	const char *const *marker;
	const char *const *category;
	int64_t min_dur;                      /* ns; 0 none */
	uint32_t depth;                       /* zones nested deeper are left out; 0 none */
	bool wrappers;                        /* keep the runtime's allocation wrappers */
	const char *const *wait;              /* markers that wait; NULL: tt_wait_markers */
	bool no_wait;                         /* true: leave out markers that wait */
	bool player_only;                     /* leave out the Editor's zones, and everything inside them */
};

void tt_filter_init(struct tt_filter *f);

/* True if only a zone's end tells whether it is shown, and from when. */
static inline bool
tt_filter_tells_late(const struct tt_filter *f)
{
	return f->from != INT64_MIN || f->nhole || f->min_dur;
}

/*
 * The setting that leaves out single zones, on any thread and at any time; TT_SETTING_NONE: none does. The work of markers and categories in each frame is
 * counted over all zones (run/frame_replay.h), so with such a setting it is not known.
 */
static inline enum tt_setting
tt_filter_hides(const struct tt_filter *f)
{
	return f->no_wait ? TT_SETTING_NO_WAIT : f->min_dur ? TT_SETTING_MIN_DURATION : f->depth ? TT_SETTING_DEPTH : TT_SETTING_NONE;
}

/* The first hole that ends after ${ts}; NULL: none does. */
const struct tt_span *tt_filter_hole(const struct tt_filter *f, int64_t ts);

/* True if no time from ${from} to ${to}, both included, lies in the filter's. */
bool tt_filter_misses(const struct tt_filter *f, int64_t from, int64_t to);

/* True if all time from ${from} to ${to}, both included, lies in the filter's. */
bool tt_filter_covers(const struct tt_filter *f, int64_t from, int64_t to);

/* True if ${ts} lies in the filter's time. */
static inline bool
tt_filter_has(const struct tt_filter *f, int64_t ts)
{
	if (ts < f->from || ts >= f->to)
		return false;
	const struct tt_span *hole = f->nhole ? tt_filter_hole(f, ts) : NULL;
	return !hole || ts < hole->from;
}

/*
 * The time at which an event that begins at ${ts} counts as begun for ${f}, which has by_begin and is a part of the time of ${of}: an event from before the
 * time of ${of} begins with that.
 */
static inline int64_t
tt_filter_begin(const struct tt_filter *f, const struct tt_filter *of, int64_t ts)
{
	return f->by_begin && ts < of->from ? of->from : ts;
}

/* Cut *${from} and *${to} to the filter's time. Return how much time that leaves, without holes; -1: nothing. */
int64_t tt_filter_clip(const struct tt_filter *f, int64_t *from, int64_t *to);

/* True if the filter needs the prepass (names or frames) before events can be judged. */
bool tt_filter_needs_text(const struct tt_filter *f);

/**
 * tt_glob(pattern, text):
 * `*` any run, `?` one character, `[a-z]` a set, `\` quotes; the whole text must match. A pattern
 * without any of these also matches anywhere inside ${text}.
 * Never takes more than O(pattern * text).
 *
 * A pattern that begins with "re:" is an extended regular expression (POSIX), found anywhere in ${text};
 * one that is wrong matches nothing: see tt_pattern_check().
 */
bool tt_glob(const char *pattern, const char *text);

/* True if ${pattern} is plain text, found anywhere. */
bool tt_pattern_is_plain(const char *pattern);

/* TT_E_USAGE where ${pattern} is a wrong regular expression. */
int tt_pattern_check(const char *pattern, struct tt_err *err);

/* The pairs of neighbouring bytes in a text, hashed to 256 bits: a quick test that most patterns fail. */
struct tt_pairs { uint64_t bit[4]; };
void tt_pairs_of(const char *text, struct tt_pairs *has);

static inline unsigned
tt_bit_of_pair(char a, char b)
{
	return ((uint32_t)(unsigned char)a << 8 | (unsigned char)b) * UINT32_C(0x9e3779b1) >> 24;
}

static inline bool
tt_has_pair(const struct tt_pairs *has, char a, char b)
{
	const unsigned at = tt_bit_of_pair(a, b);

	return has->bit[at >> 6] >> (at & 63) & 1;
}

/* False if no text with the pairs ${has} can match ${pattern}, by the literal characters that ${pattern} begins with. */
bool tt_may_match(const char *pattern, const struct tt_pairs *has);

/* True if ${text} matches any of ${list}, or that is NULL. */
bool tt_glob_any(const char *const *list, const char *text);

#endif

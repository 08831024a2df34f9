/**
 * Says at which rate the player saw frames, in words and as a table: frame rate, refreshes, late frames, limits, and the time that frames needed.
 *
 * Definitions: tracetool-metrics(7), Frames: shown, late, needed. Texts are kept in the report.
 */
#ifndef TT_PASS_SHOWN_H
#define TT_PASS_SHOWN_H

#include "pass/pass.h"

/* The reason if the capture does not tell whether frames were in time for a limit (tt_frames_count_undecidable()). */
#define TT_UNTOLD_TEXT "too few frames to tell a limit"

/* Number of frames that took one, two, three, or four and more periods of their limits; number of late frames; ns of all frames. */
enum { TT_TOOK = 4 };
struct tt_shown_tally { uint64_t took[TT_TOOK], late; int64_t ns; };

struct tt_shown_tally tt_shown_tally(const struct tt_frames *f, size_t first, size_t end);

/* Columns of a tally, in tables of whole captures: initializers for the ids ${one} to ${one} + 3. */
#define TT_TOOK_COLS(one) \
	[(one)] = { "one", "took one", TT_UNIT_COUNT, "Frames that took one refresh, or one period of a timer; empty where no limit shows." }, \
	[(one) + 1] = { "two", "took two", TT_UNIT_COUNT, "Frames that took two." }, \
	[(one) + 2] = { "three", "took three", TT_UNIT_COUNT, "Frames that took three." }, \
	[(one) + 3] = { "more", "took more", TT_UNIT_COUNT, "Frames that took four and more." }

enum { TT_SHOWN_COLUMNS = 16 };
extern const struct tt_col tt_shown_col[TT_SHOWN_COLUMNS];

/* Make a row for each segment of frames. */
void tt_shown_table(struct tt_making *k, struct tt_table *t);

/* Say the limits: "frames are capped at 60 fps (16.7 ms)", or "60 fps to frame 120, 30 fps from 121 on"; "" if no limit shows; or TT_UNTOLD_TEXT. */
const char *tt_shown_limits(const struct tt_model *m, struct tt_report *r);

/* Summarize the frames: "39.8 fps: of 239 frames 119 took one refresh, 120 two; 120 late, 50.2 %"; without a limit "58.3 fps". */
const char *tt_shown_text(struct tt_views *view, struct tt_report *r);

/*
 * Return the doubt about the limit: "" if the limit is sure, or no limit shows; ", if a limit holds them" if it may be the GPU or work, in which case all
 * frames are late.
 */
const char *tt_shown_late_doubt(const struct tt_model *m);

/*
 * Say the time needed: "main thread median 10.11 ms, p99 10.21 ms, longest 10.21 ms; render thread ...; GPU ...", as far as known; NULL: unknown, or no limit
 * shows.
 */
const char *tt_shown_needed(struct tt_views *view, struct tt_report *r);

/* Say why frames are over a budget of ${limit} ns, if a limit or a GPU makes them so: "a limit of 30 fps, or a GPU that is too slow". NULL: neither does. */
const char *tt_shown_doubt(const struct tt_model *m, int64_t limit, struct tt_report *r);

/*
 * Return the verdict if no frame was shown for longer than ${limit} ns: "held by all frames", perhaps with ", if a limit holds them"
 * (tt_frames_count_doubtful()).
 */
const char *tt_shown_held(const struct tt_model *m, int64_t limit);

/*
 * Return the sentence if the capture does not tell how many frames were shown for longer than ${limit} ns: "no verdict: too few frames to tell a limit", or
 * if some frames surely were, "missed by at least 2 of 8 frames: too few frames to tell a limit". NULL: the capture tells, or an error.
 */
const char *tt_shown_untold(struct tt_views *view, int64_t limit, struct tt_report *r);

#endif

/**
 * Says what the player saw of frames, in words and as a table: shown frame rate, refreshes, late frames, limits; and how much time frames needed.
 *
 * Definitions: tracetool-metrics(7), Frames: shown, late, needed. Texts are kept in the report.
 */
#ifndef TT_PASS_SHOWN_H
#define TT_PASS_SHOWN_H

#include "pass/pass.h"

/* The reason if frames may have been in time for a limit, for all that the capture tells (tt_frames_untold()). */
#define TT_UNTOLD_TEXT "too few frames to tell a limit"

/* How many frames took one, two, three, four periods of their limits and more; and how many are late, and how long all last. */
enum { TT_TOOK = 4 };
struct tt_shown_tally { uint64_t took[TT_TOOK], late; int64_t ns; };

struct tt_shown_tally tt_shown_tally(const struct tt_frames *f, size_t first, size_t end);

/* The columns of that, in tables of whole captures: as initializers for the ids ${one} to ${one} + 3. */
#define TT_TOOK_COLS(one) \
	[(one)] = { "one", "took one", TT_UNIT_COUNT, "Frames that took one refresh, or one period of a timer; empty where no limit shows." }, \
	[(one) + 1] = { "two", "took two", TT_UNIT_COUNT, "Frames that took two." }, \
	[(one) + 2] = { "three", "took three", TT_UNIT_COUNT, "Frames that took three." }, \
	[(one) + 3] = { "more", "took more", TT_UNIT_COUNT, "Frames that took four and more." }

enum { TT_SHOWN_COLUMNS = 16 };
extern const struct tt_col tt_shown_col[TT_SHOWN_COLUMNS];

/* A row for each segment of frames. */
void tt_shown_table(struct tt_making *k, struct tt_table *t);

/* "frames are capped at 60 fps (16.7 ms)", or of several limits "60 fps to frame 120, 30 fps from 121 on"; "": no limit shows; TT_UNTOLD_TEXT. */
const char *tt_shown_limits(const struct tt_model *m, struct tt_report *r);

/* "39.8 fps: of 239 frames 119 took one refresh, 120 two; 120 late, 50.2 %"; without a limit "58.3 fps". */
const char *tt_shown_text(struct tt_views *view, struct tt_report *r);

/* "": frames have a limit, or none shows; ", if a limit holds them": it may be the GPU, or work, for which all are late. */
const char *tt_shown_late_doubt(const struct tt_model *m);

/* "main thread median 10.11 ms, p99 10.21 ms, longest 10.21 ms; render thread ...; GPU ...", of what is known; NULL: nothing, or no limit shows. */
const char *tt_shown_needed(struct tt_views *view, struct tt_report *r);

/*
 * The reason if frames are over a budget of ${limit} ns as a limit or a GPU makes them: "a limit of 30 fps, or a GPU that is too slow"; NULL: that is not so.
 */
const char *tt_shown_doubt(const struct tt_model *m, int64_t limit, struct tt_report *r);

/* The verdict where no frame was shown for longer than ${limit} ns: "held by all frames", or with ", if a limit holds them" (tt_frames_doubted()). */
const char *tt_shown_held(const struct tt_model *m, int64_t limit);

/*
 * The sentence if the capture does not tell how many frames were shown for longer than ${limit} ns: "no verdict: too few frames to tell a limit", or if some
 * surely were "missed by at least 2 of 8 frames: too few frames to tell a limit"; NULL: it tells, or on an error.
 */
const char *tt_shown_untold(struct tt_views *view, int64_t limit, struct tt_report *r);

#endif

/**
 * The tables of the summary in their order, and how they become short enough for a screen; private to lib/summary.
 */
#ifndef TT_SUMMARY_SCREEN_H
#define TT_SUMMARY_SCREEN_H

#include "out/table.h"

struct tt_pass_table;

enum { T_SUMMARY, T_WORST, T_CAUSES, T_OVERVIEW, T_ALLOCS, T_MARKERS, T_SAMPLES, T_NEXT, T_N };
extern const struct tt_pass_table *const tt_summary_part[T_N];

/* Columns of T_SUMMARY and of T_CAUSES. */
enum { S_FILE, S_WHAT, S_RECORDED, S_SHOWN, S_WHOLE, S_FRAMES, S_SEEN, S_60, S_30, S_NEEDED, S_N };
enum { C_FRAMES, C_CLASS, C_WHY, C_N };

struct tt_summary_screen {
	struct tt_report *r;
	struct tt_note *more;         /* the line with the number of omitted notices and losses; NULL: none */
	size_t left_out;
	size_t step;                  /* number of steps of gives_way taken so far */
};

/* The table ${which} of ${r}; NULL: not there. */
struct tt_table *tt_summary_find(const struct tt_report *r, int which);

/* If the report is text and exceeds a screen, leave out the next part and return true. Return false if it fits, or nothing more can be left out. */
bool tt_summary_shorten(struct tt_summary_screen *s, const struct tt_render_opts *o);

#endif

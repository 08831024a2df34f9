/**
 * The model as tables, gates, comparisons and emitters read it. Data that several of them need (the rows of the call tree, the times of frames and of threads)
 * is computed on first use, once, and kept until the view is freed.
 *
 * A view knows no table and no metric. Only one thread may use it at a time.
 */
#ifndef TT_VIEW_VIEW_H
#define TT_VIEW_VIEW_H

#include "view/figures.h"
#include "view/paths.h"

struct tt_views {
	const struct tt_model *m;
	struct tt_paths paths[TT_GROUPS];
	struct tt_values frame[TT_FRAME_VALUES];
	struct tt_zone_time *zone_time;
	struct tt_arena text;         /* for names that live as long as the view */
};

void tt_view_init(struct tt_views *v, const struct tt_model *m);
void tt_view_free(struct tt_views *v);

/* The parts of tt_paths to compute beside its rows: see paths.h. */
enum tt_paths_want { TT_PATHS_ROWS, TT_PATHS_LINK = 1, TT_PATHS_SITES = 2, TT_PATHS_JOIN = 4, TT_PATHS_WAITS = 8 };

/* The call tree with rows by ${group}, and the parts ${want} computed. NULL: ${err}. */
const struct tt_paths *tt_view_paths(struct tt_views *v, enum tt_group group, unsigned want, struct tt_err *err);

/* The values ${what} (enum tt_frame_value) of frames; empty if there are no frames or no such values. NULL: ${err}. */
const struct tt_values *tt_view_frames(struct tt_views *v, unsigned what, struct tt_err *err);

/* How each thread spends its time, by index. NULL: ${err}. */
const struct tt_zone_time *tt_view_zone_time(struct tt_views *v, struct tt_err *err);

#endif

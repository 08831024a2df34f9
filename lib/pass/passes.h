/**
 * The passes by name, for the registry and for tests; private to lib/pass.
 */
#ifndef TT_PASS_PASSES_H
#define TT_PASS_PASSES_H

#include "pass/pass.h"
#include "view/paths.h"

struct tt_counter_stat;
struct tt_spread;
struct tt_stream;
union tt_counter_value;

extern const struct tt_pass tt_pass_frames, tt_pass_gcalloc, tt_pass_categories, tt_pass_markers, tt_pass_calltree,
    tt_pass_threads, tt_pass_coverage, tt_pass_counters, tt_pass_loss,
    tt_pass_contention, tt_pass_exceptions, tt_pass_samples, tt_pass_jit, tt_pass_heapshot, tt_pass_heapgraph, tt_pass_handles,
    tt_pass_objects, tt_pass_timeline, tt_pass_finalizers, tt_pass_metadata, tt_pass_by_frame, tt_pass_causes, tt_pass_compare_frames,
    tt_pass_info;

/*
 * Begin a row of ${t} with the path to ${node} (or ${text}, unless it is NULL) and the thread of the path; without the thread if rows are grouped by
 * something else.
 */
struct tt_cell *tt_begin_path_row(struct tt_table *t, const struct tt_paths *p, uint32_t node, const char *text);

/* The name of the site ${row}. */
static inline const char *
tt_site_name(const struct tt_paths *p, uint32_t row)
{
	return row == TT_NO_ROW ? TT_OUTSIDE : p->row[row].label;
}

/* Allocate ${n} zeroed bytes that live until the table is made or, for open(), until the pass ends; NULL after any error of the report. */
void *tt_pass_alloc(struct tt_making *k, size_t n);

/**
 * tt_for_each_group(v, n, size, compare, fill, k, t):
 * Sort the ${n} elements of ${size} bytes at ${v} by ${compare}, and call ${fill} with each range of equal elements: it makes the row, or rows, of a group.
 */
typedef int tt_compare_fn(const void *a, const void *b);
typedef void tt_group_fn(struct tt_making *k, struct tt_table *t, const void *v, size_t n);
void tt_for_each_group(void *v, size_t n, size_t size, tt_compare_fn *compare, tt_group_fn *fill, struct tt_making *k,
    struct tt_table *t);

/* Put six cells: ${n} and, unless ${n} is 0, total, shortest, mean, 95th percentile and longest of ${s}. */
void tt_cell_times(struct tt_cell *c, uint64_t n, const struct tt_spread *s);

/* A counter: put a value in its unit; the name of the unit; the name of the counter; true if the filters want it. */
void tt_cell_counter(struct tt_report *r, struct tt_cell *c, const struct tt_counter_stat *of, union tt_counter_value v);
const char *tt_counter_unit_name(const struct tt_counter_stat *c);
const char *tt_counter_name(struct tt_report *r, const struct tt_counter_stat *c);
bool tt_counter_wanted(const struct tt_model *m, const struct tt_counter_stat *c);

/**
 * tt_table_wide(k, t, pt, long_rows):
 * Make ${t} the wide form of ${pt}: a row per frame, and a column for each value of the column pt->wide of ${long_rows}, which are rows of
 * ${pt} in order of frames. A cell is the sum of the column k->o->wide. The columns with the largest sums are made; t->note says how many were
 * left out.
 */
void tt_table_wide(struct tt_making *k, struct tt_table *t, const struct tt_pass_table *pt, struct tt_stream *long_rows);

/* Put ${part} / ${all} in 1/100 percent; leave the cell empty if ${all} is 0. */
void tt_put_share(struct tt_cell *c, int64_t part, int64_t all);

/* layout.c: three tables of the pass "info", for captures whose layout depends on the version of their producer. */
enum { TT_LAYOUT_COLUMNS = 18, TT_LOGS_COLUMNS = 17, TT_UNKNOWN_COLUMNS = 6 };
extern const struct tt_col tt_layout_col[TT_LAYOUT_COLUMNS], tt_logs_col[TT_LOGS_COLUMNS], tt_unknown_col[TT_UNKNOWN_COLUMNS];

bool tt_layout_has(const struct tt_making *k);
void tt_layout_make(struct tt_making *k, struct tt_table *t);
bool tt_logs_has(const struct tt_making *k);
void tt_logs_make(struct tt_making *k, struct tt_table *t);
bool tt_unknown_has(const struct tt_making *k);
void tt_unknown_make(struct tt_making *k, struct tt_table *t);

#endif

/**
 * Exact integer arithmetic for statistics: no figure passes through a double, so
 * compiler, libm and locale cannot change a digit.
 */
#ifndef TT_STAT_NUM_H
#define TT_STAT_NUM_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 tt_u128;
__extension__ typedef __int128 tt_i128;

/* The largest integer whose square is at most ${v}. */
uint64_t tt_isqrt(tt_u128 v);

/* ${a} * ${b} / ${c}, rounded to the nearest integer (halves up); 0 if ${c} is 0, INT64_MAX on overflow. */
int64_t tt_ratio(uint64_t a, uint64_t b, uint64_t c);

/* The rank (1..n) of the nearest-rank quantile ${num}/${den} of ${n} > 0 values. */
uint64_t tt_nearest_rank(uint64_t n, uint64_t num, uint64_t den);

/* Sort ${n} values ascending, in place. */
void tt_sort_i64(int64_t *v, size_t n);

/* The value at index ${at} < ${n} of the values in sorted order, in linear time; reorders ${v}. */
int64_t tt_select_i64(int64_t *v, size_t n, size_t at);

/* The nearest-rank quantile of ${n} sorted values; 0 if there are none. */
int64_t tt_quantile_i64(const int64_t *sorted, size_t n, uint64_t num, uint64_t den);

/* Like tt_quantile_i64(), for unsorted values, which are reordered. */
int64_t tt_quantile_of_i64(int64_t *v, size_t n, uint64_t num, uint64_t den);

/* The mean of ${n} > 0 values, to the nearest integer, halves away from zero. */
int64_t tt_mean_i64(const int64_t *v, size_t n);

/* The mean of sorted values without the smallest and the largest 5 %, rounded down to whole values. */
int64_t tt_trimmed_i64(const int64_t *sorted, size_t n);

/* The trimmed mean in two steps: the sum of the values kept; and, without the values, the mean of ${n} values with that sum, times ${scale}. */
tt_i128 tt_trimmed_sum_i64(const int64_t *sorted, size_t n);
int64_t tt_trimmed_mean(tt_i128 sum, size_t n, unsigned scale);

/* The standard deviation of ${n} values (population), rounded to the nearest integer; 0 if there are none. */
int64_t tt_stddev_i64(const int64_t *v, size_t n);

#endif

/**
 * Counters: figures of each counter's values, and the values themselves with TT_NEEDS_POINTS.
 *
 * Always collected; read by the passes "counters" and "jit" and the gate.
 */
#ifndef TT_COLLECT_COUNTERS_H
#define TT_COLLECT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/collected.h"

struct tt_capture;
struct tt_def;
struct tt_event;

/*
 * One counter of one process. If its number is reused for another counter, that is a new one. Integers are exact:
 * signed, or modulo 2^64 if the type is unsigned. First and last are by time, at equal times by file order: threads that record
 * values of one counter have them in their own chunks, in any order.
 */
struct tt_counter_stat {
	uint32_t process;
	uint64_t id;
	const struct tt_def *def;     /* the counter's definition; NULL: the capture does not define it */
	uint64_t n;                   /* values in the filter's time */
	int64_t first_ts, last_ts;
	uint8_t type;                 /* enum tt_type of its values: TT_T_I64, TT_T_U64, TT_T_F64, or TT_T_TEXT */
	uint8_t type_was;             /* while collecting: the type of its values among the first ${npoint_was} points */
	size_t npoint_was;
	union tt_counter_value { int64_t i; uint64_t u; double d; } first, last;
	union tt_counter_value min, max;      /* of the values that count: tt_counter_extend() */
	double sum, sum_scaled;       /* of the values that count, over all samplings, with those that left it out as unchanged: tt_counter_mean() */
	uint64_t nsum;
	uint64_t tick;                /* number of the last sampling in sum */
	bool custom;
	uint64_t bits;                /* the last value, also outside the filter's time, to which the next delta is added */
	char *text;                   /* last value of a text counter */
	size_t captext;
};

/* A value of a counter; kept with TT_NEEDS_POINTS. ${place}: its number in the file. */
struct tt_counter_point { int64_t ts; uint32_t counter, place; union tt_counter_value v; };

struct tt_counters {
	struct tt_counter_stat *counter;
	size_t n, cap;
	uint64_t dropped;             /* values of counters beyond the first 65,536 */
	struct tt_counter_point *point;       /* at most 4 million; sorted by process and time if some counter's values are out of order in the file */
	size_t npoint, cappoint;
	uint64_t point_dropped;
};

/* The definition of the counter of ${e}, a TT_COUNTER of ${cap}, at its time; NULL: the capture has none. */
const struct tt_def *tt_counter_def(const struct tt_capture *cap, const struct tt_event *e);

/* True if ${v} is neither NaN nor infinite; true if ${a} is less than ${b}. */
bool tt_counter_is_number(uint8_t type, union tt_counter_value v);
bool tt_counter_less(uint8_t type, union tt_counter_value a, union tt_counter_value b);

/*
 * Rank two values for a counter's range and mean: a number ranks above an infinity, an infinity above NaN. Negative: ${a} ranks lower and does
 * not count beside ${b}; 0: both count.
 */
int tt_counter_rank(uint8_t type, union tt_counter_value a, union tt_counter_value b);

/* The type that holds both the values of type ${a} from ${amin} to ${amax}, and those of ${b}. Doubles hold any, rounded. */
uint8_t tt_counter_common(uint8_t a, union tt_counter_value amin, union tt_counter_value amax, uint8_t b, union tt_counter_value bmin,
    union tt_counter_value bmax);
/* The value ${v}, of ${type}, in the type ${as}, which holds it. */
union tt_counter_value tt_counter_as(uint8_t type, uint8_t as, union tt_counter_value v);

/*
 * Extend the range *${min} to *${max}, of at least one value, by the range ${low} to ${high}. If one range ranks lower (tt_counter_rank()), it
 * is ignored.
 */
void tt_counter_extend(uint8_t type, union tt_counter_value *min, union tt_counter_value *max, union tt_counter_value low,
    union tt_counter_value high);

/* The mean over all samplings of the values that count. Finite values have a finite mean, also near the largest double. */
double tt_counter_mean(const struct tt_counter_stat *c);

TT_COLLECTED_AS(tt_counters, TT_COLLECTS_COUNTERS);

#endif

/**
 * Describes a counter by its definition: name, section, unit, and its values in that unit. Tables, budgets, pages and emitters all take it from here, so that
 * they say the same. Definitions: tracetool-metrics(7), Counters.
 *
 * The definition may be NULL everywhere: the capture does not describe the counter. Texts are borrowed from the definition.
 */
#ifndef TT_VIEW_COUNTER_H
#define TT_VIEW_COUNTER_H

#include "model/event.h"

struct tt_filter;

/* The meaning of a counter's values once they are multiplied by ${num}: ns, bytes, percent, Hz or a number. */
enum tt_quantity { TT_OF_NUMBER, TT_OF_TIME, TT_OF_BYTES, TT_OF_PERCENT, TT_OF_HZ };
struct tt_counter_base { enum tt_quantity of; int64_t num; const char *name; };

/* That of a counter; the unit has a question mark after it if it was guessed from the counter's name. */
struct tt_counter_base tt_counter_base(const struct tt_def *d);

/* Its name; of one without, "(unknown counter 7)" by its number ${id}, in ${room}. */
#define TT_COUNTER_NAME 48
const char *tt_counter_called(const struct tt_def *d, uint64_t id, char room[TT_COUNTER_NAME]);

/* The part of the runtime, or the producer's category; "": none. */
const char *tt_counter_section(const struct tt_def *d);

/* True if the filters choose it: by its name as they do a marker, by its section as they do a category. */
bool tt_counter_chosen(const struct tt_filter *f, const struct tt_def *d, uint64_t id);

/* ${v} times ${n}, as people would write it: 0.58 in percent is 58, though the product of the doubles is a little less. */
double tt_counter_times(double v, double n);

/**
 * tt_counter_scale(d, type, bits):
 * Turn the value ${*bits} of ${*type}, a number, into one of the base. Whole numbers stay exact; one that does not fit any more becomes
 * a TT_T_F64.
 */
void tt_counter_scale(const struct tt_def *d, enum tt_type *type, uint64_t *bits);

#endif

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

/* The unit of a counter's values after multiplication by ${num}: ns, bytes, percent, Hz or a plain number. */
enum tt_quantity { TT_OF_NUMBER, TT_OF_TIME, TT_OF_BYTES, TT_OF_PERCENT, TT_OF_HZ };
struct tt_counter_base { enum tt_quantity of; int64_t num; const char *name; };

/* The base of the counter ${d}; its name ends with a question mark if the unit was guessed from the counter's name. */
struct tt_counter_base tt_counter_base(const struct tt_def *d);

/* The name of the counter ${d}; for a counter without a name "(unknown counter 7)", made in ${room} from its number ${id}. */
#define TT_COUNTER_NAME 48
const char *tt_counter_called(const struct tt_def *d, uint64_t id, char room[TT_COUNTER_NAME]);

/* The section of the counter ${d}: the part of the runtime, or the producer's category; "": no section. */
const char *tt_counter_section(const struct tt_def *d);

/* True if the filters choose the counter: --marker is matched with its name, --category with its section. */
bool tt_counter_chosen(const struct tt_filter *f, const struct tt_def *d, uint64_t id);

/* ${v} times ${n}, rounded as people would write it: 0.58 as percent is 58, although the product of the doubles is a little less. */
double tt_counter_times(double v, double n);

/**
 * tt_counter_scale(d, type, bits):
 * Convert the number *${bits} of type *${type} to the counter's base unit. Whole numbers stay exact; a product that overflows becomes a TT_T_F64.
 */
void tt_counter_scale(const struct tt_def *d, enum tt_type *type, uint64_t *bits);

#endif

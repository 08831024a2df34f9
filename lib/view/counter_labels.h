/**
 * Labels of counters: names with what tells those apart that have one name.
 *
 * For outputs whose readers join by name alone. Counters with equal name, section and unit are one counter across captures and have one label; of several
 * in one capture, the second there has " (2)" behind it.
 */
#ifndef TT_VIEW_COUNTER_LABELS_H
#define TT_VIEW_COUNTER_LABELS_H

#include "base/mem.h"
#include "view/counter.h"

struct tt_model;

struct tt_counter_labels {
	struct tt_counter_label { const struct tt_def *def; const char *text; } *label;       /* by address of the definition; those with a name */
	size_t n;
};

/**
 * tt_counter_labels_make(m, l, text, err):
 * Make the labels of all counters that the captures of ${m} define, in ${text}. A label is the name; of counters of one name it has the section
 * behind it, "Used [Memory]"; of those of one section, too, the unit, "Used [Memory] (bytes)".
 */
int tt_counter_labels_make(const struct tt_model *m, struct tt_counter_labels *l, struct tt_arena *text, struct tt_err *err);

/* The label of ${d}; without definition or name "(unknown counter 7)", by its number ${id}, in ${room}. */
const char *tt_counter_label(const struct tt_counter_labels *l, const struct tt_def *d, uint64_t id, char room[TT_COUNTER_NAME]);

#endif

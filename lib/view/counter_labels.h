/**
 * Labels of counters: the name, with whatever distinguishes counters of the same name.
 *
 * For outputs whose readers identify counters by name alone. Counters with equal name, section and unit are the same counter across captures and share a label;
 * if one capture has several of these, the second one's label ends with " (2)".
 */
#ifndef TT_VIEW_COUNTER_LABELS_H
#define TT_VIEW_COUNTER_LABELS_H

#include "base/mem.h"
#include "view/counter.h"

struct tt_model;

struct tt_counter_labels {
	struct tt_counter_label { const struct tt_def *def; const char *text; } *label;       /* sorted by address of the definition; named counters only */
	size_t n;
};

/**
 * tt_counter_labels_make(m, l, text, err):
 * Make the labels of all counters that the captures of ${m} define; ${text} owns them. A label is the name; for counters of the same name with the section,
 * "Used [Memory]"; for those of the same section, too, also with the unit, "Used [Memory] (bytes)".
 */
int tt_counter_labels_make(const struct tt_model *m, struct tt_counter_labels *l, struct tt_arena *text, struct tt_err *err);

/* The label of ${d}; without a definition or a name "(unknown counter 7)", made in ${room} from the number ${id}. */
const char *tt_counter_label(const struct tt_counter_labels *l, const struct tt_def *d, uint64_t id, char room[TT_COUNTER_NAME]);

#endif

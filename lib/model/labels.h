/**
 * Labels of markers: names as they are shown, with what tells those apart that are shown alike.
 *
 * Tables show labels; outputs whose readers add up equal names write them.
 */
#ifndef TT_MODEL_LABELS_H
#define TT_MODEL_LABELS_H

#include <stddef.h>

struct tt_arena;
struct tt_err;
struct tt_model;
struct tt_name;

struct tt_label {
	const struct tt_name *name;
	const char *text;
};

/* Order by full name, then by category number. 0: the two are one marker. */
int tt_label_compare(const struct tt_name *a, const struct tt_name *b);

/**
 * tt_labels_make(m, v, n, text, err):
 * Fill the texts of the ${n} labels ${v}, whose names are in order of tt_label_compare(), each marker once. A text is name->shown; of markers
 * that are shown alike it has the argument list, too, else is the full name, else has the category after it. If a marker is really called as
 * that, or prints like it because some output cannot hold a character of one of the two, " (2)" is after it, " (3)" after a third one. Texts differ; they
 * are the names' own, or in ${text}.
 */
int tt_labels_make(const struct tt_model *m, struct tt_label *v, size_t n, struct tt_arena *text, struct tt_err *err);

/* The same of full names. */
int tt_labels_make_full(const struct tt_model *m, struct tt_label *v, size_t n, struct tt_arena *text, struct tt_err *err);

#endif

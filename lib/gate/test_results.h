/**
 * Results of Unity's Performance Testing package as captures of figures: sample groups that tests measured, which rows of a budget name.
 *
 * Read are the JSON document of a run, and whatever text has its lines "##performancetestresult2:", as TestResults.xml and a player's
 * output do. A file is one sample: a group's values of all its tests together. tracetool-budget(5) lists what is read.
 */
#ifndef TT_GATE_TEST_RESULTS_H
#define TT_GATE_TEST_RESULTS_H

#include "gate/sample.h"

/* True if a file whose text (tt_src_open_text()) begins with these bytes may have results. No capture does. */
bool tt_results_probe(const uint8_t *head, size_t n);

/**
 * tt_results_sample(text, n, path, x, nx, is, s, a, err):
 * Make the sample ${s} of the file of ${n} bytes at ${text}; everything lies in ${a}. *${is} false: it has no results, and is something else.
 * Errors: TT_E_DAMAGED with the place.
 */
int tt_results_sample(const char *text, size_t n, const char *path, const struct tt_measure *x, size_t nx, bool *is, struct tt_sample *s,
    struct tt_arena *a, struct tt_err *err);

#endif

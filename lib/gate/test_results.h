/**
 * Results of Unity's Performance Testing package as samples of the gate: sample groups that tests measured, which budget rows name.
 *
 * Input is the JSON document of a run, or any text with its lines "##performancetestresult2:", such as TestResults.xml or a player's output. A file is one
 * sample: the values of a group in all its tests are combined. tracetool-budget(5) lists what is read.
 */
#ifndef TT_GATE_TEST_RESULTS_H
#define TT_GATE_TEST_RESULTS_H

#include "gate/sample.h"

/* True if a file whose text (tt_src_open_text()) begins with these bytes may contain results; false for all captures. */
bool tt_results_probe(const uint8_t *head, size_t n);

/**
 * tt_results_sample(text, n, path, x, nx, is, s, a, err):
 * Make the sample ${s} of the file with ${n} bytes at ${text}; it is allocated in ${a}. *${is} false: the file contains no results. TT_E_DAMAGED with the
 * place.
 */
int tt_results_sample(const char *text, size_t n, const char *path, const struct tt_measure *x, size_t nx, bool *is, struct tt_sample *s,
    struct tt_arena *a, struct tt_err *err);

#endif

/**
 * The identity of a recording, independent of its files' names and compression.
 */
#ifndef TT_MODEL_IDENTITY_H
#define TT_MODEL_IDENTITY_H

#include <stdint.h>

struct tt_err;
struct tt_model;

/**
 * tt_model_identity(m):
 * A number that is the same for every reading of the same recordings, in any order and with any filter, and another one for
 * others: by the recording's own number where it has one, else by process, start, and what every thread did when. 0: nothing in them takes time,
 * so they cannot be told from others.
 */
uint64_t tt_model_identity(const struct tt_model *m);

/* Two captures of one recording, which would count twice. */
#define TT_COPIES "%s and %s are one recording: leave copies out"

/* TT_E_USAGE where two of the captures are the same recording. Files of one recording that were joined are one capture. */
int tt_model_copies(const struct tt_model *m, struct tt_err *err);

#endif

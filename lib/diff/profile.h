/**
 * A comparison as a pprof profile: side B less side A.
 *
 * Samples of A have negative values and the label pprof::base, as `go tool pprof -diff_base` makes them, so that pprof
 * gives shares of A. Values are per frame (or capture) and add up to the difference exactly, as the tables do: time of
 * every path; calls of a thousand frames; bytes allocated.
 */
#ifndef TT_DIFF_PROFILE_H
#define TT_DIFF_PROFILE_H

#include "diff/diff.h"

/* Write the profile to ${path}, completely or not at all. Errors: TT_E_NOMEM, TT_E_IO. */
int tt_diff_profile(const struct tt_diff *d, const char *path, const char *generator, struct tt_err *err);

#endif

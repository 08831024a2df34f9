/**
 * A comparison as a pprof profile: side B minus side A.
 *
 * Samples of A have negative values and the label pprof::base, as `go tool pprof -diff_base` makes them, so that pprof
 * gives shares of A. Values are per frame (or capture) and add up to the difference exactly, as the tables do: time of
 * every path; calls of a thousand frames; bytes allocated.
 */
#ifndef TT_DIFF_PROFILE_H
#define TT_DIFF_PROFILE_H

struct tt_buf;
struct tt_diff;
struct tt_err;

/* Append the profile to ${out}. Errors: TT_E_NOMEM, TT_E_LIMIT. */
int tt_diff_profile(const struct tt_diff *d, const char *generator, struct tt_buf *out, struct tt_err *err);

#endif

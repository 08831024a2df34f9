/**
 * Removes from a report everything that says where it was made: paths, the host, its users, the recorded program's command line.
 */
#ifndef TT_OUT_REDACT_H
#define TT_OUT_REDACT_H

struct tt_report;

/* Redact ${r}; names of markers, threads and classes stay. */
void tt_redact_report(struct tt_report *r);

/* Return the last part of a path. */
const char *tt_redact_path(const char *path);

#endif

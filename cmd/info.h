/**
 * What a capture is, as a table: for `tracetool info` and the summary.
 */
#ifndef TT_CMD_INFO_H
#define TT_CMD_INFO_H

#include <stddef.h>

struct tt_model;
struct tt_report;

/* Add the table "capture": one row per input. */
void info_summary(const struct tt_model *m, struct tt_report *r);

/* That, the facts of captures, and markers that may begin frames, where a run with TT_NEEDS_CANDIDATES found no frames. */
void info_capture(const struct tt_model *m, struct tt_report *r);

/* "--frame-marker 'Game:Tick'": the name ${full} of a marker without its arguments, quoted for a shell. */
const char *info_frame_option(struct tt_report *r, const char *full);

/* The tables `tracetool info` makes, for `tracetool list metrics`. */
struct tt_pass_table;
const struct tt_pass_table *info_tables(size_t *n);

#endif

/**
 * Shows a capture on one screen: for `tracetool FILE` and `tracetool record`.
 */
#ifndef TT_CMD_SUMMARY_COMMANDS_H
#define TT_CMD_SUMMARY_COMMANDS_H

#include <stddef.h>

struct app;
struct tt_opt_given;
struct tt_list;
struct report_opts;
struct tt_report;
struct tt_views;

/*
 * Add the tables of the summary to ${r}, which already has its notes. Commands that the summary names use the options ${given} and ${files}. If the text in
 * ${out} exceeds a screen, parts are left out by the list in tracetool(1).
 */
void summary_fill(struct app *app, struct tt_views *view, const struct tt_opt_given *given, const struct tt_list *files,
    const struct report_opts *out, struct tt_report *r);

#endif

/**
 * tracetool baseline: its options, and the part that shows figures over the sessions of baselines.
 */
#ifndef TT_CMD_VERB_BASELINE_H
#define TT_CMD_VERB_BASELINE_H

#include "option/opts.h"
#include "report_opts.h"
#include "ui.h"

struct baseline_opts {
	struct tt_list arg;          /* an action and its operands; or baselines alone, to show them */
	struct tt_list row;
	const char *budget;
	uint64_t keep;
	const char *why;
	struct report_opts out;
	struct ui_opts ui;
};

/* Options that choose the figures to show. */
extern const struct tt_opt baseline_figure_opt[];

/* Print the figures of the baselines ${o}->arg over their sessions. */
int history_show(struct app *app, const struct baseline_opts *o, struct tt_err *err);

/* True if the output is a picture, which is not a form of a report. */
bool history_is_picture(const struct baseline_opts *o);

#endif

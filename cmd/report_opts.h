/**
 * Options that say where a report goes and in what form, shared by stats, info, list and the summary.
 */
#ifndef TT_CMD_REPORT_OPTS_H
#define TT_CMD_REPORT_OPTS_H

#include "option/opts.h"
#include "out/table.h"

struct app;

struct report_opts {
	int form;                     /* enum tt_render; -1: by the output's suffix, else text */
	const char *output;           /* NULL: standard output */
	bool no_pager, csv_safe;
	int time_unit;                /* unit of times in CSV: each step adds 3 decimal digits to ns */
	int width;                    /* columns of text; 0: any number; -1: by the terminal or COLUMNS */
	const char *all;              /* option that shows the parts that text leaves out; NULL: --limit 0, --width 0 */
};
extern const struct tt_opt report_opt[];
#define REPORT_GROUP(type, member) { "Report", report_opt, offsetof(type, member) }

void report_defaults(struct report_opts *o);

/* Start a pager's helper if these options send a report to a terminal. Call before the sandbox and before any thread starts. */
void report_pager(struct app *app, const struct report_opts *o);

/* Return the form that the options ask for. */
enum tt_render report_form(const struct report_opts *o);

/* Return the number of columns that a line of text may have; 0: any number. */
unsigned report_width(const struct report_opts *o);

/* Find the form that the suffix of ${path} stands for. False: the suffix is unknown, and the form is text. */
bool report_suffix(const char *path, enum tt_render *form);

/* Fail if no form is named, and the output has a suffix of letters that no form of reports has. Errors: TT_E_USAGE. */
int report_check(const struct report_opts *o, struct tt_err *err);

/* Return the renderer's options for these options. */
struct tt_render_opts report_render_opts(struct app *app, const struct report_opts *o);

/* Render ${r} at the end of ${text}, exactly as it would be written. */
int report_render(struct app *app, const struct report_opts *o, const struct tt_report *r, struct tt_buf *text,
    struct tt_err *err);

/* Render ${r} and write it. */
int report_write(struct app *app, const struct report_opts *o, const struct tt_report *r, struct tt_err *err);

#endif

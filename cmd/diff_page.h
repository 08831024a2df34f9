/**
 * The page and the picture of a comparison.
 */
#ifndef TT_CMD_DIFF_PAGE_H
#define TT_CMD_DIFF_PAGE_H

#include <stdbool.h>

struct app;
struct tt_opt_given;
struct tt_list;
struct tt_buf;
struct tt_diff;
struct tt_diff_sides;
struct tt_diff_verdict;
struct tt_err;
struct tt_report;

struct diff_page {
	const struct tt_diff *d;
	const struct tt_diff_verdict *verdict;
	const struct tt_diff_sides *sides;
	const struct tt_list *files; /* operands */
	const struct tt_opt_given *given;
	const char *rename, *output;
	bool picture;                 /* a flame graph instead of a page */
};

/* Make a page or a picture from complete tables. ${had}: the report with the notes of the reading. */
int diff_page(struct app *app, const struct diff_page *p, const struct tt_report *had, struct tt_buf *text, struct tt_err *err);

#endif

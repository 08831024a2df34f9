/**
 * The figures that tracetool history shows, and their pictures.
 */
#ifndef TT_CMD_HISTORY_H
#define TT_CMD_HISTORY_H

#include "gate/history.h"
#include "out/table.h"

struct history_figure {
	const char *base;             /* the baseline's file; NULL: there is only one */
	const char *name;             /* its row of the budget, or its metric */
	const char *title;            /* in words: "frame time, median" */
	struct tt_history h;
};

/* Draw the ${n} figures, one below the other, as one SVG file. */
void history_svg(const struct history_figure *f, size_t n, const char *title, struct tt_buf *out);

/* Draw one figure as part of a page; ${caption}: HTML below it. */
void history_chart(const struct history_figure *f, const char *caption, struct tt_buf *out);

/* Write a page with the pictures and the tables of ${r}. */
void history_html(const struct history_figure *f, size_t n, const char *title, const struct tt_report *r, struct tt_buf *out);

#endif

/**
 * Pictures of a baseline's figures over its sessions.
 */
#ifndef TT_HISTORY_PICTURE_H
#define TT_HISTORY_PICTURE_H

#include "gate/history.h"
#include "out/table.h"

/* Draw the ${n} figures, one below the other, as one SVG file. */
void tt_history_svg(const struct tt_history_figure *f, size_t n, const char *title, struct tt_buf *out);

/* Draw one figure as part of a page; ${caption}: HTML below it. */
void tt_history_chart(const struct tt_history_figure *f, const char *caption, struct tt_buf *out);

/* Write a page with the pictures and the tables of ${r}, made by ${generator}: "tracetool VERSION". */
void tt_history_html(const struct tt_history_figure *f, size_t n, const char *title, const struct tt_report *r, const char *generator, struct tt_buf *out);

#endif

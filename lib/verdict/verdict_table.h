/**
 * The table that a verdict begins with: one line a row, old and new figure, change, p, verdict, at most 80 columns where the row's name leaves room.
 *
 * tt_verdict_cells() is what such a line says, for every form that has a table of rows. Threads: any.
 */
#ifndef TT_VERDICT_TABLE_H
#define TT_VERDICT_TABLE_H

#include "base/buf.h"
#include "gate/verdict.h"

/* One line as text; "-" where there is nothing to say. */
struct tt_verdict_cells {
	char base[64];        /* the baseline's median, or the old build's */
	char value[64];
	char change[160];     /* "+20.0 % ±5.8 %", "~": no difference is shown; of rows without a change the limit, "≤ 36 per 1000" */
	char p[16];           /* "0.0075": the chance of such captures if nothing had become worse by more than is allowed; of worse and undecided rows */
};

/* Fill ${c} with the figures of ${r}. */
void tt_verdict_cells(const struct tt_verdict_row *r, struct tt_verdict_cells *c);

/* The verdict of ${r} in one word: "ok", "FAIL", "warn", "undecided", "cannot", "waived", "accepted", "skipped"; and its colour, "" for none. */
struct tt_verdict_word { const char *text, *color; };
struct tt_verdict_word tt_verdict_word(const struct tt_verdict_row *r);

/* The columns that ${s} takes in a terminal: its characters, not its bytes. */
size_t tt_verdict_columns(const char *s);

/* Append the table of all rows, failing ones first, in ${width} columns (0: 80). ${color}: use escape sequences for a terminal. */
void tt_verdict_table(const struct tt_verdict *v, bool color, size_t width, struct tt_buf *out);

#endif

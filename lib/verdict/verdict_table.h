/**
 * The table at the start of a verdict: one line for each row, with old and new figure, change, p and verdict, at most 80 columns if the row's name leaves room.
 * tt_verdict_cells() gives the contents of a line for every format with a table of rows.
 *
 * Threads: any.
 */
#ifndef TT_VERDICT_TABLE_H
#define TT_VERDICT_TABLE_H

#include "base/buf.h"
#include "gate/verdict.h"

/* The cells of one line as text; "-" if empty. */
struct tt_verdict_cells {
	char base[64];        /* the baseline's median, or the old build's */
	char value[64];
	char change[160];     /* "+20.0 % ±5.8 %"; "~": no difference is shown; rows without a change: the limit, "≤ 36 per 1000" */
	char p[16];           /* for worse and undecided rows: "0.0075", the probability of such captures if nothing became worse by more than allowed */
};

/* Fill ${c} with the figures of ${r}. */
void tt_verdict_cells(const struct tt_verdict_row *r, struct tt_verdict_cells *c);

/* The verdict of ${r} in one word: "ok", "FAIL", "warn", "undecided", "cannot", "waived", "accepted", "skipped"; and its colour, "" if none. */
struct tt_verdict_word { const char *text, *color; };
struct tt_verdict_word tt_verdict_word(const struct tt_verdict_row *r);

/* The width of ${s} in a terminal: its characters, not its bytes. */
size_t tt_verdict_columns(const char *s);

/* Append the table of all rows, failing ones first, in ${width} columns (0: 80). ${color}: use escape sequences for a terminal. */
void tt_verdict_table(const struct tt_verdict *v, bool color, size_t width, struct tt_buf *out);

#endif

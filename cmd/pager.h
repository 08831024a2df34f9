/**
 * Shows long reports on a terminal by a pager, as git does.
 *
 * The sandbox, which begins before captures are read, forbids starting programs, so a helper process is forked first. It waits on a pipe, starts the pager only
 * when text comes, and reports how the pager ended. Without text it ends with the program.
 */
#ifndef TT_CMD_PAGER_H
#define TT_CMD_PAGER_H

#include <stdbool.h>

#include "base/buf.h"

struct pager {
	int text, end;                /* pipes to and from the helper; 0: no helper */
	unsigned rows;                /* rows of the terminal */
};

/**
 * pager_start(p):
 * Fork the helper if standard output is a terminal that can show pages, and a pager is wanted: TRACETOOL_PAGER, else PAGER, else less; no helper if that is
 * empty or "cat", or if TERM is "dumb" or unset. Without a helper pager_show() returns false. Call before any thread starts.
 */
void pager_start(struct pager *p);

/**
 * pager_show(p, text):
 * Show ${text} and wait until the pager ends. Return false, with nothing shown, if there is no pager, the text fits the screen, or the pager could not be
 * started. From the call on, the pager gets the signals of the keyboard.
 */
bool pager_show(struct pager *p, const struct tt_buf *text);

#endif

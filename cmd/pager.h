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
	int text, end;                /* pipes to the helper and from it; 0: there is none */
	unsigned rows;                /* of the terminal */
};

/**
 * pager_start(p):
 * Fork the helper where standard output is a terminal that shows pages, and a pager is wanted: TRACETOOL_PAGER, else PAGER, else
 * less; none where that is empty or "cat", or TERM is "dumb" or not set. Without it pager_show() declines. Before any thread.
 */
void pager_start(struct pager *p);

/**
 * pager_show(p, text):
 * Show ${text} and wait until the pager ends. Returns false, with nothing shown, if there is no pager, the text fits the screen, or the pager could not be
 * started. From the call on, signals of the keyboard are for the pager.
 */
bool pager_show(struct pager *p, const struct tt_buf *text);

#endif

/**
 * The list of findings, which grows by one at a time; the contract is in causes_parts.h.
 */
#include "why/causes_parts.h"

struct tt_finding *
tt_why_finding(struct tt_why *w)
{
	struct tt_causes *out = w->out;

	if (tt_mem_grow(w->mem, &w->found, &w->capfound, out->nfinding + 1, sizeof *w->found, w->err) != TT_OK)
		return NULL;
	return &w->found[out->nfinding++];
}

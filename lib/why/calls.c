/**
 * Finds the call by which each zone of the runtime or the engine (a wait, loading and such) was entered: the program's method, and the outermost zone below it.
 */
#include "why/causes_parts.h"

#include "base/hash_seed.h"

/* The index of the call of ${row} by ${by} in w->calls, added if it is new; TT_NO_FACT: out of memory, w->err is set. */
static uint32_t
call_at(struct tt_why *w, uint32_t by, uint32_t row)
{
	const uint64_t hash = tt_seeded_mix(tt_seeded_mix(0, by), row);
	const uint32_t at = tt_map_find(&w->call_at, hash, i, w->calls[i].by == by && w->calls[i].row == row);

	if (at)
		return at - 1;
	if (tt_map_push(&w->call_at, w->mem, hash, &w->calls, &w->capcalls, w->ncalls, w->err) != TT_OK)
		return TT_NO_FACT;
	w->calls[w->ncalls] = (struct tt_why_call){ by, row };
	return (uint32_t)w->ncalls++;
}

/*
 * The outermost zone, at or above the node ${i}, below the program's method; 0: ${i} is that method itself. Work inside a wait marker is not counted as
 * waiting, and shader compilation belongs to its own zone, not to the loading around it.
 */
static uint32_t
outermost(const struct tt_why *w, uint32_t i)
{
	const uint32_t up = tt_paths_node(w->p, i)->parent, outer = w->outer[up];
	const bool is_other = w->class[up] != w->class[i] && (w->class[up] == TT_CAUSE_WAIT || w->class[i] == TT_CAUSE_SHADERS);

	if (w->own[i] == i)
		return 0;
	return outer == 0 || tt_paths_row(w->p, outer) == TT_NO_ROW || is_other ? i : outer;
}

int
tt_why_find_calls(struct tt_why *w)
{
	w->outer = tt_mem_alloc(w->mem, w->p->n * sizeof *w->outer, w->err);
	w->call = tt_mem_alloc(w->mem, w->p->n * sizeof *w->call, w->err);
	if (!w->outer || !w->call)
		return w->err->code;
	for (uint32_t i = TT_NODE_MORE + 1; i < w->p->n; i++) {
		if (tt_paths_node(w->p, i)->kind != TT_NODE_ZONE)
			continue;
		w->outer[i] = outermost(w, i);
		if (w->class[i] == TT_CAUSE_UNKNOWN || w->class[i] == TT_CLASS_NONE)
			continue;
		w->call[i] = call_at(w, tt_paths_row(w->p, w->own[i]), tt_why_call_row(w, i));
		if (w->call[i] == TT_NO_FACT)
			return w->err->code;
	}
	return TT_OK;
}

void
tt_why_calls_free(struct tt_why *w)
{
	tt_mem_free(w->mem, w->outer, w->outer ? w->p->n * sizeof *w->outer : 0);
	tt_mem_free(w->mem, w->call, w->call ? w->p->n * sizeof *w->call : 0);
	tt_mem_free(w->mem, w->calls, w->capcalls * sizeof *w->calls);
	tt_map_free(&w->call_at, w->mem);
}

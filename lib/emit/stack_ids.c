/**
 * Builds each stack, as the ids of its frames, from the previous stack.
 */
#include "emit/stack_ids.h"

#include <string.h>

#include "emit/stacks.h"

#define KEPT 8192             /* maximum number of frames kept of the last stack; more than twice what one fetch returns */
#define FETCHED (TT_CHAIN_DEPTH + 1)
#define ID_MAX 5              /* maximum bytes of an id: texts are numbered in 32 bits */
#define BYTES ((size_t)KEPT * ID_MAX)

/*
 * The frames of the last stack, outermost first. The ids of a stack are read innermost first, so they are stored from the end of ${bytes} downwards:
 * ${low}[i] is the offset where the ids of frame i and of all frames outside it begin.
 */
struct tt_chain {
	const struct tt_stacks *s;
	uint32_t *at;                 /* by node: its index in ${node}, if it is kept */
	size_t n;
	size_t depth;                 /* maximum number of frames of a stack */
	bool deeper;                  /* true: frame 0 is not the outermost frame */
	uint32_t node[KEPT];
	uint32_t low[KEPT];
	uint32_t fetched[FETCHED];    /* innermost first */
	char bytes[BYTES];
};

void
tt_chain_free(struct tt_chain *c)
{
	struct tt_mem *mem;

	if (!c)
		return;
	mem = &c->s->m->env->mem;
	tt_mem_free(mem, c->at, c->s->n * sizeof *c->at);
	tt_mem_free(mem, c, sizeof *c);
}

int
tt_chain_new(const struct tt_stacks *s, size_t depth, struct tt_chain **chain, struct tt_err *err)
{
	struct tt_mem *mem = &s->m->env->mem;
	struct tt_chain *c = tt_mem_alloc(mem, sizeof *c, err);

	*chain = c;
	if (!c)
		return err->code;
	c->s = s;
	c->depth = depth;
	c->at = tt_mem_alloc(mem, s->n * sizeof *c->at, err);
	if (c->at)
		return TT_OK;
	tt_chain_free(c);
	*chain = NULL;
	return err->code;
}

static bool
is_kept(const struct tt_chain *c, uint32_t node)
{
	return c->at[node] < c->n && c->node[c->at[node]] == node;
}

/* Fetch frames from ${node} outwards, up to a kept frame if ${kept}, else to the end; ${node} becomes the node after them. Return their number. */
static size_t
fetch(struct tt_chain *c, uint32_t *node, bool kept)
{
	size_t n = 0;

	for (; *node && n < FETCHED; *node = tt_stacks_up(c->s, *node)) {
		if (!tt_stacks_frame(c->s, *node))
			continue;
		if (kept && is_kept(c, *node))
			break;
		c->fetched[n++] = *node;
	}
	return n;
}

static uint32_t
lowest(const struct tt_chain *c)
{
	return c->n ? c->low[c->n - 1] : (uint32_t)BYTES;
}

/* Drop the outermost frames; keep as many as a stack can have. */
static void
forget(struct tt_chain *c)
{
	size_t gone = c->n - FETCHED;
	uint32_t by = (uint32_t)BYTES - c->low[gone - 1], from = lowest(c);

	memmove(c->bytes + from + by, c->bytes + from, c->low[gone - 1] - from);
	for (size_t i = gone; i < c->n; i++) {
		c->node[i - gone] = c->node[i];
		c->low[i - gone] = c->low[i] + by;
		c->at[c->node[i]] = (uint32_t)(i - gone);
	}
	c->n = FETCHED;
	c->deeper = true;
}

static void
add(struct tt_chain *c, uint32_t node)
{
	char id[10];
	size_t n = (size_t)(tt_put_varint(id, (uint64_t)c->s->text[node] + 1) - id);
	uint32_t low = lowest(c) - (uint32_t)n;

	memcpy(c->bytes + low, id, n);
	c->at[node] = (uint32_t)c->n;
	c->node[c->n] = node;
	c->low[c->n++] = low;
}

struct tt_chain_stack
tt_chain_at(struct tt_chain *c, uint32_t node, uint8_t *used)
{
	uint32_t up = node;
	size_t n = fetch(c, &up, true);

	bool shares = up && n < FETCHED;

	if (shares && c->deeper && c->at[up] + 1 + n < FETCHED) {
		/* Frames that enclose these were dropped. */
		up = node;
		n = fetch(c, &up, false);
		shares = false;
	}
	c->n = shares ? c->at[up] + 1 : 0;
	if (!shares)
		c->deeper = n == FETCHED;
	if (c->n + n > KEPT)
		forget(c);
	for (size_t i = n; i-- > 0;) {
		add(c, c->fetched[i]);
		if (i < c->depth)
			used[c->s->text[c->fetched[i]]] = 1;
	}
	n = c->n > c->depth ? c->depth : c->n;
	return (struct tt_chain_stack){ c->bytes + lowest(c),
		(c->n > n ? c->low[c->n - n - 1] : (uint32_t)BYTES) - lowest(c), c->n > n };
}

/**
 * Helper code and sampled addresses, gathered; the model is in model/code.h.
 */
#include "model/code.h"

#include "run/collectors.h"

void
tt_code_free(struct tt_code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nips; i++) {
		tt_tally_free(&c->ips[i].managed);
		tt_tally_free(&c->ips[i].native);
	}
	tt_mem_free(c->mem, c->ips, c->nips * sizeof *c->ips);
	tt_mem_free(c->mem, c->helper, c->cap * sizeof *c->helper);
	tt_mem_free(c->mem, c, sizeof *c);
}

static int
begin(struct tt_run *r, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;
	struct tt_code *c;

	if (r->m->code)
		return TT_OK;
	if (!(c = r->m->code = tt_mem_alloc(mem, sizeof *c, err)))
		return err->code;
	c->mem = mem;
	if (!(c->ips = tt_mem_alloc(mem, r->nin * sizeof *c->ips, err)))
		return err->code;
	c->nips = r->nin;
	for (size_t i = 0; i < c->nips; i++) {
		tt_tally_init(&c->ips[i].managed, mem);
		tt_tally_init(&c->ips[i].native, mem);
	}
	return TT_OK;
}

static int
helper(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct tt_code *c = g->r->m->code;
	unsigned kind = e->depth < 15 ? e->depth : 15;
	const char *name = "";
	int rc;

	c->helper_n[kind]++;
	c->helper_b[kind] += e->dur;
	if (c->n >= TT_CODE_HELPERS_MAX)
		return TT_OK;
	if ((e->flags & TT_F_MORE) && e[1].dur)
		name = tt_arena_text(&g->in->cap->arena, g->b->text.p + e[1].val, e[1].dur, err);
	rc = name ? tt_mem_grow(c->mem, &c->helper, &c->cap, c->n + 1, sizeof *c->helper, err) : err->code;
	if (rc == TT_OK)
		c->helper[c->n++] = (struct tt_code_helper){ .start = e->val, .size = e->dur,
			.process = g->in->cap->process, .kind = e->depth, .name = name };
	return rc;
}

static int
hit(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct tt_code_ips *ips = &g->r->m->code->ips[g->in->cap->process];
	struct tt_tally *t = e->dur ? &ips->managed : &ips->native;
	uint64_t *n;

	if (t->n >= TT_CODE_IPS_MAX && tt_tally_get(t, e->val) == 0) {
		ips->dropped++;
		return TT_OK;
	}
	if (!(n = tt_tally_at(t, e->val, err)))
		return err->code;
	++*n;
	return TT_OK;
}

int
tt_gather_code_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	const bool *keep = g->r->m->keep_thread;
	int rc = begin(g->r, err);

	if (rc != TT_OK || !tt_run_in_time(g->r, e->ts))
		return rc;
	if (e->kind == TT_JIT_CODE)
		return helper(g, e, err);
	/* A sample belongs to the thread it hit, not to the one that wrote it. */
	if (e->kind == TT_SAMPLE && (!keep || keep[e[1].ts]))
		return hit(g, e, err);
	return TT_OK;
}

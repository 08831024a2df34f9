/**
 * Chrome JSON: flows, written at the end (flow_steps.h); steps outside all zones are left out.
 */
#include "emit/chrome.h"

int
tt_chrome_flow_step(struct chrome *c, const struct tt_view *v, const struct tt_event *e, const struct tt_event *zone, struct tt_err *err)
{
	const struct tt_flow_step step = { .ts = zone && chrome_time(c, zone->ts) != UINT64_MAX ? zone->ts : e->ts, .id = e->val,
		.thread = v->thread->index, .part = (uint16_t)(c->npart - 1), .type = (uint8_t)e->depth, .next = zone };
	int rc = tt_flow_add(&c->flows, &c->e.env->mem, step, err);

	if (rc == TT_OK)
		return e->flags & TT_F_NEXT && !zone ? tt_flow_seek(&c->flows, v, &c->e.env->mem, err) : tt_flow_wait(&c->flows, &c->e.env->mem, err);
	if (rc != TT_END)
		return rc;
	atomic_fetch_add_explicit(c->unwritten, 1, memory_order_relaxed);
	return TT_OK;
}

/* Write one end of an arrow, or a step of a chain. */
static int
put_end(void *arg, const struct tt_flow_step *s, char phase, uint64_t id, struct tt_err *err)
{
	struct chrome *c = arg;
	const struct tt_thread *t = c->e.m->threads.t[s->thread];
	uint64_t ts = chrome_time(c, s->ts);
	struct tt_buf *b = &c->scratch;
	int rc;

	if (c->own->begin_end)
		return tt_chrome_pairs_flow(c, s, phase, id, err);
	b->n = 0;
	if (ts == UINT64_MAX || (rc = tt_buf_room(b, CHROME_RECORD, err)) != TT_OK)
		return ts == UINT64_MAX ? TT_OK : rc;
	char *p = tt_chrome_put_head(b->p, &phase, chrome_pid(t->process), chrome_tid(t));
	b->n = (size_t)(tt_put_fixed(p, (int64_t)ts, 3) - b->p);
	tt_chrome_flow(b, id);
	rc = tt_buf_error(b, err);
	return rc == TT_OK ? tt_chrome_put_in(c, &c->part[s->part], t, b->p, b->n, err) : rc;
}

int
tt_chrome_flows(struct chrome *c, struct tt_err *err)
{
	/* Readers process flows after they ended the zones of the same time; in the B/E form the order in the file decides. */
	tt_flow_leave_out(&c->flows, !c->own->begin_end);
	int rc = tt_flow_each(&c->flows, &c->e.env->mem, &c->e.m->threads, put_end, c, err);
	tt_flow_tell(&c->flows, c->e.env, "chrome");
	return rc;
}

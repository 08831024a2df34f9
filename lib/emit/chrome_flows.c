/**
 * Chrome JSON: flows.
 *
 * A flow is a chain, but for its parallel steps: each of these follows the step before all of them and is followed by the
 * step past all of them. Readers link a step to the one before it in time, so a flow with parallel steps is written as arrows
 * of two ends, each with a number of its own. Which steps a flow has is known only at the end: threads come in any order.
 */
#include <stdlib.h>

#include "base/order.h"
#include "emit/chrome.h"

/* Numbers of arrows: far from those that engines give their flows. */
#define FIRST_ARROW ((uint64_t)1 << 62)
/* Steps kept until the end, 128 MiB of them. */
#define MOST_STEPS ((size_t)1 << 22)

int
tt_chrome_flow_step(struct chrome *c, const struct tt_thread *thread, unsigned type, int64_t ts, uint64_t id, struct tt_err *err)
{
	int rc;

	if (c->nstep >= MOST_STEPS) {
		atomic_fetch_add_explicit(c->unwritten, 1, memory_order_relaxed);
		return TT_OK;
	}
	if ((rc = tt_mem_grow(&c->env->mem, &c->step, &c->capstep, c->nstep + 1, sizeof *c->step, err)) != TT_OK)
		return rc;
	c->step[c->nstep] = (struct chrome_step){ .ts = ts, .id = id, .thread = thread->index, .order = (uint32_t)c->nstep,
		.part = (uint16_t)(c->npart - 1), .type = (uint8_t)type };
	c->nstep++;
	return TT_OK;
}

static int
by_flow(const void *a, const void *b, void *arg)
{
	const struct chrome_step *x = a, *y = b;
	const struct chrome *c = arg;
	uint32_t p = c->m->threads.t[x->thread]->process, q = c->m->threads.t[y->thread]->process;

	if (p != q)
		return TT_CMP(p, q);
	if (x->id != y->id)
		return TT_CMP(x->id, y->id);
	if (x->ts != y->ts)
		return TT_CMP(x->ts, y->ts);
	return TT_CMP(x->order, y->order);
}

/* One end of an arrow, or a step of a chain. */
static int
put_end(struct chrome *c, const struct chrome_step *s, char phase, uint64_t id, struct tt_err *err)
{
	const struct tt_thread *t = c->m->threads.t[s->thread];
	uint64_t ts = chrome_time(c, s->ts);
	struct tt_buf *b = &c->scratch;
	int rc;

	if (c->own.begin_end)
		return tt_chrome_pairs_flow(c, t, phase, s->ts, id, err);
	b->n = 0;
	if (ts == UINT64_MAX || (rc = tt_buf_room(b, CHROME_RECORD, err)) != TT_OK)
		return ts == UINT64_MAX ? TT_OK : rc;
	char *p = tt_chrome_put_head(b->p, &phase, chrome_pid(t->process), chrome_tid(t));
	b->n = (size_t)(tt_put_fixed(p, (int64_t)ts, 3) - b->p);
	tt_chrome_flow(b, id);
	rc = tt_buf_error(b, err);
	return rc == TT_OK ? tt_chrome_put_in(c, &c->part[s->part], t, b->p, b->n, err) : rc;
}

static int
put_arrow(struct chrome *c, const struct chrome_step *from, const struct chrome_step *to, struct tt_err *err)
{
	uint64_t id = FIRST_ARROW + c->narrow++;
	int rc = put_end(c, from, 's', id, err);

	return rc == TT_OK ? put_end(c, to, 'f', id, err) : rc;
}

/* The steps from ${s} to ${end}, of one flow with parallel ones. */
static int
put_arrows(struct chrome *c, const struct chrome_step *s, const struct chrome_step *end, struct tt_err *err)
{
	const struct chrome_step *before = NULL, *parallel = s;       /* what the next step follows: those, or where there are none, that */
	int rc = TT_OK;

	for (; s < end && rc == TT_OK; s++) {
		if (s->type == TT_FLOW_PARALLEL) {
			rc = before ? put_arrow(c, before, s, err) : TT_OK;
			continue;
		}
		if (parallel == s && before)
			rc = put_arrow(c, before, s, err);
		for (const struct chrome_step *p = parallel; p < s && rc == TT_OK; p++)
			rc = put_arrow(c, p, s, err);
		before = s;
		parallel = s + 1;
	}
	return rc;
}

static int
put_chain(struct chrome *c, const struct chrome_step *s, const struct chrome_step *end, struct tt_err *err)
{
	static const char phases[] = { [TT_FLOW_BEGIN] = 's', [TT_FLOW_PARALLEL] = 't', [TT_FLOW_END] = 'f',
		[TT_FLOW_SEQUENTIAL] = 't' };
	int rc = TT_OK;

	for (; s < end && rc == TT_OK; s++)
		rc = put_end(c, s, phases[s->type], s->id, err);
	return rc;
}

int
tt_chrome_flows(struct chrome *c, struct tt_err *err)
{
	const struct chrome_step *s = c->step, *end = s + c->nstep;
	int rc = TT_OK;

	if (c->nstep)
		qsort_r(c->step, c->nstep, sizeof *c->step, by_flow, c);
	while (s < end && rc == TT_OK) {
		uint32_t process = c->m->threads.t[s->thread]->process;
		const struct chrome_step *to = s;
		bool parallel = false, over = false;

		/* A number is used again after an end, or by another begin. */
		for (; to < end && !over && to->id == s->id && c->m->threads.t[to->thread]->process == process &&
		    (to == s || to->type != TT_FLOW_BEGIN); to++) {
			parallel = parallel || to->type == TT_FLOW_PARALLEL;
			over = to->type == TT_FLOW_END;
		}
		rc = parallel ? put_arrows(c, s, to, err) : put_chain(c, s, to, err);
		s = to;
	}
	return rc;
}

/**
 * Steps of flows, kept until all are known; the contract is in flow_steps.h.
 */
#include "emit/flow_steps.h"

#include <stdlib.h>

#include "base/order.h"
#include "model/capture.h"

/* Numbers of arrows: far from those that engines give their flows. */
#define FIRST_ARROW ((uint64_t)1 << 62)
/* Steps kept until the end, 128 MiB of them. */
#define MOST_STEPS ((size_t)1 << 22)

struct writer {
	struct tt_flow_steps *f;
	const struct tt_threads *threads;
	tt_flow_put *put;
	void *arg;
};

int
tt_flow_add(struct tt_flow_steps *f, struct tt_mem *mem, struct tt_flow_step step, struct tt_err *err)
{
	if (f->n >= MOST_STEPS)
		return TT_END;
	int rc = tt_mem_grow(mem, &f->step, &f->cap, f->n + 1, sizeof *f->step, err);
	if (rc != TT_OK)
		return rc;
	step.order = (uint32_t)f->n;
	f->step[f->n++] = step;
	return TT_OK;
}

void
tt_flow_free(struct tt_flow_steps *f, struct tt_mem *mem)
{
	tt_mem_free(mem, f->step, f->cap * sizeof *f->step);
}

static int
by_flow(const void *a, const void *b, void *arg)
{
	const struct tt_flow_step *x = a, *y = b;
	const struct tt_threads *threads = arg;
	uint32_t p = threads->t[x->thread]->process, q = threads->t[y->thread]->process;

	if (p != q)
		return TT_CMP(p, q);
	if (x->id != y->id)
		return TT_CMP(x->id, y->id);
	if (x->ts != y->ts)
		return TT_CMP(x->ts, y->ts);
	return TT_CMP(x->order, y->order);
}

static int
put_arrow(struct writer *w, const struct tt_flow_step *from, const struct tt_flow_step *to, struct tt_err *err)
{
	uint64_t id = FIRST_ARROW + w->f->arrows++;
	int rc = w->put(w->arg, from, 's', id, err);

	return rc == TT_OK ? w->put(w->arg, to, 'f', id, err) : rc;
}

/* The steps from ${s} to ${end}, of one flow with parallel ones. */
static int
put_arrows(struct writer *w, const struct tt_flow_step *s, const struct tt_flow_step *end, struct tt_err *err)
{
	const struct tt_flow_step *before = NULL, *parallel = s;       /* what the next step follows: those, or where there are none, that */
	int rc = TT_OK;

	for (; s < end && rc == TT_OK; s++) {
		if (s->type == TT_FLOW_PARALLEL) {
			rc = before ? put_arrow(w, before, s, err) : TT_OK;
			continue;
		}
		if (parallel == s && before)
			rc = put_arrow(w, before, s, err);
		for (const struct tt_flow_step *p = parallel; p < s && rc == TT_OK; p++)
			rc = put_arrow(w, p, s, err);
		before = s;
		parallel = s + 1;
	}
	return rc;
}

static int
put_chain(struct writer *w, const struct tt_flow_step *s, const struct tt_flow_step *end, struct tt_err *err)
{
	static const char phases[] = { [TT_FLOW_BEGIN] = 's', [TT_FLOW_PARALLEL] = 't', [TT_FLOW_END] = 'f',
		[TT_FLOW_SEQUENTIAL] = 't' };
	int rc = TT_OK;

	for (; s < end && rc == TT_OK; s++)
		rc = w->put(w->arg, s, phases[s->type], s->id, err);
	return rc;
}

int
tt_flow_each(struct tt_flow_steps *f, const struct tt_threads *threads, tt_flow_put *put, void *arg, struct tt_err *err)
{
	struct writer w = { f, threads, put, arg };
	const struct tt_flow_step *s = f->step, *end = s + f->n;
	int rc = TT_OK;

	if (f->n)
		qsort_r(f->step, f->n, sizeof *f->step, by_flow, (void *)(uintptr_t)threads);
	while (s < end && rc == TT_OK) {
		uint32_t process = threads->t[s->thread]->process;
		const struct tt_flow_step *to = s;
		bool parallel = false, over = false;

		/* A number is used again after an end, or by another begin. */
		for (; to < end && !over && to->id == s->id && threads->t[to->thread]->process == process &&
		    (to == s || to->type != TT_FLOW_BEGIN); to++) {
			parallel = parallel || to->type == TT_FLOW_PARALLEL;
			over = to->type == TT_FLOW_END;
		}
		rc = parallel ? put_arrows(&w, s, to, err) : put_chain(&w, s, to, err);
		s = to;
	}
	return rc;
}

/**
 * Computes figures of occasional events: collections by generation, exceptions, waits for locks, samples, handles, finalizers, heap shots, compilation.
 * Definitions are those of the tables of these names (tracetool-metrics(7)).
 */
#include "collect/code.h"
#include "collect/collections.h"
#include "collect/contention.h"
#include "collect/event_counts.h"
#include "collect/finalizers.h"
#include "collect/handles.h"
#include "collect/heap_shots.h"
#include "gate/measure_model.h"
#include "view/figures.h"

/* True if such events were recorded, even if none happened. */
static bool
is_known(const struct tt_figures *g, uint64_t n, enum tt_records what)
{
	return n > 0 || tt_model_records(g->m, what);
}

static void
count(const struct tt_figures *g, const struct tt_measure *x, uint64_t n, struct tt_value *v)
{
	size_t frames = tt_figures_frames(g);

	if (x->stat == TT_STAT_TOTAL)
		tt_value_set(v, tt_at_most(n));
	else if (frames)
		tt_value_ratio(v, tt_at_most(n), (int64_t)frames);
	else
		v->why = TT_NO_FRAMES;
}

static void
times(const struct tt_figures *g, const struct tt_measure *x, uint64_t n, int64_t total, int64_t max, struct tt_value *v)
{
	size_t frames = tt_figures_frames(g);

	if (x->stat == TT_STAT_TOTAL)
		tt_value_set(v, total);
	else if (x->stat == TT_STAT_MAX)
		tt_value_set(v, max);
	else if (x->stat == TT_STAT_MEAN)
		tt_value_ratio(v, total, n ? (int64_t)n : 1);
	else if (frames)
		tt_value_ratio(v, total, (int64_t)frames);
	else
		v->why = TT_NO_FRAMES;
}

int
tt_find_waiting(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_contention *l = tt_contention(g->m);
	const struct tt_times *t = &l->wait;
	struct tt_spread *s;

	if (!is_known(g, tt_event_counts(g->m)->contended + t->n, TT_REC_WAITS))
		return tt_value_unrecorded(g, v, TT_REC_WAITS, err);
	if (x->stat != TT_STAT_P95) {
		times(g, x, t->n, t->total, t->max, v);
		return TT_OK;
	}
	s = tt_mem_alloc(&g->m->env->mem, sizeof *s, err);
	if (!s)
		return err->code;
	tt_spread_clear(s);
	tt_spread_add(s, &l->hist, TT_LOCKS_ALL, t);
	tt_value_set(v, t->n ? tt_at_most(tt_spread_p95(s)) : 0);
	tt_mem_free(&g->m->env->mem, s, sizeof *s);
	return TT_OK;
}

int
tt_find_handles(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	struct tt_handle_kind all = tt_handles_sum(g->m);

	if (!is_known(g, all.ncreated, TT_REC_HANDLES))
		return tt_value_unrecorded(g, v, TT_REC_HANDLES, err);
	tt_value_set(v, tt_at_most(x->stat == TT_STAT_LAST ? all.nlive : all.ncreated));
	return TT_OK;
}

int
tt_find_finalizers(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_finalizers *h = tt_finalizers(g->m);

	if (!is_known(g, h->nobjects, TT_REC_FINALIZERS))
		return tt_value_unrecorded(g, v, TT_REC_FINALIZERS, err);
	if (x->metric->dim == TT_DIM_TIME && h->object.n == 0 && h->nuntimed > 0)
		v->why = "finalizers have ends and no begins in it (Mono 4.6 records ends alone): they have no times";
	else if (x->metric->dim == TT_DIM_TIME)
		times(g, x, h->object.n, h->object.total, h->object.max, v);
	else
		count(g, x, h->nobjects, v);
	return TT_OK;
}

/* Compute a figure of the last complete heap shot, or of the largest. */
int
tt_find_heap_shot(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	const struct tt_heap_shots *s = tt_heap_shots(g->m);
	uint64_t most = 0, last = 0;

	(void)err;
	v->why = "no whole heap shot is in it";
	for (size_t i = 0; i < s->n; i++) {
		if (!s->shot[i].complete)
			continue;
		last = x->metric->dim == TT_DIM_BYTES ? s->shot[i].bytes : s->shot[i].n;
		most = last > most ? last : most;
		v->known = true;
	}
	if (v->known)
		tt_value_set(v, tt_at_most(x->stat == TT_STAT_LAST ? last : most));
	return TT_OK;
}

int
tt_find_compiled(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	uint64_t n = 0, bytes = 0;

	(void)err;
	for (size_t p = 0; p < g->m->ncap; p++) {
		struct tt_code_sum sum;
		tt_code_sum(g->m->cap[p], NULL, &sum);
		n += sum.coded;
		bytes += sum.bytes;
	}
	if (n == 0)
		v->why = "no compiled code is in it";
	else
		tt_value_set(v, tt_at_most(x->metric->dim == TT_DIM_BYTES ? bytes : n));
	return TT_OK;
}

int
tt_find_collecting(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	if (!tt_knows_collections(g->m))
		return tt_value_unrecorded(g, v, TT_REC_COLLECTIONS, err);
	const struct tt_gc_stat sum = tt_generations_of(g, x);
	times(g, x, sum.n, sum.total, sum.max, v);
	return TT_OK;
}

int
tt_find_npauses(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	if (!tt_knows_collections(g->m))
		return tt_value_unrecorded(g, v, TT_REC_COLLECTIONS, err);
	if (!tt_knows_pauses(g->m))
		v->why = "collections were recorded, pauses were not";
	else
		count(g, x, tt_gc(g->m)->npauses_all, v);
	return TT_OK;
}

/* Set the figure of a measure that counts events of the kind ${what}, of which there are ${n}. */
static int
count_known(const struct tt_figures *g, const struct tt_measure *x, uint64_t n, enum tt_records what, struct tt_value *v, struct tt_err *err)
{
	if (!is_known(g, n, what))
		return tt_value_unrecorded(g, v, what, err);
	count(g, x, n, v);
	return TT_OK;
}

int
tt_find_throws(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	return count_known(g, x, tt_event_counts(g->m)->throws, TT_REC_THROWS, v, err);
}

int
tt_find_contended(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	return count_known(g, x, tt_event_counts(g->m)->contended, TT_REC_WAITS, v, err);
}

int
tt_find_samples(struct tt_figures *g, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	return count_known(g, x, tt_event_counts(g->m)->samples, TT_REC_SAMPLES, v, err);
}

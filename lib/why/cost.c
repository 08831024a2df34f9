/**
 * Finds what takes much of every frame: the deepest calls that take 30 % of a typical frame.
 */
#include "why/causes_parts.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/buf.h"
#include "base/order.h"
#include "model/names.h"
#include "out/table.h"
#include "stat/num.h"
#include "view/frame_sums.h"

/*
 * MIN_FRAME_PERCENT: share of a typical frame from which on a call is reported. MIN_CALL_PERCENT: share of a call from which on a callee, or its own work,
 * explains it.
 */
enum { MIN_FRAME_PERCENT = 30, MIN_CALL_PERCENT = 50 };

/* Median times of each node of the frame thread in typical frames, with and without its callees. */
struct costs {
	int64_t *total, *self;
	uint32_t *heaviest;           /* by node: the callee that takes the most; 0: none */
	int64_t frame;                /* median time of typical frames */
};

static int
begin_costs(const struct tt_why *w, struct costs *k)
{
	*k = (struct costs){ 0 };
	k->total = tt_mem_alloc(w->mem, w->p->n * sizeof *k->total, w->err);
	k->self = tt_mem_alloc(w->mem, w->p->n * sizeof *k->self, w->err);
	k->heaviest = tt_mem_alloc(w->mem, w->p->n * sizeof *k->heaviest, w->err);
	return k->total && k->self && k->heaviest ? TT_OK : w->err->code;
}

static void
free_costs(const struct tt_why *w, struct costs *k)
{
	tt_mem_free(w->mem, k->total, k->total ? w->p->n * sizeof *k->total : 0);
	tt_mem_free(w->mem, k->self, k->self ? w->p->n * sizeof *k->self : 0);
	tt_mem_free(w->mem, k->heaviest, k->heaviest ? w->p->n * sizeof *k->heaviest : 0);
}

/* The method or marker around the path ${node}. */
static uint32_t
caller_of(const struct tt_why *w, uint32_t node)
{
	return w->own[tt_paths_node(w->p, node)->parent];
}

/* The median of the ${n} values at ${v}, padded with zeros to ${of} values. */
static int64_t
median(int64_t *v, size_t n, size_t of)
{
	const size_t rank = tt_nearest_rank(of, 1, 2);
	size_t nbelow = 0;

	for (size_t i = 0; i < n; i++)
		nbelow += v[i] < 0;
	/* A call that few frames have. */
	if (nbelow < rank && rank <= nbelow + (of - n))
		return 0;
	while (n < of)
		v[n++] = 0;
	return tt_quantile_of_i64(v, of, 1, 2);
}

/* Compute the median times of each path in typical frames, and the median time of these frames. */
static void
find_medians(const struct tt_why *w, struct costs *k)
{
	int64_t total[TT_FRAMES_SAMPLED], self[TT_FRAMES_SAMPLED];
	bool is_typical[TT_FRAMES_SAMPLED];
	struct tt_fact_walk walk;
	size_t n = 0;

	for (size_t i = 0; i < w->nsample; i++) {
		is_typical[i] = tt_why_extra(w, w->sample[i]) == 0;
		if (is_typical[i])
			total[n++] = tt_frames_wall(w->m->frames, w->sample[i]);
	}
	k->frame = n ? tt_quantile_of_i64(total, n, 1, 2) : 0;
	tt_why_walk_begin(&walk, w);
	while (n && tt_why_walk_next(&walk) && walk.v[0]->what == TT_OF_NODE) {
		size_t has = 0;

		for (size_t i = 0; i < walk.n; i++) {
			if (!is_typical[walk.v[i]->sample])
				continue;
			total[has] = walk.v[i]->total;
			self[has++] = walk.v[i]->self;
		}
		k->total[walk.v[0]->id] = median(total, has, n);
		k->self[walk.v[0]->id] = median(self, has, n);
	}
}

/* Find the heaviest callee of each path; among equals the first. */
static void
find_heaviest(const struct tt_why *w, struct costs *k)
{
	for (uint32_t i = TT_NODE_MORE + 1; i < w->p->n; i++) {
		const uint32_t caller = caller_of(w, i), best = k->heaviest[caller];

		if (caller < i && k->total[i] > (best ? k->total[best] : 0))
			k->heaviest[caller] = i;
	}
}

/* True if the path takes a good part of a typical frame. */
static bool
is_costly(const struct costs *k, uint32_t node)
{
	return k->frame > 0 && k->total[node] >= k->frame / 100 * MIN_FRAME_PERCENT;
}

/*
 * True if the path ${node} is to be reported: it takes a good part of a frame, none of its callees does, and it is not a mere dispatcher, which neither works
 * itself nor has a callee with half of its time.
 */
static bool
is_told(const struct tt_why *w, const struct costs *k, uint32_t node, uint32_t heaviest)
{
	const uint32_t row = tt_paths_row(w->p, node);
	const int64_t most = k->self[node] > k->total[heaviest] ? k->self[node] : k->total[heaviest];

	if (row == TT_NO_ROW || !is_costly(k, node) || (heaviest && is_costly(k, heaviest)) || !(w->s->flags[node] & TT_SUM_OUTER))
		return false;
	if (tt_name_is_loop(tt_why_full_name(w, row)) || tt_paths_node(w->p, caller_of(w, node))->kind != TT_NODE_ZONE)
		return k->self[node] >= k->frame / 100 * MIN_FRAME_PERCENT;
	return most >= k->total[node] / 100 * MIN_CALL_PERCENT;
}

/* The marker of the base library that the path ${node} calls directly for at least half of its time over the capture; TT_NO_ROW: none. */
static uint32_t
library_call(const struct tt_why *w, uint32_t node)
{
	const int64_t all = tt_paths_count(w->p, node).total;

	for (uint32_t i = node + 1; i < w->p->n; i++)
		if (tt_paths_node(w->p, i)->parent == node && w->own[i] == node && tt_paths_node(w->p, i)->kind == TT_NODE_ZONE &&
		    w->class[i] == TT_CAUSE_UNKNOWN && tt_paths_row(w->p, i) != TT_NO_ROW && tt_paths_count(w->p, i).total >= all / 100 * MIN_CALL_PERCENT)
			return tt_paths_row(w->p, i);
	return TT_NO_ROW;
}

/* True if a growth of the marker ${row} was found: then its time in a typical frame means little. */
static bool
is_growing(const struct tt_why *w, uint32_t row)
{
	for (size_t i = 0; i < w->out->nfinding && row != TT_NO_ROW; i++)
		if (w->found[i].class == TT_CAUSE_GROWTH && w->found[i].marker && strcmp(w->found[i].marker, w->p->row[row].label) == 0)
			return true;
	return false;
}

/* True if most frames are late, by their cap or for 60 fps, and ${ns} is at least half of the time by which a typical frame exceeds that limit. */
static bool
makes_late(const struct tt_why *w, int64_t ns)
{
	const struct tt_frames *f = w->m->frames;
	const int64_t sixty = 16670000, limit = w->cap ? w->cap : sixty, typical = w->out->typical;

	return (w->cap ? 2 * f->nlate > f->n : typical > limit + limit / 10) && typical > limit && 2 * ns >= typical - limit;
}

static int
put_cost(struct tt_why *w, const struct costs *k, uint32_t node, uint32_t heaviest)
{
	const uint32_t row = tt_paths_row(w->p, node);
	const struct tt_usual total = tt_why_usual(w, TT_OF_TOTAL, row), calls = tt_why_usual(w, TT_OF_ROW, row);
	uint32_t in = library_call(w, node);
	struct tt_finding *f;
	char took[32], of[32], n[32];
	struct tt_buf b = { 0 };

	if (in == TT_NO_ROW && heaviest && k->total[heaviest] >= k->total[node] / 100 * MIN_CALL_PERCENT)
		in = tt_paths_row(w->p, heaviest);
	if (is_growing(w, row) || is_growing(w, in))
		return TT_OK;
	f = tt_why_finding(w);
	if (!f)
		return w->err->code;
	*tt_put_time_short(took, total.self) = '\0';
	*tt_put_time_short(of, k->frame) = '\0';
	*f = (struct tt_finding){ .class = TT_CAUSE_STEADY, .marker = w->p->row[row].label, .frames = "all frames", .is_of_all = true,
		.makes_late = makes_late(w, total.self) };
	tt_buf_printf(&b, "%s takes %s of %s in a typical frame", f->marker, took, of);
	if (calls.n > 1) {
		*tt_put_count(n, (int64_t)calls.n) = '\0';
		tt_buf_printf(&b, ", in %s calls", n);
	}
	if (in != TT_NO_ROW)
		tt_buf_printf(&b, "; most of it in %s", w->p->row[in].label);
	f->sentence = tt_buf_move_to_arena(&b, w->text, w->err);
	return w->err->code;
}

int
tt_why_find_cost(struct tt_why *w)
{
	struct costs k;
	int rc = begin_costs(w, &k);

	if (rc == TT_OK) {
		find_medians(w, &k);
		find_heaviest(w, &k);
	}
	for (uint32_t i = TT_NODE_MORE + 1; i < w->p->n && rc == TT_OK; i++) {
		const uint32_t heaviest = k.heaviest[i];

		if (is_told(w, &k, i, heaviest))
			rc = put_cost(w, &k, i, heaviest);
	}
	free_costs(w, &k);
	return rc;
}

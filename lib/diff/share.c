/**
 * Divides the times of both sides into integer parts that add up to the whole.
 */
#include <string.h>

#include "base/order.h"
#include "diff/diff.h"
#include "stat/num.h"
#include "view/figures.h"

__extension__ typedef __int128 i128;

/* ${v} / ${unit} rounded down; *${rest}: the remainder. */
static int64_t
floor_div(int64_t v, uint64_t unit, uint64_t *rest)
{
	i128 u = unit, q = v / u, r = v % u;

	if (r < 0) {
		q--;
		r += u;
	}
	*rest = (uint64_t)r;
	return (int64_t)q;
}

int64_t
tt_diff_per_unit(int64_t v, uint64_t unit)
{
	uint64_t rest;
	int64_t q;

	if (unit == 0)
		return 0;
	q = floor_div(v, unit, &rest);
	return q + (rest >= unit - rest);
}

static int
by_rest(const void *x, const void *y)
{
	const struct tt_diff_piece *a = x, *b = y;

	if (a->remainder != b->remainder)
		return a->remainder < b->remainder ? 1 : -1;
	return TT_CMP(a->id, b->id);
}

void
tt_diff_share(struct tt_diff_piece *piece, size_t n, uint64_t unit, int64_t whole)
{
	for (size_t i = 0; i < n; i++) {
		piece[i].part = unit ? floor_div(piece[i].v, unit, &piece[i].remainder) : 0;
		whole -= piece[i].part;
	}
	if (unit == 0 || n == 0)
		return;
	tt_sort(piece, n, by_rest);
	for (size_t i = 0; i < n && whole > 0; i++, whole--)
		piece[i].part++;
}

/* --- both sides ------------------------------------------------------------------- */

/* Divide ${whole} among the nodes that are part of the whole, or with ${of_whole} false among the others. */
static void
share_nodes(struct tt_diff *d, unsigned side, bool of_whole, int64_t whole, struct tt_diff_piece *piece)
{
	size_t n = 0;

	for (size_t i = 1; i < d->nnode; i++) {
		const struct tt_diff_node *v = &d->node[i];

		if (tt_diff_is_timed(v) && tt_diff_is_part(d, v) == of_whole)
			piece[n++] = (struct tt_diff_piece){ .v = v->side[side].self, .id = i };
	}
	tt_diff_share(piece, n, d->side[side].nunits, whole);
	for (size_t i = 0; i < n; i++)
		d->node[piece[i].id].side[side].part = piece[i].part;
}

static void
share_sites(struct tt_diff *d, unsigned side, struct tt_diff_piece *piece)
{
	int64_t all = 0;

	for (size_t i = 0; i < d->nsite; i++) {
		piece[i] = (struct tt_diff_piece){ .v = d->site[i].side[side].bytes, .id = i };
		all += d->site[i].side[side].bytes;
	}
	d->side[side].alloc_b = tt_diff_per_unit(all, d->side[side].nunits);
	tt_diff_share(piece, d->nsite, d->side[side].nunits, d->side[side].alloc_b);
	for (size_t i = 0; i < d->nsite; i++)
		d->site[piece[i].id].side[side].part = piece[i].part;
}

static void
share_side(struct tt_diff *d, unsigned side, struct tt_diff_piece *piece)
{
	int64_t beside = 0;

	d->side[side].mean_ns = tt_diff_per_unit(d->side[side].total_ns, d->side[side].nunits);
	share_nodes(d, side, true, d->side[side].mean_ns, piece);
	for (size_t i = 1; i < d->nnode; i++) {
		if (tt_diff_is_timed(&d->node[i]) && !tt_diff_is_part(d, &d->node[i]))
			beside += d->node[i].side[side].self;
	}
	share_nodes(d, side, false, tt_diff_per_unit(beside, d->side[side].nunits), piece);
	share_sites(d, side, piece);
}

/* A's self time per call times B's calls per frame. Equal call rates and equal costs are compared exactly, without rounding. */
static int64_t
between(const struct tt_diff *d, const struct tt_diff_node *v)
{
	const struct tt_diff_sum *a = &v->side[TT_DIFF_A], *b = &v->side[TT_DIFF_B];
	uint64_t ua = d->side[TT_DIFF_A].nunits, ub = d->side[TT_DIFF_B].nunits;
	tt_u128 top, bottom;

	if (v->kind == TT_DIFF_REST || (tt_u128)a->n * ub == (tt_u128)b->n * ua)
		return a->part;
	if (a->n == 0)
		return a->self == 0 ? b->part : a->part;
	if (a->self < 0 || ub == 0)
		return a->part;
	if ((i128)a->self * (i128)b->n == (i128)b->self * (i128)a->n)
		return b->part;
	top = (tt_u128)(uint64_t)a->self * b->n;
	bottom = (tt_u128)a->n * ub;
	top = top / bottom + (top % bottom >= bottom - top % bottom);
	return top > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)top;
}

static int
by_label(const void *x, const void *y, void *arg)
{
	const struct tt_diff_marker *m = arg;
	size_t a = *(const size_t *)x, b = *(const size_t *)y;
	int c = strcmp(m[a].label, m[b].label);

	return c ? c : TT_CMP(a, b);
}

/* Make labels unique: within a capture they are, but markers of different captures may share one. */
static int
part_labels(struct tt_diff *d, struct tt_err *err)
{
	size_t *order = tt_mem_alloc(&d->env->mem, d->nmarker * sizeof *order, err);

	if (!order)
		return err->code;
	for (size_t i = 0; i < d->nmarker; i++)
		order[i] = i;
	tt_sort_by(order, d->nmarker, by_label, d->marker);
	for (size_t i = 0, j; i < d->nmarker; i = j) {
		const char *label = d->marker[order[i]].label;

		for (j = i + 1; j < d->nmarker && strcmp(d->marker[order[j]].label, label) == 0; j++)
			continue;
		for (size_t k = i; j - i > 1 && k < j; k++)
			d->marker[order[k]].label = d->marker[order[k]].aligned_name;
	}
	tt_mem_free(&d->env->mem, order, d->nmarker * sizeof *order);
	return TT_OK;
}

/* --- the time of frames that is compared ------------------------------------------------ */

int64_t
tt_diff_cap_period(const struct tt_diff *d, unsigned side)
{
	const struct tt_diff_side *s = &d->side[side];
	size_t i = 0;

	if (2 * s->ncapped <= s->n)
		return 0;
	while (!s->capture[i].cap_ns)
		i++;
	return s->capture[i].cap_ns;
}

/* True if both sides have capped frames, and their mean wall times are within a tenth. */
static bool
is_same_limit(const struct tt_diff *d)
{
	const struct tt_diff_side *a = &d->side[TT_DIFF_A], *b = &d->side[TT_DIFF_B];

	return tt_diff_cap_period(d, TT_DIFF_A) && tt_diff_cap_period(d, TT_DIFF_B) && tt_is_same_cap(tt_diff_per_unit(a->total_ns, a->nunits),
	    tt_diff_per_unit(b->total_ns, b->nunits));
}

/*
 * Choose uncapped time if frames of both sides are capped and last about equally long, or if wall time means nothing for some captures. If one side's frames
 * last longer, it misses the limit or has another one, which wall time shows.
 */
static enum tt_diff_time
time_to_compare(const struct tt_diff *d)
{
	bool limit = is_same_limit(d);

	for (unsigned s = 0; s < TT_DIFF_SIDES; s++)
		for (size_t i = 0; i < d->side[s].n; i++)
			limit = limit || d->side[s].capture[i].wall_is_limit;
	return limit ? TT_DIFF_UNCAPPED : TT_DIFF_WALL;
}

/* Mark the nodes on the frame thread that are not part of uncapped time, or only with their late part. A parent has a lower index than its children. */
static void
mark_limit_waits(struct tt_diff *d)
{
	for (size_t i = 1; i < d->nnode; i++) {
		struct tt_diff_node *v = &d->node[i];
		const struct tt_diff_node *up = &d->node[v->parent];
		const struct tt_diff_marker *k = v->is_in_frames && v->kind == TT_DIFF_ZONE ? &d->marker[v->name] : NULL;

		v->is_limit_wait = up->is_limit_wait || up->is_present_wait || (k && (k->is_editor || k->wait == TT_WAIT_LIMIT_ONLY));
		v->is_present_wait = !v->is_limit_wait && k && k->wait == TT_WAIT_LIMIT;
	}
}

/*
 * Replace the total of ${side} by uncapped time. The part that the other parts do not account for is the late part of waits to present: divide it among these,
 * including what is inside them, in proportion to their times. Any rest belongs to no marker.
 */
static void
take_uncapped(struct tt_diff *d, unsigned side)
{
	struct tt_diff_side *s = &d->side[side];
	int64_t late = 0, waits = 0;
	size_t rest = 0;

	s->wall_ns = tt_diff_per_unit(s->total_ns, s->nunits);
	s->total_ns = 0;
	for (size_t i = 0; i < s->n; i++)
		s->total_ns += s->capture[i].time[TT_DIFF_UNCAPPED].total;
	late = s->total_ns;
	for (size_t i = d->nnode; i-- > 1;) {
		const struct tt_diff_node *v = &d->node[i];
		const int64_t self = v->side[side].self;

		rest = v->kind == TT_DIFF_REST ? i : rest;
		waits += v->is_present_wait ? self : 0;
		if (v->is_limit_wait && (d->node[v->parent].is_limit_wait || d->node[v->parent].is_present_wait))
			d->node[v->parent].side[side].self += self;
		if (tt_diff_is_part(d, v) && !v->is_present_wait)
			late -= self;
	}
	for (size_t i = 1; i < d->nnode; i++) {
		int64_t *self = &d->node[i].side[side].self;

		if (!d->node[i].is_present_wait)
			continue;
		const int64_t share = late > 0 && waits > 0 ? (int64_t)((i128)late * *self / waits) : 0;
		waits -= *self;
		late -= share;
		*self = share;
	}
	d->node[rest].side[side].self += late;
}

int
tt_diff_finish(struct tt_diff *d, struct tt_err *err)
{
	size_t n = d->nnode > d->nsite ? d->nnode : d->nsite;
	struct tt_diff_piece *piece = tt_mem_alloc(&d->env->mem, n * sizeof *piece, err);

	if (!piece)
		return err->code;
	d->compared_time = time_to_compare(d);
	if (d->compared_time == TT_DIFF_UNCAPPED)
		mark_limit_waits(d);
	for (unsigned s = 0; s < TT_DIFF_SIDES && d->compared_time == TT_DIFF_UNCAPPED; s++)
		take_uncapped(d, s);
	for (unsigned s = 0; s < TT_DIFF_SIDES; s++)
		share_side(d, s, piece);
	for (size_t i = 1; i < d->nnode; i++)
		d->node[i].b_calls_at_a_ns = between(d, &d->node[i]);
	tt_mem_free(&d->env->mem, piece, n * sizeof *piece);
	return part_labels(d, err);
}

/* --- what a node is --------------------------------------------------------------------- */

enum tt_diff_class
tt_diff_class(const struct tt_diff *d, const struct tt_diff_node *n)
{
	return n->kind == TT_DIFF_REST ? TT_DIFF_UNACCOUNTED : d->marker[n->name].class;
}

const char *
tt_diff_category(const struct tt_diff *d, const struct tt_diff_node *n, unsigned side)
{
	const struct tt_diff_marker *k = &d->marker[n->name];

	return n->kind == TT_DIFF_REST ? "" : k->category[side] ? k->category[side] : k->category[!side];
}

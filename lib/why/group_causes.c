/**
 * Groups causes of one kind into findings, and adds findings that last throughout the capture.
 */
#include "why/causes_parts.h"

#include "base/arena_text.h"
#include "base/buf.h"
#include "base/order.h"
#include "out/table.h"
#include "stat/num.h"

/* --- findings -------------------------------------------------------------------------------------- */

static const char *
marker_of(const struct tt_why *w, const struct tt_cause *c)
{
	if (c->class == TT_CAUSE_UNKNOWN || c->class == TT_CAUSE_OUTSIDE)
		return NULL;
	if (c->class == TT_CAUSE_COMPILED && c->name)
		return c->name;
	return c->row == TT_NO_ROW ? TT_OUTSIDE : w->p->row[c->row].label;
}

static int
by_cause(const void *a, const void *b)
{
	const struct tt_cause *x = *(const struct tt_cause *const *)a, *y = *(const struct tt_cause *const *)b;

	if (tt_why_is_same(x, y))
		return TT_CMP(x->frame, y->frame);
	if (x->class != y->class)
		return TT_CMP(x->class, y->class);
	if (x->similar_group != y->similar_group)
		return TT_CMP(x->similar_group, y->similar_group);
	if (tt_why_is_requested(x) != tt_why_is_requested(y))
		return TT_CMP(tt_why_is_requested(x), tt_why_is_requested(y));
	if (x->row != y->row)
		return TT_CMP(x->row, y->row);
	if (tt_why_reported_call(x) != tt_why_reported_call(y))
		return TT_CMP(tt_why_reported_call(x), tt_why_reported_call(y));
	return x->woken_late != y->woken_late ? TT_CMP(x->woken_late, y->woken_late) :
	    TT_CMP(tt_why_is_one_call(x), tt_why_is_one_call(y));
}

/* Number of frames from which on those of a merely slower call count as scattered, if they are neither evenly spaced nor close together. */
enum { SCATTERED = 3 };

/* True if three quarters of the ${n} causes take about as long as their median: within an eighth. */
static bool
are_alike(struct tt_why *w, const struct tt_cause *const *c, size_t n)
{
	int64_t *v = tt_mem_alloc(w->mem, n * sizeof *v, w->err);
	size_t nalike = 0;

	for (size_t i = 0; i < n && v; i++)
		v[i] = c[i]->took_ns;
	const int64_t median = v ? tt_quantile_of_i64(v, n, 1, 2) : 0;

	for (size_t i = 0; i < n && v; i++)
		nalike += v[i] >= median - median / 8 && v[i] <= median + median / 8;
	tt_mem_free(w->mem, v, n * sizeof *v);
	return 4 * nalike >= 3 * n;
}

/*
 * True if the ${n} frames of ${c} are longer because of the machine's noise, not because of something that repeats. A busy machine wakes a thread late by
 * varying times; a thread that sleeps longer by similar times chose to.
 */
static bool
is_noise(struct tt_why *w, const struct tt_cause *worst, const struct tt_cause *const *c, const size_t *frame, size_t n)
{
	if (worst->woken_late)
		return !tt_why_is_spaced(w, frame, n) && (!tt_why_is_pattern(w, frame, n) || !are_alike(w, c, n));
	return worst->class == TT_CAUSE_OUTSIDE && !tt_why_is_pattern(w, frame, n);
}

static int
group_causes(struct tt_why *w, const struct tt_cause *const *c, size_t n)
{
	const struct tt_cause *worst = c[0];
	struct tt_finding *f = tt_why_finding(w);
	size_t *frame = f ? tt_mem_alloc(w->mem, n * sizeof *frame, w->err) : NULL;

	if (!frame)
		return w->err->code;
	for (size_t i = 0; i < n; i++)
		frame[i] = c[i]->frame;
	*f = (struct tt_finding){ .class = c[0]->class, .n = n };
	for (size_t i = 0; i < n; i++) {
		f->extra += c[i]->extra;
		worst = c[i]->extra > worst->extra ? c[i] : worst;
	}
	f->worst = tt_frames_number(w->m->frames, worst->frame);
	for (size_t i = 0; i < n; i++)
		w->out->cause[c[i] - w->out->cause].worst = f->worst;
	f->is_noise = is_noise(w, worst, c, frame, n);
	f->is_scattered = n >= SCATTERED && worst->class == TT_CAUSE_SLOW_CALL && worst->is_doubtful && !tt_why_is_spaced(w, frame, n);
	for (size_t i = 0; i < n && !f->is_noise; i++)
		w->out->cause[c[i] - w->out->cause].woken_late = false;
	f->marker = marker_of(w, worst);
	f->frames = tt_why_frames_text(w, frame, n);
	tt_mem_free(w->mem, frame, n * sizeof *frame);
	f->sentence = tt_why_sentence(c, n, w->p, w->text, w->err);
	return w->err->code;
}

static int
group_hitches(struct tt_why *w)
{
	size_t n = 0, all = w->out->ncause;
	const struct tt_cause **c = tt_mem_alloc(w->mem, (all + 1) * sizeof(struct tt_cause *), w->err);
	int rc = c ? TT_OK : w->err->code;

	for (size_t i = 0; i < all && c; i++) {
		struct tt_cause *k = &w->out->cause[i];

		if (k->second && tt_why_is_grown(w, k->second))
			k->second = NULL;
		if (!tt_why_is_grown(w, k))
			c[n++] = k;
	}
	if (c)
		tt_sort_bytes(c, n, sizeof *c, by_cause);
	for (size_t i = 0, next; i < n && rc == TT_OK; i = next) {
		for (next = i + 1; next < n && tt_why_is_same(c[i], c[next]);)
			next++;
		rc = group_causes(w, c + i, next - i);
	}
	tt_mem_free(w->mem, c, (all + 1) * sizeof(struct tt_cause *));
	return rc;
}

/* --- order ------------------------------------------------------------------------------------------- */

/* The rank of a finding's kind: 0 what makes most frames late, 1 known causes, 2 the machine's noise, 3 what all frames take, 4 unexplained frames. */
static int
place_of(const struct tt_finding *f)
{
	if (f->is_of_all)
		return f->makes_late ? 0 : 3;
	return f->class == TT_CAUSE_UNKNOWN ? 4 : f->is_noise ? 2 : 1;
}

/* Order findings by rank; within a rank, those of frames before those of the whole capture, and by extra time. */
static int
by_weight(const void *a, const void *b)
{
	const struct tt_finding *x = a, *y = b;

	if (place_of(x) != place_of(y))
		return place_of(x) - place_of(y);
	if ((x->extra == 0) != (y->extra == 0))
		return (x->extra == 0) - (y->extra == 0);
	if (x->is_scattered != y->is_scattered)
		return x->is_scattered - y->is_scattered;
	if (x->extra != y->extra)
		return TT_CMP(y->extra, x->extra);
	if (x->class == TT_CAUSE_LEAK || y->class == TT_CAUSE_LEAK)
		return x->class == TT_CAUSE_LEAK ? -1 : 1;
	return x->class != y->class ? TT_CMP(x->class, y->class) : TT_CMP(x->worst, y->worst);
}

/* If known causes explain at least half of the late frames, they make frames late: clear makes_late of findings about all frames. */
static void
settle_late(struct tt_why *w)
{
	uint64_t nexplained = 0;

	for (size_t i = 0; i < w->out->nfinding; i++)
		if (place_of(&w->found[i]) == 1)
			nexplained += w->found[i].n;
	for (size_t i = 0; i < w->out->nfinding && w->cap; i++)
		if (2 * nexplained >= w->m->frames->nlate)
			w->found[i].makes_late = false;
}

int
tt_why_make_findings(struct tt_why *w)
{
	struct tt_causes *out = w->out;
	int rc = tt_why_find_growth(w);

	TT_THEN(rc, group_hitches(w));
	TT_THEN(rc, tt_why_find_steady(w));
	TT_THEN(rc, tt_why_find_late_elsewhere(w));
	TT_THEN(rc, tt_why_find_cost(w));
	if (rc != TT_OK)
		return rc;
	settle_late(w);
	tt_sort(w->found, out->nfinding, by_weight);
	return tt_why_copy_findings(w);
}

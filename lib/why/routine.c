/**
 * Separates regular work, which recurs all the time, from hitches.
 */
#include "why/causes_parts.h"

#include "base/arena_text.h"
#include "out/table.h"
#include "stat/num.h"
#include "view/figures.h"

/*
 * Regular work is in at least 1/OF_FRAMES of all frames, has in each of PARTS parts of the capture at least half of an even share, and takes at most
 * MAX_MEDIANS times its median.
 */
enum { OF_FRAMES = 10, PARTS = 8, MAX_MEDIANS = 2 };

/* The shortest budget that the median frame meets: the period of the cap, of 60 or of 30 fps; 0: none. */
static int64_t
budget(const struct tt_why *w)
{
	const int64_t sixty = tt_frame_limit(16670000), thirty = tt_frame_limit(33330000), typical = w->out->typical;

	if (w->cap && typical <= w->cap)
		return w->cap;
	return typical <= sixty ? sixty : typical <= thirty ? thirty : 0;
}

/* True if ${c} blames the frame on calls of the marker ${row}, or on its time. */
static bool
is_by(const struct tt_cause *c, uint32_t row)
{
	return (c->class == TT_CAUSE_CALLS || c->class == TT_CAUSE_SLOW_CALL) && c->row == row && row != TT_NO_ROW;
}

/*
 * True if the ${n} frames, counted in ${part} by eighth of the capture, are a tenth of all frames and spread over the whole capture. If only some long frames
 * were judged, extrapolate from these.
 */
static bool
is_everywhere(const struct tt_why *w, const size_t *part, size_t n)
{
	for (size_t i = 0; i < PARTS; i++)
		if (part[i] * 2 * PARTS < n)
			return false;
	return n > 0 && (double)n / (double)w->njudged * (double)w->nlong * OF_FRAMES >= (double)w->m->frames->n;
}

/* Store in ${usual} the medians of the marker of cause ${first} over its frames within ${limit}. Return false if its work is not regular. */
static bool
find_routine(const struct tt_why *w, size_t first, int64_t limit, struct tt_cause *usual)
{
	const struct tt_causes *out = w->out;
	int64_t ns[TT_CAUSE_HITCHES], took[TT_CAUSE_HITCHES], calls[TT_CAUSE_HITCHES];
	size_t part[PARTS] = { 0 }, n = 0;

	for (size_t i = first; i < out->ncause; i++) {
		const struct tt_cause *c = &out->cause[i];

		if (!is_by(c, out->cause[first].row) || tt_why_time(w, c->frame) > limit)
			continue;
		part[c->frame * PARTS / w->m->frames->n]++;
		ns[n] = c->ns;
		took[n] = c->took_ns;
		calls[n++] = (int64_t)c->n;
	}
	if (!is_everywhere(w, part, n))
		return false;
	*usual = out->cause[first];
	usual->ns = tt_quantile_of_i64(ns, n, 1, 2);
	usual->took_ns = tt_quantile_of_i64(took, n, 1, 2);
	usual->n = (uint64_t)tt_quantile_of_i64(calls, n, 1, 2);
	return true;
}

/*
 * Drop the frames whose only cause is the regular work of ${usual}; in other frames with that marker, use its medians as the usual values. Return the number of
 * frames dropped; *${longer}: those of them that are longer than typical, not only busier.
 */
static size_t
leave_out(struct tt_why *w, const struct tt_cause *usual, int64_t limit, size_t *longer)
{
	struct tt_causes *out = w->out;
	size_t n = 0, all = out->ncause;

	for (size_t i = 0; i < all; i++) {
		struct tt_cause c = out->cause[i];

		if (is_by(&c, usual->row) && tt_why_time(w, c.frame) <= limit && c.ns <= MAX_MEDIANS * usual->ns) {
			*longer += tt_why_time(w, c.frame) > w->judge_over_ns;
			continue;
		}
		if (is_by(&c, usual->row) && c.usual_n == 0) {
			c.class = c.n >= usual->n + (usual->n + 1) / 2 ? TT_CAUSE_CALLS : TT_CAUSE_SLOW_CALL;
			c.usual_n = usual->n;
			c.usual_ns = usual->took_ns;
			c.beyond_ns = c.took_ns > usual->took_ns ? c.took_ns - usual->took_ns : c.ns;
		}
		if (c.second && is_by(c.second, usual->row) && c.second->ns <= MAX_MEDIANS * usual->ns)
			c.second = NULL;
		out->cause[n++] = c;
	}
	out->ncause = n;
	return all - n;
}

int
tt_why_drop_routine(struct tt_why *w)
{
	struct tt_causes *out = w->out;
	const int64_t limit = budget(w);
	struct tt_cause usual;

	for (size_t i = 0; i < out->ncause && limit;) {
		bool seen = false;

		for (size_t k = 0; k < i && !seen; k++)
			seen = is_by(&out->cause[k], out->cause[i].row);
		if (seen || !is_by(&out->cause[i], out->cause[i].row) || !find_routine(w, i, limit, &usual)) {
			i++;
			continue;
		}
		size_t longer = 0;
		const size_t n = leave_out(w, &usual, limit, &longer);
		char fps[TT_CAP_TEXT];

		*tt_put_cap(fps, limit) = '\0';
		if (!out->routine)
			out->routine = tt_arena_printf(w->text, w->err, "%zu of %zu frames %s because of %s, throughout the capture, and "
			    "still hold %s: regular work, not hitches", n, w->m->frames->n, 2 * longer >= n ? "are longer" : "have more CPU-active time",
			    w->p->row[usual.row].label, fps);
		/* Causes before the present one have other markers, so they stay where they are. */
	}
	return w->err->code;
}

/* True if a cause or a growth explains the frame of ${c}. */
static bool
is_explained(const struct tt_cause *c)
{
	return c->class != TT_CAUSE_UNKNOWN || c->worst == 0;
}

int
tt_why_note_unexplained(struct tt_why *w)
{
	struct tt_causes *out = w->out;
	const struct tt_frames *f = w->m->frames;
	const int64_t limit = w->cap || w->is_slowing || w->ngrowing || (w->nstep && w->best != SIZE_MAX) || out->nunexamined ? 0 : budget(w);
	size_t late = 0, n = 0, longest = 0, k = 0;
	char fps[TT_CAP_TEXT], took[32];

	for (size_t i = 0; i < f->n && limit; i++) {
		if (tt_frames_wall(f, i) <= limit)
			continue;
		late++;
		while (k < out->ncause && out->cause[k].frame < i)
			k++;
		if (k < out->ncause && out->cause[k].frame == i && is_explained(&out->cause[k]))
			continue;
		longest = n++ == 0 || tt_frames_wall(f, i) > tt_frames_wall(f, longest) ? i : longest;
	}
	if (n == 0 || late < 2)
		return TT_OK;
	*tt_put_cap(fps, limit) = '\0';
	*tt_put_time_short(took, tt_frames_wall(f, longest)) = '\0';
	out->rest = tt_arena_printf(w->text, w->err, n == 1 ? "%zu of %zu frames that miss %s is not explained: frame %llu, of %s" :
	    "%zu of %zu frames that miss %s are not explained; the longest is frame %llu, of %s", n, late, fps,
	    (unsigned long long)tt_frames_number(f, longest), took);
	return w->err->code;
}

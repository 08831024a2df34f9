/**
 * Finds markers whose time grows over the capture, or that are called more often from some frame on; the contract is in causes_parts.h.
 */
#include "why/causes_parts.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/buf.h"
#include "out/table.h"
#include "stat/num.h"

enum { PARTS = 8, LEAST_OF_PART = 4 };

/* The medians of the ${n} values at ${f}, of samples in order, by part of the capture. */
static void
medians(const struct tt_why *w, const struct tt_fact *const *f, size_t n, int64_t *ns, int64_t *calls)
{
	int64_t v[TT_FRAMES_SAMPLED];

	for (size_t part = 0, from = 0; part < PARTS; part++) {
		size_t first = part * w->nsample / PARTS, end = (part + 1) * w->nsample / PARTS, k = 0, i = from;

		for (; i < n && f[i]->sample < end; i++)
			v[k++] = f[i]->self;
		while (k < end - first)
			v[k++] = 0;
		tt_sort_i64(v, k);
		ns[part] = tt_quantile_i64(v, k, 1, 2);
		k = 0;
		for (i = from; i < n && f[i]->sample < end; i++)
			v[k++] = (int64_t)f[i]->n;
		while (k < end - first)
			v[k++] = 0;
		tt_sort_i64(v, k);
		calls[part] = tt_quantile_i64(v, k, 1, 2);
		from = i;
	}
}

/* True if it grows from part to part, in the end by half or more, and not by most of that at once, which chance may make a growth of. */
static bool
is_growing(const int64_t *v)
{
	const int64_t all = v[PARTS - 1] - v[0];
	unsigned up = 0;

	for (size_t i = 1; i < PARTS; i++) {
		up += v[i] > v[i - 1];
		if (v[i] - v[i - 1] > all / 4 * 3)
			return false;
	}
	return up >= PARTS - 2 && all >= v[0] / 2;
}

/* The text of ${b} is the sentence of ${f}; ${b} is freed. */
static int
keep(struct tt_why *w, struct tt_finding *f, struct tt_buf *b)
{
	f->sentence = tt_buf_keep(b, w->text, w->err);
	return w->err->code;
}

/* The time that all frames have beyond ${start}, by that of the samples. */
static int64_t
time_grown(const struct tt_why *w, const struct tt_fact *const *f, size_t n, int64_t start)
{
	int64_t grown = 0;

	for (size_t i = 0; i < n; i++)
		grown += f[i]->self > start ? f[i]->self - start : 0;
	return tt_ratio((uint64_t)grown, w->m->frames->n, w->nsample);
}

static int
put_growth(struct tt_why *w, uint32_t row, const int64_t *ns, const int64_t *calls, int64_t extra)
{
	struct tt_finding *f = tt_why_finding(w);
	int64_t first = calls[0] ? ns[0] / calls[0] : ns[0], last = calls[PARTS - 1] ? ns[PARTS - 1] / calls[PARTS - 1] : ns[PARTS - 1];
	char a[32], z[32];

	if (!f)
		return w->err->code;
	*f = (struct tt_finding){ .class = TT_CAUSE_GROWTH, .marker = w->p->row[row].label, .frames = "all frames", .extra = extra };
	struct tt_buf b = { 0 };
	if (is_growing(calls)) {
		*tt_put_count(a, calls[0]) = '\0';
		*tt_put_count(z, calls[PARTS - 1]) = '\0';
		tt_buf_printf(&b, "%s: calls a frame grow from %s to %s, its time from ", f->marker, a, z);
		first = ns[0];
		last = ns[PARTS - 1];
	} else {
		tt_buf_printf(&b, "%s: cost per call grows from ", f->marker);
	}
	*tt_put_time_short(a, first) = '\0';
	*tt_put_time_short(z, last) = '\0';
	tt_buf_printf(&b, "%s to %s, as medians of the first and the last eighth of the capture", a, z);
	return keep(w, f, &b);
}

/* Medians of what frames take in the first and in the last eighth of the capture. */
static void
frames_took(const struct tt_why *w, int64_t *of)
{
	int64_t v[TT_FRAMES_SAMPLED];

	for (size_t last = 0; last < 2; last++) {
		size_t n = 0;

		for (size_t i = last * (PARTS - 1) * w->nsample / PARTS; i < (last ? w->nsample : w->nsample / PARTS); i++)
			v[n++] = tt_why_time(w, w->sample[i]);
		of[last] = tt_quantile_of_i64(v, n, 1, 2);
	}
}

/*
 * True if frames take half as long again in the end, or longer, and if four fifths of their time are in markers that are called as often as ever and take as
 * many times as long as frames do, by between half and twice of what these grow.
 */
static bool
all_slow_down(const struct tt_why *w, const int64_t *took)
{
	const double grows = took[0] > 0 ? (double)took[1] / (double)took[0] - 1 : 0;
	int64_t ns[PARTS], calls[PARTS], sum = 0, alike = 0;
	struct tt_fact_walk k;

	if (grows < .5)
		return false;
	tt_why_walk(&k, w);
	while (tt_why_walk_next(&k)) {
		if (k.v[0]->what != TT_OF_ROW)
			continue;
		medians(w, k.v, k.n, ns, calls);
		const double by = ns[0] > 0 ? (double)ns[PARTS - 1] / (double)ns[0] - 1 : 0;
		const bool as_often = calls[PARTS - 1] * 10 <= calls[0] * 11;
		sum += ns[0] > 0 ? ns[0] : 0;
		alike += ns[0] > 0 && as_often && by >= grows / 2 && by <= grows * 2 ? ns[0] : 0;
	}
	return sum > 0 && alike * 5 >= sum * 4;
}

static int
put_slower(struct tt_why *w, const int64_t *took)
{
	struct tt_finding *f = tt_why_finding(w);
	int64_t extra = 0;
	char a[32], z[32];

	if (!f)
		return w->err->code;
	for (size_t i = 0; i < w->nsample; i++) {
		const int64_t t = tt_why_time(w, w->sample[i]);

		extra += t > took[0] ? t - took[0] : 0;
	}
	*tt_put_time_short(a, took[0]) = '\0';
	*tt_put_time_short(z, took[1]) = '\0';
	*f = (struct tt_finding){ .class = TT_CAUSE_GROWTH, .frames = "all frames", .extra = tt_ratio((uint64_t)extra, w->m->frames->n, w->nsample) };
	f->sentence = tt_arena_printf(w->text, w->err, "everything takes %.1f times as long: a slower processor clock (heat, power saving), a busy "
	    "machine, or more to do in each call; median frame %s in the first eighth of the capture, %s in the last", (double)took[1] / (double)took[0], a, z);
	return w->err->code;
}

/* The marker whose time in a frame grows most over the capture; TT_NO_ROW: none does by a twentieth of a frame. */
static int
find_growing(struct tt_why *w)
{
	int64_t best = w->out->typical / 20, extra = 0, ns[PARTS], calls[PARTS], best_ns[PARTS] = { 0 }, best_calls[PARTS] = { 0 };
	int64_t took[2];
	struct tt_fact_walk k;

	tt_why_walk(&k, w);
	while (tt_why_walk_next(&k)) {
		if (k.v[0]->what != TT_OF_ROW)
			continue;
		medians(w, k.v, k.n, ns, calls);
		if (!is_growing(ns) || ns[PARTS - 1] - ns[0] <= best || calls[0] == 0)
			continue;
		best = ns[PARTS - 1] - ns[0];
		extra = time_grown(w, k.v, k.n, ns[0]);
		memcpy(best_ns, ns, sizeof ns);
		memcpy(best_calls, calls, sizeof calls);
		w->grows = k.v[0]->id;
	}
	if (w->grows == TT_NO_ROW)
		return TT_OK;
	frames_took(w, took);
	w->slows = all_slow_down(w, took);
	if (!w->slows)
		return put_growth(w, w->grows, best_ns, best_calls, extra);
	w->grows = TT_NO_ROW;
	return put_slower(w, took);
}

/* --- from some frame on --------------------------------------------------------------------------- */

/* The part from which on all values are half as large again as any before it, and 1 at least; 0: there is none. *${low}, *${high}: the nearest of both. */
static size_t
step_of(const int64_t *v, int64_t *low, int64_t *high)
{
	for (size_t at = 1; at < PARTS; at++) {
		*low = *high = v[at];
		for (size_t i = at; i < PARTS; i++)
			*high = v[i] < *high ? v[i] : *high;
		*low = 0;
		for (size_t i = 0; i < at; i++)
			*low = v[i] > *low ? v[i] : *low;
		if (*high > 0 && *high >= *low + (*low + 1) / 2)
			return at;
	}
	return 0;
}

/* The first of three samples in a row with more calls than halfway between ${low} and ${high}; they are near where part ${part} begins. */
static size_t
sample_of(const struct tt_why *w, const struct tt_fact_walk *k, size_t part, int64_t low, int64_t high)
{
	const size_t from = (part - 1) * w->nsample / PARTS;
	unsigned many = 0;

	for (size_t i = 0; i < k->n; i++) {
		if (k->v[i]->sample < from)
			continue;
		many = 2 * (int64_t)k->v[i]->n > low + high ? many + 1 : 0;
		if (many == 3)
			return k->v[i - 2]->sample;
	}
	return part * w->nsample / PARTS;
}

/* Which markers are called more often from some part on: into ${to}, with room for all rows. Returns how many. */
static size_t
find_steps(const struct tt_why *w, struct tt_step *to)
{
	int64_t ns[PARTS], calls[PARTS], low, high;
	struct tt_fact_walk k;
	size_t n = 0, part;

	tt_why_walk(&k, w);
	while (tt_why_walk_next(&k)) {
		if (k.v[0]->what != TT_OF_ROW || k.v[0]->id == TT_NO_ROW)
			continue;
		medians(w, k.v, k.n, ns, calls);
		if ((part = step_of(calls, &low, &high)) > 0)
			to[n++] = (struct tt_step){ .row = k.v[0]->id, .sample = sample_of(w, &k, part, low, high), .before = low, .after = high };
	}
	return n;
}

/*
 * Of ${n} steps, the one of the fewest calls among those whose time makes frames half as much longer as any does: who calls others more often comes before
 * these, and with as many calls who takes more time. SIZE_MAX: none takes a tenth of a typical frame, or frames are not even half as much longer.
 */
static size_t
choose_step(const struct tt_why *w, struct tt_step *s, size_t n)
{
	int64_t ns[PARTS], calls[PARTS], took[2], most = w->out->typical / 10;
	size_t best = SIZE_MAX;
	struct tt_fact_walk k;

	tt_why_walk(&k, w);
	while (tt_why_walk_next(&k)) {
		if (k.v[0]->what != TT_OF_TOTAL)
			continue;
		for (size_t i = 0; i < n; i++)
			if (s[i].row == k.v[0]->id) {
				medians(w, k.v, k.n, ns, calls);
				s[i].more = ns[PARTS - 1] - ns[0];
				most = s[i].more > most ? s[i].more : most;
			}
	}
	for (size_t i = 0; i < n; i++)
		if (s[i].more >= (most + 1) / 2 && s[i].more > w->out->typical / 10 && (best == SIZE_MAX || s[i].after < s[best].after ||
		    (s[i].after == s[best].after && s[i].more > s[best].more)))
			best = i;
	frames_took(w, took);
	return best != SIZE_MAX && took[1] - took[0] < s[best].more / 2 ? SIZE_MAX : best;
}

/* The step of the marker of ${c}, if it is at the place of the best; NULL: it has none there, or does far more in this frame. */
static const struct tt_step *
step_by(const struct tt_why *w, const struct tt_cause *c)
{
	for (size_t i = 0; i < w->nstep && w->best != SIZE_MAX; i++) {
		const struct tt_step *s = &w->step[i], *best = &w->step[w->best];

		if (s->row == c->row && s->sample <= best->sample + 1 && best->sample <= s->sample + 1)
			return c->ns <= s->more + s->more / 2 && (int64_t)c->n < s->after + (s->after + 1) / 2 ? s : NULL;
	}
	return NULL;
}

/* The first frame of the step: that of its sample, or one of those between the sample before and it, if all from there on are known to be long by it. */
static size_t
first_frame(const struct tt_why *w, const struct tt_step *s, bool *known)
{
	const struct tt_causes *out = w->out;
	const size_t after = s->sample ? w->sample[s->sample - 1] : 0;
	size_t at = w->sample[s->sample];

	*known = false;
	for (size_t i = out->ncause; i-- > 0 && out->cause[i].frame > after;) {
		if (out->cause[i].frame > at)
			continue;
		if (out->cause[i].frame + *known != at || step_by(w, &out->cause[i]) == NULL)
			break;
		at = out->cause[i].frame;
		*known = true;
	}
	return at;
}

bool
tt_why_grown(const struct tt_why *w, const struct tt_cause *c)
{
	if (w->slows)
		return c->class == TT_CAUSE_UNKNOWN;
	if (c->class != TT_CAUSE_SLOW_CALL && c->class != TT_CAUSE_CALLS && !c->doubtful)
		return false;
	if (w->grows != TT_NO_ROW)
		return c->row == w->grows;
	const struct tt_step *s = step_by(w, c);

	return s && s->sample && c->frame > w->sample[s->sample - 1];
}

static int
put_step(struct tt_why *w, const struct tt_step *s)
{
	const struct tt_frames *f = w->m->frames;
	bool known;
	const size_t from = first_frame(w, s, &known);
	struct tt_finding *to = tt_why_finding(w);
	char more[32], after[32], before[32] = "none";

	if (!to)
		return w->err->code;
	*tt_put_time_short(more, s->more) = '\0';
	*tt_put_count(after, s->after) = '\0';
	*to = (struct tt_finding){ .class = TT_CAUSE_GROWTH, .marker = w->p->row[s->row].label, .extra = s->more * (int64_t)(f->n - from) };
	if (s->before)
		*tt_put_count(before, s->before) = '\0';
	to->frames = tt_arena_printf(w->text, w->err, known ? "from frame %llu on" : "from about frame %llu on", (unsigned long long)tt_frames_number(f, from));
	to->sentence = tt_arena_printf(w->text, w->err, "%s: %s call%s a frame, before %s: %s more, as medians of the first and the last "
	    "eighth of the capture", to->marker, after, s->after == 1 ? "" : "s", before, more);
	return w->err->code;
}

static int
find_step(struct tt_why *w)
{
	w->step = tt_mem_alloc(w->mem, (w->p->nrow + 1) * sizeof *w->step, w->err);
	if (!w->step)
		return w->err->code;
	w->nstep = find_steps(w, w->step);
	w->best = choose_step(w, w->step, w->nstep);
	return w->best == SIZE_MAX ? TT_OK : put_step(w, &w->step[w->best]);
}

int
tt_why_growth(struct tt_why *w)
{
	int rc;

	w->grows = TT_NO_ROW;
	if (w->nsample < PARTS * LEAST_OF_PART)
		return TT_OK;
	rc = find_growing(w);
	return rc == TT_OK && w->grows == TT_NO_ROW && !w->slows ? find_step(w) : rc;
}

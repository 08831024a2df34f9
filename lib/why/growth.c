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
medians(const struct tt_why *w, const struct tt_fact *f, size_t n, int64_t *ns, int64_t *calls)
{
	int64_t v[TT_FRAMES_SAMPLED];

	for (size_t part = 0, from = 0; part < PARTS; part++) {
		size_t first = part * w->nsample / PARTS, end = (part + 1) * w->nsample / PARTS, k = 0, i = from;

		for (; i < n && f[i].sample < end; i++)
			v[k++] = f[i].self;
		while (k < end - first)
			v[k++] = 0;
		tt_sort_i64(v, k);
		ns[part] = tt_quantile_i64(v, k, 1, 2);
		k = 0;
		for (i = from; i < n && f[i].sample < end; i++)
			v[k++] = (int64_t)f[i].n;
		while (k < end - first)
			v[k++] = 0;
		tt_sort_i64(v, k);
		calls[part] = tt_quantile_i64(v, k, 1, 2);
		from = i;
	}
}

/* True if it grows from part to part, and in the end by half or more. */
static bool
is_growing(const int64_t *v)
{
	unsigned up = 0;

	for (size_t i = 1; i < PARTS; i++)
		up += v[i] > v[i - 1];
	return up >= PARTS - 2 && v[PARTS - 1] >= v[0] + v[0] / 2;
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
time_grown(const struct tt_why *w, const struct tt_fact *f, size_t n, int64_t start)
{
	int64_t grown = 0;

	for (size_t i = 0; i < n; i++)
		grown += f[i].self > start ? f[i].self - start : 0;
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
		tt_buf_printf(&b, "%s: calls a frame grow from %lld to %lld, its time from ", f->marker, (long long)calls[0], (long long)calls[PARTS - 1]);
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

/* The marker whose time in a frame grows most over the capture; TT_NO_ROW: none does by a twentieth of a frame. */
static int
find_growing(struct tt_why *w, uint32_t *row)
{
	int64_t best = w->out->typical / 20, extra = 0, ns[PARTS], calls[PARTS], best_ns[PARTS] = { 0 }, best_calls[PARTS] = { 0 };
	struct tt_fact_walk k;

	tt_why_walk(&k, &w->of_samples);
	while (tt_why_walk_next(&k)) {
		if (k.v[0].what != TT_OF_ROW)
			continue;
		medians(w, k.v, k.n, ns, calls);
		if (!is_growing(ns) || ns[PARTS - 1] - ns[0] <= best || calls[0] == 0)
			continue;
		best = ns[PARTS - 1] - ns[0];
		extra = time_grown(w, k.v, k.n, ns[0]);
		memcpy(best_ns, ns, sizeof ns);
		memcpy(best_calls, calls, sizeof calls);
		*row = k.v[0].id;
	}
	return *row == TT_NO_ROW ? TT_OK : put_growth(w, *row, best_ns, best_calls, extra);
}

/* --- from some frame on --------------------------------------------------------------------------- */

/* A marker that is called half as often again, and more, from one part of the capture on than in any before it. */
struct step {
	uint32_t row;                 /* TT_NO_ROW: none */
	size_t sample;                /* from here on */
	int64_t before, after;        /* calls of a frame */
	int64_t more;                 /* time of a frame, with all that it calls */
};

/* The part from which on all values are half as large again as any before it, at least; 0: there is none. *${low}, *${high}: the nearest of both. */
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
		if (*low > 0 && *high >= *low + (*low + 1) / 2)
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
		if (k->v[i].sample < from)
			continue;
		many = 2 * (int64_t)k->v[i].n > low + high ? many + 1 : 0;
		if (many == 3)
			return k->v[i - 2].sample;
	}
	return part * w->nsample / PARTS;
}

/* Which markers are called more often from some part on: into ${to}, with room for all rows. Returns how many. */
static size_t
find_steps(const struct tt_why *w, struct step *to)
{
	int64_t ns[PARTS], calls[PARTS], low, high;
	struct tt_fact_walk k;
	size_t n = 0, part;

	tt_why_walk(&k, &w->of_samples);
	while (tt_why_walk_next(&k)) {
		if (k.v[0].what != TT_OF_ROW || k.v[0].id == TT_NO_ROW)
			continue;
		medians(w, k.v, k.n, ns, calls);
		if ((part = step_of(calls, &low, &high)) > 0)
			to[n++] = (struct step){ .row = k.v[0].id, .sample = sample_of(w, &k, part, low, high), .before = low, .after = high };
	}
	return n;
}

/*
 * Of ${n} steps, the one of the fewest calls among those whose time makes frames half as much longer as any does: who calls others more often comes before
 * these. SIZE_MAX: none takes a tenth of a typical frame.
 */
static size_t
choose_step(const struct tt_why *w, struct step *s, size_t n)
{
	int64_t ns[PARTS], calls[PARTS], most = w->out->typical / 10;
	size_t best = SIZE_MAX;
	struct tt_fact_walk k;

	tt_why_walk(&k, &w->of_samples);
	while (tt_why_walk_next(&k)) {
		if (k.v[0].what != TT_OF_TOTAL)
			continue;
		for (size_t i = 0; i < n; i++)
			if (s[i].row == k.v[0].id) {
				medians(w, k.v, k.n, ns, calls);
				s[i].more = ns[PARTS - 1] - ns[0];
				most = s[i].more > most ? s[i].more : most;
			}
	}
	for (size_t i = 0; i < n; i++)
		if (s[i].more >= (most + 1) / 2 && s[i].more > w->out->typical / 10 && (best == SIZE_MAX || s[i].after < s[best].after))
			best = i;
	return best;
}

static int
put_step(struct tt_why *w, const struct step *s)
{
	const struct tt_frames *f = w->m->frames;
	const size_t from = w->sample[s->sample];
	struct tt_finding *to = tt_why_finding(w);
	char more[32];

	if (!to)
		return w->err->code;
	*tt_put_time_short(more, s->more) = '\0';
	*to = (struct tt_finding){ .class = TT_CAUSE_GROWTH, .marker = w->p->row[s->row].label, .extra = s->more * (int64_t)(f->n - from) };
	to->frames = tt_arena_printf(w->text, w->err, "from about frame %llu on", (unsigned long long)tt_frames_number(f, from));
	to->sentence = tt_arena_printf(w->text, w->err, "%s: %lld calls a frame, before %lld: %s more, as medians of the first and the last "
	    "eighth of the capture", to->marker, (long long)s->after, (long long)s->before, more);
	return w->err->code;
}

static int
find_step(struct tt_why *w)
{
	struct step *s = tt_mem_alloc(w->mem, (w->p->nrow + 1) * sizeof *s, w->err);
	size_t best;

	if (!s)
		return w->err->code;
	best = choose_step(w, s, find_steps(w, s));
	int rc = best == SIZE_MAX ? TT_OK : put_step(w, &s[best]);
	tt_mem_free(w->mem, s, (w->p->nrow + 1) * sizeof *s);
	return rc;
}

int
tt_why_growth(struct tt_why *w, uint32_t *row)
{
	int rc;

	*row = TT_NO_ROW;
	if (w->nsample < PARTS * LEAST_OF_PART)
		return TT_OK;
	rc = find_growing(w, row);
	return rc == TT_OK && *row == TT_NO_ROW ? find_step(w) : rc;
}

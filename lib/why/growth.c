/**
 * Finds markers whose time grows over the capture, or that are called more often or take longer from some frame on.
 */
#include "why/causes_parts.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/buf.h"
#include "out/table.h"
#include "stat/num.h"
#include "view/frame_sums.h"

enum { PARTS = 8, MIN_FRAMES_PER_PART = 4 };

/* Compute the medians of time and calls in each of the PARTS parts of the capture; ${f} has the fact in ${n} samples, in order, and is zero in the others. */
static void
medians(const struct tt_why *w, const struct tt_sampled_fact *const *f, size_t n, int64_t *ns, int64_t *calls)
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

/* True if the values grow from part to part, by at least half in the end, and not by more than three quarters of that in one step, which may be chance. */
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

/* Store the text of ${b} as the sentence of ${f}, and free ${b}. */
static int
keep(struct tt_why *w, struct tt_finding *f, struct tt_buf *b)
{
	f->sentence = tt_buf_move_to_arena(b, w->text, w->err);
	return w->err->code;
}

/* Estimate from the samples the time of all frames beyond ${start}. */
static int64_t
time_grown(const struct tt_why *w, const struct tt_sampled_fact *const *f, size_t n, int64_t start)
{
	int64_t grown = 0;

	for (size_t i = 0; i < n; i++)
		grown += f[i]->self > start ? f[i]->self - start : 0;
	return tt_ratio((uint64_t)grown, w->m->frames->n, w->nsample);
}

static int
put_growth(struct tt_why *w, const struct tt_growing *g, bool exact)
{
	const bool waits = g->what != TT_OF_ROW && g->what != TT_OF_TOTAL;
	const uint32_t call = waits ? w->calls[g->id].row : TT_NO_ROW;
	struct tt_finding *f = tt_why_finding(w);
	char a[32], z[32];
	int64_t per[2] = { g->ns[0], g->ns[1] };

	if (!f)
		return w->err->code;
	*f = (struct tt_finding){ .class = TT_CAUSE_GROWTH, .marker = w->p->row[g->row].label, .frames = "all frames", .extra = g->extra };
	struct tt_buf b = { 0 };
	tt_buf_printf(&b, g->what == TT_OF_TOTAL ? "%s, with what it calls, grows from " : "%s: ", f->marker);
	if (waits && call != TT_NO_ROW && call != g->row) {
		tt_buf_printf(&b, "waiting in %s grows from ", w->p->row[call].label);
	} else if (waits) {
		tt_buf_text(&b, "waiting grows from ");
	} else if (g->what == TT_OF_ROW && g->by_calls) {
		*tt_put_count(a, g->calls[0]) = '\0';
		*tt_put_count(z, g->calls[1]) = '\0';
		tt_buf_printf(&b, "calls a frame grow from %s to %s, its time from ", a, z);
	} else if (g->what == TT_OF_ROW) {
		tt_buf_text(&b, "cost per call grows from ");
		for (size_t i = 0; i < 2; i++)
			per[i] = g->calls[i] ? g->ns[i] / g->calls[i] : g->ns[i];
	}
	*tt_put_time_short(a, per[0]) = '\0';
	*tt_put_time_short(z, per[1]) = '\0';
	tt_buf_printf(&b, "%s to %s%s, as medians of %s", a, z, g->what == TT_OF_ROW ? "" : " a frame", exact ? "the first and the last eighth of the capture" :
	    "sampled frames of the first and the last eighth of the capture");
	return keep(w, f, &b);
}

/* The first frame of the first eighth of the capture, or of the last eighth if ${last}; *${n}: their number. */
static size_t
eighth(const struct tt_why *w, size_t last, size_t *n)
{
	*n = w->m->frames->n / PARTS;
	return last ? w->m->frames->n - *n : 0;
}

/* Compute the median frame times of the first and the last eighth of the capture, into ${of}. */
static int
frames_took(const struct tt_why *w, int64_t *of)
{
	size_t n, from = eighth(w, 0, &n);
	int64_t *v = tt_mem_alloc(w->mem, n * sizeof *v, w->err);

	for (size_t last = 0; last < 2 && v; last++) {
		from = eighth(w, last, &n);
		for (size_t i = 0; i < n; i++)
			v[i] = tt_why_time(w, from + i);
		of[last] = tt_quantile_of_i64(v, n, 1, 2);
	}
	tt_mem_free(w->mem, v, n * sizeof *v);
	return w->err->code;
}

/*
 * True if everything slows down: frames become at least half as long again, and four fifths of their time are in calls that are made as often as before and
 * whose time grows by between half and twice the factor of the frames. Calls of a method from several callers are judged separately.
 */
static bool
all_slow_down(const struct tt_why *w, const int64_t *took)
{
	const double grows = took[0] > 0 ? (double)took[1] / (double)took[0] - 1 : 0;
	int64_t ns[PARTS], calls[PARTS], sum = 0, alike = 0;
	struct tt_fact_walk k;

	if (grows < .5)
		return false;
	tt_why_walk_begin(&k, w);
	while (tt_why_walk_next(&k)) {
		if (k.v[0]->what != TT_OF_NODE)
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

/* Insert ${g} into w->growing, which keeps the TT_WHY_GROWING facts that grow most, in order. */
static void
add_growing(struct tt_why *w, const struct tt_growing *g)
{
	size_t at = w->ngrowing;

	while (at > 0 && w->growing[at - 1].ns[1] - w->growing[at - 1].ns[0] < g->ns[1] - g->ns[0])
		at--;
	if (at == TT_WHY_GROWING)
		return;
	w->ngrowing += w->ngrowing < TT_WHY_GROWING;
	memmove(&w->growing[at + 1], &w->growing[at], (w->ngrowing - at - 1) * sizeof *w->growing);
	w->growing[at] = *g;
}

/* True if the medians ${ns} grow, by more than a twentieth of a typical frame. */
static bool
is_clear(const struct tt_why *w, const int64_t *ns)
{
	return is_growing(ns) && ns[PARTS - 1] - ns[0] > w->out->typical / 20;
}

/*
 * True if the time of a call grows, too: with as many calls as in the first part, the time would still grow. Otherwise the rising number of calls is the step
 * to report.
 */
static bool
grows_per_call(const struct tt_why *w, const int64_t *ns, const int64_t *calls)
{
	int64_t alike[PARTS];

	for (size_t i = 0; i < PARTS; i++)
		alike[i] = calls[i] > 0 && ns[i] > 0 ? tt_ratio((uint64_t)ns[i], (uint64_t)calls[0], (uint64_t)calls[i]) : 0;
	return is_clear(w, alike);
}

/*
 * Find markers whose time in a frame grows over the capture by more than a twentieth of a frame. ${longer}: by how much frames become longer; growing waits
 * count only if frames become longer by at least half as much, because a wait also fills up a frame.
 */
static void
find_growing(struct tt_why *w, int64_t longer)
{
	int64_t ns[PARTS], calls[PARTS];
	struct tt_fact_walk k;

	tt_why_walk_begin(&k, w);
	while (tt_why_walk_next(&k)) {
		const struct tt_sampled_fact *f = k.v[0];
		const bool waits = f->what == TT_OF_CALL + TT_CAUSE_WAIT || f->what == TT_OF_CALL + TT_CAUSE_LOCK;
		const uint32_t row = waits ? w->calls[f->id].by : f->id;

		/* With a frame limit, waits merely fill up the period. */
		if ((f->what != TT_OF_ROW && !waits) || row == TT_NO_ROW || (waits && w->cap && w->is_late_wait[f->node]))
			continue;
		medians(w, k.v, k.n, ns, calls);
		const int64_t more = ns[PARTS - 1] - ns[0];
		const bool by_calls = is_growing(calls);
		if (is_clear(w, ns) && calls[0] && (waits ? longer >= more / 2 : by_calls || grows_per_call(w, ns, calls)))
			add_growing(w, &(struct tt_growing){ .what = f->what, .id = f->id, .row = row, .ns = { ns[0], ns[PARTS - 1] },
			    .calls = { calls[0], calls[PARTS - 1] }, .extra = time_grown(w, k.v, k.n, ns[0]), .by_calls = by_calls });
	}
}

/* --- by whom a method that several call grows -------------------------------------------------------- */

/* True if the path ${node} is ${in}, or lies below it. */
static bool
is_below(const struct tt_why *w, uint32_t node, uint32_t in)
{
	while (node != in && node > TT_NODE_MORE)
		node = tt_paths_node(w->p, node)->parent;
	return node == in;
}

/*
 * The time in the first eighth of the calls of the same marker as ${node} on other paths, not below ${out}, whose time hardly grows until the last eighth.
 * *${calls}: the number of calls on all these paths.
 */
static int64_t
steady_beside(const struct tt_why *w, uint32_t node, uint32_t out, int64_t *calls)
{
	const uint32_t row = tt_paths_row(w->p, node);
	int64_t ns[PARTS], n[PARTS], sum = 0;
	struct tt_fact_walk k;

	*calls = 0;
	tt_why_walk_begin(&k, w);
	while (tt_why_walk_next(&k) && k.v[0]->what == TT_OF_NODE) {
		if (k.v[0]->id == node || tt_paths_row(w->p, k.v[0]->id) != row || is_below(w, k.v[0]->id, out))
			continue;
		medians(w, k.v, k.n, ns, n);
		*calls += n[0];
		sum += ns[0] > 0 && ns[PARTS - 1] < ns[0] + ns[0] / 4 ? ns[0] : 0;
	}
	return sum;
}

/* True if the time of the marker ${row}, with all that it calls, grows; set ${g} to that growth. */
static bool
total_grows(const struct tt_why *w, uint32_t row, struct tt_growing *g)
{
	int64_t ns[PARTS], calls[PARTS];
	struct tt_fact_walk k;

	tt_why_walk_begin(&k, w);
	while (tt_why_walk_next(&k)) {
		if (k.v[0]->what != TT_OF_TOTAL || k.v[0]->id != row)
			continue;
		medians(w, k.v, k.n, ns, calls);
		*g = (struct tt_growing){ .what = TT_OF_TOTAL, .id = row, .row = row, .ns = { ns[0], ns[PARTS - 1] },
		    .extra = time_grown(w, k.v, k.n, ns[0]) };
		return is_clear(w, ns);
	}
	return false;
}

/*
 * Find the caller to blame for a marker that grows on the path ${node}, while calls from elsewhere, with at least a fifth as much time, do not grow: the
 * innermost caller that grows and is not itself called from elsewhere, into ${g}. Return false if there is none.
 */
static bool
find_caller(const struct tt_why *w, uint32_t node, int64_t ns, struct tt_growing *g)
{
	int64_t calls;
	const int64_t steady = steady_beside(w, node, node, &calls);

	if (steady <= 0 || steady * 5 < ns)
		return false;
	for (uint32_t at = node;;) {
		at = w->own[tt_paths_node(w->p, at)->parent];
		if (at <= TT_NODE_MORE || tt_paths_node(w->p, at)->kind != TT_NODE_ZONE || steady_beside(w, node, at, &calls) < steady)
			return false;
		steady_beside(w, at, at, &calls);
		if (calls == 0 && tt_paths_row(w->p, at) != TT_NO_ROW && total_grows(w, tt_paths_row(w->p, at), g))
			break;
	}
	g->helper = tt_paths_row(w->p, node);
	return true;
}

/* Remove the growing fact of kind ${what} and id ${id}: another one stands for it. */
static void
drop_growing(struct tt_why *w, uint32_t what, uint32_t id)
{
	size_t n = 0;

	for (size_t i = 0; i < w->ngrowing; i++)
		if (w->growing[i].what != what || w->growing[i].id != id)
			w->growing[n++] = w->growing[i];
	w->ngrowing = n;
}

/* Replace markers that grow only when called by one of their callers: report that caller. */
static void
find_callers(struct tt_why *w)
{
	int64_t ns[PARTS], calls[PARTS];
	struct tt_fact_walk k;
	struct tt_growing g;

	tt_why_walk_begin(&k, w);
	while (tt_why_walk_next(&k) && k.v[0]->what == TT_OF_NODE) {
		if (time_grown(w, k.v, k.n, w->out->typical / 20) <= 0 || tt_paths_row(w->p, k.v[0]->id) == TT_NO_ROW)
			continue;
		medians(w, k.v, k.n, ns, calls);
		if (!calls[0] || !is_clear(w, ns) || !find_caller(w, k.v[0]->id, ns[0], &g))
			continue;
		drop_growing(w, TT_OF_ROW, g.helper);
		drop_growing(w, TT_OF_ROW, g.id);
		drop_growing(w, TT_OF_TOTAL, g.id);
		add_growing(w, &g);
	}
}

/* Set the medians of each growing fact in the first or the last eighth (${last}) from ${v}, which has ${n} times and then ${n} call counts for each fact. */
static void
settle_medians(struct tt_why *w, size_t last, int64_t *v, size_t n)
{
	for (size_t i = 0; i < w->ngrowing; i++) {
		struct tt_growing *g = &w->growing[i];

		g->ns[last] = tt_quantile_of_i64(v + 2 * i * n, n, 1, 2);
		g->calls[last] = tt_quantile_of_i64(v + (2 * i + 1) * n, n, 1, 2);
	}
}

/* Read the frames of the first or the last eighth (${last}), all of which were kept, and set the medians of the growing facts. */
static int
read_eighth(struct tt_why *w, size_t last)
{
	size_t n;
	const size_t from = eighth(w, last, &n), room = 2 * w->ngrowing * n;
	size_t *of = tt_mem_alloc(w->mem, n * sizeof *of, w->err);
	int64_t *v = of ? tt_mem_alloc(w->mem, room * sizeof *v, w->err) : NULL;

	for (size_t i = 0; i < n && v; i++)
		of[i] = from + i;
	w->s->chosen = of;
	w->s->nchosen = n;
	if (v)
		tt_frame_sums_rewind(w->s);
	while (v && w->err->code == TT_OK && tt_frame_sums_next(w->s) && w->s->frame < from + n) {
		if (w->s->frame < from || tt_why_facts(w) != TT_OK)
			continue;
		for (size_t i = 0; i < w->ngrowing; i++) {
			const struct tt_fact *f = tt_why_fact(w, w->growing[i].what, w->growing[i].id);

			v[2 * i * n + w->s->frame - from] = f ? f->self : 0;
			v[(2 * i + 1) * n + w->s->frame - from] = f ? (int64_t)f->n : 0;
		}
	}
	if (v && w->err->code == TT_OK)
		settle_medians(w, last, v, n);
	w->s->chosen = NULL;
	w->s->nchosen = 0;
	tt_mem_free(w->mem, v, room * sizeof *v);
	tt_mem_free(w->mem, of, n * sizeof *of);
	return w->err->code;
}

static int
put_growing(struct tt_why *w)
{
	size_t n;
	const bool exact = !w->m->frames->is_part_examined && eighth(w, 0, &n) == 0 && tt_why_max_examined(w, n) == n;
	int rc = exact ? read_eighth(w, 0) : TT_OK;

	if (rc == TT_OK && exact)
		rc = read_eighth(w, 1);
	for (size_t i = 0; i < w->ngrowing && rc == TT_OK; i++)
		rc = put_growth(w, &w->growing[i], exact);
	return rc;
}

/* --- from some frame on --------------------------------------------------------------------------- */

/*
 * The first part from which on all values are at least 1 and half as large again as all before; 0: none. *${low}: the largest value before it, *${high}: the
 * smallest from it on.
 */
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

/* The sample where the step near the start of ${part} begins: the first of three in a row with more calls, or time, than halfway between ${low} and ${high}. */
static size_t
sample_of(const struct tt_why *w, const struct tt_fact_walk *k, size_t part, bool by_time, int64_t low, int64_t high)
{
	const size_t from = (part - 1) * w->nsample / PARTS;
	unsigned many = 0;

	for (size_t i = 0; i < k->n; i++) {
		if (k->v[i]->sample < from)
			continue;
		many = 2 * (by_time ? k->v[i]->self : (int64_t)k->v[i]->n) > low + high ? many + 1 : 0;
		if (many == 3)
			return k->v[i - 2]->sample;
	}
	return part * w->nsample / PARTS;
}

/* Find markers that are called more often from some part on, into ${to}, which has room for all rows. Return their number. */
static size_t
find_steps(const struct tt_why *w, struct tt_step *to)
{
	int64_t ns[PARTS], calls[PARTS], low, high;
	struct tt_fact_walk k;
	size_t n = 0, part;

	tt_why_walk_begin(&k, w);
	while (tt_why_walk_next(&k)) {
		if (k.v[0]->what != TT_OF_ROW || k.v[0]->id == TT_NO_ROW)
			continue;
		medians(w, k.v, k.n, ns, calls);
		if ((part = step_of(calls, &low, &high)) > 0)
			to[n++] = (struct tt_step){ .row = k.v[0]->id, .sample = sample_of(w, &k, part, false, low, high), .before = low, .after = high };
	}
	return n;
}

/*
 * Choose the step to report among the ${n} at ${s}: of those that add at least half as much time to a frame as the largest one, the one with the fewest calls,
 * because a caller precedes the callees that it calls more often; with equal calls the one with more time. SIZE_MAX: none adds a tenth of a typical frame, or
 * frames do not grow by half of its time.
 */
static size_t
choose_step(const struct tt_why *w, struct tt_step *s, size_t n, int64_t longer)
{
	int64_t ns[PARTS], calls[PARTS], most = w->out->typical / 10;
	size_t best = SIZE_MAX;
	struct tt_fact_walk k;

	tt_why_walk_begin(&k, w);
	while (tt_why_walk_next(&k)) {
		if (k.v[0]->what != TT_OF_TOTAL)
			continue;
		for (size_t i = 0; i < n; i++)
			if (s[i].row == k.v[0]->id) {
				medians(w, k.v, k.n, ns, calls);
				s[i].more_ns = ns[PARTS - 1] - ns[0];
				most = s[i].more_ns > most ? s[i].more_ns : most;
			}
	}
	for (size_t i = 0; i < n; i++)
		if (s[i].more_ns >= (most + 1) / 2 && s[i].more_ns > w->out->typical / 10 && (best == SIZE_MAX || s[i].after < s[best].after ||
		    (s[i].after == s[best].after && s[i].more_ns > s[best].more_ns)))
			best = i;
	return best != SIZE_MAX && longer < s[best].more_ns / 2 ? SIZE_MAX : best;
}

/* True if calls with at least a fifth of the time in the first eighth take about as long in the last, within a quarter: then not everything slows down. */
static bool
some_stay(const struct tt_why *w)
{
	int64_t ns[PARTS], calls[PARTS], sum = 0, stay = 0;
	struct tt_fact_walk k;

	tt_why_walk_begin(&k, w);
	while (tt_why_walk_next(&k) && k.v[0]->what == TT_OF_NODE) {
		medians(w, k.v, k.n, ns, calls);
		sum += ns[0] > 0 ? ns[0] : 0;
		stay += ns[0] > 0 && ns[PARTS - 1] >= ns[0] - ns[0] / 4 && ns[PARTS - 1] <= ns[0] + ns[0] / 4 ? ns[0] : 0;
	}
	return stay * 5 >= sum && sum > 0;
}

/* True if the marker ${row} is called about as often in the last eighth as in the first. */
static bool
is_as_often(const struct tt_why *w, uint32_t row)
{
	int64_t ns[PARTS], calls[PARTS];
	struct tt_fact_walk k;

	tt_why_walk_begin(&k, w);
	while (tt_why_walk_next(&k)) {
		if (k.v[0]->what != TT_OF_ROW || k.v[0]->id != row)
			continue;
		medians(w, k.v, k.n, ns, calls);
		return calls[PARTS - 1] * 10 <= calls[0] * 11;
	}
	return false;
}

/* Find markers that take half as long again from some part on, with all that they call, and add a tenth of a typical frame: into ${to}. Return their number. */
static size_t
find_time_steps(const struct tt_why *w, struct tt_step *to)
{
	int64_t ns[PARTS], calls[PARTS], low, high;
	struct tt_fact_walk k;
	size_t n = 0, part;

	tt_why_walk_begin(&k, w);
	while (tt_why_walk_next(&k)) {
		if (k.v[0]->what != TT_OF_TOTAL || k.v[0]->id == TT_NO_ROW)
			continue;
		medians(w, k.v, k.n, ns, calls);
		const int64_t more = ns[PARTS - 1] - ns[0];
		if (more > w->out->typical / 10 && ns[0] > 0 && (part = step_of(ns, &low, &high)) > 0)
			to[n++] = (struct tt_step){ .row = k.v[0]->id, .sample = sample_of(w, &k, part, true, low, high), .before = ns[0],
			    .after = ns[PARTS - 1], .more_ns = more, .by_time = true };
	}
	return n;
}

/*
 * Choose the step to report among the ${n} time steps at ${s}: of those with at least four fifths of the largest growth, the one that took least before,
 * because its callers include its time. SIZE_MAX: it takes less than twice as long, or is called more, or frames do not grow by half of it, or everything slows
 * down.
 */
static size_t
choose_time_step(const struct tt_why *w, const struct tt_step *s, size_t n, int64_t longer)
{
	int64_t most = 0;
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < n; i++)
		most = s[i].more_ns > most ? s[i].more_ns : most;
	for (size_t i = 0; i < n; i++)
		if (s[i].more_ns >= most - most / 5 && (best == SIZE_MAX || s[i].before < s[best].before))
			best = i;
	if (best == SIZE_MAX || s[best].after < 2 * s[best].before || longer < s[best].more_ns / 2 || !is_as_often(w, s[best].row) || !some_stay(w))
		return SIZE_MAX;
	return best;
}

/*
 * The step of the marker of ${c}, if it begins where the reported step does; NULL: no such step, or the marker does far more in this frame than the step
 * explains.
 */
static const struct tt_step *
step_by(const struct tt_why *w, const struct tt_cause *c)
{
	for (size_t i = 0; i < w->nstep && w->best != SIZE_MAX; i++) {
		const struct tt_step *s = &w->step[i], *best = &w->step[w->best];

		if (s->row == c->row && s->sample <= best->sample + 1 && best->sample <= s->sample + 1)
			return c->ns <= s->more_ns + s->more_ns / 2 && (s->by_time || (int64_t)c->n < s->after + (s->after + 1) / 2) ? s : NULL;
	}
	return NULL;
}

/*
 * The first frame of the step: the frame of its sample; or an earlier one after the previous sample, if the step explains all frames from there on (*${known}).
 */
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

static bool
is_of_growing(const struct tt_why *w, uint32_t what, uint32_t id)
{
	for (size_t i = 0; i < w->ngrowing; i++)
		if (w->growing[i].what == what && w->growing[i].id == id)
			return true;
	return false;
}

/* True if the marker ${row} grows together with its callees, or is the callee through which such a marker grows. */
static bool
is_by_caller(const struct tt_why *w, uint32_t row)
{
	for (size_t i = 0; i < w->ngrowing; i++)
		if (w->growing[i].what == TT_OF_TOTAL && (w->growing[i].id == row || w->growing[i].helper == row))
			return true;
	return false;
}

bool
tt_why_is_grown(const struct tt_why *w, const struct tt_cause *c)
{
	if (w->is_slowing)
		return c->class == TT_CAUSE_UNKNOWN;
	if (c->class == TT_CAUSE_WAIT || c->class == TT_CAUSE_LOCK)
		return is_of_growing(w, TT_OF_CALL + (uint32_t)c->class, c->call);
	if (c->class != TT_CAUSE_SLOW_CALL && c->class != TT_CAUSE_CALLS && !c->is_doubtful)
		return false;
	if (w->ngrowing)
		return is_of_growing(w, TT_OF_ROW, c->row) || is_by_caller(w, c->row);
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
	*to = (struct tt_finding){ .class = TT_CAUSE_GROWTH, .marker = w->p->row[s->row].label, .extra = s->more_ns * (int64_t)(f->n - from) };
	to->frames = tt_arena_printf(w->text, w->err, known ? "from frame %llu on" : "from about frame %llu on", (unsigned long long)tt_frames_number(f, from));
	if (s->by_time) {
		*tt_put_time_short(before, s->before) = '\0';
		*tt_put_time_short(after, s->after) = '\0';
		to->sentence = tt_arena_printf(w->text, w->err, "%s, with what it calls: %s a frame, before %s, as medians of the last and the first "
		    "eighth of the capture; it is called as often as before", to->marker, after, before);
		return w->err->code;
	}
	*tt_put_time_short(more, s->more_ns) = '\0';
	*tt_put_count(after, s->after) = '\0';
	if (s->before)
		*tt_put_count(before, s->before) = '\0';
	to->sentence = tt_arena_printf(w->text, w->err, "%s: %s call%s a frame, before %s: %s more, as medians of the first and the last "
	    "eighth of the capture", to->marker, after, s->after == 1 ? "" : "s", before, more);
	return w->err->code;
}

static int
find_step(struct tt_why *w, int64_t longer)
{
	w->step = tt_mem_alloc(w->mem, (w->p->nrow + 1) * sizeof *w->step, w->err);
	if (!w->step)
		return w->err->code;
	w->nstep = find_steps(w, w->step);
	w->best = choose_step(w, w->step, w->nstep, longer);
	if (w->best == SIZE_MAX) {
		w->nstep = find_time_steps(w, w->step);
		w->best = choose_time_step(w, w->step, w->nstep, longer);
	}
	return w->best == SIZE_MAX ? TT_OK : put_step(w, &w->step[w->best]);
}

int
tt_why_find_growth(struct tt_why *w)
{
	int64_t took[2];

	w->ngrowing = 0;
	if (w->nsample < PARTS * MIN_FRAMES_PER_PART)
		return TT_OK;
	if (frames_took(w, took) != TT_OK)
		return w->err->code;
	find_growing(w, took[1] - took[0]);
	find_callers(w);
	if (w->ngrowing == 0)
		return find_step(w, took[1] - took[0]);
	w->is_slowing = all_slow_down(w, took);
	if (!w->is_slowing)
		return put_growing(w);
	w->ngrowing = 0;
	return put_slower(w, took);
}

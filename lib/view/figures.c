/**
 * Computes the figures of frames that several tables share.
 */
#include "view/figures.h"

#include <string.h>

#include "base/order.h"
#include "view/paths.h"

/* --- values of single frames -------------------------------------------------------- */

static int64_t
at_most(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

bool
tt_frame_value(const struct tt_frames *f, unsigned what, size_t i, int64_t *v)
{
	switch (what) {
	case TT_FRAME_WALL:
		*v = tt_frames_wall(f, i);
		return true;
	case TT_FRAME_SHOWN:
		*v = tt_frames_shown(f, i);
		return true;
	case TT_FRAME_LATE:
		*v = tt_frames_is_late(f, i);
		return tt_frames_nrefreshes(f, i) > 0;
	case TT_FRAME_NEEDED:
		*v = tt_frames_needed(f, i);
		return true;
	case TT_FRAME_CPU:
		*v = tt_frames_cpu(f, i);
		return f->has_wait;
	case TT_FRAME_UNCAPPED:
		*v = tt_frames_uncapped(f, i);
		return true;
	case TT_FRAME_EDITOR:
		*v = tt_column_at(&f->editor_ns, i);
		return f->has_editor;
	case TT_FRAME_ALLOC_B:
		*v = at_most((uint64_t)tt_column_at(&f->alloc_b, i));
		return true;
	case TT_FRAME_ALLOC_N:
		*v = at_most((uint64_t)tt_column_at(&f->alloc_n, i));
		return true;
	case TT_FRAME_TIMING + TT_TIMING_RENDER:
		/* A time that the engine measured may exist for some frames only; if zones tell it, a frame without work has 0. */
		*v = tt_frames_render(f, i);
		return *v != 0 || (f->has_render && !f->render_measured);
	default:
		*v = f->has_timing ? tt_frames_timing(f, what - TT_FRAME_TIMING, i) : 0;
		return *v != 0;
	}
}

int
tt_values_of_frames(struct tt_values *to, const struct tt_model *m, unsigned what, struct tt_err *err)
{
	const struct tt_frames *f = m->frames;
	struct tt_mem *mem = &m->env->mem;
	const size_t room = f ? f->n : 0;
	int64_t *v = tt_mem_alloc(mem, room * sizeof *v, err);
	size_t n = 0;
	int rc = TT_OK;

	*to = (struct tt_values){ 0 };
	if (!v)
		return err->code;
	for (size_t i = 0; i < room; i++) {
		if (!tt_frame_value(f, what, i, &v[n]))
			continue;
		to->sum += (uint64_t)v[n++];
	}
	tt_sort_i64(v, n);
	for (size_t i = 0; i < n && rc == TT_OK; i++)
		rc = tt_column_push(&to->v, mem, v[i], err);
	to->n = n;
	to->stddev = tt_stddev_i64(v, n);
	to->trimmed = tt_trimmed_sum_i64(v, n);
	to->made = rc == TT_OK;
	tt_mem_free(mem, v, room * sizeof *v);
	if (rc != TT_OK)
		tt_values_free(to, mem);
	return rc;
}

void
tt_values_free(struct tt_values *v, struct tt_mem *mem)
{
	tt_column_free(&v->v, mem);
	*v = (struct tt_values){ 0 };
}

int64_t
tt_values_quantile(const struct tt_values *v, unsigned num, unsigned den)
{
	return v->n ? tt_column_at(&v->v, (size_t)tt_nearest_rank(v->n, num, den) - 1) : 0;
}

int64_t
tt_values_percentile(const struct tt_values *v, unsigned num, unsigned den, int rule)
{
	return rule == TT_PERCENTILES_UNITY && v->n ? tt_column_at(&v->v, (v->n - 1) * num / den) : tt_values_quantile(v, num, den);
}

int64_t
tt_values_mean(const struct tt_values *v, unsigned scale)
{
	return tt_ratio(v->sum, scale, v->n);
}

int64_t
tt_values_trimmed(const struct tt_values *v, unsigned scale)
{
	return v->n ? tt_trimmed_mean(v->trimmed, v->n, scale) : 0;
}

int64_t
tt_values_stddev(const struct tt_values *v)
{
	return v->stddev;
}

size_t
tt_values_over(const struct tt_values *v, int64_t limit)
{
	return v->n - tt_lower_bound(i, 0, v->n, tt_column_at(&v->v, i) <= limit);
}

int64_t
tt_values_fps(const struct tt_values *v, size_t part)
{
	size_t n = v->n / part + (v->n % part != 0);
	uint64_t sum = 0;

	for (size_t i = v->n - n; i < v->n; i++)
		sum += (uint64_t)tt_column_at(&v->v, i);
	return tt_ratio(n, UINT64_C(1000000000000), sum);
}

/*
 * Tolerance of frame limits, in ns: a frame may take the period of its rate, rounded up, plus one clock step. Clocks step by 100 ns in Unity's .raw and by 1 us
 * in its older .data, so that a frame of exactly 1/60 s may be a step longer.
 */
enum { CLOCK_STEP = 1000 };

int64_t
tt_frame_limit(int64_t ns)
{
	static const int rate[] = { 15, 24, 30, 45, 60, 72, 90, 120, 144, 240 };

	for (size_t i = 0; i < sizeof rate / sizeof *rate; i++)
		if (ns == tt_ratio(100000, 1, (uint64_t)rate[i]) * 10000)
			return (1000000000 + rate[i] - 1) / rate[i] + CLOCK_STEP;
	return ns;
}

const struct tt_hitch_limit tt_hitch_limit[TT_HITCH_LIMITS] = {
	{ "6.94ms", 6940000, true }, { "8.33ms", 8330000, false }, { "11.11ms", 11110000, false }, { "13.89ms", 13890000, true },
	{ "16.67ms", 16670000, false }, { "20ms", 20000000, true }, { "22.22ms", 22220000, false }, { "25ms", 25000000, true },
	{ "28ms", 28000000, true }, { "33.33ms", 33330000, false }, { "41.67ms", 41670000, true }, { "50ms", 50000000, false },
	{ "60ms", 60000000, true }, { "66.67ms", 66670000, false }, { "100ms", 100000000, false }, { "250ms", 250000000, false },
	{ "1s", 1000000000, false },
};

/* --- capped frames ------------------------------------------------------------------- */

bool
tt_is_same_cap(int64_t a, int64_t b)
{
	return a > 0 && b > 0 && b <= a + a / 10 && a <= b + b / 10;
}

bool
tt_frames_wall_is_limit(const struct tt_frames *f, int64_t period)
{
	return f && period && f->player_only && f->has_editor;
}

int64_t
tt_frames_editor_percent(const struct tt_frames *f)
{
	uint64_t editor = 0, all = 0;

	if (!f || !f->has_editor || f->player_only)
		return -1;
	for (size_t i = 0; i < f->n; i++) {
		editor += (uint64_t)tt_column_at(&f->editor_ns, i);
		all += (uint64_t)tt_frames_dur(f, i);
	}
	return tt_ratio(editor, 100, all);
}

char *
tt_put_cap(char *p, int64_t period)
{
	enum { MAX_DIGITS = 4 };
	const uint64_t tenths = (uint64_t)tt_ratio(10000000000, 1, (uint64_t)period);
	const bool is_whole = tenths % 10 == 0;
	const uint64_t rate = is_whole ? tenths / 10 : tenths, second = is_whole ? 1000 : 10000;
	uint64_t part = 10;                               /* fraction of a millisecond that ms counts */
	unsigned digits = 1;
	int64_t ms;
	char *end = stpcpy(tt_put_fixed(p, (int64_t)rate, is_whole ? 0 : 1), " fps (");

	if (rate == 0)
		return stpcpy(tt_put_fixed(end, tt_ratio((uint64_t)period, 1, 100000), 1), " ms)");
	/* The period of the rate as printed, with enough digits to tell the same rate. */
	ms = tt_ratio(second, part, rate);
	while (digits < MAX_DIGITS && (ms == 0 || (uint64_t)tt_ratio(second, part, (uint64_t)ms) != rate)) {
		digits++;
		part *= 10;
		ms = tt_ratio(second, part, rate);
	}
	return stpcpy(tt_put_fixed(end, ms, digits), " ms)");
}

int64_t
tt_pause_ns_in(const struct tt_model *m, uint32_t process, int64_t start, int64_t end)
{
	const struct tt_gc *gc = tt_gc(m);
	int64_t sum = 0;

	for (size_t i = 0; i < gc->npause; i++) {
		const struct tt_pause *p = &gc->pause[i];
		int64_t from = p->start > start ? p->start : start, to = p->end < end ? p->end : end;

		if (p->process == process && from < to)
			sum += to - from;
	}
	return sum;
}

/* --- allocations ---------------------------------------------------------------------- */

struct tt_alloc_sum
tt_alloc_sum(const struct tt_model *m)
{
	struct tt_alloc_sum sum = { 0 };

	for (uint32_t i = 0; i < tt_tree_count(m->tree); i++) {
		struct tt_count c;

		if (tt_tree_node(m->tree, i)->kind != TT_NODE_ALLOC)
			continue;
		c = tt_counts_get(m->counts, i);
		sum.n += c.n;
		sum.bytes += c.total;
		sum.variance += (uint64_t)c.self;
		sum.sampled = sum.sampled || c.self > 0;
	}
	return sum;
}

/* --- times ---------------------------------------------------------------------------- */

void
tt_spread_clear(struct tt_spread *s)
{
	s->t = (struct tt_times){ 0 };
	tt_hist_clear(&s->h);
}

void
tt_spread_add(struct tt_spread *s, const struct tt_tally *of, uint64_t id, const struct tt_times *t)
{
	if (t->n)
		tt_tally_hist(of, id, t, &s->h);
	tt_times_join(&s->t, t);
}

int64_t
tt_times_mean(const struct tt_times *t)
{
	return tt_ratio((uint64_t)t->total, 1, t->n);
}

uint64_t
tt_spread_p95(const struct tt_spread *s)
{
	return tt_hist_quantile(&s->h, 95, 100);
}

/* --- handles -------------------------------------------------------------------------- */

struct tt_handle_kind
tt_handles_sum(const struct tt_model *m)
{
	const struct tt_handles *h = tt_handles(m);
	struct tt_handle_kind sum = { 0 };

	for (size_t i = 0; i < TT_HANDLE_KINDS; i++) {
		sum.ncreated += h->kind[i].ncreated;
		sum.ndestroyed += h->kind[i].ndestroyed;
		sum.nunknown += h->kind[i].nunknown;
		sum.nlive += h->kind[i].nlive;
	}
	return sum;
}

/* --- counters ------------------------------------------------------------------------- */

double
tt_counter_number(const struct tt_counter_stat *c, union tt_counter_value v)
{
	return c->type == TT_T_F64 ? v.d : c->type == TT_T_U64 ? (double)v.u : (double)v.i;
}

/* --- collections ---------------------------------------------------------------------- */

struct tt_gc_stat
tt_collections(const struct tt_gc_stat *gen, size_t from, size_t to)
{
	struct tt_gc_stat sum = { 0 };

	for (size_t i = from; i < to; i++) {
		sum.n += gen[i].n;
		sum.total += gen[i].total;
		sum.max = gen[i].max > sum.max ? gen[i].max : sum.max;
	}
	return sum;
}

/* --- calls ---------------------------------------------------------------------------- */

uint32_t
tt_calls_step(const struct tt_walk *w, const uint32_t *slot, struct tt_calls *sum)
{
	const struct tt_paths *p = w->p;
	uint32_t owner = p->owner[w->node], at = p->line[w->node];

	if (at != TT_NO_ROW && slot)
		at = slot[at];
	if (at == TT_NO_SLOT)
		return at;
	struct tt_calls *s = &sum[at];
	if (w->leave) {
		s->open -= owner == w->node;
		return TT_NO_SLOT;
	}
	struct tt_count c = tt_paths_count(p, w->node);
	s->self += c.self;
	s->met = s->met || c.self != 0;
	if (owner != w->node)
		return TT_NO_SLOT;
	s->met = s->met || c.n > 0 || c.total != 0;
	s->n += c.n;
	s->all += c.total;
	if (s->open++ == 0)
		s->total += c.total;
	return at;
}

void
tt_calls_sum(const struct tt_paths *p, const uint32_t *slot, struct tt_calls *sum)
{
	struct tt_walk w = { .p = p };

	while (tt_walk_next(&w))
		tt_calls_step(&w, slot, sum);
}

void
tt_row_frames(const struct tt_paths *p, const struct tt_row *row, struct tt_frame_marker *sum)
{
	const struct tt_frames *f = p->m->frames;

	for (uint32_t i = 0; i < row->n; i++) {
		uint32_t marker = p->by_row[row->first + i];
		const struct tt_frame_marker *s;

		if (marker >= f->nmarker_stat)
			continue;
		s = &f->marker_stat[marker];
		sum->total += s->total;
		sum->self += s->self;
		sum->idle += s->idle;
		sum->total_max = s->total_max > sum->total_max ? s->total_max : sum->total_max;
		sum->self_max = s->self_max > sum->self_max ? s->self_max : sum->self_max;
		sum->calls += s->calls;
		sum->calls_max = s->calls_max > sum->calls_max ? s->calls_max : sum->calls_max;
		sum->nframes = s->nframes > sum->nframes ? s->nframes : sum->nframes;
	}
}

void
tt_row_durations(const struct tt_paths *p, const struct tt_row *row, struct tt_hist *h)
{
	for (uint32_t i = 0; i < row->n; i++)
		tt_counts_hist(p->m->counts, p->by_row[row->first + i], h);
}

void
tt_row_cut(const struct tt_paths *p, const struct tt_row *row, uint64_t *n, int64_t *cut)
{
	for (uint32_t i = 0; i < row->n; i++)
		tt_counts_cut(p->m->counts, p->by_row[row->first + i], n, cut);
}

/**
 * Counters: their values become figures of each counter.
 *
 * Values of one counter may be of several types, as a program may record 5 and then 5.5. The counter has the type that holds them all.
 *
 * A value may be the difference to the one before (TT_F_DELTA). That is undone here, in the event itself, so that
 * every later stage sees values.
 */
#include "collect/by_frame.h"
#include "collect/collect.h"
#include "collect/counters.h"

#include <math.h>

#include "base/map.h"
#include "base/order.h"
#include "model/model.h"

enum { MAX_COUNTERS = 1u << 16, MAX_POINTS = 1u << 22 };

struct counters {
	struct tt_counters out;
	struct tt_map at;             /* index of counters by process, id, definition (NULL: none so far), and whether values are texts */
	struct tick { int64_t ts; uint64_t n; } (*tick)[2];   /* by process, for the runtime's and the program's own counters: the last sampling */
	bool disordered;              /* true: some value follows a later value of its counter */
};

/* The type of a value: any that is neither text nor floating, nor unsigned, counts as signed. */
static uint8_t
type_of(const struct tt_event *e)
{
	return e->depth == TT_T_TEXT || e->depth == TT_T_F64 || e->depth == TT_T_U64 ? (uint8_t)e->depth : TT_T_I64;
}

static int
begin(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct counters *s = state;

	return (s->tick = tt_mem_alloc(c->mem, c->m->ncap * sizeof *s->tick, err)) ? TT_OK : err->code;
}

/* The index + 1 of the counter with this definition, whose values are texts or not; 0: none. *${hash}: its hash in the map. */
static uint32_t
find_counter(const struct counters *s, uint32_t process, uint64_t id, const struct tt_def *def, bool text, uint64_t *hash)
{
	const struct tt_counter_stat *const c = s->out.counter;

	*hash = tt_seeded_pair(tt_seeded_pair(process, id), (uintptr_t)def + text);
	return tt_map_find(&s->at, *hash, i, c[i].id == id && c[i].process == process && c[i].def == def && (c[i].type == TT_T_TEXT) == text);
}

/* Find or add the counter that the number of ${e} means now; *${of} NULL: beyond MAX_COUNTERS. */
static int
counter_of(const struct tt_collecting *c, struct counters *s, const struct tt_event *e, const struct tt_def *def,
    struct tt_counter_stat **of, struct tt_err *err)
{
	struct tt_counters *out = &s->out;
	const uint32_t process = c->cap->process;
	const uint8_t type = type_of(e);
	const bool text = type == TT_T_TEXT;
	uint64_t hash, none;
	uint32_t at = find_counter(s, process, e->dur, def, text, &hash);
	int rc;

	*of = NULL;
	if (at) {
		*of = &out->counter[at - 1];
		return TT_OK;
	}
	/* A counter that came before its description is the same counter. */
	if (def && (at = find_counter(s, process, e->dur, NULL, text, &none)) > 0) {
		out->counter[at - 1].def = def;
		*of = &out->counter[at - 1];
		return tt_map_add(&s->at, c->mem, hash, at - 1, err);
	}
	if (out->n >= MAX_COUNTERS) {
		out->dropped++;
		return TT_OK;
	}
	rc = tt_mem_grow(c->mem, &out->counter, &out->cap, out->n + 1, sizeof *out->counter, err);
	TT_THEN(rc, tt_map_add(&s->at, c->mem, hash, out->n, err));
	if (rc != TT_OK)
		return rc;
	*of = &out->counter[out->n++];
	**of = (struct tt_counter_stat){ .process = process, .id = e->dur, .def = def, .type = type };
	return TT_OK;
}

/* --- types ---------------------------------------------------------------------- */

uint8_t
tt_counter_common(uint8_t a, union tt_counter_value amin, union tt_counter_value amax, uint8_t b, union tt_counter_value bmin, union tt_counter_value bmax)
{
	if (a == b)
		return a;
	if (a == TT_T_F64 || b == TT_T_F64)
		return TT_T_F64;
	const int64_t least = a == TT_T_I64 ? amin.i : bmin.i;
	const uint64_t most = a == TT_T_I64 ? bmax.u : amax.u;
	return least >= 0 ? TT_T_U64 : most <= INT64_MAX ? TT_T_I64 : TT_T_F64;
}

union tt_counter_value
tt_counter_as(uint8_t type, uint8_t as, union tt_counter_value v)
{
	if (as == TT_T_F64 && type != TT_T_F64)
		v.d = type == TT_T_U64 ? (double)v.u : (double)v.i;
	return v;
}

/* Widen the counter's type so that it holds ${v} of ${type}, too. */
static void
widen(const struct counters *s, struct tt_counter_stat *c, uint8_t type, union tt_counter_value v)
{
	const uint8_t as = c->n ? tt_counter_common(c->type, c->min, c->max, type, v, v) : type, was = c->type;

	if (as == TT_T_F64 && was != TT_T_F64) {
		c->npoint_was = s->out.npoint;
		c->type_was = was;
		c->first = tt_counter_as(was, as, c->first);
		c->last = tt_counter_as(was, as, c->last);
		c->min = tt_counter_as(was, as, c->min);
		c->max = tt_counter_as(was, as, c->max);
	}
	c->type = as;
}

static int
add_point(const struct tt_collecting *c, struct tt_counters *out, const struct tt_counter_stat *of, int64_t ts,
    union tt_counter_value v, struct tt_err *err)
{
	if (out->npoint >= MAX_POINTS) {
		out->point_dropped++;
		return TT_OK;
	}
	int rc = tt_mem_grow(c->mem, &out->point, &out->cappoint, out->npoint + 1, sizeof *out->point, err);
	if (rc == TT_OK)
		out->point[out->npoint] = (struct tt_counter_point){ ts, (uint32_t)(of - out->counter), (uint32_t)out->npoint, v };
	out->npoint += rc == TT_OK;
	return rc;
}

bool
tt_counter_less(uint8_t type, union tt_counter_value a, union tt_counter_value b)
{
	return type == TT_T_F64 ? a.d < b.d : type == TT_T_U64 ? a.u < b.u : a.i < b.i;
}

bool
tt_counter_is_number(uint8_t type, union tt_counter_value v)
{
	return type != TT_T_F64 || isfinite(v.d);
}

static int
rank_of(uint8_t type, union tt_counter_value v)
{
	return tt_counter_is_number(type, v) ? 2 : !isnan(v.d);
}

int
tt_counter_rank(uint8_t type, union tt_counter_value a, union tt_counter_value b)
{
	return type == TT_T_F64 ? rank_of(type, a) - rank_of(type, b) : 0;
}

void
tt_counter_extend(uint8_t type, union tt_counter_value *min, union tt_counter_value *max, union tt_counter_value low,
    union tt_counter_value high)
{
	const int rank = tt_counter_rank(type, low, *min);

	if (rank < 0)
		return;
	if (rank > 0 || tt_counter_less(type, low, *min))
		*min = low;
	if (rank > 0 || tt_counter_less(type, *max, high))
		*max = high;
}

const struct tt_def *
tt_counter_def(const struct tt_capture *cap, const struct tt_event *e)
{
	return tt_defs_find(cap->defs, TT_DEF_COUNTER, e->dur, e->ts - cap->offset_ns);
}

static double
as_double(uint8_t type, union tt_counter_value v)
{
	return type == TT_T_F64 ? v.d : type == TT_T_U64 ? (double)v.u : (double)v.i;
}

/* The number of the sampling at ${ts}: all values of one sampling have the same time. Custom counters are sampled separately from the runtime's. */
static uint64_t
tick_of(struct tick *t, int64_t ts)
{
	if (t->n == 0 || t->ts != ts) {
		t->ts = ts;
		t->n++;
	}
	return t->n;
}

/* Doubles from SCALED_FROM on are summed separately, times SCALE, so that even 2^64 of the largest do not overflow. */
#define SCALED_FROM 0x1p+950
#define SCALE 0x1p-100

/* Add ${v}, of the values that count, ${n} times. */
static void
add_to_sum(struct tt_counter_stat *c, union tt_counter_value v, uint64_t n)
{
	const double d = as_double(c->type, v);

	if (isfinite(d) && fabs(d) >= SCALED_FROM)
		c->sum_scaled += d * SCALE * (double)n;
	else
		c->sum += d * (double)n;
	c->nsum += n;
}

double
tt_counter_mean(const struct tt_counter_stat *c)
{
	const double mean = c->sum / (double)c->nsum + c->sum_scaled / (double)c->nsum / SCALE;

	/* Rounding may take it beyond the largest double. */
	return isinf(mean) && tt_counter_is_number(c->type, c->min) ? mean > 0 ? c->max.d : c->min.d : mean;
}

/* Add the last value for each sampling up to ${tick} that left the counter out, because it had not changed. */
static void
fill_up(struct tt_counter_stat *c, uint64_t tick)
{
	if (c->n == 0 || tick <= c->tick)
		return;
	if (tt_counter_rank(c->type, c->last, c->min) == 0)
		add_to_sum(c, c->last, tick - c->tick);
	c->tick = tick;
}

static void
add_value(struct tt_counter_stat *c, int64_t ts, union tt_counter_value v)
{
	int rank = 0;

	if (c->n == 0) {
		c->min = c->max = v;
	} else {
		rank = tt_counter_rank(c->type, v, c->min);
		tt_counter_extend(c->type, &c->min, &c->max, v, v);
	}
	if (c->n == 0 || ts < c->first_ts) {
		c->first = v;
		c->first_ts = ts;
	}
	if (c->n == 0 || ts >= c->last_ts) {
		c->last = v;
		c->last_ts = ts;
	}
	c->n++;
	if (rank > 0) {
		c->sum = c->sum_scaled = 0;
		c->nsum = 0;
	}
	if (rank >= 0)
		add_to_sum(c, v, 1);
}

static int
text_value(const struct tt_collecting *c, struct tt_counter_stat *of, const struct tt_event *e, struct tt_err *err)
{
	const char *text = e->flags & TT_F_MORE ? c->b->text.p + e[1].val : "";
	size_t n = e->flags & TT_F_MORE ? e[1].dur : 0;

	if (of->n++ > 0 && e->ts < of->last_ts)
		return TT_OK;
	of->last_ts = e->ts;
	/* A text longer than all before takes new memory, at least twice as much. */
	if (n >= of->captext) {
		of->captext = 2 * n + 16;
		of->text = tt_arena_alloc(&c->cap->arena, of->captext, err);
		if (!of->text)
			return err->code;
	}
	memcpy(of->text, text, n);
	of->text[n] = '\0';
	return TT_OK;
}

static int
event(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err)
{
	struct counters *s = state;
	const struct tt_def *d = tt_counter_def(c->cap, e);
	bool custom = d && (d->a & TT_CF_OWN);
	union tt_counter_value v;
	struct tt_counter_stat *of;
	int rc = counter_of(c, s, e, d, &of, err);

	if (rc != TT_OK)
		return rc;
	if (e->depth != TT_T_TEXT && (e->flags & TT_F_DELTA)) {
		if (of && !custom)
			e->val += of->bits;
		if (e->depth == TT_T_U64 && d && (d->a & TT_CF_32))
			e->val &= UINT32_MAX;
		e->flags &= (uint8_t)~TT_F_DELTA;
	}
	if (!of)
		return TT_OK;
	if (e->depth == TT_T_TEXT)
		return tt_collect_in_time(c, e) ? text_value(c, of, e, err) : TT_OK;
	of->bits = v.u = e->val;
	if (!tt_collect_in_time(c, e))
		return TT_OK;
	if (of->type != type_of(e))
		widen(s, of, type_of(e), v);
	v = tt_counter_as(type_of(e), of->type, v);
	if (c->cap->skips_equal) {
		uint64_t tick = tick_of(&s->tick[c->cap->process][custom], e->ts);
		fill_up(of, tick - 1);
		of->tick = tick;
		of->custom = custom;
	}
	s->disordered |= of->n > 0 && e->ts < of->last_ts;
	add_value(of, e->ts, v);
	if ((c->needs & TT_NEEDS_BY_FRAME) && (rc = tt_by_frame_value(c, (uint32_t)(of - s->out.counter), of->type, e->ts, v, err)) != TT_OK)
		return rc;
	return c->needs & TT_NEEDS_POINTS ? add_point(c, &s->out, of, e->ts, v, err) : TT_OK;
}

/* Sort points by process, time, then file order; ${arg}: the counters. */
static int
by_time(const void *a, const void *b, void *arg)
{
	const struct tt_counter_point *x = a, *y = b;
	const struct tt_counter_stat *of = arg;

	if (of[x->counter].process != of[y->counter].process)
		return TT_CMP(of[x->counter].process, of[y->counter].process);
	return x->ts != y->ts ? TT_CMP(x->ts, y->ts) : TT_CMP(x->place, y->place);
}

/* Convert points to the final types, sort them, and count unchanged counters in every sampling. */
static int
finish(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct counters *s = state;

	(void)err;
	for (size_t i = 0; i < s->out.npoint; i++) {
		const struct tt_counter_stat *of = &s->out.counter[s->out.point[i].counter];
		if (i < of->npoint_was)
			s->out.point[i].v = tt_counter_as(of->type_was, of->type, s->out.point[i].v);
	}
	if (s->disordered)
		tt_sort_by(s->out.point, s->out.npoint, by_time, s->out.counter);
	for (size_t i = 0; i < s->out.n; i++) {
		struct tt_counter_stat *of = &s->out.counter[i];
		if (c->m->cap[of->process]->skips_equal && of->type != TT_T_TEXT)
			fill_up(of, s->tick[of->process][of->custom].n);
	}
	return TT_OK;
}

static void
release(struct tt_model *m, void *state)
{
	struct counters *s = state;

	tt_map_free(&s->at, &m->env->mem);
	tt_mem_free(&m->env->mem, s->tick, m->ncap * sizeof *s->tick);
}

static void
free_all(struct tt_model *m, void *state)
{
	struct tt_counters *out = state;

	tt_mem_free(&m->env->mem, out->counter, out->cap * sizeof *out->counter);
	tt_mem_free(&m->env->mem, out->point, out->cappoint * sizeof *out->point);
}

const struct tt_collector tt_collector_counters = {
	.name = "counters", .size = sizeof(struct counters), .kinds = TT_KIND(TT_COUNTER),
	.begin = begin, .event = event, .finish = finish, .release = release, .free = free_all,
};

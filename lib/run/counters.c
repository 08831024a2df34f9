/**
 * Counters: their values in file order become figures of each counter.
 *
 * A value may be the difference to the one before (TT_F_DELTA). That is undone here, in the event itself, so that
 * every later stage sees values.
 */
#include "run/state.h"

#include <math.h>

#include "base/hash_seed.h"

enum { MAX_COUNTERS = 1u << 16, MAX_POINTS = 1u << 22 };

static size_t
slot_of(const struct tt_run *r, uint32_t process, uint64_t id)
{
	const struct tt_model *m = r->m;
	size_t mask = r->ncounter_slot - 1;
	size_t i = tt_slot_of(process, id, r->ncounter_slot);

	for (; r->counter_slot[i]; i = (i + 1) & mask) {
		const struct tt_counter_stat *c = &m->counter[r->counter_slot[i] - 1];
		if (c->id == id && c->process == process)
			break;
	}
	return i;
}

static int
grow_slots(struct tt_run *r, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;
	size_t n = r->ncounter_slot ? r->ncounter_slot * 2 : 256;
	uint32_t *slot = tt_mem_alloc(mem, n * sizeof *slot, err);

	if (!slot)
		return err->code;
	tt_mem_free(mem, r->counter_slot, r->ncounter_slot * sizeof *slot);
	r->counter_slot = slot;
	r->ncounter_slot = n;
	/* In order, so that of several meanings of one number the newest is found. */
	for (size_t i = 0; i < r->m->ncounter; i++)
		slot[slot_of(r, r->m->counter[i].process, r->m->counter[i].id)] = (uint32_t)i + 1;
	return TT_OK;
}

/* The counter that ${id} means now; *${c} NULL: one too many. */
static int
counter_of(struct tt_run *r, const struct tt_capture *cap, uint64_t id, const struct tt_def *def, uint8_t type,
    struct tt_counter_stat **c, struct tt_err *err)
{
	struct tt_model *m = r->m;
	int rc;

	*c = NULL;
	if (m->ncounter * 2 >= r->ncounter_slot && (rc = grow_slots(r, err)) != TT_OK)
		return rc;
	uint32_t *slot = &r->counter_slot[slot_of(r, cap->process, id)];
	struct tt_counter_stat *old = *slot ? &m->counter[*slot - 1] : NULL;
	if (old && old->def == def && old->type == type) {
		*c = old;
		return TT_OK;
	}
	/* What came before its description is the same counter. */
	if (old && !old->def && old->type == type) {
		old->def = def;
		*c = old;
		return TT_OK;
	}
	if (m->ncounter >= MAX_COUNTERS) {
		m->counter_dropped++;
		return TT_OK;
	}
	rc = tt_mem_grow(&r->env->mem, &m->counter, &m->capcounter, m->ncounter + 1, sizeof *m->counter, err);
	if (rc != TT_OK)
		return rc;
	*c = &m->counter[m->ncounter];
	**c = (struct tt_counter_stat){ .process = cap->process, .id = id, .def = def, .type = type };
	*slot = (uint32_t)++m->ncounter;
	return TT_OK;
}

static int
add_point(struct tt_run *r, const struct tt_counter_stat *c, int64_t ts, union tt_counter_value v, struct tt_err *err)
{
	struct tt_model *m = r->m;

	if (m->npoint >= MAX_POINTS) {
		m->point_dropped++;
		return TT_OK;
	}
	int rc = tt_mem_grow(&r->env->mem, &m->point, &m->cappoint, m->npoint + 1, sizeof *m->point, err);
	if (rc == TT_OK)
		m->point[m->npoint++] = (struct tt_counter_point){ ts, (uint32_t)(c - m->counter), v };
	return rc;
}

/* Is ${a} less than ${b}? */
static bool
less(uint8_t type, union tt_counter_value a, union tt_counter_value b)
{
	return type == TT_T_F64 ? a.d < b.d : type == TT_T_U64 ? a.u < b.u : a.i < b.i;
}

static bool
is_number(uint8_t type, union tt_counter_value v)
{
	return type != TT_T_F64 || isfinite(v.d);
}

static double
as_double(uint8_t type, union tt_counter_value v)
{
	return type == TT_T_F64 ? v.d : type == TT_T_U64 ? (double)v.u : (double)v.i;
}

/* Which sampling this is: values of one are of one time. Custom counters are sampled apart from the runtime's. */
static uint64_t
tick_of(struct tt_capture *cap, bool custom, int64_t ts)
{
	struct tt_tick *t = &cap->tick[custom];

	if (t->n == 0 || t->ts != ts) {
		t->ts = ts;
		t->n++;
	}
	return t->n;
}

/* Samplings up to ${tick} that left the counter out: it had not changed. */
static void
fill_up(struct tt_counter_stat *c, uint64_t tick)
{
	if (c->n == 0 || tick <= c->tick)
		return;
	if (is_number(c->type, c->last)) {
		c->sum += as_double(c->type, c->last) * (double)(tick - c->tick);
		c->nsum += tick - c->tick;
	}
	c->tick = tick;
}

/* The least, the largest and the mean are those of numbers, unless it has none. */
static void
add_value(struct tt_counter_stat *c, int64_t ts, union tt_counter_value v)
{
	bool number = is_number(c->type, v);

	if (c->n == 0) {
		c->first = v;
		c->first_ts = ts;
	}
	if (c->n == 0 || (number && !is_number(c->type, c->min)))
		c->min = c->max = v;
	c->n++;
	c->last = v;
	c->last_ts = ts;
	if (!number)
		return;
	if (less(c->type, v, c->min))
		c->min = v;
	if (less(c->type, c->max, v))
		c->max = v;
	c->sum += as_double(c->type, v);
	c->nsum++;
}

static int
text_value(struct tt_input *in, struct tt_counter_stat *c, const struct tt_event *e, const struct tt_batch *b,
    struct tt_err *err)
{
	const char *text = e->flags & TT_F_MORE ? b->text.p + e[1].val : "";
	size_t n = e->flags & TT_F_MORE ? e[1].dur : 0;

	c->n++;
	c->last_ts = e->ts;
	/* What is longer than all before it takes new memory, and at least twice as much. */
	if (n >= c->captext) {
		c->captext = 2 * n + 16;
		c->text = tt_arena_alloc(&in->cap->arena, c->captext, err);
		if (!c->text)
			return err->code;
	}
	memcpy(c->text, text, n);
	c->text[n] = '\0';
	return TT_OK;
}

int
tt_counters_event(struct tt_run *r, struct tt_input *in, struct tt_event *e, const struct tt_batch *b,
    struct tt_err *err)
{
	const struct tt_def *d = tt_defs_find(in->cap->defs, TT_DEF_COUNTER, e->dur, e->ts - in->cap->offset_ns);
	bool custom = d && (d->a & TT_CF_OWN);
	union tt_counter_value v;
	struct tt_counter_stat *c;
	int rc = counter_of(r, in->cap, e->dur, d, (uint8_t)e->depth, &c, err);

	if (rc != TT_OK)
		return rc;
	if (e->depth != TT_T_TEXT && (e->flags & TT_F_DELTA)) {
		if (c && !custom)
			e->val += c->bits;
		if (e->depth == TT_T_U64 && d && (d->a & TT_CF_32))
			e->val &= UINT32_MAX;
		e->flags &= (uint8_t)~TT_F_DELTA;
	}
	if (!c)
		return TT_OK;
	if (e->depth == TT_T_TEXT)
		return tt_run_in_time(r, e->ts) ? text_value(in, c, e, b, err) : TT_OK;
	c->bits = v.u = e->val;
	if (!tt_run_in_time(r, e->ts))
		return TT_OK;
	if (in->cap->skips_equal) {
		uint64_t tick = tick_of(in->cap, custom, e->ts);
		fill_up(c, tick - 1);
		c->tick = tick;
		c->custom = custom;
	}
	add_value(c, e->ts, v);
	return r->needs & TT_NEEDS_POINTS ? add_point(r, c, e->ts, v, err) : TT_OK;
}

void
tt_counters_finish(struct tt_run *r)
{
	struct tt_model *m = r->m;

	for (size_t i = 0; i < m->ncounter; i++) {
		struct tt_counter_stat *c = &m->counter[i];
		const struct tt_capture *cap = m->cap[c->process];
		if (cap->skips_equal && c->type != TT_T_TEXT)
			fill_up(c, cap->tick[c->custom].n);
	}
}

void
tt_counters_reset(struct tt_run *r)
{
	for (size_t i = 0; i < r->m->ncap; i++)
		memset(r->m->cap[i]->tick, 0, sizeof r->m->cap[i]->tick);
	r->m->ncounter = r->m->npoint = 0;
	r->m->counter_dropped = r->m->point_dropped = 0;
	if (r->counter_slot)
		memset(r->counter_slot, 0, r->ncounter_slot * sizeof *r->counter_slot);
}

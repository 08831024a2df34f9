/**
 * Collects what happens in each frame.
 */
#include "collect/by_frame.h"

#include "base/order.h"
#include "collect/collect.h"
#include "io/sorter.h"
#include "model/model.h"

struct by_frame {
	struct tt_by_frame out;
	struct tt_sorter sums[TT_BY_FRAME_ALL];
	uint64_t values;              /* values added so far */
	size_t frame;                 /* the frame found last */
};

/* --- the records ------------------------------------------------------------------------ */

static int
by_path(const void *a, const void *b)
{
	const struct tt_frame_path *x = a, *y = b;

	if (x->frame != y->frame)
		return TT_CMP(x->frame, y->frame);
	return x->node != y->node ? TT_CMP(x->node, y->node) : TT_CMP(x->filled_until, y->filled_until);
}

static bool
join_path(void *into, const void *next)
{
	struct tt_frame_path *x = into;
	const struct tt_frame_path *y = next;

	if (by_path(x, y) != 0)
		return false;
	tt_frame_path_join(x, y);
	return true;
}

static int
by_counter(const void *a, const void *b)
{
	const struct tt_frame_values *x = a, *y = b;

	if (x->frame != y->frame)
		return TT_CMP(x->frame, y->frame);
	if (x->counter != y->counter)
		return TT_CMP(x->counter, y->counter);
	return x->ts != y->ts ? TT_CMP(x->ts, y->ts) : TT_CMP(x->place, y->place);
}

static bool
join_value(void *into, const void *next)
{
	struct tt_frame_values *x = into;
	const struct tt_frame_values *y = next;

	if (x->frame != y->frame || x->counter != y->counter)
		return false;
	const uint8_t as = tt_counter_common(x->type, x->min, x->max, y->type, y->min, y->max);
	const union tt_counter_value min = tt_counter_as(y->type, as, y->min), max = tt_counter_as(y->type, as, y->max);
	x->n += y->n;
	x->last = tt_counter_as(y->type, as, y->last);
	x->min = tt_counter_as(x->type, as, x->min);
	x->max = tt_counter_as(x->type, as, x->max);
	x->type = as;
	tt_counter_extend(as, &x->min, &x->max, min, max);
	return true;
}

/* Sort by frame, then path. */
static uint64_t
key_of_path(const void *rec)
{
	const struct tt_frame_path *x = rec;

	return (uint64_t)x->frame << 32 | x->node;
}

static uint64_t
key_of_value(const void *rec)
{
	const struct tt_frame_values *x = rec;

	return (uint64_t)x->frame << 32 | x->counter;
}

struct tt_frame_values
tt_frame_values_of(const struct tt_counters *all, const void *rec)
{
	struct tt_frame_values v = *(const struct tt_frame_values *)rec;
	const uint8_t as = all->counter[v.counter].type;

	v.last = tt_counter_as(v.type, as, v.last);
	v.min = tt_counter_as(v.type, as, v.min);
	v.max = tt_counter_as(v.type, as, v.max);
	v.type = as;
	return v;
}

static const struct tt_sorter_form forms[TT_BY_FRAME_ALL] = {
	[TT_BY_FRAME_PATHS] = { sizeof(struct tt_frame_path), "sums of frames", by_path, join_path, key_of_path },
	[TT_BY_FRAME_FILLING] = { sizeof(struct tt_frame_path), "sums of frames", by_path, join_path, key_of_path },
	[TT_BY_FRAME_VALUES] = { sizeof(struct tt_frame_values), "counters of frames", by_counter, join_value, key_of_value },
};

/* --- in --------------------------------------------------------------------------------- */

static int
begin(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct by_frame *s = state;

	s->frame = SIZE_MAX;
	for (size_t i = 0; i < TT_BY_FRAME_ALL; i++)
		tt_sorter_init(&s->sums[i], c->m->env, &forms[i]);
	s->out.n = c->m->frames ? c->m->frames->n : 0;
	s->out.gc = tt_mem_alloc(c->mem, s->out.n * sizeof *s->out.gc, err);
	return s->out.gc ? TT_OK : err->code;
}

static int
finish(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct by_frame *s = state;
	int rc = TT_OK;

	(void)c;
	for (size_t i = 0; i < TT_BY_FRAME_ALL && rc == TT_OK; i++)
		rc = tt_sorter_done(&s->sums[i], err);
	return rc;
}

static void
free_all(struct tt_model *m, void *state)
{
	struct by_frame *s = state;

	for (size_t i = 0; i < TT_BY_FRAME_ALL; i++)
		tt_sorter_free(&s->sums[i]);
	tt_mem_free(&m->env->mem, s->out.gc, s->out.n * sizeof *s->out.gc);
}

const struct tt_collector tt_collector_by_frame = {
	.name = "by_frame", .size = sizeof(struct by_frame), .needs = TT_NEEDS_BY_FRAME,
	.begin = begin, .finish = finish, .free = free_all,
};

static struct by_frame *
state_of(const struct tt_model *m)
{
	return m->collected[TT_COLLECTS_BY_FRAME];
}

/* The frame that ${ts} lies in, of the chunk's process; SIZE_MAX: in none. */
static size_t
frame_of(const struct tt_collecting *c, struct by_frame *s, int64_t ts)
{
	return c->m->frames ? tt_frames_at(c->m->frames, c->b->process, ts, &s->frame) : SIZE_MAX;
}

int
tt_by_frame_paths(struct tt_collecting *c, const struct tt_frame_path *p, size_t n, struct tt_err *err)
{
	struct by_frame *s = state_of(c->m);
	int rc = TT_OK;

	for (size_t i = 0; i < n && s && rc == TT_OK; i++) {
		s->out.nsums += !p[i].filled_until;
		s->out.nfilled += p[i].filled_until ? p[i].filled_until - p[i].frame : 0;
		rc = tt_sorter_add(&s->sums[p[i].filled_until ? TT_BY_FRAME_FILLING : TT_BY_FRAME_PATHS], &p[i], err);
	}
	return rc;
}

int
tt_by_frame_value(const struct tt_collecting *c, uint32_t counter, uint8_t type, int64_t ts, union tt_counter_value v,
    struct tt_err *err)
{
	struct by_frame *s = state_of(c->m);
	size_t at = s ? frame_of(c, s, ts) : SIZE_MAX;

	if (at == SIZE_MAX || !tt_frames_has_examined(c->m->frames, at, at + 1))
		return TT_OK;
	const struct tt_frame_values rec = { .frame = (uint32_t)at, .counter = counter, .ts = ts, .place = s->values++, .n = 1, .last = v,
		.min = v, .max = v, .type = type };
	return tt_sorter_add(&s->sums[TT_BY_FRAME_VALUES], &rec, err);
}

void
tt_by_frame_collection(const struct tt_collecting *c, int64_t from, int64_t to, bool begins)
{
	const struct tt_frames *f = c->m->frames;
	struct by_frame *s = state_of(c->m);
	size_t at, end;

	if (!s || !f || !tt_frames_range(f, c->b->process, &at, &end))
		return;
	for (at = tt_lower_bound(i, at, end, tt_frames_end(f, i) <= from); at < end; at++) {
		const int64_t start = tt_frames_start(f, at), stop = tt_frames_end(f, at);

		/* A collection without duration belongs to the frame that begins with it. */
		if (start >= to && start != from)
			break;
		const int64_t first = start > from ? start : from, last = stop < to ? stop : to;

		s->out.gc[at].n += begins && first == from;
		s->out.gc[at].ns += last - first;
	}
}

void
tt_by_frame_heap(const struct tt_collecting *c, int64_t ts, uint64_t bytes)
{
	struct by_frame *s = state_of(c->m);
	size_t at = s ? frame_of(c, s, ts) : SIZE_MAX;
	struct tt_frame_gc *g = at != SIZE_MAX ? &s->out.gc[at] : NULL;

	if (!g || (g->has_heap && ts < g->heap_ts))
		return;
	g->heap = bytes;
	g->heap_ts = ts;
	g->has_heap = true;
}

/* --- out -------------------------------------------------------------------------------- */

int
tt_by_frame_open(const struct tt_model *m, enum tt_by_frame_what what, struct tt_sorted **to, struct tt_err *err)
{
	const struct by_frame *s = state_of(m);

	*to = NULL;
	return s ? tt_sorted_open(&s->sums[what], to, err) : TT_OK;
}

void
tt_by_frame_close(struct tt_sorted *of)
{
	tt_sorted_close(of);
}

int
tt_by_frame_next(struct tt_sorted *of, const void **rec, struct tt_err *err)
{
	*rec = NULL;
	return of ? tt_sorted_next(of, rec, err) : TT_OK;
}

int
tt_by_frame_skip(struct tt_sorted *of, uint32_t frame, struct tt_err *err)
{
	return of ? tt_sorted_skip(of, (uint64_t)frame << 32, err) : TT_OK;
}

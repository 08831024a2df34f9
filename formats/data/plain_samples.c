/**
 * Decodes runs of plain samples: zones with an ordinary name, without metadata, inside their parent.
 *
 * How many levels end with a sample is unpredictable, and a misprediction costs the processor more than everything else. So nothing here branches on it: each
 * level knows the level that continues after it (data_level.back), and each sample is written as the next level, which is kept only if it has children.
 */
#include "data/tree.h"

#define unlikely(x) __builtin_expect(!!(x), 0)

/* Return the next sample to which something other than a flow belongs. */
static uint32_t
next_listed(struct data_tree *t, uint32_t i)
{
	struct data_list *const all[] = { &t->gpu, &t->instance, &t->gc, &t->value };
	uint32_t next = UINT32_MAX;

	for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
		const uint32_t head = all[k]->left ? data_list_head(t->r->u.b, all[k], i) : UINT32_MAX;
		next = head < next ? head : next;
	}
	return next;
}

/* True if the marker is more than a zone, or does not exist. A marker that no record defines counts as a zone if definitions may be missing. */
static bool
is_special(const struct data_head *h, uint32_t id)
{
	return id == DATA_NO_MARKER || (id < h->roles->n && h->roles->of[id] == DATA_SPECIAL) || (h->flags & DATA_H_WHOLE && data_is_undefined(h->roles, id));
}

/* Return the sample before which a row from ${i} on must end: ${stop}, or the sample of the next flow if flows are unsorted. */
static uint32_t
row_stop(struct data_tree *t, uint32_t i, uint32_t stop)
{
	for (unsigned k = 0; k < 2; k++) {
		const uint32_t flow = t->flow[k].p ? UINT32_MAX : data_list_head(t->r->u.b, &t->flow[k], i);
		stop = flow < stop ? flow : stop;
	}
	return stop;
}

/* The position of the next flow that binds to the next sample. */
struct flows {
	struct data_list *list;
	struct tt_batch *b;
	uint32_t next;                /* sample of the next flow */
};

/* Add the flow of sample ${i}, which begins at ${ts}; there is room. False, with nothing added: the sample has several flows, or one of another kind. */
static inline bool
put_flow(struct flows *f, uint32_t i, int64_t ts, struct tt_event **e)
{
	struct data_list *l = f->list;
	const uint32_t kind = unity_u32(l->p + 8);

	if ((kind != TT_FLOW_PARALLEL && kind != TT_FLOW_SEQUENTIAL) || (l->left > 1 && unity_u32(l->p + DATA_FLOW_SIZE) == i))
		return false;
	f->b->rare[f->b->nrare++] = (uint32_t)(*e - f->b->ev);
	f->b->rare_kinds |= TT_KIND(TT_FLOW);
	*(*e)++ = (struct tt_event){ .ts = ts, .val = unity_u32(l->p + 4), .depth = (uint16_t)kind, .kind = TT_FLOW, .flags = TT_F_NEXT };
	l->p += DATA_FLOW_SIZE;
	f->next = --l->left ? unity_u32(l->p) : UINT32_MAX;
	return true;
}

/*
 * Decode plain samples from *${i} on, before ${stop}, up to the first other sample, or until the innermost level is complete; there is room for all of them,
 * and their flows. *${i}, *${top}, *${to}: the next sample, the innermost level, the next event.
 */
static __attribute__((noinline)) void
row(const struct data_tree *t, uint32_t *i, uint32_t stop, uint32_t *top, struct flows *flows, struct tt_event **to)
{
	const struct data_run *const r = t->r;
	const uint8_t *const role = r->h->roles->of;
	const uint32_t nrole = r->h->roles->n;
	const uint64_t zero = (uint64_t)r->h->zero;
	const uint32_t n = t->th.nsample, until = n - stop, others = (uint32_t)(t->depth - t->zones);
	const uint32_t deepest = (uint32_t)(r->caplevel < others + UINT16_MAX ? r->caplevel : others + UINT16_MAX) - 1;
	struct data_level *const level = r->level;
	const uint8_t *p = t->th.sample + (size_t)*i * 20;
	struct tt_event *e = *to;
	uint32_t rest = n - *i, at = *top;    /* number of samples from this one on */

	for (; rest > until; rest--, p += 20) {
		const uint32_t id = unity_u32(p), children = unity_u32(p + 16);
		const int64_t ts = (int64_t)(unity_u64(p + 8) - zero);
		struct data_level *const up = &level[at];
		const uint32_t left = up->left;
		float dur;
		if (left == 0 || at >= deepest || !data_ns(p + 4, &dur) || children >= rest || ts < up->at || ts >= up->end)
			break;
		const int64_t ns = (int64_t)((double)dur + 0.5), end = ts + ns;
		if (end > up->end)
			break;
		if (unlikely(id >= nrole || role[id]) && is_special(r->h, id))
			break;
		if (unlikely(n - rest == flows->next) && !put_flow(flows, n - rest, ts, &e))
			break;
		e->ts = ts;
		e->val = id;          /* as unity_key() would give, as a file has one session */
		e->dur = (uint32_t)ns;
		e->depth = (uint16_t)(at + 1 - others);
		e->kind = TT_ZONE;
		e->flags = 0;
		e++;
		const uint32_t after = up->back, back = left > 1 ? at : after;
		up->left = left - 1;
		up->at = end;
		up[1].at = ts;
		up[1].end = end;
		up[1].left = children;
		up[1].back = back;
		at = children ? at + 1 : back;
	}
	/* All levels that have ended were plain zones, so clear what their successors must not inherit. */
	for (uint32_t k = *top + 1; k <= at; k++) {
		level[k].event = 0;
		level[k].zone = true;
		level[k].collect = false;
	}
	*i = n - rest;
	*top = at;
	*to = e;
}

/* Decode a row of plain samples from *${i} on, before ${stop}; *${i} becomes the first sample after the row. */
static int
plain_row(struct data_tree *t, uint32_t *i, uint32_t stop)
{
	struct data_run *r = t->r;
	struct tt_batch *b = r->u.b;
	struct data_list *flow = &t->flow[0];
	const size_t others = t->depth - t->zones;
	const int64_t first = (int64_t)(unity_u64(t->th.sample + (size_t)*i * 20 + 8) - (uint64_t)r->h->zero), before = r->level->at;
	const bool outermost = t->depth == 1;
	const uint32_t from = *i;
	uint32_t top = (uint32_t)t->depth - 1;

	stop = row_stop(t, *i, stop);
	struct flows flows = { .list = flow, .b = b, .next = data_list_head(b, flow, *i) };
	struct tt_event *e = b->ev + b->n;
	const size_t room = (b->cap - b->n) / 2;
	row(t, i, stop - *i < room ? stop : *i + (uint32_t)room, &top, &flows, &e);
	b->n = (size_t)(e - b->ev);
	t->depth = (size_t)top + 1;
	t->zones = t->depth - others;
	b->nzone += *i - from;
	r->calls += 2 * (uint64_t)(*i - from);
	/* Zones of the outermost level are in order of time; the others lie inside them. */
	if (outermost && *i > from) {
		r->from = first < r->from ? first : r->from;
		tt_batch_time(b, first);
	}
	if (r->level->at != before)
		tt_batch_time(b, r->level->at);
	return data_close_levels(t);
}

int
data_plain_samples(struct data_tree *t, uint32_t *i)
{
	struct tt_batch *b = t->r->u.b;
	const uint32_t n = t->th.nsample, listed = next_listed(t, *i), stop = listed < n ? listed : n;
	int rc = TT_OK;

	while (*i < stop && t->depth > 0 && rc == TT_OK) {
		const uint32_t before = *i;
		if ((rc = tt_batch_room(b, 64, t->r->u.err)) == TT_OK)
			rc = tt_mem_grow(b->mem, &b->rare, &b->caprare, b->nrare + t->flow[0].left, sizeof *b->rare, t->r->u.err);
		TT_THEN(rc, plain_row(t, i, stop));
		if (*i == before)
			break;
	}
	return rc;
}

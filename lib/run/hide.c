/**
 * Takes the events inside zones of the Editor out of a chunk: with --player-only no figure has them. Zones are known by their markers alone, so this runs when
 * the thread's stack is known, and before anything counts or reads the chunk.
 *
 * Allocations, collections, exceptions, waits for locks and handles are removed. Zones stay, because their time is taken out of the zones
 * around them (fold/filtered.c, frame_replay.c); they get TT_F_HIDDEN, and count as no call. An allocation tells how many zones are around it;
 * other events do not, and may come after all zones: their time decides whether they are inside.
 */
#include "base/order.h"
#include "model/model.h"
#include "run/pipe.h"

struct hiding {
	const struct tt_model *m;
	struct tt_hidden *span;       /* spans of the Editor's zones so far */
	struct tt_thread *t;
	size_t base, top;             /* levels: of the chunk's outermost zones; of the present zone */
	size_t open;                  /* level of the outermost zone of the Editor that ends by an event; SIZE_MAX: none */
	size_t whole;                 /* level of the Editor's outermost TT_ZONE that may still go on, which ends without an event; SIZE_MAX: none */
};

static bool
is_editor(const struct hiding *h, uint64_t key)
{
	const struct tt_name *n = tt_model_key(h->m, h->t->process, key);

	return n && n->editor;
}

/* True if an event with ${level} zones around it is in a zone of the Editor's. */
static bool
is_inside(const struct hiding *h, size_t level)
{
	return (h->open != SIZE_MAX && level > h->open) || (h->whole != SIZE_MAX && level > h->whole);
}

/* Add the part of an Editor's zone in the filter's time to the thread's hidden time. */
static void
add_time(const struct hiding *h, int64_t from, int64_t to)
{
	int64_t ns = tt_filter_clip(&h->m->filter, &from, &to);

	h->t->hidden_ns += ns > 0 ? ns : 0;
}

static int
add_span(struct hiding *h, int64_t from, int64_t to, struct tt_err *err)
{
	struct tt_hidden *s = h->span;

	if (tt_mem_grow(&h->m->env->mem, &s->v, &s->cap, s->n + 1, sizeof *s->v, err) != TT_OK)
		return err->code;
	s->v[s->n++] = (struct tt_span){ from, to };
	return TT_OK;
}

/* End the zones at and above ${level} at ${ts}. Only the last span can be open, of a zone that ends by an event. */
static void
ended(struct hiding *h, size_t level, int64_t ts)
{
	h->top = level;
	h->whole = SIZE_MAX;
	if (h->open == SIZE_MAX || h->open < level)
		return;
	h->open = SIZE_MAX;
	h->span->v[h->span->n - 1].to = ts;
	add_time(h, h->span->v[h->span->n - 1].from, ts);
}

/* Handle the begin of a zone: hide it if it is the Editor's or inside one of the Editor's. */
static int
zone(struct hiding *h, struct tt_batch *b, struct tt_event *e, struct tt_err *err)
{
	size_t level = e->depth < UINT16_MAX ? h->base + e->depth : h->top;

	if ((h->whole != SIZE_MAX && level <= h->whole) || (h->open != SIZE_MAX && level <= h->open))
		ended(h, level, e->ts);
	h->top = level + 1;
	if (!is_inside(h, level)) {
		if (!is_editor(h, e->val))
			return TT_OK;
		*(e->kind == TT_ZONE ? &h->whole : &h->open) = level;
		if (add_span(h, e->ts, e->kind == TT_ZONE ? e->ts + e->dur : INT64_MAX, err) != TT_OK)
			return err->code;
		if (e->kind == TT_ZONE)
			add_time(h, e->ts, e->ts + e->dur);
	}
	b->nzone -= tt_event_calls(e);
	e->flags |= TT_F_HIDDEN;
	return TT_OK;
}

static void
zone_end(struct hiding *h, struct tt_stack *base, const struct tt_event *e)
{
	if (e->flags & TT_F_BASE) {
		tt_stack_end(base, e->val, e->ts, e->flags, NULL, NULL);
		h->base = base->n;
		ended(h, base->n, e->ts);
	} else {
		ended(h, e->depth < UINT16_MAX ? h->base + e->depth : h->top - (h->top > 0), e->ts);
	}
}

static void
alloc(struct hiding *h, struct tt_batch *b, struct tt_event *e)
{
	if (!is_inside(h, e->depth < UINT16_MAX ? h->base + e->depth : h->top))
		return;
	b->nalloc -= tt_alloc_count(e);
	b->alloc_b -= tt_alloc_bytes(e);
	e->kind = TT_NONE;
}

static int
event(struct hiding *h, struct tt_batch *b, struct tt_stack *base, struct tt_event *e, struct tt_err *err)
{
	switch (e->kind) {
	case TT_ZONE:
	case TT_ZONE_BEGIN:
		return zone(h, b, e, err);
	case TT_ZONE_END:
		zone_end(h, base, e);
		break;
	case TT_ALLOC:
		alloc(h, b, e);
		break;
	case TT_GAP:
		if (!(e->flags & TT_F_CONT)) {
			base->n = h->base = 0;
			ended(h, 0, e->ts);
		}
		break;
	default:
		break;
	}
	return TT_OK;
}

/* True for collections, handles, exceptions and waits for locks. */
static bool
is_rare_hidden(unsigned kind)
{
	return kind == TT_GC || kind == TT_HANDLE || (kind >= TT_THROW && kind <= TT_MONITOR);
}

/* Remove rare events inside the Editor's zones, by their time. Spans are in order and disjoint. */
static void
hide_rare(const struct tt_hidden *s, struct tt_batch *b)
{
	for (size_t i = 0; i < b->nrare && s->n > 0; i++) {
		struct tt_event *e = &b->ev[b->rare[i]];
		size_t at = tt_lower_bound(k, 0, s->n, s->v[k].from <= e->ts);
		if (is_rare_hidden(e->kind) && at > 0 && e->ts < s->v[at - 1].to)
			e->kind = TT_NONE;
	}
}

int
tt_hide_editor(struct pipe *p, struct tt_batch *b, struct tt_thread *t, struct tt_err *err)
{
	struct tt_stack *base = &p->open_before;
	int rc = tt_stack_copy(base, &t->stack, &p->r->env->mem, err);
	struct hiding h = { .m = p->r->m, .t = t, .base = t->stack.n, .top = t->stack.n, .open = SIZE_MAX, .whole = SIZE_MAX,
		.span = &p->hidden };

	p->hidden.n = 0;
	for (size_t i = 0; rc == TT_OK && i < base->n && h.open == SIZE_MAX; i++)
		if (is_editor(&h, base->z[i].key)) {
			h.open = i;
			rc = add_span(&h, base->z[i].ts, INT64_MAX, err);
		}
	for (size_t i = 0; i < b->n && rc == TT_OK; i++)
		rc = event(&h, b, base, &b->ev[i], err);
	if (rc == TT_OK)
		hide_rare(&p->hidden, b);
	return rc;
}

/**
 * Decodes runs of plain samples: zones with an ordinary name, without metadata, inside their parent. The contract is in tree.h.
 */
#include "data/tree.h"

/* The next sample to which something other than a flow belongs. */
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

/* Put the flow that binds to sample ${i}, at ${ts}. *${done} is false if there are several, or its kind is another one. */
static int
plain_flow(struct data_tree *t, uint32_t i, int64_t ts, bool *done)
{
	struct data_list *l = &t->flow[0];
	const uint32_t kind = l->p ? unity_u32(l->p + 8) : 0;

	*done = (kind == TT_FLOW_PARALLEL || kind == TT_FLOW_SEQUENTIAL) && (l->left == 1 || unity_u32(l->p + DATA_FLOW_SIZE) != i);
	if (!*done)
		return TT_OK;
	struct tt_event *e = tt_batch_rare(t->r->u.b, TT_FLOW, ts, unity_u32(l->p + 4), t->r->u.err);
	if (!e)
		return t->r->u.err->code;
	e->depth = (uint16_t)kind;
	e->flags = TT_F_NEXT;
	l->p += DATA_FLOW_SIZE;
	l->left--;
	return TT_OK;
}

/* True if the marker is more than a zone, or is none. */
static bool
is_special(const struct unity_markers *m, uint32_t id)
{
	return id == DATA_NO_MARKER || id == m->alloc || id == m->collect || unity_is_label(m, id);
}

void
data_note_special(struct data_run *r)
{
	const struct unity_markers *m = &r->h->marker;
	const uint32_t special[] = { DATA_NO_MARKER, m->alloc, m->collect, m->label[0], m->label[1] };

	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		r->special[special[i] % DATA_SPECIAL] = true;
}

/* A zone with an ordinary name and no metadata, which is decoded on the fast path. */
struct plain {
	int64_t ts, end;
	uint32_t id, children;
};

/* True if the sample at ${p}, followed by ${left} samples of its thread, is such a zone, inside ${up}. */
static inline __attribute__((always_inline)) bool
is_plain(const struct data_run *r, const struct data_level *up, const uint8_t *p, uint32_t left, uint64_t zero, struct plain *z)
{
	const uint32_t bits = unity_u32(p + 4);
	float dur;

	memcpy(&dur, &bits, 4);
	*z = (struct plain){ .id = unity_u32(p), .children = unity_u32(p + 16), .ts = (int64_t)(unity_u64(p + 8) - zero) };
	if (!(dur >= 0 && dur < 4e9f) || z->children >= left || z->ts < up->at || z->ts >= up->end)
		return false;
	z->end = z->ts + (int64_t)(dur + 0.5f);
	return z->end <= up->end && !(r->special[z->id % DATA_SPECIAL] && is_special(&r->h->marker, z->id));
}

/* The sample before which a row from ${i} on must end: ${stop}, and if flows are unsorted, the sample of the next one. */
static uint32_t
row_stop(struct data_tree *t, uint32_t i, uint32_t stop)
{
	for (unsigned k = 0; k < 2; k++) {
		const uint32_t flow = t->flow[k].p ? UINT32_MAX : data_list_head(t->r->u.b, &t->flow[k], i);
		stop = flow < stop ? flow : stop;
	}
	return stop;
}

/*
 * Decode consecutive plain zones, with at most one flow each: from sample *${from} on, before ${stop}, as many as there is room for. *${from}: the next sample.
 * True if that one is not plain, or is ${stop}.
 *
 * Whether a sample has children is unpredictable, and a wrong guess costs the processor more than all else. So each sample is written as the next level, which
 * is kept only if it has children. Unless the run ${keeps} its zones, they are only checked.
 */
static inline __attribute__((always_inline)) bool
plain_run(struct data_tree *t, uint32_t *from, uint32_t stop, const bool keeps, int *rc)
{
	struct data_run *r = t->r;
	struct tt_batch *b = r->u.b;
	const uint64_t keys = unity_key(&r->u, 0), zero = (uint64_t)r->h->zero;
	const size_t others = t->depth - t->zones;    /* the outermost levels, no zones; all others are */
	struct data_level *const level = r->level, *const ground = level + others, *up = level + t->depth - 1;
	const struct data_level *const deepest = r->caplevel < others + UINT16_MAX ? level + r->caplevel - 1 : ground + UINT16_MAX - 1;
	const uint32_t n = t->th.nsample;
	uint32_t i = *from, flow = data_list_head(b, &t->flow[0], i);
	const uint8_t *p = t->th.sample + (size_t)i * 20;
	struct tt_event *e = b->ev + b->n, *full = b->ev + b->cap - 4;
	bool done;

	for (stop = row_stop(t, i, stop); i < stop && e <= full; i++, p += 20) {
		struct plain z;

		if (up >= deepest || !is_plain(r, up, p, n - i, zero, &z))
			break;
		if (keeps && i == flow) {
			b->n = (size_t)(e - b->ev);
			if ((*rc = plain_flow(t, i, z.ts, &done)) != TT_OK || !done)
				break;
			flow = data_list_head(b, &t->flow[0], i + 1);
			e = b->ev + b->n;
			full = b->ev + b->cap - 4;
		}
		if (keeps) {
			e->ts = z.ts;
			e->val = keys | z.id;
			e->dur = (uint32_t)(z.end - z.ts);
			e->depth = (uint16_t)(up + 1 - ground);
			e->kind = TT_ZONE;
			e->flags = 0;
			e++;
		}
		if (up == level) {
			r->from = z.ts < r->from ? z.ts : r->from;
			tt_batch_time(b, z.ts);
			tt_batch_time(b, z.end);
		}
		const bool has = z.children > 0;
		up[1] = (struct data_level){ .at = z.ts, .end = z.end, .left = z.children, .zone = true, .plain = true };
		up->at = has ? up->at : z.end;
		up->left -= !has;
		up += has;
		for (; up->left == 0 && up->plain; up--) {
			up[-1].at = up->end;
			up[-1].left--;
		}
		if (up->left == 0) {
			i++;
			break;
		}
	}
	b->n = (size_t)(e - b->ev);
	t->depth = (size_t)(up - level) + 1;
	t->zones = t->depth - others;
	if (up->left == 0)
		*rc = data_close_levels(t);
	b->nzone += i - *from;
	r->calls += 2 * (uint64_t)(i - *from);
	done = *rc != TT_OK || b->cap - b->n >= 4;
	*from = i;
	return done;
}

int
data_plain_samples(struct data_tree *t, uint32_t *i)
{
	const uint32_t n = t->th.nsample, listed = next_listed(t, *i), stop = listed < n ? listed : n;
	int rc = TT_OK;

	while (*i < stop && t->depth > 0 && rc == TT_OK) {
		const uint32_t before = *i;
		if ((rc = tt_batch_room(t->r->u.b, 64, t->r->u.err)) != TT_OK)
			break;
		const bool over = t->r->checks ? plain_run(t, i, stop, false, &rc) : plain_run(t, i, stop, true, &rc);
		if (over && *i == before)
			break;
	}
	return rc;
}

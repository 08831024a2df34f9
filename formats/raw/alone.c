/**
 * Explains an end without a begin: decides whether its begin or its marker is damaged.
 *
 * A damaged begin has become an end or a single, which have the same bytes except for their type.
 *
 * A single end without a begin is usual in an intact log: its zone began before the recording did, and spans frames. Two ends of the same marker in a frame
 * are not usual, nor is one beside a single of its marker if all other zones of the marker in the chunk end in the frame in which they begin.
 *
 * A damaged marker differs from that of the innermost zone in one bit. That zone then has no end, and is closed with the zone around it. In the rest of the
 * chunk all zones of its marker end, and at least one does; the end's marker has no other end without a begin, nor a begin without an end.
 */
#include "raw/raw.h"

enum { MAX_SEARCHED = 256 };              /* maximum number of strays and rare events that are searched */

/* True if, since the root began, there was another end of the marker ${key} without a begin, or a single of it. */
static bool
is_beside_another(const struct raw_run *r, uint64_t key)
{
	const struct tt_batch *b = r->u.b;
	unsigned left = MAX_SEARCHED;

	for (size_t i = b->nstray; i > r->rooted_stray && left > 0; i--, left--)
		if (b->stray[i - 1].key == key && b->stray[i - 1].kind != TT_STRAY_BEGIN)
			return true;
	left = MAX_SEARCHED;
	for (size_t i = b->nrare; i > 0 && left > 0 && b->rare[i - 1] >= r->rooted; i--, left--)
		if (b->ev[b->rare[i - 1]].kind == TT_INSTANT && b->ev[b->rare[i - 1]].val == key)
			return true;
	return false;
}

/* Return the key of the marker of a zone of ${key}. A zone that its sample names has a key of its own. */
static uint64_t
marker_of(const struct raw_run *r, uint64_t key)
{
	const struct unity_markers *const s = &r->s->marker;

	for (unsigned i = 0; i < sizeof s->label / sizeof *s->label; i++)
		if (s->label[i] != UNITY_NO_MARKER && key >> 44 == (UNITY_KEY_LABEL >> 44 | (s->label[i] & 0xffff)))
			return unity_key(&r->u, s->label[i]);
	return key;
}

/* Return the entry of the marker of a zone of ${key}, or NULL. */
static struct raw_alone *
find_alone(struct raw_run *r, uint64_t key)
{
	if (key & UNITY_KEY_LABEL)
		key = marker_of(r, key);
	for (unsigned i = 0; i < r->nalone; i++)
		if (r->alone[i].key == key)
			return &r->alone[i];
	return NULL;
}

/* Note the end of ${key} if the key differs in one bit from that of the innermost zone. */
static void
note_other(struct raw_run *r, uint64_t key)
{
	const struct tt_batch *b = r->u.b;
	const uint32_t of = b->depth > 0 ? b->open[b->depth - 1] : 0;
	const uint64_t differs = b->depth > 0 ? b->ev[of].val ^ key : 0;

	if (r->in_root && differs <= UINT32_MAX && differs && (differs & (differs - 1)) == 0 && r->nother < RAW_ALONE)
		r->other[r->nother++] = (struct raw_other){ .p = r->w->p, .key = key, .of = of };
}

int
raw_end_alone(struct raw_run *r, int64_t ts, uint64_t key)
{
	struct tt_batch *b = r->u.b;
	bool alone = r->in_root && is_beside_another(r, key);

	note_other(r, key);
	if (alone && !find_alone(r, key)) {
		alone = r->nalone < RAW_ALONE;
		if (alone)
			r->alone[r->nalone++] = (struct raw_alone){ .key = key };
	}
	return tt_batch_stray(b, alone ? TT_STRAY_END_ALONE : TT_STRAY_END, key, ts, r->at, b->n, r->u.err);
}

void
raw_settle_alone(struct raw_run *r)
{
	struct tt_batch *b = r->u.b;
	struct raw_alone *x;

	if (r->nalone == 0)
		return;
	for (size_t i = 0; i < b->n; i++)
		if (b->ev[i].kind == TT_ZONE && (x = find_alone(r, b->ev[i].val))) {
			x->spans = x->spans || b->ev[i].flags & TT_F_POPPED;
			x->whole = true;
		}
	for (size_t i = 0; i < b->nstray; i++)
		if (b->stray[i].kind == TT_STRAY_BEGIN && (x = find_alone(r, b->stray[i].key)))
			x->spans = true;
	for (size_t i = 0; i < b->nstray; i++)
		if (b->stray[i].kind == TT_STRAY_END_ALONE && (x = find_alone(r, b->stray[i].key)) && (x->spans || !x->whole))
			b->stray[i].kind = TT_STRAY_END;
}

/* True if the end ${x} belongs to the zone that was the innermost one. */
static bool
is_its_end(const struct tt_batch *b, const struct raw_other *x)
{
	const uint64_t key = b->ev[x->of].val;
	size_t nwhole = 0, nbegin = 0, nend = 0;

	if (b->ev[x->of].kind != TT_ZONE || !(b->ev[x->of].flags & TT_F_POPPED))
		return false;
	for (size_t i = 0; i < b->n; i++)
		nwhole += b->ev[i].kind == TT_ZONE && b->ev[i].val == key && !(b->ev[i].flags & TT_F_POPPED);
	for (size_t i = 0; i < b->nstray; i++) {
		const struct tt_stray *const of = &b->stray[i];
		if (of->kind == TT_STRAY_LOSS || (of->key != key && of->key != x->key))
			continue;
		if ((of->kind == TT_STRAY_BEGIN) != (of->key == key))
			return false;
		/* There must be exactly one of each: the zone without an end, and this end. */
		nbegin += of->kind == TT_STRAY_BEGIN;
		nend += of->kind != TT_STRAY_BEGIN;
	}
	return nwhole > 0 && nbegin == 1 && nend == 1;
}

bool
raw_find_others(struct raw_run *r, struct raw_other found[RAW_ALONE], unsigned *n)
{
	*n = 0;
	for (unsigned i = 0; i < r->nother; i++) {
		struct raw_other *const x = &r->other[i];
		if (!is_its_end(r->u.b, x))
			continue;
		found[*n] = *x;
		found[(*n)++].key = r->u.b->ev[x->of].val;
	}
	return *n > 0;
}

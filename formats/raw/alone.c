/**
 * Finds ends of zones whose begin is damaged: it became an end, or a single, which have the same bytes but for their type.
 *
 * A single end without a begin is usual in an intact log: its zone began before the recording did, and spans frames. Two of one marker in
 * one frame are not, nor is one beside a single of its marker, where all other zones of the marker in the chunk end in the frame that they
 * begin in.
 */
#include "raw/raw.h"

enum { MAX_SEARCHED = 256 };              /* strays and rare events */

/* True if another message of the marker ${key} has come since the root began: an end without a begin, or a single. */
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

/* The entry of the marker ${key}; NULL: it has none. */
static struct raw_alone *
find_alone(struct raw_run *r, uint64_t key)
{
	for (unsigned i = 0; i < r->nalone; i++)
		if (r->alone[i].key == key)
			return &r->alone[i];
	return NULL;
}

int
raw_end_alone(struct raw_run *r, int64_t ts, uint64_t key)
{
	struct tt_batch *b = r->u.b;
	bool alone = r->in_root && is_beside_another(r, key);

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

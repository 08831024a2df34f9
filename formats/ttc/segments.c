/**
 * Reads the files of a rotated recording as one: threads continue where the previous file left them, drops count once, and chunks that only the ring has
 * follow the last file.
 */
#include "ttc/ttc.h"

/* Carry the threads' positions at the end of ${from}, and of the files before it, over to ${to}. */
static int
carry(struct ttc *to, const struct ttc *from, struct tt_err *err)
{
	for (size_t i = 0; i < from->nwho; i++) {
		const struct ttc_who *w = &from->who[i];
		struct ttc_who *v = ttc_who(to, w->number, err);
		if (!v)
			return err->code;
		if (!v->is_defined && w->is_defined) {
			v->is_defined = true;
			v->native_id = w->native_id;
		}
		v->state_before = (struct ttc_left_state){ .seen = w->has_unit, .seq = w->seq, .at_drops = w->at_drops, .end = w->end };
		/* A count includes all earlier drops, which were already reported. */
		uint64_t before = w->dropped < v->nstreamed_drops ? w->dropped : v->nstreamed_drops;
		to->damage.e[ttc_drop_kind(w)].n -= before;
		if (v->nstreamed_drops < w->dropped)
			v->nstreamed_drops = w->dropped;
		if (!to->indexed) {
			v->has_unit = w->has_unit;
			v->seq = w->seq;
			v->end = w->end;
			v->at_drops = w->at_drops;
			v->dropped = w->dropped;
		}
	}
	/* This count does so, too. */
	to->damage.e[TT_LOST_SHARED].n -= from->nshared < to->nshared ? from->nshared : to->nshared;
	if (to->nshared < from->nshared)
		to->nshared = from->nshared;
	to->is_continuation = true;
	return TT_OK;
}

/* Move facts from ${m} to the first file's capture. */
static int
give_facts(struct ttc *lead, struct ttc *m, struct tt_err *err)
{
	int rc = TT_OK;

	for (const struct tt_meta *f = m->cap->meta; f && rc == TT_OK; f = f->next)
		if (!f->is_user_given)
			rc = tt_capture_meta(lead->cap, f->key, f->value, err);
	return rc;
}

int
ttc_append(void *ctx, void *arg, struct tt_err *err)
{
	struct ttc *lead = ctx, *later = arg, *last = lead;
	int rc = give_facts(lead, later, err);

	while (last->next_file)
		last = last->next_file;
	last->next_file = later;
	later->first_file = lead;
	last->no_ring = true;
	if (later->collect)
		lead->collect = later->collect;
	/* A later file has measured the rate over a longer time, which is more exact. */
	if (later->head.flags & TTC_H_RATE) {
		lead->head.num = later->head.num;
		lead->head.den = later->head.den;
		lead->head.flags |= TTC_H_RATE;
		lead->mult = later->mult;
		lead->shift = later->shift;
	}
	if (rc == TT_OK && last->has_ring)
		rc = ttc_rejoin_ring(last, err);
	/* If the input is read in order, this must wait until the previous file has been read. */
	if (rc == TT_OK && last->indexed && later->indexed && (last == lead || last->is_continuation)) {
		rc = carry(later, last, err);
		TT_THEN(rc, ttc_rejoin_ring(later, err));
	}
	return rc == TT_OK ? ttc_set_covered_spans(lead, err) : rc;
}

int
ttc_next_file(struct ttc *m, struct tt_loss *loss, struct tt_err *err)
{
	struct ttc *to = m->next_file;
	int rc = TT_OK;

	if (ttc_files_between(m, to) > 0)
		tt_loss_add(loss, TT_LOST_FILES, ttc_files_between(m, to), 0, TT_NOWHERE);
	if (!to->indexed || !to->is_continuation) {
		rc = carry(to, m, err);
		if (rc == TT_OK && to->indexed)
			rc = ttc_rejoin_ring(to, err);
	}
	return rc;
}

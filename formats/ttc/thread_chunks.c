/**
 * Tracks the chunks of each thread and finds missing ones. Nothing here reads the file.
 */
#include "ttc/ttc.h"

#include <stdlib.h>

#include "base/hash_seed.h"
#include "base/order.h"

/* --- threads ---------------------------------------------------------------------------- */

struct ttc_who *
ttc_who(struct ttc *m, uint32_t number, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_mix(0, number);
	const uint32_t at = tt_map_find(&m->who_at, hash, i, m->who[i].number == number);

	if (at)
		return &m->who[at - 1];
	if (tt_map_push(&m->who_at, &m->env->mem, hash, &m->who, &m->capwho, m->nwho, err) != TT_OK)
		return NULL;
	m->who[m->nwho] = (struct ttc_who){ .number = number, .native_id = number };
	return &m->who[m->nwho++];
}

static int
by_start(const void *a, const void *b)
{
	const struct ttc_start *x = a, *y = b;

	if (x->seq != y->seq)
		return TT_CMP(x->seq, y->seq);
	return TT_CMP(x->first, y->first);
}

/*
 * Add a start. Starts are kept in sorted runs whose lengths are the powers of two that add up to their number, the longest first: 13 starts are runs of 8, 4
 * and 1. Adding and finding are fast for any number and order.
 */
int
ttc_start_add(struct ttc *m, struct ttc_who *w, uint64_t seq, uint32_t first, struct tt_err *err)
{
	int rc = tt_mem_grow(&m->env->mem, &w->start, &w->capstart, w->nstart + 1, sizeof *w->start, err);

	if (rc != TT_OK)
		return rc;
	w->start[w->nstart++] = (struct ttc_start){ seq, first };
	size_t run = w->nstart & -w->nstart;
	tt_sort(w->start + w->nstart - run, run, by_start);
	return TT_OK;
}

static bool
starts(const struct ttc_who *w, const struct ttc_unit *u)
{
	const struct ttc_start s = { u->seq, u->first };
	size_t at = 0;

	if (w->has_ring_start && by_start(&s, &w->ring_start) == 0)
		return true;
	for (size_t run = SIZE_MAX / 2 + 1; run > 0; run >>= 1) {
		if (!(w->nstart & run))
			continue;
		if (bsearch(&s, w->start + at, run, sizeof s, by_start))
			return true;
		at += run;
	}
	return false;
}

void
ttc_count_drops(struct ttc_who *w, uint64_t dropped, struct tt_loss *loss)
{
	if (dropped > w->dropped) {
		tt_loss_add(loss, ttc_drop_kind(w), dropped - w->dropped, 0, TT_NOWHERE);
		w->dropped = dropped;
	}
}

int
ttc_enter_unit(struct ttc *m, struct ttc_unit *u, struct tt_loss *loss, struct tt_err *err)
{
	struct ttc_who *w = ttc_who(m, u->thread, err);

	if (!w)
		return err->code;
	u->flags = 0;
	if (!w->has_unit) {
		u->flags = TTC_U_FIRST;
		if (!starts(w, u))
			tt_loss_add(loss, TT_LOST_MISSING, 1, 0, u->at);
	} else if (u->seq < w->seq || (u->seq == w->seq && u->first < w->end)) {
		u->flags = TTC_U_SKIP;
		m->nlate++;
		tt_loss_add(loss, TT_LOST_MISSING, 1, TTC_CHUNK_HEAD + (uint64_t)u->len, u->at);
		return TT_OK;
	} else if (!(u->seq == w->seq && u->first == w->end && u->first > 0) &&
	    !(u->seq == w->seq + 1 && u->first == 0 && u->before == w->end)) {
		u->flags = TTC_U_GAP;
		if (!starts(w, u))
			tt_loss_add(loss, TT_LOST_MISSING, 1, 0, u->at);
	}
	if (w->has_unit && u->dropped > w->at_drops)
		u->flags |= TTC_U_GAP;
	ttc_count_drops(w, u->dropped, loss);
	w->at_drops = u->dropped;
	w->has_unit = true;
	w->seq = u->seq;
	w->end = u->end;
	return TT_OK;
}

int
ttc_unit_add(struct ttc *m, const struct ttc_unit *u, struct tt_err *err)
{
	int rc = tt_mem_grow(&m->env->mem, &m->unit, &m->capunit, m->nunit + 1, sizeof *u, err);

	if (rc == TT_OK)
		m->unit[m->nunit++] = *u;
	return rc;
}

void
ttc_free_who(struct ttc *m)
{
	for (size_t i = 0; i < m->nwho; i++)
		tt_mem_free(&m->env->mem, m->who[i].start, m->who[i].capstart * sizeof *m->who[i].start);
	tt_mem_free(&m->env->mem, m->who, m->capwho * sizeof *m->who);
	tt_map_free(&m->who_at, &m->env->mem);
	m->who = NULL;
	m->nwho = m->capwho = 0;
}

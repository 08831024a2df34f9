/**
 * Matches begins and ends of zones that span frames, by thread and marker; the rules are in spanning.h.
 */
#include "model/spanning.h"

#include <string.h>

#include "base/hash_seed.h"
#include "base/order.h"
#include "model/defs.h"
#include "model/event.h"

/* Below 0 where ${a} is to be left out before ${b}: unended before ended, then the shorter, then the later. */
static int
compare(const struct tt_spanning_group *a, const struct tt_spanning_group *b)
{
	const int whole = tt_spanning_is_whole(a) - tt_spanning_is_whole(b);

	if (whole)
		return whole;
	if (tt_spanning_is_whole(a) && a->total_ns != b->total_ns)
		return TT_CMP(a->total_ns, b->total_ns);
	if (a->nbegin != b->nbegin)
		return TT_CMP(a->nbegin, b->nbegin);
	if (a->begin != b->begin)
		return TT_CMP(b->begin, a->begin);
	return a->thread != b->thread ? TT_CMP(b->thread, a->thread) : TT_CMP(b->key, a->key);
}

static void
sift_down(struct tt_spanning_group *v, size_t n, size_t i)
{
	for (size_t least = i;; i = least) {
		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
			if (compare(&v[k], &v[least]) < 0)
				least = k;
		if (least == i)
			return;
		const struct tt_spanning_group t = v[i];
		v[i] = v[least];
		v[least] = t;
	}
}

static void
sift_up(struct tt_spanning_group *v, size_t i)
{
	for (size_t up; i > 0 && compare(&v[i], &v[up = (i - 1) / 2]) < 0; i = up) {
		const struct tt_spanning_group t = v[i];
		v[i] = v[up];
		v[up] = t;
	}
}

/* Keep the finished group ${g}, if it is among the TT_SPANNING_ROWS that rank highest. */
static int
add_row(struct tt_spanning *s, const struct tt_spanning_group *g, struct tt_mem *mem, struct tt_err *err)
{
	if (s->nrow < TT_SPANNING_ROWS) {
		int rc = tt_mem_grow(mem, &s->row, &s->caprow, s->nrow + 1, sizeof *s->row, err);
		if (rc != TT_OK)
			return rc;
		s->row[s->nrow] = *g;
		sift_up(s->row, s->nrow++);
		return TT_OK;
	}
	if (compare(g, &s->row[0]) <= 0) {
		s->nleft_out += g->nbegin;
		return TT_OK;
	}
	s->nleft_out += s->row[0].nbegin;
	s->row[0] = *g;
	sift_down(s->row, s->nrow, 0);
	return TT_OK;
}

/* Finish the outstanding group of ${p}, which gets no more ends: count its zones and keep it as a row. */
static int
close_group(struct tt_spanning *s, struct tt_spanning_place *p, struct tt_loss *loss, struct tt_mem *mem, struct tt_err *err)
{
	const struct tt_spanning_group g = p->g;

	p->g.nbegin = p->g.nend = 0;
	if (g.closed < s->from || (g.nbegin == 1 && g.begin < s->from))
		return TT_OK;
	tt_loss_add(loss, TT_LOST_SPANNING, g.nend, 0, g.first_at);
	tt_loss_add(loss, TT_LOST_POPPED, g.nbegin - g.nend, 0, g.first_at);
	return add_row(s, &g, mem, err);
}

/* The place of ${key} on ${thread}, or NULL. */
static struct tt_spanning_place *
find_place(const struct tt_spanning *s, uint32_t thread, uint64_t key)
{
	const uint32_t at = tt_map_find(&s->place_index, tt_seeded_pair(thread, key), i, s->place[i].key == key && s->place[i].g.thread == thread);

	return at ? &s->place[at - 1] : NULL;
}

/* A new place of ${key} on the thread of ${b}; NULL with ${err} filled. */
static struct tt_spanning_place *
add_place(struct tt_spanning *s, const struct tt_batch *b, uint64_t key, struct tt_mem *mem, struct tt_err *err)
{
	if (tt_mem_grow(mem, &s->first, &s->capfirst, (size_t)b->thread + 1, sizeof *s->first, err) != TT_OK ||
	    tt_map_push(&s->place_index, mem, tt_seeded_pair(b->thread, key), &s->place, &s->capplace, s->nplace, err) != TT_OK)
		return NULL;
	while (s->nfirst <= b->thread)
		s->first[s->nfirst++] = 0;
	struct tt_spanning_place *p = &s->place[s->nplace++];
	*p = (struct tt_spanning_place){ .key = key, .g = { .process = b->process, .thread = b->thread } };
	return p;
}

static int
take_begin(struct tt_spanning *s, struct tt_batch *b, const struct tt_stray *of, struct tt_mem *mem, struct tt_err *err)
{
	struct tt_spanning_place *p = find_place(s, b->thread, of->end_key);

	if (!p && s->nplace == TT_SPANNING_PLACES) {
		if (of->closed < s->from)
			return TT_OK;
		tt_loss_add(&b->loss, TT_LOST_POPPED, 1, 0, of->at);
		s->nleft_out++;
		return TT_OK;
	}
	if (!p && !(p = add_place(s, b, of->end_key, mem, err)))
		return err->code;
	struct tt_spanning_group *g = &p->g;
	if (g->nbegin++ == 0) {
		g->key = of->key;
		g->first_at = of->at;
		g->begin = g->end = g->closed = of->ts;
		g->total_ns = 0;
	}
	if (g->key != of->key)
		g->key = of->end_key;
	if (!p->is_listed) {
		p->is_listed = true;
		p->next = s->first[b->thread];
		s->first[b->thread] = (uint32_t)(p - s->place) + 1;
	}
	g->total_ns -= (uint64_t)of->ts;
	if (of->ts < g->begin)
		g->begin = of->ts;
	if (of->closed > g->closed)
		g->closed = of->closed;
	return TT_OK;
}

static int
take_end(struct tt_spanning *s, struct tt_batch *b, const struct tt_stray *of, struct tt_mem *mem, struct tt_err *err)
{
	struct tt_spanning_place *p = find_place(s, b->thread, of->key);

	if (!p || p->g.nbegin == 0) {
		tt_loss_add(&b->loss, TT_LOST_UNMATCHED, 1, 0, of->at);
		if (!p && of->kind == TT_STRAY_END_ALONE)
			tt_loss_add(&b->loss, TT_LOST_BEGINS, 1, 0, of->at);
		return TT_OK;
	}
	struct tt_spanning_group *g = &p->g;
	g->nend++;
	g->total_ns += (uint64_t)of->ts;
	if (of->ts > g->end)
		g->end = of->ts;
	if (of->ts > g->closed)
		g->closed = of->ts;
	return tt_spanning_is_whole(g) ? close_group(s, p, &b->loss, mem, err) : TT_OK;
}

/* Finish all outstanding groups of ${thread}. */
static int
close_thread(struct tt_spanning *s, size_t thread, struct tt_loss *loss, struct tt_mem *mem, struct tt_err *err)
{
	int rc = TT_OK;

	while (thread < s->nfirst && s->first[thread] && rc == TT_OK) {
		struct tt_spanning_place *p = &s->place[s->first[thread] - 1];

		s->first[thread] = p->next;
		p->is_listed = false;
		if (p->g.nbegin)
			rc = close_group(s, p, loss, mem, err);
	}
	return rc;
}

void
tt_spanning_enter(struct tt_batch *b, const struct tt_defs *defs)
{
	tt_batch_sort_strays(b);
	for (size_t i = 0; i < b->nstray; i++) {
		struct tt_stray *of = &b->stray[i];
		const struct tt_def *d = of->kind == TT_STRAY_BEGIN ? tt_defs_find(defs, TT_DEF_MARKER, of->key, INT64_MAX) : NULL;

		of->end_key = d && d->flags & TT_DEF_LABEL ? d->b : of->key;
	}
}

int
tt_spanning_chunk(struct tt_spanning *s, struct tt_batch *b, struct tt_mem *mem, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < b->nstray && rc == TT_OK; i++) {
		const struct tt_stray *of = &b->stray[i];

		if (of->kind == TT_STRAY_BEGIN)
			rc = take_begin(s, b, of, mem, err);
		else if (of->kind == TT_STRAY_END || of->kind == TT_STRAY_END_ALONE)
			rc = take_end(s, b, of, mem, err);
		else
			rc = close_thread(s, b->thread, &b->loss, mem, err);
	}
	return rc;
}

int
tt_spanning_end(struct tt_spanning *s, struct tt_loss *loss, struct tt_mem *mem, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < s->nfirst && rc == TT_OK; i++)
		rc = close_thread(s, i, loss, mem, err);
	return rc;
}

const struct tt_spanning_group *
tt_spanning_longest(const struct tt_spanning *s)
{
	const struct tt_spanning_group *best = NULL;

	for (size_t i = 0; i < s->nrow; i++)
		if (tt_spanning_is_whole(&s->row[i]) && (!best || compare(&s->row[i], best) > 0))
			best = &s->row[i];
	return best;
}

const struct tt_spanning_group *
tt_spanning_unended(const struct tt_spanning *s)
{
	const struct tt_spanning_group *best = NULL;

	for (size_t i = 0; i < s->nrow; i++)
		if (!tt_spanning_is_whole(&s->row[i]) && (!best || compare(&s->row[i], best) > 0))
			best = &s->row[i];
	return best;
}

void
tt_spanning_free(struct tt_spanning *s, struct tt_mem *mem)
{
	tt_mem_free(mem, s->row, s->caprow * sizeof *s->row);
	tt_mem_free(mem, s->place, s->capplace * sizeof *s->place);
	tt_mem_free(mem, s->first, s->capfirst * sizeof *s->first);
	tt_map_free(&s->place_index, mem);
	memset(s, 0, sizeof *s);
}

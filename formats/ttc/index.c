/**
 * Indexes a whole file: its chunks by thread and time, and the chunks that only the ring has.
 */
#include "base/order.h"
#include "ttc/ttc_decode.h"

/* Reset what was derived from the order of units; keep what was read from the recorder's stream. */
static void
reset_order(struct ttc *m)
{
	for (size_t i = 0; i < m->nwho; i++) {
		struct ttc_who *w = &m->who[i];
		w->has_unit = w->state_before.seen;
		w->seq = w->state_before.seq;
		w->end = w->state_before.end;
		w->at_drops = w->state_before.at_drops;
		w->has_gap = w->is_out_of_order = false;
		w->dropped = w->nstreamed_drops;
		w->has_ring_start = false;
	}
	m->nlate = 0;
}

static int
admit_all(struct ttc *m, struct tt_loss *loss, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < m->nunit && rc == TT_OK; i++)
		if (m->unit[i].thread != 0)
			rc = ttc_enter_unit(m, &m->unit[i], loss, err);
	return rc;
}

/* Check every chunk and leave out damaged ones: the order is wrong, so heads may be damaged. */
static int
check_all(struct ttc *m, struct tt_loss *loss, struct tt_err *err)
{
	uint8_t *p = NULL;
	size_t cap = 0, n = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < m->nunit && rc == TT_OK; i++) {
		const struct ttc_unit u = m->unit[i];
		rc = ttc_load(m, &u, &p, &cap, err);
		if (rc == TT_OK) {
			m->unit[n++] = u;
		} else if (rc == TT_E_DAMAGED) {
			tt_loss_add(loss, TT_LOST_DAMAGED, 1, TTC_CHUNK_HEAD + (uint64_t)u.len, u.at);
			rc = TT_OK;
		}
		if (tt_stopped(m->env))
			rc = tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
	}
	if (rc == TT_OK)
		m->nunit = n;
	tt_mem_free(&m->env->mem, p, cap);
	return rc;
}

static int
by_place(const void *a, const void *b)
{
	const struct ttc_unit *x = a, *y = b;

	if (x->thread != y->thread)
		return TT_CMP(x->thread, y->thread);
	if (x->seq != y->seq)
		return TT_CMP(x->seq, y->seq);
	if (x->first != y->first)
		return TT_CMP(x->first, y->first);
	return TT_CMP(x->at, y->at);
}

/* Sort the chunks of each thread within the places in the file that the thread's chunks have. */
static int
sort_threads(struct ttc *m, struct tt_err *err)
{
	struct ttc_unit *s = tt_mem_alloc(&m->env->mem, (m->nunit + 1) * sizeof *s, err);

	if (!s)
		return err->code;
	if (m->nunit > 0)
		memcpy(s, m->unit, m->nunit * sizeof *s);
	tt_sort(s, m->nunit, by_place);
	/* The first unit of each thread gets the begin of the thread's run in s; w->seq counts on from there. */
	reset_order(m);
	for (size_t i = m->nunit; i-- > 0;) {
		struct ttc_who *w = ttc_who(m, s[i].thread, err);
		if (!w) {
			tt_mem_free(&m->env->mem, s, (m->nunit + 1) * sizeof *s);
			return err->code;
		}
		w->seq = i;
	}
	for (size_t i = 0; i < m->nunit; i++) {
		struct ttc_who *w = ttc_who(m, m->unit[i].thread, err);
		m->unit[i] = s[w->seq++];     /* present: each thread was added above */
	}
	tt_mem_free(&m->env->mem, s, (m->nunit + 1) * sizeof *s);
	return TT_OK;
}

/* Compare the recorder's final counts of its threads with what was read. */
static void
settle(struct ttc *m, struct tt_loss *loss)
{
	for (size_t i = 0; i < m->nwho; i++) {
		const struct ttc_who *w = &m->who[i];
		if (!w->has_account || w->last_seq == 0)
			continue;
		if (!w->has_unit || w->seq + 1 < w->last_seq ||
		    (w->seq + 1 == w->last_seq && w->end < w->last_end))
			tt_loss_add(loss, TT_LOST_MISSING, 1, 0, TT_NOWHERE);
	}
}

/* Convert ${ticks} since the start to a time. Nonsense becomes a distant time with which sums cannot overflow. */
static int64_t
ns_since(const struct ttc *m, uint64_t ticks)
{
	int64_t ns = ttc_ns(m, m->head.ticks + ticks);

	return ticks > INT64_MAX || ns < 0 || ns > INT64_MAX / 4 ? INT64_MAX / 4 : ns;
}

/* Add the span of a dump, which says from when on nothing had been forgotten. A span that meets the previous one extends it. */
static void
add_span(const struct ttc *m, struct tt_capture *cap, uint64_t from, uint64_t to)
{
	int64_t last = cap->ncovered_span ? cap->covered_span[cap->ncovered_span - 1].to : INT64_MIN;
	int64_t begin = ns_since(m, from), end = to ? ns_since(m, to) + 1 : INT64_MAX;

	if (last == INT64_MAX)
		return;
	begin = begin > last ? begin : last;
	cap->covered_span[cap->ncovered_span++] = (struct tt_span){ begin, end > begin ? end : begin };
}

int
ttc_set_covered_spans(struct ttc *m, struct tt_err *err)
{
	struct tt_capture *cap = m->first_file->cap;
	size_t n = 0;

	for (const struct ttc *f = m->first_file; f; f = f->next_file)
		n += f->ndump + 1;
	cap->is_flight = m->first_file->head.flags & TTC_H_LAST;
	cap->ncovered_span = 0;
	if (!cap->is_flight)
		return TT_OK;
	if (!(cap->covered_span = tt_arena_alloc(&cap->arena, n * sizeof *cap->covered_span, err)))
		return err->code;
	for (const struct ttc *f = m->first_file; f; f = f->next_file) {
		for (size_t i = 0; i < f->ndump; i++)
			add_span(f, cap, f->dump[i].from, f->dump[i].to);
		if (f->has_ring)
			add_span(f, cap, f->ring_kept, 0);
	}
	return TT_OK;
}

/* Add the ring's chunks. If the program still runs, gaps between the file and the ring are what it wrote between reading the two. */
static int
join_ring(struct ttc *m, struct tt_loss *loss, struct tt_err *err)
{
	const uint64_t before = loss->e[TT_LOST_MISSING].n;
	int rc = ttc_join_ring(m, loss, err);
	const uint64_t gaps = loss->e[TT_LOST_MISSING].n - before;

	if (m->is_ring_live && gaps) {
		loss->e[TT_LOST_MISSING].n = before;
		tt_loss_add(loss, TT_LOST_OVERTAKEN, gaps, 0, TT_NOWHERE);
	}
	return rc;
}

int
ttc_end_file(struct ttc *m, struct tt_loss *loss, struct tt_err *err)
{
	int rc = TT_OK;

	if (!m->no_ring && (m->finish == 0 || m->finish == TTC_F_DISK + 1))
		rc = join_ring(m, loss, err);
	if (rc != TT_OK)
		return rc;
	/* A chunk stays in the ring until it is completely written. */
	if (m->cut_b && !m->has_ring)
		tt_loss_add(loss, TT_LOST_CUT, 1, m->cut_b, m->cut_at);
	if (m->is_ring_of_other && !m->has_ring)
		tt_loss_add(loss, TT_LOST_RING, 1, 0, TT_NOWHERE);
	if (m->has_ring && (m->head.flags & TTC_H_LAST) && m->ring_asked_ms)
		tt_loss_note_flight(loss, m->ring_held_ms, m->ring_asked_ms, m->ring_needed_bytes);
	settle(m, loss);
	m->cap->end_mark = m->finish == TTC_F_CLEAN + 1 || m->finish == TTC_F_ROTATED + 1 ||
	    m->finish == TTC_F_MAX_SIZE + 1 ? 1 : -1;
	m->cap->is_running = m->is_ring_live;
	m->cap->all_recorded = m->has_ring || m->finish == TTC_F_JOINED + 1;
	m->cap->more_follow = m->finish == TTC_F_ROTATED + 1;
	if (m->finish == TTC_F_MAX_SIZE + 1 || m->finish == TTC_F_DISK + 1 || (m->head.flags & TTC_H_DISK))
		tt_loss_add(loss, TT_LOST_STOPPED, 1, 0, TT_NOWHERE);
	return TT_OK;
}

/* Mark the units that a search for frame marks can skip. A missing definition proves that there are no marks only if the recording ended normally. */
static int
mark_middle(struct ttc *m, struct tt_err *err)
{
	if (!(m->head.flags & TTC_H_FRAMES_TOLD) || m->finish != 1 + TTC_F_CLEAN || m->found.any)
		return TT_OK;
	for (size_t i = m->nunit; i-- > 0;) {
		struct ttc_unit *u = &m->unit[i];
		struct ttc_who *w = ttc_who(m, u->thread, err);
		if (!w)
			return err->code;
		if (u->thread && w->is_out_of_order && !w->marks_frames && !u->flags)
			u->flags = TTC_U_MIDDLE;
		w->is_out_of_order = true;
	}
	return TT_OK;
}

void
ttc_free_made(struct ttc *m)
{
	for (size_t i = 0; i < m->nmade; i++)
		tt_mem_free(&m->env->mem, m->made[i].p, m->made[i].n);
	m->nmade = 0;
}

/* If the order is wrong, check each chunk, and sort the good ones. */
static int
mend_order(struct ttc *m, struct tt_err *err)
{
	struct tt_loss order;
	uint64_t late;
	int rc;

	tt_loss_reset(&order);
	rc = admit_all(m, &order, err);
	if (rc != TT_OK || !(order.e[TT_LOST_MISSING].n || tt_loss_damaged(&m->found) || m->cut_b))
		return rc;
	rc = check_all(m, &m->found, err);
	/* Admit the good chunks again, to count those out of order, then sort them. */
	reset_order(m);
	TT_THEN(rc, admit_all(m, &order, err));
	late = m->nlate;
	TT_THEN(rc, sort_threads(m, err));
	reset_order(m);
	TT_THEN(rc, admit_all(m, &order, err));
	if (late > m->nlate)
		tt_loss_add(&m->found, TT_LOST_MISSING, late - m->nlate, 0, TT_NOWHERE);
	return rc;
}

/* Evaluate the order of chunks, the ring's chunks, and the end. */
static int
settle_order(struct ttc *m, struct tt_err *err)
{
	int rc;

	reset_order(m);
	m->found = m->damage;
	rc = admit_all(m, &m->found, err);
	TT_THEN(rc, ttc_end_file(m, &m->found, err));
	return rc == TT_OK ? mark_middle(m, err) : rc;
}

int
ttc_rejoin_ring(struct ttc *m, struct tt_err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nunit; i++)
		if (m->unit[i].source == TTC_IN_FILE)
			m->unit[n++] = m->unit[i];
	m->nunit = n;
	ttc_free_made(m);
	m->nfrom_ring = 0;
	m->has_ring = m->is_ring_live = false;
	return settle_order(m, err);
}

int
ttc_index(struct ttc *m, struct tt_err *err)
{
	struct ttc_unit u;
	uint8_t *body = NULL;
	size_t cap = 0;
	bool defines;
	int rc;

	while ((rc = ttc_next_unit(m, &u, &m->found, err)) == TT_OK) {
		if (tt_stopped(m->env)) {
			rc = tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
			break;
		}
		if (u.thread == 0) {
			rc = ttc_load(m, &u, &body, &cap, err);
			if (rc == TT_E_DAMAGED) {
				tt_loss_add(
				    &m->found, TT_LOST_DAMAGED, 1, TTC_CHUNK_HEAD + (uint64_t)u.len, u.at);
				continue;
			}
			bool again = m->zero_seen && u.seq < m->zero_seq;
			TT_THEN(rc, ttc_read_own_chunk(m, body, &u, &defines, &m->found, err));
			if (rc != TT_OK)
				break;
			u.flags = again ? TTC_U_SKIP : defines ? 0 : TTC_U_QUIET;
		}
		if ((rc = ttc_unit_add(m, &u, err)) != TT_OK)
			break;
	}
	tt_mem_free(&m->env->mem, body, cap);
	if (rc != TT_END)
		return rc;
	for (size_t i = 0; i < m->nwho; i++)
		m->who[i].nstreamed_drops = m->who[i].dropped;
	rc = mend_order(m, err);
	m->damage = m->found;
	TT_THEN(rc, settle_order(m, err));
	m->indexed = true;
	return rc;
}

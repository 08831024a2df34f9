/**
 * Finds where the id of a thread becomes that of another thread, as the system reuses ids.
 *
 * Threads register in the session's stream, which has no order relative to their own streams. So a registration under an id that a thread already has waits
 * until the stream reaches its time; without a time (before 2018.2) it waits until the thread has ended. It is another thread if its name differs, or if the
 * previous thread has ended; else it is the same thread that registered again, as all threads do when a recording begins.
 */
#include "raw/raw.h"

int
raw_name_waits(struct raw *m, struct raw_stream *st, const struct raw_naming *x, struct tt_err *err)
{
	uint32_t k = m->naming_free;

	st->has_names = st->has_names || x->hash != st->name;
	if (k) {
		m->naming_free = m->naming[k - 1].next;
	} else {
		const int rc = tt_mem_grow(&m->env->mem, &m->naming, &m->capnaming, m->nnaming + 1, sizeof *m->naming, err);
		if (rc != TT_OK)
			return rc;
		k = (uint32_t)++m->nnaming;
	}
	m->naming[k - 1] = *x;
	m->naming[k - 1].next = 0;
	if (st->naming)
		m->naming[st->naming_last - 1].next = k;
	else
		st->naming = k;
	st->naming_last = k;
	return TT_OK;
}

/* Remove the first registration that waits. */
static void
drop_first(struct raw *m, struct raw_stream *st)
{
	const uint32_t k = st->naming;

	st->naming = m->naming[k - 1].next;
	m->naming[k - 1].next = m->naming_free;
	m->naming_free = k;
}

void
raw_change(struct raw *m, struct raw_stream *st, uint32_t naming)
{
	for (uint32_t k = 0; st->naming && k != naming;) {
		const struct raw_naming *x = &m->naming[(k = st->naming) - 1];
		st->name = x->hash;
		st->full = NULL;
		st->own = x->own;
		st->bound = x->bound;
		drop_first(m, st);
	}
	st->ended = INT64_MIN;
}

bool
raw_may_change(struct raw *m, struct raw_stream *st)
{
	if (st->naming && m->naming[st->naming - 1].from == INT64_MIN && !st->may_end && st->ended == INT64_MIN)
		raw_change(m, st, 0);
	return st->naming != 0;
}

/* True if ${x} registers the thread ${name} again: the thread has not ended, or ended after ${x}. It ended at ${ended}, as the block at ${at} says. */
static bool
is_same(const struct raw_naming *x, uint64_t name, int64_t ended, uint64_t at)
{
	return x->hash == name && (ended == INT64_MIN || (x->from == INT64_MIN ? x->at < at : x->from < ended));
}

/*
 * Return the waiting registration that has taken effect by ${t}; 0: none has. The present thread ended at ${ended}, as the block at ${at} says; INT64_MIN: it
 * has not ended.
 */
static uint32_t
find_naming(struct raw *m, struct raw_stream *st, int64_t t, int64_t ended, uint64_t at)
{
	uint64_t name = st->name;
	uint32_t found = 0;

	for (uint32_t k = st->naming, next; k; k = next) {
		const struct raw_naming *x = &m->naming[k - 1];
		next = x->next;
		if (x->from == INT64_MIN ? ended == INT64_MIN : t < x->from)
			break;
		if (is_same(x, name, found ? INT64_MIN : ended, at)) {
			if (!found)
				drop_first(m, st);
			continue;
		}
		found = k;
		name = x->hash;
		if (x->from == INT64_MIN)
			break;
	}
	return found;
}

uint32_t
raw_find_change(struct raw *m, struct raw_stream *st, const struct raw_piece *piece, uint32_t n, const uint8_t *p, uint32_t *naming)
{
	const struct raw_session *s = &m->session[m->now];
	uint32_t begun = UINT32_MAX, timed = UINT32_MAX, last = UINT32_MAX;
	int64_t ended = st->ended;
	uint64_t ended_at = st->ended_at;
	enum raw_step step;
	struct raw_walk w;

	raw_walk(&w, s, st->id, piece, 0, n, p);
	while ((step = raw_walk_next(&w)) == RAW_MESSAGE || step == RAW_DROPPED) {
		const uint8_t *const q = w.p;
		if (step == RAW_DROPPED)
			continue;
		const unsigned type = unity_u16(q);
		if (q == w.end - piece[w.i].len)
			begun = w.i;
		w.p += w.size;
		if (type == RAW_CLEANUP) {
			ended = raw_end_time(s, q);
			ended_at = piece[w.i].at;
			last = w.i;
		}
		if (w.i == timed || w.i == last || !raw_has_time(type))
			continue;
		timed = w.i;
		if (begun == w.i && (*naming = find_naming(m, st, raw_time_of(s, q), ended, ended_at)) > 0)
			return w.i;
	}
	return n;
}

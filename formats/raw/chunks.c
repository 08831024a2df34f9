/**
 * Joins the blocks of a segment into chunks, one for each stream with blocks in it. Decodes no event.
 */
#include "raw/raw.h"

#include "base/hash_seed.h"
#include "base/order.h"

/* True if recording paused between the stream's last frame, or its first event, and the frame at ${ticks}. */
static bool
paused(const struct raw *m, struct raw_stream *st, uint64_t ticks)
{
	size_t from = st->pause, to = m->npause;

	while (from < to) {
		const size_t mid = from + (to - from) / 2;
		const struct raw_pause *x = &m->pause[mid];
		if (x->session > st->session || (x->session == st->session && x->ticks > ticks))
			to = mid;
		else
			from = mid + 1;
	}
	const bool any = from > st->pause && m->pause[from - 1].session == st->session;
	st->pause = from;
	return any;
}

static void
put_pieces(struct raw *m, struct raw_stream *st, uint32_t stop, struct raw_piece *piece, uint8_t *p)
{
	const unsigned ticks = m->session[m->now].layout.aligned ? 8 : 6;
	bool begun = st->delivered || st->ncarry;

	if (st->ncarry) {
		*piece++ = (struct raw_piece){ .at = st->carry_at, .len = (uint32_t)st->ncarry, .flags = st->carry_flags };
		memcpy(p, st->carry, st->ncarry);
		p += st->ncarry;
	}
	for (uint32_t k = st->first; k != stop; k = m->block[k - 1].next) {
		const struct raw_block *b = &m->block[k - 1];
		const bool pause = (b->flags & RAW_P_FRAME && paused(m, st, unity_u64(m->p + b->off + ticks)) && begun) || b->flags & RAW_P_PAUSED;
		if (b->flags & (st->id == m->session[m->now].main ? RAW_P_LOST : RAW_P_BACK) && !pause)
			tt_loss_add(&m->loss, TT_LOST_MISSING, 1, 0, raw_block_at(m, b));
		*piece++ = (struct raw_piece){ .at = raw_block_at(m, b), .len = b->len, .flags = b->flags | (pause ? RAW_P_PAUSED : 0u) };
		memcpy(p, m->p + b->off, b->len);
		p += b->len;
		begun = true;
	}
}

/* The last two messages with a time, or NULL if there are fewer. */
struct timed { const uint8_t *last, *before; };

/* Skip messages of fixed length, which nearly all are. True if there were any. */
static bool
pass_plain(const struct raw_session *s, struct raw_walk *w, struct timed *t)
{
	const size_t flow = raw_flow_size(&s->layout);
	const uint8_t *p = w->p, *last = t->last, *before = t->before;

	for (size_t left = (size_t)(w->all - p), size; left >= 2; p += size, left -= size) {
		const unsigned type = unity_u16(p);
		size = type < RAW_TYPES ? s->size[type] : 0;
		if (type == RAW_FLOW && left >= flow && p[s->layout.aligned ? 4 : 2] <= 3)
			size = flow;
		if (size == 0 || size > left)
			break;
		if (raw_has_time(type)) {
			before = last;
			last = p;
		}
	}
	const bool any = p != w->p;
	*t = (struct timed){ last, before };
	w->p = p;
	return any;
}

/* Note the last two times of a chunk of the main thread. A time far from all others is damaged; two such times near each other follow a pause. */
static void
note_times(struct raw *m, int64_t before, int64_t last)
{
	const bool agree = before <= last && (uint64_t)last - (uint64_t)before <= RAW_MAX_STEP_NS;

	for (int i = 0; i < 2; i++) {
		const int64_t t = i == 0 ? before : last;
		if (t > m->latest && (agree || m->latest == INT64_MIN || (uint64_t)t - (uint64_t)m->latest < RAW_MAX_RUNON_NS))
			m->latest = t;
	}
}

/* True if the stream's last time is so far after the previous one that only later messages can tell whether it is right. */
static bool
is_doubtful(const struct raw_session *s, const struct timed *t)
{
	const int64_t before = t->before ? raw_time_of(s, t->before) : INT64_MAX, last = raw_time_of(s, t->last);

	return last > before && (uint64_t)last - (uint64_t)before > RAW_MAX_STEP_NS;
}

/* True if the message at ${p} is the begin of a sample without metadata, and ends at ${end}. */
static bool
is_plain_begin(const struct raw_session *s, const uint8_t *p, const uint8_t *end)
{
	const unsigned type = unity_u16(p);

	return (type == RAW_BEGIN || type == RAW_BEGIN_ID) && p + s->size[type] == end;
}

/*
 * True if the stream's last message, a begin that ends at ${end}, must wait for the next chunk, because parts of it may follow. If the chunk has a time far
 * after that of the message, it does not wait, as it shows that this time is wrong.
 */
static bool
must_wait(const struct raw_session *s, const struct timed *t, int64_t before, const uint8_t *end)
{
	const int64_t last = raw_time_of(s, t->last);

	return is_plain_begin(s, t->last, end) && (before <= last || (uint64_t)before - (uint64_t)last <= RAW_MAX_STEP_NS);
}

/* Note whether the message at ${p}, in the block at ${at}, reports the end of the thread. */
static void
note_end(const struct raw_session *s, struct raw_stream *st, const uint8_t *p, uint64_t at)
{
	const bool ends = unity_u16(p) == RAW_CLEANUP;

	st->ended = ends ? raw_end_time(s, p) : INT64_MIN;
	st->ended_at = at;
}

/* Return the message in a thread's pieces, which end at ${end}, that must wait for the stream's next chunk, or ${end}. Note the times of the last messages. */
static const uint8_t *
find_rest(struct raw *m, struct raw_stream *st, const struct raw_head *h, const struct raw_piece *piece, const uint8_t *end)
{
	const struct raw_session *s = &m->session[m->now];
	const uint8_t *from = end, *last = NULL;
	struct timed timed = { NULL, NULL };
	uint32_t first = h->npiece - 1;
	enum raw_step step;
	struct raw_walk w;

	/* Start at the last piece that surely begins with a message: a frame's mark, or the first after a gap. */
	for (; first > 0 && !(piece[first].flags & (RAW_P_FRAME | RAW_P_GAP)); first--)
		from -= piece[first].len;
	from -= piece[first].len;
	raw_walk(&w, s, st->id, piece, first, h->npiece, from);
	st->ended = INT64_MIN;
	for (;;) {
		if (!st->may_end && pass_plain(s, &w, &timed))
			last = NULL;
		if ((step = raw_walk_next(&w)) != RAW_MESSAGE && step != RAW_DROPPED)
			break;
		last = NULL;
		if (step == RAW_DROPPED)
			continue;
		note_end(s, st, w.p, piece[w.i].at);
		if (raw_has_time(unity_u16(w.p)))
			timed = (struct timed){ w.p, timed.last };
		if (unity_u16(w.p) == RAW_BEGIN_ARGS)
			last = w.p;
		w.p += w.size;
	}
	st->carry_after = INT64_MIN;
	if (!timed.last)
		return last ? last : w.p;
	const int64_t before = timed.before ? raw_time_of(s, timed.before) : INT64_MIN, latest = raw_time_of(s, timed.last);
	const bool doubtful = is_doubtful(s, &timed);
	if (must_wait(s, &timed, before, w.p))
		last = timed.last;
	st->last_ts = doubtful ? before : latest;
	if (doubtful)
		st->carry_after = before;
	if (st->id == s->main)
		note_times(m, before, st->last_ts);
	return doubtful ? timed.last : last ? last : w.p;
}

/* Move the last ${n} bytes, at ${p}, from the pieces to the stream's carry. */
static int
carry_off(struct raw *m, struct raw_stream *st, struct raw_head *h, struct raw_piece *piece, const uint8_t *p, size_t n, struct tt_err *err)
{
	const int rc = tt_mem_grow(&m->env->mem, &st->carry, &st->capcarry, n, 1, err);

	if (rc != TT_OK)
		return rc;
	memcpy(st->carry, p, n);
	st->ncarry = n;
	h->n -= n;
	while (n > 0) {
		struct raw_piece *x = &piece[h->npiece - 1];
		uint32_t less = x->len < n ? x->len : (uint32_t)n;
		x->len -= less;
		n -= less;
		st->carry_at = x->at;
		st->carry_flags |= x->flags & RAW_P_CUT;
		if (x->len > 0)
			break;
		st->carry_flags |= x->flags;
		h->npiece--;
	}
	return TT_OK;
}

/*
 * Keep the last message for the stream's next chunk if it is cut, if its call stack or the number of its GPU work may still follow, or if its time is
 * doubtful.
 */
static int
keep_rest(struct raw *m, uint32_t index, struct raw_head *h, struct raw_piece *piece, const uint8_t *p, struct tt_err *err)
{
	const uint8_t *const end = p + h->n, *rest;

	if (m->stream[index].id == RAW_SESSION) {
		struct raw_walk w;
		raw_walk(&w, &m->session[m->now], RAW_SESSION, piece, 0, h->npiece, p);
		const int rc = raw_heed(m, (uint32_t)m->now, &w, m->seq, err);
		if (rc != TT_OK)
			return rc;
		raw_settle_main(m);
		rest = w.p;
	} else {
		rest = find_rest(m, &m->stream[index], h, piece, end);
	}
	struct raw_stream *st = &m->stream[index];    /* the array may have grown */
	st->ncarry = 0;
	st->carry_flags = 0;
	return rest < end ? carry_off(m, st, h, piece, rest, (size_t)(end - rest), err) : TT_OK;
}

/*
 * Return the time before which a first time is wrong unless the next one is before it, too. A recording begins with events that idle threads still held from
 * an earlier one: a thread that existed then may have times from long before, a thread that began later may not.
 */
static int64_t
since(const struct raw_session *s, const struct raw_stream *st)
{
	if (st->delivered || !raw_is_sane(st->start))
		return INT64_MIN;
	return st->start - (raw_is_sane(s->began) && st->start > s->began + RAW_MAX_STEP_NS ? RAW_MAX_STEP_NS : RAW_MAX_RUNON_NS);
}

/* True if the log ${number}, or a later one before the present log, has no end. */
static bool
is_cut_since(const struct raw *m, size_t number)
{
	return m->session[m->now].ncut != m->session[number].ncut;
}

/* Find out, once, whether the stream's thread continues a thread of an earlier log: the last one with its id has the same name. */
static int
place(struct raw *m, struct raw_stream *st, struct tt_err *err)
{
	const size_t index = (size_t)(st - m->stream);
	const uint64_t tid = raw_tid(&m->session[m->now], st->id), hash = tt_seeded_pair(0, tid);

	if (st->placed)
		return TT_OK;
	const uint32_t at = tt_map_find(&m->thread_at, hash, i, m->stream[i].tid == tid);
	st->placed = true;
	st->tid = tid;
	st->after_cut = m->now > 0 && is_cut_since(m, at ? m->stream[at - 1].session : m->now - 1);
	if (!at)
		return tt_map_add(&m->thread_at, &m->env->mem, hash, index, err);
	const struct raw_stream *was = &m->stream[at - 1];
	st->goes_on = was->named == st->named && was->name == st->name;
	tt_map_replace(&m->thread_at, hash, at - 1, index);
	return TT_OK;
}

/* Fill in the part of the head that describes the stream. ${over}: true if nothing of the stream follows. */
static void
put_head(const struct raw *m, struct raw_stream *st, struct raw_head *h, bool over)
{
	h->s = m->session[m->now];
	h->since = since(&h->s, st);
	const int64_t latest = raw_is_sane(m->latest) ? m->latest + RAW_MAX_RUNON_NS : INT64_MAX;
	h->until = !over ? INT64_MAX : raw_is_sane(h->s.stopped) ? h->s.stopped + RAW_MAX_OVER_NS : latest;
	h->root = raw_root_of(m, st);
}

/* Fill in the part of the head that relates the chunk to its thread. */
static int
deliver(struct raw *m, struct raw_stream *st, struct raw_head *h, struct tt_err *err)
{
	if (st->id == RAW_SESSION)
		return TT_OK;
	const int rc = place(m, st, err);
	if (!st->delivered)
		h->flags |= RAW_H_FIRST | (st->goes_on ? RAW_H_GOES_ON : 0u) | (st->after_cut ? RAW_H_AFTER_CUT : 0u);
	h->flags |= st->other ? RAW_H_NEW_THREAD : 0u;
	if (st->other || (h->flags & RAW_H_ENDS && !st->reused))
		h->named = st->own;
	st->delivered = true;
	st->other = false;
	return rc;
}

/* Copy the stream's carry, and ${n} bytes of its blocks up to ${stop}, into the chunk as ${pieces} pieces. */
static int
put_together(const struct raw *m, const struct raw_stream *st, uint32_t stop, size_t pieces, size_t n, struct tt_chunk *c, struct tt_err *err)
{
	const int rc = tt_chunk_room(c, &m->env->mem, pieces * sizeof(struct raw_piece) + n, err);

	if (rc != TT_OK)
		return rc;
	struct raw_piece *piece = (struct raw_piece *)(void *)c->bytes;
	uint8_t *p = (uint8_t *)(piece + pieces);
	if (st->ncarry) {
		*piece++ = (struct raw_piece){ .at = st->carry_at, .len = (uint32_t)st->ncarry, .flags = st->carry_flags };
		memcpy(p, st->carry, st->ncarry);
		p += st->ncarry;
	}
	for (uint32_t k = st->first; k != stop; k = m->block[k - 1].next) {
		const struct raw_block *const b = &m->block[k - 1];
		*piece++ = (struct raw_piece){ .at = raw_block_at(m, b), .len = b->len, .flags = b->flags };
		memcpy(p, m->p + b->off, b->len);
		p += b->len;
	}
	return TT_OK;
}

enum { TRIED_BLOCKS = 4 };               /* initial number of blocks that are searched for another thread */

/* The range of blocks of a chunk. */
struct cut_out {
	uint32_t stop;                /* the stream's first block after the chunk, as index + 1; 0: no more blocks */
	size_t n, pieces;             /* bytes and pieces, including the carry */
	bool ends;                    /* true: another thread with the stream's id begins after the chunk */
	uint32_t naming;              /* the registration of that other thread */
	bool without_carry;           /* true: the carry belongs to that other thread and goes with the next chunk */
};

/* Add blocks to the chunk, at most ${most} in all. True if the chunk has all the blocks that it may have. */
static bool
add_blocks(const struct raw *m, const struct raw_stream *st, struct cut_out *of, size_t most)
{
	for (; of->stop; of->stop = m->block[of->stop - 1].next) {
		const struct raw_block *b = &m->block[of->stop - 1];
		/* A frame's mark always begins with a message. */
		if (of->n >= RAW_CHUNK && b->flags & RAW_P_FRAME && st->id != RAW_SESSION)
			break;
		if (of->pieces >= most)
			return false;
		of->n += b->len;
		of->pieces++;
	}
	return true;
}

/* Choose the blocks of the stream's next chunk. */
static int
cut_out(struct raw *m, struct raw_stream *st, struct cut_out *of, struct tt_chunk *c, struct tt_err *err)
{
	const uint32_t carries = st->ncarry > 0;
	const struct raw_piece *piece;
	uint32_t i, other;
	bool whole;
	int rc;

	*of = (struct cut_out){ .stop = st->first, .n = st->ncarry, .pieces = carries };
	if (!raw_may_change(m, st)) {
		add_blocks(m, st, of, SIZE_MAX);
		return TT_OK;
	}
	/* With thousands of blocks, each may belong to another thread, so increase the number step by step. */
	for (size_t most = TRIED_BLOCKS;; most *= TRIED_BLOCKS) {
		whole = add_blocks(m, st, of, most);
		if ((rc = put_together(m, st, of->stop, of->pieces, of->n, c, err)) != TT_OK)
			return rc;
		piece = (const struct raw_piece *)(const void *)c->bytes;
		other = raw_find_change(m, st, piece, (uint32_t)of->pieces, (const uint8_t *)(piece + of->pieces), &of->naming);
		if (whole || other < of->pieces)
			break;
	}
	of->ends = other < of->pieces && st->first;
	if (!of->ends)
		return TT_OK;
	of->without_carry = other < carries;
	of->pieces = other;
	of->n = 0;
	for (i = 0; i < other; i++)
		of->n += piece[i].len;
	of->stop = st->first;
	for (i = carries; i < other; i++)
		of->stop = m->block[of->stop - 1].next;
	return TT_OK;
}

void
raw_begin_lead(struct raw *m, uint32_t number)
{
	if (number == 1)
		m->first_lead = m->lead;
	m->lead = INT64_MIN;
	m->lead_known = m->in_old_frame = false;
	m->lead_of = number;
}

/* Find the begin of the frame in which the recording began, in a chunk of the main thread; see struct raw.lead. */
static void
find_lead(struct raw *m, const struct raw_head *h, const struct raw_piece *piece, const uint8_t *p)
{
	const struct raw_session *s = &h->s;
	const unsigned at = s->layout.aligned ? 4 : 2, id = at + (s->layout.aligned ? 4 : 1);
	enum raw_step step;
	struct raw_walk w;

	if (!s->stated || s->number != m->lead_of || m->lead_known || h->stream != s->main)
		return;
	raw_walk(&w, s, h->stream, piece, 0, h->npiece, p);
	while ((step = raw_walk_next(&w)) == RAW_MESSAGE || step == RAW_DROPPED) {
		const uint8_t *const q = w.p;
		if (step == RAW_DROPPED)
			continue;
		w.p += w.size;
		const unsigned type = unity_u16(q);
		if (!raw_has_time(type))
			continue;
		const int64_t t = raw_time_of(s, q);
		if (t < h->since)
			continue;
		if ((m->lead_known = t > s->began))
			return;
		if (m->lead == INT64_MIN)
			m->lead = t;
		if (type == RAW_FRAME) {
			m->lead = unity_u32(q + at) == s->first_frame ? t : s->began;
			m->in_old_frame = (int32_t)(s->first_frame - unity_u32(q + at)) > 1;
		} else if (unity_u32(q + id) == h->root) {
			m->lead = (type - RAW_BEGIN) % 3 == 0 && !m->in_old_frame ? t : s->began;
		}
	}
}

/* Return the first time of a stream of an appended log that belongs to the log's recording. */
static int64_t
recording_from(const struct raw *m, const struct raw_session *s, bool is_main)
{
	const int64_t lead = s->number == m->lead_of && m->lead != INT64_MIN ? m->lead : s->began, soon = s->began - TT_EARLIER;

	return is_main || lead < soon ? lead : soon;
}

/* Remove the first ${n} bytes of the chunk, which end with a message. */
static void
drop_front(struct raw_head *h, struct raw_piece *piece, size_t n)
{
	uint32_t k = 0;

	h->front += n;
	h->n -= n;
	for (; k < h->npiece && n >= piece[k].len; k++)
		n -= piece[k].len;
	if (k < h->npiece && n > 0) {
		piece[k].len -= (uint32_t)n;
		piece[k].flags &= RAW_P_CUT;
	}
	h->npiece -= k;
	memmove(piece, piece + k, h->npiece * sizeof *piece);
}

/*
 * Remove the stream's first events from before the recording of an appended log. In the first log they are delivered: they lie before time 0, and a run
 * leaves them out. In a later log they could lie among the times of the previous log. The removal ends at damage, or at a single time that is itself damaged.
 */
static void
leave_earlier(struct raw *m, struct raw_stream *st, struct raw_head *h, struct raw_piece *piece, const uint8_t *p)
{
	const struct raw_session *s = &h->s;
	const int64_t from = recording_from(m, s, st->id == s->main);
	const uint8_t *kept = p, *last = NULL;
	int64_t first = INT64_MAX;
	enum raw_step step;
	struct raw_walk w;
	unsigned n = 0;

	if (st->begun || st->id == RAW_SESSION || s->number == 0 || !s->stated)
		return;
	raw_walk(&w, s, h->stream, piece, 0, h->npiece, p);
	while ((step = raw_walk_next(&w)) == RAW_MESSAGE) {
		const unsigned type = unity_u16(w.p);
		const bool timed = raw_has_time(type);
		const int64_t t = timed ? raw_time_of(s, w.p) : INT64_MAX;
		if (timed && t >= from)
			break;
		n += timed;
		last = timed ? w.p : last;
		first = t < first ? t : first;
		kept = w.p += w.size;
	}
	st->begun = step != RAW_OVER;
	if (n == 0 || (n == 1 && (first < h->since || raw_is_early_mark(h, last))))
		return;
	drop_front(h, piece, (size_t)(kept - p));
	if (s->began - first > m->earlier_ns)
		m->earlier_ns = s->began - first;
}

/*
 * Find the times at which recording went on after a pause, or began, after the stream's last time. Threads write late: a block may have events of before and
 * after them, and zones that were open then have ends of other zones behind them.
 */
static void
find_resumes(const struct raw *m, struct raw_head *h)
{
	const struct raw_session *const s = &h->s;
	const int64_t began = recording_from(m, s, h->stream == s->main);

	if (h->stream == RAW_SESSION)
		return;
	if (s->stated && h->before < began)
		h->resumed[h->nresumed++] = began;
	size_t at = tt_lower_bound(i, 0, m->npause, m->pause[i].session < s->number ||
	    (m->pause[i].session == s->number && raw_ns(s, m->pause[i].ticks) <= h->before));
	for (; at < m->npause && m->pause[at].session == s->number && h->nresumed < RAW_RESUMES; at++)
		h->resumed[h->nresumed++] = raw_ns(s, m->pause[at].ticks);
}

/* True if a reading that looks only for definitions, frames and threads can skip the stream's blocks in the segment. */
static bool
is_middle(const struct raw *m, const struct raw_stream *st)
{
	/* Damage anywhere in the main thread decides which frames are whole. */
	if (!m->cap->skim || st->id == RAW_SESSION || st->id == m->session[m->now].main || !st->delivered || st->other || st->may_end || st->naming)
		return false;
	for (uint32_t k = st->first; k; k = m->block[k - 1].next)
		if (m->block[k - 1].flags & RAW_P_GAP)
			return false;
	return true;
}

/* Make the chunk of stream ${index}; *${some} is false if all of it must wait for more. ${last}: nothing more will come. */
static int
make_chunk(struct raw *m, uint32_t index, bool last, struct tt_chunk *c, bool *some, struct tt_err *err)
{
	struct raw_stream *st = &m->stream[index];
	struct cut_out of;
	int rc;

	*some = !is_middle(m, st);
	if (!*some) {
		st->first = 0;
		st->ncarry = 0;
		st->ended = INT64_MIN;
		return TT_OK;
	}
	if ((rc = cut_out(m, st, &of, c, err)) != TT_OK)
		return rc;
	const size_t n = of.n, pieces = of.pieces, ncarry = st->ncarry;
	const uint32_t stop = of.stop;
	if (of.without_carry)
		st->ncarry = 0;
	size_t front = sizeof(struct raw_head) + pieces * sizeof(struct raw_piece);
	if ((rc = tt_chunk_room(c, &m->env->mem, front + n, err)) != TT_OK)
		return rc;
	struct raw_head *h = (struct raw_head *)(void *)c->bytes;
	struct raw_piece *piece = (struct raw_piece *)(void *)(h + 1);
	uint8_t *p = c->bytes + front;
	memset(h, 0, sizeof *h);
	h->stream = st->id;
	h->n = n;
	h->npiece = (uint32_t)pieces;
	h->front = front;
	h->flags = of.ends ? RAW_H_ENDS : 0;
	h->after = st->carry_after;
	h->before = raw_is_sane(st->last_ts) ? st->last_ts : INT64_MIN;
	st->carry_after = INT64_MIN;
	put_pieces(m, st, stop, piece, p);
	memset(p + n, 0, TT_CHUNK_PAD);
	if (last || stop) {
		st->ncarry = of.without_carry ? ncarry : 0;
	} else if ((rc = keep_rest(m, index, h, piece, p, err)) != TT_OK) {
		return rc;
	}
	st = &m->stream[index];
	st->first = stop;
	if (stop)
		m->next--;            /* the remainder becomes a chunk of its own */
	*some = h->n > 0 || stop;
	if (!*some)
		return TT_OK;
	put_head(m, st, h, last);
	find_lead(m, h, piece, p);
	leave_earlier(m, st, h, piece, p);
	*some = h->n > 0 || stop;
	if (!*some)
		return TT_OK;
	find_resumes(m, h);
	if ((rc = deliver(m, st, h, err)) != TT_OK)
		return rc;
	if (of.ends) {
		st->other = st->reused = true;
		raw_change(m, st, of.naming);
	}
	raw_hand_losses(m, &c->loss);
	c->seq = m->seq++;
	c->at = m->from;
	c->len = m->len;
	c->tid = raw_tid(&h->s, st->id == RAW_SESSION ? h->s.main : st->id);
	c->loaded = true;
	return TT_OK;
}

/* Make a chunk of the next carry that no block will continue; *${some} is false if there is no such carry. */
static int
flush(struct raw *m, struct tt_chunk *c, bool *some, struct tt_err *err)
{
	const size_t now = m->now;
	int rc = TT_OK;

	*some = false;
	/* Streams are in the order of sessions. A second reading also knows the streams of later sessions, from which nothing was read yet. */
	for (; m->flush_at < m->nstream && m->stream[m->flush_at].session <= now && rc == TT_OK && !*some; m->flush_at++) {
		const struct raw_stream *st = &m->stream[m->flush_at];
		if (st->ncarry && (m->ended || st->session != now)) {
			m->now = st->session;
			rc = make_chunk(m, (uint32_t)m->flush_at, true, c, some, err);
		}
	}
	m->now = now;
	m->flushing = rc == TT_OK && *some;
	while (!m->flushing && m->flushed < m->nstream && m->stream[m->flushed].session < now)
		m->flushed++;
	return rc;
}

/* Store the fit of each of several logs in the capture. */
static int
keep_logs(struct raw *m, struct tt_err *err)
{
	struct tt_capture *cap = m->cap;

	if (m->nsession == 1)
		return TT_OK;
	if (m->nlog != m->nsession && !(m->log = tt_arena_alloc(&cap->arena, m->nsession * sizeof *m->log, err)))
		return err->code;
	m->nlog = m->nsession;
	for (size_t i = 0; i < m->nlog; i++)
		m->log[i] = m->session[i].fit;
	cap->fit.log = m->log;
	cap->fit.nlog = m->nlog;
	return TT_OK;
}

static int
end(struct raw *m, struct tt_chunk *c, struct tt_err *err)
{
	if (m->win.end_err.code == TT_E_DAMAGED)
		tt_loss_add(&m->loss, TT_LOST_CODING, 1, 0, m->win.end_err.at);
	raw_miss_tail(m, m->at);
	raw_end_sessions(m);
	raw_hand_losses(m, &c->loss);
	const int rc = keep_logs(m, err);
	if (rc != TT_OK)
		return rc;
	m->read = true;
	m->cap->stopped_at = m->at;
	const int64_t lead = m->lead_of == 0 ? m->lead : m->first_lead;
	m->cap->lead_ns = lead == INT64_MIN ? 0 : -lead;
	m->cap->appended_earlier_ns = m->earlier_ns;
	m->cap->end_mark = m->any_state && !m->enabled ? 1 : -1;
	return TT_END;
}

int
raw_next(void *ctx, struct tt_chunk *c, struct tt_err *err)
{
	struct raw *m = ctx;
	bool some = false;
	int rc;

	tt_loss_reset(&c->loss);
	c->can_prefetch = false;
	for (;;) {
		if (m->flushing && ((rc = flush(m, c, &some, err)) != TT_OK || some))
			return rc;
		while (m->next < m->norder)
			if ((rc = make_chunk(m, m->order[m->next++], false, c, &some, err)) != TT_OK || some)
				return rc;
		if (m->ended)
			return end(m, c, err);
		if (tt_stopped(m->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		const size_t session = m->now;
		if ((rc = raw_take_segment(m, err)) < 0)
			return rc;
		raw_settle_main(m);
		m->ended = rc == TT_END;
		c->can_prefetch = !m->ended && m->at - m->base > RAW_SEGMENT / 2 && tt_window_plan(&m->win, m->at, RAW_SEGMENT);
		m->flushing = m->ended || session != m->now;
		m->flush_at = m->flushed;
	}
}

void
raw_prefetch(void *ctx)
{
	struct raw *m = ctx;

	tt_window_fetch(&m->win);
}

/**
 * Steps through the messages of a chunk; after one that makes no sense, skips to the next block.
 */
#include "raw/raw.h"

/* True if the piece surely begins with a message. */
static bool
begins(const struct raw_piece *p)
{
	return p->flags & (RAW_P_GAP | RAW_P_FRAME);
}

/* Find the consecutive pieces from the present one on, up to the next that begins anew; bytes after a frame's mark are separate. */
static void
find_all(struct raw_walk *w)
{
	w->all = w->end;
	for (uint32_t k = w->i + 1; k < w->n && !begins(&w->piece[k]); k++)
		w->all += w->piece[k].len;
}

void
raw_walk(struct raw_walk *w, const struct raw_session *s, uint64_t id, const struct raw_piece *piece, uint32_t from, uint32_t n, const uint8_t *p)
{
	static const uint8_t none[RAW_TYPES];
	const bool session = id == RAW_SESSION;

	*w = (struct raw_walk){ .s = s, .fixed = session ? none : s->size, .id = id, .session = session, .piece = piece, .i = from, .n = n,
		.p = p, .end = p, .all = p };
	if (from < n) {
		w->end = p + piece[from].len;
		find_all(w);
	}
}

/* Find the piece that contains w->p. False: w->p is after the last piece. */
static bool
settle(struct raw_walk *w)
{
	while (w->p >= w->end) {
		if (w->i + 1 >= w->n)
			return false;
		w->i++;
		w->end += w->piece[w->i].len;
		if (begins(&w->piece[w->i]))
			find_all(w);
	}
	return true;
}

void
raw_walk_drop(struct raw_walk *w)
{
	w->size = (size_t)(w->end - w->p);
	w->p = w->end;
}

/* True if the ${n} bytes at ${p} are only whole messages of the stream. */
static bool
are_whole(const struct raw_walk *w, const uint8_t *p, size_t n)
{
	size_t size;

	for (; n > 0 && raw_measure(&w->s->layout, p, n, &size) == RAW_WHOLE && raw_may_be_in(w->session, unity_u16(p)); p += size, n -= size)
		;
	return n == 0;
}

/*
 * The present message is not whole and would continue in the next pieces. If one of these consists of whole messages, a length in the present message is
 * wrong: move to that piece. False: there is no such piece.
 */
static bool
pass_wrong_length(struct raw_walk *w)
{
	const uint8_t *p = w->end;

	for (uint32_t k = w->i + 1; k < w->n && !begins(&w->piece[k]); p += w->piece[k].len, k++)
		if (w->piece[k].len > 0 && are_whole(w, p, w->piece[k].len)) {
			w->size = (size_t)(p - w->p);
			w->p = p;
			return true;
		}
	return false;
}

/*
 * True if the present message, a mark or a registration, is in the wrong place: a mark must be alone in a block if the thread's others are, a registration
 * must come first in a block of its own.
 */
static bool
is_misplaced(const struct raw_walk *w, unsigned type, size_t n)
{
	const struct raw_piece *const piece = &w->piece[w->i];
	const size_t head = w->s->layout.aligned ? 4 : 2;
	const bool first = w->p == w->end - piece->len;

	if (type == RAW_THREAD)
		return !first || (n >= head + 8 && unity_u64(w->p + head) != w->id);
	return piece->flags & RAW_P_ALONE && !(first && (piece->len == head + 12 || piece->flags & RAW_P_CUT));
}

/* True if the present message, of which ${n} bytes are there, has a type that the stream cannot have, or cannot have here. */
static inline bool
is_stranger(const struct raw_walk *w, unsigned type, size_t n)
{
	if (n < 2)
		return false;
	return !raw_may_be_in(w->session, type) || (!w->session && (type == RAW_FRAME || type == RAW_THREAD) && is_misplaced(w, type, n));
}

/* True if the present message is whole, and of a type of fixed length that only threads have, as nearly all messages are. */
static inline bool
is_fixed(const struct raw_walk *w, unsigned type, size_t n)
{
	return type < RAW_TYPES && w->fixed[type] && w->fixed[type] <= n;
}

enum raw_step
raw_walk_next(struct raw_walk *w)
{
	enum raw_state state;

	if (!settle(w))
		return RAW_OVER;
	size_t n = (size_t)(w->all - w->p);
	unsigned type = n >= 2 ? unity_u16(w->p) : 0;
	if (is_fixed(w, type, n)) {
		w->size = w->fixed[type];
		return RAW_MESSAGE;
	}
	if (is_stranger(w, type, n)) {
		raw_walk_drop(w);
		return RAW_DROPPED;
	}
	if (type >= RAW_BEGIN_ARGS && type <= RAW_SINGLE_ARGS && (w->size = raw_one_value_size(w->s, w->p, n)) > 0)
		return RAW_MESSAGE;
	state = raw_measure(&w->s->layout, w->p, n, &w->size);
	if (state == RAW_WHOLE)
		return RAW_MESSAGE;
	if (state == RAW_SHORT && pass_wrong_length(w))
		return RAW_DROPPED;
	if (state == RAW_SHORT && w->i + 1 < w->n) {
		/* Check whether a later piece can continue the message. */
		uint32_t k = w->i + 1;
		const uint8_t *end = w->end;
		for (; end < w->all; k++)
			end += w->piece[k].len;
		for (; k < w->n && !begins(&w->piece[k]); k++)
			;
		if (k < w->n) {
			w->size = n;
			w->p = w->all;
			return RAW_DROPPED;
		}
	}
	if (state == RAW_SHORT)
		return RAW_REST;
	raw_walk_drop(w);
	return RAW_DROPPED;
}

/**
 * Finds whether instance ids have 4 or 8 bytes; both occur in the latest version. With the right width, messages end where their stream's blocks end. If that
 * decides nothing, for example because each block has a message of an unknown type, messages must make sense up to that point.
 */
#include "raw/raw.h"

#include <string.h>

/* How well a width fits a thread's bytes that contain messages with instance ids. */
enum width_fit {
	WIDTH_MISFIT,                 /* something makes no sense */
	WIDTH_ENDS,                   /* the first such message ends the bytes; with another width its remainder may lie in the next block */
	WIDTH_STOPS,                  /* a sample in order follows such a message; the last message is cut, or of an unknown type */
	WIDTH_FILLS,                  /* whole messages fill the bytes exactly, and some follow the first such message */
};

/* The bytes of a thread, read with one width. */
struct width_reading {
	enum width_fit fit;
	bool has_ids;
	bool is_cut;                  /* true: the last message is cut */
	size_t from;                  /* offset of the first message with an id; without such a message, of the cut message */
};

/* Bytes of a stream that begin with a message that its next blocks continue. */
enum { JOINED_BYTES = 8192 };
struct joined {
	size_t n;
	uint8_t b[JOINED_BYTES];
};

/*
 * True if the message at ${p} is a sample or a frame's mark whose time follows *${last}, which becomes that time. *${last} is INT64_MIN if there is no last
 * time.
 */
static bool
is_in_order(const struct raw_session *s, const uint8_t *p, int64_t *last)
{
	const unsigned type = unity_u16(p);

	if (!raw_has_time(type))
		return false;
	const int64_t before = *last;
	*last = raw_time_of(s, p);
	return before != INT64_MIN && (uint64_t)*last - (uint64_t)before <= (uint64_t)RAW_MAX_STEP_NS;
}

static bool
has_id(const uint8_t *p)
{
	return unity_u16(p) >= RAW_BEGIN_ID && unity_u16(p) <= RAW_SINGLE_ID;
}

/* Read the ${n} bytes at ${begin}, which begin with a message, with ids of this width. */
static struct width_reading
read_by_width(const struct raw_session *s, bool wide, const uint8_t *begin, size_t n)
{
	struct width_reading r = { .fit = WIDTH_MISFIT };
	struct raw_layout l = s->layout;
	enum raw_state state = RAW_WHOLE;
	int64_t last = INT64_MIN;
	const uint8_t *p = begin;
	bool goes_on = false, is_followed = false;
	size_t size;

	l.wide = wide;
	for (; n > 0 && (state = raw_measure(&l, p, n, &size)) == RAW_WHOLE && raw_may_be_in(false, unity_u16(p)); p += size, n -= size) {
		goes_on = is_in_order(s, p, &last) ? r.has_ids : goes_on;
		is_followed = r.has_ids;
		if (!r.has_ids && has_id(p)) {
			r.has_ids = true;
			r.from = (size_t)(p - begin);
		}
	}
	r.is_cut = n > 0 && state == RAW_SHORT;
	r.from = r.has_ids ? r.from : (size_t)(p - begin);
	const bool unknown = n >= 2 && unity_u16(p) < RAW_UNKNOWN_TYPES && !raw_fields(unity_u16(p), l.rank);
	if (n == 0)
		r.fit = is_followed || !r.has_ids ? WIDTH_FILLS : WIDTH_ENDS;
	else if (goes_on && (r.is_cut || unknown))
		r.fit = WIDTH_STOPS;
	return r;
}

/*
 * Read the ${n} bytes at ${p}, which begin with a message, with both widths. If one of them fits better, and better than *${best}, store it in the session's
 * layout. Keep in ${rest} what the next blocks must complete. False: the next block may begin neither with a message nor with the continuation of ${rest}.
 */
static bool
read_by_both(struct raw_session *s, const uint8_t *p, size_t n, struct joined *rest, enum width_fit *best)
{
	const struct width_reading narrow = read_by_width(s, false, p, n);
	const struct width_reading wide = narrow.has_ids ? read_by_width(s, true, p, n) : narrow;
	const enum width_fit fit = narrow.fit > wide.fit ? narrow.fit : wide.fit;

	if (narrow.fit != wide.fit && fit > *best) {
		*best = fit;
		s->layout.wide = wide.fit > narrow.fit;
	}
	rest->n = 0;
	if (!narrow.is_cut && !wide.is_cut)
		return true;
	if (n - narrow.from > JOINED_BYTES)
		return false;
	rest->n = n - narrow.from;
	memmove(rest->b, p + narrow.from, rest->n);
	return true;
}

/* Read the stream's blocks in the segment. */
static void
read_stream(struct raw *m, const struct raw_stream *st, enum width_fit *best)
{
	struct raw_session *s = &m->session[m->now];
	bool follows = st->ncarry == 0;
	struct joined j = { .n = 0 };

	for (uint32_t k = st->first; k && *best < WIDTH_FILLS; k = m->block[k - 1].next) {
		const struct raw_block *b = &m->block[k - 1];
		const uint8_t *p = m->p + b->off;

		if (b->flags & (RAW_P_GAP | RAW_P_FRAME)) {
			if (j.n > 0)
				read_by_both(s, j.b, j.n, &j, best);
			j.n = 0;
			follows = true;
		}
		if (j.n + b->len > JOINED_BYTES && j.n > 0)
			follows = read_by_both(s, j.b, j.n, &j, best) && j.n + b->len <= JOINED_BYTES;
		if (!follows) {
			j.n = 0;
			continue;
		}
		if (j.n == 0) {
			follows = read_by_both(s, p, b->len, &j, best);
			continue;
		}
		memcpy(j.b + j.n, p, b->len);
		j.n += b->len;
	}
	if (j.n > 0)
		read_by_both(s, j.b, j.n, &j, best);
}

void
raw_find_width(struct raw *m)
{
	struct raw_session *s = &m->session[m->now];
	enum width_fit best = WIDTH_MISFIT;

	for (size_t i = 0; i < m->norder && !s->wide_known && best < WIDTH_FILLS; i++)
		if (m->stream[m->order[i]].id != RAW_SESSION)
			read_stream(m, &m->stream[m->order[i]], &best);
	if (best == WIDTH_MISFIT)
		return;
	s->wide_known = true;
	raw_sizes(&s->layout, s->size);
}

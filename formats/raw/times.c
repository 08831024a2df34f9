/**
 * Decides which times of a stream's messages are right. In an undamaged log times run backwards only a little, and only where a frame begins. If a time runs
 * backwards elsewhere or further, or is far ahead of the next one, it or a neighbour is damaged.
 *
 * raw_stamp() takes expected times, one message at a time. An unexpected time ends the decoding of the chunk; raw_find_odd() then checks all its times, and
 * finds single times that their neighbours on both sides contradict. Decoding starts again with these corrected: such a message gets the time of the message
 * before or after it. If a time is still wrong, it is not a single one, and the rest of its block is lost.
 */
#include "raw/raw.h"

#define DAY (86400 * RAW_MAX_STEP_NS)
#define YEAR (366 * DAY)

/* A message with a time. */
struct timed {
	const uint8_t *p;
	int64_t ts;
	unsigned type;
	bool after_loss;              /* true: something is missing between it and the previous message */
};

/* Find the next message with a time from ${w} on, and move ${w} past it. False: there is no such message. */
static bool
next_timed(const struct raw_run *r, struct raw_walk *w, struct timed *t)
{
	const struct raw_session *s = r->s;
	const unsigned at = s->layout.aligned ? 4 : 2, id = at + (s->layout.aligned ? 4 : 1);
	bool lost = false;

	for (;;) {
		uint32_t i = w->i;
		const enum raw_step step = raw_walk_next(w);
		for (; i < w->i; i++)
			lost = lost || w->piece[i + 1].flags & (RAW_P_GAP | RAW_P_LOST | RAW_P_PAUSED);
		lost = lost || step == RAW_DROPPED;
		if (step == RAW_DROPPED)
			continue;
		if (step != RAW_MESSAGE)
			return false;
		const unsigned type = unity_u16(w->p);
		const bool sample = raw_is_sample(type);
		*t = (struct timed){ .p = w->p, .type = type, .after_loss = lost };
		if (sample && unity_u32(w->p + id) >= s->marker.ids) {
			raw_walk_drop(w);
			lost = true;
			continue;
		}
		w->p += w->size;
		if (!sample && type != RAW_FRAME && type != RAW_CLEANUP)
			continue;
		t->ts = raw_ns(s, unity_u64(t->p + (sample ? id + 4 : type == RAW_FRAME ? at + 4 : at)));
		return true;
	}
}

bool
raw_first_time(const struct raw_run *r, struct raw_walk w, int64_t *ts)
{
	struct timed t;

	if (!next_timed(r, &w, &t))
		return false;
	*ts = t.ts;
	return t.ts > -YEAR && t.ts < YEAR;
}

/* True if the next frame's mark after ${p} in the chunk of ${h} has the next number. */
static bool
has_next_mark(const struct raw_head *h, const uint8_t *p)
{
	const struct raw_piece *const piece = (const struct raw_piece *)(const void *)(h + 1);
	const uint8_t *q = (const uint8_t *)h + h->front;

	for (uint32_t i = 0; i < h->npiece; q += piece[i++].len)
		if (q > p && piece[i].flags & RAW_P_FRAME)
			return !(piece[i].flags & (RAW_P_GAP | RAW_P_LOST));
	return false;
}

bool
raw_is_early_mark(const struct raw_head *h, const uint8_t *p)
{
	const struct raw_session *s = &h->s;

	if (!s->stated || unity_u16(p) != RAW_FRAME)
		return false;
	const int32_t after = (int32_t)(unity_u32(p + (s->layout.aligned ? 4 : 2)) - s->first_frame);
	return after > 0 && raw_time_of(s, p) < s->began - RAW_BEHIND && (after == 1 || has_next_mark(h, p));
}

uint64_t
raw_count_earlier(const struct raw_run *r, struct raw_walk w)
{
	struct timed t;
	uint64_t n = 0;

	if (!r->s->stated || r->h->stream == RAW_SESSION)
		return 0;
	while (next_timed(r, &w, &t) && t.ts < r->s->began)
		n += !raw_is_early_mark(r->h, t.p);
	return n;
}

/* True if the message at ${p} begins a frame: it is a mark or a root sample. */
static bool
begins_frame(const struct raw_run *r, const uint8_t *p)
{
	const unsigned type = unity_u16(p);

	return type == RAW_FRAME || (type >= RAW_BEGIN && type <= RAW_BEGIN_ARGS && (type - RAW_BEGIN) % 3 == 0 && r->h->root != UNITY_NO_MARKER &&
	    unity_u32(p + (r->s->layout.aligned ? 8 : 3)) == r->h->root);
}

/*
 * True if the time ${t} of the message at ${p} is right although it is before ${last}: the engine may mark a frame's begin before it ends the samples of the
 * previous frame. The messages after the mark are in order again, and may also be before ${last}.
 */
static bool
is_behind(const struct raw_run *r, const uint8_t *p, int64_t t, int64_t last, int64_t *caught, int64_t *behind)
{
	if (t < last - RAW_BEHIND || !((last == *caught && t >= *behind) || begins_frame(r, p)))
		return false;
	*caught = last;
	*behind = t;
	return true;
}

/* True if ${t} may follow the stream's last time. */
static bool
is_in_line(struct raw_run *r, int64_t t)
{
	struct raw_walk w;
	int64_t next;

	if (t > r->h->until && !r->searched)
		return false;
	if (r->last == INT64_MIN)
		return t >= -YEAR && t <= YEAR && (t >= r->h->since || r->searched);
	if (t < r->last - DAY)
		return false;
	/* A thread may have run a little longer than the main thread; an appended log begins at the end of the main thread. */
	if (t < r->last)
		return (r->s->number > 0 && r->h->flags & RAW_H_FIRST) || is_behind(r, r->w->p, t, r->last, &r->caught, &r->behind);
	if (t - r->last <= RAW_MAX_STEP_NS)
		return true;
	w = *r->w;
	w.p += w.size;
	if (!raw_first_time(r, w, &next))
		return t <= r->last + DAY;
	/* A pause may be longer than a day; the time after it is then not the only one. */
	return next >= t && (t <= r->last + DAY || next - t <= RAW_MAX_STEP_NS);
}

bool
raw_stamp_slow(struct raw_run *r, uint64_t ticks, int64_t *ts)
{
	int64_t t = r->mending ? r->mended_ts : raw_ns(r->s, ticks);

	if (r->mending)
		t = t > r->last ? t : r->last;
	else if (!is_in_line(r, t))
		return r->odd_time = true, false;
	if (t < r->from)
		r->from = t;
	if (t < r->last) {
		tt_loss_add(&r->u.b->loss, TT_LOST_CLOCK, 1, 0, r->at);
		t = r->last;
	}
	tt_batch_time(r->u.b, t);
	*ts = r->last = t;
	return true;
}

/* --- single times that are wrong --------------------------------------------------------------------------- */

static bool
is_end(unsigned type)
{
	return !(type == RAW_FRAME || (type >= RAW_BEGIN && (type - RAW_BEGIN) % 3 == 0));
}

/*
 * True if the first of the ${n} times at ${x} is wrong, where ${good} is the last good time before it. It is too early if the next time continues from
 * ${good}; it is too late if the next time does, and the one after that is also earlier than the first.
 */
static bool
is_odd(const struct raw_run *r, const struct timed *x, unsigned n, int64_t good)
{
	const int64_t t = x->ts;

	if (t > r->h->until)
		return true;
	if (n < 2 || x[1].ts < good)
		return false;
	if (t < good || (good == INT64_MIN && (t < -YEAR || (t < r->h->since && x[1].ts >= r->h->since))))
		return true;
	if (x[1].ts >= r->s->began && raw_is_early_mark(r->h, x->p))
		return true;
	return t > x[1].ts && (n < 3 || x[2].ts < t) && !(begins_frame(r, x[1].p) && t - x[1].ts <= RAW_BEHIND);
}

/*
 * Return the corrected time of the first of the ${n} messages at ${x}: for a begin that of the next message, else that of the previous message, so that zones
 * do not get longer. Times before and after a loss are not compared.
 */
static int64_t
mended(const struct raw_run *r, const struct timed *x, unsigned n, int64_t good)
{
	if (good == INT64_MIN)
		return n > 1 ? x[1].ts : r->h->until;
	return n > 1 && !x[1].after_loss && !is_end(x->type) ? x[1].ts : good;
}

bool
raw_first_right_time(const struct raw_run *r, struct raw_walk w, int64_t *ts)
{
	struct timed x[3];
	unsigned n = 0;

	while (n < 3 && next_timed(r, &w, &x[n]))
		n++;
	if (n == 0)
		return false;
	*ts = is_odd(r, x, n, INT64_MIN) ? mended(r, x, n, INT64_MIN) : x->ts;
	return *ts > -YEAR && *ts < YEAR;
}

void
raw_find_odd(struct raw_run *r, struct raw_walk w)
{
	struct timed x[3];
	int64_t good = r->last, caught = r->caught, behind = r->behind;
	unsigned n = 0;

	r->searched = true;
	while (n < 3 && next_timed(r, &w, &x[n]))
		n++;
	/* If everything after the last time before the chunk is earlier, and no block is missing, that last time was wrong. */
	if (n > 0 && good != INT64_MIN && x->ts < (caught == good ? behind : good) && (n == 1 || (x[1].ts < good && x[1].ts >= x->ts)) &&
	    !(w.piece->flags & RAW_P_GAP)) {
		r->before_odd = true;
		good = INT64_MIN;
	}
	while (n > 0 && r->nodd < RAW_ODD) {
		if (good != INT64_MIN && x->ts < good && is_behind(r, x->p, x->ts, good, &caught, &behind))
			;
		else if (is_odd(r, x, n, good))
			r->odd[r->nodd++] = (struct raw_odd){ x->p, mended(r, x, n, good), UNITY_NO_MARKER };
		else
			good = x->ts;
		memmove(x, x + 1, (n - 1) * sizeof *x);
		n--;
		if (n == 2 && next_timed(r, &w, &x[n]))
			n++;
	}
}

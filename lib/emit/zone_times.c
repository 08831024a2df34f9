/**
 * Times by which complete events nest: sort the begins and ends of a chunk, then walk back over them and move each one before the next one if the
 * two may not have the same time.
 */
#include "emit/zone_times.h"

/* A change (begin or end of a zone): the zone's index * 4, and these bits. */
#define ENDS 1u
#define EMPTY 2u                      /* the zone's length in the capture is 0 */

/* Maximum ns by which zones of length 0 move when a zone that continues in the next chunk begins at the same time. */
enum { MOVED_ON = 16 };

/* Maximum ns by which a change moves. The capture's first event is at 1,000 ns, and nothing may come before 0. Changes that would move further share a time. */
enum { MAX_MOVED = 900 };

/* The next change in time: its time in the capture, and its present time. */
struct walk {
	int64_t was, is;
};

bool
tt_zone_times_meet(const struct tt_slice *s, size_t n, const struct tt_zone_edges *edges)
{
	bool meet = n > 0 && (s[0].flags & TT_SLICE_ENDS ? s[0].ts + s[0].dur : s[0].ts) <= edges->seen_ts;

	for (size_t i = 0; i < n; i++)
		meet |= s[i].dur == 0;
	return meet;
}

/* Return the time for a change at ${ts} that must be ${gap} ns before the next one. */
static int64_t
time_before_next(const struct walk *w, int64_t ts, int64_t gap)
{
	const int64_t before = w->is - gap, least = ts - MAX_MOVED;

	return ts > w->was || ts <= before ? ts : before > least ? before : least;
}

static void
move_begin(struct walk *w, struct tt_slice *s, bool empty)
{
	const int64_t was = s->ts, end = s->ts + s->dur, latest = empty ? end : end - 1;

	s->ts = time_before_next(w, was, 0);
	if (s->ts > latest)
		s->ts = latest;
	s->dur = end - s->ts;
	w->was = was;
	w->is = s->ts;
}

static void
move_end(struct walk *w, struct tt_slice *s, bool empty)
{
	const int64_t was = s->ts + s->dur;

	w->is = time_before_next(w, was, empty);
	w->was = was;
	s->dur = w->is - s->ts;
}

/* Account for a zone that begins at ${ts} and is written elsewhere. */
static void
pass_begin(struct walk *w, int64_t ts)
{
	w->is = time_before_next(w, ts, 0);
	w->was = ts;
}

/* True if the walk can move ${s}: its length is valid, and its times are far from the limits of their type. */
static bool
is_movable(const struct tt_slice *s)
{
	return s->dur >= 0 && s->ts > INT64_MIN / 2 && s->ts < INT64_MAX / 2 && s->dur < INT64_MAX / 4;
}

/* The changes of a chunk. */
struct changes {
	const struct tt_slice *s;
	uint32_t *change, *open;      /* changes in order; begins of open zones, outermost first */
	size_t nchange, nopen;
};

/* End the open zones that cannot contain a zone at ${depth}. */
static void
end_zones(struct changes *c, uint32_t depth)
{
	while (c->nopen > 0 && c->s[c->open[c->nopen - 1] >> 2].depth >= depth)
		c->change[c->nchange++] = c->open[--c->nopen] | ENDS;
}

/* Sort the begins and ends of the ${n} zones, merged with the begins of ${begun}, which count as zones from ${n} on. */
static void
order_changes(struct changes *c, size_t n, const struct tt_begun *begun, size_t nbegun)
{
	size_t k = 0;

	for (size_t i = 0; i <= n; i++) {
		for (; k < nbegun && begun[k].before <= i; k++) {
			end_zones(c, begun[k].s.depth);
			c->change[c->nchange++] = (uint32_t)(n + k) << 2;
		}
		if (i == n || !is_movable(&c->s[i]))
			continue;
		const uint32_t zone = (uint32_t)i << 2 | (c->s[i].dur == 0 ? EMPTY : 0);
		end_zones(c, c->s[i].depth);
		if (c->s[i].flags & TT_SLICE_ENDS) {
			c->change[c->nchange++] = zone | ENDS;
			continue;
		}
		c->change[c->nchange++] = zone;
		c->open[c->nopen++] = zone;
	}
	end_zones(c, 0);
}

/* Return the present time of a change. */
static int64_t
time_of(const struct changes *c, size_t i, const struct tt_begun *begun, size_t n)
{
	const uint32_t zone = c->change[i] >> 2;

	if (zone >= n)
		return begun[zone - n].s.ts;
	return c->change[i] & ENDS ? c->s[zone].ts + c->s[zone].dur : c->s[zone].ts;
}

/*
 * Changes of other chunks keep their times. Move the changes from ${at} on that are not after ${ts} to times after it, and by ${gap} ns more if the next
 * change, or ${last} if there is no other, leaves room. Without room for either, all move to ${ts}.
 */
static void
keep_after(const struct changes *c, size_t at, int64_t ts, int64_t gap, int64_t last, struct tt_slice *s, size_t n, const struct tt_begun *begun)
{
	size_t end = at;

	while (end < c->nchange && c->change[end] >> 2 < n && time_of(c, end, begun, n) <= ts)
		end++;
	const int64_t next = end < c->nchange ? time_of(c, end, begun, n) : last;
	const int64_t back = end > at ? ts - time_of(c, at, begun, n) : 0, by = end > at && next > ts + back + gap ? back + gap : back;
	const bool has_room = next > ts + by;
	for (size_t i = at; i < end && by > 0; i++) {
		struct tt_slice *zone = &s[c->change[i] >> 2];
		const int64_t more = has_room ? by : ts - time_of(c, i, begun, n);

		zone->dur += c->change[i] & ENDS ? more : -more;
		zone->ts += c->change[i] & ENDS ? 0 : more;
	}
}

/* At the end of a capture make the zones that are still open, inner first, outlast the zones that were moved, each by 1 ns more than the one before. */
static void
outlast(struct tt_slice *s, size_t n, int64_t seen_ts)
{
	for (size_t i = 0; i < n && s[i].flags & TT_F_BASE && is_movable(&s[i]) && s[i].ts + s[i].dur <= seen_ts; i++)
		s[i].dur += (int64_t)i + MOVED_ON;
}

void
tt_zone_times_part(struct tt_slice *s, size_t n, const struct tt_begun *begun, size_t nbegun, const struct tt_zone_edges *edges, uint32_t *room)
{
	struct walk w = { INT64_MAX, INT64_MAX };
	struct changes c = { .s = s, .change = room, .open = room + 2 * n + nbegun };

	if (edges->is_end)
		outlast(s, n, edges->seen_ts);
	order_changes(&c, n, begun, nbegun);
	const size_t nchange = c.nchange;
	for (size_t i = nchange; i-- > 0;) {
		struct tt_slice *zone = &s[room[i] >> 2];

		if (room[i] >> 2 >= n)
			pass_begin(&w, begun[(room[i] >> 2) - n].s.ts);
		else if (room[i] & ENDS)
			move_end(&w, zone, room[i] & EMPTY);
		else
			move_begin(&w, zone, room[i] & EMPTY);
	}
	/* Do not separate chunks if time goes back between them (a damaged capture). */
	if (w.was >= edges->seen_ts)
		keep_after(&c, 0, edges->seen_ts, 1, edges->last_ts, s, n, begun);
	for (size_t i = 0; i < nchange && nbegun > 0; i++)
		if (room[i] >> 2 >= n)
			keep_after(&c, i + 1, begun[(room[i] >> 2) - n].s.ts, 0, INT64_MAX, s, n, begun);
}

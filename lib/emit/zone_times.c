/**
 * Times by which complete events nest: the begins and ends of a chunk are put in their order, and one walk back over them keeps each
 * before the next one if the two may not be at one time.
 */
#include "emit/zone_times.h"

/* A change: the zone's index, times 4, and */
#define ENDS 1u
#define EMPTY 2u                      /* the zone's length is 0 in the capture */

/* At most so many ns: how far zones of length 0 move when the begin of a zone that goes on has the same time. */
enum { MOVED_ON = 16 };

/* The change that comes next: its time in the capture, and the one it has now. */
struct walk {
	int64_t was, is;
};

bool
tt_zone_times_meet(const struct tt_slice *s, size_t n, const struct tt_zone_edges *edges)
{
	bool meet = n > 0 && s[0].flags & TT_F_BASE && s[0].ts + s[0].dur <= edges->seen_ts;

	for (size_t i = 0; i < n; i++)
		meet |= s[i].dur == 0;
	return meet;
}

/* The time of a change at ${ts} that must be ${gap} ns before the next one. */
static int64_t
time_before_next(const struct walk *w, int64_t ts, int64_t gap)
{
	return ts > w->was || ts <= w->is - gap ? ts : w->is - gap;
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

/* A zone begins at ${ts} that is written elsewhere. */
static void
pass_begin(struct walk *w, int64_t ts)
{
	w->is = time_before_next(w, ts, 0);
	w->was = ts;
}

/* True if the walk can move ${s}: its times are those of a zone, and far from the limits of what they are kept in. */
static bool
is_movable(const struct tt_slice *s)
{
	return s->dur >= 0 && s->ts > INT64_MIN / 2 && s->ts < INT64_MAX / 2 && s->dur < INT64_MAX / 4;
}

/* The changes of a chunk. */
struct changes {
	const struct tt_slice *s;
	uint32_t *change, *open;      /* in their order; begins of zones that are open, outermost first */
	size_t nchange, nopen;
};

/* End the open zones that are not around one at ${depth}. */
static void
end_zones(struct changes *c, uint32_t depth)
{
	while (c->nopen > 0 && c->s[c->open[c->nopen - 1] >> 2].depth >= depth)
		c->change[c->nchange++] = c->open[--c->nopen] | ENDS;
}

/* Put the begins and ends of the ${n} zones in their order, among them the begins of ${begun}, as zones from ${n} on. */
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

/* The time of a change as it is now. */
static int64_t
time_of(const struct changes *c, size_t i, const struct tt_begun *begun, size_t n)
{
	const uint32_t zone = c->change[i] >> 2;

	if (zone >= n)
		return begun[zone - n].s.ts;
	return c->change[i] & ENDS ? c->s[zone].ts + c->s[zone].dur : c->s[zone].ts;
}

/*
 * A begin that is written elsewhere stays at its time: move what comes after it, and was moved before it, on to that time or, if the next change leaves no
 * room, to that time alone.
 */
static void
keep_after_begin(const struct changes *c, size_t at, struct tt_slice *s, size_t n, const struct tt_begun *begun)
{
	const int64_t begin = time_of(c, at, begun, n);
	size_t end = at + 1;

	while (end < c->nchange && c->change[end] >> 2 < n && time_of(c, end, begun, n) <= begin)
		end++;
	const int64_t by = end > at + 1 ? begin - time_of(c, at + 1, begun, n) : 0;
	const bool has_room = end == c->nchange || time_of(c, end, begun, n) > begin + by;
	for (size_t i = at + 1; i < end && by > 0; i++) {
		struct tt_slice *zone = &s[c->change[i] >> 2];
		const int64_t more = has_room ? by : begin - time_of(c, i, begun, n);

		zone->dur += c->change[i] & ENDS ? more : -more;
		zone->ts += c->change[i] & ENDS ? 0 : more;
	}
}

/*
 * Let the first zones, which end when the last chunk of their thread did, last longer than what ended in them, each 1 ns longer than the one before: if
 * something follows, and not that soon. At the end of a capture, where nothing follows, they are around what was moved on, too.
 */
static void
outlast(struct tt_slice *s, size_t n, const struct tt_begun *begun, size_t nbegun, const struct tt_zone_edges *edges)
{
	int64_t next = nbegun > 0 ? begun[0].s.ts : INT64_MAX;
	const int64_t more = edges->is_end ? MOVED_ON : 1;
	size_t nfirst = 0;

	while (nfirst < n && s[nfirst].flags & TT_F_BASE && is_movable(&s[nfirst]) && s[nfirst].ts + s[nfirst].dur <= edges->seen_ts)
		nfirst++;
	if (nfirst < n) {
		const struct tt_slice *of = &s[nfirst];
		const int64_t ts = of->flags & TT_SLICE_ENDS ? of->ts + of->dur : of->ts;
		next = ts < next ? ts : next;
	}
	if (next == INT64_MAX ? !edges->is_end : next <= edges->seen_ts + (int64_t)nfirst)
		return;
	for (size_t i = 0; i < nfirst; i++)
		s[i].dur += (int64_t)i + more;
}

void
tt_zone_times_part(struct tt_slice *s, size_t n, const struct tt_begun *begun, size_t nbegun, const struct tt_zone_edges *edges, uint32_t *room)
{
	struct walk w = { .was = INT64_MAX, .is = INT64_MAX };
	struct changes c = { .s = s, .change = room, .open = room + 2 * n + nbegun };

	outlast(s, n, begun, nbegun, edges);
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
	for (size_t i = 0; i < nchange && nbegun > 0; i++)
		if (room[i] >> 2 >= n)
			keep_after_begin(&c, i, s, n, begun);
	/* Zones whose ends alone are here are around what comes before their ends, inner ones first. */
	for (size_t i = 0; i < nchange; i++)
		if (room[i] >> 2 < n && s[room[i] >> 2].flags & TT_SLICE_ENDS)
			move_begin(&w, &s[room[i] >> 2], room[i] & EMPTY);
}

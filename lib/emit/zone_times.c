/**
 * Times by which complete events nest: the begins and ends of a chunk are put in their order, and one walk back over them keeps each
 * before the next one if the two may not be at one time.
 */
#include "emit/zone_times.h"

/* A change: the zone's index, times 4, and */
#define ENDS 1u
#define EMPTY 2u                      /* the zone's length is 0 in the capture */

/* The change that comes next: its time in the capture, and the one it has now. */
struct walk {
	int64_t was, is;
};

bool
tt_zone_times_meet(const struct tt_slice *s, size_t n)
{
	bool meet = false;

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

/* True if the walk can move ${s}: its times are those of a zone, and far from the limits of what they are kept in. */
static bool
is_movable(const struct tt_slice *s)
{
	return s->dur >= 0 && s->ts > INT64_MIN / 2 && s->ts < INT64_MAX / 2 && s->dur < INT64_MAX / 4;
}

/* The begins and ends in the chunk, in their order, at ${change}; their number. ${open}: room for the zones that are open. */
static size_t
order_changes(const struct tt_slice *s, size_t n, uint32_t *change, uint32_t *open)
{
	size_t nchange = 0, nopen = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t zone = (uint32_t)i << 2 | (s[i].dur == 0 ? EMPTY : 0);

		if (!is_movable(&s[i]))
			continue;
		while (nopen > 0 && s[open[nopen - 1] >> 2].depth >= s[i].depth)
			change[nchange++] = open[--nopen] | ENDS;
		if (s[i].flags & TT_SLICE_ENDS) {
			change[nchange++] = zone | ENDS;
			continue;
		}
		change[nchange++] = zone;
		open[nopen++] = zone;
	}
	while (nopen > 0)
		change[nchange++] = open[--nopen] | ENDS;
	return nchange;
}

void
tt_zone_times_part(struct tt_slice *s, size_t n, uint32_t *room)
{
	struct walk w = { .was = INT64_MAX, .is = INT64_MAX };
	const size_t nchange = order_changes(s, n, room, room + 2 * n);

	for (size_t i = nchange; i-- > 0;) {
		struct tt_slice *zone = &s[room[i] >> 2];

		if (room[i] & ENDS)
			move_end(&w, zone, room[i] & EMPTY);
		else
			move_begin(&w, zone, room[i] & EMPTY);
	}
	/* Zones whose ends alone are here are around what comes before their ends, inner ones first. */
	for (size_t i = 0; i < nchange; i++)
		if (s[room[i] >> 2].flags & TT_SLICE_ENDS)
			move_begin(&w, &s[room[i] >> 2], room[i] & EMPTY);
}

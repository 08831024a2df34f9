/**
 * Finds stretches of a capture whose points are whole numbers of one period apart: fits blocks of points, and joins neighbouring blocks that agree.
 */
#include "stat/refresh.h"

#include "base/err.h"
#include "base/order.h"
#include "stat/num.h"
#include "stat/refresh_parts.h"

enum {
	MIN_PAIRS = 6,                /* minimum number of distances to fit a period */
	MAX_PARTS = 4,                /* parts of the usual distance that are tried as the period */
	MAX_WAITED_PARTS = 8,         /* the same if frames wait, and the usual distance is longer than any display's refresh */
	LATE_PARTS = 20,              /* a point is late if it differs by more than 1/LATE_PARTS of a period */
};
#define MIN_PERIOD_PS INT64_C(1500000000)

/* The distance of point ${q} from the previous one, if its frame directly follows; else 0. */
static int64_t
distance(const struct tt_refresh_fit *f, size_t q)
{
	const int64_t d = q > 0 && f->follows[q] ? f->x[q] - f->x[q - 1] : 0;

	return d > 0 && d < TT_REFRESH_MAX_GAP_NS ? d : 0;
}

/* Refine ${ps} to the mean period of the distances that fit it, up to three times; *${fitting}: their number. */
static int64_t
refine(const int64_t *d, size_t n, int64_t ps, int64_t most, size_t *fitting)
{
	for (int turn = 0; turn < 3; turn++) {
		const int64_t was = ps;
		int64_t sum = 0, count = 0;
		size_t nfitting = 0;

		for (size_t i = 0; i < n; i++) {
			const int64_t k = tt_periods_in(d[i], was, most);

			sum += k ? d[i] : 0;
			count += k;
			nfitting += k > 0;
		}
		*fitting = nfitting;
		ps = count ? tt_round_div(sum * 1000, count) : 0;
		if (ps == was || ps == 0)
			break;
	}
	return ps;
}

/* Consecutive distances that are combined: ${n} of them, ${ns} in all, ${k} periods; ${nfitting} of them are whole periods by themselves. */
struct together { size_t n, nfitting; int64_t ns, k; };

/* True if ${ns} is a whole number of ${ps}, within 1/LATE_PARTS of a period. */
static bool
is_in_time(int64_t ns, int64_t ps)
{
	const int64_t off = tt_off_grid(ns, ps);

	return off <= ps / LATE_PARTS && -off <= ps / LATE_PARTS;
}

/*
 * Combine the distance of point ${q}, if that is late, with the following ones up to the first point in time; up to three late points in a row are possible.
 * Their single distances do not show the period, their sum does. Otherwise return the distance of ${q} alone.
 */
static struct together
take_together(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t q, int64_t ps)
{
	enum { MAX_DISTANCES = 4 };
	const int64_t first = distance(f, q), k = tt_periods_in(first, ps, TT_REFRESH_MAX_GAP);
	struct together all = { 0 };

	for (int64_t d = first; d > 0 && (all.n == 0 || tt_off_grid(all.ns, ps) > ps / LATE_PARTS); d = q < s->end ? distance(f, q) : 0) {
		if (all.n == MAX_DISTANCES)
			break;
		all.n++;
		all.ns += d;
		all.nfitting += tt_periods_in(d, ps, TT_REFRESH_MAX_GAP) > 0;
		q++;
	}
	all.k = tt_periods_in(all.ns, ps, TT_REFRESH_MAX_GAP);
	if (all.k > 0 && is_in_time(all.ns, ps))
		return all;
	return (struct together){ .n = 1, .nfitting = k > 0, .ns = k ? first : 0, .k = k };
}

size_t
tt_refresh_refine(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *ps, size_t *all, bool in_time)
{
	size_t fitting = 0;

	for (int turn = 0; turn < 3 && *ps > 0; turn++) {
		const int64_t was = *ps;
		tt_i128 sum = 0;
		int64_t count = 0;
		size_t n = 0;

		fitting = 0;
		for (size_t q = s->first + 1; q < s->end; ) {
			if (distance(f, q) == 0) {
				q++;
				continue;
			}
			const struct together now = take_together(f, s, q, was);
			const bool counts = !in_time || is_in_time(now.ns, was);

			n += now.n;
			sum += counts ? now.ns : 0;
			count += counts ? now.k : 0;
			fitting += counts ? now.nfitting : 0;
			q += now.n;
		}
		*all = n;
		*ps = count ? (int64_t)((sum * 1000 + count / 2) / count) : 0;
		if (*ps == was)
			break;
	}
	return fitting;
}

static int
by_falling(const void *a, const void *b)
{
	return TT_CMP(*(const int64_t *)b, *(const int64_t *)a);
}

/* The distances of a block, in order and sorted; timer: true: fit a timer's period. */
struct block { int64_t d[2 * TT_REFRESH_BLOCK], sorted[2 * TT_REFRESH_BLOCK]; size_t n; bool timer; };

/* A candidate period, and how many distances are multiples of it; is_small: true: at most a third of the usual distances. */
struct trial { int64_t ps; size_t fitting; bool is_small; };

/* True if two thirds of the distances are at most as many periods as a limit may give a frame. This fails for a common divisor of two timers' periods. */
static bool
can_be_limits(const struct block *b, int64_t ps)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->d[i] * 1000 <= MAX_WAITED_PARTS * ps + ps / 2;
	return 3 * n >= 2 * b->n;
}

/* Try the period ${try}, refined; ps = 0: too few distances are multiples of it, or it is small and no usual display's. */
static struct trial
try_period(const struct block *b, int64_t try)
{
	struct trial t = { 0 };

	t.ps = refine(b->d, b->n, try, b->timer ? 1 : TT_REFRESH_MAX_GAP, &t.fitting);
	t.is_small = t.ps > 0 && tt_quantile_i64(b->sorted, b->n, 1, 5) * 1000 > 5 * (t.ps / 2);
	if (t.ps < MIN_PERIOD_PS || 10 * t.fitting < (b->timer ? 6 : 8) * b->n ||
	    (t.is_small && !(tt_refresh_rate(t.ps, 5) && can_be_limits(b, t.ps))))
		t.ps = 0;
	return t;
}

/*
 * The longest period of which four fifths of the distances of the points [from, end) are multiples, or with a ${timer} three fifths are equal to it; 0: none. A
 * period of at most a third of the usual distance must be a usual display's, because the periods of two timers also have a common divisor. A shorter period is
 * preferred if nearly all of the remaining distances are multiples of it.
 */
static int64_t
block_period(const struct tt_refresh_fit *f, size_t from, size_t end, bool timer)
{
	struct block b = { .timer = timer };
	int64_t try[2 * MAX_WAITED_PARTS];
	struct trial best = { 0 };
	size_t ntry = 0;

	for (size_t q = from; q < end && b.n < 2 * TT_REFRESH_BLOCK; q++)
		if ((b.d[b.n] = distance(f, q)) > 0)
			b.n++;
	if (b.n < MIN_PAIRS)
		return 0;
	memcpy(b.sorted, b.d, b.n * sizeof *b.d);
	tt_sort_i64(b.sorted, b.n);

	const int64_t median = tt_quantile_i64(b.sorted, b.n, 1, 2) * 1000, low = tt_quantile_i64(b.sorted, b.n, 1, 5) * 1000;
	const unsigned parts = timer ? 1 : f->anchored && median > TT_REFRESH_SLOWEST_PS ? MAX_WAITED_PARTS : MAX_PARTS;

	for (unsigned k = 1; k <= parts; k++) {
		try[ntry++] = median / k;
		try[ntry++] = low / k;
	}
	tt_sort(try, ntry, by_falling);
	for (size_t i = 0; i < ntry && try[i] >= MIN_PERIOD_PS && (best.ps == 0 || best.is_small); i++) {
		const struct trial now = i > 0 && try[i] == try[i - 1] ? (struct trial){ 0 } : try_period(&b, try[i]);

		if (now.ps && (best.ps == 0 || (b.n - best.fitting >= 3 && tt_refresh_is_better(now.fitting, best.fitting, b.n))))
			best = now;
	}
	return best.ps;
}

/* True if ${a} and ${b} are about equal, or, unless ${timer}, one is a multiple of the other. */
bool
tt_refresh_agree(int64_t a, int64_t b, bool timer)
{
	const int64_t less = a < b ? a : b, more = a < b ? b : a, k = tt_round_div(more, less), off = more - k * less;

	return timer ? more - less <= less / 32 : k <= 8 && (off < 0 ? -off : off) <= more * 15 / 1000;
}

/* The cost of the distance of point ${q} in a stretch with the period ${ps}. */
static unsigned
misfit(const struct tt_refresh_fit *f, size_t q, int64_t ps, bool timer)
{
	const int64_t d = distance(f, q);

	if (d == 0)
		return 0;
	return ps == 0 ? 1 : tt_periods_in(d, ps, timer ? 1 : TT_REFRESH_MAX_GAP) ? 0 : 2;
}

/*
 * How much better ${b} fits the distance of point ${q} than ${a}. If both fit, the better one is that of which a limit may give a frame so many periods, else
 * the nearer one.
 */
static int64_t
compare_fit(const struct tt_refresh_fit *f, size_t q, int64_t a, int64_t b, bool timer)
{
	const int64_t better = (int64_t)misfit(f, q, a, timer) - (int64_t)misfit(f, q, b, timer), d = distance(f, q);

	if (better || !d || !a || !b)
		return better;
	const bool can_be_a = d * 1000 <= MAX_WAITED_PARTS * a + a / 2, can_be_b = d * 1000 <= MAX_WAITED_PARTS * b + b / 2;
	if (can_be_a != can_be_b)
		return can_be_b - can_be_a;
	const int64_t off_a = tt_off_grid(d, a), off_b = tt_off_grid(d, b);
	return TT_CMP(off_a < 0 ? -off_a : off_a, off_b < 0 ? -off_b : off_b);
}

/* The point from which on ${b} is a better period than ${a}; among equals the last. */
static size_t
boundary(const struct tt_refresh_fit *f, size_t from, size_t end, int64_t a, int64_t b, bool timer)
{
	size_t best = from;
	int64_t cost = 0, least = 0;

	/* Costs are relative to a stretch of ${b} that begins at ${from}. */
	for (size_t q = from; q < end; q++) {
		cost += compare_fit(f, q, a, b, timer);
		if (cost <= least) {
			least = cost;
			best = q + 1;
		}
	}
	return best;
}

/* True if at least half of the distances of [from, end) fit ${ps}. */
static bool
is_like(const struct tt_refresh_fit *f, size_t from, size_t end, int64_t ps, bool timer)
{
	size_t n = 0, fitting = 0;

	for (size_t q = from; q < end; q++)
		if (distance(f, q) > 0) {
			n++;
			fitting += misfit(f, q, ps, timer) == 0;
		}
	return 2 * fitting >= n;
}

static int
close_stretch(struct tt_stretching *w, size_t end, struct tt_err *err)
{
	struct tt_stretch s = w->now;

	s.end = end;
	s.frame_end = end < w->all.end ? w->f->of[end] : w->all.frame_end;
	w->now.first = end;
	w->now.frame = s.frame_end;
	return s.frame < s.frame_end ? w->each(w->f, &s, err) : TT_OK;
}

int
tt_refresh_stretches(struct tt_stretching *w, struct tt_err *err)
{
	const struct tt_refresh_fit *f = w->f;
	/* The last block has between half and one and a half times the usual size. */
	const size_t n = (w->all.end - w->all.first + TT_REFRESH_BLOCK / 2) / TT_REFRESH_BLOCK, nblocks = n ? n : 1;
	int rc = TT_OK;

	w->now = w->all;
	for (size_t i = 0; i < nblocks && rc == TT_OK; i++) {
		const size_t from = w->all.first + i * TT_REFRESH_BLOCK, end = i + 1 < nblocks ? from + TT_REFRESH_BLOCK : w->all.end;
		const int64_t ps = block_period(f, from, end, w->timer), now = w->now.ps;

		if (i == 0) {
			w->now.ps = ps;
		} else if (ps != now && !(ps && now && tt_refresh_agree(ps, now, w->timer)) && (ps || !is_like(f, from, end, now, w->timer))) {
			const size_t back = from - w->now.first < TT_REFRESH_BLOCK ? w->now.first : from - TT_REFRESH_BLOCK;

			const size_t at = boundary(f, back, end, now, ps, w->timer);

			/* Fewer points show no limit of their own. */
			if (at - w->now.first >= TT_REFRESH_FRAMES)
				rc = close_stretch(w, at, err);
			w->now.ps = ps;
		}
	}
	return rc == TT_OK ? close_stretch(w, w->all.end, err) : rc;
}

/**
 * Decides whether points lie on a display's grid and with which period, and finds the refresh of each point.
 */
#include "stat/refresh.h"

#include <string.h>

#include "stat/num.h"
#include "stat/refresh_parts.h"

static inline bool
is_near(int64_t off, int64_t most)
{
	return off <= most && -off <= most;
}

enum { SPREAD_POINTS = 16, MAX_PARTS = 8 };

/*
 * Fewer than MIN_POINTS points are certainly on a grid only if something else shows it. From SURE_POINTS on, keeping the phase suffices; in between, points
 * keep it by chance once in a hundred times.
 */
enum { MIN_POINTS = 100, SURE_POINTS = 192 };

/* The median distance from whole periods, in ps, of pairs of points that are ${apart} points apart, for evenly spaced samples; -1: none. */
int64_t
tt_refresh_spread(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t apart)
{
	int64_t v[TT_REFRESH_SAMPLES];
	const size_t pairs = s->end - s->first > apart ? s->end - s->first - apart : 0, step = pairs / TT_REFRESH_SAMPLES + 1;
	size_t n = 0;

	for (size_t q = s->first; q + apart < s->end && n < TT_REFRESH_SAMPLES; q += step) {
		const int64_t d = f->x[q + apart] - f->x[q], off = d < TT_REFRESH_MAX_GAP_NS ? tt_off_grid(d, s->ps) : 0;

		if (d < TT_REFRESH_MAX_GAP_NS)
			v[n++] = off < 0 ? -off : off;
	}
	return n ? tt_quantile_of_i64(v, n, 1, 2) : -1;
}

/* Like tt_refresh_spread(), for the difference between two consecutive distances of ${apart} points, which cancels the error of the period and its drift. */
static int64_t
spread_of_steps(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t apart)
{
	int64_t v[TT_REFRESH_SAMPLES];
	const size_t n = s->end - s->first, pairs = n > 2 * apart ? n - 2 * apart : 0, step = pairs / TT_REFRESH_SAMPLES + 1;
	size_t nv = 0;

	for (size_t q = s->first; q + 2 * apart < s->end && nv < TT_REFRESH_SAMPLES; q += step) {
		const int64_t d = f->x[q + 2 * apart] - f->x[q];

		if (d >= TT_REFRESH_MAX_GAP_NS)
			continue;
		const int64_t off = tt_off_grid(d - 2 * (f->x[q + apart] - f->x[q]), s->ps);
		v[nv++] = off < 0 ? -off : off;
	}
	return nv ? tt_quantile_of_i64(v, nv, 1, 2) : -1;
}

/*
 * True if errors do not add up: over ${apart} points they are about as large as over one. A timer's errors grow with the square root of the number of frames;
 * the threshold is the geometric mean of both. A small share of a period may be the error of the fit, which is then cancelled by differences; a tiny share is
 * the error of the clock.
 */
static bool
keeps_phase(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const size_t n = s->end - s->first, apart = n / 4 < SPREAD_POINTS ? n / 4 : SPREAD_POINTS;
	const int64_t one = tt_refresh_spread(f, s, 1), many = apart > 1 ? tt_refresh_spread(f, s, apart) : -1;
	/*
	 * The fourth root of ${apart}, in hundredths; more if there are too few points in all, because then adds_up() decides. Among many points, some are
	 * regular by chance.
	 */
	const int64_t most = f->n < SURE_POINTS ? 250 : apart >= 16 ? 200 : apart >= 8 ? 168 : 141;

	if (many < 0 || many > s->ps / 6)
		return false;
	if (many <= one * most / 100)
		return true;
	if (many > s->ps / 200)
		return false;

	const int64_t step = spread_of_steps(f, s, 1), steps = spread_of_steps(f, s, apart);
	return steps <= step * most / 100 || steps <= s->ps / 10000;
}

/*
 * True if ${s} keeps the phase when its period is fitted only to the points that are not late themselves, at least half of them; its period is then replaced by
 * that one. Late points that no neighbour compensates distort the period.
 */
static bool
keeps_phase_in_time(const struct tt_refresh_fit *f, struct tt_stretch *s)
{
	struct tt_stretch in_time = *s;
	size_t all;
	const size_t n = tt_refresh_refine(f, s, &in_time.ps, &all, true);

	if (2 * n < all || in_time.ps == 0 || !keeps_phase(f, &in_time))
		return false;
	s->ps = in_time.ps;
	return true;
}

/* The median distance of neighbouring points, ns. */
static int64_t
usual_distance(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	int64_t v[TT_REFRESH_SAMPLES];
	const size_t step = (s->end - s->first) / TT_REFRESH_SAMPLES + 1;
	size_t n = 0;

	for (size_t q = s->first + 1; q < s->end && n < TT_REFRESH_SAMPLES; q += step)
		v[n++] = f->x[q] - f->x[q - 1];
	return n ? tt_quantile_of_i64(v, n, 1, 2) : 0;
}

/*
 * True if the phase usually restarts after a frame of unusual length, as with a timer: more often than it continues. Consecutive frames of equal length belong
 * to another limit and are ignored.
 */
static bool
begins_anew(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const int64_t one = tt_refresh_spread(f, s, 1), near = s->ps / 50 + 4 * one, usual = usual_distance(f, s) * 1000;
	size_t kept = 0, broken = 0;

	/* Compare the next neighbours on both sides, because a point may be late itself. */
	for (size_t q = s->first + 2; q + 1 < s->end; q++) {
		const int64_t all = f->x[q + 1] - f->x[q - 2], more = all < TT_REFRESH_MAX_GAP_NS ? (f->x[q] - f->x[q - 1]) * 1000 - usual : 0;

		if (is_near(more, s->ps / 20))
			continue;
		const int64_t off = tt_off_grid(all, s->ps), unlike = (f->x[q] - 2 * f->x[q - 1] + f->x[q - 2]) * 1000;
		kept += is_near(off, near) && !is_near(unlike, s->ps / 20);
		broken += !is_near(off, near);
	}
	return broken > kept;
}

/*
 * The longest part of the period of ${s} that is the period of a usual display; if frames wait, a shorter part if at least two distances are whole multiples
 * only of that. 0: none.
 */
static int64_t
usual_part(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	int64_t best = 0;
	size_t fitting = 0;

	for (int k = 2; k <= (f->anchored ? 8 : 6); k++) {
		int64_t part = s->ps / k;
		size_t all, now;

		if (tt_refresh_rate(part, 4) < 48)
			continue;
		now = tt_refresh_refine(f, s, &part, &all, false);
		if (best && (!f->anchored || all - fitting < 2 || !tt_refresh_is_better(now, fitting, all)))
			continue;
		best = s->ps / k;
		fitting = now;
	}
	return best;
}

/*
 * Divide the period of ${s} if it consists of several refreshes. A period longer than that of 48 Hz is divided into that of a usual display, if possible.
 * Otherwise it is divided if nearly all distances that are not multiples of it are multiples of the part. A part below a third must be the period of a usual
 * fast display, and frames must wait, because nearly every time is close to a multiple of a short period.
 */
static void
divide_period(const struct tt_refresh_fit *f, struct tt_stretch *s)
{
	size_t all, fitting = tt_refresh_refine(f, s, &s->ps, &all, false);
	const int64_t usual = s->ps > TT_REFRESH_SLOWEST_PS ? usual_part(f, s) : 0;

	if (usual) {
		s->ps = usual;
		return;
	}
	for (int k = 2; k <= MAX_PARTS && all - fitting >= 3; k++) {
		int64_t part = s->ps / k;

		if (k > 3 && (!f->anchored || tt_refresh_rate(part, 4) < 120))
			continue;
		const size_t now = tt_refresh_refine(f, s, &part, &all, false);

		if (tt_refresh_is_better(now, fitting, all)) {
			s->ps = part;
			return;
		}
	}
}

/* True if point ${q} of ${s} is at least ${periods} after the previous one, or after a gap longer than a grid is followed. */
static bool
is_far(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t q, int64_t periods)
{
	const int64_t d = tt_refresh_between(f->x[q - 1], f->x[q]);

	return d >= TT_REFRESH_MAX_GAP_NS || d * 1000 >= periods * s->ps;
}

/* True if the points ${a} and ${b} of ${s}, in this order, are whole periods apart. */
static bool
fits(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t a, size_t b)
{
	return tt_periods_in(tt_refresh_between(f->x[a], f->x[b]), s->ps, TT_REFRESH_MAX_GAP) > 0;
}

/* The phase of the points [from, end), at most the SPREAD_POINTS nearest to ${of}, relative to the point ${of}: the mean of the middle half, in ps. */
static int64_t
phase_beside(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t from, size_t end, size_t of)
{
	int64_t v[SPREAD_POINTS], sum = 0;
	size_t n = 0;

	if (end - from > SPREAD_POINTS && of > from)
		from = end - SPREAD_POINTS;
	for (size_t q = from; q < end && n < SPREAD_POINTS; q++)
		v[n++] = tt_off_grid(tt_refresh_between(f->x[of], f->x[q]), s->ps);
	tt_sort_i64(v, n);
	for (size_t i = n / 4; i < n - n / 4; i++)
		sum += v[i];
	return sum / (int64_t)(n - n / 4 * 2);
}

/*
 * True if ${s}, which is on no grid of its period, is on one of ${part}: after each frame that is not a whole number of periods, points continue a whole number
 * of parts later, closer than chance would be once in a dozen times. A single frame that takes one refresh more shows this, if others take several.
 */
static bool
goes_on_in_parts(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t part)
{
	const int64_t near = part / 200 + 2 * tt_refresh_spread(f, s, 1);
	size_t from = s->first, nbreaks = 0;

	for (size_t q = from + 1, end; q < s->end; q = end) {
		for (end = q + 1; end < s->end && end - q < SPREAD_POINTS && fits(f, s, end - 1, end); end++)
			;
		/* A point that is late itself is no break. */
		if (fits(f, s, q - 1, q) || (q + 1 < s->end && fits(f, s, q - 1, q + 1)) || (q > from + 1 && fits(f, s, q - 2, q)))
			continue;
		if (!is_far(f, s, q, TT_REFRESH_MAX_GAP)) {
			const int64_t step = (f->x[q] - f->x[q - 1]) * 1000 + phase_beside(f, s, q, end, q) - phase_beside(f, s, from, q, q - 1);

			if (!is_near(step - tt_round_div(step, part) * part, near))
				return false;
			/* Consecutive points that are late themselves break nothing. */
			nbreaks += !is_near(step - tt_round_div(step, s->ps) * s->ps, near);
		}
		from = q;
	}
	return nbreaks > 0;
}

/* Divide the period of ${s}, which fits most frames but not all, into that of a usual display, if all frames continue in such parts. */
static void
divide_by_breaks(const struct tt_refresh_fit *f, struct tt_stretch *s)
{
	for (int k = 2; k <= 4; k++)
		if (tt_refresh_rate(s->ps / k, 4) >= 48 && goes_on_in_parts(f, s, s->ps / k)) {
			s->ps /= k;
			return;
		}
}

/* --- counting along the grid ---------------------------------------------------------- */

enum { LOCK_POINTS = 16 };

/* Find the point of [from, end) whose phase agrees with most others. */
static size_t
commonest_phase(const struct tt_refresh_fit *f, size_t from, size_t end, int64_t ps)
{
	size_t best = from, most = 0;

	for (size_t a = from; a < end; a++) {
		size_t n = 0;

		for (size_t b = from; b < end; b++) {
			const int64_t d = f->x[b] - f->x[a], off = d > -TT_REFRESH_MAX_GAP_NS && d < TT_REFRESH_MAX_GAP_NS ? tt_off_grid(d, ps) : ps;

			n += (off < 0 ? -off : off) <= ps / 10;
		}
		if (n > most) {
			most = n;
			best = a;
		}
	}
	return best;
}

/* State of the phase-locked loop: a refresh, its time in ps after ${zero}, and the current period. */
struct lock { int64_t zero, at, ps; int32_t tick; };

static void
lock_to(const struct tt_refresh_fit *f, struct lock *l, size_t from, size_t end)
{
	const size_t q = commonest_phase(f, from, end, l->ps);
	const int64_t at = (f->x[q] - l->zero) * 1000;

	l->tick += (int32_t)tt_round_div(at - l->at, l->ps);
	l->at = at;
}

/* The distance of point ${q} from the nearest refresh, ps; *${k}: the number of that refresh after the last one. */
static int64_t
off_lock(const struct tt_refresh_fit *f, const struct lock *l, size_t q, int64_t *k)
{
	const int64_t d = (f->x[q] - l->zero) * 1000 - l->at;

	*k = tt_round_div(d, l->ps);
	return d - *k * l->ps;
}

/* Assign the points of ${s} to refreshes along its grid, into f->tick. Return the number of points on the grid. */
static size_t
count_ticks(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct lock l = { .zero = f->x[s->first], .ps = s->ps };
	size_t on = 0, off_run = 0;

	lock_to(f, &l, s->first, s->end - s->first < LOCK_POINTS ? s->end : s->first + LOCK_POINTS);
	for (size_t q = s->first; q < s->end; q++) {
		int64_t k, off = off_lock(f, &l, q, &k);

		/* After such a gap the phase may be lost. */
		if (q > s->first && !is_near(off, l.ps / 6) && is_far(f, s, q, TT_REFRESH_MAX_GAP)) {
			lock_to(f, &l, q, s->end - q < LOCK_POINTS ? s->end : q + LOCK_POINTS);
			off = off_lock(f, &l, q, &k);
		}
		if (!is_near(off, l.ps / 6)) {
			f->tick[q] = TT_TICK_OFF;
			if (++off_run == LOCK_POINTS) {
				lock_to(f, &l, q + 1 - LOCK_POINTS, q + 1);
				off_run = 0;
			}
			continue;
		}
		on++;
		off_run = 0;
		f->tick[q] = l.tick += (int32_t)k;
		l.at += k * l.ps + off / 8;
		l.ps += off / (128 * (k > 1 ? k : 1));
		l.ps = l.ps > s->ps + s->ps / 200 ? s->ps + s->ps / 200 : l.ps < s->ps - s->ps / 200 ? s->ps - s->ps / 200 : l.ps;
	}
	return on;
}

/* The period, in ps, as the slope of a straight line through the points [from, end) and their refreshes; ${ps} if there are too few points. */
static int64_t
slope(const struct tt_refresh_fit *f, size_t from, size_t end, int64_t ps)
{
	tt_i128 n = 0, sx = 0, sk = 0, sxk = 0, skk = 0;

	while (from < end && f->tick[from] == TT_TICK_OFF)
		from++;
	for (size_t q = from; q < end; q++) {
		if (f->tick[q] == TT_TICK_OFF)
			continue;
		const int64_t k = f->tick[q] - f->tick[from], x = f->x[q] - f->x[from];
		n++;
		sx += x;
		sk += k;
		sxk += (tt_i128)x * k;
		skk += (tt_i128)k * k;
	}
	const tt_i128 under = n * skk - sk * sk;
	return n >= 4 && under > 0 ? (int64_t)(((n * sxk - sx * sk) * 1000 + under / 2) / under) : ps;
}

/* The longest run of points of ${s} without a gap that leaves the refresh in doubt: after 512 periods, an error of a thousandth adds up to half a period. */
static struct tt_stretch
longest_run(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct tt_stretch best = { 0 }, now = *s;

	for (size_t q = s->first + 1; q <= s->end; q++) {
		if (q < s->end && !is_far(f, s, q, 512))
			continue;
		now.end = q;
		if (now.end - now.first > best.end - best.first)
			best = now;
		now.first = q;
	}
	return best;
}

/* The time of the first point of [from, end) that is on the grid. */
int64_t
tt_refresh_first_tick(const struct tt_refresh_fit *f, size_t from, size_t end)
{
	while (from < end && f->tick[from] == TT_TICK_OFF)
		from++;
	return from < end ? f->x[from] : 0;
}

/* The number of neighbours on the grid whose distance is not the most common one: after each of these, points returned to the grid. */
static size_t
count_returns(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	size_t n[9] = { 0 }, all = 0, most = 0;

	for (size_t q = s->first + 1; q < s->end; q++) {
		if (f->tick[q] == TT_TICK_OFF || f->tick[q - 1] == TT_TICK_OFF || !f->follows[q])
			continue;
		const int32_t k = f->tick[q] - f->tick[q - 1];
		n[k < 0 || k > 8 ? 8 : k]++;
		all++;
	}
	for (size_t k = 0; k < 9; k++)
		most = n[k] > most ? n[k] : most;
	return all - most;
}

/* True if there is evidence that the grid is a display's, not merely frames of equal length. */
static bool
is_proved(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const size_t n = s->frame_end - s->frame, returns = count_returns(f, s);
	int64_t waited = 0, only = 0;

	/* Without waits, the evidence is a usual rate to which frames return after each error, with errors larger than the steps of a clock. */
	if (!f->anchored)
		return tt_refresh_rate(s->ps, returns >= 3 ? 9 : 1) && tt_refresh_spread(f, s, 1) > s->ps / 3000;
	if ((f->presented ? 8 : 4) * (s->end - s->first) < n)
		return false;
	for (int k = 1; k <= 4; k++)
		if (tt_refresh_rate(s->ps / k, 4) >= 48)
			return true;
	for (size_t i = s->frame; !f->presented && i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		waited += is.waited;
		only += is.waited_only;
	}
	/* The steps of a clock also form a grid, but not a display's. */
	if (only > waited - only)
		return !is_near(tt_off_grid(s->ps / 1000, TT_SLEEP_STEP_NS * 1000), s->ps / 1000);
	/* A period longer than any display's needs returns to the grid as evidence: otherwise such frames are only equally long. */
	return returns >= 3 || (s->end - s->first >= SURE_POINTS && s->ps <= TT_REFRESH_SLOWEST_PS);
}

/*
 * Compute the residuals of the points on the grid, in the longest run of ${s}, from a straight line, relative to their median: into ${off}, in ns. Return their
 * number.
 */
static size_t
errors_of(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *off)
{
	const struct tt_stretch run = longest_run(f, s);
	const int64_t ps = slope(f, run.first, run.end, s->ps), at = tt_refresh_first_tick(f, run.first, run.end);
	int64_t sorted[SURE_POINTS];
	size_t n = 0;

	for (size_t q = run.first; q < run.end; q++)
		if (f->tick[q] != TT_TICK_OFF)
			off[n++] = tt_round_div((f->x[q] - at) * 1000 - f->tick[q] * ps, 1000);
	memcpy(sorted, off, n * sizeof *off);

	const int64_t middle = tt_quantile_of_i64(sorted, n, 1, 2);

	for (size_t k = 0; k < n; k++)
		off[k] -= middle;
	return n;
}

/* The median absolute value of the ${n} residuals ${off}. */
static int64_t
usual_error(const int64_t *off, size_t n)
{
	int64_t v[SURE_POINTS];

	for (size_t k = 0; k < n; k++)
		v[k] = off[k] < 0 ? -off[k] : off[k];
	return tt_quantile_of_i64(v, n, 1, 2);
}

/*
 * True if the errors of few points of ${s} add up, as a timer's do: neighbouring errors differ less than independent ones would. The test is that of Durbin and
 * Watson: the sum of squared differences is below 1.2 times the sum of squared errors; 2 is expected. In simulations of 30 points it holds for one display in
 * sixty, and for 96 of 100 timers; with 60 points for one display in five hundred, and for all timers. Errors below 1/10,000 of the period are the clock's;
 * errors above four usual ones are clamped.
 */
static bool
adds_up(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	int64_t off[SURE_POINTS], squares = 0, steps = 0, last = 0;

	if (s->end - s->first >= SURE_POINTS)
		return false;

	const size_t n = errors_of(f, s, off);
	const int64_t usual = usual_error(off, n), most = 4 * usual;

	if (usual <= s->ps / 10000000)
		return false;
	for (size_t k = 0; k < n; k++) {
		const int64_t now = off[k] > most ? most : off[k] < -most ? -most : off[k];

		squares += now * now;
		steps += k ? (now - last) * (now - last) : 0;
		last = now;
	}
	return 10 * steps < 12 * squares;
}

bool
tt_refresh_is_grid(struct tt_refresh_fit *f, struct tt_stretch *s)
{
	size_t on, all;

	if (s->end - s->first < 10)
		return false;
	divide_period(f, s);
	tt_refresh_refine(f, s, &s->ps, &all, false);
	divide_by_breaks(f, s);
	if (s->ps == 0 || !(keeps_phase(f, s) || keeps_phase_in_time(f, s)) || begins_anew(f, s))
		return false;
	on = count_ticks(f, s);
	if (10 * on < 6 * (s->end - s->first) || !is_proved(f, s))
		return false;
	const struct tt_stretch run = longest_run(f, s);
	s->ps = slope(f, run.first, run.end, s->ps);
	count_ticks(f, s);
	return count_returns(f, s) >= 3 || !adds_up(f, s);
}

/*
 * True if ${s} is certainly on a grid: many points keep its phase; or fewer, if they are as close to a straight line through all as to each other; or frames of
 * another length returned to it. GPU times may be regular too, and few of them are so by chance.
 */
bool
tt_refresh_is_sure(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const size_t n = s->end - s->first;
	int64_t off[SURE_POINTS];
	size_t noff;
	unsigned times;

	if (count_returns(f, s) >= 3)
		return true;
	if (n < MIN_POINTS || (!tt_refresh_rate(s->ps, 4) && !tt_refresh_faster(s->ps, &times)))
		return false;
	if (n >= SURE_POINTS)
		return true;

	noff = errors_of(f, s, off);
	return usual_error(off, noff) * 1000 <= tt_refresh_spread(f, s, 1);
}

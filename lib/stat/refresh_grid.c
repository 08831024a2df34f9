/**
 * Refreshes along a grid: whether points lie on one, the refresh that each point is at, the limits in it, and how many refreshes frames take.
 */
#include "stat/refresh.h"

#include "base/err.h"
#include "base/mem.h"
#include "stat/num.h"
#include "stat/refresh_parts.h"

static inline bool
is_near(int64_t off, int64_t most)
{
	return off <= most && -off <= most;
}

/* --- the period ----------------------------------------------------------------------- */

enum { MAX_SAMPLES = 1024, SPREAD_POINTS = 16, MAX_TARGET = 8 };

/* So many points keep the phase of a grid by chance once in a hundred times; fewer do not surely keep one at all, but for what else shows it. */
enum { MIN_POINTS = 100, SURE_POINTS = 192 };

/* The median of how far points ${apart} are from whole periods, in ps, of evenly spaced pairs whose points are of frames as far apart; -1: none are. */
static int64_t
spread(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t apart)
{
	int64_t v[MAX_SAMPLES];
	const size_t pairs = s->end - s->first > apart ? s->end - s->first - apart : 0, step = pairs / MAX_SAMPLES + 1;
	size_t n = 0;

	for (size_t q = s->first; q + apart < s->end && n < MAX_SAMPLES; q += step) {
		const int64_t d = f->x[q + apart] - f->x[q], off = d < TT_REFRESH_MAX_GAP_NS ? tt_off_grid(d, s->ps) : 0;

		if (d < TT_REFRESH_MAX_GAP_NS)
			v[n++] = off < 0 ? -off : off;
	}
	return n ? tt_quantile_of_i64(v, n, 1, 2) : -1;
}

/* As spread(), but of how much two distances of ${apart} points that follow each other differ: what the period is wrong by, and its drift, is in both. */
static int64_t
spread_of_steps(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t apart)
{
	int64_t v[MAX_SAMPLES];
	const size_t n = s->end - s->first, pairs = n > 2 * apart ? n - 2 * apart : 0, step = pairs / MAX_SAMPLES + 1;
	size_t nv = 0;

	for (size_t q = s->first; q + 2 * apart < s->end && nv < MAX_SAMPLES; q += step) {
		const int64_t d = f->x[q + 2 * apart] - f->x[q];

		if (d >= TT_REFRESH_MAX_GAP_NS)
			continue;
		const int64_t off = tt_off_grid(d - 2 * (f->x[q + apart] - f->x[q]), s->ps);
		v[nv++] = off < 0 ? -off : off;
	}
	return nv ? tt_quantile_of_i64(v, nv, 1, 2) : -1;
}

/*
 * True if errors do not add up: over ${apart} points they are about as large as over one. The errors of a timer grow with the root of the number of frames;
 * the line is half-way, on a scale of ratios. A small part of a period may be the fit's own error, which is left out then; a tiny part is the error of the
 * clock.
 */
static bool
keeps_phase(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const size_t n = s->end - s->first, apart = n / 4 < SPREAD_POINTS ? n / 4 : SPREAD_POINTS;
	const int64_t one = spread(f, s, 1), many = apart > 1 ? spread(f, s, apart) : -1;
	/* The fourth root of ${apart}, in hundredths. */
	const int64_t most = apart >= 16 ? 200 : apart >= 8 ? 168 : 141;

	if (many < 0 || many > s->ps / 6)
		return false;
	if (many <= one * most / 100)
		return true;
	if (many > s->ps / 200)
		return false;

	const int64_t step = spread_of_steps(f, s, 1), steps = spread_of_steps(f, s, apart);
	return steps <= step * most / 100 || steps <= s->ps / 10000;
}

/* The median distance of neighbours, in ns. */
static int64_t
usual_distance(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	int64_t v[MAX_SAMPLES];
	const size_t step = (s->end - s->first) / MAX_SAMPLES + 1;
	size_t n = 0;

	for (size_t q = s->first + 1; q < s->end && n < MAX_SAMPLES; q += step)
		v[n++] = f->x[q] - f->x[q - 1];
	return n ? tt_quantile_of_i64(v, n, 1, 2) : 0;
}

/*
 * True if points after a frame of another length than most are where a timer begins anew, not where the grid goes on: two and more of those frames, or one
 * among points that are few, or that nobody is woken at as exactly. Frames in a row that are as long as each other are another limit, and tell nothing.
 */
static bool
begins_anew(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const int64_t one = spread(f, s, 1), near = s->ps / 50 + 4 * one, usual = usual_distance(f, s) * 1000;
	size_t kept = 0, broken = 0;

	/* Points beside those two are compared, for a point may be late by itself. */
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
 * The longest part of the period of ${s} that is a usual display's; of frames that wait a shorter one, where two distances and more are whole numbers of
 * that only. 0: none.
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
		now = tt_refresh_refine(f, s, &part, &all);
		if (best && (!f->anchored || all - fitting < 2 || !tt_refresh_is_better(now, fitting, all)))
			continue;
		best = s->ps / k;
		fitting = now;
	}
	return best;
}

/*
 * Divide a period of ${s} that several refreshes make: no display is slower than 48 Hz, so where a part is a usual one's, that is it. Or distances that are
 * no whole number of periods are whole numbers of a part, nearly all of them; a part below a third has to be a usual fast display's, and frames have to
 * wait: nearly all times are near multiples of short periods.
 */
static void
divide_period(const struct tt_refresh_fit *f, struct tt_stretch *s)
{
	size_t all, fitting = tt_refresh_refine(f, s, &s->ps, &all);
	const int64_t usual = s->ps > TT_REFRESH_SLOWEST_PS ? usual_part(f, s) : 0;

	if (usual) {
		s->ps = usual;
		return;
	}
	for (int k = 2; k <= MAX_TARGET && all - fitting >= 3; k++) {
		int64_t part = s->ps / k;

		if (k > 3 && (!f->anchored || tt_refresh_rate(part, 4) < 120))
			continue;
		const size_t now = tt_refresh_refine(f, s, &part, &all);

		if (tt_refresh_is_better(now, fitting, all)) {
			s->ps = part;
			return;
		}
	}
}

/* --- counting along the grid ---------------------------------------------------------- */

enum { LOCK_POINTS = 16 };

/* Find the point of [from, end) whose phase most others share. */
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

/* The state of the loop: a refresh and its time, in ps from ${zero}; and the period there. */
struct lock { int64_t zero, at, ps; int32_t tick; };

static void
lock_to(const struct tt_refresh_fit *f, struct lock *l, size_t from, size_t end)
{
	const size_t q = commonest_phase(f, from, end, l->ps);
	const int64_t at = (f->x[q] - l->zero) * 1000;

	l->tick += (int32_t)tt_round_div(at - l->at, l->ps);
	l->at = at;
}

/* Count the points of ${s} along its grid into f->tick; returns how many are on it. */
static size_t
count_ticks(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct lock l = { .zero = f->x[s->first], .ps = s->ps };
	size_t on = 0, off_run = 0;

	lock_to(f, &l, s->first, s->end - s->first < LOCK_POINTS ? s->end : s->first + LOCK_POINTS);
	for (size_t q = s->first; q < s->end; q++) {
		const int64_t d = (f->x[q] - l.zero) * 1000 - l.at, k = tt_round_div(d, l.ps), off = d - k * l.ps;

		if ((off < 0 ? -off : off) > l.ps / 6) {
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

/* The slope of a straight line through points [from, end) and their ticks, in ps; ${ps} where they are too few. */
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

/* When the first point on the grid of [from, end) is. */
static int64_t
first_tick(const struct tt_refresh_fit *f, size_t from, size_t end)
{
	while (from < end && f->tick[from] == TT_TICK_OFF)
		from++;
	return from < end ? f->x[from] : 0;
}

/* Pairs of neighbours on the grid that are not as far apart as most: after these, points came back to the grid. */
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

/* True if what is known says that the grid is a display's, and not that of frames as long as each other. */
static bool
is_proved(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const size_t n = s->frame_end - s->frame, returns = count_returns(f, s);
	int64_t waited = 0, only = 0;

	/* Without a wait, a clock that frames come back to after each error shows, if the errors are more than a clock's steps; not frames of one length. */
	if (!f->anchored)
		return tt_refresh_rate(s->ps, returns >= 3 ? 9 : 1) && spread(f, s, 1) > s->ps / 3000;
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
	/* Steps of a clock are a grid, too, and no display's. */
	if (only > waited - only)
		return !is_near(tt_off_grid(s->ps / 1000, TT_SLEEP_STEP_NS * 1000), s->ps / 1000);
	/* No display is so slow that one refresh of it is longer: such frames are only as long as each other. */
	return returns >= 3 || (s->end - s->first >= SURE_POINTS && s->ps <= TT_REFRESH_SLOWEST_PS);
}

bool
tt_refresh_is_grid(struct tt_refresh_fit *f, struct tt_stretch *s)
{
	size_t on, all;

	if (s->end - s->first < 10)
		return false;
	divide_period(f, s);
	tt_refresh_refine(f, s, &s->ps, &all);
	if (s->ps == 0 || !keeps_phase(f, s) || begins_anew(f, s))
		return false;
	on = count_ticks(f, s);
	if (10 * on < 6 * (s->end - s->first) || !is_proved(f, s))
		return false;
	s->ps = slope(f, s->first, s->end, s->ps);
	count_ticks(f, s);
	return true;
}

/* --- pictures in a swap chain --------------------------------------------------------- */

/*
 * A frame has been handed to the display when its own picture is shown, or an earlier one, as the swap chain has room: so many frames before. If that picture
 * was shown already, nothing is waited for.
 */
enum { MAX_CHAIN = 3 };

/* Going along the grid: the last point on it before a time, or the first of all. */
struct along { const struct tt_refresh_fit *f; const struct tt_stretch *s; size_t q, on; };

static struct along
begin_along(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct along a = { f, s, s->first, s->first };

	while (a.on + 1 < s->end && f->tick[a.on] == TT_TICK_OFF)
		a.on++;
	return a;
}

/* The last refresh up to ${ts}, which rises from call to call. */
static int32_t
last_tick(struct along *a, int64_t ts)
{
	const struct tt_refresh_fit *f = a->f;

	for (; a->q < a->s->end && f->x[a->q] <= ts; a->q++)
		if (f->tick[a->q] != TT_TICK_OFF)
			a->on = a->q;

	const int64_t ps = tt_refresh_between(f->x[a->on], ts) * 1000;

	return f->tick[a->on] + (int32_t)(ps < 0 ? -((a->s->ps - 1 - ps) / a->s->ps) : ps / a->s->ps);
}

/* The refresh that frame ${k} waited for while it was handed over, by the points from *${q} on; TT_TICK_OFF: for none. */
static int32_t
waited_tick(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t k, size_t *q)
{
	while (*q < s->end && f->of[*q] < k)
		++*q;
	return *q < s->end && f->of[*q] == k ? f->tick[*q] : TT_TICK_OFF;
}

/*
 * Note in f->shown the last refresh before each frame of ${s} is handed over, and find how many frames before is the one that is waited for then: the fewest
 * with which frames that return between two refreshes find it shown already, but for a tenth. Refreshes are known to ${near}, ns.
 */
static size_t
find_chain(struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t near)
{
	struct along handed = begin_along(f, s), early = handed, over = handed;
	size_t wrong[MAX_CHAIN] = { 0 }, chain = 0;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		f->shown[i] = TT_TICK_OFF;
		if (is.presented == INT64_MIN)
			continue;
		f->shown[i] = last_tick(&handed, is.presented - is.presenting);

		const int32_t tick = last_tick(&over, is.presented + near);

		if (last_tick(&early, is.presented - is.presenting - near) == tick)
			for (size_t k = 0; k < MAX_CHAIN; k++)
				wrong[k] += i >= s->frame + k && f->shown[i - k] == tick;
	}
	while (chain + 1 < MAX_CHAIN && 10 * wrong[chain] > wrong[0])
		chain++;
	return chain;
}

/* Find the refreshes of each frame of ${s} into f->shown, from when its picture is shown to when the one before was; 0: that is not known. */
static void
find_shown(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const int64_t near = s->ps / 50000 + 4 * spread(f, s, 1) / 1000;
	const size_t chain = find_chain(f, s, near);
	struct along over = begin_along(f, s);
	int32_t before = TT_TICK_OFF;
	int64_t end = INT64_MIN;
	size_t q = s->first;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i), then = tt_refresh_frame_at(f, i + chain < s->frame_end ? i + chain : i);
		const bool follows = frame.start == end && before != TT_TICK_OFF;
		const int32_t handed = f->shown[i], least = follows && before > handed ? before + 1 : handed + 1;
		int32_t tick = least;

		end = frame.end;
		if (handed != TT_TICK_OFF && i + chain < s->frame_end && then.presented != INT64_MIN) {
			const int32_t waited = waited_tick(f, s, i + chain, &q), most = last_tick(&over, then.presented + near);
			const bool has_waited = waited != TT_TICK_OFF && waited <= most && waited > f->shown[i + chain];

			tick = has_waited ? waited : most < tick ? most : tick;
			tick = follows && tick <= before ? before + 1 : tick;
		}
		f->shown[i] = handed != TT_TICK_OFF && follows ? tick - before : 0;
		before = handed != TT_TICK_OFF ? tick : TT_TICK_OFF;
	}
}

/* --- targets -------------------------------------------------------------------------- */

/*
 * Prices of a frame's refreshes k under a target t, and of another target. A limit lets no frame be faster; a frame is late for a reason, or for none that is
 * known, and again for none that is known, or waits in spite of being ready; a frame at its target that needs more than one refresh less is not held by the
 * limit alone. Seven frames that wait so for the limit alone make a new target; or a dozen that are all as late for no reason, or fifteen others.
 */
enum { PRICE_FASTER = 80, PRICE_UNEXPLAINED = 10, PRICE_AGAIN = 24, PRICE_HELD = 48, PRICE_EXPLAINED = 1, PRICE_BUSY = 2, PRICE_CHANGE = 140 };

/*
 * The reasons for frames that are late for one target: of the last three frames those that need more than it gives, a bit each, and have made none late yet. A
 * pipeline shows a frame later than it makes it. No frame explains more refreshes than it needs. ${unexplained}: the refreshes of the last frame, if that was
 * late without; else 0.
 */
struct reasons { unsigned slow; int64_t unexplained; };

/* A frame, what it takes, and what it needs; ${most_needed}: the most of that and the two before. */
struct taking { const struct tt_refresh_fit *f; size_t i; int64_t taken, needed, most_needed, ps; };

/* True if it had all that it needs but the limit within nine tenths of ${target}: the rest it waits for the limit alone. */
static bool
is_held(const struct taking *t, int64_t target)
{
	const struct tt_refresh_frame is = tt_refresh_frame_at(t->f, t->i);

	return is.waited_only > 0 && !tt_refresh_needs_more(tt_refresh_dur(&is) - is.waited_only, t->ps, target);
}

static unsigned
price(struct reasons *why, const struct taking *t, int64_t target)
{
	const int64_t taken = t->taken, needed = t->needed, ps = t->ps;
	const bool busy = target > 1 && tt_refresh_needs_more(needed, ps, target - 1);
	const int64_t last = why->unexplained;

	why->slow = (why->slow << 1 | tt_refresh_needs_more(needed, ps, target)) & 7;
	if (taken == 0)
		return 0;
	why->unexplained = 0;
	if (taken < target)
		return PRICE_FASTER;
	if (taken == target)
		return busy ? PRICE_BUSY : 0;
	if (why->slow && tt_refresh_needs_more(t->most_needed, ps, taken - 1)) {
		why->slow &= why->slow & 4 ? 3 : why->slow & 2 ? 1 : 0;
		return PRICE_EXPLAINED;
	}
	why->unexplained = taken;
	return taken != last ? PRICE_UNEXPLAINED : is_held(t, target) ? PRICE_HELD : PRICE_AGAIN;
}

/* The refreshes between the points of frames and of those before, in order of frames. */
struct steps { const struct tt_refresh_fit *f; size_t q, end, skip; };

/* Refreshes of frame ${i}; 0: not known. */
static int64_t
next_step(struct steps *s, size_t i)
{
	const struct tt_refresh_fit *f = s->f;

	if (f->presented)
		return f->shown[i];
	while (s->q < s->end && f->of[s->q] < i)
		s->q++;
	if (s->q >= s->end || f->of[s->q] != i || s->q == s->skip || !f->follows[s->q] || f->tick[s->q] == TT_TICK_OFF ||
	    f->tick[s->q - 1] == TT_TICK_OFF)
		return 0;
	return f->tick[s->q] > f->tick[s->q - 1] ? f->tick[s->q] - f->tick[s->q - 1] : 1;
}

/* The fewest refreshes that one in fifty frames or more takes: no limit is lower. */
static int
least_target(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct steps steps = { f, s->first, s->end, s->first };
	size_t n[MAX_TARGET + 2] = { 0 }, all = 0, below = 0;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const int64_t k = next_step(&steps, i);

		n[k > MAX_TARGET ? MAX_TARGET + 1 : k] += k > 0;
		all += k > 0;
	}
	for (int k = 1; k <= MAX_TARGET; k++)
		if ((below += n[k]) * 50 >= all && below > 0)
			return k;
	return all ? MAX_TARGET : 1;
}

/* Frames that take as many refreshes as each of the targets, without a known reason: those that had waited for the limit alone, and others. */
struct alike { size_t held[MAX_TARGET + 1], not_held[MAX_TARGET + 1]; };

/* Count in ${a} frame ${i}, which takes ${k} refreshes. */
static void
count_alike(struct alike *a, const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t i, int64_t k, int64_t target)
{
	const struct taking is = { .f = f, .i = i, .taken = k, .needed = tt_refresh_needed_at(f, i), .ps = s->ps };

	if (!tt_refresh_needs_more(is.needed, s->ps, target))
		(is_held(&is, target) ? a->held : a->not_held)[k]++;
}

/*
 * Frames in a row that have a slower target than those beside them are late, and the target is none, if as many others that are late for these take as many
 * refreshes, as little explained: what makes those late does so here.
 */
static void
drop_targets(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct steps steps = { f, s->first, s->end, s->first };
	struct alike late = { { 0 }, { 0 } };
	unsigned least = MAX_TARGET;

	for (size_t i = s->frame; i < s->frame_end; i++)
		least = f->choice[i] < least ? f->choice[i] : least;
	for (size_t i = s->frame; i < s->frame_end; i++) {
		const int64_t k = next_step(&steps, i);

		if (f->choice[i] == least && k > least && k <= MAX_TARGET)
			count_alike(&late, f, s, i, k, least);
	}
	steps = (struct steps){ f, s->first, s->end, s->first };
	for (size_t i = s->frame, end; i < s->frame_end; i = end) {
		const unsigned target = f->choice[i];
		struct alike in = { { 0 }, { 0 } };

		for (end = i; end < s->frame_end && f->choice[end] == target; end++)
			if (target > least && next_step(&steps, end) == target)
				count_alike(&in, f, s, end, target, least);
		if (target > least && in.held[target] + in.not_held[target] > 0 && late.held[target] >= in.held[target] &&
		    late.not_held[target] >= in.not_held[target])
			for (size_t k = i; k < end; k++)
				f->choice[k] = (uint16_t)least;
	}
}

/* Choose the target of each frame of ${s} into f->choice. */
static void
choose_targets(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const int least = least_target(f, s);
	struct steps steps = { f, s->first, s->end, s->first };
	struct reasons why[MAX_TARGET + 1] = { { 0 } };
	uint64_t sum[MAX_TARGET + 1] = { 0 };
	int64_t before[2] = { 0 };    /* what the two frames before needed */
	int best = least;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const int64_t needed = tt_refresh_needed_at(f, i), of_two = before[0] > before[1] ? before[0] : before[1];
		const struct taking taking = { f, i, next_step(&steps, i), needed, needed > of_two ? needed : of_two, s->ps };
		const uint64_t change = sum[best] + PRICE_CHANGE;
		unsigned changed = 0;
		int now = least;

		/* One bit a target: it follows the best one of the frame before, which is in the highest four. */
		for (int t = least; t <= MAX_TARGET; t++) {
			if (i > s->frame && change < sum[t]) {
				sum[t] = change;
				changed |= 1u << (t - 1);
			}
			sum[t] += price(&why[t], &taking, t);
		}
		for (int t = least; t <= MAX_TARGET; t++)
			now = sum[t] < sum[now] ? t : now;
		f->choice[i] = (uint16_t)(changed | (unsigned)best << 8);
		best = now;
		before[1] = before[0];
		before[0] = needed;
	}
	for (size_t i = s->frame_end; i-- > s->frame; ) {
		const unsigned came = f->choice[i];

		f->choice[i] = (uint16_t)best;
		if (came >> (best - 1) & 1)
			best = (int)(came >> 8);
	}
	for (size_t i = s->frame + 1; i < s->frame_end; i++)
		if (f->choice[i] != f->choice[i - 1]) {
			drop_targets(f, s);
			break;
		}
}

/* --- refreshes of frames -------------------------------------------------------------- */

/* Counting the frames of a stretch: the point at or before an edge, and how far behind its point the end of a frame usually is. */
struct edges {
	const struct tt_refresh_fit *f;
	const struct tt_stretch *s;
	size_t q;                     /* the first point after the edges so far */
	size_t on;                    /* the last point on the grid before that; SIZE_MAX: none */
	int64_t behind;               /* ps */
};

/* The first point on the grid from ${q} on, of the ${most} next; SIZE_MAX: none. */
static size_t
next_on(const struct edges *e, size_t q, size_t most)
{
	for (const size_t end = e->s->end - q < most ? e->s->end : q + most; q < end; q++)
		if (e->f->tick[q] != TT_TICK_OFF)
			return q;
	return SIZE_MAX;
}

/* The refresh that the edge at ${ts} follows, by the point ${q}. */
static int64_t
tick_by(const struct edges *e, size_t q, int64_t ts)
{
	return e->f->tick[q] + tt_round_div(tt_refresh_between(e->f->x[q], ts) * 1000 - e->behind, e->s->ps);
}

/*
 * The last refresh that frame ${i}, which did not wait, can have been shown at for those up to the point ${after} to be shown in turn. A frame that ends
 * between two refreshes may have been made before it was its turn.
 */
static int64_t
latest_tick(const struct edges *e, size_t i, size_t after)
{
	const struct tt_refresh_fit *f = e->f;
	int64_t tick = f->tick[after];

	for (size_t k = f->of[after]; k > i && k < e->s->frame_end; k--)
		tick -= f->choice[k];
	return tick;
}

/*
 * The refresh that the end of frame ${i}, at ${ts}, follows. If a frame waits first and works then, the refreshes up to the next frame's point are divided:
 * it has those of its own point, and the next frame what it waits beyond its target; unless it worked for longer than its target, which makes all of them its
 * own. If no point of the very next frame tells when it was shown (the capture ends, a gap follows, the next frame did not wait), that was at the first
 * refresh after its work.
 */
static int64_t
tick_of_end(struct edges *e, size_t i, int64_t ts)
{
	const struct tt_refresh_fit *f = e->f;
	size_t after;
	int64_t tick, worked, shown;

	for (; e->q < e->s->end && f->x[e->q] <= ts; e->q++)
		if (f->tick[e->q] != TT_TICK_OFF)
			e->on = e->q;
	after = next_on(e, e->q, TT_REFRESH_MAX_GAP);
	if (e->on == SIZE_MAX)
		return after == SIZE_MAX ? 0 : tick_by(e, after, ts);
	tick = f->tick[e->on];
	if (f->of[e->on] != i || !f->anchored) {
		const int64_t by = tick_by(e, e->on, ts), most = after != SIZE_MAX ? latest_tick(e, i, after) : by;

		return most < by && most > tick ? most : by > tick ? by : tick;
	}
	worked = tt_refresh_between(f->x[e->on], ts) * 1000;
	if (worked <= f->choice[i] * e->s->ps)
		return tick;
	if (after == e->on + 1 && f->follows[after])
		shown = f->tick[after] - f->choice[i + 1 < e->s->frame_end ? i + 1 : i];
	else
		shown = tick + (worked + e->s->ps - 1) / e->s->ps - f->choice[i];
	return shown > tick ? shown : tick;
}

/* The refresh that the begin of frame ${i}, at ${ts}, follows, where no frame is right before it. */
static int64_t
tick_of_begin(const struct edges *e, int64_t ts)
{
	const size_t after = next_on(e, e->q, TT_REFRESH_MAX_GAP), by = after != SIZE_MAX ? after : e->on;

	return by == SIZE_MAX ? 0 : tick_by(e, by, ts);
}

/* How far the end of a frame is behind its point, in ps: the median. */
static int64_t
usual_behind(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const size_t step = (s->end - s->first) / MAX_SAMPLES + 1;
	int64_t v[MAX_SAMPLES];
	size_t n = 0;

	for (size_t q = s->first; f->anchored && q < s->end && n < MAX_SAMPLES; q += step)
		if (f->tick[q] != TT_TICK_OFF)
			v[n++] = tt_refresh_between(f->x[q], tt_refresh_frame_at(f, f->of[q]).end) * 1000;
	return n ? tt_quantile_of_i64(v, n, 1, 2) % s->ps : 0;
}

/* Count the refreshes of frames from one that is handed to the display to the next; where one is not known, it is what the frame lasts. */
static void
count_presented(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct steps steps = { f, s->first, s->end, s->first };

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t step = next_step(&steps, i), dur = tt_refresh_dur(&is), whole = (dur * 1000 + s->ps / 3) / s->ps;
		const int64_t k = step ? step : whole > f->choice[i] ? whole : f->choice[i];

		f->to->taken[i] = (uint16_t)(k > (int64_t)TT_REFRESH_MAX ? TT_REFRESH_MAX : (unsigned)k) | (k > f->choice[i] ? TT_REFRESH_LATE : 0);
	}
}

static void
count_refreshes(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct edges e = { f, s, s->first, SIZE_MAX, usual_behind(f, s) };
	int64_t last = 0, end = INT64_MIN;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		int64_t tick, k;

		if (is.start != end)
			last = tick_of_begin(&e, is.start);
		tick = tick_of_end(&e, i, is.end);
		k = tick > last ? tick - last : 1;
		k = k > (int64_t)TT_REFRESH_MAX ? (int64_t)TT_REFRESH_MAX : k;
		f->to->taken[i] = (uint16_t)(k | (k > f->choice[i] ? TT_REFRESH_LATE : 0));
		last = tick > last ? tick : last;
		end = is.end;
	}
}

/*
 * True if ${s} is surely on a grid: many points keep its phase, or fewer are as near to a straight line through all of them as to each other; or frames of
 * another length came back to it. The GPU's times may be regular, too, and are so by chance where they are few.
 */
bool
tt_refresh_is_sure(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const size_t n = s->end - s->first;
	int64_t off[SURE_POINTS];
	size_t noff = 0;
	unsigned times;

	if (count_returns(f, s) >= 3)
		return true;
	if (n < MIN_POINTS || (!tt_refresh_rate(s->ps, 4) && !tt_refresh_faster(s->ps, &times)))
		return false;
	if (n >= SURE_POINTS)
		return true;

	const int64_t ps = slope(f, s->first, s->end, s->ps), at = first_tick(f, s->first, s->end);
	const int32_t tick = f->tick[s->first] == TT_TICK_OFF ? 0 : f->tick[s->first];

	for (size_t q = s->first; q < s->end; q++)
		if (f->tick[q] != TT_TICK_OFF)
			off[noff++] = (f->x[q] - at) * 1000 - (f->tick[q] - tick) * ps;

	const int64_t middle = tt_quantile_of_i64(off, noff, 1, 2);

	for (size_t k = 0; k < noff; k++)
		off[k] = off[k] < middle ? middle - off[k] : off[k] - middle;
	return tt_quantile_of_i64(off, noff, 1, 2) <= spread(f, s, 1);
}

/* --- segments ------------------------------------------------------------------------- */

/*
 * Which reading the frames of ${is} allow. One refresh may be two of a faster display, if its GPU or something else is too slow: but not if it is known that
 * frames which are late come for whole ones only, or what the GPU takes, or that they wait for the limit alone. Without any of that there may be no display,
 * unless the grid ${is_sure}.
 */
static enum tt_refresh_reading
reading_of(const struct tt_refresh_fit *f, const struct tt_refresh_segment *is, bool is_sure)
{
	enum { MIN_LATE = 8 };
	unsigned times = is->target;
	int64_t waited = 0, only = 0, ps = is->period_ps;
	const size_t step = (is->end - is->first) / MAX_SAMPLES + 1;
	size_t busy = 0, late = 0, n = 0;

	if (is->target < 2) {
		const int faster = tt_refresh_faster(ps, &times);

		if (f->src->gpu_known || (!faster && is_sure))
			return TT_READING_LIMIT;
		ps /= faster ? times : 1;
	}
	for (size_t i = is->first; i < is->end; i++)
		late += (f->to->taken[i] & TT_REFRESH_LATE) != 0;
	for (size_t i = is->first; i < is->end; i += step) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i);

		n++;
		waited += frame.waited;
		only += frame.waited_only;
		busy += tt_refresh_needs_more(tt_refresh_needed_at(f, i), ps, times - 1);
	}
	/* Most of the waiting tells one refresh; several may be the GPU's in spite of that. */
	const bool is_alone = waited > 0 && only >= (is->target < 2 ? waited - only : waited - waited / 10);

	if (is->target < 2 && (is_alone || late >= MIN_LATE))
		return TT_READING_LIMIT;
	if (2 * busy > n && times > 1)
		return TT_READING_OR_WORK;
	if (!is_sure && !f->src->gpu_known && !is_alone)
		return TT_READING_OR_NONE;
	return f->src->gpu_known || is_alone ? TT_READING_LIMIT : TT_READING_OR_GPU;
}

int
tt_refresh_segments(struct tt_refresh_fit *f, const struct tt_stretch *s, struct tt_err *err)
{
	const bool sure = tt_refresh_is_sure(f, s);
	size_t q = s->first;
	int rc = TT_OK;

	if (f->presented)
		find_shown(f, s);
	choose_targets(f, s);
	(f->presented ? count_presented : count_refreshes)(f, s);
	for (size_t i = s->frame, end; i < s->frame_end && rc == TT_OK; i = end) {
		struct tt_refresh_segment is = { .first = i, .kind = TT_REFRESH_GRID, .target = f->choice[i] };
		size_t from = q;

		for (end = i; end < s->frame_end && f->choice[end] == is.target; end++)
			;
		while (q < s->end && f->of[q] < end)
			q++;
		is.end = end;
		is.period_ps = s->ps;
		is.tick_ns = first_tick(f, from, q);
		is.reading = reading_of(f, &is, sure);
		rc = tt_refresh_append(f, &is, err);
	}
	return rc;
}

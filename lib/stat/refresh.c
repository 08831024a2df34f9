/**
 * The fit of refreshes: stretches of a capture that have one period, and limits that a timer keeps.
 */
#include "stat/refresh.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/order.h"
#include "stat/num.h"
#include "stat/refresh_parts.h"

enum {
	MIN_FRAMES = 10,              /* fewer show no limit */
	MIN_ALONE = 20,               /* ... nor do fewer than that, unless they wait for a limit alone */
	MIN_PAIRS = 6,                /* of neighbours, to fit a period */
	MAX_PARTS = 4,                /* of a usual distance, that are tried as the period */
	MAX_WAITED_PARTS = 8,           /* ... of one that is longer than any display's refresh, where frames wait */
	ALONE_PARTS = 20,             /* ... that frames which wait for a timer alone differ by at most */
	NEAR_PARTS = 9,               /* of a period: one refresh more is no eighth of eight */
	STEADY_PARTS = 125,           /* of a period that frames of a timer differ by at most */
};
#define MIN_PERIOD_PS INT64_C(1500000000)
#define DAY_NS UINT64_C(86400000000000)

int
tt_refresh_rate(int64_t ps, int per_mille)
{
	static const int rate[] = { 24, 30, 48, 50, 60, 72, 75, 85, 90, 100, 120, 144, 165, 180, 200, 240, 360 };

	/* Video rates are a thousandth slower than whole ones. */
	for (size_t i = 0; ps > 0 && i < sizeof rate / sizeof *rate; i++) {
		const int64_t whole = INT64_C(1000000000000) / rate[i], off = ps > whole ? ps - whole : whole - ps;

		if (off <= whole * (per_mille + 1) / 1000)
			return rate[i];
	}
	return 0;
}

int
tt_refresh_faster(int64_t ps, unsigned *times)
{
	for (unsigned k = 2; k <= 4; k++) {
		const int rate = tt_refresh_rate(ps / k, 4);

		if (rate < 48)
			continue;
		*times = k;
		return rate;
	}
	return 0;
}

int
tt_refresh_append(struct tt_refresh_fit *f, const struct tt_refresh_segment *is, struct tt_err *err)
{
	struct tt_refreshes *to = f->to;
	struct tt_refresh_segment *last = to->nsegment ? &to->segment[to->nsegment - 1] : NULL;

	if (is->first == is->end)
		return TT_OK;
	if (last && is->kind == TT_REFRESH_NONE && last->kind == TT_REFRESH_NONE) {
		last->end = is->end;
		return TT_OK;
	}
	if (tt_mem_grow(f->mem, &to->segment, &to->capsegment, to->nsegment + 1, sizeof *to->segment, err) != TT_OK)
		return err->code;
	to->segment[to->nsegment++] = *is;
	return TT_OK;
}

/* --- periods -------------------------------------------------------------------------- */

/* The distance of point ${q} from the one before, where that is of the frame right before; 0: there is none. */
static int64_t
distance(const struct tt_refresh_fit *f, size_t q)
{
	const int64_t d = q > 0 && f->follows[q] ? f->x[q] - f->x[q - 1] : 0;

	return d > 0 && d < TT_REFRESH_MAX_GAP_NS ? d : 0;
}

/* The whole number of periods that ${d} is about, at most ${most}; 0: it is about none. */
static inline int64_t
periods_in(int64_t d, int64_t ps, int64_t most)
{
	const int64_t k = (d * 1000 + ps / 2) / ps, off = d * 1000 - k * ps;

	return k >= 1 && k <= most && off <= ps / NEAR_PARTS && -off <= ps / NEAR_PARTS ? k : 0;
}

/* The mean period of those distances that fit ${ps}, three times over, or until it stays; *${fitting}: how many do. */
static int64_t
refine(const int64_t *d, size_t n, int64_t ps, int64_t most, size_t *fitting)
{
	for (int turn = 0; turn < 3; turn++) {
		const int64_t was = ps;
		int64_t sum = 0, count = 0;
		size_t nfitting = 0;

		for (size_t i = 0; i < n; i++) {
			const int64_t k = periods_in(d[i], was, most);

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

size_t
tt_refresh_refine(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *ps, size_t *all)
{
	size_t fitting = 0;

	for (int turn = 0; turn < 3 && *ps > 0; turn++) {
		const int64_t was = *ps;
		tt_i128 sum = 0;
		int64_t count = 0;
		size_t n = 0;

		fitting = 0;
		for (size_t q = s->first + 1; q < s->end; q++) {
			const int64_t d = distance(f, q);

			if (d == 0)
				continue;
			n++;
			const int64_t k = periods_in(d, was, TT_REFRESH_MAX_GAP);
			sum += k ? d : 0;
			count += k;
			fitting += k > 0;
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

/* Distances of a block, in order and by length, and whether frames of a timer are looked for. */
struct block { int64_t d[2 * TT_REFRESH_BLOCK], sorted[2 * TT_REFRESH_BLOCK]; size_t n; bool timer; };

/* A period and how many distances are multiples of it; ${is_small}: it is a third of what is usual, or less. */
struct trial { int64_t ps; size_t fitting; bool is_small; };

/* ${try}, refined; 0: too few distances are multiples of it, or it is small and no usual display's. */
static struct trial
try_period(const struct block *b, int64_t try)
{
	struct trial t = { 0 };

	t.ps = refine(b->d, b->n, try, b->timer ? 1 : TT_REFRESH_MAX_GAP, &t.fitting);
	t.is_small = t.ps > 0 && tt_quantile_i64(b->sorted, b->n, 1, 5) * 1000 > 5 * (t.ps / 2);
	if (t.ps < MIN_PERIOD_PS || 10 * t.fitting < (b->timer ? 6 : 8) * b->n || (t.is_small && !tt_refresh_rate(t.ps, 5)))
		t.ps = 0;
	return t;
}

/*
 * The longest period that four fifths of the distances of points [from, end) are multiples of; with a ${timer} that three fifths are once. 0: there is none.
 * A third of what is usual, or less, has to be a usual display's: two periods of a timer have a common part, too. The shorter one of several is taken if
 * nearly all of the other distances are multiples of it.
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

/* True if one is a multiple of the other, or with a ${timer} as long. */
static bool
agree(int64_t a, int64_t b, bool timer)
{
	const int64_t less = a < b ? a : b, more = a < b ? b : a, k = tt_round_div(more, less), off = more - k * less;

	return timer ? more - less <= less / 32 : k <= 8 && (off < 0 ? -off : off) <= more * 15 / 1000;
}

/* The price of the distance of point ${q} in a stretch of ${ps}. */
static unsigned
misfit(const struct tt_refresh_fit *f, size_t q, int64_t ps, bool timer)
{
	const int64_t d = distance(f, q);

	if (d == 0)
		return 0;
	return ps == 0 ? 1 : periods_in(d, ps, timer ? 1 : TT_REFRESH_MAX_GAP) ? 0 : 2;
}

/* How much better ${b} is for the distance of point ${q} than ${a}: of two that it fits the one that it is nearer to. */
static int64_t
compare_fit(const struct tt_refresh_fit *f, size_t q, int64_t a, int64_t b, bool timer)
{
	const int64_t better = (int64_t)misfit(f, q, a, timer) - (int64_t)misfit(f, q, b, timer), d = distance(f, q);

	if (better || !d || !a || !b)
		return better;
	const int64_t off_a = tt_off_grid(d, a), off_b = tt_off_grid(d, b);
	return TT_CMP(off_a < 0 ? -off_a : off_a, off_b < 0 ? -off_b : off_b);
}

/* The point from which on ${b} is the better period than ${a}; of equals the last. */
static size_t
boundary(const struct tt_refresh_fit *f, size_t from, size_t end, int64_t a, int64_t b, bool timer)
{
	size_t best = from;
	int64_t cost = 0, least = 0;

	/* Relative to a stretch that begins at ${from}. */
	for (size_t q = from; q < end; q++) {
		cost += compare_fit(f, q, a, b, timer);
		if (cost <= least) {
			least = cost;
			best = q + 1;
		}
	}
	return best;
}

/* True if half of the distances of [from, end) fit ${ps}. */
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

/* The stretches of points [first, end): ${each} is called for each in turn, with the frames [frame, frame_end) divided among them. */
struct stretching {
	struct tt_refresh_fit *f;
	bool timer;
	struct tt_stretch all, now;
	int (*each)(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err);
};

static int
close_stretch(struct stretching *w, size_t end, struct tt_err *err)
{
	struct tt_stretch s = w->now;

	s.end = end;
	s.frame_end = end < w->all.end ? w->f->of[end] : w->all.frame_end;
	w->now.first = end;
	w->now.frame = s.frame_end;
	return s.frame < s.frame_end ? w->each(w->f, &s, err) : TT_OK;
}

static int
find_stretches(struct stretching *w, struct tt_err *err)
{
	const struct tt_refresh_fit *f = w->f;
	/* The last block is half as long, or half as long again. */
	const size_t n = (w->all.end - w->all.first + TT_REFRESH_BLOCK / 2) / TT_REFRESH_BLOCK, nblocks = n ? n : 1;
	int rc = TT_OK;

	w->now = w->all;
	for (size_t i = 0; i < nblocks && rc == TT_OK; i++) {
		const size_t from = w->all.first + i * TT_REFRESH_BLOCK, end = i + 1 < nblocks ? from + TT_REFRESH_BLOCK : w->all.end;
		const int64_t ps = block_period(f, from, end, w->timer), now = w->now.ps;

		if (i == 0) {
			w->now.ps = ps;
		} else if (ps != now && !(ps && now && agree(ps, now, w->timer)) && (ps || !is_like(f, from, end, now, w->timer))) {
			const size_t back = from - w->now.first < TT_REFRESH_BLOCK ? w->now.first : from - TT_REFRESH_BLOCK;

			const size_t at = boundary(f, back, end, now, ps, w->timer);

			/* So few points show no limit of their own. */
			if (at - w->now.first >= MIN_FRAMES)
				rc = close_stretch(w, at, err);
			w->now.ps = ps;
		}
	}
	return rc == TT_OK ? close_stretch(w, w->all.end, err) : rc;
}

/* --- limits by a timer ---------------------------------------------------------------- */

/* The waits of the frames of ${s}: how many frames have one, and their sums. */
struct waits { size_t n; int64_t all, only; };

/* True if a frame of ${dur} waited long enough to be held. */
static inline bool
has_waited(int64_t waited, int64_t dur)
{
	return waited > 0 && waited >= dur / 50;
}

static struct waits
waits_of(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct waits w = { 0 };

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		w.all += is.waited;
		w.only += is.waited_only;
		w.n += has_waited(is.waited, tt_refresh_dur(&is));
	}
	return w;
}

/* Frames that waited: ${n} that take ${ns} together; ${is_open}: they end before any made up for what they took too long. */
struct held { int64_t n, ns; bool is_open; };

/*
 * The frames from ${i} on that a timer's schedule makes whole periods of together: ${i}, whose sleep was too long by more than a part of ${ps}, and the next
 * ones, which make up for it. Its ${n} is 0 where they are none. With ${alone} they waited for the limit alone.
 */
static struct held
make_up(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t i, int64_t ps, bool alone)
{
	enum { MAX_MAKING_UP = 4, OFF_PARTS = 32 };
	struct held all = { 0 };
	int64_t end = INT64_MIN, off;

	do {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i++);
		const int64_t dur = tt_refresh_dur(&is);

		if (!has_waited(alone ? is.waited_only : is.waited, dur) || dur > TT_REFRESH_MAX_GAP_NS || (all.n && is.start != end))
			return (struct held){ 0 };
		all.n++;
		all.ns += dur;
		end = is.end;
		off = all.ns * 1000 - all.n * ps;
		if (off <= ps / OFF_PARTS && -off <= ps / OFF_PARTS)
			return all;
	} while (all.n <= MAX_MAKING_UP && i < s->frame_end);
	all.is_open = i == s->frame_end;
	return all.is_open ? all : (struct held){ 0 };
}

/*
 * The mean of the frames of ${s} that waited, with ${alone} for the limit alone, and are about as long as ${ps}; 0: there are none. Frames that make up for
 * a sleep that was too long count together with it: the mean would lack what only some of them differ by.
 */
static int64_t
regular_period(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t ps, bool alone)
{
	enum { OVER_PARTS = 16 };
	tt_i128 sum = 0;
	int64_t n = 0;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is);

		if (!has_waited(alone ? is.waited_only : is.waited, dur))
			continue;
		if (dur * 1000 > ps + ps / OVER_PARTS && dur * 1000 < 2 * ps) {
			const struct held together = make_up(f, s, i, ps, alone);

			if (together.n) {
				sum += together.is_open ? 0 : together.ns;
				n += together.is_open ? 0 : together.n;
				i += (size_t)together.n - 1;
				continue;
			}
		}
		if (periods_in(dur, ps, 1)) {
			sum += dur;
			n++;
		}
	}
	return n ? (int64_t)((sum * 1000 + n / 2) / n) : 0;
}

/* The period of frames that wait for a limit alone and are not regular: the median of those about as long as the shortest tenth, in ps. */
static int
shortest(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *ps, struct tt_err *err)
{
	const size_t room = s->frame_end - s->frame;
	int64_t *v = tt_mem_alloc(f->mem, room * sizeof *v, err), low;
	size_t n = 0, from, to;

	if (!v)
		return err->code;
	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		if (has_waited(is.waited, tt_refresh_dur(&is)))
			v[n++] = tt_refresh_dur(&is);
	}
	tt_sort_i64(v, n);
	low = tt_quantile_i64(v, n, 1, 10);
	from = tt_lower_bound(i, 0, n, v[i] < low - low / 20);
	to = tt_lower_bound(i, from, n, v[i] <= low + low / 4);
	*ps = tt_quantile_i64(v + from, to - from, 1, 2) * 1000;
	tt_mem_free(f->mem, v, room * sizeof *v);
	return TT_OK;
}

/*
 * True if a frame of a timer's limit is late. One that waited for it alone may be woken late, by half a period or a step of the clock. One that waits for the
 * GPU, too, is held to a twelfth: no timer's sleep for a driver is that much longer. One that waited for nothing is in time only within a fiftieth.
 */
static bool
is_late(const struct tt_refresh_fit *f, const struct tt_refresh_frame *is, int64_t ps)
{
	const int64_t dur = tt_refresh_dur(is), step = f->step_ns * 1000, half = ps / 2, stepped = step + ps / 4;

	if (has_waited(is->waited_only, dur))
		return dur * 1000 >= ps + (step && stepped > half ? stepped : half);
	return dur * 1000 > ps + ps / (has_waited(is->waited, dur) ? 12 : 50);
}

/* The duration of a frame in periods, at least one. */
static unsigned
periods_of(const struct tt_refresh_fit *f, const struct tt_refresh_frame *is, int64_t ps)
{
	if (f->step_ns && !is_late(f, is, ps))
		return 1;
	const int64_t dur = tt_refresh_dur(is), k = dur > TT_REFRESH_MAX_GAP_NS ? (int64_t)TT_REFRESH_MAX : tt_round_div(dur * 1000, ps);

	return k < 1 ? 1 : k > (int64_t)TT_REFRESH_MAX ? TT_REFRESH_MAX : (unsigned)k;
}

/*
 * True if frames of ${s} that waited, in markers that wait for the GPU or the render thread, too, are held by a timer: the driver's, or a compositor's. They
 * are as long as each other, as no GPU's are by themselves, at a usual rate; and what is known to be needed leaves room.
 */
static bool
is_steady(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	size_t fitting = 0, steady = 0, busy = 0;

	unsigned times;

	if (!tt_refresh_rate(s->ps, 8) && !tt_refresh_faster(s->ps, &times))
		return false;
	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is);

		if (!has_waited(is.waited, dur) || !periods_in(dur, s->ps, 1))
			continue;
		const int64_t off = dur * 1000 - s->ps;
		fitting++;
		steady += off <= s->ps / STEADY_PARTS && -off <= s->ps / STEADY_PARTS;
		busy += tt_refresh_needed_at(f, i) * 1000 > s->ps - s->ps / 10;
	}
	return 2 * busy < fitting && 2 * steady > fitting;
}

/*
 * True if the frames of ${is}, a timer's, that are in time take as much time together as it gives them, but for a fiftieth and a period for each late frame:
 * a timer lets none be shorter, but to make up for late ones.
 */
static bool
keeps_time(const struct tt_refresh_fit *f, const struct tt_refresh_segment *is)
{
	int64_t n = 0;
	tt_i128 sum = 0;

	for (size_t i = is->first; i < is->end; i++) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i);
		const bool late = is_late(f, &frame, is->period_ps);

		n += !late;
		sum += late ? is->period_ps / 1000 : tt_refresh_dur(&frame);
	}
	const tt_i128 given = (tt_i128)n * is->period_ps;
	return sum * 1000 >= given - given / 50;
}

/* Count the frames of ${is}, a timer's. */
static void
count_periods(struct tt_refresh_fit *f, const struct tt_refresh_segment *is)
{
	for (size_t i = is->first; i < is->end; i++) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i);

		f->to->taken[i] = (uint16_t)(periods_of(f, &frame, is->period_ps) | (is_late(f, &frame, is->period_ps) ? TT_REFRESH_LATE : 0));
	}
}

/* True if what a frame needed explains that it lasts ${dur}, but for the last period of ${ps}. */
static bool
explains(int64_t needed, int64_t dur, int64_t ps)
{
	const int64_t k = tt_round_div(dur < TT_REFRESH_MAX_GAP_NS ? dur * 1000 : TT_REFRESH_MAX_GAP_NS * 1000, ps) - 1;

	return tt_refresh_needs_more(needed, ps, k > 1 ? k : 1);
}

/*
 * True if ${slow}, a timer's or without a limit, is no limit of its own, but frames that are late for the timer ${fast}: nine tenths of those that last one
 * and a half of its periods and more are known to need more than nine tenths of one. Without a limit, nine tenths of the others last a period.
 */
static bool
is_slowed(const struct tt_refresh_fit *f, const struct tt_refresh_segment *slow, const struct tt_refresh_segment *fast)
{
	size_t nslow = 0, nbusy = 0, nkept = 0;

	if (fast->kind != TT_REFRESH_TIMER || (slow->kind == TT_REFRESH_TIMER && 2 * slow->period_ps < 3 * fast->period_ps))
		return false;
	for (size_t i = slow->first; i < slow->end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is);

		nkept += periods_in(dur, fast->period_ps, 1) > 0;
		if (2 * dur * 1000 < 3 * fast->period_ps)
			continue;
		nslow++;
		nbusy += explains(tt_refresh_needed_at(f, i), dur, fast->period_ps);
	}
	return nslow > 0 && 10 * nbusy >= 9 * nslow && (slow->kind == TT_REFRESH_TIMER || 10 * nkept >= 9 * (slow->end - slow->first - nslow));
}

/* The period of a timer's limit of both segments, in ps; 0: they are not one. */
static int64_t
common_period(const struct tt_refresh_fit *f, const struct tt_refresh_segment *a, const struct tt_refresh_segment *b)
{
	const size_t na = a->end - a->first, nb = b->end - b->first;

	if (a->kind == TT_REFRESH_GRID || b->kind == TT_REFRESH_GRID)
		return 0;
	if (a->kind == b->kind && a->kind == TT_REFRESH_TIMER && agree(a->period_ps, b->period_ps, true))
		return (int64_t)(((tt_i128)na * a->period_ps + (tt_i128)nb * b->period_ps) / (tt_i128)(na + nb));
	return is_slowed(f, b, a) ? a->period_ps : is_slowed(f, a, b) ? b->period_ps : 0;
}

/* Join neighbours that are one limit by a timer: what lies where stretches meet may have divided it, or frames that are late in a row. */
static void
join_timers(struct tt_refresh_fit *f)
{
	struct tt_refreshes *to = f->to;
	size_t n = 0;

	for (size_t i = 0; i < to->nsegment; i++) {
		const struct tt_refresh_segment is = to->segment[i];
		struct tt_refresh_segment *last = n ? &to->segment[n - 1] : NULL;

		const int64_t ps = last ? common_period(f, last, &is) : 0;

		if (ps) {
			last->kind = TT_REFRESH_TIMER;
			last->target = 1;
			last->period_ps = ps;
			last->end = is.end;
			last->untold = last->untold && last->end - last->first < TT_REFRESH_BLOCK;
		} else {
			to->segment[n++] = is;
		}
	}
	to->nsegment = n;
}

/*
 * The end of the frames from ${i} on that another limit by a timer holds, whose period is *${ps}; ${i}: none does. They last much longer than ${is} gives
 * them, as long as each other, and have waited for the limit alone, but for two at a time that are late; and not nine tenths of them are known to be slow.
 * Fewer than seven may each be woken late.
 */
static size_t
other_limit(const struct tt_refresh_fit *f, const struct tt_refresh_segment *is, size_t i, int64_t *ps)
{
	enum { MIN_HELD = 7, MAX_LATE = 2 };
	size_t end = i;
	int64_t sum = 0, n = 0, busy = 0;

	for (size_t k = i; k < is->end && k <= end + (n ? MAX_LATE : 0); k++) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, k);
		const int64_t dur = tt_refresh_dur(&frame), off = n ? dur * n - sum : 0;

		if (!has_waited(frame.waited_only, dur))
			continue;
		if (dur * 1000 < is->period_ps + is->period_ps / 4 || dur > TT_REFRESH_MAX_GAP_NS || off > sum / 16 || -off > sum / 16)
			break;
		sum += dur;
		n++;
		end = k + 1;
		busy += explains(tt_refresh_needed_at(f, k), dur, is->period_ps);
	}
	*ps = n ? tt_round_div(sum * 1000, n) : 0;
	return n >= MIN_HELD && 10 * busy < 9 * n ? end : i;
}

/* Divide ${is}, a timer's limit, where frames in a row have another one, and append the parts. */
static int
divide_timer(struct tt_refresh_fit *f, const struct tt_refresh_segment *is, struct tt_err *err)
{
	struct tt_refresh_segment rest = *is;
	int rc = TT_OK;

	for (size_t i = is->first; i < is->end && rc == TT_OK; ) {
		struct tt_refresh_segment held = *is;

		held.first = i;
		held.end = other_limit(f, is, i, &held.period_ps);
		if (held.end == i) {
			i++;
			continue;
		}
		rest.end = i;
		rc = tt_refresh_append(f, &rest, err);
		if (rc == TT_OK)
			rc = tt_refresh_append(f, &held, err);
		i = rest.first = held.end;
	}
	rest.end = is->end;
	return rc == TT_OK ? tt_refresh_append(f, &rest, err) : rc;
}

static int
divide_timers(struct tt_refresh_fit *f, struct tt_err *err)
{
	struct tt_refreshes *to = f->to, was = *to;
	int rc = TT_OK;

	to->segment = NULL;
	to->nsegment = to->capsegment = 0;
	for (size_t i = 0; i < was.nsegment && rc == TT_OK; i++)
		rc = was.segment[i].kind == TT_REFRESH_TIMER ? divide_timer(f, &was.segment[i], err) : tt_refresh_append(f, &was.segment[i], err);
	tt_mem_free(f->mem, was.segment, was.capsegment * sizeof *was.segment);
	return rc;
}

/*
 * Systems whose sleeps end at steps of their clock only, 1 ms or 15.625 ms, make a timer's frames last one of two numbers of these. ${step}: how long; true if
 * the frames of ${s} are so, and *${ps} their mean, which is the limit.
 */
static bool
has_steps(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t step, int64_t *ps)
{
	enum { MAX_STEPS = 128, STEP_PARTS = 16 };
	size_t n[MAX_STEPS + 1] = { 0 }, all = 0, k = 1;
	int64_t sum = 0, end = INT64_MIN, off_sum = 0;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is), steps = tt_round_div(dur, step), off = dur - steps * step;
		const bool follows = is.start == end, is_on = steps >= 1 && steps < MAX_STEPS && off <= step / STEP_PARTS && -off <= step / STEP_PARTS;

		/* A frame after one that did not wait may make up for it. */
		end = has_waited(is.waited_only, dur) ? is.end : INT64_MIN;
		if (!follows || end == INT64_MIN)
			continue;
		all++;
		n[is_on ? steps : 0]++;
		off_sum += is_on ? off : 0;
		if (8 * n[0] > s->frame_end - s->frame)
			return false;
	}
	while (k < MAX_STEPS && (n[k] + n[k + 1] < all - all / 8 || n[k] * 50 < all || n[k + 1] * 50 < all))
		k++;
	/* Each end is late by itself, but not all of them: refreshes of 66 Hz are near such steps, and shorter. */
	if (all < MIN_FRAMES || k == MAX_STEPS || off_sum / (int64_t)all > step / STEP_PARTS / 4 || -off_sum / (int64_t)all > step / STEP_PARTS / 4)
		return false;
	all = n[k] + n[k + 1];
	sum = (int64_t)(n[k] * k + n[k + 1] * (k + 1)) * step;
	*ps = tt_round_div(sum * 1000, (int64_t)all);
	return true;
}

/* Take ${s}, whose waits are ${w}, for the frames of a timer whose sleeps end at steps, if they are. */
static bool
take_steps(struct tt_refresh_fit *f, struct tt_stretch *s, const struct waits *w)
{
	static const int64_t step[] = { TT_SLEEP_STEP_NS, 1000000 };

	for (size_t i = 0; 2 * w->only > w->all && 4 * w->n >= s->frame_end - s->frame && i < sizeof step / sizeof *step; i++)
		if (has_steps(f, s, step[i], &s->ps)) {
			f->step_ns = step[i] > f->step_ns ? step[i] : f->step_ns;
			return true;
		}
	return false;
}

static int
timer_stretch(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err)
{
	const struct waits w = waits_of(f, s);
	const bool steps = take_steps(f, s, &w);
	const size_t n = s->frame_end - s->frame;
	bool is_limit = w.only > w.all - w.only;
	struct tt_refresh_segment is = { .first = s->frame, .end = s->frame_end };
	int64_t regular;
	int rc = TT_OK;

	f->has_period = f->has_period || s->ps;
	if (4 * w.n < n || n < MIN_FRAMES)
		return tt_refresh_append(f, &is, err);
	if (s->ps && !steps && (regular = regular_period(f, s, s->ps, false)) > 0)
		s->ps = regular;
	is_limit = is_limit || (s->ps && is_steady(f, s));
	if (!s->ps && is_limit && w.n >= n - n / 4 && w.n > 0)
		rc = shortest(f, s, &s->ps, err);
	if (rc == TT_OK && is_limit && s->ps) {
		is.kind = TT_REFRESH_TIMER;
		is.untold = n < TT_REFRESH_BLOCK;
		is.period_ps = s->ps;
		is.target = 1;
		if (!keeps_time(f, &is))
			is = (struct tt_refresh_segment){ .first = s->frame, .end = s->frame_end };
	}
	return rc == TT_OK ? tt_refresh_append(f, &is, err) : rc;
}

/*
 * True if the mean of ${v}, durations in order of time, changes somewhere by more than a thirty-second of it, and more than their spread explains: the sums of
 * how far they are from it range over two and a half times what they do by chance, which is so once in some thousand times.
 */
static bool
has_change(const int64_t *v, size_t n, int64_t mean)
{
	tt_i128 sum = 0, low = 0, high = 0, squares = 0;
	size_t low_at = 0, high_at = 0;

	for (size_t i = 0; i < n; i++) {
		const int64_t off = v[i] - mean;

		squares += (tt_i128)off * off;
		sum += off;
		if (sum < low) {
			low = sum;
			low_at = i + 1;
		} else if (sum > high) {
			high = sum;
			high_at = i + 1;
		}
	}

	const size_t part = low_at < high_at ? high_at - low_at : low_at - high_at, rest = n - part;
	const tt_i128 range = high - low;

	return part > 0 && rest > 0 && range / (tt_i128)part * (tt_i128)n / (tt_i128)rest > mean / 32 && 4 * range * range > 25 * squares;
}

/*
 * Put into ${v} the durations of the frames of ${s} that a timer surely held from end to end: they wait for the limit alone, as the frame before does, and
 * last less than ${most}, ns. *${nheld} do but for the frame before. With fixed deadlines a frame after a late one is shorter than the limit.
 */
static size_t
held_frames(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t most, int64_t *v, size_t *nheld)
{
	int64_t end = INT64_MIN;
	size_t n = 0;

	*nheld = 0;
	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is);
		const bool held = has_waited(is.waited_only, dur) && dur < most;

		if (held && is.start == end)
			v[n++] = dur;
		*nheld += held;
		end = held ? is.end : INT64_MIN;
	}
	return n;
}

static int64_t
mean_of(const int64_t *v, size_t n)
{
	tt_i128 sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? (int64_t)(sum / (tt_i128)n) : 0;
}

/*
 * The mean of the frames of ${s} that wait for the limit alone, in ps, if nine tenths of them are as long as each other; or, *${is_unsteady}, half of the
 * frames do, and nothing shows that some have another limit. 0: neither.
 */
static int64_t
period_alone(const struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t *v, bool *is_unsteady)
{
	size_t n = 0, nheld, nsure, from, to;

	*is_unsteady = false;
	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const int64_t dur = tt_refresh_dur(&is);

		if (has_waited(is.waited_only, dur))
			v[n++] = dur;
	}
	if (n < MIN_FRAMES)
		return 0;
	tt_sort_i64(v, n);

	const int64_t median = tt_quantile_i64(v, n, 1, 2);

	from = tt_lower_bound(i, 0, n, v[i] < median - median / ALONE_PARTS);
	to = tt_lower_bound(i, from, n, v[i] <= median + median / ALONE_PARTS);
	if (10 * (to - from) >= 9 * n)
		return regular_period(f, s, median * 1000, true);
	nsure = held_frames(f, s, median + median / 2, v, &nheld);

	const int64_t mean = mean_of(v, nsure);

	*is_unsteady = 10 * nheld >= 9 * n && 2 * n >= s->frame_end - s->frame && nsure >= MIN_FRAMES && !has_change(v, nsure, mean);
	if (!*is_unsteady)
		return 0;
	const int64_t regular = regular_period(f, s, mean * 1000, true);
	return regular > 0 ? regular : mean * 1000;
}

/*
 * Make one of the segments [first, end) that are on no grid, if the frames that wait for the limit alone have one period: these tell a timer, however
 * many are late beside them, or however late sleeps end. *${is_one}: true if so; the first of them is that timer then.
 */
static int
join_alone(struct tt_refresh_fit *f, size_t first, size_t end, bool *is_one, struct tt_err *err)
{
	struct tt_refresh_segment *segment = f->to->segment;
	const struct tt_stretch s = { .frame = segment[first].first, .frame_end = segment[end - 1].end };
	const size_t room = s.frame_end - s.frame;
	struct tt_refresh_segment is = { .first = s.frame, .end = s.frame_end, .kind = TT_REFRESH_TIMER, .target = 1, .untold = room < TT_REFRESH_BLOCK };
	int64_t *v = tt_mem_alloc(f->mem, room * sizeof *v, err);
	bool is_unsteady;

	if (!v)
		return err->code;
	is.period_ps = period_alone(f, &s, v, &is_unsteady);
	tt_mem_free(f->mem, v, room * sizeof *v);
	*is_one = is.period_ps > 0 && keeps_time(f, &is);
	for (size_t i = first; i < end && *is_one; i++)
		*is_one = is_unsteady || segment[i].kind != TT_REFRESH_TIMER || agree(segment[i].period_ps, is.period_ps, true);
	if (*is_one)
		segment[first] = is;
	return TT_OK;
}

/* Segments in a row that are on no grid are one timer's, where the frames that wait for its limit alone say so. */
static int
take_timers(struct tt_refresh_fit *f, struct tt_err *err)
{
	struct tt_refreshes *to = f->to;
	size_t n = 0;
	int rc = TT_OK;

	for (size_t i = 0, end; i < to->nsegment && f->step_ns == 0 && rc == TT_OK; i = end) {
		bool is_one = false;

		for (end = i; end < to->nsegment && to->segment[end].kind != TT_REFRESH_GRID; end++)
			;
		if (end > i)
			rc = join_alone(f, i, end, &is_one, err);
		end += end == i;
		for (size_t k = i; k < (is_one ? i + 1 : end); k++)
			to->segment[n++] = to->segment[k];
	}
	to->nsegment = n && rc == TT_OK ? n : to->nsegment;
	return rc;
}

/* --- the whole ------------------------------------------------------------------------ */

/*
 * True if the grid of ${is} is that of a timer's fixed deadlines: all waiting is for the limit alone, but for a fiftieth, and more frames are late without a
 * wait than wait for a later refresh, as a display makes all of them do.
 */
static bool
has_deadlines(const struct tt_refresh_fit *f, const struct tt_refresh_segment *is)
{
	const int64_t ps = is->period_ps * is->target;
	size_t nfree = 0, nlater = 0;
	int64_t waited = 0, only = 0;

	for (size_t i = is->first; i < is->end; i++) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i);
		const bool has = has_waited(frame.waited, tt_refresh_dur(&frame));

		waited += frame.waited;
		only += frame.waited_only;
		nfree += !has && is_late(f, &frame, ps);
		nlater += has && (f->to->taken[i] & TT_REFRESH_LATE);
	}
	return (is->end - is->first < f->src->n ? nfree >= nlater : nfree > nlater) && only >= waited - waited / 50 && waited > 0;
}

/* Append the segments of ${s}, which is on a grid: a display's, or a timer's. */
static int
display_stretch(struct tt_refresh_fit *f, const struct tt_stretch *s, struct tt_err *err)
{
	const size_t first = f->to->nsegment;
	const int rc = tt_refresh_segments(f, s, err);

	for (size_t i = first; i < f->to->nsegment && rc == TT_OK; i++) {
		struct tt_refresh_segment *is = &f->to->segment[i];

		if (!has_deadlines(f, is))
			continue;
		*is = (struct tt_refresh_segment){ .first = is->first, .end = is->end, .kind = TT_REFRESH_TIMER, .period_ps = is->period_ps * is->target,
			.target = 1, .untold = is->end - is->first < TT_REFRESH_BLOCK };
		count_periods(f, is);
	}
	return rc;
}

/* A part of a stretch that is on no grid as a whole: another part of it may be a timer's, whose period goes into a display's. */
static int
part_stretch(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err)
{
	struct tt_stretch grid = *s;

	if (s->ps && s->end - s->first < f->n && tt_refresh_is_grid(f, &grid) && tt_refresh_is_sure(f, &grid))
		return display_stretch(f, &grid, err);
	return timer_stretch(f, s, err);
}

/* A stretch that is on no grid may have several limits by a timer: these are periods of their own, however they go into each other. */
static int
grid_stretch(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err)
{
	struct stretching timers = { .f = f, .timer = true, .all = *s, .each = part_stretch };
	const struct waits w = waits_of(f, s);

	f->has_period = f->has_period || s->ps;
	if (take_steps(f, s, &w))
		return timer_stretch(f, s, err);
	if (s->ps && tt_refresh_is_grid(f, s))
		return display_stretch(f, s, err);
	timers.all.ps = 0;
	return find_stretches(&timers, err);
}

/* A stretch of times at which frames were handed to the display. */
static int
presented_stretch(struct tt_refresh_fit *f, struct tt_stretch *s, struct tt_err *err)
{
	f->misfit = f->misfit || !s->ps || !tt_refresh_is_grid(f, s);
	return f->misfit ? TT_OK : tt_refresh_segments(f, s, err);
}

/* Add the point of frame ${i}, at ${x}, if it is after all others, and not days after: no grid is followed for so long. */
static inline void
add_point(struct tt_refresh_fit *f, size_t i, int64_t x, bool follows)
{
	if (x == INT64_MIN || (f->n && (x <= f->x[f->n - 1] || (uint64_t)x - (uint64_t)f->x[f->n - 1] >= DAY_NS)))
		return;
	f->x[f->n] = x;
	f->follows[f->n] = follows && f->n && (f->presented || f->of[f->n - 1] + 1 == i);
	f->of[f->n++] = (uint32_t)i;
}

/* How long a frame takes at least to be handed to the display for that to be a wait: a quarter of the mean; the others find room at once. */
static int64_t
least_presenting(const struct tt_refresh_fit *f)
{
	int64_t sum = 0, n = 0;

	for (size_t i = 0; i < f->src->n; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);
		const bool counts = is.presented != INT64_MIN && is.presenting < TT_REFRESH_MAX_GAP_NS;

		n += counts;
		sum += counts ? is.presenting : 0;
	}
	return n && sum / n / 4 > TT_RELEASE_MIN_NS ? sum / n / 4 : TT_RELEASE_MIN_NS;
}

/* Find the limits by when frames were handed to the display, if that was at refreshes. Else *${f} has no segment. */
static int
fit_presented(struct tt_refresh_fit *f, struct tt_err *err)
{
	const size_t n = f->src->n;
	struct stretching all = { .f = f, .each = presented_stretch };
	int64_t end = INT64_MIN;
	bool follows = true;
	int rc;

	if (!(f->shown = tt_mem_alloc(f->mem, n * sizeof *f->shown, err)))
		return err->code;
	const int64_t least = least_presenting(f);
	f->anchored = f->presented = true;
	for (size_t i = 0; i < n; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		/* Pictures that were waited for are whole periods apart, also with others between. */
		follows = follows && is.start == end;
		if (is.presented != INT64_MIN && is.presenting >= least) {
			add_point(f, i, is.presented, follows);
			follows = true;
		}
		end = is.end;
	}
	all.all = (struct tt_stretch){ .end = f->n, .frame_end = n };
	rc = find_stretches(&all, err);
	if (f->misfit)
		f->to->nsegment = 0;
	f->to->presented = f->to->nsegment > 0;
	tt_mem_free(f->mem, f->shown, n * sizeof *f->shown);
	f->n = 0;
	f->presented = false;
	return rc;
}

/* The points: ends of waits for the limit, where a quarter of the frames has some; else ends of frames. */
static void
take_points(struct tt_refresh_fit *f)
{
	const size_t n = f->src->n;
	size_t nreleased = 0;
	int64_t end = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		nreleased += is.released != INT64_MIN;
		add_point(f, i, is.released, is.start == end);
		end = is.end;
	}
	f->anchored = 4 * nreleased >= n;
	if (f->anchored)
		return;
	f->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		add_point(f, i, is.end, is.start == end);
		end = is.end;
	}
}

/*
 * True if the frames, which show no limit, are too few to tell. They are not where some wait for a limit, but fewer than a quarter, so that the others are as
 * long as they are by themselves; nor where ten and more are whole multiples of no period.
 */
static bool
is_untold(const struct tt_refresh_fit *f)
{
	const struct tt_stretch all = { .frame_end = f->src->n };
	const size_t n = f->src->n, nwaiting = n < TT_REFRESH_BLOCK ? waits_of(f, &all).n : 0;

	return n < TT_REFRESH_BLOCK && (n < MIN_FRAMES || f->has_period) && (nwaiting == 0 || 4 * nwaiting >= n);
}

/* True if ${w} is for a limit alone, for the most part. */
static inline bool
is_for_limit(const struct waits *w)
{
	return w->only > w->all - w->only;
}

/*
 * Take back the limit of frames that are too few for their errors to tell it from a GPU's times: what they wait in waits for the GPU, too, or they do not
 * wait.
 */
static void
forget_limit(struct tt_refresh_fit *f)
{
	const struct tt_stretch all = { .frame_end = f->src->n };
	struct tt_refreshes *to = f->to;
	bool limited = false;

	for (size_t i = 0; f->src->n < MIN_ALONE && i < to->nsegment; i++)
		limited = limited || to->segment[i].kind != TT_REFRESH_NONE;
	if (!limited)
		return;

	const struct waits w = waits_of(f, &all);
	if (is_for_limit(&w))
		return;
	f->has_period = true;
	to->nsegment = 1;
	to->segment[0] = (struct tt_refresh_segment){ .end = to->n };
	to->presented = false;
	memset(to->taken, 0, to->n * sizeof *to->taken);
}

/*
 * Which reading the frames of ${is}, a timer's, allow. It is a limit where most of them wait for it alone, at last; but what few frames wait for may be several
 * refreshes of a display, too.
 */
static enum tt_refresh_reading
reading_of_timer(const struct tt_refresh_fit *f, const struct tt_refresh_segment *is)
{
	enum { MAX_SAMPLES = 1024 };
	const size_t step = (is->end - is->first) / MAX_SAMPLES + 1;
	const bool may_be_several = is->untold && is->period_ps > TT_REFRESH_SLOWEST_PS;
	unsigned times = 0;
	int64_t waited = 0, only = 0;
	size_t n = 0, all = 0, alone = 0, busy = 0;

	if (may_be_several)
		tt_refresh_faster(is->period_ps, &times);
	for (size_t i = is->first; i < is->end; i += step) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i);

		all++;
		busy += times && tt_refresh_needs_more(tt_refresh_needed_at(f, i), is->period_ps / times, times - 1);
		if (f->to->taken[i] & TT_REFRESH_LATE)
			continue;
		n++;
		waited += frame.waited;
		only += frame.waited_only;
		alone += has_waited(frame.waited_only, tt_refresh_dur(&frame));
	}
	if (2 * busy > all)
		return TT_READING_OR_WORK;
	return f->src->gpu_known || (2 * alone > n && (!times || only >= waited - waited / 10)) ? TT_READING_LIMIT : TT_READING_OR_NONE;
}

/* Count the frames of timers, and judge the limits that were found by all of their frames. */
static void
judge_limits(struct tt_refresh_fit *f)
{
	struct tt_refreshes *to = f->to;

	forget_limit(f);
	for (size_t i = 0; i < to->nsegment; i++)
		if (to->segment[i].kind == TT_REFRESH_TIMER) {
			count_periods(f, &to->segment[i]);
			to->segment[i].reading = reading_of_timer(f, &to->segment[i]);
		}
	if (to->nsegment == 1 && to->segment[0].kind == TT_REFRESH_NONE)
		to->segment[0].untold = is_untold(f);
}

int
tt_refresh_fit(struct tt_refreshes *to, const struct tt_refresh_source *src, struct tt_mem *mem, struct tt_err *err)
{
	struct tt_refresh_fit f = { .src = src, .to = to, .mem = mem };
	const size_t n = src->n;
	struct stretching all = { .f = &f, .each = grid_stretch };
	int rc = TT_OK;

	*to = (struct tt_refreshes){ .n = n };
	if (!(to->taken = tt_mem_alloc(mem, n * sizeof *to->taken, err)))
		return err->code;
	if (n < MIN_FRAMES || n >= UINT32_MAX)
		return tt_refresh_append(&f, &(struct tt_refresh_segment){ .end = n, .untold = is_untold(&f) }, err);
	f.x = tt_mem_alloc(mem, n * sizeof *f.x, err);
	f.of = f.x ? tt_mem_alloc(mem, n * sizeof *f.of, err) : NULL;
	f.follows = f.of ? tt_mem_alloc(mem, n * sizeof *f.follows, err) : NULL;
	f.tick = f.follows ? tt_mem_alloc(mem, n * sizeof *f.tick, err) : NULL;
	f.choice = f.tick ? tt_mem_alloc(mem, n * sizeof *f.choice, err) : NULL;
	rc = f.choice ? TT_OK : err->code;
	if (rc == TT_OK && src->has_presented)
		rc = fit_presented(&f, err);
	if (rc == TT_OK && to->nsegment == 0) {
		take_points(&f);
		all.all = (struct tt_stretch){ .end = f.n, .frame_end = n };
		rc = find_stretches(&all, err);
	}
	if (rc == TT_OK)
		rc = take_timers(&f, err);
	join_timers(&f);
	if (rc == TT_OK)
		rc = divide_timers(&f, err);
	if (rc == TT_OK)
		judge_limits(&f);
	tt_mem_free(mem, f.x, n * sizeof *f.x);
	tt_mem_free(mem, f.of, n * sizeof *f.of);
	tt_mem_free(mem, f.follows, n * sizeof *f.follows);
	tt_mem_free(mem, f.tick, n * sizeof *f.tick);
	tt_mem_free(mem, f.choice, n * sizeof *f.choice);
	return rc;
}

void
tt_refresh_free(struct tt_refreshes *r, struct tt_mem *mem)
{
	tt_mem_free(mem, r->taken, r->n * sizeof *r->taken);
	tt_mem_free(mem, r->segment, r->capsegment * sizeof *r->segment);
	*r = (struct tt_refreshes){ 0 };
}

/* Tests of stat/refresh.h: games at a display, at a timer and without a limit, simulated frame by frame, so that what was planted is known. */
#include "check.h"

#include "base/err.h"
#include "base/mem.h"
#include "stat/refresh.h"

enum { MAX = 4000 };
#define MS 1000000

static struct tt_mem mem;
static struct tt_err err;

struct game {
	struct tt_refresh_frame f[MAX];
	int64_t needed[MAX];
	size_t n;
};

static struct game g;
static uint64_t seed;

static void
frame(const void *arg, size_t i, struct tt_refresh_frame *to)
{
	*to = ((const struct game *)arg)->f[i];
}

static int64_t
needed(const void *arg, size_t i)
{
	return ((const struct game *)arg)->needed[i];
}

/* A number in [0, ${n}). */
static int64_t
any(int64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((seed >> 33) % (uint64_t)n);
}

/* A frame from ${start} on that works for ${work} and then waits until ${end}. */
static void
add(int64_t start, int64_t work, int64_t end, bool waits)
{
	g.f[g.n] = (struct tt_refresh_frame){ .start = start, .end = end, .released = waits ? end : INT64_MIN,
		.waited = waits ? end - start - work : 0, .waited_only = waits ? end - start - work : 0 };
	g.needed[g.n++] = work;
}

/*
 * ${n} frames at a display of ${ps}: each is shown at a refresh, ${target} after the last or as soon after it as it is done, and its end is late by up to
 * ${noise}. Each works for a part of a refresh, one in ${slow} for ${target} refreshes more; what each took is written to ${taken}.
 */
static void
display(size_t n, int64_t ps, int64_t target, int64_t noise, size_t slow, int64_t *taken)
{
	int64_t at = 1000, start = at * ps / 1000;

	g.n = 0;
	for (size_t i = 0; i < n; i++) {
		const bool late = slow && i % slow == slow - 1;
		const int64_t work = ps / 1000 * (3 + any(5)) / 10 + (late ? target * ps / 1000 : 0);
		int64_t next = at + target;

		while (next * ps / 1000 < start + work)
			next++;
		taken[i] = next - at;
		const int64_t end = next * ps / 1000 + any(noise);
		add(start, work, end, true);
		start = end;
		at = next;
	}
}

static struct tt_refreshes
fit_with(bool gpu_known)
{
	const struct tt_refresh_source src = { .n = g.n, .frame = frame, .needed = needed, .arg = &g, .gpu_known = gpu_known };
	struct tt_refreshes r;

	CHECK_EQ_INT(tt_refresh_fit(&r, &src, &mem, &err), TT_OK);
	CHECK_EQ_INT(r.n, g.n);
	/* Segments cover all frames, in order. */
	for (size_t i = 0, next = 0; i < r.nsegment; next = r.segment[i++].end) {
		CHECK_EQ_INT(r.segment[i].first, next);
		CHECK(r.segment[i].end > next && (i + 1 < r.nsegment || r.segment[i].end == g.n));
	}
	return r;
}

static struct tt_refreshes
fit(void)
{
	return fit_with(true);
}

static void
end(struct tt_refreshes *r)
{
	tt_refresh_free(r, &mem);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(a_display_is_found_with_its_period_and_the_refreshes_of_each_frame)
{
	static const struct { int64_t ps, target, noise; } shows[] = { { 16666667000, 1, 300000 }, { 16683333000, 1, 100000 }, { 13333333000, 1, 200000 },
		{ 6944444000, 2, 100000 }, { 8333333000, 4, 200000 }, { 16666667000, 2, 400000 }, { 11111111000, 1, 50000 }, { 20000000000, 1, 500000 } };
	int64_t taken[MAX];

	for (size_t k = 0; k < sizeof shows / sizeof *shows; k++) {
		size_t wrong = 0, late = 0, slow = 0;

		seed = 5 + k;
		display(1200, shows[k].ps, shows[k].target, shows[k].noise, 40, taken);
		struct tt_refreshes r = fit();
		CHECK_EQ_INT(r.nsegment, 1);
		CHECK_EQ_INT(r.segment[0].kind, TT_REFRESH_GRID);
		CHECK(!r.segment[0].untold);
		const int64_t part = r.segment[0].period_ps * (int64_t)r.segment[0].target - shows[k].ps * shows[k].target;
		CHECK(part < shows[k].ps / 2000 && -part < shows[k].ps / 2000);
		/* A grid of half of the refreshes and half of the target is the same to see where no frame is late by one of them. */
		const int64_t finer = (int64_t)r.segment[0].target * 2 == shows[k].target ? 2 : 1;
		for (size_t i = 1; i < g.n; i++) {
			wrong += (int64_t)(r.taken[i] & TT_REFRESH_MAX) * finer != taken[i];
			late += (r.taken[i] & TT_REFRESH_LATE) != 0;
			slow += taken[i] > shows[k].target;
		}
		CHECK(wrong <= g.n / 200);
		CHECK(late + 2 >= slow && late <= slow + 2);
		end(&r);
	}
}

/* Whatever the display and the limit: as many refreshes as each frame took, and late those that took more than the limit gives. */
TEST(games_by_lot_are_read_as_they_were)
{
	static const int64_t hz_milli[] = { 59940, 60000, 50000, 72000, 75000, 90000, 120000, 144000, 165000, 240000 };
	int64_t taken[MAX];
	size_t worst = 0, games = 0, wrong_games = 0;

	for (uint64_t k = 0; k < 160; k++) {
		seed = 1000 + 77 * k;
		const int64_t ps = 1000000000000000 / hz_milli[any(sizeof hz_milli / sizeof *hz_milli)], target = 1 + any(ps < 10000000000 ? 4 : 2);
		const int64_t noise = ps / 1000 * (1 + any(40)) / 1000 + 1;
		const size_t n = 300 + (size_t)any(900), slow = (size_t)any(3) ? 20 + (size_t)any(60) : 0;
		size_t wrong = 0;

		display(n, ps, target, noise, slow, taken);
		struct tt_refreshes r = fit();
		if (r.nsegment == 1 && r.segment[0].kind == TT_REFRESH_GRID) {
			const int64_t limit = r.segment[0].period_ps * (int64_t)r.segment[0].target, off = limit - ps * target;

			wrong += off > ps * target / 2000 || -off > ps * target / 2000;
			for (size_t i = 1; i < n; i++) {
				/* In time of the display, whatever refreshes the limit is counted in. */
				const int64_t have = (r.taken[i] & TT_REFRESH_MAX) * r.segment[0].period_ps, diff = have - taken[i] * ps;

				wrong += diff > ps / 4 || -diff > ps / 4 || ((r.taken[i] & TT_REFRESH_LATE) != 0) != (taken[i] > target);
			}
			/* A refresh lies where it says. */
			const int64_t phase = ((r.segment[0].tick_ns * 1000 % ps) + ps) % ps;
			wrong += phase > ps / 8 && phase < ps - ps / 8 && r.segment[0].period_ps * 2 > ps;
		} else {
			wrong = n;
		}
		worst = wrong > worst ? wrong : worst;
		wrong_games += wrong > 0;
		games++;
		end(&r);
	}
	check_int((intmax_t)wrong_games, 0, "games that are read otherwise", __FILE__, __LINE__);
	check_int((intmax_t)worst, 0, "frames of the worst", __FILE__, __LINE__);
	CHECK_EQ_INT(games, 160);
}

TEST(a_limit_that_changes_is_another_segment)
{
	int64_t taken[MAX], first[MAX], start, wrong = 0;
	size_t n;
	static struct game one;

	seed = 11;
	display(600, 16666667000, 1, 200000, 0, first);
	one = g;
	n = one.n;
	display(600, 16666667000, 2, 200000, 0, taken);
	/* On the same grid of refreshes, behind the first. */
	start = (1000 + 600) * 16666667LL - g.f[0].start;
	for (size_t i = 0; i < g.n; i++) {
		one.f[n + i] = g.f[i];
		one.f[n + i].start += start;
		one.f[n + i].end += start;
		one.f[n + i].released += start;
		one.needed[n + i] = g.needed[i];
	}
	one.f[n].start = one.f[n - 1].end;
	one.n = n + g.n;
	g = one;
	struct tt_refreshes r = fit();
	CHECK_EQ_INT(r.nsegment, 2);
	CHECK_EQ_INT(r.segment[0].target, 1);
	CHECK_EQ_INT(r.segment[r.nsegment - 1].target, 2);
	CHECK(r.segment[0].end > 595 && r.segment[0].end < 605);
	for (size_t i = 5; i < g.n; i++)
		wrong += (r.taken[i] & TT_REFRESH_MAX) != (i < 600 ? 1 : 2);
	CHECK(wrong <= 4);
	end(&r);
}

/* Two refreshes for each frame: a limit, or what somebody needs. It is the GPU, perhaps, where its time is unknown and waits may be for it. */
TEST(a_limit_of_two_refreshes_may_be_read_in_other_ways)
{
	static const struct { bool gpu_known, only; int busy; enum tt_refresh_reading want; } is[] = {
		{ true, true, 0, TT_READING_LIMIT }, { true, false, 0, TT_READING_LIMIT }, { false, true, 0, TT_READING_LIMIT },
		{ false, false, 0, TT_READING_OR_GPU }, { true, true, 10, TT_READING_OR_WORK }, { false, false, 10, TT_READING_OR_WORK },
		{ true, true, 4, TT_READING_LIMIT }, { true, true, 6, TT_READING_OR_WORK } };
	int64_t taken[MAX];

	for (size_t k = 0; k < sizeof is / sizeof *is; k++) {
		seed = 21 + k;
		display(800, 16666667000, 2, 200000, 0, taken);
		for (size_t i = 0; i < g.n; i++) {
			if (!is[k].only)
				g.f[i].waited_only = 0;
			/* So many of ten need more than the one refresh that the next smaller limit would give. */
			if ((int)(i % 10) < is[k].busy)
				g.needed[i] = 24 * MS;
		}
		struct tt_refreshes r = fit_with(is[k].gpu_known);
		CHECK_EQ_INT(r.nsegment, 1);
		CHECK_EQ_INT(r.segment[0].kind, TT_REFRESH_GRID);
		CHECK_EQ_INT(r.segment[0].target, 2);
		CHECK_EQ_INT(r.segment[0].reading, is[k].want);
		end(&r);
	}
}

TEST(a_timer_is_no_display)
{
	const int64_t ns = 16700000;
	int64_t at = MS;

	/* Each sleep is late by a little, and that adds up. */
	seed = 3;
	g.n = 0;
	for (size_t i = 0; i < 1500; i++) {
		const bool slow = i % 100 == 99;
		const int64_t work = slow ? 30 * MS : 5 * MS + any(4 * MS), to = at + (slow ? work : ns + 20000 + any(150000));

		add(at, work, to, !slow);
		at = to;
	}
	struct tt_refreshes r = fit();
	CHECK_EQ_INT(r.nsegment, 1);
	CHECK_EQ_INT(r.segment[0].kind, TT_REFRESH_TIMER);
	CHECK_EQ_INT(r.segment[0].target, 1);
	CHECK(r.segment[0].period_ps > (ns - ns / 100) * 1000 && r.segment[0].period_ps < (ns + ns / 50) * 1000);
	for (size_t i = 0; i < g.n; i++)
		CHECK_EQ_INT((r.taken[i] & TT_REFRESH_LATE) != 0, i % 100 == 99);
	end(&r);
}

TEST(frames_of_any_length_show_no_limit)
{
	int64_t at = MS;

	seed = 9;
	g.n = 0;
	for (size_t i = 0; i < 1500; i++) {
		const int64_t work = 6 * MS + any(14 * MS);

		add(at, work, at + work, false);
		at += work;
	}
	struct tt_refreshes r = fit();
	for (size_t i = 0; i < r.nsegment; i++) {
		CHECK_EQ_INT(r.segment[i].kind, TT_REFRESH_NONE);
		CHECK_EQ_INT(r.segment[i].target, 0);
		CHECK_EQ_INT(r.segment[i].period_ps, 0);
	}
	for (size_t i = 0; i < g.n; i++)
		CHECK_EQ_INT(r.taken[i], 0);
	end(&r);
}

TEST(few_frames_tell_nothing)
{
	int64_t taken[MAX];

	for (size_t n = 0; n < 10; n++) {
		seed = 1;
		display(n, 16666667000, 1, 100000, 0, taken);
		struct tt_refreshes r = fit();
		for (size_t i = 0; i < r.nsegment; i++)
			CHECK_EQ_INT(r.segment[i].kind, TT_REFRESH_NONE);
		for (size_t i = 0; i < n; i++)
			CHECK_EQ_INT(r.taken[i], 0);
		end(&r);
	}
}

/* The rates of displays that people have, and a little beside them. */
TEST(usual_rates_are_those_of_displays)
{
	static const int hz[] = { 30, 50, 60, 72, 75, 90, 120, 144, 240 };

	for (size_t i = 0; i < sizeof hz / sizeof *hz; i++) {
		const int64_t ps = 1000000000000 / hz[i];

		CHECK_EQ_INT(tt_refresh_rate(ps, 2), hz[i]);
		CHECK_EQ_INT(tt_refresh_rate(ps + ps / 1000, 2), hz[i]);
		CHECK_EQ_INT(tt_refresh_rate(ps - ps / 1000, 2), hz[i]);
		CHECK(tt_refresh_rate(ps + ps / 50, 2) != hz[i]);
		CHECK(tt_refresh_rate(ps - ps / 50, 2) != hz[i]);
	}
}

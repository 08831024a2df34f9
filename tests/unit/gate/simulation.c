/*
 * What the gate promises of noise and of real changes, by simulated captures: frames that hang together (autocorrelation
 * 0.8), 1 % hitches, captures and sessions that differ. Seeds are fixed. `make check` runs 20 pairs of a kind, TT_SET=all
 * 1,000.
 */
#include "check.h"

#include "gate/baseline.h"
#include "gate/verdict.h"

#define ROWS 10
#define FRAMES 1200
#define PER_SIDE 24

static struct tt_mem mem;
static struct tt_arena arena;
static struct tt_err err;
static struct tt_budget budget;
static uint64_t state;

static double
uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) * 0x1p-53;
}

/* Near enough to normal, and the same on every machine. */
static double
normal(void)
{
	return (uniform() + uniform() + uniform() + uniform() - 2) * 1.7320508075688772;
}

static unsigned
pairs(void)
{
	return check_long() ? 1000 : 20;
}

/* How captures are made. */
struct world {
	double spread, offset;        /* of captures, of sessions; standard deviations */
	double hitches;               /* share of frames, two and a half to four times as long */
	double factor;                /* of row ${changed} */
	int changed;
};

static int64_t frame[FRAMES];

/* Frames of 10 ms with 5 % noise. */
static void
make_frames(const struct world *w, double factor)
{
	double ar = normal();

	for (int i = 0; i < FRAMES; i++) {
		double t;

		ar = 0.8 * ar + 0.6 * normal();       /* variance 1 */
		t = 10e6 * factor * (1 + 0.05 * ar);
		if (uniform() < w->hitches)
			t *= 2.5 + 1.5 * uniform();
		frame[i] = (int64_t)t;
	}
}

/* The ${k}th smallest frame, from 0; the rest is left in some order. */
static int64_t
ranked(int k)
{
	int lo = 0, hi = FRAMES - 1;

	while (lo < hi) {
		int64_t pivot = frame[lo + (hi - lo) / 2];
		int i = lo - 1, j = hi + 1;

		for (;;) {
			do
				i++;
			while (frame[i] < pivot);
			do
				j--;
			while (frame[j] > pivot);
			if (i >= j)
				break;
			int64_t swap = frame[i];
			frame[i] = frame[j];
			frame[j] = swap;
		}
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return frame[k];
}

/* Row by row the median, the mean, p95; the last row counts frames over 20 ms. */
static int64_t
figure(int row)
{
	int64_t sum = 0, over = 0;

	if (row != ROWS - 1 && row % 3 != 1)
		return 1000 * ranked(row % 3 == 0 ? FRAMES / 2 - 1 : FRAMES * 95 / 100 - 1);
	for (int i = 0; i < FRAMES; i++) {
		sum += frame[i];
		over += frame[i] > 20000000;
	}
	return row == ROWS - 1 ? over * 1000 * 1000 / FRAMES : 1000 * (sum / FRAMES);
}

static void
make_sample(const struct world *w, double session, const char *name, struct tt_sample *s, struct tt_value *v)
{
	*s = (struct tt_sample){ .name = "capture", .session = name, .value = v, .nvalue = budget.nmeasure };
	for (size_t i = 0; i < budget.nmeasure; i++)
		v[i] = (struct tt_value){ .known = true, .dim = tt_measure_dim(&budget.measure[i]) };
	for (int i = 0; i < ROWS; i++) {
		double factor = (1 + session) * (1 + w->spread * normal()) * (i == w->changed ? w->factor : 1);

		make_frames(w, factor);
		v[budget.row[i].which].v = figure(i);
	}
}

static void
make_side(const struct world *w, unsigned n, const char *name, struct tt_sample *s, struct tt_value *v)
{
	double session = w->offset * normal();

	for (unsigned i = 0; i < n; i++)
		make_sample(w, session, name, &s[i], v + i * budget.nmeasure);
}

static void
read_budget(const char *max)
{
	char text[4096] = "{ \"tracetool_budget\": 1, \"rows\": [";
	size_t n = strlen(text);
	int rc;

	for (int i = 0; i < ROWS - 1; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
		    "{ \"id\": \"r%d\", \"metric\": \"marker.time\", \"marker\": \"m%d\", \"max\": \"%s\" }, ", i, i, max);
	snprintf(text + n, sizeof text - n, "{ \"id\": \"over\", \"metric\": \"frame.over\", \"limit\": \"20ms\", "
	    "\"max\": \"%s\" } ] }", max);
	tt_arena_free(&arena);
	tt_arena_init(&arena, &mem);
	rc = tt_budget_parse(text, strlen(text), "budget", &budget, &arena, &err);
	if (!CHECK_EQ_INT(rc, TT_OK))
		puts(err.msg);
}

/* The exit codes of pairs of captures of the two worlds, counted; ${sessions} of ${n} captures each on the first side. 0: one, both sides'. */
struct codes { unsigned of[6], row_worse; };

static struct codes
play(const struct world *before, const struct world *after, unsigned sessions, unsigned n)
{
	static struct tt_sample a[PER_SIDE], b[PER_SIDE];
	struct tt_value *va = calloc(PER_SIDE * budget.nmeasure, sizeof *va), *vb = calloc(PER_SIDE * budget.nmeasure, sizeof *vb);
	static const char *const name[] = { "1", "2", "3", "4" };
	const struct tt_judge_opts o = { .today = "2026-01-01" };
	struct tt_fact first = { "session", "1" };
	struct codes c = { { 0 }, 0 };
	bool same = sessions == 0;

	sessions += same;
	for (unsigned k = 0; k < pairs() && va && vb; k++) {
		struct tt_baseline base = { .path = "base", .sample = a, .nsample = sessions * n, .nsession = sessions,
			.settings = "" };
		struct tt_verdict v;

		for (unsigned s = 0; s < sessions; s++)
			make_side(before, n, name[s], a + s * n, va + s * n * budget.nmeasure);
		make_side(after, n, "", b, vb);
		for (unsigned i = 0; i < n && same; i++)
			b[i].fact = &first, b[i].nfact = 1;
		CHECK_EQ_INT(tt_judge(&budget, &base, b, n, &o, &v, &mem, &err), TT_OK);
		c.of[v.exit_code]++;
		if (after->changed >= 0)
			c.row_worse += v.row[after->changed].outcome == TT_WORSE;
		tt_verdict_free(&v);
	}
	free(va);
	free(vb);
	return c;
}

/* Of a few pairs some more may alarm: five of 20 do so once in 400 such tests. */
static unsigned
five_percent(void)
{
	return pairs() < 1000 ? 4 : pairs() / 20;
}

TEST(identical_builds_fail_at_most_one_run_in_twenty)
{
	static const double spread[] = { 0, 0.01, 0.02 }, offset[] = { 0, 0.005, 0.01 };
	static const unsigned per_side[] = { 5, 8 };

	read_budget("+3%");
	for (int s = 0; s < 3; s++) {
		for (int o = 0; o < 3; o++) {
			for (int n = 0; n < 2; n++) {
				const struct world w = { spread[s], offset[o], 0.01, 1, -1 };
				struct codes c;

				state = 88172645463325252u + (uint64_t)(s * 6 + o * 2 + n);
				c = play(&w, &w, 1, per_side[n]);
				CHECK(c.of[1] <= five_percent());
				printf("spread %.0f %%, sessions %.1f %%, n = %u: %u of %u alarm\n", 100 * spread[s],
				    100 * offset[o], per_side[n], c.of[1], pairs());
			}
		}
	}
}

TEST(a_baseline_of_several_sessions_alarms_less)
{
	const struct world w = { 0.01, 0.01, 0.01, 1, -1 };
	struct codes c;

	read_budget("+2%");
	state = 1234567;
	c = play(&w, &w, 3, 8);
	CHECK(c.of[1] <= five_percent());
	printf("3 sessions 1 %% apart, +2 %%: %u of %u alarm\n", c.of[1], pairs());
}

TEST(five_percent_more_in_one_row_of_ten_is_found)
{
	static const char *const name[] = { "median", "mean", "p95" };

	read_budget("+2%");
	for (int row = 0; row < 3; row++) {
		const struct world before = { 0.01, 0, 0.01, 1, -1 }, after = { 0.01, 0, 0.01, 1.05, row };
		struct codes c;

		state = 424242 + (uint64_t)row;
		c = play(&before, &after, 0, 12);
		CHECK(c.of[1] >= pairs() * 95 / 100);
		CHECK(c.row_worse >= pairs() * 95 / 100);
		printf("+5 %% in the %s: %u of %u found\n", name[row], c.row_worse, pairs());
	}
}

TEST(twice_as_many_hitches_are_found)
{
	const struct world before = { 0.01, 0, 0.01, 1, -1 }, after = { 0.01, 0, 0.02, 1, ROWS - 1 };
	struct codes c;

	read_budget("+2%");
	state = 777;
	c = play(&before, &after, 1, 8);
	CHECK(c.row_worse >= pairs() * 95 / 100);
	printf("hitches 1 %% to 2 %%: %u of %u found\n", c.row_worse, pairs());
}

TEST(too_few_captures_are_said_to_be_too_few)
{
	const struct world w = { 0.01, 0, 0.01, 1, -1 }, worse = { 0.01, 0, 0.01, 1.5, 0 };
	struct codes c;

	read_budget("+3%");
	state = 99;
	c = play(&w, &worse, 0, 4);
	CHECK_EQ_INT(c.of[5], pairs());
	tt_arena_free(&arena);
	CHECK_EQ_INT((intmax_t)mem.used, 0);
}

/* Tests of gate/: amounts, rows of every kind with samples made by hand, baselines written and read. */
#include "check.h"

#include "base/buf.h"
#include "gate/verdict.h"

static struct tt_mem mem;
static struct tt_arena arena;
static struct tt_err err;
static struct tt_budget budget;

/* A budget of one row of gc.alloc.count (in all) or, with another metric, whatever ${row} says. */
static bool
read_row(const char *row)
{
	char text[512];

	tt_arena_free(&arena);
	tt_arena_init(&arena, &mem);
	snprintf(text, sizeof text, "{ \"tracetool_budget\": 1, \"session_spread\": \"0%%\", \"rows\": [ { \"id\": \"r\", %s } ] }", row);
	return CHECK_EQ_INT(tt_budget_parse(text, strlen(text), "b", &budget, &arena, &err), TT_OK) || puts(err.msg) == 0;
}

static struct tt_sample *
samples(const int64_t *v, size_t n, const char *session)
{
	struct tt_sample *s = tt_arena_alloc(&arena, n * sizeof *s, &err);

	for (size_t i = 0; i < n; i++) {
		s[i] = (struct tt_sample){ .name = "capture", .session = session, .nvalue = budget.nmeasure };
		s[i].value = tt_arena_alloc(&arena, (budget.nmeasure + 1) * sizeof *s[i].value, &err);
		for (size_t k = 0; k < budget.nmeasure; k++)
			s[i].value[k] = (struct tt_value){ .known = true, .dim = tt_measure_dim(&budget.measure[k]) };
		s[i].value[budget.row[0].which].v = v[i] * TT_AMOUNT_ONE;
	}
	return s;
}

static const struct tt_judge_opts opts = { .today = "2026-01-01" };

/* What row 0 says of ${n} captures ${y} against ${m} of the baseline ${x}. */
static struct tt_verdict_row
judged(const int64_t *x, size_t m, const int64_t *y, size_t n, int *exit)
{
	struct tt_baseline base = { .path = "base", .sample = samples(x, m, "1"), .nsample = m, .nsession = 1, .settings = "" };
	struct tt_verdict_row r = { 0 };
	struct tt_verdict v;

	if (CHECK_EQ_INT(tt_judge(&budget, m ? &base : NULL, samples(y, n, ""), n, &opts, &v, &mem, &err), TT_OK)) {
		r = v.row[0];
		*exit = v.exit_code;
	}
	tt_verdict_free(&v);
	return r;
}

TEST(amounts_are_read_with_their_units_and_written_back)
{
	static const struct { const char *text; enum tt_dim dim; int64_t v; } good[] = {
		{ "16.7ms", TT_DIM_TIME, 16700000000 }, { "1 s", TT_DIM_TIME, 1000000000000 }, { "0.5us", TT_DIM_TIME, 500000 },
		{ "3\302\265s", TT_DIM_TIME, 3000000 }, { "1KiB", TT_DIM_BYTES, 1024000 }, { "1.5MB", TT_DIM_BYTES, 1572864000 },
		{ "0", TT_DIM_NUMBER, 0 }, { "2.25", TT_DIM_PER_1000, 2250 }, { "60fps", TT_DIM_FPS, 60000 },
		{ "80%", TT_DIM_PERCENT, 80000 }, { ".5", TT_DIM_NUMBER, 500 },
	};
	static const struct { const char *text; enum tt_dim dim; } bad[] = {
		{ "", TT_DIM_NUMBER }, { "1", TT_DIM_TIME }, { "1ms", TT_DIM_NUMBER }, { "-1ms", TT_DIM_TIME },
		{ "1..2ms", TT_DIM_TIME }, { "1e3ms", TT_DIM_TIME }, { "9999999999s", TT_DIM_TIME }, { "1 mss", TT_DIM_TIME },
		{ "99999999999999999999999999", TT_DIM_NUMBER },
	};
	char text[64];
	int64_t v;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		CHECK(tt_amount_parse(good[i].text, good[i].dim, &v) == NULL);
		CHECK_EQ_INT(v, good[i].v);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(tt_amount_parse(bad[i].text, bad[i].dim, &v) != NULL);
	*tt_put_amount(text, 1234567000, TT_DIM_TIME) = '\0';
	CHECK_STR(text, "1.235 ms");
	*tt_put_amount(text, -2048000, TT_DIM_BYTES) = '\0';
	CHECK_STR(text, "-2,048 B");
	*tt_put_amount(text, 250, TT_DIM_NUMBER) = '\0';
	CHECK_STR(text, "0.25");
	*tt_put_base(text, 12345000) = '\0';
	CHECK_STR(text, "12345");
	*tt_put_base(text, -1050) = '\0';
	CHECK_STR(text, "-1.05");
	*tt_put_ppm(text, 52345) = '\0';
	CHECK_STR(text, "+5.2 %");
	*tt_put_ppm(text, -400) = '\0';
	CHECK_STR(text, "-0.04 %");
	CHECK_EQ_INT(tt_scale(7, 1, 2), 4);
	CHECK_EQ_INT(tt_scale(-7, 1, 2), -4);
	CHECK_EQ_INT(tt_scale(INT64_MAX, 1000, 1), INT64_MAX);
	CHECK_EQ_INT(tt_scale(-INT64_MAX, 1000, 1), -INT64_MAX);
	CHECK_EQ_INT(tt_scale(1, 1, 0), 0);
}

TEST(nul_bytes_are_refused)
{
	static const char text[] = "{ \"tracetool_budget\": 1, \"skip\": { \"frames\": 12\0 }, \"rows\": [ {} ] }";

	tt_arena_free(&arena);
	tt_arena_init(&arena, &mem);
	CHECK_EQ_INT(tt_budget_parse(text, sizeof text - 1, "b", &budget, &arena, &err), TT_E_USAGE);
	CHECK_HAS(err.msg, "NUL");
}

TEST(captures_become_one_figure_as_over_says)
{
	static const int64_t v[] = { 40, 10, 30, 20 };
	static const struct { const char *over; int64_t of_max, of_min; } want[] = {
		{ "median", 20, 20 }, { "worst", 40, 10 }, { "best", 10, 40 }, { "mean", 25, 25 },
	};
	char row[200];
	int exit = 0;

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		snprintf(row, sizeof row, "\"metric\": \"gc.alloc.count\", \"max\": 20, \"over\": \"%s\"", want[i].over);
		struct tt_verdict_row r = read_row(row) ? judged(NULL, 0, v, 4, &exit) : (struct tt_verdict_row){ 0 };
		CHECK_EQ_INT(r.value, want[i].of_max * TT_AMOUNT_ONE);
		CHECK_EQ_INT(r.outcome, want[i].of_max > 20 ? TT_BREACH : TT_PASS);
		CHECK_EQ_INT(exit, want[i].of_max > 20);
		snprintf(row, sizeof row, "\"metric\": \"gc.alloc.count\", \"min\": 20, \"over\": \"%s\"", want[i].over);
		r = read_row(row) ? judged(NULL, 0, v, 4, &exit) : r;
		CHECK_EQ_INT(r.value, want[i].of_min * TT_AMOUNT_ONE);
		CHECK_EQ_INT(r.outcome, want[i].of_min < 20 ? TT_BREACH : TT_PASS);
	}
}

TEST(exact_rows_take_no_other_figure)
{
	static const int64_t seven[] = { 7, 7, 7 }, other[] = { 7, 8, 7 }, fewer[] = { 7, 6, 7 };
	int exit = 0;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"exact\": true"))
		return;
	CHECK_EQ_INT(judged(seven, 3, seven, 3, &exit).outcome, TT_PASS);
	CHECK_EQ_INT(judged(seven, 3, seven, 1, &exit).outcome, TT_PASS);
	CHECK_EQ_INT(judged(seven, 3, other, 3, &exit).outcome, TT_BREACH);
	CHECK_EQ_INT(exit, 1);
	CHECK_EQ_INT(judged(seven, 3, fewer, 3, &exit).outcome, TT_BREACH);
	CHECK_EQ_INT(judged(other, 3, seven, 3, &exit).outcome, TT_CANNOT_JUDGE);
	CHECK_EQ_INT(exit, 5);
}

/* 5 against 5 and all values apart: p is 1/252, and the shift decides. */
TEST(relative_rows_have_three_answers_and_a_direction)
{
	static const int64_t x[] = { 1000, 1001, 1002, 1003, 1004 }, more[] = { 1100, 1101, 1102, 1103, 1104 },
		some[] = { 1030, 1031, 1032, 1033, 1034 }, wide[] = { 900, 950, 1000, 1100, 1300 },
		less[] = { 900, 901, 902, 903, 904 };
	struct tt_verdict_row r;
	int exit = 0;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": \"+5%\""))
		return;
	r = judged(x, 5, more, 5, &exit);
	CHECK_EQ_INT(r.outcome, TT_WORSE);
	CHECK(r.p > 1.0 / 252 - 1e-12 && r.p < 1.0 / 252 + 1e-12);
	CHECK_EQ_INT(r.shift, 100 * TT_AMOUNT_ONE);
	CHECK_EQ_INT(r.shift_ppm, 99800);
	CHECK_EQ_INT(exit, 1);
	CHECK_EQ_INT(judged(x, 5, some, 5, &exit).outcome, TT_NOT_WORSE);
	CHECK_EQ_INT(judged(x, 5, less, 5, &exit).outcome, TT_NOT_WORSE);
	CHECK_EQ_INT(judged(x, 5, wide, 5, &exit).outcome, TT_UNDECIDED);
	CHECK_EQ_INT(exit, 0);
	CHECK_EQ_INT(judged(x, 2, more, 5, &exit).outcome, TT_WORSE);
	r = judged(x, 2, more, 2, &exit);
	CHECK_EQ_INT(r.outcome, TT_CANNOT_JUDGE);
	CHECK_EQ_INT(r.need, 3);
	CHECK_EQ_INT(exit, 5);
	if (!read_row("\"metric\": \"gc.alloc.count\", \"min\": \"-5%\""))
		return;
	r = judged(x, 5, less, 5, &exit);
	CHECK_EQ_INT(r.outcome, TT_WORSE);
	CHECK_EQ_INT(r.shift, -100 * TT_AMOUNT_ONE);
	CHECK(r.has_low && r.low <= r.shift && r.high >= r.shift && r.low < r.high);
	CHECK_EQ_INT(judged(x, 5, more, 5, &exit).outcome, TT_NOT_WORSE);
	if (read_row("\"metric\": \"gc.alloc.count\", \"max\": \"+5%\", \"effect\": 200"))
		CHECK_EQ_INT(judged(x, 5, more, 5, &exit).outcome, TT_NOT_WORSE);
	if (read_row("\"metric\": \"gc.alloc.count\", \"max\": \"+90\""))
		CHECK_EQ_INT(judged(x, 5, more, 5, &exit).outcome, TT_WORSE);
}

TEST(what_sessions_show_widens_what_is_allowed)
{
	static const int64_t a[] = { 1000, 1001, 1002, 1003 }, b[] = { 1100, 1101, 1102, 1103 },
		now[] = { 1080, 1081, 1082, 1083, 1084, 1085 };
	struct tt_sample all[8], *first, *second;
	struct tt_baseline base = { .path = "base", .sample = all, .nsample = 8, .nsession = 2, .settings = "" };
	struct tt_verdict v;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": \"+5%\""))
		return;
	first = samples(a, 4, "1");
	second = samples(b, 4, "2");
	memcpy(all, first, 4 * sizeof *first);
	memcpy(all + 4, second, 4 * sizeof *second);
	CHECK_EQ_INT(tt_judge(&budget, &base, samples(now, 6, ""), 6, &opts, &v, &mem, &err), TT_OK);
	/* medians 1001 and 1101: root of (50^2 + 50^2) / 2 * 1.5 */
	CHECK_EQ_INT(v.row[0].widened, 61237);
	CHECK_EQ_INT(v.row[0].sessions, 2);
	CHECK_EQ_INT(v.row[0].limit, 1003 * 50 + 61237);
	CHECK_EQ_INT(v.row[0].outcome, TT_NOT_WORSE);
	CHECK_EQ_INT((intmax_t)v.nremark, 0);
	tt_verdict_free(&v);
}

TEST(samples_come_back_from_a_baseline_as_they_were)
{
	static const int64_t v[] = { 5, 6 };
	struct tt_sample *s;
	struct tt_baseline b;
	struct tt_buf out = { 0 }, again = { 0 };

	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": 1"))
		return;
	s = samples(v, 2, "");
	s[0].name = "a \"quoted\" \303\251.ttc";
	s[0].value[0].v = 1234567;
	s[1].value[1] = (struct tt_value){ .dim = TT_DIM_TIME, .why = "none" };
	s[1].value[2] = (struct tt_value){ .known = true, .dim = TT_DIM_BYTES, .v = -1500 };
	CHECK_EQ_INT(tt_baseline_write(NULL, s, 2, &budget, "settings", &out, &err), TT_OK);
	CHECK_EQ_INT(tt_baseline_parse(out.p, out.n, "base", &budget, &b, &arena, &err), TT_OK);
	CHECK_EQ_INT((intmax_t)b.nsample, 2);
	CHECK_EQ_INT((intmax_t)b.nsession, 1);
	CHECK_STR(b.settings, "settings");
	CHECK_STR(b.sample[0].name, s[0].name);
	CHECK_STR(b.sample[0].session, "1");
	for (size_t i = 0; i < budget.nmeasure; i++) {
		for (int k = 0; k < 2; k++) {
			CHECK_EQ_INT(b.sample[k].value[i].known, s[k].value[i].known);
			CHECK_EQ_INT(b.sample[k].value[i].v, s[k].value[i].v);
			CHECK(!s[k].value[i].known || b.sample[k].value[i].dim == s[k].value[i].dim);
		}
	}
	CHECK_EQ_INT(tt_baseline_write(&b, s, 1, &budget, "settings", &again, &err), TT_OK);
	CHECK_EQ_INT(tt_baseline_parse(again.p, again.n, "base", &budget, &b, &arena, &err), TT_OK);
	CHECK_EQ_INT((intmax_t)b.nsession, 2);
	CHECK_STR(b.sample[2].session, "2");
	CHECK(again.n > out.n && memcmp(out.p, again.p, out.n - 4) == 0);
	tt_buf_free(&out);
	tt_buf_free(&again);
}

TEST(all_memory_is_given_back)
{
	tt_arena_free(&arena);
	CHECK_EQ_INT((intmax_t)mem.used, 0);
}

/* Tests of gate/: amounts, rows of every kind with samples made by hand, baselines written and read. */
#include "check.h"

#include "base/buf.h"
#include "gate/baseline.h"
#include "gate/verdict.h"
#include "model/loss.h"

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
	snprintf(text, sizeof text, "{ \"tracetool_budget\": 1, \"rows\": [ { \"id\": \"r\", %s } ] }", row);
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
		s[i].value[budget.row[0].which].v = v[i] * tt_amount_one(tt_measure_dim(&budget.row[0].measure));
	}
	return s;
}

static const struct tt_judge_opts opts = { .today = "2026-01-01" };

static struct tt_sample *
with_fact(struct tt_sample *s, const char *key, const char *value)
{
	s->fact = tt_arena_alloc(&arena, sizeof *s->fact, &err);
	*s->fact = (struct tt_fact){ key, value };
	s->nfact = 1;
	return s;
}

/* What row 0 says of ${n} captures ${y} against ${m} of the baseline ${x}, all of one session. */
static struct tt_verdict_row
judged(const int64_t *x, size_t m, const int64_t *y, size_t n, int *exit)
{
	struct tt_baseline base = { .path = "base", .sample = samples(x, m, "1"), .nsample = m, .nsession = 1, .settings = "" };
	struct tt_sample *now = samples(y, n, "");
	struct tt_verdict_row r = { 0 };
	struct tt_verdict v;

	for (size_t i = 0; i < n; i++)
		with_fact(&now[i], "session", "1");
	if (CHECK_EQ_INT(tt_judge(&budget, m ? &base : NULL, now, n, &opts, &v, &mem, &err), TT_OK)) {
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
		{ "80%", TT_DIM_PERCENT, 80000 }, { ".5", TT_DIM_NUMBER, 500000 }, { "0.000336", TT_DIM_NUMBER, 336 },
	};
	static const struct { const char *text; enum tt_dim dim; } bad[] = {
		{ "", TT_DIM_NUMBER }, { "1", TT_DIM_TIME }, { "1ms", TT_DIM_NUMBER }, { "-1ms", TT_DIM_TIME },
		{ "1..2ms", TT_DIM_TIME }, { "1e3ms", TT_DIM_TIME }, { "9999999999s", TT_DIM_TIME }, { "1 mss", TT_DIM_TIME },
		{ "99999999999999999999999999", TT_DIM_NUMBER }, { "0.0000001", TT_DIM_NUMBER }, { "0.0001", TT_DIM_PER_1000 },
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
	*tt_put_amount(text, 250000, TT_DIM_NUMBER) = '\0';
	CHECK_STR(text, "0.25");
	*tt_put_amount(text, 1666667, TT_DIM_NUMBER) = '\0';
	CHECK_STR(text, "1.667");
	*tt_put_amount(text, 1680, TT_DIM_NUMBER) = '\0';
	CHECK_STR(text, "0.00168");
	*tt_put_amount(text, 336, TT_DIM_NUMBER) = '\0';
	CHECK_STR(text, "0.000336");
	*tt_put_base(text, 12345000, TT_DIM_TIME) = '\0';
	CHECK_STR(text, "12345");
	*tt_put_base(text, -1050, TT_DIM_BYTES) = '\0';
	CHECK_STR(text, "-1.05");
	*tt_put_base(text, 1666667, TT_DIM_NUMBER) = '\0';
	CHECK_STR(text, "1.666667");
	*tt_put_ppm(text, 52345) = '\0';
	CHECK_STR(text, "+5.2 %");
	*tt_put_ppm(text, -400) = '\0';
	CHECK_STR(text, "-0.04 %");
	*tt_put_ppm(text, 9999400) = '\0';
	CHECK_STR(text, "+999.9 %");
	*tt_put_ppm(text, 11250000) = '\0';
	CHECK_STR(text, "12.3 times");
	*tt_put_ppm(text, 4557520000) = '\0';
	CHECK_STR(text, "4,559 times");
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
		CHECK_EQ_INT(r.value, want[i].of_max * TT_NUMBER_ONE);
		CHECK_EQ_INT(r.outcome, want[i].of_max > 20 ? TT_BREACH : TT_PASS);
		CHECK_EQ_INT(exit, want[i].of_max > 20);
		snprintf(row, sizeof row, "\"metric\": \"gc.alloc.count\", \"min\": 20, \"over\": \"%s\"", want[i].over);
		r = read_row(row) ? judged(NULL, 0, v, 4, &exit) : r;
		CHECK_EQ_INT(r.value, want[i].of_min * TT_NUMBER_ONE);
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
	CHECK_EQ_INT(r.shift, 100 * TT_NUMBER_ONE);
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
	CHECK_EQ_INT(r.shift, -100 * TT_NUMBER_ONE);
	CHECK(r.has_low && r.low <= r.shift && r.high >= r.shift && r.low < r.high);
	CHECK_EQ_INT(judged(x, 5, more, 5, &exit).outcome, TT_NOT_WORSE);
	if (read_row("\"metric\": \"gc.alloc.count\", \"max\": \"+5%\", \"effect\": 200"))
		CHECK_EQ_INT(judged(x, 5, more, 5, &exit).outcome, TT_NOT_WORSE);
	if (read_row("\"metric\": \"gc.alloc.count\", \"max\": \"+90\""))
		CHECK_EQ_INT(judged(x, 5, more, 5, &exit).outcome, TT_WORSE);
}

/* What row 0 says of a session around ${now} against ${k} sessions of four captures around ${of}. */
static struct tt_verdict_row
judged_sessions(const int64_t *of, size_t k, int64_t now, size_t *remarks)
{
	static const char *const name[] = { "a", "b", "c", "d" };
	int64_t v[6] = { now, now + 1, now + 2, now + 3, now + 4, now + 5 };
	struct tt_sample all[16];
	struct tt_baseline base = { .path = "base", .sample = all, .nsample = 4 * k, .nsession = k, .settings = "" };
	struct tt_verdict_row r = { 0 };
	struct tt_verdict verdict;

	for (size_t i = 0; i < k; i++) {
		const int64_t one[] = { of[i], of[i] + 1, of[i] + 2, of[i] + 3 };

		memcpy(all + 4 * i, samples(one, 4, name[i]), 4 * sizeof *all);
	}
	if (CHECK_EQ_INT(tt_judge(&budget, &base, samples(v, 6, ""), 6, &opts, &verdict, &mem, &err), TT_OK)) {
		r = verdict.row[0];
		*remarks = verdict.nremark;
	}
	tt_verdict_free(&verdict);
	return r;
}

/* However alike captures of a session are: what counts is how much sessions differ, and how many show it. */
TEST(a_new_session_is_judged_by_how_much_sessions_differ)
{
	static const int64_t alike[] = { 1000, 1001, 1002, 1003 }, apart[] = { 1000, 1100, 1050, 1020 };
	struct tt_verdict_row r;
	size_t remarks = 0;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": \"+5%\""))
		return;
	r = judged_sessions(alike, 1, 1020, &remarks);
	CHECK_EQ_INT(r.outcome, TT_UNDECIDED);
	CHECK(r.by_session && r.spread_assumed && !r.in_captures);
	CHECK_EQ_INT(r.spread_ppm, 25000);
	CHECK_EQ_INT((intmax_t)remarks, 1);
	CHECK_EQ_INT(judged_sessions(alike, 1, 1200, &remarks).outcome, TT_WORSE);
	r = judged_sessions(alike, 3, 1020, &remarks);
	CHECK_EQ_INT(r.outcome, TT_NOT_WORSE);
	CHECK(r.by_session && !r.spread_assumed);
	CHECK_EQ_INT((intmax_t)r.sessions, 3);
	CHECK_EQ_INT((intmax_t)remarks, 0);
	/* medians 1002 and trimmed means 1002.5 and 1021.5 + 60: the limit is 50.1 */
	CHECK_EQ_INT(judged_sessions(alike, 4, 1080, &remarks).outcome, TT_WORSE);
	CHECK_EQ_INT(judged_sessions(alike, 4, 1053, &remarks).outcome, TT_UNDECIDED);
	r = judged_sessions(apart, 4, 1080, &remarks);
	CHECK_EQ_INT(r.outcome, TT_UNDECIDED);
	/* They are not quiet, which weighs 1, then: root of ((0.005 * 1044)^2 + 42.5^2 + 57.5^2 + 7.5^2 + 22.5^2) / 4. */
	CHECK_EQ_INT(r.spread / TT_NUMBER_ONE, 37);
	/* 1.118 * 37.7 * (2.13 + 2.60) more than the limit of 52: points of Student's t of 4 degrees of freedom. */
	CHECK(r.seen > 250 * TT_NUMBER_ONE && r.seen < 253 * TT_NUMBER_ONE);
}

/* Three sessions, then one that was accepted and takes twice as much: what the three differ by is what is taken. */
TEST(sessions_before_the_accepted_one_show_how_much_sessions_differ)
{
	static const char *const name[] = { "a", "b", "c", "d" };
	static const int64_t of[] = { 1000, 1010, 990, 2000 };
	int64_t now[] = { 2040, 2041, 2042, 2043, 2044, 2045 };
	struct tt_sample all[16];
	struct tt_baseline_session session[4] = { { .name = NULL } };
	struct tt_baseline base = { .path = "base", .sample = all + 12, .nsample = 4, .nsession = 1, .all = all, .nall = 16, .session = session,
		.nall_session = 4, .settings = "" };
	struct tt_verdict verdict;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": \"+5%\""))
		return;
	for (size_t i = 0; i < 4; i++) {
		const int64_t one[] = { of[i], of[i] + 1, of[i] + 2, of[i] + 3 };

		memcpy(all + 4 * i, samples(one, 4, name[i]), 4 * sizeof *all);
		session[i] = (struct tt_baseline_session){ .name = name[i], .accepted = i == 3 ? "meant" : NULL, .first = 4 * i, .n = 4 };
	}
	if (CHECK_EQ_INT(tt_judge(&budget, &base, samples(now, 6, ""), 6, &opts, &verdict, &mem, &err), TT_OK)) {
		const struct tt_verdict_row *r = &verdict.row[0];

		CHECK_EQ_INT(r->outcome, TT_NOT_WORSE);
		CHECK(r->by_session && !r->spread_assumed);
		CHECK_EQ_INT((intmax_t)r->before, 3);
		CHECK_EQ_INT((intmax_t)r->sessions, 1);
		CHECK_EQ_INT((intmax_t)verdict.nremark, 0);
		/* Root of 100 and 100 twice over, times 4 as figures doubled, with 2 degrees of freedom: 20; quiet ones, 10, weigh 4.9. */
		CHECK_EQ_INT(r->spread / TT_NUMBER_ONE, 13);
		CHECK(strstr(r->text, "as the 3 before the accepted one do"));
	}
	tt_verdict_free(&verdict);
	/* Two tell too little. */
	base.all = all + 4;
	base.session = session + 1;
	base.nall = 12;
	base.nall_session = 3;
	for (size_t i = 1; i < 4; i++)
		session[i].first -= 4;
	if (CHECK_EQ_INT(tt_judge(&budget, &base, samples(now, 6, ""), 6, &opts, &verdict, &mem, &err), TT_OK)) {
		CHECK(verdict.row[0].spread_assumed && verdict.row[0].before == 0);
		CHECK_EQ_INT(verdict.row[0].spread_ppm, 25000);
	}
	tt_verdict_free(&verdict);
}

/* A baseline of nothing has no shares: nine sessions of which the last rise have crept by an amount, beyond one. */
TEST(a_rise_from_nothing_is_told_in_amounts)
{
	static const char *const name[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
	static const int64_t of[] = { 0, 0, 0, 0, 0, 10, 20, 30, 40 };
	int64_t now[] = { 50, 50, 50, 50 };
	struct tt_sample all[36];
	struct tt_baseline_session session[9] = { { .name = NULL } };
	struct tt_baseline base = { .path = "base", .sample = all, .nsample = 36, .nsession = 9, .all = all, .nall = 36, .session = session, .nall_session = 9,
		.settings = "" };
	const struct tt_judge_opts trend = { .today = "2026-01-01", .anchor = true };
	struct tt_verdict verdict;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": \"+7\""))
		return;
	for (size_t i = 0; i < 9; i++) {
		const int64_t one[] = { of[i], of[i], of[i], of[i] };

		memcpy(all + 4 * i, samples(one, 4, name[i]), 4 * sizeof *all);
		session[i] = (struct tt_baseline_session){ .name = name[i], .first = 4 * i, .n = 4 };
	}
	if (CHECK_EQ_INT(tt_judge(&budget, &base, samples(now, 4, ""), 4, &trend, &verdict, &mem, &err), TT_OK)) {
		const struct tt_verdict_row *r = &verdict.row[0];

		CHECK(r->crept);
		CHECK_EQ_INT(r->base, 0);
		/* Quarters of ten sessions are two on each side: 0 and 0, 40 and 50. */
		CHECK_HAS(r->text, "has crept +45 since session a (10 sessions), allowed +7; now ");
	}
	tt_verdict_free(&verdict);
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
	CHECK_EQ_INT(tt_baseline_write(NULL, s, 2, &budget, "settings", NULL, &out, &arena, &err), TT_OK);
	CHECK_EQ_INT(tt_baseline_parse(out.p, out.n, "base", &budget, TT_SAMPLE_WHOLE, &b, &arena, &err), TT_OK);
	CHECK_EQ_INT((intmax_t)b.nsample, 2);
	CHECK_EQ_INT((intmax_t)b.nsession, 1);
	CHECK_STR(b.settings, "settings");
	CHECK_STR(b.sample[0].name, s[0].name);
	CHECK_STR(b.sample[0].session, "#1");
	for (size_t i = 0; i < budget.nmeasure; i++) {
		for (int k = 0; k < 2; k++) {
			CHECK_EQ_INT(b.sample[k].value[i].known, s[k].value[i].known);
			CHECK_EQ_INT(b.sample[k].value[i].v, s[k].value[i].v);
			CHECK(!s[k].value[i].known || b.sample[k].value[i].dim == s[k].value[i].dim);
		}
	}
	CHECK_EQ_INT(tt_baseline_write(&b, s, 1, &budget, "settings", NULL, &again, &arena, &err), TT_OK);
	CHECK_EQ_INT(tt_baseline_parse(again.p, again.n, "base", &budget, TT_SAMPLE_WHOLE, &b, &arena, &err), TT_OK);
	CHECK_EQ_INT((intmax_t)b.nsession, 2);
	CHECK_STR(b.sample[2].session, "#2");
	CHECK(again.n > out.n && memcmp(out.p, again.p, out.n - 4) == 0);
	tt_buf_free(&out);
	tt_buf_free(&again);
}

static const char *
remark_of(const int64_t *scenes, size_t n, const struct tt_baseline *base)
{
	static const char *const name[] = { "Town", "Forest", NULL, "Cave" };
	struct tt_sample *s = samples(scenes, n, "");
	const char *told = NULL;
	struct tt_verdict v;

	for (size_t i = 0; i < n; i++)
		if (name[scenes[i]])
			with_fact(&s[i], "scene", name[scenes[i]]);
	if (CHECK_EQ_INT(tt_judge(&budget, base, s, n, &opts, &v, &mem, &err), TT_OK))
		for (size_t i = 0; i < v.nremark; i++)
			if (strstr(v.remark[i], "several kinds"))
				told = tt_arena_text(&arena, v.remark[i], strlen(v.remark[i]), &err);
	tt_verdict_free(&v);
	return told;
}

/* A row that looks at captures of two scenes together says so; also where only the baseline has the other one. */
TEST(captures_of_several_kinds_are_told)
{
	static const int64_t town[] = { 0, 0, 2 }, both[] = { 0, 0, 1 }, three[] = { 0, 1, 0, 3 }, forest[] = { 1, 1, 1 };
	struct tt_baseline base = { .path = "base", .nsample = 3, .nsession = 1, .settings = "" };

	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": 5"))
		return;
	CHECK(!remark_of(town, 3, NULL));
	CHECK_HAS(remark_of(both, 3, NULL), "r looks at captures of several kinds together: scene is Town and Forest;");
	CHECK_HAS(remark_of(three, 4, NULL), "r looks at captures of several kinds together: scene is Town, Forest and others;");
	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": 5, \"where\": { \"scene\": \"Town\" }"))
		return;
	CHECK(!remark_of(both, 3, NULL));
	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": \"+5\""))
		return;
	base.sample = samples(forest, 3, "1");
	for (int i = 0; i < 3; i++)
		with_fact(&base.sample[i], "scene", "Forest");
	CHECK(!remark_of(forest, 3, &base));
	CHECK_HAS(remark_of(town, 3, &base), "scene is Town and Forest");
}

/* One write may hold captures of several sessions, of old ones among them, and of none. */
TEST(captures_go_to_the_session_their_fact_names)
{
	static const int64_t v[] = { 1, 2, 3, 4, 5 };
	static const char *const want[] = { "friday", "monday", "#2", "monday", "#3" };
	struct tt_sample *s;
	struct tt_baseline b;
	struct tt_buf out = { 0 }, more = { 0 };

	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": 1"))
		return;
	s = samples(v, 5, "");
	for (int i = 0; i < 4; i++)
		with_fact(&s[i], "session", want[i]);
	CHECK_EQ_INT(tt_baseline_write(NULL, &s[1], 1, &budget, "", NULL, &out, &arena, &err), TT_OK);
	CHECK_EQ_INT(tt_baseline_parse(out.p, out.n, "base", &budget, TT_SAMPLE_WHOLE, &b, &arena, &err), TT_OK);
	CHECK_EQ_INT(tt_baseline_write(&b, s, 5, &budget, "", NULL, &more, &arena, &err), TT_OK);
	CHECK_EQ_INT(tt_baseline_parse(more.p, more.n, "base", &budget, TT_SAMPLE_WHOLE, &b, &arena, &err), TT_OK);
	tt_buf_free(&out);
	tt_buf_free(&more);
	CHECK_EQ_INT((intmax_t)b.nsession, 4);
	if (CHECK_EQ_INT((intmax_t)b.nsample, 6)) {
		static const size_t at[] = { 3, 1, 4, 2, 5 };

		for (size_t i = 0; i < 5; i++)
			CHECK_STR(b.sample[at[i]].session, want[i]);
	}
}

static int
parse(const char *text)
{
	tt_arena_free(&arena);
	tt_arena_init(&arena, &mem);
	return tt_budget_parse(text, strlen(text), "b", &budget, &arena, &err);
}

TEST(what_a_budget_says_of_itself_is_kept)
{
	if (!CHECK_EQ_INT(parse("{ \"tracetool_budget\": 1, \"rows\": [ { \"id\": \"r\", \"metric\": \"marker.count\", \"marker\": \"*\","
	    " \"max\": 5.5, \"min_captures\": 100001, \"waive\": { \"until\": \"2028-02-29\", \"why\": \"x\" } } ],"
	    " \"fingerprint\": [ \"device\", \"a\" ], \"integrity\": { \"lost_events\": 9223372036854775807, \"min_frames\": 3 },"
	    " \"session_spread\": \"100%\" }"), TT_OK))
		return;
	CHECK_EQ_INT(budget.session_ppm, 1000000);
	CHECK_STR(budget.fingerprint[0], "device");
	CHECK_STR(budget.fingerprint[1], "a");
	CHECK(!budget.fingerprint[2]);
	CHECK_EQ_INT((intmax_t)budget.nrow, 4);
	CHECK_EQ_INT(budget.row[0].max.v, 5500000);
	CHECK_EQ_INT(budget.row[0].min_captures, 100000);
	CHECK_STR(budget.row[1].id, "integrity-lost");
	CHECK_EQ_INT(budget.row[1].max.v, INT64_MAX);
	CHECK_STR(budget.row[2].id, "integrity-frames");
	CHECK_EQ_INT(budget.row[2].min.v, 3000000);
	CHECK_STR(budget.row[3].id, "integrity-ended");
	CHECK_EQ_INT(budget.row[3].level, TT_LEVEL_ERROR);
}

TEST(days_are_those_of_the_calendar)
{
	static const char *const good[] = { "2000-02-29", "2028-02-29", "2027-12-31" };
	static const char *const bad[] = { "1900-02-29", "2027-02-29", "2027-00-10", "2027-10-00", "2027-13-01", "2027-1x-01", "2027-1-001",
		"2027-10-010" };

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		CHECK(tt_is_date(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(!tt_is_date(bad[i]));
}

/* Rows of a counter have a unit only with the capture; 0 fits each. */
TEST(limits_of_counters_are_of_the_kind_their_values_have)
{
	static const struct { const char *limits; int rc; } rows[] = {
		{ "\"max\": \"1KiB\"", TT_OK }, { "\"max\": 0", TT_OK }, { "\"max\": 5", TT_E_USAGE }, { "\"max\": \"1ms\"", TT_E_USAGE },
		{ "\"min\": \"1ms\"", TT_E_USAGE }, { "\"min\": 0, \"max\": \"10KiB\"", TT_OK }, { "\"min\": \"9%\", \"max\": \"1B\"", TT_E_USAGE },
	};
	static const int64_t v[] = { 500 };
	char row[200];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tt_sample *s;
		struct tt_verdict verdict;

		snprintf(row, sizeof row, "\"metric\": \"counter\", \"counter\": \"x\", %s", rows[i].limits);
		if (!read_row(row))
			continue;
		s = samples(v, 1, "");
		s->value[budget.row[0].which].dim = TT_DIM_BYTES;
		CHECK_EQ_INT(tt_judge(&budget, NULL, s, 1, &opts, &verdict, &mem, &err), rows[i].rc);
		if (rows[i].rc != TT_OK)
			CHECK_HAS(err.msg, "of another kind than the counter in capture, whose unit is bytes");
		tt_verdict_free(&verdict);
	}
}

/* Frames of 10 and 20 ms, of none, and of 30 ms: one figure over all of them. */
TEST(pooled_rows_take_the_frames_of_all_captures_as_one)
{
	static const struct { const char *row; int64_t want; enum tt_outcome outcome; } rows[] = {
		{ "\"metric\": \"frame.time\", \"max\": \"20ms\"", 20000000000, TT_PASS },
		{ "\"metric\": \"frame.time\", \"stat\": \"median\", \"max\": \"19ms\"", 20000000000, TT_BREACH },
		{ "\"metric\": \"frame.time\", \"stat\": \"p99.9\", \"max\": \"30ms\"", 30000000000, TT_PASS },
		{ "\"metric\": \"frame.time\", \"stat\": \"stddev\", \"max\": \"9ms\"", 8164965809, TT_PASS },
		{ "\"metric\": \"frame.time\", \"stat\": \"trimmed\", \"max\": \"19ms\"", 20000000000, TT_BREACH },
		{ "\"metric\": \"frame.gpu\", \"max\": \"1ms\"", 20000000000, TT_BREACH },
		{ "\"metric\": \"frame.fps\", \"min\": \"50fps\"", 50000, TT_PASS },
		{ "\"metric\": \"frame.over\", \"limit\": \"9ms\", \"stat\": \"count\", \"max\": 3", 3000000, TT_PASS },
		{ "\"metric\": \"frame.over\", \"limit\": \"20ms\", \"stat\": \"per_1000\", \"max\": 300", 333333, TT_BREACH },
		{ "\"metric\": \"gc.alloc.frames\", \"stat\": \"count\", \"max\": 2", 3000000, TT_BREACH },
		{ "\"metric\": \"gc.alloc.bytes\", \"stat\": \"per_frame.max\", \"max\": \"1KiB\"", 30000000000, TT_BREACH },
	};
	static int64_t first[] = { 10000000000, 20000000000 }, last[] = { 30000000000 };
	static const int64_t none[3] = { 0 };
	char row[200];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tt_sample *s;
		struct tt_verdict v;
		size_t at;

		snprintf(row, sizeof row, "%s, \"over\": \"pooled\", \"max_missing\": 1", rows[i].row);
		if (!read_row(row))
			continue;
		CHECK(budget.row[0].measure.pooled);
		at = budget.row[0].which;
		s = samples(none, 3, "");
		s[0].value[at].each = first;
		s[0].value[at].neach = 2;
		s[1].value[at] = (struct tt_value){ .dim = s[1].value[at].dim, .why = "no frames" };
		s[2].value[at].each = last;
		s[2].value[at].neach = 1;
		if (CHECK_EQ_INT(tt_judge(&budget, NULL, s, 3, &opts, &v, &mem, &err), TT_OK)) {
			CHECK_EQ_INT(v.row[0].value, rows[i].want);
			CHECK_EQ_INT(v.row[0].outcome, rows[i].outcome);
			CHECK_HAS(v.row[0].text, "(all frames of 2 captures; 1 has no figure");
		}
		tt_verdict_free(&v);
	}
}

TEST(a_row_with_both_limits_says_which_is_broken)
{
	static const int64_t v[] = { 15 }, below[] = { 9 }, above[] = { 21 };
	int exit = 0;
	struct tt_verdict_row r;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": 20, \"min\": 10"))
		return;
	r = judged(NULL, 0, v, 1, &exit);
	CHECK(r.outcome == TT_PASS && !r.limit_is_min && r.limit == 20000000);
	r = judged(NULL, 0, above, 1, &exit);
	CHECK(r.outcome == TT_BREACH && !r.limit_is_min && r.limit == 20000000);
	r = judged(NULL, 0, below, 1, &exit);
	CHECK(r.outcome == TT_BREACH && r.limit_is_min && r.limit == 10000000);
}

/* The exit status of a row that nothing can be told of, or not yet, at each level and with each --inconclusive. */
TEST(undecided_rows_fail_only_where_that_is_asked_for)
{
	static const int64_t x[] = { 1000, 1001, 1002, 1003, 1004 }, wide[] = { 900, 950, 1000, 1100, 1300 };
	static const struct { const char *level; unsigned inconclusive; size_t n; enum tt_outcome outcome; int exit; } want[] = {
		{ "error", TT_INCONCLUSIVE_AUTO, 5, TT_UNDECIDED, 0 }, { "error", TT_INCONCLUSIVE_FAIL, 5, TT_UNDECIDED, 5 },
		{ "error", TT_INCONCLUSIVE_AUTO, 1, TT_CANNOT_JUDGE, 5 }, { "warn", TT_INCONCLUSIVE_AUTO, 5, TT_UNDECIDED, 0 },
		{ "error", TT_INCONCLUSIVE_PASS, 5, TT_UNDECIDED, 0 }, { "warn", TT_INCONCLUSIVE_FAIL, 5, TT_UNDECIDED, 0 },
		{ "error", TT_INCONCLUSIVE_FAIL, 1, TT_CANNOT_JUDGE, 5 }, { "error", TT_INCONCLUSIVE_PASS, 1, TT_CANNOT_JUDGE, 0 },
		{ "warn", TT_INCONCLUSIVE_FAIL, 1, TT_CANNOT_JUDGE, 0 }, { "off", TT_INCONCLUSIVE_FAIL, 5, TT_SKIPPED, 0 },
	};
	char row[200];

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct tt_baseline base = { .path = "base", .nsample = 5, .nsession = 1, .settings = "" };
		struct tt_judge_opts o = { .today = "2026-01-01" };
		struct tt_verdict v;

		o.inconclusive = want[i].inconclusive;
		snprintf(row, sizeof row, "\"metric\": \"gc.alloc.count\", \"max\": \"+5%%\", \"level\": \"%s\" }, "
		    "{ \"id\": \"other\", \"metric\": \"lost.events\", \"max\": 0", want[i].level);
		if (!read_row(row))
			continue;
		base.sample = samples(x, 5, "1");
		struct tt_sample *now = samples(wide, want[i].n, "");

		for (size_t k = 0; k < want[i].n; k++)
			with_fact(&now[k], "session", "1");
		if (CHECK_EQ_INT(tt_judge(&budget, &base, now, want[i].n, &o, &v, &mem, &err), TT_OK)) {
			CHECK_EQ_INT(v.row[0].outcome, want[i].outcome);
			CHECK_EQ_INT(v.exit_code, want[i].exit);
			const bool is_told = want[i].outcome == TT_UNDECIDED && strcmp(want[i].level, "error") == 0;

			CHECK(strncmp(v.summary, want[i].exit != 0 ? "INCONCLUSIVE: " : is_told ? "undecided, nothing fails: " : "passed: ", 8) == 0);
		}
		tt_verdict_free(&v);
	}
}

/* Of a session none of whose captures has the figure nothing is learned, and it is not counted. */
TEST(captures_without_a_figure_count_neither_in_rows_nor_in_sessions)
{
	static const int64_t x[] = { 1000, 1001, 1002, 1003, 1004, 1005 }, y[] = { 1000, 1001, 1002, 1003, 1004 };
	struct tt_sample all[6], *now;
	struct tt_baseline base = { .path = "base", .sample = all, .nsample = 6, .nsession = 3, .settings = "" };
	struct tt_verdict v;
	size_t at;

	for (int exact = 0; exact < 2; exact++) {
		if (!read_row(exact ? "\"metric\": \"gc.alloc.count\", \"max_missing\": 1, \"exact\": true" :
		    "\"metric\": \"gc.alloc.count\", \"max_missing\": 1, \"max\": \"+5%\""))
			return;
		at = budget.row[0].which;
		for (int i = 0; i < 6; i++) {
			static const char *const session[] = { "1", "1", "2", "2", "3", "3" };

			all[i] = *samples(x + i, 1, session[i]);
			if (exact)
				all[i].value[at].v = 1000 * TT_AMOUNT_ONE;
		}
		all[2].value[at] = all[3].value[at] = (struct tt_value){ .why = "none" };
		now = samples(y, 5, "");
		if (exact)
			for (int i = 0; i < 5; i++)
				now[i].value[at].v = 1000 * TT_AMOUNT_ONE;
		now[4].value[at] = (struct tt_value){ .why = "none" };
		if (CHECK_EQ_INT(tt_judge(&budget, &base, now, 5, &opts, &v, &mem, &err), TT_OK)) {
			CHECK_EQ_INT(v.row[0].outcome, exact ? TT_PASS : TT_NOT_WORSE);
			CHECK_EQ_INT((intmax_t)v.row[0].n, 4);
			CHECK_EQ_INT((intmax_t)v.row[0].m, 4);
			CHECK_EQ_INT((intmax_t)v.row[0].sessions, 2);
		}
		tt_verdict_free(&v);
	}
}

TEST(more_captures_than_there_are_may_be_asked_for)
{
	static const int64_t x[] = { 1, 2, 3, 4, 5 };
	struct tt_verdict_row r;
	int exit = 0;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": \"+5%\", \"min_captures\": 6"))
		return;
	r = judged(x, 5, x, 5, &exit);
	CHECK_EQ_INT(r.outcome, TT_BREACH);
	CHECK(r.too_few);
	CHECK_EQ_INT(exit, 1);
}

/* A figure that nothing has because nothing was there is no misspelling where the metric needs no name. */
TEST(nothing_allocated_is_a_figure)
{
	static const int64_t zero[] = { 0, 0, 0, 0 };
	static const char *const rows[] = { "\"max\": 5", "\"max\": \"+5\"" };

	for (size_t k = 0; k < 2; k++) {
		char row[100];
		struct tt_baseline base = { .path = "base", .nsample = 4, .nsession = 1, .settings = "" };
		struct tt_sample *s;
		struct tt_verdict v;

		snprintf(row, sizeof row, "\"metric\": \"gc.alloc.count\", %s", rows[k]);
		if (!read_row(row))
			continue;
		base.sample = samples(zero, 4, "1");
		s = samples(zero, 4, "");
		for (int i = 0; i < 4; i++) {
			s[i].value[budget.row[0].which].absent = true;
			s[i].value[budget.row[0].which].why = "nothing allocated";
		}
		if (CHECK_EQ_INT(tt_judge(&budget, &base, s, 4, &opts, &v, &mem, &err), TT_OK))
			CHECK_EQ_INT(v.row[0].outcome, k ? TT_NOT_WORSE : TT_PASS);
		tt_verdict_free(&v);
	}
}

/* Figures at the end of 64 bits, and limits as large, stay there. */
TEST(the_largest_figures_do_not_wrap)
{
	static const int64_t huge[] = { INT64_MAX / TT_NUMBER_ONE, INT64_MAX / TT_NUMBER_ONE, INT64_MAX / TT_NUMBER_ONE,
		INT64_MAX / TT_NUMBER_ONE };
	int exit = 0;

	if (read_row("\"metric\": \"counter\", \"counter\": \"x\", \"max\": \"+9000000000000\""))
		CHECK_EQ_INT(judged(huge, 4, huge, 4, &exit).outcome, TT_NOT_WORSE);
	if (read_row("\"metric\": \"counter\", \"counter\": \"x\", \"max\": \"+100%\""))
		CHECK_EQ_INT(judged(huge, 4, huge, 4, &exit).outcome, TT_NOT_WORSE);
	if (read_row("\"metric\": \"counter\", \"counter\": \"x\", \"min\": 1, \"over\": \"mean\"")) {
		static const int64_t below[] = { -3, -4 };
		struct tt_verdict_row r = judged(NULL, 0, below, 2, &exit);

		CHECK_EQ_INT(r.value, -3500000);
		CHECK_EQ_INT(r.outcome, TT_BREACH);
	}
}

TEST(baselines_that_lack_what_they_need_are_refused_with_the_place)
{
	static const struct { const char *text, *told; } bad[] = {
		{ "{ \"tracetool_baseline\": 2 }", "of version 1 only" },
		{ "{ \"tracetool_baseline\": \"1\" }", "of version 1 only" },
		{ "{ \"tracetool_baseline\": 1, \"sessions\": [] }", "no session" },
		{ "{ \"tracetool_baseline\": 1, \"sessions\": [ { \"captures\": [ {} ] } ] }", "b:1:42: a session needs its" },
		{ "{ \"tracetool_baseline\": 1, \"sessions\": [ { \"session\": \"1\", \"captures\": [] } ] }", "b:1:42: a session needs its" },
	};
	struct tt_baseline b;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"exact\": true"))
		return;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		CHECK_EQ_INT(tt_baseline_parse(bad[i].text, strlen(bad[i].text), "b", &budget, TT_SAMPLE_WHOLE, &b, &arena, &err), TT_E_USAGE);
		CHECK_HAS(err.msg, bad[i].told);
	}
}

static int
read_in_blocks(const char *text, size_t size, struct tt_baseline *b)
{
	struct tt_baseline_reader *reader;
	const size_t n = strlen(text);
	int rc = tt_baseline_begin(&reader, "b", &budget, TT_SAMPLE_JUDGED, b, &arena, &err);

	for (size_t i = 0; i < n && rc == TT_OK; i += size)
		rc = tt_baseline_feed(reader, text + i, n - i < size ? n - i : size, &err);
	return rc == TT_OK ? tt_baseline_end(&reader, true, &err) : (tt_baseline_end(&reader, false, &err), rc);
}

/* Blocks end anywhere. Members are in any order; names and values may look like the text around them. */
TEST(a_baseline_is_read_in_blocks_of_any_size)
{
	static const char text[] =
	    "{ \"note\": { \"sessions\": [ 1, \"]\" ] }, \"other\": \"sessions\",\n"
	    "  \"sessions\" :\n[ { \"session\": \"a } ] \\\" {\", \"captures\": [ { \"name\": \"x\", \"values\": { \"gc.alloc.count.total\": 5 } } ] }\n"
	    ", {\"accepted\":\"\303\251\\\\\",\"session\":\"b\",\"captures\":[{\"name\":\"y\",\"values\":{}},{\"name\":\"z\",\"values\":{}}]}],\n"
	    "\"settings\": \"sessions\", \"tracetool_baseline\": 1 }";
	struct tt_baseline b;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"stat\": \"total\", \"exact\": true"))
		return;
	for (size_t size = 1; size <= sizeof text; size++) {
		if (!CHECK_EQ_INT(read_in_blocks(text, size, &b), TT_OK) || !CHECK_EQ_INT((intmax_t)b.nall_session, 2) || !CHECK_EQ_INT((intmax_t)b.nall, 3))
			return;
		CHECK_STR(b.session[0].name, "a } ] \" {");
		CHECK_STR(b.session[1].accepted, "\303\251\\");
		CHECK_STR(b.settings, "sessions");
		CHECK_EQ_INT(b.all[0].value[budget.row[0].which].v, 5 * TT_NUMBER_ONE);
		CHECK_EQ_INT((intmax_t)b.nsample, 2);
		for (size_t i = 0; i < 2; i++) {
			CHECK(text[b.session[i].at] == '{' && text[b.session[i].end - 1] == '}');
			CHECK(memchr(text + b.session[i].at, '\n', b.session[i].end - b.session[i].at) == NULL);
		}
	}
}

/* Each fault is told with its own line and column, wherever it is and in blocks of any size. */
TEST(faults_of_baselines_have_their_places_in_the_file)
{
#define BEFORE "{ \"tracetool_baseline\": 1,\n \"sessions\": [\n{ \"session\": \"\303\251\", \"captures\": [ { \"name\": \"x\", \"values\": {} } ] },"
	static const struct { const char *text, *told; } bad[] = {
		{ BEFORE "\n  { \"captures\": [ {} ] } ] }", "b:4:3: a session needs its" },
		{ BEFORE "\n 5 ] }", "b:4:2: a session needs its" },
		{ BEFORE "\n { \"session\": \"\303\251\", \"captures\": [ {} ] } ] }", "b:4:15: there is a session" },
		{ BEFORE "\n { \"session\": \"2\",\n \"captures\": [\n  { \"name\": 7 } ] } ] }", "b:6:3: is not a sample" },
		{ BEFORE "\n { \"session\": \"2\",\n \"captures\" [] } ] }", "b:5:13: is not JSON: ':' expected" },
		{ BEFORE "\n { \"session\": \"2\", } ] }", "b:4:18: is not JSON: a comma with nothing after it" },
		{ BEFORE " ] }", "b:3:66: is not JSON: a comma with nothing after it" },
		{ BEFORE "\n { \"session\": \"2", "is not JSON: premature end of input" },
		{ BEFORE "\n { \"session\": 2, \"captures\": [ {} ] } ], \"settings\": 5 }", "b:4:54: \"settings\" must be a text" },
		{ BEFORE "\n { \"session\": 2, \"captures\": [ {} ] } ] }", "b:4:15: \"session\" must be a text" },
		{ "{ \"sessions\": [ { \"later\": true } ],\n \"tracetool_baseline\": 2 }", "b:2:24: this tracetool reads baselines of version 1 only" },
		{ "{ \"tracetool_baseline\": 1, \"sessions\": [], \"sessions\": [] }", "duplicate object key" },
		{ BEFORE "\n 5,6 ] ]", "b:4:2: a session needs its" },
		{ "{ \"tracetool_baseline\": 1, \"sessions\": [ { \"session\": \"1\", \"captures\": [ { \"name\": \"x\", \"values\": {} } ] }\n"
		    "{ \"session\": \"2\", \"captures\": [ { \"name\": \"x\", \"values\": {} } ] } ] }", "is not JSON: ']' expected" },
		{ "", "b: is empty" },
		{ "[ \"sessions\" ]", "no baseline" },
	};
	struct tt_baseline b;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"exact\": true"))
		return;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		for (size_t size = 1; size < 200; size += 1 + size / 3) {
			CHECK_EQ_INT(read_in_blocks(bad[i].text, size, &b), TT_E_USAGE);
			CHECK_HAS(err.msg, bad[i].told);
		}
#undef BEFORE
}

/* What no budget asks for stays in the file: other figures, and members that somebody wrote. */
#define WITH_ODD "{ \"name\": \"x\", \"values\": { \"frame.odd\": 1.50 }, \"mine\": 2 }"
TEST(a_capture_that_is_added_changes_no_byte_of_the_others)
{
	static const int64_t v[] = { 5 };
	static const char text[] = "{ \"tracetool_baseline\": 1, \"sessions\": [\n"
	    "  { \"session\": \"1\", \"seen\": [ 1, \"]\" ], \"captures\": [ " WITH_ODD " ], \"by\": \"me\" },\n"
	    "  { \"session\": \"2\", \"captures\": [ { \"name\": \"y\", \"values\": {} } ] } ] }";
	static struct tt_fact first[] = { { "session", "1" } };
	const char *seen, *by;
	struct tt_baseline b;
	struct tt_buf out = { 0 };
	struct tt_sample *s;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"exact\": true"))
		return;
	s = samples(v, 1, "");
	s->fact = first;
	s->nfact = 1;
	CHECK_EQ_INT(tt_baseline_parse(text, strlen(text), "b", &budget, TT_SAMPLE_JUDGED, &b, &arena, &err), TT_OK);
	CHECK_EQ_INT(tt_baseline_write(&b, s, 1, &budget, "", NULL, &out, &arena, &err), TT_OK);
	seen = strstr(tt_buf_string(&out), "{ \"session\": \"1\", \"seen\": [ 1, \"]\" ], \"captures\": [ " WITH_ODD);
	by = seen ? strstr(seen, "], \"by\": \"me\" }") : NULL;
	CHECK(seen && by && strstr(by, "{ \"session\": \"2\", \"captures\": [ { \"name\": \"y\", \"values\": {} } ] }"));
	CHECK_EQ_INT(tt_baseline_parse(out.p, out.n, "b", &budget, TT_SAMPLE_JUDGED, &b, &arena, &err), TT_OK);
	CHECK_EQ_INT((intmax_t)b.nall_session, 2);
	CHECK_EQ_INT((intmax_t)b.session[0].n, 2);
	CHECK_EQ_INT((intmax_t)b.session[1].n, 1);
	tt_buf_free(&out);
}

/* A row asks for the environment of those captures of the baseline that it means. */
TEST(a_row_is_held_against_the_environment_of_the_captures_it_means)
{
	static const int64_t v[] = { 5 };
	static const char budget_text[] = "{ \"tracetool_budget\": 1, \"fingerprint\": [ \"device\" ], \"rows\": [ { \"id\": \"r\", "
	    "\"metric\": \"gc.alloc.count\", \"max\": \"+5%\", \"where\": { \"scene\": \"city\" }, \"level\": \"error\" }, { \"id\": \"s\", "
	    "\"metric\": \"gc.alloc.count\", \"max\": \"+6%\", \"level\": \"off\" } ] }";
	static struct tt_fact city_pc[] = { { "scene", "city" }, { "device", "PC" } }, desert[] = { { "scene", "desert" }, { "device", "TV" } },
	    city_tv[] = { { "scene", "city" }, { "device", "TV" } };
	struct tt_sample base[2], *now;
	struct tt_baseline b = { .path = "base", .sample = base, .nsample = 2, .nsession = 1, .settings = "" };

	if (!CHECK_EQ_INT(parse(budget_text), TT_OK))
		return;
	base[0] = *samples(v, 1, "1");
	base[1] = base[0];
	now = samples(v, 1, "");
	base[0].nfact = base[1].nfact = now->nfact = 2;
	base[0].fact = desert;
	base[1].fact = city_pc;
	now->fact = city_pc;
	CHECK_EQ_INT(tt_baseline_check(&b, now, 1, &budget, "", &err), TT_OK);
	now->fact = city_tv;
	CHECK_EQ_INT(tt_baseline_check(&b, now, 1, &budget, "", &err), TT_E_USAGE);
	CHECK_HAS(err.msg, "device is PC in its capture, and TV");
	now->fact = desert;           /* the row does not mean it */
	CHECK_EQ_INT(tt_baseline_check(&b, now, 1, &budget, "", &err), TT_OK);
	now->fact = city_tv;
	now->nfact = 1;               /* tells no device: that is not PC */
	CHECK_EQ_INT(tt_baseline_check(&b, now, 1, &budget, "", &err), TT_E_USAGE);
	CHECK_HAS(err.msg, "(unknown)");
	base[1].nfact = 1;            /* nor does the one of the baseline */
	CHECK_EQ_INT(tt_baseline_check(&b, now, 1, &budget, "", &err), TT_OK);
	now->nfact = 2;
	CHECK_EQ_INT(tt_baseline_check(&b, now, 1, &budget, "", &err), TT_E_USAGE);
	base[1].fact = desert;        /* none of the baseline is meant: there is nothing to compare with */
	CHECK_EQ_INT(tt_baseline_check(&b, now, 1, &budget, "", &err), TT_OK);
}

/* What a hand wrote may hold more than is ever saved, and figures beyond 64 bits. */
TEST(baselines_by_hand_are_taken_as_far_as_there_is_room)
{
	static char text[16384];
	struct tt_baseline b;
	size_t n, at;

	if (!read_row("\"metric\": \"gc.alloc.count\", \"stat\": \"total\", \"exact\": true"))
		return;
	at = budget.row[0].which;
	n = (size_t)snprintf(text, sizeof text, "{ \"tracetool_baseline\": 1, \"sessions\": [ { \"session\": \"1\", \"captures\": [");
	for (int i = 0; i < 4; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s{ \"name\": \"a\", \"values\": { \"gc.alloc.count.total\": %s } }", i ? "," : "",
		    (const char *const[]){ "1e300", "-1e300", "12.3456", "9223372036854775807" }[i]);
	n += (size_t)snprintf(text + n, sizeof text - n, ",{ \"name\": \"b\", \"values\": {}, \"time\": [");
	for (int i = 0; i < TT_SAMPLE_PARTS + 6; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s[ \"part %d\", %d, 1 ]", i ? "," : "", i, 1000 - i);
	n += (size_t)snprintf(text + n, sizeof text - n, "], \"worst\": [");
	for (int i = 0; i < TT_SAMPLE_WORST + 2; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s{ \"frame\": %d, \"top\": [ [\"a\", 1], [\"b\", 2], [\"c\", 3], [\"d\", 4] ] }",
		    i ? "," : "", i);
	n += (size_t)snprintf(text + n, sizeof text - n, "] } ] } ] }");
	if (!CHECK_EQ_INT(tt_baseline_parse(text, n, "b", &budget, TT_SAMPLE_WHOLE, &b, &arena, &err), TT_OK) || !CHECK_EQ_INT((intmax_t)b.nsample, 5))
		return;
	CHECK_EQ_INT(b.sample[0].value[at].v, INT64_MAX);
	CHECK_EQ_INT(b.sample[1].value[at].v, -INT64_MAX);
	CHECK_EQ_INT(b.sample[2].value[at].v, 12345600);
	CHECK_EQ_INT(b.sample[3].value[at].v, INT64_MAX);
	CHECK(!b.sample[4].value[at].known);
	CHECK_EQ_INT((intmax_t)b.sample[4].npart, TT_SAMPLE_PARTS);
	CHECK_STR(b.sample[4].part[TT_SAMPLE_PARTS - 1].name, "part 63");
	CHECK_EQ_INT((intmax_t)b.sample[4].nworst, TT_SAMPLE_WORST);
	CHECK_EQ_INT(b.sample[4].worst[TT_SAMPLE_WORST - 1].ntop, 3);
}

TEST(losses_beyond_64_bits_stay_there)
{
	struct tt_loss l = { 0 };
	unsigned n = 0;

	CHECK_EQ_INT(tt_lost_events(&l), 0);
	for (unsigned k = 0; k < TT_LOST_KINDS; k++)
		if (tt_loss_info[k].severity >= TT_LOSS && n++ < 2)
			l.e[k].n = UINT64_MAX - 1;
	CHECK(n >= 2 && tt_lost_events(&l) == UINT64_MAX);
}

TEST(rows_are_found_by_name_and_misspellings_get_the_nearest)
{
	if (!read_row("\"metric\": \"gc.alloc.count\", \"max\": 1 }, { \"id\": \"a row whose name is longer than forty characters\", "
	    "\"metric\": \"gc.alloc.count\", \"max\": 2"))
		return;
	CHECK(tt_budget_row(&budget, "integrity-lost", &err) == &budget.row[2]);
	CHECK(!tt_budget_row(&budget, "integrity-lots", &err));
	CHECK_HAS(err.msg, "did you mean \"integrity-lost\"?");
	CHECK(!tt_budget_row(&budget, "nothing like it", &err));
	CHECK_HAS(err.msg, "has no row \"nothing like it\"");
	CHECK(!strstr(err.msg, "did you mean"));
}

TEST(all_memory_is_given_back)
{
	tt_arena_free(&arena);
	CHECK_EQ_INT((intmax_t)mem.used, 0);
}

/**
 * Suggests a budget to start from.
 *
 * It suggests only rows that can be judged:
 * - Changes of the frame, at level error. There are few, because each further row makes all of them less sensitive.
 * - Changes of parts of the frame, as warnings.
 * - Tails, as frames per thousand over a limit: p99 and the maximum of a capture depend on a few frames. A median sees none of them, so they are at level
 *   error where enough captures and sessions show that their number is steady; so are collections.
 * - For capped frames, both of uncapped time, because the limit decides their wall time, and CPU-active time has no wait for a lock or a job.
 * - Allocation, which hardly depends on the machine, by its amount, or as "none" where there is none.
 * - The longest stop of all captures, as a warning: later captures of the same build are often a little worse. So is the largest heap, until its size is
 *   known to be steady.
 * - A least number of frames, so that a run that ends early does not pass.
 * Margins of changes are what the captures and sessions at hand can distinguish from no change, so more of them make margins smaller. A row that would detect
 * nothing is left out, and the comment in the budget says what it needs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/setting.h"
#include "gate/sample.h"
#include "gate/suggest.h"
#include "stat/num.h"
#include "stat/session.h"
#include "view/figures.h"

#define ALPHA 0.05
#define POWER 0.97                    /* power of changes that are said to be found in 95 %, as for a verdict's rows */
#define DECIDED 0.94                  /* share of equal builds that must be shown to be no worse */
#define MIN_DECIDED 0.82              /* or this smaller share, where REAL can then be detected */
#define REAL 0.05                     /* a change that people want to detect */
#define REAL_POWER 0.6                /* how often it is detected, by the scatter in this baseline; over baselines it is more often */
#define SESSIONS 30                   /* most sessions considered */
#define BLIND 0.3                     /* a row that detects only larger changes is useless */
#define STEADY_SESSIONS 5             /* fewer do not show whether a count differs between them */
#define STEADY 0.01                   /* a count is steady if equal builds exceed its limit in at most this share of sessions */
#define RARE 10                       /* frames of a thousand: more long ones are no hitches */
#define WIDE_FROM 15                  /* late frames of a thousand that are more than chance, ... */
#define WIDE_TO 50                    /* ... however few frames are known */
#define WIDE_TIMES 10                 /* as many as ten times the rate that none among all frames allows, in 95 of 100 cases */
#define ALLOCATING (100 * TT_AMOUNT_ONE)      /* above 100 allocating frames per thousand, each allocation counts */

struct suggest {
	const struct tt_sample *s;    /* the first ${own} are at hand, the others the baseline's */
	size_t n;
	const struct tt_measure *x;
	size_t nx;
	struct tt_buf *out;
	bool some;                    /* a row has been written */
	size_t relative;              /* rows that compare with a baseline */
	bool single;                  /* too few captures to show how much they differ */
	bool assumed;                 /* too few sessions to show how much they differ */
	struct tt_buf blind;          /* rows left out, and why */
	bool by_date;                 /* the captures at hand name no session, and were recorded on several days: a day is a session */
	int64_t cap_ns;               /* limit of the first capture's frames, if most captures are capped; 0: they are not */
};

/* A measure over the captures: how many, and of the known figures the median, the largest and the mean. */
struct spread { size_t n; int64_t median, max; double mean; };

static struct spread
spread_of(const struct suggest *g, const char *key)
{
	struct spread r = { 0 };
	int64_t v[256];

	for (size_t i = 0; i < g->nx; i++) {
		if (strcmp(g->x[i].key, key) != 0)
			continue;
		for (size_t k = 0; k < g->n && r.n < 256; k++)
			if (g->s[k].value[i].known)
				v[r.n++] = g->s[k].value[i].v;
	}
	for (size_t i = 0; i < r.n; i++)
		r.mean += (double)v[i] / (double)r.n;
	tt_sort_i64(v, r.n);
	r.median = tt_quantile_i64(v, r.n, 1, 2);
	r.max = r.n ? v[r.n - 1] : 0;
	return r;
}

/* --- what can be seen ------------------------------------------------------------------------------ */

static const char *
session_of(const struct suggest *g, size_t i)
{
	const char *fact = tt_sample_fact(&g->s[i], "session");

	fact = fact ? fact : g->by_date ? tt_sample_fact(&g->s[i], "date") : NULL;
	/* A capture of a baseline keeps the session it has there, even if it is also at hand. */
	return *g->s[i].session || !fact ? g->s[i].session : fact;
}

enum { MAX_CAPTURES = 256 };                  /* captures that are considered */

/* Sort the captures' figures of ${key} into sessions: *${k} of them. */
static void
sessions_of(const struct suggest *g, const char *key, struct tt_session of[MAX_CAPTURES], size_t *k)
{
	struct tt_in_session o[MAX_CAPTURES];
	int64_t v[MAX_CAPTURES];
	size_t n = 0;

	*k = 0;
	for (size_t i = 0; i < g->nx; i++)
		for (size_t c = 0; strcmp(g->x[i].key, key) == 0 && c < g->n && n < MAX_CAPTURES; c++)
			if (g->s[c].value[i].known)
				o[n++] = (struct tt_in_session){ session_of(g, c), g->s[c].value[i].v };
	*k = tt_sessions(o, n, v, of);
}

/* Make the comparison of one more such session with these. False if the captures do not show how much they differ. */
static bool
next_session(const struct tt_session *of, size_t k, struct tt_change *c)
{
	struct tt_session next = of[k - 1];
	double mean = 0;

	for (size_t i = 0; i < k; i++)
		mean += of[i].value / (double)k;
	next.value = mean;
	return tt_session_change(of, k, &next, 1, mean * TT_SESSION_SPREAD_PPM / 1e6, NULL, c);
}

/*
 * The margin, as a share: the smallest one that equal builds are shown to keep DECIDED of the time, or MIN_DECIDED if that detects a change of REAL. Over
 * builds and baselines at most 17 % are then undecided, because the noise of quiet machines is part of the assumed difference between sessions.
 */
static double
margin_of(const struct tt_change *c, double value, double alpha)
{
	double usual = tt_change_seen(c, 0, alpha, DECIDED) / value, least = tt_change_seen(c, 0, alpha, MIN_DECIDED) / value;

	if (least + tt_change_seen(c, 0, alpha, REAL_POWER) / value <= REAL)
		usual = least;
	/* Round up to a tenth of a per cent; at least 1 %. */
	usual = ceil(usual * 1000 - 1e-6) / 1000;
	return usual < 0.01 ? 0.01 : usual;
}

/* The variance between sessions: measured from three sessions up, else that of quiet machines in addition to the scatter of captures. */
static double
variance_of(const struct tt_session *of, size_t k)
{
	double quiet = TT_SESSION_QUIET * of[k - 1].value, mean = 0, squares = 0;

	for (size_t i = 0; i < k; i++)
		mean += of[i].value / (double)k;
	for (size_t i = 0; i < k; i++)
		squares += (of[i].value - mean) * (of[i].value - mean);
	return k < 3 ? quiet * quiet + of[k - 1].se2 : squares / (double)(k - 1);
}

/* The smallest change detected with ${n} sessions of this variance and the margin that they allow. */
static double
seen_with(const struct tt_session *last, size_t n, double variance, double alpha)
{
	struct tt_session many[SESSIONS];
	/* The numbers ..., -1, 0, 1, ... have a variance of n (n + 1) / 12. */
	double off = sqrt(12 * variance / (double)(n * (n + 1)));
	struct tt_change c;

	for (size_t i = 0; i < n; i++) {
		many[i] = *last;
		many[i].value += ((double)i - (double)(n - 1) / 2) * off;
	}
	next_session(many, n, &c);
	return margin_of(&c, last->value, alpha) + tt_change_seen(&c, 0, alpha, POWER) / last->value;
}

/* The same with five sessions that differ by half a per cent in addition to the scatter of their captures. */
static double
seen_with_five(const struct tt_session *of, size_t k, double alpha)
{
	return seen_with(&of[k - 1], 5, variance_of(of + k - 1, 1), alpha);
}

/* Say why the row is left out, and how many sessions would suffice. */
static void
put_blind(struct suggest *g, const char *id, const struct tt_session *of, size_t k, double alpha, double seen)
{
	size_t n = k < 3 ? 3 : k + 1;

	tt_buf_printf(&g->blind, "%s%s: these captures differ so much that it would see no change below +%.0f %%; ", g->blind.n ? "\n" : "", id, seen * 100);
	while (n <= SESSIONS && (seen = seen_with(&of[k - 1], n, variance_of(of, k), alpha)) > BLIND)
		n++;
	if (n <= SESSIONS)
		tt_buf_printf(&g->blind, "with %zu sessions +%.0f %%", n, 100 * seen);
	else
		tt_buf_text(&g->blind, "no number of sessions would do: record more captures in each, or run both builds in turn (tracetool ab)");
}

/* --- rows -------------------------------------------------------------------------------------------- */

static void
begin_row(struct suggest *g, const char *id, const char *metric, const char *stat)
{
	tt_buf_printf(g->out, "%s\n\t\t{ \"id\": \"%s\", \"metric\": \"%s\"", g->some ? "," : "", id, metric);

	g->some = true;
	if (stat)
		tt_buf_printf(g->out, ", \"stat\": \"%s\"", stat);
}

static const char *
amount(char text[64], int64_t v, enum tt_dim dim)
{
	*tt_put_amount(text, v, dim) = '\0';
	return text;
}

/* The rows with a change that may be suggested. */
static const struct relative {
	const char *id, *metric, *stat;
	enum tt_dim dim;
	bool wall, cpu;               /* for captures without capped frames, with capped frames */
	bool fails;
} relative[] = {
	{ "frame-median", "frame.time", "median", TT_DIM_TIME, true, false, true },
	{ "frame-mean", "frame.time", "mean", TT_DIM_TIME, true, false, false },
	{ "uncapped-median", "frame.uncapped", "median", TT_DIM_TIME, false, true, true },
	{ "uncapped-mean", "frame.uncapped", "mean", TT_DIM_TIME, false, true, false },
	{ "cpu-median", "frame.cpu", "median", TT_DIM_TIME, true, true, false },
	{ "main-median", "frame.main", "median", TT_DIM_TIME, true, true, false },
	{ "render-median", "frame.render", "median", TT_DIM_TIME, true, true, false },
	{ "gpu-median", "frame.gpu", "median", TT_DIM_TIME, true, true, false },
};

/* True if the row applies and has a figure; its ${k} sessions are then in ${of}. */
static bool
is_meant(const struct suggest *g, const struct relative *r, struct tt_session of[MAX_CAPTURES], size_t *k)
{
	char key[80];

	if (g->cap_ns ? !r->cpu : !r->wall)
		return false;
	snprintf(key, sizeof key, "%s.%s", r->metric, r->stat);
	sessions_of(g, key, of, k);
	return *k > 0 && of[*k - 1].value > 0;
}

/* Write the row, one of ${rows} that are tested together, or note why it is left out. */
static void
relative_row(struct suggest *g, const struct relative *r, const struct tt_session *of, size_t k, size_t rows)
{
	double alpha = ALPHA / (double)rows, limit, seen;
	struct tt_change c;
	char text[64];

	if (!next_session(of, k, &c)) {
		g->single = true;
		return;
	}
	limit = margin_of(&c, of[k - 1].value, alpha);
	seen = limit + tt_change_seen(&c, 0, alpha, POWER) / of[k - 1].value;
	if (seen > BLIND) {
		put_blind(g, r->id, of, k, alpha, seen);
		return;
	}
	g->relative++;
	g->assumed |= c.assumed;
	begin_row(g, r->id, r->metric, r->stat);
	tt_buf_printf(g->out, ", \"max\": \"+%g%%\"%s,\n\t\t  \"comment\": \"%s; +%.1f %% would be found in 95 of 100 cases", 100 * limit,
	    r->fails ? "" : ", \"level\": \"warn\"", amount(text, (int64_t)of[k - 1].value, r->dim), 100 * seen);
	if (c.assumed)
		tt_buf_printf(g->out, "; suggested again with a baseline of five sessions, about +%.1f %%", 100 * seen_with_five(of, k, alpha));
	tt_buf_text(g->out, "\" }");
}

/* Capped frames that last longer than the limit makes them: a game that falls from 60 to 30 frames per second works no more. */
static void
limit_row(struct suggest *g)
{
	struct tt_session of[MAX_CAPTURES];
	char text[64];
	size_t k;

	sessions_of(g, "frame.time.median", of, &k);
	if (k == 0 || of[k - 1].value <= 0)
		return;
	begin_row(g, "frame-median", "frame.time", "median");
	tt_buf_printf(g->out, ", \"max\": \"+10%%\",\n\t\t  \"comment\": \"%s, the frame limit: it is missed, or another one\" }",
	    amount(text, (int64_t)of[k - 1].value, TT_DIM_TIME));
}

static void
relative_rows(struct suggest *g)
{
	struct tt_session of[MAX_CAPTURES];
	size_t k, rows[2] = { 0, 0 };

	if (g->cap_ns)
		limit_row(g);
	for (size_t i = 0; i < sizeof relative / sizeof *relative; i++)
		rows[relative[i].fails] += is_meant(g, &relative[i], of, &k);
	for (size_t i = 0; i < sizeof relative / sizeof *relative; i++)
		if (is_meant(g, &relative[i], of, &k))
			relative_row(g, &relative[i], of, k, rows[relative[i].fails]);
}

/*
 * True if the captures show that a limit which none of them exceeds is kept by the median capture of another session. The share of captures
 * that exceed it is taken to be any, with equal odds, before these were seen: then ${exceed} captures of the next ${n} do in a share of p, and
 * more than half may in STEADY.
 */
static bool
is_steady(const struct suggest *g, const char *key)
{
	struct tt_session of[MAX_CAPTURES];
	double all = (double)spread_of(g, key).n, n, p, most = 0;
	size_t k;

	sessions_of(g, key, of, &k);
	if (k < STEADY_SESSIONS)
		return false;
	n = ceil(all / (double)k);
	p = (all + 1) / (all + n + 1);
	for (double exceed = 0; exceed < n; ) {
		p *= (n - exceed) / (all + n - exceed);
		if (++exceed > n / 2)
			most += p;
	}
	return most <= STEADY;
}

/*
 * How many times as many long frames as these captures have fail the row where chance allows that: the most of max_times that leave FOUND_TIMES as many found
 * with the chance SURE, or MIN_TIMES, unless that finds them in less than BLIND_CHANCE. Captures of one, two, and more sessions have the limits max_times: if
 * sessions differ in their rate by a factor of 1.8 (a standard deviation), equal builds then fail in about 5 of 100 cases (tracetool-budget(5)).
 */
static const double max_times[] = { 4.25, 3.5, 3 };
#define MIN_TIMES 3
#define FOUND_TIMES 5
#define SURE 0.97
#define BLIND_CHANCE 0.5
#define MAX_COUNTED_RATE (100 * TT_AMOUNT_ONE)      /* more long frames of a thousand have no room for five times as many */

/* The chance that a capture has more than ${most} of what it has ${mean} of on average, at random (Poisson). */
static double
chance_above(double mean, double most)
{
	double p = exp(-mean), sum = p;

	if (mean > 500)               /* as near as a normal distribution */
		return erfc((most + 0.5 - mean) / sqrt(2 * mean)) / 2;
	for (double k = 1; k <= most; k++) {
		p *= mean / k;
		sum += p;
	}
	return sum < 1 ? 1 - sum : 0;
}

/* The chance that more than half of ${n} captures do what one does with the chance ${p}. */
static double
chance_of_most(double p, size_t n)
{
	double term = pow(1 - p, (double)n), sum = 0;

	if (p >= 1)
		return 1;
	for (size_t k = 1; k <= n; k++) {
		term *= (double)(n - k + 1) / (double)k * p / (1 - p);
		if (2 * k > n)
			sum += term;
	}
	return sum;
}

/* The chance that the median of ${captures} has more than ${most} of what captures have ${mean} of on average, a mean that is known within ${noise}. */
static double
chance_of_median(double mean, double noise, double most, size_t captures)
{
	/* Three points of a normal distribution: Gauss and Hermite. */
	const double wide = sqrt(3) * noise, low = mean > wide ? mean - wide : 0;

	return chance_of_most(chance_above(low, most), captures) / 6 + chance_of_most(chance_above(mean, most), captures) * 2 / 3 +
	    chance_of_most(chance_above(mean + wide, most), captures) / 6;
}

/* Tenths of frames per thousand that a median capture may have, by *${times}. 0: chance alone may give as many, or mostly hides FOUND_TIMES as many. */
static int64_t
limit_by_count(const struct suggest *g, const char *key, double *times)
{
	const struct spread r = spread_of(g, key), frames = spread_of(g, "frame.count.total");
	struct tt_session of[MAX_CAPTURES];
	double n = (double)frames.median / (1000.0 * TT_AMOUNT_ONE), count = r.mean / TT_AMOUNT_ONE * n, noise = sqrt(count / (double)r.n), most, found;
	size_t k, captures;
	int64_t tenths;

	sessions_of(g, key, of, &k);
	if (k == 0 || count <= 0 || r.mean > (double)MAX_COUNTED_RATE)
		return 0;
	captures = (r.n + k - 1) / k;
	for (*times = max_times[k > 3 ? 2 : k - 1]; *times >= MIN_TIMES; *times -= 0.25) {
		/* The mean is of whole thousandths. */
		tenths = (int64_t)ceil(*times * r.mean * 10 / TT_AMOUNT_ONE - 0.025);
		most = floor((double)tenths / 10 * n);
		if (chance_of_most(chance_above(count + 2 * noise, most), captures) > STEADY)
			return 0;
		found = chance_of_median(FOUND_TIMES * count, FOUND_TIMES * noise, most, captures);
		if (found >= SURE || (*times <= MIN_TIMES && found >= BLIND_CHANCE))
			return tenths;
	}
	return 0;
}

/* The comment on a row that warns because its count is not known to be steady. */
#define UNSTEADY "; fails nothing: these captures do not show that the count is steady, as a baseline of five sessions of five captures does"

/* The comment on a row that fails only if there are many more. */
#define WIDE_TEXT "; the margin is wide, for these captures do not show that the count is steady, as a baseline of five sessions of five captures does"

/* The frames over a limit, of a thousand. */
struct long_frames {
	const char *metric;
	const struct tt_hitch_limit *limit;
	bool counted;                 /* in every capture; else only a share is known that none exceeds, and ${key} is a quantile */
	char key[80];                 /* of the measure */
	int64_t most;                 /* amount: none of the captures has more; INT64_MAX: that is not known */
	int64_t apart;                /* by how much the sessions with most and with fewest differ */
};

/* Limit a figure that no capture exceeds, by the smallest quantile that keeps the limit in every one. */
static void
share_over(const struct suggest *g, const char *time, int64_t at_most, struct long_frames *l)
{
	static const struct { const char *stat; int per_1000; } most[] = { { "p99.9", 1 }, { "p99", 10 }, { "p95", 50 }, { "p90", 100 }, { "median", 500 } };

	l->most = INT64_MAX;
	for (size_t q = 0; q < sizeof most / sizeof *most && l->most == INT64_MAX; q++) {
		snprintf(l->key, sizeof l->key, "%s.%s", time, most[q].stat);
		if (spread_of(g, l->key).max <= at_most)
			l->most = (int64_t)most[q].per_1000 * TT_AMOUNT_ONE;
	}
}

static void
set_long(struct long_frames *l, const char *metric, const struct tt_hitch_limit *limit)
{
	l->metric = metric;
	l->limit = limit;
	snprintf(l->key, sizeof l->key, "%s[%lldns].per_1000", metric, (long long)tt_frame_limit(limit->ns));
}

/* The smallest common limit of at least 1.5 times the median frame, and of ${least}. */
static const struct tt_hitch_limit *
hitch_limit(int64_t median, int64_t least)
{
	size_t k = 0;

	while (k + 1 < TT_HITCH_LIMITS && (tt_hitch_limit[k].for_caps ||
	    tt_frame_limit(tt_hitch_limit[k].ns) < tt_scale(median, 3, 2 * TT_AMOUNT_ONE) ||
	    (tt_hitch_limit[k].ns < least && !tt_same_cap(tt_hitch_limit[k].ns, least))))
		k++;
	return &tt_hitch_limit[k];
}

/* Count frames that are shown for longer than the smallest limit that frames keep which are capped at ${cap} and in time. */
static void
set_late(const struct suggest *g, int64_t cap, struct long_frames *l)
{
	size_t k = 0;

	for (; k + 1 < TT_HITCH_LIMITS; k++) {
		set_long(l, "frame.over", &tt_hitch_limit[k]);
		/* Nearly all frames are over a limit that is a little below their own. */
		if (tt_frame_limit(l->limit->ns) >= cap - cap / 50 && spread_of(g, l->key).median < 900 * TT_AMOUNT_ONE)
			return;
	}
	set_long(l, "frame.over", &tt_hitch_limit[k]);
}

/*
 * The frames that are shown for longer than the smallest common limit that is at least 1.5 times the median frame. If frames are capped, longer than the
 * smallest limit that the cap keeps: those are late, whatever made them so; without the Editor, which shares the cap, that is not known, and uncapped time
 * counts.
 * ${frames}: how many captures have frame times.
 */
static struct long_frames
long_frames(const struct suggest *g, const char *time, size_t frames, int64_t median)
{
	struct long_frames l = { .most = 0 };
	struct tt_session of[MAX_CAPTURES];
	size_t sessions;

	if (g->cap_ns)
		set_late(g, g->cap_ns, &l);
	else
		set_long(&l, "frame.over", hitch_limit(median, 0));
	if (g->cap_ns && spread_of(g, l.key).n == 0)
		set_long(&l, "frame.uncapped.over", hitch_limit(median, g->cap_ns));
	l.counted = spread_of(g, l.key).n == frames;
	if (!l.counted) {
		share_over(g, time, tt_scale(tt_frame_limit(l.limit->ns), TT_AMOUNT_ONE, 1), &l);
		return l;
	}
	l.most = spread_of(g, l.key).max;
	sessions_of(g, l.key, of, &sessions);
	for (size_t i = 0; i < sessions; i++)
		for (size_t j = 0; j < sessions; j++)
			if (of[i].value - of[j].value > (double)l.apart)
				l.apart = (int64_t)(of[i].value - of[j].value);
	return l;
}

/*
 * How many late frames of a thousand more than in any capture are no chance, whatever sessions differ by: if none of n frames is late, up to 3 of n may be in
 * another session, in 95 of 100 cases.
 */
static int64_t
wide_margin(const struct suggest *g)
{
	const struct spread frames = spread_of(g, "frame.count.total");
	const double n = (double)frames.median / TT_AMOUNT_ONE * (double)frames.n, margin = n > 0 ? WIDE_TIMES * 3000 / n : WIDE_TO;

	return margin > WIDE_TO ? WIDE_TO : margin < WIDE_FROM ? WIDE_FROM : (int64_t)ceil(margin);
}

/* How many of a thousand frames a row allows to be long; ${wide}: it allows so many more, and at least eight times as many. */
static int64_t
most_long(const struct long_frames *l, int64_t wide, bool steady)
{
	int64_t max = l->most < INT64_MAX ? l->most : 500 * TT_AMOUNT_ONE;

	if (wide)
		max = 8 * max > max + wide * TT_AMOUNT_ONE ? 8 * max : max + wide * TT_AMOUNT_ONE;
	else if (l->counted)
		max += l->apart + l->apart / 2 + TT_AMOUNT_ONE;
	else if (steady)
		max *= 2;
	return (max + TT_AMOUNT_ONE - 1) / TT_AMOUNT_ONE;
}

/* The beginning of the comment of a row of long frames: what it counts, in ${ncaptures}, and a percentile of the same time, ${time}; late frames have none. */
static void
put_tail_comment(struct suggest *g, const struct long_frames *l, const char *time, size_t ncaptures, const char *of)
{
	const bool late = g->cap_ns && l->counted && strcmp(l->metric, "frame.over") == 0;
	char p99[80], text[64], most[64], none[64] = "this capture has no";

	snprintf(p99, sizeof p99, "%s.p99", time);
	if (ncaptures > 1)
		snprintf(none, sizeof none, "none of these %zu captures has", ncaptures);
	tt_buf_printf(g->out, "\"comment\": \"%s of a thousand%s", late ? "late frames" : "frames", of);
	if (l->most < INT64_MAX)
		tt_buf_printf(g->out, ": %s more than %s", none, amount(most, l->most, TT_DIM_NUMBER));
	if (!late)
		tt_buf_printf(g->out, "; p99 is %s", amount(text, spread_of(g, p99).median, TT_DIM_TIME));
}

/* The limit of the row of long frames, in tenths of a thousandth, and the end of its comment. */
struct tail { int64_t tenths; bool fails; char why[200]; };

static struct tail
tail_of(const struct suggest *g, const struct long_frames *l)
{
	const bool known = l->most < INT64_MAX, rare = known && l->most <= RARE * TT_AMOUNT_ONE, steady = rare && is_steady(g, l->key);
	double times = 0;
	const int64_t by_count = l->counted ? limit_by_count(g, l->key, &times) : 0;
	/* If frames are capped, many more late ones than ever are no chance, however much sessions differ. */
	const bool wide = rare && !steady && !by_count && g->cap_ns && l->counted;
	struct tail t = { 10 * most_long(l, wide ? wide_margin(g) : 0, steady), steady || wide || by_count, "" };

	if (by_count && (!steady || by_count < t.tenths)) {
		t.tenths = by_count;
		snprintf(t.why, sizeof t.why, "; the limit is about %.3g times the mean, for sessions differ", times);
	} else if (!rare) {
		snprintf(t.why, sizeof t.why, "%s", "; fails nothing: such frames are too usual to be hitches");
	} else if (!steady) {
		snprintf(t.why, sizeof t.why, "%s", wide ? WIDE_TEXT : UNSTEADY);
	}
	if (t.fails && t.tenths < 20)
		t.tenths = 20;
	if (t.tenths > 10000)
		t.tenths = 10000;
	return t;
}

/*
 * Limit long frames: to what no capture exceeds, one and a half times by what sessions differ, and one more; to twice as many where only the share is known.
 * Equal builds then fail in less than 1 of 100 cases (tracetool-budget(5)).
 */
static void
tail_row(struct suggest *g)
{
	const char *time = g->cap_ns ? "frame.uncapped" : "frame.time";
	char median[80];
	struct spread r;

	snprintf(median, sizeof median, "%s.median", time);
	r = spread_of(g, median);
	if (r.n == 0)
		return;

	const struct long_frames l = long_frames(g, time, r.n, r.median);
	const struct tail t = tail_of(g, &l);

	begin_row(g, "hitches", l.metric, NULL);
	tt_buf_printf(g->out, ", \"limit\": \"%s\", \"stat\": \"per_1000\", \"max\": %.10g%s,\n\t\t  ", l.limit->text, (double)t.tenths / 10,
	    t.fails ? "" : ", \"level\": \"warn\"");
	put_tail_comment(g, &l, time, r.n, t.fails ? ", of the median capture" : "");
	tt_buf_printf(g->out, "%s\" }", t.why);
}

/* Write ${v} plus a fifth, in a readable unit. */
static void
put_rounded(struct suggest *g, int64_t v, enum tt_dim dim)
{
	static const struct { const char *name; enum tt_dim dim; int64_t size; } unit[] = {
		{ "ms", TT_DIM_TIME, 1000000 }, { "us", TT_DIM_TIME, 1000 }, { "MiB", TT_DIM_BYTES, 1 << 20 },
		{ "KiB", TT_DIM_BYTES, 1 << 10 }, { "B", TT_DIM_BYTES, 1 }, { "ns", TT_DIM_TIME, 1 },
	};
	int64_t more = tt_scale(v, 12, 10 * TT_AMOUNT_ONE);

	for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
		if (unit[i].dim == dim && (more >= 10 * unit[i].size || unit[i].size == 1)) {
			tt_buf_printf(g->out, "\"%lld%s\"", (long long)(more / unit[i].size + 1), unit[i].name);
			return;
		}
	tt_buf_printf(g->out, "%lld", (long long)more + 1);
}

static void
absolute_row(struct suggest *g, const char *id, const char *metric, const char *stat, const char *key, enum tt_dim dim, bool warn)
{
	struct spread r = spread_of(g, key);
	char text[64];

	if (r.n == 0 || r.max <= 0)
		return;
	begin_row(g, id, metric, stat);
	tt_buf_text(g->out, ", \"max\": ");
	put_rounded(g, r.max, dim);
	tt_buf_printf(g->out, ", \"over\": \"worst\"%s,\n\t\t  \"comment\": \"at most %s in the captures\" }",
	    warn ? ", \"level\": \"warn\"" : "", amount(text, r.max, dim));
}

/*
 * Limit the longest stop of all threads. Not the pause, where stops are known: it begins with the request, and at the end of a program Mono waits a second
 * with nobody stopped.
 */
static void
pause_row(struct suggest *g)
{
	if (spread_of(g, "gc.stopped.max").max > 0)
		absolute_row(g, "gc-stopped", "gc.stopped", "max", "gc.stopped.max", TT_DIM_TIME, true);
	else
		absolute_row(g, "gc-pause", "gc.pause", "max", "gc.pause.max", TT_DIM_TIME, true);
}

/* Limit collections where there are some: to a fifth more than in the capture that has most, and one of a capture more at least. */
static void
collections_row(struct suggest *g)
{
	static const char key[] = "gc.collections.per_1000";
	struct spread r = spread_of(g, key), frames = spread_of(g, "frame.count.total");
	bool fails = is_steady(g, key);
	int64_t one, more;
	char median[64], most[64];

	if (r.n == 0 || r.max <= 0 || frames.median <= 0)
		return;
	one = tt_scale(1000 * TT_AMOUNT_ONE, TT_AMOUNT_ONE, frames.median);
	more = tt_scale(r.max, 12, 10);
	more = more > r.max + one ? more : r.max + one;
	begin_row(g, "collections", "gc.collections", "per_1000");
	tt_buf_printf(g->out, ", \"max\": %lld%s,\n\t\t  \"comment\": \"in a thousand frames%s: at most %s in the captures, %s in the median%s\" }",
	    (long long)(more / TT_AMOUNT_ONE + 1), fails ? "" : ", \"level\": \"warn\"", fails ? " of the median capture" : "",
	    amount(most, r.max, TT_DIM_NUMBER), amount(median, r.median, TT_DIM_NUMBER), fails ? "" : UNSTEADY);
}

/*
 * Limit the largest heap. If the captures show that it is steady, the row fails above half as much again as any has, and a megabyte at least: a leak takes
 * more, and a heap grows in large steps.
 */
static void
heap_row(struct suggest *g)
{
	static const char key[] = "heap.size.max";
	struct spread r = spread_of(g, key);
	int64_t more = tt_scale(r.max, 3, 2), mib = (int64_t)TT_AMOUNT_ONE << 20;
	char text[64];

	if (!is_steady(g, key) || r.max <= 0) {
		absolute_row(g, "heap", "heap.size", "max", key, TT_DIM_BYTES, true);
		return;
	}
	if (more - r.max < mib)
		more = r.max + mib;
	begin_row(g, "heap", "heap.size", "max");
	tt_buf_printf(g->out, ", \"max\": \"%lldMiB\",\n\t\t  "
	    "\"comment\": \"of the median capture: half as much again as the %s of the capture that has most\" }",
	    (long long)(more / mib + 1), amount(text, r.max, TT_DIM_BYTES));
}

/* Limit the mean allocation of a frame: a twentieth more than in the capture that allocates most. */
static void
per_frame_row(struct suggest *g, const char *id, const char *metric, enum tt_dim dim, bool warn)
{
	char key[80], median[64], most[64];
	struct spread r;
	int64_t more;

	snprintf(key, sizeof key, "%s.per_frame.mean", metric);
	r = spread_of(g, key);
	if (r.n == 0 || r.max <= 0)
		return;
	more = tt_scale(r.max, 21, 20) + 1;
	begin_row(g, id, metric, "per_frame.mean");
	if (dim == TT_DIM_BYTES)
		tt_buf_printf(g->out, ", \"max\": \"%lldB\"", (long long)(more / TT_AMOUNT_ONE + 1));
	else
		tt_buf_printf(g->out, ", \"max\": %lld.%03lld", (long long)(more / TT_AMOUNT_ONE), (long long)(more % TT_AMOUNT_ONE));
	tt_buf_printf(g->out, "%s,\n\t\t  ", warn ? ", \"level\": \"warn\"" : "");
	tt_buf_printf(g->out, "\"comment\": \"a twentieth more than the %s of the capture that allocates most; %s in the median\" }",
	    amount(most, r.max, dim), amount(median, r.median, dim));
}

/*
 * Limit allocation. If few frames allocate, the number of these frames is limited. It needs no baseline: allocation depends on the code, hardly on the
 * machine.
 */
static void
alloc_rows(struct suggest *g)
{
	struct spread r = spread_of(g, "gc.alloc.frames.per_1000");

	if (r.n && r.max == 0) {
		begin_row(g, "no-allocation", "gc.alloc.bytes", "per_frame.max");
		tt_buf_text(g->out, ", \"max\": \"0B\", \"over\": \"worst\",\n\t\t  \"comment\": \"no frame "
		    "of these captures allocates\" }");
	} else if (r.n && r.max < ALLOCATING) {
		absolute_row(g, "alloc-frames", "gc.alloc.frames", "per_1000", "gc.alloc.frames.per_1000", TT_DIM_PER_1000, false);
	} else {
		per_frame_row(g, "alloc-bytes", "gc.alloc.bytes", TT_DIM_BYTES, false);
		per_frame_row(g, "alloc-count", "gc.alloc.count", TT_DIM_NUMBER, true);
	}
}

/* Half of ${n}, of which the first two digits are kept. */
static uint64_t
rounded_half(uint64_t n)
{
	uint64_t unit = 1;

	for (n /= 2; n / unit >= 100; unit *= 10)
		;
	return n / unit * unit;
}

/* Ask for half of the frames of the shortest capture: a run that ends early with exit status 0 passes every other row. */
static void
put_integrity(struct suggest *g)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < g->n; i++)
		least = g->s[i].frames < least ? g->s[i].frames : least;
	if (rounded_half(least) > 0)
		tt_buf_printf(g->out, ",\n\t\"integrity\": { \"min_frames\": %llu,\n\t\t\"comment\": \"about half of the %llu frames of the shortest "
		    "capture: a run that ends early has fewer, and passes all other rows\" }", (unsigned long long)rounded_half(least),
		    (unsigned long long)least);
}

/* A limit of frames that some captures have, but the first of them not; 0: there is none. */
static int64_t
other_cap(const struct suggest *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->s[i].cap_ns > 0 && (g->s[i].cap_ns > g->cap_ns + g->cap_ns / 10 || g->s[i].cap_ns < g->cap_ns - g->cap_ns / 10))
			return g->s[i].cap_ns;
	return 0;
}

/* The rows left out, in a line each, as one sentence. */
static void
put_left_out(const struct suggest *g, const char *gap, struct tt_buf *b)
{
	tt_buf_printf(b, "%sLeft out: ", gap);
	for (size_t i = 0; i < g->blind.n; i++) {
		if (g->blind.p[i] == '\n')
			tt_buf_text(b, ". ");
		else
			tt_buf_add(b, &g->blind.p[i], 1);
	}
	tt_buf_text(b, ".");
}

/* The comment in the budget: where frames come from, how margins were chosen, what is left out. */
static void
put_advice(struct suggest *g)
{
	const char *gap = "";
	struct tt_buf b = { 0 };
	size_t capped = 0, framed = 0;
	int64_t editor = 0;
	char at[TT_CAP_TEXT];

	for (size_t i = 0; i < g->n; i++) {
		framed += g->s[i].frames > 0;
		capped += g->s[i].cap_ns > 0;
		editor = g->s[i].editor > editor ? g->s[i].editor : editor;
	}
	if (framed == 0)
		tt_buf_printf(&b, "These captures have no whole frames, but rows of frames say the most: name the marker that begins one with %s, "
		    "and suggest again.", tt_setting_name[TT_SETTING_FRAME_MARKER]);
	if (g->cap_ns) {
		const int64_t other = other_cap(g);

		*tt_put_cap(at, g->cap_ns) = '\0';
		tt_buf_printf(&b, "Frames are capped at %s: rows of how long they take use uncapped time, because the limit decides wall time; the row hitches "
		    "counts those that are late.", at);
		*tt_put_cap(at, other) = '\0';
		if (other)
			tt_buf_printf(&b, " Those of some captures are capped at %s: make a budget for each limit.", at);
	}
	if (capped > 0 && capped < framed)
		tt_buf_printf(&b, "%sThese are a mix: frames are capped in %zu of %zu captures, and their wall times differ by the limit: make a budget for "
		    "each kind.", b.n ? " " : "", capped, framed);
	if (editor > 0 && !g->cap_ns)
		tt_buf_printf(&b, "Up to %lld %% of the frame time is the Unity Editor's, and limits of wall time include it: suggest and judge with %s.",
		    (long long)editor, tt_setting_name[TT_SETTING_PLAYER_ONLY]);
	gap = b.n ? " " : "";
	if (g->relative) {
		tt_buf_printf(&b, "%sRows with a change for max are compared with a baseline (%s, %s).", gap,
		    tt_setting_name[TT_SETTING_SAVE], tt_setting_name[TT_SETTING_BASELINE]);
		gap = " ";
	}
	if (g->relative && g->assumed)
		tt_buf_text(&b, " Fewer than three sessions do not show how much sessions differ, so 2.5 % is assumed: for smaller margins suggest again "
		    "with a baseline of five.");
	if (g->blind.n)
		put_left_out(g, gap, &b);
	if (g->single)
		tt_buf_printf(&b, "%sOne capture does not show how much captures differ: with two or more there are rows with a change.", gap);
	if (b.n)
		tt_buf_printf(g->out, ",\n\t\"comment\": \"%.*s\"", (int)b.n, tt_buf_string(&b));
	if (b.failed || g->blind.failed)
		tt_buf_fail(g->out);
	tt_buf_free(&b);
}

/* The frame limit of most captures, or 0. */
static int64_t
cap_of(const struct tt_sample *s, size_t n)
{
	size_t capped = 0;
	int64_t first = 0;

	for (size_t i = 0; i < n; i++) {
		capped += s[i].cap_ns != 0;
		first = first ? first : s[i].cap_ns;
	}
	return 2 * capped > n ? first : 0;
}

/* True if none of the ${n} captures names its session, and they were recorded on several days. */
static bool
is_of_days(const struct tt_sample *s, size_t n)
{
	const char *first = NULL;
	bool several = false;

	for (size_t i = 0; i < n; i++) {
		const char *date = tt_sample_fact(&s[i], "date");

		if (tt_sample_fact(&s[i], "session") || !date)
			return false;
		several |= first && strcmp(first, date) != 0;
		first = date;
	}
	return several;
}

static bool
has_frames(const struct tt_sample *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i].frames > 0)
			return true;
	return false;
}

int
tt_budget_suggest(const struct tt_sample *s, size_t n, size_t own, const struct tt_measure *x, size_t nx, const char *frame_marker,
    struct tt_buf *out, struct tt_buf *left_out, struct tt_err *err)
{
	struct suggest g = { .s = s, .n = n, .x = x, .nx = nx, .out = out, .by_date = is_of_days(s, own), .cap_ns = cap_of(s, own) };

	tt_buf_text(out, "{\n\t\"tracetool_budget\": 1,\n");
	if (frame_marker) {
		tt_buf_text(out, "\t\"frame_marker\": ");
		tt_json_quote(out, frame_marker, strlen(frame_marker));
		tt_buf_text(out, ",\n");
	}
	tt_buf_text(out, "\t\"rows\": [");
	relative_rows(&g);
	tail_row(&g);
	alloc_rows(&g);
	collections_row(&g);
	pause_row(&g);
	heap_row(&g);
	if (!g.some) {
		tt_buf_free(&g.blind);
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no frames, pauses or heap size for a budget: name a frame marker with %s",
		    tt_setting_name[TT_SETTING_FRAME_MARKER]);
	}
	tt_buf_text(out, "\n\t]");
	put_integrity(&g);
	put_advice(&g);
	tt_buf_text(out, "\n}\n");
	if (!has_frames(s, n))
		tt_buf_printf(&g.blind, "%sall rows of frames, which say the most: these captures have no whole frames; name the marker that begins one "
		    "with %s, and suggest again", g.blind.n ? "\n" : "", tt_setting_name[TT_SETTING_FRAME_MARKER]);
	*left_out = g.blind;
	return tt_buf_error(out, err);
}

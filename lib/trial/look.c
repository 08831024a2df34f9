/**
 * Judges a trial after each pair, and reports what is known so far.
 */
#include <string.h>

#include "base/buf.h"
#include "base/setting.h"
#include "gate/measure.h"
#include "out/table.h"
#include "trial/state.h"

#define CRASHES 3                     /* this many crashes more than allowed settle the verdict */

/* True if the capture of this sample breaks off. */
static bool
breaks_off(const struct tt_trial *x, const struct tt_sample *s)
{
	for (size_t i = 0; i < x->budget.nmeasure; i++)
		if (x->budget.measure[i].metric->traits & TT_METRIC_UNENDED && s->value[i].known && s->value[i].v > 0)
			return true;
	return false;
}

/* Fill x->judged with the input of the verdict. ${tells}: rows also report what they can detect. */
static void
gather(struct tt_trial *x, bool last, bool tells)
{
	struct tt_trial_judged *j = &x->judged;

	*j = (struct tt_trial_judged){ .ab = { .seed = x->seed, .planned = x->npairs, .looks = x->o->until != TT_TRIAL_ALL, .last = last, .tells = tells,
		.more_crashes = x->o->more_crashes } };
	for (enum tt_side s = TT_OLD; s < TT_SIDES; s++) {
		j->ab.build[s] = x->command[s];
		j->ab.pair[s] = j->pair[s];
		for (size_t i = 0; i < x->npairs; i++) {
			const struct tt_trial_run *run = &x->run[s][i];

			j->ab.runs[s] += run->end != TT_RUN_NONE;
			j->ab.crashes[s] += run->end == TT_RUN_CRASHED;
			if (run->end == TT_RUN_CRASHED && !j->ab.crash[s])
				j->ab.crash[s] = run->crash_text;
			if (!run->is_read)
				continue;
			j->ab.unended[s] += breaks_off(x, &run->sample);
			j->pair[s][j->n[s]] = i;
			j->s[s][j->n[s]++] = run->sample;
		}
	}
	for (size_t i = 0; i < x->npairs; i++)
		j->ab.done += x->run[TT_OLD][i].end != TT_RUN_NONE && x->run[TT_NEW][i].end != TT_RUN_NONE;
	j->base = (struct tt_baseline){ .path = "old", .sample = j->s[TT_OLD], .nsample = j->n[TT_OLD], .settings = "" };
}

/* Judge the present samples. */
static int
judge(struct tt_trial *x, bool last, bool tells, struct tt_verdict *v, struct tt_err *err)
{
	struct tt_trial_judged *j = &x->judged;
	const struct tt_judge_opts o = { .today = x->o->today, .ab = &j->ab,
		.inconclusive = x->o->inconclusive };

	gather(x, last, tells);
	return tt_judge(&x->budget, &j->base, j->s[TT_NEW], j->n[TT_NEW], &o, v, &x->env->mem, err);
}

/* True if the row can fail and more pairs may decide it. */
static bool
is_open(const struct tt_verdict_row *r)
{
	return r->tested && r->row->level == TT_LEVEL_ERROR && (r->outcome == TT_UNDECIDED || r->outcome == TT_CANNOT_JUDGE);
}

/* Print "pair 3 of 10: frame-trimmed +4.8 %, frame-p95 +5.1 %, ...; undecided". */
static void
say_progress(struct tt_trial *x, const struct tt_verdict *v, size_t pair, bool clear)
{
	struct tt_buf text = { 0 };
	size_t open = 0, shown = 0;
	const char *sep;

	tt_buf_printf(&text, "pair %zu of %zu", pair + 1, x->npairs);
	for (size_t i = 0; i < v->nrow; i++) {
		const struct tt_verdict_row *r = &v->row[i];
		char change[64];

		open += is_open(r);
		if (!r->tested || !r->pairs || shown == 4)
			continue;
		if (r->has_ratio)
			*tt_put_ppm(change, r->shift_ppm) = '\0';
		else
			*tt_put_change(change, r->shift, r->dim) = '\0';
		tt_buf_printf(&text, "%s %s %s%s", shown ? "," : ":", r->name, change,
		    r->outcome == TT_WORSE ? " (worse)" : r->outcome == TT_NOT_WORSE ? " (not worse)" : "");
		shown++;
	}
	sep = shown ? ";" : ":";
	for (enum tt_side s = TT_OLD; s < TT_SIDES; s++) {
		if (x->run[s][pair].end != TT_RUN_CRASHED)
			continue;
		tt_buf_printf(&text, "%s %s crashed", sep, tt_trial_side[s]);
		sep = ";";
	}
	if (open) {
		tt_buf_printf(&text, "%s %zu row%s undecided", sep, open, open == 1 ? "" : "s");
		sep = ";";
	}
	if (clear && pair + 1 < x->npairs)
		tt_buf_printf(&text, "%s the answer is clear", sep);
	tt_log(x->env, TT_LOG_NORMAL, "%s", text.failed ? "" : tt_buf_string(&text));
	tt_buf_free(&text);
}

/* The compared rows: their number, the sum of their weights, and the least weight. */
struct compared {
	size_t rows, weights;
	unsigned least;
};

static void
add_compared(struct compared *c, const struct tt_budget_row *row)
{
	unsigned weight = tt_row_weight(row);

	c->least = c->rows++ == 0 || weight < c->least ? weight : c->least;
	c->weights += weight;
}

/* Warn if there are too few pairs for the compared rows; call it once the rows are known. */
static void
say_few(struct tt_trial *x, const struct tt_verdict *v)
{
	struct compared c = { 0 };
	size_t need;

	for (size_t i = 0; i < v->nrow; i++)
		if (v->row[i].tested && v->row[i].row->level == TT_LEVEL_ERROR)
			add_compared(&c, v->row[i].row);
	need = c.rows ? tt_pairs_needed(c.weights, c.least) : 0;
	if (x->npairs < need)
		tt_log(x->env, TT_LOG_QUIET, "%zu pair%s may be too few to show that one of %zu row%s is worse: run at least %zu (%s %zu)", x->npairs,
		    x->npairs == 1 ? "" : "s", c.rows, c.rows == 1 ? "" : "s", need, tt_setting_name[TT_SETTING_PAIR_COUNT], need);
}

/* Print what all pairs will be able to detect, and which rows may stay undecided, judging by the first pairs. */
static void
say_seen(struct tt_trial *x, const struct tt_verdict *v)
{
	struct tt_buf seen = { 0 }, few = { 0 };
	size_t most = 0;

	for (size_t i = 0; i < v->nrow; i++) {
		const struct tt_verdict_row *r = &v->row[i];
		char change[64];

		if (!r->seen || r->row->level != TT_LEVEL_ERROR)
			continue;
		if (r->has_ratio)
			*tt_put_ppm(change, r->seen_ppm) = '\0';
		else
			*tt_put_change(change, r->seen, r->dim) = '\0';
		tt_buf_printf(&seen, "%s %s %s", seen.n ? "," : ":", r->name, change);
		/* Further pairs will sooner show a change above the limit than one below it. */
		if (r->outcome != TT_UNDECIDED || (r->need_here && r->need_here <= x->npairs) || (r->limit_is_min ? -r->shift : r->shift) > r->limit)
			continue;
		tt_buf_printf(&few, "%s%s", few.n ? ", " : "", r->name);
		most = most > r->need_here ? most : r->need_here;
	}
	if (seen.n)
		tt_log(x->env, TT_LOG_NORMAL, "going by these, changes that %zu pairs find in 95 of 100 cases%s", x->npairs,
		    seen.failed ? "" : tt_buf_string(&seen));
	if (few.n && most)
		tt_log(x->env, TT_LOG_NORMAL, "pairs differ so much that %zu may be too few for %s: about %zu would do (%s %zu)", x->npairs,
		    few.failed ? "some rows" : tt_buf_string(&few), most, tt_setting_name[TT_SETTING_PAIR_COUNT], most);
	else if (few.n)
		tt_log(x->env, TT_LOG_NORMAL, "pairs differ so much that even %u may be too few for %s", TT_PAIRS_MAX,
		    few.failed ? "some rows" : tt_buf_string(&few));
	tt_buf_free(&seen);
	tt_buf_free(&few);
}

/* True if the verdict is settled, so that no more pairs are run. */
static bool
is_clear(const struct tt_verdict *v)
{
	size_t tested = 0, open = 0;

	for (size_t i = 0; i < v->nrow; i++) {
		const struct tt_verdict_row *r = &v->row[i];

		if (!r->tested || r->row->level != TT_LEVEL_ERROR)
			continue;
		if (r->outcome == TT_WORSE)
			return true;
		tested++;
		open += is_open(r);
	}
	return tested && !open;
}

/* True if a build has crashed so often that more runs change nothing. */
static bool
crashes_clear(const struct tt_trial *x)
{
	const size_t *n = x->judged.ab.crashes;

	for (enum tt_side s = TT_OLD; s < TT_SIDES; s++)
		if (n[s] >= CRASHES && n[s] == x->judged.ab.runs[s])
			return true;
	return n[TT_NEW] >= n[TT_OLD] + x->o->more_crashes + CRASHES;
}

int
tt_trial_look(struct tt_trial *x, size_t pair, bool *clear, struct tt_err *err)
{
	struct tt_verdict v = { 0 };
	int rc;

	if (!x->has_rows) {
		gather(x, false, false);
		*clear = crashes_clear(x);
		return TT_OK;
	}
	rc = judge(x, pair + 1 == x->npairs, pair + 1 == TT_TRIAL_TELLING, &v, err);
	*clear = rc == TT_OK && x->o->until != TT_TRIAL_ALL && (is_clear(&v) || crashes_clear(x));
	if (rc == TT_OK && pair == 0)
		say_few(x, &v);
	if (rc == TT_OK)
		say_progress(x, &v, pair, *clear);
	if (rc == TT_OK && pair + 1 == TT_TRIAL_TELLING && pair + 1 < x->npairs)
		say_seen(x, &v);
	tt_verdict_free(&v);
	return rc;
}

size_t
tt_trial_needed_pairs(const struct tt_trial *x, size_t *rows)
{
	bool other = false;
	/* Without a budget, assume the maximum number of rows; for a budget without compared rows, one row. */
	struct compared c = { .rows = 1, .weights = 1, .least = 1 }, of = { 0 };

	if (!x->o->budget)
		c = (struct compared){ .rows = TT_TRIAL_ROWS, .weights = TT_TRIAL_ROWS + TT_TRIAL_FRAME_ROWS, .least = 1 };
	for (size_t i = 0; i < x->budget.nrow; i++) {
		other |= x->budget.row[i].line && !x->budget.row[i].relative;
		if (x->budget.row[i].relative)
			add_compared(&of, &x->budget.row[i]);
	}
	if (x->o->budget && of.rows)
		c = of;
	*rows = c.rows;
	return other || x->npairs >= tt_pairs_needed(1, 1) ? 0 : tt_pairs_needed(c.weights, c.least);
}

int
tt_trial_judge(struct tt_trial *x, struct tt_verdict *v, struct tt_err *err)
{
	static const char none[] =
	    "{ \"tracetool_budget\": 1, \"rows\": [ { \"id\": \"frame-trimmed\", \"metric\": \"frame.time\", \"stat\": \"trimmed\", \"max\": \"+1.5%\" } ] }";
	int rc = TT_OK;

	/* If a build has no capture, crashes are the only row. */
	if (!x->has_rows)
		rc = tt_budget_parse(none, strlen(none), "rows of its own", &x->budget, &x->a, err);
	return rc == TT_OK ? judge(x, x->is_complete, true, v, err) : rc;
}

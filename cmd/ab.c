/**
 * tracetool ab: runs two builds in turn, records each run, and says whether the new build is worse.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ab.h"
#include "base/arena_text.h"
#include "base/shell.h"
#include "cmd.h"
#include "gate.h"
#include "gate_read.h"
#include "io/outputs.h"
#include "io/sink.h"
#include "run/run.h"
#include "verdict/verdict_as.h"

#define PAIRS 10
#define DECIDED_RUNS 40               /* --max-runs of --until decided */
#define CRASHES 3                     /* more crashes than allowed by this number settle the verdict */
#define TELLING 5                     /* after this number of pairs, a line says what all planned pairs will be able to show */

const char *const ab_side[TT_SIDES] = { "old", "new" };

static const char *
until_value(size_t i)
{
	static const char *const v[] = { [AB_CLEAR] = "clear", [AB_DECIDED] = "decided", [AB_ALL] = "all", NULL };

	return v[i];
}

#define AT(f) offsetof(struct ab_opts, f)

static const struct opt run_opt[] = {
	{ .letter = 'n', .name = "pairs", .arg = "N", .set = opt_count, .at = AT(pairs), .lo = 1, .hi = TT_PAIRS_MAX,
	    .help = "run each build at most N times; default 10" },
	{ .name = "until", .arg = "WHEN", .set = opt_choice, .at = AT(until), .value = until_value,
	    .help = "stop as soon as the answer is clear; decided: the same, but with up to --max-runs runs; all: run and judge all pairs" },
	{ .name = "max-runs", .arg = "N", .set = opt_count, .at = AT(max_runs), .lo = 2, .hi = 2 * TT_PAIRS_MAX,
	    .help = "run at most N times, both builds together; default with --until decided: 40" },
	{ .name = "warmup", .arg = "N", .set = opt_count, .at = AT(warmup), .hi = 100,
	    .help = "before the pairs run each build N times, which is not judged; default 1" },
	{ .name = "seed", .arg = "N", .set = opt_count, .at = AT(seed), .hi = UINT64_MAX - 1,
	    .help = "choose the order within pairs by N; default: a random number, which is printed" },
	{ .name = "timeout", .arg = "DUR", .set = opt_duration, .at = AT(timeout),
	    .help = "end a run that takes longer, and count it as a crash" },
	{ .name = "max-crashes", .arg = "N", .set = opt_count, .at = AT(more_crashes), .hi = 1000000,
	    .help = "let the new build crash in N more runs than the old one; default 0" },
	{ .name = "keep", .arg = "DIR", .set = opt_text, .at = AT(keep), .help = "keep the captures in this folder" },
	{ .name = "resume", .set = opt_flag, .at = AT(resume), .help = "with --keep: take the runs that are there already" },
	{ .name = NULL },
};

static const struct opt record_opt[] = {
	{ .name = "mono", .set = opt_flag, .at = AT(mono),
	    .help = "record the builds as \"tracetool record\" does; without it, a build whose first word is mono" },
	{ .letter = 'p', .name = "profile", .arg = "OPTIONS", .set = opt_add, .at = AT(profile),
	    .help = "the same, and set what to record; repeatable; see tracetool-mono(7)" },
	{ .name = NULL },
};

static const struct opt judge_opt[] = {
	{ .name = "gate", .arg = "BUDGET", .set = opt_text, .at = AT(budget),
	    .help = "judge the rows of this budget (tracetool-budget(5)); default: frame times, long frames, allocations, the largest markers" },
	{ .name = "inconclusive", .arg = "HOW", .set = opt_choice, .at = AT(inconclusive), .value = gate_inconclusive,
	    .help = "pass: rows that are undecided or cannot be judged pass; auto, fail: they give exit status 5" },
	{ .name = "today", .arg = "DATE", .set = opt_text, .at = AT(today),
	    .help = "check waivers against this day, YYYY-MM-DD; default: SOURCE_DATE_EPOCH, otherwise the clock" },
	{ .name = NULL },
};

static const struct opt_group groups[] = {
	{ "Runs", run_opt, 0 },
	{ "Recording", record_opt, 0 },
	{ "Judging", judge_opt, 0 },
	VERDICT_GROUP(struct ab_opts, to),
	INPUT_GROUPS(struct ab_opts, in),
	{ NULL, NULL, 0 },
};

const struct verb verb_ab = {
	.name = "ab",
	.summary = "run two builds in turn and compare their captures",
	.operands = "-- OLD [ARG...] -- NEW [ARG...]",
	.about = "Run the builds OLD and NEW in turn, record each run, and say whether NEW is worse. Both runs of a pair share whatever the machine is like "
	    "at the time, so differences within pairs are judged. A run is recorded by a Unity player's "
		 "recorder, by tracetool's Mono module, or by any command that writes a capture to $TRACETOOL_CAPTURE.\n"
		 "The exit status is 0: not worse, 1: worse, 5: undecided.",
	.examples = "  tracetool ab -n 8 -- ./old/Game -batchmode -- ./new/Game -batchmode\n"
		    "  tracetool ab --frame-marker Game:Tick -- mono old.exe -- mono new.exe\n"
		    "  tracetool ab --until decided --gate budget.json --keep runs --junit ab.xml -- ./play old -- ./play new\n",
	.group = groups,
	.operand_at = AT(words),
};

/* --- what to run ------------------------------------------------------------------------------- */

static int
find_builds(struct ab *x, struct tt_err *err)
{
	const struct opt_list *w = &x->o->words;
	size_t cut = 0;

	while (cut < w->n && strcmp(w->v[cut], "--") != 0)
		cut++;
	if (!w->parted || cut == 0 || cut + 1 >= w->n)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "name both builds, with \"--\" in front of each: -- OLD [ARG...] -- NEW [ARG...]");
	x->nbuild[TT_OLD] = cut;
	x->nbuild[TT_NEW] = w->n - cut - 1;
	for (enum tt_side s = TT_OLD; s < TT_SIDES; s++) {
		const char **v = tt_arena_alloc(&x->a, (x->nbuild[s] + 1) * sizeof *v, err);
		struct tt_buf text = { 0 };

		for (size_t i = 0; v && i < x->nbuild[s]; i++) {
			v[i] = w->v[i + (s == TT_NEW ? cut + 1 : 0)];
			tt_buf_text(&text, i ? " " : "");
			tt_shell_quote(&text, v[i]);
		}
		x->build[s] = v;
		x->command[s] = v ? tt_buf_keep(&text, &x->a, err) : NULL;
		if (!x->command[s])
			return err->code;
		if (v[0][0] == '\0')
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "the %s build has an empty name", ab_side[s]);
		if (strchr(v[0], '/') && access(v[0], X_OK) != 0)
			return tt_fail_sys(err, errno, "the %s build: %s", ab_side[s], v[0]);
	}
	return TT_OK;
}

/* Check for the recorder before the runs, which may take an hour. */
static int
check_recorder(struct ab *x, struct tt_err *err)
{
	return ab_records(x, TT_OLD) || ab_records(x, TT_NEW) ? record_check(x->app, &x->o->profile, err) : TT_OK;
}

static int
make_plan(struct ab *x, struct tt_err *err)
{
	const struct ab_opts *o = x->o;
	uint64_t runs = o->max_runs == UINT64_MAX ? DECIDED_RUNS : o->max_runs;

	x->planned = o->pairs == UINT64_MAX ? o->until == AB_DECIDED ? runs / 2 : PAIRS : o->pairs;
	if (o->max_runs != UINT64_MAX && x->planned > runs / 2)
		x->planned = runs / 2;
	if (o->resume && !o->keep)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --resume: --keep names the folder whose runs are taken");
	x->seed = o->seed;
	if (o->seed == UINT64_MAX && getrandom(&x->seed, sizeof x->seed, 0) != sizeof x->seed)
		return tt_fail_sys(err, errno, "cannot get a random number");
	if (o->seed == UINT64_MAX)
		x->seed %= 1000000;           /* short enough to type again */
	return TT_OK;
}

/* The build that runs first in a pair. In two consecutive pairs each build is first once; a hash of the seed decides in which one. */
static enum tt_side
first_of(const struct ab *x, size_t pair)
{
	uint64_t v = x->seed + (pair / 2 + 1) * UINT64_C(0x9e3779b97f4a7c15);

	v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
	return ((v ^ v >> 31) + pair) & 1 ? TT_NEW : TT_OLD;
}

/* --- rows ---------------------------------------------------------------------------------------- */

static int
parse_budget(struct ab *x, const struct tt_buf *text, const char *path, struct tt_err *err)
{
	int rc = tt_budget_parse(text->p, text->n, path, &x->budget, &x->a, err);

	x->has_rows = rc == TT_OK;
	x->budget.made = !x->o->budget;
	if (rc == TT_E_USAGE && x->o->budget)
		x->app->page = "tracetool-budget(5)";
	return rc;
}

static int
read_budget(struct ab *x, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	int rc = tt_document_read(&x->app->env, x->o->budget, &text, err);

	if (rc == TT_OK)
		rc = parse_budget(x, &text, x->o->budget, err);
	tt_buf_free(&text);
	return rc;
}

#define MADE "rows of its own"

/* Read one capture of each build by the measures of ${b}. */
static int
read_both(struct ab *x, const struct tt_budget *b, const struct ab_run *const run[TT_SIDES], struct tt_sample s[TT_SIDES], struct tt_err *err)
{
	int rc = ab_read(x, b, run[TT_OLD], &s[TT_OLD], err);

	return rc == TT_OK ? ab_read(x, b, run[TT_NEW], &s[TT_NEW], err) : rc;
}

/* Make the rows from a capture of each build: read them once to find a limit for long frames, and again to count these. */
static int
make_rows(struct ab *x, const struct ab_run *const run[TT_SIDES], struct tt_err *err)
{
	struct tt_sample s[TT_SIDES];
	const struct tt_sample *both[TT_SIDES] = { &s[TT_OLD], &s[TT_NEW] };
	struct tt_budget first;
	struct tt_buf text = { 0 };
	int rc = tt_budget_none(&first, &x->a, err);

	if (rc == TT_OK)
		rc = read_both(x, &first, run, s, err);
	if (rc == TT_OK)
		rc = ab_rows(both, &first, x->planned, false, &text, err);
	if (rc == TT_OK)
		rc = parse_budget(x, &text, MADE, err);
	if (rc == TT_OK)
		rc = read_both(x, &x->budget, run, s, err);
	if (rc == TT_OK && s[TT_OLD].frames == 0 && s[TT_NEW].frames == 0)
		ui_say(&x->app->ui, "no frames, so whole runs are compared; to compare frames, name a marker with --frame-marker");
	text.n = 0;
	if (rc == TT_OK)
		rc = ab_rows(both, &x->budget, x->planned, true, &text, err);
	if (rc == TT_OK)
		rc = parse_budget(x, &text, MADE, err);
	if (rc == TT_OK)
		rc = ab_folder_rows(x, &text, err);
	tt_buf_free(&text);
	return rc;
}

/* A good run of the build: the one of the warm-up, else the first. */
static const struct ab_run *
any_good(const struct ab *x, enum tt_side side)
{
	if (x->warm[side].end == AB_GOOD)
		return &x->warm[side];
	for (size_t i = 0; i < x->planned; i++)
		if (x->run[side][i].end == AB_GOOD)
			return &x->run[side][i];
	return NULL;
}

/* Fail if the capture is the same recording as an earlier one: the build does not record anew. */
static int
check_new(struct ab *x, const struct ab_run *run, struct tt_err *err)
{
	for (enum tt_side s = TT_OLD; s < TT_SIDES; s++)
		for (size_t i = 0; i < x->planned; i++)
			if (&x->run[s][i] != run && x->run[s][i].read && tt_sample_same(&x->run[s][i].sample, &run->sample))
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s and %s left the same recording: a build must record itself anew in each run",
				    x->run[s][i].name, run->name);
	return TT_OK;
}

/* True if a capture of the build has been read. */
static bool
has_read(const struct ab *x, enum tt_side side)
{
	for (size_t i = 0; i < x->planned; i++)
		if (x->run[side][i].read)
			return true;
	return false;
}

/* Read the capture of a run. If it cannot be read, or lacks what others have, it counts as no capture, provided earlier runs of the build left good ones. */
static int
read_one(struct ab *x, enum tt_side side, struct ab_run *run, struct tt_err *err)
{
	int rc = ab_read(x, &x->budget, run, &run->sample, err);

	run->read = rc == TT_OK;
	if ((rc != TT_E_DAMAGED && rc != TT_E_UNKNOWN && rc != TT_E_USAGE) || !has_read(x, side))
		return rc == TT_OK ? check_new(x, run, err) : rc;
	run->end = AB_CRASHED;
	snprintf(run->how, sizeof run->how, "exit status 0, but a capture that cannot be used");
	ui_say(&x->app->ui, "%s, which counts as a crash", err->msg);
	return x->own_dir ? TT_OK : ab_folder_note(x, err);
}

/* Make samples of the captures that have none yet. The rows must be known. */
static int
read_new(struct ab *x, struct tt_err *err)
{
	const struct ab_run *good[TT_SIDES] = { any_good(x, TT_OLD), any_good(x, TT_NEW) };
	int rc = TT_OK;

	if (!x->has_rows && good[TT_OLD] && good[TT_NEW])
		rc = make_rows(x, good, err);
	for (size_t i = 0; i < x->planned && rc == TT_OK && x->has_rows; i++) {
		for (enum tt_side s = TT_OLD; s < TT_SIDES && rc == TT_OK; s++) {
			struct ab_run *run = &x->run[s][i];

			if (run->end != AB_GOOD || run->read)
				continue;
			rc = read_one(x, s, run, err);
			if (rc == TT_OK && x->own_dir)
				unlink(run->path);
		}
	}
	return rc;
}

/* --- the verdict ----------------------------------------------------------------------------------- */

/* The input of the verdict: samples of both builds, and the counts of runs. */
struct judged {
	struct tt_sample s[TT_SIDES][TT_PAIRS_MAX];
	size_t pair[TT_SIDES][TT_PAIRS_MAX], n[TT_SIDES];
	struct tt_baseline base;
	struct tt_ab ab;
};

/* True if the capture of this sample breaks off. */
static bool
breaks_off(const struct ab *x, const struct tt_sample *s)
{
	for (size_t i = 0; i < x->budget.nmeasure; i++)
		if (x->budget.measure[i].metric->family == TT_FAM_UNENDED && s->value[i].known && s->value[i].v > 0)
			return true;
	return false;
}

static void
gather(const struct ab *x, bool last, bool tells, struct judged *j)
{
	*j = (struct judged){ .ab = { .seed = x->seed, .planned = x->planned, .looks = x->o->until != AB_ALL, .last = last, .tells = tells,
		.more_crashes = x->o->more_crashes } };
	for (enum tt_side s = TT_OLD; s < TT_SIDES; s++) {
		j->ab.build[s] = x->command[s];
		j->ab.pair[s] = j->pair[s];
		for (size_t i = 0; i < x->planned; i++) {
			const struct ab_run *run = &x->run[s][i];

			j->ab.runs[s] += run->end != AB_NOT_RUN;
			j->ab.crashes[s] += run->end == AB_CRASHED;
			if (run->end == AB_CRASHED && !j->ab.crash[s])
				j->ab.crash[s] = run->how;
			if (!run->read)
				continue;
			j->ab.unended[s] += breaks_off(x, &run->sample);
			j->pair[s][j->n[s]] = i;
			j->s[s][j->n[s]++] = run->sample;
		}
	}
	for (size_t i = 0; i < x->planned; i++)
		j->ab.done += x->run[TT_OLD][i].end != AB_NOT_RUN && x->run[TT_NEW][i].end != AB_NOT_RUN;
	j->base = (struct tt_baseline){ .path = "old", .sample = j->s[TT_OLD], .nsample = j->n[TT_OLD], .settings = "" };
}

/* Judge the present samples. ${tells}: rows also say what they can detect. ${j} must live as long as the verdict. */
static int
judge(struct ab *x, bool last, bool tells, struct judged *j, struct tt_verdict *v, struct tt_err *err)
{
	const struct tt_judge_opts o = { .today = x->today, .ab = &j->ab,
		.inconclusive = x->o->inconclusive == TT_INCONCLUSIVE_PASS ? TT_INCONCLUSIVE_PASS : TT_INCONCLUSIVE_FAIL };

	gather(x, last, tells, j);
	return tt_judge(&x->budget, &j->base, j->s[TT_NEW], j->n[TT_NEW], &o, v, &x->app->env.mem, err);
}

/* True if the row can fail and more pairs may decide it. */
static bool
is_open(const struct tt_verdict_row *r)
{
	return r->tested && r->row->level == TT_LEVEL_ERROR && (r->outcome == TT_UNDECIDED || r->outcome == TT_CANNOT_JUDGE);
}

/* Print "pair 3 of 10: frame-trimmed +4.8 %, frame-p95 +5.1 %, ...; undecided". */
static void
say_progress(struct ab *x, const struct tt_verdict *v, size_t pair, bool clear)
{
	struct tt_buf text = { 0 };
	size_t open = 0, shown = 0;
	const char *sep;

	tt_buf_printf(&text, "pair %zu of %zu", pair + 1, x->planned);
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
		if (x->run[s][pair].end != AB_CRASHED)
			continue;
		tt_buf_printf(&text, "%s %s crashed", sep, ab_side[s]);
		sep = ";";
	}
	if (open) {
		tt_buf_printf(&text, "%s %zu row%s undecided", sep, open, open == 1 ? "" : "s");
		sep = ";";
	}
	if (clear && pair + 1 < x->planned)
		tt_buf_printf(&text, "%s the answer is clear", sep);
	tt_log(&x->app->env, TT_LOG_NORMAL, "%s", text.failed ? "" : tt_buf_string(&text));
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

/* Warn if there are too few pairs for the compared rows; call it once these are known. */
static void
say_few(struct ab *x, const struct tt_verdict *v)
{
	struct compared c = { 0 };
	size_t need;

	for (size_t i = 0; i < v->nrow; i++)
		if (v->row[i].tested && v->row[i].row->level == TT_LEVEL_ERROR)
			add_compared(&c, v->row[i].row);
	need = c.rows ? tt_pairs_needed(c.weights, c.least) : 0;
	if (x->planned < need)
		ui_say(&x->app->ui, "%zu pair%s may be too few to show that one of %zu row%s is worse: run at least %zu (-n %zu)", x->planned,
		    x->planned == 1 ? "" : "s", c.rows, c.rows == 1 ? "" : "s", need, need);
}

/* Print what all pairs will be able to detect, and which rows may stay undecided, judging by the first pairs. */
static void
say_seen(struct ab *x, const struct tt_verdict *v)
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
		/* More pairs show a change above the limit sooner than one below it. */
		if (r->outcome != TT_UNDECIDED || (r->need_here && r->need_here <= x->planned) || (r->limit_is_min ? -r->shift : r->shift) > r->limit)
			continue;
		tt_buf_printf(&few, "%s%s", few.n ? ", " : "", r->name);
		most = most > r->need_here ? most : r->need_here;
	}
	if (seen.n)
		tt_log(&x->app->env, TT_LOG_NORMAL, "going by these, changes that %zu pairs find in 95 of 100 cases%s", x->planned,
		    seen.failed ? "" : tt_buf_string(&seen));
	if (few.n && most)
		tt_log(&x->app->env, TT_LOG_NORMAL, "pairs differ so much that %zu may be too few for %s: about %zu would do (-n %zu)", x->planned,
		    few.failed ? "some rows" : tt_buf_string(&few), most, most);
	else if (few.n)
		tt_log(&x->app->env, TT_LOG_NORMAL, "pairs differ so much that even %u may be too few for %s", TT_PAIRS_MAX,
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
crashes_clear(const struct ab *x, const struct judged *j)
{
	const size_t *n = j->ab.crashes;

	for (enum tt_side s = TT_OLD; s < TT_SIDES; s++)
		if (n[s] >= CRASHES && n[s] == j->ab.runs[s])
			return true;
	return n[TT_NEW] >= n[TT_OLD] + x->o->more_crashes + CRASHES;
}

/* Judge after a pair; *${clear}: the verdict is settled. */
static int
look(struct ab *x, size_t pair, bool *clear, struct tt_err *err)
{
	struct judged *j = tt_mem_alloc(&x->app->env.mem, sizeof *j, err);
	struct tt_verdict v = { 0 };
	int rc = j ? TT_OK : err->code;

	*clear = false;
	if (rc == TT_OK && x->has_rows) {
		rc = judge(x, pair + 1 == x->planned, pair + 1 == TELLING, j, &v, err);
		*clear = rc == TT_OK && x->o->until != AB_ALL && (is_clear(&v) || crashes_clear(x, j));
		if (rc == TT_OK && pair == 0)
			say_few(x, &v);
		if (rc == TT_OK)
			say_progress(x, &v, pair, *clear);
		if (rc == TT_OK && pair + 1 == TELLING && pair + 1 < x->planned)
			say_seen(x, &v);
		tt_verdict_free(&v);
	} else if (rc == TT_OK) {
		gather(x, false, false, j);
		*clear = crashes_clear(x, j);
	}
	tt_mem_free(&x->app->env.mem, j, sizeof *j);
	return rc;
}

static int
write_verdict(struct ab *x, bool last, struct verdict_out *to, struct tt_err *err)
{
	static const char none[] =
	    "{ \"tracetool_budget\": 1, \"rows\": [ { \"id\": \"frame-trimmed\", \"metric\": \"frame.time\", \"stat\": \"trimmed\", \"max\": \"+1.5%\" } ] }";
	struct judged *j = tt_mem_alloc(&x->app->env.mem, sizeof *j, err);
	struct tt_output out = { .path = "-" };
	bool color = ui_color(&x->app->ui, STDOUT_FILENO);
	struct tt_verdict v = { 0 };
	int rc = j ? TT_OK : err->code;

	/* Without a capture of one of the builds, the only row is that of crashes. */
	if (rc == TT_OK && !x->has_rows)
		rc = tt_budget_parse(none, strlen(none), MADE, &x->budget, &x->a, err);
	if (rc == TT_OK)
		rc = judge(x, last, true, j, &v, err);
	if (rc == TT_OK)
		rc = tt_verdict_as_text(&v, color, &out.text, err);
	if (rc == TT_OK)
		rc = tt_verdict_wrap(ui_width(STDOUT_FILENO), &out.text, err);
	if (rc == TT_OK)
		rc = tt_verdict_defuse(verdict_messages(&x->o->to), color, &out.text, err);
	/* Print the verdict before files are written: it took an hour of runs, and must be shown even if a file cannot be written. */
	if (rc == TT_OK)
		rc = app_write(x->app, "-", &out.text, err);
	if (rc == TT_OK && to)
		rc = verdict_write(x->app, to, &v, NULL, 0, err);
	if (rc == TT_OK)
		x->app->verdict = v.status;
	tt_buf_free(&out.text);
	tt_verdict_free(&v);
	tt_mem_free(&x->app->env.mem, j, sizeof *j);
	return rc;
}

/* --- runs ------------------------------------------------------------------------------------------ */

static int
run_one(struct ab *x, enum tt_side side, const char *name, struct ab_run *run, struct tt_err *err)
{
	char line[100];
	int rc;

	snprintf(line, sizeof line, "running %s of %zu", name, x->planned);
	ui_line(&x->app->ui, line);
	rc = ab_run(x, side, name, run, err);
	ui_erase(&x->app->ui);
	if (rc == TT_OK && run->end != AB_GOOD)
		ab_mend(x, run->path);
	return rc;
}

/* Run the warm-up; *${longest}: the longest that one warm-up of both builds took. */
static int
warm_up(struct ab *x, int64_t *longest, struct tt_err *err)
{
	int rc = TT_OK;

	for (uint64_t i = 0; i < x->o->warmup && rc == TT_OK && !x->stopped; i++) {
		int64_t begun = ui_clock();

		for (enum tt_side s = TT_OLD; s < TT_SIDES && rc == TT_OK && !x->stopped; s++) {
			struct ab_run run;
			char name[24];

			snprintf(name, sizeof name, "%s warm-up", ab_side[s]);
			rc = run_one(x, s, name, &run, err);
			if (rc == TT_OK && run.end != AB_NOT_RUN)
				x->warm[s] = run;
		}
		*longest = ui_clock() - begun > *longest ? ui_clock() - begun : *longest;
	}
	return rc;
}

static int
run_pair(struct ab *x, size_t pair, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < TT_SIDES && rc == TT_OK && !x->stopped; i++) {
		enum tt_side s = i == 0 ? first_of(x, pair) : 1 - first_of(x, pair);
		char name[24];

		if (x->run[s][pair].end != AB_NOT_RUN)
			continue;
		snprintf(name, sizeof name, "%s %zu", ab_side[s], pair + 1);
		rc = run_one(x, s, name, &x->run[s][pair], err);
		if (rc == TT_OK && !x->own_dir && x->run[s][pair].end != AB_NOT_RUN)
			rc = ab_folder_note(x, err);
	}
	return rc == TT_OK && !x->stopped ? read_new(x, err) : rc;
}

static bool
is_run(const struct ab *x, size_t pair)
{
	return x->run[TT_OLD][pair].end != AB_NOT_RUN && x->run[TT_NEW][pair].end != AB_NOT_RUN;
}

static int
run_all(struct ab *x, bool *last, struct tt_err *err)
{
	int64_t begun = ui_clock(), longest = 0;
	bool clear = false, all = true;
	int rc = TT_OK;

	*last = false;
	for (size_t i = 0; i < x->planned; i++)
		all = all && is_run(x, i);
	if (!all)
		rc = warm_up(x, &longest, err);
	if (rc == TT_OK && !x->stopped)
		rc = read_new(x, err);
	for (size_t i = 0; i < x->planned && rc == TT_OK && !clear && !x->stopped; i++) {
		int64_t now = ui_clock();
		bool there = is_run(x, i);

		if (!there && x->app->max_time && now - begun + longest > x->app->max_time) {
			ui_say(&x->app->ui, "no time for another pair after %zu of %zu (--max-time)", i, x->planned);
			*last = true;
			break;
		}
		rc = run_pair(x, i, err);
		/* Among pairs that were there before, only the last is looked at: all of them are judged then. */
		if (rc == TT_OK && !x->stopped && !(there && i + 1 < x->planned && is_run(x, i + 1)))
			rc = look(x, i, &clear, err);
		longest = !there && ui_clock() - now > longest ? ui_clock() - now : longest;
		*last = i + 1 == x->planned;
	}
	return rc;
}

/* --- the command --------------------------------------------------------------------------------------- */

static void
say_kept(const struct ab *x)
{
	if (!x->own_dir)
		ui_say(&x->app->ui, "interrupted; the runs so far are in %s: the same command with --resume continues", x->dir);
	else
		ui_say(&x->app->ui, "interrupted; with --keep DIR runs are kept, and --resume continues them");
}

/* Warn if no row of the budget compares the builds. */
static void
say_rows(struct ab *x)
{
	bool compares = !x->o->budget;

	for (size_t i = 0; i < x->budget.nrow; i++)
		compares |= x->budget.row[i].relative;
	if (!compares)
		ui_say(&x->app->ui, "%s: no row compares the builds: give one a change as its limit, like \"max\": \"+2%%\"", x->o->budget);
}

/* Fail if there are too few pairs to show anything, unless other rows are judged or --inconclusive allows it. The advised number suffices for all rows. */
static int
check_pairs(const struct ab *x, struct tt_err *err)
{
	bool other = false;
	/* Without a budget, assume the most rows; for a budget without such rows, one. */
	struct compared c = { .rows = 1, .weights = 1, .least = 1 }, of = { 0 };
	char option[32];
	size_t need;

	if (!x->o->budget)
		c = (struct compared){ .rows = AB_ROWS, .weights = AB_ROWS + AB_FRAME_ROWS, .least = 1 };
	for (size_t i = 0; i < x->budget.nrow; i++) {
		other |= x->budget.row[i].line && !x->budget.row[i].relative;
		if (x->budget.row[i].relative)
			add_compared(&of, &x->budget.row[i]);
	}
	if (x->o->budget && of.rows)
		c = of;
	if (other || x->planned >= tt_pairs_needed(1, 1) || x->o->inconclusive == TT_INCONCLUSIVE_PASS)
		return TT_OK;
	need = tt_pairs_needed(c.weights, c.least);
	if (x->o->max_runs != UINT64_MAX && (x->o->pairs == UINT64_MAX || x->o->pairs > x->planned))
		snprintf(option, sizeof option, "--max-runs %zu", TT_SIDES * need);
	else
		snprintf(option, sizeof option, "-n %zu", need);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%zu pair%s cannot show a change in any row: run at least %zu (%s), which do for %zu row%s, or give "
	    "--inconclusive pass", x->planned, x->planned == 1 ? "" : "s", need, option, c.rows, c.rows == 1 ? "" : "s");
}

static int
compare(struct ab *x, struct verdict_out *to, struct tt_err *err)
{
	bool last;
	int rc;

	tt_log(&x->app->env, TT_LOG_NORMAL, "at most %zu pair%s, in an order by --seed %" PRIu64, x->planned, x->planned == 1 ? "" : "s", x->seed);
	say_rows(x);
	rc = run_all(x, &last, err);
	if (rc == TT_OK && x->stopped)
		say_kept(x);
	/* A stopped run prints what is known; files are only written for a complete one. */
	if (rc == TT_OK && (!x->stopped || (x->has_rows && any_good(x, TT_NEW))))
		rc = write_verdict(x, last, x->stopped ? NULL : to, err);
	return rc == TT_OK && x->stopped ? tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped") : rc;
}

/* Fail if one of these files cannot be created. Devices such as /dev/null are left alone. */
static int
try_outputs(struct ab *x, const struct opt_list *writes, struct tt_err *err)
{
	struct tt_sink *sink;
	struct stat st;

	for (size_t i = 0; i < writes->n; i++) {
		if (stat(writes->v[i], &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			continue;
		if (tt_sink_open(&x->app->env, writes->v[i], &sink, err) != TT_OK)
			return err->code;
		tt_sink_abort(sink);
	}
	return TT_OK;
}

/* Fail if a build or the budget is among the files that are written. */
static int
check_outputs(struct ab *x, const struct opt_list *writes, struct tt_err *err)
{
	const struct ab_opts *o = x->o;
	struct opt_list reads = { 0 };
	int rc = o->budget ? opt_list_add(&reads, o->budget, &x->app->arena, err) : TT_OK;

	for (size_t i = 0; i < o->words.n && rc == TT_OK; i++)
		if (strcmp(o->words.v[i], "-") != 0)
			rc = opt_list_add(&reads, o->words.v[i], &x->app->arena, err);
	return rc == TT_OK ? tt_outputs_check(writes->v, reads.v, err) : rc;
}

/* Open the outputs. Verdicts of an earlier run are removed, because they could be taken for this run's. */
static int
open_outputs(struct ab *x, struct verdict_out *to, struct tt_err *err)
{
	struct opt_list writes = { 0 };
	int rc = verdict_open(x->app, &x->o->to, "name a file", &writes, to, err);

	if (rc == TT_OK)
		rc = check_outputs(x, &writes, err);
	if (rc == TT_OK)
		rc = try_outputs(x, &writes, err);
	return rc == TT_OK ? verdict_forget(&x->o->to, NULL, err) : rc;
}

static int
ab(struct ab *x, struct tt_err *err)
{
	static const char *any[] = { "captures to come", NULL };
	const struct ab_opts *o = x->o;
	struct input_opts in = o->in;
	struct verdict_out to = { 0 };
	struct tt_buf rows = { 0 };
	struct tt_run_opts run;
	int rc;

	/* Report wrong options before anything is run. */
	in.path = (struct opt_list){ .v = any, .n = 1 };
	rc = input_setup(x->app, &in, &run, err);
	if (rc == TT_OK)
		rc = open_outputs(x, &to, err);
	if (rc == TT_OK)
		rc = find_builds(x, err);
	if (rc == TT_OK)
		rc = check_recorder(x, err);
	if (rc == TT_OK)
		rc = make_plan(x, err);
	if (rc == TT_OK)
		rc = gate_today(x->app, o->today, &x->today, err);
	if (rc == TT_OK && o->budget)
		rc = read_budget(x, err);
	if (rc == TT_OK)
		rc = check_pairs(x, err);
	ab_signals();
	if (rc == TT_OK)
		rc = ab_folder_open(x, &rows, err);
	if (rc == TT_OK && rows.n)
		rc = parse_budget(x, &rows, MADE, err);
	tt_buf_free(&rows);
	if (rc == TT_OK)
		rc = compare(x, &to, err);
	ab_folder_close(x);
	ab_signals_end(x->stopped);
	verdict_close(&to);
	return rc;
}

int
run_ab(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct ab_opts o = { .pairs = UINT64_MAX, .max_runs = UINT64_MAX, .seed = UINT64_MAX, .warmup = 1 };
	struct ab *x;
	int rc;

	input_defaults(&o.in);
	rc = app_parse(app, &verb_ab, &o, &o.in.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	x = tt_mem_alloc(&app->env.mem, sizeof *x, err);
	if (!x)
		return err->code;
	x->app = app;
	x->o = &o;
	tt_arena_init(&x->a, &app->env.mem);
	rc = ab(x, err);
	tt_arena_free(&x->a);
	tt_mem_free(&app->env.mem, x, sizeof *x);
	return rc;
}

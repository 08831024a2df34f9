/**
 * tracetool ab: runs two builds in turn, records each run, and says whether the new build is worse.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ab_opts.h"
#include "cmd.h"
#include "gate/read.h"
#include "io/outputs.h"
#include "io/sink.h"
#include "ttc/recover.h"
#include "run/run.h"
#include "verdict/verdict_as.h"

#define PAIRS 10
#define DECIDED_RUNS 40               /* --max-runs of --until decided */

struct ab {
	struct app *app;
	const struct ab_opts *o;
	struct tt_arena a;
	struct tt_budget budget;      /* the budget read from o->budget */
	struct tt_trial_opts plan;
};

/* --- the plan ---------------------------------------------------------------------------------- */

static int
find_builds(struct ab *x, struct tt_err *err)
{
	const struct tt_list *w = &x->o->words;
	size_t cut = 0;
	const char **old;

	while (cut < w->n && strcmp(w->v[cut], "--") != 0)
		cut++;
	if (!w->has_sides || cut == 0 || cut + 1 >= w->n)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "name both builds, with \"--\" in front of each: -- OLD [ARG...] -- NEW [ARG...]");
	old = tt_arena_alloc(&x->a, (cut + 1) * sizeof *old, err);
	if (!old)
		return err->code;
	memcpy(old, w->v, cut * sizeof *old);
	x->plan.build[TT_OLD] = old;
	x->plan.build[TT_NEW] = w->v + cut + 1;
	return TT_OK;
}

/* Find the words that record a program as "tracetool record" does. */
static int
find_recorder(struct ab *x, struct tt_err *err)
{
	static const char *const before[] = { "/proc/self/exe", "record", "-q", "--no-summary", "-o", NULL };
	const struct tt_list *profile = &x->o->profile;
	struct tt_list after = { 0 };
	int rc = TT_OK;

	for (size_t i = 0; i < profile->n && rc == TT_OK; i++) {
		rc = tt_list_add(&after, "-p", &x->a, err);
		TT_THEN(rc, tt_list_add(&after, profile->v[i], &x->a, err));
	}
	TT_THEN(rc, tt_list_add(&after, "--", &x->a, err));
	x->plan.recorder[0] = before;
	x->plan.recorder[1] = after.v;
	x->plan.profile = profile->v;
	x->plan.is_recorded = x->o->mono || profile->n > 0;
	return rc;
}

static int
make_plan(struct ab *x, struct tt_err *err)
{
	const struct ab_opts *o = x->o;
	uint64_t runs = o->max_runs == UINT64_MAX ? DECIDED_RUNS : o->max_runs;

	x->plan.max_pairs = o->pairs == UINT64_MAX ? o->until == TT_TRIAL_DECIDED ? runs / 2 : PAIRS : o->pairs;
	if (o->max_runs != UINT64_MAX && x->plan.max_pairs > runs / 2)
		x->plan.max_pairs = runs / 2;
	if (o->resume && !o->keep)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --resume: --keep names the folder whose runs are taken");
	x->plan.until = (enum tt_trial_until)o->until;
	x->plan.seed = o->seed;
	x->plan.nwarmups = o->warmup;
	x->plan.more_crashes = o->more_crashes;
	x->plan.run_timeout_ns = o->timeout;
	x->plan.max_time_ns = x->app->max_time;
	x->plan.keep_folder = o->keep;
	x->plan.resume = o->resume;
	x->plan.inconclusive = (unsigned)o->inconclusive;
	return gate_today(x->app, o->today, &x->plan.today, err);
}

/* Warn if no row of the budget compares the builds. */
static void
say_rows(const struct ab *x)
{
	bool compares = !x->o->budget;

	for (size_t i = 0; i < x->budget.nrow; i++)
		compares |= x->budget.row[i].relative;
	if (!compares)
		ui_say(&x->app->ui, "%s: no row compares the builds: give one a change as its limit, like \"max\": \"+2%%\"", x->o->budget);
}

/*
 * Fail if there are too few pairs to show anything, unless other rows are judged or --inconclusive allows it. The message advises a number that suffices for
 * all rows.
 */
static int
check_pairs(const struct ab *x, const struct tt_trial *trial, struct tt_err *err)
{
	const struct ab_opts *o = x->o;
	const size_t planned = x->plan.max_pairs;
	size_t rows, need = tt_trial_needed_pairs(trial, &rows);
	char option[32];

	if (need == 0 || x->plan.inconclusive == TT_INCONCLUSIVE_PASS)
		return TT_OK;
	if (o->max_runs != UINT64_MAX && (o->pairs == UINT64_MAX || o->pairs > planned))
		snprintf(option, sizeof option, "--max-runs %zu", TT_SIDES * need);
	else
		snprintf(option, sizeof option, "-n %zu", need);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%zu pair%s cannot show a change in any row: run at least %zu (%s), which do for %zu row%s, or give "
	    "--inconclusive pass", planned, planned == 1 ? "" : "s", need, option, rows, rows == 1 ? "" : "s");
}

/* --- for the trial ----------------------------------------------------------------------------- */

/* Read a capture in a sandbox, together with the ring that a killed program may have left. */
static int
read_capture(void *arg, const struct tt_budget *b, const char *path, struct tt_sample *s, struct tt_err *err)
{
	struct ab *x = arg;
	const char *one[] = { path, NULL };
	struct input_opts in = x->o->in;
	struct tt_gate_reader g;
	struct tt_arena a;
	struct ttc_mended what;
	struct tt_run_opts run;
	int rc;

	in.path = (struct tt_list){ .v = one, .n = 1 };
	tt_arena_init(&a, &x->app->env.mem);
	gate_reader(&g, x->app, &in, b, &a);
	if (ttc_recover(&x->app->env, path, &what, err) != TT_OK && err->code == TT_E_NOMEM)
		return err->code;
	rc = input_setup(x->app, &in, &run, err);
	TT_THEN(rc, app_reads(x->app, one, err));
	TT_THEN(rc, app_confine(x->app, NULL, in.tmpdir, err));
	TT_THEN(rc, tt_gate_read(&g, &run, err));
	if (rc == TT_OK && g.unread)
		rc = tt_fail(err, g.unread == 3 ? TT_E_DAMAGED : TT_E_IO, TT_NOWHERE, "its capture cannot be read");
	if (rc == TT_OK)
		*s = g.sample[0];
	return rc;
}

static void
mend(void *arg, const char *path)
{
	struct ab *x = arg;
	struct ttc_mended what;
	struct tt_err err;

	ttc_recover(&x->app->env, path, &what, &err);
}

static void
show(void *arg, const char *line)
{
	struct ab *x = arg;

	if (line)
		ui_line(&x->app->ui, line);
	else
		ui_erase(&x->app->ui);
}

/* --- the outputs ------------------------------------------------------------------------------- */

/* Fail if one of these files cannot be created. Devices such as /dev/null are left alone. */
static int
try_outputs(struct ab *x, const struct tt_list *writes, struct tt_err *err)
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
check_outputs(struct ab *x, const struct tt_list *writes, struct tt_err *err)
{
	const struct ab_opts *o = x->o;
	struct tt_list reads = { 0 };
	int rc = o->budget ? tt_list_add(&reads, o->budget, &x->app->arena, err) : TT_OK;

	for (size_t i = 0; i < o->words.n && rc == TT_OK; i++)
		if (strcmp(o->words.v[i], "-") != 0)
			rc = tt_list_add(&reads, o->words.v[i], &x->app->arena, err);
	return rc == TT_OK ? tt_outputs_check(writes->v, reads.v, err) : rc;
}

/* Open the outputs. Remove verdicts of an earlier run, which could be taken for this run's. */
static int
open_outputs(struct ab *x, struct tt_verdict_out *to, struct tt_err *err)
{
	struct tt_list writes = { 0 };
	int rc = verdict_open(x->app, &x->o->to, "name a file", &writes, to, err);

	TT_THEN(rc, check_outputs(x, &writes, err));
	TT_THEN(rc, try_outputs(x, &writes, err));
	return rc == TT_OK ? tt_verdict_out_forget(&x->o->to, NULL, err) : rc;
}

static int
write_verdict(struct ab *x, struct tt_trial *trial, struct tt_verdict_out *to, struct tt_err *err)
{
	const struct tt_verdict_text how = { ui_color(&x->app->ui, STDOUT_FILENO), x->app->env.log_level >= TT_LOG_VERBOSE, ui_width(STDOUT_FILENO) };
	struct tt_buf text = { 0 };
	struct tt_verdict v = { 0 };
	int rc = tt_trial_judge(trial, &v, err);

	TT_THEN(rc, tt_verdict_as_text(&v, &how, &text, err));
	TT_THEN(rc, tt_verdict_wrap(how.width, &text, err));
	TT_THEN(rc, tt_verdict_defuse(tt_verdict_out_messages(&x->o->to), how.color, &text, err));
	/* Print the verdict before files are written: it took an hour of runs and must be shown even if a file cannot be written. */
	TT_THEN(rc, app_write(x->app, "-", &text, err));
	if (rc == TT_OK && to)
		rc = tt_verdict_out_write(&x->app->env, to, &v, NULL, 0, err);
	if (rc == TT_OK)
		x->app->verdict = v.status;
	tt_buf_free(&text);
	tt_verdict_free(&v);
	return rc;
}

/* Run all pairs and write the verdict. If the run is stopped, print what is known and write no files. */
static int
compare(struct ab *x, struct tt_trial *trial, struct tt_verdict_out *to, struct tt_err *err)
{
	struct tt_trial_now now = tt_trial_now(trial);
	int rc;

	tt_log(&x->app->env, TT_LOG_NORMAL, "at most %zu pair%s, in an order by --seed %" PRIu64, now.npairs, now.npairs == 1 ? "" : "s", now.seed);
	say_rows(x);
	rc = tt_trial_run(trial, err);
	now = tt_trial_now(trial);
	if (rc == TT_OK && now.stop_signal && now.kept_folder)
		ui_say(&x->app->ui, "interrupted; the runs so far are in %s: the same command with --resume continues", now.kept_folder);
	else if (rc == TT_OK && now.stop_signal)
		ui_say(&x->app->ui, "interrupted; with --keep DIR runs are kept, and --resume continues them");
	if (rc == TT_OK && (!now.stop_signal || now.has_captures))
		rc = write_verdict(x, trial, now.stop_signal ? NULL : to, err);
	return rc == TT_OK && now.stop_signal ? tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped") : rc;
}

static int
ab(struct ab *x, struct tt_err *err)
{
	static const char *any[] = { "captures to come", NULL };
	struct input_opts in = x->o->in;
	struct tt_trial *trial = NULL;
	struct tt_verdict_out to = { 0 };
	struct tt_run_opts run;
	int rc;

	/* Report wrong options before anything is run. */
	in.path = (struct tt_list){ .v = any, .n = 1 };
	rc = input_setup(x->app, &in, &run, err);
	TT_THEN(rc, open_outputs(x, &to, err));
	TT_THEN(rc, find_builds(x, err));
	TT_THEN(rc, find_recorder(x, err));
	TT_THEN(rc, make_plan(x, err));
	if (rc == TT_OK && x->o->budget) {
		rc = gate_read_budget(x->app, x->o->budget, &x->budget, &x->a, err);
		x->plan.budget = &x->budget;
	}
	TT_THEN(rc, tt_trial_new(&x->app->env, &x->plan, &trial, err));
	if (rc == TT_OK && tt_trial_is_recording(trial))   /* check this before the runs, which may take an hour */
		rc = record_check(x->app, &x->o->profile, err);
	TT_THEN(rc, check_pairs(x, trial, err));
	TT_THEN(rc, tt_trial_begin(trial, err));
	TT_THEN(rc, compare(x, trial, &to, err));
	tt_trial_end(trial);
	tt_verdict_out_close(&to);
	return rc;
}

int
run_ab(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct ab_opts o = { .pairs = UINT64_MAX, .max_runs = UINT64_MAX, .seed = UINT64_MAX, .warmup = 1 };
	struct ab x = { .app = app, .o = &o, .plan = { .read = read_capture, .remove_leftovers = mend, .show = show, .arg = &x } };
	int rc;

	input_defaults(&o.in);
	rc = app_parse(app, &verb_ab, &o, &o.in.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	tt_arena_init(&x.a, &app->env.mem);
	rc = ab(&x, err);
	tt_arena_free(&x.a);
	return rc;
}

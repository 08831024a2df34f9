/**
 * Plans a trial and runs its pairs.
 */
#include "trial/trial.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/arena_text.h"
#include "base/buf.h"
#include "sys/sys.h"
#include "base/setting.h"
#include "base/shell.h"
#include "trial/state.h"

const char *const tt_trial_side[TT_SIDES] = { "old", "new" };

/* --- the plan ---------------------------------------------------------------------------------- */

static int
take_builds(struct tt_trial *x, struct tt_err *err)
{
	for (enum tt_side s = TT_OLD; s < TT_SIDES; s++) {
		const char *const *v = x->o->build[s];
		struct tt_buf text = { 0 };

		for (size_t i = 0; v[i]; i++) {
			tt_buf_text(&text, i ? " " : "");
			tt_shell_quote(&text, v[i]);
		}
		x->command[s] = tt_buf_move_to_arena(&text, &x->a, err);
		if (!x->command[s])
			return err->code;
		if (v[0][0] == '\0')
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "the %s build has an empty name", tt_trial_side[s]);
		if (strchr(v[0], '/') && access(v[0], X_OK) != 0)
			return tt_fail_sys(err, errno, "the %s build: %s", tt_trial_side[s], v[0]);
	}
	return TT_OK;
}

int
tt_trial_new(struct tt_env *env, const struct tt_trial_opts *o, struct tt_trial **trial, struct tt_err *err)
{
	struct tt_trial *x = *trial = tt_mem_alloc(&env->mem, sizeof *x, err);
	int rc;

	if (!x)
		return err->code;
	x->env = env;
	x->o = o;
	x->npairs = o->max_pairs;
	tt_arena_init(&x->a, &env->mem);
	if (o->budget) {
		x->budget = *o->budget;
		x->has_rows = true;
	}
	rc = take_builds(x, err);
	x->seed = o->seed;
	if (rc == TT_OK && o->seed == UINT64_MAX && getrandom(&x->seed, sizeof x->seed, 0) != sizeof x->seed)
		rc = tt_fail_sys(err, errno, "cannot get a random number");
	if (o->seed == UINT64_MAX)
		x->seed %= 1000000;           /* short enough to type again */
	return rc;
}

bool
tt_trial_is_recording(const struct tt_trial *x)
{
	return tt_trial_is_recorded(x, TT_OLD) || tt_trial_is_recorded(x, TT_NEW);
}

int
tt_trial_begin(struct tt_trial *x, struct tt_err *err)
{
	struct tt_buf rows = { 0 };
	int rc;

	tt_trial_signals();
	x->catches_signals = true;
	rc = tt_trial_folder_open(x, &rows, err);
	if (rc == TT_OK && rows.n)
		rc = tt_trial_take_rows(x, &rows, err);
	tt_buf_free(&rows);
	return rc;
}

struct tt_trial_now
tt_trial_now(const struct tt_trial *x)
{
	return (struct tt_trial_now){ .npairs = x->npairs, .seed = x->seed, .kept_folder = x->is_dir_temporary ? NULL : x->dir, .stop_signal = x->stop_signal,
		.has_captures = x->has_rows && tt_trial_any_good(x, TT_NEW) };
}

void
tt_trial_end(struct tt_trial *x)
{
	struct tt_mem *mem;

	if (!x)
		return;
	mem = &x->env->mem;
	tt_trial_folder_close(x);
	if (x->catches_signals)
		tt_trial_signals_end(x->stop_signal);
	tt_arena_free(&x->a);
	tt_mem_free(mem, x, sizeof *x);
}

/* --- the pairs --------------------------------------------------------------------------------- */

/* The build that runs first in a pair. In each two consecutive pairs every build is first once; a hash of the seed decides in which pair. */
static enum tt_side
first_of(const struct tt_trial *x, size_t pair)
{
	uint64_t v = x->seed + (pair / 2 + 1) * UINT64_C(0x9e3779b97f4a7c15);

	v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
	return ((v ^ v >> 31) + pair) & 1 ? TT_NEW : TT_OLD;
}

static int
run_one(struct tt_trial *x, enum tt_side side, const char *name, struct tt_trial_run *run, struct tt_err *err)
{
	char line[100];
	int rc;

	snprintf(line, sizeof line, "running %s of %zu", name, x->npairs);
	x->o->show(x->o->arg, line);
	rc = tt_trial_run_build(x, side, name, run, err);
	x->o->show(x->o->arg, NULL);
	if (rc == TT_OK && run->end != TT_RUN_GOOD)
		tt_trial_remove_leftovers(x, run->path);
	return rc;
}

/* Run the warm-up; *${longest}: the longest time that a warm-up of both builds took. */
static int
warm_up(struct tt_trial *x, int64_t *longest, struct tt_err *err)
{
	int rc = TT_OK;

	for (uint64_t i = 0; i < x->o->nwarmups && rc == TT_OK && !x->stop_signal; i++) {
		int64_t begun = tt_sys_clock_ns();

		for (enum tt_side s = TT_OLD; s < TT_SIDES && rc == TT_OK && !x->stop_signal; s++) {
			struct tt_trial_run run;
			char name[24];

			snprintf(name, sizeof name, "%s warm-up", tt_trial_side[s]);
			rc = run_one(x, s, name, &run, err);
			if (rc == TT_OK && run.end != TT_RUN_NONE)
				x->warmup_run[s] = run;
		}
		*longest = tt_sys_clock_ns() - begun > *longest ? tt_sys_clock_ns() - begun : *longest;
	}
	return rc;
}

static int
run_pair(struct tt_trial *x, size_t pair, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < TT_SIDES && rc == TT_OK && !x->stop_signal; i++) {
		enum tt_side s = i == 0 ? first_of(x, pair) : 1 - first_of(x, pair);
		char name[24];

		if (x->run[s][pair].end != TT_RUN_NONE)
			continue;
		snprintf(name, sizeof name, "%s %zu", tt_trial_side[s], pair + 1);
		rc = run_one(x, s, name, &x->run[s][pair], err);
		if (rc == TT_OK && !x->is_dir_temporary && x->run[s][pair].end != TT_RUN_NONE)
			rc = tt_trial_folder_note(x, err);
	}
	return rc == TT_OK && !x->stop_signal ? tt_trial_read_new(x, err) : rc;
}

static bool
is_run(const struct tt_trial *x, size_t pair)
{
	return x->run[TT_OLD][pair].end != TT_RUN_NONE && x->run[TT_NEW][pair].end != TT_RUN_NONE;
}

int
tt_trial_run(struct tt_trial *x, struct tt_err *err)
{
	int64_t begun = tt_sys_clock_ns(), longest = 0;
	bool clear = false, all = true;
	int rc = TT_OK;

	x->is_complete = false;
	for (size_t i = 0; i < x->npairs; i++)
		all = all && is_run(x, i);
	if (!all)
		rc = warm_up(x, &longest, err);
	if (rc == TT_OK && !x->stop_signal)
		rc = tt_trial_read_new(x, err);
	for (size_t i = 0; i < x->npairs && rc == TT_OK && !clear && !x->stop_signal; i++) {
		int64_t now = tt_sys_clock_ns();
		bool there = is_run(x, i);

		if (!there && x->o->max_time_ns && now - begun + longest > x->o->max_time_ns) {
			tt_log(x->env, TT_LOG_QUIET, "no time for another pair after %zu of %zu (%s)", i, x->npairs,
			    tt_setting_name[TT_SETTING_MAX_TIME]);
			x->is_complete = true;
			break;
		}
		rc = run_pair(x, i, err);
		/* Among pairs that already existed, judge only after the last one, which covers all of them. */
		if (rc == TT_OK && !x->stop_signal && !(there && i + 1 < x->npairs && is_run(x, i + 1)))
			rc = tt_trial_look(x, i, &clear, err);
		longest = !there && tt_sys_clock_ns() - now > longest ? tt_sys_clock_ns() - now : longest;
		x->is_complete = i + 1 == x->npairs;
	}
	return rc;
}

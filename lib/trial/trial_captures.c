/**
 * Makes samples of a trial's captures, and its rows if there is no budget.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/setting.h"
#include "trial/state.h"

int
tt_trial_take_rows(struct tt_trial *x, const struct tt_buf *text, struct tt_err *err)
{
	int rc = tt_budget_parse(text->p, text->n, "rows of its own", &x->budget, &x->a, err);

	x->has_rows = rc == TT_OK;
	x->budget.made = true;
	return rc;
}

/* Read one capture of each build by the measures of ${b}. */
static int
read_both(struct tt_trial *x, const struct tt_budget *b, const struct tt_trial_run *const run[TT_SIDES], struct tt_sample s[TT_SIDES], struct tt_err *err)
{
	int rc = tt_trial_sample(x, b, run[TT_OLD], &s[TT_OLD], err);

	return rc == TT_OK ? tt_trial_sample(x, b, run[TT_NEW], &s[TT_NEW], err) : rc;
}

/* Make the rows from a capture of each build: read both once to find a limit for long frames, and again to count these. */
static int
make_rows(struct tt_trial *x, const struct tt_trial_run *const run[TT_SIDES], struct tt_err *err)
{
	struct tt_sample s[TT_SIDES];
	const struct tt_sample *both[TT_SIDES] = { &s[TT_OLD], &s[TT_NEW] };
	struct tt_budget first;
	struct tt_buf text = { 0 };
	int rc = tt_budget_none(&first, &x->a, err);

	TT_THEN(rc, read_both(x, &first, run, s, err));
	TT_THEN(rc, tt_trial_rows(both, &first, x->npairs, false, &text, err));
	TT_THEN(rc, tt_trial_take_rows(x, &text, err));
	TT_THEN(rc, read_both(x, &x->budget, run, s, err));
	if (rc == TT_OK && s[TT_OLD].frames == 0 && s[TT_NEW].frames == 0)
		tt_log(x->env, TT_LOG_QUIET, "no frames, so whole runs are compared; to compare frames, name a marker with %s",
		    tt_setting_name[TT_SETTING_FRAME_MARKER]);
	text.n = 0;
	TT_THEN(rc, tt_trial_rows(both, &x->budget, x->npairs, true, &text, err));
	TT_THEN(rc, tt_trial_take_rows(x, &text, err));
	TT_THEN(rc, tt_trial_folder_rows(x, &text, err));
	tt_buf_free(&text);
	return rc;
}

const struct tt_trial_run *
tt_trial_any_good(const struct tt_trial *x, enum tt_side side)
{
	if (x->warmup_run[side].end == TT_RUN_GOOD)
		return &x->warmup_run[side];
	for (size_t i = 0; i < x->npairs; i++)
		if (x->run[side][i].end == TT_RUN_GOOD)
			return &x->run[side][i];
	return NULL;
}

/* Fail if the capture is of the same recording as an earlier one: the build does not record again. */
static int
check_new(struct tt_trial *x, const struct tt_trial_run *run, struct tt_err *err)
{
	for (enum tt_side s = TT_OLD; s < TT_SIDES; s++)
		for (size_t i = 0; i < x->npairs; i++)
			if (&x->run[s][i] != run && x->run[s][i].is_read && tt_sample_same(&x->run[s][i].sample, &run->sample))
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s and %s left the same recording: a build must record itself anew in each run",
				    x->run[s][i].name, run->name);
	return TT_OK;
}

/* True if a capture of the build has been read. */
static bool
has_read(const struct tt_trial *x, enum tt_side side)
{
	for (size_t i = 0; i < x->npairs; i++)
		if (x->run[side][i].is_read)
			return true;
	return false;
}

/* Read the capture of a run. If it is unreadable, or lacks what others have, it counts as missing, provided that earlier runs of the build left good ones. */
static int
read_one(struct tt_trial *x, enum tt_side side, struct tt_trial_run *run, struct tt_err *err)
{
	int rc = tt_trial_sample(x, &x->budget, run, &run->sample, err);

	run->is_read = rc == TT_OK;
	if ((rc != TT_E_DAMAGED && rc != TT_E_UNKNOWN && rc != TT_E_USAGE) || !has_read(x, side))
		return rc == TT_OK ? check_new(x, run, err) : rc;
	run->end = TT_RUN_CRASHED;
	snprintf(run->crash_text, sizeof run->crash_text, "exit status 0, but a capture that cannot be used");
	tt_log(x->env, TT_LOG_QUIET, "%s, which counts as a crash", err->msg);
	return x->is_dir_temporary ? TT_OK : tt_trial_folder_note(x, err);
}

int
tt_trial_read_new(struct tt_trial *x, struct tt_err *err)
{
	const struct tt_trial_run *good[TT_SIDES] = { tt_trial_any_good(x, TT_OLD), tt_trial_any_good(x, TT_NEW) };
	int rc = TT_OK;

	if (!x->has_rows && good[TT_OLD] && good[TT_NEW])
		rc = make_rows(x, good, err);
	for (size_t i = 0; i < x->npairs && rc == TT_OK && x->has_rows; i++) {
		for (enum tt_side s = TT_OLD; s < TT_SIDES && rc == TT_OK; s++) {
			struct tt_trial_run *run = &x->run[s][i];

			if (run->end != TT_RUN_GOOD || run->is_read)
				continue;
			rc = read_one(x, s, run, err);
			if (rc == TT_OK && x->is_dir_temporary)
				unlink(run->path);
		}
	}
	return rc;
}

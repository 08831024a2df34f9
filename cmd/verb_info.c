/**
 * tracetool info: shows what a capture holds: producer, versions, duration, threads, events by type, damage.
 */
#include <stddef.h>

#include "cmd.h"
#include "input.h"
#include "pass/pass.h"
#include "pass/tables.h"
#include "report_opts.h"
#include "run/run.h"
#include "info_scrub.h"
#include "view/view.h"

struct info_opts {
	struct input_opts in;
	struct report_opts out;
	bool scrub;
};

static const struct tt_opt scrub_opt[] = {
	{ .name = "scrub", .set = tt_opt_flag, .at = offsetof(struct info_opts, scrub),
	    .help = "print nothing, but write with -o a copy of one .raw, .data or .mlpd whose names are hashes, to be sent to others" },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Copy", scrub_opt, 0 },
	REPORT_GROUP(struct info_opts, out),
	{ "Input", input_opt, offsetof(struct info_opts, in) },
	/* Info describes a whole capture: these options are accepted only to be refused with that reason. */
	{ "", input_filter_opt, offsetof(struct info_opts, in) },
	{ "", input_frame_opt, offsetof(struct info_opts, in) },
	{ "Resources", input_limit_opt, offsetof(struct info_opts, in) },
	UI_GROUP(struct info_opts, in.ui),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_info = {
	.name = "info",
	.summary = "print producer, version, duration, threads, events and damage of captures",
	.operands = "FILE...",
	.about = "Print facts of captures: producer, versions, duration, threads, events by type, and whether anything is "
		 "damaged or missing. The whole input is read.",
	.examples = "  tracetool info game.mlpd\n"
		    "  tracetool info --format json *.mlpd\n"
		    "  tracetool info --scrub -o copy.raw game.raw\n",
	.group = groups,
	.operand_at = offsetof(struct info_opts, in.path),
};

static const char *const shown[] = { "info", "loss" };        /* passes */

static int
info(struct app *app, const struct info_opts *o, struct tt_err *err)
{
	const struct tt_pass_opts all = { 0 };
	struct tt_run_opts run;
	struct tt_model *m = NULL;
	struct tt_views view = { 0 };
	struct tt_report r;
	int rc = input_setup(app, &o->in, &run, err);

	if (rc == TT_OK && o->out.output && input_is(&o->in, o->out.output))
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is both an input and the output", o->out.output);
	if (rc != TT_OK)
		return rc;
	report_pager(app, &o->out);
	rc = input_confine(app, &o->in, o->out.output, NULL, &run, err);
	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; i < TT_NCOL(shown); i++)
		run.needs |= tt_pass_needs(tt_pass_named(shown[i]), &all);
	tt_report_init(&r, &app->env.mem);
	rc = tt_run(&app->env, &run, &m, err);
	ui_erase(&app->ui);
	if (rc == TT_OK) {
		tt_view_init(&view, m);
		tt_capture_notes(&app->loss, m, &r);
		for (size_t i = 0; i < TT_NCOL(shown); i++)
			tt_pass_report(tt_pass_named(shown[i]), &view, &all, &r);
		rc = report_write(app, &o->out, &r, err);
	}
	tt_report_free(&r);
	tt_view_free(&view);
	tt_model_free(m);
	return rc;
}

/* Fail with TT_E_USAGE for options that would leave out a part. */
static int
check_whole(const struct input_opts *in, struct tt_err *err)
{
	const struct { const char *name; bool given; } part[] = {
		{ "time", in->from != INT64_MIN || in->to != INT64_MAX }, { "frames", in->has_frames }, { "from-label", in->from_label },
		{ "to-label", in->to_label }, { "thread", in->thread.n }, { "category", in->category.n }, { "marker", in->marker.n },
		{ "min-duration", in->min_dur }, { "depth", in->depth }, { "no-wait", in->no_wait },
		{ "player-only", in->player_only },
	};

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].given)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "info describes the whole of a capture: --%s is for stats and convert",
			    part[i].name);
	return TT_OK;
}

/* Fail with TT_E_USAGE for options of a report, as --scrub writes a copy. */
static int
check_copy(const struct info_opts *o, struct tt_err *err)
{
	const struct { const char *name; bool given; } of[] = {
		{ "format", o->out.form != -1 }, { "csv-safe", o->out.csv_safe }, { "width", o->out.width != -1 }, { "meta", o->in.meta.n },
		{ "input-format", o->in.format }, { "align", o->in.align }, { "wrappers", o->in.wrappers }, { "names", o->in.names },
		{ "frame-marker", o->in.frame_marker }, { "frame-thread", o->in.frame_thread }, { "wait", o->in.wait.n },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (of[i].given)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--scrub prints nothing, and changes nothing but names: it does not go with --%s",
			    of[i].name);
	return TT_OK;
}

int
run_info(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct info_opts o = { .scrub = false };
	struct tt_run_opts run;
	int rc;

	input_defaults(&o.in);
	report_defaults(&o.out);
	rc = app_parse(app, &verb_info, &o, &o.in.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	rc = check_whole(&o.in, err);
	if (rc == TT_OK && !o.scrub)
		rc = report_check(&o.out, err);
	if (rc == TT_OK && o.scrub)
		rc = check_copy(&o, err);
	if (rc == TT_OK && o.scrub)
		rc = input_setup(app, &o.in, &run, err);
	if (rc == TT_OK && o.scrub)
		return scrub_capture(app, &o.in.path, o.out.output, o.in.tmpdir, err);
	return rc != TT_OK ? rc : info(app, &o, err);
}

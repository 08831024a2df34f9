/**
 * The parts of the summary that know the command line: which options chose what it shows, and which commands to run next.
 */
#include "summary_commands.h"

#include <string.h>

#include "input.h"
#include "model/frames.h"
#include "option/opts.h"
#include "pass/pass.h"
#include "report_opts.h"
#include "summary/summary.h"
#include "view/view.h"

/* The command whose captures the summary shows. */
struct command_line {
	const struct tt_opt_given *given;
	const struct tt_list *files;
};

/* Return the options that restrict the figures to a part of the capture, as "only --frames 251". */
static const char *
shown(const struct tt_opt_given *given, struct tt_report *r)
{
	static const struct tt_opt_group group[] = { { "", input_filter_opt, 0 }, { "", input_frame_opt, 0 }, { NULL, NULL, 0 } };
	static const struct tt_verb chooses = { .group = group };
	static const char *const without[] = { "wrappers", "names", "frame-marker", "frame-thread", "wait", NULL };
	struct tt_buf b = { 0 };
	const char *text = NULL;

	tt_opts_quote_shared(&b, given, &chooses, without);
	if (tt_buf_error(&b, &r->err) == TT_OK && b.n)
		text = tt_text(r, "only %s", tt_text_of(r, b.p, b.n - 1));
	tt_buf_free(&b);
	return text;
}

/* Return the options and files that make another command look at the same data: only at ${file} unless it is NULL, and without the option ${but}. */
static const char *
arguments(const struct command_line *line, const char *file, const char *but, struct tt_report *r)
{
	const struct tt_list one = { .v = &file, .n = 1 };
	struct tt_buf b = { 0 };
	const char *text;

	tt_opts_quote_given(&b, line->given, file ? &one : line->files, but);
	text = tt_buf_error(&b, &r->err) == TT_OK ? tt_text_of(r, b.p, b.n) : "";
	tt_buf_free(&b);
	return text;
}

static void
put_next(void *arg, const struct tt_summary_next *next)
{
	const struct command_line *line = arg;
	const struct tt_model *m = next->view->m;
	struct tt_table *t = next->t;
	struct tt_report *r = t->r;
	const char *all = arguments(line, NULL, NULL, r);

	if ((!m->frames || m->frames->n == 0) && m->ncandidate)
		tt_summary_put_command(t, "frames", tt_text(r, "tracetool %s %s", tt_pass_frame_option(r, m->candidate[0].full), all));
	if (next->worst) {
		const size_t i = next->worst->frame;
		const char *path = m->ncap > 1 ? m->cap[m->threads.t[tt_frames_thread(m->frames, i)]->process]->path : NULL;

		tt_summary_put_command(t, "the worst frame", tt_text(r, "tracetool stats --frames %llu %s",
		    (unsigned long long)tt_frames_number(m->frames, i), arguments(line, path, "frames", r)));
	}
	if (next->more_causes)
		tt_summary_put_command(t, "all causes", tt_text(r, "tracetool stats --table causes %s", all));
	tt_summary_put_command(t, "more tables", tt_text(r, "tracetool stats %s", all));
	tt_summary_put_command(t, "a page to share", tt_text(r, "tracetool report %s -o report.html", all));
}

void
summary_fill(struct app *app, struct tt_views *view, const struct tt_opt_given *given, const struct tt_list *files,
    const struct report_opts *out, struct tt_report *r)
{
	const struct tt_render_opts render = report_render_opts(app, out);
	struct command_line line = { given, files };

	tt_summary_fill(view, &(struct tt_summary_opts){ shown(given, r), &render, put_next, &line }, r);
}

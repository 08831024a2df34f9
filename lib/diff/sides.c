/**
 * Reads the captures of both sides of a comparison, and adds notes about them.
 */
#include "diff/sides.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/setting.h"
#include "diff/diff.h"
#include "emit/emit.h"
#include "model/identity.h"
#include "out/table.h"
#include "pass/pass.h"
#include "run/run.h"
#include "sys/sys.h"

/* Fail if a recording, or two of its files, occurs twice on a side, because it would count as independent captures. */
static int
check_recording(const struct tt_diff_sides *s, size_t at, const struct tt_model *m, uint64_t *seen, struct tt_err *err)
{
	char text[TT_RECORDING_TEXT];

	seen[at] = tt_model_identity(m);
	for (size_t i = at < s->nbefore ? 0 : s->nbefore; i < at; i++)
		if (seen[i] == seen[at] && seen[at])
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s and %s are one recording: %s", s->path[i], s->path[at],
			    tt_capture_recording(m->cap[0], text) ? "drop copies, join parts (tracetool recover)" : "leave copies out");
	return TT_OK;
}

/* Read a capture, add it to its side, and add its losses to the ledger of all. */
static int
add_capture(const struct tt_diff_sides *s, size_t at, uint64_t *seen, struct tt_run_opts *run,
    struct tt_diff *d, struct tt_report *r, struct tt_err *err)
{
	const char *const one[] = { s->path[at], NULL };
	struct tt_loss *all = s->env->loss, loss;
	struct tt_model *m = NULL;
	char outside[TT_OUTSIDE_TEXT], stretch[TT_STRETCH_TEXT];
	const char *caveat;
	int rc;

	tt_loss_reset(&loss);
	s->env->loss = &loss;
	run->path = one;
	run->npath = 1;
	rc = tt_run(s->env, run, &m, err);
	s->env->loss = all;
	all->input = s->path[at];
	tt_loss_join(all, &loss);
	all->input = NULL;
	TT_THEN(rc, check_recording(s, at, m, seen, err));
	TT_THEN(rc, tt_diff_add(d, at < s->nbefore ? TT_DIFF_A : TT_DIFF_B, m, err));
	caveat = m && rc == TT_OK && !r->note ? tt_model_caveat(m) : NULL;
	if (caveat)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "caveat", caveat);
	if (m && rc == TT_OK && tt_capture_missing_files(m->cap[0], stretch))
		tt_report_note(r, tt_severity_name[TT_NOTICE], "rotation", tt_text(r, "%s: %s", s->path[at], stretch));
	if (m && rc == TT_OK && tt_filter_is_outside(m, outside))
		tt_report_note(r, tt_severity_name[TT_NOTICE], "filter", tt_text(r, "%s: %s", s->path[at], outside));
	tt_model_free(m);
	return rc;
}

/* Add a note if captures of B are also recordings of A, because comparing these shows nothing. */
static void
note_shared(const struct tt_diff_sides *s, const uint64_t *seen, struct tt_report *r)
{
	size_t before = s->nbefore, shared = 0, first = 0;

	for (size_t i = before; i < s->n; i++) {
		size_t k = 0;

		while (k < before && seen[k] != seen[i])
			k++;
		if (k < before && shared++ == 0)
			first = i;
	}
	if (shared)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "shared", tt_text(r, "%zu of %zu capture%s of B %s of A, "
		    "too: compared with itself, a capture is no worse: %s%s", shared, s->n - before, s->n - before == 1 ? "" : "s",
		    shared == 1 ? "is a recording" : "are recordings", s->path[first],
		    shared > 1 ? ", ..." : ""));
}

int
tt_diff_read(const struct tt_diff_sides *s, struct tt_run_opts *run, struct tt_diff *d, struct tt_report *r,
    struct tt_err *err)
{
	uint64_t *seen = tt_arena_alloc(s->a, s->n * sizeof *seen, err);       /* by operand: identity of the recording */
	int rc = seen ? TT_OK : err->code;

	run->needs |= TT_NEEDS_CALLS | TT_NEEDS_FRAMES;
	run->whole_frames = true;
	run->opened_arg = s->opened_arg;
	for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
		if (i + 1 == s->n)
			run->opened = s->opened;
		rc = add_capture(s, i, seen, run, d, r, err);
	}
	if (rc == TT_OK)
		note_shared(s, seen, r);
	return rc == TT_OK ? tt_diff_finish(d, err) : rc;
}

void
tt_diff_notes(const struct tt_diff *d, const char *rename, struct tt_report *r)
{
	size_t unused = 0, first = 0;

	if (!d->has_frames)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "no_frames",
		    tt_text(r, "the captures have no frames: the time in markers of all threads per capture, waits with it, is compared (for frames: %s)",
			tt_setting_name[TT_SETTING_FRAME_MARKER]));
	if (d->nsampled) {
		const char *more = d->nsampled > 1 ? tt_text(r, " and %zu more", d->nsampled - 1) : "";

		tt_report_note(r, tt_severity_name[TT_NOTICE], "samples", tt_text(r, "samples and no calls in %s%s: time in calls is compared, samples are not "
		    "(tracetool convert writes profiles of both sides, which pprof compares)", d->first_sampled, more));
	}
	for (size_t i = 0; d->rename && i < d->rename->n; i++) {
		if (!d->rename->v[i].used && unused++ == 0)
			first = i;
	}
	if (unused)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "rename",
		    tt_text(r, "%s: %zu of %zu names are not in the captures of A; the first is \"%s\"", rename, unused,
			d->rename->n, d->rename->v[first].from));
}

/* Write a heading for the captures of ${side}: the name of the first, and the number of others. */
static void
put_side(const struct tt_diff_sides *s, unsigned side, struct tt_buf *to)
{
	size_t from = side == TT_DIFF_A ? 0 : s->nbefore, n = (side == TT_DIFF_A ? s->nbefore : s->n) - from;
	const char *name = tt_sys_base_name(s->path[from]);

	if (n > 1)
		tt_buf_printf(to, "%s and %zu more", name, n - 1);
	else
		tt_buf_text(to, name);
}

void
tt_diff_put_name(const struct tt_diff_sides *s, struct tt_buf *to)
{
	put_side(s, TT_DIFF_A, to);
	tt_buf_text(to, " (A) against ");
	put_side(s, TT_DIFF_B, to);
	tt_buf_text(to, " (B)");
}

/* The path of the capture whose mean is the median of its side. */
static const char *
middle(const struct tt_diff_sides *s, const struct tt_diff *d, unsigned side)
{
	const struct tt_diff_side *of = &d->side[side];

	for (size_t i = 0; i < of->n; i++) {
		size_t below = 0;

		for (size_t k = 0; k < of->n; k++)
			below += of->capture[k].time[d->compared_time].mean < of->capture[i].time[d->compared_time].mean ||
				 (of->capture[k].time[d->compared_time].mean == of->capture[i].time[d->compared_time].mean && k < i);
		if (below == (of->n - 1) / 2)
			return s->path[side == TT_DIFF_A ? i : s->nbefore + i];
	}
	return s->path[0];
}

int
tt_diff_write_middle(const struct tt_diff_sides *s, const struct tt_diff *d, struct tt_run_opts *run, const struct tt_emit_opts *eo, struct tt_err *err)
{
	const char *const path[] = { middle(s, d, TT_DIFF_A), middle(s, d, TT_DIFF_B), NULL };
	const struct tt_emit *emit = tt_emit_named("chrome");
	struct tt_loss *all = s->env->loss, loss;
	const char *title[2];
	struct tt_model *m = NULL;
	int rc;

	for (size_t i = 0; i < 2; i++) {
		title[i] = tt_arena_printf(s->a, err, "%s%s", i ? "B: " : "A: ", path[i]);
		if (!title[i])
			return err->code;
	}
	run->path = path;
	run->npath = 2;
	run->title = title;
	run->copies = true;           /* the same recording may be on both sides */
	run->whole_frames = false;
	run->filter.frames_of_each = true;
	run->align = run->align == TT_ALIGN_AUTO ? TT_ALIGN_START : run->align;
	run->emit = &emit;
	run->emit_opts = eo;
	run->nemit = 1;
	run->needs = tt_emit_needs(emit, eo);
	tt_loss_reset(&loss);         /* the first reading reported these losses */
	s->env->loss = &loss;
	rc = tt_run(s->env, run, &m, err);
	s->env->loss = all;
	tt_model_free(m);
	return rc;
}

/**
 * Selects sets of samples: the new ones, or all with those of a baseline; and describes the settings that decide their figures.
 */
#include "gate/samples.h"

#include "base/arena_text.h"
#include "base/buf.h"
#include "model/identity.h"
#include "run/run.h"

static void
put_list(struct tt_buf *b, const char *what, const char *const *l)
{
	for (; l && *l; l++)
		tt_buf_printf(b, "%s%s %s", b->n ? ", " : "", what, *l);
}

static void
put_one(struct tt_buf *b, const char *what, const char *value)
{
	if (value)
		tt_buf_printf(b, "%s%s %s", b->n ? ", " : "", what, value);
}

static void
put_number(struct tt_buf *b, const char *what, int64_t v, bool given)
{
	if (given)
		tt_buf_printf(b, "%s%s %lld", b->n ? ", " : "", what, (long long)v);
}

const char *
tt_budget_settings(const struct tt_budget *g, struct tt_arena *a, struct tt_err *err)
{
	struct tt_buf b = { 0 };

	put_number(&b, "skip frames", (int64_t)g->skip.frames, g->skip.frames != 0);
	put_number(&b, "skip ns", g->skip.time_ns, g->skip.time_ns != 0);
	put_one(&b, "skip until", g->skip.until_marker);
	put_one(&b, "frame marker", g->frame_marker);
	put_one(&b, "frame thread", g->frame_thread);
	return tt_buf_move_to_arena(&b, a, err);
}

const char *
tt_run_settings(const struct tt_run_opts *run, struct tt_arena *a, struct tt_err *err)
{
	const struct tt_filter *f = &run->filter;
	struct tt_buf b = { 0 };

	put_one(&b, "frame marker", run->frame_marker);
	put_one(&b, "frame thread", run->frame_thread);
	put_list(&b, "wait", run->wait);
	put_number(&b, "from frame", (int64_t)f->frame_first, f->has_frames);
	put_number(&b, "to frame", (int64_t)f->frame_last, f->has_frames && f->frame_last != UINT64_MAX);
	put_number(&b, "from ns", f->from, f->from != INT64_MIN);
	put_number(&b, "to ns", f->to, f->to != INT64_MAX);
	put_one(&b, "from label", f->from_label);
	put_one(&b, "to label", f->to_label);
	put_one(&b, "from the first", run->from_marker);
	put_list(&b, "thread", f->thread);
	put_number(&b, "longer than ns", f->min_dur, f->min_dur != 0);
	put_number(&b, "depth", f->depth, f->depth != 0);
	put_one(&b, "with", f->wrappers ? "wrappers" : NULL);
	put_one(&b, "without", f->player_only ? "Editor" : NULL);
	put_one(&b, "without", f->no_wait ? "waits" : NULL);
	return tt_buf_move_to_arena(&b, a, err);
}

struct tt_sample *
tt_samples_new(const struct tt_sample *sample, size_t nsample, const struct tt_baseline *old, size_t *n, struct tt_arena *a, struct tt_err *err)
{
	struct tt_sample *s = tt_arena_alloc(a, (nsample + 1) * sizeof *s, err);
	struct tt_recordings known;

	*n = 0;
	if (!s || tt_recordings_init(&known, old ? old->all : NULL, old ? old->nall : 0, a, err) != TT_OK)
		return NULL;
	for (size_t i = 0; i < nsample; i++)
		if (!sample[i].empty && !tt_recordings_find(&known, &sample[i]))
			s[(*n)++] = sample[i];
	return s;
}

int
tt_samples_check(const struct tt_sample *sample, size_t nsample, struct tt_arena *a, struct tt_err *err)
{
	struct tt_recordings seen;

	if (tt_recordings_init(&seen, sample, nsample, a, err) != TT_OK)
		return err->code;
	for (size_t i = 1; i < nsample; i++) {
		const struct tt_sample *same = tt_recordings_find(&seen, &sample[i]);

		if (same && same != &sample[i])
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, TT_COPIES, same->name, sample[i].name);
	}
	return TT_OK;
}

struct tt_sample *
tt_samples_with(const struct tt_sample *sample, size_t n, const struct tt_baseline *base, size_t *all, struct tt_arena *a, struct tt_err *err)
{
	size_t nbase = base ? base->nsample : 0;
	struct tt_sample *s = tt_arena_alloc(a, (n + nbase + 1) * sizeof *s, err);
	struct tt_recordings known, here;

	if (!s || tt_recordings_init(&known, base ? base->sample : NULL, nbase, a, err) != TT_OK || tt_recordings_init(&here, sample, n, a, err) != TT_OK)
		return NULL;
	*all = 0;
	for (size_t i = 0; i < n; i++) {
		const struct tt_sample *same = tt_recordings_find(&known, &sample[i]);

		s[*all] = sample[i];
		s[(*all)++].session = same ? same->session : "";
	}
	for (size_t i = 0; i < nbase; i++)
		if (!tt_recordings_find(&here, &base->sample[i]))
			s[(*all)++] = base->sample[i];
	return s;
}

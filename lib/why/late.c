/**
 * Finds frames that are late because the render thread or the GPU takes longer than the period of the cap. The frame thread merely waits for the display then,
 * as in every frame, so that its calls do not show it.
 */
#include "why/causes_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/buf.h"
#include "model/names.h"
#include "out/table.h"
#include "view/frame_sums.h"

/* Tolerance: the render thread and the GPU are late if they exceed the period by more than 1/OF_PERIOD of it. */
enum { OF_PERIOD = 100, MIN_FRAMES = 2 };

static int64_t
time_of_render(const struct tt_why *w, size_t i)
{
	return tt_frames_render(w->m->frames, i);
}

/* True if frame ${i} has a known cause. *${at}: the first cause of frame ${i} or later; call in frame order. */
static bool
has_cause(const struct tt_why *w, size_t i, size_t *at)
{
	while (*at < w->out->ncause && w->out->cause[*at].frame < i)
		(*at)++;
	return *at < w->out->ncause && w->out->cause[*at].frame == i && w->out->cause[*at].class != TT_CAUSE_UNKNOWN;
}

/*
 * Late frames without a cause for whose picture the render thread or the GPU takes longer than the period. The picture was drawn ${lag} frames earlier, or
 * ${lead} frames later.
 */
struct late { int64_t (*time)(const struct tt_why *, size_t); size_t lag, lead, *frame, n; };

static int64_t
time_of(const struct tt_why *w, const struct late *l, size_t i)
{
	return i >= l->lag && i - l->lag + l->lead < w->m->frames->n ? l->time(w, i - l->lag + l->lead) : 0;
}

/* Find these frames, in order. */
static void
find_late(const struct tt_why *w, struct late *l)
{
	size_t at = 0;

	l->n = 0;
	for (size_t i = 0; i < w->m->frames->n; i++)
		if (tt_frames_is_late(w->m->frames, i) && time_of(w, l, i) > w->cap + w->cap / OF_PERIOD && !has_cause(w, i, &at) &&
		    (l->lead == 0 || !has_cause(w, i + l->lead, &at)))
			l->frame[l->n++] = i;
}

/*
 * Find frames that the render thread makes late. If a game's main thread is one frame ahead, the render thread draws a picture during the next frame: assume
 * that if it explains more late pictures.
 */
static void
find_rendered_late(const struct tt_why *w, struct late *l)
{
	struct late next = *l;

	find_late(w, l);
	if (!w->m->frames->counts_presented)
		return;
	const size_t own = l->n;

	next.lead = 1;
	find_late(w, &next);
	if (next.n > own)
		*l = next;
	else
		find_late(w, l);
}

/* The marker that the render thread runs longest in samples in which it exceeds the period; *${thread}: the thread's name. TT_NO_ROW: not known. */
static uint32_t
longest_run(const struct tt_why *w, const char **thread)
{
	const struct tt_sampled_fact *most = NULL;

	for (size_t i = 0; i < w->of_samples.n; i++) {
		const struct tt_sampled_fact *f = &w->of_samples.v[i];
		const struct tt_thread *t = f->what == TT_OF_RUN && f->id != TT_NO_ROW ? tt_paths_thread(w->p, f->node) : NULL;

		if (t && tt_name_match(tt_render_threads, t->own_name) && time_of_render(w, w->sample[f->sample]) > w->cap && (!most || f->self > most->self))
			most = f;
	}
	*thread = most ? tt_paths_thread(w->p, most->node)->name : NULL;
	return most ? most->id : TT_NO_ROW;
}

static int
put_late(struct tt_why *w, const struct late *l)
{
	const bool renders = l->time == time_of_render;
	const size_t *frame = l->frame, n = l->n;
	const char *thread = NULL;
	const uint32_t row = renders ? longest_run(w, &thread) : TT_NO_ROW;
	struct tt_finding *f = tt_why_finding(w);
	size_t least = 0, most = 0;
	char low[32], high[32], period[32];
	struct tt_buf b = { 0 };

	if (!f)
		return w->err->code;
	*f = (struct tt_finding){ .class = TT_CAUSE_WAIT, .n = n, .marker = row != TT_NO_ROW ? w->p->row[row].label : NULL };
	for (size_t i = 0; i < n; i++) {
		f->extra += time_of(w, l, frame[i]) - w->cap;
		least = time_of(w, l, frame[i]) < time_of(w, l, frame[least]) ? i : least;
		most = time_of(w, l, frame[i]) > time_of(w, l, frame[most]) ? i : most;
	}
	f->worst = tt_frames_number(w->m->frames, frame[most]);
	f->frames = tt_why_frames_text(w, frame, n);
	*tt_put_time_short(low, time_of(w, l, frame[least])) = '\0';
	*tt_put_time_short(high, time_of(w, l, frame[most])) = '\0';
	*tt_put_time_short(period, w->cap) = '\0';
	if (thread)
		tt_buf_printf(&b, "thread \"%s\" works ", thread);
	else
		tt_buf_text(&b, renders ? "the render thread works " : "GPU late, it takes ");
	tt_buf_printf(&b, strcmp(low, high) == 0 ? "%s" : "%s to ", low);
	if (strcmp(low, high) != 0)
		tt_buf_text(&b, high);
	if (l->lead)
		tt_buf_text(&b, " for their pictures, in the frames after");
	if (l->lag)
		tt_buf_printf(&b, l->lag > 1 ? " for the pictures of %zu frames before" : " for the pictures of the frames before", l->lag);
	tt_buf_printf(&b, ", more than the %s at which frames are capped", period);
	if (row != TT_NO_ROW)
		tt_buf_printf(&b, "; most of it in %s", f->marker);
	f->sentence = tt_buf_move_to_arena(&b, w->text, w->err);
	return w->err->code;
}

int
tt_why_find_late_elsewhere(struct tt_why *w)
{
	const size_t all = w->m->frames->n;
	size_t *frame = w->cap ? tt_mem_alloc(w->mem, all * sizeof *frame, w->err) : NULL;
	const struct late who[] = { { .time = time_of_render, .frame = frame }, { .time = tt_why_gpu_time, .lag = w->gpu_lag, .frame = frame } };
	int rc = w->cap && !frame ? w->err->code : TT_OK;

	for (size_t i = 0; i < sizeof who / sizeof *who && frame && rc == TT_OK; i++) {
		struct late l = who[i];

		if (l.time == time_of_render)
			find_rendered_late(w, &l);
		else
			find_late(w, &l);
		if (l.n >= MIN_FRAMES)
			rc = put_late(w, &l);
	}
	tt_mem_free(w->mem, frame, frame ? all * sizeof *frame : 0);
	return rc;
}

/* The name of the work that was not recorded and may make frames late; NULL: everything was recorded. */
static const char *
name_unrecorded(const struct tt_why *w)
{
	if (w->m->frames->has_render)
		return w->typical_gpu ? NULL : "the GPU's time";
	return w->typical_gpu ? "what the render thread does" : "what the render thread does, and the GPU's time";
}

int
tt_why_note_late(struct tt_why *w)
{
	const struct tt_frames *f = w->m->frames;
	const char *none = name_unrecorded(w);
	char late[64], typical[32], period[32];
	bool by_all = false;

	for (size_t i = 0; i < w->out->nfinding; i++)
		by_all = by_all || w->out->finding[i].makes_late;
	if (f->nlate == 0 || !tt_why_is_steady(w->out))
		return TT_OK;
	snprintf(late, sizeof late, f->nlate == 1 ? "%llu late frame is" : "%llu late frames are", (unsigned long long)f->nlate);
	*tt_put_time_short(typical, w->out->typical) = '\0';
	*tt_put_time_short(period, w->cap) = '\0';
	if (by_all)
		w->out->late = "no late frame has a cause of its own: they are late by what all frames take";
	else if (w->cap && w->out->typical > w->cap)
		w->out->late = tt_arena_printf(w->text, w->err, "%s not explained one by one: the typical frame needs %s, more than the %s at which frames "
		    "are capped", late, typical, period);
	else if (none)
		w->out->late = tt_arena_printf(w->text, w->err, "%s not explained; not recorded: %s, which may explain %s", late, none,
		    f->nlate == 1 ? "it" : "them");
	else
		w->out->late = tt_arena_printf(w->text, w->err, "%s not explained: nothing that was recorded is clearly more than in typical frames", late);
	return w->err->code;
}

/**
 * Finds the refresh at which each picture of a swap chain is shown, if the capture has the times of hand-over to the display.
 */
#include "stat/refresh.h"

#include "stat/refresh_parts.h"

/*
 * Maximum number of frames by which the picture precedes the hand-over that waits for it. A hand-over ends when the frame's own picture, or with room in the
 * swap chain an earlier one, is shown; if that was shown already, it does not wait.
 */
enum { MAX_CHAIN = 3 };

/* A cursor along the grid: the last point on it before a time, or else the first point. */
struct along { const struct tt_refresh_fit *f; const struct tt_stretch *s; size_t q, on; };

static struct along
begin_along(const struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	struct along a = { f, s, s->first, s->first };

	while (a.on + 1 < s->end && f->tick[a.on] == TT_TICK_OFF)
		a.on++;
	return a;
}

/* The last refresh at or before ${ts}, which must not fall from call to call. */
static int32_t
last_tick(struct along *a, int64_t ts)
{
	const struct tt_refresh_fit *f = a->f;

	for (; a->q < a->s->end && f->x[a->q] <= ts; a->q++)
		if (f->tick[a->q] != TT_TICK_OFF)
			a->on = a->q;

	const int64_t ps = tt_refresh_between(f->x[a->on], ts) * 1000;

	return f->tick[a->on] + (int32_t)(ps < 0 ? -((a->s->ps - 1 - ps) / a->s->ps) : ps / a->s->ps);
}

/* The refresh for which the hand-over of frame ${k} waited, according to the points from *${q} on; TT_TICK_OFF: none. */
static int32_t
waited_tick(const struct tt_refresh_fit *f, const struct tt_stretch *s, size_t k, size_t *q)
{
	while (*q < s->end && f->of[*q] < k)
		++*q;
	return *q < s->end && f->of[*q] == k ? f->tick[*q] : TT_TICK_OFF;
}

/*
 * Store in f->shown the last refresh before the hand-over of each frame of ${s} begins, and find the lag between a frame and the picture that its hand-over
 * waits for: the smallest with which hand-overs that end between two refreshes find the picture shown already, with 10 % exceptions. ${near}: error of
 * refreshes, ns.
 */
static size_t
find_chain(struct tt_refresh_fit *f, const struct tt_stretch *s, int64_t near)
{
	struct along handed = begin_along(f, s), early = handed, over = handed;
	size_t wrong[MAX_CHAIN] = { 0 }, chain = 0;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame is = tt_refresh_frame_at(f, i);

		f->shown[i] = TT_TICK_OFF;
		if (is.presented == INT64_MIN)
			continue;
		f->shown[i] = last_tick(&handed, is.presented - is.presenting);

		const int32_t tick = last_tick(&over, is.presented + near);

		if (last_tick(&early, is.presented - is.presenting - near) == tick)
			for (size_t k = 0; k < MAX_CHAIN; k++)
				wrong[k] += i >= s->frame + k && f->shown[i - k] == tick;
	}
	while (chain + 1 < MAX_CHAIN && 10 * wrong[chain] > wrong[0])
		chain++;
	return chain;
}

/* Compute f->shown for the frames of ${s}: the refreshes from when the previous picture is shown to when its own is; 0: not known. */
void
tt_refresh_find_shown(struct tt_refresh_fit *f, const struct tt_stretch *s)
{
	const int64_t near = s->ps / 50000 + 4 * tt_refresh_spread(f, s, 1) / 1000;
	const size_t chain = find_chain(f, s, near);
	struct along over = begin_along(f, s);
	int32_t before = TT_TICK_OFF;
	int64_t end = INT64_MIN;
	size_t q = s->first;

	for (size_t i = s->frame; i < s->frame_end; i++) {
		const struct tt_refresh_frame frame = tt_refresh_frame_at(f, i), then = tt_refresh_frame_at(f, i + chain < s->frame_end ? i + chain : i);
		const bool follows = frame.start == end && before != TT_TICK_OFF;
		const int32_t handed = f->shown[i], least = follows && before > handed ? before + 1 : handed + 1;
		int32_t tick = least;

		end = frame.end;
		if (handed != TT_TICK_OFF && i + chain < s->frame_end && then.presented != INT64_MIN) {
			const int32_t waited = waited_tick(f, s, i + chain, &q), most = last_tick(&over, then.presented + near);
			const bool has_waited = waited != TT_TICK_OFF && waited <= most && waited > f->shown[i + chain];

			tick = has_waited ? waited : most < tick ? most : tick;
			tick = follows && tick <= before ? before + 1 : tick;
		}
		f->shown[i] = handed != TT_TICK_OFF && follows ? tick - before : 0;
		before = handed != TT_TICK_OFF ? tick : TT_TICK_OFF;
	}
}

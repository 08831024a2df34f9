/**
 * Finds what other threads did while the frame thread waited: what its wait ended with, what the render thread and the GPU had to do, who was in something
 * for as long as a lock was waited for.
 */
#include "why/causes_parts.h"

#include "model/names.h"
#include "model/waits.h"
#include "view/frame_sums.h"

/* A wait ended with a zone if their ends are no further apart than this. */
enum { NEAR_END_NS = 1000000, NEAR_END_TICKS = NEAR_END_NS >> TT_FRAME_TICK_SHIFT };

uint32_t
tt_why_work_of(const struct tt_why *w, uint32_t node)
{
	for (uint32_t at = node; at > TT_NODE_MORE && tt_paths_node(w->p, at)->kind == TT_NODE_ZONE; at = w->own[tt_paths_node(w->p, at)->parent]) {
		const uint32_t row = tt_paths_row(w->p, at);
		const struct tt_usual u = tt_why_usual(w, TT_OF_ROW, row);

		if (tt_why_is_rare(w, &u) && !tt_causes_library(tt_why_full_name(w, row)))
			return row;
	}
	return tt_paths_row(w->p, node);
}

/* True if the record is of a method of the program, on another thread than the frame's. */
static bool
is_method_elsewhere(const struct tt_why *w, const struct tt_frame_path *r, size_t frame)
{
	const struct tt_thread *t = tt_frame_sums_zone(w->s, r->node) ? tt_paths_thread(w->p, r->node) : NULL;
	const uint32_t row = t ? tt_paths_row(w->p, r->node) : TT_NO_ROW;

	return row != TT_NO_ROW && t->index != tt_frames_thread(w->m->frames, frame) && w->own[r->node] == r->node &&
	    w->class[r->node] == TT_CAUSE_UNKNOWN && !tt_causes_library(tt_why_full_name(w, row));
}

void
tt_why_look_at_lock(const struct tt_why *w, struct tt_cause *c)
{
	const struct tt_thread *by = NULL;
	int64_t best = INT64_MAX;

	/* A zone comes before those in it: of those that last as long as each other, it is the one that took the lock. */
	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_frame_path *r = &w->s->rec[i];

		if (!is_method_elsewhere(w, r, c->frame) || r->total < c->took - c->took / 5)
			continue;
		if (r->total > best - best / 100) {
			if (r->total < best + best / 100 && tt_paths_thread(w->p, r->node) != by)
				c->name = NULL;
			continue;
		}
		best = r->total;
		by = tt_paths_thread(w->p, r->node);
		c->row2 = tt_why_work_of(w, r->node);
		c->name = by->name;
	}
}

/* --- what a wait ended with ---------------------------------------------------------------------------- */

/* The longest zone of the call by which ${c} waits, on the frame thread; NULL: there is none, or it is less than half of what the call takes. */
static const struct tt_frame_path *
longest_wait(const struct tt_why *w, const struct tt_cause *c)
{
	const struct tt_frame_path *most = NULL;

	for (size_t i = 0; i < w->s->n; i++) {
		const uint32_t node = w->s->rec[i].node, outer = w->outer[node] ? w->outer[node] : node, slot = w->s->slot[outer];

		if (!tt_frame_sums_zone(w->s, node) || w->class[node] != c->class || w->call[node] != c->call || slot == 0)
			continue;
		most = !most || w->s->rec[slot - 1].longest > most->longest ? &w->s->rec[slot - 1] : most;
	}
	return most && most->longest >= c->took / 2 ? most : NULL;
}

/* True for the render thread's zones that end when the GPU is ready, or the display shows the frame. */
static bool
is_for_gpu(const struct tt_why *w, uint32_t node)
{
	const uint32_t row = tt_paths_row(w->p, node);

	return row != TT_NO_ROW && tt_name_match(tt_gpu_wait_markers, tt_why_full_name(w, row)) &&
	    tt_name_match(tt_render_threads, tt_paths_thread(w->p, node)->own);
}

/* True if other threads may be waited for in zones of ${node}: the program or the engine is at work, or the GPU is waited for. */
static bool
is_awaited(const struct tt_why *w, uint32_t node)
{
	const uint8_t class = w->class[node];

	if (class == TT_CAUSE_UNKNOWN)
		return w->own[node] == node && tt_paths_row(w->p, node) != TT_NO_ROW;
	if (class == TT_CAUSE_WAIT)
		return is_for_gpu(w, node);
	return class >= TT_CAUSE_COLLECTION && class < TT_CAUSE_EDITOR && class != TT_CAUSE_LOCK;
}

/* True if the longest zone of ${r}, on another thread, may be what the wait ${wait} ended with: of like length, within the frame, ending about then. */
static bool
ends_with(const struct tt_why *w, const struct tt_frame_path *r, const struct tt_frame_path *wait)
{
	const int64_t apart = (int64_t)r->longest_end - (int64_t)wait->longest_end;
	const int64_t dur = tt_frames_dur(w->m->frames, w->s->frame);

	return tt_frame_sums_zone(w->s, r->node) && r->longest >= wait->longest / 2 && r->longest / 3 <= wait->longest && apart <= NEAR_END_TICKS &&
	    apart >= -NEAR_END_TICKS && (int64_t)r->longest_end < (dur >> TT_FRAME_TICK_SHIFT) &&
	    tt_why_is_other(w, r->node, tt_frames_thread(w->m->frames, w->s->frame)) && is_awaited(w, r->node);
}

/* True if what is done at ${r} is more than usual: then it is rather waited for than what always ends about then. */
static bool
is_unusual(const struct tt_why *w, const struct tt_frame_path *r)
{
	const struct tt_fact *run = tt_why_fact(w, TT_OF_RUN, tt_paths_row(w->p, r->node));

	return run && tt_why_beyond(w, run) >= r->longest / 4;
}

/* How far apart the ends are. */
static int64_t
ends_apart(const struct tt_frame_path *r, const struct tt_frame_path *wait)
{
	const int64_t apart = (int64_t)r->longest_end - (int64_t)wait->longest_end;

	return apart < 0 ? -apart : apart;
}

/* The outermost zone around ${r}, or itself, that the wait may have ended with. */
static const struct tt_frame_path *
outermost_end(const struct tt_why *w, const struct tt_frame_path *r, const struct tt_frame_path *wait)
{
	for (uint32_t up = tt_paths_node(w->p, r->node)->parent; up > TT_NODE_MORE && w->s->slot[up]; up = tt_paths_node(w->p, up)->parent)
		r = ends_with(w, &w->s->rec[w->s->slot[up] - 1], wait) ? &w->s->rec[w->s->slot[up] - 1] : r;
	return r;
}

/* Among the zones that the wait may have ended with, one that is more than usual, and of those the one whose end is the nearest; NULL: there is none. */
static const struct tt_frame_path *
nearest_end(const struct tt_why *w, const struct tt_frame_path *wait)
{
	const struct tt_frame_path *best = NULL;

	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_frame_path *r = &w->s->rec[i];

		if (!ends_with(w, r, wait) || (best && is_unusual(w, best) > is_unusual(w, r)))
			continue;
		if (!best || is_unusual(w, r) > is_unusual(w, best) || ends_apart(r, wait) < ends_apart(best, wait))
			best = r;
	}
	return best ? outermost_end(w, best, wait) : NULL;
}

/* The innermost zone in which ${r} was for about as long, working or waiting; TT_NO_ROW: itself. */
static uint32_t
innermost(const struct tt_why *w, const struct tt_frame_path *r)
{
	uint32_t at = r->node, row = TT_NO_ROW;

	for (size_t i = (size_t)(r - w->s->rec) + 1; i < w->s->n && w->class[at] != TT_CAUSE_WAIT; i++) {
		const struct tt_frame_path *in = &w->s->rec[i];

		if (!tt_frame_sums_zone(w->s, in->node) || tt_paths_node(w->p, in->node)->parent != at || in->longest < r->longest - r->longest / 5)
			continue;
		at = in->node;
		row = tt_paths_row(w->p, at);
	}
	return row;
}

/* On how many threads the wait may have ended with the marker ${row}; *${ns}: the longest of these. */
static unsigned
count_threads(const struct tt_why *w, uint32_t row, const struct tt_frame_path *wait, int64_t *ns)
{
	const struct tt_thread *last = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_frame_path *r = &w->s->rec[i];

		if (tt_paths_row(w->p, r->node) != row || !ends_with(w, r, wait))
			continue;
		*ns = r->longest > *ns ? r->longest : *ns;
		n += tt_paths_thread(w->p, r->node) != last;
		last = tt_paths_thread(w->p, r->node);
	}
	return n;
}

bool
tt_why_look_at_end(const struct tt_why *w, struct tt_cause *c)
{
	const struct tt_frame_path *wait = longest_wait(w, c), *with = wait ? nearest_end(w, wait) : NULL;

	if (!with)
		return false;
	c->other = tt_paths_row(w->p, with->node);
	c->other_in = innermost(w, with);
	c->other_threads = count_threads(w, c->other, wait, &c->other_ns);
	c->name = tt_paths_thread(w->p, with->node)->name;
	c->ended = true;
	return true;
}

/* --- the GPU --------------------------------------------------------------------------------------------- */

/*
 * Whether the GPU was late while ${c} waited for the last frame to be presented: its time is known and longer than the period, or by a quarter than usual;
 * or the wait ended with the render thread's wait for it, and lasted longer than a period, so that vertical sync alone did not hold it.
 */
static void
look_at_gpu(const struct tt_why *w, struct tt_cause *c)
{
	const struct tt_frames *f = w->m->frames;
	const int64_t took = tt_frames_timing(f, TT_TIMING_GPU, c->frame);
	const bool is_gpu_wait = c->ended && c->other != TT_NO_ROW && tt_name_match(tt_gpu_wait_markers, tt_why_full_name(w, c->other));

	if (took > 0 && took > (w->cap ? w->cap : w->typical_gpu + w->typical_gpu / 4)) {
		c->gpu_ns = took;
		c->gpu = TT_GPU_LATE;
	} else if (is_gpu_wait && took == 0) {
		c->gpu = w->cap && c->took > w->cap + w->cap / 4 ? TT_GPU_LATE : TT_GPU_OR_SYNC;
	}
}

/*
 * The render thread's longest wait for the GPU or the display in the frame, where that is half of the wait of ${c} or more: the frame may be shown at a refresh
 * some time after it. A wait longer than a period is for the GPU.
 */
static void
look_at_render_wait(const struct tt_why *w, struct tt_cause *c)
{
	const struct tt_frame_path *most = NULL;

	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_frame_path *r = &w->s->rec[i];

		if (tt_frame_sums_zone(w->s, r->node) && is_for_gpu(w, r->node) && r->longest >= c->took / 2 && (!most || r->longest > most->longest))
			most = r;
	}
	if (!most)
		return;
	c->other = tt_paths_row(w->p, most->node);
	c->other_ns = most->longest;
	c->name = tt_paths_thread(w->p, most->node)->name;
	c->gpu = most->longest > w->cap + w->cap / 4 ? TT_GPU_LATE : TT_GPU_OR_SYNC;
}

/*
 * The work of another thread in the frame beyond the usual while this one waits: most of any, if that is half of the wait or more. It may be what was waited
 * for; the capture does not say.
 */
static void
look_at_more_work(const struct tt_why *w, struct tt_cause *c)
{
	const uint32_t own = tt_frames_thread(w->m->frames, c->frame);
	const struct tt_fact *most = NULL;
	int64_t best = c->took / 2;

	for (size_t i = 0; i < w->now.n; i++)
		if (w->now.v[i].what == TT_OF_RUN && tt_why_beyond(w, &w->now.v[i]) > best)
			best = tt_why_beyond(w, most = &w->now.v[i]);
	if (!most)
		return;
	c->other = most->id;
	c->name = tt_paths_thread(w->p, most->node)->name;
	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_frame_path *rec = &w->s->rec[i];

		if (tt_why_run(w, rec, own) == most->id && tt_paths_thread(w->p, rec->node) == tt_paths_thread(w->p, most->node))
			c->other_ns += rec->self;
	}
}

void
tt_why_look_at_others(const struct tt_why *w, struct tt_cause *c)
{
	const uint32_t call = c->call != TT_NO_FACT ? w->calls[c->call].row : TT_NO_ROW, row = call != TT_NO_ROW ? call : c->row;

	if (!tt_why_look_at_end(w, c))
		look_at_more_work(w, c);
	if (tt_waits_kind(w->m, tt_why_full_name(w, row)) != TT_WAIT_LIMIT)
		return;
	look_at_gpu(w, c);
	if (c->other == TT_NO_ROW && c->gpu == TT_GPU_UNKNOWN && w->cap)
		look_at_render_wait(w, c);
}

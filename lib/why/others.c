/**
 * Finds what other threads did while the frame thread waited: what its wait ended with, the work of the render thread and the GPU, and who was in a zone for as
 * long as a lock was waited for.
 */
#include "why/causes_parts.h"

#include "model/names.h"
#include "model/waits.h"
#include "view/frame_sums.h"

/*
 * The wait ended with a zone if the zone ends at most BEFORE_NS before it, because a thread is woken late, or AFTER_NS after it, because the waking thread has
 * a little to do until its zone ends.
 */
enum { BEFORE_NS = 1000000, AFTER_NS = 200000, BEFORE_TICKS = BEFORE_NS >> TT_FRAME_TICK_SHIFT, AFTER_TICKS = AFTER_NS >> TT_FRAME_TICK_SHIFT };

uint32_t
tt_why_work_of(const struct tt_why *w, uint32_t node)
{
	for (uint32_t at = node; at > TT_NODE_MORE && tt_paths_node(w->p, at)->kind == TT_NODE_ZONE; at = w->own[tt_paths_node(w->p, at)->parent]) {
		const uint32_t row = tt_paths_row(w->p, at);
		const struct tt_usual u = tt_why_usual(w, TT_OF_ROW, row);

		if (tt_why_is_rare(w, &u) && !tt_causes_is_library(tt_why_full_name(w, row)))
			return row;
	}
	return tt_paths_row(w->p, node);
}

/* True if ${r} is a method of the program on another thread than the frame's. */
static bool
is_method_elsewhere(const struct tt_why *w, const struct tt_frame_path *r, size_t frame)
{
	const struct tt_thread *t = tt_frame_sums_zone(w->s, r->node) ? tt_paths_thread(w->p, r->node) : NULL;
	const uint32_t row = t ? tt_paths_row(w->p, r->node) : TT_NO_ROW;

	return row != TT_NO_ROW && t->index != tt_frames_thread(w->m->frames, frame) && w->own[r->node] == r->node &&
	    w->class[r->node] == TT_CAUSE_UNKNOWN && !tt_causes_is_library(tt_why_full_name(w, row));
}

/* The longest zone of the call by which ${c} waits, on the frame thread; NULL: none, or it takes less than half of that call's time. */
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
	return most && most->longest >= c->took_ns / 2 ? most : NULL;
}

/* True if ${r} is a single zone that ended clearly before the wait ${wait} did: it cannot contain the one who held the lock until then. */
static bool
was_over(const struct tt_frame_path *r, const struct tt_frame_path *wait)
{
	return r->n == 1 && r->longest > 0 && r->longest_end + BEFORE_TICKS < wait->longest_end;
}

void
tt_why_find_lock_holder(const struct tt_why *w, struct tt_cause *c)
{
	const struct tt_frame_path *wait = longest_wait(w, c);
	const struct tt_thread *by = NULL;
	int64_t best = INT64_MAX;

	/* Records of outer zones come first: of zones that last equally long, the outermost is named. */
	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_frame_path *r = &w->s->rec[i];

		if (!is_method_elsewhere(w, r, c->frame) || r->total < c->took_ns - c->took_ns / 5 || (wait && was_over(r, wait)))
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

/* True for the render thread's zones that end when the GPU is ready, or the display shows the frame. */
static bool
is_for_gpu(const struct tt_why *w, uint32_t node)
{
	const uint32_t row = tt_paths_row(w->p, node);

	return row != TT_NO_ROW && tt_name_match(tt_gpu_wait_markers, tt_why_full_name(w, row)) &&
	    tt_name_match(tt_render_threads, tt_paths_thread(w->p, node)->own_name);
}

/* True if zones of ${node} wait for the frame limit: they may wait for a picture, and so for the render thread and the GPU. */
static bool
is_for_picture(const struct tt_why *w, uint32_t node)
{
	const uint32_t row = tt_paths_row(w->p, node);

	return row != TT_NO_ROW && tt_waits_kind(w->m, tt_why_full_name(w, row)) == TT_WAIT_LIMIT;
}

/*
 * True if the wait ${wait} may be for another thread's zones of ${node}: work of the program or the engine; or, if it waits for a picture, the render thread's
 * wait for the GPU.
 */
static bool
is_awaited(const struct tt_why *w, uint32_t node, uint32_t wait)
{
	const uint8_t class = w->class[node];

	if (class == TT_CAUSE_UNKNOWN)
		return w->own[node] == node && tt_paths_row(w->p, node) != TT_NO_ROW;
	if (class == TT_CAUSE_WAIT)
		return is_for_gpu(w, node) && is_for_picture(w, wait);
	return class >= TT_CAUSE_COLLECTION && class < TT_CAUSE_EDITOR && class != TT_CAUSE_LOCK;
}

/*
 * True if the wait ${wait} may have ended with the longest zone of ${r}, on another thread: of similar length, within the frame, ending at about the same time.
 */
static bool
ends_with(const struct tt_why *w, const struct tt_frame_path *r, const struct tt_frame_path *wait)
{
	const int64_t apart = (int64_t)r->longest_end - (int64_t)wait->longest_end;
	const int64_t dur = tt_frames_dur(w->m->frames, w->s->frame);

	return tt_frame_sums_zone(w->s, r->node) && r->longest >= wait->longest / 2 && r->longest / 3 <= wait->longest && apart <= AFTER_TICKS &&
	    apart >= -BEFORE_TICKS && (int64_t)r->longest_end < (dur >> TT_FRAME_TICK_SHIFT) &&
	    tt_why_is_other(w, r->node, tt_frames_thread(w->m->frames, w->s->frame)) && is_awaited(w, r->node, wait->node);
}

/* True if the work at ${r} takes longer than usual. Work that always ends at that time is no reason for a longer wait. */
static bool
is_unusual(const struct tt_why *w, const struct tt_frame_path *r)
{
	const struct tt_fact *run = tt_why_fact(w, TT_OF_RUN, tt_paths_row(w->p, r->node));

	return run && tt_why_beyond_usual(w, run) >= r->longest / 4;
}

/* The distance of the two ends, in ticks. */
static int64_t
ends_apart(const struct tt_frame_path *r, const struct tt_frame_path *wait)
{
	const int64_t apart = (int64_t)r->longest_end - (int64_t)wait->longest_end;

	return apart < 0 ? -apart : apart;
}

/* The outermost zone at or around ${r} that the wait may have ended with. */
static const struct tt_frame_path *
outermost_end(const struct tt_why *w, const struct tt_frame_path *r, const struct tt_frame_path *wait)
{
	for (uint32_t up = tt_paths_node(w->p, r->node)->parent; up > TT_NODE_MORE && w->s->slot[up]; up = tt_paths_node(w->p, up)->parent)
		r = ends_with(w, &w->s->rec[w->s->slot[up] - 1], wait) ? &w->s->rec[w->s->slot[up] - 1] : r;
	return r;
}

/*
 * The zone that the wait most likely ended with: unusual zones first, then the one whose end is nearest; NULL: none. For a wait of class loading only unusual
 * zones count, because loading may simply take that long.
 */
static const struct tt_frame_path *
nearest_end(const struct tt_why *w, const struct tt_frame_path *wait)
{
	const struct tt_frame_path *best = NULL;

	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_frame_path *r = &w->s->rec[i];

		if (!ends_with(w, r, wait) || ((w->class[wait->node] == TT_CAUSE_LOADING || (best && is_unusual(w, best))) && !is_unusual(w, r)))
			continue;
		if (!best || is_unusual(w, r) > is_unusual(w, best) || ends_apart(r, wait) < ends_apart(best, wait))
			best = r;
	}
	return best ? outermost_end(w, best, wait) : NULL;
}

/* The innermost zone inside ${r} that lasted about as long as ${r}, working or waiting; TT_NO_ROW: ${r} itself. */
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

/* The number of threads on which the wait may have ended with the marker ${row}; *${ns}: the longest of these zones. */
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
tt_why_find_wait_end(const struct tt_why *w, struct tt_cause *c)
{
	const struct tt_frame_path *wait = longest_wait(w, c);
	const uint32_t row = wait ? tt_paths_row(w->p, wait->node) : TT_NO_ROW;
	const bool is_system = row != TT_NO_ROW && tt_name_match(tt_system_waits, tt_why_full_name(w, row));
	const struct tt_frame_path *with = wait && !is_system ? nearest_end(w, wait) : NULL;

	if (!with)
		return false;
	c->other = tt_paths_row(w->p, with->node);
	c->other_in = innermost(w, with);
	c->nother_threads = count_threads(w, c->other, wait, &c->other_ns);
	c->name = tt_paths_thread(w->p, with->node)->name;
	c->has_wait_end = true;
	return true;
}

/* --- the GPU --------------------------------------------------------------------------------------------- */

/*
 * Thresholds: a wait is clearly longer than a period, and the GPU clearly slower than usual, by 1/OF_WAIT of it; extra work is more than noise from 1/OF_PERIOD
 * of a period on.
 */
enum { OF_WAIT = 4, OF_PERIOD = 8 };

/* Maximum number of frames between a frame and the picture that it waits for. */
enum { MAX_AHEAD = 3 };

/* The frame whose picture ${c} waits for; *${ns}: the GPU's time for that picture, 0: not known. */
static size_t
gpu_of_picture(const struct tt_why *w, const struct tt_cause *c, int64_t *ns)
{
	const size_t at = c->frame >= w->gpu_lag ? c->frame - w->gpu_lag : c->frame;

	*ns = tt_frames_timing(w->m->frames, TT_TIMING_GPU, at);
	return at;
}

/*
 * True if the GPU, which took ${took}, is late: it took longer than the period; or a quarter longer than usual, and its extra time exceeds ${render}, that of
 * the render thread.
 */
static bool
is_gpu_late(const struct tt_why *w, int64_t took, int64_t render)
{
	const int64_t usual = w->typical_gpu, more = took - usual;

	if (w->cap && took > w->cap)
		return true;
	return usual > 0 && more > usual / OF_WAIT && more > render && more >= w->cap / OF_PERIOD;
}

/* The extra time of the render thread's work in the frame, including compiling; *${most}: the marker with most of it, NULL: no extra work. */
static int64_t
more_rendering(const struct tt_why *w, const struct tt_fact **most)
{
	int64_t sum = 0;

	*most = NULL;
	for (size_t i = 0; i < w->now.n; i++) {
		const struct tt_fact *f = &w->now.v[i];
		const int64_t more = f->what == TT_OF_RUN ? tt_why_beyond_usual(w, f) : 0;

		if (more <= 0 || !tt_name_match(tt_render_threads, tt_paths_thread(w->p, f->node)->own_name))
			continue;
		sum += more;
		*most = !*most || more > tt_why_beyond_usual(w, *most) ? f : *most;
	}
	return sum;
}

/* Name in ${c} the marker of the fact ${f}, another thread's work, and how long that thread runs it in the frame. */
static void
name_work(const struct tt_why *w, const struct tt_fact *f, struct tt_cause *c)
{
	const uint32_t own = tt_frames_thread(w->m->frames, c->frame);

	c->has_wait_end = false;
	c->other = f->id;
	c->other_in = TT_NO_ROW;
	c->nother_threads = 0;
	c->other_ns = 0;
	c->name = tt_paths_thread(w->p, f->node)->name;
	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_frame_path *rec = &w->s->rec[i];

		if (tt_why_run_marker(w, rec, own) == f->id && tt_paths_thread(w->p, rec->node) == tt_paths_thread(w->p, f->node))
			c->other_ns += rec->self;
	}
}

/*
 * The render thread's longest wait for the GPU or the display in the frame, if that is at least half as long as the wait of ${c}. It need not end with that
 * wait, because a frame may be shown some time after its refresh. NULL: none.
 */
static const struct tt_frame_path *
render_wait(const struct tt_why *w, const struct tt_cause *c)
{
	const struct tt_frame_path *most = NULL;

	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_frame_path *r = &w->s->rec[i];

		if (tt_frame_sums_zone(w->s, r->node) && is_for_gpu(w, r->node) && r->longest >= c->took_ns / 2 && (!most || r->longest > most->longest))
			most = r;
	}
	return most;
}

/* The render thread while ${c} waits for a picture: its own wait for the GPU, and its extra work. */
struct rendering {
	const struct tt_frame_path *wait;     /* the longest such wait of the frame, if the wait of ${c} ended with no zone */
	int64_t waited;               /* time of that wait; 0: none */
	const struct tt_fact *most;   /* the marker with most of the extra work */
	int64_t more;
	bool is_named;                /* true: the wait of ${c} ended with that wait, or with nothing known, so that extra work may be named */
};

static struct rendering
look_at_rendering(const struct tt_why *w, const struct tt_cause *c)
{
	const bool has_other = c->other != TT_NO_ROW, ended = c->has_wait_end && has_other && tt_name_match(tt_gpu_wait_markers, tt_why_full_name(w, c->other));
	struct rendering r = { .wait = !has_other && w->cap ? render_wait(w, c) : NULL, .is_named = ended || !has_other };

	r.waited = ended ? c->other_ns : r.wait ? r.wait->longest : 0;
	r.more = more_rendering(w, &r.most);
	return r;
}

/* True if the extra work of the render thread is large enough to explain the wait ${c}. */
static bool
is_render_late(const struct tt_why *w, const struct tt_cause *c, const struct rendering *r)
{
	return r->is_named && r->most && r->more >= (w->cap ? w->cap / OF_PERIOD : c->ns / 2);
}

/*
 * Find who was late while ${c} waited for a picture. If the GPU's time is known, it tells. Else, if the render thread's own wait is a quarter longer than a
 * period, the GPU or the display's compositor was late, because vertical sync alone holds it no longer than a period. Else the render thread is late if it does
 * extra work. Else either the GPU was late or vertical sync held the frame.
 */
static void
look_at_picture(const struct tt_why *w, struct tt_cause *c)
{
	const struct rendering r = look_at_rendering(w, c);
	int64_t took;
	const size_t frame = gpu_of_picture(w, c, &took);

	if (took > 0 && is_gpu_late(w, took, r.more)) {
		c->gpu = TT_GPU_LATE;
		c->gpu_ns = took;
		c->gpu_frame = frame != c->frame ? tt_frames_number(w->m->frames, frame) : 0;
	} else if (took == 0 && w->cap && r.waited > w->cap + w->cap / OF_WAIT) {
		c->gpu = TT_GPU_OR_DISPLAY;
	} else if (is_render_late(w, c, &r)) {
		name_work(w, r.most, c);
	} else if (took == 0 && r.waited > 0) {
		c->gpu = TT_GPU_OR_SYNC;
	}
	if (r.wait && c->other == TT_NO_ROW) {
		c->other = tt_paths_row(w->p, r.wait->node);
		c->other_ns = r.wait->longest;
		c->name = tt_paths_thread(w->p, r.wait->node)->name;
	}
}

/*
 * Name the other thread's work with the most extra time during the wait, if that is more than half of the wait. The wait may have been for that work; the
 * capture does not say.
 */
static void
look_at_more_work(const struct tt_why *w, struct tt_cause *c)
{
	const struct tt_fact *most = NULL;
	int64_t best = c->took_ns / 2;

	for (size_t i = 0; i < w->now.n; i++)
		if (w->now.v[i].what == TT_OF_RUN && tt_why_beyond_usual(w, &w->now.v[i]) > best)
			best = tt_why_beyond_usual(w, most = &w->now.v[i]);
	if (most)
		name_work(w, most, c);
}

/* The record with the longest time in the marker that ${c} names on the render thread; NULL: ${c} names no work of that thread. */
static const struct tt_frame_path *
longest_drawing(const struct tt_why *w, const struct tt_cause *c)
{
	const uint32_t own = tt_frames_thread(w->m->frames, c->frame);
	const struct tt_frame_path *most = NULL;

	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_frame_path *r = &w->s->rec[i];

		if (tt_why_run_marker(w, r, own) == c->other && tt_name_match(tt_render_threads, tt_paths_thread(w->p, r->node)->own_name) &&
		    (!most || r->self > most->self))
			most = r;
	}
	return most;
}

/* True if the frame has waits below ${node}. */
static bool
has_waits(const struct tt_why *w, uint32_t node)
{
	for (size_t i = 0; i < w->s->n; i++) {
		uint32_t at = w->s->rec[i].node;

		if (!tt_frame_sums_zone(w->s, at) || w->class[at] != TT_CAUSE_WAIT)
			continue;
		while (at > node)
			at = tt_paths_node(w->p, at)->parent;
		if (at == node)
			return true;
	}
	return false;
}

/*
 * The earlier frame whose picture frame ${i} waits for: the only late one of the MAX_AHEAD frames before it, if presented pictures are counted. SIZE_MAX: not
 * known, or its own picture.
 */
static size_t
late_picture(const struct tt_why *w, size_t i)
{
	const struct tt_frames *f = w->m->frames;
	size_t late = SIZE_MAX;

	if (!f->counts_presented || tt_frames_is_late(f, i))
		return SIZE_MAX;
	for (size_t k = 1; k <= MAX_AHEAD && k <= i; k++) {
		if (!tt_frames_is_late(f, i - k))
			continue;
		if (late != SIZE_MAX)
			return SIZE_MAX;
		late = i - k;
	}
	return late;
}

/* For the render thread's work that ${c} names, find the outermost zone that consists mostly of it, and the frame whose picture it draws. */
static void
look_at_drawing(const struct tt_why *w, struct tt_cause *c)
{
	const struct tt_frame_path *r = c->other != TT_NO_ROW && !c->has_wait_end && c->gpu == TT_GPU_UNKNOWN ? longest_drawing(w, c) : NULL;

	if (!r)
		return;
	const size_t late = late_picture(w, c->frame);

	c->picture = late != SIZE_MAX ? tt_frames_number(w->m->frames, late) : 0;
	for (uint32_t up = tt_paths_node(w->p, r->node)->parent; up > TT_NODE_MORE && w->s->slot[up]; up = tt_paths_node(w->p, up)->parent) {
		const struct tt_frame_path *around = &w->s->rec[w->s->slot[up] - 1];

		if (!tt_frame_sums_zone(w->s, up) || r->self < around->total / 2 || has_waits(w, up))
			return;
		c->outer_zone = tt_paths_row(w->p, up);
		c->outer_zone_ns = around->total;
	}
}

void
tt_why_find_other_work(const struct tt_why *w, struct tt_cause *c)
{
	const uint32_t call = c->call != TT_NO_FACT ? w->calls[c->call].row : TT_NO_ROW, row = call != TT_NO_ROW ? call : c->row;

	if (!tt_why_find_wait_end(w, c))
		look_at_more_work(w, c);
	if (tt_waits_kind(w->m, tt_why_full_name(w, row)) == TT_WAIT_LIMIT) {
		look_at_picture(w, c);
		look_at_drawing(w, c);
	}
}

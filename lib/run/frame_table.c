/**
 * Adds allocations and timings to frames and finishes their table.
 */
#include "base/order.h"
#include "model/model.h"
#include "run/frame_replay.h"
#include "run/render_time.h"
#include "run/state.h"
#include "stat/num.h"

/* Allocations of a chunk in frame ${at}, which lasts from ${from} to ${to}; SIZE_MAX: in no frame. */
struct allocs {
	size_t at;
	int64_t from, to;
	uint64_t n, b;
};

static int
keep_allocs(struct tt_frames *f, const struct allocs *a, struct tt_err *err)
{
	if (a->at == SIZE_MAX || tt_column_add(&f->alloc_n, f->mem, a->at, (int64_t)a->n, err) != TT_OK)
		return err->code;
	return tt_column_add(&f->alloc_b, f->mem, a->at, (int64_t)a->b, err);
}

static int
count_allocs(struct tt_frames *f, const struct tt_thread_replay *w, const struct tt_batch *b, struct tt_err *err)
{
	struct allocs a = { .at = SIZE_MAX, .from = INT64_MAX };
	int rc = TT_OK;

	for (size_t i = 0; i < b->n && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[i];
		if (e->kind != TT_ALLOC)
			continue;
		if (e->ts < a.from || e->ts >= a.to) {
			rc = keep_allocs(f, &a, err);
			a = (struct allocs){ .at = tt_frames_find(f, w->first, w->end, e->ts), .from = INT64_MAX };
			if (a.at != SIZE_MAX) {
				a.from = tt_frames_start(f, a.at);
				a.to = tt_frames_end(f, a.at);
			}
		}
		a.n += tt_alloc_count(e);
		a.b += tt_alloc_bytes(e);
	}
	return rc == TT_OK ? keep_allocs(f, &a, err) : rc;
}

/* The frame ${back} frames, partial ones included, before the one that ${ts} falls into; SIZE_MAX if it is not in the table. */
static size_t
frame_back(const struct tt_frames *f, const struct tt_thread_replay *w, int64_t ts, unsigned back)
{
	size_t lo = tt_lower_bound(i, 0, w->marks->n, tt_column_at(&w->marks->ts, i) <= ts);    /* marks up to ts: the number of the frame */

	if (lo <= back)
		return SIZE_MAX;
	uint64_t number = lo - back;
	lo = tt_lower_bound(i, w->first, w->end, tt_frames_number(f, i) < number);
	return lo < w->end && tt_frames_number(f, lo) == number ? lo : SIZE_MAX;
}

static int
set_timing(struct tt_frames *f, const struct tt_thread_replay *w, int64_t ts, unsigned back, unsigned what, uint64_t ns, bool record, struct tt_err *err)
{
	size_t at = ns <= INT64_MAX && what < TT_TIMINGS ? frame_back(f, w, ts, back) : SIZE_MAX;

	if (at == SIZE_MAX)
		return TT_OK;
	if (record && tt_column_set(&f->is_from_record, f->mem, at, 1, err) != TT_OK)
		return err->code;
	if (ns == 0 || (tt_frames_timing(f, what, at) && !record))
		return TT_OK;
	f->has_timing = true;
	return tt_column_set(&f->timing[what], f->mem, at, (int64_t)ns, err);
}

/* The value of a counter as ns; 0 if it is negative or no number. */
static uint64_t
whole_ns(const struct tt_event *e)
{
	double d;

	switch ((enum tt_type)e->depth) {
	case TT_T_I64:
		return (int64_t)e->val > 0 ? e->val : 0;
	case TT_T_U64:
		return e->val;
	case TT_T_F64:
		memcpy(&d, &e->val, sizeof d);
		return d > 0 && d < 9e18 ? (uint64_t)d : 0;
	default:
		return 0;
	}
}

/* Add work of the GPU to the frame that submitted it. */
static int
add_gpu(struct tt_replay *p, const struct tt_thread_replay *w, const struct tt_event *e, struct tt_err *err)
{
	const size_t at = frame_back(p->m->frames, w, e->ts, 0);

	if (at == SIZE_MAX || e->val > INT64_MAX - (uint64_t)tt_column_at(&p->gpu, at))
		return TT_OK;
	return tt_column_add(&p->gpu, &p->m->env->mem, at, (int64_t)e->val, err);
}

/* Assign figures that the engine measured to the frames they are about; a record takes precedence over a counter. */
static int
take_timings(struct tt_replay *p, const struct tt_thread_replay *w, const struct tt_batch *b, struct tt_err *err)
{
	const size_t n = tt_batch_nrare(b, TT_KIND(TT_GPU_WORK) | TT_KIND(TT_TIMING) | TT_KIND(TT_COUNTER));
	struct tt_frames *f = p->m->frames;
	int rc = TT_OK;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[b->rare[i]];
		if (e->kind == TT_GPU_WORK)
			rc = add_gpu(p, w, e, err);
		if (e->kind == TT_TIMING)
			rc = set_timing(f, w, e->ts, e->dur, e->depth, e->val, true, err);
		for (unsigned k = 0; e->kind == TT_COUNTER && k < w->ntimer && rc == TT_OK; k++)
			if ((uint32_t)w->timer[k].key == e->dur)
				rc = set_timing(f, w, e->ts, w->timer[k].nframes_late, (unsigned)w->timer[k].timing, whole_ns(e), false, err);
	}
	return rc;
}

/* 1 if the chunk is to be replayed, 0 if it lies before the first frame of ${w} or after the last; < 0: ${err}. */
static int
is_in_frames(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_batch *b, const struct tt_stack *before, struct tt_err *err)
{
	const struct tt_frames *f = p->m->frames;
	bool timed = b->min_ts <= b->max_ts;

	if (w->first == w->end || (timed && b->min_ts >= tt_frames_end(f, w->end - 1)))
		w->chunk_place = TT_REPLAY_AFTER;
	if (w->chunk_place == TT_REPLAY_BEFORE && timed && b->max_ts >= tt_frames_start(f, w->first)) {
		w->chunk_place = TT_REPLAY_IN;
		if (tt_thread_replay_enter(p, w, before, err) != TT_OK)
			return err->code;
	}
	return w->chunk_place == TT_REPLAY_IN;
}

/* Add the render thread's zones of a chunk to its time in each frame. */
static int
render_chunk(struct tt_replay *p, const struct tt_batch *b, const struct tt_stack *before, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; p->render_time && i < p->nwatch && rc == TT_OK; i++)
		if (p->render_time[i])
			rc = tt_render_chunk(p->render_time[i], b, before, err);
	return rc;
}

int
tt_frames_chunk(struct tt_replay *p, const struct tt_batch *b, const struct tt_stack *before, struct tt_err *err)
{
	const bool *keep = p->m->keep_thread;
	int rc = render_chunk(p, b, before, err);

	for (size_t i = 0; i < p->nwatch && rc == TT_OK; i++) {
		struct tt_thread_replay *w = &p->w[i];
		if (w->process != b->process)
			continue;
		if (b->nalloc && (!keep || keep[b->thread]))
			rc = count_allocs(p->m->frames, w, b, err);
		TT_THEN(rc, take_timings(p, w, b, err));
		if (rc != TT_OK || w->thread != b->thread)
			continue;
		int in = before ? is_in_frames(p, w, b, before, err) : 1;
		return in > 0 ? tt_thread_replay_chunk(p, w, b, err) : in;
	}
	return rc;
}

static int
by_badness(const void *a, const void *b)
{
	const struct tt_hitch *x = a, *y = b;

	return x->rank_ns != y->rank_ns ? TT_CMP(y->rank_ns, x->rank_ns) : TT_CMP(x->frame, y->frame);
}

/*
 * Markers of one name are one row: methods compiled twice, or a label that was recorded under two keys. If times are equal, the name decides the order, which
 * keys would decide otherwise in each format.
 */
static void
join_names(const struct tt_model *m, struct tt_hitch *h)
{
	const uint32_t process = m->threads.t[tt_frames_thread(m->frames, h->frame)]->process;
	const struct tt_name *name[sizeof h->top / sizeof h->top[0]];
	unsigned n = 0;

	for (unsigned i = 0; i < h->ntop; i++) {
		struct tt_hitch_top row = h->top[i];
		const struct tt_name *own = tt_model_key(m, process, row.key);
		unsigned k = 0;

		while (k < n && !(own && name[k] && own->category == name[k]->category && strcmp(own->full, name[k]->full) == 0))
			k++;
		if (k < n) {
			row.key = h->top[k].key;
			row.self += h->top[k].self;
			row.calls += h->top[k].calls;
		} else {
			n++;
		}
		for (; k > 0 && (h->top[k - 1].self < row.self || (h->top[k - 1].self == row.self && own && name[k - 1] &&
		    strcmp(own->full, name[k - 1]->full) < 0)); k--) {
			h->top[k] = h->top[k - 1];
			name[k] = name[k - 1];
		}
		h->top[k] = row;
		name[k] = own;
	}
	while (n > 1 && h->top[n - 1].self == 0)          /* rows without a part of the frame's time */
		n--;
	h->ntop = n < TT_HITCH_TOP ? n : TT_HITCH_TOP;
}

/* Copy the sums by category to the model. Both lists of categories are in order of name; the model's may have grown. */
static int
give_categories(const struct tt_replay *p, struct tt_err *err)
{
	struct tt_model *m = p->m;
	struct tt_frames *f = m->frames;
	size_t k = 0;

	f->category_stat = tt_arena_alloc(&m->arena, (m->ncategory + 1) * sizeof *f->category_stat, err);
	if (!f->category_stat)
		return err->code;
	f->ncategory_stat = m->ncategory;
	for (size_t i = 0; i < p->ncategory; i++) {
		while (k < m->ncategory && strcmp(m->category[k].name, p->name[i].name) < 0)
			k++;
		if (k == m->ncategory || strcmp(m->category[k].name, p->name[i].name) != 0)
			continue;
		f->category_stat[k] = p->category[i];
		f->category_stat[k].hist = (uint32_t)i;
	}
	return TT_OK;
}

/* Fill in GPU and render-thread times from the capture's zones where the engine measured none. */
static int
finish_timings(struct tt_replay *p, struct tt_frames *f, struct tt_err *err)
{
	int rc = TT_OK;

	/* The engine's figure of the whole frame takes precedence over the sum of its parts. */
	for (size_t i = 0; p->gpu.cap && i < f->n && rc == TT_OK; i++)
		if (tt_column_at(&p->gpu, i) && tt_frames_timing(f, TT_TIMING_GPU, i) == 0) {
			rc = tt_column_set(&f->timing[TT_TIMING_GPU], f->mem, i, tt_column_at(&p->gpu, i), err);
			f->has_timing = true;
		}
	for (size_t i = 0; p->render_time && i < p->nwatch && rc == TT_OK; i++)
		rc = p->render_time[i] ? tt_render_finish(p->render_time[i], err) : TT_OK;
	for (size_t i = 0; f->has_timing && i < f->n && !f->render_measured; i++)
		f->render_measured = tt_frames_timing(f, TT_TIMING_RENDER, i) > 0;
	for (size_t i = 0; i < f->n && !f->has_render; i++)
		f->has_render = tt_frames_render(f, i) > 0;
	/* Only beside other timings does the render thread's time tell what limits a frame. */
	for (size_t i = 0; f->has_timing && !f->render_measured && i < f->n && rc == TT_OK; i++)
		if (tt_column_at(&f->render_ns, i))
			rc = tt_column_set(&f->timing[TT_TIMING_RENDER], f->mem, i, tt_column_at(&f->render_ns, i), err);
	return rc;
}

/* Rank late frames by the render thread, too, if it works longer than the main thread. Its work is known only after all its zones, and not by marker. */
static int
rank_by_render(struct tt_frames *f, struct tt_err *err)
{
	int64_t *v, usual;
	size_t n = 0;

	if (!f->has_render)
		return TT_OK;
	if (!(v = tt_mem_alloc(f->mem, f->n * sizeof *v, err)))
		return err->code;
	for (size_t i = 0; i < f->n; i++)
		if (tt_frames_render(f, i) > 0)
			v[n++] = tt_frames_render(f, i);
	usual = tt_quantile_of_i64(v, n, 1, 2);
	tt_mem_free(f->mem, v, f->n * sizeof *v);
	for (size_t i = 0; i < f->n; i++)
		if (tt_frames_render(f, i) > tt_frames_uncapped(f, i) && tt_frames_render(f, i) > usual + usual / 4)
			tt_hitches_raise(&f->latest, i, tt_frames_render(f, i));
	return TT_OK;
}

static void
finish_worst(const struct tt_model *m, struct tt_hitches *list)
{
	for (size_t i = 0; i < list->n; i++)
		join_names(m, &list->h[i]);
	tt_sort(list->h, list->n, by_badness);
}

int
tt_frames_finish(struct tt_replay *p, struct tt_err *err)
{
	struct tt_model *m = p->m;
	struct tt_frames *f = m->frames;
	int rc;

	if (!f)
		return TT_OK;
	f->nmarker_stat = tt_tree_markers(m->tree);
	f->marker_stat = tt_arena_alloc(&m->arena, (f->nmarker_stat + 1) * sizeof *f->marker_stat, err);
	if (!f->marker_stat)
		return err->code;
	rc = finish_timings(p, f, err);
	for (size_t i = 0; i < p->nwatch && rc == TT_OK; i++)
		rc = tt_thread_replay_advance(p, &p->w[i], INT64_MAX, err);
	for (size_t i = 0; i < f->nmarker_stat && rc == TT_OK; i++) {
		const struct tt_marker *k = tt_tree_marker(m->tree, (uint32_t)i);
		for (size_t j = 0; j < p->nwatch && rc == TT_OK; j++)
			if (p->w[j].process == k->process)
				rc = tt_thread_replay_sum(p, &p->w[j], k->key, &f->marker_stat[i], err);
	}
	TT_THEN(rc, tt_frames_find_refreshes(f, err));
	for (size_t i = 0; i < f->latest.n; i++)
		f->latest.h[i].rank_ns = tt_frames_uncapped(f, f->latest.h[i].frame);
	TT_THEN(rc, rank_by_render(f, err));
	finish_worst(m, &f->longest);
	finish_worst(m, &f->busiest);
	finish_worst(m, &f->latest);
	return rc == TT_OK ? give_categories(p, err) : rc;
}

void
tt_frames_free(struct tt_model *m)
{
	struct tt_frames *f = m->frames;

	if (!f)
		return;
	tt_frames_empty(f);
	tt_mem_free(f->mem, f, sizeof *f);
	m->frames = NULL;
}

void
tt_replay_free(struct tt_replay *p)
{
	struct tt_mem *mem = &p->m->env->mem;

	for (size_t i = 0; i < p->nwatch; i++)
		tt_thread_replay_free(&p->w[i], mem);
	for (size_t i = 0; p->render_time && i < p->m->ncap; i++)
		tt_render_free(p->render_time[i]);
	tt_mem_free(mem, p->render_time, p->render_time ? p->m->ncap * sizeof *p->render_time : 0);
	tt_column_free(&p->gpu, mem);
	tt_mem_free(mem, p->w, p->w ? p->m->ncap * sizeof *p->w : 0);
	tt_mem_free(mem, p->category, (p->ncategory + 1) * sizeof *p->category);
	tt_mem_free(mem, p->share, (p->ncategory + 1) * sizeof *p->share);
	tt_mem_free(mem, p->used, (p->ncategory + 1) * sizeof *p->used);
}

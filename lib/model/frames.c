/**
 * Keeps the table of frames and finds the frame of a time.
 */
#include "model/frames.h"

#include "base/order.h"
#include "model/model.h"

int
tt_frames_add(struct tt_frames *f, const struct tt_frame *is, struct tt_err *err)
{
	int rc = tt_column_push(&f->start, f->mem, is->start, err);

	if (rc == TT_OK && f->n)
		rc = tt_column_set(&f->gap, f->mem, f->n, (int64_t)((uint64_t)is->start - (uint64_t)f->end), err);
	TT_THEN(rc, tt_column_push(&f->number_less_index, f->mem, (int64_t)(is->number - f->n), err));
	TT_THEN(rc, tt_column_push(&f->engine_number, f->mem, is->engine_number, err));
	f->has_engine_number = f->has_engine_number || is->engine_number;
	f->n += rc == TT_OK;
	f->end = (int64_t)((uint64_t)is->start + (uint64_t)is->dur);
	return rc;
}

uint32_t
tt_frames_thread(const struct tt_frames *f, size_t i)
{
	return f->range[tt_lower_bound(k, 0, f->nrange - 1, f->range[k].end <= i)].thread;
}

void
tt_frames_empty(struct tt_frames *f)
{
	struct tt_column *column[] = {
		&f->start, &f->gap, &f->number_less_index, &f->engine_number, &f->alloc_b, &f->alloc_n, &f->wait_ns, &f->outside_ns, &f->editor_ns,
		&f->editor_wait_ns, &f->limit_ns, &f->present_ns, &f->other_wait_ns, &f->is_from_record, &f->render_ns, &f->nexamined_before,
		&f->released, &f->presented_ts, &f->handover_ns, &f->refreshes
	};
	for (size_t i = 0; i < sizeof column / sizeof *column; i++)
		tt_column_free(column[i], f->mem);
	for (unsigned i = 0; i < TT_TIMINGS; i++)
		tt_column_free(&f->timing[i], f->mem);
	tt_tally_free(&f->category_hist);
	tt_mem_free(f->mem, f->segment, f->nsegment * sizeof *f->segment);
	f->segment = NULL;
	f->nsegment = 0;
	f->n = 0;
}

void
tt_frames_category_hist(const struct tt_frames *f, size_t category, struct tt_hist *h)
{
	const struct tt_times *in = &f->category_stat[category].self_times;

	tt_hist_init(h);
	tt_hist_add(h, 0, f->n - in->n);
	tt_tally_hist(&f->category_hist, f->category_stat[category].hist, in, h);
}

size_t
tt_frames_find(const struct tt_frames *f, size_t from, size_t to, int64_t ts)
{
	from = tt_lower_bound(i, from, to, tt_frames_start(f, i) <= ts);
	return from > 0 && ts >= tt_frames_start(f, from - 1) && ts < tt_frames_end(f, from - 1) ? from - 1 : SIZE_MAX;
}

bool
tt_frames_range(const struct tt_frames *f, uint32_t process, size_t *first, size_t *end)
{
	for (size_t i = 0; i < f->nrange; i++) {
		if (f->range[i].process != process)
			continue;
		*first = f->range[i].first;
		*end = f->range[i].end;
		return true;
	}
	return false;
}

size_t
tt_frames_at(const struct tt_frames *f, uint32_t process, int64_t ts, size_t *last)
{
	size_t at = *last, first, end;

	if (!tt_frames_range(f, process, &first, &end))
		return SIZE_MAX;
	/* Events come in order: it is the same frame, or the next one. */
	for (size_t i = at; i >= first && i < end && i - at < 2; i++)
		if (ts >= tt_frames_start(f, i) && ts < tt_frames_end(f, i))
			return *last = i;
	at = tt_frames_find(f, first, end, ts);
	if (at != SIZE_MAX)
		*last = at;
	return at;
}

const char *
tt_frames_missing(const struct tt_model *m, struct tt_arena *a, struct tt_err *err)
{
	struct tt_mem *mem = &m->env->mem;
	bool *missing = m->frames && m->frames->n ? tt_mem_alloc(mem, m->ncap * sizeof *missing, err) : NULL;
	const char *list = NULL;

	if (!missing)
		return NULL;
	memset(missing, true, m->ncap * sizeof *missing);
	for (size_t i = 0; i < m->frames->nrange; i++)
		missing[m->frames->range[i].process] = m->frames->range[i].end == m->frames->range[i].first;
	list = tt_capture_list(m->cap, m->ncap, missing, a, err);
	tt_mem_free(mem, missing, m->ncap * sizeof *missing);
	return list;
}

/**
 * Keeps the work of each marker of a frame thread, frame by frame and in all.
 */
#include "run/frame_rows.h"

#include "base/order.h"
#include "model/waits.h"

static int
more_rows(struct tt_thread_replay *w, struct tt_mem *mem, struct tt_err *err)
{
	size_t cap = w->caprow ? w->caprow * 2 : 256;
	struct tt_thread_replay_row *row = tt_mem_alloc_lines(mem, cap * sizeof *row, err);

	if (!row)
		return err->code;
	if (w->nrow)
		memcpy(row, w->row, w->nrow * sizeof *row);
	tt_mem_free(mem, w->row, w->caprow * sizeof *w->row);
	w->row = row;
	w->caprow = cap;
	return TT_OK;
}

static uint8_t
idle_of(const struct tt_model *m, uint64_t key, const struct tt_name *n)
{
	static const uint8_t of[] = { [TT_WAIT_NOT] = 0, [TT_WAIT_ANY] = TT_IDLE(TT_IDLE_WAIT),
		[TT_WAIT_LIMIT] = TT_IDLE(TT_IDLE_WAIT) | TT_IDLE(TT_IDLE_LIMIT),
		[TT_WAIT_LIMIT_ONLY] = TT_IDLE(TT_IDLE_WAIT) | TT_IDLE(TT_IDLE_LIMIT) | TT_IDLE(TT_IDLE_LIMIT_ONLY) };

	if (key == TT_KEY_CONTENTION)
		return of[TT_WAIT_ANY];
	if (!n)
		return 0;
	return (uint8_t)(of[tt_waits_has(m, n) ? tt_waits_kind(m, n->full) : TT_WAIT_NOT] | (n->editor ? TT_IDLE(TT_IDLE_EDITOR) : 0));
}

/* True if ${row}, whose key differs, has the same name and properties as ${new}. */
static bool
is_same(const struct tt_replay *p, const struct tt_thread_replay *w, const struct tt_thread_replay_row *row,
    const struct tt_thread_replay_row *new, const char *full)
{
	return row->category == new->category && row->idle == new->idle && row->is_alloc_wrapper == new->is_alloc_wrapper &&
	    strcmp(tt_model_key(p->m, w->process, row->key)->full, full) == 0;
}

/* Register the new row by its name, or make it an alias of a row with the same name, so that a frame in which both run counts once. */
static int
name_row(struct tt_replay *p, struct tt_thread_replay *w, const char *full, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_text(0, full, strlen(full));
	struct tt_thread_replay_row *new = &w->row[w->nrow];
	uint32_t at = tt_map_find(&w->named, hash, i, is_same(p, w, &w->row[i], new, full));

	if (!at)
		return tt_map_add(&w->named, &p->m->env->mem, hash, w->nrow, err);
	new->is_alias = true;
	new->frame = at - 1;
	return TT_OK;
}

struct tt_thread_replay_row *
tt_replay_new_row(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, struct tt_err *err)
{
	struct tt_mem *mem = &p->m->env->mem;

	if ((w->nrow == w->caprow && more_rows(w, mem, err) != TT_OK) ||
	    tt_mem_grow(mem, &w->sum, &w->capsum, w->nrow + 1, sizeof *w->sum, err) != TT_OK ||
	    tt_mem_grow(mem, &w->idle, &w->capidle, w->nrow + 1, sizeof *w->idle, err) != TT_OK ||
	    (p->m->frames->player_only && tt_mem_grow(mem, &w->editor, &w->capeditor, w->nrow + 1, sizeof *w->editor, err) != TT_OK))
		return NULL;
	const struct tt_name *n = tt_model_key(p->m, w->process, key);
	struct tt_thread_replay_row *row = &w->row[w->nrow];
	*row = (struct tt_thread_replay_row){ .key = key, .category = n ? n->category : UINT32_MAX, .active_since = INT64_MIN,
		.is_alloc_wrapper = n && n->is_alloc_wrapper && !p->m->filter.wrappers };
	row->idle = row->is_alloc_wrapper ? 0 : idle_of(p->m, key, n);
	if (n && n->is_defined && name_row(p, w, n->full, err) != TT_OK)
		return NULL;
	return tt_map_add(&w->row_index, mem, tt_seeded_mix(0, key), w->nrow, err) == TT_OK ? &w->row[w->nrow++] : NULL;
}

static uint32_t
place_of(const struct tt_thread_replay *w, uint64_t key)
{
	return tt_map_find(&w->row_index, tt_seeded_mix(0, key), i, w->row[i].key == key);
}

struct tt_thread_replay_row *
tt_replay_find_row(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, uint32_t *near, struct tt_err *err)
{
	uint32_t at = place_of(w, key);
	struct tt_thread_replay_row *row = at ? &w->row[at - 1] : tt_replay_new_row(p, w, key, err);

	if (row && row->is_alias)
		return &w->row[row->frame];
	if (row)
		*near = (uint32_t)(row - w->row);
	return row;
}

/* The longest of the frames from ${frame} on. */
static int64_t
longest_since(const struct tt_thread_replay *w, uint32_t frame)
{
	size_t lo = tt_lower_bound(k, 0, w->npeak, w->peak[k].frame < frame);

	return lo < w->npeak ? w->peak[lo].dur : 0;
}

void
tt_replay_catch_up(struct tt_thread_replay *w, struct tt_thread_replay_row *row)
{
	struct tt_frame_marker *sum = &w->sum[row - w->row];

	if (row->nactive && row->frame < w->frame) {
		int64_t most = longest_since(w, row->frame);

		sum->nframes += w->nlong_past - row->nlong_past;
		sum->total += w->past_ns - row->past_ns;
		if (most > sum->total_max)
			sum->total_max = most;
	}
	row->frame = (uint32_t)w->frame;
	row->past_ns = w->past_ns;
	row->nlong_past = w->nlong_past;
}

int
tt_replay_touch(struct tt_replay *p, struct tt_thread_replay *w, struct tt_thread_replay_row *row, struct tt_err *err)
{
	if (row->is_touched)
		return TT_OK;
	int rc = tt_mem_grow(&p->m->env->mem, &w->touched, &w->captouched, w->ntouched + 1, sizeof *w->touched, err);
	if (rc == TT_OK) {
		tt_replay_catch_up(w, row);
		row->is_touched = true;
		w->touched[w->ntouched++] = (uint32_t)(row - w->row);
	}
	return rc;
}

int
tt_replay_pass_frame(struct tt_replay *p, struct tt_thread_replay *w, int64_t dur, struct tt_err *err)
{
	while (w->npeak > 0 && w->peak[w->npeak - 1].dur <= dur)
		w->npeak--;
	int rc = tt_mem_grow(&p->m->env->mem, &w->peak, &w->cappeak, w->npeak + 1, sizeof *w->peak, err);
	if (rc == TT_OK)
		w->peak[w->npeak++] = (struct peak){ .frame = (uint32_t)w->frame, .dur = dur };
	w->past_ns += dur;
	w->nlong_past += dur > 0;
	return rc;
}

int
tt_thread_replay_sum(struct tt_replay *p, struct tt_thread_replay *w, uint64_t key, struct tt_frame_marker *sum, struct tt_err *err)
{
	struct tt_thread_replay_row *row = tt_replay_row(p, w, key, err);
	uint32_t at = place_of(w, key);

	if (!row)
		return err->code;
	*sum = (struct tt_frame_marker){ 0 };
	if (at && w->row[at - 1].is_alias)
		return TT_OK;
	tt_replay_catch_up(w, row);
	*sum = w->sum[row - w->row];
	return TT_OK;
}

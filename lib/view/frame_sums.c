/**
 * Reads the sums of paths frame by frame.
 */
#include "view/frame_sums.h"

#include "base/order.h"
#include "view/view.h"

static void
close_all(struct tt_frame_sums *s)
{
	tt_by_frame_close(s->sums);
	tt_by_frame_close(s->filling_sums);
	s->sums = s->filling_sums = NULL;
	s->next = s->next_filling = NULL;
}

void
tt_frame_sums_free(struct tt_frame_sums *s)
{
	struct tt_mem *mem = &s->m->env->mem;

	close_all(s);
	tt_mem_free(mem, s->flags, s->flags ? s->p->n * sizeof *s->flags : 0);
	tt_mem_free(mem, s->slot, s->slot ? s->p->n * sizeof *s->slot : 0);
	tt_mem_free(mem, s->rec, s->cap * sizeof *s->rec);
	tt_mem_free(mem, s->merge_copy, s->capmerge_copy * sizeof *s->merge_copy);
	tt_mem_free(mem, s->wait_below_ns, s->capwait_below_ns * sizeof *s->wait_below_ns);
	tt_mem_free(mem, s->filling, s->capfilling * sizeof *s->filling);
	tt_mem_free(mem, s->change, s->capchange * sizeof *s->change);
	s->flags = NULL;
	s->slot = NULL;
	s->change = NULL;
	s->nchange = s->capchange = 0;
	s->rec = s->merge_copy = NULL;
	s->wait_below_ns = NULL;
	s->filling = NULL;
	s->cap = s->capmerge_copy = s->capwait_below_ns = s->capfilling = s->nfilling = 0;
}

/* Mark zones that wait, and the outermost shown zones, in s->flags. */
static void
find_waits(struct tt_frame_sums *s)
{
	for (uint32_t i = 0; i < s->p->n; i++) {
		uint32_t up = tt_paths_node(s->p, i)->parent;
		bool outside;

		if (!tt_frame_sums_zone(s, i))
			continue;
		outside = !(s->flags[up] & TT_SUM_IN_WAIT);
		if (!outside || s->p->waits[tt_paths_row(s->p, i)])
			s->flags[i] |= TT_SUM_IN_WAIT | (outside ? TT_SUM_WAIT : 0);
		if (tt_paths_shown(s->p, i) && tt_paths_node(s->p, s->p->owner[up])->kind == TT_NODE_THREAD)
			s->flags[i] |= TT_SUM_TOP;
	}
}

static void
find_outer(struct tt_frame_sums *s, uint32_t *open)
{
	struct tt_walk w = { .p = s->p };

	while (tt_walk_next(&w)) {
		uint32_t row = tt_paths_timed(s->p, w.node) && tt_paths_shown(s->p, w.node) ? tt_paths_row(s->p, w.node) : TT_NO_ROW;

		if (row == TT_NO_ROW)
			continue;
		if (w.leave)
			open[row]--;
		else if (open[row]++ == 0)
			s->flags[w.node] |= TT_SUM_OUTER;
	}
}

void
tt_frame_sums_init(struct tt_frame_sums *s, struct tt_views *view, struct tt_err *err)
{
	struct tt_mem *mem = &view->m->env->mem;
	uint32_t *open = NULL;

	*s = (struct tt_frame_sums){ .m = view->m, .err = err };
	s->p = tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_LINK | TT_PATHS_WAITS, err);
	if (!s->p)
		return;
	open = tt_mem_alloc(mem, s->p->nrow * sizeof *open, err);
	s->flags = open ? tt_mem_alloc(mem, s->p->n * sizeof *s->flags, err) : NULL;
	s->slot = s->flags ? tt_mem_alloc(mem, s->p->n * sizeof *s->slot, err) : NULL;
	if (s->slot) {
		find_waits(s);
		find_outer(s, open);
	}
	tt_mem_free(mem, open, open ? s->p->nrow * sizeof *open : 0);
}

/* The next record of ${in}; NULL: there is none, or an error. */
static const struct tt_frame_path *
fetch(struct tt_frame_sums *s, struct tt_sorted *in)
{
	const void *rec;

	return tt_by_frame_next(in, &rec, s->err) == TT_OK ? rec : NULL;
}

void
tt_frame_sums_fetch(struct tt_frame_sums *s)
{
	s->next = fetch(s, s->sums);
}

void
tt_frame_sums_rewind(struct tt_frame_sums *s)
{
	close_all(s);
	s->nfilling = s->nchange = s->next_chosen = 0;
	s->frame = 0;
	s->begun = false;
	if (s->err->code == TT_OK && s->slot)
		tt_by_frame_open(s->m, TT_BY_FRAME_PATHS, &s->sums, s->err);
	if (s->err->code == TT_OK && s->slot)
		tt_by_frame_open(s->m, TT_BY_FRAME_FILLING, &s->filling_sums, s->err);
	tt_frame_sums_fetch(s);
	s->next_filling = fetch(s, s->filling_sums);
}

static bool
add(struct tt_frame_sums *s, const struct tt_frame_path *rec)
{
	if (s->slot[rec->node]) {
		tt_frame_path_join(&s->rec[s->slot[rec->node] - 1], rec);
		return true;
	}
	if (tt_mem_grow(&s->m->env->mem, &s->rec, &s->cap, s->n + 1, sizeof *s->rec, s->err) != TT_OK)
		return false;
	s->rec[s->n++] = *rec;
	s->slot[rec->node] = (uint32_t)s->n;
	return true;
}

static int
by_node(const void *a, const void *b)
{
	const struct tt_frame_path *x = a, *y = b;

	return TT_CMP(x->node, y->node);
}

static void
order(struct tt_frame_sums *s)
{
	tt_sort(s->rec, s->n, by_node);
	for (size_t i = 0; i < s->n; i++)
		s->slot[s->rec[i].node] = (uint32_t)i + 1;
}

/* Merge the first ${n} sums and the rest, each of which is in node order. */
static bool
merge(struct tt_frame_sums *s, size_t n)
{
	size_t i = 0, k = n, to = 0;

	if (n == 0 || n == s->n)
		return true;
	if (tt_mem_grow(&s->m->env->mem, &s->merge_copy, &s->capmerge_copy, n, sizeof *s->merge_copy, s->err) != TT_OK)
		return false;
	memcpy(s->merge_copy, s->rec, n * sizeof *s->merge_copy);
	while (i < n) {
		s->rec[to] = k < s->n && s->rec[k].node < s->merge_copy[i].node ? s->rec[k++] : s->merge_copy[i++];
		s->slot[s->rec[to].node] = (uint32_t)to + 1;
		to++;
	}
	for (; k < s->n; k++)
		s->slot[s->rec[k].node] = (uint32_t)k + 1;
	return true;
}

/* Add the sums of the zones that fill the current frame. */
static bool
add_filling(struct tt_frame_sums *s)
{
	int64_t dur = tt_frames_dur(s->m->frames, s->frame);
	size_t had = s->n;

	if (s->nfilling == 0 || dur == 0)
		return true;
	for (size_t i = 0; i < s->nfilling; i++) {
		const struct tt_frame_path *f = &s->filling[i];

		if (!add(s, &(struct tt_frame_path){ .frame = (uint32_t)s->frame, .node = f->node, .total = f->total * dur, .self = f->self * dur }))
			return false;
	}
	return merge(s, had);
}

/* Update s->filling: drop zones that end before ${frame}, and add those that begin to fill frames at or before it. */
static bool
find_filling(struct tt_frame_sums *s, size_t frame)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nfilling; i++)
		if (s->filling[i].filled_until > frame)
			s->filling[n++] = s->filling[i];
	s->nfilling = n;
	for (; s->next_filling && s->next_filling->frame <= frame; s->next_filling = fetch(s, s->filling_sums)) {
		if (s->next_filling->filled_until <= frame || (s->filling_mask && !(s->flags[s->next_filling->node] & s->filling_mask)))
			continue;
		if (tt_mem_grow(&s->m->env->mem, &s->filling, &s->capfilling, s->nfilling + 1, sizeof *s->filling, s->err) != TT_OK)
			return false;
		s->filling[s->nfilling++] = *s->next_filling;
	}
	if (s->nfilling != n)
		tt_sort(s->filling, s->nfilling, by_node);
	return s->err->code == TT_OK;
}

static bool
is_zone(const struct tt_frame_sums *s, uint32_t node)
{
	return node > TT_NODE_MORE && tt_paths_node(s->p, node)->kind == TT_NODE_ZONE;
}

/*
 * Add enclosing zones that have no sum of their own: those that damage cut short; or, if s->lists_changes, all that fill the frame. In the latter case their
 * own parents are not needed.
 */
static void
add_parents(struct tt_frame_sums *s)
{
	const size_t had = s->n;

	for (size_t i = 0; i < (s->lists_changes ? had : s->n); i++) {
		uint32_t up = tt_paths_node(s->p, s->rec[i].node)->parent;

		if (is_zone(s, up) && !s->slot[up] &&
		    !add(s, &(struct tt_frame_path){ .frame = s->rec[i].frame, .node = up }))
			return;
	}
	if (s->n != had)
		order(s);
}

/* Compute self times as tt_counts_settle() does. */
static void
settle(struct tt_frame_sums *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct tt_node *n = tt_paths_node(s->p, s->rec[i].node);

		if (!is_zone(s, s->rec[i].node))
			continue;
		s->rec[i].self += s->rec[i].total;
		if (s->slot[n->parent])
			s->rec[s->slot[n->parent] - 1].self -= s->rec[i].total;
	}
}

/* Remove waiting as tt_waits_drop() does. */
static void
drop_waits(struct tt_frame_sums *s)
{
	if (tt_mem_grow(&s->m->env->mem, &s->wait_below_ns, &s->capwait_below_ns, s->n, sizeof *s->wait_below_ns, s->err) != TT_OK)
		return;
	memset(s->wait_below_ns, 0, s->n * sizeof *s->wait_below_ns);
	for (size_t i = s->n; i-- > 0;) {
		struct tt_frame_path *rec = &s->rec[i];
		uint32_t up = tt_paths_node(s->p, rec->node)->parent;
		uint8_t is = s->flags[rec->node];

		if (!tt_frame_sums_zone(s, rec->node))
			continue;
		if (s->slot[up])
			s->wait_below_ns[s->slot[up] - 1] += is & TT_SUM_WAIT ? rec->total : is & TT_SUM_IN_WAIT ? 0 : s->wait_below_ns[i];
		if (is & TT_SUM_IN_WAIT)
			rec->n = 0, rec->total = rec->self = 0;
		else
			rec->total -= s->wait_below_ns[i];
	}
}

static bool
put_change(struct tt_frame_sums *s, uint32_t node, int64_t total, int64_t self)
{
	if (tt_mem_grow(&s->m->env->mem, &s->change, &s->capchange, s->nchange + 1, sizeof *s->change, s->err) != TT_OK)
		return false;
	s->change[s->nchange++] = (struct tt_frame_change){ node, total, self };
	return true;
}

/* Record that the zones of ${f} begin (${way} 1) or end (-1) to fill frames, with self times settled as sums are. */
static bool
change(struct tt_frame_sums *s, const struct tt_frame_path *f, int way)
{
	const bool zone = is_zone(s, f->node);
	const uint32_t up = tt_paths_node(s->p, f->node)->parent;

	return put_change(s, f->node, way * f->total, way * (f->self + (zone ? f->total : 0))) &&
	    (!zone || !is_zone(s, up) || put_change(s, up, 0, -way * f->total));
}

/* Insert ${f} into the heap, ordered by the frame where it ends. */
static bool
heap_add(struct tt_frame_sums *s, const struct tt_frame_path *f)
{
	size_t i = s->nfilling;

	if (tt_mem_grow(&s->m->env->mem, &s->filling, &s->capfilling, s->nfilling + 1, sizeof *s->filling, s->err) != TT_OK)
		return false;
	s->nfilling++;
	for (; i && f->filled_until < s->filling[(i - 1) / 2].filled_until; i = (i - 1) / 2)
		s->filling[i] = s->filling[(i - 1) / 2];
	s->filling[i] = *f;
	return true;
}

/* Remove the top of the heap. */
static void
heap_remove(struct tt_frame_sums *s)
{
	const struct tt_frame_path last = s->filling[--s->nfilling];
	size_t i = 0;

	for (size_t k; (k = 2 * i + 1) < s->nfilling; i = k) {
		if (k + 1 < s->nfilling && s->filling[k + 1].filled_until < s->filling[k].filled_until)
			k++;
		if (last.filled_until <= s->filling[k].filled_until)
			break;
		s->filling[i] = s->filling[k];
	}
	if (s->nfilling)
		s->filling[i] = last;
}

/* Record the zones that begin or end to fill frames with ${frame}. */
static bool
find_changes(struct tt_frame_sums *s, size_t frame)
{
	s->nchange = 0;
	for (; s->nfilling && s->filling[0].filled_until <= frame; heap_remove(s))
		if (!change(s, &s->filling[0], -1))
			return false;
	for (; s->next_filling && s->next_filling->frame <= frame; s->next_filling = fetch(s, s->filling_sums))
		if (s->next_filling->filled_until > frame && (!change(s, s->next_filling, 1) || !heap_add(s, s->next_filling)))
			return false;
	return s->err->code == TT_OK;
}

/* The next frame to visit, at or after ${frame}; SIZE_MAX: none. */
static size_t
next_frame(struct tt_frame_sums *s, size_t frame)
{
	size_t next = s->next ? s->next->frame : SIZE_MAX;

	if (s->nchosen) {
		while (s->next_chosen < s->nchosen && s->chosen[s->next_chosen] < frame)
			s->next_chosen++;
		return s->next_chosen < s->nchosen ? s->chosen[s->next_chosen] : SIZE_MAX;
	}
	for (size_t i = 0; i < s->nfilling && !s->lists_changes; i++)
		if (s->filling[i].filled_until > frame)
			return frame;
	if (s->lists_changes && s->has_filled && s->nfilling && frame < s->m->frames->n)
		return frame;
	if (s->lists_changes && s->nfilling && s->filling[0].filled_until < next && s->filling[0].filled_until < s->m->frames->n)
		next = s->filling[0].filled_until;
	return s->next_filling && s->next_filling->frame < next ? s->next_filling->frame : next;
}

/* Skip the paths of frames before ${frame}. */
static void
skip_to(struct tt_frame_sums *s, size_t frame)
{
	if (!s->next || s->next->frame >= frame)
		return;
	tt_by_frame_skip(s->sums, (uint32_t)frame, s->err);
	tt_frame_sums_fetch(s);
}

/* Advance to the next frame in which something is done. */
static bool
find_next(struct tt_frame_sums *s)
{
	do {
		if (s->err->code != TT_OK || s->frame == SIZE_MAX)
			return false;
		s->frame = next_frame(s, s->begun ? s->frame + 1 : 0);
		s->begun = true;
		if (s->frame == SIZE_MAX)
			return false;
		skip_to(s, s->frame);
		if (!(s->lists_changes ? find_changes(s, s->frame) : find_filling(s, s->frame)))
			return false;
	} while ((s->lists_changes ? s->nchange : 0) + (!s->lists_changes || s->has_filled ? s->nfilling : 0) == 0 && !(s->next && s->next->frame == s->frame));
	return true;
}

bool
tt_frame_sums_next(struct tt_frame_sums *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->slot[s->rec[i].node] = 0;
	s->n = 0;
	if (!find_next(s))
		return false;
	for (; s->next && s->next->frame == s->frame; tt_frame_sums_fetch(s))
		if (!add(s, s->next))
			return false;
	if (s->err->code != TT_OK || (!s->lists_changes && !add_filling(s)))
		return false;
	if (!s->filling_mask)
		add_parents(s);
	settle(s);
	if (s->m->filter.no_wait)
		drop_waits(s);
	return s->err->code == TT_OK;
}

/* Add ${total} ns of the zones of ${node} to the time of its thread. */
static void
add_time(const struct tt_frame_sums *s, uint32_t node, int64_t total, struct tt_zone_time *by_thread)
{
	const struct tt_thread *t = tt_paths_thread(s->p, node);
	const uint8_t is = s->flags[node];

	if (!t || !tt_frame_sums_zone(s, node))
		return;
	by_thread[t->index].inside += is & TT_SUM_TOP ? total : 0;
	by_thread[t->index].waiting += is & TT_SUM_WAIT ? total : 0;
}

int
tt_frame_sums_all(struct tt_views *view, struct tt_zone_time *by_thread, uint64_t *calls, struct tt_err *err)
{
	struct tt_frame_sums s;
	int64_t before = 0;           /* time of all frames before frame ${at}, ns */
	size_t at = 0;

	err->code = TT_OK;
	tt_frame_sums_init(&s, view, err);
	s.lists_changes = !view->m->filter.no_wait;
	tt_frame_sums_rewind(&s);
	while (tt_frame_sums_next(&s)) {
		for (; at < s.frame; at++)
			before += tt_frames_dur(s.m->frames, at);
		/* A zone that fills frames from here on gets, at the end, the time of all frames; subtract that of the frames before. */
		for (size_t i = 0; i < s.nchange; i++)
			add_time(&s, s.change[i].node, -s.change[i].total * before, by_thread);
		for (size_t i = 0; i < s.n; i++) {
			const struct tt_frame_path *rec = &s.rec[i];

			add_time(&s, rec->node, rec->total, by_thread);
			if (tt_paths_thread(s.p, rec->node) && tt_frame_sums_zone(&s, rec->node))
				calls[tt_paths_row(s.p, rec->node)] += tt_paths_shown(s.p, rec->node) ? rec->n : 0;
		}
	}
	for (; s.lists_changes && s.nfilling && at < s.m->frames->n; at++)
		before += tt_frames_dur(s.m->frames, at);
	for (size_t i = 0; s.lists_changes && i < s.nfilling; i++)
		add_time(&s, s.filling[i].node, s.filling[i].total * before, by_thread);
	tt_frame_sums_free(&s);
	return err->code;
}

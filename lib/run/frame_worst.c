/**
 * Keeps the worst frames while frames are replayed: how bad each is, and the markers with the most self time in it.
 */
#include "run/frame_replay.h"

#include "model/frames.h"

/* Find the least bad frame, once all places are taken. */
static void
find_least(struct tt_hitches *list)
{
	for (size_t i = list->best_place = 0; i < list->n && list->n == list->cap; i++) {
		const struct tt_hitch *at = &list->h[i], *least = &list->h[list->best_place];
		if (at->rank_ns < least->rank_ns || (at->rank_ns == least->rank_ns && at->frame > least->frame))
			list->best_place = i;
	}
}

struct tt_hitch *
tt_hitches_insert(struct tt_hitches *list, size_t frame, int64_t by)
{
	struct tt_hitch *h = &list->h[list->n];

	if (list->n < list->cap) {
		list->n++;
	} else {
		h = list->n ? &list->h[list->best_place] : NULL;
		if (!h || by < h->rank_ns || (by == h->rank_ns && frame > h->frame))
			return NULL;
	}
	*h = (struct tt_hitch){ .frame = frame, .rank_ns = by };
	find_least(list);
	return h;
}

void
tt_hitches_raise(struct tt_hitches *list, size_t frame, int64_t by)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->h[i].frame == frame) {
			list->h[i].rank_ns = by > list->h[i].rank_ns ? by : list->h[i].rank_ns;
			find_least(list);
			return;
		}
	tt_hitches_insert(list, frame, by);
}

void
tt_hitch_keep(struct tt_hitch *h, uint64_t key, uint64_t calls, int64_t self)
{
	unsigned cap = h ? sizeof h->top / sizeof h->top[0] : 0, i = h ? h->ntop : 0;

	while (i > 0 && (h->top[i - 1].self < self || (h->top[i - 1].self == self && h->top[i - 1].key > key)))
		i--;
	if (i >= cap)
		return;
	unsigned last = h->ntop < cap ? h->ntop++ : cap - 1;
	for (; last > i; last--)
		h->top[last] = h->top[last - 1];
	h->top[i].key = key;
	h->top[i].self = self;
	h->top[i].calls = calls;
}

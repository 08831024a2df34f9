/**
 * Groups similar frames among those that nothing explains.
 */
#include "why/causes_parts.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/order.h"
#include "collect/collections.h"

/*
 * Sorted by extra time, a frame starts a new group if it has less than 1/OF_NEXT of the extra time of the one before, or 1/OF_FIRST of that of the group's
 * first.
 */
enum { OF_NEXT = 3, OF_FIRST = 10 };

static int
by_extra(const void *a, const void *b)
{
	const struct tt_cause *x = *(struct tt_cause *const *)a, *y = *(struct tt_cause *const *)b;

	return x->extra != y->extra ? TT_CMP(y->extra, x->extra) : TT_CMP(x->frame, y->frame);
}

static int
by_row(const void *a, const void *b)
{
	const struct tt_cause *x = *(struct tt_cause *const *)a, *y = *(struct tt_cause *const *)b;

	return x->row != y->row ? TT_CMP(x->row, y->row) : TT_CMP(x->frame, y->frame);
}

/*
 * Give the ${n} frames at ${c}, a group of similar extra time, their number: ${part}; or ${part} + 1 and + 2 for a marker that at least half of them are about.
 * The order at ${c} changes.
 */
static void
part_by_marker(struct tt_cause **c, size_t n, uint32_t part)
{
	size_t next;

	tt_sort_bytes(c, n, sizeof(struct tt_cause *), by_row);
	for (size_t i = 0; i < n; i = next) {
		for (next = i + 1; next < n && c[next]->row == c[i]->row;)
			next++;
		for (size_t k = i; k < next; k++)
			c[k]->similar_group = 2 * (next - i) >= n ? part + 1 + (i > 0 && 2 * i >= n) : part;
	}
}

int
tt_why_group_unknown(struct tt_why *w)
{
	const size_t all = w->out->ncause + 1;
	struct tt_cause **c = tt_mem_alloc(w->mem, all * sizeof(struct tt_cause *), w->err);
	size_t n = 0, next;

	for (size_t i = 0; i < w->out->ncause && c; i++)
		if (w->out->cause[i].class == TT_CAUSE_UNKNOWN)
			c[n++] = &w->out->cause[i];
	if (c)
		tt_sort_bytes(c, n, sizeof(struct tt_cause *), by_extra);
	for (size_t i = 0; i < n; i = next) {
		for (next = i + 1; next < n && c[next]->extra >= c[next - 1]->extra / OF_NEXT && c[next]->extra >= c[i]->extra / OF_FIRST;)
			next++;
		part_by_marker(c + i, next - i, (uint32_t)(3 * i));
	}
	tt_mem_free(w->mem, c, all * sizeof(struct tt_cause *));
	return w->err->code;
}

int
tt_why_note_unrecorded(struct tt_why *w)
{
	static const struct { enum tt_records what; const char *name; } kind[] = {
		{ TT_REC_WAITS, "waits for locks" }, { TT_REC_COLLECTIONS, "collections" }, { TT_REC_SAMPLES, "samples" },
	};
	struct tt_causes *out = w->out;
	const char *names = NULL, *options = NULL;
	size_t n = 0;

	while (n < out->ncause && (out->cause[n].class != TT_CAUSE_UNKNOWN || out->cause[n].worst == 0))
		n++;
	for (size_t i = 0; i < sizeof kind / sizeof *kind && (n < out->ncause || out->rest); i++) {
		const bool known = kind[i].what == TT_REC_COLLECTIONS ? tt_knows_collections(w->m) : tt_model_records(w->m, kind[i].what);
		const char *option = known ? NULL : tt_model_option(w->m, kind[i].what);

		if (!option)
			continue;
		names = names ? tt_arena_printf(w->text, w->err, "%s, %s", names, kind[i].name) : kind[i].name;
		options = options ? tt_arena_printf(w->text, w->err, "%s,%s", options, option) : option;
		if (!names || !options)
			return w->err->code;
	}
	if (options)
		out->unrecorded = tt_arena_printf(w->text, w->err, "not recorded: %s; the recorder's option%s %s would have told more of what is not "
		    "explained", names, strchr(options, ',') ? "s" : "", options);
	return w->err->code;
}

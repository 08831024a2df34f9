/**
 * Makes two short tables: the sites that allocate most, and the markers with the most time outside waits.
 */
#include "pass/largest.h"

#include <string.h>

#include "base/order.h"
#include "pass/pass.h"
#include "view/allocs.h"
#include "view/view.h"
#include "why/causes.h"

enum { TOP = 3 };

enum { A_SITE, A_CLASS, A_BYTES, A_SHARE, A_COUNT, A_N };
static const struct tt_col alloc_col[A_N] = {
	[A_SITE] = { "site", "allocated by", TT_UNIT_TEXT, "Method or marker that allocates; methods of the base library count as the one that called them." },
	[A_CLASS] = { "class", "most of it", TT_UNIT_TEXT, "Class with the most bytes there." },
	[A_BYTES] = { "bytes", "bytes", TT_UNIT_BYTES, "Bytes allocated there." },
	[A_SHARE] = { "bytes_share", "bytes", TT_UNIT_PERCENT, "Share of all bytes." },
	[A_COUNT] = { "count", "count", TT_UNIT_COUNT, "Number of allocations there." },
};

enum { M_MARKER, M_SELF, M_SHARE, M_COUNT, M_FRAME, M_N };
static const struct tt_col marker_col[M_N] = {
	[M_MARKER] = { "marker", "marker", TT_UNIT_TEXT, "Name of the marker; none that waits, not GC.Stop, and none of the GPU." },
	[M_SELF] = { "self_ns", "self", TT_UNIT_NS, "Time in the marker and in no zone inside it, over all threads." },
	[M_SHARE] = { "self_share", "self", TT_UNIT_PERCENT, "Share of the self time of all these markers." },
	[M_COUNT] = { "count", "count", TT_UNIT_COUNT, "Number of activations." },
	[M_FRAME] = { "frame_self_mean_ns", "self per frame", TT_UNIT_NS,
		"Self time on the frame thread per whole frame; empty if it never runs there, with filters by duration, depth or waiting, and if several "
		"captures have frames." },
};

const struct tt_pass_table tt_table_most_allocated = { .id = "capture_allocations", .title = "Most allocated", .col = alloc_col, .ncol = A_N };
const struct tt_pass_table tt_table_most_time = { .id = "capture_markers", .title = "Most time, without waits", .col = marker_col, .ncol = M_N };

static struct tt_table *
new_table(struct tt_report *r, const struct tt_pass_table *t)
{
	return tt_report_table(r, t->id, t->title, t->col, t->ncol);
}

struct site { uint32_t row, class; uint64_t n, most; int64_t bytes; };

static int
by_site(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return x->row != y->row ? TT_CMP(x->row, y->row) : TT_CMP(x->class, y->class);
}

static int
by_bytes(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return x->bytes != y->bytes ? TT_CMP(y->bytes, x->bytes) : TT_CMP(x->row, y->row);
}

/* Find the innermost method of the program that is, or calls, the site at ${node}. */
static uint32_t
caller(const struct tt_paths *p, uint32_t node)
{
	for (uint32_t at = node; tt_paths_node(p, at)->kind == TT_NODE_ZONE; at = p->owner[tt_paths_node(p, at)->parent]) {
		uint32_t row = tt_paths_row(p, at);
		if (row != TT_NO_ROW && p->row[row].name && !tt_causes_is_library(p->row[row].name->full))
			return row;
	}
	return tt_paths_row(p, node);
}

/* Sort sites by bytes. Returns their number. */
static size_t
sites(const struct tt_allocs *al, struct site *s)
{
	size_t n = 0;

	for (size_t i = 0; i < al->n; i++)
		s[i] = (struct site){ caller(al->p, al->a[i].site), al->a[i].class, al->a[i].n, 0, al->a[i].bytes };
	tt_sort(s, al->n, by_site);
	for (size_t i = 0, next; i < al->n; i = next) {
		struct site sum = { .row = s[i].row };
		int64_t of_class = 0;

		for (next = i; next < al->n && s[next].row == s[i].row; next++) {
			of_class = next > i && s[next].class == s[next - 1].class ? of_class + s[next].bytes : s[next].bytes;
			if ((uint64_t)of_class > sum.most) {
				sum.most = (uint64_t)of_class;
				sum.class = s[next].class;
			}
			sum.n += s[next].n;
			sum.bytes += s[next].bytes;
		}
		s[n++] = sum;
	}
	tt_sort(s, n, by_bytes);
	return n;
}

void
tt_most_allocated(struct tt_views *view, struct tt_report *r)
{
	struct tt_allocs al;
	struct site *s = NULL;

	if (tt_allocs_init(&al, view, TT_GROUP_NONE, &r->arena, &r->err) == TT_OK && al.n)
		s = tt_arena_alloc(&r->arena, al.n * sizeof *s, &r->err);
	if (s) {
		struct tt_table *t = new_table(r, &tt_table_most_allocated);
		size_t n = sites(&al, s);

		for (size_t i = 0; i < n && i < TOP; i++) {
			struct tt_cell *c = tt_row(t);

			tt_cell_text(&c[A_SITE], s[i].row == TT_NO_ROW ? TT_OUTSIDE : al.p->row[s[i].row].label);
			tt_cell_text(&c[A_CLASS], al.class[s[i].class]);
			tt_cell_int(&c[A_BYTES], s[i].bytes);
			if (al.all.bytes > 0)
				tt_cell_int(&c[A_SHARE], tt_ratio((uint64_t)s[i].bytes, 10000, (uint64_t)al.all.bytes));
			tt_cell_u64(&c[A_COUNT], s[i].n);
		}
	}
	tt_allocs_free(&al);
}

void
tt_most_time(struct tt_views *view, struct tt_report *r)
{
	const struct tt_paths *p = tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_LINK | TT_PATHS_WAITS, &r->err);
	struct tt_calls *sum = p ? tt_arena_alloc(&r->arena, (p->nrow + 1) * sizeof *sum, &r->err) : NULL;
	/* A thread that stops the world waits for the other threads, often for a second when a program ends. */
	const char *stop = tt_model_key(view->m, 0, TT_KEY_GC_STOP)->full;
	uint32_t top[TOP + 1], n = 0;
	int64_t all = 0;
	struct tt_table *t;

	if (!sum)
		return;
	tt_calls_sum(p, NULL, sum);
	for (uint32_t i = 0; i < p->nrow; i++) {
		uint32_t at = n;

		const struct tt_name *name = p->row[i].name;

		if (sum[i].self <= 0 || !name || name->gpu || p->waits[i] || strcmp(name->full, stop) == 0)
			continue;
		all += sum[i].self;
		for (; at > 0 && sum[i].self > sum[top[at - 1]].self; at--)
			top[at] = top[at - 1];
		top[at] = i;
		n += n < TOP;
	}
	if (n == 0)
		return;
	t = new_table(r, &tt_table_most_time);
	for (uint32_t i = 0; i < n; i++) {
		struct tt_cell *c = tt_row(t);
		struct tt_frame_marker of = { 0 };

		tt_cell_text(&c[M_MARKER], p->row[top[i]].label);
		tt_cell_int(&c[M_SELF], sum[top[i]].self);
		tt_cell_int(&c[M_SHARE], tt_ratio((uint64_t)sum[top[i]].self, 10000, (uint64_t)all));
		tt_cell_u64(&c[M_COUNT], sum[top[i]].n);
		if (!view->m->frames || view->m->frames->n == 0 || view->m->frames->nrange > 1 || tt_filter_hides(&view->m->filter))
			continue;
		tt_row_frames(p, &p->row[top[i]], &of);
		if (of.total > 0)
			tt_cell_int(&c[M_FRAME], tt_ratio((uint64_t)of.self, 1, view->m->frames->n));
	}
}

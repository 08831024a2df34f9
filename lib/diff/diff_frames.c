/**
 * Compares the frames of both sides: quantiles, budgets, the longest ones.
 */
#include "diff/diff_frames.h"

#include <string.h>

#include "base/order.h"
#include "diff/diff.h"
#include "diff/diff_lines.h"
#include "out/table.h"
#include "view/view.h"

static const struct { const char *name; unsigned num, den; } quantile[TT_DIFF_QUANTILES] = {
	{ "median", 1, 2 }, { "p90", 9, 10 }, { "p95", 95, 100 }, { "p99", 99, 100 }, { "max", 1, 1 },
};
static const int64_t budget[TT_DIFF_BUDGETS] = { 16670000, 33330000 };

/* --- what captures have -------------------------------------------------------------------- */

struct adding {
	const struct tt_model *m;
	const char *path;
	int (*number)(void *arg, const struct tt_name *name, uint32_t *marker, struct tt_err *err);
	void *arg;
};

/* Insert a frame of ${ns} among the longest of ${f}, after equal ones, and return its entry; NULL: all are longer. */
static struct tt_diff_worst *
place(struct tt_diff_frames *f, int64_t ns)
{
	size_t i = f->nworst;

	while (i > 0 && f->worst[i - 1].ns < ns)
		i--;
	if (i == TT_DIFF_WORST)
		return NULL;
	f->nworst += f->nworst < TT_DIFF_WORST;
	memmove(&f->worst[i + 1], &f->worst[i], (f->nworst - 1 - i) * sizeof *f->worst);
	f->worst[i] = (struct tt_diff_worst){ .ns = ns };
	return &f->worst[i];
}

/* Add the markers of the frame ${h} to its entry ${w}. */
static int
add_markers(struct tt_diff_worst *w, const struct tt_hitch *h, const struct adding *a, struct tt_err *err)
{
	const uint32_t process = a->m->threads.t[tt_frames_thread(a->m->frames, h->frame)]->process;
	int rc = TT_OK;

	for (; w->ntop < h->ntop && rc == TT_OK; w->ntop++) {
		w->top[w->ntop].self = h->top[w->ntop].self;
		w->top[w->ntop].calls = h->top[w->ntop].calls;
		rc = a->number(a->arg, tt_model_key(a->m, process, h->top[w->ntop].key), &w->top[w->ntop].marker, err);
	}
	return rc;
}

/* Insert the longest frames of a capture by ${what}. Markers are known only for frames in ${known}, a list that was chosen before the frame limit was known. */
static int
add_worst(struct tt_diff_frames *f, enum tt_frame_value what, const struct tt_hitches *known, const struct adding *a, struct tt_err *err)
{
	const struct tt_frames *frames = a->m->frames;
	int rc = TT_OK;

	for (size_t i = 0; i < frames->n; i++) {
		struct tt_diff_worst *w;
		int64_t v;

		if (tt_frame_value(frames, what, i, &v) && (w = place(f, v)) != NULL)
			*w = (struct tt_diff_worst){ .path = a->path, .frame = i, .number = tt_frames_number(frames, i), .ns = v };
	}
	for (size_t k = 0; k < f->nworst && rc == TT_OK; k++)
		for (size_t i = 0; i < known->n && rc == TT_OK; i++)
			if (f->worst[k].path == a->path && f->worst[k].frame == known->h[i].frame)
				rc = add_markers(&f->worst[k], &known->h[i], a, err);
	return rc;
}

/* Keep the frame times of another capture; if there are too many in all, drop them. */
static int
keep_times(struct tt_diff *d, struct tt_diff_frames *f, const struct tt_values *v, struct tt_err *err)
{
	struct tt_mem *mem = &d->env->mem;

	if (f->h.n > TT_DIFF_KEPT) {
		tt_mem_free(mem, f->time, f->cap * sizeof *f->time);
		f->time = NULL;
		f->n = f->cap = 0;
		return TT_OK;
	}
	if (tt_mem_grow(mem, &f->time, &f->cap, f->n + v->n, sizeof *f->time, err) != TT_OK)
		return err->code;
	for (size_t i = 0; i < v->n; i++)
		f->time[f->n++] = tt_column_at(&v->v, i);
	tt_sort_i64(f->time, f->n);
	return TT_OK;
}

static void
add_shown(struct tt_diff_frames *to, const struct tt_frames *f)
{
	const struct tt_shown_tally is = tt_shown_tally(f, 0, f->n);

	to->nlate += is.late;
	for (unsigned i = 0; i < TT_TOOK; i++)
		to->nby_refreshes[i] += is.took[i];
	to->has_limit = to->has_limit || tt_frames_have_limit(f);
}

void
tt_diff_frames_free(struct tt_diff *d)
{
	for (unsigned i = 0; i < TT_DIFF_SIDES * TT_DIFF_TIMES; i++) {
		struct tt_diff_frames *f = d->frame[i / TT_DIFF_TIMES][i % TT_DIFF_TIMES];

		if (f)
			tt_mem_free(&d->env->mem, f->time, f->cap * sizeof *f->time);
	}
}

int
tt_diff_frames_add(struct tt_diff *d, unsigned side, struct tt_views *view, const char *path,
    int (*number)(void *arg, const struct tt_name *name, uint32_t *marker, struct tt_err *err), void *arg, struct tt_err *err)
{
	static const enum tt_frame_value what[] = { [TT_DIFF_WALL] = TT_FRAME_WALL, [TT_DIFF_UNCAPPED] = TT_FRAME_UNCAPPED };
	const struct adding a = { view->m, path, number, arg };
	const struct tt_values *shown = tt_view_frames(view, TT_FRAME_SHOWN, err);
	int rc = shown ? TT_OK : err->code;

	for (unsigned t = 0; t < TT_DIFF_TIMES && rc == TT_OK; t++) {
		const struct tt_values *v = tt_view_frames(view, what[t], err);
		struct tt_diff_frames *f = d->frame[side][t];

		if (!v)
			return err->code;
		if (v->n == 0)
			continue;
		if (!f) {
			if (!(f = tt_arena_alloc(&d->arena, sizeof *f, err)))
				return err->code;
			*f = (struct tt_diff_frames){ 0 };
			tt_hist_init(&f->h);
			d->frame[side][t] = f;
		}
		for (size_t i = 0; i < v->n; i++)
			tt_hist_add(&f->h, (uint64_t)tt_column_at(&v->v, i), 1);
		rc = keep_times(d, f, v, err);
		add_shown(f, view->m->frames);
		for (unsigned i = 0; i < TT_DIFF_BUDGETS; i++)
			f->nover[i] += tt_values_over(shown, tt_frame_limit(budget[i]));
		for (unsigned i = 0; i < TT_DIFF_BUDGETS; i++)
			f->is_undecidable[i] = f->is_undecidable[i] || tt_frames_count_undecidable(view->m->frames, tt_frame_limit(budget[i]));
		TT_THEN(rc, add_worst(f, what[t], t == TT_DIFF_UNCAPPED ? &view->m->frames->latest : &view->m->frames->longest, &a, err));
	}
	return rc;
}

/* --- tables ---------------------------------------------------------------------------------- */

/* The frames of ${side} by the time that is compared; NULL: none. */
static const struct tt_diff_frames *
frames_of(const struct tt_diff_ctx *x, unsigned side)
{
	return x->d->frame[side][x->d->compared_time];
}

static bool
has_both(const struct tt_diff_ctx *x)
{
	return frames_of(x, TT_DIFF_A) && frames_of(x, TT_DIFF_B);
}

enum { Q_NAME, Q_A, Q_B, Q_DIFF, Q_N };
static const struct tt_col quantile_col[Q_N] = {
	[Q_NAME] = { "percentile", "percentile", TT_UNIT_TEXT, "median, p90, p95, p99 or max of single frames, by the nearest rank." },
	[Q_A] = { "a_ns", "A", TT_UNIT_NS, "The percentile of A." },
	[Q_B] = { "b_ns", "B", TT_UNIT_NS, "The percentile of B." },
	[Q_DIFF] = { "diff_ns", "B-A", TT_UNIT_NS, "b_ns less a_ns." },
};

static int64_t
quantile_of(const struct tt_diff_frames *f, unsigned i)
{
	return f->time ? tt_quantile_i64(f->time, f->n, quantile[i].num, quantile[i].den) : (int64_t)tt_hist_quantile(&f->h, quantile[i].num, quantile[i].den);
}

static void
fill_quantiles(const struct tt_diff_ctx *x, struct tt_table *t)
{
	t->whole = true;
	for (unsigned i = 0; i < TT_DIFF_QUANTILES && has_both(x); i++) {
		struct tt_cell *c = tt_row(t);
		int64_t a = quantile_of(frames_of(x, TT_DIFF_A), i), b = quantile_of(frames_of(x, TT_DIFF_B), i);

		tt_cell_text(&c[Q_NAME], quantile[i].name);
		tt_cell_int(&c[Q_A], a);
		tt_cell_int(&c[Q_B], b);
		tt_cell_int(&c[Q_DIFF], b - a);
	}
}

enum { B_BUDGET, B_A, B_B, B_A_SHARE, B_B_SHARE, B_DIFF, B_N };
static const struct tt_col budget_col[B_N] = {
	[B_BUDGET] = { "budget_ns", "budget", TT_UNIT_NS, "The time of a frame at 60 and at 30 fps." },
	[B_A] = { "a_over", "over A", TT_UNIT_COUNT, "Frames of A that were shown for longer, in whole refreshes where a frame limit shows; "
	    "empty where too few frames tell." },
	[B_B] = { "b_over", "over B", TT_UNIT_COUNT, "Frames of B that were shown for longer, likewise." },
	[B_A_SHARE] = { "a_share", "share A", TT_UNIT_PERCENT, "Their share of the frames of A." },
	[B_B_SHARE] = { "b_share", "share B", TT_UNIT_PERCENT, "Their share of the frames of B." },
	[B_DIFF] = { "diff_share", "B-A", TT_UNIT_PERCENT, "b_share less a_share." },
};

static void
fill_budgets(const struct tt_diff_ctx *x, struct tt_table *t)
{
	t->whole = true;
	for (unsigned i = 0; i < TT_DIFF_BUDGETS && has_both(x); i++) {
		struct tt_cell *c = tt_row(t);

		tt_cell_int(&c[B_BUDGET], tt_frame_limit(budget[i]));
		for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
			const struct tt_diff_frames *f = frames_of(x, s);

			if (f->is_undecidable[i])
				continue;
			tt_cell_u64(&c[B_A + s], f->nover[i]);
			tt_cell_int(&c[B_A_SHARE + s], tt_ratio(f->nover[i], 10000, f->h.n));
		}
		if (!c[B_A].empty && !c[B_B].empty)
			tt_cell_int(&c[B_DIFF], c[B_B_SHARE].v - c[B_A_SHARE].v);
	}
}

/* Columns of the histogram. Each row joins so many buckets, 32 for each doubling of the time, that there are about H_ROWS rows. */
enum { H_FROM, H_TO, H_A, H_B, H_A_SHARE, H_B_SHARE, H_N, H_ROWS = 128 };
static const struct tt_col spread_col[H_N] = {
	[H_FROM] = { "from_ns", "from", TT_UNIT_NS, "Frames of at least this." },
	[H_TO] = { "to_ns", "to", TT_UNIT_NS, "Frames of less than this." },
	[H_A] = { "a_count", "frames A", TT_UNIT_COUNT, "Number of such frames of A." },
	[H_B] = { "b_count", "frames B", TT_UNIT_COUNT, "Number of such frames of B." },
	[H_A_SHARE] = { "a_share", "share A", TT_UNIT_PERCENT, "Their share of the frames of A." },
	[H_B_SHARE] = { "b_share", "share B", TT_UNIT_PERCENT, "Their share of the frames of B." },
};

/* The lower limit of bucket ${b}. */
static int64_t
first_of(unsigned b)
{
	unsigned page = b / TT_HIST_PAGE;
	uint64_t v = page == 0 ? b : (uint64_t)(TT_HIST_PAGE + b % TT_HIST_PAGE) << (page - 1);

	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static uint64_t
count_in(const struct tt_hist *h, unsigned from, unsigned joined)
{
	uint64_t n = 0;

	for (unsigned i = from; i < from + joined && i < TT_HIST_BUCKETS; i++)
		n += h->b[i];
	return n;
}

static void
fill_spread(const struct tt_diff_ctx *x, struct tt_table *t)
{
	unsigned first = 0, end = TT_HIST_BUCKETS, joined = 1;
	const struct tt_hist *h[TT_DIFF_SIDES];

	t->whole = true;
	if (!has_both(x))
		return;
	for (unsigned s = 0; s < TT_DIFF_SIDES; s++)
		h[s] = &frames_of(x, s)->h;
	while (first < end && !h[0]->b[first] && !h[1]->b[first])
		first++;
	while (end > first && !h[0]->b[end - 1] && !h[1]->b[end - 1])
		end--;
	while ((end - first) / joined > H_ROWS)
		joined *= 2;
	for (unsigned b = first; b < end; b += joined) {
		struct tt_cell *c = tt_row(t);

		tt_cell_int(&c[H_FROM], first_of(b));
		tt_cell_int(&c[H_TO], b + joined < TT_HIST_BUCKETS ? first_of(b + joined) : INT64_MAX);
		for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
			tt_cell_u64(&c[H_A + s], count_in(h[s], b, joined));
			tt_cell_int(&c[H_A_SHARE + s], tt_ratio(count_in(h[s], b, joined), 10000, h[s]->n));
		}
	}
}

enum { W_RANK, W_A_FILE, W_A_FRAME, W_A, W_B_FILE, W_B_FRAME, W_B, W_DIFF, W_N };
static const struct tt_col worst_col[W_N] = {
	[W_RANK] = { "rank", "rank", TT_UNIT_COUNT, "1 is the longest." },
	[W_A_FILE] = { "a_file", "file A", TT_UNIT_TEXT, "Capture of A with the frame." },
	[W_A_FRAME] = { "a_frame", "frame A", TT_UNIT_COUNT, "Number of the frame in it." },
	[W_A] = { "a_ns", "A", TT_UNIT_NS, "Time of the frame of A." },
	[W_B_FILE] = { "b_file", "file B", TT_UNIT_TEXT, "Capture of B with the frame." },
	[W_B_FRAME] = { "b_frame", "frame B", TT_UNIT_COUNT, "Number of the frame in it." },
	[W_B] = { "b_ns", "B", TT_UNIT_NS, "Time of the frame of B." },
	[W_DIFF] = { "diff_ns", "B-A", TT_UNIT_NS, "b_ns less a_ns." },
};

static void
fill_worst(const struct tt_diff_ctx *x, struct tt_table *t)
{
	t->whole = true;
	for (size_t i = 0; i < TT_DIFF_WORST && has_both(x); i++) {
		const struct tt_diff_frames *f[] = { frames_of(x, TT_DIFF_A), frames_of(x, TT_DIFF_B) };
		struct tt_cell *c;

		if (i >= f[0]->nworst || i >= f[1]->nworst)
			break;
		c = tt_row(t);
		tt_cell_int(&c[W_RANK], (int64_t)i + 1);
		for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
			tt_cell_text(&c[s ? W_B_FILE : W_A_FILE], f[s]->worst[i].path);
			tt_cell_u64(&c[s ? W_B_FRAME : W_A_FRAME], f[s]->worst[i].number);
			tt_cell_int(&c[s ? W_B : W_A], f[s]->worst[i].ns);
		}
		tt_cell_int(&c[W_DIFF], f[1]->worst[i].ns - f[0]->worst[i].ns);
	}
}

enum { M_MARKER, M_A, M_B, M_DIFF, M_A_CALLS, M_B_CALLS, M_N };
static const struct tt_col pair_col[M_N] = {
	[M_MARKER] = { "marker", "marker", TT_UNIT_TEXT, "Marker." },
	[M_A] = { "a_ns", "A", TT_UNIT_NS, "Self time of the marker in the longest frame of A; empty where it is not among the eight." },
	[M_B] = { "b_ns", "B", TT_UNIT_NS, "Self time of the marker in the longest frame of B; empty likewise." },
	[M_DIFF] = { "diff_ns", "B-A", TT_UNIT_NS, "b_ns less a_ns." },
	[M_A_CALLS] = { "a_count", "calls A", TT_UNIT_COUNT, "Calls in the frame of A." },
	[M_B_CALLS] = { "b_count", "calls B", TT_UNIT_COUNT, "Calls in the frame of B." },
};

/* A marker in the longest frames of both sides; has: true if it is among the top markers of that side. */
struct pair { uint32_t marker; bool has[TT_DIFF_SIDES]; int64_t self[TT_DIFF_SIDES]; uint64_t calls[TT_DIFF_SIDES]; };

static int64_t
pair_diff(const struct pair *p)
{
	return p->self[TT_DIFF_B] - p->self[TT_DIFF_A];
}

static int
by_diff(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int c = TT_CMP(tt_diff_size(pair_diff(y)), tt_diff_size(pair_diff(x)));

	return c ? c : TT_CMP(x->marker, y->marker);
}

static void
fill_pair(const struct tt_diff_ctx *x, struct tt_table *t)
{
	struct pair pair[2 * TT_HITCH_TOP];
	size_t n = 0;

	t->whole = true;
	for (unsigned s = 0; s < TT_DIFF_SIDES && has_both(x); s++) {
		const struct tt_diff_worst *w = &frames_of(x, s)->worst[0];

		for (unsigned i = 0; i < w->ntop; i++) {
			size_t k = 0;

			if (w->top[i].self == 0)
				continue;
			while (k < n && pair[k].marker != w->top[i].marker)
				k++;
			if (k == n)
				pair[n++] = (struct pair){ .marker = w->top[i].marker };
			pair[k].has[s] = true;
			pair[k].self[s] += w->top[i].self;
			pair[k].calls[s] += w->top[i].calls;
		}
	}
	tt_sort(pair, n, by_diff);
	for (size_t i = 0; i < n; i++) {
		struct tt_cell *c = tt_row(t);

		tt_cell_text(&c[M_MARKER], x->d->marker[pair[i].marker].label);
		for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
			if (!pair[i].has[s])
				continue;
			tt_cell_int(&c[M_A + s], pair[i].self[s]);
			tt_cell_u64(&c[M_A_CALLS + s], pair[i].calls[s]);
		}
		if (pair[i].has[TT_DIFF_A] && pair[i].has[TT_DIFF_B])
			tt_cell_int(&c[M_DIFF], pair_diff(&pair[i]));
	}
}

const struct tt_diff_form tt_diff_quantiles = { quantile_col, Q_N, fill_quantiles };
const struct tt_diff_form tt_diff_budgets = { budget_col, B_N, fill_budgets };
const struct tt_diff_form tt_diff_spread = { spread_col, H_N, fill_spread };
const struct tt_diff_form tt_diff_worst = { worst_col, W_N, fill_worst };
const struct tt_diff_form tt_diff_pair = { pair_col, M_N, fill_pair };

/**
 * The pass "compare_frames": two frames side by side, A and B: their figures, the call tree of each thread, allocations by site, and counters.
 *
 * A frame is given by number, or is the median frame. The sums of the two frames (view/frame_sums.h) are added to the merged call tree of the
 * whole capture. Definitions: tracetool-metrics(7), Two frames compared.
 */
#include "base/option.h"
#include "base/order.h"
#include "base/setting.h"
#include "collect/by_frame.h"
#include "collect/collections.h"
#include "pass/passes.h"
#include "view/allocs.h"
#include "view/counter.h"
#include "view/frame_sums.h"
#include "view/merged.h"
#include "why/causes.h"

#define DEPTH_MAX 256
#define NEIGHBOURS 2

enum { F_FRAME, F_GIVEN, F_IS, F_START, F_DUR, F_CPU, F_ALLOCS, F_BYTES, F_COLLECTIONS, F_PAUSE, F_PROCESS, F_N };

static const struct tt_col frames_col[F_N] = {
	[F_FRAME] = { "frame", "frame", TT_UNIT_COUNT, "Number of the frame, from 1, as filters by frame use it." },
	[F_GIVEN] = { "engine_frame", "engine's no.", TT_UNIT_COUNT,
	    "Number that the engine gave the frame; empty if it is not in the capture." },
	[F_IS] = { "is", "is", TT_UNIT_TEXT, "A or B; (median) if it was chosen as the median frame; empty: a frame before or after B." },
	[F_START] = { "start_ns", "start", TT_UNIT_NS, "Start of the frame." },
	[F_DUR] = { "dur_ns", "duration", TT_UNIT_NS, "Wall time of the frame." },
	[F_CPU] = { "cpu_ns", "CPU", TT_UNIT_NS, "CPU-active time; empty if it is not known." },
	[F_ALLOCS] = { "allocs", "allocs", TT_UNIT_COUNT, "Number of allocations in the frame on all threads; empty if allocations were not recorded." },
	[F_BYTES] = { "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes of these allocations." },
	[F_COLLECTIONS] = { "collections", "collections", TT_UNIT_COUNT,
	    "Number of collections that begin in the frame; empty if collections were not recorded." },
	[F_PAUSE] = { "gc_pause_ns", "GC pause", TT_UNIT_NS,
	    "Time of the frame during which a collection was stopping or had stopped the world; empty if pauses were not recorded." },
	[F_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

enum { C_MARKER, C_DEPTH, C_TOTAL_A, C_TOTAL_B, C_TOTAL_MORE, C_SELF_A, C_SELF_B, C_SELF_MORE, C_COUNT_A, C_COUNT_B, C_COUNT_MORE,
	C_BYTES_A, C_BYTES_B, C_N };

static const struct tt_col tree_col[C_N] = {
	[C_MARKER] = { "marker", "thread, zones", TT_UNIT_TEXT, "Thread at depth 0; below it the thread's zones, each below its caller." },
	[C_DEPTH] = { "depth", "depth", TT_UNIT_COUNT, "Depth in the tree; 0 is the thread." },
	[C_TOTAL_A] = { "a_total_ns", "total A", TT_UNIT_NS, "Time of frame A on this path, with everything below it." },
	[C_TOTAL_B] = { "b_total_ns", "total B", TT_UNIT_NS, "The same of frame B." },
	[C_TOTAL_MORE] = { "more_total_ns", "B - A", TT_UNIT_NS, "Total of B less that of A." },
	[C_SELF_A] = { "a_self_ns", "self A", TT_UNIT_NS, "Time of frame A on this path, without everything below it." },
	[C_SELF_B] = { "b_self_ns", "self B", TT_UNIT_NS, "The same of frame B." },
	[C_SELF_MORE] = { "more_self_ns", "B - A", TT_UNIT_NS, "Self time of B less that of A." },
	[C_COUNT_A] = { "a_count", "calls A", TT_UNIT_COUNT, "Activations on this path that begin in frame A." },
	[C_COUNT_B] = { "b_count", "calls B", TT_UNIT_COUNT, "The same of frame B." },
	[C_COUNT_MORE] = { "more_count", "B - A", TT_UNIT_COUNT, "Activations of B less those of A." },
	[C_BYTES_A] = { "a_alloc_bytes", "allocated A", TT_UNIT_BYTES,
	    "Bytes allocated in frame A on this path and below it; empty if allocations were not recorded." },
	[C_BYTES_B] = { "b_alloc_bytes", "allocated B", TT_UNIT_BYTES, "The same of frame B." },
};

enum { T_THREAD, T_NUMBER, T_BUSY_A, T_BUSY_B, T_BUSY_MORE, T_WAIT_A, T_WAIT_B, T_WAIT_MORE, T_ZONES_A, T_ZONES_B, T_N };

static const struct tt_col threads_col[T_N] = {
	[T_THREAD] = { "thread", "thread", TT_UNIT_TEXT, "Name of the thread." },
	[T_NUMBER] = { "number", "no.", TT_UNIT_COUNT, "Number of the thread." },
	[T_BUSY_A] = { "a_busy_ns", "busy A", TT_UNIT_NS, "Time of frame A inside at least one zone of the thread, without the zones of wait markers." },
	[T_BUSY_B] = { "b_busy_ns", "busy B", TT_UNIT_NS, "The same of frame B." },
	[T_BUSY_MORE] = { "more_busy_ns", "B - A", TT_UNIT_NS, "Busy time of B less that of A." },
	[T_WAIT_A] = { "a_waiting_ns", "waiting A", TT_UNIT_NS, "Time of frame A inside zones of wait markers; nested ones count once." },
	[T_WAIT_B] = { "b_waiting_ns", "waiting B", TT_UNIT_NS, "The same of frame B." },
	[T_WAIT_MORE] = { "more_waiting_ns", "B - A", TT_UNIT_NS, "Waiting time of B less that of A." },
	[T_ZONES_A] = { "a_zones", "zones A", TT_UNIT_COUNT, "Number of zones that begin in frame A." },
	[T_ZONES_B] = { "b_zones", "zones B", TT_UNIT_COUNT, "The same of frame B." },
};

enum { A_SITE, A_BYTES_A, A_BYTES_B, A_BYTES_MORE, A_ALLOCS_A, A_ALLOCS_B, A_ALLOCS_MORE, A_N };

static const struct tt_col allocs_col[A_N] = {
	[A_SITE] = { "site", "site", TT_UNIT_TEXT, "Site of the allocations, as in the table alloc_sites." },
	[A_BYTES_A] = { "a_bytes", "allocated A", TT_UNIT_BYTES, "Bytes allocated in frame A, on all threads." },
	[A_BYTES_B] = { "b_bytes", "allocated B", TT_UNIT_BYTES, "The same of frame B." },
	[A_BYTES_MORE] = { "more_bytes", "B - A", TT_UNIT_BYTES, "Bytes of B less those of A." },
	[A_ALLOCS_A] = { "a_allocs", "allocs A", TT_UNIT_COUNT, "Number of allocations in frame A." },
	[A_ALLOCS_B] = { "b_allocs", "allocs B", TT_UNIT_COUNT, "The same of frame B." },
	[A_ALLOCS_MORE] = { "more_allocs", "B - A", TT_UNIT_COUNT, "Allocations of B less those of A." },
};

enum { V_COUNTER, V_SECTION, V_UNIT, V_A, V_B, V_N };

static const struct tt_col counters_col[V_N] = {
	[V_COUNTER] = { "counter", "counter", TT_UNIT_TEXT, "Name of the counter, or \"#\" and its number if it has no description." },
	[V_SECTION] = { "section", "section", TT_UNIT_TEXT, "Section of the counter: the part of the runtime, or the producer's category." },
	[V_UNIT] = { "unit", "unit", TT_UNIT_TEXT, "Unit of the values here, as in the table counters." },
	[V_A] = { "a_last", "last A", TT_UNIT_VALUE, "Last value in frame A; empty if it has none there." },
	[V_B] = { "b_last", "last B", TT_UNIT_VALUE, "Last value in frame B; empty if it has none there." },
};

enum side { A, B, SIDES };

/* The work of a frame along a merged path. */
struct sum {
	uint64_t n;
	int64_t total, self, bytes;
	bool counted;                 /* true: wanted by the filters, and this path or a path below it has calls, time or allocations */
};

struct of_thread {
	struct tt_zone_time time;
	uint64_t zones;
};

struct of_site {
	uint32_t row;
	uint64_t n[SIDES];
	int64_t bytes[SIDES];
};

struct compared {
	const struct tt_model *m;
	const struct tt_frames *f;
	bool found;                   /* true: both frames were found */
	size_t frame[SIDES];
	const char *none;             /* why there is nothing to compare, if that is not an error; else NULL */
	bool allocs;                  /* allocations are known */
	struct tt_frame_sums sums;
	struct tt_merged g;
	struct sum *sum[SIDES];       /* sums of each side by merged node */
	struct of_thread *thread[SIDES];      /* sums of each side by thread index */
	struct of_site *site;
	size_t nsite, capsite;
	const char *note;             /* names the two frames */
};

/* --- which frames ----------------------------------------------------------------------- */

/* Return the time by which the median and the longest frame are chosen. */
static int64_t
time_of(const struct tt_frames *f, size_t i, bool capped)
{
	return capped ? tt_frames_uncapped(f, i) : tt_frames_wall(f, i);
}

/* Find the first frame whose time is the median, and the first of the longest frames. */
static void
find_typical(struct tt_making *k, size_t *median, size_t *longest)
{
	const struct tt_frames *f = k->m->frames;
	int64_t *v = tt_pass_alloc(k, f->n * sizeof *v), period = tt_frames_cap(f), typical;

	*median = *longest = 0;
	if (!v)
		return;
	for (size_t i = 0; i < f->n; i++)
		v[i] = time_of(f, i, period != 0);
	typical = tt_quantile_of_i64(v, f->n, 1, 2);
	for (size_t i = f->n; i-- > 0;) {
		int64_t t = time_of(f, i, period != 0);

		if (t == typical)
			*median = i;
		if (t >= time_of(f, *longest, period != 0))
			*longest = i;
	}
}

static bool
find_number(const struct tt_frames *f, uint64_t number, size_t *at)
{
	for (*at = 0; *at < f->n; ++*at)
		if (tt_frames_number(f, *at) == number)
			return true;
	return false;
}

static void
choose(struct tt_making *k, struct compared *c)
{
	const struct tt_frames *f = k->m->frames;
	size_t median, longest;

	c->f = f;
	c->none = !f || f->n == 0 ? tt_pass_why_no_frames(k->m, k->r) :
	    f->nrange > 1 ? "several captures have frames, which are numbered in each: read one of them alone" :
	    f->n == 1 && !k->o->compares_two ? "one frame alone has none to be compared with" : NULL;
	if (c->none && k->o->compares_two)
		tt_fail(&k->r->err, TT_E_USAGE, TT_NOWHERE, "%s", c->none);
	if (c->none)
		return;
	find_typical(k, &median, &longest);
	c->found = true;
	for (unsigned s = A; s < SIDES; s++) {
		uint64_t number = k->o->compare[s];
		uint64_t of = 0;

		c->frame[s] = s == B && !k->o->compares_two ? longest : median;
		if (number != TT_COMPARE_MEDIAN && !find_number(f, number, &c->frame[s])) {
			for (size_t i = 0; f->has_engine_number && i < f->n; i++)
				of = number == tt_frames_engine_number(f, i) ? tt_frames_number(f, i) : of;
			tt_fail_no_frames(number, number, tt_frames_number(f, 0), tt_frames_number(f, f->n - 1), of, &k->r->err);
			c->found = false;
			return;
		}
	}
}

/* --- sums ------------------------------------------------------------------------------- */

/* Return the merged node that the sums of ${node} are added to, or TT_NO_MNODE. */
static uint32_t
place_of(const struct compared *c, uint32_t node)
{
	const struct tt_paths *p = c->g.p;
	const struct tt_node *root = tt_paths_node(p, p->root[node]);

	if (c->g.at[node] != TT_NO_MNODE || root->kind != TT_NODE_STACKS || root->parent == 0)
		return c->g.at[node];
	return c->g.at[root->parent];
}

static void
add_site(struct compared *c, enum side s, const struct tt_frame_path *rec)
{
	const struct tt_paths *p = c->g.p;
	uint32_t site = tt_alloc_site_of(p, p->owner[rec->node]), row = tt_paths_row_at(p, site);

	if (!tt_paths_site_wanted(p, row) && !tt_paths_site_wanted(p, tt_paths_row_at(p, tt_paths_zone(p, site))))
		return;
	if (tt_mem_grow(&c->m->env->mem, &c->site, &c->capsite, c->nsite + 1, sizeof *c->site, c->sums.err) != TT_OK)
		return;
	c->site[c->nsite] = (struct of_site){ .row = row };
	c->site[c->nsite].n[s] = rec->n;
	c->site[c->nsite++].bytes[s] = rec->total;
}

static void
add_thread(struct compared *c, enum side s, const struct tt_frame_path *rec)
{
	const struct tt_thread *th = tt_paths_thread(c->g.p, rec->node);
	struct of_thread *t = th ? &c->thread[s][th->index] : NULL;

	if (!t || !tt_frame_sums_zone(&c->sums, rec->node))
		return;
	if (tt_paths_shown(c->g.p, rec->node))
		t->zones += rec->n;
	if (c->sums.flags[rec->node] & TT_SUM_TOP)
		t->time.inside += rec->total;
	if (c->sums.flags[rec->node] & TT_SUM_WAIT)
		t->time.waiting += rec->total;
}

static void
add_rec(struct compared *c, enum side s, const struct tt_frame_path *rec)
{
	uint32_t to = place_of(c, rec->node);
	bool alloc = tt_paths_node(c->g.p, rec->node)->kind == TT_NODE_ALLOC;

	if (alloc)
		add_site(c, s, rec);
	else
		add_thread(c, s, rec);
	if (to == TT_NO_MNODE)
		return;
	if (alloc) {
		c->sum[s][to].bytes += rec->total;
	} else if (tt_paths_timed(c->g.p, rec->node)) {
		bool shown = tt_paths_shown(c->g.p, rec->node);

		c->sum[s][to].n += shown ? rec->n : 0;
		c->sum[s][to].total += shown ? rec->total : 0;
		c->sum[s][to].self += c->g.v[to].row == TT_NO_ROW ? 0 : rec->self;
	}
}

/* Add the sums of each path to its parent; a thread's total is the sum over its outermost zones. */
static void
sum_up(const struct compared *c, struct sum *sum)
{
	for (uint32_t i = c->g.n; i-- > 0;) {
		uint32_t up = c->g.v[i].parent;

		sum[i].counted = c->g.v[i].keep && (sum[i].counted || sum[i].n > 0 || sum[i].total != 0 || sum[i].bytes != 0);
		if (up == TT_NO_MNODE)
			continue;
		sum[up].counted = sum[up].counted || sum[i].counted;
		sum[up].bytes += sum[i].bytes;
		if (c->g.v[up].row == TT_NO_ROW)
			sum[up].total += sum[i].total;
	}
}

static void
read_sums(struct compared *c)
{
	const bool turned = c->frame[B] < c->frame[A];
	const size_t of[SIDES] = { c->frame[turned ? B : A], c->frame[turned ? A : B] };

	c->sums.chosen = of;
	c->sums.nchosen = SIDES;
	tt_frame_sums_rewind(&c->sums);
	while (tt_frame_sums_next(&c->sums)) {
		for (unsigned s = A; s < SIDES; s++)
			for (size_t i = 0; c->sums.frame == c->frame[s] && i < c->sums.n; i++)
				add_rec(c, s, &c->sums.rec[i]);
	}
	c->sums.nchosen = 0;
	c->g.total = 0;
	for (unsigned s = A; s < SIDES; s++) {
		int64_t wall = tt_frames_wall(c->f, c->frame[s]);

		sum_up(c, c->sum[s]);
		c->g.total = wall > c->g.total ? wall : c->g.total;
	}
}

/* --- the frames ------------------------------------------------------------------------- */

/* Say which side the frame is, with the other side if it is both: "A", "B (median)", "A (median), B". */
static const char *
name_of(const struct tt_making *k, const struct compared *c, size_t i)
{
	const char *of[SIDES];

	for (unsigned s = A; s < SIDES; s++)
		of[s] = k->o->compare[s] == TT_COMPARE_MEDIAN && (s == A || k->o->compares_two) ? " (median)" : "";
	if (i == c->frame[A] && i == c->frame[B])
		return tt_text(k->r, "A%s, B%s", of[A], of[B]);
	return i == c->frame[A] ? tt_text(k->r, "A%s", of[A]) : i == c->frame[B] ? tt_text(k->r, "B%s", of[B]) : "";
}

static void
put_frame(struct tt_making *k, const struct compared *c, size_t i, struct tt_table *t)
{
	const struct tt_frames *f = c->f;
	uint32_t process = k->m->threads.t[tt_frames_thread(f, i)]->process;
	struct tt_cell *cell = tt_row(t);

	tt_cell_u64(&cell[F_FRAME], tt_frames_number(f, i));
	if (f->has_engine_number)
		tt_cell_u64(&cell[F_GIVEN], tt_frames_engine_number(f, i));
	tt_cell_name(&cell[F_IS], name_of(k, c, i));
	tt_cell_int(&cell[F_START], tt_frames_start(f, i));
	tt_cell_int(&cell[F_DUR], tt_frames_wall(f, i));
	if (f->has_wait)
		tt_cell_int(&cell[F_CPU], tt_frames_cpu(f, i));
	if (c->allocs) {
		tt_cell_u64(&cell[F_ALLOCS], (uint64_t)tt_column_at(&f->alloc_n, i));
		tt_cell_u64(&cell[F_BYTES], (uint64_t)tt_column_at(&f->alloc_b, i));
	}
	if (tt_knows_collections(k->m))
		tt_cell_u64(&cell[F_COLLECTIONS], tt_by_frame(k->m)->gc[i].n);
	if (tt_knows_collections(k->m) && tt_knows_pauses(k->m))
		tt_cell_int(&cell[F_PAUSE], tt_pause_ns_in(k->m, process, tt_frames_start(f, i), tt_frames_end(f, i)));
	tt_cell_int(&cell[F_PROCESS], (int64_t)process + 1);
}

/* Explain why B is long, if A is the median frame. NULL: B has no known cause. */
static const char *
cause_of(struct tt_making *k, const struct compared *c)
{
	struct tt_causes all = { 0 };

	if (!k->o->compares_two || k->o->compare[A] != TT_COMPARE_MEDIAN || tt_causes_hiding_setting(k->m) || k->m->ncap > 1 ||
	    tt_causes_find(&all, k->view, &k->r->arena, &k->r->err) != TT_OK)
		return NULL;
	for (size_t i = 0; i < all.ncause; i++)
		if (all.cause[i].frame == c->frame[B])
			return tt_text(k->r, "frame %llu is long: %s", (unsigned long long)tt_frames_number(c->f, c->frame[B]),
			    tt_cause_sentence(&all.cause[i], k->view, &k->r->arena, &k->r->err));
	return NULL;
}

/* Put the two frames and the neighbours of B, in order of time. */
static void
frames(struct tt_making *k, struct tt_table *t)
{
	const struct compared *c = k->state;
	size_t first = 0, end = 0;

	if (!c->found)
		return;
	t->note = cause_of(k, c);
	tt_frames_range(c->f, k->m->threads.t[tt_frames_thread(c->f, c->frame[B])]->process, &first, &end);
	if (c->frame[B] - first > NEIGHBOURS)
		first = c->frame[B] - NEIGHBOURS;
	if (end - c->frame[B] > NEIGHBOURS + 1)
		end = c->frame[B] + NEIGHBOURS + 1;
	if (c->frame[A] < first)
		put_frame(k, c, c->frame[A], t);
	for (size_t i = first; i < end; i++)
		put_frame(k, c, i, t);
	if (c->frame[A] >= end)
		put_frame(k, c, c->frame[A], t);
}

/* --- the call trees ----------------------------------------------------------------------- */

struct step {
	uint32_t v, depth;
	int64_t more, most;           /* absolute difference of the two totals; the larger total */
};

struct stack {
	struct step *s;
	size_t n, cap;
};

static int
by_difference(const void *x, const void *y)
{
	const struct step *a = x, *b = y;

	/* Smallest first: the last one pushed is the first one shown. */
	if (a->more != b->more)
		return a->more < b->more ? -1 : 1;
	if (a->most != b->most)
		return a->most < b->most ? -1 : 1;
	return TT_CMP(b->v, a->v);
}

/* True if the path deserves a row: its larger time is at least the threshold's share of the longer frame. */
static bool
is_shown(const struct compared *c, const struct tt_pass_opts *o, uint32_t v)
{
	const struct sum *a = &c->sum[A][v], *b = &c->sum[B][v];
	int64_t most = a->total > b->total ? a->total : b->total;

	return (a->counted || b->counted) && tt_merged_over(&c->g, most, o->threshold_e4);
}

static void
push_level(struct tt_making *k, struct stack *st, uint32_t v, uint32_t depth)
{
	const struct compared *c = k->state;
	size_t from = st->n;

	for (; v != TT_NO_MNODE; v = c->g.v[v].sibling) {
		int64_t a = c->sum[A][v].total, b = c->sum[B][v].total;

		if (!is_shown(c, k->o, v))
			continue;
		if (tt_mem_grow(&k->m->env->mem, &st->s, &st->cap, st->n + 1, sizeof *st->s, &k->r->err) != TT_OK)
			return;
		st->s[st->n++] = (struct step){ v, depth, a > b ? a - b : b - a, a > b ? a : b };
	}
	if (st->n > from)
		tt_sort(st->s + from, st->n - from, by_difference);
}

static void
put_two(struct tt_cell *c, int64_t a, int64_t b)
{
	tt_cell_int(&c[0], a);
	tt_cell_int(&c[1], b);
	tt_cell_int(&c[2], b - a);
}

static void
put_path(const struct compared *c, struct step s, struct tt_table *t)
{
	const struct tt_mnode *v = &c->g.v[s.v];
	const struct sum *a = &c->sum[A][s.v], *b = &c->sum[B][s.v];
	struct tt_cell *cell = tt_row(t);

	tt_cell_text(&cell[C_MARKER], v->row == TT_NO_ROW ? c->m->threads.t[v->thread]->name : c->g.p->row[v->row].label);
	tt_cell_int(&cell[C_DEPTH], s.depth);
	put_two(&cell[C_TOTAL_A], a->total, b->total);
	if (v->row != TT_NO_ROW) {
		put_two(&cell[C_SELF_A], a->self, b->self);
		put_two(&cell[C_COUNT_A], (int64_t)a->n, (int64_t)b->n);
	}
	if (c->allocs) {
		tt_cell_int(&cell[C_BYTES_A], a->bytes);
		tt_cell_int(&cell[C_BYTES_B], b->bytes);
	}
}

static void
tree(struct tt_making *k, struct tt_table *t)
{
	const struct compared *c = k->state;
	uint32_t deepest = k->o->max_depth && k->o->max_depth < DEPTH_MAX ? (uint32_t)k->o->max_depth : DEPTH_MAX;
	struct stack st = { 0 };
	char percent[24];

	if (!c->found)
		return;
	*tt_put_fixed(percent, k->o->threshold_e4, 2) = '\0';
	t->note = k->o->threshold_e4 <= 0 ? c->note : tt_text(t->r, "%s; branches below %s %% of the longer frame are left out (%s)", c->note, percent,
	    tt_setting_name[TT_SETTING_THRESHOLD]);
	push_level(k, &st, c->g.first, 0);
	while (st.n > 0) {
		struct step s = st.s[--st.n];

		put_path(c, s, t);
		if (s.depth < deepest)
			push_level(k, &st, c->g.v[s.v].child, s.depth + 1);
	}
	tt_mem_free(&k->m->env->mem, st.s, st.cap * sizeof *st.s);
}

/* --- threads, allocations, counters -------------------------------------------------------- */

static void
threads(struct tt_making *k, struct tt_table *t)
{
	const struct compared *c = k->state;

	for (size_t i = 0; c->found && i < k->m->threads.n; i++) {
		const struct of_thread *a = &c->thread[A][i], *b = &c->thread[B][i];
		struct tt_cell *cell;

		if (!a->time.inside && !b->time.inside && !a->zones && !b->zones)
			continue;
		cell = tt_row(t);
		tt_cell_group(&cell[T_THREAD], k->m->threads.t[i]->name, (uint32_t)i);
		tt_cell_int(&cell[T_NUMBER], (int64_t)i + 1);
		put_two(&cell[T_BUSY_A], tt_busy(&a->time), tt_busy(&b->time));
		put_two(&cell[T_WAIT_A], a->time.waiting, b->time.waiting);
		tt_cell_u64(&cell[T_ZONES_A], a->zones);
		tt_cell_u64(&cell[T_ZONES_B], b->zones);
	}
}

static int
by_row(const void *a, const void *b)
{
	const struct of_site *x = a, *y = b;

	return TT_CMP(x->row, y->row);
}

static void
put_site(struct tt_making *k, struct tt_table *t, const void *v, size_t n)
{
	const struct compared *c = k->state;
	const struct of_site *site = v;
	struct of_site all = { .row = site->row };
	struct tt_cell *cell = tt_row(t);

	for (size_t i = 0; i < n; i++)
		for (unsigned s = A; s < SIDES; s++) {
			all.n[s] += site[i].n[s];
			all.bytes[s] += site[i].bytes[s];
		}
	tt_cell_text(&cell[A_SITE], tt_site_name(c->g.p, all.row));
	put_two(&cell[A_BYTES_A], all.bytes[A], all.bytes[B]);
	put_two(&cell[A_ALLOCS_A], (int64_t)all.n[A], (int64_t)all.n[B]);
}

static void
sites(struct tt_making *k, struct tt_table *t)
{
	struct compared *c = k->state;

	if (c->found)
		tt_for_each_group(c->site, c->nsite, sizeof *c->site, by_row, put_site, k, t);
}

static void
counters(struct tt_making *k, struct tt_table *t)
{
	const struct compared *c = k->state;
	const struct tt_counters *cs = tt_counters(k->m);
	struct { bool has[SIDES]; union tt_counter_value last[SIDES]; } *v = c->found ? tt_pass_alloc(k, cs->n * sizeof *v) : NULL;
	struct tt_sorted *in = NULL;
	const void *rec;

	if (!v || tt_by_frame_open(k->m, TT_BY_FRAME_VALUES, &in, &k->r->err) != TT_OK)
		return;
	while (tt_by_frame_next(in, &rec, &k->r->err) == TT_OK && rec) {
		const struct tt_frame_values r = tt_frame_values_of(cs, rec);

		for (unsigned s = A; s < SIDES; s++)
			if (r.frame == c->frame[s]) {
				v[r.counter].has[s] = true;
				v[r.counter].last[s] = r.last;
			}
	}
	tt_by_frame_close(in);
	for (uint32_t i = 0; i < cs->n; i++) {
		const struct tt_counter_stat *of = &cs->counter[i];
		const char *name = tt_counter_name(k->r, of);
		struct tt_cell *cell;

		if ((!v[i].has[A] && !v[i].has[B]) || !tt_counter_wanted(k->m, of))
			continue;
		cell = tt_row(t);
		tt_cell_text(&cell[V_COUNTER], name);
		tt_cell_name(&cell[V_SECTION], tt_counter_section(of->def));
		tt_cell_text(&cell[V_UNIT], tt_counter_unit_name(of));
		for (unsigned s = A; s < SIDES; s++)
			if (v[i].has[s])
				tt_cell_counter(k->r, &cell[V_A + s], of, v[i].last[s]);
	}
}

/* --- the pass ------------------------------------------------------------------------------- */

static bool
make_room(struct tt_making *k, struct compared *c)
{
	for (unsigned s = A; s < SIDES; s++) {
		c->sum[s] = tt_pass_alloc(k, c->g.n * sizeof *c->sum[s]);
		c->thread[s] = tt_pass_alloc(k, k->m->threads.n * sizeof *c->thread[s]);
		if (!c->sum[s] || !c->thread[s])
			return false;
	}
	return true;
}

static void
open(struct tt_making *k)
{
	struct compared *c = k->state;

	c->m = k->m;
	c->allocs = tt_model_knows_allocs(k->m);
	choose(k, c);
	if (!c->found)
		return;
	c->note = tt_text(k->r, "A is frame %llu%s, B is frame %llu%s", (unsigned long long)tt_frames_number(c->f, c->frame[A]),
	    k->o->compare[A] == TT_COMPARE_MEDIAN ? ", the median" : "", (unsigned long long)tt_frames_number(c->f, c->frame[B]),
	    !k->o->compares_two ? ", the longest" : k->o->compare[B] == TT_COMPARE_MEDIAN ? ", the median" : "");
	tt_frame_sums_init(&c->sums, k->view, &k->r->err);
	if (c->sums.slot && tt_merged_init(&c->g, c->sums.p, &k->r->err) == TT_OK && make_room(k, c))
		read_sums(c);
	c->found = k->r->err.code == TT_OK;
}

static void
drop(struct tt_making *k)
{
	struct compared *c = k->state;

	tt_merged_free(&c->g);
	if (c->sums.m)
		tt_frame_sums_free(&c->sums);
	tt_mem_free(&k->m->env->mem, c->site, c->capsite * sizeof *c->site);
}

static bool
has_frames(const struct tt_making *k)
{
	return k->m->frames && k->m->frames->n;
}

static const char *
why(struct tt_making *k)
{
	const struct compared *c = k->state;

	return c->none ? c->none : "nothing of the kind in these frames, or the filters leave none";
}

static const struct tt_option options[] = {
	{ .name = "compare-frames", .arg = "A,B", .kind = TT_OPTION_OTHER, .table = "compare_frames", .if_no_table = true,
	    .help = "print two frames side by side, each a number or \"median\": call trees, threads, allocations, counters" },
	{ .name = NULL },
};

static const struct tt_pass_table tables[] = {
	{ "compared_frames", "Frames A and B, and those beside B", frames_col, F_N, false, TT_ON_TIME | TT_ON_THREAD, .make_rows = frames, .has_rows =
	    has_frames, .find_why_empty = why, .shape = TT_WHOLE },
	{ "compared_calltree", "Call trees of frames A and B", tree_col, C_N, false, TT_ON_TIME | TT_ON_THREAD | TT_ON_NAMES | TT_ON_ZONES, .make_rows = tree,
	    .has_rows = has_frames, .find_why_empty = why, .shape = TT_TREE },
	{ "compared_threads", "Threads in frames A and B", threads_col, T_N, false, TT_ON_TIME | TT_ON_THREAD | TT_ON_ZONES, .make_rows = threads,
	    .has_rows = has_frames, .find_why_empty = why, .sort = "b_busy_ns" },
	{ "compared_allocs", "Allocations in frames A and B", allocs_col, A_N, false, TT_ON_TIME | TT_ON_THREAD | TT_ON_NAMES | TT_ON_ZONES, .make_rows = sites,
	    .has_rows = has_frames, .find_why_empty = why, .sort = "b_bytes" },
	{ "compared_counters", "Counters in frames A and B", counters_col, V_N, false, TT_ON_TIME | TT_ON_NAMES, .make_rows = counters,
	    .has_rows = has_frames, .find_why_empty = why, .sort = "counter" },
};

const struct tt_pass tt_pass_compare_frames = {
	.name = "compare_frames",
	.summary = "two frames side by side: call trees, threads, allocations, counters",
	.needs = TT_NEEDS_FRAMES | TT_NEEDS_CALLS | TT_NEEDS_BY_FRAME,
	.option = options,
	.state_bytes = sizeof(struct compared),
	.open = open,
	.close = drop,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

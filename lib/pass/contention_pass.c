/**
 * The pass "contention": waiting for locks, per lock and per place in the program.
 *
 * Definitions: tracetool-metrics(7), Contention.
 */
#include "base/order.h"
#include "pass/passes.h"
#include "collect/collections.h"
#include "collect/contention.h"
#include "stat/num.h"
#include "view/view.h"

#define TIMES_COLS \
	{ "wait_ns", "waited", TT_UNIT_NS, "Total time of the waits." }, \
	{ "min_ns", "min", TT_UNIT_NS, "Shortest wait." }, { "mean_ns", "mean", TT_UNIT_NS, "Mean wait." }, \
	{ "p95_ns", "p95", TT_UNIT_NS, "95th percentile of the waits (nearest rank, within 1.6 %)." }, \
	{ "max_ns", "max", TT_UNIT_NS, "Longest wait." }
#define SHARE_COL { "share", "waited", TT_UNIT_PERCENT, "Share of the total time of all waits." }

static const struct tt_col summary_col[] = {
	{ "waits", "waits", TT_UNIT_COUNT, "Number of waits whose end is in the capture." },
	TIMES_COLS,
	{ "contended", "contended", TT_UNIT_COUNT, "Number of times a thread asked for a lock that another thread held." },
	{ "acquired", "acquired", TT_UNIT_COUNT, "Number of times such a thread got the lock." },
	{ "failed", "gave up", TT_UNIT_COUNT, "Number of times such a thread gave up because its timeout had passed." },
	{ "unfinished", "unfinished", TT_UNIT_COUNT, "Number of waits whose end is not in the capture; only contended includes them." },
	{ "locks", "locks", TT_UNIT_COUNT, "Number of locks that threads waited for." },
};

static const struct tt_col lock_col[] = {
	{ "lock", "lock", TT_UNIT_HEX, "Address of the lock's object at the first wait." },
	{ "waits", "waits", TT_UNIT_COUNT, "Number of waits for the lock whose end is in the capture." },
	TIMES_COLS, SHARE_COL,
	{ "contended", "contended", TT_UNIT_COUNT, "Number of times a thread asked for the lock while another thread held it." },
	{ "acquired", "acquired", TT_UNIT_COUNT, "Number of times such a thread got the lock." },
	{ "failed", "gave up", TT_UNIT_COUNT, "Number of times such a thread gave up." },
	{ "threads", "threads", TT_UNIT_COUNT, "Number of threads that waited for the lock." },
	{ "moved", "moved", TT_UNIT_COUNT, "Number of times the collector moved the object; empty if moves were not recorded." },
	{ "first_ns", "first", TT_UNIT_NS, "Time of the first wait." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

static const struct tt_col site_col[] = {
	{ "marker", "site", TT_UNIT_TEXT,
	    "Site of the wait: innermost zone or stack frame that is not the runtime's own." },
	{ "waits", "waits", TT_UNIT_COUNT, "Number of waits here whose end is in the capture." },
	TIMES_COLS, SHARE_COL,
	{ "contended", "contended", TT_UNIT_COUNT, "Number of times a thread asked here for a lock that another thread held." },
	{ "failed", "gave up", TT_UNIT_COUNT, "Number of times such a thread gave up." },
};

static const struct tt_col path_col[] = {
	{ "path", "path", TT_UNIT_TEXT, "Zones or stack frames around the wait, outermost first; of a longer path, the innermost 64." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread." },
	{ "waits", "waits", TT_UNIT_COUNT, "Number of waits here whose end is in the capture." },
	TIMES_COLS, SHARE_COL,
	{ "contended", "contended", TT_UNIT_COUNT, "Number of times a thread asked here for a lock that another thread held." },
	{ "failed", "gave up", TT_UNIT_COUNT, "Number of times such a thread gave up." },
};

struct fold {
	struct tt_spread wait;        /* the waits of the present row */
	const struct tt_paths *p;     /* the paths; NULL until needed */
};

static struct fold *
fold_of(const struct tt_making *k)
{
	return k->state;
}

/* Begin a row whose waits have the histogram ${id}. */
static void
set_waits(struct tt_making *k, uint64_t id, const struct tt_times *t)
{
	tt_spread_clear(&fold_of(k)->wait);
	tt_spread_add(&fold_of(k)->wait, &tt_contention(k->m)->hist, id, t);
}

/* Put the number of the row's waits and fill TIMES_COLS. */
static void
put_times(struct tt_making *k, struct tt_cell *c)
{
	tt_cell_times(c, fold_of(k)->wait.t.n, &fold_of(k)->wait);
}

/* Put the number of the row's waits and fill TIMES_COLS and SHARE_COL. */
static void
put_shared(struct tt_making *k, struct tt_cell *c)
{
	put_times(k, c);
	if (fold_of(k)->wait.t.n)
		tt_put_share(&c[6], fold_of(k)->wait.t.total, tt_contention(k->m)->wait.total);
}

static void
summary(struct tt_making *k, struct tt_table *t)
{
	const struct tt_contention *l = tt_contention(k->m);
	uint64_t contended = 0, acquired = 0, failed = 0;
	struct tt_cell *c = tt_row(t);

	for (size_t i = 0; i < l->n; i++) {
		contended += l->lock[i].ncontended;
		acquired += l->lock[i].nacquired;
		failed += l->lock[i].nfailed;
	}
	set_waits(k, TT_LOCKS_ALL, &l->wait);
	put_times(k, c);
	tt_cell_u64(&c[6], contended);
	tt_cell_u64(&c[7], acquired);
	tt_cell_u64(&c[8], failed);
	tt_cell_u64(&c[9], l->nunfinished);
	tt_cell_u64(&c[10], l->n);
}

static bool
collected(const struct tt_model *m)
{
	const struct tt_gc *gc = tt_gc(m);

	return tt_collections(gc->gen, 0, TT_GENERATIONS).n > 0 || gc->npauses_all > 0;
}

/* Say whether a row is surely a single lock. */
static const char *
identity(struct tt_making *k)
{
	const struct tt_contention *l = tt_contention(k->m);

	if (l->has_moves)
		return "objects are followed through the collector's moves: a row is a lock";
	if (collected(k->m))
		return "moves are not recorded, so a row is an address: a lock that moved has several, and one address may have "
		    "been several locks";
	return "no collection was recorded: a row is a lock unless a collection ran unrecorded";
}

static void
locks(struct tt_making *k, struct tt_table *t)
{
	const struct tt_contention *l = tt_contention(k->m);

	t->note = identity(k);
	for (size_t i = 0; i < l->n; i++) {
		const struct tt_lock *of = &l->lock[i];
		struct tt_cell *c = tt_row(t);

		set_waits(k, tt_contention_id(i), &of->wait);
		if (of->addr)
			tt_cell_u64(&c[0], of->addr);
		put_shared(k, c + 1);
		tt_cell_u64(&c[8], of->ncontended);
		tt_cell_u64(&c[9], of->nacquired);
		tt_cell_u64(&c[10], of->nfailed);
		tt_cell_int(&c[11], of->nthreads);
		if (l->has_moves)
			tt_cell_u64(&c[12], of->nmoves);
		tt_cell_int(&c[13], of->first_ts);
		tt_cell_int(&c[14], (int64_t)of->process + 1);
	}
}

/* --- sites --------------------------------------------------------------------------- */

struct place { uint32_t row, site; };

static int
by_row(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return TT_CMP(x->row, y->row);
}

/* Sums over several paths. */
struct sum { uint64_t contended, failed; };

/* Sum up the paths ${at}[0..n) and add their waits to the present row. */
static struct sum
sum_of(struct tt_making *k, const struct place *at, size_t n)
{
	const struct tt_contention *l = tt_contention(k->m);
	struct sum sum = { 0 };

	tt_spread_clear(&fold_of(k)->wait);
	for (size_t i = 0; i < n; i++) {
		const struct tt_lock_site *s = &l->site[at[i].site];
		tt_spread_add(&fold_of(k)->wait, &l->hist, tt_contention_site_id(at[i].site), &s->wait);
		sum.contended += s->ncontended;
		sum.failed += s->nfailed;
	}
	return sum;
}

static void
put_sum(struct tt_making *k, struct tt_cell *c, const struct sum *sum)
{
	put_shared(k, c);
	tt_cell_u64(&c[7], sum->contended);
	tt_cell_u64(&c[8], sum->failed);
}

/* Begin a row for all paths of one site, if the filters want the site; the table fills the cells after the name. Else NULL. */
static struct tt_cell *
site_row(struct tt_making *k, struct tt_table *t, const struct place *at)
{
	const struct tt_paths *p = fold_of(k)->p;
	struct tt_cell *c;

	if (!tt_paths_site_wanted(p, at->row))
		return NULL;
	c = tt_row(t);
	tt_cell_text(&c[0], tt_site_name(p, at->row));
	return c;
}

static void
put_site(struct tt_making *k, struct tt_table *t, const void *v, size_t n)
{
	struct tt_cell *c = site_row(k, t, v);
	struct sum sum;

	if (!c)
		return;
	sum = sum_of(k, v, n);
	put_sum(k, c + 1, &sum);
}

/* Put the number of locks that the thread of ${row} waited for, if it is known. */
static void
put_locks(struct tt_making *k, struct tt_cell *c, uint32_t row)
{
	const struct tt_contention *l = tt_contention(k->m);
	uint64_t n = 0;

	if (k->o->group != TT_GROUP_THREAD || k->m->filter.marker || k->m->filter.category)
		return;
	for (size_t i = 0; i < l->waiter.n; i++)
		n += (uint32_t)l->waiter.v[i].key == row / 2;
	if (n)
		tt_cell_u64(c, n);
}

static void
put_summary_group(struct tt_making *k, struct tt_table *t, const void *v, size_t n)
{
	struct tt_cell *c = site_row(k, t, v);
	struct sum sum;

	if (!c)
		return;
	sum = sum_of(k, v, n);
	put_times(k, c + 1);
	tt_cell_u64(&c[7], sum.contended);
	tt_cell_u64(&c[9], sum.failed);
	put_locks(k, &c[11], ((const struct place *)v)->row);
}

static void
put_locks_group(struct tt_making *k, struct tt_table *t, const void *v, size_t n)
{
	struct tt_cell *c = site_row(k, t, v);
	struct sum sum;

	if (!c)
		return;
	sum = sum_of(k, v, n);
	put_shared(k, c + 2);
	tt_cell_u64(&c[9], sum.contended);
	tt_cell_u64(&c[11], sum.failed);
	put_locks(k, &c[t->ncol - 1], ((const struct place *)v)->row);
}

static void
put_path(struct tt_making *k, struct tt_table *t, const void *v, size_t n)
{
	const struct place *at = v;
	struct sum sum = sum_of(k, at, n);

	put_sum(k, tt_begin_path_row(t, fold_of(k)->p, tt_contention(k->m)->site[at->site].node, NULL) + 2, &sum);
}

/* Make a row for each place or, with ${by_path}, for each path. */
static void
places(struct tt_making *k, struct tt_table *t, bool by_path, tt_group_fn *fill)
{
	const struct tt_contention *l = tt_contention(k->m);
	size_t n = 0;
	const struct tt_paths *p = tt_view_paths(k->view, k->o->group, TT_PATHS_SITES | (by_path ? TT_PATHS_JOIN : 0), &k->r->err);
	struct place *at = tt_pass_alloc(k, l->nsite * sizeof *at);

	fold_of(k)->p = p;
	for (size_t i = 0; at && i < l->nsite; i++) {
		uint32_t node = l->site[i].node;

		if (!by_path)
			at[n++] = (struct place){ p->site[node], (uint32_t)i };
		else if (tt_paths_site_wanted(p, p->site[node]))
			at[n++] = (struct place){ k->o->group ? p->path[node] : (uint32_t)i, (uint32_t)i };
	}
	tt_for_each_group(at, n, sizeof *at, by_row, fill, k, t);
}

static void sites(struct tt_making *k, struct tt_table *t) { places(k, t, false, put_site); }
static void summary_groups(struct tt_making *k, struct tt_table *t) { places(k, t, false, put_summary_group); }
static void lock_groups(struct tt_making *k, struct tt_table *t) { places(k, t, false, put_locks_group); }
static void paths(struct tt_making *k, struct tt_table *t) { places(k, t, true, put_path); }

/* --- the pass ------------------------------------------------------------------------ */

static bool
any(const struct tt_model *m)
{
	return tt_contention(m)->n;
}

#define NONE .why_empty = "no contention in this capture, or the filters leave none"
static const struct tt_pass_table tables[] = {
	{ "contention", "Waiting for locks", summary_col, TT_NCOL(summary_col), false, TT_ON_TIME | TT_ON_THREAD,
	    TT_BY_THREAD | TT_BY_NAME, TT_GROUP_FRONT, .shape = TT_FACTS, .make_rows = summary, .make_groups = summary_groups,
	    .sort = "wait_ns", NONE },
	{ "contention_locks", "Waiting by lock", lock_col, TT_NCOL(lock_col), false, TT_ON_TIME | TT_ON_THREAD,
	    TT_BY_THREAD, TT_GROUP_FRONT | TT_GROUP_COUNT, TT_NEEDS_MOVES, .make_rows = locks, .make_groups = lock_groups, .sort = "wait_ns", NONE },
	{ "contention_sites", "Waiting by site", site_col, TT_NCOL(site_col), false, TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME,
	    .make_rows = sites, .keeps = true, .sort = "wait_ns", NONE },
	{ "contention_paths", "Waiting by path", path_col, TT_NCOL(path_col), true, TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME,
	    .make_rows = paths, .keeps = true, .sort = "wait_ns", NONE },
};

const struct tt_pass tt_pass_contention = {
	.name = "contention",
	.summary = "waiting for locks: per lock, site and path",
	.needs = TT_NEEDS_CALLS | TT_NEEDS_SITES | TT_NEEDS_LOCKS,
	.is_standard = true,
	.has_tables = any,
	.state_bytes = sizeof(struct fold),
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

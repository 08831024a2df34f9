/**
 * The pass "contention": waiting for locks, per lock and per place in the program.
 *
 * Definitions: tracetool-metrics(7), Contention.
 */
#include <stdlib.h>
#include <string.h>

#include "pass/passes.h"
#include "pass/paths.h"
#include "stat/num.h"

enum { C_SUMMARY, C_LOCKS, C_SITES, C_PATHS };

#define TIMES_COLS \
	{ "wait_ns", "waited", TT_UNIT_NS, "Time waited, in all." }, \
	{ "min_ns", "min", TT_UNIT_NS, "Shortest wait." }, { "mean_ns", "mean", TT_UNIT_NS, "Mean wait." }, \
	{ "p95_ns", "p95", TT_UNIT_NS, "95th percentile of the waits (nearest rank, within 1.6 %)." }, \
	{ "max_ns", "max", TT_UNIT_NS, "Longest wait." }
#define SHARE_COL { "share", "waited", TT_UNIT_PERCENT, "Its share of the time waited in all." }

static const struct tt_col summary_col[] = {
	{ "waits", "waits", TT_UNIT_COUNT, "Waits that the capture sees end." },
	TIMES_COLS,
	{ "contended", "contended", TT_UNIT_COUNT, "Times a thread asked for a lock that another held." },
	{ "acquired", "acquired", TT_UNIT_COUNT, "Times such a thread got the lock." },
	{ "failed", "gave up", TT_UNIT_COUNT, "Times it gave up: the time it would wait was over." },
	{ "unfinished", "unfinished", TT_UNIT_COUNT, "Waits whose end the capture does not have; they are in contended only." },
	{ "locks", "locks", TT_UNIT_COUNT, "Locks waited for." },
};

static const struct tt_col lock_col[] = {
	{ "lock", "lock", TT_UNIT_HEX, "Address of the lock's object when it was first waited for." },
	{ "waits", "waits", TT_UNIT_COUNT, "Waits for it that the capture sees end." },
	TIMES_COLS, SHARE_COL,
	{ "contended", "contended", TT_UNIT_COUNT, "Times a thread asked for it while another held it." },
	{ "acquired", "acquired", TT_UNIT_COUNT, "Times such a thread got it." },
	{ "failed", "gave up", TT_UNIT_COUNT, "Times it gave up." },
	{ "threads", "threads", TT_UNIT_COUNT, "Threads that waited for it." },
	{ "moved", "moved", TT_UNIT_COUNT, "Times the collector moved it; empty where moves are not recorded." },
	{ "first_ns", "first", TT_UNIT_NS, "When it was first waited for." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

static const struct tt_col site_col[] = {
	{ "marker", "site", TT_UNIT_TEXT,
	    "Where the lock was asked for: innermost zone, or frame of the recorded stack, that is not the runtime's own." },
	{ "waits", "waits", TT_UNIT_COUNT, "Waits here that the capture sees end." },
	TIMES_COLS, SHARE_COL,
	{ "contended", "contended", TT_UNIT_COUNT, "Times a thread asked here for a lock that another held." },
	{ "failed", "gave up", TT_UNIT_COUNT, "Times it gave up." },
};

static const struct tt_col path_col[] = {
	{ "path", "path", TT_UNIT_TEXT, "Zones or frames around the wait, outermost first; of deeper paths the innermost 64." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread." },
	{ "waits", "waits", TT_UNIT_COUNT, "Waits here that the capture sees end." },
	TIMES_COLS, SHARE_COL,
	{ "contended", "contended", TT_UNIT_COUNT, "Times a thread asked here for a lock that another held." },
	{ "failed", "gave up", TT_UNIT_COUNT, "Times it gave up." },
};

static const struct tt_pass_table tables[] = {
	[C_SUMMARY] = { "contention", "Waiting for locks", summary_col, TT_NCOL(summary_col), false,
	    TT_ON_TIME | TT_ON_THREAD, TT_BY_THREAD | TT_BY_NAME, TT_GROUP_FRONT },
	[C_LOCKS] = { "contention_locks", "Waiting by lock", lock_col, TT_NCOL(lock_col), false,
	    TT_ON_TIME | TT_ON_THREAD, TT_BY_THREAD, TT_GROUP_FRONT | TT_GROUP_COUNT },
	[C_SITES] = { "contention_sites", "Waiting by site", site_col, TT_NCOL(site_col), false,
	    TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME, 0 },
	[C_PATHS] = { "contention_paths", "Waiting by path", path_col, TT_NCOL(path_col), true,
	    TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME, 0 },
};

static const unsigned table_needs[] = { [C_LOCKS] = TT_NEEDS_MOVES, [C_PATHS] = 0 };

struct fold {
	const struct tt_model *m;
	const struct tt_locks *l;
	struct tt_report *r;
	struct tt_paths p;
	struct tt_hist *h;            /* for one row */
};

/* The number of waits and TIMES_COLS; f->h has their distribution. */
static void
put_times(const struct fold *f, struct tt_cell *c, const struct tt_times *t)
{
	tt_cell_int(&c[0], (int64_t)t->n);
	if (t->n == 0)
		return;
	tt_cell_int(&c[1], t->total);
	tt_cell_int(&c[2], t->min);
	tt_cell_int(&c[3], tt_ratio((uint64_t)t->total, 1, t->n));
	tt_cell_int(&c[4], (int64_t)tt_hist_quantile(f->h, 95, 100));
	tt_cell_int(&c[5], t->max);
}

/* The same and SHARE_COL. */
static void
put_shared(const struct fold *f, struct tt_cell *c, const struct tt_times *t)
{
	put_times(f, c, t);
	if (t->n)
		tt_cell_share(&c[6], t->total, f->l->wait.total);
}

static int
summary(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	const struct tt_locks *l = f->l;
	uint64_t contended = 0, acquired = 0, failed = 0;
	struct tt_cell *c;
	int rc = tt_table_row(f->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	t->facts = true;
	for (size_t i = 0; i < l->n; i++) {
		contended += l->lock[i].contended;
		acquired += l->lock[i].acquired;
		failed += l->lock[i].failed;
	}
	tt_hist_init(f->h);
	tt_tally_hist(&l->hist, TT_LOCKS_ALL, &l->wait, f->h);
	put_times(f, c, &l->wait);
	tt_cell_int(&c[6], (int64_t)contended);
	tt_cell_int(&c[7], (int64_t)acquired);
	tt_cell_int(&c[8], (int64_t)failed);
	tt_cell_int(&c[9], (int64_t)l->unfinished);
	tt_cell_int(&c[10], (int64_t)l->n);
	return TT_OK;
}

static int
put_lock(struct fold *f, struct tt_table *t, size_t i, struct tt_err *err)
{
	const struct tt_lock *k = &f->l->lock[i];
	struct tt_cell *c;
	int rc = tt_table_row(f->r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_hist_init(f->h);
	tt_tally_hist(&f->l->hist, tt_locks_id(i), &k->wait, f->h);
	if (k->addr)
		tt_cell_int(&c[0], (int64_t)k->addr);
	put_shared(f, c + 1, &k->wait);
	tt_cell_int(&c[8], (int64_t)k->contended);
	tt_cell_int(&c[9], (int64_t)k->acquired);
	tt_cell_int(&c[10], (int64_t)k->failed);
	tt_cell_int(&c[11], k->threads);
	if (f->l->moves)
		tt_cell_int(&c[12], (int64_t)k->moved);
	tt_cell_int(&c[13], k->first_ts);
	tt_cell_int(&c[14], (int64_t)k->process + 1);
	return TT_OK;
}

static bool
collected(const struct tt_model *m)
{
	for (size_t g = 0; g < TT_NCOL(m->gen); g++) {
		if (m->gen[g].n)
			return true;
	}
	return m->pause_n > 0;
}

/* How far a row is one lock. */
static int
note_identity(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	if (f->l->late)
		t->note = tt_report_text(f->r, err, "objects are followed through moves, but %llu events stand in the file behind "
		    "a move that came after them: their rows may be another lock's", (unsigned long long)f->l->late);
	else if (f->l->moves)
		t->note = "objects are followed through the collector's moves: a row is a lock";
	else if (collected(f->m))
		t->note = "moves are not recorded, so a row is an address: a lock that moved has several, and one address may have "
		    "been several locks";
	else
		t->note = "no collection was recorded: a row is a lock unless one ran all the same";
	return t->note ? TT_OK : err->code;
}

static int
locks(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int rc = note_identity(f, t, err);

	for (size_t i = 0; i < f->l->n && rc == TT_OK; i++)
		rc = put_lock(f, t, i, err);
	return rc == TT_OK ? tt_table_sort(t, "wait_ns", err) : rc;
}

/* --- sites --------------------------------------------------------------------------- */

struct place { uint32_t row, site; };

static int
by_row(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

/* What the paths ${at}[0..n) come to. */
struct sum { struct tt_times wait; uint64_t contended, failed; };

/* f->h has the distribution of the waits then. */
static struct sum
sum_of(struct fold *f, const struct place *at, size_t n)
{
	struct sum sum = { 0 };

	tt_hist_init(f->h);
	for (size_t i = 0; i < n; i++) {
		const struct tt_lock_site *s = &f->l->site[at[i].site];
		tt_tally_hist(&f->l->hist, tt_locks_site_id(at[i].site), &s->wait, f->h);
		tt_times_join(&sum.wait, &s->wait);
		sum.contended += s->contended;
		sum.failed += s->failed;
	}
	return sum;
}

static void
put_sum(struct fold *f, struct tt_cell *c, const struct place *at, size_t n)
{
	struct sum sum = sum_of(f, at, n);

	put_shared(f, c, &sum.wait);
	tt_cell_int(&c[7], (int64_t)sum.contended);
	tt_cell_int(&c[8], (int64_t)sum.failed);
}

/* Locks waited for on the thread with index ${thread}. */
static uint64_t
locks_of(const struct fold *f, uint32_t thread)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->l->waiter.nslot; i++)
		n += f->l->waiter.slot[i].used && (uint32_t)f->l->waiter.slot[i].key == thread;
	return n;
}

/* A row of the summary, or of the locks, for a group. */
static void
put_group(struct fold *f, const struct tt_table *t, struct tt_cell *c, const struct place *at, size_t n)
{
	bool by_lock = strcmp(t->id, "contention_locks") == 0, by_thread = f->p.group == TT_GROUP_THREAD;
	struct sum sum = sum_of(f, at, n);
	uint64_t locks = by_thread && !f->m->filter.marker && !f->m->filter.category ? locks_of(f, at->row / 2) : 0;

	if (by_lock) {
		put_shared(f, c + 2, &sum.wait);
		tt_cell_int(&c[9], (int64_t)sum.contended);
		tt_cell_int(&c[11], (int64_t)sum.failed);
		if (locks)
			tt_cell_int(&c[t->ncol - 1], (int64_t)locks);
		return;
	}
	put_times(f, c + 1, &sum.wait);
	tt_cell_int(&c[7], (int64_t)sum.contended);
	tt_cell_int(&c[9], (int64_t)sum.failed);
	if (locks)
		tt_cell_int(&c[11], (int64_t)locks);
}

/* The row of all paths ${at}[0..n). */
static int
put_site(struct fold *f, struct tt_table *t, const struct place *at, size_t n, struct tt_err *err)
{
	const char *name = TT_OUTSIDE;
	struct tt_cell *c;
	int rc;

	if (at->row != TT_NO_ROW)
		name = tt_report_text(f->r, err, "%s", f->p.row[at->row].label);
	rc = name ? tt_table_row(f->r, t, &c, err) : err->code;
	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], name);
	if (strcmp(t->id, "contention_sites") == 0)
		put_sum(f, c + 1, at, n);
	else
		put_group(f, t, c, at, n);
	return TT_OK;
}

/* Rows by place; the summary and the locks have them in groups alone. */
static int
sites(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	struct tt_mem *mem = &f->m->env->mem;
	size_t n = f->l->nsite;
	struct place *at = tt_mem_alloc(mem, n * sizeof *at, err);
	int rc = at ? TT_OK : err->code;

	for (size_t i = 0; i < n && at; i++)
		at[i] = (struct place){ f->p.site[f->l->site[i].node], (uint32_t)i };
	if (n && at)
		qsort(at, n, sizeof *at, by_row);
	for (size_t i = 0, j; i < n && rc == TT_OK; i = j) {
		for (j = i; j < n && at[j].row == at[i].row; j++)
			;
		if (tt_paths_site_wanted(&f->p, at[i].row))
			rc = put_site(f, t, at + i, j - i, err);
	}
	tt_mem_free(mem, at, n * sizeof *at);
	return rc == TT_OK ? tt_table_sort(t, "wait_ns", err) : rc;
}

static int
put_path(struct fold *f, struct tt_table *t, const struct place *at, size_t n, struct tt_buf *b, struct tt_err *err)
{
	uint32_t node = f->l->site[at->site].node;
	const struct tt_thread *th = tt_paths_thread(&f->p, node);
	struct tt_cell *c;
	int rc = tt_paths_text(&f->p, node, b, err);
	const char *text = rc == TT_OK ? tt_arena_text(&f->r->arena, b->p, b->n, err) : NULL;

	rc = text ? tt_table_row(f->r, t, &c, err) : err->code;
	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], text);
	if (th && (!f->p.group || f->p.group == TT_GROUP_THREAD))
		tt_cell_text(&c[1], th->name);
	put_sum(f, c + 2, at, n);
	return TT_OK;
}

static int
paths(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	struct tt_mem *mem = &f->m->env->mem;
	struct place *at = tt_mem_alloc(mem, f->l->nsite * sizeof *at, err);
	struct tt_buf b = { 0 };
	size_t n = 0;
	int rc = at ? tt_paths_join(&f->p, err) : err->code;

	for (size_t i = 0; i < f->l->nsite && rc == TT_OK; i++) {
		uint32_t node = f->l->site[i].node;
		if (tt_paths_site_wanted(&f->p, f->p.site[node]))
			at[n++] = (struct place){ f->p.group ? f->p.path[node] : (uint32_t)i, (uint32_t)i };
	}
	if (n)
		qsort(at, n, sizeof *at, by_row);
	for (size_t i = 0, j; i < n && rc == TT_OK; i = j) {
		for (j = i; j < n && at[j].row == at[i].row; j++)
			;
		rc = put_path(f, t, at + i, j - i, &b, err);
	}
	tt_mem_free(mem, at, at ? f->l->nsite * sizeof *at : 0);
	tt_buf_free(&b);
	return rc == TT_OK ? tt_table_sort(t, "wait_ns", err) : rc;
}

/* --- the pass ------------------------------------------------------------------------ */

static int
tables_of(struct fold *f, const struct tt_pass_opts *o, struct tt_err *err)
{
	static int (*const make[])(struct fold *, struct tt_table *, struct tt_err *) = {
		[C_SUMMARY] = summary, [C_LOCKS] = locks, [C_SITES] = sites, [C_PATHS] = paths,
	};
	int rc = TT_OK;

	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_contention, i, o, f->r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		t->empty_reason = "no contention in this capture, or none that the filters leave";
		if (f->l)
			rc = (o->group && i != C_PATHS ? sites : make[i])(f, t, err);
	}
	return rc;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	struct fold f = { .m = m, .l = m->locks && m->locks->n ? m->locks : NULL, .r = r };
	int rc = TT_OK;

	if (!f.l && !o->table)
		return TT_OK;
	f.h = tt_mem_alloc(&m->env->mem, sizeof *f.h, err);
	rc = f.h ? tt_paths_init_by(&f.p, m, o->group, err) : err->code;
	if (rc == TT_OK)
		rc = tt_paths_sites(&f.p, err);
	if (rc == TT_OK)
		rc = tables_of(&f, o, err);
	tt_paths_free(&f.p);
	tt_mem_free(&m->env->mem, f.h, sizeof *f.h);
	return rc;
}

const struct tt_pass tt_pass_contention = {
	.name = "contention",
	.summary = "waiting for locks: per lock, site and path",
	.needs = TT_NEEDS_CALLS | TT_NEEDS_SITES | TT_NEEDS_LOCKS,
	.standard = true,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
	.table_needs = table_needs,
};

/**
 * The pass "threads": one row per thread of every input.
 */
#include "pass/passes.h"
#include "pass/paths.h"

enum { T_THREAD, T_NUMBER, T_BUSY, T_SHARE, T_WAITING, T_STOPPED, T_CALLS, T_ALLOCS, T_BYTES, T_EVENTS, T_FIRST, T_LAST, T_OPEN,
	T_TID, T_GENERATION, T_PROCESS, T_N };

static const struct tt_col threads_col[T_N] = {
	[T_THREAD] = { "thread", "thread", TT_UNIT_TEXT, "Name, or \"Thread\" and its number where it has none." },
	[T_NUMBER] = { "number", "no.", TT_UNIT_COUNT, "Number of the thread in all outputs, from 1." },
	[T_BUSY] = { "busy_ns", "busy", TT_UNIT_NS, "Time inside at least one zone, without the zones of wait markers." },
	[T_SHARE] = { "busy_share", "busy", TT_UNIT_PERCENT, "Busy time as share of the time from its first to its last event." },
	[T_WAITING] = { "waiting_ns", "waiting", TT_UNIT_NS, "Time inside zones of wait markers; of several inside one another, the outermost." },
	[T_STOPPED] = { "stopped_ns", "stopped", TT_UNIT_NS,
	    "Time another thread had the world stopped while this one had zones open; it is part of their self time; empty where not recorded." },
	[T_CALLS] = { "calls", "calls", TT_UNIT_COUNT, "Zones of the program begun, before any filter; not those that tracetool makes itself." },
	[T_ALLOCS] = { "allocs", "allocs", TT_UNIT_COUNT, "Allocations, before any filter; empty where they were not recorded." },
	[T_BYTES] = { "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes allocated, before any filter; empty where that was not recorded." },
	[T_EVENTS] = { "events", "events", TT_UNIT_COUNT, "Events of the producer, before any filter." },
	[T_FIRST] = { "first_ns", "first", TT_UNIT_NS, "Time of its first event." },
	[T_LAST] = { "last_ns", "last", TT_UNIT_NS, "Time of its last event." },
	[T_OPEN] = { "open_at_end", "open", TT_UNIT_COUNT, "Zones still open at the end of the capture, or where damage cut them off." },
	[T_TID] = { "tid", "tid", TT_UNIT_HEX, "The producer's thread id." },
	[T_GENERATION] = { "generation", "gen.", TT_UNIT_COUNT,
	    "How many threads had this id before it; ids are used again after a thread ends." },
	[T_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input it is from, from 1." },
};

static const struct tt_pass_table tables[] = {
	{ "threads", "Threads", threads_col, T_N, false, TT_ON_TIME | TT_ON_THREAD | TT_ON_ZONES, 0, 0 },
};

struct known { bool allocs, stops; };

static int
put_thread(const struct known *known, struct tt_report *r, struct tt_table *t, const struct tt_thread *th,
    const struct tt_zone_time *time, struct tt_err *err)
{
	struct tt_cell *c;
	int64_t busy = time->inside - time->waiting;
	int rc = tt_table_row(r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[T_THREAD], th->name);
	tt_cell_int(&c[T_NUMBER], (int64_t)th->index + 1);
	tt_cell_int(&c[T_TID], (int64_t)th->tid);
	tt_cell_int(&c[T_GENERATION], th->generation);
	tt_cell_int(&c[T_PROCESS], (int64_t)th->process + 1);
	tt_cell_int(&c[T_BUSY], busy);
	tt_cell_int(&c[T_WAITING], time->waiting);
	if (known->stops)
		tt_cell_int(&c[T_STOPPED], th->stopped_ns);
	tt_cell_int(&c[T_CALLS], (int64_t)th->ncall);
	if (known->allocs) {
		tt_cell_int(&c[T_ALLOCS], (int64_t)th->nalloc);
		tt_cell_int(&c[T_BYTES], (int64_t)th->alloc_b);
	}
	tt_cell_int(&c[T_EVENTS], (int64_t)th->nevent);
	tt_cell_int(&c[T_OPEN], (int64_t)th->open_at_end);
	if (th->first_ts > th->last_ts)
		return TT_OK;
	tt_cell_share(&c[T_SHARE], busy, th->last_ts - th->first_ts);
	tt_cell_int(&c[T_FIRST], th->first_ts);
	tt_cell_int(&c[T_LAST], th->last_ts);
	return TT_OK;
}

static int
put_threads(const struct tt_model *m, const struct tt_zone_time *time, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	const struct known known = {
		.allocs = tt_model_knows_allocs(m), .stops = tt_model_knows_collections(m) && tt_model_pauses(m),
	};
	int rc = TT_OK;

	t->empty_reason = "no thread in this capture";
	for (size_t i = 0; i < m->threads.n && rc == TT_OK; i++) {
		const struct tt_thread *th = m->threads.t[i];

		if (!m->keep_thread || m->keep_thread[i])
			rc = put_thread(&known, r, t, th, &time[i], err);
	}
	return rc != TT_OK ? rc : tt_table_sort(t, "busy_ns", err);
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	size_t ntime = m->threads.n * sizeof(struct tt_zone_time);
	struct tt_paths p = { 0 };
	struct tt_table *t;
	struct tt_zone_time *time;
	int rc = tt_pass_begin(&tt_pass_threads, 0, o, r, &t, err);

	if (rc != TT_OK || !t)
		return rc;
	time = tt_mem_alloc(&m->env->mem, ntime, err);
	if (!time)
		return err->code;
	rc = tt_paths_init(&p, m, err);
	if (rc == TT_OK)
		rc = tt_paths_zone_time(&p, time, err);
	if (rc == TT_OK)
		rc = put_threads(m, time, r, t, err);
	tt_paths_free(&p);
	tt_mem_free(&m->env->mem, time, ntime);
	return rc;
}

const struct tt_pass tt_pass_threads = {
	.name = "threads",
	.summary = "threads: busy, waiting and stopped time, calls, allocations",
	.needs = TT_NEEDS_CALLS,
	.standard = true,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

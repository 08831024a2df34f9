/**
 * The pass "threads": one row per thread of every input.
 */
#include "collect/collections.h"
#include "pass/passes.h"
#include "view/view.h"

enum { T_THREAD, T_NUMBER, T_BUSY, T_SHARE, T_WAITING, T_STOPPED, T_CALLS, T_ALLOCS, T_BYTES, T_EVENTS, T_FIRST, T_LAST, T_OPEN,
	T_TID, T_GENERATION, T_PROCESS, T_GROUP, T_N };

static const struct tt_col threads_col[T_N] = {
	[T_THREAD] = { "thread", "thread", TT_UNIT_TEXT, "Name of the thread, or \"Thread\" and its number if it has no name." },
	[T_NUMBER] = { "number", "no.", TT_UNIT_COUNT, "Number of the thread in all outputs, from 1." },
	[T_BUSY] = { "busy_ns", "busy", TT_UNIT_NS, "Time inside at least one zone, without the zones of wait markers." },
	[T_SHARE] = { "busy_share", "busy", TT_UNIT_PERCENT,
	    "Busy time as a share of the time from the first to the last event of the thread, as far as filters leave that." },
	[T_WAITING] = { "waiting_ns", "waiting", TT_UNIT_NS, "Time inside zones of wait markers; nested ones count once." },
	[T_STOPPED] = { "stopped_ns", "stopped", TT_UNIT_NS,
	    "Time from the thread's first to its last event in which another thread had stopped the world; empty if not recorded." },
	[T_CALLS] = { "calls", "calls", TT_UNIT_COUNT,
	    "Number of zones of the program that begin, without allocation wrappers that are left out and zones that tracetool makes itself." },
	[T_ALLOCS] = { "allocs", "allocs", TT_UNIT_COUNT, "Number of allocations; empty if allocations were not recorded." },
	[T_BYTES] = { "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes of these allocations; empty if allocations were not recorded." },
	[T_EVENTS] = { "events", "events", TT_UNIT_COUNT,
	    "Number of events from the producer, before any filter; definitions that belong to no thread count for the main one." },
	[T_FIRST] = { "first_ns", "first", TT_UNIT_NS, "Time of the thread's first event." },
	[T_LAST] = { "last_ns", "last", TT_UNIT_NS, "Time of the thread's last event." },
	[T_OPEN] = { "open_at_end", "open", TT_UNIT_COUNT, "Number of zones still open at the end of the capture, or cut off by damage." },
	[T_TID] = { "tid", "tid", TT_UNIT_HEX, "Thread id from the producer; the GPU has none." },
	[T_GENERATION] = { "generation", "gen.", TT_UNIT_COUNT,
	    "Number of earlier threads with this id; the system can use an id again after a thread ends." },
	[T_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
	[T_GROUP] = { "group", "group", TT_UNIT_TEXT, "Group of threads from the engine, like Job; empty if it has none." },
};

/* Return how much of the thread's time is within the filter, in ns. */
static int64_t
looked_at(const struct tt_filter *f, const struct tt_thread *t)
{
	int64_t from = t->first_ts, to = t->last_ts, ns = tt_filter_clip(f, &from, &to);

	return ns > t->hidden_ns ? ns - t->hidden_ns : 0;
}

static void
threads(struct tt_making *k, struct tt_table *t)
{
	const bool apart = tt_tree_dropped(k->m->tree) == 0, allocs = tt_model_knows_allocs(k->m) && apart;
	const bool stops = tt_knows_collections(k->m) && tt_knows_pauses(k->m) && tt_gc(k->m)->nstopped_ns;
	const struct tt_zone_time *time = tt_view_zone_time(k->view, &k->r->err);

	for (size_t i = 0; time && i < k->m->threads.n; i++) {
		const struct tt_thread *th = k->m->threads.t[i];
		int64_t busy = tt_busy(&time[i]);
		struct tt_cell *c;

		if (k->m->keep_thread && !k->m->keep_thread[i])
			continue;
		c = tt_row(t);
		tt_cell_text(&c[T_THREAD], th->name);
		tt_cell_name(&c[T_GROUP], th->group);
		tt_cell_int(&c[T_NUMBER], (int64_t)th->index + 1);
		if (!tt_thread_is_gpu(th))
			tt_cell_u64(&c[T_TID], th->tid);
		tt_cell_int(&c[T_GENERATION], th->generation);
		tt_cell_int(&c[T_PROCESS], (int64_t)th->process + 1);
		if (apart) {
			tt_cell_int(&c[T_BUSY], busy);
			tt_cell_int(&c[T_WAITING], time[i].waiting);
			tt_cell_u64(&c[T_CALLS], time[i].calls);
		}
		if (stops && tt_capture_knows_pauses(k->m->cap[th->process]))
			tt_cell_int(&c[T_STOPPED], tt_gc(k->m)->stopped_ns[i]);
		if (allocs && tt_capture_knows_allocs(k->m->cap[th->process])) {
			tt_cell_u64(&c[T_ALLOCS], time[i].allocs);
			tt_cell_int(&c[T_BYTES], time[i].bytes);
		}
		tt_cell_u64(&c[T_EVENTS], th->nevent);
		tt_cell_u64(&c[T_OPEN], th->open_at_end);
		if (th->first_ts > th->last_ts)
			continue;
		if (apart)
			tt_put_share(&c[T_SHARE], busy, looked_at(&k->m->filter, th));
		tt_cell_int(&c[T_FIRST], th->first_ts);
		tt_cell_int(&c[T_LAST], th->last_ts);
	}
}

static const char *
why(struct tt_making *k)
{
	return k->m->threads.n ? "the filters leave no thread" : "no thread in this capture";
}

static const struct tt_pass_table tables[] = {
	{ "threads", "Threads", threads_col, T_N, false, TT_ON_TIME | TT_ON_THREAD | TT_ON_ZONES, .make_rows = threads, .sort = "busy_ns",
	    .whole_columns = "number events first_ns last_ns open_at_end generation process", .find_why_empty = why },
};

const struct tt_pass tt_pass_threads = {
	.name = "threads",
	.summary = "threads: busy, waiting and stopped time, calls, allocations",
	.needs = TT_NEEDS_CALLS,
	.is_standard = true,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

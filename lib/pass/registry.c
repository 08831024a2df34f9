/**
 * The list of passes, and what they share; the contract is in pass.h.
 */
#include <string.h>

#include "pass/passes.h"
#include "stat/num.h"

/* In the order in which reports show them. */
const struct tt_pass *const tt_passes[] = {
	&tt_pass_frames,
	&tt_pass_gcalloc,
	&tt_pass_categories,
	&tt_pass_markers,
	&tt_pass_calltree,
	&tt_pass_threads,
	&tt_pass_heapshot,
	&tt_pass_heapgraph,
	&tt_pass_samples,
	&tt_pass_exceptions,
	&tt_pass_contention,
	&tt_pass_handles,
	&tt_pass_finalizers,
	&tt_pass_counters,
	&tt_pass_jit,
	&tt_pass_timeline,
	&tt_pass_metadata,
	&tt_pass_objects,
	&tt_pass_coverage,
	&tt_pass_loss,
	NULL,
};

/*
 * A pattern without a glob matches anywhere in a name, so "[I]dle" is how a whole short name is written.
 * Unity's names: the CPU profiler markers the manual lists as waiting (common markers reference, 2022.3).
 */
const char *const tt_wait_markers[] = {
	"Contention",
	"System.Threading.Thread:Sleep", "System.Threading.Thread:Join",
	"System.Threading.Monitor:Wait", "System.Threading.Monitor:ObjWait", "System.Threading.Monitor:Monitor_wait",
	"System.Threading.WaitHandle:Wait", "System.Threading.WaitHandle:InternalWait",
	"System.Threading.ManualResetEventSlim:Wait", "System.Threading.SemaphoreSlim:Wait",
	"System.Threading.CountdownEvent:Wait", "System.Threading.Barrier:SignalAndWait",
	"System.Threading.Tasks.Task:Wait", "System.Threading.SpinWait:Spin",
	"WaitForTargetFPS", "WaitForLastPresentation", "Gfx.WaitFor", "GfxDeviceMetal.WaitFor", "XR.WaitForGPU",
	"WaitForJobGroup", "Semaphore.WaitForSignal", "WaitForRenderThread", "WaitForGfxCommands",
	"[I]dle",
	NULL,
};

static bool
named(const char *const *list, const char *name)
{
	for (; *list; list++) {
		if (strcmp(*list, name) == 0)
			return true;
	}
	return false;
}

static bool
is_table(const char *id)
{
	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		for (size_t i = 0; i < (*p)->ntables; i++) {
			if (strcmp((*p)->tables[i].id, id) == 0)
				return true;
		}
	}
	return false;
}

static bool
wanted(const struct tt_pass *p, const struct tt_pass_table *t, const struct tt_pass_opts *o)
{
	if (!o->table)
		return !t->extra;
	/* A name that is both a table's and its pass's means the table. */
	return named(o->table, t->id) || (!t->extra && named(o->table, p->name) && !is_table(p->name));
}

int
tt_pass_begin(const struct tt_pass *p, size_t which, const struct tt_pass_opts *o, struct tt_report *r,
    struct tt_table **t, struct tt_err *err)
{
	const struct tt_pass_table *pt = &p->tables[which];
	int rc;

	*t = NULL;
	if (!wanted(p, pt, o))
		return TT_OK;
	rc = tt_report_table(r, pt->id, pt->title, pt->col, pt->ncol, t, err);
	if (rc == TT_OK)
		(*t)->extra = pt->extra;
	return rc;
}

void
tt_cell_share(struct tt_cell *c, int64_t part, int64_t all)
{
	if (all > 0 && part >= 0)
		tt_cell_int(c, tt_ratio((uint64_t)part, 10000, (uint64_t)all));
}

#include "mono/recorder/module.h"

/*
 * Here nothing waits, allocates or calls the system; what recording itself promises is in rec.h. The time is read first,
 * so that what we do lies behind it at a begin.
 */

static void
on_enter(MonoProfiler *p, MonoMethod *m, MonoProfilerCallContext *context)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	(void)p;
	(void)context;
	if (t)
		rec_begin(t, now, (uintptr_t)m);
}

static void
on_leave(MonoProfiler *p, MonoMethod *m, MonoProfilerCallContext *context)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	(void)p;
	(void)context;
	if (t)
		rec_end(t, now, (uintptr_t)m);
}

/* The method is left, and the one it calls enters by itself. */
static void
on_tail_call(MonoProfiler *p, MonoMethod *m, MonoMethod *target)
{
	(void)target;
	on_leave(p, m, NULL);
}

static void
on_exception_leave(MonoProfiler *p, MonoMethod *m, MonoObject *exception)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	(void)p;
	(void)exception;
	if (t)
		rec_end_flags(t, now, (uintptr_t)m, 1);
}

/* Objects are aligned to 8 bytes in the heap; the log profiler counts what they take there, too. */
static uint64_t
heap_size(unsigned n)
{
	return ((uint64_t)n + 7) & ~(uint64_t)7;
}

static void
on_alloc(MonoProfiler *p, MonoObject *o)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	(void)p;
	if (!t)
		return;
	MonoClass *c = api.mono_object_get_class(o);
	defs_class(c);
	rec_alloc(t, now, (uintptr_t)c, heap_size(api.mono_object_get_size(o)));
}

static MonoProfilerCallInstrumentationFlags
filter(MonoProfiler *p, MonoMethod *m)
{
	(void)p;
	(void)m;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
	    MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL | MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
}

void
calls_load(void)
{
	MonoProfilerHandle h = module.handle;

	if (module.o.calls) {
		api.mono_profiler_set_call_instrumentation_filter_callback(h, filter);
		api.mono_profiler_set_method_enter_callback(h, on_enter);
		api.mono_profiler_set_method_leave_callback(h, on_leave);
		api.mono_profiler_set_method_tail_call_callback(h, on_tail_call);
		api.mono_profiler_set_method_exception_leave_callback(h, on_exception_leave);
	}
	if (module.o.alloc) {
		if (!api.mono_profiler_enable_allocations())
			module_say("the runtime does not tell of allocations any more: another profiler module was late?");
		api.mono_profiler_set_gc_allocation_callback(h, on_alloc);
	}
}

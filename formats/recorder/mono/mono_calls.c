/**
 * Records calls: a method's enter and leave, and frames that an exception leaves. Nothing here waits, allocates or makes a system call; rec.h states what
 * recording promises. Time is read first, so at a begin the recorder's work counts for the method, not its caller.
 */
#include "recorder/mono/module.h"

static void
on_enter(MonoProfiler *p, MonoMethod *m, MonoProfilerCallContext *context)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	(void)p;
	(void)context;
	if (t)
		rec_begin(t, now, module_key(m));
}

static void
on_leave(MonoProfiler *p, MonoMethod *m, MonoProfilerCallContext *context)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	(void)p;
	(void)context;
	if (t)
		rec_end(t, now, module_key(m));
}

/* End the method's zone; the method that it tail-calls records its own begin. */
static void
on_tail_call(MonoProfiler *p, MonoMethod *m, MonoMethod *target)
{
	(void)target;
	on_leave(p, m, NULL);
}

/* Return the place of ${key} among the thread's open zones, counted from 1 for the innermost; 0: not open. */
static uint32_t
zone_find(const struct rec_thread *t, uint64_t key)
{
	uint32_t n = t->depth < t->zone_max ? t->depth : t->zone_max;

	for (uint32_t i = n; i > 0; i--)
		if (t->zone[i - 1].key == key)
			return t->depth - i + 1;
	return 0;
}

/*
 * Close a frame that an exception leaves, beneath the zone "Exception", which stays open, as unwinding belongs to it (model/zones.h has the same rule).
 * Methods compiled ahead of time are left without having been entered.
 */
static void
leave_by_exception(struct rec_thread *t, uint64_t now, uint64_t key)
{
	uint32_t at = zone_find(t, key);

	if (at == 0)
		return;
	if (at == 1 || zone_find(t, MONO_KEY_EXCEPTION) != 1) {
		rec_end_flags(t, now, key, 1);
		return;
	}
	rec_end(t, now, MONO_KEY_EXCEPTION);
	rec_end_flags(t, now, key, 1);
	rec_begin_flags(t, now, MONO_KEY_EXCEPTION, 8);
}

static void
on_exception_leave(MonoProfiler *p, MonoMethod *m, MonoObject *exception)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	(void)p;
	(void)exception;
	if (t)
		leave_by_exception(t, now, module_key(m));
}

/* --- frames, arguments, a limit of depth: for those who ask for one --------------------------------- */

/*
 * A thread's calls beyond the depth limit. Their keys are at the far end of the array of open zones, outermost last; beyond MAX_HIDDEN_KEYS calls only the
 * number is kept.
 */
enum { MAX_HIDDEN_KEYS = 1024 };
_Static_assert(OPTIONS_DEPTH + MAX_HIDDEN_KEYS < TTC_STACK, "zones and hidden calls do not meet");
static __thread struct { uint32_t n, pauses; } hidden;

static uint64_t *
hidden_key(struct rec_thread *t, uint32_t i)
{
	return &t->zone[TTC_STACK - 1 - i].key;
}

static void
hide(struct rec_thread *t, uint64_t key)
{
	if (hidden.n < MAX_HIDDEN_KEYS)
		*hidden_key(t, hidden.n) = key;
	hidden.n++;
}

/* True if the call that ended was hidden. */
static bool
unhide(struct rec_thread *t, uint64_t key)
{
	uint32_t pauses = atomic_load_explicit(&module.pauses, memory_order_relaxed), n = hidden.n;

	if (hidden.pauses != pauses) {
		hidden.pauses = pauses;
		hidden.n = n = 0;
	}
	if (n > MAX_HIDDEN_KEYS) {
		hidden.n--;
		return true;
	}
	while (n > 0 && *hidden_key(t, n - 1) != key)
		n--;
	if (n > 0)
		hidden.n = n - 1;
	return n > 0;
}

static void
on_enter_more(MonoProfiler *p, MonoMethod *m, MonoProfilerCallContext *context)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	unsigned flags = filter_flags(m);

	(void)p;
	if (!t)
		return;
	if (flags & FILTER_FRAME)
		rec_frame(t, now, 0);
	if (!(flags & FILTER_CALLS))
		return;
	if (module.o.depth && t->depth >= module.o.depth)
		hide(t, module_key(m));
	else if (flags & FILTER_ARGS && context)
		args_enter(t, now, m, context);
	else
		rec_begin(t, now, module_key(m));
}

static void
on_leave_more(MonoProfiler *p, MonoMethod *m, MonoProfilerCallContext *context)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	unsigned flags = filter_flags(m);

	(void)p;
	if (!t || !(flags & FILTER_CALLS) || unhide(t, module_key(m)))
		return;
	if (flags & FILTER_ARGS && context)
		args_leave(t, now, m, context);
	rec_end(t, now, module_key(m));
}

static void
on_tail_call_more(MonoProfiler *p, MonoMethod *m, MonoMethod *target)
{
	(void)target;
	on_leave_more(p, m, NULL);
}

static void
on_exception_leave_more(MonoProfiler *p, MonoMethod *m, MonoObject *exception)
{
	struct rec_thread *t = rec_thread();

	if (t && !unhide(t, module_key(m)))
		on_exception_leave(p, m, exception);
}

/* --- what to record ----------------------------------------------------------------------------------- */

static MonoProfilerCallInstrumentationFlags
filter(MonoProfiler *p, MonoMethod *m)
{
	unsigned flags = filter_flags(m), i = MONO_PROFILER_CALL_INSTRUMENTATION_NONE;

	(void)p;
	if (flags & FILTER_CALLS)
		i |= MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
		    MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL | MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
	if (flags & FILTER_ARGS)
		i |= MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT;
	if (flags & FILTER_FRAME)
		i |= MONO_PROFILER_CALL_INSTRUMENTATION_ENTER;
	return (MonoProfilerCallInstrumentationFlags)i;
}

static bool
instruments(void)
{
	return module.o.calls || module.o.values.n[LIST_ARGS] || module.o.values.n[LIST_FRAME];
}

void
calls_load(void)
{
	const struct options *o = &module.o;

	if (instruments())
		api.mono_profiler_set_call_instrumentation_filter_callback(module.handle, filter);
	if (o->values.n[LIST_ARGS] && !(api.mono_profiler_enable_call_context_introspection &&
	    api.mono_profiler_enable_call_context_introspection()))
		module_say("args: this runtime gives no arguments");
}

void
calls_listen(bool on)
{
	const struct options *o = &module.o;
	MonoProfilerHandle h = module.handle;
	bool more = o->depth || o->values.n[LIST_ARGS] || o->values.n[LIST_FRAME];

	if (instruments()) {
		api.mono_profiler_set_method_enter_callback(h, !on ? NULL : more ? on_enter_more : on_enter);
		api.mono_profiler_set_method_leave_callback(h, !on ? NULL : more ? on_leave_more : on_leave);
		api.mono_profiler_set_method_tail_call_callback(h, !on ? NULL : more ? on_tail_call_more : on_tail_call);
		api.mono_profiler_set_method_exception_leave_callback(h, !on ? NULL : more ? on_exception_leave_more :
		    on_exception_leave);
	}
}

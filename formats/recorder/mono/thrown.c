/**
 * Exceptions (throw, clause, catch) and contended locks, with stacks.
 */
#include "recorder/mono/module.h"

/* Begin the zone "Exception", which lasts from a throw to its catch; the zone "Contention" lasts while a thread waits for a lock. */

static void
on_throw(MonoProfiler *p, MonoObject *o)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	uint8_t b[24 + STACK_BYTES], *q = b;

	(void)p;
	if (!t)
		return;
	uint64_t type = defs_type(o);
	q = ttc_put(q, module_key(o));
	q = ttc_put(q, type);
	q += stack_put(q, (unsigned)module.o.stack);
	rec_other(t, now, MONO_THROW, b, (size_t)(q - b));
	rec_begin(t, now, MONO_KEY_EXCEPTION);
}

static void
on_clause(MonoProfiler *p, MonoMethod *m, uint32_t index, MonoExceptionEnum kind, MonoObject *exception)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	uint8_t b[40] = { (uint8_t)kind }, *q = b + 1;

	(void)p;
	if (!t)
		return;
	defs_method(m);
	q = ttc_put(q, index);
	q = ttc_put(q, module_key(m));
	q = ttc_put(q, module_key(exception));
	rec_other(t, now, MONO_CLAUSE, b, (size_t)(q - b));
	if (kind == MONO_EXCEPTION_CLAUSE_NONE)
		rec_end(t, now, MONO_KEY_EXCEPTION);
}

enum { CONTEND = 1, ACQUIRED, FAILED };

static void
put_monitor(unsigned what, MonoObject *o)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	uint8_t b[24 + STACK_BYTES] = { (uint8_t)what }, *q = b + 1;

	if (!t)
		return;
	q = ttc_put(q, module_key(o));
	q += stack_put(q, (unsigned)module.o.stack);
	rec_other(t, now, MONO_MONITOR, b, (size_t)(q - b));
	if (what == CONTEND)
		rec_begin(t, now, MONO_KEY_CONTENTION);
	else
		rec_end(t, now, MONO_KEY_CONTENTION);
}

static void
on_contention(MonoProfiler *p, MonoObject *o)
{
	(void)p;
	put_monitor(CONTEND, o);
}

static void
on_acquired(MonoProfiler *p, MonoObject *o)
{
	(void)p;
	put_monitor(ACQUIRED, o);
}

static void
on_failed(MonoProfiler *p, MonoObject *o)
{
	(void)p;
	put_monitor(FAILED, o);
}

void
thrown_load(void)
{
	/* Before version 3 of the interface, clauses are reported without a request. */
	if (module.o.exceptions && api.mono_profiler_enable_clauses && !api.mono_profiler_enable_clauses())
		module_say("exceptions: this runtime does not report where they are caught");
}

void
thrown_listen(bool on)
{
	MonoProfilerHandle h = module.handle;

	if (module.o.exceptions) {
		if (api.mono_profiler_set_exception_throw_callback)
			api.mono_profiler_set_exception_throw_callback(h, on ? on_throw : NULL);
		if (api.mono_profiler_set_exception_clause_callback)
			api.mono_profiler_set_exception_clause_callback(h, on ? on_clause : NULL);
	}
	if (module.o.monitor) {
		if (api.mono_profiler_set_monitor_contention_callback)
			api.mono_profiler_set_monitor_contention_callback(h, on ? on_contention : NULL);
		if (api.mono_profiler_set_monitor_acquired_callback)
			api.mono_profiler_set_monitor_acquired_callback(h, on ? on_acquired : NULL);
		if (api.mono_profiler_set_monitor_failed_callback)
			api.mono_profiler_set_monitor_failed_callback(h, on ? on_failed : NULL);
	}
}

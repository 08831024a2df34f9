/**
 * Shared by samples, heap shots and coverage: they follow the runtime's start and end, and let the runtime's finalizer thread, which may take its locks, name
 * what they noted.
 */
#include "recorder/mono/module.h"

/* Name everything noted before a domain is unloaded, and wait, at most 500 ms, until no thread names anything: nothing of the domain is then used any more. */
static void
on_unloading(MonoProfiler *p, MonoDomain *d)
{
	(void)p;
	(void)d;
	defs_name_met();
	for (int i = 0; i < 500 && late_taking(); i++)
		plat_sleep_us(1000);
}

static void
on_finalized(MonoProfiler *p)
{
	(void)p;
	defs_name_met();
	coverage_step();
}

static void
on_initialized(MonoProfiler *p)
{
	(void)p;
	late_ready(true);
	sample_initialized();
}

/* Called when the runtime begins to shut down. */
static void
on_shutdown(MonoProfiler *p)
{
	(void)p;
	heap_end();
	late_ready(false);
	tools_end();
}

void
tools_end(void)
{
	coverage_end();
	defs_name_met();
}

void
tools_load(void)
{
	static struct _MonoProfiler self;

	if (!sample_wanted() && !heap_wanted() && !coverage_wanted())
		return;
	module.tools = self.handle = api.mono_profiler_create(&self);
	api.mono_profiler_set_runtime_initialized_callback(module.tools, on_initialized);
	api.mono_profiler_set_runtime_shutdown_begin_callback(module.tools, on_shutdown);
	if (api.mono_profiler_set_gc_finalized_callback)
		api.mono_profiler_set_gc_finalized_callback(module.tools, on_finalized);
	if (api.mono_profiler_set_domain_unloading_callback)
		api.mono_profiler_set_domain_unloading_callback(module.tools, on_unloading);
	sample_load();
	heap_load();
	coverage_load();
}

/* A profiler module that receives every allocation and does nothing: the least that recording can cost. */
#include <mono/metadata/profiler.h>

struct _MonoProfiler { int unused; };
static MonoProfiler self;

static void
on_alloc(MonoProfiler *p, MonoObject *o)
{
	(void)p;
	(void)o;
}

void mono_profiler_init_empty(const char *desc);
void
mono_profiler_init_empty(const char *desc)
{
	MonoProfilerHandle h = mono_profiler_create(&self);

	(void)desc;
	mono_profiler_enable_allocations();
	mono_profiler_set_gc_allocation_callback(h, on_alloc);
}

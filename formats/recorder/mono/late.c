/**
 * What a signal handler or a stopped world met and cannot name itself: methods, code compiled ahead of time, classes.
 * They put it into a table of slots, each taken by one exchange, and wake the runtime's finalizer thread, which names
 * what is in it. (A thread of ours would have to attach to the runtime and leave it again; both can stand in the way of
 * a collection for ever.)
 *
 * Only what the runtime compiled before is named late: it lasts as long as its domain. Methods it compiles while we
 * watch are named then, so a dynamic one is never looked at here.
 */
#include "recorder/mono/module.h"

#include "recorder/mono/table.h"

enum { SLOTS = 4096, TRIES = 16 };
enum { BUSY = 1, IS_METHOD = 1, IS_CLASS = 2, IS_VTABLE = 3 };       /* any other `with` is the domain that code is in */

static struct slot { _Atomic uintptr_t what, with; } slots[SLOTS];
static _Atomic bool any, ready, naming;
static struct table told;     /* code */

/* --- anywhere ----------------------------------------------------------------- */

/* Posting a semaphore is all it does: right in a signal handler. Without it names wait for a collection. */
static void
wake(void)
{
	if (!atomic_exchange_explicit(&any, true, memory_order_acq_rel) && atomic_load(&ready) && api.mono_gc_finalize_notify)
		api.mono_gc_finalize_notify();
}

void
tools_wake(void)
{
	if (atomic_load(&ready) && api.mono_gc_finalize_notify)
		api.mono_gc_finalize_notify();
}

static void
put(uintptr_t what, uintptr_t with)
{
	uint32_t h = (uint32_t)(what * 0x9e3779b97f4a7c15u >> 40);

	for (uint32_t i = 0; i < TRIES; i++) {
		struct slot *s = &slots[(h + i) % SLOTS];
		uintptr_t have = atomic_load_explicit(&s->what, memory_order_relaxed);
		if (have == what)
			return;
		if (have != 0 || !atomic_compare_exchange_strong(&s->what, &have, BUSY))
			continue;
		atomic_store_explicit(&s->with, with, memory_order_relaxed);
		atomic_store_explicit(&s->what, what, memory_order_release);
		wake();
		return;
	}
	/* Full: it is met again. */
}

void
late_method(MonoMethod *m)
{
	if (!defs_has_method(m))
		put((uintptr_t)m, IS_METHOD);
}

void
late_class(MonoClass *c)
{
	if (!defs_has_class(c))
		put((uintptr_t)c, IS_CLASS);
}

void
late_vtable(MonoVTable *v)
{
	if (!defs_has_vtable(v))
		put((uintptr_t)v, IS_VTABLE);
}

void
late_code(MonoDomain *d, const void *code)
{
	if (table_get(&told, module_key(code)) == 0)
		put((uintptr_t)code, (uintptr_t)d);
}

/* --- by a thread that may take locks -------------------------------------------- */

static void
name_code(MonoDomain *d, const void *code)
{
	MonoJitInfo *info = api.mono_jit_info_table_find(d, (void *)(uintptr_t)code);
	MonoMethod *m = info ? api.mono_jit_info_get_method(info) : NULL;

	if (m && table_set(&told, module_key(code), 1) == 0)
		defs_code(code, m);
}

/* Name the collected items now. On a thread that may take the runtime's locks. */
static void
name_all(void)
{
	if (!atomic_exchange(&any, false))
		return;
	atomic_store(&naming, true);
	for (uint32_t i = 0; i < SLOTS; i++) {
		struct slot *s = &slots[i];
		uintptr_t what = atomic_load_explicit(&s->what, memory_order_acquire);
		uintptr_t with = atomic_load_explicit(&s->with, memory_order_relaxed);
		if (what == 0)
			continue;
		if (what == BUSY) {
			atomic_store(&any, true);
			continue;
		}
		if (with == IS_METHOD)
			defs_method((MonoMethod *)what);
		else if (with == IS_CLASS)
			defs_class((MonoClass *)what);
		else if (with == IS_VTABLE)
			defs_vtable((MonoVTable *)what);
		else
			name_code((MonoDomain *)with, (const void *)what);
		atomic_store_explicit(&s->what, 0, memory_order_release);
	}
	atomic_store(&naming, false);
}

/* Nothing of a domain is looked at once it goes. */
static void
on_unloading(MonoProfiler *p, MonoDomain *d)
{
	(void)p;
	(void)d;
	name_all();
	for (int i = 0; i < 500 && atomic_load(&naming); i++)
		plat_sleep_us(1000);
}

static void
on_finalized(MonoProfiler *p)
{
	(void)p;
	name_all();
	coverage_step();
}

static void
on_initialized(MonoProfiler *p)
{
	(void)p;
	atomic_store(&ready, true);
	if (atomic_exchange(&any, false))
		wake();
	sample_initialized();
}

/* From here on the runtime is taken apart. */
static void
on_shutdown(MonoProfiler *p)
{
	(void)p;
	heap_end();
	atomic_store(&ready, false);
	tools_end();
}

void
tools_end(void)
{
	coverage_end();
	name_all();
}

/* --- what the tools share ---------------------------------------------------------- */

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

/* A ring that gets no emptier belongs to a flight recorder, or to a disk that is full. */
void
tools_room(bool more)
{
	static bool hopeless;
	uint32_t total, last = 0, room = rec_room(&total);

	hopeless = hopeless && more;
	for (unsigned still = 0; room < total / 4 && !hopeless; still++) {
		plat_sleep_us(500);
		room = rec_room(&total);
		if (room > last)
			still = 0;
		last = room;
		hopeless = still == 400;
	}
}

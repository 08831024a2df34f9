/**
 * Keeps methods, code compiled ahead of time and classes that a signal handler or a stopped world needed but could not name. They are in a table of slots,
 * each taken by one atomic exchange; the runtime's finalizer thread is woken to name them. (A thread of ours would have to attach to the runtime and detach
 * again; either can block a collection for ever.)
 */
#include "recorder/mono/module.h"

enum { SLOTS = 4096, TRIES = 16, BUSY = 1 };

static struct slot { _Atomic uintptr_t what, with; } slots[SLOTS];
static _Atomic bool any, ready, naming;

/* --- anywhere ----------------------------------------------------------------- */

void
late_wake(void)
{
	if (atomic_load(&ready) && api.mono_gc_finalize_notify)
		api.mono_gc_finalize_notify();
}

void
late_put(const void *p, uintptr_t with)
{
	uintptr_t what = (uintptr_t)p;
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
		if (!atomic_exchange_explicit(&any, true, memory_order_acq_rel))
			late_wake();
		return;
	}
	/* The table is full, so the next event that needs the name tries again. */
}

/* --- by a thread that may take locks -------------------------------------------- */

void
late_take(void (*name)(const void *what, uintptr_t with))
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
		name((const void *)what, with);
		atomic_store_explicit(&s->what, 0, memory_order_release);
	}
	atomic_store(&naming, false);
}

bool
late_taking(void)
{
	return atomic_load(&naming);
}

void
late_ready(bool is)
{
	atomic_store(&ready, is);
	if (is && atomic_load(&any))
		late_wake();
}

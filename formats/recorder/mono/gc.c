/**
 * Records collections, moved objects, roots, handles and finalizers. Between the runtime's events 7 (world stopped) and 8 (restarting) every other thread is
 * stopped and may hold any lock, so nothing here takes one. The collecting thread got its writing end at event 6.
 */
#include "recorder/mono/module.h"

static void
on_event(MonoProfiler *p, MonoProfilerGCEvent event, uint32_t generation, mono_bool serial)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	uint8_t b[12] = { (uint8_t)event };

	(void)p;
	(void)serial;
	if (!t)
		return;
	rec_other(t, now, MONO_GC, b, (size_t)(ttc_put(b + 1, generation) - b));
	switch (event) {
	case MONO_GC_EVENT_PRE_STOP_WORLD:
		rec_begin(t, now, MONO_KEY_GC_PAUSE);
		rec_begin(t, now, MONO_KEY_GC_STOP);
		break;
	case MONO_GC_EVENT_POST_STOP_WORLD:
		rec_end(t, now, MONO_KEY_GC_STOP);
		break;
	case MONO_GC_EVENT_START:
		rec_begin(t, now, MONO_KEY_GC_GEN(generation));
		break;
	case MONO_GC_EVENT_END:
		rec_end(t, now, MONO_KEY_GC_GEN(generation));
		break;
	case MONO_GC_EVENT_POST_START_WORLD:
		rec_end(t, now, MONO_KEY_GC_PAUSE);
		break;
	default:
		break;
	}
}

static void
put_number(unsigned kind, uint64_t n)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	uint8_t b[12];

	if (t)
		rec_other(t, now, kind, b, (size_t)(ttc_put(b, n) - b));
}

static void
on_resize(MonoProfiler *p, uintptr_t bytes)
{
	(void)p;
	put_number(MONO_GC_HEAP, bytes);
}

/* Maximum number of pairs of addresses in a record. */
enum { PAIRS = 150 };

static void
put_moves(const void *const *o, uint64_t pairs)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	uint8_t to[20 * PAIRS + 10];

	for (uint64_t i = 0; t && i < pairs;) {
		uint64_t n = pairs - i < PAIRS ? pairs - i : PAIRS, last = 0;
		uint8_t *p = ttc_put(to, 2 * n);
		for (uint64_t end = i + n; i < end; i++) {
			uint64_t x = module_key(o[2 * i]) >> 3, y = module_key(o[2 * i + 1]) >> 3;
			p = ttc_put(p, ttc_zig(x - last));
			p = ttc_put(p, ttc_zig(y - x));
			last = y;
		}
		rec_other(t, now, MONO_GC_MOVES, to, (size_t)(p - to));
	}
}

static void
on_moves(MonoProfiler *p, MonoObject *const *objects, uint64_t n)
{
	(void)p;
	put_moves((const void *const *)(const void *)objects, n / 2);
}

void
gc_put_roots(struct rec_thread *t, uint64_t n, const mono_byte *const *addresses, MonoObject *const *objects)
{
	uint64_t now = rec_now();
	uint8_t to[20 * PAIRS + 10];

	for (uint64_t i = 0; t && i < n;) {
		uint64_t end = n - i < PAIRS ? n : i + PAIRS, slot = 0, object = 0;
		uint8_t *p = ttc_put(to, end - i);
		for (; i < end; i++) {
			uint64_t o = module_key(objects[i]) >> 3;
			p = ttc_put(p, ttc_zig(module_key(addresses[i]) - slot));
			p = ttc_put(p, ttc_zig(o - object));
			slot = module_key(addresses[i]);
			object = o;
		}
		rec_other(t, now, MONO_GC_ROOTS, to, (size_t)(p - to));
	}
}

static void
on_roots(MonoProfiler *p, uint64_t n, const mono_byte *const *addresses, MonoObject *const *objects)
{
	(void)p;
	if (!module.shooting)
		gc_put_roots(rec_thread(), n, addresses, objects);
}

static void
put_handle(uint32_t handle, MonoGCHandleType type, bool gone, MonoObject *o)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	uint8_t b[32] = { (uint8_t)type, gone }, *p = b + 2;

	if (!t)
		return;
	p = ttc_put(p, handle);
	p = ttc_put(p, module_key(o));
	rec_other(t, now, MONO_HANDLE, b, (size_t)(p - b));
}

static void
on_handle(MonoProfiler *p, uint32_t handle, MonoGCHandleType type, MonoObject *o)
{
	(void)p;
	put_handle(handle, type, false, o);
}

static void
on_handle_gone(MonoProfiler *p, uint32_t handle, MonoGCHandleType type)
{
	(void)p;
	put_handle(handle, type, true, NULL);
}

static void
put_finalizer(bool end, MonoObject *o)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	uint8_t b[24] = { end }, *p = b + 1;

	if (!t)
		return;
	p = ttc_put(p, module_key(o));
	if (o && !end)
		p = ttc_put(p, defs_type(o));
	rec_other(t, now, MONO_FINALIZE, b, (size_t)(p - b));
}

static void
on_finalizing(MonoProfiler *p)
{
	(void)p;
	put_finalizer(false, NULL);
}

static void
on_finalized(MonoProfiler *p)
{
	(void)p;
	put_finalizer(true, NULL);
}

static void
on_finalizing_object(MonoProfiler *p, MonoObject *o)
{
	(void)p;
	put_finalizer(false, o);
}

static void
on_finalized_object(MonoProfiler *p, MonoObject *o)
{
	(void)p;
	put_finalizer(true, o);
}

static void
on_root(MonoProfiler *p, const mono_byte *start, uintptr_t size, MonoGCRootSource source, const void *key, const char *name)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	size_t n = name ? strlen(name) : 0;
	uint8_t b[320] = { 0 }, *q = b + 1;

	(void)p;
	if (!t)
		return;
	n = n < 250 ? n : 250;
	/* The key of a static field's root is a vtable: record its class. Roots of domains all belong together: record no key. */
	if (source == MONO_ROOT_SOURCE_STATIC && key && api.mono_vtable_class) {
		MonoClass *c = api.mono_vtable_class((MonoVTable *)(uintptr_t)key);
		defs_met_class(c);
		key = c;
	} else if (source == MONO_ROOT_SOURCE_DOMAIN) {
		key = NULL;
	}
	q = ttc_put(q, module_key(start));
	q = ttc_put(q, size);
	q = ttc_put(q, (uint64_t)source);
	q = ttc_put(q, module_key(key));
	q = ttc_put(q, n);
	if (n)
		memcpy(q, name, n);
	rec_other(t, now, MONO_ROOT, b, (size_t)(q + n - b));
}

static void
on_root_gone(MonoProfiler *p, const mono_byte *start)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	uint8_t b[12] = { 1 };

	(void)p;
	if (t)
		rec_other(t, now, MONO_ROOT, b, (size_t)(ttc_put(b + 1, module_key(start)) - b));
}

#define LISTEN(event, wanted, f) \
	do { \
		if ((wanted) && api.mono_profiler_set_ ## event ## _callback) \
			api.mono_profiler_set_ ## event ## _callback(h, on ? (f) : NULL); \
	} while (0)

/* Register even in pauses, because a thread's first event must not happen while the world is stopped. */
void
gc_load(void)
{
	MonoProfilerHandle h = module.handle;
	bool on = true;

	LISTEN(gc_event, module.o.gc || module.o.moves || module.o.roots, on_event);
}

void
gc_listen(bool on)
{
	const struct options *o = &module.o;
	MonoProfilerHandle h = module.handle;

	LISTEN(gc_resize, o->gc, on_resize);
	LISTEN(gc_moves, o->moves, on_moves);
	LISTEN(gc_roots, o->roots, on_roots);
	LISTEN(gc_root_register, o->roots, on_root);
	LISTEN(gc_root_unregister, o->roots, on_root_gone);
	LISTEN(gc_handle_created, o->handles, on_handle);
	LISTEN(gc_handle_deleted, o->handles, on_handle_gone);
	LISTEN(gc_finalizing, o->finalizers, on_finalizing);
	LISTEN(gc_finalized, o->finalizers, on_finalized);
	LISTEN(gc_finalizing_object, o->finalizers, on_finalizing_object);
	LISTEN(gc_finalized_object, o->finalizers, on_finalized_object);
}

void
gc_listen_roots(MonoProfilerHandle h, MonoProfilerGCRootsCallback roots)
{
	bool on = true;

	LISTEN(gc_roots, true, roots);
	LISTEN(gc_root_register, !module.o.roots, on_root);
	LISTEN(gc_root_unregister, !module.o.roots, on_root_gone);
}

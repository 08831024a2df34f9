/**
 * Records heap shots: every object with class, size and references, just before a major collection ends. All other threads are stopped then and may hold any
 * lock, so nothing here allocates or names anything.
 *
 * A shot is taken on request, at an interval, at every Nth major collection, or at the end. If no collection comes by itself, one is forced.
 */
#include "recorder/mono/module.h"

enum { POLL_US = 10000, MAX_RECORD_BYTES = 3900, MAX_OBJECT_BYTES = 60, MAX_REF_BYTES = 20 };

static struct {
	int top;                      /* the oldest generation */
	_Atomic bool wanted, listens;
	bool serial;                  /* true: the present collection does not run concurrently with the program */
	uint64_t majors, shots, objects, bytes;
	/*
	 * Writing end of the thread that collected first, used by all collecting threads: with the world stopped there is only one at a time, so shots stay
	 * in order.
	 */
	struct rec_thread *t;
	/* The record being filled. */
	uint64_t ticks, last, class;
	size_t n;
	uint8_t buf[MAX_RECORD_BYTES];
} heap;
static _Atomic bool quit;
static struct plat_thread thread;
static bool runs;

/* --- records ------------------------------------------------------------------- */

static void
mark(bool end)
{
	uint8_t b[48] = { end }, *p = b + 1;

	p = ttc_put(p, heap.shots);
	if (end) {
		p = ttc_put(p, heap.objects);
		p = ttc_put(p, heap.bytes);
	}
	rec_other(heap.t, rec_now(), MONO_HEAP_SHOT, b, (size_t)(p - b));
}

static void
flush(void)
{
	if (heap.n == 0)
		return;
	module_room(true);
	rec_other(heap.t, heap.ticks, MONO_HEAP_OBJECTS, heap.buf, heap.n);
	heap.n = 0;
}

/* Write the difference from the last address, in units of 8 bytes. */
static uint8_t *
put_address(uint8_t *p, const void *o)
{
	uint64_t a = module_key(o) >> 3;

	p = ttc_put(p, ttc_zig(a - heap.last));
	heap.last = a;
	return p;
}

/* Write an object and as many of its references as there is room for; return their number. Size 0: more references of the same object. */
static uintptr_t
put_object(MonoObject *o, uint64_t type, uintptr_t size, unsigned gen, uintptr_t n, MonoObject **refs, uintptr_t *offsets)
{
	uintptr_t room;
	uint8_t *p;

	if (sizeof heap.buf - heap.n < MAX_OBJECT_BYTES + (n < 8 ? n : 8) * MAX_REF_BYTES)
		flush();
	if (heap.n == 0)
		heap.last = heap.class = 0;
	p = heap.buf + heap.n;
	room = (sizeof heap.buf - heap.n - MAX_OBJECT_BYTES) / MAX_REF_BYTES;
	n = n < room ? n : room;
	p = put_address(p, o);
	p = ttc_put(p, ttc_zig(type - heap.class));
	heap.class = type;
	p = ttc_put(p, size);
	p = ttc_put(p, gen);
	p = ttc_put(p, n);
	uint64_t base = heap.last;
	for (uintptr_t i = 0; i < n; i++) {
		p = ttc_put(p, offsets[i]);
		p = put_address(p, refs[i]);
	}
	heap.last = base;
	heap.n = (size_t)(p - heap.buf);
	return n;
}

static int
on_object(MonoObject *o, MonoClass *c, uintptr_t size, uintptr_t n, MonoObject **refs, uintptr_t *offsets, void *arg)
{
	unsigned gen = api.mono_gc_get_generation ? (unsigned)api.mono_gc_get_generation(o) : 0;
	uintptr_t at = 0;

	(void)arg;
	if (size) {
		heap.objects++;
		size += 7;
		size &= ~(uintptr_t)7;
		heap.bytes += size;
	}
	uint64_t type = defs_met_type(o, c);
	do {
		at += put_object(o, type, at ? 0 : size, gen, n - at, refs + at, offsets + at);
	} while (at < n);
	return 0;
}

/* --- collections ------------------------------------------------------------------ */

static bool
is_due(void)
{
	uint64_t every = module.o.heap_gcs;

	return atomic_exchange(&heap.wanted, false) || (every && heap.majors % every == 0);
}

static void
shoot(void)
{
	heap.shots++;
	heap.ticks = rec_now();
	module_room(false);
	api.mono_gc_walk_heap(0, on_object, NULL);
	flush();
	mark(true);
	heap.objects = heap.bytes = 0;
}

static void
on_gc(MonoProfiler *p, MonoProfilerGCEvent event, uint32_t generation, mono_bool serial)
{
	(void)p;
	if (event == MONO_GC_EVENT_PRE_STOP_WORLD) {
		if (!heap.t)          /* it cannot be made while the world is stopped */
			heap.t = rec_thread_extra();
	} else if (event == MONO_GC_EVENT_POST_STOP_WORLD) {
		/* Only this event tells; version 2 of the interface does not. */
		heap.serial = serial || api_version() < 3;
	} else if (event == MONO_GC_EVENT_START && (int)generation == heap.top && heap.serial) {
		heap.majors++;
		module.shooting = is_due() && atomic_load(&heap.listens) && heap.t && rec_on();
		if (module.shooting)
			mark(false);
	} else if (event == MONO_GC_EVENT_PRE_START_WORLD && module.shooting && (int)generation == heap.top) {
		module.shooting = false;
		shoot();
	}
}

/* Record roots during shots only; another option records all roots at each collection. */
static void
on_roots(MonoProfiler *p, uint64_t n, const mono_byte *const *addresses, MonoObject *const *objects)
{
	(void)p;
	if (module.shooting)
		gc_put_roots(heap.t, n, addresses, objects);
}

/* --- causing them ------------------------------------------------------------------- */

/* Force a collection on the runtime's finalizer thread. If that cannot be woken, the next major collection takes the shot. */
static void
on_finalized(MonoProfiler *p)
{
	(void)p;
	if (atomic_load(&heap.wanted) && rec_on() && !sample_wanted())
		api.mono_gc_collect(heap.top);
}

void
heap_request(void)
{
	atomic_store(&heap.wanted, true);
	/*
	 * Not together with samples: at the program's end, before the runtime reports it, the main thread waits for the end of the runtime's sampler, and
	 * cannot be stopped there; the sampler waits for a running collection, which waits for the main thread (6.8, in one run of 100).
	 */
	if (api.mono_gc_finalize_notify && !sample_wanted())
		api.mono_gc_finalize_notify();
}

static uint64_t
mono_ns(void)
{
	struct plat_instant i;

	plat_instant(&i);
	return i.mono_ns;
}

static void
run(void)
{
	uint64_t next = mono_ns() + module.o.heap_ns;

	while (!atomic_load(&quit)) {
		if (mono_ns() >= next) {
			heap_request();
			next = mono_ns() + module.o.heap_ns;
		}
		plat_sleep_us(POLL_US);
	}
}

static void
on_initialized(MonoProfiler *p)
{
	(void)p;
	heap.top = api.mono_gc_max_generation();
	if (heap.top == 0)
		module_say("heapshot: this runtime's collector (Boehm) shows no objects");
	else if (module.o.heap_ns)
		runs = plat_thread_start(&thread, run) == 0;
}

void
heap_end(void)
{
	if (runs) {
		atomic_store(&quit, true);
		plat_thread_join(&thread);
		runs = false;
	}
	if (heap_wanted() && module.o.heap_end && heap.top > 0) {
		atomic_store(&heap.wanted, true);
		api.mono_gc_collect(heap.top);
	}
}

bool
heap_wanted(void)
{
	return module.o.heap;
}

void
heap_listen(bool on)
{
	atomic_store(&heap.listens, on);
}

void
heap_load(void)
{
	static struct _MonoProfiler self;

	if (!heap_wanted())
		return;
	if (!api.mono_gc_walk_heap || !api.mono_gc_max_generation || !api.mono_gc_collect ||
	    !api.mono_profiler_set_gc_event_callback) {
		module_say("heapshot: this runtime does not show its heap");
		module.o.heap = false;
		return;
	}
	/* A separate handle, as another part also listens to the runtime's start. */
	self.handle = api.mono_profiler_create(&self);
	api.mono_profiler_set_runtime_initialized_callback(self.handle, on_initialized);
	api.mono_profiler_set_gc_event_callback(self.handle, on_gc);
	if (api.mono_profiler_set_gc_finalized_callback)
		api.mono_profiler_set_gc_finalized_callback(self.handle, on_finalized);
	gc_listen_roots(self.handle, on_roots);
}

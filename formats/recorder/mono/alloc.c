/**
 * Records allocations in one of three forms: each one, each with its stack, or a sample by bytes. They are recorded on the allocating thread, so nothing here
 * allocates managed memory or waits.
 */
#include "recorder/mono/module.h"

#include <math.h>
#include <stdio.h>

/* Return the size in the heap, where objects are aligned to 8 bytes; the log profiler also counts this size. */
static inline uint64_t
heap_size(MonoObject *o)
{
	return ((uint64_t)api.mono_object_get_size(o) + 7) & ~(uint64_t)7;
}

/* Minimum size of objects that SGen treats as large and does not move. */
enum { LARGE = 8000 };

static uint64_t placed_from = LARGE;

/* Record the object's address, too: of large objects, and of all objects if the moves by which they can be followed are recorded. */
static __attribute__((noinline)) void
put_placed(struct rec_thread *t, uint64_t now, uint64_t type, MonoObject *o, uint64_t size)
{
	uint64_t at = module_key(o);

	rec_alloc_args(t, now, type, size, &(struct rec_value){ .type = TTC_PTR, .size = 8, .p = &at }, 1);
}

static void
on_alloc(MonoProfiler *p, MonoObject *o)
{
	uint64_t now = rec_now(), type, size;
	struct rec_thread *t = rec_thread();

	(void)p;
	if (!t)
		return;
	type = defs_type(o);
	size = heap_size(o);
	if (__builtin_expect(size < placed_from, 1))
		rec_alloc(t, now, type, size);
	else
		put_placed(t, now, type, o, size);
}

/* Record an allocation with a stack; it represents ${many} allocations. */
static void
put_more(MonoObject *o, uint64_t size, uint32_t many)
{
	uint64_t now = rec_now(), at = module_key(o);
	struct rec_thread *t = rec_thread();
	struct rec_value v[3];
	uint8_t stack[STACK_BYTES];
	unsigned n = 0;

	if (!t)
		return;
	uint64_t type = defs_type(o);
	if (many > 1)
		v[n++] = (struct rec_value){ .type = TTC_U32, .size = 4, .p = &many };
	if (size >= placed_from)
		v[n++] = (struct rec_value){ .type = TTC_PTR, .size = 8, .p = &at };
	if (module.o.alloc_stack)
		v[n++] = (struct rec_value){ .type = TTC_STACK_KEYS,
			.size = (uint32_t)stack_put(stack, (unsigned)module.o.alloc_stack), .p = stack };
	rec_alloc_args(t, now, type, size * many, v, n);
}

static void
on_alloc_stack(MonoProfiler *p, MonoObject *o)
{
	(void)p;
	put_more(o, heap_size(o), 1);
}

/* --- sampling -------------------------------------------------------------------------- */

/*
 * Sampling points lie on the stream of bytes that each thread allocates, at exponential distances with a mean of N bytes. An object that contains a point is
 * recorded. An object of s bytes is recorded with probability p = 1 - exp(-s/N) and represents 1/p objects like it, so sums over recorded objects are
 * unbiased estimates of numbers and bytes. The number written is an integer, rounded up or down at random so that its mean is 1/p.
 *
 * The variance of the estimate of all bytes is estimated by the sum of w (w - 1) s^2 over recorded objects (w is the number written): w is 0 for objects not
 * recorded and E[w] is 1, so E[w (w - 1)] is the variance of w.
 */
static __thread REC_NEAR struct {
	int64_t left;                 /* bytes to the next sampling point */
	uint64_t random;              /* 0: not initialized */
} here;

static _Atomic uint64_t taken, estimate_b;
static _Atomic double variance;

/* Return a random number in (0, 1]. */
static double
chance(void)
{
	uint64_t x = here.random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	here.random = x;
	return (double)((x * 0x2545f4914f6cdd1du >> 11) + 1) * 0x1p-53;
}

static int64_t
distance(void)
{
	/* At most 38 times 64 MiB. */
	return (int64_t)(-log(chance()) * (double)module.o.alloc_sample_b) + 1;
}

static void
add_variance(double v)
{
	double old = atomic_load_explicit(&variance, memory_order_relaxed);

	while (!atomic_compare_exchange_weak_explicit(&variance, &old, old + v, memory_order_relaxed, memory_order_relaxed))
		;
}

static __attribute__((noinline)) void
take(MonoObject *o, uint64_t size)
{
	if (here.random == 0) {
		here.random = (plat_thread_self() ^ rec_now() * 0x9e3779b97f4a7c15u) | 1;
		for (int i = 0; i < 8; i++)
			chance();
		here.left = distance() - (int64_t)size;
		if (here.left > 0)
			return;
	}
	here.left = distance();
	double w = 1 / -expm1(-(double)size / (double)module.o.alloc_sample_b);
	uint64_t many = (uint64_t)w;
	many += chance() <= w - (double)many;
	atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&estimate_b, many * size, memory_order_relaxed);
	add_variance((double)many * (double)(many - 1) * (double)size * (double)size);
	put_more(o, size, (uint32_t)many);
}

static void
on_alloc_sampled(MonoProfiler *p, MonoObject *o)
{
	uint64_t size = heap_size(o);

	(void)p;
	here.left -= (int64_t)size;
	if (__builtin_expect(here.left <= 0, 0))
		take(o, size);
}

/* --- life ---------------------------------------------------------------------------------- */

void
alloc_load(void)
{
	if ((module.o.alloc || module.o.alloc_sample_b) && !api.mono_profiler_enable_allocations())
		module_say("alloc: this runtime reports no allocations");
	if (module.o.moves)
		placed_from = 0;
}

void
alloc_listen(bool on)
{
	const struct options *o = &module.o;

	if (o->alloc || o->alloc_sample_b)
		api.mono_profiler_set_gc_allocation_callback(module.handle, !on ? NULL : o->alloc_sample_b ? on_alloc_sampled :
		    o->alloc_stack ? on_alloc_stack : on_alloc);
}

static void
fact(const char *key, double value)
{
	char text[40];

	snprintf(text, sizeof text, "%.0f", value);
	rec_meta(key, text);
}

void
alloc_end(void)
{
	if (!module.o.alloc_sample_b)
		return;
	fact("alloc.sample_every_bytes", (double)module.o.alloc_sample_b);
	fact("alloc.samples", (double)atomic_load(&taken));
	fact("alloc.estimated_bytes", (double)atomic_load(&estimate_b));
	fact("alloc.standard_error_bytes", sqrt(atomic_load(&variance)));
}

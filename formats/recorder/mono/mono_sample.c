/**
 * Records samples of stacks. The runtime signals every thread at each tick, and the handler may interrupt a thread anywhere. So each thread has a second
 * writing end, made beforehand, and the handler uses no thread-local variable (whose first use may allocate), names nothing and takes no lock.
 *
 * A tick also hits sleeping threads. In mode cpu a thread is recorded once per period of its own processor time that has passed, rounded: a thread that did
 * not run is not recorded, and a thread that was not hit for a while counts several times.
 *
 * At its first hit in this mode, a thread gets its own timer if the system has such timers. When all threads have one, the runtime's sampler is switched off.
 */
#include "recorder/mono/module.h"

#include <stdio.h>

#include "recorder/mono/mono_table.h"
#include "recorder/mono/timer.h"

enum { DEPTH = 128, MAX_REPEATS = 50 };

struct sampled {
	struct rec_thread *t;
	uint64_t cpu_ns;              /* the thread's processor time at its last hit */
	int64_t due_ns;               /* processor time that was not recorded yet; negative: recorded in advance */
	uint32_t pauses;              /* module.pauses at the last hit */
	int timer;                    /* -1: no timer */
};
static struct table threads;  /* struct sampled by thread id */
static uint64_t period_ns;    /* period in mode cpu; else 0 */
static _Atomic uint64_t missed;
static _Atomic bool listening;
static _Atomic int signal_number;     /* signal that interrupts threads; 0: not known yet */
static _Atomic int32_t waiting;       /* number of threads without a timer */
static _Atomic bool sampler_named;

static MonoProfilerSampleMode
sampler_mode(void)
{
	if (!atomic_load(&listening))
		return MONO_PROFILER_SAMPLE_MODE_NONE;
	if (module.o.sample_real)
		return MONO_PROFILER_SAMPLE_MODE_REAL;
	return atomic_load(&signal_number) == 0 || atomic_load(&waiting) > 0 ? MONO_PROFILER_SAMPLE_MODE_PROCESS :
	    MONO_PROFILER_SAMPLE_MODE_NONE;
}

/* Switch the runtime's sampler on or off as needed. Callable anywhere, and by several threads at once: the last one decides. */
static bool
settle(void)
{
	MonoProfilerSampleMode mode;
	bool ours;

	do {
		mode = sampler_mode();
		ours = api.mono_profiler_set_sample_mode(module.tools, mode, (uint32_t)module.o.sample_hz);
	} while (mode != sampler_mode());
	return ours;
}

/* Count one more thread without a timer; wait_less() counts one less. */
static void
wait_more(void)
{
	if (atomic_fetch_add(&waiting, 1) == 0)
		settle();
}

static void
wait_less(void)
{
	if (atomic_fetch_sub(&waiting, 1) == 1)
		settle();
}

/* Return the number of samples for which the hit counts. */
static unsigned
weight(struct sampled *s)
{
	uint64_t now;
	int64_t n;

	if (period_ns == 0)
		return 1;
	now = plat_thread_ns();
	uint32_t pauses = atomic_load_explicit(&module.pauses, memory_order_relaxed);
	if (s->pauses != pauses) {
		s->pauses = pauses;
		s->cpu_ns = now;
		s->due_ns = 0;
		return 1;
	}
	s->due_ns += (int64_t)(now - s->cpu_ns);
	s->cpu_ns = now;
	n = (s->due_ns + (int64_t)period_ns / 2) / (int64_t)period_ns;
	if (n <= 0)
		return 0;
	s->due_ns -= n * (int64_t)period_ns;
	return n < MAX_REPEATS ? (unsigned)n : MAX_REPEATS;
}

struct walk {
	unsigned n;
	uint64_t key[DEPTH];
};

/* Collect a frame. Code compiled ahead of time has no method here; its key is the address at which it begins. */
static mono_bool
on_frame(MonoMethod *m, MonoDomain *d, void *base, int offset, void *arg)
{
	struct walk *w = arg;

	(void)offset;
	if (m) {
		defs_met_method(m);
		w->key[w->n++] = module_key(m);
	} else if (base) {
		defs_met_code(d, base);
		w->key[w->n++] = module_key(base);
	}
	return w->n == DEPTH;
}

static int
start_timer(void)
{
	int n = atomic_load(&signal_number);

	return n ? timer_start(n, period_ns) : -1;
}

static void
on_hit(MonoProfiler *p, const mono_byte *ip, const void *context)
{
	uint64_t now = rec_now(), last = 0;
	struct sampled *s = (struct sampled *)(uintptr_t)table_get(&threads, plat_thread_self());
	uint8_t b[20 + 10 * DEPTH], *q = b;
	struct walk w;
	unsigned times;

	(void)p;
	if (!s) {
		atomic_fetch_add_explicit(&missed, 1, memory_order_relaxed);
		return;
	}
	if (!atomic_load_explicit(&listening, memory_order_relaxed)) {
		if (s->timer >= 0) {
			timer_stop(s->timer);
			s->timer = -1;
			wait_more();
		}
		return;
	}
	if (s->timer < 0 && period_ns != 0) {
		if (atomic_load(&signal_number) == 0)
			atomic_store(&signal_number, timer_signal(context, ip));
		if ((s->timer = start_timer()) >= 0)
			wait_less();
	}
	times = weight(s);
	if (times == 0)
		return;
	w.n = 0;
	api.mono_stack_walk_async_safe(on_frame, (void *)(uintptr_t)context, &w);
	q = ttc_put(q, module_key(ip));
	q = ttc_put(q, w.n);
	for (unsigned i = 0; i < w.n; i++) {
		q = ttc_put(q, ttc_zig(w.key[i] - last));
		last = w.key[i];
	}
	while (times-- > 0)
		rec_other(s->t, now, MONO_SAMPLE, b, (size_t)(q - b));
}

/* --- threads ------------------------------------------------------------------- */

static void
forget(uintptr_t tid)
{
	struct sampled *s = (struct sampled *)(uintptr_t)table_get(&threads, tid);

	if (!s)
		return;
	table_set(&threads, tid, 0);
	atomic_signal_fence(memory_order_seq_cst);
	timer_stop(s->timer);
	if (s->timer < 0)
		wait_less();
	rec_thread_release(s->t);
	plat_free(s, sizeof *s);
}

/* Called on the new thread. An earlier thread with its id has ended, even if its end was not seen. */
static void
on_started(MonoProfiler *p, uintptr_t tid)
{
	struct sampled *s;

	(void)p;
	forget(tid);
	if (tid != plat_thread_self() || !(s = plat_alloc(sizeof *s)))
		return;
	s->t = rec_thread_extra();
	s->cpu_ns = plat_thread_ns();
	s->pauses = atomic_load(&module.pauses);
	if (!s->t) {
		plat_free(s, sizeof *s);
		return;
	}
	s->timer = period_ns != 0 && atomic_load(&listening) ? start_timer() : -1;
	if (s->timer < 0)
		wait_more();
	table_set(&threads, tid, (uintptr_t)s);
}

static void
on_stopped(MonoProfiler *p, uintptr_t tid)
{
	(void)p;
	if (tid == plat_thread_self())
		forget(tid);
}

/* Recognize the runtime's sampler by its name: it starts as every thread does but is never interrupted, so it must not count as waiting for a timer. */
static void
on_named(MonoProfiler *p, uintptr_t tid, const char *name)
{
	(void)p;
	if (name && strcmp(name, "Profiler Sampler") == 0 && tid == plat_thread_self() && !atomic_exchange(&sampler_named, true))
		forget(tid);
}

/*
 * Wait, on the main thread before the program's first method, until the runtime's sampler gets its name. The sampler first tells the runtime not to wait for
 * it at the end; a program that ends before that hangs (6.8).
 */
void
sample_initialized(void)
{
	for (int i = 0; i < 1000 && sample_wanted() && !atomic_load(&sampler_named); i++)
		plat_sleep_us(1000);
}

/* --- on and off ------------------------------------------------------------------ */

bool
sample_wanted(void)
{
	return module.o.sample_hz != 0;
}

void
sample_listen(bool on)
{
	if (!module.tools || !sample_wanted() || !api.mono_profiler_set_sample_mode)
		return;
	atomic_store(&listening, on);
	if (!settle() && on)
		module_say("sample: another profiler of this process has set the sampling");
}

void
sample_load(void)
{
	MonoProfilerHandle h = module.tools;

	if (!sample_wanted())
		return;
	if (!api.mono_profiler_enable_sampling || !api.mono_profiler_set_sample_mode || !api.mono_profiler_set_sample_hit_callback ||
	    !api.mono_stack_walk_async_safe || !api.mono_jit_info_table_find || !api.mono_jit_info_get_method ||
	    !api.mono_profiler_enable_sampling(h)) {
		module_say("sample: this runtime does not sample");
		module.o.sample_hz = 0;
		return;
	}
	period_ns = module.o.sample_real ? 0 : 1000000000 / module.o.sample_hz;
	char hz[24];
	snprintf(hz, sizeof hz, "%llu", (unsigned long long)module.o.sample_hz);
	rec_meta("mono.sample_hz", hz);
	rec_meta("mono.sample_mode", module.o.sample_real ? "real" : "cpu");
	api.mono_profiler_set_thread_started_callback(h, on_started);
	api.mono_profiler_set_thread_stopped_callback(h, on_stopped);
	api.mono_profiler_set_thread_name_callback(h, on_named);
	api.mono_profiler_set_sample_hit_callback(h, on_hit);
}

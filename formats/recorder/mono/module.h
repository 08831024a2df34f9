/**
 * The Mono module's own interface: what its files share.
 *
 *	module.c         entry point, life cycle
 *	control.c        starting and stopping: options, signal, control file, C functions
 *	tools.c          samples, heap shots and coverage together
 *	mono_heap.c      heap shots
 *	mono_sample.c    samples of stacks
 *	mono_coverage.c  which code ran, by counters in it
 *	mono_counts.c    those counters
 *	mono_calls.c     calls: the hot path
 *	mono_jit.c       compiling
 *	mono_args.c      arguments, locals and results of calls
 *	alloc.c          allocations, all or sampled
 *	gc.c             collections, moves, roots, handles, finalizers
 *	thrown.c         exceptions and locks
 *	stack.c          stacks of managed frames
 *	mono_counters.c  the runtime's counters
 *	mono_defs.c      names: methods, classes, images, assemblies, domains, threads
 *	mono_late.c      names that come after their use
 *	mono_filter.c    which methods are instrumented, and how
 *	shared.c         the module's state and messages
 *	api.c            the runtime's functions
 *	options.c        options
 *	frame.c          where a compiled method has its variables
 *	mono_table.c     what each address is
 *	timer.c          what interrupts threads that are sampled
 *
 * A file calls those below it in this list.
 *
 * Callbacks come on any thread, before runtime_initialized too, and after the end of the recording, where they do
 * nothing. A method's key in the capture is its address, a class's too.
 */
#ifndef TT_MONO_MODULE_H
#define TT_MONO_MODULE_H

#include "producers/mono_records.h"
#include "recorder/mono/api.h"
#include "recorder/mono/options.h"
#include "recorder/core/rec.h"

/* The argument that the runtime passes to every callback. */
struct _MonoProfiler { MonoProfilerHandle handle; };

extern struct module {
	struct options o;
	MonoProfilerHandle handle;
	MonoProfilerHandle tools;     /* handle of samples, heap shots and coverage; NULL: these are all off */
	_Atomic bool initialized;     /* true: the runtime is initialized and can name types */
	_Atomic uint32_t pauses;      /* number of pauses so far */
	bool shooting;                /* true: the running collection gets a heap shot with the roots; only for the collecting thread */
} module;

/* Print a line for the user on standard error. */
void module_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Wait, for a limited time, until the ring has room; call only where the program waits anyway, also with the world stopped. ${more} false begins a new piece
 * of work.
 */
void module_room(bool more);

static inline uint64_t
module_key(const void *p)
{
	return (uintptr_t)p;
}

/*
 * Each part has two functions. _load, called at the entry point, registers for events, which is possible only there. _listen turns the events on or off;
 * while recording is paused, the program's only cost is what its code was compiled with.
 */
void defs_load(void);
void calls_load(void);
void calls_listen(bool on);
void alloc_load(void);
void alloc_listen(bool on);
/* Write the results of sampling as facts of the capture. */
void alloc_end(void);
void gc_load(void);
void gc_listen(bool on);
void thrown_load(void);
void thrown_listen(bool on);
void jit_listen(bool on);
void tools_load(void);
void sample_load(void);
void sample_listen(bool on);
void heap_load(void);
void heap_listen(bool on);
void coverage_load(void);

/* Begin recording, or wait for what starts it, and read the counters; end recording. */
void control_load(void);
void control_end(void);

/* Record the runtime's counters now. On a single thread only. */
void counters_sample(void);

/* --- mono_defs.c ------------------------------------------------------------------- */

/* Define a method unless it is already defined. May load classes, and so cause further events. */
void defs_method(MonoMethod *m);
/* Define an object's type: its vtable, which names the class and the domain, or its class if the runtime shows no vtables. */
uint64_t defs_type(MonoObject *o);

/* Note methods, classes and types in a signal handler, or with the world stopped, to be named soon after. Take no lock and allocate nothing. */
void defs_met_method(MonoMethod *m);
void defs_met_class(MonoClass *c);
uint64_t defs_met_type(MonoObject *o, MonoClass *c);
/* Note the code at ${code}, compiled ahead of time from a method of ${d}, to be named later. */
void defs_met_code(MonoDomain *d, const void *code);
/* Name everything noted so far. On a thread that may take the runtime's locks. */
void defs_name_met(void);

/* --- mono_late.c --------------------------------------------------------------------- */

/* Note ${what}, described by ${with}, to be named later. Callable anywhere: no lock, no allocation. */
void late_put(const void *what, uintptr_t with);
/* Make the finalizer thread run soon, which names what late_put() noted. Callable anywhere: it only posts a semaphore. */
void late_wake(void);
/* Set whether the finalizer thread runs; late_wake() does nothing while it does not. */
void late_ready(bool is);
/* Call ${name} for everything noted, on a thread that may take locks. late_taking(): true while a thread does so. */
void late_take(void (*name)(const void *what, uintptr_t with));
bool late_taking(void);

/* --- tools.c -------------------------------------------------------------------- */

/* Record what is known only at the end, however the program ends. Called once. */
void tools_end(void);

/* --- mono_sample.c, mono_heap.c, mono_coverage.c ---------------------------------------------------- */

bool sample_wanted(void);
/* Called when the runtime is initialized. May wait a moment. */
void sample_initialized(void);
bool heap_wanted(void);
bool coverage_wanted(void);
/* Request a heap shot. Any thread. */
void heap_request(void);
/* Called when the runtime begins to end: take the last shot, if one is asked for. */
void heap_end(void);
/* Write the counts of a domain's methods while it is being unloaded, before they are gone. Not in a pause. */
void coverage_unload(MonoDomain *d);
void coverage_end(void);
void coverage_listen(bool on);
/*
 * coverage_repeats(): true if coverage is also written before the end. In that case call coverage_tick() every few milliseconds, on a thread of ours.
 * coverage_step() does a piece of the work, on a thread that may take the runtime's locks. coverage_settle() requests that the present counts be written and
 * waits at most a second for that, on another thread.
 */
bool coverage_repeats(void);
void coverage_tick(void);
void coverage_step(void);
void coverage_settle(void);

/* --- gc.c ----------------------------------------------------------------------------- */

void gc_put_roots(struct rec_thread *t, uint64_t n, const mono_byte *const *addresses, MonoObject *const *objects);
/* Record registrations of roots with ${h}, unless they are recorded anyway, and call ${roots} with the roots. */
void gc_listen_roots(MonoProfilerHandle h, MonoProfilerGCRootsCallback roots);

/* --- mono_filter.c ------------------------------------------------------------------ */

enum filter_flag { FILTER_KNOWN = 1, FILTER_CALLS = 2, FILTER_ARGS = 4, FILTER_FRAME = 8 };

/*
 * Return the kinds of events recorded of a method. The answer is cached, as it is needed at each compilation, each unwinding, and by slower callbacks at each
 * call.
 */
unsigned filter_flags(MonoMethod *m);
/* True if a pattern of the list matches the method. The answer is not cached. */
bool filter_lists(enum options_list list, MonoMethod *m);
void filter_forget(MonoMethod *m);
/* Report patterns that matched nothing, at the end. */
void filter_end(void);

/* --- mono_args.c ---------------------------------------------------------------------- */

/* Record that a method begins, with its arguments. */
void args_enter(struct rec_thread *t, uint64_t now, MonoMethod *m, MonoProfilerCallContext *context);
/* Record the names of the arguments of a compiled method, if they may be recorded. */
void args_compiled(MonoMethod *m);
void args_leave(struct rec_thread *t, uint64_t now, MonoMethod *m, MonoProfilerCallContext *context);

/* --- stack.c --------------------------------------------------------------------- */

enum { STACK_MAX_FRAMES = 256, STACK_BYTES = 10 * STACK_MAX_FRAMES + 10 };

/* Write the innermost ${most} managed frames of the calling thread in the form of records; return the number of bytes. Defines the methods. */
size_t stack_put(uint8_t to[STACK_BYTES], unsigned most);

#endif

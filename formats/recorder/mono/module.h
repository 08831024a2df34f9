/**
 * The Mono module's own interface: what its files share.
 *
 *	module.c      entry point, life cycle
 *	options.c     options
 *	api.c         the runtime's functions
 *	defs.c        names: methods, classes, images, assemblies, domains, threads
 *	filter.c      which methods are instrumented, and how
 *	calls.c       calls: the hot path
 *	alloc.c       allocations, all or sampled
 *	args.c        arguments, locals and results of calls
 *	frame.c       where a compiled method has its variables
 *	stack.c       stacks of managed frames
 *	gc.c          collections, moves, roots, handles, finalizers
 *	thrown.c      exceptions and locks
 *	jit.c         compiling
 *	control.c     starting and stopping: options, signal, control file, C functions
 *	counters.c    the runtime's counters
 *	table.c       what each address is
 *	timer.c       what interrupts threads that are sampled
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

/* What the runtime passes to every callback. */
struct _MonoProfiler { MonoProfilerHandle handle; };

extern struct module {
	struct options o;
	MonoProfilerHandle handle;
	MonoProfilerHandle tools;     /* of samples, heap shots and coverage; NULL: none of these */
	_Atomic bool initialized;     /* the runtime is: types can be named */
	_Atomic uint32_t pauses;      /* so far */
} module;

/* One line for the user, on standard error. */
void module_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static inline uint64_t
module_key(const void *p)
{
	return (uintptr_t)p;
}

/*
 * Of each part, two functions. _load, in the entry point: tell the runtime what will be wanted, which is possible only
 * there. _listen: have the events from now on, or no more; while recording is paused, the program pays only for what
 * its code was compiled with.
 */
void defs_load(void);
void calls_load(void);
void calls_listen(bool on);
void alloc_load(void);
void alloc_listen(bool on);
/* What sampling came to, as facts of the capture. */
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

/* All of them, _listen. */
void module_listen(bool on);

/* Begin recording, or wait for what shall begin it; look after the counters. The end of that. */
void control_load(void);
void control_end(void);

/* Record the runtime's counters, now. On one thread only. */
void counters_sample(void);

/* --- defs.c ------------------------------------------------------------------- */

/* Define a method or class unless it is already. May load classes, and so raise further events. */
void defs_method(MonoMethod *m);
void defs_class(MonoClass *c);
/*
 * What an object is of, defined: its vtable, which says the class and the domain, or, where the runtime does not show it, its
 * class. _met: with the world stopped; it is named soon.
 */
uint64_t defs_type(MonoObject *o);
uint64_t defs_type_met(MonoObject *o, MonoClass *c);
/* "Namespace.Outer/Inner" of any class at any time, cut to ${room} bytes; its length. */
size_t defs_class_name(MonoClass *c, char *to, size_t room);
/* A method was compiled; has gone. */
void defs_compiled(MonoMethod *m);

void defs_vtable(MonoVTable *v);

/* Are they defined? Also in a signal handler, and with the world stopped. */
bool defs_has_method(const MonoMethod *m);
bool defs_has_class(const MonoClass *c);
bool defs_has_vtable(const MonoVTable *v);
/* The code at ${code} was compiled ahead of time, of ${m}: name it, by its address. */
void defs_code(const void *code, MonoMethod *m);

/* --- late.c: names of what a signal handler or a stopped world met ----------------- */

/* Have these named soon. Anywhere: no lock, no allocation. */
void late_method(MonoMethod *m);
void late_class(MonoClass *c);
void late_vtable(MonoVTable *v);
void late_code(MonoDomain *d, const void *code);

/* Have the collected items named, and coverage_step() called, soon. Anywhere. */
void tools_wake(void);
/* At the end, however it comes: what can only be known then. Once. */
void tools_end(void);
/*
 * Wait until the ring has room, where the program waits anyway; not for ever. With the world stopped, too. A false
 * ${more} begins a new piece of work.
 */
void tools_room(bool more);

/* --- sample.c, heap.c, coverage.c ---------------------------------------------------- */

bool sample_wanted(void);
/* The runtime is up. May wait a moment. */
void sample_initialized(void);
bool heap_wanted(void);
bool coverage_wanted(void);
/* Is one being taken, of the collection that runs? Then it has the roots. */
bool heap_shoots(void);
/* Have a heap shot taken soon. Any thread. */
void heap_request(void);
/* The runtime begins to end: the last shot, where one is asked for. */
void heap_end(void);
void coverage_end(void);
void coverage_listen(bool on);
/* Is it written before the end, too? Then call _tick every few milliseconds, on a thread of ours; */
bool coverage_repeats(void);
void coverage_tick(void);
/* a piece of the work, on a thread that may take the runtime's locks; */
void coverage_step(void);
/* have the counts so far written, and wait for that, at most a second. Not on such a thread. */
void coverage_settle(void);

/* --- gc.c ----------------------------------------------------------------------------- */

void gc_put_roots(struct rec_thread *t, uint64_t n, const mono_byte *const *addresses, MonoObject *const *objects);
/* Have registrations of roots recorded, as ${h}, unless they are anyway, and ${roots} called with roots. */
void gc_listen_roots(MonoProfilerHandle h, MonoProfilerGCRootsCallback roots);

/* --- filter.c ------------------------------------------------------------------ */

enum filter_flag { FILTER_KNOWN = 1, FILTER_CALLS = 2, FILTER_ARGS = 4, FILTER_FRAME = 8 };

/* What is wanted of a method. Remembered: asked at each compilation, each unwinding, and by the slower callbacks at each call. */
unsigned filter_flags(MonoMethod *m);
/* Is it in a list? Not remembered. */
bool filter_lists(enum options_list list, MonoMethod *m);
void filter_forget(MonoMethod *m);
/* At the end: say which patterns have matched nothing. */
void filter_end(void);

/* --- args.c ---------------------------------------------------------------------- */

/* Record that a method begins, with its arguments; what it returns, before it ends. */
void args_enter(struct rec_thread *t, uint64_t now, MonoMethod *m, MonoProfilerCallContext *context);
/* A method was compiled whose arguments may be asked for: record what they are called. */
void args_compiled(MonoMethod *m);
void args_leave(struct rec_thread *t, uint64_t now, MonoMethod *m, MonoProfilerCallContext *context);

/* --- stack.c --------------------------------------------------------------------- */

enum { STACK_MOST = 256, STACK_BYTES = 10 * STACK_MOST + 10 };

/* Write the calling thread's innermost ${most} managed frames as records have them; how many bytes. Defines the methods. */
size_t stack_put(uint8_t to[STACK_BYTES], unsigned most);

#endif

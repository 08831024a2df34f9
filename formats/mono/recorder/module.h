/**
 * The Mono module's own interface: what its files share.
 *
 *	module.c      entry point, life cycle
 *	options.c     options
 *	api.c         the runtime's functions
 *	defs.c        names: methods, classes, images, assemblies, domains, threads
 *	calls.c       calls and allocations: the hot path
 *	table.c       which names are told
 *
 * Callbacks come on any thread, before runtime_initialized too, and after the end of the recording, where they do
 * nothing. A method's key in the capture is its address, a class's too.
 */
#ifndef TT_MONO_MODULE_H
#define TT_MONO_MODULE_H

#include "mono/recorder/api.h"
#include "mono/recorder/options.h"
#include "rec.h"

/* What the runtime passes to every callback. */
struct _MonoProfiler { MonoProfilerHandle handle; };

extern struct module {
	struct options o;
	MonoProfilerHandle handle;
	_Atomic bool initialized;     /* the runtime is: types can be named */
} module;

/* One line for the user, on standard error. */
void module_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* --- defs.c ------------------------------------------------------------------- */

/* Ask for the events that define. */
void defs_load(void);
/* Define a method or class unless it is already. May load classes, and so raise further events. */
void defs_method(MonoMethod *m);
void defs_class(MonoClass *c);

/* --- calls.c ------------------------------------------------------------------ */

/* Ask for calls and allocations as the options say. In the entry point: instrumentation is decided there. */
void calls_load(void);

#endif

/**
 * Lists of names that belong to Mono itself. Source: captures by Mono 4.2, 4.6, 6.8 and 6.14, and the assemblies that come with these versions.
 */
#include "producers/mono_names.h"

#include <string.h>

#include "model/names.h"

static bool
is_text(const char *s, size_t n, const char *text)
{
	return strlen(text) == n && memcmp(s, text, n) == 0;
}

static bool
is_listed(const char *const *list, const char *s, size_t n)
{
	while (*list && !is_text(s, n, *list))
		list++;
	return *list != NULL;
}

/* True if ${s} is ${first}, or begins with it and a dot. */
static bool
is_below(const char *s, size_t n, const char *first)
{
	const size_t k = strlen(first);

	return n >= k && memcmp(s, first, k) == 0 && (n == k || s[k] == '.');
}

static bool
is_below_any(const char *const *list, const char *s, size_t n)
{
	while (*list && !is_below(s, n, *list))
		list++;
	return *list != NULL;
}

bool
mono_is_own_assembly(const char *name, size_t n)
{
	static const char *const others[] = { "mscorlib", "netstandard", "I18N", "com.unity", "Accessibility", "Commons.Xml.Relaxng", "CustomMarshalers",
		"PresentationCore", "PresentationFramework", "SMDiagnostics", "WindowsBase", "cscompmgd", NULL };

	return is_below_any(tt_library_namespaces, name, n) || is_below_any(tt_engine_namespaces, name, n) || is_below_any(others, name, n);
}

bool
mono_is_in_own_namespace(const char *name, size_t n)
{
	for (const char *const *const *list = (const char *const *const[]){ tt_library_namespaces, tt_engine_namespaces, NULL }; *list; list++)
		for (const char *const *space = *list; *space; space++)
			if (is_below(name, n, *space) && n > strlen(*space))
				return true;
	return false;
}

bool
mono_is_type_word(const char *name, size_t n)
{
	static const char *const words[] = { "object", "string", "bool", "char", "sbyte", "byte", "int16", "uint16", "int", "uint", "long", "ulong", "single",
		"double", "intptr", "uintptr", "void", NULL };

	return is_listed(words, name, n);
}

bool
mono_is_own_thread(const char *name)
{
	static const char *const threads[] = { "Main", "Finalizer", "Profiler Writer", "Profiler Helper", "Profiler Dumper", "Profiler Sampler",
		"Domain unloader", "Debugger agent", "Thread Pool Worker", "Thread Pool I/O Selector", "Threadpool worker", "Threadpool monitor",
		"IO Threadpool worker", "Timer-Scheduler", NULL };

	return is_listed(threads, name, strlen(name));
}

bool
mono_is_own_root(const char *name)
{
	static const char *const roots[] = { "Static Fields", "ThreadStatic Fields", "ContextStatic Fields", "Thread Pinning Reference", "Thread Stack",
		"Handle Stack", "Thread Starting Table", "Thread Table", "Thread Main Object", "Domain String Pool Table", "Domain Reflection Type Table",
		"Domain Reflection Object Table", "Domain Environment Variable Table", "Domain Structure", "GC Handle Bucket (SGen, Normal)",
		"GC Handle Bucket (SGen, Pinned)", "GC Handles (SGen, Normal)", "GC Handles (SGen, Pinned)", "Marshal Dummy String", "Finalizer Queue",
		"Finalizer Queue (Critical)", "Ephemerons", "ToggleRefs", "Reflection Dynamic Image Token Fixup Table",
		"Reflection Dynamic Image Token Table", "Reflection Dynamic Image Generic Definition Table",
		"Reflection Dynamic Image Remapped Token Table", NULL };

	return is_listed(roots, name, strlen(name));
}

bool
mono_is_own_helper(const char *name)
{
	static const char *const helpers[] = { "restore_stack_prot", "generic_class_init", "vcall", "jit", "class_init", "delegate", "monitor_exit",
		"monitor_enter", "monitor_enter_v4", "rgctx_lazy_fetch", "aot_plt", "aot", "jump", NULL };

	return is_listed(helpers, name, strlen(name));
}

bool
mono_is_own_function(const char *name)
{
	static const char *const begins[] = { "mono_", "monoeg_", "sgen_", NULL };
	const char *const *b = begins;

	while (*b && strncmp(name, *b, strlen(*b)) != 0)
		b++;
	return *b != NULL;
}

bool
mlpd_is_option(const char *name, size_t n, bool *free)
{
	static const char *const plain[] = { "alloc", "allocs", "calldepth", "calls", "counter", "counters", "coverage", "domain", "exception",
		"file", "finalization", "gc", "gcalloc", "gchandle", "gcmove", "gcroot", "heapshot", "heapshot-on-shutdown", "help", "internal", "jit",
		"legacy", "maxframes", "maxsamples", "monitor", "nodefaults", "perfcounters", "port", "report", "sample", "sample-real", "thread", "time",
		"zip", NULL };
	static const char *const free_text[] = { "output", "covfilter", "covfilter-file", "callspec", NULL };

	*free = is_listed(free_text, name, n);
	return *free || is_listed(plain, name, n) || (n > 2 && memcmp(name, "no", 2) == 0 && is_listed(plain, name + 2, n - 2));
}

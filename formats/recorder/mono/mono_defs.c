/**
 * Defines images, assemblies, domains, classes, vtables, methods and threads, when the runtime reports them or an event first needs them.
 */
#include "recorder/mono/module.h"

#include <stdio.h>

#include "recorder/mono/mono_table.h"

/* Defined addresses. The number of an image is the key of its category, that of other things is 1. */
static struct table methods, classes, vtables, images;
static struct table codes;    /* code compiled ahead of time, defined by its address */
static struct table named;    /* ids of threads that have a name */
static struct table domains;  /* numbers of domains, from 1, never reused (unlike their addresses) */
static bool by_vtable;        /* true: the runtime shows vtables of objects */

static uint64_t
domain_key(MonoDomain *d)
{
	static _Atomic uint64_t last;
	uint64_t k = d ? table_get(&domains, module_key(d)) : 0;

	if (d && k == 0) {
		k = atomic_fetch_add(&last, 1) + 1;
		table_set(&domains, module_key(d), k);
	}
	return k;
}

/* Record that an address was unloaded, so that it may be reused. */
static void
gone(enum ttc_object what, uint64_t key)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	uint8_t b[12] = { (uint8_t)what };

	if (t)
		rec_other(t, now, MONO_GONE, b, (size_t)(ttc_put(b + 1, key) - b));
}

/* --- images --------------------------------------------------------------------- */

/* Return the key of the category of all methods of ${i}: its name. */
static uint64_t
image_category(MonoImage *i)
{
	uint64_t k = i ? table_get(&images, module_key(i)) : 0;

	if (i && k == 0) {
		k = rec_def_category(0, 0, api.mono_image_get_name(i));
		table_set(&images, module_key(i), k);
	}
	return k;
}

static uint64_t
wrapper_category(void)
{
	static _Atomic uint64_t known;
	uint64_t k = atomic_load_explicit(&known, memory_order_relaxed);

	if (k == 0) {
		k = rec_def_category(0, 0, "(wrapper)");
		atomic_store_explicit(&known, k, memory_order_relaxed);
	}
	return k;
}

static void
on_image(MonoProfiler *p, MonoImage *i)
{
	const char *file = api.mono_image_get_filename(i), *id = api.mono_image_get_guid(i);

	(void)p;
	image_category(i);
	rec_def_object(TTC_O_IMAGE, module_key(i), 0, file, id);
}

static void
on_image_gone(MonoProfiler *p, MonoImage *i)
{
	(void)p;
	gone(TTC_O_IMAGE, module_key(i));
	if (table_get(&images, module_key(i)))
		table_set(&images, module_key(i), 0);
}

static void
on_assembly(MonoProfiler *p, MonoAssembly *a)
{
	char *name = api.mono_stringify_assembly_name(api.mono_assembly_get_name(a));

	(void)p;
	rec_def_object(TTC_O_ASSEMBLY, module_key(a), module_key(api.mono_assembly_get_image(a)), name, NULL);
	api.mono_free(name);
}

/* --- classes -------------------------------------------------------------------- */

/* Define a class. Before the runtime is initialized it cannot name types, so the plain name is used. */
static void
define_class(MonoClass *c)
{
	uint64_t image = module_key(api.mono_class_get_image(c));
	char text[1024];

	if (!atomic_load_explicit(&module.initialized, memory_order_acquire)) {
		api_class_name(c, text, sizeof text);
		rec_def_object(TTC_O_CLASS, module_key(c), image, text, NULL);
		return;
	}
	char *name = api.mono_type_get_name(api.mono_class_get_type(c));
	rec_def_object(TTC_O_CLASS, module_key(c), image, name, NULL);
	api.mono_free(name);
}

static void
defs_class(MonoClass *c)
{
	if (table_get(&classes, module_key(c)) == 0 && table_set(&classes, module_key(c), 1) == 0)
		define_class(c);
}

/* Define a loaded class again, as its address may have been another class's. */
static void
on_class(MonoProfiler *p, MonoClass *c)
{
	(void)p;
	table_set(&classes, module_key(c), 1);
	define_class(c);
}

/* --- vtables -------------------------------------------------------------------- */

static void
define_vtable(MonoVTable *v)
{
	MonoClass *c = api.mono_vtable_class(v);

	defs_class(c);
	rec_def_vtable(module_key(v), module_key(c), domain_key(api.mono_vtable_domain(v)));
}

static void
defs_vtable(MonoVTable *v)
{
	if (table_get(&vtables, module_key(v)) == 0 && table_set(&vtables, module_key(v), 1) == 0)
		define_vtable(v);
}

/* Define a new vtable again, as its address may have been another one's. */
static void
on_vtable(MonoProfiler *p, MonoVTable *v)
{
	(void)p;
	table_set(&vtables, module_key(v), 1);
	define_vtable(v);
}

static bool
shows_vtables(void)
{
	return api.mono_object_get_vtable && api.mono_vtable_class && api.mono_vtable_domain &&
	    api.mono_profiler_set_vtable_loaded_callback;
}

uint64_t
defs_type(MonoObject *o)
{
	if (__builtin_expect(by_vtable, 1)) {
		MonoVTable *v = api.mono_object_get_vtable(o);
		defs_vtable(v);
		return module_key(v);
	}
	MonoClass *c = api.mono_object_get_class(o);
	defs_class(c);
	return module_key(c);
}

/* --- methods ---------------------------------------------------------------------- */

/* Define the code at ${code}, which belongs to ${m} or is ${m}, by its address. */
static void
define_code(const void *code, MonoMethod *m)
{
	char *name = api.mono_method_full_name(m, 1);
	MonoClass *c = api.mono_method_get_class(m);

	if (name && strncmp(name, "(wrapper", 8) == 0)
		rec_def_marker_as(module_key(code), wrapper_category(), 0, 0, name);
	else
		rec_def_marker_as(module_key(code), image_category(c ? api.mono_class_get_image(c) : NULL), 0, 0, name);
	api.mono_free(name);
}

/* Define a method. State 2 marks an unloaded method, so a method at its address is another one. */
void
defs_method(MonoMethod *m)
{
	if (table_get(&methods, module_key(m)) != 1 && table_set(&methods, module_key(m), 1) != 1)
		define_code(m, m);
}

/* Forget a freed dynamic method, as its address may be reused. */
static void
on_method_gone(MonoProfiler *p, MonoMethod *m)
{
	(void)p;
	if (table_get(&methods, module_key(m)))
		table_set(&methods, module_key(m), 2);
	filter_forget(m);
}

/* --- what a signal handler or a stopped world met: it is named later ------------------- */

/*
 * Kinds of things named late. Only code compiled before recording began is named late, so it lives as long as its domain; dynamic methods are never named
 * late.
 */
enum { IS_METHOD = 1, IS_CLASS = 2, IS_VTABLE = 3 };    /* any other `with` is the domain that contains the code */

void
defs_met_method(MonoMethod *m)
{
	if (table_get(&methods, module_key(m)) == 0)
		late_put(m, IS_METHOD);
}

void
defs_met_class(MonoClass *c)
{
	if (table_get(&classes, module_key(c)) == 0)
		late_put(c, IS_CLASS);
}

void
defs_met_code(MonoDomain *d, const void *code)
{
	if (table_get(&codes, module_key(code)) == 0)
		late_put(code, (uintptr_t)d);
}

uint64_t
defs_met_type(MonoObject *o, MonoClass *c)
{
	if (by_vtable) {
		MonoVTable *v = api.mono_object_get_vtable(o);
		if (table_get(&vtables, module_key(v)) == 0)
			late_put(v, IS_VTABLE);
		return module_key(v);
	}
	defs_met_class(c);
	return module_key(c);
}

static void
name_code(MonoDomain *d, const void *code)
{
	MonoJitInfo *info = api.mono_jit_info_table_find(d, (void *)(uintptr_t)code);
	MonoMethod *m = info ? api.mono_jit_info_get_method(info) : NULL;

	if (m && table_set(&codes, module_key(code), 1) == 0)
		define_code(code, m);
}

static void
name_met(const void *what, uintptr_t with)
{
	void *p = (void *)(uintptr_t)what;

	if (with == IS_METHOD)
		defs_method(p);
	else if (with == IS_CLASS)
		defs_class(p);
	else if (with == IS_VTABLE)
		defs_vtable(p);
	else
		name_code((MonoDomain *)with, p);
}

void
defs_name_met(void)
{
	late_take(name_met);
}

/* --- the rest --------------------------------------------------------------------------- */

static void
on_domain_name(MonoProfiler *p, MonoDomain *d, const char *name)
{
	(void)p;
	rec_def_object(TTC_O_DOMAIN, domain_key(d), 0, name, NULL);
}

static void
on_domain_gone(MonoProfiler *p, MonoDomain *d)
{
	(void)p;
	gone(TTC_O_DOMAIN, domain_key(d));
	table_set(&domains, module_key(d), 0);
}

static void
on_assembly_gone(MonoProfiler *p, MonoAssembly *a)
{
	(void)p;
	gone(TTC_O_ASSEMBLY, module_key(a));
}

static void
on_context(MonoProfiler *p, MonoAppContext *c)
{
	MonoDomain *d = NULL;

	(void)p;
	/* Find the domain by the runtime's number. The runtime reuses its numbers; ours are never reused. */
	if (api.mono_context_get_domain_id && api.mono_domain_get_by_id)
		d = api.mono_domain_get_by_id(api.mono_context_get_domain_id(c));
	rec_def_object(TTC_O_CONTEXT, module_key(c), domain_key(d), NULL, NULL);
}

static void
on_context_gone(MonoProfiler *p, MonoAppContext *c)
{
	(void)p;
	gone(TTC_O_CONTEXT, module_key(c));
}

static void
on_thread_name(MonoProfiler *p, uintptr_t tid, const char *name)
{
	(void)p;
	table_set(&named, tid, 1);
	rec_def_thread(tid, "", name);
}

/* Forget the name of a thread id: a thread began with it, and has no name yet. */
static void
on_thread(MonoProfiler *p, uintptr_t tid)
{
	(void)p;
	if (table_get(&named, tid) && table_set(&named, tid, 0))
		rec_def_thread(tid, "", "");
}

void
defs_load(void)
{
	MonoProfilerHandle h = module.handle;

	api.mono_profiler_set_image_loaded_callback(h, on_image);
	api.mono_profiler_set_image_unloaded_callback(h, on_image_gone);
	api.mono_profiler_set_assembly_loaded_callback(h, on_assembly);
	api.mono_profiler_set_class_loaded_callback(h, on_class);
	if ((by_vtable = shows_vtables()))
		api.mono_profiler_set_vtable_loaded_callback(h, on_vtable);
	api.mono_profiler_set_domain_name_callback(h, on_domain_name);
	api.mono_profiler_set_thread_started_callback(h, on_thread);
	api.mono_profiler_set_thread_name_callback(h, on_thread_name);
	if (api.mono_profiler_set_method_free_callback)
		api.mono_profiler_set_method_free_callback(h, on_method_gone);
	if (api.mono_profiler_set_domain_unloaded_callback)
		api.mono_profiler_set_domain_unloaded_callback(h, on_domain_gone);
	if (api.mono_profiler_set_assembly_unloaded_callback)
		api.mono_profiler_set_assembly_unloaded_callback(h, on_assembly_gone);
	if (api.mono_profiler_set_context_loaded_callback)
		api.mono_profiler_set_context_loaded_callback(h, on_context);
	if (api.mono_profiler_set_context_unloaded_callback)
		api.mono_profiler_set_context_unloaded_callback(h, on_context_gone);
}

/**
 * Finds the runtime's functions by name when the module is loaded: it is not linked with the runtime. api.h lists them.
 */
#include "recorder/mono/api.h"

#include <stddef.h>
#include <string.h>

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

struct api api;

static const struct entry { const char *name; size_t at; bool needed; } entries[] = {
#define ENTRY_NEEDED(name) { #name, offsetof(struct api, name), true },
#define ENTRY_OPTIONAL(name) { #name, offsetof(struct api, name), false },
	API_NEEDED(ENTRY_NEEDED)
	API_OPTIONAL(ENTRY_OPTIONAL)
};

#if defined(_WIN32)
static void *
library(void *inside)
{
	HMODULE h = NULL;

	GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, inside, &h);
	return h;
}

static void *
symbol(void *library, const char *name)
{
	FARPROC f = library ? GetProcAddress(library, name) : NULL;
	void *p;

	memcpy(&p, &f, sizeof p);
	return p;
}
#else
/* Find the library that contains ${inside}. RTLD_DEFAULT does not search a runtime that was loaded for its host only. */
static void *
library(void *inside)
{
	Dl_info i;

	return dladdr(inside, &i) && i.dli_fname ? dlopen(i.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
}

static void *
symbol(void *library, const char *name)
{
	void *p = library ? dlsym(library, name) : NULL;

	return p ? p : dlsym(RTLD_DEFAULT, name);
}
#endif

const char *
api_find(void *inside)
{
	void *from = library(inside);

	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
		void *f = symbol(from, entries[i].name);
		if (!f && entries[i].needed)
			return entries[i].name;
		memcpy((char *)&api + entries[i].at, &f, sizeof f);
	}
	return NULL;
}

unsigned
api_version(void)
{
	return api.mono_profiler_enable_clauses ? 3 : 2;
}

size_t
api_class_name(MonoClass *c, char *to, size_t room)
{
	MonoClass *outer = api.mono_class_get_nesting_type(c);
	const char *space = outer ? "" : api.mono_class_get_namespace(c);
	size_t n = outer ? api_class_name(outer, to, room) : 0;
	int more = n < room ? snprintf(to + n, room - n, "%s%s%s", space, outer ? "/" : *space ? "." : "",
	    api.mono_class_get_name(c)) : 0;

	n += more > 0 ? (size_t)more : 0;
	return n < room ? n : room - 1;
}

/**
 * mono PLUGIN UNITY-CAPTURE MONO-CAPTURE PROGRAM.EXE: a stand-in Unity host that embeds the Mono runtime, with both recorders
 * in one process. Each frame has a zone "Step" around a call of the program's Rough.MarkStep().
 *
 * The runtime is loaded late, as Unity does it: its functions are found by name.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine.h"
#include "recorder/unity/tracetool_unity.h"

#define CALL(fn) ((__typeof__(&fn))engine_symbol(#fn))
enum { FRAMES = 300 };

static void *runtime;

static void *
function(const char *name)
{
	void *f = dlsym(runtime, name);

	if (!f) {
		fprintf(stderr, "mono: the runtime has no %s\n", name);
		exit(2);
	}
	return f;
}

/* The runtime's functions, with void * for what it calls objects. */
#define MONO(result, name, ...) ((result (*)(__VA_ARGS__))(uintptr_t)function(#name))

static void *
begin_runtime(const char *capture, const char *exe)
{
	char profile[1200];

	runtime = dlopen("libmonosgen-2.0.so.1", RTLD_NOW | RTLD_GLOBAL);
	if (!runtime) {
		fprintf(stderr, "mono: %s\n", dlerror());
		exit(2);
	}
	snprintf(profile, sizeof profile, "tracetool:calls,alloc,gc,out=%s", capture);
	MONO(void, mono_config_parse, const char *)(NULL);
	MONO(void, mono_profiler_load, const char *)(profile);
	return MONO(void *, mono_jit_init, const char *)(exe);
}

static void *
find_method(void *domain, const char *exe)
{
	void *assembly = MONO(void *, mono_domain_assembly_open, void *, const char *)(domain, exe);
	void *image = assembly ? MONO(void *, mono_assembly_get_image, void *)(assembly) : NULL;
	void *class = image ? MONO(void *, mono_class_from_name, void *, const char *, const char *)(image, "", "Rough") : NULL;

	return class ? MONO(void *, mono_class_get_method_from_name, void *, const char *, int)(class, "MarkStep", 1) : NULL;
}

static int
until(int state)
{
	for (int i = 0; i < 12000 && CALL(tracetool_state)() != state; i++) {
		engine_frame();
		nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
	}
	return CALL(tracetool_state)() == state;
}

int
main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	engine_start(&(struct engine_opts){ .callbacks = 2, .profiler = 2 });
	engine_thread("", "Main Thread");
	const struct unity_marker *step = engine_marker("Step", 1, 0);
	if (engine_load(argv[1]) != 0)
		return 2;
	if (CALL(tracetool_start)(argv[2], "") != TRACETOOL_OK || !until(TRACETOOL_CAPTURING))
		return 1;
	void *domain = begin_runtime(argv[3], argv[4]), *method = domain ? find_method(domain, argv[4]) : NULL;
	if (!method)
		return 1;
	for (int i = 0; i < FRAMES; i++) {
		void *args[] = { &i };
		engine_frame();
		engine_emit(step, UNITY_BEGIN, 0, NULL);
		MONO(void *, mono_runtime_invoke, void *, void *, void **, void **)(method, NULL, args, NULL);
		engine_emit(step, UNITY_END, 0, NULL);
	}
	if (CALL(tracetool_stop)() != TRACETOOL_OK || !until(TRACETOOL_IDLE))
		return 1;
	MONO(void, mono_jit_cleanup, void *)(domain);
	engine_unload(false);
	printf("%d\n", FRAMES);
	return 0;
}

/**
 * Records compiled code. Compiling is a zone "JIT", which ends when the method is done. The runtime also reports code compiled ahead of time as done,
 * sometimes without a begin. Code is recorded with its address, size and name and, when it is done, with its method's key.
 */
#include "recorder/mono/module.h"

/* Return a key derived from the method's address that is no method's address. */
static uint64_t
end_of(const MonoMethod *m)
{
	return module_key(m) | 1;
}

static void
put_code(unsigned kind, const void *start, uint64_t size, const char *text, const MonoMethod *m)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	size_t n = text ? strlen(text) : 0;
	uint8_t b[450] = { (uint8_t)kind }, *q = b + 1;

	if (!t)
		return;
	n = n < 400 ? n : 400;
	q = ttc_put(q, module_key(start));
	q = ttc_put(q, size);
	q = ttc_put(q, n);
	if (n)
		memcpy(q, text, n);
	q += n;
	if (m)
		q = ttc_put(q, module_key(m));
	rec_other(t, now, MONO_CODE, b, (size_t)(q - b));
}

static void
on_begin(MonoProfiler *p, MonoMethod *m)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	(void)p;
	if (!t)
		return;
	rec_begin(t, now, MONO_KEY_JIT);
	if (t->depth > 0 && t->depth <= t->zone_max)
		t->zone[t->depth - 1].match = end_of(m);
}

static void
end(const MonoMethod *m, unsigned flags)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	if (t)
		rec_end_flags(t, now, end_of(m), flags);
}

/* Define the method, even in pauses, as names are always needed. */
static void
on_named(MonoProfiler *p, MonoMethod *m, MonoJitInfo *info)
{
	(void)p;
	(void)info;
	defs_method(m);
	args_compiled(m);
}

static void
on_done(MonoProfiler *p, MonoMethod *m, MonoJitInfo *info)
{
	end(m, 0);
	on_named(p, m, info);
	/* The interpreter generates no code. */
	if (!info || !api.mono_jit_info_get_code_start || !api.mono_jit_info_get_code_size)
		return;
	int size = api.mono_jit_info_get_code_size(info);
	put_code(MONO_CODE_READY, api.mono_jit_info_get_code_start(info), size > 0 ? (uint64_t)size : 0, NULL, m);
}

/* Define the method, so that the failure can be attributed to it. */
static void
on_failed(MonoProfiler *p, MonoMethod *m)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();
	static const char text[] = "JIT failed";

	(void)p;
	if (!t)
		return;
	defs_method(m);
	rec_single(t, now, module_key(m), &(struct rec_value){ .type = TTC_TEXT8, .size = sizeof text - 1, .p = text }, 1);
	end(m, 1);
}

/* Record code that the runtime generated. */
static void
on_buffer(MonoProfiler *p, const mono_byte *start, uint64_t size, MonoProfilerCodeBufferType kind, const void *data)
{
	(void)p;
	if (kind == MONO_PROFILER_CODE_BUFFER_METHOD) {
		char *name = api.mono_method_full_name((MonoMethod *)(uintptr_t)data, 1);
		put_code(kind, start, size, name, NULL);
		api.mono_free(name);
		return;
	}
	put_code((unsigned)kind, start, size, kind == MONO_PROFILER_CODE_BUFFER_SPECIFIC_TRAMPOLINE ? data : NULL, NULL);
}

void
jit_listen(bool on)
{
	MonoProfilerHandle h = module.handle;

	api.mono_profiler_set_jit_done_callback(h, on && module.o.jit ? on_done : on_named);
	if (!module.o.jit)
		return;
	if (api.mono_profiler_set_jit_begin_callback)
		api.mono_profiler_set_jit_begin_callback(h, on ? on_begin : NULL);
	if (api.mono_profiler_set_jit_failed_callback)
		api.mono_profiler_set_jit_failed_callback(h, on ? on_failed : NULL);
	if (api.mono_profiler_set_jit_code_buffer_callback)
		api.mono_profiler_set_jit_code_buffer_callback(h, on ? on_buffer : NULL);
}

/**
 * Writes the calling thread's stack as bytes of a record. The runtime walks the stack; mono_defs.c names its methods.
 */
#include "recorder/mono/module.h"

struct frames {
	unsigned n, most;
	MonoMethod *m[STACK_MAX_FRAMES];
};

static mono_bool
take_frame(MonoMethod *m, int32_t native_offset, int32_t il_offset, mono_bool managed, void *arg)
{
	struct frames *f = arg;

	(void)native_offset;
	(void)il_offset;
	if (m && managed)
		f->m[f->n++] = m;
	return f->n == f->most;
}

size_t
stack_put(uint8_t to[STACK_BYTES], unsigned most)
{
	struct frames f = { .most = most < STACK_MAX_FRAMES ? most : STACK_MAX_FRAMES };
	uint64_t last = 0;
	uint8_t *p;

	/* Collect frames first, as defining a method may cause events that walk the stack again. */
	if (f.most > 0 && api.mono_stack_walk_no_il)
		api.mono_stack_walk_no_il(take_frame, &f);
	p = ttc_put(to, f.n);
	for (unsigned i = 0; i < f.n; i++) {
		uint64_t key = module_key(f.m[i]);
		defs_method(f.m[i]);
		p = ttc_put(p, ttc_zig(key - last));
		last = key;
	}
	return (size_t)(p - to);
}

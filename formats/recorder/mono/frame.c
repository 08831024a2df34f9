/**
 * Finds the variables of a frame by its debug information. Independent of recording.
 */
#include "recorder/mono/frame.h"

#if defined(__linux__) && defined(__x86_64__)
#include <dlfcn.h>
#include <stdatomic.h>
#include <unwind.h>

enum { FRAMES = 24 };         /* maximum number of frames between here and the method: ours and the runtime's */
enum { RBX = 3, RBP = 5, R12 = 12 };

/* Functions of the compiler's library, which is not linked; found at first use. */
static struct {
	__typeof__(&_Unwind_Backtrace) backtrace;
	__typeof__(&_Unwind_GetGR) register_of;
	__typeof__(&_Unwind_GetIP) ip_of;
} unwind;

static bool
find_unwind(void)
{
	static _Atomic int state;     /* 1: being searched, 2: found, 3: missing */
	int none = 0;

	if (atomic_compare_exchange_strong(&state, &none, 1)) {
		void *lib = dlopen("libgcc_s.so.1", RTLD_NOW);
		*(void **)&unwind.backtrace = lib ? dlsym(lib, "_Unwind_Backtrace") : NULL;
		*(void **)&unwind.register_of = lib ? dlsym(lib, "_Unwind_GetGR") : NULL;
		*(void **)&unwind.ip_of = lib ? dlsym(lib, "_Unwind_GetIP") : NULL;
		atomic_store(&state, unwind.backtrace && unwind.register_of && unwind.ip_of ? 2 : 3);
	}
	return atomic_load(&state) == 2;
}

struct search {
	struct frame *frame;
	uintptr_t begin, end;
	unsigned frames;
	bool found;
};

/* Collect the registers that called functions preserve: variables are in them, or are addressed by them. */
static _Unwind_Reason_Code
on_frame(struct _Unwind_Context *c, void *arg)
{
	/* Each register's number in the processor and in debug information. */
	static const struct { int own, debug; } kept[] = { { RBX, 3 }, { RBP, 6 }, { R12, 12 }, { 13, 13 }, { 14, 14 }, { 15, 15 } };
	struct search *s = arg;
	uintptr_t ip = unwind.ip_of(c);

	if (ip <= s->begin || ip > s->end)
		return ++s->frames < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		s->frame->value[kept[i].own] = unwind.register_of(c, kept[i].debug);
		s->frame->known |= 1u << kept[i].own;
	}
	s->found = true;
	return _URC_END_OF_STACK;
}

bool
frame_find(struct frame *f, const MonoDebugMethodJitInfo *info)
{
	struct search s = { .frame = f, .begin = (uintptr_t)info->code_start, .end = (uintptr_t)info->code_start + info->code_size };

	*f = (struct frame){ .known = 0 };
	if (!info->has_var_info || !info->locals || !find_unwind())
		return false;
	unwind.backtrace(on_frame, &s);
	return s.found;
}
#else
bool
frame_find(struct frame *f, const MonoDebugMethodJitInfo *info)
{
	(void)info;
	*f = (struct frame){ .known = 0 };
	return false;
}
#endif

const void *
frame_variable(const struct frame *f, const MonoDebugVarInfo *v, uint64_t *room)
{
	uint32_t how = v->index & MONO_DEBUG_VAR_ADDRESS_MODE_FLAGS, n = v->index & ~MONO_DEBUG_VAR_ADDRESS_MODE_FLAGS;

	if (n >= FRAME_REGISTERS || !(f->known >> n & 1))
		return NULL;
	const char *at = (const char *)(uintptr_t)f->value[n] + (int32_t)v->offset;
	switch (how) {
	case MONO_DEBUG_VAR_ADDRESS_MODE_REGISTER:
		*room = f->value[n];
		return room;
	case MONO_DEBUG_VAR_ADDRESS_MODE_REGOFFSET:
		return at;
	case MONO_DEBUG_VAR_ADDRESS_MODE_REGOFFSET_INDIR:
	case MONO_DEBUG_VAR_ADDRESS_MODE_VTADDR:
		return *(const void *const *)(const void *)at;
	}
	return NULL;
}

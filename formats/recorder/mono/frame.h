/**
 * Finds the local variables of a running compiled method.
 *
 * The runtime gives the place of each variable, as a register or an offset from one, and lets no two variables share a place in methods whose calls are
 * recorded with their context. It does not give the registers: Mono 6.8 leaves those in a call's context at zero, and its own function for locals aborts the
 * program on types that it has freed. So the stack is unwound to the method's frame by the compiler's library. Linux, x86-64; elsewhere no frame is found.
 *
 * Call it on the thread itself, in a callback of the running method. The only shared state is a lock-free table of the loaded libraries.
 */
#ifndef TT_MONO_FRAME_H
#define TT_MONO_FRAME_H

#include "recorder/mono/api.h"

enum { FRAME_REGISTERS = 16 };
struct frame {
	uint64_t value[FRAME_REGISTERS];      /* by number of the processor's register */
	uint32_t known;                       /* a bit for each known register */
};

/* Find the innermost frame on this thread that runs the code of ${info}. False: it is not among the innermost few frames, or the stack cannot be unwound. */
bool frame_find(struct frame *f, const MonoDebugMethodJitInfo *info);

/* Return the address of ${v} in the frame, or ${room} with the value of its register. NULL: it has no place, or an unknown one. */
const void *frame_variable(const struct frame *f, const MonoDebugVarInfo *v, uint64_t *room);

#endif

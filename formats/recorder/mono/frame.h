/**
 * Where a compiled method that is running has its local variables.
 *
 * The runtime tells the place of each, as a register or an offset from one, and lets none share it in methods whose calls
 * are watched with their context. What it lacks is the registers: Mono 6.8 leaves those of a call's context at zero, and
 * its own function for locals aborts the program over types it has freed. So the stack is unwound to the method's frame,
 * by the compiler's library. Linux, x86-64; elsewhere no frame is found.
 *
 * On the thread itself, in a callback of the method that runs; a lock-free table of the loaded libraries is all that is
 * shared.
 */
#ifndef TT_MONO_FRAME_H
#define TT_MONO_FRAME_H

#include "recorder/mono/api.h"

enum { FRAME_REGISTERS = 16 };
struct frame {
	uint64_t value[FRAME_REGISTERS];      /* by the processor's number */
	uint32_t known;                       /* a bit for each */
};

/* The innermost frame on this thread that runs the code of ${info}. False: none of the innermost few does, or none can be found. */
bool frame_find(struct frame *f, const MonoDebugMethodJitInfo *info);

/* Where ${v} is: in the frame, or *${room} with what a register holds. NULL: nowhere, or not known. */
const void *frame_variable(const struct frame *f, const MonoDebugVarInfo *v, uint64_t *room);

#endif

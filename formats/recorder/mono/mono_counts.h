/**
 * How often each statement of a method ran, as the runtime counts it, in all code that was compiled of the method.
 *
 * The runtime has one set of counts a method, of the code compiled last: where a second domain compiles the method, its code gets counts of 0, and those that
 * the first domain's code goes on counting are out of reach. So what was counted is read when the runtime asks whether to count in the new code, and added to
 * what is read later.
 *
 * Any thread that may take the runtime's locks.
 */
#ifndef TT_MONO_MONO_COUNTS_H
#define TT_MONO_MONO_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/mono/api.h"

struct counted { uint32_t offset, hits, line, column; const char *file; };

/* The statements of a method, in the order of their offsets. To be freed by free(v). */
struct counts { struct counted *v; size_t n, cap; };

/* Read by this handle from now on. Once, before the others. */
void counts_load(MonoProfilerHandle h);
/* Read the counts of ${m} into ${to}, whose room is used again. False: the runtime has none, or there is no memory. */
bool counts_read(MonoMethod *m, struct counts *to);
/* ${m} is being compiled again: keep what its code has counted. */
void counts_keep(MonoMethod *m);
/* That is done. */
void counts_kept(MonoMethod *m);
/* ${m} is unloaded. */
void counts_forget(MonoMethod *m);

#endif

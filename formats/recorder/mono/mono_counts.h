/**
 * How often each statement of a method ran, as the runtime counts it, in all code compiled from the method.
 *
 * The runtime has one set of counts per method, for the code compiled last: when a second domain compiles the method, its code gets counts of 0, and the
 * counts to which the first domain's code continues to add are out of reach. So the counts are read when the runtime asks whether to count in the new code,
 * and are added to those read later.
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

/* The statements of a method, in the order of their offsets. Free with free(v). */
struct counts { struct counted *v; size_t n, cap; };

/* Use this handle for reading from now on. Call once, before the other functions. */
void counts_load(MonoProfilerHandle h);
/* Read the counts of ${m} into ${to}, whose memory is reused. False: the runtime has no counts, or there is no memory. */
bool counts_read(MonoMethod *m, struct counts *to);
/* Keep the counts of the code of ${m}, which is being compiled again. */
void counts_keep(MonoMethod *m);
/* Called when that compilation is done. */
void counts_kept(MonoMethod *m);
/* Drop the counts of ${m}, which is unloaded. */
void counts_forget(MonoMethod *m);

#endif

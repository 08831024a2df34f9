/**
 * The names of an archive's members. Internal to tt_unpack(): unpack.h.
 */
#ifndef TT_BATCH_UNPACK_NAME_H
#define TT_BATCH_UNPACK_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct tt_err;
struct tt_mem;

/* How often each name has occurred. */
struct names {
	struct name { uint64_t hash; uint32_t count; } *v;
	size_t n, cap;
	struct tt_map at;             /* in v, by hash */
};

/* *${ordinal}: how often this name has occurred in the archive, this time included. */
int tt_unpack_ordinal(struct tt_mem *mem, struct names *s, const char *path, uint32_t *ordinal, struct tt_err *err);
/* True if the name leads out of the archive, or looks like another name when printed. */
bool tt_unpack_odd(const char *name);

#endif

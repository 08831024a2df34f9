/**
 * Draws the factor of hashes once per process, so that nobody can prepare collisions.
 */
#include "base/hash_seed.h"

#include <string.h>

#include "sys/sys.h"

uint64_t tt_seed_factor;

/* Choose the factor before main(), so before threads and the sandbox. If the system gives no random bytes, the load address is random enough. */
static __attribute__((constructor)) void
choose(void)
{
	if (!tt_sys_random(&tt_seed_factor, sizeof tt_seed_factor))
		tt_seed_factor = (uint64_t)((uintptr_t)&tt_seed_factor ^ (uintptr_t)__builtin_frame_address(0) << 20) * 0x9E3779B97F4A7C15u;
	tt_seed_factor |= (uint64_t)1 << 63 | 1;
}

uint64_t
tt_seeded_text(uint64_t h, const char *s, size_t n)
{
	uint64_t v;

	h = tt_seeded_mix(h, n);
	for (; n >= sizeof v; s += sizeof v, n -= sizeof v) {
		memcpy(&v, s, sizeof v);
		h = tt_seeded_mix(h, v);
	}
	v = 0;
	memcpy(&v, s, n);
	return tt_seeded_mix(h, v);
}

/**
 * A random hash function per process; the contract is in hash_seed.h.
 */
#include "base/hash_seed.h"

#include <string.h>
#include <sys/random.h>

uint64_t tt_slot_by;

/* Before main(), so before threads and the sandbox. If the system gives no random bytes, the address it loaded us at is random enough. */
static __attribute__((constructor)) void
choose(void)
{
	if (getrandom(&tt_slot_by, sizeof tt_slot_by, GRND_NONBLOCK) != (ssize_t)sizeof tt_slot_by)
		tt_slot_by = (uint64_t)((uintptr_t)&tt_slot_by ^ (uintptr_t)__builtin_frame_address(0) << 20) * 0x9E3779B97F4A7C15u;
	tt_slot_by |= (uint64_t)1 << 63 | 1;
}

uint64_t
tt_slot_text(uint64_t h, const char *s, size_t n)
{
	uint64_t v;

	h = tt_slot_mix(h, n);
	for (; n >= sizeof v; s += sizeof v, n -= sizeof v) {
		memcpy(&v, s, sizeof v);
		h = tt_slot_mix(h, v);
	}
	v = 0;
	memcpy(&v, s, n);
	return tt_slot_mix(h, v);
}

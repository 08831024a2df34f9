/**
 * Hashes bytes to 64 bits, a block at a time.
 */
#include "base/hash.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

static const uint64_t factor[4] = {
	UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f), UINT64_C(0x8cb92ba72f3d8dd7), UINT64_C(0xd6e8feb86659fd93),
};

/* Return the XOR of the two halves of the 128-bit product of ${a} and ${b}. */
static inline uint64_t
fold(uint64_t a, uint64_t b)
{
	wide w = (wide)a * b;

	return (uint64_t)w ^ (uint64_t)(w >> 64);
}

/* Load eight bytes as a little-endian number. */
static inline uint64_t
load(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

static void
add_block(uint64_t *lane, const uint8_t *p)
{
	/* The lane is added after the product as well: if the product is zero, the bytes before must still count. */
	for (unsigned i = 0; i < 4; i++)
		lane[i] = fold(lane[i] ^ load(p + 8 * i), factor[i]) + (lane[i] << 1 | lane[i] >> 63);
}

void
tt_hash_init(struct tt_hash *h)
{
	memset(h, 0, sizeof *h);
	memcpy(h->lane, factor, sizeof h->lane);
}

void
tt_hash_add(struct tt_hash *h, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	size_t have = h->n % 32;

	if (n == 0)
		return;
	h->n += n;
	if (have > 0) {
		size_t some = 32 - have < n ? 32 - have : n;

		memcpy(h->rest + have, p, some);
		p += some;
		n -= some;
		if (have + some < 32)
			return;
		add_block(h->lane, h->rest);
	}
	for (; n >= 32; p += 32, n -= 32)
		add_block(h->lane, p);
	if (n > 0)
		memcpy(h->rest, p, n);
}

uint64_t
tt_hash_value(const struct tt_hash *h)
{
	uint64_t lane[4], v = h->n;
	uint8_t last[32] = { 0 };

	memcpy(lane, h->lane, sizeof lane);
	memcpy(last, h->rest, h->n % 32);
	add_block(lane, last);
	for (unsigned i = 0; i < 4; i++)
		v = fold(v ^ lane[i], factor[3 - i]) + factor[i];
	v ^= v >> 32;
	v *= factor[2];
	return v ^ v >> 29;
}

uint64_t
tt_hash_bytes(const void *p, size_t n)
{
	struct tt_hash h;

	tt_hash_init(&h);
	tt_hash_add(&h, p, n);
	return tt_hash_value(&h);
}

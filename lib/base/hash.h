/**
 * A 64-bit hash of bytes: tells contents apart, and says which shard a key belongs to.
 *
 * Four lanes of multiply-and-fold over 32 bytes at a time. It is not a cryptographic hash: it finds what
 * changed by itself, not what somebody changed to deceive. The value is part of result files: it does not change.
 */
#ifndef TT_BASE_HASH_H
#define TT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct tt_hash {
	uint64_t lane[4];
	uint64_t n;                   /* bytes so far */
	uint8_t rest[32];             /* the n % 32 bytes not yet in a lane */
};

void tt_hash_init(struct tt_hash *h);

/* Add ${n} bytes: the cuts between calls do not matter. */
void tt_hash_add(struct tt_hash *h, const void *p, size_t n);

/* The hash of all bytes added; more can be added after it. */
uint64_t tt_hash_value(const struct tt_hash *h);

/* The hash of one run of bytes. */
uint64_t tt_hash_bytes(const void *p, size_t n);

#endif

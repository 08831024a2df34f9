/**
 * A 64-bit hash of bytes: tells contents apart, and assigns keys to shards.
 *
 * Four lanes of multiply-and-fold over 32 bytes at a time. It is not a cryptographic hash: it finds accidental
 * changes, not forged ones. Result files hold hashes, so the function must never change.
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

/* Add ${n} bytes; the hash does not depend on how bytes are divided between calls. */
void tt_hash_add(struct tt_hash *h, const void *p, size_t n);

/* Return the hash of all bytes added so far; more can be added afterwards. */
uint64_t tt_hash_value(const struct tt_hash *h);

/* Return the hash of the ${n} bytes at ${p}. */
uint64_t tt_hash_bytes(const void *p, size_t n);

#endif

/**
 * Where keys belong in tables by hash.
 *
 * Keys come out of captures. Who knows the hash can make a capture whose keys all belong in one slot, and each look-up then goes
 * over all of them. So the hash is another one in every process, by chance. Whatever is written must not depend on
 * where keys belong.
 *
 * The halves of the key's product with a number by chance are joined, or no bit would go down: keys that are multiples of 2^48
 * would differ in 16 bits at most. Slots are taken from the low bits: there keys at equal small distances lie best.
 *
 * Threads: any; all have the same number.
 */
#ifndef TT_BASE_SLOT_H
#define TT_BASE_SLOT_H

#include <stddef.h>
#include <stdint.h>

/* By chance, odd and large. Set before main(). */
extern uint64_t tt_slot_by;

/* ${h} of what came before (at first 0) and ${key} behind it: a number that nobody can choose. */
static inline uint64_t
tt_slot_mix(uint64_t h, uint64_t key)
{
#ifdef __x86_64__
	/* gcc 12 takes the halves of the product through memory: three instructions more for each zone. */
	uint64_t low = h + key, high;

	__asm__("mulq %2" : "+a"(low), "=d"(high) : "rm"(tt_slot_by) : "cc");
	return low ^ high;
#else
	__extension__ const unsigned __int128 w = (unsigned __int128)(h + key) * tt_slot_by;

	return (uint64_t)w ^ (uint64_t)(w >> 64);
#endif
}

/* The same for all of a text. */
uint64_t tt_slot_text(uint64_t h, const char *s, size_t n);

/* The slot of ${key} among ${n}, a power of two. */
static inline size_t
tt_slot(uint64_t key, size_t n)
{
	return (size_t)tt_slot_mix(0, key) & (n - 1);
}

/* The slot of ${key} of ${number}, which is one of ours: a process's, a node's. */
static inline size_t
tt_slot_of(uint64_t number, uint64_t key, size_t n)
{
	return (size_t)tt_slot_mix(number * tt_slot_by, key) & (n - 1);
}

#endif

/**
 * The slot of a key in a hash table, by a function that differs in every process.
 *
 * Keys come out of captures. With a fixed hash, a crafted capture could put all its keys into one slot and make each look-up
 * linear. So every process draws a random factor. No output may depend on the order of slots.
 *
 * Fold the high half of key * factor into the low half, so that high key bits reach the slot: keys that are multiples of 2^48
 * would otherwise differ in 16 bits at most. Slots use the low bits, which spread keys at equal small distances best.
 *
 * Threads: any; all use the same factor.
 */
#ifndef TT_BASE_HASH_SEED_H
#define TT_BASE_HASH_SEED_H

#include <stddef.h>
#include <stdint.h>

/* By chance, odd and large. Set before main(). */
extern uint64_t tt_slot_by;

/* ${h} of what came before (at first 0) and ${key} after it: a number that nobody can choose. */
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

/**
 * The slot of a key in a hash table, by a function that differs in every process.
 *
 * Keys come out of captures. With a fixed hash, a crafted capture could put all its keys into one slot and make each look-up
 * linear. So every process draws a random factor, and no output may depend on the order of slots.
 *
 * The high half of key * factor is folded into the low half, so that high key bits reach the slot. With some factors, keys at equal
 * distances, as addresses and numbers are, would still fill neighbouring slots: one process in a hundred would search several times as
 * long, one in a thousand a hundred times. A second product, by a fixed number, and its upper bits prevent that.
 *
 * Threads: any number; all use the same factor.
 */
#ifndef TT_BASE_HASH_SEED_H
#define TT_BASE_HASH_SEED_H

#include <stddef.h>
#include <stdint.h>

/* A large random odd number, chosen before main(). */
extern uint64_t tt_seed_factor;

/* Extend the hash ${h} (at first 0) by ${key}. It is seeded, so nobody can prepare keys that collide. */
static inline uint64_t
tt_seeded_mix(uint64_t h, uint64_t key)
{
	uint64_t low = h + key, high;

#ifdef __x86_64__
	/* Assembler, because gcc 12 moves the halves of the product through memory: three instructions more for each zone. */
	__asm__("mulq %2" : "+a"(low), "=d"(high) : "rm"(tt_seed_factor) : "cc");
#else
	__extension__ const unsigned __int128 w = (unsigned __int128)low * tt_seed_factor;

	low = (uint64_t)w, high = (uint64_t)(w >> 64);
#endif
	low = (low ^ high) * 0x9E3779B97F4A7C15;
	return low ^ low >> 32;
}

/* Extend the hash ${h} by the ${n} bytes of the text ${s}. */
uint64_t tt_seeded_text(uint64_t h, const char *s, size_t n);

/* Return the slot of ${key} in a table of ${n} slots, a power of two. */
static inline size_t
tt_seeded_slot(uint64_t key, size_t n)
{
	return (size_t)tt_seeded_mix(0, key) & (n - 1);
}

/* Hash ${key} together with ${number}, one that tracetool gives, such as the number of a process or a node. */
static inline uint64_t
tt_seeded_pair(uint64_t number, uint64_t key)
{
	return tt_seeded_mix(number * tt_seed_factor, key);
}

#endif

/**
 * Extracts the bits that a mask chooses: decodes numbers of seven bits a byte (LEB128) without a branch on their length.
 *
 * x86 has an instruction for this (PEXT). The first two generations of AMD's Zen do it in microcode, which is slower than shifts. So a reader
 * calls tt_can_extract_bits() once, and has its loop in two versions.
 */
#ifndef TT_BASE_EXTRACT_BITS_H
#define TT_BASE_EXTRACT_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* The attribute of functions that use the instruction. */
#if defined(__x86_64__)
#define TT_EXTRACTS_BITS __attribute__((target("bmi,bmi2")))
#else
#define TT_EXTRACTS_BITS
#endif

/* True if the processor extracts bits in hardware, and fast. */
static inline bool
tt_can_extract_bits(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
#else
	return false;
#endif
}

/* Return the bits of ${x} that are set in ${mask}, packed at the low end. Only if tt_can_extract_bits(). */
static inline __attribute__((always_inline)) uint64_t
tt_extract_bits(uint64_t x, uint64_t mask)
{
#if defined(__x86_64__)
	__asm__("pext %1, %0, %0" : "+r"(x) : "r"(mask));
#else
	(void)mask;
#endif
	return x;
}

/* Return the index of the lowest bit set in ${x}; 64: no bit is set. Only if tt_can_extract_bits(). */
static inline __attribute__((always_inline)) uint64_t
tt_lowest_bit(uint64_t x)
{
#if defined(__x86_64__)
	__asm__("tzcnt %0, %0" : "+r"(x) : : "cc");
#endif
	return x;
}

/* Pack the low seven bits of each byte of ${w} into one number. ${quick}: the result of tt_can_extract_bits(). */
static inline __attribute__((always_inline)) uint64_t
tt_extract_sevens(uint64_t w, bool quick)
{
	if (quick)
		return tt_extract_bits(w, 0x7f7f7f7f7f7f7f7f);
	w = (w & 0x007f007f007f007f) | (w & 0x7f007f007f007f00) >> 1;
	w = (w & 0x00003fff00003fff) | (w & 0x3fff00003fff0000) >> 2;
	return (w & 0x000000000fffffff) | (w & 0x0fffffff00000000) >> 4;
}

#endif

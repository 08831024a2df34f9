/**
 * CRC-32C (Castagnoli, as in iSCSI), the checksum of chunks; the recorder extends it with each event.
 *
 * It uses the processor's instruction where there is one (x86-64 SSE4.2, aarch64 CRC32), chosen at run time; otherwise tables.
 */
#ifndef TT_CRC32C_H
#define TT_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* True if the processor has the instruction. tt_crc32c_init() sets it; that is cheap and may be called often. */
extern bool tt_crc32c_fast;
void tt_crc32c_init(void);

/* Return the CRC-32C of data whose first bytes have the CRC-32C ${crc} (0: no bytes), followed by the ${n} bytes at ${p}. */
uint32_t tt_crc32c(uint32_t crc, const void *p, size_t n);

/* The running form: start with ~0; the checksum is the complement of the result. Any length; by table, or by instruction. */
uint32_t tt_crc32c_table(uint32_t run, const void *p, size_t n);
uint32_t tt_crc32c_long(uint32_t run, const void *p, size_t n);

/* Extend by the instruction: by all eight bytes of ${w}, or by the low two. */
#if defined(__x86_64__)
#define TT_CRC32C_HAVE 1
static inline uint64_t
tt_crc32c_word(uint64_t run, uint64_t w)
{
	__asm__("crc32q %1, %0" : "+r"(run) : "r"(w));
	return run;
}
static inline uint32_t
tt_crc32c_half(uint32_t run, uint64_t w)
{
	__asm__("crc32w %w1, %0" : "+r"(run) : "r"(w));
	return run;
}
#elif defined(__aarch64__)
#define TT_CRC32C_HAVE 1
static inline uint64_t
tt_crc32c_word(uint64_t run, uint64_t w)
{
	uint32_t r = (uint32_t)run;

	__asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %1" : "+r"(r) : "r"(w));
	return r;
}
static inline uint32_t
tt_crc32c_half(uint32_t run, uint64_t w)
{
	__asm__(".arch_extension crc\n\tcrc32ch %w0, %w0, %w1" : "+r"(run) : "r"(w));
	return run;
}
#else
/* Never called: tt_crc32c_fast is false. */
static inline uint64_t
tt_crc32c_word(uint64_t run, uint64_t w)
{
	return tt_crc32c_table((uint32_t)run, &w, 8);
}
static inline uint32_t
tt_crc32c_half(uint32_t run, uint64_t w)
{
	return tt_crc32c_table(run, &w, 2);
}
#endif

/**
 * tt_crc32c_run(run, p, n):
 * Extend by a short record, without a branch on its length if that is below 8. 8 bytes after the record must be readable.
 *
 * The last n bytes, xored with the state and shifted to the top of a zero word, are what the instruction would see after 8 - n zero bytes that leave the
 * state zero; the rest of the state is added by xor.
 */
static inline uint32_t
tt_crc32c_run(uint32_t run, const uint8_t *p, size_t n)
{
#ifdef TT_CRC32C_HAVE
	if (__builtin_expect(tt_crc32c_fast, 1)) {
		uint64_t r = run, w;

		while (__builtin_expect(n >= 8, 0)) {
			memcpy(&w, p, 8);
			r = tt_crc32c_word(r, w);
			p += 8;
			n -= 8;
		}
		if (n == 0)
			return (uint32_t)r;
		memcpy(&w, p, 8);
		return (uint32_t)(tt_crc32c_word(0, (w ^ r) << (64 - 8 * n)) ^ r >> (8 * n));
	}
#endif
	return tt_crc32c_table(run, p, n);
}

/* Extend by the low ${bits} (8 to 64) of ${w}. ${p} points to the same bytes, for processors without the instruction. */
static inline uint32_t
tt_crc32c_bits(uint32_t run, uint64_t w, unsigned bits, const uint8_t *p)
{
#ifdef TT_CRC32C_HAVE
	if (__builtin_expect(tt_crc32c_fast, 1)) {
		if (bits == 64)
			return (uint32_t)tt_crc32c_word(run, w);
		return (uint32_t)(tt_crc32c_word(0, (w ^ run) << (64 - bits)) ^ (uint64_t)run >> bits);
	}
#else
	(void)w;
#endif
	return tt_crc32c_table(run, p, bits / 8);
}

#endif

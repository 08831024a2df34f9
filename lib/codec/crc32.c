/**
 * Computes the CRC of gzip.
 *
 * A message is a polynomial, and its CRC the remainder of dividing it by another. Sixteen bytes times x^512 have the same remainder as a sum of two
 * short products, so they can be added to the sixteen bytes that come 64 bytes later. Four such sums run over the message side by side and leave
 * sixteen bytes with the CRC of the whole message, which zlib computes.
 */
#include "codec/crc32.h"

#include <zlib.h>

#if defined(__x86_64__)
#include <wmmintrin.h>

#define FOLDS __attribute__((target("pclmul")))

/* Remainders of x^(d + 32) and x^(d - 32), bits reversed, which move bytes ahead by a distance of d bits. */
struct distance { uint64_t low, high; };
static const struct distance far = { 0x154442bd4, 0x1c6e41596 }, near = { 0x1751997d0, 0x0ccaa009e };    /* 512, 128 */

static FOLDS __m128i
get(const uint8_t *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* Move ${x} ahead by the distance ${by}, and add it to the bytes ${there}. */
static FOLDS __m128i
fold(__m128i x, __m128i by, __m128i there)
{
	return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(x, by, 0x00), _mm_clmulepi64_si128(x, by, 0x11)), there);
}

enum { WIDTH = 16, LANES = 4, ALL = WIDTH * LANES };

/* Compute the CRC of ${n} bytes, at least ALL. */
static FOLDS uint32_t
folded(const uint8_t *p, size_t n)
{
	const __m128i by_far = _mm_set_epi64x((int64_t)far.high, (int64_t)far.low), by_near = _mm_set_epi64x((int64_t)near.high, (int64_t)near.low);
	__m128i x[LANES], all;
	uint8_t left[WIDTH];

	for (unsigned i = 0; i < LANES; i++)
		x[i] = get(p + i * WIDTH);
	x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128(-1));      /* the initial value of the CRC: all ones */
	for (p += ALL, n -= ALL; n >= ALL; p += ALL, n -= ALL)
		for (unsigned i = 0; i < LANES; i++)
			x[i] = fold(x[i], by_far, get(p + i * WIDTH));
	all = x[0];
	for (unsigned i = 1; i < LANES; i++)
		all = fold(all, by_near, x[i]);
	for (; n >= WIDTH; p += WIDTH, n -= WIDTH)
		all = fold(all, by_near, get(p));
	_mm_storeu_si128((__m128i *)(void *)left, all);
	/* zlib complements the initial value: UINT32_MAX stands for a CRC that begins with zeros. */
	return (uint32_t)crc32_z(crc32_z(UINT32_MAX, left, WIDTH), p, n);
}
#endif

uint32_t
tt_crc32(const void *p, size_t n)
{
#if defined(__x86_64__)
	if (n >= ALL && __builtin_cpu_supports("pclmul"))
		return folded(p, n);
#endif
	return (uint32_t)crc32_z(crc32_z(0, NULL, 0), p, n);
}

/**
 * Computes CRC-32C. It is compiled into games: libc only.
 */
#include "ttc/crc32c.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

bool tt_crc32c_fast;

void
tt_crc32c_init(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	tt_crc32c_fast = __builtin_cpu_supports("sse4.2") != 0;
#elif defined(__aarch64__) && defined(__linux__)
	tt_crc32c_fast = (getauxval(AT_HWCAP) & 1u << 7) != 0;        /* HWCAP_CRC32 */
#endif
}

/* Remainders for each half byte, with the reflected polynomial 0x82f63b78: a table of 64 bytes stays in the cache of a game. */
static const uint32_t half[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
	0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t
tt_crc32c_table(uint32_t run, const void *data, size_t n)
{
	const uint8_t *p = data;

	for (; n > 0; n--) {
		run ^= *p++;
		run = run >> 4 ^ half[run & 15];
		run = run >> 4 ^ half[run & 15];
	}
	return run;
}

#ifdef TT_CRC32C_HAVE

/* Multiply ${a} by ${b} modulo the polynomial, both reflected. Appending n zero bytes means multiplying the state by a constant. */
static uint32_t
times(uint32_t a, uint32_t b)
{
	uint32_t r = 0;

	for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
		if (a & bit)
			r ^= b;
		b = b >> 1 ^ (b & 1 ? 0x82f63b78 : 0);
	}
	return r;
}

/* Three lanes in parallel hide the instruction's latency; a multiplication moves a state over LANE zero bytes. */
#define LANE 1024u

static uint32_t
lane_factor(void)
{
	uint32_t f = 1u << 30;        /* x */

	/* x^(8 LANE); LANE is a power of two */
	for (uint32_t bits = 1; bits < 8 * LANE; bits *= 2)
		f = times(f, f);
	return f;
}

static uint32_t
fast(uint32_t run, const uint8_t *p, size_t n)
{
	uint64_t a = run, w, x, y;

	if (n >= 3 * LANE * 4) {
		const uint32_t one = lane_factor(), two = times(one, one);
		while (n >= 3 * LANE) {
			uint64_t b = 0, c = 0;
			for (size_t i = 0; i < LANE; i += 8) {
				memcpy(&w, p + i, 8);
				memcpy(&x, p + LANE + i, 8);
				memcpy(&y, p + 2 * LANE + i, 8);
				a = tt_crc32c_word(a, w);
				b = tt_crc32c_word(b, x);
				c = tt_crc32c_word(c, y);
			}
			a = times(two, (uint32_t)a) ^ times(one, (uint32_t)b) ^ c;
			p += 3 * LANE;
			n -= 3 * LANE;
		}
	}
	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&w, p, 8);
		a = tt_crc32c_word(a, w);
	}
	return tt_crc32c_table((uint32_t)a, p, n);
}
#endif

uint32_t
tt_crc32c_long(uint32_t run, const void *p, size_t n)
{
#ifdef TT_CRC32C_HAVE
	if (tt_crc32c_fast)
		return fast(run, p, n);
#endif
	return tt_crc32c_table(run, p, n);
}

uint32_t
tt_crc32c(uint32_t crc, const void *p, size_t n)
{
	return ~tt_crc32c_long(~crc, p, n);
}

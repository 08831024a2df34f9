/* Tests of lib/codec/crc32.h: known values, and every length and place against the polynomial, bit by bit. */
#include "check.h"

#include "codec/crc32.h"

/* RFC 1952, 8: from the polynomial alone. */
static uint32_t
plain(const uint8_t *p, size_t n)
{
	uint32_t run = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		run ^= p[i];
		for (int k = 0; k < 8; k++)
			run = run >> 1 ^ (run & 1 ? 0xedb88320u : 0);
	}
	return ~run;
}

TEST(known_values)
{
	static const uint8_t zeros[1 << 20];

	CHECK(tt_crc32("", 0) == 0);
	CHECK(tt_crc32("123456789", 9) == 0xcbf43926);
	CHECK(tt_crc32(zeros, 32) == 0x190a55ad);
	CHECK(tt_crc32(zeros, sizeof zeros) == 0xa738ea1c);
}

TEST(every_length_and_place_is_as_bit_by_bit)
{
	static uint8_t b[40000];
	uint64_t x = 1;
	unsigned bad = 0;

	for (size_t i = 0; i < sizeof b; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		b[i] = (uint8_t)(x >> 56);
	}
	for (size_t n = 0; n < 400; n++)
		for (size_t at = 0; at < 20; at++)
			bad += tt_crc32(b + at, n) != plain(b + at, n);
	for (size_t n = 1000; n < sizeof b; n += 997)
		bad += tt_crc32(b + n % 16, n - 16) != plain(b + n % 16, n - 16);
	memset(b, 0xff, sizeof b);
	for (size_t n = 0; n < 400; n++)
		bad += tt_crc32(b, n) != plain(b, n);
	CHECK(bad == 0);
}

/* Tests of formats/ttc/crc32c.h: known values, and every way of computing against the plain one. */
#include "check.h"

#include "ttc/crc32c.h"

/* Bit by bit, from the polynomial alone. */
static uint32_t
plain(uint32_t run, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		run ^= p[i];
		for (int k = 0; k < 8; k++)
			run = run >> 1 ^ (run & 1 ? 0x82f63b78u : 0);
	}
	return run;
}

TEST(known_values)
{
	uint8_t b[32];

	for (int fast = 0; fast < 2; fast++) {
		if (fast)
			tt_crc32c_init();
		CHECK(tt_crc32c(0, "", 0) == 0);
		CHECK(tt_crc32c(0, "123456789", 9) == 0xe3069283);
		/* RFC 3720, B.4 */
		memset(b, 0, sizeof b);
		CHECK(tt_crc32c(0, b, 32) == 0x8a9136aa);
		memset(b, 0xff, sizeof b);
		CHECK(tt_crc32c(0, b, 32) == 0x62a8ab43);
		for (int i = 0; i < 32; i++)
			b[i] = (uint8_t)i;
		CHECK(tt_crc32c(0, b, 32) == 0x46dd794e);
	}
	printf("the processor's instruction is %sused\n", tt_crc32c_fast ? "" : "not ");
}

TEST(all_ways_agree_at_every_length_and_place)
{
	static uint8_t b[40000];
	uint64_t x = 1;
	unsigned bad = 0;

	tt_crc32c_init();
	for (size_t i = 0; i < sizeof b; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		b[i] = (uint8_t)(x >> 56);
	}
	for (size_t n = 0; n < 300; n++)
		for (size_t at = 0; at < 9; at++) {
			uint32_t run = (uint32_t)(n * 2654435761u + at), want = plain(run, b + at, n);
			bad += tt_crc32c_table(run, b + at, n) != want;
			bad += tt_crc32c_run(run, b + at, n) != want;
			bad += tt_crc32c_long(run, b + at, n) != want;
		}
	for (size_t n = 12000; n < 39000; n += 977) {
		uint32_t want = plain(~0u, b + 3, n);
		bad += tt_crc32c_table(~0u, b + 3, n) != want;
		bad += tt_crc32c_long(~0u, b + 3, n) != want;
	}
	CHECK_EQ_INT(bad, 0);
}

TEST(continued_in_pieces_is_the_same)
{
	const char *s = "a checksum may be taken in pieces of any length";
	size_t n = strlen(s);
	uint32_t whole = tt_crc32c(0, s, n);

	for (size_t i = 0; i <= n; i++)
		CHECK(tt_crc32c(tt_crc32c(0, s, i), s + i, n - i) == whole);
}

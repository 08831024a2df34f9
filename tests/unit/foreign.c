/*
 * Captures of Unity's own profiler are named with their version and release. The first bytes of each form are written
 * here as the form's description has them, for every version word that is known.
 */
#include "check.h"

#include "model/format.h"

struct head {
	uint8_t p[96];
	size_t n;
	bool big;
};

static void
put(struct head *h, uint32_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		h->p[h->n++] = (uint8_t)(v >> 8 * (h->big ? size - 1 - i : i));
}

static void
put_release(struct head *h, const uint32_t *five)
{
	for (unsigned i = 0; five && i < 5; i++)
		put(h, five[i], 4);
}

/* .data since 2017.3: version, size, then the release or the number of threads. */
static struct head
data(uint32_t word, bool big, const uint32_t *release)
{
	struct head h = { .big = big };

	put(&h, word, 4);
	put(&h, 4096, 4);
	put_release(&h, release);
	put(&h, 7, 4);
	return h;
}

/* .data before: byte order, version, size, threads. */
static struct head
old_data(uint32_t word, bool big)
{
	struct head h = { .big = big };

	put(&h, !big, 4);
	put(&h, word, 4);
	put(&h, 4096, 4);
	put(&h, 7, 4);
	return h;
}

/* What a user is told of it; all of ${parts}, which end with NULL, are in it. */
static void
check_told(const struct head *h, const char *const *parts)
{
	const struct tt_format *f;
	struct tt_err err;

	CHECK_EQ_INT(tt_format_pick(tt_formats, h->p, h->n, &f, &err), TT_E_UNKNOWN);
	for (; *parts; parts++)
		CHECK_HAS(err.msg, *parts);
}

#define TOLD(h, ...) check_told(&(h), (const char *const[]){ __VA_ARGS__, "Unity's own profiler", "record", NULL })

TEST(every_version_word_is_named_with_its_releases)
{
	static const struct { uint32_t word; const char *text, *release; } datas[] = {
		{ 0x20170327, "0x20170327", "Unity 2017.3" }, { 0x20171110, "0x20171110", "Unity 2018.1" },
		{ 0x20180123, "0x20180123", "Unity 2018.2" }, { 0x20181101, "0x20181101", "Unity 2018.3" },
		{ 0x20180306, "0x20180306", "Unity 2019.1" }, { 0x20191122, "0x20191122", "Unity 2019.3 or 2019.4" },
		{ 0x20200312, "0x20200312", "Unity 2020.1" }, { 0x20200924, "0x20200924", "Unity 2020.2 to 2021.1" },
		{ 0x20210412, "0x20210412", "Unity 2021.2" }, { 0x20210919, "0x20210919", "Unity 2022.1" },
	}, olds[] = {
		{ 0x20140736, "0x20140736", "Unity 5.4" }, { 0x20160622, "0x20160622", "Unity 5.5" },
		{ 0x20161226, "0x20161226", "Unity 5.6" }, { 0x20170130, "0x20170130", "Unity 2017.1" },
		{ 0x20170929, "0x20170929", "Unity 2017.2" },
	};

	for (int big = 0; big <= 1; big++) {
		const char *order = big ? "big-endian" : "";

		for (size_t i = 0; i < sizeof datas / sizeof *datas; i++) {
			struct head h = data(datas[i].word, big, NULL);
			TOLD(h, ".data", datas[i].text, datas[i].release, order);
		}
		for (size_t i = 0; i < sizeof olds / sizeof *olds; i++) {
			struct head h = old_data(olds[i].word, big);
			TOLD(h, ".data", olds[i].text, olds[i].release, order);
		}
	}
}

TEST(later_files_say_their_release_to_the_patch)
{
	static const uint32_t final[] = { 6000, 3, 9, 2, 1 }, beta[] = { 2022, 2, 0, 1, 16 }, odd[] = { 1, 2, 3, 77, 5 };
	struct head h = data(0x20220328, false, final);

	TOLD(h, ".data", "0x20220328", "Unity 6000.3.9f1");
	h = data(0x20220328, true, beta);
	TOLD(h, ".data", "Unity 2022.2.0b16", "big-endian");
	h = data(0x20260108, false, NULL);
	TOLD(h, ".data", "0x20260108", "Unity 6000.5");
	/* Numbers that are no release: what the word tells. */
	h = data(0x20220328, false, odd);
	TOLD(h, ".data", "Unity 2022.2 to 6000.4");
}

TEST(words_to_come_and_files_without_a_frame_are_named_too)
{
	struct head h = data(0x20270315, false, NULL), end = { .n = 0 };

	TOLD(h, ".data", "0x20270315");
	put(&end, 0xDEADFEED, 4);
	TOLD(end, ".data", "no frame");
}

TEST(what_only_looks_a_little_like_it_is_not_named)
{
	static const struct { const char *p; size_t n; } other[] = {
		{ "\1\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0", 16 }, { "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16 },
		{ "\x28\x13\x22\x20\0\0\0\1", 8 },                     /* month 13 */
		{ "\x32\x03\x22\x20\0\0\0\1", 8 },                     /* day 32 */
		{ "\x1a\x03\x22\x20\0\0\0\1", 8 },                     /* no decimal digits */
		{ "\x15\x03\x27\x20\0\0\0\0\0\0\0\0", 12 },           /* a record of no bytes */
		{ "\xde\xad", 2 }, { "U3D", 3 }, { "", 0 },
	};
	char text[TT_FOREIGN_TEXT];

	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (!CHECK(!tt_foreign_find((const uint8_t *)other[i].p, other[i].n, text)))
			printf("%zu: %s\n", i, text);
	for (uint64_t x = 1, i = 0; i < 200000; i++) {
		uint8_t p[64];

		for (size_t k = 0; k < sizeof p; k++)
			p[k] = (uint8_t)((x = x * 6364136223846793005u + 1442695040888963407u) >> 56);
		p[3] = i % 2 ? p[3] : 0x20;
		(void)tt_foreign_find(p, i % (sizeof p + 1), text);     /* ends well */
	}
}

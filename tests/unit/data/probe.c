/*
 * What Unity's Editor saves is recognised by its first bytes, of every version and byte order, also of versions that are refused later. The
 * first bytes of each form are written here as tracetool-unity-data(7) has them.
 */
#include "check.h"

#include "model/format.h"

struct head {
	uint8_t p[96];
	size_t n;
	bool big;
};

static void
put(struct head *h, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		h->p[h->n++] = (uint8_t)(v >> 8 * (h->big ? 3 - i : i));
}

/* Since 2017.3: version, size; before, the byte order first. */
static struct head
data(uint32_t word, bool old, bool big)
{
	struct head h = { .big = big };

	if (old)
		put(&h, big ? 0 : 1);
	put(&h, word);
	put(&h, 4096);
	for (unsigned i = 0; i < 5; i++)
		put(&h, 7);
	return h;
}

static const char *
picked(const void *p, size_t n)
{
	const struct tt_format *f;
	struct tt_err err;

	return tt_format_pick(tt_formats, p, n, &f, &err) == TT_OK ? f->name : "";
}

TEST(every_version_is_recognised_in_both_byte_orders)
{
	static const uint32_t words[] = { 0x20170327, 0x20171110, 0x20180123, 0x20181101, 0x20180306, 0x20191122, 0x20200312, 0x20200924,
		0x20210412, 0x20210919, 0x20220328, 0x20260108 };
	static const uint32_t olds[] = { 0x20140736, 0x20160622, 0x20161226, 0x20170130, 0x20170929 };

	for (int big = 0; big <= 1; big++) {
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			struct head h = data(words[i], false, big);
			CHECK_STR(picked(h.p, h.n), "data");
		}
		for (size_t i = 0; i < sizeof olds / sizeof *olds; i++) {
			struct head h = data(olds[i], true, big);
			CHECK_STR(picked(h.p, h.n), "data");
		}
	}
}

/* How sure the reader of .data is of ${n} bytes of this head. */
static int
certainty(const struct head *h, size_t n)
{
	for (size_t i = 0; tt_formats[i]; i++)
		if (strcmp(tt_formats[i]->name, "data") == 0)
			return tt_formats[i]->probe(h->p, n);
	return -1;
}

/* A version that is known, and the size behind it: surer than that of a version to come, or of a version alone. */
TEST(a_known_version_with_its_size_is_sure)
{
	const struct head known = data(0x20191122, false, false), later = data(0x20400101, false, false);

	CHECK(certainty(&known, 8) > certainty(&later, known.n));
	for (size_t n = 9; n <= known.n; n++)
		CHECK_EQ_INT(certainty(&known, n), certainty(&known, 8));
	for (size_t n = 0; n < 8; n++)
		CHECK(certainty(&known, n) < certainty(&known, 8));
}

TEST(versions_to_come_and_files_without_a_frame_are_recognised)
{
	struct head later = data(0x20270315, false, false), end = { .n = 0 };

	CHECK_STR(picked(later.p, later.n), "data");
	put(&end, 0xDEADFEED);
	CHECK_STR(picked(end.p, end.n), "data");
}

TEST(what_only_looks_a_little_like_it_is_not_recognised)
{
	static const struct { const char *p; size_t n; } other[] = {
		{ "\1\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0", 16 }, { "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16 },
		{ "\x28\x13\x22\x20\0\0\0\1", 8 },                     /* month 13 */
		{ "\x32\x03\x22\x20\0\0\0\1", 8 },                     /* day 32 */
		{ "\x1a\x03\x22\x20\0\0\0\1", 8 },                     /* no decimal digits */
		{ "\x15\x03\x27\x20\0\0\0\0\0\0\0\0", 12 },           /* a record of no bytes */
		{ "\xde\xad", 2 }, { "U3D", 3 }, { "", 0 },
	};

	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		CHECK_STR(picked(other[i].p, other[i].n), "");
}

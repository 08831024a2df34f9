/**
 * Captures that the Editor of Unity saved, .data: recognised by their first bytes and named, not read. (formats/raw reads .raw.)
 *
 * They carry a version word that looks like a date, 0x20191122. Up to 2022 only the word tells the release, and several releases
 * share one; later files say their release in numbers.
 */
#include <stdio.h>
#include <string.h>

#include "model/format.h"

#define DATA_END UINT32_C(0xDEADFEED)         /* a .data file without frames begins with its end */
#define DATA_SAYS UINT32_C(0x20220328)
#define DATA_MAX (UINT32_C(1) << 30)          /* the size of a frame's record, at most */

static const struct word { uint32_t word; const char *release; } words[] = {
	{ 0x20140736, "5.4" }, { 0x20160622, "5.5" }, { 0x20161226, "5.6" },
	{ 0x20170130, "2017.1" }, { 0x20170929, "2017.2" },
	{ 0x20170327, "2017.3 or 2017.4" }, { 0x20171110, "2018.1" },
	{ 0x20180123, "2018.2" }, { 0x20181101, "2018.3 to 2019.2" },
	{ 0x20180306, "2019.1 or 2019.2" }, { 0x20191122, "2019.3 or 2019.4" },
	{ 0x20200312, "2020.1" }, { 0x20200924, "2020.2 to 2021.1" },
	{ 0x20210412, "2021.2 or 2021.3" }, { 0x20210919, "2022.1" },
	{ 0x20220328, "2022.2 to 6000.4" }, { 0x20260108, "6000.5" },
};

struct found {
	bool big;                     /* written by a big-endian machine */
	bool empty;
	uint32_t word;                /* 0: not in the bytes that are there */
	char release[64];             /* "" unknown */
};

static uint32_t
u32(const uint8_t *p, bool big)
{
	if (big)
		return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static const struct word *
known(uint32_t word)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].word == word)
			return &words[i];
	return NULL;
}

/* Two digits of a date, from ${from} up to ${to}? */
static bool
digits(uint32_t word, unsigned shift, uint32_t from, uint32_t to)
{
	uint32_t v = word >> shift & 0xff;

	return (v & 15) < 10 && v >= from && v <= to;
}

/* Could the word be a version: one that is known, or another date? */
static bool
is_version(uint32_t word)
{
	return known(word) ||
	    (word >> 24 == 0x20 && digits(word, 16, 0x14, 0x99) && digits(word, 8, 0x01, 0x12) && digits(word, 0, 0x01, 0x31));
}

/* The release in five numbers: 6000, 3, 9, 2, 1 is 6000.3.9f1. */
static bool
exact(struct found *f, const uint8_t *p)
{
	uint32_t v[5];

	for (unsigned i = 0; i < 5; i++)
		v[i] = u32(p + 4 * i, f->big);
	if (v[0] < 5 || v[0] > 99999 || v[1] > 999 || v[2] > 9999 || v[3] > 4 || v[4] > 9999)
		return false;
	snprintf(f->release, sizeof f->release, "%u.%u.%u%c%u", v[0], v[1], v[2], "abfpx"[v[3]], v[4]);
	return true;
}

/* ${says}: the word from which on files say their release, at ${at}. */
static void
release(struct found *f, uint32_t says, const uint8_t *head, size_t n, size_t at)
{
	const struct word *w = known(f->word);

	if (f->word >= says && n >= at + 20 && exact(f, head + at))
		return;
	if (w)
		snprintf(f->release, sizeof f->release, "%s", w->release);
}

/* Since 2017.3: records of a word, a size and, later, the release. */
static bool
find_data(struct found *f, const uint8_t *p, size_t n, bool big)
{
	uint32_t word = u32(p, big), size = n >= 8 ? u32(p + 4, big) : 0;

	/* Of a word that is not known, four bytes are little to go by. */
	if (!known(word) && (big || !is_version(word) || size < 16 || size > DATA_MAX))
		return false;
	*f = (struct found){ .big = big, .word = word };
	release(f, DATA_SAYS, p, n, 8);
	return true;
}

/* Before: the byte order, 1 or 0, then the word. */
static bool
find_old_data(struct found *f, const uint8_t *p, size_t n)
{
	bool big = u32(p, false) == 0;

	if (n < 8 || (!big && u32(p, false) != 1) || !is_version(u32(p + 4, big)))
		return false;
	*f = (struct found){ .big = big, .word = u32(p + 4, big) };
	release(f, UINT32_MAX, p, n, 0);
	return true;
}

static bool
find(struct found *f, const uint8_t *p, size_t n)
{
	*f = (struct found){ 0 };
	if (n < 4)
		return false;
	if (u32(p, false) == DATA_END || u32(p, true) == DATA_END) {
		*f = (struct found){ .big = u32(p, true) == DATA_END, .empty = true };
		return true;
	}
	return find_old_data(f, p, n) || find_data(f, p, n, false) || find_data(f, p, n, true);
}

static bool
says(const uint8_t *head, size_t n, char *text, size_t size)
{
	struct found f;
	char word[32] = "", from[80] = "";

	if (!find(&f, head, n))
		return false;
	if (f.empty) {
		snprintf(text, size, "it is from Unity's own profiler (.data) and has no frame: record again, with tracetool's package");
		return true;
	}
	if (f.word)
		snprintf(word, sizeof word, ", version 0x%08x", f.word);
	if (f.release[0])
		snprintf(from, sizeof from, ", Unity %s", f.release);
	snprintf(text, size, "it is from Unity's own profiler (.data%s%s%s); record with tracetool's package, see tracetool-unity(7)",
	    word, from, f.big ? ", big-endian" : "");
	return true;
}

const struct tt_foreign tt_foreign_unity_log = { "Unity profiler capture", says };

/**
 * Which version words there are, which releases of the engine write them, and which are read.
 */
#include "raw/raw.h"

/* In the order of words, which is that of ranks but for one. */
static const struct raw_version versions[] = {
	{ 0x20170327, 1, false, "2017.3 or 2017.4", "2017.3" },
	{ 0x20171110, 2, false, "2018.1", "2018.1" },
	{ 0x20180123, 3, false, "2018.2", "2018.2" },
	{ 0x20180306, 5, false, "2019.1 or 2019.2", "2019.1" },
	{ 0x20181101, 4, false, "2018.3 to 2019.2", "2018.3" },
	{ 0x20191122, 6, true, "2019.3 to 2021.1", "2019.3" },
	{ 0x20200312, 7, false, "2020.1", "2020.1" },
	{ 0x20200924, 8, false, "2020.2 to 2021.1", "2020.2" },
	{ 0x20210412, 9, false, "2021.2 or 2021.3", "2021.2" },
	{ 0x20210919, 10, false, "2022.1", "2022.1" },
	{ 0x20220328, 11, false, "2022.2 to 6000.4", "2022.2" },
	{ 0x20260108, 12, false, "6000.5", "6000.5" },
};
enum { VERSIONS = sizeof versions / sizeof *versions };

/* Two digits of a date, from ${from} up to ${to}? */
static bool
digits(uint32_t word, unsigned shift, uint32_t from, uint32_t to)
{
	uint32_t v = word >> shift & 0xff;

	return (v & 15) < 10 && v >= from && v <= to;
}

const struct raw_version *
raw_version(uint32_t word, bool force, struct tt_err *err)
{
	const struct raw_version *found = NULL;

	if (word >> 24 != 0x20 || !digits(word, 16, 0x14, 0x99) || !digits(word, 8, 0x01, 0x12) || !digits(word, 0, 0x01, 0x31)) {
		tt_fail(err, TT_E_DAMAGED, 8, "the header's version, 0x%08x, is none: the header is damaged", word);
		return NULL;
	}
	/* A word between two belongs to a release before the later one. 0x20180306 came after the word that follows it here. */
	for (size_t i = 0; i < VERSIONS; i++)
		if (versions[i].word == word || (versions[i].word < word && versions[i].rank != 5))
			found = &versions[i];
	if (force)
		return found ? found : versions;
	if (found && word <= versions[VERSIONS - 1].word)
		return found;
	tt_fail(err, TT_E_UNKNOWN, 8, "version 0x%08x of Unity's .raw, %s, is not known", word,
	    found ? "later than Unity 6000.5" : "before Unity 2017.3");
	return NULL;
}

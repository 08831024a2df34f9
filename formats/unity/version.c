/**
 * The version words of Unity's captures, the releases that write them, and how five numbers encode a release.
 */
#include <stdio.h>

#include "base/env.h"
#include "base/setting.h"
#include "unity/profiler.h"

/* Sorted by rank. A release may write different words into its two forms. */
static const struct unity_version versions[] = {
	{ 0x20140736, 0, false, false, NULL, "5.4", "5.4" },
	{ 0x20160622, 0, false, true, NULL, "5.5", "5.5" },
	{ 0x20161226, 0, false, false, NULL, "5.6", "5.6" },
	{ 0x20170130, 0, false, false, NULL, "2017.1", "2017.1" },
	{ 0x20170929, 0, false, false, NULL, "2017.2", "2017.2" },
	{ 0x20170327, 1, false, false, "2017.3 or 2017.4", "2017.3 or 2017.4", "2017.3" },
	{ 0x20171110, 2, false, false, "2018.1", "2018.1", "2018.1" },
	{ 0x20180123, 3, false, false, "2018.2", "2018.2", "2018.2" },
	{ 0x20181101, 4, false, false, "2018.3 to 2019.2", "2018.3 to 2019.2", "2018.3" },
	{ 0x20180306, 5, false, false, "2019.1 or 2019.2", "2019.1 or 2019.2", "2019.1" },
	{ 0x20191122, 6, true, false, "2019.3 to 2021.1", "2019.3 or 2019.4", "2019.3" },
	{ 0x20200312, 7, false, false, "2020.1", "2020.1", "2020.1" },
	{ 0x20200924, 8, false, false, "2020.2 to 2021.1", "2020.2 to 2021.1", "2020.2" },
	{ 0x20210412, 9, false, false, "2021.2 or 2021.3", "2021.2 or 2021.3", "2021.2" },
	{ 0x20210919, 10, false, false, "2022.1", "2022.1", "2022.1" },
	{ 0x20220328, 11, false, false, "2022.2 to 6000.4", "2022.2 to 6000.4", "2022.2" },
	{ 0x20260108, 12, false, false, UNITY_LATEST, UNITY_LATEST, UNITY_LATEST },
};
enum { VERSIONS = sizeof versions / sizeof *versions };

/* True if two digits of the date are from ${from} to ${to}. */
static bool
digits(uint32_t word, unsigned shift, uint32_t from, uint32_t to)
{
	uint32_t v = word >> shift & 0xff;

	return (v & 15) < 10 && v >= from && v <= to;
}

bool
unity_is_word(uint32_t word)
{
	return unity_version(word) ||
	    (word >> 24 == 0x20 && digits(word, 16, 0x14, 0x99) && digits(word, 8, 0x01, 0x12) && digits(word, 0, 0x01, 0x31));
}

const struct unity_version *
unity_version(uint32_t word)
{
	for (size_t i = 0; i < VERSIONS; i++)
		if (versions[i].word == word)
			return &versions[i];
	return NULL;
}

const struct unity_version *
unity_version_near(uint32_t word)
{
	const struct unity_version *found = unity_version(word);

	/* 0x20180306 has an earlier date than the version before it. */
	for (size_t i = 0; i < VERSIONS && (!found || found->word != word); i++)
		if (versions[i].rank > 0 && versions[i].rank != 5 && versions[i].word < word)
			found = &versions[i];
	return found;
}

int
unity_too_new(struct tt_err *err, uint64_t at, uint32_t word, const char *form, const char *release)
{
	return tt_fail(err, TT_E_UNKNOWN, at, "unknown %s version 0x%08x, %s: update tracetool, or use %s", form,
	    word, release, tt_setting_name[TT_SETTING_FORCE]);
}

bool
unity_release(const uint8_t *p, char *text, size_t size)
{
	uint32_t v[5];

	text[0] = '\0';
	for (unsigned i = 0; i < 5; i++)
		v[i] = unity_u32(p + 4 * i);
	if (v[0] < 5 || v[0] > 99999 || v[1] > 999 || v[2] > 9999 || v[3] > 4 || v[4] > 9999)
		return false;
	snprintf(text, size, "%u.%u.%u%c%u", v[0], v[1], v[2], "abfpx"[v[3]], v[4]);
	return true;
}

void
unity_tell_layout(struct tt_env *env, const char *file, bool forced, bool known, const char *of, const char *why)
{
	char how[80] = "experimental: ";

	if (forced)
		snprintf(how, sizeof how, "read because of %s%s", tt_setting_name[TT_SETTING_FORCE], known ? ": " : ", ");
	tt_log(env, TT_LOG_NORMAL, "%s: %s%sUnity %s: %s", file, how, known ? "" : forced ? "like " : "read like ", of, why);
}

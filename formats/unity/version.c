/**
 * The version words of Unity's captures, the releases that write them, and how five numbers encode a release.
 */
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/setting.h"
#include "unity/profiler.h"

/* Sorted by rank. A release may write different words into its two forms. */
static const struct unity_version versions[] = {
	{ 0x20140736, 0, NULL, "5.4", "5.4" },
	{ 0x20160622, 0, NULL, "5.5", "5.5" },
	{ 0x20161226, 0, NULL, "5.6", "5.6" },
	{ 0x20170130, 0, NULL, "2017.1", "2017.1" },
	{ 0x20170929, 0, NULL, "2017.2", "2017.2" },
	{ 0x20170327, 1, "2017.3 or 2017.4", "2017.3 or 2017.4", "2017.3" },
	{ 0x20171110, 2, "2018.1", "2018.1", "2018.1" },
	{ 0x20180123, 3, "2018.2", "2018.2", "2018.2" },
	{ 0x20181101, 4, "2018.3 to 2019.2", "2018.3 to 2019.2", "2018.3" },
	{ 0x20180306, 5, "2019.1 or 2019.2", "2019.1 or 2019.2", "2019.1" },
	{ 0x20191122, 6, "2019.3 to 2021.1", "2019.3 or 2019.4", "2019.3" },
	{ 0x20200312, 7, "2020.1", "2020.1", "2020.1" },
	{ 0x20200924, 8, "2020.2 to 2021.1", "2020.2 to 2021.1", "2020.2" },
	{ 0x20210412, 9, "2021.2 or 2021.3", "2021.2 or 2021.3", "2021.2" },
	{ 0x20210919, 10, "2022.1", "2022.1", "2022.1" },
	{ 0x20220328, 11, "2022.2 to 6000.4", "2022.2 to 6000.4", "2022.2" },
	{ 0x20260108, 12, UNITY_LATEST, UNITY_LATEST, UNITY_LATEST },
};
enum { VERSIONS = sizeof versions / sizeof *versions };
_Static_assert((int)VERSIONS == (int)UNITY_VERSIONS, "votes are counted for each version");

/* True if two digits of the date are in the range ${from} to ${to}. */
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

	/* 0x20180306 has an earlier date than the previous version. */
	for (size_t i = 0; i < VERSIONS && (!found || found->word != word); i++)
		if (versions[i].rank > 0 && versions[i].rank != 5 && versions[i].word < word)
			found = &versions[i];
	return found;
}

/* True if ${v} may be tried for the form. The layout of .data before 5.5 is unknown. */
static bool
is_candidate(const struct unity_version *v, bool raw)
{
	return raw ? v->raw != NULL : v->word != versions[0].word;
}

const struct unity_version *
unity_candidate(uint32_t word, bool raw, unsigned i)
{
	const struct unity_version *near = unity_version_near(word);

	if (!near || !is_candidate(near, raw))
		near = unity_version(raw ? 0x20170327 : 0x20160622);
	if (i == 0)
		return near;
	for (size_t k = VERSIONS; k > 0; k--)
		if (&versions[k - 1] != near && is_candidate(&versions[k - 1], raw) && --i == 0)
			return &versions[k - 1];
	return NULL;
}

bool
unity_trial_is_poor(const struct unity_trial *t)
{
	return t->parts > 0 && (t->misfits * 2 > t->parts || t->definitions.lost * 2 > t->definitions.bytes || t->samples.lost * 2 > t->samples.bytes ||
	    !t->names_fit);
}

bool
unity_trial_better(const struct unity_trial *t, const struct unity_trial *best, bool nearest)
{
	if (t->parts == 0 || !t->names_fit)
		return false;
	if (best->parts == 0)
		return true;
	/* A single misfit of the nearest version counts as damage, whatever names it spoils, unless another layout has no misfit. */
	if (nearest && best->misfits <= 1 && best->parts > 2 && !unity_trial_fits(t))
		return false;
	if (!best->names_fit || unity_trial_fits(t))
		return !unity_trial_fits(best);
	return unity_trial_lost(t) * (nearest ? 2 : 1) < unity_trial_lost(best);
}

int
unity_settle_layout(struct tt_env *env, const char *file, uint32_t word, uint64_t at, const char *form, const char *release,
    const struct unity_version *v, const char *how, const struct unity_trial *t, bool *forced, struct tt_err *err)
{
	const bool raw = form[1] == 'r';
	const struct unity_version *exact = unity_version(word), *own = exact && is_candidate(exact, raw) ? exact : NULL;
	const bool poor = unity_trial_is_poor(t), later = word > versions[VERSIONS - 1].word && unity_is_word(word);
	const char *like = raw ? v->raw : v->data, *fits = unity_trial_fits(t) ? ", which fits" : t->parts ? ", which fits best" : "";
	char first[64];

	snprintf(first, sizeof first, ", which fits its first %llu MB, as others do", (unsigned long long)(t->alike >> 20));
	fits = t->alike ? first : fits;
	*forced = poor && env->force && !own;
	if (poor && !env->force && !own)
		return tt_fail(err, TT_E_UNKNOWN, at, "%s version 0x%08x%s%s: no known layout fits; please report it, with a copy that %s makes, which "
		    "keeps little but sizes, or read it like Unity %s with %s", form, word, release[0] ? ", " : "", release,
		    tt_setting_name[TT_SETTING_SCRUB], like, tt_setting_name[TT_SETTING_FORCE]);
	if (*forced)
		tt_log(env, TT_LOG_NORMAL, "%s: no known layout fits version 0x%08x; read all the same, like Unity %s%s", file, word, like, how);
	else if (!own)
		tt_log(env, TT_LOG_NORMAL, "%s: version 0x%08x is %s; read like Unity %s%s%s", file, word,
		    later ? "newer than this tracetool" : "unknown", like, how, fits);
	else if (own == v && how[0])
		tt_log(env, TT_LOG_NORMAL, "%s: its blocks are otherwise than its header says; read like Unity %s%s%s", file, like, how, fits);
	else if (own != v)
		tt_log(env, TT_LOG_NORMAL, "%s: the layout of version 0x%08x does not fit; read like Unity %s%s%s", file, word, like, how, fits);
	return TT_OK;
}

/* Markers of the engine, each with its category and the names that the category has in other versions. */
static const struct { const char *name, *category, *others[2]; } placed[] = {
	{ "File.Close", "FileIO", { NULL } }, { "File.Open", "FileIO", { NULL } }, { "File.Read", "FileIO", { NULL } }, { "File.Seek", "FileIO", { NULL } },
	{ "File.Write", "FileIO", { NULL } }, { UNITY_NAME_ALLOC, "Memory", { "NativeMem", "GC" } }, { "GC.Collect", "GC", { NULL } },
	{ "LoadAssembly", "Loading", { NULL } }, { "PlayerLoop", "PlayerLoop", { NULL } }, { "Profiler.Default", "Internal", { NULL } },
	{ "Profiler.DefaultMarker", "Internal", { NULL } },
};

static bool
is_named(const char *category, const char *name)
{
	return name && strcmp(category, name) == 0;
}

void
unity_vote_of(struct unity_votes *v, const char *name, size_t n, unsigned id)
{
	size_t k = 0;

	while (k < sizeof placed / sizeof *placed && !(placed[k].name[3] == name[3] && strlen(placed[k].name) == n && memcmp(placed[k].name, name, n) == 0))
		k++;
	if (k == sizeof placed / sizeof *placed)
		return;
	v->total++;
	for (size_t i = 0; i < VERSIONS; i++) {
		const char *category = unity_category(id, versions[i].categories);
		v->n[i] += category && (is_named(category, placed[k].category) || is_named(category, placed[k].others[0]) ||
		    is_named(category, placed[k].others[1]));
	}
}

const char *
unity_categories_by(const struct unity_votes *v, const char *categories)
{
	size_t own = 0, best;

	while (own < VERSIONS - 1 && strcmp(versions[own].categories, categories) != 0)
		own++;
	best = own;
	/* Take the nearest of versions with equal votes: neighbouring versions have nearly the same categories. */
	for (size_t apart = 1; apart < VERSIONS; apart++) {
		if (own >= apart && v->n[own - apart] > v->n[best])
			best = own - apart;
		if (own + apart < VERSIONS && v->n[own + apart] > v->n[best])
			best = own + apart;
	}
	return best == own ? categories : versions[best].categories;
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

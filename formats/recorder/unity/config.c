/**
 * Parses the Unity plug-in's options, and decides which markers they select. Independent of the origin of the text.
 */
#include "recorder/unity/config.h"

#include <string.h>

#define COUNT(a) (sizeof (a) / sizeof *(a))
#define AT(field) .at = offsetof(struct config, field)

static const struct opttable_word flag_words[] = {
	{ "script", UNITY_M_SCRIPT }, { "editor", UNITY_M_EDITOR }, { "release", UNITY_M_RELEASE },
	{ "warning", UNITY_M_WARNING }, { "invoke", UNITY_M_INVOKE }, { "deep", UNITY_M_DEEP },
	{ "counter", UNITY_M_COUNTER }, { "gpu", UNITY_M_GPU }, { NULL, 0 },
};
static const struct opttable_word verbosity_words[] = {
	{ "user", UNITY_V_USER }, { "debug", UNITY_V_DEBUG }, { "internal", UNITY_V_INTERNAL },
	{ "external", UNITY_V_EXTERNAL }, { "advanced", UNITY_V_ADVANCED }, { NULL, 0 },
};
#define FLAGS "from script, editor, release, warning, invoke, deep, counter, gpu"

static const struct opttable_option option[] = {
	{ "capture", OPTTABLE_PATH, AT(capture), "a file name" },
	{ "control", OPTTABLE_PATH, AT(control), "a file name" },
	{ "ring", OPTTABLE_SIZE, AT(ring_b), "a size from 1536K to 1024G, such as 32M", .min = 1536 << 10, .max = (uint64_t)1 << 40 },
	{ "max-size", OPTTABLE_SIZE, AT(max_b), "a size from 64K, such as 2G", .min = 64 << 10 },
	{ "rotate-size", OPTTABLE_SIZE, AT(rotate_b), "a size from 64K, such as 256M", .min = 64 << 10 },
	{ "rotate-time", OPTTABLE_TIME, AT(rotate_ns), "a time such as 10min", .min = 1 },
	{ "rotate-keep", OPTTABLE_NUMBER, AT(rotate_keep), "a number of files", .max = UINT32_MAX },
	{ "keep", OPTTABLE_TIME, AT(keep_ns), "a time such as 10s", .min = 1 },
	{ "over", OPTTABLE_TIME, AT(over_ns), "a time such as 33.4ms", .min = 1 },
	{ "frames", OPTTABLE_RANGE, AT(frames), "a range such as 100-199", .filter = true },
	{ "flags", OPTTABLE_WORDS, AT(flags), FLAGS, .filter = true, .words = flag_words },
	{ "no-flags", OPTTABLE_WORDS, AT(no_flags), FLAGS, .filter = true, .words = flag_words },
	{ "verbosity", OPTTABLE_WORD, AT(verbosity), "one of user, debug, internal, external, advanced", .filter = true, .words = verbosity_words },
	{ "categories", OPTTABLE_LIST, .at = LIST_CATEGORIES, "names or patterns", .filter = true },
	{ "no-categories", OPTTABLE_LIST, .at = LIST_NO_CATEGORIES, "names or patterns", .filter = true },
	{ "names", OPTTABLE_LIST, .at = LIST_NAMES, "names or patterns", .filter = true },
	{ "no-names", OPTTABLE_LIST, .at = LIST_NO_NAMES, "names or patterns", .filter = true },
	{ "meta", OPTTABLE_ENTRY, .at = LIST_META, "KEY=VALUE", .with = '=', .key = true },
	{ "self", OPTTABLE_BOOL, AT(self), .preset = "yes" },
	{ "sync", OPTTABLE_BOOL, AT(sync), .preset = "yes" },
	{ "overwrite", OPTTABLE_BOOL, AT(overwrite) },
};
static const struct opttable table = { option, COUNT(option), ";\n", .doubled = false };
_Static_assert(offsetof(struct config, values) == 0, "the parser's values come first");

void
config_init(struct config *c)
{
	*c = (struct config){ .verbosity = UINT8_MAX };
	opttable_init(&table, &c->values);
}

int
config_set(struct config *c, const char *text, size_t n, char why[OPTTABLE_WHY])
{
	return opttable_read(&table, &c->values, text, n, why);
}

const char *
config_bad_filter(const struct config *c)
{
	return opttable_bad_filter(&table, &c->values);
}

static bool
is_listed(const struct config *c, enum config_list list, const char *s)
{
	for (const char *p = NULL; (p = opttable_next(&c->values, list, p)) != NULL;)
		if (optval_glob(p, s))
			return true;
	return false;
}

bool
config_takes(const struct config *c, const struct unity_marker *m, const char *category)
{
	const char *name = m->name ? m->name : "";

	if (m->flags & c->no_flags || (c->flags && !(m->flags & c->flags)) || UNITY_VERBOSITY(m->flags) > c->verbosity)
		return false;
	if (c->values.n[LIST_CATEGORIES] && !is_listed(c, LIST_CATEGORIES, category))
		return false;
	if (c->values.n[LIST_NAMES] && !is_listed(c, LIST_NAMES, name))
		return false;
	return !is_listed(c, LIST_NO_CATEGORIES, category) && !is_listed(c, LIST_NO_NAMES, name);
}

/*
 * Tests of emit/registry.c: the whole suffix of a path selects the emitter, and numbered files keep it whole.
 */
#include "check.h"

#include "emit/emit.h"

static const char *const plain_suffixes[] = { ".json", ".js", NULL }, *const whole_suffixes[] = { ".fire.json", ".fj", NULL },
	*const no_suffixes[] = { NULL };
static const struct tt_emit plain = { .name = "plain", .suffix = plain_suffixes }, whole = { .name = "whole", .suffix = whole_suffixes },
	none = { .name = "none", .suffix = no_suffixes };

static const char *
selected(const char *path)
{
	const struct tt_emit *const lists[][4] = { { &none, &plain, &whole, NULL }, { &whole, &none, &plain, NULL } };
	const struct tt_emit *e = tt_emit_among(lists[0], path);

	/* The order of the list does not matter. */
	CHECK(tt_emit_among(lists[1], path) == e);
	return e ? e->name : "";
}

TEST(the_longest_suffix_selects)
{
	CHECK_STR(selected("a.json"), "plain");
	CHECK_STR(selected("a.fire.json"), "whole");
	CHECK_STR(selected("a.fire.json.gz"), "whole");
	CHECK_STR(selected("d.ir/a.b.fire.json.zst"), "whole");
	CHECK_STR(selected("a.fj"), "whole");
	CHECK_STR(selected("a.js.xz"), "plain");
	CHECK_STR(selected("a.wildfire.json"), "plain");
	CHECK_STR(selected("a.fire.js"), "plain");
	CHECK_STR(selected("afire.json"), "plain");
}

TEST(a_name_that_is_a_suffix_alone_selects_nothing)
{
	CHECK_STR(selected(".json"), "");
	CHECK_STR(selected("d.ir/.json.gz"), "");
	CHECK_STR(selected("d.ir/.fire.json"), "");
	CHECK_STR(selected(".fire.json"), "");
	CHECK_STR(selected("json"), "");
	CHECK_STR(selected("a.gz"), "");
	CHECK_STR(selected(""), "");
	CHECK_STR(selected("a.json/b"), "");
}

static void
check_suffix(const struct tt_emit *e, const char *path, const char *want)
{
	char have[20] = "";
	size_t n;
	const char *p = tt_emit_suffix(e, path, &n);

	CHECK(!p == !n);
	if (p && CHECK(n < sizeof have))
		memcpy(have, p, n);
	CHECK_STR(have, want);
}

TEST(numbers_go_before_the_whole_suffix)
{
	check_suffix(&whole, "a.fire.json", ".fire.json");
	check_suffix(&whole, "d.ir/a.fire.json.gz", ".fire.json");
	check_suffix(&plain, "a.fire.json", ".json");
	/* The format was named: the last suffix of the path counts. */
	check_suffix(&whole, "a.json.gz", ".json");
	check_suffix(&none, "a.fire.json", ".json");
	check_suffix(&whole, ".fire.json", ".json");
	check_suffix(&none, "a", "");
}

TEST(no_two_emitters_have_the_same_suffix_and_each_selects_its_own)
{
	for (size_t i = 0; tt_emits[i]; i++)
		for (size_t k = 0; tt_emits[i]->suffix[k]; k++) {
			char path[64];

			snprintf(path, sizeof path, "game%s.gz", tt_emits[i]->suffix[k]);
			CHECK(tt_emit_for_path(path) == tt_emits[i]);
		}
}

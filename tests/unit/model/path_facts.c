/**
 * Facts that paths tell, as tracetool-options(7), --meta-from-path, has them.
 */
#include "model/path_facts.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

/* "date=2026 device=pixel", in the order of the pattern's parts from the end. */
static const char *
facts(const char *pattern, const char *path)
{
	static char text[400];
	struct tt_path_fact f[TT_PATH_FACTS_MAX];
	size_t n = tt_path_facts(pattern, path, f), at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s=%.*s", i ? " " : "", (int)f[i].nkey, f[i].key, (int)f[i].nvalue, f[i].value);
	return text;
}

TEST(parts_of_a_path_are_facts)
{
	CHECK_STR(facts("{date}/{device}/*", "nights/2026-11-20/pixel-6/run1.ttc"), "device=pixel-6 date=2026-11-20");
	CHECK_STR(facts("{date}/{device}/*", "/2026-11-20/pixel-6/run1.ttc"), "device=pixel-6 date=2026-11-20");
	CHECK_STR(facts("{build}/*", "50%!x/run1.ttc"), "build=50%!x");
	CHECK_STR(facts("{build}-{device}_*.ttc", "a/812-pixel-6_run.ttc"), "build=812 device=pixel-6");
	CHECK_STR(facts("night-*/{device}.raw", "night-7/s22.raw"), "device=s22");
}

TEST(paths_that_do_not_fit_tell_nothing)
{
	CHECK_STR(facts("{date}/{device}/*", "pixel-6/run1.ttc"), "");
	CHECK_STR(facts("{date}/{device}/*", "run1.ttc"), "");
	CHECK_STR(facts("{build}-{device}.ttc", "812.ttc"), "");
	CHECK_STR(facts("{a}/x.ttc", "b/y.ttc"), "");
	CHECK_STR(facts("{a}.ttc", ".ttc"), "");
	CHECK_STR(facts("night-*/{device}.raw", "day-7/s22.raw"), "");
}

TEST(a_pattern_names_words)
{
	static const char *const bad[] = { "", "*", "a/b", "{}", "{a", "{a b}", "{a}/{", "{a=b}", "{{a}}" };
	struct tt_err err;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK_EQ_INT(tt_path_facts_check(bad[i], &err), TT_E_USAGE);
	CHECK_EQ_INT(tt_path_facts_check("{date}/{device}/*", &err), TT_OK);
	CHECK_EQ_INT(tt_path_facts_check("{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}{l}{m}{n}{o}{p}", &err), TT_OK);
	CHECK_EQ_INT(tt_path_facts_check("{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}{l}{m}{n}{o}{p}{q}", &err), TT_E_USAGE);
}

/*
 * Options of the Mono module, from the text of --profile=tracetool:OPTIONS. That table is taken in whole; unity_config.c has
 * what both recorders' tables share.
 */
#include "recorder/mono/options.c"

#include "check.h"

static struct options o;
static char why[OPTIONS_WHY];

TEST(a_doubled_comma_is_one_comma_of_a_value)
{
	CHECK_EQ_INT(options_read(&o, "include=Game:Add(int,,int),,meta=x:1,calls,,,alloc", why), -1);
	CHECK_STR(why, "no option is called \"calls,\"; there are calls, include, exclude, depth, args, frame, alloc, alloc-stack, "
	    "alloc-sample, gc, moves, roots, handles, finalizers, exceptions, monitor, stack, jit, counters, paused, delay, signal, control, "
	    "sample, cpu, real, coverage, coverage-exclude, heapshot, out, overwrite, max-size, rotate-size, rotate-time, rotate-keep, keep, "
	    "ring, threads, meta");
	CHECK_EQ_INT(options_read(&o, ",calls,", why), 0);
	CHECK_EQ_INT(options_read(&o, "include=Game:Add(int,,int),meta=x: 1 ,calls", why), 0);
	CHECK_STR(opttable_next(&o.values, LIST_INCLUDE, NULL), "Game:Add(int,int)");
	CHECK_STR(opttable_next(&o.values, LIST_META, NULL), "x: 1 ");
	CHECK(o.calls && !o.alloc);
}

TEST(without_options_there_are_presets)
{
	CHECK_EQ_INT(options_read(&o, "", why), 0);
	CHECK_STR(o.out, "tracetool-%p.ttc");
	CHECK_EQ_INT(o.stack, 16);
	CHECK(!o.calls && !o.overwrite && o.sample_hz == 0 && o.values.used == 0);
}

TEST(a_name_alone_has_a_meaning_where_the_manual_gives_one)
{
	CHECK_EQ_INT(options_read(&o, "sample,alloc-sample,coverage,heapshot,calls,gc=yes,jit=no", why), 0);
	CHECK_EQ_INT(o.sample_hz, 200);
	CHECK_EQ_INT(o.alloc_sample_b, 512 << 10);
	CHECK(o.coverage && o.heap && !o.heap_end && o.heap_ns == 0 && o.heap_gcs == 0 && o.calls && o.gc && !o.jit);
	CHECK_EQ_INT(options_read(&o, "ring,depth,out,include,signal", why), -1);
	CHECK_STR(why, "option \"ring\": want a size from 1536K to 1024G, such as 32M; option \"depth\": want a number of calls from 1 to 2048; "
	    "option \"out\": want a file name; option \"include\": want a pattern such as [Game]World.*:Update; option \"signal\": want USR1 or USR2");
}

TEST(what_records_nothing_or_changes_nothing_is_told)
{
	static const struct { const char *text, *says; } row[] = {
		{ "", "no option records" }, { "signal=USR1,paused", "no option records" }, { "stack=8", "no option records" },
		{ "include=A:*", "include changes nothing without calls" }, { "exclude=A:*,gc", "exclude changes nothing without calls" },
		{ "depth=3,frame=A:B", "depth changes nothing without calls" }, { "alloc-stack=8,calls", "alloc-stack changes nothing without alloc" },
		{ "cpu,calls", "cpu changes nothing without sample" }, { "real", "real changes nothing without sample" },
		{ "coverage-exclude=A,calls", "coverage-exclude changes nothing without coverage" },
		{ "rotate-keep=2,calls", "rotate-keep changes nothing without rotate-size" }, { "rotate-keep=2,rotate-time=1s,calls", NULL },
		{ "calls,include=A:*,exclude=B,depth=3", NULL }, { "args=A:B,include=A:*", NULL }, { "alloc-sample,alloc-stack=8", NULL },
		{ "sample,cpu,real", NULL }, { "coverage,coverage-exclude=A", NULL }, { "heapshot=end", NULL }, { "counters=1s", NULL }, { "frame=A:B", NULL },
		{ "gc", NULL }, { "moves", NULL }, { "roots", NULL }, { "handles", NULL }, { "finalizers", NULL }, { "exceptions", NULL }, { "monitor", NULL },
		{ "jit", NULL },
	};

	for (size_t i = 0; i < COUNT(row); i++) {
		CHECK_EQ_INT(options_read(&o, row[i].text, why), 0);
		why[0] = '\0';
		if (!CHECK_EQ_INT(options_idle(&o, why), row[i].says != NULL) || (row[i].says && !CHECK(strncmp(why, row[i].says, strlen(row[i].says)) == 0)))
			printf("  %s: %s\n", row[i].text, why);
	}
}

TEST(values_at_the_ends_of_their_ranges)
{
	static const struct { const char *text; int rc; } row[] = {
		{ "depth=0", -1 }, { "depth=1", 0 }, { "depth=2048", 0 }, { "depth=2049", -1 },
		{ "stack=256", 0 }, { "stack=257", -1 }, { "stack=0", 0 }, { "sample=0", -1 },
		{ "sample=1", 0 }, { "sample=10000", 0 }, { "sample=10001", -1 }, { "alloc-sample=0", -1 }, { "alloc-sample=1", 0 },
		{ "alloc-sample=64M", 0 }, { "alloc-sample=67108865", -1 }, { "threads=0", -1 }, { "threads=1", 0 },
		{ "threads=65536", 0 }, { "threads=65537", -1 },
		{ "ring=1535K", -1 }, { "ring=1536K", 0 }, { "ring=1024G", 0 }, { "ring=1025G", -1 }, { "max-size=255K", -1 }, { "max-size=256K", 0 },
		{ "rotate-size=63K", -1 }, { "rotate-size=64K", 0 }, { "rotate-time=0s", -1 }, { "keep=0s", -1 }, { "keep=1ns", 0 },
		{ "heapshot=5s", 0 }, { "heapshot=10gc", 0 }, { "heapshot=end", 0 }, { "heapshot=0s", -1 }, { "heapshot=0gc", -1 }, { "heapshot=gc", -1 },
		{ "heapshot=10gcs", -1 }, { "heapshot=", -1 }, { "heapshot=ending", -1 }, { "signal=USR1", 0 }, { "signal=HUP", -1 },
		{ "args=World:Spawn", 0 }, { "args=Spawn", -1 }, { "frame=:Tick", 0 },
		{ "meta=a:b", 0 }, { "meta=:b", -1 }, { "meta=ab", -1 }, { "include=", -1 },
		{ "calls=1", -1 }, { "calls=", -1 },
	};

	for (size_t i = 0; i < COUNT(row); i++)
		if (!CHECK_EQ_INT(options_read(&o, row[i].text, why), row[i].rc))
			printf("  %s\n", row[i].text);
}

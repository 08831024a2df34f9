/**
 * Interprets Mono's options and counters and our module's facts. Nothing here reads a file.
 */
#include "producers/mono.h"

#include <stdlib.h>
#include <string.h>

#include "producers/mono_records.h"

/* A word of options. ${on}: kinds that it records; ${advised}: kinds for which it is advised; 0 if a plainer word exists. */
struct word { const char *name; uint32_t on, advised; };

enum {
	GC = TT_REC_COLLECTIONS,
	/* Always recorded before version 14, and with "legacy" since. */
	OLD = GC | TT_REC_THROWS | TT_REC_WAITS,
	LEGACY = OLD | TT_REC_HANDLES | TT_REC_FINALIZERS,
};

static const struct word log_word[] = {
	{ "alloc", TT_REC_ALLOCS | GC, TT_REC_ALLOCS }, { "gcalloc", TT_REC_ALLOCS, 0 }, { "gc", GC, GC }, { "heapshot", GC, 0 },
	{ "heapshot-on-shutdown", GC, 0 }, { "exception", TT_REC_THROWS, TT_REC_THROWS }, { "monitor", TT_REC_WAITS, TT_REC_WAITS },
	{ "sample", TT_REC_SAMPLES, TT_REC_SAMPLES }, { "sample-real", TT_REC_SAMPLES, 0 },
	{ "gchandle", TT_REC_HANDLES, TT_REC_HANDLES }, { "finalization", TT_REC_FINALIZERS, TT_REC_FINALIZERS },
	{ "jit", TT_REC_CODE, TT_REC_CODE }, { "legacy", LEGACY, 0 }, { NULL, 0, 0 },
};

static const struct word module_word[] = {
	{ "alloc", TT_REC_ALLOCS, TT_REC_ALLOCS }, { "alloc-sample", TT_REC_ALLOCS, 0 }, { "gc", GC, GC }, { "moves", GC, 0 },
	{ "roots", GC, 0 }, { "exceptions", TT_REC_THROWS, TT_REC_THROWS }, { "monitor", TT_REC_WAITS, TT_REC_WAITS },
	{ "sample", TT_REC_SAMPLES, TT_REC_SAMPLES }, { "handles", TT_REC_HANDLES, TT_REC_HANDLES },
	{ "finalizers", TT_REC_FINALIZERS, TT_REC_FINALIZERS }, { "jit", TT_REC_CODE, TT_REC_CODE }, { NULL, 0, 0 },
};

static const char *
advised(const struct word *w, enum tt_records what)
{
	while (w->name && w->advised != (uint32_t)what)
		w++;
	return w->name;
}

/* The word alone would take a heap shot only on request or at each collection, so an interval must follow it. */
const char *
mlpd_advice(enum tt_records what)
{
	return what == TT_REC_SHOTS ? "heapshot=" : advised(log_word, what);
}

const char *
mlpd_advice_old(enum tt_records what)
{
	if (what == TT_REC_SHOTS)
		return mlpd_advice(what);
	return what == TT_REC_ALLOCS || what == TT_REC_SAMPLES ? advised(log_word, what) : NULL;
}

const char *
mono_module_advice(enum tt_records what)
{
	return what == TT_REC_SHOTS ? "gc,heapshot=" : advised(module_word, what);
}

static uint32_t
find(const struct word *w, const char *s, size_t n)
{
	while (w->name && (strlen(w->name) != n || memcmp(w->name, s, n) != 0))
		w++;
	return w->on;
}

/* Return the kinds that ${s} turns on, and store in *${off} those that "no..." turns off. Commas separate options; a doubled comma is a comma in a value. */
static uint32_t
words(const struct word *w, const char *s, const char *end, uint32_t *off)
{
	uint32_t on = 0;

	while (*s && !strchr(end, *s)) {
		size_t name = strcspn(s, "=,"), all = strcspn(s, end), n;

		name = n = name < all ? name : all;
		on |= find(w, s, name);
		if (name > 2 && s[0] == 'n' && s[1] == 'o')
			*off |= find(w, s + 2, name - 2);
		while (s[n] && !strchr(end, s[n]) && (s[n] != ',' || (s[n] == s[n + 1] && ++n)))
			n++;
		s += n + (s[n] == ',');
	}
	return on;
}

static bool
has(const char *s, const char *option)
{
	const struct word w[] = { { option, 1, 0 }, { NULL, 0, 0 } };
	uint32_t off = 0;

	return words(w, s, "", &off) != 0;
}

uint32_t
mlpd_option_records(const char *options, unsigned version)
{
	const char *colon = strchr(options, ':');
	const char *s = colon ? colon + 1 : "";
	uint32_t off = 0, on = words(log_word, s, "", &off);

	if (version < 13)
		return OLD;
	if (version == 13)
		return (on | LEGACY | TT_REC_ALLOCS) & ~(has(s, "noalloc") ? (uint32_t)TT_REC_ALLOCS : 0);
	if (!has(s, "nodefaults"))
		on |= TT_REC_THROWS;
	return on & ~off;
}

uint32_t
mlpd_option_nested(const char *options)
{
	static const char name[] = "calldepth=";
	uint64_t depth = 100;

	for (const char *at = strstr(options, name); at; at = strstr(at + 1, name)) {
		if (at > options && (at[-1] == ',' || at[-1] == ':'))
			depth = strtoull(at + sizeof name - 1, NULL, 10);
	}
	/* Depths from 0 to calldepth are recorded. */
	return depth < UINT32_MAX ? (uint32_t)depth + 1 : 0;
}

bool
mono_made(const char *producer)
{
	return strcmp(producer, MONO_PRODUCER) == 0;
}

uint32_t
mono_module_option_records(const char *command)
{
	static const char before[] = "profile=tracetool:";
	const char *at = strstr(command, before);

	return at ? words(module_word, at + sizeof before - 1, " \"'", &(uint32_t){ 0 }) : 0;
}

uint32_t
mono_module_records(const char *names)
{
	return words(module_word, names, "", &(uint32_t){ 0 });
}

/* --- counters -------------------------------------------------------------------------- */

enum { COUNTER_UINT = 1, COUNTER_INTERVAL = 7 };        /* types of counters: 32 bits; time in microseconds */

const char *
mono_section(uint64_t id)
{
	static const struct { uint32_t id; const char *name; } sections[] = {
		{ 0x100, "JIT" }, { 0x200, "GC" }, { 0x400, "metadata" }, { 0x800, "generics" }, { 0x1000, "security" },
		{ 0x2000, "runtime" }, { 0x4000, "system" }, { 0x10000, "profiler" }, { 0x20000, "interpreter" },
	};

	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		if (sections[i].id == id)
			return sections[i].name;
	return NULL;
}

void
mono_counter(struct tt_def *d, uint64_t section, uint64_t type, uint64_t unit, uint64_t variance)
{
	static const uint8_t units[] = { TT_CU_NONE, TT_CU_BYTES, TT_CU_100NS, TT_CU_COUNT, TT_CU_FRACTION };
	static const uint8_t kinds[] = { 0, TT_CK_MONOTONIC, TT_CK_CONSTANT, 0, TT_CK_VARIABLE };
	unsigned u = (unsigned)(unit >> 24 & 0xff), k = (unsigned)(variance >> 28 & 0xf);
	unsigned what = u < sizeof units ? units[u] : TT_CU_NONE;

	if (what == TT_CU_100NS && type == COUNTER_INTERVAL)
		what = TT_CU_US;
	d->a = (section == MONO_SECTION_CUSTOM ? TT_CF_OWN : 0u) | (type == COUNTER_UINT ? TT_CF_32 : 0u);
	d->b = TT_COUNTER_IS(what, k < sizeof kinds ? kinds[k] : TT_CK_UNKNOWN);
	const char *name = section == MONO_SECTION_CUSTOM ? "custom" : mono_section(section);
	if (d->len2 == 0 && name) {
		d->text2 = name;
		d->len2 = (uint32_t)strlen(name);
	}
}

/**
 * Parses the Mono module's options. Nothing here knows the runtime.
 */
#include "recorder/mono/options.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof (a) / sizeof *(a))
#define AT(field) .at = offsetof(struct options, field)

/* Set heapshot: "5s", "10gc", "end", or no value. */
static bool
set_heap(struct opttable_values *to, const char *s, size_t n)
{
	struct options *o = (struct options *)to;
	const char *end = s + n;
	uint64_t v;

	o->heap = true;
	if (!s)
		return true;
	if (n == 3 && memcmp(s, "end", 3) == 0)
		return o->heap_end = true;
	if (optval_time(s, n, &v) && v > 0) {
		o->heap_ns = v;
		return true;
	}
	if (!optval_number(&s, end, 1, &v) || end - s != 2 || memcmp(s, "gc", 2) != 0 || v == 0)
		return false;
	o->heap_gcs = v;
	return true;
}

/* Set coverage: a pattern, or no value. */
static bool
set_coverage(struct opttable_values *to, const char *s, size_t n)
{
	((struct options *)to)->coverage = true;
	return !s || opttable_add(to, LIST_COVERAGE, s, n);
}

static const struct opttable_word signals[] = {
#if defined(SIGUSR1)
	{ "USR1", SIGUSR1 }, { "USR2", SIGUSR2 },
#endif
	{ NULL, 0 },
};

static const struct opttable_option option[] = {
	{ "calls", OPTTABLE_BOOL, AT(calls) },
	{ "include", OPTTABLE_ENTRY, .at = LIST_INCLUDE, "a pattern such as [Game]World.*:Update" },
	{ "exclude", OPTTABLE_ENTRY, .at = LIST_EXCLUDE, "a pattern such as [mscorlib]*" },
	{ "depth", OPTTABLE_NUMBER, AT(depth), "a number of calls from 1 to 2048", .min = 1, .max = OPTIONS_DEPTH },
	{ "args", OPTTABLE_ENTRY, .at = LIST_ARGS, "a method such as World:Spawn", .with = ':' },
	{ "frame", OPTTABLE_ENTRY, .at = LIST_FRAME, "a method such as Game:Tick", .with = ':' },
	{ "alloc", OPTTABLE_BOOL, AT(alloc) },
	{ "alloc-stack", OPTTABLE_NUMBER, AT(alloc_stack), "a number of frames up to 256", .max = 256 },
	/* The limit keeps the number of allocations that a record represents within what readers accept. */
	{ "alloc-sample", OPTTABLE_SIZE, AT(alloc_sample_b), "a size up to 64M such as 512K, or no value", .min = 1, .max = 64 << 20, .bare = 512 << 10 },
	{ "gc", OPTTABLE_BOOL, AT(gc) },
	{ "moves", OPTTABLE_BOOL, AT(moves) },
	{ "roots", OPTTABLE_BOOL, AT(roots) },
	{ "handles", OPTTABLE_BOOL, AT(handles) },
	{ "finalizers", OPTTABLE_BOOL, AT(finalizers) },
	{ "exceptions", OPTTABLE_BOOL, AT(exceptions) },
	{ "monitor", OPTTABLE_BOOL, AT(monitor) },
	{ "stack", OPTTABLE_NUMBER, AT(stack), "a number of frames up to 256", .max = 256, .preset = "16" },
	{ "jit", OPTTABLE_BOOL, AT(jit) },
	{ "counters", OPTTABLE_TIME, AT(counters_ns), "a time such as 1s" },
	{ "paused", OPTTABLE_BOOL, AT(paused) },
	{ "delay", OPTTABLE_TIME, AT(delay_ns), "a time such as 30s" },
	{ "signal", OPTTABLE_WORD, AT(signal), "USR1 or USR2", .words = signals },
	{ "control", OPTTABLE_PATH, AT(control), "a file name" },
	{ "sample", OPTTABLE_NUMBER, AT(sample_hz), "a rate from 1 to 10000 (Hz), or no value", .min = 1, .max = 10000, .bare = 200 },
	{ "cpu", OPTTABLE_BOOL, AT(sample_cpu) },
	{ "real", OPTTABLE_BOOL, AT(sample_real) },
	{ "coverage", OPTTABLE_OWN, .form = "a pattern such as [Game]*, or no value", .own = set_coverage },
	{ "coverage-exclude", OPTTABLE_ENTRY, .at = LIST_UNCOVERED, "a pattern such as [Game]Tests.*" },
	{ "heapshot", OPTTABLE_OWN, .form = "a time such as 5s, major collections such as 10gc, end, or no value", .own = set_heap },
	{ "out", OPTTABLE_PATH, AT(out), "a file name", .preset = "tracetool-%p.ttc" },
	{ "overwrite", OPTTABLE_BOOL, AT(overwrite) },
	{ "max-size", OPTTABLE_SIZE, AT(max_b), "a size from 256K, such as 2G", .min = 256 << 10 },
	{ "rotate-size", OPTTABLE_SIZE, AT(rotate_b), "a size from 64K, such as 256M", .min = 64 << 10 },
	{ "rotate-time", OPTTABLE_TIME, AT(rotate_ns), "a time such as 10min", .min = 1 },
	{ "rotate-keep", OPTTABLE_NUMBER, AT(rotate_keep), "a number of files", .max = UINT32_MAX },
	{ "keep", OPTTABLE_TIME, AT(keep_ns), "a time such as 10s", .min = 1 },
	{ "ring", OPTTABLE_SIZE, AT(ring_b), "a size from 1536K to 1024G, such as 32M", .min = 1536 << 10, .max = (uint64_t)1 << 40 },
	{ "threads", OPTTABLE_NUMBER, AT(threads), "a number of threads from 1 to 65536", .min = 1, .max = 1 << 16 },
	{ "meta", OPTTABLE_ENTRY, .at = LIST_META, "KEY:VALUE", .with = ':', .key = true },
};
static const struct opttable table = { option, COUNT(option), ",", .doubled = true };
_Static_assert(offsetof(struct options, values) == 0 && COUNT(option) <= 64, "the parser's values come first, with a bit for each option");

int
options_read(struct options *o, const char *s, char why[OPTIONS_WHY])
{
	memset(o, 0, sizeof *o);
	opttable_init(&table, &o->values);
	return opttable_read(&table, &o->values, s, strlen(s), why);
}

/* True if an option records events; events of frames count, too. */
bool
options_record(const struct options *o)
{
	const uint64_t any[] = { o->calls, o->values.n[LIST_ARGS], o->values.n[LIST_FRAME], o->alloc, o->alloc_sample_b, o->gc, o->moves, o->roots, o->handles,
		o->finalizers, o->exceptions, o->monitor, o->jit, o->counters_ns, o->sample_hz, o->coverage, o->heap };

	for (size_t i = 0; i < COUNT(any); i++)
		if (any[i])
			return true;
	return false;
}

bool
options_idle(const struct options *o, char why[OPTIONS_WHY])
{
	const unsigned *n = o->values.n;
	const bool calls = o->calls || n[LIST_ARGS], allocs = o->alloc || o->alloc_sample_b;
	const struct { bool given, works; const char *name, *needs; } part[] = {
		{ n[LIST_INCLUDE], calls, "include", "calls" }, { n[LIST_EXCLUDE], calls, "exclude", "calls" }, { o->depth, calls, "depth", "calls" },
		{ o->alloc_stack, allocs, "alloc-stack", "alloc" }, { o->sample_cpu, o->sample_hz, "cpu", "sample" },
		{ o->sample_real, o->sample_hz, "real", "sample" }, { n[LIST_UNCOVERED], o->coverage, "coverage-exclude", "coverage" },
		{ o->rotate_keep, o->rotate_b || o->rotate_ns, "rotate-keep", "rotate-size" },
	};

	for (size_t i = 0; i < COUNT(part); i++)
		if (part[i].given && !part[i].works) {
			snprintf(why, OPTIONS_WHY, "%s changes nothing without %s: add %s", part[i].name, part[i].needs, part[i].needs);
			return true;
		}
	if (options_record(o))
		return false;
	snprintf(why, OPTIONS_WHY, "no option records an event: add calls, alloc or another (see tracetool-mono(7))");
	return true;
}

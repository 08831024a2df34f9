/**
 * The options of the module, from one text with commas; the contract is in options.h. Nothing here knows the runtime.
 */
#include "recorder/mono/options.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof (a) / sizeof *(a))

enum kind { K_FLAG, K_COUNT, K_DEPTH, K_STACK, K_SIZE, K_TIME, K_PATH, K_SIGNAL, K_LIST, K_METHOD, K_ENTRY, K_SAMPLE, K_COVERAGE, K_HEAP, K_ALLOC };

static const struct option {
	const char *name;
	enum kind kind;
	size_t at;            /* of the field; K_LIST and after: enum options_list */
	const char *form;     /* what a value looks like */
} options[] = {
	{ "calls", K_FLAG, offsetof(struct options, calls), NULL },
	{ "include", K_LIST, LIST_INCLUDE, "a pattern such as [Game]World.*:Update" },
	{ "exclude", K_LIST, LIST_EXCLUDE, "a pattern such as [mscorlib]*" },
	{ "depth", K_DEPTH, offsetof(struct options, depth), "a number of calls up to 2048" },
	{ "args", K_METHOD, LIST_ARGS, "a method such as World:Spawn" },
	{ "frame", K_METHOD, LIST_FRAME, "a method such as Game:Tick" },
	{ "alloc", K_FLAG, offsetof(struct options, alloc), NULL },
	{ "alloc-stack", K_STACK, offsetof(struct options, alloc_stack), "a number of frames from 1 to 256" },
	{ "alloc-sample", K_ALLOC, offsetof(struct options, alloc_sample_b), "a size up to 64M such as 512K, or no value" },
	{ "gc", K_FLAG, offsetof(struct options, gc), NULL },
	{ "moves", K_FLAG, offsetof(struct options, moves), NULL },
	{ "roots", K_FLAG, offsetof(struct options, roots), NULL },
	{ "handles", K_FLAG, offsetof(struct options, handles), NULL },
	{ "finalizers", K_FLAG, offsetof(struct options, finalizers), NULL },
	{ "exceptions", K_FLAG, offsetof(struct options, exceptions), NULL },
	{ "monitor", K_FLAG, offsetof(struct options, monitor), NULL },
	{ "stack", K_STACK, offsetof(struct options, stack), "a number of frames from 0 to 256" },
	{ "jit", K_FLAG, offsetof(struct options, jit), NULL },
	{ "counters", K_TIME, offsetof(struct options, counters_ns), "a time such as 1s" },
	{ "paused", K_FLAG, offsetof(struct options, paused), NULL },
	{ "delay", K_TIME, offsetof(struct options, delay_ns), "a time such as 30s" },
	{ "signal", K_SIGNAL, offsetof(struct options, signal), "USR1 or USR2" },
	{ "control", K_PATH, offsetof(struct options, control), "a file name" },
	{ "sample", K_SAMPLE, offsetof(struct options, sample_hz), "a rate from 1 to 10000 (Hz), or no value" },
	{ "cpu", K_FLAG, offsetof(struct options, sample_cpu), NULL },
	{ "real", K_FLAG, offsetof(struct options, sample_real), NULL },
	{ "coverage", K_COVERAGE, LIST_COVERAGE, "a pattern such as [Game]*, or no value" },
	{ "coverage-exclude", K_LIST, LIST_UNCOVERED, "a pattern such as [Game]Tests.*" },
	{ "heapshot", K_HEAP, 0, "a time such as 5s, major collections such as 10gc, end, or no value" },
	{ "out", K_PATH, offsetof(struct options, out), "a file name" },
	{ "overwrite", K_FLAG, offsetof(struct options, overwrite), NULL },
	{ "max-size", K_SIZE, offsetof(struct options, max_b), "a size such as 2G" },
	{ "rotate-size", K_SIZE, offsetof(struct options, rotate_b), "a size such as 256M" },
	{ "rotate-time", K_TIME, offsetof(struct options, rotate_ns), "a time such as 10min" },
	{ "rotate-keep", K_COUNT, offsetof(struct options, rotate_keep), "a number of files" },
	{ "keep", K_TIME, offsetof(struct options, keep_ns), "a time such as 10s" },
	{ "ring", K_SIZE, offsetof(struct options, ring_b), "a size such as 32M" },
	{ "threads", K_COUNT, offsetof(struct options, threads), "a number of threads" },
	{ "meta", K_ENTRY, LIST_META, "KEY:VALUE" },
};

static bool
add_entry(struct options *o, enum options_list list, const char *s, size_t n)
{
	if (n == 0 || n + 2 > sizeof o->text - o->used)
		return false;
	o->text[o->used] = (char)list;
	memcpy(o->text + o->used + 1, s, n);
	o->text[o->used + 1 + n] = '\0';
	o->used += n + 2;
	o->n[list]++;
	return true;
}

/* "5s", "10gc", "end". */
static bool
set_heap(struct options *o, const char *v, size_t n)
{
	const char *end = v + n;
	uint64_t gcs;

	o->heap = true;
	if (strcmp(v, "end") == 0)
		return o->heap_end = true;
	if (optval_time(v, n, &o->heap_ns) && o->heap_ns > 0)
		return true;
	o->heap_ns = 0;
	if (!optval_number(&v, end, 1, &gcs) || strcmp(v, "gc") != 0 || gcs == 0)
		return false;
	o->heap_gcs = gcs;
	return true;
}

/* An option that needs no value. */
static void
set_plain(struct options *o, const struct option *p)
{
	if (p->kind == K_SAMPLE)
		o->sample_hz = 200;
	else if (p->kind == K_COVERAGE)
		o->coverage = true;
	else if (p->kind == K_ALLOC)
		o->alloc_sample_b = 512 << 10;
	else
		o->heap = true;
}

static bool
set_signal(uint64_t *to, const char *v, size_t n)
{
#if defined(SIGUSR1)
	if (n == 4 && (memcmp(v, "USR1", 4) == 0 || memcmp(v, "USR2", 4) == 0)) {
		*to = v[3] == '1' ? SIGUSR1 : SIGUSR2;
		return true;
	}
#else
	(void)to;
	(void)v;
	(void)n;
#endif
	return false;
}

static bool
set(struct options *o, const struct option *p, const char *v, size_t n)
{
	void *field = (char *)o + (p->kind >= K_LIST && p->kind <= K_ENTRY ? 0 : p->at);
	const char *end = v + n;

	switch (p->kind) {
	case K_FLAG:
		*(bool *)field = true;
		return true;
	case K_COUNT:
		return optval_number(&v, end, 1, field) && v == end && *(uint64_t *)field <= UINT32_MAX;
	case K_DEPTH:
		return optval_number(&v, end, 1, field) && v == end && *(uint64_t *)field <= OPTIONS_DEPTH;
	case K_STACK:
		return optval_number(&v, end, 1, field) && v == end && *(uint64_t *)field <= 256;
	case K_SIZE:
		return optval_size(v, n, field);
	case K_TIME:
		return optval_time(v, n, field);
	case K_SIGNAL:
		return set_signal(field, v, n);
	case K_PATH:
		if (n == 0 || n >= OPTVAL_PATH)
			return false;
		memcpy(field, v, n + 1);
		return true;
	case K_SAMPLE:
		return optval_number(&v, end, 1, &o->sample_hz) && v == end && o->sample_hz >= 1 && o->sample_hz <= 10000;
	case K_ALLOC:
		/* So that the number a record represents is one that readers accept. */
		return optval_size(v, n, field) && *(uint64_t *)field > 0 && *(uint64_t *)field <= 64 << 20;
	case K_HEAP:
		return set_heap(o, v, n);
	case K_COVERAGE:
		o->coverage = true;
		return add_entry(o, LIST_COVERAGE, v, n);
	case K_METHOD: case K_ENTRY:
		if (!memchr(v, ':', n))
			return false;
		return add_entry(o, (enum options_list)p->at, v, n);
	case K_LIST:
		return add_entry(o, (enum options_list)p->at, v, n);
	}
	return false;
}

/* Name all options, as far as there is room. */
static void
say_all(char why[OPTIONS_WHY], size_t at)
{
	for (size_t i = 0; i < COUNT(options) && at < OPTIONS_WHY; i++)
		at += (size_t)snprintf(why + at, OPTIONS_WHY - at, "%s%s%s", i ? ", " : "", options[i].name,
		    options[i].kind == K_FLAG ? "" : options[i].kind >= K_SAMPLE ? "[=]" : "=");
}

static int
read_one(struct options *o, const char *s, size_t n, char why[OPTIONS_WHY])
{
	const char *eq = memchr(s, '=', n);
	size_t name = eq ? (size_t)(eq - s) : n;

	for (size_t i = 0; i < COUNT(options); i++) {
		const struct option *p = &options[i];
		if (strlen(p->name) != name || memcmp(p->name, s, name) != 0)
			continue;
		if (!eq && p->kind >= K_SAMPLE) {
			set_plain(o, p);
			return 0;
		}
		if ((p->kind == K_FLAG) == (!eq || strcmp(eq, "=yes") == 0) && set(o, p, eq ? eq + 1 : s + n, eq ? n - name - 1 : 0))
			return 0;
		if (p->kind == K_FLAG)
			snprintf(why, OPTIONS_WHY, "option \"%s\" takes no value", p->name);
		else
			snprintf(why, OPTIONS_WHY, "option \"%.*s\": want %s=%s", (int)(n < 100 ? n : 100), s, p->name, p->form);
		return -1;
	}
	say_all(why, (size_t)snprintf(why, OPTIONS_WHY, "no option is called \"%.*s\"; there are ", (int)(name < 100 ? name : 100),
	    s));
	return -1;
}

int
options_read(struct options *o, const char *s, char why[OPTIONS_WHY])
{
	char one[2 * OPTVAL_PATH];
	size_t n = 0;

	memset(o, 0, sizeof *o);
	strcpy(o->out, "tracetool-%p.ttc");
	o->stack = 16;
	for (;; s++) {
		if (*s == ',' && s[1] == ',') {
			s++;
		} else if (*s == ',' || *s == '\0') {
			one[n] = '\0';
			if (n > 0 && read_one(o, one, n, why) != 0)
				return -1;
			n = 0;
			if (*s == '\0')
				return 0;
			continue;
		}
		if (n == sizeof one - 1) {
			snprintf(why, OPTIONS_WHY, "option \"%.60s...\" is too long", one);
			return -1;
		}
		one[n++] = *s;
	}
}

const char *
options_next(const struct options *o, enum options_list list, const char *last)
{
	const char *p = last ? last + strlen(last) + 1 : o->text;

	for (; p < o->text + o->used; p += strlen(p) + 1)
		if (*p++ == (char)list)
			return p;
	return NULL;
}

#include "mono/told.h"

#include <string.h>

#include "model/capture.h"

struct word { const char *name; uint32_t on; };

enum {
	GC = TT_REC_COLLECTIONS,
	/* What versions before 14 always record, and later ones for "legacy". */
	OLD = GC | TT_REC_THROWS | TT_REC_WAITS,
	LEGACY = OLD | TT_REC_HANDLES | TT_REC_FINALIZERS,
};

static const struct word log_word[] = {
	{ "alloc", TT_REC_ALLOCS | GC }, { "gcalloc", TT_REC_ALLOCS }, { "gc", GC }, { "heapshot", GC }, { "heapshot-on-shutdown", GC },
	{ "exception", TT_REC_THROWS }, { "monitor", TT_REC_WAITS }, { "sample", TT_REC_SAMPLES }, { "sample-real", TT_REC_SAMPLES },
	{ "gchandle", TT_REC_HANDLES }, { "finalization", TT_REC_FINALIZERS }, { "legacy", LEGACY }, { NULL, 0 },
};

static const struct word module_word[] = {
	{ "alloc", TT_REC_ALLOCS }, { "alloc-sample", TT_REC_ALLOCS }, { "gc", GC }, { "moves", GC }, { "roots", GC },
	{ "exceptions", TT_REC_THROWS },
	{ "monitor", TT_REC_WAITS }, { "sample", TT_REC_SAMPLES }, { "handles", TT_REC_HANDLES },
	{ "finalizers", TT_REC_FINALIZERS }, { NULL, 0 },
};

static uint32_t
find(const struct word *w, const char *s, size_t n)
{
	while (w->name && (strlen(w->name) != n || memcmp(w->name, s, n) != 0))
		w++;
	return w->on;
}

/* What ${s} turns on, and *${off}: turns off by "no..."; options have commas between, and two commas are one of a value. */
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
	const struct word w[] = { { option, 1 }, { NULL, 0 } };
	uint32_t off = 0;

	return words(w, s, "", &off) != 0;
}

uint32_t
mlpd_told(const char *options, unsigned version)
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
mono_module_told(const char *command)
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

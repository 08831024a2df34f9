/**
 * Fuzz target: any names and zones as pdata: a file as its layout says, to the last byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit_kit.h"
#include "io/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

struct take { const char *p, *end; };

static void
need(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void
take(struct take *t, void *to, size_t n)
{
	need(n <= (size_t)(t->end - t->p), "the file ends early");
	if (to)
		memcpy(to, t->p, n);
	t->p += n;
}

static int32_t
number(struct take *t)
{
	int32_t v;

	take(t, &v, sizeof v);
	return v;
}

static int32_t
names(struct take *t)
{
	int32_t n = number(t);

	need(n >= 0, "a negative number of names");
	for (int32_t i = 0; i < n; i++) {
		size_t len = 0;
		uint8_t c = 0x80;

		for (unsigned up = 0; c & 0x80; up += 7) {
			take(t, &c, 1);
			len |= (size_t)(c & 0x7f) << up;
		}
		take(t, NULL, len);
	}
	return n;
}

static void
check(const char *p, size_t n)
{
	struct take t = { p, p + n };
	int32_t version = number(&t), offset = number(&t), frames = number(&t), most_thread = -1, most_marker = -1;

	need(version == 7 && offset == 0 && frames == 3, "a wrong head");
	for (int32_t i = 0; i < frames; i++) {
		take(&t, NULL, 12);
		for (int32_t k = number(&t); k > 0; k--) {
			int32_t thread = number(&t), level = 0;

			most_thread = thread > most_thread ? thread : most_thread;
			for (int32_t m = number(&t); m > 0; m--) {
				int32_t name = number(&t), depth;
				float ms;

				take(&t, &ms, sizeof ms);
				depth = number(&t);
				most_marker = name > most_marker ? name : most_marker;
				need(ms >= 0 && ms < 1 && depth >= 1 && depth <= level + 1, "a marker makes no sense");
				level = depth;
			}
		}
	}
	need(names(&t) > most_marker && names(&t) > most_thread, "a number without a name");
	need(t.p == t.end, "something follows the names");
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct kit k;

	/* The time of one input is bounded by its length alone. */
	if (n > 1 << 16)
		return 0;
	kit_fuzz(&k, "pdata", p, n);
	for (size_t i = 0; i < k.m.ncap; i++) {
		size_t len;
		const char *text = tt_sink_mem_data(k.sink[i], &len);

		/* kit_fuzz() put a NUL behind the first. */
		check(text, len - (i == 0));
	}
	kit_free(&k);
	return 0;
}

/**
 * Fuzz target: any names and events as Chrome JSON: valid JSON without duplicate keys, in every file of a split.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "emit_kit.h"
#include "io/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void
check(const char *text, size_t n)
{
	json_error_t e;
	json_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);

	if (!j) {
		fprintf(stderr, "%s at byte %d: %.100s\n", e.text, e.position, text + (e.position > 60 ? e.position - 60 : 0));
		abort();
	}
	json_decref(j);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct kit k;

	/* The time of one input is bounded by its length alone. */
	if (n > 1 << 16)
		return 0;
	kit_fuzz(&k, "chrome", p, n);
	for (size_t i = 0; i < k.nfile; i++) {
		size_t len;
		const char *text = tt_sink_mem_data(k.sink[i], &len);

		/* kit_fuzz() put a NUL behind the first. */
		check(text, len - (i == 0));
	}
	kit_free(&k);
	return 0;
}

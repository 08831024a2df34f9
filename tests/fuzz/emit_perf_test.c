/**
 * Fuzz target: any names and zones as perf-test: a JSON document that a JSON reader takes.
 */
#include <jansson.h>
#include <stdlib.h>

#include "emit_kit.h"
#include "io/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct kit k;
	size_t len;
	json_error_t e;

	/* The time of one input is bounded by its length alone. */
	if (n > 1 << 16)
		return 0;
	kit_fuzz(&k, "perf-test", p, n);
	const char *text = tt_sink_mem_data(k.sink[0], &len);
	/* kit_fuzz() put a NUL behind it. */
	json_t *j = json_loadb(text, len - 1, JSON_REJECT_DUPLICATES, &e);
	if (!j) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
	json_decref(j);
	kit_free(&k);
	return 0;
}

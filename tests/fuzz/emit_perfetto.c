/**
 * Fuzz target: any names and events as a Perfetto trace: whole messages, in which all that is referred to was sent before.
 */
#include <stdio.h>
#include <stdlib.h>

#include "emit_kit.h"
#include "io/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct kit k;
	const char *text, *wrong;
	size_t len;

	/* The time of one input is bounded by its length alone. */
	if (n > 1 << 16)
		return 0;
	kit_fuzz(&k, "perfetto", p, n);
	text = tt_sink_mem_data(k.sink[0], &len);
	/* kit_fuzz() put a NUL behind it. */
	wrong = kit_check_trace(text, len - 1);
	if (wrong) {
		fprintf(stderr, "%s\n", wrong);
		abort();
	}
	kit_free(&k);
	return 0;
}

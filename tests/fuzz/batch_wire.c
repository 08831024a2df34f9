/**
 * Fuzz target: messages of a batch's processes, as the parent takes them.
 */
#include <stdlib.h>
#include <string.h>

#include "batch/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tt_err err;
	struct tt_wire w;

	if (tt_wire_parse(data, size, &w, &err) != TT_OK)
		return 0;
	/* What is promised: all of it lies in the message, and it is a line. */
	if (w.nkey + w.nbody > size || (const uint8_t *)w.body + w.nbody != data + size || w.key + w.nkey != w.body)
		abort();
	if (memchr(w.key, '\n', w.nkey + w.nbody) || memchr(w.key, '\0', w.nkey + w.nbody))
		abort();
	return 0;
}

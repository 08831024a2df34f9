/*
 * Any bytes as a capture, through the whole program but its command line: the body of the readers' fuzz targets.
 *
 * The last byte says what is made of it; the rest is the input. Whatever it is, the run ends well: read, or
 * refused with a reason, and nothing is lost.
 */
#include <stdio.h>
#include <stdlib.h>

#include "memrun.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const unsigned what[] = {
		MEMRUN_CALLS,
		MEMRUN_REPORT,
		MEMRUN_REPORT | MEMRUN_EMIT,
		MEMRUN_EMIT | MEMRUN_BEGIN_END,
		MEMRUN_REPORT | MEMRUN_FRAMES,
		MEMRUN_REPORT | MEMRUN_PIPE,
		MEMRUN_EMIT | MEMRUN_PIPE,
		MEMRUN_REPORT | MEMRUN_EMIT | MEMRUN_FRAMES,
	};
	struct memrun r;

	if (n == 0 || n > 65536)
		return 0;
	n--;
	memrun_jobs(&r, data, n, what[data[n] & 7], data[n] & 8 ? 2 : 1);
	if (r.rc != TT_OK && r.rc != TT_E_DAMAGED && r.rc != TT_E_UNKNOWN && r.rc != TT_E_USAGE) {
		fprintf(stderr, "status %d: %s\n", r.rc, r.err.msg);
		abort();
	}
	if (r.rc != TT_OK && !r.err.msg[0])
		abort();
	if (memrun_free(&r) != 0)
		abort();
	return 0;
}

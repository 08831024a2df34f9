/*
 * Fuzz target: any bytes through the reader of captures, from a file and from a pipe.
 *
 * With its first byte odd the input is mended first: the head's and each chunk's checksum are made right, so that
 * what is behind them is reached.
 */
#include <stdlib.h>

#include "ttc_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ttc_result file, again, in_order;
	uint8_t *p;

	if (n < 1 || n > 60000)
		return 0;
	p = malloc(n);
	if (!p)
		return 0;
	memcpy(p, data + 1, n - 1);
	if (data[0] & 1)
		ttc_fix_checksums(p, n - 1);
	ttc_read(NULL, p, n - 1, 0, &file);
	ttc_read(NULL, p, n - 1, 0, &again);
	if (file.rc != again.rc || file.all.events != again.all.events || file.all.hash != again.all.hash ||
	    memcmp(&file.loss, &again.loss, sizeof file.loss) != 0)
		abort();
	ttc_read_pipe(p, n - 1, &in_order);
	free(p);
	return 0;
}

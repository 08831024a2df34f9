/*
 * Fuzz target: any bytes through the reader of captures, from a file and from a pipe.
 *
 * With its first byte odd the input is mended first: the head's and each chunk's checksum are made right, so that
 * what is behind them is reached.
 */
#include <stdlib.h>

#include "crc32c.h"
#include "ttc_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, 4);
}

static void
mend(uint8_t *p, size_t n)
{
	uint32_t size;

	if (n < sizeof(struct ttc_head))
		return;
	memcpy(p, TTC_MAGIC, 8);
	p[8] = TTC_MAJOR;
	p[9] = 0;
	size = ttc_u32(p + 12);
	if (size > n || size < sizeof(struct ttc_head))
		put32(p + 12, size = sizeof(struct ttc_head));
	put32(p + 16, 0);
	put32(p + 16, tt_crc32c(0, p, size));
	for (size_t at = size; at + TTC_CHUNK_HEAD <= n;) {
		uint32_t len = ttc_u32(p + at + 8);
		if (len > n - at - TTC_CHUNK_HEAD)
			put32(p + at + 8, len = (uint32_t)(n - at - TTC_CHUNK_HEAD));
		put32(p + at, TTC_CHUNK_MAGIC);
		memcpy(p + at + 60, p + 24, 4);
		put32(p + at + 12,
		    tt_crc32c(0, p + at + TTC_CRC_FROM, TTC_CHUNK_HEAD - TTC_CRC_FROM + (size_t)len));
		at += TTC_CHUNK_HEAD + (size_t)len;
	}
}

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
		mend(p, n - 1);
	ttc_read(NULL, p, n - 1, 0, &file);
	ttc_read(NULL, p, n - 1, 0, &again);
	if (file.rc != again.rc || file.all.events != again.all.events || file.all.hash != again.all.hash ||
	    memcmp(&file.loss, &again.loss, sizeof file.loss) != 0)
		abort();
	ttc_read_pipe(p, n - 1, &in_order);
	free(p);
	return 0;
}

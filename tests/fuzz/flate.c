/**
 * Fuzz target: any bytes, compressed as text and as packets, in one run and in runs of a length that the first two bytes tell. zlib gives them
 * back.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "io/flate.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

typedef size_t how(struct tt_flate *f, const char *in, size_t n, char *out, bool last);

static void
check(struct tt_flate *f, how *compress, const uint8_t *p, size_t n, size_t run)
{
	static char out[1 << 18], have[(1 << 16) + 1];
	z_stream z = { 0 };
	size_t made = 0;

	for (size_t at = 0; at == 0 || at < n; at += run) {
		size_t some = n - at < run ? n - at : run;

		made += compress(f, (const char *)p + at, some, out + made, at + some == n);
	}
	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		abort();
	z.next_in = (Bytef *)out;
	z.avail_in = (uInt)made;
	z.next_out = (Bytef *)have;
	z.avail_out = sizeof have;
	if (inflate(&z, Z_FINISH) != Z_STREAM_END || z.total_out != n || z.avail_in || memcmp(have, p, n) != 0)
		abort();
	inflateEnd(&z);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct tt_mem mem = { 0 };
	struct tt_flate *f;
	struct tt_err err;

	if (n < 2 || n > 1 << 16)
		return 0;
	if (tt_flate_new(&mem, &f, &err) != TT_OK)
		return 0;
	for (int i = 0; i < 2; i++) {
		how *compress = i ? tt_flate_packets : tt_flate;

		check(f, compress, p, n, n);
		check(f, compress, p + 2, n - 2, 64 + (p[0] | (size_t)p[1] << 8));
	}
	tt_flate_free(f, &mem);
	return 0;
}

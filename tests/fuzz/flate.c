/**
 * Fuzz target: any bytes, compressed as text and as packets, in one run and in runs of a length that the first two bytes tell, and as stamps that
 * they tell. zlib gives them back, or what the stamps stand for.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "codec/flate.h"
#include "codec/packet.h"

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

static size_t
form(const void *arg, uint32_t of, uint32_t number, char *p)
{
	size_t n = 4 + (of + number) % (TT_FORM_MAX_BYTES - 3);

	(void)arg;
	memset(p, (int)(of * 3 + number), n);
	memcpy(p, "\x0a", 2);
	return n;
}

/* Each run: two bytes for whose it is and how many stamps and plain bytes it has; then two or more a stamp; then these bytes. */
static size_t
make_stamps(const uint8_t *p, size_t n, char *in)
{
	const uint8_t *end = p + n;
	size_t made = 0;

	while (end - p >= 2) {
		struct tt_stamp_run run = { .group = p[0] & 7, .packets_bytes = p[1] & 15 };
		size_t at = made, most = (size_t)(p[0] >> 3 | (p[1] & 0xf0) << 1);

		made += sizeof run;
		for (p += 2; run.nstamps < most && end - p >= 2; run.nstamps++) {
			struct tt_stamp s = { .form = (uint32_t)p[0] << 3 };
			unsigned k = 0;

			while (k < 3 && p + 1 + k + 1 < end && p[1 + k] >= 128) {
				s.number[k] = p[1 + k];
				k++;
			}
			/* No varint is longer than it must be. */
			s.number[k] = (p[1 + k] & 127) | (k > 0 && p[1 + k] % 128 == 0);
			p += 2 + k;
			s.form |= k + 1;
			memcpy(in + made, &s, sizeof s);
			made += sizeof s;
		}
		if (run.packets_bytes > (size_t)(end - p))
			run.packets_bytes = (uint32_t)(end - p);
		memcpy(in + made, p, run.packets_bytes);
		p += run.packets_bytes;
		memcpy(in + at, &run, sizeof run);
		made = at + tt_stamp_run_bytes(&run);
	}
	return made;
}

/* What the runs stand for, by packet.h alone. */
static size_t
expand(const char *in, size_t n, char *out)
{
	size_t made = 0;

	for (const char *end = in + n; in < end;) {
		struct tt_stamp_run run;

		memcpy(&run, in, sizeof run);
		for (uint32_t i = 0; i < run.nstamps; i++) {
			struct tt_stamp s;
			memcpy(&s, in + sizeof run + i * sizeof s, sizeof s);
			size_t len = form(NULL, run.group, s.form >> 3, out + made);

			out[made + 1] = (char)(len - 2 + (s.form & 7));
			memcpy(out + made + len, s.number, s.form & 7);
			made += len + (s.form & 7);
		}
		memcpy(out + made, in + sizeof run + run.nstamps * sizeof(struct tt_stamp), run.packets_bytes);
		made += run.packets_bytes;
		in += tt_stamp_run_bytes(&run);
	}
	return made;
}

static void
check_stamps(struct tt_flate *f, const uint8_t *p, size_t n)
{
	enum { MOST = 2 << 20 };
	static char in[MOST], want[MOST], bytes[MOST + TT_FLATE_PAD], out[TT_FLATE_BOUND(MOST)], have[MOST];
	const struct tt_forms forms = { form, NULL };
	size_t len = make_stamps(p, n, in), size = expand(in, len, want), have_size, made;
	z_stream z = { 0 };

	made = tt_flate_stamps(f, &forms, in, len, bytes, &have_size, out);
	if (have_size != size || memcmp(bytes, want, size) != 0 || made > TT_FLATE_BOUND(size) || inflateInit2(&z, -MAX_WBITS) != Z_OK)
		abort();
	z.next_in = (Bytef *)out;
	z.avail_in = (uInt)made;
	z.next_out = (Bytef *)have;
	z.avail_out = sizeof have;
	if (inflate(&z, Z_FINISH) != Z_STREAM_END || z.total_out != size || z.avail_in || memcmp(have, want, size) != 0)
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
	check_stamps(f, p, n);
	tt_flate_free(f, &mem);
	return 0;
}

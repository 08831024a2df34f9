/* codec/flate.h and codec/huffman.h: zlib gives back what was compressed, whatever it is. */
#include "check.h"

#include <zlib.h>

#include "codec/flate.h"
#include "codec/huffman.h"
#include "codec/packet.h"

enum { MOST = 1 << 20 };

static struct tt_mem mem;
static char in[MOST], have[MOST + 1], out[2 * TT_FLATE_BOUND(MOST)];
static uint32_t state = 1;

static uint32_t
next(void)
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

typedef size_t how(struct tt_flate *f, const char *in, size_t n, char *out, bool last);

/* Compress the first ${n} bytes in runs of ${run}, and compare what zlib makes of them. Returns the bytes they took. */
static size_t
by(how *compress, size_t n, size_t run)
{
	struct tt_flate *f = NULL;
	struct tt_err err;
	z_stream z = { 0 };
	size_t took = 0;

	CHECK_EQ_INT(tt_flate_new(&mem, &f, &err), TT_OK);
	for (size_t at = 0; at == 0 || at < n; at += run) {
		size_t some = n - at < run ? n - at : run, made = compress(f, in + at, some, out + took, at + some == n);

		CHECK(made <= TT_FLATE_BOUND(some));
		took += made;
	}
	tt_flate_free(f, &mem);
	CHECK_EQ_INT(mem.used, 0);
	CHECK_EQ_INT(inflateInit2(&z, -MAX_WBITS), Z_OK);
	z.next_in = (Bytef *)out;
	z.avail_in = (uInt)took;
	z.next_out = (Bytef *)have;
	z.avail_out = sizeof have;
	CHECK_EQ_INT(inflate(&z, Z_FINISH), Z_STREAM_END);
	CHECK_EQ_INT(z.avail_in, 0);
	CHECK_EQ_INT(z.total_out, n);
	CHECK(memcmp(in, have, n) == 0);
	inflateEnd(&z);
	return took;
}

/* As text and as packets, whatever it is. Returns the bytes it took as text. */
static size_t
there_and_back(size_t n, size_t run)
{
	size_t took = by(tt_flate_packets, n, run);

	CHECK(took <= TT_FLATE_BOUND(n) + n / run * 64);
	return by(tt_flate, n, run);
}

/* Lines as a trace has them. Returns how many bytes; they fill ${n} or nearly. */
static size_t
lines(size_t n)
{
	unsigned long long ts = 1000000;
	size_t at = 0;

	while (at + 120 < n)
		at += (size_t)snprintf(in + at, n - at, "{\"ph\":\"X\",\"ts\":%llu.%03u,\"dur\":%u.%03u,\"name\":\"Class%u:Method%u\"},\n", ts += next() % 100,
		    (unsigned)next() % 1000, (unsigned)next() % 50, (unsigned)next() % 1000, (unsigned)next() % 9, (unsigned)next() % 30);
	return at;
}

TEST(every_short_text)
{
	lines(2000);
	for (size_t n = 0; n < 1000; n++)
		there_and_back(n, n + 1);
	memset(in, '0', 2000);
	for (size_t n = 0; n < 1000; n++)
		there_and_back(n, n + 1);
}

TEST(text_of_a_trace_becomes_small_in_one_run_or_many)
{
	size_t n = lines(MOST);

	CHECK(there_and_back(n, MOST) < n / 5);
	CHECK(there_and_back(n, 40000) < n / 5);
	CHECK(there_and_back(10000, 100) < 20000);
}

/* Packets as a trace of Perfetto has them, with one of ${most} bytes now and then. Returns how many bytes; they fill ${n} or nearly. */
static size_t
packets(size_t n, size_t most)
{
	uint32_t ts = 1 << 22;        /* a number of four bytes */
	size_t at = 0;

	while (at + most + 40 < n) {
		size_t len = 12 + next() % 3, long_one = next() % 500 == 0 ? next() % most : 0;

		in[at++] = 0x0a;
		len += long_one;
		for (size_t left = len; left >= 128 || (in[at++] = (char)left, 0); left >>= 7)
			in[at++] = (char)(left | 128);
		memcpy(in + at, "\x50\x01\x68\x02\x5a\x08\x48\x01\x58\x04", 10);
		memset(in + at + 10, (int)(next() % 40), len - 10);
		ts += next() % 300;
		in[at + len - 5] = 0x40;
		for (size_t i = 0; i < 4; i++)
			in[at + len - 4 + i] = (char)((ts >> 7 * i & 127) | (i < 3 ? 128 : 0));
		at += len;
	}
	return at;
}

TEST(packets_of_a_trace_become_small_in_one_run_or_many)
{
	size_t n = packets(MOST, 1);

	CHECK(by(tt_flate_packets, n, MOST) < n / 4);
	CHECK(by(tt_flate_packets, n, MOST) <= by(tt_flate, n, MOST));
	CHECK(by(tt_flate_packets, n, 40000) < n / 4);
	n = packets(MOST, 50000);
	CHECK(by(tt_flate_packets, n, MOST) < n / 4);
	for (size_t run = 1; run < 300; run += 13)
		by(tt_flate_packets, 3000, run);
}

/* Lengths that lead nowhere, are not whole or too long. */
TEST(packets_that_are_none)
{
	static const char *const bad[] = { "\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x0a\xff\xff\xff\xff\x7f", "\x0a\x80\x80\x80\x80\x80", "\x0a\xff\xff\x03" };

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		for (size_t at = 0; at < 200; at++) {
			size_t n = packets(2000, 1);

			memcpy(in + at, bad[i], strlen(bad[i]));
			memcpy(in + n - 1 - at % 50, bad[i], 1 + at % 50 % strlen(bad[i]));
			there_and_back(n, MOST);
		}
	for (size_t n = 0; n < 300; n++) {
		packets(400, 1);
		there_and_back(n, MOST);
	}
	memset(in, 0, MOST);
	there_and_back(MOST, MOST);
	memset(in, 0x0a, MOST);
	there_and_back(MOST, MOST);
}

TEST(what_does_not_compress_grows_by_little)
{
	for (size_t i = 0; i < MOST; i++)
		in[i] = (char)next();
	CHECK(there_and_back(MOST, MOST) <= TT_FLATE_BOUND(MOST));
	CHECK(there_and_back(70000, 65535) <= TT_FLATE_BOUND(70000));
}

TEST(one_byte_over_and_over)
{
	for (int byte = 0; byte < 256; byte += 51) {
		memset(in, byte, MOST);
		CHECK(there_and_back(MOST, MOST) < MOST / 500);
	}
	memset(in, '7', MOST);
	CHECK(there_and_back(MOST, MOST) < MOST / 500);
}

/* Matches of all lengths, at distances around the largest, and next to each other. */
TEST(repeats_of_all_lengths_and_distances)
{
	for (size_t back = 32700; back < 32840; back++) {
		size_t len = 4 + back % 700;

		for (size_t i = 0; i < back + len + 50; i++)
			in[i] = (char)(next() % 200 + ' ');
		memcpy(in + back, in, len);
		there_and_back(back + len + 50, MOST);
	}
	for (size_t i = 0; i < 1000; i++)
		in[i] = (char)(next() % 26 + 'a');
	size_t at = 1000;
	for (size_t len = 3; len < 800; len++) {
		memmove(in + at, in + next() % 200, len);
		at += len;
		in[at++] = (char)next();
	}
	there_and_back(at, MOST);
}

TEST(bytes_of_few_kinds_and_many_short_matches)
{
	for (unsigned kinds = 2; kinds < 200; kinds = kinds * 3 / 2) {
		for (size_t i = 0; i < MOST / 4; i++)
			in[i] = (char)(next() % (1 + next() % kinds));
		there_and_back(MOST / 4, MOST);
	}
}

/* --- stamps -------------------------------------------------------------- */

/* What the stamps in ${in} stand for, as packet.h says it. */
static char want[MOST], bytes[MOST + TT_FLATE_PAD];
static size_t nin, nwant;

static size_t
form(const void *arg, uint32_t of, uint32_t number, char *p)
{
	size_t n = 4 + (number * 7 + of) % (TT_FORM_MAX_BYTES - 3);

	CHECK(arg == &mem);
	for (size_t i = 0; i < n; i++)
		p[i] = i == 0 ? 0x0a : i == 1 ? 0 : (char)((number >> 8 * (i % 3)) + of + i);
	return n;
}

static const struct tt_forms forms = { form, &mem };

static void
add_stamp(struct tt_stamp_run *run, uint32_t number, uint32_t v)
{
	char *p = want + nwant, *end = p + form(&mem, run->group, number, p);
	unsigned n = 0;

	do
		end[n++] = (char)((v & 127) | (v > 127 ? 128 : 0));
	while (v >>= 7);
	struct tt_stamp s = { .form = number << 3 | n };
	memcpy(s.number, end, n);
	end += n;
	p[1] = (char)(end - p - 2);
	nwant += (size_t)(end - p);
	memcpy(in + nin, &s, sizeof s);
	nin += sizeof s;
	run->nstamps++;
	run->stamps_bytes += (uint32_t)(end - p);
}

/* A run of ${n} stamps of ${kinds} forms, then ${plain} packets as they are. */
static void
add_run(uint32_t of, uint32_t n, uint32_t kinds, uint32_t plain)
{
	struct tt_stamp_run run = { .group = of };
	const size_t at = nin;

	nin += sizeof run;
	for (uint32_t i = 0; i < n; i++)
		add_stamp(&run, next() % kinds, next() % 8 ? next() % 40000 : next() << next() % 5);
	for (; plain > 0; plain--) {
		size_t len = 2 + next() % 60;

		want[nwant++] = in[nin++] = 0x0a;
		want[nwant++] = in[nin++] = (char)len;
		for (size_t i = 0; i < len; i++)
			want[nwant++] = in[nin++] = (char)(i < 8 ? i : next() % 3);
		run.packets_bytes += (uint32_t)len + 2;
	}
	memcpy(in + at, &run, sizeof run);
	nin = at + tt_stamp_run_bytes(&run);
}

/* Compress the runs; zlib gives back what they stand for. Returns the bytes it took. */
static size_t
stamps_there_and_back(void)
{
	struct tt_flate *f = NULL;
	struct tt_err err;
	size_t n = 0, took, room = MOST;
	z_stream z = { 0 };

	CHECK_EQ_INT(tt_flate_new(&mem, &f, &err), TT_OK);
	/* Twice: what was compressed before leaves no trace. */
	size_t first = tt_flate_stamps(f, &forms, in, nin, bytes, &n, have);
	took = tt_flate_stamps(f, &forms, in, nin, bytes, &n, out);
	CHECK_EQ_INT(first, took);
	CHECK(memcmp(have, out, took) == 0);
	tt_flate_free(f, &mem);
	CHECK_EQ_INT(n, nwant);
	CHECK(memcmp(bytes, want, n) == 0);
	CHECK(took <= TT_FLATE_BOUND(n));
	CHECK_EQ_INT(inflateInit2(&z, -MAX_WBITS), Z_OK);
	z.next_in = (Bytef *)out;
	z.avail_in = (uInt)took;
	z.next_out = (Bytef *)have;
	z.avail_out = (uInt)room;
	CHECK_EQ_INT(inflate(&z, Z_FINISH), Z_STREAM_END);
	CHECK_EQ_INT(z.avail_in, 0);
	CHECK_EQ_INT(z.total_out, nwant);
	CHECK(memcmp(have, want, nwant) == 0);
	inflateEnd(&z);
	return took;
}

TEST(stamps_become_the_packets_they_stand_for)
{
	static const uint32_t kinds[] = { 1, 2, 50, 3000, TT_FORM_LAST };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (uint32_t plain = 0; plain < 3; plain++) {
			nin = nwant = 0;
			for (uint32_t run = 0; nwant < MOST - TT_RUN_MAX_STAMPS * (TT_FORM_MAX_BYTES + 4) - 1000; run++)
				add_run(run % 3, run % 4 ? next() % TT_RUN_MAX_STAMPS : next() % 3, kinds[i], next() % 4 * plain);
			stamps_there_and_back();
			nin = nwant = 0;
			for (uint32_t run = 0; run < 20; run++) {
				add_run(run, run % 3, kinds[i], plain);
				stamps_there_and_back();
			}
		}
	nin = nwant = 0;
	stamps_there_and_back();
}

TEST(stamps_take_no_more_room_than_their_packets)
{
	nin = nwant = 0;
	while (nwant < MOST / 2)
		add_run(1, 1000, 40, 1);
	size_t took = stamps_there_and_back();
	memcpy(in, want, nwant);
	CHECK(took < by(tt_flate_packets, nwant, MOST) * 102 / 100);
}

/* --- codes --------------------------------------------------------------- */

static struct tt_huffman h;

/* A code is complete and its codes are those of RFC 1951: in the order of lengths, then symbols. */
static void
check_codes(unsigned n, unsigned most)
{
	uint32_t sum = 0, last = 0;

	for (unsigned i = 0; i < n; i++) {
		CHECK(h.len[i] <= most);
		CHECK(h.len[i] > 0 || h.count[i] == 0);
		sum += h.len[i] ? (uint32_t)1 << (most - h.len[i]) : 0;
	}
	CHECK_EQ_INT(sum, (uint32_t)1 << most);
	for (unsigned len = 1; len <= most; len++)
		for (unsigned i = 0; i < n; i++) {
			uint32_t code = 0;

			if (h.len[i] != len)
				continue;
			for (unsigned k = 0; k < len; k++)
				code |= (uint32_t)(h.code[i] >> k & 1) << (most - 1 - k);
			CHECK_EQ_INT(code, last);
			last += (uint32_t)1 << (most - len);
		}
}

TEST(codes_are_complete_and_not_too_long)
{
	for (unsigned n = 19; n <= TT_HUFFMAN_MAX_SYMBOLS; n += 267) {
		unsigned most = n == 19 ? 7 : 15;

		/* Counts that would make codes as long as there are symbols. */
		for (uint32_t i = 0, a = 1, b = 1; i < n; i++) {
			h.count[i] = i < 40 ? a : 0;
			b += a;
			a = b - a;
		}
		tt_huffman_assign_codes(&h, n, most);
		check_codes(n, most);
		for (unsigned used = 0; used < n; used++) {
			memset(h.count, 0, sizeof h.count);
			for (unsigned i = 0; i < used; i++)
				h.count[next() % n] = 1 + next() % (1u << i % 20);
			tt_huffman_assign_codes(&h, n, most);
			check_codes(n, most);
		}
	}
}

TEST(rarer_symbols_have_no_shorter_codes)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < 8; i++)
		h.count[i] = 1u << i;
	tt_huffman_assign_codes(&h, 8, 15);
	for (unsigned i = 0; i < 8; i++) {
		CHECK(i == 0 || h.len[i] <= h.len[i - 1]);
		bits += h.count[i] * h.len[i];
	}
	/* 7 bits for counts 1 and 2, one less for each that is twice as large. */
	CHECK_EQ_INT(bits, 7 + 2 * 7 + 4 * 6 + 8 * 5 + 16 * 4 + 32 * 3 + 64 * 2 + 128);
}

/**
 * Packets: fields of a message of protocol buffers, each a tag of one byte, the length of the rest, and the rest. Perfetto's traces are made of them.
 *
 * Nearly all packets of a trace differ only in the number at their end. A packet like that can be passed on as a stamp: its form, which
 * is all bytes before the number, and the number. The compressor of stamps asks for the bytes of a form only when it comes for the first time.
 */
#ifndef TT_CODEC_PACKET_H
#define TT_CODEC_PACKET_H

#include <stddef.h>
#include <stdint.h>

struct tt_stamp {
	uint32_t form;                /* id of the form times 8, plus the bytes of the number at the packet's end */
	uint8_t number[4];            /* that number, as the shortest varint of up to 4 bytes; the other bytes are 0 */
};

/*
 * The head of a run of stamps. After it come ${n} stamps, ${bytes} bytes of other, whole packets, and padding to a multiple of the size of a
 * stamp.
 */
struct tt_stamp_run {
	uint32_t group;               /* a value for tt_forms.write, chosen by the user: the same form id may have other bytes for another ${group} */
	uint32_t nstamps;             /* at most TT_RUN_MAX_STAMPS */
	uint32_t stamps_bytes;        /* bytes of the packets that are written for the stamps */
	uint32_t packets_bytes;
};

#define TT_STAMP_MAX ((uint64_t)1 << 28)     /* numbers of stamps are below this */
enum {
	TT_FORM_MAX_BYTES = 40,            /* most bytes of a form */
	TT_FORM_LAST = (1 << 29) - 1,
	TT_RUN_MAX_STAMPS = 1 << 10,
};

/* Writes the bytes of forms. */
struct tt_forms {
	/* Write to ${p} the packet of ${form} in a run of ${group}, without its number, and with 0 for its length, which is below 128. Returns the
	   number of bytes: 4 to TT_FORM_MAX_BYTES. Called on any thread. */
	size_t (*write)(const void *arg, uint32_t of, uint32_t form, char *p);
	const void *arg;
};

/* Make the stamp of ${form} with the number ${v}, a varint of ${n} bytes. */
static inline struct tt_stamp
tt_stamp(uint32_t form, uint32_t v, unsigned n)
{
	struct tt_stamp s = { .form = form << 3 | n };

	/* Spread the number to seven bits a byte, halving the groups in each step; then set the bits that say that more bytes follow. */
	v = (v & 0x3fff) | (v & 0xfffc000) << 2;
	v = (v & 0x007f007f) | (v & 0x3f803f80) << 1;
	v |= 0x808080 & (((uint32_t)1 << 8 * (n - 1)) - 1);
	for (unsigned i = 0; i < sizeof s.number; i++)
		s.number[i] = (uint8_t)(v >> 8 * i);
	return s;
}

/* Return the bytes of a run, with its padding. */
static inline size_t
tt_stamp_run_bytes(const struct tt_stamp_run *run)
{
	return sizeof *run + run->nstamps * sizeof(struct tt_stamp) + (((size_t)run->packets_bytes + 7) & ~(size_t)7);
}

/* Return the end of the packet at ${p}, which is before ${end}; NULL: it does not end by ${end}, or is no packet. */
static inline const uint8_t *
tt_packet_end(const uint8_t *p, const uint8_t *end)
{
	size_t left = (size_t)(end - p), n = 0, k = 1;

	for (unsigned shift = 0; k < left && k < 6; shift += 7) {
		n |= (size_t)(p[k] & 127) << shift;
		if (p[k++] < 128)
			return n <= left - k ? p + k + n : NULL;
	}
	return NULL;
}

#endif

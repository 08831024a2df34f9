/**
 * Packets: fields of a message of protocol buffers, each a tag of one byte, the length of the rest, and the rest. Perfetto's traces are made of them.
 *
 * Nearly all packets of a trace are alike but for the number that ends them. A packet like that can be handed on as a stamp: its form,
 * which is all in front of the number, and the number. Who compresses stamps needs to know what a form looks like only where it comes for the first time.
 */
#ifndef TT_CODEC_PACKET_H
#define TT_CODEC_PACKET_H

#include <stddef.h>
#include <stdint.h>

struct tt_stamp {
	uint32_t form;                /* its number times 8, and how many bytes the number that ends the packet has */
	uint8_t number[4];            /* these, as a varint with none too many: up to 4; the others are 0 */
};

/*
 * Stamps come in runs, and other packets between them: a run is this, ${n} stamps, ${bytes} bytes of whole packets, and as many bytes as it takes
 * to a length of whole stamps.
 */
struct tt_stamp_run {
	uint32_t of;                  /* what the user likes; its forms may differ from those of others */
	uint32_t n;                   /* at most TT_RUN_MAX */
	uint32_t size;                /* bytes of the packets that are written for the stamps */
	uint32_t bytes;
};

#define TT_STAMP_MAX ((uint64_t)1 << 28)     /* numbers are below */
enum {
	TT_FORM_MAX_BYTES = 40,            /* bytes of a form */
	TT_FORM_LAST = (1 << 29) - 1,
	TT_RUN_MAX = 1 << 10,
};

/* How forms look. */
struct tt_forms {
	/* Write at ${p} the packet of ${form} of a run of ${of}, without its number, and with 0 for its length, which is below 128. Returns how
	   many bytes: 4 to TT_FORM_MAX_BYTES. Called by any thread. */
	size_t (*write)(const void *arg, uint32_t of, uint32_t form, char *p);
	const void *arg;
};

/* The stamp of ${form} with ${v}, which takes ${n} bytes. */
static inline struct tt_stamp
tt_stamp(uint32_t form, uint32_t v, unsigned n)
{
	struct tt_stamp s = { .form = form << 3 | n };

	/* Seven bits to each byte, by halves; then the bits that say that more follows. */
	v = (v & 0x3fff) | (v & 0xfffc000) << 2;
	v = (v & 0x007f007f) | (v & 0x3f803f80) << 1;
	v |= 0x808080 & (((uint32_t)1 << 8 * (n - 1)) - 1);
	for (unsigned i = 0; i < sizeof s.number; i++)
		s.number[i] = (uint8_t)(v >> 8 * i);
	return s;
}

/* Bytes of the run, to where the next one begins. */
static inline size_t
tt_stamp_run_bytes(const struct tt_stamp_run *run)
{
	return sizeof *run + run->n * sizeof(struct tt_stamp) + (((size_t)run->bytes + 7) & ~(size_t)7);
}

/* Behind the packet at ${p}, which is before ${end}; NULL: it does not end there or before, or is none. */
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

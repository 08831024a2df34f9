/**
 * The wire format of protocol buffers, as far as writers need it: numbers and runs of bytes as fields.
 */
#ifndef TT_BASE_PROTO_H
#define TT_BASE_PROTO_H

#include "base/buf.h"

enum tt_wire { TT_WIRE_VARINT = 0, TT_WIRE_64 = 1, TT_WIRE_BYTES = 2 };

/* Write ${v} as a varint of at most 10 bytes at ${p}; return its end. */
static inline char *
tt_put_varint(char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	return p;
}

/* Return the bytes that ${v} takes as a varint. */
static inline unsigned
tt_varint_bytes(uint64_t v)
{
	/* Divide the number of bits by 7 as * 9 / 64, which is exact up to 63 bits. */
	return (73 + 9 * (63 - (unsigned)__builtin_clzll(v | 1))) / 64;
}

/* Write ${v}, below 2^56, as a varint of ${n} bytes; 8 bytes of ${p} are overwritten. */
static inline void
tt_put_short_varint(char *p, uint64_t v, unsigned n)
{
	/* Spread the number to seven bits a byte, halving the groups in each step; then set the bits that say that more bytes follow. */
	v = (v & 0x000000000fffffff) | (v & 0x00fffffff0000000) << 4;
	v = (v & 0x00003fff00003fff) | (v & 0x0fffc0000fffc000) << 2;
	v = (v & 0x007f007f007f007f) | (v & 0x3f803f803f803f80) << 1;
	v |= 0x8080808080808080 & (((uint64_t)1 << 8 * (n - 1)) - 1);
	memcpy(p, &v, sizeof v);
}

/* Append a number field. Zero is not written: a missing field means 0. */
static inline void
tt_proto_number(struct tt_buf *b, unsigned field, uint64_t v)
{
	char *p;

	if (!v || tt_buf_room(b, 20, NULL) != TT_OK)
		return;
	p = tt_put_varint(b->p + b->n, (uint64_t)field << 3 | TT_WIRE_VARINT);
	b->n = (size_t)(tt_put_varint(p, v) - b->p);
}

/* Append the tag and the length of a field of ${n} bytes. */
static inline void
tt_proto_head(struct tt_buf *b, unsigned field, size_t n)
{
	char *p;

	if (tt_buf_room(b, 20, NULL) != TT_OK)
		return;
	p = tt_put_varint(b->p + b->n, (uint64_t)field << 3 | TT_WIRE_BYTES);
	b->n = (size_t)(tt_put_varint(p, n) - b->p);
}

/* Append a field of ${n} bytes. */
static inline void
tt_proto_bytes(struct tt_buf *b, unsigned field, const void *s, size_t n)
{
	tt_proto_head(b, field, n);
	tt_buf_add(b, s, n);
}

#endif

/**
 * A decoder: turns the raw bytes of a compressed input into decoded bytes.
 *
 * Internal to lib/io; src.c is the only user. Each kind is a struct that begins
 * with struct tt_decoder.
 */
#ifndef TT_IO_DECODE_H
#define TT_IO_DECODE_H

#include "io/raw.h"
#include "io/src.h"

struct tt_decoder {
	/**
	 * Write up to ${n} decoded bytes to ${p}: TT_OK means *${got} > 0. A
	 * decoder that met damage first gives out all bytes before the damage,
	 * and then returns the same error for each call, until rewound.
	 * The place of damage (tt_err.at) is an offset in the raw bytes.
	 */
	int (*read)(struct tt_decoder *d, void *p, size_t n, size_t *got, struct tt_err *err);
	/* Begin again; the caller has rewound the raw bytes. */
	int (*rewind)(struct tt_decoder *d, struct tt_err *err);
	void (*free)(struct tt_decoder *d);
	uint64_t garbage;             /* raw bytes after the last stream; 0: no bytes, or only zeros */
};

/* A decoder of gzip members (zlib), checking CRC and length of each. */
int tt_gzip_new(struct tt_env *env, struct tt_raw *raw, struct tt_decoder **d, struct tt_err *err);

/* Return the length of the skippable frame (of zstd and lz4) that begins with the ${n} bytes at ${p}; 0: they begin no such frame. */
uint64_t tt_skippable_frame_bytes(const uint8_t *p, size_t n);

/* A decoder of any other coding (libarchive). */
int tt_filter_new(struct tt_env *env, struct tt_raw *raw, enum tt_src_coding coding, struct tt_decoder **d,
    struct tt_err *err);

/* A decoder of UTF-16, which gives UTF-8 without the byte order mark. Halves of characters are TT_E_USAGE. */
int tt_utf16_new(struct tt_env *env, struct tt_raw *raw, bool big_endian, struct tt_decoder **d, struct tt_err *err);

#endif

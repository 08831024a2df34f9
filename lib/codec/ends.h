/**
 * Finds where the streams of an .xz or .zst file end, from their outer structure, without decoding.
 *
 * Internal to lib/io; filter.c is the user: libarchive takes what follows the last stream for damage, and drops up to 64 KiB
 * that it has decoded. So it gets the streams alone. The .xz file format, 1.1.0, and RFC 8878 are the sources.
 */
#ifndef TT_CODEC_ENDS_H
#define TT_CODEC_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tt_ends_state {
	TT_ENDS_BETWEEN,              /* a stream, padding or the end comes next */
	TT_ENDS_XZ_HEAD, TT_ENDS_XZ_BLOCK, TT_ENDS_XZ_CHUNK, TT_ENDS_XZ_PLAIN, TT_ENDS_XZ_PACKED, TT_ENDS_XZ_COUNT, TT_ENDS_XZ_RECORDS,
	TT_ENDS_XZ_FOOT, TT_ENDS_ZSTD_HEAD, TT_ENDS_ZSTD_SKIP, TT_ENDS_ZSTD_BLOCK,
	TT_ENDS_OVER,                 /* what comes is no stream */
	TT_ENDS_LOST,                 /* not understood: nothing is said about the rest */
};

/* Begins as zeros, with ${xz} where the streams are xz, not zstd. */
struct tt_ends {
	bool xz;
	bool begun;                   /* a stream was there */
	bool more;                    /* a chunk has a byte of properties; a frame has a checksum */
	enum tt_ends_state state;
	unsigned want, n;             /* bytes to be collected in ${have}, and those there */
	uint8_t have[12];
	unsigned check;               /* bytes of checksum behind a block */
	unsigned shift;               /* of the number of records, as read so far */
	uint64_t at;                  /* bytes of this stream */
	uint64_t skip;                /* bytes to pass over */
	uint64_t left;                /* numbers that the index still has */
};

/**
 * tt_ends_walk(w, p, n):
 * How many of the next ${n} bytes, at least 8 or all that there are, belong to streams and the padding between them; call it again with what comes
 * after these. 0: the streams are over, and so they stay.
 */
size_t tt_ends_walk(struct tt_ends *w, const uint8_t *p, size_t n);

#endif

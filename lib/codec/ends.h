/**
 * Finds where the streams of an .xz or .zst file end, from their outer structure, without decoding.
 *
 * Internal to lib/io; io/filter_decoder.c is the user: libarchive takes bytes after the last stream for damage, and drops up to 64 KiB
 * of decoded bytes. So it gets the streams alone. The .xz file format, 1.1.0, and RFC 8878 are the sources.
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
	TT_ENDS_OVER,                 /* the streams are over: the next bytes are no stream */
	TT_ENDS_LOST,                 /* the structure is not understood: all further bytes count as part of a stream */
};

/* The state of the search. It begins as zeros, with ${xz} true for streams of xz, false for zstd. */
struct tt_ends {
	bool is_xz;
	bool begun;                   /* true: a stream was found */
	bool has_extra;               /* true: the xz chunk has a byte of properties; the zstd frame has a checksum */
	enum tt_ends_state state;
	unsigned nwanted, nhave;      /* bytes to collect in ${have}, and bytes collected so far */
	uint8_t have[12];
	unsigned checksum_n;          /* bytes of the checksum after a block */
	unsigned shift;               /* bits read so far of the number of records */
	uint64_t stream_n;            /* bytes read of this stream */
	uint64_t nskip;               /* bytes to skip */
	uint64_t nindex_left;         /* numbers of the index that are still to be read */
};

/**
 * tt_ends_walk(w, p, n):
 * Return how many of the next ${n} bytes (at least 8, or all that there are) belong to streams and the padding between them; call again with the
 * bytes after these. 0: the streams are over, and every later call returns 0.
 */
size_t tt_ends_walk(struct tt_ends *w, const uint8_t *p, size_t n);

#endif

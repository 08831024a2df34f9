/**
 * Deflate (RFC 1951) for repetitive text and packets, such as traces: fast, and on these denser than all but the slow levels of zlib.
 *
 * Threads: one at a time for each state. Memory: 590 KiB a state.
 */
#ifndef TT_CODEC_FLATE_H
#define TT_CODEC_FLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

struct tt_flate;
struct tt_forms;

/* The most bytes that tt_flate() writes for ${n} bytes. */
#define TT_FLATE_BOUND(n) ((n) + (n) / 1024 + 64)

int tt_flate_new(struct tt_mem *mem, struct tt_flate **f, struct tt_err *err);
void tt_flate_free(struct tt_flate *f, struct tt_mem *mem);

/**
 * tt_flate(f, in, n, out, last):
 * Compress ${n} < 2^30 bytes to ${out} and return the number of compressed bytes. Their contents depend on the input alone. Without ${last} they end
 * at a whole byte, with an empty block, so that other output can follow; with ${last} they end the stream.
 */
size_t tt_flate(struct tt_flate *f, const char *in, size_t n, char *out, bool last);

/* As tt_flate() for packets: fields of a message of protocol buffers with numbers below 16, each a tag of one byte, a length, and the rest. Other
 * bytes only cost time and density. */
size_t tt_flate_packets(struct tt_flate *f, const char *in, size_t n, char *out, bool last);

/* Bytes that tt_flate_stamps() may overwrite after the packets. */
#define TT_FLATE_PAD 64

/**
 * tt_flate_stamps(f, forms, in, n, bytes, nbytes, out):
 * Compress the packets that the runs of stamps (packet.h) in the ${n} bytes at ${in} stand for, to one complete stream. Writes the uncompressed
 * packets, *${nbytes} bytes, to ${bytes}; they must be fewer than 2^30, and ${bytes} needs room for TT_FLATE_PAD more.
 */
size_t tt_flate_stamps(struct tt_flate *f, const struct tt_forms *forms, const char *in, size_t n, char *bytes, size_t *nbytes, char *out);

#endif

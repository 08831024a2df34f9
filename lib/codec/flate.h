/**
 * Deflate (RFC 1951) for text and packets that repeat themselves, as traces do: fast, and denser there than zlib's levels that are not slow.
 *
 * Threads: each state by one at a time. Memory: 590 KiB a state.
 */
#ifndef TT_CODEC_FLATE_H
#define TT_CODEC_FLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

struct tt_flate;
struct tt_forms;

/* The most bytes tt_flate() may make of ${n}, and write. */
#define TT_FLATE_BOUND(n) ((n) + (n) / 1024 + 64)

int tt_flate_new(struct tt_mem *mem, struct tt_flate **f, struct tt_err *err);
void tt_flate_free(struct tt_flate *f, struct tt_mem *mem);

/**
 * tt_flate(f, in, n, out, last):
 * Compress ${n} < 2^30 bytes to ${out} and return how many bytes that are, which depend on these bytes alone. Runs without ${last} end at a whole
 * byte, with an empty block, so that what follows can be laid behind them; one with it ends the stream.
 */
size_t tt_flate(struct tt_flate *f, const char *in, size_t n, char *out, bool last);

/* The same for fields of a message of protocol buffers, whose numbers are below 16: each a byte, the length of the rest, the rest. Other bytes
 * cost time and density, nothing else. */
size_t tt_flate_packets(struct tt_flate *f, const char *in, size_t n, char *out, bool last);

/* Bytes that tt_flate_stamps() writes behind the packets. */
#define TT_FLATE_PAD 64

/**
 * tt_flate_stamps(f, forms, in, n, bytes, nbytes, out):
 * Compress the packets that the runs of stamps (packet.h) in the ${n} bytes at ${in} stand for, to a stream that ends. At ${bytes} are left the
 * *${nbytes} bytes of these packets, which must be fewer than 2^30; there is room for them and TT_FLATE_PAD more.
 */
size_t tt_flate_stamps(struct tt_flate *f, const struct tt_forms *forms, const char *in, size_t n, char *bytes, size_t *nbytes, char *out);

#endif

/**
 * Huffman codes as deflate (RFC 1951) has them.
 *
 * Threads: each its own.
 */
#ifndef TT_CODEC_HUFFMAN_H
#define TT_CODEC_HUFFMAN_H

#include <stdint.h>

/* Symbols of the largest alphabet, and the longest code. */
enum { TT_HUFFMAN_MAX_SYMBOLS = 286, TT_HUFFMAN_BITS = 15 };

struct tt_huffman {
	uint32_t count[TT_HUFFMAN_MAX_SYMBOLS];      /* how often each symbol comes: by the user */
	uint8_t len[TT_HUFFMAN_MAX_SYMBOLS];         /* bits of its code; 0: it does not come */
	uint16_t code[TT_HUFFMAN_MAX_SYMBOLS];       /* the first bit lowest */
};

/**
 * tt_huffman_make(h, n, most):
 * Make the codes of ${n} symbols from their counts, whose sum is below 2^32: none longer than ${most} bits, for which 2^${most} >= ${n}. The
 * code is complete: at least two symbols get one, counted or not.
 */
void tt_huffman_make(struct tt_huffman *h, unsigned n, unsigned most);

#endif

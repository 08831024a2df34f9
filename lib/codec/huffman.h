/**
 * Huffman codes for deflate (RFC 1951).
 *
 * Threads: one at a time for each struct.
 */
#ifndef TT_CODEC_HUFFMAN_H
#define TT_CODEC_HUFFMAN_H

#include <stdint.h>

/* Symbols of the largest alphabet, and the longest code. */
enum { TT_HUFFMAN_MAX_SYMBOLS = 286, TT_HUFFMAN_BITS = 15 };

struct tt_huffman {
	uint32_t count[TT_HUFFMAN_MAX_SYMBOLS];      /* how often each symbol occurs, set by the caller */
	uint8_t len[TT_HUFFMAN_MAX_SYMBOLS];         /* bits of each symbol's code; 0: it has no code */
	uint16_t code[TT_HUFFMAN_MAX_SYMBOLS];       /* the code of each symbol, its first bit lowest */
};

/**
 * tt_huffman_assign_codes(h, n, most):
 * Make the codes of ${n} symbols from their counts, whose sum is below 2^32. Codes have at most ${most} bits, for which 2^${most} >= ${n}. The
 * code is complete: at least two symbols get a code, even if their counts are 0.
 */
void tt_huffman_assign_codes(struct tt_huffman *h, unsigned n, unsigned most);

#endif

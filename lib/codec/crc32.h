/**
 * The CRC of gzip (RFC 1952), the same as zlib's, but about ten times as fast if the processor has a carry-less multiplication.
 */
#ifndef TT_CODEC_CRC32_H
#define TT_CODEC_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Return the CRC of the ${n} bytes at ${p}: crc32(0, p, n) of zlib. Any thread. */
uint32_t tt_crc32(const void *p, size_t n);

#endif

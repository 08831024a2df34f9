/**
 * The encoding of a text by its first bytes, for every text that people or other programs wrote.
 */
#ifndef TT_BASE_ENCODING_H
#define TT_BASE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tt_encoding { TT_ENCODING_UTF8, TT_ENCODING_UTF8_MARK, TT_ENCODING_UTF16LE, TT_ENCODING_UTF16BE, TT_ENCODING_UTF32 };

/* Tell the encoding of a text from its first ${n} bytes at ${p}: from the byte order mark, or from where zeros are. UTF-8 stands for all others. */
enum tt_encoding tt_encoding_of(const uint8_t *p, size_t n);

#endif

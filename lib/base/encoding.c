/**
 * Tells UTF-8, UTF-16 and UTF-32 apart by byte order marks and by where the zeros of a text are.
 */
#include "base/encoding.h"

#include <string.h>

/*
 * True if the bytes of a text without a byte order mark are UTF-16: most zeros are the high bytes of successive ASCII characters, line ends or tabs.
 * In UTF-8 a zero byte ends a name, which is longer than one byte and does not end with a line end.
 */
static bool
is_bare_utf16(const uint8_t *p, size_t n, bool big_endian)
{
	size_t for_utf16 = 0, for_names = 0;
	uint32_t unit, before = ' ';

	for (size_t i = 0; i + 1 < n; i += 2, before = unit) {
		unit = (uint32_t)p[i + !big_endian] << 8 | p[i + big_endian];
		if (unit == 0 && (i == 0 || before == 0))
			return false;
		if (unit != 0 && unit < 0x100 && (before < 0x100 || memchr("\t\r\n", (int)unit, 3)))
			for_utf16++;
		else if (unit != 0 && (unit < 0x100 || (unit & 0xFF) == 0))
			for_names++;
	}
	return for_utf16 > for_names;
}

/* True if the bytes of a text without a byte order mark are UTF-32: each four bytes are a character. */
static bool
is_bare_utf32(const uint8_t *p, size_t n, bool big_endian)
{
	size_t i = 0;

	for (; i + 3 < n; i += 4) {
		const uint32_t first = (uint32_t)p[i] << 8 | p[i + 1], last = (uint32_t)p[i + 3] << 8 | p[i + 2];
		const uint32_t high = big_endian ? first : last;

		if (high > 0x10 || (i == 0 && (first | last) == 0))
			return false;
	}
	return i > 0;
}

enum tt_encoding
tt_encoding_of(const uint8_t *p, size_t n)
{
	if (n >= 4 && (memcmp(p, "\xFF\xFE\0\0", 4) == 0 || memcmp(p, "\0\0\xFE\xFF", 4) == 0))
		return TT_ENCODING_UTF32;
	if (n >= 2 && (memcmp(p, "\xFF\xFE", 2) == 0 || memcmp(p, "\xFE\xFF", 2) == 0))
		return p[0] == 0xFF ? TT_ENCODING_UTF16LE : TT_ENCODING_UTF16BE;
	if (n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
		return TT_ENCODING_UTF8_MARK;
	if (is_bare_utf32(p, n, false) || is_bare_utf32(p, n, true))
		return TT_ENCODING_UTF32;
	if (is_bare_utf16(p, n, false))
		return TT_ENCODING_UTF16LE;
	return is_bare_utf16(p, n, true) ? TT_ENCODING_UTF16BE : TT_ENCODING_UTF8;
}

/**
 * UTF-8 and JSON text; the contracts are in utf8.h and buf.h.
 */
#include "base/utf8.h"

#include <string.h>

#include "base/buf.h"

static bool
is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* True if ${c1} may be the second byte after ${c0}; rules out overlong forms and surrogates. */
static bool
is_second(unsigned char c0, unsigned char c1)
{
	switch (c0) {
	case 0xe0:
		return c1 >= 0xa0 && c1 <= 0xbf;
	case 0xed:
		return c1 >= 0x80 && c1 <= 0x9f;
	case 0xf0:
		return c1 >= 0x90 && c1 <= 0xbf;
	case 0xf4:
		return c1 >= 0x80 && c1 <= 0x8f;
	default:
		return is_tail(c1);
	}
}

size_t
tt_utf8_len(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t len;

	if (n == 0)
		return 0;
	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	len = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (n < len || !is_second(u[0], u[1]))
		return 0;
	for (size_t i = 2; i < len; i++) {
		if (!is_tail(u[i]))
			return 0;
	}
	return len;
}

bool
tt_utf8_is_text(const char *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		uint64_t eight = UINT64_C(1) << 63;

		if (n - i >= sizeof eight)
			memcpy(&eight, s + i, sizeof eight);
		/* Most text is ASCII: eight bytes are tested at once. */
		len = (eight & UINT64_C(0x8080808080808080)) == 0 ? sizeof eight : (unsigned char)s[i] < 0x80 ? 1 : tt_utf8_len(s + i, n - i);
		if (len == 0)
			return false;
	}
	return true;
}

uint32_t
tt_utf8_code(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;
	uint32_t c = u[0];

	if (len > 1)
		c &= 0x7fu >> len;
	for (size_t i = 1; i < len; i++)
		c = c << 6 | (u[i] & 0x3f);
	return c;
}

size_t
tt_utf8_put(char *to, uint32_t c)
{
	static const unsigned char mark[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	const size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	for (size_t i = len; i-- > 1; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(mark[len] | c);
	return len;
}

bool
tt_utf8_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void
tt_utf8_line(char *to, size_t size, const char *s)
{
	size_t left = strlen(s), at = 0;

	if (size == 0)
		return;
	while (left > 0) {
		size_t len = tt_utf8_len(s, left), take = len ? len : 1;
		bool bad = len == 0 || tt_utf8_control(tt_utf8_code(s, len));
		size_t put = bad ? 1 : len;

		if (size - at <= put)
			break;
		memcpy(to + at, bad ? "?" : s, put);
		at += put;
		s += take;
		left -= take;
	}
	to[at] = '\0';
}

/* U+FFFD, the replacement character for unreadable bytes. */
static char *
put_unknown(char *p)
{
	memcpy(p, "\xef\xbf\xbd", 3);
	return p + 3;
}

char *
tt_utf8_clean(char *p, const char *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		uint64_t eight = UINT64_C(1) << 63;

		if (n - i >= sizeof eight)
			memcpy(&eight, s + i, sizeof eight);
		len = eight & UINT64_C(0x8080808080808080) ? tt_utf8_len(s + i, n - i) : sizeof eight;
		if (len == sizeof eight)
			memcpy(p, &eight, sizeof eight);
		else if (len == 1)
			*p = s[i];
		else if (len > 0)
			memcpy(p, s + i, len);
		p = len ? p + len : put_unknown(p);
		len += len == 0;
	}
	return p;
}

/* Write the JSON escape of ${c}: `"`, `\` or a control character, up to U+FFFF. */
static char *
put_escape(char *p, uint32_t c)
{
	static const char hex[] = "0123456789abcdef";
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *short_form = c < 0x80 ? strchr(from, (char)c) : NULL;

	*p++ = '\\';
	if (short_form) {
		*p++ = to[short_form - from];
		return p;
	}
	*p++ = 'u';
	for (int shift = 12; shift >= 0; shift -= 4)
		*p++ = hex[c >> shift & 15];
	return p;
}

static bool
is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

char *
tt_put_json(char *p, const char *s, size_t n)
{
	const char *end = s + n;

	while (s < end) {
		size_t len;

		if (is_plain((unsigned char)*s)) {
			*p++ = *s++;
			continue;
		}
		len = tt_utf8_len(s, (size_t)(end - s));
		if (len > 1 && !tt_utf8_control(tt_utf8_code(s, len))) {
			memcpy(p, s, len);
			p += len;
			s += len;
			continue;
		}
		p = len == 0 || *s == '\0' ? put_unknown(p) : put_escape(p, tt_utf8_code(s, len));
		s += len ? len : 1;
	}
	return p;
}

const char *
tt_utf8_valid(char *to, size_t size, const char *s)
{
	size_t n = strlen(s), i = 0, len = 1;
	char *p = to;

	while (i < n && (len = tt_utf8_len(s + i, n - i)) > 0)
		i += len;
	if (i == n || size == 0)
		return i == n ? s : to;
	for (i = 0; i < n && (size_t)(p - to) + 4 < size; i += len ? len : 1) {
		len = tt_utf8_len(s + i, n - i);
		memcpy(p, len ? s + i : "\xef\xbf\xbd", len ? len : 3);
		p += len ? len : 3;
	}
	*p = '\0';
	return to;
}

int
tt_utf8_from16(struct tt_buf *to, const uint8_t *p, size_t n, struct tt_err *err)
{
	int rc = tt_buf_room(to, n / 2 * 3 + 4, err);

	for (size_t i = 0; rc == TT_OK && i + 1 < n; i += 2) {
		uint32_t c = (uint32_t)p[i] | (uint32_t)p[i + 1] << 8;
		if (c >= 0xd800 && c < 0xdc00 && i + 3 < n && (p[i + 3] & 0xfc) == 0xdc) {
			c = 0x10000 + ((c - 0xd800) << 10) +
			    (((uint32_t)p[i + 2] | (uint32_t)p[i + 3] << 8) - 0xdc00);
			i += 2;
		} else if (c >= 0xd800 && c < 0xe000) {
			c = 0xfffd;
		}
		to->n += tt_utf8_put(to->p + to->n, c);
	}
	return rc;
}

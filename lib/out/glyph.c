/**
 * Measures how wide text from captures is on a terminal, and finds where it can be cut.
 */
#include "out/glyph.h"

#include <string.h>

#include "base/utf8.h"

/* Return the columns of a character: 0 for marks that combine with the previous character, 2 for wide East Asian characters and emoji. */
static unsigned
char_width(uint32_t c)
{
	static const struct { uint32_t first, last; unsigned width; } range[] = {
		{ 0x0300, 0x036f, 0 }, { 0x0483, 0x0489, 0 }, { 0x0591, 0x05bd, 0 }, { 0x064b, 0x065f, 0 },
		{ 0x0e34, 0x0e3a, 0 }, { 0x1100, 0x115f, 2 }, { 0x1ab0, 0x1aff, 0 }, { 0x1dc0, 0x1dff, 0 },
		{ 0x200b, 0x200f, 0 }, { 0x202a, 0x202e, 0 }, { 0x2060, 0x2064, 0 }, { 0x20d0, 0x20ff, 0 },
		{ 0x2e80, 0x303e, 2 }, { 0x3041, 0x33ff, 2 }, { 0x3400, 0x4dbf, 2 }, { 0x4e00, 0x9fff, 2 },
		{ 0xa000, 0xa4cf, 2 }, { 0xac00, 0xd7a3, 2 }, { 0xf900, 0xfaff, 2 }, { 0xfe00, 0xfe0f, 0 },
		{ 0xfe20, 0xfe2f, 0 }, { 0xfe30, 0xfe6f, 2 }, { 0xfeff, 0xfeff, 0 }, { 0xff00, 0xff60, 2 },
		{ 0xffe0, 0xffe6, 2 }, { 0x1f300, 0x1f64f, 2 }, { 0x1f900, 0x1f9ff, 2 }, { 0x20000, 0x3fffd, 2 },
	};

	if (c < 0x300)
		return 1;
	for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
		if (c <= range[i].last)
			return c < range[i].first ? 1 : range[i].width;
	}
	return 1;
}

static bool
is_printable_ascii(char c)
{
	return c >= ' ' && c <= '~';
}

struct tt_glyph
tt_glyph_at(const char *s, size_t n)
{
	if (n > 0 && is_printable_ascii(*s))
		return (struct tt_glyph){ s, 1, 1, 1 };
	size_t len = tt_utf8_len(s, n);
	uint32_t c = len ? tt_utf8_code(s, len) : 0;

	if (tt_utf8_control(c))
		return (struct tt_glyph){ "?", 1, len ? len : 1, 1 };
	return (struct tt_glyph){ s, len, len, char_width(c) };
}

size_t
tt_text_width_n(const char *s, size_t n)
{
	size_t width = 0;

	while (n > 0) {
		struct tt_glyph g = tt_glyph_at(s, n);

		width += g.width;
		s += g.take;
		n -= g.take;
	}
	return width;
}

size_t
tt_text_width(const char *s)
{
	return tt_text_width_n(s, strlen(s));
}

size_t
tt_text_head(const char *s, size_t n, size_t max, size_t *width)
{
	size_t taken = 0;

	for (*width = 0; taken < n;) {
		struct tt_glyph g = tt_glyph_at(s + taken, n - taken);

		if (*width + g.width > max)
			break;
		*width += g.width;
		taken += g.take;
	}
	return taken;
}

size_t
tt_text_fit(const char *s, size_t max)
{
	size_t taken = 0;

	for (size_t width = 0; s[taken];) {
		if (is_printable_ascii(s[taken]) && width < max) {
			width++;
			taken++;
			continue;
		}
		/* A character has four bytes at most. */
		struct tt_glyph g = tt_glyph_at(s + taken, strnlen(s + taken, 4));

		width += g.width;
		if (width > max)
			break;
		taken += g.take;
	}
	return taken;
}

/* True if the blank at ${at} is between a number and its unit, as in "12.3 ms" and "98 %". */
static bool
before_unit(const char *s, size_t at)
{
	static const char *const unit[] = { "%", "ns", "µs", "ms", "s", "B", "KB", "MB", "GB", "TB" };
	const char *word = s + at + 1;
	size_t n = strcspn(word, " ,;:.)");

	if (at == 0 || s[at - 1] < '0' || s[at - 1] > '9')
		return false;
	for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
		if (strlen(unit[i]) == n && memcmp(unit[i], word, n) == 0)
			return true;
	return false;
}

size_t
tt_text_line(const char *s, size_t max, const char **rest)
{
	size_t fits = tt_text_fit(s, max), end = fits;

	*rest = NULL;
	if (!s[fits])
		return fits;
	while (end > 0 && (s[end] != ' ' || before_unit(s, end)))
		end--;
	if (end == 0)
		end = strcspn(s, " ");
	fits = end + strspn(s + end, " ");
	if (s[fits])
		*rest = s + fits;
	while (end > 0 && s[end - 1] == ' ')
		end--;
	return end;
}

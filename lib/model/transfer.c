/**
 * Undoes base64, hex, quoted-printable and text encodings of a file's first bytes, and asks the readers about the bytes that come out.
 */
#include "model/transfer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/encoding.h"
#include "base/err.h"
#include "base/utf8.h"
#include "model/format.h"

/* Bytes undone: more than any reader looks at. */
#define UNDONE_MAX 1024

/* This many characters beyond ASCII, all of them valid UTF-8, are no chance among the bytes of a capture. */
#define MIN_WIDE 16

/* So many bytes of a capture without a NUL, or with characters of UTF-8 alone, are no chance. */
#define MIN_HEAD 1024

/* Bytes of a text that are looked at: as many as tt_src_peek() gives. */
#define PLAIN_MAX 4096

#define PACKED "compressed"
#define COPY_AGAIN "copy it again as it is, in binary mode, as a file and not as text"
#define COUNT(a) (sizeof (a) / sizeof *(a))

/* The reading of a file once its text was undone. */
struct undone {
	uint8_t p[UNDONE_MAX];
	size_t n;
	bool lost;                    /* a character stood for no byte */
};

static void
put(struct undone *u, uint32_t byte)
{
	if (u->n < sizeof u->p)
		u->p[u->n++] = (uint8_t)byte;
}

/* The kind of bytes: a capture, by the name of its format, or data that is compressed; NULL: neither. */
static const char *
name_of(const struct tt_format *const *list, const struct undone *u, int min_bid)
{
	static const struct { const char *magic; size_t n; } packed[] = {
		{ "\x1f\x8b\x08", 3 }, { "\xfd" "7zXZ", 5 }, { "\x28\xb5\x2f\xfd", 4 }, { "\x04\x22\x4d\x18", 4 },
		{ "PK\x03\x04", 4 }, { "7z\xbc\xaf\x27\x1c", 6 },
	};

	for (size_t i = 0; list[i]; i++)
		if (list[i]->probe(u->p, u->n) >= min_bid)
			return list[i]->suffix;
	for (size_t i = 0; i < COUNT(packed); i++)
		if (u->n >= packed[i].n && memcmp(u->p, packed[i].magic, packed[i].n) == 0)
			return PACKED;
	return NULL;
}

/* The magic of a .ttc begins with a byte that is not text, so that it is seen where one was lost. */
static void
mend_first(struct undone *u)
{
	if (u->n > 8 && memcmp(u->p + 1, "TTC", 3) == 0)
		u->p[0] = 0x89;
}

/* --- text that stands for bytes ---------------------------------------------------------------- */

static int
digit64(uint8_t c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c == '-' ? '+' : c == '_' ? '/' : c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static int
digit2(uint8_t c)
{
	return c == '0' || c == '1' ? c - '0' : -1;
}

static int
digit32(uint8_t c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static int
digit32_hex(uint8_t c)
{
	return isdigit(c) ? c - '0' : c >= 'A' && c <= 'V' ? c - 'A' + 10 : -1;
}

static int
digit16(uint8_t c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* Digits of ${size} bits, with blanks between them. */
static void
undo_digits(struct undone *u, const uint8_t *p, size_t n, int (*digit_of)(uint8_t), unsigned size)
{
	uint32_t bits = 0;
	unsigned have = 0;

	for (size_t i = 0; i < n; i++) {
		const int digit = digit_of(p[i]);

		if (digit < 0 && !isspace(p[i]))
			break;
		if (digit < 0)
			continue;
		bits = bits << size | (uint32_t)digit;
		have += size;
		if (have >= 8)
			put(u, bits >> (have -= 8));
	}
}

static void
undo_base64(struct undone *u, const uint8_t *p, size_t n)
{
	undo_digits(u, p, n, digit64, 6);
}

static void
undo_base2(struct undone *u, const uint8_t *p, size_t n)
{
	undo_digits(u, p, n, digit2, 1);
}

static void
undo_base32(struct undone *u, const uint8_t *p, size_t n)
{
	undo_digits(u, p, n, digit32, 5);
}

static void
undo_base32_hex(struct undone *u, const uint8_t *p, size_t n)
{
	undo_digits(u, p, n, digit32_hex, 5);
}

/* Digits of ${size} bits in some other text, such as a value of JSON or a page: the first run of ${EMBEDDED}. */
static void
undo_run(struct undone *u, const uint8_t *p, size_t n, int (*digit_of)(uint8_t), unsigned size)
{
	enum { EMBEDDED = 100 };
	size_t end;

	for (size_t i = 0; i < n; i = end + 1) {
		for (end = i; end < n && digit_of(p[end]) >= 0; end++)
			;
		if (i > 0 && end - i >= EMBEDDED) {
			undo_digits(u, p + i, end - i, digit_of, size);
			return;
		}
	}
}

static void
undo_embedded(struct undone *u, const uint8_t *p, size_t n)
{
	undo_run(u, p, n, digit64, 6);
}

static void
undo_embedded_hex(struct undone *u, const uint8_t *p, size_t n)
{
	undo_run(u, p, n, digit16, 4);
}

/* Hex digits, with blanks, commas, colons or dashes between bytes. */
static void
undo_hex(struct undone *u, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		if (i + 1 < n && digit16(p[i]) >= 0 && digit16(p[i + 1]) >= 0) {
			put(u, (uint32_t)digit16(p[i]) << 4 | (uint32_t)digit16(p[i + 1]));
			i += 2;
		} else if (isspace(p[i]) || memchr(",:;-_", p[i], 5)) {
			i++;
		} else {
			break;
		}
	}
}

/* Bytes as "0x8a", "0xA" or "\x8a", whatever is between them: an array of C, such as xxd -i writes. */
static void
undo_prefixed(struct undone *u, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 3 < n; i++)
		if ((p[i] == '0' || p[i] == '\\') && p[i + 1] == 'x' && digit16(p[i + 2]) >= 0) {
			const uint32_t high = (uint32_t)digit16(p[i + 2]);

			put(u, digit16(p[i + 3]) < 0 ? high : high << 4 | (uint32_t)digit16(p[i + 3]));
		}
}

/* Numbers from -128 to 255, with blanks and commas between them: an array of JSON or Java, or what PowerShell's Get-Content writes of bytes. */
static void
undo_decimal(struct undone *u, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		const bool negative = p[i] == '-';
		uint32_t value = 0;
		size_t len = 0;

		for (i += negative; i < n && isdigit(p[i]) && len < 4; len++)
			value = value * 10 + p[i++] - '0';
		if (value > (negative ? 128 : 255) || len > 3 || (len == 0 && (negative || (!isspace(p[i]) && p[i] != ','))))
			break;
		if (len > 0)
			put(u, negative ? 256 - value : value);
		else
			i++;
	}
}

/* Numbers up to 255, each behind its place: {"0":77,"1":76}, as JSON.stringify writes arrays of bytes. */
static void
undo_keyed(struct undone *u, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n && p[i] == '"'; i++) {
		uint32_t value = 0;

		for (i++; i < n && isdigit(p[i]); i++)
			;
		for (; i < n && (p[i] == '"' || p[i] == ':' || isspace(p[i])); i++)
			;
		if (i == n || !isdigit(p[i]))
			break;
		for (; i < n && isdigit(p[i]) && value < 256; i++)
			value = value * 10 + p[i] - '0';
		put(u, value);
		while (i + 1 < n && (p[i] == ',' || isspace(p[i])) && p[i + 1] != '"')
			i++;
	}
}

/* Bytes as "\115": a text of a shell or of C. */
static void
undo_octal_escapes(struct undone *u, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 1 < n && p[i] == '\\' && p[i + 1] >= '0' && p[i + 1] <= '7';) {
		uint32_t value = 0;

		for (i++; i < n && p[i] >= '0' && p[i] <= '7' && value < 32; i++)
			value = value * 8 + p[i] - '0';
		put(u, value);
	}
}

/* The words of the first line of a dump with offsets (xxd, hexdump, od, Format-Hex), the first with *${word} digits; NULL: there is no such line. */
static const uint8_t *
find_dump(const uint8_t *p, size_t n, size_t *word)
{
	size_t i = 0, at = 0;

	while (i < n) {
		for (at = i; at < n && p[at] == '0'; at++)
			;
		if (at < n && at - i <= 16 && ((at - i >= 6 && memchr(": ", p[at], 2)) || (at - i >= 4 && p[at] == '\t')))
			break;
		while (i < n && p[i] != '\n')
			i++;
		i++;
	}
	while (i < n && at < n && memchr(": \t", p[at], 3))
		at++;
	for (*word = 0; i < n && at + *word < n && isxdigit(p[at + *word]); ++*word)
		;
	return i < n && *word > 0 ? p + at : NULL;
}

/* True if the words ${at} of a dump are behind a colon, as xxd writes it. */
static bool
is_of_xxd(const uint8_t *p, const uint8_t *at)
{
	return at && at - p > 2 && at[-2] == ':';
}

/* The bytes of the first line of a dump, whose words have ${digits} digits, the last byte first: two of a byte each, or six that are octal. */
static void
undo_line(struct undone *u, const uint8_t *p, size_t n, size_t digits)
{
	const uint8_t *end = p + n, *at = find_dump(p, n, &(size_t){ 0 });

	const size_t bytes = digits == 6 ? 2 : digits / 2;

	for (size_t in_line = 0; at && in_line < 16 && (size_t)(end - at) >= digits; in_line += bytes) {
		uint64_t value = 0;

		for (size_t i = 0; i < digits; i++)
			value = value * (digits == 6 ? 8 : 16) + (uint64_t)(digit16(at[i]) >= 0 ? digit16(at[i]) : 0);
		for (size_t i = 0; i < bytes; i++)
			put(u, (uint8_t)(value >> 8 * i));
		for (at += digits; at < end && *at == ' '; at++)
			;
	}
}

/* The bytes of the first line of a dump that has them as numbers of ${base}. */
static void
undo_numbers(struct undone *u, const uint8_t *p, size_t n, uint32_t base)
{
	const uint8_t *const end = p + n, *at = find_dump(p, n, &(size_t){ 0 });

	while (at && at < end && *at != '\n') {
		uint32_t value = 0;

		for (; at < end && *at >= '0' && *at < '0' + base && value < 256; at++)
			value = value * base + *at - '0';
		if (value > 255 || (at < end && *at != ' ' && *at != '\n'))
			break;
		put(u, value);
		while (at < end && *at == ' ')
			at++;
	}
}

static void
undo_octal_bytes(struct undone *u, const uint8_t *p, size_t n)
{
	undo_numbers(u, p, n, 8);
}

static void
undo_decimal_bytes(struct undone *u, const uint8_t *p, size_t n)
{
	undo_numbers(u, p, n, 10);
}

/* Words as signed or unsigned numbers, as many as are in the 16 bytes of a line. */
static void
undo_decimal_words(struct undone *u, const uint8_t *p, size_t n)
{
	const uint8_t *const end = p + n;
	const uint8_t *at = n > 7 && memcmp(p, "0000000 ", 8) == 0 ? p + 7 : end;
	uint64_t word[8];
	size_t nword = 0;

	while (at < end && *at != '\n') {
		const bool negative = *at == '-';
		const uint8_t *const begin = at += negative;
		uint64_t value = 0;

		for (; at < end && isdigit(*at); at++)
			value = value * 10 + *at - '0';
		if (at > begin && nword == COUNT(word))
			return;
		if (at > begin)
			word[nword++] = negative ? 0 - value : value;
		else if (negative || *at++ != ' ')
			return;
	}
	for (size_t i = 0; nword > 1 && 16 % nword == 0 && i < 16; i++)
		put(u, (uint8_t)(word[i / (16 / nword)] >> 8 * (i % (16 / nword))));
}

/* Not xxd's, which has a colon: its groups are of two bytes. */
static void
undo_dump(struct undone *u, const uint8_t *p, size_t n)
{
	if (!is_of_xxd(p, find_dump(p, n, &(size_t){ 0 })))
		undo_line(u, p, n, 2);
}

/* Words of as many digits as the first one. */
static void
undo_long_words(struct undone *u, const uint8_t *p, size_t n)
{
	size_t word;
	const uint8_t *at = find_dump(p, n, &word);

	if (at && !is_of_xxd(p, at) && (word == 8 || word == 16))
		undo_line(u, p, n, word);
}

/* The same by xxd -e, of any size. */
static void
undo_xxd_words(struct undone *u, const uint8_t *p, size_t n)
{
	size_t word;
	const uint8_t *at = find_dump(p, n, &word);

	if (is_of_xxd(p, at) && (word == 4 || word == 8 || word == 16))
		undo_line(u, p, n, word);
}

static void
undo_words(struct undone *u, const uint8_t *p, size_t n)
{
	if (!is_of_xxd(p, find_dump(p, n, &(size_t){ 0 })))
		undo_line(u, p, n, 4);
}

static void
undo_octal(struct undone *u, const uint8_t *p, size_t n)
{
	undo_line(u, p, n, 6);
}

/* The bytes of each line of xxd, as ${size} digits of ${base} each; they end at two blanks. */
static void
undo_lines(struct undone *u, const uint8_t *p, size_t n, uint32_t base, size_t size)
{
	const uint8_t *const end = p + n, *at = find_dump(p, n, &(size_t){ 0 });

	if (!is_of_xxd(p, at))
		return;
	while (at && (size_t)(end - at) > size) {
		uint32_t value = 0;

		for (size_t i = 0; i < size; i++) {
			const int digit = digit16(at[i]);

			if (digit < 0 || (uint32_t)digit >= base)
				return;
			value = value * base + (uint32_t)digit;
		}
		put(u, value);
		at += size + (at[size] == ' ');
		if (at < end && *at != ' ' && *at != '\n')
			continue;
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? memmem(at, (size_t)(end - at), ": ", 2) : NULL;
		at = at ? at + 2 : NULL;
	}
}

/* True if the characters behind the bytes of the first line of xxd are theirs, one after the other. */
static bool
has_characters(const struct undone *u, const uint8_t *p, size_t n)
{
	const uint8_t *const end = p + n, *at = find_dump(p, n, &(size_t){ 0 });

	at = at ? memmem(at, (size_t)(end - at), "  ", 2) : NULL;
	at = at ? at + 2 : end;
	for (size_t i = 0; i < u->n && at < end && *at != '\n'; i++, at++)
		if (*at != (u->p[i] >= ' ' && u->p[i] <= '~' ? u->p[i] : '.'))
			return false;
	return true;
}

/* xxd's groups of bytes are in their order, but for those of xxd -e: readers that know both orders may take either. */
static void
undo_xxd(struct undone *u, const uint8_t *p, size_t n)
{
	undo_lines(u, p, n, 16, 2);
	u->n = has_characters(u, p, n) ? u->n : 0;
}

static void
undo_xxd_bits(struct undone *u, const uint8_t *p, size_t n)
{
	undo_lines(u, p, n, 2, 8);
}

/* The byte that the four characters ${p} of a dump of characters stand for: "   M", "  \\n", " 377"; -1: none. */
static int
byte_of(const uint8_t p[4])
{
	static const char named[] = "0123456abtnvfr";         /* \0, \a and so on, by their values */
	const char *at = p[1] == ' ' && p[2] == '\\' && p[3] ? strchr(named, p[3]) : NULL;

	if (p[0] != ' ' || p[3] < ' ')
		return -1;
	if (p[1] >= '0' && p[1] <= '3')
		return (p[1] - '0') * 64 + (p[2] & 7) * 8 + (p[3] & 7);
	return at ? (int)(at - named) : p[1] == ' ' && p[2] == ' ' ? p[3] : -1;
}

/* A dump of characters: all lines, each behind its place. */
static void
undo_characters(struct undone *u, const uint8_t *p, size_t n)
{
	const uint8_t *const end = p + n, *at = n > 6 && memcmp(p, "000000", 6) == 0 ? p : NULL;
	bool any = false;             /* a byte that no other dump writes so */

	while (at) {
		while (at < end && digit16(*at) >= 0)
			at++;
		for (int byte; end - at >= 4 && (byte = byte_of(at)) >= 0; at += 4) {
			put(u, (uint32_t)byte);
			any = any || at[1] == ' ';
		}
		at = at < end && *at == '\n' ? at + 1 : NULL;
	}
	u->n = any ? u->n : 0;
}

/* The byte of ${len} characters at ${p}, one character or the name of one that is not printed; -1: none. */
static int
named_byte(const uint8_t *p, size_t len)
{
	static const char *const names[] = { "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl", "vt", "ff", "cr", "so", "si", "dle",
		"dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs", "rs", "us", "sp" };

	if (len == 1)
		return *p;
	for (size_t i = 0; i < COUNT(names); i++)
		if (strlen(names[i]) == len && memcmp(names[i], p, len) == 0)
			return (int)i;
	return len == 3 && memcmp(p, "del", 3) == 0 ? 127 : -1;
}

/* A dump of characters by their names, by od -a, which has no upper bit of a byte: all lines, each behind its place, each name in four places. */
static void
undo_named(struct undone *u, const uint8_t *p, size_t n)
{
	const uint8_t *const end = p + n, *at = n > 6 && memcmp(p, "000000", 6) == 0 ? p : NULL;
	bool any = false;             /* a name, which no other dump has */

	while (at) {
		while (at < end && digit16(*at) >= 0)
			at++;
		for (; end - at >= 4 && at[0] == ' ' && at[3] > ' '; at += 4) {
			const size_t len = at[2] == ' ' ? 1 : at[1] == ' ' ? 2 : 3;
			const int byte = named_byte(at + 4 - len, len);

			if (byte < 0)
				break;
			put(u, (uint32_t)byte);
			any = any || len > 1;
		}
		at = at < end && *at == '\n' ? at + 1 : NULL;
	}
	u->n = any ? u->n : 0;
	mend_first(u);
}

/* Take the numbers of the first line of a dump, four at most, one of which has a point or an exponent. Their number; 0: it is no such line. */
static size_t
take_floats(const uint8_t *p, size_t n, double number[4])
{
	const uint8_t *const end = p + n;
	const uint8_t *at = n > 7 && memcmp(p, "0000000 ", 8) == 0 ? p + 7 : end;
	size_t nnumber = 0;
	bool any = false;

	while (at < end && *at == ' ' && nnumber < 4) {
		char text[40] = "", *over;
		size_t len = 0;

		for (; at < end && *at == ' '; at++)
			;
		for (; at < end && *at > ' ' && len < sizeof text - 1; at++)
			text[len++] = (char)*at;
		number[nnumber++] = strtod(text, &over);
		if (len == 0 || *over)
			return 0;
		any = any || strpbrk(text, ".e");
	}
	return any && at < end && *at == '\n' ? nnumber : 0;
}

/* Numbers with a point, of as many bytes as their number in the first line says: that line. */
static void
undo_floats(struct undone *u, const uint8_t *p, size_t n)
{
	double number[4];
	float narrow[4];
	const size_t nnumber = take_floats(p, n, number);
	const uint8_t *const bytes = nnumber == 2 ? (const uint8_t *)number : (const uint8_t *)narrow;

	for (size_t i = 0; i < nnumber; i++)
		narrow[i] = (float)number[i];
	for (size_t i = 0; (nnumber == 2 || nnumber == 4) && i < 16; i++)
		put(u, bytes[i]);
}

/* Groups of five digits of base 85, which are those in ${digits}, each of four bytes; the last may be shorter, by as many. ${zeros}: "z" is four zeros. */
static void
undo_base85(struct undone *u, const uint8_t *p, size_t n, const char *digits, bool zeros)
{
	uint64_t value = 0;
	unsigned have = 0;

	for (size_t i = 0; i < n; i++) {
		const char *const at = p[i] ? strchr(digits, p[i]) : NULL;

		if (isspace(p[i]))
			continue;
		if (zeros && p[i] == 'z' && have == 0) {
			for (int k = 0; k < 4; k++)
				put(u, 0);
			continue;
		}
		if (!at)
			return;
		value = value * 85 + (uint64_t)(at - digits);
		if (++have < 5)
			continue;
		if (value > UINT32_MAX) {
			u->n = 0;
			return;
		}
		for (int k = 24; k >= 0; k -= 8)
			put(u, (uint8_t)(value >> k));
		value = have = 0;
	}
}

static void
undo_ascii85(struct undone *u, const uint8_t *p, size_t n)
{
	undo_base85(u, p, n, "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstu", true);
}

static void
undo_z85(struct undone *u, const uint8_t *p, size_t n)
{
	undo_base85(u, p, n, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#", false);
}

/* That of RFC 1924, as in patches of git and Python's b85encode(). */
static void
undo_b85(struct undone *u, const uint8_t *p, size_t n)
{
	undo_base85(u, p, n, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~", false);
}

/* Bytes as they are or, behind ${mark}, as two hex digits; a mark at the end of a line joins it with the next. Nothing, if no byte is written so. */
static void
undo_marked(struct undone *u, const uint8_t *p, size_t n, uint8_t mark)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (p[i] != mark) {
			put(u, p[i]);
		} else if (n - i > 2 && digit16(p[i + 1]) >= 0 && digit16(p[i + 2]) >= 0) {
			put(u, (uint32_t)digit16(p[i + 1]) << 4 | (uint32_t)digit16(p[i + 2]));
			any = true;
			i += 2;
		} else if (n - i > 1 && p[i + 1] == '\n') {
			i++;
		} else {
			break;
		}
	}
	u->n = any ? u->n : 0;
}

static void
undo_quoted(struct undone *u, const uint8_t *p, size_t n)
{
	undo_marked(u, p, n, '=');
}

static void
undo_percent(struct undone *u, const uint8_t *p, size_t n)
{
	undo_marked(u, p, n, '%');
	for (size_t i = 0; i < u->n; i++)            /* as in forms; a plus itself is %2B */
		u->p[i] = u->p[i] == '+' ? ' ' : u->p[i];
}

/* Characters as entities of HTML: "&#137;", "&#x4d;" or, of a few, "&lt;". */
static void
undo_entities(struct undone *u, const uint8_t *p, size_t n)
{
	static const struct { const char *name; uint8_t byte; } named[] = { { "lt;", '<' }, { "gt;", '>' }, { "amp;", '&' }, { "quot;", '"' },
		{ "apos;", '\'' }, { "nbsp;", 0xA0 } };
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *end = p[i] == '&' ? memchr(p + i, ';', n - i < 12 ? n - i : 12) : NULL;
		const bool number = end && p[i + 1] == '#', hex = number && (p[i + 2] | 0x20) == 'x';
		uint32_t value = '?';

		if (!end) {
			put(u, p[i]);
			continue;
		}
		for (size_t k = 0; k < COUNT(named); k++)
			if (strncmp((const char *)p + i + 1, named[k].name, strlen(named[k].name)) == 0)
				value = named[k].byte;
		value = number ? 0 : value;
		for (const uint8_t *at = p + i + 2 + hex; number && at < end && digit16(*at) >= 0 && value < 256; at++)
			value = value * (hex ? 16 : 10) + (uint32_t)digit16(*at);
		put(u, value);
		any = true;
		i = (size_t)(end - p);
	}
	u->n = any ? u->n : 0;
}

/* A text in quotes with escapes, of JSON, Python or JavaScript: "\u0089", "\x89", "\n". Characters from U+0100 on are '?', and lost. */
static void
undo_escapes(struct undone *u, const uint8_t *p, size_t n)
{
	static const char named[] = "n\nr\rt\tb\bf\fv\va\a";
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const size_t digits = i + 1 < n && p[i] == '\\' ? (p[i + 1] == 'u' ? 4 : p[i + 1] == 'x' ? 2 : 0) : 0;
		const char *at = i + 1 < n && p[i] == '\\' && p[i + 1] ? strchr(named, p[i + 1]) : NULL;
		uint32_t value = 0;

		if (i + 1 >= n || p[i] != '\\') {
			put(u, p[i]);
			continue;
		}
		for (size_t d = 0; d < digits && i + 2 + d < n && digit16(p[i + 2 + d]) >= 0; d++)
			value = value << 4 | (uint32_t)digit16(p[i + 2 + d]);
		any = true;
		u->lost = u->lost || value > 0xFF;
		put(u, digits ? value > 0xFF ? '?' : value : at ? (uint8_t)at[1] : p[i + 1]);
		i += 1 + digits;
	}
	u->n = any ? u->n : 0;
}

/* Lines of uuencode: the first character is the number of bytes (POSIX, uuencode). */
static void
undo_uu(struct undone *u, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 4 < n; i++) {
		const size_t line = u->n + ((size_t)(p[i] - ' ') & 63);

		for (i++; i + 3 < n && p[i] != '\n'; i += 4) {
			const uint32_t c[4] = { (p[i] - 32u) & 63, (p[i + 1] - 32u) & 63, (p[i + 2] - 32u) & 63, (p[i + 3] - 32u) & 63 };

			put(u, c[0] << 2 | c[1] >> 4);
			put(u, c[1] << 4 | c[2] >> 2);
			put(u, c[2] << 6 | c[3]);
		}
		u->n = u->n > line ? line : u->n;
	}
}

/* That of base64 and base64url, which may lack the padding at their end: base64 -d refuses that. */
#define UNDO_BASE64 "perl -MMIME::Base64 -0777 -ne 'tr|_-|/+|; print decode_base64 $_'"

/* Bytes in lines of 16, with their characters behind them, or in lines of any length. */
#define UNDO_DUMP "perl -ne 's/^[0-9a-f]{4,}\\s+//i or next; " \
	"$_ = substr $_, 0, 48 unless /^([0-9a-f]{2}\\s+)+$/i; print pack \"H*\", join \"\", /[0-9a-f]{2}/gi'"

/* Words of two bytes: the last line of a dump is the size alone; if that is odd, the last word has a byte too many. */
#define UNDO_WORDS(read) "perl -ane '$o = shift @F; print $b if @F; " \
	"$b = pack \"v*\", map { " read " } @F if @F; END { chop $b if $o =~ /[13579bdf]$/i; print $b }'"

/* The last line of a dump is the size alone, by ${radices}: what fills its last line, or word, is ${most} bytes at the most. */
#define CUT(radices, most) "END { ($n) = grep { $_ <= length $b and $_ > length($b) - " most " } " radices "; print substr $b, 0, $n }'"

/* Words of four or eight bytes. */
#define UNDO_WIDE_WORDS "perl -ane '$o = shift @F; $w ||= length $F[0]; $b .= pack $w > 8 ? \"Q<*\" : \"V*\", map { hex } @F; " \
	CUT("oct $o, int $o, hex $o", "8")

/* Numbers of as many bytes as their number in the first line says. */
#define UNDO_DECIMAL_WORDS "perl -ane '$o = shift @F; $w ||= @F; $b .= pack $w > 4 ? \"v*\" : $w > 2 ? \"V*\" : \"Q<*\", @F; " \
	CUT("oct $o, int $o, hex $o", "8")

/* The same of numbers with a point. */
#define UNDO_FLOATS "perl -ane '$o = shift @F; $w ||= @F; $b .= pack $w > 2 ? \"f<*\" : \"d<*\", @F; " CUT("oct $o, int $o, hex $o", "8")

/* Base 85 with the digits of Python's ${function}. */
#define UNDO_BASE85(function) "python3 -c 'import base64,sys; t = \"\".join(sys.stdin.read().split()); sys.stdout.buffer.write(base64." function ")'"

/* Characters in four places each. */
#define UNDO_CHARACTERS "perl -ne 'chomp; s/^([0-9a-f*]+)//; $o = $1; $b .= join \"\", map { /([0-7]{3})$/ ? chr oct $1 : " \
	"/\\\\(.)$/ ? chr index \"0123456abtnvfr\", $1 : substr $_, -1 } unpack \"(a4)*\", $_; " CUT("oct $o, hex $o, int $o", "16")

/* Groups of bytes, the last byte first, in lines of 16 bytes; the last group may be shorter, and has blanks before it. */
#define UNDO_XXD_WORDS "perl -ne 's/^[^:]*: //; $w ||= length((/^([0-9a-f]+)/i)[0]); print map { scalar reverse pack \"H*\", $_ } " \
	"substr($_, 0, 32 / $w * ($w + 1)) =~ /[0-9a-f]+/gi'"

/* HTML knows names of characters, and takes numbers from 128 to 159 for others. */
#define UNDO_ENTITIES "python3 -c 'import re,sys,html.entities as e; sys.stdout.buffer.write(re.sub(\"&(#?)([xX]?)(\\\\w+);\", lambda m: " \
	"chr(int(m[3], 16 if m[2] else 10)) if m[1] else e.html5[m[2] + m[3] + \";\"], sys.stdin.read()).encode(\"latin-1\"))'"

#define SQUEEZED "; a line \"*\" in it stands for bytes that are not there: dump it again with -v"

/* How bytes are written as text, and the commands that make them bytes again, of what refuse_coded() lets through. */
static const struct coding {
	void (*undo)(struct undone *u, const uint8_t *p, size_t n);
	int min_bid;                  /* of the reader that knows what comes out */
	const char *as, *command, *note;
} codings[] = {
	{ undo_base64, 90, "base64 text", UNDO_BASE64, "" },
	{ undo_base32, 90, "base32 text", "tr -dc A-Z2-7= | base32 -d", "" },
	{ undo_base32_hex, 90, "base32hex text", "tr -dc 0-9A-V= | tr 0-9A-V A-Z2-7 | base32 -d", "" },
	{ undo_uu, 60, "text of uuencode", "perl -ne 'print unpack \"u\", $_ unless /^[a-z`]/'", "" },
	{ undo_xxd, 90, "a dump of xxd", "sed 's/^[^:]*: *//; s/  .*//' | xxd -r -p",
	    "; a line \"*\" in it stands for bytes that are 0: dump it again without -a" },
	{ undo_xxd_bits, 90, "a dump of bits, by xxd -b", "perl -ne '/: ((?:[01]{8} ?)+)/ and print map { chr oct \"0b$_\" } split \" \", $1'", "" },
	{ undo_xxd_words, 90, "a dump of words, by xxd -e", UNDO_XXD_WORDS, "" },
	{ undo_characters, 90, "a dump of characters, by od -c", UNDO_CHARACTERS, SQUEEZED },
	{ undo_named, 60, "a dump of characters, by od -a", NULL, "" },
	{ undo_floats, 90, "a dump of floating-point numbers", UNDO_FLOATS, "; a \"nan\" in it has lost its bytes: dump the capture as bytes" },
	{ undo_long_words, 90, "a dump of words", UNDO_WIDE_WORDS, SQUEEZED },
	{ undo_dump, 90, "a dump of its bytes", UNDO_DUMP, SQUEEZED },
	{ undo_words, 90, "a dump of words", UNDO_WORDS("hex"), SQUEEZED },
	{ undo_octal, 90, "a dump of octal words", UNDO_WORDS("oct"), SQUEEZED },
	{ undo_octal_bytes, 90, "a dump of octal bytes", "perl -ne 's/^\\S+//; print map { chr oct } split'", SQUEEZED },
	{ undo_decimal_bytes, 90, "a dump of decimal bytes", "perl -ne 's/^\\S+//; print map { chr } split'", SQUEEZED },
	{ undo_decimal_words, 90, "a dump of decimal words", UNDO_DECIMAL_WORDS, SQUEEZED },
	{ undo_base2, 90, "binary text", "perl -0777 -pe 'tr/01//cd; $_ = pack \"B*\", $_'", "" },
	{ undo_hex, 90, "hexadecimal text", "tr -dc 0-9A-Fa-f | xxd -r -p", "" },
	{ undo_prefixed, 90, "hexadecimal text", "perl -ne 'print map { chr hex } /[0\\\\]x([0-9A-Fa-f]{1,2})/g'", "" },
	{ undo_decimal, 90, "decimal text", "perl -ne 'print map { chr($_ & 255) } /-?\\d+/g'", "" },
	{ undo_keyed, 90, "decimal text", "perl -ne 'print map { chr } /:\\s*(\\d+)/g'", "" },
	{ undo_octal_escapes, 90, "octal text", "perl -ne 'print map { chr oct } /\\\\([0-7]{1,3})/g'", "" },
	{ undo_ascii85, 90, "ascii85 text", UNDO_BASE85("a85decode(t.removeprefix(\"<~\").removesuffix(\"~>\"))"), "" },
	{ undo_z85, 90, "Z85 text", "basenc -" "-z85 -d", "" },
	{ undo_b85, 90, "base85 text", UNDO_BASE85("b85decode(t)"), "" },
	{ undo_quoted, 60, "quoted-printable text, as mail has it", "python3 -m quopri -d", "" },
	{ undo_percent, 60, "percent-encoded text, as in a URL", "tr -d '\\n' | tr + ' ' | perl -pe 's/%(..)/chr hex $1/ge'", "" },
	{ undo_entities, 60, "text with entities of HTML", UNDO_ENTITIES, "" },
	{ undo_escapes, 60, "a text with escapes", "python3 -c 'import ast,sys; b = ast.literal_eval(sys.stdin.read()); sys.stdout.buffer.write(b if "
	    "isinstance(b, bytes) else b.encode(\"latin-1\"))'", "" },
	{ undo_embedded, 90, "base64 text inside another", "grep -o '[A-Za-z0-9+/=_-]\\{100,\\}' | " UNDO_BASE64, "" },
	{ undo_embedded_hex, 90, "hexadecimal text inside another", "grep -o '[0-9A-Fa-f]\\{100,\\}' | xxd -r -p", "" },
};

/* The words that may stand before such text: it begins with ${begins}, and the text after ${ends}. ${cut} takes it away. */
static const struct lead {
	const char *begins, *ends, *cut;
} leads[] = {
	{ "", "", "" },
	{ "data:", ",", "sed 's/^[^,]*,//' | " },
	{ "-----BEGIN", "\n", "grep -v -e ----- | " },
	{ "begin-base64 ", "\n", "grep -v -e ^begin -e ^==== | " },
	{ "begin ", "\n", "" },
	{ "0x", "x", "sed 's/^0x//' | " },
	{ "<~", "~", "" },
	{ "\\x", "x", "sed 's/^.x//' | " },
	{ "[", "[", "" },
	{ "{", "[", "perl -0777 -pe 's/^[^[]*\\[//; s/\\].*//s' | " },
	{ "{", "{", "" },
	{ "b'", "'", "" },
	{ "b\"", "\"", "" },
	{ "\"", "\"", "" },
	{ "'", "'", "" },
	{ "", "\n\n", "sed '1,/^$/d' | " },
	{ "", "[", "perl -0777 -pe 's/^[^[]*\\[//; s/\\].*//s' | " },
	{ "", "{", "perl -0777 -pe 's/^[^{]*\\{//; s/\\}.*//s' | " },
};

/* --- text ------------------------------------------------------------------------------------ */

/* Characters beyond ASCII in a text, and how many of them are U+FFFD; nul: there is one. Not valid: the bytes are no UTF-8. */
struct text {
	size_t wide, replaced;
	bool valid, nul;
};

/* Take the first bytes of a file for UTF-8, and undo that: characters up to U+00FF become bytes, others '?'. */
static struct text
undo_utf8(struct undone *u, const uint8_t *p, size_t n)
{
	struct text t = { .valid = true };
	size_t i = 0, len;

	for (; i < n; i += len) {
		uint32_t c;

		len = tt_utf8_len((const char *)p + i, n - i);
		if (len == 0)
			break;
		c = tt_utf8_code((const char *)p + i, len);
		t.wide += c >= 0x80;
		t.replaced += c == 0xFFFD;
		t.nul = t.nul || c == 0;
		put(u, c < 0x100 ? c : '?');
	}
	/* The last character may be cut. */
	t.valid = n - i < 4;
	return t;
}

/* The same for UTF-16, with its mark or without. */
static void
undo_utf16(struct undone *u, const uint8_t *p, size_t n, bool big)
{
	for (size_t i = 0; i + 1 < n; i += 2) {
		const uint32_t c = big ? (uint32_t)p[i] << 8 | p[i + 1] : (uint32_t)p[i + 1] << 8 | p[i];

		if (i > 0 || c != 0xFEFF)
			put(u, c < 0x100 ? c : '?');
	}
}

/* --- what it is ------------------------------------------------------------------------------ */

static int
refuse(const char *name, const char *as, struct tt_err *err)
{
	if (strcmp(name, PACKED) == 0)
		return tt_fail(err, TT_E_UNKNOWN, 0, "is compressed data %s", as);
	return tt_fail(err, TT_E_UNKNOWN, 0, "is a %s capture %s", name, as);
}

/* The text at ${p} as ASCII without a mark, NUL and carriage returns, as the commands of codings[] get it; *${begin}: without what may stand around it. */
static size_t
make_plain(const uint8_t *p, size_t n, uint8_t plain[PLAIN_MAX], size_t *begin)
{
	size_t nplain = 0, i = 0;

	for (i = n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; i < n && nplain < PLAIN_MAX; i++)
		if (p[i] && p[i] != '\r' && (i >= 2 || p[i] < 0xFE))
			plain[nplain++] = p[i];
	for (*begin = 0; *begin < nplain && (isspace(plain[*begin]) || plain[*begin] == '`'); ++*begin)
		;
	return nplain;
}

/* Refuse text that stands for bytes, alone or behind one of leads[]; inside another text only if it is nothing else. */
static int
refuse_coded(const struct tt_format *const *list, const uint8_t *head, size_t nhead, struct tt_err *err)
{
	uint8_t plain[PLAIN_MAX];
	size_t begin;
	const size_t nplain = make_plain(head, nhead, plain, &begin);
	const uint8_t *p = plain + begin;
	const size_t n = nplain - begin;

	for (size_t i = 0; i < COUNT(leads) * COUNT(codings); i++) {
		const struct lead *lead = &leads[i % COUNT(leads)];
		const struct coding *coding = &codings[i / COUNT(leads)];
		const size_t begins = strlen(lead->begins), ends = strlen(lead->ends);
		const uint8_t *at = n >= begins && memcmp(p, lead->begins, begins) == 0 ? memmem(p, n, lead->ends, ends) : NULL;
		struct undone u = { 0 };
		const char *name, *read;
		bool packed;

		if (!at)
			continue;
		coding->undo(&u, at + ends, n - (size_t)(at - p) - ends);
		if (u.lost)
			mend_first(&u);
		if (u.n == 0 || (name = name_of(list, &u, coding->min_bid)) == NULL)
			continue;
		packed = strcmp(name, PACKED) == 0;
		if (u.lost)
			return refuse(name, "that was decoded as UTF-8 text: bytes that are no text became U+FFFD, and are lost; " COPY_AGAIN, err);
		if (!coding->command)
			return refuse(name, "as a dump of characters, by od -a, which leaves out a bit of each byte: " COPY_AGAIN, err);
		/* Line ends of quoted-printable text are bytes, unless all end as those in mail. */
		read = coding->undo != undo_quoted ? "tr -dc '\\t\\n -~' < FILE" : memmem(head, nhead, "=\r\n", 3) ?
		    "sed 's/\\r$//' FILE" : "cat FILE";
		return tt_fail(err, TT_E_UNKNOWN, 0, "is %s%s%s as %s: decode it first: %s | %s%s > NEW%s",
		    packed ? "compressed data" : "a ", packed ? "" : name, packed ? "" : " capture", coding->as, read, lead->cut, coding->command,
		    coding->note);
	}
	return TT_OK;
}

/* Refuse UTF-16, with its mark or without, and what is behind a mark of UTF-8. */
static int
refuse_wide(const struct tt_format *const *list, const uint8_t *head, size_t n, struct tt_err *err)
{
	const enum tt_encoding encoding = tt_encoding_of(head, n);
	const char *name;

	for (int big = 0; big < 2; big++) {
		struct undone u = { 0 };

		undo_utf16(&u, head, n, big);
		mend_first(&u);
		if ((name = name_of(list, &u, 60)) != NULL)
			return refuse(name, "that was decoded as text and written as UTF-16, as PowerShell's \">\" does: " COPY_AGAIN, err);
	}
	if (encoding == TT_ENCODING_UTF16LE || encoding == TT_ENCODING_UTF16BE)
		return refuse_coded(list, head, n, err);
	if (encoding == TT_ENCODING_UTF8_MARK) {
		struct undone u = { .n = n - 3 < UNDONE_MAX ? n - 3 : UNDONE_MAX };

		memcpy(u.p, head + 3, u.n);
		if ((name = name_of(list, &u, 60)) != NULL)
			return refuse(name, "behind a byte order mark of UTF-8, which a program put before it: take the mark off: tail -c +4 FILE > NEW", err);
	}
	return TT_OK;
}

int
tt_transfer_refuse(const struct tt_format *const *list, const uint8_t *head, size_t n, bool lossy, struct tt_err *err)
{
	struct undone u = { 0 }, twice = { 0 };
	const char *name;
	struct text t;

	if (!lossy && refuse_wide(list, head, n, err) != TT_OK)
		return TT_E_UNKNOWN;
	t = undo_utf8(&u, head, n);
	mend_first(&u);
	if (t.valid && t.nul && t.replaced >= MIN_WIDE && (name = name_of(list, &u, 60)) != NULL)
		return refuse(name, "that was decoded as UTF-8 text: bytes that are no text became U+FFFD, and are lost; " COPY_AGAIN, err);
	if (t.valid && t.wide < MIN_WIDE && !t.nul)
		return refuse_coded(list, head, n, err);
	if (lossy)
		return TT_OK;
	undo_utf8(&twice, u.p, u.n);
	mend_first(&twice);
	if ((t.valid || memcmp(u.p, "\x89TTC", 4) == 0) && ((name = name_of(list, &u, 60)) != NULL || (name = name_of(list, &twice, 60)) != NULL))
		return refuse(name, "that was changed as if it were text: " COPY_AGAIN, err);
	return TT_OK;
}

bool
tt_transfer_changed(const uint8_t *head, size_t n)
{
	struct undone u = { 0 };
	const struct text t = undo_utf8(&u, head, n);
	size_t lf = 0, bare = 0, marks = 0;

	for (size_t i = 0; i < n; i++) {
		lf += head[i] == '\n';
		bare += head[i] == '\n' && (i == 0 || head[i - 1] != '\r');
		marks += head[i] == '?';
	}
	if (lf >= 4 && bare == 0)
		return true;
	if (n >= MIN_HEAD && (memchr(head, 0, n) == NULL || (t.valid && t.wide > 0)))
		return true;
	return t.valid && (t.wide >= MIN_WIDE || (t.wide == 0 && marks >= MIN_WIDE));
}

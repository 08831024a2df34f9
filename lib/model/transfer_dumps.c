/**
 * Undoes dumps of xxd, od, hexdump and Format-Hex: a few of their first bytes, by which the readers know a capture.
 */
#include "model/transfer_codings.h"

#include <stdlib.h>

#define COUNT(a) (sizeof (a) / sizeof *(a))

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

/* True if the words ${at} of a dump are after a colon, as xxd writes it. */
static bool
is_of_xxd(const uint8_t *p, const uint8_t *at)
{
	return at && at - p > 2 && at[-2] == ':';
}

/* The bytes of the first line of a dump, whose words have ${digits} digits, the last byte first: two of a byte each, or six that are octal. */
static void
undo_line(struct tt_undone *u, const uint8_t *p, size_t n, size_t digits)
{
	const uint8_t *end = p + n, *at = find_dump(p, n, &(size_t){ 0 });

	const size_t bytes = digits == 6 ? 2 : digits / 2;

	for (size_t in_line = 0; at && in_line < 16 && (size_t)(end - at) >= digits; in_line += bytes) {
		uint64_t value = 0;

		for (size_t i = 0; i < digits; i++)
			value = value * (digits == 6 ? 8 : 16) + (uint64_t)(tt_digit16(at[i]) >= 0 ? tt_digit16(at[i]) : 0);
		for (size_t i = 0; i < bytes; i++)
			tt_undone_put(u, (uint8_t)(value >> 8 * i));
		for (at += digits; at < end && *at == ' '; at++)
			;
	}
}

/* The bytes of the first line of a dump that has them as numbers of ${base}. */
static void
undo_numbers(struct tt_undone *u, const uint8_t *p, size_t n, uint32_t base)
{
	const uint8_t *const end = p + n, *at = find_dump(p, n, &(size_t){ 0 });

	while (at && at < end && *at != '\n') {
		uint32_t value = 0;

		for (; at < end && *at >= '0' && *at < '0' + base && value < 256; at++)
			value = value * base + *at - '0';
		if (value > 255 || (at < end && *at != ' ' && *at != '\n'))
			break;
		tt_undone_put(u, value);
		while (at < end && *at == ' ')
			at++;
	}
}

void
tt_undo_octal_bytes(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_numbers(u, p, n, 8);
}

void
tt_undo_decimal_bytes(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_numbers(u, p, n, 10);
}

/* Undo lines of decimal words, signed or unsigned: each line has the words of 16 bytes. */
void
tt_undo_decimal_words(struct tt_undone *u, const uint8_t *p, size_t n)
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
		tt_undone_put(u, (uint8_t)(word[i / (16 / nword)] >> 8 * (i % (16 / nword))));
}

/* Not xxd's, which has a colon: its groups are of two bytes. */
void
tt_undo_dump(struct tt_undone *u, const uint8_t *p, size_t n)
{
	if (!is_of_xxd(p, find_dump(p, n, &(size_t){ 0 })))
		undo_line(u, p, n, 2);
}

/* Words of as many digits as the first one. */
void
tt_undo_long_words(struct tt_undone *u, const uint8_t *p, size_t n)
{
	size_t word;
	const uint8_t *at = find_dump(p, n, &word);

	if (at && !is_of_xxd(p, at) && (word == 8 || word == 16))
		undo_line(u, p, n, word);
}

/* The same by xxd -e, of any size. */
void
tt_undo_xxd_words(struct tt_undone *u, const uint8_t *p, size_t n)
{
	size_t word;
	const uint8_t *at = find_dump(p, n, &word);

	if (is_of_xxd(p, at) && (word == 4 || word == 8 || word == 16))
		undo_line(u, p, n, word);
}

void
tt_undo_words(struct tt_undone *u, const uint8_t *p, size_t n)
{
	if (!is_of_xxd(p, find_dump(p, n, &(size_t){ 0 })))
		undo_line(u, p, n, 4);
}

void
tt_undo_octal(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_line(u, p, n, 6);
}

/* The bytes of each line of xxd, as ${size} digits of ${base} each; they end at two blanks. */
static void
undo_lines(struct tt_undone *u, const uint8_t *p, size_t n, uint32_t base, size_t size)
{
	const uint8_t *const end = p + n, *at = find_dump(p, n, &(size_t){ 0 });

	if (!is_of_xxd(p, at))
		return;
	while (at && (size_t)(end - at) > size) {
		uint32_t value = 0;

		for (size_t i = 0; i < size; i++) {
			const int digit = tt_digit16(at[i]);

			if (digit < 0 || (uint32_t)digit >= base)
				return;
			value = value * base + (uint32_t)digit;
		}
		tt_undone_put(u, value);
		at += size + (at[size] == ' ');
		if (at < end && *at != ' ' && *at != '\n')
			continue;
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? memmem(at, (size_t)(end - at), ": ", 2) : NULL;
		at = at ? at + 2 : NULL;
	}
}

/* True if the characters after the bytes of the first line of xxd are theirs, one after the other. */
static bool
has_characters(const struct tt_undone *u, const uint8_t *p, size_t n)
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
void
tt_undo_xxd(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_lines(u, p, n, 16, 2);
	u->n = has_characters(u, p, n) ? u->n : 0;
}

void
tt_undo_xxd_bits(struct tt_undone *u, const uint8_t *p, size_t n)
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

/* Undo all lines of a dump of characters, each after its offset. */
void
tt_undo_characters(struct tt_undone *u, const uint8_t *p, size_t n)
{
	const uint8_t *const end = p + n, *at = n > 6 && memcmp(p, "000000", 6) == 0 ? p : NULL;
	bool any = false;             /* a byte that no other dump writes so */

	while (at) {
		while (at < end && tt_digit16(*at) >= 0)
			at++;
		for (int byte; end - at >= 4 && (byte = byte_of(at)) >= 0; at += 4) {
			tt_undone_put(u, (uint32_t)byte);
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

/* Undo all lines of od -a, which names characters and drops the upper bit of bytes: each line after its offset, each name in four columns. */
void
tt_undo_named(struct tt_undone *u, const uint8_t *p, size_t n)
{
	const uint8_t *const end = p + n, *at = n > 6 && memcmp(p, "000000", 6) == 0 ? p : NULL;
	bool any = false;             /* a name, which no other dump has */

	while (at) {
		while (at < end && tt_digit16(*at) >= 0)
			at++;
		for (; end - at >= 4 && at[0] == ' ' && at[3] > ' '; at += 4) {
			const size_t len = at[2] == ' ' ? 1 : at[1] == ' ' ? 2 : 3;
			const int byte = named_byte(at + 4 - len, len);

			if (byte < 0)
				break;
			tt_undone_put(u, (uint32_t)byte);
			any = any || len > 1;
		}
		at = at < end && *at == '\n' ? at + 1 : NULL;
	}
	u->n = any ? u->n : 0;
	tt_undone_mend(u);
}

/* Read the first line of a dump: at most four numbers, at least one of them with a point or an exponent. Return how many; 0: it is another line. */
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

/* Undo the first line of a dump of floating-point numbers; how many there are in the line tells their size. */
void
tt_undo_floats(struct tt_undone *u, const uint8_t *p, size_t n)
{
	double number[4];
	float narrow[4];
	const size_t nnumber = take_floats(p, n, number);
	const uint8_t *const bytes = nnumber == 2 ? (const uint8_t *)number : (const uint8_t *)narrow;

	for (size_t i = 0; i < nnumber; i++)
		narrow[i] = (float)number[i];
	for (size_t i = 0; (nnumber == 2 || nnumber == 4) && i < 16; i++)
		tt_undone_put(u, bytes[i]);
}

/**
 * Undoes bytes written as digits of base64, hex and others, with escapes or entities; and lists all codings with the commands that undo them.
 */
#include "model/transfer_codings.h"

#define COUNT(a) (sizeof (a) / sizeof *(a))

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

/* Digits of ${size} bits, with blanks between them. */
static void
undo_digits(struct tt_undone *u, const uint8_t *p, size_t n, int (*digit_of)(uint8_t), unsigned size)
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
			tt_undone_put(u, bits >> (have -= 8));
	}
}

static void
undo_base64(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_digits(u, p, n, digit64, 6);
}

static void
undo_base2(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_digits(u, p, n, digit2, 1);
}

static void
undo_base32(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_digits(u, p, n, digit32, 5);
}

static void
undo_base32_hex(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_digits(u, p, n, digit32_hex, 5);
}

/* Digits of ${size} bits in some other text, such as a value of JSON or a page: the first run of ${EMBEDDED}. */
static void
undo_run(struct tt_undone *u, const uint8_t *p, size_t n, int (*digit_of)(uint8_t), unsigned size)
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
undo_embedded(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_run(u, p, n, digit64, 6);
}

static void
undo_embedded_hex(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_run(u, p, n, tt_digit16, 4);
}

/* Hex digits, with blanks, commas, colons or dashes between bytes. */
static void
undo_hex(struct tt_undone *u, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		if (i + 1 < n && tt_digit16(p[i]) >= 0 && tt_digit16(p[i + 1]) >= 0) {
			tt_undone_put(u, (uint32_t)tt_digit16(p[i]) << 4 | (uint32_t)tt_digit16(p[i + 1]));
			i += 2;
		} else if (isspace(p[i]) || memchr(",:;-_", p[i], 5)) {
			i++;
		} else {
			break;
		}
	}
}

/* True if the text ends at ${p}, or only quotes and blanks are there, as between its lines. */
static bool
is_between_lines(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n && p[i] != '\\'; i++)
		if (!isspace(p[i]) && p[i] != '"' && p[i] != '\'' && p[i] != ')' && p[i] != ';')
			return false;
	return true;
}

/*
 * Bytes as "0x8a", "0xA" or "\x8a", whatever is between them: an array of C, such as xxd -i writes. Nothing, if characters are between the latter: a text with
 * escapes.
 */
static void
undo_prefixed(struct tt_undone *u, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 3 < n; i++) {
		const bool escape = p[i] == '\\' && p[i + 1] == 'x' && tt_digit16(p[i + 2]) >= 0;

		if (escape && n - i > 4 && !is_between_lines(p + i + 4, n - i - 4)) {
			u->n = 0;
			return;
		}
		if ((p[i] == '0' || p[i] == '\\') && p[i + 1] == 'x' && tt_digit16(p[i + 2]) >= 0) {
			const uint32_t high = (uint32_t)tt_digit16(p[i + 2]);

			tt_undone_put(u, tt_digit16(p[i + 3]) < 0 ? high : high << 4 | (uint32_t)tt_digit16(p[i + 3]));
		}
	}
}

/* Numbers from -128 to 255, with blanks and commas between them: an array of JSON or Java, or what PowerShell's Get-Content writes of bytes. */
static void
undo_decimal(struct tt_undone *u, const uint8_t *p, size_t n)
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
			tt_undone_put(u, negative ? 256 - value : value);
		else
			i++;
	}
}

/* Numbers up to 255, each after its place: {"0":77,"1":76}, as JSON.stringify writes arrays of bytes. */
static void
undo_keyed(struct tt_undone *u, const uint8_t *p, size_t n)
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
		tt_undone_put(u, value);
		while (i + 1 < n && (p[i] == ',' || isspace(p[i])) && p[i + 1] != '"')
			i++;
	}
}

/* The number of up to three octal digits at *${p}, which moves behind them; ${end}: of the text. */
static uint32_t
take_octal(const uint8_t **p, const uint8_t *end)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 3 && *p < end && **p >= '0' && **p <= '7' && value < 32; i++)
		value = value * 8 + *(*p)++ - '0';
	return value;
}

/* Bytes as "\115": a text of a shell or of C. Nothing, if characters are between them: a text with escapes. */
static void
undo_octal_escapes(struct tt_undone *u, const uint8_t *p, size_t n)
{
	const uint8_t *const end = p + n;

	while (end - p > 1 && *p == '\\' && p[1] >= '0' && p[1] <= '7') {
		p++;
		tt_undone_put(u, take_octal(&p, end));
	}
	if (!is_between_lines(p, (size_t)(end - p)))
		u->n = 0;
}

/* Groups of five digits of base 85, which are those in ${digits}, each of four bytes; the last may be shorter, by as many. ${zeros}: "z" is four zeros. */
static void
undo_base85(struct tt_undone *u, const uint8_t *p, size_t n, const char *digits, bool zeros)
{
	uint64_t value = 0;
	unsigned have = 0;

	for (size_t i = 0; i < n; i++) {
		const char *const at = p[i] ? strchr(digits, p[i]) : NULL;

		if (isspace(p[i]))
			continue;
		if (zeros && p[i] == 'z' && have == 0) {
			for (int k = 0; k < 4; k++)
				tt_undone_put(u, 0);
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
			tt_undone_put(u, (uint8_t)(value >> k));
		value = have = 0;
	}
}

static void
undo_ascii85(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_base85(u, p, n, "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstu", true);
}

static void
undo_z85(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_base85(u, p, n, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#", false);
}

/* That of RFC 1924, as in patches of git and Python's b85encode(). */
static void
undo_b85(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_base85(u, p, n, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~", false);
}

/* Bytes as they are or, after ${mark}, as two hex digits; a mark at the end of a line joins it with the next. Nothing, if no byte is written so. */
static void
undo_marked(struct tt_undone *u, const uint8_t *p, size_t n, uint8_t mark)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (p[i] != mark) {
			tt_undone_put(u, p[i]);
		} else if (n - i > 2 && tt_digit16(p[i + 1]) >= 0 && tt_digit16(p[i + 2]) >= 0) {
			tt_undone_put(u, (uint32_t)tt_digit16(p[i + 1]) << 4 | (uint32_t)tt_digit16(p[i + 2]));
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
undo_quoted(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_marked(u, p, n, '=');
}

static void
undo_percent(struct tt_undone *u, const uint8_t *p, size_t n)
{
	undo_marked(u, p, n, '%');
	for (size_t i = 0; i < u->n; i++)            /* as in forms; a plus itself is %2B */
		u->p[i] = u->p[i] == '+' ? ' ' : u->p[i];
}

/* Characters as entities of HTML: "&#137;", "&#x4d;" or, of a few, "&lt;". */
static void
undo_entities(struct tt_undone *u, const uint8_t *p, size_t n)
{
	static const struct { const char *name; uint8_t byte; } named[] = { { "lt;", '<' }, { "gt;", '>' }, { "amp;", '&' }, { "quot;", '"' },
		{ "apos;", '\'' }, { "nbsp;", 0xA0 } };
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *end = p[i] == '&' ? memchr(p + i, ';', n - i < 12 ? n - i : 12) : NULL;
		const bool number = end && p[i + 1] == '#', hex = number && (p[i + 2] | 0x20) == 'x';
		uint32_t value = '?';

		if (!end) {
			tt_undone_put(u, p[i]);
			continue;
		}
		for (size_t k = 0; k < COUNT(named); k++)
			if (strncmp((const char *)p + i + 1, named[k].name, strlen(named[k].name)) == 0)
				value = named[k].byte;
		value = number ? 0 : value;
		for (const uint8_t *at = p + i + 2 + hex; number && at < end && tt_digit16(*at) >= 0 && value < 256; at++)
			value = value * (hex ? 16 : 10) + (uint32_t)tt_digit16(*at);
		tt_undone_put(u, value);
		any = true;
		i = (size_t)(end - p);
	}
	u->n = any ? u->n : 0;
}

/* The character of the escape whose backslash is before *${p}, which moves behind it: "u0089", "x89", "211", "n"; another character is itself. */
static uint32_t
take_escape(const uint8_t **p, const uint8_t *end)
{
	static const struct { char letter, byte; } named[] = { { 'n', '\n' }, { 'r', '\r' }, { 't', '\t' }, { 'b', '\b' }, { 'f', '\f' }, { 'v', '\v' },
		{ 'a', '\a' } };
	const uint8_t c = **p;
	const unsigned digits = c == 'u' ? 4 : c == 'x' ? 2 : 0;
	uint32_t value = 0;

	if (c >= '0' && c <= '7')
		return take_octal(p, end);
	++*p;
	for (size_t i = 0; i < COUNT(named); i++)
		if (named[i].letter == (char)c)
			return (uint8_t)named[i].byte;
	if (digits == 0)
		return c;
	for (unsigned i = 0; i < digits && *p < end && tt_digit16(**p) >= 0; i++)
		value = value << 4 | (uint32_t)tt_digit16(*(*p)++);
	return value;
}

/* A text in quotes with escapes, of JSON, Python, C or JavaScript. Characters from U+0100 on are '?', and lost. */
static void
undo_escapes(struct tt_undone *u, const uint8_t *p, size_t n)
{
	const uint8_t *const end = p + n;
	bool any = false;

	while (p < end) {
		uint32_t value = *p++;

		if (value == '\\' && p < end) {
			value = take_escape(&p, end);
			any = true;
		}
		u->lost = u->lost || value > 0xFF;
		tt_undone_put(u, value > 0xFF ? '?' : value);
	}
	u->n = any ? u->n : 0;
}

/* Text of cat -v: "^@" for a control character, "M-a" for a byte beyond ASCII, "M-^@" for both. Nothing, if no NUL is among them. */
static void
undo_carets(struct tt_undone *u, const uint8_t *p, size_t n)
{
	const bool any = memmem(p, n, "^@", 2) != NULL;

	for (size_t i = 0; any && i < n; i++) {
		const uint8_t high = n - i > 2 && p[i] == 'M' && p[i + 1] == '-' ? 0x80 : 0;

		i += high ? 2 : 0;
		if (n - i > 1 && p[i] == '^' && p[i + 1] >= '?' && p[i + 1] <= '_')
			tt_undone_put(u, high | (p[++i] ^ 0x40));
		else
			tt_undone_put(u, high | p[i]);
	}
}

/* Lines of uuencode: the first character is the number of bytes (POSIX, uuencode). */
static void
undo_uu(struct tt_undone *u, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 4 < n; i++) {
		const size_t line = u->n + ((size_t)(p[i] - ' ') & 63);

		for (i++; i + 3 < n && p[i] != '\n'; i += 4) {
			const uint32_t c[4] = { (p[i] - 32u) & 63, (p[i + 1] - 32u) & 63, (p[i + 2] - 32u) & 63, (p[i + 3] - 32u) & 63 };

			tt_undone_put(u, c[0] << 2 | c[1] >> 4);
			tt_undone_put(u, c[1] << 4 | c[2] >> 2);
			tt_undone_put(u, c[2] << 6 | c[3]);
		}
		u->n = u->n > line ? line : u->n;
	}
}

/* That of base64 and base64url, which may lack the padding at their end: base64 -d refuses that. */
#define UNDO_BASE64 "perl -MMIME::Base64 -0777 -ne 'tr|_-|/+|; print decode_base64 $_'"

/* Bytes in lines of 16, with their characters after them, or in lines of any length. */
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

const struct tt_coding tt_codings[] = {
	{ undo_base64, 90, "base64 text", UNDO_BASE64, "", false },
	{ undo_base32, 90, "base32 text", "tr -dc A-Z2-7= | base32 -d", "", false },
	{ undo_base32_hex, 90, "base32hex text", "tr -dc 0-9A-V= | tr 0-9A-V A-Z2-7 | base32 -d", "", false },
	{ undo_uu, 60, "text of uuencode", "perl -ne 'print unpack \"u\", $_ unless /^[a-z`]/'", "", false },
	{ tt_undo_xxd, 90, "a dump of xxd", "sed 's/^[^:]*: *//; s/  .*//' | xxd -r -p",
	    "; a line \"*\" in it stands for bytes that are 0: dump it again without -a", false },
	{ tt_undo_xxd_bits, 90, "a dump of bits, by xxd -b", "perl -ne '/: ((?:[01]{8} ?)+)/ and print map { chr oct \"0b$_\" } split \" \", $1'", "", false },
	{ tt_undo_xxd_words, 90, "a dump of words, by xxd -e", UNDO_XXD_WORDS, "", false },
	{ tt_undo_characters, 90, "a dump of characters, by od -c", UNDO_CHARACTERS, SQUEEZED, false },
	{ tt_undo_named, 60, "a dump of characters, by od -a", NULL, ", which leaves out a bit of each byte", false },
	{ tt_undo_floats, 90, "a dump of floating-point numbers", UNDO_FLOATS, "; a \"nan\" in it has lost its bytes: dump the capture as bytes", false },
	{ tt_undo_long_words, 90, "a dump of words", UNDO_WIDE_WORDS, SQUEEZED, false },
	{ tt_undo_dump, 90, "a dump of its bytes", UNDO_DUMP, SQUEEZED, false },
	{ tt_undo_words, 90, "a dump of words", UNDO_WORDS("hex"), SQUEEZED, false },
	{ tt_undo_octal, 90, "a dump of octal words", UNDO_WORDS("oct"), SQUEEZED, false },
	{ tt_undo_octal_bytes, 90, "a dump of octal bytes", "perl -ne 's/^\\S+//; print map { chr oct } split'", SQUEEZED, false },
	{ tt_undo_decimal_bytes, 90, "a dump of decimal bytes", "perl -ne 's/^\\S+//; print map { chr } split'", SQUEEZED, false },
	{ tt_undo_decimal_words, 90, "a dump of decimal words", UNDO_DECIMAL_WORDS, SQUEEZED, false },
	{ undo_base2, 90, "binary text", "perl -0777 -pe 'tr/01//cd; $_ = pack \"B*\", $_'", "", false },
	{ undo_hex, 90, "hexadecimal text", "tr -dc 0-9A-Fa-f | xxd -r -p", "", false },
	{ undo_prefixed, 90, "hexadecimal text", "perl -ne 'print map { chr hex } /[0\\\\]x([0-9A-Fa-f]{1,2})/g'", "", false },
	{ undo_decimal, 90, "decimal text", "perl -ne 'print map { chr($_ & 255) } /-?\\d+/g'", "", false },
	{ undo_keyed, 90, "decimal text", "perl -ne 'print map { chr } /:\\s*(\\d+)/g'", "", false },
	{ undo_octal_escapes, 90, "octal text", "perl -ne 'print map { chr oct } /\\\\([0-7]{1,3})/g'", "", false },
	{ undo_ascii85, 90, "ascii85 text", UNDO_BASE85("a85decode(t.removeprefix(\"<~\").removesuffix(\"~>\"))"), "", false },
	{ undo_z85, 90, "Z85 text", "basenc -" "-z85 -d", "", false },
	{ undo_b85, 90, "base85 text", UNDO_BASE85("b85decode(t)"), "", false },
	{ undo_quoted, 60, "quoted-printable text, as mail has it", "python3 -m quopri -d", "", true },
	{ undo_percent, 60, "percent-encoded text, as in a URL", "tr -d '\\n' | tr + ' ' | perl -pe 's/%(..)/chr hex $1/ge'", "", false },
	{ undo_entities, 60, "text with entities of HTML", UNDO_ENTITIES, "", false },
	{ undo_carets, 60, "a text of cat -v", NULL, ", which writes different bytes alike", false },
	{ undo_escapes, 60, "a text with escapes", "python3 -c 'import ast,sys; b = ast.literal_eval(sys.stdin.read()); sys.stdout.buffer.write(b if "
	    "isinstance(b, bytes) else b.encode(\"latin-1\"))'", "", false },
	{ undo_embedded, 90, "base64 text inside another", "grep -o '[A-Za-z0-9+/=_-]\\{100,\\}' | " UNDO_BASE64, "", false },
	{ undo_embedded_hex, 90, "hexadecimal text inside another", "grep -o '[0-9A-Fa-f]\\{100,\\}' | xxd -r -p", "", false },
};

const size_t tt_ncodings = COUNT(tt_codings);

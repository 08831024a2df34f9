/**
 * Undoes base64, hex, quoted-printable and text encodings of a file's first bytes, and asks the readers about the bytes that come out.
 */
#include "model/transfer.h"

#include <ctype.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"
#include "model/format.h"

/* Bytes undone: more than any reader looks at. */
#define UNDONE_MAX 1024

/* This many characters beyond ASCII, all of them valid UTF-8, are no chance among the bytes of a capture. */
#define MIN_WIDE 16

#define PACKED "compressed"
#define COUNT(a) (sizeof (a) / sizeof *(a))

/* What a file is read as once its text was undone. */
struct undone {
	uint8_t p[UNDONE_MAX];
	size_t n;
};

static void
put(struct undone *u, uint32_t byte)
{
	if (u->n < sizeof u->p)
		u->p[u->n++] = (uint8_t)byte;
}

/* What the bytes are: a capture, by the name of its format, or data that is compressed; NULL: neither. */
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

/* --- base64, hex and quoted-printable --------------------------------------------------------- */

static int
digit64(uint8_t c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c == '-' ? '+' : c == '_' ? '/' : c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static void
undo_base64(struct undone *u, const uint8_t *p, size_t n)
{
	uint32_t bits = 0;
	unsigned have = 0;

	for (size_t i = 0; i < n; i++) {
		const int digit = digit64(p[i]);

		if (digit < 0 && !isspace(p[i]))
			break;
		if (digit < 0)
			continue;
		bits = bits << 6 | (uint32_t)digit;
		have += 6;
		if (have >= 8)
			put(u, bits >> (have -= 8));
	}
}

static int
digit16(uint8_t c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* The length of the offset that a line of a dump begins with, as those of xxd, hexdump -C and od; 0: the line has none. */
static size_t
offset_of(const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && isxdigit(p[i]))
		i++;
	return i >= 6 && i <= 8 && i < n && (p[i] == ':' || p[i] == ' ') ? i + 1 : 0;
}

/* Hex digits, with blanks, commas or "0x" between bytes, or the lines of a dump. */
static void
undo_hex(struct undone *u, const uint8_t *p, size_t n)
{
	const bool dump = n > 6 && memcmp(p, "000000", 6) == 0 && offset_of(p, n);
	size_t i = 0, in_line = 0, offset;

	while (i < n) {
		if (dump && (i == 0 || p[i - 1] == '\n')) {
			if ((offset = offset_of(p + i, n - i)) == 0)
				break;
			in_line = 0;
			i += offset;
		} else if (dump && in_line == 16) {
			i++;
		} else if (i + 1 < n && p[i] == '0' && (p[i + 1] | 32) == 'x') {
			i += 2;
		} else if (i + 1 < n && digit16(p[i]) >= 0 && digit16(p[i + 1]) >= 0) {
			put(u, (uint32_t)digit16(p[i]) << 4 | (uint32_t)digit16(p[i + 1]));
			in_line++;
			i += 2;
		} else if (isspace(p[i]) || memchr(",:;{[\\", p[i], 6)) {
			i++;
		} else {
			break;
		}
	}
}

/* Bytes as they are or "=8A" (RFC 2045, 6.7); a "=" at the end of a line joins it with the next. False: no byte is written so. */
static bool
undo_quoted(struct undone *u, const uint8_t *p, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (p[i] != '=') {
			put(u, p[i]);
		} else if (n - i > 2 && digit16(p[i + 1]) >= 0 && digit16(p[i + 2]) >= 0) {
			put(u, (uint32_t)digit16(p[i + 1]) << 4 | (uint32_t)digit16(p[i + 2]));
			any = true;
			i += 2;
		} else if (n - i > 1 && p[i + 1] == '\n') {
			i++;
		} else if (n - i > 2 && p[i + 1] == '\r' && p[i + 2] == '\n') {
			i += 2;
		} else {
			break;
		}
	}
	return any;
}

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

/* The same for UTF-16 with its mark. */
static void
undo_utf16(struct undone *u, const uint8_t *p, size_t n)
{
	const bool big = p[0] == 0xFE;

	for (size_t i = 2; i + 1 < n; i += 2) {
		const uint32_t c = big ? (uint32_t)p[i] << 8 | p[i + 1] : (uint32_t)p[i + 1] << 8 | p[i];

		put(u, c < 0x100 ? c : '?');
	}
}

/* The magic of a .ttc begins with a byte that is not text, so that it is seen where one was lost. */
static void
mend_first(struct undone *u)
{
	if (u->n > 8 && memcmp(u->p + 1, "TTC", 3) == 0)
		u->p[0] = 0x89;
}

/* --- what it is ------------------------------------------------------------------------------ */

static int
refuse(const char *name, const char *as, struct tt_err *err)
{
	if (strcmp(name, PACKED) == 0)
		return tt_fail(err, TT_E_UNKNOWN, 0, "is compressed data %s", as);
	return tt_fail(err, TT_E_UNKNOWN, 0, "is a %s capture %s", name, as);
}

/* Text that stands for bytes: base64, hex or quoted-printable, alone, in quotes, in a data URL, or in the frame of PEM. */
static int
refuse_coded(const struct tt_format *const *list, const uint8_t *p, size_t n, struct tt_err *err)
{
	struct undone b = { 0 }, h = { 0 }, q = { 0 };
	const char *name;
	const uint8_t *at;

	while (n > 0 && (isspace(*p) || memchr("\"'`", *p, 3))) {
		p++;
		n--;
	}
	if (n > 5 && memcmp(p, "data:", 5) == 0 && (at = memchr(p, ',', n)) != NULL) {
		n -= (size_t)(at + 1 - p);
		p = at + 1;
	} else if (n > 10 && memcmp(p, "-----BEGIN", 10) == 0 && (at = memchr(p, '\n', n)) != NULL) {
		n -= (size_t)(at + 1 - p);
		p = at + 1;
	}
	undo_base64(&b, p, n);
	if ((name = name_of(list, &b, 90)) != NULL)
		return refuse(name, "as base64 text: decode it first (base64 -d; for a data URL, what follows the comma)", err);
	undo_hex(&h, p, n);
	if ((name = name_of(list, &h, 90)) != NULL)
		return refuse(name, "as hexadecimal text: make it bytes first (xxd -r -p; for a dump with offsets, xxd -r)", err);
	if (undo_quoted(&q, p, n) && (name = name_of(list, &q, 60)) != NULL)
		return refuse(name, "as quoted-printable text, as mail has it: decode it first (qprint -d, or python3 -m quopri -d)", err);
	return TT_OK;
}

#define COPY_AGAIN "copy it again as it is, in binary mode, as a file and not as text"

int
tt_transfer_refuse(const struct tt_format *const *list, const uint8_t *head, size_t n, bool lossy, struct tt_err *err)
{
	struct undone u = { 0 };
	const char *name;
	struct text t;

	if (!lossy && n >= 2 && (memcmp(head, "\xFF\xFE", 2) == 0 || memcmp(head, "\xFE\xFF", 2) == 0)) {
		undo_utf16(&u, head, n);
		mend_first(&u);
		if ((name = name_of(list, &u, 60)) != NULL)
			return refuse(name, "that was decoded as text and written as UTF-16, as PowerShell's \">\" does: " COPY_AGAIN, err);
		return refuse_coded(list, u.p, u.n, err);
	}
	t = undo_utf8(&u, head, n);
	mend_first(&u);
	if (t.valid && t.nul && t.replaced >= MIN_WIDE && (name = name_of(list, &u, 60)) != NULL)
		return refuse(name, "that was decoded as UTF-8 text: bytes that are no text became U+FFFD, and are lost; " COPY_AGAIN, err);
	if (t.valid && t.wide < MIN_WIDE && !t.nul)
		return refuse_coded(list, head, n, err);
	if (lossy)
		return TT_OK;
	if ((t.valid || memcmp(u.p, "\x89TTC", 4) == 0) && (name = name_of(list, &u, 60)) != NULL)
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
	return t.valid && (t.wide >= MIN_WIDE || (t.wide == 0 && marks >= MIN_WIDE));
}

/**
 * Undoes the codings of text in a file's first bytes (transfer_codings.h), and UTF-8 and UTF-16, and asks the readers about the bytes that come out.
 */
#include "model/transfer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/encoding.h"
#include "base/err.h"
#include "base/utf8.h"
#include "model/format.h"
#include "model/transfer_codings.h"

/* The bytes of a capture have as many characters beyond ASCII, all of them valid UTF-8, only if a transfer changed them. */
#define MIN_WIDE 16

/* Number of first bytes that are tested: in an undamaged capture these contain a NUL and are not UTF-8; a transfer as text removes both signs. */
#define MIN_HEAD 1024

/* Maximum bytes of a text that are examined; tt_src_peek() returns no more. */
#define PLAIN_MAX 4096

#define PACKED "compressed"
#define COPY_AGAIN "copy it again as it is, in binary mode, as a file and not as text"
#define COUNT(a) (sizeof (a) / sizeof *(a))

/* True if the ${n} bytes at ${p} begin with ${magic}, whose bytes beyond ASCII may have become '?'. */
static bool
begins_like(const uint8_t *p, size_t n, const char *magic, size_t nmagic)
{
	size_t i = 0;

	while (i < nmagic && i < n && (p[i] == (uint8_t)magic[i] || (p[i] == '?' && (uint8_t)magic[i] >= 0x80)))
		i++;
	return i == nmagic;
}

/* The kind of bytes: a capture, by the name of its format, or data that is compressed; NULL: neither. */
static const char *
name_of(const struct tt_format *const *list, const struct tt_undone *u, int min_bid)
{
	static const struct { const char *magic; size_t n; } packed[] = {
		{ "\x1f\x8b\x08", 3 }, { "\xfd" "7zXZ", 5 }, { "\x28\xb5\x2f\xfd", 4 }, { "\x04\x22\x4d\x18", 4 },
		{ "PK\x03\x04", 4 }, { "7z\xbc\xaf\x27\x1c", 6 },
	};

	for (size_t i = 0; list[i]; i++)
		if (list[i]->probe(u->p, u->n) >= min_bid)
			return list[i]->suffix;
	for (size_t i = 0; i < COUNT(packed); i++)
		if (begins_like(u->p, u->n, packed[i].magic, packed[i].n))
			return PACKED;
	return NULL;
}

/* Words that may stand before coded text: the file begins with ${begins}, the text follows ${ends}. The command ${cut} removes the words. */
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
undo_utf8(struct tt_undone *u, const uint8_t *p, size_t n)
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
		tt_undone_put(u, c < 0x100 ? c : '?');
	}
	/* The last character may be cut. */
	t.valid = n - i < 4;
	return t;
}

/* The same for UTF-16, with its mark or without. */
static void
undo_utf16(struct tt_undone *u, const uint8_t *p, size_t n, bool big)
{
	for (size_t i = 0; i + 1 < n; i += 2) {
		const uint32_t c = big ? (uint32_t)p[i] << 8 | p[i + 1] : (uint32_t)p[i + 1] << 8 | p[i];

		if (i > 0 || c != 0xFEFF)
			tt_undone_put(u, c < 0x100 ? c : '?');
	}
}

/* --- kinds of transfers ------------------------------------------------------------------------------ */

static int
refuse(const char *name, const char *as, struct tt_err *err)
{
	if (strcmp(name, PACKED) == 0)
		return tt_fail(err, TT_E_UNKNOWN, 0, "is compressed data %s", as);
	return tt_fail(err, TT_E_UNKNOWN, 0, "is a %s capture %s", name, as);
}

/* The text at ${p} as ASCII without a mark, NUL and carriage returns, as the commands of tt_codings[] get it; *${begin}: after blanks and backquotes. */
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

/* Refuse bytes written as text (base64, hexadecimal), alone or after one of leads[]; inside another text only if it is nothing else. */
static int
refuse_coded(const struct tt_format *const *list, const uint8_t *head, size_t nhead, struct tt_err *err)
{
	uint8_t plain[PLAIN_MAX];
	size_t begin;
	const size_t nplain = make_plain(head, nhead, plain, &begin);
	const uint8_t *p = plain + begin;
	const size_t n = nplain - begin;

	for (size_t i = 0; i < COUNT(leads) * tt_ncodings; i++) {
		const struct lead *lead = &leads[i % COUNT(leads)];
		const struct tt_coding *coding = &tt_codings[i / COUNT(leads)];
		const size_t begins = strlen(lead->begins), ends = strlen(lead->ends);
		const uint8_t *at = n >= begins && memcmp(p, lead->begins, begins) == 0 ? memmem(p, n, lead->ends, ends) : NULL;
		struct tt_undone u = { 0 };
		const char *name, *read;
		bool packed;

		if (!at)
			continue;
		coding->undo(&u, at + ends, n - (size_t)(at - p) - ends);
		if (u.lost)
			tt_undone_mend(&u);
		if (u.n == 0 || (name = name_of(list, &u, coding->min_bid)) == NULL)
			continue;
		packed = strcmp(name, PACKED) == 0;
		if (u.lost)
			return refuse(name, "that was decoded as UTF-8 text: bytes that are no text became U+FFFD, and are lost; " COPY_AGAIN, err);
		if (!coding->command)
			return tt_fail(err, TT_E_UNKNOWN, 0, "is %s%s%s as %s%s: " COPY_AGAIN, packed ? "compressed data" : "a ", packed ? "" : name,
			    packed ? "" : " capture", coding->as, coding->note);
		/* Line ends of quoted-printable text are bytes, unless all end as those in mail. */
		read = !coding->keeps_line_ends ? "tr -dc '\\t\\n -~' < FILE" : memmem(head, nhead, "=\r\n", 3) ?
		    "sed 's/\\r$//' FILE" : "cat FILE";
		return tt_fail(err, TT_E_UNKNOWN, 0, "is %s%s%s as %s: decode it first: %s | %s%s > NEW%s",
		    packed ? "compressed data" : "a ", packed ? "" : name, packed ? "" : " capture", coding->as, read, lead->cut, coding->command,
		    coding->note);
	}
	return TT_OK;
}

/* Refuse UTF-16, with its mark or without, and what is after a mark of UTF-8. */
static int
refuse_wide(const struct tt_format *const *list, const uint8_t *head, size_t n, struct tt_err *err)
{
	const enum tt_encoding encoding = tt_encoding_of(head, n);
	const char *name;

	for (int big = 0; big < 2; big++) {
		struct tt_undone u = { 0 };

		undo_utf16(&u, head, n, big);
		tt_undone_mend(&u);
		if ((name = name_of(list, &u, 60)) != NULL)
			return refuse(name, "that was decoded as text and written as UTF-16, as PowerShell's \">\" does: " COPY_AGAIN, err);
	}
	if (encoding == TT_ENCODING_UTF16LE || encoding == TT_ENCODING_UTF16BE)
		return refuse_coded(list, head, n, err);
	if (encoding == TT_ENCODING_UTF8_MARK) {
		struct tt_undone u = { .n = n - 3 < TT_UNDONE_MAX ? n - 3 : TT_UNDONE_MAX };

		memcpy(u.p, head + 3, u.n);
		if ((name = name_of(list, &u, 60)) != NULL)
			return refuse(name, "behind a byte order mark of UTF-8, which a program put before it: take the mark off: tail -c +4 FILE > NEW", err);
	}
	return TT_OK;
}

/* Refuse a capture behind the header of an HTTP answer, or of a part of a form, which ends with an empty line. */
static int
refuse_wrapped(const struct tt_format *const *list, const uint8_t *head, size_t n, struct tt_err *err)
{
	const bool http = n > 5 && memcmp(head, "HTTP/", 5) == 0, form = n > 2 && memcmp(head, "--", 2) == 0;
	const uint8_t *const end = http || form ? memmem(head, n, "\r\n\r\n", 4) : NULL;
	struct tt_undone u = { 0 };
	const char *name;

	if (!end)
		return TT_OK;
	u.n = n - (size_t)(end + 4 - head) < sizeof u.p ? n - (size_t)(end + 4 - head) : sizeof u.p;
	memcpy(u.p, end + 4, u.n);
	if ((name = name_of(list, &u, 60)) == NULL)
		return TT_OK;
	char as[160];
	snprintf(as, sizeof as, http ? "behind the header of an HTTP answer: take that off: tail -c +%zu FILE > NEW" :
	    "in a part of an HTTP form: save the part as a file; it begins at offset %zu", (size_t)(end + 4 - head) + http);
	return refuse(name, as, err);
}

int
tt_transfer_refuse(const struct tt_format *const *list, const uint8_t *head, size_t n, bool lossy, struct tt_err *err)
{
	struct tt_undone u = { 0 }, twice = { 0 };
	const char *name;
	struct text t;

	if (!lossy && (refuse_wide(list, head, n, err) != TT_OK || refuse_wrapped(list, head, n, err) != TT_OK))
		return TT_E_UNKNOWN;
	t = undo_utf8(&u, head, n);
	tt_undone_mend(&u);
	if (t.valid && t.nul && t.replaced >= MIN_WIDE && (name = name_of(list, &u, 60)) != NULL)
		return refuse(name, "that was decoded as UTF-8 text: bytes that are no text became U+FFFD, and are lost; " COPY_AGAIN, err);
	if (t.valid && t.wide < MIN_WIDE && !t.nul)
		return refuse_coded(list, head, n, err);
	if (lossy)
		return TT_OK;
	undo_utf8(&twice, u.p, u.n);
	tt_undone_mend(&twice);
	if ((t.valid || memcmp(u.p, "\x89TTC", 4) == 0) && ((name = name_of(list, &u, 60)) != NULL || (name = name_of(list, &twice, 60)) != NULL))
		return refuse(name, "that was changed as if it were text: " COPY_AGAIN, err);
	return TT_OK;
}

bool
tt_transfer_changed(const uint8_t *head, size_t n)
{
	struct tt_undone u = { 0 };
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

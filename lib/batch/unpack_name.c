/**
 * Tells by name and first bytes what a member is.
 */
#include "batch/unpack.h"

#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/hash_seed.h"
#include "batch/unpack_name.h"
#include "model/format.h"
#include "model/transfer.h"

/* Files known by their first bytes. ${unread}: it may hold captures, and is not opened. */
static const struct known { const char *magic; size_t n; const char *kind, *unread; } known[] = {
	{ "\x89PNG", 4, "image", NULL }, { "\xff\xd8\xff", 3, "image", NULL }, { "GIF8", 4, "image", NULL },
	{ "\x7f" "ELF", 4, "program", NULL }, { "MZ", 2, "program", NULL },
	/* libraries of programs, by the index they begin with */
	{ "!<arch>\n/ ", 10, "program", NULL }, { "!<arch>\n__.SYMDEF", 17, "program", NULL },
	{ "!<arch>\n#1/20 ", 14, "program", NULL },
	{ "{", 1, "JSON", NULL }, { "[", 1, "JSON", NULL }, { "<", 1, "XML", NULL },
	{ "Rar!\x1a\7", 6, "other archive", "rar archive" }, { "MSCF\0\0\0\0", 8, "other archive", "cab archive" },
	{ "!<arch>\n", 8, "other archive", "ar archive" }, { "070701", 6, "other archive", "cpio archive" },
	{ "070702", 6, "other archive", "cpio archive" }, { "070707", 6, "other archive", "cpio archive" },
	{ "\xc7\x71", 2, "other archive", "cpio archive" }, { "\xed\xab\xee\xdb", 4, "other archive", "rpm package" },
	{ "xar!\0\x1c", 6, "other archive", "xar archive" }, { "MSWIM\0\0\0", 8, "other archive", "wim archive" },
	{ "\x89LZO\0\r\n\x1a\n", 9, "other archive", "lzop file" }, { "\x1f\x9d", 2, "other archive", "compress file (.Z)" },
	/* content of a compressed file that is compressed again, or damaged */
	{ "\x1f\x8b\x08", 3, "other archive", "file in a compressed file" }, { "\xfd" "7zXZ", 6, "other archive", "file in a compressed file" },
	{ "\x28\xb5\x2f\xfd", 4, "other archive", "file in a compressed file" },
	{ "LZIP", 4, "other archive", "file in a compressed file" },
	{ "\x04\x22\x4d\x18", 4, "other archive", "file in a compressed file" }, { "BZh", 3, "other archive", "file in a compressed file" },
	{ "version https://git-lfs", 23, "Git LFS pointer", NULL },
};

/* True for .lzma, which has no magic, by its usual properties and a length that is unknown or below a terabyte. */
static bool
is_lzma(const uint8_t *p, size_t n)
{
	return n >= 13 && memcmp(p, "\x5d\0\0", 3) == 0 &&
	    (memcmp(p + 5, "\xff\xff\xff\xff\xff\xff\xff\xff", 8) == 0 || memcmp(p + 10, "\0\0\0", 3) == 0);
}

static const struct known *
find_known(const uint8_t *p, size_t n)
{
	static const struct known lzma = { "", 0, "other archive", "lzma file" };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (n >= known[i].n && memcmp(p, known[i].magic, known[i].n) == 0)
			return &known[i];
	}
	return is_lzma(p, n) ? &lzma : NULL;
}

static bool
is_zeros(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i])
			return false;
	}
	return true;
}

const char *
tt_unpack_kind_of(const uint8_t *p, size_t n)
{
	const struct known *k = find_known(p, n);

	if (n == 0)
		return "empty";
	if (k)
		return k->kind;
	if (is_zeros(p, n))
		return "zeros";
	for (size_t i = 0; i < n; i++) {
		if (p[i] < 0x20 && p[i] != '\n' && p[i] != '\t' && p[i] != '\r' && p[i] != '\f')
			return "other";
	}
	return "text";
}

/* --- what should have been read ---------------------------------------------------- */

/* Suffixes of compressed files, and the suffix of the content where the rest of the name has none. */
static const struct { const char *suffix, *inside; } compressed[] = {
	{ ".gz", NULL }, { ".xz", NULL }, { ".zst", NULL }, { ".bz2", NULL }, { ".lz4", NULL }, { ".lz", NULL },
	{ ".tgz", ".tar" }, { ".txz", ".tar" }, { ".tzst", ".tar" }, { ".tbz2", ".tar" }, { ".tbz", ".tar" }, { ".tlz", ".tar" },
};
static const char *const archive[] = { ".tar", ".zip", ".7z" };
static const char *const unread[] = { ".rar", ".cab", ".iso", ".cpio", ".xar", ".wim", ".rpm", ".deb", ".dmg", ".lha", ".lzh", ".arj",
	".lzma", ".lzo", ".z", ".br" };
/* Endings after the suffix of backups and of files that are not complete yet; numbers count as such, too. */
static const char *const aside[] = { "~", ".bak", ".old", ".tmp", ".part", ".partial", ".crdownload" };

static bool
ends_with(const char *s, size_t n, const char *end)
{
	size_t k = strlen(end);

	return n > k && strncasecmp(s + n - k, end, k) == 0;
}

/* The length of ${name} without backup and number endings after its suffix. */
static size_t
trim(const char *name, size_t n)
{
	size_t was;

	do {
		size_t k = was = n;

		while (k > 0 && name[k - 1] >= '0' && name[k - 1] <= '9')
			k--;
		if (k < n && k > 1 && name[k - 1] == '.')
			n = k - 1;
		for (size_t i = 0; i < sizeof aside / sizeof *aside; i++) {
			if (ends_with(name, n, aside[i]))
				n -= strlen(aside[i]);
		}
	} while (n < was);
	return n;
}

struct promise { const char *suffix; bool unread; };

/* The kind of file that the name promises; suffix NULL: none that is read. ${packed}: it was compressed, which a suffix may tell. */
static struct promise
promise_of(const struct tt_format *const *formats, const char *name, size_t n, bool packed)
{
	n = trim(name, n);
	for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++) {
		if (!ends_with(name, n, compressed[i].suffix))
			continue;
		if (!packed || compressed[i].inside)
			return (struct promise){ packed ? compressed[i].inside : compressed[i].suffix, false };
		n = trim(name, n - strlen(compressed[i].suffix));
		i = (size_t)-1;
	}
	for (size_t i = 0; i < sizeof archive / sizeof *archive; i++) {
		if (ends_with(name, n, archive[i]))
			return (struct promise){ archive[i], false };
	}
	for (size_t i = 0; i < sizeof unread / sizeof *unread; i++) {
		if (ends_with(name, n, unread[i]))
			return (struct promise){ unread[i], true };
	}
	for (; *formats; formats++) {
		if (ends_with(name, n, (*formats)->suffix))
			return (struct promise){ (*formats)->suffix, false };
	}
	return (struct promise){ NULL, false };
}

int
tt_unpack_missed(const struct tt_format *const *formats, const char *name, size_t len, bool packed,
    const uint8_t *head, size_t n, struct tt_err *why)
{
	const struct known *k = find_known(head, n);
	const struct tt_format *f;
	struct promise promise;

	if (packed && tt_format_pick(formats, head, n, &f, why) == TT_OK)
		return tt_fail(why, TT_E_UNKNOWN, TT_NOWHERE, "a capture that is compressed twice is not read: unpack it once");
	if (k && k->unread)
		return tt_fail(why, TT_E_UNKNOWN, TT_NOWHERE, "this %s is not read: unpack it, or make a tar, zip or 7z of it", k->unread);
	/* This is no damage, whatever the name promises; a Git LFS pointer has its own advice. */
	if (k && strcmp(k->kind, "Git LFS pointer") == 0)
		return tt_format_pick(formats, head, n, &f, why);
	if (tt_transfer_refuse(formats, head, n, false, why) != TT_OK)
		return TT_E_UNKNOWN;
	promise = promise_of(formats, name, len, packed);
	if (n == 0 && promise.suffix)
		return tt_fail(why, TT_E_DAMAGED, TT_NOWHERE, "the file is empty: nothing was recorded into it, or its copy failed");
	if (promise.unread)
		return tt_fail(why, TT_E_UNKNOWN, TT_NOWHERE, "a file named %s is not read: unpack it, or make a tar, zip or 7z of it",
		    promise.suffix);
	if (promise.suffix)
		return tt_fail(why, TT_E_DAMAGED, TT_NOWHERE, "%s, although it is named %s: is it damaged?",
		    strcmp(tt_unpack_kind_of(head, n), "other") == 0 ? "no known format" : tt_unpack_kind_of(head, n), promise.suffix);
	return TT_OK;
}

/* The most layers of compression that are undone; files in use have no more. */
#define LAYERS_MAX 3

/* An empty tar has nothing but zeros: only its name identifies it. */
static bool
is_empty_tar(const char *name, size_t len, bool packed, const uint8_t *head, size_t n)
{
	static const struct tt_format *const none[] = { NULL };
	const char *promise = promise_of(none, name, len, packed).suffix;

	return promise && strcmp(promise, ".tar") == 0 && n >= 1024 && is_zeros(head, n);
}

enum tt_archive_kind
tt_unpack_probe(struct tt_env *env, struct tt_src **src, const char *name, size_t len, const uint8_t **head, size_t *n)
{
	enum tt_archive_kind kind = tt_archive_probe(*head, *n);
	bool packed = tt_src_info(*src)->coding != TT_CODING_NONE;
	const uint8_t *p;
	struct tt_src *inside;
	struct tt_err err;
	size_t got;

	for (int i = 0; i < LAYERS_MAX && kind == TT_ARCHIVE_NONE && tt_src_info(*src)->coding != TT_CODING_NONE; i++) {
		if (tt_src_open_inside(env, *src, &inside, &err) != TT_OK)
			break;
		*src = inside;
		if (tt_src_peek(inside, &p, &got, &err) != TT_OK)
			break;
		*head = p;
		*n = got;
		kind = tt_archive_probe(p, got);
	}
	if (kind == TT_ARCHIVE_NONE && is_empty_tar(name, len, packed, *head, *n))
		kind = TT_ARCHIVE_TAR;
	return kind;
}

/* Count the name in this archive. */
int
tt_unpack_ordinal(struct tt_mem *mem, struct names *s, const char *path, uint32_t *ordinal, struct tt_err *err)
{
	const uint64_t h = tt_hash_bytes(path, strlen(path)), hash = tt_seeded_mix(0, h);
	uint32_t at = tt_map_find(&s->at, hash, i, s->v[i].hash == h);

	if (!at) {
		if (tt_map_push(&s->at, mem, hash, &s->v, &s->cap, s->n, err) != TT_OK)
			return err->code;
		s->v[s->n++] = (struct name){ .hash = h };
		at = (uint32_t)s->n;
	}
	*ordinal = ++s->v[at - 1].count;
	return TT_OK;
}

/* We never use the name as a path, we only print it. */
bool
tt_unpack_odd(const char *s)
{
	if (s[0] == '/' || s[0] == '\0')
		return true;
	for (const char *p = s; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return true;
		if ((p == s || p[-1] == '/') && p[0] == '.' && p[1] == '.' && (p[2] == '/' || p[2] == '\0'))
			return true;
	}
	return false;
}

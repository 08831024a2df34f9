/**
 * Walks over the members of an archive.
 */
#include "archive/reader.h"

#include <errno.h>
#include <iconv.h>
#include <locale.h>
#include <string.h>
#include <zlib.h>

#include "base/setting.h"

#define BLOCK ((size_t)1 << 17)

/* Bytes of the first fetch after a jump, where few bytes may be needed. */
#define BLOCK_FIRST ((size_t)4096)

/* The first bytes of a 7z: signature, version, and the CRC of the 20 bytes after it. */
#define START_SIZE 32

/*
 * Zeros to follow the last byte of a zip without a directory: libarchive reads 24 bytes after a member's data, the length of the longest form of the data
 * descriptor, but after the last member there may be fewer.
 */
static const uint8_t after_end[24];

/* Most calls of libarchive for the same header or data, if it asks to be called again. */
#define TRIES 1000

const char *const tt_archive_name[] = { "", "tar", "zip", "7z" };

/* True if the header at ${p} has the tar magic. One of its five letters may be wrong: such damage is reported when the header is read. */
static bool
tar_magic(const uint8_t *p)
{
	static const char magic[] = "ustar";
	unsigned same = 0;

	for (unsigned i = 0; i < 5; i++)
		same += p[257 + i] == (uint8_t)magic[i];
	return same >= 4;
}

enum tt_archive_kind
tt_archive_probe(const uint8_t *p, size_t n)
{
	if (n >= 4 && p[0] == 'P' && p[1] == 'K' &&
	    ((p[2] == 3 && p[3] == 4) || (p[2] == 5 && p[3] == 6) || (p[2] == 7 && p[3] == 8)))
		return TT_ARCHIVE_ZIP;
	if (n >= 6 && memcmp(p, "7z\xbc\xaf\x27\x1c", 6) == 0)
		return TT_ARCHIVE_7Z;
	if (n >= TT_TAR_BLOCK && (tt_is_tar_header(p) || tar_magic(p)))
		return TT_ARCHIVE_TAR;
	return TT_ARCHIVE_NONE;
}

static void *volatile kept[2];        /* loaded once, and kept until the process ends */

void
tt_archive_prepare(void)
{
	/* Load them now: the sandbox allows no file to be opened later. */
	kept[0] = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	kept[1] = iconv_open("UTF-8", "UTF-16LE");
}

void
tt_archive_use_locale(void)
{
	locale_t l = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);

	/* Without the locale, names beyond ASCII may have '?' in them or be missing; nothing else changes. */
	if (l)
		uselocale(l);
}

/* --- what libarchive asks for ------------------------------------------------ */

int
tt_archive_fetch(struct tt_archive *ar, size_t to, size_t n, size_t *got, struct tt_err *err)
{
	int rc;

	*got = 0;
	if (ar->fetch_at >= ar->fetch_end)
		return TT_OK;
	if (n > ar->fetch_end - ar->fetch_at)
		n = (size_t)(ar->fetch_end - ar->fetch_at);
	rc = ar->can_seek ? tt_src_pread(ar->src, ar->fetch_at, ar->buf + to, n, got, err) : tt_src_read(ar->src, ar->buf + to, n, got, err);
	ar->fetch_at += *got;
	ar->ntaken += *got;
	ar->buf_n += *got;
	if (ar->fetch_bytes < BLOCK)
		ar->fetch_bytes *= 2;
	return rc == TT_END ? TT_OK : rc;
}

static la_ssize_t
on_read(struct archive *a, void *arg, const void **p)
{
	struct tt_archive *ar = arg;
	struct tt_err err = { 0 };
	size_t got = ar->ahead_n;

	*p = ar->ahead;
	ar->ahead_n = 0;
	if (got > 0)
		return (la_ssize_t)got;
	*p = ar->buf;
	ar->buf_at = ar->fetch_at;
	ar->buf_n = 0;
	if (tt_archive_fetch(ar, 0, ar->fetch_bytes, &got, &err) == TT_OK) {
		if (got > 0 || !ar->in_order || ar->past_end)
			return (la_ssize_t)got;
		ar->past_end = true;
		*p = after_end;
		return sizeof after_end;
	}
	ar->src_err = err;
	archive_set_error(a, EIO, "read error");
	return -1;
}

static la_int64_t
on_skip(struct archive *a, void *arg, la_int64_t n)
{
	struct tt_archive *ar = arg;
	uint64_t left = ar->fetch_end - ar->fetch_at;

	(void)a;
	if (n <= 0)
		return 0;
	if ((uint64_t)n > left)
		n = (la_int64_t)left;
	/* Bytes in `ahead` were fetched already: do not fetch them again. */
	ar->fetch_at += (uint64_t)n;
	ar->fetch_bytes = BLOCK_FIRST;
	return n;
}

static la_int64_t
on_seek(struct archive *a, void *arg, la_int64_t offset, int whence)
{
	struct tt_archive *ar = arg;
	int64_t size = (int64_t)tt_src_info(ar->src)->size;
	int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (int64_t)ar->fetch_at : size;

	(void)a;
	if (offset > size - base || offset < -base)
		return ARCHIVE_FATAL;
	if ((uint64_t)(base + offset) != ar->fetch_at)
		ar->fetch_bytes = BLOCK_FIRST;
	ar->fetch_at = (uint64_t)(base + offset);
	return (la_int64_t)ar->fetch_at;
}

/* --- errors -------------------------------------------------------------------- */

/* True if libarchive ran out of memory: it has no error code for that, only many messages. */
static bool
is_memory(struct tt_archive *ar, const char *why)
{
	static const char *const words[] = { "annot allocate", "an't allocate", "ouldn't allocate", "o memory", "ut of memory",
		"nable to allocate", "oo much memory", "data error (error 5)" };

	if (archive_errno(ar->a) == ENOMEM || (strstr(why, "lzma stream init") && tt_zip_needs_large_dictionary(ar)))
		return true;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (strstr(why, words[i]))
			return true;
	}
	return false;
}

int
tt_archive_fail(struct tt_archive *ar, int status, struct tt_err *err)
{
	const char *why = archive_error_string(ar->a);

	if (ar->src_err.code < 0) {
		if (err)
			*err = ar->src_err;
		return ar->src_err.code;
	}
	if (!why)
		why = "not understood";
	if (is_memory(ar, why))
		return tt_fail(err, TT_E_LIMIT, ar->fetch_at,
		    "unpacking needs more memory than an unpacker may have (%s); raise %s", why,
		    tt_setting_name[TT_SETTING_UNPACK_MEMORY]);
	if (strstr(why, "header is encrypted"))
		return tt_fail(err, TT_E_UNKNOWN, ar->fetch_at, TT_ARCHIVE_ENCRYPTED ": not read");
	if (status == ARCHIVE_FAILED)
		return tt_fail(err, TT_E_UNKNOWN, ar->fetch_at, "%s archive: what libarchive cannot read: %s", tt_archive_name[ar->kind], why);
	return tt_fail(err, TT_E_DAMAGED, ar->fetch_at, "%s archive is damaged near byte %llu: %s", tt_archive_name[ar->kind],
	    (unsigned long long)ar->fetch_at, why);
}

/* --- the archive ----------------------------------------------------------------- */

static int
enable(struct tt_archive *ar)
{
	switch (ar->kind) {
	case TT_ARCHIVE_TAR:
		return archive_read_support_format_tar(ar->a);
	case TT_ARCHIVE_ZIP:
		return archive_read_support_format_zip_streamable(ar->a);
	case TT_ARCHIVE_7Z:
		return archive_read_support_format_7zip(ar->a);
	default:
		return ARCHIVE_FATAL;
	}
}

int
tt_archive_start(struct tt_archive *ar, struct tt_err *err)
{
	int r;

	ar->a = archive_read_new();
	if (!ar->a)
		return tt_fail_nomem(err);
	if (enable(ar) != ARCHIVE_OK)
		return tt_fail(err, TT_E_UNKNOWN, TT_NOWHERE, "the libarchive here cannot read %s",
		    tt_archive_name[ar->kind]);
	archive_read_set_callback_data(ar->a, ar);
	archive_read_set_read_callback(ar->a, on_read);
	if (ar->can_seek) {
		archive_read_set_skip_callback(ar->a, on_skip);
		if (ar->kind == TT_ARCHIVE_7Z)
			archive_read_set_seek_callback(ar->a, on_seek);
	}
	r = archive_read_open1(ar->a);
	return r == ARCHIVE_OK ? TT_OK : tt_archive_fail(ar, r, err);
}

void
tt_archive_drop(struct tt_archive *ar)
{
	archive_read_free(ar->a);
	ar->a = NULL;
	ar->data_n = 0;
}

/* Begin to read a zip, whose directory is lost or damaged, by the local headers in front of its members. */
static int
without_directory(struct tt_archive *ar, struct tt_err *err)
{
	int rc;

	tt_zip_close(ar);
	ar->in_order = true;
	rc = tt_archive_start(ar, err);
	/* If there is no member at all, the report of the damaged directory is enough. */
	ar->is_over = rc == TT_E_DAMAGED;
	return ar->is_over ? TT_OK : rc;
}

/* Check the CRC of a 7z's start header, which says where the directory is: libarchive does not check it. */
static int
check_start(struct tt_archive *ar, struct tt_err *err)
{
	uint8_t p[START_SIZE];
	size_t got;
	int rc = tt_src_pread(ar->src, 0, p, sizeof p, &got, err);
	uint32_t want;

	if (rc != TT_OK || got < sizeof p)
		return rc == TT_END ? TT_OK : rc;
	want = (uint32_t)p[8] | (uint32_t)p[9] << 8 | (uint32_t)p[10] << 16 | (uint32_t)p[11] << 24;
	if (crc32(0, p + 12, START_SIZE - 12) == want)
		return TT_OK;
	return tt_fail(err, TT_E_DAMAGED, 8, "start header of the 7z is damaged: its CRC at byte 8 differs; members may be missing");
}

/* Prepare for the first member. Damage found here is only noted, and reported by tt_archive_next(). */
static int
begin(struct tt_archive *ar, struct tt_err *err)
{
	int rc = TT_OK;

	if (ar->kind == TT_ARCHIVE_7Z) {
		rc = check_start(ar, err);
		if (rc == TT_E_DAMAGED)
			ar->no_directory = *err;
		return rc == TT_OK || rc == TT_E_DAMAGED ? tt_archive_start(ar, err) : rc;
	}
	if (ar->kind == TT_ARCHIVE_ZIP)
		rc = tt_zip_open(ar, err);
	if (rc != TT_E_DAMAGED)
		return rc;
	ar->no_directory = *err;
	return without_directory(ar, err);
}

int
tt_archive_open(struct tt_env *env, struct tt_src *src, enum tt_archive_kind kind, struct tt_archive **out, struct tt_err *err)
{
	struct tt_archive *ar;
	int rc;

	*out = NULL;
	if (kind != TT_ARCHIVE_TAR && !tt_src_info(src)->seekable)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "a %s archive cannot be read in order", tt_archive_name[kind]);
	ar = tt_mem_alloc(&env->mem, sizeof *ar, err);
	if (!ar)
		return err ? err->code : TT_E_NOMEM;
	ar->env = env;
	ar->src = src;
	ar->kind = kind;
	ar->can_seek = tt_src_info(src)->seekable;
	ar->fetch_end = tt_src_info(src)->size;
	ar->fetch_bytes = BLOCK;
	ar->buf = tt_mem_alloc(&env->mem, BLOCK + TT_TAR_BLOCK, err);
	rc = ar->buf ? begin(ar, err) : err ? err->code : TT_E_NOMEM;
	if (rc != TT_OK) {
		tt_archive_close(ar);
		return rc;
	}
	*out = ar;
	return TT_OK;
}

void
tt_archive_close(struct tt_archive *ar)
{
	if (!ar)
		return;
	tt_archive_drop(ar);
	tt_zip_close(ar);
	tt_mem_free(&ar->env->mem, ar->buf, BLOCK + TT_TAR_BLOCK);
	tt_mem_free(&ar->env->mem, ar->zeros, BLOCK);
	tt_mem_free(&ar->env->mem, ar, sizeof *ar);
}

const char *
tt_archive_local_name(const struct tt_archive *ar)
{
	return ar->kind == TT_ARCHIVE_ZIP && ar->zip.local_name[0] ? ar->zip.local_name : NULL;
}

uint64_t
tt_archive_ntaken(const struct tt_archive *ar)
{
	return ar->ntaken;
}

/* Return a member's name, as UTF-8 if the locale cannot represent it; "": it has no name. */
static const char *
path_of(struct archive_entry *e)
{
	const char *s = archive_entry_pathname(e);

	if (!s)
		s = archive_entry_pathname_utf8(e);
	return s ? s : "";
}

static enum tt_member_kind
kind_of(struct archive_entry *e)
{
	if (archive_entry_hardlink(e) || archive_entry_symlink(e))
		return TT_MEMBER_LINK;
	switch (archive_entry_filetype(e)) {
	case AE_IFLNK:
		return TT_MEMBER_LINK;
	case AE_IFDIR:
		return TT_MEMBER_DIRECTORY;
	case AE_IFREG:
	case 0:               /* zip files made on other systems store no kind */
		return archive_entry_is_data_encrypted(e) || archive_entry_is_metadata_encrypted(e) ?
		    TT_MEMBER_ENCRYPTED : TT_MEMBER_FILE;
	default:
		return TT_MEMBER_DEVICE;
	}
}

void
tt_archive_fill_member(struct archive_entry *e, struct tt_member *m)
{
	*m = (struct tt_member){ .path = path_of(e), .kind = kind_of(e),
		.size = archive_entry_size_is_set(e) ? (uint64_t)archive_entry_size(e) : UINT64_MAX, .at = UINT64_MAX };
	if (m->kind == TT_MEMBER_LINK)
		m->size = 0;
}

/* Return the offset where the next member of a zip without directory should begin: libarchive skips other bytes silently. */
static uint64_t
end_of_member(struct tt_archive *ar)
{
	int64_t at;

	if (!ar->begun)
		return 0;
	archive_read_data_skip(ar->a);
	at = archive_filter_bytes(ar->a, 0);
	return at > 0 ? (uint64_t)at : 0;
}

/* Note as damage that the bytes at ${at} of a zip without directory are no local header (if ${member}), else neither the directory nor the end. */
static void
note_gap(struct tt_archive *ar, uint64_t at, bool member)
{
	uint8_t p[4];
	size_t got;

	if (ar->gap.code || tt_src_pread(ar->src, at, p, sizeof p, &got, NULL) < 0)
		return;
	if (got == 0 || (got == sizeof p && p[0] == 'P' && p[1] == 'K' && (member ? p[2] == 3 && p[3] == 4 : p[2] != 3)))
		return;
	tt_fail(&ar->gap, TT_E_DAMAGED, at, "bytes from %llu on are not those of a member: members may be missing", (unsigned long long)at);
}

/* Report the damage noted in ${damage}, once; TT_OK: no damage is noted. */
static int
tell_damage(struct tt_err *damage, struct tt_err *err)
{
	const int rc = damage->code;

	if (rc && err)
		*err = *damage;
	damage->code = TT_OK;
	return rc;
}

/* Go on to the next member of a 7z, or of a zip without directory, which libarchive finds. */
static int
next_entry(struct tt_archive *ar, struct tt_member *m, struct tt_err *err)
{
	struct archive_entry *e;
	const uint64_t at = ar->in_order ? end_of_member(ar) : 0;
	int r, rc, tries = 0;

	do {
		if (tt_stopped(ar->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		r = archive_read_next_header(ar->a, &e);
	} while (r == ARCHIVE_RETRY && ++tries < TRIES);
	if (ar->in_order)
		note_gap(ar, at, r == ARCHIVE_OK || r == ARCHIVE_WARN || r == ARCHIVE_FAILED);
	if (r == ARCHIVE_OK || r == ARCHIVE_WARN || r == ARCHIVE_FAILED) {
		ar->begun = true;
		/* ARCHIVE_FAILED: the header was read; whether the data can be read shows later. */
		tt_archive_fill_member(e, m);
		return TT_OK;
	}
	ar->is_over = true;
	rc = r == ARCHIVE_EOF ? TT_END : tt_archive_fail(ar, r, err);
	/* The missing directory was reported already; the missing end is part of the same damage. */
	if (ar->in_order && rc == TT_E_DAMAGED && !ar->src_err.code)
		rc = TT_END;
	return rc == TT_END && tell_damage(&ar->gap, err) ? TT_E_DAMAGED : rc;
}

int
tt_archive_next(struct tt_archive *ar, struct tt_member *m, struct tt_err *err)
{
	ar->data_n = 0;
	ar->nhanded_out = 0;
	ar->checksum_err.code = TT_OK;
	m->has_all_members = ar->no_directory.code && ar->in_order && !ar->is_over;
	if (tell_damage(&ar->no_directory, err))
		return TT_E_DAMAGED;
	if (ar->is_over)
		return tell_damage(&ar->gap, err) ? TT_E_DAMAGED : TT_END;
	if (ar->kind == TT_ARCHIVE_TAR)
		return tt_tar_next(ar, m, err);
	if (ar->kind == TT_ARCHIVE_ZIP && !ar->in_order)
		return tt_zip_next(ar, m, err);
	return next_entry(ar, m, err);
}

/* End the member's data: TT_END, or TT_E_DAMAGED if the data does not match its header. */
static int
end_data(struct tt_archive *ar, struct tt_err *err)
{
	/* libarchive does not check the size of a member that has no packed bytes at all. */
	if (!ar->checksum_err.code && ar->kind == TT_ARCHIVE_ZIP && !ar->in_order && ar->nhanded_out != ar->zip.m.size)
		tt_fail(&ar->checksum_err, TT_E_DAMAGED, ar->fetch_at, "data of the member is damaged: %llu bytes and not %llu",
		    (unsigned long long)ar->nhanded_out, (unsigned long long)ar->zip.m.size);
	if (!ar->checksum_err.code)
		return TT_END;
	if (err)
		*err = ar->checksum_err;
	return TT_E_DAMAGED;
}

/* Fetch the member's next block of data. */
static int
next_block(struct tt_archive *ar, struct tt_err *err)
{
	const void *p = NULL;
	la_int64_t at = 0;
	size_t n = 0;
	int rc = ar->a ? TT_OK : tt_zip_start(ar, err), r, tries = 0;

	if (rc != TT_OK)
		return rc;
	do {
		if (tt_stopped(ar->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		r = archive_read_data_block(ar->a, &p, &n, &at);
		/* The bytes could be read, but their CRC or length is wrong: reported after all of them are handed out. */
		if (r == ARCHIVE_WARN && !ar->checksum_err.code)
			tt_fail(&ar->checksum_err, TT_E_DAMAGED, ar->fetch_at, "data of the member is damaged: %s",
			    archive_error_string(ar->a) ? archive_error_string(ar->a) : "not as long as it should be");
	} while ((r == ARCHIVE_RETRY || (r == ARCHIVE_WARN && n == 0)) && ++tries < TRIES);
	if (r == ARCHIVE_EOF)
		return end_data(ar, err);
	if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
		return tt_archive_fail(ar, r, err);
	ar->data = p;
	ar->data_n = n;
	ar->data_at = (uint64_t)at;
	return TT_OK;
}

/*
 * Uses archive_read_data_block(), because archive_read_data() loses bytes that it has already copied if the next block fails.
 */
int
tt_archive_borrow(struct tt_archive *ar, const uint8_t **p, size_t *n, struct tt_err *err)
{
	while (ar->data_n == 0) {
		int rc = next_block(ar, err);

		if (rc != TT_OK)
			return rc;
	}
	if (ar->nhanded_out < ar->data_at) {  /* a hole */
		if (!ar->zeros) {
			ar->zeros = tt_mem_alloc(&ar->env->mem, BLOCK, err);
			if (!ar->zeros)
				return err ? err->code : TT_E_NOMEM;
		}
		*p = ar->zeros;
		*n = ar->data_at - ar->nhanded_out < BLOCK ? (size_t)(ar->data_at - ar->nhanded_out) : BLOCK;
	} else {
		*p = ar->data;
		*n = ar->data_n;
		ar->data_at += *n;
		ar->data_n = 0;
	}
	ar->nhanded_out += *n;
	return TT_OK;
}

int
tt_archive_read(struct tt_archive *ar, void *p, size_t n, size_t *got, struct tt_err *err)
{
	const uint8_t *from;
	size_t have;
	int rc = tt_archive_borrow(ar, &from, &have, err);

	*got = 0;
	if (rc != TT_OK)
		return rc;
	*got = have < n ? have : n;
	memcpy(p, from, *got);
	if (have > n && from == ar->zeros) {
		ar->nhanded_out -= have - n;
	} else if (have > n) {        /* put back what did not fit */
		ar->data = from + n;
		ar->data_n = have - n;
		ar->data_at -= have - n;
		ar->nhanded_out -= have - n;
	}
	return TT_OK;
}

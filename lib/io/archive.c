/**
 * The members of an archive; the contract is in archive.h.
 */
#include "io/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <string.h>

#define BLOCK ((size_t)1 << 17)

/* The first fetch after a jump: most local headers of zips fit into it. */
#define BLOCK_FIRST ((size_t)128)

/* How often libarchive may ask to be asked again for the same data. */
#define TRIES 1000

const char *const tt_archive_name[] = { "", "tar", "zip", "7z" };

struct tt_archive {
	struct tt_env *env;
	struct tt_src *src;
	struct archive *a;
	enum tt_archive_kind kind;
	bool seek;                    /* fetched with pread() */
	bool in_order;                /* a zip, by the headers in front of its members instead of its directory */
	bool any;                     /* a member was found */
	struct tt_err no_directory;   /* why a zip's directory was given up; code TT_OK: it was not */
	uint64_t at;                  /* where the next fetch begins */
	uint64_t taken;
	size_t block, block_max;      /* of the next fetch; grows from a small one after a jump */
	uint8_t *buf;                 /* BLOCK */
	const uint8_t *data;          /* of the member: fetched and not yet given out */
	size_t data_n;
	uint64_t data_at, given;      /* where that lies in the member; bytes of it given out */
	uint8_t *zeros;               /* BLOCK, for holes; NULL: none was met */
	struct tt_err src_err;        /* why a fetch failed; code TT_OK: none did */
	bool over;                    /* nothing more can be read */
};

/* --- recognising ----------------------------------------------------------- */

/* A tar header's checksum: the sum of its bytes with the checksum's own eight taken for blanks. */
static bool
tar_sum(const uint8_t *p)
{
	unsigned sum = 0, told = 0;
	bool digits = false;

	for (unsigned i = 0; i < 512; i++)
		sum += i >= 148 && i < 156 ? ' ' : p[i];
	for (unsigned i = 148; i < 156; i++) {
		if (p[i] >= '0' && p[i] <= '7') {
			told = told * 8 + (unsigned)(p[i] - '0');
			digits = true;
		} else if (digits || p[i] != ' ') {
			break;
		}
	}
	return digits && sum == told;
}

enum tt_archive_kind
tt_archive_probe(const uint8_t *p, size_t n)
{
	if (n >= 4 && p[0] == 'P' && p[1] == 'K' &&
	    ((p[2] == 3 && p[3] == 4) || (p[2] == 5 && p[3] == 6) || (p[2] == 7 && p[3] == 8)))
		return TT_ARCHIVE_ZIP;
	if (n >= 6 && memcmp(p, "7z\xbc\xaf\x27\x1c", 6) == 0)
		return TT_ARCHIVE_7Z;
	if (n >= 512 && tar_sum(p))
		return TT_ARCHIVE_TAR;
	return TT_ARCHIVE_NONE;
}

/* Of a zip's local header: where its flags and its method stand, and what they may be. */
#define ZIP_FLAGS 6
#define ZIP_METHOD 8
#define ZIP_LENGTH_BEHIND 0x0008      /* lengths come behind the data */
#define ZIP_MASKED 0x2000             /* the header is not to be believed */

bool
tt_archive_in_order(enum tt_archive_kind kind, const uint8_t *p, size_t n)
{
	unsigned flags, method;

	if (kind != TT_ARCHIVE_ZIP || n < 30 || p[2] != 3)
		return kind == TT_ARCHIVE_TAR;
	flags = (unsigned)(p[ZIP_FLAGS] | p[ZIP_FLAGS + 1] << 8);
	method = (unsigned)(p[ZIP_METHOD] | p[ZIP_METHOD + 1] << 8);
	return !(flags & ZIP_MASKED) && !((flags & ZIP_LENGTH_BEHIND) && method == 0);
}

void
tt_archive_locale(void)
{
	locale_t l = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);

	/* Without it names beyond ASCII may come with '?' in them, and nothing else changes. */
	if (l)
		uselocale(l);
}

/* --- what libarchive asks for ------------------------------------------------ */

static la_ssize_t
on_read(struct archive *a, void *arg, const void **p)
{
	struct tt_archive *ar = arg;
	size_t got = 0;
	int rc;

	*p = ar->buf;
	if (ar->seek)
		rc = tt_src_pread(ar->src, ar->at, ar->buf, ar->block, &got, &ar->src_err);
	else
		rc = tt_src_read(ar->src, ar->buf, BLOCK, &got, &ar->src_err);
	if (rc < 0) {
		archive_set_error(a, EIO, "read error");
		return -1;
	}
	ar->at += got;
	ar->taken += got;
	if (ar->block < ar->block_max)
		ar->block = 2 * ar->block < ar->block_max ? 2 * ar->block : ar->block_max;
	return (la_ssize_t)got;
}

static la_int64_t
on_skip(struct archive *a, void *arg, la_int64_t n)
{
	struct tt_archive *ar = arg;
	uint64_t left = tt_src_info(ar->src)->size - ar->at;

	(void)a;
	if (n <= 0)
		return 0;
	if ((uint64_t)n > left)
		n = (la_int64_t)left;
	ar->at += (uint64_t)n;
	ar->block = BLOCK_FIRST;
	return n;
}

static la_int64_t
on_seek(struct archive *a, void *arg, la_int64_t offset, int whence)
{
	struct tt_archive *ar = arg;
	int64_t size = (int64_t)tt_src_info(ar->src)->size;
	int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (int64_t)ar->at : size;

	(void)a;
	if (offset > size - base || offset < -base)
		return ARCHIVE_FATAL;
	if ((uint64_t)(base + offset) != ar->at)
		ar->block = BLOCK_FIRST;
	ar->at = (uint64_t)(base + offset);
	return (la_int64_t)ar->at;
}

/* --- errors -------------------------------------------------------------------- */

/* Say why libarchive gave up: our own source, memory, or damage. */
static int
fail(struct tt_archive *ar, struct tt_err *err)
{
	const char *why = archive_error_string(ar->a);

	if (ar->src_err.code < 0) {
		if (err)
			*err = ar->src_err;
		return ar->src_err.code;
	}
	if (archive_errno(ar->a) == ENOMEM || (why && strstr(why, "annot allocate")))
		return tt_fail(err, TT_E_LIMIT, ar->at,
		    "unpacking needs more memory than an unpacker may have (%s); raise --unpack-memory",
		    why ? why : "no memory");
	return tt_fail(err, TT_E_DAMAGED, ar->at, "%s archive is damaged near byte %llu: %s", tt_archive_name[ar->kind],
	    (unsigned long long)ar->at, why ? why : "not understood");
}

/* --- the archive ----------------------------------------------------------------- */

static int
enable(struct tt_archive *ar)
{
	switch (ar->kind) {
	case TT_ARCHIVE_TAR:
		return archive_read_support_format_tar(ar->a);
	case TT_ARCHIVE_ZIP:
		return ar->in_order ? archive_read_support_format_zip_streamable(ar->a) :
		    archive_read_support_format_zip_seekable(ar->a);
	case TT_ARCHIVE_7Z:
		return archive_read_support_format_7zip(ar->a);
	default:
		return ARCHIVE_FATAL;
	}
}

static int
set_up(struct tt_archive *ar, struct tt_err *err)
{
	ar->a = archive_read_new();
	if (!ar->a)
		return tt_nomem(err);
	if (enable(ar) != ARCHIVE_OK)
		return tt_fail(err, TT_E_UNKNOWN, TT_NOWHERE, "the libarchive here cannot read %s",
		    tt_archive_name[ar->kind]);
	archive_read_set_callback_data(ar->a, ar);
	archive_read_set_read_callback(ar->a, on_read);
	if (ar->seek) {
		archive_read_set_skip_callback(ar->a, on_skip);
		archive_read_set_seek_callback(ar->a, on_seek);
	}
	if (archive_read_open1(ar->a) != ARCHIVE_OK)
		return fail(ar, err);
	return TT_OK;
}

/*
 * A zip whose directory at its end is lost or wrong: begin again, by what stands in front of each member. ${err} says
 * what is wrong with it, which is told at the end.
 */
static bool
without_directory(struct tt_archive *ar, const struct tt_err *err)
{
	if (ar->kind != TT_ARCHIVE_ZIP || ar->in_order || ar->any || !err)
		return false;
	archive_read_free(ar->a);
	ar->a = NULL;
	ar->no_directory = *err;
	ar->in_order = true;
	ar->over = false;
	ar->at = 0;
	ar->block = ar->block_max = BLOCK;
	return true;
}

int
tt_archive_open(struct tt_env *env, struct tt_src *src, enum tt_archive_kind kind, size_t block,
    struct tt_archive **out, struct tt_err *err)
{
	struct tt_archive *ar;
	int rc;

	*out = NULL;
	if (kind == TT_ARCHIVE_7Z && !tt_src_info(src)->seekable)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "a 7z archive cannot be read in order");
	ar = tt_mem_alloc(&env->mem, sizeof *ar, err);
	if (!ar)
		return err ? err->code : TT_E_NOMEM;
	ar->env = env;
	ar->src = src;
	ar->kind = kind;
	ar->seek = tt_src_info(src)->seekable;
	ar->in_order = kind == TT_ARCHIVE_ZIP && !ar->seek;
	ar->block_max = block && block < BLOCK ? block : BLOCK;
	ar->block = block ? BLOCK_FIRST : BLOCK;
	ar->buf = tt_mem_alloc(&env->mem, BLOCK, err);
	rc = ar->buf ? set_up(ar, err) : err ? err->code : TT_E_NOMEM;
	if (rc == TT_E_DAMAGED && without_directory(ar, err))
		rc = set_up(ar, err);
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
	archive_read_free(ar->a);
	tt_mem_free(&ar->env->mem, ar->buf, BLOCK);
	tt_mem_free(&ar->env->mem, ar->zeros, BLOCK);
	tt_mem_free(&ar->env->mem, ar, sizeof *ar);
}

uint64_t
tt_archive_taken(const struct tt_archive *ar)
{
	return ar->taken;
}

/* A member's name: what the locale cannot show comes as UTF-8, and what has none as "". */
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
	case 0:               /* zip files made elsewhere say nothing */
		return archive_entry_is_data_encrypted(e) || archive_entry_is_metadata_encrypted(e) ?
		    TT_MEMBER_ENCRYPTED : TT_MEMBER_FILE;
	default:
		return TT_MEMBER_DEVICE;
	}
}

static int
next_entry(struct tt_archive *ar, struct archive_entry **e, struct tt_err *err)
{
	int rc;

	if (ar->over)
		return TT_END;
	do {
		if (tt_stopped(ar->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		rc = archive_read_next_header(ar->a, e);
	} while (rc == ARCHIVE_RETRY);
	ar->data_n = 0;
	ar->given = 0;
	if (rc != ARCHIVE_EOF && rc != ARCHIVE_FATAL && ar->src_err.code == TT_OK)
		return TT_OK;
	ar->over = true;
	if (ar->no_directory.code) {
		if (err)
			*err = ar->no_directory;
		return ar->no_directory.code;
	}
	return rc == ARCHIVE_EOF ? TT_END : fail(ar, err);
}

int
tt_archive_next(struct tt_archive *ar, struct tt_member *m, struct tt_err *err)
{
	struct archive_entry *e;
	int rc = next_entry(ar, &e, err);

	if (rc == TT_E_DAMAGED && without_directory(ar, err)) {
		rc = set_up(ar, err);
		if (rc == TT_OK)
			rc = next_entry(ar, &e, err);
	}
	if (rc != TT_OK)
		return rc;
	ar->any = true;
	/* ARCHIVE_FAILED: the header is there, the data may not be; reading it tells. */
	m->path = path_of(e);
	m->kind = kind_of(e);
	m->size = archive_entry_size_is_set(e) ? (uint64_t)archive_entry_size(e) : UINT64_MAX;
	return TT_OK;
}

/* Fetch the member's next block of data. */
static int
next_block(struct tt_archive *ar, struct tt_err *err)
{
	const void *p = NULL;
	la_int64_t at = 0;
	size_t n = 0;
	int r, tries = 0;

	do {
		if (tt_stopped(ar->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		r = archive_read_data_block(ar->a, &p, &n, &at);
	} while ((r == ARCHIVE_RETRY || (r == ARCHIVE_WARN && n == 0)) && ++tries < TRIES);
	if (r == ARCHIVE_EOF)
		return TT_END;
	if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
		return fail(ar, err);
	ar->data = p;
	ar->data_n = n;
	ar->data_at = (uint64_t)at;
	return TT_OK;
}

/*
 * Blocks and not archive_read_data(): that one forgets what it has already copied when the block behind it fails.
 */
int
tt_archive_block(struct tt_archive *ar, const uint8_t **p, size_t *n, struct tt_err *err)
{
	while (ar->data_n == 0) {
		int rc = next_block(ar, err);

		if (rc != TT_OK)
			return rc;
	}
	if (ar->given < ar->data_at) {        /* a hole */
		if (!ar->zeros) {
			ar->zeros = tt_mem_alloc(&ar->env->mem, BLOCK, err);
			if (!ar->zeros)
				return err ? err->code : TT_E_NOMEM;
		}
		*p = ar->zeros;
		*n = ar->data_at - ar->given < BLOCK ? (size_t)(ar->data_at - ar->given) : BLOCK;
	} else {
		*p = ar->data;
		*n = ar->data_n;
		ar->data_at += *n;
		ar->data_n = 0;
	}
	ar->given += *n;
	return TT_OK;
}

int
tt_archive_read(struct tt_archive *ar, void *p, size_t n, size_t *got, struct tt_err *err)
{
	const uint8_t *from;
	size_t have;
	int rc = tt_archive_block(ar, &from, &have, err);

	*got = 0;
	if (rc != TT_OK)
		return rc;
	*got = have < n ? have : n;
	memcpy(p, from, *got);
	if (have > n && from == ar->zeros) {
		ar->given -= have - n;
	} else if (have > n) {        /* put back what did not fit */
		ar->data = from + n;
		ar->data_n = have - n;
		ar->data_at -= have - n;
		ar->given -= have - n;
	}
	return TT_OK;
}

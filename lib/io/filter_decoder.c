/**
 * Decompresses xz, zstd, bzip2, lz4 and lzip through libarchive.
 *
 * Only the one filter that src.c recognised is enabled: libarchive's "all" runs
 * outside programs. Raw bytes come through our own callback, so that an error
 * of the system is reported as one and not as a truncated input.
 */
#include "io/decode.h"

#include <archive.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/setting.h"
#include "codec/ends.h"

struct filter {
	struct tt_decoder d;
	struct tt_env *env;
	struct tt_raw *raw;
	const struct coding *coding;
	struct archive *a;            /* NULL until the first read */
	size_t last_raw_n;            /* raw bytes that the last callback lent to libarchive */
	uint64_t from;                /* offset of the first raw byte given to libarchive */
	struct tt_ends ends;          /* finds the ends of streams, for codings with ${ends} */
	uint64_t zeros;               /* number of zeros at the end of the raw bytes lent so far */
	const uint8_t *block;         /* decoded bytes that are not given out yet */
	size_t block_n;
	bool raw_ended, ended, counted; /* true: raw bytes at their end; decoded bytes at theirs; d.garbage known */
	struct tt_err raw_err;        /* why the callback failed */
	struct tt_err failed;         /* the error that every later read returns */
};

static const struct coding {
	enum tt_src_coding id;
	const char *name;
	int filter;
	int (*enable)(struct archive *a);
	bool ends;                    /* true: libarchive takes bytes after the last stream for damage, so it gets the streams alone */
} codings[] = {
	{ TT_CODING_XZ, "xz", ARCHIVE_FILTER_XZ, archive_read_support_filter_xz, true },
	{ TT_CODING_ZSTD, "zstd", ARCHIVE_FILTER_ZSTD, archive_read_support_filter_zstd, true },
	{ TT_CODING_BZIP2, "bzip2", ARCHIVE_FILTER_BZIP2, archive_read_support_filter_bzip2, false },
	{ TT_CODING_LZ4, "lz4", ARCHIVE_FILTER_LZ4, archive_read_support_filter_lz4, false },
	{ TT_CODING_LZIP, "lzip", ARCHIVE_FILTER_LZIP, archive_read_support_filter_lzip, false },
};

/* Callback: give libarchive more raw bytes, which stay valid until it asks again. */
static la_ssize_t
give_raw(struct archive *a, void *arg, const void **p)
{
	struct filter *f = arg;
	const uint8_t *from;
	size_t n, some = 0;
	int rc;

	tt_raw_take(f->raw, f->last_raw_n);
	f->last_raw_n = 0;
	rc = tt_raw_peek(f->raw, 8, &from, &n, &f->raw_err);
	if (rc == TT_OK && f->coding->ends) {
		n = tt_ends_walk(&f->ends, from, n);
		rc = n > 0 ? TT_OK : TT_END;
	}
	if (rc == TT_END) {
		f->raw_ended = true;
		return 0;
	}
	if (rc != TT_OK) {
		archive_set_error(a, EIO, "read error");
		return -1;
	}
	f->last_raw_n = n;
	*p = from;
	for (size_t i = n; i > 0 && from[i - 1] == 0; i--)
		some++;
	f->zeros = some == n ? f->zeros + n : some;
	return (la_ssize_t)n;
}

/* Note why libarchive failed: our own read error, memory, or damage. */
static int
fail_archive(struct filter *f)
{
	const char *why = archive_error_string(f->a);
	uint64_t at = tt_raw_ntaken(f->raw) + f->last_raw_n;

	if (f->raw_err.code < 0)
		f->failed = f->raw_err;
	else if (archive_errno(f->a) == ENOMEM)
		/* The data itself says how large the dictionary or window is. */
		tt_fail(&f->failed, TT_E_LIMIT, at,
		    "%s data needs more memory to be decoded than there may be; in a batch, raise %s",
		    f->coding->name, tt_setting_name[TT_SETTING_UNPACK_MEMORY]);
	else if (why && strstr(why, "too much memory"))
		tt_fail(&f->failed, TT_E_LIMIT, at, "%s data has a larger window than can be decoded", f->coding->name);
	else if (why && strstr(why, "Dictionary mismatch"))
		tt_fail(&f->failed, TT_E_UNKNOWN, at, "%s data needs the dictionary it was compressed with: it is not read",
		    f->coding->name);
	else if (f->raw_ended)
		tt_fail(&f->failed, TT_E_DAMAGED, at,
		    "%s data ends at byte %" PRIu64
		    " of the compressed input before it is complete (cut?): %s",
		    f->coding->name, at, why ? why : "not understood");
	else
		tt_fail(&f->failed, TT_E_DAMAGED, at,
		    "%s data is damaged before byte %" PRIu64 " of the compressed input: %s", f->coding->name,
		    at, why ? why : "not understood");
	return f->failed.code;
}

/* Fail unless libarchive uses our filter and no other: without a filter it would hand out undecoded bytes. */
static int
check_filters(struct filter *f)
{
	if (archive_filter_count(f->a) == 2 && archive_filter_code(f->a, 0) == f->coding->filter)
		return TT_OK;
	archive_clear_error(f->a);
	return fail_archive(f);
}

uint64_t
tt_skippable_frame_bytes(const uint8_t *p, size_t n)
{
	if (n < 8 || (p[0] & 0xf0) != 0x50 || p[1] != 0x2a || p[2] != 0x4d || p[3] != 0x18)
		return 0;
	return 8 + ((uint64_t)p[4] | (uint64_t)p[5] << 8 | (uint64_t)p[6] << 16 | (uint64_t)p[7] << 24);
}

/* Take the skippable frames before the first data frame: libarchive does not recognise input that begins with them. */
static int
skip_frames(struct filter *f)
{
	uint64_t left = 0;
	const uint8_t *p;
	size_t n;
	int rc;

	while ((rc = tt_raw_peek(f->raw, left ? 1 : 8, &p, &n, &f->raw_err)) == TT_OK) {
		size_t some;

		if (left == 0)
			left = tt_skippable_frame_bytes(p, n);
		if (left == 0)
			return TT_OK;
		some = left < n ? (size_t)left : n;
		tt_raw_take(f->raw, some);
		left -= some;
	}
	f->raw_ended = rc == TT_END;
	return rc == TT_END ? TT_OK : rc;
}

/* Enable the filter and the raw format, and check each call: a failed one would show later as "not recognised". */
static int
set_up(struct filter *f)
{
	struct archive_entry *entry;
	int rc;

	f->a = archive_read_new();
	if (!f->a)
		return tt_fail_nomem(&f->failed);
	if (f->coding->enable(f->a) != ARCHIVE_OK || archive_read_support_format_raw(f->a) != ARCHIVE_OK ||
	    archive_read_support_format_empty(f->a) != ARCHIVE_OK)
		return tt_fail(&f->failed, TT_E_UNKNOWN, TT_NOWHERE, "the libarchive here cannot read %s",
		    f->coding->name);
	rc = skip_frames(f);
	f->from = tt_raw_ntaken(f->raw);
	if (rc != TT_OK || archive_read_open(f->a, f, NULL, give_raw, NULL) != ARCHIVE_OK)
		return fail_archive(f);
	rc = archive_read_next_header(f->a, &entry);
	if (rc == ARCHIVE_EOF)
		f->ended = true;
	else if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
		return fail_archive(f);
	return check_filters(f);
}

/*
 * Count the bytes after the last stream. If they do not begin another stream, or its first bytes are damaged, libarchive ends there
 * without an error. Zeros up to the end of the input are padding.
 */
static int
count_garbage(struct filter *f)
{
	uint64_t lent = tt_raw_ntaken(f->raw) + f->last_raw_n - f->from, used = (uint64_t)archive_filter_bytes(f->a, -1), rest;
	uint64_t left = lent > used ? lent - used : 0;
	bool zeros = left <= f->zeros;
	int rc;

	tt_raw_take(f->raw, f->last_raw_n);
	f->last_raw_n = 0;
	rc = tt_raw_take_rest(f->raw, &rest, &zeros, &f->failed);
	if (rc == TT_END) {
		f->d.garbage = zeros ? 0 : left + rest;
		f->counted = true;
	}
	return rc;
}

static int
next_block(struct filter *f)
{
	const void *p = NULL;
	la_int64_t at;
	int rc;

	if (f->failed.code)
		return f->failed.code;
	if (!f->a) {
		rc = set_up(f);
		if (rc != TT_OK)
			return rc;
	}
	if (f->ended)
		return f->counted ? TT_END : count_garbage(f);
	rc = archive_read_data_block(f->a, &p, &f->block_n, &at);
	if (rc == ARCHIVE_OK || rc == ARCHIVE_WARN) {
		f->block = p;
		return TT_OK;
	}
	f->block_n = 0;
	f->ended = rc == ARCHIVE_EOF;
	return f->ended ? count_garbage(f) : fail_archive(f);
}

static int
filter_read(struct tt_decoder *d, void *p, size_t n, size_t *got, struct tt_err *err)
{
	struct filter *f = (struct filter *)d;

	*got = 0;
	while (f->block_n == 0) {
		int rc = next_block(f);

		if (rc < 0 && err)
			*err = f->failed;
		if (rc != TT_OK)
			return rc;
	}
	*got = f->block_n < n ? f->block_n : n;
	memcpy(p, f->block, *got);
	f->block += *got;
	f->block_n -= *got;
	return TT_OK;
}

static int
filter_rewind(struct tt_decoder *d, struct tt_err *err)
{
	struct filter *f = (struct filter *)d;

	(void)err;
	archive_read_free(f->a);
	f->a = NULL;
	f->last_raw_n = f->block_n = 0;
	f->ended = f->counted = f->raw_ended = false;
	f->zeros = f->d.garbage = 0;
	f->ends = (struct tt_ends){ .is_xz = f->ends.is_xz };
	f->failed.code = f->raw_err.code = TT_OK;
	return TT_OK;
}

static void
filter_free(struct tt_decoder *d)
{
	struct filter *f = (struct filter *)d;

	archive_read_free(f->a);
	tt_mem_free(&f->env->mem, f, sizeof *f);
}

int
tt_filter_new(struct tt_env *env, struct tt_raw *raw, enum tt_src_coding coding, struct tt_decoder **d,
    struct tt_err *err)
{
	struct filter *f = tt_mem_alloc(&env->mem, sizeof *f, err);

	if (!f)
		return err ? err->code : TT_E_NOMEM;
	f->d = (struct tt_decoder){ .read = filter_read, .rewind = filter_rewind, .free = filter_free };
	f->env = env;
	f->raw = raw;
	for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
		if (codings[i].id == coding)
			f->coding = &codings[i];
	}
	f->ends.is_xz = coding == TT_CODING_XZ;
	*d = &f->d;
	return TT_OK;
}

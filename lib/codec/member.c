/**
 * xz, zstd, bzip2 and lz4 output in blocks through libarchive.
 *
 * Each block becomes a member (a stream or frame) that is complete by itself; the formats
 * and their tools read a sequence of members as one file.
 */
#include "codec/block.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

struct tt_member_kind {
	int (*add)(struct archive *a);
	const char *level;            /* value of "compression-level"; NULL: the default of the coding */
	const char *empty;            /* the bytes of an empty member, if libarchive cannot make one */
	size_t empty_n;
};

/* Header, end mark, checksum. libarchive 3.6.2 crashes when it closes an lz4 filter that got no bytes. */
static const char lz4_empty[] = "\x04\x22\x4d\x18\x64\x40\xa7" "\0\0\0\0" "\x05\x5d\xcc\x02";

/* xz at its default level 6 takes 19 s for 64 MB of trace, and 1.6 s at level 1 (output 6.4 and 9.0 MB). */
static const struct tt_member_kind xz = { .add = archive_write_add_filter_xz, .level = "1" };
static const struct tt_member_kind zstd = { .add = archive_write_add_filter_zstd, .level = "3" };
static const struct tt_member_kind bzip2 = { .add = archive_write_add_filter_bzip2 };
static const struct tt_member_kind lz4 = {
	.add = archive_write_add_filter_lz4,
	.empty = lz4_empty,
	.empty_n = sizeof lz4_empty - 1,
};

static int
fail(struct archive *a, const char *suffix, struct tt_err *err)
{
	const char *why = archive_error_string(a);

	if (archive_errno(a) == ENOMEM)
		return tt_fail_nomem(err);
	return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "libarchive cannot compress a block for %s: %s",
	    suffix + 1, why ? why : "it does not say why");
}

/* Let libarchive write raw bytes through one filter to memory, without the padding of tapes. */
static int
set_up(struct archive *a, const struct tt_member_kind *kind, struct tt_block *b)
{
	if (archive_write_set_format_raw(a) != ARCHIVE_OK || kind->add(a) != ARCHIVE_OK)
		return ARCHIVE_FATAL;
	if (kind->level &&
	    archive_write_set_filter_option(a, NULL, "compression-level", kind->level) != ARCHIVE_OK)
		return ARCHIVE_FATAL;
	if (archive_write_set_bytes_in_last_block(a, 1) != ARCHIVE_OK)
		return ARCHIVE_FATAL;
	return archive_write_open_memory(a, b->out, TT_BLOCK_BOUND, &b->out_n);
}

static int
write_block(struct archive *a, struct archive_entry *entry, const struct tt_block *b)
{
	/* The raw format holds one unnamed file, for which libarchive wants an entry. */
	archive_entry_set_filetype(entry, AE_IFREG);
	if (archive_write_header(a, entry) != ARCHIVE_OK)
		return ARCHIVE_FATAL;
	if (archive_write_data(a, b->in, b->in_n) != (la_ssize_t)b->in_n)
		return ARCHIVE_FATAL;
	return archive_write_close(a);
}

static int
code_by_archive(const struct tt_coding *coding, struct tt_block *b, struct tt_err *err)
{
	struct archive *a = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	int rc = TT_OK;

	if (!a || !entry)
		rc = tt_fail_nomem(err);
	else if (set_up(a, coding->kind, b) != ARCHIVE_OK || write_block(a, entry, b) != ARCHIVE_OK)
		rc = fail(a, coding->suffix, err);
	archive_entry_free(entry);
	archive_write_free(a);
	return rc;
}

static int
member_code(const struct tt_coding *coding, void *state, struct tt_block *b, struct tt_err *err)
{
	const struct tt_member_kind *kind = coding->kind;

	(void)state;
	if (b->in_n > 0 || !kind->empty)
		return code_by_archive(coding, b, err);
	memcpy(b->out, kind->empty, kind->empty_n);
	b->out_n = kind->empty_n;
	return TT_OK;
}

const struct tt_coding tt_coding_xz = { .suffix = ".xz", .code = member_code, .kind = &xz };
const struct tt_coding tt_coding_zstd = { .suffix = ".zst", .code = member_code, .kind = &zstd };
const struct tt_coding tt_coding_bzip2 = { .suffix = ".bz2", .code = member_code, .kind = &bzip2 };
const struct tt_coding tt_coding_lz4 = { .suffix = ".lz4", .code = member_code, .kind = &lz4 };

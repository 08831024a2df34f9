/**
 * The state of an archive being read, which archive.c, tar.c and zip.c share: see archive.h.
 *
 * archive.c gives libarchive its bytes and takes members' data from it; tar.c finds the headers of a tar, also
 * after damage; zip.c reads the directory of a zip.
 *
 * libarchive reads from `ahead` first, and then from the source at `at`, up to `end`. It holds pointers into `buf`
 * until it asks for more: before anything else is fetched into `buf`, tt_archive_drop() must end libarchive.
 */
#ifndef TT_ARCHIVE_READER_H
#define TT_ARCHIVE_READER_H

#include <archive.h>
#include <archive_entry.h>

#include "archive/archive.h"

#define TT_TAR_BLOCK ((size_t)512)

/* The place of a member of a zip. */
struct tt_zip_entry {
	uint64_t at;                  /* offset of the member's local header */
	uint64_t record;              /* offset of the member's record in the directory */
};

/* The present member, as the directory describes it. */
struct tt_zip_member {
	uint64_t at, packed, size;
	uint32_t crc;
	unsigned flags, method;
	size_t name_n;
};

struct tt_zip {
	struct tt_zip_entry *entry;   /* in order of `at`; NULL: there is no directory */
	size_t n, cap, next;
	uint64_t members_end;         /* offset of the end of the members read so far */
	uint64_t ndeclared;           /* number of members that the directory declares */
	uint64_t directory_at;        /* offset of the directory */
	bool is_gap_searched;         /* true: the bytes before the next listed member were searched for members that the directory does not list */
	struct tt_zip_member m;
	uint64_t data_at;             /* offset of the present member's data, once reading it has begun */
	uint8_t *win;                 /* buffered bytes of the directory */
	uint64_t win_at;
	size_t win_n;
	uint8_t head[64];             /* the local header that libarchive gets instead of the member's own */
	char *name;                   /* the present member's name */
	char local_name[80];          /* the beginning of its name in the local header, if that differs from the directory's; "": it does not */
};

struct tt_archive {
	struct tt_env *env;
	struct tt_src *src;
	struct archive *a;            /* libarchive's reader; NULL: not begun, or dropped */
	enum tt_archive_kind kind;
	bool can_seek;                /* true: bytes are fetched with pread() */
	bool is_over;                 /* true: no more members can be read */
	uint64_t fetch_at, fetch_end; /* offset of the next fetch, and offset where fetching stops */
	uint64_t ntaken;
	size_t fetch_bytes;           /* bytes of the next fetch; small after a jump, then growing */
	uint8_t *buf;
	uint64_t buf_at;              /* offset in the source of the bytes in buf */
	size_t buf_n;
	const uint8_t *ahead;         /* bytes that libarchive gets before the next fetch */
	size_t ahead_n;
	struct tt_err src_err;        /* why a fetch failed; code TT_OK: no fetch failed */
	/* the present member */
	const uint8_t *data;          /* bytes of the member that were decoded and not handed out yet */
	size_t data_n;
	uint64_t data_at, nhanded_out; /* offset of `data` in the member; number of bytes handed out */
	uint8_t *zeros;               /* for holes in sparse members; NULL: no hole so far */
	struct tt_err checksum_err;   /* a wrong checksum or length of a member whose bytes are all there; code TT_OK: no fault is known */
	char note[80];
	/* for tars */
	uint64_t base;                /* offset at which libarchive began to read */
	uint64_t header;              /* offset from which the next header is searched for after libarchive was dropped */
	bool is_reported;             /* true: the damage before the next header was reported already */
	/* for zips */
	struct tt_zip zip;
	bool in_order;                /* true: there is no usable directory, so members are found by their local headers */
	bool begun;                   /* true, if in_order: a member was found */
	bool past_end;                /* true: libarchive got its zeros after the last byte */
	struct tt_err no_directory;   /* why there is no directory, or the damage to a 7z's start header; cleared once reported */
	struct tt_err gap;            /* damage: bytes between or after members that belong to no member; reported at the end, then cleared */
};

/* --- archive.c --- */

/* Fetch up to ${n} bytes from ar->at to ar->buf + ${to}; *${got} is 0 only at the end. */
int tt_archive_fetch(struct tt_archive *ar, size_t to, size_t n, size_t *got, struct tt_err *err);
/* Start libarchive, which reads `ahead` first; end it. */
int tt_archive_start(struct tt_archive *ar, struct tt_err *err);
void tt_archive_drop(struct tt_archive *ar);
/* Fail with the reason for libarchive's ${status}: our own source, memory, an unsupported method, or damage. */
int tt_archive_fail(struct tt_archive *ar, int status, struct tt_err *err);
/* Fill *${m} with the member that libarchive has found. */
void tt_archive_fill_member(struct archive_entry *e, struct tt_member *m);

/* --- tar.c --- */

/* True if the tar header at ${p} has a correct checksum. */
bool tt_is_tar_header(const uint8_t *p);
int tt_tar_next(struct tt_archive *ar, struct tt_member *m, struct tt_err *err);

/* --- zip.c --- */

/* Read the directory. TT_E_DAMAGED: there is no usable directory. */
int tt_zip_open(struct tt_archive *ar, struct tt_err *err);
int tt_zip_next(struct tt_archive *ar, struct tt_member *m, struct tt_err *err);
/* Let libarchive read the present member. */
int tt_zip_start(struct tt_archive *ar, struct tt_err *err);
/* True if the member is compressed by lzma, with a dictionary that may have been too large. */
bool tt_zip_needs_large_dictionary(struct tt_archive *ar);
void tt_zip_close(struct tt_archive *ar);

#endif

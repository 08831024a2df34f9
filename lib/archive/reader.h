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
	uint64_t at;                  /* its local header */
	uint64_t record;              /* its record in the directory */
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
	uint64_t reach;               /* where the members so far end */
	uint64_t declared;            /* how many members the directory says it has */
	uint64_t directory;           /* where it begins */
	bool looked;                  /* the bytes before the next listed member were searched for members that the directory does not list */
	struct tt_zip_member m;
	uint64_t data_at;             /* of the member, once it is begun */
	uint8_t *win;                 /* bytes of the directory */
	uint64_t win_at;
	size_t win_n;
	uint8_t head[64];             /* the local header that libarchive gets instead of the member's own */
	char *name;                   /* of the member */
	char misnamed[80];            /* the beginning of its name in its local header, if that differs; "": it does not */
};

struct tt_archive {
	struct tt_env *env;
	struct tt_src *src;
	struct archive *a;            /* NULL: not begun, or dropped */
	enum tt_archive_kind kind;
	bool seek;                    /* fetched with pread() */
	bool over;                    /* no more can be read */
	uint64_t at, end;             /* where the next fetch begins, and where fetching stops */
	uint64_t taken;
	size_t block;                 /* of the next fetch; grows from a small one after a jump */
	uint8_t *buf;
	uint64_t buf_at;              /* where the bytes in buf are from */
	size_t buf_n;
	const uint8_t *ahead;         /* goes to libarchive before the next fetch */
	size_t ahead_n;
	struct tt_err src_err;        /* why a fetch failed; code TT_OK: none did */
	/* the present member */
	const uint8_t *data;          /* its bytes that were fetched and not handed out yet */
	size_t data_n;
	uint64_t data_at, given;      /* where `data` lies in the member; how many bytes were handed out */
	uint8_t *zeros;               /* for holes in sparse members; NULL: no hole so far */
	struct tt_err doubt;          /* all its bytes are there, but its checksum or length is wrong; code TT_OK: no such fault is known */
	char note[80];
	/* of a tar */
	uint64_t base;                /* where libarchive began to read */
	uint64_t header;              /* where the search for the next header goes on after libarchive was dropped */
	bool warned;                  /* damage before that header was reported */
	/* of a zip */
	struct tt_zip zip;
	bool in_order;                /* it has no directory: members are found by their local headers */
	bool begun;                   /* and one was found */
	bool past_end;                /* libarchive got zeros behind the last byte, once */
	struct tt_err no_directory;   /* why there is none, or the damage to a 7z's start header; cleared once reported */
	struct tt_err gap;            /* bytes between members or behind them that are no member; told at the end, cleared once reported */
};

/* --- archive.c --- */

/* Bring up to ${n} bytes from ar->at to ar->buf + ${to}; *${got} is 0 only at the end. */
int tt_archive_fetch(struct tt_archive *ar, size_t to, size_t n, size_t *got, struct tt_err *err);
/* Start libarchive, which reads `ahead` first; end it. */
int tt_archive_start(struct tt_archive *ar, struct tt_err *err);
void tt_archive_drop(struct tt_archive *ar);
/* Why libarchive gave up with ${status}: our own source, memory, a method it lacks, or damage. */
int tt_archive_fail(struct tt_archive *ar, int status, struct tt_err *err);
/* The member libarchive has found. */
void tt_archive_member(struct archive_entry *e, struct tt_member *m);

/* --- tar.c --- */

/* True if the tar header at ${p} has a correct checksum. */
bool tt_tar_header(const uint8_t *p);
int tt_tar_next(struct tt_archive *ar, struct tt_member *m, struct tt_err *err);

/* --- zip.c --- */

/* Read the directory. TT_E_DAMAGED: there is none that can be used. */
int tt_zip_open(struct tt_archive *ar, struct tt_err *err);
int tt_zip_next(struct tt_archive *ar, struct tt_member *m, struct tt_err *err);
/* Let libarchive read the present member. */
int tt_zip_start(struct tt_archive *ar, struct tt_err *err);
/* True if the member is packed by lzma, with a dictionary that may have been too large. */
bool tt_zip_large(struct tt_archive *ar);
void tt_zip_close(struct tt_archive *ar);

#endif

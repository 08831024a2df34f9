/**
 * The state of an archive that is read, and what its parts are to each other. Internal to lib/io: archive.h.
 *
 * archive.c gives libarchive its bytes and takes members' data from it; archive_tar.c finds the headers of a tar, also
 * after damage; archive_zip.c reads the directory of a zip.
 *
 * libarchive reads from `ahead` first, and then from the source at `at`, up to `end`. It holds pointers into `buf`
 * until it asks for more: who fetches in between drops it first.
 */
#ifndef TT_IO_ARCHIVE_PARTS_H
#define TT_IO_ARCHIVE_PARTS_H

#include <archive.h>
#include <archive_entry.h>

#include "io/archive.h"

#define TT_TAR_BLOCK ((size_t)512)

/* A member of a zip, by its place in the directory. */
struct tt_zip_entry {
	uint64_t at;                  /* of its local header */
	uint64_t record;              /* of its record in the directory */
};

/* What the directory says of the member at hand. */
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
	bool looked;                  /* for members that it does not list, up to the next one that it lists */
	struct tt_zip_member m;
	uint64_t data_at;             /* of the member, once it is begun */
	uint8_t *win;                 /* bytes of the directory */
	uint64_t win_at;
	size_t win_n;
	uint8_t head[64];             /* the local header that libarchive gets instead of the member's own */
	char *name;                   /* of the member */
	char misnamed[80];            /* another one that the header in front of its data gives it, as far as it fits; "": none */
};

struct tt_archive {
	struct tt_env *env;
	struct tt_src *src;
	struct archive *a;            /* NULL: not begun, or dropped */
	enum tt_archive_kind kind;
	bool seek;                    /* fetched with pread() */
	bool over;                    /* nothing more can be read */
	uint64_t at, end;             /* where the next fetch begins, and where fetching stops */
	uint64_t taken;
	size_t block;                 /* of the next fetch; grows from a small one after a jump */
	uint8_t *buf;
	uint64_t buf_at;              /* where the bytes in buf are from */
	size_t buf_n;
	const uint8_t *ahead;         /* goes to libarchive before the next fetch */
	size_t ahead_n;
	struct tt_err src_err;        /* why a fetch failed; code TT_OK: none did */
	/* the member at hand */
	const uint8_t *data;          /* fetched and not yet given out */
	size_t data_n;
	uint64_t data_at, given;      /* where that lies in the member; bytes of it given out */
	uint8_t *zeros;               /* for holes; NULL: none was met */
	struct tt_err doubt;          /* all bytes of it are there, but wrong; code TT_OK: not that we know */
	char note[80];
	/* of a tar */
	uint64_t base;                /* where libarchive began to read */
	uint64_t header;              /* where the next header is looked for, if libarchive was dropped */
	bool warned;                  /* the bytes in front of that header are known to be damaged */
	/* of a zip */
	struct tt_zip zip;
	bool in_order;                /* by the headers in front of its members, for it has no directory */
	struct tt_err no_directory;   /* why there is none, or the damage to a 7z's start header; cleared once reported */
};

/* --- archive.c --- */

/* Bring up to ${n} bytes from ar->at to ar->buf + ${to}; *${got} is 0 only at the end. */
int tt_archive_fetch(struct tt_archive *ar, size_t to, size_t n, size_t *got, struct tt_err *err);
/* Start libarchive at the bytes ahead; stop it. */
int tt_archive_start(struct tt_archive *ar, struct tt_err *err);
void tt_archive_drop(struct tt_archive *ar);
/* Why libarchive gave up with ${status}: our own source, memory, a method it lacks, or damage. */
int tt_archive_fail(struct tt_archive *ar, int status, struct tt_err *err);
/* The member libarchive has found. */
void tt_archive_member(struct archive_entry *e, struct tt_member *m);

/* --- archive_tar.c --- */

/* A tar header's checksum is right. */
bool tt_tar_header(const uint8_t *p);
int tt_tar_next(struct tt_archive *ar, struct tt_member *m, struct tt_err *err);

/* --- archive_zip.c --- */

/* Read the directory. TT_E_DAMAGED: there is none that can be used. */
int tt_zip_open(struct tt_archive *ar, struct tt_err *err);
int tt_zip_next(struct tt_archive *ar, struct tt_member *m, struct tt_err *err);
/* Let libarchive read the member at hand. */
int tt_zip_start(struct tt_archive *ar, struct tt_err *err);
/* True if the member is packed by lzma, with a dictionary that may have been too large. */
bool tt_zip_large(struct tt_archive *ar);
void tt_zip_close(struct tt_archive *ar);

#endif

/**
 * The members of an archive, one after the other: tar, zip, 7z.
 *
 * The archive comes as a source, which decompresses it (and checks that), and an archive inside an archive is a
 * source whose bytes are a member. A tar is read in order; a 7z and a zip need a seekable source, because their
 * directories are at the end. A zip whose directory is damaged is read by the local headers in front of its members,
 * which do not distinguish a link from a small file.
 *
 * Damage is reported where it is found, and reading goes on after it: a tar at the next header whose checksum is right,
 * a zip at the next member. Checksums of members are those of zip and 7z; a tar has one for each header, and none for data.
 * Nothing is ever written or created: members are read as bytes; links and devices are only reported.
 *
 * Built on libarchive: formats are enabled one by one, filters not at all, reading goes through our own callbacks.
 * Names are asked for in UTF-8, which needs the thread's locale: tt_archive_use_locale().
 *
 * Threads: one per archive.
 */
#ifndef TT_ARCHIVE_ARCHIVE_H
#define TT_ARCHIVE_ARCHIVE_H

#include "io/src.h"

enum tt_archive_kind { TT_ARCHIVE_NONE, TT_ARCHIVE_TAR, TT_ARCHIVE_ZIP, TT_ARCHIVE_7Z };
extern const char *const tt_archive_name[];   /* "", "tar", "zip", "7z" */

enum tt_member_kind { TT_MEMBER_FILE, TT_MEMBER_DIRECTORY, TT_MEMBER_LINK, TT_MEMBER_DEVICE, TT_MEMBER_ENCRYPTED };

struct tt_member {
	const char *path;             /* path as stored in the archive, up to the first NUL; valid until the next member */
	enum tt_member_kind kind;
	uint64_t size;                /* bytes according to the archive; UINT64_MAX: not known */
	uint64_t at;                  /* offset in the source where the member begins; UINT64_MAX: not known (7z, a zip without directory) */
	uint32_t crc;                 /* CRC of the member's bytes, from the directory of a zip; 0: not known */
	const char *remark;           /* a remark on unusual bytes before the member, with which nothing is lost; NULL: no remark */
	bool has_all_members;         /* true, with TT_E_DAMAGED: only the archive's directory is damaged, and all members present are found */
};

struct tt_archive;

/* Part of the message of TT_E_UNKNOWN if not even the names of members can be read. */
#define TT_ARCHIVE_ENCRYPTED "headers are encrypted"

/* For zips: return the present member's name in its local header, if it differs from that in the directory; else NULL. */
const char *tt_archive_local_name(const struct tt_archive *ar);

/* Recognise the kind of archive from the first (decoded) bytes of an input. */
enum tt_archive_kind tt_archive_probe(const uint8_t *head, size_t n);

/**
 * tt_archive_prepare():
 * Load the locale and the converter from UTF-16 (7z) to UTF-8 that names beyond ASCII need. Both are files of the C library, so call this before the
 * sandbox is closed. They stay loaded, also in forked processes.
 */
void tt_archive_prepare(void);

/* Let the calling thread read names beyond ASCII. Call once in a process that opens archives. */
void tt_archive_use_locale(void);

/**
 * tt_archive_open(env, src, kind, ar, err):
 * Read ${src}, borrowed, as an archive.
 * Errors: TT_E_USAGE (zip or 7z on a source that is not seekable), TT_E_DAMAGED (7z), TT_E_LIMIT, TT_E_NOMEM, TT_E_IO.
 */
int tt_archive_open(struct tt_env *env, struct tt_src *src, enum tt_archive_kind kind, struct tt_archive **ar, struct tt_err *err);

/**
 * tt_archive_next(ar, m, err):
 * Go on to the next member, and skip the unread rest of this one. TT_END after the last. TT_E_DAMAGED: the next bytes are damaged
 * or missing, as ${err} says; call again, until TT_END, for members after them. TT_E_LIMIT (the limit of memory, or one of the
 * source), TT_E_IO, TT_E_STOPPED: the rest cannot be read.
 */
int tt_archive_next(struct tt_archive *ar, struct tt_member *m, struct tt_err *err);

/**
 * tt_archive_read(ar, p, n, got, err):
 * Read up to ${n} bytes of the member: TT_OK with *${got} > 0, TT_END, or an error as above, after all bytes that could be
 * decoded; TT_E_DAMAGED also if all could be decoded but their CRC is wrong, TT_E_UNKNOWN if the compression method is
 * not supported. The error may concern only this member: the next call of tt_archive_next() tells.
 */
int tt_archive_read(struct tt_archive *ar, void *p, size_t n, size_t *got, struct tt_err *err);

/* As tt_archive_read(), but without a copy: *${p} points to *${n} bytes that are valid until the next call. */
int tt_archive_borrow(struct tt_archive *ar, const uint8_t **p, size_t *n, struct tt_err *err);

/* Return the bytes that this archive has taken from the source. */
uint64_t tt_archive_ntaken(const struct tt_archive *ar);

void tt_archive_close(struct tt_archive *ar);

#endif

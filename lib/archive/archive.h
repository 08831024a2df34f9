/**
 * The members of an archive, one after the other: tar, zip, 7z.
 *
 * The archive comes as a source, so compression around it is the source's business (with its checks), and an
 * archive inside an archive is a source over a member. A tar is read in order; a 7z and a zip need a seekable source,
 * because their directories are at the end. A zip whose directory is damaged is read by the headers in front of its
 * members (which do not tell a link from a small file).
 *
 * Damage is reported where it is found, and reading goes on after it: a tar at the next header whose checksum is right,
 * a zip at the next member. Checksums of members are those of zip and 7z; a tar has one for each header, and none for data.
 * Nothing is ever written, and no member is anything but bytes here: names, links and devices are reported, not created.
 *
 * Built on libarchive: formats are enabled one by one, filters not at all, reading goes through our own callbacks.
 * Names are asked for in UTF-8, which needs the thread's locale: tt_archive_locale().
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
	const char *path;             /* bytes as the archive has them, up to the first NUL; until the next member */
	enum tt_member_kind kind;
	uint64_t size;                /* as the archive says; UINT64_MAX where it does not */
	uint64_t at;                  /* of the source, where it begins; UINT64_MAX where that is not known: 7z, a zip without its directory */
	uint32_t crc;                 /* of its bytes, as the directory of a zip has it; 0: not known */
	const char *note;             /* odd bytes in front of it, by which nothing is lost; NULL: none */
	bool lost_none;               /* with TT_E_DAMAGED: the damage is that of the archive itself, and all its members that are there are found */
};

struct tt_archive;

/* In the message of TT_E_UNKNOWN where not even the names of members can be read. */
#define TT_ARCHIVE_ENCRYPTED "headers are encrypted"

/* The name in front of the member at hand, if it differs; NULL: nothing. For zips. */
const char *tt_archive_misnamed(const struct tt_archive *ar);

/* The kind of archive that the first (decoded) bytes of an input begin. */
enum tt_archive_kind tt_archive_probe(const uint8_t *head, size_t n);

/**
 * tt_archive_prepare():
 * Load what names beyond ASCII need: a locale, and what turns UTF-16 (7z) into UTF-8. Both are files of the C library, so this comes before a
 * sandbox closes; what it loads stays. Forked processes have it, too.
 */
void tt_archive_prepare(void);

/* Let the calling thread read names beyond ASCII. Call once in a process that opens archives. */
void tt_archive_locale(void);

/**
 * tt_archive_open(env, src, kind, ar, err):
 * Read ${src}, borrowed, as an archive.
 * Errors: TT_E_USAGE (zip or 7z on a source that is not seekable), TT_E_DAMAGED (7z), TT_E_LIMIT, TT_E_NOMEM, TT_E_IO.
 */
int tt_archive_open(struct tt_env *env, struct tt_src *src, enum tt_archive_kind kind, struct tt_archive **ar, struct tt_err *err);

/**
 * tt_archive_next(ar, m, err):
 * Go on to the next member, past what was not read of this one. TT_END after the last. TT_E_DAMAGED: what follows is damaged
 * or missing, as ${err} says; call again, until TT_END, for what can be read after it. TT_E_LIMIT (more memory than
 * there may be, or a limit of the source), TT_E_IO, TT_E_STOPPED: the rest cannot be read.
 */
int tt_archive_next(struct tt_archive *ar, struct tt_member *m, struct tt_err *err);

/**
 * tt_archive_read(ar, p, n, got, err):
 * Up to ${n} bytes of the member: TT_OK with *${got} > 0, TT_END, or an error as above, after all bytes that could be
 * decoded; TT_E_DAMAGED also where all could and their CRC is wrong, TT_E_UNKNOWN where they are packed by a method that
 * is not read. It may be this member's alone: the next call of tt_archive_next() tells.
 */
int tt_archive_read(struct tt_archive *ar, void *p, size_t n, size_t *got, struct tt_err *err);

/* The same without a copy: *${p} is good until the next call. */
int tt_archive_block(struct tt_archive *ar, const uint8_t **p, size_t *n, struct tt_err *err);

/* Bytes taken from the source by this archive. */
uint64_t tt_archive_taken(const struct tt_archive *ar);

void tt_archive_close(struct tt_archive *ar);

#endif

/**
 * Decoded bytes of an input: a file or a pipe, compressed or not.
 *
 * The source recognises gzip, xz, zstd, bzip2, lz4 and lzip by their first bytes (after frames
 * to be skipped, which zstd and lz4 share) and hands out the decoded bytes. A plain regular file is seekable: workers pread()
 * from it side by side. Everything else is read in order; it can be rewound,
 * any number of times, where it is `rewindable`: a compressed regular file is inflated
 * again, a pipe has been copied to an unlinked temporary file if the caller
 * asked for that before the first read (tt_src_spool).
 *
 * Facts this is built on: libarchive's filters are enabled one by one (its
 * "all" runs outside programs); gzip is inflated with zlib directly because
 * libarchive neither checks the CRC nor gives back the bytes in front of a cut;
 * files are never mapped (a file that shrinks under a map is a SIGBUS).
 *
 * A regular file is read up to the size it had when it was opened. Opening names
 * the input in its messages; reading does not: the caller says what it read. The
 * place of an error in a compressed input (tt_err.at) is an offset in the
 * compressed bytes, and the message says so.
 *
 * env->decoded_max and env->ratio_max bound what in-order reads give: over them they return TT_E_LIMIT.
 *
 * Threads: one thread reads in order; tt_src_pread may run on any number of
 * threads beside it.
 */
#ifndef TT_IO_SRC_H
#define TT_IO_SRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"

struct tt_src;

enum tt_src_coding {
	TT_CODING_NONE, TT_CODING_GZIP, TT_CODING_XZ, TT_CODING_ZSTD, TT_CODING_BZIP2, TT_CODING_LZ4, TT_CODING_LZIP,
};

struct tt_src_info {
	const char *name;             /* as the user gave it; "standard input" for "-" */
	enum tt_src_coding coding;
	bool seekable;                /* tt_src_pread works */
	bool can_rewind;
	uint64_t raw_size;            /* bytes on disk, or UINT64_MAX for a pipe */
	uint64_t raw_at;              /* raw bytes that in-order reads have taken so far */
	uint64_t size;                /* decoded bytes; UINT64_MAX: not known before the end */
};

/**
 * tt_src_open(env, path, src, err):
 * Open ${path}; "-" is standard input (descriptor 0). A directory, a missing
 * file or an unreadable one is TT_E_IO with a message that says which.
 * An empty file opens; its first read returns TT_END.
 * Owns: *${src} is the caller's, to close.
 */
int tt_src_open(struct tt_env *env, const char *path, struct tt_src **src, struct tt_err *err);

/* As tt_src_open() for a descriptor, which the source owns from the call on, or for memory, which is borrowed. */
int tt_src_open_fd(struct tt_env *env, int fd, const char *name, struct tt_src **src, struct tt_err *err);
int tt_src_open_mem(struct tt_env *env, const void *p, size_t n, const char *name, struct tt_src **src,
    struct tt_err *err);

/* As tt_src_open_fd(), but of a file only the first ${size} bytes. */
int tt_src_open_part(struct tt_env *env, int fd, uint64_t size, const char *name, struct tt_src **src, struct tt_err *err);

/* As tt_src_open() for the bytes that ${supply} supplies in order (tt_raw_supply in io/raw.h). */
int tt_src_open_supply(struct tt_env *env, int (*supply)(void *, void *, size_t, size_t *, struct tt_err *), void *arg,
    const char *name, struct tt_src **src, struct tt_err *err);

/**
 * tt_src_open_inside(env, outer, src, err):
 * Open a source whose raw bytes are the decoded bytes of ${outer}, which may have been peeked at: for input that is compressed twice. On
 * success ${outer} belongs to *${src}; raw_at and the ratio count the raw bytes of ${outer}.
 */
int tt_src_open_inside(struct tt_env *env, struct tt_src *outer, struct tt_src **src, struct tt_err *err);

/**
 * tt_src_open_text(env, path, src, err):
 * As tt_src_open() for a text that people or other programs wrote, which may be compressed: reads give UTF-8 without a byte order mark, even if
 * the file has a mark or is UTF-16 (Windows PowerShell's ">" writes both). UTF-32 is TT_E_USAGE, and so is half a character of UTF-16, when it is
 * read. Readable once, in order.
 */
int tt_src_open_text(struct tt_env *env, const char *path, struct tt_src **src, struct tt_err *err);

/* Return the time of the input's last change before it was opened, ns since 1970; 0: it is no regular file. */
int64_t tt_src_mtime(const struct tt_src *src);

const struct tt_src_info *tt_src_info(const struct tt_src *src);

/**
 * tt_src_peek(src, p, n, err):
 * Point *${p} at the first decoded bytes of the input, up to 4096 of them
 * (*${n}; 0 if it is empty), without consuming any. Only before the first read.
 * An error is returned only if there is no byte to show.
 */
int tt_src_peek(struct tt_src *src, const uint8_t **p, size_t *n, struct tt_err *err);

/**
 * tt_src_read(src, p, n, got, err):
 * Read the next ${n} decoded bytes in order. Fewer only where the input ends
 * or is damaged: then *${got} says how many are good, and the status is TT_OK
 * if *got > 0 (the next call gives the reason), TT_END at a proper end,
 * TT_E_DAMAGED where the compressed stream is cut or broken or its CRC wrong
 * (everything that inflated before it has been given out), TT_E_IO for errors
 * of the system: EIO is never reported as damage. EINTR and short reads are hidden.
 */
int tt_src_read(struct tt_src *src, void *p, size_t n, size_t *got, struct tt_err *err);

/**
 * tt_src_pread(src, at, p, n, got, err):
 * Read up to ${n} bytes at ${at}; fewer than n only at the end of the file.
 * Only where info->seekable.
 */
int tt_src_pread(const struct tt_src *src, uint64_t at, void *p, size_t n, size_t *got,
    struct tt_err *err);

/**
 * tt_src_spool(src, err):
 * Promise that the input will be rewound. For a pipe this starts the spool (raw
 * bytes as they arrive, at most env->spool_max: over it reads return
 * TT_E_LIMIT naming --spool-max). A no-op elsewhere. Only before the first read
 * (a peek before it is fine), else TT_E_USAGE.
 */
int tt_src_spool(struct tt_src *src, struct tt_err *err);

/* Return the bytes spooled so far for a rewind; 0: nothing is spooled. */
uint64_t tt_src_nspooled(const struct tt_src *src);

/* Return the damage of the compressed stream that in-order reads and peeks have met, even if bytes before it are still to be read; NULL: none yet. */
const struct tt_err *tt_src_damage(const struct tt_src *src);

/* Go back to the first decoded byte. TT_E_USAGE where info->rewindable is false. */
int tt_src_rewind(struct tt_src *src, struct tt_err *err);

/**
 * tt_src_has_changed(src):
 * True if the file's size, modification time or inode changed since it was opened.
 */
bool tt_src_has_changed(const struct tt_src *src);

/* True if another process holds a lock (flock) on the file, as a recorder does while it writes; false also if that cannot be found out. */
bool tt_src_is_locked(const struct tt_src *src);

/*
 * Return the bytes after the end of the compressed data, of all layers of compression (0: none, or all zero). They are
 * not decoded, which the caller reports. Known once a read has returned TT_END.
 */
uint64_t tt_src_ngarbage(const struct tt_src *src);

void tt_src_close(struct tt_src *src);

#endif

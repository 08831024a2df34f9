/**
 * The unpacker of a batch: one process per archive, which tells the parent its captures one by one.
 *
 * Each member is read once, from its beginning: if a reader recognises it, it is a capture; an archive
 * itself is gone into, the rest is counted by kind. A capture goes to the parent as a descriptor: of memory
 * (or of an unlinked file, where it must be whole before it can be used) with all of it, or, if it is larger
 * than env->spool_memory, of a pipe that its bytes follow on. A zip or 7z inside an archive or compressed
 * is spooled, for it must be sought; a tar is read as it comes.
 *
 * The unpacker never has more captures underway than slots that the parent has given it: each byte on the socket
 * is the number of a free slot, whose memory is reused.
 */
#ifndef TT_BATCH_UNPACK_H
#define TT_BATCH_UNPACK_H

#include "batch/key.h"
#include "archive/archive.h"
struct tt_format;

struct tt_unpack_opts {
	const struct tt_format *const *formats;
	const char *format;           /* force a reader: every file is a capture; NULL by content */
	struct tt_shard shard;        /* the shard whose members are taken, if shards share the archive */
	unsigned depth;               /* the most levels of nested archives; 0: none */
	uint64_t members_max;         /* the most members of an archive, nested ones included */
	bool whole;                   /* true: spool every capture whole, because its hash is needed before it is analysed */
	/**
	 * True if there is a result for this capture. ${hash}: hash of its content, or NULL if the content does not matter.
	 */
	bool (*done)(void *arg, const char *key, size_t n, const uint64_t *hash);
	void *done_arg;
};

/* The description of a file that is not a capture, by its first bytes. */
const char *tt_unpack_kind_of(const uint8_t *head, size_t n);

/**
 * tt_unpack_probe(env, src, name, len, head, n):
 * Find the kind of the archive ${src} by its first *${n} bytes *${head}, or by its name if these are zeros, as in an empty tar. If it is compressed more than
 * once, *${src} becomes a source of its innermost bytes, of whatever kind.
 */
enum tt_archive_kind tt_unpack_probe(struct tt_env *env, struct tt_src **src, const char *name, size_t len, const uint8_t **head,
    size_t *n);

/**
 * tt_unpack_missed(formats, name, len, packed, head, n, why):
 * Tell whether captures may be missed if a file that begins with the ${n} bytes ${head} is skipped. ${packed}: it was compressed.
 * TT_E_UNKNOWN: it is an archive of a kind that is not read; TT_E_DAMAGED: its name says that it is a capture or an archive;
 * ${why} says which. TT_OK: it is neither.
 */
int tt_unpack_missed(const struct tt_format *const *formats, const char *name, size_t len, bool packed,
    const uint8_t *head, size_t n, struct tt_err *why);

/**
 * tt_unpack(env, o, src, kind, key, n, sock, err):
 * Go through the archive ${src}, and report it on ${sock}, TT_WIRE_END last. ${key}: the archive's key.
 * Errors of the archive are in its record. Errors: TT_E_IO (the parent is gone), TT_E_NOMEM, TT_E_STOPPED.
 */
int tt_unpack(struct tt_env *env, const struct tt_unpack_opts *o, struct tt_src *src, enum tt_archive_kind kind,
    const char *key, size_t n, int sock, struct tt_err *err);

#endif

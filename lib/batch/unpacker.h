/**
 * An unpacker at work: the archives that it is in, and its talk with the parent. Internal to tt_unpack(): unpack.h.
 *
 * unpack.c goes through archives; unpack_capture.c reads members and hands captures on; unpack_tell.c speaks with the parent.
 */
#ifndef TT_BATCH_UNPACKER_H
#define TT_BATCH_UNPACKER_H

#include "base/buf.h"
#include "base/hash.h"
#include "archive/archive.h"
#include "batch/record.h"
#include "batch/unpack_name.h"

struct tt_unpack_opts;
struct tt_wire;

#define TT_UNPACK_COPY ((size_t)256 << 10)
/* Bytes read of a member before its kind is known. */
#define TT_UNPACK_TEE ((size_t)2 << 20)

/* The state of one of the nested archives. */
struct level {
	enum tt_archive_kind kind;
	struct tt_archive *ar;
	struct tt_src *src;
	unsigned depth;
	size_t key_n;                 /* length of the archive's key, the first part of unpack.key */
	struct names names;
	/* the member at hand */
	struct tt_member m;
	uint8_t *tee;                 /* TT_UNPACK_TEE bytes for its first bytes, kept until its kind is known */
	size_t tee_n, tee_at;
	bool keep;                    /* true: bytes read are also copied to tee */
	uint64_t given;               /* bytes of the member read so far */
	uint64_t taken_before;        /* bytes taken from the source before the member began */
};

struct unpack {
	struct tt_env *env;
	const struct tt_unpack_opts *o;
	int sock;
	struct tt_buf key;
	struct tt_record rec;
	uint64_t index;               /* members so far, in all levels */
	uint64_t top_index;           /* members so far in the outermost archive */
	uint64_t alive_at, alive_index;
	struct tt_src *file;
	struct tt_hash listing;       /* hash of all members of an archive that shards share */
	bool unlisted;                /* true: some member could not be added to ${listing} */
	struct level *top;
	uint8_t *copy;                /* TT_UNPACK_COPY */
	int slot[256];                /* by slot: descriptor of its spool; -1: none */
	struct tt_err gone;           /* why the parent cannot be reached; code TT_OK: it can */
};

/* --- unpack_tell.c --- */

/* Send a message; if the parent is gone, set u->gone. */
int tt_unpack_tell(struct unpack *u, const struct tt_wire *w, int fd, struct tt_err *err);
/* Note a complaint of this kind. The first few are printed at once; all are counted. */
int tt_unpack_complain(struct unpack *u, const char *kind, struct tt_err *err, const char *fmt, ...) TT_PRINTF(4, 5);
/* Tell the parent at intervals that the work goes on, and how far it is. */
int tt_unpack_alive(struct unpack *u, struct tt_err *err);
/* Wait for a slot to send a capture in: *${slot}, whose descriptor is free. */
int tt_unpack_await(struct unpack *u, unsigned *slot, struct tt_err *err);

/* --- unpack_capture.c --- */

/* A member as a source, whose bytes are also kept until its kind is known: tt_raw_supply, see io/src.h. */
struct tt_unpack_member { struct unpack *u; struct level *l; };
int tt_unpack_more(void *member, void *p, size_t n, size_t *got, struct tt_err *err);
/* Read the rest of the member at hand for its checksum alone: TT_OK, or the damage found. */
int tt_unpack_check(struct unpack *u, struct level *l, struct tt_err *why);
/* Hand on the member at hand, a capture called u->key, unless there is a result for it. */
int tt_unpack_capture(struct unpack *u, struct level *l, struct tt_err *err);

#endif

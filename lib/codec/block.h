/**
 * One block of output, and what turns it into compressed bytes.
 *
 * io/pack.c cuts and orders blocks, deflate.c and member.c
 * compress one each. The bytes of a block depend on its input alone, never on
 * the thread or on the blocks around it.
 */
#ifndef TT_CODEC_BLOCK_H
#define TT_CODEC_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"

#define TT_BLOCK_SIZE ((size_t)1 << 20)

/* Room for what a coder may make of a block that does not compress; every coding here needs less. */
#define TT_BLOCK_BOUND (TT_BLOCK_SIZE + (TT_BLOCK_SIZE >> 2))

struct tt_forms;

struct tt_block {
	char *in, *out;               /* TT_BLOCK_SIZE, TT_BLOCK_BOUND */
	size_t in_n, out_n;
	size_t size;                  /* of stamps: bytes of the packets that these and the bytes between them are */
	size_t open;                  /* of stamps: where the last run begins */
	bool last;                    /* nothing follows */
	bool packets;                 /* whole ones (packet.h), unless one is larger than a block */
	const struct tt_forms *forms; /* of stamps */
	bool done;                    /* compressed (guarded by the pack's lock) */
	uint32_t crc;                 /* of the input, where the coding asks for one */
	struct tt_err failed;         /* why compressing failed; code TT_OK: it did not */
};

/**
 * A coding of output. Each thread has a state of its own, made at its first
 * block; start and stop are NULL where none is needed.
 */
struct tt_coding {
	const char *suffix;
	int (*start)(struct tt_env *env, void **state, struct tt_err *err);
	void (*stop)(struct tt_env *env, void *state);
	int (*code)(const struct tt_coding *coding, void *state, struct tt_block *b, struct tt_err *err);
	/* Written before and after all blocks (at most 32 bytes); NULL: each block is complete. */
	size_t (*head)(uint8_t *p);
	size_t (*tail)(uint8_t *p, uint32_t crc, uint64_t total);
	const struct tt_member_kind *kind;    /* for member.c */
	bool stamps;                  /* blocks are runs of stamps (packet.h); a packet larger than a block is written as it is */
};

/* Writes packets within a packet: not chosen by a suffix. */
extern const struct tt_coding tt_coding_packets;

extern const struct tt_coding tt_coding_gzip;
extern const struct tt_coding tt_coding_xz, tt_coding_zstd, tt_coding_bzip2, tt_coding_lz4;

#endif

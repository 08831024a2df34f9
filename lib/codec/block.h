/**
 * One block of output, and the codings that compress it.
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

/* Maximum bytes of the compressed form of a block that does not compress; every coding here needs less. */
#define TT_BLOCK_BOUND (TT_BLOCK_SIZE + (TT_BLOCK_SIZE >> 2))

struct tt_forms;

struct tt_block {
	char *in, *out;               /* input and compressed bytes; room for TT_BLOCK_SIZE and TT_BLOCK_BOUND */
	size_t in_n, out_n;
	size_t stamps_size;           /* if the input consists of runs of stamps: bytes of all packets that the runs replace */
	size_t last_run_at;           /* if the input consists of runs of stamps: offset of the last run */
	bool last;                    /* true: this is the last block */
	bool packets;                 /* true: the input is whole packets (packet.h), unless one is larger than a block */
	const struct tt_forms *forms; /* the forms of stamps */
	bool done;                    /* true: compressed (guarded by the pack's lock) */
	uint32_t crc;                 /* CRC of the input, if the coding needs one */
	struct tt_err failed;         /* why compressing failed; code TT_OK: it did not */
};

/**
 * A coding of output. Each thread has a state of its own, made at its first
 * block; start and stop are NULL if the coding needs no state.
 */
struct tt_coding {
	const char *suffix;
	int (*start)(struct tt_env *env, void **state, struct tt_err *err);
	void (*stop)(struct tt_env *env, void *state);
	int (*code)(const struct tt_coding *coding, void *state, struct tt_block *b, struct tt_err *err);
	/* Written before and after all blocks (at most 32 bytes); NULL: each block is complete. */
	size_t (*head)(uint8_t *p);
	size_t (*tail)(uint8_t *p, uint32_t crc, uint64_t total);
	const struct tt_member_kind *kind;    /* the filter of member.c */
	bool stamps;                  /* true: blocks are runs of stamps (packet.h); a packet larger than a block is written uncompressed */
};

/* Writes packets compressed within a packet; no suffix chooses this coding. */
extern const struct tt_coding tt_coding_packets;

extern const struct tt_coding tt_coding_gzip;
extern const struct tt_coding tt_coding_xz, tt_coding_zstd, tt_coding_bzip2, tt_coding_lz4;

#endif

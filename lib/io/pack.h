/**
 * Compressed output: blocks cut, compressed side by side, written in order.
 *
 * Internal to lib/io; sink.c is the user. Workers start when the first block is
 * full, so that a small file costs no thread. Blocks in flight are bounded
 * (twice the workers); the writer waits for the oldest and writes it out, so
 * errors of the disk come back on the writer's own calls.
 *
 * Threads: one writer.
 */
#ifndef TT_IO_PACK_H
#define TT_IO_PACK_H

#include "codec/block.h"
#include "io/dest.h"

struct tt_pack;

/* The coding that the suffix of ${path} asks for, or NULL. */
const struct tt_coding *tt_pack_coding(const char *path);

int tt_pack_new(struct tt_env *env, const struct tt_coding *coding, struct tt_dest *dest,
    struct tt_pack **pack, struct tt_err *err);

/*
 * Declare that only whole packets are written (packet.h), so that blocks are cut between packets. Before the first write. ${forms}: the forms of stamps, if
 * the coding takes stamps.
 */
void tt_pack_set_packets(struct tt_pack *pack, const struct tt_forms *forms);

int tt_pack_write(struct tt_pack *pack, const void *p, size_t n, struct tt_err *err);

/* As tt_pack_write() for runs of stamps, if the coding takes stamps. */
int tt_pack_write_stamps(struct tt_pack *pack, const char *p, size_t n, struct tt_err *err);

/* Compress and write all bytes so far, and give threads and memory back. Later bytes are compressed without threads. */
int tt_pack_flush_and_shrink(struct tt_pack *pack, struct tt_err *err);

/* Compress and write all bytes that are left, and the end mark. Call once, as the last call. */
int tt_pack_finish(struct tt_pack *pack, struct tt_err *err);

/* Stop the workers, whatever they are doing, and free everything. NULL is fine. */
void tt_pack_free(struct tt_pack *pack);

#endif

/**
 * The arguments that an event carries, and those of zones that are still open when their chunk is over.
 *
 * In a batch they are the TT_ARG after their event, borrowed like it. A zone that ends in a later chunk than it began in
 * takes a copy along on its thread's stack; whoever ends it takes the copy over.
 */
#ifndef TT_MODEL_ARGS_H
#define TT_MODEL_ARGS_H

#include <stdbool.h>
#include <stddef.h>

struct tt_batch;
struct tt_err;
struct tt_event;
struct tt_mem;

/* Arguments, their texts and blobs in ${text}. Borrowed. */
struct tt_args {
	const struct tt_event *ev;
	size_t n;
	const char *text;
	size_t ntext;
	bool cut;             /* True if the zone has no end of its own (TT_F_POPPED); outputs write it as the last argument */
};

/* The most argument bytes that zones open between chunks may keep, over all threads of a run; more is lost and counted: TT_LOST_ARGS. */
#define TT_ARGS_KEPT ((size_t)4 << 20)

/* A copy; the arguments and their text follow it in the same block. */
struct tt_args_kept {
	struct tt_args args;
	struct tt_args_kept *next;    /* next copy in the owner's list */
	size_t bytes;
};

/* The arguments of the event at ${i}. */
struct tt_args tt_args_of(const struct tt_batch *b, size_t i);

/* The text of ${arg}, which is one of ${a}; *${n}: its length in bytes. */
const char *tt_args_text(const struct tt_args *a, const struct tt_event *arg, size_t *n);

/* The bytes that a copy takes. */
size_t tt_args_bytes(const struct tt_args *a);

/* A copy, or NULL with ${err} filled. */
struct tt_args_kept *tt_args_keep(const struct tt_args *a, struct tt_mem *mem, struct tt_err *err);

/* Free a list of copies; NULL is an empty one. */
void tt_args_free(struct tt_args_kept *list, struct tt_mem *mem);

#endif

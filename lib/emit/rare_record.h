/**
 * Rare events as records of a number, a name and a text, for outputs that write all kinds alike.
 *
 * Internal to lib/emit.
 */
#ifndef TT_EMIT_RARE_RECORD_H
#define TT_EMIT_RARE_RECORD_H

#include "model/args.h"
#include "model/model.h"
#include "view/counter.h"

struct tt_emitting;
struct tt_view;

/* Text is borrowed from the batch, from definitions and from the record itself, which is not copied. */
struct tt_rare_record {
	const char *kind;
	const struct tt_name *marker; /* gives name and category; NULL: the two below */
	const char *name, *category;
	size_t nname, ncategory;
	char value[40];               /* "" or a number */
	const char *detail;           /* text; the buffer below for ids */
	size_t ndetail;
	char id[24], room[TT_COUNTER_NAME];
	struct tt_args args;
	struct tt_nameless own;
	uint32_t thread;              /* index */
};

/**
 * tt_rare_record(to, v, i, unwritten, r):
 * Fill ${r} for the rare event at ${i}; false: it has no record, or the filters leave it out. A number that cannot be written, by the emitter
 * ${to}, is counted in *${unwritten}.
 */
bool tt_rare_record(const struct tt_emitting *to, const struct tt_view *v, size_t i, uint64_t *unwritten, struct tt_rare_record *r);

/**
 * tt_rare_args(args, value, room, n):
 * The arguments that a record shows: in ${value} (at least 40 bytes) the first number, or nothing; returned, with its length *${n}, the first text or
 * pointer, without one how long the first blob is, or NULL. It may lie in ${room} (at least 24 bytes).
 */
const char *tt_rare_args(const struct tt_args *args, char *value, char *room, size_t *n);

#endif

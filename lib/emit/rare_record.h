/**
 * Rare events as records of a number, a name and a text, for outputs that write all kinds in the same form.
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

/* Text is borrowed from the batch, from definitions and from the record itself, so a record must not be copied. */
struct tt_rare_record {
	const char *kind;
	const struct tt_name *marker; /* supplies name and category; NULL: see the two fields below */
	const char *name, *category;
	size_t nname, ncategory;
	char value[40];               /* "" or a number */
	const char *detail;           /* a text, or an id printed into ${id} */
	size_t ndetail;
	char id[24], room[TT_COUNTER_NAME];
	struct tt_args args;
	struct tt_nameless own;
	uint32_t thread;              /* index of the thread */
};

/**
 * tt_rare_record(to, v, i, unwritten, r):
 * Fill ${r} for the rare event at ${i}. False: the event has no record, or the filters leave it out. If the emitter ${to} cannot write a
 * number, *${unwritten} is incremented.
 */
bool tt_rare_record(const struct tt_emitting *to, const struct tt_view *v, size_t i, uint64_t *unwritten, struct tt_rare_record *r);

/**
 * tt_rare_args(args, value, room, n):
 * Choose the arguments that a record shows. ${value} (at least 40 bytes) receives the first number, or "". Return the first text or pointer; without one the
 * length of the first blob, or NULL; *${n} is its length. The result may lie in ${room} (at least 24 bytes).
 */
const char *tt_rare_args(const struct tt_args *args, char *value, char *room, size_t *n);

#endif

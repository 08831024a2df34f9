/**
 * The names of a capture in brief, for outputs that write them again with every event.
 *
 * They are listed before the events, with the names that are too long alone: there is no list in nearly all captures. A name is looked up by its address.
 *
 * Threads: one writer, then any number of readers. Internal to lib/emit.
 */
#ifndef TT_EMIT_BRIEFS_H
#define TT_EMIT_BRIEFS_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/map.h"
#include "base/mem.h"

struct tt_emitting;
struct tt_err;
struct tt_model;

struct tt_briefs {
	struct tt_arena text;
	struct tt_map at;             /* rows of ${name}, by address */
	struct tt_brief_name { const char *whole, *brief; } *name;
	size_t n, cap;
	_Atomic unsigned used;        /* 1: a name was cut in what is written */
};

/* List the long names of markers, categories, classes and counters that are known. ${b} is zero but for its arena. */
int tt_briefs_make(struct tt_briefs *b, const struct tt_model *m, struct tt_err *err);
void tt_briefs_free(struct tt_briefs *b, struct tt_mem *mem);

/* The name ${s} of the capture in brief, and note that it was written. */
const char *tt_emit_brief(const struct tt_emitting *e, const char *s);

/* As tt_brief_name() for a name that is not the capture's as it is. */
const char *tt_emit_brief_in(const struct tt_emitting *e, char *room, const char *s);

/* Tell that names were cut, if some were. */
void tt_briefs_tell(const struct tt_emitting *e);

#endif

/**
 * Objects by address, followed through the collector's moves.
 *
 * An address names an object only between two collections. Each object here has a value of its owner's choice;
 * tt_objects_move() takes all moves of one record at once, because an object may go where another was. Only the
 * objects put in are followed, so a few locks cost little in a capture of millions of moves.
 *
 * Errors: TT_E_NOMEM, TT_E_LIMIT. One thread at a time.
 */
#ifndef TT_COLLECT_OBJECTS_H
#define TT_COLLECT_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

/* Not a tt_map: objects are removed again, and looked up at each allocation, move or death, so values lie in the slots. */
struct tt_objects {
	struct tt_mem *mem;
	struct tt_object_slot { uint64_t addr, v; } *slot;    /* addr 0: empty, 1: removed */
	size_t nslot, n, used;
	struct tt_object_slot *moving;
	size_t capmoving;
};

void tt_objects_init(struct tt_objects *o, struct tt_mem *mem);
void tt_objects_free(struct tt_objects *o);
void tt_objects_clear(struct tt_objects *o);

/* The value of the object at ${addr}; false: not known. */
bool tt_objects_get(const struct tt_objects *o, uint64_t addr, uint64_t *v);

/* Insert or replace the value of the object at ${addr}. */
int tt_objects_set(struct tt_objects *o, uint64_t addr, uint64_t v, struct tt_err *err);
void tt_objects_drop(struct tt_objects *o, uint64_t addr);

/* Follow ${n} words: old and new address in turn. ${moved} is called for each known address; it may be NULL. */
int tt_objects_move(struct tt_objects *o, const uint64_t *word, size_t n,
    void (*moved)(void *arg, uint64_t v, uint64_t from, uint64_t to), void *arg, struct tt_err *err);

#endif

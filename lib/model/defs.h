/**
 * Definitions: what keys mean, and when.
 *
 * One struct tt_defs per process (capture). The ordered stage adds definitions in
 * file order; nearly all look-ups happen after the input was read once (report time, or
 * after the prepass of a streaming emitter), so a definition that comes after
 * its first use is found all the same. A key can be defined again (addresses
 * are reused after an unload): a use takes the newest definition whose time is
 * not later than its own, else the oldest one.
 *
 * Threads: one writer, and any number of readers, also while it adds: some counters, classes and threads are asked for while events are read. A definition
 * that a reader was given never changes, except its time: a repetition with an earlier time moves it back.
 */
#ifndef TT_MODEL_DEFS_H
#define TT_MODEL_DEFS_H

#include <stdbool.h>

#include "model/event.h"

struct tt_defs;

int tt_defs_new(struct tt_mem *mem, struct tt_defs **defs, struct tt_err *err);
void tt_defs_free(struct tt_defs *defs);

/* Add a copy of ${d}. A repetition of what the key already means adds nothing, unless it names a thread at another time. */
int tt_defs_add(struct tt_defs *defs, const struct tt_def *d, struct tt_err *err);

/* The definition of ${key} at time ${ts}, or NULL. INT64_MAX asks for the newest. */
const struct tt_def *tt_defs_find(const struct tt_defs *defs, enum tt_def_kind kind, uint64_t key, int64_t ts);

/* The next meaning of the key of ${d}, which is in ${defs}, or NULL: the definition after it in time. */
const struct tt_def *tt_defs_next(const struct tt_defs *defs, const struct tt_def *d);

/* The ${i}th definition of ${kind} in order of addition (0 up), or NULL after the last. Every redefinition counts. */
const struct tt_def *tt_defs_at(const struct tt_defs *defs, enum tt_def_kind kind, size_t i);
size_t tt_defs_count(const struct tt_defs *defs, enum tt_def_kind kind);

/* True if any class or vtable key got a second, different meaning: then uses must be resolved by time. */
bool tt_defs_reused(const struct tt_defs *defs);
/* True if ${key} got a second, different meaning. */
bool tt_defs_key_reused(const struct tt_defs *defs, uint64_t key);

/* ${key}, or if it has had several meanings, an alias for its vtable or class at ${ts} alone, which tt_defs_vtable and
 * tt_defs_class accept. */
uint64_t tt_defs_alias(const struct tt_defs *defs, uint64_t key, int64_t ts);

/**
 * tt_defs_class(defs, key, ts):
 * The class of an allocation with ${key}: through the vtable where the format
 * has them, else the class itself. NULL if unknown.
 */
const struct tt_def *tt_defs_class(const struct tt_defs *defs, uint64_t key, int64_t ts);

/* The vtable that ${key} means at ${ts}, which tells the domain; or NULL. */
const struct tt_def *tt_defs_vtable(const struct tt_defs *defs, uint64_t key, int64_t ts);

/* Sort symbols by address: after the last definition, before the first tt_defs_symbol(). */
int tt_defs_sort_symbols(struct tt_defs *defs, struct tt_err *err);

/* The nearest symbol at or below ${ip}, at most ${reach} bytes away, or NULL. */
const struct tt_def *tt_defs_symbol(const struct tt_defs *defs, uint64_t ip, uint64_t reach);

#endif

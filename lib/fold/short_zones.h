/**
 * Short zones: those that the filter's shortest duration leaves out, of zones that begin in one chunk and end in another.
 *
 * Whoever meets an allocation in a zone that has not ended must know whether the zone counts: if not, the zone around it allocates. In one
 * chunk the end is there; of zones that go on beyond it, the reading of names notes which are too short. Each is known by its begin, its
 * level and its marker. Memory: 24 bytes for each of them, so a few hundred for each chunk, and none without a shortest duration.
 */
#ifndef TT_FOLD_SHORT_ZONES_H
#define TT_FOLD_SHORT_ZONES_H

#include "model/capture.h"

/**
 * tt_short_zones_note(t, z, level, end, shortest, mem, err):
 * The zone ${z} at ${level} of the stack of ${t}, from an earlier chunk, ends at ${end}: note it if it is shorter than ${shortest}. The notes
 * are the thread's, of ${mem}. Threads: one at a time, while names are read. Errors: TT_E_NOMEM, TT_E_LIMIT.
 */
int tt_short_zones_note(struct tt_thread *t, const struct tt_open *z, size_t level, int64_t end, int64_t shortest, struct tt_mem *mem,
    struct tt_err *err);

/* All are noted: from here on tt_short_zones_has() finds them. */
void tt_short_zones_sort(struct tt_threads *ts);

/* True if the zone of ${key} that begins at ${ts} at ${level} of the stack of ${t} is one of them. Any thread. */
bool tt_short_zones_has(const struct tt_thread *t, int64_t ts, size_t level, uint64_t key);

#endif

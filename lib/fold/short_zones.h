/**
 * Short zones: zones that begin in one chunk and end in another, and that the filter's minimum duration leaves out.
 *
 * An allocation in a zone counts for that zone only if the zone is long enough, else for the zone around it; so its end must be known before. If the
 * zone ends in the chunk, it is. For zones that go on, the reading of names notes which are too short, by begin, level and marker. Memory: 24 bytes
 * for each of them, so a few hundred bytes for each chunk; none without a minimum duration.
 */
#ifndef TT_FOLD_SHORT_ZONES_H
#define TT_FOLD_SHORT_ZONES_H

#include "model/capture.h"

/**
 * tt_short_zones_note(t, z, level, end, shortest, mem, err):
 * Note the zone ${z} at ${level} of the stack of ${t}, from an earlier chunk, which ends at ${end}, if it is shorter than ${shortest}. The notes
 * belong to the thread, with memory of ${mem}. Threads: one at a time, while names are read. Errors: TT_E_NOMEM, TT_E_LIMIT.
 */
int tt_short_zones_note(struct tt_thread *t, const struct tt_open *z, size_t level, int64_t end, int64_t shortest, struct tt_mem *mem,
    struct tt_err *err);

/* Sort the notes when all are there; from then on tt_short_zones_has() finds them. */
void tt_short_zones_sort(struct tt_threads *ts);

/* True if the zone of ${key} that begins at ${ts} at ${level} of the stack of ${t} is noted as short. Any thread. */
bool tt_short_zones_has(const struct tt_thread *t, int64_t ts, size_t level, uint64_t key);

#endif

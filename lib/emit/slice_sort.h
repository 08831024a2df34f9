/**
 * Sorts zones by begin, thread by thread, with bounded memory.
 *
 * A zone that crosses the edge of a chunk, or lasts long, is reported when it ends, after zones that began later. An emitter that must write begins in
 * order stores zones here. Zones that come in order go to a spool (io/spool.h; in memory while it is small). Zones that were begun before they end
 * (struct tt_begun) keep the place of their begin, and reading merges them in; times and depths alone do not tell on which side of such a begin a
 * zone of length 0 lies. Late zones that were not begun (a filter by time or duration, a lost chunk) are sorted by time and depth, and merged.
 *
 * Memory: 40 bytes for each zone that was begun, 32 for each other late one, 16 for each chunk, 1 MiB.
 * Disk: 32 bytes for each zone.
 * Threads: one.
 */
#ifndef TT_EMIT_SLICE_SORT_H
#define TT_EMIT_SLICE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_text_spool;
struct tt_env;
struct tt_err;
struct tt_slice;
struct tt_slices_begun;
struct tt_thread;

struct tt_slices {
	struct tt_env *env;
	uint64_t *used;
	int fd;                       /* -1: the spool is not open yet */
	uint64_t written;             /* slices on disk */
	struct tt_slice *pending;     /* slices that follow those on disk */
	size_t npending;
	struct tt_slices_thread {
		const struct tt_thread *thread;       /* NULL: no zone of this thread was added */
		int64_t last_ts;              /* begin of the slice or begun zone that was added last */
		uint32_t last_depth;
		bool last_empty;              /* true: its length is 0 */
		struct tt_slices_run { uint64_t at; size_t n; } *run;
		size_t nrun, caprun;
		uint64_t n;                   /* number of slices in the runs */
		struct tt_slices_begun *begun;        /* in order of begin */
		size_t nbegun, capbegun;
		size_t open;                  /* index + 1 of the innermost begun zone that has not ended; 0: no such zone */
		struct tt_slice *late;
		size_t nlate, caplate;
	} *thread;
	size_t nthread, capthread;
};

/* A bit in a zone's flags, beside the length of its text: true if the zone has TT_SLICE_ENDS. */
#define TT_SLICES_LATE (UINT32_C(1) << 31)

/* ${used}: bytes in all spools that share env->spool_max (tt_text_spool_write()); it must outlive ${s}. */
void tt_slices_init(struct tt_slices *s, struct tt_env *env, uint64_t *used);
void tt_slices_free(struct tt_slices *s);

/**
 * tt_slices_add(s, thread, p, n, aside, err):
 * Add the ${n} zones of ${thread} at ${p} (unaligned), as tt_view_next() returns them; the more of them are in order of begin, the better. A zone that ends
 * without its TT_SLICE_BEGUN is sorted by time and depth.
 * ${aside} not NULL: the text of all zones follows the last zone, and the flags of each zone are the length of its text, with TT_SLICES_LATE. The text is
 * put into ${aside}, and the flags become its place there.
 */
int tt_slices_add(struct tt_slices *s, const struct tt_thread *thread, const void *p, size_t n, struct tt_text_spool *aside,
    struct tt_err *err);

/* Add a slice that may come in any order. */
int tt_slices_add_late(struct tt_slices *s, const struct tt_thread *thread, const struct tt_slice *slice,
    struct tt_err *err);

/**
 * tt_slices_each(s, i, f, arg, err):
 * Call ${f} for the zones of thread ${i} (an index) in order of begin, outer first.
 */
int tt_slices_each(struct tt_slices *s, size_t i,
    int (*f)(void *arg, const struct tt_slice *slice, struct tt_err *err), void *arg, struct tt_err *err);

#endif

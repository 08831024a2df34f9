/**
 * Sorts zones by begin, thread by thread, with bounded memory.
 *
 * A zone that crosses the edge of a chunk, or lasts long, is reported when it ends, after zones that began later. An emitter
 * that must write begins in order stores zones here: zones in order go to a spool (io/spool.h; in memory while it is small),
 * late zones are kept and sorted, and reading merges the two.
 *
 * Memory: 32 bytes for each late zone, 16 for each chunk, 1 MiB.
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
struct tt_thread;

struct tt_slices {
	struct tt_env *env;
	uint64_t *used;
	int fd;                       /* -1: nothing is on disk yet */
	uint64_t written;             /* slices on disk */
	struct tt_slice *pending;     /* slices that come after them */
	size_t npending;
	struct tt_slices_thread {
		const struct tt_thread *thread;       /* NULL: none put here */
		int64_t last_ts;              /* of the runs' last slice */
		uint32_t last_depth;
		bool last_empty;              /* its length is 0 */
		struct tt_slices_run { uint64_t at; size_t n; } *run;
		size_t nrun, caprun;
		struct tt_slice *late;
		size_t nlate, caplate;
	} *thread;
	size_t nthread, capthread;
};

/* A bit of a zone's flags beside the length of its text: it is one of TT_SLICE_ENDS. */
#define TT_SLICES_LATE (UINT32_C(1) << 31)

/*
 * A zone of length 0 may come before one that begins at its time, is no deeper, and lasts longer, so that it is put aside late. Then the bits of its depth
 * from TT_SLICES_DEPTH on have how much deeper it is: tt_slices_before().
 */
#define TT_SLICES_DEPTH 17

/* The depth to put aside of a zone of length 0 at ${depth} that comes before one at ${next}, which begins at its time. */
static inline uint32_t
tt_slices_before(uint32_t depth, uint32_t next)
{
	const uint32_t most = (UINT32_C(1) << (32 - TT_SLICES_DEPTH)) - 2, more = depth > next ? depth - next : 0;

	return depth | (more < most ? more : most) << TT_SLICES_DEPTH;
}

/* ${used}: bytes in spools, which count together for env->spool_max (tt_text_spool_write()); outlives it. */
void tt_slices_init(struct tt_slices *s, struct tt_env *env, uint64_t *used);
void tt_slices_free(struct tt_slices *s);

/**
 * tt_slices_add(s, thread, p, n, aside, err):
 * Put aside the ${n} zones of ${thread} at ${p}, whatever that address is; the more of them come in order of begin, the better.
 * ${aside} not NULL: the text of all zones follows the last zone, and flags of each zone is the length of its part, with
 * TT_SLICES_LATE. The text is put into ${aside}, and flags becomes its place there.
 */
int tt_slices_add(struct tt_slices *s, const struct tt_thread *thread, const void *p, size_t n, struct tt_text_spool *aside,
    struct tt_err *err);

/* Put aside one that comes in any order. */
int tt_slices_add_late(struct tt_slices *s, const struct tt_thread *thread, const struct tt_slice *slice,
    struct tt_err *err);

/**
 * tt_slices_each(s, i, f, arg, err):
 * Call ${f} for the zones of the thread of index ${i} in order of begin, the outer first.
 */
int tt_slices_each(struct tt_slices *s, size_t i,
    int (*f)(void *arg, const struct tt_slice *slice, struct tt_err *err), void *arg, struct tt_err *err);

#endif

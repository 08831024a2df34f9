/**
 * Captures in tests: made by the recorder itself from seeded scripts, read back through the reader, and
 * compared by sums over everything that was recorded.
 */
#ifndef TT_TESTS_TTC_KIT_H
#define TT_TESTS_TTC_KIT_H

#include "base/env.h"
#include "ttc/ttc.h"
#include "model/loss.h"
#include "recorder/core/rec.h"

extern const struct tt_format tt_format_ttc;

/* What a thread recorded, or what was read of it: counts, and order-free sums of hashes. */
struct ttc_sum {
	uint64_t events, zones, allocs, bytes, singles, counters, flows, frames, open, cont;
	uint64_t hash;                /* of all but zones that are open at the end */
};

/* What an event adds to the hash: 1, key, begin and end of a zone; 2, key, time and bytes of an allocation; others, 3 up. */
uint64_t ttc_mix(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

#define TTC_KIT_THREADS 64

struct ttc_result {
	int rc;
	struct tt_err err;
	uint64_t threads, tid[TTC_KIT_THREADS], gaps, chunks;
	uint64_t strays;              /* ends of zones that were not open */
	struct ttc_sum sum[TTC_KIT_THREADS];
	struct ttc_sum all;
	struct tt_loss loss;
	int end_mark;
	uint64_t from_ring;
	uint64_t ndef[TT_DEF_KINDS];
	uint64_t nameless_counters;   /* definitions of counters without a name */
	char text[256];               /* name of the marker asked for */
	uint64_t nzone, nalloc;       /* as the batches count them */
	uint64_t gc_starts, gc_ends;
	int64_t gc_ticks;             /* from starts to ends */
	int64_t min_ts, max_ts;
	uint64_t num, den;            /* of the clock */
};

/*
 * How ttc_read reads: what it needs of a batch, whether without the processor's help, and which later files of the recording
 * it reads on in, from pipes (at most 1 MiB each) or not.
 */
extern struct ttc_how { unsigned needs; bool plain; const char *const *then; size_t nthen; bool piped;
	void (*opened)(void); } ttc_how;  /* called between looking for chunks and reading them */

/* Read ${n} bytes, or the file ${path} where p is NULL. ${key}: give this marker's name. */
void ttc_read(const char *path, const void *p, size_t n, uint64_t key, struct ttc_result *r);

/* The same bytes through a pipe (at most 1 MiB), which can only be read in order. */
void ttc_read_pipe(const void *p, size_t n, struct ttc_result *r);

/* What tracetool recover makes of the ${npath} files of a capture, in their order; NULL where it fails. */
char *ttc_recover_all(const char *const *path, size_t npath, size_t *n);

/* Make the checksums of head and chunks right, and lengths no longer than what is there: what is behind is reached. */
void ttc_fix_checksums(uint8_t *p, size_t n);

/* A seeded program on one writing end; the sum says what it did, in ticks. */
struct ttc_script {
	struct rec_thread *t;
	uint64_t seed, ticks, depth, markers, nkey;
	const uint64_t *key;          /* nkey marker keys; the first is for allocations, the second for
				         labels */
	struct { uint64_t key, match, ticks; } zone[300];
	struct ttc_sum sum;
};
void ttc_run(struct ttc_script *s, unsigned events);

/* Make keys; [0] GC.Alloc, [1] Profiler.Default, then plain ones. */
void ttc_keys(uint64_t *key, unsigned n);

static inline uint64_t
ttc_random(uint64_t *s)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	uint64_t x = *s ^ *s >> 29;
	return (x * 0xbf58476d1ce4e5b9u) >> 16;
}

#endif

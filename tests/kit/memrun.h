/**
 * Whole runs over captures in memory: for loops of tens of thousands, and for fuzzing.
 *
 *	struct memrun r;
 *	memrun(&r, bytes, n, MEMRUN_CALLS | MEMRUN_EMIT);
 *	... r.rc, r.err, r.loss, r.m ...
 *	CHECK_EQ_INT(memrun_free(&r), 0);
 *
 * It calls tt_run() as the program does: the bytes are in a memory file that is opened by its path. Emitters write to
 * memory that is discarded; passes are reported and rendered.
 */
#ifndef TESTS_MEMRUN_H
#define TESTS_MEMRUN_H

#include "emit/emit.h"
#include "pass/pass.h"
#include "run/run.h"

enum memrun_what {
	MEMRUN_CALLS = 1,             /* the call tree and histograms, as `stats` wants them */
	MEMRUN_REPORT = 2,            /* every table of every pass, as text, JSON, CSV and Markdown */
	MEMRUN_EMIT = 4,              /* every emitter */
	MEMRUN_BEGIN_END = 8,         /* and Chrome JSON in its other form */
	MEMRUN_FRAMES = 16,           /* frames by the marker "*Frame*" */
	MEMRUN_PIPE = 32,             /* not seekable: through a pipe, so at most 64 KiB */
	MEMRUN_NOT_ZONES = 64,        /* but not frame_markers: it grows with frames times the zones open over them */
};

struct memrun {
	struct tt_env env;
	struct tt_loss loss;
	struct tt_model *m;           /* NULL where it could not be made */
	struct tt_err err;
	int rc;
};

/*
 * Under thread sanitizer a run takes some fifty times as long, for it clears tables that the sanitizer has a shadow of. There it has
 * three workers, or nothing could race, and suites of tens of thousands of runs take one case of so many. (The number is odd and no
 * factor of a stride, so that all bits of a byte and all values of a list come up.)
 */
#if defined(__SANITIZE_THREAD__)
#define MEMRUN_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MEMRUN_TSAN 1
#endif
#endif
#ifdef MEMRUN_TSAN
enum { MEMRUN_WORKERS = 3, MEMRUN_SPARSE = 29 };
#else
enum { MEMRUN_WORKERS = 1, MEMRUN_SPARSE = 1 };
#endif

/* One run on MEMRUN_WORKERS, or on ${jobs}. */
void memrun(struct memrun *r, const void *p, size_t n, unsigned what);
void memrun_jobs(struct memrun *r, const void *p, size_t n, unsigned what, unsigned jobs);
/* The same, looking at what ${f} says alone. */
void memrun_filtered(struct memrun *r, const void *p, size_t n, unsigned what, const struct tt_filter *f);

/* One with ${opts}, but for formats and inputs, which are set here, and without emitters. */
void memrun_opts(struct memrun *r, const void *p, size_t n, const struct tt_run_opts *opts);

/* Free all of it; returns the bytes that the run still holds and should not. */
size_t memrun_free(struct memrun *r);

/* Whatever is in the ledger makes the exit status 3, or the run failed for damage. */
bool memrun_damaged(const struct memrun *r);

/* Events of the producer, over all inputs. */
uint64_t memrun_events(const struct memrun *r);

/* What decoding one chunk gave. Times are those of the event clock, so a chunk's sum depends on its bytes alone. */
struct memchunk {
	uint64_t at, len;             /* with the buffer's header; of the pieces of a long buffer, as the reader says */
	uint64_t sum, nevent;
	bool lost;
};

/* The chunks of a capture, through the reader alone; the caller frees them. NULL with *${n} 0 where it does not open. */
struct memchunk *memchunks(const void *p, size_t len, size_t *n);

#endif

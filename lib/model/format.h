/**
 * The interface of a reader: bytes -> batches.
 *
 * `open` reads the header and, on seekable input, the index; `look` sees the whole of other input where the format needs that. `next` finds the
 * bounds of the next chunk, cheap and serial. `decode` is a pure function of one
 * chunk and the open context: any worker, no locks, any order, and again
 * with the same result. New readers: formats/<name>/reader.c and one line in registry.c.
 */
#ifndef TT_MODEL_FORMAT_H
#define TT_MODEL_FORMAT_H

#include <stddef.h>

#include "base/env.h"
#include "model/capture.h"

struct tt_batch;
struct tt_capture;
struct tt_env;
struct tt_err;
struct tt_scrubbed;
struct tt_src;
struct tt_window_block;

struct tt_chunk {
	uint64_t seq;
	uint64_t at, len;             /* place in the decoded input */
	uint64_t before;              /* bytes of the files before this one that are read as one input, see append */
	uint64_t tid;
	uint8_t *bytes;               /* the chunk, with TT_CHUNK_PAD zero bytes after it */
	size_t cap;                   /* of bytes; the slot's buffer grows and is used again */
	struct tt_window_block *kept_block; /* block of the reader's window that decode reads, too; the run releases it. NULL: none */
	size_t kept_bytes;            /* bytes of that block, unless an earlier chunk keeps it, too */
	bool loaded;                  /* bytes are in hand (else the worker preads them) */
	bool can_prefetch;            /* true: tt_format.ahead has bytes to fetch from now on */
	uint64_t state[4];            /* the format's own: where decoding starts inside a long chunk */
	struct tt_loss loss;          /* found by next: skipped bytes, a cut */
};
#define TT_CHUNK_PAD 64
#define TT_CHUNK_MAX (1u << 20)       /* longer units are cut into windows by next */

/**
 * tt_chunk_room(c, mem, n, err):
 * Make c->bytes hold ${n} bytes and the padding; earlier contents are lost. It allocates no more than that, because many chunks are kept at once.
 * Returns TT_OK; TT_E_NOMEM, TT_E_LIMIT.
 */
int tt_chunk_room(struct tt_chunk *c, struct tt_mem *mem, size_t n, struct tt_err *err);

struct tt_format {
	const char *name, *summary;
	const char *suffix;           /* usual file name suffix, for lists */
	bool numbers_frames;          /* marks of frames have the engine's own number of the frame, 32 bits, as their val */
	const struct tt_loss_words *loss_words; /* the format's words for losses, by enum tt_loss_kind; NULL: the usual words */
	bool may_have_frames;         /* may hold frame marks: a pipe is kept for a second reading where they are wanted */
	/* True if, by the first bytes, figures depend on the whole input: a pipe is then kept, whatever is wanted. NULL: never. */
	bool (*needs_whole_input)(const uint8_t *head, size_t n);
	/* How sure is the reader from the first bytes: 0..100. Pure; may be called on any bytes. */
	int (*probe)(const uint8_t *head, size_t n);
	/* Read header (and index); fill ${cap}; *${ctx} is the reader's. The source is at its beginning. */
	int (*open)(struct tt_env *env, struct tt_src *src, struct tt_capture *cap, void **ctx, struct tt_err *err);
	/*
	 * Read a whole input that cannot seek once, in order, for what next and decode must know about all of it. Called after open and before any next,
	 * only if the source can be rewound; the caller then rewinds source and reader. NULL: next and decode need only what open reads.
	 */
	int (*survey)(void *ctx, struct tt_err *err);
	/*
	 * TT_OK with *${c} filled, TT_END, or an error. Loss found on the way is in c->loss also with TT_END. If
	 * cap->skim is set, chunks may be skipped that neither define anything nor mark frames nor begin or end a thread.
	 */
	int (*next)(void *ctx, struct tt_chunk *c, struct tt_err *err);
	/*
	 * Fetch bytes that next will read: called at most once after a chunk with can_prefetch, concurrently with any call but close, itself included.
	 * NULL: no chunk sets can_prefetch.
	 */
	void (*prefetch)(void *ctx);
	/*
	 * ${later} is a reader of the same format whose capture has the same "recording" and a later "part": read on in it
	 * where ${ctx} ends, from the next call of next on. rewind is for both, decode gets ${ctx}, and ${later} is closed
	 * after it. Called before any next, in the order of parts. NULL where captures have no recording.
	 */
	int (*append)(void *ctx, void *later, struct tt_err *err);
	/* Start again with the first chunk (the source has been rewound by the caller if it is not seekable). */
	int (*rewind)(void *ctx, struct tt_err *err);
	/*
	 * Events of a chunk, definitions, times. If out->needs says TT_SKIM a reader may leave out all events but
	 * frames, gaps and threads, and gives nzone, nalloc, min_ts and max_ts all the same.
	 */
	int (*decode)(const void *ctx, const struct tt_chunk *c, struct tt_batch *out, struct tt_err *err);
	void (*close)(void *ctx);
	/*
	 * Write a copy of the input whose names are hashes of the same length, in order by ${write}. ${ctx} is as open left it, and its input can
	 * be read again; nothing else is called for it but close. NULL where there are no such copies.
	 */
	int (*scrub)(void *ctx, int (*write)(void *arg, const void *p, size_t n, struct tt_err *err), void *arg, struct tt_scrubbed *done,
	    struct tt_err *err);
};

extern const struct tt_format *const tt_formats[];   /* NULL-terminated */

/* The reader for ${head}; TT_E_UNKNOWN with what the bytes look like, or with both names on a tie. */
int tt_format_pick(const struct tt_format *const *list, const uint8_t *head, size_t n, const struct tt_format **f,
    struct tt_err *err);

#endif

/**
 * Emitters: the model written as a file another program reads.
 *
 * Two kinds. A streaming emitter (Chrome JSON, raw CSV) formats each chunk on the worker that has it: `chunk` is a pure
 * function into a text buffer; the pipeline hands the buffers to `write` in file order, so the bytes do
 * not depend on -j. Events that need a running state (counters, GC) go to `rare`, in order. `rare` is called only
 * where a chunk has rare events, `write` only where there is text. An aggregating emitter (pprof, folded, CSV
 * tables) leaves both NULL and writes all in `finish`.
 *
 * Zones in `chunk`. A zone comes as a slice when it ends, clipped to the filter's time, with a depth that counts shown zones alone. Zones that the
 * filters leave out do not come, nor do those of the runtime's allocation wrappers (tt_name.alloc_wrapper), unless filter.wrappers is set: a zone in
 * a wrapper lies in the zone around it. The filters by marker and category leave none out, as figures do not depend on them: an emitter looks at
 * tt_name.wanted. An exception that leaves several zones is a zone in pieces (TT_F_CONT, model/zones.h); its first piece alone comes, as the others
 * would lie across the zones that it leaves. So sums over slices are not those of the call tree, which has the pieces and is without the time of
 * holes (tt_filter.hole): an emitter that shows sums takes them from the tree.
 *
 * Life: tt_emit_begin(), (chunk | rare, write)*, finish, tt_emit_commit(); then, or at any time before, tt_emit_end(), which takes back what
 * was not committed. After `again` all chunks come once more.
 */
#ifndef TT_EMIT_H
#define TT_EMIT_H

#include "model/model.h"

struct tt_args;
struct tt_def;
struct tt_env;
struct tt_option;
struct tt_sink;

/* A finished zone. */
struct tt_slice {
	int64_t ts, dur;
	uint64_t key;
	uint32_t depth;
	uint32_t flags;               /* enum tt_event_flag; TT_F_BASE: begun in an earlier chunk; above: tt_slice_args() */
};
/* Flags of a slice whose zone was handed out as a struct tt_begun; TT_F_BASE: in an earlier chunk. */
#define TT_SLICE_ENDS (TT_F_BASE | TT_F_END)
#define TT_SLICE_ARGS 8               /* flags from this bit on: which of tt_view.args are its arguments + 1; 0 none */

/*
 * A zone that is no single event of its chunk: it stays open, or lasts 2^32 ns and more. The slice at its end has TT_SLICE_ENDS. Zones are not
 * here of which only the end tells whether they are shown, and from when: tt_filter_tells_late().
 */
struct tt_begun {
	struct tt_slice s;            /* dur: -1 where the chunk leaves it open */
	size_t before;                /* slices of the chunk that come first */
};

/* The input of `chunk` from a worker, and of `rare` from the ordered stage. */
struct tt_view {
	const struct tt_model *m;
	const struct tt_capture *cap;
	const struct tt_thread *thread;
	const struct tt_batch *b;     /* allocations and rare events; ts already on the common timeline */
	const struct tt_slice *slice; /* in order of begin; zones filtered out are not here */
	size_t nslice;
	const struct tt_begun *begun; /* in order of begin */
	size_t nbegun;
	const struct tt_args *args;   /* of slices: tt_slice_args() */
	size_t nargs;
	const uint32_t *left;         /* events of flows whose own zone the filter leaves out, in order */
	size_t nleft;
	bool first_left;              /* the first zone that begins in the chunk is left out by its duration or depth, or is the Editor's */
	uint64_t alloc_before;        /* bytes allocated on this thread before this chunk */
	int64_t seen_ts;              /* of the thread's last event before this chunk: zones may have ended there; INT64_MIN: there is none */
	bool skipped;                 /* the filter leaves the thread out: `rare` is called only for events of other threads or of none */
};

/* The dur of a zone that begins here, and ends elsewhere. */
#define TT_SLICE_BEGUN INT64_MIN

/* A place among the zones of a view, from 0. */
struct tt_view_at {
	size_t slice, begun;
	struct tt_slice begins;
};

/* The next zone of ${v}, if it begins at ${ts} at the latest: a slice, or in its place one of tt_view.begun, with TT_SLICE_BEGUN and no flags; else NULL. */
static inline const struct tt_slice *
tt_view_next(const struct tt_view *v, struct tt_view_at *at, int64_t ts)
{
	if (at->begun == v->nbegun || v->begun[at->begun].before > at->slice)
		return at->slice < v->nslice && v->slice[at->slice].ts <= ts ? &v->slice[at->slice++] : NULL;
	const struct tt_slice *s = &v->begun[at->begun].s;
	if (s->ts > ts)
		return NULL;
	at->begun++;
	at->begins = (struct tt_slice){ .ts = s->ts, .dur = TT_SLICE_BEGUN, .key = s->key, .depth = s->depth };
	return &at->begins;
}

/* The arguments that the zone ${s} began with, or NULL. */
static inline const struct tt_args *
tt_slice_args(const struct tt_view *v, const struct tt_slice *s)
{
	return s->flags >> TT_SLICE_ARGS ? &v->args[(s->flags >> TT_SLICE_ARGS) - 1] : NULL;
}

struct tt_emit_opts {
	struct tt_env *env;
	const char *path;             /* "-": standard output */
	const char *generator;        /* "tracetool VERSION" */
	const void *own;              /* values of the emitter's options: tt_emit.own bytes; NULL: all zero, which are the defaults */
	uint64_t estimate;            /* zones + allocations in the input as the prepass counted; 0 unknown */
	size_t *numbered;             /* if not NULL, set to how many numbered files it made, once they are in their places */
	/* In place of tt_sink_open() where not NULL: tests keep outputs in memory. */
	int (*open)(void *arg, const char *path, struct tt_sink **sink, struct tt_err *err);
	void *open_arg;
};

/* The begin of every emitter's state; tt_emit_begin() fills it in. */
struct tt_emitting {
	const struct tt_emit *emit;
	struct tt_emit_opts o;        /* own: a copy, never NULL where tt_emit.own is not 0 */
	struct tt_env *env;
	const struct tt_model *m;
	struct tt_sink **sink;        /* the files, in the order in which they were opened */
	size_t nsink, capsink;
	size_t last;                  /* the largest number of a file; 0: they have none */
	const struct tt_def **hidden; /* counters that the filters do not choose, by address */
	size_t nhidden, caphidden;
};

struct tt_emit {
	const char *name, *summary;
	const char *const *suffix;    /* whole, without compression: ".json"; NULL-terminated. The longest one that a path ends with selects */
	bool binary;                  /* nothing to print on a terminal */
	bool ledger;                  /* its files say what was lost */
	bool viewed;                  /* viewers open it as it is or with .gz, and with no other compression */
	bool apart;                   /* several captures become a file each: tt_emit_open() */
	const char *(*missing)(void); /* why this build cannot write it, as a sentence; NULL: it can. NULL: it always can */
	const struct tt_option *option;       /* fields in tt_emit_opts.own; ends with a row without a name; NULL: none */
	size_t own;
	size_t state;                 /* bytes of its state, which is zero but for its struct tt_emitting when it begins */
	unsigned needs;
	unsigned (*needs_for)(const struct tt_emit_opts *o);  /* where they depend on options; NULL: needs. By tt_emit_needs() */
	int (*begin)(void *state, struct tt_err *err);
	/*
	 * When zones of ${process} are wanted: ${n} times in order. Zones that lie elsewhere may be left out of chunks, and after again whole chunks without
	 * anything in these times. NULL: always.
	 */
	const struct tt_span *(*times)(const void *state, uint32_t process, size_t *n);
	int (*chunk)(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);
	int (*rare)(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);
	int (*write)(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err);
	/* Called when all events were read, if the input can be read again. *${more}: read them once more, for chunk and write. NULL: never. An
	   emitter that has it is the only one of its run, and may get all events twice if it did not know the frames before the first reading. */
	int (*again)(void *state, bool *more, struct tt_err *err);
	int (*finish)(void *state, struct tt_err *err);
	void (*end)(void *state);     /* frees what the state holds, also where begin failed; its sinks and their threads are ended. NULL: nothing */
};

extern const struct tt_emit *const tt_emits[];       /* NULL-terminated */

/**
 * tt_emit_needs(e, o):
 * The needs of ${e} for what ${o} asks: e->needs, but for a CSV table what its pass needs. Without TT_NEEDS_SLICES `chunk`, `rare` and `write` need not be
 * called, and do nothing.
 */
unsigned tt_emit_needs(const struct tt_emit *e, const struct tt_emit_opts *o);

/* Why this build cannot write ${e}, as a sentence; NULL: it can. */
const char *tt_emit_missing(const struct tt_emit *e);

/* The option of ${e} called ${name}, or NULL. */
const struct tt_option *tt_emit_option(const struct tt_emit *e, const char *name);

/* Make the state of ${e} and begin; *${state} is NULL where that fails. */
int tt_emit_begin(const struct tt_emit *e, const struct tt_emit_opts *o, const struct tt_model *m, void **state, struct tt_err *err);

/* All files of the emitter come to their places, or from the first failure on none. */
int tt_emit_commit(void *state, struct tt_err *err);

/* Free the state; what was not committed is taken back. NULL is fine. */
void tt_emit_end(void *state);

/**
 * tt_emit_open(e, number, sink, err):
 * Open a file for an emitter, which borrows it: ${number} 0: o.path; else one of several that are named after it: "game.json.gz" gives
 * "game-001.json.gz" and on.
 */
int tt_emit_open(struct tt_emitting *e, size_t number, struct tt_sink **sink, struct tt_err *err);

/* The emitter called ${name}, or NULL. */
const struct tt_emit *tt_emit_named(const char *name);

/*
 * The emitter with the longest suffix that ${path} ends with, in front of the suffix of a compression; NULL: none has it. tt_emit_among() chooses
 * from ${list}, which ends with NULL.
 */
const struct tt_emit *tt_emit_for_path(const char *path);
const struct tt_emit *tt_emit_among(const struct tt_emit *const *list, const char *path);

/* The whole suffix by which ${path} selects ${e}, which has *${n} bytes; if it does not, as tt_path_suffix(). */
const char *tt_emit_suffix(const struct tt_emit *e, const char *path, size_t *n);

#endif

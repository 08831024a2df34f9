/**
 * Emitters: the model written as a file for another program.
 *
 * There are two kinds. A streaming emitter (Chrome JSON, raw CSV) formats each chunk on a worker: `chunk` is a pure function into a text
 * buffer; the pipeline passes the buffers to `write` in file order, so the bytes do not depend on -j. Events that need a running state
 * (counters, GC) go to `rare`, in order. `rare` is called only for chunks with rare events, `write` only for text that is not empty. An
 * aggregating emitter (pprof, folded, CSV tables) leaves both NULL and writes everything in `finish`.
 *
 * Zones in `chunk`: a zone comes as a slice when it ends, clipped to the filter's time, with a depth that counts shown zones alone. Zones that
 * the filters leave out do not come, nor do those of the runtime's allocation wrappers (tt_name.is_alloc_wrapper) unless filter.wrappers is set: a
 * zone inside a wrapper lies in the zone around it. The filters by marker and category remove no zones, because figures do not depend on them:
 * an emitter checks tt_name.wanted. An exception that leaves several zones makes a zone in pieces (TT_F_CONT, model/zones.h); only the first
 * piece comes, as the others would overlap the zones that the exception leaves. So sums over slices differ from the call tree's, which has the
 * pieces and lacks the time of holes (tt_filter.hole): an emitter that shows sums takes them from the tree.
 *
 * Names. An emitter that writes a name again with every event takes tt_emit_brief() of it, for a name may have 100 kB, and be on each of ten thousand
 * events of a chunk.
 *
 * Life: tt_emit_begin(), (chunk | rare, write)*, finish, tt_emit_commit(); then, or at any time before, tt_emit_end(), which takes back what
 * was not committed. After `again` all chunks come once more.
 */
#ifndef TT_EMIT_H
#define TT_EMIT_H

#include "model/model.h"

struct tt_args;
struct tt_briefs;
struct tt_def;
struct tt_env;
struct tt_option;
struct tt_sink;

/* A finished zone. */
struct tt_slice {
	int64_t ts, dur;
	uint64_t key;
	uint32_t depth;
	uint32_t flags;               /* enum tt_event_flag; TT_F_BASE: begun in an earlier chunk; higher bits: tt_slice_args() */
};
/* Flags of a slice whose begin came earlier as a struct tt_begun; TT_F_BASE: in an earlier chunk. */
#define TT_SLICE_ENDS (TT_F_BASE | TT_F_END)
#define TT_SLICE_ARGS 8               /* flags >> this: index of the slice's arguments in tt_view.args + 1; 0: no arguments */

/*
 * The begin of a zone that is not a single event of its chunk: the zone stays open, or lasts 2^32 ns or more. The slice at its end has TT_SLICE_ENDS. Zones
 * for which only the end tells whether and from when they are shown have no such begin: tt_filter_tells_late().
 */
struct tt_begun {
	struct tt_slice s;            /* dur: -1 if the chunk leaves the zone open */
	size_t before;                /* number of slices of the chunk that precede this begin */
};

/* The input of `chunk`, from a worker, and of `rare`, from the ordered stage. */
struct tt_view {
	const struct tt_model *m;
	const struct tt_capture *cap;
	const struct tt_thread *thread;
	const struct tt_batch *b;     /* allocations and rare events; ts is on the common timeline */
	const struct tt_slice *slice; /* in order of begin, without zones that are filtered out */
	size_t nslice;
	const struct tt_begun *begun; /* in order of begin */
	size_t nbegun;
	const struct tt_args *args;   /* arguments of slices: tt_slice_args() */
	size_t nargs;
	const uint32_t *left;         /* indexes of flow events whose own zone the filter leaves out, ascending */
	size_t nleft;
	bool first_left;              /* true: the first zone that begins in the chunk is left out by its duration or depth, or is the Editor's */
	uint64_t alloc_before;        /* bytes allocated on this thread before this chunk */
	int64_t seen_ts;              /* time of the thread's last event before this chunk, when zones may have ended; INT64_MIN: no such event */
	bool skipped;                 /* true: the filter leaves the thread out; `rare` is called only for events of other threads or of no thread */
};

/* The dur of a slice that stands for the begin of a zone that ends elsewhere. */
#define TT_SLICE_BEGUN INT64_MIN

/* A position among the zones of a view, initially 0. */
struct tt_view_at {
	size_t slice, begun;
	struct tt_slice begins;
};

/*
 * Return the next zone of ${v} that begins at ${ts} or earlier, else NULL: a slice, or one of tt_view.begun as a slice with dur TT_SLICE_BEGUN and no
 * flags.
 */
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

/* Return the arguments at the begin of the zone ${s}, or NULL. */
static inline const struct tt_args *
tt_slice_args(const struct tt_view *v, const struct tt_slice *s)
{
	return s->flags >> TT_SLICE_ARGS ? &v->args[(s->flags >> TT_SLICE_ARGS) - 1] : NULL;
}

struct tt_emit_opts {
	struct tt_env *env;
	const char *path;             /* "-": standard output */
	const char *generator;        /* "tracetool VERSION" */
	const void *own;              /* values of the emitter's options, tt_emit.own bytes; NULL: all zero, which are the defaults */
	uint64_t estimate;            /* number of zones + allocations in the input, from the prepass; 0: unknown */
	size_t *numbered;             /* if not NULL, receives the number of numbered files once they are in place */
	/* Used instead of tt_sink_open() if not NULL; tests use it to keep outputs in memory. */
	int (*open)(void *arg, const char *path, struct tt_sink **sink, struct tt_err *err);
	void *open_arg;
};

/* The first member of every emitter's state; tt_emit_begin() fills it in. */
struct tt_emitting {
	const struct tt_emit *emit;
	struct tt_emit_opts o;        /* own is a copy, never NULL if tt_emit.own is not 0 */
	struct tt_env *env;
	const struct tt_model *m;
	struct tt_sink **sink;        /* the files, in the order in which they were opened */
	size_t nsink, capsink;
	size_t last;                  /* the largest number of a file; 0: they have none */
	struct tt_briefs *briefs;     /* names that are too long to be written with every event */
	const struct tt_def **hidden; /* counters that the filters do not choose, by address */
	size_t nhidden, caphidden;
};

struct tt_emit {
	const char *name, *summary;
	const char *const *suffix;    /* whole suffixes without compression, such as ".json"; NULL-terminated. The longest one that matches a path counts */
	bool binary;                  /* true: the output is not fit for a terminal */
	bool ledger;                  /* true: its files say what was lost */
	bool viewed;                  /* true: viewers open the file plain or with .gz, but with no other compression */
	bool apart;                   /* true: each capture gets its own file: tt_emit_open() */
	const char *(*missing)(void); /* why this build cannot write the format, as a sentence; NULL: it can. No function: it always can */
	const struct tt_option *option;       /* fields in tt_emit_opts.own; ends with a row without a name; NULL: none */
	size_t own;
	size_t state;                 /* size of its state in bytes; at begin it is zero except for its struct tt_emitting */
	unsigned needs;
	unsigned (*needs_for)(const struct tt_emit_opts *o);  /* needs, if they depend on options; NULL: see needs. Call it by tt_emit_needs() */
	int (*begin)(void *state, struct tt_err *err);
	/*
	 * Times for which zones of ${process} are wanted: ${n} spans in order. Chunks may omit other zones and, after `again`, whole chunks without anything
	 * in these spans may be omitted. NULL: all times.
	 */
	const struct tt_span *(*times)(const void *state, uint32_t process, size_t *n);
	int (*chunk)(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);
	int (*rare)(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);
	int (*write)(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err);
	/*
	 * Called when all events were read, if the input can be read again. *${more}: true to read them once more, for chunk and write. NULL: never.
	 * An emitter with this function is the only one of its run, and may get all events twice if frames were unknown before the first reading.
	 */
	int (*again)(void *state, bool *more, struct tt_err *err);
	int (*finish)(void *state, struct tt_err *err);
	void (*end)(void *state); /* frees what the state owns, even if begin failed; its sinks and their threads have ended already. NULL: nothing to free */
};

extern const struct tt_emit *const tt_emits[];       /* NULL-terminated */

/**
 * tt_emit_needs(e, o):
 * Return the needs of ${e} for the options ${o}: e->needs; for a CSV table those of its pass. Without TT_NEEDS_SLICES, `chunk`, `rare` and `write` need not
 * be called and do nothing.
 */
unsigned tt_emit_needs(const struct tt_emit *e, const struct tt_emit_opts *o);

/* Return why this build cannot write ${e}, as a sentence; NULL: it can. */
const char *tt_emit_missing(const struct tt_emit *e);

/* The option of ${e} called ${name}, or NULL. */
const struct tt_option *tt_emit_option(const struct tt_emit *e, const char *name);

/* Make the state of ${e} and begin; *${state} is NULL on failure. */
int tt_emit_begin(const struct tt_emit *e, const struct tt_emit_opts *o, const struct tt_model *m, void **state, struct tt_err *err);

/* Put all files of the emitter in place; after the first failure no further ones. */
int tt_emit_commit(void *state, struct tt_err *err);

/* Free the state and remove files that were not committed. NULL is allowed. */
void tt_emit_end(void *state);

/**
 * tt_emit_open(e, number, sink, err):
 * Open a file that the emitter borrows. ${number} 0: o.path; else a numbered file: "game.json.gz" gives "game-001.json.gz" and so on.
 */
int tt_emit_open(struct tt_emitting *e, size_t number, struct tt_sink **sink, struct tt_err *err);

/* The emitter called ${name}, or NULL. */
const struct tt_emit *tt_emit_named(const char *name);

/*
 * Return the emitter with the longest suffix that matches ${path} without the suffix of a compression, or NULL. tt_emit_among() chooses from ${list}, which
 * ends with NULL.
 */
const struct tt_emit *tt_emit_for_path(const char *path);
const struct tt_emit *tt_emit_among(const struct tt_emit *const *list, const char *path);

/* Return the whole suffix, of *${n} bytes, by which ${path} selects ${e}; if the path does not select it, the result of tt_path_suffix(). */
const char *tt_emit_suffix(const struct tt_emit *e, const char *path, size_t *n);

#endif

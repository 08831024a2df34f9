/**
 * The event model: what every reader turns its bytes into.
 *
 * A chunk is what a format can decode alone; decoding it gives one struct
 * tt_batch: events of one thread in the order of their begin, in 24 bytes each.
 * Events live in memory only and are borrowed until the batch is recycled.
 *
 * A zone (an activation of a marker: a method call, a Unity sample) that begins
 * and ends inside its chunk is ONE event, TT_ZONE, with its duration: the reader
 * matches begin and end while it decodes (model/zones.h), on any worker. Only a
 * zone that crosses a chunk's edge, or lasts 2^32 ns or more, stays a TT_ZONE_BEGIN and a
 * TT_ZONE_END. Measured against begin and end as events of their own, this halves
 * the events and takes the stack out of the serial path (see model/zones.h).
 *
 * Names are not events: a zone carries its producer's key (method address,
 * marker id) and text is looked up at report time in model/defs.h.
 */
#ifndef TT_MODEL_EVENT_H
#define TT_MODEL_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/fit.h"
#include "model/heap.h"
#include "model/loss.h"
#include "model/opened.h"

struct tt_stack;

enum tt_kind {
	TT_NONE = 0,
	/* stack events: ts, val = key, depth */
	TT_ZONE,              /* a whole zone; dur = its length in ns */
	TT_ZONE_BEGIN,        /* a zone that does not end in this chunk, or lasts 2^32 ns or more */
	TT_ZONE_END,          /* end of a TT_ZONE_BEGIN; TT_F_BASE: of a zone from an earlier chunk */
	/* frequent events */
	TT_ALLOC,             /* val = class or vtable key, dur = bytes; TT_F_WIDE, TT_F_STACK, TT_F_OBJECT: an ext follows;
	                         TT_F_WEIGHTED: it stands for tt_event_many(its ext), its bytes are those of all */
	TT_EXT,               /* second slot of the event before it; see the event's own line; depth = zones of this
	                         chunk open around it */
	TT_ARG,               /* an argument of the event before: val = bits or text offset, dur = length,
	                         depth = enum tt_type, ts = key of its name */
	/* the rest is "rare": indexed in tt_batch.rare and handed on in file order */
	TT_SAMPLE,            /* val = native ip, dur = frames; ext: ts = tid, val = first word */
	TT_INSTANT,           /* val = key of a marker; args follow */
	TT_COUNTER,           /* val = bits, dur = counter id, depth = enum tt_type, TT_F_DELTA */
	TT_FRAME,             /* a new frame of the program begins */
	TT_TIMING,            /* a part of a frame took val ns (0: not measured): dur = frames back, depth = enum tt_timing */
	TT_FLOW,              /* val = flow id, depth = enum tt_flow, TT_F_NEXT: binds to the next zone begun */
	TT_GPU_ANCHOR,        /* a zone submitted work to the GPU: ts = its begin, val = key of the GPU's zone, dur = number of the work, upper
	                         byte of depth = number of the recording; TT_F_NEXT: the next event has the work's time, whatever its numbers */
	TT_GPU_TIME,          /* the work with an anchor's numbers took val ns; lower byte of depth = part of drawing that it is, see tt_capture.gpu_part */
	TT_GPU_WORK,          /* made by the run of an anchor and its time, on the GPU's own thread: ts = the anchor's, val = ns */
	TT_GC,                /* val = enum tt_gc_phase, dur = generation */
	TT_GC_HEAP,           /* val = heap size in bytes */
	TT_GC_MOVE,           /* dur = moves; ext: val = first word of (old, new) pairs */
	TT_HANDLE,            /* val = handle, depth = kind, TT_F_END: destroyed; ext: ts = object, val = first word of stack,
	                         dur = frames */
	TT_FINALIZE,          /* val = object (0: the queue), TT_F_END: its end; TT_F_MORE: ext: ts = class or vtable key */
	TT_THROW,             /* val = exception object; ext: val = first word, dur = frames (0 without TT_F_STACK),
	                         ts = class key or 0 */
	TT_CLAUSE,            /* val = method key, dur = clause index, depth = enum tt_clause; ext: ts = object */
	TT_MONITOR,           /* val = object, depth = enum tt_monitor; ext as TT_THROW */
	TT_HEAP_SHOT,         /* TT_F_END: its end */
	TT_HEAP_CLASS,        /* objects of one class in this chunk: val = class or vtable key, dur = continuation records;
	                         ext: ts = bytes, val = objects, dur = references */
	TT_HEAP_BIG,          /* one of the largest objects of this chunk: val = object; ext: ts = size, val = key */
	TT_HEAP_GRAPH,        /* with TT_NEEDS_GRAPH: val = first word; ext: val = words. Per object: its address (lowest
	                         bit: references of an object that was there already), number of references << 32 |
	                         place of its class among the TT_HEAP_CLASS events just before, references */
	TT_HEAP_ROOTS,        /* val = how many; with TT_NEEDS_GRAPH: ext: val = first word of (slot address, or old
	                         root kind before data version 15; object) pairs */
	TT_HEAP_OBJECT,       /* with TT_NEEDS_HEAP: val = object, depth = generation, dur = references; ext: ts = size, val = first
	                         word: class or vtable key, then (offset, object) pairs */
	TT_HEAP_ROOT,         /* with TT_NEEDS_HEAP: val = object, dur = extra, depth = old root kind; ext: ts = slot address */
	TT_ROOT,              /* val = start, depth = source, TT_F_END: unregistered; ext: ts = size, val = key; text arg */
	TT_JIT_CODE,          /* val = start, dur = size, depth = kind; text arg */
	TT_COVERAGE,          /* depth = what (0 assembly, 1 method, 2 statement, 3 class); args follow: of a method
	                         assembly, class, name, signature, file, then token, id, statements; of a statement
	                         the method's id, IL offset less that of the statement before (TT_F_BASE: itself), count, line,
	                         column */
	TT_THREAD,            /* the batch's own thread starts (TT_F_END: ends); val = tid; dur = in a file of several logs, the log that names it,
	                         from 0: the same tid in another log is another thread; TT_F_CONT: unless that thread has not ended, which then goes on */
	TT_META,              /* domain, image, ... unload: val = key, depth = enum tt_def_kind */
	TT_SYNC,              /* all application threads are flushed up to ts; depth = kind */
	TT_GAP,               /* the thread's stack is unknown from here (damage, drop): open zones end at ts;
	                         TT_F_BASE: at the thread's last event before this chunk; TT_F_CONT: events are missing here, but
	                         open zones go on; TT_F_POPPED: nothing is missing, the thread begins anew, and open zones end;
	                         TT_F_END: nothing is missing, one of several logs in the file has ended, complete; depth = enum tt_gap */
	TT_KINDS                      /* at most 64 */
};
#define TT_KIND(kind) (UINT64_C(1) << (kind))

/* Why something is missing at a TT_GAP: it was lost, or nobody recorded it, as in a pause of the recording. */
enum tt_gap { TT_GAP_LOST, TT_GAP_UNRECORDED };

enum tt_event_flag {
	TT_F_BASE = 1,        /* TT_ZONE_END: ends a zone that this chunk did not begin */
	TT_F_ID = 1,          /* TT_ARG: id of the object that the event is about, not one of the values that the marker names */
	TT_F_UNWIND = 2,      /* ended by an exception passing through */
	TT_F_POPPED = 4,      /* the zone has no end of its own: it is closed where one around it ends, or something is lost */
	TT_F_CONT = 8,        /* continues an interrupted zone: time, but not an activation of its own */
	TT_F_STACK = 16,      /* a recorded stack follows in the ext */
	TT_F_PIECES = 16,     /* of a zone of TT_KEY_EXCEPTION: it may be interrupted, and continue as TT_F_CONT */
	TT_F_ODD = TT_F_CONT | TT_F_PIECES | TT_F_POPPED,     /* of a TT_ZONE: it is not one activation with its own duration */
	TT_F_WIDE = 32,       /* the ext's ts holds the full value of dur */
	TT_F_HIDDEN = 32,     /* of a zone: it is left out with all that is in it, see run/hide.c */
	TT_F_END = 64,
	TT_F_DELTA = 64,
	TT_F_NEXT = 64,
	TT_F_WEIGHTED = 8,
	TT_F_OBJECT = 64,     /* of TT_ALLOC: the word after its stack is the allocated object */
	TT_F_MORE = 128,      /* at least one TT_EXT or TT_ARG follows; of a zone its arguments */
};

enum tt_type { TT_T_I64, TT_T_U64, TT_T_F64, TT_T_TEXT, TT_T_BLOB, TT_T_PTR, TT_T_WORD };
enum tt_word { TT_W_NULL, TT_W_FALSE, TT_W_TRUE };     /* bits of a TT_T_WORD */
/* The unit of a TT_DEF_COUNTER. _GUESSED: by the end of a name that is not known. */
enum tt_counter_unit {
	TT_CU_NONE, TT_CU_BYTES, TT_CU_100NS, TT_CU_COUNT, TT_CU_FRACTION, TT_CU_NS, TT_CU_PERCENT, TT_CU_HZ,
	TT_CU_NS_GUESSED, TT_CU_BYTES_GUESSED, TT_CU_COUNT_GUESSED, TT_CU_US,
};
enum tt_counter_kind { TT_CK_UNKNOWN, TT_CK_MONOTONIC, TT_CK_CONSTANT, TT_CK_VARIABLE };
enum tt_counter_flag {
	TT_CF_OWN = 1,        /* the program's own counter, sampled separately from the runtime's; its values are absolute, in spite of TT_F_DELTA */
	TT_CF_32 = 2,         /* unsigned, of 32 bits: differences wrap there */
};
#define TT_COUNTER_IS(unit, kind) ((uint64_t)(unit) | (uint64_t)(kind) << 8)      /* tt_def.b of a counter */
enum tt_flow { TT_FLOW_BEGIN, TT_FLOW_PARALLEL, TT_FLOW_END, TT_FLOW_SEQUENTIAL };
/* Times of a frame that engines measure themselves: wall time, work of the main and the render thread, waiting to present, GPU. */
enum tt_timing { TT_TIMING_TOTAL, TT_TIMING_MAIN, TT_TIMING_RENDER, TT_TIMING_PRESENT, TT_TIMING_GPU, TT_TIMINGS };
enum tt_gc_phase {      /* numbers of Mono's profiler; others map onto them */
	TT_GC_START = 0, TT_GC_END = 5, TT_GC_PRE_STOP = 6, TT_GC_STOPPED = 7, TT_GC_PRE_RESTART = 8,
	TT_GC_RESTARTED = 9, TT_GC_LOCKS_TAKEN = 10, TT_GC_LOCKS_RELEASED = 11,
};
enum tt_root_source {                 /* Mono's numbers; the old kinds of data version 14 and before are mapped to them */
	TT_ROOT_EXTERNAL, TT_ROOT_STACK, TT_ROOT_FINALIZER, TT_ROOT_STATIC, TT_ROOT_THREAD_STATIC, TT_ROOT_CONTEXT_STATIC,
	TT_ROOT_HANDLE, TT_ROOT_JIT, TT_ROOT_THREADING, TT_ROOT_DOMAIN, TT_ROOT_REFLECTION, TT_ROOT_MARSHAL,
	TT_ROOT_THREAD_POOL, TT_ROOT_DEBUGGER, TT_ROOT_HANDLE_STACK, TT_ROOT_EPHEMERON, TT_ROOT_TOGGLE_REF,
	TT_ROOT_UNKNOWN,
};
enum tt_clause { TT_CLAUSE_CATCH = 0, TT_CLAUSE_FILTER = 1, TT_CLAUSE_FINALLY = 2, TT_CLAUSE_FAULT = 4 };
enum tt_monitor { TT_MONITOR_CONTEND = 1, TT_MONITOR_ACQUIRED = 2, TT_MONITOR_FAILED = 3 };

/* Keys of the zones that tracetool itself makes of GC, lock and exception events. */
#define TT_KEY_GC_PAUSE   (UINT64_MAX - 1)
#define TT_KEY_GC_GEN(g)  (UINT64_MAX - 16 + ((g) < 7 ? (uint64_t)(g) : 7))
#define TT_KEY_GC_STOP    (UINT64_MAX - 5)      /* inside the pause: until every thread stands still */
#define TT_KEY_CONTENTION (UINT64_MAX - 2)
#define TT_KEY_EXCEPTION  (UINT64_MAX - 3)
#define TT_KEY_MORE       (UINT64_MAX - 4)
#define TT_KEY_JIT        (UINT64_MAX - 17)
#define TT_KEY_OUTSIDE    (UINT64_MAX - 18)     /* no zone: time of a frame outside all calls */
#define TT_KEY_SPECIAL    (UINT64_MAX - 31)     /* this and above are ours */

struct tt_event {
	int64_t ts;           /* ns from the capture's zero; may be negative */
	uint64_t val;
	uint32_t dur;
	uint16_t depth;       /* stack events, TT_ALLOC: zones of this chunk open around it, at most 65535 */
	uint8_t kind;         /* enum tt_kind */
	uint8_t flags;        /* enum tt_event_flag */
};

/* How many allocations a sampled one represents, in its second slot: the low bits in depth, the others in flags. */
#define TT_WEIGHT_MAX ((UINT32_C(1) << 24) - 1)
static inline uint32_t
tt_event_many(const struct tt_event *ext)
{
	return ext->depth | (uint32_t)ext->flags << 16;
}

/* How many objects the allocation ${e} represents, and their bytes. */
static inline uint32_t
tt_alloc_count(const struct tt_event *e)
{
	return e->flags & TT_F_WEIGHTED ? tt_event_many(&e[1]) : 1;
}

/* The bytes of the allocation ${e}; INT64_MAX if they exceed 63 bits, which is damage. */
static inline uint64_t
tt_alloc_bytes(const struct tt_event *e)
{
	return !(e->flags & TT_F_WIDE) ? e->dur : e[1].ts < 0 ? INT64_MAX : (uint64_t)e[1].ts;
}

/* True if a call of the program begins at ${e}. */
static inline bool
tt_event_calls(const struct tt_event *e)
{
	return (e->kind == TT_ZONE || e->kind == TT_ZONE_BEGIN) && e->val < TT_KEY_SPECIAL && !(e->flags & (TT_F_CONT | TT_F_HIDDEN));
}

/* The thread that the sample ${e} hit: the producer's id, which the ordered stage replaces by its index. */
static inline uint64_t
tt_sample_thread(const struct tt_event *e)
{
	return (uint64_t)e[1].ts;
}

static inline void
tt_sample_set_thread(struct tt_event *e, uint32_t index)
{
	e[1].ts = index;
}

enum tt_def_kind {
	TT_DEF_MARKER,        /* a = code start, b = code size; text = name */
	TT_DEF_CLASS,         /* a = image; text = name */
	TT_DEF_VTABLE,        /* a = domain, b = class */
	TT_DEF_IMAGE,         /* text = file name; text2 = mvid */
	TT_DEF_ASSEMBLY,      /* a = image; text = full name */
	TT_DEF_DOMAIN,        /* text = name */
	TT_DEF_CONTEXT,       /* a = domain */
	TT_DEF_THREAD,        /* key = tt_thread_key(); text = name */
	TT_DEF_CATEGORY,      /* a = colour RGBA; text = name */
	TT_DEF_COUNTER,       /* a = enum tt_counter_flag, b = TT_COUNTER_IS(); text = name, text2 = section */
	TT_DEF_SYMBOL,        /* key = address, a = size; text = name */
	TT_DEF_BINARY,        /* key = address, a = file offset, b = size; text = file */
	TT_DEF_CODE,          /* key = method's, a = code start, b = code size: where markers do not say it */
	TT_DEF_ARGS,          /* key = marker's; text = names of its zones' arguments, each ended by a NUL */
	TT_DEF_META,          /* text = key, text2 = value: a fact about the capture */
	TT_DEF_KINDS
};

/* Id of the pseudo-thread for the GPU's work; no system gives it to a thread. */
#define TT_TID_GPU (UINT64_MAX - 2)

/* The key by which names of thread ${tid} are kept in log ${log}, where a file has several (fewer than 65536): an id seldom needs more than 48 bits. */
static inline uint64_t
tt_thread_key(uint64_t tid, uint32_t log)
{
	return tid ^ (uint64_t)log << 48;
}

#define TT_EVER (INT64_MIN / 4)       /* ts of a definition without a time: before all other times */

struct tt_def {
	uint64_t key, a, b;
	int64_t ts;
	const char *text, *text2;     /* in a batch: borrowed from the chunk's bytes; may be NULL */
	uint32_t len, len2;
	uint8_t kind;                 /* enum tt_def_kind */
	uint8_t flags;                /* TT_DEF_LABEL, TT_DEF_GPU; a format keeps its own flags of markers, and verbosity, in a and b */
};

/* For a marker: its zones are those of marker b that have this text as their name; their ends are ends of marker b. */
#define TT_DEF_LABEL 1
/* For a marker: its zones are work of the GPU, and its name is that of marker b, with its own text after it. */
#define TT_DEF_GPU 2

static inline enum tt_counter_unit
tt_counter_unit_of(const struct tt_def *counter)
{
	return (enum tt_counter_unit)(counter ? counter->b & 0xff : TT_CU_NONE);
}

static inline enum tt_counter_kind
tt_counter_kind_of(const struct tt_def *counter)
{
	return (enum tt_counter_kind)(counter ? counter->b >> 8 & 0xff : TT_CK_UNKNOWN);
}

/* Events that are not needed are not decoded. */
enum tt_needs {
	TT_NEEDS_ARGS = 1,            /* arguments of zones; arguments and objects of rare events */
	TT_NEEDS_HEAP = 2,            /* heap objects, references, roots, moves */
	TT_NEEDS_TALLY = 4,           /* events counted by the format's own type: tt_batch.tally */
	TT_NEEDS_SLICES = 8,          /* finished zones, for emitters that write each one */
	TT_NEEDS_TEXT = 16,           /* names while streaming: a definitions prepass */
	TT_NEEDS_FRAMES = 32,         /* the frame table before the events: a prepass */
	TT_NEEDS_CALLS = 64,          /* the call tree is kept */
	TT_NEEDS_HIST = 128,          /* a histogram of durations per marker */
	TT_NEEDS_COVERAGE = 256,      /* the model keeps coverage */
	TT_NEEDS_POINTS = 512,        /* every value of every counter */
	TT_NEEDS_OBJECTS = 1024,      /* the object of each allocation */
	TT_NEEDS_MOVES = 2048,        /* what the collector moves where */
	TT_NEEDS_SITES = 16384,       /* where throws, lock and handle events happen; with TT_NEEDS_CALLS */
	TT_NEEDS_LOCKS = 4096,        /* the model keeps contention */
	TT_NEEDS_THROWS = 8192,       /* the model keeps exceptions */
	TT_NEEDS_SHOTS = 65536,       /* the model keeps heap shots */
	TT_NEEDS_GRAPH = 131072,      /* references of heap objects, for the graph of a shot */
	TT_NEEDS_HANDLES = 262144,    /* the model keeps handles */
	TT_NEEDS_FOUND = 524288,      /* the model keeps the objects that a search asks for */
	TT_NEEDS_TIMELINE = 1048576,  /* events counted by time */
	TT_NEEDS_ROOTS = 4194304,     /* with TT_NEEDS_GRAPH: roots by class, of every shot */
	TT_NEEDS_FINALS = 2097152,    /* the model keeps finalizers */
	TT_NEEDS_CODE = 32768,        /* the model keeps helper code and sampled addresses */
	TT_NEEDS_CANDIDATES = 8388608,        /* markers that may begin frames, where the capture marks none */
	TT_NEEDS_FRAMED = 33554432,   /* allocations in whole frames are counted apart: TT_NODE_FRAMED; with TT_NEEDS_FRAMES and TT_NEEDS_CALLS */
	TT_NEEDS_BY_FRAME = 67108864, /* what each path and counter does in each frame; with TT_NEEDS_FRAMES and TT_NEEDS_CALLS */
	TT_NEEDS_CAUSES = 134217728,  /* the same for the frames chosen in tt_frames.nexamined_before, where not all frames are needed */
	TT_NEEDS_APART = 16777216,    /* names that tell all markers apart: tt_model_tell_apart(); with TT_NEEDS_TEXT */
	TT_SKIM = 1 << 30,            /* decode only frames, threads, times and the number of events: see tt_format.decode */
};

/* Begins and ends that did not match: model/spanning.h. */
enum tt_stray_kind {
	TT_STRAY_BEGIN,               /* the begin of a zone that was closed without an end */
	TT_STRAY_END,                 /* an end of a zone that is not open */
	TT_STRAY_END_ALONE,           /* such an end whose begin was in the same frame and is damaged, unless zones of its marker span frames */
	TT_STRAY_LOSS,                /* events are missing here: zones of earlier stray begins may have ended */
};

/* The result of decoding one chunk. Arrays belong to the batch and are used again for the next chunk. */
struct tt_batch {
	struct tt_mem *mem;
	unsigned needs;

	uint64_t seq;                 /* place in the capture */
	uint64_t at;                  /* byte offset of the chunk */
	uint64_t bytes;               /* its length */
	uint64_t tid;                 /* the producer's thread id */
	uint32_t log;                 /* in a file of several logs, the log of this chunk */
	uint32_t process, thread;     /* indexes; thread is set by the ordered stage */

	struct tt_event *ev;
	size_t n, cap;
	uint64_t *word;               /* stacks and graphs, which 24 bytes cannot hold; equal stacks may share words */
	size_t nword, capword;
	struct tt_buf text;           /* text and blobs of arguments */
	struct tt_def *def;
	size_t ndef, capdef;
	uint32_t *rare;               /* positions of rare events */
	size_t nrare, caprare;
	uint64_t rare_kinds;          /* TT_KIND() of each rare event, and maybe of other kinds */
	uint32_t *tally;              /* [256] with TT_NEEDS_TALLY, else NULL */

	/* the reader's matching of begin and end: model/zones.h */
	uint32_t *open;               /* positions of the zones open now, outermost first */
	size_t depth, capopen;
	size_t deepest;               /* upper bound, from the reader, of the chunk's zones open at any event; 0: not known */
	struct tt_opened opened;      /* index of the open zones by key, if there are many */
	struct tt_base_end { uint64_t at; uint32_t i; } *base_end;    /* TT_F_BASE ends: place in the input, position in ev */
	size_t nbase_end, capbase_end;
	struct tt_stack *base;        /* a copy of the thread's real stack, on the second decoding of an unsure chunk */
	size_t unsure;                /* ends that matched nothing here and may match the stack below */
	struct tt_unsure { uint64_t key, at; } *unsure_end;   /* at: place in the input */
	size_t capunsure;
	bool keeps_strays;            /* true, from the reader: zones may end outside the zone around their begin, so strays are kept, not counted as losses */
	struct tt_stray {
		uint64_t key, at;     /* at: place in the input */
		uint64_t end_key;     /* of a begin: the key that its end has; set by tt_spanning_enter() */
		int64_t ts;
		int64_t closed;       /* of a begin: when the zone was closed without an end */
		uint32_t i;           /* position of the event that follows the stray */
		uint32_t order;       /* order among the strays before one event */
		enum tt_stray_kind kind;
	} *stray;                     /* sorted by tt_batch_sort_strays() */
	size_t nstray, capstray;

	int64_t stack_ts;             /* time of the last stack event; only where nstack > 0 */
	int64_t stack_from;           /* lower bound of the times of stack events as the file has them; only where nstack > 0 */
	uint64_t nstack;              /* stack events seen (begins and ends) */
	int64_t min_ts, max_ts;       /* over all events; min > max: none */
	uint64_t nevent;              /* events of the producer */
	uint64_t nzone;               /* zones of the program begun; one that continues is not begun again */
	bool late;                    /* true: a TT_SKIM reading does not report this chunk's definitions */
	uint64_t cut;                 /* zones that were open where damage cut the chunk off */
	uint64_t nalloc, alloc_b;
	struct tt_heap_sum heap;      /* sums of heap objects that no event has yet: model/heap.h */
	struct tt_loss loss;          /* what was lost in this chunk; joined in file order */
	struct tt_fit_count fit;    /* evidence of the layout in this chunk; joined likewise */
};

/* The number of rare events to search for those of ${kinds}, TT_KIND() of each; 0 if the batch has none of these kinds. */
static inline size_t
tt_batch_nrare(const struct tt_batch *b, uint64_t kinds)
{
	return b->rare_kinds & kinds ? b->nrare : 0;
}

/* The object of the allocation ${e}; 0: not recorded, or not asked for. */
static inline uint64_t
tt_alloc_object(const struct tt_batch *b, const struct tt_event *e)
{
	return e->flags & TT_F_OBJECT ? b->word[e[1].val + (e->flags & TT_F_STACK ? e[1].dur : 0)] : 0;
}

/* Make an empty batch that allocates from ${mem}; free its contents. */
void tt_batch_init(struct tt_batch *b, struct tt_mem *mem, unsigned needs);
void tt_batch_free(struct tt_batch *b);

/* Forget the last chunk, keep the arrays. */
void tt_batch_reset(struct tt_batch *b);

/**
 * tt_batch_room(b, more, err):
 * Make room for ${more} events, and for as many open zones and ends.
 * Inline where there is room, so a reader may call it before each event.
 */
int tt_batch_grow(struct tt_batch *b, size_t more, struct tt_err *err);
static inline int
tt_batch_room(struct tt_batch *b, size_t more, struct tt_err *err)
{
	if (b->cap - b->n >= more && b->capopen - b->depth >= more)
		return TT_OK;
	return tt_batch_grow(b, more, err);
}

/* Append a rare event (room for it must be there) and return it, or NULL with ${err} filled. */
struct tt_event *tt_batch_rare(struct tt_batch *b, enum tt_kind kind, int64_t ts, uint64_t val, struct tt_err *err);

/* Append the second slot of the rare event ${e}, which was the last: tt_batch_rare left room for it. */
static inline void
tt_batch_ext(struct tt_batch *b, struct tt_event *e, int64_t ts, uint64_t val, uint64_t n)
{
	e->flags |= TT_F_MORE;
	b->ev[b->n++] = (struct tt_event){ .kind = TT_EXT, .ts = ts, .val = val, .dur = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX,
		.depth = b->depth < UINT16_MAX ? (uint16_t)b->depth : UINT16_MAX };
}

/* Append ${n} words and return the first one's index in *${at}. */
int tt_batch_words(struct tt_batch *b, size_t n, uint64_t *at, struct tt_err *err);

/* Keep a stray that comes before the event at ${i}, with its marker, time and place in the input, if the batch keeps strays. */
int tt_batch_stray(struct tt_batch *b, enum tt_stray_kind kind, uint64_t key, int64_t ts, uint64_t at, size_t i, struct tt_err *err);

/* As tt_batch_stray(), keep the begin of a zone of ${key} that began at ${ts} and was closed without an end at ${closed}. */
int tt_batch_stray_begin(struct tt_batch *b, uint64_t key, int64_t ts, int64_t closed, uint64_t at, size_t i, struct tt_err *err);
void tt_batch_sort_strays(struct tt_batch *b);

/* Append a definition; text stays borrowed. */
int tt_batch_def(struct tt_batch *b, const struct tt_def *d, struct tt_err *err);

/* Widen [min_ts, max_ts] to ${ts}. */
static inline void
tt_batch_time(struct tt_batch *b, int64_t ts)
{
	if (ts < b->min_ts)
		b->min_ts = ts;
	if (ts > b->max_ts)
		b->max_ts = ts;
}

#endif

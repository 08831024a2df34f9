/**
 * The parts of the Perfetto emitter. Internal to lib/emit/perfetto*.c.
 *
 * perfetto.c        start and end; declares names and tracks before their first use; calls all others
 * perfetto_zones.c  zones and allocations: `chunk`, the hot path
 * perfetto_aside.c  zones that filters can judge only at their ends: put aside, and written after all events
 * perfetto_rare.c   counters, flows, samples, instants: `rare`
 * perfetto_tail.c   after the events: frames, facts, provenance, losses
 *
 * The file is a message Trace of Perfetto's protocol buffers: a sequence of packets in any order; readers sort them by time and keep the file's order
 * among equals. So for each thread the file holds begins and ends as they happened: a zone that its chunk leaves open is begun in that chunk
 * (tt_view.begun), and a later chunk ends it.
 *
 * Packets belong to three sequences: zones, samples, and all others. Names are sent once per sequence, before the first packet that uses them.
 * A worker does not know which names earlier chunks have sent, so it lists the names that its packets use, and `write` sends the new ones.
 *
 * The times of zones are steps of a clock that only their sequence has: each time is given as the distance from the previous one. Each chunk sets that
 * clock to zero by its own snapshot, so it depends on no other chunk.
 */
#ifndef TT_EMIT_PERFETTO_H
#define TT_EMIT_PERFETTO_H

#include <stdatomic.h>

#include "base/map.h"
#include "base/proto.h"
#include "emit/emit.h"
#include "emit/flow_steps.h"
#include "emit/marker_text.h"
#include "emit/slice_sort.h"
#include "emit/text_spool.h"
#include "codec/packet.h"
#include "view/counter_labels.h"

struct tt_args;
struct tt_event;
struct tt_sink;

/* Numbers of fields (perfetto/protos). The comments name the messages. */
enum {
	PF_PACKET = 1,                                                                        /* Trace */
	PF_CLOCK_SNAPSHOT = 6, PF_TIMESTAMP = 8, PF_SEQUENCE = 10, PF_TRACK_EVENT = 11, PF_INTERNED = 12, PF_FLAGS = 13,
	PF_CLOCK_ID = 58, PF_DEFAULTS = 59, PF_TRACK_DESCRIPTOR = 60, PF_PERF_SAMPLE = 66,    /* TracePacket; PF_CLOCK_ID is also a field of its defaults */
	PF_EVENT_ANNOTATION = 4, PF_EVENT_TYPE = 9, PF_EVENT_NAME_IID = 10, PF_EVENT_TRACK = 11, PF_EVENT_CATEGORY = 22, PF_EVENT_NAME = 23,
	PF_EVENT_CATEGORY_IID = 3, PF_EVENT_LEGACY = 6, PF_EVENT_VALUE = 30, PF_EVENT_DOUBLE = 44,    /* TrackEvent */
	PF_IN_CATEGORY = 1, PF_IN_EVENT = 2, PF_IN_ANNOTATION = 3, PF_IN_FUNCTION = 5, PF_IN_FRAME = 6, PF_IN_CALLSTACK = 7,
	PF_IN_MAPPING_PATH = 17, PF_IN_MAPPING = 19, PF_IN_STRING = 29,                       /* InternedData */
	PF_NOTE_NAME_IID = 1, PF_NOTE_BOOL = 2, PF_NOTE_UINT = 3, PF_NOTE_INT = 4, PF_NOTE_DOUBLE = 5, PF_NOTE_TEXT = 6, PF_NOTE_POINTER = 7,
	PF_NOTE_NAME = 10, PF_NOTE_DICT = 11, PF_NOTE_ARRAY = 12, PF_NOTE_TEXT_IID = 17,      /* DebugAnnotation */
	PF_TRACK_UUID = 1, PF_TRACK_NAME = 2, PF_TRACK_PROCESS = 3, PF_TRACK_THREAD = 4, PF_TRACK_PARENT = 5, PF_TRACK_COUNTER = 8,
	PF_TRACK_SIBLINGS = 15,                                                               /* TrackDescriptor */
};
enum { PF_BEGIN = 1, PF_END = 2, PF_INSTANT = 3, PF_COUNTER = 4 };   /* TrackEvent.Type */
enum { PF_CLEARED = 1, PF_NEEDS_STATE = 2 };          /* SequenceFlags */
enum { PF_EVENTS = 1, PF_SAMPLES = 2, PF_ZONES = 3 }; /* sequences */
enum { PF_DEEPEST = 512 };    /* maximum nesting of slices that trace_processor keeps: it drops deeper begins, and takes their ends for those of other slices */
enum { PF_WALL = 1, PF_BOOT = 6, PF_STEPS = 64 };     /* clocks: packets use boot time, packets of zones their own clock */

/* Tracks. Tracks of threads have the smallest numbers, because each of their events contains one. */
enum pf_track { PF_THREAD, PF_ALLOCATED, PF_PROCESS, PF_NUMBERS, PF_TEXTS, PF_HEAP_SIZE, PF_FRAMES, PF_FACTS, PF_NOTES, PF_SAMPLED };
static inline uint64_t
pf_track(enum pf_track kind, uint64_t i)
{
	return (uint64_t)kind << 32 | (i + 1);
}

/* Names other than markers' names; the numbers of markers and classes follow. */
enum pf_name { PF_ALLOC = 1, PF_FLOW, PF_THROWN, PF_NOT_TAKEN, PF_CONTENDED, PF_SHOT, PF_SHOT_END, PF_LOST, PF_UNRECORDED, PF_NAMES };
/* Categories other than markers' categories; their numbers follow the model's. */
enum pf_category { PF_CAT_GC, PF_CAT_FLOW, PF_CAT_EXCEPTIONS, PF_CAT_CONTENTION, PF_CAT_OURS, PF_CATEGORIES };
/* Names of annotations. */
enum pf_note { PF_CLASS = 1, PF_BYTES, PF_SITE, PF_OBJECT, PF_STACK };

/*
 * `chunk` and `rare` write a sequence of these frames. Each is followed by ${stamps} bytes of packets as stamps (codec/packet.h), ${text} bytes of packets,
 * and ${uses} numbers of the things that the packets use (pf_use()). If zones are put aside, ${zones} struct tt_slice and their annotations follow in place
 * of packets; the flags of a zone are the number of bytes of its annotations.
 */
struct pf_frame {
	uint64_t uses, stamps, text, zones;
	int64_t opened;               /* number of shown zones left open, minus the earlier zones that ended here */
};

/*
 * The things that packets use: the kind in the top byte, a number below it. PF_USE_ZONE: a name in the sequence of zones; PF_USE_NAME: a name in that of
 * events.
 */
enum pf_use { PF_USE_ZONE, PF_USE_NAME, PF_USE_STRING, PF_USE_THREAD, PF_USE_ALLOCATED, PF_USE_SAMPLED };
static inline uint64_t
pf_use(enum pf_use kind, uint64_t i)
{
	return (uint64_t)kind << 56 | i;
}

struct perfetto_own { bool blobs, plain; };   /* options */

struct perfetto {
	struct tt_emitting e;
	const struct perfetto_own *own;
	struct tt_sink *sink;
	int64_t origin;               /* model time that becomes 0 */
	bool late;                    /* tt_filter_tells_late() */
	bool stamps;                  /* true: the sink accepts packets of zones as stamps */
	struct tt_forms forms;        /* forms of stamps: tt_pf_form() */
	bool making;                  /* true during `begin` only, while names are being numbered */
	struct tt_pieces *process;
	size_t nprocess;
	struct pf_entry { size_t at; uint32_t n, category; } *entry;  /* by number: its text in names; category: its number + 1, 0: no category */
	size_t nentry, capentry;
	struct tt_buf names;          /* text of the names */
	_Atomic uint8_t *sent;        /* by number: bits of enum pf_use for which the name was sent; workers read it */
	size_t nsent;
	uint8_t *category;            /* by number: the category that was sent */
	uint32_t nmodel;              /* number of categories of the model */
	struct pf_thread { uint64_t named; int64_t open; uint8_t sent; } *thread;     /* by thread index; named: hash of the name that was sent */
	size_t capthread;
	struct pf_counter { uint64_t key; const struct tt_def *def; uint32_t process; bool text; } *counter;  /* counters that have a track */
	size_t ncounter, capcounter;
	struct tt_map counters;
	struct tt_counter_labels labels;      /* labels of counters */
	struct tt_arena text;         /* memory of these labels */
	bool *heap_sent;              /* by process: true if its heap size has a track */
	struct tt_flow_steps flows;
	struct tt_slices slices;      /* zones put aside; flags: the place of their annotations in args; 0: no annotations */
	struct tt_text_spool args;
	uint64_t put_aside;           /* bytes in the spools of slices and args */
	int64_t nflow;                /* number of flows put aside with the zones */
	struct pf_stacks *stacks;     /* stacks of samples: perfetto_rare.c */
	struct tt_buf scratch, more;
	_Atomic uint64_t *unwritten;  /* number of values and zones that the file cannot hold; workers count, too */
	_Atomic uint64_t *deeper;     /* number of zones at depth PF_DEEPEST or deeper; workers count, too */
};

/* Return the output's time of ${ts}, or UINT64_MAX if it cannot be written. */
static inline uint64_t
pf_time(const struct perfetto *c, int64_t ts)
{
	uint64_t ns = (uint64_t)ts - (uint64_t)c->origin;

	return ts >= c->origin && ns <= INT64_MAX ? ns : UINT64_MAX;
}

/* True if the file can hold the begin and the end of the zone. */
static inline bool
pf_lasts(const struct perfetto *c, const struct tt_slice *s)
{
	uint64_t ts = pf_time(c, s->ts);

	return ts <= INT64_MAX && (uint64_t)s->dur <= INT64_MAX - ts;
}

/* --- messages within messages ---------------------------------------------------- */

/* Begin a message field; it holds everything that is appended until tt_pf_close(b, place). */
static inline size_t
pf_open(struct tt_buf *b, unsigned field)
{
	tt_proto_head(b, field, 0);
	return b->n;
}

void tt_pf_close(struct tt_buf *b, size_t place);

/* Append a number field, even if the number is 0. */
static inline void
pf_number(struct tt_buf *b, unsigned field, uint64_t v)
{
	if (tt_buf_room(b, 20, NULL) != TT_OK)
		return;
	char *p = tt_put_varint(b->p + b->n, (uint64_t)field << 3 | TT_WIRE_VARINT);
	b->n = (size_t)(tt_put_varint(p, v) - b->p);
}

void tt_pf_double(struct tt_buf *b, unsigned field, uint64_t bits);

/* Append a text field: ${s}, cleaned to valid UTF-8 without NUL. */
void tt_pf_text(struct tt_buf *b, unsigned field, const char *s, size_t n);

/* Append an annotation with a text, unless the text is NULL or empty. */
void tt_pf_note_text(struct tt_buf *b, unsigned field, const char *name, const char *text);
void tt_pf_note_number(struct tt_buf *b, const char *name, unsigned kind, uint64_t v);

/* Begin a packet and its event, up to its name; tt_pf_end_event() adds the time. */
struct pf_event { size_t packet, event; };
struct pf_event tt_pf_begin_event(struct tt_buf *b, unsigned type, uint64_t track);
void tt_pf_end_event(struct tt_buf *b, struct pf_event e, uint64_t ts);

/* Append the arguments of a zone or an instant as annotations of its event. */
void tt_pf_args(const struct perfetto *c, const char *const *name, const struct tt_args *args, struct tt_buf *b);

/* Begin a packet that describes a track; ${parent} 0: no parent, ${name} NULL: no name. The descriptor stays open for more fields. */
struct pf_event tt_pf_begin_track(struct tt_buf *b, uint64_t uuid, uint64_t parent, const char *name, size_t n);
void tt_pf_end_track(struct tt_buf *b, struct pf_event e);

/* --- perfetto_send.c --------------------------------------------------------------- */

/* Write the contents of ${b}, and empty it. */
int tt_pf_write(struct perfetto *c, struct tt_buf *b, struct tt_err *err);

/* Append the description of the name, thread or track ${use} (pf_use()), unless it was sent. */
int tt_pf_send(struct perfetto *c, uint64_t use, struct tt_buf *b, struct tt_err *err);

/* Append interned data: ${iid} means the text ${s}. */
void tt_pf_put_interned(struct tt_buf *b, unsigned field, uint64_t iid, const char *s, size_t n);

/* Send the names of threads that were unknown when the thread's first event was written. */
int tt_pf_rename_threads(struct perfetto *c, struct tt_err *err);

/* Return the thread's number for samples, which have 32 bits for it; a thread whose number does not fit appears as a thread of its own. */
uint64_t tt_pf_sample_tid(const struct perfetto *c, const struct tt_thread *t);
uint32_t tt_pf_pid(const struct perfetto *c, uint32_t process);

/* Return the thread's row, after making room for it. NULL: no memory. */
struct pf_thread *tt_pf_thread_at(struct perfetto *c, uint32_t index, struct tt_err *err);

/* --- perfetto_zones.c -------------------------------------------------------------- */

int tt_pf_names(struct perfetto *c, struct tt_err *err);
size_t tt_pf_form(const void *state, uint32_t thread, uint32_t form, char *p);
int tt_pf_chunk(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);

/* Return the number of the name that a piece begins with; 0: the piece holds the name itself. */
static inline uint32_t
pf_piece_name(const struct tt_piece *piece)
{
	uint32_t iid;

	memcpy(&iid, piece->s, sizeof iid);
	return iid;
}

/* --- perfetto_aside.c -------------------------------------------------------------- */

int tt_pf_aside_chunk(const struct perfetto *c, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);
int tt_pf_aside_flow(struct perfetto *c, const struct tt_flow_step *s, char phase, uint64_t id, struct tt_err *err);
int tt_pf_aside_finish(struct perfetto *c, struct tt_err *err);

/* --- perfetto_rare.c --------------------------------------------------------------- */

int tt_pf_rare(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);
void tt_pf_put_flow(struct tt_buf *b, const struct tt_thread *thread, uint64_t ts, char phase, uint64_t id);
int tt_pf_flows(struct perfetto *c, struct tt_err *err);
void tt_pf_stacks_free(struct perfetto *c);

/* --- perfetto_tail.c --------------------------------------------------------------- */

int tt_pf_tail(struct perfetto *c, struct tt_err *err);

#endif

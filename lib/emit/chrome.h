/**
 * The parts of the Chrome JSON emitter. Internal to lib/emit/chrome*.c.
 *
 * chrome.c        start and end; calls all others
 * chrome_files.c  files (parts), everything before the events, what records share; calls none of the others
 * chrome_tail.c   everything after the events: names of threads, frames, provenance, losses
 * chrome_zones.c  zones and allocations: `chunk`, the hot path
 * chrome_rare.c   counters, flows, instants: `rare`
 * chrome_pairs.c  the B/E form: zones put aside, and written thread by thread
 *
 * Every record but the first of a file begins with ",\n", so records can be joined in any order.
 */
#ifndef TT_EMIT_CHROME_H
#define TT_EMIT_CHROME_H

#include <stdatomic.h>

#include "emit/emit.h"
#include "emit/flow_steps.h"
#include "emit/marker_text.h"
#include "emit/slice_sort.h"
#include "emit/text_spool.h"
#include "view/counter_labels.h"

struct tt_args;
struct tt_json;
struct tt_sink;

/* The output's time of the first event: readers leave an event at 0 out of the bounds of the trace. */
#define CHROME_FIRST_NS 1000

struct chrome_process {
	struct tt_pieces pieces;      /* zones: `,"name":...}`; allocations: `,"name":"GC.Alloc",...,"bytes":` */
	struct tt_frags counter;      /* text by address of the counter's definition: `,"name":"...",...,"args":{"bytes":` */
};

struct chrome_part {                  /* one file */
	struct tt_sink *sink;
	uint64_t bytes;
	int64_t first_ts, last_ts;    /* time span of the chunks in the file, which decides on the frames that it shows */
	uint8_t *seen;                /* threads with a record in the file, a bit each */
	size_t capseen;
};

struct tt_chrome_opts {
	bool begin_end;               /* true: write zones as two events, B and E, thread by thread */
	bool blobs;                   /* true: write the bytes of blobs in hex, not only their number */
	uint64_t split;               /* start a new file near this many bytes; 0: never */
};

struct chrome {
	struct tt_emitting e;
	const struct tt_chrome_opts *own;
	int64_t origin;               /* model time that becomes CHROME_FIRST_NS */
	struct chrome_process *process;
	size_t nprocess;
	struct chrome_part *part;
	size_t npart, cappart;
	struct tt_slices slices;      /* B/E form: zones put aside; their flags are the place of their arguments in args */
	struct tt_text_spool args;         /* arguments of these zones; place 0: no arguments */
	uint64_t put_aside;           /* bytes in the spools of slices and args */
	int64_t nflow;                /* number of flows put aside with the zones */
	struct tt_flow_steps flows;
	struct tt_buf scratch;
	uint8_t *also;                /* threads with a sample in the text that is about to be written, a bit each */
	size_t capalso;
	_Atomic uint64_t *unwritten;  /* number of values and zones that JSON cannot hold; workers count, too */
};

/* Return the output's time of ${ts}, or UINT64_MAX if it is too large to be written. */
static inline uint64_t
chrome_time(const struct chrome *c, int64_t ts)
{
	uint64_t ns = (uint64_t)ts - (uint64_t)c->origin + CHROME_FIRST_NS;

	return ts >= c->origin && ns < INT64_MAX ? ns : UINT64_MAX;
}

/* Print ${s}: text of constant length. */
#define CHROME_PUT(p, s) ((char *)memcpy(p, s, sizeof(s) - 1) + sizeof(s) - 1)

/* Maximum bytes of a record's fixed part: heads have at most 56 bytes, with two numbers and the text between them. */
#define CHROME_RECORD 192

/* `,\n{"ph":"X","pid":1,"tid":2,"ts":` for ${phase} `X`. At most 56 bytes, 64 are written. */
char *tt_chrome_put_head(char *p, const char *phase, uint32_t pid, uint32_t tid);

static inline uint32_t
chrome_pid(uint32_t process)
{
	return process + 1;
}

static inline uint32_t
chrome_tid(const struct tt_thread *t)
{
	return t->index + 1;
}

/* Append `,"args":{...}`, with the argument names in ${name}; append nothing if there are no arguments. */
void tt_chrome_args(const struct chrome *c, const char *const *name, const struct tt_args *args, struct tt_buf *out);

/* Append the part of a flow event that follows its time. */
void tt_chrome_flow(struct tt_buf *out, uint64_t id);

/* Begin a record of metadata, up to its arguments; thread 0 means the process itself. */
void tt_chrome_meta(struct tt_json *j, uint32_t process, uint32_t tid, const char *name);

int tt_chrome_part_write(struct chrome_part *part, const struct tt_buf *b, struct tt_err *err);

/* Write records of ${thread} to the current part. */
int tt_chrome_put(struct chrome *c, const struct tt_thread *thread, const char *p, size_t n, struct tt_err *err);

/* Write records of ${thread} to any part. */
int tt_chrome_put_in(struct chrome *c, struct chrome_part *part, const struct tt_thread *thread, const char *p, size_t n,
    struct tt_err *err);

/* Record that the current part has events from ${from} to ${to}. */
void tt_chrome_span(struct chrome *c, int64_t from, int64_t to);

/* True if ${more} bytes would make the current part larger than the limit for files. */
bool tt_chrome_full(const struct chrome *c, size_t more);

/* Begin a new part. */
int tt_chrome_turn(struct chrome *c, struct tt_err *err);

/* --- chrome_tail.c ------------------------------------------------------- */

/* End a file: everything after its last event. */
int tt_chrome_tail(struct chrome *c, struct chrome_part *part, struct tt_err *err);

/* --- chrome_zones.c ------------------------------------------------------ */

/* Prepare the texts of all processes. */
int tt_chrome_names(struct chrome *c, struct tt_err *err);
int tt_chrome_chunk(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);

/* --- chrome_rare.c ------------------------------------------------------- */

int tt_chrome_counters(struct chrome *c, uint32_t process, const struct tt_counter_labels *labels, struct tt_err *err);

int tt_chrome_rare(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);

/* --- chrome_flows.c ------------------------------------------------------ */

/*
 * Keep the step ${e} of a flow until the end. ${zone}: if the step belongs to the next zone of its thread, the begin of that zone, or NULL if a later chunk
 * has it.
 */
int tt_chrome_flow_step(struct chrome *c, const struct tt_view *v, const struct tt_event *e, const struct tt_event *zone, struct tt_err *err);

/* Write all flows. */
int tt_chrome_flows(struct chrome *c, struct tt_err *err);

/* --- chrome_pairs.c ------------------------------------------------------ */

/*
 * The output of `chunk` and `rare` in the B/E form is a sequence of these frames, as zones are put aside and text is not. A frame of zones is followed by
 * ${n} struct tt_slice and the ${text} bytes of their arguments; the flags of a slice are the number of bytes of its arguments.
 */
struct chrome_frame { uint64_t zones, n, text; };     /* zones != 0: n is a number of struct tt_slice; else a number of bytes */

/* Put aside a flow of ${phase} ('s', 't', 'f') with the zones around it. */
int tt_chrome_pairs_flow(struct chrome *c, const struct tt_flow_step *step, char phase, uint64_t id, struct tt_err *err);

int tt_chrome_pairs_write(struct chrome *c, const struct tt_view *v, const char *p, size_t n, struct tt_err *err);
int tt_chrome_pairs_finish(struct chrome *c, struct tt_err *err);

#endif

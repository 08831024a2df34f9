/**
 * firefox: a profile for the Firefox Profiler (profiler.firefox.com), in its processed format.
 *
 * A zone is a marker, and its self time is in the samples: a sample stands for all self time that a call path has on a thread in one slice of
 * time; its weight is that time. Sums are the call tree's: samples subtract from the tree's self time of their path, and time that no slice
 * accounts for (pieces of exceptions, paths beyond the limit) is in a last sample of the path. Tables of the format are stored by column, so zones
 * wait in a spool until the end, and are read once for each column.
 *
 * Memory: 48 bytes for each node of the tree, 32 for each sample of a stack and each zone that crosses chunks, names. Disk: 32 bytes for each
 * marker, and its arguments; 24 for each sample.
 *
 * Internal to the files of that name.
 */
#ifndef TT_EMIT_FIREFOX_H
#define TT_EMIT_FIREFOX_H

#include "base/json.h"
#include "base/map.h"
#include "emit/emit.h"
#include "emit/slice_sort.h"
#include "emit/text_spool.h"

enum { FIREFOX_SAMPLES = 4096, FIREFOX_VALUE = 64 };      /* samples buffered in memory; maximum bytes of a value of a column */

/* Points among the zones, encoded in the dur of a slice. A point lies inside all open zones, so its depth is the largest. */
enum point { POINT_INSTANT, POINT_SAMPLE, POINT_ALLOC, POINT_THROW, POINT_CONTENDED, POINT_NOT_TAKEN, POINT_SHOT_BEGINS, POINT_SHOT_ENDS,
	POINT_UNRECORDED, POINT_LOST, POINT_TEXT, POINTS };
#define POINT_DEPTH UINT32_MAX
#define POINT_DUR(point) (-1 - (int64_t)(point))

/* Categories: the profiler takes the first for uncategorized; those of the capture follow. */
enum category { CATEGORY_OTHER, CATEGORY_FRAME, CATEGORY_ALLOC, CATEGORY_EVENT, CATEGORIES };

enum column { COLUMN_DATA, COLUMN_NAME, COLUMN_START, COLUMN_END, COLUMN_PHASE, COLUMN_CATEGORY, COLUMNS };
extern const char *const tt_firefox_columns[COLUMNS];

/* A path's self time in one slice of time; stack 0: the thread is outside all zones. */
struct firefox_sample { int64_t ts, weight; uint64_t stack; };

struct tt_stacks;

struct firefox {
	struct tt_emitting e;
	struct tt_sink *sink;
	struct tt_buf buf;
	struct tt_slices slices;      /* zones, with points among them */
	struct tt_text_spool payload;
	uint64_t put_aside;
	int64_t min_ts, max_ts;       /* time span of all zones and points */
	struct heap_size { int64_t ts; uint64_t bytes; uint32_t process; } *heap;
	size_t nheap, capheap;
	uint64_t unwritten;

	/* the file being written */
	struct tt_json j;
	int64_t origin, slice_ns;
	struct tt_stacks *stacks;
	struct tt_map string_at;
	const char **string;
	size_t nstring, capstring;
	struct tt_arena text;
	struct tt_map key_at;
	/* text: index in the stacks' names + 1; 0: no text */
	struct named { uint64_t key; uint32_t process, text, name, category; bool is_shown, is_gc; } *named;
	size_t nnamed, capnamed;
	uint32_t *stack_of, nstack;   /* by node: its row in the table of stacks + 1; 0: no row */
	uint32_t *func_of, nfunc;     /* by text: its row in the table of functions + 1 */
	uint32_t *place;              /* hash table by parent node and text: node */
	size_t nplace;
	uint32_t *root_of, *first_of; /* by thread: its root node; its first node that has own values */
	uint32_t *next_of;            /* by node: the next node of its thread that has own values */
	uint32_t *row_of;             /* by thread: its place in the file + 1; 0: not written */
	uint32_t *frames_of;          /* by thread: index + 1 in tt_frames.of of the frames that the thread begins */
	uint32_t *main_of;            /* by process: index + 1 of its main thread */

	/* the thread being written */
	const struct tt_thread *thread;
	size_t frame, frame_end;      /* range of frames that the thread begins */
	enum column column;
	uint64_t nmarker;
	struct level { int64_t end; uint32_t node, depth; } *open;
	size_t nopen, capopen;
	int64_t now;                  /* end of the time for which samples were made */
	int64_t slice;                /* number of the present slice of time */
	int64_t *in_slice;            /* by node: self time in the present slice */
	struct touched { int64_t ts; uint32_t node; } *touched;
	size_t ntouched, captouched;
	int sample_fd;
	uint64_t nsample, first_sample;
	struct firefox_sample *pending;
	size_t npending;
};

/* --- firefox_chunk.c: zones and points on their way ----------------------------------------------------------------------- */

int tt_firefox_chunk(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);
int tt_firefox_write(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err);
int tt_firefox_rare(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);

/* Extend the time span of the profile to include ${from} to ${to}. */
void tt_firefox_extend_span(struct firefox *d, int64_t from, int64_t to);

int64_t tt_firefox_end_of(const struct tt_slice *s);

/* --- firefox_paths.c: names, and the paths of the call tree ---------------------------------------------------------------- */

/* Number all names and paths; free the numbers, also after an error. */
int tt_firefox_begin_paths(struct firefox *d, struct tt_err *err);
void tt_firefox_end_paths(struct firefox *d);

/* Find the *${number} of ${s}, which outlives the output, in the table of strings. */
int tt_firefox_number_string(struct firefox *d, const char *s, uint32_t *number, struct tt_err *err);

/* Find the name of ${key} in the thread's process; *${k} is valid until the next call. */
int tt_firefox_find_key(struct firefox *d, uint64_t key, const struct named **k, struct tt_err *err);

/* Return the node that has the stack of ${node}: itself, or the zone of an allocation; 0: no stack. */
uint32_t tt_firefox_stack_node(const struct firefox *d, uint32_t node);

/* Return the slot in d->place of the zone with ${text} below the node ${up}. */
size_t tt_firefox_find_place(const struct firefox *d, uint32_t up, uint32_t text);

/* --- firefox_tables.c: values of columns, tables that all threads share, facts ------------------------------------------- */

/* Write out the text so far if there is much of it. */
int tt_firefox_spill(struct firefox *d, struct tt_err *err);

/* Begin the next value of a column. Returns room for FIREFOX_VALUE bytes, or NULL without memory; pass the end of the value to tt_firefox_end_value(). */
char *tt_firefox_next_value(struct firefox *d);
void tt_firefox_end_value(struct firefox *d, char *p);

/* Write a value: a number; a word; ${ns} as ms; the time ${ts} in ms since the begin of the profile. */
void tt_firefox_put_number(struct firefox *d, uint64_t v);
void tt_firefox_put_word(struct firefox *d, const char *word);
void tt_firefox_put_ms(struct firefox *d, int64_t ns);
void tt_firefox_put_time(struct firefox *d, int64_t ts);

/* Write a column of ${n} equal values. */
int tt_firefox_put_same(struct firefox *d, const char *key, const char *word, uint64_t n, struct tt_err *err);

/* --- the parts of a profile ------------------------------------------------------------------------------------------------ */

/* True if samples count hits of the recorded sampler, because the capture has no calls. */
bool tt_firefox_counts_samples(const struct firefox *d);
int tt_firefox_put_samples(struct firefox *d, struct tt_err *err);

/* Write allocations summed up by path and class: the format wants a time for each, which sums do not have. */
int tt_firefox_put_allocations(struct firefox *d, struct tt_err *err);

int tt_firefox_put_markers(struct firefox *d, struct tt_err *err);
int tt_firefox_put_threads(struct firefox *d, struct tt_err *err);
int tt_firefox_put_counters(struct firefox *d, struct tt_err *err);

/* Write the tables that all threads share. */
int tt_firefox_put_shared(struct firefox *d, struct tt_err *err);
void tt_firefox_put_meta(struct firefox *d);

/* Write the id of a process: its own, or its number if there are several captures, as these may have equal ids. */
void tt_firefox_put_pid(struct firefox *d, uint32_t process);

#endif

/**
 * Shared by the files of the .ttc reader: ttc_reader.c (the file), find.c (places of chunks), index.c (their order), thread_chunks.c (missing chunks),
 * thread_notice.c (thread 0's records about chunks), join.c (the ring), segments.c (files of one recording), ttc_decode.c and the files that share
 * ttc_decode.h with it (records), mono_records.c (the Mono module's records), copy.c and ring_told.c (tracetool recover).
 *
 * Source: formats/ttc/layout.h and tracetool-capture(5). No byte is used before its chunk's checksum was found right.
 */
#ifndef TT_TTC_TTC_H
#define TT_TTC_TTC_H

#include <stdatomic.h>

#include "ttc/layout.h"
#include "base/map.h"
#include "io/window.h"
#include "model/format.h"

struct tt_def;

/* A chunk in the file or the ring, or a part of one. */
struct ttc_unit {
	uint64_t at;                  /* offset of its head, in the file or the ring; for a chunk made by the reader, its index */
	uint64_t seq, ticks, dropped;
	uint32_t len;                 /* length of the body */
	uint32_t thread;              /* number of its thread */
	uint32_t first, end;          /* range of bytes of the chunk's records that the unit has */
	uint32_t before, state;
	uint8_t source;               /* enum ttc_where */
	uint8_t flags;                /* enum ttc_unit_flag */
};
enum ttc_where { TTC_IN_FILE, TTC_IN_RING, TTC_MADE };
enum ttc_unit_flag {
	TTC_U_FIRST = 1,              /* the thread's first unit: its open zones began before it */
	TTC_U_GAP = 2,                /* units before it are missing; its state tells which zones are open */
	TTC_U_SKIP = 4,               /* its contents were read already */
	TTC_U_QUIET = 8,              /* belongs to thread 0 and has no definitions: nothing to decode */
	TTC_U_MIDDLE = 16,            /* has no frame marks, and neither begin nor end of the thread */
};

struct ttc_start { uint64_t seq; uint32_t first; };

/* The facts of a thread. */
struct ttc_who {
	uint32_t number;
	bool is_defined, has_unit, has_gap, has_account;
	bool marks_frames;            /* true: the thread marks frames */
	bool is_out_of_order;         /* true: a later unit was read first */
	uint64_t native_id;
	uint64_t seq;                 /* number of its last unit's chunk */
	uint32_t end;
	uint64_t at_drops;            /* events dropped before its last unit */
	uint64_t dropped;             /* dropped events that the ledger counts */
	uint64_t last_seq, last_end;  /* the recorder's final account: number of the next chunk, bytes of the last one */
	struct ttc_start *start;      /* starts of its chunks, according to the recorder's stream; see index.c */
	size_t nstart, capstart;
	bool has_ring_start;          /* true: its chunks may also start at ${ring_start}, according to the ring */
	struct ttc_start ring_start;
	uint64_t nstreamed_drops;     /* number of dropped events according to the recorder's stream alone */
	struct ttc_left_state { bool seen; uint64_t seq, at_drops; uint32_t end; } state_before; /* its state at the end of the files before this one */
};

enum { TTC_FORMS = 256 };

struct ttc_made { uint8_t *p; size_t n; };

struct ttc {
	struct tt_env *env;
	struct tt_src *src;
	struct tt_capture *cap;
	struct ttc_head head;
	const char *text[TTC_TEXTS];
	struct ttc_rate rate;         /* rate of the counter, from the instants in the file */
	uint64_t mult;                /* ns = ticks * mult >> shift, by tt_clock_ratio() */
	unsigned shift;
	bool extracts_bits;           /* true: the processor has a fast instruction to gather bits */
	bool mono;                    /* true: recorded by the Mono module, false: by the Unity plug-in */
	/* By form of a begin or end, see ttc_fill_forms(): masks of its time and key; its length in bytes, 0 for other records. */
	struct { uint64_t time, key; } form[TTC_FORMS];
	uint8_t length[TTC_FORMS];
	uint32_t run32;
	uint64_t first;               /* offset of the first chunk */

	uint64_t at, seq;
	struct ttc_unit *unit;        /* the index; on input that cannot seek, the units that the ring adds */
	size_t nunit, capunit, next;
	_Atomic uint64_t collect;     /* key of Unity's GC.Collect; 0: not defined yet */
	bool indexed, closed;
	bool rate_told;               /* true: a message said that the head's rate is not the one that the whole file tells */
	bool found_given;             /* true: ${found} went into the first chunk */
	bool no_ring;                 /* true: another file follows, and the ring's chunks come after it */
	struct tt_loss found;
	struct tt_loss damage;        /* the part of the losses that no other file changes */

	struct ttc *first_file;       /* the first of the files read as one; this file if it is the only one */
	struct ttc *next_file;        /* the next file */
	struct ttc *present_file;     /* in the first file: the file being read */
	uint64_t nbefore;             /* in the first file: bytes of the files before the one being read */
	bool is_continuation;         /* true: it continues the previous file */

	struct ttc_who *who;          /* in order of appearance */
	size_t nwho, capwho;
	struct tt_map who_at;         /* by number */
	uint64_t zero_seq;            /* number of the next chunk of thread 0 */
	uint32_t zero_end;
	bool zero_seen;
	int finish;                   /* enum ttc_finish + 1; 0: no end */
	uint64_t cut_at, cut_b;       /* offset and bytes of a chunk in which the file ends; reported unless the ring has the whole chunk */
	uint64_t nlate;               /* number of units that came after later ones of their thread */
	uint64_t nshared;             /* TT_LOST_SHARED according to the latest fact */

	struct tt_src *ring;          /* on input that cannot seek it is open from the start, because no file can be opened later */
	bool is_ring_of_other;        /* true: there is a ring, but it belongs to another user */
	bool has_ring;                /* true: the ring belongs to this recording, and its chunks were added */
	struct ttc_made *made;
	size_t nmade, capmade;
	bool is_ring_live;            /* true: the recorder still holds the ring, so the program goes on writing; only with has_ring */
	uint64_t nfrom_ring;          /* number of units from the ring */
	uint64_t ring_kept;           /* flight recording: ticks since the start from which on the ring has everything */
	/* flight recording: ms asked for, ms that the ring holds, and bytes of a ring with enough room; 0: it holds all that was asked for */
	uint64_t ring_asked_ms, ring_held_ms, ring_needed_bytes;
	struct ttc_dump { uint64_t from, to; } *dump; /* records TTC_DUMP: ticks since the start */
	size_t ndump, capdump;

	struct tt_window win;
};

/* A payload being read. Reading past its end returns 0 and sets bad. */
struct ttc_take { const uint8_t *p, *end; bool bad; };

static inline uint64_t
ttc_number(struct ttc_take *t)
{
	uint64_t v = 0;
	const uint8_t *p = t->bad ? NULL : ttc_get(t->p, t->end, &v);

	t->bad = !p;
	t->p = p ? p : t->p;
	return v;
}

static inline unsigned
ttc_byte(struct ttc_take *t)
{
	t->bad = t->bad || t->p == t->end;
	return t->bad ? 0 : *t->p++;
}

/* Read a count; it is at most the number of bytes left. */
static inline size_t
ttc_count(struct ttc_take *t)
{
	uint64_t n = ttc_number(t);

	t->bad = t->bad || n > (uint64_t)(t->end - t->p);
	return t->bad ? 0 : (size_t)n;
}

/* Read a text: its length, then its bytes. */
static inline const uint8_t *
ttc_text(struct ttc_take *t, size_t *n)
{
	*n = ttc_count(t);
	t->p += *n;
	return t->p - *n;
}

/* Read a record of thread 0: its kind, and its fields in ${f}. False if it is damaged. */
static inline bool
ttc_take_other(struct ttc_take *t, unsigned *kind, struct ttc_take *f)
{
	unsigned op = ttc_number(t) & 3;
	size_t n;

	*kind = ttc_byte(t);
	f->p = ttc_text(t, &n);
	f->end = f->p + n;
	f->bad = false;
	return op == TTC_OTHER && !t->bad;
}

/* Return the rotation place of the last file in ${m}, which recover may have made of several files. */
static inline uint32_t
ttc_last_part(const struct ttc *m)
{
	return m->head.part_last > m->head.part ? m->head.part_last : m->head.part;
}

/* Return the number of files of the rotation that are missing between ${m} and ${to}, a later one. */
static inline uint32_t
ttc_files_between(const struct ttc *m, const struct ttc *to)
{
	return to->head.part > ttc_last_part(m) ? to->head.part - ttc_last_part(m) - 1 : 0;
}

/* find.c */
/* True if ${head} is the head of a chunk of this recording. */
bool ttc_is_chunk_head(const struct ttc *m, const uint8_t *head);
void ttc_unit_of(struct ttc_unit *u, const uint8_t *head, uint64_t at);
/* Read a whole unit, head first, into *${p} of *${cap} bytes (grown as needed). TT_E_DAMAGED if it is not intact. */
int ttc_load(struct ttc *m, const struct ttc_unit *u, uint8_t **p, size_t *cap, struct tt_err *err);
/* Find the chunk at m->at, or the first one after it; move m->at past it. TT_END: no more chunks. */
int ttc_next_unit(struct ttc *m, struct ttc_unit *u, struct tt_loss *loss, struct tt_err *err);

/* thread_notice.c */
/* Take in a chunk of thread 0 whose checksum is right. *${defines}: true if it has definitions to decode. */
int ttc_read_own_chunk(struct ttc *m, const uint8_t *chunk, const struct ttc_unit *u, bool *defines, struct tt_loss *loss,
    struct tt_err *err);
/* Take in a definition, with ${kind} and payload, on which the meaning of others depends; see also ttc_define.c. */
void ttc_note_definition(struct ttc *m, unsigned kind, const uint8_t *p, const uint8_t *end);

/* index.c */
struct ttc_who *ttc_who(struct ttc *m, uint32_t number, struct tt_err *err);     /* added if new; NULL: no memory */
void ttc_free_who(struct ttc *m);
void ttc_free_made(struct ttc *m);
int ttc_start_add(struct ttc *m, struct ttc_who *w, uint64_t seq, uint32_t first, struct tt_err *err);
void ttc_count_drops(struct ttc_who *w, uint64_t dropped, struct tt_loss *loss);

/* Return the kind of loss of the events that ${w} dropped. Thread 0 has those of all threads that found no place in the ring. */
static inline enum tt_loss_kind
ttc_drop_kind(const struct ttc_who *w)
{
	return w->number ? TT_LOST_DROPPED : TT_LOST_NO_PLACE;
}
/* Take in a unit in order: set its flags, and count losses. */
int ttc_enter_unit(struct ttc *m, struct ttc_unit *u, struct tt_loss *loss, struct tt_err *err);
int ttc_unit_add(struct ttc *m, const struct ttc_unit *u, struct tt_err *err);
/* Read the whole file to make its index, m->unit. */
int ttc_index(struct ttc *m, struct tt_err *err);
/* Evaluate the end of the file: the ring's chunks, missing chunks, how it ended. */
int ttc_end_file(struct ttc *m, struct tt_loss *loss, struct tt_err *err);
/* Set the spans for which a flight recording has all threads. Call after ttc_end_file() and with the final rate of the clock. */
int ttc_set_covered_spans(struct ttc *m, struct tt_err *err);
/* Reset the ring and everything derived from the order of chunks, and evaluate them again. */
int ttc_rejoin_ring(struct ttc *m, struct tt_err *err);

/* join.c: open the ring that the capture names; m->ring stays NULL if there is no ring, or if another user owns it (is_ring_of_other). */
int ttc_ring_open(struct ttc *m, struct tt_err *err);

/* join.c: add the chunks that the ring has and the file lacks. Does nothing without a ring of this recording. */
int ttc_join_ring(struct ttc *m, struct tt_loss *loss, struct tt_err *err);

/* segments.c: continue reading in ${later}, a later file of the same recording. */
int ttc_append(void *ctx, void *later, struct tt_err *err);
/* segments.c: at the end of ${m}, continue in the next file. */
int ttc_next_file(struct ttc *m, struct tt_loss *loss, struct tt_err *err);

/* hot_records.c: fill the table of forms. */
void ttc_fill_forms(struct ttc *m);
/* ttc_decode.c */
int ttc_decode(const struct ttc *m, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err);
/* mono_records.c: decode a record of the Mono module. */
int ttc_mono(struct tt_batch *b, int64_t ts, unsigned kind, const uint8_t *p, const uint8_t *end, struct tt_err *err);
const char *ttc_mono_name(unsigned kind);
/* Store a stack as words of the batch, outermost first. */
int ttc_stack(struct tt_batch *b, struct ttc_take *t, uint64_t *first, size_t *n, struct tt_err *err);
/* heap_records.c: decode the Mono module's records of heap shots. */
int ttc_heap_shot(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err);
int ttc_heap_objects(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err);
int ttc_heap_roots(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err);
/* ttc_define.c: interpret marker definitions. */
int ttc_category(const struct tt_capture *cap, const struct tt_def *marker, const char **name, struct tt_err *err);
int ttc_timing(const char *counter, unsigned *late);
bool ttc_of_editor(const struct tt_def *d);
struct tt_marker_facts ttc_marker_facts(const struct tt_def *marker);
const char *const *ttc_arg_names(const struct tt_def *marker);
/* rare_records.c */
const char *ttc_tag_name(unsigned tag);

/**
 * ttc_copy(part, n, write, arg, done, err):
 * Write one capture from the ${n} readers at ${part} (opened by tt_format_ttc on seekable input; files of one recording in order): with the ring's chunks,
 * without damaged ones, and with an end. For tracetool recover. ${done}->ring: the last ring that was read or, with is_ring_of_other, the one that another user
 * owns.
 */
struct ttc_copied { uint64_t nchunks, nfrom_ring; const char *ring; bool is_ring_of_other; };
int ttc_copy(struct ttc *const *part, size_t n, int (*write)(void *arg, const void *p, size_t n, struct tt_err *err), void *arg,
    struct ttc_copied *done, struct tt_err *err);

/**
 * ring_told.c, for the list of rings. Both functions read the head of the file open at ${fd} and keep nothing.
 *
 * ttc_ring_read_head(fd, t): fill ${t} with what the ring says about its recording. False: it is not a ring of this major version, not ready yet, or damaged.
 * ttc_is_of_recording(fd, run): true if the file is a capture of the recording ${run}.
 */
struct ttc_ring_facts {
	uint8_t run[16];
	int64_t wall_ns;              /* start of the recording in ns since 1970; 0: unknown */
	const char *args, *capture;   /* texts in `head`: command line of the program; path of the capture as the recorder knew it */
	char head[TTC_RING_TEXT];
};
bool ttc_ring_read_head(int fd, struct ttc_ring_facts *t);
bool ttc_is_of_recording(int fd, const uint8_t run[16]);

static inline uint32_t
ttc_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t
ttc_u64(const uint8_t *p)
{
	return ttc_u32(p) | (uint64_t)ttc_u32(p + 4) << 32;
}

#endif

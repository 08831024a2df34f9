/**
 * What the files of the .ttc reader share: reader.c (the file), find.c (where chunks are), index.c (their order), threads.c (which are
 * missing), thread_notice.c (what thread 0 says of them), join.c (the ring), parts.c (files of one recording), decode.c and those it
 * shares decode.h with (records), mono_records.c (the Mono module's records), copy.c (tracetool recover).
 *
 * Source: formats/ttc/layout.h and tracetool-capture(5). No byte is used before its chunk's checksum was found right.
 */
#ifndef TT_TTC_TTC_H
#define TT_TTC_TTC_H

#include <stdatomic.h>

#include "ttc/layout.h"
#include "io/window.h"
#include "model/format.h"

struct tt_def;

/* A chunk, or a part of one. */
struct ttc_unit {
	uint64_t at;                  /* of its head, in the file or the ring; of made ones their index */
	uint64_t seq, ticks, dropped;
	uint32_t len;                 /* of the body */
	uint32_t thread;              /* number */
	uint32_t first, end;          /* which bytes of the chunk's records it has */
	uint32_t before, state;
	uint8_t where;                /* enum ttc_where */
	uint8_t flags;                /* enum ttc_unit_flag */
};
enum ttc_where { TTC_IN_FILE, TTC_IN_RING, TTC_MADE };
enum ttc_unit_flag {
	TTC_U_FIRST = 1,              /* the thread's first: its open zones began before */
	TTC_U_GAP = 2,                /* what stood open is not known: the state says what does now */
	TTC_U_SKIP = 4,               /* was there already */
	TTC_U_QUIET = 8,              /* of thread 0, without definitions: nothing to decode */
	TTC_U_MIDDLE = 16,            /* neither frame marks nor the thread's beginning or end are in it */
};

struct ttc_start { uint64_t seq; uint32_t first; };

/* Facts about a thread, by its number. */
struct ttc_who {
	uint32_t number;
	bool known, seen, gap, accounted;
	bool frames;                  /* it marks frames */
	bool later;                   /* a unit after this one has been met */
	uint64_t native;
	uint64_t seq;                 /* of its last unit */
	uint32_t end;
	uint64_t at_drops;            /* dropped before its last unit */
	uint64_t dropped;             /* counted in the ledger */
	uint64_t last_seq, last_end;  /* the account of the recorder: next chunk, bytes of the last */
	struct ttc_start *start;      /* where its chunks may begin by the recorder's stream; see index.c */
	size_t nstart, capstart;
	bool ringed;                  /* and, as the ring has it, here: */
	struct ttc_start ring;
	uint64_t streamed;            /* dropped, by the recorder's stream alone */
	struct ttc_left { bool seen; uint64_t seq, at_drops; uint32_t end; } left;     /* by the files before this one */
};

enum { TTC_FORMS = 256 };

struct ttc_made { uint8_t *p; size_t n; };

struct ttc {
	struct tt_env *env;
	struct tt_src *src;
	struct tt_capture *cap;
	struct ttc_head head;
	const char *text[TTC_TEXTS];
	struct ttc_rate rate;         /* of the counter, by the instants in the file */
	uint64_t mult;                /* ns = ticks * mult >> shift, by tt_clock_ratio() */
	unsigned shift;
	bool quick;                   /* the processor gathers bits */
	bool mono;                    /* made by Mono's module, not by Unity's recorder */
	/* Begins and ends by their form, see ttc_forms: which bits of their bytes are the time and the key; bytes, 0 for other records. */
	struct { uint64_t time, key; } form[TTC_FORMS];
	uint8_t length[TTC_FORMS];
	uint32_t run32;
	uint64_t first;               /* offset of the first chunk */

	uint64_t at, seq;
	struct ttc_unit *unit;        /* the index; on input that cannot seek, what the ring adds */
	size_t nunit, capunit, next;
	_Atomic uint64_t collect;     /* key of Unity's GC.Collect; 0: not met yet */
	bool indexed, closed;
	bool found_given;             /* `found` went into the first chunk */
	bool no_ring;                 /* another file follows: what the ring has belongs after that */
	struct tt_loss found;
	struct tt_loss damage;        /* of that, what no other file changes */

	struct ttc *lead;             /* the first of the files that are read as one; itself if there is only one */
	struct ttc *then;             /* the next */
	struct ttc *now;              /* of the first: where reading is */
	uint64_t before;              /* and the bytes of the files before that */
	bool followed;                /* it goes on from the file before it */

	struct ttc_who *who;          /* in order of first meeting */
	size_t nwho, capwho;
	uint32_t *slot;               /* place in who + 1 by number; 0: none */
	size_t nslot;
	uint64_t zero_seq;            /* the next chunk of thread 0 */
	uint32_t zero_end;
	bool zero_seen;
	int finish;                   /* enum ttc_finish + 1; 0: none */
	uint64_t cut_at, cut_b;       /* the file ends inside a chunk; reported unless the ring has it whole */
	uint64_t late;                /* units that came after later ones of their thread */

	struct tt_src *ring;          /* on input that cannot seek, open from the start: later no file is in reach */
	bool has_ring;                /* it is this recording's, and has been joined */
	struct ttc_made *made;
	size_t nmade, capmade;
	uint64_t from_ring;           /* units */
	uint64_t ring_kept;           /* of a flight recording: since when the ring has all; ticks since the start */
	struct ttc_dump { uint64_t from, to; } *dump; /* records TTC_DUMP: ticks since the start */
	size_t ndump, capdump;

	struct tt_window win;
};

/* A payload being read. Reading past its end gives 0 and sets bad. */
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

/* A number, not more than there are bytes left. */
static inline size_t
ttc_count(struct ttc_take *t)
{
	uint64_t n = ttc_number(t);

	t->bad = t->bad || n > (uint64_t)(t->end - t->p);
	return t->bad ? 0 : (size_t)n;
}

/* A text: a number, and so many bytes. */
static inline const uint8_t *
ttc_text(struct ttc_take *t, size_t *n)
{
	*n = ttc_count(t);
	t->p += *n;
	return t->p - *n;
}

/* A record of thread 0, which has no others: its kind, and its fields in ${f}. False where it is damaged. */
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

/* find.c */
/* True for the head of a chunk of this recording. */
bool ttc_plausible(const struct ttc *m, const uint8_t *head);
void ttc_unit_of(struct ttc_unit *u, const uint8_t *head, uint64_t at);
/* Read a unit whole, head first, into *${p} of *${cap} bytes (grown). TT_E_DAMAGED where it is not good. */
int ttc_load(struct ttc *m, const struct ttc_unit *u, uint8_t **p, size_t *cap, struct tt_err *err);
/* The chunk at m->at, or the first one after it that can be found; m->at moves on. TT_END. */
int ttc_next_unit(struct ttc *m, struct ttc_unit *u, struct tt_loss *loss, struct tt_err *err);

/* thread_notice.c */
/* A chunk of thread 0, whose checksum is right. *${defines}: there is something for decode in it. */
int ttc_heed(struct ttc *m, const uint8_t *chunk, const struct ttc_unit *u, bool *defines, struct tt_loss *loss,
    struct tt_err *err);
/* Note a definition, ${kind} and its payload, that changes the meaning of others; see also define.c. */
void ttc_notice(struct ttc *m, unsigned kind, const uint8_t *p, const uint8_t *end);

/* index.c */
struct ttc_who *ttc_who(struct ttc *m, uint32_t number, struct tt_err *err);     /* made if new; NULL: no memory */
void ttc_free_who(struct ttc *m);
void ttc_free_made(struct ttc *m);
int ttc_start_add(struct ttc *m, struct ttc_who *w, uint64_t seq, uint32_t first, struct tt_err *err);
void ttc_drops(struct ttc_who *w, uint64_t dropped, struct tt_loss *loss);

/* How events that ${w} dropped are lost: thread 0 has those of all threads that found no place in the ring. */
static inline enum tt_loss_kind
ttc_drop_kind(const struct ttc_who *w)
{
	return w->number ? TT_LOST_DROPPED : TT_LOST_NO_PLACE;
}
/* Take a unit in order: its flags, and what they mean for the ledger. */
int ttc_admit(struct ttc *m, struct ttc_unit *u, struct tt_loss *loss, struct tt_err *err);
int ttc_unit_add(struct ttc *m, const struct ttc_unit *u, struct tt_err *err);
/* Read the whole file for its index, m->unit. */
int ttc_index(struct ttc *m, struct tt_err *err);
/* The end of the file, as far as it is one: what the ring has, whether all is there, how it ended. */
int ttc_conclude(struct ttc *m, struct tt_loss *loss, struct tt_err *err);
/* The spans of a flight recording that all threads have: into its capture. After that, and with the clock's last rate. */
int ttc_spans(struct ttc *m, struct tt_err *err);
/* Forget the ring and all that the order of chunks gave, and find it again. */
int ttc_again(struct ttc *m, struct tt_err *err);

/* join.c: open the ring the capture names, or leave m->ring NULL where there is none. */
int ttc_ring_open(struct ttc *m, struct tt_err *err);

/*
 * join.c: add what the ring has and the file has not. Nothing happens where there is no ring of this
 * recording.
 */
int ttc_join(struct ttc *m, struct tt_loss *loss, struct tt_err *err);

/* parts.c: read on in ${later}, a later file of the same recording. */
int ttc_append(void *ctx, void *later, struct tt_err *err);
/* parts.c: reading reached the end of ${m} and continues in the next file. */
int ttc_go_on(struct ttc *m, struct tt_loss *loss, struct tt_err *err);

/* hot_records.c: fill in the table of forms. */
void ttc_forms(struct ttc *m);
/* decode.c */
int ttc_decode(const struct ttc *m, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err);
/* mono_records.c: a record of Mono's recorder. */
int ttc_mono(struct tt_batch *b, int64_t ts, unsigned kind, const uint8_t *p, const uint8_t *end, struct tt_err *err);
const char *ttc_mono_name(unsigned kind);
/* A stack as words of the batch, outermost first. */
int ttc_stack(struct tt_batch *b, struct ttc_take *t, uint64_t *first, size_t *n, struct tt_err *err);
/* heap.c: its records of heap shots. */
int ttc_heap_shot(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err);
int ttc_heap_objects(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err);
int ttc_heap_roots(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err);
/* define.c: what marker definitions mean. */
int ttc_category(const struct tt_capture *cap, const struct tt_def *marker, const char **name, struct tt_err *err);
int ttc_timing(const char *counter, unsigned *late);
bool ttc_of_editor(const struct tt_def *d);
struct tt_marker_facts ttc_marker_facts(const struct tt_def *marker);
const char *const *ttc_arg_names(const struct tt_def *marker);
/* rare_records.c */
const char *ttc_tag_name(unsigned tag);

/**
 * ttc_copy(part, n, write, arg, done, err):
 * Write the capture that the ${n} readers at ${part} (opened by tt_format_ttc, on seekable input; files of one
 * recording in their order) have together, whole: with the ring's chunks, without damaged ones, and with an end.
 * For tracetool recover.
 */
struct ttc_copied { uint64_t chunks, from_ring, left_out; const char *ring; };
int ttc_copy(struct ttc *const *part, size_t n, int (*write)(void *arg, const void *p, size_t n, struct tt_err *err), void *arg,
    struct ttc_copied *done, struct tt_err *err);

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

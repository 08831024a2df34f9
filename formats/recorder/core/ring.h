/**
 * The ring, and the data that game threads and the writer share. For the recorder only: ring.c, records.c, rec_define.c and rec_labels.c run on game threads;
 * writer.h is the other side.
 *
 * Chunks circulate: free list -> a thread writes -> sealed list -> the writer -> free list. Both lists are stacks of indexes, linked outside the shared
 * memory; the free list's head carries a count against ABA, the sealed list is always taken whole. Nobody waits: a thread that finds no free chunk drops its
 * event.
 *
 * To end a recording, clear `on`, then every thread's `end`, with a barrier on all threads before and after, and wait until no `busy` is set. From then on
 * each recording function ends in rec_more(), which checks `on`.
 */
#ifndef TT_RING_H
#define TT_RING_H

#include "recorder/core/rec.h"

#define RING_LABELS       65536u      /* maximum number of labels with their own key; the table has twice as many places */
#define RING_TEXT_MAX     4000u       /* maximum bytes of a text or value */
#define RING_DEF_SPARE    8u          /* number of chunks taken ahead for definitions */
#define RING_MIN_CHUNKS        (16 + RING_DEF_SPARE)       /* minimum number of chunks of a ring */
#define RING_DEF_HEAD     16u         /* u32 length, u32 CRC, u64 ticks */

struct ring_label { _Atomic uint64_t hash, key; };

struct ring {
	struct plat_map map;
	struct ttc_ring *head;
	struct ttc_slot *slot;
	uint8_t *chunk;               /* the first chunk */
	uint32_t nslot, nchunk, chunk_size; /* number of slots and of chunks; size of a chunk */
	uint32_t stack_max, value_max;
	uint32_t run32;
	bool starts_late;             /* see rec_options */
	uint64_t zero_ticks;          /* start of the recording */
	/* By chunk: index + 1 of the next one in its list; slot of its thread. */
	_Atomic uint32_t *next_in_list;
	uint32_t *owner;
	uint32_t *count;              /* by chunk: number of events in a sealed chunk */
	_Atomic uint64_t free_list;   /* head of the free list: count << 32 | index + 1 */
	_Atomic uint32_t sealed_list; /* head of the sealed list: index + 1 of the newest chunk */
	_Atomic int32_t nfree;
	/* Chunks of definitions: index + 1 by number; the present number + 1 << 32 | offset. */
	_Atomic uint32_t *def_chunk;
	_Atomic uint32_t *def_end;    /* used bytes of each such chunk, once the next has begun */
	_Atomic uint64_t def_at;
	uint32_t def_max;             /* maximum number of chunks for definitions */
	_Atomic uint64_t ndefs_lost;
	_Atomic uint32_t nthread;     /* number of threads so far */
	_Atomic uint32_t nended;      /* number of slots of ended threads */
	_Atomic uint64_t nevents_without_slot; /* number of events of threads that found no slot */
	struct ring_label *label;
	_Atomic uint32_t nlabel;      /* number of used places in the table of labels */
	_Atomic uint64_t nlabels_without_key; /* number of zones whose label has no key, so that the text is an argument */
	_Atomic uint64_t ncut;        /* number of values cut to value_max */
	_Atomic uint64_t nleft_out;   /* number of values left out because their event had no room */
};

/* State of the library: never freed, so that late callers find it. */
struct rec_state {
	_Atomic bool on;              /* true: events are taken */
	_Atomic bool paused;          /* true: recording is paused */
	_Atomic uint32_t pauses;
	_Atomic bool forked;
	_Atomic uint64_t session;     /* number of the present or last recording */
	_Atomic uint64_t keys;        /* number of keys given so far */
	_Atomic bool dump;
	_Atomic bool sealable;        /* true: chunks of threads that end go to the writer; changed with the list of threads locked */
	struct ring ring;
	_Atomic(struct rec_thread *) threads;
};
extern struct rec_state rec_state;

static inline struct ttc_chunk *
ring_chunk(const struct ring *r, uint32_t index)
{
	return (struct ttc_chunk *)(void *)(r->chunk + (size_t)index * r->chunk_size);
}

static inline _Atomic uint64_t *
ring_commit(struct ttc_chunk *c)
{
	return (_Atomic uint64_t *)(void *)&c->commit;
}

static inline _Atomic uint32_t *
ring_slot_state(struct ttc_slot *s)
{
	return (_Atomic uint32_t *)(void *)&s->state;
}

/* Lay out the ring in r->map and make its lists. Returns 0 or -errno. Unless ${calm}, all private memory is allocated and touched as well. */
int ring_make(struct ring *r, uint32_t chunk, uint32_t nslot, bool calm);
void ring_free(struct ring *r);       /* free all but the map */

uint32_t ring_take_chunk(struct ring *r); /* index + 1 of a free chunk; 0: none */
void ring_free_chunk(struct ring *r, uint32_t index);

/* The function for plat_thread_exit_hook(). */
void ring_thread_exit(void *t);

/* --- rec_define.c --- */

/* Take another chunk for definitions, after number ${number} (0: the first). False: the ring has no more. */
bool ring_more_defs(struct ring *r, uint32_t number);
/* Define that ${t} marks frames, so that a reader that looks for frames can skip other threads' chunks. */
void ring_def_frames(struct rec_thread *t);

/* Define a label, inside a recording function. Returns its key, or 0 if there is no room. */
uint64_t ring_def_label(uint64_t owner, uint64_t category, unsigned type, const uint8_t *s, size_t n);

/* --- records, as ring.c and records.c begin and end them --- */

/* Not inlined, to keep the code that runs on game threads small. */
#define RING_CALLED __attribute__((noinline, unused))

/* Make room for ${need} bytes at t->p; inside the recording function in either case. False: no room. */
RING_CALLED static bool
ring_enter(struct rec_thread *t, uint64_t ticks, size_t need)
{
	atomic_store_explicit(&t->busy, 1, REC_BUSY_ORDER);
	atomic_signal_fence(memory_order_seq_cst);
	uint8_t *end = atomic_load_explicit(&t->end, memory_order_relaxed);
	if (end && t->p < end && need <= (size_t)(end - t->p) + REC_SMALL)
		return true;
	return rec_more(t, ticks, need > REC_SMALL ? need : REC_SMALL) != 0;
}

/*
 * Begin a record of ${kind} with a payload of at most ${most} bytes. The length before the payload takes as many bytes as ${most} needs, and is set when the
 * payload's end is known.
 */
static inline uint8_t *
ring_open_other(struct rec_thread *t, uint64_t ticks, unsigned kind, size_t most, uint8_t **length)
{
	uint8_t *p = rec_time(t, t->p, ticks, TTC_OTHER);

	*p++ = (uint8_t)kind;
	*length = p;
	return p + (most < 128 ? 1 : most < 16384 ? 2 : 3);
}

RING_CALLED static void
ring_close_other(struct rec_thread *t, uint8_t *length, size_t most, uint8_t *p)
{
	size_t width = most < 128 ? 1 : most < 16384 ? 2 : 3, n = (size_t)(p - length) - width;

	for (size_t i = 0; i + 1 < width; i++, n >>= 7)
		length[i] = (uint8_t)(n | 0x80);
	length[width - 1] = (uint8_t)(n & 0x7f);
	rec_publish(t, p);
}

/* --- records.c --- */

/* Write a record of a key and values. */
void ring_keyed(struct rec_thread *t, uint64_t ticks, unsigned kind, uint64_t key, const struct rec_value *v,
    unsigned n);

#define RING_THREAD       (sizeof(struct rec_thread) + TTC_STACK * sizeof(struct rec_zone))

/**
 * ring_detach(seal):
 * After `on` was cleared, wait until every thread has left for good; with ${seal} take over their chunks. False: a thread stayed inside for a second, so the
 * memory must be left to it.
 */
bool ring_detach(bool seal);

#endif

/**
 * Recording: what a recorder plug-in calls inside another program. Used by Unity's plug-in and by Mono's
 * module.
 *
 * One recording at a time per library. rec_open starts it: it makes the ring, touches every page of it,
 * opens the capture and starts one writer thread. From then on any thread gets its writing end with
 * rec_thread() and records with the inline functions here; those take no lock, make no system call (after a
 * thread's first event) and never wait: where the ring is full, whole events are dropped and counted for
 * their thread. An event is published when its function returns: a kill, even -9, loses none of those.
 * rec_close ends it and leaves a complete capture.
 *
 * Threads: rec_open and rec_close from one thread at a time (a mutex serialises them); all else from any
 * thread at any time, also before, between and after recordings, where it does nothing. A writing end is
 * its thread's alone. In a forked child everything does nothing.
 *
 * Signals: a handler may have interrupted any of these functions; it must use a writing end made for it
 * (rec_thread_extra), never rec_thread().
 *
 * Times are raw ticks of rec_now(), or of any counter whose ratio the options give; one that is less than the
 * thread's last is taken as equal to it.
 */
#ifndef TT_REC_H
#define TT_REC_H

#include <stdatomic.h>
#include <stdbool.h>

#include "ttc/layout.h"
#include "ttc/crc32c.h"
#include "recorder/core/platform.h"

/* --- a recording ------------------------------------------------------------ */

struct rec_meta { const char *key, *value; };

struct rec_options {
	const char *path;             /* of the capture; where a file has that name, "game.2.ttc" is made, and so on */
	bool overwrite;               /* replace that file, unless another recorder holds it */
	uint64_t record;              /* see struct ttc_head */
	const char *producer;         /* "tracetool Unity plug-in" */
	uint64_t ring;                /* bytes; 0: 32 MiB, 16 if calm. At least 16 chunks */
	uint32_t chunk;               /* bytes; 0: 64 KiB; a power of two, 4 KiB to 1 MiB */
	uint32_t threads;             /* live at once; 0: 1024 */
	uint64_t max_size;            /* stop when the capture would be longer; 0: never */
	uint64_t keep_ms;             /* flight recorder: only this much is kept, in the ring, and written by rec_dump and
	                                 rec_close; 0: everything is written. The ring bounds it too */
	uint64_t rotate_size;         /* begin another file (game.ttc, game.1.ttc, ...) at this length;
				         0: never */
	uint64_t rotate_ms;           /* ... or after this time */
	uint32_t rotate_keep;         /* files kept; 0: all */
	const struct rec_meta *meta;  /* facts known at the start, ended by a NULL key */
	bool distorts;                /* every call is instrumented: times are relative */
	bool late;                    /* threads may be inside zones when their recording begins: ends without a begin are not
	                                 recorded */
	bool no_frames;               /* rec_frame will not be called: readers need not look for frames */
	const char *ring_dir;         /* NULL: /dev/shm, else $XDG_RUNTIME_DIR, else the capture's folder */
	bool calm;                    /* few events will come: less is done for each page of the ring and each millisecond
	                                 beforehand, more at the first events */
	uint32_t poll_ms;             /* how often the writer looks; 0: 5, 40 if calm */
	uint32_t part_ms;             /* how often it writes what open chunks hold, and has it synced (fsync); 0: 800 */
	bool no_sync;                 /* do not sync: a power cut may cost more than the last second */
	/*
	 * For tests and other sinks: write ${n} bytes; how many were written, or -errno. NULL: write()
	 * to the file.
	 */
	long (*write)(void *arg, int fd, const void *p, size_t n);
	void *write_arg;
};

/**
 * rec_open(o, why):
 * Start a recording. 0, or a negative errno with one line in ${why} (256 bytes); -EBUSY where one runs.
 * Copies ${o}. ${why} may hold a warning where 0 comes back ("" if none).
 */
int rec_open(const struct rec_options *o, char why[256]);

/* The name of the present or last recording's first file. */
const char *rec_path(void);

/**
 * rec_close(why):
 * Stop recording, write all that is in the ring, end the capture cleanly and remove the ring. 0, or a
 * negative errno (also of a write that failed long before) with one line in ${why}. Threads that are inside
 * a recording function are waited for, at most a second; then the memory is left to them.
 */
int rec_close(char why[256]);

/* True if a recording runs (and has not stopped by itself). */
bool rec_on(void);

/*
 * Stop and resume taking events; definitions go on. Zones open at a pause end with their thread's last event.
 * Any thread, but not where another one may be stopped inside a recording function; a pause waits up to a second for those.
 */
void rec_pause(void);
void rec_resume(void);

/*
 * Have all that is published now written, and wait for it (not on a game thread). 0, or -ETIMEDOUT
 * after ${ms}.
 */
int rec_flush(unsigned ms);

/*
 * Flight recorder: write what the ring keeps. Returns at once; the writer does it. Any thread: one
 * atomic store.
 */
void rec_dump(void);

/* Free chunks of the ring, of *${total}; for recorders that can wait. 0 of 0 where nothing is recorded. */
uint32_t rec_room(uint32_t *total);

struct rec_stats {
	bool on;                      /* recording */
	int error;                    /* errno that stopped it, or 0 */
	enum ttc_finish finish;       /* why it stopped by itself */
	uint64_t written_b;           /* bytes written to captures */
	uint64_t synced_b;            /* of these so many are on the disk */
	uint64_t dropped;             /* events, all threads; ... */
	uint64_t no_place;            /* ... of these, those of threads there was no place for (rec_options.threads) */
	uint64_t chunks, parts;       /* chunks and parts written */
	uint64_t writer_ns;           /* processor time of the writer thread */
	uint32_t free, total;         /* chunks of the ring */
	uint32_t threads;             /* live */
	uint64_t defs_lost;           /* definitions there was no room for */
	uint64_t files;               /* of the rotation, so far */
	uint64_t number;              /* of the recording in this process, 1 up */
	uint64_t events;              /* in the capture by now; events in open chunks, at most a second's, are not counted yet */
};
void rec_stats(struct rec_stats *s);

/* --- definitions: any thread; copied; they may take a few microseconds --------- */

/*
 * Every function gives a key for the events, never 0 and never given twice in a process, or 0 where nothing
 * is recorded or there is no room. Keys of an earlier recording must not be used in a later one: define
 * again. Texts are UTF-8 and cut at 4,000 bytes; NULL is "".
 */
uint64_t rec_def_category(uint64_t native, uint32_t rgba, const char *name);
uint64_t rec_def_marker(uint64_t category, uint64_t native, uint32_t flags, const char *name);
/*
 * As rec_def_marker under a key of the caller's (Mono: the method's address). Do not mix the two in
 * one recording.
 */
void rec_def_marker_as(uint64_t key, uint64_t category, uint64_t native, uint32_t flags, const char *name);
/*
 * More about a marker whose events are counters: unit as Unity counts them (0 none, 1 ns, 2 bytes, 3
 * count, 4 %, 5 Hz).
 */
void rec_def_counter(uint64_t marker, unsigned unit, const char *section);
/* What else a managed runtime has: ${key} and ${of} are the caller's. */
void rec_def_object(enum ttc_object what, uint64_t key, uint64_t of, const char *text, const char *text2);
/* A class in a domain: allocations and objects can name it in the class's place. */
void rec_def_vtable(uint64_t key, uint64_t of_class, uint64_t domain);
/* What the arguments of zones of ${marker} are called, each name ended by a NUL: ${n} bytes. An empty name is none. */
void rec_def_args(uint64_t marker, const char *names, size_t n);
/* A thread's name; ${native} is joined with the id a thread has in rec_thread(). The newest wins. */
void rec_def_thread(uint64_t native, const char *group, const char *name);
/* A fact about the capture, now: scene changes, tags. */
void rec_meta(const char *key, const char *value);

/* --- a thread's writing end ------------------------------------------------------ */

struct rec_zone {
	uint64_t key;                 /* in the capture */
	uint64_t match;               /* what its end is called with: of a label, the owner */
};

/* The fields are for the inline functions here and the recorder alone. */
struct rec_thread {
	uint8_t *p;                   /* next record */
	_Atomic(uint8_t *) end;       /* a record of up to REC_SMALL bytes fits where p is before this;
				         NULL: no chunk */
	uint8_t *body;
	_Atomic uint64_t *commit;
	uint64_t ticks, key, alloc_key;
	uint64_t events;              /* in this chunk */
	struct rec_zone *zone;        /* the open zones */
	uint32_t crc;                 /* running, not inverted */
	uint32_t depth;
	_Atomic uint32_t busy;        /* inside a recording function */
	uint32_t slot;                /* index in the ring */
	/* the slow path's */
	uint64_t made, dropped;       /* events before this chunk; dropped */
	uint64_t seq, session, native;
	uint64_t framed;              /* the session whose producer knows that it marks frames */
	uint32_t before, chunk;       /* record bytes in the chunk before; index + 1 of the present one */
	uint32_t zone_max, pauses;
	uint8_t extra, ended;
	bool was_out;                 /* of who waits for all threads */
	struct rec_thread *next;      /* all of them */
};
#define REC_SMALL 32u
#define REC_VALUES 100u               /* in one event */

/**
 * rec_thread():
 * The calling thread's writing end, made at its first call (that one allocates); NULL where nothing is
 * recorded or there is no memory. Released by itself when the thread exits. Valid as long as the thread
 * runs, across recordings; still, ask each time.
 */
static inline struct rec_thread *rec_thread(void);

/*
 * Another writing end for the calling thread, for its signal handlers; NULL as above. The caller
 * releases it.
 */
struct rec_thread *rec_thread_extra(void);
void rec_thread_release(struct rec_thread *t);

/* Call ${gone} with the id of each thread that had a writing end when it exits, recording or not. At most one function. */
void rec_on_thread_exit(void (*gone)(uint64_t native));

/* --- events: the thread's own ------------------------------------------------------ */

/* A typed value, laid out as Unity's marker data: an array of those can be passed as it is. */
struct rec_value {
	uint8_t type;                 /* enum ttc_type; what is unknown is kept as bytes */
	uint8_t zero8;
	uint16_t zero16;
	uint32_t size;                /* bytes at p; trusted, cut at 4,000 */
	const void *p;
};

static inline void rec_begin(struct rec_thread *t, uint64_t ticks, uint64_t key);
/*
 * An end without a begin is recorded as one and counted by the reader; an end further out closes what
 * is inside.
 */
static inline void rec_end(struct rec_thread *t, uint64_t ticks, uint64_t key);
/* An allocation of ${bytes}; ${key} is a marker's (GC.Alloc) or a class's. */
static inline void rec_alloc(struct rec_thread *t, uint64_t ticks, uint64_t key, uint64_t bytes);

void rec_begin_args(struct rec_thread *t, uint64_t ticks, uint64_t key, const struct rec_value *v, unsigned n);
void rec_single(struct rec_thread *t, uint64_t ticks, uint64_t key, const struct rec_value *v, unsigned n);
void rec_alloc_args(struct rec_thread *t, uint64_t ticks, uint64_t key, uint64_t bytes, const struct rec_value *v,
    unsigned n);
/* The counter (marker) ${key} has the value ${v}. */
void rec_counter(struct rec_thread *t, uint64_t ticks, uint64_t key, const struct rec_value *v);
/* A flow: ${type} is 0 begin, 1 parallel next, 2 end, 3 sequential next. */
void rec_flow(struct rec_thread *t, uint64_t ticks, unsigned type, uint64_t id);
/* A frame begins; ${number} is the program's own count, or 0. */
void rec_frame(struct rec_thread *t, uint64_t ticks, uint64_t number);

/**
 * rec_label(t, ticks, owner, category, v, args, n):
 * A zone named by the text ${v} (TTC_TEXT8 or TTC_TEXT16; trailing NULs do not count) begins; it ends by
 * rec_end(..., ${owner}). The first use of a text defines it; later ones cost little more than a plain begin.
 * ${category} is a category's key or 0: the owner's.
 */
void rec_label(struct rec_thread *t, uint64_t ticks, uint64_t owner, uint64_t category, const struct rec_value *v,
    const struct rec_value *args, unsigned n);

/* A zone with flags (8: goes on after an interruption). */
void rec_begin_flags(struct rec_thread *t, uint64_t ticks, uint64_t key, unsigned flags);
/* An end with flags (1: left by an exception). */
void rec_end_flags(struct rec_thread *t, uint64_t ticks, uint64_t key, unsigned flags);
/*
 * Any record of enum ttc_kind 16 to 63: ${n} bytes of payload, at most 4,000; as long as it is one
 * event it may hold anything.
 */
void rec_other(struct rec_thread *t, uint64_t ticks, unsigned kind, const void *payload, size_t n);

/* --- inside --------------------------------------------------------------------------- */

struct rec_thread *rec_thread_slow(void);
/* Get a chunk with room for a record; 0: there is none, the event is to be dropped. */
int rec_more(struct rec_thread *t, uint64_t ticks, size_t need);
/* Count an event that has no room, and leave. */
void rec_drop(struct rec_thread *t);
void rec_end_slow(struct rec_thread *t, uint64_t ticks, uint64_t key, unsigned flags);
void rec_deep(struct rec_thread *t, uint64_t key, uint64_t match);

#if defined(_WIN32)
extern unsigned long rec_tls;
struct rec_thread *rec_tls_get(void);
static inline struct rec_thread *
rec_thread(void)
{
	struct rec_thread *t = rec_tls_get();

	return t ? t : rec_thread_slow();
}
#else
extern __thread struct rec_thread *rec_self;
static inline struct rec_thread *
rec_thread(void)
{
	struct rec_thread *t = rec_self;

	return t ? t : rec_thread_slow();
}
#endif

/* Enter; is there room for a small record? */
static inline bool
rec_enter(struct rec_thread *t, uint64_t ticks)
{
	atomic_store_explicit(&t->busy, 1, REC_BUSY_ORDER);
	atomic_signal_fence(memory_order_seq_cst);
	return __builtin_expect(t->p < atomic_load_explicit(&t->end, memory_order_relaxed), 1) ||
	    rec_more(t, ticks, REC_SMALL);
}

static inline void
rec_leave(struct rec_thread *t)
{
	atomic_store_explicit(&t->busy, 0, memory_order_release);
}

/* The record ends at ${p}: publish it. */
static inline void
rec_publish(struct rec_thread *t, uint8_t *p)
{
	uint64_t length = (uint64_t)(p - t->body);

	t->crc = tt_crc32c_run(t->crc, t->p, (size_t)(p - t->p));
	t->p = p;
	t->events++;
	atomic_store_explicit(t->commit, length | (uint64_t)(uint32_t)~t->crc << 32, memory_order_release);
	rec_leave(t);
}

/* The time of a record and its low bits. */
static inline uint8_t *
rec_time(struct rec_thread *t, uint8_t *p, uint64_t ticks, unsigned op)
{
	uint64_t d = ticks > t->ticks ? ticks - t->ticks : 0;

	d &= UINT64_MAX >> 2;         /* longer than any program runs */
	t->ticks += d;
	return ttc_put(p, d << 2 | op);
}

/*
 * A record of up to eight bytes, put together in a register: stored once, and its checksum reads back no
 * bytes just written one by one, for which the processor would wait until they have left its store queue
 * (0.6 ns of a pair's 18.6).
 */
struct rec_word {
	uint64_t w;
	unsigned bits;
};

static inline __attribute__((always_inline)) struct rec_word
rec_word_put(struct rec_word r, uint64_t v)
{
	if (__builtin_expect(v < 1u << 14, 1)) {
		unsigned two = v >= 0x80;     /* no branch: lengths of neighbours have no order */

		r.w |= ((v & 0x7f) | two << 7 | (v & ~(uint64_t)0x7f) << 1) << r.bits;
		r.bits += 8 + 8 * two;
		return r;
	}
	while (v >= 0x80) {
		r.w |= ((v & 0x7f) | 0x80) << r.bits;
		r.bits += 8;
		v >>= 7;
	}
	r.w |= v << r.bits;
	r.bits += 8;
	return r;
}

/*
 * The time ${d} and an operation: two bytes or more. Where the next record goes then does not wait for this one's time,
 * nor is a branch mispredicted at the few nanoseconds that one byte could tell. Hardly any time in a game is that short.
 */
static inline __attribute__((always_inline)) struct rec_word
rec_word_time(uint64_t d, unsigned op)
{
	uint64_t v = d << 2 | op;

	if (__builtin_expect(v < 1u << 14, 1))
		return (struct rec_word){ (v & 0x7f) | 0x80 | (v & ~(uint64_t)0x7f) << 1, 16 };
	return rec_word_put((struct rec_word){ 0, 0 }, v);
}

/* True if the time ${d} with its two bits and ${z} fit. */
static inline bool
rec_word_fits(uint64_t d, uint64_t z)
{
	return (d < 1u << 19 && z < 1ull << 35) || (d < 1u << 26 && z < 1u << 28);
}

static inline uint64_t
rec_since(const struct rec_thread *t, uint64_t ticks)
{
	return ticks > t->ticks ? ticks - t->ticks : 0;
}

/*
 * Publish it; eight bytes are stored whatever its length. The complement is taken of what does not wait for the checksum:
 * a system's clock lets nothing overtake it, so every cycle between two of them counts.
 */
static inline __attribute__((always_inline)) void
rec_publish_word(struct rec_thread *t, struct rec_word r)
{
	uint8_t *p = t->p;

	memcpy(p, &r.w, 8);
	t->crc = tt_crc32c_bits(t->crc, r.w, r.bits, p);
	p += r.bits / 8;
	t->p = p;
	t->events++;
	atomic_store_explicit(t->commit, (uint64_t)t->crc << 32 ^ ((uint64_t)(p - t->body) | 0xffffffff00000000u),
	    memory_order_release);
	rec_leave(t);
}

static inline void
rec_push(struct rec_thread *t, uint64_t key, uint64_t match)
{
	if (__builtin_expect(t->depth < t->zone_max, 1))
		t->zone[t->depth++] = (struct rec_zone){ key, match };
	else
		rec_deep(t, key, match);
}

/* Entered, with room. */
static inline __attribute__((always_inline)) void
rec_begin_at(struct rec_thread *t, uint64_t ticks, uint64_t key)
{
	uint64_t d = rec_since(t, ticks), z = ttc_zig(key - t->key);

	t->key = key;
	if (__builtin_expect(rec_word_fits(d, z), 1)) {
		t->ticks += d;
		rec_publish_word(t, rec_word_put(rec_word_time(d, TTC_BEGIN), z));
		return;
	}
	rec_publish(t, ttc_put(rec_time(t, t->p, ticks, TTC_BEGIN), z));
}

static inline void
rec_begin(struct rec_thread *t, uint64_t ticks, uint64_t key)
{
	if (!rec_enter(t, ticks)) {
		rec_push(t, key, key);
		rec_drop(t);
		return;
	}
	rec_push(t, key, key);
	rec_begin_at(t, ticks, key);
}

static inline void
rec_end(struct rec_thread *t, uint64_t ticks, uint64_t key)
{
	/* Room first: that may begin a recording, where nothing is open. */
	if (!rec_enter(t, ticks) || t->depth - 1 >= t->zone_max || t->zone[t->depth - 1].match != key) {
		rec_end_slow(t, ticks, key, 0);
		return;
	}
	t->depth--;
	uint64_t d = rec_since(t, ticks);
	if (__builtin_expect(d < 1ull << 54, 1)) {
		t->ticks += d;
		rec_publish_word(t, rec_word_time(d, TTC_END));
		return;
	}
	rec_publish(t, rec_time(t, t->p, ticks, TTC_END));
}

static inline void
rec_alloc(struct rec_thread *t, uint64_t ticks, uint64_t key, uint64_t bytes)
{
	uint8_t *p;

	if (!rec_enter(t, ticks)) {
		rec_drop(t);
		return;
	}
	uint64_t d = rec_since(t, ticks), z = ttc_zig(key - t->alloc_key);
	t->alloc_key = key;
	if (__builtin_expect(d < 1u << 19 && z < 1u << 14 && bytes < 1u << 21, 1)) {
		struct rec_word r = rec_word_time(d, TTC_ALLOC);
		t->ticks += d;
		rec_publish_word(t, rec_word_put(rec_word_put(r, z), bytes));
		return;
	}
	p = ttc_put(rec_time(t, t->p, ticks, TTC_ALLOC), z);
	rec_publish(t, ttc_put(p, bytes));
}

#endif

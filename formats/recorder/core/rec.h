/**
 * Recording: the functions that a recorder plug-in calls inside another program. Used by Unity's plug-in and by Mono's module.
 *
 * There is one recording at a time in a library. rec_open starts it: it makes the ring, touches every page of it, opens the capture and starts one writer
 * thread. From then on any thread gets its writing end with rec_thread() and records with the inline functions here. These take no lock, make no system call
 * (after a thread's first event) and never wait: if the ring is full, whole events are dropped and counted for their thread. An event is published when its
 * function returns: a kill, even -9, loses no published event. rec_close ends the recording and completes the capture.
 *
 * Threads: rec_open and rec_close from one thread at a time (a mutex serialises them); everything else from any thread at any time; before, between and after
 * recordings it does nothing. A writing end belongs to its thread alone. In a forked child everything does nothing.
 *
 * Signals: a handler may interrupt any of these functions, so it must use a writing end made for it (rec_thread_extra), never rec_thread().
 *
 * Times are raw ticks of rec_now(), or of any counter whose ratio the options give; a time before the thread's last one counts as equal to it.
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
	const char *path;             /* path of the capture; if it exists, "game.2.ttc" is made, and so on */
	bool overwrite;               /* true: replace an existing file, unless another recorder holds it */
	uint64_t record;              /* see struct ttc_head */
	const char *producer;         /* "tracetool Unity plug-in" */
	uint64_t ring;                /* bytes of the ring; 0: 32 MiB, 16 MiB if calm. At least 16 chunks */
	uint32_t chunk;               /* bytes of a chunk; 0: 64 KiB; a power of two, 4 KiB to 1 MiB */
	uint32_t threads;             /* maximum number of threads alive at once; 0: 1024 */
	uint64_t max_size;            /* bytes that the capture must not exceed; 0: no limit */
	uint64_t keep_ms;             /* flight recorder: only this much is kept, in the ring, and written by rec_dump and
	                                 rec_close; 0: everything is written. The ring bounds it too */
	uint64_t rotate_size;         /* bytes at which another file (game.ttc, game.1.ttc, ...) begins; 0: never */
	uint64_t rotate_ms;           /* ms after which another file begins; 0: never */
	uint32_t rotate_keep;         /* number of files kept; 0: all */
	const struct rec_meta *meta;  /* facts known at the start, ended by a NULL key */
	bool distorts;                /* true: every call is instrumented, so times are relative */
	bool late;                    /* threads may be inside zones when their recording begins: ends without a begin are not
	                                 recorded */
	bool no_frames;               /* rec_frame will not be called: readers need not look for frames */
	bool ends_stuck_crash;        /* true: end the process if its crash handler hangs: plat_end_stuck_crash() */
	const char *ring_dir;         /* NULL: /dev/shm, else $XDG_RUNTIME_DIR, else the capture's folder */
	bool calm;                    /* few events will come: less is done for each page of the ring and each millisecond
	                                 beforehand, more at the first events */
	uint32_t poll_ms;             /* interval of the writer's passes; 0: 5, 40 if calm */
	uint32_t part_ms;             /* interval of writing open chunks and syncing them (fsync); 0: 800 */
	bool no_sync;                 /* true: do not sync; a power cut may cost more than the last second */
	/* For tests and other sinks: write ${n} bytes; return how many were written, or -errno. NULL: write() to the file. */
	long (*write)(void *arg, int fd, const void *p, size_t n);
	void *write_arg;
};

/**
 * rec_open(o, why):
 * Start a recording. Returns 0, or a negative errno with one line in ${why} (256 bytes); -EBUSY if one is running. Copies ${o}. If it returns 0, ${why} holds
 * a warning or "".
 */
int rec_open(const struct rec_options *o, char why[256]);

/* Return the name of the first file of the present or last recording. */
const char *rec_path(void);

/**
 * rec_close(why):
 * Stop recording, write everything in the ring, end the capture cleanly and remove the ring. Returns 0, or a negative errno (also of an earlier write) with
 * one line in ${why}. Waits up to a second for threads inside a recording function; if one stays, the memory is left to it.
 */
int rec_close(char why[256]);

/* True if a recording is running and has not stopped by itself. */
bool rec_on(void);

/*
 * Stop and resume taking events; definitions continue. Zones open at a pause end with their thread's last event.
 * Any thread may call these, but not while another one may be suspended inside a recording function; a pause waits up to a second for such threads.
 */
void rec_pause(void);
void rec_resume(void);

/* Write everything published so far, and wait until it is written (not on a game thread). Returns 0, or -ETIMEDOUT after ${ms}. */
int rec_flush(unsigned ms);

/* Flight recorder: let the writer write what the ring holds. Returns at once. Any thread: one atomic store. */
void rec_dump(void);

/* Return the number of free chunks of the ring, of *${total}, for recorders that can wait. Both are 0 if nothing is recorded. */
uint32_t rec_room(uint32_t *total);

struct rec_stats {
	bool on;                      /* true: recording */
	int error;                    /* errno that stopped the recording, or 0 */
	enum ttc_finish finish;       /* why the recording stopped by itself */
	uint64_t written_b;           /* bytes written to captures */
	uint64_t synced_b;            /* bytes of these that are on disk */
	uint64_t dropped;             /* number of events dropped by all threads */
	uint64_t no_place;            /* number of dropped events of threads that found no slot (rec_options.threads) */
	uint64_t chunks, parts;       /* chunks and parts written */
	uint64_t writer_ns;           /* processor time of the writer thread */
	uint32_t free, total;         /* number of chunks of the ring */
	uint32_t threads;             /* number of threads alive */
	uint64_t defs_lost;           /* number of definitions for which there was no room */
	bool held_less;               /* true: a flight recorder's dump had less than keep_ms, because its ring was full */
	uint64_t held_ms, room_b;     /* in that case: minimum ms that a dump had; approximate bytes of a ring with room for all */
	uint64_t files;               /* number of files of the rotation so far */
	uint64_t number;              /* number of the recording in this process, from 1 */
	uint64_t events;              /* number of events in the capture so far; events of about the last second, in open chunks, are not counted yet */
};
void rec_stats(struct rec_stats *s);

/* --- definitions: any thread; copied; they may take a few microseconds --------- */

/*
 * Each function returns a key for events, never 0 and never given twice in a process; 0 means that nothing is recorded or there is no room. Keys of an
 * earlier recording must not be used in a later one: define again. Texts are UTF-8, cut at 4,000 bytes; NULL is "".
 */
uint64_t rec_def_category(uint64_t native, uint32_t rgba, const char *name);
uint64_t rec_def_marker(uint64_t category, uint64_t native, uint32_t flags, const char *name);
/* As rec_def_marker(), with the caller's key (Mono: the method's address). Use only one of the two functions in a recording. */
void rec_def_marker_as(uint64_t key, uint64_t category, uint64_t native, uint32_t flags, const char *name);
/* Define that a marker's events are values of a counter, by the marker's ${name}. ${unit} as in Unity (0 none, 1 ns, 2 bytes, 3 count, 4 %, 5 Hz). */
void rec_def_counter(uint64_t marker, unsigned unit, const char *name, const char *section);
/* Define another object of a managed runtime; ${key} and ${of} are the caller's. */
void rec_def_object(enum ttc_object what, uint64_t key, uint64_t of, const char *text, const char *text2);
/* Define a class in a domain; allocations and objects may name it instead of the class. */
void rec_def_vtable(uint64_t key, uint64_t of_class, uint64_t domain);
/* Define the names of the arguments of ${marker}'s zones, each ended by a NUL, ${n} bytes. An empty name means none. */
void rec_def_args(uint64_t marker, const char *names, size_t n);
/* Define a thread's name; ${native} is the thread's id in rec_thread(). The newest name counts. */
void rec_def_thread(uint64_t native, const char *group, const char *name);
/* Set a fact about the capture, as of now: scene changes, tags. */
void rec_meta(const char *key, const char *value);

/* --- a thread's writing end ------------------------------------------------------ */

struct rec_zone {
	uint64_t key;                 /* key in the capture */
	uint64_t match;               /* the key with which the zone's end is called: for a label, its owner's */
};

/* The fields are only for the inline functions here and the recorder itself. */
struct rec_thread {
	uint8_t *p;                   /* place of the next record */
	_Atomic(uint8_t *) end;       /* a record of up to REC_SMALL bytes fits where p is before this;
				         NULL: no chunk */
	uint64_t lift;                /* added to the address of a record's end, it gives the record's length in the low half and ones above */
	_Atomic uint64_t *commit;
	uint64_t ticks, key;
	struct rec_zone *zone;        /* open zones */
	uint64_t events;              /* number of events in this chunk */
	uint32_t crc;                 /* running checksum, not inverted */
	uint32_t depth;
	uint32_t zone_max;
	_Atomic uint32_t busy;        /* 1 while inside a recording function */
	uint64_t alloc_key;
	uint8_t *body;
	uint32_t slot;                /* index of its slot in the ring */
	/* For the slow path. */
	uint64_t made, dropped;       /* events before this chunk; dropped events */
	uint64_t seq, session, native;
	uint64_t framed;              /* session in which it was defined that the thread marks frames */
	uint32_t before, chunk;       /* bytes of records in the previous chunk; index + 1 of the present chunk */
	uint32_t pauses;
	uint8_t extra;
	bool was_out;                 /* for a thread that waits until all others are outside: true if this one was seen outside */
	struct rec_thread *next;      /* list of all writing ends */
};
#define REC_SMALL 32u
#define REC_VALUES 100u               /* maximum number of values of an event */

/**
 * rec_thread():
 * Return the calling thread's writing end, made at its first call (which allocates); NULL if nothing is recorded or there is no memory. It is released when
 * the thread exits. It stays valid while the thread runs, across recordings; nevertheless, call the function each time.
 */
static inline struct rec_thread *rec_thread(void);

/* Return another writing end for the calling thread, for its signal handlers; NULL as in rec_thread(). The caller releases it. */
struct rec_thread *rec_thread_extra(void);
void rec_thread_release(struct rec_thread *t);

/* Call ${gone} with the id of each thread that had a writing end when it exits, whether recording or not. At most one function. */
void rec_on_thread_exit(void (*gone)(uint64_t native));

/* --- events: the thread's own ------------------------------------------------------ */

/* A typed value with the layout of Unity's marker data, so that an array of these can be passed unchanged. */
struct rec_value {
	uint8_t type;                 /* enum ttc_type; a value of an unknown type is kept as bytes */
	uint8_t zero8;
	uint16_t zero16;
	uint32_t size;                /* bytes at p; trusted, cut at 4,000 */
	const void *p;
};

static inline void rec_begin(struct rec_thread *t, uint64_t ticks, uint64_t key);
/* Record an end. An end without a begin is recorded as such, and the reader counts it; the end of an outer zone closes those inside. */
static inline void rec_end(struct rec_thread *t, uint64_t ticks, uint64_t key);
/* Record an allocation of ${bytes}; ${key} is a marker's (GC.Alloc) or a class's. */
static inline void rec_alloc(struct rec_thread *t, uint64_t ticks, uint64_t key, uint64_t bytes);

void rec_begin_args(struct rec_thread *t, uint64_t ticks, uint64_t key, const struct rec_value *v, unsigned n);
void rec_single(struct rec_thread *t, uint64_t ticks, uint64_t key, const struct rec_value *v, unsigned n);
void rec_alloc_args(struct rec_thread *t, uint64_t ticks, uint64_t key, uint64_t bytes, const struct rec_value *v,
    unsigned n);
/* Record that the counter (marker) ${key} has the value ${v}. */
void rec_counter(struct rec_thread *t, uint64_t ticks, uint64_t key, const struct rec_value *v);
/* Record a flow: ${type} is 0 begin, 1 parallel next, 2 end, 3 sequential next. */
void rec_flow(struct rec_thread *t, uint64_t ticks, unsigned type, uint64_t id);
/* Record that a frame begins; ${number} is the program's own count, or 0. */
void rec_frame(struct rec_thread *t, uint64_t ticks, uint64_t number);

/**
 * rec_label(t, ticks, owner, category, v, args, n):
 * Record the begin of a zone named by the text ${v} (TTC_TEXT8 or TTC_TEXT16; trailing NULs do not count); it ends by rec_end(..., ${owner}). The first use of
 * a text defines it; later ones cost little more than a plain begin. ${category}: the key of a category, or 0 for the owner's.
 */
void rec_label(struct rec_thread *t, uint64_t ticks, uint64_t owner, uint64_t category, const struct rec_value *v,
    const struct rec_value *args, unsigned n);

/* Record a begin with flags (8: continues after an interruption). */
void rec_begin_flags(struct rec_thread *t, uint64_t ticks, uint64_t key, unsigned flags);
/* Record an end with flags (1: left by an exception). */
void rec_end_flags(struct rec_thread *t, uint64_t ticks, uint64_t key, unsigned flags);
/* Record any record of enum ttc_kind 16 to 63: one event, with ${n} bytes of payload of any kind, at most 4,000. */
void rec_other(struct rec_thread *t, uint64_t ticks, unsigned kind, const void *payload, size_t n);

/* --- inside --------------------------------------------------------------------------- */

struct rec_thread *rec_thread_slow(void);
/* Get a chunk with room for a record; 0: there is none, so the event must be dropped. */
int rec_more(struct rec_thread *t, uint64_t ticks, size_t need);
/* Count an event for which there is no room, and leave. */
void rec_drop(struct rec_thread *t);
/* Record these events if there is no room, or more must be done. */
void rec_begin_slow(struct rec_thread *t, uint64_t ticks, uint64_t key);
void rec_end_slow(struct rec_thread *t, uint64_t ticks, uint64_t key, unsigned flags);
void rec_alloc_slow(struct rec_thread *t, uint64_t ticks, uint64_t key, uint64_t bytes);
void rec_deep(struct rec_thread *t);
/* Records whose key, and whose time with operation, are below this take two bytes for each, and are written inline with the fewest instructions. */
#define REC_SHORT (1u << 14)
/* Compute ${x} before the operation that uses it: prevents the compiler from reordering the terms. */
#define REC_FIRST(x) __asm__("" : "+r"(x))
/* Begin or end a zone whose time or key is longer. ${z}: the key as it is written. */
void rec_begin_long(struct rec_thread *t, uint64_t ticks, uint64_t z);
void rec_end_long(struct rec_thread *t, uint64_t ticks);

#if defined(_WIN32)
extern unsigned long rec_tls;
struct rec_thread *rec_tls_get(void);
#else
extern __thread REC_NEAR struct rec_thread *rec_self;
#endif

/* Return the calling thread's writing end, if it has one. */
static inline struct rec_thread *
rec_thread_made(void)
{
#if defined(_WIN32)
	return rec_tls_get();
#else
	return rec_self;
#endif
}

static inline struct rec_thread *
rec_thread(void)
{
	struct rec_thread *t = rec_thread_made();

	return t ? t : rec_thread_slow();
}

/* Enter a recording function. True if the chunk has room for a small record. */
static inline bool
rec_enter(struct rec_thread *t)
{
	atomic_store_explicit(&t->busy, 1, REC_BUSY_ORDER);
	atomic_signal_fence(memory_order_seq_cst);
	return t->p < atomic_load_explicit(&t->end, memory_order_relaxed);
}

static inline void
rec_leave(struct rec_thread *t)
{
	atomic_store_explicit(&t->busy, 0, memory_order_release);
}

/* Publish the record that ends at ${p}. */
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

/* Write the time of a record with its operation in the low bits. */
static inline uint8_t *
rec_time(struct rec_thread *t, uint8_t *p, uint64_t ticks, unsigned op)
{
	uint64_t d = ticks > t->ticks ? ticks - t->ticks : 0;

	d &= UINT64_MAX >> 2;         /* longer than any program runs */
	t->ticks += d;
	return ttc_put(p, d << 2 | op);
}

/*
 * A record of up to eight bytes, composed in a register and stored at once. So its checksum need not read back bytes that were just written one by one, for
 * which the processor would wait until they have left its store queue (0.6 ns of a pair's 18.6).
 */
struct rec_word {
	uint64_t w;
	unsigned bits;
};

static inline __attribute__((always_inline)) struct rec_word
rec_word_put(struct rec_word r, uint64_t v)
{
	if (__builtin_expect(v < 1u << 14, 1)) {
		unsigned two = v >= 0x80;     /* no branch, as the lengths of consecutive numbers are unpredictable */

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
 * Publish a record of ${n} bytes, always stored as eight; its checksum is ${early} ^ ${late}. Reading a system's clock is not overlapped with other
 * instructions, so every cycle counts by which the publishing store waits longer for the time: whatever does not depend on the time is combined first.
 */
static inline __attribute__((always_inline)) void
rec_publish_sum(struct rec_thread *t, uint64_t w, unsigned n, uint32_t early, uint64_t late)
{
	uint8_t *p = t->p;
	uint64_t sum = (uint64_t)early << 32 ^ ((uintptr_t)(p + n) + t->lift);

	REC_FIRST(sum);
	memcpy(p, &w, 8);
	t->p = p + n;
	t->events++;
	t->crc = (uint32_t)late ^ early;
	atomic_store_explicit(t->commit, sum ^ late << 32, memory_order_release);
	rec_leave(t);
}

/*
 * Return the time with its operation in the low bits, computed by one step from ${ticks}; if it is before the last record's, the result exceeds any real one.
 */
static inline __attribute__((always_inline)) uint64_t
rec_stamp(const struct rec_thread *t, uint64_t ticks, unsigned op)
{
	uint64_t from = op - 4 * t->ticks;

	REC_FIRST(from);
	return from + 4 * ticks;
}

/* True if a record with these can be written with the fewest instructions. */
static inline bool
rec_short(uint64_t stamp, uint64_t z)
{
	return stamp < REC_SHORT && z < REC_SHORT && tt_crc32c_fast;
}

/*
 * Publish a record with a short ${stamp}, in two bytes, followed by ${rest}, ${bits} in all. A checksum is linear, so that of the rest is computed before the
 * time is known; a record of two bytes needs one instruction.
 */
static inline __attribute__((always_inline)) void
rec_publish_stamp(struct rec_thread *t, uint64_t stamp, uint64_t rest, unsigned bits)
{
	uint64_t time = stamp + (stamp & ~(uint64_t)0x7f), known = rest << 16 | 0x80;
	uint32_t run = t->crc;

	if (__builtin_constant_p(bits) && bits == 16)
		rec_publish_sum(t, time | known, 2, 0, tt_crc32c_half(run ^ 0x80, time));
	else
		rec_publish_sum(t, time | known, bits / 8, (uint32_t)(tt_crc32c_word(0, (known ^ run) << (64 - bits)) ^ (uint64_t)run >> bits),
		    tt_crc32c_word(0, time << (64 - bits)));
}

static inline void
rec_push(struct rec_thread *t, uint64_t key, uint64_t match)
{
	if (__builtin_expect(t->depth < t->zone_max, 1))
		t->zone[t->depth++] = (struct rec_zone){ key, match };
	else
		rec_deep(t);
}

/* Begin a zone, after entering, with room for the record. */
static inline __attribute__((always_inline)) void
rec_begin_at(struct rec_thread *t, uint64_t ticks, uint64_t key)
{
	uint64_t stamp = rec_stamp(t, ticks, TTC_BEGIN), z = ttc_zig(key - t->key);

	t->key = key;
	if (__builtin_expect(rec_short(stamp, z), 1)) {
		struct rec_word r = rec_word_put((struct rec_word){ 0, 0 }, z);
		t->ticks = ticks;
		rec_publish_stamp(t, stamp, r.w, 16 + r.bits);
		return;
	}
	rec_begin_long(t, ticks, z);
}

/* These call functions only at their ends, so that compilers can keep everything in registers that need not be saved. */
static inline void
rec_begin(struct rec_thread *t, uint64_t ticks, uint64_t key)
{
	if (__builtin_expect(rec_enter(t) && t->depth < t->zone_max, 1)) {
		t->zone[t->depth++] = (struct rec_zone){ key, key };
		rec_begin_at(t, ticks, key);
		return;
	}
	rec_begin_slow(t, ticks, key);
}

static inline void
rec_end(struct rec_thread *t, uint64_t ticks, uint64_t key)
{
	if (__builtin_expect(rec_enter(t) && t->depth - 1 < t->zone_max && t->zone[t->depth - 1].match == key, 1)) {
		uint64_t stamp = rec_stamp(t, ticks, TTC_END);
		t->depth--;
		if (__builtin_expect(rec_short(stamp, 0), 1)) {
			t->ticks = ticks;
			rec_publish_stamp(t, stamp, 0, 16);
			return;
		}
		rec_end_long(t, ticks);
		return;
	}
	rec_end_slow(t, ticks, key, 0);
}

static inline void
rec_alloc(struct rec_thread *t, uint64_t ticks, uint64_t key, uint64_t bytes)
{
	uint64_t stamp = rec_stamp(t, ticks, TTC_ALLOC), z = ttc_zig(key - t->alloc_key);

	if (__builtin_expect(rec_enter(t) && rec_short(stamp, z) && bytes < 1u << 21, 1)) {
		struct rec_word r = rec_word_put(rec_word_put((struct rec_word){ 0, 0 }, z), bytes);
		t->alloc_key = key;
		t->ticks = ticks;
		rec_publish_stamp(t, stamp, r.w, 16 + r.bits);
		return;
	}
	rec_alloc_slow(t, ticks, key, bytes);
}

#endif

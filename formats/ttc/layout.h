/**
 * Layout of captures (.ttc), and of the ring in shared memory from which they are written, to the byte.
 *
 * Writer, reader and the manual page tracetool-capture(5) agree through this file. libc only: recorders include it in other people's programs. Every integer
 * is little-endian.
 *
 * A capture is a file header and chunks. A chunk belongs to one thread and can be decoded alone: its header has the absolute time and the number of events
 * that the thread has dropped so far, its body begins with the thread's open zones, and (thread, seq, first, before) tell what preceded it, so that anything
 * missing is noticed.
 *
 * file  = head, then text, then chunks             struct ttc_head
 * chunk = 64-byte head, body of `length` bytes     struct ttc_chunk
 * body  = state, records
 * state = varint key, varint alloc key, varint depth, varint given, then `given` zigzag differences of keys,
 *         outermost first
 * record = varint (ticks since the previous record, shifted up by 2, with enum ttc_op in the low bits), then
 *          what enum ttc_op says
 *
 * Thread 0 is the recorder itself: definitions, clock, threads, drops, the end. All its records are TTC_OTHER.
 *
 * The writer copies a chunk that is still being written once a second. The next part of the same chunk gets a head of its own with the state at its begin
 * (`first` > 0), made by walking the records: ttc_walk.
 *
 * varint: seven bits a byte, lowest first, the high bit means that more follow; at most ten bytes; may be padded (0x80 bytes before the last).
 * zigzag: (n << 1) ^ (n >> 63).
 */
#ifndef TT_TTC_LAYOUT_H
#define TT_TTC_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tracetool is for little-endian machines: captures are written and read as they lie in memory"
#endif

#define TTC_MAGIC         "\x89TTC\r\n\x1a\n"       /* begin of a capture */
#define TTC_RING_MAGIC    "\x89TTR\r\n\x1a\n"       /* begin of a ring */
#define TTC_CHUNK_MAGIC   0x6b435454u         /* "TTCk" */
#define TTC_DEFS_MAGIC    0x64435454u         /* "TTCd": definitions, in a ring only */
#define TTC_MAJOR         1           /* readers cannot read another major version */
#define TTC_MINOR         2           /* readers can read a larger minor version: unknown kinds are skipped and counted */

#define TTC_CHUNK_MIN     (4u << 10)
#define TTC_CHUNK_LIMIT   (1u << 20)  /* maximum bytes of a chunk with its head */
#define TTC_HEAD_LIMIT    (64u << 10) /* maximum bytes of the file's head with its text */
#define TTC_STACK         4096        /* maximum number of outermost zones that a state names; see ttc_stack_max */

/* The head of a file: 192 bytes, then `text` bytes of NUL-terminated texts in the order of enum ttc_text. */
struct ttc_head {
	char magic[8];
	uint16_t major, minor;
	uint32_t size;                /* bytes of this struct and the text */
	uint32_t crc;                 /* CRC-32C of these bytes, with zeros here */
	uint32_t flags;               /* enum ttc_head_flag */
	uint8_t run[16];              /* random; equal in the files and the ring of one recording */
	uint32_t part;                /* the file's place in a rotation, or 0 */
	uint32_t chunk;               /* size of a chunk in the ring */
	uint64_t num, den;            /* ns = ticks * num / den */
	uint64_t ticks;               /* start of the recording: one instant on three clocks */
	uint64_t mono_ns;             /* monotonic clock, raw if the system has it */
	uint64_t wall_ns;             /* since 1970 */
	uint64_t pid;
	uint32_t pointer;             /* bytes of a pointer */
	uint32_t clock;               /* enum ttc_clock */
	uint64_t part_ticks;          /* start of this file */
	uint64_t thread;              /* native id of the thread that started the recording */
	uint64_t record;              /* number of the `tracetool record` that started the program; 0: not started by it */
	uint32_t part_last;           /* in a file that tracetool recover made of several: part of the last one; else 0 */
	uint8_t zero[60];             /* reserved */
};

enum ttc_head_flag {
	TTC_H_LAST = 1,               /* flight recording: only the last seconds are kept, and older events are not a loss */
	TTC_H_DISTORTS = 2,           /* every call is instrumented: times are relative */
	TTC_H_NO_FRAMES = 8,          /* the program marks no frames */
	TTC_H_DISK = 4,               /* set later: writing failed, the rest is missing */
	TTC_H_FRAMES_TOLD = 16,       /* each thread that marks frames has a TTC_DEF_FRAMES */
	TTC_H_RATE = 32,              /* num and den are the rate measured over the whole recording, set at its end */
};
enum ttc_clock { TTC_CLOCK_SYSTEM, TTC_CLOCK_TSC, TTC_CLOCK_CNTVCT, TTC_CLOCK_QPC };
enum ttc_text { TTC_T_RING, TTC_T_PRODUCER, TTC_T_OS, TTC_T_ARCH, TTC_T_ARGS, TTC_T_CAPTURE, TTC_TEXTS };

/* The head of a chunk: 64 bytes. */
struct ttc_chunk {
	uint32_t magic;
	uint32_t thread;              /* number in this recording, from 1, never reused; 0: the recorder */
	uint64_t commit;              /* low half: length of the body; high half: CRC-32C of bytes 16 to
				         64 and the body */
	uint64_t seq;                 /* place among the thread's chunks, from 0 */
	uint64_t ticks;               /* ticks from which the first record's time counts */
	uint64_t dropped;             /* number of events that this thread has dropped since its beginning */
	uint64_t events;              /* number of events in this thread's chunks before this place */
	uint32_t first;               /* bytes of this chunk's records in earlier parts */
	uint32_t before;              /* bytes of records in the thread's chunk before (seq - 1); 0 in
				         the first */
	uint32_t state;               /* bytes of state; records follow */
	uint32_t run;                 /* first four bytes of ttc_head.run */
};
#define TTC_CHUNK_HEAD    64u
#define TTC_CRC_FROM      16u

/* The low two bits of a record's first varint. */
enum ttc_op {
	TTC_BEGIN,                    /* zigzag (key - last key) */
	TTC_END,                      /* ends the innermost zone */
	TTC_ALLOC,                    /* zigzag (key - last alloc key), varint bytes */
	TTC_OTHER,                    /* byte kind, varint length, payload */
};

/*
 * Kinds of TTC_OTHER. "key" is a zigzag difference to the last key, as in TTC_BEGIN; "args" is a varint
 * count, then for each a byte type and a value; "text" is a varint length and the bytes.
 */
enum ttc_kind {
	TTC_BEGIN_ARGS = 1,           /* key args: a zone */
	TTC_SINGLE = 2,               /* key args: an instant */
	TTC_END_BELOW = 3,            /* varint n >= 1, varint flags: the zone below n others that had
				         no end */
	TTC_END_NONE = 4,             /* key: an end of a zone that is not open */
	TTC_COUNTER = 5,              /* key, args (one) */
	TTC_FLOW = 6,                 /* byte enum tt_flow, varint id */
	TTC_FRAME = 7,                /* a frame begins here; payload empty or a varint, the program's
				         own number */
	TTC_END_KEY = 8,              /* key, varint flags: end of a zone nested too deep for a state */
	TTC_ALLOC_ARGS = 9,           /* key, varint bytes, args; key as in TTC_ALLOC */
	TTC_THREAD_END = 10,          /* the thread ended */
	TTC_END_FLAGS = 11,           /* varint flags: end of the innermost zone; 1: left by an exception */
	TTC_BEGIN_FLAGS = 12,         /* key, varint flags: a zone; 8: goes on after an interruption */
	TTC_RESET = 13,               /* first record of a chunk: recording paused, and zones that were open before may be closed by now */
	/* 16 to 63: for Mono's recorder (samples, collections, exceptions, locks, code), but for */
	TTC_TIMING = 48,              /* Unity's: what the engine measured of a frame: varint how many frames before the running
	                                 one, varint 1 for a computed completion, then varints of ns: whole, main
	                                 thread, render thread, present wait, GPU; 0: no value */

	/* thread 0 only; times are varint ticks since ttc_head.ticks */
	TTC_DEF_MARKER = 64,          /* time key category native flags text */
	TTC_DEF_CATEGORY = 65,        /* time key native rgba text */
	TTC_DEF_THREAD = 66,          /* time native-id group-text name-text */
	TTC_DEF_COUNTER = 67,         /* time key unit name-text section-text: a marker that is a counter */
	TTC_DEF_LABEL = 68,           /* time key owner category byte type (8 or 9) text: a zone named
				         by its own text */
	TTC_META = 69,                /* time key-text value-text: a fact about the capture */
	TTC_CLOCK = 70,               /* time mono_ns wall_ns: one instant on three clocks */
	TTC_THREAD = 71,              /* number native-id kernel-id time seq first: its next chunk, before the first one in a file and
	                                 wherever chunks before it were not kept */
	TTC_DROPS = 72,               /* number dropped: where it changed */
	TTC_FINISH = 73,              /* byte enum ttc_finish, varint n, then n times: number seq end events dropped: what was made, and
	                                 where its last chunk ends; several where threads are many; threads that
	                                 ended before have a TTC_GONE */
	TTC_NOTE = 74,                /* text: a warning of the recorder */
	TTC_GONE = 75,                /* number seq end events dropped: as in TTC_FINISH, of a thread
				         that has ended */
	TTC_DEF_OBJECT = 76,          /* time key byte enum ttc_object, varint of-key text text2 */
	TTC_DEF_FRAMES = 77,          /* time number: this thread has marked a frame */
	TTC_DEF_VTABLE = 78,          /* time key class-key domain-key: a class in a domain; from 1.1 */
	TTC_DEF_ARGS = 79,            /* time key text: what the arguments of a marker's zones are called, each name ended by a NUL; from 1.2 */
	TTC_DUMP = 80,                /* from to, times between which all threads have all events; to 0: the end of the recording. If the ring was too
				         small: asked held room, the ms asked for and held, and the bytes of a ring with room for all; from 1.2 */
};

/* True if the record begins with a key, to which later keys are relative. */
static inline bool
ttc_carries_key(unsigned kind)
{
	return kind < 32 && (1u << TTC_BEGIN_ARGS | 1u << TTC_SINGLE | 1u << TTC_END_NONE | 1u << TTC_END_KEY | 1u << TTC_COUNTER |
	    1u << TTC_BEGIN_FLAGS) >> kind & 1;
}

/* Definitions of a managed runtime except methods, which are markers. */
enum ttc_object {
	TTC_O_CLASS,                  /* of: image; text: name */
	TTC_O_IMAGE,                  /* text: file name, text2: module version id */
	TTC_O_ASSEMBLY,               /* of: image; text: full name */
	TTC_O_DOMAIN,                 /* text: name */
	TTC_O_CONTEXT,                /* of: domain */
};

enum ttc_finish {
	TTC_F_CLEAN, TTC_F_MAX_SIZE, TTC_F_DISK, TTC_F_ROTATED,
	TTC_F_RECOVERED,              /* written by tracetool recover */
	TTC_F_JOINED,                 /* written by tracetool recover with everything that the ring had; from 1.1 */
};

/* Types of arguments: Unity's numbers, so that they can be passed through; 32 and above are our own. */
enum ttc_type {
	TTC_NONE = 0, TTC_INSTANCE = 1, TTC_I32 = 2, TTC_U32 = 3, TTC_I64 = 4, TTC_U64 = 5, TTC_F32 = 6, TTC_F64 = 7,
	TTC_TEXT8 = 8, TTC_TEXT16 = 9, TTC_VEC3 = 10, TTC_BLOB = 11, TTC_RESOURCE = 12, TTC_ENTITY = 13,
	TTC_PTR = 32, TTC_CLASS = 33, TTC_STACK_KEYS = 34, TTC_WORD = 35,
	TTC_RAW = 0x80,               /* set: text of raw bytes, whatever the type says (its size was
				         not the type's) */
};
/* Encoding of values: 1, 2, 4 zigzag; 3, 5, 12, 13, 32, 33, 35 varint; 6 four bytes; 7 eight bytes; else text. */
enum ttc_word { TTC_W_NULL, TTC_W_FALSE, TTC_W_TRUE };

/* --- the ring ------------------------------------------------------------- */

/*
 *	ring = struct ttc_ring (4096 bytes), slots of threads, chunks
 *
 * A chunk counts if its magic, run and checksum are right; chunks that the capture already has are known by
 * (thread, seq, first). A chunk of definitions has a ttc_chunk head with TTC_DEFS_MAGIC and `seq` its
 * number, then entries at multiples of 8: {u32 length, u32 CRC-32C of what follows}, u64 ticks, byte kind,
 * payload. The entry's first word is stored last; 0 is a hole, and the next good entry is found by trying
 * every multiple of 8.
 */
struct ttc_ring {
	char magic[8];
	uint16_t major, minor;
	uint32_t size;                /* size of this struct as written */
	uint8_t run[16];
	uint64_t total;               /* bytes of the ring */
	uint32_t slots, slot_at;      /* number and offset of struct ttc_slot */
	uint32_t chunks, chunk;       /* number and size */
	uint64_t chunk_at;            /* offset of the first */
	uint64_t state;               /* enum ttc_ring_state; the writer sets it */
	uint64_t pid;
	uint32_t head;                /* size of a copy of the capture's head, at 1024 */
	uint32_t spare;
	uint64_t kept;                /* flight recorder: ticks since the start from which on nothing was forgotten */
	uint64_t asked, held; /* flight recorder: if the ring is too small, the ms asked for and the ms that it holds; 0: it holds all that was asked for */
};
#define TTC_RING_HEAD     4096u
#define TTC_RING_COPY     1024u
#define TTC_RING_TEXT     (TTC_RING_HEAD - TTC_RING_COPY)     /* bytes reserved for the copy's text */
enum ttc_ring_state { TTC_R_LIVE = 1, TTC_R_STOPPED = 2, TTC_R_DONE = 3 };

/* Return the size in bytes of a ring with room for ${asked} ms, if a ring of ${bytes} holds ${held} ms. */
static inline uint64_t
ttc_ring_room(uint64_t bytes, uint64_t asked, uint64_t held)
{
	return (uint64_t)((double)bytes * ((double)asked / (double)(held ? held : 1)));
}

struct ttc_slot {
	uint32_t state;               /* enum ttc_slot_state */
	uint32_t number;
	uint64_t native;              /* the program's id of the thread */
	uint64_t kernel;              /* the kernel's id of the thread */
	uint64_t ticks;               /* ticks at the thread's begin */
	uint64_t dropped;             /* number of events dropped so far */
	uint64_t events;              /* number of events in chunks before the present one */
	uint32_t chunk;               /* index + 1 of the present chunk; 0: no chunk */
	uint32_t spare;
	uint64_t spare2;
};
enum ttc_slot_state { TTC_S_FREE, TTC_S_TAKEN, TTC_S_LIVE, TTC_S_ENDED };

_Static_assert(sizeof(struct ttc_head) == 192, "ttc_head");
_Static_assert(sizeof(struct ttc_chunk) == TTC_CHUNK_HEAD, "ttc_chunk");
_Static_assert(sizeof(struct ttc_slot) == 64, "ttc_slot");

/* Return the number of zones that a state names in a chunk of ${chunk} bytes, so that it takes at most 10/16 of the chunk. */
static inline uint32_t
ttc_stack_max(uint32_t chunk)
{
	return chunk / 16 < TTC_STACK ? chunk / 16 : TTC_STACK;
}

/* --- the clock's rate -------------------------------------------------------- */

/*
 * The rate of a counter, measured from instants on both clocks. It becomes more exact the longer the recording is; at the beginning it is only estimated.
 * Spans in which the clocks diverged (the machine slept) do not count.
 */
struct ttc_rate { uint64_t ticks, ns; uint64_t span_ticks, span_ns; };
#define TTC_RATE_FROM     50000000u   /* for fewer ns, the rate in the head is as good */
#define TTC_RATE_PPM      1000        /* a larger deviation is not drift */

/* Add an instant: ticks since the start, and ns of the monotonic clock. The first instant is the head's: 0 and mono_ns. */
static inline void
ttc_rate_add(struct ttc_rate *r, const struct ttc_head *h, uint64_t ticks, uint64_t ns)
{
	double was = (double)(ticks - r->ticks) * (double)h->num / (double)h->den, is = (double)(ns - r->ns);

	if (ticks <= r->ticks || ns <= r->ns)
		return;
	if (is > was * (1 - TTC_RATE_PPM * 1e-6) && is < was * (1 + TTC_RATE_PPM * 1e-6)) {
		r->span_ticks += ticks - r->ticks;
		r->span_ns += ns - r->ns;
	}
	r->ticks = ticks;
	r->ns = ns;
}

/* Set the head's rate to the measured one, if there is one. The system's own clocks keep their rate. */
static inline void
ttc_rate_set(const struct ttc_rate *r, struct ttc_head *h)
{
	if ((h->flags & TTC_H_RATE) || (h->clock != TTC_CLOCK_TSC && h->clock != TTC_CLOCK_CNTVCT) ||
	    r->span_ns < TTC_RATE_FROM)
		return;
	h->num = r->span_ns;
	h->den = r->span_ticks;
	h->flags |= TTC_H_RATE;
}

/* --- bytes ------------------------------------------------------------------ */

static inline uint64_t
ttc_zig(uint64_t n)
{
	return n << 1 ^ (0 - (n >> 63));
}

static inline uint64_t
ttc_zag(uint64_t z)
{
	return z >> 1 ^ (0 - (z & 1));
}

/* Write ${v} at ${p} as a varint; return the place after it. */
static inline uint8_t *
ttc_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Read a varint into *${v}. NULL: it does not end before ${end}, or has more than ten bytes. */
static inline const uint8_t *
ttc_get(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t x = 0;

	for (unsigned up = 0; p < end && up < 70; up += 7) {
		x |= (uint64_t)(*p & 0x7f) << (up < 64 ? up : 0);
		if (!(*p++ & 0x80)) {
			*v = x;
			return p;
		}
	}
	return NULL;
}

/* --- walking ----------------------------------------------------------------- */

/* The state of a chunk, advanced by walking over its records. */
struct ttc_walk {
	uint64_t ticks, key, alloc_key;
	uint64_t events;              /* number of records passed */
	uint64_t *zone;               /* TTC_STACK keys */
	uint32_t depth, max;          /* number of open zones; maximum number that are named */
};

/* Start with a chunk's head and its state in the ${n} bytes at ${p}. Return the offset after the state, or 0 if it is not valid. */
size_t ttc_walk_state(struct ttc_walk *w, const struct ttc_chunk *h, const uint8_t *p, size_t n);

/* Write a state that names the first ${given} of ${depth} zones, whose keys are ${stride} bytes apart. Return its length, at most 40 + 10 * given bytes. */
size_t ttc_state_put(uint8_t *p, uint64_t key, uint64_t alloc_key, uint32_t depth, uint32_t given,
    const uint64_t *zone, size_t stride);

/* Advance over whole records in ${n} bytes. Return the number of bytes that were complete and understood. */
size_t ttc_walk(struct ttc_walk *w, const uint8_t *p, size_t n);

#endif

/**
 * Shared by the files of the writer: pass.c, chunk_write.c, flight.c, limit.c, definitions_write.c, stream.c, rotate.c, sync.c and recording.c.
 *
 * While the writer thread runs, only that thread uses this, except for atomic fields.
 */
#ifndef TT_WRITER_H
#define TT_WRITER_H

#include "recorder/core/ring.h"

/* The writer's knowledge of the thread in a slot. */
struct wslot {
	uint32_t number;              /* number of the thread; 0: none yet */
	uint32_t part;                /* + 1: announced in this file of the rotation */
	uint64_t seq;                 /* number of its next chunk to write */
	uint64_t taken;               /* number of its next chunk from the sealed list */
	uint32_t done;                /* bytes of records of that chunk that are written */
	uint32_t end;                 /* bytes of records in the chunk before it */
	uint64_t next;                /* the final count: number of the chunk after the last one in this file; 0: it has none */
	uint32_t last;                /* bytes of records in that last chunk */
	uint64_t events;              /* events written */
	uint64_t dropped;             /* dropped events, as last written */
	uint32_t held;                /* flight recorder: number of its held chunks */
	struct ttc_walk walk;         /* at `done`, where that is not 0 */
};

struct writer {
	struct rec_options o;
	char path[1024], name[1100], producer[128];
	uint8_t *head;                /* of the file, with its texts */
	size_t nhead;
	bool head_late;               /* the head of a pipe, which the writer thread writes */
	struct ttc_rate rate;         /* of the counter */
	int fd, first_fd;             /* the present file; the first one, while it exists: it stays open for its lock */
	uint32_t part;
	uint64_t at;                  /* bytes in this file */
	uint64_t part_began_ms;
	uint64_t due;                 /* near the size limit: the file's length with all that the ring held at the last pass */
	bool broken, stopped;
	void (*full)(enum ttc_finish how, int error); /* the file takes no more: writer_stop() */
	bool ending;                  /* writer_stop() runs: its records have room */
	int error;
	struct wslot *slot;
	uint8_t *buf;                 /* buffer of the part being composed */
	uint64_t *zones;              /* for walks over records */
	/* the stream of thread 0 */
	uint8_t *stream;
	size_t nstream;
	uint64_t stream_seq;
	uint32_t stream_before;
	/* definitions written */
	uint32_t def_number, def_offset;
	/* flight recorder: chunks kept, oldest first */
	struct held { uint32_t index; uint64_t ms, since; } *held;      /* since: ticks at which all its events were over */
	uint32_t held_at, nheld;
	bool forgot;                  /* chunks were dropped, the last one was sealed then: */
	uint64_t forgot_ms;
	unsigned dumping;             /* number of further passes that write the held chunks */
	uint64_t clock_ms, parts_ms;
	uint32_t *order;              /* scratch: sealed chunks, oldest first */

	struct plat_thread thread, syncer;
	/* read by other threads, from here on: never cleared as memory */
	_Atomic bool running;         /* between rec_open and rec_close */
	_Atomic bool closing;
	_Atomic uint64_t flush_want, flush_done;
	_Atomic uint64_t sync_want, sync_done;        /* bytes written that shall be, and are, on disk */
	_Atomic uint64_t events, written_b, chunks, parts, writer_ns, files;
	_Atomic uint64_t dropped;     /* by threads whose slots were freed; at the end by all */
	_Atomic uint64_t short_ms, short_room;        /* the least that a dump had of what was asked for, in ms + 1, and a ring for all; 0: each had all */
	_Atomic int failed;
	_Atomic int stopped_as;       /* enum ttc_finish */
};
extern struct writer rec_writer;

#define STREAM_RESERVE  (24u << 10)
#define STREAM_STATE 4u
#define FINISH_THREADS 200u           /* in one record */
#define FINISH_THREAD 50u             /* most bytes of one */
#define FINISH_RESERVE  (4u << 10)       /* kept free below max_size for the end */
#define MAX_SIZE_MIN (64u << 10)

/* --- stream.c --- */

uint64_t writer_now_ms(void);

/* Write all ${n} bytes to the file; after a failure the recording is over. */
bool writer_bytes(const void *data, size_t n);

/* Write a chunk of one or two pieces; false: the recording is over. */
bool writer_chunk(const void *a, size_t na, const void *b, size_t nb);

/* Set the checksum of a head, which covers the head and the body after it, in two pieces. */
void writer_seal(struct ttc_chunk *h, const uint8_t *a, size_t na, const uint8_t *b, size_t nb);

/* Add a record to the recorder's own stream: ${n} bytes of payload. Written at the next writer_flush() at the latest. */
void writer_record(unsigned kind, const uint8_t *p, size_t n);
bool writer_flush(void);
/* Make the stream a chunk in rec_writer.buf; returns its length. */
size_t writer_stream_chunk(void);
void writer_clock(void);
void writer_note(const char *text);
/* The time ${ticks} since the start of the recording. */
uint64_t writer_since(uint64_t ticks);

/* --- definitions_write.c --- */

/* Write definitions published since the last call, up to the first incomplete one and of at most about ${most} bytes. */
void writer_definitions(uint64_t most);

/* Write what TTC_FINISH and TTC_GONE say of a thread at ${p}; returns the place after it. */
uint8_t *writer_account(uint8_t *p, const struct wslot *w);

/* --- pass.c --- */

/* Do all that is due; with ${all} also the work of once a second. */
void writer_pass(bool all);

/* The number of events that living threads dropped or that found no slot in the ring. */
uint64_t writer_dropped_by_living(void);

/* --- chunk_write.c --- */

/* The writer's knowledge of the thread that has ${slot} now. */
struct wslot *writer_slot(uint32_t slot);

/* Write what the open chunk of a thread holds by now, if the thread's number is at most ${threads}. */
void writer_put_part(uint32_t slot, uint32_t threads);

/* Write the rest of a sealed chunk and free it. */
void writer_put_sealed(uint32_t index);

/* Write how many events the thread has dropped, if that is not written yet. */
void writer_put_drops(uint32_t slot);

/* --- flight.c --- */

/* Hold a sealed chunk, sealed at ${ms}; all its events were over at ${since} ticks. */
void writer_hold(uint32_t index, uint64_t ms, uint64_t since);

/* Take the oldest held chunk; returns its index. */
uint32_t writer_unhold(void);

/* Drop held chunks that are too old, and the oldest ones if free chunks run out. */
void writer_forget(uint64_t ms);

/* How long the ring holds what was recorded, for readers of a ring whose program was killed: if that is less than was asked for. */
void writer_tell_held(uint64_t ms);

/* Write that a dump begins: from here on, events recorded until ${to} are written. */
void writer_dump_record(uint64_t to);

/* --- limit.c --- */

/*
 * True if all that is not in the file fits below the size limit: the ${n} chunks in W.order, held and open ones, and definitions. True without a limit.
 * ${near}: what comes until the next pass may not fit. A part of an open chunk holds more than was counted, so it would be written past the end of others.
 */
bool writer_fits(uint32_t n, bool *near);

/*
 * Recording has ended and all its chunks are held: write of them what fits, of all threads up to one time, and end the capture. Threads that stay inside a
 * recording function for a second are left out.
 */
void writer_end_at_limit(void);

/* --- sync.c --- */

/* Start the thread that syncs the file when sync_want changes; 0 or -errno. It ends with W.closing. */
int writer_sync_start(void);
void writer_sync_end(void);
/* Call around any change of W.fd. */
void writer_lock_file(void);
void writer_unlock_file(void);

/* --- rotate.c --- */

/* End this file. Unless another one follows, the recording ends too: threads are released, and the rest of the stream is written if the file takes it. */
void writer_stop(enum ttc_finish how, int error);

/* Begin another file where this one is long or old enough. */
void writer_rotate(void);

/* Make the head of the present file in rec_writer.head; for the first file with the recording's start and run. */
void writer_head(const struct plat_instant *zero, const uint8_t run[16]);

/* Write the head if it was not written at the start. Waits. */
void writer_head_late(void);

/*
 * Make the first file, under the requested name or the first free one of "game.2.ttc", "game.3.ttc", ...: sets W.path and W.fd. Returns 0 or -errno; ${why}
 * tells if the name differs.
 */
int writer_first_file(char why[256]);

#endif

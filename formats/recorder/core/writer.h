/**
 * Shared by the files of the writer: pass.c, chunk_write.c, flight.c, limit.c, definitions_write.c, file_write.c, rotate.c, sync.c and recording.c.
 *
 * While the writer thread runs, only that thread uses this, except for atomic fields.
 */
#ifndef TT_WRITER_H
#define TT_WRITER_H

#include "recorder/core/ring.h"

/* The writer's record of the thread in a slot. */
struct wslot {
	uint32_t number;              /* number of the thread; 0: no thread yet */
	uint32_t part;                /* file of the rotation in which the thread is announced, + 1 */
	uint64_t seq;                 /* number of its next chunk to write */
	uint64_t sealed_seq;          /* number of its next chunk from the sealed list */
	uint32_t written_bytes;       /* bytes of records of that chunk that are written */
	uint32_t previous_bytes;      /* bytes of records in the previous chunk */
	uint64_t account_seq;         /* the final account: number of the chunk after the last one in this file; 0: no chunk in it */
	uint32_t account_bytes;       /* bytes of records in that last chunk */
	uint64_t nevents;             /* events written */
	uint64_t ndropped;            /* number of dropped events, as last written */
	uint32_t nheld;               /* flight recorder: number of its held chunks */
	struct ttc_walk walk;         /* state at `done`, if that is not 0 */
};

struct writer {
	struct rec_options o;
	char path[1024], name[1100], producer[128];
	uint8_t *head;                /* head of the file, with its texts */
	size_t nhead;
	bool head_late;               /* true: the writer thread writes the head, as for a pipe */
	struct ttc_rate rate;         /* rate of the counter */
	int fd, first_fd;             /* the present file; the first file, which stays open for its lock while it exists */
	uint32_t part;
	uint64_t file_bytes;          /* bytes in this file */
	uint64_t part_began_ms;
	uint64_t due_bytes;           /* near the size limit: length of the file with everything that the ring held at the last pass */
	bool is_broken, is_stopped;
	void (*on_full)(enum ttc_finish how, int error); /* called when the file takes no more: writer_stop() */
	bool is_ending;               /* true: writer_stop() runs, and its records have room */
	int error;
	struct wslot *slot;
	uint8_t *buf;                 /* buffer of the part being composed */
	uint64_t *zones;              /* zones of walks over records */
	/* The stream of thread 0. */
	uint8_t *stream;
	size_t nstream;
	uint64_t stream_seq;
	uint32_t stream_before;
	/* Position of the definitions written so far. */
	uint32_t def_number, def_offset;
	/* Flight recorder: held chunks, oldest first. */
	struct held { uint32_t index; uint64_t ms, over_ticks; } *held; /* over_ticks: ticks at which all events of the chunk were over */
	uint32_t held_at, nheld;
	bool has_forgotten;           /* true: chunks were dropped; the last of them was sealed at ${forgot_ms} */
	uint64_t forgot_ms;
	unsigned ndump_passes;        /* number of further passes that write the held chunks */
	uint64_t clock_ms, parts_ms;
	uint32_t *order;              /* scratch: sealed chunks, oldest first */

	struct plat_thread thread, syncer;
	/* Read by other threads, from here on; never cleared as memory. */
	_Atomic bool running;         /* true: between rec_open and rec_close */
	_Atomic bool closing;
	_Atomic uint64_t flush_want, flush_done;
	_Atomic uint64_t sync_want, sync_done;        /* bytes written that shall be on disk; bytes that are on disk */
	_Atomic uint64_t events, written_b, chunks, parts, writer_ns, files;
	_Atomic uint64_t dropped;     /* number of events dropped by threads whose slots were freed; at the end by all threads */
	_Atomic uint64_t short_ms, short_room; /* minimum ms + 1 that a dump had of those asked for, and the bytes of a ring for all; 0: each dump had all */
	_Atomic int failed;
	_Atomic int stopped_as;       /* enum ttc_finish */
};
extern struct writer rec_writer;

#define STREAM_RESERVE  (24u << 10)
#define STREAM_STATE 4u
#define FINISH_THREADS 200u           /* maximum number of threads in one record */
#define FINISH_THREAD 50u             /* maximum bytes of a thread in such a record */
#define FINISH_RESERVE  (4u << 10)       /* kept free below max_size for the end */
#define MAX_SIZE_MIN (64u << 10)

/* --- file_write.c --- */

uint64_t writer_now_ms(void);

/* Write all ${n} bytes to the file; after a failure the recording is over. */
bool writer_write_bytes(const void *data, size_t n);

/* Write a chunk of one or two pieces. False: the recording is over. */
bool writer_write_chunk(const void *a, size_t na, const void *b, size_t nb);

/* Set the checksum of a head, which covers the head and the body after it, in two pieces. */
void writer_set_checksum(struct ttc_chunk *h, const uint8_t *a, size_t na, const uint8_t *b, size_t nb);

/* Add a record with ${n} bytes of payload to the recorder's own stream. It is written at the next writer_flush() at the latest. */
void writer_record(unsigned kind, const uint8_t *p, size_t n);
bool writer_flush(void);
/* Turn the stream into a chunk in rec_writer.buf; return its length. */
size_t writer_stream_chunk(void);
void writer_record_clock(void);
void writer_record_note(const char *text);
/* Return the time of ${ticks} since the start of the recording. */
uint64_t writer_since(uint64_t ticks);

/* --- definitions_write.c --- */

/* Write definitions published since the last call, up to the first incomplete one and of at most about ${most} bytes. */
void writer_definitions(uint64_t most);

/* Write a thread's account for TTC_FINISH and TTC_GONE at ${p}; return the place after it. */
uint8_t *writer_put_account(uint8_t *p, const struct wslot *w);

/* --- pass.c --- */

/* Do everything that is due; with ${all} also the work of once a second. */
void writer_make_pass(bool all);

/* Return the number of events that living threads dropped, or that found no slot in the ring. */
uint64_t writer_dropped_by_living(void);

/* --- chunk_write.c --- */

/* Return the writer's record of the thread that has ${slot} now. */
struct wslot *writer_slot(uint32_t slot);

/* Write the present contents of a thread's open chunk, if the thread's number is at most ${threads}. */
void writer_put_part(uint32_t slot, uint32_t threads);

/* Write the rest of a sealed chunk and free it. */
void writer_put_sealed(uint32_t index);

/* Write the number of events that the thread has dropped, if it has changed. */
void writer_put_drops(uint32_t slot);

/* --- flight.c --- */

/* Hold a sealed chunk, sealed at ${ms}; all its events were over at ${since} ticks. */
void writer_hold(uint32_t index, uint64_t ms, uint64_t since);

/* Take the oldest held chunk; return its index. */
uint32_t writer_unhold(void);

/* Drop held chunks that are too old, and the oldest ones if free chunks run out. */
void writer_forget(uint64_t ms);

/* Store how long the ring holds what was recorded, if that is less than was asked for, for readers of a ring whose program was killed. */
void writer_store_held_ms(uint64_t ms);

/* Write that a dump begins: from here on, events recorded until ${to} are written. */
void writer_dump_record(uint64_t to);

/* --- limit.c --- */

/*
 * True if everything that is not in the file fits below the size limit: the ${n} chunks in WRITER.order, held and open ones, and definitions. True without a
 * limit. ${near}: data that arrives until the next pass may not fit. Then parts of open chunks must not be written: they may by then hold more than was
 * counted, and take the room of others.
 */
bool writer_fits(uint32_t n, bool *near);

/*
 * Recording has ended and all its chunks are held: write as much of them as fits, of all threads up to one time, and end the capture. Threads that stay
 * inside a recording function for a second are left out.
 */
void writer_end_at_limit(void);

/* --- sync.c --- */

/* Start the thread that syncs the file when sync_want changes; 0 or -errno. It ends with WRITER.closing. */
int writer_sync_start(void);
void writer_sync_end(void);
/* Call around any change of WRITER.fd. */
void writer_lock_file(void);
void writer_unlock_file(void);

/* --- rotate.c --- */

/* End this file. Unless another one follows, the recording ends too: threads are released, and the rest of the stream is written if the file takes it. */
void writer_stop(enum ttc_finish how, int error);

/* Begin another file if this one is long or old enough. */
void writer_rotate(void);

/* Make the head of the present file in rec_writer.head; for the first file with the recording's start and run. */
void writer_make_head(const struct plat_instant *zero, const uint8_t run[16]);

/* Write the head if it was not written at the start. Waits. */
void writer_write_late_head(void);

/*
 * Make the first file, under the requested name or the first free one of "game.2.ttc", "game.3.ttc", ...; set WRITER.path and WRITER.fd. Returns 0 or -errno;
 * ${why} says so if the name differs.
 */
int writer_first_file(char why[256]);

#endif

/**
 * What the files of the writer share: chunk_write.c, definitions_write.c, stream.c, rotate.c, sync.c and recording.c.
 *
 * While the writer thread runs, only that thread uses this, except for what is atomic.
 */
#ifndef TT_WRITER_H
#define TT_WRITER_H

#include "recorder/core/ring.h"

/* What the writer knows of the thread in a slot. */
struct wslot {
	uint32_t number;              /* the thread's; 0: none yet */
	uint32_t part;                /* + 1: announced in this file of the rotation */
	uint64_t seq;                 /* its next chunk to write */
	uint64_t taken;               /* its next chunk to come from the sealed list */
	uint32_t done;                /* bytes of that chunk's records that are written */
	uint32_t end;                 /* bytes of records of the chunk before */
	uint64_t next;                /* the account: the chunk after the last one in this file; 0: it has none */
	uint32_t last;                /* bytes of records of that one */
	uint64_t events;              /* written */
	uint64_t dropped;             /* dropped events, as last written */
	uint32_t held;                /* flight recorder: its chunks that are kept */
	struct ttc_walk walk;         /* at `done`, where that is not 0 */
};

struct writer {
	struct rec_options o;
	char path[1024], name[1100], ring_dir[512], producer[128];
	uint8_t *head;                /* of the file, with its text */
	size_t nhead;
	bool head_late;               /* of a pipe: the writer writes it */
	struct ttc_rate rate;         /* of the counter */
	int fd, first_fd;             /* the present file; the first one, as long as it is there: it is held */
	uint32_t part;
	uint64_t at;                  /* bytes in this file */
	uint64_t part_began_ms;
	bool broken, stopped;
	void (*full)(enum ttc_finish how, int error); /* the file takes no more: writer_stop() */
	bool ending;                  /* in writer_stop(): what it says has room */
	int error;
	enum ttc_finish finish;
	struct wslot *slot;
	uint8_t *buf;                 /* a part being put together */
	uint64_t *zones;              /* of the walks */
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
	unsigned dumping;             /* future passes that write the held chunks */
	uint64_t clock_ms, parts_ms;
	uint32_t *order;              /* scratch: sealed chunks, oldest first */

	struct plat_thread thread, syncer;
	/* what others look at, from here on: never cleared as memory */
	_Atomic bool running;         /* between rec_open and rec_close */
	_Atomic bool closing;
	_Atomic uint64_t flush_want, flush_done;
	_Atomic uint64_t sync_want, sync_done;        /* bytes written that shall be, and are, on the disk */
	_Atomic uint64_t events, written_b, chunks, parts, writer_ns, files;
	_Atomic uint64_t dropped;     /* by threads whose places were given back; at the end by all */
	_Atomic int failed;
	_Atomic int stopped_as;       /* enum ttc_finish */
};
extern struct writer rec_writer;

#define STREAM_ROOM  (24u << 10)
#define STREAM_STATE 4u
#define FINISH_THREADS 200u           /* in one record */
#define FINISH_ROOM  (4u << 10)       /* kept free below max_size for the end */
#define MAX_SIZE_MIN (64u << 10)

/* --- stream.c --- */

uint64_t writer_now_ms(void);

/* All of ${n} bytes into the file, or the recording is over. */
bool writer_bytes(const void *data, size_t n);

/* A chunk of one or two pieces; false: the recording is over. */
bool writer_chunk(const void *a, size_t na, const void *b, size_t nb);

/* A head whose checksum covers it and the body after, in two pieces. */
void writer_seal(struct ttc_chunk *h, const uint8_t *a, size_t na, const uint8_t *b, size_t nb);

/* A record of the recorder's own stream: ${n} bytes of payload. Written by writer_flush() at the latest. */
void writer_record(unsigned kind, const uint8_t *p, size_t n);
bool writer_flush(void);
/* What the stream holds as a chunk, into rec_writer.buf; its length. */
size_t writer_stream_chunk(void);
void writer_clock(void);
void writer_note(const char *text);
/* ${ticks} since the start of the recording. */
uint64_t writer_since(uint64_t ticks);

/* --- definitions_write.c --- */

/* Definitions published since the last time, up to the first that is not complete yet. */
void writer_definitions(void);

/* What TTC_FINISH and TTC_GONE say of a thread, at ${p}; the place after. */
uint8_t *writer_account(uint8_t *p, const struct wslot *w);

/* --- chunk_write.c --- */

/* All that is due; with ${all} also the work of once a second. */
void writer_pass(bool all);

/* Events that threads of the ring have dropped, and those that found no place in it. */
uint64_t writer_dropped_by_living(void);

/* --- sync.c --- */

/* The thread that syncs the file when sync_want changes; 0 or -errno. Ends with W.closing. */
int writer_sync_start(void);
void writer_sync_end(void);
/* Around any change of W.fd. */
void writer_lock_file(void);
void writer_unlock_file(void);

/* --- rotate.c --- */

/*
 * This file ends. Where it is not for another one, the recording is over too: threads are let go, and what
 * the stream still holds is written if the file takes it.
 */
void writer_stop(enum ttc_finish how, int error);

/* Begin another file where this one is long or old enough. */
void writer_rotate(void);

/* The head of the present file, into rec_writer.head; of the first file with where it begins and the run. */
void writer_head(const struct plat_instant *zero, const uint8_t run[16]);

/* Where that was not written at the start. Waits. */
void writer_head_late(void);

/*
 * Make the first file, under the name asked for or the first of "game.2.ttc", "game.3.ttc", ... that is free: W.path, W.fd.
 * 0 or -errno; ${why} says where it is another name.
 */
int writer_first_file(char why[256]);

#endif

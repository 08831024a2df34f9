/**
 * A batch at work: its archives, waiting captures and processes, and the steps of its loop. Internal to tt_scheduler_run(): scheduler.h.
 *
 * scheduler.c has the loop and decides which process to start; scheduler_process.c starts and frees processes; scheduler_message.c takes their messages;
 * scheduler_reap.c handles their end; scheduler_log.c writes lines of results, and messages for people. Nothing calls the loop, and messages, processes and
 * the log call nothing of scheduler_reap.c.
 */
#ifndef TT_BATCH_SCHEDULER_STATE_H
#define TT_BATCH_SCHEDULER_STATE_H

#include <poll.h>
#include <sys/types.h>

#include "batch/scheduler.h"
#include "batch/wire.h"

/* Kinds of failure, of which only the first lines are printed: scheduler_log.c has their words. */
#define TT_SCHEDULER_WHYS 10

struct said { uint64_t n[TT_SCHEDULER_WHYS]; };

/* An archive: its unpacker, and its captures that are underway. */
struct arch {
	struct arch *next;
	size_t file;
	struct proc *unpacker;        /* NULL: the unpacker has ended */
	unsigned underway;            /* captures handed over and not ended */
	unsigned ngranted;            /* slots that the unpacker was given and has not used yet */
	unsigned char busy[256];      /* by slot: 1 if it is given, or its capture has not ended */
	bool told_end;
	bool streams;                 /* true: its unpacker writes into a pipe, at the speed of the reader */
	struct tt_buf record;         /* the body of its line, kept until its captures have ended */
	unsigned parts;               /* shards that share it; 0: one */
	uint64_t lost;                /* members that could not be read, as reported so far */
	struct said said;
};

/* A capture out of an archive, waiting for a process. */
struct ready {
	struct ready *next;
	struct arch *arch;
	struct tt_buf key, cut;
	uint64_t index, size, hash;
	uint32_t flags;
	int fd;
	bool ended;                   /* true: a streamed capture, all of which has been written */
};

enum role { ROLE_FILE, ROLE_UNPACKER, ROLE_MEMBER };

struct proc {
	struct proc *next;
	pid_t pid;
	int sock, pidfd;
	enum role role;
	size_t file;
	struct arch *arch;            /* for unpackers and members */
	struct ready *what;           /* for members */
	struct tt_buf result;         /* the body of its result */
	uint64_t size, hash;
	bool has_result, exited;
	int64_t heard_ns;             /* when it began, or gave a sign of life */
	int64_t kill_ns;              /* when it was asked to stop; 0: it was not */
	bool timeout;
	int status;
	uint64_t bytes;               /* bytes of its file read so far */
	unsigned parts;               /* shards that share the file; 0: one */
};

struct scheduler {
	struct tt_env *env;
	const struct tt_scheduler_opts *o;
	struct tt_scheduler_sum sum;
	struct proc *procs;
	size_t nproc;
	unsigned analysing, unpacking;
	struct arch *archs;           /* archives whose line was not written yet */
	struct ready *first, **last;
	size_t next_file;
	struct pollfd *poll;
	size_t cappoll;
	struct said said;
	struct tt_buf line;
	int64_t tick_ns;
	char *wire;                   /* TT_WIRE_MAX */
	bool stopping;
};

static inline const struct tt_scheduler_file *
tt_scheduler_file(const struct scheduler *m, size_t i)
{
	return &m->o->file[i];
}

/* --- scheduler_log.c --- */

/* Print a formatted line for people. */
void tt_scheduler_say(struct scheduler *m, const char *fmt, ...) TT_PRINTF(2, 3);
/* Print a failure, unless enough of its kind were printed; at the end, how many were not. */
void tt_scheduler_say_failure(struct scheduler *m, struct said *s, const char *key, const char *why, const char *detail);
void tt_scheduler_say_rest(struct scheduler *m, const struct said *s, const char *where);
/* The facts that the parent itself knows of a result of file number ${file}. */
void tt_scheduler_id(const struct scheduler *m, size_t file, const char *type, struct tt_result_id *id);
/* Hand on the line in m->line. */
int tt_scheduler_line(struct scheduler *m, struct tt_err *err);
/* TT_E_LIMIT: more has failed or is damaged than is allowed. */
int tt_scheduler_check_failures(struct scheduler *m, struct tt_err *err);
/* Make a capture's line of its body, count it and hand it on. TT_E_LIMIT: more failures than allowed. */
int tt_scheduler_capture(struct scheduler *m, const struct tt_result_id *id, const struct tt_buf *body, struct said *said,
    struct tt_err *err);

/* --- scheduler_process.c --- */

/* The monotonic clock, ns. */
int64_t tt_scheduler_now(void);
struct proc *tt_scheduler_new_proc(struct scheduler *m, enum role role, size_t file, struct tt_err *err);
/* Start ${p}, with ${in} (borrowed) to read, and put it into the list. */
int tt_scheduler_start(struct scheduler *m, struct proc *p, int in, const char *key, size_t nkey, struct tt_shard shard,
    struct tt_err *err);
void tt_scheduler_free_proc(struct scheduler *m, struct proc *p);
void tt_scheduler_free_ready(struct scheduler *m, struct ready *r);

/* --- scheduler_message.c --- */

/* Take all messages there are. A malformed message ends its process, not the run. */
int tt_scheduler_listen(struct scheduler *m, struct proc *p, struct tt_err *err);
/* Give the archive's unpacker slots, up to as many captures underway as it may have. */
void tt_scheduler_grant_slots(struct scheduler *m, struct arch *a);

/* --- scheduler_reap.c --- */

/* Handle the exit of ${p}, which may be freed. */
int tt_scheduler_ended(struct scheduler *m, struct proc *p, struct tt_err *err);
/* Free ${a}, to which nothing refers any more. */
void tt_scheduler_free_arch(struct scheduler *m, struct arch *a);

#endif

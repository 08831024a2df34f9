/**
 * Many files, many processes: the loop at the heart of a batch.
 *
 * The caller's process runs one loop over poll() and reads no input. Each file has a process: a capture is analysed in it; an archive makes it the unpacker
 * (unpack.h), and each of its captures gets a process of its own. Its words come as messages (wire.h); if it ends without one, its exit status says why: a
 * crash, a kill, a timeout cost one line.
 *
 * At most `jobs` processes are at work, unpackers included, and as many archives are open. An unpacker has at most a
 * few captures underway (one more than there are jobs for it), so memory does not depend on the number of captures.
 * Processes die with the parent. A result is a line of result.h; lines come in the order of their ends.
 */
#ifndef TT_BATCH_SCHEDULER_H
#define TT_BATCH_SCHEDULER_H

#include "batch/key.h"

struct tt_env;
struct tt_one_opts;
struct tt_result_id;

struct tt_scheduler_file {
	const char *path;             /* path to open */
	const char *key;
	uint64_t size;
	int64_t mtime_ns;
	uint64_t cost;                /* estimated work; files with the most go first */
	unsigned shard;               /* the shard that it belongs to, by split.h: a number from 1, or TT_SHARD_ALL */
};

/* For a file that all shards share: each takes some of its members. */
#define TT_SHARD_ALL 0u

struct tt_scheduler_sum {
	uint64_t captures, ok, damaged, failed;       /* captures of this run, without those that earlier runs have done */
	uint64_t archives, lost;      /* archives that failed or are damaged, and members of them that could not be read */
	uint64_t unended;             /* archives given up before their end */
	uint64_t bytes;               /* bytes of files that are done, and read so far of others */
	uint64_t total;               /* bytes of all files of this shard */
	uint64_t spooled;
};

/* The failures that count for failures_max. */
static inline uint64_t
tt_scheduler_failures(const struct tt_scheduler_sum *s)
{
	return s->failed + s->damaged + s->archives + s->lost;
}

struct tt_scheduler_opts {
	const struct tt_one_opts *one;
	const struct tt_scheduler_file *file;
	size_t nfile;
	struct tt_shard shard;
	unsigned jobs;
	unsigned depth;
	uint64_t members_max;
	uint64_t capture_memory, unpack_memory;       /* caps of processes, bytes; 0: none */
	int64_t capture_ns;           /* time limit for a capture, and for an unpacker between signs of life; 0: none */
	uint64_t failures_max;        /* give up beyond it; UINT64_MAX: never */
	int64_t most_ns;              /* end after this time with the results so far; 0: when all is done */
	uint64_t by;                  /* hash of version and options, for the results */
	const char *facts;            /* given to every capture, as tt_result_id has them: for what failed, and for archives */
	int dir;                      /* the directory captures' files go to; -1: none */
	bool verify;                  /* true: `done` needs hashes */
	/* True if there is a result already. Called in the parent for files, and in unpackers. ${file}: number of the file that ${key} is in. */
	bool (*done)(void *arg, size_t file, const char *key, size_t n, const uint64_t *hash);
	/* Called with each line of results, with its LF; same(): the earlier result of that key still holds. */
	int (*line)(void *arg, const char *line, size_t n, struct tt_err *err);
	int (*same)(void *arg, const struct tt_result_id *id, struct tt_err *err);
	void (*say)(void *arg, const char *line);     /* for people */
	void (*tick)(void *arg, const struct tt_scheduler_sum *sum);       /* about 5 times a second */
	/* Called in a process before it reads: give up rights that it does not need. ${scratch}: it may make temporary files. */
	int (*confine)(void *arg, struct tt_env *env, bool scratch, struct tt_err *err);
	void *arg;
};

/**
 * tt_scheduler_run(env, o, sum, err):
 * Process all files. Errors are those of the run, not of captures: TT_E_IO (no process, a result that could not be written),
 * TT_E_LIMIT (more failures than allowed), TT_E_STOPPED. All processes have ended when it returns.
 */
int tt_scheduler_run(struct tt_env *env, const struct tt_scheduler_opts *o, struct tt_scheduler_sum *sum, struct tt_err *err);

#endif

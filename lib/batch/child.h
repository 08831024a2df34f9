/**
 * The code that runs in the processes of a batch. Internal to lib/batch.
 */
#ifndef TT_BATCH_CHILD_H
#define TT_BATCH_CHILD_H

#include "batch/scheduler.h"

struct tt_child {
	struct tt_env *env;           /* the parent's environment, to be copied */
	const struct tt_scheduler_opts *o;
	int sock, in;                 /* the socket; the capture or file */
	bool member;                  /* true: ${in} is a capture from an archive; false: a file */
	size_t file;                  /* number of the file */
	uint64_t size;                /* bytes of a member, beyond which ${in} may have more; UINT64_MAX: to its end */
	struct tt_shard shard;        /* the shard whose members are taken, if shards share the archive */
	const char *key;
	size_t nkey;
};

/* The exit status of a process that a signal asked to stop. */
#define TT_CHILD_STOPPED 5

/* The exit status of a process that may not open enough files: the batch cannot go on. */
#define TT_CHILD_SHORT 6

/* Run the worker process; called right after fork(). */
_Noreturn void tt_child(const struct tt_child *c);

#endif

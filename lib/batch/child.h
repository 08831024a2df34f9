/**
 * The code that runs in the processes of a batch. Internal to lib/batch.
 */
#ifndef TT_BATCH_CHILD_H
#define TT_BATCH_CHILD_H

#include "batch/scheduler.h"

struct tt_child {
	struct tt_env *env;           /* the parent's, to be copied */
	const struct tt_scheduler_opts *o;
	int sock, in;                 /* the socket; the capture or file */
	bool member;                  /* ${in} is a capture out of an archive; else a file */
	size_t file;                  /* number of the file */
	uint64_t size;                /* of a member: ${in} may have more; UINT64_MAX: to its end */
	struct tt_shard shard;        /* of members, where the file is an archive that shards share */
	const char *key;
	size_t nkey;
};

/* The exit status of a process that a signal asked to stop. */
#define TT_CHILD_STOPPED 5

/* That of one that may not open enough files: the batch cannot go on. */
#define TT_CHILD_SHORT 6

/* Be the process; called right after fork(). */
_Noreturn void tt_child(const struct tt_child *c);

#endif

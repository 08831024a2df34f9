/**
 * A destination of output: a file by way of a temporary name, standard output, or a device.
 *
 * Internal to lib/io; sink.c is the user. A dest that failed is aborted, never
 * written again. Threads: one.
 */
#ifndef TT_IO_DEST_H
#define TT_IO_DEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"
#include "sys/sys.h"

struct tt_temp;

struct tt_dest {
	struct tt_env *env;
	int fd;
	bool borrowed;                /* ${fd} is standard output, which stays open */
	bool database;                /* of SQLite: files beside ${path} belong to the one that is replaced, and go with it */
	const char *name;             /* for messages: what the user gave */
	char *path;                   /* owned: the file to replace, links followed */
	size_t path_size;             /* bytes of ${path} with its NUL */
	struct tt_temp *temp;         /* the temporary name, NULL where written directly */
	uint64_t written;
	uint64_t sent;                /* of those, what the system was asked to bring to disk */
};

/**
 * tt_dest_open(dest, env, name, err):
 * Open ${name} ("-": standard output), which must live as long as ${dest}.
 * A file is written under a temporary name beside it, with the permissions of
 * the file it will replace; other than regular files are written directly.
 */
int tt_dest_open(struct tt_dest *dest, struct tt_env *env, const char *name, struct tt_err *err);

/*
 * The file that output ${name} makes or replaces: where ${name} is a link, what it leads to, there or not yet. 0, or an errno.
 * Folders on the way that are links stay in the path.
 */
int tt_dest_follow(const char *name, char path[TT_PATH_BYTES]);

/* Write all ${n} bytes. EINTR, EAGAIN and short writes are hidden. */
int tt_dest_write(struct tt_dest *dest, const void *p, size_t n, struct tt_err *err);

/* Put the file in its place, or leave everything as it was; ${dest} is closed in both cases. */
int tt_dest_commit(struct tt_dest *dest, struct tt_err *err);
void tt_dest_abort(struct tt_dest *dest);

#endif

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
	bool borrowed;                /* true: ${fd} is standard output, which stays open */
	bool database;                /* true: a database of SQLite, whose older journals beside ${path} are removed at commit */
	const char *name;             /* the name that the user gave, for messages */
	char *path;                   /* owned: the file to replace, links followed */
	size_t path_size;             /* bytes of ${path} with its NUL */
	struct tt_temp *temp;         /* the temporary name, NULL where written directly */
	uint64_t written;
	uint64_t writeback_end;       /* bytes of ${written} that the system was asked to write to disk already */
};

/**
 * tt_dest_open(dest, env, name, err):
 * Open ${name} ("-": standard output), which must live as long as ${dest}.
 * A file is written under a temporary name beside it, with the permissions of
 * the file it will replace; other than regular files are written directly.
 */
int tt_dest_open(struct tt_dest *dest, struct tt_env *env, const char *name, struct tt_err *err);

/*
 * Write the path of the file that output ${name} makes or replaces to ${path}: if ${name} is a link, its target, existing or not. Returns 0
 * or an errno. Folders of the path that are links stay as they are.
 */
int tt_dest_follow(const char *name, char path[TT_PATH_BYTES]);

/* Write all ${n} bytes. EINTR, EAGAIN and short writes are hidden. */
int tt_dest_write(struct tt_dest *dest, const void *p, size_t n, struct tt_err *err);

/* Put the file in its place, or leave everything as it was; ${dest} is closed in both cases. */
int tt_dest_commit(struct tt_dest *dest, struct tt_err *err);
void tt_dest_abort(struct tt_dest *dest);

#endif

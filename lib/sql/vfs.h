/**
 * How SQLite reaches the bytes of a database: by a descriptor that is open already. Private to lib/sql.
 *
 * Two kinds of files: the database, whose descriptor struct tt_db_files holds, and SQLite's own temporary files, which are spools
 * (io/spool.h). There are no others: no journal, no lock, no name is looked up.
 */
#ifndef TT_SQL_VFS_H
#define TT_SQL_VFS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/env.h"

struct tt_db_files {
	sqlite3_vfs vfs;
	char name[32];                /* of the vfs; unique */
	struct tt_env env;            /* of spools: limits, directory and the wish to stop */
	int fd;                       /* of the database */
	bool reads;                   /* it is an input */
	uint64_t temporary;           /* bytes of spools, against env.spool_max */
	struct tt_err err;            /* the first error, in our words; code TT_OK: none */
};

/* Make ${f}, which is zero but for fd and reads, known to SQLite under f->name. SQLite's code. */
int tt_vfs_begin(struct tt_db_files *f, const struct tt_env *env);
void tt_vfs_end(struct tt_db_files *f);

#endif

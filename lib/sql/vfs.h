/**
 * Gives SQLite access to the bytes of a database by a descriptor that is open already. Private to lib/sql.
 *
 * Two kinds of files: the database, whose descriptor struct tt_db_files holds, and SQLite's own temporary files, which are spools
 * (io/spool.h). There are no other files: no journals and no locks, and no name is looked up.
 */
#ifndef TT_SQL_VFS_H
#define TT_SQL_VFS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/env.h"

struct tt_db_files {
	sqlite3_vfs vfs;
	char name[32];                /* the unique name of the vfs */
	struct tt_env env;            /* for spools: limits, directory and stop flag */
	int fd;                       /* descriptor of the database */
	bool reads;                   /* true: the database is an input */
	uint64_t temporary;           /* bytes of all spools, limited by env.spool_max */
	struct tt_err err;            /* the first error, as our own status and message; code TT_OK: no error */
};

/* Register ${f}, in which only fd and reads are set, with SQLite under f->name. Returns SQLite's code. */
int tt_vfs_begin(struct tt_db_files *f, const struct tt_env *env);
void tt_vfs_end(struct tt_db_files *f);

#endif

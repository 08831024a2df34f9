/**
 * A filter of system calls for this process and its children. Internal to lib/io; sandbox.h gives its purpose.
 *
 * The filter is a list of allowed calls. All others fail with EPERM; calls newer than this list with ENOSYS, so that
 * the C library falls back to an older call. Calls of another architecture kill the process.
 */
#ifndef TT_IO_SYSCALLS_H
#define TT_IO_SYSCALLS_H

#include <stdbool.h>

enum tt_syscalls {
	TT_SYS_OPEN = 1,              /* any open(), directories made and listed, files watched */
	TT_SYS_OPEN_NEW = 2,          /* open() that makes a new file */
	TT_SYS_OPEN_WRITE = 4,        /* open() for writing alone */
	TT_SYS_NAMES = 8,             /* rename, unlink, link */
	TT_SYS_CHILDREN = 16,         /* fork, kill, wait, limits */
	TT_SYS_CONFINE = 32,          /* calls that give up more rights */
	TT_SYS_SEND_MESSAGES = 64,    /* messages on open sockets; pipes and files in memory to pass to others */
	TT_SYS_OPEN_UNNAMED = 128,    /* open() that makes a file which can never have a name */
};

bool tt_syscalls_can_limit(void);

/* Allow only the calls that any reader and writer of open files needs, and those of ${what}. Returns 0 or an errno. */
int tt_syscalls_limit(unsigned what);

#endif

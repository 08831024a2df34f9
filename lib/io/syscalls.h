/**
 * A filter of system calls for this process and its children. Internal to lib/io; sandbox.h gives its purpose.
 *
 * The filter is a list of what may be called. All else fails with EPERM, and with ENOSYS where the call is newer
 * than this list, for that is what makes a C library take the older one. Numbers of another architecture kill.
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
	TT_SYS_CONFINE = 32,          /* a further step down */
	TT_SYS_TELL = 64,             /* messages on sockets that are there, pipes and files in memory to hand on */
	TT_SYS_OPEN_UNNAMED = 128,    /* open() that makes a file which can never have a name */
};

bool tt_syscalls_can(void);

/* Allow what any reader and writer of open files needs, and ${what}. 0 or an errno. */
int tt_syscalls_limit(unsigned what);

#endif

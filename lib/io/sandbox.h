/**
 * Gives up what a process that reads foreign bytes does not need: Landlock for files and network, seccomp for system calls.
 *
 * Two stages, each a step down that nothing takes back:
 *
 * enter	the arguments are known. Files may be read below the plan's `read` and `scratch`, written and
 *	made below `write` and `scratch`. No network, no program is started, no process traced or
 *	signalled.
 * seal	the inputs are open. Nothing that exists is opened any more, but devices and FIFOs among
 *	`write`, for writing. New files are made, renamed and removed below the directories of `write`, and files
 *	without a name made in `scratch` (with one if its file system has no others: then they are removed there,
 *	too); with a plan of nothing there is no file system left. Threads can be started, processes cannot.
 *
 * In both no file is made that runs as its owner, and no descriptor sends signals.
 *
 * Either can come without the other. Denied calls fail with EACCES (Landlock) or EPERM (seccomp). Open
 * descriptors keep working. Both hold for the calling thread and those it starts: call them before there are
 * others.
 *
 * A kernel that lacks one of the two gives the other; tt_sandbox_probe() says what there is. Builds with a
 * sanitizer have neither, for those look into files and at processes of their own accord.
 *
 * Errors: TT_E_IO, only where env->sandbox is TT_SANDBOX_REQUIRE and a part is missing. Allocates nothing.
 */
#ifndef TT_IO_SANDBOX_H
#define TT_IO_SANDBOX_H

#include "base/env.h"

/* NULL or NULL-terminated lists each; "-" and what does not exist are passed over. */
struct tt_sandbox_plan {
	const char *const *read;      /* files, and directories with all below them */
	const char *const *write;     /* outputs, there or not yet: the directory each is in; directories: as they are */
	const char *const *scratch;   /* directories for temporary files that are made and read again */
	bool children;                /* processes are forked, signalled and waited for; enter only */
	bool tell;                    /* messages and descriptors are sent on sockets that are there */
};

struct tt_sandbox_parts {
	unsigned landlock;            /* version of the kernel's interface; 0: none */
	bool seccomp;
	const char *why;              /* where both are missing: the reason, else NULL */
};

struct tt_sandbox_parts tt_sandbox_probe(void);

/* The mode ${text} (of the environment; NULL: not set) names: "on", "off", "require", "". */
int tt_sandbox_mode(const char *text, enum tt_sandbox_mode *mode, struct tt_err *err);

int tt_sandbox_enter(const struct tt_env *env, const struct tt_sandbox_plan *plan, struct tt_err *err);
int tt_sandbox_seal(const struct tt_env *env, const struct tt_sandbox_plan *plan, struct tt_err *err);

#endif

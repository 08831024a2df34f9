/**
 * Gives up rights that a process which reads untrusted bytes does not need: Landlock for files and network, seccomp for system calls.
 *
 * Two stages, neither of which can be undone:
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
 * Either stage can be used without the other. Denied calls fail with EACCES (Landlock) or EPERM (seccomp). Open
 * descriptors keep working. A stage holds for the calling thread and threads that it starts later: call it before
 * there are other threads.
 *
 * If the kernel lacks Landlock or seccomp, the other is used alone; tt_sandbox_probe() says which there are. Builds
 * with a sanitizer use neither, because the sanitizer itself opens files and looks at processes.
 *
 * Errors: TT_E_IO, only where env->sandbox is TT_SANDBOX_REQUIRE and a part is missing. Allocates nothing.
 */
#ifndef TT_IO_SANDBOX_H
#define TT_IO_SANDBOX_H

#include "base/env.h"

/* Each list is NULL or NULL-terminated; "-" and names that do not exist are ignored. */
struct tt_sandbox_plan {
	const char *const *read;      /* files, and directories with all below them */
	const char *const *write;     /* outputs, existing or not: the directory of each is allowed; directories: these themselves */
	const char *const *scratch;   /* directories for temporary files that are made and read again */
	bool has_children;            /* true: the process forks, signals and waits for others; only for enter */
	bool sends_messages;          /* true: it sends messages and descriptors on sockets that are open already */
};

struct tt_sandbox_parts {
	unsigned landlock_version;    /* version of the kernel's interface; 0: none */
	bool has_seccomp;
	const char *why;              /* the reason if both are missing, else NULL */
};

struct tt_sandbox_parts tt_sandbox_probe(void);

/* Set *${mode} from ${text}, the value of an environment variable (NULL: not set): "on", "off", "require", "". */
int tt_sandbox_mode(const char *text, enum tt_sandbox_mode *mode, struct tt_err *err);

int tt_sandbox_enter(const struct tt_env *env, const struct tt_sandbox_plan *plan, struct tt_err *err);
int tt_sandbox_seal(const struct tt_env *env, const struct tt_sandbox_plan *plan, struct tt_err *err);

#endif

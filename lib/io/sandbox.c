/**
 * Gives up what a process does not need: files, system calls, network.
 */
#include "io/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/dest.h"
#include "io/syscalls.h"
#include "sys/sys.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* --- Landlock ---------------------------------------------------------------------- */

/*
 * The interface, from the kernel's manual: userspace-api/landlock. It is repeated here because headers older than
 * the kernel lack some rights, which would then stay allowed. The numbers are the same on all machines.
 */
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define ASK_VERSION 1u
#define PATH_BENEATH 1

#define FS_EXECUTE UINT64_C(0x1)
#define FS_WRITE_FILE UINT64_C(0x2)
#define FS_READ_FILE UINT64_C(0x4)
#define FS_READ_DIR UINT64_C(0x8)
#define FS_REMOVE_FILE UINT64_C(0x20)
#define FS_MAKE_DIR UINT64_C(0x80)
#define FS_MAKE_REG UINT64_C(0x100)
#define FS_REFER UINT64_C(0x2000)
#define FS_TRUNCATE UINT64_C(0x4000)
#define FS_IOCTL_DEV UINT64_C(0x8000)
/* The rights that may be allowed for something that is not a directory. */
#define FS_OF_FILE (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

struct ruleset {
	uint64_t fs, net, scoped;
};

struct __attribute__((packed)) beneath {
	uint64_t allowed;
	int32_t fd;
};

/* Return all rights that a version of Landlock knows: each is denied unless a rule allows it. */
static struct ruleset
everything(unsigned version)
{
	static const uint64_t fs[] = { 0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff };
	const size_t last = sizeof fs / sizeof fs[0] - 1;

	return (struct ruleset){
		.fs = fs[version < last ? version : last],
		.net = version >= 4 ? 3 : 0,          /* bind, connect */
		.scoped = version >= 6 ? 3 : 0,       /* abstract sockets, signals */
	};
}

static unsigned
landlock_version(void)
{
	long v = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);

	return v > 0 ? (unsigned)v : 0;
}

/* True if the errno ${sys} is a shortage that may be over at the next try. */
static bool
short_of(int sys)
{
	return sys == EMFILE || sys == ENFILE || sys == ENOMEM;
}

/* Allow ${allowed} below ${path}. Returns 0, or an errno if the system is short of something. */
static int
add_rule(int rules, const struct ruleset *r, const char *path, uint64_t allowed)
{
	struct stat st;
	int fd = open(path, O_PATH | O_CLOEXEC), sys = 0;

	/* A missing file is no error here: opening it later fails with a better message. */
	if (fd < 0)
		return short_of(errno) ? errno : 0;
	if (fstat(fd, &st) == 0) {
		struct beneath b = { .allowed = allowed & r->fs, .fd = fd };

		if (!S_ISDIR(st.st_mode))
			b.allowed &= FS_OF_FILE;
		/* Landlock takes no rule for pipes and the like, which need none. */
		if (b.allowed && syscall(ADD_RULE, rules, PATH_BENEATH, &b, 0) != 0)
			sys = errno;
	}
	close(fd);
	return short_of(sys) ? sys : 0;
}

/* Write the directory part of ${path} to ${dir}; false if it is too long. */
static bool
dir_of(const char *path, char *dir, size_t size)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) + 1 : 0;

	if (n + 2 > size)
		return false;
	memcpy(dir, n ? path : ".", n ? n : 2);
	dir[n ? n : 1] = '\0';
	return true;
}

enum target { NOTHING, FOLDER, BESIDE, DIRECT };

/* Tell how output ${path} is written: as files in it (a folder), by a temporary beside it, or directly. */
static enum target
target_of(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		return NOTHING;
	if (stat(path, &st) != 0 || S_ISREG(st.st_mode))
		return BESIDE;
	return S_ISDIR(st.st_mode) ? FOLDER : DIRECT;
}

static int
add_output(int rules, const struct ruleset *r, const char *path)
{
	const uint64_t make =
	    FS_WRITE_FILE | FS_MAKE_REG | FS_REMOVE_FILE | FS_MAKE_DIR | FS_TRUNCATE | FS_REFER;
	enum target how = target_of(path);
	char dir[4096];
	int sys = 0;

	if (how == FOLDER) {
		sys = add_rule(rules, r, path, make);
	} else if (how == DIRECT) {
		sys = add_rule(rules, r, path, FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV);
	} else if (how == BESIDE) {
		char made[TT_PATH_BYTES];

		if (tt_dest_follow(path, made) == 0 && dir_of(made, dir, sizeof dir))
			sys = add_rule(rules, r, dir, make);
	}
	return sys;
}

/*
 * Allow temporary files in ${dir}. They have no names, unless the file system does not support that: then they have a name for a moment.
 */
static int
add_scratch(int rules, const struct ruleset *r, const char *dir)
{
	uint64_t allowed = FS_READ_FILE | FS_WRITE_FILE;

	if (tt_sys_scratch_is_named(dir))
		allowed |= FS_MAKE_REG | FS_REMOVE_FILE;
	return add_rule(rules, r, dir, allowed);
}

static int
landlock(const struct tt_sandbox_plan *plan, bool sealed)
{
	struct ruleset r = everything(landlock_version());
	int rules, sys = 0;

	if (r.fs == 0)
		return ENOSYS;
	rules = (int)syscall(CREATE_RULESET, &r, sizeof r, 0);
	if (rules < 0)
		return errno;
	for (size_t i = 0; sys == 0 && !sealed && plan->read && plan->read[i]; i++)
		sys = add_rule(rules, &r, plan->read[i], FS_READ_FILE | FS_READ_DIR);
	for (size_t i = 0; sys == 0 && plan->write && plan->write[i]; i++)
		sys = add_output(rules, &r, plan->write[i]);
	for (size_t i = 0; sys == 0 && plan->scratch && plan->scratch[i]; i++)
		sys = add_scratch(rules, &r, plan->scratch[i]);
	if (sys == 0 && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(RESTRICT_SELF, rules, 0) != 0))
		sys = errno;
	close(rules);
	return sys;
}

/* --- both ---------------------------------------------------------------------------- */

struct tt_sandbox_parts
tt_sandbox_probe(void)
{
	struct tt_sandbox_parts p = { 0 };

	if (SANITIZED) {
		p.why = "built with a sanitizer";
		return p;
	}
	p.landlock_version = landlock_version();
	p.has_seccomp = tt_syscalls_can_limit();
	if (!p.landlock_version && !p.has_seccomp)
		p.why = "this kernel has neither Landlock nor seccomp for this machine";
	return p;
}

/* Judge the results of Landlock, ${files}, and of seccomp, ${calls}: 0 or an errno each. */
static int
judge(const struct tt_env *env, int files, int calls, bool say, struct tt_err *err)
{
	if (short_of(files))
		return tt_fail_sys(err, files, "cannot set up the sandbox");
	if (env->sandbox == TT_SANDBOX_REQUIRE && (files || calls))
		return tt_fail_sys(err, files ? files : calls,
		    "TRACETOOL_SANDBOX=require, and there is no %s here", files ? "Landlock" : "seccomp");
	/* Logged in quiet runs, too: whoever relies on the sandbox must see that it is missing. */
	if (say && files && calls)
		tt_log(env, TT_LOG_QUIET,
		    "no sandbox: this kernel has neither Landlock nor seccomp (TRACETOOL_SANDBOX=off says nothing)");
	else if (say && (files || calls))
		tt_log(env, TT_LOG_QUIET, "half a sandbox: no %s here (%s)", files ? "Landlock" : "seccomp",
		    strerror(files ? files : calls));
	return TT_OK;
}

static bool
wanted(const struct tt_env *env)
{
	return env->sandbox == TT_SANDBOX_REQUIRE || (env->sandbox == TT_SANDBOX_ON && !SANITIZED);
}

int
tt_sandbox_enter(const struct tt_env *env, const struct tt_sandbox_plan *plan, struct tt_err *err)
{
	unsigned what = TT_SYS_OPEN | TT_SYS_NAMES | TT_SYS_CONFINE | (plan->has_children ? TT_SYS_CHILDREN : 0) |
	    (plan->sends_messages ? TT_SYS_SEND_MESSAGES : 0);

	if (!wanted(env))
		return TT_OK;
	if (SANITIZED)
		return judge(env, ENOSYS, ENOSYS, true, err);
	int files = landlock(plan, false);
	int calls = tt_syscalls_limit(what);
	return judge(env, files, calls, true, err);
}

int
tt_sandbox_seal(const struct tt_env *env, const struct tt_sandbox_plan *plan, struct tt_err *err)
{
	unsigned what = plan->sends_messages ? TT_SYS_SEND_MESSAGES : 0;

	if (!wanted(env))
		return TT_OK;
	if (SANITIZED)
		return judge(env, ENOSYS, ENOSYS, false, err);
	for (size_t i = 0; plan->scratch && plan->scratch[i]; i++)
		what |= TT_SYS_OPEN_UNNAMED | (tt_sys_scratch_is_named(plan->scratch[i]) ? TT_SYS_OPEN_NEW | TT_SYS_NAMES : 0);
	for (size_t i = 0; plan->write && plan->write[i]; i++) {
		enum target how = target_of(plan->write[i]);

		what |= how == DIRECT ? TT_SYS_OPEN_WRITE : how == NOTHING ? 0 : TT_SYS_OPEN_NEW | TT_SYS_NAMES;
	}
	int files = landlock(plan, true);
	int calls = tt_syscalls_limit(what);
	return judge(env, files, calls, false, err);
}

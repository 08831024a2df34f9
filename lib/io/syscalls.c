/**
 * Makes the filter of system calls.
 */
#include "io/syscalls.h"

#include <errno.h>

#ifdef __linux__
#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && !defined(__ILP32__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define ARCH AUDIT_ARCH_AARCH64
#endif
#endif

#ifdef ARCH

/* System calls from this number on have the same number on all machines, and are newer than those listed here (futex_waitv is the last). */
#define NEWER 450

/* On x86-64 the numbers of another interface to the same kernel begin here. */
#define X32 0x40000000

struct program {
	struct sock_filter at[512];
	unsigned short n;
};

static void
put(struct program *p, unsigned code, uint32_t k, unsigned jt, unsigned jf)
{
	if (p->n < sizeof p->at / sizeof p->at[0])
		p->at[p->n] = (struct sock_filter){ (uint16_t)code, (uint8_t)jt, (uint8_t)jf, k };
	p->n++;
}

static void
answer(struct program *p, uint32_t what)
{
	put(p, BPF_RET | BPF_K, what, 0, 0);
}

static void
load(struct program *p, size_t at)
{
	put(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)at, 0, 0);
}

/* Allow the ${n} calls of ${list}. Before and after, the number of the call is in the accumulator. */
static void
allow(struct program *p, const int *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)list[i], 0, 1);
		answer(p, SECCOMP_RET_ALLOW);
	}
}

#define ALLOW(p, ...) allow(p, (const int[]){ __VA_ARGS__ }, sizeof (int[]){ __VA_ARGS__ } / sizeof (int))

/* A test: true if the lower half of argument ${arg}, masked with ${mask}, equals ${value}. */
struct test {
	unsigned arg;
	uint32_t mask, value;
};

/* Allow ${nr} where all ${n} tests hold. */
static void
allow_when(struct program *p, int nr, const struct test *t, unsigned n)
{
	const uint16_t one = 1;
	bool big = *(const uint8_t *)&one == 0;

	put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 3 * n + 2);
	for (unsigned i = 0; i < n; i++) {
		load(p, offsetof(struct seccomp_data, args) + 8 * t[i].arg + (big ? 4 : 0));
		put(p, BPF_ALU | BPF_AND | BPF_K, t[i].mask, 0, 0);
		put(p, BPF_JMP | BPF_JEQ | BPF_K, t[i].value, 0, 3 * (n - i) - 2);
	}
	answer(p, SECCOMP_RET_ALLOW);
	load(p, offsetof(struct seccomp_data, nr));
}

static void
allow_if(struct program *p, int nr, unsigned arg, uint32_t mask, uint32_t value)
{
	allow_when(p, nr, &(const struct test){ arg, mask, value }, 1);
}

static void
refuse(struct program *p, int nr, uint32_t sys)
{
	put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1);
	answer(p, SECCOMP_RET_ERRNO | sys);
}

/* Mode bits that run a file with its owner's or group's rights. */
#define MODE_AS_OWNER 07000

/* Allow open() and openat() if their flags, masked with ${mask}, equal ${flags}. */
static void
allow_open(struct program *p, uint32_t mask, uint32_t flags)
{
#ifdef SYS_open
	allow_when(p, SYS_open, (const struct test[]){ { 1, mask, flags }, { 2, MODE_AS_OWNER, 0 } }, 2);
#endif
	allow_when(p, SYS_openat, (const struct test[]){ { 2, mask, flags }, { 3, MODE_AS_OWNER, 0 } }, 2);
}

/* --- allowed calls ------------------------------------------------------------ */

static void
data(struct program *p)
{
	ALLOW(p, SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_lseek, SYS_close,
	    SYS_fsync, SYS_fdatasync, SYS_sync_file_range, SYS_fadvise64, SYS_fstat, SYS_ppoll, SYS_dup,
	    SYS_ftruncate, SYS_fallocate, SYS_flock);
#ifdef SYS_poll
	ALLOW(p, SYS_poll);
#endif
	allow_if(p, SYS_fchmod, 1, MODE_AS_OWNER, 0);
	/* Other operations could choose a process that gets a signal when there is something to read. */
	static const uint32_t fcntls[] = { F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETPIPE_SZ };
	for (size_t i = 0; i < sizeof fcntls / sizeof fcntls[0]; i++)
		allow_if(p, SYS_fcntl, 1, UINT32_MAX, fcntls[i]);
	/* Only to ask about a terminal: other operations could put characters into its input. */
	allow_if(p, SYS_ioctl, 1, UINT32_MAX, TCGETS);
	allow_if(p, SYS_ioctl, 1, UINT32_MAX, TIOCGWINSZ);
}

static void
memory_and_threads(struct program *p)
{
	ALLOW(p, SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_futex, SYS_set_robust_list,
	    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
	    SYS_setitimer, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep,
	    SYS_gettimeofday, SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid,
	    SYS_getegid, SYS_sched_yield, SYS_sched_getaffinity, SYS_getrandom, SYS_getrusage, SYS_sysinfo,
	    SYS_uname, SYS_membarrier, SYS_exit, SYS_exit_group);
#ifdef SYS_rseq
	ALLOW(p, SYS_rseq);
#endif
	/* Never executable memory. */
	allow_if(p, SYS_mmap, 2, PROT_EXEC, 0);
	allow_if(p, SYS_mprotect, 2, PROT_EXEC, 0);
	allow_if(p, SYS_prlimit64, 0, UINT32_MAX, 0);
	allow_if(p, SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
	/* The flags of clone3() are in memory, which a filter cannot read. If it fails, the C library uses clone(). */
#ifdef SYS_clone3
	refuse(p, SYS_clone3, ENOSYS);
#endif
	allow_if(p, SYS_tgkill, 0, UINT32_MAX, (uint32_t)getpid());
}

/* Allow calls about the existence and attributes of files, not about contents. */
static void
examine(struct program *p)
{
	ALLOW(p, SYS_newfstatat, SYS_faccessat, SYS_readlinkat, SYS_getcwd, SYS_fstatfs);
#ifdef SYS_stat
	ALLOW(p, SYS_stat, SYS_lstat, SYS_access, SYS_readlink);
#endif
#ifdef SYS_statx
	ALLOW(p, SYS_statx);
#endif
#ifdef SYS_faccessat2
	ALLOW(p, SYS_faccessat2);
#endif
}

static void
names(struct program *p)
{
	ALLOW(p, SYS_renameat2, SYS_unlinkat, SYS_linkat);
#ifdef SYS_renameat
	ALLOW(p, SYS_renameat);
#endif
#ifdef SYS_rename
	ALLOW(p, SYS_rename, SYS_unlink, SYS_link);
#endif
}

static void
open_any(struct program *p)
{
	allow_open(p, 0, 0);
	ALLOW(p, SYS_getdents64, SYS_mkdirat, SYS_chdir, SYS_fchdir, SYS_umask, SYS_inotify_init1,
	    SYS_inotify_add_watch, SYS_inotify_rm_watch, SYS_memfd_create, SYS_utimensat);
#ifdef SYS_open
	ALLOW(p, SYS_mkdir, SYS_rmdir);
#endif
}

static void
children(struct program *p)
{
	ALLOW(p, SYS_clone, SYS_wait4, SYS_waitid, SYS_kill, SYS_tgkill, SYS_pipe2, SYS_dup3, SYS_setpgid,
	    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_signalfd4, SYS_timerfd_create,
	    SYS_timerfd_settime);
#ifdef SYS_fork
	ALLOW(p, SYS_fork, SYS_pipe, SYS_dup2, SYS_setrlimit, SYS_epoll_wait);
#endif
#ifdef SYS_pidfd_open
	ALLOW(p, SYS_pidfd_open, SYS_pidfd_send_signal);
#endif
#ifdef SYS_close_range
	ALLOW(p, SYS_close_range);
#endif
}

static void
tell(struct program *p)
{
	ALLOW(p, SYS_sendmsg, SYS_recvmsg, SYS_sendto, SYS_recvfrom, SYS_pipe2, SYS_memfd_create, SYS_sendfile);
}

static void
build(struct program *p, unsigned what)
{
	p->n = 0;
	load(p, offsetof(struct seccomp_data, arch));
	put(p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	answer(p, SECCOMP_RET_KILL_PROCESS);
	load(p, offsetof(struct seccomp_data, nr));
	data(p);
	memory_and_threads(p);
	examine(p);
	if (what & TT_SYS_NAMES)
		names(p);
	if (what & TT_SYS_OPEN)
		open_any(p);
	if (what & TT_SYS_OPEN_NEW)
		allow_open(p, O_CREAT | O_EXCL, O_CREAT | O_EXCL);
	if (what & TT_SYS_OPEN_UNNAMED)
		allow_open(p, O_TMPFILE | O_EXCL, O_TMPFILE | O_EXCL);
	if (what & TT_SYS_OPEN_WRITE)
		allow_open(p, O_ACCMODE | O_CREAT, O_WRONLY);
	if (what & TT_SYS_CHILDREN) {
		children(p);
		allow_if(p, SYS_socketpair, 0, UINT32_MAX, AF_UNIX);
	}
	if (what & TT_SYS_SEND_MESSAGES)
		tell(p);
	/* Landlock's three calls have the numbers 444 to 446 on all machines. */
	if (what & TT_SYS_CONFINE)
		ALLOW(p, 444, 445, 446, SYS_prctl, SYS_seccomp);
	put(p, BPF_JMP | BPF_JGE | BPF_K, X32, 1, 0);
	put(p, BPF_JMP | BPF_JGE | BPF_K, NEWER, 1, 0);
	answer(p, SECCOMP_RET_ERRNO | EPERM);
	answer(p, SECCOMP_RET_ERRNO | ENOSYS);
}

bool
tt_syscalls_can_limit(void)
{
	uint32_t action = SECCOMP_RET_ERRNO;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int
tt_syscalls_limit(unsigned what)
{
	struct program p;
	struct sock_fprog prog = { .filter = p.at };

	build(&p, what);
	if (p.n > sizeof p.at / sizeof p.at[0])
		return E2BIG;
	prog.len = p.n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return errno;
	/* Without the flag, kernels before 5.16 slow the process down to close side channels that it does not have. */
#ifdef SECCOMP_FILTER_FLAG_SPEC_ALLOW
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &prog) == 0)
		return 0;
#endif
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0 ? 0 : errno;
}

#else

bool
tt_syscalls_can_limit(void)
{
	return false;
}

int
tt_syscalls_limit(unsigned what)
{
	(void)what;
	return ENOSYS;
}

#endif

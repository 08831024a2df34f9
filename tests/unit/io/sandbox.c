/*
 * Tests of io/sandbox.h: what each stage denies and what it leaves, tried from inside.
 *
 * Every attempt is made by a child of its own, which has entered the stage; its exit status is the errno, 0 where
 * the attempt succeeded. In a build with a sanitizer there is no sandbox, and that is what is tested.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "io/sandbox.h"
#include "io/sink.h"
#include "io/spool.h"
#include "io/src.h"

enum stage { NONE, ENTERED, SEALED, NOTHING };

#define FAILED 200            /* the stage itself */
#define KILLED 201

static struct tt_env env;
static char in_dir[300], out_dir[300], tmp_dir[300], other_dir[300];

/* What was open before: a file, and a pipe. */
static int opened = -1, pipe_end[2];

static const char *
in(const char *dir, const char *name)
{
	static char path[8][600];
	static unsigned i;

	i = (i + 1) % 8;
	snprintf(path[i], sizeof path[i], "%s/%s", dir, name);
	return path[i];
}

static void
make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0 && write(fd, "text", 4) == 4);
	close(fd);
}

static void
remove_files(void)
{
	const char *const dir[] = { in_dir, out_dir, tmp_dir, other_dir };

	for (size_t i = 0; i < 4; i++) {
		unlink(in(dir[i], "file"));
		rmdir(dir[i]);
	}
	rmdir(check_dir());
}

static bool
prepare(void)
{
	struct { char *to; const char *name; } dir[] = {
		{ in_dir, "in" }, { out_dir, "out" }, { tmp_dir, "tmp" }, { other_dir, "other" },
	};

	if (!in_dir[0])
		atexit(remove_files);
	/* An attempt may have left a lease on it, which would hold up writing the file until the kernel breaks the lease: 45 s. */
	if (opened >= 0)
		close(opened);
	for (size_t i = 0; i < 4; i++) {
		snprintf(dir[i].to, sizeof in_dir, "%s/%s", check_dir(), dir[i].name);
		mkdir(dir[i].to, 0700);
		make_file(in(dir[i].to, "file"));
	}
	opened = open(in(other_dir, "file"), O_RDONLY);
	CHECK(opened >= 0);
	env.sandbox = TT_SANDBOX_REQUIRE;
	env.tmpdir = tmp_dir;
	return !tt_sandbox_probe().why;
}

/* What ${attempt} meets behind ${stage}: 0, or an errno. */
static int
meet(enum stage stage, int (*attempt)(void))
{
	const char *const from[] = { in_dir, NULL }, *const to[] = { in(out_dir, "file"), "-", NULL };
	const char *const scratch[] = { tmp_dir, NULL };
	const struct tt_sandbox_plan plan = { .read = from, .write = to, .scratch = scratch }, none = { 0 };
	struct tt_err err;
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (stage != NONE && tt_sandbox_enter(&env, &plan, &err) != TT_OK)
			_exit(FAILED);
		if (stage == SEALED && tt_sandbox_seal(&env, &plan, &err) != TT_OK)
			_exit(FAILED);
		if (stage == NOTHING && tt_sandbox_seal(&env, &none, &err) != TT_OK)
			_exit(FAILED);
		errno = 0;
		_exit(attempt() == 0 ? 0 : errno);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED;
}

static bool
denied(int sys)
{
	return sys == EPERM || sys == EACCES || sys == EXDEV;
}

/* --- attempts ------------------------------------------------------------------ */

static int
try_open(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	return fd < 0 ? -1 : close(fd);
}

static int read_input(void) { return try_open(in(in_dir, "file"), O_RDONLY); }
static int read_other(void) { return try_open(in(other_dir, "file"), O_RDONLY); }
static int read_passwords(void) { return try_open("/etc/passwd", O_RDONLY); }
static int read_output(void) { return try_open(in(out_dir, "file"), O_RDONLY); }
static int read_scratch(void) { return try_open(in(tmp_dir, "file"), O_RDONLY); }
static int list_input(void) { return try_open(in_dir, O_RDONLY | O_DIRECTORY); }
static int write_input(void) { return try_open(in(in_dir, "file"), O_WRONLY); }
static int write_other(void) { return try_open(in(other_dir, "file"), O_WRONLY); }
static int write_output(void) { return try_open(in(out_dir, "file"), O_WRONLY); }
static int make_in_input(void) { return try_open(in(in_dir, "new"), O_WRONLY | O_CREAT | O_EXCL); }
static int make_in_other(void) { return try_open(in(other_dir, "new"), O_WRONLY | O_CREAT | O_EXCL); }
static int make_in_output(void) { return try_open(in(out_dir, "new1"), O_WRONLY | O_CREAT | O_EXCL); }
static int make_in_scratch(void) { return try_open(in(tmp_dir, "new"), O_RDWR | O_CREAT | O_EXCL); }
static int remove_scratch(void) { return unlink(in(tmp_dir, "file")); }
static int rename_scratch(void) { return rename(in(tmp_dir, "file"), in(tmp_dir, "file2")); }
static int spool(void) { return try_open(tmp_dir, O_TMPFILE | O_RDWR | O_EXCL); }
static int spool_in_other(void) { return try_open(other_dir, O_TMPFILE | O_RDWR | O_EXCL); }
static int remove_input(void) { return unlink(in(in_dir, "file")); }
static int rename_input(void) { return rename(in(in_dir, "file"), in(in_dir, "other")); }
static int rename_away(void) { return rename(in(out_dir, "file"), in(other_dir, "new")); }
static int link_away(void) { return link(in(in_dir, "file"), in(out_dir, "linked")); }
static int make_link(void) { return symlink("/", in(out_dir, "symlink")); }

/* A file that whoever runs it runs as its owner, or as its group. */
static int
make_as(mode_t mode)
{
	int fd = open(in(out_dir, "new1"), O_WRONLY | O_CREAT | O_EXCL, mode);

	return fd < 0 ? -1 : close(fd);
}

static int make_set_user_id(void) { return make_as(04755); }
static int make_set_group_id(void) { return make_as(02755); }
static int spool_set_user_id(void) { return open(tmp_dir, O_TMPFILE | O_RDWR | O_EXCL, 04700) < 0 ? -1 : 0; }

static int set_user_id(void) { return fchmod(opened, 04700); }
static int set_group_id(void) { return fchmod(opened, 02700); }
static int set_mode(void) { return fchmod(opened, 0640); }
static int set_owner(void) { return fcntl(opened, F_SETOWN, getppid()); }
static int set_signal(void) { return fcntl(opened, F_SETSIG, SIGURG); }
static int set_async(void) { return fcntl(opened, F_SETFL, O_ASYNC); }
static int set_lease(void) { return fcntl(opened, F_SETLEASE, F_RDLCK); }

static int
set_owner_of_any_kind(void)
{
	struct f_owner_ex o = { F_OWNER_PID, getppid() };

	return fcntl(opened, F_SETOWN_EX, &o);
}

static int
inet(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) < 0 ? -1 : 0;
}

static int
local(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? -1 : 0;
}

static int
run_program(void)
{
	char *argv[] = { (char *)"true", NULL };

	return execv("/bin/true", argv);
}

static int
run_open_program(void)
{
	char *argv[] = { (char *)"true", NULL };

	/* The number alone: the descriptor is none, and the list is asked first. */
	return (int)syscall(SYS_execveat, 0, "", argv, NULL, 0x1000);
}

static int
trace(void)
{
	return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static int
signal_parent(void)
{
	return kill(getppid(), 0);
}

static int
fork_one(void)
{
	pid_t p = fork();

	if (p == 0)
		_exit(0);
	return p < 0 ? -1 : 0;
}

static int
run_memory(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}

static int
type_into_terminal(void)
{
	char c = '\n';

	return ioctl(0, TIOCSTI, &c);
}

static void *
nothing(void *arg)
{
	return malloc(100000) ? arg : NULL;
}

static int
start_thread(void)
{
	pthread_t t;
	void *back = NULL;

	errno = pthread_create(&t, NULL, nothing, &env);
	if (errno)
		return -1;
	pthread_join(t, &back);
	return back ? 0 : -1;
}

static int
signal_self(void)
{
	signal(SIGUSR1, SIG_IGN);
	return raise(SIGUSR1);
}

/* Replace the output as every verb does it. */
static int
replace_output(void)
{
	struct tt_sink *sink;
	struct tt_err err;

	if (tt_sink_open(&env, in(out_dir, "file"), &sink, &err) != TT_OK ||
	    tt_sink_write(sink, "new", 3, &err) != TT_OK || tt_sink_commit(sink, &err) != TT_OK) {
		errno = err.sys ? err.sys : EIO;
		return -1;
	}
	return 0;
}

/* --- the promises ---------------------------------------------------------------- */

static const struct attempt {
	const char *name;
	int (*run)(void);
	enum stage until;             /* the last stage in which it succeeds */
} attempts[] = {
#define ATTEMPT(f, stage) { #f, f, stage }
	ATTEMPT(read_input, ENTERED),
	ATTEMPT(list_input, ENTERED),
	ATTEMPT(read_other, NONE),
	ATTEMPT(read_passwords, NONE),
	ATTEMPT(read_output, NONE),
	ATTEMPT(read_scratch, ENTERED),
	ATTEMPT(write_input, NONE),
	ATTEMPT(write_other, NONE),
	ATTEMPT(write_output, ENTERED),
	ATTEMPT(make_in_input, NONE),
	ATTEMPT(make_in_other, NONE),
	ATTEMPT(make_in_output, SEALED),
	ATTEMPT(make_in_scratch, NONE),
	ATTEMPT(remove_scratch, NONE),
	ATTEMPT(rename_scratch, NONE),
	ATTEMPT(make_set_user_id, NONE),
	ATTEMPT(make_set_group_id, NONE),
	ATTEMPT(spool_set_user_id, NONE),
	ATTEMPT(set_user_id, NONE),
	ATTEMPT(set_group_id, NONE),
	ATTEMPT(set_mode, NOTHING),
	ATTEMPT(set_owner, NONE),
	ATTEMPT(set_owner_of_any_kind, NONE),
	ATTEMPT(set_signal, NONE),
	ATTEMPT(set_async, NONE),
	ATTEMPT(set_lease, NONE),
	ATTEMPT(spool, SEALED),
	ATTEMPT(spool_in_other, NONE),
	ATTEMPT(remove_input, NONE),
	ATTEMPT(rename_input, NONE),
	ATTEMPT(rename_away, NONE),
	ATTEMPT(link_away, NONE),
	ATTEMPT(make_link, NONE),
	ATTEMPT(inet, NONE),
	ATTEMPT(local, NONE),
	ATTEMPT(run_program, NONE),
	ATTEMPT(trace, NONE),
	ATTEMPT(signal_parent, NONE),
	ATTEMPT(fork_one, NONE),
	ATTEMPT(run_memory, NONE),
	ATTEMPT(start_thread, NOTHING),
	ATTEMPT(signal_self, NOTHING),
	ATTEMPT(replace_output, SEALED),
};

TEST(each_stage_leaves_what_it_says_and_denies_the_rest)
{
	if (!prepare())
		return;
	for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
		const struct attempt *a = &attempts[i];

		for (enum stage s = ENTERED; s <= NOTHING; s++) {
			int sys = meet(s, a->run);
			bool good = s <= a->until ? sys == 0 : denied(sys);

			if (!CHECK(good))
				printf("%s behind stage %d: %d (%s)\n", a->name, (int)s, sys, strerror(sys));
			unlink(in(out_dir, "new1"));
		}
	}
}

/* What would otherwise succeed, so that the denials above are the sandbox's doing. */
TEST(without_a_sandbox_the_attempts_succeed)
{
	static int (*const harmless[])(void) = {
		read_other, read_passwords, read_output, write_input, write_other, spool_in_other, make_link, inet, local,
		run_program, trace, signal_parent, fork_one, run_memory, rename_input, make_in_scratch, make_set_user_id,
		spool_set_user_id, set_user_id, set_group_id, set_owner, set_owner_of_any_kind, set_signal, set_async, set_lease,
		rename_scratch,
	};

	if (!prepare())
		return;
	for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
		if (!CHECK_EQ_INT(meet(NONE, harmless[i]), 0))
			printf("attempt %zu\n", i);
	}
	unlink(in(out_dir, "symlink"));
	unlink(in(out_dir, "new1"));
	unlink(in(tmp_dir, "new"));
	unlink(in(tmp_dir, "file2"));
}

TEST(calls_without_a_use_are_refused_before_they_are_looked_at)
{
	if (!prepare())
		return;
	for (enum stage s = ENTERED; s <= NOTHING; s++) {
		CHECK_EQ_INT(meet(s, run_open_program), EPERM);
		CHECK_EQ_INT(meet(s, type_into_terminal), EPERM);
	}
}

static int
newest_call(void)
{
	return (int)syscall(9999);
}

TEST(calls_nobody_knows_yet_are_not_there)
{
	if (prepare())
		CHECK_EQ_INT(meet(SEALED, newest_call), ENOSYS);
}

/* --- outputs that are no files, links ------------------------------------------------ */

static const char *only_output;

static int
meet_output(const char *output, int (*attempt)(void))
{
	const char *const to[] = { output, NULL };
	const struct tt_sandbox_plan plan = { .write = to };
	struct tt_err err;
	int status;
	pid_t child;

	only_output = output;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (tt_sandbox_enter(&env, &plan, &err) != TT_OK || tt_sandbox_seal(&env, &plan, &err) != TT_OK)
			_exit(FAILED);
		_exit(attempt() == 0 ? 0 : errno);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED;
}

static int
sink_to_output(void)
{
	struct tt_sink *sink;
	struct tt_err err = { 0 };

	if (tt_sink_open(&env, only_output, &sink, &err) != TT_OK || tt_sink_write(sink, "new", 3, &err) != TT_OK ||
	    tt_sink_commit(sink, &err) != TT_OK) {
		errno = err.sys ? err.sys : EIO;
		return -1;
	}
	return 0;
}

static int write_null(void) { return try_open("/dev/null", O_WRONLY); }
static int read_null(void) { return try_open("/dev/null", O_RDONLY); }
static int write_zero(void) { return try_open("/dev/zero", O_WRONLY); }

TEST(a_device_is_written_and_no_other_one)
{
	if (!prepare())
		return;
	CHECK_EQ_INT(meet_output("/dev/null", sink_to_output), 0);
	CHECK_EQ_INT(meet_output("/dev/null", write_null), 0);
	CHECK(denied(meet_output("/dev/null", read_null)));
	CHECK(denied(meet_output("/dev/null", write_zero)));
	CHECK_EQ_INT(meet_output("/dev/full", sink_to_output), ENOSPC);
}

TEST(the_file_behind_a_link_is_replaced)
{
	char link_path[600];
	struct stat st;

	if (!prepare())
		return;
	snprintf(link_path, sizeof link_path, "%s/link", in_dir);
	CHECK_EQ_INT(symlink(in(out_dir, "file"), link_path), 0);
	CHECK_EQ_INT(meet_output(link_path, sink_to_output), 0);
	CHECK(lstat(link_path, &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(stat(in(out_dir, "file"), &st) == 0 && st.st_size == 3);
	unlink(link_path);
	CHECK_EQ_INT(symlink(in(out_dir, "to come"), link_path), 0);
	CHECK_EQ_INT(meet_output(link_path, sink_to_output), 0);
	CHECK(stat(in(out_dir, "to come"), &st) == 0 && st.st_size == 3);
	unlink(in(out_dir, "to come"));
	unlink(link_path);
}

/* --- where something is short ------------------------------------------------------------ */

/* Enter with so few descriptors left; what it says, or 0 where it enters and the input can then be read. */
static int
enter_with(rlim_t descriptors)
{
	const char *const from[] = { in_dir, NULL }, *const to[] = { in(out_dir, "file"), NULL };
	const struct tt_sandbox_plan plan = { .read = from, .write = to };
	struct rlimit few = { descriptors, 4096 };
	struct tt_err err = { 0 };
	int free_fd = open("/dev/null", O_RDONLY);

	few.rlim_cur += (rlim_t)free_fd;
	close(free_fd);
	if (free_fd < 0 || setrlimit(RLIMIT_NOFILE, &few) != 0)
		return FAILED;
	if (tt_sandbox_enter(&env, &plan, &err) != TT_OK)
		return err.code == TT_E_IO && strstr(err.msg, "cannot set up the sandbox") ? err.sys : FAILED;
	return read_input() == 0 && replace_output() == 0 ? 0 : errno;
}

static int enter_with_0(void) { return (errno = enter_with(0)) ? -1 : 0; }
static int enter_with_1(void) { return (errno = enter_with(1)) ? -1 : 0; }
static int enter_with_2(void) { return (errno = enter_with(2)) ? -1 : 0; }

TEST(a_rule_that_cannot_be_made_is_told)
{
	if (!prepare())
		return;
	env.sandbox = TT_SANDBOX_ON;
	/* One for the rules, one for what they are about. */
	CHECK_EQ_INT(meet(NONE, enter_with_0), EMFILE);
	CHECK_EQ_INT(meet(NONE, enter_with_1), EMFILE);
	CHECK_EQ_INT(meet(NONE, enter_with_2), 0);
}

/* --- modes, descriptors, children --------------------------------------------------------- */

TEST(modes_have_names)
{
	enum tt_sandbox_mode mode = TT_SANDBOX_OFF;
	struct tt_err err;

	CHECK(tt_sandbox_mode(NULL, &mode, &err) == TT_OK && mode == TT_SANDBOX_ON);
	CHECK(tt_sandbox_mode("off", &mode, &err) == TT_OK && mode == TT_SANDBOX_OFF);
	CHECK(tt_sandbox_mode("", &mode, &err) == TT_OK && mode == TT_SANDBOX_ON);
	CHECK(tt_sandbox_mode("require", &mode, &err) == TT_OK && mode == TT_SANDBOX_REQUIRE);
	CHECK(tt_sandbox_mode("on", &mode, &err) == TT_OK && mode == TT_SANDBOX_ON);
	CHECK_EQ_INT(tt_sandbox_mode("yes", &mode, &err), TT_E_USAGE);
	CHECK_HAS(err.msg, "on, off, require");
}

TEST(off_denies_nothing)
{
	prepare();
	env.sandbox = TT_SANDBOX_OFF;
	CHECK_EQ_INT(meet(NOTHING, read_other), 0);
	CHECK_EQ_INT(meet(NOTHING, inet), 0);
}

static unsigned lines;

static void
count(void *arg, enum tt_log_level level, const char *line)
{
	(void)arg, (void)level, (void)line;
	lines++;
}

/* With a sanitizer "on" is as "off", and "require" fails: it must not be believed to be there. */
TEST(a_build_that_has_none_says_so)
{
	const struct tt_sandbox_plan none = { 0 };
	struct tt_err err = { 0 };

	if (prepare())
		return;
	env.log = count;
	CHECK_EQ_INT(tt_sandbox_enter(&env, &none, &err), TT_E_IO);
	CHECK_HAS(err.msg, "TRACETOOL_SANDBOX=require");
	CHECK_EQ_INT(tt_sandbox_seal(&env, &none, &err), TT_E_IO);
	env.sandbox = TT_SANDBOX_ON;
	CHECK_EQ_INT(tt_sandbox_enter(&env, &none, &err), TT_OK);
	CHECK_EQ_INT(meet(NOTHING, read_other), 0);
	CHECK_EQ_INT(lines, 0);
	env.log = NULL;
}

static int
use_open_descriptors(void)
{
	struct tt_src *src = NULL;
	struct tt_err err;
	char text[8];
	size_t got;
	int bad;

	if (tt_src_open_fd(&env, pipe_end[0], "a pipe", &src, &err) != TT_OK)
		return -1;
	bad = tt_src_read(src, text, 4, &got, &err) != TT_OK || got != 4 || memcmp(text, "pipe", 4) != 0;
	tt_src_close(src);
	return bad;
}

TEST(what_is_open_keeps_working)
{
	if (!prepare() || !CHECK_EQ_INT(pipe(pipe_end), 0))
		return;
	CHECK_EQ_INT(write(pipe_end[1], "pipe", 4), 4);
	close(pipe_end[1]);
	CHECK_EQ_INT(meet(NOTHING, use_open_descriptors), 0);
	close(pipe_end[0]);
}

/* --- half a sandbox ------------------------------------------------------------------------ */

static int
filter(struct sock_filter *at, unsigned short n)
{
	struct sock_fprog prog = { n, at };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}

/* From here on a kernel without Landlock, or without seccomp. */
static int
lack(int first, unsigned n)
{
	struct sock_filter at[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)first, 0, 2),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)first + n, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return filter(at, sizeof at / sizeof at[0]);
}

/* From here on file systems like NFS, where every file has a name. */
static int
lack_unnamed_files(void)
{
	struct sock_filter at[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_TMPFILE),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, O_TMPFILE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return filter(at, sizeof at / sizeof at[0]);
}

static char told[300];

static void
keep_line(void *arg, enum tt_log_level level, const char *line)
{
	(void)arg;
	if (level == TT_LOG_QUIET)
		snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", line);
}

/* Enter and seal; 0 if what is said is one line with ${about} in it. */
static int
enter_half(const char *about)
{
	const struct tt_sandbox_plan none = { 0 };
	struct tt_err err;
	const char *lf;

	told[0] = '\0';
	env.log = keep_line;
	env.log_level = TT_LOG_QUIET;
	env.sandbox = TT_SANDBOX_ON;
	if (tt_sandbox_enter(&env, &none, &err) != TT_OK || tt_sandbox_seal(&env, &none, &err) != TT_OK)
		return -1;
	errno = EPROTO;
	lf = strchr(told, '\n');
	return strstr(told, about) && lf && lf[1] == '\0' ? 0 : -1;
}

static int without_landlock(void) { return lack(444, 3) || enter_half("no Landlock here"); }
static int without_seccomp(void) { return lack(SYS_seccomp, 1) || enter_half("no seccomp here"); }

TEST(half_a_sandbox_is_told_once)
{
	if (!prepare())
		return;
	CHECK_EQ_INT(meet(NONE, without_landlock), 0);
	CHECK_EQ_INT(meet(NONE, without_seccomp), 0);
}

/* The whole way to a signal by a descriptor: who reads makes the pipe's other end send SIGUSR1 to the parent. */
static int
signal_by_pipe(void)
{
	char c;

	(void)fcntl(pipe_end[0], F_SETOWN, getppid());
	(void)fcntl(pipe_end[0], F_SETSIG, SIGUSR1);
	(void)fcntl(pipe_end[0], F_SETFL, O_ASYNC);
	return write(pipe_end[1], "!", 1) == 1 && read(pipe_end[0], &c, 1) == 1 ? 0 : -1;
}

/* What is put aside has a name for a moment, which is removed. */
static int
spool_with_name(void)
{
	const char *const scratch[] = { tmp_dir, NULL };
	const struct tt_sandbox_plan plan = { .scratch = scratch };
	struct tt_err err = { 0 };
	char back[5] = "";
	int fd;

	env.spool_max = UINT64_MAX;
	if (lack_unnamed_files() || tt_sandbox_enter(&env, &plan, &err) != TT_OK || tt_sandbox_seal(&env, &plan, &err) != TT_OK ||
	    tt_spool_open(&env, &fd, &err) != TT_OK || tt_spool_add(&env, &fd, 0, "aside", 5, &err) != TT_OK ||
	    tt_spool_read(&env, fd, "text", 0, back, 5, &err) != TT_OK) {
		errno = err.sys ? err.sys : EIO;
		return -1;
	}
	return memcmp(back, "aside", 5);
}

TEST(where_every_file_has_a_name_things_are_put_aside_as_well)
{
	if (!prepare())
		return;
	CHECK_EQ_INT(meet(NONE, spool_with_name), 0);
	/* The folder holds what it held: it can be removed without that. */
	CHECK_EQ_INT(unlink(in(tmp_dir, "file")), 0);
	CHECK_EQ_INT(rmdir(tmp_dir), 0);
}

static volatile sig_atomic_t signalled;

static void
on_signal(int sig)
{
	(void)sig;
	signalled = 1;
}

static int signal_by_pipe_without_landlock(void) { return without_landlock() || signal_by_pipe(); }

TEST(without_landlock_no_descriptor_signals_the_parent)
{
	struct sigaction sa = { .sa_handler = on_signal }, old;

	if (!prepare() || !CHECK_EQ_INT(pipe(pipe_end), 0))
		return;
	sigaction(SIGUSR1, &sa, &old);
	CHECK_EQ_INT(meet(NONE, signal_by_pipe_without_landlock), 0);
	CHECK(!signalled);
	CHECK_EQ_INT(meet(NONE, signal_by_pipe), 0);
	CHECK(signalled);
	sigaction(SIGUSR1, &old, NULL);
	close(pipe_end[0]);
	close(pipe_end[1]);
}

/* --- children ------------------------------------------------------------------------------ */

/* A parent that has entered makes children that seal themselves, and may stop them. */
static int
make_children(void)
{
	const char *const from[] = { in_dir, NULL };
	const struct tt_sandbox_plan plan = { .read = from, .has_children = true }, none = { 0 };
	struct tt_err err;
	int status, to[2];
	pid_t child;

	if (tt_sandbox_enter(&env, &plan, &err) != TT_OK || pipe(to) != 0)
		return -1;
	child = fork();
	if (child == 0) {
		if (tt_sandbox_seal(&env, &none, &err) != TT_OK || !denied(read_input() ? errno : 0) ||
		    !denied(fork_one() ? errno : 0) || write(to[1], "!", 1) != 1)
			_exit(1);
		for (;;)
			poll(NULL, 0, -1);
	}
	close(to[1]);
	if (child < 0 || read(to[0], &(char){ 0 }, 1) != 1 || kill(child, SIGKILL) != 0 ||
	    waitpid(child, &status, 0) != child)
		return -1;
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		errno = ECHILD;
	return WIFSIGNALED(status) ? read_input() : -1;
}

TEST(children_seal_themselves)
{
	if (prepare())
		CHECK_EQ_INT(meet(NONE, make_children), 0);
}


/**
 * Game threads are left alone: after its first event a thread makes no system call, does not wait, and touches almost no
 * new memory, whether the writer keeps up or not.
 *
 * A seccomp filter lets a thread do nothing but ask for its own usage and end; whatever else it tries ends the
 * process, and the call's number is told.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "check.h"
#include "play.h"

enum { THREADS = 4 };

/* Shared with the player. */
static struct report {
	_Atomic unsigned done;
	_Atomic int call;             /* + 1: a system call that was made */
	_Atomic uint64_t switches[THREADS], faults[THREADS], involuntary[THREADS];
} *report;

static unsigned events;
static double sink;

static void
on_sigsys(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	report->call = info->si_syscall + 1;
	syscall(SYS_exit_group, 99);
}

/* From here on the calling thread may do next to nothing. */
static void
forbid(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrusage, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof f / sizeof *f, f };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) != 0) {
		perror("seccomp");
		_exit(98);
	}
}

struct worker {
	struct play *p;
	unsigned i;
};

static void *
work(void *arg)
{
	const struct worker *w = arg;
	struct account_thread *t;
	struct rusage a, b;
	char name[32];

	snprintf(name, sizeof name, "Worker %u", w->i);
	t = account_thread(w->p->a, "Quiet", name);
	/* Its first event, and the first pages of its stack and of our own account. */
	game_solo(w->p->g, t, w->i, 2);
	memset(t->count, 0, ACCOUNT_MARKERS * sizeof *t->count);
	/* System calls would come in the first thousands already; a thread that worked a while before is of no interest. */
	forbid();
	getrusage(RUSAGE_THREAD, &a);
	game_solo(w->p->g, t, 100 + w->i, events);
	getrusage(RUSAGE_THREAD, &b);
	report->switches[w->i] = (uint64_t)(b.ru_nvcsw - a.ru_nvcsw);
	report->involuntary[w->i] = (uint64_t)(b.ru_nivcsw - a.ru_nivcsw);
	report->faults[w->i] = (uint64_t)(b.ru_minflt - a.ru_minflt + b.ru_majflt - a.ru_majflt);
	report->done++;
	/* Not through the C library's end of a thread, which unmaps its stack. */
	syscall(SYS_exit, 0);
	return NULL;
}

static void
work_quietly(struct play *p)
{
	struct sigaction s = { .sa_sigaction = on_sigsys, .sa_flags = SA_SIGINFO };
	struct worker w[THREADS];
	pthread_t t;

	sigaction(SIGSYS, &s, NULL);
	/* Touch the host's own pages: they are not what is measured. */
	game_solo(p->g, &p->a->thread[0], 99, 100000);
	if (sink >= 0)
		play_slow(sink);
	for (unsigned i = 0; i < THREADS; i++) {
		w[i] = (struct worker){ p, i };
		if (pthread_create(&t, NULL, work, &w[i]) != 0)
			abort();
	}
	while (report->done < THREADS) {
		engine_frame();
		nanosleep(&(struct timespec){ 0, 16000000 }, NULL);
	}
	play_slow_end();
	engine_unload(false);
	_exit(0);
}

static void
quiet(double slow, const char *options)
{
	struct play p = { .engine = { .callbacks = 2 }, .game = GAME_OPTS, .options = options, .last = work_quietly };

	sink = slow;
	events = play_long() ? 20000000 : 2000000;
	p.game.frames = 0;
	p.game.threads = 3;
	p.capture = check_path("quiet.ttc");
	report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK_EQ_INT(play_run(&p), 0);
	if (report->call)
		printf("system call %d was made\n", report->call - 1);
	CHECK_EQ_INT(report->call, 0);
	CHECK_EQ_INT(report->done, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		CHECK_EQ_INT(report->switches[i], 0);
		CHECK(report->faults[i] <= 16);
		printf("thread %u: %u events, %u page faults, %u voluntary and %u involuntary switches\n", i,
		    (unsigned)p.a->thread[3 + i].sent, (unsigned)report->faults[i], (unsigned)report->switches[i],
		    (unsigned)report->involuntary[i]);
	}
	munmap(report, sizeof *report);
	play_remove(p.capture);
	play_free(&p);
}

#define NOT_SANITIZED "sanitizers call the system themselves"

TEST(no_system_calls_no_waits_few_faults)
{
	if (play_sanitized())
		LEFT_OUT(NOT_SANITIZED);
	else
		quiet(-1, NULL);
}

TEST(nor_while_a_stuck_sink_makes_events_drop)
{
	if (play_sanitized())
		LEFT_OUT(NOT_SANITIZED);
	else
		quiet(0, "ring=4MiB");
}

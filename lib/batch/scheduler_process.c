/**
 * Starts and frees the worker processes of a batch.
 */
#include "batch/scheduler_state.h"

#include <errno.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "batch/child.h"

int64_t
tt_scheduler_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/*
 * Make this process die with its parent, by SIGTERM, so that it removes its temporaries; the batch itself may ignore SIGTERM.
 */
static int
die_with(pid_t parent)
{
	struct sigaction sa;

	if (sigaction(SIGTERM, NULL, &sa) == 0 && sa.sa_handler == SIG_IGN)
		signal(SIGTERM, SIG_DFL);
	return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent ? 0 : -1;
}

int
tt_scheduler_start(struct scheduler *m, struct proc *p, int in, const char *key, size_t nkey, struct tt_shard shard,
    struct tt_err *err)
{
	struct tt_child c = { .env = m->env, .o = m->o, .in = in, .member = p->role == ROLE_MEMBER, .file = p->file,
		.size = p->what && !(p->what->flags & TT_WIRE_STREAM) ? p->what->size : UINT64_MAX,
		.shard = shard, .key = key, .nkey = nkey };
	pid_t parent = getpid();
	int s[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s) != 0)
		return tt_fail_sys(err, errno, "cannot make a socket");
	p->pid = fork();
	if (p->pid < 0) {
		close(s[0]);
		close(s[1]);
		return tt_fail_sys(err, errno, "cannot start a process");
	}
	if (p->pid == 0) {
		if (die_with(parent) != 0)
			_exit(4);
		c.sock = s[1];
		tt_child(&c);
	}
	close(s[1]);
	p->sock = s[0];
	p->pidfd = pidfd_open(p->pid, 0);
	p->heard_ns = tt_scheduler_now();
	p->next = m->procs;
	m->procs = p;
	m->nproc++;
	if (p->pidfd >= 0)
		return TT_OK;
	return tt_fail_sys(err, errno, "cannot watch a process");
}

struct proc *
tt_scheduler_new_proc(struct scheduler *m, enum role role, size_t file, struct tt_err *err)
{
	struct proc *p = tt_mem_alloc(&m->env->mem, sizeof *p, err);

	if (p) {
		p->role = role;
		p->file = file;
		p->sock = p->pidfd = -1;
	}
	return p;
}

void
tt_scheduler_free_ready(struct scheduler *m, struct ready *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	tt_buf_free(&r->key);
	tt_buf_free(&r->cut);
	tt_mem_free(&m->env->mem, r, sizeof *r);
}

void
tt_scheduler_free_proc(struct scheduler *m, struct proc *p)
{
	for (struct proc **at = &m->procs; *at; at = &(*at)->next) {
		if (*at == p) {
			*at = p->next;
			m->nproc--;
			break;
		}
	}
	if (p->sock >= 0)
		close(p->sock);
	if (p->pidfd >= 0)
		close(p->pidfd);
	tt_scheduler_free_ready(m, p->what);
	tt_buf_free(&p->result);
	tt_mem_free(&m->env->mem, p, sizeof *p);
}

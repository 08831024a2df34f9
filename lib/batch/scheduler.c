/**
 * Gives captures to worker processes and waits for all that can happen.
 */
#include "batch/scheduler_state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "batch/analyse.h"
#include "batch/result.h"
#include "batch/sweep.h"
#include "io/sink.h"

#define TICK_MS 200
#define KILL_AFTER_NS INT64_C(1000000000)     /* time from asking a process to stop until it is killed */

static int
start_member(struct scheduler *m, struct tt_err *err)
{
	struct ready *r = m->first;
	struct proc *p = tt_scheduler_new_proc(m, ROLE_MEMBER, r->arch->file, err);
	int rc;

	if (!p)
		return err->code;
	m->first = r->next;
	if (!m->first)
		m->last = &m->first;
	p->arch = r->arch;
	p->what = r;
	m->analysing++;
	rc = tt_scheduler_start(m, p, r->fd, r->key.p, r->key.n, (struct tt_shard){ 1, 1 }, err);
	close(r->fd);
	r->fd = -1;
	return rc;
}

/* A file that cannot be opened is a failed capture. */
static int
cannot_open(struct scheduler *m, size_t i, int sys, struct tt_err *err)
{
	struct tt_buf body = { 0 };
	struct tt_result_id id;
	const char *why = strerrordesc_np(sys);
	int rc = tt_one_failed(&body, "failed", "io", why, strlen(why), err);

	tt_scheduler_id(m, i, "capture", &id);
	TT_THEN(rc, tt_scheduler_capture(m, &id, &body, &m->said, err));
	tt_buf_free(&body);
	m->sum.bytes += tt_scheduler_file(m, i)->size;
	return rc;
}

static int
start_file(struct scheduler *m, struct tt_err *err)
{
	size_t i = m->next_file++;
	const struct tt_scheduler_file *f = tt_scheduler_file(m, i);
	size_t n = strlen(f->key);
	const bool shared = f->shard == TT_SHARD_ALL;
	struct proc *p;
	int fd, rc;

	if (!shared && f->shard != m->o->shard.index)
		return TT_OK;
	if (!m->o->verify && m->o->done && m->o->done(m->o->arg, i, f->key, n, NULL)) {
		m->sum.bytes += f->size;
		return TT_OK;
	}
	fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return cannot_open(m, i, errno, err);
	p = tt_scheduler_new_proc(m, ROLE_FILE, i, err);
	if (!p) {
		close(fd);
		return err->code;
	}
	p->parts = shared ? m->o->shard.count : 0;
	m->analysing++;
	rc = tt_scheduler_start(m, p, fd, f->key, n, shared ? m->o->shard : (struct tt_shard){ 1, 1 }, err);
	close(fd);
	return rc;
}

/* True if a processor is free. An unpacker needs one, unless it waits for permission or for the reader of its pipe. */
static bool
has_room(const struct scheduler *m)
{
	unsigned busy = m->analysing;

	for (const struct proc *p = m->procs; p; p = p->next)
		busy += p->role == ROLE_UNPACKER && p->arch->ngranted > 0 && !p->arch->streams;
	return busy < m->o->jobs;
}

/* True if one more archive may be opened. Any file may turn out to be one. */
static bool
may_open(const struct scheduler *m)
{
	unsigned open = m->unpacking;

	for (const struct proc *p = m->procs; p; p = p->next)
		open += p->role == ROLE_FILE;
	return m->next_file < m->o->nfile && open < m->o->jobs;
}

/*
 * Start captures that wait first, because they hold memory; then the next file. Start no more processes than jobs: else
 * the unpacker of the largest archive would get only a share of a processor, and the run would end with that process
 * alone.
 */
static int
start_work(struct scheduler *m, struct tt_err *err)
{
	int rc = TT_OK;

	while (rc == TT_OK && (m->first || may_open(m)) && has_room(m))
		rc = m->first ? start_member(m, err) : start_file(m, err);
	return rc;
}

/* Stop processes that take too long. An unpacker that waits for a slot is not late. */
static void
check_times(struct scheduler *m, int64_t now)
{
	for (struct proc *p = m->procs; p; p = p->next) {
		bool waits = p->role == ROLE_UNPACKER && p->arch->ngranted == 0;

		if (p->exited)
			continue;
		if (p->kill_ns && now - p->kill_ns > KILL_AFTER_NS)
			kill(p->pid, SIGKILL);
		if (p->kill_ns || waits || m->o->capture_ns == 0 || now - p->heard_ns <= m->o->capture_ns)
			continue;
		p->timeout = true;
		p->kill_ns = now;
		kill(p->pid, SIGTERM);
	}
}

static int
wait_for_news(struct scheduler *m, struct tt_err *err)
{
	size_t n = 0;

	if (tt_mem_grow(&m->env->mem, &m->poll, &m->cappoll, 2 * m->nproc + 1, sizeof *m->poll, err) != TT_OK)
		return err->code;
	for (struct proc *p = m->procs; p; p = p->next) {
		m->poll[n++] = (struct pollfd){ .fd = p->exited ? -1 : p->sock, .events = POLLIN };
		m->poll[n++] = (struct pollfd){ .fd = p->exited ? -1 : p->pidfd, .events = POLLIN };
	}
	if (poll(m->poll, n, TICK_MS) < 0 && errno != EINTR)
		return tt_fail_sys(err, errno, "cannot wait for processes");
	return TT_OK;
}

/* Remove files that ${p}, which has ended and was not waited for, may have left. */
static void
sweep(const struct scheduler *m, const struct proc *p)
{
	if (m->o->dir >= 0)
		tt_batch_sweep(m->o->dir, p->pid);
}

/* Take the last messages of a process that has exited, and its status. */
static int
reap(struct scheduler *m, struct proc *p, struct tt_err *err)
{
	siginfo_t info;
	int rc;

	if (waitid(P_PIDFD, (id_t)p->pidfd, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
		return TT_OK;
	rc = tt_scheduler_listen(m, p, err);
	if (info.si_code != CLD_EXITED || info.si_status != 0)
		sweep(m, p);
	while (waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR)
		;
	p->exited = true;
	return rc;
}

static int
hear_all(struct scheduler *m, struct tt_err *err)
{
	size_t n = 0;
	int rc = TT_OK;

	/* New processes go to the front of the list: those polled are the earlier ones, in their order. */
	for (struct proc *p = m->procs; p && rc == TT_OK; p = p->next, n += 2) {
		if (m->poll[n].revents & (POLLIN | POLLHUP | POLLERR))
			rc = tt_scheduler_listen(m, p, err);
		if (rc == TT_OK && m->poll[n + 1].revents)
			rc = reap(m, p, err);
	}
	/* Reap unpackers last: their last messages tell the ends of streams. */
	for (int pass = 0; pass < 2 && rc == TT_OK; pass++) {
		for (struct proc *p = m->procs, *next; p && rc == TT_OK; p = next) {
			next = p->next;
			if (p->exited)
				rc = tt_scheduler_ended(m, p, err);
		}
	}
	return rc;
}

static void
tick(struct scheduler *m)
{
	int64_t now = tt_scheduler_now();

	check_times(m, now);
	if (!m->o->tick || now - m->tick_ns < TICK_MS * INT64_C(1000000))
		return;
	m->tick_ns = now;
	m->o->tick(m->o->arg, &m->sum);
}

/* End everything that runs, and wait for it. */
static void
stop_all(struct scheduler *m)
{
	int64_t begun = tt_scheduler_now();

	m->stopping = true;
	for (struct proc *p = m->procs; p; p = p->next)
		kill(p->pid, SIGTERM);
	while (m->procs) {
		int status;
		siginfo_t info = { 0 };
		struct proc *p = m->procs;
		struct pollfd wait = { .fd = p->pidfd, .events = POLLIN };

		if (p->exited || p->pidfd < 0 || poll(&wait, 1, 20) != 0 || tt_scheduler_now() - begun > KILL_AFTER_NS / 10) {
			if (!p->exited) {
				kill(p->pid, SIGKILL);
				while (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
					;
				if (info.si_code != CLD_EXITED || info.si_status != 0)
					sweep(m, p);
				while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
					;
			}
			tt_scheduler_free_proc(m, p);
		}
	}
	while (m->first) {
		struct ready *r = m->first;

		m->first = r->next;
		tt_scheduler_free_ready(m, r);
	}
	while (m->archs)
		tt_scheduler_free_arch(m, m->archs);
}

int
tt_scheduler_run(struct tt_env *env, const struct tt_scheduler_opts *o, struct tt_scheduler_sum *sum, struct tt_err *err)
{
	struct scheduler m = { .env = env, .o = o };
	const int64_t begun = tt_scheduler_now();
	int rc = TT_OK;

	m.last = &m.first;
	m.wire = tt_mem_alloc(&env->mem, TT_WIRE_MAX, err);
	if (!m.wire)
		return err->code;
	for (size_t i = 0; i < o->nfile; i++)
		m.sum.total += o->file[i].shard == TT_SHARD_ALL || o->file[i].shard == o->shard.index ? o->file[i].size : 0;
	while (rc == TT_OK) {
		rc = tt_stopped(env) ? tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped") : start_work(&m, err);
		if (rc != TT_OK || m.nproc == 0 || (o->most_ns && tt_scheduler_now() - begun > o->most_ns))
			break;
		rc = wait_for_news(&m, err);
		TT_THEN(rc, hear_all(&m, err));
		tick(&m);
	}
	stop_all(&m);
	tt_scheduler_say_rest(&m, &m.said, "files");
	tt_buf_free(&m.line);
	tt_mem_free(&env->mem, m.poll, m.cappoll * sizeof *m.poll);
	tt_mem_free(&env->mem, m.wire, TT_WIRE_MAX);
	*sum = m.sum;
	return rc;
}

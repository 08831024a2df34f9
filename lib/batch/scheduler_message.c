/**
 * Handles messages from the worker processes of a batch.
 */
#include "batch/scheduler_state.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/env.h"
#include "base/json.h"
#include "batch/record.h"
#include "batch/result.h"
#include "io/ring_open.h"

/* Fail: a worker process of this kind does not send such a message, or not now. */
static int
unexpected(const struct tt_wire *w, struct tt_err *err)
{
	static const char *const name[TT_WIRE_KINDS] = { [TT_WIRE_ARCHIVE] = "archive", [TT_WIRE_OTHER] = "other file",
		[TT_WIRE_MEMBER] = "member", [TT_WIRE_RESULT] = "result", [TT_WIRE_RING] = "ring" };

	return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "unexpected message from a worker process: %s",
	    w->kind < TT_WIRE_KINDS && name[w->kind] ? name[w->kind] : "of no known kind");
}

/* --- archives ------------------------------------------------------------------------- */

/* Captures of this archive that may be underway: enough to keep the jobs busy that fall to it, and one more. */
static unsigned
max_underway(const struct scheduler *m)
{
	unsigned open = m->unpacking ? m->unpacking : 1;

	return 1 + (m->o->jobs + open - 1) / open;
}

void
tt_scheduler_grant_slots(struct scheduler *m, struct arch *a)
{
	while (a->unpacker && a->underway + a->ngranted < max_underway(m)) {
		unsigned char slot = 0;

		while (a->busy[slot] && slot < 255)
			slot++;
		if (a->busy[slot] || send(a->unpacker->sock, &slot, 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
			return;
		a->busy[slot] = 1;
		if (a->ngranted == 0)
			a->unpacker->heard_ns = tt_scheduler_now();     /* the unpacker may have been waiting for the slot */
		a->ngranted++;
	}
}

static int
became_archive(struct scheduler *m, struct proc *p, const struct tt_wire *w, struct tt_err *err)
{
	struct arch *a;

	if (p->role != ROLE_FILE || p->has_result)
		return unexpected(w, err);
	a = tt_mem_alloc(&m->env->mem, sizeof *a, err);
	if (!a)
		return err->code;
	a->file = p->file;
	a->unpacker = p;
	a->parts = p->parts;
	a->next = m->archs;
	m->archs = a;
	p->arch = a;
	p->role = ROLE_UNPACKER;
	m->analysing--;
	m->unpacking++;
	tt_scheduler_grant_slots(m, a);
	return TT_OK;
}

/* Find a member of an archive by its number, in a process or waiting for one. */
static struct ready *
find_member(const struct scheduler *m, const struct arch *a, uint64_t index)
{
	for (struct proc *p = m->procs; p; p = p->next) {
		if (p->what && p->what->arch == a && p->what->index == index)
			return p->what;
	}
	for (struct ready *r = m->first; r; r = r->next) {
		if (r->arch == a && r->index == index)
			return r;
	}
	return NULL;
}

static int
take_text(struct tt_buf *b, const char *p, size_t n, struct tt_err *err)
{
	b->n = 0;
	tt_buf_add(b, p, n);
	return tt_buf_error(b, err);
}

static int
new_member(struct scheduler *m, struct arch *a, const struct tt_wire *w, int fd, struct tt_err *err)
{
	const char *key = tt_scheduler_file(m, a->file)->key;
	size_t n = strlen(key);
	struct ready *r;
	int rc;

	/* A member's key is always below its archive's; the unpacker cannot change that. */
	if (fd < 0 || a->ngranted == 0 || w->nkey <= n || memcmp(w->key, key, n) != 0 || w->key[n] != '!') {
		if (fd >= 0)
			close(fd);
		return unexpected(w, err);
	}
	r = tt_mem_alloc(&m->env->mem, sizeof *r, err);
	if (!r) {
		close(fd);
		return err->code;
	}
	r->arch = a;
	r->fd = fd;
	r->index = w->index;
	r->size = w->size;
	r->hash = w->hash;
	r->flags = w->flags;
	r->ended = !(w->flags & TT_WIRE_STREAM);
	a->ngranted--;
	a->underway++;
	a->streams = !r->ended;
	*m->last = r;
	m->last = &r->next;
	rc = take_text(&r->key, w->key, w->nkey, err);
	return rc == TT_OK ? take_text(&r->cut, w->body, w->nbody, err) : rc;
}

static int
end_of_stream(struct scheduler *m, struct arch *a, const struct tt_wire *w, struct tt_err *err)
{
	struct ready *r = find_member(m, a, w->index);

	a->streams = false;
	/* If its process has ended before, the message is not needed. */
	if (!r)
		return TT_OK;
	r->ended = true;
	r->size = w->size;
	r->hash = w->hash;
	r->flags = w->flags;
	return take_text(&r->cut, w->body, w->nbody, err);
}

static int
same_capture(struct scheduler *m, struct proc *p, const struct tt_wire *w, struct tt_err *err)
{
	struct tt_result_id id;

	tt_scheduler_id(m, p->file, "capture", &id);
	id.key = w->key;
	id.nkey = w->nkey;
	id.has_content = true;
	id.size = w->size;
	id.hash = w->hash;
	if (p->role == ROLE_UNPACKER && p->arch->ngranted > 0) {
		p->arch->ngranted--;
		p->arch->busy[w->flags >> TT_WIRE_SLOT & 255] = 0;
	}
	if (p->role == ROLE_UNPACKER)
		tt_scheduler_grant_slots(m, p->arch);
	else
		p->has_result = true;
	return m->o->same ? m->o->same(m->o->arg, &id, err) : TT_OK;
}

/* --- messages --------------------------------------------------------------------------- */

static int
other_file(struct scheduler *m, struct proc *p, const struct tt_wire *w, struct tt_err *err)
{
	struct tt_result_id id;
	struct tt_buf body = { 0 };
	int rc;

	if (p->role != ROLE_FILE || p->has_result)
		return unexpected(w, err);
	p->has_result = true;
	tt_scheduler_id(m, p->file, "file", &id);
	tt_buf_text(&body, "\"outcome\":\"skipped\",\"kind\":");
	tt_json_quote(&body, w->body, w->nbody);
	rc = tt_buf_error(&body, err);
	m->line.n = 0;
	TT_THEN(rc, tt_result_compose(&m->line, &id, body.p, body.n, err));
	tt_buf_free(&body);
	return rc == TT_OK ? tt_scheduler_line(m, err) : rc;
}

/* Print a complaint, or only count it. A member that could not be read makes its archive damaged. */
static int
complaint(struct scheduler *m, struct proc *p, const struct tt_wire *w, struct tt_err *err)
{
	char kind[16];

	if (w->nbody > 0)
		tt_scheduler_say(m, "%.*s", (int)w->nbody, w->body);
	snprintf(kind, sizeof kind, "%.*s", (int)(w->nkey < sizeof kind ? w->nkey : 0), w->key);
	if (p->role != ROLE_UNPACKER || !tt_record_costs(kind))
		return TT_OK;
	m->sum.archives += p->arch->lost == 0;
	m->sum.lost++;
	p->arch->lost++;
	return tt_scheduler_check_failures(m, err);
}

/* Open the ring that the capture of ${p} names, which only the parent may open. */
static int
open_ring(struct scheduler *m, struct proc *p, const struct tt_wire *w, struct tt_err *err)
{
	struct tt_env env = *m->env;
	struct tt_buf path = { 0 };
	struct tt_err why = { 0 };
	unsigned what = TT_RING_NONE;
	int fd = -1, rc;

	if (p->role == ROLE_UNPACKER || p->has_result)
		return unexpected(w, err);
	env.ring = NULL;
	rc = take_text(&path, w->body, w->nbody, err);
	if (rc == TT_OK && tt_ring_open(&env, tt_buf_string(&path), &what, &fd, &why) != TT_OK)
		what = TT_RING_FAILED;
	TT_THEN(rc, tt_wire_give(p->sock, what, fd, err));
	if (fd >= 0)
		close(fd);
	tt_buf_free(&path);
	return rc;
}

static int
message(struct scheduler *m, struct proc *p, const struct tt_wire *w, int fd, struct tt_err *err)
{
	bool unpacker = p->role == ROLE_UNPACKER;

	p->heard_ns = tt_scheduler_now();
	if (w->kind == TT_WIRE_MEMBER && unpacker)
		return new_member(m, p->arch, w, fd, err);
	if (fd >= 0)
		close(fd);
	switch (w->kind) {
	case TT_WIRE_ARCHIVE:
		return became_archive(m, p, w, err);
	case TT_WIRE_OTHER:
		return other_file(m, p, w, err);
	case TT_WIRE_MEMBER_END:
		return unpacker ? end_of_stream(m, p->arch, w, err) : TT_OK;
	case TT_WIRE_SAME:
		return same_capture(m, p, w, err);
	case TT_WIRE_RESULT:
		if (unpacker || p->has_result)
			return unexpected(w, err);
		p->has_result = true;
		p->size = w->size;
		p->hash = w->hash;
		return take_text(&p->result, w->body, w->nbody, err);
	case TT_WIRE_COMPLAINT:
		return complaint(m, p, w, err);
	case TT_WIRE_END:
		if (!unpacker)
			return TT_OK;
		p->arch->told_end = true;
		return take_text(&p->arch->record, w->body, w->nbody, err);
	case TT_WIRE_RING:
		return open_ring(m, p, w, err);
	case TT_WIRE_ALIVE:
		if (w->size > p->bytes && w->size <= tt_scheduler_file(m, p->file)->size) {
			m->sum.bytes += w->size - p->bytes;
			p->bytes = w->size;
		}
		return TT_OK;
	default:
		return unexpected(w, err);
	}
}

/* Take all messages there are. A malformed message ends its process, not the run. */
int
tt_scheduler_listen(struct scheduler *m, struct proc *p, struct tt_err *err)
{
	for (;;) {
		struct tt_err why = { 0 };
		struct tt_wire w;
		int fd, got;
		int rc = tt_wire_receive(p->sock, m->wire, &w, &fd, &got, &why);

		if (rc == TT_END || (rc == TT_OK && !got))
			return TT_OK;
		TT_THEN(rc, message(m, p, &w, fd, &why));
		if (rc == TT_E_DAMAGED) {
			kill(p->pid, SIGKILL);
			return TT_OK;
		}
		if (rc != TT_OK) {
			*err = why;
			return rc;
		}
	}
}

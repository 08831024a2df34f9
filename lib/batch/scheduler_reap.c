/**
 * Finishes captures and archives when their worker processes end.
 */
#include "batch/scheduler_state.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/json.h"
#include "base/setting.h"
#include "batch/analyse.h"
#include "batch/child.h"
#include "batch/record.h"
#include "batch/result.h"

/* True if the process was asked to end, as the whole group is when the batch is stopped. */
static bool
was_stopped(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status) == TT_CHILD_STOPPED;
	return WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGHUP;
}

/* Put the outcome for a process that ended without a result; return an error if any other process would end the same way. */
static int
put_death(struct scheduler *m, const struct proc *p, struct tt_buf *body, struct tt_err *err)
{
	char text[200] = "";
	const char *why = "crashed";

	if (!m->stopping && WIFEXITED(p->status) && WEXITSTATUS(p->status) == TT_CHILD_SHORT)
		return tt_fail_sys(err, EMFILE, "%s: cannot be read", tt_scheduler_file(m, p->file)->key);
	if (p->timeout || (WIFSIGNALED(p->status) && WTERMSIG(p->status) == SIGXCPU)) {
		why = "timeout";
		snprintf(text, sizeof text, "over %g s; raise %s", (double)m->o->capture_ns / 1e9,
		    tt_setting_name[TT_SETTING_CAPTURE_TIME]);
	} else if (m->stopping || was_stopped(p->status)) {
		why = "interrupted";
	} else if (WIFSIGNALED(p->status)) {
		snprintf(text, sizeof text, "its process died of signal %d (%s)", WTERMSIG(p->status),
		    sigdescr_np(WTERMSIG(p->status)));
	} else {
		snprintf(text, sizeof text, "its process ended with status %d and no result", WEXITSTATUS(p->status));
	}
	return tt_one_failed(body, "failed", why, text, strlen(text), err);
}

/*
 * Mark a capture whose archive is damaged inside it as damaged, even if its first part could be read. A capture that exceeds a limit has failed,
 * as a file does: figures of its first part would be taken for its own.
 */
static int
mark_cut(struct tt_buf *body, const struct ready *r, struct tt_err *err)
{
	static const char ok[] = "\"outcome\":\"ok\"";
	struct tt_buf b = { 0 };
	size_t skip = sizeof ok - 1;

	if (r->flags & TT_WIRE_LIMIT) {
		body->n = 0;
		return tt_one_failed(body, "failed", "limit", r->cut.p, r->cut.n, err);
	}
	if (body->n >= skip && memcmp(body->p, ok, skip) == 0)
		tt_one_failed(&b, "damaged", "damaged", r->cut.p, r->cut.n, NULL);
	else
		skip = 0;     /* "failed", "damaged": the archive's reason is added to the capture's own */
	if (body->n > skip)
		tt_buf_add(&b, body->p + skip, body->n - skip);
	if (skip == 0) {
		tt_buf_text(&b, ",\"cut\":");
		tt_json_quote(&b, r->cut.p, r->cut.n);
	}
	tt_buf_free(body);
	*body = b;
	return tt_buf_error(body, err);
}

/* Print how many more complaints of each kind there were than the unpacker printed. */
static void
say_complaints(struct scheduler *m, const struct tt_result *r)
{
	const char *kind;
	json_t *c;

	json_object_foreach(json_object_get(r->doc, "complaints"), kind, c) {
		json_int_t n = json_integer_value(json_object_get(c, "n"));

		if (n > TT_RECORD_LINES)
			tt_scheduler_say(m, "%s: %lld more line%s of the kind \"%s\"", r->key, (long long)n - TT_RECORD_LINES,
			    n - TT_RECORD_LINES == 1 ? "" : "s", kind);
	}
}

void
tt_scheduler_free_arch(struct scheduler *m, struct arch *a)
{
	for (struct arch **at = &m->archs; *at; at = &(*at)->next) {
		if (*at == a) {
			*at = a->next;
			break;
		}
	}
	tt_buf_free(&a->record);
	tt_mem_free(&m->env->mem, a, sizeof *a);
}

/* Write the archive's line, when its last capture has ended. */
static int
end_archive(struct scheduler *m, struct arch *a, struct tt_err *err)
{
	struct tt_result_id id;
	struct tt_result r = { 0 };
	int rc;

	if (a->unpacker || a->underway > 0)
		return TT_OK;
	tt_scheduler_id(m, a->file, "archive", &id);
	id.part = a->parts ? m->o->shard.index : 0;
	id.parts = a->parts;
	id.facts = m->o->facts;
	m->line.n = 0;
	rc = tt_result_compose(&m->line, &id, a->record.p, a->record.n, err);
	TT_THEN(rc, tt_result_load(m->line.p, m->line.n - 1, &r, err));
	/* Its damage was reported when it was found. */
	if (rc == TT_OK && strcmp(r.outcome, "failed") == 0 && r.detail[0])
		tt_scheduler_say_failure(m, &a->said, r.key, r.why, r.detail);
	if (rc == TT_OK)
		m->sum.spooled += (uint64_t)json_integer_value(json_object_get(r.doc, "spooled"));
	if (rc == TT_OK)
		m->sum.unended += tt_result_unended(&r);
	if (rc == TT_OK && a->lost == 0)
		m->sum.archives += strcmp(r.outcome, "ok") != 0;
	if (rc == TT_OK)
		say_complaints(m, &r);
	tt_result_free(&r);
	TT_THEN(rc, tt_scheduler_line(m, err));
	tt_scheduler_say_rest(m, &a->said, id.key);
	tt_scheduler_free_arch(m, a);
	return rc == TT_OK ? tt_scheduler_check_failures(m, err) : rc;
}

static int
member_ended(struct scheduler *m, struct proc *p, struct tt_err *err)
{
	struct ready *r = p->what;
	struct arch *a = r->arch;
	struct tt_result_id id;
	int rc = TT_OK;

	tt_scheduler_id(m, p->file, "capture", &id);
	id.key = r->key.p;
	id.nkey = r->key.n;
	id.size = r->size;
	id.hash = r->hash;
	id.has_content = r->ended;
	if (p->has_result && !r->ended) {
		/* If its unpacker died, the capture was not read completely. */
		p->result.n = 0;
		rc = tt_one_failed(&p->result, "failed", "interrupted", "its unpacker died", 17, err);
	} else if (!p->has_result) {
		p->result.n = 0;
		rc = put_death(m, p, &p->result, err);
	} else if (r->flags & TT_WIRE_CUT) {
		rc = mark_cut(&p->result, r, err);
	}
	if (!(r->flags & TT_WIRE_STREAM) && p->has_result)
		tt_buf_printf(&p->result, ",\"handed\":%llu", (unsigned long long)r->size);
	TT_THEN(rc, tt_buf_error(&p->result, err));
	if (rc == TT_OK && !m->stopping)
		rc = tt_scheduler_capture(m, &id, &p->result, &a->said, err);
	a->underway--;
	a->busy[r->flags >> TT_WIRE_SLOT & 255] = 0;
	tt_scheduler_grant_slots(m, a);
	tt_scheduler_free_proc(m, p);
	m->analysing--;
	if (rc == TT_OK && !m->stopping)
		rc = end_archive(m, a, err);
	return rc;
}

static int
unpacker_ended(struct scheduler *m, struct proc *p, struct tt_err *err)
{
	struct arch *a = p->arch;
	int rc = TT_OK;

	if (!a->told_end && !m->stopping) {
		a->record.n = 0;
		rc = put_death(m, p, &a->record, err);
	}
	m->sum.bytes += tt_scheduler_file(m, p->file)->size - p->bytes;
	a->unpacker = NULL;
	m->unpacking--;
	tt_scheduler_free_proc(m, p);
	return rc == TT_OK && !m->stopping ? end_archive(m, a, err) : rc;
}

static int
file_ended(struct scheduler *m, struct proc *p, struct tt_err *err)
{
	struct tt_result_id id;
	int rc = TT_OK;

	tt_scheduler_id(m, p->file, "capture", &id);
	id.size = p->size;
	id.hash = p->hash;
	id.has_content = p->has_result && p->hash != 0;
	if (!p->has_result)
		rc = put_death(m, p, &p->result, err);
	if (rc == TT_OK && p->result.n > 0 && !m->stopping)
		rc = tt_scheduler_capture(m, &id, &p->result, &m->said, err);
	m->sum.bytes += tt_scheduler_file(m, p->file)->size - p->bytes;
	m->analysing--;
	tt_scheduler_free_proc(m, p);
	return rc;
}

int
tt_scheduler_ended(struct scheduler *m, struct proc *p, struct tt_err *err)
{
	if (p->role == ROLE_MEMBER) {
		/* A streamed capture is judged when its unpacker has said how it ended, or is gone. */
		if (p->has_result && !p->what->ended && p->what->arch->unpacker)
			return TT_OK;
		return member_ended(m, p, err);
	}
	return p->role == ROLE_UNPACKER ? unpacker_ended(m, p, err) : file_ended(m, p, err);
}

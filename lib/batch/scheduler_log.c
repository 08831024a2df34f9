/**
 * Writes the result lines of a batch, and its messages for people.
 */
#include "batch/analyse.h"
#include "batch/result.h"
#include "batch/scheduler_state.h"

#include <stdio.h>
#include <string.h>

#define LINES_PER_KIND 10

static const char *const whys[TT_SCHEDULER_WHYS] = { "damaged", "unsupported", "unsuited", "limit", "memory", "io", "crashed",
	"timeout", "interrupted", "other" };

void
tt_scheduler_say(struct scheduler *m, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (m->o->say)
		m->o->say(m->o->arg, text);
}

static size_t
why_index(const char *why)
{
	size_t i = 0;

	while (i + 1 < TT_SCHEDULER_WHYS && strcmp(whys[i], why) != 0)
		i++;
	return i;
}

/* Print a failure, unless enough of its kind were printed. */
void
tt_scheduler_say_failure(struct scheduler *m, struct said *s, const char *key, const char *why, const char *detail)
{
	if (s->n[why_index(why)]++ < LINES_PER_KIND)
		tt_scheduler_say(m, "%s: %s%s%s", key, why, detail[0] ? ": " : "", detail);
}

/* Print, at the end, how many failures were not printed. */
void
tt_scheduler_say_rest(struct scheduler *m, const struct said *s, const char *where)
{
	for (size_t i = 0; i < TT_SCHEDULER_WHYS; i++) {
		if (s->n[i] > LINES_PER_KIND)
			tt_scheduler_say(m, "%s: %llu more line%s of the kind \"%s\"", where, (unsigned long long)(s->n[i] - LINES_PER_KIND),
			    s->n[i] - LINES_PER_KIND == 1 ? "" : "s", whys[i]);
	}
}

int
tt_scheduler_line(struct scheduler *m, struct tt_err *err)
{
	return m->o->line(m->o->arg, m->line.p, m->line.n, err);
}

int
tt_scheduler_check_failures(struct scheduler *m, struct tt_err *err)
{
	if (m->o->failures_max == UINT64_MAX || tt_scheduler_failures(&m->sum) <= m->o->failures_max)
		return TT_OK;
	return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "more than %llu capture%s and archive%s failed or are damaged: given up",
	    (unsigned long long)m->o->failures_max, m->o->failures_max == 1 ? "" : "s", m->o->failures_max == 1 ? "" : "s");
}

void
tt_scheduler_id(const struct scheduler *m, size_t file, const char *type, struct tt_result_id *id)
{
	const struct tt_scheduler_file *f = tt_scheduler_file(m, file);

	*id = (struct tt_result_id){ .key = f->key, .nkey = strlen(f->key), .type = type, .by = m->o->by,
		.file_size = f->size, .file_mtime_ns = f->mtime_ns };
}

/* Write a capture's line, and count it. A body that is not JSON comes from a process that went wrong. */
int
tt_scheduler_capture(struct scheduler *m, const struct tt_result_id *id, const struct tt_buf *body, struct said *said,
    struct tt_err *err)
{
	static const char failed[] = "\"outcome\":\"failed\"";
	struct tt_result_id with = *id;
	struct tt_buf instead = { 0 };
	struct tt_result r = { 0 };
	int rc;

	/* A capture that could not be read has only the facts it was given. */
	if (body->n >= sizeof failed - 1 && memcmp(body->p, failed, sizeof failed - 1) == 0)
		with.facts = m->o->facts;
	m->line.n = 0;
	rc = tt_result_compose(&m->line, &with, body->p, body->n, err);
	if (rc == TT_OK && tt_result_load(m->line.p, m->line.n - 1, &r, err) != TT_OK) {
		rc = tt_one_failed(&instead, "failed", "crashed", "its result is not understood", 28, err);
		m->line.n = 0;
		with.facts = m->o->facts;
		TT_THEN(rc, tt_result_compose(&m->line, &with, instead.p, instead.n, err));
		tt_buf_free(&instead);
		TT_THEN(rc, tt_result_load(m->line.p, m->line.n - 1, &r, err));
	}
	if (rc != TT_OK)
		return rc;
	m->sum.captures++;
	m->sum.ok += strcmp(r.outcome, "ok") == 0;
	m->sum.damaged += strcmp(r.outcome, "damaged") == 0;
	m->sum.failed += strcmp(r.outcome, "failed") == 0;
	if (strcmp(r.outcome, "ok") != 0)
		tt_scheduler_say_failure(m, said, r.key, r.why, r.detail);
	m->sum.spooled += (uint64_t)json_integer_value(json_object_get(r.doc, "spooled")) +
	    (uint64_t)json_integer_value(json_object_get(r.doc, "handed"));
	tt_result_free(&r);
	rc = tt_scheduler_line(m, err);
	return rc == TT_OK ? tt_scheduler_check_failures(m, err) : rc;
}

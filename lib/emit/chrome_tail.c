/**
 * Chrome JSON: everything after the events of a file: names of threads, frames, provenance, losses.
 *
 * All of it is known only at the end. Readers accept it anywhere in the file.
 */
#include <inttypes.h>
#include <string.h>

#include "emit/chrome.h"
#include "model/facts.h"

/* --- threads ------------------------------------------------------------ */

static int
put_thread(const struct tt_thread *t, struct tt_buf *b, struct tt_err *err)
{
	uint32_t pid = chrome_pid(t->process), tid = chrome_tid(t);
	int rc = tt_buf_printf(b, err,
	    ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
	    ",\"name\":\"thread_name\",\"args\":{\"name\":\"",
	    pid, tid);

	if (rc == TT_OK && t->name && *t->name)
		rc = tt_buf_json(b, t->name, strlen(t->name), err);
	else if (rc == TT_OK)
		rc = tt_buf_printf(b, err, "Thread %" PRIu32, tid);
	if (rc == TT_OK)
		rc = tt_buf_text(b, "\"", err);
	if (rc == TT_OK)
		rc = tt_buf_json_fact(b, "group", t->group, err);
	if (rc == TT_OK)
		rc = tt_buf_printf(b, err,
		    ",\"native_id\":\"0x%" PRIx64 "\"}},\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		    ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%" PRIu32 "}}",
		    t->tid, pid, tid, tid);
	return rc;
}

static bool
is_seen(const struct chrome_part *part, size_t i)
{
	return i / 8 < part->capseen && (part->seen[i / 8] >> i % 8 & 1);
}

static int
put_threads(struct chrome *c, const struct chrome_part *part, struct tt_buf *b, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < c->m->threads.n && rc == TT_OK; i++)
		if (is_seen(part, i))
			rc = put_thread(c->m->threads.t[i], b, err);
	return rc;
}

/* --- frames ------------------------------------------------------------- */

/* Frames have a row of their own, above the threads; its number is one no thread has. */
static uint32_t
frames_tid(const struct chrome *c)
{
	return (uint32_t)c->m->threads.n + 1;
}

static uint32_t
frame_process(const struct chrome *c, size_t i)
{
	uint32_t thread = c->m->frames->thread[i];

	return thread < c->m->threads.n ? c->m->threads.t[thread]->process : 0;
}

static int
put_frame_row(struct chrome *c, uint32_t process, struct tt_buf *b, struct tt_err *err)
{
	uint32_t pid = chrome_pid(process), tid = frames_tid(c);

	return tt_buf_printf(b, err,
	    ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
	    ",\"name\":\"thread_name\",\"args\":{\"name\":\"Frames\"}},"
	    "\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
	    ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":0}}",
	    pid, tid, pid, tid);
}

/* A record of frame ${i}: all up to and with its time. */
static int
put_frame_head(struct chrome *c, size_t i, const char *phase, uint64_t ts, struct tt_buf *b, struct tt_err *err)
{
	int rc = tt_buf_room(b, CHROME_RECORD, err);
	char *p;

	if (rc != TT_OK)
		return rc;
	p = tt_chrome_put_head(b->p + b->n, phase, chrome_pid(frame_process(c, i)), frames_tid(c));
	b->n = (size_t)(tt_put_fixed(p, (int64_t)ts, 3) - b->p);
	return TT_OK;
}

/* By the number --frames takes. */
static int
put_frame_name(const struct tt_frames *f, size_t i, struct tt_buf *b, struct tt_err *err)
{
	return tt_buf_printf(b, err, ",\"name\":\"Frame %" PRIu64 "\",\"cat\":\"Frame\"}", f->number[i]);
}

static int
put_frame(struct chrome *c, size_t i, struct tt_buf *b, struct tt_err *err)
{
	const struct tt_frames *f = c->m->frames;
	uint64_t ts = chrome_time(c, f->start[i]), dur = (uint64_t)f->dur[i];
	int rc;

	if (f->dur[i] < 0 || ts > INT64_MAX - dur)
		return TT_OK;
	if ((rc = put_frame_head(c, i, c->o.begin_end ? "B" : "X", ts, b, err)) != TT_OK)
		return rc;
	if (!c->o.begin_end) {
		/* put_frame_head() made room for this too. */
		char *p = CHROME_PUT(b->p + b->n, ",\"dur\":");

		b->n = (size_t)(tt_put_dur(p, ts, dur) - b->p);
		return put_frame_name(f, i, b, err);
	}
	if ((rc = put_frame_name(f, i, b, err)) != TT_OK ||
	    (rc = put_frame_head(c, i, "E", ts + dur, b, err)) != TT_OK)
		return rc;
	return put_frame_name(f, i, b, err);
}

/* Frames that overlap the part's time and what the user asked for. */
static bool
shows_frame(const struct chrome *c, const struct chrome_part *part, size_t i)
{
	const struct tt_filter *f = &c->m->filter;
	int64_t start = c->m->frames->start[i], dur = c->m->frames->dur[i];

	if (start < f->from || start >= f->to)
		return false;
	return !c->o.split || (start <= part->last_ts && start >= part->first_ts - (dur > 0 ? dur : 0));
}

static int
put_frames(struct chrome *c, struct chrome_part *part, struct tt_buf *b, struct tt_err *err)
{
	uint32_t process = UINT32_MAX;
	int rc = TT_OK;

	for (size_t i = 0; c->m->frames && i < c->m->frames->n && rc == TT_OK; i++) {
		if (!shows_frame(c, part, i))
			continue;
		if (frame_process(c, i) != process) {
			process = frame_process(c, i);
			rc = put_frame_row(c, process, b, err);
		}
		if (rc == TT_OK)
			rc = put_frame(c, i, b, err);
		if (rc == TT_OK && b->n >= 1 << 16) {
			rc = tt_chrome_part_write(part, b->p, b->n, err);
			b->n = 0;
		}
	}
	return rc;
}

/* --- facts -------------------------------------------------------------- */

/* Labels and other facts have a row of their own after that of frames. */
static int
put_fact_row(struct chrome *c, uint32_t process, struct tt_buf *b, struct tt_err *err)
{
	uint32_t pid = chrome_pid(process), tid = frames_tid(c) + 1;

	return tt_buf_printf(b, err,
	    ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
	    ",\"name\":\"thread_name\",\"args\":{\"name\":\"Labels and facts\"}},"
	    "\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
	    ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":0}}",
	    pid, tid, pid, tid);
}

/* An instant "label: boss fight". Labels set before the first event get that event's time. */
static int
put_fact(struct chrome *c, const struct tt_fact *f, struct tt_buf *b, struct tt_err *err)
{
	uint64_t ts = chrome_time(c, f->ts < c->origin ? c->origin : f->ts);
	int rc = ts == UINT64_MAX ? TT_OK : tt_buf_room(b, CHROME_RECORD, err);

	if (rc != TT_OK || ts == UINT64_MAX)
		return rc;
	char *p = tt_chrome_put_head(b->p + b->n, "i", chrome_pid(f->process), frames_tid(c) + 1);
	b->n = (size_t)(tt_put_fixed(p, (int64_t)ts, 3) - b->p);
	if ((rc = tt_buf_text(b, ",\"s\":\"t\",\"name\":\"", err)) != TT_OK ||
	    (rc = tt_buf_json(b, f->key, f->nkey, err)) != TT_OK || (rc = tt_buf_text(b, ": ", err)) != TT_OK ||
	    (rc = tt_buf_json(b, f->value, f->nvalue, err)) != TT_OK ||
	    (rc = tt_buf_text(b, "\",\"cat\":\"Facts\",\"args\":{\"key\":\"", err)) != TT_OK ||
	    (rc = tt_buf_json(b, f->key, f->nkey, err)) != TT_OK || (rc = tt_buf_text(b, "\",\"value\":\"", err)) != TT_OK ||
	    (rc = tt_buf_json(b, f->value, f->nvalue, err)) != TT_OK)
		return rc;
	return tt_buf_text(b, "\"}}", err);
}

/* Of several files each has the facts of its own time; the first also those before it, the last those after. */
static bool
shows_fact(const struct chrome *c, const struct chrome_part *part, const struct tt_fact *f)
{
	bool first = part == c->part, last = part == c->part + c->npart - 1;

	return tt_emit_in_time(&c->m->filter, f->ts) && (first || f->ts > part[-1].last_ts) && (last || f->ts <= part->last_ts);
}

static int
put_facts(struct chrome *c, const struct chrome_part *part, struct tt_buf *b, struct tt_err *err)
{
	struct tt_facts facts = { 0 };
	uint64_t rows = 0;
	int rc = tt_facts_list(c->m, &c->env->mem, &facts, err);

	for (uint32_t process = 0; process < c->m->ncap && rc == TT_OK; process++, rows = 0)
		for (size_t i = 0; i < facts.n && rc == TT_OK; i++) {
			const struct tt_fact *f = &facts.f[i];
			if (f->process != process || !shows_fact(c, part, f))
				continue;
			if (rows++ == 0)
				rc = put_fact_row(c, process, b, err);
			if (rc == TT_OK)
				rc = put_fact(c, f, b, err);
		}
	tt_facts_free(&facts, &c->env->mem);
	return rc;
}

/* --- otherData ---------------------------------------------------------- */

static int
put_losses(const struct tt_loss *l, struct tt_buf *b, struct tt_err *err)
{
	bool first = true;
	int rc = tt_buf_text(b, ",\n\"losses\":[", err);

	for (unsigned k = 0; k < TT_LOST_KINDS && rc == TT_OK; k++) {
		const struct tt_loss_info *i = &tt_loss_info[k];

		if (!l->e[k].n)
			continue;
		rc = tt_buf_printf(b, err, "%s\n{\"id\":\"%s\",\"severity\":\"%s\",\"count\":%" PRIu64 ",\"bytes\":%" PRIu64,
		    first ? "" : ",", i->id, tt_severity_name[i->severity], l->e[k].n, l->e[k].bytes);
		if (rc == TT_OK)
			rc = tt_buf_json_fact(b, "text", i->text, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, "}", err);
		first = false;
	}
	return rc == TT_OK ? tt_buf_text(b, "]", err) : rc;
}

/* A list, not an object: keys come from the user and from captures, and may look alike once cleaned. */
static int
put_meta(const struct tt_meta *m, struct tt_buf *b, struct tt_err *err)
{
	int rc = tt_buf_text(b, ",\"meta\":[", err);

	for (bool first = true; m && rc == TT_OK; m = m->next, first = false) {
		if ((rc = tt_buf_text(b, first ? "{\"key\":\"" : ",{\"key\":\"", err)) != TT_OK ||
		    (rc = tt_buf_json(b, m->key, strlen(m->key), err)) != TT_OK ||
		    (rc = tt_buf_text(b, "\"", err)) != TT_OK ||
		    (rc = tt_buf_json_fact(b, "value", m->value, err)) != TT_OK)
			return rc;
		rc = tt_buf_text(b, "}", err);
	}
	return rc == TT_OK ? tt_buf_text(b, "]", err) : rc;
}

static int
put_capture_facts(const struct tt_capture *cap, bool first, struct tt_buf *b, struct tt_err *err)
{
	const struct { const char *key, *value; } facts[] = { { "path", cap->path }, { "format", cap->format },
		{ "version", cap->version }, { "producer", cap->producer }, { "arguments", cap->args },
		{ "architecture", cap->arch }, { "system", cap->os } };
	int rc = tt_buf_printf(b, err,
	    "%s\n{\"pid\":%" PRIu32 ",\"native_pid\":%" PRId64 ",\"wall_clock_ms\":%" PRId64 ",\"clean_end\":%s",
	    first ? "" : ",", chrome_pid(cap->process), cap->pid, cap->wall_ns / 1000000, cap->clean_end ? "true" : "false");

	for (size_t i = 0; i < sizeof facts / sizeof *facts && rc == TT_OK; i++)
		rc = tt_buf_json_fact(b, facts[i].key, facts[i].value, err);
	if (rc == TT_OK && cap->meta)
		rc = put_meta(cap->meta, b, err);
	return rc == TT_OK ? tt_buf_text(b, "}", err) : rc;
}

/* The source of the data, what was changed, and what is missing. */
static int
put_other_data(struct chrome *c, struct tt_buf *b, struct tt_err *err)
{
	const char *caveat = tt_model_caveat(c->m);
	int rc;

	if ((rc = tt_buf_text(b, "\n],\"otherData\":{\"format\":\"tracetool Chrome JSON 1\"", err)) != TT_OK ||
	    (rc = tt_buf_json_fact(b, "generator", c->o.generator, err)) != TT_OK ||
	    (rc = tt_buf_json_fact(b, "caveat", caveat, err)) != TT_OK)
		return rc;
	/* As a string: it may be too large for a double. */
	rc = tt_buf_printf(b, err, ",\n\"removed_origin_ns\":\"%" PRId64 "\",\"first_event_us\":1", c->origin);
	if (rc == TT_OK)
		rc = tt_buf_text(b, ",\n\"captures\":[", err);
	for (size_t i = 0; i < c->m->ncap && rc == TT_OK; i++)
		rc = put_capture_facts(c->m->cap[i], i == 0, b, err);
	if (rc == TT_OK)
		rc = tt_buf_text(b, "]", err);
	if (rc == TT_OK)
		rc = put_losses(c->m->loss, b, err);
	return rc == TT_OK ? tt_buf_text(b, "}}\n", err) : rc;
}

int
tt_chrome_tail(struct chrome *c, struct chrome_part *part, struct tt_err *err)
{
	struct tt_buf *b = &c->scratch;
	int rc;

	b->n = 0;
	if ((rc = put_threads(c, part, b, err)) != TT_OK || (rc = put_frames(c, part, b, err)) != TT_OK ||
	    (rc = put_facts(c, part, b, err)) != TT_OK ||
	    (rc = put_other_data(c, b, err)) != TT_OK)
		return rc;
	return tt_chrome_part_write(part, b->p, b->n, err);
}

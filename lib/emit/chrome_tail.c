/**
 * Chrome JSON: everything after the events of a file: names of threads, frames, provenance, losses.
 *
 * All of it is known only at the end. Readers accept it anywhere in the file.
 */
#include <inttypes.h>

#include "base/json.h"
#include "emit/chrome.h"
#include "emit/common.h"
#include "emit/micros.h"
#include "model/facts.h"

/* Name the row ${tid} ${name}; the viewer lists rows of threads by ${tid}, and rows without a thread, ${t} NULL, first. */
static void
put_row(struct tt_json *j, uint32_t process, uint32_t tid, const char *name, const struct tt_thread *t)
{
	char id[24];

	tt_chrome_meta(j, process, tid, "thread_name");
	tt_json_text(j, "name", name);
	if (t && t->group && *t->group)
		tt_json_text(j, "group", t->group);
	if (t && !tt_thread_is_gpu(t)) {
		*tt_put_hex(id, t->tid) = '\0';
		tt_json_text(j, "native_id", id);
	}
	tt_json_close(j, "}}");
	tt_chrome_meta(j, process, tid, "thread_sort_index");
	tt_json_u64(j, "sort_index", t ? tid : 0);
	tt_json_close(j, "}}");
}

/* --- threads ------------------------------------------------------------ */

static bool
is_seen(const struct chrome_part *part, size_t i)
{
	return i / 8 < part->capseen && (part->seen[i / 8] >> i % 8 & 1);
}

static void
put_threads(struct chrome *c, const struct chrome_part *part, struct tt_json *j)
{
	for (size_t i = 0; i < c->e.m->threads.n; i++) {
		const struct tt_thread *t = c->e.m->threads.t[i];
		char name[32] = "Thread ";

		if (!is_seen(part, i))
			continue;
		*tt_put_u64(name + 7, chrome_tid(t)) = '\0';
		put_row(j, t->process, chrome_tid(t), t->name && *t->name ? t->name : name, t);
	}
}

/* --- frames ------------------------------------------------------------- */

/* Return the number of the row of frames, above the threads; no thread has it. */
static uint32_t
frames_tid(const struct chrome *c)
{
	return (uint32_t)c->e.m->threads.n + 1;
}

static uint32_t
frame_process(const struct chrome *c, size_t i)
{
	uint32_t thread = tt_frames_thread(c->e.m->frames, i);

	return thread < c->e.m->threads.n ? c->e.m->threads.t[thread]->process : 0;
}

/* Begin a record, up to and including its time. */
static bool
put_head(struct tt_buf *b, const char *phase, uint32_t process, uint32_t tid, uint64_t ts)
{
	if (tt_buf_room(b, CHROME_RECORD, NULL) != TT_OK)
		return false;
	char *p = tt_chrome_put_head(b->p + b->n, phase, chrome_pid(process), tid);
	b->n = (size_t)(tt_put_fixed(p, (int64_t)ts, 3) - b->p);
	return true;
}

/* Name a frame by the number that --frames accepts. */
static void
put_frame_name(const struct tt_frames *f, size_t i, struct tt_buf *b)
{
	tt_buf_printf(b, ",\"name\":\"Frame %" PRIu64 "\",\"cat\":\"Frame\"}", tt_frames_number(f, i));
}

static void
put_frame(struct chrome *c, size_t i, struct tt_buf *b)
{
	const struct tt_frames *f = c->e.m->frames;
	uint64_t ts = chrome_time(c, tt_frames_start(f, i)), dur = (uint64_t)tt_frames_dur(f, i);
	uint32_t process = frame_process(c, i), tid = frames_tid(c);

	if (tt_frames_dur(f, i) < 0 || ts > INT64_MAX - dur || !put_head(b, c->own->begin_end ? "B" : "X", process, tid, ts))
		return;
	if (!c->own->begin_end) {
		/* put_head() has reserved room for this, too. */
		char *p = CHROME_PUT(b->p + b->n, ",\"dur\":");

		b->n = (size_t)(tt_put_dur(p, ts, dur) - b->p);
	}
	put_frame_name(f, i, b);
	if (c->own->begin_end && put_head(b, "E", process, tid, ts + dur))
		put_frame_name(f, i, b);
}

/* True if frame ${i} overlaps the part's time and passes the filters. */
static bool
shows_frame(const struct chrome *c, const struct chrome_part *part, size_t i)
{
	const struct tt_filter *f = &c->e.m->filter;
	int64_t start = tt_frames_start(c->e.m->frames, i), dur = tt_frames_dur(c->e.m->frames, i);

	if (start < f->from || start >= f->to)
		return false;
	return !c->own->split || (start <= part->last_ts && start >= part->first_ts - (dur > 0 ? dur : 0));
}

static int
put_frames(struct chrome *c, struct chrome_part *part, struct tt_json *j, struct tt_err *err)
{
	uint32_t process = UINT32_MAX;
	int rc = TT_OK;

	for (size_t i = 0; c->e.m->frames && i < c->e.m->frames->n && rc == TT_OK; i++) {
		if (!shows_frame(c, part, i))
			continue;
		if (frame_process(c, i) != process) {
			process = frame_process(c, i);
			put_row(j, process, frames_tid(c), "Frames", NULL);
		}
		put_frame(c, i, j->out);
		if (j->out->n >= 1 << 16) {
			rc = tt_chrome_part_write(part, j->out, err);
			j->out->n = 0;
		}
	}
	return rc;
}

/* --- facts -------------------------------------------------------------- */

/* Write a label or other fact in the row of facts, which follows the row of frames. */
static void
put_fact(struct chrome *c, const struct tt_fact *f, struct tt_buf *b)
{
	uint64_t ts = chrome_time(c, f->ts < c->origin ? c->origin : f->ts);
	struct tt_json j = { .out = b, .comma = true };

	if (ts == UINT64_MAX || !put_head(b, "i", f->process, frames_tid(c) + 1, ts))
		return;
	tt_buf_text(b, ",\"s\":\"t\",\"name\":\"");
	tt_buf_json(b, f->key, f->nkey);
	tt_buf_text(b, ": ");
	tt_buf_json(b, f->value, f->nvalue);
	tt_buf_text(b, "\"");
	tt_json_text(&j, "cat", "Facts");
	tt_json_open(&j, "args", "{");
	tt_json_text_n(&j, "key", f->key, f->nkey);
	tt_json_text_n(&j, "value", f->value, f->nvalue);
	tt_json_close(&j, "}}");
}

/* True if the part shows the fact. Each of several files has the facts of its own time; the first file also has earlier facts, the last file later ones. */
static bool
shows_fact(const struct chrome *c, const struct chrome_part *part, const struct tt_fact *f)
{
	bool first = part == c->part, last = part == c->part + c->npart - 1;

	return tt_emit_in_time(&c->e.m->filter, f->ts) && (first || f->ts > part[-1].last_ts) && (last || f->ts <= part->last_ts);
}

static int
put_facts(struct chrome *c, const struct chrome_part *part, struct tt_json *j, struct tt_err *err)
{
	struct tt_facts facts = { 0 };
	uint64_t rows = 0;
	int rc = tt_facts_list(c->e.m, &c->e.env->mem, &facts, err);

	for (uint32_t process = 0; process < c->e.m->ncap && rc == TT_OK; process++, rows = 0)
		for (size_t i = 0; i < facts.n; i++) {
			const struct tt_fact *f = &facts.f[i];
			if (f->process != process || !shows_fact(c, part, f))
				continue;
			/* The row of facts follows the row of frames. */
			if (rows++ == 0)
				put_row(j, process, frames_tid(c) + 1, "Labels and facts", NULL);
			put_fact(c, f, j->out);
		}
	tt_facts_free(&facts, &c->e.env->mem);
	return rc;
}

/* --- otherData ---------------------------------------------------------- */

static void
put_losses(const struct tt_loss *l, struct tt_json *j)
{
	j->gap = "\n";
	tt_json_open(j, "losses", "[");
	for (unsigned k = 0; k < TT_LOST_KINDS; k++) {
		const struct tt_loss_info i = tt_loss_info_of(l, k);

		if (!l->e[k].n)
			continue;
		j->gap = "\n";
		tt_json_open(j, NULL, "{");
		tt_json_text(j, "id", i.id);
		tt_json_text(j, "severity", tt_severity_name[i.severity]);
		tt_json_u64(j, "count", l->e[k].n);
		tt_json_u64(j, "bytes", l->e[k].bytes);
		tt_json_text(j, "text", i.text);
		tt_json_close(j, "}");
	}
	tt_json_close(j, "]");
}

/* Write a member unless its value is empty. */
static void
put_known(struct tt_json *j, const char *key, const char *value)
{
	if (value && *value)
		tt_json_text(j, key, value);
}

static void
put_capture(const struct tt_capture *cap, struct tt_json *j)
{
	j->gap = "\n";
	tt_json_open(j, NULL, "{");
	tt_json_u64(j, "pid", chrome_pid(cap->process));
	if (cap->pid)
		tt_json_i64(j, "native_pid", cap->pid);
	if (cap->wall_ns)
		tt_json_i64(j, "wall_clock_ms", cap->wall_ns / 1000000);
	tt_json_bool(j, "clean_end", cap->clean_end);
	put_known(j, "path", cap->path);
	put_known(j, "format", cap->format);
	put_known(j, "version", cap->version);
	put_known(j, "producer", cap->producer);
	put_known(j, "arguments", cap->args);
	put_known(j, "architecture", cap->arch);
	put_known(j, "system", cap->os);
	/* A list, not an object: keys come from the user and from captures, and different keys may become equal when cleaned. */
	if (cap->meta)
		tt_json_open(j, "meta", "[");
	for (const struct tt_meta *m = cap->meta; m; m = m->next) {
		tt_json_open(j, NULL, "{");
		tt_json_text(j, "key", m->key);
		put_known(j, "value", m->value);
		tt_json_close(j, "}");
	}
	if (cap->meta)
		tt_json_close(j, "]");
	tt_json_close(j, "}");
}

/* Write where the data came from, how it was changed, and what was lost. */
static void
put_other_data(struct chrome *c, struct tt_json *j)
{
	char origin[24];

	tt_json_close(j, "\n]");
	tt_json_open(j, "otherData", "{");
	tt_json_text(j, "format", "tracetool Chrome JSON 1");
	put_known(j, "generator", c->e.o.generator);
	put_known(j, "caveat", tt_model_caveat(c->e.m));
	j->gap = "\n";
	/* As a string: it may be too large for a double. */
	*tt_put_i64(origin, c->origin) = '\0';
	tt_json_text(j, "removed_origin_ns", origin);
	tt_json_u64(j, "first_event_us", 1);
	j->gap = "\n";
	tt_json_open(j, "captures", "[");
	for (size_t i = 0; i < c->e.m->ncap; i++)
		put_capture(c->e.m->cap[i], j);
	tt_json_close(j, "]");
	put_losses(c->e.m->loss, j);
	tt_json_close(j, "}}\n");
}

int
tt_chrome_tail(struct chrome *c, struct chrome_part *part, struct tt_err *err)
{
	struct tt_json j = { .out = &c->scratch, .comma = true };
	int rc;

	c->scratch.n = 0;
	put_threads(c, part, &j);
	if ((rc = put_frames(c, part, &j, err)) != TT_OK || (rc = put_facts(c, part, &j, err)) != TT_OK)
		return rc;
	put_other_data(c, &j);
	return tt_chrome_part_write(part, &c->scratch, err);
}

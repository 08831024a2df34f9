/**
 * Chrome JSON: the life of the emitter, its files, and what stands before and after the events.
 *
 * The object form: {"displayTimeUnit", "traceEvents": [...], "otherData": {...}}. What is known only at
 * the end (names of threads, frames, losses) stands at the end; readers do not mind.
 */
#include "emit/chrome.h"

#include <inttypes.h>
#include <string.h>

/* Viewers parse a file in one go and stop at 2^29 characters; near that they are slow already. */
#define LARGE_BYTES ((uint64_t)400 << 20)
#define TYPICAL_RECORD 110
#define MAX_PARTS 999

/* --- files -------------------------------------------------------------- */

static int
put_capture(const struct tt_capture *cap, bool first, struct tt_buf *b, struct tt_err *err)
{
	uint32_t pid = chrome_pid(cap->process);
	size_t n;
	const char *title = tt_capture_title(cap, &n);
	int rc = tt_buf_printf(b, err, "%s{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"name\":\"process_name\",\"args\":{\"name\":\"",
	    first ? "" : ",\n", pid);

	if (rc == TT_OK)
		rc = n ? tt_buf_json(b, title, n, err) : tt_buf_text(b, "(unnamed)", err);
	if (rc == TT_OK)
		rc = tt_buf_printf(b, err,
		    "\"}},\n{\"ph\":\"M\",\"pid\":%" PRIu32
		    ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%" PRIu32 "}}",
		    pid, pid);
	return rc;
}

static int
part_write(struct chrome_part *part, const char *p, size_t n, struct tt_err *err)
{
	part->bytes += n;
	return tt_sink_write(part->sink, p, n, err);
}

static int
part_begin(struct chrome *c, struct chrome_part *part, struct tt_err *err)
{
	struct tt_buf *b = &c->scratch;
	int rc;

	b->n = 0;
	rc = tt_buf_text(b, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", err);
	for (size_t i = 0; i < c->m->ncap && rc == TT_OK; i++)
		rc = put_capture(c->m->cap[i], i == 0, b, err);
	return rc == TT_OK ? part_write(part, b->p, b->n, err) : rc;
}

static int
part_open(struct chrome *c, struct chrome_part *part, struct tt_err *err)
{
	struct tt_buf path = { 0 };
	int rc;

	if (!c->o.split)
		return tt_emit_open(&c->o, c->o.path, &part->sink, err);
	rc = tt_buf_add(&path, c->o.path, c->stem_n, err);
	if (rc == TT_OK)
		rc = tt_buf_printf(&path, err, "-%03zu%s", c->npart, c->suffix);
	/* The NUL that tt_buf_printf() wrote ends the path. */
	if (rc == TT_OK)
		rc = tt_emit_open(&c->o, path.p, &part->sink, err);
	tt_buf_free(&path);
	return rc;
}

int
chrome_turn(struct chrome *c, struct tt_err *err)
{
	struct chrome_part *part;
	int rc;

	if (c->npart == MAX_PARTS)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "the output takes more than %d files of that size; raise --split",
		    MAX_PARTS);
	rc = tt_mem_grow(&c->env->mem, &c->part, &c->cappart, c->npart + 1, sizeof *c->part, err);
	if (rc != TT_OK)
		return rc;
	part = &c->part[c->npart++];
	*part = (struct chrome_part){ .first_ts = INT64_MAX, .last_ts = INT64_MIN };
	rc = part_open(c, part, err);
	return rc == TT_OK ? part_begin(c, part, err) : rc;
}

bool
chrome_full(const struct chrome *c, size_t more)
{
	const struct chrome_part *part = &c->part[c->npart - 1];

	return c->o.split && part->first_ts <= part->last_ts && part->bytes + more > c->o.split;
}

void
chrome_span(struct chrome *c, int64_t from, int64_t to)
{
	struct chrome_part *part = &c->part[c->npart - 1];

	if (from < part->first_ts)
		part->first_ts = from;
	if (to > part->last_ts)
		part->last_ts = to;
}

int
chrome_put(struct chrome *c, const struct tt_thread *thread, const char *p, size_t n, struct tt_err *err)
{
	struct chrome_part *part = &c->part[c->npart - 1];
	size_t byte = thread->index / 8;
	int rc;

	if (n == 0)
		return TT_OK;
	rc = tt_mem_grow(&c->env->mem, &part->seen, &part->capseen, byte + 1, 1, err);
	if (rc != TT_OK)
		return rc;
	part->seen[byte] |= (uint8_t)(1u << thread->index % 8);
	return part_write(part, p, n, err);
}

/* --- begin -------------------------------------------------------------- */

static int
split_path(struct chrome *c, struct tt_err *err)
{
	size_t n;

	if (!c->o.split)
		return TT_OK;
	if (strcmp(c->o.path, "-") == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "standard output cannot be split into files: name one");
	/* The name's last suffixes, ".json.gz", go behind the number. */
	c->suffix = tt_path_suffix(c->o.path, &n);
	if (!c->suffix)
		c->suffix = c->o.path + strlen(c->o.path);
	c->stem_n = (size_t)(c->suffix - c->o.path);
	return TT_OK;
}

/* Does the user look at a part of the capture only? Then its size says nothing about the output's. */
static bool
is_filtered(const struct tt_filter *f)
{
	return f->from != INT64_MIN || f->to != INT64_MAX || f->thread || f->marker || f->category || f->min_dur ||
	    f->depth;
}

static void
warn_large(const struct chrome *c, uint64_t bytes, const char *how)
{
	if (c->o.split || bytes <= LARGE_BYTES)
		return;
	tt_log(c->env, TT_LOG_NORMAL,
	    "%s: %s %" PRIu64 " MiB; viewers stop at 512: use --time, --min-duration or --split SIZE to make less of it",
	    c->o.path, how, bytes >> 20);
}

static void
warn_ahead(const struct chrome *c)
{
	uint64_t per = c->o.begin_end ? 2 * TYPICAL_RECORD : TYPICAL_RECORD;

	if (!is_filtered(&c->m->filter) && c->o.estimate < UINT64_MAX / per)
		warn_large(c, c->o.estimate * per, "will take about");
}

static int
begin(struct chrome *c, struct tt_err *err)
{
	struct tt_mem *mem = &c->env->mem;
	int rc = split_path(c, err);

	if (rc != TT_OK)
		return rc;
	c->unwritten = tt_mem_alloc(mem, sizeof *c->unwritten, err);
	c->process = tt_mem_alloc(mem, c->m->ncap * sizeof *c->process, err);
	if (!c->unwritten || !c->process)
		return err ? err->code : TT_E_NOMEM;
	c->nprocess = c->m->ncap;
	for (size_t i = 0; i < c->nprocess; i++)
		tt_frags_init(&c->process[i].counter, mem);
	rc = chrome_names(c, err);
	if (rc != TT_OK)
		return rc;
	warn_ahead(c);
	return chrome_turn(c, err);
}

static void
chrome_end(void *state)
{
	struct chrome *c = state;
	struct tt_mem *mem;

	if (!c)
		return;
	mem = &c->env->mem;
	for (size_t i = 0; i < c->npart; i++) {
		tt_sink_abort(c->part[i].sink);
		tt_mem_free(mem, c->part[i].seen, c->part[i].capseen);
	}
	tt_mem_free(mem, c->part, c->cappart * sizeof *c->part);
	for (size_t i = 0; i < c->nprocess; i++) {
		tt_pieces_free(&c->process[i].pieces);
		tt_frags_free(&c->process[i].counter);
	}
	tt_mem_free(mem, c->process, c->m->ncap * sizeof *c->process);
	tt_mem_free(mem, c->unwritten, sizeof *c->unwritten);
	tt_slices_free(&c->slices);
	tt_buf_free(&c->scratch);
	tt_mem_free(mem, c, sizeof *c);
}

static int
chrome_begin(const struct tt_emit_opts *o, const struct tt_model *m, void **state, struct tt_err *err)
{
	struct chrome *c = tt_mem_alloc(&o->env->mem, sizeof *c, err);
	int rc;

	*state = NULL;
	if (!c)
		return err ? err->code : TT_E_NOMEM;
	c->o = *o;
	c->env = o->env;
	c->m = m;
	c->origin = tt_emit_origin(m);
	tt_slices_init(&c->slices, o->env);
	rc = begin(c, err);
	if (rc != TT_OK) {
		chrome_end(c);
		return rc;
	}
	*state = c;
	return TT_OK;
}

/* --- on the way --------------------------------------------------------- */

static int
chrome_write(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err)
{
	struct chrome *c = state;
	int rc = TT_OK;

	if (n == 0)
		return TT_OK;
	if (c->o.begin_end)
		return chrome_pairs_write(c, v, p, n, err);
	if (chrome_full(c, n))
		rc = chrome_turn(c, err);
	if (rc != TT_OK)
		return rc;
	if (v->b->min_ts <= v->b->max_ts)
		chrome_span(c, v->b->min_ts, v->b->max_ts);
	return chrome_put(c, v->thread, p, n, err);
}

/* --- the end of a file -------------------------------------------------- */

static int
put_thread(const struct tt_thread *t, struct tt_buf *b, struct tt_err *err)
{
	uint32_t pid = chrome_pid(t->process), tid = chrome_tid(t);
	int rc = tt_buf_printf(b, err,
	    ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"name\":\"thread_name\",\"args\":{\"name\":\"", pid, tid);

	if (rc == TT_OK && t->name && *t->name)
		rc = tt_buf_json(b, t->name, strlen(t->name), err);
	else if (rc == TT_OK)
		rc = tt_buf_printf(b, err, "Thread %" PRIu32, tid);
	if (rc == TT_OK)
		rc = tt_buf_printf(b, err,
		    "\",\"native_id\":\"0x%" PRIx64 "\"}},\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
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

static int
put_frame(struct chrome *c, size_t i, struct tt_buf *b, struct tt_err *err)
{
	const struct tt_frames *f = c->m->frames;
	uint64_t ts = chrome_time(c, f->start[i]), dur = (uint64_t)f->dur[i];
	int rc;

	if (f->dur[i] < 0 || ts > INT64_MAX - dur)
		return TT_OK;
	rc = tt_buf_room(b, CHROME_RECORD, err);
	if (rc != TT_OK)
		return rc;
	char *p = chrome_put_head(b->p + b->n, c->o.begin_end ? "B" : "X", chrome_pid(frame_process(c, i)), frames_tid(c));
	p = tt_put_fixed(p, (int64_t)ts, 3);
	if (!c->o.begin_end) {
		p = CHROME_PUT(p, ",\"dur\":");
		p = tt_put_dur(p, ts, dur);
	}
	b->n = (size_t)(p - b->p);
	rc = tt_buf_printf(b, err, ",\"name\":\"Frame %zu\",\"cat\":\"Frame\"}", i);
	if (rc != TT_OK || !c->o.begin_end)
		return rc;
	rc = tt_buf_room(b, CHROME_RECORD, err);
	if (rc != TT_OK)
		return rc;
	p = chrome_put_head(b->p + b->n, "E", chrome_pid(frame_process(c, i)), frames_tid(c));
	b->n = (size_t)(tt_put_fixed(p, (int64_t)(ts + dur), 3) - b->p);
	return tt_buf_printf(b, err, ",\"name\":\"Frame %zu\",\"cat\":\"Frame\"}", i);
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
			rc = part_write(part, b->p, b->n, err);
			b->n = 0;
		}
	}
	return rc;
}

static int
put_losses(const struct tt_loss *l, struct tt_buf *b, struct tt_err *err)
{
	bool first = true;
	int rc = tt_buf_text(b, ",\n\"losses\":[", err);

	for (unsigned k = 0; k < TT_LOST_KINDS && rc == TT_OK; k++) {
		const struct tt_loss_info *i = &tt_loss_info[k];

		if (!l->e[k].n && !l->e[k].bytes)
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
	    "%s\n{\"pid\":%" PRIu32 ",\"native_pid\":%" PRId64 ",\"wall_clock_ms\":%" PRIu64 ",\"clean_end\":%s",
	    first ? "" : ",", chrome_pid(cap->process), cap->pid, cap->wall_ms, cap->clean_end ? "true" : "false");

	for (size_t i = 0; i < sizeof facts / sizeof *facts && rc == TT_OK; i++)
		rc = tt_buf_json_fact(b, facts[i].key, facts[i].value, err);
	if (rc == TT_OK && cap->meta)
		rc = put_meta(cap->meta, b, err);
	return rc == TT_OK ? tt_buf_text(b, "}", err) : rc;
}

/* Where the data is from, what was changed and what is missing. */
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
	if (rc == TT_OK && c->m->samples)
		rc = tt_buf_printf(b, err, ",\"left_out\":\"%" PRIu64 " stack samples: see pprof or folded output\"",
		    c->m->samples);
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

static int
part_finish(struct chrome *c, struct chrome_part *part, struct tt_err *err)
{
	struct tt_buf *b = &c->scratch;
	int rc;

	b->n = 0;
	if ((rc = put_threads(c, part, b, err)) != TT_OK || (rc = put_frames(c, part, b, err)) != TT_OK ||
	    (rc = put_other_data(c, b, err)) != TT_OK)
		return rc;
	return part_write(part, b->p, b->n, err);
}

static int
chrome_finish(void *state, const struct tt_model *m, struct tt_err *err)
{
	struct chrome *c = state;
	uint64_t unwritten;
	int rc = TT_OK;

	c->m = m;
	if (c->o.begin_end)
		rc = chrome_pairs_finish(c, err);
	unwritten = atomic_load_explicit(c->unwritten, memory_order_relaxed);
	if (unwritten)
		tt_loss_add(m->loss, TT_LOST_VALUES, unwritten, 0, TT_NOWHERE);
	for (size_t i = 0; i < c->npart && rc == TT_OK; i++)
		rc = part_finish(c, &c->part[i], err);
	if (rc == TT_OK && (c->o.estimate == 0 || is_filtered(&m->filter)))
		warn_large(c, c->part[0].bytes, "takes");
	return rc;
}

static int
chrome_commit(void *state, struct tt_err *err)
{
	struct chrome *c = state;
	int rc = TT_OK;

	for (size_t i = 0; i < c->npart && rc == TT_OK; i++) {
		rc = tt_sink_commit(c->part[i].sink, err);
		c->part[i].sink = NULL;
	}
	return rc;
}

static const char *const suffixes[] = { ".json", NULL };

const struct tt_emit tt_emit_chrome = {
	.name = "chrome",
	.summary = "Chrome trace event JSON: Perfetto UI, Chrome DevTools, chrome://tracing",
	.suffix = suffixes,
	.needs = TT_NEEDS_SLICES | TT_NEEDS_TEXT | TT_NEEDS_ARGS | TT_NEEDS_FRAMES,
	.begin = chrome_begin,
	.chunk = chrome_chunk,
	.rare = chrome_rare,
	.write = chrome_write,
	.finish = chrome_finish,
	.commit = chrome_commit,
	.end = chrome_end,
};

/**
 * Perfetto's native format: start and end, and what is told of names and tracks before they are used.
 */
#include "emit/perfetto.h"

#include <string.h>

#include "base/hash_seed.h"
#include "base/option.h"
#include "emit/args.h"
#include "emit/common.h"
#include "io/sink.h"

/* The largest number of a process, and of a thread that has samples. */
#define MOST_PID INT32_MAX
#define MOST_SAMPLED UINT32_MAX

int
tt_pf_write(struct perfetto *c, struct tt_buf *b, struct tt_err *err)
{
	int rc = tt_buf_error(b, err);

	if (rc == TT_OK && b->n)
		rc = tt_sink_write(c->sink, b->p, b->n, err);
	b->n = 0;
	return rc;
}

/* --- names ------------------------------------------------------------------------ */

static void
put_interned(struct tt_buf *b, unsigned field, uint64_t iid, const char *s, size_t n)
{
	size_t at = pf_open(b, field);

	pf_number(b, 1, iid);
	tt_pf_text(b, 2, s, n);
	tt_pf_close(b, at);
}

/* Categories of the program and of markers come first. */
static const char *
category_text(const struct perfetto *c, uint32_t category)
{
	static const char *const own[PF_CATEGORIES] = { "GC", "flow", "Exceptions", "Contention", "tracetool" };

	return category < c->nmodel ? c->m->category[category].name : own[category - c->nmodel];
}

/* Append the interned data that says what the number ${iid} is as a name or a text. */
static void
send_name(struct perfetto *c, enum pf_use as, uint32_t iid, struct tt_buf *b)
{
	const struct pf_entry *e = &c->entry[iid];
	size_t packet = pf_open(b, PF_PACKET), in;
	uint32_t category = e->category ? e->category - 1 : 0;

	pf_number(b, PF_SEQUENCE, PF_EVENTS);
	pf_number(b, PF_FLAGS, PF_NEEDS_STATE);
	in = pf_open(b, PF_INTERNED);
	put_interned(b, as == PF_USE_NAME ? PF_IN_EVENT : PF_IN_STRING, iid, c->names.p + e->at, e->n);
	if (as == PF_USE_NAME && e->category && !c->category[category]) {
		const char *text = category_text(c, category);

		put_interned(b, PF_IN_CATEGORY, e->category, text, strlen(text));
		c->category[category] = 1;
	}
	tt_pf_close(b, in);
	tt_pf_close(b, packet);
}

/* --- processes and threads ---------------------------------------------------------- */

uint32_t
tt_pf_pid(const struct perfetto *c, uint32_t process)
{
	int64_t pid = c->m->cap[process]->pid;

	/* Sessions of one process, and captures that do not say it, get numbers that no process has. */
	for (uint32_t i = 0; i < process; i++)
		if (c->m->cap[i]->pid == pid)
			pid = 0;
	return pid > 0 && pid <= MOST_PID / 2 ? (uint32_t)pid : MOST_PID - process;
}

/* The producer's id, unless another thread had it before. */
static uint64_t
thread_tid(const struct tt_thread *t)
{
	return t->generation == 0 && t->tid <= INT64_MAX ? t->tid : ((uint64_t)1 << 62) + t->index;
}

/* Samples say threads in 32 bits. Those of others are shown on a thread of their own. */
uint64_t
tt_pf_sample_tid(const struct perfetto *c, const struct tt_thread *t)
{
	(void)c;
	return thread_tid(t) <= MOST_SAMPLED / 2 ? thread_tid(t) : MOST_SAMPLED - t->index;
}

static void
put_thread(struct perfetto *c, uint64_t uuid, const struct tt_thread *t, uint64_t tid, const char *more, struct tt_buf *b)
{
	struct pf_event e = tt_pf_begin_track(b, uuid, 0, NULL, 0);
	size_t thread = pf_open(b, PF_TRACK_THREAD);
	char name[32] = "Thread ";

	*tt_put_u64(name + 7, t->index + 1) = '\0';
	pf_number(b, 1, tt_pf_pid(c, t->process));
	pf_number(b, 2, tid);
	c->more.n = 0;
	tt_buf_text(&c->more, t->name && *t->name ? t->name : name);
	tt_buf_text(&c->more, more);
	tt_pf_text(b, 5, c->more.p, c->more.n);
	tt_pf_close(b, thread);
	tt_pf_end_track(b, e);
	b->failed |= c->more.failed;
}

struct pf_thread *
tt_pf_thread_at(struct perfetto *c, uint32_t index, struct tt_err *err)
{
	return tt_mem_grow(&c->env->mem, &c->thread, &c->capthread, (size_t)index + 1, sizeof *c->thread, err) == TT_OK ? &c->thread[index] : NULL;
}

static uint64_t
hash_of(const char *name)
{
	return name ? tt_slot_text(1, name, strlen(name)) : 0;
}

/* Of a thread: its track, its counter of allocated bytes, or the thread for its samples. */
static int
send_thread(struct perfetto *c, enum pf_use as, uint32_t index, struct tt_buf *b, struct tt_err *err)
{
	const struct tt_thread *t = c->m->threads.t[index];
	struct pf_thread *row = tt_pf_thread_at(c, index, err);

	if (!row)
		return TT_E_NOMEM;
	if (!(row->sent & 1u << PF_USE_THREAD)) {
		row->sent |= 1u << PF_USE_THREAD;
		row->named = hash_of(t->name);
		put_thread(c, pf_track(PF_THREAD, index), t, thread_tid(t), "", b);
	}
	if (row->sent & 1u << as)
		return TT_OK;
	row->sent |= (uint8_t)(1u << as);
	if (as == PF_USE_SAMPLED && tt_pf_sample_tid(c, t) != thread_tid(t))
		put_thread(c, pf_track(PF_SAMPLED, index), t, tt_pf_sample_tid(c, t), " (samples)", b);
	if (as == PF_USE_ALLOCATED) {
		struct pf_event e = tt_pf_begin_track(b, pf_track(PF_ALLOCATED, index), pf_track(PF_THREAD, index), "GC.Alloc", 8);
		size_t counter = pf_open(b, PF_TRACK_COUNTER);

		pf_number(b, 3, 3);   /* UNIT_SIZE_BYTES */
		tt_pf_close(b, counter);
		tt_pf_end_track(b, e);
	}
	return TT_OK;
}

/* Names that were not known when the thread's first event was written. */
static int
rename_threads(struct perfetto *c, struct tt_err *err)
{
	for (size_t i = 0; i < c->capthread && i < c->m->threads.n; i++) {
		const struct tt_thread *t = c->m->threads.t[i];

		if (!(c->thread[i].sent & 1u << PF_USE_THREAD) || c->thread[i].named == hash_of(t->name))
			continue;
		put_thread(c, pf_track(PF_THREAD, i), t, thread_tid(t), "", &c->scratch);
		if ((c->thread[i].sent & 1u << PF_USE_SAMPLED) && tt_pf_sample_tid(c, t) != thread_tid(t))
			put_thread(c, pf_track(PF_SAMPLED, i), t, tt_pf_sample_tid(c, t), " (samples)", &c->scratch);
	}
	return tt_pf_write(c, &c->scratch, err);
}

int
tt_pf_send(struct perfetto *c, uint64_t use, struct tt_buf *b, struct tt_err *err)
{
	enum pf_use as = (enum pf_use)(use >> 56);
	uint32_t i = (uint32_t)use;

	if (as >= PF_USE_THREAD)
		return send_thread(c, as, i, b, err);
	uint8_t sent = atomic_load_explicit(&c->sent[i], memory_order_relaxed);
	if (!(sent & 1u << as)) {
		atomic_store_explicit(&c->sent[i], (uint8_t)(sent | 1u << as), memory_order_relaxed);
		send_name(c, as, i, b);
	}
	return TT_OK;
}

/* --- begin -------------------------------------------------------------------------- */

/* When the output's zero was by the wall clock, in ns since 1970; 0: not known. */
static uint64_t
wall_clock(const struct perfetto *c)
{
	const struct tt_capture *cap = c->m->ncap ? c->m->cap[0] : NULL;

	if (!cap || cap->wall_ns <= 0)
		return 0;
	/* Numbers of a damaged capture may wrap. */
	uint64_t wall = (uint64_t)cap->wall_ns + (uint64_t)c->origin - (uint64_t)cap->offset_ns + (uint64_t)cap->zero_ns - (uint64_t)cap->start_ns;
	return wall < INT64_MAX ? wall : 0;
}

static void
put_clock(struct tt_buf *b, unsigned id, uint64_t ns)
{
	size_t at = pf_open(b, 1);

	pf_number(b, 1, id);
	pf_number(b, 2, ns);
	tt_pf_close(b, at);
}

static void
put_process(const struct perfetto *c, const struct tt_capture *cap, struct tt_buf *b)
{
	size_t n, at;
	const char *title = tt_capture_title(cap, &n);
	struct pf_event e = tt_pf_begin_track(b, pf_track(PF_PROCESS, cap->process), 0, NULL, 0);

	at = pf_open(b, PF_TRACK_PROCESS);
	pf_number(b, 1, tt_pf_pid(c, cap->process));
	tt_pf_text(b, 6, n ? title : "(unnamed)", n ? n : 9);
	tt_pf_close(b, at);
	tt_pf_end_track(b, e);
}

static int
put_start(struct perfetto *c, struct tt_err *err)
{
	static const char *const notes[] = { NULL, "class", "bytes", "site", "object", "stack" };
	struct tt_buf *b = &c->scratch;
	uint64_t wall = wall_clock(c);
	size_t packet = pf_open(b, PF_PACKET), in;

	pf_number(b, PF_SEQUENCE, PF_EVENTS);
	pf_number(b, PF_FLAGS, PF_CLEARED);
	in = pf_open(b, PF_INTERNED);
	for (uint64_t i = 1; i < sizeof notes / sizeof *notes; i++)
		put_interned(b, PF_IN_ANNOTATION, i, notes[i], strlen(notes[i]));
	tt_pf_close(b, in);
	tt_pf_close(b, packet);
	if (wall) {
		packet = pf_open(b, PF_PACKET);
		pf_number(b, PF_SEQUENCE, PF_EVENTS);
		in = pf_open(b, PF_CLOCK_SNAPSHOT);
		put_clock(b, 6, 0);   /* boot time, which packets without a clock have */
		put_clock(b, 1, wall);
		tt_pf_close(b, in);
		tt_pf_close(b, packet);
	}
	for (size_t i = 0; i < c->m->ncap; i++)
		put_process(c, c->m->cap[i], b);
	return tt_pf_write(c, b, err);
}

static int
begin(struct perfetto *c, struct tt_err *err)
{
	struct tt_mem *mem = &c->env->mem;
	int rc;

	c->unwritten = tt_mem_alloc(mem, sizeof *c->unwritten, err);
	c->process = tt_mem_alloc(mem, c->m->ncap * sizeof *c->process, err);
	c->nmodel = (uint32_t)c->m->ncategory;
	c->category = tt_mem_alloc(mem, c->nmodel + PF_CATEGORIES, err);
	c->heap_sent = tt_mem_alloc(mem, c->m->ncap * sizeof *c->heap_sent, err);
	if (!c->unwritten || !c->process || !c->category || !c->heap_sent)
		return err ? err->code : TT_E_NOMEM;
	c->nprocess = c->m->ncap;
	rc = tt_pf_names(c, err);
	if (rc != TT_OK)
		return rc;
	if (!(c->sent = tt_mem_alloc(mem, c->nentry, err)))
		return err ? err->code : TT_E_NOMEM;
	c->nsent = c->nentry;
	rc = tt_emit_open(&c->o, c->o.path, &c->sink, err);
	return rc == TT_OK ? put_start(c, err) : rc;
}

static void
perfetto_end(void *state)
{
	struct perfetto *c = state;
	struct tt_mem *mem;

	if (!c)
		return;
	mem = &c->env->mem;
	tt_sink_abort(c->sink);
	for (size_t i = 0; i < c->nprocess; i++)
		tt_pieces_free(&c->process[i]);
	tt_mem_free(mem, c->process, c->nprocess * sizeof *c->process);
	tt_mem_free(mem, c->heap_sent, c->m->ncap * sizeof *c->heap_sent);
	tt_mem_free(mem, c->unwritten, sizeof *c->unwritten);
	tt_mem_free(mem, c->category, c->nmodel + PF_CATEGORIES);
	tt_mem_free(mem, c->sent, c->nsent);
	tt_mem_free(mem, c->entry, c->capentry * sizeof *c->entry);
	tt_mem_free(mem, c->thread, c->capthread * sizeof *c->thread);
	tt_mem_free(mem, c->counter, c->capcounter * sizeof *c->counter);
	tt_map_free(&c->counters, mem);
	tt_flow_free(&c->flows, mem);
	tt_pf_stacks_free(c);
	tt_slices_free(&c->slices);
	tt_aside_free(&c->args);
	tt_buf_free(&c->names);
	tt_buf_free(&c->scratch);
	tt_buf_free(&c->more);
	tt_mem_free(mem, c, sizeof *c);
}

static int
perfetto_begin(const struct tt_emit_opts *o, const struct tt_model *m, void **state, struct tt_err *err)
{
	struct perfetto *c = tt_mem_alloc(&o->env->mem, sizeof *c, err);
	int rc;

	*state = NULL;
	if (!c)
		return err ? err->code : TT_E_NOMEM;
	c->o = *o;
	if (o->own)
		c->own = *(const struct perfetto_own *)o->own;
	c->env = o->env;
	c->m = m;
	c->origin = tt_emit_origin(m);
	c->late = tt_filter_tells_late(&m->filter);
	tt_slices_init(&c->slices, o->env, &c->put_aside);
	tt_aside_init(&c->args, o->env, &c->put_aside);
	rc = begin(c, err);
	if (rc != TT_OK) {
		perfetto_end(c);
		return rc;
	}
	*state = c;
	return TT_OK;
}

/* --- on the way ----------------------------------------------------------------------- */

/* What the ${n} numbers at ${p} are, as far as it was not told. */
static int
send_all(struct perfetto *c, const char *p, uint64_t n, struct tt_err *err)
{
	int rc = TT_OK;

	c->scratch.n = 0;
	for (; n > 0 && rc == TT_OK; n--, p += sizeof(uint64_t)) {
		uint64_t use;

		memcpy(&use, p, sizeof use);
		rc = tt_pf_send(c, use, &c->scratch, err);
	}
	return rc == TT_OK ? tt_pf_write(c, &c->scratch, err) : rc;
}

static int
perfetto_write(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err)
{
	struct perfetto *c = state;
	int rc = tt_flow_zones(&c->flows, v, &c->process[v->cap->process], &c->more, &c->env->mem, err);

	for (const char *end = p + n; p < end && rc == TT_OK;) {
		struct pf_frame f;

		memcpy(&f, p, sizeof f);
		p += sizeof f;
		rc = send_all(c, p, f.uses, err);
		p += f.uses * sizeof(uint64_t);
		if (rc == TT_OK && f.zones)
			rc = tt_slices_add(&c->slices, v->thread, p, f.zones, &c->args, err);
		else if (rc == TT_OK && f.text)
			rc = tt_sink_write(c->sink, p, f.text, err);
		p += f.zones * sizeof(struct tt_slice) + f.text;
		if (rc == TT_OK && f.opened) {
			struct pf_thread *row = tt_pf_thread_at(c, v->thread->index, err);

			if (!row)
				return TT_E_NOMEM;
			row->open += f.opened;
		}
	}
	return rc;
}

/* --- the end -------------------------------------------------------------------------- */

static int
perfetto_finish(void *state, const struct tt_model *m, struct tt_err *err)
{
	struct perfetto *c = state;
	uint64_t unwritten;
	int rc;

	c->m = m;
	rc = tt_pf_flows(c, err);
	if (rc == TT_OK && c->late)
		rc = tt_pf_aside_finish(c, err);
	unwritten = atomic_load_explicit(c->unwritten, memory_order_relaxed);
	if (unwritten)
		tt_loss_add(m->loss, TT_LOST_VALUES, unwritten, 0, TT_NOWHERE);
	if (rc == TT_OK)
		rc = rename_threads(c, err);
	return rc == TT_OK ? tt_pf_tail(c, err) : rc;
}

static int
perfetto_commit(void *state, struct tt_err *err)
{
	struct perfetto *c = state;
	struct tt_sink *sink = c->sink;

	c->sink = NULL;
	return tt_sink_commit(sink, err);
}

static const char *const suffixes[] = { ".pftrace", ".perfetto-trace", NULL };

static const struct tt_option options[] = {
	TT_OPTION_BLOBS(offsetof(struct perfetto_own, blobs)),
	{ .name = NULL },
};

const struct tt_emit tt_emit_perfetto = {
	.name = "perfetto",
	.summary = "Perfetto's native format, of any size",
	.suffix = suffixes,
	.binary = true,
	.viewed = true,
	.option = options,
	.own = sizeof(struct perfetto_own),
	.needs = TT_NEEDS_SLICES | TT_NEEDS_TEXT | TT_NEEDS_ARGS | TT_NEEDS_FRAMES | TT_NEEDS_APART,
	.begin = perfetto_begin,
	.chunk = tt_pf_chunk,
	.rare = tt_pf_rare,
	.write = perfetto_write,
	.finish = perfetto_finish,
	.commit = perfetto_commit,
	.end = perfetto_end,
};

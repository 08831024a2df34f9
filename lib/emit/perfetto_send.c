/**
 * Perfetto: descriptions of names, processes and threads, which are sent before their first use.
 */
#include <string.h>

#include "base/hash_seed.h"
#include "emit/perfetto.h"
#include "io/sink.h"

/* The largest number of a process, and of a thread that has samples. */
#define MAX_PID INT32_MAX
#define MAX_SAMPLED_NS UINT32_MAX

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

void
tt_pf_put_interned(struct tt_buf *b, unsigned field, uint64_t iid, const char *s, size_t n)
{
	size_t at = pf_open(b, field);

	pf_number(b, 1, iid);
	tt_pf_text(b, 2, s, n);
	tt_pf_close(b, at);
}

/* Return the text of a category number: first the model's categories, then the emitter's own. */
static const char *
category_text(const struct perfetto *c, uint32_t category)
{
	static const char *const own[PF_CATEGORIES] = { "GC", "flow", "Exceptions", "Contention", "tracetool" };

	return category < c->nmodel ? c->e.m->category[category].name : own[category - c->nmodel];
}

/* Append interned data that maps the number ${iid} to its name or text. */
static void
send_name(struct perfetto *c, enum pf_use as, uint32_t iid, struct tt_buf *b)
{
	const struct pf_entry *e = &c->entry[iid];
	size_t packet = pf_open(b, PF_PACKET), in;
	uint32_t category = e->category ? e->category - 1 : 0;

	pf_number(b, PF_SEQUENCE, as == PF_USE_ZONE ? PF_ZONES : PF_EVENTS);
	pf_number(b, PF_FLAGS, PF_NEEDS_STATE);
	in = pf_open(b, PF_INTERNED);
	tt_pf_put_interned(b, as == PF_USE_STRING ? PF_IN_STRING : PF_IN_EVENT, iid, c->names.p + e->at, e->n);
	if (as != PF_USE_STRING && e->category && !(c->category[category] & 1u << as)) {
		const char *text = category_text(c, category);

		tt_pf_put_interned(b, PF_IN_CATEGORY, e->category, text, strlen(text));
		c->category[category] |= (uint8_t)(1u << as);
	}
	tt_pf_close(b, in);
	tt_pf_close(b, packet);
}

/* --- processes and threads ---------------------------------------------------------- */

uint32_t
tt_pf_pid(const struct perfetto *c, uint32_t process)
{
	int64_t pid = c->e.m->cap[process]->pid;

	/* Sessions of the same process, and captures without a process id, get numbers that no process has. */
	for (uint32_t i = 0; i < process; i++)
		if (c->e.m->cap[i]->pid == pid)
			pid = 0;
	return pid > 0 && pid <= MAX_PID / 2 ? (uint32_t)pid : MAX_PID - process;
}

/* Return the producer's id, unless an earlier thread had it. */
static uint64_t
thread_tid(const struct tt_thread *t)
{
	return t->generation == 0 && t->tid <= INT64_MAX ? t->tid : ((uint64_t)1 << 62) + t->index;
}

uint64_t
tt_pf_sample_tid(const struct perfetto *c, const struct tt_thread *t)
{
	(void)c;
	return thread_tid(t) <= MAX_SAMPLED_NS / 2 ? thread_tid(t) : MAX_SAMPLED_NS - t->index;
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
	return tt_mem_grow(&c->e.env->mem, &c->thread, &c->capthread, (size_t)index + 1, sizeof *c->thread, err) == TT_OK ? &c->thread[index] : NULL;
}

static uint64_t
hash_of(const char *name)
{
	return name ? tt_seeded_text(1, name, strlen(name)) : 0;
}

/* Append the description of a track of a thread: its own, its counter of allocated bytes, or its thread of samples. */
static int
send_thread(struct perfetto *c, enum pf_use as, uint32_t index, struct tt_buf *b, struct tt_err *err)
{
	const struct tt_thread *t = c->e.m->threads.t[index];
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

int
tt_pf_rename_threads(struct perfetto *c, struct tt_err *err)
{
	for (size_t i = 0; i < c->capthread && i < c->e.m->threads.n; i++) {
		const struct tt_thread *t = c->e.m->threads.t[i];

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

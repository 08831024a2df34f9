/**
 * What chunks do to stacks; the contract is in chunk_log.h.
 */
#include "run/chunk_log.h"

#include "base/order.h"
#include "emit/emit.h"
#include "run/pipe.h"
#include "run/run.h"

enum { MOST_BYTES = 16 << 20 };

void
tt_chunk_log_free(struct tt_run *r)
{
	struct tt_chunk_log *log = &r->log;

	tt_mem_free(&r->env->mem, log->note, log->cap * sizeof *log->note);
	tt_mem_free(&r->env->mem, log->open, log->capopen * sizeof *log->open);
	*log = (struct tt_chunk_log){ 0 };
}

void
tt_chunk_log_begin(struct tt_run *r)
{
	const struct tt_emit *e = r->o->nemit == 1 ? r->o->emit[0] : NULL;

	tt_chunk_log_free(r);
	r->log.on = e && e->again && e->times && r->m->frames && r->nin == 1 && !r->filtered && !r->parts;
}

/* When the first begins of what ${s} has anything to do with: its events, and the zones that it ends. INT64_MIN: it says more than stacks do. */
static int64_t
first_of(const struct slot *s, const struct tt_thread *t, size_t keeps)
{
	const struct tt_batch *b = &s->batch;
	const struct tt_stack *before = &s->io.base;
	int64_t from = t->stack.seen_ts;

	if (b->nstack && b->stack_from < from)
		from = b->stack_from;
	if (b->min_ts <= b->max_ts && b->min_ts < from)
		from = b->min_ts;
	for (size_t i = keeps; i < before->n; i++)
		from = before->z[i].ts < from ? before->z[i].ts : from;
	for (size_t i = 0, n = tt_batch_nrare(b, TT_KIND(TT_THREAD)); i < n; i++)
		if (b->ev[b->rare[i]].kind == TT_THREAD)
			from = INT64_MIN;
	return from;
}

static int
make_room(struct tt_run *r, size_t opens, struct tt_err *err)
{
	struct tt_chunk_log *log = &r->log;
	struct tt_mem *mem = &r->env->mem;
	int rc = tt_mem_grow(mem, &log->note, &log->cap, log->n + 1, sizeof *log->note, err);

	return rc == TT_OK ? tt_mem_grow(mem, &log->open, &log->capopen, log->nopen + opens, sizeof *log->open, err) : rc;
}

int
tt_chunk_log_note(struct pipe *p, const struct slot *s, const struct tt_thread *t, struct tt_err *err)
{
	struct tt_chunk_log *log = &p->r->log;
	const struct tt_stack *before = &s->io.base, *after = &t->stack;
	struct tt_chunk_note note = { .last_ts = after->last_ts, .seen_ts = after->seen_ts, .begun = after->begun != 0, .thread = t->index,
		.first = (uint32_t)log->nopen };
	int rc;

	if (p->phase != TT_PHASE_MAIN || !log->on)
		return TT_OK;
	while (note.keeps < before->n && note.keeps < after->n && before->z[note.keeps].number == after->z[note.keeps].number)
		note.keeps++;
	note.opens = (uint32_t)(after->n - note.keeps) & INT32_MAX;
	if (s->chunk.seq != log->n || (log->n + 1) * sizeof *log->note + (log->nopen + note.opens) * sizeof *log->open > MOST_BYTES) {
		tt_chunk_log_free(p->r);
		return TT_OK;
	}
	if ((rc = make_room(p->r, note.opens, err)) != TT_OK)
		return rc;
	note.from = first_of(s, t, note.keeps);
	for (size_t i = note.keeps; i < after->n; i++)
		log->open[log->nopen++] = (struct tt_chunk_open){ after->z[i].key, after->z[i].ts, after->z[i].flags };
	log->note[log->n++] = note;
	return TT_OK;
}

bool
tt_chunk_log_passes(const struct pipe *p, const struct slot *s)
{
	const struct tt_run *r = p->r;
	const struct tt_chunk_note *note;
	const struct tt_span *span;
	size_t n, at;

	if (p->phase != TT_PHASE_PARTS || !r->log.on || s->chunk.seq >= r->log.n)
		return false;
	note = &r->log.note[s->chunk.seq];
	if (note->from == INT64_MIN)
		return false;
	span = r->o->emit[0]->times(r->emit[0], p->in->cap->process, &n);
	at = tt_lower_bound(i, 0, n, span[i].to < note->from);
	return at == n || span[at].from > note->seen_ts;
}

int
tt_chunk_log_pass(struct pipe *p, const struct slot *s, struct tt_err *err)
{
	const struct tt_chunk_log *log = &p->r->log;
	const struct tt_chunk_note *note = &log->note[s->chunk.seq];
	struct tt_threads *ts = &p->r->m->threads;
	struct tt_thread *t = ts->t[note->thread];
	int rc = tt_threads_get(ts, t->process, t->tid, false, &t, err);

	if (rc != TT_OK)
		return rc;
	t->stack.n = note->keeps < t->stack.n ? note->keeps : t->stack.n;
	for (size_t i = note->first; i < note->first + note->opens && rc >= 0; i++)
		rc = tt_stack_push(&t->stack, &p->r->env->mem, log->open[i].key, log->open[i].ts, log->open[i].flags, err);
	t->stack.last_ts = note->last_ts;
	t->stack.seen_ts = note->seen_ts;
	t->stack.begun = note->begun;
	return rc < 0 ? rc : TT_OK;
}

/* --- counts of threads ---------------------------------------------------------------------------- */

struct tt_thread *
tt_chunk_log_keep_counts(const struct tt_run *r, struct tt_err *err)
{
	const struct tt_threads *ts = &r->m->threads;
	struct tt_thread *was = tt_mem_alloc(&r->env->mem, (ts->n + 1) * sizeof *was, err);

	for (size_t i = 0; was && i < ts->n; i++)
		was[i] = *ts->t[i];
	return was;
}

void
tt_chunk_log_take_counts(const struct tt_run *r, struct tt_thread *was)
{
	const struct tt_threads *ts = &r->m->threads;

	for (size_t i = 0; i < ts->n; i++) {
		struct tt_thread *t = ts->t[i];

		t->started = was[i].started;
		t->ended = was[i].ended;
		t->first_ts = was[i].first_ts;
		t->last_ts = was[i].last_ts;
		t->nevent = was[i].nevent;
		t->ncall = was[i].ncall;
		t->nalloc = was[i].nalloc;
		t->alloc_b = was[i].alloc_b;
		t->hidden = was[i].hidden;
		t->open_at_end = was[i].open_at_end;
	}
	tt_mem_free(&r->env->mem, was, (ts->n + 1) * sizeof *was);
}

/**
 * Keeps what each chunk did to its thread's stack, for readings that skip chunks.
 */
#include "run/chunk_log.h"

#include "base/order.h"
#include "emit/emit.h"
#include "run/pipe.h"
#include "run/run.h"

enum { MAX_BYTES = 16 << 20, NOTE_BYTES = 16, OPEN_BYTES = 10 };

void
tt_chunk_log_free(struct tt_run *r)
{
	struct tt_chunk_log *log = &r->log;

	for (size_t i = 0; i < TT_CHUNK_NOTES; i++)
		tt_column_free(&log->note[i], &r->env->mem);
	for (size_t i = 0; i < TT_CHUNK_OPEN; i++)
		tt_column_free(&log->open[i], &r->env->mem);
	*log = (struct tt_chunk_log){ 0 };
}

void
tt_chunk_log_begin(struct tt_run *r)
{
	const struct tt_emit *e = r->o->nemit == 1 ? r->o->emit[0] : NULL;

	tt_chunk_log_free(r);
	r->log.on = e && e->again && e->times && r->m->frames && r->nin == 1 && !r->filtered && !r->parts;
}

/* The first begin among the events of ${s} and the zones that it ends; INT64_MIN: the chunk starts or ends a thread, which stacks do not tell. */
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
note_open(struct tt_chunk_log *log, struct tt_mem *mem, const struct tt_open *z, struct tt_err *err)
{
	const int64_t v[TT_CHUNK_OPEN] = { [TT_CHUNK_KEY] = (int64_t)z->key, [TT_CHUNK_TS] = z->ts, [TT_CHUNK_FLAGS] = z->flags };
	int rc = TT_OK;

	for (size_t i = 0; i < TT_CHUNK_OPEN && rc == TT_OK; i++)
		rc = tt_column_push(&log->open[i], mem, v[i], err);
	return rc;
}

int
tt_chunk_log_note(struct pipe *p, const struct slot *s, const struct tt_thread *t, struct tt_err *err)
{
	struct tt_chunk_log *log = &p->r->log;
	struct tt_mem *mem = &p->r->env->mem;
	const struct tt_stack *before = &s->io.base, *after = &t->stack;
	const size_t n = log->note[0].n, nopen = log->open[0].n;
	size_t keeps = 0;
	int rc = TT_OK;

	if (p->phase != TT_PHASE_MAIN || !log->on)
		return TT_OK;
	while (keeps < before->n && keeps < after->n && before->z[keeps].number == after->z[keeps].number)
		keeps++;
	if (s->chunk.seq != n || (n + 1) * NOTE_BYTES + (nopen + after->n - keeps) * OPEN_BYTES > MAX_BYTES) {
		tt_chunk_log_free(p->r);
		return TT_OK;
	}
	const int64_t v[TT_CHUNK_NOTES] = { [TT_CHUNK_FROM] = first_of(s, t, keeps), [TT_CHUNK_LAST] = after->last_ts,
		[TT_CHUNK_SEEN] = (int64_t)((uint64_t)after->seen_ts - (uint64_t)after->last_ts), [TT_CHUNK_THREAD] = t->index,
		[TT_CHUNK_KEEPS] = (int64_t)keeps, [TT_CHUNK_OPENS] = (int64_t)(after->n - keeps) * 2 + (after->begun != 0),
		[TT_CHUNK_FIRST] = (int64_t)nopen };
	for (size_t i = 0; i < TT_CHUNK_NOTES && rc == TT_OK; i++)
		rc = tt_column_push(&log->note[i], mem, v[i], err);
	for (size_t i = keeps; i < after->n && rc == TT_OK; i++)
		rc = note_open(log, mem, &after->z[i], err);
	return rc;
}

static int64_t
noted(const struct tt_chunk_log *log, const struct slot *s, enum tt_chunk_note what)
{
	return tt_column_at(&log->note[what], (size_t)s->chunk.seq);
}

static int64_t
seen_ts(const struct tt_chunk_log *log, const struct slot *s)
{
	return (int64_t)((uint64_t)noted(log, s, TT_CHUNK_LAST) + (uint64_t)noted(log, s, TT_CHUNK_SEEN));
}

bool
tt_chunk_log_passes(const struct pipe *p, const struct slot *s)
{
	const struct tt_run *r = p->r;
	const struct tt_span *span;
	size_t n, at;

	if (p->phase != TT_PHASE_PARTS || !r->log.on || s->chunk.seq >= r->log.note[0].n)
		return false;
	const int64_t from = noted(&r->log, s, TT_CHUNK_FROM);
	if (from == INT64_MIN)
		return false;
	span = r->o->emit[0]->times(r->emit[0], p->input->cap->process, &n);
	at = tt_lower_bound(i, 0, n, span[i].to < from);
	return at == n || span[at].from > seen_ts(&r->log, s);
}

int
tt_chunk_log_pass(struct pipe *p, const struct slot *s, struct tt_err *err)
{
	const struct tt_chunk_log *log = &p->r->log;
	const size_t keeps = (size_t)noted(log, s, TT_CHUNK_KEEPS), first = (size_t)noted(log, s, TT_CHUNK_FIRST);
	const int64_t opens = noted(log, s, TT_CHUNK_OPENS);
	struct tt_threads *ts = &p->r->m->threads;
	struct tt_thread *t = ts->t[noted(log, s, TT_CHUNK_THREAD)];
	int rc = tt_threads_get(ts, t->process, t->tid, false, &t, err);

	if (rc != TT_OK)
		return rc;
	t->stack.n = keeps < t->stack.n ? keeps : t->stack.n;
	for (size_t i = first; i < first + (size_t)opens / 2 && rc >= 0; i++)
		rc = tt_stack_push(&t->stack, &p->r->env->mem, (uint64_t)tt_column_at(&log->open[TT_CHUNK_KEY], i),
		    tt_column_at(&log->open[TT_CHUNK_TS], i), (uint32_t)tt_column_at(&log->open[TT_CHUNK_FLAGS], i), err);
	t->stack.last_ts = noted(log, s, TT_CHUNK_LAST);
	t->stack.seen_ts = seen_ts(log, s);
	t->stack.begun = opens & 1;
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
		t->hidden_ns = was[i].hidden_ns;
		t->open_at_end = was[i].open_at_end;
	}
	tt_mem_free(&r->env->mem, was, (ts->n + 1) * sizeof *was);
}

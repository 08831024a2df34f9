/**
 * Updates definitions, threads and the stacks of open zones for each chunk, before the chunk is counted.
 */
#include "fold/short_zones.h"
#include "model/model.h"
#include "run/pipe.h"

static bool
quiet_key(uint64_t key)
{
	return key == TT_KEY_EXCEPTION;       /* a catch without a throw is usual where throws are not recorded */
}

struct taking {
	struct pipe *p;
	struct slot *s;
};

/* Hand the arguments of a zone from before the chunk, which ends in it, to the chunk: they are needed until it is written. */
static void
take_args(void *arg, const struct tt_open *z, unsigned flags)
{
	struct taking *t = arg;

	(void)flags;
	if (!z->args)
		return;
	t->p->kept_arg_bytes -= z->args->bytes;
	z->args->next = t->s->io.ended;
	t->s->io.ended = z->args;
}

void
tt_thread_stacks_end_all(struct pipe *p, struct slot *s, struct tt_stack *st)
{
	struct taking t = { p, s };

	while (st->n > 0)
		take_args(&t, &st->z[--st->n], 0);
}

/* Copy the arguments of the zone on top of the stack of ${t}, whose begin is the event ${at}, because it stays open after the chunk. */
static int
keep_args(struct pipe *p, struct tt_batch *b, size_t at, struct tt_thread *t, struct tt_err *err)
{
	const bool *wanted = p->r->m->keep_thread;
	const struct tt_args a = tt_args_of(b, at);
	size_t bytes = tt_args_bytes(&a);

	if (a.n == 0 || (wanted && !wanted[t->index]) || (p->needs & (TT_NEEDS_ARGS | TT_NEEDS_SLICES)) != (TT_NEEDS_ARGS | TT_NEEDS_SLICES))
		return TT_OK;
	if (bytes > TT_ARGS_KEPT - p->kept_arg_bytes) {
		tt_loss_add(&b->loss, TT_LOST_ARGS, 1, bytes, b->at);
		return TT_OK;
	}
	struct tt_args_kept *k = tt_args_keep(&a, &p->r->env->mem, err);
	if (!k)
		return err->code;
	t->stack.z[t->stack.n - 1].args = k;
	p->kept_arg_bytes += k->bytes;
	return TT_OK;
}

/* True if this reading finds the zones that are too short to count. */
static bool
notes_short_zones(const struct pipe *p)
{
	return p->phase == TT_PHASE_NAMES && p->r->m->filter.min_dur;
}

/* The end of zones from before the chunk. */
struct ending {
	struct taking taking;
	struct tt_thread *t;
	int64_t ts;                   /* time of the end */
	uint64_t at;                  /* place of the end in the input */
	size_t i;                     /* index of the event that ends the zone */
	struct tt_err *err;
	int rc;
};

/* Count ${z}, which the event at ${i} closes at ${ts} without an end, though nothing is missing. */
static int
note_popped(struct tt_batch *b, const struct tt_open *z, int64_t ts, uint64_t at, size_t i, struct tt_err *err)
{
	if (b->keeps_strays)
		return tt_batch_stray_begin(b, z->key, z->ts, ts, at, i, err);
	tt_loss_add(&b->loss, TT_LOST_POPPED, 1, 0, at);
	return TT_OK;
}

static void
ended(void *arg, const struct tt_open *z, unsigned flags)
{
	struct ending *e = arg;
	const struct pipe *p = e->taking.p;

	take_args(&e->taking, z, flags);
	if (flags & TT_F_POPPED && e->rc == TT_OK)
		e->rc = note_popped(&e->taking.s->batch, z, e->ts, e->at, e->i, e->err);
	if (notes_short_zones(p) && e->rc == TT_OK)
		e->rc = tt_short_zones_note(e->t, z, (size_t)(z - e->t->stack.z), e->ts, p->r->m->filter.min_dur, &p->r->env->mem, e->err);
}

/* Note which zones of ${t}, all of which end at ${ts} without an end of their own, are too short to count. */
static int
all_ended(const struct pipe *p, struct tt_thread *t, int64_t ts, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; notes_short_zones(p) && i < t->stack.n && rc == TT_OK; i++)
		rc = tt_short_zones_note(t, &t->stack.z[i], i, ts, p->r->m->filter.min_dur, &p->r->env->mem, err);
	return rc;
}

int
tt_thread_stacks_names_end(struct pipe *p, struct tt_err *err)
{
	const struct tt_threads *ts = &p->r->m->threads;
	int rc = TT_OK;

	for (size_t i = 0; i < ts->n && rc == TT_OK; i++)
		if (ts->t[i]->process == p->input->cap->process)
			rc = all_ended(p, ts->t[i], ts->t[i]->stack.seen_ts, err);
	return rc;
}

/* End the zones from before the chunk that it ends. */
static int
end_zones(struct pipe *p, struct slot *s, struct tt_thread *t, struct tt_err *err)
{
	struct tt_batch *b = &s->batch;
	struct tt_stack *st = &t->stack;
	struct ending ending = { .taking = { p, s }, .t = t, .err = err };

	for (size_t i = 0; i < b->nbase_end && ending.rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[b->base_end[i].i];
		ending.ts = e->ts;
		ending.at = b->base_end[i].at;
		ending.i = b->base_end[i].i;
		if (tt_stack_end(st, e->val, e->ts, e->flags, ended, &ending) || quiet_key(e->val))
			continue;
		if (!b->keeps_strays)
			tt_loss_add(&b->loss, TT_LOST_UNMATCHED, 1, 0, ending.at);
		else if (ending.rc == TT_OK)
			ending.rc = tt_batch_stray(b, TT_STRAY_END, e->val, e->ts, ending.at, ending.i, err);
	}
	return ending.rc;
}

/* End all open zones at gaps. */
static int
end_at_gaps(struct pipe *p, struct slot *s, struct tt_thread *t, struct tt_err *err)
{
	struct tt_batch *b = &s->batch;
	const size_t n = tt_batch_nrare(b, TT_KIND(TT_GAP));
	int rc = TT_OK;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[b->rare[i]];
		if (e->kind != TT_GAP || e->flags & TT_F_CONT)
			continue;
		rc = all_ended(p, t, e->flags & TT_F_BASE || e->ts < t->stack.seen_ts ? t->stack.seen_ts : e->ts, err);
		for (size_t z = t->stack.n; e->flags & TT_F_POPPED && z > 0 && rc == TT_OK; z--)
			rc = note_popped(b, &t->stack.z[z - 1], e->ts, b->at, b->rare[i], err);
		if (!(e->flags & TT_F_POPPED)) {
			t->open_at_end += t->stack.n;
			rc = rc == TT_OK ? tt_batch_stray(b, TT_STRAY_LOSS, 0, e->ts, b->at, b->rare[i], err) : rc;
		}
		tt_thread_stacks_end_all(p, s, &t->stack);
	}
	return rc;
}

/* Push the zones that the chunk leaves open. */
static int
push_zones(struct pipe *p, struct tt_batch *b, struct tt_thread *t, struct tt_err *err)
{
	for (size_t i = 0; i < b->depth; i++) {
		const struct tt_event *e = &b->ev[b->open[i]];
		int rc = tt_stack_push(&t->stack, &p->r->env->mem, e->val, e->ts, e->flags & TT_F_CONT, err);
		if (rc < 0)
			return rc;
		if (rc == 0)
			tt_loss_add(&b->loss, TT_LOST_DEPTH, 1, 0, b->at);
		else if ((e->flags & TT_F_MORE) && (rc = keep_args(p, b, b->open[i], t, err)) != TT_OK)
			return rc;
	}
	return TT_OK;
}

/* Advance the thread's clock to the end of the chunk. */
static void
move_clock(struct tt_stack *st, const struct tt_batch *b)
{
	if (b->nstack && (!st->begun || b->stack_ts > st->last_ts)) {
		st->last_ts = b->stack_ts;
		st->begun = 1;
	}
	/* The clock of stack events does not run back: it may be ahead of all other events. */
	if (b->min_ts <= b->max_ts && b->max_ts > st->seen_ts)
		st->seen_ts = b->max_ts;
	if (st->begun && st->last_ts > st->seen_ts)
		st->seen_ts = st->last_ts;
}

/* Start the threads that the chunk starts, and find the threads of its samples. */
static int
enter_threads(struct pipe *p, struct slot *s, struct tt_thread **own, struct tt_err *err)
{
	struct tt_threads *ts = &p->r->m->threads;
	struct tt_batch *b = &s->batch;
	const size_t n = tt_batch_nrare(b, TT_KIND(TT_SAMPLE) | TT_KIND(TT_THREAD));
	int rc = tt_threads_get(ts, b->process, b->tid, false, own, err);

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		struct tt_event *e = &b->ev[b->rare[i]];
		struct tt_thread *t;
		if (e->kind == TT_SAMPLE) {
			rc = tt_threads_get(ts, b->process, tt_sample_thread(e), false, &t, err);
			if (rc == TT_OK)
				tt_sample_set_thread(e, t->index);
		} else if (e->kind == TT_THREAD && !(e->flags & TT_F_END)) {
			rc = tt_threads_start(ts, b->process, e->val, e->dur, e->flags & TT_F_CONT, &t, err);
			if (rc == TT_OK && e->val == b->tid)
				*own = t;
		}
	}
	return rc;
}

/*
 * Check what the decoder had to guess: ends without a begin in the chunk are right unless their key is open below, and times unless they run back before the
 * end of the chunk before. Else the chunk is decoded again, knowing both.
 */
static int
settle_unsure(struct pipe *p, struct slot *s, struct tt_thread *t, struct tt_err *err)
{
	struct tt_batch *b = &s->batch;
	bool wrong = b->nstack && t->stack.begun && b->stack_from < t->stack.last_ts;

	for (uint64_t i = 0; i < b->unsure; i++)
		wrong = wrong || tt_stack_find(&t->stack, t->stack.n, b->unsure_end[i].key) > 0;
	if (!wrong) {
		for (uint64_t i = 0; i < b->unsure; i++)
			if (!b->keeps_strays && !quiet_key(b->unsure_end[i].key))
				tt_loss_add(&b->loss, TT_LOST_UNMATCHED, 1, 0, b->unsure_end[i].at);
		return TT_OK;
	}
	struct tt_stack *base = &s->io.base;
	int rc = tt_stack_copy(base, &t->stack, &p->r->env->mem, err);
	if (rc == TT_OK) {
		tt_batch_reset(b);
		base->last_ts -= p->input->cap->offset_ns;
		b->base = base;
		rc = tt_pipe_decode(p, s, err);
		b->base = NULL;
	}
	/* The threads of samples have to be found again, too. */
	TT_THEN(rc, enter_threads(p, s, &t, err));
	return rc;
}

static int
end_threads(struct pipe *p, struct slot *s, struct tt_err *err)
{
	struct tt_batch *b = &s->batch;
	const size_t n = tt_batch_nrare(b, TT_KIND(TT_THREAD));

	for (size_t i = 0; i < n; i++) {
		const struct tt_event *e = &b->ev[b->rare[i]];
		struct tt_thread *t;
		if (e->kind != TT_THREAD || !(e->flags & TT_F_END))
			continue;
		int rc = tt_threads_get(&p->r->m->threads, b->process, e->val, false, &t, err);
		if (rc != TT_OK)
			return rc;
		t->ended = true;
	}
	return TT_OK;
}

void
tt_thread_stacks_count(struct slot *s, struct tt_thread *t)
{
	const struct tt_batch *b = &s->batch;

	s->alloc_before = t->alloc_b;
	t->nevent += b->nevent;
	t->ncall += b->nzone;
	t->open_at_end += b->cut;
	t->nalloc += b->nalloc;
	t->alloc_b += b->alloc_b;
	if (b->min_ts > b->max_ts)
		return;
	if (b->min_ts < t->first_ts)
		t->first_ts = b->min_ts;
	if (b->max_ts > t->last_ts)
		t->last_ts = b->max_ts;
}

int
tt_thread_stacks_copy(struct pipe *p, struct slot *s, const struct tt_thread *t, struct tt_err *err)
{
	struct tt_mem *mem = &p->r->env->mem;
	int rc = tt_stack_copy(&s->io.base, &t->stack, mem, err);

	return rc == TT_OK && p->r->parts ? tt_stack_copy(&s->before, &t->stack, mem, err) : rc;
}

/* Finish entering a chunk: the stack of ${t} is now as after it. */
static int
leave(struct pipe *p, struct slot *s, struct tt_thread *t, struct tt_err *err)
{
	int rc;

	move_clock(&t->stack, &s->batch);
	rc = tt_chunk_log_note(p, s, t, err);
	return rc == TT_OK ? end_threads(p, s, err) : rc;
}

int
tt_thread_stacks_enter(struct pipe *p, struct slot *s, struct tt_err *err)
{
	struct tt_batch *b = &s->batch;
	struct tt_capture *cap = p->input->cap;
	struct tt_thread *t;
	int rc = TT_OK;

	/* If names were read first, definitions are known, unless that reading skipped them. */
	if (p->phase == TT_PHASE_NAMES || (p->phase < TT_PHASE_PARTS && (!p->r->names_first || b->late)))
		for (size_t i = 0; i < b->ndef && rc == TT_OK; i++)
			rc = tt_defs_add(cap->defs, &b->def[i], err);
	TT_THEN(rc, enter_threads(p, s, &t, err));
	if (rc != TT_OK)
		return rc;
	if ((b->unsure || b->nstack) && (rc = settle_unsure(p, s, t, err)) != TT_OK)
		return rc;
	b->thread = t->index;
	s->io.thread = t;
	s->io.cap = cap;
	s->io.b = b;
	if (p->phase >= TT_PHASE_MAIN)
		rc = tt_thread_stacks_copy(p, s, t, err);
	if (rc != TT_OK)
		return rc;
	if (p->phase >= TT_PHASE_MAIN && p->r->m->filter.player_only && (rc = tt_hide_editor(p, b, t, err)) != TT_OK)
		return rc;
	tt_thread_stacks_count(s, t);
	rc = end_zones(p, s, t, err);
	TT_THEN(rc, end_at_gaps(p, s, t, err));
	tt_spanning_enter(b, cap->defs);
	TT_THEN(rc, push_zones(p, b, t, err));
	if (rc != TT_OK)
		return rc;
	return leave(p, s, t, err);
}

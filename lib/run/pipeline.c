/*
 * The stages of a reading: chunks are decoded and folded by any worker, and committed in their order.
 */
#include "collect/by_frame.h"
#include "emit/emit.h"
#include "io/src.h"
#include "io/window.h"
#include "run/candidates.h"
#include "run/layout_evidence.h"
#include "run/parts.h"
#include "run/pipe.h"
#include "run/run.h"

#include <stdlib.h>
#include "sys/sys.h"

/* The lock is held for less time than a trip to the kernel takes, so spinning for it pays. */
#ifndef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#define PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP PTHREAD_MUTEX_INITIALIZER
#endif

/*
 * Chunks in flight per worker: MAX_SLOTS at most, MAX_WRITTEN if emitters write; MIN_SLOTS if slots have more than AHEAD_BYTES per worker. If no step is long,
 * SHORT_SLOTS are enough: one that is decoded or folded, and two that wait for the others.
 */
enum { MAX_SLOTS = 12, MAX_WRITTEN = 16, MIN_SLOTS = 4, SHORT_SLOTS = 3, AHEAD_BYTES = 4 << 20 };

struct worker {
	struct pipe *p;
	struct tt_fold *fold;
	pthread_t thread;
	bool running;
};

/* --- the steps --------------------------------------------------------------- */

static int
read_step(struct pipe *p, struct slot *s, struct tt_err *err)
{
	int rc = p->input->format->next(p->input->ctx, &s->chunk, err);

	if (rc == TT_END)
		tt_loss_join(&p->tail, &s->chunk.loss);
	const struct tt_src_info *i = tt_src_info(p->input->src);
	s->raw_at = i->seekable ? s->chunk.at + s->chunk.len : i->raw_at;
	return rc;
}

static int
load(struct pipe *p, struct slot *s, struct tt_err *err)
{
	struct tt_chunk *c = &s->chunk;
	size_t got;
	int rc;

	if (c->loaded)
		return TT_OK;
	rc = tt_chunk_room(c, &p->r->env->mem, (size_t)c->len, err);
	TT_THEN(rc, tt_src_pread(p->input->src, c->at, c->bytes, (size_t)c->len, &got, err));
	if (rc < 0)
		return rc;
	if (got < c->len) {
		tt_loss_add(&c->loss, TT_LOST_CHANGED, 1, c->len - got, c->at + got);
		c->len = got;
	}
	memset(c->bytes + got, 0, TT_CHUNK_PAD);
	return TT_OK;
}

/* Move the events to the common timeline. */
static void
shift(struct tt_batch *b, int64_t by)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->ev[i].kind != TT_EXT && b->ev[i].kind != TT_ARG)
			b->ev[i].ts += by;
	for (size_t i = 0; i < b->nstray; i++) {
		b->stray[i].ts += by;
		b->stray[i].closed += by;
	}
	b->stack_ts += by;
	b->stack_from += by;
	if (b->min_ts <= b->max_ts) {
		b->min_ts += by;
		b->max_ts += by;
	}
}

int
tt_pipe_decode(struct pipe *p, struct slot *s, struct tt_err *err)
{
	int rc = p->input->format->decode(p->input->ctx, &s->chunk, &s->batch, err);

	s->batch.seq = s->chunk.seq;
	s->batch.process = p->input->cap->process;
	if (rc == TT_OK && p->input->cap->offset_ns)
		shift(&s->batch, p->input->cap->offset_ns);
	return rc;
}

static int
decode_step(struct pipe *p, struct worker *w, struct slot *s, struct tt_err *err)
{
	(void)w;
	tt_batch_reset(&s->batch);
	s->is_skipped = tt_chunk_log_passes(p, s);
	int rc = s->is_skipped ? TT_OK : load(p, s, err);

	return rc == TT_OK && !s->is_skipped ? tt_pipe_decode(p, s, err) : rc;
}

static int
enter_step(struct pipe *p, struct worker *w, struct slot *s, struct tt_err *err)
{
	(void)w;
	return s->is_skipped ? tt_chunk_log_pass(p, s, err) : tt_thread_stacks_enter(p, s, err);
}

/* --- fold ------------------------------------------------------------------------ */

static struct tt_view
view_of(const struct pipe *p, const struct slot *s)
{
	return (struct tt_view){ .m = p->r->m, .cap = p->input->cap, .thread = s->io.thread, .b = &s->batch,
		.slice = s->io.slice, .nslice = s->io.nslice, .begun = s->io.begun, .nbegun = s->io.nbegun, .seen_ts = s->io.base.seen_ts,
		.args = s->io.args, .nargs = s->io.nargs, .left = s->io.left, .nleft = s->io.nleft, .first_left = s->io.first_left,
		.alloc_before = s->alloc_before,
		.skipped = s->io.skipped };
}

/* Let the emitters write the chunk's zones as text. */
static int
emit_chunk(struct pipe *p, struct slot *s, struct tt_err *err)
{
	struct tt_run *r = p->r;
	struct tt_view v = view_of(p, s);
	int rc = TT_OK;

	for (size_t i = 0; i < r->o->nemit && rc == TT_OK; i++) {
		s->out[i].n = 0;
		if (r->o->emit[i]->chunk)
			rc = r->o->emit[i]->chunk(r->emit[i], &v, &s->out[i], err);
		if (rc != TT_OK)
			r->emit_failed = true;
	}
	return rc;
}

static int
fold_step(struct pipe *p, struct worker *w, struct slot *s, struct tt_err *err)
{
	const struct tt_run *r = p->r;
	int rc;

	if (p->phase < TT_PHASE_MAIN || s->is_skipped)
		return TT_OK;
	if (r->m->keep_thread && !r->m->keep_thread[s->io.thread->index]) {
		s->io.nslice = s->io.nbegun = s->io.nleft = 0;
		s->io.first_left = false;
		s->io.skipped = true;
		return s->batch.nrare ? tt_fold_samples(w->fold, &s->io, err) : TT_OK;
	}
	s->io.skipped = false;
	rc = tt_fold_chunk(w->fold, &s->io, err);
	return rc == TT_OK ? emit_chunk(p, s, err) : rc;
}

/* --- commit ------------------------------------------------------------------------ */

/* Count the events that the fold does not count. */
static int
count_whole(struct pipe *p, const struct slot *s, struct tt_err *err)
{
	struct tt_run *r = p->r;
	int rc = tt_collect_chunk(&r->collect, err);

	if (rc == TT_OK && r->m->frames)
		rc = tt_frames_chunk(&r->replay, &s->batch, NULL, err);
	return rc == TT_OK && (r->needs & TT_NEEDS_CANDIDATES) ? tt_candidates_batch(r, &s->batch, s->io.thread, err) : rc;
}

/* Commit a chunk. With ${rest} it is empty, and stands for the zones that its thread has open at the end of the capture. */
static int
commit_main(struct pipe *p, struct worker *w, struct slot *s, bool rest, struct tt_err *err)
{
	struct tt_run *r = p->r;
	struct tt_collecting *c = &r->collect;
	int rc = tt_fold_commit(w->fold, &s->io, p->input->cap->process, err);

	c->cap = p->input->cap;
	c->b = &s->batch;
	c->t = s->io.thread;
	c->site = s->io.site;
	c->nsite = s->io.nsite;
	c->skipped = s->io.skipped;
	if (rc == TT_OK && p->phase == TT_PHASE_MAIN)
		rc = tt_by_frame_paths(c, s->io.sum, s->io.nsum, err);
	s->io.nsum = 0;
	if (rc == TT_OK && p->phase == TT_PHASE_MAIN)
		rc = count_whole(p, s, err);
	TT_THEN(rc, tt_parts_chunk(r, p->input->cap, s, rest, err));
	struct tt_view v = view_of(p, s);
	for (size_t i = 0; i < r->o->nemit && rc == TT_OK; i++) {
		const struct tt_emit *e = r->o->emit[i];
		if (s->io.skipped)
			s->out[i].n = 0;
		if (e->rare && s->batch.nrare)
			rc = e->rare(r->emit[i], &v, &s->out[i], err);
		if (rc == TT_OK && e->write && s->out[i].n)
			rc = e->write(r->emit[i], &v, s->out[i].p, s->out[i].n, err);
		if (rc != TT_OK)
			r->emit_failed = true;
	}
	tt_args_free(s->io.ended, &r->env->mem);
	s->io.ended = NULL;
	return rc;
}

/* Fold and commit the GPU's work, after all events of other threads. */
static int
commit_gpu(struct pipe *p, struct worker *w, struct tt_err *err)
{
	struct slot *s;
	int rc;

	while ((rc = tt_gpu_chunk(p, &s, err)) > 0)
		if (p->phase >= TT_PHASE_MAIN && ((rc = fold_step(p, w, s, err)) != TT_OK || (rc = commit_main(p, w, s, false, err)) != TT_OK))
			return rc;
	return rc;
}

static void
tick(struct pipe *p, const struct slot *s)
{
	struct tt_run *r = p->r;

	if (!r->o->progress.tick || s->chunk.seq % 64)
		return;
	uint64_t ms = (uint64_t)(tt_sys_clock_ns() / 1000000);
	if (ms - r->last_tick_ms < 100)
		return;
	r->last_tick_ms = ms;
	r->o->progress.tick(r->o->progress.arg, r->phase_name, r->done_bytes + s->raw_at, r->total_bytes);
}

/* Add the chunk's counts and losses to those of the capture. */
static int
sum_up(struct pipe *p, struct slot *s, struct tt_err *err)
{
	struct tt_capture *cap = p->input->cap;
	struct tt_batch *b = &s->batch;

	tt_loss_join(p->r->env->loss, &s->chunk.loss);
	tt_loss_join(p->r->env->loss, &b->loss);
	tt_fit_join(&cap->fit.count, &b->fit);
	const int rc = cap->log_of ? tt_fit_join_log(p->r, cap, b, err) : TT_OK;
	cap->distorts = cap->distorts || (cap->has_instrumented_calls && s->io.calls);
	cap->nchunk++;
	cap->nevent += b->nevent;
	cap->bytes = s->chunk.at + s->chunk.len + s->chunk.before;
	for (size_t i = 0, n = tt_batch_nrare(b, TT_KIND(TT_FRAME)); i < n && !cap->has_whole_frame; i++)
		if (b->ev[b->rare[i]].kind == TT_FRAME) {
			cap->has_whole_frame = cap->has_marks;
			cap->has_marks = true;
		}
	for (unsigned i = 0; b->tally && i < 256; i++)
		cap->tally[i] += b->tally[i];
	if (b->min_ts <= b->max_ts) {
		if (b->min_ts < cap->min_ts)
			cap->min_ts = b->min_ts;
		if (b->max_ts > cap->max_ts)
			cap->max_ts = b->max_ts;
	}
	return rc;
}

static int
commit_step(struct pipe *p, struct worker *w, struct slot *s, struct tt_err *err)
{
	if (tt_stopped(p->r->env))
		return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
	tick(p, s);
	if (s->is_skipped)
		return TT_OK;
	int rc = tt_gpu_take(p, &s->batch, err);
	if (rc != TT_OK)
		return rc;
	const uint64_t end = s->chunk.at + s->chunk.len + s->chunk.before;
	p->r->bytes_seen = end > p->r->bytes_seen ? end : p->r->bytes_seen;
	if (p->phase < TT_PHASE_MAIN)
		return tt_marks_collect(p->r, p->input, &s->batch, s->io.thread, p->phase, err);
	if (p->phase == TT_PHASE_MAIN) {
		if ((rc = tt_spanning_chunk(&p->r->m->spanning, &s->batch, &p->r->env->mem, err)) != TT_OK || (rc = sum_up(p, s, err)) != TT_OK ||
		    (rc = tt_unnamed_batch(p->r, p->input->cap, &s->batch, err)) != TT_OK)
			return rc;
	}
	return commit_main(p, w, s, false, err);
}

/* --- the workers ---------------------------------------------------------------------- */

/* Pause in a polling loop (spin-wait hint). */
static inline void
relax(void)
{
#if defined __x86_64__ || defined __i386__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("isb");
#endif
}

static void
fail(struct pipe *p, const struct tt_err *err)
{
	if (!p->failed)
		p->err = *err;
	p->failed = true;
}

static struct slot *
at(const struct pipe *p, uint64_t seq)
{
	return p->slot_of_chunk[seq % p->nslot];
}

static struct slot *
oldest(struct pipe *p, enum step step)
{
	for (uint64_t q = p->commit_seq; q < p->enter_seq; q++)
		if (at(p, q)->step == step)
			return at(p, q);
	return NULL;
}

/* True if fewer chunks are in flight than ${quarters} quarters of the limit: nslot if they are small, MIN_SLOTS per worker if not. */
static bool
has_room(const struct pipe *p, size_t quarters)
{
	const size_t n = 4 * (size_t)(p->read_seq - p->commit_seq);
	const bool small = 4 * p->large_bytes < quarters * p->nworker * AHEAD_BYTES;

	return n < quarters * p->nslot && (small || n < quarters * p->nworker * MIN_SLOTS);
}

enum task { NOTHING, COMMIT, ENTER, FOLD, READ, AHEAD };

/*
 * Find the step that can be done now, the oldest chunk first, and its slot. With several workers, one first fetches the bytes to read next, and some chunks are
 * read ahead, so that the others have work while one is in a long serial step, such as reading the next piece of the file or replaying frames. The lock is
 * held.
 */
static enum task
next_task(struct pipe *p, struct slot **s)
{
	const bool can_read = !p->reading && !p->eof && p->nfree_slot > 0 && has_room(p, 4);

	*s = p->nfree_slot > 0 ? p->free_slot[p->nfree_slot - 1] : NULL;
	if (p->can_prefetch && p->nworker > 1)
		return AHEAD;
	if (can_read && p->nworker > 1 && has_room(p, 2))
		return READ;
	if (!p->committing && p->commit_seq < p->enter_seq && at(p, p->commit_seq)->step == FOLDED)
		return *s = at(p, p->commit_seq), COMMIT;
	if (!p->entering && p->enter_seq < p->read_seq && at(p, p->enter_seq)->step == DECODED)
		return *s = at(p, p->enter_seq), ENTER;
	struct slot *fold = oldest(p, ENTERED);
	if (fold)
		return *s = fold, FOLD;
	return can_read ? READ : NOTHING;
}

/*
 * Begin a task. If there is one more, a polling worker takes it, or one sleeping worker is woken, which does the same; but none is woken only to read a chunk
 * or two for which there is hardly room. Called with the lock held, which is released before waking, because the woken worker wants it.
 */
static void
go(struct pipe *p)
{
	struct slot *s;
	bool more = false;

	if (p->nasleep || p->npolling) {
		const enum task t = next_task(p, &s);
		more = t != NOTHING && (t != READ || has_room(p, 3));
	}
	const bool seen = more && p->npolling;
	if (seen)
		atomic_fetch_add_explicit(&p->nannounced, 1, memory_order_release);
	pthread_mutex_unlock(&p->lock);
	if (more && !seen)
		pthread_cond_signal(&p->progress);
}

/* Release the block of the reader's window that the chunk keeps. */
static void
let_go(struct slot *s)
{
	tt_window_release(s->chunk.kept_block);
	s->chunk.kept_block = NULL;
	s->chunk.kept_bytes = 0;
}

/* Take a step outside the lock and move the slot on. Called and returns with the lock held. */
static void
take(struct pipe *p, struct worker *w, struct slot *s, enum step during, enum step after,
    int (*step)(struct pipe *, struct worker *, struct slot *, struct tt_err *))
{
	struct tt_err err = { .at = TT_NOWHERE };

	s->step = during;
	go(p);
	int rc = step(p, w, s, &err);
	if (after == FREE)
		let_go(s);
	pthread_mutex_lock(&p->lock);
	s->step = after;
	if (rc != TT_OK) {
		err.code = rc;
		fail(p, &err);
	}
}

/* Make one more slot. One thread at a time. */
static int
make_slot(struct pipe *p, struct slot **made, struct tt_err *err)
{
	const struct tt_run *r = p->r;
	struct slot *s = tt_mem_alloc(&r->env->mem, sizeof *s, err);

	if (!s)
		return err->code;
	*made = p->slot[p->nmade++] = s;
	tt_batch_init(&s->batch, &r->env->mem, p->needs);
	if (r->o->nemit && !(s->out = tt_mem_alloc(&r->env->mem, r->o->nemit * sizeof *s->out, err)))
		return err->code;
	if ((p->needs & TT_NEEDS_TALLY) && !(s->batch.tally = tt_mem_alloc(&r->env->mem, 256 * sizeof(uint32_t), err)))
		return err->code;
	return TT_OK;
}

/* Read the next chunk into the spare slot ${s}, and decode it; NULL: make the slot first. */
static void
read_next(struct pipe *p, struct worker *w, struct slot *s)
{
	struct tt_err err = { .at = TT_NOWHERE };

	p->reading = true;
	p->nfree_slot--;
	go(p);
	int rc = s ? TT_OK : make_slot(p, &s, &err);
	TT_THEN(rc, read_step(p, s, &err));
	pthread_mutex_lock(&p->lock);
	p->reading = false;
	if (rc != TT_OK) {
		p->free_slot[p->nfree_slot++] = s;
		p->eof = true;
		if (rc != TT_END) {
			err.code = rc;
			fail(p, &err);
		}
		return;
	}
	p->slot_of_chunk[p->read_seq++ % p->nslot] = s;
	p->can_prefetch |= s->chunk.can_prefetch;
	s->large_bytes = s->chunk.cap + s->chunk.kept_bytes + s->batch.cap * sizeof *s->batch.ev + s->io.base.cap * sizeof *s->io.base.z;
	p->large_bytes += s->large_bytes;
	take(p, w, s, DECODING, DECODED, decode_step);
}

/*
 * Called after a commit, with the lock held. If the table of paths grew, chunks entered so far may still look up in the older table, which is freed when
 * all of them are committed.
 */
static void
forget_tables(struct pipe *p)
{
	const struct tt_tree_table *now = p->r->m->tree ? tt_tree_now(p->r->m->tree) : NULL;

	if (now != p->table) {
		p->table = now;
		p->outgrown_seq = p->enter_seq;
	}
	if (p->outgrown_seq && p->commit_seq >= p->outgrown_seq) {
		tt_tree_forget_tables(p->r->m->tree);
		p->outgrown_seq = 0;
	}
}

/* Do one task; return false if there is none. The lock is held. */
static bool
one_task(struct pipe *p, struct worker *w)
{
	struct slot *s;

	switch (next_task(p, &s)) {
	case COMMIT:
		p->committing = true;
		take(p, w, s, FOLDED, FREE, commit_step);
		p->committing = false;
		p->commit_seq++;
		forget_tables(p);
		p->large_bytes -= s->large_bytes;
		p->free_slot[p->nfree_slot++] = s;
		return true;
	case ENTER:
		p->entering = true;
		take(p, w, s, DECODED, ENTERED, enter_step);
		p->entering = false;
		p->enter_seq++;
		return true;
	case FOLD:
		take(p, w, s, FOLDING, FOLDED, fold_step);
		return true;
	case READ:
		read_next(p, w, s);
		return true;
	case AHEAD:
		p->can_prefetch = false;
		go(p);
		p->input->format->prefetch(p->input->ctx);
		pthread_mutex_lock(&p->lock);
		return true;
	default:
		return false;
	}
}

/* Polls for a task before a worker sleeps, some 20 us in all: to wake up takes longer than most steps. */
enum { LOOKS = 1000 };

/* Poll for a task, at most *${looks} times, which is decreased. The lock is held, but released while polling. */
static void
look_out(struct pipe *p, unsigned *looks)
{
	const unsigned tasks = atomic_load_explicit(&p->nannounced, memory_order_relaxed);

	p->npolling++;
	pthread_mutex_unlock(&p->lock);
	for (; *looks > 0 && atomic_load_explicit(&p->nannounced, memory_order_acquire) == tasks; --*looks)
		relax();
	pthread_mutex_lock(&p->lock);
	p->npolling--;
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	struct pipe *p = w->p;
	unsigned looks = LOOKS;

	pthread_mutex_lock(&p->lock);
	while (!p->failed && !(p->eof && p->commit_seq == p->read_seq)) {
		if (one_task(p, w)) {
			looks = LOOKS;
		} else if (looks > 0) {
			look_out(p, &looks);
		} else {
			p->nasleep++;
			pthread_cond_wait(&p->progress, &p->lock);
			p->nasleep--;
			looks = LOOKS;
		}
	}
	pthread_cond_broadcast(&p->progress);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Zones that the capture leaves open end at their thread's last event. */
static int
close_open(struct pipe *p, struct worker *w, struct tt_err *err)
{
	struct tt_model *m = p->r->m;
	struct slot *s = p->nmade ? p->slot[0] : NULL;
	int rc = s ? TT_OK : make_slot(p, &s, err);

	for (size_t i = 0; i < m->threads.n && rc == TT_OK; i++) {
		struct tt_thread *t = m->threads.t[i];
		if (t->process != p->input->cap->process || t->stack.n == 0)
			continue;
		t->open_at_end += t->stack.n;
		if (m->keep_thread && !m->keep_thread[i])
			continue;
		tt_batch_reset(&s->batch);
		s->batch.process = p->input->cap->process;
		s->batch.thread = t->index;
		s->io.thread = t;
		s->io.cap = p->input->cap;
		s->io.b = &s->batch;
		s->alloc_before = t->alloc_b;
		rc = tt_thread_stacks_copy(p, s, t, err);
		TT_THEN(rc, tt_fold_rest(w->fold, &s->io, err));
		s->io.skipped = false;
		TT_THEN(rc, emit_chunk(p, s, err));
		tt_thread_stacks_end_all(p, s, &t->stack);
		TT_THEN(rc, commit_main(p, w, s, true, err));
	}
	return rc;
}

/* The most chunks in flight per worker. Long steps are fetching a piece of the file, writing, and replaying frames. */
static size_t
slots_of(const struct pipe *p)
{
	const struct tt_run *r = p->r;

	if (r->o->nemit)
		return MAX_WRITTEN;
	return p->input->format->prefetch || r->m->frames ? MAX_SLOTS : SHORT_SLOTS;
}

static int
set_up(struct pipe *p, struct worker *w, size_t nworker, struct tt_err *err)
{
	struct tt_run *r = p->r;
	struct tt_mem *mem = &r->env->mem;
	const struct tt_fold_opts fold = { .mem = mem, .m = r->m, .needs = p->needs, .filters_zones = r->filtered, .reuses_classes = r->collect.alias,
		.close = &p->close };
	const struct tt_close_emits emits = { .emit = r->o->emit, .opts = r->o->emit_opts, .state = r->emit, .n = r->o->nemit };

	if (p->phase >= TT_PHASE_MAIN && tt_close_times_make(r->m, p->input->cap->process, p->needs, &emits, &p->close, err) != TT_OK)
		return err->code;
	p->nworker = nworker;
	p->nslot = slots_of(p) * nworker;
	if (!(p->slot = tt_mem_alloc(mem, p->nslot * sizeof *p->slot, err)) || !(p->slot_of_chunk =
	    tt_mem_alloc(mem, p->nslot * sizeof *p->slot_of_chunk, err)) || !(p->free_slot = tt_mem_alloc(mem, p->nslot * sizeof *p->free_slot, err)))
		return err->code;
	p->nfree_slot = p->nslot;
	for (size_t i = 0; i < nworker; i++) {
		w[i].p = p;
		if (p->phase >= TT_PHASE_MAIN && tt_fold_new(&fold, &w[i].fold, err) != TT_OK)
			return err->code;
	}
	return TT_OK;
}

/* Take a worker's counters: the first ones whole, the others added. */
static int
collect(struct tt_model *m, struct tt_fold *f, struct tt_err *err)
{
	struct tt_counts *c = tt_fold_take_counts(f);
	int rc = TT_OK;

	if (!m->counts) {
		m->counts = c;
		return TT_OK;
	}
	rc = tt_counts_join(m->counts, c, err);
	tt_counts_free(c);
	return rc;
}

static void
free_slots(struct pipe *p)
{
	const struct tt_run *r = p->r;
	struct tt_mem *mem = &r->env->mem;

	for (size_t i = 0; i < p->nmade; i++) {
		struct slot *s = p->slot[i];
		tt_batch_free(&s->batch);
		tt_fold_io_free(&s->io, mem);
		tt_stack_free(&s->before, mem);
		tt_mem_free(mem, s->chunk.bytes, s->chunk.cap);
		let_go(s);
		for (size_t k = 0; s->out && k < r->o->nemit; k++)
			tt_buf_free(&s->out[k]);
		tt_mem_free(mem, s->out, s->out ? r->o->nemit * sizeof *s->out : 0);
		tt_mem_free(mem, s, sizeof *s);
	}
	tt_mem_free(mem, p->free_slot, p->nslot * sizeof *p->free_slot);
	tt_mem_free(mem, p->slot_of_chunk, p->nslot * sizeof *p->slot_of_chunk);
	tt_mem_free(mem, p->slot, p->nslot * sizeof *p->slot);
}

/*
 * Free the chunks before the counts of workers are joined. Memory freed by several threads lies in arenas that the passes, on one thread, would not use, so it
 * is returned to the system.
 */
static int
tear_down(struct pipe *p, struct worker *w, size_t nworker, int rc, struct tt_err *err)
{
	struct tt_run *r = p->r;

	free_slots(p);
	if (r->m->tree)
		tt_tree_forget_tables(r->m->tree);
	for (size_t i = 0; i < nworker; i++) {
		if (rc == TT_OK && p->phase == TT_PHASE_MAIN)
			rc = collect(r->m, w[i].fold, err);
		tt_fold_free(w[i].fold);
	}
	tt_close_times_free(&p->close, &r->env->mem);
	if (nworker > 1)
		tt_mem_trim();
	return rc;
}

/*
 * Models of parts need everything that the whole model needs. An emitter that reads the input again needs no counts: the model keeps those of the first
 * reading.
 */
static unsigned
needs_of(const struct tt_run *r, enum tt_phase phase)
{
	if (phase == TT_PHASE_PARTS && !r->parts)
		return tt_emit_needs(r->o->emit[0], &r->o->emit_opts[0]);
	if (phase >= TT_PHASE_MAIN)
		return r->needs;
	return (r->needs & TT_NEEDS_FRAMES) | (phase == TT_PHASE_NAMES && !r->m->filter.min_dur ? TT_SKIM : 0);
}

/* Add the losses that are known only after all events. Log that a capture has no event, if no loss explains it. */
static int
end_losses(struct pipe *p, struct tt_err *err)
{
	struct tt_loss *loss = p->r->env->loss;

	tt_loss_join(loss, &p->tail);
	/* Earlier inputs' losses explain nothing of this one. */
	if (p->input->cap->nevent == 0 && !loss->any)
		tt_log(p->r->env, TT_LOG_NORMAL, "%s has no event: nothing was recorded or saved in it, or only its end was copied", p->input->cap->path);
	loss->any |= p->lost_before;
	return tt_spanning_end(&p->r->m->spanning, loss, &p->r->env->mem, err);
}

int
tt_pipeline(struct tt_run *r, struct tt_input *in, enum tt_phase phase, struct tt_err *err)
{
	struct pipe p = { .r = r, .input = in, .phase = phase, .lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
		.progress = PTHREAD_COND_INITIALIZER, .needs = needs_of(r, phase) };
	size_t nworker = r->env->jobs;
	struct worker *w = tt_mem_alloc(&r->env->mem, nworker * sizeof *w, err);

	if (!w)
		return err->code;
	if (phase == TT_PHASE_MAIN) {
		p.lost_before = r->env->loss->any;
		r->env->loss->any = false;
		r->m->spanning.from = in->cap->ncovered_span ? in->cap->covered_span[0].from + in->cap->offset_ns : INT64_MIN;
	}
	/* An emitter that writes while reading wants to know how much there is. */
	in->cap->skim = phase == TT_PHASE_NAMES && !(r->needs & TT_NEEDS_TEXT) && !r->m->filter.min_dur;
	int rc = set_up(&p, w, nworker, err);
	if (rc == TT_OK) {
		for (size_t i = 1; i < nworker; i++)
			w[i].running = pthread_create(&w[i].thread, NULL, work, &w[i]) == 0;
		work(&w[0]);
		for (size_t i = 1; i < nworker; i++)
			if (w[i].running)
				pthread_join(w[i].thread, NULL);
		if (p.failed) {
			*err = p.err;
			rc = err->code;
		}
	}
	if (rc == TT_OK && phase == TT_PHASE_MAIN)
		rc = end_losses(&p, err);
	TT_THEN(rc, commit_gpu(&p, &w[0], err));
	if (rc == TT_OK && phase >= TT_PHASE_MAIN)
		rc = close_open(&p, &w[0], err);
	if (rc == TT_OK && phase == TT_PHASE_NAMES)
		rc = tt_thread_stacks_names_end(&p, err);
	if (p.gpu && phase == TT_PHASE_MAIN)
		tt_chunk_log_free(r);
	tt_gpu_free(&p);
	tt_stack_free(&p.open_before, &r->env->mem);
	tt_mem_free(&r->env->mem, p.hidden.v, p.hidden.cap * sizeof *p.hidden.v);
	rc = tear_down(&p, w, nworker, rc, err);
	tt_mem_free(&r->env->mem, w, nworker * sizeof *w);
	pthread_mutex_destroy(&p.lock);
	pthread_cond_destroy(&p.progress);
	return rc;
}

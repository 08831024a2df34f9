/**
 * Fills models of single buckets of a run's time.
 */
#include "run/parts.h"

#include "base/order.h"
#include "collect/timeline.h"
#include "model/waits.h"
#include "run/pipe.h"
#include "run/run.h"

struct tt_part {
	struct tt_model *m;
	struct tt_fold *fold;
	struct tt_replay replay;
	struct tt_collecting collect;
};

/* HEAVY: a collector that follows objects has an entry for every object, so only one part at a time is filled. */
enum { AT_ONCE = 128, PARTS_BYTES = 64 << 20, HEAVY = TT_NEEDS_OBJECTS | TT_NEEDS_MOVES | TT_NEEDS_HEAP | TT_NEEDS_GRAPH };

/* The parts of one reading: tt_run_opts.part from ${first} on. */
struct tt_parts {
	struct tt_fold_io io;
	size_t first, n;
	int64_t bytes;                /* estimated memory of the parts: growth of the run's memory while they were worked on */
	struct tt_part part[AT_ONCE];
};

/* Borrow all of the whole's model, except the counts that the part makes itself. */
static void
borrow(struct tt_model *m, const struct tt_model *whole)
{
	struct tt_model own = *m;

	*m = *whole;
	m->part_of = whole;
	m->filter = own.filter;
	m->counts = own.counts;
	m->frames = own.frames;
	m->arena = own.arena;
	memcpy(m->collected, own.collected, sizeof m->collected);
}

static int
begin(struct tt_run *r, struct tt_part *p, struct tt_run_part *of, const struct tt_timeline *t, struct tt_err *err)
{
	const struct tt_run_opts *o = r->o;
	struct tt_mem *mem = &r->env->mem;
	unsigned needs = o->part_needs;
	struct tt_model *m = p->m = p->replay.m = tt_mem_alloc(mem, sizeof *m, err);

	if (!m)
		return err->code;
	tt_arena_init(&m->arena, mem);
	m->filter = r->m->filter;
	m->filter.from = of->from = tt_timeline_start(t, of->bucket);
	m->filter.to = of->to = tt_timeline_start(t, of->bucket + 1);
	m->filter.by_begin = of->kind != TT_PART_CUT;
	m->filter.has_frames = false;
	borrow(m, r->m);
	/* The places of events were found by the fold of the whole. */
	const struct tt_fold_opts fold = { .mem = mem, .m = m, .needs = needs & ~(unsigned)TT_NEEDS_SITES, .filters_zones = true,
		.reuses_classes = r->collect.alias };
	p->collect = (struct tt_collecting){ .m = m, .mem = mem, .needs = needs, .find = &o->find, .buckets = o->buckets,
		.alias = r->collect.alias, .order = &r->order };
	int rc = tt_frames_make(r, m, of->kind == TT_PART_FRAMES, &p->replay, err);
	m->filter.by_begin = of->kind == TT_PART_BEGINS;
	TT_THEN(rc, tt_fold_new(&fold, &p->fold, err));
	return rc == TT_OK ? tt_collect_begin(&p->collect, err) : rc;
}

static void
free_part(struct tt_part *p)
{
	struct tt_model *m = p->m;

	if (!m)
		return;
	tt_replay_free(&p->replay);
	if (p->collect.m)
		tt_collect_release(&p->collect);
	tt_fold_free(p->fold);
	tt_frames_free(m);
	tt_collect_free(m);
	tt_counts_free(m->counts);
	tt_arena_free(&m->arena);
	tt_mem_free(&m->env->mem, m, sizeof *m);
	*p = (struct tt_part){ 0 };
}

static bool
are_too_large(const struct tt_run *r)
{
	size_t cap = r->env->mem.cap, most = cap && cap / 8 < PARTS_BYTES ? cap / 8 : PARTS_BYTES;

	return r->parts->n > 1 && r->parts->bytes > (int64_t)most;
}

/* Put off the parts from ${n} on, because there is too little memory. */
static void
put_off(struct tt_parts *ps, size_t n)
{
	while (ps->n > n)
		free_part(&ps->part[--ps->n]);
}

/* Handle the status ${rc} of work on part ${i}: if it hit the memory limit, put off this part and those after it, and go on with the others. */
static int
cope(struct tt_run *r, size_t i, int rc, struct tt_err *err)
{
	if (rc != TT_E_LIMIT || i == 0)
		return rc;
	put_off(r->parts, i);
	tt_fold_io_free(&r->parts->io, &r->env->mem);
	r->parts->io = (struct tt_fold_io){ 0 };
	*err = (struct tt_err){ .at = TT_NOWHERE };
	return TT_OK;
}

static int
begin_from(struct tt_run *r, size_t first, struct tt_err *err)
{
	const struct tt_run_opts *o = r->o;
	const struct tt_timeline t = tt_timeline_of(r->m, o->buckets);
	struct tt_parts *ps = r->parts;
	size_t most = o->part_needs & HEAVY ? 1 : AT_ONCE;
	int64_t before = (int64_t)r->env->mem.used;
	int rc = TT_OK;

	ps->first = first;
	ps->bytes = 0;
	for (size_t i = 0; i < most && first + i < o->npart && rc == TT_OK && ps->n == i && !are_too_large(r); i++) {
		ps->n++;
		rc = cope(r, i, begin(r, &ps->part[i], &o->part[first + i], &t, err), err);
		ps->bytes = (int64_t)r->env->mem.used - before;
	}
	return rc;
}

int
tt_parts_begin(struct tt_run *r, struct tt_err *err)
{
	const struct tt_timeline t = tt_timeline_of(r->m, r->o->buckets);

	if (r->o->npart == 0 || t.to <= t.from)
		return TT_OK;
	if (!(r->parts = tt_mem_alloc(&r->env->mem, sizeof *r->parts, err)))
		return err->code;
	return begin_from(r, 0, err);
}

/* *${n}: how many of the zones open before the chunk ${s} stay open throughout it. */
static int
stay_open(struct tt_run *r, const struct slot *s, bool rest, size_t *n, struct tt_err *err)
{
	const struct tt_batch *b = &s->batch;
	struct tt_stack *st = &r->parts->io.base;

	*n = rest ? 0 : s->before.n;
	for (size_t i = 0; i < b->nrare && *n > 0; i++)
		if (b->ev[b->rare[i]].kind == TT_GAP && !(b->ev[b->rare[i]].flags & TT_F_CONT))
			*n = 0;
	if (*n == 0 || b->nbase_end == 0)
		return TT_OK;
	st->of = NULL;
	int rc = tt_stack_copy(st, &s->before, &r->env->mem, err);
	for (size_t i = 0; i < b->nbase_end && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[b->base_end[i].i];

		tt_stack_end(st, e->val, e->ts, e->flags, NULL, NULL);
		/* The zone on top may be an Exception zone that goes on. */
		size_t left = st->n && e->flags & TT_F_UNWIND ? st->n - 1 : st->n;
		*n = left < *n ? left : *n;
	}
	return rc;
}

/*
 * True if a zone, an allocation or a sample of the chunk ${b} may count in the part ${p}; ${st}: the zones open before the chunk, of which it leaves ${stay}
 * open. If zones are cut at the part's edges, an open zone that the chunk ends may count; if zones count whole, any open zone that began in the part may.
 */
static bool
concerns(const struct tt_part *p, const struct tt_batch *b, const struct tt_stack *st, size_t stay)
{
	const struct tt_filter *f = &p->m->filter;
	int64_t last = b->nstack && b->stack_ts > b->max_ts ? b->stack_ts : b->max_ts;
	size_t end = tt_lower_bound(i, 0, st->n, st->z[i].ts < f->to), begin;

	if (b->min_ts <= b->max_ts && b->min_ts < f->to && last >= f->from)
		return true;
	if (!f->by_begin)
		return stay < end;
	begin = tt_lower_bound(i, 0, end, tt_filter_begin(f, &p->m->part_of->filter, st->z[i].ts) < f->from);
	return begin < end;
}

static int
fold(struct tt_run *r, struct tt_part *p, const struct tt_capture *cap, struct slot *s, bool rest, struct tt_err *err)
{
	struct tt_fold_io *io = &r->parts->io;
	int rc;

	io->b = &s->batch;
	io->thread = s->io.thread;
	io->cap = cap;
	if (s->io.skipped) {
		rc = s->batch.nrare ? tt_fold_samples(p->fold, io, err) : TT_OK;
	} else {
		io->base.of = NULL;   /* the last chunk may belong to a different thread */
		rc = tt_stack_copy(&io->base, &s->before, &r->env->mem, err);
		TT_THEN(rc, rest ? tt_fold_rest(p->fold, io, err) : tt_fold_chunk(p->fold, io, err));
	}
	return rc == TT_OK ? tt_fold_commit(p->fold, io, cap->process, err) : rc;
}

int
tt_parts_chunk(struct tt_run *r, const struct tt_capture *cap, struct slot *s, bool rest, struct tt_err *err)
{
	int64_t before = (int64_t)r->env->mem.used;
	size_t stay;

	if (!r->parts)
		return TT_OK;
	int rc = stay_open(r, s, rest, &stay, err);
	for (size_t i = 0; i < r->parts->n && rc == TT_OK; i++) {
		struct tt_part *p = &r->parts->part[i];

		if (concerns(p, &s->batch, &s->before, stay))
			rc = fold(r, p, cap, s, rest, err);
		p->collect.cap = r->collect.cap;
		p->collect.b = r->collect.b;
		p->collect.t = r->collect.t;
		p->collect.site = r->collect.site;
		p->collect.nsite = r->collect.nsite;
		p->collect.skipped = r->collect.skipped;
		TT_THEN(rc, tt_collect_chunk(&p->collect, err));
		if (rc == TT_OK && p->m->frames)
			rc = tt_frames_chunk(&p->replay, &s->batch, &s->before, err);
		rc = cope(r, i, rc, err);
	}
	r->parts->bytes += (int64_t)r->env->mem.used - before;
	if (are_too_large(r)) {
		before = (int64_t)r->env->mem.used;
		put_off(r->parts, (r->parts->n + 1) / 2);
		r->parts->bytes += (int64_t)r->env->mem.used - before;
	}
	return rc;
}

static int
finish(struct tt_run *r, struct tt_part *p, const struct tt_run_part *of, struct tt_err *err)
{
	struct tt_model *m = p->m;
	int rc;

	m->counts = tt_fold_take_counts(p->fold);
	borrow(m, r->m);
	rc = tt_counts_settle(m->counts, m->tree, err);
	TT_THEN(rc, tt_collect_finish(&p->collect, err));
	if (rc == TT_OK && m->filter.no_wait)
		rc = tt_waits_drop(m, err);
	TT_THEN(rc, tt_frames_finish(&p->replay, err));
	if (m->frames)        /* a wait anywhere shows that waits are recorded */
		m->frames->has_wait = r->m->frames->has_wait;
	return rc == TT_OK ? r->o->part_done(r->o->part_arg, of, m, err) : rc;
}

int
tt_parts_finish(struct tt_run *r, struct tt_err *err)
{
	struct tt_parts *ps = r->parts;
	int rc = TT_OK;

	if (!ps)
		return TT_OK;
	for (size_t i = 0; i < ps->n && rc == TT_OK; i++) {
		rc = finish(r, &ps->part[i], &r->o->part[ps->first + i], err);
		free_part(&ps->part[i]);
	}
	size_t next = ps->first + ps->n;
	if (rc != TT_OK || next == r->o->npart) {
		tt_parts_free(r);
		return rc;
	}
	ps->n = 0;
	return begin_from(r, next, err);
}

void
tt_parts_free(struct tt_run *r)
{
	struct tt_parts *ps = r->parts;

	if (!ps)
		return;
	for (size_t i = 0; i < ps->n; i++)
		free_part(&ps->part[i]);
	tt_fold_io_free(&ps->io, &r->env->mem);
	tt_mem_free(&r->env->mem, ps, sizeof *ps);
	r->parts = NULL;
}

/**
 * Counts the call paths of one chunk: the stack before it is known, so any worker can do it.
 */
#include "fold/state.h"

#include "base/order.h"

/* The levels of this thread: its own ones, or those unused for longest. */
static struct tt_kept *
levels_of(struct tt_fold *f, const struct tt_fold_io *io)
{
	struct tt_kept *k = &f->kept[1];

	if (io->base.n <= TT_FOLD_DEEP)
		return &f->kept[0];
	for (size_t i = 1; i <= TT_FOLD_KEPT; i++) {
		if (f->kept[i].n > 0 && f->kept[i].thread == io->thread->index) {
			k = &f->kept[i];
			break;
		}
		if (f->kept[i].used < k->used)
			k = &f->kept[i];
	}
	if (k->thread != io->thread->index)
		k->n = 0;
	k->thread = io->thread->index;
	k->used = ++f->uses;
	return k;
}

/* How many of the zones from before are known from the thread's last chunk: below one that is the same, all are. */
static size_t
still_known(const struct tt_fold *f, const struct tt_fold_io *io)
{
	size_t n = f->at->n < io->base.n ? f->at->n : io->base.n;

	/* One that was new to the tree has a node of its own by now. */
	return tt_lower_bound(i, 0, n, f->lvl[i + 1].number == io->base.z[i].number && (f->lvl[i + 1].c || !f->tree));
}

/* True if it matters which whole zones are open at some event of ${b}, wherever that lies. */
static bool
has_sites(const struct tt_fold *f, const struct tt_batch *b)
{
	const uint64_t kinds = UINT64_C(1) << TT_THROW | UINT64_C(1) << TT_MONITOR | UINT64_C(1) << TT_HANDLE;
	bool any = false;

	for (size_t i = 0; f->needs & TT_NEEDS_SITES && i < b->nrare && !any; i++)
		any = kinds >> b->ev[b->rare[i]].kind & 1;
	return any || f->needs & (TT_NEEDS_FOUND | TT_NEEDS_BY_FRAME);
}

/* When zones of the chunk are not looked at one by one. */
static void
set_clear(struct tt_fold *f, const struct tt_batch *b)
{
	const int64_t last = b->nstack && b->stack_ts > b->max_ts ? b->stack_ts : b->max_ts;

	f->clear = (struct tt_span){ INT64_MIN, INT64_MAX };
	if (f->close)
		f->clear = b->min_ts <= last ? tt_close_times_clear(f->close, b->min_ts) : (struct tt_span){ INT64_MIN, INT64_MIN };
	f->unlooked = (struct tt_span){ INT64_MAX, INT64_MIN };
	if (f->looked) {
		f->unlooked = tt_close_times_between(f->looked, b->min_ts);
		f->sums = b->min_ts < f->unlooked.from || last >= f->unlooked.to;
	}
	f->mixed = f->close && (b->min_ts < f->clear.from || last >= f->clear.to);
	f->inside = tt_filter_covers(&f->m->filter, b->min_ts, last);
	f->outside = f->mixed && b->min_ts <= last && tt_filter_misses(&f->m->filter, b->min_ts, last) && !has_sites(f, b);
}

/* Levels for the zones that were open before the chunk. */
static int
begin(struct tt_fold *f, struct tt_fold_io *io, size_t more, struct tt_err *err)
{
	const struct tt_level top = { 0 };
	struct tt_kept *k = levels_of(f, io);
	size_t known = 0;

	if (f->at != k) {
		if (f->at) {
			f->at->lvl = f->lvl;
			f->at->cap = f->caplvl;
		}
		f->at = k;
		f->lvl = k->lvl;
		f->caplvl = k->cap;
	}
	io->nslice = 0;
	io->nbegun = 0;
	io->nargs = 0;
	io->nsite = io->nsum = 0;
	tt_over_forget(&io->over);
	f->ntrail = 0;
	f->chunk++;
	f->in_frame = (struct tt_span){ INT64_MAX, INT64_MIN };
	set_clear(f, io->b);
	int rc = tt_mem_grow(f->mem, &f->lvl, &f->caplvl, io->base.n + more + 4, sizeof *f->lvl, err);
	if (rc == TT_OK && f->tree)
		rc = tt_fold_descend(f, io, &top, TT_NODE_THREAD, io->thread->index, &f->lvl[0], err);
	if (rc != TT_OK)
		return rc;
	f->lvl[0].out = f->lvl[0].hid = f->lvl[0].veiled = false;
	f->lvl[0].veils = 0;
	if (k != f->kept)
		known = still_known(f, io);
	for (size_t i = known; i < io->base.n && rc == TT_OK; i++) {
		f->lvl[i + 1].number = io->base.z[i].number;
		rc = tt_fold_step_down(f, io, i, io->base.z[i].key, io->base.z[i].ts,
		    f->filtered && tt_fold_left_out_open(f, io, i, io->base.z[i].ts, io->base.z[i].key), err);
	}
	k->n = rc == TT_OK ? io->base.n : 0;
	return rc == TT_OK ? tt_fold_steps_begin(f, io, err) : rc;
}

/* True if there is a zone of the producer's own, not only those made of GC, lock or exception events. */
static bool
any_call(const struct tt_batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		if ((b->ev[i].kind == TT_ZONE || b->ev[i].kind == TT_ZONE_BEGIN) && b->ev[i].val < TT_KEY_SPECIAL)
			return true;
	return false;
}

/* True if zones are not counted, but some are written, and none is left out. */
static inline bool
only_writes(const struct tt_fold *f)
{
	return !f->tree && f->close && !f->filtered && !f->m->filter.player_only;
}

/* The same, and all of the chunk are written, as they are. */
static bool
writes_all(const struct tt_fold *f)
{
	return only_writes(f) && f->close->always && f->inside && (f->needs & (TT_NEEDS_SLICES | TT_NEEDS_BY_FRAME)) == TT_NEEDS_SLICES;
}

/* A whole zone that is looked at alone; one that is neither counted nor written is passed over, for what lies in it is neither, too. */
static int
zone_alone(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t up, struct tt_err *err)
{
	if (!only_writes(f) || f->close->always || !tt_fold_is_zone_clear(f, e))
		return tt_fold_zone(f, io, e, up, err);
	f->lvl[up + 1].out = f->lvl[up + 1].hid = false;
	return TT_OK;
}

/* The zone of level ${i} ends that began in this chunk and has an end of its own, ${e}. */
static __attribute__((noinline)) int
finish_begun(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *e, struct tt_err *err)
{
	const struct tt_event *b = f->lvl[i].begin;
	size_t before = io->nslice;
	int rc;

	f->rest = e->flags & TT_F_POPPED;
	if (b->flags & TT_F_MORE)
		rc = tt_fold_finish_args(f, io, i, b, e, err);
	else
		rc = tt_fold_finish(f, io, i, b->ts, e->ts, e->val, (unsigned)(e->flags | b->flags), err);
	f->rest = false;
	if (io->nslice == before || !f->lvl[i].begun)
		return rc;
	io->slice[before].flags |= TT_F_END;
	io->begun[f->lvl[i].begun - 1].s.dur = io->slice[before].dur;
	return rc;
}

/* The level of the zone around ${e}, which may be too deep to say so: then it is the present one. */
static inline size_t
around(const struct tt_event *e, size_t base, size_t top)
{
	return likely(e->depth < UINT16_MAX) ? base + e->depth : top;
}

/* The begin of a zone whose end is an event of its own. */
static inline int
zone_begin(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t base, size_t *top, struct tt_err *err)
{
	const size_t n = around(e, base, *top);
	int rc = tt_fold_step_down(f, io, n, e->val, e->ts, f->filtered && tt_fold_left_out_open(f, io, n, e->ts, e->val), err);

	*top = n + 1;
	f->lvl[*top].begin = e;
	return rc == TT_OK ? tt_fold_begin_slice(f, io, *top, e, err) : rc;
}

/* The end of a zone that has an event of its own for it. */
static inline int
zone_end(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t *base, size_t *top, struct tt_err *err)
{
	int rc;

	if (e->flags & TT_F_BASE) {
		rc = tt_fold_end_base(f, io, e, err);
		*base = *top = io->base.n;
		return rc;
	}
	if (e->depth < UINT16_MAX)
		*top = *base + e->depth + 1;
	rc = finish_begun(f, io, *top, e, err);
	--*top;
	return rc;
}

/* An allocation in the zone of level ${n}. */
static inline int
alloc(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t n, struct tt_err *err)
{
	int rc = tt_fold_alloc(f, io, e, n, err);

	return unlikely(f->needs & TT_NEEDS_FOUND) && rc == TT_OK ? tt_fold_add_site(f, io, e, n, err) : rc;
}

/* Open zones are unknown from here on: end all of them. How long they were is not known. */
static int
gap(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t *base, size_t *top, struct tt_err *err)
{
	int64_t seen = io->base.seen_ts;

	if (e->flags & TT_F_CONT)
		return TT_OK;
	*base = *top = 0;
	f->rest = true;
	int rc = tt_fold_close_base(f, io, e->flags & TT_F_BASE || e->ts < seen ? seen : e->ts, err);
	f->rest = false;
	return rc;
}

/* The most levels that zones of the chunk take. */
static size_t
levels_of_chunk(const struct tt_batch *b)
{
	return b->deepest && b->deepest < b->n ? b->deepest : b->n;
}

/* One loop with a flat switch: levels stay in registers from event to event. */
int
tt_fold_chunk(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	const struct tt_batch *b = io->b;
	const bool plain = f->tree && !f->filtered && !(f->close && f->close->always);
	size_t base, top;                /* levels: of the innermost zone from before; of the present zone */
	int rc = begin(f, io, levels_of_chunk(b), err);
	const bool steps = f->steps, all = !steps && writes_all(f);

	base = top = io->base.n;
	io->calls = b->n > b->nrare && any_call(b);
	for (const struct tt_event *e = b->ev, *end = e + b->n; e < end && rc == TT_OK; e++) {
		switch (e->kind) {
		case TT_ZONE:
			if (unlikely(f->outside)) {
				top = base + e->depth + 1;
				break;
			}
			if (likely(plain && (!f->mixed || tt_fold_is_zone_clear(f, e)))) {
				rc = tt_fold_zones(f, io, &e, end, base, &top, err);
				break;
			}
			if (all) {
				rc = tt_fold_slices(f, io, &e, end, base, &top, err);
				break;
			}
			rc = zone_alone(f, io, e, base + e->depth, err);
			top = base + e->depth + 1;
			if (unlikely(steps) && rc == TT_OK)
				rc = tt_fold_steps_zone(f, io, top, e, e->ts + (int64_t)e->dur, err);
			break;
		case TT_ZONE_BEGIN:
			rc = zone_begin(f, io, e, base, &top, err);
			if (unlikely(steps) && rc == TT_OK)
				rc = tt_fold_steps_zone(f, io, top, e, INT64_MAX, err);
			break;
		case TT_FLOW:
			if (unlikely(steps))
				rc = tt_fold_steps_step(f, io, e, base, top, err);
			break;
		case TT_ZONE_END:
			rc = zone_end(f, io, e, &base, &top, err);
			break;
		case TT_ALLOC:
			rc = alloc(f, io, e, around(e, base, top), err);
			break;
		case TT_SAMPLE:
			rc = tt_fold_sample(f, io, e, err);
			break;
		case TT_THROW:
		case TT_MONITOR:
		case TT_HANDLE:
			rc = tt_fold_add_site(f, io, e, around(&e[1], base, top), err);
			break;
		case TT_GAP:
			rc = gap(f, io, e, &base, &top, err);
			break;
		default:
			break;
		}
	}
	tt_fold_steps_end(io);
	tt_fold_samples_end(f);
	return tt_fold_thrown_over(f, io, rc, err);
}

int
tt_fold_samples(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	const struct tt_batch *b = io->b;
	int rc = TT_OK;

	f->ntrail = 0;
	io->nsite = io->nsum = 0;
	tt_over_forget(&io->over);
	for (size_t i = 0; i < b->nrare && rc == TT_OK; i++)
		if (b->ev[b->rare[i]].kind == TT_SAMPLE)
			rc = tt_fold_sample(f, io, &b->ev[b->rare[i]], err);
	tt_fold_samples_end(f);
	return rc;
}

int
tt_fold_rest(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	int rc = begin(f, io, 0, err);

	f->rest = true;
	if (rc == TT_OK)
		rc = tt_fold_close_base(f, io, io->base.seen_ts, err);
	rc = tt_fold_thrown_over(f, io, rc, err);
	f->rest = false;
	return rc;
}

void
tt_fold_free(struct tt_fold *f)
{
	tt_counts_free(f->counts);
	tt_mem_free(f->mem, f->near, sizeof *f->near << TT_FOLD_NEAR_BITS);
	for (size_t i = 0; i <= TT_FOLD_KEPT; i++)
		if (f->at != &f->kept[i])
			tt_mem_free(f->mem, f->kept[i].lvl, f->kept[i].cap * sizeof *f->lvl);
	tt_mem_free(f->mem, f->lvl, f->caplvl * sizeof *f->lvl);
	tt_mem_free(f->mem, f->trail, f->captrail * sizeof *f->trail);
	tt_mem_free(f->mem, f->thrown, f->capthrown * sizeof *f->thrown);
	tt_mem_free(f->mem, f->own, f->capown * sizeof *f->own);
	tt_mem_free(f->mem, f->next, f->capnext * sizeof *f->next);
}

void
tt_fold_io_free(struct tt_fold_io *io, struct tt_mem *mem)
{
	struct tt_over *o = &io->over;

	tt_stack_free(&io->base, mem);
	tt_mem_free(mem, io->slice, io->capslice * sizeof *io->slice);
	tt_mem_free(mem, io->begun, io->capbegun * sizeof *io->begun);
	tt_mem_free(mem, io->args, io->capargs * sizeof *io->args);
	tt_args_free(io->ended, mem);
	tt_mem_free(mem, io->site, io->capsite * sizeof *io->site);
	tt_mem_free(mem, io->left, io->capleft * sizeof *io->left);
	tt_mem_free(mem, io->sum, io->capsum * sizeof *io->sum);
	tt_mem_free(mem, o->node, o->cap * sizeof *o->node);
	tt_map_free(&o->at, mem);
	tt_mem_free(mem, o->late, o->caplate * sizeof *o->late);
	tt_mem_free(mem, o->map, o->capmap * sizeof *o->map);
}

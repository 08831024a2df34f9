/**
 * Counts the call paths of one chunk: the stack before it is known, so any worker can do it; the contract is in fold.h.
 */
#include "run/fold.h"

#include "base/order.h"
#include "collect/by_frame.h"
#include "emit/emit.h"
#include "model/defs.h"
#include "run/brief.h"
#include "run/close_times.h"
#include "stat/num.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* --- overlay: paths the tree does not have yet ------------------------------- */

static void
over_reset(struct tt_over *o)
{
	tt_map_clear(&o->at);
	o->n = o->nlate = 0;
}

/* Find or add; *${node} is TT_OVER | index. Adding may move the others, so nobody keeps pointers to them. */
static int
over_child(struct tt_over *o, uint32_t parent, enum tt_node_kind kind, uint64_t key, uint32_t *node,
    struct tt_err *err)
{
	uint64_t hash = tt_slot_pair((uint64_t)kind << 32 | parent, key);
	uint32_t at = tt_map_find(&o->at, hash, i, o->node[i].key == key && o->node[i].parent == parent && o->node[i].kind == kind);
	int rc;

	if (!at) {
		if ((rc = tt_mem_grow(o->mem, &o->node, &o->cap, o->n + 1, sizeof *o->node, err)) != TT_OK ||
		    (rc = tt_map_add(&o->at, o->mem, hash, o->n, err)) != TT_OK)
			return rc;
		o->node[o->n] = (struct tt_over_node){ .key = key, .parent = parent, .kind = (uint8_t)kind };
		at = (uint32_t)++o->n;
	}
	*node = TT_OVER | (at - 1);
	return TT_OK;
}

/*
 * What is known of an activation's duration: all; how long it was when the end of the capture, of its thread, or a loss cut it; or nothing, for
 * this is the rest of one that began elsewhere: after a loss, before the filter's time, or, of an Exception zone, in an earlier chunk.
 */
enum { WHOLE, CUT, REST };

static inline int
count_dur(struct tt_counts *c, struct tt_dist *d, uint64_t dur, uint8_t what, struct tt_err *err)
{
	if (likely(what == WHOLE))
		return tt_counts_dur(c, d, dur, err);
	d->ncut += what == CUT;
	d->cut += (int64_t)dur;
	return TT_OK;
}

/* --- times of close looks ------------------------------------------------------ */

/* True if ${ts} lies in a stretch of time in which zones are only counted. Events of a chunk mostly come in the order of their times. */
static inline bool
is_clear(struct tt_fold *f, int64_t ts)
{
	if (unlikely(ts >= f->clear.to) && f->close)
		f->clear = tt_close_times_clear(f->close, ts);
	return ts >= f->clear.from && ts < f->clear.to;
}

/* is_clear() from the begin of the whole zone ${e} to its end. */
static inline bool
is_zone_clear(struct tt_fold *f, const struct tt_event *e)
{
	return is_clear(f, e->ts) && e->ts + e->dur < f->clear.to;
}

/* --- sums of frames ------------------------------------------------------------ */

static int
new_sum(struct tt_fold_io *io, uint32_t frame, uint32_t node, struct tt_err *err)
{
	int rc = tt_mem_grow(io->over.mem, &io->sum, &io->capsum, io->nsum + 1, sizeof *io->sum, err);

	if (rc == TT_OK)
		io->sum[io->nsum++] = (struct tt_frame_path){ .frame = frame, .node = node };
	return rc;
}

/* The sum of ${frame} and ${node}, which may be one more of these two; NULL: ${err}. Until the next call. */
static struct tt_frame_path *
sum_of(struct tt_fold *f, struct tt_fold_io *io, uint32_t frame, uint32_t node, struct tt_err *err)
{
	struct tt_fold_sum *s = &f->sum[(node * 31 + frame) % TT_FOLD_SUMS];

	if (s->chunk != f->chunk || s->frame != frame || s->node != node) {
		if (new_sum(io, frame, node, err) != TT_OK)
			return NULL;
		*s = (struct tt_fold_sum){ f->chunk, frame, node, io->nsum - 1 };
	}
	return &io->sum[s->at];
}

/* A zone of ${node} fills the frames from ${at} to before ${until}; ${sign} -1: it is taken out of them. */
static int
sum_filled(struct tt_fold_io *io, uint32_t at, uint32_t until, uint32_t node, int sign, struct tt_err *err)
{
	if (new_sum(io, at, node, err) != TT_OK)
		return err->code;
	io->sum[io->nsum - 1].until = until;
	io->sum[io->nsum - 1].total = sign;
	return TT_OK;
}

/* The first of the frames from ${first} to before ${last} that does not end before ${ts}: mostly that of the zone before. */
static inline size_t
zone_frame(struct tt_fold *f, size_t first, size_t last, int64_t ts)
{
	const struct tt_frames *t = f->m->frames;
	size_t at = f->zone_frame;

	if (at < first || at >= last || ts < t->start[at] || ts >= t->start[at] + t->dur[at])
		at = f->zone_frame = tt_lower_bound(i, first, last, t->start[i] + t->dur[i] <= ts);
	return at;
}

/* A zone of ${node}, that ends in this chunk, in its frames. With ${sign} -1 that time is taken from ${node}. */
static __attribute__((noinline)) int
sum_zone(struct tt_fold *f, struct tt_fold_io *io, uint32_t node, int64_t ts, int64_t end, bool counts, int sign, struct tt_err *err)
{
	const struct tt_frames *t = f->m->frames;
	size_t first, last;

	if (!t || !tt_frames_of(t, io->b->process, &first, &last))
		return TT_OK;
	for (size_t at = zone_frame(f, first, last, ts); at < last && (t->start[at] < end || t->start[at] <= ts); at++) {
		int64_t from = ts > t->start[at] ? ts : t->start[at], to = t->start[at] + t->dur[at];
		bool begins = counts && ts >= t->start[at];

		to = to < end ? to : end;
		if ((!begins && to <= from) || !tt_frames_looked(t, at, at + 1))
			continue;
		struct tt_frame_path *s = sum_of(f, io, (uint32_t)at, node, err);
		if (!s)
			return err->code;
		s->n += begins;
		s->total += to > from ? sign * (to - from) : 0;
		s->longest = to - from > s->longest ? to - from : s->longest;
		size_t filled = at + 2 < last && t->start[at + 2] < end ?
		    tt_lower_bound(i, at + 1, last, t->start[i] + t->dur[i] <= end) : at + 1;
		if (filled > at + 1 && sum_filled(io, (uint32_t)at + 1, (uint32_t)filled, node, sign, err) != TT_OK)
			return err->code;
		at = filled - 1;
	}
	return TT_OK;
}

/* ${n} allocations of ${node} in their frame. */
static int
sum_allocs(struct tt_fold *f, struct tt_fold_io *io, uint32_t node, int64_t ts, uint64_t n, int64_t bytes, struct tt_err *err)
{
	size_t at = f->m->frames ? tt_frames_at(f->m->frames, io->b->process, ts, &f->frame) : SIZE_MAX;
	struct tt_frame_path *s;

	if (at == SIZE_MAX || !tt_frames_looked(f->m->frames, at, at + 1))
		return TT_OK;
	if (!(s = sum_of(f, io, (uint32_t)at, node, err)))
		return err->code;
	s->n += n;
	s->total += bytes;
	return TT_OK;
}

/* New paths have their numbers now. "(more paths)" gets what tt_fold_commit() gives it. */
static int
number_sums(struct tt_fold_io *io, struct tt_err *err)
{
	const struct tt_over *o = &io->over;
	int rc = TT_OK;

	for (size_t i = 0, n = io->nsum; i < n && rc == TT_OK; i++) {
		struct tt_frame_path *s = &io->sum[i];
		uint32_t over = s->node & ~TT_OVER, parent;

		if (!(s->node & TT_OVER))
			continue;
		s->node = o->map[over];
		if (s->node != TT_NODE_MORE)
			continue;
		parent = o->node[over].parent;
		parent = parent & TT_OVER ? o->map[parent & ~TT_OVER] : parent;
		const int64_t total = s->total;
		s->self = total;
		s->total = parent != TT_NODE_MORE ? total : 0;
		const uint32_t until = s->until;
		rc = new_sum(io, s->frame, parent, err);
		if (rc == TT_OK) {
			io->sum[io->nsum - 1].until = until;
			io->sum[io->nsum - 1].self = -total;
		}
	}
	return rc;
}

int
tt_fold_commit(struct tt_fold_io *io, struct tt_tree *tree, struct tt_counts *counts, uint32_t process, struct tt_err *err)
{
	struct tt_over *o = &io->over;
	int rc = tt_mem_grow(o->mem, &o->map, &o->capmap, o->n, sizeof *o->map, err);

	/* In order of first appearance: a parent always comes before its children. */
	for (size_t i = 0; rc == TT_OK && i < o->n; i++) {
		const struct tt_over_node *n = &o->node[i];
		uint32_t parent = n->parent & TT_OVER ? o->map[n->parent & ~TT_OVER] : n->parent;
		rc = tt_tree_add(tree, parent, n->kind, n->key, process, &o->map[i], err);
		struct tt_count *c = rc == TT_OK ? tt_counts_at(counts, o->map[i], err) : NULL;
		if (!c)
			return err->code;
		c->n += n->c.n;
		c->self += n->c.self;
		if (o->map[i] != TT_NODE_MORE) {
			c->total += n->c.total;
			continue;
		}
		/* "(more paths)" is not a child of its callers, so their self time is reduced here; zones nested in it count once. */
		struct tt_count *up = tt_counts_at(counts, parent, err);
		if (!up)
			return err->code;
		c->total += parent != TT_NODE_MORE ? n->c.total : 0;
		c->self += n->c.total;
		up->self -= n->c.total;
	}
	for (size_t i = 0; rc == TT_OK && i < o->nlate; i++) {
		struct tt_dist *d = tt_counts_dist(counts, tt_tree_node(tree, o->map[o->late[i].node])->marker, err);
		rc = d ? count_dur(counts, d, o->late[i].dur, o->late[i].what, err) : err->code;
	}
	for (size_t i = 0; rc == TT_OK && i < io->nsite; i++)
		if (io->site[i] & TT_OVER)
			io->site[i] = o->map[io->site[i] & ~TT_OVER];
	if (rc == TT_OK)
		rc = number_sums(io, err);
	over_reset(o);
	return rc;
}

/* --- levels: the path from the thread's root -------------------------------- */

static inline struct tt_count *
count_of(struct tt_fold_io *io, const struct tt_level *l)
{
	return likely(l->c != NULL) ? l->c : &io->over.node[l->node & ~TT_OVER].c;
}

/*
 * The child of ${from} for ${key}, in the tree or the overlay, never "(more paths)": what becomes that is known only when
 * the overlay is committed. ${to} may be ${from}.
 */
static inline int
descend(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *from, enum tt_node_kind kind, uint64_t key,
    struct tt_level *to, struct tt_err *err)
{
	const struct tt_tree *tree = f->m->tree;
	uint32_t up = from->node, node = 0;

	to->hash = to->ahead = tt_tree_hash(from->hash, kind, key);
	if (likely(!(up & TT_OVER)))
		node = tt_tree_find(tree, to->hash, up, kind, key);
	if (likely(node)) {
		to->node = node;
		to->c = tt_counts_at(f->counts, node, err);
		if (unlikely(to->c == NULL))
			return err->code;
		if (kind == TT_NODE_ZONE && unlikely(!to->c->dist) && (f->needs & TT_NEEDS_HIST) &&
		    !(to->c->dist = tt_counts_dist(f->counts, tt_tree_node(tree, node)->marker, err)))
			return err->code;
		return TT_OK;
	}
	to->c = NULL;
	return over_child(&io->over, up, kind, key, &to->node, err);
}

static int
add_dur(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *l, uint64_t dur, bool counts, struct tt_err *err)
{
	const uint8_t what = likely(counts) ? (f->rest ? CUT : WHOLE) : REST;

	if (!(f->needs & TT_NEEDS_HIST))
		return TT_OK;
	if (likely(l->c != NULL))
		return count_dur(f->counts, l->c->dist, dur, what, err);
	struct tt_over *o = &io->over;
	int rc = tt_mem_grow(o->mem, &o->late, &o->caplate, o->nlate + 1, sizeof *o->late, err);
	if (rc == TT_OK)
		o->late[o->nlate++] = (struct tt_late){ .node = l->node & ~TT_OVER, .what = what, .dur = dur };
	return rc;
}

static int
add_slice(struct tt_fold *f, struct tt_fold_io *io, int64_t ts, int64_t dur, uint64_t key, size_t depth,
    unsigned flags, struct tt_err *err)
{
	if (io->nslice == io->capslice) {
		int rc = tt_mem_grow(f->mem, &io->slice, &io->capslice, io->nslice + 1, sizeof *io->slice, err);
		if (rc != TT_OK)
			return rc;
	}
	io->slice[io->nslice++] = (struct tt_slice){ .ts = ts, .dur = dur, .key = key, .depth = (uint32_t)depth,
		.flags = flags };
	return TT_OK;
}

/* The slice that was made last, if one was made since there were ${before}, has arguments. */
static int
add_args(struct tt_fold *f, struct tt_fold_io *io, size_t before, const struct tt_args *a, struct tt_err *err)
{
	if (io->nslice == before || a->n == 0)
		return TT_OK;
	int rc = tt_mem_grow(f->mem, &io->args, &io->capargs, io->nargs + 1, sizeof *io->args, err);
	if (rc != TT_OK)
		return rc;
	io->args[io->nargs++] = *a;
	/* No chunk has bytes for so many that this is more than fits. */
	io->slice[io->nslice - 1].flags |= (uint32_t)io->nargs << TT_SLICE_ARGS;
	return TT_OK;
}

/* True if a zone of level ${depth} is left out by its depth, in which wrappers that are not shown do not count. */
static bool
left_out(const struct tt_fold *f, size_t depth)
{
	return f->m->filter.depth && depth - f->lvl[depth].veils >= f->m->filter.depth;
}

/* True if the filter leaves out the zone of level ${depth} that begins at ${ts}, whose end is not in sight. */
static bool
left_out_open(const struct tt_fold *f, const struct tt_fold_io *io, size_t depth, int64_t ts, uint64_t key)
{
	return left_out(f, depth) || (f->m->filter.min_dur && tt_brief_is(io->thread, ts, depth, key));
}

/* The runtime's own steps of an allocation stay in the tree, where passes strip them; outputs do not show them. */
static bool
shown(const struct tt_fold *f, const struct tt_fold_io *io, uint64_t key)
{
	if (!f->m->has_wrapper || f->m->filter.wrappers)
		return true;
	const struct tt_name *n = tt_model_key(f->m, io->cap->process, key);
	return !n || !n->alloc_wrapper;
}

/* True if the zone below level ${i} is left out with all its time. */
static bool
is_hidden(const struct tt_fold *f, const struct tt_fold_io *io, size_t i, uint64_t key)
{
	const struct tt_name *n;

	if (f->lvl[i].hid)
		return true;
	n = tt_model_key(f->m, io->cap->process, key);
	return n && n->editor;
}

/* Step down from level ${i} to level i + 1, to a zone that begins at ${ts}. */
static inline int
step_down(struct tt_fold *f, struct tt_fold_io *io, size_t i, uint64_t key, int64_t ts, bool out, struct tt_err *err)
{
	struct tt_level *l = &f->lvl[i + 1];
	const bool veiled = unlikely(f->counts_veils) && !shown(f, io, key);
	bool hid = unlikely(f->m->filter.player_only) && is_hidden(f, io, i, key);

	if (unlikely(out || hid)) {
		uint32_t number = l->number;
		*l = f->lvl[i];
		l->number = number;
		l->out = true;
		l->hid = hid;
		l->veiled = veiled;
		l->veils += veiled;
		return TT_OK;
	}
	l->veiled = veiled;
	l->veils = f->lvl[i].veils + veiled;
	l->out = l->hid = false;
	l->in = tt_filter_has(&f->m->filter, f->m->filter.by_begin ? tt_filter_begin(&f->m->filter, &f->m->of->filter, ts) : ts);
	return f->tree ? descend(f, io, &f->lvl[i], TT_NODE_ZONE, key, l, err) : TT_OK;
}

/* --- exceptions: a zone in pieces, one for each frame that is left, counts as one --- */

/* The exception met last goes on no more. */
static int
thrown_over(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	const struct tt_thrown *t = &f->thrown[--f->nthrown];

	return add_dur(f, io, &t->l, (uint64_t)(t->end - t->since), true, err);
}

/* A piece at level ${l}. Pieces follow each other without a gap; an exception thrown between two of them is over at the second. */
static int
thrown_piece(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *l, int64_t ts, int64_t end, unsigned flags,
    struct tt_err *err)
{
	int rc = TT_OK;

	while ((flags & TT_F_CONT) && f->nthrown && f->thrown[f->nthrown - 1].end != ts && rc == TT_OK)
		rc = thrown_over(f, io, err);
	if (rc != TT_OK)
		return rc;
	if (!(flags & TT_F_CONT)) {
		rc = tt_mem_grow(f->mem, &f->thrown, &f->capthrown, f->nthrown + 1, sizeof *f->thrown, err);
		if (rc == TT_OK)
			f->thrown[f->nthrown++] = (struct tt_thrown){ ts, end, *l };
	} else if (f->nthrown) {
		f->thrown[f->nthrown - 1].end = end;
		f->thrown[f->nthrown - 1].l = *l;
	} else {                      /* it began in an earlier chunk, and was counted there */
		rc = add_dur(f, io, l, (uint64_t)(end - ts), false, err);
	}
	return rc;
}

static int
thrown_all_over(struct tt_fold *f, struct tt_fold_io *io, int rc, struct tt_err *err)
{
	while (f->nthrown && rc == TT_OK)
		rc = thrown_over(f, io, err);
	f->nthrown = 0;
	return rc;
}

/*
 * A zone of level ${i} counts whole, as far as it lies in the time of all parts, where it begins, and is not self time of the zone around it
 * wherever that begins. The sums of all parts of the time are then those of the whole.
 */
static int
count_whole(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t dur, bool counts, struct tt_err *err)
{
	const struct tt_level *l = &f->lvl[i], *up = l - 1;
	struct tt_count *c = count_of(io, l);

	if (i > 1 && l->in != up->in)
		count_of(io, up)->self += l->in ? dur : -dur;
	if (!l->in)
		return TT_OK;
	c->n += counts;
	c->total += dur;
	return add_dur(f, io, l, (uint64_t)dur, counts, err);
}

/*
 * A zone of level ${i} is over that is left out with all its time: the zones around it are without it. Where what begins counts whole, it is
 * taken from the same ones that it was counted in, see count_whole().
 */
static void
take_out(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t dur)
{
	const struct tt_level *below = NULL;

	for (size_t k = i; k-- > 1;) {
		const struct tt_level *l = &f->lvl[k];
		bool in = !f->m->filter.by_begin || l->in;

		if (l->out)
			continue;
		if (in)
			count_of(io, l)->total -= dur;
		if (below && f->m->filter.by_begin && below->in != l->in)
			count_of(io, l)->self -= below->in ? dur : -dur;
		below = l;
	}
}

/* Take the time of a zone of level ${i} out of the zones around it, in each frame. */
static int
take_out_of_frames(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t k = i; k-- > 1 && rc == TT_OK;)
		if (!f->lvl[k].out)
			rc = sum_zone(f, io, f->lvl[k].node, ts, end, false, -1, err);
	return rc;
}

/* The zone of level ${i} begins with ${e}, and goes on beyond what one event can hold. */
static int
begin_slice(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *e, struct tt_err *err)
{
	const struct tt_filter *flt = &f->m->filter;
	struct tt_level *l = &f->lvl[i];
	uint32_t flags = e->flags;

	l->begun = 0;
	/* Deeper ones are dropped if the chunk leaves them open: tt_stack_push(). */
	if (!(f->needs & TT_NEEDS_SLICES) || l->out || tt_filter_tells_late(flt) || e->ts >= flt->to || i > TT_STACK_MAX ||
	    l->veiled || (flags & TT_F_CONT && e->val == TT_KEY_EXCEPTION))
		return TT_OK;
	int rc = tt_mem_grow(f->mem, &io->begun, &io->capbegun, io->nbegun + 1, sizeof *io->begun, err);
	if (rc == TT_OK && flags & TT_F_MORE) {
		rc = tt_mem_grow(f->mem, &io->args, &io->capargs, io->nargs + 1, sizeof *io->args, err);
		if (rc == TT_OK) {
			io->args[io->nargs++] = tt_args_of(io->b, (size_t)(e - io->b->ev));
			flags |= (uint32_t)io->nargs << TT_SLICE_ARGS;
		}
	}
	if (rc != TT_OK)
		return rc;
	io->begun[io->nbegun++] = (struct tt_begun){ .before = io->nslice,
		.s = { .ts = e->ts, .dur = -1, .key = e->val, .depth = (uint32_t)i - 1 - l->veils, .flags = flags } };
	l->begun = io->nbegun;
	return TT_OK;
}

/* A zone of level ${i} that is hidden, and so left out, is over: take its time out of those around it. */
static __attribute__((noinline)) int
finish_hidden(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, struct tt_err *err)
{
	const struct tt_filter *flt = &f->m->filter;
	int64_t dur;

	if (f->lvl[i - 1].hid)
		return TT_OK;                 /* with that one */
	if (f->needs & TT_NEEDS_BY_FRAME && !flt->by_begin && take_out_of_frames(f, io, i, ts, end, err) != TT_OK)
		return err->code;
	if (f->tree && (dur = tt_filter_clip(flt->by_begin ? &f->m->of->filter : flt, &ts, &end)) > 0)
		take_out(f, io, i, dur);
	return TT_OK;
}

/* Count a zone in its call path, clipped to ${dur} ns from ${ts} to ${end}. */
static inline int
count_piece(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *l, int64_t ts, int64_t end, int64_t dur, uint64_t key, unsigned flags,
    bool counts, struct tt_err *err)
{
	struct tt_count *c = count_of(io, l);

	c->n += counts;
	c->total += dur;
	if (key == TT_KEY_EXCEPTION && (counts || (flags & TT_F_CONT)))
		return thrown_piece(f, io, l, ts, end, flags, err);
	return add_dur(f, io, l, (uint64_t)dur, counts, err);
}

/* A zone of level ${i} is over: count it, clipped to the filter's time. */
static int
finish(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, uint64_t key, unsigned flags,
    struct tt_err *err)
{
	const struct tt_filter *flt = &f->m->filter;
	const struct tt_level *l = &f->lvl[i];
	bool counts = tt_filter_has(flt, ts) && !(flags & TT_F_CONT);
	int64_t dur;
	int rc = TT_OK;

	if (end < ts)
		end = ts;
	if (unlikely(l->hid) && (rc = finish_hidden(f, io, i, ts, end, err)) != TT_OK)
		return rc;
	if (l->out || end - ts < flt->min_dur)
		return TT_OK;
	if (flt->by_begin)
		return f->tree && (dur = tt_filter_clip(&f->m->of->filter, &ts, &end)) >= 0 ? count_whole(f, io, i, dur, counts, err) : TT_OK;
	if (unlikely(f->needs & TT_NEEDS_BY_FRAME) && (rc = sum_zone(f, io, l->node, ts, end, counts, 1, err)) != TT_OK)
		return rc;
	if ((dur = tt_filter_clip(flt, &ts, &end)) < 0)
		return TT_OK;
	if (f->tree)
		rc = count_piece(f, io, l, ts, end, dur, key, flags, counts, err);
	if (rc == TT_OK && (f->needs & TT_NEEDS_SLICES) && !l->veiled && !(flags & TT_F_CONT && key == TT_KEY_EXCEPTION))
		rc = add_slice(f, io, ts, end - ts, key, i - 1 - l->veils, flags, err);
	return rc;
}

/* Finish a zone that began in this chunk, at ${b}, with arguments, and is over at the end of ${e}, which may be ${b}. */
static __attribute__((noinline)) int
finish_args(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *b, const struct tt_event *e,
    struct tt_err *err)
{
	const struct tt_args a = tt_args_of(io->b, (size_t)(b - io->b->ev));
	size_t before = io->nslice;
	int rc = finish(f, io, i, b->ts, e->ts + e->dur, e->val, (unsigned)(e->flags | b->flags), err);

	return rc == TT_OK ? add_args(f, io, before, &a, err) : rc;
}

/* --- ends of zones from earlier chunks ------------------------------------- */

struct base_end {
	struct tt_fold *f;
	struct tt_fold_io *io;
	struct tt_err *err;
	int64_t ts;
	int rc;
};

static void
base_popped(void *arg, const struct tt_open *z, unsigned flags)
{
	struct base_end *e = arg;
	size_t before = e->io->nslice;

	if (e->rc == TT_OK)
		e->rc = finish(e->f, e->io, e->io->base.n + 1, z->ts, e->ts, z->key, flags | z->flags | TT_F_BASE, e->err);
	if (unlikely(z->args != NULL) && e->rc == TT_OK)
		e->rc = add_args(e->f, e->io, before, &z->args->args, e->err);
}

static int
end_base(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	struct base_end be = { f, io, err, e->ts, TT_OK };

	tt_stack_end(&io->base, e->val, e->ts, e->flags, base_popped, &be);
	if (be.rc != TT_OK || io->base.n == 0)
		return be.rc;
	/* An Exception zone that was interrupted is on top again. */
	const struct tt_open *top = &io->base.z[io->base.n - 1];
	if ((e->flags & TT_F_UNWIND) && top->key == TT_KEY_EXCEPTION && top->ts == e->ts && (top->flags & TT_F_CONT))
		return step_down(f, io, io->base.n - 1, top->key, top->ts, left_out_open(f, io, io->base.n - 1, top->ts, top->key), err);
	return TT_OK;
}

static int
close_base(struct tt_fold *f, struct tt_fold_io *io, int64_t ts, unsigned flags, struct tt_err *err)
{
	struct base_end be = { f, io, err, ts, TT_OK };

	while (io->base.n > 0) {
		io->base.n--;
		base_popped(&be, &io->base.z[io->base.n], flags);
	}
	return be.rc;
}

/* --- allocations and samples ------------------------------------------------ */

/* The node of a recorded stack below a root of its own, which is below ${top}. */
static int
stack_path(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *top, enum tt_node_kind root, uint32_t thread,
    const uint64_t *frame, size_t n, struct tt_level *l, struct tt_err *err)
{
	int rc = tt_mem_grow(f->mem, &f->trail, &f->captrail, n + 1, sizeof *f->trail, err);
	struct tt_trail *t = f->trail;
	size_t same = 0;

	if (rc != TT_OK)
		return rc;
	if (f->ntrail && f->root == root && f->above == top->hash && t[0].key == thread)
		for (same = 1; same < f->ntrail && same <= n && t[same].key == frame[same - 1]; same++)
			;
	for (size_t i = same; i <= n && rc == TT_OK; i++) {
		t[i].key = i ? frame[i - 1] : thread;
		rc = i ? descend(f, io, &t[i - 1].l, TT_NODE_ZONE, t[i].key, &t[i].l, err) :
		    descend(f, io, top, root, thread, &t[i].l, err);
	}
	if (same <= n) {
		f->root = root;
		f->above = top->hash;
		f->ntrail = rc == TT_OK ? n + 1 : 0;
	}
	*l = t[n].l;
	return rc;
}

static const struct tt_level nowhere;

/* The node of class ${key}, allocated on the recorded stack of ${x}. Zones that are not methods have the stack below them: it says more of the same place. */
static int
stack_alloc(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *x, uint64_t key, size_t at, struct tt_level *l,
    struct tt_err *err)
{
	const struct tt_level *top = at > 0 && io->cap->code_alone ? &f->lvl[at] : &nowhere;
	struct tt_met *m = &f->met[((x->val + key) * 0x9E3779B97F4A7C15u) >> 56];
	int rc;

	if (likely(m->chunk == f->chunk && m->first == x->val && m->key == key && m->n == x->dur && m->above == top->hash)) {
		l->c = m->c;
		l->node = m->node;
		l->hash = m->hash;
		return TT_OK;
	}
	rc = stack_path(f, io, top, TT_NODE_STACKS, io->thread->index, io->b->word + x->val, x->dur, l, err);
	if (rc == TT_OK)
		rc = descend(f, io, l, TT_NODE_ALLOC, key, l, err);
	if (rc == TT_OK)
		*m = (struct tt_met){ .chunk = f->chunk, .key = key, .first = x->val, .above = top->hash, .hash = l->hash,
		    .c = l->c, .n = x->dur, .node = l->node };
	return rc;
}

/*
 * Where one allocation in w is recorded, a record of size s counts as w of them, and the variance of its bytes is
 * w (w - 1) s^2. Variances add up. The result is kept small enough to be added a few times.
 */
static int64_t
add_variance(int64_t to, int64_t bytes, uint64_t w)
{
	tt_u128 v = (tt_u128)(bytes < 0 ? 0 : bytes) * (uint64_t)(bytes < 0 ? 0 : bytes) / w * (w - 1) + (uint64_t)to;

	return v < TT_VARIANCE_MAX ? (int64_t)v : TT_VARIANCE_MAX;
}

/* True if ${ts} is within a whole frame of the process. */
static bool
in_frame(struct tt_fold *f, uint32_t process, int64_t ts)
{
	return f->m->frames && tt_frames_at(f->m->frames, process, ts, &f->frame) != SIZE_MAX;
}

static void
count_alloc(struct tt_count *c, uint64_t n, int64_t bytes)
{
	c->n += n;
	c->total += bytes;
	if (unlikely(n > 1))
		c->self = add_variance(c->self, bytes, n);
}

static int
alloc(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t at, struct tt_err *err)
{
	const struct tt_event *x = e->flags & TT_F_MORE ? e + 1 : NULL;
	int64_t bytes = (int64_t)tt_alloc_bytes(e);
	uint64_t key = e->val;
	struct tt_level l;
	int rc;

	if (!f->tree || !tt_filter_has(&f->m->filter, e->ts))
		return TT_OK;
	if (unlikely(f->alias))
		key = tt_defs_alias(io->cap->defs, key, e->ts - io->cap->offset_ns);
	if (unlikely(e->flags & TT_F_STACK))
		rc = stack_alloc(f, io, x, key, at, &l, err);
	else
		rc = descend(f, io, &f->lvl[at], TT_NODE_ALLOC, key, &l, err);
	if (rc != TT_OK)
		return rc;
	uint64_t n = tt_alloc_count(e);
	count_alloc(count_of(io, &l), n, bytes);
	if (unlikely(f->needs & TT_NEEDS_BY_FRAME) && (f->sums || !is_clear(f, e->ts)) && (rc = sum_allocs(f, io, l.node, e->ts, n, bytes, err)) != TT_OK)
		return rc;
	if (likely(!(f->needs & TT_NEEDS_FRAMED)) || !in_frame(f, io->b->process, e->ts))
		return TT_OK;
	rc = descend(f, io, &l, TT_NODE_FRAMED, 0, &l, err);
	if (rc == TT_OK)
		count_alloc(count_of(io, &l), n, bytes);
	return rc;
}

static int
sample(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	const struct tt_event *x = e + 1;
	uint32_t thread = (uint32_t)tt_sample_thread(e);
	struct tt_level l;

	if (!f->tree || !tt_filter_has(&f->m->filter, e->ts) || (f->m->keep_thread && !f->m->keep_thread[thread]))
		return TT_OK;
	int rc = stack_path(f, io, &nowhere, TT_NODE_SAMPLES, thread, io->b->word + x->val, e->dur, &l, err);
	if (rc == TT_OK)
		count_of(io, &l)->n++;
	return rc;
}

/* Where a throw, a lock or a handle event happened; ${at} is the level of the zone around it. */
static int
add_site(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t at, struct tt_err *err)
{
	const struct tt_event *x = e + 1;
	uint32_t node = f->lvl[at].node;
	struct tt_level l;
	int rc = TT_OK;

	if (!(f->needs & TT_NEEDS_SITES))
		return TT_OK;
	if ((e->flags & TT_F_STACK) && x->dur) {
		rc = stack_path(f, io, &nowhere, TT_NODE_STACKS, io->thread->index, io->b->word + x->val, x->dur, &l, err);
		node = l.node;
	}
	if (rc == TT_OK)
		rc = tt_mem_grow(f->mem, &io->site, &io->capsite, io->nsite + 1, sizeof *io->site, err);
	if (rc == TT_OK)
		io->site[io->nsite++] = node;
	return rc;
}

/* --- the chunk ---------------------------------------------------------------- */

/* Where the levels of this thread lie: its own ones, or those unused for longest. */
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
	f->ntrail = 0;
	f->chunk++;
	f->clear = f->close ? (struct tt_span){ INT64_MIN, INT64_MIN } : (struct tt_span){ INT64_MIN, INT64_MAX };
	int rc = tt_mem_grow(f->mem, &f->lvl, &f->caplvl, io->base.n + more + 4, sizeof *f->lvl, err);
	if (rc == TT_OK && f->tree)
		rc = descend(f, io, &top, TT_NODE_THREAD, io->thread->index, &f->lvl[0], err);
	if (rc != TT_OK)
		return rc;
	f->lvl[0].out = f->lvl[0].hid = f->lvl[0].veiled = false;
	f->lvl[0].veils = 0;
	if (k != f->kept)
		known = still_known(f, io);
	for (size_t i = known; i < io->base.n && rc == TT_OK; i++) {
		f->lvl[i + 1].number = io->base.z[i].number;
		rc = step_down(f, io, i, io->base.z[i].key, io->base.z[i].ts,
		    f->filtered && left_out_open(f, io, i, io->base.z[i].ts, io->base.z[i].key), err);
	}
	k->n = rc == TT_OK ? io->base.n : 0;
	return rc;
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

/* A whole zone of level ${up}. */
static int
zone(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t up, struct tt_err *err)
{
	int rc = step_down(f, io, up, e->val, e->ts, f->filtered && (e->dur < f->m->filter.min_dur || left_out(f, up)), err);

	if (rc != TT_OK)
		return rc;
	if (unlikely(e->flags & TT_F_MORE))
		return finish_args(f, io, up + 1, e, e, err);
	return finish(f, io, up + 1, e->ts, e->ts + e->dur, e->val, e->flags, err);
}

/* True if zones are not counted, but some are written, and none is left out. */
static inline bool
only_writes(const struct tt_fold *f)
{
	return !f->tree && f->close && !f->close->always && !f->filtered && !f->m->filter.player_only;
}

/* The same, of one that is looked at alone; one that is neither counted nor written is passed over, for what lies in it is neither, too. */
static int
zone_alone(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t up, struct tt_err *err)
{
	if (!only_writes(f) || !is_zone_clear(f, e))
		return zone(f, io, e, up, err);
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

	if (b->flags & TT_F_MORE)
		rc = finish_args(f, io, i, b, e, err);
	else
		rc = finish(f, io, i, b->ts, e->ts, e->val, (unsigned)(e->flags | b->flags), err);
	if (io->nslice == before || !f->lvl[i].begun)
		return rc;
	io->slice[before].flags |= TT_F_END;
	io->begun[f->lvl[i].begun - 1].s.dur = io->slice[before].dur;
	return rc;
}

/* True if the path has a node of its own in the tree: it is not new, and not in "(more paths)". */
static inline bool
in_tree(const struct tt_level *l)
{
	return l->node - TT_NODE_MORE - 1 < TT_OVER - TT_NODE_MORE - 1;
}

/*
 * A whole zone where nothing is filtered, on a path that was met before, and with few paths, so that their counts stay in
 * the cache. False, with nothing done, for others.
 */
static inline bool
quick(struct tt_fold *f, const struct tt_tree_table *known, const struct tt_event *e, struct tt_level *l, bool hist)
{
	if (unlikely(!in_tree(l) || (e->flags & (TT_F_CONT | TT_F_PIECES))))
		return false;
	l[1].hash = tt_tree_hash(l->hash, TT_NODE_ZONE, e->val);
	uint32_t node = tt_tree_lookup(known, l[1].hash, tt_tree_tag(l->node, TT_NODE_ZONE), e->val);
	struct tt_count *page = f->counts->node[node >> TT_TREE_PAGE_BITS];
	if (unlikely(node <= TT_NODE_MORE || !page))
		return false;
	struct tt_count *c = page + (node & (TT_TREE_PAGE - 1));
	if (hist) {
		uint16_t *at = likely(c->dist != NULL) ? tt_counts_bucket(f->counts, c->dist, tt_hist_bucket(e->dur), e->dur) : NULL;
		if (unlikely(!at || *at == UINT16_MAX))
			return false;
		++*at;
	}
	c->n++;
	c->total += e->dur;
	l[1].c = c;
	l[1].node = node;
	l[1].out = false;
	return true;
}

/* A zone of a path that was met before, on its way through zones(). */
struct step {
	struct tt_count *c;
	uint16_t *at;                 /* where its duration is counted */
	int64_t ts;
	uint32_t node, dur, bucket;
};

/* Count ${n} zones, and fetch where each one's duration is noted. */
static int
count_zones(struct tt_fold *f, struct step *s, size_t n, struct tt_err *err)
{
	const bool hist = f->needs & TT_NEEDS_HIST;

	for (struct step *x = s, *const end = s + n; x < end; x++) {
		struct tt_count *c = x->c;
		c->n++;
		c->total += x->dur;
		if (!hist)
			continue;
		if (unlikely(!c->dist) && !(c->dist = tt_counts_dist(f->counts, tt_tree_node(f->m->tree, x->node)->marker, err)))
			return err->code;
		x->bucket = tt_hist_bucket(x->dur);
		tt_dist_fetch(c->dist, x->bucket);
	}
	return TT_OK;
}

/* Count their durations: fetch each one's bucket, then count it. */
static int
count_durs(struct tt_fold *f, struct step *s, size_t n, struct tt_err *err)
{
	struct step *const end = s + n;
	int rc;

	for (struct step *x = s; x < end; x++) {
		x->at = tt_counts_bucket(f->counts, x->c->dist, x->bucket, x->dur);
		__builtin_prefetch(x->at, 1);
	}
	for (struct step *x = s; x < end; x++) {
		if (likely(x->at && *x->at != UINT16_MAX))
			++*x->at;
		else if ((rc = tt_counts_dur_slow(f->counts, x->c->dist, x->dur, err)) != TT_OK)
			return rc;
	}
	return TT_OK;
}

/* True if the fold does anything at such an event, whole zones apart. */
static inline bool
is_for_fold(unsigned kind)
{
	const uint64_t kinds = UINT64_C(1) << TT_ZONE_BEGIN | UINT64_C(1) << TT_ZONE_END | UINT64_C(1) << TT_ALLOC | UINT64_C(1) << TT_SAMPLE |
	    UINT64_C(1) << TT_THROW | UINT64_C(1) << TT_MONITOR | UINT64_C(1) << TT_HANDLE | UINT64_C(1) << TT_GAP;

	return kinds >> kind & 1;
}

/*
 * Whole zones where nothing is filtered, from *${from} on, which are only counted, with nothing between them that counts, before ${end}.
 * *${from}: the last one. For many paths: what they touch lies all over memory. So each step is taken for all of them before the next, and
 * what that needs is fetched meanwhile.
 */
static int
zones(struct tt_fold *f, struct tt_fold_io *io, const struct tt_tree_table *known, const struct tt_event **from, const struct tt_event *end,
    struct tt_level *base, struct tt_err *err)
{
	struct tt_count *const *const pages = f->counts->node;
	struct { const struct tt_event *e; uint64_t hash; } z[TT_FOLD_RUN + 1];
	struct step s[TT_FOLD_RUN], *x = s;
	const struct tt_span clear = f->clear;
	const bool close = f->close;
	size_t n = 0;
	int rc;

	/* Where events of no interest lie among the zones follows no pattern: so they are taken like zones of a level far above, and not kept. */
	const size_t far = io->b->n + 1;
	for (const struct tt_event *e = *from; e < end && n < TT_FOLD_RUN; e++) {
		const bool is_zone = e->kind == TT_ZONE;
		if (unlikely(is_for_fold(e->kind) || (close && is_zone && (e->ts < clear.from || e->ts + e->dur >= clear.to))))
			break;
		const size_t mask = (size_t)0 - is_zone;
		struct tt_level *l = base + ((e->depth & mask) | (far & ~mask));
		z[n].e = e;
		l[1].ahead = z[n].hash = tt_tree_hash(l->ahead, TT_NODE_ZONE, e->val);
		tt_tree_fetch(known, z[n].hash);
		n += is_zone;
	}
	*from = z[n - 1].e;
	for (size_t i = 0; i < n; i++) {
		const struct tt_event *e = z[i].e;
		struct tt_level *l = base + e->depth;
		struct tt_count *page = NULL;
		uint32_t node = 0;
		if (likely(in_tree(l) && !(e->flags & (TT_F_CONT | TT_F_PIECES)))) {
			node = tt_tree_lookup(known, z[i].hash, tt_tree_tag(l->node, TT_NODE_ZONE), e->val);
			page = node > TT_NODE_MORE ? pages[node >> TT_TREE_PAGE_BITS] : NULL;
		}
		if (unlikely(!page)) {
			if ((rc = zone(f, io, e, (size_t)(l - f->lvl), err)) != TT_OK)
				return rc;
			continue;
		}
		struct tt_count *c = page + (node & (TT_TREE_PAGE - 1));
		__builtin_prefetch(c, 1);
		l[1].c = c;
		l[1].hash = l[1].ahead = z[i].hash;
		l[1].node = node;
		l[1].out = false;
		*x++ = (struct step){ .c = c, .ts = e->ts, .node = node, .dur = e->dur };
	}
	n = (size_t)(x - s);
	rc = count_zones(f, s, n, err);
	if (rc == TT_OK && (f->needs & TT_NEEDS_HIST))
		rc = count_durs(f, s, n, err);
	for (x = s; f->sums && x < s + n && rc == TT_OK; x++)
		rc = sum_zone(f, io, x->node, x->ts, x->ts + x->dur, true, 1, err);
	return rc;
}

/* The level of the zone around ${e}, which may be too deep to say so: then it is the present one. */
static inline size_t
around(const struct tt_event *e, size_t base, size_t top)
{
	return likely(e->depth < UINT16_MAX) ? base + e->depth : top;
}

/* The end of a zone that has an event of its own for it. */
static inline int
zone_end(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t *base, size_t *top, struct tt_err *err)
{
	int rc;

	if (e->flags & TT_F_BASE) {
		rc = end_base(f, io, e, err);
		*base = *top = io->base.n;
		return rc;
	}
	if (e->depth < UINT16_MAX)
		*top = *base + e->depth + 1;
	rc = finish_begun(f, io, *top, e, err);
	--*top;
	return rc;
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
	int rc = close_base(f, io, e->flags & TT_F_BASE || e->ts < seen ? seen : e->ts, TT_F_POPPED, err);
	f->rest = false;
	return rc;
}

/* One loop with a flat switch: levels stay in registers from event to event. */
int
tt_fold_chunk(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	const struct tt_batch *b = io->b;
	const struct tt_tree_table *known = tt_tree_now(f->m->tree);
	const bool plain = f->tree && !f->filtered && !(f->close && f->close->always), few = known->mask < 4096;
	const bool hist = f->needs & TT_NEEDS_HIST, close = f->close;
	size_t n, base, top;             /* levels: of the innermost zone from before; of the present zone */
	int rc = begin(f, io, b->n, err);

	base = top = io->base.n;
	io->calls = b->n > b->nrare && any_call(b);
	for (const struct tt_event *e = b->ev, *end = e + b->n; e < end && rc == TT_OK; e++) {
		switch (e->kind) {
		case TT_ZONE:
			if (unlikely(!plain || (close && !is_zone_clear(f, e))))
				rc = zone_alone(f, io, e, base + e->depth, err);
			else if (!few)
				rc = zones(f, io, known, &e, end, &f->lvl[base], err);
			else if (!likely(quick(f, known, e, &f->lvl[base + e->depth], hist)))
				rc = zone(f, io, e, base + e->depth, err);
			else if (f->sums)
				rc = sum_zone(f, io, f->lvl[base + e->depth + 1].node, e->ts, e->ts + e->dur, true, 1, err);
			top = base + e->depth + 1;
			break;
		case TT_ZONE_BEGIN:
			n = around(e, base, top);
			top = n + 1;
			rc = step_down(f, io, n, e->val, e->ts, f->filtered && left_out_open(f, io, n, e->ts, e->val), err);
			f->lvl[top].begin = e;
			if (rc == TT_OK)
				rc = begin_slice(f, io, top, e, err);
			break;
		case TT_ZONE_END:
			rc = zone_end(f, io, e, &base, &top, err);
			break;
		case TT_ALLOC:
			n = around(e, base, top);
			rc = alloc(f, io, e, n, err);
			if (unlikely(f->needs & TT_NEEDS_FOUND) && rc == TT_OK)
				rc = add_site(f, io, e, n, err);
			break;
		case TT_SAMPLE:
			rc = sample(f, io, e, err);
			break;
		case TT_THROW:
		case TT_MONITOR:
		case TT_HANDLE:
			rc = add_site(f, io, e, around(&e[1], base, top), err);
			break;
		case TT_GAP:
			rc = gap(f, io, e, &base, &top, err);
			break;
		default:
			break;
		}
	}
	return thrown_all_over(f, io, rc, err);
}

int
tt_fold_samples(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	const struct tt_batch *b = io->b;
	int rc = TT_OK;

	f->ntrail = 0;
	io->nsite = io->nsum = 0;
	for (size_t i = 0; i < b->nrare && rc == TT_OK; i++)
		if (b->ev[b->rare[i]].kind == TT_SAMPLE)
			rc = sample(f, io, &b->ev[b->rare[i]], err);
	return rc;
}

int
tt_fold_rest(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	int rc = begin(f, io, 0, err);

	f->rest = true;
	if (rc == TT_OK)
		rc = close_base(f, io, io->base.seen_ts, TT_F_POPPED, err);
	rc = thrown_all_over(f, io, rc, err);
	f->rest = false;
	return rc;
}

void
tt_fold_free(struct tt_fold *f)
{
	tt_counts_free(f->counts);
	for (size_t i = 0; i <= TT_FOLD_KEPT; i++)
		if (f->at != &f->kept[i])
			tt_mem_free(f->mem, f->kept[i].lvl, f->kept[i].cap * sizeof *f->lvl);
	tt_mem_free(f->mem, f->lvl, f->caplvl * sizeof *f->lvl);
	tt_mem_free(f->mem, f->trail, f->captrail * sizeof *f->trail);
	tt_mem_free(f->mem, f->thrown, f->capthrown * sizeof *f->thrown);
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
	tt_mem_free(mem, io->sum, io->capsum * sizeof *io->sum);
	tt_mem_free(mem, o->node, o->cap * sizeof *o->node);
	tt_map_free(&o->at, mem);
	tt_mem_free(mem, o->late, o->caplate * sizeof *o->late);
	tt_mem_free(mem, o->map, o->capmap * sizeof *o->map);
}

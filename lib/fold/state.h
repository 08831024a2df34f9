/**
 * Shared by the files of the fold; the contract of the whole is in fold.h. Private to fold*.c.
 *
 *	fold.c         the events of a chunk in turn
 *	zones.c        whole zones, which most events are
 *	levels.c       the level of a zone: its path, and whether the filter leaves it out
 *	ends.c         a zone is over: it is counted, and becomes a slice
 *	stacks.c       allocations, samples, and where rare events happen, by recorded stack
 *	frame_sums.c   what paths do in frames
 *	flow_steps.c   steps of flows whose zone is left out
 *	overlay.c      paths that the tree does not have yet, and their commit
 *
 * All may run on any worker, with its own struct tt_fold and a chunk's struct tt_fold_io; overlay.c says what only the commit stage does.
 * An int is TT_OK, or else the error's code, with ${err} filled: TT_E_NOMEM, TT_E_LIMIT.
 */
#ifndef TT_FOLD_STATE_H
#define TT_FOLD_STATE_H

#include "collect/by_frame.h"
#include "emit/emit.h"
#include "fold/close_times.h"
#include "model/model.h"
#include "fold/fold.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* --- overlay.c ---------------------------------------------------------------- */

/* No path is new to the next chunk so far. Not in the commit, which is in order, for it takes as long as many paths did that were new to the last one. */
void tt_over_forget(struct tt_over *o);

/* Find or add the child of ${parent}; *${node} is TT_OVER | index. Adding may move the others, so nobody keeps pointers to them. */
int tt_over_child(struct tt_over *o, uint32_t parent, enum tt_node_kind kind, uint64_t key, uint32_t *node, struct tt_err *err);

/*
 * The known part of an activation's duration: all; how long it was when a zone around it, the end of the capture, or a loss cut it; or nothing, for this is
 * the rest of one that began elsewhere: after a loss, before the filter's time, or, of an Exception zone, in an earlier chunk.
 */
enum { TT_DUR_WHOLE, TT_DUR_CUT, TT_DUR_REST };

static inline int
tt_fold_count_dur(struct tt_counts *c, struct tt_dist *d, uint64_t dur, uint8_t what, struct tt_err *err)
{
	if (likely(what == TT_DUR_WHOLE))
		return tt_counts_dur(c, d, dur, err);
	d->ncut += what == TT_DUR_CUT;
	d->cut += (int64_t)dur;
	return TT_OK;
}

/* --- frame_sums.c ---------------------------------------------------------------- */

/* A zone of ${node}, that ends in this chunk, in its frames. With ${sign} -1 that time is taken from ${node}. */
int tt_fold_sum_zone(struct tt_fold *f, struct tt_fold_io *io, uint32_t node, int64_t ts, int64_t end, bool counts, int sign,
    struct tt_err *err);

/* The sum of ${frame} and ${node}, which may be one more of these two; NULL: ${err}. Until the next call. */
struct tt_frame_path *tt_fold_sum_of(struct tt_fold *f, struct tt_fold_io *io, uint32_t frame, uint32_t node, struct tt_err *err);

/* True if what lies from ${ts} to ${end} lies in no frame that is looked at closely, as far as the stretch of time at hand tells. */
static inline bool
tt_fold_is_unlooked(struct tt_fold *f, int64_t ts, int64_t end)
{
	if (unlikely(ts >= f->unlooked.to) && f->looked)
		f->unlooked = tt_close_times_between(f->looked, ts);
	return ts >= f->unlooked.from && ts < f->unlooked.to && end <= f->unlooked.to;
}

/* tt_fold_sum_zone() of a whole zone: most lie in the frame that the one before began in. */
static inline int
tt_fold_sum_whole(struct tt_fold *f, struct tt_fold_io *io, uint32_t node, int64_t ts, int64_t end, struct tt_err *err)
{
	struct tt_frame_path *s;

	if (unlikely(ts < f->in_frame.from || ts >= f->in_frame.to || end > f->in_frame.to))
		return tt_fold_is_unlooked(f, ts, end) ? TT_OK : tt_fold_sum_zone(f, io, node, ts, end, true, 1, err);
	if (unlikely(!(s = tt_fold_sum_of(f, io, (uint32_t)f->zone_frame, node, err))))
		return err->code;
	s->n++;
	s->total += end - ts;
	tt_frame_path_longest(s, end - ts, end - f->in_frame.from);
	return TT_OK;
}

/* ${n} allocations of ${node} in their frame. */
int tt_fold_sum_allocs(struct tt_fold *f, struct tt_fold_io *io, uint32_t node, int64_t ts, uint64_t n, int64_t bytes, struct tt_err *err);

/* New paths have their numbers now. "(more paths)" gets what tt_fold_commit() gives it. */
int tt_fold_number_sums(struct tt_fold_io *io, struct tt_err *err);

/* --- times of close looks ------------------------------------------------------ */

/* True if ${ts} lies in a stretch of time in which zones are only counted. Events of a chunk mostly come in the order of their times. */
static inline bool
tt_fold_is_clear(struct tt_fold *f, int64_t ts)
{
	if (unlikely(ts >= f->clear.to) && f->close)
		f->clear = tt_close_times_clear(f->close, ts);
	return ts >= f->clear.from && ts < f->clear.to;
}

/* tt_fold_is_clear() from the begin of the whole zone ${e} to its end. */
static inline bool
tt_fold_is_zone_clear(struct tt_fold *f, const struct tt_event *e)
{
	return tt_fold_is_clear(f, e->ts) && e->ts + e->dur < f->clear.to;
}

/* --- how much there is ---------------------------------------------------------- */

/* True if the pages of buckets, with all that comes with as many, are more than a second-level cache holds: then memory is what takes time. */
static inline bool
tt_fold_many(const struct tt_fold *f)
{
	return f->counts->npage >= 4096;
}

/* --- levels.c ---------------------------------------------------------------- */

/* The counter of level ${l}: until the next path is met. */
static inline struct tt_count *
tt_fold_count_of(struct tt_fold_io *io, const struct tt_level *l)
{
	return likely(l->c != NULL) ? l->c : &io->over.node[l->node & ~TT_OVER].c;
}

/* True if the path has a node of its own in the tree: it is not new, and not in "(more paths)". */
static inline bool
tt_fold_in_tree(const struct tt_level *l)
{
	return l->node - TT_NODE_MORE - 1 < TT_OVER - TT_NODE_MORE - 1;
}

/* The hash of the path of level ${l}: tt_tree_hash(). */
static inline uint64_t
tt_fold_hash_of(const struct tt_fold *f, const struct tt_level *l)
{
	return likely(tt_fold_in_tree(l)) ? tt_tree_node(f->m->tree, l->node)->hash : l->hash;
}

/* The child of ${up} for ${key} whose path has to->hash, in the tree of ${table} or the overlay; its counter is not looked for. */
static inline int
tt_fold_find(struct tt_fold_io *io, const struct tt_tree_table *table, uint32_t up, enum tt_node_kind kind, uint64_t key, struct tt_level *to,
    struct tt_err *err)
{
	uint32_t node = 0;

	to->hashed = false;
	to->c = NULL;
	if (likely(!(up & TT_OVER)))
		node = tt_tree_lookup(table, to->hash, tt_tree_tag(up, kind), tt_tree_key(kind, key));
	if (unlikely(!node))
		return tt_over_child(&io->over, up, kind, key, &to->node, err);
	to->node = node;
	return TT_OK;
}

/*
 * The child of ${from} for ${key}, in the tree or the overlay, never "(more paths)": what becomes that is known only when
 * the overlay is committed. ${to} may be ${from}.
 */
int tt_fold_descend(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *from, enum tt_node_kind kind, uint64_t key,
    struct tt_level *to, struct tt_err *err);

bool tt_fold_is_wrapper(const struct tt_fold *f, const struct tt_fold_io *io, uint64_t key);

/* True if outputs do not show the zones of ${key}: the runtime's own steps of an allocation, which stay in the tree, where passes strip them. */
static inline bool
tt_fold_veils(const struct tt_fold *f, const struct tt_fold_io *io, uint64_t key)
{
	return unlikely(tt_model_may_wrap(f->m, key)) && !f->m->filter.wrappers && tt_fold_is_wrapper(f, io, key);
}

/* True if a zone of level ${depth} is left out by its depth, in which wrappers that are not shown do not count. */
bool tt_fold_left_out(const struct tt_fold *f, size_t depth);

/* True if the filter leaves out the zone of level ${depth} that begins at ${ts}, whose end is not in sight. */
bool tt_fold_left_out_open(const struct tt_fold *f, const struct tt_fold_io *io, size_t depth, int64_t ts, uint64_t key);

/* Step down from level ${i} to level i + 1, to a zone that begins at ${ts}; ${out}: the filter leaves it out. */
int tt_fold_step_down(struct tt_fold *f, struct tt_fold_io *io, size_t i, uint64_t key, int64_t ts, bool out, struct tt_err *err);

/* --- zones.c ---------------------------------------------------------------- */

/* The whole zone ${e} of level ${up} + 1, whatever is asked for. */
int tt_fold_zone(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t up, struct tt_err *err);

/**
 * tt_fold_zones(f, io, from, end, base, top, err):
 * Whole zones in a row, from *${from} on and before ${end}: only for those that nothing is asked of but counts, where nothing is filtered. The
 * first is a zone, and clear (tt_fold_is_zone_clear). *${from} becomes the last event that was taken, *${top} the level of the last zone;
 * ${base} is the level of the zones from before the chunk.
 */
int tt_fold_zones(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event **from, const struct tt_event *end, size_t base, size_t *top,
    struct tt_err *err);

/**
 * tt_fold_slices(f, io, from, end, base, top, err):
 * The same of zones that become slices and are not counted, where none is left out, whatever its time: see writes_all() in fold.c.
 */
int tt_fold_slices(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event **from, const struct tt_event *end, size_t base, size_t *top,
    struct tt_err *err);

/* --- ends.c ------------------------------------------------------------------ */

/* The zone of level ${i} begins with ${e}, and goes on beyond what one event can hold. */
int tt_fold_begin_slice(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *e, struct tt_err *err);

/* A zone of level ${i} is over: count it, clipped to the filter's time. */
int tt_fold_finish(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, uint64_t key, unsigned flags,
    struct tt_err *err);

/* Finish a zone that began in this chunk, at ${b}, with arguments, and is over at the end of ${e}, which may be ${b}. */
int tt_fold_finish_args(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *b, const struct tt_event *e,
    struct tt_err *err);

/* A zone from an earlier chunk ends with ${e}. */
int tt_fold_end_base(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err);

/* All zones from earlier chunks end at ${ts}. */
int tt_fold_close_base(struct tt_fold *f, struct tt_fold_io *io, int64_t ts, struct tt_err *err);

/* At the end of a chunk: no exception of it goes on. Returns ${rc}, or why that failed. */
int tt_fold_thrown_over(struct tt_fold *f, struct tt_fold_io *io, int rc, struct tt_err *err);

/* --- flow_steps.c ---------------------------------------------------------------- */

/* Begin a chunk whose levels are known. Sets f->steps if flow steps may have to be placed: then it must be told each zone and each step. */
int tt_fold_steps_begin(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err);

/* The zone of level ${i} begins with ${e}, and ends at ${end}; INT64_MAX: by an event of its own. */
int tt_fold_steps_zone(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *e, int64_t end, struct tt_err *err);

/* The step ${e}; ${base}, ${top}: levels of the innermost zone from before the chunk, and of the last that began. */
int tt_fold_steps_step(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t base, size_t top, struct tt_err *err);

/* All of the chunk are known. */
void tt_fold_steps_end(struct tt_fold_io *io);

/* --- stacks.c --------------------------------------------------------------- */

/* The allocation ${e} in the zone of level ${at}, or on its recorded stack. */
int tt_fold_alloc(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t at, struct tt_err *err);

/* A stack sample; it counts at the next one, or at tt_fold_samples_end(). */
int tt_fold_sample(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err);
void tt_fold_samples_end(struct tt_fold *f);

/* Count a throw, a lock or a handle event at its place; ${at} is the level of the zone around it. */
int tt_fold_add_site(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t at, struct tt_err *err);

#endif

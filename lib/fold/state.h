/**
 * Shared by the files of lib/fold, and private to them.
 *
 *	fold.c             the life of a fold, and of a chunk: levels of the stack before it, its events, its end
 *	plain.c            the rule: what each event counts, and where; for durations (whole, cut, or the rest of one): tt_fold_add_dur() below
 *	fold_levels.c      the level of a zone: its path, and whether the filter leaves it out
 *	fast.c             the same figures sooner; can be deleted
 *	fold_exceptions.c  zones of exceptions, whose pieces count as one
 *	filtered.c         zones whose time the filter moves: hidden ones, and those of parts of the time
 *	overlay.c          paths that the tree does not have yet, and their commit
 *	slices.c           zones for emitters
 *	fold_flow_steps.c  steps of flows whose zone is left out
 *
 * All may run on any worker, with its own struct tt_fold and a chunk's struct tt_fold_io; only the commit, in overlay.c, is one chunk at a time, in order.
 * An int is TT_OK, or else the error's code, with ${err} filled: TT_E_NOMEM, TT_E_LIMIT.
 */
#ifndef TT_FOLD_STATE_H
#define TT_FOLD_STATE_H

#include "collect/by_frame.h"
#include "emit/emit.h"
#include "fold/close_times.h"
#include "fold/fold.h"
#include "model/defs.h"
#include "model/model.h"
#include "stat/num.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* A zone open on the path from the thread's root to the present one. A line of memory. */
struct tt_level {
	_Alignas(TT_MEM_LINE) struct tt_count *c;     /* NULL: the path is in the overlay */
	uint64_t hash;                /* hash of the path, if it is in the overlay: tt_fold_hash_of() */
	const struct tt_event *begin; /* for a zone that ends by an event of this chunk: its begin event */
	size_t begun;                 /* for such a zone: its index + 1 in tt_fold_io.begun; 0: it is not there */
	uint32_t node;
	uint32_t number;              /* for a zone from before the chunk: its tt_open.number */
	bool hash_is_ahead;           /* fast.c: true if ${hash_ahead} is the hash of this path */
	bool filtered;                /* true: the filter leaves the zone out; its events count in the zone around it */
	bool hidden;                  /* true: left out with all its time: a zone of the Editor's, or inside one */
	bool begins_in_range;         /* true: it begins in the filter's time; if left out, the zone around it does */
	bool hidden_wrapper;          /* true: a runtime's own step of an allocation, which outputs do not show */
	uint32_t nhidden_wrappers;    /* number of these from the root to this level */
	uint64_t hash_ahead;          /* fast.c: hash of the path at this level, maybe of a zone ahead of the present one */
};
_Static_assert(sizeof(struct tt_level) == TT_MEM_LINE, "the place of a level is a shift");

struct tt_fast;
struct tt_fast_calls;

struct tt_fold {
	struct tt_mem *mem;
	const struct tt_model *m;
	unsigned needs;
	bool counts_paths;            /* true: the call tree or histograms are needed */
	bool filters_zones;           /* see tt_fold_opts */
	bool reuses_classes;
	bool counts_wrappers;         /* true: depths without wrappers are needed, for slices or the filter */
	const struct tt_close_times *close;
	struct tt_counts *counts;
	const struct tt_fast_calls *fast;     /* NULL: the plain rule does all */
	struct tt_fast *memory;       /* fast.c's state */

	/* The chunk at hand. */
	bool is_outside;              /* true: the chunk adds no path, because it lies outside the filter's time */
	struct tt_level *level;       /* [0]: the thread; [i + 1]: a zone inside the zone of level i */
	size_t caplevel;
	size_t base, top;             /* levels: of the innermost zone from before the chunk that is open; of the present zone */
	bool has_no_end;              /* true: the zone that ends now has no end of its own: a zone around it, the end of the capture or a loss cut it */
	size_t frame;                 /* the frame of the last allocation, as a hint */
	struct tt_exception { int64_t from, to; struct tt_level level; bool has_no_end; } *exception;     /* open exceptions, with their pieces so far */
	size_t nexceptions, capexception;

	/* The chunk at hand: fold_flow_steps.c. */
	bool places_steps;            /* true: the zones of flow steps have to be found */
	bool has_begun;               /* true: a zone has begun in this chunk */
	struct tt_own { int64_t end; uint64_t key; } *own;    /* by level: end and key of its zone; end INT64_MAX: not known yet */
	uint32_t *next;               /* events of the steps that bind to the next zone */
	size_t capown, nnext, capnext;
};

/* --- overlay.c: paths new to the tree -------------------------------------------------- */

struct tt_overlay_node {
	uint64_t key;
	uint32_t parent;              /* node, or TT_OVER | place of an earlier path */
	uint8_t kind;
	struct tt_count c;
};

struct tt_overlay {
	struct tt_mem *mem;
	struct tt_overlay_node *node;
	size_t n, cap;
	struct tt_map at;             /* index in node by parent, kind and key */
	struct tt_pending_dur { uint32_t node; uint8_t kind; uint64_t dur; } *dur;    /* durations whose marker has no number yet */
	size_t ndurs, capdur;
	uint32_t *map;                /* at commit: place -> node */
	size_t capmap;
};

int tt_overlay_new(struct tt_mem *mem, struct tt_overlay **o, struct tt_err *err);
void tt_overlay_free(struct tt_overlay *o);

/* Empty the overlay before the next chunk. Not done in the commit, which is serial: it takes time in proportion to the new paths of the last chunk. */
void tt_overlay_clear(struct tt_overlay *o);

/* Find or add the child of ${parent}; *${node} is TT_OVER | place. Adding may move the nodes, so keep no pointers to them. */
int tt_overlay_child(struct tt_overlay *o, uint32_t parent, enum tt_node_kind kind, uint64_t key, uint32_t *node, struct tt_err *err);

/*
 * How much of an activation's duration is known: all; its part before a zone around it, the end of the capture, or a loss cut it; or only the rest of an
 * activation that began elsewhere: before a loss or the filter's time or, for an Exception zone, in an earlier chunk.
 */
enum tt_dur_kind { TT_DUR_WHOLE, TT_DUR_CUT, TT_DUR_REST };

/* Keep ${dur} of the new path ${node} until its marker has a number. */
int tt_overlay_add_dur(struct tt_overlay *o, uint32_t node, uint64_t dur, enum tt_dur_kind kind, struct tt_err *err);

static inline int
tt_fold_count_dur(struct tt_counts *c, struct tt_dist *d, uint64_t dur, enum tt_dur_kind kind, struct tt_err *err)
{
	if (likely(kind == TT_DUR_WHOLE))
		return tt_counts_dur(c, d, dur, err);
	d->ncut += kind == TT_DUR_CUT;
	d->cut += (int64_t)dur;
	return TT_OK;
}

/* Count ${dur} of the zone ${l} in its marker's durations; ${counts}: true if its begin counts here, too. */
static inline int
tt_fold_add_dur(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *l, uint64_t dur, bool counts, struct tt_err *err)
{
	const enum tt_dur_kind kind = likely(counts) ? (f->has_no_end ? TT_DUR_CUT : TT_DUR_WHOLE) : TT_DUR_REST;

	if (!(f->needs & TT_NEEDS_HIST))
		return TT_OK;
	return likely(l->c != NULL) ? tt_fold_count_dur(f->counts, l->c->dist, dur, kind, err) : tt_overlay_add_dur(io->overlay, l->node, dur, kind, err);
}

/*
 * Add an empty sum for ${frame} and ${node}; ${until}: 0 or, if a zone fills all frames from ${frame} on, the frame after the last of these. NULL with ${err}
 * filled. Valid until the next call.
 */
static inline struct tt_frame_path *
tt_frame_sums_add(struct tt_fold_io *io, size_t frame, size_t until, uint32_t node, struct tt_err *err)
{
	if (unlikely(io->nsum == io->capsum) && tt_mem_grow(io->overlay->mem, &io->sum, &io->capsum, io->nsum + 1, sizeof *io->sum, err) != TT_OK)
		return NULL;
	io->sum[io->nsum] = (struct tt_frame_path){ .frame = (uint32_t)frame, .node = node, .filled_until = (uint32_t)until };
	return &io->sum[io->nsum++];
}

/* --- levels and paths -------------------------------------------------------------------- */

/* The counter of level ${l}; valid until the next new path. */
static inline struct tt_count *
tt_fold_count_of(struct tt_fold_io *io, const struct tt_level *l)
{
	return likely(l->c != NULL) ? l->c : &io->overlay->node[l->node & ~TT_OVER].c;
}

/* True if the path has its own node in the tree: it is neither in the overlay nor in "(more paths)". */
static inline bool
tt_fold_is_in_tree(const struct tt_level *l)
{
	return l->node - TT_NODE_MORE - 1 < TT_OVER - TT_NODE_MORE - 1;
}

/* The hash of the path of level ${l}: tt_tree_hash(). */
static inline uint64_t
tt_fold_hash_of(const struct tt_fold *f, const struct tt_level *l)
{
	return likely(tt_fold_is_in_tree(l)) ? tt_tree_node(f->m->tree, l->node)->hash : l->hash;
}

/* Find the child of ${parent} for ${key} whose path has to->hash, in the tree of ${table} or the overlay; its counter is not looked up. */
static inline int
tt_fold_find(struct tt_fold_io *io, const struct tt_tree_table *table, uint32_t parent, enum tt_node_kind kind, uint64_t key, struct tt_level *to,
    struct tt_err *err)
{
	uint32_t node = 0;

	to->hash_is_ahead = false;
	to->c = NULL;
	if (likely(!(parent & TT_OVER)))
		node = tt_tree_lookup(table, to->hash, tt_tree_tag(parent, kind), tt_tree_key(kind, key));
	if (unlikely(!node))
		return tt_overlay_child(io->overlay, parent, kind, key, &to->node, err);
	to->node = node;
	return TT_OK;
}

bool tt_fold_is_wrapper(const struct tt_fold *f, const struct tt_fold_io *io, uint64_t key);

/* True if outputs do not show the zones of ${key}: the runtime's own steps of an allocation, which stay in the tree, where passes strip them. */
static inline bool
tt_fold_hides_wrapper(const struct tt_fold *f, const struct tt_fold_io *io, uint64_t key)
{
	return unlikely(tt_model_may_wrap(f->m, key)) && !f->m->filter.wrappers && tt_fold_is_wrapper(f, io, key);
}

/* The level of the zone around ${e}; if that is too deep for e->depth, the present level. */
static inline size_t
tt_fold_level_around(const struct tt_fold *f, const struct tt_event *e)
{
	return likely(e->depth < UINT16_MAX) ? f->base + e->depth : f->top;
}

/*
 * Count ${n} allocations in ${c}. If one allocation in n is recorded, a record of size s counts as n of them, and the variance of its bytes is
 * n (n - 1) s^2. Variances add up. The sum is clamped, so that it can be added a few more times.
 */
static inline void
tt_fold_add_allocs(struct tt_count *c, uint64_t n, int64_t bytes)
{
	const uint64_t s = (uint64_t)(bytes < 0 ? 0 : bytes);

	c->n += n;
	c->total += bytes;
	if (likely(n <= 1))
		return;
	const tt_u128 v = (tt_u128)s * s / n * (n - 1) + (uint64_t)c->self;
	c->self = v < TT_VARIANCE_MAX ? (int64_t)v : TT_VARIANCE_MAX;
}

/* --- fold_levels.c --------------------------------------------------------------------------- */

/* The level above all threads. */
extern const struct tt_level tt_fold_nowhere;

/*
 * Find or add the child of ${from} for ${key}, in the tree or the overlay, never "(more paths)": only the commit of the
 * overlay decides which paths go there. ${to} may be ${from}.
 */
int tt_fold_descend(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *from, enum tt_node_kind kind, uint64_t key, struct tt_level *to,
    struct tt_err *err);

/* Find or add the level of a recorded stack, outermost frame first, below its own root for ${thread}, which is below ${top}. */
int tt_fold_descend_stack(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *top, enum tt_node_kind root, uint32_t thread,
    const uint64_t *frame, size_t nframes, struct tt_level *to, struct tt_err *err);

/* The level above the recorded stack of an allocation in the zone of level ${around}: that zone, if zones are not methods; else none. */
static inline const struct tt_level *
tt_fold_stack_top(const struct tt_fold *f, const struct tt_fold_io *io, size_t around)
{
	return around > 0 && io->cap->code_alone ? &f->level[around] : &tt_fold_nowhere;
}

/* The class that ${e} allocates. */
static inline uint64_t
tt_fold_class(const struct tt_fold *f, const struct tt_fold_io *io, const struct tt_event *e)
{
	return unlikely(f->reuses_classes) ? tt_defs_alias(io->cap->defs, e->val, e->ts - io->cap->offset_ns) : e->val;
}

/* True if the filter's depth leaves out zones inside the zone of level ${i}; hidden wrappers do not count as depth. */
bool tt_fold_is_too_deep(const struct tt_fold *f, size_t i);

/* Set level i + 1 to a zone that begins at ${ts} inside level ${i}; ${filtered}: true if the filter leaves it out. */
int tt_fold_enter(struct tt_fold *f, struct tt_fold_io *io, size_t i, uint64_t key, int64_t ts, bool filtered, struct tt_err *err);

/* The same for a zone whose end is not known yet; find out whether the filter leaves it out. */
int tt_fold_enter_open(struct tt_fold *f, struct tt_fold_io *io, size_t i, uint64_t key, int64_t ts, struct tt_err *err);

/* --- plain.c: the rule --------------------------------------------------------------------- */

/* Fold the event ${e} of the chunk; f->base and f->top become the levels after it. */
int tt_fold_event(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err);

/* Fold the TT_ZONE ${e}. */
int tt_fold_zone(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err);

/* Count a stack sample. */
int tt_fold_sample(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err);

/* Note where a throw, a lock or a handle event happens: on its recorded stack, else in the zone of level ${around}. */
int tt_fold_add_site(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t around, struct tt_err *err);

/* Count the allocation ${e} in the path ${l}; ${by_frame}: also in the sums of its frame. */
int tt_fold_count_alloc(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, const struct tt_level *l, bool by_frame, struct tt_err *err);

/* Add the part of this zone inside each frame to the frame's sum for ${node}; with ${sign} = -1 subtract it. */
int tt_fold_sum_zone(struct tt_fold *f, struct tt_fold_io *io, uint32_t node, int64_t ts, int64_t end, bool counts, int sign, struct tt_err *err);

/* Close all zones from before the chunk, at ${ts}, without an end of their own. */
int tt_fold_close_base(struct tt_fold *f, struct tt_fold_io *io, int64_t ts, struct tt_err *err);

/* --- fast.c: what it does in place of the plain rule ---------------------------------------- */

struct tt_fast_calls {
	int (*new)(struct tt_fold *f, struct tt_err *err);
	void (*free)(struct tt_fold *f);
	/* Forget the caches that are valid for one chunk only. */
	void (*forget)(struct tt_fold *f);
	/* Set f->level and f->caplevel for a chunk. Returns how many zones from before have their levels there already. */
	size_t (*begin)(struct tt_fold *f, const struct tt_fold_io *io);
	/* Fold all events of the chunk. */
	int (*events)(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err);
	/* Faster steps for the events that are left to plain.c: tt_fold_descend_stack(); the first frame of [first, last) that ends after ${ts}; the sum of a
	   frame and a path, which may exist already. */
	int (*stack)(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *top, enum tt_node_kind root, uint32_t thread, const uint64_t *frame,
	    size_t nframes, struct tt_level *to, struct tt_err *err);
	size_t (*first_frame)(struct tt_fold *f, size_t first, size_t last, int64_t ts);
	struct tt_frame_path *(*sum)(struct tt_fold *f, struct tt_fold_io *io, size_t frame, uint32_t node, struct tt_err *err);
};

/* Not defined, and not used, if fast.c is deleted. */
extern const struct tt_fast_calls tt_fast_calls;

/* The sum of ${frame} and ${node}: a new one, unless it is cached; NULL with ${err} filled. Valid until the next call. */
static inline struct tt_frame_path *
tt_fold_sum_of(struct tt_fold *f, struct tt_fold_io *io, size_t frame, uint32_t node, struct tt_err *err)
{
	return f->fast ? f->fast->sum(f, io, frame, node, err) : tt_frame_sums_add(io, frame, 0, node, err);
}

/* --- fold_exceptions.c ----------------------------------------------------------------------------- */

/* Count the piece of an Exception zone at level ${l}. */
int tt_exceptions_piece(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *l, int64_t ts, int64_t end, unsigned flags, struct tt_err *err);

/* Count all open exceptions at the end of a chunk. Returns ${rc}, or the error of that. */
int tt_exceptions_end(struct tt_fold *f, struct tt_fold_io *io, int rc, struct tt_err *err);

/* --- filtered.c --------------------------------------------------------------------------------- */

/* True if the zone of ${key} in the zone of level ${i} is hidden. */
bool tt_filtered_is_hidden(const struct tt_fold *f, const struct tt_fold_io *io, size_t i, uint64_t key);

/* End a hidden zone of level ${i}: take its time out of the zones around it. */
int tt_filtered_end_hidden(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, struct tt_err *err);

/*
 * End a zone of level ${i} that counts whole in the part of the time in which it begins; ${dur}: its time in all parts together. That time is not self time of
 * the zone around it, in whichever part that begins, so that the sums of all parts are those of the whole.
 */
int tt_filtered_count_whole(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t dur, bool counts, struct tt_err *err);

/* --- slices.c ----------------------------------------------------------------------------------- */

/* Begin the zone of level ${i} with ${e}, which ends by an event of its own or in a later chunk. */
int tt_fold_slice_begin(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *e, struct tt_err *err);

/* Make a slice of a zone of level ${i} that the filter shows. */
int tt_fold_slice_add(struct tt_fold *f, struct tt_fold_io *io, size_t i, int64_t ts, int64_t end, uint64_t key, unsigned flags, struct tt_err *err);

/* Give the arguments ${a} to the slice made since there were ${before} slices, if there is one. */
int tt_fold_slice_args(struct tt_fold *f, struct tt_fold_io *io, size_t before, const struct tt_args *a, struct tt_err *err);

/* End a zone of level ${i} that tt_fold_slice_begin() began; the slice made since there were ${before} slices, if there is one, is its end. */
void tt_fold_slice_end(const struct tt_fold *f, struct tt_fold_io *io, size_t i, size_t before);

/* --- fold_flow_steps.c -------------------------------------------------------------------------------- */

/* Begin a chunk whose levels are known. Sets f->places_steps: if true, call tt_flow_steps_zone() and tt_flow_steps_step() for each zone and step. */
int tt_flow_steps_begin(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err);

/* Note the zone of level ${i}, which begins with ${e} and ends at ${end}; INT64_MAX: by an event of its own. */
int tt_flow_steps_zone(struct tt_fold *f, struct tt_fold_io *io, size_t i, const struct tt_event *e, int64_t end, struct tt_err *err);

/* Find out whether the zone of the step ${e} is left out. */
int tt_flow_steps_step(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err);

/* Finish a chunk: sort the steps that are left out. */
void tt_flow_steps_end(struct tt_fold_io *io);

#endif

/**
 * The figures of plain.c, sooner. Most events are whole zones, and most of these are only counted; most of the time goes into finding their counters. So:
 *
 *	remembered   few paths: a cache by node and key has the place of each path's counters (struct place)
 *	predicted    many paths, for which the cache would miss as often as the counters: after a zone mostly comes the zone that came after it the last
 *	             time (struct tt_link); comparing node and key detects a miss
 *	looked up    predictions that mostly miss: zones are looked up in runs, and the memory of each step is prefetched for the whole run
 *	written      zones that emitters write and nobody counts become slices at once
 *
 * Levels of deep stacks, recorded stacks, and the sums of a chunk's frames are cached, too. All other events are left to plain.c. Without this file
 * the program works, with the same figures.
 */
#include "fold/state.h"

#include "base/order.h"

/* Levels of stacks deeper than DEEP_LEVELS are kept, for KEPT_STACKS threads: else tens of thousands of levels are walked again in each chunk. */
enum { DEEP_LEVELS = 256, KEPT_STACKS = 8, PLACE_BITS = 11, STACKS = 256, SUMS = 256 };

/* Levels of a thread with a deep stack, kept for its next chunk. The zones' numbers show which levels have changed since. */
struct kept {
	struct tt_level *level;
	size_t cap, n;                /* n: levels of zones that were open before the thread's last chunk */
	uint32_t thread;
	uint64_t used;                /* order of its last use */
};

/* A cache entry: the counters of a path in the tree, by the node above it and its key. Most zones and allocations hit one. */
struct place {
	uint64_t key;
	struct tt_count *c;
	struct tt_dist *dist;         /* durations of a zone's marker */
	uint32_t tag;                 /* tt_tree_tag() of the node above; 0: the entry is empty */
	uint32_t node;
};

/* A frame of the recorded stack that came last in the chunk: frames that the next stack shares with it are not looked up again. */
struct step {
	uint64_t key;                 /* key of the frame; in the first step, of the stack's root */
	struct tt_level l;
};

/* A class allocated on a recorded stack, met in the chunk: a reader gives equal stacks the same words. */
struct stack_class {
	uint64_t chunk;               /* number of the chunk that the entry is for */
	uint64_t key, first, hash;
	uint64_t above;               /* hash of the path that the stack is below */
	struct tt_count *c;           /* as in tt_level */
	uint32_t n, node;
};

/* A cache entry: the place of the chunk's sum for a frame and a path. */
struct sum_place { uint64_t chunk; uint32_t frame, node; size_t at; };

struct tt_fast {
	uint64_t nchunks;             /* chunks begun so far */
	struct kept kept[KEPT_STACKS + 1], *at;       /* levels in use: one of ${kept}, of which the first is for stacks that are not deep */
	uint64_t nuses;

	struct place *place;          /* cache of 1 << PLACE_BITS entries, direct-mapped; NULL: not used so far */
	struct prediction { size_t nzones, nmisses; bool is_off; } prediction;        /* hits and misses since the last decision */
	struct tt_link *last;         /* link of the TT_ZONE counted last; NULL: none */
	struct tt_link *last_alloc;   /* link of the allocation counted last in a zone */

	struct step *step;            /* the recorded stack that came last; ${root}: the kind of its root */
	size_t nsteps, capstep;
	enum tt_node_kind root;
	uint64_t above;               /* hash of the path that this stack is below */
	struct tt_count *sample;      /* counter of the last sample, which is not counted yet; NULL: none */
	struct stack_class stack_class[STACKS];

	/* Spans at the present time of the chunk, or the next: in which zones are only counted; in which no frame is examined. Empty: there is none. */
	struct tt_span clear, unlooked;
	bool is_mixed;                /* true: ${clear} does not cover all of the chunk */
	bool is_inside;               /* true: all of the chunk lies in the filter's time */
	bool sums;                    /* true: zones of the chunk are summed up by frame */
	size_t zone_frame;            /* the frame that the last zone began in */
	struct tt_span zone_time;     /* the time of that frame */
	struct tt_span in_frame;      /* zone_time, if the frame is examined and the chunk has had a zone in it; else empty */
	struct sum_place sum[SUMS];
};
static const struct tt_span no_time = { INT64_MAX, INT64_MIN };

static int
new_fast(struct tt_fold *f, struct tt_err *err)
{
	return (f->memory = tt_mem_alloc(f->mem, sizeof *f->memory, err)) ? TT_OK : err->code;
}

static void
free_fast(struct tt_fold *f)
{
	struct tt_fast *fast = f->memory;

	if (!fast)
		return;
	for (size_t i = 0; i <= KEPT_STACKS; i++)
		if (fast->at != &fast->kept[i])
			tt_mem_free(f->mem, fast->kept[i].level, fast->kept[i].cap * sizeof *f->level);
	tt_mem_free_lines(f->mem, fast->place, sizeof *fast->place << PLACE_BITS);
	tt_mem_free(f->mem, fast->step, fast->capstep * sizeof *fast->step);
	tt_mem_free(f->mem, fast, sizeof *fast);
}

/* --- a chunk begins ----------------------------------------------------------------------- */

static void
forget_chunk(struct tt_fold *f)
{
	f->memory->nsteps = 0;
	f->memory->nchunks++;
	f->memory->in_frame = no_time;
}

/* Choose the kept levels for this thread: its own, or the least recently used ones. */
static struct kept *
choose_levels(struct tt_fast *fast, const struct tt_fold_io *io)
{
	struct kept *k = &fast->kept[1];

	if (io->base.n <= DEEP_LEVELS)
		return &fast->kept[0];
	for (size_t i = 1; i <= KEPT_STACKS; i++) {
		if (fast->kept[i].n > 0 && fast->kept[i].thread == io->thread->index) {
			k = &fast->kept[i];
			break;
		}
		if (fast->kept[i].used < k->used)
			k = &fast->kept[i];
	}
	if (k->thread != io->thread->index)
		k->n = 0;
	k->thread = io->thread->index;
	k->used = ++fast->nuses;
	return k;
}

/* Use the levels ${k}. Return how many zones from before still have valid levels there: if one has, all around it have. */
static size_t
use_levels(struct tt_fold *f, const struct tt_fold_io *io, struct kept *k)
{
	struct tt_fast *fast = f->memory;
	size_t n = k == fast->kept ? 0 : k->n < io->base.n ? k->n : io->base.n;

	if (fast->at != k) {
		if (fast->at) {
			fast->at->level = f->level;
			fast->at->cap = f->caplevel;
		}
		fast->at = k;
		f->level = k->level;
		f->caplevel = k->cap;
	}
	k->n = io->base.n;
	/* A path that was new to the tree then has a node by now, so its level is not valid. */
	return tt_lower_bound(i, 0, n, f->level[i + 1].number == io->base.z[i].number && (f->level[i + 1].c || !f->counts_paths));
}

/* Set the spans in which zones of the chunk are only counted, and not summed up by frame. */
static void
set_times(struct tt_fold *f, const struct tt_batch *b)
{
	const struct tt_close_times *close = f->close;
	const int64_t last = b->nstack && b->stack_ts > b->max_ts ? b->stack_ts : b->max_ts;
	struct tt_fast *fast = f->memory;

	fast->clear = (struct tt_span){ INT64_MIN, INT64_MAX };
	if (close && tt_close_times_any(close))
		fast->clear = b->min_ts <= last ? tt_close_times_clear(close, b->min_ts) : (struct tt_span){ INT64_MIN, INT64_MIN };
	fast->is_mixed = close && tt_close_times_any(close) && (b->min_ts < fast->clear.from || last >= fast->clear.to);
	fast->is_inside = tt_filter_covers(&f->m->filter, b->min_ts, last);
	fast->sums = close && close->sums;
	fast->unlooked = no_time;
	if (close && close->looked.n) {
		fast->unlooked = tt_close_times_between(&close->looked, b->min_ts);
		fast->sums = b->min_ts < fast->unlooked.from || last >= fast->unlooked.to;
	}
}

static size_t
begin_chunk(struct tt_fold *f, const struct tt_fold_io *io)
{
	set_times(f, io->b);
	return use_levels(f, io, choose_levels(f->memory, io));
}

/* True if ${ts} lies in a span in which zones are only counted. Events of a chunk mostly come in the order of their times. */
static inline bool
is_clear(struct tt_fast *fast, const struct tt_close_times *close, int64_t ts)
{
	if (unlikely(ts >= fast->clear.to) && close)
		fast->clear = tt_close_times_clear(close, ts);
	return ts >= fast->clear.from && ts < fast->clear.to;
}

/* True if all of the TT_ZONE ${e} lies in such a span. */
static inline bool
is_zone_clear(struct tt_fast *fast, const struct tt_close_times *close, const struct tt_event *e)
{
	return is_clear(fast, close, e->ts) && e->ts + e->dur < fast->clear.to;
}

/* True if the pages of buckets, and the data that comes with them, exceed a second-level cache: then memory latency dominates. */
static inline bool
exceeds_cache(const struct tt_fold *f)
{
	return f->counts->npage >= 4096;
}

/* --- frames ---------------------------------------------------------------------------------- */

static struct tt_frame_path *
sum_of(struct tt_fold *f, struct tt_fold_io *io, size_t frame, uint32_t node, struct tt_err *err)
{
	struct tt_fast *fast = f->memory;
	struct sum_place *s = &fast->sum[(node * 31 + (uint32_t)frame) % SUMS];

	if (s->chunk != fast->nchunks || s->frame != frame || s->node != node) {
		if (!tt_frame_sums_add(io, frame, 0, node, err))
			return NULL;
		*s = (struct sum_place){ fast->nchunks, (uint32_t)frame, node, io->nsum - 1 };
	}
	return &io->sum[s->at];
}

/* The first frame in [${first}, ${last}) that ends after ${ts}: mostly the frame of the zone before, or the next frame. */
static size_t
first_frame(struct tt_fold *f, size_t first, size_t last, int64_t ts)
{
	const struct tt_frames *t = f->m->frames;
	struct tt_fast *fast = f->memory;
	size_t at = fast->zone_frame;

	if (at < first || at >= last || ts < fast->zone_time.from || ts >= fast->zone_time.to) {
		const bool is_after = fast->zone_time.from < fast->zone_time.to && ts >= fast->zone_time.to;
		const bool is_next = is_after && at >= first && at + 1 < last && tt_frames_end(t, at + 1) > ts;

		at = fast->zone_frame = is_next ? at + 1 : tt_lower_bound(i, first, last, tt_frames_end(t, i) <= ts);
		fast->zone_time = at < last ? (struct tt_span){ tt_frames_start(t, at), tt_frames_end(t, at) } : no_time;
	}
	fast->in_frame = at < last && tt_frames_has_examined(t, at, at + 1) ? fast->zone_time : no_time;
	return at;
}

/* True if the span of time at hand shows that no examined frame overlaps ${ts} to ${end}. */
static inline bool
is_unlooked(struct tt_fold *f, int64_t ts, int64_t end)
{
	struct tt_fast *fast = f->memory;

	if (unlikely(ts >= fast->unlooked.to) && f->close->looked.n)
		fast->unlooked = tt_close_times_between(&f->close->looked, ts);
	return ts >= fast->unlooked.from && ts < fast->unlooked.to && end <= fast->unlooked.to;
}

/* tt_fold_sum_zone() for a TT_ZONE: most lie in the frame in which the zone before began. */
static inline int
sum_whole(struct tt_fold *f, struct tt_fold_io *io, uint32_t node, int64_t ts, int64_t end, struct tt_err *err)
{
	const struct tt_fast *fast = f->memory;
	struct tt_frame_path *s;

	if (unlikely(ts < fast->in_frame.from || ts >= fast->in_frame.to || end > fast->in_frame.to))
		return is_unlooked(f, ts, end) ? TT_OK : tt_fold_sum_zone(f, io, node, ts, end, true, 1, err);
	if (unlikely(!(s = sum_of(f, io, fast->zone_frame, node, err))))
		return err->code;
	s->n++;
	s->total += end - ts;
	tt_frame_path_longest(s, end - ts, end - fast->in_frame.from);
	return TT_OK;
}

/* --- whole zones ------------------------------------------------------------------------------- */

/* True if the fold handles events of this kind; TT_ZONE is not asked about. */
static inline bool
is_for_fold(unsigned kind)
{
	const uint64_t kinds = UINT64_C(1) << TT_ZONE_BEGIN | UINT64_C(1) << TT_ZONE_END | UINT64_C(1) << TT_ALLOC | UINT64_C(1) << TT_SAMPLE |
	    UINT64_C(1) << TT_THROW | UINT64_C(1) << TT_MONITOR | UINT64_C(1) << TT_HANDLE | UINT64_C(1) << TT_GAP;

	return kinds >> kind & 1;
}

/*
 * After a missed prediction from ${last}: look up the path of ${e} below level ${l}, and predict it from now on. Returns its node; 0: the path is
 * new to the tree or to this worker, or ${e} is a piece of a zone or has no end of its own.
 */
static __attribute__((noinline)) uint32_t
find_missed(struct tt_fold *f, struct tt_link *last, const struct tt_event *e, const struct tt_level *l)
{
	if (unlikely(!tt_fold_is_in_tree(l) || (e->flags & TT_F_ODD)))
		return 0;
	const uint64_t hash = tt_tree_hash(tt_fold_hash_of(f, l), TT_NODE_ZONE, e->val);
	const uint32_t node = tt_tree_find(f->m->tree, hash, l->node, TT_NODE_ZONE, e->val);
	struct tt_count_page *page = f->counts->node[node >> TT_TREE_PAGE_BITS];
	const uint32_t at = node & (TT_TREE_PAGE - 1);

	if (unlikely(node <= TT_NODE_MORE || !page || (!page->c[at].dist && (f->needs & TT_NEEDS_HIST))))
		return 0;
	page->link[at].key = e->val;
	page->link[at].up = l->node;
	return last->next = node;
}

/*
 * Durations are queued while the memory that they touch is prefetched. With many paths, distributions and buckets lie all over memory: distributions are
 * prefetched for the whole queue, then buckets.
 */
enum { QUEUE = 32, MAX_QUEUE = 64 };
struct queued {
	struct tt_dist *d;
	uint16_t *at;
	uint32_t dur, bucket;
};

static inline void
queue_dur(struct queued *w, struct tt_dist *d, uint32_t dur)
{
	w->d = d;
	w->dur = dur;
	w->bucket = tt_hist_bucket(dur);
	__builtin_prefetch(d, 1);
	__builtin_prefetch(&d->page[w->bucket / TT_HIST_PAGE]);
}

static __attribute__((noinline)) int
count_queued(struct tt_counts *c, struct queued *w, size_t n, struct tt_err *err)
{
	struct queued *const end = w + n;

	for (struct queued *x = w; x < end; x++) {
		x->at = tt_counts_page(c, x->d->page[x->bucket / TT_HIST_PAGE]) + x->bucket % TT_HIST_PAGE;
		__builtin_prefetch(x->at, 1);
	}
	for (struct queued *x = w; x < end; x++) {
		if (likely(tt_dist_takes(x->d, x->at, x->dur)))
			++*x->at;
		else if (tt_counts_dur_slow(c, x->d, x->dur, err) != TT_OK)
			return err->code;
	}
	return TT_OK;
}

/* The loops of predicted_zones(): counts and histograms; the same, with sums by frame; everything else. */
enum zone_loop { LOOP_HISTOGRAMS, LOOP_HISTOGRAMS_AND_FRAMES, LOOP_GENERIC };

/* Count the zone ${e} at its level ${l}. */
static inline __attribute__((always_inline)) int
count(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *l, const struct tt_event *e, const enum zone_loop loop, struct queued *w,
    size_t *n, struct tt_err *err)
{
	int rc = TT_OK;

	l->c->n++;
	l->c->total += e->dur;
	if (loop == LOOP_HISTOGRAMS || loop == LOOP_HISTOGRAMS_AND_FRAMES) {
		queue_dur(&w[*n], l->c->dist, e->dur);
		if (++*n == QUEUE) {
			*n = 0;
			rc = count_queued(f->counts, w, QUEUE, err);
		}
	} else if (f->needs & TT_NEEDS_HIST) {
		rc = tt_counts_dur(f->counts, l->c->dist, e->dur, err);
	}
	if ((loop == LOOP_HISTOGRAMS_AND_FRAMES || (loop == LOOP_GENERIC && f->memory->sums)) && rc == TT_OK)
		rc = sum_whole(f, io, l->node, e->ts, e->ts + (int64_t)e->dur, err);
	return rc;
}

/*
 * After PREDICTION_WINDOW_ZONES zones decide whether predictions, or the cache of places, hit; if not, LOOKUP_PHASE_ZONES zones are looked up, or
 * PREDICTION_PHASE_ZONES predicted, before the next try.
 */
enum { PREDICTION_WINDOW_ZONES = 4096, LOOKUP_PHASE_ZONES = 1 << 18, PREDICTION_PHASE_ZONES = 1 << 21 };

/* Count ${nzones} more zones with ${nmisses} misses; after PREDICTION_WINDOW_ZONES zones decide whether to go on predicting. */
static inline void
record_predictions(struct tt_fast *fast, size_t nzones, size_t nmisses)
{
	fast->prediction.nzones += nzones;
	fast->prediction.nmisses += nmisses;
	if (fast->prediction.nzones >= PREDICTION_WINDOW_ZONES)
		fast->prediction = (struct prediction){ .is_off = fast->prediction.nmisses > fast->prediction.nzones / 8 };
}

/* While prediction is off, count ${nzones} more zones; try again after ${retry_after}. */
static inline void
count_unpredicted(struct tt_fast *fast, size_t nzones, size_t retry_after)
{
	fast->prediction.nzones += nzones;
	if (fast->prediction.nzones >= retry_after)
		fast->prediction = (struct prediction){ 0 };
}

static inline __attribute__((always_inline)) int
predicted_zones(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event **from, const struct tt_event *end, const enum zone_loop loop,
    struct tt_err *err)
{
	struct tt_fast *const fast = f->memory;
	struct tt_count_page *const *const pages = f->counts->node;
	struct tt_link *last = fast->last ? fast->last : pages[0]->link;
	struct tt_level *const levels = &f->level[f->base], *l = levels;
	const struct tt_span clear = fast->clear;
	const struct tt_event *e;
	struct queued w[QUEUE];
	size_t n = 0, nmisses = 0;
	int rc = TT_OK;

	for (e = *from; e < end; e++) {
		if (unlikely(e->kind != TT_ZONE)) {
			if (is_for_fold(e->kind))
				break;
			continue;
		}
		if (loop == LOOP_GENERIC && fast->is_mixed && (e->ts < clear.from || e->ts + e->dur >= clear.to))
			break;
		l = levels + e->depth;
		uint32_t node = last->next;
		struct tt_count_page *page = pages[node >> TT_TREE_PAGE_BITS];
		struct tt_link *link = &page->link[node & (TT_TREE_PAGE - 1)];
		if (unlikely(link->key != e->val || link->up != l->node || (e->flags & TT_F_ODD))) {
			nmisses++;
			if (!(node = find_missed(f, last, e, l))) {
				if ((rc = tt_fold_zone(f, io, e, err)) != TT_OK)
					break;
				continue;
			}
			page = pages[node >> TT_TREE_PAGE_BITS];
			link = &page->link[node & (TT_TREE_PAGE - 1)];
		}
		last = link;
		l[1].c = &page->c[node & (TT_TREE_PAGE - 1)];
		l[1].node = node;
		l[1].filtered = l[1].hash_is_ahead = false;
		if (unlikely((rc = count(f, io, &l[1], e, loop, w, &n, err)) != TT_OK))
			break;
	}
	if (fast->prediction.is_off)
		count_unpredicted(fast, (size_t)(e - *from), PREDICTION_PHASE_ZONES);
	else if (exceeds_cache(f))
		record_predictions(fast, (size_t)(e - *from), nmisses);
	*from = e - 1;
	f->top = (size_t)(l - f->level) + 1;
	fast->last = last;
	return (loop == LOOP_HISTOGRAMS || loop == LOOP_HISTOGRAMS_AND_FRAMES) && rc == TT_OK ? count_queued(f->counts, w, n, err) : rc;
}

static inline struct place *
place_of(struct place *places, uint32_t tag, uint64_t key)
{
	return &places[(key * UINT64_C(0xC2B2AE3D27D4EB4F) + tag * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - PLACE_BITS)];
}

/* Cache the path of ${key} below level ${l} at ${p}. False if the path is new to the tree or to this worker. */
static __attribute__((noinline)) bool
remember(const struct tt_fold *f, struct place *p, const struct tt_level *l, enum tt_node_kind kind, uint64_t key)
{
	if (unlikely(!tt_fold_is_in_tree(l)))
		return false;
	const uint64_t hash = tt_tree_hash(tt_fold_hash_of(f, l), kind, key);
	const uint32_t node = tt_tree_find(f->m->tree, hash, l->node, kind, key);
	struct tt_count_page *page = f->counts->node[node >> TT_TREE_PAGE_BITS];
	struct tt_count *c = page ? &page->c[node & (TT_TREE_PAGE - 1)] : NULL;

	if (unlikely(node <= TT_NODE_MORE || !c || (kind == TT_NODE_ZONE && !c->dist && (f->needs & TT_NEEDS_HIST))))
		return false;
	*p = (struct place){ .key = key, .c = c, .dist = c->dist, .tag = tt_tree_tag(l->node, kind), .node = node };
	return true;
}

/* Count the allocation ${e} in the zone of level ${l} by the cache. False: it needs the slow path. */
static inline bool
count_alloc_at_place(const struct tt_fold *f, struct place *places, const struct tt_level *l, const struct tt_event *e)
{
	struct place *p = place_of(places, tt_tree_tag(l->node, TT_NODE_ALLOC), e->val);

	if (unlikely(p->key != e->val || p->tag != tt_tree_tag(l->node, TT_NODE_ALLOC)) && !remember(f, p, l, TT_NODE_ALLOC, e->val))
		return false;
	p->c->n++;
	p->c->total += e->dur;
	return true;
}

/* The cache entry at which the TT_ZONE ${e} below level ${l} is counted; NULL: it needs the slow path. A miss adds 1 to *${nmisses}. */
static inline const struct place *
zone_place(const struct tt_fold *f, struct place *places, const struct tt_level *l, const struct tt_event *e, size_t *nmisses)
{
	struct place *p = place_of(places, l->node, e->val);
	const bool odd = e->flags & TT_F_ODD;

	if (likely(p->key == e->val && p->tag == l->node && !odd))
		return p;
	++*nmisses;
	return !odd && remember(f, p, l, TT_NODE_ZONE, e->val) ? p : NULL;
}

/*
 * Count zones and allocations of few paths by the cache of places, if only counts are needed, and with ${hist} histograms. Predictions would be worse: 22 in
 * 100 missed.
 */
static inline __attribute__((always_inline)) int
remembered_zones(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event **from, const struct tt_event *end, const bool hist, struct tt_err *err)
{
	struct tt_fast *const fast = f->memory;
	const bool allocs = fast->is_inside && !f->reuses_classes && !(f->needs & (TT_NEEDS_BY_FRAME | TT_NEEDS_FRAMED | TT_NEEDS_FOUND));
	struct tt_level *const levels = &f->level[f->base], *l = levels;
	const struct tt_event *e;
	size_t nmisses = 0;
	int rc = TT_OK;

	if (unlikely(!fast->place) && !(fast->place = tt_mem_alloc_lines(f->mem, sizeof *fast->place << PLACE_BITS, err)))
		return err->code;
	struct place *const places = fast->place;
	struct tt_counts *const counts = f->counts;
	for (e = *from; e < end; e++) {
		if (unlikely(e->kind != TT_ZONE)) {
			if (e->kind == TT_ALLOC && allocs && !e->flags && e->depth < UINT16_MAX && count_alloc_at_place(f, places, levels + e->depth, e))
				continue;
			if (is_for_fold(e->kind))
				break;
			continue;
		}
		l = levels + e->depth;
		const struct place *p = zone_place(f, places, l, e, &nmisses);
		if (unlikely(!p)) {
			if ((rc = tt_fold_zone(f, io, e, err)) != TT_OK)
				break;
			continue;
		}
		l[1].c = p->c;
		l[1].node = p->node;
		l[1].filtered = l[1].hash_is_ahead = false;
		p->c->n++;
		p->c->total += e->dur;
		if (hist && unlikely((rc = tt_counts_dur(counts, p->dist, e->dur, err)) != TT_OK))
			break;
	}
	/* Fewer paths mostly fit into the cache, and each misses only once. */
	if (tt_tree_count(f->m->tree) > 2 << PLACE_BITS)
		record_predictions(fast, (size_t)(e - *from), nmisses);
	*from = e - 1;
	f->top = (size_t)(l - f->level) + 1;
	return rc;
}

/* The zones of a run in looked_up_zones(): at first with the hashes of their paths, then with their counters. */
struct wanted { const struct tt_event *e; uint64_t hash; };
struct found { struct tt_count *c; const struct tt_event *e; uint32_t node; };

/* Collect a run of zones from ${e} on in ${z}, with the hashes of their paths, and prefetch their slots in the tree. Returns the end of the run. */
static struct wanted *
fetch_paths_of_zones(struct tt_fold *f, const struct tt_event *e, const struct tt_event *end, struct tt_level *levels, struct wanted *z)
{
	const struct tt_tree_table *known = tt_tree_now(f->m->tree);
	const struct tt_fast *fast = f->memory;
	const struct tt_span clear = fast->clear;
	struct wanted *zend = z;
	size_t deep = SIZE_MAX;

	for (; e < end && zend < z + MAX_QUEUE; e++) {
		if (e->kind != TT_ZONE) {
			if (is_for_fold(e->kind))
				break;
			continue;
		}
		if (unlikely(fast->is_mixed) && (e->ts < clear.from || e->ts + e->dur >= clear.to))
			break;
		struct tt_level *l = levels + e->depth;
		/* The zone around a deeper one is in this run, which has set its hash. */
		if (e->depth < deep) {
			deep = e->depth;
			if (unlikely(!l->hash_is_ahead))
				l->hash_ahead = tt_fold_hash_of(f, l);
			l->hash_is_ahead = true;
		}
		zend->e = e;
		l[1].hash_ahead = zend->hash = tt_tree_hash(l->hash_ahead, TT_NODE_ZONE, e->val);
		l[1].hash_is_ahead = true;
		tt_tree_fetch(known, (zend++)->hash);
	}
	return zend;
}

/* Count the zones from ${x} to ${end}, whose counters are prefetched. */
static int
count_found(struct tt_fold *f, struct tt_fold_io *io, const struct found *x, const struct found *end, struct tt_err *err)
{
	struct queued w[MAX_QUEUE], *queue = w;
	int rc = TT_OK;

	for (const struct found *at = x; at < end; at++) {
		struct tt_count *c = at->c;

		c->n++;
		c->total += at->e->dur;
		if (unlikely(!c->dist) && !(c->dist = tt_counts_dist(f->counts, tt_tree_node(f->m->tree, at->node)->marker, err)))
			return err->code;
		queue_dur(queue++, c->dist, at->e->dur);
	}
	for (; f->memory->sums && x < end && rc == TT_OK; x++)
		rc = sum_whole(f, io, x->node, x->e->ts, x->e->ts + (int64_t)x->e->dur, err);
	return rc == TT_OK ? count_queued(f->counts, w, (size_t)(queue - w), err) : rc;
}

/*
 * Count a run of zones by look-ups, for many paths of which predictions mostly miss. Their data lies all over memory, so each step is taken for the whole run,
 * while the memory of the next step is prefetched. The place of a path in the tree follows from its keys alone.
 */
static int
looked_up_zones(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event **from, const struct tt_event *end, struct tt_err *err)
{
	const struct tt_tree_table *known = tt_tree_now(f->m->tree);
	struct tt_level *const levels = &f->level[f->base];
	struct wanted z[MAX_QUEUE], *const zend = fetch_paths_of_zones(f, *from, end, levels, z);
	struct found found[MAX_QUEUE], *to = found;
	int rc;

	*from = zend[-1].e;
	for (const struct wanted *x = z; x < zend; x++) {
		const struct tt_event *e = x->e;
		struct tt_level *l = levels + e->depth;
		struct tt_count_page *page = NULL;
		uint32_t node = 0;
		if (likely(tt_fold_is_in_tree(l) && !(e->flags & TT_F_ODD))) {
			node = tt_tree_lookup(known, x->hash, tt_tree_tag(l->node, TT_NODE_ZONE), e->val);
			page = node > TT_NODE_MORE ? f->counts->node[node >> TT_TREE_PAGE_BITS] : NULL;
		}
		if (unlikely(!page)) {
			if ((rc = tt_fold_zone(f, io, e, err)) != TT_OK)
				return rc;
			continue;
		}
		l[1].c = &page->c[node & (TT_TREE_PAGE - 1)];
		l[1].node = node;
		l[1].filtered = false;
		__builtin_prefetch(l[1].c, 1);
		*to++ = (struct found){ l[1].c, e, node };
	}
	f->top = f->base + zend[-1].e->depth + 1;
	count_unpredicted(f->memory, (size_t)(zend - z), LOOKUP_PHASE_ZONES);
	return count_found(f, io, found, to, err);
}

/* Fold TT_ZONEs in a row from *${from} on, which is only counted, up to ${end}. *${from} becomes the last event taken. */
static int
counted_zones(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event **from, const struct tt_event *end, struct tt_err *err)
{
	const struct tt_fast *fast = f->memory;
	const bool is_off = fast->prediction.is_off, hist = f->needs & TT_NEEDS_HIST;

	if (exceeds_cache(f) && is_off && hist)
		return looked_up_zones(f, io, from, end, err);
	if (unlikely(is_off || fast->is_mixed || (fast->sums && !exceeds_cache(f))))
		return predicted_zones(f, io, from, end, LOOP_GENERIC, err);
	if (!hist)
		return remembered_zones(f, io, from, end, false, err);
	if (unlikely(fast->sums))
		return predicted_zones(f, io, from, end, LOOP_HISTOGRAMS_AND_FRAMES, err);
	if (exceeds_cache(f))
		return predicted_zones(f, io, from, end, LOOP_HISTOGRAMS, err);
	return remembered_zones(f, io, from, end, true, err);
}

/* Fold TT_ZONEs in a row that are written, whatever their time, and not counted; *${from} as above. */
static int
written_zones(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event **from, const struct tt_event *end, struct tt_err *err)
{
	const bool found = f->needs & TT_NEEDS_FOUND;
	const struct tt_event *e;
	int rc = TT_OK;

	for (e = *from; e < end && rc == TT_OK; e++) {
		const size_t around = f->base + e->depth;
		struct tt_level *l = &f->level[around + 1];
		if (unlikely(e->kind != TT_ZONE)) {
			if (is_for_fold(e->kind) && (e->kind != TT_ALLOC || found))
				break;
			continue;
		}
		f->top = around + 1;
		if (unlikely(e->flags & (TT_F_ODD | TT_F_MORE) || e->ts > INT64_MAX - UINT32_MAX)) {
			rc = tt_fold_zone(f, io, e, err);
			continue;
		}
		l->filtered = l->hidden = false;
		l->hidden_wrapper = tt_fold_hides_wrapper(f, io, e->val);
		l->nhidden_wrappers = l[-1].nhidden_wrappers + l->hidden_wrapper;
		if (unlikely(l->hidden_wrapper))
			continue;
		if (unlikely(io->nslice == io->capslice) &&
		    (rc = tt_mem_grow(f->mem, &io->slice, &io->capslice, io->nslice + 1, sizeof *io->slice, err)) != TT_OK)
			break;
		io->slice[io->nslice++] = (struct tt_slice){ .ts = e->ts, .dur = e->dur, .key = e->val, .depth = (uint32_t)around - l->nhidden_wrappers,
			.flags = e->flags };
	}
	*from = e - 1;
	return rc;
}

/* --- recorded stacks ------------------------------------------------------------------------------- */

/* The number of steps, root included, that this stack shares with the last one. */
static size_t
same_steps(const struct tt_fast *fast, uint64_t above, enum tt_node_kind root, uint32_t thread, const uint64_t *frame, size_t n)
{
	const struct step *t = fast->step;
	size_t same = 1;

	if (!fast->nsteps || fast->root != root || fast->above != above || t[0].key != thread)
		return 0;
	while (same < fast->nsteps && same <= n && t[same].key == frame[same - 1])
		same++;
	return same;
}

/*
 * Find the level of a recorded stack. The places of its paths follow from the keys alone, so all are prefetched before the first is read. No durations are
 * counted on them, so only the innermost frame's counter is needed.
 */
static int
descend_stack(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *top, enum tt_node_kind root, uint32_t thread, const uint64_t *frame,
    size_t n, struct tt_level *l, struct tt_err *err)
{
	struct tt_fast *fast = f->memory;
	const struct tt_tree_table *table = tt_tree_now(f->m->tree);
	const uint64_t above = tt_fold_hash_of(f, top);
	int rc = tt_mem_grow(f->mem, &fast->step, &fast->capstep, n + 1, sizeof *fast->step, err);
	struct step *t = fast->step;

	if (rc != TT_OK)
		return rc;
	const size_t same = same_steps(fast, above, root, thread, frame, n);
	uint64_t hash = same ? t[same - 1].l.hash : above;
	for (size_t i = same; i <= n; i++) {
		t[i].key = i ? frame[i - 1] : thread;
		hash = t[i].l.hash = tt_tree_hash(hash, i ? TT_NODE_ZONE : root, t[i].key);
		tt_tree_fetch(table, hash);
	}
	for (size_t i = same; i <= n && rc == TT_OK; i++)
		rc = tt_fold_find(io, table, i ? t[i - 1].l.node : top->node, i ? TT_NODE_ZONE : root, t[i].key, &t[i].l, err);
	if (same <= n) {
		fast->root = root;
		fast->above = above;
		fast->nsteps = rc == TT_OK ? n + 1 : 0;
	}
	if (rc == TT_OK && !(t[n].l.node & TT_OVER) && !(t[n].l.c = tt_counts_at(f->counts, t[n].l.node, err)))
		rc = err->code;
	*l = t[n].l;
	return rc;
}

/* Find the node of class ${key} on the recorded stack of ${x}. */
static int
find_stack_class(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *x, uint64_t key, size_t around, struct tt_level *l, struct tt_err *err)
{
	struct tt_fast *fast = f->memory;
	const struct tt_level *top = tt_fold_stack_top(f, io, around);
	struct stack_class *m = &fast->stack_class[((x->val + key) * 0x9E3779B97F4A7C15u) >> 56];
	int rc;

	if (likely(m->chunk == fast->nchunks && m->first == x->val && m->key == key && m->n == x->dur && m->above == tt_fold_hash_of(f, top))) {
		l->c = m->c;
		l->node = m->node;
		l->hash = m->hash;
		return TT_OK;
	}
	rc = descend_stack(f, io, top, TT_NODE_STACKS, io->thread->index, io->b->word + x->val, x->dur, l, err);
	TT_THEN(rc, tt_fold_descend(f, io, l, TT_NODE_ALLOC, key, l, err));
	if (rc == TT_OK)
		*m = (struct stack_class){ .chunk = fast->nchunks, .key = key, .first = x->val, .above = tt_fold_hash_of(f, top), .hash = l->hash,
		    .c = l->c, .n = x->dur, .node = l->node };
	return rc;
}

/*
 * Find the node of class ${key}, allocated in the zone of ${from}: as with zones, predict the node that followed the last allocation's the last time.
 * Allocations predict allocations and zones predict zones, so that they do not disturb each other. With few paths the look-up is
 * as fast: in a capture with 530 paths, 55 of 100 predictions miss.
 */
static inline int
predict_class(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *from, uint64_t key, struct tt_level *l, struct tt_err *err)
{
	struct tt_fast *fast = f->memory;
	struct tt_link *last = fast->last_alloc ? fast->last_alloc : &f->counts->node[0]->link[TT_NODE_MORE];
	struct tt_count_page *page = f->counts->node[last->next >> TT_TREE_PAGE_BITS];
	struct tt_link *link = &page->link[last->next & (TT_TREE_PAGE - 1)];
	int rc = TT_OK;

	if (likely(link->key == key && link->up == from->node)) {
		l->node = last->next;
		l->c = &page->c[l->node & (TT_TREE_PAGE - 1)];
	} else {
		rc = tt_fold_descend(f, io, from, TT_NODE_ALLOC, key, l, err);
		if (rc != TT_OK || !l->c)
			return rc;
		link = tt_counts_link(f->counts, l->node);
		link->key = key;
		link->up = from->node;
		last->next = l->node;
	}
	fast->last_alloc = link;
	return rc;
}

static int
count_alloc(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t around, struct tt_err *err)
{
	struct tt_fast *fast = f->memory;
	const uint64_t key = tt_fold_class(f, io, e);
	struct tt_level l;
	int rc;

	if (unlikely(e->flags & TT_F_STACK))
		rc = find_stack_class(f, io, &e[1], key, around, &l, err);
	else if (exceeds_cache(f))
		rc = predict_class(f, io, &f->level[around], key, &l, err);
	else
		rc = tt_fold_descend(f, io, &f->level[around], TT_NODE_ALLOC, key, &l, err);
	if (rc != TT_OK)
		return rc;
	if (likely(!(f->needs & (TT_NEEDS_BY_FRAME | TT_NEEDS_FRAMED)))) {
		tt_fold_add_allocs(tt_fold_count_of(io, &l), tt_alloc_count(e), (int64_t)tt_alloc_bytes(e));
		return TT_OK;
	}
	const bool by_frame = f->needs & TT_NEEDS_BY_FRAME && (fast->sums || !is_clear(fast, f->close, e->ts));
	return tt_fold_count_alloc(f, io, e, &l, by_frame, err);
}

/* Prefetch distance for samples, in events. A sample has two events, and memory latency is about that of four samples. */
enum { AHEAD = 8 };

/* Prefetch the paths of the sample AHEAD events after ${e}, if there is one, while the samples before it are counted. */
static void
fetch_paths(struct tt_fold *f, const struct tt_fold_io *io, const struct tt_event *e)
{
	const struct tt_fast *fast = f->memory;
	const struct tt_batch *b = io->b;

	if (b->ev + b->n - e <= AHEAD || e[AHEAD].kind != TT_SAMPLE)
		return;
	e += AHEAD;
	const struct tt_tree_table *table = tt_tree_now(f->m->tree);
	const uint32_t thread = (uint32_t)tt_sample_thread(e);
	const uint64_t *frame = b->word + e[1].val, above = tt_fold_hash_of(f, &tt_fold_nowhere);
	const size_t same = same_steps(fast, above, TT_NODE_SAMPLES, thread, frame, e->dur);
	uint64_t hash = same ? fast->step[same - 1].l.hash : above;

	for (size_t i = same; i <= e->dur; i++) {
		hash = tt_tree_hash(hash, i ? TT_NODE_ZONE : TT_NODE_SAMPLES, i ? frame[i - 1] : thread);
		tt_tree_fetch(table, hash);
	}
}

/* Count the sample whose counter was prefetched. */
static void
count_fetched_sample(struct tt_fast *fast)
{
	if (fast->sample)
		fast->sample->n++;
	fast->sample = NULL;
}

/* Find the counter of a sample and prefetch it; it is counted when the next sample's has been found. */
static int
count_sample(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	struct tt_fast *fast = f->memory;
	const uint32_t thread = (uint32_t)tt_sample_thread(e);
	struct tt_level l;

	if (!f->counts_paths || !tt_filter_has(&f->m->filter, e->ts) || (f->m->keep_thread && !f->m->keep_thread[thread]))
		return TT_OK;
	int rc = descend_stack(f, io, &tt_fold_nowhere, TT_NODE_SAMPLES, thread, io->b->word + e[1].val, e->dur, &l, err);
	if (rc != TT_OK)
		return rc;
	fetch_paths(f, io, e);
	count_fetched_sample(fast);
	if (likely(l.c != NULL)) {
		__builtin_prefetch(l.c, 1);
		fast->sample = l.c;
	} else {
		tt_fold_count_of(io, &l)->n++;
	}
	return TT_OK;
}

/* --- events ------------------------------------------------------------------------------------------ */

/* True if zones are only written, not counted, and none is left out. */
static bool
only_writes(const struct tt_fold *f)
{
	return !f->counts_paths && f->close && tt_close_times_any(f->close) && !f->filters_zones && !f->m->filter.player_only;
}

static inline int
alloc(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, struct tt_err *err)
{
	const size_t around = tt_fold_level_around(f, e);
	int rc = f->counts_paths && tt_filter_has(&f->m->filter, e->ts) ? count_alloc(f, io, e, around, err) : TT_OK;

	return unlikely(f->needs & TT_NEEDS_FOUND) && rc == TT_OK ? tt_fold_add_site(f, io, e, around, err) : rc;
}

/* Skip a zone that is neither counted nor written, and neither are the zones in it. */
static void
step_over(struct tt_fold *f, const struct tt_event *e)
{
	f->top = f->base + e->depth + 1;
	f->level[f->top].filtered = f->level[f->top].hidden = false;
}

/* Fold all events of a chunk: frequent kinds in a flat switch, all others by the plain rule. */
static int
fold_events(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	struct tt_fast *fast = f->memory;
	const bool always = f->close && f->close->always, counts = f->counts_paths && !f->filters_zones && !always, writes = only_writes(f);
	const bool only_slices = (f->needs & (TT_NEEDS_SLICES | TT_NEEDS_BY_FRAME)) == TT_NEEDS_SLICES;
	const bool writes_all = writes && always && !f->places_steps && fast->is_inside && only_slices;
	const struct tt_event *const end = io->b->ev + io->b->n;
	int rc = TT_OK;

	for (const struct tt_event *e = io->b->ev; e < end && rc == TT_OK; e++) {
		switch (e->kind) {
		case TT_ZONE:
			if (unlikely(f->is_outside))
				f->top = f->base + e->depth + 1;
			else if (likely(counts && (!fast->is_mixed || is_zone_clear(fast, f->close, e))))
				rc = counted_zones(f, io, &e, end, err);
			else if (writes_all)
				rc = written_zones(f, io, &e, end, err);
			else if (!writes || always || !is_zone_clear(fast, f->close, e))
				rc = tt_fold_zone(f, io, e, err);
			else
				step_over(f, e);
			break;
		case TT_ALLOC:
			rc = alloc(f, io, e, err);
			break;
		case TT_SAMPLE:
			rc = count_sample(f, io, e, err);
			break;
		case TT_EXT:
		case TT_ARG:
			break;
		default:
			rc = tt_fold_event(f, io, e, err);
			break;
		}
	}
	count_fetched_sample(fast);
	return rc;
}

const struct tt_fast_calls tt_fast_calls = { .new = new_fast, .free = free_fast, .forget = forget_chunk, .begin = begin_chunk, .events = fold_events,
	.stack = descend_stack, .first_frame = first_frame, .sum = sum_of };

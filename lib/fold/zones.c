/**
 * Whole zones, which most events are. If they are only counted and paths are few, the place of each path's counters is remembered by two numbers (struct
 * tt_near). If paths are many, that would be as far away as the counters, so the path is guessed: the zone after a zone is mostly the one that came after it
 * the last time (struct tt_link), and whether the guess is right is seen by two numbers. If guesses are poor, paths are looked up in runs. If zones are only
 * written, each becomes a slice with no more ado.
 */
#include "fold/state.h"

int
tt_fold_zone(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event *e, size_t up, struct tt_err *err)
{
	int rc = tt_fold_step_down(f, io, up, e->val, e->ts, f->filtered && (e->dur < f->m->filter.min_dur || tt_fold_left_out(f, up)), err);

	if (rc != TT_OK)
		return rc;
	f->rest = e->flags & TT_F_POPPED;
	if (unlikely(e->flags & TT_F_MORE))
		rc = tt_fold_finish_args(f, io, up + 1, e, e, err);
	else
		rc = tt_fold_finish(f, io, up + 1, e->ts, e->ts + e->dur, e->val, e->flags, err);
	f->rest = false;
	return rc;
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
 * The guess after ${last} was wrong: look for the path of ${e} below level ${l}. Its node, which is the guess from now on; 0: it is new to
 * the tree or to this worker, or ${e} is a piece of a zone or has no end of its own.
 */
static __attribute__((noinline)) uint32_t
find(struct tt_fold *f, struct tt_link *last, const struct tt_event *e, const struct tt_level *l)
{
	if (unlikely(!tt_fold_in_tree(l) || (e->flags & TT_F_ODD)))
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
 * Durations that wait to be counted. With many paths their distributions and buckets lie all over memory: each is fetched for all of them
 * before the next.
 */
enum { RUN = 32, MAX_RUN = 64 };
struct waiting {
	struct tt_dist *d;
	uint16_t *at;
	uint32_t dur, bucket;
};

static inline void
wait_for(struct waiting *w, struct tt_dist *d, uint32_t dur)
{
	w->d = d;
	w->dur = dur;
	w->bucket = tt_hist_bucket(dur);
	__builtin_prefetch(d, 1);
	__builtin_prefetch(&d->page[w->bucket / TT_HIST_PAGE]);
}

static __attribute__((noinline)) int
count_waiting(struct tt_counts *c, struct waiting *w, size_t n, struct tt_err *err)
{
	struct waiting *const end = w + n;

	for (struct waiting *x = w; x < end; x++) {
		x->at = tt_counts_page(c, x->d->page[x->bucket / TT_HIST_PAGE]) + x->bucket % TT_HIST_PAGE;
		__builtin_prefetch(x->at, 1);
	}
	for (struct waiting *x = w; x < end; x++) {
		if (likely(tt_dist_takes(x->d, x->at, x->dur)))
			++*x->at;
		else if (tt_counts_dur_slow(c, x->d, x->dur, err) != TT_OK)
			return err->code;
	}
	return TT_OK;
}

/* The loops of zones(): many paths; the same, with sums by frame; zones of which more is asked, or less than histograms. */
enum zone_loop { LOOP_HISTOGRAMS, LOOP_HISTOGRAMS_AND_FRAMES, LOOP_GENERIC };

/* Count ${e}, which is of level ${l}. */
static inline __attribute__((always_inline)) int
count(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *l, const struct tt_event *e, const enum zone_loop loop, struct waiting *w,
    size_t *n, struct tt_err *err)
{
	int rc = TT_OK;

	l->c->n++;
	l->c->total += e->dur;
	if (loop == LOOP_HISTOGRAMS || loop == LOOP_HISTOGRAMS_AND_FRAMES) {
		wait_for(&w[*n], l->c->dist, e->dur);
		if (++*n == RUN) {
			*n = 0;
			rc = count_waiting(f->counts, w, RUN, err);
		}
	} else if (f->needs & TT_NEEDS_HIST) {
		rc = tt_counts_dur(f->counts, l->c->dist, e->dur, err);
	}
	if ((loop == LOOP_HISTOGRAMS_AND_FRAMES || (loop == LOOP_GENERIC && f->sums)) && rc == TT_OK)
		rc = tt_fold_sum_whole(f, io, l->node, e->ts, e->ts + (int64_t)e->dur, err);
	return rc;
}

/*
 * After PREDICTION_WINDOW_ZONES zones decide whether guesses are good, or paths are where they are remembered; if not, LOOKUP_PHASE_ZONES zones are
 * looked up, or PREDICTION_PHASE_ZONES guessed, before the next try.
 */
enum { PREDICTION_WINDOW_ZONES = 4096, LOOKUP_PHASE_ZONES = 1 << 18, PREDICTION_PHASE_ZONES = 1 << 21 };

/* Count ${nzones} more zones with ${nmisses} misses; after PREDICTION_WINDOW_ZONES zones decide whether to go on predicting. */
static inline void
record_predictions(struct tt_fold *f, size_t nzones, size_t nmisses)
{
	f->guess.met += nzones;
	f->guess.wrong += nmisses;
	if (f->guess.met >= PREDICTION_WINDOW_ZONES)
		f->guess = (struct tt_guess){ .poor = f->guess.wrong > f->guess.met / 8 };
}

/* While prediction is off, count ${nzones} more zones; try again after ${retry_after}. */
static inline void
count_unpredicted(struct tt_fold *f, size_t nzones, size_t retry_after)
{
	f->guess.met += nzones;
	if (f->guess.met >= retry_after)
		f->guess = (struct tt_guess){ 0 };
}

static inline __attribute__((always_inline)) int
zones(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event **from, const struct tt_event *end, size_t base, size_t *top,
    const enum zone_loop loop, struct tt_err *err)
{
	struct tt_count_page *const *const pages = f->counts->node;
	struct tt_link *last = f->last ? f->last : pages[0]->link;
	struct tt_level *const levels = &f->lvl[base], *l = levels;
	const struct tt_span clear = f->clear;
	const struct tt_event *e;
	struct waiting w[RUN];
	size_t n = 0, wrong = 0;
	int rc = TT_OK;

	for (e = *from; e < end; e++) {
		if (unlikely(e->kind != TT_ZONE)) {
			if (is_for_fold(e->kind))
				break;
			continue;
		}
		if (loop == LOOP_GENERIC && f->mixed && (e->ts < clear.from || e->ts + e->dur >= clear.to))
			break;
		l = levels + e->depth;
		uint32_t node = last->next;
		struct tt_count_page *page = pages[node >> TT_TREE_PAGE_BITS];
		struct tt_link *link = &page->link[node & (TT_TREE_PAGE - 1)];
		if (unlikely(link->key != e->val || link->up != l->node || (e->flags & TT_F_ODD))) {
			wrong++;
			if (!(node = find(f, last, e, l))) {
				if ((rc = tt_fold_zone(f, io, e, (size_t)(l - f->lvl), err)) != TT_OK)
					break;
				continue;
			}
			page = pages[node >> TT_TREE_PAGE_BITS];
			link = &page->link[node & (TT_TREE_PAGE - 1)];
		}
		last = link;
		l[1].c = &page->c[node & (TT_TREE_PAGE - 1)];
		l[1].node = node;
		l[1].out = l[1].hashed = false;
		if (unlikely((rc = count(f, io, &l[1], e, loop, w, &n, err)) != TT_OK))
			break;
	}
	if (f->guess.poor)
		count_unpredicted(f, (size_t)(e - *from), PREDICTION_PHASE_ZONES);
	else if (tt_fold_many(f))
		record_predictions(f, (size_t)(e - *from), wrong);
	*from = e - 1;
	*top = (size_t)(l - f->lvl) + 1;
	f->last = last;
	return (loop == LOOP_HISTOGRAMS || loop == LOOP_HISTOGRAMS_AND_FRAMES) && rc == TT_OK ? count_waiting(f->counts, w, n, err) : rc;
}

static inline struct tt_near *
near_of(struct tt_near *near, uint32_t tag, uint64_t key)
{
	return &near[(key * UINT64_C(0xC2B2AE3D27D4EB4F) + tag * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - TT_FOLD_NEAR_BITS)];
}

/* The path of ${key} below level ${l} is not at ${near}: put it there. False if it is new to the tree or to this worker. */
static __attribute__((noinline)) bool
bring_near(const struct tt_fold *f, struct tt_near *near, const struct tt_level *l, enum tt_node_kind kind, uint64_t key)
{
	if (unlikely(!tt_fold_in_tree(l)))
		return false;
	const uint64_t hash = tt_tree_hash(tt_fold_hash_of(f, l), kind, key);
	const uint32_t node = tt_tree_find(f->m->tree, hash, l->node, kind, key);
	struct tt_count_page *page = f->counts->node[node >> TT_TREE_PAGE_BITS];
	struct tt_count *c = page ? &page->c[node & (TT_TREE_PAGE - 1)] : NULL;

	if (unlikely(node <= TT_NODE_MORE || !c || (kind == TT_NODE_ZONE && !c->dist && (f->needs & TT_NEEDS_HIST))))
		return false;
	*near = (struct tt_near){ .key = key, .c = c, .dist = c->dist, .tag = tt_tree_tag(l->node, kind), .node = node };
	return true;
}

/* Count the allocation ${e} in the zone of level ${l}. False: it is not that simple. */
static inline bool
alloc_near(const struct tt_fold *f, const struct tt_level *l, const struct tt_event *e)
{
	struct tt_near *near = near_of(f->near, tt_tree_tag(l->node, TT_NODE_ALLOC), e->val);

	if (unlikely(near->key != e->val || near->tag != tt_tree_tag(l->node, TT_NODE_ALLOC)) && !bring_near(f, near, l, TT_NODE_ALLOC, e->val))
		return false;
	near->c->n++;
	near->c->total += e->dur;
	return true;
}

/* The place where the whole zone ${e} below level ${l} is counted; NULL: it is not that simple. A path that was not there yet is one more of ${wrong}. */
static inline const struct tt_near *
zone_near(const struct tt_fold *f, const struct tt_level *l, const struct tt_event *e, size_t *wrong)
{
	struct tt_near *near = near_of(f->near, l->node, e->val);
	const bool odd = e->flags & TT_F_ODD;

	if (likely(near->key == e->val && near->tag == l->node && !odd))
		return near;
	++*wrong;
	return !odd && bring_near(f, near, l, TT_NODE_ZONE, e->val) ? near : NULL;
}

/*
 * Zones and allocations of few paths, of which nothing is asked but counts, and with ${hist} histograms. Two numbers tell where each is counted, so
 * nothing is guessed: guesses were wrong for 22 zones of 100.
 */
static inline __attribute__((always_inline)) int
few(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event **from, const struct tt_event *end, size_t base, size_t *top,
    const bool hist, struct tt_err *err)
{
	const bool allocs = f->inside && !f->alias && !(f->needs & (TT_NEEDS_BY_FRAME | TT_NEEDS_FRAMED | TT_NEEDS_FOUND));
	struct tt_level *const levels = &f->lvl[base], *l = levels;
	const struct tt_event *e;
	size_t wrong = 0;
	int rc = TT_OK;

	if (unlikely(!f->near) && !(f->near = tt_mem_lines(f->mem, sizeof *f->near << TT_FOLD_NEAR_BITS, err)))
		return err->code;
	for (e = *from; e < end; e++) {
		if (unlikely(e->kind != TT_ZONE)) {
			if (e->kind == TT_ALLOC && allocs && !e->flags && e->depth < UINT16_MAX && alloc_near(f, levels + e->depth, e))
				continue;
			if (is_for_fold(e->kind))
				break;
			continue;
		}
		l = levels + e->depth;
		const struct tt_near *near = zone_near(f, l, e, &wrong);
		if (unlikely(!near)) {
			if ((rc = tt_fold_zone(f, io, e, (size_t)(l - f->lvl), err)) != TT_OK)
				break;
			continue;
		}
		l[1].c = near->c;
		l[1].node = near->node;
		l[1].out = l[1].hashed = false;
		near->c->n++;
		near->c->total += e->dur;
		if (hist && unlikely((rc = tt_counts_dur(f->counts, near->dist, e->dur, err)) != TT_OK))
			break;
	}
	/* For fewer there is room for most, and those that are new are not wrong for long. */
	if (tt_tree_count(f->m->tree) > 2 << TT_FOLD_NEAR_BITS)
		record_predictions(f, (size_t)(e - *from), wrong);
	*from = e - 1;
	*top = (size_t)(l - f->lvl) + 1;
	return rc;
}

/* Zones of a run of look_up(): first the hashes of their paths, then their counters. */
struct sought { const struct tt_event *e; uint64_t hash; };
struct found { struct tt_count *c; const struct tt_event *e; uint32_t node; };

/* The next zones from ${e} on, and the hashes of their paths: a run of them into ${z}, whose places in the tree are fetched. Returns where it ends. */
static struct sought *
seek(struct tt_fold *f, const struct tt_event *e, const struct tt_event *end, struct tt_level *levels, struct sought *z)
{
	const struct tt_tree_table *known = tt_tree_now(f->m->tree);
	const struct tt_span clear = f->clear;
	struct sought *zend = z;
	size_t deep = SIZE_MAX;

	for (; e < end && zend < z + MAX_RUN; e++) {
		if (e->kind != TT_ZONE) {
			if (is_for_fold(e->kind))
				break;
			continue;
		}
		if (unlikely(f->mixed) && (e->ts < clear.from || e->ts + e->dur >= clear.to))
			break;
		struct tt_level *l = levels + e->depth;
		/* Deeper zones are of this run. */
		if (e->depth < deep) {
			deep = e->depth;
			if (unlikely(!l->hashed))
				l->ahead = tt_fold_hash_of(f, l);
			l->hashed = true;
		}
		zend->e = e;
		l[1].ahead = zend->hash = tt_tree_hash(l->ahead, TT_NODE_ZONE, e->val);
		l[1].hashed = true;
		tt_tree_fetch(known, (zend++)->hash);
	}
	return zend;
}

/* Count the zones from ${x} to ${end}, whose counters are fetched. */
static int
count_found(struct tt_fold *f, struct tt_fold_io *io, const struct found *x, const struct found *end, struct tt_err *err)
{
	struct waiting w[MAX_RUN], *waits = w;
	int rc = TT_OK;

	for (const struct found *at = x; at < end; at++) {
		struct tt_count *c = at->c;

		c->n++;
		c->total += at->e->dur;
		if (unlikely(!c->dist) && !(c->dist = tt_counts_dist(f->counts, tt_tree_node(f->m->tree, at->node)->marker, err)))
			return err->code;
		wait_for(waits++, c->dist, at->e->dur);
	}
	for (; f->sums && x < end && rc == TT_OK; x++)
		rc = tt_fold_sum_whole(f, io, x->node, x->e->ts, x->e->ts + (int64_t)x->e->dur, err);
	return rc == TT_OK ? count_waiting(f->counts, w, (size_t)(waits - w), err) : rc;
}

/*
 * A run of zones, where guesses are mostly wrong and paths are many, so that what they touch lies all over memory: each step is taken for all of
 * them before the next, and what that needs is fetched meanwhile. The place of a path in the tree follows from its keys alone.
 */
static int
look_up(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event **from, const struct tt_event *end, size_t base, size_t *top,
    struct tt_err *err)
{
	const struct tt_tree_table *known = tt_tree_now(f->m->tree);
	struct tt_level *const levels = &f->lvl[base];
	struct sought z[MAX_RUN], *const zend = seek(f, *from, end, levels, z);
	struct found found[MAX_RUN], *to = found;
	int rc;

	*from = zend[-1].e;
	*top = base + zend[-1].e->depth + 1;
	for (const struct sought *x = z; x < zend; x++) {
		const struct tt_event *e = x->e;
		struct tt_level *l = levels + e->depth;
		struct tt_count_page *page = NULL;
		uint32_t node = 0;
		if (likely(tt_fold_in_tree(l) && !(e->flags & TT_F_ODD))) {
			node = tt_tree_lookup(known, x->hash, tt_tree_tag(l->node, TT_NODE_ZONE), e->val);
			page = node > TT_NODE_MORE ? f->counts->node[node >> TT_TREE_PAGE_BITS] : NULL;
		}
		if (unlikely(!page)) {
			if ((rc = tt_fold_zone(f, io, e, (size_t)(l - f->lvl), err)) != TT_OK)
				return rc;
			continue;
		}
		l[1].c = &page->c[node & (TT_TREE_PAGE - 1)];
		l[1].node = node;
		l[1].out = false;
		__builtin_prefetch(l[1].c, 1);
		*to++ = (struct found){ l[1].c, e, node };
	}
	count_unpredicted(f, (size_t)(zend - z), LOOKUP_PHASE_ZONES);
	return count_found(f, io, found, to, err);
}

int
tt_fold_zones(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event **from, const struct tt_event *end, size_t base, size_t *top,
    struct tt_err *err)
{
	if (tt_fold_many(f) && f->guess.poor && (f->needs & TT_NEEDS_HIST))
		return look_up(f, io, from, end, base, top, err);
	if (unlikely(f->guess.poor || f->mixed || (f->sums && !tt_fold_many(f))))
		return zones(f, io, from, end, base, top, LOOP_GENERIC, err);
	if (!(f->needs & TT_NEEDS_HIST))
		return few(f, io, from, end, base, top, false, err);
	if (unlikely(f->sums))
		return zones(f, io, from, end, base, top, LOOP_HISTOGRAMS_AND_FRAMES, err);
	if (tt_fold_many(f))
		return zones(f, io, from, end, base, top, LOOP_HISTOGRAMS, err);
	return few(f, io, from, end, base, top, true, err);
}

int
tt_fold_slices(struct tt_fold *f, struct tt_fold_io *io, const struct tt_event **from, const struct tt_event *end, size_t base, size_t *top,
    struct tt_err *err)
{
	const bool found = f->needs & TT_NEEDS_FOUND;
	const struct tt_event *e;
	int rc = TT_OK;

	for (e = *from; e < end && rc == TT_OK; e++) {
		const size_t up = base + e->depth;
		struct tt_level *l = &f->lvl[up + 1];
		if (unlikely(e->kind != TT_ZONE)) {
			if (is_for_fold(e->kind) && (e->kind != TT_ALLOC || found))
				break;
			continue;
		}
		*top = up + 1;
		if (unlikely(e->flags & (TT_F_ODD | TT_F_MORE) || e->ts > INT64_MAX - UINT32_MAX)) {
			rc = tt_fold_zone(f, io, e, up, err);
			continue;
		}
		l->out = l->hid = false;
		l->veiled = tt_fold_veils(f, io, e->val);
		l->veils = l[-1].veils + l->veiled;
		if (unlikely(l->veiled))
			continue;
		if (unlikely(io->nslice == io->capslice) &&
		    (rc = tt_mem_grow(f->mem, &io->slice, &io->capslice, io->nslice + 1, sizeof *io->slice, err)) != TT_OK)
			break;
		io->slice[io->nslice++] = (struct tt_slice){ .ts = e->ts, .dur = e->dur, .key = e->val, .depth = (uint32_t)up - l->veils, .flags = e->flags };
	}
	*from = e - 1;
	return rc;
}

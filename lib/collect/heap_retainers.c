/**
 * Walks the graph of a heap shot: numbers the objects, then goes from the roots to everything they keep.
 */
#include "collect/collect.h"
#include "collect/heap_graph_state.h"

#include "base/map.h"
#include "base/order.h"
#include "model/model.h"

struct walk {
	const struct tt_heap_shots *shots;
	struct tt_mem *mem;
	struct graph *g;
	struct tt_graph *m;
	bool old;                     /* true: roots have kinds, not slots */
	struct tt_pages first;        /* for every STRIDE objects: index of their first reference, and number of continuation records before it */
	struct tt_pages path, queue;  /* path: by object, its path; queue: objects still to visit */
	struct tt_map next;           /* by parent path and class: index in m->path */
	struct tt_map root_at;
	struct { uint32_t object, ref; } *more;
	size_t nmore;
	size_t eaten;
};

/* *${rank}: the number of objects below the address; returns false if there is no object at it. */
static bool
rank_of(const struct graph *g, uint32_t at, uint32_t *rank)
{
	const struct spot *s = at == NOWHERE ? NULL : g->spot[at >> SPOT_BITS];
	unsigned bit = at & ((1u << SPOT_BITS) - 1), word = bit / 64;

	if (!s || !(s->bit[word] >> bit % 64 & 1))
		return false;
	*rank = s->before[word / 8];
	for (unsigned w = word & ~7u; w < word; w++)
		*rank += (uint32_t)__builtin_popcountll(s->bit[w]);
	*rank += (uint32_t)__builtin_popcountll(s->bit[word] & (((uint64_t)1 << bit % 64) - 1));
	return true;
}

static int
mark_objects(struct walk *w, struct tt_err *err)
{
	struct graph *g = w->g;
	struct tt_mem *mem = w->mem;
	uint32_t n = 0;

	if (!(g->spot = tt_mem_alloc(mem, SPOTS * sizeof *g->spot, err)))
		return err->code;
	for (size_t i = 0; i < g->addr.n; i++) {
		uint32_t at = *tt_pages_at(&g->addr, i);
		struct spot **s = &g->spot[at >> SPOT_BITS];
		if (!*s && !(*s = tt_mem_alloc(mem, sizeof **s, err)))
			return err->code;
		unsigned bit = at & ((1u << SPOT_BITS) - 1);
		(*s)->bit[bit / 64] |= (uint64_t)1 << bit % 64;
	}
	for (size_t k = 0; k < SPOTS; k++) {
		struct spot *s = g->spot[k];
		for (size_t i = 0; s && i < SPOT_WORDS; i++) {
			if (i % 8 == 0)
				s->before[i / 8] = n;
			n += (uint32_t)__builtin_popcountll(s->bit[i]);
		}
	}
	return TT_OK;
}

static uint32_t
object_at(const struct walk *w, const struct tt_pages *number, uint32_t at)
{
	uint32_t rank;

	return rank_of(w->g, at, &rank) ? *tt_pages_at(number, rank) : NOWHERE;
}

/* Replace addresses in references by numbers of objects. */
static int
resolve(struct walk *w, struct tt_err *err)
{
	struct graph *g = w->g;
	struct tt_pages number = { .mem = w->mem };
	int rc = mark_objects(w, err);
	uint32_t rank;

	TT_THEN(rc, tt_pages_room(&number, g->addr.n, err));
	for (size_t i = 0; i < g->addr.n && rc == TT_OK; i++)
		if (rank_of(g, *tt_pages_at(&g->addr, i), &rank))
			*tt_pages_at(&number, rank) = (uint32_t)i;
	tt_pages_free(&g->addr);
	for (size_t i = 0; i < g->ref.n && rc == TT_OK; i++) {
		uint32_t *ref = tt_pages_at(&g->ref, i), to = object_at(w, &number, *ref & ~LAST);
		*ref = to | (*ref & LAST);
	}
	for (size_t i = 0; i < g->nmore && rc == TT_OK; i++)
		g->more[i].addr = object_at(w, &number, g->more[i].addr);
	for (size_t i = 0; i < g->root.n && rc == TT_OK; i++)
		g->root.v[i].object = object_at(w, &number, tt_graph_near(g, g->root.v[i].object));
	tt_pages_free(&number);
	return rc;
}

static int
by_object(const void *a, const void *b)
{
	const struct more *x = a, *y = b;

	return x->addr != y->addr ? TT_CMP(x->addr, y->addr) : TT_CMP(x->ref, y->ref);
}

/* Call ${each} for every reference from ${ref} to the object's last. */
typedef int each_ref(struct walk *w, uint32_t from, uint32_t to, struct tt_err *err);

static int
run_of(struct walk *w, uint32_t from, size_t ref, each_ref *each, struct tt_err *err)
{
	int rc = TT_OK;
	uint32_t v;

	do {
		v = *tt_pages_at(&w->g->ref, ref++);
		if ((v & ~LAST) != NOWHERE)
			rc = each(w, from, v & ~LAST, err);
	} while (!(v & LAST) && rc == TT_OK);
	return rc;
}

/* The index of the first reference after the record that begins at ${ref}. */
static size_t
behind(const struct walk *w, size_t ref)
{
	while (!(*tt_pages_at(&w->g->ref, ref) & LAST))
		ref++;
	return ref + 1;
}

static bool
has_refs(const struct walk *w, size_t i)
{
	return *tt_pages_at(&w->g->has, i / 32) >> i % 32 & 1;
}

/*
 * Skip the continuation records at ${ref}, which lie between those of objects, in file order. (Where references begin is noted only once in STRIDE objects; the
 * places of others are found by skipping records from there.)
 */
static size_t
skip_more(const struct walk *w, size_t *k, size_t ref)
{
	while (*k < w->nmore && w->more[*k].ref == ref) {
		ref = behind(w, ref);
		++*k;
	}
	return ref;
}

static int
count_class(struct walk *w, uint32_t from, uint32_t to, struct tt_err *err)
{
	uint64_t key = (uint64_t)*tt_pages_at(&w->g->class, from) << 32 | *tt_pages_at(&w->g->class, to);
	uint64_t *n = tt_tally_at(&w->m->by_class, key, err);

	if (!n)
		return err->code;
	++*n;
	return TT_OK;
}

/* One pass over all references: count them by class, note where those of each STRIDE objects begin. */
static int
count_classes(struct walk *w, struct tt_err *err)
{
	size_t ref = 0, k = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < w->g->class.n && rc == TT_OK; i++) {
		ref = skip_more(w, &k, ref);
		if (i % STRIDE == 0)
			rc = tt_pages_push(&w->first, (uint32_t)ref, err);
		if (i % STRIDE == 0 && rc == TT_OK)
			rc = tt_pages_push(&w->first, (uint32_t)k, err);
		if (!has_refs(w, i) || rc != TT_OK)
			continue;
		rc = run_of(w, (uint32_t)i, ref, count_class, err);
		ref = behind(w, ref);
	}
	for (size_t i = 0; i < w->g->nmore && rc == TT_OK; i++)
		if (w->g->more[i].addr != NOWHERE)
			rc = run_of(w, w->g->more[i].addr, w->g->more[i].ref, count_class, err);
	return rc;
}

/* Find or add the path of an object of ${class} that is reached from path ${up}. */
static int
step(struct walk *w, uint32_t up, uint32_t class, uint32_t *path, struct tt_err *err)
{
	struct tt_graph *m = w->m;
	uint32_t p = up;

	for (int i = 0; i < NEAR && m->path[p].parent != 0; i++, p = m->path[p].parent) {
		if (m->path[p].class_or_root == class) {
			*path = p;
			return TT_OK;
		}
	}
	const uint64_t hash = tt_seeded_pair(up, class);
	uint32_t at = tt_map_find(&w->next, hash, k, m->path[k].parent == up && m->path[k].class_or_root == class);
	if (!at && m->npath >= TT_GRAPH_PATHS_MAX) {
		m->nbeyond_paths++;
		*path = up;
		return TT_OK;
	}
	if (!at) {
		if (tt_map_push(&w->next, w->mem, hash, &m->path, &m->cappath, m->npath, err) != TT_OK)
			return err->code;
		m->path[m->npath] = (struct tt_graph_path){ .parent = up, .class_or_root = class };
		at = (uint32_t)++m->npath;
	}
	*path = at - 1;
	return TT_OK;
}

/* Reach ${to} from path ${up}, unless it was reached before. */
static int
reach_from(struct walk *w, uint32_t up, uint32_t to, struct tt_err *err)
{
	uint32_t path = 0, *have = tt_pages_at(&w->path, to);
	int rc;

	if (*have)
		return TT_OK;
	rc = step(w, up, *tt_pages_at(&w->g->class, to), &path, err);
	if (rc != TT_OK)
		return rc;
	*have = path;
	w->m->path[path].n++;
	return tt_pages_push(&w->queue, to, err);
}

static int
reach(struct walk *w, uint32_t from, uint32_t to, struct tt_err *err)
{
	return reach_from(w, *tt_pages_at(&w->path, from), to, err);
}

static int
by_start(const void *a, const void *b)
{
	const struct registered *x = a, *y = b;

	return TT_CMP(x->start, y->start);
}

/* The root that the slot belongs to. */
static struct tt_graph_root
root_of(const struct walk *w, uint64_t slot)
{
	const struct graph *g = w->g;

	if (w->old)
		return (struct tt_graph_root){ .text = "", .source = slot & 1 ? TT_ROOT_STACK : slot & 2 ? TT_ROOT_FINALIZER :
		    slot & 4 ? TT_ROOT_HANDLE : TT_ROOT_UNKNOWN };
	if (slot >= 1 && slot <= 4)
		return (struct tt_graph_root){ .text = "", .source = slot <= 2 ? TT_ROOT_FINALIZER :
		    slot == 3 ? TT_ROOT_EPHEMERON : TT_ROOT_TOGGLE_REF };
	size_t lo = tt_lower_bound(i, 0, g->nreg, g->reg[i].start <= slot);
	if (lo == 0 || slot >= g->reg[lo - 1].end)
		return (struct tt_graph_root){ .text = "", .source = TT_ROOT_UNKNOWN };
	const struct registered *r = &g->reg[lo - 1];
	return (struct tt_graph_root){ .key = r->key, .text = r->text,
		.source = r->source < TT_ROOT_UNKNOWN ? r->source : TT_ROOT_UNKNOWN };
}

/* Find or add the index of a root with this source and key, and begin its path. */
static int
root_index(struct walk *w, const struct tt_graph_root *of, uint32_t *which, struct tt_err *err)
{
	struct tt_graph *m = w->m;
	uint64_t hash = tt_seeded_pair(of->source, of->key);
	uint32_t at = tt_map_find(&w->root_at, hash, i, m->root[i].key == of->key && m->root[i].source == of->source);

	if (!at) {
		if (tt_mem_grow(w->mem, &m->path, &m->cappath, m->npath + 1, sizeof *m->path, err) != TT_OK ||
		    tt_map_push(&w->root_at, w->mem, hash, &m->root, &m->caproot, m->nroot, err) != TT_OK)
			return err->code;
		m->root[m->nroot] = *of;
		m->path[m->npath++] = (struct tt_graph_path){ .class_or_root = (uint32_t)m->nroot };
		at = (uint32_t)++m->nroot;
	}
	*which = at - 1;
	return TT_OK;
}

/* Make the first paths, and reach objects from roots. Path 0 is for objects that are not reached, path 1 + i for root i. */
static int
begin_paths(struct walk *w, struct tt_err *err)
{
	struct graph *g = w->g;
	int rc = tt_mem_grow(w->mem, &w->m->path, &w->m->cappath, 1, sizeof *w->m->path, err);
	uint32_t *of;

	if (rc != TT_OK)
		return rc;
	w->m->npath = 1;
	tt_sort(g->reg, g->nreg, by_start);
	if (!(of = tt_mem_alloc(w->mem, g->root.n * sizeof *of, err)))
		return err->code;
	for (size_t i = 0; i < g->root.n && rc == TT_OK; i++) {
		struct tt_graph_root root = root_of(w, g->root.v[i].slot);
		rc = root_index(w, &root, &of[i], err);
	}
	for (size_t i = 0; i < g->root.n && rc == TT_OK; i++) {
		if (g->root.v[i].object == NOWHERE)
			continue;
		uint32_t to = (uint32_t)g->root.v[i].object;
		uint64_t *n = tt_tally_at(&w->m->by_root, (uint64_t)of[i] << 32 | *tt_pages_at(&g->class, to), err);
		if (!n) {
			rc = err->code;
			break;
		}
		++*n;
		w->m->root[of[i]].n++;
		rc = reach_from(w, 1 + of[i], to, err);
	}
	tt_mem_free(w->mem, of, g->root.n * sizeof *of);
	return rc;
}

/* Follow all references of one object. */
static int
follow(struct walk *w, uint32_t i, struct tt_err *err)
{
	size_t lo = tt_lower_bound(k, 0, w->nmore, w->g->more[k].addr < i);
	int rc = TT_OK;

	if (has_refs(w, i)) {
		size_t ref = *tt_pages_at(&w->first, 2 * (i / STRIDE)), k = *tt_pages_at(&w->first, 2 * (i / STRIDE) + 1);
		for (size_t at = i - i % STRIDE; at < i; at++) {
			if (has_refs(w, at))
				ref = behind(w, ref);
			ref = skip_more(w, &k, ref);
		}
		rc = run_of(w, i, ref, reach, err);
	}
	for (; lo < w->nmore && w->g->more[lo].addr == i && rc == TT_OK; lo++)
		rc = run_of(w, i, w->g->more[lo].ref, reach, err);
	return rc;
}

static int
walk_roots(struct walk *w, struct tt_err *err)
{
	int rc = tt_pages_room(&w->path, w->g->class.n, err);

	TT_THEN(rc, begin_paths(w, err));
	while (w->eaten < w->queue.n && rc == TT_OK) {
		uint32_t i = *tt_pages_at(&w->queue, w->eaten++);
		if (w->eaten % TT_PAGE == 0)
			tt_pages_drop(&w->queue, w->eaten);
		rc = follow(w, i, err);
	}
	return rc;
}

static int
count_unreached(struct walk *w, struct tt_err *err)
{
	struct tt_graph *m = w->m;

	m->nunreached = w->shots->nkey;
	m->unreached = tt_mem_alloc(w->mem, m->nunreached * sizeof *m->unreached, err);
	if (!m->unreached)
		return err->code;
	for (size_t i = 0; i < w->g->class.n; i++)
		m->unreached[*tt_pages_at(&w->g->class, i)] += *tt_pages_at(&w->path, i) == 0;
	return TT_OK;
}

/* Sort continuation records by object, and keep a list of them in file order, too. */
static int
sort_more(struct walk *w, struct tt_err *err)
{
	w->nmore = w->g->nmore;
	w->more = tt_mem_alloc(w->mem, w->nmore * sizeof *w->more, err);
	if (!w->more)
		return err->code;
	for (size_t i = 0; i < w->nmore; i++)
		w->more[i].ref = w->g->more[i].ref;
	tt_sort(w->g->more, w->nmore, by_object);
	return TT_OK;
}

static int
walk(struct walk *w, struct tt_err *err)
{
	int rc = resolve(w, err);

	TT_THEN(rc, sort_more(w, err));
	TT_THEN(rc, count_classes(w, err));
	TT_THEN(rc, walk_roots(w, err));
	return rc == TT_OK ? count_unreached(w, err) : rc;
}

int
tt_graph_walk(const struct tt_collecting *c, struct graph *g, struct tt_err *err)
{
	const struct tt_heap_shots *shots = tt_heap_shots(c->m);
	struct walk w = { .shots = shots, .mem = c->mem, .g = g, .m = &g->out };

	w.old = c->m->cap[shots->shot[w.m->shot - 1].process]->old_roots;
	w.first.mem = w.path.mem = w.queue.mem = c->mem;
	int rc = walk(&w, err);
	tt_mem_free(c->mem, w.more, w.nmore * sizeof *w.more);
	tt_pages_free(&w.first);
	tt_pages_free(&w.path);
	tt_pages_free(&w.queue);
	tt_map_free(&w.next, c->mem);
	tt_map_free(&w.root_at, c->mem);
	return rc;
}

/**
 * The graph of a heap shot, gathered and walked; the model is in model/graph.h.
 */
#include "model/graph.h"

#include <stdlib.h>

#include "run/gather.h"
#include "run/pages.h"

#define FAR 0x40000000u               /* addresses are kept as 31 bits of 8 bytes, around that of the first object */
#define NOWHERE 0x7fffffffu           /* of a reference: to no object of the shot */
#define LAST 0x80000000u              /* of a reference: the last of its object */

enum { STRIDE = 16, SPOT_BITS = 17, SPOTS = 1 << (31 - SPOT_BITS), SPOT_WORDS = 1 << (SPOT_BITS - 6), NEAR = 16 };

/* Which addresses are objects, by 1 MB of memory, and how many lie before each 512 bits. */
struct spot {
	uint64_t bit[SPOT_WORDS];
	uint32_t before[SPOT_WORDS / 8];
};

struct tt_gather_graph {
	bool on;                      /* a shot is being kept */
	uint32_t process;
	uint64_t base;
	struct tt_pages addr, class, ref, has;        /* by object, but ref; has: a bit each */
	struct more { uint32_t addr; uint32_t ref; } *more;   /* continuation records: their object, their first reference */
	size_t nmore, capmore;
	struct { uint64_t slot, object; } *slot;      /* roots of the shot */
	size_t nslot, capslot;
	uint32_t *class_of;           /* by place in the chunk's list of classes */
	size_t nclass_of, capclass_of;

	struct registered { uint64_t start, end, key; const char *text; uint16_t source; } *reg;
	size_t nreg, capreg;
	struct tt_objects reg_at;     /* start -> index + 1 */
	struct spot **spot;
};

void
tt_graph_free(struct tt_graph *g)
{
	if (!g)
		return;
	tt_mem_free(g->mem, g->root, g->caproot * sizeof *g->root);
	tt_mem_free(g->mem, g->path, g->cappath * sizeof *g->path);
	tt_mem_free(g->mem, g->unreached, g->nunreached * sizeof *g->unreached);
	tt_tally_free(&g->by_class);
	tt_tally_free(&g->by_root);
	tt_mem_free(g->mem, g, sizeof *g);
}

static int
begin(struct tt_run *r, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;
	struct tt_gather_graph *g;

	if (r->graph)
		return TT_OK;
	if (!(r->m->graph = tt_mem_alloc(mem, sizeof *r->m->graph, err)))
		return err->code;
	r->m->graph->mem = mem;
	tt_tally_init(&r->m->graph->by_class, mem);
	tt_tally_init(&r->m->graph->by_root, mem);
	if (!(g = r->graph = tt_mem_alloc(mem, sizeof *g, err)))
		return err->code;
	g->addr.mem = g->class.mem = g->ref.mem = g->has.mem = mem;
	tt_objects_init(&g->reg_at, mem);
	return TT_OK;
}

/* --- collecting ------------------------------------------------------------------------ */

static void
forget(struct tt_gather_graph *g, struct tt_mem *mem)
{
	tt_pages_free(&g->addr);
	tt_pages_free(&g->class);
	tt_pages_free(&g->ref);
	tt_pages_free(&g->has);
	for (size_t i = 0; g->spot && i < SPOTS; i++)
		if (g->spot[i])
			tt_mem_free(mem, g->spot[i], sizeof *g->spot[i]);
	tt_mem_free(mem, g->spot, g->spot ? SPOTS * sizeof *g->spot : 0);
	g->spot = NULL;
	g->on = false;
}

/* 31 bits for an address; NOWHERE: too far from the first object. */
static uint32_t
near(const struct tt_gather_graph *g, uint64_t addr)
{
	uint64_t v = (addr >> 3) - g->base + FAR;

	return v < NOWHERE ? (uint32_t)v : NOWHERE;
}

static int
add_object(struct tt_gathering *gg, uint64_t head, uint64_t about, const uint64_t *ref, struct tt_err *err)
{
	struct tt_gather_graph *g = gg->r->graph;
	size_t n = about >> 32, i = g->addr.n;
	bool more = head & 1;
	uint32_t at;
	int rc = TT_OK;

	if (i == 0 && g->nmore == 0)
		g->base = head >> 3;
	at = near(g, head);
	gg->r->m->graph->far |= at == NOWHERE;
	if (more) {
		if (n == 0)
			return TT_OK;
		rc = tt_mem_grow(&gg->r->env->mem, &g->more, &g->capmore, g->nmore + 1, sizeof *g->more, err);
		if (rc == TT_OK)
			g->more[g->nmore++] = (struct more){ at, (uint32_t)g->ref.n };
	} else {
		rc = tt_pages_push(&g->addr, at, err);
		if (rc == TT_OK)
			rc = tt_pages_push(&g->class, g->class_of[about & UINT32_MAX], err);
		if (rc == TT_OK)
			rc = tt_pages_room(&g->has, i / 32 + 1, err);
		if (rc == TT_OK && n)
			*tt_pages_at(&g->has, i / 32) |= 1u << i % 32;
	}
	for (size_t k = 0; k < n && rc == TT_OK; k++)
		rc = tt_pages_push(&g->ref, near(g, ref[k]) | (k + 1 == n ? LAST : 0), err);
	return rc;
}

static int
objects(struct tt_gathering *gg, const struct tt_event *e, struct tt_err *err)
{
	const uint64_t *w = gg->b->word + e->val, *end = w + e[1].val;
	int rc = TT_OK;

	while (w < end && rc == TT_OK) {
		rc = add_object(gg, w[0], w[1], w + 2, err);
		w += 2 + (w[1] >> 32);
	}
	gg->r->graph->nclass_of = 0;
	return rc;
}

static int
class_event(struct tt_gathering *gg, const struct tt_event *e, struct tt_err *err)
{
	struct tt_gather_graph *g = gg->r->graph;
	int rc = tt_mem_grow(&gg->r->env->mem, &g->class_of, &g->capclass_of, g->nclass_of + 1, sizeof *g->class_of, err);

	if (rc == TT_OK)
		rc = tt_gather_class(gg, e->val, e->ts, &g->class_of[g->nclass_of++], err);
	return rc;
}

static int
roots(struct tt_gathering *gg, const struct tt_event *e, struct tt_err *err)
{
	struct tt_gather_graph *g = gg->r->graph;
	const uint64_t *w = gg->b->word + e[1].val;
	int rc = tt_mem_grow(&gg->r->env->mem, &g->slot, &g->capslot, g->nslot + e->val, sizeof *g->slot, err);

	for (uint64_t i = 0; i < e->val && rc == TT_OK; i++) {
		g->slot[g->nslot].slot = w[2 * i];
		g->slot[g->nslot++].object = w[2 * i + 1];
	}
	return rc;
}

static int
registration(struct tt_gathering *gg, const struct tt_event *e, struct tt_err *err)
{
	struct tt_gather_graph *g = gg->r->graph;
	uint64_t at;
	int rc;

	/* What is registered stays so until its address is given back or used again. */
	if (tt_objects_get(&g->reg_at, e->val, &at))
		g->reg[at - 1].end = g->reg[at - 1].start;
	tt_objects_drop(&g->reg_at, e->val);
	if (e->flags & TT_F_END)
		return TT_OK;
	rc = tt_mem_grow(&gg->r->env->mem, &g->reg, &g->capreg, g->nreg + 1, sizeof *g->reg, err);
	if (rc != TT_OK)
		return rc;
	const char *text = "";
	if (e[2].kind == TT_ARG && e[2].dur)
		text = tt_arena_text(&gg->in->cap->arena, gg->b->text.p + e[2].val, e[2].dur, err);
	if (!text)
		return err->code;
	g->reg[g->nreg++] = (struct registered){ e->val, e->val + (uint64_t)e[1].ts, e[1].val, text, e->depth };
	return tt_objects_set(&g->reg_at, e->val, g->nreg, err);
}

/* --- walking ------------------------------------------------------------------------------ */

struct walk {
	struct tt_run *r;
	struct tt_gather_graph *g;
	struct tt_graph *m;
	bool old;                     /* roots have kinds, not slots */
	struct tt_pages first;        /* by STRIDE objects: their first reference, and continuation records before it */
	struct tt_pages path, queue;  /* by object: its path; objects to look at */
	struct tt_tally next;         /* path << 32 | class: path + 1 */
	struct tt_tally root_at;
	struct { uint32_t object, ref; } *more;
	size_t nmore;
	size_t eaten;
};

/* How many objects lie below the address; false: there is none at it. */
static bool
rank_of(const struct tt_gather_graph *g, uint32_t at, uint32_t *rank)
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
	struct tt_gather_graph *g = w->g;
	struct tt_mem *mem = &w->r->env->mem;
	uint32_t n = 0;

	if (!(g->spot = tt_mem_alloc(mem, SPOTS * sizeof *g->spot, err)))
		return err->code;
	for (size_t i = 0; i < g->addr.n; i++) {
		uint32_t at = *tt_pages_at(&g->addr, i);
		if (at == NOWHERE)
			continue;
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

/* References by number of the object they lead to, instead of its address. */
static int
resolve(struct walk *w, struct tt_err *err)
{
	struct tt_gather_graph *g = w->g;
	struct tt_pages number = { .mem = &w->r->env->mem };
	int rc = mark_objects(w, err);
	uint32_t rank;

	if (rc == TT_OK)
		rc = tt_pages_room(&number, g->addr.n, err);
	for (size_t i = 0; i < g->addr.n && rc == TT_OK; i++)
		if (rank_of(g, *tt_pages_at(&g->addr, i), &rank))
			*tt_pages_at(&number, rank) = (uint32_t)i;
	tt_pages_free(&g->addr);
	for (size_t i = 0; i < g->ref.n && rc == TT_OK; i++) {
		uint32_t *ref = tt_pages_at(&g->ref, i), to = object_at(w, &number, *ref & ~LAST);
		w->m->outside += to == NOWHERE;
		*ref = to | (*ref & LAST);
	}
	for (size_t i = 0; i < g->nmore && rc == TT_OK; i++)
		g->more[i].addr = object_at(w, &number, g->more[i].addr);
	for (size_t i = 0; i < g->nslot && rc == TT_OK; i++)
		g->slot[i].object = object_at(w, &number, near(g, g->slot[i].object));
	tt_pages_free(&number);
	return rc;
}

static int
by_object(const void *a, const void *b)
{
	const struct more *x = a, *y = b;

	return x->addr != y->addr ? (x->addr > y->addr) - (x->addr < y->addr) : (x->ref > y->ref) - (x->ref < y->ref);
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

/* The first reference behind those of the record that begins at ${ref}. */
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
 * Where references of objects begin is noted once in STRIDE objects. Continuation records stand between those of the
 * objects, in the order of the file: they are stepped over.
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

/* The path of an object of ${class} that is reached from path ${up}. */
static int
step(struct walk *w, uint32_t up, uint32_t class, uint32_t *path, struct tt_err *err)
{
	struct tt_graph *m = w->m;
	uint32_t p = up;
	uint64_t *at;
	int rc;

	for (int i = 0; i < NEAR && m->path[p].up != 0; i++, p = m->path[p].up) {
		if (m->path[p].what == class) {
			*path = p;
			return TT_OK;
		}
	}
	if (!(at = tt_tally_at(&w->next, (uint64_t)up << 32 | class, err)))
		return err->code;
	if (*at == 0 && m->npath >= TT_GRAPH_PATHS_MAX) {
		m->deeper++;
		*path = up;
		return TT_OK;
	}
	if (*at == 0) {
		rc = tt_mem_grow(m->mem, &m->path, &m->cappath, m->npath + 1, sizeof *m->path, err);
		if (rc != TT_OK)
			return rc;
		m->path[m->npath++] = (struct tt_graph_path){ .up = up, .what = class };
		*at = m->npath;
	}
	*path = (uint32_t)*at - 1;
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
	w->m->reached++;
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

	return (x->start > y->start) - (x->start < y->start);
}

/* What kind of root the slot is. */
static struct tt_graph_root
root_of(const struct walk *w, uint64_t slot)
{
	const struct tt_gather_graph *g = w->g;
	size_t lo = 0, hi = g->nreg;

	if (w->old)
		return (struct tt_graph_root){ .text = "", .source = slot & 1 ? TT_ROOT_STACK : slot & 2 ? TT_ROOT_FINALIZER :
		    slot & 4 ? TT_ROOT_HANDLE : TT_ROOT_UNKNOWN };
	if (slot >= 1 && slot <= 4)
		return (struct tt_graph_root){ .text = "", .source = slot <= 2 ? TT_ROOT_FINALIZER :
		    slot == 3 ? TT_ROOT_EPHEMERON : TT_ROOT_TOGGLE_REF };
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (g->reg[mid].start <= slot)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || slot >= g->reg[lo - 1].end)
		return (struct tt_graph_root){ .text = "", .source = TT_ROOT_UNKNOWN };
	const struct registered *r = &g->reg[lo - 1];
	return (struct tt_graph_root){ .key = r->key, .text = r->text,
		.source = r->source < TT_ROOT_UNKNOWN ? r->source : TT_ROOT_UNKNOWN };
}

/* The index of the roots alike; each is the beginning of paths. */
static int
root_index(struct walk *w, const struct tt_graph_root *of, uint32_t *which, struct tt_err *err)
{
	struct tt_graph *m = w->m;
	int rc;

	for (uint64_t k = of->key * 0x9E3779B97F4A7C15u + of->source;; k++) {
		uint64_t *at = tt_tally_at(&w->root_at, k, err);
		if (!at)
			return err->code;
		if (*at && (m->root[*at - 1].key != of->key || m->root[*at - 1].source != of->source))
			continue;
		if (*at == 0) {
			rc = tt_mem_grow(m->mem, &m->root, &m->caproot, m->nroot + 1, sizeof *m->root, err);
			if (rc == TT_OK)
				rc = tt_mem_grow(m->mem, &m->path, &m->cappath, m->npath + 1, sizeof *m->path, err);
			if (rc != TT_OK)
				return rc;
			m->root[m->nroot] = *of;
			m->path[m->npath++] = (struct tt_graph_path){ .what = (uint32_t)m->nroot };
			*at = ++m->nroot;
		}
		*which = (uint32_t)*at - 1;
		return TT_OK;
	}
}

/* Path 0 is for what is not reached, path 1 + i for root i. */
static int
begin_paths(struct walk *w, struct tt_err *err)
{
	struct tt_gather_graph *g = w->g;
	int rc = tt_mem_grow(w->m->mem, &w->m->path, &w->m->cappath, 1, sizeof *w->m->path, err);
	uint32_t *of;

	if (rc != TT_OK)
		return rc;
	w->m->npath = 1;
	if (g->nreg)
		qsort(g->reg, g->nreg, sizeof *g->reg, by_start);
	if (!(of = tt_mem_alloc(w->m->mem, g->nslot * sizeof *of, err)))
		return err->code;
	for (size_t i = 0; i < g->nslot && rc == TT_OK; i++) {
		struct tt_graph_root root = root_of(w, g->slot[i].slot);
		rc = root_index(w, &root, &of[i], err);
	}
	for (size_t i = 0; i < g->nslot && rc == TT_OK; i++) {
		if (g->slot[i].object == NOWHERE)
			continue;
		uint32_t to = (uint32_t)g->slot[i].object;
		uint64_t *n = tt_tally_at(&w->m->by_root, (uint64_t)of[i] << 32 | *tt_pages_at(&g->class, to), err);
		if (!n) {
			rc = err->code;
			break;
		}
		++*n;
		w->m->root[of[i]].n++;
		rc = reach_from(w, 1 + of[i], to, err);
	}
	tt_mem_free(w->m->mem, of, g->nslot * sizeof *of);
	return rc;
}

/* All references of one object. */
static int
follow(struct walk *w, uint32_t i, struct tt_err *err)
{
	size_t lo = 0, hi = w->nmore;
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
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (w->g->more[mid].addr < i)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < w->nmore && w->g->more[lo].addr == i && rc == TT_OK; lo++)
		rc = run_of(w, i, w->g->more[lo].ref, reach, err);
	return rc;
}

static int
walk_roots(struct walk *w, struct tt_err *err)
{
	int rc = tt_pages_room(&w->path, w->g->class.n, err);

	if (rc == TT_OK)
		rc = begin_paths(w, err);
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

	m->nunreached = w->r->m->shots->nkey;
	m->unreached = tt_mem_alloc(m->mem, m->nunreached * sizeof *m->unreached, err);
	if (!m->unreached)
		return err->code;
	for (size_t i = 0; i < w->g->class.n; i++)
		m->unreached[*tt_pages_at(&w->g->class, i)] += *tt_pages_at(&w->path, i) == 0;
	return TT_OK;
}

/* The order of continuation records in the file, as they were added, is kept beside that by object. */
static int
sort_more(struct walk *w, struct tt_err *err)
{
	w->nmore = w->g->nmore;
	w->more = tt_mem_alloc(w->m->mem, w->nmore * sizeof *w->more, err);
	if (!w->more)
		return err->code;
	for (size_t i = 0; i < w->nmore; i++)
		w->more[i].ref = w->g->more[i].ref;
	if (w->nmore)
		qsort(w->g->more, w->nmore, sizeof *w->g->more, by_object);
	return TT_OK;
}

static int
walk(struct walk *w, struct tt_err *err)
{
	int rc = resolve(w, err);

	if (rc == TT_OK)
		rc = sort_more(w, err);
	if (rc == TT_OK)
		rc = count_classes(w, err);
	if (rc == TT_OK)
		rc = walk_roots(w, err);
	return rc == TT_OK ? count_unreached(w, err) : rc;
}

/* --- the gatherer --------------------------------------------------------------------------- */

/* There is no room: the class tables come all the same. */
static int
give_up(struct tt_run *r, int rc, struct tt_err *err)
{
	struct tt_graph *m = r->m->graph;

	if (rc != TT_E_LIMIT)
		return rc;
	forget(r->graph, &r->env->mem);
	m->over = true;
	*err = (struct tt_err){ .at = TT_NOWHERE };
	return TT_OK;
}

static void
shot_event(struct tt_gathering *gg, const struct tt_event *e)
{
	struct tt_gather_graph *g = gg->r->graph;
	struct tt_graph *m = gg->r->m->graph;
	struct tt_shots *s = gg->r->m->shots;

	if (!(e->flags & TT_F_END)) {
		if (!tt_run_in_time(gg->r, e->ts))
			return;
		forget(g, &gg->r->env->mem);
		g->addr.n = g->class.n = g->ref.n = g->has.n = g->nmore = g->nslot = 0;
		m->over = m->far = false;
		m->shot = 0;
		g->on = true;
		g->process = gg->in->cap->process;
		return;
	}
	if (g->on || m->over)
		m->shot = s ? s->n : 0;
	g->on = false;
}

int
tt_gather_graph_event(struct tt_gathering *gg, const struct tt_event *e, struct tt_err *err)
{
	struct tt_gather_graph *g;
	int rc = begin(gg->r, err);

	if (rc != TT_OK)
		return rc;
	g = gg->r->graph;
	switch (e->kind) {
	case TT_ROOT:
		return registration(gg, e, err);
	case TT_HEAP_SHOT:
		shot_event(gg, e);
		return TT_OK;
	case TT_HEAP_CLASS:
		return g->on ? give_up(gg->r, class_event(gg, e, err), err) : TT_OK;
	case TT_HEAP_GRAPH:
		return g->on ? give_up(gg->r, objects(gg, e, err), err) : TT_OK;
	case TT_HEAP_ROOTS:
		return g->on && (e->flags & TT_F_MORE) ? give_up(gg->r, roots(gg, e, err), err) : TT_OK;
	default:
		return TT_OK;
	}
}

int
tt_gather_graph_finish(struct tt_run *r, struct tt_err *err)
{
	struct tt_gather_graph *g = r->graph;
	struct tt_graph *m = r->m->graph;
	struct walk w = { .r = r, .g = g, .m = m };
	struct tt_mem *mem = &r->env->mem;
	int rc = TT_OK;

	if (!g || m->shot == 0)
		return TT_OK;
	const struct tt_shot *s = &r->m->shots->shot[m->shot - 1];
	m->objects = s->n;
	m->refs = s->refs;
	m->need = s->n * 13 + s->refs * 4 + (1 << 20);
	w.old = r->in[s->process].cap->old_roots;
	w.first.mem = w.path.mem = w.queue.mem = mem;
	tt_tally_init(&w.next, mem);
	tt_tally_init(&w.root_at, mem);
	if (!m->over && !m->far)
		rc = give_up(r, walk(&w, err), err);
	tt_mem_free(mem, w.more, w.more ? w.nmore * sizeof *w.more : 0);
	tt_pages_free(&w.first);
	tt_pages_free(&w.path);
	tt_pages_free(&w.queue);
	tt_tally_free(&w.next);
	tt_tally_free(&w.root_at);
	forget(g, mem);
	return rc;
}

void
tt_gather_graph_free(struct tt_run *r)
{
	struct tt_gather_graph *g = r->graph;
	struct tt_mem *mem = &r->env->mem;

	if (!g)
		return;
	forget(g, mem);
	tt_mem_free(mem, g->more, g->capmore * sizeof *g->more);
	tt_mem_free(mem, g->slot, g->capslot * sizeof *g->slot);
	tt_mem_free(mem, g->class_of, g->capclass_of * sizeof *g->class_of);
	tt_mem_free(mem, g->reg, g->capreg * sizeof *g->reg);
	tt_objects_free(&g->reg_at);
	tt_mem_free(mem, g, sizeof *g);
	r->graph = NULL;
}

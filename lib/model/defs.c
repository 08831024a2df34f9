/**
 * Finds definitions by key and time.
 */
#include "model/defs.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/hash_seed.h"
#include "base/map.h"
#include "base/order.h"

/* Stand-in keys for classes whose own key means several things: no process has code or data there. */
#define ALIAS      0xFFF7000000000000u
#define ALIAS_V    0xFFF6000000000000u        /* ... for vtables, each of which belongs to one domain */
#define ALIAS_MASK 0xFFFFFFFF00000000u

/* Prefer writers: a stream of look-ups must not keep a thread that adds definitions waiting. */
#ifndef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#define PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP PTHREAD_RWLOCK_INITIALIZER
#endif

/* Definitions of one kind: all in order of addition, and a hash of one entry per key. */
struct kind {
	struct entry **all;
	size_t n, cap;
	struct tt_map root;           /* by key: the index in ${all} of the root of the key's treap */
};

/*
 * The meanings of a key are kept in a treap by time (of equal times, the one added later counts as later), so that
 * a capture whose definitions come in the worst order costs no more than a logarithm. Ranks are random, or a capture
 * could be made for them; they show in no output.
 */
struct entry {
	struct tt_def d;
	struct entry *before, *after;
	uint32_t rank;
	uint32_t index;               /* in kind.all */
};

struct tt_defs {
	struct tt_mem *mem;
	pthread_rwlock_t lock;        /* for threads that look up while definitions are added; the writer itself looks up without it */
	struct tt_arena arena;
	struct kind kind[TT_DEF_KINDS];
	bool reused;
	uint64_t random;
	const struct tt_def **symbol; /* by address; made on demand */
	size_t nsymbol;
};

int
tt_defs_new(struct tt_mem *mem, struct tt_defs **defs, struct tt_err *err)
{
	struct tt_defs *d = tt_mem_alloc(mem, sizeof *d, err);

	if (!d)
		return err->code;
	d->mem = mem;
	d->lock = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
	tt_arena_init(&d->arena, mem);
	d->random = tt_seed_factor;
	*defs = d;
	return TT_OK;
}

void
tt_defs_free(struct tt_defs *d)
{
	if (!d)
		return;
	for (size_t k = 0; k < TT_DEF_KINDS; k++) {
		tt_mem_free(d->mem, d->kind[k].all, d->kind[k].cap * sizeof *d->kind[k].all);
		tt_map_free(&d->kind[k].root, d->mem);
	}
	tt_mem_free(d->mem, d->symbol, d->nsymbol * sizeof *d->symbol);
	tt_arena_free(&d->arena);
	pthread_rwlock_destroy(&d->lock);
	tt_mem_free(d->mem, d, sizeof *d);
}

/* The root of the entries of ${key}, or NULL. */
static struct entry *
find_root(const struct kind *k, uint64_t key)
{
	uint32_t at = tt_map_find(&k->root, tt_seeded_mix(0, key), i, k->all[i]->d.key == key);

	return at ? k->all[at - 1] : NULL;
}

static bool
same_text(const char *a, uint32_t na, const char *b, uint32_t nb)
{
	return na == nb && (na == 0 || memcmp(a, b, na) == 0);
}

static bool
same_meaning(const struct tt_def *a, const struct tt_def *b)
{
	/* A fact that is set again is reported again. */
	if (a->kind == TT_DEF_META && a->ts != b->ts)
		return false;
	return a->a == b->a && a->b == b->b && same_text(a->text, a->len, b->text, b->len) &&
	    same_text(a->text2, a->len2, b->text2, b->len2);
}

/* True if ${d} repeats ${known}. A thread id named at another time means another thread. */
static bool
repeats(const struct tt_def *known, const struct tt_def *d)
{
	return same_meaning(known, d) && (d->kind != TT_DEF_THREAD || d->ts == known->ts);
}

static int
copy_text(struct tt_defs *defs, struct tt_def *d, struct tt_err *err)
{
	const char *t = tt_arena_text(&defs->arena, d->text ? d->text : "", d->len, err);
	const char *t2 = t && d->len2 ? tt_arena_text(&defs->arena, d->text2, d->len2, err) : "";

	if (!t || !t2)
		return err->code;
	d->text = t;
	d->text2 = t2;
	return TT_OK;
}

/* Split the treap ${e}: entries up to ${ts} go to *${low}, later ones to *${high}. */
static void
part(struct entry *e, int64_t ts, struct entry **low, struct entry **high)
{
	while (e) {
		if (e->d.ts <= ts) {
			*low = e;
			low = &e->after;
			e = e->after;
		} else {
			*high = e;
			high = &e->before;
			e = e->before;
		}
	}
	*low = *high = NULL;
}

/* Insert ${e} into the treap *${root}. */
static void
place(struct entry **root, struct entry *e)
{
	while (*root && (*root)->rank >= e->rank)
		root = (*root)->d.ts <= e->d.ts ? &(*root)->after : &(*root)->before;
	part(*root, e->d.ts, &e->before, &e->after);
	*root = e;
}

/* The latest entry of the treap ${e} up to ${ts}; if there is none, the first entry. */
static struct entry *
latest(struct entry *e, int64_t ts)
{
	struct entry *found = NULL, *first = e;

	while (e) {
		first = e;
		if (e->d.ts <= ts) {
			found = e;
			e = e->after;
		} else {
			e = e->before;
		}
	}
	return found ? found : first;
}

/* Insert ${e}, for which room is reserved; ${root}: the treap of its key so far, or NULL. */
static int
enter(struct tt_defs *defs, struct kind *k, struct entry *root, struct entry *e, struct tt_err *err)
{
	struct entry *const old = root;

	k->all[k->n++] = e;
	place(&root, e);
	if (!old)
		return tt_map_add(&k->root, defs->mem, tt_seeded_mix(0, e->d.key), e->index, err);
	if (e->d.kind == TT_DEF_CLASS || e->d.kind == TT_DEF_VTABLE)
		defs->reused = true;
	if (root != old)
		tt_map_replace(&k->root, tt_seeded_mix(0, e->d.key), old->index, root->index);
	return TT_OK;
}

int
tt_defs_add(struct tt_defs *defs, const struct tt_def *d, struct tt_err *err)
{
	struct kind *k = &defs->kind[d->kind];
	struct entry *root = find_root(k, d->key), *at = latest(root, d->ts), *e;
	int rc;

	/* Most definitions repeat a known one, and need no lock. */
	if (at && repeats(&at->d, d)) {
		if (d->ts >= at->d.ts)
			return TT_OK;
		pthread_rwlock_wrlock(&defs->lock);
		at->d.ts = d->ts;
		pthread_rwlock_unlock(&defs->lock);
		return TT_OK;
	}
	if (!(e = tt_arena_alloc(&defs->arena, sizeof *e, err)))
		return err->code;
	e->d = *d;
	if ((rc = copy_text(defs, &e->d, err)) != TT_OK)
		return rc;
	defs->random = defs->random * 6364136223846793005u + 1442695040888963407u;
	e->rank = (uint32_t)(defs->random >> 32);
	e->index = (uint32_t)k->n;
	pthread_rwlock_wrlock(&defs->lock);
	rc = tt_mem_grow(defs->mem, &k->all, &k->cap, k->n + 1, sizeof *k->all, err);
	TT_THEN(rc, enter(defs, k, root, e, err));
	pthread_rwlock_unlock(&defs->lock);
	return rc;
}

/* Lock for a look-up, while another thread may add definitions. */
static void
begin_look(const struct tt_defs *defs)
{
	pthread_rwlock_rdlock((pthread_rwlock_t *)(uintptr_t)&defs->lock);
}

static void
end_look(const struct tt_defs *defs)
{
	pthread_rwlock_unlock((pthread_rwlock_t *)(uintptr_t)&defs->lock);
}

static const struct tt_def *
find(const struct tt_defs *defs, enum tt_def_kind kind, uint64_t key, int64_t ts)
{
	const struct entry *e = latest(find_root(&defs->kind[kind], key), ts);

	return e ? &e->d : NULL;
}

const struct tt_def *
tt_defs_find(const struct tt_defs *defs, enum tt_def_kind kind, uint64_t key, int64_t ts)
{
	begin_look(defs);
	const struct tt_def *d = find(defs, kind, key, ts);
	end_look(defs);
	return d;
}

/* If times are equal, the definition that was added later counts as the later. */
const struct tt_def *
tt_defs_next(const struct tt_defs *defs, const struct tt_def *d)
{
	const struct entry *of = (const struct entry *)(const void *)d, *next = NULL;

	begin_look(defs);
	for (const struct entry *e = find_root(&defs->kind[d->kind], d->key); e;) {
		if (e->d.ts > d->ts || (e->d.ts == d->ts && e->index > of->index)) {
			next = e;
			e = e->before;
		} else {
			e = e->after;
		}
	}
	end_look(defs);
	return next ? &next->d : NULL;
}

const struct tt_def *
tt_defs_at(const struct tt_defs *defs, enum tt_def_kind kind, size_t i)
{
	begin_look(defs);
	const struct tt_def *d = i < defs->kind[kind].n ? &defs->kind[kind].all[i]->d : NULL;
	end_look(defs);
	return d;
}

size_t
tt_defs_count(const struct tt_defs *defs, enum tt_def_kind kind)
{
	begin_look(defs);
	const size_t n = defs->kind[kind].n;
	end_look(defs);
	return n;
}

bool
tt_defs_reused(const struct tt_defs *defs)
{
	begin_look(defs);
	const bool is = defs->reused;
	end_look(defs);
	return is;
}

static bool
several(const struct entry *e)
{
	return e->before || e->after;
}

static bool
is_reused(const struct tt_defs *defs, uint64_t key)
{
	const struct entry *e = find_root(&defs->kind[TT_DEF_VTABLE], key);

	if (e) {
		if (several(e))
			return true;
		e = find_root(&defs->kind[TT_DEF_CLASS], e->d.b);
	} else {
		e = find_root(&defs->kind[TT_DEF_CLASS], key);
	}
	return e && several(e);
}

bool
tt_defs_key_reused(const struct tt_defs *defs, uint64_t key)
{
	begin_look(defs);
	const bool is = is_reused(defs, key);
	end_look(defs);
	return is;
}

static const struct tt_def *
vtable(const struct tt_defs *defs, uint64_t key, int64_t ts)
{
	const struct kind *k = &defs->kind[TT_DEF_VTABLE];

	if ((key & ALIAS_MASK) == ALIAS_V && (key & ~ALIAS_MASK) < k->n)
		return &k->all[key & ~ALIAS_MASK]->d;
	return find(defs, TT_DEF_VTABLE, key, ts);
}

const struct tt_def *
tt_defs_vtable(const struct tt_defs *defs, uint64_t key, int64_t ts)
{
	begin_look(defs);
	const struct tt_def *d = vtable(defs, key, ts);
	end_look(defs);
	return d;
}

static const struct tt_def *
class_of(const struct tt_defs *defs, uint64_t key, int64_t ts)
{
	const struct kind *k = &defs->kind[TT_DEF_CLASS];

	if ((key & ALIAS_MASK) == ALIAS && (key & ~ALIAS_MASK) < k->n)
		return &k->all[key & ~ALIAS_MASK]->d;
	const struct tt_def *v = vtable(defs, key, ts);

	if ((key & ALIAS_MASK) == ALIAS_V && v)
		return find(defs, TT_DEF_CLASS, v->b, v->ts);
	if (!v)
		return find(defs, TT_DEF_CLASS, key, ts);
	/* A vtable defined again, unchanged, for a new class at the same address stays one definition: look up its class by time, too. */
	return find(defs, TT_DEF_CLASS, v->b, ts > v->ts ? ts : v->ts);
}

const struct tt_def *
tt_defs_class(const struct tt_defs *defs, uint64_t key, int64_t ts)
{
	begin_look(defs);
	const struct tt_def *d = class_of(defs, key, ts);
	end_look(defs);
	return d;
}

static uint64_t
alias(const struct tt_defs *defs, uint64_t key, int64_t ts)
{
	if (!is_reused(defs, key))
		return key;
	const struct entry *v = find_root(&defs->kind[TT_DEF_VTABLE], key);
	if (v && several(v)) {
		const struct tt_def *is = find(defs, TT_DEF_VTABLE, key, ts);
		return ALIAS_V | ((const struct entry *)(const void *)is)->index;
	}
	const struct tt_def *d = class_of(defs, key, ts);
	return d ? ALIAS | ((const struct entry *)(const void *)d)->index : key;
}

uint64_t
tt_defs_alias(const struct tt_defs *defs, uint64_t key, int64_t ts)
{
	begin_look(defs);
	const uint64_t is = alias(defs, key, ts);
	end_look(defs);
	return is;
}

static int
by_address(const void *a, const void *b)
{
	uint64_t x = (*(const struct tt_def *const *)a)->key, y = (*(const struct tt_def *const *)b)->key;

	return TT_CMP(x, y);
}

int
tt_defs_sort_symbols(struct tt_defs *defs, struct tt_err *err)
{
	const struct kind *k = &defs->kind[TT_DEF_SYMBOL];

	if (defs->symbol || k->n == 0)
		return TT_OK;
	defs->symbol = tt_mem_alloc(defs->mem, k->n * sizeof *defs->symbol, err);
	if (!defs->symbol)
		return err->code;
	defs->nsymbol = k->n;
	for (size_t i = 0; i < k->n; i++)
		defs->symbol[i] = &k->all[i]->d;
	tt_sort(defs->symbol, defs->nsymbol, by_address);
	return TT_OK;
}

const struct tt_def *
tt_defs_symbol(const struct tt_defs *defs, uint64_t ip, uint64_t reach)
{
	size_t lo = tt_lower_bound(k, 0, defs->nsymbol, defs->symbol[k]->key <= ip);
	return lo > 0 && ip - defs->symbol[lo - 1]->key <= reach ? defs->symbol[lo - 1] : NULL;
}

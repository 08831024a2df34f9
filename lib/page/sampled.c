/**
 * Makes a flame graph of the stacks of samples: a box is as wide as the number of samples with its path, in the units of the table of samples.
 *
 * Memory: 4 bytes for each node of the call tree, and 56 for each path of samples, while the graph is made.
 */
#include "base/map.h"
#include "base/order.h"
#include "page/flame.h"
#include "view/view.h"

#define NOTHING UINT32_MAX

/* A path of methods; the first ones are threads. */
struct path {
	const char *name;
	uint32_t up, row, key;        /* key: distinguishes siblings */
	uint64_t self, total;
	uint32_t child, sibling;      /* first child, next sibling; NOTHING: none */
};

struct sampled {
	const struct tt_paths *p;
	struct tt_mem *mem;
	struct tt_map map;
	struct path *v;
	uint32_t *at;                 /* by node of the tree: its path */
	size_t n, cap;
};

/* Find or add the path ${key} below ${up}. NOTHING: an error. */
static uint32_t
below(struct sampled *s, uint32_t up, uint32_t key, uint32_t row, const char *name, struct tt_err *err)
{
	uint64_t hash = tt_seeded_pair(up, key);
	uint32_t at = tt_map_find(&s->map, hash, i, s->v[i].up == up && s->v[i].key == key);

	if (at)
		return at - 1;
	if (tt_map_push(&s->map, s->mem, hash, &s->v, &s->cap, s->n, err) != TT_OK)
		return NOTHING;
	s->v[s->n] = (struct path){ .name = name, .up = up, .key = key, .row = row, .child = NOTHING, .sibling = NOTHING };
	return (uint32_t)s->n++;
}

static uint32_t
place(struct sampled *s, uint32_t node, struct tt_err *err)
{
	const struct tt_node *n = tt_paths_node(s->p, node);
	uint32_t owner = s->p->owner[node], row;

	if (n->kind == TT_NODE_SAMPLES) {
		const struct tt_thread *t = tt_paths_thread(s->p, node);

		return below(s, NOTHING, t ? t->index : NOTHING, TT_NO_ROW, t ? t->name : "", err);
	}
	if (owner != node)
		return s->at[owner];
	row = tt_paths_row(s->p, node);
	return row == TT_NO_ROW ? s->at[n->parent] : below(s, s->at[n->parent], row, row, s->p->row[row].label, err);
}

static int
count(struct sampled *s, struct tt_err *err)
{
	for (uint32_t i = 0; i < s->p->n; i++) {
		uint64_t n = tt_paths_sampled(s->p, i) ? tt_paths_count(s->p, i).n : 0;
		uint32_t at;

		s->at[i] = NOTHING;
		if (!tt_paths_sampled(s->p, i))
			continue;
		at = s->at[i] = place(s, i, err);
		/* samples without a method on their stack */
		if (at != NOTHING && n && s->v[at].up == NOTHING)
			at = below(s, at, NOTHING, TT_NO_ROW, TT_NATIVE, err);
		if (at == NOTHING)
			return err->code ? err->code : TT_OK;
		s->v[at].self += n;
	}
	/* A path precedes those below it. */
	for (size_t i = s->n; i-- > 0;) {
		s->v[i].total += s->v[i].self;
		if (s->v[i].up == NOTHING)
			continue;
		s->v[s->v[i].up].total += s->v[i].total;
		s->v[i].sibling = s->v[s->v[i].up].child;
		s->v[s->v[i].up].child = (uint32_t)i;
	}
	return TT_OK;
}

struct todo { const struct path *of; uint32_t depth; };

/* Order from narrow to wide: candidates are taken from the end. */
static int
by_width(const void *a, const void *b)
{
	const struct path *x = ((const struct todo *)a)->of, *y = ((const struct todo *)b)->of;

	return x->total != y->total ? TT_CMP(x->total, y->total) : TT_CMP(y->key, x->key);
}

static uint64_t
least_of(struct sampled *s, size_t most, struct tt_flame *f, struct tt_err *err)
{
	int64_t *total = tt_mem_alloc(s->mem, (s->n + 1) * sizeof *total, err);
	uint64_t least = 1;
	size_t n = 0;

	for (size_t i = 0; total && i < s->n; i++)
		if (s->v[i].total)
			total[n++] = (int64_t)s->v[i].total;
	if (total)
		tt_sort_i64(total, n);
	if (n > most)
		least = (uint64_t)total[n - most];
	f->left_out = n;
	tt_mem_free(s->mem, total, (s->n + 1) * sizeof *total);
	return least;
}

static int
put_boxes(struct sampled *s, size_t most, struct tt_flame *f, struct tt_err *err)
{
	uint64_t least = least_of(s, most, f, err);
	struct todo *todo = err->code ? NULL : tt_mem_alloc(s->mem, (s->n + 1) * sizeof *todo, err);
	size_t n = 0;

	for (size_t i = 0; todo && i < s->n; i++)
		if (s->v[i].up == NOTHING && s->v[i].total >= least)
			todo[n++] = (struct todo){ &s->v[i], 0 };
	if (todo)
		tt_sort(todo, n, by_width);
	while (n && f->n < most) {
		struct todo t = todo[--n];
		size_t from = n;

		if (tt_mem_grow(f->mem, &f->box, &f->cap, f->n + 1, sizeof *f->box, err) != TT_OK)
			break;
		f->box[f->n++] = (struct tt_flame_box){ .name = t.of->name, .total = (int64_t)t.of->total, .self = (int64_t)t.of->self, .depth = t.depth,
			.row = t.of->row };
		f->total += t.depth ? 0 : (int64_t)t.of->total;
		f->deepest = t.depth > f->deepest ? t.depth : f->deepest;
		for (uint32_t i = t.of->child; i != NOTHING; i = s->v[i].sibling)
			if (s->v[i].total >= least)
				todo[n++] = (struct todo){ &s->v[i], t.depth + 1 };
		tt_sort(todo + from, n - from, by_width);
	}
	f->left_out -= f->n;
	tt_mem_free(s->mem, todo, (s->n + 1) * sizeof *todo);
	return err->code;
}

int
tt_flame_sampled(struct tt_flame *f, struct tt_views *view, size_t most, struct tt_err *err)
{
	struct sampled s = { .p = tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_ROWS, err), .mem = &view->m->env->mem };
	int rc;

	*f = (struct tt_flame){ .mem = s.mem };
	if (!s.p)
		return err->code;
	s.at = tt_mem_alloc(s.mem, (s.p->n + 1) * sizeof *s.at, err);
	rc = s.at ? count(&s, err) : err->code;
	if (rc == TT_OK && s.n)
		rc = put_boxes(&s, most, f, err);
	tt_map_free(&s.map, s.mem);
	tt_mem_free(s.mem, s.v, s.cap * sizeof *s.v);
	tt_mem_free(s.mem, s.at, s.at ? (s.p->n + 1) * sizeof *s.at : 0);
	return rc;
}

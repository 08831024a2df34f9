/**
 * The pass "heapshot": what lives in the heap, how it differs from shot to shot and grows.
 *
 * Classes with the same name (in several domains, or loaded again) share a row. Definitions: tracetool-metrics(7), Heap shots.
 */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "pass/passes.h"
#include "collect/heap_shots.h"
#include "stat/num.h"

static const struct tt_col shot_col[] = {
	{ "shot", "shot", TT_UNIT_COUNT, "Number of the shot, from 1." },
	{ "time_ns", "time", TT_UNIT_NS, "Start of the shot." },
	{ "objects", "objects", TT_UNIT_COUNT, "Number of objects in the shot." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Bytes of these objects." },
	{ "classes", "classes", TT_UNIT_COUNT, "Number of classes with objects in the shot, as the file distinguishes them." },
	{ "references", "references", TT_UNIT_COUNT, "Number of references between objects." },
	{ "roots", "roots", TT_UNIT_COUNT, "Number of roots recorded with the shot." },
	{ "d_objects", "more objects", TT_UNIT_COUNT, "Change in objects since the previous whole shot; empty if this one is not whole." },
	{ "d_bytes", "more bytes", TT_UNIT_BYTES, "Change in bytes since the previous whole shot; empty if this one is not whole." },
	{ "continued", "continued", TT_UNIT_COUNT, "Number of records that continue the references of an object; they are not objects." },
	{ "complete", "complete", TT_UNIT_BOOL, "True if the end of the shot is in the capture." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col class_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Name of the class." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Bytes of the class's objects in the last shot." },
	{ "share", "bytes", TT_UNIT_PERCENT, "Share of the shot's bytes." },
	{ "objects", "objects", TT_UNIT_COUNT, "Number of the class's objects in the last shot." },
	{ "mean_bytes", "mean", TT_UNIT_BYTES, "Bytes per object." },
	{ "references", "references", TT_UNIT_COUNT, "Number of references that these objects hold." },
	{ "d_bytes", "more bytes", TT_UNIT_BYTES, "Change in bytes since the previous whole shot." },
	{ "d_objects", "more objects", TT_UNIT_COUNT, "Change in objects since the previous whole shot." },
};
static const struct tt_col growth_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Name of the class." },
	{ "d_bytes", "growth", TT_UNIT_BYTES, "Change in bytes from the first to the last shot." },
	{ "d_objects", "more objects", TT_UNIT_COUNT, "Change in objects from the first to the last shot." },
	{ "first_bytes", "first", TT_UNIT_BYTES, "Bytes in the first shot." },
	{ "last_bytes", "last", TT_UNIT_BYTES, "Bytes in the last shot." },
	{ "max_bytes", "max", TT_UNIT_BYTES, "Largest number of bytes in any shot." },
	{ "grew", "grew", TT_UNIT_COUNT, "Number of shots with more bytes of the class than the previous shot." },
	{ "shrank", "shrank", TT_UNIT_COUNT, "Number of shots with fewer bytes than the previous shot." },
};
static const struct tt_col object_col[] = {
	{ "object", "object", TT_UNIT_HEX, "Address of the object in the last shot." },
	{ "class", "class", TT_UNIT_TEXT, "Name of the object's class." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Size of the object, without the objects it refers to." },
};
static const struct tt_col history_col[] = {
	{ "shot", "shot", TT_UNIT_COUNT, "Number of the shot, from 1." },
	{ "class", "class", TT_UNIT_TEXT, "Name of the class." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Bytes of the class's objects in this shot." },
	{ "objects", "objects", TT_UNIT_COUNT, "Number of the class's objects in this shot." },
	{ "references", "references", TT_UNIT_COUNT, "Number of references that these objects hold." },
	{ "roots", "roots", TT_UNIT_COUNT, "Number of references from roots to these objects; empty if there is no room in memory for the shot's graph." },
	{ "d_bytes", "more bytes", TT_UNIT_BYTES, "Change in bytes since the previous whole shot; empty if this one is not whole." },
	{ "d_objects", "more objects", TT_UNIT_COUNT, "Change in objects since the previous whole shot; empty if this one is not whole." },
};

/* A class by name in one shot. */
struct sum { int64_t n, bytes, refs, roots; };

struct fold {
	const struct tt_heap_shots *s;
	struct tt_classes classes;
	const char **name;            /* names of classes or of their groups, sorted, distinct */
	uint32_t *name_of;            /* by class index: index of its name, or NOT_WANTED */
	size_t nname;
	struct sum *now, *before;     /* sums by name */
};

#define NOT_WANTED UINT32_MAX
#define SLOTS "bytes are those of the collector's slots, which are larger than some objects: 112 bytes lie in 128"

static struct fold *
fold_of(const struct tt_making *k)
{
	return k->state;
}

static void
name_classes(struct fold *f, struct tt_err *err)
{
	const struct tt_heap_shots *s = f->s;
	size_t n = 0;

	for (size_t i = 0; i < s->nkey; i++) {
		const struct tt_class *c = tt_class_of(&f->classes, s->key_process[i], s->key[i], err);
		if (!c)
			return;
		f->name[i] = c->label;
	}
	tt_sort(f->name, s->nkey, tt_compare_texts);
	for (size_t i = 0; i < s->nkey; i++) {
		if (n == 0 || strcmp(f->name[i], f->name[n - 1]) != 0)
			f->name[n++] = f->name[i];
	}
	f->nname = n;
	for (size_t i = 0; i < s->nkey; i++) {
		const struct tt_class *c = tt_class_of(&f->classes, s->key_process[i], s->key[i], err);
		if (!c)
			return;
		const char **at = bsearch(&c->label, f->name, n, sizeof *f->name, tt_compare_texts);
		f->name_of[i] = c->wanted ? (uint32_t)(at - f->name) : NOT_WANTED;
	}
}

static void
open(struct tt_making *k)
{
	struct fold *f = fold_of(k);

	tt_classes_init(&f->classes, k->m, k->o->group, &k->r->arena);
	f->s = tt_heap_shots(k->m);
	f->name = tt_pass_alloc(k, f->s->nkey * sizeof *f->name);
	f->name_of = tt_pass_alloc(k, f->s->nkey * sizeof *f->name_of);
	f->now = tt_pass_alloc(k, f->s->nkey * sizeof *f->now);
	f->before = tt_pass_alloc(k, f->s->nkey * sizeof *f->before);
	if (f->before)
		name_classes(f, &k->r->err);
}

static void
drop(struct tt_making *k)
{
	tt_classes_free(&fold_of(k)->classes);
}

/* Sum up the classes of a kept shot by name. */
static void
sum_up(const struct fold *f, const struct tt_shot *shot, struct sum *to)
{
	memset(to, 0, f->nname * sizeof *to);
	for (size_t i = 0; i < shot->nclass; i++) {
		const struct tt_shot_class *c = &f->s->cell[shot->first + i];

		if (f->name_of[c->class] == NOT_WANTED)
			continue;
		struct sum *s = &to[f->name_of[c->class]];
		s->n += (int64_t)c->n;
		s->bytes += (int64_t)c->bytes;
		s->refs += (int64_t)c->refs;
		s->roots += (int64_t)c->roots;
	}
}

/* Return the last complete shot before ${i} of the same process whose classes are kept, or NULL. */
static const struct tt_shot *
kept_before(const struct fold *f, size_t i)
{
	uint32_t process = f->s->shot[i].process;

	while (i-- > 0) {
		if (f->s->shot[i].kept && f->s->shot[i].complete && f->s->shot[i].process == process)
			return &f->s->shot[i];
	}
	return NULL;
}

/* Return the last complete shot whose classes are kept, or NULL. */
static const struct tt_shot *
last_shot(const struct fold *f)
{
	for (size_t i = f->s->n; i-- > 0;) {
		if (f->s->shot[i].kept && f->s->shot[i].complete)
			return &f->s->shot[i];
	}
	return NULL;
}

static void
shots(struct tt_making *k, struct tt_table *t)
{
	const struct tt_heap_shots *all = tt_heap_shots(k->m);

	t->note = SLOTS;
	for (size_t i = 0; i < all->n; i++) {
		const struct tt_shot *s = &all->shot[i], *before = NULL;
		struct tt_cell *c = tt_row(t);

		for (size_t b = s->complete ? i : 0; b-- > 0 && !before;)
			before = all->shot[b].process == s->process && all->shot[b].complete ? &all->shot[b] : NULL;
		tt_cell_u64(&c[0], i + 1);
		tt_cell_int(&c[1], s->ts);
		tt_cell_u64(&c[2], s->n);
		tt_cell_u64(&c[3], s->bytes);
		tt_cell_u64(&c[4], s->nclass);
		tt_cell_u64(&c[5], s->refs);
		tt_cell_u64(&c[6], s->roots);
		if (before) {
			tt_cell_u64(&c[7], s->n - before->n);
			tt_cell_u64(&c[8], s->bytes - before->bytes);
		}
		tt_cell_u64(&c[9], s->more);
		tt_cell_int(&c[10], s->complete);
		tt_cell_int(&c[11], (int64_t)s->process + 1);
	}
	if (all->dropped || all->stray)
		t->note = tt_text(k->r, "%llu further shots and %llu objects outside any shot were left out",
		    (unsigned long long)all->dropped, (unsigned long long)all->stray);
}

static void
classes(struct tt_making *k, struct tt_table *t)
{
	struct fold *f = fold_of(k);
	const struct tt_shot *last = last_shot(f), *before;

	t->note = SLOTS;
	if (!last)
		return;
	before = kept_before(f, (size_t)(last - f->s->shot));
	sum_up(f, last, f->now);
	if (before)
		sum_up(f, before, f->before);
	for (size_t i = 0; i < f->nname; i++) {
		const struct sum *s = &f->now[i], *b = &f->before[i];
		struct tt_cell *c;

		if (s->n + s->refs == 0 && (!before || b->n == 0))
			continue;
		c = tt_row(t);
		tt_cell_text(&c[0], f->name[i]);
		tt_cell_int(&c[1], s->bytes);
		tt_put_share(&c[2], s->bytes, (int64_t)last->bytes);
		tt_cell_int(&c[3], s->n);
		if (s->n)
			tt_cell_int(&c[4], tt_ratio((uint64_t)s->bytes, 1, (uint64_t)s->n));
		tt_cell_int(&c[5], s->refs);
		if (!before)
			continue;
		tt_cell_int(&c[6], s->bytes - b->bytes);
		tt_cell_int(&c[7], s->n - b->n);
	}
	t->note = tt_text(k->r, "shot %zu%s; " SLOTS, (size_t)(last - f->s->shot) + 1,
	    before && before + 1 != last ? "; differences are to an earlier one than the one before" : "");
}

struct growth { int64_t first, last, first_n, last_n, max; uint64_t grew, shrank; };

/* Compute the growth of each name over the kept shots of ${process}. Return the number of shots. */
static size_t
walk_growth(struct fold *f, uint32_t process, struct growth *g)
{
	size_t shots = 0;

	for (size_t i = 0; i < f->s->n; i++) {
		const struct tt_shot *s = &f->s->shot[i];

		if (!s->kept || !s->complete || s->process != process)
			continue;
		sum_up(f, s, f->now);
		for (size_t k = 0; k < f->nname; k++) {
			int64_t bytes = f->now[k].bytes;

			if (shots == 0) {
				g[k].first = bytes;
				g[k].first_n = f->now[k].n;
			} else {
				g[k].grew += bytes > g[k].last;
				g[k].shrank += bytes < g[k].last;
			}
			g[k].last = bytes;
			g[k].last_n = f->now[k].n;
			if (bytes > g[k].max)
				g[k].max = bytes;
		}
		shots++;
	}
	return shots;
}

static void
growth(struct tt_making *k, struct tt_table *t)
{
	struct fold *f = fold_of(k);
	const struct tt_shot *last = last_shot(f);
	struct growth *g = last ? tt_pass_alloc(k, f->nname * sizeof *g) : NULL;

	t->note = SLOTS;
	if (!g)
		return;
	t->note = tt_text(k->r, "over %zu shots", walk_growth(f, last->process, g));
	for (size_t i = 0; i < f->nname; i++) {
		struct tt_cell *c;

		if (g[i].max == 0)
			continue;
		c = tt_row(t);
		tt_cell_text(&c[0], f->name[i]);
		tt_cell_int(&c[1], g[i].last - g[i].first);
		tt_cell_int(&c[2], g[i].last_n - g[i].first_n);
		tt_cell_int(&c[3], g[i].first);
		tt_cell_int(&c[4], g[i].last);
		tt_cell_int(&c[5], g[i].max);
		tt_cell_u64(&c[6], g[i].grew);
		tt_cell_u64(&c[7], g[i].shrank);
	}
}

static void
objects(struct tt_making *k, struct tt_table *t)
{
	struct fold *f = fold_of(k);
	const struct tt_shot *last = last_shot(f);

	t->note = SLOTS;
	for (size_t i = 0; last && i < f->s->nbig; i++) {
		const struct tt_heap_big *b = &f->s->big[i];
		const struct tt_class *class = tt_class_of(&f->classes, last->process, b->key, &k->r->err);
		struct tt_cell *c;

		if (!class || !class->wanted)
			continue;
		c = tt_row(t);
		tt_cell_u64(&c[0], b->object);
		tt_cell_text(&c[1], class->label);
		tt_cell_u64(&c[2], b->size);
	}
}

static void
object_groups(struct tt_making *k, struct tt_table *t)
{
	objects(k, t);
	tt_table_group(t, 1u << 1, 1u << 2);
	tt_table_sort(t, "bytes", &k->r->err);
}

static void
history(struct tt_making *k, struct tt_table *t)
{
	struct fold *f = fold_of(k);

	t->note = SLOTS;
	for (size_t i = 0; i < f->s->n; i++) {
		const struct tt_shot *s = &f->s->shot[i], *before = s->complete ? kept_before(f, i) : NULL;

		if (!s->kept)
			continue;
		sum_up(f, s, f->now);
		if (before)
			sum_up(f, before, f->before);
		for (size_t n = 0; n < f->nname; n++) {
			struct tt_cell *c;

			if (f->now[n].n == 0)
				continue;
			c = tt_row(t);
			tt_cell_u64(&c[0], i + 1);
			tt_cell_text(&c[1], f->name[n]);
			tt_cell_int(&c[2], f->now[n].bytes);
			tt_cell_int(&c[3], f->now[n].n);
			tt_cell_int(&c[4], f->now[n].refs);
			if (s->roots_known)
				tt_cell_int(&c[5], f->now[n].roots);
			if (!before)
				continue;
			tt_cell_int(&c[6], f->now[n].bytes - f->before[n].bytes);
			tt_cell_int(&c[7], f->now[n].n - f->before[n].n);
		}
	}
}

/* --- the pass ------------------------------------------------------------------------ */

static bool
any(const struct tt_model *m)
{
	return tt_heap_shots(m)->n;
}

static bool
has(const struct tt_making *k)
{
	return tt_heap_shots(k->m)->met;
}

#define NO_SHOT .has_rows = has, .why_empty = "no heap shot in this capture, or the filters leave none"
#define NO_WHOLE_SHOT .has_rows = has, .why_empty = "no whole heap shot in this capture, or the filters leave none"
static const struct tt_pass_table tables[] = {
	{ "heapshots", "Heap shots", shot_col, TT_NCOL(shot_col), false, TT_ON_TIME, .make_rows = shots, NO_SHOT },
	{ "heapshot_classes", "Last heap shot by class", class_col, TT_NCOL(class_col), false, TT_ON_TIME | TT_ON_NAMES,
	    TT_BY_NAME | TT_BY_DOMAIN, .make_rows = classes, .sort = "bytes", NO_WHOLE_SHOT },
	{ "heapshot_growth", "Growth over all heap shots", growth_col, TT_NCOL(growth_col), false, TT_ON_TIME | TT_ON_NAMES,
	    TT_BY_NAME | TT_BY_DOMAIN, .make_rows = growth, .sort = "d_bytes", NO_WHOLE_SHOT },
	{ "heapshot_objects", "Largest objects of the last heap shot", object_col, TT_NCOL(object_col), false,
	    TT_ON_TIME | TT_ON_NAMES, TT_BY_NAME | TT_BY_DOMAIN, 1 | TT_GROUP_COUNT, .make_rows = objects, .make_groups = object_groups, NO_WHOLE_SHOT },
	{ "heapshot_history", "Heap shots by class", history_col, TT_NCOL(history_col), true, TT_ON_TIME | TT_ON_NAMES,
	    TT_BY_NAME | TT_BY_DOMAIN, 1, .needs = TT_NEEDS_GRAPH | TT_NEEDS_ROOTS, .make_rows = history, NO_WHOLE_SHOT },
};

const struct tt_pass tt_pass_heapshot = {
	.name = "heapshot",
	.summary = "heap shots: classes, differences, growth, largest objects",
	.needs = TT_NEEDS_SHOTS,
	.is_standard = true,
	.has_tables = any,
	.state_bytes = sizeof(struct fold),
	.open = open,
	.close = drop,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

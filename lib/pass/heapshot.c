/**
 * The pass "heapshot": what lives in the heap, how it differs from shot to shot and grows.
 *
 * Classes of one name are one row: those of several domains, or loaded again. Definitions: tracetool-metrics(7), Heap shots.
 */
#include <stdlib.h>
#include <string.h>

#include "pass/passes.h"
#include "stat/num.h"

enum { H_SHOTS, H_CLASSES, H_GROWTH, H_OBJECTS, H_HISTORY };

static const struct tt_col shot_col[] = {
	{ "shot", "shot", TT_UNIT_COUNT, "Number of the shot, from 1." },
	{ "time_ns", "time", TT_UNIT_NS, "When it begins." },
	{ "objects", "objects", TT_UNIT_COUNT, "Objects in it." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Their bytes." },
	{ "classes", "classes", TT_UNIT_COUNT, "Classes with objects in it, as the file tells them apart." },
	{ "references", "references", TT_UNIT_COUNT, "References between objects." },
	{ "roots", "roots", TT_UNIT_COUNT, "Roots recorded with it." },
	{ "d_objects", "more objects", TT_UNIT_COUNT, "Objects more than in the shot before." },
	{ "d_bytes", "more bytes", TT_UNIT_BYTES, "Bytes more than in the shot before." },
	{ "continued", "continued", TT_UNIT_COUNT, "Records that continue the references of an object; they are no objects." },
	{ "complete", "complete", TT_UNIT_BOOL, "Its end is in the capture." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col class_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Name of the class." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Bytes of its objects in the last shot." },
	{ "share", "bytes", TT_UNIT_PERCENT, "Their share of the shot's bytes." },
	{ "objects", "objects", TT_UNIT_COUNT, "Its objects in the last shot." },
	{ "mean_bytes", "mean", TT_UNIT_BYTES, "Bytes per object." },
	{ "references", "references", TT_UNIT_COUNT, "References that its objects hold." },
	{ "d_bytes", "more bytes", TT_UNIT_BYTES, "Bytes more than in the shot before." },
	{ "d_objects", "more objects", TT_UNIT_COUNT, "Objects more than in the shot before." },
};
static const struct tt_col growth_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Name of the class." },
	{ "d_bytes", "growth", TT_UNIT_BYTES, "Bytes more in the last shot than in the first." },
	{ "d_objects", "more objects", TT_UNIT_COUNT, "Objects more in the last shot than in the first." },
	{ "first_bytes", "first", TT_UNIT_BYTES, "Bytes in the first shot." },
	{ "last_bytes", "last", TT_UNIT_BYTES, "Bytes in the last shot." },
	{ "max_bytes", "max", TT_UNIT_BYTES, "Most bytes in any shot." },
	{ "grew", "grew", TT_UNIT_COUNT, "Shots that have more bytes of it than the one before." },
	{ "shrank", "shrank", TT_UNIT_COUNT, "Shots that have fewer." },
};
static const struct tt_col object_col[] = {
	{ "object", "object", TT_UNIT_HEX, "Address of the object in the last shot." },
	{ "class", "class", TT_UNIT_TEXT, "Name of its class." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Its size, without what it refers to." },
};
static const struct tt_col history_col[] = {
	{ "shot", "shot", TT_UNIT_COUNT, "Number of the shot, from 1." },
	{ "class", "class", TT_UNIT_TEXT, "Name of the class." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Bytes of its objects in this shot." },
	{ "objects", "objects", TT_UNIT_COUNT, "Its objects in this shot." },
	{ "references", "references", TT_UNIT_COUNT, "References that they hold." },
	{ "roots", "roots", TT_UNIT_COUNT, "References from roots to them; empty where --max-memory leaves no room for the shot's graph." },
	{ "d_bytes", "more bytes", TT_UNIT_BYTES, "Bytes more than in the shot before." },
	{ "d_objects", "more objects", TT_UNIT_COUNT, "Objects more than in the shot before." },
};

static const struct tt_pass_table tables[] = {
	[H_SHOTS] = { "heapshots", "Heap shots", shot_col, TT_NCOL(shot_col), false, TT_ON_TIME, 0, 0 },
	[H_CLASSES] = { "heapshot_classes", "Last heap shot by class", class_col, TT_NCOL(class_col), false,
	    TT_ON_TIME | TT_ON_NAMES, TT_BY_NAME | TT_BY_DOMAIN, 0 },
	[H_GROWTH] = { "heapshot_growth", "Growth over all heap shots", growth_col, TT_NCOL(growth_col), false,
	    TT_ON_TIME | TT_ON_NAMES, TT_BY_NAME | TT_BY_DOMAIN, 0 },
	[H_OBJECTS] = { "heapshot_objects", "Largest objects of the last heap shot", object_col, TT_NCOL(object_col), false,
	    TT_ON_TIME | TT_ON_NAMES, TT_BY_NAME | TT_BY_DOMAIN, 1 | TT_GROUP_COUNT },
	[H_HISTORY] = { "heapshot_history", "Heap shots by class", history_col, TT_NCOL(history_col), true,
	    TT_ON_TIME | TT_ON_NAMES, TT_BY_NAME | TT_BY_DOMAIN, 1 },
};

static const unsigned table_needs[] = { [H_HISTORY] = TT_NEEDS_GRAPH | TT_NEEDS_ROOTS };

/* A class by name in one shot. */
struct sum { int64_t n, bytes, refs, roots; };

struct fold {
	const struct tt_model *m;
	const struct tt_shots *s;
	const struct tt_pass_opts *o;
	struct tt_report *r;
	struct tt_classes classes;
	const char **name;            /* of classes or their groups, in order, each once */
	uint32_t *name_of;            /* by class index; NOT_WANTED */
	size_t nname;
	struct sum *now, *before;     /* by name */
};

#define NOT_WANTED UINT32_MAX
#define SLOTS "bytes are those of the collector's slots, which are larger than some objects: 112 bytes lie in 128"

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int
name_classes(struct fold *f, struct tt_err *err)
{
	const struct tt_shots *s = f->s;
	struct tt_mem *mem = &f->m->env->mem;
	size_t n = 0;

	f->name = tt_mem_alloc(mem, s->nkey * sizeof *f->name, err);
	f->name_of = f->name ? tt_mem_alloc(mem, s->nkey * sizeof *f->name_of, err) : NULL;
	f->now = f->name_of ? tt_mem_alloc(mem, s->nkey * sizeof *f->now, err) : NULL;
	f->before = f->now ? tt_mem_alloc(mem, s->nkey * sizeof *f->before, err) : NULL;
	if (!f->before)
		return err->code;
	for (size_t i = 0; i < s->nkey; i++) {
		const struct tt_class *c = tt_class_of(&f->classes, s->key_process[i], s->key[i], err);
		if (!c)
			return err->code;
		f->name[i] = c->label;
	}
	if (s->nkey)
		qsort(f->name, s->nkey, sizeof *f->name, by_text);
	for (size_t i = 0; i < s->nkey; i++) {
		if (n == 0 || strcmp(f->name[i], f->name[n - 1]) != 0)
			f->name[n++] = f->name[i];
	}
	f->nname = n;
	for (size_t i = 0; i < s->nkey; i++) {
		const struct tt_class *c = tt_class_of(&f->classes, s->key_process[i], s->key[i], err);
		if (!c)
			return err->code;
		const char **at = bsearch(&c->label, f->name, n, sizeof *f->name, by_text);
		f->name_of[i] = c->wanted ? (uint32_t)(at - f->name) : NOT_WANTED;
	}
	return TT_OK;
}

/* The sums of a kept shot by name. */
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

/* The shot whose classes are kept at or before ${i}, of the same process; or NULL. */
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

/* The last whole shot; NULL: there is none. */
static const struct tt_shot *
last_shot(const struct fold *f)
{
	for (size_t i = f->s->n; i-- > 0;) {
		if (f->s->shot[i].kept && f->s->shot[i].complete)
			return &f->s->shot[i];
	}
	return NULL;
}

static int
shots(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < f->s->n && rc == TT_OK; i++) {
		const struct tt_shot *s = &f->s->shot[i], *before = NULL;
		struct tt_cell *c;

		for (size_t k = i; k-- > 0 && !before;)
			before = f->s->shot[k].process == s->process && f->s->shot[k].complete ? &f->s->shot[k] : NULL;
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_int(&c[0], (int64_t)i + 1);
		tt_cell_int(&c[1], s->ts);
		tt_cell_int(&c[2], (int64_t)s->n);
		tt_cell_int(&c[3], (int64_t)s->bytes);
		tt_cell_int(&c[4], (int64_t)s->nclass);
		tt_cell_int(&c[5], (int64_t)s->refs);
		tt_cell_int(&c[6], (int64_t)s->roots);
		if (before) {
			tt_cell_int(&c[7], (int64_t)(s->n - before->n));
			tt_cell_int(&c[8], (int64_t)(s->bytes - before->bytes));
		}
		tt_cell_int(&c[9], (int64_t)s->more);
		tt_cell_int(&c[10], s->complete);
		tt_cell_int(&c[11], (int64_t)s->process + 1);
	}
	if (rc == TT_OK && (f->s->dropped || f->s->stray)) {
		t->note = tt_report_text(f->r, err, "%llu further shots and %llu objects outside any shot were left out",
		    (unsigned long long)f->s->dropped, (unsigned long long)f->s->stray);
		rc = t->note ? TT_OK : err->code;
	}
	return rc;
}

static int
classes(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	const struct tt_shot *last = last_shot(f), *before;
	int rc = TT_OK;

	if (!last)
		return TT_OK;
	before = kept_before(f, (size_t)(last - f->s->shot));
	sum_up(f, last, f->now);
	if (before)
		sum_up(f, before, f->before);
	for (size_t i = 0; i < f->nname && rc == TT_OK; i++) {
		const struct sum *s = &f->now[i], *b = &f->before[i];
		struct tt_cell *c;

		if (s->n + s->refs == 0 && (!before || b->n == 0))
			continue;
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_text(&c[0], f->name[i]);
		tt_cell_int(&c[1], s->bytes);
		tt_cell_share(&c[2], s->bytes, (int64_t)last->bytes);
		tt_cell_int(&c[3], s->n);
		if (s->n)
			tt_cell_int(&c[4], tt_ratio((uint64_t)s->bytes, 1, (uint64_t)s->n));
		tt_cell_int(&c[5], s->refs);
		if (!before)
			continue;
		tt_cell_int(&c[6], s->bytes - b->bytes);
		tt_cell_int(&c[7], s->n - b->n);
	}
	t->note = tt_report_text(f->r, err, "shot %zu%s; " SLOTS, (size_t)(last - f->s->shot) + 1,
	    before && before + 1 != last ? "; differences are to an earlier one than the one before" : "");
	if (!t->note)
		return err->code;
	return rc == TT_OK ? tt_table_sort(t, "bytes", err) : rc;
}

struct growth { int64_t first, last, first_n, last_n, max; uint64_t grew, shrank; };

/* Walk the kept shots of the process of the last one. */
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

static int
growth(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	const struct tt_shot *last = last_shot(f);
	struct tt_mem *mem = &f->m->env->mem;
	struct growth *g;
	size_t shots;
	int rc = TT_OK;

	if (!last)
		return TT_OK;
	g = tt_mem_alloc(mem, f->nname * sizeof *g, err);
	if (!g)
		return err->code;
	shots = walk_growth(f, last->process, g);
	for (size_t k = 0; k < f->nname && rc == TT_OK; k++) {
		struct tt_cell *c;

		if (g[k].max == 0)
			continue;
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			break;
		tt_cell_text(&c[0], f->name[k]);
		tt_cell_int(&c[1], g[k].last - g[k].first);
		tt_cell_int(&c[2], g[k].last_n - g[k].first_n);
		tt_cell_int(&c[3], g[k].first);
		tt_cell_int(&c[4], g[k].last);
		tt_cell_int(&c[5], g[k].max);
		tt_cell_int(&c[6], (int64_t)g[k].grew);
		tt_cell_int(&c[7], (int64_t)g[k].shrank);
	}
	tt_mem_free(mem, g, f->nname * sizeof *g);
	t->note = tt_report_text(f->r, err, "over %zu shots", shots);
	if (!t->note)
		return err->code;
	return rc == TT_OK ? tt_table_sort(t, "d_bytes", err) : rc;
}

static int
objects(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	const struct tt_shot *last = last_shot(f);
	int rc = TT_OK;

	for (size_t i = 0; last && i < f->s->nbig && rc == TT_OK; i++) {
		const struct tt_heap_big *b = &f->s->big[i];
		const struct tt_class *class = tt_class_of(&f->classes, last->process, b->key, err);
		struct tt_cell *c;

		if (!class)
			return err->code;
		if (!class->wanted)
			continue;
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_int(&c[0], (int64_t)b->object);
		tt_cell_text(&c[1], class->label);
		tt_cell_int(&c[2], (int64_t)b->size);
	}
	if (!f->o->group)
		return rc;
	tt_group_rows(t, 1u << 1, 1u << 2);
	return rc == TT_OK ? tt_table_sort(t, "bytes", err) : rc;
}

static int
history(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < f->s->n && rc == TT_OK; i++) {
		const struct tt_shot *s = &f->s->shot[i], *before = kept_before(f, i);

		if (!s->kept)
			continue;
		sum_up(f, s, f->now);
		if (before)
			sum_up(f, before, f->before);
		for (size_t k = 0; k < f->nname && rc == TT_OK; k++) {
			struct tt_cell *c;

			if (f->now[k].n == 0)
				continue;
			rc = tt_table_row(f->r, t, &c, err);
			if (rc != TT_OK)
				return rc;
			tt_cell_int(&c[0], (int64_t)i + 1);
			tt_cell_text(&c[1], f->name[k]);
			tt_cell_int(&c[2], f->now[k].bytes);
			tt_cell_int(&c[3], f->now[k].n);
			tt_cell_int(&c[4], f->now[k].refs);
			if (s->roots_known)
				tt_cell_int(&c[5], f->now[k].roots);
			if (!before)
				continue;
			tt_cell_int(&c[6], f->now[k].bytes - f->before[k].bytes);
			tt_cell_int(&c[7], f->now[k].n - f->before[k].n);
		}
	}
	return rc;
}

static int
tables_of(struct fold *f, struct tt_err *err)
{
	static int (*const make[])(struct fold *, struct tt_table *, struct tt_err *) = {
		[H_SHOTS] = shots, [H_CLASSES] = classes, [H_GROWTH] = growth, [H_OBJECTS] = objects, [H_HISTORY] = history,
	};
	int rc = TT_OK;

	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_heapshot, i, f->o, f->r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		t->empty_reason = i == H_SHOTS ? "no heap shot in this capture, or none that the filters leave" :
		    "no whole heap shot in this capture, or none that the filters leave";
		t->note = SLOTS;
		if (f->s)
			rc = make[i](f, t, err);
	}
	return rc;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	struct fold f = { .m = m, .s = m->shots, .o = o, .r = r };
	struct tt_mem *mem = &m->env->mem;
	size_t n = f.s ? f.s->nkey : 0;
	int rc = TT_OK;

	if ((!f.s || f.s->n == 0) && !o->table)
		return TT_OK;
	tt_classes_init(&f.classes, m, o->group, &r->arena);
	if (f.s)
		rc = name_classes(&f, err);
	if (rc == TT_OK)
		rc = tables_of(&f, err);
	tt_classes_free(&f.classes);
	tt_mem_free(mem, f.name, n * sizeof *f.name);
	tt_mem_free(mem, f.name_of, n * sizeof *f.name_of);
	tt_mem_free(mem, f.now, n * sizeof *f.now);
	tt_mem_free(mem, f.before, n * sizeof *f.before);
	return rc;
}

const struct tt_pass tt_pass_heapshot = {
	.name = "heapshot",
	.summary = "heap shots: classes, differences, growth, largest objects",
	.needs = TT_NEEDS_SHOTS,
	.standard = true,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
	.table_needs = table_needs,
};

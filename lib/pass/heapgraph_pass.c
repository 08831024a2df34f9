/**
 * The pass "heapgraph": what refers to what in the last heap shot, and why objects are alive.
 *
 * Definitions: tracetool-metrics(7), Heap graph.
 */
#include <string.h>

#include "base/brief.h"
#include "base/order.h"
#include "base/setting.h"
#include "collect/heap_graph.h"
#include "collect/heap_shots.h"
#include "model/defs.h"
#include "pass/passes.h"

static const struct tt_col path_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Name of the class." },
	{ "path", "path", TT_UNIT_PROSE,
	    "Root and classes through which the objects are first reached; (not reached) if no recorded root reaches them." },
	{ "objects", "objects", TT_UNIT_COUNT, "Number of objects that are first reached this way." },
	{ "share", "objects", TT_UNIT_PERCENT, "Share of the objects of the class." },
	{ "class_bytes", "bytes of class", TT_UNIT_BYTES, "Bytes of all objects of the class." },
};
static const struct tt_col reference_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Class of the referenced objects." },
	{ "from", "from", TT_UNIT_TEXT, "Class that refers to these objects, or the kind of root." },
	{ "references", "references", TT_UNIT_COUNT, "Number of references from one to the other." },
	{ "root", "root", TT_UNIT_BOOL, "True if the references are from roots." },
};
static const struct tt_col root_col[] = {
	{ "root", "root", TT_UNIT_TEXT, "Kind of root, and its owner." },
	{ "references", "references", TT_UNIT_COUNT, "Number of references from the root to objects of the shot." },
	{ "reached", "reached", TT_UNIT_COUNT, "Number of objects first reached from the root: no other root is closer to them." },
	{ "share", "reached", TT_UNIT_PERCENT, "Share of all objects of the shot." },
};

enum { BIGGEST_CLASSES = 50, SHOWN_CLASSES = 16 };

struct fold {
	const struct tt_graph *g;
	const struct tt_shot *shot;   /* the shot of this graph */
	struct tt_class *class;       /* by class index: the class */
	size_t nclass;
};

static struct fold *
fold_of(const struct tt_making *k)
{
	return k->state;
}

static const char *
class_name(const struct fold *f, uint32_t class)
{
	return f->class[class].label;
}

/* Return the name of the thread that had this id when the shot was taken; ids are reused. */
static const char *
thread_name(const struct tt_making *k, uint64_t tid)
{
	const struct tt_shot *shot = fold_of(k)->shot;
	const struct tt_thread *found = NULL;

	for (size_t i = 0; i < k->m->threads.n; i++) {
		const struct tt_thread *t = k->m->threads.t[i];
		if (t->process == shot->process && t->tid == tid && (!found || t->first_ts <= shot->ts))
			found = t;
	}
	return found ? found->name : NULL;
}

/* Name the root ${i}, such as "static fields of Game.World". */
static const char *
root_name(const struct tt_making *k, uint32_t i)
{
	static const char *const kinds[TT_ROOT_UNKNOWN + 1] = { "external", "stack", "finalizer queue", "static fields",
		"thread-static fields", "context-static fields", "handle", "JIT", "threading", "domain", "reflection",
		"marshaling", "thread pool", "debugger", "handle stack", "ephemeron", "toggle reference", "(unknown root)" };
	const struct tt_graph_root *r = &fold_of(k)->g->root[i];
	uint32_t process = fold_of(k)->shot->process;
	const char *of = NULL;

	switch (r->source) {
	case TT_ROOT_STACK:
	case TT_ROOT_THREAD_STATIC:
	case TT_ROOT_THREADING:
	case TT_ROOT_HANDLE_STACK:
		of = thread_name(k, r->key);
		break;
	case TT_ROOT_STATIC:
	case TT_ROOT_REFLECTION:
		of = tt_defs_class(k->m->cap[process]->defs, r->key, INT64_MAX) ? tt_model_class(k->m, process, r->key) : NULL;
		break;
	default:
		of = r->text;
		break;
	}
	if (!of || !*of)
		return kinds[r->source];
	return tt_text(k->r, "%s of %s", kinds[r->source], of);
}

/* --- paths ---------------------------------------------------------------------------- */

/* A class by name, with its objects and bytes in the shot. */
struct class { const char *name; uint32_t class; uint64_t n, bytes; };

static int
by_name(const void *a, const void *b)
{
	const struct class *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : TT_CMP(x->class, y->class);
}

static int
by_bytes(const void *a, const void *b)
{
	const struct class *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* "static fields of World > List<Node> > Node[] > Node", names in brief; steps of one group are one. */
static void
path_text(const struct tt_making *k, uint32_t path, struct tt_buf *b)
{
	const struct fold *f = fold_of(k);
	char room[TT_BRIEF_BYTES];
	uint32_t step[SHOWN_CLASSES];
	size_t n = 0;
	bool cut;

	for (; f->g->path[path].parent != 0; path = f->g->path[path].parent) {
		uint32_t what = f->g->path[path].class_or_root;
		if (n && k->o->group && strcmp(class_name(f, what), class_name(f, step[n - 1])) == 0)
			continue;
		if (n == SHOWN_CLASSES)
			break;
		step[n++] = what;
	}
	cut = f->g->path[path].parent != 0;
	while (f->g->path[path].parent != 0)
		path = f->g->path[path].parent;
	b->n = 0;
	tt_buf_text(b, root_name(k, f->g->path[path].class_or_root));
	if (cut)
		tt_buf_text(b, " > …");
	while (n-- > 0) {
		tt_buf_text(b, " > ");
		tt_buf_text(b, tt_brief_name(room, class_name(f, step[n])));
	}
}

/* A way from a root to a class; with groups, ${text} identifies the ways that are merged. */
struct way { uint32_t group, path; const char *text; uint64_t n; };

static int
by_objects(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return TT_CMP(x->path, y->path);
}

static const char *
way_text(const struct tt_making *k, uint32_t path)
{
	const char *text = "(not reached)";
	struct tt_buf b = { 0 };

	if (!path)
		return text;
	path_text(k, path, &b);
	if (tt_buf_error(&b, &k->r->err) == TT_OK)
		text = tt_text_of(k->r, b.p, b.n);
	tt_buf_free(&b);
	return text;
}

/* List the classes of the shot, merged by name, largest first. ${group}[class index]: the place in the list + 1 of the largest ones. Return the number. */
static size_t
list_classes(struct tt_making *k, struct class *v, uint32_t *group)
{
	const struct fold *f = fold_of(k);
	const struct tt_shot *s = f->shot;
	const struct tt_shot_class *cell = tt_heap_shots(k->m)->cell + s->first;
	size_t all = 0, n = 0;

	for (size_t i = 0; i < s->nclass; i++) {
		const struct tt_shot_class *c = &cell[i];
		if (f->class[c->class].wanted)
			v[all++] = (struct class){ class_name(f, c->class), c->class, c->n, c->bytes };
	}
	tt_sort(v, all, by_name);
	for (size_t i = 0; i < all; i++) {
		if (n > 0 && strcmp(v[n - 1].name, v[i].name) == 0) {
			v[n - 1].n += v[i].n;
			v[n - 1].bytes += v[i].bytes;
		} else {
			v[n++] = v[i];
		}
	}
	tt_sort(v, n, by_bytes);
	if (n > BIGGEST_CLASSES)
		n = BIGGEST_CLASSES;
	for (size_t i = 0; i < s->nclass; i++) {
		uint32_t class = cell[i].class;
		for (size_t c = 0; c < n && f->class[class].wanted; c++) {
			if (strcmp(v[c].name, class_name(f, class)) == 0)
				group[class] = (uint32_t)c + 1;
		}
	}
	return n;
}

static int
by_text(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return strcmp(x->text, y->text);
}

/* Merge the ways that have the same text when steps are grouped. Return the number left. */
static size_t
join_ways(struct tt_making *k, struct way *way, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++)
		way[i].text = way_text(k, way[i].path);
	tt_sort(way, n, by_text);
	for (size_t i = 0; i < n; i++) {
		if (to > 0 && by_text(&way[to - 1], &way[i]) == 0)
			way[to - 1].n += way[i].n;
		else
			way[to++] = way[i];
	}
	return to;
}

static size_t
list_ways(struct tt_making *k, size_t nv, const uint32_t *group, struct way *way)
{
	const struct tt_graph *g = fold_of(k)->g;
	size_t n = 0;

	for (uint32_t p = 1; p < g->npath; p++) {
		const struct tt_graph_path *path = &g->path[p];
		if (path->parent && group[path->class_or_root])
			way[n++] = (struct way){ group[path->class_or_root], p, NULL, path->n };
	}
	for (size_t i = 0; i < nv; i++) {
		uint64_t missed = 0;
		for (size_t c = 0; c < g->nunreached; c++)
			missed += group[c] == i + 1 ? g->unreached[c] : 0;
		if (missed)
			way[n++] = (struct way){ (uint32_t)i + 1, 0, NULL, missed };
	}
	if (k->o->group)
		n = join_ways(k, way, n);
	tt_sort(way, n, by_objects);
	return n;
}

static void
put_ways(struct tt_making *k, struct tt_table *t, const struct class *v, const struct way *way, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct class *class = &v[way[i].group - 1];
		const char *text;
		struct tt_cell *c;

		if (k->o->max_rows && t->nrow >= k->o->max_rows) {
			t->hidden++;
			continue;
		}
		text = way[i].text ? way[i].text : way_text(k, way[i].path);
		c = tt_row(t);
		tt_cell_text(&c[0], class->name);
		tt_cell_text(&c[1], text);
		tt_cell_u64(&c[2], way[i].n);
		tt_put_share(&c[3], (int64_t)way[i].n, (int64_t)class->n);
		tt_cell_u64(&c[4], class->bytes);
	}
}

static void
paths(struct tt_making *k, struct tt_table *t)
{
	const struct fold *f = fold_of(k);
	struct class *v = tt_pass_alloc(k, f->shot->nclass * sizeof *v);
	uint32_t *group = tt_pass_alloc(k, f->nclass * sizeof *group);
	struct way *way = tt_pass_alloc(k, (f->g->npath + BIGGEST_CLASSES) * sizeof *way);

	if (way)
		put_ways(k, t, v, way, list_ways(k, list_classes(k, v, group), group, way));
	if (f->g->nbeyond_paths)
		t->note = tt_text(k->r, "%llu objects are counted where their path leaves the first %u paths",
		    (unsigned long long)f->g->nbeyond_paths, (unsigned)TT_GRAPH_PATHS_MAX);
}

/* --- references ------------------------------------------------------------------------ */

struct reference { const char *to, *from; uint64_t n; bool root; };

static int
by_ends(const void *a, const void *b)
{
	const struct reference *x = a, *y = b;
	int c = strcmp(x->to, y->to);

	if (c == 0)
		c = TT_CMP(y->root, x->root);
	return c ? c : strcmp(x->from, y->from);
}

/* List the references from classes or, with ${root}, from roots to classes that the filters want. Return their number. */
static size_t
list_references(const struct tt_making *k, const struct tt_tally *of, bool root, struct reference *v)
{
	const struct fold *f = fold_of(k);
	size_t n = 0;

	for (size_t i = 0; i < of->n; i++) {
		const struct tt_tally_count *s = &of->v[i];
		uint32_t from = (uint32_t)(s->key >> 32);

		if (f->class[(uint32_t)s->key].wanted)
			v[n++] = (struct reference){ class_name(f, (uint32_t)s->key), root ? root_name(k, from) : class_name(f, from), s->n, root };
	}
	return n;
}

static void
put_reference(struct tt_making *k, struct tt_table *t, const void *group, size_t n)
{
	const struct reference *v = group;
	struct tt_cell *c = tt_row(t);
	uint64_t sum = 0;

	(void)k;
	for (size_t i = 0; i < n; i++)
		sum += v[i].n;
	tt_cell_text(&c[0], v->to);
	tt_cell_text(&c[1], v->from);
	tt_cell_u64(&c[2], sum);
	tt_cell_int(&c[3], v->root);
}

static void
references(struct tt_making *k, struct tt_table *t)
{
	const struct tt_graph *g = fold_of(k)->g;
	struct reference *v = tt_pass_alloc(k, (g->by_class.n + g->by_root.n) * sizeof *v);
	size_t n;

	if (!v)
		return;
	n = list_references(k, &g->by_class, false, v);
	n += list_references(k, &g->by_root, true, v + n);
	tt_for_each_group(v, n, sizeof *v, by_ends, put_reference, k, t);
}

static void
roots(struct tt_making *k, struct tt_table *t)
{
	const struct tt_graph *g = fold_of(k)->g;
	uint64_t *reached = tt_pass_alloc(k, g->npath * sizeof *reached);

	/* A path's number is larger than that of its parent path. */
	for (size_t p = g->npath; p-- > 1 && reached;) {
		reached[p] += g->path[p].n;
		if (g->path[p].parent)
			reached[g->path[p].parent] += reached[p];
	}
	for (uint32_t p = 1; p < g->npath && reached; p++) {
		const char *name;
		struct tt_cell *c;

		if (g->path[p].parent)
			continue;
		name = root_name(k, g->path[p].class_or_root);
		c = tt_row(t);
		tt_cell_text(&c[0], name);
		tt_cell_u64(&c[1], g->root[g->path[p].class_or_root].n);
		tt_cell_u64(&c[2], reached[p]);
		tt_put_share(&c[3], (int64_t)reached[p], (int64_t)g->nobjects);
	}
}

/* --- the pass ------------------------------------------------------------------------------ */

static const char *
no_graph(struct tt_making *k)
{
	const struct tt_graph *g = tt_graph(k->m);
	char bytes[32];

	if (tt_heap_shots(k->m)->n == 0)
		return "no heap shot in this capture, or the filters leave none";
	if (g->is_too_spread)
		return "objects of the last heap shot lie more than 8 GB apart: no graph is made of them";
	if (g->shot && !g->is_out_of_memory)
		return NULL;
	if (!g->is_out_of_memory)
		return "the last heap shot is not whole";
	*tt_put_bytes(bytes, (int64_t)g->needed_bytes) = '\0';
	return tt_text(k->r, "no room: the graph of %llu objects and %llu references takes %s on top (%s)",
	    (unsigned long long)g->nobjects, (unsigned long long)g->nrefs, bytes, tt_setting_name[TT_SETTING_MEMORY]);
}

static void
open(struct tt_making *k)
{
	const struct tt_heap_shots *s = tt_heap_shots(k->m);
	struct fold *f = fold_of(k);
	struct tt_classes classes;

	f->g = tt_graph(k->m);
	if (!f->g->shot)
		return;
	f->shot = &s->shot[f->g->shot - 1];
	f->nclass = s->nkey;
	f->class = tt_pass_alloc(k, f->nclass * sizeof *f->class);
	tt_classes_init(&classes, k->m, k->o->group, &k->r->arena);
	for (size_t i = 0; f->class && i < f->nclass; i++) {
		const struct tt_class *c = tt_class_of(&classes, s->key_process[i], s->key[i], &k->r->err);
		if (!c)
			break;
		f->class[i] = *c;
	}
	tt_classes_free(&classes);
}

static bool
has_graph(const struct tt_making *k)
{
	const struct tt_graph *g = tt_graph(k->m);

	return g->shot && !g->is_out_of_memory && !g->is_too_spread;
}

static const struct tt_pass_table tables[] = {
	{ "heapshot_paths", "Paths from roots to the largest classes", path_col, TT_NCOL(path_col), false, TT_ON_TIME | TT_ON_NAMES,
	    TT_BY_NAME | TT_BY_DOMAIN, .make_rows = paths, .has_rows = has_graph, .find_why_empty = no_graph },
	{ "heapshot_references", "References between classes", reference_col, TT_NCOL(reference_col), false, TT_ON_TIME | TT_ON_NAMES,
	    TT_BY_NAME | TT_BY_DOMAIN, .make_rows = references, .has_rows = has_graph, .sort = "references", .find_why_empty = no_graph },
	{ "heapshot_roots", "Roots", root_col, TT_NCOL(root_col), false, TT_ON_TIME, .make_rows = roots, .has_rows = has_graph, .sort = "reached",
	    .find_why_empty = no_graph },
};

const struct tt_pass tt_pass_heapgraph = {
	.name = "heapgraph",
	.summary = "heap shots: references between classes, roots, paths from roots to the largest classes",
	.needs = TT_NEEDS_SHOTS | TT_NEEDS_GRAPH,
	.state_bytes = sizeof(struct fold),
	.open = open,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

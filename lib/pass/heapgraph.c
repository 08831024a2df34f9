/**
 * The pass "heapgraph": what refers to what in the last heap shot, and why objects are alive.
 *
 * Definitions: tracetool-metrics(7), Heap graph.
 */
#include <stdlib.h>
#include <string.h>

#include "pass/passes.h"

enum { G_PATHS, G_REFERENCES, G_ROOTS };

static const struct tt_col path_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Name of the class." },
	{ "path", "path", TT_UNIT_PROSE,
	    "Root and classes by which its objects are first reached; (not reached) from any recorded root." },
	{ "objects", "objects", TT_UNIT_COUNT, "Objects that are first reached this way." },
	{ "share", "objects", TT_UNIT_PERCENT, "Their share of the objects of the class." },
	{ "class_bytes", "bytes of class", TT_UNIT_BYTES, "Bytes of all objects of the class." },
};
static const struct tt_col reference_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Class of the objects referred to." },
	{ "from", "from", TT_UNIT_TEXT, "Class that refers to them, or the kind of root." },
	{ "references", "references", TT_UNIT_COUNT, "References from the one to the other." },
	{ "root", "root", TT_UNIT_BOOL, "They are from roots." },
};
static const struct tt_col root_col[] = {
	{ "root", "root", TT_UNIT_TEXT, "Kind of root, and what it belongs to." },
	{ "references", "references", TT_UNIT_COUNT, "References from it to objects of the shot." },
	{ "reached", "reached", TT_UNIT_COUNT, "Objects first reached from it: closest to it, and to no other root closer." },
	{ "share", "reached", TT_UNIT_PERCENT, "Their share of all objects of the shot." },
};
static const struct tt_pass_table tables[] = {
	[G_PATHS] = { "heapshot_paths", "Paths from roots to the largest classes", path_col, TT_NCOL(path_col), false,
	    TT_ON_TIME | TT_ON_NAMES, TT_BY_NAME | TT_BY_DOMAIN, 0 },
	[G_REFERENCES] = { "heapshot_references", "References between classes", reference_col, TT_NCOL(reference_col), false,
	    TT_ON_TIME | TT_ON_NAMES, TT_BY_NAME | TT_BY_DOMAIN, 0 },
	[G_ROOTS] = { "heapshot_roots", "Roots", root_col, TT_NCOL(root_col), false, TT_ON_TIME, 0, 0 },
};

enum { BIGGEST_CLASSES = 50, SHOWN_CLASSES = 16 };

struct fold {
	const struct tt_model *m;
	const struct tt_graph *g;
	const struct tt_shots *s;
	const struct tt_pass_opts *o;
	struct tt_report *r;
	struct tt_class *class;       /* by class index */
	uint32_t process;
};

static const char *
class_name(const struct fold *f, uint32_t class)
{
	return f->class[class].label;
}

static int
name_classes(struct fold *f, struct tt_err *err)
{
	struct tt_classes classes;
	int rc = TT_OK;

	f->class = tt_mem_alloc(&f->m->env->mem, f->s->nkey * sizeof *f->class, err);
	if (!f->class)
		return err->code;
	tt_classes_init(&classes, f->m, f->o->group, &f->r->arena);
	for (size_t i = 0; i < f->s->nkey && rc == TT_OK; i++) {
		const struct tt_class *c = tt_class_of(&classes, f->s->key_process[i], f->s->key[i], err);
		if (c)
			f->class[i] = *c;
		else
			rc = err->code;
	}
	tt_classes_free(&classes);
	return rc;
}

/* The thread of this id that lived when the shot was taken; ids are used again. */
static const char *
thread_name(const struct fold *f, uint64_t tid)
{
	int64_t ts = f->s->shot[f->g->shot - 1].ts;
	const struct tt_thread *found = NULL;

	for (size_t i = 0; i < f->m->threads.n; i++) {
		const struct tt_thread *t = f->m->threads.t[i];
		if (t->process == f->process && t->tid == tid && (!found || t->first_ts <= ts))
			found = t;
	}
	return found ? found->name : NULL;
}

/* "static fields of Game.World" */
static const char *
root_name(const struct fold *f, uint32_t i, struct tt_err *err)
{
	static const char *const kinds[TT_ROOT_UNKNOWN + 1] = { "external", "stack", "finalizer queue", "static fields",
		"thread-static fields", "context-static fields", "handle", "JIT", "threading", "domain", "reflection",
		"marshaling", "thread pool", "debugger", "handle stack", "ephemeron", "toggle reference", "(unknown root)" };
	const struct tt_graph_root *r = &f->g->root[i];
	const char *of = NULL;

	switch (r->source) {
	case TT_ROOT_STACK:
	case TT_ROOT_THREAD_STATIC:
	case TT_ROOT_THREADING:
	case TT_ROOT_HANDLE_STACK:
		of = thread_name(f, r->key);
		break;
	case TT_ROOT_STATIC:
	case TT_ROOT_REFLECTION:
		of = tt_defs_class(f->m->cap[f->process]->defs, r->key, INT64_MAX) ? tt_model_class(f->m, f->process, r->key) : NULL;
		break;
	default:
		of = r->text;
		break;
	}
	if (!of || !*of)
		return kinds[r->source];
	return tt_report_text(f->r, err, "%s of %s", kinds[r->source], of);
}

/* --- paths ---------------------------------------------------------------------------- */

/* Classes by name: objects and bytes in the shot. */
struct class { const char *name; uint32_t class; uint64_t n, bytes; };

static int
by_name(const void *a, const void *b)
{
	const struct class *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->class > y->class) - (x->class < y->class);
}

static int
by_bytes(const void *a, const void *b)
{
	const struct class *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* "static fields of World > List<Node> > Node[] > Node"; steps of one group are one. */
static int
path_text(const struct fold *f, uint32_t path, struct tt_buf *b, struct tt_err *err)
{
	uint32_t step[SHOWN_CLASSES];
	size_t n = 0;
	bool cut;
	int rc;

	for (; f->g->path[path].up != 0; path = f->g->path[path].up) {
		uint32_t what = f->g->path[path].what;
		if (n && f->o->group && strcmp(class_name(f, what), class_name(f, step[n - 1])) == 0)
			continue;
		if (n == SHOWN_CLASSES)
			break;
		step[n++] = what;
	}
	cut = f->g->path[path].up != 0;
	while (f->g->path[path].up != 0)
		path = f->g->path[path].up;
	b->n = 0;
	const char *root = root_name(f, f->g->path[path].what, err);
	rc = root ? tt_buf_text(b, root, err) : err->code;
	if (rc == TT_OK && cut)
		rc = tt_buf_text(b, " > …", err);
	while (n-- > 0 && rc == TT_OK) {
		rc = tt_buf_text(b, " > ", err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, class_name(f, step[n]), err);
	}
	return rc;
}

/* ${text}: of grouped ones, where several ways are one. */
struct way { uint32_t group, path; const char *text; uint64_t n; };

static int
by_objects(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return (x->path > y->path) - (x->path < y->path);
}

/* NULL: out of memory. */
static const char *
way_text(struct fold *f, uint32_t path, struct tt_buf *b, struct tt_err *err)
{
	if (!path)
		return "(not reached)";
	return path_text(f, path, b, err) == TT_OK ? tt_arena_text(&f->r->arena, b->p, b->n, err) : NULL;
}

static int
put_way(struct fold *f, struct tt_table *t, const struct class *c, const struct way *w, struct tt_buf *b,
    struct tt_err *err)
{
	const char *text = w->text ? w->text : way_text(f, w->path, b, err);
	struct tt_cell *cell;
	int rc = text ? tt_table_row(f->r, t, &cell, err) : err->code;

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&cell[0], c->name);
	tt_cell_text(&cell[1], text);
	tt_cell_int(&cell[2], (int64_t)w->n);
	tt_cell_share(&cell[3], (int64_t)w->n, (int64_t)c->n);
	tt_cell_int(&cell[4], (int64_t)c->bytes);
	return TT_OK;
}

/* The classes of the shot, one of a name, largest first; ${group}: class index -> place + 1 among the first. */
static size_t
list_classes(struct fold *f, struct class *v, uint32_t *group)
{
	const struct tt_shot *s = &f->s->shot[f->g->shot - 1];
	size_t all = 0, n = 0;

	for (size_t i = 0; i < s->nclass; i++) {
		const struct tt_shot_class *c = &f->s->cell[s->first + i];
		if (f->class[c->class].wanted)
			v[all++] = (struct class){ class_name(f, c->class), c->class, c->n, c->bytes };
	}
	if (all)
		qsort(v, all, sizeof *v, by_name);
	for (size_t i = 0; i < all; i++) {
		if (n > 0 && strcmp(v[n - 1].name, v[i].name) == 0) {
			v[n - 1].n += v[i].n;
			v[n - 1].bytes += v[i].bytes;
		} else {
			v[n++] = v[i];
		}
	}
	if (n)
		qsort(v, n, sizeof *v, by_bytes);
	if (n > BIGGEST_CLASSES)
		n = BIGGEST_CLASSES;
	for (size_t i = 0; i < s->nclass; i++) {
		uint32_t class = f->s->cell[s->first + i].class;
		for (size_t k = 0; k < n && f->class[class].wanted; k++) {
			if (strcmp(v[k].name, class_name(f, class)) == 0)
				group[class] = (uint32_t)k + 1;
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

/* Of groups: ways of the same steps are one. */
static int
join_ways(struct fold *f, struct way *way, size_t *n, struct tt_buf *b, struct tt_err *err)
{
	size_t to = 0;

	for (size_t i = 0; i < *n; i++)
		if (!(way[i].text = way_text(f, way[i].path, b, err)))
			return err->code;
	if (*n)
		qsort(way, *n, sizeof *way, by_text);
	for (size_t i = 0; i < *n; i++) {
		if (to > 0 && by_text(&way[to - 1], &way[i]) == 0)
			way[to - 1].n += way[i].n;
		else
			way[to++] = way[i];
	}
	*n = to;
	return TT_OK;
}

static int
put_paths(struct fold *f, struct tt_table *t, const struct class *v, size_t nv, const uint32_t *group, struct way *way,
    struct tt_err *err)
{
	struct tt_buf b = { 0 };
	size_t n = 0;
	int rc = TT_OK;

	for (uint32_t p = 1; p < f->g->npath; p++) {
		const struct tt_graph_path *path = &f->g->path[p];
		if (path->up && group[path->what])
			way[n++] = (struct way){ group[path->what], p, NULL, path->n };
	}
	for (size_t k = 0; k < nv; k++) {
		uint64_t missed = 0;
		for (size_t c = 0; c < f->g->nunreached; c++)
			missed += group[c] == k + 1 ? f->g->unreached[c] : 0;
		if (missed)
			way[n++] = (struct way){ (uint32_t)k + 1, 0, NULL, missed };
	}
	if (f->o->group)
		rc = join_ways(f, way, &n, &b, err);
	if (n)
		qsort(way, n, sizeof *way, by_objects);
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		if (f->o->rows && t->nrow >= f->o->rows)
			t->hidden++;
		else
			rc = put_way(f, t, &v[way[i].group - 1], &way[i], &b, err);
	}
	tt_buf_free(&b);
	return rc;
}

static int
paths(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	struct tt_mem *mem = &f->m->env->mem;
	size_t nclass = f->s->shot[f->g->shot - 1].nclass, room = f->g->npath + BIGGEST_CLASSES;
	struct class *v = tt_mem_alloc(mem, nclass * sizeof *v, err);
	uint32_t *group = v ? tt_mem_alloc(mem, f->s->nkey * sizeof *group, err) : NULL;
	struct way *way = group ? tt_mem_alloc(mem, room * sizeof *way, err) : NULL;
	int rc = way ? TT_OK : err->code;

	if (rc == TT_OK) {
		size_t n = list_classes(f, v, group);
		rc = put_paths(f, t, v, n, group, way, err);
	}
	if (rc == TT_OK && f->g->deeper) {
		t->note = tt_report_text(f->r, err, "%llu objects are counted where they leave the first %u paths",
		    (unsigned long long)f->g->deeper, (unsigned)TT_GRAPH_PATHS_MAX);
		rc = t->note ? TT_OK : err->code;
	}
	tt_mem_free(mem, way, room * sizeof *way);
	tt_mem_free(mem, group, f->s->nkey * sizeof *group);
	tt_mem_free(mem, v, nclass * sizeof *v);
	return rc;
}

/* --- references ------------------------------------------------------------------------ */

struct reference { const char *to, *from; uint64_t n; bool root; };

static int
by_ends(const void *a, const void *b)
{
	const struct reference *x = a, *y = b;
	int c = strcmp(x->to, y->to);

	if (c == 0)
		c = (x->root < y->root) - (x->root > y->root);
	return c ? c : strcmp(x->from, y->from);
}

static int
references(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	const struct tt_tally *c = &f->g->by_class, *r = &f->g->by_root;
	struct tt_mem *mem = &f->m->env->mem;
	size_t room = c->n + r->n, n = 0;
	struct reference *v = tt_mem_alloc(mem, room * sizeof *v, err);
	int rc = v ? TT_OK : err->code;

	for (size_t i = 0; v && i < c->nslot; i++) {
		const struct tt_tally_slot *s = &c->slot[i];
		if (s->used && f->class[(uint32_t)s->key].wanted)
			v[n++] = (struct reference){ class_name(f, (uint32_t)s->key), class_name(f, (uint32_t)(s->key >> 32)), s->n, false };
	}
	for (size_t i = 0; i < r->nslot && rc == TT_OK; i++) {
		const struct tt_tally_slot *s = &r->slot[i];
		bool wanted = s->used && f->class[(uint32_t)s->key].wanted;
		const char *from = wanted ? root_name(f, (uint32_t)(s->key >> 32), err) : "";
		rc = from ? TT_OK : err->code;
		if (wanted && from)
			v[n++] = (struct reference){ class_name(f, (uint32_t)s->key), from, s->n, true };
	}
	if (n && rc == TT_OK)
		qsort(v, n, sizeof *v, by_ends);
	for (size_t i = 0, j; i < n && rc == TT_OK; i = j) {
		uint64_t sum = 0;
		struct tt_cell *cell;

		for (j = i; j < n && by_ends(&v[i], &v[j]) == 0; j++)
			sum += v[j].n;
		rc = tt_table_row(f->r, t, &cell, err);
		if (rc != TT_OK)
			break;
		tt_cell_text(&cell[0], v[i].to);
		tt_cell_text(&cell[1], v[i].from);
		tt_cell_int(&cell[2], (int64_t)sum);
		tt_cell_int(&cell[3], v[i].root);
	}
	tt_mem_free(mem, v, room * sizeof *v);
	return rc == TT_OK ? tt_table_sort(t, "references", err) : rc;
}

static int
roots(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	struct tt_mem *mem = &f->m->env->mem;
	uint64_t *reached = tt_mem_alloc(mem, f->g->npath * sizeof *reached, err);
	int rc = reached ? TT_OK : err->code;

	/* A path's number is larger than that of the one it goes on from. */
	for (size_t p = f->g->npath; p-- > 1 && reached;) {
		reached[p] += f->g->path[p].n;
		if (f->g->path[p].up)
			reached[f->g->path[p].up] += reached[p];
	}
	for (uint32_t p = 1; p < f->g->npath && rc == TT_OK; p++) {
		struct tt_cell *c;

		if (f->g->path[p].up)
			continue;
		const char *name = root_name(f, f->g->path[p].what, err);
		rc = name ? tt_table_row(f->r, t, &c, err) : err->code;
		if (rc != TT_OK)
			break;
		tt_cell_text(&c[0], name);
		tt_cell_int(&c[1], (int64_t)f->g->root[f->g->path[p].what].n);
		tt_cell_int(&c[2], (int64_t)reached[p]);
		tt_cell_share(&c[3], (int64_t)reached[p], (int64_t)f->g->objects);
	}
	tt_mem_free(mem, reached, f->g->npath * sizeof *reached);
	return rc == TT_OK ? tt_table_sort(t, "reached", err) : rc;
}

/* --- the pass ------------------------------------------------------------------------------ */

static const char *
no_graph(const struct tt_model *m, struct tt_report *r, struct tt_err *err)
{
	const struct tt_graph *g = m->graph;
	char bytes[32];

	if (!g || !m->shots || m->shots->n == 0)
		return "no heap shot in this capture, or none that the filters leave";
	if (g->far)
		return "objects of the last heap shot lie more than 8 GB apart: no graph is made of them";
	if (!g->over)
		return "the last heap shot is not whole";
	*tt_put_bytes(bytes, (int64_t)g->need) = '\0';
	return tt_report_text(r, err, "no room: the graph of %llu objects and %llu references takes %s on top (--max-memory)",
	    (unsigned long long)g->objects, (unsigned long long)g->refs, bytes);
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	static int (*const make[])(struct fold *, struct tt_table *, struct tt_err *) = {
		[G_PATHS] = paths, [G_REFERENCES] = references, [G_ROOTS] = roots,
	};
	struct fold f = { .m = m, .g = m->graph, .s = m->shots, .o = o, .r = r };
	int rc = TT_OK;

	if (f.g && f.g->shot) {
		f.process = f.s->shot[f.g->shot - 1].process;
		rc = name_classes(&f, err);
	}
	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_heapgraph, i, o, r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		if (f.g && f.g->shot && !f.g->over && !f.g->far)
			rc = make[i](&f, t, err);
		else if (!(t->empty_reason = no_graph(m, r, err)))
			rc = err->code;
	}
	tt_mem_free(&m->env->mem, f.class, f.class ? f.s->nkey * sizeof *f.class : 0);
	return rc;
}

const struct tt_pass tt_pass_heapgraph = {
	.name = "heapgraph",
	.summary = "heap shots: references between classes, roots, paths from roots to the largest classes",
	.needs = TT_NEEDS_SHOTS | TT_NEEDS_GRAPH,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

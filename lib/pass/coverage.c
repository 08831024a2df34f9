/**
 * The pass "coverage": lines, statements and methods that ran; the definitions are in model/cover.h.
 */
#include <stdlib.h>
#include <string.h>

#include "model/names.h"
#include "pass/passes.h"

enum { C_ASSEMBLIES, C_FILES, C_CLASSES, C_METHODS, C_LINES };

/* What assemblies, files, classes and methods have in common. */
enum { K_LINES, K_LINES_HIT, K_LINE_SHARE, K_METHODS, K_METHODS_HIT, K_METHOD_SHARE, K_STATEMENTS, K_STATEMENTS_HIT, K_N };
#define LINES \
	{ "lines", "lines", TT_UNIT_COUNT, "Lines that have code, as debug information tells them." }, \
	{ "lines_hit", "lines run", TT_UNIT_COUNT, "Those that ran at least once." }, \
	{ "line_share", "lines run", TT_UNIT_PERCENT, "Lines run as share of lines; empty without debug information." }
#define METHODS \
	{ "methods", "methods", TT_UNIT_COUNT, "Methods that have statements; instances of a generic method are one." }, \
	{ "methods_hit", "methods run", TT_UNIT_COUNT, "Those of which a statement ran." }, \
	{ "method_share", "methods run", TT_UNIT_PERCENT, "Methods run as share of methods." }
#define STATEMENTS \
	{ "statements", "statements", TT_UNIT_COUNT, "Statements: sequence points of the compiler." }, \
	{ "statements_hit", "statements run", TT_UNIT_COUNT, "Those that ran at least once." }

static const struct tt_col assemblies_col[] = {
	{ "assembly", "assembly", TT_UNIT_TEXT, "Its name." }, LINES, METHODS, STATEMENTS,
};
static const struct tt_col files_col[] = {
	{ "file", "file", TT_UNIT_TEXT, "Source file as debug information names it." }, LINES,
};
static const struct tt_col classes_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Its full name." }, LINES, METHODS, STATEMENTS,
	{ "assembly", "assembly", TT_UNIT_TEXT, "The assembly it is in." },
};

enum { M_METHOD, M_ENTRIES, M_LINES, M_LINES_HIT, M_LINE_SHARE, M_STATEMENTS, M_STATEMENTS_HIT, M_LINE, M_FILE, M_CLASS,
	M_ASSEMBLY };
static const struct tt_col methods_col[] = {
	{ "method", "method", TT_UNIT_TEXT, "Name and arguments." },
	{ "entries", "entered", TT_UNIT_COUNT, "How often its first statement ran." },
	LINES, STATEMENTS,
	{ "line", "line", TT_UNIT_COUNT, "Its first line; empty without debug information." },
	{ "file", "file", TT_UNIT_TEXT, "The source file of that line." },
	{ "class", "class", TT_UNIT_TEXT, "The class it is of." },
	{ "assembly", "assembly", TT_UNIT_TEXT, "The assembly it is in." },
};
static const struct tt_col lines_col[] = {
	{ "file", "file", TT_UNIT_TEXT, "Source file as debug information names it." },
	{ "line", "line", TT_UNIT_COUNT, "Line in it, from 1." },
	{ "hits", "hits", TT_UNIT_COUNT,
	    "How often it ran: the most frequent of its statements, added up over the methods that have code on it." },
};

static const struct tt_pass_table tables[] = {
	[C_ASSEMBLIES] = { "coverage", "Coverage", assemblies_col, TT_NCOL(assemblies_col), false,
	    TT_ON_CATEGORY, TT_BY_NAME, 0 },
	[C_FILES] = { "coverage_files", "Coverage by file", files_col, TT_NCOL(files_col), false, 0, 0, 0 },
	[C_CLASSES] = { "coverage_classes", "Coverage by class", classes_col, TT_NCOL(classes_col), false,
	    TT_ON_NAMES, TT_BY_NAME, 0 },
	[C_METHODS] = { "coverage_methods", "Coverage by method", methods_col, TT_NCOL(methods_col), true,
	    TT_ON_NAMES, TT_BY_NAME, TT_GROUP_COUNT },
	[C_LINES] = { "coverage_lines", "Coverage by line", lines_col, TT_NCOL(lines_col), true, 0, 0, 0 },
};

/* --- figures ------------------------------------------------------------------ */

struct figures { uint64_t lines, lines_hit, methods, methods_hit, statements, statements_hit, entries; };

/* Which row a method's code belongs to; NOT_WANTED. */
typedef uint32_t row_fn(const void *arg, const struct tt_cover_method *m);

#define NOT_WANTED UINT32_MAX

static uint32_t of_assembly(const void *arg, const struct tt_cover_method *m) { (void)arg; return m->in_assembly; }
static uint32_t of_class(const void *arg, const struct tt_cover_method *m) { (void)arg; return m->in_class; }

struct place { uint32_t row, file, line; bool hit; };

static int
by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Distinct lines of each row, and those that ran. */
static int
count_lines(const struct tt_model *m, const struct tt_cover_sum *s, row_fn *of, const void *arg, struct figures *f,
    struct tt_err *err)
{
	struct place *p = tt_mem_alloc(&m->env->mem, s->nat * sizeof *p, err);
	size_t n = 0;

	if (!p)
		return err->code;
	for (size_t i = 0; i < s->nat; i++) {
		uint32_t row = of(arg, &s->method[s->at[i].method]);
		if (row != NOT_WANTED)
			p[n++] = (struct place){ row, s->at[i].file, s->at[i].line, s->at[i].hits > 0 };
	}
	if (n)
		qsort(p, n, sizeof *p, by_place);
	for (size_t i = 0; i < n;) {
		bool hit = false;
		size_t from = i;

		for (; i < n && by_place(&p[from], &p[i]) == 0; i++)
			hit = hit || p[i].hit;
		f[p[from].row].lines++;
		f[p[from].row].lines_hit += hit;
	}
	tt_mem_free(&m->env->mem, p, s->nat * sizeof *p);
	return TT_OK;
}

static void
count_methods(const struct tt_cover_sum *s, row_fn *of, const void *arg, struct figures *f)
{
	for (size_t i = 0; i < s->nmethod; i++) {
		const struct tt_cover_method *m = &s->method[i];
		uint32_t row = of(arg, m);

		if (row == NOT_WANTED)
			continue;
		f[row].methods += m->statements > 0;
		f[row].methods_hit += m->statements_hit > 0;
		f[row].statements += m->statements;
		f[row].statements_hit += m->statements_hit;
		f[row].entries += m->entries;
	}
}

static void
put_lines(struct tt_cell *c, uint64_t lines, uint64_t hit)
{
	tt_cell_int(&c[K_LINES], (int64_t)lines);
	tt_cell_int(&c[K_LINES_HIT], (int64_t)hit);
	tt_cell_share(&c[K_LINE_SHARE], (int64_t)hit, (int64_t)lines);
}

static void
put_figures(struct tt_cell *c, const struct figures *g)
{
	put_lines(c, g->lines, g->lines_hit);
	tt_cell_int(&c[K_METHODS], (int64_t)g->methods);
	tt_cell_int(&c[K_METHODS_HIT], (int64_t)g->methods_hit);
	tt_cell_share(&c[K_METHOD_SHARE], (int64_t)g->methods_hit, (int64_t)g->methods);
	tt_cell_int(&c[K_STATEMENTS], (int64_t)g->statements);
	tt_cell_int(&c[K_STATEMENTS_HIT], (int64_t)g->statements_hit);
}

/* --- tables --------------------------------------------------------------------- */

/* Rows are chosen by --category, their assembly, and by --marker where they have a name besides. */
static bool
is_wanted(const struct tt_model *m, const struct tt_cover_method *of, const char *name)
{
	return tt_glob_any(m->filter.category, of->assembly) && (!name || tt_name_match(m->filter.marker, name));
}

/* Rows of assemblies or classes; methods stand in order of both. */
static int
put_parts(const struct tt_model *m, const struct tt_cover_sum *s, bool classes, struct tt_report *r, struct tt_table *t,
    struct tt_err *err)
{
	row_fn *of = classes ? of_class : of_assembly;
	size_t n = s->nmethod ? of(NULL, &s->method[s->nmethod - 1]) + 1 : 0;
	struct figures *f = tt_mem_alloc(&m->env->mem, n * sizeof *f, err);
	uint32_t next = 0;
	int rc;

	if (!f)
		return err->code;
	count_methods(s, of, NULL, f);
	rc = count_lines(m, s, of, NULL, f, err);
	for (size_t i = 0; i < s->nmethod && rc == TT_OK; i++) {
		const struct tt_cover_method *me = &s->method[i];
		const struct figures *g = &f[next];
		struct tt_cell *c;

		if (of(NULL, me) != next)
			continue;
		next++;
		if (g->methods == 0 || !is_wanted(m, me, classes ? me->class : NULL))
			continue;
		if ((rc = tt_table_row(r, t, &c, err)) != TT_OK)
			break;
		tt_cell_text(&c[0], classes ? me->class : me->assembly);
		put_figures(c + 1, g);
		if (classes)
			tt_cell_text(&c[1 + K_N], me->assembly);
	}
	tt_mem_free(&m->env->mem, f, n * sizeof *f);
	return rc;
}

static int
put_files(const struct tt_cover_sum *s, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < s->nline && rc == TT_OK;) {
		uint32_t file = s->line[i].file;
		uint64_t lines = 0, hit = 0;
		struct tt_cell *c;

		for (; i < s->nline && s->line[i].file == file; i++) {
			lines++;
			hit += s->line[i].hits > 0;
		}
		if ((rc = tt_table_row(r, t, &c, err)) != TT_OK)
			break;
		tt_cell_text(&c[0], s->file[file]);
		put_lines(c + 1, lines, hit);
	}
	return rc;
}

static int
put_methods(const struct tt_model *model, const struct tt_cover_sum *s, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	size_t at = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < s->nmethod && rc == TT_OK; i++) {
		const struct tt_cover_method *m = &s->method[i];
		uint64_t lines = 0, hit = 0;
		struct tt_cell *c;
		const char *name;

		for (; at < s->nat && s->at[at].method == i; at++) {
			lines++;
			hit += s->at[at].hits > 0;
		}
		if (m->statements == 0)
			continue;
		if (!(name = tt_report_text(r, err, "%s:%s (%s)", m->class, m->name, m->signature)))
			return err->code;
		if (!is_wanted(model, m, name))
			continue;
		name += strlen(m->class) + 1;
		if ((rc = tt_table_row(r, t, &c, err)) != TT_OK)
			break;
		tt_cell_text(&c[M_METHOD], name);
		tt_cell_int(&c[M_ENTRIES], (int64_t)m->entries);
		put_lines(c + M_LINES, lines, hit);
		tt_cell_int(&c[M_STATEMENTS], (int64_t)m->statements);
		tt_cell_int(&c[M_STATEMENTS_HIT], (int64_t)m->statements_hit);
		if (m->line) {
			tt_cell_int(&c[M_LINE], m->line);
			tt_cell_text(&c[M_FILE], m->file);
		}
		tt_cell_text(&c[M_CLASS], m->class);
		tt_cell_text(&c[M_ASSEMBLY], m->assembly);
	}
	return rc;
}

static int
put_each_line(const struct tt_cover_sum *s, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < s->nline && rc == TT_OK; i++) {
		struct tt_cell *c;

		if ((rc = tt_table_row(r, t, &c, err)) != TT_OK)
			break;
		tt_cell_text(&c[0], s->file[s->line[i].file]);
		tt_cell_int(&c[1], s->line[i].line);
		tt_cell_int(&c[2], (int64_t)s->line[i].hits);
	}
	return rc;
}

/* --- groups ----------------------------------------------------------------------- */

/* Methods by group; of those that are not wanted none. */
struct grouping {
	const struct tt_cover_sum *s;
	struct of { const char *label; uint32_t method; } *v; /* by label */
	size_t n;
	uint32_t *row;                /* by method */
};

static int
by_label(const void *a, const void *b)
{
	return strcmp(((const struct of *)a)->label, ((const struct of *)b)->label);
}

static uint32_t
of_group(const void *arg, const struct tt_cover_method *m)
{
	const struct grouping *g = arg;

	return g->row[m - g->s->method];
}

static int
list_groups(const struct tt_model *m, struct grouping *g, enum tt_group group, bool methods, struct tt_report *r,
    struct tt_err *err)
{
	for (size_t i = 0; i < g->s->nmethod; i++) {
		const struct tt_cover_method *me = &g->s->method[i];
		const char *space = "", *label = me->assembly, *name = me->class;
		size_t n = tt_name_namespace(me->class, strlen(me->class), &space);

		g->row[i] = NOT_WANTED;
		if (methods && !(name = tt_report_text(r, err, "%s:%s (%s)", me->class, me->name, me->signature)))
			return err->code;
		if (me->statements == 0 || !is_wanted(m, me, name))
			continue;
		if (group == TT_GROUP_NAMESPACE)
			label = n ? tt_arena_text(&r->arena, space, n, err) : TT_NO_NAMESPACE;
		if (!label)
			return err->code;
		g->v[g->n++] = (struct of){ label, (uint32_t)i };
	}
	if (g->n)
		qsort(g->v, g->n, sizeof *g->v, by_label);
	for (size_t i = 0, row = 0; i < g->n; i++) {
		row += i > 0 && by_label(&g->v[i - 1], &g->v[i]) != 0;
		g->row[g->v[i].method] = (uint32_t)row;
	}
	return TT_OK;
}

static int
put_group(const struct figures *f, const char *label, bool methods, struct tt_report *r, struct tt_table *t,
    struct tt_err *err)
{
	struct tt_cell *c;
	int rc = tt_table_row(r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], label);
	if (!methods) {
		put_figures(c + 1, f);
		return TT_OK;
	}
	tt_cell_int(&c[M_ENTRIES], (int64_t)f->entries);
	put_lines(c + M_LINES, f->lines, f->lines_hit);
	tt_cell_int(&c[M_STATEMENTS], (int64_t)f->statements);
	tt_cell_int(&c[M_STATEMENTS_HIT], (int64_t)f->statements_hit);
	tt_cell_int(&c[t->ncol - 1], (int64_t)f->methods);
	return TT_OK;
}

static int
put_groups(const struct tt_model *m, const struct tt_cover_sum *s, enum tt_group group, bool methods, struct tt_report *r,
    struct tt_table *t, struct tt_err *err)
{
	struct tt_mem *mem = &m->env->mem;
	struct grouping g = { .s = s };
	struct figures *f = tt_mem_alloc(mem, s->nmethod * sizeof *f, err);
	int rc;

	g.v = f ? tt_mem_alloc(mem, s->nmethod * sizeof *g.v, err) : NULL;
	g.row = g.v ? tt_mem_alloc(mem, s->nmethod * sizeof *g.row, err) : NULL;
	rc = g.row ? list_groups(m, &g, group, methods, r, err) : err->code;
	if (rc == TT_OK) {
		count_methods(s, of_group, &g, f);
		rc = count_lines(m, s, of_group, &g, f, err);
	}
	for (size_t i = 0; i < g.n && rc == TT_OK; i++) {
		if (i == 0 || by_label(&g.v[i - 1], &g.v[i]) != 0)
			rc = put_group(&f[g.row[g.v[i].method]], g.v[i].label, methods, r, t, err);
	}
	tt_mem_free(mem, f, f ? s->nmethod * sizeof *f : 0);
	tt_mem_free(mem, g.v, g.v ? s->nmethod * sizeof *g.v : 0);
	tt_mem_free(mem, g.row, g.row ? s->nmethod * sizeof *g.row : 0);
	return rc;
}

/* A capture without coverage has none of these tables unless one is asked for by name. */
static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	static const struct tt_cover_sum nothing;
	const struct tt_cover_sum *s = m->cover ? tt_cover_sum(m->cover) : &nothing;
	int rc = TT_OK;

	if (s->nmethod == 0 && !o->table)
		return TT_OK;
	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_coverage, i, o, r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		t->empty_reason = s->nmethod ? "no debug information says which lines there are" : "no coverage in this capture";
		if (o->group) {
			rc = put_groups(m, s, o->group, i == C_METHODS, r, t, err);
			continue;
		}
		switch (i) {
		case C_ASSEMBLIES: rc = put_parts(m, s, false, r, t, err); break;
		case C_CLASSES: rc = put_parts(m, s, true, r, t, err); break;
		case C_FILES: rc = put_files(s, r, t, err); break;
		case C_METHODS: rc = put_methods(m, s, r, t, err); break;
		default: rc = put_each_line(s, r, t, err); break;
		}
	}
	return rc;
}

const struct tt_pass tt_pass_coverage = {
	.name = "coverage",
	.summary = "coverage: lines, statements and methods that ran, by assembly, file, class and method",
	.needs = TT_NEEDS_COVERAGE,
	.standard = true,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

/**
 * The pass "coverage": lines, statements and methods that ran; the definitions are in model/cover.h.
 */
#include <string.h>

#include "base/order.h"
#include "collect/cover.h"
#include "model/names.h"
#include "pass/passes.h"

/* Columns shared by assemblies, files, classes and methods. */
enum { K_LINES, K_LINES_HIT, K_LINE_SHARE, K_METHODS, K_METHODS_HIT, K_METHOD_SHARE, K_STATEMENTS, K_STATEMENTS_HIT, K_N };
#define LINES \
	{ "lines", "lines", TT_UNIT_COUNT, "Number of lines with code, from the debug information." }, \
	{ "lines_hit", "lines run", TT_UNIT_COUNT, "Number of lines that ran at least once." }, \
	{ "line_share", "lines run", TT_UNIT_PERCENT, "Lines that ran as a share of lines; empty without debug information." }
#define METHODS \
	{ "methods", "methods", TT_UNIT_COUNT, "Number of methods with statements; all instances of a generic method are one." }, \
	{ "methods_hit", "methods run", TT_UNIT_COUNT, "Number of methods with a statement that ran." }, \
	{ "method_share", "methods run", TT_UNIT_PERCENT, "Methods that ran as a share of methods." }
#define STATEMENTS \
	{ "statements", "statements", TT_UNIT_COUNT, "Number of statements, the compiler's sequence points." }, \
	{ "statements_hit", "statements run", TT_UNIT_COUNT, "Number of statements that ran at least once." }

static const struct tt_col assemblies_col[] = {
	{ "assembly", "assembly", TT_UNIT_TEXT, "Name of the assembly." }, LINES, METHODS, STATEMENTS,
};
static const struct tt_col files_col[] = {
	{ "file", "file", TT_UNIT_TEXT, "Source file, as the debug information names it." }, LINES,
};
static const struct tt_col classes_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Full name of the class." }, LINES, METHODS, STATEMENTS,
	{ "assembly", "assembly", TT_UNIT_TEXT, "Assembly of the class." },
};

enum { M_METHOD, M_ENTRIES, M_LINES, M_LINES_HIT, M_LINE_SHARE, M_STATEMENTS, M_STATEMENTS_HIT, M_LINE, M_FILE, M_CLASS,
	M_ASSEMBLY };
static const struct tt_col methods_col[] = {
	{ "method", "method", TT_UNIT_TEXT, "Name and arguments of the method." },
	{ "entries", "entered", TT_UNIT_COUNT, "Number of times the method's first statement ran." },
	LINES, STATEMENTS,
	{ "line", "line", TT_UNIT_COUNT, "First line of the method; empty without debug information." },
	{ "file", "file", TT_UNIT_TEXT, "Source file of that line." },
	{ "class", "class", TT_UNIT_TEXT, "Class of the method." },
	{ "assembly", "assembly", TT_UNIT_TEXT, "Assembly of the class." },
};
static const struct tt_col lines_col[] = {
	{ "file", "file", TT_UNIT_TEXT, "Source file, as the debug information names it." },
	{ "line", "line", TT_UNIT_COUNT, "Number of the line in the file, from 1." },
	{ "hits", "hits", TT_UNIT_COUNT,
	    "Number of times the line ran: the most frequent of its statements, summed over the methods with code on the line." },
};

/* --- figures ------------------------------------------------------------------ */

struct figures { uint64_t lines, lines_hit, methods, methods_hit, statements, statements_hit, entries; };

/* Return the row that a method's code belongs to, or NOT_WANTED. */
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
	return TT_CMP(x->line, y->line);
}

/* Count the distinct lines of each row, and how many of them ran. */
static void
count_lines(struct tt_making *k, row_fn *of, const void *arg, struct figures *f)
{
	const struct tt_cover_sum *s = tt_cover_sum(k->m);
	struct place *p = tt_pass_alloc(k, s->nat * sizeof *p);
	size_t n = 0;

	if (!p)
		return;
	for (size_t i = 0; i < s->nat; i++) {
		uint32_t row = of(arg, &s->method[s->at[i].method]);
		if (row != NOT_WANTED)
			p[n++] = (struct place){ row, s->at[i].file, s->at[i].line, s->at[i].hits > 0 };
	}
	tt_sort(p, n, by_place);
	for (size_t i = 0; i < n;) {
		bool hit = false;
		size_t from = i;

		for (; i < n && by_place(&p[from], &p[i]) == 0; i++)
			hit = hit || p[i].hit;
		f[p[from].row].lines++;
		f[p[from].row].lines_hit += hit;
	}
}

/* Compute the figures of all rows. */
static void
add_up(struct tt_making *k, row_fn *of, const void *arg, struct figures *f)
{
	const struct tt_cover_sum *s = tt_cover_sum(k->m);

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
	count_lines(k, of, arg, f);
}

static void
put_lines(struct tt_cell *c, uint64_t lines, uint64_t hit)
{
	tt_cell_u64(&c[K_LINES], lines);
	tt_cell_u64(&c[K_LINES_HIT], hit);
	tt_put_share(&c[K_LINE_SHARE], (int64_t)hit, (int64_t)lines);
}

static void
put_figures(struct tt_cell *c, const struct figures *g)
{
	put_lines(c, g->lines, g->lines_hit);
	tt_cell_u64(&c[K_METHODS], g->methods);
	tt_cell_u64(&c[K_METHODS_HIT], g->methods_hit);
	tt_put_share(&c[K_METHOD_SHARE], (int64_t)g->methods_hit, (int64_t)g->methods);
	tt_cell_u64(&c[K_STATEMENTS], g->statements);
	tt_cell_u64(&c[K_STATEMENTS_HIT], g->statements_hit);
}

/* --- tables --------------------------------------------------------------------- */

/* True if the filters want the row: --category selects by assembly, --marker by the row's name, if it has one. */
static bool
is_wanted(const struct tt_model *m, const struct tt_cover_method *of, const char *name)
{
	return tt_glob_any(m->filter.category, of->assembly) && (!name || tt_name_match(m->filter.marker, name));
}

/* Make rows of assemblies or, with ${classes}, of classes; methods are sorted by both. */
static void
parts(struct tt_making *k, struct tt_table *t, bool classes)
{
	const struct tt_cover_sum *s = tt_cover_sum(k->m);
	row_fn *of = classes ? of_class : of_assembly;
	size_t n = s->nmethod ? of(NULL, &s->method[s->nmethod - 1]) + 1 : 0;
	struct figures *f = tt_pass_alloc(k, n * sizeof *f);
	uint32_t next = 0;

	t->answer = 1 + K_STATEMENTS_HIT;     /* lines are known only with debug information */
	if (!f)
		return;
	add_up(k, of, NULL, f);
	for (size_t i = 0; i < s->nmethod; i++) {
		const struct tt_cover_method *me = &s->method[i];
		const struct figures *g = &f[next];
		struct tt_cell *c;

		if (of(NULL, me) != next)
			continue;
		next++;
		if (g->methods == 0 || !is_wanted(k->m, me, classes ? me->class : NULL))
			continue;
		c = tt_row(t);
		tt_cell_text(&c[0], classes ? me->class : me->assembly);
		put_figures(c + 1, g);
		if (classes)
			tt_cell_text(&c[1 + K_N], me->assembly);
	}
}

static void assemblies(struct tt_making *k, struct tt_table *t) { parts(k, t, false); }
static void classes(struct tt_making *k, struct tt_table *t) { parts(k, t, true); }

static void
files(struct tt_making *k, struct tt_table *t)
{
	const struct tt_cover_sum *s = tt_cover_sum(k->m);

	for (size_t i = 0; i < s->nline;) {
		uint32_t file = s->line[i].file;
		uint64_t lines = 0, hit = 0;
		struct tt_cell *c = tt_row(t);

		for (; i < s->nline && s->line[i].file == file; i++) {
			lines++;
			hit += s->line[i].hits > 0;
		}
		tt_cell_text(&c[0], s->file[file]);
		put_lines(c + 1, lines, hit);
	}
}

static const char *
full_name(struct tt_report *r, const struct tt_cover_method *m)
{
	return tt_text(r, "%s:%s (%s)", m->class, m->name, m->signature);
}

static void
methods(struct tt_making *k, struct tt_table *t)
{
	const struct tt_cover_sum *s = tt_cover_sum(k->m);
	size_t at = 0;

	t->answer = M_CLASS;          /* several classes may have methods of the same name */
	for (size_t i = 0; i < s->nmethod; i++) {
		const struct tt_cover_method *m = &s->method[i];
		uint64_t lines = 0, hit = 0;
		struct tt_cell *c;

		for (; at < s->nat && s->at[at].method == i; at++) {
			lines++;
			hit += s->at[at].hits > 0;
		}
		if (m->statements == 0 || !is_wanted(k->m, m, k->m->filter.marker ? full_name(k->r, m) : NULL))
			continue;
		c = tt_row(t);
		tt_cell_text(&c[M_METHOD], tt_text(k->r, "%s (%s)", m->name, m->signature));
		tt_cell_u64(&c[M_ENTRIES], m->entries);
		put_lines(c + M_LINES, lines, hit);
		tt_cell_u64(&c[M_STATEMENTS], m->statements);
		tt_cell_u64(&c[M_STATEMENTS_HIT], m->statements_hit);
		if (m->line) {
			tt_cell_int(&c[M_LINE], m->line);
			tt_cell_text(&c[M_FILE], m->file);
		}
		tt_cell_text(&c[M_CLASS], m->class);
		tt_cell_text(&c[M_ASSEMBLY], m->assembly);
	}
}

static void
lines(struct tt_making *k, struct tt_table *t)
{
	const struct tt_cover_sum *s = tt_cover_sum(k->m);

	for (size_t i = 0; i < s->nline; i++) {
		struct tt_cell *c = tt_row(t);

		tt_cell_text(&c[0], s->file[s->line[i].file]);
		tt_cell_int(&c[1], s->line[i].line);
		tt_cell_u64(&c[2], s->line[i].hits);
	}
}

/* --- groups ----------------------------------------------------------------------- */

/* Wanted methods in groups. */
struct grouping {
	const struct tt_cover_sum *s;
	struct of { const char *label; uint32_t method; } *v; /* methods, sorted by label */
	size_t n;
	uint32_t *row;                /* by method: its row */
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

static void
list_groups(struct tt_making *k, struct grouping *g, bool methods)
{
	for (size_t i = 0; i < g->s->nmethod; i++) {
		const struct tt_cover_method *me = &g->s->method[i];
		const char *space = "", *label = me->assembly;
		size_t n = tt_name_namespace(me->class, strlen(me->class), &space);

		g->row[i] = NOT_WANTED;
		if (me->statements == 0 || !is_wanted(k->m, me, methods ? full_name(k->r, me) : me->class))
			continue;
		if (k->o->group == TT_GROUP_NAMESPACE)
			label = n ? tt_text_of(k->r, space, n) : TT_NO_NAMESPACE;
		g->v[g->n++] = (struct of){ label, (uint32_t)i };
	}
	tt_sort(g->v, g->n, by_label);
	for (size_t i = 0, row = 0; i < g->n; i++) {
		row += i > 0 && by_label(&g->v[i - 1], &g->v[i]) != 0;
		g->row[g->v[i].method] = (uint32_t)row;
	}
}

static void
put_group(struct tt_table *t, const struct figures *f, const char *label, bool methods)
{
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[0], label);
	if (!methods) {
		put_figures(c + 1, f);
		return;
	}
	tt_cell_u64(&c[M_ENTRIES], f->entries);
	put_lines(c + M_LINES, f->lines, f->lines_hit);
	tt_cell_u64(&c[M_STATEMENTS], f->statements);
	tt_cell_u64(&c[M_STATEMENTS_HIT], f->statements_hit);
	tt_cell_u64(&c[t->ncol - 1], f->methods);
}

static void
groups_of(struct tt_making *k, struct tt_table *t, bool methods)
{
	const struct tt_cover_sum *s = tt_cover_sum(k->m);
	struct figures *f = tt_pass_alloc(k, s->nmethod * sizeof *f);
	struct grouping g = { .s = s, .v = tt_pass_alloc(k, s->nmethod * sizeof *g.v), .row = tt_pass_alloc(k, s->nmethod * sizeof *g.row) };

	if (g.row) {
		list_groups(k, &g, methods);
		add_up(k, of_group, &g, f);
	}
	for (size_t i = 0; i < g.n; i++) {
		if (i == 0 || by_label(&g.v[i - 1], &g.v[i]) != 0)
			put_group(t, &f[g.row[g.v[i].method]], g.v[i].label, methods);
	}
}

static void groups(struct tt_making *k, struct tt_table *t) { groups_of(k, t, false); }
static void method_groups(struct tt_making *k, struct tt_table *t) { groups_of(k, t, true); }

/* --- the pass --------------------------------------------------------------------- */

/* True if there is coverage; without it these tables appear only if asked for by name. */
static bool
any(const struct tt_model *m)
{
	return tt_cover_sum(m)->nmethod > 0;
}

static const char *
why(struct tt_making *k)
{
	return any(k->m) ? "no debug information in this capture: its lines are not known" : "no coverage in this capture";
}

static const struct tt_pass_table tables[] = {
	{ "coverage", "Coverage", assemblies_col, TT_NCOL(assemblies_col), false, TT_ON_CATEGORY, TT_BY_NAME,
	    .make_rows = assemblies, .make_groups = groups, .find_why_empty = why },
	{ "coverage_files", "Coverage by file", files_col, TT_NCOL(files_col), false, .make_rows = files, .find_why_empty = why },
	{ "coverage_classes", "Coverage by class", classes_col, TT_NCOL(classes_col), false, TT_ON_NAMES, TT_BY_NAME,
	    .make_rows = classes, .make_groups = groups, .find_why_empty = why },
	{ "coverage_methods", "Coverage by method", methods_col, TT_NCOL(methods_col), true, TT_ON_NAMES, TT_BY_NAME, TT_GROUP_COUNT,
	    .make_rows = methods, .make_groups = method_groups, .find_why_empty = why },
	{ "coverage_lines", "Coverage by line", lines_col, TT_NCOL(lines_col), true, .make_rows = lines, .find_why_empty = why,
	    .why_no_budget = "a row is a line of source; use coverage_files" },
};

const struct tt_pass tt_pass_coverage = {
	.name = "coverage",
	.summary = "coverage: lines, statements and methods that ran, by assembly, file, class and method",
	.needs = TT_NEEDS_COVERAGE,
	.is_standard = true,
	.has_tables = any,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

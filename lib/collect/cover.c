/**
 * Joins the records of coverage into methods, files, classes and assemblies, with the times that each line ran.
 */
#include "collect/collect.h"
#include "collect/cover.h"

#include "base/order.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#define HIDDEN_LINE 0xfeefee

/* A method event: one compiled method of one process. */
struct record {
	const char *assembly, *class, *name, *signature, *file;
	uint64_t token, id;
	uint32_t process, place;      /* in order of arrival */
	uint32_t method;              /* the method it was merged into */
};

struct statement {
	uint64_t id, offset, hits;
	uint32_t process, line;
	uint32_t record;              /* place of its method + 1; 0: the method is missing */
};

struct cover {
	struct tt_cover_sum sum;
	struct tt_mem *mem;
	struct tt_arena arena;
	struct record *record;
	size_t nrecord, caprecord;
	struct statement *st;
	size_t nst, capst;
	size_t settled;               /* number of statements when duplicates were last removed */
	struct statement last;        /* the statement that came last */

	const char **file;
	size_t nfile, capfile;
	struct tt_cover_method *method;
	size_t nmethod, capmethod;
	struct tt_cover_at *at;
	size_t nat, capat;
	struct tt_cover_line *line;
	size_t nline, capline;
	bool *has_lines;              /* by capture */
};

/* --- events -------------------------------------------------------------------- */

/* Copy ${n} bytes, or return ${last} if it is the same text: methods of a class and a file come together. */
static const char *
keep(struct cover *c, const char *last, const char *s, size_t n, struct tt_err *err)
{
	if (last && strlen(last) == n && memcmp(last, s, n) == 0)
		return last;
	return tt_arena_text(&c->arena, s, n, err);
}

static int
add_method(struct cover *c, uint32_t process, const struct tt_batch *b, const struct tt_event *arg, struct tt_err *err)
{
	int rc = tt_mem_grow(c->mem, &c->record, &c->caprecord, c->nrecord + 1, sizeof *c->record, err);
	struct record none = { 0 };

	if (rc != TT_OK)
		return rc;
	const struct record *last = c->nrecord ? &c->record[c->nrecord - 1] : &none;
	struct record *r = &c->record[c->nrecord];
	const char *const old[5] = { last->assembly, last->class, last->name, last->signature, last->file };
	const char *text[5];
	for (int i = 0; i < 5; i++)
		if (!(text[i] = keep(c, old[i], b->text.p + arg[i].val, arg[i].dur, err)))
			return err->code;
	*r = (struct record){ .assembly = text[0], .class = text[1], .name = text[2], .signature = text[3], .file = text[4],
		.token = arg[5].val, .id = arg[6].val, .process = process, .place = (uint32_t)c->nrecord };
	c->nrecord++;
	return TT_OK;
}

#define CMP(a, b) do { if ((a) != (b)) return (a) < (b) ? -1 : 1; } while (0)
#define CMP_TEXT(a, b) do { int cmp = strcmp(a, b); if (cmp) return cmp; } while (0)

static int
by_statement(const void *a, const void *b)
{
	const struct statement *x = a, *y = b;

	CMP(x->process, y->process);
	CMP(x->id, y->id);
	CMP(x->offset, y->offset);
	CMP(x->line, y->line);
	CMP(y->hits, x->hits);
	return 0;
}

/* If a statement is reported several times, keep the highest count: counts only grow. */
static void
settle(struct cover *c)
{
	size_t n = 0;

	tt_sort(c->st, c->nst, by_statement);
	for (size_t i = 0; i < c->nst; i++) {
		const struct statement *s = &c->st[i], *before = n ? &c->st[n - 1] : NULL;
		if (!before || s->process != before->process || s->id != before->id || s->offset != before->offset ||
		    s->line != before->line)
			c->st[n++] = *s;
	}
	c->nst = c->settled = n;
}

static int
add_statement(struct cover *c, uint32_t process, const struct tt_event *arg, bool whole, struct tt_err *err)
{
	enum { MIN_UNSETTLED = 65536 };

	if (c->nst > MIN_UNSETTLED && c->nst > 2 * c->settled)
		settle(c);
	int rc = tt_mem_grow(c->mem, &c->st, &c->capst, c->nst + 1, sizeof *c->st, err);
	if (rc != TT_OK)
		return rc;
	uint64_t line = arg[3].val, offset = arg[1].val;
	if (!whole && c->last.process == process && c->last.id == arg[0].val)
		offset += c->last.offset;
	c->last = (struct statement){ .process = process, .id = arg[0].val, .offset = offset, .hits = arg[2].val,
		.line = line < UINT32_MAX && line != HIDDEN_LINE ? (uint32_t)line : 0 };
	c->st[c->nst++] = c->last;
	return TT_OK;
}

static int
event(const struct tt_collecting *at, void *state, struct tt_event *e, struct tt_err *err)
{
	enum { METHOD = 1, STATEMENT = 2 };
	static const uint8_t texts[] = { [METHOD] = 5, [STATEMENT] = 0 }, numbers[] = { [METHOD] = 3, [STATEMENT] = 5 };
	const struct tt_event *arg = e + 1;
	struct cover *c = state;

	if (e->depth != METHOD && e->depth != STATEMENT)
		return TT_OK;
	unsigned n = texts[e->depth] + numbers[e->depth];
	if (n > (size_t)(at->b->ev + at->b->n - arg) || c->nrecord >= UINT32_MAX)
		return TT_OK;
	for (unsigned k = 0; k < n; k++)
		if (arg[k].kind != TT_ARG || (arg[k].depth == TT_T_TEXT) != (k < texts[e->depth]))
			return TT_OK;
	return e->depth == METHOD ? add_method(c, at->cap->process, at->b, arg, err) :
	    add_statement(c, at->cap->process, arg, e->flags & TT_F_BASE, err);
}

/* --- joining ----------------------------------------------------------------------- */

static int
by_id(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	CMP(x->process, y->process);
	CMP(x->id, y->id);
	CMP(x->place, y->place);
	return 0;
}

/* Sort records by order of arrival. */
static int
by_place(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	CMP(x->place, y->place);
	return 0;
}

static void
link_statements(struct cover *c)
{
	tt_sort(c->record, c->nrecord, by_id);
	for (size_t i = 0; i < c->nst; i++) {
		struct statement *s = &c->st[i];
		size_t lo = tt_lower_bound(k, 0, c->nrecord, c->record[k].process < s->process ||
		    (c->record[k].process == s->process && c->record[k].id < s->id));
		const struct record *r = &c->record[lo];
		s->record = lo < c->nrecord && r->process == s->process && r->id == s->id ? r->place + 1 : 0;
	}
	tt_sort(c->record, c->nrecord, by_place);
}

static int
by_token(const void *a, const void *b, void *arg)
{
	const struct cover *c = arg;
	const struct record *x = &c->record[*(const uint32_t *)a], *y = &c->record[*(const uint32_t *)b];

	CMP(x->process, y->process);
	CMP_TEXT(x->assembly, y->assembly);
	CMP(x->token, y->token);
	CMP(x->place, y->place);
	return 0;
}

static int
compare_names(const struct record *x, const struct record *y)
{
	CMP_TEXT(x->assembly, y->assembly);
	CMP_TEXT(x->class, y->class);
	CMP_TEXT(x->name, y->name);
	CMP_TEXT(x->signature, y->signature);
	return 0;
}

static int
by_name(const void *a, const void *b, void *arg)
{
	const struct cover *c = arg;
	const struct record *x = &c->record[*(const uint32_t *)a], *y = &c->record[*(const uint32_t *)b];
	int cmp = compare_names(x, y);

	if (cmp)
		return cmp;
	CMP(x->place, y->place);
	return 0;
}

/* Give all instances of a generic method the names of the first instance. */
static void
name_instances(struct cover *c, uint32_t *order)
{
	const struct record *first = NULL;

	tt_sort_by(order, c->nrecord, by_token, c);
	for (size_t i = 0; i < c->nrecord; i++) {
		struct record *r = &c->record[order[i]];

		if (!first || r->token == 0 || r->process != first->process || r->token != first->token ||
		    strcmp(r->assembly, first->assembly) != 0) {
			first = r;
			continue;
		}
		r->class = first->class;
		r->name = first->name;
		r->signature = first->signature;
	}
}

static int
make_methods(struct cover *c, uint32_t *order, struct tt_err *err)
{
	int rc = tt_mem_grow(c->mem, &c->method, &c->capmethod, c->nrecord, sizeof *c->method, err);
	const struct record *before = NULL;
	uint32_t assembly = 0, class = 0;

	if (rc != TT_OK)
		return rc;
	tt_sort_by(order, c->nrecord, by_name, c);
	for (size_t i = 0; i < c->nrecord; i++) {
		struct record *r = &c->record[order[i]];
		bool fresh = !before || compare_names(before, r) != 0;

		if (fresh) {
			bool other = before && strcmp(before->assembly, r->assembly) != 0;
			assembly += other;
			class += other || (before && strcmp(before->class, r->class) != 0);
			c->method[c->nmethod++] = (struct tt_cover_method){ .assembly = r->assembly, .class = r->class,
				.name = r->name, .signature = r->signature, .file = "", .in_assembly = assembly, .in_class = class };
		}
		r->method = (uint32_t)c->nmethod - 1;
		before = r;
	}
	return TT_OK;
}

static int
join_records(struct cover *c, struct tt_err *err)
{
	uint32_t *order = tt_mem_alloc(c->mem, c->nrecord * sizeof *order, err);

	if (!order)
		return err->code;
	for (uint32_t i = 0; i < c->nrecord; i++)
		order[i] = i;
	name_instances(c, order);
	int rc = make_methods(c, order, err);
	tt_mem_free(c->mem, order, c->nrecord * sizeof *order);
	return rc;
}

/* --- files ------------------------------------------------------------------------------ */

static int
list_files(struct cover *c, struct tt_err *err)
{
	int rc = tt_mem_grow(c->mem, &c->file, &c->capfile, c->nrecord, sizeof *c->file, err);
	size_t n = 0;

	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; i < c->nrecord; i++)
		if (c->record[i].file[0] && (n == 0 || c->file[n - 1] != c->record[i].file))
			c->file[n++] = c->record[i].file;
	tt_sort(c->file, n, tt_compare_texts);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(c->file[i], c->file[c->nfile - 1]) != 0)
			c->file[c->nfile++] = c->file[i];
	return TT_OK;
}

static uint32_t
file_number(const struct cover *c, const char *name)
{
	const char **at = bsearch(&name, c->file, c->nfile, sizeof *c->file, tt_compare_texts);

	return (uint32_t)(at - c->file);
}

/* --- statements --------------------------------------------------------------------------- */

static int
by_offset(const void *a, const void *b, void *arg)
{
	const struct cover *c = arg;
	const struct statement *x = a, *y = b;

	/* Statements of unknown methods come first. */
	CMP(x->record != 0, y->record != 0);
	if (x->record) {
		CMP(c->record[x->record - 1].method, c->record[y->record - 1].method);
		CMP(x->offset, y->offset);
		CMP(x->record, y->record);
	}
	CMP(x->line, y->line);
	return 0;
}

/* Count each method's statements; instances have the same offsets. The first statement with a line gives the method's line and file. */
static void
count_statements(struct cover *c)
{
	const struct statement *before = NULL;
	uint32_t last = UINT32_MAX;
	bool hit = false;

	tt_sort_by(c->st, c->nst, by_offset, c);
	for (size_t i = 0; i < c->nst; i++) {
		const struct statement *s = &c->st[i];
		if (!s->record)
			continue;
		const struct record *r = &c->record[s->record - 1];
		struct tt_cover_method *m = &c->method[r->method];

		if (r->method != last || s->offset != before->offset) {
			hit = false;
			m->statements++;
		}
		if (s->hits && !hit)
			m->statements_hit++;
		hit = hit || s->hits;
		if (m->statements == 1)
			m->entries += s->hits;
		if (!m->line && s->line && r->file[0]) {
			m->line = s->line;
			m->file = r->file;
		}
		last = r->method;
		before = s;
	}
}

/* --- lines ----------------------------------------------------------------------------------- */

static int
by_record_line(const void *a, const void *b)
{
	const struct statement *x = a, *y = b;

	CMP(x->record, y->record);
	CMP(x->line, y->line);
	return 0;
}

static int
by_at(const void *a, const void *b)
{
	const struct tt_cover_at *x = a, *y = b;

	CMP(x->method, y->method);
	CMP(x->file, y->file);
	CMP(x->line, y->line);
	return 0;
}

/* Take the most frequent statement of each line of each record; then add up the records of the same method. */
static int
make_places(struct cover *c, struct tt_err *err)
{
	int rc = tt_mem_grow(c->mem, &c->at, &c->capat, c->nst, sizeof *c->at, err);
	const struct statement *before = NULL;
	size_t n = 0;

	if (rc != TT_OK)
		return rc;
	tt_sort(c->st, c->nst, by_record_line);
	for (size_t i = 0; i < c->nst; i++) {
		const struct statement *s = &c->st[i];
		if (!s->record || !s->line || !c->record[s->record - 1].file[0])
			continue;
		const struct record *r = &c->record[s->record - 1];

		c->has_lines[r->process] = true;
		if (!before || before->record != s->record || before->line != s->line)
			c->at[n++] = (struct tt_cover_at){ .method = r->method, .file = file_number(c, r->file), .line = s->line };
		if (s->hits > c->at[n - 1].hits)
			c->at[n - 1].hits = s->hits;
		before = s;
	}
	tt_sort(c->at, n, by_at);
	for (size_t i = 0; i < n; i++) {
		if (c->nat > 0 && by_at(&c->at[c->nat - 1], &c->at[i]) == 0)
			c->at[c->nat - 1].hits += c->at[i].hits;
		else
			c->at[c->nat++] = c->at[i];
	}
	return TT_OK;
}

static int
by_line(const void *a, const void *b)
{
	const struct tt_cover_line *x = a, *y = b;

	CMP(x->file, y->file);
	CMP(x->line, y->line);
	return 0;
}

static int
make_lines(struct cover *c, struct tt_err *err)
{
	int rc = tt_mem_grow(c->mem, &c->line, &c->capline, c->nat, sizeof *c->line, err);

	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; i < c->nat; i++)
		c->line[i] = (struct tt_cover_line){ c->at[i].file, c->at[i].line, c->at[i].hits };
	tt_sort(c->line, c->nat, by_line);
	for (size_t i = 0; i < c->nat; i++) {
		if (c->nline > 0 && by_line(&c->line[c->nline - 1], &c->line[i]) == 0)
			c->line[c->nline - 1].hits += c->line[i].hits;
		else
			c->line[c->nline++] = c->line[i];
	}
	return TT_OK;
}

static int
finish(const struct tt_collecting *at, void *state, struct tt_err *err)
{
	struct cover *c = state;
	int rc = TT_OK;

	settle(c);
	if (!(c->has_lines = tt_arena_alloc(&c->arena, at->m->ncap, err)))
		return err->code;
	if (c->nrecord && c->nst) {
		link_statements(c);
		rc = join_records(c, err);
		TT_THEN(rc, list_files(c, err));
		if (rc == TT_OK) {
			count_statements(c);
			rc = make_places(c, err);
		}
		TT_THEN(rc, make_lines(c, err));
	}
	if (rc != TT_OK)
		return rc;
	c->sum = (struct tt_cover_sum){ .file = (const char *const *)c->file, .nfile = c->nfile, .method = c->method,
		.nmethod = c->nmethod, .at = c->at, .nat = c->nat, .line = c->line, .nline = c->nline,
		.has_lines = c->has_lines };
	return TT_OK;
}

static int
begin(const struct tt_collecting *at, void *state, struct tt_err *err)
{
	struct cover *c = state;

	(void)err;
	c->mem = at->mem;
	tt_arena_init(&c->arena, c->mem);
	return TT_OK;
}

static void
free_all(struct tt_model *m, void *state)
{
	struct tt_mem *mem = &m->env->mem;
	struct cover *c = state;

	tt_mem_free(mem, c->record, c->caprecord * sizeof *c->record);
	tt_mem_free(mem, c->st, c->capst * sizeof *c->st);
	tt_mem_free(mem, c->file, c->capfile * sizeof *c->file);
	tt_mem_free(mem, c->method, c->capmethod * sizeof *c->method);
	tt_mem_free(mem, c->at, c->capat * sizeof *c->at);
	tt_mem_free(mem, c->line, c->capline * sizeof *c->line);
	tt_arena_free(&c->arena);
}

const struct tt_collector tt_collector_cover = {
	.name = "coverage", .size = sizeof(struct cover), .needs = TT_NEEDS_COVERAGE, .kinds = TT_KIND(TT_COVERAGE),
	.begin = begin, .event = event, .finish = finish, .free = free_all,
};

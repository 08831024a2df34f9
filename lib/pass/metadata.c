/**
 * The pass "metadata": images, assemblies, domains, contexts and classes that the capture tells of.
 *
 * Definitions: tracetool-metrics(7), Metadata.
 */
#include <stdlib.h>
#include <string.h>

#include "model/facts.h"
#include "model/names.h"
#include "model/code.h"
#include "pass/passes.h"

enum { M_SUMMARY, M_THINGS, M_CLASSES, M_FACTS, M_MARKERS, M_CATEGORIES };

static const struct tt_col summary_col[] = {
	{ "kind", "kind", TT_UNIT_TEXT, "image, assembly, domain, context, class, vtable, method or thread." },
	{ "loaded", "loaded", TT_UNIT_COUNT, "Different ones that were loaded or named; an address that was used again counts again." },
	{ "unloaded", "unloaded", TT_UNIT_COUNT, "Records of one being unloaded; classes have none." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col thing_col[] = {
	{ "kind", "kind", TT_UNIT_TEXT, "image, assembly, domain or context." },
	{ "name", "name", TT_UNIT_TEXT, "File of an image, full name of an assembly, name of a domain." },
	{ "id", "id", TT_UNIT_HEX, "Address, or the number of a domain or context." },
	{ "of", "of", TT_UNIT_TEXT, "Image of an assembly, domain of a context." },
	{ "mvid", "mvid", TT_UNIT_TEXT, "Version id of an image, where the capture has it." },
	{ "time_ns", "time", TT_UNIT_NS, "When it was loaded or named." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col class_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Name of the class." },
	{ "image", "image", TT_UNIT_TEXT, "File of the image it is in." },
	{ "id", "id", TT_UNIT_HEX, "Its address." },
	{ "time_ns", "time", TT_UNIT_NS, "When it was loaded." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col fact_col[] = {
	{ "time_ns", "time", TT_UNIT_NS, "When it was set." },
	{ "to_ns", "until", TT_UNIT_NS, "When its key was set again; empty: it holds to the end." },
	{ "key", "key", TT_UNIT_TEXT, "What the fact is about; label: what the program does from now on." },
	{ "value", "value", TT_UNIT_TEXT, "The fact." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col marker_col[] = {
	{ "marker", "marker", TT_UNIT_TEXT, "Name of the marker." },
	{ "category", "category", TT_UNIT_TEXT, "Its category." },
	{ "id", "id", TT_UNIT_COUNT, "The engine's number of it." },
	{ "flags", "flags", TT_UNIT_TEXT,
	    "What the engine says of it: script, editor, release, warning, invoke, deep, counter, gpu (tracetool-unity(7), flags)." },
	{ "verbosity", "verbosity", TT_UNIT_TEXT, "user, debug, internal, external or advanced." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col category_col[] = {
	{ "category", "category", TT_UNIT_TEXT, "Name of the category." },
	{ "color", "colour", TT_UNIT_TEXT, "Its colour as the engine has it: #rrggbbaa; empty: none." },
	{ "id", "id", TT_UNIT_COUNT, "The engine's number of it." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_pass_table tables[] = {
	[M_SUMMARY] = { "metadata", "Metadata", summary_col, TT_NCOL(summary_col), false, 0,
	    TT_BY_NAME | TT_BY_DOMAIN, TT_GROUP_FRONT },
	[M_THINGS] = { "metadata_items", "Images, assemblies, domains, contexts", thing_col, TT_NCOL(thing_col), false,
	    TT_ON_TIME | TT_ON_MARKER, TT_BY_ASSEMBLY | TT_BY_DOMAIN, TT_GROUP_FRONT | TT_GROUP_COUNT },
	[M_CLASSES] = { "metadata_classes", "Classes", class_col, TT_NCOL(class_col), true,
	    TT_ON_TIME | TT_ON_NAMES, TT_BY_NAME, TT_GROUP_COUNT },
	[M_MARKERS] = { "metadata_markers", "Markers as the engine describes them", marker_col, TT_NCOL(marker_col), true, TT_ON_NAMES, 0, 0 },
	[M_CATEGORIES] = { "metadata_categories", "Categories as the engine describes them", category_col, TT_NCOL(category_col), true,
	    0, 0, 0 },
	[M_FACTS] = { "facts", "Labels and facts", fact_col, TT_NCOL(fact_col), true, TT_ON_TIME, 0, 0 },
};

static const struct { enum tt_def_kind kind; const char *name; } things[] = {
	{ TT_DEF_IMAGE, "image" }, { TT_DEF_ASSEMBLY, "assembly" }, { TT_DEF_DOMAIN, "domain" },
	{ TT_DEF_CONTEXT, "context" }, { TT_DEF_CLASS, "class" }, { TT_DEF_VTABLE, "vtable" },
	{ TT_DEF_MARKER, "method" }, { TT_DEF_THREAD, "thread" },
};
enum { LISTED = 4 };                  /* the first of these have a table of their own */

/* A domain is loaded without a name and gets it by a record of its own: is ${d} told again by that one? */
static bool
is_named_later(const struct tt_defs *defs, const struct tt_def *d)
{
	return d->kind == TT_DEF_DOMAIN && d->len == 0 && tt_defs_next(defs, d) != NULL;
}

/* How many things of a kind; a thread has a record for each name. */
static uint64_t
count_of(const struct tt_model *m, uint32_t p, enum tt_def_kind kind)
{
	const struct tt_defs *defs = m->cap[p]->defs;
	const struct tt_def *d;
	struct tt_code_sum sum;
	uint64_t n = 0;

	if (kind == TT_DEF_THREAD) {
		for (size_t i = 0; i < m->threads.n; i++)
			n += m->threads.t[i]->process == p;
		return n;
	}
	if (kind == TT_DEF_MARKER && tt_code_sum(m->cap[p], INT64_MIN, INT64_MAX, &sum))
		return sum.methods;
	if (kind != TT_DEF_DOMAIN)
		return tt_defs_count(defs, kind);
	for (size_t i = 0; (d = tt_defs_at(defs, kind, i)); i++)
		n += !is_named_later(defs, d);
	return n;
}

static int
summary(const struct tt_model *m, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	t->whole = true;
	for (uint32_t p = 0; p < m->ncap; p++) {
		for (size_t i = 0; i < TT_NCOL(things) && rc == TT_OK; i++) {
			uint64_t gone = m->cap[p]->unloaded[things[i].kind];
			uint64_t n = count_of(m, p, things[i].kind);
			struct tt_cell *c;

			if (n + gone == 0)
				continue;
			rc = tt_table_row(r, t, &c, err);
			if (rc != TT_OK)
				return rc;
			tt_cell_text(&c[0], things[i].name);
			tt_cell_int(&c[1], (int64_t)n);
			if (i < LISTED)
				tt_cell_int(&c[2], (int64_t)gone);
			tt_cell_int(&c[3], (int64_t)p + 1);
		}
	}
	return rc;
}

/* Was it loaded in the time looked at? */
static bool
in_time(const struct tt_model *m, uint32_t p, const struct tt_def *d)
{
	int64_t ts = d->ts + m->cap[p]->offset_ns;

	return ts >= m->filter.from && ts < m->filter.to;
}

/* --- groups ----------------------------------------------------------------------- */

/* What is put into groups, and where. */
struct grouping {
	const struct tt_model *m;
	enum tt_group group;
	struct tt_report *r;
	uint32_t process;
};

/* The group of a class (its assembly where rows are classes), or NULL where the filters do not want it. */
static int
class_group(const struct grouping *g, const struct tt_def *d, const char **label, struct tt_err *err)
{
	const char *assembly = tt_class_assembly(g->m, g->process, d, &g->r->arena, err), *space;
	const char *name = d && d->len ? d->text : "";
	size_t n;

	*label = assembly;
	if (!assembly)
		return err->code;
	if (!tt_class_wanted(g->m, name, assembly)) {
		*label = NULL;
		return TT_OK;
	}
	if (g->group != TT_GROUP_NAMESPACE)
		return TT_OK;
	n = tt_name_namespace(name, strlen(name), &space);
	*label = n ? tt_arena_text(&g->r->arena, space, n, err) : TT_NO_NAMESPACE;
	return *label ? TT_OK : err->code;
}

static int
method_group(const struct grouping *g, const struct tt_def *d, const char **label, struct tt_err *err)
{
	const struct tt_name *name = tt_model_key(g->m, g->process, d->key);

	if (!name->wanted)
		return TT_OK;
	*label = tt_group_marker(g->m, g->group, name, &g->r->arena, err);
	return *label ? TT_OK : err->code;
}

/* The domain of what has one. */
static int
domain_group(const struct grouping *g, const struct tt_def *d, const char **label, struct tt_err *err)
{
	const struct tt_defs *defs = g->m->cap[g->process]->defs;
	bool is = d->kind == TT_DEF_DOMAIN;

	if (g->m->filter.marker || g->m->filter.category || (!is && d->kind != TT_DEF_CONTEXT && d->kind != TT_DEF_VTABLE))
		return TT_OK;
	*label = tt_domain_name(defs, is ? d->key : d->a, &g->r->arena, err);
	return *label ? TT_OK : err->code;
}

/* The group of ${d}; NULL: it has none, or is not wanted. */
static int
group_of(const struct grouping *g, const struct tt_def *d, const char **label, struct tt_err *err)
{
	const struct tt_defs *defs = g->m->cap[g->process]->defs;
	const struct tt_def image = { .a = d->kind == TT_DEF_IMAGE ? d->key : d->a, .ts = d->ts, .text = "" };

	*label = NULL;
	if (is_named_later(defs, d))
		return TT_OK;
	if (g->group == TT_GROUP_DOMAIN)
		return domain_group(g, d, label, err);
	switch (d->kind) {
	case TT_DEF_CLASS: return class_group(g, d, label, err);
	case TT_DEF_VTABLE: return class_group(g, tt_defs_class(defs, d->key, d->ts), label, err);
	case TT_DEF_MARKER: return method_group(g, d, label, err);
	case TT_DEF_IMAGE:
	case TT_DEF_ASSEMBLY: return g->group == TT_GROUP_ASSEMBLY ? class_group(g, &image, label, err) : TT_OK;
	default: return TT_OK;
	}
}

static int
put_member(const struct grouping *g, const struct tt_def *d, const char *kind, bool summary, struct tt_table *t,
    struct tt_err *err)
{
	const char *label;
	struct tt_cell *c;
	int rc = group_of(g, d, &label, err);

	if (rc != TT_OK || !label)
		return rc;
	if ((rc = tt_table_row(g->r, t, &c, err)) != TT_OK)
		return rc;
	tt_cell_text(&c[0], label);
	tt_cell_text(&c[1], kind);
	if (summary) {
		tt_cell_int(&c[2], 1);
		tt_cell_int(&c[4], (int64_t)g->process + 1);
	} else {
		tt_cell_int(&c[7], (int64_t)g->process + 1);
	}
	return TT_OK;
}

/* Rows by group, kind and input. */
static int
members(const struct tt_model *m, enum tt_group group, bool summary, struct tt_report *r, struct tt_table *t,
    struct tt_err *err)
{
	struct grouping g = { m, group, r, 0 };
	const struct tt_def *d;
	int rc = TT_OK;

	for (; g.process < m->ncap; g.process++) {
		for (size_t k = 0; k < (summary ? TT_NCOL(things) : LISTED); k++) {
			for (size_t i = 0; rc == TT_OK && (d = tt_defs_at(m->cap[g.process]->defs, things[k].kind, i)); i++) {
				const char *name = d->len ? d->text : "";
				if (summary || (in_time(m, g.process, d) && tt_name_match(m->filter.marker, name)))
					rc = put_member(&g, d, things[k].name, summary, t, err);
			}
		}
	}
	if (summary)
		tt_group_rows(t, 1u << 0 | 1u << 1 | 1u << 4, 1u << 2);
	else
		tt_group_rows(t, 1u << 0 | 1u << 1 | 1u << 7, 0);
	return rc == TT_OK ? tt_table_sort(t, summary ? "loaded" : "count", err) : rc;
}

static void
put_text(struct tt_cell *c, const char *s)
{
	if (s && *s)
		tt_cell_text(c, s);
}

/* The name of what a thing belongs to. */
static const char *
owner_of(const struct tt_defs *defs, const struct tt_def *d)
{
	const struct tt_def *of = NULL;

	if (d->kind == TT_DEF_ASSEMBLY || d->kind == TT_DEF_CLASS)
		of = tt_defs_find(defs, TT_DEF_IMAGE, d->a, d->ts);
	else if (d->kind == TT_DEF_CONTEXT)
		of = tt_defs_find(defs, TT_DEF_DOMAIN, d->a, INT64_MAX);
	return of && of->len ? of->text : NULL;
}

static int
put_thing(const struct tt_model *m, uint32_t p, const struct tt_def *d, const char *kind, struct tt_report *r,
    struct tt_table *t, struct tt_err *err)
{
	struct tt_cell *c;
	int rc = tt_table_row(r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], kind);
	put_text(&c[1], d->text);
	tt_cell_int(&c[2], (int64_t)d->key);
	put_text(&c[3], owner_of(m->cap[p]->defs, d));
	put_text(&c[4], d->text2);
	tt_cell_int(&c[5], d->ts + m->cap[p]->offset_ns);
	tt_cell_int(&c[6], (int64_t)p + 1);
	return TT_OK;
}

static int
items(const struct tt_model *m, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	const struct tt_def *d;
	int rc = TT_OK;

	for (uint32_t p = 0; p < m->ncap; p++) {
		for (size_t k = 0; k < LISTED; k++) {
			for (size_t i = 0; rc == TT_OK && (d = tt_defs_at(m->cap[p]->defs, things[k].kind, i)); i++)
				if (!is_named_later(m->cap[p]->defs, d) && in_time(m, p, d) &&
				    tt_name_match(m->filter.marker, d->len ? d->text : ""))
					rc = put_thing(m, p, d, things[k].name, r, t, err);
		}
	}
	return rc;
}

static int
classes(const struct tt_model *m, enum tt_group group, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	struct grouping g = { m, group, r, 0 };
	const struct tt_def *d;
	int rc = TT_OK;

	for (uint32_t p = 0; p < m->ncap; p++) {
		for (size_t i = 0; rc == TT_OK && (d = tt_defs_at(m->cap[p]->defs, TT_DEF_CLASS, i)); i++) {
			const char *label;
			struct tt_cell *c;

			g.process = p;
			rc = class_group(&g, d, &label, err);
			if (rc != TT_OK || !label || !in_time(m, p, d))
				continue;
			rc = tt_table_row(r, t, &c, err);
			if (rc != TT_OK)
				return rc;
			put_text(&c[0], group ? label : d->text);
			put_text(&c[1], owner_of(m->cap[p]->defs, d));
			tt_cell_int(&c[2], (int64_t)d->key);
			tt_cell_int(&c[3], d->ts + m->cap[p]->offset_ns);
			tt_cell_int(&c[4], (int64_t)p + 1);
		}
	}
	if (group)
		tt_group_rows(t, 1u << 0 | 1u << 4, 0);
	return rc == TT_OK ? tt_table_sort(t, group ? "count" : "class", err) : rc;
}

static int
put_marker(const struct tt_model *m, uint32_t p, const struct tt_def *d, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	const struct tt_name *name = tt_model_key(m, p, d->key);
	struct tt_marker_facts f = m->cap[p]->marker_facts(d);
	const char *flags = "";
	struct tt_cell *c;

	if (!f.verbosity || !name->wanted)
		return TT_OK;
	for (const char **w = f.flag; *w && flags; w++)
		flags = tt_report_text(r, err, "%s%s%s", flags, *flags ? ", " : "", *w);
	int rc = flags ? tt_table_row(r, t, &c, err) : err->code;
	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[0], name->full);
	tt_cell_text(&c[1], name->category < m->ncategory ? m->category[name->category].name : "");
	tt_cell_int(&c[2], (int64_t)f.id);
	put_text(&c[3], flags);
	tt_cell_text(&c[4], f.verbosity);
	tt_cell_int(&c[5], (int64_t)p + 1);
	return TT_OK;
}

static int
markers(const struct tt_model *m, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	const struct tt_def *d;
	int rc = TT_OK;

	for (uint32_t p = 0; p < m->ncap; p++)
		for (size_t i = 0; rc == TT_OK && m->cap[p]->marker_facts && (d = tt_defs_at(m->cap[p]->defs, TT_DEF_MARKER, i)); i++)
			rc = put_marker(m, p, d, r, t, err);
	return rc;
}

static int
put_category(uint32_t p, const struct tt_def *d, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	const char *color = d->a ? tt_report_text(r, err, "#%08x", (unsigned)d->a) : "";
	struct tt_cell *c;
	int rc = color ? tt_table_row(r, t, &c, err) : err->code;

	if (rc != TT_OK)
		return rc;
	put_text(&c[0], d->text);
	put_text(&c[1], color);
	tt_cell_int(&c[2], (int64_t)d->b);
	tt_cell_int(&c[3], (int64_t)p + 1);
	return TT_OK;
}

static int
categories(const struct tt_model *m, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	const struct tt_def *d;
	int rc = TT_OK;

	for (uint32_t p = 0; p < m->ncap; p++)
		for (size_t i = 0; rc == TT_OK && (d = tt_defs_at(m->cap[p]->defs, TT_DEF_CATEGORY, i)); i++)
			rc = put_category(p, d, r, t, err);
	return rc;
}

static int
put_fact(const struct tt_fact *f, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	struct tt_cell *c;
	int rc = tt_table_row(r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_int(&c[0], f->ts);
	if (f->end != INT64_MAX)
		tt_cell_int(&c[1], f->end);
	tt_cell_text(&c[2], f->key);
	tt_cell_text(&c[3], f->value);
	tt_cell_int(&c[4], (int64_t)f->process + 1);
	return TT_OK;
}

/* Those that hold at some time that the user looks at, in the order in which they were set. */
static int
facts(const struct tt_model *m, struct tt_report *r, struct tt_table *t, struct tt_err *err)
{
	struct tt_facts all = { 0 };
	int rc = tt_facts_list(m, &m->env->mem, &all, err);

	for (size_t i = 0; i < all.n && rc == TT_OK; i++)
		if (all.f[i].ts < m->filter.to && all.f[i].end > m->filter.from)
			rc = put_fact(&all.f[i], r, t, err);
	tt_facts_free(&all, &m->env->mem);
	return rc;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_metadata, i, o, r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		t->empty_reason = "none in this capture";
		if (i == M_MARKERS)
			rc = markers(m, r, t, err);
		else if (i == M_CATEGORIES)
			rc = categories(m, r, t, err);
		else if (i == M_FACTS)
			rc = facts(m, r, t, err);
		else if (i == M_CLASSES)
			rc = classes(m, o->group, r, t, err);
		else if (o->group)
			rc = members(m, o->group, i == M_SUMMARY, r, t, err);
		else
			rc = i == M_SUMMARY ? summary(m, r, t, err) : items(m, r, t, err);
	}
	return rc;
}

const struct tt_pass tt_pass_metadata = {
	.name = "metadata",
	.summary = "images, assemblies, domains, contexts, classes; labels and facts in time",
	.needs = 0,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

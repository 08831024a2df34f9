/**
 * The pass "metadata": images, assemblies, domains, contexts and classes that the capture describes.
 *
 * Definitions: tracetool-metrics(7), Metadata.
 */
#include <string.h>

#include "model/defs.h"
#include "model/facts.h"
#include "model/names.h"
#include "collect/code.h"
#include "pass/passes.h"

static const struct tt_col summary_col[] = {
	{ "kind", "kind", TT_UNIT_TEXT, "image, assembly, domain, context, class, vtable, method or thread." },
	{ "loaded", "loaded", TT_UNIT_COUNT, "Number of different items loaded or named; an address that is used again counts again." },
	{ "unloaded", "unloaded", TT_UNIT_COUNT, "Number of records of an unload; classes have none." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col thing_col[] = {
	{ "kind", "kind", TT_UNIT_TEXT, "image, assembly, domain or context." },
	{ "name", "name", TT_UNIT_TEXT, "File of an image, full name of an assembly, name of a domain." },
	{ "id", "id", TT_UNIT_HEX, "Address, or number of a domain or context." },
	{ "of", "of", TT_UNIT_TEXT, "Image of an assembly, domain of a context." },
	{ "mvid", "mvid", TT_UNIT_TEXT, "Version id of an image, if the capture has it." },
	{ "time_ns", "time", TT_UNIT_NS, "Time at which it was loaded or named; empty if the capture does not tell it." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col class_col[] = {
	{ "class", "class", TT_UNIT_TEXT, "Name of the class." },
	{ "image", "image", TT_UNIT_TEXT, "File of the class's image." },
	{ "id", "id", TT_UNIT_HEX, "Address of the class." },
	{ "time_ns", "time", TT_UNIT_NS, "Time at which the class was loaded; empty if the capture does not tell it." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col fact_col[] = {
	{ "time_ns", "time", TT_UNIT_NS, "Time at which the fact was set." },
	{ "to_ns", "until", TT_UNIT_NS, "Time at which its key was set again; empty if the fact applies to the end." },
	{ "key", "key", TT_UNIT_TEXT, "Key of the fact; label means what the program does from then on." },
	{ "value", "value", TT_UNIT_TEXT, "Value of the fact." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col marker_col[] = {
	{ "marker", "marker", TT_UNIT_TEXT, "Name of the marker." },
	{ "category", "category", TT_UNIT_TEXT, "Category of the marker." },
	{ "id", "id", TT_UNIT_COUNT, "Number that the engine uses for it." },
	{ "flags", "flags", TT_UNIT_TEXT,
	    "Flags from the engine: script, editor, release, warning, invoke, deep, counter, gpu (tracetool-unity(7), flags)." },
	{ "verbosity", "verbosity", TT_UNIT_TEXT, "user, debug, internal, external or advanced." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col category_col[] = {
	{ "category", "category", TT_UNIT_TEXT, "Name of the category." },
	{ "color", "colour", TT_UNIT_TEXT, "Colour from the engine, as #rrggbbaa; empty if there is none." },
	{ "id", "id", TT_UNIT_COUNT, "Number that the engine uses for it." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

static const struct { enum tt_def_kind kind; const char *name; } things[] = {
	{ TT_DEF_IMAGE, "image" }, { TT_DEF_ASSEMBLY, "assembly" }, { TT_DEF_DOMAIN, "domain" },
	{ TT_DEF_CONTEXT, "context" }, { TT_DEF_CLASS, "class" }, { TT_DEF_VTABLE, "vtable" },
	{ TT_DEF_MARKER, "method" }, { TT_DEF_THREAD, "thread" },
};
enum { LISTED = 4 };                  /* number of kinds, from the first, that have a table of their own */

/* True if a later record repeats ${d}: a domain is loaded without a name, and another record names it. */
static bool
is_named_later(const struct tt_defs *defs, const struct tt_def *d)
{
	return d->kind == TT_DEF_DOMAIN && d->len == 0 && tt_defs_next(defs, d) != NULL;
}

/* Count the things of a kind; a thread, which has a record for each name, counts once. */
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
	if (kind == TT_DEF_MARKER && tt_code_sum(m->cap[p], NULL, &sum))
		return sum.methods;
	if (kind != TT_DEF_DOMAIN)
		return tt_defs_count(defs, kind);
	for (size_t i = 0; (d = tt_defs_at(defs, kind, i)); i++)
		n += !is_named_later(defs, d);
	return n;
}

static void
summary(struct tt_making *k, struct tt_table *t)
{
	for (uint32_t p = 0; p < k->m->ncap; p++) {
		for (size_t i = 0; i < TT_NCOL(things); i++) {
			uint64_t gone = k->m->cap[p]->unloaded[things[i].kind], n = count_of(k->m, p, things[i].kind);
			struct tt_cell *c;

			if (n + gone == 0)
				continue;
			c = tt_row(t);
			tt_cell_text(&c[0], things[i].name);
			tt_cell_u64(&c[1], n);
			if (i < LISTED)
				tt_cell_u64(&c[2], gone);
			tt_cell_int(&c[3], (int64_t)p + 1);
		}
	}
}

/* A definition of process ${p}. */
struct def { const struct tt_making *k; const struct tt_def *d; uint32_t p; };

static const struct tt_defs *
defs_of(const struct def *x)
{
	return x->k->m->cap[x->p]->defs;
}

static int64_t
loaded_at(const struct def *x)
{
	return x->d->ts + x->k->m->cap[x->p]->offset_ns;
}

static void
put_loaded(struct tt_cell *c, const struct def *x)
{
	if (x->d->ts != TT_EVER)
		tt_cell_int(c, loaded_at(x));
}

/* True if the definition was loaded in the filter's time, or has no time. */
static bool
in_time(const struct def *x)
{
	return tt_filter_has_def(&x->k->m->filter, x->d, x->k->m->cap[x->p]);
}

static bool
is_named(const struct def *x)
{
	return tt_name_match(x->k->m->filter.marker, x->d->len ? x->d->text : "");
}

/* Call ${fill} for all definitions of ${kind}. */
static void
each_def(struct tt_making *k, struct tt_table *t, enum tt_def_kind kind, const char *name,
    void (*fill)(const struct def *x, const char *name, struct tt_table *t))
{
	for (uint32_t p = 0; p < k->m->ncap; p++) {
		const struct tt_def *d;

		for (size_t i = 0; (d = tt_defs_at(k->m->cap[p]->defs, kind, i)); i++)
			fill(&(struct def){ k, d, p }, name, t);
	}
}

/* --- groups ----------------------------------------------------------------------- */

/* Return the group of class ${d} (its assembly if rows are classes), or NULL if the filters leave it out. */
static const char *
class_group(const struct def *x, const struct tt_def *d)
{
	struct tt_report *r = x->k->r;
	const char *assembly = tt_class_assembly(x->k->m, x->p, d, &r->arena, &r->err), *space;
	const char *name = d && d->len ? d->text : "";
	size_t n;

	if (!assembly || !tt_class_wanted(x->k->m, name, assembly))
		return NULL;
	if (x->k->o->group != TT_GROUP_NAMESPACE)
		return assembly;
	n = tt_name_namespace(name, strlen(name), &space);
	return n ? tt_text_of(r, space, n) : TT_NO_NAMESPACE;
}

/* Return the domain of a definition, or NULL. */
static const char *
domain_group(const struct def *x)
{
	const struct tt_filter *f = &x->k->m->filter;
	bool is = x->d->kind == TT_DEF_DOMAIN;

	if (f->marker || f->category || (!is && x->d->kind != TT_DEF_CONTEXT && x->d->kind != TT_DEF_VTABLE))
		return NULL;
	return tt_domain_name(defs_of(x), is ? x->d->key : x->d->a, &x->k->r->arena, &x->k->r->err);
}

/* Return the group of a definition; NULL: it has no group, or the filters leave it out. */
static const char *
group_of(const struct def *x)
{
	const struct tt_def *d = x->d, image = { .a = d->kind == TT_DEF_IMAGE ? d->key : d->a, .ts = d->ts, .text = "" };
	const struct tt_name *name;

	if (is_named_later(defs_of(x), d))
		return NULL;
	if (x->k->o->group == TT_GROUP_DOMAIN)
		return domain_group(x);
	switch (d->kind) {
	case TT_DEF_CLASS: return class_group(x, d);
	case TT_DEF_VTABLE: return class_group(x, tt_defs_class(defs_of(x), d->key, d->ts));
	case TT_DEF_MARKER:
		name = tt_model_key(x->k->m, x->p, d->key);
		return name->wanted ? tt_group_marker(x->k->m, x->k->o->group, name, &x->k->r->arena, &x->k->r->err) : NULL;
	case TT_DEF_IMAGE:
	case TT_DEF_ASSEMBLY: return x->k->o->group == TT_GROUP_ASSEMBLY ? class_group(x, &image) : NULL;
	default: return NULL;
	}
}

/* Begin a row for a member of a group: its group, its kind and, in column ${process}, its input. NULL: it has no group. */
static struct tt_cell *
member_row(const struct def *x, const char *kind, struct tt_table *t, size_t process)
{
	const char *label = group_of(x);
	struct tt_cell *c;

	if (!label)
		return NULL;
	c = tt_row(t);
	tt_cell_text(&c[0], label);
	tt_cell_text(&c[1], kind);
	tt_cell_int(&c[process], (int64_t)x->p + 1);
	return c;
}

static void
put_member(const struct def *x, const char *kind, struct tt_table *t)
{
	struct tt_cell *c = member_row(x, kind, t, 4);

	if (c)
		tt_cell_int(&c[2], 1);
}

static void
put_listed(const struct def *x, const char *kind, struct tt_table *t)
{
	if (in_time(x) && is_named(x))
		member_row(x, kind, t, 7);
}

/* Make rows by group, kind and input. */
static void
summary_groups(struct tt_making *k, struct tt_table *t)
{
	for (size_t i = 0; i < TT_NCOL(things); i++)
		each_def(k, t, things[i].kind, things[i].name, put_member);
	tt_table_group(t, 1u << 0 | 1u << 1 | 1u << 4, 1u << 2);
}

static void
item_groups(struct tt_making *k, struct tt_table *t)
{
	for (size_t i = 0; i < LISTED; i++)
		each_def(k, t, things[i].kind, things[i].name, put_listed);
	tt_table_group(t, 1u << 0 | 1u << 1 | 1u << 7, 0);
}

/* --- one row each ----------------------------------------------------------------- */

/* Return the name of the owner of a definition. */
static const char *
owner_of(const struct def *x)
{
	const struct tt_def *d = x->d, *of = NULL;

	if (d->kind == TT_DEF_ASSEMBLY || d->kind == TT_DEF_CLASS)
		of = tt_defs_find(defs_of(x), TT_DEF_IMAGE, d->a, d->ts);
	else if (d->kind == TT_DEF_CONTEXT)
		of = tt_defs_find(defs_of(x), TT_DEF_DOMAIN, d->a, INT64_MAX);
	return of && of->len ? of->text : NULL;
}

static void
put_item(const struct def *x, const char *kind, struct tt_table *t)
{
	struct tt_cell *c;

	if (is_named_later(defs_of(x), x->d) || !in_time(x) || !is_named(x))
		return;
	c = tt_row(t);
	tt_cell_text(&c[0], kind);
	tt_cell_name(&c[1], x->d->text);
	tt_cell_u64(&c[2], x->d->key);
	tt_cell_name(&c[3], owner_of(x));
	tt_cell_name(&c[4], x->d->text2);
	put_loaded(&c[5], x);
	tt_cell_int(&c[6], (int64_t)x->p + 1);
}

static void
items(struct tt_making *k, struct tt_table *t)
{
	for (uint32_t p = 0; p < k->m->ncap; p++) {
		const struct tt_def *d;

		for (size_t i = 0; i < LISTED; i++)
			for (size_t n = 0; (d = tt_defs_at(k->m->cap[p]->defs, things[i].kind, n)); n++)
				put_item(&(struct def){ k, d, p }, things[i].name, t);
	}
}

static void
put_class(const struct def *x, const char *kind, struct tt_table *t)
{
	const char *label = class_group(x, x->d);
	struct tt_cell *c;

	(void)kind;
	if (!label || !in_time(x))
		return;
	c = tt_row(t);
	tt_cell_name(&c[0], x->k->o->group ? label : x->d->text);
	tt_cell_name(&c[1], owner_of(x));
	tt_cell_u64(&c[2], x->d->key);
	put_loaded(&c[3], x);
	tt_cell_int(&c[4], (int64_t)x->p + 1);
}

static void
classes(struct tt_making *k, struct tt_table *t)
{
	each_def(k, t, TT_DEF_CLASS, NULL, put_class);
}

static void
class_groups(struct tt_making *k, struct tt_table *t)
{
	classes(k, t);
	tt_table_group(t, 1u << 0 | 1u << 4, 0);
}

static void
put_marker(const struct def *x, const char *kind, struct tt_table *t)
{
	const struct tt_capture *cap = x->k->m->cap[x->p];
	const struct tt_name *name = tt_model_key(x->k->m, x->p, x->d->key);
	struct tt_marker_facts f = { 0 };
	const char *flags = "";
	struct tt_cell *c;

	(void)kind;
	if (cap->marker_facts)
		f = cap->marker_facts(x->d);
	if (!f.verbosity || !name->wanted)
		return;
	for (const char **w = f.flag; *w; w++)
		flags = tt_text(t->r, "%s%s%s", flags, *flags ? ", " : "", *w);
	c = tt_row(t);
	tt_cell_text(&c[0], name->full);
	tt_cell_text(&c[1], name->category < x->k->m->ncategory ? x->k->m->category[name->category].name : "");
	tt_cell_u64(&c[2], f.id);
	tt_cell_name(&c[3], flags);
	tt_cell_text(&c[4], f.verbosity);
	tt_cell_int(&c[5], (int64_t)x->p + 1);
}

static void
markers(struct tt_making *k, struct tt_table *t)
{
	each_def(k, t, TT_DEF_MARKER, NULL, put_marker);
}

static void
put_category(const struct def *x, const char *kind, struct tt_table *t)
{
	const char *color = x->d->a ? tt_text(t->r, "#%08x", (unsigned)x->d->a) : NULL;
	struct tt_cell *c = tt_row(t);

	(void)kind;
	tt_cell_name(&c[0], x->d->text);
	tt_cell_name(&c[1], color);
	tt_cell_u64(&c[2], x->d->b);
	tt_cell_int(&c[3], (int64_t)x->p + 1);
}

static void
categories(struct tt_making *k, struct tt_table *t)
{
	each_def(k, t, TT_DEF_CATEGORY, NULL, put_category);
}

/* List the facts that hold at some time within the filter, in the order in which they were set. */
static void
facts(struct tt_making *k, struct tt_table *t)
{
	const struct tt_filter *filter = &k->m->filter;
	struct tt_facts all = { 0 };

	if (tt_facts_list(k->m, &k->m->env->mem, &all, &k->r->err) != TT_OK)
		all.n = 0;
	for (size_t i = 0; i < all.n; i++) {
		const struct tt_fact *f = &all.f[i];
		struct tt_cell *c;

		if (f->ts >= filter->to || f->end <= filter->from)
			continue;
		c = tt_row(t);
		tt_cell_int(&c[0], f->ts);
		if (f->end != INT64_MAX)
			tt_cell_int(&c[1], f->end);
		tt_cell_text(&c[2], f->key);
		tt_cell_text(&c[3], f->value);
		tt_cell_int(&c[4], (int64_t)f->process + 1);
	}
	tt_facts_free(&all, &k->m->env->mem);
}

#define NONE .why_empty = "none in this capture"
static const struct tt_pass_table tables[] = {
	{ "metadata", "Metadata", summary_col, TT_NCOL(summary_col), false, 0, TT_BY_NAME | TT_BY_DOMAIN, TT_GROUP_FRONT,
	    .shape = TT_WHOLE, .make_rows = summary, .make_groups = summary_groups, .sort = "loaded", NONE },
	{ "metadata_items", "Images, assemblies, domains, contexts", thing_col, TT_NCOL(thing_col), false, TT_ON_TIME | TT_ON_MARKER,
	    TT_BY_ASSEMBLY | TT_BY_DOMAIN, TT_GROUP_FRONT | TT_GROUP_COUNT, .make_rows = items, .make_groups = item_groups, .group_sort = "count", NONE },
	{ "metadata_classes", "Classes", class_col, TT_NCOL(class_col), true, TT_ON_TIME | TT_ON_NAMES, TT_BY_NAME, TT_GROUP_COUNT,
	    .make_rows = classes, .make_groups = class_groups, .sort = "class", .group_sort = "count", NONE },
	{ "facts", "Labels and facts", fact_col, TT_NCOL(fact_col), true, TT_ON_TIME, .make_rows = facts, NONE },
	{ "metadata_markers", "Markers as the engine describes them", marker_col, TT_NCOL(marker_col), true, TT_ON_NAMES,
	    .make_rows = markers, NONE },
	{ "metadata_categories", "Categories as the engine describes them", category_col, TT_NCOL(category_col), true,
	    .make_rows = categories, NONE },
};

const struct tt_pass tt_pass_metadata = {
	.name = "metadata",
	.summary = "images, assemblies, domains, contexts, classes; labels and facts in time",
	.needs = 0,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

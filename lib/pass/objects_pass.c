/**
 * The pass "objects": objects that were looked for, and what happened to them.
 *
 * Definitions: tracetool-metrics(7), Objects.
 */
#include "base/option.h"
#include "base/setting.h"
#include "collect/object_search.h"
#include "pass/passes.h"
#include "view/view.h"

static const struct tt_col found_col[] = {
	{ "object", "object", TT_UNIT_HEX, "Address at which the object was allocated." },
	{ "class", "class", TT_UNIT_TEXT, "Name of the object's class." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Size of the object." },
	{ "time_ns", "time", TT_UNIT_NS, "Time of the allocation." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread that allocated it." },
	{ "marker", "site", TT_UNIT_TEXT, "Site of the allocation: innermost zone or stack frame that is not the runtime's own." },
	{ "moves", "moves", TT_UNIT_COUNT, "Number of times the collector moved the object." },
	{ "now", "now at", TT_UNIT_HEX, "Address of the object at the end, or in its last record." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col track_col[] = {
	{ "time_ns", "time", TT_UNIT_NS, "Time of the event." },
	{ "asked", "asked for", TT_UNIT_HEX, "Address that was asked for." },
	{ "object", "object", TT_UNIT_HEX, "Address of the object at that time." },
	{ "what", "what", TT_UNIT_TEXT,
	    "allocated, moved, lock contended, lock acquired, gave up the lock, thrown, handle made, finalizer, finalized, in heap shot." },
	{ "class", "class", TT_UNIT_TEXT, "Class of the object, if this record contains it." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Size of the object, if this record contains it." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread." },
	{ "marker", "site", TT_UNIT_TEXT, "Site in the program." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

static struct tt_classes *
classes_of(const struct tt_making *k)
{
	return k->state;
}

static const char *
site_name(struct tt_making *k, uint32_t node)
{
	const struct tt_paths *p = tt_view_paths(k->view, TT_GROUP_NONE, TT_PATHS_SITES, &k->r->err);

	return tt_site_name(p, p && node ? p->site[node] : TT_NO_ROW);
}

static void
found(struct tt_making *k, struct tt_table *t)
{
	const struct tt_found_all *f = tt_found_all(k->m);

	for (size_t i = 0; i < f->n; i++) {
		const struct tt_found *o = &f->found[i];
		const struct tt_class *class = tt_class_of(classes_of(k), o->process, o->key, &k->r->err);
		const char *thread = k->m->threads.t[o->thread]->name;
		struct tt_cell *c;

		if (!class || !class->wanted)
			continue;
		c = tt_row(t);
		if (o->alloc_addr)
			tt_cell_u64(&c[0], o->alloc_addr);
		if (k->o->group == TT_GROUP_THREAD)
			tt_cell_group(&c[1], thread, o->thread);
		else
			tt_cell_text(&c[1], class->label);
		tt_cell_u64(&c[2], o->size);
		tt_cell_int(&c[3], o->ts);
		tt_cell_text(&c[4], thread);
		tt_cell_text(&c[5], site_name(k, o->node));
		if (o->alloc_addr) {
			tt_cell_u64(&c[6], o->nmoves);
			tt_cell_u64(&c[7], o->last_addr);
		}
		tt_cell_int(&c[8], (int64_t)o->process + 1);
	}
	if (f && f->nmore_found)
		t->note = tt_text(k->r, "only the first %u: %llu more fit; %s chooses", (unsigned)TT_FOUND_MAX,
		    (unsigned long long)f->nmore_found, tt_setting_name[TT_SETTING_TIME]);
}

static void
found_groups(struct tt_making *k, struct tt_table *t)
{
	found(k, t);
	tt_table_group(t, 1u << 1, 1u << 2 | 1u << 6);
}

static void
tracked(struct tt_making *k, struct tt_table *t)
{
	static const char *const what[] = { "allocated", "moved", "lock contended", "lock acquired", "gave up the lock", "thrown",
		"handle made", "finalizer", "finalized", "in heap shot" };
	const struct tt_found_all *f = tt_found_all(k->m);

	for (size_t i = 0; i < f->ntrace; i++) {
		const struct tt_trace *o = &f->trace[i];
		struct tt_cell *c = tt_row(t);

		tt_cell_int(&c[0], o->ts);
		tt_cell_u64(&c[1], o->tracked_addr);
		tt_cell_u64(&c[2], o->addr);
		tt_cell_text(&c[3], what[o->event]);
		if (o->key)
			tt_cell_text(&c[4], tt_model_class(k->m, o->process, o->key));
		if (o->size)
			tt_cell_u64(&c[5], o->size);
		tt_cell_text(&c[6], k->m->threads.t[o->thread]->name);
		if (o->node)
			tt_cell_text(&c[7], site_name(k, o->node));
		tt_cell_int(&c[8], (int64_t)o->process + 1);
	}
	if (f && f->nmore_trace)
		t->note = tt_text(k->r, "only the first %u records: %llu more are in the capture; %s chooses",
		    (unsigned)TT_TRACE_MAX, (unsigned long long)f->nmore_trace, tt_setting_name[TT_SETTING_TIME]);
}

static void
open(struct tt_making *k)
{
	tt_classes_init(classes_of(k), k->m, k->o->group, &k->r->arena);
}

static void
drop(struct tt_making *k)
{
	tt_classes_free(classes_of(k));
}

#define FOUND (TT_NEEDS_OBJECTS | TT_NEEDS_MOVES | TT_NEEDS_SITES | TT_NEEDS_FOUND | TT_NEEDS_TEXT)
static const struct tt_option options[] = {
	{ .name = "find", .arg = "SPEC", .kind = TT_OPTION_OTHER, .table = "objects_found",
	    .help = "list allocations of at least SIZE bytes (S:SIZE) or of a class (T:GLOB), with their moves; repeatable" },
	{ .name = "track", .arg = "ADDRESS", .kind = TT_OPTION_OTHER, .table = "objects_tracked",
	    .help = "list what happens to the object at ADDRESS, through moves; repeatable" },
	{ .name = NULL },
};

static const struct tt_pass_table tables[] = {
	{ "objects_found", "Objects found", found_col, TT_NCOL(found_col), false, TT_ON_ALL, TT_BY_THREAD | TT_BY_NAME | TT_BY_DOMAIN,
	    1 | TT_GROUP_COUNT, .needs = FOUND, .make_rows = found, .make_groups = found_groups, .sort = "bytes",
	    .why_empty = "no allocation in this capture has a size or class that was asked for",
	    .why_no_budget = "it lists what stats was asked to look for" },
	{ "objects_tracked", "Objects tracked", track_col, TT_NCOL(track_col), false, TT_ON_TIME | TT_ON_THREAD | TT_ON_ZONES,
	    .needs = FOUND | TT_NEEDS_HEAP, .make_rows = tracked, .sort = "-time_ns",
	    .why_empty = "no object at an address that was asked for was recorded",
	    .why_no_budget = "it lists what stats was asked to look for" },
};

const struct tt_pass tt_pass_objects = {
	.name = "objects",
	.summary = "objects looked for by size, class or address, and what happened to them",
	.needs = TT_NEEDS_CALLS,
	.option = options,
	.state_bytes = sizeof(struct tt_classes),
	.open = open,
	.close = drop,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};

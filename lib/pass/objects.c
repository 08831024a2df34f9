/**
 * The pass "objects": objects that were looked for, and what happened to them.
 *
 * Definitions: tracetool-metrics(7), Objects.
 */
#include <string.h>

#include "pass/passes.h"
#include "pass/paths.h"

enum { O_FOUND, O_TRACKED };

static const struct tt_col found_col[] = {
	{ "object", "object", TT_UNIT_HEX, "Where it was allocated." },
	{ "class", "class", TT_UNIT_TEXT, "Name of its class." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Its size." },
	{ "time_ns", "time", TT_UNIT_NS, "When it was allocated." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread that allocated it." },
	{ "marker", "site", TT_UNIT_TEXT, "Where: innermost zone, or frame of the recorded stack, that is not the runtime's own." },
	{ "moves", "moves", TT_UNIT_COUNT, "Times the collector moved it." },
	{ "now", "now at", TT_UNIT_HEX, "Where it is at the end, or was when it was last heard of." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_col track_col[] = {
	{ "time_ns", "time", TT_UNIT_NS, "When it happened." },
	{ "asked", "asked for", TT_UNIT_HEX, "Address given to --track." },
	{ "object", "object", TT_UNIT_HEX, "Where the object is then." },
	{ "what", "what", TT_UNIT_TEXT,
	    "allocated, moved, lock contended, lock acquired, gave up the lock, thrown, handle made, finalizer, finalized, in heap shot." },
	{ "class", "class", TT_UNIT_TEXT, "Its class, where this record says." },
	{ "bytes", "bytes", TT_UNIT_BYTES, "Its size, where this record says." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread." },
	{ "marker", "site", TT_UNIT_TEXT, "Where in the program." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};
static const struct tt_pass_table tables[] = {
	[O_FOUND] = { "objects_found", "Objects found", found_col, TT_NCOL(found_col), false, TT_ON_ALL,
	    TT_BY_THREAD | TT_BY_NAME | TT_BY_DOMAIN, 1 | TT_GROUP_COUNT },
	[O_TRACKED] = { "objects_tracked", "Objects tracked", track_col, TT_NCOL(track_col), false,
	    TT_ON_TIME | TT_ON_THREAD | TT_ON_ZONES, 0, 0 },
};

struct fold {
	const struct tt_model *m;
	const struct tt_found_all *f;
	struct tt_report *r;
	enum tt_group group;
	struct tt_paths p;
	struct tt_classes classes;
};

static int
put_site(struct fold *f, struct tt_cell *c, uint32_t node, struct tt_err *err)
{
	uint32_t row = node ? f->p.site[node] : TT_NO_ROW;
	const char *name = TT_OUTSIDE;

	if (row != TT_NO_ROW)
		name = tt_report_text(f->r, err, "%s", f->p.row[row].label);
	if (!name)
		return err->code;
	tt_cell_text(c, name);
	return TT_OK;
}

static int
found(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < f->f->n && rc == TT_OK; i++) {
		const struct tt_found *o = &f->f->found[i];
		const struct tt_class *class = tt_class_of(&f->classes, o->process, o->key, err);
		struct tt_cell *c;

		if (!class)
			return err->code;
		if (!class->wanted)
			continue;
		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		if (o->addr)
			tt_cell_int(&c[0], (int64_t)o->addr);
		if (f->group == TT_GROUP_THREAD)
			tt_cell_group(&c[1], f->m->threads.t[o->thread]->name, o->thread);
		else
			tt_cell_text(&c[1], class->label);
		tt_cell_int(&c[2], (int64_t)o->size);
		tt_cell_int(&c[3], o->ts);
		tt_cell_text(&c[4], f->m->threads.t[o->thread]->name);
		rc = put_site(f, &c[5], o->node, err);
		if (o->addr) {
			tt_cell_int(&c[6], (int64_t)o->moves);
			tt_cell_int(&c[7], (int64_t)o->now);
		}
		tt_cell_int(&c[8], (int64_t)o->process + 1);
	}
	if (rc == TT_OK && f->f->more_found) {
		t->note = tt_report_text(f->r, err, "only the first %u: %llu more fit; --time chooses", (unsigned)TT_FOUND_MAX,
		    (unsigned long long)f->f->more_found);
		rc = t->note ? TT_OK : err->code;
	}
	if (f->group)
		tt_group_rows(t, 1u << 1, 1u << 2 | 1u << 6);
	return rc == TT_OK ? tt_table_sort(t, "bytes", err) : rc;
}

static int
tracked(struct fold *f, struct tt_table *t, struct tt_err *err)
{
	static const char *const what[] = { "allocated", "moved", "lock contended", "lock acquired", "gave up the lock", "thrown",
		"handle made", "finalizer", "finalized", "in heap shot" };
	int rc = TT_OK;

	for (size_t i = 0; i < f->f->ntrace && rc == TT_OK; i++) {
		const struct tt_trace *o = &f->f->trace[i];
		struct tt_cell *c;

		rc = tt_table_row(f->r, t, &c, err);
		if (rc != TT_OK)
			return rc;
		tt_cell_int(&c[0], o->ts);
		tt_cell_int(&c[1], (int64_t)o->asked);
		tt_cell_int(&c[2], (int64_t)o->addr);
		tt_cell_text(&c[3], what[o->what]);
		if (o->key)
			tt_cell_text(&c[4], tt_model_class(f->m, o->process, o->key));
		if (o->size)
			tt_cell_int(&c[5], (int64_t)o->size);
		tt_cell_text(&c[6], f->m->threads.t[o->thread]->name);
		if (o->node)
			rc = put_site(f, &c[7], o->node, err);
		tt_cell_int(&c[8], (int64_t)o->process + 1);
	}
	if (rc == TT_OK && f->f->more_trace) {
		t->note = tt_report_text(f->r, err, "only the first %u records: %llu more are in the capture; --time chooses",
		    (unsigned)TT_TRACE_MAX, (unsigned long long)f->f->more_trace);
		rc = t->note ? TT_OK : err->code;
	}
	return rc == TT_OK ? tt_table_sort(t, "-time_ns", err) : rc;
}

static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	static int (*const make[])(struct fold *, struct tt_table *, struct tt_err *) = {
		[O_FOUND] = found, [O_TRACKED] = tracked,
	};
	struct fold f = { .m = m, .f = m->found, .r = r, .group = o->group };
	int rc = tt_paths_init(&f.p, m, err);

	if (rc == TT_OK)
		rc = tt_paths_sites(&f.p, err);
	tt_classes_init(&f.classes, m, o->group, &r->arena);
	for (size_t i = 0; i < TT_NCOL(tables) && rc == TT_OK; i++) {
		struct tt_table *t;

		rc = tt_pass_begin(&tt_pass_objects, i, o, r, &t, err);
		if (rc != TT_OK || !t)
			continue;
		t->empty_reason = i == O_FOUND ? "no allocation in this capture fits (--find says what to look for)" :
		    "nothing is recorded of such an object (--track says which)";
		if (f.f)
			rc = make[i](&f, t, err);
	}
	tt_classes_free(&f.classes);
	tt_paths_free(&f.p);
	return rc;
}

#define FOUND (TT_NEEDS_OBJECTS | TT_NEEDS_MOVES | TT_NEEDS_SITES | TT_NEEDS_FOUND | TT_NEEDS_TEXT)
static const unsigned table_needs[] = { [O_FOUND] = FOUND, [O_TRACKED] = FOUND | TT_NEEDS_HEAP };

const struct tt_pass tt_pass_objects = {
	.name = "objects",
	.summary = "objects looked for by size, class or address (--find, --track), and what happened to them",
	.needs = TT_NEEDS_CALLS,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
	.table_needs = table_needs,
};

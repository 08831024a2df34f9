/**
 * Makes the tables of a comparison. All tables are sums of the same integers, the parts of nodes and sites, so that they agree.
 */
#include "base/order.h"
#include "base/setting.h"
#include "diff/diff.h"
#include "diff/diff_frames.h"
#include "diff/diff_lines.h"
#include "diff/verdict.h"
#include "model/loss.h"
#include "out/table.h"
#include "pass/pass.h"
#include "stat/num.h"
#include "view/figures.h"

#include <string.h>

/* --- columns -------------------------------------------------------------------------------- */

/* The last two columns exist only if uncapped time is compared. */
enum { S_SIDE, S_CAPTURES, S_FRAMES, S_TOTAL, S_MEAN, S_FPS, S_LATE, S_ONE, S_TWO, S_THREE, S_MORE, S_BYTES, S_WALL, S_N };

static const struct tt_col side_col[S_N] = {
	[S_SIDE] = { "side", "side", TT_UNIT_TEXT, "A, B or B-A." },
	[S_CAPTURES] = { "captures", "captures", TT_UNIT_COUNT, "Number of captures." },
	[S_FRAMES] = { "frames", "frames", TT_UNIT_COUNT, "Number of whole frames in them." },
	[S_TOTAL] = { "total_ns", "total", TT_UNIT_NS, "Time of all these frames; without frames: in markers." },
	[S_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, "Time of one frame, to the nearest nanosecond: the whole." },
	[S_FPS] = { "fps", "shown FPS", TT_UNIT_MILLI, "Frames divided by the wall time they last." },
	[S_LATE] = { "late", "late", TT_UNIT_COUNT, "Frames that took more refreshes than their frame limit gives them; empty where no limit shows." },
	TT_TOOK_COLS(S_ONE),
	[S_BYTES] = { "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes allocated per frame on all threads, to the nearest byte." },
	[S_WALL] = { "wall_mean_ns", "mean wall", TT_UNIT_NS, "Mean wall time of a frame, where uncapped time is compared." },
};

enum { G_SITE, G_CLASS, G_A, G_B, G_DIFF, G_A_COUNT, G_B_COUNT, G_STATE, G_N };
static const struct tt_col site_col[G_N] = {
	[G_SITE] = { "marker", "site", TT_UNIT_TEXT, "Site of the allocations, as in the table alloc_sites of stats." },
	[G_CLASS] = { "class", "class", TT_UNIT_TEXT, "Class of the objects." },
	[G_A] = { "a_bytes", "A", TT_UNIT_BYTES, "Bytes per frame of A." },
	[G_B] = { "b_bytes", "B", TT_UNIT_BYTES, "Bytes per frame of B." },
	[G_DIFF] = { "diff_bytes", "B-A", TT_UNIT_BYTES, "Bytes of B less those of A." },
	[G_A_COUNT] = { "a_count", "count A", TT_UNIT_MILLI, "Allocations per frame of A." },
	[G_B_COUNT] = { "b_count", "count B", TT_UNIT_MILLI, "Allocations per frame of B." },
	[G_STATE] = { "state", "state", TT_UNIT_TEXT, "new or gone, if one side does not have it." },
};

enum { C_SIDE, C_FILE, C_FRAMES, C_TOTAL, C_MEAN, C_MEDIAN, C_WALL, C_N };
static const struct tt_col capture_col[C_N] = {
	[C_SIDE] = { "side", "side", TT_UNIT_TEXT, "Side the capture is on." },
	[C_FILE] = { "file", "file", TT_UNIT_TEXT, "File of the capture." },
	[C_FRAMES] = { "frames", "frames", TT_UNIT_COUNT, "Number of whole frames." },
	[C_TOTAL] = { "total_ns", "total", TT_UNIT_NS, "Sum of these frames." },
	[C_MEAN] = { "mean_ns", "mean", TT_UNIT_NS, "Mean of these frames." },
	[C_MEDIAN] = { "median_ns", "median", TT_UNIT_NS, "Median of these frames." },
	[C_WALL] = { "wall_mean_ns", "mean wall", TT_UNIT_NS, "Mean wall time of a frame, where uncapped time is compared." },
};

/* --- the other tables ------------------------------------------------------------------------------- */

/* Fill ${c} with the frame rate at which frames of ${side} were shown, the number of late ones, and the refreshes they took. */
static void
put_shown(const struct tt_diff *d, unsigned side, struct tt_cell *c)
{
	const struct tt_diff_side *s = &d->side[side];
	const struct tt_diff_frames *f = d->frame[side][TT_DIFF_WALL];

	if (!d->has_frames || !f)
		return;
	if (d->compared_time == TT_DIFF_UNCAPPED && s->wall_ns > 0)
		tt_cell_int(&c[S_FPS], tt_ratio(1000000000000, 1, (uint64_t)s->wall_ns));
	else if (d->compared_time == TT_DIFF_WALL && s->total_ns > 0)
		tt_cell_int(&c[S_FPS], tt_ratio(s->nunits, 1000000000000, (uint64_t)s->total_ns));
	if (f->has_limit) {
		tt_cell_u64(&c[S_LATE], f->nlate);
		for (unsigned i = 0; i < TT_TOOK; i++)
			tt_cell_u64(&c[S_ONE + i], f->nby_refreshes[i]);
	}
}

static void
fill_sides(const struct tt_diff_ctx *x, struct tt_table *t)
{
	static const char *const name[] = { "A", "B" };
	const struct tt_diff *d = x->d;
	struct tt_cell *c;

	t->facts = true;
	for (unsigned i = 0; i < TT_DIFF_SIDES; i++) {
		const struct tt_diff_side *s = &d->side[i];

		c = tt_row(t);
		tt_cell_text(&c[S_SIDE], name[i]);
		tt_cell_int(&c[S_CAPTURES], (int64_t)s->n);
		if (d->has_frames)
			tt_cell_int(&c[S_FRAMES], (int64_t)s->nunits);
		tt_cell_int(&c[S_TOTAL], s->total_ns);
		tt_cell_int(&c[S_MEAN], s->mean_ns);
		put_shown(d, i, c);
		if (d->nsite)
			tt_cell_int(&c[S_BYTES], s->alloc_b);
		if (d->compared_time == TT_DIFF_UNCAPPED)
			tt_cell_int(&c[S_WALL], s->wall_ns);
	}
	c = tt_row(t);
	tt_cell_text(&c[S_SIDE], "B-A");
	tt_cell_int(&c[S_MEAN], d->side[TT_DIFF_B].mean_ns - d->side[TT_DIFF_A].mean_ns);
	if (d->nsite)
		tt_cell_int(&c[S_BYTES], d->side[TT_DIFF_B].alloc_b - d->side[TT_DIFF_A].alloc_b);
	if (d->compared_time == TT_DIFF_UNCAPPED)
		tt_cell_int(&c[S_WALL], d->side[TT_DIFF_B].wall_ns - d->side[TT_DIFF_A].wall_ns);
}

static int64_t
site_diff(const struct tt_diff_site *s)
{
	return s->side[TT_DIFF_B].part - s->side[TT_DIFF_A].part;
}

static int
by_bytes(const void *x, const void *y, void *arg)
{
	const struct tt_diff *d = arg;
	const struct tt_diff_site *a = &d->site[*(const size_t *)x], *b = &d->site[*(const size_t *)y];
	uint64_t da = tt_diff_size(site_diff(a)), db = tt_diff_size(site_diff(b));

	if (da != db)
		return da < db ? 1 : -1;
	return TT_CMP(a, b);
}

static void
put_site(const struct tt_diff_ctx *x, struct tt_table *t, const struct tt_diff_site *s, const char *name, const char *class)
{
	const char *st = tt_diff_state(s->side[0].n > 0, s->side[1].n > 0);
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[G_SITE], name);
	if (class)
		tt_cell_text(&c[G_CLASS], class);
	tt_cell_int(&c[G_DIFF], site_diff(s));
	for (unsigned i = 0; i < TT_DIFF_SIDES; i++) {
		tt_cell_int(&c[G_A + i], s->side[i].part);
		tt_cell_int(&c[G_A_COUNT + i], tt_diff_rate(x->d, i, s->side[i].n));
	}
	if (st)
		tt_cell_text(&c[G_STATE], st);
}

static void
put_sites(const struct tt_diff_ctx *x, struct tt_table *t, const size_t *order)
{
	const struct tt_diff *d = x->d;
	struct tt_diff_site rest = { 0 };
	size_t hidden = 0;

	for (size_t i = 0; i < d->nsite; i++) {
		const struct tt_diff_site *s = &d->site[order[i]];

		if (tt_diff_shown(x, i, site_diff(s) != 0)) {
			put_site(x, t, s, s->marker == TT_DIFF_NONE ? "(outside any zone)" : d->marker[s->marker].label,
			    d->class_name[s->class]);
			continue;
		}
		for (unsigned k = 0; k < TT_DIFF_SIDES; k++) {
			rest.side[k].n += s->side[k].n;
			rest.side[k].part += s->side[k].part;
		}
		hidden++;
	}
	if (hidden)
		put_site(x, t, &rest, tt_diff_rest(x, hidden), NULL);
}

static void
fill_sites(const struct tt_diff_ctx *x, struct tt_table *t)
{
	const struct tt_diff *d = x->d;
	size_t *order = tt_mem_alloc(x->r->mem, d->nsite * sizeof *order, &x->r->err);

	if (!order)
		return;
	for (size_t i = 0; i < d->nsite; i++)
		order[i] = i;
	tt_sort_by(order, d->nsite, by_bytes, d);
	put_sites(x, t, order);
	tt_mem_free(x->r->mem, order, d->nsite * sizeof *order);
}

static void
fill_captures(const struct tt_diff_ctx *x, struct tt_table *t)
{
	for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
		for (size_t i = 0; i < x->d->side[s].n; i++) {
			const struct tt_diff_capture *k = &x->d->side[s].capture[i];
			struct tt_cell *c = tt_row(t);

			tt_cell_text(&c[C_SIDE], s == TT_DIFF_A ? "A" : "B");
			tt_cell_text(&c[C_FILE], k->path);
			tt_cell_int(&c[C_TOTAL], k->time[x->d->compared_time].total);
			tt_cell_int(&c[C_MEAN], k->time[x->d->compared_time].mean);
			if (!x->d->has_frames)
				continue;
			tt_cell_int(&c[C_FRAMES], (int64_t)k->nframes);
			tt_cell_int(&c[C_MEDIAN], k->time[x->d->compared_time].median);
			if (x->d->compared_time == TT_DIFF_UNCAPPED)
				tt_cell_int(&c[C_WALL], k->time[TT_DIFF_WALL].mean);
		}
	}
}

/* --- all ------------------------------------------------------------------------------------------------ */

enum when { ALWAYS, WITH_FRAMES, WITH_ALLOCATIONS };

static const struct tt_diff_form sides = { side_col, S_N, fill_sides }, sites = { site_col, G_N, fill_sites },
    captures = { capture_col, C_N, fill_captures };

#define NO_FRAMES "the captures have no frames"

static const struct table {
	const char *id, *title, *uncapped, *totals;   /* uncapped: title if uncapped time is compared; totals: title without frames; NULL: same as title */
	const struct tt_diff_form *form;
	enum when when;
	bool extra;
	const char *empty;
} tables[] = {
	{ "sides", "Frame time", "Uncapped frame time", "Time in markers, per capture", &sides, ALWAYS, false, NULL },
	{ "frame_times", "Frame times", "Uncapped frame times", NULL, &tt_diff_quantiles, WITH_FRAMES, false, NO_FRAMES },
	{ "frame_budgets", "Frames over budget", NULL, NULL, &tt_diff_budgets, WITH_FRAMES, false, NO_FRAMES },
	{ "parts", "What frame time is made of", "What uncapped frame time is made of", "What it is made of", &tt_diff_classes, ALWAYS, false, NULL },
	{ "markers", "Self time per frame on the frame thread", "Self time per frame on the frame thread, of uncapped time", "Self time per capture",
	    &tt_diff_markers, ALWAYS, false, "no markers" },
	{ "other_threads", "Self time per frame on other threads (not part of the frame time)", NULL, NULL, &tt_diff_others,
	    WITH_FRAMES, false, "no markers on other threads" },
	{ "threads", "Threads", NULL, NULL, &tt_diff_threads, ALWAYS, false, "no threads" },
	{ "changed", "New and vanished markers", NULL, NULL, &tt_diff_changed, ALWAYS, false,
	    "both sides have the same markers" },
	{ "alloc_sites", "Allocation per frame, by site", NULL, "Allocation per capture, by site", &sites, WITH_ALLOCATIONS,
	    false, "no allocations" },
	{ "captures", "Captures", NULL, NULL, &captures, ALWAYS, false, NULL },
	{ "frame_spread", "Frames by their times", "Frames by their uncapped times", NULL, &tt_diff_spread, WITH_FRAMES, true, NO_FRAMES },
	{ "worst_frames", "The longest frames of A against those of B", "The frames of A with the most uncapped time against those of B", NULL,
	    &tt_diff_worst, WITH_FRAMES, true, NO_FRAMES },
	{ "worst_markers", "Self time in the longest frame of each side", "Self time in the frame of each side with the most uncapped time", NULL,
	    &tt_diff_pair, WITH_FRAMES, true, NO_FRAMES },
	{ "paths", "Paths", NULL, NULL, &tt_diff_paths, ALWAYS, true, "no paths" },
	{ "calltree", "Call tree, per frame", "Call tree, uncapped time per frame", "Call tree, per capture", &tt_diff_calltree, ALWAYS, true, "no calls" },
};

const char *
tt_diff_table_id(size_t i)
{
	return i < TT_NCOL(tables) ? tables[i].id : NULL;
}

bool
tt_diff_table(size_t i, struct tt_pass_table *t)
{
	if (i < TT_NCOL(tables))
		*t = (struct tt_pass_table){ .id = tables[i].id, .title = tables[i].title, .col = tables[i].form->col, .ncol = tables[i].form->ncol };
	else
		*t = tt_diff_verdict_table;
	return i <= TT_NCOL(tables);
}

/* True if the table is requested by name, or made by default. */
static bool
wanted(const struct tt_diff_ctx *x, const struct table *t)
{
	if (!x->o->table)
		return !t->extra && (t->when == ALWAYS || (t->when == WITH_FRAMES && x->d->has_frames) ||
		    (t->when == WITH_ALLOCATIONS && x->d->nsite));
	for (const char *const *id = x->o->table; *id; id++) {
		if (strcmp(*id, t->id) == 0)
			return true;
	}
	return false;
}

static void
fill_table(const struct tt_diff_ctx *x, const struct table *k)
{
	const char *other = !x->d->has_frames ? k->totals : x->d->compared_time == TT_DIFF_UNCAPPED ? k->uncapped : NULL;
	bool wall = k->form->fill == fill_sides || k->form->fill == fill_captures;
	struct tt_table *t = tt_report_table(x->r, k->id, other ? other : k->title, k->form->col,
	    k->form->ncol - (wall && x->d->compared_time != TT_DIFF_UNCAPPED));

	k->form->fill(x, t);
	if (t->nrow == 0)
		t->empty_reason = k->empty;
}

/* Add a note that frames are capped, at which period, and which time is compared. */
static void
note_cap(const struct tt_diff *d, struct tt_report *r)
{
	int64_t a = tt_diff_cap_period(d, TT_DIFF_A), b = tt_diff_cap_period(d, TT_DIFF_B);
	char at[TT_DIFF_SIDES][TT_CAP_TEXT] = { "", "" };
	const char *which, *compared;

	if (!a && !b && d->compared_time != TT_DIFF_UNCAPPED)
		return;
	for (unsigned s = 0; s < TT_DIFF_SIDES; s++)
		if (s ? b : a)
			*tt_put_cap(at[s], s ? b : a) = '\0';
	if (tt_is_same_cap(a, b))
		which = tt_text(r, "frames are capped at %s", at[TT_DIFF_A]);
	else if (a && b)
		which = tt_text(r, "frames are capped, of A at %s and of B at %s", at[TT_DIFF_A], at[TT_DIFF_B]);
	else if (a || b)
		which = tt_text(r, "frames of %s are capped at %s, those of %s are not", a ? "A" : "B", at[a ? TT_DIFF_A : TT_DIFF_B], a ? "B" : "A");
	else
		which = "frames of some captures are capped";
	compared = d->compared_time == TT_DIFF_UNCAPPED ? "their uncapped time is compared, without the wait for the limit and the Editor" :
	    a && b ? "wall time is compared, because it differs by more than a tenth" :
	    a ? "wall time is compared, and that of A is the limit's" : "wall time is compared, and that of B is the limit's";
	tt_report_note(r, tt_severity_name[TT_NOTICE], "capped_frames", tt_text(r, "%s: %s", which, compared));
}

/* The largest share of the Editor in the frames of a capture of ${side}; 0: it does nothing in them, or is left out. */
static int64_t
editor_of(const struct tt_diff_side *side)
{
	int64_t most = 0;

	for (size_t i = 0; i < side->n; i++)
		most = side->capture[i].editor_percent > most ? side->capture[i].editor_percent : most;
	return most;
}

/* Add a note on the Editor's share of the wall time that is compared. */
static void
note_editor(const struct tt_diff *d, struct tt_report *r)
{
	const struct tt_diff_side *a = &d->side[TT_DIFF_A], *b = &d->side[TT_DIFF_B];
	const long long of_a = editor_of(a), of_b = editor_of(b);

	if (!d->has_frames || d->compared_time != TT_DIFF_WALL || (of_a == 0 && of_b == 0))
		return;
	tt_report_note(r, tt_severity_name[TT_NOTICE], "editor", tt_text(r, "the Unity Editor takes %s%lld %% of the frame time of A and %s%lld %% of B: "
	    "%s leaves it out", a->n > 1 ? "up to " : "", of_a, b->n > 1 ? "up to " : "", of_b, tt_setting_name[TT_SETTING_PLAYER_ONLY]));
}

/* Add a note if one side's captures have less than half of the frames of the other's: something ended early, which times per frame do not show. */
static void
note_frames(const struct tt_diff *d, struct tt_report *r)
{
	unsigned long long of[TT_DIFF_SIDES];

	for (unsigned s = 0; s < TT_DIFF_SIDES; s++)
		of[s] = d->side[s].n ? d->side[s].nunits / d->side[s].n : 0;
	if (!d->has_frames || (of[TT_DIFF_A] <= 2 * of[TT_DIFF_B] && of[TT_DIFF_B] <= 2 * of[TT_DIFF_A]))
		return;
	tt_report_note(r, tt_severity_name[TT_NOTICE], "fewer_frames", tt_text(r, "a capture of A has %llu frames in the mean, one of B %llu, and times per "
	    "frame are compared: was %s cut short (crash, exit status, parts that were skipped)?", of[TT_DIFF_A], of[TT_DIFF_B],
	    of[TT_DIFF_A] < of[TT_DIFF_B] ? "A" : "B"));
}

/* Work of a marker in the frames of each side, and whether the side has the marker at all. */
struct of_marker { int64_t work_ns[TT_DIFF_SIDES]; bool is_there[TT_DIFF_SIDES]; };

/* True if more than half of the work on each side is in markers that only this side has. */
static bool
is_other_work(const struct tt_diff *d, const struct of_marker *of)
{
	int64_t all[TT_DIFF_SIDES] = { 0 }, alone[TT_DIFF_SIDES] = { 0 };

	for (size_t i = 0; i < d->nmarker; i++)
		for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
			all[s] += of[i].work_ns[s];
			alone[s] += of[i].is_there[!s] ? 0 : of[i].work_ns[s];
		}
	return alone[TT_DIFF_A] > all[TT_DIFF_A] / 2 && alone[TT_DIFF_B] > all[TT_DIFF_B] / 2;
}

/* Add a note if the sides hardly have work in common: differences of single markers then say little. */
static void
note_other_work(const struct tt_diff *d, struct tt_report *r)
{
	const size_t size = (d->nmarker + 1) * sizeof(struct of_marker);
	struct of_marker *const of = tt_mem_alloc(r->mem, size, &r->err);

	if (!of)
		return;
	memset(of, 0, size);
	for (size_t i = 1; i < d->nnode; i++) {
		const struct tt_diff_node *v = &d->node[i];
		if (v->kind != TT_DIFF_ZONE)
			continue;
		for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
			of[v->name].work_ns[s] += tt_diff_is_part(d, v) && tt_diff_class(d, v) == TT_DIFF_WORK ? v->side[s].part : 0;
			of[v->name].is_there[s] |= v->side[s].n > 0;
		}
	}
	if (is_other_work(d, of))
		tt_report_note(r, tt_severity_name[TT_NOTICE], "other_work", tt_text(r, "more than half of the work on each side is in markers that only this "
		    "side has: another game or scene? If markers were renamed, pair their names with %s", tt_setting_name[TT_SETTING_RENAME]));
	tt_mem_free(r->mem, of, size);
}

/* Add a note for captures that no layout fits: each text once, with the first capture. */
static void
note_layout(const struct tt_diff *d, struct tt_report *r)
{
	const char *said[TT_LAYOUTS];
	size_t n = 0, k;

	for (unsigned s = 0; s < TT_DIFF_SIDES; s++)
		for (size_t i = 0; i < d->side[s].n; i++) {
			const struct tt_diff_capture *c = &d->side[s].capture[i];

			for (k = 0; k < n && said[k] != c->layout_note; k++)
				;
			if (!c->layout_note || k < n || n == TT_NCOL(said))
				continue;
			said[n++] = c->layout_note;
			tt_report_note(r, tt_severity_name[TT_NOTICE], TT_META_LAYOUT, tt_text(r, "%s: %s", c->path, c->layout_note));
		}
}

void
tt_diff_report(const struct tt_diff *d, const struct tt_diff_report_opts *o, struct tt_report *r)
{
	struct tt_diff_ctx x = { .d = d, .o = o, .r = r, .root = tt_mem_alloc(r->mem, d->nnode * sizeof *x.root, &r->err) };

	if (!x.root)
		return;
	for (uint32_t i = 1; i < d->nnode; i++)
		x.root[i] = d->node[i].parent ? x.root[d->node[i].parent] : i;
	for (size_t i = 0; i < TT_NCOL(tables) && r->err.code == TT_OK; i++) {
		if (wanted(&x, &tables[i]))
			fill_table(&x, &tables[i]);
	}
	note_layout(d, r);
	note_cap(d, r);
	note_editor(d, r);
	note_frames(d, r);
	note_other_work(d, r);
	tt_mem_free(r->mem, x.root, d->nnode * sizeof *x.root);
}

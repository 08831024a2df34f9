/**
 * Chooses what tracetool stats prints of a model.
 */
#include "pass/tables.h"

#include "base/setting.h"
#include "model/frames.h"
#include "model/loss.h"
#include "model/model.h"
#include "pass/pass.h"
#include "view/view.h"

/* --- notes -------------------------------------------------------------------------- */

/* Note that threads have events from before the recording, which figures leave out. */
static void
tell_earlier(const struct tt_model *m, const struct tt_capture *c, struct tt_report *r)
{
	char time[32];

	if (!tt_capture_has_earlier(c) || m->filter.from == INT64_MIN)
		return;
	*tt_put_time_short(time, c->offset_ns - c->lead_ns - c->min_ts) = '\0';
	tt_report_note(r, tt_severity_name[TT_NOTICE], "earlier", tt_text(r, "%s%sevents from before the %s began, up to %s before, are left out: "
	    "an earlier recording left them", m->ncap > 1 ? c->path : "", m->ncap > 1 ? ": " : "",
	    c->lead_ns ? "frame in which the recording" : "recording", time));
}

/* Note the same for recordings that were appended to the file of another. */
static void
tell_appended_earlier(const struct tt_model *m, const struct tt_capture *c, struct tt_report *r)
{
	char time[32];

	if (c->appended_earlier_ns <= 0)
		return;
	*tt_put_time_short(time, c->appended_earlier_ns) = '\0';
	tt_report_note(r, tt_severity_name[TT_NOTICE], "earlier", tt_text(r, "%s%sevents from before an appended recording began, up to %s before, are left "
	    "out: an earlier recording left them", m->ncap > 1 ? c->path : "", m->ncap > 1 ? ": " : "", time));
}

void
tt_capture_notes(const struct tt_loss *loss, const struct tt_model *m, struct tt_report *r)
{
	const char *caveat = tt_model_caveat(m), *missing = tt_frames_missing(m, &r->arena, &r->err);

	tt_loss_notes(loss, r);
	if (missing)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "no_frames", tt_text(r, "no whole frame in %s: figures of frames are those of the other "
		    "captures (%s names what begins them)", missing, tt_setting_name[TT_SETTING_FRAME_MARKER]));
	for (size_t i = 0; i < m->ncap; i++) {
		const struct tt_capture *c = m->cap[i];
		const char *layout = tt_layout_note(tt_capture_meta_get(c, TT_META_LAYOUT));
		char time[32], stretch[TT_STRETCH_TEXT];
		const char *text;

		if (layout)
			tt_report_note(r, tt_severity_name[TT_NOTICE], TT_META_LAYOUT, m->ncap > 1 ? tt_text(r, "%s: %s", c->path, layout) : layout);
		if (tt_capture_missing_files(c, stretch))
			tt_report_note(r, tt_severity_name[TT_NOTICE], "rotation",
			    m->ncap > 1 ? tt_text(r, "%s: %s", c->path, stretch) : tt_text(r, "%s", stretch));
		tell_appended_earlier(m, c, r);
		if (c->ncovered_span == 0)
			continue;
		if (!c->is_flight) {
			tell_earlier(m, c, r);
			continue;
		}
		*tt_put_time(time, c->covered_span[0].from + c->offset_ns) = '\0';
		text = c->ncovered_span == 1 ? tt_text(r, "a flight recording: all its threads were kept from %s on, some of them longer", time) :
		    tt_text(r, "a flight recording of %zu dumps, the first from %s on: what not all threads have between them is left out",
		        c->ncovered_span, time);
		tt_report_note(r, tt_severity_name[TT_NOTICE], "flight", text);
	}
	if (caveat)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "caveat", caveat);
}

/* --- tables ------------------------------------------------------------------------- */

/* Return the needs of the tables of ${p} that ${o} wants: if ${o} names no table, of standard passes only. */
static unsigned
needs_of(const struct tt_pass *p, const struct tt_pass_opts *o, bool *any)
{
	*any = false;
	for (size_t i = 0; i < p->ntables; i++)
		*any |= (o->table || p->is_standard) && tt_pass_wants(p, &p->tables[i], o);
	return *any ? tt_pass_needs(p, o) : 0;
}

unsigned
tt_tables_needs(const struct tt_pass_opts *o)
{
	unsigned needs = 0;
	bool any;

	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		needs |= needs_of(*p, o, &any);
	return needs;
}

void
tt_tables_fill(struct tt_views *view, const struct tt_pass_opts *o, struct tt_report *r)
{
	struct tt_pass_opts all = *o, apart = *o;
	bool any;

	all.group = all.only_ungrouped_by = apart.group = TT_GROUP_NONE;
	apart.only_ungrouped_by = o->group;
	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		needs_of(*p, &all, &any);
		if (!any)
			continue;
		tt_pass_report(*p, view, o, r);
		/* Leave out a table that cannot be grouped, unless it was named. */
		if (o->group && o->table)
			tt_pass_report(*p, view, &apart, r);
	}
	tt_filter_notes(view->m, o->group, r);
	if (o->group)
		tt_group_note(o->group, r);
}

void
tt_tables_cut(struct tt_report *r, size_t rows, bool trees)
{
	for (struct tt_table *t = r->first; t; t = t->next)
		if (!t->tree || trees)
			tt_table_limit(t, rows);
}

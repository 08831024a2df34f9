/**
 * Makes the tables of a report's page, and looks up the words that the page explains.
 */
#include "page/contents.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/task.h"
#include "model/glossary.h"
#include "out/redact.h"
#include "page/report_page.h"
#include "pass/largest.h"
#include "pass/overview.h"
#include "pass/pass.h"
#include "pass/tables.h"
#include "view/view.h"
#include "why/causes.h"

/* Tables that describe the captures. */
static const char *const about[] = { "capture", "capture_meta", "capture_frame_markers", NULL };

/* Tables that stats makes only on request: why frames are long, and what happened in the worst frames. */
static const char *const asked[] = { "causes", "frame_causes", "hitch_markers", NULL };

/* Words explained on the page, as named in the glossary. */
static const struct { const char *name; unsigned where; } explained[] = {
	{ "typical frame", TT_PAGE_ALWAYS }, { "hitch", TT_PAGE_ALWAYS }, { "CPU-active time, CPU-active", TT_PAGE_ALWAYS },
	{ "capped frames, capped", TT_PAGE_CAPPED }, { "uncapped time, uncapped", TT_PAGE_CAPPED }, { "zone", TT_PAGE_ALWAYS },
	{ "in zones", TT_PAGE_ALWAYS }, { "self time, self", TT_PAGE_ALWAYS }, { "total time, total", TT_PAGE_ALWAYS }, { "of frame", TT_PAGE_ALWAYS },
	{ "in the median frame, total in median frame", TT_PAGE_ALWAYS },
	{ "allocated", TT_PAGE_ALWAYS }, { "beyond median", TT_PAGE_ALWAYS }, { "began before", TT_PAGE_ALWAYS },
	{ "(outside recorded calls)", TT_PAGE_ALWAYS }, { "site", TT_PAGE_ALWAYS }, { "chunk", TT_PAGE_ALWAYS },
	{ "layout", TT_PAGE_FACT }, { "platform", TT_PAGE_FACT },
};

_Static_assert(sizeof explained / sizeof *explained < TT_PAGE_WORDS, "one more ends the list");

static bool
is_asked(const char *id)
{
	for (size_t i = 0; asked[i]; i++)
		if (strcmp(asked[i], id) == 0)
			return true;
	return false;
}

/* True if stats makes the table by default, or it is listed in asked. */
static bool
wants(const struct tt_pass *p, const struct tt_pass_table *t)
{
	return (p->is_standard && !t->is_extra) || is_asked(t->id);
}

unsigned
tt_page_needs(void)
{
	unsigned all = TT_NEEDS_CANDIDATES;

	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		for (size_t i = 0; i < (*p)->ntables; i++)
			if (wants(*p, &(*p)->tables[i]))
				all |= (*p)->needs | (*p)->tables[i].needs;
	return all;
}

struct tt_page_search {
	struct tt_task aside;
	struct tt_views own, *view;   /* own: the view of the search's thread */
	struct tt_causes causes;
	struct tt_arena text;
	struct tt_err err;
};

static void
find_causes(void *search)
{
	struct tt_page_search *s = search;

	tt_causes_find(&s->causes, s->view, &s->text, &s->err);
}

struct tt_page_search *
tt_page_search_begin(struct tt_arena *a, const struct tt_model *m, struct tt_views *view, struct tt_err *err)
{
	const bool alone = m->env->jobs == 1;
	struct tt_page_search *s = tt_arena_alloc(a, sizeof *s, err);

	if (!s)
		return NULL;
	*s = (struct tt_page_search){ .err.at = TT_NOWHERE };
	tt_view_init(&s->own, m);
	tt_arena_init(&s->text, &m->env->mem);
	s->view = alone ? view : &s->own;
	tt_task_begin(&s->aside, alone, find_causes, s);
	return s;
}

struct tt_views *
tt_page_search_view(const struct tt_page_search *s)
{
	return s->view;
}

void
tt_page_search_free(struct tt_page_search *s)
{
	tt_view_free(&s->own);
	tt_arena_free(&s->text);
}

void
tt_page_fill(struct tt_views *view, struct tt_page_search *s, const struct tt_page_fill_opts *o, struct tt_report *r)
{
	struct tt_pass_opts po = *o->pass;

	tt_capture_notes(o->loss, view->m, r);
	po.table = about;
	po.skips_empty = true;
	tt_pass_report(tt_pass_named("info"), view, &po, r);
	po.table = NULL;
	po.skips_empty = false;
	po.max_rows = TT_PAGE_ROWS;
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		if ((*p)->is_standard)
			tt_pass_report(*p, view, &po, r);
	po.table = asked;
	po.max_rows = 0;
	po.causes = &s->causes;
	tt_task_wait(&s->aside);
	if (r->err.code == TT_OK)
		r->err = s->err;
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		tt_pass_report(*p, view, &po, r);
	tt_filter_notes(view->m, TT_GROUP_NONE, r);
	if (tt_model_knows_allocs(view->m))
		tt_most_allocated(view, r);
	tt_most_time(view, r);
	tt_overview(view, &s->causes, r);
	for (struct tt_table *t = r->first; t; t = t->next)
		if (!is_asked(t->id) || strcmp(t->id, "frame_causes") == 0)
			tt_table_limit(t, TT_PAGE_ROWS);
	if (o->redact)
		tt_redact_report(r);
}

void
tt_page_words(struct tt_page_word *to)
{
	for (size_t i = 0; i < sizeof explained / sizeof *explained; i++)
		for (const struct tt_glossary_word *w = tt_glossary_terms; w->name; w++)
			if (strcmp(w->name, explained[i].name) == 0)
				*to++ = (struct tt_page_word){ w->name, w->text, explained[i].where };
	to->name = NULL;
}

bool
tt_page_may_replace(const char *path)
{
	static const char begin[] = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\"";
	char is[sizeof begin - 1];
	FILE *f = fopen(path, "rb");

	if (!f)
		return errno == ENOENT;
	const bool same = fread(is, 1, sizeof is, f) == sizeof is && memcmp(is, begin, sizeof is) == 0;
	fclose(f);
	return same;
}

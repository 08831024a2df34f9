/**
 * Makes the summary fit a screen: leaves out parts in the order of the list gives_way.
 */
#include "summary/screen.h"

#include <string.h>

#include "model/loss.h"
#include "out/glyph.h"
#include "pass/pass.h"
#include "why/causes.h"

/* A screen of 50 lines also holds the command above the summary and the prompt below it. */
enum { SCREEN = 48 };
enum { KEEP_NOTICES = T_N, KEEP_LOSSES, KEEP_NEEDED, KEEP_STEADY, KEEP_FIRST, CUT_WORST, CUT_TEXTS };

/* The parts left out until the summary fits, in this order: rows of a table after the first ${keep}, notices, losses, the ends of sentences and names. */
static const struct { int what; size_t keep; } gives_way[] = {
	{ CUT_TEXTS, 2400 }, { KEEP_NOTICES, 2 }, { T_CAUSES, 3 }, { T_CAUSES, 2 }, { T_SAMPLES, 2 }, { T_MARKERS, 2 }, { T_ALLOCS, 2 }, { KEEP_NOTICES, 1 },
	{ KEEP_LOSSES, 2 }, { KEEP_LOSSES, 1 }, { T_WORST, 2 }, { T_SAMPLES, 1 }, { T_MARKERS, 1 }, { T_ALLOCS, 1 }, { T_OVERVIEW, 5 }, { KEEP_STEADY, 0 },
	{ KEEP_NEEDED, 0 }, { T_WORST, 1 }, { KEEP_FIRST, 0 }, { CUT_TEXTS, 400 }, { CUT_WORST, 140 }, { T_OVERVIEW, 3 }, { CUT_TEXTS, 240 },
	{ KEEP_NOTICES, 0 }, { CUT_TEXTS, 160 }, { CUT_TEXTS, 80 },
};


struct tt_table *
tt_summary_find(const struct tt_report *r, int which)
{
	struct tt_table *t = r->first;

	while (t && strcmp(t->id, tt_summary_part[which]->id) != 0)
		t = t->next;
	return t;
}

/* Cut ${text} to at most ${max} columns. */
static const char *
cut(struct tt_report *r, const char *text, size_t max)
{
	size_t width, n = strlen(text), head = tt_text_head(text, n, max - 1, &width);

	return tt_text_width_n(text, n) <= max ? text : tt_text(r, "%s…", tt_text_of(r, text, head));
}

static void
cut_texts_of(struct tt_report *r, struct tt_table *t, size_t max)
{
	for (size_t i = 0; t && i < t->nrow * t->ncol; i++)
		if (tt_unit_is_text(t->col[i % t->ncol].unit) && t->col[i % t->ncol].unit != TT_UNIT_COMMAND && !t->cell[i].empty)
			t->cell[i].s = cut(r, t->cell[i].s, max);
}

static void
cut_texts(struct tt_report *r, size_t max)
{
	for (struct tt_table *t = r->first; t; t = t->next)
		cut_texts_of(r, t, max);
	for (struct tt_note *n = r->note; n; n = n->next)
		n->text = cut(r, n->text, max);
}

/* Leave out the notices, or with ${notices} false all other notes of the report, after the first ${keep}. */
static void
keep_notes(struct tt_summary_screen *s, bool notices, size_t keep)
{
	struct tt_note **at = &s->r->note, *last = NULL, *n;
	size_t before = s->left_out;

	while ((n = *at) != NULL) {
		bool meant = n != s->more && notices == (strcmp(n->severity, tt_severity_name[TT_NOTICE]) == 0);

		if (meant && keep == 0) {
			*at = n->next;
			s->left_out++;
			continue;
		}
		keep -= meant;
		last = n;
		at = &n->next;
	}
	s->r->last_note = last;
	if (s->left_out == before)
		return;
	if (!s->more) {
		tt_report_note(s->r, tt_severity_name[TT_NOTICE], "more_notes", "");
		s->more = s->r->last_note;
	}
	if (s->more)
		s->more->text = tt_text(s->r, "%zu more %s not shown here: \"more tables\" prints %s", s->left_out,
		    s->left_out == 1 ? "notice or loss is" : "notices and losses are", s->left_out == 1 ? "it" : "them");
}

/* Leave out trailing causes about what all frames take, but never the first cause. */
static void
drop_steady(struct tt_table *t)
{
	while (t && t->nrow > 1 && strcmp(t->cell[(t->nrow - 1) * t->ncol + C_CLASS].s, tt_cause_name(TT_CAUSE_STEADY)) == 0)
		t->nrow--;
}

/* Leave out the second cause, unless it is a leak, which may end the program. */
static void
drop_second(struct tt_table *t)
{
	if (t && t->nrow == 2 && strcmp(t->cell[t->ncol + C_CLASS].s, tt_cause_name(TT_CAUSE_LEAK)) != 0)
		t->nrow = 1;
}

static void
give_way(struct tt_summary_screen *s, int what, size_t keep)
{
	struct tt_table *t = what < T_N ? tt_summary_find(s->r, what) : NULL;

	if (what == CUT_TEXTS)
		cut_texts(s->r, keep);
	else if (what == CUT_WORST)       /* the causes say it in full */
		cut_texts_of(s->r, tt_summary_find(s->r, T_WORST), keep);
	else if (what == KEEP_STEADY)
		drop_steady(tt_summary_find(s->r, T_CAUSES));
	else if (what == KEEP_FIRST)
		drop_second(tt_summary_find(s->r, T_CAUSES));
	else if (what == KEEP_NEEDED)
		tt_summary_find(s->r, T_SUMMARY)->cell[S_NEEDED].empty = true;
	else if (what >= T_N)
		keep_notes(s, what == KEEP_NOTICES, keep);
	else if (t && t->nrow > keep)
		t->nrow = keep;
}

/* True if the report is text with more lines than a screen. */
static bool
is_too_long(struct tt_report *r, const struct tt_render_opts *o)
{
	struct tt_buf text = { 0 };
	size_t lines = 0;

	if (o->form == TT_RENDER_TEXT && tt_render(r, o, &text, &r->err) == TT_OK)
		for (size_t i = 0; i < text.n; i++)
			lines += text.p[i] == '\n';
	tt_buf_free(&text);
	return lines > SCREEN;
}

bool
tt_summary_shorten(struct tt_summary_screen *s, const struct tt_render_opts *o)
{
	if (s->step == sizeof gives_way / sizeof *gives_way || !is_too_long(s->r, o))
		return false;
	give_way(s, gives_way[s->step].what, gives_way[s->step].keep);
	s->step++;
	return true;
}

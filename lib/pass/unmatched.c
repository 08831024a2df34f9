/**
 * Finds filters by name that no name matches.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/spelling.h"
#include "base/buf.h"
#include "base/setting.h"
#include "model/names.h"
#include "pass/passes.h"

static const struct { enum tt_setting setting; const char *what; } said[] = {
	[TT_MATCH_THREAD] = { TT_SETTING_THREAD, "thread" },
	[TT_MATCH_MARKER] = { TT_SETTING_MARKER, "marker" },
	[TT_MATCH_WAIT] = { TT_SETTING_WAIT, "marker" },
	[TT_MATCH_CATEGORY] = { TT_SETTING_CATEGORY, "category" },
};

/* The name most similar to the pattern. */
struct near {
	const char *pattern, *name;
	size_t least;
};

/* Compare ${name} without its arguments with the pattern; also each part after a dot or colon, that is, without namespace and class. */
static void
look(struct near *n, const char *name)
{
	char text[64];
	size_t len = strcspn(name, "(");

	while (len > 0 && name[len - 1] == ' ')
		len--;
	if (len == 0 || len >= sizeof text)
		return;
	memcpy(text, name, len);
	text[len] = '\0';
	for (const char *s = text; *s; s++) {
		size_t d = s != text && s[-1] != '.' && s[-1] != ':' ? SIZE_MAX : strcasecmp(s, n->pattern) == 0 ? 0 :
		    tt_word_distance(n->pattern, s);

		if (d < n->least) {
			n->least = d;
			n->name = name;
		}
	}
}

static bool
thread_met(const struct tt_model *m, const char *pattern, struct near *n)
{
	const char *const one[] = { pattern, NULL };

	for (size_t i = 0; i < m->threads.n; i++) {
		if (tt_thread_named(&m->threads, m->threads.t[i], one))
			return true;
		look(n, m->threads.t[i]->name);
	}
	return false;
}

static bool
marker_met(const struct tt_model *m, const char *pattern, struct near *n)
{
	const char *const one[] = { pattern, NULL };
	const struct tt_name *name;

	for (size_t i = 0; m->keys && (name = tt_model_name_at(m, i)) != NULL; i++) {
		if (!name->full)
			continue;
		if (tt_name_match(one, name->full))
			return true;
		look(n, name->shown ? name->shown : name->full);
	}
	return false;
}

static bool
category_met(const struct tt_model *m, const char *pattern, struct near *n)
{
	for (size_t i = 0; i < m->ncategory; i++) {
		if (tt_glob(pattern, m->category[i].name))
			return true;
		look(n, m->category[i].name);
	}
	return false;
}

/* Write a pattern that matches ${name} alone, as far as there is room. */
static void
put_pattern(char *to, size_t size, const char *name)
{
	size_t n = 0;

	for (; *name && n + 2 < size; name++) {
		if (strchr("*?[\\", *name))
			to[n++] = '\\';
		to[n++] = *name;
	}
	to[n] = '\0';
}

bool
tt_filter_is_unmatched(const struct tt_model *m, enum tt_filter_by by, size_t i, char *text, bool *more)
{
	const char *const *const lists[] = { [TT_MATCH_THREAD] = m->filter.thread, [TT_MATCH_MARKER] = m->filter.marker, [TT_MATCH_WAIT] = m->filter.wait,
		[TT_MATCH_CATEGORY] = m->filter.category };
	const char *const *list = lists[by];
	struct near n = { .least = SIZE_MAX };
	char list_of[64], pattern[101];

	*more = list && list[i];
	if (!*more)
		return false;
	n.pattern = list[i];
	if (by == TT_MATCH_THREAD ? thread_met(m, list[i], &n) : by == TT_MATCH_CATEGORY ? category_met(m, list[i], &n) : marker_met(m, list[i], &n))
		return false;
	if (n.name)
		put_pattern(pattern, sizeof pattern, n.name);
	snprintf(list_of, sizeof list_of, " (see %.40s threads)", tt_setting_name[TT_SETTING_TABLE]);
	snprintf(text, TT_UNMATCHED_TEXT, "no %s matches %s \"%.80s\"%s%.100s%s", said[by].what,
	    tt_setting_name[said[by].setting], list[i], n.name ? "; did you mean \"" : "", n.name ? pattern : by == TT_MATCH_THREAD ? list_of : "",
	    n.name ? "\"?" : "");
	return true;
}

/* True if ${pattern} matches a text in the tables, which also name things other than markers: methods, files, definitions. */
static bool
shown(const struct tt_report *r, const char *pattern)
{
	for (const struct tt_table *t = r->first; t; t = t->next)
		for (size_t i = 0; i < t->nrow * t->ncol; i++)
			if (t->col[i % t->ncol].unit == TT_UNIT_TEXT && t->cell[i].s && !t->cell[i].empty && tt_glob(pattern, t->cell[i].s))
				return true;
	return false;
}

void
tt_unmatched_notes(const struct tt_model *m, struct tt_report *r)
{
	static const char *const id[] = { [TT_MATCH_THREAD] = "no_thread", [TT_MATCH_MARKER] = "no_marker", [TT_MATCH_WAIT] = "no_marker",
		[TT_MATCH_CATEGORY] = "no_category" };
	char text[TT_UNMATCHED_TEXT];

	for (unsigned by = TT_MATCH_THREAD; by <= TT_MATCH_CATEGORY; by++) {
		bool more = true;

		for (size_t i = 0; more; i++) {
			const char *pattern = by == TT_MATCH_MARKER && m->filter.marker ? m->filter.marker[i] :
			    by == TT_MATCH_CATEGORY && m->filter.category ? m->filter.category[i] : NULL;

			if (tt_filter_is_unmatched(m, (enum tt_filter_by)by, i, text, &more) && !(pattern && shown(r, pattern)))
				tt_report_note(r, tt_severity_name[TT_NOTICE], id[by], text);
		}
	}
}

/**
 * Lists the sessions of a baseline, removes some, or accepts one.
 */
#include "gate/sessions.h"

#include <string.h>

#include "base/spelling.h"
#include "gate/document.h"

static const struct tt_col session_col[] = {
	{ "session", "session", TT_UNIT_TEXT, "Name of the session." },
	{ "captures", "captures", TT_UNIT_COUNT, "Number of its captures." },
	{ "frames", "frames", TT_UNIT_COUNT, "Whole frames of all of them." },
	{ "compared", "compared", TT_UNIT_BOOL, "True if captures are compared with it: it is the last accepted session, or later." },
	{ "accepted", "accepted", TT_UNIT_TEXT, "Why it was accepted; empty if it was not." },
	{ "first", "first capture", TT_UNIT_TEXT, "Name of its first capture, as it was given." },
};

const struct tt_pass_table tt_session_tables[] = {
	{ .id = "baseline_sessions", .title = "Sessions", .col = session_col, .ncol = TT_NCOL(session_col) },
	{ .id = NULL },
};

int
tt_sessions_read(struct tt_sessions *x, struct tt_err *err)
{
	struct tt_budget none;
	int rc = tt_document_read(x->env, x->path, &x->text, err);

	TT_THEN(rc, tt_budget_none(&none, &x->a, err));
	TT_THEN(rc, tt_baseline_parse(x->text.p, x->text.n, x->path, &none, TT_SAMPLE_HEAD, &x->b, &x->a, err));
	x->keep = rc == TT_OK ? tt_arena_alloc(&x->a, x->b.nall_session * sizeof *x->keep, err) : NULL;
	if (!x->keep)
		return err->code;
	memset(x->keep, true, x->b.nall_session * sizeof *x->keep);
	return TT_OK;
}

static int
find(const struct tt_sessions *x, const char *name, size_t *at, struct tt_err *err)
{
	const char *near = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < x->b.nall_session; i++) {
		const size_t d = tt_word_distance(name, x->b.session[i].name);

		if (strcmp(name, x->b.session[i].name) == 0) {
			*at = i;
			return TT_OK;
		}
		near = d < least ? x->b.session[i].name : near;
		least = d < least ? d : least;
	}
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has no session \"%s\"%s%s%s", x->path, name, near ? "; did you mean \"" : "",
	    near ? near : "", near ? "\"?" : " (\"tracetool baseline list\" has them)");
}

/* The number of sessions before the accepted one, with which captures are not compared. */
static size_t
past(const struct tt_sessions *x)
{
	return x->b.nall_session - x->b.nsession;
}

void
tt_sessions_report(const struct tt_sessions *x, struct tt_report *r)
{
	struct tt_table *t = tt_report_table(r, tt_session_tables[0].id, tt_session_tables[0].title, session_col, TT_NCOL(session_col));

	for (size_t i = 0; i < x->b.nall_session; i++) {
		const struct tt_baseline_session *s = &x->b.session[i];
		struct tt_cell *c = tt_row(t);
		uint64_t frames = 0;

		for (size_t k = 0; k < s->n; k++)
			frames += x->b.all[s->first + k].frames;
		tt_cell_text(&c[0], s->name);
		tt_cell_u64(&c[1], s->n);
		tt_cell_u64(&c[2], frames);
		tt_cell_int(&c[3], i >= past(x));
		tt_cell_name(&c[4], s->accepted);
		tt_cell_text(&c[5], x->b.all[s->first].name);
	}
}

int
tt_sessions_drop(struct tt_sessions *x, const char *const *name, size_t n, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		size_t at;

		rc = find(x, name[i], &at, err);
		if (rc == TT_OK)
			x->keep[at] = false;
	}
	return rc;
}

void
tt_sessions_trim(struct tt_sessions *x, uint64_t n)
{
	for (size_t i = 0; i < x->b.nall_session; i++)
		x->keep[i] = x->b.nall_session - i <= n || (i == past(x) && x->b.session[i].accepted);
}

int
tt_sessions_accept(struct tt_sessions *x, const char *name, struct tt_err *err)
{
	int rc = TT_OK;

	x->accept = x->b.nall_session - 1;
	if (name)
		rc = find(x, name, &x->accept, err);
	if (rc == TT_OK && x->b.session[x->accept].accepted)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: session \"%s\" is accepted already: %s", x->path, x->b.session[x->accept].name,
		    x->b.session[x->accept].accepted);
	return rc;
}

int
tt_sessions_rewrite(const struct tt_sessions *x, const char *why, struct tt_buf *out, size_t *kept, struct tt_err *err)
{
	const size_t n = x->b.nall_session;

	*kept = 0;
	for (size_t i = 0; i < n; i++)
		*kept += x->keep[i];
	if (*kept == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: no session would be left; remove the file instead", x->path);
	return tt_baseline_keep(&x->b, x->keep, x->accept, why, out, err);
}

/* Warn if the session with which comparisons began was removed: they now begin with another session, or use all. */
static void
tell_compared(const struct tt_sessions *x)
{
	const char *first = NULL;

	if (x->keep[past(x)] || !x->b.session[past(x)].accepted)
		return;
	for (size_t i = 0; i < x->b.nall_session; i++)
		if (x->keep[i] && (!first || x->b.session[i].accepted))
			first = x->b.session[i].name;
	tt_log(x->env, TT_LOG_NORMAL, "%s: the accepted session \"%s\" is out: captures are compared with session \"%s\" and those after it",
	    x->path, x->b.session[past(x)].name, first);
}

void
tt_sessions_tell(const struct tt_sessions *x, size_t kept)
{
	if (x->accept != SIZE_MAX)
		tt_log(x->env, TT_LOG_NORMAL, "%s: captures are compared with session \"%s\" and those after it", x->path, x->b.session[x->accept].name);
	else
		tt_log(x->env, TT_LOG_NORMAL, "%s: %zu of %zu sessions kept", x->path, kept, x->b.nall_session);
	tell_compared(x);
}

/**
 * Reads and writes baselines.
 *
 * { "tracetool_baseline": 1, "settings": "skip 120 frames",
 *   "sessions": [ { "session": "#1", "captures": [ SAMPLE, SAMPLE ] }, { "session": "#2", "accepted": "new lighting", ... } ] }
 */
#include "gate/baseline.h"

#include <string.h>

#include "base/json.h"
#include "base/setting.h"
#include "gate/doc.h"
#include "model/filter.h"

/* --- writing --------------------------------------------------------------------------- */

/* State of writing captures to a baseline. */
struct writer {
	const struct tt_baseline *old;        /* the baseline to which they are added; NULL: none */
	const struct tt_sample *s;            /* the new captures */
	size_t n;
	const struct tt_budget *budget;
	const char *accept;           /* why the first new session is accepted; NULL: it is not */
	struct tt_json j;
	char number[24];              /* name of the session for new captures that name none */
	struct tt_arena *a;           /* for temporary data */
};

static void
put_capture(struct writer *w, const struct tt_sample *s)
{
	struct tt_sample one = *s;

	w->j.gap = "\n";
	one.session = "";             /* the session stores its name once, captures do not */
	tt_sample_put(&w->j, NULL, &one, w->budget->measure, w->budget->nmeasure);
}

/* The session of a new capture: its fact "session". Captures without that fact share the session w->number. */
static const char *
session_of(const struct writer *w, const struct tt_sample *s)
{
	const char *fact = tt_sample_fact(s, "session");

	return fact ? fact : w->number;
}

/* Write the new captures that belong to the session ${name}. */
static void
put_captures(struct writer *w, const char *name)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(session_of(w, &w->s[i]), name) == 0)
			put_capture(w, &w->s[i]);
}

/* Write a session of new captures. ${accepted}: why it is accepted, or NULL. */
static void
put_new(struct writer *w, const char *name, const char *accepted)
{
	w->j.gap = "\n";
	tt_json_open(&w->j, NULL, "{");
	tt_json_text(&w->j, "session", name);
	if (accepted)
		tt_json_text(&w->j, "accepted", accepted);
	tt_json_open(&w->j, "captures", "[");
	put_captures(w, name);
	tt_json_close(&w->j, "]}");
}

/* Find where the list of captures of the session ${s} ends: *${n} bytes of the session precede its closing bracket. */
static int
find_list_end(const struct tt_baseline *b, const struct tt_baseline_session *s, size_t *n, struct tt_arena *a, struct tt_err *err)
{
	struct tt_doc doc;
	int rc = tt_doc_parse(&doc, b->text + s->at, s->end - s->at, b->path, a, err);

	if (rc != TT_OK)
		return rc;
	struct tt_node_at root = tt_doc_root(&doc), list = tt_doc_member(&root, "captures");
	*n = tt_doc_end(&list) - 1;
	tt_doc_free(&doc);
	return TT_OK;
}

/* Write the session ${s} of the old baseline, byte by byte, and append its new captures. */
static int
put_old(struct writer *w, const struct tt_baseline_session *s, struct tt_err *err)
{
	const char *text = w->old->text + s->at;
	const size_t size = s->end - s->at;
	size_t end = size;
	bool more = false;

	for (size_t i = 0; i < w->n && !more; i++)
		more = strcmp(session_of(w, &w->s[i]), s->name) == 0;
	if (more && find_list_end(w->old, s, &end, w->a, err) != TT_OK)
		return err->code;
	tt_json_part(&w->j, text, end);
	if (more)
		put_captures(w, s->name);
	tt_buf_add(w->j.out, text + end, size - end);
	return TT_OK;
}

/* True if a session named ${name} is in the old baseline or among the first ${n} new captures. */
static bool
is_there(const struct writer *w, const char *name, size_t n)
{
	for (size_t i = 0; w->old && i < w->old->nall_session; i++)
		if (strcmp(w->old->session[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < n; i++)
		if (strcmp(session_of(w, &w->s[i]), name) == 0)
			return true;
	return false;
}

/* Choose the name of the session for captures that name none: "#3" if it is the third, or the next free number. */
static void
set_number(struct writer *w)
{
	size_t k = w->old ? w->old->nall_session + 1 : 1;

	char number[sizeof w->number] = "#";

	/* w->number stays empty until a free number is found, so that captures without a session do not make that number look taken. */
	do
		*tt_put_u64(number + 1, k++) = '\0';
	while (is_there(w, number, w->n));
	memcpy(w->number, number, sizeof number);
}

static int
put_sessions(struct writer *w, struct tt_err *err)
{
	const struct tt_baseline *old = w->old;
	int rc = TT_OK;

	for (size_t i = 0; old && i < old->nall_session && rc == TT_OK; i++) {
		w->j.gap = "\n";
		rc = put_old(w, &old->session[i], err);
	}
	for (size_t i = 0; i < w->n && rc == TT_OK; i++)
		if (!is_there(w, session_of(w, &w->s[i]), i)) {
			put_new(w, session_of(w, &w->s[i]), w->accept);
			w->accept = NULL;     /* only the first new session is marked as accepted: comparison begins with it */
		}
	return rc;
}

int
tt_baseline_write(const struct tt_baseline *old, const struct tt_sample *s, size_t n,
    const struct tt_budget *budget, const char *settings, const char *accept, struct tt_buf *out, struct tt_arena *a, struct tt_err *err)
{
	struct writer w = { .old = old, .s = s, .n = n, .budget = budget, .accept = accept, .j = { .out = out }, .a = a };
	int rc;

	set_number(&w);
	tt_json_open(&w.j, NULL, "{");
	tt_json_u64(&w.j, "tracetool_baseline", 1);
	tt_json_text(&w.j, "settings", settings);
	tt_json_open(&w.j, "sessions", "[");
	rc = put_sessions(&w, err);
	tt_json_close(&w.j, "]}\n");
	if (rc == TT_OK && w.accept)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has these captures' session already: only a new session can be accepted", old->path);
	return rc == TT_OK ? tt_buf_error(out, err) : rc;
}

/* --- leaving out and accepting ------------------------------------------------------------ */

/* Copy the session at ${p}, a JSON object of ${n} bytes, with its reason for being accepted as the first member. */
static void
put_accepted(struct tt_buf *out, const char *p, size_t n, const char *why)
{
	tt_buf_text(out, "{\"accepted\":\"");
	tt_buf_json(out, why, strlen(why));
	tt_buf_text(out, "\",");
	tt_buf_add(out, p + 1, n - 1);
}

int
tt_baseline_keep(const struct tt_baseline *b, const bool *keep, size_t accept, const char *why, struct tt_buf *out, struct tt_err *err)
{
	const char *text = b->text;
	const struct tt_baseline_session *last = &b->session[b->nall_session - 1];
	bool any = false;

	tt_buf_add(out, text, b->session[0].at);
	for (size_t i = 0; i < b->nall_session; i++) {
		const char *p = text + b->session[i].at;
		const size_t size = b->session[i].end - b->session[i].at;

		if (!keep[i])
			continue;
		tt_buf_text(out, any ? ",\n" : "");
		any = true;
		if (i == accept)
			put_accepted(out, p, size, why);
		else
			tt_buf_add(out, p, size);
	}
	tt_buf_add(out, text + last->end, b->ntext - last->end);
	return tt_buf_error(out, err);
}

/* --- the environment ---------------------------------------------------------------------- */

bool
tt_row_means(const struct tt_budget_row *r, const struct tt_sample *s)
{
	for (size_t i = 0; i < r->nwhere; i++) {
		const char *value = tt_sample_fact(s, r->where[i].key);

		if (!value || !tt_glob(r->where[i].glob, value))
			return false;
	}
	return true;
}

static const char *
shown(const char *value)
{
	return value ? value : "(unknown)";
}

/* True if some capture of the baseline to which the row applies has the value ${value} of the fact ${key}; else *${other} is a capture with another value. */
static bool
is_known(const struct tt_baseline *b, const struct tt_budget_row *r, const char *key, const char *value,
    const struct tt_sample **other)
{
	bool any = false;

	for (size_t i = 0; i < b->nsample; i++) {
		const char *have = tt_sample_fact(&b->sample[i], key);

		if (!tt_row_means(r, &b->sample[i]))
			continue;
		if (have == value || (have && value && strcmp(have, value) == 0))
			return true;
		*other = &b->sample[i];
		any = true;
	}
	return !any;
}

int
tt_baseline_check(const struct tt_baseline *b, const struct tt_sample *s, size_t n, const struct tt_budget *budget,
    const char *settings, struct tt_err *err)
{
	if (strcmp(b->settings, settings) != 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s was saved with other settings (%s, now %s): save it again, or use %s", b->path,
		    b->settings[0] ? b->settings : "none", settings[0] ? settings : "none", tt_setting_name[TT_SETTING_FORCE_BASELINE]);
	for (size_t k = 0; k < budget->nrow; k++) {
		const struct tt_budget_row *r = &budget->row[k];

		if (!(r->relative || r->exact) || r->level == TT_LEVEL_OFF)
			continue;
		for (size_t i = 0; i < n; i++) {
			for (const char *const *key = budget->fingerprint; *key; key++) {
				const char *value = tt_sample_fact(&s[i], *key);
				const struct tt_sample *other = NULL;

				/* A capture whose analysis failed has no facts to compare. */
				if (s[i].without || s[i].nfact == 0 || !tt_row_means(r, &s[i]) || is_known(b, r, *key, value, &other))
					continue;
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has another environment: %s is %s in its %s, and %s in %s "
				    "(row \"%s\"); save a baseline of its own, or use %s", b->path, *key,
				    shown(tt_sample_fact(other, *key)), other->name, shown(value), s[i].name, r->id,
				    tt_setting_name[TT_SETTING_FORCE_BASELINE]);
			}
		}
	}
	return TT_OK;
}

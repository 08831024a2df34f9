/**
 * Reads and writes baselines.
 *
 * { "tracetool_baseline": 1, "settings": "skip 120 frames",
 *   "sessions": [ { "session": "#1", "captures": [ SAMPLE, SAMPLE ] }, { "session": "#2", "accepted": "new lighting", ... } ] }
 */
#include "gate/baseline.h"

#include <string.h>

#include "base/hash_seed.h"
#include "base/json.h"
#include "base/map.h"
#include "base/setting.h"
#include "gate/doc.h"
#include "model/filter.h"

/* --- reading ------------------------------------------------------------------------ */

struct reader {
	struct tt_baseline *b;
	const struct tt_budget *budget;
	struct tt_arena *a;
	struct tt_map at;             /* sessions so far, by name */
};

/* Add the name of the session ${of}; fail if an earlier one has it. */
static int
add_name(struct reader *rd, const struct tt_node_at *id, const struct tt_baseline_session *of, struct tt_err *err)
{
	const struct tt_baseline_session *all = rd->b->session;
	const uint64_t hash = tt_seeded_text(0, of->name, strlen(of->name));

	if (tt_map_find(&rd->at, hash, i, strcmp(all[i].name, of->name) == 0))
		return tt_doc_fail(id, false, err, "there is a session \"%s\" already", of->name);
	return tt_map_add(&rd->at, rd->a->mem, hash, (size_t)(of - all), err);
}

static int
read_capture(struct reader *rd, const struct tt_node_at *v, const char *session, struct tt_err *err)
{
	struct tt_sample *s = &rd->b->all[rd->b->nall];
	unsigned line, column;
	int rc = tt_sample_parse(v->json, rd->budget->measure, rd->budget->nmeasure, s, rd->a, err);

	/* Found only for an error: it takes a walk over all text before it. */
	if (rc == TT_E_USAGE) {
		tt_doc_place(v, false, &line, &column);
		rc = tt_err_in(err, "%s:%u:%u", rd->b->path, line, column);
	}
	s->session = session;
	rd->b->nall += rc == TT_OK;
	return rc;
}

static int
read_session(struct reader *rd, const struct tt_node_at *v, struct tt_baseline_session *of, struct tt_err *err)
{
	struct tt_node_at id = tt_doc_member(v, "session"), list = tt_doc_member(v, "captures"), accepted = tt_doc_member(v, "accepted");
	int rc = tt_doc_text(&id, &of->name, err);

	if (rc == TT_OK)
		rc = tt_doc_text(&accepted, &of->accepted, err);
	if (rc == TT_OK)
		rc = tt_doc_array(&list, &of->n, err);
	if (rc != TT_OK)
		return rc;
	if (!of->name || of->n == 0)
		return tt_doc_fail(v, false, err, "a session needs its \"session\" and \"captures\"");
	rc = add_name(rd, &id, of, err);
	of->first = rd->b->nall;
	for (size_t i = 0; i < of->n && rc == TT_OK; i++) {
		struct tt_node_at e = tt_doc_element(&list, i);

		rc = read_capture(rd, &e, of->name, err);
	}
	return rc;
}

/* Compare with the last accepted session and those after it. */
static void
choose_compared(struct tt_baseline *b)
{
	size_t from = b->nall_session;

	while (from > 0 && !b->session[from - 1].accepted)
		from--;
	from -= from > 0;
	b->nsession = b->nall_session - from;
	b->sample = b->all + b->session[from].first;
	b->nsample = b->nall - b->session[from].first;
}

static size_t
count_captures(const json_t *sessions)
{
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(sessions); i++)
		n += json_array_size(json_object_get(json_array_get(sessions, i), "captures"));
	return n;
}

static int
read_baseline(struct reader *rd, const struct tt_node_at *root, struct tt_err *err)
{
	struct tt_node_at version = tt_doc_member(root, "tracetool_baseline"), list = tt_doc_member(root, "sessions"),
	    settings = tt_doc_member(root, "settings");
	size_t n;
	int rc;

	if (!version.json)
		return tt_doc_fail(root, false, err, "no baseline: \"tracetool_baseline\": 1 is missing");
	if (!json_is_integer(version.json) || json_integer_value(version.json) != 1)
		return tt_doc_fail(&version, false, err, "this tracetool reads baselines of version 1 only: save it again");
	rd->b->settings = "";
	rc = tt_doc_text(&settings, &rd->b->settings, err);
	if (rc == TT_OK)
		rc = tt_doc_array(&list, &n, err);
	if (rc != TT_OK)
		return rc;
	if (n == 0)
		return tt_doc_fail(root, false, err, "no session in this baseline: save it again with %s",
		    tt_setting_name[TT_SETTING_SAVE]);
	rd->b->session = tt_arena_alloc(rd->a, n * sizeof *rd->b->session, err);
	rd->b->all = rd->b->session ? tt_arena_alloc(rd->a, (count_captures(list.json) + 1) * sizeof *rd->b->all, err) : NULL;
	if (!rd->b->all)
		return err->code;
	for (struct tt_doc_walk w = { 0 }; rc == TT_OK && tt_doc_next(&list, &w);) {
		struct tt_node_at e = tt_doc_element(&list, rd->b->nall_session);
		struct tt_baseline_session *of = &rd->b->session[rd->b->nall_session++];

		*of = (struct tt_baseline_session){ .at = w.at, .end = w.end };
		rc = read_session(rd, &e, of, err);
	}
	if (rc == TT_OK)
		choose_compared(rd->b);
	return rc;
}

int
tt_baseline_parse(const char *text, size_t n, const char *path, const struct tt_budget *budget,
    struct tt_baseline *b, struct tt_arena *a, struct tt_err *err)
{
	struct reader rd = { .b = b, .budget = budget, .a = a };
	struct tt_node_at root;
	struct tt_doc doc;
	int rc;

	*b = (struct tt_baseline){ 0 };
	b->path = tt_arena_text(a, path, strlen(path), err);
	if (!b->path)
		return err->code;
	rc = tt_doc_parse(&doc, text, n, b->path, a, err);
	if (rc != TT_OK)
		return rc;
	root = tt_doc_root(&doc);
	rc = read_baseline(&rd, &root, err);
	tt_map_free(&rd.at, a->mem);
	tt_doc_free(&doc);
	return rc;
}

/* --- writing --------------------------------------------------------------------------- */

/* The captures that are being written. */
struct writer {
	const struct tt_baseline *old;        /* the baseline that they are added to; NULL: none */
	const struct tt_sample *s;            /* the new captures */
	size_t n;
	const struct tt_budget *budget;
	const char *accept;           /* for the first new session; NULL */
	struct tt_json j;
	char number[24];              /* the session of new captures that name none */
};

static void
put_capture(struct writer *w, const struct tt_sample *s)
{
	struct tt_sample one = *s;

	w->j.gap = "\n";
	one.session = "";             /* stored once, by the session */
	tt_sample_put(&w->j, NULL, &one, w->budget->measure, w->budget->nmeasure);
}

/* The session of a new capture: its fact of that name; captures without one have a session in common. */
static const char *
session_of(const struct writer *w, const struct tt_sample *s)
{
	const char *fact = tt_sample_fact(s, "session");

	return fact ? fact : w->number;
}

/* Write the session ${name}: the ${n} captures at ${old}, then its new ones. ${accepted}: why it was accepted, or NULL. */
static void
put_session(struct writer *w, const char *name, const char *accepted, const struct tt_sample *old, size_t n)
{
	w->j.gap = "\n";
	tt_json_open(&w->j, NULL, "{");
	tt_json_text(&w->j, "session", name);
	if (accepted)
		tt_json_text(&w->j, "accepted", accepted);
	tt_json_open(&w->j, "captures", "[");
	for (size_t i = 0; i < n; i++)
		put_capture(w, &old[i]);
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(session_of(w, &w->s[i]), name) == 0)
			put_capture(w, &w->s[i]);
	tt_json_close(&w->j, "]}");
}

/* True if a session of that name is in the old baseline or among the first ${n} new captures. */
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

/* Choose the name of the session of captures that name none: "#3" for the third, or the next that is free. */
static void
set_number(struct writer *w)
{
	size_t k = w->old ? w->old->nall_session + 1 : 1;

	char number[sizeof w->number] = "#";

	/* w->number is set last: until then captures without a fact are in a session without a name. */
	do
		*tt_put_u64(number + 1, k++) = '\0';
	while (is_there(w, number, w->n));
	memcpy(w->number, number, sizeof number);
}

static void
put_sessions(struct writer *w)
{
	const struct tt_baseline *old = w->old;

	for (size_t i = 0; old && i < old->nall_session; i++) {
		const struct tt_baseline_session *s = &old->session[i];

		put_session(w, s->name, s->accepted, &old->all[s->first], s->n);
	}
	for (size_t i = 0; i < w->n; i++)
		if (!is_there(w, session_of(w, &w->s[i]), i)) {
			put_session(w, session_of(w, &w->s[i]), w->accept, NULL, 0);
			w->accept = NULL;     /* only the first new session is marked: comparison begins there */
		}
}

int
tt_baseline_write(const struct tt_baseline *old, const struct tt_sample *s, size_t n,
    const struct tt_budget *budget, const char *settings, const char *accept, struct tt_buf *out, struct tt_err *err)
{
	struct writer w = { .old = old, .s = s, .n = n, .budget = budget, .accept = accept, .j = { .out = out } };

	set_number(&w);
	tt_json_open(&w.j, NULL, "{");
	tt_json_u64(&w.j, "tracetool_baseline", 1);
	tt_json_text(&w.j, "settings", settings);
	tt_json_open(&w.j, "sessions", "[");
	put_sessions(&w);
	tt_json_close(&w.j, "]}\n");
	if (w.accept)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has these captures' session already: only a new session can be accepted", old->path);
	return tt_buf_error(out, err);
}

/* --- leaving out and accepting ------------------------------------------------------------ */

/* Copy the session at ${p}, a JSON object of ${n} bytes, and put first why it was accepted. */
static void
put_accepted(struct tt_buf *out, const char *p, size_t n, const char *why)
{
	tt_buf_text(out, "{\"accepted\":\"");
	tt_buf_json(out, why, strlen(why));
	tt_buf_text(out, "\",");
	tt_buf_add(out, p + 1, n - 1);
}

int
tt_baseline_keep(const struct tt_baseline *b, const char *text, size_t n, const bool *keep, size_t accept, const char *why,
    struct tt_buf *out, struct tt_err *err)
{
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
	tt_buf_add(out, text + last->end, n - last->end);
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

/* True if a capture of the baseline to which the row applies has this value of ${key}; else *${other} is one with another value. */
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

/**
 * Baselines; the contract is in baseline.h.
 *
 * { "tracetool_baseline": 1, "settings": "skip 120 frames",
 *   "sessions": [ { "session": "1", "captures": [ SAMPLE, SAMPLE ] } ] }
 */
#include "gate/baseline.h"

#include <string.h>

#include "base/buf.h"
#include "gate/doc.h"
#include "model/filter.h"

/* --- reading ------------------------------------------------------------------------ */

struct reader {
	struct tt_baseline *b;
	const struct tt_budget *budget;
	struct tt_arena *a;
};

static int
read_capture(struct reader *rd, const struct tt_node_at *v, const char *session, struct tt_err *err)
{
	struct tt_sample *s = &rd->b->sample[rd->b->nsample];
	unsigned line, column;
	int rc = tt_sample_parse(v->json, rd->budget->measure, rd->budget->nmeasure, s, rd->a, err);

	/* Only now: looking for a place goes through all of the text before it. */
	if (rc == TT_E_USAGE) {
		tt_doc_place(v, false, &line, &column);
		rc = tt_err_in(err, "%s:%u:%u", rd->b->path, line, column);
	}
	s->session = session;
	rd->b->nsample += rc == TT_OK;
	return rc;
}

static int
read_session(struct reader *rd, const struct tt_node_at *v, struct tt_err *err)
{
	struct tt_node_at id = tt_doc_member(v, "session"), list = tt_doc_member(v, "captures");
	const char *session = NULL;
	size_t n;
	int rc = tt_doc_text(&id, &session, err);

	if (rc == TT_OK)
		rc = tt_doc_array(&list, &n, err);
	if (rc != TT_OK)
		return rc;
	if (!session || n == 0)
		return tt_doc_fail(v, false, err, "a session needs its \"session\" and \"captures\"");
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		struct tt_node_at e = tt_doc_element(&list, i);

		rc = read_capture(rd, &e, session, err);
	}
	rd->b->nsession++;
	return rc;
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
		return tt_doc_fail(root, false, err, "no session in this baseline: save it again with --save");
	rd->b->sample = tt_arena_alloc(rd->a, (count_captures(list.json) + 1) * sizeof *rd->b->sample, err);
	if (!rd->b->sample)
		return err->code;
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		struct tt_node_at e = tt_doc_element(&list, i);

		rc = read_session(rd, &e, err);
	}
	return rc;
}

int
tt_baseline_parse(const char *text, size_t n, const char *path, const struct tt_budget *budget,
    struct tt_baseline *b, struct tt_arena *a, struct tt_err *err)
{
	struct reader rd = { b, budget, a };
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
	tt_doc_free(&doc);
	return rc;
}

/* --- writing --------------------------------------------------------------------------- */

/* The samples of one session, and where it is not the first, a comma before. */
static int
put_session(const struct tt_sample *s, size_t n, const char *name, bool first, const struct tt_budget *budget,
    struct tt_buf *out, struct tt_err *err)
{
	int rc = tt_buf_text(out, first ? "\n{\"session\":" : ",\n{\"session\":", err);

	if (rc == TT_OK)
		rc = tt_doc_put_text(out, name, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, ",\"captures\":[", err);
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		struct tt_sample one = s[i];

		one.session = "";             /* told once, above */
		rc = tt_buf_text(out, i ? ",\n" : "\n", err);
		if (rc == TT_OK)
			rc = tt_sample_json(&one, budget->measure, budget->nmeasure, out, err);
	}
	return rc == TT_OK ? tt_buf_text(out, "]}", err) : rc;
}

/* The captures' own fact "session" if all agree and it is new, else the number of the session. */
static const char *
session_name(const struct tt_baseline *old, const struct tt_sample *s, size_t n, char text[24])
{
	const char *name = n ? tt_sample_fact(&s[0], "session") : NULL;

	for (size_t i = 1; i < n && name; i++) {
		const char *other = tt_sample_fact(&s[i], "session");

		if (!other || strcmp(other, name) != 0)
			name = NULL;
	}
	for (size_t i = 0; old && i < old->nsample && name; i++)
		if (strcmp(old->sample[i].session, name) == 0)
			name = NULL;
	if (name)
		return name;
	*tt_put_u64(text, old ? old->nsession + 1 : 1) = '\0';
	return text;
}

int
tt_baseline_write(const struct tt_baseline *old, const struct tt_sample *s, size_t n,
    const struct tt_budget *budget, const char *settings, struct tt_buf *out, struct tt_err *err)
{
	int rc = tt_buf_text(out, "{\"tracetool_baseline\":1,\"settings\":", err);
	bool first = true;
	char number[24];

	if (rc == TT_OK)
		rc = tt_doc_put_text(out, settings, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, ",\"sessions\":[", err);
	for (size_t i = 0, end; old && i < old->nsample && rc == TT_OK; i = end) {
		const char *session = old->sample[i].session;

		/* One text for all samples of a session: tt_baseline_parse() */
		for (end = i; end < old->nsample && old->sample[end].session == session; end++)
			;
		rc = put_session(&old->sample[i], end - i, session, first, budget, out, err);
		first = false;
	}
	if (rc == TT_OK)
		rc = put_session(s, n, session_name(old, s, n, number), first, budget, out, err);
	return rc == TT_OK ? tt_buf_text(out, "]}\n", err) : rc;
}

/* --- is it the same environment? ---------------------------------------------------------- */

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
	return value ? value : "(not told)";
}

/* Does a capture of the baseline that the row means have this value of ${key}? Else *${other} is what one has. */
static bool
is_known(const struct tt_baseline *b, const struct tt_budget_row *r, const char *key, const char *value,
    const char **other)
{
	bool any = false;

	for (size_t i = 0; i < b->nsample; i++) {
		const char *have = tt_sample_fact(&b->sample[i], key);

		if (!tt_row_means(r, &b->sample[i]))
			continue;
		if (have == value || (have && value && strcmp(have, value) == 0))
			return true;
		*other = have;
		any = true;
	}
	return !any;
}

int
tt_baseline_check(const struct tt_baseline *b, const struct tt_sample *s, size_t n, const struct tt_budget *budget,
    const char *settings, struct tt_err *err)
{
	if (strcmp(b->settings, settings) != 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s was saved with other settings (\"%s\", now \"%s\"): save it "
		    "again, or use --force-baseline", b->path, b->settings, settings);
	for (size_t k = 0; k < budget->nrow; k++) {
		const struct tt_budget_row *r = &budget->row[k];

		if (!(r->relative || r->exact) || r->level == TT_LEVEL_OFF)
			continue;
		for (size_t i = 0; i < n; i++) {
			for (const char *const *key = budget->fingerprint; *key; key++) {
				const char *value = tt_sample_fact(&s[i], *key), *other = NULL;

				if (!tt_row_means(r, &s[i]) || is_known(b, r, *key, value, &other))
					continue;
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is of another environment: %s is %s there, and %s "
				    "in %s (row \"%s\"); save a baseline of its own, or use --force-baseline", b->path, *key,
				    shown(other), shown(value), s[i].name, r->id);
			}
		}
	}
	return TT_OK;
}

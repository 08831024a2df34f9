/**
 * Keeps what became of an archive: its members, kinds and complaints.
 */
#include "batch/record.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "batch/analyse.h"

void
tt_record_begin(struct tt_record *r, const char *format)
{
	memset(r, 0, sizeof *r);
	r->format = format;
}

void
tt_record_free(struct tt_record *r)
{
	for (size_t i = 0; i < r->ncomplaint; i++) {
		for (size_t k = 0; k < TT_RECORD_LINES; k++)
			free(r->complaint[i].line[k]);
	}
	r->ncomplaint = 0;
}

/* Add ${v} to *${sum}, which saturates at the largest number that a line can show: lines that are read back may claim anything. */
static void
add(uint64_t *sum, uint64_t v)
{
	*sum = v > INT64_MAX || *sum > INT64_MAX - v ? INT64_MAX : *sum + v;
}

static int
add_kind(struct tt_record *r, const char *kind, uint64_t n, struct tt_err *err)
{
	size_t i = 0;

	while (i < r->nkind && strcmp(r->kind[i].name, kind) < 0)
		i++;
	if (i == r->nkind || strcmp(r->kind[i].name, kind) != 0) {
		if (r->nkind == TT_RECORD_KINDS)
			return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "more kinds of members than there are");
		memmove(&r->kind[i + 1], &r->kind[i], (r->nkind - i) * sizeof r->kind[0]);
		r->nkind++;
		r->kind[i].name = kind;
		r->kind[i].n = 0;
	}
	add(&r->kind[i].n, n);
	return TT_OK;
}

int
tt_record_kind(struct tt_record *r, const char *kind, struct tt_err *err)
{
	return add_kind(r, kind, 1, err);
}

int
tt_record_complain(struct tt_record *r, const char *kind, uint64_t at, const char *line, struct tt_err *err)
{
	struct tt_complaints *c;
	size_t i = 0;

	while (i < r->ncomplaint && strcmp(r->complaint[i].name, kind) < 0)
		i++;
	if (i == r->ncomplaint || strcmp(r->complaint[i].name, kind) != 0) {
		if (r->ncomplaint == sizeof r->complaint / sizeof r->complaint[0])
			return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "more kinds of complaints than there are");
		memmove(&r->complaint[i + 1], &r->complaint[i], (r->ncomplaint - i) * sizeof r->complaint[0]);
		r->ncomplaint++;
		memset(&r->complaint[i], 0, sizeof r->complaint[i]);
		r->complaint[i].name = kind;
	}
	c = &r->complaint[i];
	if (c->n++ >= TT_RECORD_LINES)
		return TT_OK;
	c->at[c->n - 1] = at;
	c->line[c->n - 1] = strdup(line);
	return c->line[c->n - 1] ? TT_END : tt_fail_nomem(err);
}

int
tt_record_fail(struct tt_record *r, int status, const char *detail, struct tt_err *err)
{
	(void)err;
	r->failed = status;
	snprintf(r->detail, sizeof r->detail, "%s", detail);
	return TT_OK;
}

/* --- parts ------------------------------------------------------------------- */

static uint64_t
number_of(const json_t *doc, const char *name)
{
	json_int_t v = json_integer_value(json_object_get(doc, name));

	return v > 0 ? (uint64_t)v : 0;
}

/* Put the line in its place by member: lines of one member stay in their order. */
static int
insert_line(struct tt_complaints *c, size_t have, uint64_t at, const char *text, struct tt_err *err)
{
	size_t i = have;
	char *copy;

	while (i > 0 && c->at[i - 1] > at)
		i--;
	if (i >= TT_RECORD_LINES)
		return TT_OK;
	copy = strdup(text);
	if (!copy)
		return tt_fail_nomem(err);
	if (have == TT_RECORD_LINES)
		free(c->line[--have]);
	memmove(&c->line[i + 1], &c->line[i], (have - i) * sizeof c->line[0]);
	memmove(&c->at[i + 1], &c->at[i], (have - i) * sizeof c->at[0]);
	c->line[i] = copy;
	c->at[i] = at;
	return TT_OK;
}

static int
join_complaints(struct tt_record *r, const char *name, const json_t *from, struct tt_err *err)
{
	const json_t *first = json_object_get(from, "first"), *pair;
	struct tt_complaints *c = NULL;
	size_t have, i;
	int rc;

	for (i = 0; i < r->ncomplaint && !c; i++) {
		if (strcmp(r->complaint[i].name, name) == 0)
			c = &r->complaint[i];
	}
	if (!c) {
		/* Make the kind at its place in the order by a complaint, which is then removed. */
		rc = tt_record_complain(r, name, 0, "", err);
		if (rc < 0)
			return rc;
		for (i = 0; strcmp(r->complaint[i].name, name) != 0; i++)
			;
		c = &r->complaint[i];
		free(c->line[0]);
		c->line[0] = NULL;
		c->n = 0;
	}
	have = c->n < TT_RECORD_LINES ? (size_t)c->n : TT_RECORD_LINES;
	json_array_foreach(first, i, pair) {
		const char *text = json_string_value(json_array_get(pair, 1));
		json_int_t at = json_integer_value(json_array_get(pair, 0));

		if (!text)
			return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "not an archive's record");
		rc = insert_line(c, have, at > 0 ? (uint64_t)at : 0, text, err);
		if (rc != TT_OK)
			return rc;
		have += have < TT_RECORD_LINES;
	}
	add(&c->n, number_of(from, "n"));
	if (c->n < have)
		c->n = have;
	return TT_OK;
}

int
tt_record_join(struct tt_record *r, const json_t *doc, struct tt_err *err)
{
	const char *detail = json_string_value(json_object_get(doc, "detail"));
	const char *why = json_string_value(json_object_get(doc, "why"));
	const char *outcome = json_string_value(json_object_get(doc, "outcome"));
	const char *format = json_string_value(json_object_get(doc, "format")), *name;
	json_t *object = (json_t *)(uintptr_t)doc, *value;
	int rc = TT_OK;

	if (!format)
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "not an archive's record");
	r->format = format;
	add(&r->members, number_of(doc, "members"));
	add(&r->captures, number_of(doc, "captures"));
	add(&r->spooled, number_of(doc, "spooled"));
	/* A result is "damaged" because of its complaints. */
	if (detail && why && outcome && strcmp(outcome, "failed") == 0)
		rc = tt_record_fail(r, strcmp(why, "damaged") == 0 ? TT_E_DAMAGED : strcmp(why, "limit") == 0 ? TT_E_LIMIT :
		    strcmp(why, "unsupported") == 0 ? TT_E_UNKNOWN : TT_E_IO, detail, err);
	json_object_foreach(json_object_get(object, "kinds"), name, value) {
		json_int_t n = json_integer_value(value);

		TT_THEN(rc, add_kind(r, name, n > 0 ? (uint64_t)n : 0, err));
	}
	json_object_foreach(json_object_get(object, "complaints"), name, value) {
		TT_THEN(rc, join_complaints(r, name, value, err));
	}
	return rc;
}

/* --- the body ------------------------------------------------------------------ */

bool
tt_record_costs(const char *kind)
{
	return strcmp(kind, "damaged") == 0 || strcmp(kind, "encrypted") == 0 || strcmp(kind, "limit") == 0 ||
	    strcmp(kind, "unsupported") == 0;
}

/* True if an archive with a complaint of this kind is damaged; so is one without its directory, though all members may have been read. */
static bool
damages(const char *kind)
{
	return tt_record_costs(kind) || strcmp(kind, "directory") == 0;
}

static int
put_outcome(const struct tt_record *r, struct tt_buf *b, struct tt_err *err)
{
	size_t n = strlen(r->detail);

	switch (r->failed) {
	case TT_OK:
		break;
	case TT_E_DAMAGED:
		return tt_one_failed(b, "damaged", "damaged", r->detail, n, err);
	case TT_E_UNKNOWN:
		return tt_one_failed(b, "failed", "unsupported", r->detail, n, err);
	case TT_E_LIMIT:
		return tt_one_failed(b, "failed", "limit", r->detail, n, err);
	case TT_E_NOMEM:
		return tt_one_failed(b, "failed", "memory", r->detail, n, err);
	default:
		return tt_one_failed(b, "failed", "io", r->detail, n, err);
	}
	for (size_t i = 0; i < r->ncomplaint; i++) {
		const struct tt_complaints *c = &r->complaint[i];
		const char *line = c->line[0] ? c->line[0] : "";

		if (damages(c->name))
			return tt_one_failed(b, "damaged", tt_record_costs(c->name) ? c->name : "damaged", line, strlen(line), err);
	}
	tt_buf_text(b, "\"outcome\":\"ok\"");
	return tt_buf_error(b, err);
}

static void
put_complaints(const struct tt_record *r, struct tt_json *j)
{
	tt_json_open(j, "complaints", "{");
	for (size_t i = 0; i < r->ncomplaint; i++) {
		const struct tt_complaints *c = &r->complaint[i];

		tt_json_open(j, c->name, "{");
		tt_json_u64(j, "n", c->n);
		tt_json_open(j, "first", "[");
		/* A line that was read back may claim more than it shows. */
		for (size_t k = 0; k < TT_RECORD_LINES && c->line[k]; k++) {
			tt_json_open(j, NULL, "[");
			tt_json_u64(j, NULL, c->at[k]);
			tt_json_text(j, NULL, c->line[k]);
			tt_json_close(j, "]");
		}
		tt_json_close(j, "]}");
	}
	tt_json_close(j, "}");
}

int
tt_record_put(const struct tt_record *r, struct tt_buf *b, struct tt_err *err)
{
	struct tt_json j = { .out = b, .comma = true };

	put_outcome(r, b, NULL);
	tt_json_text(&j, "format", r->format);
	tt_json_u64(&j, "members", r->members);
	tt_json_u64(&j, "captures", r->captures);
	tt_json_u64(&j, "spooled", r->spooled);
	if (r->listing)
		tt_buf_printf(b, ",\"listing\":\"%016llx\"", (unsigned long long)r->listing);
	tt_json_open(&j, "kinds", "{");
	for (size_t i = 0; i < r->nkind; i++)
		tt_json_u64(&j, r->kind[i].name, r->kind[i].n);
	tt_json_close(&j, "}");
	if (r->ncomplaint)
		put_complaints(r, &j);
	return tt_buf_error(b, err);
}

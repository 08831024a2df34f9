/**
 * Removes from a report what says where it was made.
 */
#include "out/redact.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "out/html.h"

#define REMOVED "(removed)"

const char *
tt_redact_path(const char *path)
{
	const char *last = path;

	for (const char *s = path; *s; s++)
		if ((*s == '/' || *s == '\\') && s[1])
			last = s + 1;
	return last;
}

/* True if ${s} begins with the start of a path: "/a", "./a", "../a", "~/a", "C:\a". */
static bool
begins_path(const char *s)
{
	static const char *const start[] = { "/", "./", "../", "~/", "\\\\" };
	bool letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z');

	for (size_t i = 0; i < sizeof start / sizeof *start; i++)
		if (strncmp(s, start[i], strlen(start[i])) == 0)
			return s[strlen(start[i])] && !strchr(" \t,;\"'", s[strlen(start[i])]);
	return letter && s[1] == ':' && (s[2] == '\\' || s[2] == '/');
}

/* Return ${s} with each path cut to its last part. */
static const char *
without_paths(struct tt_report *r, const char *s)
{
	struct tt_buf out = { 0 };
	const char *text;

	for (const char *at = s; *at;) {
		size_t n = strcspn(at, " \t,;\"'=()");
		const char *part = at;

		if (n && begins_path(at))
			for (size_t i = 0; i + 1 < n; i++)
				part = at[i] == '/' || at[i] == '\\' ? at + i + 1 : part;
		tt_buf_add(&out, part, n - (size_t)(part - at));
		at += n;
		tt_buf_add(&out, at, *at != '\0');
		at += *at != '\0';
	}
	if (out.failed)
		tt_buf_error(&out, &r->err);
	text = tt_text_of(r, out.p ? out.p : "", out.n);
	tt_buf_free(&out);
	return text;
}

static bool
says_where(const char *key)
{
	static const char *const word[] = { "host", "user", "machine", "computer", "device_name", "devicename", "unique", "serial", "path",
		"directory", "folder" };

	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		for (const char *s = key; *s; s++)
			if (strncasecmp(s, word[i], strlen(word[i])) == 0)
				return true;
	return false;
}

static void
clear(struct tt_table *t, const char *column)
{
	size_t c = tt_html_column(t, column);

	for (size_t row = 0; row < t->nrow && c != SIZE_MAX; row++)
		t->cell[row * t->ncol + c].empty = true;
}

static void
redact_table(struct tt_report *r, struct tt_table *t)
{
	size_t key = tt_html_column(t, "key"), value = tt_html_column(t, "value"), path = tt_html_column(t, "path");

	clear(t, "args");
	clear(t, "pid");
	for (size_t row = 0; row < t->nrow; row++) {
		struct tt_cell *c = &t->cell[row * t->ncol];

		for (size_t i = 0; i < t->ncol; i++)
			if (tt_unit_is_text(t->col[i].unit) && !c[i].empty)
				c[i].s = i == path ? tt_redact_path(c[i].s) : without_paths(r, c[i].s);
		if (key != SIZE_MAX && value != SIZE_MAX && !c[key].empty && says_where(c[key].s))
			c[value].s = REMOVED;
	}
}

void
tt_redact_report(struct tt_report *r)
{
	static const char *const about[] = { "capture", "capture_meta", "facts", "loss" };

	for (struct tt_table *t = r->first; t; t = t->next)
		for (size_t i = 0; i < sizeof about / sizeof *about; i++)
			if (strcmp(t->id, about[i]) == 0)
				redact_table(r, t);
	for (struct tt_note *n = r->note; n; n = n->next)
		n->text = without_paths(r, n->text);
}

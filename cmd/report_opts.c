/**
 * Writes a report in the form and to the place that options ask for.
 */
#include "report_opts.h"

#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "emit/emit.h"
#include "io/sink.h"
#include "sys/sys.h"
#include "version.h"

/* By enum tt_render. */
static const struct { const char *name, *suffix; } form[] = {
	[TT_RENDER_TEXT] = { "text", ".txt" },
	[TT_RENDER_JSON] = { "json", ".json" },
	[TT_RENDER_CSV] = { "csv", ".csv" },
	[TT_RENDER_MARKDOWN] = { "markdown", ".md" },
	[TT_RENDER_HTML] = { "html", ".html" },
};
#define NFORM (sizeof form / sizeof form[0])

static const char *
form_value(size_t i)
{
	return i < NFORM ? form[i].name : NULL;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

enum { MIN_WIDTH = 50 };            /* in narrower text, a name and a time do not fit side by side */

static int
set_width(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct report_opts *r = field;
	uint64_t n = 0;
	int rc = tt_opt_count(o, &n, value, a, err);

	if (rc == TT_OK && n > 0 && n < MIN_WIDTH)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "at least %d columns, or 0 for any", MIN_WIDTH);
	r->width = (int)n;
	return rc;
}

const struct tt_opt report_opt[] = {
	{ .name = "format", .arg = "FORM", .set = tt_opt_choice,
	    .at = offsetof(struct report_opts, form), .value = form_value,
	    .help = "print text, json, csv, markdown or html; default: by the suffix of the output file, otherwise text" },
	{ .letter = 'o', .name = "output", .is_once_only = true, .arg = "FILE",
	    .set = tt_opt_text, .at = offsetof(struct report_opts, output),
	    .help = "write to FILE; a suffix .gz .xz .zst .bz2 .lz4 compresses it" },
	{ .name = "csv-safe", .set = tt_opt_flag, .at = offsetof(struct report_opts, csv_safe),
	    .help = "csv: put a ' before text that a spreadsheet would run as a formula" },
	{ .name = "time-unit", .arg = "UNIT", .set = tt_opt_choice, .at = offsetof(struct report_opts, time_unit), .value = tt_csv_time_unit,
	    .help = "csv: write times in ns (the default), us, ms or s, and name their columns so" },
	{ .name = "width", .arg = "N", .set = set_width, .hi = 10000,
	    .help = "limit lines of text to N columns, 0: no limit; default on a terminal: COLUMNS, otherwise its width" },
	{ .name = "no-pager", .set = tt_opt_flag, .at = offsetof(struct report_opts, no_pager),
	    .help = "do not use a pager for a report longer than the screen" },
	{ .name = NULL },
};

void
report_pager(struct app *app, const struct report_opts *o)
{
	if (!o->no_pager && report_form(o) == TT_RENDER_TEXT && (!o->output || strcmp(o->output, "-") == 0))
		pager_start(&app->pager);
}

void
report_defaults(struct report_opts *o)
{
	*o = (struct report_opts){ .form = -1, .width = -1 };
}

enum tt_render
report_form(const struct report_opts *o)
{
	enum tt_render by_suffix = TT_RENDER_TEXT;

	if (o->form >= 0)
		return (enum tt_render)o->form;
	if (o->output)
		(void)report_suffix(o->output, &by_suffix);
	return by_suffix;
}

/* Return the whole suffix of ${path}, of *${n} bytes: that of a format of convert, else all from the last dot on. */
static const char *
whole_suffix(const char *path, size_t *n)
{
	const struct tt_emit *emit = tt_emit_for_path(path);

	return emit ? tt_emit_suffix(emit, path, n) : tt_path_suffix(path, n);
}

bool
report_suffix(const char *path, enum tt_render *by_suffix)
{
	size_t n;
	const char *suffix = whole_suffix(path, &n);

	*by_suffix = TT_RENDER_TEXT;
	for (size_t i = 0; suffix && i < NFORM; i++) {
		if (strlen(form[i].suffix) == n && memcmp(suffix, form[i].suffix, n) == 0) {
			*by_suffix = (enum tt_render)i;
			return true;
		}
	}
	return suffix == NULL;
}

int
report_check(const struct report_opts *o, struct tt_err *err)
{
	enum tt_render by_suffix;
	size_t n;

	if (o->form >= 0 || !o->output || report_suffix(o->output, &by_suffix))
		return TT_OK;
	const char *suffix = whole_suffix(o->output, &n);
	if (tt_emit_for_path(o->output))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: reports are .txt, .json, .csv, .md and .html; \"tracetool convert\" writes %.*s", o->output,
		    (int)n, suffix);
	/* "night.2026-11-29" has no suffix, and a .log is text. */
	if (strspn(suffix + 1, LETTERS "0123456789") + 1 < n || !memchr(LETTERS, suffix[1], sizeof LETTERS - 1) || (n == 4 && memcmp(suffix, ".log", 4) == 0))
		return TT_OK;
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: no report has the suffix %.*s: use .txt, .json, .csv, .md or .html, or name the form with --format",
	    o->output, (int)n, suffix);
}

/* Return the output of the report. */
static const char *
target(const struct report_opts *o)
{
	return o->output ? o->output : "-";
}

unsigned
report_width(const struct report_opts *o)
{
	bool screen = strcmp(target(o), "-") == 0;
	const char *columns = getenv("COLUMNS");
	char *end;
	long n;

	if (o->width >= 0)
		return (unsigned)o->width;
	if (!screen)
		return 0;
	n = columns ? strtol(columns, &end, 10) : 0;
	unsigned width = n > 0 && n <= 10000 && *end == '\0' ? (unsigned)n : ui_width(1);

	return width > 0 && width < MIN_WIDTH ? MIN_WIDTH : width;
}

struct tt_render_opts
report_render_opts(struct app *app, const struct report_opts *o)
{
	bool screen = strcmp(target(o), "-") == 0;

	return (struct tt_render_opts){
		.form = report_form(o),
		.color = ui_color(&app->ui, screen ? 1 : -1),
		.width = report_width(o),
		.csv_sep = ',',
		.csv_safe = o->csv_safe,
		.csv_time_digits = 3 * (unsigned)o->time_unit,
		.generator = TT_GENERATOR,
		.all = o->all,
	};
}

int
report_render(struct app *app, const struct report_opts *o, const struct tt_report *r, struct tt_buf *text,
    struct tt_err *err)
{
	const struct tt_render_opts ro = report_render_opts(app, o);

	return tt_render(r, &ro, text, err);
}

static int
write_on(void *sink, const char *p, size_t n, struct tt_err *err)
{
	return tt_sink_write(sink, p, n, err);
}

/* Write the report while it is rendered: a name of 80 kB in thousands of rows would take hundreds of megabytes. */
static int
write_stream(struct app *app, const struct report_opts *o, const struct tt_report *r, struct tt_err *err)
{
	struct tt_render_opts ro = report_render_opts(app, o);
	struct tt_sink *sink = NULL;
	struct tt_buf text = { 0 };
	int rc = tt_sink_open(&app->env, target(o), &sink, err);

	ro.write = write_on;
	ro.arg = sink;
	TT_THEN(rc, tt_render(r, &ro, &text, err));
	TT_THEN(rc, tt_sink_write(sink, text.p, text.n, err));
	if (rc == TT_OK)
		rc = tt_sink_commit(sink, err);
	else
		tt_sink_abort(sink);
	tt_buf_free(&text);
	return rc;
}

/* Print on standard error what CSV has no place for: that filters leave nothing, or why no table has rows. */
static void
say_nothing(struct app *app, const struct report_opts *o, const struct tt_report *r)
{
	static const char *const id[] = { "filter", "no_thread", "no_marker", "no_category" };
	bool any = false;

	if (report_form(o) != TT_RENDER_CSV)
		return;
	for (const struct tt_note *n = r->note; n; n = n->next)
		for (size_t i = 0; i < sizeof id / sizeof *id; i++)
			if (strcmp(n->id, id[i]) == 0)
				tt_log(&app->env, TT_LOG_NORMAL, "%s", n->text);
	for (const struct tt_table *t = r->first; t; t = t->next)
		any = any || t->stream || t->nrow > 0;
	for (const struct tt_table *t = r->first; t && !any; t = t->next)
		if (t->empty_reason)
			tt_log(&app->env, TT_LOG_NORMAL, "%s: %s", t->id, t->empty_reason);
}

int
report_write(struct app *app, const struct report_opts *o, const struct tt_report *r, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	int rc;

	/* A pager needs the length of the text. */
	if (strcmp(target(o), "-") != 0 || !app->pager.text)
		rc = write_stream(app, o, r, err);
	else if ((rc = report_render(app, o, r, &text, err)) == TT_OK)
		rc = app_show(app, &text, err);
	tt_buf_free(&text);
	if (rc == TT_OK)
		say_nothing(app, o, r);
	return rc;
}

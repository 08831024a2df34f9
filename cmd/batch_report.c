/**
 * Adds up the results of a batch and writes its report: text, JSON, CSV, Markdown or a page.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena_text.h"
#include "verb_batch.h"
#include "batch/aggregate.h"
#include "batch/database.h"
#include "batch/dirs.h"
#include "batch_opts.h"
#include "cmd.h"
#include "io/sink.h"
#include "page/batch_page.h"
#include "base/parse_value.h"
#include "report_opts.h"
#include "verdict/verdict_as.h"
#include "verdict_out.h"
#include "version.h"

/* Rows of the table of failures on the screen; files have more. */
#define FAILURES_TEXT 20
#define MAX_PAGE_BYTES ((size_t)2 << 20)

static const char *
form_value(size_t i)
{
	static const char *const v[] = { "text", "json", "csv", "markdown", "html", NULL };   /* enum tt_render */

	return v[i];
}

static int
set_report(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	enum tt_render form;

	if (!report_suffix(value, &form))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" ends in none of .txt, .json, .csv, .md, .html", value);
	return tt_opt_add(o, field, value, a, err);
}

#define AT(f) offsetof(struct summary_opts, f)

const struct tt_opt summary_opt[] = {
	{ .name = "format", .arg = "FORM", .set = tt_opt_choice, .at = AT(form), .value = form_value,
	    .help = "print the figures as text, json, csv, markdown or html" },
	{ .name = "report", .arg = "FILE", .set = set_report, .at = AT(report),
	    .help = "also write the figures to FILE; its suffix selects the form; repeatable" },
	{ .name = "to-db", .is_once_only = true, .arg = "FILE", .set = tt_opt_text, .at = AT(to_db),
	    .help = "also write all results to the database FILE, with markers and allocation sites of each capture (see tracetool query)" },
	{ .name = "csv-safe", .set = tt_opt_flag, .at = AT(csv_safe),
	    .help = "csv: put a ' before text that a spreadsheet would run as a formula" },
	{ .name = "group-by", .arg = "KEY[,KEY]", .set = tt_opt_commas, .at = AT(group),
	    .help = "also print figures for each group of captures that share these facts, like build,device" },
	{ .name = NULL },
};

/* Set --max-failures: "5" or "2%". */
int
summary_failures(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct summary_opts *s = field;

	(void)o, (void)a;
	if (strchr(value, '%'))
		return tt_parse_percent(value, &s->failures_e4, err);
	return tt_parse_count(value, 0, UINT64_MAX - 1, &s->failures, err);
}

/* True if any report is CSV. */
static bool
has_csv(const struct summary_opts *o)
{
	bool csv = o->form == TT_RENDER_CSV;

	for (size_t i = 0; i < o->report.n && !csv; i++) {
		const struct report_opts file = { .form = -1, .output = o->report.v[i] };

		csv = report_form(&file) == TT_RENDER_CSV;
	}
	return csv;
}

static int
make_page(struct app *app, const struct summary_opts *o, const char *output, const struct tt_report *r, struct tt_buf *text, struct tt_err *err)
{
	struct tt_batch_pages from = { 0 };
	struct tt_batch_page page = { .generator = TT_GENERATOR, .arg = &from, .max_size = MAX_PAGE_BYTES };
	int rc = TT_OK;

	/* A page without a file of its own cannot link to other pages. */
	if (output && strcmp(output, "-") != 0) {
		page.folder = tt_batch_pages_folder;
		rc = tt_batch_pages_from(&app->arena, &o->dir, output, &from, err);
	}
	return rc == TT_OK ? tt_batch_page_write(r, &page, text, err) : rc;
}

/* Render the figures: as the page of a batch, or in another form. */
static int
form_text(struct app *app, const struct summary_opts *o, const struct report_opts *ro, struct tt_report *r, struct tt_buf *text, struct tt_err *err)
{
	const enum tt_render form = report_form(ro);
	struct tt_table *before = NULL, *captures = NULL;
	int rc;

	if (form == TT_RENDER_HTML)
		return make_page(app, o, ro->output, r, text, err);
	/* Leave out the table with a line for each capture in text and Markdown. */
	for (struct tt_table *t = r->first; t && (form == TT_RENDER_TEXT || form == TT_RENDER_MARKDOWN); before = t, t = t->next)
		if (strcmp(t->id, "batch_captures") == 0) {
			captures = t;
			break;
		}
	if (captures && before)
		before->next = captures->next;
	rc = report_render(app, ro, r, text, err);
	if (captures && before)
		before->next = captures;
	return rc;
}

/* Print to standard output. Names of files must not look like messages of the CI system that may read it (${to}). */
static int
print(struct app *app, const struct summary_opts *o, const struct tt_verdict_outputs *to, struct tt_report *r, struct tt_err *err)
{
	struct report_opts ro = { .form = o->form, .width = -1, .csv_safe = o->csv_safe, .all = "--format json" };
	struct tt_buf text = { 0 };
	int rc;

	for (struct tt_table *t = r->first; t && o->form == TT_RENDER_TEXT; t = t->next)
		tt_table_limit(t, strcmp(t->id, "batch_failures") == 0 ? FAILURES_TEXT : 0);
	rc = form_text(app, o, &ro, r, &text, err);
	if (rc == TT_OK && tt_verdict_out_messages(to))
		rc = tt_verdict_defuse(tt_verdict_out_messages(to), ui_color(&app->ui, STDOUT_FILENO), &text, err);
	TT_THEN(rc, app_show(app, &text, err));
	tt_buf_free(&text);
	return rc;
}

/*
 * Write the files of --report. ${results}, already written, or NULL, is put in place together with them: no file replaces an old one before all are complete.
 */
static int
write_files(struct app *app, const struct summary_opts *o, struct tt_report *r, struct tt_sink *results, struct tt_err *err)
{
	struct tt_sink **sink = tt_arena_alloc(&app->arena, (o->report.n + 1) * sizeof *sink, err);
	size_t n = 0;
	int rc = !sink ? err->code : results ? tt_sink_flush_and_shrink(results, err) : TT_OK;

	for (size_t i = 0; i < o->report.n && rc == TT_OK; i++) {
		const struct report_opts file = { .form = -1, .output = o->report.v[i], .width = -1, .csv_safe = o->csv_safe };
		struct tt_buf text = { 0 };

		rc = form_text(app, o, &file, r, &text, err);
		TT_THEN(rc, tt_buf_error(&text, err));
		if (rc == TT_OK && (rc = tt_sink_open(&app->env, file.output, &sink[n], err)) == TT_OK)
			n++;
		TT_THEN(rc, tt_sink_write(sink[n - 1], text.p, text.n, err));
		TT_THEN(rc, tt_sink_flush_and_shrink(sink[n - 1], err));
		tt_buf_free(&text);
	}
	if (results && sink)
		sink[n++] = results;
	else
		tt_sink_abort(results);
	return tt_sink_commit_all(sink, n, rc, err);
}

/* Set the verdict to ${found}, with the reason ${text}. */
static int
end_with(struct app *app, const struct summary_opts *o, enum tt_verdict_found found, const char *text, struct tt_err *err)
{
	if (!text)
		return err->code;
	app->verdict = tt_verdict_exit(found);
	o->notes->why = text;
	return TT_OK;
}

int
summary_tell(struct app *app, const struct summary_opts *o, const char *id, const char *text, struct tt_err *err)
{
	if (!text)
		return err->code;
	ui_say(&app->ui, "%s", text);
	o->notes->v[o->notes->n++] = (struct summary_note){ id, text };
	return TT_OK;
}

int
summary_lost(struct app *app, const struct summary_opts *o, uint64_t lost, struct tt_err *err)
{
	const char *text = tt_arena_printf(&app->arena, err, "results of %llu capture%s that archives count are lost", (unsigned long long)lost,
	    lost == 1 ? "" : "s");

	if (!text)
		return err->code;
	o->notes->v[o->notes->n++] = (struct summary_note){ "results_lost", text };      /* the lines of the archives were already printed */
	return end_with(app, o, TT_FOUND_DAMAGE, text, err);
}

/* Keep the notes of ${r} that a verdict on the same captures must repeat. */
static int
keep_alerts(struct app *app, const struct tt_report *r, struct summary_notes *to, struct tt_err *err)
{
	static const char *const ids[] = { "missing_shards", "files_missing", "rotation", "results_differ", "results_lost", "archives_partial" };

	for (const struct tt_note *n = r->note; n; n = n->next)
		for (size_t i = 0; i < sizeof ids / sizeof *ids && to->nalert < SUMMARY_ALERTS; i++) {
			if (strcmp(n->id, ids[i]) != 0)
				continue;
			to->alert[to->nalert] = tt_arena_text(&app->arena, n->text, strlen(n->text), err);
			if (!to->alert[to->nalert++])
				return err->code;
		}
	return TT_OK;
}

int
summary_write(struct app *app, const struct summary_opts *o, const struct tt_verdict_outputs *to, const struct tt_aggregate *a, struct tt_sink *results,
    struct tt_err *err)
{
	struct tt_report r;
	int rc;

	tt_report_init(&r, &app->env.mem);
	tt_aggregate_report(a, &r);
	if (has_csv(o)) {             /* CSV has no place for notes; the missing shards were reported before */
		for (const struct tt_note *n = r.note; n; n = n->next)
			ui_say(&app->ui, "%s", n->text);
	}
	if (o->missing)
		tt_report_note(&r, tt_severity_name[TT_LOSS], "missing_shards",
		    tt_text(&r, "the figures are partial, without %s", o->missing));
	for (size_t i = 0; i < o->notes->n; i++)
		tt_report_note(&r, tt_severity_name[TT_LOSS], o->notes->v[i].id, o->notes->v[i].text);
	rc = keep_alerts(app, &r, o->notes, err);
	if (rc == TT_OK)
		rc = write_files(app, o, &r, results, err);
	else
		tt_sink_abort(results);
	TT_THEN(rc, print(app, o, to, &r, err));
	tt_report_free(&r);
	return rc;
}

int
summary_writes(struct app *app, const struct summary_opts *o, struct tt_list *write, struct tt_err *err)
{
	int rc = TT_OK;

	if (o->to_db && tt_db_missing())
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --to-db: %s", tt_db_missing());
	for (size_t i = 0; i < o->report.n && rc == TT_OK; i++)
		rc = tt_list_add(write, o->report.v[i], &app->arena, err);
	return rc == TT_OK && o->to_db ? tt_list_add(write, o->to_db, &app->arena, err) : rc;
}

int
summary_database_begin(struct app *app, const struct summary_opts *o, struct tt_batch_db **db, struct tt_err *err)
{
	*db = NULL;
	return o->to_db ? tt_batch_db_new(&app->env, TT_GENERATOR, o->missing, db, err) : TT_OK;
}

int
summary_database(struct app *app, const struct summary_opts *o, struct tt_batch_db *db, struct tt_err *err)
{
	struct tt_sink *sink = NULL;
	struct tt_batch_db_left left = { 0 };
	int rc = db ? tt_sink_open(&app->env, o->to_db, &sink, err) : TT_OK;

	if (db && rc == TT_OK)
		rc = tt_batch_db_save(db, sink, &left, err);
	tt_batch_db_free(db);
	if (!sink)
		return rc;
	if (rc != TT_OK) {
		tt_sink_abort(sink);
		return rc;
	}
	if (left.keys)
		ui_say(&app->ui, "%s: the view captures lacks %llu of the facts, beyond 500; the table fact has all", o->to_db, (unsigned long long)left.keys);
	if (left.bare)
		ui_say(&app->ui, "%s: results of %llu capture%s have no markers and allocation sites: they were made without --to-db", o->to_db,
		    (unsigned long long)left.bare, left.bare == 1 ? "" : "s");
	return tt_sink_commit(sink, err);
}

/* Without --max-failures, any failure causes the exit status for damage. */
int
summary_judge(struct app *app, const struct summary_opts *o, const struct tt_aggregate *a, struct tt_err *err)
{
	const struct tt_aggregate_count n = tt_aggregate_counted(a);
	const uint64_t all = n.captures + n.archives + n.lost;
	const bool limited = o->failures != UINT64_MAX || o->failures_e4 >= 0;
	const char *failed = tt_arena_printf(&app->arena, err, "%llu of %llu captures and archives failed or are damaged", (unsigned long long)n.failures,
	    (unsigned long long)all), *text = failed;

	if (!failed)
		return err->code;
	if (n.missing) {
		text = tt_arena_printf(&app->arena, err, "%llu file%s of recordings that rotate %s missing between those that are there",
		    (unsigned long long)n.missing, n.missing == 1 ? "" : "s", n.missing == 1 ? "is" : "are");
		if (text)
			ui_say(&app->ui, "%s", text);
	}
	if (!limited)
		return n.failures + n.missing == 0 ? TT_OK : end_with(app, o, TT_FOUND_DAMAGE, n.failures ? failed : text, err);
	if (n.failures > o->failures || (o->failures_e4 >= 0 && (double)n.failures * 10000 > (double)all * (double)o->failures_e4)) {
		text = tt_arena_printf(&app->arena, err, "%s: more than --max-failures allows", failed);
	} else if (n.unended > 0 && o->failures_e4 < 10000) {
		text = tt_arena_printf(&app->arena, err, "%llu archive%s could not be read to the end: --max-failures cannot count the captures missing",
		    (unsigned long long)n.unended, n.unended == 1 ? "" : "s");
	} else {
		return TT_OK;
	}
	if (text)
		ui_say(&app->ui, "%s", text);
	return end_with(app, o, TT_FOUND_WORSE, text, err);
}

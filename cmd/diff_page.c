/**
 * The page and the picture of a comparison, with the commands that print more.
 */
#include "diff_page.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/shell.h"
#include "cmd.h"
#include "diff/diff_report.h"
#include "diff/sides.h"
#include "diff/verdict.h"
#include "page/compare_page.h"
#include "pass/pass.h"
#include "version.h"

#define MAX_PAGE_BYTES ((size_t)2 << 20)
#define PAGE_BRANCHES 20000

/* Append the arguments with which another command compares the same captures. */
static void
put_arguments(const struct diff_page *p, struct tt_buf *to)
{
	const struct tt_list a = { .v = p->files->v, .n = p->files->nfirst_side };
	const struct tt_list b = { .v = p->files->v + a.n, .n = p->files->n - a.n };
	static const char *const making[] = { "table", "limit", "pprof", "chrome", "csv-safe", "no-pager", NULL };

	tt_opts_quote_without(to, p->given, &a, making);
	tt_buf_text(to, " -- ");
	tt_opts_quote_given(to, &(struct tt_opt_given){ 0 }, &b, NULL);
}

int
diff_page(struct app *app, const struct diff_page *p, const struct tt_report *had, struct tt_buf *text, struct tt_err *err)
{
	static const char *const of_diff[] = { "table", "limit", "pprof", "chrome", "csv-safe", "no-pager", "rename", "max", "frames", NULL };
	const char *all[64] = { NULL };
	struct tt_buf name = { 0 }, all_rows = { 0 }, json = { 0 }, report = { 0 };
	struct tt_compare_opts co = { .generator = TT_GENERATOR, .max_size = MAX_PAGE_BYTES, .quote = tt_shell_quote };
	struct tt_report r;
	size_t cut = 0;
	int rc;

	/* All tables except paths, whose contents are also in the call tree. */
	for (size_t i = 0, n = 0; n < 63 && tt_diff_table_id(i); i++)
		if (strcmp(tt_diff_table_id(i), "paths") != 0)
			all[n++] = tt_diff_table_id(i);
	tt_report_init(&r, &app->env.mem);
	tt_diff_verdict_report(p->verdict, &r);
	tt_diff_report(p->d, &(struct tt_diff_report_opts){ .table = all, .branches = PAGE_BRANCHES }, &r);
	for (const struct tt_note *n = had->note; n; n = n->next)
		tt_report_note(&r, n->severity, n->id, n->text);
	if (!p->picture) {
		tt_loss_notes(&app->loss, &r);
		tt_diff_notes(p->d, p->rename, &r);
	}
	tt_diff_put_name(p->sides, &name);
	tt_buf_text(&all_rows, "tracetool diff --limit 0 ");
	put_arguments(p, &all_rows);
	tt_buf_text(&all_rows, " --table ");
	tt_buf_text(&json, "tracetool diff --format json ");
	put_arguments(p, &json);
	tt_buf_text(&report, "tracetool report ");
	tt_opts_quote_without(&report, p->given, &(struct tt_list){ 0 }, of_diff);
	tt_buf_text(&report, "-o frame.html --frames ");
	co.name = tt_buf_move_to_arena(&name, &app->arena, err);
	co.rows = tt_buf_move_to_arena(&all_rows, &app->arena, err);
	co.json = tt_buf_move_to_arena(&json, &app->arena, err);
	co.report = tt_buf_move_to_arena(&report, &app->arena, err);
	rc = co.name && co.rows && co.json && co.report ? tt_report_error(had, err) : err->code;
	TT_THEN(rc, p->picture ? tt_compare_picture(&r, co.name, text, err) : tt_compare_page(&r, &co, &cut, text, err));
	if (rc == TT_OK && cut)
		tt_log(&app->env, TT_LOG_NORMAL, "%s: tables have at most %zu rows; the page names the commands that print all",
		    p->output ? p->output : "the page", cut);
	tt_report_free(&r);
	return rc;
}

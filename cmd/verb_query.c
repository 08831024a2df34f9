/**
 * tracetool query: runs SQL over databases that convert and batch write.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "io/outputs.h"
#include "out/table.h"
#include "query_examples.h"
#include "report_opts.h"
#include "sql/query_rows.h"
#include "sys/sys.h"

struct query_opts {
	struct tt_list word;
	struct report_opts out;
	struct tt_opt_given given;
	bool examples;
	uint64_t example;
	struct ui_opts ui;
};

#define AT(f) offsetof(struct query_opts, f)

static const struct tt_opt query_opt[] = {
	{ .name = "examples", .set = tt_opt_flag, .at = AT(examples), .help = "print questions that people ask, as SQL, and read no database" },
	{ .name = "example", .arg = "N", .set = tt_opt_count, .at = AT(example), .lo = 1, .hi = UINT32_MAX,
	    .help = "run the Nth of these questions" },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Questions", query_opt, 0 },
	REPORT_GROUP(struct query_opts, out),
	UI_GROUP(struct query_opts, ui),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_query = {
	.name = "query",
	.summary = "print what SQL says about a database of captures",
	.operands = "DATABASE [SQL]",
	.about = "Run one SELECT on a database that \"tracetool convert -o FILE.sqlite\" or \"tracetool batch --to-db FILE\" wrote, and print its rows. "
		 "The database is read, never changed. Columns whose names end with _ns and _bytes are times and sizes. "
		 "tracetool-sqlite(7) describes the tables; so does the table about of a capture's database.",
	.examples = "  tracetool query game.sqlite 'SELECT marker, max_ns FROM markers ORDER BY max_ns DESC LIMIT 10'\n"
		    "  tracetool query --examples\n"
		    "  tracetool query night.sqlite --example 3\n"
		    "  tracetool query night.sqlite 'SELECT key, device, frames_p95_ns FROM captures' --format csv\n",
	.group = groups,
	.operand_at = offsetof(struct query_opts, word),
	.given_at = offsetof(struct query_opts, given),
};

/* --- questions ---------------------------------------------------------------------- */

static const struct tt_col example_col[] = {
	{ "number", "no.", TT_UNIT_COUNT, "for --example" },
	{ "question", "question", TT_UNIT_PROSE, "what people ask" },
	{ "sql", "SQL", TT_UNIT_PROSE, "what answers it" },
};

static void
list_examples(struct tt_report *r)
{
	struct tt_table *t = tt_report_table(r, "examples", "Questions to databases of batches", example_col, TT_NCOL(example_col));

	for (size_t i = 0; i < query_nexamples; i++) {
		struct tt_cell *c = tt_row(t);

		tt_cell_int(&c[0], (int64_t)i + 1);
		tt_cell_text(&c[1], query_examples[i].question);
		tt_cell_text(&c[2], query_examples[i].sql);
	}
}

/* --- the verb ----------------------------------------------------------------------------- */

/* Find the statement to run: the operand, or that of an example. */
static int
statement(const struct query_opts *o, const char **sql, struct tt_err *err)
{
	if (o->example > query_nexamples)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --example: there are questions 1 to %zu; --examples prints them", query_nexamples);
	if (o->word.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "name a database and a SELECT; --examples prints some");
	if (o->word.n == 1 && !o->example)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: no question: give a SELECT in quotes, or --example N", o->word.v[0]);
	if (o->word.n > (o->example ? 1 : 2))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is one word too many: %s", o->word.v[o->example ? 1 : 2],
		    o->example ? "--example N has its own SELECT" : "put the SELECT in quotes");
	*sql = o->example ? query_examples[o->example - 1].sql : o->word.v[1];
	return TT_OK;
}

/* Add a note if the database lacks markers or sites: results of large captures hold only some, so sums over captures are too small. */
static int
note_left(struct tt_db *db, const struct query_example *e, struct tt_report *r, struct tt_err *err)
{
	struct tt_db_query *q = NULL;
	char sql[160];
	int rc;

	if (!e->left)
		return TT_OK;
	snprintf(sql, sizeof sql, "SELECT count(*), total(%s) FROM capture WHERE copy = 0 AND %s > 0", e->left, e->left);
	rc = tt_db_query(db, sql, &q, err);
	if (rc == TT_OK && (rc = tt_db_next(q, err)) == TT_OK && tt_db_int_at(q, 0) > 0)
		r->first->note = tt_text(r, "without %.0f %s, of %" PRId64 " capture%s: results have no room for them", tt_db_real_at(q, 1),
		    e->what, tt_db_int_at(q, 0), tt_db_int_at(q, 0) == 1 ? "" : "s");
	tt_db_query_free(q);
	return rc == TT_OK ? tt_report_error(r, err) : rc;
}

static int
run(struct app *app, const struct query_opts *o, struct tt_report *r, struct tt_err *err)
{
	/* If the database is a link, SQLite keeps its own files beside the link's target. */
	char *real = o->word.n ? tt_sys_real_path(o->word.v[0]) : NULL;
	const char *const in[] = { o->word.n ? o->word.v[0] : NULL, real ? tt_arena_text(&app->arena, real, strlen(real), err) : NULL, NULL };
	const char *const out[] = { o->out.output, NULL };
	struct tt_db *db = NULL;
	struct tt_db_query *q = NULL;
	const char *sql = NULL;
	int rc = statement(o, &sql, err);

	free(real);
	if (rc == TT_OK && out[0] && tt_output_is_same(out[0], in[0]))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is both an input and an output", out[0]);
	TT_THEN(rc, app_reads(app, in, err));
	TT_THEN(rc, app_confine(app, out, NULL, err));
	TT_THEN(rc, tt_db_open(&app->env, in[0], &db, err));
	TT_THEN(rc, tt_db_query(db, sql, &q, err));
	if (rc != TT_OK && (strncmp(err->msg, "no such table", 13) == 0 || strncmp(err->msg, "no such column", 14) == 0)) {
		const struct tt_err what = *err;
		if (o->example)
			tt_fail(err, rc, TT_NOWHERE, "%s: not a database of a batch, which the questions need; "
			    "\"tracetool batch --to-db\" makes one", in[0]);
		else
			tt_fail(err, rc, TT_NOWHERE, "%s; \"tracetool list schema\" has the tables and their columns", what.msg);
	}
	TT_THEN(rc, tt_db_report_rows(q, o->example ? query_examples[o->example - 1].none : "the query gives no rows", r, err));
	tt_db_query_free(q);
	if (o->example)
		TT_THEN(rc, note_left(db, &query_examples[o->example - 1], r, err));
	tt_db_free(db);
	return rc;
}

int
run_query(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct query_opts o = { .out.form = 0 };
	struct tt_report r;
	int rc;

	report_defaults(&o.out);
	o.out.all = "--width 0";
	rc = app_parse(app, &verb_query, &o, &o.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	if (o.examples && (o.word.n || o.example))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--examples reads no database: leave out %s", o.word.n ? o.word.v[0] : "--example");
	report_pager(app, &o.out);
	tt_report_init(&r, &app->env.mem);
	if (o.examples)
		list_examples(&r);
	else
		rc = run(app, &o, &r, err);
	TT_THEN(rc, report_write(app, &o.out, &r, err));
	tt_report_free(&r);
	return rc;
}

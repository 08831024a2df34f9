/**
 * tracetool list: lists readers, passes, emitters, and everything with a definition, by kind; and says what a word means.
 */
#include <stdlib.h>
#include <string.h>

#include "base/spelling.h"
#include "batch/database.h"
#include "cmd.h"
#include "definitions.h"
#include "emit/emit.h"
#include "emit/sqlite_schema.h"
#include "explain.h"
#include "model/format.h"
#include "model/names.h"
#include "pass/pass.h"
#include "report_opts.h"

struct list_opts {
	struct tt_list what;
	struct report_opts out;
	struct ui_opts ui;
};

enum { L_FORMATS, L_PASSES, L_EMITTERS, L_TABLES, L_METRICS, L_GATE, L_LOSSES, L_NOTES, L_TERMS, L_ZONES, L_NAMES, L_SCHEMA, L_SANDBOX, L_N };

static const char *
what_value(size_t i)
{
	static const char *const v[] = { "formats", "passes", "emitters", "tables", "metrics", "gate", "losses", "notes", "terms", "zones", "names",
		"schema", "sandbox", NULL };

	return i <= L_N ? v[i] : NULL;
}

/* List the words to complete: lists, then everything that has a definition. */
static const char *
operand_value(size_t i)
{
	return i < L_N ? what_value(i) : explain_word(i - L_N);
}

static const struct tt_opt_group groups[] = {
	REPORT_GROUP(struct list_opts, out),
	UI_GROUP(struct list_opts, ui),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_list = {
	.name = "list",
	.summary = "list formats, tables, metrics and more, or say what a word means",
	.operands = "[formats] [passes] [emitters] [tables] [metrics] [gate] [losses] [notes] [terms] [zones] [names] [schema] [sandbox] [WORD]...",
	.about = "List the formats that tracetool reads, its analysis passes, the formats that it writes (emitters), all tables "
		 "(tables), their columns (metrics), figures that budgets can limit (gate), kinds of loss (losses), remarks on reports "
		 "(notes), the manual's terms (terms), zones that tracetool makes itself (zones), names of markers and methods that mean "
		 "something to it (names), tables of databases beside those of stats (schema), and the means of this system to confine the "
		 "program while it reads (sandbox). Without an argument, list the first three.\n"
		 "Any other WORD gets its definition: a table or column of a report, by its id or as people see it, a metric of budgets, "
		 "a kind of loss, the id of a note, a term of the manual, or a zone that tracetool makes. A word that means several things, "
		 "such as a column of several tables, gets all its definitions; TABLE/COLUMN is one of them.",
	.examples = "  tracetool list metrics\n"
		    "  tracetool list self_ns\n"
		    "  tracetool list hitches/cpu_ns \"1 % low FPS\"\n"
		    "  tracetool list not_ended --format json\n",
	.group = groups,
	.operand_at = offsetof(struct list_opts, what),
	.operand = operand_value,
};

static const struct tt_col format_col[] = {
	{ "name", "format", TT_UNIT_TEXT, "for --input-format" },
	{ "suffix", "suffix", TT_UNIT_TEXT, "usual end of the file's name" },
	{ "summary", "what it is", TT_UNIT_PROSE, "in one line" },
};
static const struct tt_col name_col[] = {
	{ "name", "name", TT_UNIT_TEXT, "a pattern, as filters of markers take it" },
	{ "place", "where", TT_UNIT_TEXT, "where in the name of a marker or method it is found" },
	{ "means", "what it means", TT_UNIT_PROSE, "of the marker or method" },
};
static const struct tt_col pass_col[] = {
	{ "name", "pass", TT_UNIT_TEXT, "for stats --table" },
	{ "standard", "standard", TT_UNIT_BOOL, "part of tracetool stats without --table" },
	{ "tables", "tables", TT_UNIT_PROSE, "what it makes, for --table" },
	{ "summary", "what it is", TT_UNIT_PROSE, "in one line" },
};
static const struct tt_col emitter_col[] = {
	{ "name", "emitter", TT_UNIT_TEXT, "for convert --format" },
	{ "suffix", "suffixes", TT_UNIT_PROSE, "of output files that choose it" },
	{ "summary", "what it is", TT_UNIT_PROSE, "in one line" },
};
static const struct tt_col schema_col[] = {
	{ "database", "database", TT_UNIT_TEXT, "capture: convert writes it; batch: batch and merge do" },
	{ "table", "table", TT_UNIT_TEXT, "of a database" },
	{ "column", "column", TT_UNIT_TEXT, "empty in the row of the table itself" },
	{ "type", "type", TT_UNIT_TEXT, "in SQL; empty: a number or a text" },
	{ "help", "what it is", TT_UNIT_PROSE, "in one line" },
};
static const struct tt_col sandbox_col[] = {
	{ "part", "part", TT_UNIT_TEXT, "of the sandbox" },
	{ "here", "here", TT_UNIT_PROSE, "what this system offers" },
	{ "summary", "what it does", TT_UNIT_PROSE, "in one line" },
};

/* Add a row of texts to ${t}. */
static struct tt_cell *
row(struct tt_table *t, const char *const *s)
{
	struct tt_cell *c = tt_row(t);

	for (size_t i = 0; i < t->ncol; i++)
		tt_cell_name(&c[i], s[i]);
	return c;
}

/* Return the texts ${next}(${arg}, 0), (1), ... separated by blanks. */
static const char *
join(struct tt_report *r, const char *(*next)(const void *arg, size_t i), const void *arg)
{
	const char *s = "", *one;

	for (size_t i = 0; (one = next(arg, i)) != NULL; i++)
		s = tt_text(r, "%s%s%s", s, i > 0 ? " " : "", one);
	return s;
}

static const char *
suffix_at(const void *arg, size_t i)
{
	const struct tt_emit *e = arg;

	return e->suffix ? e->suffix[i] : NULL;
}

static const char *
pass_table_at(const void *arg, size_t i)
{
	const struct tt_pass *p = arg;

	return i < p->ntables ? p->tables[i].id : NULL;
}

static void
list_formats(struct tt_report *r)
{
	struct tt_table *t = tt_report_table(r, "formats", "Formats read", format_col, TT_NCOL(format_col));

	for (const struct tt_format *const *f = tt_formats; *f; f++)
		row(t, (const char *const[]){ (*f)->name, (*f)->suffix, (*f)->summary });
}

static void
list_passes(struct tt_report *r)
{
	struct tt_table *t = tt_report_table(r, "passes", "Passes", pass_col, TT_NCOL(pass_col));

	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		const char *tables = join(r, pass_table_at, *p);

		tt_cell_int(&row(t, (const char *const[]){ (*p)->name, NULL, tables, (*p)->summary })[1], (*p)->is_standard);
	}
}

static void
list_emitters(struct tt_report *r)
{
	struct tt_table *t = tt_report_table(r, "emitters", "Formats written", emitter_col, TT_NCOL(emitter_col));

	for (const struct tt_emit *const *e = tt_emits; *e; e++)
		row(t, (const char *const[]){ (*e)->name, join(r, suffix_at, *e),
		    tt_emit_missing(*e) ? tt_text(r, "not here: %s", tt_emit_missing(*e)) : (*e)->summary });
}

/* Collects the definitions of one kind. */
struct kind {
	enum definition_kind kind;
	struct tt_report *r;
};

static void
list_definition(void *arg, const struct definition *d)
{
	const struct kind *k = arg;

	if (d->kind == k->kind)
		definition_row(k->r, d, true);
}

static void
list_kind(struct tt_report *r, enum definition_kind kind)
{
	struct kind k = { kind, r };

	definitions_each(list_definition, &k);
}

static void list_tables(struct tt_report *r) { list_kind(r, DEF_TABLE); }
static void list_metrics(struct tt_report *r) { list_kind(r, DEF_COLUMN); }
static void list_gate(struct tt_report *r) { list_kind(r, DEF_METRIC); }
static void list_losses(struct tt_report *r) { list_kind(r, DEF_LOSS); }
static void list_notes(struct tt_report *r) { list_kind(r, DEF_NOTE); }
static void list_terms(struct tt_report *r) { list_kind(r, DEF_TERM); }
static void list_zones(struct tt_report *r) { list_kind(r, DEF_ZONE); }

static void
list_names(struct tt_report *r)
{
	static const char *const place[] = { [TT_NAME_HAS] = "anywhere", [TT_NAME_BEGINS] = "begin", [TT_NAME_STEP] = "begin, and a dot",
		[TT_NAME_NAMESPACE] = "namespace", [TT_NAME_IS] = "whole", [TT_NAME_WORD] = "word" };
	struct tt_table *t = tt_report_table(r, "names", "Names that mean something", name_col, TT_NCOL(name_col));

	for (const struct tt_known_names *k = tt_known_names; k->list; k++)
		for (const char *const *name = k->list; *name; name++)
			row(t, (const char *const[]){ *name, place[k->place], k->means });
}

static void
list_db_table(struct tt_table *t, const char *database, const struct tt_db_table *table)
{
	row(t, (const char *const[]){ database, table->name, NULL, NULL, table->help });
	for (size_t k = 0; k < table->ncol; k++)
		row(t, (const char *const[]){ database, table->name, table->col[k].name, table->col[k].type, table->col[k].help });
}

static void
list_schema(struct tt_report *r)
{
	struct tt_table *t = tt_report_table(r, "schema", "Tables of databases", schema_col, TT_NCOL(schema_col));

	for (size_t i = 0; i < TT_SQL_TABLES; i++)
		list_db_table(t, "capture", &tt_sqlite_table[i]);
	for (const struct tt_sqlite_view *v = tt_sqlite_view; v->name; v++)
		row(t, (const char *const[]){ "capture", v->name, NULL, "VIEW", v->help });
	for (size_t i = 0; i < TT_BDB_TABLES; i++)
		list_db_table(t, "batch", &tt_batch_table[i]);
	for (const struct tt_batch_view *v = tt_batch_view; v->name; v++)
		row(t, (const char *const[]){ "batch", v->name, NULL, "VIEW", v->help });
}

static void
list_sandbox(struct tt_report *r)
{
	struct tt_sandbox_parts p = tt_sandbox_probe();
	enum tt_sandbox_mode mode;
	struct tt_table *t = tt_report_table(r, "sandbox", "Sandbox", sandbox_col, TT_NCOL(sandbox_col));
	const char *here = p.landlock_version ? tt_text(r, "version %u", p.landlock_version) : "no";

	if (tt_sandbox_mode(getenv("TRACETOOL_SANDBOX"), &mode, &r->err) != TT_OK)
		return;
	row(t, (const char *const[]){ "Landlock", p.why ? p.why : here, "keeps files and network out of reach" });
	row(t, (const char *const[]){ "seccomp", p.why ? p.why : p.has_seccomp ? "yes" : "no",
	    "no system calls but those that reading and writing need" });
	row(t, (const char *const[]){ "TRACETOOL_SANDBOX",
	    mode == TT_SANDBOX_OFF ? "off" : mode == TT_SANDBOX_REQUIRE ? "require" : "on",
	    "on: with what there is; require: both or nothing; off" });
}

/* Return the list that ${word} names, or L_N. */
static size_t
list_named(const char *word)
{
	size_t k = 0;

	while (k < L_N && strcmp(what_value(k), word) != 0)
		k++;
	return k;
}

static int
fail_unknown(const char *word, struct tt_err *err)
{
	const char *near = tt_nearest_word(word, what_value);

	near = near ? near : explain_nearest(word);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no list and no definition of \"%s\"%s%s%s", word, near ? "; did you mean \"" : "; see ",
	    near ? near : "tracetool list tables metrics gate losses notes terms zones", near ? "\"?" : "");
}

/* Add the lists and definitions that the operands name to ${r}. A word that names both is a list, unless ${explain} is true. */
static int
add_all(struct app *app, const struct list_opts *o, bool explain, struct tt_report *r, struct tt_err *err)
{
	static void (*const list[L_N])(struct tt_report *) = {
		[L_FORMATS] = list_formats, [L_PASSES] = list_passes, [L_EMITTERS] = list_emitters, [L_TABLES] = list_tables, [L_METRICS] = list_metrics,
		[L_GATE] = list_gate, [L_LOSSES] = list_losses, [L_NOTES] = list_notes, [L_TERMS] = list_terms, [L_ZONES] = list_zones, [L_NAMES] = list_names,
		[L_SCHEMA] = list_schema, [L_SANDBOX] = list_sandbox,
	};
	unsigned bits = o->what.n == 0 ? (1u << L_TABLES) - 1 : 0;
	struct tt_list word = { 0 };
	bool *found = tt_arena_alloc(&app->arena, o->what.n * sizeof *found + 1, err);
	int rc = found ? TT_OK : err->code;

	for (size_t i = 0; i < o->what.n && rc == TT_OK; i++) {
		if (explain || list_named(o->what.v[i]) == L_N)
			rc = tt_list_add(&word, o->what.v[i], &app->arena, err);
		else
			bits |= 1u << list_named(o->what.v[i]);
	}
	if (rc != TT_OK)
		return rc;
	memset(found, 0, o->what.n * sizeof *found);
	explain_add(word.v, word.n, found, r);
	for (size_t i = 0; i < word.n; i++) {
		if (!found[i] && list_named(word.v[i]) == L_N)
			return fail_unknown(word.v[i], err);
		bits |= found[i] ? 0 : 1u << list_named(word.v[i]);
	}
	for (size_t k = 0; k < L_N; k++) {
		if (bits & 1u << k)
			list[k](r);
	}
	return TT_OK;
}

static int
run(struct app *app, bool explain, int argc, char **argv, struct tt_err *err)
{
	struct list_opts o = { 0 };
	struct tt_report r;
	int rc;

	report_defaults(&o.out);
	rc = app_parse(app, &verb_list, &o, &o.ui, argc, argv, err);
	if (rc == TT_OK && explain && o.what.n == 0)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "explain what? Name a column, metric, notice or term");
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	tt_report_init(&r, &app->env.mem);
	rc = add_all(app, &o, explain, &r, err);
	if (rc == TT_OK) {
		report_pager(app, &o.out);
		rc = report_write(app, &o.out, &r, err);
	}
	tt_report_free(&r);
	return rc;
}

int
run_list(struct app *app, int argc, char **argv, struct tt_err *err)
{
	return run(app, false, argc, argv, err);
}

int
run_explain(struct app *app, int argc, char **argv, struct tt_err *err)
{
	return run(app, true, argc, argv, err);
}

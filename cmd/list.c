/**
 * tracetool list: lists readers, passes, emitters, and everything with a definition, by kind.
 */
#include <stdlib.h>
#include <string.h>

#include "base/spelling.h"
#include "batch/database.h"
#include "cmd.h"
#include "definitions.h"
#include "emit/emit.h"
#include "emit/sqlite_schema.h"
#include "model/format.h"
#include "model/names.h"
#include "pass/pass.h"
#include "report.h"

struct list_opts {
	struct opt_list what;
	struct report_opts out;
	struct ui_opts ui;
};

enum { L_FORMATS, L_PASSES, L_EMITTERS, L_METRICS, L_GATE, L_LOSSES, L_NOTES, L_TERMS, L_ZONES, L_NAMES, L_SCHEMA, L_SANDBOX, L_N };

static const char *
what_value(size_t i)
{
	static const char *const v[] = { "formats", "passes", "emitters", "metrics", "gate", "losses", "notes", "terms", "zones", "names",
		"schema", "sandbox", NULL };

	return i <= L_N ? v[i] : NULL;
}

static const struct opt_group groups[] = {
	REPORT_GROUP(struct list_opts, out),
	UI_GROUP(struct list_opts, ui),
	{ NULL, NULL, 0 },
};

const struct verb verb_list = {
	.name = "list",
	.summary = "list formats, passes, emitters, metrics and more",
	.operands = "[formats] [passes] [emitters] [metrics] [gate] [losses] [notes] [terms] [zones] [names] [schema] [sandbox]",
	.about = "List the formats that tracetool reads, its analysis passes, the formats that it writes (emitters), all tables "
		 "with their columns (metrics, or tables), figures that budgets can limit (gate), kinds of loss (losses), remarks on reports "
		 "(notes), the manual's terms (terms), zones that tracetool makes itself (zones), names of markers and methods that mean "
		 "something to it (names), tables of databases beside those of stats (schema), and the means of this system to confine the "
		 "program while it reads (sandbox). Without an argument, list the first three.",
	.examples = "  tracetool list\n"
		    "  tracetool list metrics\n"
		    "  tracetool list metrics --format json\n",
	.group = groups,
	.operand_at = offsetof(struct list_opts, what),
	.operand = what_value,
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

/* The texts ${next}(${arg}, 0), (1), ... separated by blanks. */
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

		tt_cell_int(&row(t, (const char *const[]){ (*p)->name, NULL, tables, (*p)->summary })[1], (*p)->standard);
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
		definition_row(k->r, d);
}

static void
list_kind(struct tt_report *r, enum definition_kind kind)
{
	struct kind k = { kind, r };

	definitions_each(list_definition, &k);
}

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
	const char *here = p.landlock ? tt_text(r, "version %u", p.landlock) : "no";

	if (tt_sandbox_mode(getenv("TRACETOOL_SANDBOX"), &mode, &r->err) != TT_OK)
		return;
	row(t, (const char *const[]){ "Landlock", p.why ? p.why : here, "keeps files and network out of reach" });
	row(t, (const char *const[]){ "seccomp", p.why ? p.why : p.seccomp ? "yes" : "no",
	    "no system calls but those that reading and writing need" });
	row(t, (const char *const[]){ "TRACETOOL_SANDBOX",
	    mode == TT_SANDBOX_OFF ? "off" : mode == TT_SANDBOX_REQUIRE ? "require" : "on",
	    "on: with what there is; require: both or nothing; off" });
}

/* Which lists the operands name, as bits. */
static int
wanted(const struct list_opts *o, unsigned *bits, struct tt_err *err)
{
	*bits = o->what.n == 0 ? (1u << L_METRICS) - 1 : 0;
	for (size_t i = 0; i < o->what.n; i++) {
		const char *word = o->what.v[i], *near;
		size_t k = 0;

		while (k < L_N && strcmp(what_value(k), strcmp(word, "tables") == 0 ? "metrics" : word) != 0)
			k++;
		if (k == L_N) {
			near = tt_nearest_word(word, what_value);
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
			    "no list \"%s\"%s%s%s", word, near ? "; did you mean \"" : "; there are ",
			    near ? near : "formats, passes, emitters, metrics, gate, losses, notes, terms, zones, names, schema, sandbox", near ? "\"?" : "");
		}
		*bits |= 1u << k;
	}
	return TT_OK;
}

int
run_list(struct app *app, int argc, char **argv, struct tt_err *err)
{
	static void (*const list[L_N])(struct tt_report *) = {
		[L_FORMATS] = list_formats,
		[L_PASSES] = list_passes,
		[L_EMITTERS] = list_emitters,
		[L_METRICS] = list_metrics,
		[L_GATE] = list_gate,
		[L_LOSSES] = list_losses,
		[L_NOTES] = list_notes,
		[L_TERMS] = list_terms,
		[L_ZONES] = list_zones,
		[L_NAMES] = list_names,
		[L_SCHEMA] = list_schema,
		[L_SANDBOX] = list_sandbox,
	};
	struct list_opts o = { 0 };
	struct tt_report r;
	unsigned bits;
	int rc;

	report_defaults(&o.out);
	rc = app_parse(app, &verb_list, &o, &o.ui, argc, argv, err);
	if (rc == TT_OK)
		rc = wanted(&o, &bits, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	report_pager(app, &o.out);
	tt_report_init(&r, &app->env.mem);
	for (size_t k = 0; k < L_N; k++) {
		if (bits & 1u << k)
			list[k](&r);
	}
	rc = report_write(app, &o.out, &r, err);
	tt_report_free(&r);
	return rc;
}

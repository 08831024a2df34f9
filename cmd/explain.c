/**
 * tracetool explain: explains a word of a report or of the manual.
 */
#include <string.h>

#include "base/spelling.h"
#include "cmd.h"
#include "definitions.h"
#include "report.h"

struct explain_opts {
	struct opt_list word;
	struct report_opts out;
	struct ui_opts ui;
};

static const struct opt_group groups[] = {
	REPORT_GROUP(struct explain_opts, out),
	UI_GROUP(struct explain_opts, ui),
	{ NULL, NULL, 0 },
};

/* A word to complete: all but columns, whose ids are in many tables, and tables of other commands, which may be called like those of stats. */
struct count {
	size_t left;
	const char *word;
};

static void
count_word(void *arg, const struct definition *d)
{
	struct count *c = arg;

	if (!c->word && d->kind != DEF_COLUMN && d->kind != DEF_OTHER && !(d->kind == DEF_TABLE && d->command) && !strpbrk(d->name[0], " ,") && c->left-- == 0)
		c->word = d->name[0];
}

static const char *
word_value(size_t i)
{
	struct count c = { i, NULL };

	definitions_each(count_word, &c);
	return c.word;
}

const struct verb verb_explain = {
	.name = "explain",
	.summary = "say what a column, metric, notice or term means",
	.operands = "WORD...",
	.about = "Print the definition of each WORD: a table or column of a report, by its id or as people see it, a metric of budgets, "
		 "a kind of loss, the id of a note, a term of the manual, or a zone that tracetool makes. A word that means several things, "
		 "such as a column of several tables, gets all its definitions; TABLE/COLUMN is one of them.",
	.examples = "  tracetool explain self_ns\n"
		    "  tracetool explain hitches/cpu_ns \"1 % low FPS\"\n"
		    "  tracetool explain not_ended --format json\n",
	.group = groups,
	.operand_at = offsetof(struct explain_opts, word),
	.operand = word_value,
};

/* The words asked for, and what was found for them. */
struct search {
	const char *const *word;
	size_t nword;
	bool *found;
	struct tt_report *r;
};

static void
look_at(void *arg, const struct definition *d)
{
	struct search *s = arg;
	bool any = false;

	for (size_t i = 0; i < s->nword; i++) {
		if (definition_named(d, s->word[i]))
			any = s->found[i] = true;
	}
	if (any)
		definition_row(s->r, d);
}

/* The name most similar to a word. */
struct nearest {
	const char *word, *best;
	size_t least;
};

static void
compare(void *arg, const struct definition *d)
{
	struct nearest *n = arg;

	for (size_t i = 0; i < DEF_NAMES && d->name[i]; i++) {
		size_t distance = tt_word_distance(n->word, d->name[i]);

		if (distance < n->least) {
			n->least = distance;
			n->best = d->name[i];
		}
	}
}

static int
unknown(const char *word, struct tt_err *err)
{
	struct nearest n = { word, NULL, SIZE_MAX };

	definitions_each(compare, &n);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no definition of \"%s\"%s%s%s", word, n.best ? "; did you mean \"" : "; see ",
	    n.best ? n.best : "tracetool list metrics gate losses notes terms zones", n.best ? "\"?" : "");
}

int
run_explain(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct explain_opts o = { 0 };
	struct search s;
	struct tt_report r;
	int rc;

	report_defaults(&o.out);
	rc = app_parse(app, &verb_explain, &o, &o.ui, argc, argv, err);
	if (rc == TT_OK && o.word.n == 0)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "explain what? Name a column, metric, notice or term");
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	s = (struct search){ o.word.v, o.word.n, tt_arena_alloc(&app->arena, o.word.n * sizeof *s.found, err), &r };
	if (!s.found)
		return err->code;
	tt_report_init(&r, &app->env.mem);
	memset(s.found, 0, o.word.n * sizeof *s.found);
	definitions_each(look_at, &s);
	for (size_t i = 0; i < o.word.n && rc == TT_OK; i++) {
		if (!s.found[i])
			rc = unknown(o.word.v[i], err);
	}
	if (rc == TT_OK) {
		report_pager(app, &o.out);
		rc = report_write(app, &o.out, &r, err);
	}
	tt_report_free(&r);
	return rc;
}

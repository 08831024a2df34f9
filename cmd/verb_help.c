/**
 * tracetool help: prints texts made from the option tables.
 */
#include <string.h>

#include "base/spelling.h"
#include "cmd.h"

struct help_opts {
	struct tt_list verb;
	const char *completion;
	bool options;
	struct ui_opts ui;
};

static const struct tt_opt help_opt[] = {
	{ .name = "completion", .arg = "SHELL", .set = tt_opt_text,
	    .at = offsetof(struct help_opts, completion), .value = completion_shell,
	    .help = "print completions for bash, zsh or fish" },
	{ .name = "options", .set = tt_opt_flag, .at = offsetof(struct help_opts, options),
	    .help = "print the command's options, one per line, for programs" },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Help", help_opt, 0 },
	UI_GROUP(struct help_opts, ui),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_help = {
	.name = "help",
	.summary = "print help about a command, or completions for a shell",
	.operands = "[COMMAND]",
	.about = "Print help about a command. \"tracetool COMMAND --help\" prints the same.",
	.examples = "  tracetool help convert\n"
	    "  tracetool help convert --options\n"
	    "  tracetool help --completion bash > ~/.local/share/bash-completion/completions/tracetool\n",
	.group = groups,
	.operand_at = offsetof(struct help_opts, verb),
	.operand = command_name,
};

void
help_overview(struct tt_buf *out)
{
	tt_buf_text(out, "Usage: tracetool COMMAND [OPTION]... FILE...\n"
	    "       tracetool [OPTION]... FILE...\n\n"
	    "Convert and analyse profiler captures.\n\nCommands:\n");
	for (const struct command *c = commands; c->verb; c++)
		tt_buf_printf(out, "  %-9s %s\n", c->verb->name, c->verb->summary);
	tt_buf_text(out, "\nA file alone prints a summary and the top of the tables.\n"
	    "\"tracetool help COMMAND\" prints its options; \"tracetool --version\" prints the version.\n"
	    "Manual: tracetool(1), tracetool-metrics(7)\n");
}

/* Words other than commands for which people want help, and where they are explained. */
static const struct { const char *word, *where; } topic[] = {
	{ "tables", "see tracetool-tables(7) and \"tracetool list passes metrics\"" },
	{ "columns", "see tracetool-tables(7) and \"tracetool list metrics\"" },
	{ "metrics", "see tracetool-metrics(7) and \"tracetool list metrics gate\"" },
	{ "formats", "see tracetool-formats(7) and \"tracetool list formats emitters\"" },
	{ "budget", "see tracetool-budget(5), \"tracetool help gate\" and \"tracetool list gate\"" },
	{ "filters", "see \"tracetool help stats\": --thread, --time, --frames, --marker and others" },
	{ "unity", "see tracetool-unity(7): how to record a Unity game" },
	{ "mono", "see tracetool-mono(7): how to record a Mono program; tracetool-mlpd(7): its log profiler" },
};

static int
find_topic(const char *word, struct tt_err *err)
{
	for (size_t i = 0; i < sizeof topic / sizeof topic[0]; i++) {
		if (strcmp(topic[i].word, word) == 0)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not a command: %s", word, topic[i].where);
	}
	return TT_OK;
}

/* The verb that the operand names; without an operand the summary. */
static int
find_verb(const struct help_opts *o, const struct tt_verb **verb, struct tt_err *err)
{
	const struct command *c;
	const char *near;

	if (o->verb.n > 1)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "help is about one command at a time");
	if (o->verb.n == 0) {
		*verb = &verb_summary;
		return TT_OK;
	}
	c = command_named(o->verb.v[0]);
	if (!c) {
		if (find_topic(o->verb.v[0], err) != TT_OK)
			return err->code;
		near = tt_nearest_word(o->verb.v[0], command_name);
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "unknown command \"%s\"%s%s%s", o->verb.v[0],
		    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	}
	*verb = c->verb;
	return TT_OK;
}

int
run_help(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct help_opts o = { 0 };
	const struct tt_verb *verb = NULL;
	struct tt_buf text = { 0 };
	unsigned width;
	int rc = app_parse(app, &verb_help, &o, &o.ui, argc, argv, err);

	TT_THEN(rc, find_verb(&o, &verb, err));
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	width = ui_width(1);
	if (o.completion)
		completion_write(o.completion, &text);
	else if (o.options)
		tt_opts_list_for_tests(verb, &text);
	else if (o.verb.n == 0)
		help_overview(&text);
	else
		tt_opts_help(verb, width >= 60 && width <= 100 ? width : 80, &text);
	pager_start(&app->pager);
	rc = app_show(app, &text, err);
	tt_buf_free(&text);
	return rc;
}

/**
 * Completions for bash, zsh and fish, made from the same tables as the parser.
 */
#include <string.h>

#include "cmd.h"

const char *
completion_shell(size_t i)
{
	static const char *const v[] = { "bash", "zsh", "fish", NULL };

	return v[i];
}

/* --- what all three need ------------------------------------------------------ */

/* Values with blanks between; nothing where there are none. */
static int
put_values(const char *(*value)(size_t i), struct tt_buf *b, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; rc == TT_OK && value && value(i); i++)
		rc = tt_buf_printf(b, err, "%s%s", i > 0 ? " " : "", value(i));
	return rc;
}

/* A help text's first clause within single quotes: ${quote} for those in it, a backslash before ${escape}. */
static int
put_help(const char *help, const char *quote, const char *escape, struct tt_buf *b, struct tt_err *err)
{
	const char *paren = strstr(help, " ("), *semi = strchr(help, ';');
	const char *end = help + strlen(help);
	int rc = TT_OK;

	if (paren)
		end = paren;
	if (semi && semi < end)
		end = semi;
	for (const char *p = help; rc == TT_OK && p < end; p++) {
		if (*p == '\'')
			rc = tt_buf_text(b, quote, err);
		else
			rc = tt_buf_printf(b, err, "%s%c", strchr(escape, *p) ? "\\" : "", *p);
	}
	return rc;
}

static bool
takes_file(const struct opt *o)
{
	return o->arg && strcmp(o->arg, "FILE") == 0;
}

static bool
takes_dir(const struct opt *o)
{
	return o->arg && strcmp(o->arg, "DIR") == 0;
}

/* --- bash ------------------------------------------------------------------------ */

static int
bash_verb(const struct verb *v, struct tt_buf *b, struct tt_err *err)
{
	const char *name = v->name[0] ? v->name : "-";
	const struct opt *o;
	size_t base;
	int rc = TT_OK;

	for (size_t i = 0; rc == TT_OK && (o = opts_at(v, i, &base)) != NULL; i++) {
		if (!o->arg || takes_file(o))
			continue;     /* files are what bash does by itself */
		rc = tt_buf_printf(b, err, "\t%s:--%s", name, o->name);
		if (rc == TT_OK && o->letter)
			rc = tt_buf_printf(b, err, "|%s:-%c", name, o->letter);
		if (rc == TT_OK)
			rc = tt_buf_printf(b, err, ") value=1 words='");
		if (rc == TT_OK)
			rc = put_values(o->value, b, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, "' ;;\n", err);
	}
	return rc;
}

static int
bash_words(const struct verb *v, struct tt_buf *b, struct tt_err *err)
{
	const struct opt *o;
	size_t base;
	int rc = tt_buf_printf(b, err, "\t%s) options='", v->name[0] ? v->name : "-");

	for (size_t i = 0; rc == TT_OK && (o = opts_at(v, i, &base)) != NULL; i++) {
		if (o->letter)
			rc = tt_buf_printf(b, err, "%s-%c", i > 0 ? " " : "", o->letter);
		if (rc == TT_OK)
			rc = tt_buf_printf(b, err, "%s--%s", i > 0 || o->letter ? " " : "", o->name);
	}
	if (rc == TT_OK)
		rc = tt_buf_text(b, "' operands='", err);
	if (rc == TT_OK)
		rc = put_values(v->operand, b, err);
	return rc == TT_OK ? tt_buf_text(b, "' ;;\n", err) : rc;
}

static int
bash(struct tt_buf *b, struct tt_err *err)
{
	int rc = tt_buf_text(b,
	    "# bash completion for tracetool(1); made by \"tracetool help --completion bash\"\n"
	    "_tracetool()\n{\n"
	    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	    "\tlocal verb=- options= operands= words= value= before=\n\n"
	    "\t# bash makes a word of the \"=\" in --option=value\n"
	    "\tif [[ $cur == \"=\" ]]; then\n\t\tcur=\n"
	    "\telif [[ $prev == \"=\" ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
	    "\tif ((COMP_CWORD > 1)); then\n\t\tcase ${COMP_WORDS[1]} in\n\t\t", err);

	for (const struct command *c = commands; rc == TT_OK && c->verb; c++)
		rc = tt_buf_printf(b, err, "%s%s", c > commands ? "|" : "", c->verb->name);
	if (rc == TT_OK)
		rc = tt_buf_text(
		    b, ") verb=${COMP_WORDS[1]} ;;\n\t\tesac\n\tfi\n\tcase $verb:$prev in\n", err);
	for (const struct command *c = commands; rc == TT_OK && c->verb; c++)
		rc = bash_verb(c->verb, b, err);
	if (rc == TT_OK)
		rc = bash_verb(command_default.verb, b, err);
	if (rc == TT_OK)
		rc = tt_buf_text(b, "\tesac\n\tcase $verb in\n", err);
	for (const struct command *c = commands; rc == TT_OK && c->verb; c++)
		rc = bash_words(c->verb, b, err);
	if (rc == TT_OK)
		rc = bash_words(command_default.verb, b, err);
	if (rc == TT_OK)
		rc = tt_buf_text(b, "\tesac\n\tif ((COMP_CWORD == 1)); then\n\t\toperands='", err);
	if (rc == TT_OK)
		rc = put_values(command_name, b, err);
	if (rc == TT_OK)
		rc = tt_buf_text(b,
		    "'\n\t\toptions+=' --version'\n\tfi\n"
		    "\tif [[ $value ]]; then\n"
		    "\t\t[[ $cur == *,* ]] && before=${cur%,*},\n"
		    "\t\tCOMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"${cur##*,}\"))\n"
		    "\telif [[ $cur == -?* ]]; then\n"
		    "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
		    "\telse\n"
		    "\t\tCOMPREPLY=($(compgen -W \"$operands\" -- \"$cur\"))\n"
		    "\tfi\n}\n"
		    "complete -o default -o bashdefault -F _tracetool tracetool\n", err);
	return rc;
}

/* --- zsh --------------------------------------------------------------------------- */

/* What _arguments shall do for the value of ${o}. */
static int
zsh_action(const struct opt *o, struct tt_buf *b, struct tt_err *err)
{
	int rc = tt_buf_printf(b, err, ":%s:", o->arg);

	if (rc != TT_OK)
		return rc;
	if (takes_file(o))
		return tt_buf_text(b, "_files", err);
	if (takes_dir(o))
		return tt_buf_text(b, "_files -/", err);
	if (!o->value)
		return tt_buf_text(b, " ", err);
	rc = tt_buf_text(b, o->set == opt_commas ? "_values -s , id " : "(", err);
	if (rc == TT_OK)
		rc = put_values(o->value, b, err);
	return rc == TT_OK && o->set != opt_commas ? tt_buf_text(b, ")", err) : rc;
}

static int
zsh_option(const struct opt *o, struct tt_buf *b, struct tt_err *err)
{
	const char *eq = o->arg ? "=" : "";
	int rc;

	if (o->letter)
		rc = tt_buf_printf(
		    b, err, " \\\n\t\t'*'{-%c%s,--%s%s}'[", o->letter, o->arg ? "+" : "", o->name, eq);
	else
		rc = tt_buf_printf(b, err, " \\\n\t\t'*--%s%s[", o->name, eq);
	if (rc == TT_OK)
		rc = put_help(o->help, "'\\''", "[]:\\", b, err);
	if (rc == TT_OK)
		rc = tt_buf_text(b, "]", err);
	if (rc == TT_OK && o->arg)
		rc = zsh_action(o, b, err);
	return rc == TT_OK ? tt_buf_text(b, "'", err) : rc;
}

static int
zsh_verb(const struct verb *v, struct tt_buf *b, struct tt_err *err)
{
	const struct opt *o;
	size_t base;
	int rc;

	if (v->name[0])
		rc = tt_buf_printf(
		    b, err, "\t%s)\n\t\tshift words; ((CURRENT--))\n\t\t_arguments -s -S", v->name);
	else
		rc = tt_buf_text(b, "\t*)\n\t\t_arguments -s -S", err);
	for (size_t i = 0; rc == TT_OK && (o = opts_at(v, i, &base)) != NULL; i++)
		rc = zsh_option(o, b, err);
	if (rc == TT_OK)
		rc = tt_buf_text(b, v->operand ? " \\\n\t\t'*:what:(" : " \\\n\t\t'*:file:_files'", err);
	if (rc == TT_OK && v->operand) {
		rc = put_values(v->operand, b, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, ")'", err);
	}
	return rc == TT_OK ? tt_buf_text(b, " ;;\n", err) : rc;
}

static int
zsh(struct tt_buf *b, struct tt_err *err)
{
	int rc = tt_buf_text(b,
	    "#compdef tracetool\n"
	    "# zsh completion for tracetool(1); made by \"tracetool help --completion zsh\"\n"
	    "_tracetool() {\n\tlocal -a verbs\n\tverbs=(\n", err);

	for (const struct command *c = commands; rc == TT_OK && c->verb; c++) {
		rc = tt_buf_printf(b, err, "\t\t'%s:", c->verb->name);
		if (rc == TT_OK)
			rc = put_help(c->verb->summary, "'\\''", ":", b, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, "'\n", err);
	}
	if (rc == TT_OK)
		rc = tt_buf_text(b,
		    "\t)\n\tif ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
		    "\t\t_describe command verbs\n\t\t_files\n\t\treturn\n\tfi\n\tcase $words[2] in\n", err);
	for (const struct command *c = commands; rc == TT_OK && c->verb; c++)
		rc = zsh_verb(c->verb, b, err);
	if (rc == TT_OK)
		rc = zsh_verb(command_default.verb, b, err);
	return rc == TT_OK ? tt_buf_text(b, "\tesac\n}\n_tracetool \"$@\"\n", err) : rc;
}

/* --- fish -------------------------------------------------------------------------- */

/* The condition under which a line for ${v} holds. */
static int
fish_when(const struct verb *v, struct tt_buf *b, struct tt_err *err)
{
	int rc = tt_buf_text(b, "complete -c tracetool -n '", err);

	if (rc == TT_OK && v->name[0])
		rc = tt_buf_printf(b, err, "__fish_seen_subcommand_from %s", v->name);
	else if (rc == TT_OK)
		rc = tt_buf_text(b, "not __fish_seen_subcommand_from", err);
	for (const struct command *c = commands; rc == TT_OK && !v->name[0] && c->verb; c++)
		rc = tt_buf_printf(b, err, " %s", c->verb->name);
	return rc == TT_OK ? tt_buf_text(b, "'", err) : rc;
}

static int
fish_value(const struct opt *o, struct tt_buf *b, struct tt_err *err)
{
	bool commas = o->set == opt_commas;
	int rc;

	if (takes_file(o))
		return tt_buf_text(b, " -r -F", err);
	if (takes_dir(o))
		return tt_buf_text(b, " -x -a '(__fish_complete_directories)'", err);
	if (!o->value)
		return tt_buf_text(b, " -x", err);
	rc = tt_buf_text(
	    b, commas ? " -x -a '(__fish_complete_list , \"string split \\\" \\\" \\\"" : " -x -a '", err);
	if (rc == TT_OK)
		rc = put_values(o->value, b, err);
	return rc == TT_OK ? tt_buf_text(b, commas ? "\\\"\")'" : "'", err) : rc;
}

static int
fish_verb(const struct verb *v, struct tt_buf *b, struct tt_err *err)
{
	const struct opt *o;
	size_t base;
	int rc = TT_OK;

	for (size_t i = 0; rc == TT_OK && (o = opts_at(v, i, &base)) != NULL; i++) {
		rc = fish_when(v, b, err);
		if (rc == TT_OK && o->letter)
			rc = tt_buf_printf(b, err, " -s %c", o->letter);
		if (rc == TT_OK)
			rc = tt_buf_printf(b, err, " -l %s", o->name);
		if (rc == TT_OK && o->arg)
			rc = fish_value(o, b, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, " -d '", err);
		if (rc == TT_OK)
			rc = put_help(o->help, "\\'", "\\", b, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, "'\n", err);
	}
	if (rc == TT_OK && v->operand) {
		rc = fish_when(v, b, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, " -f -a '", err);
		if (rc == TT_OK)
			rc = put_values(v->operand, b, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, "'\n", err);
	}
	return rc;
}

static int
fish(struct tt_buf *b, struct tt_err *err)
{
	int rc = tt_buf_text(
	    b, "# fish completion for tracetool(1); made by \"tracetool help --completion fish\"\n", err);

	for (const struct command *c = commands; rc == TT_OK && c->verb; c++) {
		rc = tt_buf_printf(
		    b, err, "complete -c tracetool -n __fish_use_subcommand -a %s -d '", c->verb->name);
		if (rc == TT_OK)
			rc = put_help(c->verb->summary, "\\'", "\\", b, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, "'\n", err);
	}
	for (const struct command *c = commands; rc == TT_OK && c->verb; c++)
		rc = fish_verb(c->verb, b, err);
	return rc == TT_OK ? fish_verb(command_default.verb, b, err) : rc;
}

int
completion_write(const char *shell, struct tt_buf *out, struct tt_err *err)
{
	if (strcmp(shell, "bash") == 0)
		return bash(out, err);
	return strcmp(shell, "zsh") == 0 ? zsh(out, err) : fish(out, err);
}

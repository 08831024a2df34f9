/**
 * Writes completions for bash, zsh and fish from the tables that the parser uses.
 */
#include <string.h>

#include "cmd.h"

/* --- shared by all three ------------------------------------------------------ */

/* Append an option's values, separated by blanks; append nothing for an option without values. */
static void
put_values(const char *(*value)(size_t i), struct tt_buf *b)
{
	for (size_t i = 0; value && value(i); i++)
		tt_buf_printf(b, "%s%s", i > 0 ? " " : "", value(i));
}

/* Call ${put} for every verb, and for the command without a verb. */
static void
each_verb(void (*put)(const struct tt_verb *v, struct tt_buf *b), struct tt_buf *b)
{
	for (const struct command *c = commands; c->verb; c++)
		put(c->verb, b);
	put(command_default.verb, b);
}

/* Append the first clause of a help text, for single quotes: ${quote} replaces each quote in it, a backslash goes before ${escape}. */
static void
put_help(const char *help, const char *quote, const char *escape, struct tt_buf *b)
{
	const char *paren = strstr(help, " ("), *semi = strchr(help, ';');
	const char *end = help + strlen(help);

	if (paren)
		end = paren;
	if (semi && semi < end)
		end = semi;
	for (const char *p = help; p < end; p++) {
		if (*p == '\'')
			tt_buf_text(b, quote);
		else
			tt_buf_printf(b, "%s%c", strchr(escape, *p) ? "\\" : "", *p);
	}
}

static bool
takes_file(const struct tt_opt *o)
{
	return o->arg && strcmp(o->arg, "FILE") == 0;
}

static bool
takes_dir(const struct tt_opt *o)
{
	return o->arg && strcmp(o->arg, "DIR") == 0;
}

/* --- bash ------------------------------------------------------------------------ */

static void
bash_verb(const struct tt_verb *v, struct tt_buf *b)
{
	const char *name = v->name[0] ? v->name : "-";
	struct tt_opt_row row;
	const struct tt_opt *o = &row.o;

	for (struct tt_opt_walk w = tt_opts_shown(v); tt_opts_next(&w, &row);) {
		if (!o->arg || takes_file(o))
			continue;     /* bash completes file names by itself */
		tt_buf_printf(b, "\t%s:--%s", name, o->name);
		if (o->letter)
			tt_buf_printf(b, "|%s:-%c", name, o->letter);
		tt_buf_printf(b, ") value=1 words='");
		put_values(o->value, b);
		tt_buf_text(b, "' ;;\n");
	}
}

static void
bash_words(const struct tt_verb *v, struct tt_buf *b)
{
	struct tt_opt_row row;
	const struct tt_opt *o = &row.o;
	const char *gap = "";

	tt_buf_printf(b, "\t%s) options='", v->name[0] ? v->name : "-");
	for (struct tt_opt_walk w = tt_opts_shown(v); tt_opts_next(&w, &row);) {
		if (o->letter)
			tt_buf_printf(b, "%s-%c", gap, o->letter);
		tt_buf_printf(b, "%s--%s", o->letter ? " " : gap, o->name);
		gap = " ";
	}
	tt_buf_text(b, "' operands='");
	put_values(v->operand, b);
	tt_buf_text(b, "' ;;\n");
}

static void
bash(struct tt_buf *b)
{
	tt_buf_text(b,
	    "# bash completion for tracetool(1); made by \"tracetool help --completion bash\"\n"
	    "_tracetool()\n{\n"
	    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	    "\tlocal verb=- options= operands= words= value= before=\n\n"
	    "\t# bash makes a word of the \"=\" in --option=value\n"
	    "\tif [[ $cur == \"=\" ]]; then\n\t\tcur=\n"
	    "\telif [[ $prev == \"=\" ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
	    "\tif ((COMP_CWORD > 1)); then\n\t\tcase ${COMP_WORDS[1]} in\n\t\t");
	for (const struct command *c = commands; c->verb; c++)
		tt_buf_printf(b, "%s%s", c > commands ? "|" : "", c->verb->name);
	tt_buf_text(b, ") verb=${COMP_WORDS[1]} ;;\n\t\tesac\n\tfi\n\tcase $verb:$prev in\n");
	each_verb(bash_verb, b);
	tt_buf_text(b, "\tesac\n\tcase $verb in\n");
	each_verb(bash_words, b);
	tt_buf_text(b, "\tesac\n\tif ((COMP_CWORD == 1)); then\n\t\toperands='");
	put_values(command_name, b);
	tt_buf_text(b,
	    "'\n\t\toptions+=' --version'\n\tfi\n"
	    "\tif [[ $value ]]; then\n"
	    "\t\t[[ $cur == *,* ]] && before=${cur%,*},\n"
	    "\t\tCOMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"${cur##*,}\"))\n"
	    "\telif [[ $cur == -?* ]]; then\n"
	    "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	    "\telse\n"
	    "\t\tCOMPREPLY=($(compgen -W \"$operands\" -- \"$cur\"))\n"
	    "\tfi\n}\n"
	    "complete -o default -o bashdefault -F _tracetool tracetool\n");
}

/* --- zsh --------------------------------------------------------------------------- */

/* Append the action of zsh's _arguments for the value of ${o}. */
static void
zsh_action(const struct tt_opt *o, struct tt_buf *b)
{
	tt_buf_printf(b, ":%s:", o->arg);
	if (takes_file(o)) {
		tt_buf_text(b, "_files");
	} else if (takes_dir(o)) {
		tt_buf_text(b, "_files -/");
	} else if (!o->value) {
		tt_buf_text(b, " ");
	} else {
		tt_buf_text(b, o->set == tt_opt_commas ? "_values -s , id " : "(");
		put_values(o->value, b);
		tt_buf_text(b, o->set == tt_opt_commas ? "" : ")");
	}
}

static void
zsh_option(const struct tt_opt *o, struct tt_buf *b)
{
	const char *eq = o->arg ? "=" : "";

	if (o->letter)
		tt_buf_printf(b, " \\\n\t\t'*'{-%c%s,--%s%s}'[", o->letter, o->arg ? "+" : "", o->name, eq);
	else
		tt_buf_printf(b, " \\\n\t\t'*--%s%s[", o->name, eq);
	put_help(o->help, "'\\''", "[]:\\", b);
	tt_buf_text(b, "]");
	if (o->arg)
		zsh_action(o, b);
	tt_buf_text(b, "'");
}

static void
zsh_verb(const struct tt_verb *v, struct tt_buf *b)
{
	struct tt_opt_row row;
	const struct tt_opt *o = &row.o;

	if (v->name[0])
		tt_buf_printf(b, "\t%s)\n\t\tshift words; ((CURRENT--))\n\t\t_arguments -s -S", v->name);
	else
		tt_buf_text(b, "\t*)\n\t\t_arguments -s -S");
	for (struct tt_opt_walk w = tt_opts_shown(v); tt_opts_next(&w, &row);)
		zsh_option(o, b);
	tt_buf_text(b, v->operand ? " \\\n\t\t'*:what:(" : " \\\n\t\t'*:file:_files'");
	put_values(v->operand, b);
	tt_buf_text(b, v->operand ? ")' ;;\n" : " ;;\n");
}

static void
zsh(struct tt_buf *b)
{
	tt_buf_text(b,
	    "#compdef tracetool\n"
	    "# zsh completion for tracetool(1); made by \"tracetool help --completion zsh\"\n"
	    "_tracetool() {\n\tlocal -a verbs\n\tverbs=(\n");
	for (const struct command *c = commands; c->verb; c++) {
		tt_buf_printf(b, "\t\t'%s:", c->verb->name);
		put_help(c->verb->summary, "'\\''", ":", b);
		tt_buf_text(b, "'\n");
	}
	tt_buf_text(b,
	    "\t)\n\tif ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
	    "\t\t_describe command verbs\n\t\t_files\n\t\treturn\n\tfi\n\tcase $words[2] in\n");
	each_verb(zsh_verb, b);
	tt_buf_text(b, "\tesac\n}\n_tracetool \"$@\"\n");
}

/* --- fish -------------------------------------------------------------------------- */

/* Append fish's condition for the lines of ${v}. */
static void
fish_when(const struct tt_verb *v, struct tt_buf *b)
{
	tt_buf_text(b, "complete -c tracetool -n '");
	if (v->name[0])
		tt_buf_printf(b, "__fish_seen_subcommand_from %s", v->name);
	else
		tt_buf_text(b, "not __fish_seen_subcommand_from");
	for (const struct command *c = commands; !v->name[0] && c->verb; c++)
		tt_buf_printf(b, " %s", c->verb->name);
	tt_buf_text(b, "'");
}

static void
fish_value(const struct tt_opt *o, struct tt_buf *b)
{
	bool commas = o->set == tt_opt_commas;

	if (takes_file(o)) {
		tt_buf_text(b, " -r -F");
		return;
	}
	if (takes_dir(o)) {
		tt_buf_text(b, " -x -a '(__fish_complete_directories)'");
		return;
	}
	if (!o->value) {
		tt_buf_text(b, " -x");
		return;
	}
	tt_buf_text(b, commas ? " -x -a '(__fish_complete_list , \"string split \\\" \\\" \\\"" : " -x -a '");
	put_values(o->value, b);
	tt_buf_text(b, commas ? "\\\"\")'" : "'");
}

static void
fish_verb(const struct tt_verb *v, struct tt_buf *b)
{
	struct tt_opt_row row;
	const struct tt_opt *o = &row.o;

	for (struct tt_opt_walk w = tt_opts_shown(v); tt_opts_next(&w, &row);) {
		fish_when(v, b);
		if (o->letter)
			tt_buf_printf(b, " -s %c", o->letter);
		tt_buf_printf(b, " -l %s", o->name);
		if (o->arg)
			fish_value(o, b);
		tt_buf_text(b, " -d '");
		put_help(o->help, "\\'", "\\", b);
		tt_buf_text(b, "'\n");
	}
	if (v->operand) {
		fish_when(v, b);
		tt_buf_text(b, " -f -a '");
		put_values(v->operand, b);
		tt_buf_text(b, "'\n");
	}
}

static void
fish(struct tt_buf *b)
{
	tt_buf_text(b, "# fish completion for tracetool(1); made by \"tracetool help --completion fish\"\n");
	for (const struct command *c = commands; c->verb; c++) {
		tt_buf_printf(b, "complete -c tracetool -n __fish_use_subcommand -a %s -d '", c->verb->name);
		put_help(c->verb->summary, "\\'", "\\", b);
		tt_buf_text(b, "'\n");
	}
	each_verb(fish_verb, b);
}

/* --- the shells ---------------------------------------------------------------------- */

static const struct { const char *name; void (*put)(struct tt_buf *b); } shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

const char *
completion_shell(size_t i)
{
	return i < sizeof shells / sizeof *shells ? shells[i].name : NULL;
}

void
completion_write(const char *shell, struct tt_buf *out)
{
	for (size_t i = 0; completion_shell(i); i++)
		if (strcmp(shell, shells[i].name) == 0)
			shells[i].put(out);
}

/**
 * Parses options by tables.
 */
#include "option/opts.h"

#include <string.h>

#include "base/shell.h"
#include "base/spelling.h"
#include "sys/sys.h"

/* --- parsing --------------------------------------------------------------- */

struct tt_opt_walk
tt_opts_of(const struct tt_verb *verb)
{
	return (struct tt_opt_walk){ .group = verb->group, .opt = verb->group->title ? verb->group->opt : NULL };
}

struct tt_opt_walk
tt_opts_shown(const struct tt_verb *verb)
{
	struct tt_opt_walk w = tt_opts_of(verb);

	w.skips_hidden = true;
	while (w.opt && !*w.group->title)
		w.opt = (++w.group)->title ? w.group->opt : NULL;
	return w;
}

struct tt_opt_walk
tt_opts_of_group(const struct tt_opt_group *g)
{
	return (struct tt_opt_walk){ .group = g, .opt = g->opt, .is_last_group = true };
}

bool
tt_opts_next(struct tt_opt_walk *w, struct tt_opt_row *row)
{
	while (w->opt) {
		const struct tt_opt *o = w->opt;

		row->base = w->group->base;
		if (!o->name && !o->list_row) {
			do
				w->opt = !w->is_last_group && (++w->group)->title ? w->group->opt : NULL;
			while (w->opt && w->skips_hidden && !*w->group->title);
		} else if (!o->list_row) {
			w->opt++;
			row->o = *o;
			return true;
		} else if (o->list_row(w->nlist_taken++, row)) {
			row->o.set = o->set;
			row->o.at = o->at;
			return true;
		} else {
			w->opt++;
			w->nlist_taken = 0;
		}
	}
	return false;
}

bool
tt_opts_has_argument(int argc, char *const *argv, const char *name)
{
	const size_t n = strlen(name);

	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, name, n) == 0 && (argv[i][2 + n] == '\0' || argv[i][2 + n] == '='))
			return true;
	return false;
}

size_t
tt_opts_given(const struct tt_opt_given *given, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < given->name.n; i++)
		n += strcmp(given->name.v[i], name) == 0;
	return n;
}

/* True if the option says how an output is made, not what it shows. */
static bool
is_of_the_making(const char *name)
{
	static const char *const making[] = { "output", "format", "width", "max-size", "svg", "jobs", "max-memory", "max-time", "tmpdir", "spool-max",
		"color", "progress", "quiet", "verbose" };

	for (size_t i = 0; i < sizeof making / sizeof *making; i++)
		if (strcmp(name, making[i]) == 0)
			return true;
	return false;
}

static bool
is_among(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

static bool
has_option(const struct tt_verb *verb, const char *name)
{
	struct tt_opt_row row;

	for (struct tt_opt_walk w = tt_opts_of(verb); tt_opts_next(&w, &row);)
		if (strcmp(row.o.name, name) == 0)
			return true;
	return false;
}

/* Append the option, its value and a blank, quoted for a shell. */
static void
quote_option(struct tt_buf *to, const char *name, const char *value)
{
	if (is_of_the_making(name))
		return;
	tt_buf_printf(to, "--%s%s", name, value ? (*value == '-' ? "=" : " ") : "");
	if (value)
		tt_shell_quote(to, value);
	tt_buf_text(to, " ");
}

void
tt_opts_quote_given(struct tt_buf *to, const struct tt_opt_given *given, const struct tt_list *files, const char *but)
{
	tt_opts_quote_without(to, given, files, (const char *const[]){ but, NULL });
}

void
tt_opts_quote_without(struct tt_buf *to, const struct tt_opt_given *given, const struct tt_list *files, const char *const *without)
{
	for (size_t i = 0; i < given->name.n; i++)
		if (!is_among(without, given->name.v[i]))
			quote_option(to, given->name.v[i], given->value.v[i]);
	for (size_t i = 0; i < files->n; i++) {
		tt_buf_text(to, i ? " " : "");
		if (files->v[i][0] == '-' && files->v[i][1])
			tt_buf_text(to, "./");        /* without it, the operand would be read as an option */
		tt_shell_quote(to, files->v[i]);
	}
}

void
tt_opts_quote_shared(struct tt_buf *to, const struct tt_opt_given *given, const struct tt_verb *verb, const char *const *without)
{
	for (size_t i = 0; i < given->name.n; i++)
		if (has_option(verb, given->name.v[i]) && !is_among(without, given->name.v[i]))
			quote_option(to, given->name.v[i], given->value.v[i]);
}

/* The state of the parser. */
struct scan {
	const struct tt_verb *verb;
	char *into;
	int argc, i;
	char *const *argv;
	struct tt_arena *arena;
	struct tt_list once;         /* options that may be given only once and were given */
};

#define WORD_MAX 40           /* maximum bytes of a misspelt option for which a similar one is sought */

static int
unknown_option(const struct scan *s, const char *name, size_t n, struct tt_err *err)
{
	const char *best = NULL;
	size_t least = SIZE_MAX;
	struct tt_opt_row row;
	char word[WORD_MAX + 1];

	if (n <= WORD_MAX) {
		memcpy(word, name, n);
		word[n] = '\0';
		if (s->verb->related_verb && has_option(s->verb->related_verb, word))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --%s belongs to another command: tracetool %s", word, s->verb->related_verb->name);
		for (struct tt_opt_walk w = tt_opts_shown(s->verb); tt_opts_next(&w, &row);) {
			size_t d = tt_word_distance(word, row.o.name);

			if (d < least) {
				least = d;
				best = row.o.name;
			}
		}
	}
	if (best)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "unknown option --%.*s; did you mean --%s?",
		    (int)n, name, best);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "unknown option --%.*s", (int)n, name);
}

/* Set the value of the row; ${shown} is the option as the user wrote it. */
static int
set(struct scan *s, const struct tt_opt_row *row, const char *value, const char *shown, struct tt_err *err)
{
	int rc;

	if (row->o.is_once_only && s->once.n && is_among(s->once.v, row->o.name))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option %s is there twice, and one would undo the other: give it once", shown);
	rc = row->o.set(&row->o, s->into + row->base + row->o.at, value, s->arena, err);
	if (rc == TT_OK && row->o.is_once_only)
		rc = tt_list_add(&s->once, row->o.name, s->arena, err);

	if (rc == TT_OK && s->verb->given_at) {
		struct tt_opt_given *given = (struct tt_opt_given *)(void *)(s->into + s->verb->given_at);

		rc = tt_list_add(&given->name, row->o.name, s->arena, err);
		TT_THEN(rc, tt_list_add(&given->value, value, s->arena, err));
	}
	return rc == TT_E_USAGE ? tt_err_in(err, "option %s", shown) : rc;
}

/* Take the next argument as the value of ${shown}. */
static int
take_value(struct scan *s, const struct tt_opt *o, const char *shown, const char **value, struct tt_err *err)
{
	if (s->i + 1 >= s->argc)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option %s needs a value (%s)", shown, o->arg);
	*value = s->argv[++s->i];
	return TT_OK;
}

static int
parse_long(struct scan *s, struct tt_err *err)
{
	const char *name = s->argv[s->i] + 2, *value = NULL;
	size_t n = strcspn(name, "=");
	struct tt_opt_walk w = tt_opts_of(s->verb);
	struct tt_opt_row row;
	bool more;
	const struct tt_opt *o = &row.o;
	char shown[64];
	int rc = TT_OK;

	while ((more = tt_opts_next(&w, &row)) && (strlen(o->name) != n || memcmp(o->name, name, n) != 0))
		;
	if (!more)
		return unknown_option(s, name, n, err);
	memcpy(shown, "--", 3);
	strncat(shown, o->name, sizeof shown - 3);
	if (name[n] == '=')
		value = name + n + 1;
	if (value && !o->arg)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option %s takes no value", shown);
	if (!value && o->arg)
		rc = take_value(s, o, shown, &value, err);
	return rc != TT_OK ? rc : set(s, &row, value, shown, err);
}

static int
parse_short(struct scan *s, struct tt_err *err)
{
	for (const char *p = s->argv[s->i] + 1; *p; p++) {
		const char shown[3] = { '-', *p, '\0' };
		const char *value = NULL;
		struct tt_opt_row row;
		const struct tt_opt *o = &row.o;
		struct tt_opt_walk w = tt_opts_of(s->verb);
		int rc = TT_OK;
		bool more;

		while ((more = tt_opts_next(&w, &row)) && o->letter != *p)
			;
		if (!more)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "unknown option -%s",
			    *p > ' ' && *p < 127 ? &shown[1] : p);
		if (o->arg) {
			value = p + 1;
			if (*value == '\0')
				rc = take_value(s, o, shown, &value, err);
			return rc != TT_OK ? rc : set(s, &row, value, shown, err);
		}
		rc = set(s, &row, NULL, shown, err);
		if (rc != TT_OK)
			return rc;
	}
	return TT_OK;
}

struct operands { struct tt_list *list; struct tt_arena *a; struct tt_err *err; int rc; };

static bool
add_operand(void *arg, const char *path)
{
	struct operands *o = arg;
	const char *kept = tt_arena_text(o->a, path, strlen(path), o->err);

	o->rc = kept ? tt_list_add(o->list, kept, o->a, o->err) : o->err->code;
	return o->rc == TT_OK;
}

/* Add an operand, or the files that it stands for. */
static int
add_operands(struct tt_list *list, const char *p, struct tt_arena *a, struct tt_err *err)
{
	struct operands o = { list, a, err, TT_OK };

	return tt_sys_expand_pattern(p, add_operand, &o) ? o.rc : tt_list_add(list, p, a, err);
}

int
tt_opts_parse(
    const struct tt_verb *verb, void *into, int argc, char *const *argv, struct tt_arena *a, struct tt_err *err)
{
	struct scan s = { .verb = verb, .into = into, .argc = argc, .argv = argv, .arena = a };
	struct tt_list *operand = (struct tt_list *)(void *)(s.into + verb->operand_at);
	bool options = true;

	for (; s.i < argc; s.i++) {
		const char *p = argv[s.i];
		int rc;

		if (options && strcmp(p, "--") == 0) {
			options = verb->has_sides && !operand->has_sides;
			if (options)
				operand->nfirst_side = operand->n;
			operand->has_sides = true;
			continue;
		}
		if (!options || p[0] != '-' || p[1] == '\0')
			rc = add_operands(operand, p, a, err);
		else if (p[1] == '-')
			rc = parse_long(&s, err);
		else
			rc = parse_short(&s, err);
		if (rc != TT_OK)
			return rc;
	}
	return TT_OK;
}

/**
 * Parses options by tables.
 */
#include "opts.h"

#include <stdio.h>
#include <string.h>

#include "base/shell.h"
#include "base/spelling.h"
#include "base/utf8.h"
#include "model/filter.h"
#include "base/parse_value.h"

/* --- reading values ------------------------------------------------------ */

int
opt_flag(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)o, (void)value, (void)a, (void)err;
	*(bool *)field = true;
	return TT_OK;
}

/* TT_OK if ${s} is one of the row's values, or the row has no list; *${i} is its index. */
static int
known_value(const struct opt *o, const char *s, size_t *i, struct tt_err *err)
{
	const char *near;
	char list[256] = "";
	size_t more = 0;

	if (!o->value)
		return TT_OK;
	for (size_t k = 0; o->value(k); k++) {
		if (strcmp(o->value(k), s) == 0) {
			*i = k;
			return TT_OK;
		}
		if (more > 0 || strlen(list) + strlen(o->value(k)) + 3 >= sizeof list) {
			more++;
			continue;
		}
		strcat(list, k > 0 ? ", " : "");
		strcat(list, o->value(k));
	}
	near = tt_nearest_word(s, o->value);
	if (near)
		return tt_fail(
		    err, TT_E_USAGE, TT_NOWHERE, "unknown value \"%s\"; did you mean \"%s\"?", s, near);
	if (more > 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "unknown value \"%s\" (one of: %s and %zu more)", s, list, more);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "unknown value \"%s\" (one of: %s)", s, list);
}

int
opt_text(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	size_t i;
	int rc = known_value(o, value, &i, err);

	(void)a;
	if (rc == TT_OK)
		*(const char **)field = value;
	return rc;
}

int
opt_choice(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	size_t i = 0;
	int rc = known_value(o, value, &i, err);

	(void)a;
	if (rc == TT_OK)
		*(int *)field = (int)i;
	return rc;
}

int
opt_list_add(struct opt_list *l, const char *s, struct tt_arena *a, struct tt_err *err)
{
	if (tt_arena_grow(a, &l->v, &l->cap, l->n + 1, sizeof *l->v, err) != TT_OK)
		return err->code;
	l->v[l->n++] = s;
	l->v[l->n] = NULL;
	return TT_OK;
}

int
opt_add(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	size_t i;
	int rc = known_value(o, value, &i, err);

	return rc != TT_OK ? rc : opt_list_add(field, value, a, err);
}

int
opt_pattern(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	int rc = tt_pattern_check(value, err);

	return rc == TT_OK ? opt_text(o, field, value, a, err) : rc;
}

int
opt_patterns(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	int rc = tt_pattern_check(value, err);

	(void)o;
	return rc == TT_OK ? opt_list_add(field, value, a, err) : rc;
}

int
opt_commas(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	for (const char *p = value;; p++) {
		size_t n = strcspn(p, ",");
		char *s = tt_arena_text(a, p, n, err);
		int rc;

		if (!s)
			return err->code;
		rc = opt_add(o, field, s, a, err);
		if (rc != TT_OK)
			return rc;
		p += n;
		if (*p == '\0')
			return TT_OK;
	}
}

int
opt_count(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)a;
	return tt_parse_count(value, o->lo, o->hi, field, err);
}

int
opt_size(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	uint64_t *size = field;
	int rc = tt_parse_size(value, size, err);

	(void)a;
	if (rc == TT_OK && *size > 0 && *size < o->lo)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is too little: at least %lluM, or 0 for no limit", value,
		    (unsigned long long)(o->lo >> 20));
	return rc;
}

int
opt_duration(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)o, (void)a;
	return tt_parse_duration(value, field, err);
}

int
opt_percent(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)o, (void)a;
	return tt_parse_percent(value, field, err);
}

/* One of ${chars}. */
static int
read_char(const char *chars, char *field, const char *value, struct tt_err *err)
{
	char list[40] = "";

	if (strcmp(value, "tab") == 0)
		value = "\t";
	if (strlen(value) == 1 && strchr(chars, value[0])) {
		*field = value[0];
		return TT_OK;
	}
	for (const char *p = chars; *p; p++)
		snprintf(list + strlen(list), sizeof list - strlen(list), " %s", *p == '\t' ? "tab" : (const char[]){ *p, '\0' });
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not one of%s", value, list);
}

int
opts_read(const struct tt_option *t, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	static int (*const set[])(const struct opt *, void *, const char *, struct tt_arena *, struct tt_err *) = {
		[TT_OPTION_FLAG] = opt_flag, [TT_OPTION_COUNT] = opt_count, [TT_OPTION_SIZE] = opt_size, [TT_OPTION_PERCENT] = opt_percent,
		[TT_OPTION_CHOICE] = opt_choice, [TT_OPTION_TABLE] = opt_text };
	const struct opt o = { .lo = t->lo, .hi = t->hi, .value = t->value };
	int rc;

	if (t->kind == TT_OPTION_CHAR)
		return read_char(t->chars, field, value, err);
	rc = set[t->kind](&o, field, value, a, err);
	if (rc == TT_OK && t->kind == TT_OPTION_CHOICE)
		++*(int *)field;
	return rc;
}

void
opts_row(const struct tt_option *t, const char *who, struct opt_row *row)
{
	size_t n;

	row->o = (struct opt){ .name = t->name, .arg = t->arg, .help = t->help, .value = t->value };
	if (!*who && !strchr(t->help, '{'))
		return;
	n = (size_t)snprintf(row->help, sizeof row->help / 2, "%s", who);

	for (const char *p = t->help; *p && n + 2 < sizeof row->help; p++) {
		if (*p == '{')
			row->help[n++] = '-';
		if (*p != '}')
			row->help[n++] = *p == '{' ? '-' : *p;
	}
	row->help[n] = '\0';
	row->o.help = row->help;
}

/* --- parsing --------------------------------------------------------------- */

struct opt_walk
opts_of(const struct verb *verb)
{
	return (struct opt_walk){ .group = verb->group, .opt = verb->group->title ? verb->group->opt : NULL };
}

struct opt_walk
opts_of_group(const struct opt_group *g)
{
	return (struct opt_walk){ .group = g, .opt = g->opt, .alone = true };
}

bool
opts_next(struct opt_walk *w, struct opt_row *row)
{
	while (w->opt) {
		const struct opt *o = w->opt;

		row->base = w->group->base;
		if (!o->name && !o->more) {
			w->opt = !w->alone && (++w->group)->title ? w->group->opt : NULL;
		} else if (!o->more) {
			w->opt++;
			row->o = *o;
			return true;
		} else if (o->more(w->more++, row)) {
			row->o.set = o->set;
			row->o.at = o->at;
			return true;
		} else {
			w->opt++;
			w->more = 0;
		}
	}
	return false;
}

size_t
opts_given(const struct opt_given *given, const char *name)
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

/* "--name value " */
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
opts_quote_given(struct tt_buf *to, const struct opt_given *given, const struct opt_list *files, const char *but)
{
	opts_quote_without(to, given, files, (const char *const[]){ but, NULL });
}

void
opts_quote_without(struct tt_buf *to, const struct opt_given *given, const struct opt_list *files, const char *const *without)
{
	for (size_t i = 0; i < given->name.n; i++)
		if (!is_among(without, given->name.v[i]))
			quote_option(to, given->name.v[i], given->value.v[i]);
	for (size_t i = 0; i < files->n; i++) {
		tt_buf_text(to, i ? " " : "");
		if (files->v[i][0] == '-' && files->v[i][1])
			tt_buf_text(to, "./");        /* otherwise it would be read as an option */
		tt_shell_quote(to, files->v[i]);
	}
}

static bool
has_option(const struct verb *verb, const char *name)
{
	struct opt_row row;

	for (struct opt_walk w = opts_of(verb); opts_next(&w, &row);)
		if (strcmp(row.o.name, name) == 0)
			return true;
	return false;
}

void
opts_quote_shared(struct tt_buf *to, const struct opt_given *given, const struct verb *verb, const char *const *without)
{
	for (size_t i = 0; i < given->name.n; i++)
		if (has_option(verb, given->name.v[i]) && !is_among(without, given->name.v[i]))
			quote_option(to, given->name.v[i], given->value.v[i]);
}

/* The state of the parser. */
struct scan {
	const struct verb *verb;
	char *into;
	int argc, i;
	char *const *argv;
	struct tt_arena *arena;
	struct opt_list once;         /* options that may be given only once and were given */
};

#define WORD_MAX 40           /* bytes of a misspelt option for which a similar one is sought */

static int
unknown_option(const struct scan *s, const char *name, size_t n, struct tt_err *err)
{
	const char *best = NULL;
	size_t least = SIZE_MAX;
	struct opt_row row;
	char word[WORD_MAX + 1];

	if (n <= WORD_MAX) {
		memcpy(word, name, n);
		word[n] = '\0';
		for (struct opt_walk w = opts_of(s->verb); opts_next(&w, &row);) {
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
set(struct scan *s, const struct opt_row *row, const char *value, const char *shown, struct tt_err *err)
{
	int rc;

	if (row->o.once && s->once.n && is_among(s->once.v, row->o.name))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option %s is there twice, and one would undo the other: give it once", shown);
	rc = row->o.set(&row->o, s->into + row->base + row->o.at, value, s->arena, err);
	if (rc == TT_OK && row->o.once)
		rc = opt_list_add(&s->once, row->o.name, s->arena, err);

	if (rc == TT_OK && s->verb->given_at) {
		struct opt_given *given = (struct opt_given *)(void *)(s->into + s->verb->given_at);

		rc = opt_list_add(&given->name, row->o.name, s->arena, err);
		if (rc == TT_OK)
			rc = opt_list_add(&given->value, value, s->arena, err);
	}
	return rc == TT_E_USAGE ? tt_err_in(err, "option %s", shown) : rc;
}

/* The next argument as the value of ${shown}. */
static int
take_value(struct scan *s, const struct opt *o, const char *shown, const char **value, struct tt_err *err)
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
	struct opt_walk w = opts_of(s->verb);
	struct opt_row row;
	bool more;
	const struct opt *o = &row.o;
	char shown[64];
	int rc = TT_OK;

	while ((more = opts_next(&w, &row)) && (strlen(o->name) != n || memcmp(o->name, name, n) != 0))
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
		struct opt_row row;
		const struct opt *o = &row.o;
		struct opt_walk w = opts_of(s->verb);
		int rc = TT_OK;
		bool more;

		while ((more = opts_next(&w, &row)) && o->letter != *p)
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

int
opts_parse(
    const struct verb *verb, void *into, int argc, char *const *argv, struct tt_arena *a, struct tt_err *err)
{
	struct scan s = { .verb = verb, .into = into, .argc = argc, .argv = argv, .arena = a };
	struct opt_list *operand = (struct opt_list *)(void *)(s.into + verb->operand_at);
	bool options = true;

	for (; s.i < argc; s.i++) {
		const char *p = argv[s.i];
		int rc;

		if (options && strcmp(p, "--") == 0) {
			options = verb->sides && !operand->parted;
			if (options)
				operand->before = operand->n;
			operand->parted = true;
			continue;
		}
		if (!options || p[0] != '-' || p[1] == '\0')
			rc = opt_list_add(operand, p, a, err);
		else if (p[1] == '-')
			rc = parse_long(&s, err);
		else
			rc = parse_short(&s, err);
		if (rc != TT_OK)
			return rc;
	}
	return TT_OK;
}

/* --- texts ------------------------------------------------------------------ */

#define HELP_COLUMN 28

/* The columns of a UTF-8 text, one for each character. */
static unsigned
columns(const char *s, size_t n)
{
	unsigned c = 0;

	for (size_t i = 0; i < n; i++)
		c += ((unsigned char)s[i] & 0xc0) != 0x80;
	return c;
}

/* Cut ${text} into lines of at most ${width} columns, each after the first indented by ${indent}; the first has ${at} before it. */
static void
wrap(const char *text, unsigned indent, unsigned at, unsigned width, struct tt_buf *out)
{
	bool first = true;

	for (const char *p = text; *p;) {
		size_t n = strcspn(p, " \n");
		unsigned c = columns(p, n);

		if (!first && at + 1 + c > width) {
			tt_buf_printf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first && at > indent) {
			tt_buf_text(out, " ");
			at++;
		}
		tt_buf_add(out, p, n);
		at += c;
		first = false;
		p += n;
		if (*p == '\n') {     /* a paragraph's end */
			tt_buf_printf(out, "\n\n%*s", (int)indent, "");
			at = indent;
			first = true;
		}
		p += *p != '\0';
	}
	tt_buf_text(out, "\n");
}

static void
help_option(const struct opt *o, unsigned width, struct tt_buf *out)
{
	size_t start = out->n;
	unsigned at;

	if (o->letter)
		tt_buf_printf(out, "  -%c, --%s", o->letter, o->name);
	else
		tt_buf_printf(out, "      --%s", o->name);
	if (o->arg)
		tt_buf_printf(out, " %s", o->arg);
	at = (unsigned)(out->n - start);
	if (at + 2 > HELP_COLUMN)
		tt_buf_printf(out, "\n%*s", HELP_COLUMN, "");
	else
		tt_buf_printf(out, "%*s", (int)(HELP_COLUMN - at), "");
	wrap(o->help, HELP_COLUMN, HELP_COLUMN, width, out);
}

void
opts_help(const struct verb *verb, unsigned width, struct tt_buf *out)
{
	const char *gap = verb->name[0] ? " " : "";
	struct opt_row row;

	tt_buf_printf(
	    out, "Usage: tracetool%s%s [OPTION]... %s\n\n", gap, verb->name, verb->operands);
	wrap(verb->about, 0, 0, width, out);
	for (const struct opt_group *g = verb->group; g->title; g++) {
		tt_buf_printf(out, "\n%s:\n", g->title);
		for (struct opt_walk w = opts_of_group(g); opts_next(&w, &row);)
			help_option(&row.o, width, out);
	}
	if (verb->examples)
		tt_buf_printf(out, "\nExamples:\n%s", verb->examples);
	tt_buf_printf(
	    out, "\nManual: tracetool%s%s(1)\n", verb->name[0] ? "-" : "", verb->name);
}

void
opts_machine(const struct verb *verb, struct tt_buf *out)
{
	struct opt_row row;
	const struct opt *o = &row.o;

	for (struct opt_walk w = opts_of(verb); opts_next(&w, &row);) {
		if (o->letter)
			tt_buf_printf(out, "-%c ", o->letter);
		tt_buf_printf(
		    out, "--%s%s%s\n", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
	}
}

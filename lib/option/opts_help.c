/**
 * Prints the options of a verb: its help, and a list for tests.
 */
#include "option/opts.h"

#include <string.h>

#define HELP_COLUMN 28

/* Return the columns of a UTF-8 text, one for each character. */
static unsigned
columns(const char *s, size_t n)
{
	unsigned c = 0;

	for (size_t i = 0; i < n; i++)
		c += ((unsigned char)s[i] & 0xc0) != 0x80;
	return c;
}

/* Split ${text} into lines of at most ${width} columns, each after the first indented by ${indent}; ${at} columns precede the first line. */
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
		if (*p == '\n') {     /* the end of a paragraph */
			tt_buf_printf(out, "\n\n%*s", (int)indent, "");
			at = indent;
			first = true;
		}
		p += *p != '\0';
	}
	tt_buf_text(out, "\n");
}

static void
help_option(const struct tt_opt *o, unsigned width, struct tt_buf *out)
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
tt_opts_help(const struct tt_verb *verb, unsigned width, struct tt_buf *out)
{
	const char *gap = verb->name[0] ? " " : "";
	struct tt_opt_row row;

	tt_buf_printf(
	    out, "Usage: tracetool%s%s [OPTION]... %s\n\n", gap, verb->name, verb->operands);
	wrap(verb->about, 0, 0, width, out);
	for (const struct tt_opt_group *g = verb->group; g->title; g++) {
		if (!*g->title)
			continue;
		tt_buf_printf(out, "\n%s:\n", g->title);
		for (struct tt_opt_walk w = tt_opts_of_group(g); tt_opts_next(&w, &row);)
			help_option(&row.o, width, out);
	}
	if (verb->examples)
		tt_buf_printf(out, "\nExamples:\n%s", verb->examples);
	tt_buf_printf(
	    out, "\nManual: tracetool%s%.*s(1)\n", verb->name[0] ? "-" : "", (int)strcspn(verb->name, " "), verb->name);
}

void
tt_opts_list_for_tests(const struct tt_verb *verb, struct tt_buf *out)
{
	struct tt_opt_row row;
	const struct tt_opt *o = &row.o;

	for (struct tt_opt_walk w = tt_opts_shown(verb); tt_opts_next(&w, &row);) {
		if (o->letter)
			tt_buf_printf(out, "-%c ", o->letter);
		tt_buf_printf(
		    out, "--%s%s%s\n", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
	}
}

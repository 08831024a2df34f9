/**
 * Options from tables: one table of a verb gives its parser, its help text, its shell completions, and the
 * list that a test compares with the manual. The options of emitters and passes are rows, too, made from their registries.
 *
 * A row names a field of the verb's own struct by its offset and the function that reads
 * the value into it. Rows are in groups; a group may live in a struct inside the verb's (base),
 * so verbs share groups.
 *
 * Syntax: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, bundles of flags (-qv), "--" ends options; options
 * and operands may be mixed; "-" is an operand. Names are not abbreviated: scripts would break when a longer
 * name is added.
 */
#ifndef TT_CMD_OPTS_H
#define TT_CMD_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/option.h"

/* A repeatable option's values, or the operands; v is NULL-terminated, and NULL where there are none. */
struct opt_list {
	const char **v;
	size_t n, cap;
	bool parted;                  /* operands of a verb that has two sides: there was a "--" ... */
	size_t before;                /* ... after so many of them */
};

/* Options as they were given, and their values side by side; NULL for one that takes none. */
struct opt_given { struct opt_list name, value; };

struct opt_row;

struct opt {
	char letter;                  /* 0: none */
	const char *name;
	const char *arg;              /* what the value is called in texts; NULL: takes none */
	const char *help;             /* lower case, no final period */
	/* Read ${value} (NULL for a flag) into ${field}. The row is there for its limits. */
	int (*set)(const struct opt *o, void *field, const char *value, struct tt_arena *a,
	    struct tt_err *err);
	size_t at;                    /* offset of the field in the group's struct */
	uint64_t lo, hi;              /* opt_count; lo also of opt_size, whole MiB; 0 is no limit */
	const char *(*value)(size_t i);       /* the values there are, NULL after the last; NULL: any */
	/* Not NULL: the row is a list of options made elsewhere; all use its set and at. Fill ${row} with the ${i}th; false: there is none. */
	bool (*more)(size_t i, struct opt_row *row);
	bool once;                    /* a second one would undo the first: it is refused */
};

/* A row and where its group's struct is in the verb's. */
struct opt_row {
	struct opt o;
	size_t base;
	char help[400];               /* room for o.help */
};

struct opt_group {
	const char *title;
	const struct opt *opt;        /* ends with a row that has neither a name nor more */
	size_t base;                  /* offset of the group's struct in the verb's */
};

struct verb {
	const char *name;             /* "" for the command without a verb */
	const char *summary;          /* one line */
	const char *operands;         /* "FILE..." */
	const char *about;            /* paragraphs for the help text, cut into lines there */
	const char *examples;         /* lines as they are */
	const struct opt_group *group;        /* ends with one without a title */
	size_t operand_at;            /* offset of the struct opt_list of operands */
	size_t given_at;              /* and of the struct opt_given; 0: none */
	const char *(*operand)(size_t i);     /* the operands there are; NULL: files */
	bool sides;                   /* the first "--" parts the operands and ends no options; the second does */
};

/* --- how values are read: for opt.set ----------------------------------- */

#define OPT_SET(name) \
	int name(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)

OPT_SET(opt_flag);        /* bool */
OPT_SET(opt_text);        /* const char * */
OPT_SET(opt_add);         /* struct opt_list */
OPT_SET(opt_pattern);     /* const char *, a glob or regular expression */
OPT_SET(opt_patterns);    /* struct opt_list of them */
OPT_SET(opt_commas);      /* struct opt_list, cut at commas */
OPT_SET(opt_choice);      /* int: the place in value() */
OPT_SET(opt_count);       /* uint64_t, lo..hi */
OPT_SET(opt_size);        /* uint64_t, bytes */
OPT_SET(opt_duration);    /* int64_t, ns */
OPT_SET(opt_percent);     /* int64_t, 1/10000 */

/* Add ${s}, borrowed, to ${l}. */
int opt_list_add(struct opt_list *l, const char *s, struct tt_arena *a, struct tt_err *err);

/* --- tables at work ------------------------------------------------------ */

/**
 * opts_parse(verb, into, argc, argv, a, err):
 * Read ${argc} arguments (without program and verb) into the verb's struct ${into}, whose defaults
 * are already there. Values and operands are borrowed from ${argv}; lists come from ${a}.
 * Errors: TT_E_USAGE with the option and, for a misspelt one, the nearest there is; TT_E_NOMEM.
 */
int opts_parse(const struct verb *verb, void *into, int argc, char *const *argv, struct tt_arena *a,
    struct tt_err *err);

/* The help text of a verb in lines of at most ${width} columns. */
void opts_help(const struct verb *verb, unsigned width, struct tt_buf *out);

/* One option per line: "-o --output FILE", "--wrappers". What tests read. */
void opts_machine(const struct verb *verb, struct tt_buf *out);

/* A walk over the options of a verb, or of one group. */
struct opt_walk {
	const struct opt_group *group;
	const struct opt *opt;
	size_t more;                  /* options taken so far from a row that is a list */
	bool alone;                   /* the group is the last one */
};

struct opt_walk opts_of(const struct verb *verb);
struct opt_walk opts_of_group(const struct opt_group *g);

/* Fill ${row} with the next option; false: there are no more. */
bool opts_next(struct opt_walk *w, struct opt_row *row);

/* Make a row of an option that a registry declares: its name, argument, help after ${who}, and values. The list it is in sets it. */
void opts_row(const struct tt_option *t, const char *who, struct opt_row *row);

/* Read ${value} into ${field} as ${t} has it, which is not TT_OPTION_OTHER. */
int opts_read(const struct tt_option *t, void *field, const char *value, struct tt_arena *a, struct tt_err *err);

/* How often is ${name} in ${given}? */
size_t opts_given(const struct opt_given *given, const char *name);

/* Append an argument as a shell reads it. */
void opts_quote(struct tt_buf *to, const char *s);

/* The same without those that ${without}, ended by NULL, names. */
void opts_quote_without(struct tt_buf *to, const struct opt_given *given, const struct opt_list *files, const char *const *without);

/* The same of those alone that the command ${verb} has, too; each is followed by a blank. */
void opts_quote_shared(struct tt_buf *to, const struct opt_given *given, const struct verb *verb, const char *const *without);

/* Append those of ${given} that choose what a command looks at, and the files: for a command that looks at the same. ${but}: without that one. */
void opts_quote_given(struct tt_buf *to, const struct opt_given *given, const struct opt_list *files, const char *but);

/**
 * opts_nearest(word, value):
 * The one of value(0), value(1), ... that ${word} is most likely a misspelling or beginning of, or NULL.
 */
const char *opts_nearest(const char *word, const char *(*value)(size_t i));

#endif

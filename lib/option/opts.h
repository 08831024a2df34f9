/**
 * Options from tables: one table of a verb supplies its parser, its help text, its shell completions, and the list that a test compares with the manual.
 * Options of emitters and passes are rows, too, made from their registries.
 *
 * A row names a field of the verb's struct by its offset, and the function that reads the value into it. Rows are in groups; a group may use a struct inside
 * the verb's (base), so verbs can share groups.
 *
 * Syntax: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, bundles of flags (-qv); "--" ends options; options and operands may be mixed; "-" is an operand.
 * Names cannot be abbreviated, because scripts would break when a longer name is added.
 */
#ifndef TT_OPTION_OPTS_H
#define TT_OPTION_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/option.h"

/* Options as given, and their values at the same index; NULL for an option without a value. */
struct tt_opt_given { struct tt_list name, value; };

struct tt_opt_row;

struct tt_opt {
	char letter;                  /* short name; 0: no short name */
	const char *name;
	const char *arg;              /* name of the value in texts; NULL: the option takes no value */
	const char *help;             /* lower case, no final period */
	/* Read ${value} (NULL for a flag) into ${field}. ${o} is the row, for its limits. */
	int (*set)(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a,
	    struct tt_err *err);
	size_t at;                    /* offset of the field in the group's struct */
	uint64_t lo, hi;              /* limits of tt_opt_count; for tt_opt_size lo is the minimum in bytes, and the value 0 (no limit) is always allowed */
	const char *(*value)(size_t i);       /* the allowed values, NULL after the last; NULL: any */
	/* If not NULL, the row is a list of options made elsewhere, which share its set and at. Fill ${row} with the ${i}th one. False: no more options. */
	bool (*list_row)(size_t i, struct tt_opt_row *row);
	bool is_once_only;            /* true: a second occurrence is refused, because it would undo the first */
};

/* A row with the offset of its group's struct in the verb's. */
struct tt_opt_row {
	struct tt_opt o;
	size_t base;
	char help[400];               /* buffer for o.help */
};

struct tt_opt_group {
	const char *title;            /* "": accepted, but hidden from help, completion and lists: options of an earlier spelling */
	const struct tt_opt *opt;        /* ends with a row that has neither a name nor more */
	size_t base;                  /* offset of the group's struct in the verb's */
};

struct tt_verb {
	const char *name;             /* "" for the command without a verb */
	const char *summary;          /* one line */
	const char *operands;         /* "FILE..." */
	const char *about;            /* paragraphs for the help text, cut into lines there */
	const char *examples;         /* lines printed unchanged */
	const struct tt_opt_group *group;        /* ends with a group without a title */
	size_t operand_at;            /* offset of the struct tt_list of operands */
	size_t given_at;              /* offset of the struct tt_opt_given; 0: the verb keeps no such list */
	const char *(*operand)(size_t i);     /* the allowed operands; NULL: files */
	const struct tt_verb *related_verb; /* a verb for which an unknown option may be meant; NULL: no such verb */
	bool has_sides;               /* true: the first "--" separates two sides of operands; the second ends options */
};

/* --- how values are read: for opt.set ----------------------------------- */

#define TT_OPT_SET(name) \
	int name(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)

TT_OPT_SET(tt_opt_flag);        /* bool */
TT_OPT_SET(tt_opt_text);        /* const char * */
TT_OPT_SET(tt_opt_add);         /* struct tt_list */
TT_OPT_SET(tt_opt_pattern);     /* const char *, a glob or regular expression */
TT_OPT_SET(tt_opt_patterns);    /* struct tt_list of such patterns */
TT_OPT_SET(tt_opt_commas);      /* struct tt_list, split at commas */
TT_OPT_SET(tt_opt_choice);      /* int: index in value() */
TT_OPT_SET(tt_opt_count);       /* uint64_t, lo..hi */
TT_OPT_SET(tt_opt_size);        /* uint64_t, bytes */
TT_OPT_SET(tt_opt_duration);    /* int64_t, ns */
TT_OPT_SET(tt_opt_percent);     /* int64_t, 1/10000 */

/* --- tables at work ------------------------------------------------------ */

/**
 * tt_opts_parse(verb, into, argc, argv, a, err):
 * Read ${argc} arguments (without program and verb) into the verb's struct ${into}, which already has the defaults. Values and operands are borrowed from
 * ${argv}; lists are allocated in ${a}.
 * Errors: TT_E_USAGE with the option and, if it is misspelt, the most similar one; TT_E_NOMEM.
 */
int tt_opts_parse(const struct tt_verb *verb, void *into, int argc, char *const *argv, struct tt_arena *a,
    struct tt_err *err);

/* Append the help text of a verb in lines of at most ${width} columns. */
void tt_opts_help(const struct tt_verb *verb, unsigned width, struct tt_buf *out);

/* Append one option a line, for tests: its letter, its name, the name of its value. */
void tt_opts_list_for_tests(const struct tt_verb *verb, struct tt_buf *out);

/* Iterates over the options of a verb, or of one group. */
struct tt_opt_walk {
	const struct tt_opt_group *group;
	const struct tt_opt *opt;
	size_t nlist_taken;           /* number of options taken so far from a row that is a list */
	bool is_last_group;           /* true: the group is the last one */
	bool skips_hidden;            /* true: leave out hidden groups */
};

struct tt_opt_walk tt_opts_of(const struct tt_verb *verb);
struct tt_opt_walk tt_opts_shown(const struct tt_verb *verb);         /* without hidden options */
struct tt_opt_walk tt_opts_of_group(const struct tt_opt_group *g);

/* Fill ${row} with the next option. False: no more options. */
bool tt_opts_next(struct tt_opt_walk *w, struct tt_opt_row *row);

/* Make the row of an option that a registry declares: its name, argument, help (after ${who}), and values. The list that contains the row sets its field. */
void tt_opts_row(const struct tt_option *t, const char *who, struct tt_opt_row *row);

/* Read ${value} into ${field} as the kind of ${t} says; not for TT_OPTION_OTHER. */
int tt_opts_read(const struct tt_option *t, void *field, const char *value, struct tt_arena *a, struct tt_err *err);

/* True if an argument before "--" is the option --${name}, with or without a value. */
bool tt_opts_has_argument(int argc, char *const *argv, const char *name);

/* Return how often ${name} is in ${given}. */
size_t tt_opts_given(const struct tt_opt_given *given, const char *name);

/* Append the options ${given}, except those in ${without} (NULL-terminated), and the files, quoted for a shell. */
void tt_opts_quote_without(struct tt_buf *to, const struct tt_opt_given *given, const struct tt_list *files, const char *const *without);

/* Append the options ${given} that the command ${verb} has, too, except those in ${without}; each is followed by a blank. */
void tt_opts_quote_shared(struct tt_buf *to, const struct tt_opt_given *given, const struct tt_verb *verb, const char *const *without);

/* Append the options ${given} that choose what a command looks at, except ${but}, and the files. */
void tt_opts_quote_given(struct tt_buf *to, const struct tt_opt_given *given, const struct tt_list *files, const char *but);

#endif

/**
 * Options of an emitter or a pass, as data.
 *
 * From these rows the command line makes its list of options, its help, its completions and its checks. Only the command line
 * reads arguments.
 */
#ifndef TT_BASE_OPTION_H
#define TT_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind of an option's value, and the type of the field that it sets; without the option the field stays as it is. */
enum tt_option_kind {
	TT_OPTION_FLAG,               /* takes no value: bool */
	TT_OPTION_COUNT,              /* lo to hi: uint64_t */
	TT_OPTION_SIZE,               /* bytes: uint64_t */
	TT_OPTION_PERCENT,            /* in 1/10000: int64_t */
	TT_OPTION_CHOICE,             /* one of value(), stored as its number from 1: int */
	TT_OPTION_CHAR,               /* one of chars, or "tab": char */
	TT_OPTION_TABLE,              /* one of value(), most of which are tables of passes: const char * */
	TT_OPTION_OTHER,              /* read by code of the command line, which knows the field, too */
};

struct tt_option {
	const char *name, *arg, *help;        /* arg: the name of the value in texts; help: refers to another option as "{name}" */
	enum tt_option_kind kind;
	size_t at;                    /* offset of the field that the option sets */
	uint64_t min, max;
	const char *(*value)(size_t i);       /* the allowed values; NULL after the last */
	const char *chars;
	/* For emitters. */
	bool is_positional;           /* true: the option applies to the outputs after it; if given once, to all */
	bool splits_output;           /* true: the option splits an output into several files */
	const char *needs_option;     /* another option, without which this one has no effect */
	/* For passes. */
	const char *table;            /* the table that the option asks for, or a pass: all its tables */
	const char *replaces;         /* a table that ${table} replaces if it was asked for */
	bool if_no_table;             /* true: the option asks for ${table} only if no table was asked for */
};

#endif

/**
 * Options of an emitter or a pass, as data.
 *
 * The command line makes its list of options, its help, its completions and its checks of these rows. Nothing below it reads
 * an argument.
 */
#ifndef TT_BASE_OPTION_H
#define TT_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind of a value, and the type of its field; without the option the field stays as it is. */
enum tt_option_kind {
	TT_OPTION_FLAG,               /* takes no value: bool */
	TT_OPTION_COUNT,              /* lo to hi: uint64_t */
	TT_OPTION_SIZE,               /* bytes: uint64_t */
	TT_OPTION_PERCENT,            /* in 1/10000: int64_t */
	TT_OPTION_CHOICE,             /* one of value(): its place, from 1: int */
	TT_OPTION_CHAR,               /* one of chars, or "tab": char */
	TT_OPTION_TABLE,              /* one of value(), most of which are tables of passes: const char * */
	TT_OPTION_OTHER,              /* the command line knows how to read it, and where to */
};

struct tt_option {
	const char *name, *arg, *help;        /* arg: what the value is called in texts; help names another option as "{name}" */
	enum tt_option_kind kind;
	size_t at;                    /* offset of the field */
	uint64_t lo, hi;
	const char *(*value)(size_t i);       /* NULL after the last */
	const char *chars;
	/* For emitters. */
	bool follows;                 /* it is for the outputs that follow; given once, for all */
	bool files;                   /* it makes several files of one */
	const char *with;             /* the option without which it means nothing */
	/* For passes. */
	const char *table;            /* the table that it asks for, or the pass, of which that is all */
	const char *instead;          /* which takes this one's place, where it was asked for */
	bool alone;                   /* only where no table was asked for */
};

#endif

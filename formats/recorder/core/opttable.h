/**
 * A recorder's options as a table, and the parser for all such tables. The table has names, allowed values and fields of options; the parser splits the text,
 * stores the values and words the errors. Uses libc only; allocates nothing.
 */
#ifndef TT_OPTTABLE_H
#define TT_OPTTABLE_H

#include "recorder/core/optval.h"

enum { OPTTABLE_TEXT = 8192, OPTTABLE_LISTS = 8, OPTTABLE_WHY = 1024 };

/* The beginning of each recorder's struct of options. */
struct opttable_values {
	uint64_t bad;                 /* a bit for each option whose last value could not be read */
	unsigned n[OPTTABLE_LISTS];   /* entries of each list */
	size_t used;
	char text[OPTTABLE_TEXT];     /* entries of all lists: a byte with the list's number, the text, NUL */
};

/* Kinds of values, and the types of the fields that hold them. */
enum opttable_kind {
	OPTTABLE_BOOL,        /* bool: "yes" or "no"; the option's name alone means yes */
	OPTTABLE_NUMBER,      /* with the name alone: yes */
	OPTTABLE_SIZE,        /* uint64_t, bytes */
	OPTTABLE_TIME,        /* uint64_t, ns */
	OPTTABLE_RANGE,       /* two of uint64_t: "7", "7-9", "7-" (up to 0: no end), "-9" (from 1) */
	OPTTABLE_WORD,        /* uint64_t: the value of one of the option's words */
	OPTTABLE_WORDS,       /* uint64_t: the values of some words with commas between, or-ed */
	OPTTABLE_PATH,        /* char[OPTVAL_PATH] */
	OPTTABLE_LIST,        /* entries of a list, with commas between */
	OPTTABLE_ENTRY,       /* one entry of a list */
	OPTTABLE_OWN,         /* parsed by the option's own function */
};

struct opttable_word { const char *text; uint64_t value; };

struct opttable_option {
	const char *name;
	enum opttable_kind kind;
	size_t at;                    /* offset of the field; OPTTABLE_LIST and OPTTABLE_ENTRY: the list's number */
	const char *form;             /* the form of values, for messages such as "want a size such as 32M" */
	uint64_t min, max;            /* limits of numbers, sizes, times; max 0: no limit */
	uint64_t bare;                /* the value if only the option's name is given; 0: a value is required */
	char with;                    /* OPTTABLE_ENTRY: a byte that the entry must contain */
	bool key;                     /* true: at least one other byte must precede ${with} */
	bool filter;                  /* true: the option leaves out events, so if it cannot be read, a recording would hold more than was asked for */
	const char *preset;           /* default, as a user would write it; NULL: zero */
	const struct opttable_word *words;    /* ended by a NULL text */
	bool (*own)(struct opttable_values *to, const char *s, size_t n);     /* NULL ${s}: no value was given */
};

struct opttable {
	const struct opttable_option *option;
	unsigned n;                   /* at most 64 */
	const char *between;          /* bytes that end an option */
	bool doubled;                 /* true: two such bytes stand for one in a value; false: blanks around options are skipped */
};

/* Set the defaults; the rest of ${to} must be zero. */
void opttable_init(const struct opttable *t, struct opttable_values *to);

/**
 * opttable_read(t, to, s, n, why):
 * Read the options in the ${n} bytes at ${s}. Lists grow; other values are replaced. Returns 0, or -1 with all errors in one line in ${why}; good options are
 * set, and a bad one keeps its former value (a list may have got some of its entries).
 */
int opttable_read(const struct opttable *t, struct opttable_values *to, const char *s, size_t n, char why[OPTTABLE_WHY]);

/* Return the name of a filter whose value could not be read, or NULL. */
const char *opttable_bad_filter(const struct opttable *t, const struct opttable_values *v);

/* Append the ${n} bytes at ${s} to ${list}. False: they are empty, or there is no room. */
bool opttable_add(struct opttable_values *to, unsigned list, const char *s, size_t n);

/* Return the entry of ${list} after ${last} (NULL: the first entry), or NULL. */
const char *opttable_next(const struct opttable_values *v, unsigned list, const char *last);

#endif

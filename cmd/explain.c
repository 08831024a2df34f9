/**
 * Finds what words of reports and of the manual mean: tracetool list WORD.
 */
#include "explain.h"

#include <stdint.h>
#include <string.h>

#include "base/spelling.h"
#include "definitions.h"

/* A word to complete: all but columns, whose ids are in many tables, and tables of other commands, which may be called like those of stats. */
struct count {
	size_t left;
	const char *word;
};

static void
count_word(void *arg, const struct definition *d)
{
	struct count *c = arg;

	if (!c->word && d->kind != DEF_COLUMN && d->kind != DEF_OTHER && !(d->kind == DEF_TABLE && d->command) && !strpbrk(d->name[0], " ,") && c->left-- == 0)
		c->word = d->name[0];
}

const char *
explain_word(size_t i)
{
	struct count c = { i, NULL };

	definitions_each(count_word, &c);
	return c.word;
}

/* The words asked for, and what was found for them. */
struct search {
	const char *const *word;
	size_t nword;
	bool *found;
	struct tt_report *r;
};

static void
look_at(void *arg, const struct definition *d)
{
	struct search *s = arg;
	bool any = false;

	for (size_t i = 0; i < s->nword; i++) {
		if (definition_named(d, s->word[i]))
			any = s->found[i] = true;
	}
	if (any)
		definition_row(s->r, d);
}

/* The name most similar to a word. */
struct nearest {
	const char *word, *best;
	size_t least;
};

static void
compare(void *arg, const struct definition *d)
{
	struct nearest *n = arg;

	for (size_t i = 0; i < DEF_NAMES && d->name[i]; i++) {
		size_t distance = tt_word_distance(n->word, d->name[i]);

		if (distance < n->least) {
			n->least = distance;
			n->best = d->name[i];
		}
	}
}

const char *
explain_nearest(const char *word)
{
	struct nearest n = { word, NULL, SIZE_MAX };

	definitions_each(compare, &n);
	return n.best;
}

void
explain_add(const char *const *word, size_t n, bool *found, struct tt_report *r)
{
	struct search s = { word, n, found, r };

	definitions_each(look_at, &s);
}

/**
 * Finds what words of reports and of the manual mean: tracetool list WORD.
 */
#include "explain.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/spelling.h"
#include "definitions.h"
#include "gate/measure.h"
#include "model/format.h"
#include "model/loss.h"
#include "out/render.h"
#include "out/table.h"
#include "pass/pass.h"

/* --- names ----------------------------------------------------------------- */

/* True if the word of ${n} bytes is one of the names in ${list}, which are separated by ", ". */
static bool
one_of(const char *list, const char *word, size_t n)
{
	for (const char *p = list; *p;) {
		size_t len = strcspn(p, ",");

		if (len == n && strncasecmp(p, word, n) == 0)
			return true;
		p += len;
		p += strspn(p, ", ");
	}
	return strlen(list) == n && strncasecmp(list, word, n) == 0;
}

/* True if the word is TABLE/COLUMN, such as "markers/self_ns". */
static bool
is_path(const struct definition *d, const char *word, size_t n)
{
	const struct tt_pass_table *t = d->of;
	const char *slash = memchr(word, '/', n);
	size_t at = slash ? (size_t)(slash - word) : 0;

	return slash && strlen(t->id) == at && strncasecmp(t->id, word, at) == 0 && one_of(d->name[0], slash + 1, n - at - 1);
}

/* True if the word is METRIC.STATISTIC, such as "frame.time.p95". */
static bool
is_statistic(const struct definition *d, const char *word, size_t n)
{
	const struct tt_metric *m = d->of;
	size_t len = strlen(m->name);

	if (n <= len + 1 || strncasecmp(m->name, word, len) != 0 || word[len] != '.')
		return false;
	for (unsigned k = 0; k < TT_STATS; k++) {
		if ((m->stats & 1u << k) && one_of(tt_stat_name[k], word + len + 1, n - len - 1))
			return true;
	}
	return false;
}

/* True if a format calls the loss ${word}. */
static bool
is_said(const struct definition *d, const char *word)
{
	size_t k = (size_t)((const struct tt_loss_info *)d->of - tt_loss_info);

	for (const struct tt_format *const *f = tt_formats; *f; f++)
		if ((*f)->loss_words && (*f)->loss_words[k].text && strcasecmp((*f)->loss_words[k].text, word) == 0)
			return true;
	return false;
}

/* True if the word is a column's heading as people see it, with the suffix of its unit: "self %". */
static bool
is_heading(const struct definition *d, const char *word)
{
	const struct tt_col *col = d->in;
	const char *suffix = tt_column_suffix(col->unit);
	size_t n = strlen(col->title);

	return *suffix && strncasecmp(word, col->title, n) == 0 && strcmp(word + n, suffix) == 0;
}

/* True if ${word} is a name of ${d}; case does not matter. A column is also called TABLE/COLUMN, a metric METRIC.STATISTIC, both with [ROW]. */
static bool
is_named(const struct definition *d, const char *word)
{
	const bool column = d->kind == DEF_COLUMN || d->kind == DEF_OTHER;
	const char *bracket = column || d->kind == DEF_METRIC ? strchr(word, '[') : NULL;
	size_t n = bracket ? (size_t)(bracket - word) : strlen(word);

	for (size_t i = 0; i < DEF_NAMES && d->name[i]; i++) {
		/* Terms may be given in the plural. */
		if (one_of(d->name[i], word, n) || (d->kind == DEF_TERM && n > 1 && word[n - 1] == 's' && one_of(d->name[i], word, n - 1)))
			return true;
	}
	return (column && (is_path(d, word, n) || is_heading(d, word))) || (d->kind == DEF_METRIC && is_statistic(d, word, n)) ||
	    (d->kind == DEF_LOSS && is_said(d, word));
}

/* --- searches --------------------------------------------------------------- */

/*
 * A walk over the words to complete: all except columns, whose ids occur in many tables, and tables of other commands, which may have the names of tables of
 * stats.
 */
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
		if (is_named(d, s->word[i]))
			any = s->found[i] = true;
	}
	if (any)
		definition_row(s->r, d, false);
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

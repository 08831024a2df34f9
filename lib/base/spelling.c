/**
 * Counts the edits between two words, for "did you mean".
 */
#include "base/spelling.h"

#include <stdint.h>
#include <string.h>

#define WORD_MAX 40

static size_t
min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Count the edits from ${a} to ${b}: insert, delete, replace, swap two neighbours. */
static size_t
edits(const char *a, size_t na, const char *b, size_t nb)
{
	size_t row[3][WORD_MAX + 1];  /* the last two rows and this one, in turn */

	for (size_t j = 0; j <= nb; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *now = row[i % 3];
		const size_t *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			now[j] = min3(up[j] + 1, now[j - 1] + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    up2[j - 2] + 1 < now[j])
				now[j] = up2[j - 2] + 1;
		}
	}
	return row[na % 3][nb];
}

size_t
tt_word_distance(const char *word, const char *candidate)
{
	size_t n = strlen(word), m = strlen(candidate), d;

	if (n == 0 || n > WORD_MAX || m > WORD_MAX)
		return SIZE_MAX;
	if (n >= 2 && n < m && memcmp(word, candidate, n) == 0)
		return 1;
	d = edits(word, n, candidate, m);
	return d < n && (d == 1 || 3 * d <= n) ? d : SIZE_MAX;
}

const char *
tt_nearest_word(const char *word, const char *(*value)(size_t i))
{
	const char *best = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; value(i); i++) {
		size_t d = tt_word_distance(word, value(i));

		if (d < least) {
			least = d;
			best = value(i);
		}
	}
	return best;
}

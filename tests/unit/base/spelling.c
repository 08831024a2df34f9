/* Tests of base/spelling.h. */
#include "check.h"

#include <stdint.h>

#include "base/spelling.h"

/* The least number of edits from the first ${n} letters of ${a} to the first ${m} of ${b}, by trying each last edit. */
static size_t
edits(const char *a, size_t n, const char *b, size_t m)
{
	size_t least, d;

	if (n == 0 || m == 0)
		return n + m;
	least = edits(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
	d = edits(a, n - 1, b, m) + 1;
	least = d < least ? d : least;
	d = edits(a, n, b, m - 1) + 1;
	least = d < least ? d : least;
	if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1]) {
		d = edits(a, n - 2, b, m - 2) + 1;
		least = d < least ? d : least;
	}
	return least;
}

static void
make_word(char *to, size_t n, unsigned *seed)
{
	for (size_t i = 0; i < n; i++) {
		*seed = *seed * 1103515245 + 12345;
		to[i] = (char)('a' + (*seed >> 16) % 3);
	}
	to[n] = 0;
}

TEST(a_beginning_is_one_edit_away)
{
	CHECK_EQ_INT(tt_word_distance("ma", "markers"), 1);
	CHECK_EQ_INT(tt_word_distance("marker", "markers"), 1);
	/* One letter, and the whole word, are no beginning. */
	CHECK(tt_word_distance("m", "markers") == SIZE_MAX);
	CHECK_EQ_INT(tt_word_distance("markers", "markers"), 0);
}

TEST(each_kind_of_edit_counts_one)
{
	CHECK_EQ_INT(tt_word_distance("framess", "frames"), 1);
	CHECK_EQ_INT(tt_word_distance("fames", "frames"), 1);
	CHECK_EQ_INT(tt_word_distance("frbmes", "frames"), 1);
	CHECK_EQ_INT(tt_word_distance("farmes", "frames"), 1);
	CHECK_EQ_INT(tt_word_distance("rfames", "frames"), 1);
	CHECK_EQ_INT(tt_word_distance("framse", "frames"), 1);
	CHECK_EQ_INT(tt_word_distance("farmse", "frames"), 2);
}

TEST(a_misspelling_has_one_edit_or_one_in_three_letters)
{
	CHECK_EQ_INT(tt_word_distance("abc", "abd"), 1);
	CHECK_EQ_INT(tt_word_distance("ab", "xb"), 1);
	CHECK(tt_word_distance("a", "b") == SIZE_MAX);
	CHECK(tt_word_distance("abcde", "abxye") == SIZE_MAX);
	CHECK_EQ_INT(tt_word_distance("abcdef", "abxyef"), 2);
	CHECK(tt_word_distance("abcdefgh", "abxyzfgh") == SIZE_MAX);
	CHECK_EQ_INT(tt_word_distance("abcdefghi", "abxyzfghi"), 3);
	CHECK(tt_word_distance("", "a") == SIZE_MAX);
	CHECK(tt_word_distance("", "") == SIZE_MAX);
}

TEST(words_of_up_to_40_letters_are_compared)
{
	char forty[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmn", other[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmX";
	char longer[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnX";

	CHECK_EQ_INT(tt_word_distance(forty, other), 1);
	CHECK(tt_word_distance(longer, forty) == SIZE_MAX);
	CHECK(tt_word_distance(forty + 1, longer) == SIZE_MAX);
}

TEST(edits_are_the_least_of_all_ways)
{
	unsigned seed = 7;
	char a[8], b[8];

	for (int i = 0; i < 3000; i++) {
		size_t n = 2 + (size_t)i % 6, m = 1 + (size_t)(i / 6) % 7, want;

		make_word(a, n, &seed);
		make_word(b, m, &seed);
		want = n < m && memcmp(a, b, n) == 0 ? 1 : edits(a, n, b, m);
		CHECK(tt_word_distance(a, b) == (want < n && (want == 1 || 3 * want <= n) ? want : SIZE_MAX));
	}
}

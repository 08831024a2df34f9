/**
 * Matches names by globs and regular expressions, and times by a filter.
 */
#include "model/filter.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/utf8.h"

void
tt_filter_init(struct tt_filter *f)
{
	*f = (struct tt_filter){ .from = INT64_MIN, .to = INT64_MAX };
}

const struct tt_span *
tt_filter_hole(const struct tt_filter *f, int64_t ts)
{
	size_t from = tt_lower_bound(k, 0, f->nhole, f->hole[k].to <= ts);

	return from < f->nhole ? &f->hole[from] : NULL;
}

bool
tt_filter_misses(const struct tt_filter *f, int64_t from, int64_t to)
{
	const struct tt_span *hole = f->nhole ? tt_filter_hole(f, from) : NULL;

	return from >= f->to || to < f->from || (hole && hole->from <= from && to < hole->to);
}

bool
tt_filter_covers(const struct tt_filter *f, int64_t from, int64_t to)
{
	const struct tt_span *hole = f->nhole ? tt_filter_hole(f, from) : NULL;

	return from >= f->from && to < f->to && (!hole || to < hole->from);
}

int64_t
tt_filter_clip(const struct tt_filter *f, int64_t *from, int64_t *to)
{
	const struct tt_span *hole, *end = f->hole + f->nhole;
	int64_t n;

	if (f->from >= f->to || *from >= f->to || (*to <= f->from && *from < f->from))
		return -1;
	*from = *from < f->from ? f->from : *from;
	*to = *to > f->to ? f->to : *to;
	if (f->nhole == 0 || !(hole = tt_filter_hole(f, *from)))
		return *to - *from;
	if (hole->from <= *from) {
		if (*to <= hole->to)
			return -1;
		*from = hole++->to;
	}
	n = *to - *from;
	for (; hole < end && hole->from < *to; hole++) {
		n -= (*to < hole->to ? *to : hole->to) - hole->from;
		*to = *to < hole->to ? hole->from : *to;
	}
	return n;
}

bool
tt_filter_needs_text(const struct tt_filter *f)
{
	/*
	 * Frames become times, and thread globs match names that may be defined after their use. Marker and
	 * category only choose rows, and what writes zones one by one asks for text itself.
	 */
	return f->has_frames || f->from_label || f->to_label || f->thread || f->player_only;
}

/* The length of the character at ${s}; a byte that is not UTF-8 counts as one. */
static size_t
char_len(const char *s)
{
	size_t len = tt_utf8_len(s, strnlen(s, 4));

	return len ? len : 1;
}

/* The end of the set that begins at ${p} ("["), after its "]"; NULL if it never ends: then "[" is a plain character. */
static const char *
set_end(const char *p)
{
	p++;
	if (*p == '!' || *p == '^')
		p++;
	if (*p == ']')
		p++;
	for (; *p && *p != ']'; p++) {
		if (*p == '\\' && p[1])
			p++;
	}
	return *p ? p + 1 : NULL;
}

/* Take one character of a set and step over it; a character follows each backslash, because the set has its end. */
static uint32_t
set_char(const char **p)
{
	size_t len;
	uint32_t c;

	if (**p == '\\')
		(*p)++;
	len = char_len(*p);
	c = tt_utf8_code(*p, len);
	*p += len;
	return c;
}

/* True if ${c} is in the set from ${p} ("[") to ${end}. */
static bool
set_has(const char *p, const char *end, uint32_t c)
{
	bool negate, found = false;

	p++;
	negate = *p == '!' || *p == '^';
	p += negate;
	/* A "]" right at the beginning is a member, so the loop tests at its end. */
	do {
		uint32_t first = set_char(&p), last = first;

		if (*p == '-' && p + 1 < end - 1) {
			p++;
			last = set_char(&p);
		}
		found |= c >= first && c <= last;
	} while (p < end - 1);
	return found != negate;
}

/* Match one character of the text against one item of the pattern (not "*"); step over both, or false. */
static bool
match_one(const char **p, const char **s)
{
	size_t len = char_len(*s);
	uint32_t c = tt_utf8_code(*s, len);
	const char *end;
	size_t plen;

	if (**p == '?') {
		(*p)++;
		*s += len;
		return true;
	}
	if (**p == '[' && (end = set_end(*p)) != NULL) {
		if (!set_has(*p, end, c))
			return false;
		*p = end;
		*s += len;
		return true;
	}
	if (**p == '\\' && (*p)[1])
		(*p)++;
	plen = char_len(*p);
	if (plen != len || memcmp(*p, *s, len) != 0)
		return false;
	*p += len;
	*s += len;
	return true;
}

/*
 * Backtrack to the last star only: whatever an earlier star could take more or less of, the last one makes up for.
 * So the match is exact, and the time is O(pattern * text).
 */
static bool
match(const char *p, const char *s)
{
	const char *star = NULL, *again = NULL;

	while (*s) {
		const char *p0 = p;

		if (*p == '*') {
			star = ++p;
			again = s;
			continue;
		}
		if (*p && match_one(&p, &s))
			continue;
		p = p0;
		if (!star)
			return false;
		p = star;
		again += char_len(again);
		s = again;
	}
	while (*p == '*')
		p++;
	return *p == '\0';
}

#define REGEX "re:"

static bool
is_regex(const char *pattern)
{
	return strncmp(pattern, REGEX, sizeof REGEX - 1) == 0;
}

/* Compiled for each text: patterns meet each name once, and this keeps no state anywhere. */
static bool
match_regex(const char *pattern, const char *text)
{
	regex_t re;
	bool found;

	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	found = regexec(&re, text, 0, NULL, 0) == 0;
	regfree(&re);
	return found;
}

/* Limits of an expression with its "{N}" repetitions written out, as regcomp() compiles it: memory and time grow with its length. */
enum { MAX_REGEX_SIGNS = 500, MAX_REGEX_DEPTH = 32 };

/* The largest count of "{N}", "{N,}" or "{N,M}" at ${p}; *${end}: the place after it. */
static size_t
read_repetition(const char *p, const char **end)
{
	char *next;
	const size_t from = strtoul(p + 1, &next, 10);
	size_t to = from;

	/* Without an upper bound, one more copy repeats for ever. */
	if (*next == ',' && (to = strtoul(next + 1, &next, 10)) < from)
		to = from + 1;
	*end = *next == '}' ? next + 1 : next;
	return to;
}

/* The number of characters of ${p} with repetitions written out; beyond MAX_REGEX_SIGNS, any larger number. */
static size_t
count_regex_signs(const char *p)
{
	size_t sum[MAX_REGEX_DEPTH + 1] = { 0 }, last = 0, n;
	unsigned depth = 0;

	while (*p && sum[depth] <= MAX_REGEX_SIGNS) {
		if (*p == '{' && p[1] >= '0' && p[1] <= '9') {
			n = read_repetition(p, &p);
			n = n <= MAX_REGEX_SIGNS ? n : MAX_REGEX_SIGNS + 1;
			sum[depth] += last * (n - 1);
			last *= n;
			continue;
		}
		if (*p == '(') {
			if (depth == MAX_REGEX_DEPTH)
				return MAX_REGEX_SIGNS + 1;
			sum[++depth] = 0;
		} else if (*p == ')' && depth > 0) {
			last = sum[depth--];
			sum[depth] += last;
		} else if (!strchr("*+?|)", *p)) {
			p += *p == '\\' && p[1];
			last = 1;
			sum[depth]++;
		}
		p++;
	}
	return sum[depth];
}

/* True if the expression has a back-reference, as in "(a)\1": with one, matching a name of some hundred characters may take minutes. */
static bool
has_back_reference(const char *p)
{
	for (; *p; p++) {
		if (*p == '\\' && p[1] >= '1' && p[1] <= '9')
			return true;
		p += *p == '\\' && p[1];
	}
	return false;
}

int
tt_pattern_check(const char *pattern, struct tt_err *err)
{
	char why[96];
	regex_t re;
	int code;

	if (!is_regex(pattern)) {
		/* "int[]" is a name; a set that never ends is a slip. */
		for (const char *p = pattern; *p; p++) {
			if (*p == '[' && !strchr(p, ']'))
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\": the set from \"[\" on has no \"]\"; write \"\\[\" for the sign", pattern);
			p += *p == '\\' && p[1];
		}
		return TT_OK;
	}
	if (count_regex_signs(pattern + sizeof REGEX - 1) > MAX_REGEX_SIGNS)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%.60s\" is more than %d signs long once its {N} are written out: repeat less", pattern,
		    MAX_REGEX_SIGNS);
	if (has_back_reference(pattern + sizeof REGEX - 1))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" refers back to a group with \"\\N\", which is not supported: write it out", pattern);
	code = regcomp(&re, pattern + sizeof REGEX - 1, REG_EXTENDED | REG_NOSUB);
	if (code == 0) {
		regfree(&re);
		return TT_OK;
	}
	regerror(code, &re, why, sizeof why);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not a regular expression: %s", pattern, why);
}

bool
tt_pattern_is_plain(const char *pattern)
{
	return !is_regex(pattern) && !strpbrk(pattern, "*?[\\");
}

bool
tt_glob(const char *pattern, const char *text)
{
	if (is_regex(pattern))
		return match_regex(pattern + sizeof REGEX - 1, text);
	if (tt_pattern_is_plain(pattern))
		return strstr(text, pattern) != NULL;
	return match(pattern, text);
}

void
tt_pairs_of(const char *text, struct tt_pairs *has)
{
	*has = (struct tt_pairs){ { 0 } };
	for (const char *s = text; *s && s[1]; s++) {
		const unsigned at = tt_bit_of_pair(s[0], s[1]);
		has->bit[at >> 6] |= UINT64_C(1) << (at & 63);
	}
}

static bool
is_literal(char c)
{
	return c > ' ' && c <= '~' && c != '*' && c != '?' && c != '[' && c != '\\';
}

/* The length of the shortest begin of ${pattern}, all literal, that no text with the pairs ${has} contains; 0: none is known. */
static size_t
missing_part(const char *pattern, const struct tt_pairs *has)
{
	enum { MIN_PAIRS = 8 };

	for (size_t i = 0; i < MIN_PAIRS && is_literal(pattern[i]) && is_literal(pattern[i + 1]); i++)
		if (!tt_has_pair(has, pattern[i], pattern[i + 1]))
			return is_regex(pattern) ? 0 : i + 2;
	return 0;
}

bool
tt_may_match(const char *pattern, const struct tt_pairs *has)
{
	return missing_part(pattern, has) == 0;
}

bool
tt_glob_any(const char *const *list, const char *text)
{
	const char *missing = NULL;   /* its first ${nmissing} bytes are not in the text; many patterns of a list begin alike */
	size_t nmissing = 0;
	struct tt_pairs has;

	if (!list)
		return true;
	if (!*list || !list[1])
		return *list && tt_glob(*list, text);
	tt_pairs_of(text, &has);
	for (; *list; list++) {
		size_t n = 0;

		while (n < nmissing && (*list)[n] == missing[n])
			n++;
		if (n > 0 && n == nmissing && !is_regex(*list))
			continue;
		nmissing = missing_part(missing = *list, &has);
		if (!nmissing && tt_glob(*list, text))
			return true;
	}
	return false;
}

/**
 * Fits patterns of facts to paths: part by part from the end, a part by backtracking over its texts, which are short.
 */
#include "model/path_facts.h"
#include "sys/sys.h"

#include <string.h>

/* Facts found so far. */
struct found { struct tt_path_fact *fact; size_t n; };

/* True if ${c} separates the components of a path. */
static bool
is_end_of_part(char c)
{
	return c == '\0' || tt_sys_is_separator(c);
}

/* Fit the part of the pattern [p, pend) to the part of a path [s, send), and add its facts. */
static bool
fit_part(const char *p, const char *pend, const char *s, const char *send, struct found *f)
{
	while (p < pend && *p != '*' && *p != '{') {
		if (s == send || *s != *p)
			return false;
		p++;
		s++;
	}
	if (p == pend)
		return s == send;

	const bool is_fact = *p == '{';
	const char *close = is_fact ? memchr(p, '}', (size_t)(pend - p)) : p;
	const size_t n = f->n;

	for (const char *end = s + is_fact; end <= send; end++) {
		f->n = n;
		if (is_fact)
			f->fact[f->n++] = (struct tt_path_fact){ p + 1, s, (size_t)(close - p - 1), (size_t)(end - s) };
		if (fit_part(close + 1, pend, end, send, f))
			return true;
	}
	f->n = n;
	return false;
}

size_t
tt_path_facts(const char *pattern, const char *path, struct tt_path_fact fact[TT_PATH_FACTS_MAX])
{
	const char *pend = pattern + strlen(pattern), *send = path + strlen(path);
	struct found f = { fact, 0 };

	for (;;) {
		const char *p = pend, *s = send;

		while (p > pattern && !tt_sys_is_separator(p[-1]))
			p--;
		while (s > path && !is_end_of_part(s[-1]))
			s--;
		if (!fit_part(p, pend, s, send, &f))
			return 0;
		if (p == pattern)
			return f.n;
		if (s == path)
			return 0;
		pend = p - 1;
		send = s - 1;
	}
}

int
tt_path_facts_check(const char *pattern, struct tt_err *err)
{
	size_t n = 0;

	for (const char *p = pattern; *p; p++) {
		const size_t key = *p == '{' ? strspn(p + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") : 0;

		if (*p == '{' && (key == 0 || p[1 + key] != '}'))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" has a { that begins no {KEY}", pattern);
		n += *p == '{';
	}
	if (n == 0 || n > TT_PATH_FACTS_MAX)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" names %s, like '{date}/{device}/*'", pattern,
		    n ? "too many facts" : "no fact");
	return TT_OK;
}

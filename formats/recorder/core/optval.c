/**
 * Reads values of options.
 */
#include "recorder/core/optval.h"

#include <stdio.h>
#include <string.h>

bool
optval_number(const char **s, const char *end, uint64_t unit, uint64_t *v)
{
	const char *p = *s;
	uint64_t n = 0;

	if (p == end || *p < '0' || *p > '9')
		return false;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, (unsigned)(*p - '0'), &n))
			return false;
	if (__builtin_mul_overflow(n, unit, &n))
		return false;
	if (p < end && *p == '.') {
		uint64_t part = 0, of = 1;
		for (p++; p < end && *p >= '0' && *p <= '9'; p++)
			if (of < 1000000) {
				part = part * 10 + (unsigned)(*p - '0');
				of *= 10;
			}
		if (__builtin_add_overflow(n, part * unit / of, &n))
			return false;
	}
	*s = p;
	*v = n;
	return true;
}

struct suffix { const char *text; uint64_t unit; };
static const struct suffix sizes[] = {
	{ "", 1 }, { "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 }, { "KiB", 1 << 10 }, { "MiB", 1 << 20 },
	{ "GiB", 1 << 30 }, { NULL, 0 },
};
static const struct suffix times[] = {
	{ "ms", 1000000 }, { "us", 1000 }, { "ns", 1 }, { "s", 1000000000 }, { "min", 60000000000 }, { NULL, 0 },
};

/* True if ${s}, of ${n} bytes, equals ${text}; with ${any_case}, in any case of letters. */
static bool
is_suffix(const char *text, const char *s, size_t n, bool any_case)
{
	if (strlen(text) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (s[i] != text[i] && !(any_case && (s[i] ^ text[i]) == 'a' - 'A'))
			return false;
	return true;
}

static bool
read_amount(const char *s, size_t n, const struct suffix *suffix, uint64_t *v)
{
	bool any_case = suffix == sizes;
	size_t digits = 0;

	while (digits < n && ((s[digits] >= '0' && s[digits] <= '9') || s[digits] == '.'))
		digits++;
	for (; suffix->text; suffix++) {
		const char *p = s;
		if (is_suffix(suffix->text, s + digits, n - digits, any_case))
			return optval_number(&p, s + digits, suffix->unit, v) && p == s + digits;
	}
	return false;
}

bool
optval_size(const char *s, size_t n, uint64_t *v)
{
	return read_amount(s, n, sizes, v);
}

bool
optval_time(const char *s, size_t n, uint64_t *v)
{
	return read_amount(s, n, times, v);
}

bool
optval_glob(const char *pattern, const char *s)
{
	const char *star = NULL, *from = NULL;        /* where matching continues if the rest does not match */

	while (*s) {
		if (*pattern == '*') {
			star = ++pattern;
			from = s;
		} else if (*pattern == '?' || *pattern == *s) {
			pattern++;
			s++;
		} else if (star) {
			pattern = star;
			s = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

/* Convert days since 1970-01-01 (not negative) to a date of the Gregorian calendar. */
static void
date_of(int64_t days, long *year, unsigned *month, unsigned *day)
{
	int64_t z = days + 719468;                    /* from 0000-03-01 */
	int64_t era = z / 146097;
	unsigned doe = (unsigned)(z - era * 146097);
	unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	unsigned mp = (5 * doy + 2) / 153;

	*day = doy - (153 * mp + 2) / 5 + 1;
	*month = mp < 10 ? mp + 3 : mp - 9;
	*year = (long)(yoe + era * 400) + (*month <= 2);
}

int
optval_path(char to[OPTVAL_PATH], const char *path, long pid, int64_t unix_s)
{
	size_t out = 0;

	for (const char *p = path; *p; p++) {
		char part[64] = { *p, '\0' };
		if (*p == '%' && p[1] == '%') {
			p++;
		} else if (*p == '%' && p[1] == 'p') {
			snprintf(part, sizeof part, "%ld", pid);
			p++;
		} else if (*p == '%' && p[1] == 't') {
			int64_t days = unix_s / 86400, s = unix_s % 86400;
			long year;
			unsigned month, day;
			date_of(days, &year, &month, &day);
			snprintf(part, sizeof part, "%04ld%02u%02u-%02d%02d%02d", year, month, day, (int)(s / 3600),
			    (int)(s / 60 % 60), (int)(s % 60));
			p++;
		}
		size_t n = strlen(part);
		if (n >= OPTVAL_PATH - out)
			return -1;
		memcpy(to + out, part, n);
		out += n;
	}
	to[out] = '\0';
	return 0;
}

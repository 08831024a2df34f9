/**
 * Reads values of options.
 */
#include "base/parse_value.h"

#include <stdbool.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Read the decimal digits at *${s} as a number. False if there are no digits, with 0, or the number is too large, with UINT64_MAX and *${s} after it. */
static bool
digits(const char **s, uint64_t *v)
{
	uint64_t n = 0;
	const bool some = is_digit(**s);
	bool large = false;

	for (; is_digit(**s); (*s)++) {
		unsigned d = (unsigned)(**s - '0');

		large = large || n > (UINT64_MAX - d) / 10;
		n = n * 10 + d;
	}
	*v = large ? UINT64_MAX : n;
	return some && !large;
}

/**
 * decimal(s, scale, v):
 * Read "12", "12.5" or ".5" at *${s} as v = number * ${scale}, a power of ten. False if
 * there is no number, or it is not a whole multiple of 1/scale, with 0, or it is too large, with INT64_MAX and *${s} after it.
 */
static bool
decimal(const char **s, int64_t scale, int64_t *v)
{
	uint64_t whole = 0, part = 0;
	bool some = is_digit(**s), large = some && !digits(s, &whole);

	*v = 0;
	if (**s == '.') {
		int64_t unit = scale;

		for (++*s; is_digit(**s); (*s)++) {
			unit /= 10;
			if (unit == 0 && **s != '0')
				return false;
			part += (uint64_t)(**s - '0') * (uint64_t)unit;
			some = true;
		}
	}
	if (!some)
		return false;
	large = large || whole > ((uint64_t)INT64_MAX - part) / (uint64_t)scale;
	*v = large ? INT64_MAX : (int64_t)(whole * (uint64_t)scale + part);
	return !large;
}

/* Fail because the number in ${s} is too large. The message has the largest number that is accepted, ${most}, and its ${unit}. */
static int
fail_large(const char *s, uint64_t most, const char *unit, struct tt_err *err)
{
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is too large: at most %llu%s", s, (unsigned long long)most, unit);
}

int
tt_parse_count(const char *s, uint64_t lo, uint64_t hi, uint64_t *v, struct tt_err *err)
{
	const char *p = s;
	uint64_t n;
	const bool fits = digits(&p, &n);

	if (fits && *p == '\0' && n >= lo && n <= hi) {
		*v = n;
		return TT_OK;
	}
	if (hi == UINT64_MAX && !fits && n && *p == '\0')
		return fail_large(s, hi, "", err);
	if (hi == UINT64_MAX)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not a whole number from %llu up", s,
		    (unsigned long long)lo);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not a whole number from %llu to %llu", s,
	    (unsigned long long)lo, (unsigned long long)hi);
}

int
tt_parse_size(const char *s, uint64_t *v, struct tt_err *err)
{
	static const char unit[] = "kKmMgGtT";
	const char *p = s, *u;
	unsigned shift = 0;
	uint64_t n;
	const bool fits = digits(&p, &n);

	if (!fits && !n)
		goto wrong;
	if (*p != '\0') {
		u = strchr(unit, *p);
		if (!u)
			goto wrong;
		shift = 10 * ((unsigned)(u - unit) / 2 + 1);
		p++;
	}
	if (*p != '\0')
		goto wrong;
	if (!fits || n > UINT64_MAX >> shift)
		return fail_large(s, UINT64_MAX >> shift, shift ? p - 1 : "", err);
	*v = n << shift;
	return TT_OK;
wrong:
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not a size (like 4096, 64k, 16M, 1G)", s);
}

int
tt_parse_duration(const char *s, int64_t *ns, struct tt_err *err)
{
	/* decimal() needs a power of ten, so minutes and hours are counted in seconds. */
	static const struct { const char *name; int64_t ns, times; } unit[] = {
		{ "ns", 1, 1 }, { "us", 1000, 1 }, { "\302\265s", 1000, 1 }, { "\316\274s", 1000, 1 },
		{ "ms", 1000000, 1 }, { "s", NS_PER_S, 1 }, { "m", NS_PER_S, 60 }, { "h", NS_PER_S, 3600 },
	};
	size_t n = strspn(s, "0123456789.");

	for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++) {
		const char *p = s;

		if (strcmp(s + n, unit[i].name) != 0)
			continue;
		const bool fits = decimal(&p, unit[i].ns, ns) && *ns <= INT64_MAX / unit[i].times;
		if (fits && p == s + n) {
			*ns *= unit[i].times;
			return TT_OK;
		}
		if (!fits && *ns && p == s + n)
			return fail_large(s, (uint64_t)(INT64_MAX / unit[i].times / unit[i].ns), s + n, err);
	}
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
	    "\"%s\" is not a duration (a number and ns, us, ms, s, m or h, like 1.5ms; not finer than 1ns)", s);
}

int
tt_parse_milliseconds(const char *s, int64_t *ns, struct tt_err *err)
{
	const char *p = s;

	const bool fits = decimal(&p, 1000000, ns);

	if (*ns > 0 && (*p == '\0' || strcmp(p, "ms") == 0))
		return fits ? TT_OK : fail_large(s, INT64_MAX / 1000000, "ms", err);
	return tt_fail(
	    err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not a number of milliseconds above zero (like 16.67)", s);
}

int
tt_parse_percent(const char *s, int64_t *e4, struct tt_err *err)
{
	const char *p = s;

	if (decimal(&p, 100, e4) && (*p == '\0' || strcmp(p, "%") == 0) && *e4 <= 10000)
		return TT_OK;
	return tt_fail(
	    err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not a share from 0 to 100 percent with two decimals", s);
}

int
tt_parse_time_range(const char *s, int64_t *from, int64_t *to, struct tt_err *err)
{
	const char *p = s;

	*from = INT64_MIN;
	*to = INT64_MAX;
	if (*p != '-' && !decimal(&p, NS_PER_S, from) && !*from)
		goto wrong;
	if (*p++ != '-')
		goto wrong;
	if (*p != '\0' && !decimal(&p, NS_PER_S, to) && !*to)
		goto wrong;
	if (*p != '\0' || strcmp(s, "-") == 0)
		goto wrong;
	if (*from == INT64_MAX || (p[-1] != '-' && *to == INT64_MAX))
		return fail_large(s, INT64_MAX / NS_PER_S, "", err);
	if (*from >= *to)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" ends before it begins", s);
	return TT_OK;
wrong:
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
	    "\"%s\" is not a range of seconds (like 2.5-4, 10- or -0.001; not finer than 1 ns)", s);
}

int
tt_parse_number_range(const char *s, uint64_t *first, uint64_t *last, struct tt_err *err)
{
	const char *p = s;

	*first = 1;
	*last = UINT64_MAX;
	bool fits = *p == '-' || digits(&p, first);

	if (!fits && !*first)
		goto wrong;
	if (*p == '\0' && p != s) {
		*last = *first;
	} else {
		if (*p++ != '-')
			goto wrong;
		if (*p != '\0' && !digits(&p, last)) {
			if (!*last)
				goto wrong;
			fits = false;
		}
		if (*p != '\0' || strcmp(s, "-") == 0)
			goto wrong;
	}
	if (!fits)
		return fail_large(s, UINT64_MAX, "", err);
	if (*first == 0 || *last == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\": numbers begin at 1", s);
	if (*first > *last)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" ends before it begins", s);
	return TT_OK;
wrong:
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
	    "\"%s\" is not a range of numbers (like 100-200, 7, 100- or -50)", s);
}

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

/* Read the decimal digits at *${s} as a number; false if there are no digits or the number is too large. */
static bool
digits(const char **s, uint64_t *v)
{
	uint64_t n = 0;

	if (!is_digit(**s))
		return false;
	for (; is_digit(**s); (*s)++) {
		unsigned d = (unsigned)(**s - '0');

		if (n > (UINT64_MAX - d) / 10)
			return false;
		n = n * 10 + d;
	}
	*v = n;
	return true;
}

/**
 * decimal(s, scale, v):
 * Read "12", "12.5" or ".5" at *${s} as v = number * ${scale}, a power of ten. False if
 * there is no number, or it is not a whole multiple of 1/scale, or it is too large.
 */
static bool
decimal(const char **s, int64_t scale, int64_t *v)
{
	uint64_t whole = 0, part = 0;
	bool some = false;

	if (is_digit(**s)) {
		if (!digits(s, &whole))
			return false;
		some = true;
	}
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
	if (!some || whole > ((uint64_t)INT64_MAX - part) / (uint64_t)scale)
		return false;
	*v = (int64_t)(whole * (uint64_t)scale + part);
	return true;
}

int
tt_parse_count(const char *s, uint64_t lo, uint64_t hi, uint64_t *v, struct tt_err *err)
{
	const char *p = s;
	uint64_t n;

	if (digits(&p, &n) && *p == '\0' && n >= lo && n <= hi) {
		*v = n;
		return TT_OK;
	}
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

	if (!digits(&p, &n))
		goto wrong;
	if (*p != '\0') {
		u = strchr(unit, *p);
		if (!u)
			goto wrong;
		shift = 10 * ((unsigned)(u - unit) / 2 + 1);
		p++;
	}
	if (*p != '\0' || n > UINT64_MAX >> shift)
		goto wrong;
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

		if (strcmp(s + n, unit[i].name) == 0 && decimal(&p, unit[i].ns, ns) && p == s + n && *ns <= INT64_MAX / unit[i].times) {
			*ns *= unit[i].times;
			return TT_OK;
		}
	}
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
	    "\"%s\" is not a duration (a number and ns, us, ms, s, m or h, like 1.5ms; not finer than 1ns)", s);
}

int
tt_parse_milliseconds(const char *s, int64_t *ns, struct tt_err *err)
{
	const char *p = s;

	if (decimal(&p, 1000000, ns) && (*p == '\0' || strcmp(p, "ms") == 0) && *ns > 0)
		return TT_OK;
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
	if (*p != '-' && !decimal(&p, NS_PER_S, from))
		goto wrong;
	if (*p++ != '-')
		goto wrong;
	if (*p != '\0' && !decimal(&p, NS_PER_S, to))
		goto wrong;
	if (*p != '\0' || strcmp(s, "-") == 0)
		goto wrong;
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
	if (*p != '-' && !digits(&p, first))
		goto wrong;
	if (*p == '\0' && p != s) {
		*last = *first;
	} else {
		if (*p++ != '-')
			goto wrong;
		if (*p != '\0' && !digits(&p, last))
			goto wrong;
		if (*p != '\0' || strcmp(s, "-") == 0)
			goto wrong;
	}
	if (*first == 0 || *last == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\": numbers begin at 1", s);
	if (*first > *last)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" ends before it begins", s);
	return TT_OK;
wrong:
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
	    "\"%s\" is not a range of numbers (like 100-200, 7, 100- or -50)", s);
}

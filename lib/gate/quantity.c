/**
 * Reads and writes amounts with a dimension: "16.67 ms", "3 MB".
 */
#include "gate/quantity.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "out/table.h"
#include "stat/num.h"

const char *const tt_dim_name[TT_DIMS] = {
	[TT_DIM_NUMBER] = "number", [TT_DIM_TIME] = "ns", [TT_DIM_BYTES] = "bytes", [TT_DIM_PER_1000] = "per_1000",
	[TT_DIM_FPS] = "fps", [TT_DIM_PERCENT] = "percent",
};

int64_t
tt_scale(int64_t a, int64_t b, int64_t c)
{
	__extension__ __int128 v = (__int128)a * b, d = c, half;

	if (c == 0)
		return 0;
	if (d < 0) {
		v = -v;
		d = -d;
	}
	half = d / 2;
	v = (v < 0 ? v - half : v + half) / d;
	return v > INT64_MAX ? INT64_MAX : v < -INT64_MAX ? -INT64_MAX : (int64_t)v;
}

/* --- reading ----------------------------------------------------------------- */

static const struct unit { const char *name; enum tt_dim dim; int64_t size; } units[] = {
	{ "ns", TT_DIM_TIME, 1 }, { "us", TT_DIM_TIME, 1000 }, { "\302\265s", TT_DIM_TIME, 1000 },
	{ "\316\274s", TT_DIM_TIME, 1000 }, { "ms", TT_DIM_TIME, 1000000 }, { "s", TT_DIM_TIME, 1000000000 },
	{ "B", TT_DIM_BYTES, 1 }, { "KB", TT_DIM_BYTES, 1 << 10 }, { "kB", TT_DIM_BYTES, 1 << 10 },
	{ "KiB", TT_DIM_BYTES, 1 << 10 }, { "MB", TT_DIM_BYTES, 1 << 20 }, { "MiB", TT_DIM_BYTES, 1 << 20 },
	{ "GB", TT_DIM_BYTES, 1 << 30 }, { "GiB", TT_DIM_BYTES, 1 << 30 },
	{ "fps", TT_DIM_FPS, 1 }, { "%", TT_DIM_PERCENT, 1 }, { "", TT_DIM_NUMBER, 1 }, { "", TT_DIM_PER_1000, 1 },
	{ "", TT_DIM_FPS, 1 },
};

const char *const tt_amount_wanted[TT_DIMS] = {
	[TT_DIM_NUMBER] = "must be a number without a unit",
	[TT_DIM_TIME] = "needs a unit of time: ns, us, ms or s, like \"16.7ms\"",
	[TT_DIM_BYTES] = "needs a unit of size: B, KiB, MiB or GiB, like \"1KiB\"",
	[TT_DIM_PER_1000] = "must be a number of frames per thousand, without a unit",
	[TT_DIM_FPS] = "must be frames per second, like \"60fps\"",
	[TT_DIM_PERCENT] = "must be a percentage, like \"80%\"",
};

/* INT64_MAX is the largest amount of each. */
const char *const tt_amount_too_large[TT_DIMS] = {
	[TT_DIM_NUMBER] = "is too large: a budget holds numbers up to 9223372036854",
	[TT_DIM_TIME] = "is too large: a budget holds times up to 9223372s",
	[TT_DIM_BYTES] = "is too large: a budget holds sizes up to 8388607GiB",
	[TT_DIM_PER_1000] = "is too large: at most 1000 of a thousand frames",
	[TT_DIM_FPS] = "is too large: a budget holds up to 9223372036854775fps",
	[TT_DIM_PERCENT] = "is too large: a budget holds percentages up to 922337203685477%",
};

const char *
tt_too_many_decimals(enum tt_dim dim)
{
	return dim == TT_DIM_NUMBER ? "has more than six decimals, and no more are kept" : "has more than three decimals, and no more are kept";
}

/* The decimal number in the ${n} characters at ${s}, times ${size}, as an amount of ${dim}; else a text that says what is wrong. */
static const char *
number(const char *s, size_t n, int64_t size, enum tt_dim dim, int64_t *v)
{
	const uint64_t one = (uint64_t)tt_amount_one(dim);
	static const char none[] = "is not a number";
	tt_u128 whole = 0, part = 0, den = 1, all;
	bool digit = false, point = false, cut = false;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '.') {
			if (point)
				return none;
			point = true;
			continue;
		}
		digit = true;
		if (!point) {
			whole = whole * 10 + (unsigned)(s[i] - '0');
			if (whole > INT64_MAX)
				return tt_amount_too_large[dim];
		} else if (den < (tt_u128)1000000000000000) {
			part = part * 10 + (unsigned)(s[i] - '0');
			den *= 10;
		} else {
			cut = cut || s[i] != '0';
		}
	}
	if (size == 1 && (cut || part * one % den != 0))
		return tt_too_many_decimals(dim);
	all = whole * (uint64_t)size * one + (part * (uint64_t)size * one + den / 2) / den;
	if (!digit || all > INT64_MAX)
		return digit ? tt_amount_too_large[dim] : none;
	*v = (int64_t)all;
	return NULL;
}

const char *
tt_amount_parse(const char *s, enum tt_dim dim, int64_t *v)
{
	size_t n = strspn(s, "0123456789."), unit = n + strspn(s + n, " ");
	bool miscased = false;

	if (n > 0 && s[n] == ',' && s[n + 1] >= '0' && s[n + 1] <= '9')
		return "has a comma: use a point, like \"16.7ms\"";
	if (n > 0 && (s[n] == 'e' || s[n] == 'E') && s[n + 1] >= '0' && s[n + 1] <= '9')
		return "has an exponent: write the number out, like \"1000ms\"";
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (n > 0 && units[i].dim == dim && strcmp(units[i].name, s + unit) != 0 && strcasecmp(units[i].name, s + unit) == 0)
			miscased = true;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (units[i].dim != dim || strcmp(units[i].name, s + unit) != 0)
			continue;
		return number(s, n, units[i].size, dim, v);
	}
	if (miscased)
		return "has a unit with wrong capitals: they are ns, us, ms, s, B, KiB, MiB, GiB and fps";
	return tt_amount_wanted[dim];
}

/* --- writing ----------------------------------------------------------------- */

char *
tt_put_base(char *p, int64_t v, enum tt_dim dim)
{
	char *end = tt_put_fixed(p, v, dim == TT_DIM_NUMBER ? 6 : 3);

	while (end[-1] == '0')
		end--;
	return end[-1] == '.' ? end - 1 : end;
}

static char *
put(char *p, const char *text)
{
	size_t n = strlen(text);

	memcpy(p, text, n);
	return p + n;
}

/* An amount of ${dim} from 0 up: of 100 and more a whole number, else with at most three decimals or, below a hundredth, three digits. */
static char *
put_number(char *p, int64_t v, enum tt_dim dim)
{
	const int64_t one = tt_amount_one(dim);

	if (v >= 100 * one)
		return tt_put_count(p, tt_scale(v, 1, one));
	for (int64_t digit = one / 1000; digit >= 10; digit /= 10)
		if (v >= 100 * digit)
			return tt_put_base(p, tt_scale(v, 1, digit) * digit, dim);
	return tt_put_base(p, v, dim);
}

char *
tt_put_amount(char *p, int64_t v, enum tt_dim dim)
{
	const int64_t whole = tt_scale(v, 1, TT_AMOUNT_ONE);

	if (v < 0) {
		*p++ = '-';
		return tt_put_amount(p, v == INT64_MIN ? INT64_MAX : -v, dim);
	}
	switch (dim) {
	case TT_DIM_TIME:
		return tt_put_time(p, whole);
	case TT_DIM_BYTES:
		return whole == 0 && v > 0 ? put(put_number(p, v, dim), " B") : tt_put_bytes(p, whole);
	case TT_DIM_PER_1000:
		return put(put_number(p, v, dim), " per 1000");
	case TT_DIM_FPS:
		return put(put_number(p, tt_scale(v, 1, 100) * 100, dim), " fps");
	case TT_DIM_PERCENT:
		return put(put_number(p, v, dim), " %");
	default:
		return put_number(p, v, dim);
	}
}

/* Write ${v} / ${unit}, a power of ten, with all its decimals, at least ${least}. */
static char *
put_decimals(char *p, int64_t v, int64_t unit, unsigned least)
{
	int64_t rest = v % unit;

	p = tt_put_count(p, v / unit);
	if (rest == 0 && least == 0)
		return p;
	*p++ = '.';
	for (unsigned i = 0; (rest || i < least) && unit > 1; i++) {
		unit /= 10;
		*p++ = (char)('0' + rest / unit);
		rest %= unit;
	}
	return p;
}

char *
tt_put_exact(char *p, int64_t v, enum tt_dim dim)
{
	static const struct { int64_t below, unit; unsigned least; const char *name; } in[] = { { 1000, 1, 0, " ns" },
		{ 1000000, 1000, 3, " \302\265s" }, { INT64_C(10000000000), 1000000, 3, " ms" }, { INT64_MAX, 1000000000, 3, " s" } };
	static const char *const suffix[TT_DIMS] = { [TT_DIM_NUMBER] = "", [TT_DIM_TIME] = "", [TT_DIM_BYTES] = " B",
		[TT_DIM_PER_1000] = " per 1000", [TT_DIM_FPS] = " fps", [TT_DIM_PERCENT] = " %" };
	size_t i = 0;

	if (v < 0) {
		*p++ = '-';
		v = v == INT64_MIN ? INT64_MAX : -v;
	}
	if (dim != TT_DIM_TIME)
		return put(put_decimals(p, v, tt_amount_one(dim), 0), suffix[dim]);
	while (v / TT_AMOUNT_ONE >= in[i].below)
		i++;
	return put(put_decimals(p, v, in[i].unit * TT_AMOUNT_ONE, in[i].least), in[i].name);
}

char *
tt_put_change(char *p, int64_t v, enum tt_dim dim)
{
	if (v >= 0)
		*p++ = '+';
	return tt_put_amount(p, v, dim);
}

char *
tt_put_ppm(char *p, int64_t ppm)
{
	int64_t tenths = tt_scale(ppm, 1, 1000), hundredths = tt_scale(ppm, 1, 100);
	bool small = tenths > -10 && tenths < 10;     /* of a percent: such small values get one more digit */

	if (ppm >= 10000000)          /* such large changes are written as a factor */
		return put(ppm < 100000000 ? tt_put_fixed(p, tt_scale(ppm, 1, 100000) + 10, 1) : tt_put_count(p, tt_scale(ppm, 1, 1000000) + 1),
		    " times");
	if ((small ? hundredths : tenths) >= 0)
		*p++ = '+';
	p = small ? tt_put_fixed(p, hundredths, 2) : tt_put_fixed(p, tenths, 1);
	return put(p, " %");
}

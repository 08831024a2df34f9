/* Tests of emit/micros.h: times and lengths as digits. */
#include "check.h"

#include <math.h>

#include "emit/micros.h"

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t
rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* A number below 2^${bits}, of any length. */
static uint64_t
any(unsigned bits)
{
	return rnd() >> (64 - 1 - rnd() % bits);
}

TEST(eight_digits_are_right_for_every_number)
{
	uint32_t wrong = 0;

	for (uint32_t v = 0; v < 100000000; v += 1 + v % 3) {
		uint64_t d = tt_eight(v);
		uint32_t back = 0;

		for (unsigned i = 0; i < 8; i++, d >>= 8) {
			wrong += (d & 0xff) > 9;
			back = back * 10 + (uint32_t)(d & 0xff);
		}
		wrong += back != v;
	}
	CHECK_EQ_INT(wrong, 0);
}

TEST(times_are_microseconds_with_three_decimals)
{
	struct tt_micros m = { 0 };
	char want[64], have[64 + TT_MICROS_MAX];
	unsigned wrong = 0;

	for (unsigned i = 0; i < 300000; i++) {
		uint64_t v = i < 200 ? i * 999 : any(63);

		snprintf(want, sizeof want, "%" PRIu64 ".%03" PRIu64, v / 1000, v % 1000);
		*tt_put_micros(have, &m, v) = '\0';
		wrong += strcmp(have, want) != 0;
		*tt_put_micros_short(have, v) = '\0';
		wrong += strcmp(have, want) != 0;
	}
	CHECK_EQ_INT(wrong, 0);
}

/* Numbers on both sides of each place where the printer does something else. */
TEST(times_are_right_at_every_edge)
{
	static const uint64_t edge[] = { 0, 1, 9, 10, 999, 1000, 9999, 10000, 99999999, 100000000, 100000001, 199999999,
		200000000, 9999999999, 10000000000, 999999999999999, INT64_MAX };
	struct tt_micros m = { 0 };

	for (size_t i = 0; i < 2 * sizeof edge / sizeof *edge; i++) {
		uint64_t v = edge[i % (sizeof edge / sizeof *edge)];
		char want[64], have[64 + TT_MICROS_MAX];

		snprintf(want, sizeof want, "%" PRIu64 ".%03" PRIu64, v / 1000, v % 1000);
		*tt_put_micros(have, &m, v) = '\0';
		CHECK_STR(have, want);
	}
}

TEST(digits_of_any_length)
{
	static const unsigned lengths[] = { 1, 2, 7, 8, 9, 15, 16, 17, 18 };

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		unsigned n = lengths[i];
		uint64_t top = 1, v;
		char want[32], have[64];

		for (unsigned k = 0; k < n; k++)
			top *= 10;
		for (unsigned k = 0; k < 2000; k++) {
			v = k == 0 ? 0 : k == 1 ? top - 1 : any(62) % top;
			snprintf(want, sizeof want, "%0*" PRIu64, (int)n, v);
			*tt_put_digits(have, v, n) = '\0';
			if (!CHECK_STR(have, want))
				return;
		}
	}
}

/* Can no double be added to ${start} to give ${end}? It takes a zone longer than half the time before its end. */
static bool
is_unreachable(double start, double end)
{
	double d = end - start;

	return start + d != end && start + nextafter(d, 0) != end && start + nextafter(d, INFINITY) != end;
}

TEST(start_and_length_add_up_to_the_end_in_doubles)
{
	unsigned not_sum = 0, not_ns = 0, unreachable = 0, adjusted = 0;
	struct tt_micros m = { 0 };

	for (unsigned i = 0; i < 1000000; i++) {
		/* Up to 2^49 ns of capture, zones of 1 ns to all of it. */
		uint64_t ts = 1000 + any(49), dur = any(1 + (unsigned)(rnd() % 49));
		char t[TT_MICROS_MAX * 2], d[TT_MICROS_MAX * 2];
		double start, length, end = (double)(ts + dur) / 1000.0;

		*tt_put_micros(t, &m, ts) = '\0';
		*tt_put_dur(d, ts, dur) = '\0';
		start = strtod(t, NULL);
		length = strtod(d, NULL);
		adjusted += strlen(strchr(d, '.')) > 4;
		not_ns += (uint64_t)llround(start * 1000) != ts || (uint64_t)llround(length * 1000) != dur;
		if (start + length == end)
			continue;
		if (is_unreachable(start, end) && start + length == nextafter(end, INFINITY))
			unreachable++;
		else
			not_sum++;
	}
	CHECK_EQ_INT(not_sum, 0);
	CHECK_EQ_INT(not_ns, 0);
	CHECK(adjusted > 100000);
	/* All of these last longer than half the capture so far. */
	CHECK(unreachable < 100000);
}

TEST(zones_shorter_than_what_came_before_always_add_up)
{
	unsigned wrong = 0;
	struct tt_micros m = { 0 };

	for (unsigned i = 0; i < 1000000; i++) {
		uint64_t ts = 1000 + any(48), dur = rnd() % (ts + 1);
		char t[TT_MICROS_MAX * 2], d[TT_MICROS_MAX * 2];

		*tt_put_micros(t, &m, ts) = '\0';
		*tt_put_dur(d, ts, dur) = '\0';
		wrong += strtod(t, NULL) + strtod(d, NULL) != (double)(ts + dur) / 1000.0;
	}
	CHECK_EQ_INT(wrong, 0);
}

TEST(the_number_of_decimals_is_the_smallest_that_does)
{
	for (int e = 0; e <= 40; e++) {
		double end = ldexp(1.5, e), ulp = ldexp(1.0, e - 52);
		unsigned k = tt_micros_decimals(end);

		CHECK(pow(10, -(double)k) < ulp / 4);
		CHECK(k == 3 || pow(10, 1 - (double)k) >= ulp / 4);
	}
}

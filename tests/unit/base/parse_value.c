/* Tests of base/parse_value.h: values of options. */
#include "check.h"

#include "base/parse_value.h"

static struct tt_err err;

TEST(counts_are_whole_numbers_in_range)
{
	uint64_t v;

	CHECK(tt_parse_count("0", 0, 10, &v, &err) == TT_OK && v == 0);
	CHECK(tt_parse_count("18446744073709551615", 0, UINT64_MAX, &v, &err) == TT_OK && v == UINT64_MAX);
	static const char *const bad[] = { "", " 1", "1 ", "+1", "-1", "0x10", "1.0", "1k", "11",
		"18446744073709551616", "99999999999999999999999" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		CHECK_EQ_INT(tt_parse_count(bad[i], 0, 10, &v, &err), TT_E_USAGE);
		CHECK_HAS(err.msg, bad[i]);
	}
}

TEST(sizes_have_binary_suffixes_and_do_not_wrap)
{
	uint64_t v;

	CHECK(tt_parse_size("4096", &v, &err) == TT_OK && v == 4096);
	CHECK(tt_parse_size("4k", &v, &err) == TT_OK && v == 4096);
	CHECK(tt_parse_size("4K", &v, &err) == TT_OK && v == 4096);
	CHECK(tt_parse_size("16M", &v, &err) == TT_OK && v == 16777216);
	CHECK(tt_parse_size("1G", &v, &err) == TT_OK && v == 1073741824);
	CHECK(tt_parse_size("2T", &v, &err) == TT_OK && v == UINT64_C(2199023255552));
	CHECK(tt_parse_size("3m", &v, &err) == TT_OK && v == 3145728);
	CHECK(tt_parse_size("1g", &v, &err) == TT_OK && v == 1073741824);
	CHECK(tt_parse_size("2t", &v, &err) == TT_OK && v == UINT64_C(2199023255552));
	CHECK(tt_parse_size("16777215T", &v, &err) == TT_OK);
	static const char *const bad[] = { "", "k", "1.5G", "16777216T", "4kB", "4 k", "-1", "1P", "1s" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK_EQ_INT(tt_parse_size(bad[i], &v, &err), TT_E_USAGE);
}

TEST(durations_are_exact)
{
	int64_t v;

	CHECK(tt_parse_duration("250ns", &v, &err) == TT_OK && v == 250);
	CHECK(tt_parse_duration("50us", &v, &err) == TT_OK && v == 50000);
	CHECK(tt_parse_duration("50\302\265s", &v, &err) == TT_OK && v == 50000);
	CHECK(tt_parse_duration("1.5ms", &v, &err) == TT_OK && v == 1500000);
	CHECK(tt_parse_duration("0.1s", &v, &err) == TT_OK && v == 100000000);
	CHECK(tt_parse_duration(".25s", &v, &err) == TT_OK && v == 250000000);
	CHECK(tt_parse_duration("2.s", &v, &err) == TT_OK && v == 2000000000);
	CHECK(tt_parse_duration("1.000000000000s", &v, &err) == TT_OK && v == 1000000000);
	CHECK(tt_parse_duration("1.5m", &v, &err) == TT_OK && v == 90000000000);
	CHECK(tt_parse_duration("1h", &v, &err) == TT_OK && v == 3600000000000);
	CHECK(tt_parse_duration("9223372036s", &v, &err) == TT_OK);
	CHECK(tt_parse_duration("2562047h", &v, &err) == TT_OK);
	static const char *const bad[] = { "", "5", "ms", ".ms", "1.5ns", "0.0000000001s", "9223372037s",
		"1e3ms", "1M", "1min", "2562048h", "0.0000000001h", "1.2.3ms", "-1ms", " 1ms", "1 ms" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK_EQ_INT(tt_parse_duration(bad[i], &v, &err), TT_E_USAGE);
}

TEST(time_ranges_may_be_open_on_either_side)
{
	int64_t a, b;

	CHECK(tt_parse_time_range("2.5-4", &a, &b, &err) == TT_OK && a == 2500000000 && b == 4000000000);
	CHECK(tt_parse_time_range("0.1-0.3", &a, &b, &err) == TT_OK && a == 100000000 && b == 300000000);
	CHECK(tt_parse_time_range("10-", &a, &b, &err) == TT_OK && a == 10000000000 && b == INT64_MAX);
	CHECK(tt_parse_time_range("-0.000000001", &a, &b, &err) == TT_OK && a == INT64_MIN && b == 1);
	static const char *const bad[] = { "", "-", "5", "4-2", "3-3", "1-2-3", "a-b", "1-2s",
		"0.0000000001-1", "--1" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK_EQ_INT(tt_parse_time_range(bad[i], &a, &b, &err), TT_E_USAGE);
}

TEST(number_ranges_are_inclusive_and_may_be_open)
{
	uint64_t a, b;

	CHECK(tt_parse_number_range("100-200", &a, &b, &err) == TT_OK && a == 100 && b == 200);
	CHECK(tt_parse_number_range("7", &a, &b, &err) == TT_OK && a == 7 && b == 7);
	CHECK(tt_parse_number_range("7-7", &a, &b, &err) == TT_OK && a == 7 && b == 7);
	CHECK(tt_parse_number_range("100-", &a, &b, &err) == TT_OK && a == 100 && b == UINT64_MAX);
	CHECK(tt_parse_number_range("-50", &a, &b, &err) == TT_OK && a == 1 && b == 50);
	static const char *const bad[] = { "", "-", "0", "0-5", "-0", "9-8", "1.5", "1-2-3", "x" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK_EQ_INT(tt_parse_number_range(bad[i], &a, &b, &err), TT_E_USAGE);
}

TEST(milliseconds_and_percent_are_exact)
{
	int64_t v;

	CHECK(tt_parse_milliseconds("16.67", &v, &err) == TT_OK && v == 16670000);
	CHECK(tt_parse_milliseconds("8.33ms", &v, &err) == TT_OK && v == 8330000);
	CHECK(tt_parse_milliseconds("0", &v, &err) == TT_E_USAGE);
	CHECK(tt_parse_milliseconds("-1", &v, &err) == TT_E_USAGE);
	CHECK(tt_parse_percent("1", &v, &err) == TT_OK && v == 100);
	CHECK(tt_parse_percent("0.05%", &v, &err) == TT_OK && v == 5);
	CHECK(tt_parse_percent("100", &v, &err) == TT_OK && v == 10000);
	CHECK(tt_parse_percent("100.01", &v, &err) == TT_E_USAGE);
	CHECK(tt_parse_percent("1.005", &v, &err) == TT_E_USAGE);
}

/* Tests of base/buf.h and base/utf8.h. */
#include "check.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>

#include "base/arena_text.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"

/* A small generator with a fixed seed: the same numbers in every run. */
static uint64_t
next_random(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

TEST(a_buffer_grows_and_keeps_what_it_has)
{
	struct tt_buf b = { 0 };
	struct tt_err err;

	for (int i = 0; i < 1000; i++)
		tt_buf_text(&b, "abc");
	tt_buf_add(&b, NULL, 0);
	CHECK_EQ_INT(b.n, 3000);
	CHECK_EQ_INT(memcmp(b.p + 2997, "abc", 3), 0);
	tt_buf_printf(&b, "-%05d%s", 42, "x");
	CHECK_EQ_INT(b.n, 3007);
	CHECK_EQ_INT(memcmp(b.p + 3000, "-00042x", 7), 0);
	CHECK_STR(tt_buf_string(&b) + 3000, "-00042x");
	CHECK_EQ_INT(tt_buf_error(&b, &err), TT_OK);
	CHECK_EQ_INT(tt_buf_room(&b, SIZE_MAX - 10, &err), TT_E_NOMEM);
	CHECK_EQ_INT(b.n, 3007);
	/* The error stays: nothing comes behind what is missing. */
	tt_buf_text(&b, "more");
	CHECK_EQ_INT(b.n, 3007);
	CHECK_EQ_INT(tt_buf_error(&b, &err), TT_E_NOMEM);
	CHECK_STR(tt_buf_string(&b), "");
	tt_buf_free(&b);
	CHECK(!b.p && b.n == 0 && b.cap == 0);
}

TEST(there_is_room_for_what_was_asked_for)
{
	static const size_t some[] = { 0, 1, 2, 63, 64, 65, 1000, 4096, 100000 };
	struct tt_err err;

	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
			struct tt_buf b = { 0 };

			/* From none, behind some bytes, and in a buffer that was emptied. */
			CHECK_EQ_INT(tt_buf_room(&b, some[i], &err), TT_OK);
			CHECK(b.p && b.cap >= some[i] && b.n == 0);
			b.n = some[i];
			CHECK_EQ_INT(tt_buf_room(&b, some[k], &err), TT_OK);
			CHECK(b.cap - b.n >= some[k] && b.n == some[i]);
			memset(b.p, 'x', b.n + some[k]);
			b.n = 0;
			CHECK_EQ_INT(tt_buf_room(&b, 3 * some[k], &err), TT_OK);
			CHECK(b.cap >= 3 * some[k] && b.n == 0);
			tt_buf_free(&b);
		}
}

/* Bytes that are added one by one are not moved each time: a buffer grows by a share of what it has. */
TEST(a_buffer_grows_seldom)
{
	struct tt_buf b = { 0 };
	size_t grown = 0;

	for (size_t i = 0, cap = 0; i < 1 << 20; i++) {
		tt_buf_add(&b, "x", 1);
		grown += b.cap != cap;
		cap = b.cap;
	}
	CHECK(grown < 32 && b.cap <= 4 << 20);
	tt_buf_free(&b);
}

TEST(texts_and_lists_live_in_an_arena)
{
	struct tt_mem mem = { .cap = 1 << 16 };
	struct tt_arena a;
	struct tt_err err = { 0 };
	struct tt_buf b = { 0 };
	const char **list = NULL;
	size_t cap = 0;

	tt_arena_init(&a, &mem);
	CHECK_STR(tt_arena_printf(&a, &err, "%d of %s", 3, "them"), "3 of them");
	CHECK_STR(tt_buf_move_to_arena(&b, &a, &err), "");
	tt_buf_text(&b, "kept");
	CHECK_STR(tt_buf_move_to_arena(&b, &a, &err), "kept");
	CHECK(!b.p && b.n == 0);
	for (size_t i = 0; i < 1000; i++) {
		CHECK_EQ_INT(tt_arena_grow(&a, &list, &cap, i + 1, sizeof *list, &err), TT_OK);
		list[i] = "x";
		CHECK(cap > i + 1 && !list[i + 1]);
	}
	for (size_t i = 0; i < 1000; i++)
		CHECK_STR(list[i], "x");
	/* Short memory: NULL, and the list stays as it is. */
	CHECK(!tt_arena_printf(&a, &err, "%70000d", 1) && err.code != TT_OK);
	cap = 1000;
	CHECK(tt_arena_grow(&a, &list, &cap, 1000, 1000, &err) != TT_OK && cap == 1000);
	CHECK_EQ_INT(tt_buf_room(&b, SIZE_MAX - 10, &err), TT_E_NOMEM);
	tt_buf_fail(&b);
	CHECK(!tt_buf_move_to_arena(&b, &a, &err) && err.code == TT_E_NOMEM);
	tt_arena_free(&a);
}

TEST(json_members_get_their_commas)
{
	struct tt_buf b = { 0 };
	struct tt_json j = { .out = &b };

	tt_json_open(&j, NULL, "{");
	tt_json_text(&j, "a\"", "x\ny");
	tt_json_text(&j, "none", NULL);
	tt_json_open(&j, "list", "[");
	tt_json_i64(&j, NULL, -3);
	j.gap = "\n ";
	tt_json_bool(&j, NULL, true);
	tt_json_open(&j, NULL, "{");
	tt_json_close(&j, "}");
	tt_json_close(&j, "]");
	tt_json_u64(&j, "n", UINT64_MAX);
	tt_json_close(&j, "}");
	CHECK_STR(tt_buf_string(&b), "{\"a\\\"\":\"x\\ny\",\"list\":[-3,\n true,{}],\"n\":18446744073709551615}");
	tt_buf_free(&b);
}

TEST(integers_are_written_as_printf_does)
{
	static const uint64_t edges[] = { 0, 1, 9, 10, 99, 100, 999, 1000, 9999, 10000, 99999, 100000,
		UINT32_MAX, (uint64_t)UINT32_MAX + 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX };
	char have[40], want[40];

	for (size_t i = 0; i < 20000; i++) {
		uint64_t v = i < sizeof edges / sizeof *edges ? edges[i] : next_random() >> (i % 64);

		*tt_put_u64(have, v) = '\0';
		snprintf(want, sizeof want, "%" PRIu64, v);
		CHECK_STR(have, want);
		*tt_put_i64(have, (int64_t)v) = '\0';
		snprintf(want, sizeof want, "%" PRId64, (int64_t)v);
		CHECK_STR(have, want);
		*tt_put_hex(have, v) = '\0';
		snprintf(want, sizeof want, "0x%" PRIx64, v);
		CHECK_STR(have, want);
	}
}

static void
check_fixed(int64_t v, unsigned digits, const char *want)
{
	char have[40];

	*tt_put_fixed(have, v, digits) = '\0';
	CHECK_STR(have, want);
}

TEST(fixed_point_puts_the_point_where_it_belongs)
{
	check_fixed(1234567, 3, "1234.567");
	check_fixed(-5, 2, "-0.05");
	check_fixed(0, 3, "0.000");
	check_fixed(7, 0, "7");
	check_fixed(-7, 0, "-7");
	check_fixed(100, 1, "10.0");
	check_fixed(INT64_MAX, 9, "9223372036.854775807");
	check_fixed(INT64_MIN, 9, "-9223372036.854775808");
	check_fixed(INT64_MIN, 0, "-9223372036854775808");
	check_fixed(-1, 9, "-0.000000001");
}

static void
check_double(double v, const char *want)
{
	char have[40];

	*tt_put_double(have, v) = '\0';
	CHECK_STR(have, want);
}

TEST(doubles_are_as_short_as_they_can_be)
{
	check_double(0, "0");
	check_double(-0.0, "-0");
	check_double(0.1, "0.1");
	check_double(-1.5, "-1.5");
	check_double(100000, "100000");
	check_double(0.000286, "0.000286");
	check_double(0.00028600000000000007, "2.8600000000000007e-04");
	check_double(-0.0028600000000000006, "-0.0028600000000000006");
	check_double(999999999999999, "999999999999999");
	check_double(1e15, "1e+15");
	check_double(1e300, "1e+300");
	check_double(1.0 / 3, "0.3333333333333333");
	check_double(0.1 + 0.2, "0.30000000000000004");
	check_double(5e-324, "5e-324");
	check_double(DBL_MAX, "1.7976931348623157e+308");
	check_double((double)NAN, "");
	check_double((double)-INFINITY, "");
}

static void
check_round_trips(void)
{
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = next_random();
		char text[40];
		double v, back;

		memcpy(&v, &bits, sizeof v);
		if (!isfinite(v))
			continue;
		*tt_put_double(text, v) = '\0';
		CHECK(strlen(text) <= 32 && !strchr(text, ','));
		back = strtod(text, NULL);
		if (!CHECK(memcmp(&v, &back, sizeof v) == 0))
			printf("%s\n", text);
	}
}

TEST(doubles_read_back_as_they_were)
{
	check_round_trips();
}

TEST(a_decimal_comma_changes_nothing)
{
	char have[40];

	/* Where no such locale is installed there is nothing to see. */
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE") &&
	    !setlocale(LC_ALL, "fr_FR.UTF-8"))
		return;
	*tt_put_double(have, 0.25) = '\0';
	CHECK_STR(have, "0.25");
	*tt_put_double(have, 1.5e-7) = '\0';
	CHECK_STR(have, "1.5e-07");
	setlocale(LC_ALL, "C");
}

TEST(invalid_utf8_is_replaced_byte_by_byte)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "plain", "plain" },
		{ "more than eight\xff bytes \xc3\xa4 and eight more", "more than eight\xef\xbf\xbd bytes \xc3\xa4 and eight more" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "a\xff" "b", "a\xef\xbf\xbd" "b" },
		{ "\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe0\x9f\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf" },
	};
	char have[64];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		*tt_utf8_clean(have, cases[i].from, strlen(cases[i].from)) = '\0';
		CHECK_STR(have, cases[i].to);
	}
	CHECK_EQ_INT(tt_utf8_clean(have, "a\0b", 3) - have, 3);
	CHECK_EQ_INT(memcmp(have, "a\0b", 3), 0);
}

TEST(text_is_valid_wherever_its_characters_stand)
{
	static const struct { const char *text; bool valid; } cases[] = {
		{ "\xc3\xa4", true }, { "\xf0\x9f\x98\x80", true }, { "\x7f", true },
		{ "\x80", false }, { "\xc3", false }, { "\xc0\x80", false }, { "\xed\xa0\x80", false },
	};
	char text[24];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const size_t n = strlen(cases[i].text);

		for (size_t at = 0; at + n <= sizeof text; at++) {
			memset(text, 'a', sizeof text);
			memcpy(text + at, cases[i].text, n);
			CHECK(tt_utf8_is_text(text, sizeof text) == cases[i].valid);
			CHECK(tt_utf8_is_text(text, at + n) == cases[i].valid);
		}
	}
	CHECK(tt_utf8_is_text("", 0) && tt_utf8_is_text("a\0b", 3) && !tt_utf8_is_text("\xc3\xa4", 1));
}

TEST(json_text_is_escaped_and_valid)
{
	static const char from[] = "q\"b\\n\nt\tr\rb\bf\f\x01\x1f\x7f/\xc3\xa4\xff";
	char have[6 * sizeof from];

	*tt_put_json(have, from, sizeof from - 1) = '\0';
	CHECK_STR(have, "q\\\"b\\\\n\\nt\\tr\\rb\\bf\\f\\u0001\\u001f\\u007f/\xc3\xa4\xef\xbf\xbd");
	/* CSI of eight bits, what turns text around, and the characters beside these. */
	*tt_put_json(have, "\xc2\x9b \xe2\x80\xae \xe2\x81\xa6 \xc2\xa0 \xe2\x80\xaf", 17) = '\0';
	CHECK_STR(have, "\\u009b \\u202e \\u2066 \xc2\xa0 \xe2\x80\xaf");
	*tt_put_json(have, "a\0b", 3) = '\0';
	CHECK_STR(have, "a\xef\xbf\xbd" "b");
}

TEST(every_pair_of_bytes_stays_within_the_promised_room)
{
	for (unsigned v = 0; v < 65536; v++) {
		char in[2] = { (char)(v >> 8), (char)v }, out[16];
		char *end = tt_put_json(out, in, 2);

		CHECK(end - out >= 1 && end - out <= 12);
		/* What comes out is UTF-8 without a control character or a bare quote. */
		for (char *p = out; p < end;) {
			size_t len = tt_utf8_len(p, (size_t)(end - p));

			if (!CHECK(len > 0 && (unsigned char)*p >= 0x20))
				return;
			p += len;
		}
	}
}

TEST(lines_are_cut_between_characters)
{
	char to[6];

	tt_utf8_line(to, sizeof to, "abcd\xc3\xa4");
	CHECK_STR(to, "abcd");
	tt_utf8_line(to, sizeof to, "abc\xc3\xa4");
	CHECK_STR(to, "abc\xc3\xa4");
	tt_utf8_line(to, 1, "abc");
	CHECK_STR(to, "");
}

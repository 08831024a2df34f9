/* Tests of formats/mlpd/mlpd_reader.c: what the header of a capture says, and where it ends too early or says what nobody knows. */
#include "check.h"

#include "memrun.h"
#include "mlpd_encode.h"
#include "model/model.h"

static struct mlpd_writer w;

/* A header of ${version}, and where its parts are. */
static size_t
header(int version)
{
	mlpd_init(&w, version, 8);
	mlpd_header(&w, 1600000000123, 5000000000);
	return w.out.len;
}

/* A call behind the header. */
static void
call(void)
{
	struct mlpd_buffer b;

	mlpd_open(&b, &w, 0x1234, 5000000100, 0, 0, 0x10000);
	mlpd_method(&b, 5000000100, 0x10000, 0x20000, 1, "A:B ()");
	mlpd_enter(&b, 5000000200, 0x10000);
	mlpd_leave(&b, 5000000300, 0x10000);
	mlpd_flush(&b);
}

static int
opens(size_t n, struct memrun *r)
{
	memrun(r, w.out.data, n, MEMRUN_CALLS);
	return r->rc;
}

TEST(a_header_says_when_and_where_the_program_ran)
{
	for (int version = 4; version <= 17; version++) {
		struct memrun r;

		header(version);
		call();
		CHECK_EQ_INT(opens(w.out.len, &r), TT_OK);
		const struct tt_capture *c = r.m->cap[0];
		CHECK_EQ_INT(c->pid, 4711);
		CHECK_EQ_INT(c->pointer_size, 8);
		CHECK_EQ_INT(c->wall_ns, 1600000000123000000);
		CHECK_STR(c->args, version >= 13 ? "log:test" : "");
		CHECK_STR(c->arch, version >= 13 ? "x86-64" : "");
		CHECK_STR(c->os, version >= 13 ? "linux" : "");
		CHECK_EQ_INT(memrun_free(&r), 0);
		mlpd_free(&w);
	}
}

TEST(a_file_that_ends_in_its_header_is_damaged)
{
	for (int version = 4; version <= 17; version++) {
		const size_t n = header(version);

		for (size_t cut = 1; cut < n; cut++) {
			struct memrun r;

			/* Nobody knows what a few bytes are. */
			CHECK(opens(cut, &r) != TT_OK);
			if (cut >= 32)
				CHECK_EQ_INT(r.rc, TT_E_DAMAGED);
			CHECK_EQ_INT(memrun_free(&r), 0);
		}
		mlpd_free(&w);
	}
}

/* One byte more than the file has is too many; a file may end with its header. */
TEST(a_text_of_a_header_ends_within_the_file)
{
	struct memrun r;
	const size_t n = header(17), os = n - sizeof "linux" - 4;

	CHECK_EQ_INT(w.out.data[os], sizeof "linux");
	CHECK_EQ_INT(opens(n, &r), TT_OK);
	CHECK_STR(r.m->cap[0]->os, "linux");
	CHECK_EQ_INT(memrun_free(&r), 0);
	/* A text without a byte, the last of the file. */
	w.out.data[os] = 0;
	CHECK_EQ_INT(opens(os + 4, &r), TT_OK);
	CHECK_STR(r.m->cap[0]->os, "");
	CHECK_EQ_INT(memrun_free(&r), 0);
	for (unsigned more = 1; more < 250; more *= 3) {
		w.out.data[os] = (uint8_t)(sizeof "linux" + more);
		CHECK_EQ_INT(opens(n, &r), TT_E_DAMAGED);
		CHECK_HAS(r.err.msg, "a text in the header claims");
		CHECK_EQ_INT(memrun_free(&r), 0);
	}
	mlpd_free(&w);
}

TEST(what_is_not_known_of_a_header_is_refused)
{
	static const struct { size_t at; uint8_t value; int rc; const char *says; } is[] = {
		{ 6, 3, TT_E_UNKNOWN, "too old" }, { 6, 18, TT_E_UNKNOWN, "too new" },
		{ 7, 5, TT_E_DAMAGED, "neither 4 nor 8" },
		{ 28, 1, TT_E_UNKNOWN, "header flags 0x1" }, { 31, 0x80, TT_E_UNKNOWN, "header flags 0x80000000" } };

	for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
		struct memrun r;

		header(17);
		call();
		w.out.data[is[i].at] = is[i].value;
		CHECK_EQ_INT(opens(w.out.len, &r), is[i].rc);
		CHECK_HAS(r.err.msg, is[i].says);
		CHECK_EQ_INT(memrun_free(&r), 0);
		mlpd_free(&w);
	}
}

TEST(a_time_that_no_clock_has_is_not_known)
{
	struct memrun r;
	static const uint64_t ms[] = { INT64_MAX / 1000000, INT64_MAX / 1000000 + 1, UINT64_MAX };

	for (size_t i = 0; i < 3; i++) {
		mlpd_init(&w, 17, 8);
		mlpd_header(&w, ms[i], 5000000000);
		call();
		CHECK_EQ_INT(opens(w.out.len, &r), TT_OK);
		CHECK_EQ_INT(r.m->cap[0]->wall_ns, i == 0 ? (int64_t)ms[0] * 1000000 : 0);
		CHECK_EQ_INT(memrun_free(&r), 0);
		mlpd_free(&w);
	}
}

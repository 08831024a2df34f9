/* Tests of base/mem.h. */
#include "base/err.h"
#include "check.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

TEST(what_is_allocated_is_counted_and_given_back)
{
	struct tt_mem mem = { 0 };
	struct tt_err err;
	char *a = tt_mem_alloc(&mem, 100, &err), *b = tt_mem_alloc(&mem, 0, &err);

	CHECK(a && b && a != b);
	CHECK(a && a[0] == 0 && a[99] == 0);
	CHECK_EQ_INT(mem.used, 100);
	tt_mem_free(&mem, a, 100);
	tt_mem_free(&mem, b, 0);
	tt_mem_free(&mem, NULL, 77);
	CHECK_EQ_INT(mem.used, 0);
	CHECK_EQ_INT(mem.peak, 100);
}

TEST(lines_are_whole_zeroed_and_counted)
{
	struct tt_mem mem = { .cap = 1 << 20 };
	struct tt_err err = { 0 };
	char *p = tt_mem_alloc_lines(&mem, 192, &err);

	CHECK(p && (uintptr_t)p % TT_MEM_LINE == 0);
	for (int i = 0; p && i < 192; i++)
		CHECK_EQ_INT(p[i], 0);
	CHECK_EQ_INT(mem.used, 192);
	tt_mem_free(&mem, p, 192);
	CHECK_EQ_INT(mem.used, 0);
	CHECK(!tt_mem_alloc_lines(&mem, 1 << 21, &err));
	CHECK_EQ_INT(err.code, TT_E_LIMIT);
}

TEST(the_cap_is_never_passed_and_names_its_option)
{
	struct tt_mem mem = { .cap = 1000 };
	struct tt_err err = { 0 };
	void *a = tt_mem_alloc(&mem, 1000, &err);

	CHECK(a);
	CHECK(!tt_mem_alloc(&mem, 1, &err));
	CHECK_EQ_INT(err.code, TT_E_LIMIT);
	CHECK_HAS(err.msg, "tt_mem.cap");
	CHECK_EQ_INT(mem.used, 1000);
	CHECK_EQ_INT(mem.peak, 1000);
	tt_mem_free(&mem, a, 1000);
}

TEST(growing_doubles_zeroes_and_keeps)
{
	struct tt_mem mem = { 0 };
	struct tt_err err;
	int *a = NULL;
	size_t cap = 0, before;

	CHECK_EQ_INT(tt_mem_grow(&mem, &a, &cap, 3, sizeof *a, &err), TT_OK);
	CHECK(cap >= 3 && a[2] == 0);
	a[2] = 7;
	before = cap;
	CHECK_EQ_INT(tt_mem_grow(&mem, &a, &cap, before + 1, sizeof *a, &err), TT_OK);
	CHECK(cap >= 2 * before);
	CHECK(a[2] == 7 && a[before] == 0 && a[cap - 1] == 0);
	CHECK_EQ_INT(mem.used, cap * sizeof *a);
	before = cap;
	CHECK_EQ_INT(tt_mem_grow(&mem, &a, &cap, cap, sizeof *a, &err), TT_OK);
	CHECK_EQ_INT(cap, before);
	tt_mem_free(&mem, a, cap * sizeof *a);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(growing_that_fails_changes_nothing)
{
	struct tt_mem mem = { .cap = 100 };
	struct tt_err err;
	char *a = NULL, *was;
	size_t cap = 0, used;

	CHECK_EQ_INT(tt_mem_grow(&mem, &a, &cap, 50, 1, &err), TT_OK);
	was = a;
	used = mem.used;
	CHECK_EQ_INT(tt_mem_grow(&mem, &a, &cap, 101, 1, &err), TT_E_LIMIT);
	CHECK_EQ_INT(tt_mem_grow(&mem, &a, &cap, SIZE_MAX, 16, &err), TT_E_NOMEM);
	CHECK_EQ_INT(tt_mem_grow(&mem, &a, &cap, SIZE_MAX / 16 + 2, 16, &err), TT_E_NOMEM);
	CHECK(a == was && mem.used == used);
	tt_mem_free(&mem, a, cap);
}

TEST(fitting_keeps_what_is_there_and_gives_back_the_rest)
{
	struct tt_mem mem = { 0 };
	struct tt_err err;
	int *a = NULL;
	size_t cap = 0;

	CHECK_EQ_INT(tt_mem_grow(&mem, &a, &cap, 1000, sizeof *a, &err), TT_OK);
	a[0] = 1;
	a[6] = 7;
	tt_mem_shrink(&mem, &a, &cap, 7, sizeof *a);
	CHECK_EQ_INT(cap, 7);
	CHECK_EQ_INT(mem.used, 7 * sizeof *a);
	CHECK(a[0] == 1 && a[6] == 7);
	tt_mem_shrink(&mem, &a, &cap, 7, sizeof *a);
	tt_mem_shrink(&mem, &a, &cap, 100, sizeof *a);
	tt_mem_shrink(&mem, &a, &cap, 0, sizeof *a);
	CHECK_EQ_INT(cap, 7);
	tt_mem_free(&mem, a, cap * sizeof *a);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(arena_blocks_are_aligned_zeroed_and_apart)
{
	struct tt_mem mem = { 0 };
	struct tt_arena a;
	struct tt_err err;
	char *last = NULL;

	tt_arena_init(&a, &mem);
	for (size_t i = 0; i < 5000; i++) {
		size_t n = i % 97 == 96 ? 20000 : i % 33;
		char *p = tt_arena_alloc(&a, n, &err);

		if (!CHECK(p && p != last && (uintptr_t)p % alignof(max_align_t) == 0))
			break;
		for (size_t k = 0; k < n; k++) {
			if (p[k] != 0) {
				CHECK_EQ_INT(p[k], 0);
				break;
			}
		}
		memset(p, 0xa5, n);
		last = p;
	}
	tt_arena_free(&a);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(arena_text_is_a_copy_with_an_end)
{
	struct tt_mem mem = { 0 };
	struct tt_arena a;
	struct tt_err err;
	char *s, *t, *big;

	tt_arena_init(&a, &mem);
	s = tt_arena_text(&a, "hello world", 5, &err);
	t = tt_arena_text(&a, NULL, 0, &err);
	CHECK_STR(s, "hello");
	CHECK_STR(t, "");
	big = tt_arena_alloc(&a, 1 << 22, &err);
	CHECK(big && big[(1 << 22) - 1] == 0);
	/* A block of its own leaves the page being filled in use. */
	CHECK(tt_arena_text(&a, "x", 1, &err) == t + 1);
	tt_arena_free(&a);
	tt_arena_free(&a);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(an_arena_over_the_cap_says_so)
{
	struct tt_mem mem = { .cap = 10000 };
	struct tt_arena a;
	struct tt_err err = { 0 };

	tt_arena_init(&a, &mem);
	CHECK(tt_arena_alloc(&a, 16, &err));
	CHECK(!tt_arena_alloc(&a, 10000, &err));
	CHECK_EQ_INT(err.code, TT_E_LIMIT);
	CHECK(!tt_arena_alloc(&a, SIZE_MAX, &err));
	CHECK(!tt_arena_text(&a, "x", SIZE_MAX, &err));
	CHECK(tt_arena_alloc(&a, 16, &err));
	tt_arena_free(&a);
	CHECK_EQ_INT(mem.used, 0);
}

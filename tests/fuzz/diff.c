/**
 * Fuzz target: the map file of --rename, and the sharing out of integers. The input is both: a text, and numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"
#include "diff/rename.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

__extension__ typedef __int128 i128;

static struct tt_env env;

static void
rename_all(const char *text, size_t n)
{
	struct tt_rename r;
	struct tt_err err = { .msg = "" };
	int rc = tt_rename_parse(&r, &env, text, n, &err);

	if (rc != TT_OK && err.msg[0] == '\0')
		abort();
	for (size_t i = 0; rc == TT_OK && i < r.n; i++) {
		const char *to = tt_rename(&r, r.v[i].kind, r.v[i].from, &err);

		if (to != r.v[i].to || !r.v[i].used)
			abort();
		for (int k = 0; k < TT_RENAME_KINDS; k++) {
			if (!tt_rename(&r, (enum tt_rename_kind)k, "Class:Method (int)", &err))
				abort();
		}
	}
	tt_rename_free(&r);
}

/* Every part is its quotient rounded down or up, nothing where nothing was, and their sum is the whole. */
static void
share_all(const uint8_t *p, size_t n)
{
	static struct tt_diff_piece piece[4096];
	i128 sum = 0;
	int64_t whole, parts = 0;
	uint64_t unit = 0;
	size_t count = 0;

	if (n < 12)
		return;
	memcpy(&unit, p, 4);
	for (size_t i = 4; i + 8 <= n && count < 4096; i += 8, count++) {
		int64_t v;

		memcpy(&v, p + i, 8);
		piece[count] = (struct tt_diff_piece){ .v = v >> 12, .id = count };
		sum += v >> 12;
	}
	if (unit == 0 || sum > INT64_MAX || sum < INT64_MIN)
		return;
	whole = tt_diff_per_unit((int64_t)sum, unit);
	tt_diff_share(piece, count, unit, whole);
	for (size_t i = 0; i < count; i++) {
		i128 back = (i128)piece[i].part * unit - piece[i].v;

		parts += piece[i].part;
		if (back <= -(i128)unit || back >= (i128)unit || (piece[i].v == 0 && piece[i].part != 0))
			abort();
	}
	if (parts != whole)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	rename_all((const char *)p, n);
	share_all(p, n);
	return 0;
}

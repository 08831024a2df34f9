/**
 * Fuzz target: files of test results as samples of a gate: every figure is known or says why not.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gate/test_results.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static struct tt_mem mem;
	struct tt_measure x[2 * TT_STATS];
	struct tt_sample s;
	struct tt_arena a;
	struct tt_err err = { .msg = "" };
	bool is = false;
	size_t nx = 0;

	if (n > 1 << 16)
		return 0;
	for (unsigned stat = 0; stat < TT_STATS; stat++)
		for (unsigned k = 0; k < 2 && tt_metric_named("test")->stats & 1u << stat; k++)
			x[nx++] = (struct tt_measure){ .metric = tt_metric_named("test"), .stat = (enum tt_stat_kind)stat,
				.select = k ? "*" : "Time", .key = "k" };
	tt_arena_init(&a, &mem);
	tt_results_probe(p, n);
	int rc = tt_results_sample((const char *)p, n, "r.json", x, nx, &is, &s, &a, &err);
	if (rc != TT_OK && err.msg[0] == '\0')
		abort();
	for (size_t i = 0; rc == TT_OK && is && i < nx; i++)
		if (!s.value[i].known && !s.value[i].why)
			abort();
	tt_arena_free(&a);
	if (mem.used)
		abort();
	return 0;
}

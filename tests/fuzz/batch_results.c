/**
 * Fuzz target: lines of results, put in order and added up. Each line of the input is taken as it is, and once more with
 * a checksum that is right, or nothing would ever get past it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "batch/aggregate.h"
#include "batch/results.h"
#include "out/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
on_line(void *arg, const char *line, size_t n, const struct tt_result *r, struct tt_err *err)
{
	size_t nkey;

	/* What comes out is whole. */
	if (!tt_result_scan(line, n, &nkey))
		abort();
	return tt_aggregate_add(arg, r, err);
}

static void
add(struct tt_results *rs, const char *p, size_t n)
{
	struct tt_err err;
	char *line = malloc(n + 32);
	uint32_t crc = (uint32_t)crc32_z(0, (const Bytef *)p, n);

	if (!line)
		abort();
	memcpy(line, p, n);
	n += (size_t)snprintf(line + n, 32, ",\"crc\":\"%08x\"}", crc);
	tt_results_add(rs, line, n, &err);
	free(line);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const group[] = { "build", "format", NULL };
	struct tt_env env = { .jobs = 1, .spool_max = UINT64_MAX, .spool_memory = 1 << 20 };
	const char *p = (const char *)data, *end = p + size;
	struct tt_results_sum sum;
	struct tt_aggregate *a = NULL;
	struct tt_results *rs = NULL;
	struct tt_report r;
	struct tt_err err;

	if (tt_results_new(&env, &rs, &err) != TT_OK || tt_aggregate_new(&env, group, &a, &err) != TT_OK)
		abort();
	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((lf ? lf : end) - p);

		tt_results_add(rs, p, n, &err);
		add(rs, p, n);
		p += n + 1;
	}
	const struct tt_results_out out = { .line = on_line, .arg = a };
	if (tt_results_finish(rs, &out, &sum, &err) == TT_OK) {
		tt_report_init(&r, &env.mem);
		tt_aggregate_report(a, &r);
		if (tt_report_error(&r, &err) != TT_OK)
			abort();
		tt_report_free(&r);
	}
	tt_aggregate_free(a);
	tt_results_free(rs);
	if (atomic_load(&env.mem.used) != 0)
		abort();
	return 0;
}

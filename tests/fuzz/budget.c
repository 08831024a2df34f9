/**
 * Fuzz target: budgets and baselines. The input is a document, read as both; what is read as a budget is judged with
 * samples that have every figure, and what is read as a baseline is written and read again.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "gate/baseline.h"
#include "gate/verdict.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static struct tt_mem mem;

static void
fill(const struct tt_budget *b, struct tt_sample *s, size_t n, struct tt_arena *a, int64_t v)
{
	struct tt_err err;

	for (size_t i = 0; i < n; i++) {
		s[i] = (struct tt_sample){ .name = "a", .session = i % 2 ? "1" : "2", .nvalue = b->nmeasure };
		s[i].value = tt_arena_alloc(a, (b->nmeasure + 1) * sizeof *s[i].value, &err);
		for (size_t k = 0; k < b->nmeasure; k++)
			s[i].value[k] = (struct tt_value){ .known = k % 7 != 6, .dim = tt_measure_dim(&b->measure[k]), .v = v + (int64_t)(i * k) };
	}
}

static void
judge(const struct tt_budget *b, struct tt_arena *a)
{
	struct tt_sample now[5], then[5];
	struct tt_baseline base = { .path = "b", .sample = then, .nsample = 5, .nsession = 2, .settings = "" };
	const struct tt_judge_opts o = { .today = "2026-06-01" };
	struct tt_verdict v;
	struct tt_err err = { .msg = "" };

	if (b->nrow > 200)
		return;
	fill(b, now, 5, a, INT64_MAX - 100);
	fill(b, then, 5, a, -1000);
	if (tt_judge(b, &base, now, 5, &o, &v, &mem, &err) != TT_OK && err.msg[0] == '\0')
		abort();
	tt_verdict_free(&v);
}

/* Read it in blocks of ${size} bytes. */
static int
read_in_blocks(const char *text, size_t n, size_t size, const struct tt_budget *budget, struct tt_baseline *b, struct tt_arena *a, struct tt_err *err)
{
	struct tt_baseline_reader *reader;
	int rc = tt_baseline_begin(&reader, "b", budget, TT_SAMPLE_WHOLE, b, a, err);

	for (size_t i = 0; i < n && rc == TT_OK; i += size)
		rc = tt_baseline_feed(reader, text + i, n - i < size ? n - i : size, err);
	return rc == TT_OK ? tt_baseline_end(&reader, true, err) : (tt_baseline_end(&reader, false, err), rc);
}

static void
baseline(const char *text, size_t n, struct tt_arena *a)
{
	struct tt_baseline b, again;
	struct tt_budget budget;
	struct tt_err err = { .msg = "" }, in_blocks = { .msg = "" };
	struct tt_buf out = { 0 };
	json_t *whole = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
	const bool is_json = whole != NULL;
	int rc, rc_blocks;

	json_decref(whole);
	if (tt_budget_none(&budget, a, &err) != TT_OK)
		abort();
	rc_blocks = read_in_blocks(text, n, 1 + n % 7, &budget, &again, a, &in_blocks);
	rc = tt_baseline_parse(text, n, "b", &budget, TT_SAMPLE_WHOLE, &b, a, &err);
	if (rc != rc_blocks || strcmp(err.msg, in_blocks.msg) != 0 || (rc == TT_OK && !is_json))
		abort();
	if (rc != TT_OK) {
		if (err.msg[0] == '\0')
			abort();
		return;
	}
	if (again.nsample != b.nsample || again.nall_session != b.nall_session)
		abort();
	if (tt_baseline_write(&b, b.sample, b.nsample ? 1 : 0, &budget, b.settings, NULL, &out, a, &err) != TT_OK ||
	    tt_baseline_parse(out.p, out.n, "b", &budget, TT_SAMPLE_WHOLE, &again, a, &err) != TT_OK || again.nsample != b.nsample + (b.nsample ? 1 : 0) ||
	    again.nsession > b.nsession + 1)
		abort();
	tt_buf_free(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct tt_arena a;
	struct tt_budget b;
	struct tt_err err = { .msg = "" };

	tt_arena_init(&a, &mem);
	if (tt_budget_parse((const char *)p, n, "b", &b, &a, &err) == TT_OK)
		judge(&b, &a);
	else if (err.msg[0] == '\0')
		abort();              /* every refusal is told */
	baseline((const char *)p, n, &a);
	tt_arena_free(&a);
	return 0;
}

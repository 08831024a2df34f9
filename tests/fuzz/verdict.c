/**
 * Fuzz target: renderings of a verdict whose names are the input, cut at NUL. Each must be UTF-8 without controls, and
 * as many lines, quotes and brackets as the format says, whatever the names are.
 */
#include <stdlib.h>
#include <string.h>

#include "../../lib/verdict/verdict_gitlab.c"
#include "../../lib/verdict/verdict_junit.c"
#include "../../lib/verdict/verdict_ci_log.c"
#include "../../lib/verdict/verdict_markdown.c"
#include "../../lib/verdict/verdict_json.c"
#include "../../lib/verdict/verdict_common.c"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

enum { ROWS = 24, NAMES = 8 };

static void
check(const struct tt_buf *b)
{
	for (size_t i = 0, len; i < b->n; i += len) {
		len = tt_utf8_len(b->p + i, b->n - i);
		if (len == 0 || (len == 1 && b->p[i] != '\n' && (unsigned char)b->p[i] < 0x20))
			abort();
	}
}

static size_t
count(const struct tt_buf *b, const char *s)
{
	size_t n = 0, len = strlen(s);

	for (size_t i = 0; i + len <= b->n; i++)
		n += memcmp(b->p + i, s, len) == 0;
	return n;
}

/* Does every line begin with one of ours? */
static void
lines_begin(const struct tt_buf *b, const char *with)
{
	size_t len = strlen(with);

	for (size_t i = 0; i < b->n;) {
		const char *end = memchr(b->p + i, '\n', b->n - i);

		if (!end || b->n - i < len || memcmp(b->p + i, with, len) != 0)
			abort();
		i = (size_t)(end - b->p) + 1;
	}
}

static void
render_all(const struct tt_verdict *v)
{
	struct tt_buf b = { 0 };
	struct tt_err err;

	tt_verdict_as_junit(v, &b);
	if (b.failed || count(&b, "<testcase ") != v->nrow ||
	    count(&b, "</testcase>") != v->nrow)
		abort();
	check(&b);
	b.n = 0;
	tt_verdict_as_github(v, &b);
	if (b.failed || count(&b, "\n") > 30)
		abort();
	lines_begin(&b, "::");
	check(&b);
	b.n = 0;
	tt_verdict_as_azure(v, &b);
	if (b.failed)
		abort();
	lines_begin(&b, "##vso[task.logissue type=");
	check(&b);
	b.n = 0;
	tt_verdict_as_teamcity(v, &b);
	if (b.failed)
		abort();
	lines_begin(&b, "##teamcity[");
	check(&b);
	for (size_t i = 0; i < b.n; i++) {
		if ((unsigned char)b.p[i] >= 0x80)
			abort();
	}
	b.n = 0;
	tt_verdict_as_gitlab(v, &b);
	if (b.failed || count(&b, "\n") != 12 + (size_t)TT_OUTCOMES + 2 * v->nrow)
		abort();
	check(&b);
	b.n = 0;
	tt_verdict_as_json(v, "tracetool", &b);
	if (b.failed)
		abort();
	check(&b);
	for (size_t max = 0; max < 6000; max = max * 2 + 500) {
		b.n = 0;
		tt_verdict_as_markdown(v, max, &b);
		if (b.failed || (max && b.n > max))
			abort();
		check(&b);
		if (tt_verdict_defuse(true, false, &b, &err) != TT_OK)
			abort();
		check(&b);
		if (count(&b, "\n::") != 0 || count(&b, "##[") != 0)
			abort();
	}
	tt_buf_free(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static char text[4097];
	static struct tt_metric metric = { .name = "m", .title = "t" };
	const char *name[NAMES];
	struct tt_budget_row row[ROWS];
	struct tt_verdict_row r[ROWS];
	struct tt_mover mover = { .about = TT_ABOUT_TIME, .change = -5, .now = 3, .base = 8 };
	struct tt_value value = { .known = true, .v = 4 };
	struct tt_fact fact = { "k", "v" };
	struct tt_sample sample = { .session = "", .fact = &fact, .nfact = 1, .value = &value, .nvalue = 1 };
	struct tt_point point = { .sample = &sample, .known = true, .v = 4 };
	struct tt_budget budget = { .row = row, .nrow = ROWS };
	struct tt_verdict v = { .row = r,
		.nrow = ROWS,
		.sample = &sample,
		.nsample = 1,
		.budget = &budget,
		.today = "2026-01-01",
		.exit_code = 1,
		.nremark = 1 };
	size_t at = 0;

	n = n < sizeof text - 1 ? n : sizeof text - 1;
	memcpy(text, p, n);
	text[n] = '\0';
	for (size_t i = 0; i < NAMES; i++) {
		name[i] = text + at;
		at += strlen(text + at);
		at += at < n;
	}
	mover.name = name[0];
	sample.name = name[1];
	fact.value = name[2];
	budget.path = name[3];
	v.summary = name[4];
	v.remark = &name[5];
	for (size_t i = 0; i < ROWS; i++) {
		enum tt_outcome o = (enum tt_outcome)(i % TT_OUTCOMES);

		row[i] = (struct tt_budget_row){
			.id = name[6], .level = i % 3 ? TT_LEVEL_ERROR : TT_LEVEL_WARN, .line = i % 2 ? 3 : 0
		};
		row[i].measure.metric = &metric;
		row[i].measure.key = name[7];
		r[i] = (struct tt_verdict_row){ .row = &row[i],
			.name = name[i % NAMES],
			.title = name[(i + 1) % NAMES],
			.outcome = o,
			.would = o,
			.fails = (o == TT_BREACH || o == TT_WORSE || o == TT_GONE) && i % 3,
			.dim = TT_DIM_TIME,
			.has_value = true,
			.value = 1500,
			.has_limit = true,
			.limit = (int64_t)i * 100,
			.n = 1,
			.point = &point,
			.npoint = 1,
			.text = name[(i + 2) % NAMES],
			.hint = i % 2 ? name[(i + 3) % NAMES] : NULL,
			.mover = &mover,
			.nmover = i % 2,
			.worst = &sample };
	}
	render_all(&v);
	return 0;
}

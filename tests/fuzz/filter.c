/**
 * Fuzz target: filters. A pattern and a text, matched by rules written down a second time; then a whole run with the
 * pattern, and times and limits made of the input, as its filter: it ends well, and shows no more than without.
 *
 * PATTERN NUL TEXT NUL and 18 bytes: from, to, shortest duration, depth.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memrun.h"
#include "mlpd_sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

/* Only plain ASCII patterns of * and ? are judged here: where sets and quotes end is the other's business. */
static bool
simple(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s >= 0x80 || strchr("[]\\", *s))
			return false;
	}
	return true;
}

/* One row of the table for each character of the pattern: does what is before match the text's first j? */
static bool
matches(const char *pattern, const char *text)
{
	size_t n = strlen(text);
	bool *row = calloc(n + 1, 1), result;

	if (!row)
		abort();
	row[0] = true;
	for (const char *p = pattern; *p; p++) {
		bool diagonal = row[0];

		row[0] = row[0] && *p == '*';
		for (size_t j = 1; j <= n; j++) {
			bool above = row[j];

			row[j] = *p == '*' ? above || row[j - 1] : diagonal && (*p == '?' || *p == text[j - 1]);
			diagonal = above;
		}
	}
	result = row[n];
	free(row);
	return result;
}

static void
check_glob(const char *pattern, const char *text)
{
	bool have = tt_glob(pattern, text), want;

	if (!simple(pattern) || !simple(text))
		return;
	want = strpbrk(pattern, "*?") ? matches(pattern, text) : strstr(text, pattern) != NULL;
	if (have != want) {
		fprintf(stderr, "\"%s\" and \"%s\": %d\n", pattern, text, have);
		abort();
	}
}

static int64_t
take(const uint8_t **p, const uint8_t *end, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n && *p < end; i++)
		v |= (uint64_t)*(*p)++ << 8 * i;
	return (int64_t)v;
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static uint8_t *capture;
	static size_t ncapture;
	const uint8_t *end = p + n;
	char *text = malloc(n + 2);
	struct tt_filter f;
	struct memrun r;

	if (!text || n > 4096) {
		free(text);
		return 0;
	}
	if (!capture)
		capture = mlpd_sample(17, 8, 1, &ncapture);
	memcpy(text, p, n);
	text[n] = text[n + 1] = '\0';
	const char *pattern = text, *of = text + strlen(text) + 1;
	check_glob(pattern, of);

	p += (size_t)(of - text) + strlen(of) + 1 < n ? (size_t)(of - text) + strlen(of) + 1 : n;
	tt_filter_init(&f);
	const char *const list[] = { pattern, NULL };
	int64_t flags = take(&p, end, 1);
	f.thread = flags & 1 ? list : NULL;
	f.marker = flags & 2 ? list : NULL;
	f.category = flags & 4 ? list : NULL;
	f.wrappers = flags & 8;
	if (flags & 16)
		f.from = take(&p, end, 5);
	if (flags & 32)
		f.to = f.from > INT64_MAX / 2 ? INT64_MAX : (f.from == INT64_MIN ? 0 : f.from) + 1 + take(&p, end, 4);
	if (flags & 64)
		f.min_dur = take(&p, end, 4);
	if (flags & 128)
		f.depth = (uint32_t)take(&p, end, 2);
	memrun_filtered(&r, capture, ncapture, MEMRUN_REPORT | MEMRUN_EMIT | MEMRUN_BEGIN_END, &f);
	if (r.rc != TT_OK && !r.err.msg[0])
		abort();
	if (r.rc != TT_OK && r.rc != TT_E_USAGE) {
		fprintf(stderr, "status %d: %s\n", r.rc, r.err.msg);
		abort();
	}
	if (memrun_free(&r) != 0)
		abort();
	free(text);
	return 0;
}

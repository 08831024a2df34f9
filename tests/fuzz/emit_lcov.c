/**
 * Fuzz target: any names and events as an lcov tracefile: lines of a known kind, valid UTF-8 without control
 * characters, every record ended.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "emit_kit.h"
#include "io/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void
refuse(const char *why, const char *line, size_t n)
{
	fprintf(stderr, "%s: %.*s\n", why, (int)n, line);
	abort();
}

static bool
known(const char *s, size_t n)
{
	static const char *const kind[] = { "#", "TN:", "SF:", "FN:", "FNDA:", "FNF:", "FNH:", "DA:", "LF:", "LH:", "BRDA:",
		"BRF:", "BRH:", "VER:", "end_of_record" };

	for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
		size_t k = strlen(kind[i]);

		if (n >= k && memcmp(s, kind[i], k) == 0)
			return true;
	}
	return false;
}

static void
check(const char *s, size_t n)
{
	bool open = false;

	for (size_t at = 0; at < n;) {
		const char *line = s + at, *nl = memchr(line, '\n', n - at);
		size_t len;

		if (!nl)
			refuse("no end of line", line, n - at);
		len = (size_t)(nl - line);
		if (!known(line, len))
			refuse("no line of a tracefile", line, len);
		for (size_t i = 0, k; i < len; i += k) {
			k = tt_utf8_len(line + i, len - i);
			if (k == 0 || (unsigned char)line[i] < ' ')
				refuse("not text", line, len);
		}
		if (len >= 3 && memcmp(line, "SF:", 3) == 0) {
			if (open)
				refuse("a record in a record", line, len);
			open = true;
		}
		if (len >= 13 && memcmp(line, "end_of_record", 13) == 0)
			open = false;
		at += len + 1;
	}
	if (open)
		refuse("the last record does not end", "", 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct kit k;
	const char *text;
	size_t len;

	/* The time of one input is bounded by its length alone. */
	if (n > 1 << 16)
		return 0;
	kit_fuzz(&k, "lcov", p, n);
	text = tt_sink_mem_data(k.sink[0], &len);
	/* kit_fuzz() put a NUL behind it. */
	check(text, len - 1);
	kit_free(&k);
	return 0;
}

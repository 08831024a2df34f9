/**
 * Fuzz target: methods and statements of any names and numbers as an lcov tracefile: lines of a known kind, valid UTF-8
 * without control characters, every record ended. Refused, and nothing written, where there is no line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "collect/collect.h"
#include "collect/cover.h"
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

/* --- coverage of bytes ----------------------------------------------------------------- */

struct bytes { const uint8_t *p, *end; };

static unsigned
take(struct bytes *b)
{
	return b->p < b->end ? *b->p++ : 0;
}

/* Mostly small, sometimes of 64 bits. */
static uint64_t
number(struct bytes *b)
{
	uint64_t v = take(b);

	for (int i = 0; v >= 0xf8 && i < 7; i++)
		v = v << 8 | take(b);
	return v;
}

static void
put_text(struct kit *k, struct bytes *b)
{
	size_t n = take(b) % 12, left = (size_t)(b->end - b->p);

	n = n < left ? n : left;
	kit_text_arg(k, n ? (const char *)b->p : "", n);
	b->p += n;
}

static void
put_number(struct kit *k, uint64_t v)
{
	struct tt_err err;

	if (tt_batch_room(&k->batch, 1, &err) != TT_OK)
		abort();
	k->batch.ev[k->batch.n++] = (struct tt_event){ .kind = TT_ARG, .depth = TT_T_U64, .val = v };
}

/* A method (assembly, class, name, signature, file; token, id, statements) or a statement (id, offset, hits, line, column). */
static void
put_record(struct kit *k, struct tt_collecting *c, struct bytes *b)
{
	unsigned what = take(b);
	bool method = what & 1;
	struct tt_err err;

	kit_event(k, TT_COVERAGE, 0, 0)->depth = method ? 1 : 2;
	for (int i = 0; i < (method ? 5 : 0); i++)
		put_text(k, b);
	if (method)
		put_number(k, number(b));
	put_number(k, what >> 1 & 3);
	for (int i = 0; i < (method ? 1 : 4); i++)
		put_number(k, number(b));
	if (tt_collect_chunk(c, &err) != TT_OK)
		abort();
	tt_batch_reset(&k->batch);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct bytes b = { p, p + n };
	struct tt_collecting c;
	struct tt_err err;
	struct kit k;
	const char *text;
	size_t len;

	/* The time of one input is bounded by its length alone. */
	if (n > 1 << 16)
		return 0;
	kit_init(&k);
	c = (struct tt_collecting){ .m = &k.m, .mem = &k.env.mem, .needs = TT_NEEDS_COVERAGE, .cap = k.m.cap[0], .b = &k.batch };
	if (tt_collect_begin(&c, &err) != TT_OK)
		abort();
	while (b.p < b.end)
		put_record(&k, &c, &b);
	if (tt_collect_finish(&c, &err) != TT_OK)
		abort();
	kit_begin(&k, "lcov");
	bool lines = tt_cover_sum(&k.m)->nline > 0;
	if (k.emit->finish(k.state, &err) != (lines ? TT_OK : TT_E_USAGE))
		abort();
	text = tt_sink_mem_data(k.sink[0], &len);
	check(text, len);
	if (lines != (len > 0))
		abort();
	tt_collect_release(&c);
	tt_collect_free(&k.m);
	kit_free(&k);
	return 0;
}

/**
 * Fuzz target: any bytes, as they are and as text of every kind, before who recognises captures that were made text. No byte behind the input is read,
 * each refusal is told, and what is told of a capture does not hang on how its text is broken into lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "model/format.h"
#include "model/transfer.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

enum { MOST = 4096 };

/* What is said of the ${n} bytes at ${p}, in ${err}; the bytes lie in a block of just their size. */
static int
refuse(const void *p, size_t n, bool lossy, struct tt_err *err)
{
	uint8_t *own = malloc(n ? n : 1);
	int rc;

	if (!own)
		exit(0);
	if (n)
		memcpy(own, p, n);
	*err = (struct tt_err){ .msg = "" };
	tt_transfer_changed(own, n);
	rc = tt_transfer_refuse(tt_formats, own, n, lossy, err);
	free(own);
	if (rc != TT_OK && (rc != TT_E_UNKNOWN || !err->msg[0]))
		abort();
	return rc;
}

static void
hex(struct tt_buf *to, const uint8_t *p, size_t n, const char *before, size_t line)
{
	for (size_t i = 0; i < n; i++)
		tt_buf_printf(to, "%s%s%02X", line && i && i % line == 0 ? (*before ? "=\n" : "\n") : "", before, p[i]);
}

static void
base64(struct tt_buf *to, const uint8_t *p, size_t n, size_t line)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		const uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? p[i + 1] : 0u) << 8 | (i + 2 < n ? p[i + 2] : 0u);
		const char four[4] = { digit[v >> 18], digit[v >> 12 & 63], i + 1 < n ? digit[v >> 6 & 63] : '=', i + 2 < n ? digit[v & 63] : '=' };

		if (line && i && i % line == 0)
			tt_buf_add(to, "\r\n", 2);
		tt_buf_add(to, four, sizeof four);
	}
}

/* The same is said of a text in one line and in several. */
static void
compare(const struct tt_buf *one, const struct tt_buf *lines)
{
	struct tt_err a, b;

	if (one->failed || lines->failed)
		exit(0);
	if (refuse(one->p, one->n, false, &a) != refuse(lines->p, lines->n, false, &b) || strcmp(a.msg, b.msg) != 0) {
		fprintf(stderr, "one line: %s\nseveral: %s\n", a.msg, b.msg);
		abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct tt_buf one = { 0 }, lines = { 0 };
	struct tt_err err;

	if (n > MOST)
		return 0;
	refuse(p, n, false, &err);
	refuse(p, n, true, &err);
	/* So few that all of the text is looked at in both forms. */
	n = n < 200 ? n : 200;
	base64(&one, p, n, 0);
	base64(&lines, p, n, 57);
	compare(&one, &lines);
	one.n = lines.n = 0;
	hex(&one, p, n, "=", 0);
	hex(&lines, p, n, "=", 25);
	compare(&one, &lines);
	one.n = lines.n = 0;
	hex(&one, p, n, "", 0);
	hex(&lines, p, n, "", 30);
	compare(&one, &lines);
	tt_buf_free(&one);
	tt_buf_free(&lines);
	return 0;
}

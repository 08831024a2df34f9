/**
 * Fuzz target: any bytes as a compressed input. Read to the end or to an error, then again from the start: the same
 * bytes and the same end. From a pipe: no byte that is not there from a file.
 */
#include <stdlib.h>
#include <string.h>

#include "io/src.h"

/* A few bytes can stand for gigabytes; so much is enough. */
#define ENOUGH ((uint64_t)4 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

struct seen {
	uint64_t bytes, sum;
	int rc;
};

/* Take pieces of ${piece} bytes. */
static void
read_all(struct tt_src *src, size_t piece, struct seen *s)
{
	static uint8_t buf[1 << 16];
	struct tt_err err = { .msg = "" };

	*s = (struct seen){ .sum = 1469598103934665603u };
	do {
		size_t got = 0;

		s->rc = tt_src_read(src, buf, piece, &got, &err);
		for (size_t i = 0; s->rc == TT_OK && i < got; i++)
			s->sum = (s->sum ^ buf[i]) * 1099511628211u;
		s->bytes += s->rc == TT_OK ? got : 0;
	} while (s->rc == TT_OK && s->bytes < ENOUGH);
	if (s->rc < 0 && !err.msg[0])
		abort();              /* every refusal is told */
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct tt_env env = { .jobs = 1, .spool_max = 1 << 20 };
	struct tt_src *src = NULL;
	struct seen first, again;
	const uint8_t *head;
	size_t nhead;
	struct tt_err err = { .msg = "" };

	if (n > 65536)
		return 0;
	if (tt_src_open_mem(&env, p, n, "fuzz", &src, &err) != TT_OK)
		abort();
	if (tt_src_peek(src, &head, &nhead, &err) < 0 && !err.msg[0])
		abort();
	read_all(src, 1 << 16, &first);
	if (tt_src_rewind(src, &err) != TT_OK)
		abort();
	read_all(src, 1021, &again);
	if (first.rc != again.rc || (first.rc != TT_OK && (first.bytes != again.bytes || first.sum != again.sum)))
		abort();
	tt_src_close(src);
	if (env.mem.used != 0)
		abort();
	return 0;
}

/**
 * Reads budgets and baselines from their files, block by block.
 */
#include "gate/document.h"

#include "base/buf.h"
#include "io/src.h"

#define DOCUMENT_MAX (64u << 20)      /* maximum bytes of a budget or baseline */

/* Pass the document ${path} to ${take}, block by block. */
static int
read_blocks(struct tt_env *env, const char *path, int (*take)(void *to, const char *text, size_t n, struct tt_err *err), void *to, struct tt_err *err)
{
	char block[1 << 14];
	struct tt_src *src;
	size_t got = 0, all = 0;
	int rc = tt_src_open_text(env, path, &src, err);

	while (rc == TT_OK) {
		rc = tt_src_read(src, block, sizeof block, &got, err);
		all += rc == TT_OK ? got : 0;
		if (rc == TT_OK && all > DOCUMENT_MAX)
			rc = tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "longer than %u MiB", DOCUMENT_MAX >> 20);
		if (rc < 0)
			tt_err_in(err, "%s", path);
		TT_THEN(rc, take(to, block, got, err));
	}
	tt_src_close(src);
	return rc == TT_END ? TT_OK : rc;
}

static int
take_text(void *to, const char *text, size_t n, struct tt_err *err)
{
	tt_buf_add(to, text, n);
	return tt_buf_error(to, err);
}

int
tt_document_read(struct tt_env *env, const char *path, struct tt_buf *text, struct tt_err *err)
{
	return read_blocks(env, path, take_text, text, err);
}

int
tt_budget_read(struct tt_env *env, const char *path, struct tt_budget *b, struct tt_arena *a, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	int rc = tt_document_read(env, path, &text, err);

	TT_THEN(rc, tt_budget_parse(text.p, text.n, path, b, a, err));
	tt_buf_free(&text);
	return rc;
}

static int
take_baseline(void *to, const char *text, size_t n, struct tt_err *err)
{
	return tt_baseline_feed(to, text, n, err);
}

int
tt_baseline_read(struct tt_env *env, const char *path, const struct tt_budget *budget, enum tt_sample_detail detail, struct tt_baseline *b,
    struct tt_arena *a, struct tt_err *err)
{
	struct tt_baseline_reader *reader;
	int rc = tt_baseline_begin(&reader, path, budget, detail, b, a, err);

	TT_THEN(rc, read_blocks(env, path, take_baseline, reader, err));
	if (rc == TT_OK)
		return tt_baseline_end(&reader, true, err);
	tt_baseline_end(&reader, false, err);
	return rc;
}

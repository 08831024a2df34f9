/**
 * Finds the facts of a capture, and those that hold at a time.
 */
#include "model/facts.h"

#include "base/order.h"
#include "model/defs.h"
#include "model/model.h"

#include <string.h>

/* By time; facts of one time keep their order. */
static int
by_time(const void *a, const void *b)
{
	const struct tt_fact *x = a, *y = b;

	if (x->ts != y->ts)
		return TT_CMP(x->ts, y->ts);
	return TT_CMP(x->order, y->order);
}

int
tt_facts_list(const struct tt_model *m, struct tt_mem *mem, struct tt_facts *facts, struct tt_err *err)
{
	size_t n = 0;

	for (size_t p = 0; p < m->ncap; p++)
		n += tt_defs_count(m->cap[p]->defs, TT_DEF_META);
	*facts = (struct tt_facts){ .n = n, .f = tt_mem_alloc(mem, n * sizeof *facts->f, err) };
	if (!facts->f)
		return err->code;
	struct tt_fact *f = facts->f;
	for (uint32_t p = 0; p < m->ncap; p++) {
		const struct tt_capture *cap = m->cap[p];
		const struct tt_def *d, *next;
		for (size_t i = 0; (d = tt_defs_at(cap->defs, TT_DEF_META, i)) != NULL; i++) {
			next = tt_defs_next(cap->defs, d);
			*f = (struct tt_fact){ .ts = d->ts + cap->offset_ns, .process = p, .order = (uint32_t)(f - facts->f), .key = d->text, .nkey = d->len,
				.end = next ? next->ts + cap->offset_ns : INT64_MAX, .value = d->text2, .nvalue = d->len2 };
			f++;
		}
	}
	tt_sort(facts->f, n, by_time);
	return TT_OK;
}

void
tt_facts_free(struct tt_facts *facts, struct tt_mem *mem)
{
	tt_mem_free(mem, facts->f, facts->n * sizeof *facts->f);
	facts->f = NULL;
}

const char *
tt_fact_glob(const char *pattern)
{
	const char *eq = strchr(pattern, '=');

	return eq && strncmp(pattern, "re:", 3) != 0 ? eq + 1 : pattern;
}

static bool
has_key(const struct tt_fact *f, const char *key, size_t n)
{
	return f->nkey == n && memcmp(f->key, key, n) == 0;
}

bool
tt_facts_find(const struct tt_facts *facts, const char *pattern, int64_t after, int64_t *ts)
{
	const char *glob = tt_fact_glob(pattern), *key = TT_FACT_LABEL;
	size_t n = strlen(key);

	/* A label may contain "=": the text before it is a key only if the capture has such a key. */
	for (size_t i = 0; i < facts->n && glob > pattern && key != pattern; i++)
		if (has_key(&facts->f[i], pattern, (size_t)(glob - pattern) - 1)) {
			key = pattern;
			n = (size_t)(glob - pattern) - 1;
		}
	if (key != pattern)
		glob = pattern;
	for (size_t i = 0; i < facts->n; i++) {
		const struct tt_fact *f = &facts->f[i];
		if (f->ts > after && has_key(f, key, n) && tt_glob(glob, f->value)) {
			*ts = f->ts;
			return true;
		}
	}
	return false;
}

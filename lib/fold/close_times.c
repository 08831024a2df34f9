/**
 * Lists the times in which zones are counted one by one.
 */
#include "fold/close_times.h"

#include "base/env.h"
#include "base/order.h"
#include "emit/emit.h"

static int
add(struct tt_spans *s, struct tt_mem *mem, struct tt_span span, struct tt_err *err)
{
	int rc = TT_OK;

	if (s->n > 0 && span.from >= s->v[s->n - 1].from && span.from <= s->v[s->n - 1].to) {
		if (span.to > s->v[s->n - 1].to)
			s->v[s->n - 1].to = span.to;
		return TT_OK;
	}
	rc = tt_mem_grow(mem, &s->v, &s->cap, s->n + 1, sizeof *s->v, err);
	if (rc == TT_OK)
		s->v[s->n++] = span;
	return rc;
}

static int
by_from(const void *a, const void *b)
{
	return TT_CMP(((const struct tt_span *)a)->from, ((const struct tt_span *)b)->from);
}

/* Sort the spans, and join those that overlap. */
static int
settle(struct tt_spans *s, struct tt_mem *mem, struct tt_err *err)
{
	size_t n = s->n;
	int rc = TT_OK;

	tt_sort(s->v, n, by_from);
	s->n = 0;
	for (size_t i = 0; i < n && rc == TT_OK; i++)
		rc = add(s, mem, s->v[i], err);
	return rc;
}

/* Add the frames that are examined closely, which are in order and disjoint. */
static int
add_frames(struct tt_close_times *c, struct tt_mem *mem, const struct tt_frames *f, uint32_t process, struct tt_err *err)
{
	size_t first, end;
	int rc = TT_OK;

	if (!f || !tt_frames_range(f, process, &first, &end))
		return TT_OK;
	for (size_t i = first; i < end && f->is_part_examined && rc == TT_OK; i++)
		if (tt_frames_has_examined(f, i, i + 1))
			rc = add(&c->looked, mem, (struct tt_span){ tt_frames_start(f, i), tt_frames_end(f, i) }, err);
	c->sums = !f->is_part_examined || c->looked.n > 0;
	return rc;
}

/* Add the times at which the filter's time begins, ends or is interrupted: zones between them count as they are, all others are clipped or left out. */
static int
add_filter(struct tt_spans *s, struct tt_mem *mem, const struct tt_filter *f, struct tt_err *err)
{
	int rc = TT_OK;

	if (f->from != INT64_MIN)
		rc = add(s, mem, (struct tt_span){ INT64_MIN, f->from }, err);
	for (size_t i = 0; i < f->nhole && rc == TT_OK; i++)
		rc = add(s, mem, f->hole[i], err);
	return f->to != INT64_MAX && rc == TT_OK ? add(s, mem, (struct tt_span){ f->to, INT64_MAX }, err) : rc;
}

int
tt_close_times_make(const struct tt_model *m, uint32_t process, unsigned needs, const struct tt_close_emits *emits, struct tt_close_times *to,
    struct tt_err *err)
{
	struct tt_mem *mem = &m->env->mem;

	*to = (struct tt_close_times){ 0 };
	int rc = add_filter(&to->at, mem, &m->filter, err);
	if (needs & TT_NEEDS_BY_FRAME && rc == TT_OK)
		rc = add_frames(to, mem, m->frames, process, err);
	for (size_t i = 0; i < emits->n && rc == TT_OK; i++) {
		const struct tt_emit *e = emits->emit[i];
		const struct tt_span *span;
		size_t n = 0;

		if (!(tt_emit_needs(e, &emits->opts[i]) & TT_NEEDS_SLICES))
			continue;
		to->always = to->always || !e->times;
		span = e->times ? e->times(emits->state[i], process, &n) : NULL;
		for (size_t k = 0; k < n && rc == TT_OK; k++)
			rc = add(&to->at, mem, span[k], err);
	}
	return rc == TT_OK ? settle(&to->at, mem, err) : rc;
}

void
tt_close_times_free(struct tt_close_times *c, struct tt_mem *mem)
{
	tt_mem_free(mem, c->at.v, c->at.cap * sizeof *c->at.v);
	tt_mem_free(mem, c->looked.v, c->looked.cap * sizeof *c->looked.v);
}

struct tt_span
tt_close_times_between(const struct tt_spans *s, int64_t ts)
{
	size_t at = tt_lower_bound(i, 0, s->n, s->v[i].to <= ts);

	at += at < s->n && s->v[at].from <= ts;
	return (struct tt_span){ at > 0 ? s->v[at - 1].to : INT64_MIN, at < s->n ? s->v[at].from : INT64_MAX };
}

struct tt_span
tt_close_times_clear(const struct tt_close_times *c, int64_t ts)
{
	return c->always ? (struct tt_span){ INT64_MAX, INT64_MAX } : tt_close_times_between(&c->at, ts);
}

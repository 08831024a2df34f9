/**
 * Collects helper code and sampled addresses; finds the code of methods.
 */
#include "collect/collect.h"
#include "model/model.h"
#include "collect/code.h"

const struct tt_def *
tt_code_at(const struct tt_capture *cap, size_t i)
{
	return tt_defs_at(cap->defs, cap->has_instrumented_calls ? TT_DEF_MARKER : TT_DEF_CODE, i);
}

/*
 * True if ${d} defines a method. Counters are markers, too; keys below a page are the recorder's own, not addresses. Unity's
 * captures also have markers of texts, and of addresses without a name.
 */
static bool
is_method(const struct tt_capture *cap, const struct tt_def *d)
{
	enum { PAGE = 4096 };

	if (cap->code_alone)
		return tt_defs_find(cap->defs, TT_DEF_CODE, d->key, INT64_MAX) != NULL;
	return cap->has_instrumented_calls || (d->key >= PAGE && !tt_defs_find(cap->defs, TT_DEF_COUNTER, d->key, INT64_MAX));
}

/* True for the first piece of code of a method, which may be compiled once for each domain. */
static bool
is_first(const struct tt_capture *cap, const struct tt_def *d)
{
	return cap->has_instrumented_calls || tt_defs_find(cap->defs, TT_DEF_CODE, d->key, INT64_MIN) == d;
}

bool
tt_code_sum(const struct tt_capture *cap, const struct tt_filter *f, struct tt_code_sum *s)
{
	const struct tt_def *d;

	*s = (struct tt_code_sum){ 0 };
	for (size_t i = 0; (d = tt_defs_at(cap->defs, TT_DEF_MARKER, i)) != NULL; i++)
		s->methods += (!f || tt_filter_has_def(f, d, cap)) && is_method(cap, d);
	for (size_t i = 0; (d = tt_code_at(cap, i)) != NULL; i++) {
		if (d->b == 0 || (f && !tt_filter_has_def(f, d, cap)))
			continue;
		s->coded += is_first(cap, d);
		s->bytes += d->b;
		s->largest = d->b > s->largest ? d->b : s->largest;
	}
	return cap->has_instrumented_calls || tt_defs_count(cap->defs, TT_DEF_CODE) > 0;
}

/* --- collected ------------------------------------------------------------------------------- */

static int
begin(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct tt_code *s = state;

	if (!(s->ips = tt_mem_alloc(c->mem, c->m->ncap * sizeof *s->ips, err)))
		return err->code;
	s->nips = c->m->ncap;
	for (size_t i = 0; i < s->nips; i++) {
		tt_tally_init(&s->ips[i].managed, c->mem);
		tt_tally_init(&s->ips[i].native, c->mem);
	}
	return TT_OK;
}

static int
helper(const struct tt_collecting *c, struct tt_code *s, const struct tt_event *e, struct tt_err *err)
{
	unsigned kind = e->depth < 15 ? e->depth : 15;
	const char *name = "";
	int rc;

	s->helper_n[kind]++;
	s->helper_b[kind] += e->dur;
	if (s->n >= TT_CODE_HELPERS_MAX)
		return TT_OK;
	if ((e->flags & TT_F_MORE) && e[1].dur)
		name = tt_arena_text(&c->cap->arena, c->b->text.p + e[1].val, e[1].dur, err);
	rc = name ? tt_mem_grow(c->mem, &s->helper, &s->cap, s->n + 1, sizeof *s->helper, err) : err->code;
	if (rc == TT_OK)
		s->helper[s->n++] = (struct tt_code_helper){ .start = e->val, .size = e->dur,
			.process = c->cap->process, .kind = e->depth, .name = name };
	return rc;
}

static int
hit(const struct tt_collecting *c, struct tt_code *s, const struct tt_event *e, struct tt_err *err)
{
	struct tt_code_ips *ips = &s->ips[c->cap->process];
	struct tt_tally *t = e->dur ? &ips->managed : &ips->native;
	uint64_t *n;

	if (t->n >= TT_CODE_IPS_MAX && tt_tally_get(t, e->val) == 0) {
		ips->dropped++;
		return TT_OK;
	}
	if (!(n = tt_tally_at(t, e->val, err)))
		return err->code;
	++*n;
	return TT_OK;
}

static int
event(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err)
{
	if (!tt_collect_in_time(c, e))
		return TT_OK;
	if (e->kind == TT_JIT_CODE)
		return helper(c, state, e, err);
	return tt_collect_keeps(c, tt_sample_thread(e)) ? hit(c, state, e, err) : TT_OK;
}

static void
free_all(struct tt_model *m, void *state)
{
	struct tt_code *s = state;

	for (size_t i = 0; i < s->nips; i++) {
		tt_tally_free(&s->ips[i].managed);
		tt_tally_free(&s->ips[i].native);
	}
	tt_mem_free(&m->env->mem, s->ips, s->nips * sizeof *s->ips);
	tt_mem_free(&m->env->mem, s->helper, s->cap * sizeof *s->helper);
}

const struct tt_collector tt_collector_code = {
	.name = "code", .size = sizeof(struct tt_code), .needs = TT_NEEDS_CODE, .kinds = TT_KIND(TT_JIT_CODE) | TT_KIND(TT_SAMPLE),
	.begin = begin, .event = event, .free = free_all,
};

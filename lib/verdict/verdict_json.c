/**
 * A verdict as JSON, for scripts: tracetool-json(7) and verdict.schema.json describe the fields. Amounts are in base units, as decimal fractions where needed.
 */
#include "base/json.h"
#include "gate/baseline.h"
#include "gate/verdict.h"
#include "verdict/verdict_as.h"

static void
json_amount(struct tt_json *j, const char *key, bool has, int64_t v, enum tt_dim dim)
{
	char number[32] = "null";

	if (has)
		*tt_put_base(number, v, dim) = '\0';
	tt_json_raw(j, key, number);
}

static void
json_double(struct tt_json *j, const char *key, double v)
{
	char number[32];

	*tt_put_double(number, v) = '\0';
	tt_json_raw(j, key, number[0] ? number : "null");
}

/* --- rows --------------------------------------------------------------------------- */

static void
json_points(struct tt_json *j, const char *key, const struct tt_point *p, size_t n, enum tt_dim dim)
{
	tt_json_open(j, key, "[");
	for (size_t i = 0; i < n; i++) {
		tt_json_open(j, NULL, "{");
		tt_json_text(j, "capture", p[i].sample->name);
		if (p[i].sample->session && p[i].sample->session[0])
			tt_json_text(j, "session", p[i].sample->session);
		json_amount(j, "value", p[i].known, p[i].v, dim);
		tt_json_close(j, "}");
	}
	tt_json_close(j, "]");
}

static void
json_mover(struct tt_json *j, const struct tt_mover *m)
{
	tt_json_open(j, NULL, "{");
	tt_json_text(j, "name", m->name);
	tt_json_text(j, "of", m->about == TT_ABOUT_ALLOC ? "bytes" : "ns");
	tt_json_bool(j, "per_frame", m->per_frame);
	tt_json_bool(j, "new", m->fresh);
	tt_json_bool(j, "gone", m->gone);
	json_amount(j, "change", true, m->change, TT_DIM_TIME);
	json_amount(j, "value", true, m->now, TT_DIM_TIME);
	json_amount(j, "baseline", true, m->base, TT_DIM_TIME);
	json_amount(j, "count", true, m->now_count, TT_DIM_NUMBER);
	json_amount(j, "baseline_count", true, m->base_count, TT_DIM_NUMBER);
	tt_json_close(j, "}");
}

/* Write what only rows of an A/B run have. */
static void
json_pairs(struct tt_json *j, const struct tt_verdict_row *r)
{
	tt_json_u64(j, "pairs", r->pairs);
	if (r->evened) {
		tt_json_u64(j, "evened", r->evened);
		tt_json_u64(j, "evened_worse", r->evened_worse);
	}
	if (r->asked)
		json_amount(j, "limit_asked", true, r->asked, r->dim);
	if (r->seen)
		json_amount(j, "seen", true, r->seen, r->dim);
	if (r->need_here)
		tt_json_u64(j, "pairs_needed", r->need_here);
}

static void
json_test(struct tt_json *j, const struct tt_verdict_row *r)
{
	tt_json_open(j, "test", "{");
	json_double(j, "p", r->p);
	json_double(j, "p_adjusted", r->p_adjusted);
	tt_json_u64(j, "rows_tested", r->ntested);
	json_amount(j, "shift", true, r->shift, r->dim);
	json_amount(j, "low", r->has_low, r->low, r->dim);
	json_amount(j, "high", r->has_high, r->high, r->dim);
	json_double(j, "p_not_worse", r->p_not);
	json_double(j, "p_not_worse_adjusted", r->p_not_adjusted);
	tt_json_text(j, "unit", r->pairs ? "pairs" : r->by_session ? "sessions" : "captures");
	if (r->pairs)
		json_pairs(j, r);
	if (r->by_session) {
		json_amount(j, "session_spread", true, r->spread, r->dim);
		tt_json_bool(j, "session_spread_assumed", r->spread_assumed);
		if (r->before)
			tt_json_u64(j, "session_spread_before", r->before);
	}
	if (!r->pairs)
		json_amount(j, "seen", true, r->seen, r->dim);
	if (r->trend_tested) {
		tt_json_open(j, "trend", "{");
		json_double(j, "p", r->trend_p);
		json_double(j, "p_adjusted", r->trend_p_adjusted);
		json_amount(j, "change", true, r->trend, r->dim);
		tt_json_text(j, "since", r->trend_since);
		tt_json_u64(j, "sessions", r->trend_sessions);
		tt_json_bool(j, "crept", r->crept);
		tt_json_close(j, "}");
	}
	if (!r->pairs) {
		json_double(j, "ks", r->ks);
		json_double(j, "ks_p", r->ks_p);
	}
	tt_json_close(j, "}");
}

static void
json_row(struct tt_json *j, const struct tt_verdict_row *r)
{
	tt_json_open(j, NULL, "{");
	tt_json_text(j, "name", r->name);
	tt_json_text(j, "id", r->row->id);
	tt_json_text(j, "group", r->group);
	tt_json_text(j, "title", r->title);
	tt_json_text(j, "measure", r->row->measure.key);
	tt_json_text(j, "level", tt_level_name[r->row->level]);
	tt_json_text(j, "outcome", tt_outcome_id[r->outcome]);
	if (r->would != r->outcome)
		tt_json_text(j, "would", tt_outcome_id[r->would]);
	tt_json_bool(j, "fails", r->fails);
	tt_json_text(j, "unit", tt_dim_name[r->dim]);
	json_amount(j, "value", r->has_value, r->value, r->dim);
	json_amount(j, "limit", r->has_limit, r->limit, r->dim);
	tt_json_text(j, "limit_is",
	    r->row->exact      ? "exact"
	    : r->row->relative ? r->limit_is_min ? "least_change" : "largest_change"
	    : r->limit_is_min  ? "min"
			       : "max");
	tt_json_u64(j, "captures", r->n);
	tt_json_u64(j, "missing", r->missing);
	json_amount(j, "baseline", r->has_base, r->base, r->dim);
	if (r->has_base) {
		tt_json_u64(j, "baseline_captures", r->m);
		tt_json_u64(j, "baseline_sessions", r->sessions);
	}
	if (r->tested)
		json_test(j, r);
	if (r->need)
		tt_json_u64(j, "captures_needed", r->need);
	tt_json_text(j, "text", r->text);
	tt_json_text(j, "hint", r->hint);
	tt_json_text(j, "worst_capture", r->worst ? r->worst->name : NULL);
	json_points(j, "points", r->point, r->npoint, r->dim);
	if (r->has_base)
		json_points(j, "baseline_points", r->base_point, r->nbase_point, r->dim);
	tt_json_open(j, "movers", "[");
	for (size_t i = 0; i < r->nmover; i++)
		json_mover(j, &r->mover[i]);
	tt_json_close(j, "]");
	tt_json_close(j, "}\n");
}

/* Write what was run in an A/B run. */
static void
json_ab(struct tt_json *j, const struct tt_ab *ab)
{
	static const char *const side[TT_SIDES] = { [TT_OLD] = "old", [TT_NEW] = "new" };

	tt_json_open(j, "ab", "{");
	tt_json_u64(j, "seed", ab->seed);
	tt_json_u64(j, "pairs", ab->done);
	tt_json_u64(j, "most_pairs", ab->planned);
	for (unsigned s = 0; s < TT_SIDES; s++) {
		tt_json_open(j, side[s], "{");
		tt_json_text(j, "command", ab->build[s]);
		tt_json_u64(j, "runs", ab->runs[s]);
		tt_json_u64(j, "crashes", ab->crashes[s]);
		tt_json_text(j, "first_crash", ab->crash[s]);
		tt_json_u64(j, "unended", ab->unended[s]);
		tt_json_close(j, "}");
	}
	tt_json_close(j, "}");
}

/* --- the whole -------------------------------------------------------------------------- */

static void
json_samples(struct tt_json *j, const struct tt_verdict *v)
{
	tt_json_open(j, "captures", "[");
	for (size_t i = 0; i < v->nsample; i++) {
		const struct tt_sample *s = &v->sample[i];

		tt_json_open(j, NULL, "{");
		tt_json_text(j, "name", s->name);
		tt_json_u64(j, "frames", s->frames);
		tt_json_bool(j, "damaged", s->damaged);
		tt_json_text(j, "damage", s->damage);
		tt_json_open(j, "facts", "{");
		for (size_t k = 0; k < s->nfact; k++)
			tt_json_text(j, s->fact[k].key, s->fact[k].value);
		tt_json_close(j, "}");
		tt_json_close(j, "}\n");
	}
	tt_json_close(j, "]");
}

void
tt_verdict_as_json(const struct tt_verdict *v, const char *generator, struct tt_buf *out)
{
	struct tt_json j = { .out = out };

	tt_json_open(&j, NULL, "{");
	tt_json_u64(&j, "tracetool_verdict", 1);
	tt_json_text(&j, "generator", generator);
	tt_json_text(&j, "budget", v->budget->path);
	tt_json_text(&j, "baseline", v->base ? v->base->path : NULL);
	if (v->ab)
		json_ab(&j, v->ab);
	tt_json_text(&j, "today", v->today);
	tt_json_u64(&j, "exit_code", (uint64_t)v->status);
	tt_json_text(&j, "summary", v->summary);
	tt_json_open(&j, "remarks", "[");
	for (size_t i = 0; i < v->nremark; i++)
		tt_json_text(&j, NULL, v->remark[i]);
	tt_json_close(&j, "]");
	tt_json_text(&j, "accept", v->accept);
	tt_json_open(&j, "count", "{");
	for (unsigned i = 0; i < TT_OUTCOMES; i++)
		tt_json_u64(&j, tt_outcome_id[i], v->count[i]);
	tt_json_close(&j, "}");
	tt_json_u64(&j, "warned", v->warned);
	tt_json_open(&j, "rows", "[\n");
	for (size_t i = 0; i < v->nrow; i++)
		json_row(&j, &v->row[i]);
	tt_json_close(&j, "]");
	json_samples(&j, v);
	tt_json_close(&j, "}\n");
}

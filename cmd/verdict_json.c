/**
 * A verdict as JSON, for scripts: the fields are described in tracetool-json(7) and verdict.schema.json. Amounts are in
 * base units, with the decimals they have.
 */
#include <string.h>

#include "verdict_out.h"
#include "version.h"

/* A writer of members; the first failure stays. */
struct json {
	struct tt_buf *out;
	struct tt_err *err;
	int rc;
	bool comma;
};

static void
raw(struct json *j, const char *s)
{
	if (j->rc == TT_OK)
		j->rc = tt_buf_text(j->out, s, j->err);
}

static void
text(struct json *j, const char *s)
{
	size_t n = strlen(s);

	raw(j, "\"");
	if (j->rc == TT_OK)
		j->rc = tt_buf_room(j->out, 6 * n + 1, j->err);
	if (j->rc == TT_OK)
		j->out->n = (size_t)(tt_put_json(j->out->p + j->out->n, s, n) - j->out->p);
	raw(j, "\"");
}

/* ${open} is "{" or "["; ${key} NULL in arrays. */
static void
begin(struct json *j, const char *key, const char *open)
{
	raw(j, j->comma ? "," : "");
	if (key) {
		text(j, key);
		raw(j, ":");
	}
	raw(j, open);
	j->comma = false;
}

static void
end(struct json *j, const char *close)
{
	raw(j, close);
	j->comma = true;
}

static void
member(struct json *j, const char *key)
{
	begin(j, key, "");
	j->comma = true;
}

static void
put_text(struct json *j, const char *key, const char *s)
{
	if (!s)
		return;
	member(j, key);
	text(j, s);
}

static void
put_bool(struct json *j, const char *key, bool v)
{
	member(j, key);
	raw(j, v ? "true" : "false");
}

static void
put_count(struct json *j, const char *key, uint64_t v)
{
	char number[24];

	*tt_put_u64(number, v) = '\0';
	member(j, key);
	raw(j, number);
}

static void
put_amount(struct json *j, const char *key, bool has, int64_t v)
{
	char number[32] = "null";

	if (has)
		*tt_put_base(number, v) = '\0';
	member(j, key);
	raw(j, number);
}

static void
put_double(struct json *j, const char *key, double v)
{
	char number[32];

	*tt_put_double(number, v) = '\0';
	member(j, key);
	raw(j, number[0] ? number : "null");
}

/* --- rows --------------------------------------------------------------------------- */

static void
put_points(struct json *j, const char *key, const struct tt_point *p, size_t n)
{
	begin(j, key, "[");
	for (size_t i = 0; i < n; i++) {
		begin(j, NULL, "{");
		put_text(j, "capture", p[i].sample->name);
		if (p[i].sample->session && p[i].sample->session[0])
			put_text(j, "session", p[i].sample->session);
		put_amount(j, "value", p[i].known, p[i].v);
		end(j, "}");
	}
	end(j, "]");
}

static void
put_mover(struct json *j, const struct tt_mover *m)
{
	begin(j, NULL, "{");
	put_text(j, "name", m->name);
	put_text(j, "of", m->about == TT_ABOUT_ALLOC ? "bytes" : "ns");
	put_bool(j, "per_frame", m->per_frame);
	put_bool(j, "new", m->fresh);
	put_bool(j, "gone", m->gone);
	put_amount(j, "change", true, m->change);
	put_amount(j, "value", true, m->now);
	put_amount(j, "baseline", true, m->base);
	put_amount(j, "count", true, m->now_count);
	put_amount(j, "baseline_count", true, m->base_count);
	end(j, "}");
}

static void
put_test(struct json *j, const struct tt_verdict_row *r)
{
	begin(j, "test", "{");
	put_double(j, "p", r->p);
	put_double(j, "p_adjusted", r->p_adjusted);
	put_count(j, "rows_tested", r->ntested);
	put_amount(j, "shift", true, r->shift);
	put_amount(j, "low", r->has_low, r->low);
	put_amount(j, "high", r->has_high, r->high);
	put_amount(j, "widened", true, r->widened);
	put_double(j, "ks", r->ks);
	put_double(j, "ks_p", r->ks_p);
	end(j, "}");
}

static void
put_row(struct json *j, const struct tt_verdict_row *r)
{
	begin(j, NULL, "{");
	put_text(j, "name", r->name);
	put_text(j, "id", r->row->id);
	put_text(j, "group", r->group);
	put_text(j, "title", r->title);
	put_text(j, "measure", r->row->measure.key);
	put_text(j, "level", tt_level_name[r->row->level]);
	put_text(j, "outcome", tt_outcome_id[r->outcome]);
	if (r->would != r->outcome)
		put_text(j, "would", tt_outcome_id[r->would]);
	put_bool(j, "fails", r->fails);
	put_text(j, "unit", tt_dim_name[r->dim]);
	put_amount(j, "value", r->has_value, r->value);
	put_amount(j, "limit", r->has_limit, r->limit);
	put_text(j, "limit_is", r->row->exact ? "exact" : r->row->relative ? r->limit_is_min ? "least_change" : "largest_change" :
	    r->limit_is_min ? "min" : "max");
	put_count(j, "captures", r->n);
	put_amount(j, "baseline", r->has_base, r->base);
	if (r->has_base) {
		put_count(j, "baseline_captures", r->m);
		put_count(j, "baseline_sessions", r->sessions);
	}
	if (r->tested)
		put_test(j, r);
	if (r->need)
		put_count(j, "captures_needed", r->need);
	put_text(j, "text", r->text);
	put_text(j, "hint", r->hint);
	put_text(j, "worst_capture", r->worst ? r->worst->name : NULL);
	put_points(j, "points", r->point, r->npoint);
	if (r->has_base)
		put_points(j, "baseline_points", r->base_point, r->nbase_point);
	begin(j, "movers", "[");
	for (size_t i = 0; i < r->nmover; i++)
		put_mover(j, &r->mover[i]);
	end(j, "]");
	end(j, "}\n");
}

/* --- the whole -------------------------------------------------------------------------- */

static void
put_samples(struct json *j, const struct tt_verdict *v)
{
	begin(j, "captures", "[");
	for (size_t i = 0; i < v->nsample; i++) {
		const struct tt_sample *s = &v->sample[i];

		begin(j, NULL, "{");
		put_text(j, "name", s->name);
		put_count(j, "frames", s->frames);
		put_bool(j, "damaged", s->damaged);
		put_text(j, "damage", s->damage);
		begin(j, "facts", "{");
		for (size_t k = 0; k < s->nfact; k++)
			put_text(j, s->fact[k].key, s->fact[k].value);
		end(j, "}");
		end(j, "}\n");
	}
	end(j, "]");
}

int
verdict_json(const struct tt_verdict *v, struct tt_buf *out, struct tt_err *err)
{
	struct json j = { .out = out, .err = err, .rc = TT_OK };

	begin(&j, NULL, "{");
	put_count(&j, "tracetool_verdict", 1);
	put_text(&j, "generator", TT_GENERATOR);
	put_text(&j, "budget", v->budget->path);
	put_text(&j, "baseline", v->base ? v->base->path : NULL);
	put_text(&j, "today", v->today);
	put_count(&j, "exit_code", (uint64_t)v->exit_code);
	put_text(&j, "summary", v->summary);
	begin(&j, "remarks", "[");
	for (size_t i = 0; i < v->nremark; i++)
		put_text(&j, NULL, v->remark[i]);
	end(&j, "]");
	begin(&j, "count", "{");
	for (unsigned i = 0; i < TT_OUTCOMES; i++)
		put_count(&j, tt_outcome_id[i], v->count[i]);
	end(&j, "}");
	begin(&j, "rows", "[\n");
	for (size_t i = 0; i < v->nrow; i++)
		put_row(&j, &v->row[i]);
	end(&j, "]");
	put_samples(&j, v);
	end(&j, "}\n");
	return j.rc;
}

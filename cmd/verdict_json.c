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
json_text(struct json *j, const char *key, const char *s)
{
	if (!s)
		return;
	member(j, key);
	text(j, s);
}

static void
json_bool(struct json *j, const char *key, bool v)
{
	member(j, key);
	raw(j, v ? "true" : "false");
}

static void
json_count(struct json *j, const char *key, uint64_t v)
{
	char number[24];

	*tt_put_u64(number, v) = '\0';
	member(j, key);
	raw(j, number);
}

static void
json_amount(struct json *j, const char *key, bool has, int64_t v)
{
	char number[32] = "null";

	if (has)
		*tt_put_base(number, v) = '\0';
	member(j, key);
	raw(j, number);
}

static void
json_double(struct json *j, const char *key, double v)
{
	char number[32];

	*tt_put_double(number, v) = '\0';
	member(j, key);
	raw(j, number[0] ? number : "null");
}

/* --- rows --------------------------------------------------------------------------- */

static void
json_points(struct json *j, const char *key, const struct tt_point *p, size_t n)
{
	begin(j, key, "[");
	for (size_t i = 0; i < n; i++) {
		begin(j, NULL, "{");
		json_text(j, "capture", p[i].sample->name);
		if (p[i].sample->session && p[i].sample->session[0])
			json_text(j, "session", p[i].sample->session);
		json_amount(j, "value", p[i].known, p[i].v);
		end(j, "}");
	}
	end(j, "]");
}

static void
json_mover(struct json *j, const struct tt_mover *m)
{
	begin(j, NULL, "{");
	json_text(j, "name", m->name);
	json_text(j, "of", m->about == TT_ABOUT_ALLOC ? "bytes" : "ns");
	json_bool(j, "per_frame", m->per_frame);
	json_bool(j, "new", m->fresh);
	json_bool(j, "gone", m->gone);
	json_amount(j, "change", true, m->change);
	json_amount(j, "value", true, m->now);
	json_amount(j, "baseline", true, m->base);
	json_amount(j, "count", true, m->now_count);
	json_amount(j, "baseline_count", true, m->base_count);
	end(j, "}");
}

static void
json_test(struct json *j, const struct tt_verdict_row *r)
{
	begin(j, "test", "{");
	json_double(j, "p", r->p);
	json_double(j, "p_adjusted", r->p_adjusted);
	json_count(j, "rows_tested", r->ntested);
	json_amount(j, "shift", true, r->shift);
	json_amount(j, "low", r->has_low, r->low);
	json_amount(j, "high", r->has_high, r->high);
	json_amount(j, "widened", true, r->widened);
	json_double(j, "ks", r->ks);
	json_double(j, "ks_p", r->ks_p);
	end(j, "}");
}

static void
json_row(struct json *j, const struct tt_verdict_row *r)
{
	begin(j, NULL, "{");
	json_text(j, "name", r->name);
	json_text(j, "id", r->row->id);
	json_text(j, "group", r->group);
	json_text(j, "title", r->title);
	json_text(j, "measure", r->row->measure.key);
	json_text(j, "level", tt_level_name[r->row->level]);
	json_text(j, "outcome", tt_outcome_id[r->outcome]);
	if (r->would != r->outcome)
		json_text(j, "would", tt_outcome_id[r->would]);
	json_bool(j, "fails", r->fails);
	json_text(j, "unit", tt_dim_name[r->dim]);
	json_amount(j, "value", r->has_value, r->value);
	json_amount(j, "limit", r->has_limit, r->limit);
	json_text(j, "limit_is",
	    r->row->exact      ? "exact"
	    : r->row->relative ? r->limit_is_min ? "least_change" : "largest_change"
	    : r->limit_is_min  ? "min"
			       : "max");
	json_count(j, "captures", r->n);
	json_count(j, "missing", r->missing);
	json_amount(j, "baseline", r->has_base, r->base);
	if (r->has_base) {
		json_count(j, "baseline_captures", r->m);
		json_count(j, "baseline_sessions", r->sessions);
	}
	if (r->tested)
		json_test(j, r);
	if (r->need)
		json_count(j, "captures_needed", r->need);
	json_text(j, "text", r->text);
	json_text(j, "hint", r->hint);
	json_text(j, "worst_capture", r->worst ? r->worst->name : NULL);
	json_points(j, "points", r->point, r->npoint);
	if (r->has_base)
		json_points(j, "baseline_points", r->base_point, r->nbase_point);
	begin(j, "movers", "[");
	for (size_t i = 0; i < r->nmover; i++)
		json_mover(j, &r->mover[i]);
	end(j, "]");
	end(j, "}\n");
}

/* --- the whole -------------------------------------------------------------------------- */

static void
json_samples(struct json *j, const struct tt_verdict *v)
{
	begin(j, "captures", "[");
	for (size_t i = 0; i < v->nsample; i++) {
		const struct tt_sample *s = &v->sample[i];

		begin(j, NULL, "{");
		json_text(j, "name", s->name);
		json_count(j, "frames", s->frames);
		json_bool(j, "damaged", s->damaged);
		json_text(j, "damage", s->damage);
		begin(j, "facts", "{");
		for (size_t k = 0; k < s->nfact; k++)
			json_text(j, s->fact[k].key, s->fact[k].value);
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
	json_count(&j, "tracetool_verdict", 1);
	json_text(&j, "generator", TT_GENERATOR);
	json_text(&j, "budget", v->budget->path);
	json_text(&j, "baseline", v->base ? v->base->path : NULL);
	json_text(&j, "today", v->today);
	json_count(&j, "exit_code", (uint64_t)v->exit_code);
	json_text(&j, "summary", v->summary);
	begin(&j, "remarks", "[");
	for (size_t i = 0; i < v->nremark; i++)
		json_text(&j, NULL, v->remark[i]);
	end(&j, "]");
	begin(&j, "count", "{");
	for (unsigned i = 0; i < TT_OUTCOMES; i++)
		json_count(&j, tt_outcome_id[i], v->count[i]);
	end(&j, "}");
	begin(&j, "rows", "[\n");
	for (size_t i = 0; i < v->nrow; i++)
		json_row(&j, &v->row[i]);
	end(&j, "]");
	json_samples(&j, v);
	end(&j, "}\n");
	return j.rc;
}

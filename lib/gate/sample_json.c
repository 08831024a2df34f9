/**
 * Samples as JSON; the contract is in sample.h. One sample is one line, so that baselines can be compared by line.
 *
 * { "name": "a.ttc", "id": "0123456789abcdef", "session": "#1", "facts": { "device": "PC" }, "frames": 600, "damaged": "...",
 *   "values": { "frame.time.p95": 16700000, "counter[Heap].max": { "value": 5, "unit": "bytes" },
 *               "heap.size.max": { "missing": "no heap size was recorded" } },
 *   "per_frame": true, "time": [ [ "World:Frame", 1234, 1 ] ], "alloc": [ ... ], "time_all": [ ... ], "alloc_all": [ ... ],
 *   "worst": [ { "frame": 7, "start": 1, "dur": 2, "bytes": 3, "allocs": 4, "top": [ [ "World:Frame", 1234 ] ] } ] }
 *
 * Values are in base units (ns, bytes, ...) with up to three decimals.
 */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "gate/doc.h"
#include "gate/sample.h"

/* --- writing ---------------------------------------------------------------------- */

static int
put_amount(struct tt_buf *b, int64_t v, struct tt_err *err)
{
	int rc = tt_buf_room(b, 32, err);

	if (rc != TT_OK)
		return rc;
	/* Beyond this a decimal would not survive a double, which readers use. */
	if (v > INT64_C(1) << 50 || v < -(INT64_C(1) << 50))
		v = tt_scale(v, 1, TT_AMOUNT_ONE) * TT_AMOUNT_ONE;
	b->n = (size_t)(tt_put_base(b->p + b->n, v) - b->p);
	return TT_OK;
}

static int
put_each(struct tt_buf *b, const struct tt_value *v, struct tt_err *err)
{
	int rc = tt_buf_text(b, ",\"each\":[", err);

	for (size_t i = 0; i < v->neach && rc == TT_OK; i++) {
		if (i)
			rc = tt_buf_text(b, ",", err);
		if (rc == TT_OK)
			rc = put_amount(b, v->each[i], err);
	}
	return rc == TT_OK ? tt_buf_text(b, "]", err) : rc;
}

static int
put_value(struct tt_buf *b, const struct tt_measure *x, const struct tt_value *v, struct tt_err *err)
{
	int rc;

	if (v->known && !v->absent && !v->each && v->dim == tt_measure_dim(x))
		return put_amount(b, v->v, err);
	if (!v->known) {
		rc = tt_buf_text(b, "{\"missing\":", err);
		if (rc == TT_OK)
			rc = tt_doc_put_text(b, v->why, err);
	} else {
		rc = tt_buf_text(b, "{\"value\":", err);
		if (rc == TT_OK)
			rc = put_amount(b, v->v, err);
		if (rc == TT_OK && v->dim != tt_measure_dim(x))
			rc = tt_buf_printf(b, err, ",\"unit\":\"%s\"", tt_dim_name[v->dim]);
	}
	if (rc == TT_OK && v->absent) {
		rc = tt_buf_text(b, ",\"absent\":", err);
		if (rc == TT_OK)
			rc = tt_doc_put_text(b, v->why ? v->why : "", err);
	}
	if (rc == TT_OK && v->each)
		rc = put_each(b, v, err);
	return rc == TT_OK ? tt_buf_text(b, "}", err) : rc;
}

static int
put_values(struct tt_buf *b, const struct tt_sample *s, const struct tt_measure *x, size_t n, struct tt_err *err)
{
	int rc = tt_buf_text(b, ",\"values\":{", err);
	const char *sep = "";

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		/* Of a baseline made before there was such a row. */
		if (!s->value[i].known && !s->value[i].why)
			continue;
		rc = tt_buf_text(b, sep, err);
		sep = ",";
		if (rc == TT_OK)
			rc = tt_doc_put_text(b, x[i].key, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, ":", err);
		if (rc == TT_OK)
			rc = put_value(b, &x[i], &s->value[i], err);
	}
	return rc == TT_OK ? tt_buf_text(b, "}", err) : rc;
}

static int
put_facts(struct tt_buf *b, const struct tt_sample *s, struct tt_err *err)
{
	int rc = tt_buf_text(b, ",\"facts\":{", err);

	for (size_t i = 0; i < s->nfact && rc == TT_OK; i++) {
		if (i)
			rc = tt_buf_text(b, ",", err);
		if (rc == TT_OK)
			rc = tt_doc_put_text(b, s->fact[i].key, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, ":", err);
		if (rc == TT_OK)
			rc = tt_doc_put_text(b, s->fact[i].value, err);
	}
	return rc == TT_OK ? tt_buf_text(b, "}", err) : rc;
}

static int
put_parts(struct tt_buf *b, const struct tt_sample *s, enum tt_about about, bool framed, const char *key, struct tt_err *err)
{
	const char *sep = "";
	int rc = tt_buf_printf(b, err, ",\"%s\":[", key);

	for (size_t i = 0; i < s->npart && rc == TT_OK; i++) {
		if (s->part[i].about != about || s->part[i].framed != framed)
			continue;
		rc = tt_buf_printf(b, err, "%s[", sep);
		if (rc == TT_OK)
			rc = tt_doc_put_text(b, s->part[i].name, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, ",", err);
		if (rc == TT_OK)
			rc = put_amount(b, s->part[i].v, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, ",", err);
		if (rc == TT_OK)
			rc = put_amount(b, s->part[i].count, err);
		if (rc == TT_OK)
			rc = tt_buf_text(b, "]", err);
		sep = ",";
	}
	return rc == TT_OK ? tt_buf_text(b, "]", err) : rc;
}

static int
put_worst(struct tt_buf *b, const struct tt_sample *s, struct tt_err *err)
{
	int rc = tt_buf_text(b, ",\"worst\":[", err);

	for (size_t i = 0; i < s->nworst && rc == TT_OK; i++) {
		const struct tt_worst *w = &s->worst[i];

		rc = tt_buf_printf(b, err, "%s{\"frame\":%llu,\"start\":%lld,\"dur\":%lld,\"bytes\":%lld,\"allocs\":%lld,"
		    "\"top\":[", i ? "," : "", (unsigned long long)w->number, (long long)w->start_ns, (long long)w->dur_ns,
		    (long long)w->alloc_b, (long long)w->alloc_n);
		for (unsigned k = 0; k < w->ntop && rc == TT_OK; k++) {
			rc = tt_buf_text(b, k ? ",[" : "[", err);
			if (rc == TT_OK)
				rc = tt_doc_put_text(b, w->top[k].name, err);
			if (rc == TT_OK)
				rc = tt_buf_printf(b, err, ",%lld]", (long long)w->top[k].self_ns);
		}
		if (rc == TT_OK)
			rc = tt_buf_text(b, "]}", err);
	}
	return rc == TT_OK ? tt_buf_text(b, "]", err) : rc;
}

int
tt_sample_json(const struct tt_sample *s, const struct tt_measure *x, size_t n, struct tt_buf *out, struct tt_err *err)
{
	int rc = tt_buf_text(out, "{\"name\":", err);

	if (rc == TT_OK)
		rc = tt_doc_put_text(out, s->name, err);
	if (rc == TT_OK && s->id && *s->id) {
		rc = tt_buf_text(out, ",\"id\":", err);
		if (rc == TT_OK)
			rc = tt_doc_put_text(out, s->id, err);
	}
	if (rc == TT_OK && *s->session) {
		rc = tt_buf_text(out, ",\"session\":", err);
		if (rc == TT_OK)
			rc = tt_doc_put_text(out, s->session, err);
	}
	if (rc == TT_OK)
		rc = put_facts(out, s, err);
	if (rc == TT_OK)
		rc = tt_buf_printf(out, err, ",\"frames\":%llu", (unsigned long long)s->frames);
	if (rc == TT_OK && s->damaged) {
		rc = tt_buf_text(out, ",\"damaged\":", err);
		if (rc == TT_OK)
			rc = tt_doc_put_text(out, s->damage ? s->damage : "", err);
	}
	if (rc == TT_OK)
		rc = put_values(out, s, x, n, err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, ",\"per_frame\":true", err);
	if (rc == TT_OK)
		rc = put_parts(out, s, TT_ABOUT_TIME, true, "time", err);
	if (rc == TT_OK)
		rc = put_parts(out, s, TT_ABOUT_ALLOC, true, "alloc", err);
	if (rc == TT_OK && !s->framed_alone)
		rc = put_parts(out, s, TT_ABOUT_TIME, false, "time_all", err);
	if (rc == TT_OK && !s->framed_alone)
		rc = put_parts(out, s, TT_ABOUT_ALLOC, false, "alloc_all", err);
	if (rc == TT_OK)
		rc = put_worst(out, s, err);
	return rc == TT_OK ? tt_buf_text(out, "}", err) : rc;
}

/* --- reading ------------------------------------------------------------------------- */

static int
text_of(const json_t *j, const char *none, const char **s, struct tt_arena *a, struct tt_err *err)
{
	*s = none;
	if (!json_is_string(j))
		return TT_OK;
	*s = tt_arena_text(a, json_string_value(j), json_string_length(j), err);
	return *s ? TT_OK : err->code;
}

static int64_t
amount_of(const json_t *j)
{
	double v = json_number_value(j) * TT_AMOUNT_ONE;

	if (json_is_integer(j))
		return tt_scale(json_integer_value(j), TT_AMOUNT_ONE, 1);
	if (!(v > -9.2e18 && v < 9.2e18))
		return v > 0 ? INT64_MAX : v < 0 ? -INT64_MAX : 0;
	return (int64_t)round(v);
}

static int64_t
integer(const json_t *of, const char *key)
{
	return json_integer_value(json_object_get(of, key));
}

static int
take_facts(const json_t *j, struct tt_sample *s, struct tt_arena *a, struct tt_err *err)
{
	const char *key;
	json_t *value;
	void *iter;

	s->fact = tt_arena_alloc(a, (json_object_size(j) + 1) * sizeof *s->fact, err);
	if (!s->fact)
		return err->code;
	for (iter = json_object_iter((json_t *)(uintptr_t)j); iter;
	    iter = json_object_iter_next((json_t *)(uintptr_t)j, iter)) {
		struct tt_fact *f = &s->fact[s->nfact];

		key = json_object_iter_key(iter);
		value = json_object_iter_value(iter);
		f->key = tt_arena_text(a, key, strlen(key), err);
		if (!f->key || text_of(value, "", &f->value, a, err) != TT_OK)
			return err->code;
		s->nfact++;
	}
	return TT_OK;
}

static int
take_value(const json_t *j, struct tt_value *v, const char *key, struct tt_arena *a, struct tt_err *err)
{
	const char *unit = json_string_value(json_object_get(j, "unit"));
	const json_t *each = json_object_get(j, "each"), *absent = json_object_get(j, "absent");

	if (!j)
		return TT_OK;
	if (json_is_number(j)) {
		v->known = true;
		v->v = amount_of(j);
		return TT_OK;
	}
	v->known = json_is_number(json_object_get(j, "value"));
	if (!v->known && !json_is_string(json_object_get(j, "missing")))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" has neither a value nor what is missing", key);
	v->v = amount_of(json_object_get(j, "value"));
	v->absent = absent != NULL;
	for (unsigned i = 0; i < TT_DIMS && unit; i++)
		if (strcmp(unit, tt_dim_name[i]) == 0)
			v->dim = i;
	if (text_of(absent ? absent : json_object_get(j, "missing"), NULL, &v->why, a, err) != TT_OK)
		return err->code;
	if (!json_is_array(each))
		return TT_OK;
	v->each = tt_arena_alloc(a, (json_array_size(each) + 1) * sizeof *v->each, err);
	if (!v->each)
		return err->code;
	for (; v->neach < json_array_size(each); v->neach++)
		v->each[v->neach] = amount_of(json_array_get(each, v->neach));
	return TT_OK;
}

static int
take_parts(const json_t *list, enum tt_about about, bool framed, struct tt_sample *s, struct tt_arena *a, struct tt_err *err)
{
	for (size_t i = 0; i < json_array_size(list) && i < TT_SAMPLE_PARTS; i++) {
		const json_t *j = json_array_get(list, i);
		struct tt_part *p = &s->part[s->npart];

		p->about = about;
		p->framed = framed;
		p->v = amount_of(json_array_get(j, 1));
		p->count = amount_of(json_array_get(j, 2));
		if (text_of(json_array_get(j, 0), "", &p->name, a, err) != TT_OK)
			return err->code;
		s->npart++;
	}
	return TT_OK;
}

static int
take_worst(const json_t *list, struct tt_sample *s, struct tt_arena *a, struct tt_err *err)
{
	s->worst = tt_arena_alloc(a, TT_SAMPLE_WORST * sizeof *s->worst, err);
	if (!s->worst)
		return err->code;
	for (size_t i = 0; i < json_array_size(list) && i < TT_SAMPLE_WORST; i++) {
		const json_t *j = json_array_get(list, i), *top = json_object_get(j, "top");
		struct tt_worst *w = &s->worst[i];

		*w = (struct tt_worst){ .number = (uint64_t)integer(j, "frame"), .start_ns = integer(j, "start"),
			.dur_ns = integer(j, "dur"), .alloc_b = integer(j, "bytes"), .alloc_n = integer(j, "allocs") };
		for (; w->ntop < json_array_size(top) && w->ntop < 3; w->ntop++) {
			const json_t *t = json_array_get(top, w->ntop);

			w->top[w->ntop].self_ns = json_integer_value(json_array_get(t, 1));
			if (text_of(json_array_get(t, 0), "", &w->top[w->ntop].name, a, err) != TT_OK)
				return err->code;
		}
		s->nworst++;
	}
	return TT_OK;
}

int
tt_sample_parse(const void *json, const struct tt_measure *x, size_t n, struct tt_sample *s, struct tt_arena *a,
    struct tt_err *err)
{
	const json_t *j = json, *values = json_object_get(j, "values");
	bool framed;
	int rc;

	*s = (struct tt_sample){ .nvalue = n };
	if (!json_is_string(json_object_get(j, "name")) || !json_is_object(values))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "is no sample: it needs a \"name\" and \"values\"");
	s->value = tt_arena_alloc(a, (n + 1) * sizeof *s->value, err);
	s->part = s->value ? tt_arena_alloc(a, 4 * TT_SAMPLE_PARTS * sizeof *s->part, err) : NULL;
	if (!s->part)
		return err->code;
	s->frames = (uint64_t)integer(j, "frames");
	s->damaged = json_object_get(j, "damaged") != NULL;
	framed = json_is_true(json_object_get(j, "per_frame"));
	s->framed_alone = framed && !json_object_get(j, "time_all");
	rc = text_of(json_object_get(j, "name"), "", &s->name, a, err);
	if (rc == TT_OK)
		rc = text_of(json_object_get(j, "session"), "", &s->session, a, err);
	if (rc == TT_OK)
		rc = text_of(json_object_get(j, "id"), "", &s->id, a, err);
	if (rc == TT_OK)
		rc = text_of(json_object_get(j, "damaged"), NULL, &s->damage, a, err);
	if (rc == TT_OK)
		rc = take_facts(json_object_get(j, "facts"), s, a, err);
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		s->value[i].dim = tt_measure_dim(&x[i]);
		rc = take_value(json_object_get(values, x[i].key), &s->value[i], x[i].key, a, err);
	}
	if (rc == TT_OK)
		rc = take_parts(json_object_get(j, "time"), TT_ABOUT_TIME, framed, s, a, err);
	if (rc == TT_OK)
		rc = take_parts(json_object_get(j, "alloc"), TT_ABOUT_ALLOC, framed, s, a, err);
	if (rc == TT_OK)
		rc = take_parts(json_object_get(j, "time_all"), TT_ABOUT_TIME, false, s, a, err);
	if (rc == TT_OK)
		rc = take_parts(json_object_get(j, "alloc_all"), TT_ABOUT_ALLOC, false, s, a, err);
	return rc == TT_OK ? take_worst(json_object_get(j, "worst"), s, a, err) : rc;
}

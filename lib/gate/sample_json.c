/**
 * Samples as JSON. One sample is one line, so that baselines can be compared by line.
 *
 * { "name": "a.ttc", "id": "0123456789abcdef", "session": "#1", "facts": { "device": "PC" }, "frames": 600, "cap": 16666667, "shown": "60.0 fps: none late",
 *   "damaged": "...",
 *   "values": { "frame.time.p95": 16700000, "counter[Heap].max": { "value": 5, "unit": "bytes" },
 *               "heap.size.max": { "missing": "no heap size was recorded" } },
 *   "per_frame": true, "time": [ [ "World:Frame", 1234, 1 ], [ "WaitForTargetFPS", 9, 1, 0 ] ], "alloc": [ ... ], "time_all": [ ... ], "alloc_all": [ ... ],
 *   "worst": [ { "frame": 7, "start": 1, "dur": 2, "bytes": 3, "allocs": 4, "top": [ [ "World:Frame", 1234 ] ] } ], "busiest": [], "latest": [] }
 *
 * A part is [ name, amount, count ]. A fourth item is the CPU-active part of the amount, if it is less than the amount. Values are in base
 * units (ns, bytes, ...) with up to three decimals.
 */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/texts.h"
#include "gate/doc.h"
#include "gate/sample.h"

/* The dimension of the parts' times or bytes. */
static enum tt_dim
dim_of(enum tt_about about)
{
	return about == TT_ABOUT_ALLOC ? TT_DIM_BYTES : TT_DIM_TIME;
}

/* --- writing ---------------------------------------------------------------------- */

static void
put_amount(struct tt_json *j, const char *key, int64_t v, enum tt_dim dim)
{
	const int64_t one = tt_amount_one(dim);
	char number[32];

	/* Readers parse numbers as doubles, in which decimals of larger amounts would be lost: round to whole units. */
	if (v > INT64_C(1) << 50 || v < -(INT64_C(1) << 50))
		v = tt_scale(v, 1, one) * one;
	*tt_put_base(number, v, dim) = '\0';
	tt_json_raw(j, key, number);
}

static void
put_value(struct tt_json *j, const struct tt_measure *x, const struct tt_value *v)
{
	/* The sample is from a baseline that is older than this row. */
	if (!v->known && !v->why)
		return;
	if (v->known && !v->absent && !v->doubted && !v->each && v->dim == tt_measure_dim(x)) {
		put_amount(j, x->key, v->v, v->dim);
		return;
	}
	tt_json_open(j, x->key, "{");
	if (!v->known)
		tt_json_text(j, "missing", v->why);
	else
		put_amount(j, "value", v->v, v->dim);
	if (v->known && v->dim != tt_measure_dim(x))
		tt_json_text(j, "unit", tt_dim_name[v->dim]);
	if (v->absent)
		tt_json_text(j, "absent", v->why ? v->why : "");
	if (v->elsewhere)
		tt_json_bool(j, "elsewhere", true);
	if (v->doubted)
		tt_json_text(j, "doubt", v->why);
	if (v->each) {
		tt_json_open(j, "each", "[");
		for (size_t i = 0; i < v->neach; i++)
			put_amount(j, NULL, v->each[i], v->dim);
		tt_json_close(j, "]");
	}
	tt_json_close(j, "}");
}

static void
put_parts(struct tt_json *j, const struct tt_sample *s, enum tt_about about, bool framed, const char *key)
{
	tt_json_open(j, key, "[");
	for (size_t i = 0; i < s->npart; i++) {
		if (s->part[i].about != about || s->part[i].framed != framed)
			continue;
		tt_json_open(j, NULL, "[");
		tt_json_text(j, NULL, s->part[i].name);
		put_amount(j, NULL, s->part[i].v, dim_of(about));
		put_amount(j, NULL, s->part[i].count, TT_DIM_NUMBER);
		if (s->part[i].work != s->part[i].v)
			put_amount(j, NULL, s->part[i].work, dim_of(about));
		tt_json_close(j, "]");
	}
	tt_json_close(j, "]");
}

static void
put_worst(struct tt_json *j, const struct tt_worst *w)
{
	tt_json_open(j, NULL, "{");
	tt_json_u64(j, "frame", w->number);
	tt_json_i64(j, "start", w->start_ns);
	tt_json_i64(j, "dur", w->dur_ns);
	if (w->cpu_ns >= 0)
		tt_json_i64(j, "cpu", w->cpu_ns);
	if (w->uncapped_ns >= 0)
		tt_json_i64(j, "uncapped", w->uncapped_ns);
	tt_json_i64(j, "bytes", w->alloc_b);
	tt_json_i64(j, "allocs", w->alloc_n);
	tt_json_open(j, "top", "[");
	for (unsigned k = 0; k < w->ntop; k++) {
		tt_json_open(j, NULL, "[");
		tt_json_text(j, NULL, w->top[k].name);
		tt_json_i64(j, NULL, w->top[k].self_ns);
		tt_json_close(j, "]");
	}
	tt_json_close(j, "]}");
}

void
tt_sample_put(struct tt_json *j, const char *key, const struct tt_sample *s, const struct tt_measure *x, size_t n)
{
	tt_json_open(j, key, "{");
	tt_json_text(j, "name", s->name);
	if (s->id && *s->id)
		tt_json_text(j, "id", s->id);
	if (*s->session)
		tt_json_text(j, "session", s->session);
	tt_json_open(j, "facts", "{");
	for (size_t i = 0; i < s->nfact; i++)
		tt_json_text(j, s->fact[i].key, s->fact[i].value);
	tt_json_close(j, "}");
	tt_json_u64(j, "frames", s->frames);
	if (s->cap_ns > 0)
		tt_json_i64(j, "cap", s->cap_ns);
	if (s->shown)
		tt_json_text(j, "shown", s->shown);
	if (s->editor > 0)
		tt_json_i64(j, "editor", s->editor);
	if (s->damaged)
		tt_json_text(j, "damaged", s->damage ? s->damage : "");
	tt_json_open(j, "values", "{");
	for (size_t i = 0; i < n; i++)
		put_value(j, &x[i], &s->value[i]);
	tt_json_close(j, "}");
	tt_json_bool(j, "per_frame", true);
	put_parts(j, s, TT_ABOUT_TIME, true, "time");
	put_parts(j, s, TT_ABOUT_ALLOC, true, "alloc");
	if (!s->framed_alone) {
		put_parts(j, s, TT_ABOUT_TIME, false, "time_all");
		put_parts(j, s, TT_ABOUT_ALLOC, false, "alloc_all");
	}
	tt_json_open(j, "worst", "[");
	for (size_t i = 0; i < s->nworst; i++)
		put_worst(j, &s->worst[i]);
	tt_json_close(j, "]");
	tt_json_open(j, "busiest", "[");
	for (size_t i = 0; i < s->nbusiest; i++)
		put_worst(j, &s->busiest[i]);
	tt_json_close(j, "]");
	tt_json_open(j, "latest", "[");
	for (size_t i = 0; i < s->nlatest; i++)
		put_worst(j, &s->latest[i]);
	tt_json_close(j, "]}");
}

/* --- reading ------------------------------------------------------------------------- */

/* Copy the string ${j} to *${s}; if ${j} is no string, *${s} is ${none}. */
static int
text_of(const struct tt_sample_reader *rd, const json_t *j, const char *none, const char **s, struct tt_err *err)
{
	*s = none;
	if (!json_is_string(j))
		return TT_OK;
	*s = rd->texts ? tt_texts_keep(rd->texts, json_string_value(j), json_string_length(j), err) :
	    tt_arena_text(rd->a, json_string_value(j), json_string_length(j), err);
	return *s ? TT_OK : err->code;
}

static int64_t
amount_of(const json_t *j, enum tt_dim dim)
{
	const int64_t one = tt_amount_one(dim);
	double v = json_number_value(j) * (double)one;

	if (json_is_integer(j))
		return tt_scale(json_integer_value(j), one, 1);
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
take_facts(const struct tt_sample_reader *rd, const json_t *j, struct tt_sample *s, struct tt_err *err)
{
	const size_t n = json_object_size(j);
	const char *key;
	json_t *value;
	void *iter;

	s->fact = n ? tt_arena_alloc(rd->a, n * sizeof *s->fact, err) : NULL;
	if (n && !s->fact)
		return err->code;
	for (iter = json_object_iter((json_t *)(uintptr_t)j); iter;
	    iter = json_object_iter_next((json_t *)(uintptr_t)j, iter)) {
		struct tt_fact *f = &s->fact[s->nfact];

		key = json_object_iter_key(iter);
		value = json_object_iter_value(iter);
		f->key = rd->texts ? tt_texts_keep(rd->texts, key, strlen(key), err) : tt_arena_text(rd->a, key, strlen(key), err);
		if (!f->key || text_of(rd, value, "", &f->value, err) != TT_OK)
			return err->code;
		s->nfact++;
	}
	return TT_OK;
}

static int
take_value(const struct tt_sample_reader *rd, const json_t *j, struct tt_value *v, const char *key, struct tt_err *err)
{
	const char *unit = json_string_value(json_object_get(j, "unit"));
	const json_t *each = json_object_get(j, "each"), *absent = json_object_get(j, "absent"),
	    *doubt = json_object_get(j, "doubt");

	if (!j)
		return TT_OK;
	if (json_is_number(j)) {
		v->known = true;
		v->v = amount_of(j, v->dim);
		return TT_OK;
	}
	v->known = json_is_number(json_object_get(j, "value"));
	if (!v->known && !json_is_string(json_object_get(j, "missing")))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" has neither a value nor what is missing", key);
	v->absent = absent != NULL;
	v->elsewhere = json_is_true(json_object_get(j, "elsewhere"));
	v->doubted = doubt != NULL;
	for (unsigned i = 0; i < TT_DIMS && unit; i++)
		if (strcmp(unit, tt_dim_name[i]) == 0)
			v->dim = (enum tt_dim)i & 0xff;
	v->v = amount_of(json_object_get(j, "value"), v->dim);
	if (text_of(rd, absent ? absent : doubt ? doubt : json_object_get(j, "missing"), NULL, &v->why, err) != TT_OK)
		return err->code;
	if (!json_is_array(each))
		return TT_OK;
	v->each = tt_arena_alloc(rd->a, (json_array_size(each) + 1) * sizeof *v->each, err);
	if (!v->each)
		return err->code;
	for (; v->neach < json_array_size(each); v->neach++)
		v->each[v->neach] = amount_of(json_array_get(each, v->neach), v->dim);
	return TT_OK;
}

/* Lists of parts, in the order of struct tt_sample. */
static const struct part_list { const char *key; enum tt_about about; bool framed; } part_lists[] = {
	{ "time", TT_ABOUT_TIME, true }, { "alloc", TT_ABOUT_ALLOC, true }, { "time_all", TT_ABOUT_TIME, false }, { "alloc_all", TT_ABOUT_ALLOC, false },
};
enum { PART_LISTS = sizeof part_lists / sizeof *part_lists };

/* The number of parts that are read from list ${k} of the sample ${j}; ${framed}: its parts of time per frame are means per whole frame. */
static size_t
count_parts(const json_t *j, const struct part_list *k, bool framed)
{
	const size_t n = json_array_size(json_object_get(j, k->key));
	const size_t max = k->about == TT_ABOUT_TIME && k->framed && framed ? 2 * TT_SAMPLE_PARTS : TT_SAMPLE_PARTS;

	return n < max ? n : max;
}

/* Append the first ${n} parts of ${list} to ${s}. */
static int
take_parts(const struct tt_sample_reader *rd, const json_t *list, size_t n, enum tt_about about, bool framed, struct tt_sample *s, struct tt_err *err)
{
	for (size_t i = 0; i < n; i++) {
		const json_t *j = json_array_get(list, i);
		struct tt_part *p = &s->part[s->npart];

		p->about = about;
		p->framed = framed;
		p->v = amount_of(json_array_get(j, 1), dim_of(about));
		p->count = amount_of(json_array_get(j, 2), TT_DIM_NUMBER);
		p->work = json_array_get(j, 3) ? amount_of(json_array_get(j, 3), dim_of(about)) : p->v;
		if (text_of(rd, json_array_get(j, 0), "", &p->name, err) != TT_OK)
			return err->code;
		s->npart++;
	}
	return TT_OK;
}

/* Read all lists of parts of the sample ${j}; ${framed}: those per frame are means per whole frame. */
static int
take_all_parts(const struct tt_sample_reader *rd, const json_t *j, bool framed, struct tt_sample *s, struct tt_err *err)
{
	size_t n = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < PART_LISTS; i++)
		n += count_parts(j, &part_lists[i], framed);
	s->part = n ? tt_arena_alloc(rd->a, n * sizeof *s->part, err) : NULL;
	if (n && !s->part)
		return err->code;
	for (size_t i = 0; i < PART_LISTS && rc == TT_OK; i++) {
		const struct part_list *k = &part_lists[i];

		rc = take_parts(rd, json_object_get(j, k->key), count_parts(j, k, framed), k->about, k->framed && framed, s, err);
	}
	return rc;
}

static int
take_worst(const struct tt_sample_reader *rd, const json_t *list, struct tt_worst **to, size_t *n, struct tt_err *err)
{
	const size_t size = json_array_size(list), max = size < TT_SAMPLE_WORST ? size : TT_SAMPLE_WORST;

	*to = max ? tt_arena_alloc(rd->a, max * sizeof **to, err) : NULL;
	if (max && !*to)
		return err->code;
	for (; *n < max; ++*n) {
		const json_t *j = json_array_get(list, *n), *top = json_object_get(j, "top");
		struct tt_worst *w = &(*to)[*n];

		*w = (struct tt_worst){ .number = (uint64_t)integer(j, "frame"), .start_ns = integer(j, "start"), .dur_ns = integer(j, "dur"),
			.cpu_ns = json_object_get(j, "cpu") ? integer(j, "cpu") : -1,
			.uncapped_ns = json_object_get(j, "uncapped") ? integer(j, "uncapped") : -1, .alloc_b = integer(j, "bytes"),
			.alloc_n = integer(j, "allocs") };
		for (; w->ntop < json_array_size(top) && w->ntop < 3; w->ntop++) {
			const json_t *t = json_array_get(top, w->ntop);

			w->top[w->ntop].self_ns = json_integer_value(json_array_get(t, 1));
			if (text_of(rd, json_array_get(t, 0), "", &w->top[w->ntop].name, err) != TT_OK)
				return err->code;
		}
	}
	return TT_OK;
}

/* True if an earlier version saved these values: newer ones have late frames, found from the time for which each frame was shown. */
static bool
predates_shown(const json_t *values)
{
	return json_object_get(values, "frame.time.mean") && !json_object_get(values, "frame.late.per_1000");
}

/* Read the values of all measures of ${rd} from the object ${j}. */
static int
take_values(const struct tt_sample_reader *rd, const json_t *j, struct tt_sample *s, struct tt_err *err)
{
	int rc = TT_OK;

	s->nvalue = rd->n;
	s->value = tt_arena_alloc(rd->a, (rd->n + 1) * sizeof *s->value, err);
	if (!s->value)
		return err->code;
	for (size_t i = 0; i < rd->n && rc == TT_OK; i++) {
		s->value[i].dim = tt_measure_dim(&rd->x[i]);
		rc = take_value(rd, json_object_get(j, rd->x[i].key), &s->value[i], rd->x[i].key, err);
	}
	return rc;
}

int
tt_sample_parse(const struct tt_sample_reader *rd, const void *json, struct tt_sample *s, struct tt_err *err)
{
	const json_t *j = json, *values = json_object_get(j, "values"), *id = json_object_get(j, "id");
	bool framed;
	int rc;

	*s = (struct tt_sample){ .id = "" };
	if (!json_is_string(json_object_get(j, "name")) || !json_is_object(values))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "is not a sample: it needs a \"name\" and \"values\"");
	s->frames = (uint64_t)integer(j, "frames");
	s->cap_ns = integer(j, "cap") > 0 ? integer(j, "cap") : 0;
	s->editor = integer(j, "editor");
	s->damaged = json_object_get(j, "damaged") != NULL;
	framed = json_is_true(json_object_get(j, "per_frame"));
	s->framed_alone = framed && !json_object_get(j, "time_all");
	s->predates_shown = predates_shown(values);
	rc = text_of(rd, json_object_get(j, "name"), "", &s->name, err);
	TT_THEN(rc, text_of(rd, json_object_get(j, "session"), "", &s->session, err));
	/* The id is unique to this sample, so it is not kept among the texts that samples share. */
	if (rc == TT_OK && json_is_string(id) && !(s->id = tt_arena_text(rd->a, json_string_value(id), json_string_length(id), err)))
		rc = err->code;
	TT_THEN(rc, text_of(rd, json_object_get(j, "damaged"), NULL, &s->damage, err));
	TT_THEN(rc, take_facts(rd, json_object_get(j, "facts"), s, err));
	if (rd->detail >= TT_SAMPLE_FIGURES)
		TT_THEN(rc, take_values(rd, values, s, err));
	if (rd->detail >= TT_SAMPLE_JUDGED)
		TT_THEN(rc, take_all_parts(rd, j, framed, s, err));
	if (rc != TT_OK || rd->detail < TT_SAMPLE_WHOLE)
		return rc;
	rc = text_of(rd, json_object_get(j, "shown"), NULL, &s->shown, err);
	TT_THEN(rc, take_worst(rd, json_object_get(j, "worst"), &s->worst, &s->nworst, err));
	TT_THEN(rc, take_worst(rd, json_object_get(j, "busiest"), &s->busiest, &s->nbusiest, err));
	return rc == TT_OK ? take_worst(rd, json_object_get(j, "latest"), &s->latest, &s->nlatest, err) : rc;
}

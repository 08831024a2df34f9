/**
 * Reads one row of a budget.
 */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash_seed.h"
#include "base/spelling.h"
#include "gate/budget_read.h"
#include "view/figures.h"

static const char *const selectors[] = {
	[TT_SELECT_NONE] = NULL, [TT_SELECT_MARKER] = "marker", [TT_SELECT_CATEGORY] = "category",
	[TT_SELECT_COUNTER] = "counter", [TT_SELECT_THREAD] = "thread", [TT_SELECT_LIMIT] = "limit",
	[TT_SELECT_ROW] = "row", [TT_SELECT_GROUP] = "group",
};
#define NSELECT (sizeof selectors / sizeof *selectors)

/* --- metric and statistic --------------------------------------------------------------- */

static int
read_metric(const struct tt_node_at *row, struct tt_budget_row *r, struct tt_err *err)
{
	struct tt_node_at m = tt_doc_member(row, "metric");
	const char *name = NULL, *near = NULL;
	size_t least = SIZE_MAX;
	struct tt_err why;
	int rc = tt_doc_text(&m, &name, err);

	if (rc != TT_OK)
		return rc;
	if (!name)
		return tt_doc_fail(row, false, err, "a row needs a \"metric\", like \"frame.time\"");
	r->measure.metric = tt_metric_named(name);
	if (!r->measure.metric && strchr(name, '/')) {
		r->measure.metric = tt_metric_column(name, row->doc->a, &why);
		if (!r->measure.metric)
			return tt_doc_fail(&m, false, err, "%s", why.msg);
	}
	if (r->measure.metric)
		return TT_OK;
	for (const struct tt_metric *k = tt_metrics; k->name; k++) {
		size_t d = tt_word_distance(name, k->name);

		if (d < least) {
			least = d;
			near = k->name;
		}
	}
	if (near)
		return tt_doc_fail(&m, false, err, "no metric \"%s\"; did you mean \"%s\"?", name, near);
	return tt_doc_fail(&m, false, err, "no metric \"%s\" (see \"tracetool list gate\")", name);
}

static int
read_stat(const struct tt_node_at *row, struct tt_budget_row *r, struct tt_err *err)
{
	struct tt_node_at s = tt_doc_member(row, "stat");
	const struct tt_metric *m = r->measure.metric;
	const char *name = NULL;
	char all[TT_STATS_TEXT];
	int rc = tt_doc_text(&s, &name, err);

	r->measure.stat = m->usual;
	if (rc != TT_OK || !name)
		return rc;
	if (m->select == TT_SELECT_ROW)
		return tt_doc_fail(&s, true, err, "\"stat\" has no meaning for a column of a table: %s is the figure", m->name);
	return tt_measure_set_stat(&r->measure, name, all) ? TT_OK :
	    tt_doc_fail(&s, false, err, "%s has no statistic \"%s\"; it has: %s", m->name, name, all);
}

/* Read the selector that the metric needs, and reject those that it does not have. */
static int
read_selector(const struct tt_node_at *row, struct tt_budget_row *r, struct tt_err *err)
{
	const struct tt_metric *m = r->measure.metric;
	const char *text = NULL, *wrong;
	int64_t limit = 0;
	int rc = TT_OK;

	for (unsigned i = 1; i < NSELECT && rc == TT_OK; i++) {
		struct tt_node_at k = tt_doc_member(row, selectors[i]);

		if (i == m->select && !k.json && i != TT_SELECT_ROW)
			return tt_doc_fail(row, false, err, "metric %s needs a \"%s\"", m->name, selectors[i]);
		if (!k.json)
			continue;
		if (i != m->select)
			return tt_doc_fail(&k, true, err, "\"%s\" has no meaning for metric %s", selectors[i], m->name);
		if (i == TT_SELECT_LIMIT && !json_is_string(k.json))
			return tt_doc_fail(&k, false, err, "\"limit\" needs a unit of time, like \"33.3ms\"");
		if (i != TT_SELECT_LIMIT) {
			rc = tt_budget_pattern(&k, &r->measure.select, err);
			continue;
		}
		rc = tt_doc_text(&k, &text, err);
		if (rc != TT_OK)
			return rc;
		wrong = tt_amount_parse(text, TT_DIM_TIME, &limit);
		if (wrong)
			return tt_doc_fail(&k, false, err, "\"limit\" %s", wrong);
		r->measure.limit_ns = tt_frame_limit(limit / TT_AMOUNT_ONE);
	}
	return rc;
}

/* --- limits --------------------------------------------------------------------------------- */

/* Read an amount without sign in the row's dimension; for a counter, any dimension. */
static const char *
read_amount(const struct tt_budget_row *r, const char *text, struct tt_limit *l)
{
	static const enum tt_dim any[] = { TT_DIM_NUMBER, TT_DIM_TIME, TT_DIM_BYTES, TT_DIM_PERCENT };

	const char *wrong;

	l->dim = tt_measure_dim(&r->measure);
	if (!tt_measure_any_dim(&r->measure))
		return tt_amount_parse(text, l->dim, &l->v);
	for (size_t i = 0; i < sizeof any / sizeof *any; i++) {
		l->dim = any[i];
		wrong = tt_amount_parse(text, any[i], &l->v);
		if (wrong != tt_amount_wanted[any[i]])
			return wrong;
	}
	return "is not an amount with a unit that counters have, like \"512MiB\", \"20ms\", \"80%\" or 1000";
}

/* Parse "5%" as parts per million. */
const char *
tt_budget_percent(const char *text, int64_t *ppm)
{
	const char *wrong = tt_amount_parse(text, TT_DIM_PERCENT, ppm);

	if (!wrong && __builtin_mul_overflow(*ppm, 10000 / TT_AMOUNT_ONE, ppm))
		wrong = tt_amount_too_large[TT_DIM_PERCENT];
	return wrong;
}

static int
read_number(const struct tt_node_at *v, const struct tt_budget_row *r, struct tt_limit *l, struct tt_err *err)
{
	double d = json_number_value(v->json);
	const char *wrong;
	char text[40];

	l->kind = TT_LIMIT_AMOUNT;
	wrong = read_amount(r, "0", l);
	/* An amount of frames per second must have its unit. */
	if (!wrong && l->dim == TT_DIM_FPS)
		wrong = "needs its unit, like \"60fps\"";
	if (wrong)
		return tt_doc_fail(v, false, err, "\"%s\" %s", v->key, wrong);
	const int64_t one = tt_amount_one(l->dim);
	if (!isfinite(d) || d < 0)
		return tt_doc_fail(v, false, err, "\"%s\" must be from 0 up", v->key);
	if (d * (double)one >= 0x1p63 || (json_is_integer(v->json) && json_integer_value(v->json) > INT64_MAX / one))
		return tt_doc_fail(v, false, err, "\"%s\" %s", v->key, tt_amount_too_large[l->dim]);
	if (d < 1e6 && fabs(d * (double)one - round(d * (double)one)) > 1e-6 * (double)one / TT_AMOUNT_ONE)
		return tt_doc_fail(v, false, err, "\"%s\" %s", v->key, tt_too_many_decimals(l->dim));
	l->v = json_is_integer(v->json) ? json_integer_value(v->json) * one : (int64_t)round(d * (double)one);
	*tt_put_base(text, l->v, l->dim) = '\0';
	l->text = tt_arena_text(v->doc->a, text, strlen(text), err);
	return l->text ? TT_OK : err->code;
}

static int
read_limit(const struct tt_node_at *row, const char *key, const struct tt_budget_row *r, struct tt_limit *l,
    struct tt_err *err)
{
	struct tt_node_at v = tt_doc_member(row, key);
	const char *text = NULL, *wrong = NULL;
	int rc;

	if (!v.json)
		return TT_OK;
	if (json_is_number(v.json))
		return read_number(&v, r, l, err);
	if (!json_is_string(v.json))
		return tt_doc_fail(&v, false, err, "\"%s\" must be an amount, like \"16.7ms\", or a change, like \"+5%%\"", key);
	rc = tt_doc_text(&v, &text, err);
	if (rc != TT_OK)
		return rc;
	l->text = text;
	if (*text != '+' && *text != '-') {
		l->kind = TT_LIMIT_AMOUNT;
		wrong = read_amount(r, text, l);
	} else if ((*text == '+') != (strcmp(key, "max") == 0)) {
		wrong = *text == '+' ? "must not be relative with \"+\": what may be less begins with \"-\"" :
		    "must not be relative with \"-\": what may be more begins with \"+\"";
	} else if (text[strlen(text) - 1] == '%') {
		l->kind = TT_LIMIT_PPM;
		wrong = tt_budget_percent(text + 1, &l->v);
	} else {
		l->kind = TT_LIMIT_CHANGE;
		wrong = read_amount(r, text + 1, l);
	}
	if (wrong && l->kind == TT_LIMIT_AMOUNT && !tt_budget_percent(text, &l->v))
		return tt_doc_fail(&v, false, err, "\"%s\" is a share: write \"%c%s\" for a change against the baseline", key,
		    strcmp(key, "max") == 0 ? '+' : '-', text);
	if (wrong)
		return tt_doc_fail(&v, false, err, "\"%s\" %s", key, wrong);
	if (l->kind != TT_LIMIT_AMOUNT && l->v == 0)
		return tt_doc_fail(&v, false, err, "\"%s\" must leave some room, like \"%c2%%\": against +0 identical builds "
		    "cannot be told from worse ones", key, *text);
	return TT_OK;
}

static bool
is_relative(const struct tt_limit *l)
{
	return l->kind == TT_LIMIT_CHANGE || l->kind == TT_LIMIT_PPM;
}

/* Check which of max, min and exact the row combines. */
static int
check_kinds(const struct tt_node_at *row, const struct tt_budget_row *r, struct tt_err *err)
{
	struct tt_node_at exact = tt_doc_member(row, "exact"), min = tt_doc_member(row, "min"), max = tt_doc_member(row, "max");

	if (r->exact && (max.json || min.json))
		return tt_doc_fail(&exact, true, err, "\"exact\" stands alone, without \"max\" and \"min\"");
	if (!r->exact && !max.json && !min.json)
		return tt_doc_fail(row, false, err, "a row needs a \"max\", a \"min\" or \"exact\": true");
	if (r->relative && max.json && min.json)
		return tt_doc_fail(&min, true, err, "a row with a change for its limit has one limit: make two rows of it");
	if (max.json && min.json && r->max.dim == r->min.dim && r->max.v < r->min.v)
		return tt_doc_fail(&max, false, err, "\"max\" is below \"min\": nothing could keep both");
	return TT_OK;
}

/* Fail unless some capture can violate the limit ${l}, the row's ${key}. */
static int
check_reach(const struct tt_node_at *row, const char *key, const struct tt_limit *l, struct tt_err *err)
{
	struct tt_node_at v = tt_doc_member(row, key);

	if (l->kind == TT_LIMIT_AMOUNT && l->dim == TT_DIM_PER_1000 && l->v > 1000 * TT_AMOUNT_ONE)
		return tt_doc_fail(&v, false, err, "\"%s\" is a number of frames of a thousand, at most 1000", key);
	return TT_OK;
}

/* Read max, min and exact, which decide the kind of the row. */
static int
read_limits(const struct tt_node_at *row, struct tt_budget_row *r, struct tt_err *err)
{
	struct tt_node_at exact = tt_doc_member(row, "exact"), max = tt_doc_member(row, "max");
	int rc = read_limit(row, "max", r, &r->max, err);

	TT_THEN(rc, read_limit(row, "min", r, &r->min, err));
	TT_THEN(rc, tt_doc_bool(&exact, &r->exact, err));
	r->relative = is_relative(&r->max) || is_relative(&r->min);
	TT_THEN(rc, check_kinds(row, r, err));
	TT_THEN(rc, check_reach(row, "max", &r->max, err));
	TT_THEN(rc, check_reach(row, "min", &r->min, err));
	if (rc == TT_OK && is_relative(&r->max) && tt_metric_up(r->measure.metric))
		return tt_doc_fail(&max, true, err, "more frames per second are better: limit them with \"min\", like \"-5%%\"");
	return rc;
}

/* --- the rest of a row ------------------------------------------------------------------------ */

static int
read_effect(const struct tt_node_at *row, struct tt_budget_row *r, struct tt_err *err)
{
	struct tt_node_at v = tt_doc_member(row, "effect");
	struct tt_limit l = { 0 };
	const char *text = NULL, *wrong;
	int rc;

	if (!v.json)
		return TT_OK;
	if (!r->relative)
		return tt_doc_fail(&v, true, err, "\"effect\" is for rows whose limit is a change, like \"+5%%\"");
	if (json_is_number(v.json)) {
		rc = read_number(&v, r, &l, err);
		r->effect = l.v;
		return rc;
	}
	rc = tt_doc_text(&v, &text, err);
	if (rc != TT_OK)
		return rc;
	wrong = read_amount(r, text, &l);
	if (wrong)
		return tt_doc_fail(&v, false, err, "\"effect\" %s", wrong);
	r->effect = l.v;
	return TT_OK;
}

bool
tt_is_date(const char *s)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	static const char form[] = "0000-00-00";
	int year, month, day;

	if (strlen(s) != 10)
		return false;
	for (int i = 0; i < 10; i++)
		if (form[i] == '0' ? s[i] < '0' || s[i] > '9' : s[i] != '-')
			return false;
	year = (s[2] - '0') * 10 + s[3] - '0';
	year = year ? year : (s[0] - '0') * 10 + s[1] - '0';   /* for a century, test the century itself: it has leap years if divisible by 4 */
	month = (s[5] - '0') * 10 + s[6] - '0';
	day = (s[8] - '0') * 10 + s[9] - '0';
	return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && year % 4 == 0);
}

static int
read_waive(const struct tt_node_at *row, struct tt_waive *w, struct tt_err *err)
{
	static const char *const keys[] = { "until", "why", "who", NULL };
	struct tt_node_at v = tt_doc_member(row, "waive"), m;
	int rc = tt_doc_object(&v, err);

	if (rc != TT_OK || !v.json)
		return rc;
	rc = tt_doc_keys(&v, keys, err);
	m = tt_doc_member(&v, "why");
	TT_THEN(rc, tt_doc_text(&m, &w->why, err));
	m = tt_doc_member(&v, "who");
	TT_THEN(rc, tt_doc_text(&m, &w->who, err));
	m = tt_doc_member(&v, "until");
	TT_THEN(rc, tt_doc_text(&m, &w->until, err));
	if (rc != TT_OK)
		return rc;
	if (!w->until || !tt_is_date(w->until))
		return tt_doc_fail(m.json ? &m : &v, false, err, "a waiver needs \"until\", its last day, like \"2027-01-31\"");
	if (!w->why || !*w->why)
		return tt_doc_fail(&v, false, err, "a waiver needs a \"why\"");
	return TT_OK;
}

static int
read_where(const struct tt_node_at *row, struct tt_budget_row *r, struct tt_arena *a, struct tt_err *err)
{
	struct tt_node_at v = tt_doc_member(row, "where");
	int rc = tt_doc_object(&v, err);
	json_t *value;
	const char *key;

	if (rc != TT_OK || !v.json)
		return rc;
	r->where = tt_arena_alloc(a, (json_object_size(v.json) + 1) * sizeof *r->where, err);
	if (!r->where)
		return err->code;
	json_object_foreach(v.json, key, value) {
		struct tt_node_at m = { .doc = v.doc, .up = &v, .key = key, .json = value };
		struct tt_where *w = &r->where[r->nwhere];

		rc = tt_budget_pattern(&m, &w->glob, err);
		if (rc != TT_OK)
			return rc;
		w->key = tt_arena_text(a, key, strlen(key), err);
		if (!w->key)
			return err->code;
		r->nwhere++;
	}
	return TT_OK;
}

static int
read_over(const struct tt_node_at *row, struct tt_budget_row *r, struct tt_err *err)
{
	struct tt_node_at v = tt_doc_member(row, "over");
	const bool never = r->max.kind == TT_LIMIT_AMOUNT && r->max.v == 0;     /* true: the limit is 0, so that no capture may have it */
	int over = never ? TT_OVER_WORST : TT_OVER_MEDIAN, rc = tt_doc_word(&v, tt_over_name, &over, err);

	r->over = (enum tt_over)over;
	if (rc != TT_OK || !v.json)
		return rc;
	if (r->relative || r->exact)
		return tt_doc_fail(&v, true, err, "\"over\" is for rows without a baseline: the others look at all captures");
	if (r->over != TT_OVER_POOLED)
		return TT_OK;
	if (!tt_measure_has_frames(&r->measure))
		return tt_doc_fail(&v, false, err, "\"pooled\" needs figures of single frames, which %s, %s, does not have",
		    r->measure.metric->name, tt_stat_name[r->measure.stat]);
	r->measure.pooled = true;
	return TT_OK;
}

/* Read a number of captures; huge numbers are clamped. */
static int
read_captures(const struct tt_node_at *row, const char *key, unsigned *n, struct tt_err *err)
{
	struct tt_node_at v = tt_doc_member(row, key);
	uint64_t given = 0;
	int rc = tt_doc_count(&v, &given, err);

	*n = given > 100000 ? 100000 : (unsigned)given;
	return rc;
}

/* --- rows ------------------------------------------------------------------------------------------ */

static int
read_id(struct tt_budget_reader *rd, const struct tt_node_at *row, struct tt_budget_row *r, struct tt_err *err)
{
	struct tt_node_at v = tt_doc_member(row, "id");
	const struct tt_budget *b = rd->b;
	int rc = tt_doc_text(&v, &r->id, err);
	uint64_t hash;
	size_t found;

	if (rc != TT_OK)
		return rc;
	if (!r->id || !*r->id)
		return tt_doc_fail(v.json ? &v : row, false, err, "a row needs an \"id\", the name reports call it by");
	for (const char *p = r->id; *p; p++)
		if ((unsigned char)*p < ' ')
			return tt_doc_fail(&v, false, err, "an \"id\" has no control characters");
	hash = tt_seeded_text(0, r->id, strlen(r->id));
	found = tt_map_find(&rd->row_at, hash, i, strcmp(b->row[i].id, r->id) == 0);
	if (found)
		return tt_doc_fail(&v, false, err, "there is a row \"%s\" already, in line %u", r->id, b->row[found - 1].line);
	return tt_map_add(&rd->row_at, rd->a->mem, hash, (size_t)(r - b->row), err);
}

/* The consequences for the row if its name is gone. */
enum { TT_GONE_PASS, TT_GONE_WARN, TT_GONE_FAIL };
static const char *const gone_name[] = { [TT_GONE_PASS] = "pass", [TT_GONE_WARN] = "warn", [TT_GONE_FAIL] = "fail", NULL };
static const enum tt_level gone_level[] = { [TT_GONE_PASS] = TT_LEVEL_OFF, [TT_GONE_WARN] = TT_LEVEL_WARN, [TT_GONE_FAIL] = TT_LEVEL_ERROR };

int
tt_budget_read_row(struct tt_budget_reader *rd, const struct tt_node_at *row, struct tt_budget_row *r, struct tt_err *err)
{
	static const char *const keys[] = { "id", "metric", "stat", "marker", "category", "counter", "thread", "limit", "row", "group",
		"max", "min", "exact", "effect", "level", "over", "min_captures", "max_missing", "gone", "where", "waive", "comment", NULL };
	struct tt_node_at v;
	int level = TT_LEVEL_ERROR, gone = TT_GONE_WARN, rc = tt_doc_object(row, err);

	tt_doc_place(row, false, &r->line, &r->column);
	TT_THEN(rc, tt_doc_keys(row, keys, err));
	TT_THEN(rc, read_id(rd, row, r, err));
	TT_THEN(rc, read_metric(row, r, err));
	TT_THEN(rc, read_stat(row, r, err));
	TT_THEN(rc, read_selector(row, r, err));
	TT_THEN(rc, read_limits(row, r, err));
	TT_THEN(rc, read_effect(row, r, err));
	v = tt_doc_member(row, "level");
	TT_THEN(rc, tt_doc_word(&v, tt_level_name, &level, err));
	r->level = (enum tt_level)level;
	v = tt_doc_member(row, "gone");
	TT_THEN(rc, tt_doc_word(&v, gone_name, &gone, err));
	r->gone = gone_level[gone];
	TT_THEN(rc, read_over(row, r, err));
	TT_THEN(rc, read_captures(row, "min_captures", &r->min_captures, err));
	TT_THEN(rc, read_captures(row, "max_missing", &r->max_missing, err));
	TT_THEN(rc, read_where(row, r, rd->a, err));
	TT_THEN(rc, read_waive(row, &r->waive, err));
	rd->b->baseline |= (r->relative || r->exact) && r->level != TT_LEVEL_OFF;
	return rc == TT_OK ? tt_budget_measure(rd, &r->measure, &r->which, err) : rc;
}

int
tt_budget_to_suggest(struct tt_budget *b, struct tt_arena *a, struct tt_err *err)
{
	static const char *const metric[] = { "frame.over", "frame.uncapped.over" };
	enum { METRICS = sizeof metric / sizeof *metric };
	struct tt_budget_reader rd = { .b = b, .a = a };
	int rc = tt_budget_none(b, a, err);
	size_t which;

	_Static_assert((int)METRICS * TT_HITCH_LIMITS <= TT_BUDGET_MORE, "room for each");

	for (size_t i = 0; i < (size_t)METRICS * TT_HITCH_LIMITS && rc == TT_OK; i++) {
		struct tt_measure x = { .metric = tt_metric_named(metric[i % METRICS]), .stat = TT_STAT_PER_1000,
			.limit_ns = tt_frame_limit(tt_hitch_limit[i / METRICS].ns) };

		rc = tt_budget_measure(&rd, &x, &which, err);
	}
	tt_budget_reader_free(&rd);
	return rc;
}

/**
 * Reads results of performance tests as capture results.
 */
#include "gate/test_results.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/order.h"
#include "base/utf8.h"
#include "gate/doc.h"
#include "gate/measure_model.h"
#include "model/loss.h"
#include "stat/num.h"

#define LINE "##performancetestresult2:"
#define NO_FIGURE "a file of test results has sample groups alone"
/* Amounts are clamped to this, so that differences of two are still amounts. */
#define AMOUNT_MAX (INT64_C(1) << 61)

/* A sample group of a test. */
struct group {
	const char *name, *whole;     /* name: "Name"; whole: "Test/Name" */
	enum tt_dim dim;
	int64_t *v;                   /* values as amounts */
	size_t n;
};

struct reader {
	struct tt_arena *a;
	struct group *group;
	size_t ngroup, capgroup;
	struct tt_fact *fact;
	size_t nfact, capfact;
	bool found;                   /* true: the file has a run or a result, with or without groups */
};

/* --- the documents ------------------------------------------------------------------------------------- */

/* The units: dimension, and the factor from a value to an amount. */
static const struct { enum tt_dim dim; double by; } units[] = {
	{ TT_DIM_TIME, 1e3 }, { TT_DIM_TIME, 1e6 }, { TT_DIM_TIME, 1e9 }, { TT_DIM_TIME, 1e12 },
	{ TT_DIM_BYTES, 1e3 }, { TT_DIM_BYTES, 1024e3 }, { TT_DIM_BYTES, 1048576e3 }, { TT_DIM_BYTES, 1073741824e3 },
	{ TT_DIM_NUMBER, TT_NUMBER_ONE },
};
enum { NUNIT = sizeof units / sizeof *units };

static int
read_samples(struct reader *rd, const struct tt_node_at *of, double by, struct group *g, struct tt_err *err)
{
	struct tt_node_at list = tt_doc_member(of, "Samples");
	size_t n = 0;
	int rc = tt_doc_array(&list, &n, err);

	if (rc != TT_OK)
		return rc;
	if (!(g->v = tt_arena_alloc(rd->a, (n + 1) * sizeof *g->v, err)))
		return err->code;
	for (; g->n < n; g->n++) {
		const struct tt_node_at e = tt_doc_element(&list, g->n);
		if (!json_is_number(e.json))
			return tt_doc_fail(&e, false, err, "a sample must be a number");
		double v = json_number_value(e.json) * by;
		if (fabs(v) >= (double)AMOUNT_MAX)
			return tt_doc_fail(&e, false, err, "a sample of %g is too large to be judged", json_number_value(e.json));
		g->v[g->n] = (int64_t)round(v);
	}
	return TT_OK;
}

static int
read_group(struct reader *rd, const struct tt_node_at *of, const char *test, struct tt_err *err)
{
	struct tt_node_at name = tt_doc_member(of, "Name"), unit = tt_doc_member(of, "Unit");
	struct group g = { 0 };
	uint64_t u = NUNIT - 1;
	int rc = tt_doc_object(of, err);

	TT_THEN(rc, tt_doc_text(&name, &g.name, err));
	TT_THEN(rc, tt_doc_count(&unit, &u, err));
	if (rc != TT_OK)
		return rc;
	if (!g.name)
		return tt_doc_fail(of, false, err, "a sample group needs its \"Name\"");
	if (u >= NUNIT)
		return tt_doc_fail(&unit, false, err, "there is no unit %" PRIu64 ": they go from 0, nanoseconds, to 8, undefined", u);
	g.dim = units[u].dim;
	g.whole = tt_arena_printf(rd->a, err, "%s/%s", test, g.name);
	rc = g.whole ? read_samples(rd, of, units[u].by, &g, err) : err->code;
	TT_THEN(rc, tt_arena_grow(rd->a, &rd->group, &rd->capgroup, rd->ngroup, sizeof g, err));
	if (rc == TT_OK)
		rd->group[rd->ngroup++] = g;
	return rc;
}

/* Read the groups of one test. */
static int
read_result(struct reader *rd, const struct tt_node_at *of, struct tt_err *err)
{
	struct tt_node_at name = tt_doc_member(of, "Name"), list = tt_doc_member(of, "SampleGroups");
	const char *test = "";
	size_t n = 0;
	int rc = tt_doc_object(of, err);

	TT_THEN(rc, tt_doc_text(&name, &test, err));
	TT_THEN(rc, tt_doc_array(&list, &n, err));
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		const struct tt_node_at e = tt_doc_element(&list, i);
		rc = read_group(rd, &e, test, err);
	}
	rd->found = true;
	return rc;
}

/* Read facts such as "Hardware.DeviceModel": what a run says about its machine. */
static int
read_facts(struct reader *rd, const struct tt_node_at *run, const char *of, struct tt_err *err)
{
	const struct tt_node_at part = tt_doc_member(run, of);
	char number[32], key[200];
	const char *name, *text;
	json_t *value;
	int rc;

	json_object_foreach(part.json, name, value) {
		text = json_is_string(value) ? json_string_value(value) : json_is_true(value) ? "true" : json_is_false(value) ? "false" : NULL;
		if (json_is_number(value)) {
			*(json_is_integer(value) ? tt_put_i64(number, json_integer_value(value)) : tt_put_double(number, json_real_value(value))) = '\0';
			text = number;
		}
		if (!text || !*text || snprintf(key, sizeof key, "%s.%s", of, name) >= (int)sizeof key)
			continue;
		if ((rc = tt_arena_grow(rd->a, &rd->fact, &rd->capfact, rd->nfact, sizeof *rd->fact, err)) != TT_OK)
			return rc;
		struct tt_fact *f = &rd->fact[rd->nfact++];
		f->key = tt_arena_text(rd->a, key, strlen(key), err);
		f->value = f->key ? tt_arena_text(rd->a, text, strlen(text), err) : NULL;
		if (!f->value)
			return err->code;
	}
	return TT_OK;
}

/* Read a document that is a run or the result of one test; ignore others. */
static int
read_document(struct reader *rd, struct tt_doc *d, struct tt_err *err)
{
	const struct tt_node_at root = tt_doc_root(d), list = tt_doc_member(&root, "Results");
	static const char *const places[] = { "Editor", "Hardware", "Player" };
	size_t n = 0;
	int rc;

	if (json_object_get(d->root, "SampleGroups"))
		return read_result(rd, &root, err);
	if (!list.json)
		return TT_OK;
	rd->found = true;
	rc = tt_doc_array(&list, &n, err);
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		const struct tt_node_at e = tt_doc_element(&list, i);
		rc = read_result(rd, &e, err);
	}
	for (size_t i = 0; i < sizeof places / sizeof *places && rc == TT_OK && rd->nfact < 1000; i++)
		rc = read_facts(rd, &root, places[i], err);
	return rc;
}

static int
read_json(struct reader *rd, const char *text, size_t n, const char *path, struct tt_err *err)
{
	struct tt_doc d;
	int rc = tt_doc_parse(&d, text, n, path, rd->a, err);

	if (rc != TT_OK)
		return rc;
	rc = read_document(rd, &d, err);
	tt_doc_free(&d);
	return rc;
}

/* --- lines ------------------------------------------------------------------------------------------------ */

/* The value of the digit ${c} in ${base}; ${base} if it is none. */
static uint32_t
digit(char c, uint32_t base)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at && (uint32_t)(at - digits) < base ? (uint32_t)(at - digits) : base;
}

/* Decode the character reference "&#34;" or "&#x22;" at ${p} to UTF-8 in ${to}, and return its length; *${len}: length of the reference. 0: not a reference. */
static size_t
numbered(const char *p, size_t n, char to[4], size_t *len)
{
	const bool hex = n > 3 && (p[2] == 'x' || p[2] == 'X');
	const size_t first = hex ? 3 : 2;
	const uint32_t base = hex ? 16 : 10;
	size_t i = first;
	uint32_t c = 0;

	if (n < 4 || p[1] != '#')
		return 0;
	for (; i < n && c < 0x110000 && digit(p[i], base) < base; i++)
		c = c * base + digit(p[i], base);
	if (i == first || i >= n || p[i] != ';' || c == 0)
		return 0;
	*len = i + 1;
	return tt_utf8_put(to, c);
}

/* Decode XML escapes such as those of quotes in place, and return the new length. */
static size_t
unescape(char *p, size_t n)
{
	static const struct { const char *name; char c; } of[] = { { "&quot;", '"' }, { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&apos;", '\'' } };
	size_t to = 0;

	for (size_t i = 0, len; i < n; i += len) {
		char c[4];
		size_t wide = p[i] == '&' ? numbered(p + i, n - i, c, &len) : 0;

		if (wide) {           /* UTF-8 is shorter than the reference */
			memcpy(p + to, c, wide);
			to += wide;
			continue;
		}
		len = 1;
		p[to] = p[i];
		for (size_t k = 0; p[i] == '&' && k < sizeof of / sizeof *of; k++)
			if (n - i >= strlen(of[k].name) && memcmp(p + i, of[k].name, strlen(of[k].name)) == 0) {
				p[to] = of[k].c;
				len = strlen(of[k].name);
				break;
			}
		to++;
	}
	return to;
}

/* Read the object in a line, up to its last brace, because XML may end the text there. */
static int
read_line(struct reader *rd, const char *p, size_t n, const char *path, size_t line, struct tt_err *err)
{
	const char *last = memrchr(p, '}', n);
	struct tt_buf where = { 0 };
	char *text;
	int rc;

	n = last ? (size_t)(last + 1 - p) : n;
	tt_buf_printf(&where, "%s, line %zu", path, line);
	text = tt_arena_text(rd->a, p, n, err);
	rc = text ? tt_buf_error(&where, err) : err->code;
	if (rc == TT_OK && n > 1 && memcmp(text, "{&", 2) == 0)
		n = unescape(text, n);
	TT_THEN(rc, read_json(rd, text, n, tt_buf_string(&where), err));
	tt_buf_free(&where);
	return rc;
}

static int
read_lines(struct reader *rd, const char *text, size_t n, const char *path, struct tt_err *err)
{
	const char *end = text + n, *counted = text;
	size_t line = 1;
	int rc = TT_OK;

	while (rc == TT_OK && (text = memmem(text, (size_t)(end - text), LINE, strlen(LINE)))) {
		const char *from = text + strlen(LINE), *stop = memchr(from, '\n', (size_t)(end - from));
		for (; counted < text; counted++)
			line += *counted == '\n';
		stop = stop ? stop : end;
		rc = read_line(rd, from, (size_t)(stop - from), path, line, err);
		text = stop;
	}
	return rc;
}

/* --- figures ------------------------------------------------------------------------------------------------ */

/* True if ${x} selects the group by its name or by "Test/Group"; with ${exact}, only if it equals the whole name. */
static bool
matches(const struct tt_measure *x, const struct group *g, bool exact)
{
	return exact ? strcmp(x->select, g->name) == 0 || strcmp(x->select, g->whole) == 0 : tt_figures_match(x, g->name) || tt_figures_match(x, g->whole);
}

static int64_t
total(const int64_t *v, size_t n)
{
	__extension__ __int128 sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum > INT64_MAX ? INT64_MAX : sum < -INT64_MAX ? -INT64_MAX : (int64_t)sum;
}

/* The statistic of ${x} over ${n} > 0 sorted amounts. */
static int64_t
statistic(int64_t *v, size_t n, enum tt_stat_kind stat)
{
	int64_t least = v[0];

	if (tt_stat_rank[stat].of)
		return tt_quantile_i64(v, n, tt_stat_rank[stat].rank, tt_stat_rank[stat].of);
	switch (stat) {
	case TT_STAT_TRIMMED: return tt_trimmed_i64(v, n);
	case TT_STAT_MIN: return least;
	case TT_STAT_TOTAL: return total(v, n);
	case TT_STAT_COUNT: return tt_scale((int64_t)n, TT_NUMBER_ONE, 1);
	case TT_STAT_STDDEV:
		for (size_t i = 0; i < n; i++)
			v[i] -= least;
		return tt_stddev_i64(v, n);
	default: return tt_mean_i64(v, n);
	}
}

/* The reason why two groups have no common figure. */
static const char *
two_units(struct reader *rd, const struct group *a, const struct group *b, struct tt_err *err)
{
	return tt_arena_printf(rd->a, err, "sample groups of different units match: \"%s\" (%s) and \"%s\" (%s); name one", a->whole,
	    tt_dim_name[a->dim], b->whole, tt_dim_name[b->dim]);
}

static int
figure(struct reader *rd, const struct tt_measure *x, struct tt_value *v, struct tt_err *err)
{
	size_t n = 0, at = 0, first = 0;
	bool *of = tt_arena_alloc(rd->a, rd->ngroup + 1, err), exact = false;
	int64_t *all;

	*v = (struct tt_value){ .dim = tt_measure_dim(x), .why = "no sample group of this name has a sample" };
	if (!of)
		return err->code;
	for (size_t i = 0; i < rd->ngroup; i++)
		exact = exact || matches(x, &rd->group[i], true);
	for (size_t i = 0; i < rd->ngroup; i++) {
		const struct group *g = &rd->group[i];
		of[i] = g->n && matches(x, g, exact);
		if (of[i] && n && g->dim != v->dim && x->stat != TT_STAT_COUNT) {
			v->why = two_units(rd, &rd->group[first], g, err);
			return v->why ? TT_OK : err->code;
		}
		first = of[i] && n == 0 ? i : first;
		if (of[i] && x->stat != TT_STAT_COUNT)
			v->dim = g->dim;
		n += of[i] ? g->n : 0;
	}
	v->absent = n == 0;
	if (n == 0)
		return TT_OK;
	if (!(all = tt_mem_alloc(rd->a->mem, n * sizeof *all, err)))
		return err->code;
	for (size_t i = 0; i < rd->ngroup; i++)
		if (of[i]) {
			memcpy(all + at, rd->group[i].v, rd->group[i].n * sizeof *all);
			at += rd->group[i].n;
		}
	tt_sort_i64(all, n);
	v->known = true;
	v->why = NULL;
	v->v = statistic(all, n, x->stat);
	tt_mem_free(rd->a->mem, all, n * sizeof *all);
	return TT_OK;
}

/* --- the sample ------------------------------------------------------------------------------------------------ */

static int
by_key(const void *a, const void *b)
{
	const struct tt_fact *x = a, *y = b;

	return strcmp(x->key, y->key);
}

static int
make_sample(struct reader *rd, const char *path, uint64_t hash, const struct tt_measure *x, size_t nx, struct tt_sample *s, struct tt_err *err)
{
	static const struct tt_fact own[] = { { "format", "test results" }, { "producer", "Unity Performance Testing" } };
	char id[20];
	struct tt_loss none;
	int rc = TT_OK;

	tt_loss_reset(&none);
	snprintf(id, sizeof id, "%016" PRIx64, hash);
	*s = (struct tt_sample){ .session = "", .name = tt_arena_text(rd->a, path, strlen(path), err), .nvalue = nx };
	s->id = s->name ? tt_arena_text(rd->a, id, strlen(id), err) : NULL;
	s->value = s->id ? tt_arena_alloc(rd->a, (nx + 1) * sizeof *s->value, err) : NULL;
	if (!s->value)
		return err->code;
	for (size_t i = 0; i < 2 && rc == TT_OK; i++)
		if ((rc = tt_arena_grow(rd->a, &rd->fact, &rd->capfact, rd->nfact, sizeof *rd->fact, err)) == TT_OK)
			rd->fact[rd->nfact++] = own[i];
	tt_sort(rd->fact, rd->nfact, by_key);
	s->fact = rd->fact;
	s->nfact = rd->nfact;
	tt_values_without(&none, false, NO_FIGURE, x, nx, s->value);
	for (size_t i = 0; i < nx && rc == TT_OK; i++)
		if (x[i].metric->select == TT_SELECT_GROUP)
			rc = figure(rd, &x[i], &s->value[i], err);
	return rc;
}

static bool
has(const uint8_t *p, size_t n, const char *text)
{
	return memmem(p, n, text, strlen(text)) != NULL;
}

bool
tt_results_probe(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < ' ' && !memchr("\t\r\n\f\033", p[i], 5))
			return false;
	return n > 0;
}

int
tt_results_sample(const char *text, size_t n, const char *path, const struct tt_measure *x, size_t nx, bool *is, struct tt_sample *s,
    struct tt_arena *a, struct tt_err *err)
{
	struct reader rd = { .a = a };
	const uint8_t *p = (const uint8_t *)text;
	const bool lines = has(p, n, LINE);
	int rc;

	*is = lines || has(p, n, "\"SampleGroups\"") || (has(p, n, "\"TestSuite\"") && has(p, n, "\"Results\""));
	if (!*is)
		return TT_OK;
	rc = lines ? read_lines(&rd, text, n, path, err) : read_json(&rd, text, n, path, err);
	if (rc == TT_E_USAGE)
		return err->code = TT_E_DAMAGED;
	*is = rd.found;
	return rc == TT_OK && rd.found ? make_sample(&rd, path, tt_hash_bytes(text, n), x, nx, s, err) : rc;
}

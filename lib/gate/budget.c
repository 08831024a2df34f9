/**
 * Reads budgets; budget_row.c reads one row.
 */
#include <string.h>

#include "base/buf.h"
#include "base/hash_seed.h"
#include "base/spelling.h"
#include "gate/budget_read.h"
#include "gate/sample.h"
#include "model/event.h"
#include "model/filter.h"
#include "stat/session.h"

#define ROWS_MAX 4096
#define FINGERPRINT_MAX 64                    /* maximum number of facts */

const char *const tt_level_name[4] = { "off", "warn", "error", NULL };
const char *const tt_over_name[6] = { "median", "worst", "best", "mean", "pooled", NULL };

/* The facts that must agree between captures to be comparable, unless the budget lists others. The build is not one of them. */
static const char *const usual_fingerprint[] = { "format", "arch", "device", "cpu", "gpu", "gpu_api", "platform",
	"unity_version", "scripting_backend", "vsync", "target_fps", "scene", "mono.records", "recorded_with", NULL };

/* Check that ${v}, if present, is a valid glob or regular expression. */
int
tt_budget_pattern(const struct tt_node_at *v, const char **pattern, struct tt_err *err)
{
	struct tt_err why;
	int rc = tt_doc_text(v, pattern, err);

	if (rc != TT_OK || !v->json)
		return rc;
	if (!**pattern)
		return tt_doc_fail(v, false, err, "\"%s\" is empty, which matches every name: \"*\" says so", v->key);
	return tt_pattern_check(*pattern, &why) == TT_OK ? TT_OK : tt_doc_fail(v, false, err, "%s", why.msg);
}

/* --- measures ---------------------------------------------------------------------------------- */

/* Find or add ${x} in the list of measures; *${which}: its index. */
int
tt_budget_measure(struct tt_budget_reader *rd, struct tt_measure *x, size_t *which, struct tt_err *err)
{
	struct tt_budget *b = rd->b;
	int rc = tt_measure_key(x, rd->a, err);
	uint64_t hash;
	size_t found;

	if (rc != TT_OK)
		return rc;
	b->needs |= tt_measure_needs(x);
	hash = tt_seeded_text(0, x->key, strlen(x->key));
	found = tt_map_find(&rd->measure_at, hash, i, strcmp(b->measure[i].key, x->key) == 0);
	if (found) {
		*which = found - 1;
		b->measure[*which].pooled |= x->pooled;
		return TT_OK;
	}
	*which = b->nmeasure;
	rc = tt_map_add(&rd->measure_at, rd->a->mem, hash, *which, err);
	if (rc == TT_OK)
		b->measure[b->nmeasure++] = *x;
	return rc;
}

void
tt_budget_reader_free(struct tt_budget_reader *rd)
{
	tt_map_free(&rd->row_at, rd->a->mem);
	tt_map_free(&rd->measure_at, rd->a->mem);
}

/* Add the measures that every sample has, whatever the rows: for dashboards, and for rows added later. */
static int
standard_measures(struct tt_budget_reader *rd, struct tt_err *err)
{
	size_t which;
	int rc = TT_OK;

	for (const struct tt_metric *m = tt_metrics; m->name; m++) {
		for (unsigned i = 0; m->standard && i < TT_STATS && rc == TT_OK; i++) {
			struct tt_measure x = { .metric = m, .stat = i };

			if (m->stats & 1u << i)
				rc = tt_budget_measure(rd, &x, &which, err);
		}
	}
	return rc;
}

static size_t
count_standard(void)
{
	size_t n = 0;

	for (const struct tt_metric *m = tt_metrics; m->name; m++)
		n += m->standard ? (size_t)__builtin_popcount(m->stats) : 0;
	return n;
}

static int
read_rows(struct tt_budget_reader *rd, const struct tt_node_at *root, struct tt_err *err)
{
	struct tt_node_at rows = tt_doc_member(root, "rows");
	struct tt_budget *b = rd->b;
	size_t n, off = 0;
	int rc = tt_doc_array(&rows, &n, err);

	if (rc != TT_OK)
		return rc;
	if (!rows.json)
		return tt_doc_fail(root, false, err, "a budget needs \"rows\"");
	if (n == 0)
		return tt_doc_fail(&rows, false, err, "a budget needs a row: without one it judges nothing");
	if (n > ROWS_MAX)
		return tt_doc_fail(&rows, false, err, "at most %u rows", ROWS_MAX);
	b->row = tt_arena_alloc(rd->a, (n + 4) * sizeof *b->row, err);
	b->measure = b->row ? tt_arena_alloc(rd->a, (n + 4 + count_standard()) * sizeof *b->measure, err) : NULL;
	if (!b->measure)
		return err->code;
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		struct tt_node_at row = tt_doc_element(&rows, i);

		rc = tt_budget_read_row(rd, &row, &b->row[b->nrow], err);
		off += b->row[b->nrow++].level == TT_LEVEL_OFF;
	}
	if (rc == TT_OK && off == n)
		return tt_doc_fail(&rows, false, err, "the level of every row is \"off\": this budget judges nothing");
	return rc;
}

/* Add a default row. */
static int
default_row(struct tt_budget_reader *rd, const char *id, const char *metric, enum tt_level level, uint64_t limit, bool min,
    struct tt_err *err)
{
	struct tt_budget_row *r = &rd->b->row[rd->b->nrow];
	struct tt_limit l = { .kind = TT_LIMIT_AMOUNT, .v = limit > INT64_MAX / TT_NUMBER_ONE ? INT64_MAX :
	    (int64_t)limit * TT_NUMBER_ONE };
	char text[32];

	for (size_t i = 0; i < rd->b->nrow; i++)
		if (strcmp(rd->b->row[i].id, id) == 0)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s:%u:%u: the id \"%s\" is that of a row that is there by "
			    "default", rd->b->path, rd->b->row[i].line, rd->b->row[i].column, id);
	*tt_put_base(text, l.v, TT_DIM_NUMBER) = '\0';
	l.text = tt_arena_text(rd->a, text, strlen(text), err);
	if (!l.text)
		return err->code;
	*r = (struct tt_budget_row){ .id = id, .level = level, .over = TT_OVER_WORST };
	r->measure.metric = tt_metric_named(metric);
	r->measure.stat = r->measure.metric->usual;
	*(min ? &r->min : &r->max) = l;
	rd->b->nrow++;
	return tt_budget_measure(rd, &r->measure, &r->which, err);
}

/* Add the rows that judge losses, unless the budget turns them off: figures of a damaged capture prove nothing. */
static int
read_integrity(struct tt_budget_reader *rd, const struct tt_node_at *root, struct tt_err *err)
{
	static const char *const keys[] = { "lost_events", "min_frames", "min_captures", "ended", "level", "comment", NULL };
	struct tt_node_at v = tt_doc_member(root, "integrity"), m;
	uint64_t lost = 0, frames = 0, captures = 0;
	int level = TT_LEVEL_ERROR, ended, rc = tt_doc_object(&v, err);

	if (rc == TT_OK && v.json)
		rc = tt_doc_keys(&v, keys, err);
	m = tt_doc_member(&v, "lost_events");
	TT_THEN(rc, tt_doc_count(&m, &lost, err));
	m = tt_doc_member(&v, "min_frames");
	TT_THEN(rc, tt_doc_count(&m, &frames, err));
	m = tt_doc_member(&v, "min_captures");
	TT_THEN(rc, tt_doc_count(&m, &captures, err));
	m = tt_doc_member(&v, "level");
	TT_THEN(rc, tt_doc_word(&m, tt_level_name, &level, err));
	rd->b->integrity = (enum tt_level)level;
	ended = level;
	m = tt_doc_member(&v, "ended");
	TT_THEN(rc, tt_doc_word(&m, tt_level_name, &ended, err));
	TT_THEN(rc, default_row(rd, "integrity-lost", "lost.events", (enum tt_level)level, lost, false, err));
	if (rc == TT_OK && frames)
		rc = default_row(rd, "integrity-frames", "frame.count", (enum tt_level)level, frames, true, err);
	if (rc == TT_OK && captures) {
		rc = default_row(rd, "integrity-captures", "lost.events", (enum tt_level)level, captures, true, err);
		rd->b->row[rd->b->nrow - 1].captures = true;
	}
	return rc == TT_OK ? default_row(rd, "integrity-ended", "capture.unended", (enum tt_level)ended, 0, false, err) : rc;
}

/* --- the document ------------------------------------------------------------------------------------- */

static int
read_skip(struct tt_budget *b, const struct tt_node_at *root, struct tt_err *err)
{
	static const char *const keys[] = { "frames", "time", "until_marker", "comment", NULL };
	struct tt_node_at v = tt_doc_member(root, "skip"), m;
	const char *text = NULL, *wrong;
	int rc = tt_doc_object(&v, err);

	if (rc == TT_OK && v.json)
		rc = tt_doc_keys(&v, keys, err);
	m = tt_doc_member(&v, "frames");
	TT_THEN(rc, tt_doc_count(&m, &b->skip.frames, err));
	m = tt_doc_member(&v, "until_marker");
	TT_THEN(rc, tt_budget_pattern(&m, &b->skip.until_marker, err));
	m = tt_doc_member(&v, "time");
	TT_THEN(rc, tt_doc_text(&m, &text, err));
	if (rc != TT_OK)
		return rc;
	if ((b->skip.frames != 0) + (b->skip.until_marker != NULL) + (text != NULL) > 1)
		return tt_doc_fail(&v, true, err, "\"skip\" has one of \"frames\", \"time\" and \"until_marker\"");
	wrong = text ? tt_amount_parse(text, TT_DIM_TIME, &b->skip.time_ns) : NULL;
	if (wrong)
		return tt_doc_fail(&m, false, err, "\"time\" %s", wrong);
	b->skip.time_ns /= TT_AMOUNT_ONE;
	return TT_OK;
}

static int
read_session_spread(struct tt_budget *b, const struct tt_node_at *root, struct tt_err *err)
{
	struct tt_node_at v = tt_doc_member(root, "session_spread");
	const char *text = NULL, *wrong;
	int rc = tt_doc_text(&v, &text, err);

	b->session_ppm = TT_SESSION_SPREAD_PPM;
	if (rc != TT_OK || !text)
		return rc;
	b->own_session_spread = true;
	wrong = tt_budget_percent(text, &b->session_ppm) ? "must be a percentage, like \"1%\"" : NULL;
	if (!wrong && b->session_ppm > 1000000)
		wrong = "is at most \"100%\"";
	return wrong ? tt_doc_fail(&v, false, err, "\"session_spread\" %s", wrong) : TT_OK;
}

static int
read_fingerprint(struct tt_budget_reader *rd, const struct tt_node_at *root, struct tt_err *err)
{
	struct tt_node_at v = tt_doc_member(root, "fingerprint");
	size_t n;
	int rc = tt_doc_array(&v, &n, err);

	if (rc != TT_OK)
		return rc;
	if (n > FINGERPRINT_MAX)
		return tt_doc_fail(&v, false, err, "a fingerprint has at most %d facts", FINGERPRINT_MAX);
	if (!v.json)
		n = sizeof usual_fingerprint / sizeof *usual_fingerprint - 1;
	rd->b->own_fingerprint = v.json != NULL;
	rd->b->fingerprint = tt_arena_alloc(rd->a, (n + 1) * sizeof *rd->b->fingerprint, err);
	if (!rd->b->fingerprint)
		return err->code;
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		struct tt_node_at e = tt_doc_element(&v, i);

		rd->b->fingerprint[i] = v.json ? NULL : usual_fingerprint[i];
		if (v.json && !json_is_string(e.json))
			return tt_doc_fail(&e, false, err, "a fingerprint is a list of facts' names, like \"device\"");
		if (v.json)
			rc = tt_doc_text(&e, &rd->b->fingerprint[i], err);
	}
	return rc;
}

static int
read_version(const struct tt_node_at *root, struct tt_err *err)
{
	struct tt_node_at v = tt_doc_member(root, "tracetool_budget");

	if (!json_is_object(root->json))
		return tt_doc_fail(root, false, err, "a budget is an object: { \"tracetool_budget\": 1, \"rows\": [ ... ] }");
	if (!v.json)
		return tt_doc_fail(root, false, err, "no budget: \"tracetool_budget\": 1 is missing");
	if (!json_is_integer(v.json) || json_integer_value(v.json) != 1)
		return tt_doc_fail(&v, false, err, "this tracetool reads budgets of version 1 only");
	return TT_OK;
}

static int
read_budget(struct tt_budget_reader *rd, const struct tt_node_at *root, struct tt_err *err)
{
	static const char *const keys[] = { "tracetool_budget", "$schema", "comment", "skip", "rows", "integrity",
		"fingerprint", "frame_marker", "frame_thread", "session_spread", NULL };
	struct tt_node_at v;
	int rc = read_version(root, err);

	TT_THEN(rc, tt_doc_keys(root, keys, err));
	v = tt_doc_member(root, "frame_marker");
	TT_THEN(rc, tt_budget_pattern(&v, &rd->b->frame_marker, err));
	v = tt_doc_member(root, "frame_thread");
	TT_THEN(rc, tt_budget_pattern(&v, &rd->b->frame_thread, err));
	TT_THEN(rc, read_session_spread(rd->b, root, err));
	TT_THEN(rc, read_skip(rd->b, root, err));
	TT_THEN(rc, read_fingerprint(rd, root, err));
	TT_THEN(rc, read_rows(rd, root, err));
	TT_THEN(rc, read_integrity(rd, root, err));
	rd->b->njudged = rd->b->nmeasure;
	return rc == TT_OK ? standard_measures(rd, err) : rc;
}

int
tt_budget_parse(const char *text, size_t n, const char *path, struct tt_budget *b, struct tt_arena *a,
    struct tt_err *err)
{
	struct tt_budget_reader rd = { .b = b, .a = a };
	struct tt_node_at root;
	struct tt_doc doc;
	int rc;

	*b = (struct tt_budget){ .needs = TT_SAMPLE_NEEDS };
	b->path = tt_arena_text(a, path, strlen(path), err);
	if (!b->path)
		return err->code;
	rc = tt_doc_parse(&doc, text, n, b->path, a, err);
	if (rc != TT_OK)
		return rc;
	root = tt_doc_root(&doc);
	rc = read_budget(&rd, &root, err);
	tt_budget_reader_free(&rd);
	tt_doc_free(&doc);
	return rc;
}

int
tt_budget_none(struct tt_budget *b, struct tt_arena *a, struct tt_err *err)
{
	struct tt_budget_reader rd = { .b = b, .a = a };

	int rc;

	*b = (struct tt_budget){ .path = "", .needs = TT_SAMPLE_NEEDS, .integrity = TT_LEVEL_ERROR };
	b->measure = tt_arena_alloc(a, (count_standard() + TT_BUDGET_MORE) * sizeof *b->measure, err);
	if (!b->measure)
		return err->code;
	rc = standard_measures(&rd, err);
	tt_budget_reader_free(&rd);
	return rc;
}

const struct tt_budget_row *
tt_budget_row(const struct tt_budget *b, const char *id, struct tt_err *err)
{
	const char *near = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < b->nrow; i++) {
		size_t d = tt_word_distance(id, b->row[i].id);

		if (strcmp(b->row[i].id, id) == 0)
			return &b->row[i];
		if (d < least) {
			least = d;
			near = b->row[i].id;
		}
	}
	if (near)
		tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has no row \"%s\"; did you mean \"%s\"?", b->path, id, near);
	else
		tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s has no row \"%s\"", b->path, id);
	return NULL;
}

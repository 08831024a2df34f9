/**
 * Analyses one capture of a batch; the contract is in analyse.h.
 */
#include "batch/analyse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "batch/key.h"
#include "batch/result.h"
#include "collect/collections.h"

/* Facts of a capture beyond this many bytes are left out of its line; a flag says so. */
#define META_MAX ((size_t)16 << 10)
#define OUTPUTS_MAX 16

/* The tables whose first row becomes metrics. */
static const char *const metric_table[] = { "frames", "gcalloc", NULL };

int
tt_one_failed(struct tt_buf *b, const char *outcome, const char *why, const char *detail, size_t n, struct tt_err *err)
{
	int rc = tt_buf_printf(b, err, "\"outcome\":\"%s\",\"why\":\"%s\"", outcome, why);

	if (rc == TT_OK && n > 0) {
		rc = tt_buf_text(b, ",\"detail\":", err);
		if (rc == TT_OK)
			rc = tt_result_text(b, detail, n, err);
	}
	return rc;
}

static int
put_member(struct tt_buf *b, const char *name, const char *s, struct tt_err *err)
{
	int rc = s && s[0] ? tt_buf_printf(b, err, ",\"%s\":", name) : TT_END;

	return rc == TT_OK ? tt_result_text(b, s, strlen(s), err) : rc == TT_END ? TT_OK : rc;
}

/* --- outcome ----------------------------------------------------------------- */

const char *
tt_one_why(int rc)
{
	switch (rc) {
	case TT_E_DAMAGED: return "damaged";
	case TT_E_UNKNOWN: return "unsupported";
	case TT_E_USAGE: return "unsuited";
	case TT_E_LIMIT: return "limit";
	case TT_E_NOMEM: return "memory";
	default: return "io";
	}
}

/* "TEXT (3), TEXT": the kinds of damage in the ledger. */
static int
put_damage(struct tt_buf *b, const struct tt_loss *loss, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	int rc = TT_OK;

	for (int k = 0; k < TT_LOST_KINDS && rc == TT_OK; k++) {
		const struct tt_loss_entry *e = &loss->e[k];

		if (!tt_loss_info[k].damage || (e->n == 0 && e->bytes == 0))
			continue;
		rc = tt_buf_printf(&text, err, "%s%s", text.n ? "; " : "", tt_loss_info[k].text);
		if (rc == TT_OK && e->first_at != TT_NOWHERE)
			rc = tt_buf_printf(&text, err, " at byte %llu", (unsigned long long)e->first_at);
	}
	if (rc == TT_OK)
		rc = tt_one_failed(b, "damaged", "damaged", text.p, text.n, err);
	tt_buf_free(&text);
	return rc;
}

static int
put_losses(struct tt_buf *b, const struct tt_loss *loss, struct tt_err *err)
{
	const char *sep = ",\"loss\":{";
	int rc = TT_OK;

	for (int k = 0; k < TT_LOST_KINDS && rc == TT_OK; k++) {
		const struct tt_loss_entry *e = &loss->e[k];

		if ((e->n == 0 && e->bytes == 0) || tt_loss_info[k].severity < TT_LOSS)
			continue;
		rc = tt_buf_printf(b, err, "%s\"%s\":[%llu,%llu]", sep, tt_loss_info[k].id, (unsigned long long)e->n,
		    (unsigned long long)e->bytes);
		sep = ",";
	}
	return rc == TT_OK && *sep == ',' && sep[1] == '\0' ? tt_buf_text(b, "}", err) : rc;
}

/* --- facts and figures ---------------------------------------------------------- */

static int
put_meta(struct tt_buf *b, const struct tt_capture *c, struct tt_err *err)
{
	size_t start = b->n;
	bool cut = false;
	const char *sep = "";
	int rc = tt_buf_text(b, ",\"meta\":{", err);

	for (const struct tt_meta *m = c->meta; m && rc == TT_OK; m = m->next) {
		if (b->n - start + 6 * (strlen(m->key) + strlen(m->value)) > META_MAX) {
			cut = true;
			continue;
		}
		/* A fact given twice is listed once: the list holds each key once. */
		rc = tt_buf_text(b, sep, err);
		if (rc == TT_OK)
			rc = tt_result_text(b, m->key, strlen(m->key), err);
		if (rc == TT_OK)
			rc = tt_buf_add(b, ":", 1, err);
		if (rc == TT_OK)
			rc = tt_result_text(b, m->value, strlen(m->value), err);
		sep = ",";
	}
	if (rc == TT_OK)
		rc = tt_buf_text(b, cut ? "},\"meta_cut\":true" : "}", err);
	return rc;
}

/* What recording it is, and which of its files. */
static int
put_recording(struct tt_buf *b, const struct tt_capture *c, struct tt_err *err)
{
	char text[TT_RECORDING_TEXT];

	if (!tt_capture_recording(c, text))
		return TT_OK;
	return tt_buf_printf(b, err, ",\"recording\":\"%s\",\"file\":%u", text, c->part);
}

static int
put_facts(struct tt_buf *b, const struct tt_model *m, struct tt_err *err)
{
	const struct tt_capture *c = m->cap[0];
	time_t s = (time_t)(c->wall_ns / 1000000000);
	char date[40] = "", outside[TT_OUTSIDE_TEXT];
	struct tm tm;
	int rc;

	if (c->wall_ns && gmtime_r(&s, &tm))
		snprintf(date, sizeof date, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
	rc = put_member(b, "format", c->format, err);
	if (rc == TT_OK)
		rc = put_member(b, "producer", c->producer, err);
	if (rc == TT_OK)
		rc = put_member(b, "os", c->os, err);
	if (rc == TT_OK)
		rc = put_member(b, "arch", c->arch, err);
	if (rc == TT_OK)
		rc = put_member(b, "date", date, err);
	if (rc == TT_OK)
		rc = put_recording(b, c, err);
	if (rc == TT_OK)
		rc = tt_buf_printf(b, err, ",\"decoded\":%llu,\"spooled\":%llu,\"events\":%llu,\"threads\":%zu,\"duration_ns\":%lld",
		    (unsigned long long)c->bytes, (unsigned long long)c->spooled, (unsigned long long)c->nevent,
		    m->threads.n, (long long)(m->max_ts - m->min_ts));
	if (rc == TT_OK && tt_filter_outside(m, outside))
		rc = tt_buf_text(b, ",\"outside\":true", err);
	if (rc == TT_OK && c->meta)
		rc = put_meta(b, c, err);
	return rc;
}

/* The numbers of a table's first row, as "table.column". */
static int
put_row(struct tt_buf *b, const struct tt_table *t, const char **sep, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; t->nrow > 0 && i < t->ncol && rc == TT_OK; i++) {
		enum tt_unit unit = t->col[i].unit;

		if (t->cell[i].empty || tt_unit_is_text(unit) || unit == TT_UNIT_BOOL || unit == TT_UNIT_HEX ||
		    unit == TT_UNIT_PERCENT || unit == TT_UNIT_MILLI)
			continue;
		rc = tt_buf_printf(b, err, "%s\"%s.%s\":%lld", *sep, t->id, t->col[i].id, (long long)t->cell[i].v);
		*sep = ",";
	}
	return rc;
}

static int
put_metrics(struct tt_buf *b, struct tt_env *env, struct tt_views *view, struct tt_err *err)
{
	struct tt_pass_opts po = { .hitches = 1, .threshold_e4 = 100, .table = metric_table };
	const struct tt_values *wall = tt_view_frames(view, TT_FRAME_WALL, err);
	const char *sep = ",\"metrics\":{";
	struct tt_report r;
	int rc;

	if (!wall)
		return err->code;
	tt_report_init(&r, &env->mem);
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		tt_pass_report(*p, view, &po, &r);
	rc = tt_report_error(&r, err);
	for (const struct tt_table *t = r.first; t && rc == TT_OK; t = t->next)
		rc = put_row(b, t, &sep, err);
	if (rc == TT_OK && wall->n > 0) {
		rc = tt_buf_printf(b, err, "%s\"frames.total_ns\":%lld", sep, (long long)wall->sum);
		sep = ",";
	}
	if (rc == TT_OK && strcmp(sep, ",") == 0)
		rc = tt_buf_text(b, "}", err);
	tt_report_free(&r);
	return rc;
}

/* A histogram as "name":[smallest, largest, bucket, count, bucket, count, ...]. */
static int
put_hist(struct tt_buf *b, const char *name, const struct tt_hist *h, const char **sep, struct tt_err *err)
{
	int rc;

	if (h->n == 0)
		return TT_OK;
	rc = tt_buf_printf(b, err, "%s\"%s\":[%llu,%llu", *sep, name, (unsigned long long)h->min, (unsigned long long)h->max);
	for (unsigned i = 0; i < TT_HIST_BUCKETS && rc == TT_OK; i++) {
		if (h->b[i])
			rc = tt_buf_printf(b, err, ",%u,%llu", i, (unsigned long long)h->b[i]);
	}
	*sep = ",";
	return rc == TT_OK ? tt_buf_add(b, "]", 1, err) : rc;
}

const int64_t tt_frame_edge[TT_FRAME_ROWS] = { 1000000000 / 240, 1000000000 / 120, 1000000000 / 90, 1000000000 / 60, 1000000000 / 50,
	1000000000 / 40, 1000000000 / 30, 1000000000 / 20, 1000000000 / 10, 1000000000 / 4, INT64_MAX };

static int
put_frame_rows(struct tt_buf *b, const struct tt_frames *f, const char *sep, struct tt_err *err)
{
	uint64_t row[TT_FRAME_ROWS] = { 0 };
	int rc = f && f->n ? tt_buf_printf(b, err, "%s\"frame_rows\":", sep) : TT_END;

	for (size_t i = 0; f && i < f->n; i++) {
		size_t k = 0;

		while (f->dur[i] > tt_frame_edge[k])
			k++;
		row[k]++;
	}
	for (size_t k = 0; k < TT_FRAME_ROWS && rc == TT_OK; k++)
		rc = tt_buf_printf(b, err, "%s%llu", k ? "," : "[", (unsigned long long)row[k]);
	return rc == TT_OK ? tt_buf_add(b, "]", 1, err) : rc == TT_END ? TT_OK : rc;
}

static int
put_hists(struct tt_buf *b, const struct tt_model *m, struct tt_err *err)
{
	const struct tt_gc *gc = tt_gc(m);
	const struct tt_frames *f = m->frames;
	const char *sep = ",\"hist\":{";
	struct tt_hist h;
	int rc;

	tt_hist_init(&h);
	for (size_t i = 0; f && i < f->n; i++)
		tt_hist_add(&h, (uint64_t)f->dur[i], 1);
	rc = put_hist(b, "frame_ns", &h, &sep, err);
	tt_hist_init(&h);
	for (size_t i = 0; f && i < f->n; i++)
		tt_hist_add(&h, f->alloc_b[i], 1);
	if (rc == TT_OK)
		rc = put_hist(b, "frame_alloc_bytes", &h, &sep, err);
	tt_hist_init(&h);
	for (size_t i = 0; i < gc->npause; i++)
		tt_hist_add(&h, gc->pause[i].end > gc->pause[i].start ? (uint64_t)(gc->pause[i].end - gc->pause[i].start) : 0, 1);
	if (rc == TT_OK)
		rc = put_hist(b, "pause_ns", &h, &sep, err);
	if (rc == TT_OK)
		rc = put_frame_rows(b, f, sep, err);
	return rc == TT_OK && strcmp(sep, ",") == 0 ? tt_buf_text(b, "}", err) : rc;
}

/* --- files ----------------------------------------------------------------------- */

struct outputs {
	const struct tt_emit *emit[OUTPUTS_MAX];
	struct tt_emit_opts opts[OUTPUTS_MAX];
	struct tt_err unsuited[OUTPUTS_MAX + 1];      /* why the capture has nothing for it; code TT_OK: it was made */
	char path[OUTPUTS_MAX + 1][TT_KEY_FILE_MAX + 32];
	size_t n;                     /* emitters */
	size_t npath;                 /* with the report's */
};

/* A name in the output directory, which must not be anything but a file or free: a link would lead out. */
static int
free_name(struct outputs *out, const char *stem, const char *suffix, struct tt_err *err)
{
	char *path = out->path[out->npath];
	struct stat st;

	snprintf(path, sizeof out->path[0], "%s.%s", stem, suffix);
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return tt_fail(err, TT_E_IO, TT_NOWHERE, "%s in the output directory is not a file", path);
	out->npath++;
	return TT_OK;
}

static int
plan_outputs(struct tt_env *env, const struct tt_one_opts *o, const char *key, size_t n, struct outputs *out,
    struct tt_err *err)
{
	char stem[TT_KEY_FILE_MAX];
	int rc = TT_OK;

	tt_key_file(stem, key, n);
	for (size_t i = 0; o->convert && o->convert[i] && i < OUTPUTS_MAX && rc == TT_OK; i++) {
		struct tt_emit_opts *e = &out->opts[out->n];

		rc = free_name(out, stem, o->convert[i], err);
		if (rc != TT_OK)
			break;
		out->emit[out->n] = tt_emit_for_path(out->path[out->n]);
		if (!out->emit[out->n])
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no format has the suffix %s", o->convert[i]);
		*e = (struct tt_emit_opts){ .env = env, .path = out->path[out->n], .generator = o->generator,
			.names = o->run.names,
			.csv = { .form = TT_RENDER_CSV, .csv_sep = ',', .csv_safe = o->csv_safe, .generator = o->generator },
			.pass = { .hitches = 10, .threshold_e4 = 100 } };
		out->n++;
	}
	if (rc == TT_OK && o->report)
		rc = free_name(out, stem, o->report, err);
	return rc;
}

static int
put_outputs(struct tt_buf *b, const struct outputs *out, struct tt_err *err)
{
	struct stat st;
	size_t made = 0, missing = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < out->npath && rc == TT_OK; i++) {
		if (out->unsuited[i].code)
			continue;
		rc = tt_buf_text(b, made++ ? "," : ",\"files\":[", err);
		if (rc == TT_OK)
			rc = tt_result_text(b, out->path[i], strlen(out->path[i]), err);
	}
	made = 0;
	for (size_t i = 0; i < out->npath && rc == TT_OK; i++) {
		if (out->unsuited[i].code)
			continue;
		if (stat(out->path[i], &st) != 0)
			return tt_fail_sys(err, errno, "%s", out->path[i]);
		rc = tt_buf_printf(b, err, "%s%llu", made++ ? "," : "],\"files_bytes\":[", (unsigned long long)st.st_size);
	}
	if (rc == TT_OK && made)
		rc = tt_buf_text(b, "]", err);
	for (size_t i = 0; i < out->npath && rc == TT_OK; i++) {
		if (!out->unsuited[i].code)
			continue;
		rc = tt_buf_text(b, missing++ ? "," : ",\"files_missing\":[", err);
		if (rc == TT_OK)
			rc = tt_result_text(b, out->path[i], strlen(out->path[i]), err);
	}
	return rc == TT_OK && missing ? tt_buf_text(b, "]", err) : rc;
}

/* All standard tables, as `tracetool stats` prints them. */
static int
write_report(struct tt_env *env, const struct tt_one_opts *o, struct tt_views *view, const char *path,
    struct tt_err *err)
{
	struct tt_render_opts ro = { .form = o->report_form, .csv_sep = ',', .csv_safe = o->csv_safe, .generator = o->generator };
	struct tt_pass_opts po = { .hitches = 10, .threshold_e4 = 100 };
	struct tt_buf text = { 0 };
	struct tt_sink *sink;
	struct tt_report r;
	int rc;

	tt_report_init(&r, &env->mem);
	tt_loss_notes(env->loss, &r);
	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		if ((*p)->standard)
			tt_pass_report(*p, view, &po, &r);
	}
	rc = tt_render(&r, &ro, &text, err);
	if (rc == TT_OK)
		rc = tt_sink_open(env, path, &sink, err);
	if (rc == TT_OK) {
		rc = tt_sink_write(sink, text.p, text.n, err);
		if (rc == TT_OK)
			rc = tt_sink_commit(sink, err);
		else
			tt_sink_abort(sink);
	}
	tt_buf_free(&text);
	tt_report_free(&r);
	return rc;
}

/* --- the run ------------------------------------------------------------------------ */

static unsigned
needs_of(const struct tt_one_opts *o, const struct outputs *out)
{
	unsigned needs = 0;

	for (const struct tt_pass *const *p = tt_passes; *p; p++) {
		if ((*p)->standard && (o->report || strcmp((*p)->name, "frames") == 0 || strcmp((*p)->name, "gcalloc") == 0))
			needs |= (*p)->needs;
	}
	for (size_t i = 0; i < out->n; i++)
		needs |= tt_emit_needs(out->emit[i], &out->opts[i]);
	return needs;
}

/* What the gate judges. */
static int
put_sample(struct tt_buf *b, struct tt_env *env, const struct tt_one_opts *o, struct tt_views *view, struct tt_err *err)
{
	struct tt_arena a;
	struct tt_sample s;
	int rc;

	tt_arena_init(&a, &env->mem);
	rc = tt_sample_from(view, env->loss, o->measure, o->nmeasure, &s, &a, err);
	if (rc == TT_OK)
		rc = tt_buf_text(b, ",\"budget\":", err);
	if (rc == TT_OK)
		rc = tt_result_text(b, o->budget, strlen(o->budget), err);
	if (rc == TT_OK)
		rc = tt_buf_text(b, ",\"sample\":", err);
	if (rc == TT_OK)
		rc = tt_sample_json(&s, o->measure, o->nmeasure, b, err);
	tt_arena_free(&a);
	return rc;
}

/* It was read whole; an output that it has nothing for is missing all the same. */
static int
put_whole(struct tt_buf *b, const struct outputs *out, struct tt_err *err)
{
	for (size_t i = 0; i < out->n; i++)
		if (out->unsuited[i].code)
			return tt_one_failed(b, "damaged", "unsuited", out->unsuited[i].msg, strlen(out->unsuited[i].msg), err);
	return tt_buf_text(b, "\"outcome\":\"ok\"", err);
}

static int
put_body(struct tt_env *env, const struct tt_one_opts *o, struct tt_views *view, const struct outputs *out,
    struct tt_buf *b, struct tt_err *err)
{
	int rc = tt_loss_damaged(env->loss) ? put_damage(b, env->loss, err) : put_whole(b, out, err);

	if (rc == TT_OK)
		rc = put_facts(b, view->m, err);
	if (rc == TT_OK)
		rc = put_losses(b, env->loss, err);
	if (rc == TT_OK)
		rc = put_metrics(b, env, view, err);
	if (rc == TT_OK)
		rc = put_hists(b, view->m, err);
	if (rc == TT_OK && o->measure)
		rc = put_sample(b, env, o, view, err);
	return rc == TT_OK ? put_outputs(b, out, err) : rc;
}

/* "KEY: what happened" without the key, which is in front of every message of a batch. */
static void
strip_name(struct tt_err *err, const char *name)
{
	size_t n = strlen(name);

	if (n > 0 && strncmp(err->msg, name, n) == 0 && strncmp(err->msg + n, ": ", 2) == 0)
		memmove(err->msg, err->msg + n + 2, strlen(err->msg + n + 2) + 1);
}

int
tt_one(struct tt_env *env, const struct tt_one_opts *o, int fd, uint64_t size, const char *key, size_t n, struct tt_buf *body,
    struct tt_err *err)
{
	struct tt_run_opts run = o->run;
	const char *path[] = { NULL, NULL };
	struct tt_buf name = { 0 };
	struct outputs out = { .n = 0 };
	struct tt_model *m = NULL;
	struct tt_views view = { 0 };
	size_t start = body->n;
	int rc = plan_outputs(env, o, key, n, &out, err);

	/* What a viewer calls the process; messages about it have the key already. */
	if (rc == TT_OK)
		rc = tt_buf_printf(&name, err, "%.*s", (int)n, key);
	path[0] = rc == TT_OK ? name.p : "";
	run.path = path;
	run.fd = &fd;
	run.fd_size = &size;
	run.npath = 1;
	run.needs |= needs_of(o, &out);
	run.emit = out.emit;
	run.emit_opts = out.opts;
	run.nemit = out.n;
	run.unsuited = out.unsuited;
	run.hitches = o->report ? 10 : o->measure ? TT_SAMPLE_WORST : 1;
	if (rc == TT_OK)
		rc = tt_run(env, &run, &m, err);
	if (rc == TT_OK)
		tt_view_init(&view, m);
	if (rc == TT_OK && o->report)
		rc = write_report(env, o, &view, out.path[out.npath - 1], err);
	if (rc == TT_OK)
		rc = put_body(env, o, &view, &out, body, err);
	tt_view_free(&view);
	tt_model_free(m);
	if (rc != TT_OK)
		strip_name(err, path[0]);
	tt_buf_free(&name);
	if (rc == TT_OK || rc == TT_E_STOPPED)
		return rc;
	body->n = start;
	return tt_one_failed(body, "failed", tt_one_why(rc), err->msg, strlen(err->msg), err);
}

/**
 * Analyses one capture of a batch.
 */
#include "batch/analyse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/option.h"
#include "batch/database.h"
#include "batch/key.h"
#include "batch/result.h"
#include "collect/collections.h"
#include "emit/emit.h"
#include "gate/sample.h"
#include "io/sink.h"
#include "model/identity.h"
#include "pass/pass.h"
#include "pass/tables.h"
#include "view/view.h"

/* Facts of a capture beyond this many bytes are left out of its line; a flag says so. */
#define META_MAX ((size_t)16 << 10)
#define OUTPUTS_MAX 16

/* How the tables of CSV files and reports are made. */

/* The tables whose first row becomes metrics. */
static const char *const metric_table[] = { "frames", "gcalloc", NULL };

int
tt_one_failed(struct tt_buf *b, const char *outcome, const char *why, const char *detail, size_t n, struct tt_err *err)
{
	struct tt_json j = { .out = b };

	tt_json_text(&j, "outcome", outcome);
	tt_json_text(&j, "why", why);
	if (n > 0)
		tt_json_text_n(&j, "detail", detail, n);
	return tt_buf_error(b, err);
}

static void
put_known(struct tt_json *j, const char *name, const char *s)
{
	if (s && s[0])
		tt_json_text(j, name, s);
}

/* Open ${key} before its first value, so that a key without values is not written. */
static void
some_in(struct tt_json *j, const char *key, const char *open, bool *some)
{
	if (!*some)
		tt_json_open(j, key, open);
	*some = true;
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
	int rc;

	for (int k = 0; k < TT_LOST_KINDS; k++) {
		const struct tt_loss_entry *e = &loss->e[k];

		if (!tt_loss_info[k].damage || (e->n == 0 && e->bytes == 0))
			continue;
		tt_buf_printf(&text, "%s%s", text.n ? "; " : "", tt_loss_info_of(loss, (enum tt_loss_kind)k).text);
		if (e->first_at != TT_NOWHERE)
			tt_buf_printf(&text, " at byte %llu", (unsigned long long)e->first_at);
	}
	rc = tt_buf_error(&text, err);
	TT_THEN(rc, tt_one_failed(b, "damaged", "damaged", text.p, text.n, err));
	tt_buf_free(&text);
	return rc;
}

/* Put all losses that figures depend on, also of a capture that was read whole: its recorder may have lost events. */
static void
put_losses(struct tt_json *j, const struct tt_loss *loss)
{
	bool some = false;

	for (int k = 0; k < TT_LOST_KINDS; k++) {
		const struct tt_loss_entry *e = &loss->e[k];

		/* The capture of a killed program is whole, but whoever compares captures wants to know. */
		if ((e->n == 0 && e->bytes == 0) || (tt_loss_info[k].severity < TT_NOTICE && k != TT_LOST_KILLED))
			continue;
		some_in(j, "loss", "{", &some);
		tt_json_open(j, tt_loss_info[k].id, "[");
		tt_json_u64(j, NULL, e->n);
		tt_json_u64(j, NULL, e->bytes);
		tt_json_close(j, "]");
	}
	if (some)
		tt_json_close(j, "}");
}

/* --- facts and figures ---------------------------------------------------------- */

static void
put_meta(struct tt_json *j, const struct tt_capture *c)
{
	size_t start = j->out->n;
	bool cut = false;

	tt_json_open(j, "meta", "{");
	for (const struct tt_meta *m = c->meta; m; m = m->next) {
		/* A fact given twice is listed once: the list holds each key once. */
		if (j->out->n - start + 6 * (strlen(m->key) + strlen(m->value)) > META_MAX)
			cut = true;
		else
			tt_json_text(j, m->key, m->value);
	}
	tt_json_close(j, "}");
	if (cut)
		tt_json_bool(j, "meta_cut", true);
}

static void
put_facts(struct tt_json *j, const struct tt_model *m)
{
	const struct tt_capture *c = m->cap[0];
	char date[TT_DATE_TEXT], outside[TT_OUTSIDE_TEXT], recording[TT_RECORDING_TEXT], identity[20];
	bool numbered = tt_capture_recording(c, recording);

	tt_capture_date(c, date);
	put_known(j, "format", c->format);
	put_known(j, "producer", c->producer);
	put_known(j, "os", c->os);
	put_known(j, "arch", c->arch);
	put_known(j, "date", date);
	/* Put which recording it is, and which of its files. */
	if (numbered) {
		tt_json_text(j, "recording", recording);
		tt_json_u64(j, "file", c->part);
		/* The begin on the recording's own clock. copies.c parses these members in this order. */
		tt_json_i64(j, "begin_ns", m->min_ts <= m->max_ts ? m->min_ts - c->offset_ns : 0);
	}
	tt_json_i64(j, "duration_ns", m->max_ts - m->min_ts);
	tt_json_u64(j, "events", c->nevent);
	if (numbered && c->part_last > c->part)
		tt_json_u64(j, "file_last", c->part_last);
	if (!numbered && tt_model_identity(m)) {      /* finds copies, however they are compressed */
		snprintf(identity, sizeof identity, "%016llx", (unsigned long long)tt_model_identity(m));
		tt_json_text(j, "identity", identity);
	}
	/* The ring with the rest of the capture, which a later run may find removed or grown. */
	put_known(j, "ring", c->ring);
	if (c->ring && c->all_recorded)
		tt_json_bool(j, "joined", true);
	tt_json_u64(j, "decoded", c->bytes);
	tt_json_u64(j, "spooled", c->nspooled);
	tt_json_u64(j, "threads", m->threads.n);
	if (tt_filter_is_outside(m, outside))
		tt_json_bool(j, "outside", true);
	if (c->meta)
		put_meta(j, c);
}

/* Put the numbers of a table's first row, as "table.column". */
static void
put_row(struct tt_json *j, const struct tt_table *t, bool *some)
{
	for (size_t i = 0; t->nrow > 0 && i < t->ncol; i++) {
		enum tt_unit unit = t->col[i].unit;
		char key[128];

		if (t->cell[i].empty || tt_unit_is_text(unit) || unit == TT_UNIT_BOOL || unit == TT_UNIT_HEX ||
		    unit == TT_UNIT_PERCENT || unit == TT_UNIT_MILLI)
			continue;
		snprintf(key, sizeof key, "%s.%s", t->id, t->col[i].id);
		some_in(j, "metrics", "{", some);
		tt_json_i64(j, key, t->cell[i].v);
	}
}

/* Put the uncapped time of frames that are capped at ${period}, by which captures are compared. */
static int
put_capped(struct tt_json *j, struct tt_views *view, int64_t period, struct tt_err *err)
{
	const struct tt_values *v = tt_view_frames(view, TT_FRAME_UNCAPPED, err);

	if (!v)
		return err->code;
	tt_json_i64(j, "frames.cap_ns", period);
	tt_json_i64(j, "frames.uncapped_total_ns", (int64_t)v->sum);
	tt_json_i64(j, "frames.uncapped_median_ns", tt_values_quantile(v, 1, 2));
	tt_json_i64(j, "frames.uncapped_p95_ns", tt_values_quantile(v, 95, 100));
	tt_json_i64(j, "frames.uncapped_max_ns", tt_values_quantile(v, 1, 1));
	return TT_OK;
}

static int
put_metrics(struct tt_json *j, struct tt_env *env, struct tt_views *view, int64_t period, struct tt_err *err)
{
	struct tt_pass_opts po = { .max_hitches = 1, .threshold_e4 = 100, .table = metric_table };
	const struct tt_values *wall = tt_view_frames(view, TT_FRAME_WALL, err);
	struct tt_report r;
	bool some = false;
	int rc;

	if (!wall)
		return err->code;
	tt_report_init(&r, &env->mem);
	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		tt_pass_report(*p, view, &po, &r);
	rc = tt_report_error(&r, err);
	for (const struct tt_table *t = r.first; t && rc == TT_OK; t = t->next)
		put_row(j, t, &some);
	if (rc == TT_OK && wall->n > 0) {
		some_in(j, "metrics", "{", &some);
		tt_json_i64(j, "frames.total_ns", (int64_t)wall->sum);
		rc = period ? put_capped(j, view, period, err) : TT_OK;
	}
	if (some)
		tt_json_close(j, "}");
	tt_report_free(&r);
	return rc;
}

/* Put a histogram as "name":[smallest, largest, bucket, count, bucket, count, ...]. */
static void
put_hist(struct tt_json *j, const char *name, const struct tt_hist *h, bool *some)
{
	if (h->n == 0)
		return;
	some_in(j, "hist", "{", some);
	tt_json_open(j, name, "[");
	tt_json_u64(j, NULL, h->min);
	tt_json_u64(j, NULL, h->max);
	for (unsigned i = 0; i < TT_HIST_BUCKETS; i++) {
		if (!h->b[i])
			continue;
		tt_json_u64(j, NULL, i);
		tt_json_u64(j, NULL, h->b[i]);
	}
	tt_json_close(j, "]");
}

static void
put_frame_rows(struct tt_json *j, const struct tt_frames *f, bool *some)
{
	uint64_t row[TT_FRAME_ROWS] = { 0 };

	if (!f || f->n == 0)
		return;
	for (size_t i = 0; i < f->n; i++) {
		size_t k = 0;

		while (tt_frames_shown(f, i) > tt_frame_edge[k])
			k++;
		row[k]++;
	}
	some_in(j, "hist", "{", some);
	tt_json_open(j, "frame_rows", "[");
	for (size_t k = 0; k < TT_FRAME_ROWS; k++)
		tt_json_u64(j, NULL, row[k]);
	tt_json_close(j, "]");
}

static void
put_hists(struct tt_json *j, const struct tt_model *m, int64_t period)
{
	const struct tt_gc *gc = tt_gc(m);
	const struct tt_frames *f = m->frames;
	struct tt_hist h;
	bool some = false;

	tt_hist_init(&h);
	for (size_t i = 0; f && i < f->n; i++)
		tt_hist_add(&h, (uint64_t)tt_frames_wall(f, i), 1);
	put_hist(j, "frame_ns", &h, &some);
	tt_hist_init(&h);
	for (size_t i = 0; period && f && i < f->n; i++)
		tt_hist_add(&h, (uint64_t)tt_frames_uncapped(f, i), 1);
	put_hist(j, "frame_uncapped_ns", &h, &some);
	tt_hist_init(&h);
	for (size_t i = 0; f && i < f->n && tt_model_knows_allocs(m); i++)
		tt_hist_add(&h, (uint64_t)tt_column_at(&f->alloc_b, i), 1);
	put_hist(j, "frame_alloc_bytes", &h, &some);
	tt_hist_init(&h);
	for (size_t i = 0; i < gc->npause; i++)
		if (gc->pause[i].has_begin)
			tt_hist_add(&h, gc->pause[i].end > gc->pause[i].start ? (uint64_t)(gc->pause[i].end - gc->pause[i].start) : 0, 1);
	put_hist(j, "pause_ns", &h, &some);
	put_frame_rows(j, f, &some);
	if (some)
		tt_json_close(j, "}");
}

/* --- files ----------------------------------------------------------------------- */

struct outputs {
	const struct tt_emit *emit[OUTPUTS_MAX];
	struct tt_emit_opts opts[OUTPUTS_MAX];
	struct tt_err unsuited[OUTPUTS_MAX + 1];      /* why an output could not be made of the capture; code TT_OK: it was made */
	char path[OUTPUTS_MAX + 1][TT_KEY_FILE_MAX + 32];
	struct tt_arena own;          /* memory of emitters' options */
	size_t n;                     /* emitters */
	size_t npath;                 /* paths: of the emitters, and of the report */
};

/* Choose a name in the output directory. It must be free or a regular file, because a link could lead out of the directory. */
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

/* If cells that a spreadsheet would run must be made safe, set that option of ${e}, if it has it. */
static int
set_safe(const struct tt_emit *e, const struct tt_one_opts *o, struct tt_arena *a, const void **own, struct tt_err *err)
{
	const struct tt_option *safe = o->csv_safe ? tt_emit_option(e, "csv-safe") : NULL;
	char *values = safe ? tt_arena_alloc(a, e->own, err) : NULL;

	if (!safe)
		return TT_OK;
	if (!values)
		return err->code;
	*(bool *)(values + safe->at) = true;
	*own = values;
	return TT_OK;
}

static int
plan_outputs(struct tt_env *env, const struct tt_one_opts *o, const char *key, size_t n, struct outputs *out,
    struct tt_err *err)
{
	char stem[TT_KEY_FILE_MAX];
	int rc = TT_OK;

	tt_arena_init(&out->own, &env->mem);
	tt_key_file(stem, key, n);
	for (size_t i = 0; o->convert && o->convert[i] && i < OUTPUTS_MAX && rc == TT_OK; i++) {
		struct tt_emit_opts *e = &out->opts[out->n];

		rc = free_name(out, stem, o->convert[i], err);
		if (rc != TT_OK)
			break;
		out->emit[out->n] = tt_emit_for_path(out->path[out->n]);
		if (!out->emit[out->n])
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no format has the suffix %s", o->convert[i]);
		*e = (struct tt_emit_opts){ .env = env, .path = out->path[out->n], .generator = o->generator };
		rc = set_safe(out->emit[out->n], o, &out->own, &e->own, err);
		out->n++;
	}
	if (rc == TT_OK && o->report)
		rc = free_name(out, stem, o->report, err);
	return rc;
}

static int
put_outputs(struct tt_json *j, const struct outputs *out, struct tt_err *err)
{
	bool made = false, sizes = false, missing = false;
	struct stat st;

	for (size_t i = 0; i < out->npath; i++)
		if (!out->unsuited[i].code) {
			some_in(j, "files", "[", &made);
			tt_json_text(j, NULL, out->path[i]);
		}
	if (made)
		tt_json_close(j, "]");
	for (size_t i = 0; i < out->npath; i++) {
		if (out->unsuited[i].code)
			continue;
		if (stat(out->path[i], &st) != 0)
			return tt_fail_sys(err, errno, "%s", out->path[i]);
		some_in(j, "files_bytes", "[", &sizes);
		tt_json_u64(j, NULL, (uint64_t)st.st_size);
	}
	if (sizes)
		tt_json_close(j, "]");
	for (size_t i = 0; i < out->npath; i++)
		if (out->unsuited[i].code) {
			some_in(j, "files_missing", "[", &missing);
			tt_json_text(j, NULL, out->path[i]);
		}
	if (missing)
		tt_json_close(j, "]");
	return tt_buf_error(j->out, err);
}

/* Write all standard tables, as `tracetool stats` prints them. */
static int
write_report(struct tt_env *env, const struct tt_one_opts *o, struct tt_views *view, const char *path,
    struct tt_err *err)
{
	const size_t rows = o->report_form == TT_RENDER_TEXT ? TT_TEXT_ROWS : 0;
	struct tt_render_opts ro = { .form = o->report_form, .csv_sep = ',', .csv_safe = o->csv_safe, .generator = o->generator };
	struct tt_buf text = { 0 };
	struct tt_pass_opts po = tt_pass_defaults;
	struct tt_sink *sink;
	struct tt_report r;
	int rc;

	po.max_rows = rows;
	po.folds_zeros = rows > 0;
	tt_report_init(&r, &env->mem);
	tt_capture_notes(env->loss, view->m, &r);
	tt_tables_fill(view, &po, &r);
	tt_tables_cut(&r, rows, false);
	rc = tt_render(&r, &ro, &text, err);
	TT_THEN(rc, tt_sink_open(env, path, &sink, err));
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
	unsigned needs = tt_tables_needs(&(struct tt_pass_opts){ .table = metric_table });

	if (o->report)
		needs |= tt_tables_needs(&tt_pass_defaults);
	if (o->tables)
		needs |= tt_batch_tables_needs();
	for (size_t i = 0; i < out->n; i++)
		needs |= tt_emit_needs(out->emit[i], &out->opts[i]);
	return needs;
}

/* Put the sample that the gate judges. */
static void
put_sample(struct tt_json *j, const struct tt_one_opts *o, const struct tt_sample *s)
{
	tt_json_text(j, "budget", o->budget);
	tt_sample_put(j, "sample", s, o->measure, o->nmeasure);
}

static int
put_measured(struct tt_json *j, struct tt_env *env, const struct tt_one_opts *o, struct tt_views *view, struct tt_err *err)
{
	const struct tt_model *m = view->m;
	struct tt_arena a;
	struct tt_sample s;
	int rc;

	tt_arena_init(&a, &env->mem);
	rc = tt_sample_from(view, env->loss, o->measure, o->nmeasure, &s, &a, err);
	if (rc == TT_OK && !s.empty && m->max_ts <= m->filter.from)
		rc = tt_sample_without(m, env->loss, false, TT_NOTHING_LEFT, o->measure, o->nmeasure, &s, &a, err);
	if (rc == TT_OK)
		put_sample(j, o, &s);
	tt_arena_free(&a);
	return rc;
}

/* Put the outcome of a capture that was read whole: ok, or damaged if some output could not be made of it. */
static int
put_whole(struct tt_buf *b, const struct outputs *out, struct tt_err *err)
{
	for (size_t i = 0; i < out->n; i++)
		if (out->unsuited[i].code)
			return tt_one_failed(b, "damaged", "unsuited", out->unsuited[i].msg, strlen(out->unsuited[i].msg), err);
	tt_buf_text(b, "\"outcome\":\"ok\"");
	return tt_buf_error(b, err);
}

/* The bytes that a line of results, ${n} bytes long so far and without the names of files, leaves for tables. */
static size_t
room_for_tables(size_t n)
{
	enum { REST = 24 << 10, MAX_TABLES_BYTES = 160 << 10 };
	const size_t room = n + REST < TT_RESULT_LINE_MAX ? TT_RESULT_LINE_MAX - REST - n : 0;

	return room < MAX_TABLES_BYTES ? room : MAX_TABLES_BYTES;
}

static int
put_body(struct tt_env *env, const struct tt_one_opts *o, struct tt_views *view, const struct outputs *out,
    struct tt_buf *b, struct tt_err *err)
{
	struct tt_json j = { .out = b, .comma = true };
	const int64_t period = tt_frames_cap(view->m->frames);
	int rc = tt_loss_damaged(env->loss) ? put_damage(b, env->loss, err) : put_whole(b, out, err);

	put_facts(&j, view->m);
	put_losses(&j, env->loss);
	TT_THEN(rc, put_metrics(&j, env, view, period, err));
	put_hists(&j, view->m, period);
	if (rc == TT_OK && o->measure)
		rc = put_measured(&j, env, o, view, err);
	if (rc == TT_OK && o->tables)
		rc = tt_batch_tables(view, &j, room_for_tables(b->n), err);
	return rc == TT_OK ? put_outputs(&j, out, err) : rc;
}

/* Why this capture does not suit the options, after a run that failed by them; NULL: the options are wrong for any capture. */
static const char *
why_unsuited(const struct tt_one_opts *o, const struct tt_model *m, const struct tt_err *err)
{
	if (!o->measure || err->code != TT_E_USAGE || !m)
		return NULL;
	if (o->skips && (!o->run.frame_marker || m->frames))
		return TT_NOTHING_LEFT;
	return o->run.from_marker || (o->run.frame_marker && !m->frames) ? err->msg : NULL;
}

/*
 * Put the result, for a gate, of a capture without frames, or of which the options leave nothing: ${why}. Read ${fd} again from ${at}, without filters, for its
 * losses and whether it ended; if it cannot be read, return that error.
 */
static int
put_unsuited(struct tt_env *env, const struct tt_one_opts *o, struct tt_run_opts *run, int *fd, off_t at, const char *why, struct tt_buf *b,
    struct tt_err *err)
{
	struct tt_json j = { .out = b, .comma = true };
	struct tt_model *m = NULL;
	struct tt_sample s;
	struct tt_arena a;
	int rc;

	if (*fd < 0 || lseek(*fd, at, SEEK_SET) != at)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s", why);
	tt_arena_init(&a, &env->mem);
	tt_loss_reset(env->loss);
	tt_run_whole(run);
	run->fd = fd;
	rc = tt_run(env, run, &m, err);
	*fd = -1;             /* the run took it over */
	TT_THEN(rc, tt_loss_damaged(env->loss) ? put_damage(b, env->loss, err) : tt_one_failed(b, "failed", "unsuited", why, strlen(why), err));
	TT_THEN(rc, tt_sample_without(m, env->loss, strcmp(why, TT_NOTHING_LEFT) != 0 && !o->run.from_marker, why, o->measure, o->nmeasure, &s, &a,
	    err));
	if (rc == TT_OK) {
		put_facts(&j, m);
		put_losses(&j, env->loss);
		put_sample(&j, o, &s);
		rc = tt_buf_error(b, err);
	}
	tt_model_free(m);
	tt_arena_free(&a);
	return rc;
}

/* Strip the key from "KEY: what happened", because every message of a batch begins with it. */
static void
strip_name(struct tt_err *err, const char *name)
{
	size_t n = strlen(name);

	if (n > 0 && strncmp(err->msg, name, n) == 0 && strncmp(err->msg + n, ": ", 2) == 0)
		memmove(err->msg, err->msg + n + 2, strlen(err->msg + n + 2) + 1);
}

/* Replace the body from ${start} on by the failure ${err}, unless the error ends the whole batch. */
static int
put_failure(struct tt_buf *body, size_t start, int rc, struct tt_err *err)
{
	if (rc == TT_E_STOPPED || tt_err_short_of_files(err))
		return rc;
	body->n = start;
	return tt_one_failed(body, "failed", tt_one_why(rc), err->msg, strlen(err->msg), err);
}

int
tt_one(struct tt_env *env, const struct tt_one_opts *o, int fd, uint64_t size, const char *key, size_t n, struct tt_buf *body,
    struct tt_err *err)
{
	struct tt_run_opts run = o->run;
	const char *path[] = { NULL, NULL }, *fact_path = NULL;
	struct tt_buf name = { 0 }, plain = { 0 };
	struct outputs out = { .n = 0 };
	struct tt_model *m = NULL;
	struct tt_views view = { 0 };
	size_t start = body->n;
	const char *why = NULL;
	struct tt_arena text;
	off_t at = o->measure ? lseek(fd, 0, SEEK_CUR) : 0;
	int again = o->measure && at >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
	int rc = plan_outputs(env, o, key, n, &out, err);

	tt_arena_init(&text, &env->mem);

	/* The name of the process in a viewer; messages about it have the key already. */
	tt_buf_add(&name, key, n);
	path[0] = tt_buf_string(&name);
	TT_THEN(rc, tt_buf_error(&name, err));
	TT_THEN(rc, tt_key_path(&plain, key, n, err));
	fact_path = tt_buf_string(&plain);
	run.path = path;
	run.fact_path = &fact_path;
	run.fd = &fd;
	run.fd_size = &size;
	run.npath = 1;
	run.needs |= needs_of(o, &out);
	run.emit = out.emit;
	run.emit_opts = out.opts;
	run.nemit = out.n;
	run.unsuited = out.unsuited;
	run.hitches = o->report || out.n > 0 ? (unsigned)tt_pass_defaults.max_hitches : o->measure ? TT_SAMPLE_WORST : 1;
	run.find.min_size = UINT64_MAX;       /* no search for objects: --find is an option of stats */
	TT_THEN(rc, tt_run(env, &run, &m, err));
	if (rc == TT_OK)
		tt_view_init(&view, m);
	if (rc == TT_OK && o->report)
		rc = write_report(env, o, &view, out.path[out.npath - 1], err);
	TT_THEN(rc, put_body(env, o, &view, &out, body, err));
	if (rc != TT_OK)
		why = why_unsuited(o, m, err);
	tt_view_free(&view);
	tt_model_free(m);
	if (rc != TT_OK)
		strip_name(err, path[0]);
	if (why && (why = tt_arena_text(&text, why, strlen(why), err)))
		rc = put_unsuited(env, o, &run, &again, at, why, body, err);
	tt_arena_free(&text);
	tt_arena_free(&out.own);
	tt_buf_free(&name);
	tt_buf_free(&plain);
	if (again >= 0)
		close(again);
	return rc == TT_OK ? TT_OK : put_failure(body, start, rc, err);
}

/**
 * Reads the gate's captures into samples.
 */
#include "gate/read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/env.h"
#include "base/order.h"
#include "gate/document.h"
#include "gate/test_results.h"
#include "io/src.h"
#include "model/identity.h"
#include "run/run.h"
#include "sys/sys.h"
#include "view/view.h"

static int
add_path(struct tt_gate_reader *x, struct tt_gate_capture *c, const char *path, size_t n, struct tt_err *err)
{
	const char **more = tt_arena_alloc(x->a, (c->n + 2) * sizeof *more, err);
	char *copy = more ? tt_arena_text(x->a, path, n, err) : NULL;

	if (!copy)
		return err->code;
	for (size_t i = 0; i < c->n; i++)
		more[i] = c->path[i];
	more[c->n++] = copy;
	c->path = more;
	return TT_OK;
}

int
tt_gate_split(struct tt_gate_reader *x, struct tt_gate_capture *c, const char *operand, struct tt_err *err)
{
	const char *plus = strchr(operand, '+');
	int rc = TT_OK;

	if (!plus || tt_sys_exists(operand))
		return add_path(x, c, operand, strlen(operand), err);
	for (; plus && rc == TT_OK; plus = strchr(operand, '+')) {
		rc = add_path(x, c, operand, (size_t)(plus - operand), err);
		operand = plus + 1;
	}
	return rc == TT_OK ? add_path(x, c, operand, strlen(operand), err) : rc;
}

/* A file that an operand names, and the index of that operand. */
struct named { uint64_t volume, id; size_t at; const char *path; };

static int
by_file(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->volume != y->volume)
		return TT_CMP(x->volume, y->volume);
	if (x->id != y->id)
		return TT_CMP(x->id, y->id);
	return TT_CMP(x->at, y->at);
}

/* Fail if a file occurs twice among the ${n} captures: it would count twice, or be joined with itself. */
static int
check_twice(const struct tt_gate_reader *x, size_t n, struct tt_err *err)
{
	const struct named *twice = NULL;
	size_t all = 1, files = 0;
	struct named *seen;
	int rc = TT_OK;

	for (size_t i = 0; i < n; i++)
		all += x->cap[i].n;
	seen = tt_mem_alloc(&x->env->mem, all * sizeof *seen, err);
	if (!seen)
		return err->code;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < x->cap[i].n; j++) {
			const char *path = x->cap[i].path[j];
			struct tt_sys_stat st;

			if (tt_sys_stat(path, &st) != 0 || st.kind != TT_KIND_FILE)
				continue;
			seen[files] = (struct named){ st.volume, st.id, files, path };
			files++;
		}
	}
	tt_sort(seen, files, by_file);
	for (size_t i = 1; i < files; i++)
		if (seen[i].volume == seen[i - 1].volume && seen[i].id == seen[i - 1].id && (!twice || seen[i].at < twice->at))
			twice = &seen[i];
	if (twice)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: is named twice: a capture counts once", twice->path);
	tt_mem_free(&x->env->mem, seen, all * sizeof *seen);
	return rc;
}

/* Copy the process id and the times from the capture's header. */
static void
note_process(struct tt_gate_capture *c, const struct tt_model *m)
{
	const struct tt_capture *first = m->cap[0];

	c->pid = first->wall_ns ? first->pid : 0;
	c->wall_ns = first->wall_ns;
	c->end_ns = c->wall_ns + (m->max_ts > m->min_ts ? m->max_ts - m->min_ts : 0);
	c->clock_ns = c->wall_ns - first->start_ns;
	c->part = first->part;
	c->part_last = first->part_last;
	tt_capture_missing_files(first, c->stretch);
}

/* True if two recorders ran in one process: equal process ids, clocks of the same boot, overlapping times. */
static bool
one_process(const struct tt_gate_capture *a, const struct tt_gate_capture *b)
{
	int64_t apart = a->clock_ns > b->clock_ns ? a->clock_ns - b->clock_ns : b->clock_ns - a->clock_ns;

	return a->pid > 0 && a->pid == b->pid && apart < INT64_C(2000000000) && a->wall_ns <= b->end_ns &&
	    b->wall_ns <= a->end_ns;
}

/* Analyse the files of ${c}; their losses go only to ${loss}. */
static int
run_over(struct tt_gate_reader *x, struct tt_run_opts *run, const struct tt_gate_capture *c, struct tt_loss *loss, struct tt_model **m,
    struct tt_err *err)
{
	struct tt_loss *all = x->env->loss;
	int rc;

	run->path = c->path;
	run->npath = c->n;
	tt_loss_reset(loss);
	x->env->loss = loss;
	rc = tt_run(x->env, run, m, err);
	x->env->loss = all;
	x->done(x->arg);
	return rc;
}

/* Report the losses of one capture under its name. */
static void
say_losses(const struct tt_gate_reader *x, const struct tt_gate_capture *c, const struct tt_loss *loss)
{
	char name[200];

	if (x->budget->integrity != TT_LEVEL_ERROR)
		return;
	if (c->n > 1)
		snprintf(name, sizeof name, "%s and %zu more", c->path[0], c->n - 1);
	x->losses(x->arg, c->n > 1 ? name : c->path[0], loss);
}

/* The message of ${err} without the name of ${c}. Keep the name if ${c} is the only operand and does not exist, because nothing else would name it. */
static const char *
reason(struct tt_gate_reader *x, const struct tt_gate_capture *c, struct tt_err *err)
{
	size_t n = strlen(c->path[0]);
	const char *msg = err->msg;

	if (x->npath == 1 && err->sys == ENOENT)
		return tt_arena_printf(x->a, err, "no capture was found: %s", c->path[0]);
	if (strncmp(msg, c->path[0], n) == 0 && strncmp(msg + n, ": ", 2) == 0)
		msg += n + 2;
	return tt_arena_text(x->a, msg, strlen(msg), err);
}

/* Why the run found no figures although its options are valid: the capture is too short. NULL: the options are wrong. */
static const char *
why_unsuited(struct tt_gate_reader *x, struct tt_gate_capture *c, const struct tt_run_opts *run, const struct tt_model *m, struct tt_err *err)
{
	if (!m || tt_model_copies(m, err) != TT_OK)
		return NULL;
	if (run->from_marker || (run->frame_marker && !m->frames))
		return c->unsuited = reason(x, c, err);
	return x->budget->skip.frames && !x->has_frames ? TT_NOTHING_LEFT : NULL;
}

/* Add losses to the ledger of all captures, but only once if a capture is read again. */
static void
note_losses(struct tt_gate_reader *x, struct tt_gate_capture *c, const struct tt_loss *loss)
{
	c->unended = tt_loss_unended(loss);
	if (x->budget->integrity == TT_LEVEL_ERROR)
		tt_loss_join(x->env->loss, loss);
	if (!x->losses_said)
		say_losses(x, c, loss);
}

/* True if the error concerns only this capture. */
static bool
is_unreadable(const struct tt_gate_capture *c, int rc)
{
	bool there = true;

	for (size_t i = 0; i < c->n; i++)
		there = there && (strcmp(c->path[i], "-") == 0 || tt_sys_may_read(c->path[i]) == 0);
	return rc == TT_E_DAMAGED || rc == TT_E_UNKNOWN || (rc == TT_E_IO && !there);
}

/* Make a sample without figures for an unreadable capture; rows count it as missing. */
static int
unread_sample(struct tt_gate_reader *x, struct tt_gate_capture *c, struct tt_sample *s, struct tt_err *err)
{
	const struct tt_budget *b = x->budget;
	int code = tt_exit_code(err->code);

	tt_log(x->env, TT_LOG_QUIET, "%s", err->msg);
	c->unread = true;
	c->unsuited = reason(x, c, err);
	if (!x->unread_name)
		x->unread_name = c->path[0];
	x->unread = code > x->unread ? code : x->unread;
	*s = (struct tt_sample){ .session = "", .name = c->path[0], .file = c->path, .files = c->n, .nvalue = b->nmeasure };
	s->value = c->unsuited ? tt_arena_alloc(x->a, (b->nmeasure + 1) * sizeof *s->value, err) : NULL;
	if (!s->value)
		return err->code;
	tt_values_without(NULL, false, c->unsuited, b->measure, b->nmeasure, s->value);
	return TT_OK;
}

/* True if all are regular files, which can be read again. */
static bool
is_files(const struct tt_gate_capture *c)
{
	struct tt_sys_stat st;

	for (size_t i = 0; i < c->n; i++)
		if (tt_sys_stat(c->path[i], &st) != 0 || st.kind != TT_KIND_FILE)
			return false;
	return true;
}

/*
 * Make the sample of a capture without figures because of ${why}. Read the whole capture again to learn its losses and whether it ended; for a pipe, which
 * cannot be read again, these stay unknown.
 */
static int
read_whole(struct tt_gate_reader *x, const struct tt_run_opts *common, struct tt_gate_capture *c, const char *why, struct tt_sample *s, struct tt_err *err)
{
	const struct tt_budget *b = x->budget;
	struct tt_run_opts run = *common;
	struct tt_model *m = NULL;
	struct tt_loss loss;
	int rc;

	tt_run_whole(&run);
	rc = run_over(x, &run, c, &loss, &m, err);
	if (rc == TT_OK) {
		note_process(c, m);
		note_losses(x, c, &loss);
		rc = tt_sample_without(m, &loss, strcmp(why, TT_NOTHING_LEFT) != 0 && !common->from_marker, why, b->measure, b->nmeasure, s, x->a, err);
	}
	tt_model_free(m);
	return rc;
}

/* Make the sample of ${c} from its model ${m}; *${why}: set if it has no figures. */
static int
sample_model(struct tt_gate_reader *x, struct tt_gate_capture *c, struct tt_model *m, const struct tt_loss *loss, struct tt_sample *s,
    const char **why, struct tt_err *err)
{
	const struct tt_budget *b = x->budget;
	struct tt_views view;
	int rc;

	note_process(c, m);
	tt_view_init(&view, m);
	rc = tt_sample_from(&view, loss, b->measure, b->nmeasure, s, x->a, err);
	tt_view_free(&view);
	if (rc == TT_OK && x->explain)
		tt_sample_worst(m, &tt_budget_row(b, x->explain, err)->measure, s);
	if (rc == TT_OK && !s->damaged && !s->empty && m->max_ts <= m->filter.from)
		*why = TT_NOTHING_LEFT;
	return rc;
}

/* Add the facts of --meta to the results of tests; they replace facts with the same key, as for captures. */
static int
add_facts(const char *const *meta, struct tt_sample *s, struct tt_arena *a, struct tt_err *err)
{
	size_t n = 0;
	struct tt_fact *f;

	while (meta && meta[n])
		n++;
	f = tt_arena_alloc(a, (s->nfact + n + 1) * sizeof *f, err);
	if (!f)
		return err->code;
	if (s->nfact)
		memcpy(f, s->fact, s->nfact * sizeof *f);
	s->fact = f;
	for (size_t i = 0; i < n; i++) {
		const char *value = strchr(meta[i], '=');
		struct tt_fact one = { tt_arena_text(a, meta[i], (size_t)(value - meta[i]), err), value + 1 };
		size_t k = 0;

		if (!one.key)
			return err->code;
		while (k < s->nfact && strcmp(f[k].key, one.key) < 0)
			k++;
		if (k == s->nfact || strcmp(f[k].key, one.key) != 0)
			memmove(&f[k + 1], &f[k], (s->nfact++ - k) * sizeof *f);
		f[k] = one;
	}
	return TT_OK;
}

/* If ${c} is a file of test results, make its sample ${s} and set *${is}. Pipes are assumed to be captures. */
static int
read_results(struct tt_gate_reader *x, struct tt_gate_capture *c, bool *is, struct tt_sample *s, struct tt_err *err)
{
	const struct tt_budget *b = x->budget;
	struct tt_env *env = x->env;
	struct tt_buf text = { 0 };
	struct tt_src *src = NULL;
	const uint8_t *head;
	size_t n = 0;
	int rc;

	*is = false;
	if (c->n > 1 || !is_files(c) || tt_src_open_text(env, c->path[0], &src, err) != TT_OK)
		return TT_OK;
	*is = tt_src_peek(src, &head, &n, err) == TT_OK && tt_results_probe(head, n);
	tt_src_close(src);
	if (!*is)
		return TT_OK;
	rc = tt_document_read(env, c->path[0], &text, err);
	if (rc == TT_E_USAGE)         /* wrong encoding: only this file is bad */
		rc = err->code = TT_E_DAMAGED;
	TT_THEN(rc, tt_results_sample(text.p, text.n, c->path[0], b->measure, b->nmeasure, is, s, x->a, err));
	if (rc == TT_OK && *is)
		rc = add_facts(x->meta, s, x->a, err);
	tt_buf_free(&text);
	if (rc < 0 && is_unreadable(c, rc))
		return unread_sample(x, c, s, err);
	s->file = c->path;
	s->files = c->n;
	return rc;
}

static int
read_capture(struct tt_gate_reader *x, const struct tt_run_opts *common, struct tt_gate_capture *c, struct tt_sample *s, struct tt_err *err)
{
	const struct tt_budget *b = x->budget;
	struct tt_run_opts run = *common;
	struct tt_model *m = NULL;
	struct tt_loss loss;
	const char *why = NULL;       /* why the capture has no figures */
	bool unsuited = false;        /* the run failed because of its options before it had read everything */
	bool results;
	int rc = read_results(x, c, &results, s, err);

	if (rc != TT_OK || results)
		return rc;
	rc = run_over(x, &run, c, &loss, &m, err);

	if (rc == TT_OK) {
		rc = sample_model(x, c, m, &loss, s, &why, err);
	} else if (rc == TT_E_USAGE) {
		why = why_unsuited(x, c, &run, m, err);
		rc = why ? TT_OK : err->code;
		unsuited = why != NULL;
	}
	if (rc < 0 && is_unreadable(c, rc)) {
		tt_model_free(m);
		return unread_sample(x, c, s, err);
	}
	if (rc == TT_OK && unsuited && is_files(c)) {
		tt_model_free(m);
		return read_whole(x, common, c, why, s, err);
	}
	if (rc == TT_OK)
		note_losses(x, c, &loss);
	if (rc == TT_OK && why)
		rc = tt_sample_without(m, &loss, false, why, b->measure, b->nmeasure, s, x->a, err);
	if (rc == TT_OK && unsuited && !s->empty)     /* reading stopped early */
		tt_values_without(NULL, false, why, b->measure, b->nmeasure, s->value);
	tt_model_free(m);
	return rc;
}

/* Move the files of ${other} to ${c}, whose sample must then be made again. */
static int
join(struct tt_gate_reader *x, struct tt_gate_capture *c, struct tt_gate_capture *other, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < other->n && rc == TT_OK; i++)
		rc = add_path(x, c, other->path[i], strlen(other->path[i]), err);
	other->into = c;
	return rc;
}

static void
tell_joined(const struct tt_gate_reader *x, const struct tt_gate_capture *c, size_t files)
{
	char more[40] = "";

	if (c->n - files > 1)
		snprintf(more, sizeof more, " and %zu more", c->n - files - 1);
	tt_log(x->env, TT_LOG_NORMAL, "%s%s %s%s are from one process (%lld): one capture", c->path[0], *more ? "," : " and",
	    c->path[files], more, (long long)c->pid);
}

/* The indices of the captures, sorted by ${by}; allocated in x->a. */
static size_t *
in_order(struct tt_gate_reader *x, size_t n, int (*by)(const void *, const void *, void *), struct tt_err *err)
{
	size_t *order = tt_arena_alloc(x->a, (n + 1) * sizeof *order, err);

	for (size_t i = 0; i < n && order; i++)
		order[i] = i;
	if (order)
		tt_sort_by(order, n, by, x);
	return order;
}

static int
by_recording(const void *a, const void *b, void *arg)
{
	const struct tt_gate_reader *x = arg;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	int c = strcmp(x->sample[i].id ? x->sample[i].id : "", x->sample[k].id ? x->sample[k].id : "");

	if (c == 0)
		c = TT_CMP(x->cap[i].part, x->cap[k].part);
	return c ? c : TT_CMP(i, k);
}

/* Fail if two files contain the same capture. Until they are joined, files of one rotating recording count as different captures. */
static int
check_copies(struct tt_gate_reader *x, size_t n, struct tt_err *err)
{
	size_t *order = in_order(x, n, by_recording, err), last = 0, first = SIZE_MAX, second = SIZE_MAX;

	if (!order)
		return err->code;
	for (size_t i = 1; i < n; i++) {
		size_t a = order[last], b = order[i];

		if (tt_sample_same(&x->sample[a], &x->sample[b]) && x->cap[b].part <= x->cap[a].part_last) {
			if ((a > b ? a : b) < second) {
				first = a < b ? a : b;
				second = a < b ? b : a;
			}
			if (x->cap[b].part_last <= x->cap[a].part_last)
				continue;         /* the previous capture is the longer one */
		}
		last = i;
	}
	return second == SIZE_MAX ? TT_OK : tt_fail(err, TT_E_USAGE, TT_NOWHERE, TT_COPIES, x->sample[first].name, x->sample[second].name);
}

static int
by_process(const void *a, const void *b, void *arg)
{
	const struct tt_gate_reader *x = arg;
	const struct tt_gate_capture *c = &x->cap[*(const size_t *)a], *d = &x->cap[*(const size_t *)b];

	if (c->pid != d->pid)
		return c->pid < d->pid ? -1 : 1;
	if (c->wall_ns != d->wall_ns)
		return c->wall_ns < d->wall_ns ? -1 : 1;
	return TT_CMP(c, d);
}

/* By capture: the index of the first capture of the same process; allocated in x->a. */
static size_t *
find_processes(struct tt_gate_reader *x, size_t n, struct tt_err *err)
{
	size_t *order = in_order(x, n, by_process, err), *first = order ? tt_arena_alloc(x->a, (n + 1) * sizeof *first, err) : NULL;
	size_t *of = first ? tt_arena_alloc(x->a, (n + 1) * sizeof *of, err) : NULL;
	size_t *open = of ? tt_arena_alloc(x->a, (n + 1) * sizeof *open, err) : NULL, nopen = 0;

	if (!open)
		return NULL;
	/* In order of their start, compare each capture with the one of each running process that ends last. */
	for (size_t i = 0; i < n; i++) {
		const struct tt_gate_capture *c = &x->cap[order[i]];
		size_t kept = 0, process = order[i];
		bool last = c->pid > 0;

		for (size_t k = 0; k < nopen; k++) {
			const struct tt_gate_capture *d = &x->cap[open[k]];

			if (d->pid != c->pid || d->end_ns < c->wall_ns)
				continue;
			if (one_process(c, d)) {
				process = of[open[k]];
				if (d->end_ns <= c->end_ns)
					continue;
				last = false;
			}
			open[kept++] = open[k];
		}
		nopen = kept;
		if (last)
			open[nopen++] = order[i];
		of[order[i]] = process;
		first[order[i]] = order[i];
		if (order[i] < first[process])
			first[process] = order[i];
	}
	for (size_t i = 0; i < n; i++)
		of[i] = first[of[i]];
	return of;
}

static int
join_processes(struct tt_gate_reader *x, const struct tt_run_opts *run, size_t n, struct tt_err *err)
{
	const size_t *first = find_processes(x, n, err);
	size_t *files = first ? tt_arena_alloc(x->a, (n + 1) * sizeof *files, err) : NULL;
	int rc = files ? TT_OK : err->code;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		files[i] = x->cap[i].n;
		if (first[i] != i)
			rc = join(x, &x->cap[first[i]], &x->cap[i], err);
	}
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		if (x->cap[i].into)
			continue;
		if (x->cap[i].n > files[i]) {
			tell_joined(x, &x->cap[i], files[i]);
			rc = read_capture(x, run, &x->cap[i], &x->sample[i], err);
		}
		x->sample[x->nsample++] = x->sample[i];
	}
	return rc;
}

/* Fail if a marker of the budget's options is in no capture: then its name is wrong. Some captures may lack it. */
static int
check_suited(struct tt_gate_reader *x, size_t n, struct tt_err *err)
{
	size_t k;

	for (k = 0; k < n && x->cap[k].unread; k++)
		;
	x->none = k == n;
	if (x->none)
		return TT_OK;
	for (k = 0; k < n && x->cap[k].unsuited; k++)
		;
	if (k < n || x->budget->skip.until_marker)
		return TT_OK;
	for (k = 0; x->cap[k].unread; k++)
		;
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: %s", x->cap[k].path[0], x->cap[k].unsuited);
}

void
tt_budget_set_run(const struct tt_budget *b, struct tt_run_opts *run)
{
	run->needs |= b->needs;
	run->hitches = TT_SAMPLE_WORST;
	if (!run->frame_marker)
		run->frame_marker = b->frame_marker;
	if (!run->frame_thread)
		run->frame_thread = b->frame_thread;
	if (b->skip.frames && !run->filter.has_frames) {
		run->filter.has_frames = run->filter.frames_of_each = run->filter.frames_to_end = true;
		run->filter.frame_first = b->skip.frames + 1;
		run->filter.frame_last = UINT64_MAX;
	}
	if (b->skip.time_ns && run->filter.from == INT64_MIN)
		run->filter.from = b->skip.time_ns;
	if (!run->filter.has_frames && run->filter.from == INT64_MIN)
		run->from_marker = b->skip.until_marker;
}

int
tt_gate_read(struct tt_gate_reader *x, struct tt_run_opts *run, struct tt_err *err)
{
	size_t n = x->npath;
	int rc = TT_OK;

	x->cap = tt_arena_alloc(x->a, (n + 1) * sizeof *x->cap, err);
	x->sample = x->cap ? tt_arena_alloc(x->a, (n + 1) * sizeof *x->sample, err) : NULL;
	if (!x->sample)
		return err->code;
	tt_budget_set_run(x->budget, run);
	for (size_t i = 0; i < n && rc == TT_OK; i++)
		rc = tt_gate_split(x, &x->cap[i], x->path[i], err);
	TT_THEN(rc, check_twice(x, n, err));
	for (size_t i = 0; i < n && rc == TT_OK; i++)
		rc = read_capture(x, run, &x->cap[i], &x->sample[i], err);
	x->losses_said = rc == TT_OK;
	TT_THEN(rc, check_suited(x, n, err));
	TT_THEN(rc, check_copies(x, n, err));
	return rc == TT_OK ? join_processes(x, run, n, err) : rc;
}

/* --- what the worst frames are made of ------------------------------------------------------------ */

static int
read_frame(struct tt_gate_reader *x, const struct tt_run_opts *common, const struct tt_gate_capture *c, struct tt_worst *w,
    struct tt_err *err)
{
	struct tt_run_opts run = *common;
	struct tt_model *m = NULL;
	struct tt_views view;
	struct tt_loss loss;
	struct tt_sample s;
	int rc;

	run.filter.has_frames = run.filter.frames_of_each = true;
	run.filter.frame_first = run.filter.frame_last = w->number;
	run.filter.from = INT64_MIN;
	run.filter.to = INT64_MAX;
	run.from_marker = NULL;
	rc = run_over(x, &run, c, &loss, &m, err);
	if (rc == TT_OK) {
		tt_view_init(&view, m);
		rc = tt_sample_from(&view, &loss, NULL, 0, &s, x->a, err);
		tt_view_free(&view);
	}
	if (rc == TT_OK) {
		w->part = s.part;
		w->npart = s.npart;
	}
	tt_model_free(m);
	return rc;
}

int
tt_gate_read_worst(struct tt_gate_reader *x, const struct tt_run_opts *run, const struct tt_sample *s, struct tt_err *err)
{
	const enum tt_log_level level = x->env->log_level;
	const struct tt_gate_capture *c = NULL;
	int rc = TT_OK;

	x->env->log_level = TT_LOG_QUIET;         /* messages about this capture were already given at the first reading */
	for (size_t i = 0, k = 0; i < x->npath && !c; i++)
		if (!x->cap[i].into && &x->sample[k++] == s)
			c = &x->cap[i];
	for (size_t i = 0; c && is_files(c) && i < s->nworst && rc == TT_OK; i++)
		rc = read_frame(x, run, c, &s->worst[i], err);
	x->env->log_level = level;
	return rc;
}

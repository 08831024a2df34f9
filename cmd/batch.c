/**
 * tracetool batch: analyses thousands of captures in folders and archives.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "batch/aggregate.h"
#include "batch/database.h"
#include "batch/analyse.h"
#include "batch/dirs.h"
#include "batch/plan.h"
#include "batch/results.h"
#include "batch/scheduler.h"
#include "batch_opts.h"
#include "base/json.h"
#include "cmd.h"
#include "gate/budget.h"
#include "io/outputs.h"
#include "io/sink.h"
#include "archive/archive.h"
#include "io/spool.h"
#include "model/format.h"
#include "report.h"
#include "version.h"

#define MIB (UINT64_C(1) << 20)
#define RULES_MAX 64          /* above this number of inputs, the process may read any file */

/* --- the run ---------------------------------------------------------------------------------- */

struct batch {
	struct app *app;
	const struct batch_opts *o;
	struct tt_batch_files files;
	struct tt_batch_store out;
	struct batch_gate gate;
	struct tt_run_opts run;       /* for every capture */
	struct tt_scheduler_sum sum;
	int64_t logged_ns;
	bool makes_files;
};

static bool
on_done(void *arg, size_t file, const char *key, size_t n, const uint64_t *hash)
{
	const struct batch *b = arg;

	return tt_batch_store_done(&b->out, &b->files.file[file], key, n, hash);
}

static int
on_line(void *arg, const char *line, size_t n, struct tt_err *err)
{
	struct batch *b = arg;

	return tt_batch_store_line(&b->out, line, n, err);
}

static int
on_same(void *arg, const struct tt_result_id *id, struct tt_err *err)
{
	struct batch *b = arg;

	return tt_batch_store_same(&b->out, id, err);
}

static void
on_say(void *arg, const char *line)
{
	struct batch *b = arg;

	ui_say(&b->app->ui, "%s", line);
}

static void
put_progress(const struct batch *b, const struct tt_scheduler_sum *s, char *to, size_t size)
{
	int64_t ns = ui_clock() - b->app->ui.start_ns;
	double seconds = (double)ns / 1e9, rate = seconds > 0 ? (double)s->bytes / seconds : 0;
	char done[40], total[40], left[48] = "";
	uint64_t eta = rate > 1 && s->total > s->bytes ? (uint64_t)((double)(s->total - s->bytes) / rate) + 1 : 0;

	*tt_put_bytes(done, (int64_t)s->bytes) = '\0';
	*tt_put_bytes(total, (int64_t)s->total) = '\0';
	if (eta)
		snprintf(left, sizeof left, ", %llu:%02llu left", (unsigned long long)(eta / 60), (unsigned long long)(eta % 60));
	snprintf(to, size, "%llu captures, %s of %s, %.0f MB/s%s, %llu failed", (unsigned long long)s->captures, done, total,
	    rate / 1e6, left, (unsigned long long)tt_scheduler_failures(s));
}

static void
on_tick(void *arg, const struct tt_scheduler_sum *s)
{
	struct batch *b = arg;
	int64_t now = ui_clock();
	char text[256];

	put_progress(b, s, text, sizeof text);
	ui_line(&b->app->ui, text);
	if (b->app->ui.bar || b->app->ui.opts.quiet || b->app->ui.opts.progress == UI_NEVER || b->o->log_ns == 0)
		return;
	if (b->logged_ns == 0)
		b->logged_ns = b->app->ui.start_ns;
	if (now - b->logged_ns < b->o->log_ns)
		return;
	b->logged_ns = now;
	ui_say(&b->app->ui, "%s", text);
}

/* Confine a worker process before it reads bytes of captures. */
static int
on_confine(void *arg, struct tt_env *env, bool scratch, struct tt_err *err)
{
	const struct batch *b = arg;
	const char *const here[] = { ".", NULL }, *const tmp[] = { tt_spool_dir(env), NULL };
	const struct tt_sandbox_plan plan = { .write = b->makes_files ? here : NULL, .scratch = scratch ? tmp : NULL,
		.tell = true };

	env->sandbox = b->app->env.sandbox;
	return tt_sandbox_seal(env, &plan, err);
}

/* Fail unless every output is a file of its own and none is an input. */
static int
check_outputs(struct batch *b, const struct tt_list *write, struct tt_err *err)
{
	const char *const mine[] = { b->out.part, b->out.final };
	struct tt_list all = { 0 };
	int rc = tt_batch_files_check(&b->files, write->v, err);

	for (size_t i = 0; i < sizeof mine / sizeof *mine && rc == TT_OK; i++)
		if (mine[i])
			rc = tt_list_add(&all, mine[i], &b->app->arena, err);
	for (size_t i = 0; i < write->n && rc == TT_OK; i++)
		rc = tt_list_add(&all, write->v[i], &b->app->arena, err);
	return rc == TT_OK ? tt_outputs_check(all.v, b->o->in.path.v, err) : rc;
}

/* Confine the parent: it may read the inputs, write results and reports, and start processes. */
static int
confine(struct batch *b, struct tt_list *write, struct tt_err *err)
{
	static const char *const anything[] = { "/", NULL };
	struct app *app = b->app;
	int rc = TT_OK;

	app->plan.children = app->plan.tell = true;
	if (b->files.n > RULES_MAX) {
		/* Operands are few; names on standard input can be many. */
		bool few = b->o->in.path.n <= RULES_MAX;

		for (size_t i = 0; i < b->o->in.path.n; i++)
			few = few && strcmp(b->o->in.path.v[i], "-") != 0 && !strpbrk(b->o->in.path.v[i], "*?[");
		rc = app_reads(app, few ? b->o->in.path.v : anything, err);
	} else {
		struct tt_list read = { 0 };

		for (size_t i = 0; i < b->files.n && rc == TT_OK; i++)
			rc = tt_list_add(&read, b->files.file[i].path, &app->arena, err);
		if (rc == TT_OK)
			rc = app_reads(app, read.v, err);
	}
	if (rc == TT_OK && b->o->dir)
		rc = tt_list_add(write, b->o->dir, &app->arena, err);
	if (rc == TT_OK && b->o->dir)         /* the parent reads its results again to add them up, and keeps those of earlier runs */
		rc = app_reads_back(app, b->o->dir, err);
	return rc == TT_OK ? app_confine(app, write->v, b->o->in.tmpdir, err) : rc;
}

static int
fill_one(struct batch *b, struct tt_one_opts *one, struct tt_err *err)
{
	static const char *const report_suffix[] = { "stats.txt", "stats.json", "stats.csv", "stats.md", "stats.html" };
	const struct batch_opts *o = b->o;
	int rc = input_setup(b->app, &o->in, &one->run, err);

	if (rc == TT_OK && o->in.format) {
		size_t i = 0;

		while (tt_formats[i] && strcmp(tt_formats[i]->name, o->in.format) != 0)
			i++;
		if (!tt_formats[i])
			rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --input-format: no format \"%s\" (see \"tracetool list formats\")",
			    o->in.format);
	}
	one->run.progress.tick = NULL;
	if (b->gate.gate) {
		gate_set_run(b->gate.gate, &one->run);
		one->measure = gate_budget(b->gate.gate)->measure;
		one->nmeasure = gate_budget(b->gate.gate)->nmeasure;
		one->skips = gate_budget(b->gate.gate)->skip.frames && !o->in.has_frames;
		one->budget = gate_settings(b->gate.gate);
	}
	b->run = one->run;
	one->generator = TT_GENERATOR;
	one->tables = o->tables;
	one->csv_safe = o->sum.csv_safe;
	one->convert = batch_work_of(o) & BATCH_CONVERT ? o->to.v : NULL;
	if (o->per_capture >= 0) {
		one->report = report_suffix[o->per_capture];
		one->report_form = (enum tt_render)o->per_capture;
	}
	return rc;
}

/*
 * Print the totals. ${all}: captures that have results now, those of earlier runs included; 0: not known. ${failures}: of these results, those of what failed
 * or is damaged.
 */
static void
say_end(struct batch *b, uint64_t all, uint64_t failures)
{
	const struct tt_scheduler_sum *s = &b->sum;
	const uint64_t now = tt_scheduler_failures(s);
	char spooled[40], lost[48] = "an unknown number of", archives[160] = "", kept[160] = "";

	size_t n = 0;

	*tt_put_bytes(spooled, (int64_t)s->spooled) = '\0';
	if (s->unended == 0)
		snprintf(lost, sizeof lost, "%llu", (unsigned long long)s->lost);
	if (s->archives > 0)
		snprintf(archives, sizeof archives, "; %llu archive%s damaged or failed, %s member%s not read",
		    (unsigned long long)s->archives, s->archives == 1 ? "" : "s", lost, s->lost == 1 && s->unended == 0 ? "" : "s");
	if (all > s->captures)
		n = (size_t)snprintf(kept, sizeof kept, "; earlier results of %llu capture%s kept", (unsigned long long)(all - s->captures),
		    all - s->captures == 1 ? "" : "s");
	if (failures > now)
		snprintf(kept + n, sizeof kept - n, "; of earlier runs, %llu damaged or failed", (unsigned long long)(failures - now));
	tt_log(&b->app->env, TT_LOG_NORMAL, "%llu capture%s: %llu ok, %llu damaged, %llu failed%s%s; %s handed over or spooled",
	    (unsigned long long)s->captures, s->captures == 1 ? "" : "s", (unsigned long long)s->ok, (unsigned long long)s->damaged,
	    (unsigned long long)s->failed, archives, kept, spooled);
	if (b->files.links + b->files.others > 0)
		tt_log(&b->app->env, TT_LOG_NORMAL, "passed over: %llu symbolic link%s, and %llu that %s neither file nor folder",
		    (unsigned long long)b->files.links, b->files.links == 1 ? "" : "s", (unsigned long long)b->files.others,
		    b->files.others == 1 ? "is" : "are");
}

static int
finish(struct batch *b, struct tt_err *err)
{
	struct tt_results_sum sum = { 0 };
	struct tt_aggregate *a = NULL;
	uint64_t lost = 0;
	bool captures = true;
	int rc = tt_aggregate_new(&b->app->env, b->o->sum.group.v, &a, err);

	if (rc == TT_OK)
		rc = summary_database_begin(b->app, &b->o->sum, &b->out.db, err);
	if (rc == TT_OK)
		rc = tt_batch_store_finish(&b->out, a, &(struct tt_batch_take){ batch_gate_add, &b->gate }, &sum, &lost, err);
	if (rc == TT_OK && lost)
		rc = summary_lost(b->app, &b->o->sum, lost, err);
	ui_erase(&b->app->ui);
	say_end(b, sum.captures, rc == TT_OK ? tt_aggregate_counted(a).failures : 0);
	if (rc == TT_OK)
		rc = summary_database(b->app, &b->o->sum, b->out.db, err);
	else
		tt_batch_db_free(b->out.db);
	b->out.db = NULL;
	if (rc == TT_OK && sum.bad)
		tt_log(&b->app->env, TT_LOG_VERBOSE, "%llu lines of results were torn and left out", (unsigned long long)sum.bad);
	if (rc == TT_OK)
		rc = summary_write(b->app, &b->o->sum, &b->o->gate.to, a, NULL, err);
	if (rc == TT_OK) {
		captures = tt_aggregate_counted(a).captures > 0;
		rc = summary_judge(b->app, &b->o->sum, a, err);
		if (rc == TT_OK && (captures || b->o->shard.count <= 1))
			rc = batch_gate_judge(&b->gate, &b->run, captures, b->o->sum.form == TT_RENDER_TEXT, err);
	}
	if (rc == TT_OK) {
		if (!captures && b->o->shard.count <= 1)
			rc = tt_fail(err, TT_E_UNKNOWN, TT_NOWHERE, "no capture in %zu file%s", b->files.n,
			    b->files.n == 1 ? "" : "s");
		else if (!captures)
			ui_say(&b->app->ui, "shard %u of %u: no capture falls to it", b->o->shard.index, b->o->shard.count);
	}
	tt_aggregate_free(a);
	return rc;
}

/* Append the facts of --meta to results of files that could not be read. The last fact of a key wins, as for captures. */
static void
put_facts(const struct tt_list *meta, struct tt_buf *to)
{
	struct tt_json j = { .out = to, .comma = true };

	if (meta->n)
		tt_json_open(&j, "meta", "{");
	for (size_t i = 0; i < meta->n; i++) {
		size_t n = strcspn(meta->v[i], "="), k = i + 1;

		while (k < meta->n && strncmp(meta->v[k], meta->v[i], n + 1) != 0)
			k++;
		if (k < meta->n)
			continue;
		tt_json_key_n(&j, meta->v[i], n);
		tt_json_quote(to, meta->v[i] + n + 1, strlen(meta->v[i] + n + 1));
	}
	if (meta->n)
		tt_json_close(&j, "}");
}

/* The options of the scheduler; ${facts} are those of --meta. */
static struct tt_scheduler_opts
many_of(struct batch *b, const struct tt_one_opts *one, struct tt_buf *facts, uint64_t memory, int dir)
{
	const struct batch_opts *o = b->o;

	return (struct tt_scheduler_opts){ .one = one, .facts = tt_buf_string(facts), .file = b->files.file, .nfile = b->files.n, .shard = o->shard,
		.jobs = b->app->env.jobs, .depth = (unsigned)o->depth, .members_max = o->members_max,
		.capture_memory = memory, .unpack_memory = o->unpack_memory, .capture_ns = o->capture_ns,
		.failures_max = o->sum.failures, .by = b->out.by, .dir = dir, .verify = o->verify,
		.done = o->resume ? on_done : NULL, .line = on_line, .same = on_same, .say = on_say, .tick = on_tick,
		.confine = on_confine, .arg = b };
}

/* Print what the batch will cost. */
static int
print_plan(struct batch *b, const struct tt_scheduler_opts *many, struct tt_err *err)
{
	const struct batch_opts *o = b->o;
	const struct tt_batch_plan_opts plan = { .files = &b->files, .many = many, .divide = !o->in.format,
		.shards = tt_opts_given(&o->given, "shard") || o->shard_count ? o->shard.count : 0 };
	const struct report_opts ro = { .form = o->sum.form, .width = -1, .csv_safe = o->sum.csv_safe };
	struct tt_buf text = { 0 };
	struct tt_report r;
	int rc;

	tt_report_init(&r, &b->app->env.mem);
	rc = tt_batch_plan(&b->app->env, &plan, &r, &b->app->arena, err);
	if (rc == TT_OK)
		rc = report_render(b->app, &ro, &r, &text, err);
	if (rc == TT_OK)
		rc = app_show(b->app, &text, err);
	tt_buf_free(&text);
	tt_report_free(&r);
	return rc;
}

static int
work(struct batch *b, const struct tt_one_opts *one, uint64_t memory, int dir, struct tt_err *err)
{
	const struct batch_opts *o = b->o;
	struct tt_buf facts = { 0 };
	int rc;

	put_facts(&b->o->in.meta, &facts);
	const struct tt_scheduler_opts many = many_of(b, one, &facts, memory, dir);

	rc = tt_buf_error(&facts, err);
	if (rc == TT_OK && o->plan) {
		rc = print_plan(b, &many, err);
		tt_buf_free(&facts);
		return rc == TT_OK ? TT_END : rc;
	}
	if (rc == TT_OK)
		rc = tt_scheduler_run(&b->app->env, &many, &b->sum, err);
	tt_buf_free(&facts);
	ui_erase(&b->app->ui);
	if (rc != TT_OK)
		say_end(b, 0, 0);
	if (rc == TT_E_LIMIT && o->sum.failures != UINT64_MAX && tt_scheduler_failures(&b->sum) > o->sum.failures) {
		ui_say(&b->app->ui, "%s%s", err->msg, o->dir ? "; --resume continues; if one archive exceeds --max-failures, raise it" : "");
		b->app->verdict = tt_verdict_exit(TT_FOUND_WORSE);
		return TT_END;
	}
	return rc;
}

/* Fill ${one} with the work for each capture, and add the files of reports and verdicts to ${write}. */
static int
prepare(struct batch *b, struct tt_one_opts *one, struct tt_list *write, struct tt_err *err)
{
	const struct batch_opts *o = b->o;
	const char *const mine[] = { b->out.part, b->out.final };
	struct tt_list reads = { 0 };
	int rc = summary_writes(b->app, &o->sum, write, err);

	for (size_t i = 0; i < o->in.path.n && rc == TT_OK; i++)
		rc = tt_list_add(&reads, o->in.path.v[i], &b->app->arena, err);
	for (size_t i = 0; i < sizeof mine / sizeof *mine && mine[i] && rc == TT_OK; i++)
		rc = tt_list_add(&reads, mine[i], &b->app->arena, err);
	if (rc == TT_OK)
		rc = batch_gate_open(&b->gate, b->app, (struct gate_opts *)(uintptr_t)&o->gate, &o->in, &o->given, &o->sum.group, &reads, write,
		    err);
	b->gate.of.files = &b->files;
	b->gate.sum = &o->sum;
	if (rc == TT_OK)
		rc = fill_one(b, one, err);
	return rc == TT_OK ? batch_sign(o, one, &b->out.by, err) : rc;
}

/* Find the files to read and open the folders to write to as ${dir}. TT_E_USAGE where an input would be overwritten. */
static int
find_files(struct batch *b, const struct tt_list *write, int dir[2], struct tt_err *err)
{
	const struct batch_opts *o = b->o;
	int rc = o->dir ? tt_batch_dir_make(o->dir, err) : TT_OK;

	if (rc == TT_OK)
		rc = tt_batch_files_find(&b->app->env, &b->app->arena, o->in.path.v, o->root, o->dir, write->v, &b->files, err);
	if (rc == TT_OK && o->resume && b->files.n == 0)
		return tt_fail(err, TT_E_UNKNOWN, TT_NOWHERE, "no file to read, so earlier results stay as they are: is a folder not mounted?");
	if (rc == TT_OK)
		rc = check_outputs(b, write, err);
	return rc == TT_OK && o->dir ? tt_batch_dirs_open(o->dir, b->makes_files, dir, err) : rc;
}

static int
batch(struct app *app, const struct batch_opts *o, struct tt_err *err)
{
	struct batch b = { .app = app, .o = o, .makes_files = o->to.n > 0 || o->per_capture >= 0 };
	uint64_t memory = app->env.mem.cap;
	struct tt_one_opts one = { 0 };
	struct tt_list write = { 0 };
	int dir[2] = { -1, -1 };
	int rc = batch_check(o, err);

	b.out = (struct tt_batch_store){ .env = &app->env, .files = &b.files, .shard = o->shard, .verify = o->verify, .fd = -1, .dir = -1,
		.old = { -1, -1 } };
	if (rc == TT_OK && o->dir)
		rc = tt_batch_store_name(&b.out, o->dir, &app->arena, err);
	if (rc == TT_OK)
		rc = prepare(&b, &one, &write, err);
	tt_archive_prepare();
	app->env.mem.cap = 0;         /* the limit holds for each capture, not for the batch */
	app->env.spool_memory = o->spool_memory;
	app->env.decoded_max = o->decoded_max;
	app->env.ratio_max = o->ratio_max;
	if (rc == TT_OK)
		rc = find_files(&b, &write, dir, err);
	if (rc == TT_OK)
		rc = confine(&b, &write, err);
	b.out.dir = dir[1];
	if (rc == TT_OK)              /* where every file is one capture, none can be shared */
		rc = tt_split(&app->env.mem, o->shard.count, b.files.file, b.files.n, !o->in.format, &b.out.split, err);
	if (rc == TT_OK)
		rc = tt_batch_store_open(&b.out, o->resume, err);
	if (rc == TT_OK)
		tt_batch_dirs_sweep(dir, &o->shard);
	if (rc == TT_OK)
		rc = work(&b, &one, memory, dir[1], err);
	if (rc == TT_OK)
		rc = finish(&b, err);
	tt_batch_store_close(&b.out);
	batch_gate_close(&b.gate);
	for (unsigned i = 0; i < 2; i++) {
		if (dir[i] >= 0)
			close(dir[i]);
	}
	tt_mem_free(&app->env.mem, b.files.file, b.files.cap * sizeof *b.files.file);
	return rc == TT_END ? TT_OK : rc;
}

int
run_batch(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct batch_opts o = { .per_capture = -1, .depth = 3, .shard = { 1, 1 }, .sum = SUMMARY_DEFAULTS,
		.shard_index = UINT64_MAX, .capture_ns = INT64_C(600) * 1000000000, .log_ns = INT64_C(60) * 1000000000, .decoded_max = UINT64_C(64) << 30,
		.ratio_max = 500, .members_max = 4000000, .unpack_memory = 160 * MIB, .spool_memory = 16 * MIB };
	struct summary_notes notes = { .n = 0 };
	int rc;

	if (tt_opts_has_argument(argc, argv, "merge"))
		return run_merge(app, argc, argv, err);
	o.sum.notes = &notes;
	input_defaults(&o.in);
	o.in.folders = true;
	rc = app_parse(app, &verb_batch, &o, &o.in.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	rc = batch_shard(app, &o, err);
	o.tables = o.sum.to_db != NULL;
	if (rc == TT_OK && o.tables && o.shard.count > 1) {
		/* All shards have the same options: each would replace the database of another. */
		tt_log(&app->env, TT_LOG_NORMAL, "shard %u of %u: %s is made by the merge, with --to-db", o.shard.index, o.shard.count, o.sum.to_db);
		o.sum.to_db = NULL;
	}
	if (rc == TT_OK && o.dir)
		rc = tt_list_add(&o.sum.dir, o.dir, &app->arena, err);
	if (o.plan) {                 /* --plan keeps nothing and ignores earlier results */
		o.dir = NULL;
		o.resume = o.verify = false;
	}
	return rc == TT_OK ? batch(app, &o, err) : rc;
}

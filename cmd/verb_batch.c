/**
 * tracetool batch: analyses thousands of captures in folders and archives.
 */
#include <string.h>
#include <unistd.h>

#include "batch/aggregate.h"
#include "batch/database.h"
#include "batch/analyse.h"
#include "batch/dirs.h"
#include "batch/results.h"
#include "batch_opts.h"
#include "batch_state.h"
#include "cmd.h"
#include "gate/budget.h"
#include "io/outputs.h"
#include "io/sink.h"
#include "archive/archive.h"
#include "model/format.h"
#include "version.h"

#define MIB (UINT64_C(1) << 20)
#define RULES_MAX 64          /* with more inputs, the process may read any file */

/* --- the run ---------------------------------------------------------------------------------- */

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

	app->plan.has_children = app->plan.sends_messages = true;
	if (b->files.n > RULES_MAX) {
		/* Operands are few; names from standard input can be many. */
		bool few = b->o->in.path.n <= RULES_MAX;

		for (size_t i = 0; i < b->o->in.path.n; i++)
			few = few && strcmp(b->o->in.path.v[i], "-") != 0 && !strpbrk(b->o->in.path.v[i], "*?[");
		rc = app_reads(app, few ? b->o->in.path.v : anything, err);
	} else {
		struct tt_list read = { 0 };

		for (size_t i = 0; i < b->files.n && rc == TT_OK; i++)
			rc = tt_list_add(&read, b->files.file[i].path, &app->arena, err);
		TT_THEN(rc, app_reads(app, read.v, err));
	}
	if (b->o->dir)
		TT_THEN(rc, tt_list_add(write, b->o->dir, &app->arena, err));
	if (rc == TT_OK && b->o->dir)         /* the parent reads its results again to add them up, and keeps the results of earlier runs */
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

static int
finish(struct batch *b, struct tt_err *err)
{
	struct tt_results_sum sum = { 0 };
	struct tt_aggregate *a = NULL;
	uint64_t lost = 0;
	bool captures = true;
	int rc = tt_aggregate_new(&b->app->env, b->o->sum.group.v, &a, err);

	if (rc == TT_OK)
		tt_aggregate_pattern(a, b->run.meta_from_path);
	TT_THEN(rc, summary_database_begin(b->app, &b->o->sum, &b->out.db, err));
	TT_THEN(rc, tt_batch_store_finish(&b->out, a, &(struct tt_batch_take){ batch_gate_add, &b->gate }, &sum, &lost, err));
	if (rc == TT_OK && lost)
		rc = summary_lost(b->app, &b->o->sum, lost, err);
	ui_erase(&b->app->ui);
	batch_say_end(b, sum.captures, rc == TT_OK ? tt_aggregate_counted(a).failures : 0);
	if (rc == TT_OK)
		rc = summary_database(b->app, &b->o->sum, b->out.db, err);
	else
		tt_batch_db_free(b->out.db);
	b->out.db = NULL;
	if (rc == TT_OK && sum.bad)
		tt_log(&b->app->env, TT_LOG_VERBOSE, "%llu lines of results were torn and left out", (unsigned long long)sum.bad);
	TT_THEN(rc, summary_write(b->app, &b->o->sum, &b->o->gate.to, a, NULL, err));
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
	TT_THEN(rc, batch_gate_open(&b->gate, b->app, (struct gate_opts *)(uintptr_t)&o->gate, &o->in, &o->given, &o->sum.group, &reads, write,
	    err));
	b->gate.of.files = &b->files;
	b->gate.sum = &o->sum;
	TT_THEN(rc, fill_one(b, one, err));
	return rc == TT_OK ? batch_sign(o, one, &b->out.by, err) : rc;
}

/* Find the files to read and open the folders to write to as ${dir}. TT_E_USAGE if an input would be overwritten. */
static int
find_files(struct batch *b, const struct tt_list *write, int dir[2], struct tt_err *err)
{
	const struct batch_opts *o = b->o;
	int rc = o->dir ? tt_batch_dir_make(o->dir, err) : TT_OK;

	TT_THEN(rc, tt_batch_files_find(&b->app->env, &b->app->arena, o->in.path.v, o->root, o->dir, write->v, &b->files, err));
	if (rc == TT_OK && o->resume && b->files.n == 0)
		return tt_fail(err, TT_E_UNKNOWN, TT_NOWHERE, "no file to read, so earlier results stay as they are: is a folder not mounted?");
	TT_THEN(rc, check_outputs(b, write, err));
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
	if (o->dir)
		TT_THEN(rc, tt_batch_store_name(&b.out, o->dir, &app->arena, err));
	TT_THEN(rc, prepare(&b, &one, &write, err));
	tt_archive_prepare();
	app->env.mem.cap = 0;         /* the limit holds for each capture, not for the batch */
	app->env.spool_memory = o->spool_memory;
	app->env.decoded_max = o->decoded_max;
	app->env.ratio_max = o->ratio_max;
	TT_THEN(rc, find_files(&b, &write, dir, err));
	TT_THEN(rc, confine(&b, &write, err));
	b.out.dir = dir[1];
	if (rc == TT_OK)              /* if every file is one capture, no file can be shared by two */
		rc = tt_split(&app->env.mem, o->shard.count, b.files.file, b.files.n, !o->in.format, &b.out.split, err);
	TT_THEN(rc, tt_batch_store_open(&b.out, o->resume, err));
	if (rc == TT_OK)
		tt_batch_dirs_sweep(dir, &o->shard);
	TT_THEN(rc, batch_work(&b, &one, memory, dir[1], err));
	TT_THEN(rc, finish(&b, err));
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
		/* All shards have the same options, so each would replace the database of another. */
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

/**
 * tracetool batch --merge: joins results of shards into those of one run.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/arena_text.h"
#include "verb_batch.h"
#include "batch/aggregate.h"
#include "batch/database.h"
#include "batch/merge.h"
#include "batch/result_files.h"
#include "batch/results.h"
#include "batch/shards.h"
#include "cmd.h"
#include "verb_gate.h"
#include "input.h"
#include "io/outputs.h"
#include "io/sink.h"
#include "out/table.h"
#include "run/run.h"

struct merge_opts {
	struct tt_list path;
	struct summary_opts sum;
	struct gate_opts gate;
	struct tt_opt_given given;
	const char *output;
	const char *tmpdir;
	uint64_t shards;              /* --shard-count; 0: not given */
	bool partial, merge;
	struct ui_opts ui;
	struct tt_merge with;
};

#define AT(f) offsetof(struct merge_opts, f)

static const struct tt_opt merge_opt[] = {
	{ .letter = 'o', .name = "output", .is_once_only = true, .arg = "DIR|FILE", .set = tt_opt_text, .at = AT(output),
	    .help = "write all results, in order, to DIR/results.jsonl or to FILE" },
	{ .name = "tmpdir", .arg = "DIR", .set = tt_opt_text, .at = AT(tmpdir),
	    .help = "sort results in this folder; default $TMPDIR, otherwise /tmp" },
	{ .name = "shard-count", .arg = "N", .set = tt_opt_count, .at = AT(shards), .lo = 1, .hi = TT_BATCH_SHARDS_MAX,
	    .help = "the results must be those of N shards; of a DIR take only these; default: as the names of files say" },
	{ .name = "merge", .set = tt_opt_flag, .at = AT(merge), .help = "combine results of shards" },
	{ .name = "partial", .set = tt_opt_flag, .at = AT(partial),
	    .help = "merge even if shards are missing or options differ, and print which; default: an error" },
	{ .name = "max-failures", .arg = "N|P%", .set = summary_failures, .at = AT(sum),
	    .help = "exit with 1 if more than N captures or P% failed or are damaged, otherwise with 0; default: 3 if any" },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Output", merge_opt, 0 },
	{ "Figures", summary_opt, offsetof(struct merge_opts, sum) },
	{ "Gate", batch_gate_opt, offsetof(struct merge_opts, gate) },
	VERDICT_GROUP(struct merge_opts, gate.to),
	UI_GROUP(struct merge_opts, ui),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_batch_merge = {
	.name = "batch --merge",
	.summary = "combine the results of the shards of a batch",
	.operands = "FILE|DIR...",
	.about = "Combine results of \"tracetool batch\" from any number of shards and runs, in any order, into the same bytes as "
		 "from one big run. A DIR means all files in it named results*.jsonl and results*.part, without the results.jsonl "
		 "that an earlier merge put beside those of shards. Equal results count once; if results of a capture differ in content, those of the file "
		     "that was changed last count, and a line says so.",
	.examples = "  tracetool batch --merge -o out out\n"
		    "  tracetool batch --merge -o all.jsonl.gz node1/ node2/results.jsonl --group-by build --report trend.csv\n",
	.group = groups,
	.operand_at = offsetof(struct merge_opts, path),
	.given_at = offsetof(struct merge_opts, given),
	.related_verb = &verb_batch,
};

/* Fail if an output is one of ${files}. Only ${path} may be one, because all results are read before it is written. */
static int
check_outputs(struct app *app, const struct tt_list *files, const char *path, const struct tt_list *write,
    struct tt_err *err)
{
	struct tt_list others = { 0 };
	struct tt_shard shard;
	int rc = tt_outputs_check(write->v, NULL, err);

	if (rc == TT_OK && path && tt_batch_shard_named(path, &shard))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: this name is for results of one shard; give merged results another", path);
	for (size_t i = 0; i < write->n && rc == TT_OK; i++)
		if (write->v[i] != path)
			rc = tt_list_add(&others, write->v[i], &app->arena, err);
	return rc == TT_OK ? tt_outputs_check(others.v, files->v, err) : rc;
}

static int
confine(struct app *app, const struct merge_opts *o, const struct tt_list *files, const struct tt_list *write,
    struct tt_err *err)
{
	int rc = app_reads(app, files->v, err);

	return rc == TT_OK ? app_confine(app, write->v, o->tmpdir, err) : rc;
}

/* Judge all captures. The runs that read them have ended, so only the budget's own settings are known. */
static int
gate_of(const struct merge_opts *o, struct batch_gate *gate, bool captures, struct tt_err *err)
{
	struct tt_run_opts run = { .formats = NULL };

	if (!gate->gate)
		return TT_OK;
	tt_filter_init(&run.filter);
	gate_set_run(gate->gate, &run);
	return batch_gate_judge(gate, &run, captures, o->sum.form == TT_RENDER_TEXT, err);
}

/* Report what the results are, and which are left out; ${lost}: number of captures that archives count but that have no result. */
static int
say_sum(struct app *app, const struct merge_opts *mo, const struct tt_results_sum *sum, uint64_t lost, size_t files, struct tt_err *err)
{
	const unsigned long long bad = sum->bad, differ = sum->conflicts, missing = sum->missing;
	const struct summary_opts *o = &mo->sum;
	int rc = TT_OK;

	if (sum->other[0])
		rc = summary_tell(app, o, "results_differ", tt_arena_printf(&app->arena, err, "merged although options differ: %s was made with other ones "
		    "than the results before it", sum->other), err);
	if (rc == TT_OK && sum->mixed[0])
		rc = summary_tell(app, o, "results_differ", tt_arena_printf(&app->arena, err, "merged although the members of %s are not the same for all "
		    "shards: some may be missing, or there twice", sum->mixed), err);
	tt_log(&app->env, TT_LOG_NORMAL, "%llu result%s from %llu line%s in %zu file%s", (unsigned long long)sum->kept, sum->kept == 1 ? "" : "s",
	    (unsigned long long)sum->lines, sum->lines == 1 ? "" : "s", files, files == 1 ? "" : "s");
	if (bad)                      /* tt_merge_torn() adds a note about them */
		ui_say(&app->ui, "%llu line%s left out: torn, or not a result", bad, bad == 1 ? "" : "s");
	if (mo->with.lost)                 /* ... and about these */
		ui_say(&app->ui, "lost: %s", mo->with.lost);
	if (rc == TT_OK && differ)
		rc = summary_tell(app, o, "results_differ", tt_arena_printf(&app->arena, err, "%llu key%s results that differ: those of the file that was "
		    "changed last count", differ, differ == 1 ? " has" : "s have"), err);
	if (rc == TT_OK && missing)
		rc = summary_tell(app, o, "archives_partial", tt_arena_printf(&app->arena, err, "%llu archive%s not complete: results of shards are missing",
		    missing, missing == 1 ? " is" : "s are"), err);
	return rc == TT_OK && lost ? summary_lost(app, o, lost, err) : rc;
}

/* Judge all captures, with or without a gate. */
static int
judge_all(struct app *app, const struct merge_opts *o, const struct tt_results_sum *sum, uint64_t lost, const struct tt_aggregate *a,
    struct batch_gate *gate, struct tt_err *err)
{
	const bool captures = tt_aggregate_counted(a).captures > 0;
	int rc = summary_judge(app, &o->sum, a, err);

	if (rc == TT_OK && (sum->conflicts || sum->missing || sum->bad || lost || o->with.lost)) {         /* whatever --max-failures allows */
		app->verdict = tt_verdict_exit(TT_FOUND_DAMAGE);
		o->sum.notes->why = sum->bad ? "lines of results are torn" : lost || o->with.lost ? "results of captures are lost" :
		    sum->missing ? "results of shards are missing" : "results of one capture differ";
	}
	return rc == TT_OK ? gate_of(o, gate, captures, err) : rc;
}

/* Begin the totals and, if asked for, the database. */
static int
begin_sums(struct app *app, const struct merge_opts *o, struct tt_aggregate **a, struct tt_batch_db **db, struct tt_err *err)
{
	int rc = tt_aggregate_new(&app->env, o->sum.group.v, a, err);

	if (rc != TT_OK)
		return rc;
	tt_aggregate_set_missing(*a, o->sum.missing);
	return summary_database_begin(app, &o->sum, db, err);
}

static int
merge(struct app *app, struct merge_opts *o, const struct tt_list *files, const char *path, struct batch_gate *gate,
    struct tt_err *err)
{
	struct tt_results *rs = NULL;
	struct tt_aggregate *a = NULL;
	struct tt_results_sum sum = { 0 };
	struct tt_batch_lists lists = { .n = 0 };
	struct tt_sink *results = NULL;
	struct tt_batch_db *db = NULL;
	struct tt_buf head = { 0 };
	uint64_t lost = 0;
	bool whole = true;
	int rc = tt_results_new(&app->env, &rs, err);

	TT_THEN(rc, tt_merge_read(&o->with, rs, &lists, &whole, files->v, err));
	TT_THEN(rc, tt_merge_check_lists(&o->with, &lists, err));
	o->sum.missing = o->with.missing;
	TT_THEN(rc, tt_merge_head(&o->with, &lists, whole, &head, err));
	TT_THEN(rc, begin_sums(app, o, &a, &db, err));
	TT_THEN(rc, tt_batch_put_results(&app->env, rs, &(struct tt_batch_put){ .path = path, .head = &head, .mixed = o->partial, .keep = &results,
	    .db = db }, a, &(struct tt_batch_take){ batch_gate_add, gate }, &sum, &lost, err));
	if (rc == TT_OK)
		rc = summary_database(app, &o->sum, db, err);
	else
		tt_batch_db_free(db);
	if (rc != TT_OK)
		tt_sink_abort(results);
	if (rc == TT_OK) {
		rc = say_sum(app, o, &sum, lost, files->n, err);
		TT_THEN(rc, tt_merge_torn(&o->with, sum.bad, err));
		o->sum.missing = o->with.missing;
		tt_aggregate_set_missing(a, o->sum.missing);
		if (rc != TT_OK)
			tt_sink_abort(results);
	}
	if (rc == TT_OK) {
		rc = summary_write(app, &o->sum, &o->gate.to, a, results, err);
		TT_THEN(rc, judge_all(app, o, &sum, lost, a, gate, err));
		if (rc == TT_OK && tt_aggregate_counted(a).captures == 0)
			rc = tt_fail(err, TT_E_UNKNOWN, TT_NOWHERE, "the results in %zu file%s contain no capture", files->n,
			    files->n == 1 ? "" : "s");
	}
	tt_aggregate_free(a);
	tt_results_free(rs);
	tt_buf_free(&head);
	return rc;
}

int
run_merge(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct merge_opts o = { .sum = SUMMARY_DEFAULTS };
	struct tt_list files = { 0 }, write = { 0 };
	struct summary_notes notes = { .n = 0 };
	struct batch_gate gate = { .app = NULL };
	struct input_opts in;
	const char *path = NULL;
	struct stat st;
	int rc;

	o.sum.notes = &notes;
	rc = app_parse(app, &verb_batch_merge, &o, &o.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	if (o.path.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "nothing to merge: name results, or folders that hold them");
	for (size_t i = 0; i < o.path.n && rc == TT_OK; i++) {
		if (stat(o.path.v[i], &st) == 0 && S_ISDIR(st.st_mode))
			rc = tt_result_files_in(&app->env, &app->arena, o.path.v[i], o.shards, &files, err);
		else
			rc = tt_list_add(&files, o.path.v[i], &app->arena, err);
	}
	TT_THEN(rc, tt_result_folders(&app->arena, &files, &o.sum.dir, err));
	TT_THEN(rc, tt_result_target(&app->arena, o.output, &path, err));
	o.with = (struct tt_merge){ .env = &app->env, .a = &app->arena, .partial = o.partial, .shards = o.shards };
	app->env.mem.cap = 0;
	app->env.spool_max = UINT64_MAX;
	app->env.tmpdir = o.tmpdir;
	input_defaults(&in);
	TT_THEN(rc, summary_writes(app, &o.sum, &write, err));
	if (rc == TT_OK && path)
		rc = tt_list_add(&write, path, &app->arena, err);
	TT_THEN(rc, batch_gate_open(&gate, app, &o.gate, &in, &o.given, &o.sum.group, &files, &write, err));
	gate.sum = &o.sum;
	TT_THEN(rc, tt_merge_check_shards(&o.with, files.v, NULL, err));
	TT_THEN(rc, check_outputs(app, &files, path, &write, err));
	TT_THEN(rc, confine(app, &o, &files, &write, err));
	TT_THEN(rc, merge(app, &o, &files, path, &gate, err));
	batch_gate_close(&gate);
	return rc;
}

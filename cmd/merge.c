/**
 * tracetool merge: joins results of shards into those of one run.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena_text.h"
#include "base/hash_seed.h"
#include "base/json.h"
#include "batch.h"
#include "batch/aggregate.h"
#include "batch/database.h"
#include "batch/result.h"
#include "batch/results.h"
#include "batch/shards.h"
#include "cmd.h"
#include "gate.h"
#include "input.h"
#include "io/block.h"
#include "io/outputs.h"
#include "io/pack.h"
#include "io/sink.h"
#include "out/table.h"
#include "run/run.h"

struct merge_opts {
	struct opt_list path;
	struct summary_opts sum;
	struct gate_opts gate;
	struct opt_given given;
	const char *output;
	const char *tmpdir;
	uint64_t shards;              /* --shard-count; 0: not given */
	bool partial;
	struct ui_opts ui;
	const char *lacks;            /* what lines of the results report as missing; NULL: nothing */
	const char *lost;             /* the results that files of whole runs lost; NULL: none */
};

#define AT(f) offsetof(struct merge_opts, f)

static const struct opt merge_opt[] = {
	{ .letter = 'o', .name = "output", .once = true, .arg = "DIR|FILE", .set = opt_text, .at = AT(output),
	    .help = "write all results, in order, to DIR/results.jsonl or to FILE" },
	{ .name = "tmpdir", .arg = "DIR", .set = opt_text, .at = AT(tmpdir),
	    .help = "sort results in this folder; default $TMPDIR, otherwise /tmp" },
	{ .name = "shard-count", .arg = "N", .set = opt_count, .at = AT(shards), .lo = 1, .hi = TT_BATCH_SHARDS_MAX,
	    .help = "the results must be those of N shards; of a DIR take only these; default: as the names of files say" },
	{ .name = "partial", .set = opt_flag, .at = AT(partial),
	    .help = "merge even if shards are missing or options differ, and print which; default: an error" },
	{ .name = "max-failures", .arg = "N|P%", .set = summary_failures, .at = AT(sum),
	    .help = "exit with 1 if more than N captures or P% failed or are damaged, otherwise with 0; default: 3 if any" },
	{ .name = NULL },
};

static const struct opt_group groups[] = {
	{ "Output", merge_opt, 0 },
	{ "Figures", summary_opt, offsetof(struct merge_opts, sum) },
	{ "Gate", batch_gate_opt, offsetof(struct merge_opts, gate) },
	VERDICT_GROUP(struct merge_opts, gate.to),
	UI_GROUP(struct merge_opts, ui),
	{ NULL, NULL, 0 },
};

const struct verb verb_merge = {
	.name = "merge",
	.summary = "combine the results of the shards of a batch",
	.operands = "FILE|DIR...",
	.about = "Combine results of \"tracetool batch\" from any number of shards and runs, in any order, into the same bytes as "
		 "from one big run. A DIR means all files in it named results*.jsonl and results*.part, without the results.jsonl "
		 "that an earlier merge put beside those of shards. Equal results count once; if results of a capture differ in content, those of the file "
		     "that was changed last count, and a line says so.",
	.examples = "  tracetool merge -o out out\n"
		    "  tracetool merge -o all.jsonl.gz node1/ node2/results.jsonl --group-by build --report trend.csv\n",
	.group = groups,
	.operand_at = offsetof(struct merge_opts, path),
	.given_at = offsetof(struct merge_opts, given),
};

static bool
ends_with(const char *s, size_t n, const char *end)
{
	size_t k = strlen(end);

	return n >= k && memcmp(s + n - k, end, k) == 0;
}

/* How long ${name} is without the suffix that says how the file is compressed. */
static size_t
plain_length(const char *name)
{
	const struct tt_coding *coding = tt_pack_coding(name);

	return strlen(name) - (coding ? strlen(coding->suffix) : 0);
}

/* True for results.jsonl.gz and results.3-of-20.part, false for temporaries such as results.jsonl.tmp.123.0. */
static bool
is_results(const char *name)
{
	size_t n = plain_length(name);

	if (strncmp(name, "results", 7) != 0 || strstr(name, ".tmp."))
		return false;
	return ends_with(name, n, ".jsonl") || ends_with(name, n, ".part");
}

/* Ignore results.jsonl beside files of shards: an earlier merge made it, and it may be outdated. */
static void
drop_merged(struct app *app, struct opt_list *l, size_t from)
{
	bool shards = false;
	struct tt_shard s;

	for (size_t i = from; i < l->n; i++)
		shards = shards || tt_batch_shard_named(l->v[i], &s);
	for (size_t i = l->n; shards && i-- > from;) {
		const char *slash = strrchr(l->v[i], '/'), *name = slash ? slash + 1 : l->v[i];

		if (plain_length(name) != strlen("results.jsonl") || strncmp(name, "results.jsonl", plain_length(name)) != 0)
			continue;
		ui_say(&app->ui, "%s: ignored, because results of shards are beside it; to merge it, name it", l->v[i]);
		l->v[i] = l->v[--l->n];
		l->v[l->n] = NULL;
	}
}

/* True if the file has results of a run in ${shards} shards; 0: any. */
static bool
is_wanted(const char *path, uint64_t shards)
{
	struct tt_shard s = { 1, 1 };

	tt_batch_shard_named(path, &s);
	return shards == 0 || s.count == shards;
}

static int
add_dir(struct app *app, const char *path, uint64_t shards, struct opt_list *l, struct tt_err *err)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	size_t before = l->n;
	int rc = TT_OK;

	if (!dir)
		return tt_fail_sys(err, errno, "%s", path);
	while (rc == TT_OK && (e = readdir(dir)) != NULL) {
		char full[PATH_MAX];
		int n = snprintf(full, sizeof full, "%s/%s", path, e->d_name);
		const char *copy;

		if (!is_results(e->d_name) || !is_wanted(e->d_name, shards) || n < 0 || (size_t)n >= sizeof full)
			continue;
		copy = tt_arena_text(&app->arena, full, (size_t)n, err);
		rc = copy ? opt_list_add(l, copy, &app->arena, err) : err->code;
	}
	closedir(dir);
	if (rc == TT_OK)
		drop_merged(app, l, before);
	if (rc == TT_OK && l->n == before && shards > 1)
		rc = tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: no results of any of %llu shards here (results.*-of-%llu.jsonl)", path,
		    (unsigned long long)shards, (unsigned long long)shards);
	else if (rc == TT_OK && l->n == before)
		rc = tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: no results here (results*.jsonl, results*.part)", path);
	return rc;
}

/* Add the folders of ${files}, each once: they may hold pages of captures. */
static int
add_folders(struct app *app, const struct opt_list *files, struct opt_list *dir, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < files->n && rc == TT_OK; i++) {
		const char *slash = strrchr(files->v[i], '/'), *of = ".";
		size_t k = 0;

		if (slash)
			of = tt_arena_text(&app->arena, files->v[i], (size_t)(slash - files->v[i]) + (slash == files->v[i]), err);
		while (of && k < dir->n && strcmp(dir->v[k], of) != 0)
			k++;
		rc = !of ? err->code : k == dir->n ? opt_list_add(dir, of, &app->arena, err) : TT_OK;
	}
	return rc;
}

/* The file to write; *${path} is NULL if there is none. */
static int
target(struct app *app, const char *output, const char **path, struct tt_err *err)
{
	struct stat st;
	char full[PATH_MAX];
	int n;

	*path = output;
	if (!output || stat(output, &st) != 0 || !S_ISDIR(st.st_mode))
		return TT_OK;
	n = snprintf(full, sizeof full, "%s/results.jsonl", output);
	if (n < 0 || (size_t)n >= sizeof full)
		return tt_fail_sys(err, ENAMETOOLONG, "%s", output);
	*path = tt_arena_text(&app->arena, full, (size_t)n, err);
	return *path ? TT_OK : err->code;
}

/* Fail if an output is one of ${files}. Only ${path} may be: all results are read before it is written. */
static int
check_outputs(struct app *app, const struct opt_list *files, const char *path, const struct opt_list *write,
    struct tt_err *err)
{
	struct opt_list others = { 0 };
	struct tt_shard shard;
	int rc = tt_outputs_check(write->v, NULL, err);

	if (rc == TT_OK && path && tt_batch_shard_named(path, &shard))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: this name is for results of one shard; give merged results another", path);
	for (size_t i = 0; i < write->n && rc == TT_OK; i++)
		if (write->v[i] != path)
			rc = opt_list_add(&others, write->v[i], &app->arena, err);
	return rc == TT_OK ? tt_outputs_check(others.v, files->v, err) : rc;
}

static int
confine(struct app *app, const struct merge_opts *o, const struct opt_list *files, const struct opt_list *write,
    struct tt_err *err)
{
	int rc = app_reads(app, files->v, err);

	return rc == TT_OK ? app_confine(app, write->v, o->tmpdir, err) : rc;
}

/* Say what is missing: the shards without files, and those that an earlier merge lacked. */
static int
add_lacks(struct app *app, struct merge_opts *o, struct tt_err *err)
{
	if (!o->lacks || !o->sum.missing) {
		o->sum.missing = o->lacks ? o->lacks : o->sum.missing;
		return TT_OK;
	}
	o->sum.missing = tt_arena_printf(&app->arena, err, "%s, %s", o->sum.missing, o->lacks);
	return o->sum.missing ? TT_OK : err->code;
}

/*
 * Fail if shards are missing, unless --partial allows it: the figures would look like those of all shards. ${said}: the shards that lines of the files name;
 * NULL: the files have not been read, and the check waits if their lines may change the answer.
 */
static int
check_shards(struct app *app, struct merge_opts *o, const struct opt_list *files, const struct tt_batch_lists *said, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < files->n && !said; i++)
		if (!tt_batch_results_named(files->v[i]))
			return TT_OK;
	if (said && o->sum.missing && !o->lacks)      /* reported before the files were read */
		return TT_OK;
	rc = tt_batch_missing_shards(&app->arena, files->v, said, &o->sum.missing, err);
	if (rc == TT_OK && said)
		rc = add_lacks(app, o, err);
	if (rc != TT_OK || !o->sum.missing)
		return rc;
	if (!o->partial)
		return tt_fail(err, TT_E_IO, TT_NOWHERE, "missing: %s; --partial merges without", o->sum.missing);
	ui_say(&app->ui, "merged without %s", o->sum.missing);
	return TT_OK;
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

/* Reads the lines of one file, and what they say of the shards that made them. */
struct shard_lines {
	struct app *app;
	struct tt_results *rs;
	struct tt_batch_lists *said;     /* the shards that lines name; of a run that has not ended the last, because a resumed run writes it again */
	bool open;                    /* such a run, by the file's name */
	uint64_t *file;               /* hashes of the files that have a result, each once */
	size_t nfile, capfile;
	struct tt_map at;             /* in file */
	struct tt_buf *lacks;         /* what a partial merge lacked, and the results that this file lost, if it has shards */
	struct tt_buf *lost;          /* the results that it lost, if it has whole runs */
};

/* Note that what ${key} names has a result, unless it is a member of an archive. Shards that share an archive have a result of it each. */
static int
count_file(struct shard_lines *l, const char *key, size_t nkey, const char *line, size_t n, struct tt_err *err)
{
	struct tt_mem *mem = &l->app->env.mem;
	const char *part = memmem(line, n, ",\"part\":", 8);
	const uint64_t hash = tt_seeded_text(part ? strtoull(part + 8, NULL, 10) : 0, key, nkey);

	if (memchr(key, '!', nkey) || tt_map_find(&l->at, hash, i, l->file[i] == hash))
		return TT_OK;
	if (tt_map_push(&l->at, mem, hash, &l->file, &l->capfile, l->nfile, err) != TT_OK)
		return err->code;
	l->file[l->nfile++] = hash;
	return TT_OK;
}

static int
on_shard_line(void *arg, uint64_t at, const char *line, size_t n, struct tt_err *err)
{
	struct shard_lines *l = arg;
	struct tt_result r;
	struct tt_err why;
	size_t nkey = 0;

	/* A copy made on Windows may have carriage returns before its line feeds. */
	n -= n > 0 && line[n - 1] == '\r';

	const char *key = line ? tt_result_scan(line, n, &nkey) : NULL;
	struct tt_batch_list is;
	int rc = key && nkey > 0 ? count_file(l, key, nkey, line, n, err) : TT_OK;

	(void)at;
	if (key && nkey == 0 && tt_result_load(line, n, &r, &why) == TT_OK) {
		if (tt_batch_list_read(&r, &is)) {
			l->said->n = l->open ? 0 : l->said->n;
			rc = tt_batch_lists_add(&l->app->arena, l->said, &is, err);
		}
		if (strcmp(r.type, "part") == 0)
			tt_buf_printf(l->lacks, "%s%s", l->lacks->n ? ", " : "", r.detail);
		tt_result_free(&r);
	}
	return rc == TT_OK ? tt_results_add(l->rs, line, n, err) : rc;
}

/* Read a file. Fail if it has the name of one shard and the lines of another: it would hide that a shard is missing. */
static int
add_file(struct app *app, struct tt_results *rs, const char *path, struct tt_batch_lists *said, struct tt_buf *lacks, struct tt_buf *lost,
    struct tt_err *err)
{
	struct shard_lines l = { .app = app, .rs = rs, .said = said, .open = tt_batch_results_open(path), .lacks = lacks };
	struct tt_shard named;
	struct tt_buf *b = lost;
	uint64_t files;
	int rc = tt_results_lines(&app->env, path, true, on_shard_line, &l, err);

	tt_mem_free(&app->env.mem, l.file, l.capfile * sizeof *l.file);
	tt_map_free(&l.at, &app->env.mem);
	if (rc == TT_E_DAMAGED) {     /* compressed, and cut: its results up to there count, and a torn line says that there were more */
		ui_say(&app->ui, "%s", err->msg);
		rc = tt_results_add(rs, NULL, 0, err);
	}
	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; i < said->n && tt_batch_shard_named(path, &named); i++) {
		const struct tt_shard is = said->v[i].shard;

		if (named.index != is.index || named.count != is.count)
			return tt_fail(err, TT_E_IO, TT_NOWHERE, "%s holds results of another shard, %u of %u: was it renamed?", path, is.index, is.count);
	}
	files = l.open ? 0 : tt_batch_lists_files(said);
	for (size_t i = 0; i < said->n; i++)
		b = said->v[i].shard.count > 1 ? lacks : b;
	if (l.nfile < files)
		tt_buf_printf(b, "%sresults of %llu of the %llu files in %s", b->n ? ", " : "", (unsigned long long)(files - l.nfile),
		    (unsigned long long)files, path);
	return TT_OK;
}

/* Fail if shards had different lists of files: they split them differently, so a capture may be in no shard. */
static int
check_lists(struct app *app, struct merge_opts *o, struct tt_batch_lists *lists, struct tt_err *err)
{
	const char *what;
	int rc;

	for (size_t i = 0; i < lists->n && o->shards; i++)
		if (lists->v[i].shard.count != o->shards)
			return tt_fail(err, TT_E_IO, TT_NOWHERE, "results come from shard %u of %u, but --shard-count says %llu",
			    lists->v[i].shard.index, lists->v[i].shard.count, (unsigned long long)o->shards);
	rc = tt_batch_lists_check(&app->arena, lists, o->sum.missing != NULL, &what, err);
	if (rc != TT_OK || !what)
		return rc;
	if (!o->partial)
		return tt_fail(err, TT_E_IO, TT_NOWHERE, "shards do not belong together: %s; run all again with --resume, or merge with --partial", what);
	ui_say(&app->ui, "merged although shards do not belong together: %s", what);
	if (!o->sum.missing)
		o->sum.missing = "what shards of other lists of files have";
	return TT_OK;
}

/* *${text}: what ${b} holds, NULL if nothing. */
static int
keep_text(struct app *app, const struct tt_buf *b, const char **text, struct tt_err *err)
{
	int rc = tt_buf_error(b, err);

	*text = rc == TT_OK && b->n ? tt_arena_text(&app->arena, b->p, b->n, err) : NULL;
	return rc == TT_OK && b->n && !*text ? err->code : rc;
}

/* Read all files, and check the shards that their lines name. *${whole}: each file names some. */
static int
add_files(struct app *app, struct merge_opts *o, struct tt_results *rs, struct tt_batch_lists *lists, bool *whole, const struct opt_list *files,
    struct tt_err *err)
{
	struct tt_batch_lists *said = tt_arena_alloc(&app->arena, (files->n + 1) * sizeof *said, err);
	struct tt_buf lacks = { 0 }, lost = { 0 };
	int rc = said ? TT_OK : err->code;

	for (size_t i = 0; i < files->n && rc == TT_OK; i++) {
		rc = add_file(app, rs, files->v[i], &said[i], &lacks, &lost, err);
		for (size_t k = 0; k < said[i].n && rc == TT_OK; k++)
			rc = tt_batch_lists_add(&app->arena, lists, &said[i].v[k], err);
		*whole = *whole && said[i].n > 0;
	}
	if (rc == TT_OK)
		rc = keep_text(app, &lacks, &o->lacks, err);
	if (rc == TT_OK)
		rc = keep_text(app, &lost, &o->lost, err);
	tt_buf_free(&lacks);
	tt_buf_free(&lost);
	return rc == TT_OK ? check_shards(app, o, files, said, err) : rc;
}

/* The first line of merged results, for a later merge, if they are those of one list of files: that of a whole run. */
static int
put_whole(const struct tt_batch_lists *lists, struct tt_buf *line, struct tt_err *err)
{
	const struct tt_batch_list *l = lists->v;

	for (size_t i = 1; i < lists->n; i++)
		if (lists->v[i].files != l->files || lists->v[i].bytes != l->bytes || lists->v[i].by != l->by)
			return TT_OK;
	return lists->n ? tt_batch_list_put(&(struct tt_batch_list){ { 1, 1 }, 0, l->files, l->bytes, l->files, l->by }, line, err) : TT_OK;
}

/* The same of those that lack ${missing}. */
static int
put_part(const char *missing, struct tt_buf *line, struct tt_err *err)
{
	const struct tt_result_id id = { .key = "", .type = "part" };
	struct tt_buf body = { 0 };
	int rc;

	tt_buf_text(&body, "\"outcome\":\"ok\",\"detail\":");
	tt_json_quote(&body, missing, strlen(missing));
	rc = tt_buf_error(&body, err);
	if (rc == TT_OK)
		rc = tt_result_compose(line, &id, body.p, body.n, err);
	tt_buf_free(&body);
	return rc;
}

/* Tell what the results are, and what of them is left out; ${lost}: captures that archives count and that have no result. */
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
	if (bad)                      /* add_torn() makes a note of them ... */
		ui_say(&app->ui, "%llu line%s left out: torn, or not a result", bad, bad == 1 ? "" : "s");
	if (mo->lost)                 /* ... and of these */
		ui_say(&app->ui, "lost: %s", mo->lost);
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

	if (rc == TT_OK && (sum->conflicts || sum->missing || sum->bad || lost || o->lost)) {         /* whatever --max-failures allows */
		app->verdict = tt_exit_code(TT_E_DAMAGED);
		o->sum.notes->why = sum->bad ? "lines of results are torn" : lost || o->lost ? "results of captures are lost" :
		    sum->missing ? "results of shards are missing" : "results of one capture differ";
	}
	return rc == TT_OK ? gate_of(o, gate, captures, err) : rc;
}

/* Add to what is missing the lines that are torn, and the results that whole runs lost: the tables say it. */
static int
add_torn(struct app *app, struct merge_opts *o, uint64_t bad, struct tt_err *err)
{
	const char *lost = o->lost, *text;
	char torn[60] = "";

	if (!bad && !lost)
		return TT_OK;
	if (bad)
		snprintf(torn, sizeof torn, "%llu torn line%s of results", (unsigned long long)bad, bad == 1 ? "" : "s");
	text = tt_arena_printf(&app->arena, err, "%s%s%s%s%s", o->sum.missing ? o->sum.missing : "", o->sum.missing ? ", " : "", torn,
	    bad && lost ? ", " : "", lost ? lost : "");
	o->sum.missing = text;
	return text ? TT_OK : err->code;
}

/* Begin the totals and, if it is asked for, the database. */
static int
begin_sums(struct app *app, const struct merge_opts *o, struct tt_aggregate **a, struct tt_batch_db **db, struct tt_err *err)
{
	int rc = tt_aggregate_new(&app->env, o->sum.group.v, a, err);

	if (rc != TT_OK)
		return rc;
	tt_aggregate_lacks(*a, o->sum.missing);
	return summary_database_begin(app, &o->sum, db, err);
}

static int
merge(struct app *app, struct merge_opts *o, const struct opt_list *files, const char *path, struct batch_gate *gate,
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

	if (rc == TT_OK)
		rc = add_files(app, o, rs, &lists, &whole, files, err);
	if (rc == TT_OK)
		rc = check_lists(app, o, &lists, err);
	if (rc == TT_OK && o->sum.missing)
		rc = put_part(o->sum.missing, &head, err);
	else if (rc == TT_OK && whole)
		rc = put_whole(&lists, &head, err);
	if (rc == TT_OK)
		rc = begin_sums(app, o, &a, &db, err);
	if (rc == TT_OK)
		rc = tt_batch_put_results(&app->env, rs, &(struct tt_batch_put){ .path = path, .head = &head, .mixed = o->partial, .keep = &results,
		    .db = db }, a, &(struct tt_batch_take){ batch_gate_add, gate }, &sum, &lost, err);
	if (rc == TT_OK)
		rc = summary_database(app, &o->sum, db, err);
	else
		tt_batch_db_free(db);
	if (rc != TT_OK)
		tt_sink_abort(results);
	if (rc == TT_OK) {
		rc = say_sum(app, o, &sum, lost, files->n, err);
		if (rc == TT_OK)
			rc = add_torn(app, o, sum.bad, err);
		tt_aggregate_lacks(a, o->sum.missing);
		if (rc != TT_OK)
			tt_sink_abort(results);
	}
	if (rc == TT_OK) {
		rc = summary_write(app, &o->sum, &o->gate.to, a, results, err);
		if (rc == TT_OK)
			rc = judge_all(app, o, &sum, lost, a, gate, err);
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
	struct opt_list files = { 0 }, write = { 0 };
	struct summary_notes notes = { .n = 0 };
	struct batch_gate gate = { .app = NULL };
	struct input_opts in;
	const char *path = NULL;
	struct stat st;
	int rc;

	o.sum.notes = &notes;
	rc = app_parse(app, &verb_merge, &o, &o.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	if (o.path.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "nothing to merge: name results, or folders that hold them");
	for (size_t i = 0; i < o.path.n && rc == TT_OK; i++) {
		if (stat(o.path.v[i], &st) == 0 && S_ISDIR(st.st_mode))
			rc = add_dir(app, o.path.v[i], o.shards, &files, err);
		else
			rc = opt_list_add(&files, o.path.v[i], &app->arena, err);
	}
	if (rc == TT_OK)
		rc = add_folders(app, &files, &o.sum.dir, err);
	if (rc == TT_OK)
		rc = target(app, o.output, &path, err);
	app->env.mem.cap = 0;
	app->env.spool_max = UINT64_MAX;
	app->env.tmpdir = o.tmpdir;
	input_defaults(&in);
	if (rc == TT_OK)
		rc = summary_writes(app, &o.sum, &write, err);
	if (rc == TT_OK && path)
		rc = opt_list_add(&write, path, &app->arena, err);
	if (rc == TT_OK)
		rc = batch_gate_open(&gate, app, &o.gate, &in, &o.given, &o.sum.group, &files, &write, err);
	gate.sum = &o.sum;
	if (rc == TT_OK)
		rc = check_shards(app, &o, &files, NULL, err);
	if (rc == TT_OK)
		rc = check_outputs(app, &files, path, &write, err);
	if (rc == TT_OK)
		rc = confine(app, &o, &files, &write, err);
	if (rc == TT_OK)
		rc = merge(app, &o, &files, path, &gate, err);
	batch_gate_close(&gate);
	return rc;
}

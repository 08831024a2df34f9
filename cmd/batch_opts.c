/**
 * Reads the options of tracetool batch and checks that they agree.
 */
#include "batch_opts.h"

#include <string.h>

#include "base/hash.h"
#include "batch/analyse.h"
#include "batch/result.h"
#include "batch/shards.h"
#include "cmd.h"
#include "emit/emit.h"
#include "gate/measure.h"
#include "base/parse_value.h"
#include "version.h"

static const char *
what_value(size_t i)
{
	static const char *const v[] = { "stats", "convert", "gate", NULL };

	return v[i];
}

static const char *
form_value(size_t i)
{
	static const char *const v[] = { "text", "json", "csv", "markdown", "html", NULL };   /* enum tt_render */

	return v[i];
}

/* Set --shard: "3/20" or "auto". */
static int
set_shard(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct batch_opts *to = field;
	const char *slash = strchr(value, '/');
	uint64_t index = 0, count = 0;
	char *first;

	(void)o;
	to->shard_auto = strcmp(value, "auto") == 0;
	if (to->shard_auto)
		return TT_OK;
	first = slash ? tt_arena_text(a, value, (size_t)(slash - value), err) : NULL;
	if (slash && !first)
		return err->code;
	if (!slash || tt_parse_count(slash + 1, 1, TT_BATCH_SHARDS_MAX, &count, err) != TT_OK ||
	    tt_parse_count(first, 1, count, &index, err) != TT_OK)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is neither \"auto\" nor of the form I/N, with I from 1 to N", value);
	to->shard = (struct tt_shard){ (unsigned)index, (unsigned)count };
	return TT_OK;
}

#define AT(f) offsetof(struct batch_opts, f)
#define IN(f) offsetof(struct batch_opts, in.f)

static const struct tt_opt work_opt[] = {
	{ .name = "do", .arg = "WORK[,WORK]", .set = tt_opt_commas, .at = AT(what), .value = what_value,
	    .help = "do this with each capture: stats (figures; always), convert (files, see --to), gate (see --gate)" },
	{ .name = "to", .arg = "SUFFIX[,SUFFIX]", .set = tt_opt_commas, .at = AT(to),
	    .help = "convert: make these files of each capture, like json.gz or pb.gz; the suffix selects the format" },
	{ .name = "per-capture", .arg = "FORM", .set = tt_opt_choice, .at = AT(per_capture), .value = form_value,
	    .help = "also write the tables of each capture, as tracetool stats prints them" },
	{ .letter = 'o', .name = "output", .is_once_only = true, .arg = "DIR", .set = tt_opt_text, .at = AT(dir),
	    .help = "keep results in DIR/results.jsonl, and files made from captures in DIR/" TT_BATCH_FILES_DIR "/" },
	{ .name = NULL },
};

static const struct tt_opt run_opt[] = {
	{ .letter = 'j', .name = "jobs", .arg = "N", .set = tt_opt_count, .at = IN(jobs), .lo = 1, .hi = 256,
	    .help = "use at most N processes and open archives at a time; default and maximum: the processors" },
	{ .name = "shard", .arg = "I/N|auto", .set = set_shard,
	    .help = "do part I of N, from 1; auto: as Slurm, Kubernetes or GitLab says; --merge combines the parts" },
	{ .name = "shard-index", .arg = "I", .set = tt_opt_count, .at = AT(shard_index), .hi = TT_BATCH_SHARDS_MAX - 1,
	    .help = "with --shard-count: do part I, from 0" },
	{ .name = "shard-count", .arg = "N", .set = tt_opt_count, .at = AT(shard_count), .lo = 1, .hi = TT_BATCH_SHARDS_MAX,
	    .help = "with --shard-index: of N parts" },
	{ .name = "merge", .set = tt_opt_flag, .at = AT(merge),
	    .help = "analyse nothing: combine results of shards and runs, FILE or all in a DIR, into those of one run" },
	{ .name = "partial", .set = tt_opt_flag, .at = AT(partial),
	    .help = "merge: even if shards are missing or options differ, and print which; default: an error" },
	{ .name = "plan", .set = tt_opt_flag, .at = AT(plan),
	    .help = "do nothing but print what it will cost: core hours, shards, memory, and time on 1, 2, 4 ... nodes" },
	{ .name = "resume", .set = tt_opt_flag, .at = AT(resume),
	    .help = "keep the results in DIR that are still valid, and do the rest" },
	{ .name = "verify", .set = tt_opt_flag, .at = AT(verify),
	    .help = "resume: compare the contents of files, not their times" },
	{ .name = "max-failures", .arg = "N|P%", .set = summary_failures, .at = AT(sum),
	    .help = "exit with 1 if more than N captures or P% failed or are damaged, otherwise with 0; N: also stop then" },
	{ .name = "root", .arg = "DIR", .set = tt_opt_text, .at = AT(root),
	    .help = "name captures by their paths below DIR; default: below the given folder, single files as given" },
	{ .name = "nesting", .arg = "N", .set = tt_opt_count, .at = AT(depth), .hi = 16,
	    .help = "open archives in archives to this depth; default 3" },
	{ .name = "log-every", .arg = "DUR", .set = tt_opt_duration, .at = AT(log_ns),
	    .help = "print progress this often if there is no terminal; default 60s, 0s: never" },
	{ .name = NULL },
};

static const struct tt_opt source_opt[] = {
	{ .name = "input-format", .arg = "NAME", .set = tt_opt_text, .at = IN(format),
	    .help = "read every file and member as this format (see tracetool list)" },
	{ .name = "force", .set = tt_opt_flag, .at = IN(force),
	    .help = "read an unknown version that no known layout fits" },
	{ .name = "meta", .arg = "KEY=VALUE", .set = input_set_meta, .at = IN(meta),
	    .help = "add a fact to every capture; repeatable" },
	INPUT_FACT_OPTIONS(IN(meta_from_path), IN(date_from)),
	{ .name = NULL },
};

static const struct tt_opt limit_opt[] = {
	{ .name = "capture-time", .arg = "DUR", .set = tt_opt_duration, .at = AT(capture_ns),
	    .help = "stop a capture that takes longer; default 600s, 0s: no limit" },
	{ .name = "max-decoded", .arg = "SIZE", .set = tt_opt_size, .at = AT(decoded_max),
	    .help = "limit the decoded size of a capture; default 64G, 0: no limit" },
	{ .name = "max-ratio", .arg = "N", .set = tt_opt_count, .at = AT(ratio_max), .hi = UINT64_MAX,
	    .help = "limit the decoded size to N times the compressed size, from 64M on; default 500, 0: no limit" },
	{ .name = "max-members", .arg = "N", .set = tt_opt_count, .at = AT(members_max), .lo = 1, .hi = 4000000,
	    .help = "limit the members of an archive; default 4000000" },
	{ .name = "unpack-memory", .arg = "SIZE", .set = tt_opt_size, .at = AT(unpack_memory), .lo = UINT64_C(16) << 20,
	    .help = "limit the memory of the process that unpacks an archive; default 160M, at least 16M, 0: no limit" },
	{ .name = "spool-memory", .arg = "SIZE", .set = tt_opt_size, .at = AT(spool_memory),
	    .help = "pass on captures from archives in memory up to this size, larger ones as they are unpacked; default 16M" },
	{ .name = "spool-max", .arg = "SIZE", .set = tt_opt_size, .at = IN(spool_max),
	    .help = "copy at most this much to disk of data that must be read twice; default 8G" },
	{ .name = "tmpdir", .arg = "DIR", .set = tt_opt_text, .at = IN(tmpdir),
	    .help = "put that copy into this folder; default $TMPDIR, otherwise /tmp" },
	{ .name = "max-paths", .arg = "N", .set = tt_opt_count, .at = IN(max_paths), .lo = 16, .hi = TT_TREE_CAP,
	    .help = "tell apart at most N call paths in a capture; default 500000" },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Work", work_opt, 0 },
	{ "Figures", summary_opt, offsetof(struct batch_opts, sum) },
	{ "Gate", batch_gate_opt, offsetof(struct batch_opts, gate) },
	VERDICT_GROUP(struct batch_opts, gate.to),
	{ "Run", run_opt, 0 },
	{ "Input", source_opt, 0 },
	{ "What to look at", input_filter_opt, offsetof(struct batch_opts, in) },
	{ "Frames", input_frame_opt, offsetof(struct batch_opts, in) },
	{ "Limits", limit_opt, 0 },
	UI_GROUP(struct batch_opts, in.ui),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_batch = {
	.name = "batch",
	.summary = "analyse or convert thousands of captures, in folders and archives",
	.operands = "FILE|DIR|ARCHIVE|-...",
	.about = "Analyse or convert all captures in folders and archives (tar, zip, 7z; compressed; nested). \"-\" reads names "
		 "from standard input, one per line or each ended by NUL (find -print0). Files that are not captures are counted "
		 "by kind; each failure costs one line. The results are one line of JSON per capture, and figures of all captures.",
	.examples = "  tracetool batch nightly/\n"
		    "  tracetool batch -o out --do convert --to json.gz builds/*.zip\n"
		    "  tracetool batch -o out --group-by build,device --report trend.md captures.tar.xz\n"
		    "  seq 20 | xargs -P4 -I{} tracetool batch -o out --shard {}/20 nightly/ && tracetool batch --merge -o out out\n",
	.group = groups,
	.operand_at = offsetof(struct batch_opts, in.path),
	.given_at = offsetof(struct batch_opts, given),
};

/* --- checks -------------------------------------------------------------------------- */

unsigned
batch_work_of(const struct batch_opts *o)
{
	unsigned what = BATCH_STATS | (o->gate.budget ? BATCH_GATE : 0u);

	for (size_t i = 0; i < o->what.n; i++)
		what |= strcmp(o->what.v[i], "convert") == 0 ? BATCH_CONVERT : strcmp(o->what.v[i], "gate") == 0 ? BATCH_GATE : 0u;
	return what;
}

static int
check_suffixes(const struct batch_opts *o, struct tt_err *err)
{
	char name[64] = "x.";

	for (size_t i = 0; i < o->to.n; i++) {
		const char *s = o->to.v[i];

		if (strlen(s) > 20 || strpbrk(s, "/\\") || s[0] == '.' || s[0] == '\0')
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --to: \"%s\" is not a suffix", s);
		memcpy(name + 2, s, strlen(s) + 1);
		if (!tt_emit_for_path(name))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
			    "option --to: no format has the suffix \"%s\" (see \"tracetool list emitters\")", s);
		if (tt_emit_missing(tt_emit_for_path(name)))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --to: %s: %s", s, tt_emit_missing(tt_emit_for_path(name)));
		for (size_t k = 0; k < i; k++) {
			if (strcmp(s, o->to.v[k]) == 0)
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --to: \"%s\" is given twice", s);
		}
	}
	return TT_OK;
}

/* Return the option that makes files besides standard output, or NULL. */
static const char *
keeps_results(const struct batch_opts *o)
{
	if (batch_work_of(o) & BATCH_CONVERT)
		return "--do convert";
	return o->per_capture >= 0 ? "--per-capture" : o->resume ? "--resume" : o->shard.count > 1 ? "--shard" : NULL;
}

int
batch_check(const struct batch_opts *o, struct tt_err *err)
{
	bool convert = batch_work_of(o) & BATCH_CONVERT;

	if ((batch_work_of(o) & BATCH_GATE) && !o->gate.budget)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--do gate needs --gate BUDGET");
	if (o->in.path.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "nothing to do: name folders, archives or captures");
	if (convert && o->to.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--do convert needs --to SUFFIX");
	if (!convert && o->to.n > 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--to is for --do convert");
	if (o->plan && (convert || o->per_capture >= 0))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--plan knows what figures cost: leave out %s", convert ? "--do convert" : "--per-capture");
	if (!o->dir && !o->plan && keeps_results(o))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s needs a directory for its results (-o DIR)", keeps_results(o));
	if (o->dir && strcmp(o->dir, "-") == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option -o: results are kept in a folder, not on standard output; name one");
	if (o->verify && !o->resume)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--verify is for --resume");
	if (o->partial)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--partial is for --merge");
	return check_suffixes(o, err);
}

static void
put_list(struct tt_buf *b, const struct tt_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		tt_buf_printf(b, "%s\n", l->v[i]);
	tt_buf_text(b, ";");
}

/* Hash what results depend on: version and options; the lower half also covers the facts of --meta. */
int
batch_sign(const struct batch_opts *o, const struct tt_one_opts *one, uint64_t *by, struct tt_err *err)
{
	const struct input_opts *in = &o->in;
	const struct tt_filter *f = &one->run.filter;
	const struct tt_list *list[] = { &in->thread, &in->category, &in->marker, &in->wait, &o->to };
	struct tt_buf b = { 0 };
	int rc;

	tt_buf_printf(&b, TT_GENERATOR " %u %d %d %s%s|%lld %lld %d %llu %llu|%lld %llu %d %d|%s|%s|%llu|%llu %llu %llu %llu %llu|",
	    batch_work_of(o), o->per_capture, o->sum.csv_safe, in->format ? in->format : "", in->force ? " force" : "",
	    (long long)f->from, (long long)f->to, f->has_frames, (unsigned long long)f->frame_first, (unsigned long long)f->frame_last, (long long)in->min_dur,
	    (unsigned long long)in->depth, in->wrappers, in->names, one->run.frame_marker ? one->run.frame_marker : "",
	    one->run.frame_thread ? one->run.frame_thread : "", (unsigned long long)in->max_paths, (unsigned long long)o->depth,
	    (unsigned long long)o->decoded_max, (unsigned long long)o->ratio_max, (unsigned long long)o->members_max,
	    (unsigned long long)o->spool_memory);
	if (one->tables)
		tt_buf_text(&b, "tables|");
	tt_buf_printf(&b, "%s|%s|%d %d|", f->from_label ? f->from_label : "", f->to_label ? f->to_label : "", in->no_wait, in->player_only);
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		put_list(&b, list[i]);
	for (size_t i = 0; i < one->nmeasure; i++)
		tt_buf_printf(&b, "%s %d\n", one->measure[i].key, one->measure[i].pooled);
	*by = tt_hash_bytes(b.p, b.n) & TT_RESULT_OPTIONS;
	put_list(&b, &in->meta);
	tt_buf_printf(&b, "%s|%d", in->meta_from_path ? in->meta_from_path : "", in->date_from);
	rc = tt_buf_error(&b, err);
	*by |= tt_hash_bytes(b.p, b.n) & ~TT_RESULT_OPTIONS;
	tt_buf_free(&b);
	return rc;
}

int
batch_shard(struct app *app, struct batch_opts *o, struct tt_err *err)
{
	const bool index = o->shard_index != UINT64_MAX, count = o->shard_count != 0;

	if (o->plan && count && !index) {     /* a plan covers all shards */
		o->shard.count = (unsigned)o->shard_count;
		return TT_OK;
	}
	if (index != count)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--shard-index and --shard-count need each other");
	if (index && tt_opts_given(&o->given, "shard"))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--shard and --shard-index both say which shard this is: give one of them");
	if (index && o->shard_index >= o->shard_count)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --shard-index: %llu is not below the %llu of --shard-count; the first is 0",
		    (unsigned long long)o->shard_index, (unsigned long long)o->shard_count);
	if (index)
		o->shard = (struct tt_shard){ (unsigned)o->shard_index + 1, (unsigned)o->shard_count };
	if (!o->shard_auto)
		return TT_OK;
	return tt_batch_shard_of_job(&app->env, &o->shard, err) == TT_OK ? TT_OK : tt_err_in(err, "option --shard auto");
}

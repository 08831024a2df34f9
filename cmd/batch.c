/**
 * tracetool batch: captures by the thousand, in folders and archives.
 */
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "emit/emit.h"
#include "io/spool.h"
#include "value.h"
#include "version.h"

#define MIB (UINT64_C(1) << 20)
#define FILES_DIR "captures"
#define RULES_MAX 64          /* more inputs than this, and the process may read whatever it likes */

enum what { DO_STATS = 1, DO_CONVERT = 2, DO_GATE = 4 };

struct batch_opts {
	struct input_opts in;
	struct summary_opts sum;
	struct gate_opts gate;
	struct opt_list what, to;
	int per_capture;              /* enum tt_render; -1: none */
	const char *dir, *root;
	uint64_t depth;
	struct tt_shard shard;
	bool resume, verify;
	uint64_t failures;            /* --max-failures; UINT64_MAX: not given */
	int64_t failures_e4;          /* the same as a share; -1: not given */
	int64_t capture_ns, log_ns;
	uint64_t decoded_max, ratio_max, members_max, unpack_memory, spool_memory;
};

static const char *
what_value(size_t i)
{
	static const char *const v[] = { "stats", "convert", "gate", NULL };

	return v[i];
}

static const char *
form_value(size_t i)
{
	static const char *const v[] = { "text", "json", "csv", "markdown", NULL };   /* enum tt_render */

	return v[i];
}

/* "3/20" */
static int
set_shard(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct tt_shard *s = field;
	const char *slash = strchr(value, '/');
	uint64_t index = 0, count = 0;
	char *first;

	(void)o;
	first = slash ? tt_arena_text(a, value, (size_t)(slash - value), err) : NULL;
	if (slash && !first)
		return err->code;
	if (!slash || val_count(slash + 1, 1, 1000000, &count, err) != TT_OK ||
	    val_count(first, 1, count, &index, err) != TT_OK)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not of the form I/N, with I from 1 to N", value);
	s->index = (unsigned)index;
	s->count = (unsigned)count;
	return TT_OK;
}

/* "5" or "2%" */
static int
set_failures(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct batch_opts *b = field;

	(void)o, (void)a;
	if (strchr(value, '%'))
		return val_percent(value, &b->failures_e4, err);
	return val_count(value, 0, UINT64_MAX - 1, &b->failures, err);
}

#define AT(f) offsetof(struct batch_opts, f)
#define IN(f) offsetof(struct batch_opts, in.f)

static const struct opt work_opt[] = {
	{ .name = "do", .arg = "WORK[,WORK]", .set = opt_commas, .at = AT(what), .value = what_value,
	    .help = "what to do with each capture: stats (figures; always), convert (files, see --to), gate (see --gate)" },
	{ .name = "to", .arg = "SUFFIX[,SUFFIX]", .set = opt_commas, .at = AT(to),
	    .help = "convert: the files to make of each capture, like json.gz or pb.gz; the suffix says the format" },
	{ .name = "per-capture", .arg = "FORM", .set = opt_choice, .at = AT(per_capture), .value = form_value,
	    .help = "also write the tables of each capture, as tracetool stats prints them" },
	{ .letter = 'o', .name = "output", .arg = "DIR", .set = opt_text, .at = AT(dir),
	    .help = "keep results in DIR/results.jsonl, and files made of captures in DIR/" FILES_DIR "/" },
	{ .name = NULL },
};

static const struct opt run_opt[] = {
	{ .letter = 'j', .name = "jobs", .arg = "N", .set = opt_count, .at = IN(jobs), .lo = 1, .hi = 256,
	    .help = "processes at work, and archives open, at a time; default, and at most: the processors there are" },
	{ .name = "shard", .arg = "I/N", .set = set_shard, .at = AT(shard),
	    .help = "do part I of N; tracetool merge puts the parts together" },
	{ .name = "resume", .set = opt_flag, .at = AT(resume),
	    .help = "keep the results in DIR that still hold, and do the rest" },
	{ .name = "verify", .set = opt_flag, .at = AT(verify),
	    .help = "resume: trust no file's time, compare contents" },
	{ .name = "max-failures", .arg = "N|P%", .set = set_failures,
	    .help = "exit with 1 when more captures than that failed or are damaged, and else with 0; N: also give up then" },
	{ .name = "root", .arg = "DIR", .set = opt_text, .at = AT(root),
	    .help = "name captures by their paths below DIR; default: below the folder given, else as given" },
	{ .name = "nesting", .arg = "N", .set = opt_count, .at = AT(depth), .hi = 16,
	    .help = "open archives in archives to this depth; default 3" },
	{ .name = "log-every", .arg = "DUR", .set = opt_duration, .at = AT(log_ns),
	    .help = "where there is no terminal, say how far it is this often; default 60s, 0s for never" },
	{ .name = NULL },
};

static const struct opt source_opt[] = {
	{ .name = "input-format", .arg = "NAME", .set = opt_text, .at = IN(format),
	    .help = "read every file and member as this format (see tracetool list)" },
	{ .name = "meta", .arg = "KEY=VALUE", .set = opt_add, .at = IN(meta),
	    .help = "add a fact to every capture; repeatable" },
	{ .name = NULL },
};

static const struct opt limit_opt[] = {
	{ .name = "capture-time", .arg = "DUR", .set = opt_duration, .at = AT(capture_ns),
	    .help = "the most a capture may take; default 600s, 0s for any" },
	{ .name = "max-decoded", .arg = "SIZE", .set = opt_size, .at = AT(decoded_max),
	    .help = "the most bytes a capture may have when decoded; default 64G, 0 for any" },
	{ .name = "max-ratio", .arg = "N", .set = opt_count, .at = AT(ratio_max), .hi = UINT64_MAX,
	    .help = "how many times its compressed size it may have, from 64M on; default 500, 0 for any" },
	{ .name = "max-members", .arg = "N", .set = opt_count, .at = AT(members_max), .lo = 1, .hi = 4000000,
	    .help = "the most members of an archive; default 4000000" },
	{ .name = "unpack-memory", .arg = "SIZE", .set = opt_size, .at = AT(unpack_memory),
	    .help = "the most memory of the process that unpacks an archive; default 160M, 0 for any" },
	{ .name = "spool-memory", .arg = "SIZE", .set = opt_size, .at = AT(spool_memory),
	    .help = "a capture from an archive is handed on in memory up to this size, and beyond as it comes; default 16M" },
	{ .name = "spool-max", .arg = "SIZE", .set = opt_size, .at = IN(spool_max),
	    .help = "the most to copy to disk of what must be read twice; default 8G" },
	{ .name = "tmpdir", .arg = "DIR", .set = opt_text, .at = IN(tmpdir),
	    .help = "where that copy goes; default $TMPDIR, else /tmp" },
	{ .name = "max-paths", .arg = "N", .set = opt_count, .at = IN(max_paths), .lo = 16, .hi = UINT64_C(1) << 26,
	    .help = "call paths to tell apart in a capture; default 500000" },
	{ .name = NULL },
};

static const struct opt_group groups[] = {
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

const struct verb verb_batch = {
	.name = "batch",
	.summary = "analyse or convert captures by the thousand, in folders and archives",
	.operands = "FILE|DIR|ARCHIVE|-...",
	.about = "Analyse or convert all captures in folders and archives (tar, zip, 7z; compressed; in each other). "
		 "\"-\" reads names from standard input, one a line. What is no capture is counted by kind; what fails costs "
		 "one line. Results are one line of JSON per capture, and figures of all together.",
	.examples = "  tracetool batch nightly/\n"
		    "  tracetool batch -o out --do convert --to json.gz builds/*.zip\n"
		    "  tracetool batch -o out --group-by build,device --report trend.md captures.tar.xz\n"
		    "  seq 20 | xargs -P4 -I{} tracetool batch -o out --shard {}/20 nightly/ && tracetool merge -o out out\n",
	.group = groups,
	.operand_at = offsetof(struct batch_opts, in.path),
};

/* --- checks -------------------------------------------------------------------------- */

static unsigned
work_of(const struct batch_opts *o)
{
	unsigned what = DO_STATS | (o->gate.budget ? DO_GATE : 0u);

	for (size_t i = 0; i < o->what.n; i++)
		what |= strcmp(o->what.v[i], "convert") == 0 ? DO_CONVERT : strcmp(o->what.v[i], "gate") == 0 ? DO_GATE : 0u;
	return what;
}

static int
check_suffixes(const struct batch_opts *o, struct tt_err *err)
{
	char name[64] = "x.";

	for (size_t i = 0; i < o->to.n; i++) {
		const char *s = o->to.v[i];

		if (strlen(s) > 20 || strpbrk(s, "/\\") || s[0] == '.' || s[0] == '\0')
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --to: \"%s\" is no suffix", s);
		memcpy(name + 2, s, strlen(s) + 1);
		if (!tt_emit_for_path(name))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
			    "option --to: no format has the suffix \"%s\" (see \"tracetool list emitters\")", s);
		for (size_t k = 0; k < i; k++) {
			if (strcmp(s, o->to.v[k]) == 0)
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --to: \"%s\" is given twice", s);
		}
	}
	return TT_OK;
}

static int
check(const struct batch_opts *o, struct tt_err *err)
{
	bool convert = work_of(o) & DO_CONVERT;

	if ((work_of(o) & DO_GATE) && !o->gate.budget)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--do gate needs --gate BUDGET");
	if (o->in.path.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "nothing to do: name folders, archives or captures");
	if (convert && o->to.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--do convert needs --to SUFFIX");
	if (!convert && o->to.n > 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--to is for --do convert");
	if (!o->dir && (convert || o->per_capture >= 0 || o->resume || o->shard.count > 1))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s needs a directory for its results (-o DIR)",
		    convert ? "--do convert" : o->per_capture >= 0 ? "--per-capture" : o->resume ? "--resume" : "--shard");
	if (o->verify && !o->resume)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--verify is for --resume");
	return check_suffixes(o, err);
}

static int
put_list(struct tt_buf *b, const struct opt_list *l, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < l->n && rc == TT_OK; i++)
		rc = tt_buf_printf(b, err, "%s\n", l->v[i]);
	return rc == TT_OK ? tt_buf_text(b, ";", err) : rc;
}

/* What results depend on, in a number: version and options. */
static int
sign(const struct batch_opts *o, const struct tt_one_opts *one, uint64_t *by, struct tt_err *err)
{
	const struct input_opts *in = &o->in;
	const struct tt_filter *f = &one->run.filter;
	const struct opt_list *list[] = { &in->meta, &in->thread, &in->category, &in->marker, &in->wait, &o->to };
	struct tt_buf b = { 0 };
	int rc = tt_buf_printf(&b, err, TT_GENERATOR " %u %d %s|%lld %lld %d %llu %llu|%lld %llu %d %d|%s|%s|%llu|%llu %llu %llu %llu %llu|",
	    work_of(o), o->per_capture, in->format ? in->format : "", (long long)f->from, (long long)f->to, f->has_frames,
	    (unsigned long long)f->frame_first, (unsigned long long)f->frame_last, (long long)in->min_dur,
	    (unsigned long long)in->depth, in->wrappers, in->names, one->run.frame_marker ? one->run.frame_marker : "",
	    one->run.frame_thread ? one->run.frame_thread : "", (unsigned long long)in->max_paths, (unsigned long long)o->depth,
	    (unsigned long long)o->decoded_max, (unsigned long long)o->ratio_max, (unsigned long long)o->members_max,
	    (unsigned long long)o->spool_memory);

	for (size_t i = 0; i < sizeof list / sizeof list[0] && rc == TT_OK; i++)
		rc = put_list(&b, list[i], err);
	for (size_t i = 0; i < one->nmeasure && rc == TT_OK; i++)
		rc = tt_buf_printf(&b, err, "%s %d\n", one->measure[i].key, one->measure[i].pooled);
	*by = tt_hash_bytes(b.p, b.n);
	tt_buf_free(&b);
	return rc;
}

/* --- directories ------------------------------------------------------------------------- */

static int
make_dir(const char *path, struct tt_err *err)
{
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return tt_fail_sys(err, errno, "%s", path);
	return TT_OK;
}

/* The part of <linux/openat2.h> that is needed: older headers lack it. */
struct how { uint64_t flags, mode, resolve; };
#define RESOLVE_NO_SYMLINKS_ 0x04
#define RESOLVE_BENEATH_ 0x08

/* The folder for files made of captures; no link may lead out of ${dir}. */
static int
open_files_dir(const char *dir, int *fd, struct tt_err *err)
{
	struct how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_BENEATH_ | RESOLVE_NO_SYMLINKS_ };
	int top = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), sys;

	if (top < 0)
		return tt_fail_sys(err, errno, "%s", dir);
	if (mkdirat(top, FILES_DIR, 0777) != 0 && errno != EEXIST) {
		sys = errno;
		close(top);
		return tt_fail_sys(err, sys, "%s/" FILES_DIR, dir);
	}
	*fd = (int)syscall(SYS_openat2, top, FILES_DIR, &how, sizeof how);
	if (*fd < 0 && errno == ENOSYS)
		*fd = openat(top, FILES_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	sys = errno;
	close(top);
	return *fd < 0 ? tt_fail_sys(err, sys, "%s/" FILES_DIR, dir) : TT_OK;
}

/* --- the run ---------------------------------------------------------------------------------- */

struct batch {
	struct app *app;
	const struct batch_opts *o;
	struct batch_files files;
	struct batch_out out;
	struct batch_gate gate;
	struct tt_run_opts run;       /* of every capture */
	int64_t logged_ns;
	bool makes_files;
};

static bool
on_done(void *arg, size_t file, const char *key, size_t n, const uint64_t *hash)
{
	const struct batch *b = arg;

	return batch_out_done(&b->out, &b->files.file[file], key, n, hash);
}

static int
on_line(void *arg, const char *line, size_t n, struct tt_err *err)
{
	struct batch *b = arg;

	return batch_out_line(&b->out, line, n, err);
}

static int
on_same(void *arg, const struct tt_result_id *id, struct tt_err *err)
{
	struct batch *b = arg;

	return batch_out_same(&b->out, id, err);
}

static void
on_say(void *arg, const char *line)
{
	struct batch *b = arg;

	ui_say(&b->app->ui, "%s", line);
}

static void
put_progress(const struct batch *b, const struct tt_many_sum *s, char *to, size_t size)
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
	    rate / 1e6, left, (unsigned long long)(s->failed + s->damaged));
}

static void
on_tick(void *arg, const struct tt_many_sum *s)
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

/* In a process of its own, before it looks at the bytes. */
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

/* What the parent may do: read the inputs, write results and reports, start processes. */
static int
confine(struct batch *b, struct opt_list *write, struct tt_err *err)
{
	static const char *const anything[] = { "/", NULL };
	struct app *app = b->app;
	int rc = TT_OK;

	app->plan.children = app->plan.tell = true;
	if (b->files.n > RULES_MAX) {
		/* Folders are few; names on standard input can be many. */
		bool few = b->o->in.path.n <= RULES_MAX;

		for (size_t i = 0; i < b->o->in.path.n; i++)
			few = few && strcmp(b->o->in.path.v[i], "-") != 0 && !strpbrk(b->o->in.path.v[i], "*?[");
		if (few)
			rc = app_reads(app, b->o->in.path.v, err);
		else
			app->plan.read = anything;
	} else {
		struct opt_list read = { 0 };

		for (size_t i = 0; i < b->files.n && rc == TT_OK; i++)
			rc = opt_list_add(&read, b->files.file[i].path, &app->arena, err);
		if (rc == TT_OK)
			rc = app_reads(app, read.v, err);
	}
	for (size_t i = 0; i < b->o->sum.report.n && rc == TT_OK; i++)
		rc = opt_list_add(write, b->o->sum.report.v[i], &app->arena, err);
	if (rc == TT_OK && b->o->dir)
		rc = opt_list_add(write, b->o->dir, &app->arena, err);
	return rc == TT_OK ? app_confine(app, write->v, b->o->in.tmpdir, err) : rc;
}

static int
fill_one(struct batch *b, struct tt_one_opts *one, struct tt_err *err)
{
	static const char *const report_suffix[] = { "stats.txt", "stats.json", "stats.csv", "stats.md" };
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
	}
	b->run = one->run;
	one->generator = TT_GENERATOR;
	one->convert = work_of(o) & DO_CONVERT ? o->to.v : NULL;
	if (o->per_capture >= 0) {
		one->report = report_suffix[o->per_capture];
		one->report_form = (enum tt_render)o->per_capture;
	}
	return rc;
}

static void
say_end(struct batch *b, const struct tt_many_sum *s)
{
	char spooled[40];

	*tt_put_bytes(spooled, (int64_t)s->spooled) = '\0';
	tt_log(&b->app->env, TT_LOG_NORMAL, "%llu captures: %llu ok, %llu damaged, %llu failed%s; %s handed over or spooled",
	    (unsigned long long)s->captures, (unsigned long long)s->ok, (unsigned long long)s->damaged,
	    (unsigned long long)s->failed, s->same ? "; results of others were there" : "", spooled);
	if (b->files.links + b->files.others > 0)
		tt_log(&b->app->env, TT_LOG_NORMAL, "passed over: %llu symbolic links, %llu that are neither file nor folder",
		    (unsigned long long)b->files.links, (unsigned long long)b->files.others);
}

/* Is it too many? Without --max-failures any failure is told as damage is elsewhere. */
static void
judge(struct batch *b, const struct tt_aggregate *a)
{
	const struct batch_opts *o = b->o;
	uint64_t captures, failures;

	tt_aggregate_failures(a, &captures, &failures);
	if (o->failures != UINT64_MAX || o->failures_e4 >= 0) {
		bool many = failures > o->failures ||
		    (o->failures_e4 >= 0 && (double)failures * 10000 > (double)captures * (double)o->failures_e4);

		if (many)
			ui_say(&b->app->ui, "%llu of %llu captures failed or are damaged: more than --max-failures allows",
			    (unsigned long long)failures, (unsigned long long)captures);
		b->app->verdict = many ? 1 : b->app->verdict;
	} else if (failures > 0) {
		b->app->verdict = tt_exit_code(TT_E_DAMAGED);
	}
}

static int
finish(struct batch *b, struct tt_err *err)
{
	struct tt_results_sum sum;
	struct tt_aggregate *a = NULL;
	uint64_t captures = 0, failures = 0;
	int rc = tt_aggregate_new(&b->app->env, b->o->sum.group.v, &a, err);

	if (rc == TT_OK)
		rc = batch_out_finish(&b->out, a, &b->gate, &sum, err);
	ui_erase(&b->app->ui);
	if (rc == TT_OK && sum.bad)
		tt_log(&b->app->env, TT_LOG_VERBOSE, "%llu lines of results were torn and left out", (unsigned long long)sum.bad);
	if (rc == TT_OK)
		rc = summary_write(b->app, &b->o->sum, a, err);
	if (rc == TT_OK) {
		tt_aggregate_failures(a, &captures, &failures);
		if (captures > 0)
			rc = batch_gate_judge(&b->gate, &b->run, b->o->sum.form == TT_RENDER_TEXT, err);
	}
	if (rc == TT_OK) {
		judge(b, a);
		if (captures == 0 && b->o->shard.count <= 1)
			rc = tt_fail(err, TT_E_UNKNOWN, TT_NOWHERE, "no capture among %zu files and what is in them", b->files.n);
	}
	tt_aggregate_free(a);
	return rc;
}

static int
work(struct batch *b, const struct tt_one_opts *one, uint64_t memory, int dir, struct tt_err *err)
{
	const struct batch_opts *o = b->o;
	const struct tt_many_opts many = { .one = one, .file = b->files.file, .nfile = b->files.n, .shard = o->shard,
		.jobs = b->app->env.jobs, .depth = (unsigned)o->depth, .members_max = o->members_max,
		.capture_memory = memory, .unpack_memory = o->unpack_memory, .capture_ns = o->capture_ns,
		.failures_max = o->failures, .by = b->out.by, .dir = dir, .verify = o->verify,
		.done = o->resume ? on_done : NULL, .line = on_line, .same = on_same, .say = on_say, .tick = on_tick,
		.confine = on_confine, .arg = b };
	struct tt_many_sum sum;
	int rc = tt_many(&b->app->env, &many, &sum, err);

	ui_erase(&b->app->ui);
	say_end(b, &sum);
	if (rc == TT_E_LIMIT && o->failures != UINT64_MAX && sum.failed + sum.damaged > o->failures) {
		ui_say(&b->app->ui, "%s%s", err->msg, o->dir ? "; --resume goes on" : "");
		b->app->verdict = 1;
		return TT_END;
	}
	return rc;
}

static int
batch(struct app *app, const struct batch_opts *o, struct tt_err *err)
{
	struct batch b = { .app = app, .o = o, .makes_files = o->to.n > 0 || o->per_capture >= 0 };
	uint64_t memory = app->env.mem.cap;
	struct tt_one_opts one = { 0 };
	struct opt_list write = { 0 };
	int dir = -1;
	int rc = check(o, err);

	b.out = (struct batch_out){ .app = app, .files = &b.files, .shard = o->shard, .verify = o->verify, .fd = -1,
		.old = { -1, -1 } };
	if (rc == TT_OK)
		rc = batch_gate_open(&b.gate, app, (struct gate_opts *)(uintptr_t)&o->gate, &o->in, &o->sum.group, &write, err);
	if (rc == TT_OK)
		rc = fill_one(&b, &one, err);
	if (rc == TT_OK)
		rc = sign(o, &one, &b.out.by, err);
	app->env.mem.cap = 0;         /* the limit is a capture's */
	app->env.spool_memory = o->spool_memory;
	app->env.decoded_max = o->decoded_max;
	app->env.ratio_max = o->ratio_max;
	if (rc == TT_OK && o->dir)
		rc = make_dir(o->dir, err);
	if (rc == TT_OK)
		rc = batch_files_find(app, &o->in.path, o->root, o->dir, &b.files, err);
	if (rc == TT_OK && b.makes_files)
		rc = open_files_dir(o->dir, &dir, err);
	if (rc == TT_OK)
		rc = confine(&b, &write, err);
	if (rc == TT_OK)
		rc = batch_out_open(&b.out, o->dir, o->resume, err);
	if (rc == TT_OK)
		rc = work(&b, &one, memory, dir, err);
	if (rc == TT_OK)
		rc = finish(&b, err);
	batch_out_close(&b.out);
	batch_gate_close(&b.gate);
	if (dir >= 0)
		close(dir);
	tt_mem_free(&app->env.mem, b.files.file, b.files.cap * sizeof *b.files.file);
	return rc == TT_END ? TT_OK : rc;
}

int
run_batch(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct batch_opts o = { .per_capture = -1, .depth = 3, .shard = { 1, 1 }, .failures = UINT64_MAX, .failures_e4 = -1,
		.capture_ns = INT64_C(600) * 1000000000, .log_ns = INT64_C(60) * 1000000000, .decoded_max = UINT64_C(64) << 30,
		.ratio_max = 500, .members_max = 4000000, .unpack_memory = 160 * MIB, .spool_memory = 16 * MIB };
	int rc;

	input_defaults(&o.in);
	rc = app_parse(app, &verb_batch, &o, &o.in.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	return batch(app, &o, err);
}

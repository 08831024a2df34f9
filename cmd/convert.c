/**
 * tracetool convert: captures to files other programs read.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "emit/emit.h"
#include "collect/collect.h"
#include "input.h"
#include "outputs.h"
#include "tables.h"
#include "parse_value.h"
#include "version.h"

/* One -o. Format and table are those that stood before it; NULL: by suffix, the events. */
struct output {
	const char *path, *format, *table;
	const struct tt_emit *emit;
};

struct convert_opts {
	struct input_opts in;
	struct output *out;
	size_t nout, capout;
	const char *format, *table;   /* the last given so far */
	unsigned nformat, ntable;     /* how often */
	bool begin_end, blobs;
	uint64_t split;
	char csv_sep;                 /* 0: not given */
	bool csv_bom, csv_safe;
	int group;                    /* key of --group-by; -1: none */
	int value;                    /* of --value; -1: none */
	struct tt_pass_opts pass;     /* what CSV tables are made with */
};

static const char *
emit_value(size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (!tt_emits[k])
			return NULL;
	}
	return tt_emits[i] ? tt_emits[i]->name : NULL;
}

/* Tables of the passes, and "events" in front. */
static const char *
table_value(size_t i)
{
	return i == 0 ? "events" : table_id(i - 1);
}

/* By enum tt_folded, from TT_FOLDED_TIME on. */
static const char *
folded_value(size_t i)
{
	static const char *const values[] = { "time", "calls", "samples", "bytes", "objects" };

	return i < sizeof values / sizeof *values ? values[i] : NULL;
}

static int
set_format(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct convert_opts *c = field;

	c->nformat++;
	return opt_text(o, &c->format, value, a, err);
}

static int
set_table(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct convert_opts *c = field;

	c->ntable++;
	return opt_text(o, &c->table, value, a, err);
}

static int
add_output(struct convert_opts *c, const char *path, struct tt_arena *a, struct tt_err *err)
{
	if (c->nout == c->capout) {
		size_t cap = c->capout ? 2 * c->capout : 4;
		struct output *out = tt_arena_alloc(a, cap * sizeof *out, err);

		if (!out)
			return err->code;
		if (c->nout > 0)
			memcpy(out, c->out, c->nout * sizeof *out);
		c->out = out;
		c->capout = cap;
	}
	c->out[c->nout++] = (struct output){ .path = path, .format = c->format, .table = c->table };
	return TT_OK;
}

static int
set_output(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)o;
	if (value[0] == '\0')
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "the output file has no name");
	return add_output(field, value, a, err);
}

static int
set_separator(const struct opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)o, (void)a;
	if (strcmp(value, "tab") == 0)
		value = "\t";
	if (strlen(value) != 1 || !strchr(",;|\t", value[0]))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "\"%s\" is not one of , ; | tab", value);
	*(char *)field = value[0];
	return TT_OK;
}

#define AT(f) offsetof(struct convert_opts, f)

static const struct opt output_opt[] = {
	{ .letter = 'o', .name = "output", .arg = "FILE", .set = set_output,
	    .help = "write to FILE (\"-\": standard output); its suffix selects the format; a further .gz .xz .zst .bz2 .lz4 "
	            "compresses; repeatable: the input is read once" },
	{ .letter = 'f', .name = "format", .arg = "FORMAT", .set = set_format, .value = emit_value,
	    .help = "set the format of the outputs that follow; a single one applies to all, wherever it is" },
	{ .name = "begin-end", .set = opt_flag, .at = AT(begin_end),
	    .help = "chrome: write begin and end events, one thread after the other, instead of complete events" },
	{ .name = "blobs", .set = opt_flag, .at = AT(blobs),
	    .help = "chrome, csv: write binary arguments in hex, not only their number of bytes" },
	{ .name = "split", .arg = "SIZE", .set = opt_size, .at = AT(split),
	    .help = "chrome: begin a new file near every SIZE bytes of JSON; each loads alone" },
	{ .name = "table", .arg = "ID", .set = set_table, .value = table_value,
	    .help = "csv: write this table (see tracetool list metrics) instead of the events; for the outputs "
	            "that follow, like --format" },
	{ .name = "group-by", .arg = "KEY", .set = opt_choice, .at = AT(group), .value = tt_group_key,
	    .help = "csv: group the rows of the table by thread, assembly, namespace or domain" },
	{ .name = "value", .arg = "WHAT", .set = opt_choice, .at = AT(value), .value = folded_value,
	    .help = "folded: count time, calls, samples, bytes or objects (allocated); default: time if calls "
	            "were recorded, otherwise samples, otherwise bytes" },
	{ .name = "csv-sep", .arg = "CHAR", .set = set_separator, .at = AT(csv_sep),
	    .help = "csv: use this separator: , ; | or tab" },
	{ .name = "csv-bom", .set = opt_flag, .at = AT(csv_bom),
	    .help = "csv: begin with a byte order mark, which Excel needs to see UTF-8" },
	{ .name = "csv-safe", .set = opt_flag, .at = AT(csv_safe),
	    .help = "csv: put a ' before text that a spreadsheet would run as a formula" },
	{ .name = NULL },
};

static const struct opt_group groups[] = {
	{ "Output", output_opt, 0 },
	INPUT_GROUPS(struct convert_opts, in),
	{ NULL, NULL, 0 },
};

const struct verb verb_convert = {
	.name = "convert",
	.summary = "write captures as files that other programs read",
	.operands = "FILE...",
	.about = "Write captures as files that other programs read: Chrome JSON for Perfetto, CSV, pprof, folded stacks, lcov. "
		 "Several inputs share one timeline; one run can write several outputs. "
		 "\"-\" is standard input; the content of an input shows its format and compression.",
	.examples = "  tracetool convert game.mlpd -o game.json.gz\n"
		    "  tracetool convert game.mlpd --time 10-12.5 -o part.json -o part.pb.gz\n"
		    "  tracetool convert game.mlpd -f csv --table markers -o markers.csv\n"
		    "  zcat game.mlpd.gz | tracetool convert - -f folded -o - | flamegraph.pl > game.svg\n",
	.group = groups,
	.operand_at = offsetof(struct convert_opts, in.path),
};

/* --- checks ---------------------------------------------------------------- */

static bool
is_named(const struct output *o, const char *emit)
{
	return strcmp(o->emit->name, emit) == 0;
}

/* Tables that are empty without an option that convert has not. */
static const struct { const char *table, *option; } of_stats[] = {
	{ "objects_found", "--find" }, { "objects_tracked", "--track" }, { "timeline_metrics", "--metric" },
};

/* Find the output's emitter and see that it can go where it shall. */
static int
check_output(const struct convert_opts *c, struct output *o, struct tt_err *err)
{
	bool standard = strcmp(o->path, "-") == 0;

	o->emit = o->format ? tt_emit_named(o->format) : tt_emit_for_path(o->path);
	if (!o->emit && standard)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "standard output needs a format (-f)");
	if (!o->emit)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
		    "%s: no format has this suffix; give one with -f (see \"tracetool list emitters\")",
		    o->path);
	if (standard && is_named(o, "pprof") && isatty(STDOUT_FILENO))
		return tt_fail(
		    err, TT_E_USAGE, TT_NOWHERE, "pprof is binary and is not written to a terminal: give -o FILE");
	if (input_is(&c->in, o->path))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: is both an input and an output", o->path);
	for (const struct output *other = c->out; other < o; other++) {
		if (output_same(other->path, o->path))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: named as output twice", o->path);
	}
	if (c->split > 0 && standard && is_named(o, "chrome"))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
		    "--split makes several files: standard output is one (-o FILE)");
	for (size_t i = 0; o->table && i < sizeof of_stats / sizeof *of_stats; i++) {
		if (strcmp(o->table, of_stats[i].table) == 0)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "table %s is what %s of \"tracetool stats\" lists (there: --format csv)",
			    o->table, of_stats[i].option);
	}
	return TT_OK;
}

static bool
is_output(const struct convert_opts *c, const char *emit)
{
	for (size_t i = 0; i < c->nout; i++) {
		if (is_named(&c->out[i], emit))
			return true;
	}
	return false;
}

/* An option for one emitter that is not among the outputs is a mistake, not a wish. */
static int
check_used(const struct convert_opts *c, bool given, const char *option, const char *emit, struct tt_err *err)
{
	if (!given || is_output(c, emit))
		return TT_OK;
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s needs %s output, and there is none", option, emit);
}

static int
check_outputs(struct convert_opts *c, struct tt_arena *a, struct tt_err *err)
{
	int rc = TT_OK;

	if (c->nout == 0 && !c->format)
		return tt_fail(
		    err, TT_E_USAGE, TT_NOWHERE, "no output: give -o FILE, or -f FORMAT for standard output");
	if (c->nout == 0)
		rc = add_output(c, "-", a, err);
	for (size_t i = 0; rc == TT_OK && i < c->nout; i++) {
		struct output *o = &c->out[i];

		if (c->nformat == 1)
			o->format = c->format;
		if (c->ntable == 1)
			o->table = c->table;
		rc = check_output(c, o, err);
	}
	if (rc == TT_OK)
		rc = check_used(c, c->begin_end, "--begin-end", "chrome", err);
	if (rc == TT_OK)
		rc = check_used(c, c->split > 0, "--split", "chrome", err);
	if (rc == TT_OK)
		rc = check_used(c, c->blobs && !is_output(c, "csv"), "--blobs", "chrome", err);
	if (rc == TT_OK)
		rc = check_used(c, c->ntable > 0, "--table", "csv", err);
	if (rc == TT_OK)
		rc = check_used(c, c->value >= 0, "--value", "folded", err);
	if (rc == TT_OK && c->group >= 0 && c->ntable == 0)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--group-by needs a table: give --table");
	if (rc == TT_OK)
		rc = check_used(c, c->csv_sep != '\0', "--csv-sep", "csv", err);
	if (rc == TT_OK)
		rc = check_used(c, c->csv_bom, "--csv-bom", "csv", err);
	if (rc == TT_OK)
		rc = check_used(c, c->csv_safe, "--csv-safe", "csv", err);
	return rc;
}

/* --- the run ----------------------------------------------------------------- */

static void
fill_emit(struct app *app, const struct convert_opts *c, const struct output *o, struct tt_emit_opts *e)
{
	*e = (struct tt_emit_opts){
		.env = &app->env,
		.path = o->path,
		.generator = TT_GENERATOR,
		.names = (enum tt_names_form)c->in.names,
		.begin_end = c->begin_end,
		.blobs = c->blobs,
		.split = c->split,
		.value = (enum tt_folded)(c->value + 1),
		.table = o->table,
		.csv = { .form = TT_RENDER_CSV,
		    .csv_sep = c->csv_sep ? c->csv_sep : ',',
		    .csv_bom = c->csv_bom,
		    .csv_safe = c->csv_safe,
		    .generator = TT_GENERATOR },
		.pass = &c->pass,
	};
}

/* Bytes of the files --split made of ${path}, and their number: "game.json" gives "game-001.json" and on. */
static uint64_t
size_of_parts(const char *path, unsigned *n)
{
	size_t len;
	const char *suffix = tt_path_suffix(path, &len);
	int stem = (int)(suffix ? (size_t)(suffix - path) : strlen(path));
	uint64_t bytes = 0;
	char name[4096];
	struct stat st;

	for (*n = 0;; ++*n) {
		snprintf(name, sizeof name, "%.*s-%03u%s", stem, path, *n + 1, path + stem);
		if (stat(name, &st) != 0)
			return bytes;
		bytes += (uint64_t)st.st_size;
	}
}

/* One line per output: where, how large, of how many events. What is no file (a pipe) has no size. */
static void
say_written(struct app *app, const struct convert_opts *c, const struct tt_model *m)
{
	uint64_t events = 0;
	char count[40], size[40];

	char outside[TT_OUTSIDE_TEXT];

	if (tt_filter_outside(m, outside))
		tt_log(&app->env, TT_LOG_NORMAL, "%s", outside);
	for (unsigned by = TT_MATCH_THREAD; by <= TT_MATCH_CATEGORY && !c->ntable && !m->collected[TT_COLLECTS_COVER]; by++) {
		char text[TT_UNMATCHED_TEXT];
		bool more = true;

		for (size_t i = 0; more; i++)
			if (tt_filter_unmatched(m, (enum tt_filter_by)by, i, text, &more))
				tt_log(&app->env, TT_LOG_NORMAL, "%s", text);
	}
	for (size_t i = 0; i < m->ncap; i++)
		events += m->cap[i]->nevent;
	*tt_put_count(count, (int64_t)events) = '\0';
	for (size_t i = 0; i < c->nout; i++) {
		const struct output *o = &c->out[i];
		bool standard = strcmp(o->path, "-") == 0;
		const char *path = standard ? "standard output" : o->path;
		struct stat st;
		unsigned parts;

		if (c->split > 0 && is_named(o, "chrome")) {
			*tt_put_bytes(size, (int64_t)size_of_parts(path, &parts)) = '\0';
			tt_log(&app->env, TT_LOG_NORMAL, "%s: %s in %u files, %s, from %s events", path, size,
			    parts, o->emit->name, count);
		} else if ((standard ? fstat(STDOUT_FILENO, &st) : stat(path, &st)) == 0 &&
			   S_ISREG(st.st_mode)) {
			*tt_put_bytes(size, (int64_t)st.st_size) = '\0';
			tt_log(&app->env, TT_LOG_NORMAL, "%s: %s, %s, from %s events", path, size,
			    o->emit->name, count);
		} else {
			tt_log(
			    &app->env, TT_LOG_NORMAL, "%s: %s, from %s events", path, o->emit->name, count);
		}
	}
}

static int
convert(struct app *app, struct convert_opts *c, struct tt_err *err)
{
	struct tt_run_opts run;
	const struct tt_emit **emit;
	struct tt_emit_opts *opts;
	struct opt_list paths = { 0 };
	struct tt_model *m = NULL;
	int rc = input_setup(app, &c->in, &run, err);

	if (rc == TT_OK)
		rc = check_outputs(c, &app->arena, err);
	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; rc == TT_OK && i < c->nout; i++)
		rc = opt_list_add(&paths, c->out[i].path, &app->arena, err);
	if (rc == TT_OK)
		rc = app_reads(app, c->in.path.v, err);
	if (rc == TT_OK)
		rc = app_confine(app, paths.v, c->in.tmpdir, err);
	if (rc != TT_OK)
		return rc;
	c->pass = (struct tt_pass_opts){ .hitches = 10, .threshold_e4 = 100, .group = (enum tt_group)(c->group + 1) };
	run.opened = app_seal;
	run.opened_arg = app;
	emit = tt_arena_alloc(&app->arena, c->nout * sizeof *emit, err);
	if (!emit)
		return err->code;
	opts = tt_arena_alloc(&app->arena, c->nout * sizeof *opts, err);
	if (!opts)
		return err->code;
	for (size_t i = 0; i < c->nout; i++) {
		emit[i] = c->out[i].emit;
		fill_emit(app, c, &c->out[i], &opts[i]);
		run.needs |= tt_emit_needs(emit[i], &opts[i]);
	}
	run.emit = emit;
	run.emit_opts = opts;
	run.nemit = c->nout;
	run.hitches = 10;
	run.find.min_size = UINT64_MAX;       /* nothing: what to look for is an option of stats */
	rc = tt_run(&app->env, &run, &m, err);
	ui_erase(&app->ui);
	if (rc == TT_OK)
		say_written(app, c, m);
	tt_model_free(m);
	return rc;
}

int
run_convert(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct convert_opts c = { .group = -1, .value = -1 };
	int rc;

	input_defaults(&c.in);
	rc = app_parse(app, &verb_convert, &c, &c.in.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	return convert(app, &c, err);
}

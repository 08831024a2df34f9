/**
 * tracetool convert: captures to files other programs read.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "emit/emit.h"
#include "input.h"
#include "io/outputs.h"
#include "io/sink.h"
#include "pass/pass.h"
#include "run/run.h"
#include "sys/sys.h"
#include "version.h"

/* One -o. The format is the -f before it; NULL: by suffix. */
struct output {
	const char *path, *format;
	const struct tt_emit *emit;
	char *own;                    /* the emitters' options as they were at this -o; settle() adds the others */
	size_t numbered;              /* files made, if they have numbers */
};

struct convert_opts {
	struct input_opts in;
	struct tt_opt_given given;
	struct output *out;
	size_t nout, capout;
	const char *format;           /* the last given so far */
	char *own;                    /* the emitters' options given so far, laid out by emit_at() */
};

/* The offset of ${e}'s options among those of all emitters; NULL: the end of all. */
static size_t
emit_at(const struct tt_emit *e)
{
	size_t at = 0;

	for (size_t i = 0; tt_emits[i] && tt_emits[i] != e; i++)
		at += (tt_emits[i]->own + 15) / 16 * 16;
	return at;
}

static const char *
emit_value(size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (!tt_emits[k])
			return NULL;
	}
	return tt_emits[i] ? tt_emits[i]->name : NULL;
}

static int
add_output(struct convert_opts *c, const char *path, struct tt_arena *a, struct tt_err *err)
{
	char *own = tt_arena_alloc(a, emit_at(NULL), err);

	if (!own)
		return err->code;
	memcpy(own, c->own, emit_at(NULL));
	if (tt_arena_grow(a, &c->out, &c->capout, c->nout, sizeof *c->out, err) != TT_OK)
		return err->code;
	c->out[c->nout++] = (struct output){ .path = path, .format = c->format, .own = own };
	return TT_OK;
}

static int
set_output(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)o;
	if (value[0] == '\0')
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "the output file has no name");
	return add_output(field, value, a, err);
}

/* The ${i}th option of the emitters, each option once; its help begins with the emitter: "csv: use this separator". */
static bool
emit_option(size_t i, struct tt_opt_row *row)
{
	for (const struct tt_emit *const *e = tt_emits; *e; e++)
		for (const struct tt_option *t = (*e)->option; t && t->name; t++) {
			const struct tt_emit *const *of = tt_emits;
			char who[200] = "", *p = who;

			while (!tt_emit_option(*of, t->name))
				of++;
			if (of != e || i-- > 0)
				continue;
			for (; *of; of++)
				if (tt_emit_option(*of, t->name) && p < who + sizeof who - 40)
					p += snprintf(p, sizeof who - (size_t)(p - who), "%s%s", p > who ? ", " : "", (*of)->name);
			strcpy(p, ": ");
			tt_opts_row(t, who, row);
			return true;
		}
	return false;
}

static int
set_emit_option(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct convert_opts *c = field;
	int rc = TT_OK;

	for (const struct tt_emit *const *e = tt_emits; *e && rc == TT_OK; e++) {
		const struct tt_option *t = tt_emit_option(*e, o->name);

		if (t)
			rc = tt_opts_read(t, c->own + emit_at(*e) + t->at, value, a, err);
	}
	return rc;
}

static const struct tt_opt output_opt[] = {
	{ .letter = 'o', .name = "output", .arg = "FILE", .set = set_output,
	    .help = "write to FILE (\"-\": standard output); its suffix selects the format; a further .gz .xz .zst .bz2 .lz4 "
	            "compresses; repeatable: the input is read once" },
	{ .letter = 'f', .name = "format", .arg = "FORMAT", .set = tt_opt_text, .at = offsetof(struct convert_opts, format), .value = emit_value,
	    .help = "set the format of the outputs that follow; a single one applies to all, wherever it is" },
	{ .more = emit_option, .set = set_emit_option },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Output", output_opt, 0 },
	INPUT_GROUPS(struct convert_opts, in),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_convert = {
	.name = "convert",
	.summary = "write captures as files that other programs read",
	.operands = "FILE...",
	.about = "Write captures as files that other programs read; \"tracetool list emitters\" lists the formats. "
		 "Several inputs share one timeline; one run can write several outputs. "
		 "\"-\" is standard input; the content of an input shows its format and compression.",
	.examples = "  tracetool convert game.mlpd -o game.pftrace\n"
		    "  tracetool convert game.mlpd --time 10-12.5 -o part.json -o part.pb.gz\n"
		    "  tracetool convert game.mlpd -f csv --table markers -o markers.csv\n"
		    "  tracetool convert game.mlpd -o game.sqlite\n"
		    "  zcat game.mlpd.gz | tracetool convert - -f folded -o - | flamegraph.pl > game.svg\n",
	.group = groups,
	.operand_at = offsetof(struct convert_opts, in.path),
	.given_at = offsetof(struct convert_opts, given),
};

/* --- checks ---------------------------------------------------------------- */

/* The option ${name} of one of the outputs, or NULL. */
static const struct tt_option *
used_option(const struct convert_opts *c, const char *name)
{
	const struct tt_option *t = NULL;

	for (size_t i = 0; i < c->nout && !t; i++)
		t = tt_emit_option(c->out[i].emit, name);
	return t;
}

/* The option that makes ${o} several files, or NULL. */
static const struct tt_option *
in_files(const struct convert_opts *c, const struct output *o)
{
	for (const struct tt_option *t = o->emit->option; t && t->name; t++)
		if (t->files && tt_opts_given(&c->given, t->name))
			return t;
	return NULL;
}

static size_t
field_size(enum tt_option_kind kind)
{
	switch (kind) {
	case TT_OPTION_FLAG: return sizeof(bool);
	case TT_OPTION_CHOICE: return sizeof(int);
	case TT_OPTION_CHAR: return sizeof(char);
	case TT_OPTION_TABLE: return sizeof(const char *);
	default: return sizeof(uint64_t);
	}
}

/* Copy the options that apply to all outputs into ${o}. TT_E_USAGE for a table that only an option of stats fills. */
static int
settle(const struct convert_opts *c, struct output *o, struct tt_err *err)
{
	for (const struct tt_option *t = o->emit->option; t && t->name; t++) {
		size_t at = emit_at(o->emit) + t->at;
		const char *table, *asks;

		if (!t->follows || tt_opts_given(&c->given, t->name) == 1)
			memcpy(o->own + at, c->own + at, field_size(t->kind));
		if (t->kind != TT_OPTION_TABLE)
			continue;
		memcpy(&table, o->own + at, sizeof table);
		asks = table ? tt_pass_asks(table) : NULL;
		if (asks)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "only \"tracetool stats --%s\" fills table %s: use that, with --format csv",
			    asks, table);
	}
	return TT_OK;
}

/* Find the emitter of an output, and fail if it cannot write there. */
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
	if (tt_emit_missing(o->emit))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: %s", o->path, tt_emit_missing(o->emit));
	if (standard && o->emit->binary && tt_sys_is_terminal(1))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is binary and is not written to a terminal: give -o FILE", o->emit->name);
	if (input_is(&c->in, o->path))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is both an input and an output", o->path);
	for (const struct output *other = c->out; other < o; other++) {
		if (tt_output_same(other->path, o->path))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is named as output twice", o->path);
	}
	if (standard && in_files(c, o))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--%s makes several files: standard output is one (-o FILE)", in_files(c, o)->name);
	return settle(c, o, err);
}

/* Fail because no output has the option ${name}: of which it would be one. */
static int
unused(const char *name, struct tt_err *err)
{
	const char *last = NULL;      /* of these names: it comes after an "or" */
	char which[160] = "";
	size_t n = 0;

	for (const struct tt_emit *const *e = tt_emits; *e; e++)
		for (const struct tt_option *t = (*e)->option; t && t->name && n < sizeof which; t++) {
			if (strcmp(t->name, name) != 0)
				continue;
			if (last)
				n += (size_t)snprintf(which + n, sizeof which - n, "%s%s", n ? ", " : "", last);
			last = (*e)->name;
		}
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--%s needs %s%s%s output, and there is none", name, which, n ? " or " : "", last);
}

/* TT_E_USAGE for an option of an emitter that no output uses. */
static int
check_used(const struct convert_opts *c, struct tt_err *err)
{
	for (const struct tt_emit *const *e = tt_emits; *e; e++)
		for (const struct tt_option *t = (*e)->option; t && t->name; t++) {
			if (!tt_opts_given(&c->given, t->name))
				continue;
			if (!used_option(c, t->name))
				return unused(t->name, err);
			if (t->with && !tt_opts_given(&c->given, t->with))
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--%s needs a %s: give --%s", t->name, t->with, t->with);
		}
	return TT_OK;
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
		if (tt_opts_given(&c->given, "format") == 1)
			c->out[i].format = c->format;
		rc = check_output(c, &c->out[i], err);
	}
	return rc == TT_OK ? check_used(c, err) : rc;
}

/* --- the run ----------------------------------------------------------------- */

/* The size of the first ${n} numbered files of ${path}, made by ${e} ("game.json": "game-001.json" and on). */
static uint64_t
size_of_parts(const struct tt_emit *e, const char *path, size_t n)
{
	size_t len;
	const char *suffix = tt_emit_suffix(e, path, &len);
	int stem = (int)(suffix ? (size_t)(suffix - path) : strlen(path));
	uint64_t bytes = 0;
	char name[4096];
	struct tt_sys_stat st;

	for (size_t i = 1; i <= n; i++) {
		snprintf(name, sizeof name, "%.*s-%03zu%s", stem, path, i, path + stem);
		bytes += tt_sys_stat(name, &st) == 0 ? st.size : 0;
	}
	return bytes;
}

/* Warn about compressed outputs that viewers do not open: they open gzip only. */
static void
say_unopened(struct app *app, const struct output *o)
{
	size_t n;
	const char *suffix = tt_path_suffix(o->path, &n), *coding = suffix ? suffix + n : "";

	if (o->emit->viewed && *coding && strcmp(coding, ".gz") != 0)
		tt_log(&app->env, TT_LOG_NORMAL, "%s: viewers do not open %s: decompress it first, or write .gz", o->path, coding);
}

/* Say how many values the output ${path} lacks, because its format cannot say them. */
static void
say_unwritten(struct app *app, const char *path, uint64_t nvalues)
{
	struct tt_loss one;

	tt_loss_reset(&one);
	tt_loss_add(&one, TT_LOST_VALUES, nvalues, 0, TT_NOWHERE);
	app_say_losses(app, strcmp(path, "-") == 0 ? "standard output" : path, &one);
}

/* Print a line for each output: its name, its size unless it is a pipe, and the number of events. */
static void
say_written(struct app *app, const struct convert_opts *c, const struct tt_model *m)
{
	uint64_t events = 0;
	char count[40], size[40];
	bool tables = false;

	char outside[TT_OUTSIDE_TEXT];

	if (tt_filter_outside(m, outside))
		tt_log(&app->env, TT_LOG_NORMAL, "%s", outside);
	for (size_t i = 0; i < c->given.name.n; i++) {
		const struct tt_option *t = used_option(c, c->given.name.v[i]);

		tables |= t && t->kind == TT_OPTION_TABLE;
	}
	for (unsigned by = TT_MATCH_THREAD; by <= TT_MATCH_CATEGORY && !tables && !m->collected[TT_COLLECTS_COVER]; by++) {
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
		struct tt_sys_stat st;

		say_unopened(app, o);
		if (in_files(c, o) || (o->emit->apart && m->ncap > 1)) {
			*tt_put_bytes(size, (int64_t)size_of_parts(o->emit, path, o->numbered)) = '\0';
			tt_log(&app->env, TT_LOG_NORMAL, "%s: %s in %zu file%s, %s, from %s events", path, size,
			    o->numbered, o->numbered == 1 ? "" : "s", o->emit->name, count);
		} else if (!standard && tt_sys_stat(path, &st) == 0 && st.kind == TT_KIND_FILE) {
			*tt_put_bytes(size, (int64_t)st.size) = '\0';
			tt_log(&app->env, TT_LOG_NORMAL, "%s: %s, %s, from %s events", path, size, o->emit->name, count);
		} else {               /* what is before it in the file is not its own */
			tt_log(&app->env, TT_LOG_NORMAL, "%s: %s, from %s events", path, o->emit->name, count);
		}
	}
}

static int
convert(struct app *app, struct convert_opts *c, struct tt_err *err)
{
	struct tt_run_opts run;
	const struct tt_emit **emit;
	struct tt_emit_opts *opts;
	struct tt_list paths = { 0 };
	struct tt_model *m = NULL;
	int rc = input_setup(app, &c->in, &run, err);

	if (rc == TT_OK)
		rc = check_outputs(c, &app->arena, err);
	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; rc == TT_OK && i < c->nout; i++)
		rc = tt_list_add(&paths, c->out[i].path, &app->arena, err);
	if (rc == TT_OK)
		rc = app_reads(app, c->in.path.v, err);
	if (rc == TT_OK)
		rc = app_confine(app, paths.v, c->in.tmpdir, err);
	if (rc != TT_OK)
		return rc;
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
		opts[i] = (struct tt_emit_opts){ .env = &app->env, .path = c->out[i].path, .numbered = &c->out[i].numbered, .generator = TT_GENERATOR,
			.own = c->out[i].own + emit_at(emit[i]) };
		run.needs |= tt_emit_needs(emit[i], &opts[i]);
		app->say_notices = app->say_notices || !emit[i]->ledger;
	}
	run.emit = emit;
	run.unwritten = tt_arena_alloc(&app->arena, c->nout * sizeof *run.unwritten, err);
	if (!run.unwritten)
		return err->code;
	run.emit_opts = opts;
	run.nemit = c->nout;
	run.hitches = (unsigned)tt_pass_defaults.hitches;
	run.find.min_size = UINT64_MAX;       /* no search for objects: --find is an option of stats */
	rc = tt_run(&app->env, &run, &m, err);
	ui_erase(&app->ui);
	if (rc == TT_OK)
		say_written(app, c, m);
	for (size_t i = 0; i < c->nout && rc == TT_OK; i++)
		say_unwritten(app, c->out[i].path, run.unwritten[i]);
	tt_model_free(m);
	return rc;
}

int
run_convert(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct convert_opts c = { .own = tt_arena_alloc(&app->arena, emit_at(NULL), err) };
	int rc;

	if (!c.own)
		return err->code;
	input_defaults(&c.in);
	rc = app_parse(app, &verb_convert, &c, &c.in.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	return convert(app, &c, err);
}

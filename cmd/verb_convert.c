/**
 * tracetool convert: writes captures as files for other programs.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "convert_opts.h"
#include "emit/emit.h"
#include "io/outputs.h"
#include "io/sink.h"
#include "pass/pass.h"
#include "run/run.h"
#include "sys/sys.h"
#include "version.h"

/* --- checks ---------------------------------------------------------------- */

/* Return the option ${name} of one of the outputs, or NULL. */
static const struct tt_option *
used_option(const struct convert_opts *c, const char *name)
{
	const struct tt_option *t = NULL;

	for (size_t i = 0; i < c->nout && !t; i++)
		t = tt_emit_option(c->out[i].emit, name);
	return t;
}

/* Return the given option that splits ${o} into several files, or NULL. */
static const struct tt_option *
in_files(const struct convert_opts *c, const struct output *o)
{
	for (const struct tt_option *t = o->emit->option; t && t->name; t++)
		if (t->splits_output && tt_opts_given(&c->given, t->name))
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

/* Copy the options that apply to all outputs into ${o}. TT_E_USAGE for a table that only an option of stats can fill. */
static int
settle(const struct convert_opts *c, struct output *o, struct tt_err *err)
{
	for (const struct tt_option *t = o->emit->option; t && t->name; t++) {
		size_t at = convert_emit_at(o->emit) + t->at;
		const char *table, *asks;

		if (!t->is_positional || tt_opts_given(&c->given, t->name) == 1)
			memcpy(o->own + at, c->own + at, field_size(t->kind));
		if (t->kind != TT_OPTION_TABLE)
			continue;
		memcpy(&table, o->own + at, sizeof table);
		asks = table ? tt_pass_needed_option(table) : NULL;
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
		if (tt_output_is_same(other->path, o->path))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is named as output twice", o->path);
	}
	if (standard && in_files(c, o))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--%s makes several files: standard output is one (-o FILE)", in_files(c, o)->name);
	return settle(c, o, err);
}

/* Fail because no output has the option ${name}; the message lists the emitters that have it. */
static int
unused(const char *name, struct tt_err *err)
{
	const char *last = NULL;      /* the last of these names, which follows an "or" */
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
			if (t->needs_option && !tt_opts_given(&c->given, t->needs_option))
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--%s needs a %s: give --%s", t->name, t->needs_option, t->needs_option);
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
		rc = convert_add_output(c, "-", a, err);
	for (size_t i = 0; rc == TT_OK && i < c->nout; i++) {
		if (tt_opts_given(&c->given, "format") == 1)
			c->out[i].format = c->format;
		rc = check_output(c, &c->out[i], err);
	}
	return rc == TT_OK ? check_used(c, err) : rc;
}

/* --- the run ----------------------------------------------------------------- */

/* Return the size of the first ${n} numbered files of ${path}, made by ${e} ("game.json": "game-001.json" and so on). */
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

/* Say how many values the output ${path} lacks because its format cannot hold them. */
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

	if (tt_filter_is_outside(m, outside))
		tt_log(&app->env, TT_LOG_NORMAL, "%s", outside);
	for (size_t i = 0; i < c->given.name.n; i++) {
		const struct tt_option *t = used_option(c, c->given.name.v[i]);

		tables |= t && t->kind == TT_OPTION_TABLE;
	}
	for (unsigned by = TT_MATCH_THREAD; by <= TT_MATCH_CATEGORY && !tables && !m->collected[TT_COLLECTS_COVER]; by++) {
		char text[TT_UNMATCHED_TEXT];
		bool more = true;

		for (size_t i = 0; more; i++)
			if (tt_filter_is_unmatched(m, (enum tt_filter_by)by, i, text, &more))
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
		} else {               /* earlier bytes of the file belong to others */
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

	TT_THEN(rc, check_outputs(c, &app->arena, err));
	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; rc == TT_OK && i < c->nout; i++)
		rc = tt_list_add(&paths, c->out[i].path, &app->arena, err);
	TT_THEN(rc, app_reads(app, c->in.path.v, err));
	TT_THEN(rc, app_confine(app, paths.v, c->in.tmpdir, err));
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
			.own = c->out[i].own + convert_emit_at(emit[i]) };
		run.needs |= tt_emit_needs(emit[i], &opts[i]);
		app->say_notices = app->say_notices || !emit[i]->ledger;
	}
	run.emit = emit;
	run.unwritten = tt_arena_alloc(&app->arena, c->nout * sizeof *run.unwritten, err);
	if (!run.unwritten)
		return err->code;
	run.emit_opts = opts;
	run.nemit = c->nout;
	run.hitches = (unsigned)tt_pass_defaults.max_hitches;
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
	struct convert_opts c = { .own = tt_arena_alloc(&app->arena, convert_emit_at(NULL), err) };
	int rc;

	if (!c.own)
		return err->code;
	input_defaults(&c.in);
	rc = app_parse(app, &verb_convert, &c, &c.in.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	return convert(app, &c, err);
}

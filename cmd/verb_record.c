/**
 * tracetool record: runs a Mono program with our module, then prints a summary of its capture.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena_text.h"
#include "cmd.h"
#include "emit/emit.h"
#include "codec/block.h"
#include "io/pack.h"
#include "io/program.h"
#include "io/sink.h"
#include "launch/launch.h"
#include "recorder/mono/options.h"
#include "ttc/recover.h"

struct record_opts {
	struct tt_list program;
	struct tt_list options;
	const char *out, *module;
	bool no_summary, overwrite;
	struct ui_opts ui;
};

#define AT(f) offsetof(struct record_opts, f)

static const struct tt_opt record_opt[] = {
	{ .letter = 'o', .name = "output", .is_once_only = true, .arg = "FILE", .set = tt_opt_text, .at = AT(out),
	    .help = "write the capture to FILE; %p becomes the process id, %t the time, %% a percent sign; default: the name of the "
	            "program with .ttc" },
	{ .letter = 'p', .name = "profile", .arg = "OPTIONS", .set = tt_opt_add, .at = AT(options),
	    .help = "set what to record: options of the module, separated by commas, see tracetool-mono(7); repeatable; without "
	            "one that records something, calls,alloc" },
	{ .name = "overwrite", .set = tt_opt_flag, .at = AT(overwrite),
	    .help = "replace FILE if it is there; without this the capture goes to FILE with .2, .3 and so on before its suffix" },
	{ .name = "module", .arg = "FILE", .set = tt_opt_text, .at = AT(module),
	    .help = "use this module; default: in the folder that TRACETOOL_LIBDIR names, else in that of this program, or where it was installed" },
	{ .name = "no-summary", .set = tt_opt_flag, .at = AT(no_summary), .help = "only print where the capture is" },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Recording", record_opt, 0 },
	UI_GROUP(struct record_opts, ui),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_record = {
	.name = "record",
	.summary = "run a Mono program and record it",
	.operands = "-- PROGRAM [ARG...]",
	.about = "Run PROGRAM, usually \"mono game.exe\" or a script that runs it, with tracetool's profiler module. When it has "
		 "ended, in any way, complete the capture, print a summary on standard error, and end like the program: with its "
		 "exit code or by its signal.",
	.examples = "  tracetool record -- mono game.exe --level 3\n"
		    "  tracetool record -p sample=1000 -o fast.ttc -- mono game.exe\n"
		    "  tracetool record -p coverage -o tests.ttc -- mono --debug tests.exe\n",
	.group = groups,
	.operand_at = AT(program),
};

/* Return the events to record: the options, each after a comma; if no option chooses events, the default events come first. */
static char *
chosen_options(struct app *app, const struct record_opts *o, struct tt_err *err)
{
	const struct tt_list *options = &o->options;
	static struct options read;   /* too large for a stack */
	char why[OPTIONS_WHY], *text = tt_arena_text(&app->arena, "", 0, err);

	for (size_t i = 0; text && i < options->n; i++)
		text = tt_arena_printf(&app->arena, err, "%s,%s", text, options->v[i]);
	if (text && options_read(&read, text + (*text == ','), why) == 0 && !options_record(&read))
		text = tt_arena_printf(&app->arena, err, ",calls,alloc%s", text);
	return text && o->overwrite ? tt_arena_printf(&app->arena, err, "%s,overwrite", text) : text;
}

/* --- after the program has ended ------------------------------------------------------------------------------ */

/* Complete the capture. A failure is only printed, because the exit status is the program's. */
static void
mend(struct app *app, const char *path)
{
	struct ttc_mended what;
	struct tt_err err = { 0 };

	if (ttc_recover(&app->env, path, &what, &err) != TT_OK)
		ui_say(&app->ui, "%s", err.msg);
	else if (what.running)
		ui_say(&app->ui, "%s: is still being recorded", path);
}

/* Print the summary of the captures on standard error: standard output belongs to the program. */
static void
summarise(struct app *app, const struct launch_captures *found)
{
	struct tt_list arg = { 0 };
	struct tt_err err = { 0 };
	int out = dup(STDOUT_FILENO);
	int rc = tt_list_add(&arg, "--", &app->arena, &err);
	for (size_t i = 0; i < found->n && rc == TT_OK; i++)
		rc = tt_list_add(&arg, found->v[i].path, &app->arena, &err);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	TT_THEN(rc, run_summary(app, (int)arg.n, (char **)(void *)arg.v, &err));
	if (rc != TT_OK)
		ui_say(&app->ui, "%s", err.msg);
	if (out >= 0) {
		dup2(out, STDOUT_FILENO);
		close(out);
	}
}

static const char *
name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* Warn about files of other recordings whose names look like this rotation: a pattern of names would include them. */
static void
tell_beside(struct app *app, const struct launch_captures *beside)
{
	if (beside->n == 1)
		ui_say(&app->ui, "%s is of another recording: do not read it together with these files", name_of(beside->v[0].path));
	else if (beside->n > 1)
		ui_say(&app->ui, "%s and %zu more file%s are of another recording: do not read them together with these files", name_of(beside->v[0].path),
		    beside->n - 1, beside->n == 2 ? "" : "s");
}

/* If the capture did not go to ${path}, because an older file was kept there or it is a link to nothing, say the capture's name. */
static void
name_copy(struct app *app, const char *path, const struct launch_captures *found)
{
	struct stat st;

	for (size_t i = 0; i < found->n; i++)
		if (strcmp(found->v[i].path, path) == 0)
			return;
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		ui_say(&app->ui, "wrote %s; %s is older (--overwrite replaces it)", name_of(found->v[0].path), name_of(path));
	else if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		ui_say(&app->ui, "wrote %s; %s is a link to a file that is not there (--overwrite replaces it)", name_of(found->v[0].path), name_of(path));
}

static int
conclude(struct app *app, const struct record_opts *o, const char *out, const char *path, const char *folder, const struct launch_start *start,
    struct tt_err *err)
{
	struct launch_captures found = { 0 }, beside = { 0 };
	struct stat st;
	int rc = launch_find_captures(&app->arena, out, start, &found, &beside, err);

	if (rc != TT_OK)
		return rc;
	if (found.n == 0 && path && stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		tt_log(&app->env, TT_LOG_NORMAL, "%s is no file: what was recorded went to whoever reads it", path);
		return TT_OK;
	}
	if (found.n == 0) {
		ui_say(&app->ui, "nothing was recorded. If no line above says why, no Mono runtime loaded %s/" LAUNCH_MODULE
		    " (one tells where it looks with MONO_LOG_LEVEL=debug MONO_LOG_MASK=profiler)", folder);
		return TT_OK;
	}
	for (size_t i = 0; i < found.n; i++)
		mend(app, found.v[i].path);
	for (size_t i = 0; i < found.n; i++)
		tt_log(&app->env, TT_LOG_NORMAL, "recorded to %s", found.v[i].path);
	if (!o->no_summary && !o->ui.quiet)
		summarise(app, &found);
	tell_beside(app, &beside);
	if (path)
		name_copy(app, path, &found);
	return TT_OK;
}

static int
record(struct app *app, const struct record_opts *o, struct tt_err *err)
{
	struct launch_start start;
	char *folder;
	int status, rc = launch_find_module(&app->arena, o->module, &folder, err);
	const char *out = rc == TT_OK ? launch_capture_path(&app->arena, o->program.v, o->out, err) : NULL;
	const char *path = out ? launch_plain_path(&app->arena, out, err) : NULL, *options;

	if (err->code)
		return err->code;
	if (path)
		rc = launch_check_path(&app->arena, path, err);
	if (rc == TT_OK && !(options = chosen_options(app, o, err)))
		rc = err->code;
	TT_THEN(rc, launch_set_environment(&app->arena, folder, out, options, err));
	TT_THEN(rc, launch_begin(&start, err));
	TT_THEN(rc, tt_program_run(o->program.v, &status, err));
	if (rc != TT_OK)
		return rc;
	app->child = true;
	app->child_status = status;
	return conclude(app, o, out, path, folder, &start, err);
}

/* Refuse file names that promise something else than the capture that a program's module writes while it runs. */
static int
check_name(const char *out, struct tt_err *err)
{
	const struct tt_coding *coding = out ? tt_pack_coding(out) : NULL;

	if (out && strcmp(out, "-") == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --output: standard output is the program's: name a file (./- is one)");
	if (coding)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --output: captures are written without compression: record to %.*s, then compress that",
		    (int)(strlen(out) - strlen(coding->suffix)), out);
	if (out && tt_emit_for_path(out))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --output: %s would be a capture by another format's name: record to a .ttc, then use "
		    "\"tracetool convert\"", out);
	return TT_OK;
}

/* Check the options with the module's own parser. They must not name the capture, because record could not find it afterwards. */
static int
check_profile(const struct tt_list *options, struct tt_err *err)
{
	static struct options read;   /* too large for a stack */
	char why[OPTIONS_WHY];

	for (size_t i = 0; i < options->n; i++)
		for (const char *p = options->v[i]; *p;) {
			const char *end = p;
			/* Within a value, a comma is doubled. */
			while (*end && (*end != ',' || end[1] == ','))
				end += *end == ',' ? 2 : 1;
			if (strncmp(p, "out=", 4) == 0)
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --profile: \"%.*s\": -o FILE says where the capture goes",
				    (int)(end - p < 60 ? end - p : 60), p);
			p = *end ? end + 1 : end;
		}
	for (size_t i = 0; i < options->n; i++) {
		if (options_read(&read, options->v[i], why) == 0)
			continue;
		char *all = strstr(why, "; there are ");
		if (all)
			strcpy(all, " (see tracetool-mono(7))");
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --profile: %s", why);
	}
	return TT_OK;
}

int
record_check(struct app *app, const struct tt_list *options, struct tt_err *err)
{
	char *folder;
	int rc = check_profile(options, err);

	if (rc == TT_OK && (rc = launch_find_module(&app->arena, NULL, &folder, err)) != TT_OK && err->sys == ENOENT)
		rc = tt_fail_sys(err, ENOENT, "to record Mono programs, " LAUNCH_MODULE " must be in the folder of this program, in %s "
		    "from there, or in the folder that TRACETOOL_LIBDIR names", launch_modules);
	return rc;
}

int
run_record(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct record_opts o = { 0 };
	int rc = app_parse(app, &verb_record, &o, &o.ui, argc, argv, err);

	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	if ((rc = check_profile(&o.options, err)) != TT_OK)
		return rc;
	if ((rc = check_name(o.out, err)) != TT_OK)
		return rc;
	if (o.program.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "name the program to run after --");
	return record(app, &o, err);
}

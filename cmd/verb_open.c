/**
 * tracetool open: writes the report of captures to a temporary folder and shows it in the browser.
 *
 * The report is made by a process of its own, "tracetool report", because a process that has read a capture can start no program.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena_text.h"
#include "cmd.h"
#include "input.h"
#include "io/program.h"
#include "io/sink.h"
#include "io/spool.h"
#include "sys/sys.h"

struct open_opts {
	struct input_opts in;
	struct tt_opt_given given;
	bool perfetto;
};

static const struct tt_opt open_opt[] = {
	{ .name = "perfetto", .set = tt_opt_flag, .at = offsetof(struct open_opts, perfetto),
	    .help = "write a trace for https://ui.perfetto.dev instead, and say how to open it there" },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "View", open_opt, 0 },
	INPUT_GROUPS(struct open_opts, in),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_open = {
	.name = "open",
	.summary = "show the report of captures in the browser",
	.operands = "FILE...",
	.about = "Write the page of \"tracetool report\" to a temporary folder and open it: with the command in BROWSER, otherwise with xdg-open, and on "
		 "Windows with what opens pages there. The page stays there; nothing leaves this machine.",
	.examples = "  tracetool open game.raw\n"
		    "  tracetool open game.mlpd --frame-marker 'Game:Update'\n"
		    "  tracetool open --perfetto game.ttc\n",
	.group = groups,
	.operand_at = offsetof(struct open_opts, in.path),
	.given_at = offsetof(struct open_opts, given),
};

/* Return the path of a file in a new folder, named after the capture ${path}; NULL: see ${err}. */
static const char *
new_file(struct app *app, const char *path, const char *suffix, struct tt_err *err)
{
	char *dir = tt_arena_printf(&app->arena, err, "%s/tracetool-XXXXXX", tt_spool_dir(&app->env));
	const char *name = tt_sys_base_name(path);
	size_t n;
	const char *end = tt_path_suffix(name, &n);

	if (!dir)
		return NULL;
	if (tt_sys_make_own_folder(dir) != 0) {
		tt_fail_sys(err, errno, "%s", dir);
		return NULL;
	}
	if (strcmp(name, "-") == 0)
		name = "capture";
	return tt_arena_printf(&app->arena, err, "%s/%.*s%s", dir, (int)(end ? (size_t)(end - name) : strlen(name)), name, suffix);
}

/* Run "tracetool ${verb}" with the options and captures of ${o} so that it writes ${out}; *${status}: its exit status. */
static int
make(struct app *app, const struct open_opts *o, const char *verb, const char *out, int *status, struct tt_err *err)
{
	struct tt_list arg = { 0 };
	int rc = tt_list_add(&arg, tt_sys_program_path(), &app->arena, err);

	TT_THEN(rc, tt_list_add(&arg, verb, &app->arena, err));
	for (size_t i = 0; i < o->given.name.n && rc == TT_OK; i++) {
		const char *name = o->given.name.v[i], *value = o->given.value.v[i];
		const char *word = tt_arena_printf(&app->arena, err, value ? "--%s=%s" : "--%s", name, value);

		if (strcmp(name, "perfetto") != 0)
			rc = word ? tt_list_add(&arg, word, &app->arena, err) : err->code;
	}
	const char *const last[] = { "-o", out, "--" };
	for (size_t i = 0; i < sizeof last / sizeof *last && rc == TT_OK; i++)
		rc = tt_list_add(&arg, last[i], &app->arena, err);
	for (size_t i = 0; i < o->in.path.n && rc == TT_OK; i++)
		rc = tt_list_add(&arg, o->in.path.v[i], &app->arena, err);
	return rc == TT_OK ? tt_program_run(arg.v, status, err) : rc;
}

/* Show the page ${path}. The desktop's opener may end before the browser has read the page, so keep the file. */
static void
show(struct app *app, const char *path)
{
	const char *browser = getenv("BROWSER");
	const char *const arg[] = { browser && *browser ? browser : "xdg-open", path, NULL };
	struct tt_err err;
	int status;

	if (!(browser && *browser) && tt_sys_open_in_viewer(path))
		return;
	if (tt_program_run(arg, &status, &err) != TT_OK)
		tt_log(&app->env, TT_LOG_NORMAL, "%s; open the page by hand, or name a browser in BROWSER", err.msg);
	else if (!tt_program_succeeded(status))
		tt_log(&app->env, TT_LOG_NORMAL, "%s did not open the page; open it by hand, or name a browser in BROWSER", arg[0]);
}

int
run_open(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct open_opts o = { .perfetto = false };
	int rc, status;

	input_defaults(&o.in);
	rc = app_parse(app, &verb_open, &o, &o.in.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	if (o.in.path.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "name a capture to open");
	const char *file = new_file(app, o.in.path.v[0], o.perfetto ? ".pftrace" : ".html", err);
	if (!file)
		return err->code;
	rc = make(app, &o, o.perfetto ? "convert" : "report", file, &status, err);
	if (rc != TT_OK)
		return rc;
	app->child = true;
	app->child_status = status;
	/* A damaged capture also has a page. */
	if (!tt_sys_exists(file)) {
		*(char *)(uintptr_t)(tt_sys_base_name(file) - 1) = '\0';
		tt_sys_remove_folder(file);
		return TT_OK;
	}
	tt_log(&app->env, TT_LOG_NORMAL, o.perfetto ? "the trace is %s: open https://ui.perfetto.dev and drop the file there; it stays on this machine" :
	    "the page is %s", file);
	if (!o.perfetto)
		show(app, file);
	return TT_OK;
}

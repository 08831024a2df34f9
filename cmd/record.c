/**
 * tracetool record: runs a Mono program with our module, then prints a summary of its capture.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena_text.h"
#include "cmd.h"
#include "emit/emit.h"
#include "codec/block.h"
#include "io/pack.h"
#include "io/program.h"
#include "io/sink.h"
#include "recorder/mono/options.h"
#include "recover.h"
#include "ttc/layout.h"

#define MODULE "libmono-profiler-tracetool.so"

struct record_opts {
	struct opt_list program;
	struct opt_list options;
	const char *out, *module;
	bool no_summary, overwrite;
	struct ui_opts ui;
};

#define AT(f) offsetof(struct record_opts, f)

static const struct opt record_opt[] = {
	{ .letter = 'o', .name = "output", .once = true, .arg = "FILE", .set = opt_text, .at = AT(out),
	    .help = "write the capture to FILE; %p becomes the process id, %t the time, %% a percent sign; default: the name of the "
	            "program with .ttc" },
	{ .letter = 'p', .name = "profile", .arg = "OPTIONS", .set = opt_add, .at = AT(options),
	    .help = "set what to record: options of the module, separated by commas, see tracetool-mono(7); repeatable; without "
	            "one that records something, calls,alloc" },
	{ .name = "overwrite", .set = opt_flag, .at = AT(overwrite),
	    .help = "replace FILE if it is there; without this the capture goes to FILE with .2, .3 and so on before its suffix" },
	{ .name = "module", .arg = "FILE", .set = opt_text, .at = AT(module),
	    .help = "use this module; default: in the folder that TRACETOOL_LIBDIR names, else in that of this program, or where it was installed" },
	{ .name = "no-summary", .set = opt_flag, .at = AT(no_summary), .help = "only print where the capture is" },
	{ .name = NULL },
};

static const struct opt_group groups[] = {
	{ "Recording", record_opt, 0 },
	UI_GROUP(struct record_opts, ui),
	{ NULL, NULL, 0 },
};

const struct verb verb_record = {
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

/* --- the module ------------------------------------------------------------------ */

static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The folder of this program, without a final slash; "" if /proc does not name it. */
static void
own_folder(char own[4096])
{
	ssize_t n = readlink("/proc/self/exe", own, 4095);
	char *cut;

	own[n > 0 ? n : 0] = '\0';
	if ((cut = strrchr(own, '/')))
		*cut = '\0';
}

/*
 * The real path of the installed module, by malloc; NULL with ${err} if there is none. TT_MODULES is where "make install" puts it, relative to the program's
 * folder.
 */
static char *
installed_module(struct app *app, struct tt_err *err)
{
	char own[4096], *path, *real = NULL;
	const char *named = getenv("TRACETOOL_LIBDIR");

	own_folder(own);
	if (named && *named) {
		if ((path = tt_arena_printf(&app->arena, err, "%s/" MODULE, named)) && !(is_file(path) && (real = realpath(path, NULL))))
			tt_fail_sys(err, ENOENT, "%s (TRACETOOL_LIBDIR names the folder)", path);
		return real;
	}
	path = tt_arena_printf(&app->arena, err, "%s/" MODULE, own);
	if (path && !is_file(path))
		path = tt_arena_printf(&app->arena, err, "%s%s" TT_MODULES "/" MODULE, TT_MODULES[0] == '/' ? "" : own, TT_MODULES[0] == '/' ? "" : "/");
	if (!path)
		return NULL;
	if (!is_file(path) || !(real = realpath(path, NULL)))
		tt_fail_sys(err, ENOENT, "%s/" MODULE " (nor in " TT_MODULES " from there; option --module names it, or TRACETOOL_LIBDIR its folder)",
		    own);
	return real;
}

/* The absolute path of the module's folder: that of --module, else that of an installed module. */
static int
find_module(struct app *app, const struct record_opts *o, char **folder, struct tt_err *err)
{
	char *real;

	if (o->module && !(real = realpath(o->module, NULL)))
		return tt_fail_sys(err, errno, "%s", o->module);
	if (!o->module && !(real = installed_module(app, err)))
		return err->code;
	if (o->module && strcmp(strrchr(real, '/') + 1, MODULE) != 0) {
		free(real);
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --module: the runtime wants it to be called " MODULE);
	}
	*strrchr(real, '/') = '\0';
	*folder = tt_arena_text(&app->arena, real, strlen(real), err);
	free(real);
	return *folder ? TT_OK : err->code;
}

/* --- the environment ----------------------------------------------------------------- */

/* Copy ${s}. Bytes in ${which} are doubled (${quote} 0), or follow a ${quote}. */
static char *
escape(struct app *app, const char *s, const char *which, char quote, struct tt_err *err)
{
	char *to = tt_arena_alloc(&app->arena, 2 * strlen(s) + 1, err), *p = to;

	for (; to && *s; s++) {
		if (strchr(which, *s))
			*p++ = quote ? quote : *s;
		*p++ = *s;
	}
	return to;
}

/* Prepend ${value} and ${sep} to the variable, or append ${sep} and ${value}. */
static int
extend(struct app *app, const char *name, const char *value, const char *sep, bool before, struct tt_err *err)
{
	const char *old = getenv(name);
	char *text = NULL;

	if (old && *old)
		text = tt_arena_printf(&app->arena, err, "%s%s%s", before ? value : old, sep, before ? old : value);
	if (old && *old && !text)
		return err->code;
	return setenv(name, text ? text : value, 1) == 0 ? TT_OK : tt_fail_sys(err, errno, "%s", name);
}

/* The events to record: the options, each behind a comma; before them what is recorded if none of them says what. */
static char *
chosen_options(struct app *app, const struct record_opts *o, struct tt_err *err)
{
	const struct opt_list *options = &o->options;
	static struct options read;   /* too large for a stack */
	char why[OPTIONS_WHY], *text = tt_arena_text(&app->arena, "", 0, err);

	for (size_t i = 0; text && i < options->n; i++)
		text = tt_arena_printf(&app->arena, err, "%s,%s", text, options->v[i]);
	if (text && options_read(&read, text + (*text == ','), why) == 0 && !options_record(&read))
		text = tt_arena_printf(&app->arena, err, ",calls,alloc%s", text);
	return text && o->overwrite ? tt_arena_printf(&app->arena, err, "%s,overwrite", text) : text;
}

/*
 * Put "tracetool:out=FILE,OPTIONS" into the variables that runtimes read: mono reads MONO_ENV_OPTIONS (a backslash escapes
 * blanks and backslashes), later runtimes, also embedded ones, MONO_PROFILE; the module takes the first. They find the module
 * by LD_LIBRARY_PATH.
 */
static int
set_environment(struct app *app, const struct record_opts *o, const char *folder, const char *out, struct tt_err *err)
{
	char *text = escape(app, out, ",", 0, err), *chosen = text ? chosen_options(app, o, err) : NULL;
	int rc = TT_OK;

	text = chosen ? tt_arena_printf(&app->arena, err, "tracetool:out=%s%s", text, chosen) : NULL;
	char *quoted = text ? escape(app, text, " \t\n\v\f\r\\\"'", '\\', err) : NULL;
	if (quoted)
		quoted = tt_arena_printf(&app->arena, err, "--profile=%s", quoted);
	if (!quoted)
		return err->code;
	rc = extend(app, "MONO_ENV_OPTIONS", quoted, " ", false, err);
	if (rc == TT_OK && setenv("MONO_PROFILE", text, 1) != 0)
		rc = tt_fail_sys(err, errno, "MONO_PROFILE");
	return rc == TT_OK ? extend(app, "LD_LIBRARY_PATH", folder, ":", true, err) : rc;
}

/* --- where the capture goes -------------------------------------------------------------- */

/* The capture's name without suffix: that of the first argument ending in .exe, else that of the program ("game" for "mono --debug game.exe"). */
static const char *
stem_of(struct app *app, const struct record_opts *o, struct tt_err *err)
{
	const char *name = o->program.v[0], *base;
	size_t n = strlen(name);

	for (size_t i = 1; i < o->program.n; i++) {
		size_t len = strlen(o->program.v[i]);
		if (len > 4 && strcmp(o->program.v[i] + len - 4, ".exe") == 0) {
			name = o->program.v[i];
			n = len - 4;
			break;
		}
	}
	base = strrchr(name, '/');
	base = base && base[1] ? base + 1 : name;
	char *copy = tt_arena_text(&app->arena, base, n - (size_t)(base - name), err);
	return copy ? escape(app, copy, "%", 0, err) : NULL;
}

/* The absolute path of the capture, for the module: the program may change its folder before the capture is made. */
static const char *
out_path(struct app *app, const struct record_opts *o, struct tt_err *err)
{
	const char *out = o->out;
	char cwd[4096], *here;

	if (!out) {
		const char *stem = stem_of(app, o, err);
		out = stem ? tt_arena_printf(&app->arena, err, "%s.ttc", stem) : NULL;
	}
	if (!out || out[0] == '/')
		return out;
	if (!getcwd(cwd, sizeof cwd)) {
		tt_fail_sys(err, errno, "the present folder");
		return NULL;
	}
	here = escape(app, cwd, "%", 0, err);
	return here ? tt_arena_printf(&app->arena, err, "%s/%s", here, out) : NULL;
}

/* The capture's path without its escapes; NULL, where ${err} says why or the path is known only when the program runs (%p, %t). */
static char *
one_path(struct app *app, const char *out, struct tt_err *err)
{
	char *to = tt_arena_text(&app->arena, out, strlen(out), err), *p = to;

	for (const char *s = out; to && *s; *p++ = *s++) {
		if (*s == '%' && (s[1] == 'p' || s[1] == 't'))
			return NULL;
		s += *s == '%' && s[1] == '%';
	}
	if (to)
		*p = '\0';
	return to;
}

/* Refuse a capture that could not be made, before the program runs. */
static int
check_out(struct app *app, const char *path, struct tt_err *err)
{
	char *folder;
	struct stat st;

	if (stat(path, &st) == 0)
		return S_ISDIR(st.st_mode) ? tt_fail(err, TT_E_IO, TT_NOWHERE, "cannot write %s: it is a folder; name a file in it", path) : TT_OK;
	folder = tt_arena_text(&app->arena, path, (size_t)(strrchr(path, '/') - path) + 1, err);
	if (!folder)
		return err->code;
	if (access(folder, W_OK | X_OK) == 0)
		return TT_OK;
	if (errno != ENOENT)
		return tt_fail_sys(err, errno, "cannot write %s: its folder", path);
	tt_fail_folder(err);
	tt_err_in(err, "cannot write %s", path);
	return err->code;
}

/* A pattern for glob() that matches every name that ${out} may expand to, with ${more} before its suffix. */
static char *
pattern_of(struct app *app, const char *out, const char *more, struct tt_err *err)
{
	size_t n = strlen(out), stem = n > 4 && strcmp(out + n - 4, ".ttc") == 0 ? n - 4 : n;
	char *to = tt_arena_alloc(&app->arena, 2 * n + strlen(more) + 1, err), *p = to;

	for (size_t i = 0; to && i <= n; i++) {
		if (i == stem)
			p = stpcpy(p, more);
		if (out[i] == '%' && (out[i + 1] == 'p' || out[i + 1] == 't')) {
			*p++ = '*';
			i++;
			continue;
		}
		if (out[i] == '%' && out[i + 1] == '%')
			i++;
		if (out[i] && strchr("*?[\\", out[i]))
			*p++ = '\\';
		*p++ = out[i];
	}
	return to;
}

/* Set an environment variable to a random number, by which the module marks captures of this run. */
static int
set_number(uint64_t *number, struct tt_err *err)
{
	char text[20];

	if (getrandom(number, sizeof *number, 0) != sizeof *number)
		return tt_fail_sys(err, errno, "cannot get a random number");
	*number |= 1;
	snprintf(text, sizeof text, "%" PRIx64, *number);
	return setenv("TRACETOOL_RECORD", text, 1) == 0 ? TT_OK : tt_fail_sys(err, errno, "TRACETOOL_RECORD");
}

/* The head of the file ${path}, or zeros; how many bytes of it there are. */
static size_t
read_head(const char *path, struct ttc_head *h)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const ssize_t n = fd >= 0 ? read(fd, h, sizeof *h) : 0;

	if (fd >= 0)
		close(fd);
	if (n != sizeof *h)
		*h = (struct ttc_head){ .part = 0 };
	return n > 0 ? (size_t)n : 0;
}

/* True if ${path} is no capture, or another `tracetool record` started the program that wrote it; captures of older modules do not say. */
static bool
of_another(const char *path, uint64_t number)
{
	struct ttc_head h;

	if (read_head(path, &h) == sizeof h)
		return memcmp(h.magic, TTC_MAGIC, sizeof h.magic) != 0 || (h.record != 0 && h.record != number);
	/* A recorder that was killed as it began leaves an empty file. */
	struct stat st;
	return stat(path, &st) == 0 && st.st_size > 0;
}

/* The start and the number of this run. */
struct begun { struct timespec at; uint64_t number; };

/* Add the files of ${pattern} that were changed since ${begun}, and the others to ${beside} (NULL: nowhere). */
static int
add_files(struct app *app, const char *pattern, const struct begun *begun, struct opt_list *found, struct opt_list *beside, struct tt_err *err)
{
	glob_t g = { 0 };
	struct stat st;
	int rc = TT_OK;

	if (glob(pattern, 0, NULL, &g) == 0)
		for (size_t i = 0; i < g.gl_pathc && rc == TT_OK; i++) {
			const char *path = g.gl_pathv[i];
			if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
				continue;
			const bool other = st.st_mtim.tv_sec < begun->at.tv_sec ||
			    (st.st_mtim.tv_sec == begun->at.tv_sec && st.st_mtim.tv_nsec < begun->at.tv_nsec) || of_another(path, begun->number);
			struct opt_list *to = other ? beside : found;
			path = to ? tt_arena_text(&app->arena, path, strlen(path), err) : "";
			rc = !path ? err->code : to ? opt_list_add(to, path, &app->arena, err) : TT_OK;
		}
	globfree(&g);
	return rc;
}

/* A capture of this run, and what its head says. */
struct capture_file { const char *path; struct ttc_head head; };

/* The files of recordings in the order in which these began, and those of a rotation by their numbers, whatever their names are. */
static int
by_recording(const void *a, const void *b)
{
	const struct capture_file *x = a, *y = b;
	const int run = memcmp(x->head.run, y->head.run, sizeof x->head.run);

	if (x->head.wall_ns != y->head.wall_ns)
		return x->head.wall_ns < y->head.wall_ns ? -1 : 1;
	if (run)
		return run;
	return x->head.part != y->head.part ? (x->head.part < y->head.part ? -1 : 1) : strcmp(x->path, y->path);
}

/* Put the captures in order; *${last}: the largest number of a file in a rotation. */
static int
put_in_order(struct app *app, struct opt_list *found, uint32_t *last, struct tt_err *err)
{
	struct capture_file *v = tt_arena_alloc(&app->arena, (found->n + 1) * sizeof *v, err);

	if (!v)
		return err->code;
	*last = 0;
	for (size_t i = 0; i < found->n; i++) {
		v[i].path = found->v[i];
		read_head(v[i].path, &v[i].head);
		*last = v[i].head.part > *last ? v[i].head.part : *last;
	}
	qsort(v, found->n, sizeof *v, by_recording);
	for (size_t i = 0; i < found->n; i++)
		found->v[i] = v[i].path;
	return TT_OK;
}

/* Find the captures of this run in their order, and in ${beside} the files of other recordings that have names of this rotation, if it is one. */
static int
find_captures(struct app *app, const char *out, const struct begun *begun, struct opt_list *found, struct opt_list *beside, struct tt_err *err)
{
	char *first = pattern_of(app, out, "", err), *later = first ? pattern_of(app, out, ".[0-9]*", err) : NULL;
	uint32_t last = 0;
	int rc = later ? add_files(app, first, begun, found, NULL, err) : err->code;

	if (rc == TT_OK)
		rc = add_files(app, later, begun, found, beside, err);
	if (rc == TT_OK)
		rc = put_in_order(app, found, &last, err);
	if (rc == TT_OK && last == 0)
		beside->n = 0;
	return rc;
}

/* --- after the program has ended ------------------------------------------------------------------------------ */

/* Complete the capture. A failure is only printed, because the exit status is the program's. */
static void
mend(struct app *app, const char *path)
{
	struct recovered what;
	struct tt_err err = { 0 };

	if (recover_mend(app, path, &what, &err) != TT_OK)
		ui_say(&app->ui, "%s", err.msg);
	else if (what.running)
		ui_say(&app->ui, "%s: is still being recorded", path);
}

/* Print the summary of the captures on standard error: standard output belongs to the program. */
static void
summarise(struct app *app, const struct opt_list *found)
{
	struct opt_list arg = { 0 };
	struct tt_err err = { 0 };
	int out = dup(STDOUT_FILENO);
	int rc = opt_list_add(&arg, "--", &app->arena, &err);
	for (size_t i = 0; i < found->n && rc == TT_OK; i++)
		rc = opt_list_add(&arg, found->v[i], &app->arena, &err);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	if (rc == TT_OK)
		rc = run_summary(app, (int)arg.n, (char **)(void *)arg.v, &err);
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

/* Files of other recordings with names of this rotation are read with it by who names them by a pattern. */
static void
tell_beside(struct app *app, const struct opt_list *beside)
{
	if (beside->n == 1)
		ui_say(&app->ui, "%s is of another recording: do not read it together with these files", name_of(beside->v[0]));
	else if (beside->n > 1)
		ui_say(&app->ui, "%s and %zu more file%s are of another recording: do not read them together with these files", name_of(beside->v[0]),
		    beside->n - 1, beside->n == 2 ? "" : "s");
}

/* If ${path}, where the capture should have gone, is an older file that was kept, or a link to nothing, end with the name that the capture has. */
static void
name_copy(struct app *app, const char *path, const struct opt_list *found)
{
	struct stat st;

	for (size_t i = 0; i < found->n; i++)
		if (strcmp(found->v[i], path) == 0)
			return;
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		ui_say(&app->ui, "wrote %s; %s is older (--overwrite replaces it)", name_of(found->v[0]), name_of(path));
	else if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		ui_say(&app->ui, "wrote %s; %s is a link to a file that is not there (--overwrite replaces it)", name_of(found->v[0]), name_of(path));
}

static int
conclude(struct app *app, const struct record_opts *o, const char *out, const char *path, const char *folder, const struct begun *begun,
    struct tt_err *err)
{
	struct opt_list found = { 0 }, beside = { 0 };
	struct stat st;
	int rc = find_captures(app, out, begun, &found, &beside, err);

	if (rc != TT_OK)
		return rc;
	if (found.n == 0 && path && stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		tt_log(&app->env, TT_LOG_NORMAL, "%s is no file: what was recorded went to whoever reads it", path);
		return TT_OK;
	}
	if (found.n == 0) {
		ui_say(&app->ui, "nothing was recorded. If no line above says why, no Mono runtime loaded %s/" MODULE
		    " (one tells where it looks with MONO_LOG_LEVEL=debug MONO_LOG_MASK=profiler)", folder);
		return TT_OK;
	}
	for (size_t i = 0; i < found.n; i++)
		mend(app, found.v[i]);
	for (size_t i = 0; i < found.n; i++)
		tt_log(&app->env, TT_LOG_NORMAL, "recorded to %s", found.v[i]);
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
	struct begun begun;
	char *folder;
	int status, rc = find_module(app, o, &folder, err);
	const char *out = rc == TT_OK ? out_path(app, o, err) : NULL, *path = out ? one_path(app, out, err) : NULL;

	if (err->code)
		return err->code;
	if (path)
		rc = check_out(app, path, err);
	if (rc == TT_OK)
		rc = set_environment(app, o, folder, out, err);
	if (rc == TT_OK)
		rc = set_number(&begun.number, err);
	/* The clock of file times. */
	clock_gettime(CLOCK_REALTIME_COARSE, &begun.at);
	if (rc == TT_OK)
		rc = tt_program_run(o->program.v, &status, err);
	if (rc != TT_OK)
		return rc;
	app->child = true;
	app->child_status = status;
	return conclude(app, o, out, path, folder, &begun, err);
}

/* Refuse names that promise another file than the capture, which a program's module writes as it runs. */
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

/* Check the options with the module's own parser. They must not name the capture: record could not find it afterwards. */
static int
check_profile(const struct opt_list *options, struct tt_err *err)
{
	static struct options read;   /* too large for a stack */
	char why[OPTIONS_WHY];

	for (size_t i = 0; i < options->n; i++)
		for (const char *p = options->v[i]; *p;) {
			const char *end = p;
			/* In a value, a comma is written twice. */
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
record_check(struct app *app, const struct opt_list *options, struct tt_err *err)
{
	const struct record_opts none = { 0 };
	char *folder;
	int rc = check_profile(options, err);

	if (rc == TT_OK && (rc = find_module(app, &none, &folder, err)) != TT_OK && err->sys == ENOENT)
		rc = tt_fail_sys(err, ENOENT, "to record Mono programs, " MODULE " must be in the folder of this program, in " TT_MODULES
		    " from there, or in the folder that TRACETOOL_LIBDIR names");
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

/**
 * Prepares the run of a program: finds the module's folder, sets environment variables, chooses the path of the capture.
 */
#include "launch/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena_text.h"
#include "base/setting.h"
#include "io/sink.h"

const char launch_modules[] = TT_MODULES;

/* --- the module ------------------------------------------------------------------ */

static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Write the folder of this program, without a final slash, to ${own}; "" if /proc does not tell. */
static void
own_folder(char own[4096])
{
	ssize_t n = readlink("/proc/self/exe", own, 4095);
	char *cut;

	own[n > 0 ? n : 0] = '\0';
	if ((cut = strrchr(own, '/')))
		*cut = '\0';
}

/* Return the real path of the installed module, allocated by malloc; NULL, with ${err}, if there is no module. */
static char *
installed_module(struct tt_arena *a, struct tt_err *err)
{
	char own[4096], *path, *real = NULL;
	const char *named = getenv("TRACETOOL_LIBDIR");

	own_folder(own);
	if (named && *named) {
		if ((path = tt_arena_printf(a, err, "%s/" LAUNCH_MODULE, named)) && !(is_file(path) && (real = realpath(path, NULL))))
			tt_fail_sys(err, ENOENT, "%s (TRACETOOL_LIBDIR names the folder)", path);
		return real;
	}
	path = tt_arena_printf(a, err, "%s/" LAUNCH_MODULE, own);
	if (path && !is_file(path))
		path = tt_arena_printf(a, err, "%s%s" TT_MODULES "/" LAUNCH_MODULE, TT_MODULES[0] == '/' ? "" : own, TT_MODULES[0] == '/' ? "" : "/");
	if (!path)
		return NULL;
	if (!is_file(path) || !(real = realpath(path, NULL)))
		tt_fail_sys(err, ENOENT, "%s/" LAUNCH_MODULE " (nor in " TT_MODULES " from there; option %s names it, or TRACETOOL_LIBDIR its folder)",
		    own, tt_setting_name[TT_SETTING_MODULE]);
	return real;
}

int
launch_find_module(struct tt_arena *a, const char *named, char **folder, struct tt_err *err)
{
	char *real;

	if (named && !(real = realpath(named, NULL)))
		return tt_fail_sys(err, errno, "%s", named);
	if (!named && !(real = installed_module(a, err)))
		return err->code;
	if (named && strcmp(strrchr(real, '/') + 1, LAUNCH_MODULE) != 0) {
		free(real);
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option %s: the runtime wants it to be called " LAUNCH_MODULE,
		    tt_setting_name[TT_SETTING_MODULE]);
	}
	*strrchr(real, '/') = '\0';
	*folder = tt_arena_text(a, real, strlen(real), err);
	free(real);
	return *folder ? TT_OK : err->code;
}

/* --- the environment ----------------------------------------------------------------- */

/* Copy ${s}; bytes in ${which} are doubled if ${quote} is 0, else preceded by ${quote}. */
static char *
escape(struct tt_arena *a, const char *s, const char *which, char quote, struct tt_err *err)
{
	char *to = tt_arena_alloc(a, 2 * strlen(s) + 1, err), *p = to;

	for (; to && *s; s++) {
		if (strchr(which, *s))
			*p++ = quote ? quote : *s;
		*p++ = *s;
	}
	return to;
}

/* Prepend ${value} and ${sep} to the variable, or append ${sep} and ${value}. */
static int
extend(struct tt_arena *a, const char *name, const char *value, const char *sep, bool before, struct tt_err *err)
{
	const char *old = getenv(name);
	char *text = NULL;

	if (old && *old)
		text = tt_arena_printf(a, err, "%s%s%s", before ? value : old, sep, before ? old : value);
	if (old && *old && !text)
		return err->code;
	return setenv(name, text ? text : value, 1) == 0 ? TT_OK : tt_fail_sys(err, errno, "%s", name);
}

int
launch_set_environment(struct tt_arena *a, const char *folder, const char *out, const char *options, struct tt_err *err)
{
	char *text = escape(a, out, ",", 0, err);
	int rc = TT_OK;

	text = text ? tt_arena_printf(a, err, "tracetool:out=%s%s", text, options) : NULL;
	char *quoted = text ? escape(a, text, " \t\n\v\f\r\\\"'", '\\', err) : NULL;
	if (quoted)
		quoted = tt_arena_printf(a, err, "--profile=%s", quoted);
	if (!quoted)
		return err->code;
	rc = extend(a, "MONO_ENV_OPTIONS", quoted, " ", false, err);
	if (rc == TT_OK && setenv("MONO_PROFILE", text, 1) != 0)
		rc = tt_fail_sys(err, errno, "MONO_PROFILE");
	return rc == TT_OK ? extend(a, "LD_LIBRARY_PATH", folder, ":", true, err) : rc;
}

int
launch_begin(struct launch_start *start, struct tt_err *err)
{
	char text[20];

	if (getrandom(&start->number, sizeof start->number, 0) != sizeof start->number)
		return tt_fail_sys(err, errno, "cannot get a random number");
	start->number |= 1;
	snprintf(text, sizeof text, "%" PRIx64, start->number);
	if (setenv("TRACETOOL_RECORD", text, 1) != 0)
		return tt_fail_sys(err, errno, "TRACETOOL_RECORD");
	/* Use the clock of file times. */
	clock_gettime(CLOCK_REALTIME_COARSE, &start->at);
	return TT_OK;
}

/* --- where the capture goes -------------------------------------------------------------- */

/* Return the capture's name without suffix: that of the first argument that ends with .exe, else that of the program ("game" for "mono --debug game.exe"). */
static const char *
stem_of(struct tt_arena *a, const char *const *program, struct tt_err *err)
{
	const char *name = program[0], *base;
	size_t n = strlen(name);

	for (size_t i = 1; program[i]; i++) {
		size_t len = strlen(program[i]);
		if (len > 4 && strcmp(program[i] + len - 4, ".exe") == 0) {
			name = program[i];
			n = len - 4;
			break;
		}
	}
	base = strrchr(name, '/');
	base = base && base[1] ? base + 1 : name;
	char *copy = tt_arena_text(a, base, n - (size_t)(base - name), err);
	return copy ? escape(a, copy, "%", 0, err) : NULL;
}

const char *
launch_capture_path(struct tt_arena *a, const char *const *program, const char *out, struct tt_err *err)
{
	char cwd[4096], *here;

	if (!out) {
		const char *stem = stem_of(a, program, err);
		out = stem ? tt_arena_printf(a, err, "%s.ttc", stem) : NULL;
	}
	if (!out || out[0] == '/')
		return out;
	if (!getcwd(cwd, sizeof cwd)) {
		tt_fail_sys(err, errno, "the present folder");
		return NULL;
	}
	here = escape(a, cwd, "%", 0, err);
	return here ? tt_arena_printf(a, err, "%s/%s", here, out) : NULL;
}

char *
launch_plain_path(struct tt_arena *a, const char *out, struct tt_err *err)
{
	char *to = tt_arena_text(a, out, strlen(out), err), *p = to;

	for (const char *s = out; to && *s; *p++ = *s++) {
		if (*s == '%' && (s[1] == 'p' || s[1] == 't'))
			return NULL;
		s += *s == '%' && s[1] == '%';
	}
	if (to)
		*p = '\0';
	return to;
}

int
launch_check_path(struct tt_arena *a, const char *path, struct tt_err *err)
{
	char *folder;
	struct stat st;

	if (stat(path, &st) == 0)
		return S_ISDIR(st.st_mode) ? tt_fail(err, TT_E_IO, TT_NOWHERE, "cannot write %s: it is a folder; name a file in it", path) : TT_OK;
	folder = tt_arena_text(a, path, (size_t)(strrchr(path, '/') - path) + 1, err);
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
